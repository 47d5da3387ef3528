//! `robomaton store`: a directory of captures that grows while a crawl runs.
//!
//! `robomaton-store` does the work; this file passes it lines and prints states. `put` and
//! `compact` open the store for writing, and are refused while another process has it open. The
//! other actions read its files, beside a writer too.

use super::visit::{Time, time};
use crate::failure::Failure;
use crate::options::{Dialect, LayersArgs};
use crate::output::{Out, remark};
use clap::{Args, Subcommand};
use robomaton_explain::time::now;
use robomaton_explain::{count, crawler_names, names};
use robomaton_runtime::{LeftOut, Manifest};
use robomaton_store::{
    Capture, Durability, Reader, ReaderOptions, SiteStateJson, Stats, Store, StoreOptions,
};
use serde::Serialize;
use serde_json::json;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The maximum line length: a body of the greatest length, with every byte escaped.
const LONGEST_LINE: u64 = 64 << 20;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Put captures into a store, which is created if there is none
    Put(Put),
    /// Print whether the rules of sites are fresh, stale, unreachable or unknown
    State(State),
    /// Print the URLs of robots.txt files that are to be fetched again, the most overdue first
    Due(Due),
    /// Take what readers handed over, make the log a layer, and merge layers where that pays
    Compact(Compact),
    /// Print the sizes of a store
    Stats(StatsArguments),
}

/// The store, and how it is output.
#[derive(Args)]
struct StoreArgs {
    /// Directory of the store
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    #[command(flatten)]
    dialect: Dialect,
    /// Print JSON objects, one per line
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct Put {
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    layers: LayersArgs,
    /// Lines of JSON; `-` or none for standard input
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

#[derive(Args)]
struct State {
    #[command(flatten)]
    store: StoreArgs,
    /// Time of the question, in RFC 3339 or in seconds since 1970 [default: now]
    #[arg(long, value_name = "TIME", value_parser = time)]
    now: Option<Time>,
    /// Print how the sites want to be visited by this crawler, too; several names are separated by
    /// commas, best first
    #[arg(long, value_name = "NAME", requires = "json")]
    agent: Option<String>,
    /// URLs of the sites
    #[arg(value_name = "URL", required = true)]
    urls: Vec<String>,
}

#[derive(Args)]
struct Due {
    #[command(flatten)]
    store: StoreArgs,
    /// Time of the question, in RFC 3339 or in seconds since 1970 [default: now]
    #[arg(long, value_name = "TIME", value_parser = time)]
    now: Option<Time>,
    /// Print at most N URLs
    #[arg(long, value_name = "N", default_value_t = 100)]
    count: usize,
}

#[derive(Args)]
struct Compact {
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    layers: LayersArgs,
    /// Remove the captures that were fetched before this time, and write all others as one layer
    #[arg(long, value_name = "TIME", value_parser = time)]
    evict_before: Option<Time>,
}

#[derive(Args)]
struct StatsArguments {
    #[command(flatten)]
    store: StoreArgs,
}

const EXAMPLES: &str = "\
A store is a directory: layers, and a log of the newest captures. One process at a time writes it, with `put`, \
`compact` or `serve --store`; `state`, `due` and `stats` read it meanwhile, and see all that was put when they began. \
`robomaton merge DIR -o IMAGE` makes an image of its layers; `compact` first, since captures of the log are in no layer yet.

`put` reads one JSON object per line: url, status (200; 0 if there was no answer; 304 renews the text that is held), \
fetched_at (now), redirects (0), headers (an object, or a list of pairs) and body. A capture counts if it is newer than \
the one that is held. The text options must be the same whenever the store is opened.

`state` prints STATE<TAB>URL for each URL. STATE is fresh, stale (the answers count, fetch again), unreachable (all is \
disallowed) or unknown (fetch first). In JSON: url, state, fetched_at, fetch_at, in_flight (null: only the writer \
knows), not_before (Retry-After), since, etag, last_modified; with --agent also crawl_delay, request_rates, visit_times \
and clean_params.

Exit codes: 0 done, 2 error, or a line or URL is invalid; the other ones are done.

Examples:
  robomaton store put crawl.store fetched.jsonl
  robomaton store state crawl.store https://example.com/
  robomaton store due crawl.store --count 1000
  robomaton store compact crawl.store --evict-before 2026-01-01T00:00:00Z
  robomaton store stats crawl.store --json";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    match &arguments.action {
        Action::Put(put) => run_put(put),
        Action::State(state) => run_state(state),
        Action::Due(due) => run_due(due),
        Action::Compact(compact) => {
            check(&compact.store)?;
            let store = open(&compact.store, &compact.layers)?;
            store.take_handed().map_err(Failure::from_error)?;
            match compact.evict_before {
                Some(time) => store.evict(time.seconds),
                None => store.flush().and_then(|()| store.compact()),
            }
            .map_err(Failure::from_error)?;
            stats(&store.stats(), compact.store.json)
        }
        Action::Stats(arguments) => stats(&read(&arguments.store)?.stats(), arguments.store.json),
    }
}

fn open(arguments: &StoreArgs, layers: &LayersArgs) -> Result<Store, Failure> {
    // The last sync covers all puts of the command.
    let (compile, durability) = (arguments.dialect.options(), Durability::Never);
    let without_damaged_layers = layers.without_damaged_layers;
    let options = StoreOptions { compile, durability, without_damaged_layers, ..StoreOptions::default() };
    let store = Store::open(&arguments.directory, options).map_err(Failure::from_error)?;
    for LeftOut { name, error } in store.left_out() {
        remark(&format!("the layer {name} is left out, and kept as {name}.damaged: {error}"));
    }
    Ok(store)
}

/// Refuses a directory that is no store: none is created.
fn check(arguments: &StoreArgs) -> Result<(), Failure> {
    let is_store = Manifest::is_in(&arguments.directory);
    if is_store { Ok(()) } else { Err(Failure::of(&arguments.directory, "is no store")) }
}

/// Reads a store, which another process may be writing.
fn read(arguments: &StoreArgs) -> Result<Reader, Failure> {
    check(arguments)?;
    let options = ReaderOptions { compile: arguments.dialect.options(), ..ReaderOptions::default() };
    Reader::open(&arguments.directory, options).map_err(Failure::from_error)
}

/// The result of `put`; the fields are the keys of its JSON.
#[derive(Default, Serialize)]
struct Summary {
    taken: usize,
    older: usize,
    invalid: usize,
}

fn run_put(arguments: &Put) -> Result<ExitCode, Failure> {
    let path = arguments.file.as_deref().unwrap_or(Path::new("-"));
    let unread = |error: io::Error| Failure::Said(format!("cannot read {}: {error}", path.display()));
    let mut input: Box<dyn BufRead> = match path.to_str() {
        Some("-") => Box::new(io::stdin().lock()),
        _ => Box::new(BufReader::new(File::open(path).map_err(unread)?)),
    };
    let store = open(&arguments.store, &arguments.layers)?;
    let mut summary = Summary::default();
    let mut line = Vec::new();
    for number in 1.. {
        let is_whole = next_line(&mut input, LONGEST_LINE, &mut line).map_err(unread)?;
        if line.is_empty() {
            break;
        }
        if !is_whole {
            invalid(&mut summary, number, &format_args!("is longer than {LONGEST_LINE} bytes"));
            continue;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        match Capture::from_json(&line, now()) {
            Ok(capture) => match store.put(&capture) {
                Ok(true) => summary.taken += 1,
                Ok(false) => summary.older += 1,
                Err(error) if error.is_of_capture() => invalid(&mut summary, number, &error),
                Err(error) => return Err(Failure::from_error(error)),
            },
            Err(error) => invalid(&mut summary, number, &error),
        }
    }
    store.sync().map_err(Failure::from_error)?;
    let mut out = Out::new();
    if arguments.store.json {
        out.json(&summary)?;
    } else {
        let Summary { taken, older, invalid } = summary;
        writeln!(out, "{} put, {older} not newer, {invalid} invalid", count(taken, "capture"))?;
    }
    out.finish()?;
    Ok(exit_code(summary.invalid))
}

/// Reads a line. False if it is longer than `most` bytes: it is passed over then, so that its rest
/// is not taken for a line.
fn next_line(input: &mut impl BufRead, most: u64, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let read = input.by_ref().take(most).read_until(b'\n', line)?;
    let is_whole = (read as u64) < most || line.ends_with(b"\n");
    Ok(is_whole || input.skip_until(b'\n')? == 0)
}

fn invalid(summary: &mut Summary, number: usize, error: &dyn std::fmt::Display) {
    summary.invalid += 1;
    remark(&format!("line {number}: {error}"));
}

fn exit_code(invalid: usize) -> ExitCode {
    if invalid == 0 { ExitCode::SUCCESS } else { ExitCode::from(2) }
}

fn run_state(arguments: &State) -> Result<ExitCode, Failure> {
    let reader = read(&arguments.store)?;
    let at = arguments.now.map_or_else(now, |time| time.seconds);
    let query = match &arguments.agent {
        Some(agent) => {
            let names = names(agent);
            let profile = arguments.store.dialect.options().profile;
            names
                .iter()
                .try_for_each(|name| crawler_names(name, profile).map(drop))
                .map_err(Failure::from_error)?;
            Some(reader.query(names, "crawl"))
        }
        None => None,
    };
    let (mut out, mut invalid) = (Out::new(), 0);
    for url in &arguments.urls {
        match reader.snapshot().state(url, at) {
            Ok(state) if arguments.store.json => {
                let state = SiteStateJson::of_reader(url, &state);
                out.json(&match &query {
                    Some(query) => state.with_manners(reader.snapshot().manners(query, url)),
                    None => state,
                })?;
            }
            Ok(state) => writeln!(out, "{}\t{url}", state.knowledge.name())?,
            Err(error) => {
                invalid += 1;
                remark(&error.to_string());
            }
        }
    }
    out.finish()?;
    Ok(exit_code(invalid))
}

fn run_due(arguments: &Due) -> Result<ExitCode, Failure> {
    let reader = read(&arguments.store)?;
    let at = arguments.now.map_or_else(now, |time| time.seconds);
    let mut out = Out::new();
    for due in reader.snapshot().due(at, arguments.count) {
        if arguments.store.json {
            out.json(&SiteStateJson::of_reader(&due.url, &due.state))?;
        } else {
            writeln!(out, "{}", due.url)?;
        }
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

fn stats(stats: &Stats, is_json: bool) -> Result<ExitCode, Failure> {
    let mut out = Out::new();
    let Stats { layers, layer_bytes, layer_sites, memory_sites, memory_bytes, log_bytes } = *stats;
    if is_json {
        out.json(&json!({
            "layers": layers, "layer_bytes": layer_bytes, "layer_sites": layer_sites,
            "memory_sites": memory_sites, "memory_bytes": memory_bytes, "log_bytes": log_bytes,
        }))?;
    } else {
        let (sites, bytes) = (count(layer_sites, "site"), count(layer_bytes, "byte"));
        writeln!(out, "{}: {sites}, {bytes}", count(layers, "layer"))?;
        let bytes = count(usize::try_from(log_bytes).unwrap_or(usize::MAX), "byte");
        writeln!(out, "in no layer yet: {}, a log of {bytes}", count(memory_sites, "site"))?;
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_of_a_long_line_is_no_line() {
        let mut input = &b"1234567\n12345678 {}\n\n123\n12345678"[..];
        let mut line = Vec::new();
        let mut lines = Vec::new();
        loop {
            let is_whole = next_line(&mut input, 8, &mut line).expect("bytes");
            if line.is_empty() {
                break;
            }
            lines.push((is_whole, String::from_utf8_lossy(&line).into_owned()));
        }
        let wanted =
            [(true, "1234567\n"), (false, "12345678"), (true, "\n"), (true, "123\n"), (true, "12345678")];
        assert_eq!(lines, wanted.map(|(is_whole, line)| (is_whole, line.to_owned())));
    }
}
