//! Puts by durability and threads, to a store of the base, and the time until others see them.
//!
//! Half of the captures are of sites that the base holds, and newer. They are generated in blocks,
//! outside the measured time, which is that of the wall clock while a block is put; a thread
//! compacts all the time.

use super::base::Base;
use super::latency::Latencies;
use super::{Failure, capture, options};
use robomaton_benches::generate::Generator;
use robomaton_benches::results::Table;
use robomaton_store::{Capture, Durability, Reader, ReaderOptions, Store, StoreError};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Captures that are in memory at a time.
const BLOCK: u64 = 8_192;
/// Puts that another thread, or a reader, waits for.
const SEEN: u64 = 2_000;

/// The capture with a number, of a site in or behind the base.
pub(crate) fn any_capture(generator: &Generator, base: &Base, number: u64) -> Capture {
    let site = number.wrapping_mul(2_654_435_761) % (2 * base.sites);
    capture(generator, site, 1_800_000_000 + number)
}

/// Puts in some threads, while another compacts.
pub(crate) fn puts(generator: &Generator, base: &Base, most: u64, place: &Path) -> Result<Table, Failure> {
    let mut table = Table::new("store-puts", &["durable:", "threads", "puts per second"]);
    table.columns.extend(Latencies::COLUMNS.map(str::to_owned));
    let interval = Durability::Every(Duration::from_millis(100));
    let rows = [
        ("each", Durability::Each, 1, most / 20),
        ("each", Durability::Each, 16, most / 5),
        ("every 100 ms", interval, 1, most),
        ("every 100 ms", interval, 2, most),
        ("never", Durability::Never, 1, most),
    ];
    for (number, (name, durability, threads, count)) in rows.into_iter().enumerate() {
        eprintln!("{count} puts, durable {name}, {threads} threads");
        let directory = base.store(place.join(number.to_string()))?;
        let store = Store::open(&directory, options(durability))?;
        let (total, times) = put_all(&store, threads, count, |number| any_capture(generator, base, number))?;
        let rate = format!("{:.0}", count as f64 / total.as_secs_f64());
        table.row([vec![name.to_owned(), threads.to_string(), rate], times.cells()].concat());
        drop(store);
        std::fs::remove_dir_all(directory)?;
    }
    Ok(table)
}

/// The time of all puts, and of each.
fn put_all(
    store: &Store,
    threads: usize,
    count: u64,
    capture: impl Fn(u64) -> Capture,
) -> Result<(Duration, Latencies), Failure> {
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        let compact = scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                store.compact()?;
                thread::sleep(Duration::from_millis(5));
            }
            store.compact()
        });
        let (mut total, mut times) = (Duration::ZERO, Latencies::new());
        for first in (0..count).step_by(BLOCK as usize) {
            let block: Vec<Capture> = (first..count.min(first + BLOCK)).map(&capture).collect();
            let start = Instant::now();
            let parts = block.chunks(block.len().div_ceil(threads));
            let done: Vec<_> = thread::scope(|scope| {
                let workers: Vec<_> = parts.map(|part| scope.spawn(|| put(store, part))).collect();
                workers.into_iter().map(|worker| worker.join()).collect()
            });
            total += start.elapsed();
            for part in done {
                times.join(&part.map_err(|_| "a panic")??);
            }
        }
        is_done.store(true, Ordering::Relaxed);
        compact.join().map_err(|_| "a panic")??;
        Ok((total, times))
    })
}

fn put(store: &Store, captures: &[Capture]) -> Result<Latencies, StoreError> {
    let mut times = Latencies::new();
    for capture in captures {
        let start = Instant::now();
        store.put(capture)?;
        times.add(start.elapsed());
    }
    Ok(times)
}

/// The time from the return of a put to an answer by its capture: from another thread of the
/// process, and from a reader of the files. Fails if an answer is by another one.
pub(crate) fn visible(generator: &Generator, base: &Base, place: &Path) -> Result<Table, Failure> {
    let mut table = Table::new("store-visible", &["asked by:"]);
    table.columns.extend(Latencies::COLUMNS.map(str::to_owned));
    let directory = base.store(place.join("visible"))?;
    let store = Store::open(&directory, options(Durability::Every(Duration::from_millis(100))))?;
    let reader = Reader::open(&directory, ReaderOptions::default())?;
    let [of_thread, of_reader] = [0, SEEN].map(|first| {
        let ask: &(dyn Fn(&Capture) -> Result<bool, StoreError> + Sync) = if first == 0 {
            &|capture| Ok(store.state(&capture.url, 0)?.fetched_at == Some(capture.fetched_at))
        } else {
            &|capture| {
                reader.refresh()?;
                Ok(reader.state(&capture.url, 0)?.fetched_at == Some(capture.fetched_at))
            }
        };
        let captures = (first..first + SEEN).map(|number| any_capture(generator, base, number));
        seen(&store, captures, ask)
    });
    for (name, times) in [("another thread", of_thread?), ("a reader, refreshed at once", of_reader?)] {
        table.row([vec![name.to_owned()], times.cells()].concat());
    }
    drop((store, reader));
    std::fs::remove_dir_all(directory)?;
    Ok(table)
}

/// Puts captures; another thread learns of each when its put has returned, and asks.
fn seen(
    store: &Store,
    captures: impl Iterator<Item = Capture>,
    ask: &(dyn Fn(&Capture) -> Result<bool, StoreError> + Sync),
) -> Result<Latencies, Failure> {
    thread::scope(|scope| {
        let (returned, returns): (Sender<(Instant, Capture)>, Receiver<_>) = channel();
        let asker = scope.spawn(move || -> Result<Latencies, String> {
            let mut times = Latencies::new();
            for (start, capture) in returns {
                let is_seen = ask(&capture).map_err(|error| error.to_string())?;
                times.add(start.elapsed());
                if !is_seen {
                    return Err(format!("{} was put and not seen", capture.url));
                }
            }
            Ok(times)
        });
        for capture in captures {
            store.put(&capture)?;
            returned.send((Instant::now(), capture)).map_err(|_| "nobody asks")?;
            // One at a time, so that no time is of waiting in the channel.
            thread::sleep(Duration::from_millis(2));
        }
        drop(returned);
        Ok(asker.join().map_err(|_| "a panic")??)
    })
}
