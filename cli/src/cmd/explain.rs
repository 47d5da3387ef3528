//! `robomaton explain`: which groups and records answer, every rule that matches, which one decides and why.
//!
//! The naive evaluator of the compiler tells the story over the text; the image has the last word. Invariant: the
//! two must agree, and if ever they do not, that is said and is an error ([`mod@agree`]). What is drawn is [`story`]'s
//! business, the reason [`mod@why`]'s; where an image keeps more than the text says, [`stored`] joins the two.

mod agree;
mod sets;
mod stored;
mod story;
mod why;

pub(crate) use agree::agree;
pub(crate) use stored::{Kept, join};
pub(crate) use story::{fate_of, reason, shut};
pub(crate) use why::why;

use crate::ask::Asker;
use crate::failure::Failure;
use crate::input::{is_image, open_image, read_text};
use crate::options::{AskerArgs, Dialect, DocumentArgs, TermsArgs, WithArgs, given_url, of_image};
use crate::output::Out;
use crate::single::{Beside, Origin, Single, too_much};
use clap::Args;
use robomaton_compiler::trace::trace;
use robomaton_compiler::{Limits, Options, OverLimit, Policy, Surroundings, compile_with, lower_with};
use robomaton_grammar::scan;
use robomaton_runtime::{Basis, Image, Outcome, Site, Verdict};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use story::Story;

/// Octets of a stored text that are unpacked at most.
pub(crate) const LONGEST_TEXT: usize = 1 << 30;

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
    document: DocumentArgs,
    #[command(flatten)]
    with: WithArgs,
    #[command(flatten)]
    terms: TermsArgs,
    #[command(flatten)]
    dialect: Dialect,
}

const EXAMPLES: &str = "\
The options of the dialect, and --with, are those of a robots.txt; an image is explained as it was compiled, and \
--document chooses among what it holds of a site. An image compiled with --no-sources holds no texts to explain.

Examples:
  robomaton explain crawl.rimg --agent GPTBot https://example.com/private/x
  robomaton explain robots.txt --agent googlebot-news,googlebot /private/x
  robomaton explain robots.txt --agent mybot --json /private/x \\
    --usage present-snippet --purpose news
  robomaton explain crawl.rimg --document data.txt --agent mybot \\
    https://example.com/a
  robomaton explain robots.txt --agent mybot /private/x \\
    --with /mybot.txt=mybot.txt";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    given_url(&arguments.url)?;
    if begins_as_image(&arguments.file) { of_an_image(arguments) } else { of_a_text(arguments) }
}

fn begins_as_image(path: &Path) -> bool {
    if path.is_dir() {
        return true;
    }
    // What a pipe gives is given once.
    if path == Path::new("-") || !path.is_file() {
        return false;
    }
    let mut head = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(8).read_to_end(&mut head));
    read.is_ok() && is_image(&head)
}

fn of_an_image(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let image = open_image(&arguments.file)?.with_terms(arguments.terms.terms(arguments.asker.use_.elements));
    let options = options_of(&image, &arguments.document);
    arguments.asker.heed(options.profile)?;
    let (crawler, usage) = arguments.asker.resolve(&image);
    let document = arguments.document.other();
    let asker = Asker { image: &image, crawler: &crawler, usage, document, objects: false };
    let verdict = asker.decide(&crawler, usage, &arguments.url);
    let mut story = Story::new(&arguments.asker, &arguments.url, &verdict);
    story.document(&arguments.document.document);
    if let (Basis::NoSite, Some(name)) = (verdict.basis(), document) {
        story.because(format!("the image does not hold a {name} of the site"));
    }
    // Of what the image was narrowed from, nothing is known.
    let held = verdict.site().filter(|_| verdict.basis() != Basis::Narrowed);
    let Some(site) = held else { return tell(arguments, &story) };
    if let Some(over) = over_limit(&site, &options) {
        story.because(too_much(over));
    }
    let detail = site.detail().unwrap_or_default();
    let text = text_of(&site, &arguments.file)?;
    if text.is_none() && !stored::has_pages(&detail) {
        return tell(arguments, &story);
    }
    let text = text.unwrap_or_default();
    let tree = scan(&text, options.limits.bytes(options.profile));
    if !tree.unread.is_empty() {
        story.unread(text.len() - tree.unread.start as usize, &options);
    }
    let authority = site.authority();
    let around = Surroundings { origin: Some(&authority), ..Surroundings::default() };
    let policy = lower_with(&tree, &around, &options).map_err(Failure::from_error)?;
    let kept = stored::Kept::of(&detail);
    let policy = stored::join(policy, &detail, &kept);
    story.note(kept.told());
    let missing = stored::missing(&detail);
    finish(arguments, &mut story, &policy, &missing, &site, &verdict)
}

/// The options that a document of an image was compiled with.
fn options_of(image: &Image, document: &DocumentArgs) -> Options {
    let mut options = of_image(image);
    let profile = document.profile(options.profile);
    if profile != options.profile {
        // Unless a limit was set, each dialect has its own.
        let default = Limits::default().bytes(options.profile);
        options.limits.bytes = options.limits.bytes.filter(|&bytes| bytes != default);
        options.profile = profile;
    }
    options
}

/// The limit that a stored text exceeds. The image keeps only that there is one.
fn over_limit(site: &Site<'_>, options: &Options) -> Option<OverLimit> {
    let text = Some(site).filter(|site| site.outcome() == Some(Outcome::OverLimit))?.source(LONGEST_TEXT)?;
    let authority = site.authority();
    let around = Surroundings { origin: Some(&authority), ..Surroundings::default() };
    compile_with(&text, &around, options).over_limit
}

fn of_a_text(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let options = arguments.dialect.options();
    arguments.asker.heed(options.profile)?;
    if let Some(name) = arguments.document.other() {
        let what = format!("--document {name} asks an image; --profile koster reads a {name}");
        return Err(Failure::Said(what));
    }
    let text = read_text(&arguments.file)?;
    let origin = Origin::of(&arguments.url, options.profile)?;
    let beside = Beside::files(arguments.with.read()?);
    let terms = arguments.terms.terms(arguments.asker.use_.elements);
    let single = Single::compile(&text, &origin, &beside, &options)?.with_terms(terms);
    let site = single.site()?;
    let (crawler, usage) = arguments.asker.resolve(single.image());
    let verdict = site.decide(&crawler, usage, &arguments.url);
    let mut story = Story::new(&arguments.asker, &arguments.url, &verdict);
    if origin.authority().is_none() {
        story.of_a_file();
    }
    story.unread(single.document.unread, &options);
    if site.outcome() != Some(Outcome::Rules) {
        if let (Basis::Outcome(_), Some(reason)) = (verdict.basis(), single.reason()) {
            story.because(reason);
        }
        return tell(arguments, &story);
    }
    let policy = Lowered { text: &text, beside: &beside, origin: origin.authority(), options: &options };
    policy.with(|policy| {
        let missing = origin.missing(policy, &beside);
        finish(arguments, &mut story, policy, &missing, &site, &verdict)
    })?
}

/// The text of a site, if there are rules in it.
pub(crate) fn text_of(site: &Site<'_>, file: &Path) -> Result<Option<Vec<u8>>, Failure> {
    if site.outcome() != Some(Outcome::Rules) {
        return Ok(None);
    }
    site.source(LONGEST_TEXT).map(Some).ok_or_else(|| {
        let cure = "holds no texts (was it compiled with --no-sources?): compile it again without, or ask \
                    `robomaton query --json` for the line that decides";
        Failure::of(file, cure)
    })
}

/// A text to be lowered with what is beside it.
pub(crate) struct Lowered<'a> {
    pub(crate) text: &'a [u8],
    pub(crate) beside: &'a Beside,
    pub(crate) origin: Option<&'a str>,
    pub(crate) options: &'a Options,
}

impl Lowered<'_> {
    /// Hands the policy on.
    pub(crate) fn with<T>(&self, read: impl FnOnce(&Policy<'_>) -> T) -> Result<T, Failure> {
        let tree = scan(self.text, self.options.limits.bytes(self.options.profile));
        let files = self.beside.slices();
        let around = Surroundings { origin: self.origin, files: &files, pages: &self.beside.pages };
        Ok(read(&lower_with(&tree, &around, self.options).map_err(Failure::from_error)?))
    }
}

/// Traces the question, tells the story, and holds it against the image.
fn finish(
    arguments: &Arguments,
    story: &mut Story,
    policy: &Policy<'_>,
    missing: &[String],
    site: &Site<'_>,
    verdict: &Verdict<'_>,
) -> Result<ExitCode, Failure> {
    let agents = arguments.asker.agents();
    let agents: Vec<&str> = agents.iter().map(String::as_str).collect();
    let target = site.target(&arguments.url);
    let asked = arguments.asker.use_.asked(&agents, &target, arguments.terms.unheard(site));
    let traced = trace(policy, &asked);
    let looked_for = arguments.asker.looked_for(policy.profile.agent_rule());
    story.add(policy, &traced, &asked, missing, looked_for, verdict);
    tell(arguments, story)?;
    agree(policy, &traced, verdict)?;
    Ok(ExitCode::SUCCESS)
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
