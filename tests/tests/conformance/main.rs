//! The conformance file: questions to small images, and the answers that every reader must give.
//!
//! `data/conformance` holds the images; readers in other languages open them from there.
//! `data/conformance.jsonl` has one line for each crawler and usage asked of an image, with the
//! answers for its URLs; further lines say which names of usages are refused, which site a URL
//! belongs to, how targets are written, and what is found in damaged images ([`damaged`]).
//! `data/conformance-unasked.json` says which readers do not ask which lines, how many, and why.
//!
//! `ROBOMATON_WRITE=1` rewrites images and file; read the diff before committing it. The answers
//! come from the runtime, which other suites compare with the oracles. `ROBOMATON_DAMAGE=FILE`
//! writes many more lines about damaged images to another file, which the reader for the JVM takes,
//! too.

mod damaged;

use robomaton_compiler::{Entry, Options, compile, emit};
use robomaton_formats::vocabulary::check_usage;
use robomaton_formats::{Notation, Profile, SiteKey};
use robomaton_runtime::{Basis, Crawler, Image, Terms, Usage, Verdict};
use robomaton_tests::{damage, home};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// The names of crawlers, and true if only groups that name the crawler count.
const CRAWLERS: [(&[&str], bool); 8] = [
    (&["a"], false),
    (&["b"], false),
    (&["c"], false),
    (&["d", "a"], false),
    (&["nobody"], false),
    (&["Mozilla/5.0 (compatible; A/1.2; +https://a.example/bot)"], false),
    (&["a"], true),
    (&["nobody"], true),
];

/// Usages, each perhaps for a purpose.
const USAGES: [(&str, Option<&str>); 14] = [
    ("crawl", None),
    ("crawl", Some("newsletter")),
    ("crawl", Some("ads")),
    ("index", None),
    ("train", None),
    ("present", None),
    ("present-snippet", None),
    ("present-unheard-of", None),
    ("other", Some("ads")),
    ("ai-train", None),
    ("search", None),
    ("all", None),
    ("tdm", None),
    ("follow", None),
];

/// Names of usages, some misspelt.
const NAMES_OF_USAGES: [&str; 22] = [
    "crawl",
    "AI-Train",
    "Train-AI",
    "train",
    "ai-use",
    "present-video",
    "present-unheard-of",
    "PRESENT-SNIP",
    "",
    "q",
    " crawl",
    "crwal",
    "trian",
    "use",
    "present-",
    "present-snipet",
    "Present-Snipets",
    "present-nsippet",
    "present-snippet\u{e9}\u{1F600}",
    "present-snippet\u{e9}\u{1F600}x",
    "\u{212A}rawl",
    "present-snippet-of-at-most-two-lines-and-a-picture-beside-the-lines",
];

/// Paths asked of every site, in turn.
const PATHS: [&str; 40] = [
    "/",
    "",
    "/p",
    "/p/x.gif",
    "/p/on",
    "/p/n",
    "/private",
    "/private/open",
    "/private/openx",
    "/n",
    "/n/o",
    "/n/o/x.gif",
    "/nn/oo",
    "/%2axxy%C3",
    "/*xxy",
    "/a3f",
    "/a41",
    "/n3d/q",
    "/x/3e.gif",
    "/x/40/y.gif?z",
    "/1a/x/b",
    "/3b//b",
    "/x/y3c",
    "/x/y45",
    "/robots.txt",
    "/robots.txt?x",
    "/r%6Fbots.txt#f",
    "/aa/bb",
    "/aa/cc/dd",
    "/ab",
    "/b",
    "/7*",
    "/10e$",
    "/d2x",
    "?q=/p",
    "/P/On",
    "/%70%zz%",
    "/\u{fc}ber alles{}",
    "/pp.gif.gif",
    "/cc/dd/aa/x/cc/dd",
];

/// URLs whose site is read in an unusual way, or that name none.
const ODD_URLS: [&str; 67] = [
    "https://x.example",
    "HTTPS://X.Example:443/p",
    " https://x.example/p \n",
    "https:x.example/p",
    "https:/x.example/p",
    "https:\\\\x.example\\p",
    "https:////x.example/p",
    "https://u:p@x.example/p",
    "https://u@v@x.example/p",
    "https://x.example./p",
    "https://x.example../p",
    "https://.x.example/p",
    "https://x..example/p",
    "https://x.example:/p",
    "https://x.example:0443/p",
    "https://x.example:80/p",
    "https://x.example:65535/p",
    "https://x.example:65536/p",
    "https://x.example:8x/p",
    "https://x.ex%61mple/p",
    "https://x.ex%2Fmple/p",
    "https://x.ex%zzmple/p",
    "https://x.ex\tample/p",
    "https://x .example/p",
    "ht\ntps://x.example/p",
    "https://x.example/p\tq",
    "https://x.example/\np",
    "https://x.example/%7\r0",
    "\u{1}https://x.example/p\u{1f}",
    "\u{b}https:\n//x.example/p",
    "https://x.example/\nrobots.txt",
    "https://x.example\u{0}/p",
    "https://x.exa<mple/p",
    "https://x.exa^mple/p",
    "https://x.exa|mple/p",
    "https://x_y.exa!mple'()*,;=/p",
    "https://x~.example/p",
    "https://x.example?p",
    "https://x.example#p",
    "https://x.example;p",
    "http://127.0.0.1/",
    "http://127.1/",
    "http://0x7f.1/",
    "http://0177.0.0.01/",
    "http://2130706433/",
    "http://4294967296/",
    "http://1.2.3.256/",
    "http://1.2.3.4.5/",
    "http://a.1/",
    "http://a.0x/",
    "http://a.09/",
    "http://1.2.3.4./",
    "http://[::1]/",
    "http://[::1]:80/",
    "http://[1:0:0:2::3]:8080/p",
    "http://[1:2:3:4:5:6:7:8]/",
    "http://[::ffff:1.2.3.4]/",
    "http://[1::2::3]/",
    "http://[::1/",
    "http://[::g]/",
    "http://b\u{fc}cher.example/p",
    "http://B\u{dc}CHER.example/p",
    "http://xn--bcher-kva.example/p",
    "ftp://x.example/p",
    "x.example/p",
    "//x.example/p",
    "",
];

/// Targets to be written in canonical bytes.
const TARGETS: [&str; 17] = [
    "/a%2fb%61%7e",
    "/%2a%24*$",
    "/\u{e9} \u{1}",
    "/a{b}|\"<>\\^`[]",
    "/%zz%",
    "/%252A",
    "/a%2%41%%32%41",
    "/%7eJoe%2fA*%2a%24%25%z$",
    "/%252F%2541%zz%25",
    "/%2%41",
    "/%%41%42",
    "/%A%62%63",
    "/%C3%a4",
    "/\u{1F600}",
    "/%",
    "/%4",
    "/\tA%4\n1\r\u{b}",
];

/// Every image, by the path of its file in `data/conformance`.
fn images() -> Vec<(String, Vec<u8>)> {
    let whole = damage::images().into_iter().map(|(name, bytes)| (format!("{name}.rimg"), bytes));
    let shards = damage::shards(&damage::small_image(Profile::Full), 3);
    let shards = (0..).zip(shards).map(|(number, bytes): (u8, _)| (format!("shards/{number}.rimg"), bytes));
    whole.chain(shards).collect()
}

/// The name of the image of the sites of odd URLs.
const SITES: &str = "sites.rimg";

/// The site of a URL. The runtime refuses some URLs whose site a parser would guess.
fn site_of(url: &str) -> Option<String> {
    let image = Image::from_bytes(damage::small_image(Profile::Full)).expect("a good image");
    let is_url = image.decide(&image.crawler(["a"]), Usage::CRAWL, url).basis() != Basis::NoUrl;
    SiteKey::from_url(url).ok().filter(|_| is_url).map(|key| key.to_string())
}

fn basis(basis: Basis) -> String {
    match basis {
        Basis::Outcome(outcome) => format!("outcome:{outcome}"),
        basis => basis.name().to_owned(),
    }
}

/// `[URL, decision, basis]`, and, where there is more to say, the lines of the deciding rules, and
/// the conditions or "incomplete".
fn answer(verdict: &Verdict<'_>, url: &str) -> Value {
    let mut answer = vec![json!(url), json!(verdict.decision().name()), json!(basis(verdict.basis()))];
    let lines: Vec<u32> = verdict.rules().iter().map(|rule| rule.line).collect();
    let conditional = verdict.conditional().map(|conditional| conditional.conditions).unwrap_or_default();
    let mut more: Vec<String> = conditional.iter().map(ToString::to_string).collect();
    more.extend(verdict.is_incomplete().then(|| "incomplete".to_owned()));
    if !lines.is_empty() || !more.is_empty() {
        answer.push(json!(lines));
    }
    if !more.is_empty() {
        answer.push(json!(more));
    }
    Value::Array(answer)
}

fn line(out: &mut String, value: &Value) {
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{value}");
}

/// The image of the sites of odd URLs. Each has a `fresh_for` of its own, by which a reader that
/// does not name sites shows which one it found.
fn sites() -> Vec<u8> {
    let keys: BTreeSet<String> = ODD_URLS.iter().filter_map(|url| site_of(url)).collect();
    let options = Options::default();
    let document = compile(b"User-agent: *\nDisallow: /p\n", None, &options);
    let entries = keys.iter().zip(1..).map(|(key, number)| {
        let site = SiteKey::from_url(key).expect("a site");
        Entry { fresh_for: Some(number), ..Entry::fetched(site, &document) }
    });
    emit(entries.collect(), &options).expect("a few sites fit an image")
}

/// The questions about one image. `step` thins them out: each URL is asked by some of the crawlers.
fn ask<D: AsRef<[u8]>>(out: &mut String, name: &str, image: Image<D>, step: usize) {
    let sites: Vec<String> = image.sites().map(|site| site.address()).collect();
    let addresses = sites.iter().map(|site| match site.contains("://") {
        true => site.clone(),
        false => format!("http://{site}"),
    });
    let urls: BTreeSet<String> =
        addresses.flat_map(|site| PATHS.map(|path| format!("{site}{path}"))).collect();
    let mut turn = 0_usize;
    for (names, named_only) in CRAWLERS {
        let crawler = image.crawler(names).named_only(named_only);
        for (usage, purpose) in USAGES {
            let mut answers = Vec::new();
            for url in &urls {
                turn += 1;
                if turn.is_multiple_of(step) {
                    answers.push(answer(&image.decide(&crawler, of(&image, usage, purpose), url), url));
                }
            }
            let mut value = json!({"image": name, "crawler": names, "usage": usage, "answers": answers});
            if let Some(purpose) = purpose {
                value["purpose"] = json!(purpose);
            }
            if named_only {
                value["named_only"] = json!(true);
            }
            line(out, &value);
        }
    }
    ask_documents(out, name, &image);
    ask_usages(out, name, &image);
    let image = image.with_terms(Terms { elements: true, ..Terms::default() });
    let crawler = image.crawler(["a"]);
    let usage = of(&image, "present-snippet", None);
    let answers: Vec<Value> =
        urls.iter().step_by(3).map(|url| answer(&image.decide(&crawler, usage, url), url)).collect();
    line(
        out,
        &json!({"image": name, "crawler": ["a"], "usage": "present-snippet", "elements": true, "answers": answers}),
    );
}

fn of<'p, D: AsRef<[u8]>>(image: &Image<D>, usage: &str, purpose: Option<&'p str>) -> Usage<'p> {
    let usage = image.usage(usage);
    match purpose {
        Some(purpose) => usage.for_purpose(purpose),
        None => usage,
    }
}

/// Questions answered by `data.txt`, and the facts of each site.
fn ask_documents<D: AsRef<[u8]>>(out: &mut String, name: &str, image: &Image<D>) {
    let crawlers: [Crawler; 2] = [image.crawler(["a"]), image.crawler(["nobody"])];
    for (crawler, names) in crawlers.iter().zip([["a"], ["nobody"]]) {
        let urls =
            ["/private/x", "/", "/robots.txt", "/n%2Fo"].map(|path| format!("http://y.example:8080{path}"));
        let urls = urls.into_iter().chain(damage::URLS.map(str::to_owned));
        let answers: Vec<Value> = urls
            .map(|url| answer(&image.decide_document("data.txt", crawler, Usage::CRAWL, &url), &url))
            .collect();
        line(
            out,
            &json!({"image": name, "crawler": names, "usage": "crawl", "document": "data.txt", "answers": answers}),
        );
        for site in image.sites() {
            let facts = json!({
                "image": name,
                "site": site.address(),
                "crawler": names,
                "outcome": site.outcome().map(|outcome| outcome.name()),
                "status": site.status(),
                "fetched_at": site.fetched_at(),
                "fresh_for": site.fresh_for(),
                "crawl_delay": site.crawl_delay(crawler),
                "sitemaps": site.sitemaps(),
            });
            line(out, &facts);
        }
    }
}

/// The names of usages that a reader takes, and those that it refuses, since they may be misspelt.
fn ask_usages<D: AsRef<[u8]>>(out: &mut String, name: &str, image: &Image<D>) {
    for usage in NAMES_OF_USAGES {
        let known = check_usage(usage, image.view().usages()).is_ok();
        line(out, &json!({"image": name, "usage": usage, "known": known}));
    }
}

/// The sites of odd URLs, and targets in canonical bytes.
fn ask_texts(out: &mut String, sites: &[u8]) {
    let image = Image::from_bytes(sites).expect("a good image");
    for url in ODD_URLS {
        let found = site_of(url).map(|site| (image.site(url).expect("a site of the image"), site));
        let fresh_for = found.as_ref().map(|(found, _)| found.fresh_for());
        let site = found.map(|(found, site)| {
            assert_eq!(found.address(), site, "{url}");
            site
        });
        line(out, &json!({"image": SITES, "url": url, "site": site, "fresh_for": fresh_for}));
    }
    let notations = [Notation::Rep, Notation::Google, Notation::Koster, Notation::Acap];
    for (notation, name) in notations.into_iter().zip(["rep", "google", "koster", "acap"]) {
        for target in TARGETS {
            let canonical = notation.target(target.as_bytes());
            let canonical = String::from_utf8_lossy(&canonical);
            line(out, &json!({"notation": name, "target": target, "canonical": canonical}));
        }
    }
}

/// The number of lines about each damaged image, and in a file that `ROBOMATON_DAMAGE` names.
const DAMAGES: usize = 70;
const MANY_DAMAGES: usize = 20_000;

fn questions(images: &[(String, Vec<u8>)], sites: &[u8]) -> String {
    let mut out = String::new();
    for (name, bytes) in images.iter().filter(|(name, _)| !name.starts_with("shards/")) {
        let image = Image::from_bytes(bytes.as_slice()).expect("a good image");
        ask(&mut out, name, image, if name == "scopes.rimg" { 3 } else { 23 });
        let image = Image::from_bytes(bytes.as_slice()).expect("a good image");
        let crawler = image.crawler(["a"]);
        let answers: Vec<Value> =
            ODD_URLS.iter().map(|url| answer(&image.decide(&crawler, Usage::CRAWL, url), url)).collect();
        line(&mut out, &json!({"image": name, "crawler": ["a"], "usage": "crawl", "answers": answers}));
    }
    let image = Image::read(folder().join("shards")).expect("shards");
    ask(&mut out, "shards", image, 29);
    ask_texts(&mut out, sites);
    damaged::ask(&mut out, images, DAMAGES);
    let [(name, small), ..] = images else { panic!("no images") };
    damaged::ask_on_purpose(&mut out, name, small);
    out
}

fn folder() -> PathBuf {
    home().join("data/conformance")
}

/// Writes a file, or compares it with the one that is there.
fn check(path: &Path, found: &[u8]) {
    if std::env::var_os("ROBOMATON_WRITE").is_some() {
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder to write to");
        fs::write(path, found).expect("the conformance files are writable");
    }
    let kept = fs::read(path).unwrap_or_default();
    let lines = || kept.split(|&byte| byte == b'\n').zip(found.split(|&byte| byte == b'\n'));
    assert!(
        kept == found,
        "{} is not current, from line {:?} on; ROBOMATON_WRITE=1 rewrites it",
        path.display(),
        lines().position(|(kept, found)| kept != found).map(|line| line + 1)
    );
}

#[test]
fn the_conformance_file_is_current() {
    let images = images();
    for (name, bytes) in &images {
        check(&folder().join(name), bytes);
    }
    let sites = sites();
    check(&folder().join(SITES), &sites);
    let found = questions(&images, &sites);
    let rule = |line: &str| serde_json::from_str::<Value>(line).ok()?.get("rule")?.as_u64();
    let broken: BTreeSet<u64> = found.lines().filter_map(rule).collect();
    assert!(broken.iter().copied().eq(1..=18), "the images of the file break the rules {broken:?}");
    if let Some(path) = std::env::var_os("ROBOMATON_DAMAGE") {
        let mut many = String::new();
        damaged::ask(&mut many, &images, MANY_DAMAGES);
        fs::write(path, many).expect("room");
    }
    check(&home().join("data/conformance.jsonl"), found.as_bytes());
}
