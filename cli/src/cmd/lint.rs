//! `robomaton lint`: what there is to say about robots.txt files and pages, drawn with carets or as JSON.
//!
//! What is wrong with the form of a text the grammar says, what is odd about its meaning the compiler; this file puts
//! both in the order of their places and says how many there are. Where they stand in the text is [`place`]'s to know,
//! how they are drawn [`draw`]'s, what is embedded in pages [`page`]'s.

mod draw;
mod explain;
mod page;
mod place;

use crate::failure::Failure;
use crate::input::read_text;
use crate::options::{Dialect, WithArgs};
use crate::output::{ColorArg, Out, remark};
use clap::Args;
use place::Places;
use robomaton_compiler::lint::{Finding, STEPS, lint_within};
use robomaton_compiler::{OverLimit, Surroundings};
use robomaton_explain::{Origin, count};
use robomaton_grammar::{Code, Diagnostic, Severity, Span, diagnose, scan};
use serde::Serialize;
use std::borrow::Cow;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The robots.txt files, `-` for standard input; files that end in .html, .htm, .xhtml or .xht are pages, of which
    /// the META tags and the classes of ACAP are read.
    #[arg(value_name = "FILE", required_unless_present = "explain")]
    files: Vec<PathBuf>,
    /// Say what a code means, with an example, and read no file.
    #[arg(long, value_name = "CODE", conflicts_with = "files")]
    explain: Option<String>,
    /// Print a JSON object for each diagnostic: file, line, column, start, end, severity, code, rule, message,
    /// second. Columns and offsets count bytes, columns from 1.
    #[arg(long)]
    json: bool,
    /// The site that the files are from; what they say of its own host depends on that.
    #[arg(long, value_name = "URL")]
    site: Option<String>,
    /// Compare no more than this many symbols of patterns to find those that hide others.
    #[arg(long, value_name = "N", default_value_t = STEPS)]
    max_steps: usize,
    #[command(flatten)]
    with: WithArgs,
    #[command(flatten)]
    dialect: Dialect,
}

/// The names of severities, in the order of the counts.
const SEVERITIES: [&str; 3] = [Severity::Error.name(), Severity::Warning.name(), Severity::Note.name()];

const EXAMPLES: &str = "\
Exit codes: 0 nothing above a note, 1 errors or warnings, 2 a file cannot be read.

Examples:
  robomaton lint robots.txt
  robomaton lint --explain unreachable-rule
  robomaton lint --json a/robots.txt b/robots.txt
  robomaton lint index.html
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

/// A diagnostic of either crate.
struct Said {
    severity: Severity,
    code: &'static str,
    rule: &'static str,
    span: Span,
    message: String,
    second: Option<(Span, String)>,
}

impl From<Diagnostic> for Said {
    fn from(Diagnostic { code, span, message, second }: Diagnostic) -> Said {
        Said { severity: code.severity(), code: code.name(), rule: code.rule(), span, message, second }
    }
}

impl From<Finding> for Said {
    fn from(Finding { code, span, message, second }: Finding) -> Said {
        Said { severity: code.severity(), code: code.name(), rule: code.rule(), span, message, second }
    }
}

impl Said {
    fn over(over: OverLimit, places: &Places<'_, '_>) -> Said {
        let message =
            format!("over the limit of {} {}; everything is disallowed", over.allowed, over.limit.name());
        let (code, span, second) = (Code::OverLimit, places.line(over.line), None);
        Said::from(Diagnostic { code, span, message, second })
    }

    fn placed<'a>(&'a self, file: &'a str, places: &Places<'_, '_>) -> Remark<'a> {
        let second = |(span, message): &'a (Span, String)| Second { place: places.of(*span), message };
        Remark {
            file,
            place: places.of(self.span),
            severity: self.severity.name(),
            code: self.code,
            rule: self.rule,
            message: &self.message,
            second: self.second.as_ref().map(second),
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
    if let Some(code) = &arguments.explain {
        explain::explain(code)?;
        return Ok(ExitCode::SUCCESS);
    }
    let options = arguments.dialect.options();
    let origin = match &arguments.site {
        Some(url) => Origin::of(url, options.profile)?,
        None => Origin::unknown()?,
    };
    let with = arguments.with.read()?;
    let with: Vec<(&str, &[u8])> = with.iter().map(|(path, text)| (path.as_str(), text.as_slice())).collect();
    let mut out = Out::new();
    let renderer = draw::renderer(color.is_on());
    let (mut found_any, mut unread) = (false, None);
    for path in &arguments.files {
        let bytes = match read_text(path) {
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
        let page = page::kind(path);
        let bytes = if page.is_some() { page::utf8(&bytes) } else { Cow::Borrowed(&*bytes) };
        // Of a page, only lines are asked of the tree.
        let limit = if page.is_some() { usize::MAX } else { options.limits.bytes(options.profile) };
        let tree = scan(&bytes, limit);
        let places = Places::new(&tree);
        let mut said: Vec<Said> = Vec::new();
        if let Some(kind) = page {
            let (of_page, is_cut) = page::lint(&tree, kind);
            said.extend(of_page);
            if is_cut {
                remark(&format!("{file}: says more to crawlers than is read"));
            }
        } else {
            let around = Surroundings { origin: origin.authority(), files: &with, pages: &[] };
            let report = lint_within(&tree, &around, &options, arguments.max_steps);
            said.extend(report.findings.into_iter().map(Said::from));
            said.extend(report.over.map(|over| Said::over(over, &places)));
            if !report.is_something_else {
                said.extend(diagnose(&tree).into_iter().map(Said::from));
            }
        }
        said.sort_by_key(|said| (said.span.start, said.severity, said.code));
        let mut counts = [0; 3];
        for said in &said {
            let remark = said.placed(&file, &places);
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
