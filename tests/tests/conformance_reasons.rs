//! Answers with their reasons and at several times, for readers that give them.
//!
//! `data/conformance-reasons.jsonl` is about the images of `data/conformance` and, for what goes
//! out of date, `data/dated.rimg`. A line has the answers of one crawler about one usage at one
//! time, or the schedule and the text of a site; the first lines say which site a host is, and the
//! last ones what conditions are as values. The JVM reader gives the same. `ROBOMATON_WRITE=1`
//! rewrites both.

use robomaton_formats::agent::shown_name;
use robomaton_formats::schedule::{Schedule, Window};
use robomaton_formats::{Choice, SiteKey};
use robomaton_runtime::{Basis, Image, Site, Terms, Verdict};
use robomaton_tests::home;
use robomaton_tests::modern::{Page, Site as Captured, image::bytes};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

const IMAGES: [&str; 6] = [
    "conformance/small.rimg",
    "conformance/scopes.rimg",
    "conformance/modern.rimg",
    "conformance/programs.rimg",
    "layers/merged.rimg",
    "dated.rimg",
];

/// No time; before, at and after the ends in the images (2030-01-01).
const TIMES: [Option<u64>; 4] = [None, Some(1_700_000_000), Some(1_893_456_000), Some(1_900_000_000)];

const CRAWLERS: [&str; 5] = ["a", "GPTBot", "Googlebot", "zebra", "nobody"];

const USAGES: [&str; 11] = [
    "crawl",
    "index",
    "search",
    "ai-train",
    "ai-input",
    "all",
    "tdm",
    "present",
    "present-snippet",
    "present-video",
    "present-zebra",
];

/// Texts up to this size.
const TEXT: usize = 1 << 20;

const PATHS: [&str; 8] = ["/", "/p", "/n/o", "/private/x", "/p/x.gif", "/page", "/%2A", "/news/old?y=1"];

/// Hosts beyond ASCII, and in punycode, well-formed and not.
const HOSTS: [&str; 40] = [
    "fa\u{df}.example",
    "\u{3b2}\u{3cc}\u{3bb}\u{3bf}\u{3c2}.example",
    "b\u{fc}cher.example",
    "BU\u{308}CHER.example",
    "\u{43f}\u{440}\u{438}\u{43c}\u{435}\u{440}.example",
    "\u{4f8b}\u{3048}.example",
    "\u{4f8b}\u{3002}example",
    "\u{ff45}xample.example",
    "\u{ac00}.example",
    "\u{e40}\u{e17}.example",
    "\u{5d0}\u{5d1}.example",
    "\u{627}\u{628}.example",
    "a\u{200d}b.example",
    "a\u{ad}b.example",
    "\u{2126}.example",
    "\u{1f600}.example",
    "\u{301}a.example",
    "xn--bcher-kva.example",
    "XN--BCHER-KVA.example",
    "xn--Bcher-kva.example",
    "xn--fa-hia.example",
    "xn--fsq.example",
    "xn--mgbh0fb.example",
    "xn--.example",
    "xn---.example",
    "xn--a.example",
    "xn--abc-.example",
    "xn--a-b.example",
    "xn--99999999.example",
    "xn--bcher-\u{fc}.example",
    "xn--bcher-kv\u{e4}.example",
    "xn--b\u{308}.example",
    "xn--bu-hdb.example",
    "xn--bcher-5ra.example",
    "xn--kva.example",
    "xn--a-ecp.example",
    "xn--bcher-kva0.example",
    "ab--c.example",
    "-a.example",
    "a-.example",
];

/// A site whose statements go out of date, by themselves and with their documents.
fn dated() -> Vec<u8> {
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let rsl = |usage: &str| {
        format!(
            "<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\"><license><permits type=\"usage\">{usage}\
             </permits><payment type=\"free\"/></license></content></rsl>"
        )
    };
    let expiring =
        |usage: &str| rsl(usage).replace("<content ", "<content lastmod=\"2026-01-01T00:00:00Z\" ");
    let page = |path: &str, headers, html: &str| Page {
        url: format!("https://x.example{path}"),
        headers,
        html: Some(html.to_owned()),
    };
    bytes(&[
        Captured {
            robots: Some(
                b"License: https://x.example/l.xml\nUser-agent: *\nContent-Signal: /n ai-train=no, search=yes\n\
                  Content-Usage: /p train-ai=y\nDisallow: /private\n"
                    .to_vec(),
            ),
            documents: vec![("https://x.example/l.xml".to_owned(), expiring("ai-train").into())],
            pages: vec![
                page(
                    "/p",
                    vec![
                        header("X-Robots-Tag", "unavailable_after: 2030-01-01"),
                        header("X-Robots-Tag", "max-snippet: 20, max-image-preview: standard"),
                        header("X-Robots-Tag", "max-snippet: 9"),
                    ],
                    "<meta name=robots content='noimageindex, max-video-preview: 5'>",
                ),
                page(
                    "/page",
                    Vec::new(),
                    &format!(
                        "<meta name=robots content='unavailable_after: 2030-01-01'>\
                         <script type='application/rsl+xml'>{}</script>",
                        rsl("search")
                    ),
                ),
            ],
            ..Captured::new("https://x.example")
        },
        Captured {
            robots: Some(
                b"User-agent: *\nRobot-version: 2.0.0\nAllow: /n*\nRequest-rate: 1/10m 0600-0845\nRequest-rate: 2/1m\n\
                  Visit-time: 0600-0845\nVisit-time: 2300-0100\nCrawl-delay: 40\nComment: hello\n"
                    .to_vec(),
            ),
            ..Captured::new("https://z.example")
        },
    ])
}

/// The reasons of an answer. Its conditions go into `all`, each with its JSON.
fn reasons(verdict: &Verdict<'_>, url: &str, all: &mut BTreeMap<String, Value>) -> Value {
    let account = verdict.account();
    let statements: Vec<Value> = account
        .statements
        .iter()
        .map(|statement| {
            let fate = match statement.loss {
                Some(_) => "beaten",
                None if statement.decides => "decides",
                None => "stands",
            };
            let conditions: Vec<String> = statement.conditions.iter().map(ToString::to_string).collect();
            json!([
                statement.language.name(),
                statement.carrier.name(),
                statement.line,
                statement.document,
                statement.usage,
                statement.effect.name(),
                fate,
                statement.text,
                conditions,
            ])
        })
        .collect();
    let conditions = verdict.conditional().map(|of| of.conditions).unwrap_or_default();
    all.extend(conditions.iter().map(|condition| (condition.to_string(), json!(condition))));
    let conditions: Vec<String> = conditions.iter().map(ToString::to_string).collect();
    let rules: Vec<Value> = account
        .rules
        .iter()
        .map(|rule| {
            let carrier = if rule.role.is_of_page() { "page" } else { "robots" };
            let file = rule.file.as_ref().map(|(_, name)| name);
            json!([rule.line, carrier, file, rule.permits, rule.to_string()])
        })
        .collect();
    let requests: Vec<Value> = verdict
        .requests()
        .iter()
        .map(|request| json!([request.action, request.path, request.line, request.file]))
        .collect();
    let choice = verdict.choice().map(|choice| match choice {
        Choice::Named(name) => json!(["named", shown_name(&name)]),
        other => json!([other.name(), null]),
    });
    // Where rules are ranked, all of them are conventional.
    let ranked = (verdict.basis() == Basis::Rule).then_some(verdict.decision());
    json!([
        url,
        verdict.decision().name(),
        verdict.basis().name(),
        verdict.is_incomplete(),
        rules,
        conditions,
        statements,
        requests,
        choice,
        account.fields.map(|decision| decision.name()),
        account.conventional.or(ranked).map(|decision| decision.name()),
    ])
}

fn schedule(schedule: &Schedule) -> Value {
    let window = |window: &Window| [window.from(), window.to()];
    let rates: Vec<Value> = schedule
        .rates
        .iter()
        .map(|rate| json!([rate.documents, rate.seconds, rate.window.as_ref().map(window)]))
        .collect();
    let visits: Vec<[u16; 2]> = schedule.visits.iter().map(window).collect();
    let waits: Vec<Value> = [0, 1_700_000_000, 1_700_020_000, 1_700_047_000, 1_700_080_000]
        .into_iter()
        .map(|now| {
            let wait = |last| u64::try_from(schedule.wait(now, last, None).as_millis()).unwrap_or(u64::MAX);
            let rate = schedule.rate_at(now).map(|rate| rate.millis());
            json!([now, schedule.may_visit(now), rate, wait(None), wait(Some(now)), wait(Some(now / 2))])
        })
        .collect();
    json!({ "delays": schedule.delays, "rates": rates, "visits": visits, "comments": schedule.comments, "waits": waits })
}

fn ask(out: &mut String, name: &str, image: &Image, all: &mut BTreeMap<String, Value>) {
    let sites: Vec<Site<'_>> = image.sites().collect();
    let addresses: Vec<String> =
        sites.iter().map(|site| site.address()).filter(|site| site.starts_with("http")).take(12).collect();
    let mut turn = 0_usize;
    for now in TIMES {
        let image = image.clone().with_terms(Terms { now, ..Terms::default() });
        for name_of in CRAWLERS {
            let crawler = image.crawler([name_of]);
            for usage in USAGES {
                let mut answers = Vec::new();
                for url in addresses.iter().flat_map(|site| PATHS.map(|path| format!("{site}{path}"))) {
                    turn += 1;
                    let step = match (name, now) {
                        ("dated.rimg", _) => 3,
                        (_, None) => 11,
                        (_, Some(_)) => 37,
                    };
                    if turn.is_multiple_of(step) {
                        answers.push(reasons(&image.decide(&crawler, image.usage(usage), &url), &url, all));
                    }
                }
                let value = json!({
                    "image": name, "crawler": name_of, "usage": usage, "now": now, "answers": answers,
                });
                // Writing to a String cannot fail.
                let _ = writeln!(out, "{value}");
            }
        }
    }
    let crawler = image.crawler(["a"]);
    for site in sites {
        let of = schedule(&site.schedule(&crawler));
        let text = site.source(TEXT);
        let text = text.as_deref().map(String::from_utf8_lossy);
        let value = json!({ "image": name, "site": site.address(), "schedule": of, "text": text });
        let _ = writeln!(out, "{value}");
    }
}

#[test]
fn the_reasons_are_current() {
    let write = std::env::var_os("ROBOMATON_WRITE").is_some();
    let data = home().join("data");
    let dated = dated();
    if write {
        fs::write(data.join("dated.rimg"), &dated).expect("room");
    }
    assert!(fs::read(data.join("dated.rimg")).unwrap_or_default() == dated, "ROBOMATON_WRITE=1 rewrites it");
    let mut found = String::new();
    for host in HOSTS {
        let site = SiteKey::from_url(&format!("https://{host}/")).ok().map(|key| key.to_string());
        let _ = writeln!(found, "{}", json!({ "host": host, "site": site }));
    }
    let mut conditions = BTreeMap::new();
    for name in IMAGES {
        ask(&mut found, name, &Image::read(data.join(name)).expect("an image"), &mut conditions);
    }
    for (condition, typed) in conditions {
        let _ = writeln!(found, "{}", json!({ "condition": condition, "typed": typed }));
    }
    let path = data.join("conformance-reasons.jsonl");
    if write {
        fs::write(&path, &found).expect("room");
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    let line = kept.lines().zip(found.lines()).position(|(kept, found)| kept != found);
    assert!(kept == found, "line {line:?}; ROBOMATON_WRITE=1 rewrites {}", path.display());
}
