//! Reading a large HTML page: without an ACAP class token, with one, and as XHTML.
//!
//! Without a token, only META elements are searched for; with one, the path of every element is
//! tracked.

#![allow(missing_docs, reason = "criterion's macros write undocumented functions")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use robomaton_corpus::read_page;
use std::hint::black_box;
use std::time::Duration;

const HEAD: &str = "<html><head><meta name=robots content=noindex></head><body><table>\n";
const ROW: &str = "<tr><td id=\"c1\" class=\"cell wide\"><p>Some text of a page, with \
    <a href=\"/a/b?c=d\">a link</a> and <b>more</b> text behind it.</p><!-- x --></td></tr>\n";

fn pages(criterion: &mut Criterion) {
    let plain = format!("{HEAD}{}</table></body></html>", ROW.repeat((8 << 20) / ROW.len()));
    let tokens = plain.replacen("class=\"cell wide\"", "class=\"the-acap:disallow-crawl\"", 1);
    let mut group = criterion.benchmark_group("page");
    group.sample_size(10).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    for (name, html, media_type) in [
        ("META alone", &plain, "text/html"),
        ("with tokens", &tokens, "text/html"),
        ("as XHTML", &plain, "application/xhtml+xml"),
    ] {
        group.throughput(Throughput::Bytes(html.len() as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| black_box(read_page(html.as_bytes(), Some(media_type))))
        });
    }
    group.finish();
}

criterion_group!(benches, pages);
criterion_main!(benches);
