//! "Content": hostile texts in every language, hostile streams of captures and pages, and names
//! chosen against the hashes.
//!
//! Each builder of `robomaton_tests::hostile` makes its text in a quarter, half and all of its
//! usual size. The largest is compiled within [`TIME`] and [`MEMORY`], and its look-ups take
//! [`LOOK_UP`] at most, or what [`SLOWER`] grants; the time grows with an exponent of [`EXPONENT`]
//! at most. Times are those of the processor, for a build without debug assertions on a machine
//! that does nothing else; [`LEEWAY`] is for others. This file does not know what is hostile.

mod names;
mod subject;

use crate::Form;
use robomaton_benches::results::{Results, Table, exponent};
use std::fmt;
use std::time::Duration;
use subject::{Cost, Subject};

/// The time to compile a text, or to read a stream.
const TIME: Duration = Duration::from_secs(1);
/// The heap for the same, beside the text.
const MEMORY: u64 = 64 << 20;
/// The time of a look-up of 2,048 bytes.
const LOOK_UP: Duration = Duration::from_micros(100);
/// The exponent of the time in the bytes of the text: sorting and caches make it more than 1.
const EXPONENT: f64 = 1.4;
/// Shorter times are not compared with one another.
const MEASURABLE: Duration = Duration::from_millis(20);
/// How much longer times may be: with debug assertions and overflow checks, and on a machine that
/// does other things.
const LEEWAY: u32 = if cfg!(debug_assertions) { 10 } else { 2 };

/// Texts whose look-ups may take longer, in microseconds: those of thousands of stars or names that
/// are all compared.
const SLOWER: [(&str, u64); 8] = [
    ("purposes-that-match", 1_000),
    ("nested-segments", 150),
    ("nested-chains", 250),
    ("words-of-stars", 400),
    ("words-of-stars-beaten", 400),
    ("contents-of-a-license", 150),
    ("pages-by-contents", 200),
    ("data-txt-groups", 1_000),
];
/// Texts whose time grows faster, up to the compiler's limit on merged rules.
const STEEPER: [&str; 1] = ["shared-and-own-beside-acap"];

/// Further measurements before a promise counts as broken.
const ATTEMPTS: usize = 3;

/// Measurements of each size, of which the fastest counts.
const fn rounds(form: Form) -> usize {
    match form {
        Form::Short => 1,
        Form::Long => 5,
    }
}

pub(crate) fn measure(form: Form, results: &mut Results) -> Result<(), String> {
    let (mut families, mut broken): (Vec<Family>, _) = (Vec::new(), Vec::new());
    for subject in Subject::all() {
        let mut growth = Growth::measure(&subject, rounds(form))?;
        for _ in 0..ATTEMPTS {
            if growth.broken().is_some() {
                growth = growth.best(Growth::measure(&subject, 3 * rounds(form))?);
            }
        }
        eprintln!("{growth}");
        broken.extend(growth.broken());
        match families.iter_mut().find(|family| family.name == subject.family) {
            Some(family) => family.growths.push(growth),
            None => families.push(Family { name: subject.family, growths: vec![growth] }),
        }
    }
    let columns =
        ["texts:", "builders", "bytes", "longest, s:", "most memory, MiB:", "exponent:", "look-up, µs:"];
    let mut table = Table::new("content", &columns);
    families.iter().for_each(|family| table.row(family.row()));
    results.tables.push(table);
    results.tables.push(names::measure(form, &mut broken)?);
    if broken.is_empty() { Ok(()) } else { Err(broken.join("\n  ")) }
}

/// The costs of one builder at its three sizes.
struct Growth {
    name: String,
    costs: [Cost; 3],
}

impl Growth {
    fn measure(subject: &Subject, rounds: usize) -> Result<Growth, String> {
        let of = |size| subject.cost(size, rounds).map_err(|what| format!("{}: {what}", subject.name));
        let (size, name) = (subject.size, subject.name.clone());
        Ok(Growth { name, costs: [of(size / 4)?, of(size / 2)?, of(size)?] })
    }

    /// The faster of two measurements of each size.
    fn best(mut self, other: Growth) -> Growth {
        for (cost, other) in self.costs.iter_mut().zip(other.costs) {
            cost.time = cost.time.min(other.time);
            cost.look_up = cost.look_up.min(other.look_up);
        }
        self
    }

    /// The largest size.
    fn most(&self) -> &Cost {
        &self.costs[2]
    }

    /// The exponent of the time in bytes, or in the size where the bytes do not grow with it; over
    /// the sizes that have the outcome of the largest and take long enough.
    fn exponent(&self) -> Option<f64> {
        let most = self.most();
        let of_bytes = most.bytes >= 2 * self.costs[0].bytes;
        let counts = |(_, cost): &(f64, &Cost)| cost.over == most.over && 16 * cost.time > MEASURABLE;
        let points = [1.0, 2.0, 4.0].into_iter().zip(&self.costs).filter(counts);
        let point = |(size, cost): (f64, &Cost)| {
            (if of_bytes { cost.bytes as f64 } else { size }, cost.time.as_secs_f64())
        };
        exponent(&points.map(point).collect::<Vec<_>>()).filter(|_| most.time > MEASURABLE)
    }

    /// The limit of a look-up.
    fn limit(&self) -> Duration {
        let slower = SLOWER.iter().find(|(name, _)| *name == self.name);
        slower.map_or(LOOK_UP, |&(_, micros)| Duration::from_micros(micros))
    }

    /// The promises that do not hold.
    fn broken(&self) -> Option<String> {
        let most = self.most();
        let is_steep = |exponent: &f64| *exponent > EXPONENT && !STEEPER.contains(&self.name.as_str());
        let exponent = self.exponent().filter(is_steep);
        let look_up = most.look_up.filter(|&time| time > self.limit() * LEEWAY);
        let broken = [
            (most.time > TIME * LEEWAY).then(|| format!("takes {:.2?}", most.time)),
            (most.memory > MEMORY).then(|| format!("takes {} MiB", most.memory >> 20)),
            exponent.map(|exponent| format!("grows with the exponent {exponent:.2}")),
            look_up.map(|time| format!("a look-up takes {time:.1?}")),
        ];
        let broken: Vec<String> = broken.into_iter().flatten().collect();
        (!broken.is_empty()).then(|| format!("{}: {}", self.name, broken.join(", ")))
    }
}

impl fmt::Display for Growth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cost { bytes, time, memory, look_up, over } = self.most();
        let seconds = time.as_secs_f64();
        write!(f, "{}: {bytes} bytes, {seconds:.3} s, {} MiB", self.name, memory >> 20)?;
        if let Some(exponent) = self.exponent() {
            write!(f, ", exponent {exponent:.2}")?;
        }
        if let Some(look_up) = look_up {
            write!(f, ", look-up {look_up:.1?} of {:?}", self.limit())?;
        }
        match over {
            Some(over) => write!(f, ", over the limit on {over}"),
            None => Ok(()),
        }
    }
}

/// Builders of one kind.
struct Family {
    name: &'static str,
    growths: Vec<Growth>,
}

impl Family {
    /// The worst of each kind, with its name.
    fn row(&self) -> Vec<String> {
        let worst = |digits, of: &dyn Fn(&Growth) -> Option<f64>| {
            let all = self.growths.iter().filter_map(|growth| Some((of(growth)?, &growth.name)));
            let worst = all.max_by(|(one, _), (other, _)| one.total_cmp(other));
            worst.map_or("-".to_owned(), |(worst, name)| format!("{worst:.digits$} ({name})"))
        };
        let bytes: usize = self.growths.iter().map(|growth| growth.most().bytes).sum();
        vec![
            self.name.to_owned(),
            self.growths.len().to_string(),
            bytes.to_string(),
            worst(3, &|growth| Some(growth.most().time.as_secs_f64())),
            worst(1, &|growth| Some(growth.most().memory as f64 / f64::from(1 << 20))),
            worst(2, &Growth::exponent),
            worst(1, &|growth| Some(growth.most().look_up?.as_secs_f64() * 1e6)),
        ]
    }
}
