//! The files to lint: named files, files below directories, standard input.
//!
//! In a directory, only files with the extension of a text or a page are read; a named file may
//! have any name. Files come in the order of the arguments, files of a directory in the order of
//! their names.

use super::page;
use crate::failure::Failure;
use std::path::{Path, PathBuf};

/// Lists the files, or an error in place of a directory without any. `is_terminal` means that
/// nothing is piped in.
pub(super) fn of(arguments: &[PathBuf], is_terminal: bool) -> Result<Vec<Result<PathBuf, Failure>>, Failure> {
    if arguments.is_empty() {
        if is_terminal {
            let cure = "name a file (`robomaton lint robots.txt`), or pipe one in";
            return Err(Failure::Message(format!("no file to look at: {cure}")));
        }
        return Ok(vec![Ok(PathBuf::from("-"))]);
    }
    let mut files = Vec::new();
    for argument in arguments {
        if !argument.is_dir() {
            files.push(Ok(argument.clone()));
            continue;
        }
        let before = files.len();
        below(argument, &mut files);
        if files.len() == before {
            let why = "no file below this directory ends in .txt, .html, .htm, .xhtml or .xht";
            files.push(Err(Failure::of(argument, why)));
        }
    }
    Ok(files)
}

/// Adds the texts and pages below a directory. Links to directories are not followed: they may form
/// cycles.
fn below(directory: &Path, files: &mut Vec<Result<PathBuf, Failure>>) {
    let mut stack = vec![(directory.to_owned(), true)];
    while let Some((path, is_directory)) = stack.pop() {
        if !is_directory {
            files.push(Ok(path));
            continue;
        }
        let entries = std::fs::read_dir(&path).and_then(|entries| {
            let entry = |entry: std::io::Result<std::fs::DirEntry>| {
                let entry = entry?;
                Ok((entry.path(), entry.file_type()?.is_dir()))
            };
            entries.map(entry).collect::<std::io::Result<Vec<_>>>()
        });
        match entries {
            Ok(mut entries) => {
                entries.retain(|(path, is_directory)| !is_hidden(path) && (*is_directory || is_text(path)));
                entries.sort_unstable_by(|one, other| other.cmp(one));
                stack.append(&mut entries);
            }
            Err(error) => files.push(Err(Failure::of(&path, error))),
        }
    }
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}

fn is_text(path: &Path) -> bool {
    page::kind(path).is_some() || path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("txt"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_not_waited_for() {
        assert!(matches!(of(&[], true), Err(Failure::Message(message)) if message.contains("name a file")));
        let files = of(&[], false).unwrap_or_default();
        assert!(matches!(files.as_slice(), [Ok(file)] if file == Path::new("-")));
    }
}
