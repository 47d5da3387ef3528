//! The memory of compiling: a constant, plus some hundred bytes for each site and distinct text.
//!
//! The sites are generated, each with its own text; the image is several times larger than the
//! memory limit. The test is alone in its file, since it measures the whole process; on Linux only,
//! which reports the peak.

#![cfg(target_os = "linux")]

use robomaton_corpus::{BatchOptions, Input, Progress, prepare};
use robomaton_runtime::{Image, Usage};
use std::fs::{self, File};
use std::io::{BufWriter, Write};

/// The number of sites, and of distinct texts.
const SITES: u64 = 25_000;
/// Bytes of each text that no other text has.
const OWN: usize = 4_000;
/// Blocks in progress, file buffers, the program itself, stacks.
const CONSTANT: u64 = 48 << 20;
/// Key and facts of a site, while it is read and placed.
const OF_SITE: u64 = 700;
/// Hashes and positions of a text, its program, policy and document.
const OF_TEXT: u64 = 400;

/// The peak memory of this process so far, in bytes.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux says how much");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the peak");
    1024 * line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number")
}

#[test]
fn memory_is_bounded() {
    let home = tempfile::tempdir().expect("a directory");
    let (captures, target) = (home.path().join("captures.jsonl"), home.path().join("image"));
    let mut out = BufWriter::new(File::create(&captures).expect("a file"));
    let mut state = 1u64;
    for site in 0..SITES {
        write!(out, "{{\"url\": \"https://s{site}.example/robots.txt\", \"body\": \"User-agent: *\\n")
            .expect("room");
        // Numbers that do not compress to less than half.
        for _ in 0..OWN / 40 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            write!(out, "Disallow: /d{:029}\\n", u128::from(state) << 32).expect("room");
        }
        writeln!(out, "\"}}").expect("room");
    }
    out.flush().expect("room");
    drop(out);

    let options =
        BatchOptions { scratch: Some(home.path().to_owned()), threads: 2, ..BatchOptions::default() };
    let prepared =
        prepare(&[Input::Path(captures)], &options, &Progress::default()).expect("the captures compile");
    let mut out = BufWriter::new(File::create(&target).expect("a file"));
    let report = prepared.write(&mut out).expect("room");
    out.flush().expect("room");
    let (peak, bound) = (peak(), CONSTANT + SITES * (OF_SITE + OF_TEXT));
    assert_eq!((report.sites, report.distinct_bodies), (SITES, SITES));
    let length = fs::metadata(&target).expect("the image").len();
    println!("{length} bytes of image, {peak} of memory, {bound} allowed");
    assert!(peak < bound, "{peak} bytes of memory, {bound} allowed");
    // Building it in memory would take at least the size of the image.
    assert!(length > bound, "an image of {length} bytes shows nothing");

    let image = Image::read(&target).expect("an image");
    image.verify().expect("a sound image");
    assert_eq!(image.len() as u64, SITES);
    let decide = |path| image.decide(&image.crawler(["a"]), Usage::CRAWL, path).decision();
    assert!(decide("https://s7.example/x").is_allowed());
}
