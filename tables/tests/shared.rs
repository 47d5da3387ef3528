//! Sites that share one long document: it is decoded once, not once for each of them.

use robomaton_compiler::{Entry, Options, compile, emit};
use robomaton_formats::SiteKey;
use robomaton_runtime::Image;
use robomaton_tables::diff::{Change, diff};
use robomaton_tables::rows::{Subjects, export};
use robomaton_tables::schema::TABLES;
use robomaton_tables::use_changes::UsesAsked;
use robomaton_tables::write::{Format, Writer};
use std::convert::Infallible;
use std::fmt::Write;
use std::time::{Duration, Instant};

const SITES: u16 = 5_000;
/// Far above what it takes, and far below what decoding for each site would.
const LIMIT: Duration = Duration::from_secs(10);

/// Sites that share a text, fetched with every status of success.
fn image(last: &str) -> Image<Vec<u8>> {
    let mut text = String::from("User-agent: *\n");
    for number in 0..30_000 {
        let _ = writeln!(text, "Disallow: /{number:x}");
    }
    let options = Options::default();
    let document = compile(format!("{text}{last}\n").as_bytes(), None, &options);
    let entry = |number: u16| {
        let site = SiteKey::from_host(&format!("a{number}.example")).expect("a host");
        Entry { status: 200 + number % 100, ..Entry::fetched(site, &document) }
    };
    Image::from_bytes(emit((0..SITES).map(entry).collect(), &options).expect("it fits")).expect("an image")
}

#[test]
fn the_document_is_counted_and_measured_once() {
    let image = image("Disallow: /x");
    let (crawlers, usages) = ([String::from("a")], [String::from("crawl")]);
    let mut out = [Vec::new(), Vec::new()];
    let [sites, policy] = &mut out;
    let writer = |name, out| {
        let table = TABLES.iter().find(|table| table.name == name).expect("a table");
        Writer::new(table, Format::Csv, out).expect("a writer")
    };
    let mut writers = [writer("sites", sites), writer("policy", policy)];
    let start = Instant::now();
    export(&image, &Subjects::new(&image, &crawlers, &usages), &mut writers).expect("rows");
    assert!(start.elapsed() < LIMIT, "{:?}", start.elapsed());
    for writer in writers {
        assert_eq!(writer.finish().expect("an end"), u64::from(SITES));
    }
    let [sites, policy] = out.map(|rows| String::from_utf8(rows).expect("UTF-8"));
    assert!(sites.lines().skip(1).all(|row| row.contains(",1,30001,0,0,")));
    assert!(policy.lines().skip(1).all(|row| row.contains(",crawl,some,default,")));
}

#[test]
fn two_documents_are_compared_once() {
    let (old, new) = (image("Disallow: /x"), image("Disallow: /y"));
    let (crawlers, usages) = ([String::from("a")], [String::from("crawl")]);
    let subjects = [&old, &new].map(|image| Subjects::new(image, &crawlers, &usages));
    let uses = UsesAsked { crawlers: &[], usages: &[] };
    for (now, expected) in [(&new, Some(Change::Rules)), (&old, None)] {
        let start = Instant::now();
        let mut changes = Vec::new();
        let both = diff([&old, now], subjects.each_ref(), uses, |changed| {
            changes.push(changed.change);
            Ok::<_, Infallible>(())
        });
        assert!(start.elapsed() < LIMIT, "{:?}", start.elapsed());
        assert_eq!(both, Ok(u64::from(SITES)));
        assert_eq!(changes, vec![expected; usize::from(SITES)].into_iter().flatten().collect::<Vec<_>>());
    }
}
