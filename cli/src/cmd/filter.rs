//! `robomaton filter`: URLs in, those out that a crawler may fetch.
//!
//! `query` with one bit of answer: lines go out as they came in, in order, without the white space
//! around them; empty lines are left out, and so are lines that are no questions, which make the
//! exit code 2. A condition is not a plain permission, and a permission that a missing file might
//! take back is none: both count as refusals.

use crate::ask::{LineDefaults, QuestionLines};
use crate::failure::Failure;
use crate::input::open_image;
use crate::options::{DocumentArgs, Permission, QueryArgs, TermsArgs};
use crate::output::Out;
use clap::Args;
use robomaton_explain::AnswerJson;
use robomaton_runtime::Decision;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Args)]
#[command(after_help = EXAMPLES, mut_arg("agents", |agents| agents.required(true).default_value(None)))]
pub(crate) struct Arguments {
    /// The image to ask.
    image: PathBuf,
    #[command(flatten)]
    query: QueryArgs,
    /// Print the URLs that are not allowed instead.
    #[arg(short = 'v', long)]
    invert: bool,
    /// What to make of URLs that the image does not know about.
    #[arg(long, value_name = "PERMISSION", default_value = "deny")]
    unknown: Permission,
    /// Print the answer for each of these URLs, as `query --json` does, instead of its line.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    document: DocumentArgs,
    #[command(flatten)]
    terms: TermsArgs,
}

const EXAMPLES: &str = "\
Reads the lines of standard input: each a URL, an agent, a tab and a URL, or a JSON object {\"url\", \"agent\", \"usage\", \
\"purpose\"}; what a line does not say, the options do. Lines go out as they came in. What is conditional or incomplete is not \
allowed. A line that is no question goes nowhere, is told on standard error, and makes the exit code 2.

Examples:
  robomaton filter crawl.rimg --agent mybot <urls.txt >allowed.txt
  robomaton filter crawl.rimg --agent mybot -v <urls.txt >refused.txt
  robomaton filter crawl.rimg --agent mybot --unknown allow <urls.txt
  robomaton filter crawl.rimg --agent mybot \\
    --usage present-snippet --purpose news <urls.txt";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let image =
        open_image(&arguments.image)?.with_terms(arguments.terms.terms(arguments.query.usage.elements));
    let crawler = arguments.query.checked(&image, &arguments.document)?;
    let defaults = LineDefaults::new(&arguments.query, &image, &crawler, &arguments.document);
    let mut out = Out::new();
    QuestionLines::new(defaults).run(&[], &mut out, |out, answered| {
        let allowed = match answered.verdict.safe_decision() {
            Decision::Allowed => true,
            Decision::Disallowed | Decision::Conditional => false,
            Decision::Unknown => arguments.unknown == Permission::Allow,
        };
        if answered.is_mistake() || allowed == arguments.invert {
            return Ok(());
        }
        if arguments.json {
            let url = String::from_utf8_lossy(answered.url);
            return out.json(&AnswerJson::new(answered.question(&url), &answered.verdict));
        }
        out.buffer().extend_from_slice(answered.line);
        out.buffer().push(b'\n');
        out.make_room()
    })
}
