//! `robomaton explain`: which groups and records answer, every rule that matches, which one decides and why.
//!
//! The story is told by `robomaton_explain`, for files and for images alike; this file reads the one or the other and
//! prints it.

use crate::failure::Failure;
use crate::input::{is_image, open_image, read_text};
use crate::options::{AskerArgs, Dialect, DocumentArgs, TermsArgs, WithArgs, given_url, remark_unused};
use crate::output::{ColorArg, Out, Painter};
use clap::Args;
use robomaton_explain::{Beside, Error, OfText, Story, explain, url_mistake};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

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

pub(crate) fn run(arguments: &Arguments, color: ColorArg) -> Result<ExitCode, Failure> {
    given_url(&arguments.url)?;
    let is_image = begins_as_image(&arguments.file);
    let story = if is_image { of_an_image(arguments) } else { of_a_text(arguments) }?;
    let mut out = Out::new();
    if arguments.json {
        out.json(&story)?;
    } else {
        let painter = Painter::new(color);
        story.write_with(|word, decision| painter.paint(word, decision), &mut out)?;
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
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

fn of_an_image(arguments: &Arguments) -> Result<Story, Failure> {
    if let Some(mistake) = url_mistake(&arguments.url) {
        return Err(Failure::Said(mistake));
    }
    let asker = arguments.asker.asker();
    let terms = arguments.terms.terms(asker.elements);
    let image = open_image(&arguments.file)?.with_terms(terms.clone());
    arguments.asker.heed(arguments.document.profile(image.profile()))?;
    let story = explain(&image, &terms, &asker, arguments.document.other(), &arguments.url);
    story.map_err(|error| of_file(&arguments.file, error))
}

/// An error about what an image lacks, with its name.
pub(crate) fn of_file(file: &Path, error: Error) -> Failure {
    match error {
        Error::NoTexts => Failure::of(file, error),
        error => error.into(),
    }
}

fn of_a_text(arguments: &Arguments) -> Result<Story, Failure> {
    let options = arguments.dialect.options();
    arguments.asker.heed(options.profile)?;
    if let Some(name) = arguments.document.other() {
        let what = format!("--document {name} asks an image; --profile koster reads a {name}");
        return Err(Failure::Said(what));
    }
    let asker = arguments.asker.asker();
    let terms = arguments.terms.terms(asker.elements);
    let (text, beside) = (read_text(&arguments.file)?, Beside::files(arguments.with.read()?));
    let question = OfText {
        text: &text,
        beside: &beside,
        options: &options,
        asker: &asker,
        terms: &terms,
        url: &arguments.url,
    };
    let story = question.explain()?;
    story.unused_files().iter().for_each(|path| remark_unused(path));
    Ok(story)
}
