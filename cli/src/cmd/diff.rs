//! `robomaton diff`: the differences between two images, and the crawlers that gained or lost by
//! them.
//!
//! `robomaton-tables` finds the differences; this file prints a summary, JSON lines or tables.

mod summary;

use crate::failure::Failure;
use crate::options::{ForceArgs, LayersArgs};
use crate::output::Out;
use crate::tables::{self, AboutArgs, Place, formats};
use clap::Args;
use robomaton_build::Error;
use robomaton_runtime::Outcome;
use robomaton_tables::diff::{Access, Changed, diff};
use robomaton_tables::rows::{self, Subjects};
use robomaton_tables::schema::CHANGED;
use robomaton_tables::usages::UsageCoverage;
use robomaton_tables::use_changes::UseChange;
use robomaton_tables::write::{Format, Writer};
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;
use summary::Summary;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The older image
    old: PathBuf,
    /// The newer image
    new: PathBuf,
    #[command(flatten)]
    about: AboutArgs,
    /// Number of example sites for each kind of change
    #[arg(long, value_name = "N", default_value_t = 3)]
    examples: usize,
    /// Print the changed sites as JSON, one object per line, instead of the summary
    #[arg(long)]
    json: bool,
    /// Also write the tables `changes`, `access` and `uses` to this directory; older tables of the
    /// same names are replaced
    #[arg(long, value_name = "DIR")]
    to: Option<PathBuf>,
    /// Format of the tables
    #[arg(long, value_name = "FORMAT", default_value = "parquet", value_parser = formats(), requires = "to")]
    format: Format,
    #[command(flatten)]
    force: ForceArgs,
    /// Exit with 1 if the images differ
    #[arg(long)]
    exit_code: bool,
    #[command(flatten)]
    layers: LayersArgs,
}

const EXAMPLES: &str = "\
The change of a site in both images is the first of these that applies: outcome (the fetch had \
another outcome), rules (the rules for some crawler changed), uses (what is stated about uses \
changed), records (only other records changed, such as Crawl-delay and Sitemap), text (nothing \
else than spelling, order, comments or a period such as max-age changed). For outcome and \
rules, the diff also shows which crawlers gained or lost access, by share: none, some or all of a \
site. For uses, it does so if --usage names others than those below. Documents beside robots.txt, \
such as data.txt, are not compared.

Answers about the uses ai-train, ai-input, ai-index, search, index and tdm are compared for `*` \
and every crawler that the sites name, on sites that state something about uses; --crawler and \
--usage choose others. `new` means that nothing was stated before, `dropped` that nothing is \
stated now, `same` that other languages state the same, or other conditions apply.

Examples:
  robomaton diff may.rimg june.rimg
  robomaton diff may.rimg june.rimg --crawler GPTBot --json
  robomaton diff may.rimg june.rimg --usage ai-train --usage tdm
  robomaton diff may.rimg june.rimg --to changes --format csv";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let images = [arguments.layers.open(&arguments.old)?, arguments.layers.open(&arguments.new)?];
    let crawlers = arguments.about.crawlers(images[1].profile())?;
    let usages = arguments.about.usages(&[&images[0], &images[1]])?;
    let subjects = images.each_ref().map(|image| Subjects::new(image, &crawlers, &usages));
    let mut out = Out::of_answer();
    let mut summary = Summary::new(arguments.examples);
    let mut tell = |writers: &mut [Writer<'_>]| -> Result<u64, Failure> {
        let [old, new] = &images;
        diff([old, new], subjects.each_ref(), arguments.about.given(), |changed| {
            if arguments.json {
                out.json(&ChangeJson::from(&changed))?;
            }
            if let (Some(directory), [changes, access, uses]) = (&arguments.to, &mut *writers) {
                let written = changed.write(changes).and_then(|()| changed.write_access(access));
                let written = written.and_then(|()| changed.write_uses(uses));
                written.map_err(|error| Error::write(directory, error))?;
            }
            summary.add(&changed);
            Ok(())
        })
    };
    let (both, written) = match &arguments.to {
        None => (tell(&mut [])?, Vec::new()),
        Some(directory) => {
            let mut both = 0;
            let inputs = [arguments.old.clone(), arguments.new.clone()];
            let place =
                Place { directory, format: arguments.format, inputs: &inputs, force: arguments.force };
            let written = tables::write(place, CHANGED.iter(), |writers| {
                both = tell(writers)?;
                Ok(())
            })?;
            (both, written)
        }
    };
    let left_out = images.each_ref().map(rows::left_out).iter().sum();
    tables::remark_left_out("what is compared is robots.txt", left_out);
    if !arguments.json {
        summary.write(images.each_ref().map(|image| image.sites().count()), both, &mut out)?;
        written.iter().try_for_each(|table| table.write(&mut out))?;
    }
    out.finish()?;
    Ok(ExitCode::from(u8::from(arguments.exit_code && summary.differs())))
}

/// A site that changed; the fields are the keys that scripts rely on.
#[derive(Serialize)]
struct ChangeJson<'a> {
    site: &'a str,
    change: &'static str,
    outcome_from: Option<&'static str>,
    outcome_to: Option<&'static str>,
    text_changed: Option<bool>,
    access: Vec<AccessJson<'a>>,
    uses: Vec<UseJson<'a>>,
}

/// A crawler with more or less access to the site.
#[derive(Serialize)]
struct AccessJson<'a> {
    crawler: &'a str,
    usage: &'a str,
    share_from: &'static str,
    share_to: &'static str,
    explicit_from: bool,
    explicit_to: bool,
    line_from: Option<u32>,
    line_to: Option<u32>,
}

/// A crawler with another answer about a usage of the site.
#[derive(Serialize)]
struct UseJson<'a> {
    crawler: &'a str,
    usage: &'static str,
    share_from: &'static str,
    share_to: &'static str,
    languages_from: Vec<&'static str>,
    languages_to: Vec<&'static str>,
    conditional_from: bool,
    conditional_to: bool,
}

impl<'a> From<&'a UseChange> for UseJson<'a> {
    fn from(change: &'a UseChange) -> UseJson<'a> {
        let languages = |coverage: &UsageCoverage| {
            coverage.languages.iter().map(|language| language.name()).collect::<Vec<_>>()
        };
        UseJson {
            crawler: change.crawler(),
            usage: change.usage(),
            share_from: change.from.share.name(),
            share_to: change.to.share.name(),
            languages_from: languages(&change.from),
            languages_to: languages(&change.to),
            conditional_from: change.from.conditional,
            conditional_to: change.to.conditional,
        }
    }
}

impl<'a> From<&'a Changed<'a>> for ChangeJson<'a> {
    fn from(changed: &'a Changed<'a>) -> ChangeJson<'a> {
        let [outcome_from, outcome_to] = changed.outcome.map(|outcome| outcome.map(Outcome::name));
        let access = |&Access { who, from, to }: &Access<'a>| AccessJson {
            crawler: who.crawler,
            usage: who.usage,
            share_from: from.share.name(),
            share_to: to.share.name(),
            explicit_from: from.is_explicit(),
            explicit_to: to.is_explicit(),
            line_from: from.line,
            line_to: to.line,
        };
        ChangeJson {
            site: &changed.site,
            change: changed.change.name(),
            outcome_from,
            outcome_to,
            text_changed: changed.text_changed,
            access: changed.access.iter().map(access).collect(),
            uses: changed.uses.iter().map(UseJson::from).collect(),
        }
    }
}
