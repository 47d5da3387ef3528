//! `robomaton page`: the permissions in one page, and their meaning for one crawler.
//!
//! `robomaton_explain` explains the answer; this file reads the files and prints the
//! result.

use super::explain::of_file;
use crate::failure::Failure;
use crate::input::{LONGEST_PAGE, open_image, read_text};
use crate::options::{QueryArgs, TermsArgs, WithArgs};
use crate::output::{Out, remark};
use clap::Args;
use robomaton_explain::page::{Page, PageQuery, SiteRobots};
use robomaton_runtime::{Image, Profile};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Args)]
#[command(after_help = EXAMPLES, mut_arg("agents", |agents| agents.required(true).default_value(None)))]
pub(crate) struct Arguments {
    /// The page, HTML or XHTML; `-` means standard input
    file: PathBuf,
    /// URL of the page
    #[arg(long)]
    url: String,
    /// Image with the robots.txt of its site
    #[arg(long, conflicts_with = "robots")]
    image: Option<PathBuf>,
    /// The robots.txt of its site
    #[arg(long, value_name = "FILE")]
    robots: Option<PathBuf>,
    #[command(flatten)]
    with: WithArgs,
    #[command(flatten)]
    query: QueryArgs,
    #[command(flatten)]
    terms: TermsArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Prints the verdict, the META tags and classes that address crawlers, their meaning for this crawler, and their problems. \
Without --image and --robots, only the page answers: what it leaves open is unknown, and what it permits to any crawler is \
incomplete, since the robots.txt may name this one. With --image, the robots.txt of the site answers as stored in the \
image, with the files that it refers to, its tdmrep.json and its ai.txt; with --with, the robots.txt is read again, \
together with these files in place of those that it refers to. RSL documents are not taken from \
the image, so that what they say is unknown: give them with --with. \
Permissions of the page that are stored in the image are ignored.

Exit codes: 0 allowed; 1 disallowed, conditional, unknown, or incomplete because a file, the page or a statement was not \
read; 2 error.

Examples:
  robomaton page a.html --url https://example.com/a.html --agent mybot \\
    --usage index
  robomaton page a.html --url https://example.com/a.html --agent mybot \\
    --image crawl.rimg --usage present --elements
  curl -s https://example.com/a | robomaton page - --json \\
    --url https://example.com/a --robots robots.txt --agent mybot";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let Arguments { file, url, robots, image, .. } = arguments;
    arguments.query.check_agents(Profile::Full)?;
    let page = Page::read(&read_text(file, LONGEST_PAGE)?, content_type(file), url);
    let image = image.as_ref().map(|path| Ok::<_, Failure>((path.as_path(), full_image(path)?)));
    let image = image.transpose()?;
    let robots = match (robots, &image) {
        (Some(path), _) => SiteRobots::from_text(read_text(path, LONGEST_PAGE)?),
        (None, Some((path, image))) => robots_of_image(path, image, url)?,
        (None, None) => SiteRobots::unknown(),
    };
    let question = PageQuery {
        page: &page,
        url,
        robots: &robots,
        files: &arguments.with.read()?,
        query: &arguments.query.query(),
        terms: &arguments.terms.terms(arguments.query.usage.elements),
    };
    let explanation = question.explain()?;
    explanation.remarks().for_each(|message| remark(&message));
    let mut out = Out::of_answer();
    let written = if arguments.json { out.json(&explanation) } else { explanation.write(&mut out) };
    written.map_err(Failure::from).and_then(|()| out.finish())?;
    Ok(ExitCode::from(u8::from(!explanation.is_allowed())))
}

/// Opens an image of the profile under which this command reads pages.
fn full_image(path: &Path) -> Result<Image, Failure> {
    let image = open_image(path)?;
    if image.profile() != Profile::Full {
        let what =
            format!("is of the profile {}; `page` reads pages as the profile full does", image.profile());
        return Err(Failure::of(path, what));
    }
    Ok(image)
}

/// The robots.txt of the page's site in an image.
fn robots_of_image<'i>(path: &Path, image: &'i Image, url: &str) -> Result<SiteRobots<'i>, Failure> {
    let site = image.site(url);
    if site.is_none() {
        remark(&format!("{}: does not contain the site; the page alone answers", path.display()));
    }
    SiteRobots::from_image(image, site.as_ref()).map_err(|error| of_file(path, error))
}

/// The media type for a file extension.
fn content_type(path: &Path) -> Option<&'static str> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    matches!(extension.as_str(), "xhtml" | "xht" | "xml").then_some("application/xhtml+xml")
}
