//! `robomaton store put`: captures from lines of JSON or from a WARC file.
//!
//! The first bytes say which of the two it is. `robomaton-store` reads a capture and puts it; this
//! file counts. Invariant: a capture that cannot be used is named by its place, and all others are
//! put.

use super::{StoreArgs, exit_code, open};
use crate::failure::Failure;
use crate::output::{Out, remark};
use clap::Args;
use robomaton_corpus::begins_as_warc;
use robomaton_explain::time::now;
use robomaton_explain::{count, without_mark};
use robomaton_runtime::Manifest;
use robomaton_store::{Capture, Store, WarcCaptures, WarcTooMuch};
use serde::Serialize;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The maximum line length: a body of the greatest length, with every byte escaped.
const LONGEST_LINE: u64 = 64 << 20;

/// The most bytes of a WARC file when it is decompressed. Its answers are held in memory, since a
/// redirect may lead to any of them.
const LARGEST_WARC: usize = 1 << 30;

/// The number of bytes that tell a WARC file from lines of JSON.
const HEAD: u64 = 5;

#[derive(Args)]
pub(super) struct Put {
    #[command(flatten)]
    store: StoreArgs,
    /// Lines of JSON, or a WARC file, plain or compressed with gzip or zstd; `-` or none for
    /// standard input
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

/// The result; the fields are the keys of its JSON.
#[derive(Default, Serialize)]
struct Summary {
    taken: usize,
    older: usize,
    invalid: usize,
    /// Records of a WARC file that are no captures of a robots.txt.
    #[serde(skip_serializing_if = "Option::is_none")]
    others: Option<usize>,
}

pub(super) fn run(arguments: &Put) -> Result<ExitCode, Failure> {
    let path = arguments.file.as_deref().unwrap_or(Path::new("-"));
    let unread = |error: io::Error| Failure::Message(format!("cannot read {}: {error}", path.display()));
    let mut input: Box<dyn BufRead> = match path.to_str() {
        Some("-") => Box::new(io::stdin().lock()),
        _ => Box::new(BufReader::new(File::open(path).map_err(unread)?)),
    };
    let mut head = Vec::new();
    input.by_ref().take(HEAD).read_to_end(&mut head).map_err(unread)?;
    let is_warc = begins_as_warc(&head);
    let input = Cursor::new(head).chain(input);
    let mut putting = Putting { arguments: &arguments.store, store: None, summary: Summary::default() };
    if Manifest::is_in(&arguments.store.directory) {
        putting.store()?;
    }
    match is_warc {
        true => putting.put_warc(input, path)?,
        false => putting.put_lines(input, unread)?,
    }
    if putting.summary.invalid == 0 {
        putting.store()?;
    }
    let Putting { store, summary, .. } = putting;
    store.map_or(Ok(()), |store| store.sync()).map_err(Failure::from_error)?;
    let mut out = Out::new();
    if arguments.store.json {
        out.json(&summary)?;
    } else {
        let Summary { taken, older, invalid, others } = summary;
        write!(out, "{} put, {older} not newer, {invalid} invalid", count(taken, "capture"))?;
        match others {
            Some(others) => writeln!(out, ", {}", count(others, "other record"))?,
            None => writeln!(out)?,
        }
    }
    out.finish()?;
    Ok(exit_code(summary.invalid))
}

/// A store and what was put into it.
struct Putting<'a> {
    arguments: &'a StoreArgs,
    /// A new one is created for the first capture that can be used: a file that has none leaves no
    /// store behind.
    store: Option<Store>,
    summary: Summary,
}

impl Putting<'_> {
    fn store(&mut self) -> Result<&Store, Failure> {
        Ok(match &mut self.store {
            Some(store) => store,
            none => none.insert(open(self.arguments)?),
        })
    }

    fn put_lines(
        &mut self,
        mut input: impl BufRead,
        unread: impl Fn(io::Error) -> Failure,
    ) -> Result<(), Failure> {
        let mut line = Vec::new();
        for number in 1.. {
            let is_whole = next_line(&mut input, LONGEST_LINE, &mut line).map_err(&unread)?;
            if line.is_empty() {
                break;
            }
            let line = if number == 1 { without_mark(&line) } else { &line };
            let place = format_args!("line {number}");
            if !is_whole {
                self.invalid(&place, &format_args!("is longer than {LONGEST_LINE} bytes"));
            } else if !line.trim_ascii().is_empty() {
                self.put(&place, Capture::from_json(line, now()))?;
            }
        }
        Ok(())
    }

    fn put_warc(&mut self, input: impl Read, path: &Path) -> Result<(), Failure> {
        let read = Capture::from_warc(input, now(), LARGEST_WARC, usize::MAX);
        let WarcCaptures { records, others } = read.map_err(|over| {
            let what = match over {
                WarcTooMuch::Bytes => format!("has more than {LARGEST_WARC} bytes when decompressed"),
                WarcTooMuch::Records => "has too many records".to_owned(),
            };
            Failure::of(path, format!("{what}; put its parts one by one"))
        })?;
        if records.is_empty() {
            return Err(Failure::of(path, "no record is a response with the URL of a robots.txt"));
        }
        self.summary.others = Some(others);
        records
            .into_iter()
            .try_for_each(|(at, capture)| self.put(&format_args!("the record at byte {at}"), capture))
    }

    /// Puts the capture of a place, or names it if it cannot be used.
    ///
    /// # Errors
    /// If the store is at fault.
    fn put(&mut self, place: &dyn Display, capture: Result<Capture, String>) -> Result<(), Failure> {
        let capture = match capture {
            Ok(capture) => capture,
            Err(error) => {
                self.invalid(place, &error);
                return Ok(());
            }
        };
        match self.store()?.put(&capture) {
            Ok(true) => self.summary.taken += 1,
            Ok(false) => self.summary.older += 1,
            Err(error) if error.is_of_capture() => self.invalid(place, &error),
            Err(error) => return Err(Failure::from_error(error)),
        }
        Ok(())
    }

    fn invalid(&mut self, place: &dyn Display, error: &dyn Display) {
        self.summary.invalid += 1;
        remark(&format!("{place}: {error}"));
    }
}

/// Reads a line. False if it is longer than `most` bytes: it is passed over then, so that its rest
/// is not taken for a line.
fn next_line(input: &mut impl BufRead, most: u64, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let read = input.by_ref().take(most).read_until(b'\n', line)?;
    let is_whole = (read as u64) < most || line.ends_with(b"\n");
    Ok(is_whole || input.skip_until(b'\n')? == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_of_a_long_line_is_no_line() {
        let mut input = &b"1234567\n12345678 {}\n\n123\n12345678"[..];
        let mut line = Vec::new();
        let mut lines = Vec::new();
        loop {
            let is_whole = next_line(&mut input, 8, &mut line).expect("bytes");
            if line.is_empty() {
                break;
            }
            lines.push((is_whole, String::from_utf8_lossy(&line).into_owned()));
        }
        let wanted =
            [(true, "1234567\n"), (false, "12345678"), (true, "\n"), (true, "123\n"), (true, "12345678")];
        assert_eq!(lines, wanted.map(|(is_whole, line)| (is_whole, line.to_owned())));
    }
}
