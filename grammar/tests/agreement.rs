//! The two readers agree on every input, and every tree prints back byte for byte.
//!
//! Inputs are random, built from pieces that make robots-like text common, and written by hand for
//! corner cases. Trees are also checked against their invariants, so that the readers cannot be
//! wrong together there.

use proptest::prelude::*;
use robomaton_grammar::{DEFAULT_LIMIT, Key, LineKind, Span, Tree, define, diagnose, dump, scan};

/// Pieces of robots-like text: correct and misspelled keys, separators, terminators, garbage.
#[rustfmt::skip]
const PIECES: &[&[u8]] = &[
    b"User-agent", b"user-AGENT", b"useragent", b"User agent", b"User  agent", b"Allow", b"allow",
    b"Disallow", b"DISALLOW", b"dissallow", b"dissalow", b"disalow", b"diasllow", b"disallaw",
    b"disalloww", b"Sitemap", b"site-map", b"Crawl-delay", b"Request-rate", b"Visit-time", b"Comment",
    b"Host", b"Clean-param", b"Noindex", b"Robot-version", b"License", b"Content-Signal",
    b"Content-Usage", b"Nobody", b"ACAP-", b"acap-", b"Acap",
    b"ACAP-crawler", b"ACAP-allow-(x)", b"acap-IGNORE-conventional-records", b"Googlebot", b"Googlebot/2.1", b"*", b"/", b"/a*b$",
    b"https://example.com/a", b"caf\xc3\xa9", b"10", b":", b":", b": ", b" : ", b" ", b"\t", b"\n",
    b"\n", b"\n", b"\r", b"\r\n", b"#", b" # ", b"\0", b"\x0b", b"\x7f", b"\x80", b"\xa0", b"\xef",
    b"\xbb", b"\xbf", b"\xef\xbb\xbf", b"\xff",
];

/// Whole lines, so that groups are common.
#[rustfmt::skip]
const LINES: &[&[u8]] = &[
    b"User-agent: *\n", b"User-agent: a\r\n", b"user agent b\n", b"Disallow: /x\r", b"Allow: /x # c\n",
    b"\n", b"# c\r\n", b"Sitemap: /s\n", b"Crawl-delay 3\n", b"Nobody: knows\n",
    b"no separator at all\n", b": no key\n", b"Disallow:\n", b"Allow /x\r\n",
    b"ACAP-crawler: *\n", b"ACAP-disallow-crawl: /a b=c\r", b"ACAP-ignore-conventional-records # c\n",
    b"acap-crawler a\n", b"ACAP-x\n",
];

fn any_source() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        12 => prop::sample::select(PIECES).prop_map(<[u8]>::to_vec),
        6 => prop::sample::select(LINES).prop_map(<[u8]>::to_vec),
        1 => any::<u8>().prop_map(|byte| vec![byte]),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// The invariants documented in `tree`.
fn check(tree: &Tree<'_>) {
    assert_eq!(tree.print(), tree.source);
    let within = |inner: Span, outer: Span| {
        outer.start <= inner.start && inner.start <= inner.end && inner.end <= outer.end
    };
    let mut reached = tree.bom.end;
    for line in &tree.lines {
        assert_eq!(line.span.start, reached);
        assert!(!line.span.is_empty());
        reached = line.span.end;
        assert!(
            within(line.key, line.span) && within(line.value, line.span) && within(line.comment, line.span)
        );
        assert!(line.key.end <= line.value.start && line.value.end <= line.comment.start);
        match line.kind {
            LineKind::Blank => assert!(line.key.is_empty() && line.value.is_empty()),
            LineKind::Field(key) => assert_eq!(Key::from_bytes(tree.text(line.key)), Some(key)),
            LineKind::Acap => assert!(tree.text(line.key)[..5].eq_ignore_ascii_case(b"acap-")),
            LineKind::Unknown => assert!(!line.key.is_empty()),
            LineKind::Malformed => assert!(line.key.is_empty() || line.value.is_empty()),
        }
    }
    assert_eq!(reached, tree.unread.start);
    let mut reached = 0;
    for group in &tree.groups {
        assert!(reached <= group.start && group.start < group.body && group.body <= group.end);
        assert_eq!(tree.lines[group.start as usize].kind, LineKind::Field(Key::UserAgent));
        for line in &tree.lines[reached as usize..group.start as usize] {
            assert_ne!(line.kind, LineKind::Field(Key::UserAgent));
        }
        reached = group.end;
    }
}

fn agree(source: &[u8], limit: usize) {
    let scanned = scan(source, limit);
    assert_eq!(scanned, define(source, limit), "{}", source.escape_ascii());
    check(&scanned);
    diagnose(&scanned);
    dump(&scanned);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4096) })]

    #[test]
    fn on_random_sources(source in any_source()) {
        agree(&source, DEFAULT_LIMIT);
    }

    #[test]
    fn on_random_limits(source in any_source(), limit in 0usize..200) {
        agree(&source, limit);
    }

    #[test]
    fn on_random_bytes(source in prop::collection::vec(any::<u8>(), 0..80)) {
        agree(&source, DEFAULT_LIMIT);
    }
}

#[test]
fn on_samples() {
    let samples: &[&[u8]] = &[
        b"",
        b"\n",
        b"\r\n\r\r\n\n",
        b" \t",
        b"#",
        b"User-agent: *\nDisallow:",
        b"\xef\xbb\xbfUser-agent: *\r\nDisallow: /\r\n",
        b"\xef\xbbUser-agent: *\rDisallow: /\r",
        b"\xef",
        b"User-agent: a\nUser-agent: b\n\n# c\nSitemap: /s\nUser-agent: c\nAllow: /\nUser-agent: d\n",
        b"Disallow: /early\nuser agent: *\nDisallow /late\n",
        b"user agent *\nuser-agent *\nuser-agent a b\nuser-agent\n",
        b"Disallow: /a#b\nDisallow # : /b\n#Disallow: /c\nDisallow http://x/ \n",
        b"  :\n : x\n:#\n::\nAllow::/\n",
        b"<!DOCTYPE html>\n<html lang=\"en\"><body style='a:b'>404</body></html>\n",
        b"User-agent: \0\nDisallow: /\xff\xfe \t # \x80\n",
        b"ACAP-crawler: a b\nACAP-crawler a\nACAP-crawler a b\nACAP-crawler\nACAP-x y: z\nACAP-: \nACAP -: x\n",
        b"ACAP-ignore-conventional-records\nacap-ignore-conventional-records:\n",
        b" ACAP-ignore-conventional-records #\nACAP-ignore-conventional-recordss\nACAP-ignore-conventional-records x",
        b"User-agent: a\nACAP-crawler: *\nUser-agent: b\nAllow: /\nACAP-crawler: *\nAllow: /",
        b"Sitemap https://example.com/s.xml\nCrawl-delay 5\nCrawl-delay: \nNoindex /x y\n",
        b"Disallow /a:b\nAllow :/a\nAllow /a :b\nuser agent /a:b\nuser-agent a:\nuseragent a:b\nLicense https://a/b # c\n",
        b"ACAP-crawler a:b\nACAP-x :y\nACAP-x: y:z\nACAP-x y:z w\nACAP-ignore-conventional-records a:b\n",
        b"# c\n\xef\xbb\xbfUser-agent: a\n \xef\xbb\xbf \xef\xbb\xbfDisallow: /\n\xef\xbb\xbf\n\xef\xbbAllow: /\n",
        b"\xef\xbb\xbf\xef\xbb\xbfUser-agent: a\n\xef\xbb\xbf# c\n\xef\xbb\xbf: /\na\xef\xbb\xbf: b\n\xef\xbb\xbf",
        b"\xef\xbb\xbf ACAP-crawler: *\n\xef\xbb\xbfACAP-ignore-conventional-records\n\xef\xbb\xbfno record\n",
    ];
    for source in samples {
        for limit in [0, 1, 2, 3, 5, 14, 15, 16, DEFAULT_LIMIT] {
            agree(source, limit);
        }
    }
}

/// Every spelling of every key, with both separators, in capitals, and with a letter added or
/// removed.
#[test]
fn on_every_spelling() {
    let tolerated =
        ["useragent", "user agent", "dissallow", "dissalow", "disalow", "diasllow", "disallaw", "site-map"];
    for spelling in Key::ALL.map(Key::name).into_iter().chain(tolerated) {
        for key in
            [spelling.to_owned(), spelling.to_uppercase(), format!("{spelling}s"), spelling[1..].to_owned()]
        {
            for line in [format!("{key}: v\n"), format!(" {key} v # c"), format!("{key} v:"), key.clone()] {
                agree(line.as_bytes(), DEFAULT_LIMIT);
            }
        }
    }
}

#[test]
fn on_many_groups() {
    let source = b"User-agent: a\nDisallow: /\n".repeat(100_000);
    let tree = scan(&source, usize::MAX);
    assert_eq!(tree.groups.len(), 100_000);
    assert!(tree == define(&source, usize::MAX));
    assert_eq!(tree.print(), source);
}

#[test]
fn on_hostile_sources() {
    let size = 1 << 20;
    for piece in [
        b"\n".as_slice(),
        b" ",
        b"#",
        b":",
        b"a",
        b"a ",
        b"\xff",
        b"allow ",
        b"user agent\r",
        b" \t:# ",
        b"acap-",
        b"acap- ",
    ] {
        let source = piece.repeat(size / piece.len());
        assert!(scan(&source, usize::MAX) == define(&source, usize::MAX), "{}", piece.escape_ascii());
        diagnose(&scan(&source, usize::MAX));
    }
}
