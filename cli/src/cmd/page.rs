//! `robomaton page`: one page with permissions embedded in it, and what they mean for one crawler.
//!
//! The page goes the whole way, with the robots.txt of its site: compiler, writer, runtime; the trace is held against
//! the answer. Invariant: each META tag and each class is given to the compiler under a number of its own in place of its
//! line, so that a rule leads back to the one tag it comes from. What tags and classes mean is [`meaning`]'s business,
//! what is printed [`report`]'s.

mod meaning;
mod report;

use super::explain::of_file;
use crate::failure::Failure;
use crate::input::{open_image, read_text};
use crate::options::{AskerArgs, TermsArgs, WithArgs};
use crate::output::{Out, remark};
use clap::Args;
use meaning::Reading;
use report::{Report, line_in};
use robomaton_compiler::trace::trace;
use robomaton_compiler::{Options, Page, Policy, compile_policy};
use robomaton_corpus::read_page;
use robomaton_explain::{
    Beside, Fetch, Kept, Lowered, Origin, Single, agree, join, options_of, text_of, too_much, unheard,
    unread, why,
};
use robomaton_formats::detail::Detail;
use robomaton_runtime::{Image, Outcome, Profile};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Args)]
#[command(after_help = EXAMPLES, mut_arg("agents", |agents| agents.required(true).default_value(None)))]
pub(crate) struct Arguments {
    /// The page, HTML or XHTML; `-` is standard input.
    file: PathBuf,
    /// Where the page was found.
    #[arg(long)]
    url: String,
    /// An image that holds the robots.txt of its site.
    #[arg(long, conflicts_with = "robots")]
    image: Option<PathBuf>,
    /// The robots.txt of its site.
    #[arg(long, value_name = "FILE")]
    robots: Option<PathBuf>,
    #[command(flatten)]
    with: WithArgs,
    #[command(flatten)]
    asker: AskerArgs,
    #[command(flatten)]
    terms: TermsArgs,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Prints the verdict with the META tags and classes that speak to crawlers, what each means for this one, and the problems \
in them. Without --image and --robots the page alone answers: what it leaves open is unknown, and what it permits to any \
crawler is incomplete, as the robots.txt may name this one. With --image the robots.txt of the site answers as the image \
holds it, with the files that it refers to; where --with is given, the robots.txt is read again, together with these files \
alone. What the image keeps of the page itself is not asked.

Exit codes: 0 allowed; 1 not plainly allowed, which is disallowed, conditional, unknown, or incomplete for want of \
the robots.txt or of a file that it refers to; 2 error.

Examples:
  robomaton page a.html --url https://example.com/a.html --agent mybot \\
    --usage index
  robomaton page a.html --url https://example.com/a.html --agent mybot \\
    --image crawl.rimg --usage present --elements
  curl -s https://example.com/a | robomaton page - --json \\
    --url https://example.com/a --robots robots.txt --agent mybot";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    arguments.asker.heed(Profile::Full)?;
    let html = read_text(&arguments.file)?;
    let robots = Robots::of(arguments)?;
    let origin = Origin::of(&arguments.url, Profile::Full)?;
    let found = read_page(&html, content_type(&arguments.file));
    let pages = vec![numbered(&found, &arguments.url)];
    let beside = Beside { files: arguments.with.read()?, pages };
    let Robots { text, fetch, options, .. } = &robots;
    let mut single = Single::fetched(text, &origin, &beside, *fetch, options)?;
    if let Some(over) = single.document.over_limit {
        remark(&format!("robots.txt and page: {}", too_much(over)));
    }
    if let Some(unread) = unread(single.document.unread, options) {
        remark(&format!("robots.txt {unread}"));
    }
    let detail = robots.detail(&arguments.url).filter(|_| beside.files.is_empty());
    let lowered = Lowered { text, beside: &beside, origin: origin.authority(), options };
    // Files that the text refers to are at hand as records of the image, and no otherwise.
    let with_records =
        |policy: &Policy<'_>, read: &mut dyn FnMut(&Policy<'_>) -> Result<(), Failure>| match detail
            .as_ref()
            .and_then(|detail| Some((detail, Kept::records_of(detail)?)))
        {
            Some((detail, kept)) => read(&join(policy.clone(), detail, &kept)),
            None => read(policy),
        };
    let is_over = single.document.over_limit.is_some();
    if detail.as_ref().and_then(Kept::records_of).is_some() && !is_over {
        lowered.with(|policy| {
            with_records(policy, &mut |policy| {
                single = Single::of(compile_policy(policy, options), &origin, *fetch, options)?;
                Ok(())
            })
        })??;
    }
    let terms = arguments.terms.terms(arguments.asker.use_.elements);
    let single = single.with_terms(terms.clone());
    let site = single.site()?;
    arguments.asker.use_.check(single.image())?;
    let (crawler, usage) = arguments.asker.resolve(single.image());
    let verdict = site.decide(&crawler, usage, &arguments.url);
    let asker = arguments.asker.asker();
    let agents = asker.agents();
    let target = site.target(&arguments.url);
    let asked = asker.asked(&agents, &target, unheard(&site, &terms));
    let mut report = Report::new(&asker, &arguments.url, &found, &verdict);
    match single.document.over_limit {
        Some(over) => report.because(too_much(over)),
        None => lowered.with(|policy| {
            with_records(policy, &mut |policy| {
                let traced = trace(policy, &asked);
                let reason = why(&relined(policy, &found), &traced, &asked);
                report.add(
                    &Reading { page: &found, policy, traced: &traced, asked: &asked },
                    reason,
                    &verdict,
                );
                Ok(agree(policy, &traced, &verdict)?)
            })
        })??,
    }
    let mut out = Out::new();
    let told = if arguments.json { out.json(&report) } else { report.write(&mut out) };
    match told.map_err(Failure::from).and_then(|()| out.finish()) {
        // The exit code is the answer, whether anybody reads it or not.
        Ok(()) | Err(Failure::ClosedPipe) => Ok(ExitCode::from(u8::from(!verdict.is_allowed()))),
        Err(failure) => Err(failure),
    }
}

/// The robots.txt of the page's site, as far as it is at hand.
struct Robots {
    text: Vec<u8>,
    /// What became of its fetch, unless it went well.
    fetch: Option<Fetch>,
    options: Options,
    /// The image that it comes from.
    image: Option<Image>,
}

impl Robots {
    fn of(arguments: &Arguments) -> Result<Robots, Failure> {
        if let Some(path) = &arguments.robots {
            return Ok(Robots {
                text: read_text(path)?,
                fetch: None,
                options: Options::default(),
                image: None,
            });
        }
        // Where nothing is known of it, what the page leaves open is unknown.
        let unknown = Fetch { outcome: Outcome::Unresolved, status: 0, fetched_at: 0, fresh_for: None };
        let Some(path) = &arguments.image else {
            let options = Options::default();
            return Ok(Robots { text: Vec::new(), fetch: Some(unknown), options, image: None });
        };
        let image = open_image(path)?;
        if image.profile() != Profile::Full {
            let what = format!("is of the profile {}, which knows no pages", image.profile());
            return Err(Failure::of(path, what));
        }
        let options = options_of(&image);
        let Some(site) = image.site(&arguments.url) else {
            remark(&format!("{}: does not hold the site; the page alone answers", path.display()));
            return Ok(Robots { text: Vec::new(), fetch: Some(unknown), options, image: None });
        };
        let text = text_of(&site).map_err(|error| of_file(path, error))?;
        let fetch = Fetch {
            outcome: site.outcome().unwrap_or(Outcome::Unresolved),
            status: site.status(),
            fetched_at: site.fetched_at().unwrap_or(0),
            fresh_for: Some(site.fresh_for()),
        };
        Ok(Robots { text: text.unwrap_or_default(), fetch: Some(fetch), options, image: Some(image) })
    }

    /// What the image keeps of the site.
    fn detail(&self, url: &str) -> Option<Detail<'_>> {
        self.image.as_ref()?.site(url)?.detail()
    }
}

/// The media type that a file's name tells.
fn content_type(path: &Path) -> Option<&'static str> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    matches!(extension.as_str(), "xhtml" | "xht" | "xml").then_some("application/xhtml+xml")
}

/// The policy with the lines of the page in place of numbers.
fn relined<'s>(policy: &Policy<'s>, found: &robomaton_corpus::Page) -> Policy<'s> {
    let mut policy = policy.clone();
    for group in policy.groups.iter().filter(|group| group.role.is_of_page()) {
        for rule in &mut policy.rules[group.rules.clone()] {
            rule.line = line_in(found, rule.line);
        }
    }
    policy
}

/// The page as the compiler takes it: tags and classes are numbered from 1 in place of lines.
fn numbered(found: &robomaton_corpus::Page, url: &str) -> Page {
    let after = url.find("://").map_or(url, |at| &url[at + 3..]);
    let target = after.find(['/', '?', '#']).map_or("", |at| &after[at..]);
    let target = target.split('#').next().unwrap_or_default();
    let slash = if target.starts_with('/') { "" } else { "/" };
    let url = if url.contains("://") { url.split('#').next().unwrap_or_default() } else { "" };
    let mut page = found.clone().for_compiler(url.to_owned(), format!("{slash}{target}"));
    let lines = page.metas.iter_mut().map(|tag| &mut tag.line);
    let lines = lines.chain(page.elements.iter_mut().map(|element| &mut element.line));
    lines.zip(1..).for_each(|(line, number)| *line = number);
    page
}
