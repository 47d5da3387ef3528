//! A look-up allocates nothing, as counted here.
//!
//! The crate `allocation-counter` replaces the allocator of this binary and counts per thread. The
//! exceptions are tested, too: a purpose that is a pattern is compared in lower case, and some
//! questions about uses decode the records of a document.

use allocation_counter::measure;
use robomaton_compiler::{CompileContext, Entry, Header, Options, Page, compile_with, emit};
use robomaton_formats::{Decision, Profile, SiteKey};
use robomaton_runtime::{Basis, Crawler, Image, Question, Terms, Usage};
use robomaton_tests::damage::{URLS, small_image};
use robomaton_tests::engines::image_of;
use std::hint::black_box;

const NAMES: [&str; 5] = ["a", "b", "c", "d", "nobody"];

fn allocations(question: impl FnOnce()) -> u64 {
    measure(question).count_total
}

#[test]
fn the_counter_counts() {
    assert!(allocations(|| drop(black_box(vec![1u8; 100]))) > 0);
}

#[test]
fn decide_does_not_allocate() {
    for profile in Profile::ALL {
        let image = Image::from_bytes(small_image(profile)).unwrap();
        for name in NAMES {
            let crawler = image.crawler([name]);
            for (url, usage) in URLS.iter().flat_map(|url| [(*url, Usage::CRAWL), (*url, Usage::INDEX)]) {
                // The `url` crate rejects texts that are not URLs and may allocate.
                if url == "no url" {
                    continue;
                }
                let count = allocations(|| {
                    black_box(image.decide(&crawler, usage, url).decision());
                });
                assert_eq!(count, 0, "{profile}: {name} asks about {url}");
                let site = image.site(URLS[0]).unwrap();
                let count = allocations(|| {
                    black_box(site.decide(&crawler, usage, url).basis());
                    black_box(site.access(&crawler, usage).decide(url).basis());
                });
                assert_eq!(count, 0, "{profile}: {name} asks site {} about {url}", site.authority());
            }
        }
    }
}

/// Caches of crawlers count what these take, which may be far more than their names.
#[test]
fn a_crawler_tells_its_memory() {
    let names: String = (0..8_000).map(|number| format!("User-agent: crawler{number}\n")).collect();
    let text = format!("{names}Disallow: /\n");
    let (long, many) = ("c".repeat(200), ["c", "r", "a", "w", "l", "e"]);
    for profile in Profile::ALL {
        let options = Options { profile, ..Options::default() };
        let image = Image::from_bytes(image_of(text.as_bytes(), Some("h.example"), &options)).unwrap();
        for names in [&["crawler77"][..], &[&long], &many] {
            let mut crawler = None;
            let taken = measure(|| crawler = Some(image.crawler(names))).bytes_current;
            let (taken, told) = (usize::try_from(taken).unwrap(), crawler.unwrap().memory());
            // Small vectors have room to spare.
            assert!(
                told + 400 >= taken / 2 && told <= 2 * taken + 400,
                "{profile}, {names:?}: {told} of {taken}"
            );
            let is_large = profile == Profile::Koster && names.len() > 1;
            assert!(told > 4_000 || !is_large, "{profile}, {names:?}: {told}");
        }
    }
}

#[test]
fn targets_that_must_be_rewritten_do_not_allocate() {
    let piece = "/%7e\u{e9} %2a%";
    for profile in Profile::ALL {
        let image = Image::from_bytes(small_image(profile)).unwrap();
        let crawler = image.crawler(["a"]);
        for count in [1, 10, 1024 / piece.len()] {
            let url = format!("https://x.example{}", piece.repeat(count));
            let count = allocations(|| {
                black_box(image.decide(&crawler, Usage::CRAWL, &url).decision());
            });
            assert_eq!(count, 0, "{profile}: a target of {} bytes", url.len());
        }
    }
}

/// Records with `patterns` patterns, so that their sets of keys take the small, the middle and the
/// large form.
fn records(patterns: usize, purpose: &str) -> Vec<u8> {
    let set: String = (0..patterns).map(|n| format!(" /{n} /{n}*x")).take(patterns.div_ceil(2)).collect();
    let text = format!(
        "User-agent: *\nDisallow: /1\nAllow: /1*$\nACAP-resource-set: s{set}\nACAP-crawler: *\n\
         ACAP-disallow-crawl: the-acap:resource-set:s\nACAP-allow-crawl: /1\nACAP-allow-crawl: /1*\n\
         ACAP-allow-present: / time-limit=3-days\nACAP-crawler: a\nACAP-allow-crawl: /1*y max-length=9-words\n\
         ACAP-usage-purpose: {purpose}\nACAP-disallow-crawl: /12\nACAP-allow-other: /\n"
    );
    image_of(text.as_bytes(), Some("h.example"), &Options::default())
}

#[test]
fn fields_are_weighed_without_allocating() {
    for (patterns, scope) in [(40, 256), (1_500, 4_096), (8_000, 65_600)] {
        let image = Image::from_bytes(records(patterns, "news")).unwrap();
        let usages = ["crawl", "index", "present-snippet", "other", "train"].map(|usage| image.usage(usage));
        let long = format!("http://h.example/1{}", "%7eA\u{e9}".repeat(150));
        let mut weighed = 0;
        for crawler in ["a", "nobody"].map(|name| image.crawler([name])) {
            for usage in usages.into_iter().flat_map(|usage| [usage, usage.for_purpose("News")]) {
                for url in [
                    "http://h.example/1",
                    "http://h.example/12xy",
                    "http://h.example/1%2Ax",
                    "http://h.example/",
                    &long,
                ] {
                    let count = allocations(|| {
                        let verdict = image.decide(&crawler, usage, url);
                        weighed += u32::from(verdict.basis() == Basis::Fields);
                        black_box((verdict.decision(), verdict.safe_decision(), verdict.is_incomplete()));
                    });
                    assert_eq!(count, 0, "{patterns} patterns, at most {scope} keys: {usage:?} of {url}");
                }
            }
        }
        assert!(weighed > 20, "{patterns} patterns: {weighed} answers weighed fields");
    }
}

#[test]
fn patterns_of_purposes_allocate_twice_each() {
    let image = Image::from_bytes(records(40, "new*")).unwrap();
    let crawler = image.crawler(["a"]);
    let ask = |usage| {
        allocations(|| _ = black_box(image.decide(&crawler, usage, "http://h.example/12").decision()))
    };
    assert_eq!(ask(Usage::CRAWL), 0);
    let count = ask(Usage::CRAWL.for_purpose("News"));
    // The pattern and the purpose in lower case, and the parts of the pattern.
    assert!((1..=3).contains(&count), "{count} allocations for one pattern of a purpose");
}

#[test]
fn a_batch_allocates_once() {
    let image = Image::from_bytes(small_image(Profile::Full)).unwrap();
    let crawlers = NAMES.map(|name| image.crawler([name]));
    let usage = Usage::CRAWL;
    let all = crawlers
        .iter()
        .flat_map(|crawler| URLS[..URLS.len() - 1].iter().map(move |url| Question { crawler, usage, url }));
    let questions: Vec<Question<'_>> = all.cycle().take(1_000).collect();
    let mut allowed = 0;
    let count = allocations(|| {
        image.decide_in_blocks(questions.iter().copied(), |verdict| {
            allowed += u32::from(verdict.is_allowed())
        });
    });
    assert!(count <= 1, "{count} allocations in a batch of {}", questions.len());
    assert!(allowed > 0);
}

/// For crawlers that ignore default groups, the records of the document are decoded; for statements
/// of pages that end, they are not, at any time.
#[test]
fn cold_records_allocate() {
    let text = b"User-agent: *\nContent-Signal: ai-train=no\nUser-agent: a\nDisallow: /x\n";
    let value = b"unavailable_after: 2030-01-01".to_vec();
    let header = Header { name: "x-robots-tag".to_owned(), value };
    let dated = Page {
        url: "http://h.example/dated".to_owned(),
        target: "/dated".to_owned(),
        headers: vec![header],
        ..Page::default()
    };
    let context = CompileContext { origin: Some("h.example"), pages: &[dated], ..CompileContext::default() };
    let options = Options::default();
    let document = compile_with(text, &context, &options);
    let entry = Entry::fetched(SiteKey::from_url("http://h.example/").unwrap(), &document);
    let image = Image::from_bytes(emit(vec![entry], &options).unwrap()).unwrap();
    let image = image.with_terms(Terms { now: Some(1_800_000_000), ..Terms::default() });
    let crawler = image.crawler(["a"]);
    let named_only = crawler.clone().named_only(true);
    let ask = |crawler: &Crawler, usage: &str, url: &str| {
        let usage = image.usage(usage);
        allocations(|| _ = black_box(image.decide(crawler, usage, url).decision()))
    };
    for usage in ["ai-train", "index", "search", "tdm"] {
        assert_eq!(ask(&crawler, usage, "http://h.example/x"), 0, "{usage}");
        assert!(ask(&named_only, usage, "http://h.example/x") > 0, "{usage}");
    }
    for now in [1_800_000_000, 1_900_000_000] {
        let image = image.clone().with_terms(Terms { now: Some(now), ..Terms::default() });
        let decide = || image.decide(&crawler, image.usage("index"), "http://h.example/dated").decision();
        assert_eq!(allocations(|| _ = black_box(decide())), 0, "{now}");
        let ended = now == 1_900_000_000;
        assert_eq!(decide(), if ended { Decision::Disallowed } else { Decision::Conditional });
    }
    assert_eq!(ask(&named_only, "crawl", "http://h.example/dated"), 0);
}
