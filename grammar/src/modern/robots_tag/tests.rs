//! Tests of the parser of robots directives.

use std::time::{Duration, Instant};

use super::*;
use Directive::*;
use MistakeCode::{EmptyAgent, InvalidDirectiveValue, OverLimit, UnknownDirective};

const PST: i64 = 1_277_506_800;

#[track_caller]
fn reads(line: &str, agents: &[(Option<&str>, &[Directive])], mistakes: &[(MistakeCode, &str)]) {
    let tag = robots_tag(line.as_bytes());
    let read: Vec<_> = tag.agents.iter().map(|it| (it.agent.as_deref(), &it.directives[..])).collect();
    assert_eq!(read, agents, "{line}");
    let read: Vec<_> = tag.mistakes.iter().map(|it| (it.code, it.text.as_str())).collect();
    assert_eq!(read, mistakes, "{line}");
}

#[track_caller]
fn states(line: &str, expected: &[Directive]) {
    let read = directives(line.as_bytes());
    assert_eq!((&read.directives[..], &read.mistakes[..]), (expected, &[][..]), "{line}");
    let agents = [(Option::None, expected)];
    reads(line, if expected.is_empty() { &[] } else { &agents }, &[]);
}

#[test]
fn every_directive_has_its_name() {
    let names = "noindex, NoFollow,none ,nosnippet,notranslate,noimageindex,indexifembedded,noarchive,nocache,\
                 noai,noml,noimageai,all,index,follow,noodp,noydir,nositelinkssearchbox";
    let mut expected = vec![NoIndex, NoFollow, Directive::None, NoSnippet, NoTranslate, NoImageIndex];
    expected.extend([IndexIfEmbedded, NoArchive, NoCache, NoAi, NoAi, NoImageAi]);
    expected.extend([Nothing; 6]);
    states(names, &expected);
}

#[test]
fn values_follow_a_colon() {
    states("max-snippet:20", &[MaxSnippet(Limit::AtMost(20))]);
    states("max-snippet: 0", &[MaxSnippet(Limit::AtMost(0))]);
    states("MAX-SNIPPET : -1", &[MaxSnippet(Limit::Unlimited)]);
    states("max-snippet:99999999999", &[MaxSnippet(Limit::AtMost(u32::MAX))]);
    states("max-video-preview:0", &[MaxVideoPreview(Limit::AtMost(0))]);
    let previews = [ImagePreview::None, ImagePreview::Standard, ImagePreview::Large];
    let content = "max-image-preview:none, max-image-preview: Standard, max-image-preview:large";
    states(content, &previews.map(MaxImagePreview));
    states("nosnippet, max-snippet:50", &[NoSnippet, MaxSnippet(Limit::AtMost(50))]);
    let bad = "max-snippet:abc,max-snippet:-2,max-snippet:,max-snippet,max-snippet:+5,\
               max-image-preview:huge,max-image-preview,max-video-preview:1.5,max-video-preview:,\
               unavailable_after,unavailable_after:,unavailable_after:soon,max-snippet:1:2";
    for piece in bad.split(',') {
        reads(piece, &[], &[(InvalidDirectiveValue, piece)]);
        assert_eq!(directives(piece.as_bytes()).mistakes[0].code, InvalidDirectiveValue, "{piece}");
    }
    let piece = "max-snippet:5 characters";
    reads(piece, &[], &[(InvalidDirectiveValue, piece)]);
}

#[test]
fn a_line_without_prefix_is_for_every_crawler() {
    reads("noindex", &[(Option::None, &[NoIndex])], &[]);
    reads("noindex, otherbot: nofollow", &[(Option::None, &[NoIndex]), (Some("otherbot"), &[NoFollow])], &[]);
}

#[test]
fn a_prefix_holds_until_the_next() {
    reads("googlebot: nofollow", &[(Some("googlebot"), &[NoFollow])], &[]);
    reads("otherbot: noindex, nofollow", &[(Some("otherbot"), &[NoIndex, NoFollow])], &[]);
    let agents: [(_, &[_]); 2] = [(Some("badbot"), &[NoIndex, NoFollow]), (Some("googlebot"), &[NoFollow])];
    reads("BadBot: noindex, nofollow, googlebot: nofollow", &agents, &[]);
    reads("googlebot:noindex", &[(Some("googlebot"), &[NoIndex])], &[]);
    reads("googlebot : noindex", &[(Some("googlebot"), &[NoIndex])], &[]);
    reads("a: b: noindex", &[(Some("b"), &[NoIndex])], &[]);
    reads("googlebot:", &[], &[]);
    reads("googlebot:, noindex", &[(Some("googlebot"), &[NoIndex])], &[]);
    let agents: [(_, &[_]); 2] = [(Some("a"), &[NoIndex]), (Some("a"), &[NoFollow])];
    reads("a: noindex, a: nofollow", &agents, &[]);
}

#[test]
fn valued_names_are_no_prefixes() {
    let snippet = [MaxSnippet(Limit::AtMost(20)), MaxImagePreview(ImagePreview::Large)];
    reads("googlebot: max-snippet: 20, max-image-preview: large", &[(Some("googlebot"), &snippet)], &[]);
    reads("Max-Snippet:20, max-image-preview:large", &[(Option::None, &snippet)], &[]);
}

#[test]
fn directives_are_no_prefixes() {
    let unread = |piece| [(InvalidDirectiveValue, piece), (UnknownDirective, "true")];
    reads("noindex:true, noai", &[(Option::None, &[NoIndex, NoAi])], &unread("noindex:true"));
    let line = "a: NoIndex : true, noai";
    reads(line, &[(Some("a"), &[NoIndex, NoAi])], &unread("NoIndex : true"));
    let value = |piece| [(InvalidDirectiveValue, piece)];
    reads("noindex:, noai", &[(Option::None, &[NoIndex, NoAi])], &value("noindex:"));
    reads("all: noindex", &[(Option::None, &[Nothing, NoIndex])], &value("all: noindex"));
    reads(
        "noai: a: noindex",
        &[(Option::None, &[NoAi]), (Some("a"), &[NoIndex])],
        &value("noai: a: noindex"),
    );
    reads(": noai: b", &[], &[(EmptyAgent, ": noai: b"), (InvalidDirectiveValue, "noai: b")]);
}

#[test]
fn unknown_directives_are_no_prefixes() {
    for piece in
        ["crawl-delay: 10", "max_snippet: none", "unavailable-after: 2030-01-01", "a: b: c", "a: //b"]
    {
        reads(&format!("{piece}, noindex"), &[(Option::None, &[NoIndex])], &[(UnknownDirective, piece)]);
        let after = format!("bot: noai, {piece}, noindex");
        reads(&after, &[(Some("bot"), &[NoAi, NoIndex])], &[(UnknownDirective, piece)]);
    }
    reads("a: max_snippet:1, noai", &[(Some("a"), &[NoAi])], &[(UnknownDirective, "max_snippet:1")]);
    reads("a: noindex; x, noai", &[(Some("a"), &[NoAi])], &[(UnknownDirective, "noindex; x")]);
}

/// In a META tag, too, a colon behind a directive takes nothing away.
#[test]
fn a_colon_behind_a_directive_separates() {
    for content in ["noindex: true", "noindex:", "noindex:x", "x noindex:, y", "noindex : true"] {
        assert_eq!(directives(content.as_bytes()).directives, [NoIndex], "{content}");
    }
    assert_eq!(directives(b"noai: noindex").directives, [NoAi, NoIndex]);
}

#[test]
fn dates_may_contain_a_comma() {
    let until = UnavailableAfter(PST);
    states("unavailable_after: 25 Jun 2010 15:00:00 PST", &[until]);
    states("unavailable_after: Friday, 25-Jun-10 15:00:00 PST, noarchive", &[until, NoArchive]);
    states("noai, Unavailable_After:Fri, 25 Jun 2010 15:00:00 PST", &[NoAi, until]);
    states("unavailable_after: 2010-06-25T15:00:00-08:00, noai", &[until, NoAi]);
    let line = "OtherBot: noai, unavailable_after: Fri, 25 Jun 2010 15:00:00 PST, nofollow";
    reads(line, &[(Some("otherbot"), &[NoAi, until, NoFollow])], &[]);
    let line = "otherbot: unavailable_after: Friday, 25-Jun-10 15:00:00 PST, noai";
    reads(line, &[(Some("otherbot"), &[until, NoAi])], &[]);
    let line = "unavailable_after: Friday";
    reads(line, &[], &[(InvalidDirectiveValue, line)]);
    let line = "unavailable_after: 32 Jun 2010 15:00:00 PST, noindex";
    let mistake = (InvalidDirectiveValue, "unavailable_after: 32 Jun 2010 15:00:00 PST");
    reads(line, &[(Option::None, &[NoIndex])], &[mistake]);
    reads("Friday, noindex", &[(Option::None, &[NoIndex])], &[(UnknownDirective, "Friday")]);
}

#[test]
fn the_rest_of_an_unknown_date_is_no_prefix() {
    let mistakes =
        [(InvalidDirectiveValue, "unavailable_after: Jun 25"), (UnknownDirective, "2010 15:00:00 PST")];
    reads("unavailable_after: Jun 25, 2010 15:00:00 PST, noindex", &[(Option::None, &[NoIndex])], &mistakes);
}

#[test]
fn an_empty_agent_is_ignored() {
    reads(":noindex", &[], &[(EmptyAgent, ":noindex")]);
    reads("nofollow, : noindex, noai", &[(Option::None, &[NoFollow])], &[(EmptyAgent, ": noindex")]);
    let agents: [(_, &[_]); 2] = [(Some("a"), &[NoIndex]), (Some("b"), &[NoIndex])];
    reads("a: noindex, :nofollow, b: noindex", &agents, &[(EmptyAgent, ":nofollow")]);
}

#[test]
fn unknown_text_states_nothing() {
    for piece in ["noindex;nofollow", "noïndex", "noindex.", "max-snippet=20"] {
        let line = format!("{piece}, noarchive");
        reads(&line, &[(Option::None, &[NoArchive])], &[(UnknownDirective, piece)]);
        assert_eq!(directives(line.as_bytes()).directives, [NoArchive], "{piece}");
    }
    for piece in ["no index", "noindex nofollow"] {
        reads(piece, &[], &[(UnknownDirective, piece)]);
    }
    states("", &[]);
    states(" , ,, ", &[]);
    let tag = robots_tag(b"noindex\xFF, nofollow");
    assert_eq!(tag.agents[0].directives, [NoFollow]);
    assert_eq!(tag.mistakes, [Mistake::new(UnknownDirective, "noindex\u{FF}")]);
}

#[test]
fn white_space_separates_directives_of_a_meta_tag() {
    for (content, expected, mistakes) in [
        ("noindex nofollow", &[NoIndex, NoFollow][..], &["noindex nofollow"][..]),
        (
            "noai, noindex\tmax-snippet : 20 nofollow",
            &[NoAi, NoIndex, MaxSnippet(Limit::AtMost(20)), NoFollow],
            &["noindex\tmax-snippet : 20 nofollow"],
        ),
        ("noai, unavailable_after: 25 Jun 2010 15:00:00 PST", &[NoAi, UnavailableAfter(PST)], &[]),
        // A date between directives is whole, and takes none of them for its zone.
        (
            "noarchive unavailable_after: 25 Jun 2010 15:00:00 PST nofollow",
            &[NoArchive, UnavailableAfter(PST), NoFollow],
            &["noarchive unavailable_after: 25 Jun 2010 15:00:00 PST nofollow"],
        ),
        (
            "noarchive unavailable_after: Friday, 25-Jun-10 15:00:00 PST noai",
            &[NoArchive, UnavailableAfter(PST), NoAi],
            &["noarchive unavailable_after: Friday, 25-Jun-10 15:00:00 PST noai"],
        ),
        (
            "unavailable_after: 2010-06-25 23:00 noai",
            &[UnavailableAfter(PST), NoAi],
            &["unavailable_after: 2010-06-25 23:00 noai"],
        ),
        ("max-snippet:5 characters", &[MaxSnippet(Limit::AtMost(5))], &["max-snippet:5 characters"]),
        ("no index", &[Nothing], &["no index"]),
        // A colon takes no directive away, unless the word is a value.
        ("note: noindex", &[NoIndex], &["note: noindex"]),
        ("max-snippet: noindex", &[NoIndex], &["max-snippet: noindex"]),
        ("max-snippet :none : noai", &[None, NoAi], &["max-snippet :none : noai"]),
        ("unavailable_after: noindex", &[NoIndex], &["unavailable_after: noindex"]),
        (
            "noai max-image-preview: none",
            &[NoAi, MaxImagePreview(ImagePreview::None)],
            &["noai max-image-preview: none"],
        ),
        ("note:noindex", &[], &["note:noindex"]),
        ("unavailable_after: 32 Jun noindex", &[NoIndex], &["unavailable_after: 32 Jun noindex"]),
    ] {
        let read = directives(content.as_bytes());
        let texts: Vec<&str> = read.mistakes.iter().map(|mistake| mistake.text.as_str()).collect();
        assert_eq!((&read.directives[..], &texts[..]), (expected, mistakes), "{content}");
    }
}

#[test]
fn a_meta_tag_has_no_prefixes() {
    let read = directives(b"googlebot: noindex, nofollow");
    assert_eq!(read.directives, [NoIndex, NoFollow]);
    assert_eq!(read.mistakes, [Mistake::new(UnknownDirective, "googlebot: noindex")]);
}

#[test]
fn a_long_line_is_cut_between_directives() {
    let line = "noindex,".repeat(LINE_LIMIT / 8);
    assert_eq!(directives(line.as_bytes()).directives.len(), LINE_LIMIT / 8);
    assert!(directives(line.as_bytes()).mistakes.is_empty());
    let line = format!("{}, nofollow", "x".repeat(LINE_LIMIT - 11) + ",noai");
    assert_eq!(directives(line.as_bytes()).directives, [NoAi]);
    let line = format!("noindex, none{}", "x".repeat(100_000));
    reads(&line, &[(Option::None, &[NoIndex])], &[(OverLimit, "more than 65536 bytes")]);
    assert_eq!(robots_tag("x".repeat(100_000).as_bytes()).mistakes[0].code, OverLimit);
}

#[test]
fn hostile_lines_take_linear_time() {
    let start = Instant::now();
    let pieces =
        [",", ":", "a:", "a:,", "noindex,", "unavailable_after:Fri,", "unavailable_after:", "\u{FF}", " "];
    for piece in pieces.iter().flat_map(|piece| [piece.to_string(), format!("unavailable_after:{piece}")]) {
        let line = piece.repeat(LINE_LIMIT / piece.len());
        let _ = (robots_tag(line.as_bytes()), directives(line.as_bytes()));
    }
    assert!(start.elapsed() < Duration::from_secs(5));
}
