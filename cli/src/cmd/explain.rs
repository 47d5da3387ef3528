//! `robomaton explain`: the groups and records that apply, every matching rule, the deciding rule
//! and the reason.
//!
//! `robomaton_explain` explains files and images alike; this file reads one of them and prints the
//! explanation.

use crate::failure::Failure;
use crate::input::{is_image, read_text};
use crate::options::{
    Dialect, DocumentArgs, LayersArgs, QueryArgs, TermsArgs, WithArgs, given_url, remark_unused,
};
use crate::output::{ColorArg, Out, Painter};
use clap::Args;
use robomaton_compiler::Options;
use robomaton_explain::{Error, Explanation, TextQuery, explain, url_mistake};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// An image, or a robots.txt file; `-` means a robots.txt on standard input
    #[arg(value_name = "IMAGE|FILE")]
    file: PathBuf,
    /// URL; for a robots.txt, the path and query are enough
    url: String,
    #[command(flatten)]
    query: QueryArgs,
    /// Print one JSON object
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
    #[command(flatten)]
    layers: LayersArgs,
}

const EXAMPLES: &str = "\
--with, the profile, the limits, --vocabulary and --control-token apply to a robots.txt \
file only; an image is explained as it was compiled, and --document selects a document of \
the site in it. An image compiled with --no-sources has no texts to explain.

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
    let explanation = if is_image { explain_image(arguments) } else { explain_text(arguments) }?;
    let mut out = Out::new();
    if arguments.json {
        out.json(&explanation)?;
    } else {
        let painter = Painter::new(color);
        explanation.write_with(|word, decision| painter.paint(word, decision), &mut out)?;
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

fn begins_as_image(path: &Path) -> bool {
    if path.is_dir() {
        return true;
    }
    // A pipe can be read only once.
    if path == Path::new("-") || !path.is_file() {
        return false;
    }
    let mut head = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(8).read_to_end(&mut head));
    read.is_ok() && is_image(&head)
}

fn explain_image(arguments: &Arguments) -> Result<Explanation, Failure> {
    if let Some(mistake) = url_mistake(&arguments.url) {
        return Err(Failure::Message(mistake));
    }
    if !arguments.with.is_empty() || arguments.dialect.options() != Options::default() {
        let what = "an image is explained as it was compiled; --with, the profile, the limits, --vocabulary \
                    and --control-token apply to a robots.txt only";
        return Err(Failure::Message(what.to_owned()));
    }
    let query = arguments.query.query();
    let image = arguments.layers.open(&arguments.file)?.with_terms(arguments.terms.terms(query.elements));
    arguments.query.check_agents(arguments.document.profile(image.profile()))?;
    let explanation = explain(&image, &query, arguments.document.other(), &arguments.url);
    explanation.map_err(|error| of_file(&arguments.file, error))
}

/// The failure for an error; it names the image if the image lacks something.
pub(crate) fn of_file(file: &Path, error: Error) -> Failure {
    match error {
        Error::NoTexts => Failure::of(file, error),
        error => error.into(),
    }
}

fn explain_text(arguments: &Arguments) -> Result<Explanation, Failure> {
    let options = arguments.dialect.options();
    arguments.query.check_agents(options.profile)?;
    if let Some(name) = arguments.document.other() {
        let what = format!("--document {name} asks an image; --profile koster reads a {name}");
        return Err(Failure::Message(what));
    }
    let query = arguments.query.query();
    let question = TextQuery {
        text: &read_text(&arguments.file, arguments.dialect.limit())?,
        files: &arguments.with.read()?,
        options: &options,
        query: &query,
        terms: &arguments.terms.terms(query.elements),
        url: &arguments.url,
    };
    let explanation = question.explain()?;
    explanation.unused_files().iter().for_each(|path| remark_unused(path));
    Ok(explanation)
}
