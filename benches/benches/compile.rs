//! Compiling from memory: the scanner only, scanning and lowering, the whole compiler without and
//! with texts.
//!
//! Throughput counts distinct text with records, from a few hundred files.

#![allow(missing_docs, reason = "criterion's macros write undocumented functions")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use robomaton_benches::{Corpus, Field};
use robomaton_compiler::{CompileContext, Options, ProgramCache, compile_cached, lower};
use std::hint::black_box;
use std::time::Duration;

fn stages(criterion: &mut Criterion) {
    let corpus = Corpus::load().unwrap_or_else(|error| panic!("{error}"));
    let field = Field::new(&corpus, Options::default(), 400);
    let options = field.options.clone();
    let plain = Options { no_sources: true, ..Options::default() };
    let limit = options.limits.bytes(options.profile);
    let mut group = criterion.benchmark_group("compile");
    group.sample_size(10).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    group.throughput(Throughput::Bytes(field.files.iter().map(|file| file.text.len() as u64).sum()));
    let mut stage = |name: &str, work: &dyn Fn(&[u8], &mut ProgramCache)| {
        group.bench_function(name, |bencher| {
            // A new cache each time: it is empty before the first text.
            bencher.iter(|| {
                let mut cache = ProgramCache::default();
                field.files.iter().for_each(|file| work(file.text, &mut cache));
            })
        });
    };
    stage("scan", &|text, _| _ = black_box(robomaton_grammar::scan(text, limit)));
    stage("lower", &|text, _| _ = black_box(lower(&robomaton_grammar::scan(text, limit), None, &plain)));
    stage("without texts", &|text, cache| {
        _ = black_box(compile_cached(text, &CompileContext::default(), &plain, cache))
    });
    stage("with texts", &|text, cache| {
        _ = black_box(compile_cached(text, &CompileContext::default(), &options, cache))
    });
    group.finish();
}

criterion_group!(benches, stages);
criterion_main!(benches);
