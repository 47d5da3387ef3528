//! The one image of an open stack, for who reads all of it.
//!
//! A stack answers as its merged image, but its layers keep records that newer ones hide, and store
//! equal texts several times. Who counts texts or names documents by number reads the merged image
//! instead. It does not know what for.

use crate::Error;
use crate::error::Unfit;
use crate::open::open;
use robomaton_compiler::Merge;
use robomaton_corpus::scratch;
use robomaton_formats::WriteError;
use robomaton_runtime::Image;
use std::io::{BufWriter, Write};
use std::path::Path;

/// The image that the layers of a stack are merged into, without terms; any other image as it is.
/// The merged image is a temporary file that has no name once it is open, so it takes room on the
/// disk as long as the image lives. `path` is the stack's, for errors.
///
/// # Errors
/// If a layer is damaged, or the file cannot be written.
pub fn whole(image: Image, path: &Path) -> Result<Image, Error> {
    if image.layer_count() == 1 {
        return Ok(image);
    }
    let damaged = |error| Error::Image { path: path.to_owned(), error };
    // Merging expects sound images.
    image.verify().map_err(damaged)?;
    let unfit = |_| Error::Merge { path: path.to_owned(), error: Unfit::Damaged };
    let shards: Vec<Image<&[u8]>> = image.shards().collect();
    let views: Vec<_> = shards.iter().map(Image::view).collect();
    let merge = Merge::new(&views).map_err(unfit)?;
    let file = tempfile::NamedTempFile::new().map_err(|error| Error::write(&std::env::temp_dir(), error))?;
    let mut out = BufWriter::with_capacity(1 << 20, file.as_file());
    let written = merge.write((0, 0), || scratch(None), &mut out);
    written.and_then(|()| Ok(out.flush()?)).map_err(|error| match error {
        WriteError::Image(error) => damaged(error),
        WriteError::Io(error) => Error::write(file.path(), error),
    })?;
    drop(out);
    Ok(open(file.path())?)
}
