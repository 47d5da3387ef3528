//! The report: tables into RESULTS.md, plots into `plots/`.
//!
//! Each measuring binary is run, or its earlier `--json` output is read. The prose of RESULTS.md is
//! written by hand and preserved. Invariant: nothing is written before everything is measured.

mod svg;

use robomaton_benches::results::{Results, Series, exponent};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use svg::{Below, bars, lines};

/// The measuring binaries.
const MEASURES: [&str; 5] = ["versus", "instructions", "sizes", "figures", "scale"];
/// The default sizes of corpora.
const SITES: &str = "1000,10000,100000,1000000";

/// The options: files of results, by the name of the binary, and sizes for `scale`.
pub(crate) const USAGE: &str = "report [--versus FILE] [--instructions FILE] [--sizes FILE] \
    [--figures FILE] [--scale FILE] [--sites N,N,...]";

/// Writes the report.
pub(crate) fn report(args: &[&str]) -> Result<(), String> {
    let mut given: BTreeMap<&str, &str> = BTreeMap::new();
    for pair in args.chunks(2) {
        match *pair {
            [name, value]
                if name
                    .strip_prefix("--")
                    .is_some_and(|name| MEASURES.contains(&name) || name == "sites") =>
            {
                given.insert(name.trim_start_matches('-'), value);
            }
            _ => return Err(format!("usage: {USAGE}")),
        }
    }
    let mut results = Results::default();
    for name in MEASURES {
        let one = match given.get(name) {
            Some(file) => Results::read(Path::new(file))?,
            None => measured(name, given.get("sites").copied().unwrap_or(SITES))?,
        };
        results.tables.extend(one.tables);
        results.series.extend(one.series);
    }
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = home.join("RESULTS.md");
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    let text = results.fill(&std::fs::read_to_string(&path).map_err(failed)?)?;
    std::fs::write(&path, text).map_err(failed)?;
    let plots = home.join("plots");
    std::fs::create_dir_all(&plots).map_err(|error| format!("{}: {error}", plots.display()))?;
    for (name, picture) in pictures(&results) {
        let path = plots.join(format!("{name}.svg"));
        std::fs::write(&path, picture).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// Runs a binary of this crate.
fn measured(name: &str, sites: &str) -> Result<Results, String> {
    let path: PathBuf = std::env::temp_dir().join(format!("robomaton-{name}-{}.json", std::process::id()));
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .args(["run", "--profile", "dist", "-p", "robomaton-benches", "--bin", name, "--", "--json"])
        .arg(&path);
    if name == "scale" {
        command.args(["--sites", sites]);
    }
    let status =
        command.current_dir(env!("CARGO_MANIFEST_DIR")).status().map_err(|error| error.to_string())?;
    if !status.success() {
        return Err(format!("{name} ended with {status}"));
    }
    let results = Results::read(&path);
    std::fs::remove_file(&path).map_err(|error| error.to_string())?;
    results
}

/// All plots, by name.
fn pictures(results: &Results) -> Vec<(&'static str, String)> {
    let curves = |plot| -> Vec<(String, Vec<(f64, f64)>)> {
        results.plot(plot).map(|series| (series.name.clone(), series.points.clone())).collect()
    };
    let powers = |plot| -> Vec<(String, Vec<(f64, f64)>)> { results.plot(plot).map(with_exponent).collect() };
    let sites = || (Below::Points, "sites");
    let share = |of| (Below::Share, of);
    let sizes: Vec<(String, Vec<f64>)> =
        results.plot("sizes").map(|series| (series.name.clone(), values(series))).collect();
    vec![
        (
            "race",
            bars("Time per look-up, by peer", "nanoseconds", &["file order", "shuffled"], &by_order(results)),
        ),
        (
            "sizes",
            bars("Memory of what is prepared, by peer", "bytes per byte of pattern", &["bytes"], &sizes),
        ),
        (
            "distribution",
            lines(
                "Look-up times",
                share("share of questions, shuffled"),
                "nanoseconds",
                &curves("distribution"),
            ),
        ),
        (
            "program-sizes",
            lines("Program sizes", share("share of distinct programs"), "bytes", &curves("program-sizes")),
        ),
        ("growth-time", lines("Building and verifying", sites(), "seconds", &powers("growth-time"))),
        ("growth-bytes", lines("What is built", sites(), "bytes", &powers("growth-bytes"))),
        (
            "growth-look-up",
            lines("Look-ups of random hosts", sites(), "nanoseconds", &curves("growth-look-up")),
        ),
        (
            "hostile",
            lines(
                "Hostile rule sets",
                (Below::Points, "bytes of the path"),
                "microseconds",
                &powers("hostile-length"),
            ),
        ),
    ]
}

fn values(series: &Series) -> Vec<f64> {
    series.points.iter().map(|point| point.1).collect()
}

/// The race: each contestant with its times in both orders. The name of a series is contestant and
/// order.
fn by_order(results: &Results) -> Vec<(String, Vec<f64>)> {
    let mut names: Vec<(String, Vec<f64>)> = Vec::new();
    for series in results.plot("race") {
        let name = series.name.split('\t').next().unwrap_or_default();
        match names.iter_mut().find(|(known, _)| known == name) {
            Some((_, times)) => times.extend(values(series)),
            None => names.push((name.to_owned(), values(series))),
        }
    }
    names
}

/// A line with its exponent of growth in its name.
fn with_exponent(series: &Series) -> (String, Vec<(f64, f64)>) {
    let power = exponent(&series.points).map_or(String::new(), |power| format!(", exponent {power:.2}"));
    (format!("{}{power}", series.name), series.points.clone())
}
