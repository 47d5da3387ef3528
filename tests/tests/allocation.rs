//! A look-up allocates nothing: counted, not promised.
//!
//! The crate `allocation-counter` stands in for the allocator of this binary and counts per thread.

use allocation_counter::measure;
use robomaton_formats::Profile;
use robomaton_runtime::{Image, Question, Usage};
use robomaton_tests::damage::{URLS, small_image};
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
                // What is no URL is refused by the `url` crate, which may allocate.
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
            assert_eq!(count, 0, "{profile}: a target of {} octets", url.len());
        }
    }
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
        image.decide_batch(questions.iter().copied(), |verdict| allowed += u32::from(verdict.is_allowed()));
    });
    assert!(count <= 1, "{count} allocations in a batch of {}", questions.len());
    assert!(allowed > 0);
}
