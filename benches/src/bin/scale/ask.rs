//! One stage: opens an image, measures look-ups in and out of the caches, and verifies it.
//!
//! Each question is about another host. *Cold*: before every block of questions, a buffer larger
//! than all caches is written and the questions' own bytes are read, so that the wait is for the
//! image and the code. *Hot*: the block is asked twice before it is timed. For single questions,
//! the clock's own time is subtracted; batches are timed by the block. *Steady*: many questions in
//! a row, timed as a whole, when all their pages are resident, as in a running crawler.

use robomaton_benches::clock;
use robomaton_benches::generate::Generator;
use robomaton_runtime::{Crawler, Image, Question, Usage};
use robomaton_tests::generate::Random;
use robomaton_tests::map;
use serde::{Deserialize, Serialize};
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

/// Questions between two sweeps, and in one timed batch.
const BLOCK: usize = 64;
/// The number of blocks.
const BLOCKS: usize = 128;
/// Bytes that are written to sweep the caches.
const SWEEP: usize = 96 << 20;
/// The number of times that the image is opened.
const OPENINGS: usize = 101;
/// Numbers of look-ups after which resident memory is read.
const RESIDENT: [usize; 5] = [0, 1, 100, 10_000, 100_000];

/// Questions in a row.
const STEADY: usize = 1 << 18;

/// The results of the stage.
#[derive(Serialize, Deserialize)]
pub(crate) struct Asked {
    /// Microseconds to open it, milliseconds to verify it.
    pub(crate) open: f64,
    pub(crate) verify: f64,
    /// Numbers of look-ups, and the resident bytes of the mapped file after them.
    pub(crate) resident: Vec<(usize, u64)>,
    /// Nanoseconds of a look-up among many in a row, one at a time and in batches.
    pub(crate) steady: [f64; 2],
    /// Nanoseconds of a look-up, for each way of asking.
    pub(crate) times: Vec<Times>,
}

/// Nanoseconds of one way of asking.
#[derive(Serialize, Deserialize)]
pub(crate) struct Times {
    /// True if the hosts are in the image.
    pub(crate) hit: bool,
    /// True if questions are asked in batches.
    pub(crate) batch: bool,
    /// True if the caches were swept.
    pub(crate) cold: bool,
    pub(crate) median: f64,
    pub(crate) p99: f64,
}

/// URLs of random sites: of the first `sites`, or of as many that follow them and are in no image.
pub(crate) fn urls(sites: u64, hit: bool, count: usize) -> Result<Vec<String>, String> {
    let generator = Generator::shipped(super::SEED)?;
    let mut random = Random::new(u64::from(hit));
    let paths = [
        "/",
        "/wp-admin/admin-ajax.php?action=x",
        "/search?q=shoes&page=3",
        "/blog/2026/01/a-post-about-things.html",
    ];
    let url = |_| {
        let number = random.below(sites as usize) as u64 + if hit { 0 } else { sites };
        format!("https://{}{}", generator.site(number).host, random.pick(&paths))
    };
    Ok((0..count).map(url).collect())
}

/// The stage, in a process of its own.
pub(crate) fn stage(path: &Path, sites: u64) -> Result<Asked, String> {
    let failed = |error: robomaton_runtime::OpenError| error.to_string();
    let image = map(path).map_err(failed)?;
    let crawler = image.crawler(["Googlebot"]);
    let resident = resident(path, &image, &crawler, sites)?;
    let mut times = Vec::new();
    let mut sweep = vec![0u8; SWEEP];
    for hit in [true, false] {
        let urls = urls(sites, hit, BLOCK * BLOCKS)?;
        let found = urls.iter().filter(|url| image.site(url).is_some()).count();
        if found != if hit { urls.len() } else { 0 } {
            return Err(format!("{found} of {} hosts found", urls.len()));
        }
        for (batch, cold) in [(false, true), (false, false), (true, true), (true, false)] {
            let sweep = cold.then_some(sweep.as_mut_slice());
            let mut each = ask(&image, &crawler, &urls, batch, sweep);
            each.sort_unstable_by(f64::total_cmp);
            let (median, p99) = (each[each.len() / 2], each[each.len() * 99 / 100]);
            times.push(Times { hit, batch, cold, median, p99 });
        }
    }
    let steady = steady(&image, &crawler, &urls(sites, true, STEADY)?);
    let mut openings: Vec<f64> = Vec::with_capacity(OPENINGS);
    for _ in 0..OPENINGS {
        let start = Instant::now();
        black_box(map(path).map_err(failed)?.len());
        openings.push(start.elapsed().as_secs_f64() * 1e6);
    }
    openings.sort_unstable_by(f64::total_cmp);
    let start = Instant::now();
    image.verify().map_err(|error| error.to_string())?;
    let verify = start.elapsed().as_secs_f64() * 1e3;
    Ok(Asked { open: openings[OPENINGS / 2], verify, resident, steady, times })
}

fn resident(path: &Path, image: &Image, crawler: &Crawler, sites: u64) -> Result<Vec<(usize, u64)>, String> {
    let Some(&most) = RESIDENT.last() else { return Ok(Vec::new()) };
    let urls = urls(sites, true, most)?;
    let decide = |url: &String| _ = black_box(image.decide(crawler, Usage::CRAWL, url).decision());
    let (mut asked, mut resident) = (0, Vec::new());
    for count in RESIDENT {
        urls[asked..count].iter().for_each(decide);
        asked = count;
        resident.extend(super::memory::mapped(path).map(|bytes| (count, bytes)));
    }
    Ok(resident)
}

/// Nanoseconds per question among these, one at a time and in one batch, in the second pass.
fn steady(image: &Image, crawler: &Crawler, urls: &[String]) -> [f64; 2] {
    [false, true].map(|batch| {
        let mut took = 0.0;
        for _ in 0..2 {
            let start = Instant::now();
            if batch {
                let questions = urls.iter().map(|url| Question { crawler, usage: Usage::CRAWL, url });
                image.decide_batch(questions, |verdict| _ = black_box(verdict.decision()));
            } else {
                let decide = |url: &String| image.decide(crawler, Usage::CRAWL, url).decision();
                urls.iter().for_each(|url| _ = black_box(decide(url)));
            }
            took = start.elapsed().as_secs_f64() * 1e9 / urls.len() as f64;
        }
        took
    })
}

/// Nanoseconds of each question, or per question of each batch.
fn ask(
    image: &Image,
    crawler: &Crawler,
    urls: &[String],
    batch: bool,
    mut sweep: Option<&mut [u8]>,
) -> Vec<f64> {
    let decide = |url: &str| _ = black_box(image.decide(crawler, Usage::CRAWL, url).decision());
    let all = |block: &[String]| {
        let questions = block.iter().map(|url| Question { crawler, usage: Usage::CRAWL, url });
        image.decide_batch(questions, |verdict| _ = black_box(verdict.decision()));
    };
    let clock = clock::own_time();
    let mut times = Vec::with_capacity(urls.len());
    for block in urls.chunks(BLOCK) {
        match &mut sweep {
            Some(buffer) => {
                buffer.iter_mut().step_by(64).for_each(|byte| *byte = byte.wrapping_add(1));
                black_box(block.iter().flat_map(|url| url.bytes()).fold(0u8, |sum, byte| sum ^ byte));
            }
            None if batch => (0..2).for_each(|_| all(block)),
            None => (0..2).for_each(|_| block.iter().for_each(|url| decide(url))),
        }
        if batch {
            let start = Instant::now();
            all(block);
            times.push((start.elapsed().as_secs_f64() * 1e9 - clock) / block.len() as f64);
        } else {
            for url in block {
                let start = Instant::now();
                decide(url);
                times.push(start.elapsed().as_secs_f64() * 1e9 - clock);
            }
        }
    }
    times
}
