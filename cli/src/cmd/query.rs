//! `robomaton query`: answers URLs, one verdict per line, in order.
//!
//! This is the command that must be fast: a plain line goes from the input chunk through the batch
//! to the output buffer. JSON objects and `--json` cost more. An invalid line is answered
//! `unknown`, so that output lines match input lines, and makes the exit code 2; it never stops a
//! run.

use crate::ask::{AnsweredLine, LineDefaults, QuestionLines};
use crate::failure::Failure;
use crate::options::{DocumentArgs, LayersArgs, QueryArgs, TermsArgs};
use crate::output::{ColorArg, Out, Painter, remark, word_of};
use clap::Args;
use robomaton_explain::{AnswerJson, shown};
use robomaton_runtime::{Condition, Decision};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Image to query
    image: PathBuf,
    #[command(flatten)]
    query: QueryArgs,
    /// Print one JSON object per line: url, agent, usage, purpose, verdict, decision, incomplete,
    /// choice, name, looked_for, conditions, typed_conditions, rule, line, rules, fields,
    /// conventional, language, carrier, crawl, statements, requests, outcome, basis, stale, status,
    /// fetched_at
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    document: DocumentArgs,
    #[command(flatten)]
    terms: TermsArgs,
    /// URLs to look up; without any, the lines of standard input. Each line is a URL; an agent, a
    /// tab and a URL; or a JSON object {"url", "agent", "usage", "purpose", "named_only"}
    #[arg(value_name = "URL")]
    urls: Vec<String>,
    #[command(flatten)]
    layers: LayersArgs,
}

const EXAMPLES: &str = "\
Prints VERDICT<TAB>URL for each URL, in order. VERDICT is one of allowed, disallowed, conditional, unknown; a URL whose \
site is not in the image is unknown. A permission that a missing file might take back is disallowed; the key `decision` has \
the decision of the files that are present, `fields` and `conventional` those of ACAP fields alone and of other rules alone. \
A rule of a page has the key `page`, a rule of a file that the robots.txt refers to the key `file`.

`line`, `language` and `carrier` have the place of the rule or statement that decides: `rep`, `acap`, `aipref`, \
`content-signals`, `ai-training`, `control-token`, `rsl`, `tdmrep`, `ai-txt` or `robots-meta`, in `robots`, `header`, `page`, \
`tdmrep`, `rsl` or `ai-txt`. For a usage other than crawl, `crawl` has the verdict about fetching the URL, and `statements` \
every statement that matches, those that decide first: language, carrier, line, document, usage, effect, fate, why, text and \
conditions. `requests` has the action requests of ACAP records for the URL: action, path, line and file. Without statements \
or requests, their key is missing.

A condition that nobody can meet is remarked on standard error, once; the key `typed_conditions` has it as `Unsupported`.

An invalid line is unknown, is reported on standard error, and makes the exit code 2.

Examples:
  robomaton query crawl.rimg --agent GPTBot \\
    https://example.com/a https://example.org/b
  robomaton query crawl.rimg --agent googlebot-news --agent googlebot <urls.txt
  robomaton query crawl.rimg --usage present-snippet --purpose news --json \\
    https://example.com/a
  robomaton query crawl.rimg --document data.txt --agent unhipbot \\
    https://example.com/a
  echo '{\"url\": \"https://example.com/a\", \"agent\": \"GPTBot\"}' \\
    | robomaton query crawl.rimg --json";

/// The number of conditional answers that are searched for a condition that nobody can meet.
const LOOKUPS: u32 = 1000;

pub(crate) fn run(arguments: &Arguments, color: ColorArg) -> Result<ExitCode, Failure> {
    let image = arguments
        .layers
        .open(&arguments.image)?
        .with_terms(arguments.terms.terms(arguments.query.usage.elements));
    let crawler = arguments.query.checked(&image, &arguments.document)?;
    let defaults = LineDefaults::new(&arguments.query, &image, &crawler, &arguments.document);
    let words = Painter::new(color).words();
    let mut out = Out::new();
    let mut unmeetable = LOOKUPS;
    QuestionLines::new(defaults).run(&arguments.urls, &mut out, |out, answered| {
        if arguments.json {
            let url = String::from_utf8_lossy(answered.url);
            return out.answer(&AnswerJson::new(answered.question(&url), &answered.verdict));
        }
        if unmeetable > 0 && answered.verdict.safe_decision() == Decision::Conditional {
            unmeetable -= 1;
            if remark_unmeetable(answered) {
                unmeetable = 0;
            }
        }
        let buffer = out.buffer();
        buffer.extend_from_slice(word_of(&words, answered.verdict.safe_decision()).as_bytes());
        buffer.push(b'\t');
        out.url(answered.url);
        out.buffer().push(b'\n');
        out.make_room()
    })
}

/// Remarks that nobody can meet a condition of the answer. Returns false if there is no such
/// condition.
#[cold]
fn remark_unmeetable(answered: &AnsweredLine<'_>) -> bool {
    let conditions = answered.verdict.conditional().map(|all| all.conditions).unwrap_or_default();
    let is_unmeetable = |condition: &&Condition| matches!(condition, Condition::Unsupported { .. });
    let Some(condition) = conditions.iter().find(is_unmeetable) else { return false };
    let url = String::from_utf8_lossy(answered.url);
    let (url, condition) = (shown(&url), condition.to_string());
    let condition = shown(&condition);
    remark(&format!("{url} is conditional, but nobody can meet {condition}; --json lists all conditions"));
    true
}
