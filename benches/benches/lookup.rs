//! Look-ups: with the site resolved, by full URL, in batches; and with the site resolved, by class
//! of rules.
//!
//! One iteration is one pass over all questions, so throughput is questions per second. `versus`
//! uses the same questions and asserts the answers.

#![allow(missing_docs, reason = "criterion's macros write undocumented functions")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use robomaton_benches::queries::Lengths;
use robomaton_benches::{Asked, Asker, Class, Corpus, Field, Queries};
use robomaton_compiler::Options;
use robomaton_runtime::Image;
use std::time::Duration;

fn asking(criterion: &mut Criterion) {
    let corpus = Corpus::load().unwrap_or_else(|error| panic!("{error}"));
    let field = Field::new(&corpus, Options::default(), 600);
    let queries = Queries::derive(&field, 33, Lengths::Long).shuffled();
    let image = Image::from_bytes(field.image()).unwrap_or_else(|error| panic!("{error}"));
    let asker = Asker::new(&image, &queries).unwrap_or_else(|error| panic!("{error}"));
    let mut group = criterion.benchmark_group("lookup");
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(800));
    group.throughput(Throughput::Elements(queries.all().len() as u64));
    let resolved = |asked: &[Asked<'_>]| asked.iter().filter(|asked| asked.resolved()).count();
    let full_url = |asked: &[Asked<'_>]| asked.iter().filter(|asked| asked.full_url(&image)).count();
    let asked = asker.asked(&queries);
    group.bench_function("site_resolved", |bencher| bencher.iter(|| resolved(&asked)));
    group.bench_function("full_url", |bencher| bencher.iter(|| full_url(&asked)));
    group.bench_function("batch", |bencher| bencher.iter(|| asker.batch(&asked)));
    let largest = queries.largest(Class::MultiStar);
    let classes =
        Class::ALL.map(|class| (class.name(), queries.only(|seat| queries.seats[seat].class == class)));
    for (name, queries) in
        classes.into_iter().chain([("largest set", queries.only(|seat| Some(seat) == largest))])
    {
        if !queries.all().is_empty() {
            group.throughput(Throughput::Elements(queries.all().len() as u64));
            let id = BenchmarkId::new("site_resolved", name);
            let asked = asker.asked(&queries);
            group.bench_function(id, |bencher| bencher.iter(|| resolved(&asked)));
        }
    }
    group.finish();
}

criterion_group!(benches, asking);
criterion_main!(benches);
