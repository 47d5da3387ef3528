//! The verdicts of `verify` on damaged images, for a verifier in another language to compare.
//!
//! Readers that call this one have nothing to compare; they ask the lines about damage of the
//! conformance file, as all readers do.
//!
//! Each line of `data/damage-verdicts.txt` is about one image of `data/conformance` and one way to
//! damage it: the image's name, the way, and the broken rules, run by run (`14*3` is the rule I14
//! three times, `0` a valid image). All checksums are made to hold, so that the rules behind them
//! are reached. `ROBOMATON_WRITE=1` rewrites the file. `ROBOMATON_EVERY_BIT=FILE` writes the same
//! lines, and those of each bit and some values of every byte, to another file; readers take it in
//! place of this one.

use robomaton_formats::layout::{HEAD, Section};
use robomaton_formats::verify;
use robomaton_tests::damage::{Patient, row};
use robomaton_tests::home;
use std::fmt::Write as _;
use std::fs;

const IMAGES: [&str; 11] = [
    "modern.rimg",
    "programs.rimg",
    "scopes.rimg",
    "shards/0.rimg",
    "shards/1.rimg",
    "shards/2.rimg",
    "small-google.rimg",
    "small-koster.rimg",
    "small-rfc9309.rimg",
    "small.rimg",
    "tries.rimg",
];

/// The broken rule, or 0.
fn rule(bytes: &[u8]) -> u8 {
    match verify::verify(bytes) {
        Ok(_) => 0,
        Err(error) => error.rule().expect("a rule of an image"),
    }
}

/// Every byte changed, to what `value` makes of its offset and itself.
fn bytes(good: &[u8], value: impl Fn(usize, u8) -> u8) -> Vec<u8> {
    let change = |at: usize| {
        let mut patient = Patient { bytes: good.to_vec() };
        patient.bytes[at] = value(at, good[at]);
        patient.sum();
        rule(&patient.bytes)
    };
    (0..good.len()).map(change).collect()
}

/// The file cut to each length, which the header states.
fn cuts(good: &[u8]) -> Vec<u8> {
    let cut = |end: usize| {
        let mut patient = Patient { bytes: good[..end].to_vec() };
        if end >= HEAD {
            patient.set_length();
            patient.sum();
        }
        rule(&patient.bytes)
    };
    (0..good.len()).map(cut).collect()
}

/// Each section cut to each length, with zeros behind it.
fn section_cuts(good: &[u8]) -> Vec<u8> {
    let whole = Patient { bytes: good.to_vec() };
    let mut rules = Vec::new();
    for section in Section::ALL {
        let (at, length) = whole.section(section);
        for end in 0..length {
            let mut patient = whole.clone();
            patient.poke(row(section) + 8, &(end as u64).to_le_bytes());
            patient.bytes[at + end..at + length].fill(0);
            patient.sum();
            rules.push(rule(&patient.bytes));
        }
    }
    rules
}

fn line(out: &mut String, image: &str, way: &str, rules: &[u8]) {
    let runs = rules.chunk_by(|one, other| one == other).map(|run| match run.len() {
        1 => run[0].to_string(),
        count => format!("{}*{count}", run[0]),
    });
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{image} {way} {}", runs.collect::<Vec<_>>().join(" "));
}

#[test]
fn the_verdicts_are_current() {
    let mut found = String::new();
    let mut every = String::new();
    let wants_every = std::env::var_os("ROBOMATON_EVERY_BIT");
    for image in IMAGES {
        let good = fs::read(home().join("data/conformance").join(image)).expect("an image");
        // In turn, so that the bits of neighbours differ and each byte of a record has another one.
        line(&mut found, image, "turn", &bytes(&good, |at, byte| byte ^ 1 << ((at + at / 8) % 8)));
        line(&mut found, image, "cut", &cuts(&good));
        line(&mut found, image, "section", &section_cuts(&good));
        if wants_every.is_none() {
            continue;
        }
        for bit in 0..8 {
            line(&mut every, image, &bit.to_string(), &bytes(&good, |_, byte| byte ^ 1 << bit));
        }
        line(&mut every, image, "zero", &bytes(&good, |_, _| 0));
        line(&mut every, image, "ones", &bytes(&good, |_, _| 0xFF));
        line(&mut every, image, "more", &bytes(&good, |_, byte| byte.wrapping_add(1)));
        line(&mut every, image, "less", &bytes(&good, |_, byte| byte.wrapping_sub(1)));
    }
    if let Some(path) = wants_every {
        fs::write(path, found.clone() + &every).expect("room");
    }
    let path = home().join("data/damage-verdicts.txt");
    if std::env::var_os("ROBOMATON_WRITE").is_some() {
        fs::write(&path, &found).expect("the verdicts are writable");
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    let different = kept.lines().zip(found.lines()).find(|(kept, found)| kept != found);
    assert!(kept == found, "ROBOMATON_WRITE=1 rewrites {}: {different:?}", path.display());
}
