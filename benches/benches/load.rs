//! Loading: opening and verifying an image of 300 sites.

#![allow(missing_docs, reason = "criterion's macros write undocumented functions")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use robomaton_benches::{Corpus, Field};
use robomaton_compiler::Options;
use robomaton_runtime::Image;
use robomaton_tests::map;
use std::hint::black_box;
use std::time::Duration;

fn loading(criterion: &mut Criterion) {
    let corpus = Corpus::load().unwrap_or_else(|error| panic!("{error}"));
    let bytes = Field::new(&corpus, Options::default(), 300).image();
    let file = tempfile::NamedTempFile::new().unwrap_or_else(|error| panic!("{error}"));
    std::fs::write(file.path(), &bytes).unwrap_or_else(|error| panic!("{error}"));
    let mut group = criterion.benchmark_group("load");
    group.sample_size(20).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    group.bench_function("open", |bencher| bencher.iter(|| black_box(map(file.path()).is_ok())));
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    let image = Image::from_bytes(&bytes[..]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(image.verify(), Ok(()));
    group.bench_function("verify", |bencher| bencher.iter(|| black_box(image.verify().is_ok())));
    group.finish();
}

criterion_group!(benches, loading);
criterion_main!(benches);
