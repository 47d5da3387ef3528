//! `robomaton lint`: findings about robots.txt files and pages, drawn with carets, as JSON or as
//! SARIF.
//!
//! `robomaton_explain::lint` finds them and their places. [`files`] lists the files to read,
//! [`page`] lints permissions in pages, [`text`] and [`sarif`] print.

mod draw;
mod explain;
mod files;
mod page;
mod remark;
mod sarif;
mod text;

#[cfg(feature = "report")]
pub(super) use explain::DOCUMENT;

use crate::failure::{Failure, called};
use crate::input::{LONGEST_PAGE, read_text};
use crate::options::{Dialect, WithArgs, origin, remark_unused};
use crate::output::{ColorArg, Out};
use clap::{Args, ValueEnum};
use remark::{FileFinding, has_mistakes};
use robomaton_compiler::lint::STEPS;
use robomaton_compiler::{Options, lower_with};
use robomaton_explain::lint::{Finding, FindingCounts, Places, lint_tree};
use robomaton_explain::{Origin, SiteFiles, shown};
use robomaton_grammar::{Tree, scan};
use sarif::Sarif;
use std::borrow::Cow;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use text::Text;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Files to check; without any, or for `-`, standard input. Files ending in .html, .htm, .xhtml
    /// or .xht are pages, whose META tags and ACAP classes are checked. In a directory, all pages
    /// and .txt files are checked
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Explain a code, with an example, and read no file
    #[arg(long, value_name = "CODE", conflicts_with = "files")]
    explain: Option<String>,
    /// Output format. json: one object per finding, with file, line, column, start, end, severity,
    /// code, source (the rule in RULES.md or FEATURES.md), message, second; columns and offsets
    /// count bytes, columns from 1. sarif: one SARIF 2.1.0 log, for code scanning
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Short for `--format json`
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Draw every finding, even if a file has many with the same code
    #[arg(long)]
    all: bool,
    /// Print only the total
    #[arg(long, short, conflicts_with_all = ["format", "json", "all"])]
    quiet: bool,
    /// Site of the files, for rules that name their own host
    #[arg(long, value_name = "URL")]
    site: Option<String>,
    /// Compare at most N symbols of patterns when searching for rules that hide others
    #[arg(long, value_name = "N", default_value_t = STEPS)]
    max_steps: usize,
    #[command(flatten)]
    with: WithArgs,
    #[command(flatten)]
    dialect: Dialect,
}

/// The format of diagnostics. (Docs on the variants would become help texts.)
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
    Sarif,
}

const EXAMPLES: &str = "\
Exit codes: 0 no findings above a note, 1 errors or warnings, 2 a file cannot be read.

Examples:
  robomaton lint robots.txt
  robomaton lint --explain unreachable-rule
  robomaton lint --json a/robots.txt b/robots.txt
  robomaton lint --format sarif public/ >lint.sarif
  curl -s https://example.com/robots.txt | robomaton lint";

/// The options for reading texts.
struct Linter {
    options: Options,
    origin: Origin,
    files: SiteFiles,
    max_steps: usize,
}

impl Linter {
    /// All findings about a text, ordered by position.
    fn text_findings(&self, tree: &Tree<'_>) -> Vec<Finding> {
        let files = self.files.spelled(&self.origin);
        lint_tree(tree, &self.origin.context(&files.slices()), &self.options, self.max_steps)
    }

    /// The references of a text to other files; none if it is over a limit.
    fn references(&self, tree: &Tree<'_>) -> Vec<String> {
        let files = self.files.spelled(&self.origin);
        let policy = lower_with(tree, &self.origin.context(&files.slices()), &self.options);
        policy.map_or_else(|_| Vec::new(), |policy| policy.references)
    }
}

pub(crate) fn run(arguments: &Arguments, color: ColorArg) -> Result<ExitCode, Failure> {
    if let Some(code) = &arguments.explain {
        explain::explain(code)?;
        return Ok(ExitCode::SUCCESS);
    }
    let options = arguments.dialect.options();
    let origin = origin(arguments.site.as_deref(), options.profile)?;
    let (files, max_steps) = (arguments.with.read()?, arguments.max_steps);
    let linter = Linter { options, origin, files, max_steps };
    let format = if arguments.json { Format::Json } else { arguments.format };
    let text = Text::new(color.is_on(), arguments.all, arguments.quiet);
    let mut sarif = Sarif::default();
    let mut out = Out::of_answer();
    let (mut read, mut clean, mut only) = (0, 0, String::new());
    let mut counts = FindingCounts::default();
    let (mut unread, mut references) = (None, Vec::new());
    for path in files::of(&arguments.files, std::io::stdin().is_terminal())? {
        let read_path = path.and_then(|path| {
            let limit = if page::kind(&path).is_some() { LONGEST_PAGE } else { arguments.dialect.limit() };
            read_text(&path, limit).map(|bytes| (path, bytes))
        });
        let (path, bytes) = match read_path {
            Ok(read) => read,
            // A file that cannot be read does not hide the findings about the others.
            Err(failure) => {
                if let Some(Failure::Message(message)) = unread.replace(failure) {
                    crate::output::remark(&message);
                }
                continue;
            }
        };
        let file = path.to_string_lossy();
        let file = if format == Format::Text { shown(&file) } else { Cow::Borrowed(&*file) };
        let page = page::kind(&path);
        let source = if page.is_some() { page::utf8(&bytes) } else { Cow::Borrowed(&*bytes) };
        // The tree of a page consists of lines only.
        let limit =
            if page.is_some() { usize::MAX } else { linter.options.limits.bytes(linter.options.profile) };
        let tree = scan(&source, limit);
        let places = Places::new(&tree);
        if page.is_none() && !linter.files.0.is_empty() {
            references.extend(linter.references(&tree));
        }
        let findings = match page {
            Some(kind) => page::lint(&tree, kind)?,
            None => linter.text_findings(&tree),
        };
        findings.iter().for_each(|finding| counts.add(finding));
        let findings: Vec<FileFinding<'_>> =
            findings.into_iter().map(|finding| FileFinding { file: &file, finding }).collect();
        match format {
            Format::Text => text.file(&findings, &places, &mut out)?,
            Format::Json => findings.iter().try_for_each(|found| out.json(found))?,
            Format::Sarif => {
                let is_verbatim = source.len() == bytes.len();
                findings.iter().for_each(|found| sarif.add(found, &places, is_verbatim));
            }
        }
        (read, clean) = (read + 1, clean + usize::from(findings.is_empty()));
        only = called(&path);
    }
    if read > 0 {
        linter.files.unused(&references, &linter.origin).for_each(remark_unused);
    }
    match format {
        // If nothing was read, the error is enough.
        _ if read == 0 => {}
        Format::Text => Text::total(read, clean, &shown(&only), counts, &mut out)?,
        Format::Json => {}
        Format::Sarif => sarif.print(&mut out)?,
    }
    out.finish()?;
    match unread {
        Some(failure) => Err(failure),
        None => Ok(ExitCode::from(u8::from(has_mistakes(counts)))),
    }
}
