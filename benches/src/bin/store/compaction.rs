//! Compaction: what it writes and how fast, its memory, and how long puts and questions take
//! meanwhile.

use super::base::{Base, OLDEST};
use super::latency::Latencies;
use super::puts::any_capture;
use super::{Failure, capture, options};
use robomaton_benches::generate::Generator;
use robomaton_benches::memory::status;
use robomaton_benches::results::Table;
use robomaton_store::{Durability, Store, StoreError};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Questions that are asked in turn, each of them timed.
const QUESTIONS: u64 = 20_000;

fn mib(bytes: f64) -> String {
    format!("{:.1} MiB", bytes / f64::from(1 << 20))
}

/// Bytes that this process passed to the system to be written.
fn written() -> Result<u64, Failure> {
    let text = fs::read_to_string("/proc/self/io")?;
    let line = text.lines().find_map(|line| line.strip_prefix("wchar: "));
    Ok(line.ok_or("no wchar in /proc/self/io")?.parse()?)
}

/// Puts captures to a new store, compacting now and then.
pub(crate) fn filling(generator: &Generator, puts: u64, place: &Path) -> Result<Table, Failure> {
    let mut table = Table::new("store-compaction", &["what:", "value"]);
    let directory = place.join("filled");
    let store = Store::open(&directory, options(Durability::Never))?;
    let (before, mut bodies, mut merging, mut merged) = (written()?, 0, Duration::ZERO, 0);
    for number in 0..puts {
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
    let mut row = |what: &str, value: String| table.row(vec![what.to_owned(), value]);
    row("captures", puts.to_string());
    row("their URLs and bodies", mib(bodies as f64));
    row("layers in the end", stats.layers.to_string());
    row("bytes of the layers", mib(stats.layer_bytes as f64));
    row("written, logs included", mib(total as f64));
    row("written for each byte of a capture", format!("{:.2}", total as f64 / bodies as f64));
    row("compacted per second, in bytes written", mib(merged as f64 / merging.as_secs_f64()));
    drop(store);
    fs::remove_dir_all(directory)?;
    Ok(table)
}

/// The eviction of half of the base, in a process of its own.
pub(crate) fn eviction(base: &Base, place: &Path) -> Result<Table, Failure> {
    eprintln!("eviction");
    let directory = base.store(place.join("evicted"))?;
    let output = Command::new(std::env::current_exe()?).arg("stage-evict").arg(&directory).output()?;
    let text = String::from_utf8(output.stdout)?;
    let numbers: Vec<f64> = text.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
    let [seconds, own, peak, bytes] = numbers[..] else { return Err("the eviction failed".into()) };
    let mut table = Table::new("store-eviction", &["what:", "value"]);
    let mut row = |what: &str, value: String| table.row(vec![what.to_owned(), value]);
    row("sites of the base", base.sites.to_string());
    row("bytes of its image", mib(base.bytes as f64));
    row("seeding a store with it", format!("{:.1} s", base.seeding.as_secs_f64()));
    row("evicting a half", format!("{seconds:.1} s"));
    row("image written per second", mib(bytes / seconds));
    row("image read per second", mib(base.bytes as f64 / seconds));
    row("memory that belongs to no file, at most", mib(own));
    row("the same for each site of the base", format!("{:.0} bytes", own / base.sites as f64));
    row("resident memory with mapped files, at most", mib(peak));
    fs::remove_dir_all(directory)?;
    Ok(table)
}

/// Evicts, and prints seconds, peaks of memory, and the bytes of the result.
pub(crate) fn stage(directory: &Path) -> Result<(), Failure> {
    let store = Store::open(directory, options(Durability::Never))?;
    let (is_done, own) = (AtomicBool::new(false), AtomicU64::new(0));
    let seconds = thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                own.fetch_max(status("self", "RssAnon").unwrap_or(0), Ordering::Relaxed);
                thread::sleep(Duration::from_millis(10));
            }
        });
        let start = Instant::now();
        let evicted = store.evict(OLDEST);
        is_done.store(true, Ordering::Relaxed);
        evicted.map(|()| start.elapsed().as_secs_f64())
    })?;
    let (own, peak) = (own.into_inner(), status("self", "VmHWM").unwrap_or(0));
    println!("{seconds} {own} {peak} {}", store.stats().layer_bytes);
    Ok(())
}

/// Puts and questions, first alone for as long as a thread sleeps, then while a half of the base is
/// evicted, and while small layers are merged.
pub(crate) fn meanwhile(generator: &Generator, base: &Base, place: &Path) -> Result<Table, Failure> {
    let mut table = Table::new("store-meanwhile", &["meanwhile:", "call:"]);
    table.columns.extend(Latencies::COLUMNS.map(str::to_owned));
    let directory = base.store(place.join("meanwhile"))?;
    let store = Store::open(&directory, options(Durability::Every(Duration::from_millis(100))))?;
    let pause = Duration::from_secs(20);
    let next = AtomicU64::new(0);
    type Work<'a> = &'a (dyn Fn() -> Result<(), StoreError> + Sync);
    let works: [(&str, Work<'_>); 3] = [
        ("nothing is compacted", &|| {
            thread::sleep(pause);
            Ok(())
        }),
        ("layers of puts are merged", &|| {
            let start = Instant::now();
            while start.elapsed() < pause {
                store.compact()?;
                thread::sleep(Duration::from_millis(5));
            }
            Ok(())
        }),
        ("a half of the base is evicted", &|| store.evict(OLDEST)),
    ];
    for (name, work) in works {
        eprintln!("puts and questions while {name}");
        let is_done = AtomicBool::new(false);
        let (puts, questions) = thread::scope(|scope| {
            let put = scope.spawn(|| {
                let mut times = Latencies::new();
                while !is_done.load(Ordering::Relaxed) {
                    let capture = any_capture(generator, base, next.fetch_add(1, Ordering::Relaxed));
                    let start = Instant::now();
                    store.put(&capture)?;
                    times.add(start.elapsed());
                }
                Ok::<_, StoreError>(times)
            });
            let ask = scope.spawn(|| {
                let urls: Vec<String> = (0..QUESTIONS).map(|number| url(generator, base, number)).collect();
                let (mut times, query) = (Latencies::new(), store.query(["Googlebot"], "crawl"));
                while !is_done.load(Ordering::Relaxed) {
                    for url in &urls {
                        let start = Instant::now();
                        std::hint::black_box(store.decide(&query, url));
                        times.add(start.elapsed());
                    }
                }
                times
            });
            let done = work();
            is_done.store(true, Ordering::Relaxed);
            done?;
            let puts = put.join().map_err(|_| "a panic")??;
            Ok::<_, Failure>((puts, ask.join().map_err(|_| "a panic")?))
        })?;
        for (call, times) in [("put", puts), ("question", questions)] {
            table.row([vec![name.to_owned(), call.to_owned()], times.cells()].concat());
        }
    }
    drop(store);
    fs::remove_dir_all(directory)?;
    Ok(table)
}

/// A page of a site of the base.
pub(crate) fn url(generator: &Generator, base: &Base, number: u64) -> String {
    let host = generator.site(number.wrapping_mul(2_654_435_761) % base.sites).host;
    format!("https://{host}/a/page{number}.html?q=1")
}
