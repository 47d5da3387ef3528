//! Growth: look-ups of random hosts in images of generated corpora of 1,000 to 100,000 sites, one
//! at a time and in batches.
//!
//! The questions of one iteration do not fit into a first-level cache, nor the largest image into a
//! second-level cache. `scale` measures look-ups outside of all caches, and larger images.

#![allow(missing_docs, reason = "criterion's macros write undocumented functions")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use robomaton_benches::generate::Generator;
use robomaton_compiler::{Document, Entry, Options, compile, emit};
use robomaton_formats::SiteKey;
use robomaton_runtime::{Image, Question, Usage};
use std::collections::BTreeMap;
use std::time::Duration;

/// Questions of one iteration.
const QUESTIONS: u64 = 4_096;

fn image(generator: &Generator, sites: u64) -> Image<Vec<u8>> {
    let options = Options { no_sources: true, ..Options::default() };
    let mut documents: BTreeMap<u64, Document> = BTreeMap::new();
    let sites: Vec<_> = generator.sites(0..sites).collect();
    for site in &sites {
        documents.entry(site.text).or_insert_with(|| compile(&generator.text(site.text), None, &options));
    }
    let entry = |site: &robomaton_benches::generate::Site| {
        let key =
            SiteKey::from_url(&format!("https://{}/", site.host)).unwrap_or_else(|error| panic!("{error}"));
        Entry::fetched(key, &documents[&site.text])
    };
    let entries = sites.iter().map(entry).collect();
    let bytes = emit(entries, &options).unwrap_or_else(|error| panic!("{error}"));
    Image::from_bytes(bytes).unwrap_or_else(|error| panic!("{error}"))
}

fn growth(criterion: &mut Criterion) {
    let generator = Generator::shipped(1).unwrap_or_else(|error| panic!("{error}"));
    let mut group = criterion.benchmark_group("scale");
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(800));
    group.throughput(Throughput::Elements(QUESTIONS));
    for sites in [1_000, 10_000, 100_000] {
        let image = image(&generator, sites);
        let crawler = image.crawler(["Googlebot"]);
        // A step that is coprime to the number of sites visits them in no order of the image.
        let url = |n| format!("https://{}/search?q=shoes&page=3", generator.site(n * 7_919 % sites).host);
        let urls: Vec<String> = (0..QUESTIONS).map(url).collect();
        assert!(urls.iter().all(|url| image.site(url).is_some()), "a host is not in its image");
        group.bench_with_input(BenchmarkId::new("one", sites), &urls, |bencher, urls| {
            let is_allowed = |url: &&String| image.decide(&crawler, Usage::CRAWL, url).is_allowed();
            bencher.iter(|| urls.iter().filter(is_allowed).count());
        });
        group.bench_with_input(BenchmarkId::new("batch", sites), &urls, |bencher, urls| {
            let question = |url| Question { crawler: &crawler, usage: Usage::CRAWL, url };
            bencher.iter(|| {
                let mut allowed = 0;
                let questions = urls.iter().map(|url| question(url.as_str()));
                image.decide_batch(questions, |verdict| allowed += usize::from(verdict.is_allowed()));
                allowed
            });
        });
    }
    group.finish();
}

criterion_group!(benches, growth);
criterion_main!(benches);
