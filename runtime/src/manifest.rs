//! The manifest of a stack of layers: the names of the images of one generation, oldest first.
//!
//! A directory with a manifest is a stack. The manifest is replaced as a whole, by rename, and the
//! files that it names do not change, so a reader keeps the generation that it opened. `open`
//! opens what it names; who writes it decides which captures a layer holds. The content is
//! untrusted: a name is a plain file name, so a manifest leads to nothing outside its directory.
//!
//! ```text
//! robomaton layers 1
//! generation 3
//! layer 1.rimg
//! layer 3.rimg
//! end
//! ```

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The name of the manifest in its directory.
const FILE: &str = "layers.manifest";
/// The first line: the kind of the file, and its version.
const HEAD: &str = "robomaton layers 1";
/// The last line. A manifest without it was cut.
const END: &str = "end";
/// A manifest of so many layers with long names is far shorter.
const MOST_BYTES: u64 = 64 << 10;

/// Layers of a stack at most: a question that no layer answers has asked each of them.
pub const MOST_LAYERS: usize = 64;

/// The images of one generation of a stack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// Counts the changes of the stack.
    pub generation: u64,
    /// The names of the layers in the directory, oldest first. Each is a file, or a directory of
    /// shards.
    pub layers: Vec<String>,
}

/// True if there is no such file.
pub(crate) fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

impl Manifest {
    /// The path of the manifest of a directory.
    pub fn path(directory: &Path) -> PathBuf {
        directory.join(FILE)
    }

    /// True if the directory is a stack of layers; also if it cannot be examined at present, since
    /// one that is taken for another kind of image looks damaged.
    pub fn is_in(directory: &Path) -> bool {
        match Manifest::path(directory).metadata() {
            Ok(data) => data.is_file(),
            Err(error) => !is_missing(&error),
        }
    }

    /// Reads the manifest of a directory.
    ///
    /// # Errors
    /// If it cannot be read, or is no manifest.
    pub fn read(directory: &Path) -> io::Result<Manifest> {
        let mut text = String::new();
        File::open(Manifest::path(directory))?.take(MOST_BYTES).read_to_string(&mut text)?;
        Manifest::parse(&text).ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidData, "is damaged, or of a newer version of robomaton")
        })
    }

    /// The manifest that a text is.
    pub fn parse(text: &str) -> Option<Manifest> {
        let text = text.strip_prefix(HEAD)?.strip_prefix('\n')?;
        let (generation, text) = text.strip_prefix("generation ")?.split_once('\n')?;
        let mut lines = text.strip_suffix('\n')?.split('\n');
        let mut layers = Vec::new();
        loop {
            match lines.next()? {
                END => break,
                line => layers.push(line.strip_prefix("layer ").filter(|name| is_plain(name))?.to_owned()),
            }
        }
        let is_whole = lines.next().is_none() && layers.len() <= MOST_LAYERS;
        Some(Manifest { generation: generation.parse().ok()?, layers }).filter(|_| is_whole)
    }
}

impl fmt::Display for Manifest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEAD}\ngeneration {}", self.generation)?;
        self.layers.iter().try_for_each(|name| writeln!(f, "layer {name}"))?;
        writeln!(f, "{END}")
    }
}

/// True for the name of a file in the directory itself.
fn is_plain(name: &str) -> bool {
    let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    !name.starts_with('.') && !name.is_empty() && name.bytes().all(is_of_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for count in [0, 1, MOST_LAYERS] {
            let layers = (0..count).map(|number| format!("{number}.rimg")).collect();
            let manifest = Manifest { generation: 7, layers };
            assert_eq!(Manifest::parse(&manifest.to_string()), Some(manifest));
        }
    }

    #[test]
    fn what_is_cut_or_leads_elsewhere_is_refused() {
        let good = Manifest { generation: 10, layers: vec!["1.rimg".into(), "2.rimg".into()] }.to_string();
        for length in 0..good.len() {
            assert_eq!(Manifest::parse(&good[..length]), None, "{length} bytes");
        }
        for name in ["../1.rimg", "/1.rimg", "a/b", "..", ".hidden", "", "a\\b", "C:x", "é"] {
            assert_eq!(Manifest::parse(&good.replace("1.rimg", name)), None, "{name:?}");
        }
        assert_eq!(Manifest::parse(&format!("{good}more\n")), None);
        assert_eq!(Manifest::parse(&good.replace("layers 1", "layers 2")), None);
        let layers = vec!["1.rimg".to_owned(); MOST_LAYERS + 1];
        assert_eq!(Manifest::parse(&Manifest { generation: 1, layers }.to_string()), None);
    }
}
