//! Command-line arguments for inputs: a path, `-`, or `@LIST`, a file of paths.
//!
//! A list has one path per line, relative to the current directory as on the command line; blank
//! lines, lines that begin with `#`, and a byte order mark are ignored. It may be compressed, like
//! the `.paths.gz` of Common Crawl. All its files must exist before anything is read, so that a
//! mistake among thousands of files is found early. It does not know what the files contain.

use crate::source::Source;
use crate::window::Window;
use crate::{Input, ReadError, ReadLimits};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Bytes of a list: some hundred thousand paths of Common Crawl take 14 MB.
const MAX_LIST: u64 = 256 << 20;

impl Input {
    /// The inputs of arguments, with lists expanded in place.
    ///
    /// # Errors
    /// If a list cannot be read, or names a missing file, another list, or standard input.
    pub fn from_args<'a>(args: impl IntoIterator<Item = &'a OsStr>) -> Result<Vec<Input>, ReadError> {
        let mut inputs = Vec::new();
        for arg in args {
            match list_of(arg) {
                Some(list) => add_list(&list, &mut inputs)?,
                None => inputs.push(Input::from_arg(arg)),
            }
        }
        Ok(inputs)
    }
}

/// The list in an argument, `-` for standard input.
fn list_of(arg: &OsStr) -> Option<PathBuf> {
    let path = arg.as_encoded_bytes().strip_prefix(b"@")?;
    Some(PathBuf::from(String::from_utf8_lossy(path).into_owned()))
}

fn add_list(list: &Path, inputs: &mut Vec<Input>) -> Result<(), ReadError> {
    let text = text(list).map_err(|error| ReadError::Open { path: list.to_owned(), error, listed: None })?;
    for (line, number) in text.trim_start_matches('\u{feff}').lines().zip(1..) {
        let name = line.trim();
        if name.is_empty() || name.starts_with('#') {
            continue;
        }
        let found = match name {
            "-" => Err(io::Error::other("a list names files, not standard input")),
            name if name.starts_with('@') => {
                Err(io::Error::other("a list names files, not lists; ./@NAME is a file"))
            }
            name => fs::metadata(name).map(drop),
        };
        found.map_err(|error| ReadError::Open {
            path: name.into(),
            error,
            listed: Some(format!(" ({}, line {number})", list.display())),
        })?;
        inputs.push(Input::Path(name.into()));
    }
    Ok(())
}

/// The text of a list.
fn text(list: &Path) -> io::Result<String> {
    let file: Box<dyn Read> =
        if list == Path::new("-") { Box::new(io::stdin().lock()) } else { Box::new(File::open(list)?) };
    let mut text = String::new();
    let window = Window::new(Source::open(file, &ReadLimits::default())?);
    Read::take(window, MAX_LIST + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_LIST {
        return Err(io::Error::other("longer than 256 MiB; that is no list"));
    }
    Ok(text)
}
