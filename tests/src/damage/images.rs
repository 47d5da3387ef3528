//! The images that are damaged: a small one with a bit of everything for each profile, and one for
//! each thing that it does not have.
//!
//! Together they have every form of program, field, scope and purpose, pages, data.txt, the modern
//! languages, and shards. Invariant: each has a few kilobytes, so that every bit of it can be
//! tried, and uses the hosts of [`URLS`], so that these find something.

use super::URLS;
use crate::modern::{Page as ModernPage, Site, image::bytes};
use robomaton_compiler::{
    CompileContext, Document, Element, Entry, Merge, MetaTag, Options, Page, compile, compile_with, emit,
};
use robomaton_formats::read::{Layout, View};
use robomaton_formats::{Outcome, Profile, SiteKey};
use std::fmt::Write as _;

/// Every image by name, one file each.
pub fn images() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("small", small_image(Profile::Full)),
        ("small-rfc9309", small_image(Profile::Rfc9309)),
        ("small-google", small_image(Profile::Google)),
        ("small-koster", small_image(Profile::Koster)),
        ("programs", programs(false)),
        ("tries", programs(true)),
        ("scopes", scopes()),
        ("modern", modern()),
    ]
}

/// The shards of an image: the files of a directory, by number.
///
/// # Panics
/// If the image is damaged.
pub fn shards(image: &[u8], count: u8) -> Vec<Vec<u8>> {
    let layout = Layout::parse(image).expect("an image");
    let merge = Merge::new(&[View::new(image, &layout)]).expect("one image");
    let shard = |number| {
        let mut out = Vec::new();
        merge.write((number, count - 1), || Ok(Vec::new()), &mut out).expect("a part of what fits");
        out
    };
    (0..count).map(shard).collect()
}

/// Texts: wildcards, several programs for one crawler, escapes, extensions, a non-standard usage;
/// one program for all.
const TEXTS: [&str; 3] = [
    "User-agent: a\nUser-agent: *\nDisallow: /*.gif$\nAllow: /%2A*x*y\nCrawl-delay: 2.5\nNoindex: /n*o\n\
     \nUser-agent: a\nDisallow: /private\nAllow: /private/open$\n\nUser-agent: b\nSitemap: https://x.example/s.xml\n",
    "User-agent: c\nDisallow: /\n\nUser-agent: d\nDisallow: /aa*bb\nDisallow: /aa*cc*dd$\nAllow: /ab\nAllow: /b\n",
    "User-agent: *\nDisallow: /p\n",
];

/// Fields of every kind together with conventional groups: conditions, purposes, a special usage
/// and its general form, patterns that match the same targets, references to an existing and to a
/// missing file.
const RECORDS: &str = "##ACAP version=1.0\nUser-agent: *\nDisallow: /p\nDisallow: /*.gif$\nUser-agent: a\nAllow: /p/o\n\
     ACAP-qualified-usage: q present-snippet max-length=9-words\nACAP-resource-set: s /p /p* /p** /n*o\n\
     ACAP-crawler: *\nACAP-disallow-crawl: the-acap:resource-set:s\nACAP-allow-crawl: /p*n$\n\
     ACAP-allow-(q): /\nACAP-disallow-present: /p\nACAP-allow-other: /n time-limit=3-days\n\
     ACAP-permissions-reference: /r.txt\nACAP-permissions-reference: /none.txt\n\
     ACAP-crawler: a\nACAP-allow-crawl: /p time-limit=until-recrawled\nACAP-disallow-train: /*\n\
     ACAP-usage-purpose: news*\nACAP-usage-purpose: ads\nACAP-disallow-crawl: /private$\nACAP-request-take-down: /p\n";

/// The contents of `/r.txt`.
const REFERRED: &str = "ACAP-crawler: b\nACAP-crawler: *\nACAP-disallow-index: /%2A*x\n";

/// Rule sets of two versions, and their records about time.
const VERSIONED: &str = "User-agent: a\nRobot-version: 2.0.0\nAllow: /p*\nDisallow: *.gif\nRequest-rate: 1/10m 0600-0845\n\
     Visit-time: 0600-0845\n\nUser-agent: *\nRobot-version: 1.0\nDisallow: /n\nComment: hello\n";

/// The small image: three sites with rules, one of them with one program for all crawlers, and one
/// without. Under `full`, also one with ACAP records and pages, one with pages only, one with
/// versioned rule sets, and a data.txt.
///
/// # Panics
/// Never: a few sites fit an image.
pub fn small_image(profile: Profile) -> Vec<u8> {
    let options = Options { profile, ..Options::default() };
    let documents = TEXTS.map(|text| compile(text.as_bytes(), None, &options));
    let site = |url| SiteKey::from_url(url).expect("a good URL");
    let more = more_documents(&options);
    let mut entries = vec![
        Entry { fetched_at: 1_700_000_000, ..Entry::fetched(site(URLS[0]), &documents[0]) },
        Entry { fresh_for: Some(60), ..Entry::fetched(site(URLS[3]), &documents[1]) },
        Entry::fetched(site(URLS[11]), &documents[2]),
        Entry {
            site: site(URLS[5]),
            outcome: Outcome::Unavailable,
            status: 404,
            fetched_at: 1,
            fresh_for: None,
            document: None,
        },
    ];
    if profile == Profile::Full {
        let [records, pages, versions, data] = &more;
        entries.push(Entry::fetched(site(URLS[7]), records));
        entries.push(Entry {
            outcome: Outcome::Unavailable,
            status: 404,
            ..Entry::fetched(site(URLS[9]), pages)
        });
        entries.push(Entry::fetched(site(URLS[10]), versions));
        let key = site(URLS[10]).with_document("data.txt").expect("a short name");
        entries.push(Entry { fetched_at: 9, ..Entry::fetched(key, data) });
    }
    emit(entries, &options).expect("a few sites fit an image")
}

/// ACAP records with pages, pages alone, versioned rule sets, a data.txt.
fn more_documents(options: &Options) -> [Document; 4] {
    let meta = |name: &str, content: &str| MetaTag {
        name: name.to_owned(),
        content: content.to_owned(),
        line: 3,
        in_noscript: false,
    };
    let metas = vec![
        meta("robots", "noindex"),
        meta("robots", "ACAP news allow-crawl"),
        meta("a", "ACAP disallow-present time-limit=3-days"),
    ];
    let page = |url: &str, metas: Vec<MetaTag>| Page {
        url: url.to_owned(),
        target: "/p".to_owned(),
        metas,
        elements: vec![Element { token: "the-acap:disallow-present-snippet".to_owned(), line: 9 }],
        ..Page::default()
    };
    let files = [("/r.txt", REFERRED.as_bytes())];
    let around = |pages| CompileContext { files: &files, pages, ..CompileContext::default() };
    let of_records = [page("https://zacap.example/p", vec![meta("robots", "ACAP disallow-other")])];
    let alone = [page("https://zpage.example/p", metas)];
    let koster = Options { profile: Profile::Koster, ..options.clone() };
    [
        compile_with(RECORDS.as_bytes(), &around(&of_records), options),
        compile_with(b"", &around(&alone), options),
        compile(VERSIONED.as_bytes(), None, options),
        compile(b"User-agent: a\nDisallow: /private\n\nUser-agent: *\nAllow: /\n", None, &koster),
    ]
}

/// Sets of rules for every form of program: packed with several masks, tries of literals, stars in
/// a packed program beside a trie, tries of segments that are rare and frequent. With `plain`,
/// tries only.
fn programs(plain: bool) -> Vec<u8> {
    let options = Options { plain_programs: plain, ..Options::default() };
    let text = |rules: &mut dyn FnMut(usize) -> String, count: usize| {
        (0..count).fold("User-agent: *\n".to_owned(), |mut text, n| {
            let sense = if n % 3 == 0 { "Allow" } else { "Disallow" };
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{sense}: /{}", rules(n));
            text
        })
    };
    let [packed, literals, split, segments] = [
        text(&mut |n| ["p", "n*o", "private$", "*.gif$", "%2A*x"][n % 5].repeat(1 + n / 5), 20),
        text(&mut |n| format!("a{n:x}"), 66),
        text(&mut |n| if n < 62 { format!("n{n:x}") } else { format!("*/{n:x}*.gif") }, 66),
        text(&mut |n| if n < 60 { format!("{n:x}*/b") } else { format!("*/*{n:x}$") }, 70),
    ];
    let documents = [packed, literals, split, segments].map(|text| compile(text.as_bytes(), None, &options));
    let sites = [URLS[0], URLS[3], URLS[7], URLS[10]];
    let entries = sites
        .iter()
        .zip(&documents)
        .map(|(url, document)| Entry::fetched(SiteKey::from_url(url).expect("a good URL"), document));
    emit(entries.collect(), &options).expect("a few sites fit an image")
}

/// A scope with more patterns than one byte numbers, runs of narrower patterns, fields with
/// purposes and conditions, sub-records.
fn scopes() -> Vec<u8> {
    let options = Options::default();
    let set: String = (0..270).map(|n| format!(" /{n:x}{}", ["", "*", "$"][n % 3])).collect();
    let text = format!(
        "User-agent: *\nDisallow: /p*\nACAP-resource-set: s{set}\nACAP-crawler: *\n\
         ACAP-disallow-crawl: the-acap:resource-set:s\nACAP-allow-crawl: /p*n\nACAP-allow-crawl: /p*\n\
         ACAP-usage-purpose: news*\nACAP-usage-purpose: ads\nACAP-disallow-crawl: /n\n\
         ACAP-allow-present-snippet: /n time-limit=3-days max-length=9-words\n\
         ACAP-crawler: a\nACAP-usage-purpose: ads\nACAP-disallow-other: /n/*\n"
    );
    let document = compile(text.as_bytes(), None, &options);
    let site = SiteKey::from_url(URLS[7]).expect("a good URL");
    emit(vec![Entry::fetched(site, &document)], &options).expect("one site fits an image")
}

/// Statements about uses in every language and carrier.
fn modern() -> Vec<u8> {
    const RSL: &str = "<rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/n*\" server=\"https://l.example/\">\
         <license><permits type=\"usage\">search ai-train</permits><prohibits type=\"geo\">DE</prohibits>\
         <payment type=\"crawl\"><amount currency=\"USD\">0.5</amount></payment></license></content></rsl>";
    const ROBOTS: &str = "License: https://x.example/l.xml\nContent-Signal: search=yes\nUser-agent: *\n\
         Content-Usage: train-ai=n\nContent-Usage: /private/ train-ai=y, search=n\nContent-Signal: ai-train=no\n\
         DisallowAITraining: /n\nAllowAITraining: /n/o\nNoindex: /p\nDisallow: /%2A\nClean-param: a&b /p\n\n\
         User-agent: Google-Extended\nDisallow: /\n\nUser-agent: a\nContent-Signal: /n ai-train=no, ai-input=yes\n";
    let https = |url: &str| Site::new(&url[..url.find(".example").map_or(0, |at| at + ".example".len())]);
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let text = |text: &str| Some(text.as_bytes().to_vec());
    let headers = vec![
        header("X-Robots-Tag", "a: noindex, max-snippet: 20"),
        header("X-Robots-Tag", "unavailable_after: 2030-01-01"),
        header("Content-Usage", "train-ai=n"),
        header("tdm-reservation", "1"),
        header("tdm-policy", "https://x.example/policy"),
    ];
    let html = format!(
        "<meta name=robots content='noimageindex, nosnippet'><meta name=tdm-reservation content=0>\
         <p data-nosnippet>x</p><script type='application/rsl+xml'>{RSL}</script>"
    );
    let page = ModernPage { url: URLS[9].to_owned(), headers, html: Some(html) };
    bytes(&[
        Site {
            robots: text(ROBOTS),
            documents: vec![("https://x.example/l.xml".to_owned(), RSL.into())],
            tokens: [("our-token".to_owned(), vec!["ai-train".to_owned()])].into(),
            tables: vec!["bing-2023".to_owned()],
            ..https(URLS[0])
        },
        Site {
            robots: text("User-agent: our-token\nDisallow: /n\n"),
            tdmrep: text(
                "[{\"location\":\"/p\",\"tdm-reservation\":1,\"tdm-policy\":\"https://zacap.example/q\"}]",
            ),
            ai_txt: text("User-agent: *\nDisallow: /n\nAllow: /n/o\n"),
            ..https(URLS[7])
        },
        Site { pages: vec![page], ..https(URLS[9]) },
    ])
}
