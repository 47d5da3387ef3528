//! Every limit of the compiler at its value: a text with as much is read whole, one with one more
//! is over that limit, and its image disallows everything (R4).
//!
//! A new limit does not compile without a text here. What hostile texts cost below the limits is in
//! `hostile.rs`.

use robomaton_compiler::{
    CompileContext, Document, Entry, LimitName, Limits, MAX_GROUPS, Options, compile_with, emit,
};
use robomaton_formats::policy::{MAX_ENTRIES, MAX_SETS};
use robomaton_formats::purpose::MAX_PURPOSE;
use robomaton_formats::{Outcome, SiteKey};
use robomaton_runtime::{Decision, Image};

const ALL: [LimitName; 19] = [
    LimitName::Groups,
    LimitName::Rules,
    LimitName::Stars,
    LimitName::Pattern,
    LimitName::Usages,
    LimitName::References,
    LimitName::Conditions,
    LimitName::Times,
    LimitName::Depth,
    LimitName::Patterns,
    LimitName::Merged,
    LimitName::Sets,
    LimitName::Entries,
    LimitName::Field,
    LimitName::SubRecords,
    LimitName::RecordFields,
    LimitName::SubRecordFields,
    LimitName::Purposes,
    LimitName::Purpose,
];

fn lines(head: &str, count: usize, line: impl Fn(usize) -> String) -> String {
    head.to_owned() + &(0..count).map(|n| line(n) + "\n").collect::<String>()
}

/// A value of a limit, the limits with this value, and a text with so much of what it counts.
fn bound(limit: LimitName) -> (usize, Limits, fn(usize) -> String) {
    /// The groups of [`LimitName::Sets`] are so many rows and as many columns; each name is in one
    /// of either.
    const SIDE: usize = 260;
    let default = Limits::default();
    let large = Limits { bytes: Some(64 << 20), groups: MAX_GROUPS, ..Limits::default() };
    match limit {
        LimitName::Groups => (3, Limits { groups: 3, ..default }, |count| {
            lines("", count, |n| format!("User-agent: b{n}\nDisallow: /{n}"))
        }),
        LimitName::Rules => (3, Limits { rules: 3, ..default }, |count| {
            lines("User-agent: *\n", count, |n| format!("Disallow: /{n}"))
        }),
        LimitName::Stars => (3, Limits { stars: 3, ..default }, |count| {
            lines("User-agent: *\n", count, |n| format!("Disallow: /*{n}"))
        }),
        LimitName::Pattern => (5, Limits { pattern: 5, ..default }, |count| {
            format!("User-agent: *\nDisallow: /{}\n", "x".repeat(count - 1))
        }),
        LimitName::Usages => (3, Limits { usages: 3, ..default }, |count| {
            lines("ACAP-crawler: *\n", count, |n| format!("ACAP-allow-own{n}: /"))
        }),
        LimitName::References => (3, Limits { references: 3, ..default }, |count| {
            lines("ACAP-crawler: *\n", count, |n| format!("ACAP-permissions-reference: /{n}"))
        }),
        LimitName::Conditions => (3, Limits { conditions: 3, ..default }, |count| {
            let conditions: String = (1..count).map(|n| format!(" own{n}=x")).collect();
            let head = "ACAP-qualified-usage: q present max-length=9\nACAP-crawler: *\n";
            format!("{head}ACAP-allow-(q): /{conditions}\n")
        }),
        LimitName::Times => (3, Limits { times: 3, ..default }, |count| {
            lines("User-agent: *\n", count, |n| format!("Request-rate: {}/60", n + 1))
        }),
        // Few rules with stars need no trie. It is of segments read from their end.
        LimitName::Depth => (3, Limits { depth: 3, ..default }, |count| {
            let many = lines("User-agent: *\n", 100, |n| format!("Disallow: /{n}*b"));
            lines(&many, count, |n| format!("Disallow: /{n}*{}", "a".repeat(n + 1)))
        }),
        LimitName::Patterns => (3, Limits { patterns: 3, ..default }, |count| {
            lines("ACAP-crawler: *\n", count, |n| format!("ACAP-disallow-crawl: /{n}"))
        }),
        // The names of crawlers in records, for each rule set.
        LimitName::Merged => (1 << 20, large, |count| {
            let sets = "User-agent: a\nRobot-version: 1.0.0\nDisallow: /\n".repeat(1 << 10);
            let names = count.div_ceil(1 << 10);
            lines(&sets, names, |n| format!("ACAP-crawler: a{n}\nACAP-allow-crawl: /"))
        }),
        LimitName::Sets => (MAX_SETS, large, |count| {
            let name = |n: usize| format!("User-agent: b{n}");
            let group = |k: usize| {
                let side = (0..SIDE).map(|n| if k < SIDE { k * SIDE + n } else { n * SIDE + k - SIDE });
                let names: Vec<_> = side.filter(|&n| n < count).map(name).collect();
                // No rule matches what another one matches.
                names.join("\n") + &format!("\nDisallow: /{k:03}")
            };
            lines("", 2 * SIDE, group)
        }),
        // Groups without stars would become one program.
        LimitName::Entries => (MAX_ENTRIES, large, |count| {
            lines("", count, |n| format!("User-agent: a\nUser-agent: b{n}\nDisallow: /*{n}"))
        }),
        LimitName::Field => (40, Limits { field: 40, ..default }, |count| {
            let key = "ACAP-disallow-crawl: /";
            format!("ACAP-crawler: *\n{key}{}\n", "x".repeat(count - key.len()))
        }),
        LimitName::SubRecords => (3, Limits { sub_records: 3, ..default }, |count| {
            lines("ACAP-crawler: *\n", count, |n| format!("ACAP-usage-purpose: p{n}\nACAP-disallow-crawl: /"))
        }),
        LimitName::RecordFields => (3, Limits { record_fields: 3, ..default }, |count| {
            lines("ACAP-crawler: *\n", count, |n| format!("ACAP-disallow-crawl: /{n}"))
        }),
        LimitName::SubRecordFields => (3, Limits { sub_record_fields: 3, ..default }, |count| {
            let head = "ACAP-crawler: *\nACAP-usage-purpose: p\n";
            lines(head, count, |n| format!("ACAP-disallow-crawl: /{n}"))
        }),
        LimitName::Purposes => (64, default, |count| {
            lines("ACAP-crawler: *\n", count, |n| format!("ACAP-usage-purpose: p{n}\nACAP-disallow-crawl: /"))
        }),
        LimitName::Purpose => (MAX_PURPOSE, default, |count| {
            let purpose = "p".repeat(count);
            format!("ACAP-crawler: *\nACAP-usage-purpose: {purpose}\nACAP-disallow-crawl: /\n")
        }),
    }
}

fn compiled(text: &str, options: &Options) -> Document {
    let file = b"ACAP-crawler: *\nACAP-disallow-crawl: /\n".as_slice();
    let files = ["/0", "/1", "/2", "/3"].map(|path| (path, file));
    let context = CompileContext { files: &files, ..CompileContext::default() };
    compile_with(text.as_bytes(), &context, options)
}

#[test]
fn each_limit_holds_at_its_value_and_not_beyond() {
    for limit in ALL {
        let (allowed, limits, text) = bound(limit);
        let options = Options { limits, ..Options::default() };
        let within = compiled(&text(allowed), &options);
        assert_eq!(within.over_limit, None, "{limit:?}");
        assert_eq!(within.outcome, Outcome::Rules, "{limit:?}");
        let beyond = compiled(&text(allowed + 1), &options);
        let over = beyond.over_limit.unwrap_or_else(|| panic!("{limit:?}: not over"));
        assert_eq!((over.limit, over.allowed), (limit, allowed));
        assert_eq!(beyond.outcome, Outcome::OverLimit, "{limit:?}");

        let site = SiteKey::from_host("h.example").expect("a host");
        let bytes = emit(vec![Entry::fetched(site, &beyond)], &options).expect("an image");
        let image = Image::from_bytes(bytes).expect("an image");
        let decision =
            image.decide(&image.crawler(["bot"]), image.usage("crawl"), "https://h.example/").decision();
        assert_eq!(decision, Decision::Disallowed, "{limit:?}");
    }
}
