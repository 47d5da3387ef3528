//! `robomaton export`: an image as tables, for those who count.
//!
//! Hands the image to `robomaton-tables` and says what came of it. `docs/tables.md` tells the schemas.

use crate::failure::Failure;
use crate::input::open_image;
use crate::output::{Out, remark};
use crate::tables::{self, AboutArgs, formats};
use clap::Args;
use clap::builder::PossibleValuesParser;
use robomaton_explain::count;
use robomaton_jobs::Error;
use robomaton_tables::rows::{self, Asked};
use robomaton_tables::schema::TABLES;
use robomaton_tables::write::Format;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The image.
    image: PathBuf,
    /// The directory that the tables go to, one file each; files of their names are replaced.
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    /// What the files look like.
    #[arg(long, value_name = "FORMAT", default_value = "parquet", value_parser = formats())]
    format: Format,
    /// Write this table; may be given several times [default: all].
    #[arg(long = "table", value_name = "NAME", value_parser = PossibleValuesParser::new(TABLES.each_ref().map(|table| table.name)))]
    tables: Vec<String>,
    #[command(flatten)]
    about: AboutArgs,
    /// Print what was written as JSON, an object a line.
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
The tables are sites, groups, rules, crawlers, sitemaps, extensions, and policy: how much of each site each crawler may \
use. docs/tables.md tells their columns, docs/research.md how to ask them. What became of a fetch without rules counts as \
RFC 9309 has it.

Examples:
  robomaton export crawl.rimg --to tables
  robomaton export crawl.rimg --to tables --format csv --table policy --crawler GPTBot --crawler CCBot
  duckdb -c \"select share, count(*) from 'tables/policy.parquet' where crawler = 'GPTBot' group by share\"";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let image = open_image(&arguments.image)?;
    let crawlers = arguments.about.crawlers(image.profile())?;
    let usages = arguments.about.usages();
    let asked = Asked::new(&image, &crawlers, &usages);
    let wanted =
        |name: &str| arguments.tables.is_empty() || arguments.tables.iter().any(|table| table == name);
    let chosen = TABLES.iter().filter(|table| wanted(table.name));
    let written = tables::write(&arguments.to, arguments.format, chosen, |writers| {
        Ok(rows::export(&image, &asked, writers).map_err(|error| Error::write(&arguments.to, error))?)
    })?;
    let left_out = rows::left_out(&image);
    if left_out > 0 {
        let what = count(left_out, "document");
        remark(&format!("the tables tell of robots.txt; {what} beside it, as data.txt, left out"));
    }
    let mut out = Out::new();
    for table in &written {
        if arguments.json { out.json(table) } else { table.write(&mut out) }?;
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}
