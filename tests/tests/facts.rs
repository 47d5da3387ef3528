//! Expectations of the cases other than verdicts: schedules, stored records, requests, places,
//! freshness.
//!
//! Each is read from a fresh image through the runtime's public interface.

use robomaton_corpus::{BatchOptions, Input, Progress, build};
use robomaton_formats::SiteKey;
use robomaton_runtime::{Image, Role, Site, Terms};
use robomaton_tests::case::{self, Case};
use robomaton_tests::engines::{image_around, options};
use robomaton_tests::suite::Text;
use std::time::Duration;

/// Calls `check` for every case with such facts, with the site of its file.
fn each(has: impl Fn(&Case) -> bool, check: impl Fn(&Case, &Site<'_>, &Image<Vec<u8>>)) {
    let cases = case::load().expect("the cases load");
    let mut seen = 0;
    for case in cases.iter().filter(|case| has(case)) {
        let image =
            Image::from_bytes(image_around(&Text::of(case), &options(&case.profile))).expect("an image");
        let site = match case.document.as_str() {
            "robots.txt" => image.site(&case.origin),
            name => image.document(&case.origin, name),
        };
        check(case, &site.expect("the image holds the site"), &image);
        seen += 1;
    }
    assert!(seen > 0, "no case has such facts");
}

fn seconds(time: &str) -> u64 {
    let time: jiff::Timestamp = time.parse().expect("a time");
    u64::try_from(time.as_second()).expect("after 1970")
}

#[test]
fn schedules() {
    each(
        |case| !case.facts.schedule.is_empty(),
        |case, site, image| {
            for visit in &case.facts.schedule {
                let schedule = site.schedule(&image.crawler([&visit.agent]));
                let at = seconds(&visit.at);
                let context = format!("{}: {visit:?}\n{schedule:?}", case.name);
                assert_eq!(schedule.may_visit(at), visit.may, "{context}");
                assert_eq!(
                    schedule.wait(at, None, None),
                    Duration::from_secs(visit.wait.into()),
                    "{context}"
                );
                if let Some(pause) = visit.pause {
                    let took = (visit.took != 0).then(|| Duration::from_secs(visit.took.into()));
                    assert_eq!(schedule.interval(at, took).millis, u64::from(pause) * 1000, "{context}");
                }
            }
        },
    );
}

#[test]
fn extensions() {
    each(
        |case| !case.facts.extensions.is_empty(),
        |case, site, image| {
            let detail = site.detail().expect("details");
            for record in &case.facts.extensions {
                let kept = match &record.agent {
                    Some(agent) => site.extensions(&image.crawler([agent])),
                    None => detail.extensions.clone(),
                };
                let found = kept.iter().any(|kept| kept.key == record.key && kept.value == record.value);
                assert!(found, "{}: {record:?} is not among {kept:?}", case.name);
            }
        },
    );
}

#[test]
fn requests() {
    each(
        |case| !case.facts.requests.is_empty(),
        |case, site, image| {
            let detail = site.detail().expect("details");
            let mut kept: Vec<(u32, &str, String, &str)> = Vec::new();
            for group in detail.groups.iter().filter(|group| group.role == Role::Field) {
                for record in &group.extensions {
                    let action = record.key.strip_prefix("request-").expect("only requests stand there");
                    let agents = group.crawlers.iter().map(String::as_str);
                    for agent in agents.chain(group.default.then_some("*")) {
                        kept.push((record.line, action, agent.to_owned(), &record.value));
                    }
                }
            }
            kept.sort();
            let mut expected: Vec<_> = case
                .facts
                .requests
                .iter()
                .map(|request| {
                    (request.line, request.action.as_str(), request.agent.clone(), request.path.as_str())
                })
                .collect();
            expected.sort();
            assert_eq!(kept, expected, "{}", case.name);
            for request in &case.facts.requests {
                let asked = site.requests(&image.crawler([&request.agent]));
                assert!(asked.iter().any(|record| record.line == request.line), "{}: {asked:?}", case.name);
            }
        },
    );
}

#[test]
fn comments() {
    each(
        |case| !case.facts.comments.is_empty(),
        |case, site, image| {
            for comment in &case.facts.comments {
                let schedule = site.schedule(&image.crawler([&comment.agent]));
                assert_eq!(schedule.comments, comment.texts, "{}: {}", case.name, comment.agent);
            }
        },
    );
}

#[test]
fn locations() {
    for case in case::load().expect("the cases load") {
        for location in &case.facts.locations {
            let site = SiteKey::from_url(&location.site).expect("a site");
            assert_eq!(format!("{site}/{}", case.document), location.file, "{}", case.name);
            assert_eq!(SiteKey::from_url(&location.file), Ok(site), "{}", case.name);
        }
    }
}

/// K18, R17: a capture with these headers, through the whole pipeline.
#[test]
fn freshness() {
    let cases = case::load().expect("the cases load");
    let mut seen = 0;
    for case in &cases {
        for fact in &case.facts.freshness {
            let http_date = |time: &str| {
                let time: jiff::Timestamp = time.parse().expect("a time");
                time.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
            };
            let mut headers = String::from("Content-Type: text/plain\r\n");
            if let Some(value) = &fact.cache_control {
                headers.push_str(&format!("Cache-Control: {value}\r\n"));
            }
            if let Some(time) = &fact.expires {
                headers.push_str(&format!("Expires: {}\r\n", http_date(time)));
            }
            let body = String::from_utf8_lossy(&case.robots);
            let block =
                format!("HTTP/1.1 200 OK\r\nDate: {}\r\n{headers}\r\n{body}", http_date(&fact.fetched));
            let url = format!("{}/{}", case.origin, case.document);
            let warc = format!(
                "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: {}\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
                fact.fetched,
                block.len()
            );
            let folder = tempfile::tempdir().expect("a temporary folder");
            let file = folder.path().join("one.warc");
            std::fs::write(&file, warc).expect("room for a capture");
            let mut options = BatchOptions::default();
            options.compile.profile = case.profile.parse().expect("a profile");
            let built = build(&[Input::Path(file)], &options, &Progress::default()).expect("it builds");
            let terms = Terms { now: Some(seconds(&fact.at)), ..Terms::default() };
            let image = Image::from_bytes(built.image).expect("an image").with_terms(terms);
            let site = match case.document.as_str() {
                "robots.txt" => image.site(&case.origin),
                name => image.document(&case.origin, name),
            };
            let stale = site.expect("the site").is_stale();
            assert_eq!(stale, Some(!fact.fresh), "{}: {fact:?}", case.name);
            seen += 1;
        }
    }
    assert!(seen > 3, "{seen} facts about freshness");
}
