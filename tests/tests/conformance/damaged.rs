//! The lines of the conformance file about damaged images: the broken rule, and answers.
//!
//! A line names an image, the `patches` (each an offset and the bytes there, in hexadecimal), and
//! the `length` that the file is then cut to, if it is cut; so a reader needs no checksums to
//! follow it. `opens` says whether the image opens, and `rule` is the first broken rule, or null.
//! Most damage is random, by a fixed seed, and has its checksums made to hold, so that something
//! lies behind them. An image that breaks no rule but that of checksums is also asked, unverified:
//! it says something else, and all readers understand it alike. Others are only verified, since
//! readers differ in what they notice, but for some that are damaged on purpose, in ways of which
//! SPEC.md (section 9, "What a reader does on damage") says what a reader answers.
//!
//! This file does not know which check finds which damage.

use super::{answer, line};
use robomaton_formats::layout::{BUCKET_BODY, BUCKET_SITES, Bucket, HEAD, Header, NameRecord, Section};
use robomaton_formats::verify;
use robomaton_runtime::Image;
use robomaton_tests::damage::{Patient, URLS, row};
use robomaton_tests::generate::Random;
use serde_json::{Value, json};

/// The number of URLs that are asked of each damaged image.
const ASKED: usize = 3;

const CRAWLERS: [&str; 5] = ["a", "b", "c", "d", "nobody"];

const USAGES: [&str; 6] = ["crawl", "index", "train", "present-snippet", "ai-train", "search"];

/// Writes the lines about an image that is damaged on purpose: all URLs, for some crawlers and
/// usages.
pub(crate) fn ask_on_purpose(out: &mut String, name: &str, good: &[u8]) {
    for damaged in on_purpose(good) {
        let image = Image::from_bytes(damaged.as_slice()).expect("its header is good");
        for (crawler, usage) in [("a", "crawl"), ("c", "search"), ("nobody", "present-snippet")] {
            let by = image.crawler([crawler]);
            let ask = |url: &str| answer(&image.decide(&by, image.usage(usage), url), url);
            let mut value = verification(name, good, &damaged);
            value["opens"] = json!(true);
            value["crawler"] = json!([crawler]);
            value["usage"] = json!(usage);
            value["answers"] = URLS.iter().map(|url| ask(url)).collect();
            line(out, &value);
        }
    }
}

/// Free places before taken ones; a site entry and a word that lead outside; reserved flags; names
/// of crawlers that cannot be read; names of usages without an end; lists and scopes that go beyond
/// the end.
fn on_purpose(good: &[u8]) -> Vec<Vec<u8>> {
    const OUTSIDE: [u8; 4] = [0xFF, 0xFF, 0xFF, 0x3F];
    let whole = Patient { bytes: good.to_vec() };
    let length = |section| whole.section(section).1;
    let buckets = 0..length(Section::Hosts) / size_of::<Bucket>();
    let hole = |bucket| (Section::Hosts, size_of::<Bucket>() * bucket + BUCKET_SITES - 1, vec![1]);
    let entry = |bucket| {
        let first = size_of::<Bucket>() * (bucket + 1) - BUCKET_BODY;
        (Section::Hosts, first, OUTSIDE.to_vec())
    };
    let crawler = |number| (Section::Crawlers, size_of::<NameRecord>() * number, OUTSIDE.to_vec());
    let crawlers = 0..length(Section::Crawlers) / size_of::<NameRecord>();
    let scope_sets = (Section::Scopes, 8, OUTSIDE.to_vec());
    let usages = (Section::Usages, length(Section::Usages) - 1, vec![b'x']);
    let flags = (Section::Policies, 0, vec![whole.bytes[whole.section(Section::Policies).0] | 0x80]);
    let patches = buckets.clone().map(hole).chain(buckets.map(entry)).chain(crawlers.map(crawler));
    let patched = patches.chain([scope_sets, usages, flags]).map(|(section, at, bytes)| {
        let mut patient = whole.clone();
        patient.patch(section, at, &bytes);
        patient
    });
    let cut = |lost: usize| {
        let mut patient = whole.clone();
        patient.poke(row(Section::Lists) + 8, &((length(Section::Lists) - lost) as u64).to_le_bytes());
        patient
    };
    let all = patched.chain([1, 9].map(cut)).map(|mut patient| {
        patient.sum();
        patient.bytes
    });
    all.collect()
}

/// Writes `count` lines about each image.
pub(crate) fn ask(out: &mut String, images: &[(String, Vec<u8>)], count: usize) {
    for (name, good) in images {
        // Each image has its own seed, so that more lines begin with the same ones.
        let mut random = Random::new(good.len() as u64);
        let lines = std::iter::repeat_with(|| {
            let damaged = damage(&mut random, good);
            question(&mut random, name, good, &damaged)
        });
        lines.flatten().take(count).for_each(|value| line(out, &value));
    }
}

/// The image, cut or with some bytes changed.
fn damage(random: &mut Random, good: &[u8]) -> Vec<u8> {
    let mut patient = Patient { bytes: good.to_vec() };
    match random.below(8) {
        0 => {
            patient.bytes.truncate(random.below(good.len()));
            if patient.bytes.len() < HEAD || random.once_in(2) {
                return patient.bytes;
            }
            patient.set_length();
        }
        1 => {
            let section = random.pick(&Section::ALL);
            let (at, length) = patient.section(section);
            let end = random.below(length + 1);
            patient.poke(row(section) + 8, &(end as u64).to_le_bytes());
            patient.bytes[at + end..at + length].fill(0);
        }
        _ => {
            for _ in 0..=random.below(3) {
                let at = place(random, &patient, good.len());
                let now = patient.bytes[at];
                let bit = now ^ 1 << random.below(8);
                patient.bytes[at] =
                    random.pick(&[bit, bit, bit, now.wrapping_add(1), now.wrapping_sub(1), !now]);
            }
            if random.once_in(8) {
                return patient.bytes;
            }
        }
    }
    patient.sum();
    patient.bytes
}

/// A byte of the file, of its head or header, or of some section: small ones are as likely as large
/// ones.
fn place(random: &mut Random, patient: &Patient, length: usize) -> usize {
    match random.below(8) {
        0 => random.below(length),
        1 => {
            let front = random.pick(&[HEAD, size_of::<Header>()]);
            random.below(front)
        }
        _ => {
            let sections = Section::ALL.map(|section| patient.section(section));
            let inside = |&(at, long): &(usize, usize)| {
                long > 0 && at.checked_add(long).is_some_and(|end| end <= length)
            };
            let some: Vec<(usize, usize)> = sections.into_iter().filter(inside).collect();
            let (at, long) = random.pick(&some);
            at + random.below(long)
        }
    }
}

/// The bytes that differ, run by run, as far as both go.
fn patches(good: &[u8], damaged: &[u8]) -> Vec<Value> {
    let differs: Vec<usize> = (0..damaged.len()).filter(|&at| good[at] != damaged[at]).collect();
    let runs = differs.chunk_by(|one, next| next - one == 1);
    let hexadecimal =
        |run: &[usize]| run.iter().map(|&at| format!("{:02x}", damaged[at])).collect::<String>();
    runs.map(|run| json!([run[0], hexadecimal(run)])).collect()
}

/// True if bytes of texts differ.
fn changes_texts(good: &[u8], damaged: &[u8]) -> bool {
    let (at, length) = Patient { bytes: good.to_vec() }.section(Section::Sources);
    damaged.get(at..at + length) != good.get(at..at + length)
}

/// The start of a line: the damage, and the first broken rule.
fn verification(name: &str, good: &[u8], damaged: &[u8]) -> Value {
    let broken = verify::verify_with_texts(damaged).err();
    let rule = broken.map(|error| error.rule().expect("a rule of an image"));
    json!({"image": name, "patches": patches(good, damaged), "rule": rule})
}

/// The line about a damaged image; `None` for changed texts that this decoder takes, since others
/// may not (SPEC.md, I18).
fn question(random: &mut Random, name: &str, good: &[u8], damaged: &[u8]) -> Option<Value> {
    let mut value = verification(name, good, damaged);
    if value["rule"].is_null() && changes_texts(good, damaged) {
        return None;
    }
    if damaged.len() < good.len() {
        value["length"] = json!(damaged.len());
    }
    let image = Image::from_bytes(damaged);
    value["opens"] = json!(image.is_ok());
    let mut summed = Patient { bytes: damaged.to_vec() };
    if damaged.len() >= HEAD {
        summed.sum();
    }
    if let Ok(image) = image
        && verify::verify(&summed.bytes).is_ok()
    {
        let (crawler, usage) = (random.pick(&CRAWLERS), random.pick(&USAGES));
        let by = image.crawler([crawler]);
        let answers = (0..ASKED).map(|_| {
            let url = random.pick(&URLS);
            answer(&image.decide(&by, image.usage(usage), url), url)
        });
        value["answers"] = answers.collect();
        value["crawler"] = json!([crawler]);
        value["usage"] = json!(usage);
    }
    Some(value)
}
