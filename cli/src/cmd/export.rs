//! `robomaton export`: writes an image as tables, or several images over time.
//!
//! It passes the images to `robomaton-tables` and reports the files. `docs/tables.md` has the
//! schemas.

use crate::failure::Failure;
use crate::options::{ForceArgs, LayersArgs};
use crate::output::Out;
use crate::tables::{self, AboutArgs, Place, Snapshot, formats, open_images};
use clap::Args;
use clap::builder::PossibleValuesParser;
use robomaton_build::Error;
use robomaton_runtime::Image;
use robomaton_tables::rows::{self, Subjects};
use robomaton_tables::schema::{SERIES, TABLES};
use robomaton_tables::write::Format;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Images; with several, each row names its image
    #[arg(required = true, value_name = "IMAGE")]
    images: Vec<PathBuf>,
    /// Directory for the tables, one file each; older tables of the same names are replaced
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    /// Format of the tables
    #[arg(long, value_name = "FORMAT", default_value = "parquet", value_parser = formats())]
    format: Format,
    /// Write only this table; may be given several times [default: all]
    #[arg(long = "table", value_name = "NAME", value_parser = PossibleValuesParser::new(TABLES.each_ref().map(|table| table.name)))]
    tables: Vec<String>,
    #[command(flatten)]
    about: AboutArgs,
    #[command(flatten)]
    force: ForceArgs,
    /// Print the written tables as JSON, one object per line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    layers: LayersArgs,
}

const EXAMPLES: &str = "\
The tables are sites, groups, rules, crawlers, sitemaps, extensions, policy (how much of each site each crawler may \
use) and usages (for which uses, such as ai-train). docs/tables.md describes their columns, docs/research.md shows queries. Outcomes without rules count as in RFC 9309. \
With several images, the tables have two more columns, image and newest (the date of the newest capture), and the images \
are in the order of that date.

Examples:
  robomaton export crawl.rimg --to tables
  robomaton export crawl.rimg --to tables --format csv --table policy \\
    --crawler GPTBot --crawler CCBot
  robomaton export may.rimg june.rimg july.rimg --to series
  duckdb -c \"select share, count(*) from 'tables/policy.parquet'
    where crawler = 'GPTBot' group by share\"";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let snapshots = open_images(&arguments.images, &arguments.layers)?;
    let profile = snapshots.last().map_or_else(Default::default, |newest| newest.image.profile());
    let crawlers = arguments.about.crawlers(profile)?;
    let images: Vec<&Image> = snapshots.iter().map(|snapshot| &snapshot.image).collect();
    let usages = arguments.about.usages(&images)?;
    let several = snapshots.len() > 1;
    let wanted =
        |name: &str| arguments.tables.is_empty() || arguments.tables.iter().any(|table| table == name);
    let tables = if several { &SERIES } else { &TABLES };
    let chosen = tables.iter().filter(|table| wanted(table.name));
    let mut left_out = 0;
    let Arguments { to: directory, format, images: inputs, force, .. } = arguments;
    let place = Place { directory, format: *format, inputs, force: *force };
    let written = tables::write(place, chosen, |writers| {
        for Snapshot { name, newest, image } in &snapshots {
            let subjects = Subjects::new(image, &crawlers, &usages);
            if several {
                writers.iter_mut().for_each(|writer| writer.begin(name, *newest));
            }
            rows::export(image, &subjects, writers).map_err(|error| Error::write(&arguments.to, error))?;
            left_out += rows::left_out(image);
        }
        Ok(())
    })?;
    tables::remark_left_out("the tables tell of robots.txt", left_out);
    let mut out = Out::new();
    for table in &written {
        if arguments.json { out.json(table) } else { table.write(&mut out) }?;
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}
