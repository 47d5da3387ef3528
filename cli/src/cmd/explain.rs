//! `robomaton explain`: which groups answer, every rule that matches, which one decides and why.
//!
//! The naive evaluator of the compiler tells the story over the text; the image has the last word. Invariant: the
//! two must agree, and if ever they do not, that is said and is an error. What is drawn is [`story`]'s business.

mod story;

use crate::failure::Failure;
use crate::input::{is_image, open_image, read_file};
use crate::options::{AskerArgs, Dialect, TermsArgs, of_image};
use crate::output::Out;
use crate::single::{Origin, Single};
use clap::Args;
use robomaton_compiler::trace::{Trace, trace};
use robomaton_compiler::{Options, Policy, lower, usage_number};
use robomaton_runtime::{Basis, Image, Outcome, Site, Verdict};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use story::Story;

/// Octets of a stored text that are unpacked at most.
const LONGEST_TEXT: usize = 1 << 30;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// An image, or a robots.txt; `-` is a robots.txt from standard input.
    #[arg(value_name = "IMAGE|FILE")]
    file: PathBuf,
    /// The URL; of a robots.txt, its path and query alone will do.
    url: String,
    #[command(flatten)]
    asker: AskerArgs,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    terms: TermsArgs,
    #[command(flatten)]
    dialect: Dialect,
}

const EXAMPLES: &str = "\
The options of the dialect are those of a robots.txt; an image is explained as it was compiled. An image compiled
with --no-sources holds no texts to explain.

Examples:
  robomaton explain crawl.rimg --agent GPTBot https://example.com/private/x
  robomaton explain robots.txt --agent googlebot-news --agent googlebot /private/x
  robomaton explain robots.txt --agent mybot --usage index --json /private/x";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    if begins_as_image(&arguments.file) {
        let image = open_image(&arguments.file)?.with_terms(arguments.terms.terms());
        let options = of_image(&image);
        let Some(site) = image.site(&arguments.url) else {
            let (crawler, usage) = arguments.asker.resolve(&image);
            let verdict = image.decide(&crawler, usage, &arguments.url);
            return tell(arguments, &Story::new(&arguments.asker, &arguments.url, None, &verdict));
        };
        let text = match site.outcome() {
            Some(Outcome::Rules) => Some(site.source(LONGEST_TEXT).ok_or_else(|| {
                let cure = "holds no texts (was it compiled with --no-sources?): compile it again without, or ask \
                            `robomaton query --json` for the line that decides";
                Failure::of(&arguments.file, cure)
            })?),
            _ => None,
        };
        let authority = site.authority();
        explain(arguments, &image, site, text.as_deref(), Some(&authority), &options)
    } else {
        let text = read_file(&arguments.file)?;
        let options = arguments.dialect.options();
        let origin = Origin::of(&arguments.url, options.profile)?;
        let single = Single::compile(&text, &origin, &options)?;
        let site = single.site()?;
        let text = Some(&text[..]).filter(|_| site.outcome() == Some(Outcome::Rules));
        if let Some(over) = single.document.over_limit {
            crate::output::remark(&format!("{}: {over}", arguments.file.display()));
        }
        explain(arguments, single.image(), site, text, origin.authority(), &options)
    }
}

fn begins_as_image(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(8).read_to_end(&mut head));
    path != Path::new("-") && read.is_ok() && is_image(&head)
}

/// Tells the story of one question to one site; of its text, if there are rules in it.
fn explain<D: AsRef<[u8]>>(
    arguments: &Arguments,
    image: &Image<D>,
    site: Site<'_>,
    text: Option<&[u8]>,
    origin: Option<&str>,
    options: &Options,
) -> Result<ExitCode, Failure> {
    let (crawler, usage) = arguments.asker.resolve(image);
    let verdict = site.decide(&crawler, usage, &arguments.url);
    let mut story = Story::new(&arguments.asker, &arguments.url, Some(&site), &verdict);
    let Some(text) = text else { return tell(arguments, &story) };
    let tree = robomaton_grammar::scan(text, options.limits.bytes(options.profile));
    let policy = lower(&tree, origin, options).map_err(Failure::from_error)?;
    let agents = arguments.asker.agents();
    let agents: Vec<&str> = agents.iter().map(String::as_str).collect();
    let number = usage_number(&arguments.asker.usage).unwrap_or(u16::MAX);
    let traced = trace(&policy, &agents, number, &site.target(&arguments.url));
    story.add(&policy, &traced);
    tell(arguments, &story)?;
    agree(&policy, &traced, &verdict)
}

fn tell(arguments: &Arguments, story: &Story) -> Result<ExitCode, Failure> {
    let mut out = Out::new();
    if arguments.json {
        out.json(story)?;
    } else {
        story.write(&mut out)?;
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// Holds the trace against the image.
fn agree(policy: &Policy<'_>, traced: &Trace, verdict: &Verdict<'_>) -> Result<ExitCode, Failure> {
    let line = verdict.rule().map(|rule| rule.line);
    let traced_line = traced.winner.map(|winner| policy.rules[winner.rule].line);
    // A narrowed image does not answer; of `/robots.txt`, which needs no rule, it names none.
    if verdict.basis() == Basis::Narrowed {
        return Ok(ExitCode::SUCCESS);
    }
    if traced.decision == verdict.decision() && (line == traced_line || line.is_none() && traced.robots_txt) {
        return Ok(ExitCode::SUCCESS);
    }
    let place = |line: Option<u32>| line.map_or("no rule".to_owned(), |line| format!("line {line}"));
    Err(Failure::Said(format!(
        "internal error: the image answers {} by {}, the trace {} by {}; please report this",
        verdict.decision(),
        place(line),
        traced.decision,
        place(traced_line),
    )))
}
