//! The store: puts by durability, questions to layers, opening, compaction and what it writes.
//!
//! Captures are those of a generated corpus (`generate`). Each measurement has a directory of its
//! own below `--folder`, since the file system decides about the syncs. Times are of the wall
//! clock, so a loaded machine shows. With `--soak`, nothing is measured but answers are checked for
//! a time ([`soak`]).

mod soak;

use robomaton_benches::clock::{Contestant, race, time};
use robomaton_benches::generate::Generator;
use robomaton_benches::results::{Results, Table};
use robomaton_runtime::{Image, Manifest, Usage};
use robomaton_store::{Capture, Durability, Store, StoreError, StoreOptions};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const USAGE: &str = "usage: store [--sites N | --soak SECONDS] [--folder DIR] [--json FILE]";
/// Layers above the base that a question meets, and sites of each.
const ABOVE: u64 = 4;
const ABOVE_SITES: u64 = 1_000;
/// Layers of the store that is opened.
const OPENED: usize = 20;

type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("store: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), Failure> {
    let (mut sites, mut seconds, mut folder, mut json) = (100_000, None, std::env::temp_dir(), None);
    let args: Vec<String> = std::env::args().skip(1).collect();
    for pair in args.chunks(2) {
        match pair {
            [name, value] if name == "--sites" => sites = value.parse().map_err(|_| USAGE)?,
            [name, value] if name == "--soak" => seconds = Some(value.parse().map_err(|_| USAGE)?),
            [name, value] if name == "--folder" => folder = PathBuf::from(value),
            [name, value] if name == "--json" => json = Some(PathBuf::from(value)),
            _ => return Err(USAGE.into()),
        }
    }
    let place = tempfile::tempdir_in(&folder)?;
    let mut results = Results::default();
    if let Some(seconds) = seconds {
        results.tables.push(soak::soak(place.path(), seconds)?);
        return Ok(results.deliver(json.as_deref())?);
    }
    let generator = Generator::shipped(1)?;
    results.tables.push(puts(&generator, sites, place.path())?);
    let base = place.path().join("base");
    results.tables.push(compaction(&generator, sites, &base)?);
    results.tables.push(questions(&generator, sites, &base)?);
    Ok(results.deliver(json.as_deref())?)
}

/// The capture of a site of the generated corpus.
fn capture(generator: &Generator, number: u64, fetched_at: u64) -> Capture {
    let site = generator.site(number);
    Capture {
        url: format!("https://{}/robots.txt", site.host),
        fetched_at,
        status: 200,
        body: generator.text(site.text),
        ..Capture::default()
    }
}

fn options(durability: Durability) -> StoreOptions {
    StoreOptions { durability, ..StoreOptions::default() }
}

/// Puts in some threads, while another compacts.
fn puts(generator: &Generator, sites: u64, place: &Path) -> Result<Table, Failure> {
    let columns =
        ["durable:", "threads", "puts", "puts per second", "median µs", "p99 µs", "p99.9 µs", "longest ms"];
    let mut table = Table::new("store-puts", &columns);
    for (number, (name, durability, threads, share)) in [
        ("each", Durability::Each, 1, 20),
        ("each", Durability::Each, 16, 5),
        ("every 100 ms", Durability::Every(Duration::from_millis(100)), 1, 1),
        ("never", Durability::Never, 1, 1),
    ]
    .into_iter()
    .enumerate()
    {
        let captures: Vec<Capture> = (0..sites / share).map(|number| capture(generator, number, 1)).collect();
        let store = Store::open(place.join(number.to_string()), options(durability))?;
        let (total, mut times) = put_all(&store, &captures, threads)?;
        times.sort_unstable();
        let at = |share: f64| times[(times.len() as f64 * share) as usize].as_micros().to_string();
        let longest = times.last().copied().unwrap_or_default();
        table.row(vec![
            name.to_owned(),
            threads.to_string(),
            captures.len().to_string(),
            format!("{:.0}", captures.len() as f64 / total.as_secs_f64()),
            at(0.5),
            at(0.99),
            at(0.999),
            format!("{:.1}", longest.as_secs_f64() * 1e3),
        ]);
    }
    Ok(table)
}

/// The time of all puts, and of each.
fn put_all(
    store: &Store,
    captures: &[Capture],
    threads: usize,
) -> Result<(Duration, Vec<Duration>), Failure> {
    let is_done = AtomicBool::new(false);
    let put = |captures: &[Capture]| -> Result<Vec<Duration>, StoreError> {
        let put = |capture| {
            let start = Instant::now();
            store.put(capture).map(|_| start.elapsed())
        };
        captures.iter().map(put).collect()
    };
    thread::scope(|scope| {
        let compact = scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                store.compact()?;
                thread::sleep(Duration::from_millis(5));
            }
            store.compact()
        });
        let start = Instant::now();
        let parts = captures.chunks(captures.len().div_ceil(threads));
        let workers: Vec<_> = parts.map(|part| scope.spawn(|| put(part))).collect();
        let mut times = Vec::with_capacity(captures.len());
        for worker in workers {
            times.extend(worker.join().map_err(|_| "a panic")??);
        }
        let total = start.elapsed();
        is_done.store(true, Ordering::Relaxed);
        compact.join().map_err(|_| "a panic")??;
        Ok((total, times))
    })
}

/// Bytes that this process passed to the system to be written.
fn written() -> Result<u64, Failure> {
    let text = fs::read_to_string("/proc/self/io")?;
    let line = text.lines().find_map(|line| line.strip_prefix("wchar: "));
    Ok(line.ok_or("no wchar in /proc/self/io")?.parse()?)
}

/// Fills a store, compacting now and then, and merges its layers into one in the end.
fn compaction(generator: &Generator, sites: u64, base: &Path) -> Result<Table, Failure> {
    let columns = ["what:", "value"];
    let mut table = Table::new("store-compaction", &columns);
    let store = Store::open(base, options(Durability::Never))?;
    let (before, mut bodies, mut merging, mut merged) = (written()?, 0, Duration::ZERO, 0);
    for number in 0..sites {
        let capture = capture(generator, number, 1);
        bodies += capture.body.len() + capture.url.len();
        store.put(&capture)?;
        if number % 1_000 == 999 {
            let (start, bytes) = (Instant::now(), written()?);
            store.compact()?;
            let bytes = written()? - bytes;
            if bytes > 0 {
                merging += start.elapsed();
                merged += bytes;
            }
        }
    }
    store.flush()?;
    store.compact()?;
    let total = written()? - before;
    let stats = store.stats();
    let mib = |bytes: f64| format!("{:.1} MiB", bytes / f64::from(1 << 20));
    let mut row = |what: &str, value: String| table.row(vec![what.to_owned(), value]);
    row("captures", sites.to_string());
    row("their URLs and bodies", mib(bodies as f64));
    row("layers in the end", stats.layers.to_string());
    row("bytes of the layers", mib(stats.layer_bytes as f64));
    row("written, logs included", mib(total as f64));
    row("written for each byte of a capture", format!("{:.2}", total as f64 / bodies as f64));
    row("compacted per second, in bytes written", mib(merged as f64 / merging.as_secs_f64()));
    Ok(table)
}

/// Asks a base alone, and with layers above it; opens many layers.
fn questions(generator: &Generator, sites: u64, base: &Path) -> Result<Table, Failure> {
    let columns = ["what:", "value"];
    let mut table = Table::new("store-questions", &columns);
    let mut row = |what: &str, value: String| table.row(vec![what.to_owned(), value]);
    // Two stores of one layer; the second gets more.
    let (whole, layered) = (base.with_extension("whole"), base.with_extension("layered"));
    for place in [&whole, &layered] {
        fs::create_dir(place)?;
        let destination = robomaton_build::Destination::open(&place.join("1.rimg"), None)?;
        robomaton_build::merge(&[base.to_owned()], destination)?;
        let manifest = Manifest { generation: 1, layers: vec!["1.rimg".to_owned()] };
        fs::write(Manifest::path(place), manifest.to_string())?;
    }
    let image = Image::read(whole.join("1.rimg"))?;
    let [alone, store] = [&whole, &layered].map(|place| Store::open(place, options(Durability::Never)));
    let (alone, store) = (alone?, store?);
    for layer in 1..=ABOVE {
        for number in (layer - 1) * ABOVE_SITES..layer * ABOVE_SITES {
            let number = number * (sites / (ABOVE * ABOVE_SITES)).max(1);
            store.put(&capture(generator, number, 1 + layer))?;
        }
        store.flush()?;
    }
    let urls: Vec<String> = (0..20_000_u64)
        .map(|number| {
            let host = generator.site(number.wrapping_mul(2_654_435_761) % sites).host;
            format!("https://{host}/a/page{number}.html?q=1")
        })
        .collect();
    let crawler = image.crawler(["Googlebot"]);
    let ask = |store: &Store| {
        let query = store.query(["Googlebot"], "crawl");
        urls.iter().filter(|url| store.decide(&query, url).is_allowed()).count()
    };
    let of_image = || {
        let allowed = |url: &&String| image.decide(&crawler, Usage::CRAWL, url).decision().is_allowed();
        urls.iter().filter(allowed).count()
    };
    let mut contestants = [
        Contestant::new("to the image of the base", urls.len(), of_image),
        Contestant::new("to a store of the base alone", urls.len(), || ask(&alone)),
        Contestant::new("to a store of the base and 4 layers", urls.len(), || ask(&store)),
    ];
    let mut times = race(&mut contestants, 15);
    for number in 0..ABOVE_SITES {
        store.put(&capture(generator, sites + number, 1))?;
    }
    let in_memory = ("to the same, with 1,000 captures in memory", time(15, || ask(&store)));
    times.push(in_memory.1.as_secs_f64() * 1e9 / urls.len() as f64);
    let names = contestants.iter().map(|contestant| contestant.name).chain([in_memory.0]);
    for (name, nanoseconds) in names.zip(&times) {
        row(&format!("question {name}"), format!("{nanoseconds:.0} ns, {:.2} x", nanoseconds / times[0]));
    }
    drop(contestants);

    while store.stats().layers < OPENED {
        let number = sites + 2_000 + store.stats().layers as u64;
        store.put(&capture(generator, number, 1))?;
        store.flush()?;
    }
    for number in 0..1_000 {
        store.put(&capture(generator, sites + 10_000 + number, 1))?;
    }
    drop(store);
    let opened = time(9, || Store::open(&layered, options(Durability::Never)).is_ok());
    let what = format!("opening {OPENED} layers and a log of 1,000 captures");
    row(&what, format!("{:.1} ms", opened.as_secs_f64() * 1e3));
    Store::open(&layered, options(Durability::Never))?.flush()?;
    let opened = time(9, || Store::open(&layered, options(Durability::Never)).is_ok());
    row(&format!("opening {} layers", OPENED + 1), format!("{:.1} ms", opened.as_secs_f64() * 1e3));
    Ok(table)
}
