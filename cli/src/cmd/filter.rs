//! `robomaton filter`: prints the URLs that a crawler may fetch.
//!
//! Like `query`, with one bit of answer. Lines are printed as read, in order, without surrounding
//! white space. Blank and invalid lines are left out; invalid lines make the exit code 2. A
//! permission under conditions, and one that something unread might take back, count as refusals.

use crate::ask::{LineDefaults, QuestionLines};
use crate::failure::Failure;
use crate::options::{DocumentArgs, LayersArgs, Permission, QueryArgs, TermsArgs};
use crate::output::Out;
use clap::Args;
use robomaton_explain::AnswerJson;
use robomaton_runtime::Decision;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Args)]
#[command(after_help = EXAMPLES, mut_arg("agents", |agents| agents.required(true).default_value(None)))]
pub(crate) struct Arguments {
    /// Image to query
    image: PathBuf,
    #[command(flatten)]
    query: QueryArgs,
    /// Print the URLs that are not allowed instead
    #[arg(short = 'v', long)]
    invert: bool,
    /// Print URLs that the image knows nothing about, or leave them out; those about which
    /// something could not be read are always left out
    #[arg(long, value_name = "PERMISSION", default_value = "deny")]
    unknown: Permission,
    /// Print the answer for each of these URLs, as `query --json` does, instead of its line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    document: DocumentArgs,
    #[command(flatten)]
    terms: TermsArgs,
    #[command(flatten)]
    layers: LayersArgs,
}

const EXAMPLES: &str = "\
Reads lines from standard input. Each is a URL; an agent, a tab and a URL; or a JSON object {\"url\", \"agent\", \"usage\", \
\"purpose\"}; the options supply missing values. Lines are printed as read. Conditional and incomplete permissions do not \
count as allowed. Invalid lines are not printed, are reported on standard error, and make the exit code 2.

Examples:
  robomaton filter crawl.rimg --agent mybot <urls.txt >allowed.txt
  robomaton filter crawl.rimg --agent mybot -v <urls.txt >refused.txt
  robomaton filter crawl.rimg --agent mybot --unknown allow <urls.txt
  robomaton filter crawl.rimg --agent mybot \\
    --usage present-snippet --purpose news <urls.txt";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let image = arguments
        .layers
        .open(&arguments.image)?
        .with_terms(arguments.terms.terms(arguments.query.usage.elements));
    let crawler = arguments.query.checked(&image, &arguments.document)?;
    let defaults = LineDefaults::new(&arguments.query, &image, &crawler, &arguments.document);
    let mut out = Out::new();
    QuestionLines::new(defaults).run(&[], &mut out, |out, answered| {
        let allowed = match answered.verdict.safe_decision() {
            Decision::Allowed => true,
            Decision::Disallowed | Decision::Conditional => false,
            // A statement that could not be read may refuse.
            Decision::Unknown => arguments.unknown == Permission::Allow && !answered.verdict.is_incomplete(),
        };
        if answered.is_mistake() || allowed == arguments.invert {
            return Ok(());
        }
        if arguments.json {
            let url = String::from_utf8_lossy(answered.url);
            return out.answer(&AnswerJson::new(answered.question(&url), &answered.verdict));
        }
        out.url(answered.line);
        out.buffer().push(b'\n');
        out.make_room()
    })
}
