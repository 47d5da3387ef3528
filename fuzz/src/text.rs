//! A question and a text through everything that is made of a text.
//!
//! ```text
//! input    := options question 0x0A text [0xFE file]
//! options  := u8: bits 0–1 profile, bit 5 a file /r.txt follows, bit 6 elements of pages, bit 7 groups that name the crawler only
//! question := names [TAB url [TAB usage [TAB purpose]]]
//! ```

use crate::{NOW, profile};
use robomaton_compiler::Options;
use robomaton_explain::{Error, Origin, Query, SingleSite, SiteFiles, TextQuery, lint::lint};
use robomaton_formats::Profile;
use robomaton_runtime::Terms;
use robomaton_tables::rows::{self, Subjects};
use robomaton_tables::schema::TABLES;
use robomaton_tables::write::{Format, Writer};

/// Symbols of patterns that lint compares.
const STEPS: usize = 10_000;

/// Explains an answer of a text, and makes an image of it with and without packed programs.
///
/// # Panics
/// If the engines differ, or an image does not verify.
pub fn text(data: &[u8]) {
    let Some((&options, rest)) = data.split_first() else { return };
    let end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
    let (question, text) = (&rest[..end], rest.get(end + 1..).unwrap_or_default());
    let question = String::from_utf8_lossy(question);
    let mut words = question.split('\t');
    let agents = words.next().unwrap_or_default().split(',').map(str::to_owned).collect();
    let url = words.next().unwrap_or("/");
    let usage = words.next().filter(|usage| !usage.is_empty()).unwrap_or("crawl").to_owned();
    let query = Query {
        agents,
        usage,
        purpose: words.next().map(str::to_owned),
        elements: options & 1 << 6 != 0,
        named_only: options & 1 << 7 != 0,
    };
    let (text, files) = match text.iter().position(|&byte| byte == 0xFE).filter(|_| options & 1 << 5 != 0) {
        Some(at) => (&text[..at], SiteFiles(vec![("/r.txt".to_owned(), text[at + 1..].to_vec())])),
        None => (text, SiteFiles::default()),
    };
    ask(text, &files, profile(options), &query, url);
}

fn ask(text: &[u8], files: &SiteFiles, profile: Profile, query: &Query, url: &str) {
    let options = Options { profile, ..Options::default() };
    let terms = Terms { now: Some(NOW), elements: query.elements, ..Terms::default() };
    let asked = TextQuery { text, files, options: &options, query, terms: &terms, url };
    let bug = |error: &Error| matches!(error, Error::Disagreement { .. } | Error::NoSite | Error::Image(_));
    if let Some(error) = asked.explain_lines().err().filter(bug) {
        panic!("{error}");
    }
    let Ok(origin) = Origin::of(url, profile) else { return };
    let [packed, plain] = [false, true].map(|plain_programs| {
        let options = Options { plain_programs, ..options.clone() };
        let single = SingleSite::compile(text, &origin, files, &options).expect("a text fits an image");
        single.image().verify_with_texts().expect("what was written verifies");
        single
    });
    let answer = |single: &SingleSite| {
        let (crawler, usage) = query.resolve(single.image());
        let site = single.site().expect("an image of one site has it");
        let schedule = site.schedule(&crawler);
        let _ = (schedule.may_visit(NOW), schedule.wait(NOW, Some(5), None), site.crawl_delay(&crawler));
        let verdict = site.decide(&crawler, usage, url);
        let lines: Vec<u32> = verdict.rules().iter().map(|rule| rule.line).collect();
        (verdict.decision(), verdict.is_incomplete(), lines)
    };
    assert_eq!(answer(&packed), answer(&plain), "packed programs and tries differ");
    let (names, usages) = (["a".to_owned(), query.agents.concat()], ["crawl".to_owned()]);
    let subjects = Subjects::new(packed.image(), &names, &usages);
    let writer = |table| Writer::new(table, Format::Jsonl, std::io::sink()).expect("a sink takes everything");
    let mut writers: Vec<Writer<'_>> = TABLES.iter().map(writer).collect();
    rows::export(packed.image(), &subjects, &mut writers).expect("a sink takes everything");
    let _ = lint(text, &origin, files, &options, STEPS);
}
