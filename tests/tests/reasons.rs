//! The reasons of answers, from details that are decoded once, equal what each verdict tells by
//! itself: over made-up sites of every kind and over the sample.

use robomaton_compiler::{Document, Entry, LimitName, Options, compile, emit};
use robomaton_corpus::{BatchOptions, Input, Progress, build};
use robomaton_formats::{Decision, SiteKey};
use robomaton_runtime::{DetailCache, Image, MOST_STATEMENTS, Reasons};
use robomaton_tests::captures::{build_from, captures, json};
use robomaton_tests::home;

/// Asks about every site for crawlers and usages, and returns the number of answers with a rule.
fn compare(bytes: &[u8]) -> usize {
    let image = Image::from_bytes(bytes).expect("an image");
    let crawlers = [&["Googlebot"][..], &["GPTBot", "a"], &["zoo"], &["nobody"]];
    let crawlers = crawlers.map(|names| image.crawler(names.iter().copied()));
    let paths = ["/", "/x", "/page", "/private/a?b=c.html"];
    let urls: Vec<String> = image
        .sites()
        .flat_map(|site| paths.map(|path| format!("https://{}{path}", site.authority())))
        .collect();
    let (mut cache, mut explained) = (DetailCache::default(), 0);
    for (url, crawler) in urls.iter().flat_map(|url| crawlers.iter().map(move |crawler| (url, crawler))) {
        for usage in ["crawl", "index", "present", "ai-train", "search"] {
            let verdict = image.decide(crawler, image.usage(usage), url);
            let (account, choice, requests) = (verdict.account(), verdict.choice(), verdict.requests());
            explained += usize::from(!account.rules.is_empty());
            let reasons = verdict.reasons(&mut cache);
            assert_eq!(reasons, Reasons { account, choice, requests }, "{url} {usage} {crawler:?}");
        }
    }
    explained
}

#[test]
fn of_made_up_sites() {
    let explained = compare(&build_from(&captures(), 1).image);
    assert!(explained > 500, "{explained} answers by rules");
}

#[test]
fn of_the_sample() {
    let input = Input::Path(home().join("data/sample.warc.gz"));
    let built = build(&[input], &BatchOptions::default(), &Progress::default()).expect("the sample");
    let explained = compare(&built.image);
    assert!(explained > 500, "{explained} answers by rules");
}

/// A META tag of ACAP names a crawler as it writes itself (decision 34). Whatever name a page
/// gives, the conditions of an answer are told, and the rule of a refusal.
#[test]
fn of_pages_that_name_crawlers_whole() {
    let host = "https://a.example";
    let mut lines = vec![json(host, "/robots.txt", 1, "User-agent: *\nAllow: /\n").to_string()];
    let names = ["Bot/1.0", "Bot", "Acme News", "robots"];
    for (number, name) in names.iter().enumerate() {
        let allows = format!("<meta name='{name}' content='ACAP allow-index time-limit=3-days'>");
        let refuses = format!("<meta name='{name}' content='ACAP disallow-index'>");
        lines.push(json(host, &format!("/allows{number}"), 1, &allows).to_string());
        lines.push(json(host, &format!("/refuses{number}"), 1, &refuses).to_string());
    }
    let built = build_from(&lines, 1);
    let image = Image::from_bytes(built.image).expect("an image");
    for (number, name) in names.iter().enumerate() {
        let crawler = image.crawler([*name]);
        let [allows, refuses] = ["allows", "refuses"].map(|page| format!("{host}/{page}{number}"));
        let verdict = image.decide(&crawler, image.usage("index"), &allows);
        assert_eq!(verdict.decision(), Decision::Conditional, "{name}");
        assert_eq!(verdict.account().conditions().len(), 1, "{name}");
        let verdict = image.decide(&crawler, image.usage("index"), &refuses);
        assert_eq!((verdict.decision(), verdict.account().rules.len()), (Decision::Disallowed, 1), "{name}");
    }
}

/// Of very many statements, the reasons tell the first ones and count the others.
#[test]
fn very_many_statements_are_counted() {
    let options = Options::default();
    let licenses: String =
        (0..2_000).map(|number| format!("License: https://l.example/{number}\n")).collect();
    let image = image_of(&compile(format!("User-agent: *\n{licenses}").as_bytes(), None, &options));
    let crawler = image.crawler(["bot"]);
    let verdict = image.decide(&crawler, image.usage("all"), "https://a.example/x");
    let (all, told) = (verdict.account(), verdict.reasons(&mut DetailCache::default()).account);
    assert_eq!((told.statements.len(), all.statements_left_out), (MOST_STATEMENTS, 0));
    assert_eq!(told.statements_left_out, all.statements.len() - MOST_STATEMENTS);
    assert!(told.statements_left_out > 0 && all.statements.starts_with(&told.statements));
    assert_eq!(told.conditions(), all.conditions());
}

/// Thousands of permissions may share a long condition. Of those for which there is no room, the
/// number and the conditions are told.
#[test]
fn rules_that_share_a_long_condition_are_counted() {
    let compiled = |count: usize, bytes: usize| {
        let condition = format!("must-use-resource=the-acap:extract:uri:/{}", "x".repeat(bytes));
        let rules = "ACAP-allow-(long): /\n".repeat(count);
        let text = format!(
            "ACAP-qualified-usage: long index {condition}\nACAP-crawler: *\n{rules}\
             ACAP-allow-index: / time-limit=3-days\n"
        );
        compile(text.as_bytes(), None, &Options::default())
    };
    let image = image_of(&compiled(3_000, 4_000));
    let crawler = image.crawler(["bot"]);
    let verdict = image.decide(&crawler, image.usage("index"), "https://a.example/x");
    let account = verdict.account();
    let told: usize = account.rules.iter().map(|rule| rule.to_string().len()).sum();
    assert!(told < 5 << 20, "{told} bytes");
    assert_eq!(account.rules.len() + account.rules_left_out, 3_001);
    assert_eq!((account.rules_left_out > 0, account.conditions().len()), (true, 2));
    // One text would else make a gigabyte of rules.
    assert_eq!(compiled(3_000, 100_000).over_limit.map(|over| over.limit), Some(LimitName::Rules));
}

/// Thousands of rules may stand in one file: a name that no server would take leads to no file.
#[test]
fn a_reference_of_thousands_of_bytes_leads_nowhere() {
    let url = |bytes: usize| format!("https://l.example/{}", "x".repeat(bytes - "https://l.example/".len()));
    for (key, text) in
        [("License", "User-agent: *\nAllow: /\n"), ("ACAP-permissions-reference", "ACAP-crawler: *\n")]
    {
        for (bytes, leads) in [(2048, true), (2049, false)] {
            let document =
                compile(format!("{text}{key}: {}\n", url(bytes)).as_bytes(), None, &Options::default());
            assert_eq!(document.references == [url(bytes)], leads, "{key} {bytes}");
            let image = image_of(&document);
            let crawler = image.crawler(["bot"]);
            let verdict = image.decide(&crawler, image.usage("ai-train"), "https://a.example/x");
            assert_ne!(verdict.safe_decision(), Decision::Allowed, "{key} {bytes}");
        }
    }
}

fn image_of(document: &Document) -> Image<Vec<u8>> {
    let options = Options::default();
    let site = SiteKey::from_url("https://a.example/").expect("a site");
    let image = emit(vec![Entry::fetched(site, document)], &options).expect("an image");
    Image::from_bytes(image).expect("an image")
}
