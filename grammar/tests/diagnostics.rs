//! Each diagnostic has a smallest source that shows it, with the place and the words.
//!
//! Also the whole of a dump, once. That diagnosing never panics is tested where sources are random.

use robomaton_grammar::{Code, DEFAULT_LIMIT, Diagnostic, Severity, diagnose, dump, scan};

fn of(source: &[u8]) -> Vec<Diagnostic> {
    diagnose(&scan(source, DEFAULT_LIMIT))
}

/// Diagnostics as `code "text under the span": message`, and the second place in brackets.
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

/// One source for each code, in the order of the codes, that shows nothing else.
#[test]
fn every_code_has_its_source() {
    let cases: &[(Code, &[u8], &str)] = &[
        (Code::ByteOrderMark, b"\xef\xbb\xbf# c", "\u{feff}"),
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
            "missing-colon \" \": no colon after `User-agent`; it is read as if there",
            "misspelled-key \"Dissallow\": `Dissallow` is read as `Disallow`",
            "repeated-agent \"A\": `A` is named in an earlier group too [10: first seen here]",
        ]
    );
    assert_eq!(
        said(b"Disallow /a /b\nDisallow\nhello\n"),
        [
            "malformed-line \"Disallow /a /b\": no colon after `Disallow`, and not one word; the line is ignored",
            "malformed-line \"Disallow\": `Disallow` without colon or value",
            "malformed-line \"hello\": no colon, and no key that is known; the line is ignored",
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
        Nobody: knows\nwhat is this\n: x\nUser-agent:";
    let expected = r##"source: 108 bytes, 9 lines, 2 groups
bom: "\xef\xbb\xbf"
line 1: blank comment="# hi \"you\""
line 2: Sitemap key="Sitemap" value="/s"
line 3: blank
group 1: lines 4-8, rules from line 5
  line 4: User-agent key="user agent" value="*" comment="# all"
  line 5: Disallow key="Disallow" value="/caf\xc3\xa9"
  line 6: unknown key="Nobody" value="knows"
  line 7: malformed key="what is this" value=""
  line 8: malformed key="" value="x"
group 2: lines 9-9, no rules
  line 9: User-agent key="User-agent" value=""
"##;
    assert_eq!(dump(&scan(source, DEFAULT_LIMIT)), expected);
    assert_eq!(
        dump(&scan(b"a\nb", 2)),
        "source: 3 bytes, 1 line, 0 groups\nline 1: malformed key=\"a\" value=\"\"\nunread: 1 byte from byte 2\n"
    );
}
