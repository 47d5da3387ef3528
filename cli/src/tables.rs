//! What `export` and `diff` share: whom they ask about, and tables on their way to a directory.
//!
//! Turns words of the command line into tables of `robomaton-tables`. All files of a run are put in their places when
//! the last of them is whole. It does not know what the rows say.

use crate::failure::Failure;
use crate::options::heed;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use robomaton_jobs::{Error, Target};
use robomaton_runtime::Profile;
use robomaton_tables::crawlers::known;
use robomaton_tables::schema::Table;
use robomaton_tables::write::{Format, Writer};
use std::io::{self, Write};
use std::path::Path;

/// Who is asked about, and for what.
#[derive(Args, Clone, Debug)]
pub(crate) struct AboutArgs {
    /// Ask about this crawler; may be given several times. `*` is one that no group names [default: `*` and the
    /// well-known ones].
    #[arg(long = "crawler", value_name = "NAME")]
    crawlers: Vec<String>,
    /// What the crawlers would do: crawl, index, or any name that `query --usage` takes; may be given several times.
    #[arg(long = "usage", value_name = "USAGE", default_value = "crawl")]
    pub(crate) usages: Vec<String>,
}

impl AboutArgs {
    /// The crawlers, each once.
    pub(crate) fn crawlers(&self, profile: Profile) -> Result<Vec<String>, Failure> {
        if self.crawlers.is_empty() {
            let known = known().iter().map(|known| known.token.to_owned());
            return Ok(std::iter::once("*".to_owned()).chain(known).collect());
        }
        heed(self.crawlers.iter().map(String::as_str), profile)?;
        Ok(distinct(&self.crawlers))
    }

    /// The usages, each once.
    pub(crate) fn usages(&self) -> Vec<String> {
        distinct(&self.usages)
    }
}

fn distinct(names: &[String]) -> Vec<String> {
    let first = |&(at, name): &(usize, &String)| !names[..at].contains(name);
    names.iter().enumerate().filter(first).map(|(_, name)| name.clone()).collect()
}

/// The value parser of `--format`.
pub(crate) fn formats() -> impl TypedValueParser<Value = Format> {
    let named =
        |name: String| Format::ALL.into_iter().find(|format| format.name() == name).ok_or("no format");
    PossibleValuesParser::new(Format::ALL.map(Format::name)).try_map(named)
}

/// A table that was written.
#[derive(Debug, serde::Serialize)]
pub(crate) struct Written {
    pub(crate) table: &'static str,
    rows: u64,
    file: String,
}

impl Written {
    /// A line that says so.
    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{:<10} {:>10}  {}", self.table, self.rows, self.file)
    }
}

/// Writes tables into a directory, which is made if it is not there.
pub(crate) fn write(
    directory: &Path,
    format: Format,
    tables: impl Iterator<Item = &'static Table>,
    fill: impl FnOnce(&mut [Writer<'_>]) -> Result<(), Failure>,
) -> Result<Vec<Written>, Failure> {
    let failed = |error| Error::write(directory, error);
    std::fs::create_dir_all(directory).map_err(failed)?;
    let mut targets = Vec::new();
    for table in tables {
        let path = directory.join(format!("{}.{}", table.name, format.name()));
        targets.push((table, Target::open(&path, "a table is to go there")?));
    }
    let mut writers = Vec::new();
    for (table, target) in &targets {
        writers.push(Writer::new(table, format, target.file()).map_err(failed)?);
    }
    fill(&mut writers)?;
    let mut written = Vec::new();
    for (writer, (table, target)) in writers.into_iter().zip(&targets) {
        let rows = writer.finish().map_err(|error| target.failed(error))?;
        written.push(Written { table: table.name, rows, file: target.path().display().to_string() });
    }
    for (_, target) in targets {
        target.finish()?;
    }
    Ok(written)
}
