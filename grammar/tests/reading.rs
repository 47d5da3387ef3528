//! The results of reading, rule by rule of GRAMMAR.md, written by hand.
//!
//! `agreement` shows that the readers agree; this file shows that they are right where they could
//! be wrong together.

use robomaton_grammar::{DEFAULT_LIMIT, LineKind, Tree, scan};

fn read(source: &[u8]) -> Tree<'_> {
    scan(source, DEFAULT_LIMIT)
}

/// Each line as `Kind(key|value)comment`.
fn lines(source: &[u8]) -> Vec<String> {
    let tree = read(source);
    let show = |line: &robomaton_grammar::Line| {
        let [key, value, comment] =
            [line.key, line.value, line.comment].map(|span| tree.text(span).escape_ascii().to_string());
        match line.kind {
            LineKind::Field(kind) => format!("{kind}({key}|{value}){comment}"),
            kind => format!("{kind:?}({key}|{value}){comment}"),
        }
    };
    tree.lines.iter().map(show).collect()
}

/// Each group as its three indexes.
fn groups(source: &[u8]) -> Vec<[u32; 3]> {
    read(source).groups.iter().map(|group| [group.start, group.body, group.end]).collect()
}

#[test]
fn r1_bytes() {
    assert_eq!(lines(b"\xef\xbb\xbfAllow: /\xff"), ["Allow(Allow|/\\xff)"]);
    assert_eq!(lines(b"\xef\xbbAllow:"), ["Allow(Allow|)"]);
    assert_eq!(lines(b"a\n\xef\xbb\xbf Allow:"), ["Malformed(a|)", "Allow(Allow|)"]);
    assert_eq!(lines(b"a\n \xef\xbb\xbf\xef\xbb\xbf# b"), ["Malformed(a|)", "Blank(|)# b"]);
    assert_eq!(lines(b"a\n\xef\xbbAllow:"), ["Malformed(a|)", "Unknown(\\xef\\xbbAllow|)"]);
    assert_eq!(lines(b"\xbb\xbfAllow:"), ["Unknown(\\xbb\\xbfAllow|)"]);
    assert_eq!(lines(b"Allow\0: \0"), ["Unknown(Allow\\x00|\\x00)"]);
    assert_eq!(lines(b"Allow\xc2\xa0:\x0c/"), ["Unknown(Allow\\xc2\\xa0|\\x0c/)"]);
}

#[test]
fn r2_lines() {
    assert_eq!(lines(b""), [""; 0]);
    assert_eq!(lines(b"a\rb\nc\r\nd"), ["Malformed(a|)", "Malformed(b|)", "Malformed(c|)", "Malformed(d|)"]);
    assert_eq!(lines(b"\n\r \t\r\n"), ["Blank(|)", "Blank(|)", "Blank(|)"]);
    assert_eq!(lines(b" # a # b \nAllow:/x#y"), ["Blank(|)# a # b ", "Allow(Allow|/x)#y"]);
    assert_eq!(read(b"a\nb\n").lines.len(), 2);
    assert_eq!(read(b"a\nb\n").line_number(1), 2);
}

#[test]
fn r3_keys() {
    assert_eq!(lines(b"\t Disallow \t: /a b\t "), ["Disallow(Disallow|/a b)"]);
    assert_eq!(lines(b"disallow:: x"), ["Disallow(disallow|: x)"]);
    assert_eq!(lines(b"User Agent: x"), ["User-agent(User Agent|x)"]);
    assert_eq!(lines(b"User  Agent: x"), ["Unknown(User  Agent|x)"]);
    assert_eq!(lines(b"User\tAgent: x"), ["Unknown(User\\tAgent|x)"]);
    assert_eq!(lines(b"Disallows: x"), ["Unknown(Disallows|x)"]);
    assert_eq!(lines(b" : x"), ["Malformed(|x)"]);
}

#[test]
fn r3_missing_colon() {
    assert_eq!(lines(b"SITE-MAP \t /s # c"), ["Sitemap(SITE-MAP|/s)# c"]);
    assert_eq!(lines(b"Disallow /a b"), ["Malformed(Disallow /a b|)"]);
    assert_eq!(lines(b"Disallow /a:b"), ["Disallow(Disallow|/a:b)"]);
    assert_eq!(lines(b"License https://a/"), ["License(License|https://a/)"]);
    assert_eq!(lines(b"ACAP-crawler a:b"), ["Acap(ACAP-crawler a|b)"]);
    assert_eq!(lines(b"User-agent *:"), ["Unknown(User-agent *|)"]);
    assert_eq!(lines(b"User-agent https://a/"), ["Unknown(User-agent https|//a/)"]);
    assert_eq!(lines(b"Disallow /a: b"), ["Unknown(Disallow /a|b)"]);
    assert_eq!(lines(b"Disallow x:y :z"), ["Unknown(Disallow x|y :z)"]);
    assert_eq!(lines(b"Hello https://a/"), ["Unknown(Hello https|//a/)"]);
    assert_eq!(lines(b"Disallow /a # :"), ["Disallow(Disallow|/a)# :"]);
    assert_eq!(lines(b"Disallow # /a"), ["Malformed(Disallow|)# /a"]);
    assert_eq!(lines(b"User agent x"), ["Malformed(User agent x|)"]);
    assert_eq!(lines(b"Hello world"), ["Malformed(Hello world|)"]);
}

#[test]
fn v1_acap() {
    assert_eq!(lines(b" acap-Crawler : a b # c"), ["Acap(acap-Crawler|a b)# c"]);
    assert_eq!(
        lines(b"ACAP-crawler a\nACAP-crawler a b"),
        ["Acap(ACAP-crawler|a)", "Malformed(ACAP-crawler a b|)"]
    );
    assert_eq!(lines(b"ACAP-allow x: /"), ["Acap(ACAP-allow x|/)"]);
    assert_eq!(
        lines(b"ACAP-:\nACAP:x\nACAP -x: y"),
        ["Acap(ACAP-|)", "Unknown(ACAP|x)", "Unknown(ACAP -x|y)"]
    );
    assert_eq!(
        lines(b"ACAP-crawler\nx ACAP-crawler: y"),
        ["Malformed(ACAP-crawler|)", "Unknown(x ACAP-crawler|y)"]
    );
    assert_eq!(
        groups(b"User-agent: a\nACAP-crawler: *\nUser-agent: b\nAllow:\nACAP-crawler: *\nAllow:"),
        [[0, 3, 6]]
    );
}

#[test]
fn v4_directive() {
    let directive = "Acap(ACAP-ignore-conventional-records|)";
    assert_eq!(lines(b"\tACAP-ignore-conventional-records "), [directive]);
    assert_eq!(lines(b"ACAP-ignore-conventional-records:"), [directive]);
    assert_eq!(lines(b"ACAP-ignore-conventional-records x"), ["Acap(ACAP-ignore-conventional-records|x)"]);
    assert_eq!(
        lines(b"ACAP-ignore-conventional-recordss"),
        ["Malformed(ACAP-ignore-conventional-recordss|)"]
    );
}

#[test]
fn r4_limit() {
    let cut = |source, limit| scan(source, limit).unread.start;
    assert_eq!(cut(b"ab\ncd\nef", 8), 8);
    assert_eq!(cut(b"ab\ncd\nef", 7), 6);
    assert_eq!(cut(b"ab\ncd\nef", 6), 6);
    assert_eq!(cut(b"ab\ncd\nef", 5), 3);
    assert_eq!(cut(b"ab\ncd\nef", 2), 0);
    assert_eq!(cut(b"ab\ncd\r\nef", 6), 3);
    assert_eq!(cut(b"ab\ncd\r\nef", 7), 7);
    assert_eq!(cut(b"\xef\xbb\xbfab\n", 0), 3);
}

#[test]
fn r6_groups() {
    assert_eq!(groups(b"Allow: /\nSitemap: /s\n"), [[0; 3]; 0]);
    assert_eq!(groups(b"User-agent: a"), [[0, 1, 1]]);
    let between =
        b"User-agent: a\n\n# c\nSitemap: /s\nCrawl-delay: 1\nX: y\nrubbish\nUser-agent: b\nAllow:\n";
    assert_eq!(groups(between), [[0, 8, 9]]);
    let after = b"Allow: /\nUser-agent: a\nDisallow: /\n\nSitemap: /s\nAllow: /x\n\nUser-agent: b\n\n";
    assert_eq!(groups(after), [[1, 2, 7], [7, 9, 9]]);
    // A malformed rule does not count as a rule; an agent line without a name counts as an agent
    // line.
    assert_eq!(
        groups(b"User-agent: a\nDisallow\nUser-agent:\nDisallow:\nuseragent b\n"),
        [[0, 3, 4], [4, 5, 5]]
    );
}
