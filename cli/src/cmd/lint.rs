//! `robomaton lint`: what there is to say about robots.txt files, drawn with carets or as JSON.
//!
//! Diagnostics are the grammar's, and the compiler's where a limit is exceeded; this file only says how many there
//! are. Where they stand in the text is [`place`]'s to know, how they are drawn [`draw`]'s.

mod draw;
mod place;

use crate::failure::Failure;
use crate::input::{is_image, read_file};
use crate::options::Dialect;
use crate::output::{ColorArg, Out, count, remark};
use clap::Args;
use place::Places;
use robomaton_compiler::lower;
use robomaton_grammar::{Code, Diagnostic, Severity, Span, diagnose, scan};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The robots.txt files; `-` is standard input.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Print a JSON object for each diagnostic: file, line, column, start, end, severity, code, rule, message,
    /// second. Columns and offsets count bytes, columns from 1.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    dialect: Dialect,
}

/// The names of severities, in the order of the counts.
const SEVERITIES: [&str; 3] = [Severity::Error.name(), Severity::Warning.name(), Severity::Note.name()];

const EXAMPLES: &str = "\
Exit codes: 0 nothing above a note, 1 errors or warnings, 2 a file cannot be read.

Examples:
  robomaton lint robots.txt
  robomaton lint --json a/robots.txt b/robots.txt
  curl -s https://example.com/robots.txt | robomaton lint -";

/// A diagnostic, placed.
#[derive(Serialize)]
struct Remark<'a> {
    file: &'a str,
    #[serde(flatten)]
    place: Place,
    severity: &'static str,
    code: &'a str,
    rule: &'a str,
    message: &'a str,
    second: Option<Second<'a>>,
}

impl<'a> Remark<'a> {
    fn new(file: &'a str, places: &Places<'_, '_>, found: &'a Diagnostic) -> Remark<'a> {
        let second = |(span, message): &'a (Span, String)| Second { place: places.of(*span), message };
        Remark {
            file,
            place: places.of(found.span),
            severity: found.code.severity().name(),
            code: found.code.name(),
            rule: found.code.rule(),
            message: &found.message,
            second: found.second.as_ref().map(second),
        }
    }
}

/// Another place, and why it matters.
#[derive(Serialize)]
struct Second<'a> {
    #[serde(flatten)]
    place: Place,
    message: &'a str,
}

/// A place in a text.
#[derive(Clone, Copy, Serialize)]
struct Place {
    line: u32,
    column: u32,
    start: u32,
    end: u32,
}

pub(crate) fn run(arguments: &Arguments, color: ColorArg) -> Result<ExitCode, Failure> {
    let mut out = Out::new();
    let renderer = draw::renderer(color.is_on());
    let (mut found_any, mut unread) = (false, None);
    for path in &arguments.files {
        let text = read_file(path).and_then(|bytes| match is_image(&bytes) {
            true => Err(Failure::of(path, "is an image, not a robots.txt; `robomaton verify` checks images")),
            false => Ok(bytes),
        });
        let bytes = match text {
            Ok(bytes) => bytes,
            // One file that cannot be read does not hide what there is to say of the others.
            Err(failure) => {
                if let Some(Failure::Said(message)) = unread.replace(failure) {
                    remark(&message);
                }
                continue;
            }
        };
        let file = path.to_string_lossy();
        let options = arguments.dialect.options();
        let tree = scan(&bytes, options.limits.bytes(options.profile));
        let places = Places::new(&tree);
        let found = diagnose(&tree);
        let over = lower(&tree, None, &options).err();
        let limit = over.map(|over| {
            format!("over the limit of {} {}; everything is disallowed", over.allowed, over.limit.name())
        });
        let limit = over.zip(limit.as_deref()).map(|(over, message)| Remark {
            file: &file,
            place: places.of(places.line(over.line)),
            severity: Severity::Error.name(),
            code: Code::OverLimit.name(),
            rule: Code::OverLimit.rule(),
            message,
            second: None,
        });
        let mut counts = [0; 3];
        for remark in found.iter().map(|found| Remark::new(&file, &places, found)).chain(limit) {
            counts[SEVERITIES.iter().position(|&name| name == remark.severity).unwrap_or(0)] += 1;
            if arguments.json {
                out.json(&remark)?;
            } else {
                draw::draw(&renderer, &places, &remark, &mut out)?;
            }
        }
        found_any |= counts[0] + counts[1] > 0;
        if !arguments.json {
            let counts: Vec<_> =
                SEVERITIES.iter().zip(counts).map(|(name, number)| count(number, name)).collect();
            writeln!(out, "{file}: {}", counts.join(", "))?;
        }
    }
    out.finish()?;
    match unread {
        Some(failure) => Err(failure),
        None => Ok(ExitCode::from(u8::from(found_any))),
    }
}
