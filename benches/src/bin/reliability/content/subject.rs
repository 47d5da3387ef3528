//! What is measured: a builder, what is done with what it builds, and its cost.
//!
//! A site is compiled and asked; a page is read and compiled; a stream is read, plain and
//! compressed. Invariant: building the input is not part of the cost. This file knows no limit.

use robomaton_benches::clock::fastest;
use robomaton_compiler::{CompileContext, Document, Entry, LimitName, Options, compile_with, emit};
use robomaton_corpus::{ReadLimits, read_from, read_page};
use robomaton_formats::SiteKey;
use robomaton_runtime::{Basis, Crawler, Image, Usage};
use robomaton_tests::hostile::captures::{PAGES, STREAMS};
use robomaton_tests::hostile::{self, HostileSite, acap, modern};
use std::io::Write as _;
use std::ops::ControlFlow;
use std::time::Duration;

/// Bytes of the paths that are looked up.
const PATH: usize = 2_048;
/// The repeated parts of paths, which nearly match many patterns; others come from the text.
const PIECES: [&str; 7] = ["a", "abcdefghijklmnopqrstuvwxyz", "ab", "cabcbac", "same/", "%2", "\u{e9}"];
/// Look-ups of one question, of which the fastest counts.
const LOOK_UPS: usize = 5;
/// Times that the question which is then the slowest is asked again: of hundreds, one is disturbed
/// on a machine that does other things.
const AGAIN: usize = 100;

/// A builder, and what is done with what it builds.
pub(crate) struct Subject {
    pub(crate) name: String,
    /// What it builds.
    pub(crate) family: &'static str,
    /// Its usual size.
    pub(crate) size: usize,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    Text(fn(usize) -> Vec<u8>),
    Site(fn(usize) -> HostileSite),
    Page(fn(usize) -> Vec<u8>),
    Stream { build: fn(usize) -> Vec<u8>, file: &'static str, packed: bool },
}

/// The cost of one input.
#[derive(Clone, Debug)]
pub(crate) struct Cost {
    /// The length of the input.
    pub(crate) bytes: usize,
    pub(crate) time: Duration,
    /// The largest number of bytes on the heap at one time.
    pub(crate) memory: u64,
    /// The slowest look-up, of what is compiled.
    pub(crate) look_up: Option<Duration>,
    /// The limit that the text exceeds.
    pub(crate) over: Option<&'static str>,
}

impl Subject {
    /// Every builder.
    pub(crate) fn all() -> Vec<Subject> {
        let mut all = Vec::new();
        let mut add = |family, name: &str, kind, size| {
            all.push(Subject { name: name.to_owned(), family, size, kind });
        };
        for (family, builders) in [("robots.txt", &hostile::BUILDERS[..]), ("ACAP", &acap::TEXTS)] {
            builders.iter().for_each(|&(name, build, size)| add(family, name, Kind::Text(build), size));
        }
        for (family, builders) in [("ACAP", &acap::SITES[..]), ("modern languages", &modern::SITES)] {
            builders.iter().for_each(|&(name, build, size)| add(family, name, Kind::Site(build), size));
        }
        for (name, build, size) in PAGES {
            add("HTML pages", name, Kind::Page(build), size);
        }
        for (name, build, file, size) in STREAMS {
            add("captures", name, Kind::Stream { build, file, packed: false }, size);
            add("captures", &format!("{name}, gzip"), Kind::Stream { build, file, packed: true }, size);
        }
        all
    }

    /// The cost at a size: the fastest of some rounds.
    pub(crate) fn cost(&self, size: usize, rounds: usize) -> Result<Cost, String> {
        match self.kind {
            Kind::Text(build) => of_site(&HostileSite::alone("", build(size)), rounds),
            Kind::Site(build) => of_site(&build(size), rounds),
            Kind::Page(build) => of_page(&build(size), rounds),
            Kind::Stream { build, file, packed } => of_stream(build(size), file, packed, rounds),
        }
    }
}

/// Compiles and asks a site.
fn of_site(site: &HostileSite, rounds: usize) -> Result<Cost, String> {
    of_text(site.bytes(), &site.robots, rounds, || site.compile())
}

/// Reads, compiles and asks a page.
fn of_page(html: &[u8], rounds: usize) -> Result<Cost, String> {
    of_text(html.len(), &[], rounds, || {
        let page = read_page(html, Some("text/html; charset=utf-8"));
        let pages = [page.for_compiler("https://h.example/a".to_owned(), "/a".to_owned())];
        compile_with(b"", &CompileContext { pages: &pages, ..CompileContext::default() }, &Options::default())
    })
}

fn of_text(bytes: usize, text: &[u8], rounds: usize, compile: impl Fn() -> Document) -> Result<Cost, String> {
    let mut made = Err("nothing was compiled".to_owned());
    let mut make = || made = image(&compile());
    let memory = allocation_counter::measure(&mut make).bytes_max;
    let time = fastest(rounds, make);
    let (image, over) = made?;
    let image = Image::from_bytes(image).map_err(|error| error.to_string())?;
    image.verify().map_err(|error| error.to_string())?;
    let look_up = Some(slowest(&image, text)?);
    Ok(Cost { bytes, time, memory, look_up, over: over.map(LimitName::name) })
}

/// The image of a document, and the limit that its text exceeds.
fn image(document: &Document) -> Result<(Vec<u8>, Option<LimitName>), String> {
    let site = SiteKey::from_url("https://h.example/").map_err(|error| error.to_string())?;
    let image =
        emit(vec![Entry::fetched(site, document)], &Options::default()).map_err(|error| error.to_string())?;
    Ok((image, document.over_limit.map(|over| over.limit)))
}

/// The slowest of all questions: crawlers, usages, purposes, paths.
fn slowest(image: &Image<Vec<u8>>, text: &[u8]) -> Result<Duration, String> {
    let urls: Vec<String> = paths(text).iter().map(|path| format!("https://h.example{path}")).collect();
    let usages = ["crawl", "index", "present-snippet", "other", "ai-train", "search"];
    let usages = usages.map(|usage| image.usage(usage));
    let usages: Vec<Usage<'_>> =
        usages.into_iter().flat_map(|usage| [usage, usage.for_purpose("news")]).collect();
    let crawlers = ["b7", "bot7", "nobody"].map(|name| image.crawler([name]));
    let ask = |crawler: &Crawler, usage: Usage<'_>, url: &str| {
        let mut basis = Basis::Damaged;
        let time = fastest(LOOK_UPS, || basis = image.decide(crawler, usage, url).basis());
        if matches!(basis, Basis::Damaged) {
            Err(format!("{url:.80} is answered with damage"))
        } else {
            Ok(time)
        }
    };
    let mut times = Vec::new();
    for crawler in &crawlers {
        for (url, &usage) in urls.iter().flat_map(|url| usages.iter().map(move |usage| (url, usage))) {
            times.push((ask(crawler, usage, url)?, crawler, usage, url));
        }
    }
    let mut slowest = Duration::ZERO;
    for _ in 0..AGAIN {
        let Some((time, crawler, usage, url)) = times.iter_mut().max_by_key(|(time, ..)| *time) else {
            break;
        };
        slowest = *time;
        *time = slowest.min(ask(crawler, *usage, url)?);
        if *time == slowest {
            break;
        }
    }
    Ok(slowest)
}

/// Paths that repeat a piece: known ones, and patterns of the first, the middle and the last line
/// of the text.
fn paths(text: &[u8]) -> Vec<String> {
    let patterns: Vec<&[u8]> =
        text.split(|&byte| byte == b'\n').filter(|line| line.contains(&b'/')).collect();
    let chosen = [patterns.first(), patterns.get(patterns.len() / 2), patterns.last()];
    let of_line = |line: &[u8]| {
        let line = String::from_utf8_lossy(&line[..line.len().min(PATH)]).into_owned();
        let pattern = line.find('/').map_or("", |at| &line[at..]);
        pattern.split_whitespace().next().unwrap_or_default().replace(['*', '$', '#', '?'], "")
    };
    let of_text = chosen.into_iter().flatten().map(|line| of_line(line)).filter(|piece| !piece.is_empty());
    let pieces = PIECES.map(str::to_owned).into_iter().chain(of_text);
    let path = |piece: String| {
        let mut path = format!("/{}", piece.repeat(PATH / piece.len() + 1));
        while path.len() > PATH {
            path.pop();
        }
        path
    };
    pieces.map(path).collect()
}

/// Reads a stream.
fn of_stream(stream: Vec<u8>, file: &str, packed: bool, rounds: usize) -> Result<Cost, String> {
    let (name, stream) = if packed { (packed_name(file), pack(&stream)?) } else { (file.to_owned(), stream) };
    let read = || {
        let _ = read_from(&name, stream.as_slice(), &ReadLimits::default(), &mut |item| {
            std::hint::black_box(item);
            ControlFlow::Continue(())
        });
    };
    let memory = allocation_counter::measure(read).bytes_max;
    Ok(Cost { bytes: stream.len(), time: fastest(rounds, read), memory, look_up: None, over: None })
}

fn packed_name(file: &str) -> String {
    if file == "x.tar" { "x.tgz".to_owned() } else { format!("{file}.gz") }
}

fn pack(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    out.write_all(bytes).and_then(|()| out.finish()).map_err(|error| error.to_string())
}
