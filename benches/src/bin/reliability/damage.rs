//! "Damage": every bit and every truncation of the conformance images.
//!
//! Each change is tried twice. With the checksums as they were, the image must not verify, and must
//! not open if the change is in the header or the table of sections. With checksums that hold, as
//! an adversary makes them, the image goes through every door of `robomaton_fuzz`. Nothing may
//! panic or take longer than [`LONGEST`], and what verifies answers without damage. The short form
//! takes changes at even distances. This file does not know which check finds which change.

mod specimen;

use crate::Form;
use robomaton_benches::results::{Results, Table};
use robomaton_formats::read::Layout;
use robomaton_formats::verify;
use robomaton_fuzz::ImageState;
use specimen::{Change, Home, Specimen};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The time for all doors of one image.
const LONGEST: Duration = Duration::from_secs(2);
/// After this time, what runs will not end by itself.
const STUCK: Duration = Duration::from_secs(30);
/// The short form takes one change of so many, a prime number.
const STEP: usize = 151;

pub(crate) fn measure(form: Form, results: &mut Results) -> Result<(), String> {
    let columns = [
        "image:",
        "bytes",
        "share of changes:",
        "bits",
        "truncations",
        "opened",
        "verified",
        "slowest, ms",
        "most memory, MiB",
    ];
    let mut table = Table::new("damage", &columns);
    let (step, share) = match form {
        Form::Short => (STEP, format!("1 of {STEP}")),
        Form::Long => (1, "all".to_owned()),
    };
    let (mut bytes, mut total) = (0, Tally::default());
    for specimen in Specimen::all() {
        let tally = try_changes(&specimen, step)?;
        bytes += specimen.bytes().len();
        total.add(&tally);
        let row = tally.row(&specimen.name, specimen.bytes().len(), &share);
        eprintln!("{}", row.join("  "));
        table.row(row);
    }
    table.row(total.row("all", bytes, &share));
    results.tables.push(table);
    Ok(())
}

/// The results of many changes.
#[derive(Clone, Debug, Default)]
struct Tally {
    bits: usize,
    cuts: usize,
    opened: usize,
    verified: usize,
    slowest: Duration,
    memory: u64,
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        self.bits += other.bits;
        self.cuts += other.cuts;
        self.opened += other.opened;
        self.verified += other.verified;
        self.slowest = self.slowest.max(other.slowest);
        self.memory = self.memory.max(other.memory);
    }

    fn row(&self, name: &str, bytes: usize, share: &str) -> Vec<String> {
        let numbers = [self.bits, self.cuts, self.opened, self.verified].map(|count| count.to_string());
        let slowest = format!("{:.1}", self.slowest.as_secs_f64() * 1e3);
        let memory = format!("{:.1}", self.memory as f64 / f64::from(1 << 20));
        let front = [name.to_owned(), bytes.to_string(), share.to_owned()];
        front.into_iter().chain(numbers).chain([slowest, memory]).collect()
    }
}

/// The change that a worker tries, and the time when it began.
type Now = Mutex<Option<(Change, Instant)>>;

/// Tries one change of `step` on all cores.
fn try_changes(specimen: &Specimen, step: usize) -> Result<Tally, String> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let changes = specimen.changes().div_ceil(step);
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let now: Vec<Now> = (0..workers).map(|_| Mutex::new(None)).collect();
    let work = |now: &Now| -> Result<Tally, String> {
        let (mut tally, home) = (Tally::default(), specimen.home()?);
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= changes {
                return Ok(tally);
            }
            let change = specimen.change(number * step);
            set(now, Some((change, Instant::now())));
            let tried = try_change(specimen, &home, change);
            set(now, None);
            tally.add(&tried.map_err(|what| {
                // The others need not go on.
                next.store(changes, Ordering::Relaxed);
                format!("{}, {change}: {what}", specimen.name)
            })?);
        }
    };
    let work = |now| {
        let result = work(now);
        done.fetch_add(1, Ordering::Relaxed);
        result
    };
    std::thread::scope(|scope| {
        let work = &work;
        let working: Vec<_> = now.iter().map(|now| scope.spawn(move || work(now))).collect();
        while done.load(Ordering::Relaxed) < workers {
            std::thread::sleep(Duration::from_millis(20));
            now.iter().for_each(|now| give_up_if_stuck(specimen, now));
        }
        let mut total = Tally::default();
        for worker in working {
            total.add(&worker.join().map_err(|_| "a worker panicked")??);
        }
        Ok(total)
    })
}

fn set(now: &Now, value: Option<(Change, Instant)>) {
    if let Ok(mut now) = now.lock() {
        *now = value;
    }
}

/// Ends the process if a change makes a door run on and on: a thread cannot be ended.
fn give_up_if_stuck(specimen: &Specimen, now: &Now) {
    let stuck = now.lock().ok().and_then(|now| *now).filter(|(_, start)| start.elapsed() > STUCK);
    if let Some((change, _)) = stuck {
        eprintln!("reliability: damage: {}, {change}: no end after {STUCK:?}", specimen.name);
        std::process::exit(1);
    }
}

/// Tries one change with the checksums as they were, and with checksums that hold.
fn try_change(specimen: &Specimen, home: &Home, change: Change) -> Result<Tally, String> {
    let bytes = specimen.bytes();
    let kept = change.of(bytes);
    if verify::verify(&kept).is_ok() {
        return Err("verifies with the checksums as they were".to_owned());
    }
    if change.is_in_head() && Layout::parse(&kept).is_ok() {
        return Err("opens with the checksums as they were".to_owned());
    }
    let mut tally = match change {
        Change::Bit { .. } => Tally { bits: 1, ..Tally::default() },
        Change::Cut { .. } => Tally { cuts: 1, ..Tally::default() },
    };
    let Some(repaired) = change.repaired(bytes) else { return Ok(tally) };
    let (mut state, start) = (Ok(ImageState::default()), Instant::now());
    let memory = allocation_counter::measure(|| {
        state = catch_unwind(AssertUnwindSafe(|| specimen.every_door(home, &repaired)));
    });
    tally.slowest = start.elapsed();
    tally.memory = memory.bytes_max;
    let state = state.map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        format!("panics: {}", text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("?"))
    })?;
    if tally.slowest > LONGEST {
        return Err(format!("takes {:?}", tally.slowest));
    }
    tally.opened = usize::from(state.opens);
    tally.verified = usize::from(state.verifies);
    Ok(tally)
}
