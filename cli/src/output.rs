//! Standard output and standard error: buffers, colours, verbosity, closed pipes.
//!
//! Every subcommand writes its results through [`Out`] and its remarks through [`remark`].
//! Invariant: nothing here panics, whatever happens to the two. It does not know what is written.

use crate::failure::Failure;
use anstyle::{AnsiColor, Style};
use clap::{ColorChoice, ValueEnum};
use robomaton_explain::{AnswerJson, shown};
use robomaton_runtime::Decision;
use serde::Serialize;
use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, IsTerminal, StdoutLock, Write};
use std::sync::atomic::{AtomicU8, Ordering};

/// The size in bytes at which the buffer is written.
const FULL: usize = 256 << 10;

/// Standard output with a large buffer. Only [`Out::finish`] writes the rest of it.
pub(crate) struct Out {
    buffer: Vec<u8>,
    is_terminal: bool,
    /// True if the rest of the output may be lost.
    ignores_closed_pipe: bool,
    stdout: StdoutLock<'static>,
}

impl Out {
    pub(crate) fn new() -> Out {
        let stdout = io::stdout().lock();
        Out {
            buffer: Vec::with_capacity(FULL + (16 << 10)),
            is_terminal: stdout.is_terminal(),
            ignores_closed_pipe: false,
            stdout,
        }
    }

    /// The output of a command whose exit code is the answer, which it has even if nobody reads the
    /// output to its end.
    pub(crate) fn of_answer() -> Out {
        Out { ignores_closed_pipe: true, ..Out::new() }
    }

    /// The buffer, for appending without a check per piece; call [`Out::make_room`] afterwards.
    #[inline]
    pub(crate) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// Appends the URL of a stranger as a part of a line: without line feeds, which are no part of
    /// a URL (R9), and on a terminal so that nothing in it controls the terminal. Call
    /// [`Out::make_room`] afterwards.
    #[inline]
    pub(crate) fn url(&mut self, url: &[u8]) {
        if self.is_terminal || memchr::memchr(b'\n', url).is_none() {
            self.name(url);
        } else {
            self.buffer.extend(url.iter().filter(|&&byte| byte != b'\n'));
        }
    }

    /// Appends the name of a file in the same way, but with its line feeds escaped: without them it
    /// would be another name.
    #[inline]
    pub(crate) fn name(&mut self, name: &[u8]) {
        if self.is_terminal || memchr::memchr(b'\n', name).is_some() {
            self.buffer.extend_from_slice(shown(&String::from_utf8_lossy(name)).as_bytes());
        } else {
            self.buffer.extend_from_slice(name);
        }
    }

    /// Writes the buffer out if it is full.
    #[inline]
    pub(crate) fn make_room(&mut self) -> io::Result<()> {
        if self.buffer.len() < FULL { Ok(()) } else { self.flush() }
    }

    /// Writes one JSON value on a line.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.buffer, value)?;
        self.buffer.push(b'\n');
        self.make_room()
    }

    /// Writes an answer as JSON on a line.
    pub(crate) fn answer(&mut self, answer: &AnswerJson<'_>) -> io::Result<()> {
        answer.append_to(&mut self.buffer);
        self.buffer.push(b'\n');
        self.make_room()
    }

    /// Writes the rest of the buffer.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        Ok(self.flush()?)
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        self.make_room()?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let written = self.stdout.write_all(&self.buffer).and_then(|()| self.stdout.flush());
        self.buffer.clear();
        match written {
            Err(error) if self.ignores_closed_pipe && error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => written,
        }
    }
}

/// The verbosity of messages and results.
static VOLUME: AtomicU8 = AtomicU8::new(NORMAL);
const QUIET: u8 = 0;
const NORMAL: u8 = 1;
const VERBOSE: u8 = 2;

/// Sets the verbosity: the global options `--quiet` and `--verbose`.
pub(crate) fn set_volume(quiet: bool, verbose: bool) {
    let volume = if quiet { QUIET } else { NORMAL + u8::from(verbose) };
    VOLUME.store(volume, Ordering::Relaxed);
}

/// True with `--verbose`.
pub(crate) fn is_verbose() -> bool {
    VOLUME.load(Ordering::Relaxed) == VERBOSE
}

/// Writes a line on standard error, unless `--quiet` is given.
pub(crate) fn remark(message: &str) {
    if VOLUME.load(Ordering::Relaxed) != QUIET {
        error(message);
    }
}

/// Writes a line on standard error, in any case. A message may quote what strangers wrote, such as
/// the names of files in an archive, so nothing in it controls the terminal.
pub(crate) fn error(message: &str) {
    let message = message.replace(['\n', '\r'], " ");
    let line = format!("robomaton: {}\n", shown(&without_number(&message)));
    // If standard error is closed, nobody can be told.
    let _ = io::stderr().lock().write_all(line.as_bytes());
}

/// A message without the number that the standard library appends to operating system errors.
fn without_number(message: &str) -> Cow<'_, str> {
    let Some((before, rest)) = message.split_once(" (os error ") else { return message.into() };
    match rest.split_once(')') {
        Some((number, after)) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
            format!("{before}{after}").into()
        }
        _ => message.into(),
    }
}

/// Words of answers, coloured or not.
#[derive(Clone, Copy)]
pub(crate) struct Painter {
    color: bool,
}

impl Painter {
    pub(crate) fn new(color: ColorArg) -> Painter {
        Painter { color: color.is_on() }
    }

    /// Colours a word for this decision.
    pub(crate) fn paint(self, word: &str, decision: Decision) -> String {
        if !self.color {
            return word.to_owned();
        }
        let style = match decision {
            Decision::Allowed => AnsiColor::Green.on_default(),
            Decision::Disallowed => AnsiColor::Red.on_default(),
            Decision::Conditional => AnsiColor::Yellow.on_default(),
            Decision::Unknown => Style::new().dimmed(),
        };
        format!("{style}{word}{style:#}")
    }

    /// The word for a verdict.
    pub(crate) fn verdict(self, decision: Decision) -> String {
        self.paint(decision.name(), decision)
    }

    /// The words for all verdicts, made once; [`word_of`] selects one.
    pub(crate) fn words(self) -> [String; 4] {
        DECISIONS.map(|decision| self.verdict(decision))
    }
}

const DECISIONS: [Decision; 4] =
    [Decision::Allowed, Decision::Disallowed, Decision::Conditional, Decision::Unknown];

/// The word for a decision.
#[inline]
pub(crate) fn word_of(words: &[String; 4], decision: Decision) -> &str {
    let at = match decision {
        Decision::Allowed => 0,
        Decision::Disallowed => 1,
        Decision::Conditional => 2,
        Decision::Unknown => 3,
    };
    &words[at]
}

/// When to use colours; `auto` uses them on a terminal, unless NO_COLOR is set
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorArg {
    Auto,
    Always,
    Never,
}

impl ColorArg {
    /// True if standard output takes colours.
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

/// The `--color` among unparsed arguments: help and usage errors are printed before arguments are
/// parsed.
pub(crate) fn asked_for(arguments: &[OsString]) -> ColorArg {
    let value = arguments.iter().enumerate().find_map(|(at, argument)| match argument.to_str()? {
        "--color" => arguments.get(at + 1)?.to_str(),
        argument => argument.strip_prefix("--color="),
    });
    value.and_then(|value| ColorArg::from_str(value, true).ok()).unwrap_or(ColorArg::Auto)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_the_system_are_not_told() {
        assert_eq!(without_number("cannot open a: No such file (os error 2)"), "cannot open a: No such file");
        assert_eq!(without_number("a (os error 2) (L, line 3)"), "a (L, line 3)");
        assert_eq!(without_number("a (os error x)"), "a (os error x)");
    }

    #[test]
    fn a_terminal_is_not_controlled() {
        let mut out = Out::new();
        for (is_terminal, expected) in [(false, "/\u{1b}[31mx\ry"), (true, "/\\u{1b}[31mx\\n\\ry")] {
            out.is_terminal = is_terminal;
            out.url(b"/\x1b[31mx\n\ry");
            assert_eq!(String::from_utf8(std::mem::take(out.buffer())).unwrap(), expected);
            out.name(b"a\nb.rimg");
            assert_eq!(std::mem::take(out.buffer()), b"a\\nb.rimg");
        }
    }

    #[test]
    fn colours_are_put_around_words() {
        let (plain, painted) = (Painter { color: false }, Painter { color: true });
        assert_eq!(word_of(&plain.words(), Decision::Unknown), "unknown");
        assert_eq!(painted.verdict(Decision::Allowed), "\u{1b}[32mallowed\u{1b}[0m");
    }
}
