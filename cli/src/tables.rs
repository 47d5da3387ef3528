//! Shared by `export`, `diff` and `report`: the crawlers and usages in question, several images in
//! order of time, and tables in a directory.
//!
//! It turns arguments into tables of `robomaton-tables`. All files of a run are put in place when
//! the last one is complete. It does not know the content of the rows.

use crate::failure::Failure;
use crate::features::left_out;
use crate::options::{ForceArgs, LayersArgs, check_agents};
use crate::output::{Out, remark};
use crate::signals::watch;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use robomaton_build::{Error, Target};
use robomaton_explain::{check_usage, count};
use robomaton_formats::crawlers::known;
use robomaton_runtime::{Image, Profile};
use robomaton_tables::rows::newest;
use robomaton_tables::schema::Table;
use robomaton_tables::use_changes::UsesAsked;
use robomaton_tables::write::{Format, Writer};
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The crawlers and usages in question.
#[derive(Args, Clone, Debug)]
pub(crate) struct AboutArgs {
    /// Crawler to ask about; may be given several times. `*` is a crawler that no group names
    /// [default: `*` and the well-known crawlers]
    #[arg(long = "crawler", value_name = "NAME")]
    crawlers: Vec<String>,
    /// Usage to ask about: crawl, index, or any name that `query --usage` takes; may be given
    /// several times [default: crawl]
    #[arg(long = "usage", value_name = "USAGE")]
    usages: Vec<String>,
}

impl AboutArgs {
    /// The crawlers, without duplicates.
    pub(crate) fn crawlers(&self, profile: Profile) -> Result<Vec<String>, Failure> {
        if self.crawlers.is_empty() {
            let known = known().iter().map(|known| known.token.to_owned());
            return Ok(std::iter::once("*".to_owned()).chain(known).collect());
        }
        check_agents(self.crawlers.iter().map(String::as_str), profile)?;
        Ok(distinct(&self.crawlers))
    }

    /// The usages, without duplicates, if the images know them.
    pub(crate) fn usages(&self, images: &[&Image]) -> Result<Vec<String>, Failure> {
        for usage in &self.usages {
            // It is enough if one of them knows the usage.
            let checks = images.iter().map(|image| check_usage(image, usage));
            checks.reduce(Result::or).unwrap_or(Ok(())).map_err(Failure::from_error)?;
        }
        Ok(if self.usages.is_empty() { vec!["crawl".to_owned()] } else { distinct(&self.usages) })
    }

    /// The crawlers and usages that were given.
    pub(crate) fn given(&self) -> UsesAsked<'_> {
        UsesAsked { crawlers: &self.crawlers, usages: &self.usages }
    }
}

fn distinct(names: &[String]) -> Vec<String> {
    let first = |&(at, name): &(usize, &String)| !names[..at].contains(name);
    names.iter().enumerate().filter(first).map(|(_, name)| name.clone()).collect()
}

/// One of several images.
pub(crate) struct Snapshot {
    /// The name of its file without `.rimg`, or its path if another file has the same name.
    pub(crate) name: String,
    /// The time of its newest capture.
    pub(crate) newest: Option<u64>,
    pub(crate) image: Image,
}

/// Opens images and sorts them by their newest capture, oldest first; images without a known time
/// come first of all, and ties keep the given order.
pub(crate) fn open_images(paths: &[PathBuf], layers: &LayersArgs) -> Result<Vec<Snapshot>, Failure> {
    let stem = |path: &Path| {
        let name =
            if path.extension() == Some(OsStr::new("rimg")) { path.file_stem() } else { path.file_name() };
        name.unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
    };
    let stems: Vec<String> = paths.iter().map(|path| stem(path)).collect();
    let mut snapshots = Vec::new();
    for (path, name) in paths.iter().zip(&stems) {
        let alone = stems.iter().filter(|stem| *stem == name).count() == 1;
        let name = if alone { name.clone() } else { path.display().to_string() };
        let image = layers.open_whole(path)?;
        snapshots.push(Snapshot { name, newest: newest(&image), image });
    }
    snapshots.sort_by_key(|snapshot| snapshot.newest);
    Ok(snapshots)
}

/// Says on standard error how many documents beside robots.txt are left out, if any are.
pub(crate) fn remark_left_out(what_counts: &str, documents: usize) {
    if documents > 0 {
        let documents = count(documents, "document");
        remark(&format!("{what_counts}; {documents} beside it, as data.txt, left out"));
    }
}

/// The value parser of `--format`.
pub(crate) fn formats() -> impl TypedValueParser<Value = Format> {
    let named =
        |name: String| Format::ALL.into_iter().find(|format| format.name() == name).ok_or("no format");
    PossibleValuesParser::new(Format::ALL.map(Format::name)).try_map(named)
}

/// A written table.
#[derive(Debug, serde::Serialize)]
pub(crate) struct Written {
    pub(crate) table: &'static str,
    rows: u64,
    file: String,
}

impl Written {
    /// Writes it as a line.
    pub(crate) fn write(&self, out: &mut Out) -> io::Result<()> {
        write!(out, "{:<10} {:>10}  ", self.table, self.rows)?;
        out.name(self.file.as_bytes());
        out.write_all(b"\n")
    }
}

/// The files of tables.
pub(crate) struct Place<'a> {
    /// Their directory, which is created if it does not exist.
    pub(crate) directory: &'a Path,
    pub(crate) format: Format,
    /// Files that the tables must not replace.
    pub(crate) inputs: &'a [PathBuf],
    pub(crate) force: ForceArgs,
}

/// Writes tables.
pub(crate) fn write(
    Place { directory, format, inputs, force }: Place<'_>,
    tables: impl Iterator<Item = &'static Table>,
    fill: impl FnOnce(&mut [Writer<'_>]) -> Result<(), Failure>,
) -> Result<Vec<Written>, Failure> {
    if format == Format::Parquet && !cfg!(feature = "parquet") {
        return Err(left_out("parquet"));
    }
    let failed = |error| Error::write(directory, error);
    if directory.is_file() {
        return Err(Failure::of(directory, "is a file; --to names the directory that the tables go to"));
    }
    std::fs::create_dir_all(directory).map_err(failed)?;
    watch()?;
    let mut targets = Vec::new();
    for table in tables {
        let path = directory.join(format!("{}.{}", table.name, format.name()));
        let kind = format!("the table {} in the format {}", table.name, format.name());
        force.check(&path, inputs, &kind, |head, tail| format.is_table(table, head, tail))?;
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
    Target::finish_all(targets.into_iter().map(|(_, target)| target).collect())?;
    Ok(written)
}
