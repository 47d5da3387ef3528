//! Standard output and standard error: buffers, colours, closed pipes.
//!
//! Every subcommand writes its results through [`Out`] and its remarks through [`remark`]. Invariant: nothing here
//! panics, whatever has become of the two. It does not know what is written.

use crate::failure::Failure;
use clap::{ColorChoice, ValueEnum};
use serde::Serialize;
use std::ffi::OsString;
use std::io::{self, StdoutLock, Write};

/// Octets that wait before they are written.
const FULL: usize = 256 << 10;

/// Standard output behind a large buffer. What is left in it is written by [`Out::finish`] only.
pub(crate) struct Out {
    buffer: Vec<u8>,
    stdout: StdoutLock<'static>,
}

impl Out {
    pub(crate) fn new() -> Out {
        Out { buffer: Vec::with_capacity(FULL + (16 << 10)), stdout: io::stdout().lock() }
    }

    /// The buffer, to append to without a check per piece; [`Out::make_room`] afterwards.
    #[inline]
    pub(crate) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// Writes the buffer out if it is full.
    #[inline]
    pub(crate) fn make_room(&mut self) -> io::Result<()> {
        if self.buffer.len() < FULL { Ok(()) } else { self.flush() }
    }

    /// One JSON value on a line.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.buffer, value)?;
        self.buffer.push(b'\n');
        self.make_room()
    }

    /// Writes what is left.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        Ok(self.flush()?)
    }
}

impl Write for Out {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(octets);
        self.make_room()?;
        Ok(octets.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let written = self.stdout.write_all(&self.buffer).and_then(|()| self.stdout.flush());
        self.buffer.clear();
        written
    }
}

/// One line on standard error.
pub(crate) fn remark(message: &str) {
    let line = format!("robomaton: {}\n", message.replace(['\n', '\r'], " "));
    // Nobody is left to be told that standard error is closed.
    let _ = io::stderr().lock().write_all(line.as_bytes());
}

/// When to use colours; `auto` is on a terminal, unless NO_COLOR is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorArg {
    Auto,
    Always,
    Never,
}

impl ColorArg {
    /// Whether standard output takes colours.
    pub(crate) fn is_on(self) -> bool {
        match self {
            ColorArg::Auto => anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never,
            ColorArg::Always => true,
            ColorArg::Never => false,
        }
    }
}

impl From<ColorArg> for ColorChoice {
    fn from(choice: ColorArg) -> ColorChoice {
        match choice {
            ColorArg::Auto => ColorChoice::Auto,
            ColorArg::Always => ColorChoice::Always,
            ColorArg::Never => ColorChoice::Never,
        }
    }
}

/// The `--color` among arguments that are not parsed yet: help and usage errors are drawn before they are.
pub(crate) fn asked_for(arguments: &[OsString]) -> ColorArg {
    let value = arguments.iter().enumerate().find_map(|(at, argument)| match argument.to_str()? {
        "--color" => arguments.get(at + 1)?.to_str(),
        argument => argument.strip_prefix("--color="),
    });
    value.and_then(|value| ColorArg::from_str(value, true).ok()).unwrap_or(ColorArg::Auto)
}
