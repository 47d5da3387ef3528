//! A store answers as the image that is compiled of all its captures, whatever happens between
//! puts: flushes, compactions, reopenings, kills.

use robomaton_runtime::{Image, Usage, Verdict};
use robomaton_store::{Capture, Durability, Query, Snapshot, Store, StoreError, StoreOptions};
use robomaton_tests::captures::build_from;
use robomaton_tests::generate::Random;
use std::fs;
use std::path::{Path, PathBuf};

const HOSTS: usize = 30;

fn options(memory: usize) -> StoreOptions {
    StoreOptions { memory_captures: Some(memory), durability: Durability::Never, ..StoreOptions::default() }
}

/// A capture with a bit of everything that a site does. Times repeat, so that contents break ties.
fn capture(random: &mut Random, texts: &[String]) -> Capture {
    let scheme = random.pick(&["https", "http"]);
    let host = format!("{scheme}://site{}.example", random.below(HOSTS));
    let mut capture = Capture {
        url: format!("{host}/robots.txt"),
        fetched_at: 1_700_000_000 + random.below(60) as u64,
        status: 200,
        ..Capture::default()
    };
    match random.below(10) {
        0 => capture.status = random.pick(&[0, 204, 301, 404, 403, 429, 500, 503]),
        1 => capture.body = b"<!DOCTYPE html><html><body>no</body></html>".into(),
        2 => capture.body = format!("User-agent: *\nDisallow: {host}/own\n").into(),
        3 => capture.headers.push(("Cache-Control".into(), b"max-age=60".into())),
        _ => capture.body = random.pick(&texts.iter().collect::<Vec<_>>()).clone().into(),
    }
    capture
}

fn texts(random: &mut Random) -> Vec<String> {
    (0..20).map(|_| String::from_utf8_lossy(&random.file()).into_owned()).collect()
}

/// The capture as a line of JSON, which the batch compiler reads.
fn line(capture: &Capture) -> String {
    let headers: Vec<_> = capture
        .headers
        .iter()
        .map(|(name, value)| (name.clone(), String::from_utf8_lossy(value).into_owned()))
        .collect();
    serde_json::json!({
        "url": capture.url, "fetched_at": capture.fetched_at, "status": capture.status,
        "headers": headers, "body": String::from_utf8_lossy(&capture.body),
    })
    .to_string()
}

/// The image of these captures, of which a merge chooses the best.
fn image(captures: &[Capture]) -> Image<Vec<u8>> {
    // Each alone, since a merge breaks ties by other means than the batch compiler.
    let images: Vec<_> = captures
        .iter()
        .map(|capture| Image::from_bytes(build_from(&[line(capture)], 1).image).expect("an image"))
        .collect();
    let views: Vec<_> = images.iter().map(Image::view).collect();
    let mut bytes = Vec::new();
    let merge = robomaton_compiler::Merge::new(&views).expect("images that were compiled alike");
    merge.write((0, 0), || Ok(Vec::new()), &mut bytes).expect("an image that fits the format");
    Image::from_bytes(bytes).expect("an image")
}

/// What a verdict says, and about which capture.
fn facts(verdict: &Verdict<'_>) -> impl PartialEq + std::fmt::Debug + use<> {
    let site = verdict.site();
    let site = site.map(|site| {
        let text = site.source(1 << 20);
        (site.address(), site.outcome(), site.status(), site.fetched_at(), site.fresh_for(), text)
    });
    let rule = verdict.rule().map(|rule| (rule.line, rule.to_string()));
    (verdict.decision(), verdict.is_incomplete(), verdict.basis(), site, rule)
}

/// A name, a usage, a purpose, and true if only groups that name the crawler count.
const QUERIES: [(&str, &str, Option<&str>, bool); 4] = [
    ("a", "crawl", None, false),
    ("GPTBot", "ai-train", None, false),
    ("zzz", "no-such-usage", None, false),
    ("b", "index", Some("ads"), true),
];

fn queries(store: &Store) -> Vec<Query> {
    let query = |(name, usage, purpose, named_only): (&str, &str, Option<&str>, bool)| {
        let query = store.query([name], usage).named_only(named_only);
        match purpose {
            Some(purpose) => query.for_purpose(purpose),
            None => query,
        }
    };
    QUERIES.map(query).into()
}

fn compare(snapshot: &Snapshot, queries: &[Query], image: &Image<Vec<u8>>, random: &mut Random) {
    for (query, (name, usage, purpose, named_only)) in queries.iter().zip(QUERIES) {
        let crawler = image.crawler([name]).named_only(named_only);
        let usage = if usage == "crawl" { Usage::CRAWL } else { image.usage(usage) };
        let usage = purpose.map_or(usage, |purpose| usage.for_purpose(purpose));
        for site in 0..HOSTS + 1 {
            for host in ["https://site{}.example", "http://SITE{}.Example:80", "ftp://site{}"] {
                let host = host.replace("{}", &site.to_string());
                let pattern = random.pattern(4);
                let url = format!("{host}{}", random.query(&pattern));
                let wanted = facts(&image.decide(&crawler, usage, &url));
                snapshot.ask(query, &url, |found| assert_eq!(facts(found), wanted, "{name} {url}"));
            }
        }
    }
}

#[test]
fn a_capture_compiles_as_in_a_batch() {
    let mut random = Random::new(1);
    let texts = texts(&mut random);
    let place = tempfile::tempdir().expect("a directory");
    for number in 0..200 {
        let capture = capture(&mut random, &texts);
        let store = Store::open(place.path().join(number.to_string()), options(100)).expect("a store");
        assert!(store.put(&capture).expect("a capture"));
        compare(&store.snapshot(), &queries(&store), &image(&[capture]), &mut random);
    }
}

/// The rules behind a redirect apply to the site that redirects.
#[test]
fn redirects_are_those_of_a_batch() {
    let place = tempfile::tempdir().expect("a directory");
    let text = "User-agent: *\nDisallow: /x\n";
    for hops in 0..8_u16 {
        let url = |number| format!("https://site{number}.example/robots.txt");
        let mut lines: Vec<String> = (0..hops)
            .map(|number| {
                serde_json::json!({ "url": url(number), "fetched_at": 7, "status": 301,
                    "headers": { "location": url(number + 1) } })
                .to_string()
            })
            .collect();
        lines.push(serde_json::json!({ "url": url(hops), "fetched_at": 7, "body": text }).to_string());
        let image = Image::from_bytes(build_from(&lines, 1).image).expect("an image");
        let store = Store::open(place.path().join(hops.to_string()), options(9)).expect("a store");
        let (status, body) = if hops > 5 { (301, "") } else { (200, text) };
        let capture = Capture {
            url: url(0),
            fetched_at: 7,
            status,
            redirects: hops.min(5),
            body: body.into(),
            ..Capture::default()
        };
        store.put(&capture).expect("a capture");
        let (query, crawler) = (store.query(["a"], "crawl"), image.crawler(["a"]));
        for path in ["/x", "/y"] {
            let asked = format!("https://site0.example{path}");
            let wanted = facts(&image.decide(&crawler, Usage::CRAWL, &asked));
            store.snapshot().ask(&query, &asked, |found| assert_eq!(facts(found), wanted, "{hops} hops"));
        }
    }
}

/// A store, and the captures that it took.
struct Model {
    place: tempfile::TempDir,
    store: Option<Store>,
    taken: Vec<Capture>,
    /// The length of the log after each of the last captures, which are in no layer.
    ends: Vec<u64>,
}

impl Model {
    fn new() -> Model {
        let place = tempfile::tempdir().expect("a directory");
        let store = Some(Store::open(place.path(), options(12)).expect("a store"));
        Model { place, store, taken: Vec::new(), ends: Vec::new() }
    }

    fn store(&self) -> &Store {
        self.store.as_ref().expect("it is open")
    }

    fn put(&mut self, capture: Capture) {
        let before = log(self.place.path());
        let is_taken = self.store().put(&capture).expect("a capture");
        if log(self.place.path()) != before {
            self.ends.clear();
        }
        if is_taken {
            self.taken.push(capture);
            self.ends.push(self.store().stats().log_bytes);
        }
    }

    /// Opens the store again, after a crash that cut the log at some byte.
    fn crash(&mut self, random: &mut Random) {
        self.store = None;
        if let Some(&end) = self.ends.last().filter(|_| random.below(2) == 0) {
            let length = end - random.below(400).min(end as usize - 24) as u64;
            let path = log(self.place.path());
            fs::File::options().write(true).open(path).and_then(|file| file.set_len(length)).expect("a log");
            let lost = self.ends.iter().filter(|&&end| end > length).count();
            self.ends.truncate(self.ends.len() - lost);
            self.taken.truncate(self.taken.len() - lost);
        }
        self.store = Some(Store::open(self.place.path(), options(12)).expect("a store"));
    }
}

#[test]
fn a_store_answers_as_the_image_of_its_captures() {
    let (mut merged, mut crashes) = (0, 0);
    for seed in 0..3 {
        let mut random = Random::new(100 + seed);
        let texts = texts(&mut random);
        let mut model = Model::new();
        let mut asked = queries(model.store());
        for step in 0..500 {
            match random.below(160) {
                0..4 => {
                    model.store().flush().expect("room");
                    model.ends.clear();
                }
                4..12 => {
                    let before = model.store().stats().layers;
                    model.store().compact().expect("room");
                    merged += before.saturating_sub(model.store().stats().layers);
                }
                12 => {
                    let oldest = 1_700_000_000 + step / 10 + random.below(12) as u64;
                    model.store().evict(oldest).expect("room");
                    model.ends.clear();
                    model.taken.retain(|capture| capture.fetched_at >= oldest);
                }
                13..17 => {
                    crashes += 1;
                    model.crash(&mut random);
                    // Queries of another time are resolved anew.
                    if random.below(2) == 0 {
                        asked = queries(model.store());
                    }
                }
                _ => {
                    let mut capture = capture(&mut random, &texts);
                    capture.fetched_at += step / 10;
                    model.put(capture);
                }
            }
            if step % 50 == 49 {
                compare(&model.store().snapshot(), &asked, &image(&model.taken), &mut random);
            }
        }
        // Other processes read the layers.
        model.store().flush().expect("room");
        let layers = Image::read(model.place.path()).expect("a stack");
        let (image, usage) = (image(&model.taken), layers.usage("crawl"));
        let (ours, theirs) = (layers.crawler(["a"]), image.crawler(["a"]));
        for site in 0..HOSTS {
            let url = format!("https://site{site}.example/a");
            let wanted = facts(&image.decide(&theirs, Usage::CRAWL, &url));
            assert_eq!(facts(&layers.decide(&ours, usage, &url)), wanted);
        }
    }
    assert!(merged >= 14 && crashes > 20, "{merged} layers merged, {crashes} crashes");
}

/// A capture of a clock that was ahead stays until that time, as in a merge.
#[test]
fn a_clock_that_goes_back_loses_nothing() {
    let place = tempfile::tempdir().expect("a directory");
    let mut store = Store::open(place.path(), options(9)).expect("a store");
    let at = |time: u64| Capture { fetched_at: time, body: format!("# {time}").into(), ..simple(0) };
    let held =
        |store: &Store| store.snapshot().site("https://site0.example/").and_then(|site| site.fetched_at());
    assert!(store.put(&at(1_000)).expect("a capture"));
    let mut newest = 1_000;
    for (time, is_taken) in [(10, false), (999, false), (1_000, false), (1_001, true), (500, false)] {
        assert_eq!(store.put(&at(time)).expect("a capture"), is_taken, "{time}");
        store.flush().expect("room");
        drop(store);
        store = Store::open(place.path(), options(9)).expect("a store");
        newest = newest.max(time);
        assert_eq!(held(&store), Some(newest));
    }
}

/// A snapshot stays as it is.
#[test]
fn a_snapshot_does_not_change() {
    let mut random = Random::new(5);
    let texts = texts(&mut random);
    let place = tempfile::tempdir().expect("a directory");
    let store = Store::open(place.path(), options(20)).expect("a store");
    let asked = queries(&store);
    let captures: Vec<Capture> = (0..300).map(|_| capture(&mut random, &texts)).collect();
    let mut kept = Vec::new();
    for (number, capture) in captures.iter().enumerate() {
        store.put(capture).expect("a capture");
        if number % 60 == 30 {
            kept.push((store.snapshot(), number + 1));
        }
        if number % 100 == 99 {
            store.compact().expect("room");
        }
    }
    for (snapshot, count) in kept {
        compare(&snapshot, &asked, &image(&captures[..count]), &mut random);
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).expect("room");
    for entry in fs::read_dir(from).expect("a directory") {
        let path = entry.expect("an entry").path();
        fs::copy(&path, to.join(path.file_name().expect("a name"))).expect("room");
    }
}

/// The log that captures are appended to: the one with the greatest number.
fn log(directory: &Path) -> PathBuf {
    let entries = fs::read_dir(directory).expect("a directory").map(|entry| entry.expect("one").path());
    let logs = entries.filter(|path| path.extension().is_some_and(|kind| kind == "log"));
    let number = |path: &PathBuf| path.file_stem()?.to_str()?.parse::<u64>().ok();
    logs.max_by_key(number).expect("a log")
}

fn simple(site: usize) -> Capture {
    Capture {
        url: format!("https://site{site}.example/robots.txt"),
        fetched_at: 7,
        status: 200,
        body: b"User-agent: *\nDisallow: /\n".into(),
        ..Capture::default()
    }
}

fn held(store: &Store) -> usize {
    let snapshot = store.snapshot();
    (0..9).filter(|site| snapshot.site(&format!("https://site{site}.example/")).is_some()).count()
}

/// The log may end at any byte after a kill: all whole records are read, and puts go on.
#[test]
fn a_torn_log_is_cut() {
    let place = tempfile::tempdir().expect("a directory");
    let at = |name: &str| place.path().join(name);
    let store = Store::open(at("whole"), options(100)).expect("a store");
    let mut ends = vec![store.stats().log_bytes];
    for site in 0..3 {
        store.put(&simple(site)).expect("a capture");
        ends.push(store.stats().log_bytes);
    }
    drop(store);
    let bytes = fs::read(log(&at("whole"))).expect("a log");
    for length in 0..=bytes.len() {
        for garbage in [&b""[..], b"\0\0\0\0\0\0\0\0\0"] {
            let torn = at(&format!("{length}-{}", garbage.len()));
            copy(&at("whole"), &torn);
            fs::write(log(&torn), [&bytes[..length], garbage].concat()).expect("room");
            let opened = Store::open(&torn, options(100));
            if length < ends[0] as usize {
                // Nothing was acknowledged before the header was durable.
                assert!(opened.is_err() || opened.is_ok_and(|store| held(&store) == 0));
            } else {
                let whole = ends.iter().filter(|&&end| end <= length as u64).count() - 1;
                let store = opened.expect("a torn log");
                assert_eq!(held(&store), whole, "{length} bytes");
                store.put(&simple(5)).expect("a capture");
                drop(store);
                assert_eq!(held(&Store::open(&torn, options(100)).expect("a store")), whole + 1);
            }
            fs::remove_dir_all(&torn).expect("a directory");
        }
    }
}

/// Damage in front of a capture that was acknowledged is no torn end.
#[test]
fn damage_in_the_middle_is_an_error() {
    let place = tempfile::tempdir().expect("a directory");
    let at = |name: &str| place.path().join(name);
    let each = || StoreOptions { durability: Durability::Each, ..options(100) };
    let store = Store::open(at("whole"), each()).expect("a store");
    let start = store.stats().log_bytes as usize;
    store.put(&simple(0)).expect("a capture");
    let end = store.stats().log_bytes as usize;
    store.put(&simple(1)).expect("a capture");
    drop(store);
    let bytes = fs::read(log(&at("whole"))).expect("a log");
    for place in start..end {
        let mut damaged = bytes.clone();
        damaged[place] ^= 0x10;
        fs::write(log(&at("whole")), damaged).expect("room");
        let error = Store::open(at("whole"), each()).err().expect("a damaged log");
        let StoreError::Damaged { path, at: found } = error else { panic!("{error}") };
        assert_eq!((path, found as usize), (log(&at("whole")), start));
    }
}

/// A log that was flushed and is still there changes nothing, and leftovers are swept.
#[test]
fn a_kill_between_two_steps_of_a_flush_changes_nothing() {
    let mut random = Random::new(8);
    let texts = texts(&mut random);
    let place = tempfile::tempdir().expect("a directory");
    let captures: Vec<Capture> = (0..60).map(|_| capture(&mut random, &texts)).collect();
    let store = Store::open(place.path(), options(1000)).expect("a store");
    for capture in &captures {
        store.put(capture).expect("a capture");
    }
    let old = log(place.path());
    let bytes = fs::read(&old).expect("a log");
    store.flush().expect("room");
    drop(store);
    fs::write(&old, bytes).expect("room");
    fs::write(place.path().join("77.rimg"), "half a layer").expect("room");
    let store = Store::open(place.path(), options(1000)).expect("a store");
    assert_eq!(store.stats().memory_sites, 0);
    assert!(!place.path().join("77.rimg").exists());
    compare(&store.snapshot(), &queries(&store), &image(&captures), &mut random);
    store.put(&Capture { fetched_at: 1_800_000_000, ..simple(0) }).expect("a capture");
    store.flush().expect("room");
    assert!(!old.exists(), "an old log is removed with the next flush");
}

#[test]
fn there_is_one_writer() {
    let place = tempfile::tempdir().expect("a directory");
    let store = Store::open(place.path(), options(9)).expect("a store");
    let error = Store::open(place.path(), options(9)).err().expect("a second writer").to_string();
    assert!(error.contains(&format!("process {}", std::process::id())), "{error}");
    store.put(&simple(0)).expect("a capture");
    drop(store);
    assert_eq!(held(&Store::open(place.path(), options(9)).expect("a store")), 1);
}

#[test]
fn other_options_are_refused() {
    let place = tempfile::tempdir().expect("a directory");
    drop(Store::open(place.path(), options(9)).expect("a store"));
    let of_limits = |limits| robomaton_compiler::Options { limits, ..Default::default() };
    let named = vec!["a".into()];
    for (compile, wanted) in [
        (
            robomaton_compiler::Options { crawlers: named.clone(), ..Default::default() },
            "has the groups of all crawlers, not of [\"a\"]",
        ),
        (
            robomaton_compiler::Options { tables: named, ..Default::default() },
            "was read with no optional table or control token, not with [\"a\"]",
        ),
        (
            of_limits(robomaton_compiler::Limits { bytes: Some(1000), ..Default::default() }),
            "has a limit of 512000 bytes, not 1000",
        ),
        (
            of_limits(robomaton_compiler::Limits { rules: 7, ..Default::default() }),
            "has a limit of 200000 rules, not 7",
        ),
    ] {
        let error = Store::open(place.path(), StoreOptions { compile, ..options(9) }).err();
        let error = error.expect("no store").to_string();
        assert!(error.contains(&format!(": {wanted}; the options must be the same")), "{error}");
    }
}

#[test]
fn what_is_no_robots_txt_is_refused() {
    let place = tempfile::tempdir().expect("a directory");
    let store = Store::open(place.path(), options(9)).expect("a store");
    for url in
        ["", "example.com", "ftp://example.com/robots.txt", "https://example.com/x", "http:///robots.txt"]
    {
        let capture = Capture { url: url.into(), ..simple(0) };
        assert!(store.put(&capture).is_err(), "{url}");
    }
    assert_eq!(store.stats().memory_sites, 0);
}
