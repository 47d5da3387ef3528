//! `robomaton store`: a directory of captures that grows while a crawl runs.
//!
//! `robomaton-store` does the work; this file prints states, and `put` passes it captures. `put`,
//! `seed` and `compact` open the store for writing, and are refused while another process has it
//! open. The other actions read its files, beside a writer too.

mod put;

use super::visit::{Time, time};
use crate::failure::Failure;
use crate::input::{open_image, remark_left_out};
use crate::options::{Dialect, LayersArgs, LongUnreachableArgs};
use crate::output::{Out, remark};
use clap::{Args, Subcommand};
use robomaton_explain::time::now;
use robomaton_explain::{count, crawler_names, names};
use robomaton_runtime::{LeftOut, Manifest, Terms};
use robomaton_store::{
    Durability, Reader, ReaderOptions, SiteStateJson, Stats, Store, StoreOptions, check_options,
};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Put captures into a store, which is created if there is none
    Put(put::Put),
    /// Make compiled images the base of a new store
    Seed(Seed),
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
#[command(mut_arg("without_damaged_layers", |option| option.help(WITHOUT_DAMAGED)))]
struct StoreArgs {
    /// Directory of the store
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    #[command(flatten)]
    dialect: Dialect,
    #[command(flatten)]
    layers: LayersArgs,
    /// Print JSON objects, one per line
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct Seed {
    #[command(flatten)]
    store: StoreArgs,
    /// Images, directories of shards or stacks. Several are merged; a single one is copied
    #[arg(value_name = "IMAGE", required = true)]
    images: Vec<PathBuf>,
}

#[derive(Args)]
struct State {
    #[command(flatten)]
    store: StoreArgs,
    /// Time of the question, in RFC 3339 or in seconds since 1970 [default: now]
    #[arg(long, value_name = "TIME", value_parser = time)]
    now: Option<Time>,
    /// With --json, print how the sites want to be visited by this crawler, too; several names are
    /// separated by commas, best first
    #[arg(long, value_name = "NAME", requires = "json")]
    agent: Option<String>,
    #[command(flatten)]
    long_unreachable: LongUnreachableArgs,
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
    /// Remove the captures that were fetched before this time, and write all others as one layer
    #[arg(long, value_name = "TIME", value_parser = time)]
    evict_before: Option<Time>,
}

#[derive(Args)]
struct StatsArguments {
    #[command(flatten)]
    store: StoreArgs,
}

const WITHOUT_DAMAGED: &str = "Leave out the layers that are missing or damaged, and print which. Their sites get the \
answers of older layers; of a damaged log, the whole captures count. `put`, `seed` and `compact` take them out of the \
store for good, and keep their files as N.rimg.damaged";

const EXAMPLES: &str = "\
A store is a directory: layers, and a log of the newest captures. One process at a time writes it, with `put`, \
`seed`, `compact` or `serve --store`; `state`, `due` and `stats` read it meanwhile, and see all that was put when they began. \
`robomaton merge DIR -o IMAGE` makes an image of its layers; `compact` first, since captures of the log are in no layer yet.

`put` reads one JSON object per line: url, status (200; 0 if there was no answer; 304 renews the text that is held), \
fetched_at (now), redirects (0), headers (an object, or a list of pairs), body, and truncated (true if the body is cut: \
its whole lines count). Or it reads a WARC file, plain or compressed, of at most 1 GiB when decompressed: the answers to \
fetches of a robots.txt, with redirects to answers of the same file. A capture counts if it is newer than the one that is held. The text options must be the same whenever the \
store is opened.

`seed` makes compiled images the base of a store that holds nothing yet. An image has no validators, so the first \
fetch of each site is unconditional. A site whose time of fetch the image does not have is stale and due at once. \
A host without a scheme answers for both; its state is unknown, and it is due as https.

`state` prints STATE<TAB>URL for each URL. STATE is fresh, stale (the answers count, fetch again), unreachable (all is \
disallowed, and 30 days after the first failure as --on-long-unreachable says) or unknown (fetch first). In JSON: url, \
state, fetched_at, fetch_at, in_flight (null: only the writer knows), not_before (Retry-After), since, etag, \
last_modified, verdict (of an unreachable site); with --agent also crawl_delay, request_rates, visit_times and clean_params.

Exit codes: 0 done, 2 error, or a line or URL is invalid; the other ones are done.

Examples:
  robomaton store put crawl.store fetched.jsonl
  robomaton store put crawl.store fetched.warc.gz
  robomaton store seed crawl.store crawl.rimg
  robomaton store state crawl.store https://example.com/
  robomaton store due crawl.store --count 1000
  robomaton store compact crawl.store --evict-before 2026-01-01T00:00:00Z
  robomaton store stats crawl.store --json";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    match &arguments.action {
        Action::Put(put) => put::run(put),
        Action::Seed(seed) => {
            // First, so that images that are no base leave no store behind.
            seed.images.iter().try_for_each(|image| check_base(image, &seed.store))?;
            let store = open(&seed.store)?;
            store.seed(&seed.images).map_err(Failure::from_error)?;
            stats(&store.stats(), seed.store.json)
        }
        Action::State(state) => run_state(state),
        Action::Due(due) => run_due(due),
        Action::Compact(compact) => {
            check(&compact.store)?;
            let store = open(&compact.store)?;
            // Before the eviction, which may concern them. A damaged file stays where it is, and
            // the store is compacted all the same.
            let taken = store.take_handed();
            match compact.evict_before {
                Some(time) => store.evict(time.seconds),
                None => store.flush().and_then(|()| store.compact()),
            }
            .and(taken)
            .map_err(Failure::from_error)?;
            stats(&store.stats(), compact.store.json)
        }
        Action::Stats(arguments) => {
            stats(&read(&arguments.store, Terms::default())?.stats(), arguments.store.json)
        }
    }
}

fn open(arguments: &StoreArgs) -> Result<Store, Failure> {
    // The last sync covers all puts of the command.
    let (compile, durability) = (arguments.dialect.options(), Durability::Never);
    let without_damaged_layers = arguments.layers.without_damaged_layers;
    let options = StoreOptions { compile, durability, without_damaged_layers, ..StoreOptions::default() };
    let store = Store::open(&arguments.directory, options).map_err(Failure::from_error)?;
    for LeftOut { name, error } in store.left_out() {
        let what = if name.ends_with(".log") { "log" } else { "layer" };
        remark(&format!(
            "the {what} {name} is left out: {error}; its file, if there is one, is kept as {name}.damaged"
        ));
    }
    Ok(store)
}

/// Refuses an image that cannot be the base of a store with these options.
fn check_base(path: &Path, arguments: &StoreArgs) -> Result<(), Failure> {
    let image = open_image(path)?;
    image.verify().map_err(|error| Failure::of(path, error))?;
    check_options(path, &image, &arguments.dialect.options()).map_err(Failure::from_error)
}

/// Refuses a directory that is no store: none is created.
fn check(arguments: &StoreArgs) -> Result<(), Failure> {
    let is_store = Manifest::is_in(&arguments.directory);
    if is_store { Ok(()) } else { Err(Failure::of(&arguments.directory, "is no store")) }
}

/// Reads a store, which another process may be writing.
fn read(arguments: &StoreArgs, terms: Terms) -> Result<Reader, Failure> {
    check(arguments)?;
    let compile = arguments.dialect.options();
    let without_damaged_layers = arguments.layers.without_damaged_layers;
    let options = ReaderOptions { compile, terms, without_damaged_layers };
    let reader = Reader::open(&arguments.directory, options).map_err(Failure::from_error)?;
    remark_left_out(&reader.left_out());
    Ok(reader)
}

fn exit_code(invalid: usize) -> ExitCode {
    if invalid == 0 { ExitCode::SUCCESS } else { ExitCode::from(2) }
}

fn run_state(arguments: &State) -> Result<ExitCode, Failure> {
    let on_long_unreachable = arguments.long_unreachable.decision();
    let reader = read(&arguments.store, Terms { on_long_unreachable, ..Terms::default() })?;
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
            Ok(state) => {
                write!(out, "{}\t", state.knowledge.name())?;
                out.url(url.as_bytes());
                out.write_all(b"\n")?;
            }
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
    let reader = read(&arguments.store, Terms::default())?;
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
