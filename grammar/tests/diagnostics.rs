//! A minimal source for each diagnostic, with its place and message.
//!
//! Also one complete dump. The tests with random sources check that diagnosing never panics.

use robomaton_grammar::{Code, DEFAULT_LIMIT, Diagnostic, Severity, diagnose, dump, scan};

fn of(source: &[u8]) -> Vec<Diagnostic> {
    diagnose(&scan(source, DEFAULT_LIMIT))
}

/// Diagnostics as `code "text in the span": message`, with the second place in brackets.
fn said(source: &[u8]) -> Vec<String> {
    let show = |diagnostic: Diagnostic| {
        let place = diagnostic.span.of(source).escape_ascii().to_string();
        let mut said = format!("{} {place:?}: {}", diagnostic.code, diagnostic.message);
        if let Some((span, message)) = diagnostic.second {
            said += &format!(" [{}: {message}]", span.start);
        }
        said
    };
    of(source).into_iter().map(show).collect()
}

#[test]
fn a_clean_file_has_none() {
    let source =
        b"# c\nUser-agent: a\nUser-agent: b\n\nALLOW: /\nDisallow:\nDisallow: *.php$ # c\nSitemap: /s\n";
    assert_eq!(of(source), []);
    assert_eq!(of(b""), []);
}

/// One source for each code, in code order, that gives no other diagnostic.
#[test]
fn every_code_has_its_source() {
    let cases: &[(Code, &[u8], &str)] = &[
        (Code::ByteOrderMark, b"\xef\xbb\xbf# c", "\u{feff}"),
        (Code::ByteOrderMark, b"# c\n \xef\xbb\xbf# c", "\u{feff}"),
        (Code::NotUtf8, b"# caf\xe9!\n", "?"),
        (Code::ControlCharacter, b"# a\0b\0\n", "\0"),
        (Code::MissingColon, b"Sitemap \t/s\n", " \t"),
        (Code::MisspelledKey, b"site-map: /s", "site-map"),
        (Code::UnknownKey, b"Disallow http://x/: y", "Disallow http"),
        (Code::MalformedLine, b" : x", ":"),
        (Code::NoProductToken, b"User-agent: (none)\nDisallow:", "(none)"),
        (Code::TextAfterToken, b"User-agent: Bot/2.1 x #\nDisallow:", "/2.1 x"),
        (Code::RepeatedAgent, b"User-agent: A\nAllow:\nUser-agent: a\nAllow:", "a"),
        (Code::GroupWithoutRules, b"User-agent: a # b\n", "User-agent: a"),
        (Code::RuleBeforeGroup, b"Disallow: /early\n", "Disallow: /early"),
        (Code::NoLeadingSlash, b"User-agent: a\nDisallow: x/y", "x/y"),
        (Code::AbsoluteUrl, b"User-agent: a\nDisallow: https://x/y", "https://x/y"),
        (Code::EmptyValue, b"Crawl-delay:  # none", "Crawl-delay"),
        (Code::AcapMalformedField, b"ACAP-usage-purpose: a b", "a b"),
        (Code::AcapUnknownField, b"ACAP-foo: a", "ACAP-foo"),
        (Code::AcapEmptyValue, b"ACAP-crawler: # a", "ACAP-crawler"),
        (Code::AcapVersion, b"##ACAP version=2.0", "##ACAP version=2.0"),
        (Code::AcapVersionNotFirst, b"\n# a\n##ACAP version=1.0", "##ACAP version=1.0"),
        (
            Code::AcapLateDirective,
            b"ACAP-resource-set: a /b\nACAP-ignore-conventional-records",
            "ACAP-ignore-conventional-records",
        ),
        (
            Code::AcapRepeatedAnyCrawler,
            b"ACAP-crawler: *\nACAP-allow-crawl: /\nACAP-crawler:*\nACAP-crawler: *",
            "*",
        ),
        (Code::AcapAnyCrawlerWithNames, b"ACAP-crawler: a\n# b\nACAP-crawler: *", "*"),
        (
            Code::AcapReferenceNotAlone,
            b"ACAP-crawler: a\nACAP-permissions-reference: /r\nACAP-allow-crawl: /",
            "/r",
        ),
        (
            Code::AcapRequestInSubRecord,
            b"ACAP-crawler: a\nACAP-usage-purpose: b\nACAP-allow-crawl: /\nACAP-request-re-crawl: /c",
            "ACAP-request-re-crawl",
        ),
        (
            Code::AcapQualifiedLocalUsage,
            b"ACAP-allow-(a): / max-length=3-chars x=y",
            "max-length=3-chars x=y",
        ),
        (
            Code::AcapQualifiedProhibition,
            b"ACAP-disallow-index: / time-limit = 3-days x ",
            "time-limit = 3-days x",
        ),
        (Code::AcapLocalProhibition, b"ACAP-disallow-(a): /", "a"),
        (Code::AcapAbsoluteUrl, b"ACAP-resource-set: a /b //c/d http://e/", "//c/d"),
        (Code::AcapPrefix, b"ACAP-allow-index: acap:resource-set:a", "acap:"),
        (Code::AcapExtract, b"ACAP-composite-usage: a index PRESENT-OLDEXTRACT", "PRESENT-OLDEXTRACT"),
        (Code::AcapUnknownAction, b"ACAP-request-burn: /", "ACAP-request-burn"),
        (Code::AcapLateDefinition, b"ACAP-crawler: a\nACAP-resource-set: b /c", "ACAP-resource-set"),
        (Code::AcapQualifierValue, b"ACAP-allow-index: / x=y time-limit=3", "time-limit=3"),
    ];
    for (code, source, place) in cases {
        let found = of(source);
        assert_eq!(found.iter().map(|d| d.code).collect::<Vec<_>>(), [*code], "{}", source.escape_ascii());
        let text = String::from_utf8_lossy(found[0].span.of(source)).replace('\u{fffd}', "?");
        assert_eq!(text, *place, "{code}");
        assert!(found[0].message.is_ascii() && !found[0].message.ends_with('.'));
    }
    let shown: Vec<Code> = cases.iter().map(|case| case.0).collect();
    assert!(Code::ALL.iter().all(|code| shown.contains(code) || *code == Code::OverLimit));
}

#[test]
fn the_limit_is_said_with_what_it_cuts() {
    let source = b"# one\n# two\n";
    let found = diagnose(&scan(source, 9));
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].code, found[0].span.of(source)), (Code::OverLimit, &b"# two\n"[..]));
    assert_eq!(diagnose(&scan(source, source.len())), []);
}

#[test]
fn messages_name_what_is_right() {
    assert_eq!(
        said(b"Useragent a\nDissallow: /\nUser-agent: b\nuser-agent: A\nAllow: /"),
        [
            "misspelled-key \"Useragent\": `Useragent` is read as `User-agent`",
            "missing-colon \" \": the colon after `User-agent` is missing; it is read as if it were there",
            "misspelled-key \"Dissallow\": `Dissallow` is read as `Disallow`",
            "repeated-agent \"A\": `A` is named in an earlier group too [10: first seen here]",
        ]
    );
    assert_eq!(
        said(b"Disallow /a /b\nDisallow\nhello\nACAP-crawler a b\n"),
        [
            "malformed-line \"Disallow /a /b\": the colon after `Disallow` is missing; the line is ignored",
            "malformed-line \"Disallow\": `Disallow` without a colon and a value; the line is ignored",
            "malformed-line \"hello\": neither a rule nor a comment; the line is ignored",
            "malformed-line \"ACAP-crawler a b\": an ACAP field without its colon; the line is ignored",
        ]
    );
}

#[test]
fn codes_are_distinct() {
    let mut names = Code::ALL.map(Code::name);
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
    assert!(Code::ALL.into_iter().is_sorted());
    assert!(Severity::Error < Severity::Note);
}

#[test]
fn the_dump_shows_everything_that_has_text() {
    let source = b"\xef\xbb\xbf# hi \"you\"\r\nSitemap: /s\n\nuser agent : * # all\nDisallow: /caf\xc3\xa9\n\
        ACAP-crawler: x\nNobody: knows\nwhat is this\n: x\nUser-agent:";
    let expected = r##"source: 124 bytes, 10 lines, 2 groups
bom: "\xef\xbb\xbf"
line 1: blank comment="# hi \"you\""
line 2: Sitemap key="Sitemap" value="/s"
line 3: blank
group 1: lines 4-9, rules from line 5
  line 4: User-agent key="user agent" value="*" comment="# all"
  line 5: Disallow key="Disallow" value="/caf\xc3\xa9"
  line 6: acap key="ACAP-crawler" value="x"
  line 7: unknown key="Nobody" value="knows"
  line 8: malformed key="what is this" value=""
  line 9: malformed key="" value="x"
group 2: lines 10-10, no rules
  line 10: User-agent key="User-agent" value=""
"##;
    assert_eq!(dump(&scan(source, DEFAULT_LIMIT)), expected);
    assert_eq!(
        dump(&scan(b"a\nb", 2)),
        "source: 3 bytes, 1 line, 0 groups\nline 1: malformed key=\"a\" value=\"\"\nunread: 1 byte from byte 2\n"
    );
}

#[test]
fn acap_is_said_by_its_version() {
    let pilot = b"##ACAP version=0.2\nACAP-allow-present-extract: acap:resource-set:a\nACAP-allow-(b): / c=d";
    assert_eq!(said(pilot), [""; 0]);
    assert_eq!(
        said(b"##ACAP version=0.2\nACAP-allow-index: The-ACAP:resource-set:a must-use-resource=the-acap:extract:id:x"),
        [
            "acap-prefix \"The-ACAP:\": version 0.2 of ACAP has `acap:` here; it is read as that",
            "acap-prefix \"the-acap:\": version 0.2 of ACAP has `acap:` here; it is read as that",
        ]
    );
    assert_eq!(
        said(b"##ACAP version=0.3"),
        ["acap-version \"##ACAP version=0.3\": there is no version 0.3 of ACAP; it is read as 0.2"]
    );
    assert_eq!(
        said(b"##ACAP version=x\n##ACAP version=1.1"),
        [
            "acap-version \"##ACAP version=x\": no version of ACAP; the comment should read `##ACAP version=1.0`",
            "acap-version-not-first \"##ACAP version=1.1\": \
             the version of ACAP should come before other comments and records",
        ]
    );
}

#[test]
fn acap_is_said_once_per_line() {
    let source = b"ACAP-crawler *\nACAP-allow-index: acap://x a b= time-limit=never must-use-resource=acap:extract:id:x";
    assert_eq!(
        said(source),
        [
            "missing-colon \" \": the colon after the field is missing; it is read as if it were there",
            "acap-absolute-url \"acap://x\": an absolute URL where a pattern of paths is expected; it counts as its path on its own site alone",
            "acap-qualifier-value \"a\": `a` is no qualifier; one has a type, `=` and a value: the permission cannot be used",
            "acap-prefix \"acap:\": version 1.0 of ACAP has `the-acap:` here; it is read as that",
        ]
    );
    assert_eq!(
        said(b"ACAP-resource-set: a the-acap:extract:id:x the-acap:b\nACAP-allow-x: / max-length=3"),
        [
            "acap-absolute-url \"the-acap:extract:id:x\": \
             an absolute URL where a pattern of paths is expected; it counts as its path on its own site alone",
            "acap-qualifier-value \"max-length=3\": `3` is no value that `max-length` can have: the permission cannot be used",
        ]
    );
}

#[test]
fn an_acap_field_has_one_resource() {
    assert_eq!(
        said(b"ACAP-disallow-index: private docs\nACAP-allow-index: /o/ /m/\nACAP-disallow-index: /a x=y\n"),
        [
            "no-leading-slash \"private\": a path begins with `/` or `*`; this one is read as `/private`",
            "acap-qualified-prohibition \"docs\": a field has one resource; `docs` has no effect",
            "acap-qualifier-value \"/m/\": \
             a field has one resource, and `/m/` is read as a qualifier: the permission cannot be used",
            "acap-qualified-prohibition \"x=y\": a prohibition cannot be qualified; it holds without qualifiers",
        ]
    );
}

#[test]
fn acap_records_end_where_they_should() {
    let records = b"ACAP-crawler: *\nUser-agent: a\nDisallow: /\nACAP-crawler: b\nACAP-allow-crawl: /\n\
        ACAP-crawler: c\nACAP-permissions-reference: /r\nACAP-crawler: d\nACAP-request-re-crawl: /x\n\
        ACAP-usage-purpose: e\nACAP-allow-crawl: /\nACAP-crawler: f\nACAP-request-take-down: /x\n";
    assert_eq!(said(records), [""; 0]);
    assert_eq!(
        said(b"ACAP-crawler: *\nACAP-crawler: a\nACAP-allow-crawl: /\nACAP-crawler: *\nACAP-allow-crawl: /"),
        [
            "acap-any-crawler-with-names \"*\": a record for any crawler should name no other [30: named here]",
            "acap-repeated-any-crawler \"*\": \
             there should be one record for any crawler; they are read as one [14: the first is here]",
        ]
    );
    assert_eq!(
        said(b"ACAP-crawler: a\nACAP-permissions-reference: /r\nACAP-permissions-reference: /s"),
        ["acap-reference-not-alone \"/r\": \
          a record with a permissions reference should have no other field [47: the other field]"]
    );
}
