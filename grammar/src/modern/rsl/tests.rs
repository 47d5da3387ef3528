//! Tests of the parser of RSL documents.

use std::time::{Duration, Instant};

use super::*;
use MistakeCode::{
    CommaList, DocumentType, InvalidAttribute, MalformedXml, MissingAttribute, MissingElement, OverLimit,
    RepeatedElement, UnexpectedText, UnknownAttribute, UnknownElement, WrongNamespace,
};

/// A document with these elements in its root.
fn document(elements: &str) -> String {
    format!("<rsl xmlns=\"{NAMESPACE}\">{elements}</rsl>")
}

/// A document with one content and these elements in its licence.
fn licensed(elements: &str) -> String {
    document(&format!("<content url=\"/\"><license>{elements}</license></content>"))
}

#[track_caller]
fn read(xml: &str) -> RslDocument {
    rsl(xml.as_bytes()).unwrap_or_else(|mistake| panic!("{mistake}: {xml:.200}"))
}

#[track_caller]
fn clean(xml: &str) -> Vec<Content> {
    let document = read(xml);
    assert_eq!(document.mistakes, [], "{xml}");
    document.contents
}

#[track_caller]
fn licence(elements: &str) -> Licence {
    clean(&licensed(elements)).remove(0).licences.remove(0)
}

#[track_caller]
fn fails(xml: &str, code: MistakeCode) {
    let result = rsl(xml.as_bytes());
    let read = result.as_ref().map_err(|mistake| mistake.code);
    assert_eq!(read.err(), Some(code), "{xml:.200}: {result:.200?}");
}

fn codes(document: &RslDocument) -> Vec<MistakeCode> {
    document.mistakes.iter().map(|mistake| mistake.code).collect()
}

fn tokens(text: &str) -> Option<Vec<String>> {
    Some(text.split_whitespace().map(str::to_owned).collect())
}

#[test]
fn contents_have_urls_lines_and_licences() {
    let xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- licences -->\n<rsl xmlns=\"{NAMESPACE}\">\n\
         <content url=\"/\">\n<license><permits type=\"usage\">all</permits></license></content>\n\n\
         <content\n  url=\"/articles/\" server=\"https://s.example\" encrypted=\"true\" lastmod=\"2026-01-01\">\n\
         <license><prohibits type=\"usage\">ai-train</prohibits></license><license/>\n</content>\n</rsl>\n"
    );
    let document = read(&xml);
    assert_eq!((document.max_age_days, &document.mistakes[..]), (30, &[][..]));
    let [first, second] = &document.contents[..] else { panic!("{document:?}") };
    assert_eq!((first.url.as_str(), first.line, first.is_encrypted), ("/", 4, false));
    assert_eq!(first.licences[0].permits.usage, tokens("all"));
    assert_eq!(first.server, None);
    assert_eq!((second.url.as_str(), second.line, second.is_encrypted), ("/articles/", 7, true));
    assert_eq!(second.server.as_deref(), Some("https://s.example"));
    assert_eq!(second.licences[0].prohibits.usage, tokens("ai-train"));
    assert_eq!(second.licences[1], Licence::default());
    assert_eq!(read(&format!("\u{FEFF}{xml}")), document);
}

#[test]
fn lists_are_separated_by_white_space() {
    let read = licence(
        "<permits type=\"usage\">\n ai-train\t ai-input </permits><permits type=\"user\">non-commercial education\
         </permits><permits type=\"geo\">US EU</permits><prohibits type=\"usage\">all</prohibits>\
         <prohibits type=\"usage\">x:y</prohibits><prohibits type=\"geo\"/>",
    );
    assert_eq!(read.permits.usage, tokens("ai-train ai-input"));
    assert_eq!(read.permits.user, tokens("non-commercial education"));
    assert_eq!(read.permits.geo, tokens("US EU"));
    assert_eq!(read.prohibits, Terms { usage: tokens("all x:y"), user: None, geo: tokens("") });
    assert!(!read.has_unreadable_terms);
    assert_eq!(licence("<permits type=\"usage\"> </permits>").permits.usage, tokens(""));
}

#[test]
fn payments_and_reports_are_kept_as_written() {
    let read = licence(
        "<payment type=\"crawl\"><amount currency=\"USD\"> 0.015 </amount><standard>https://a/</standard>\
         <standard>https://b/</standard><custom>https://c/?a&amp;b</custom><accepts type=\"x\"/></payment>\
         <reporting type=\"telemetry\" profile=\"https://p\" endpoint=\"https://e\"/><reporting type=\"audit\"/>",
    );
    let strings = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
    let payment = Payment {
        kind: Some("crawl".to_owned()),
        amount: Some(Amount { value: "0.015".to_owned(), currency: "USD".to_owned() }),
        standard: strings(&["https://a/", "https://b/"]),
        custom: strings(&["https://c/?a&b"]),
    };
    assert_eq!(read.payment, Some(payment));
    assert_eq!(read.reporting[0].kind, "telemetry");
    assert_eq!(read.reporting[0].profile.as_deref(), Some("https://p"));
    assert_eq!(read.reporting[0].endpoint.as_deref(), Some("https://e"));
    assert_eq!((read.reporting.len(), &read.reporting[1].profile), (2, &None));
    assert_eq!(licence("<payment/>").payment, Some(Payment::default()));
    assert_eq!(licence("").payment, None);
}

#[test]
fn commas_are_those_of_version_0_9() {
    let xml = licensed(
        "<permits type=\"usage\">search,ai-input</permits><permits type=\"geo\">US EU</permits>\
         <prohibits type=\"usage\">ai-train, ai-index</prohibits>",
    );
    let document = read(&xml);
    assert_eq!(codes(&document), [CommaList, CommaList]);
    let licence = &document.contents[0].licences[0];
    assert!(licence.has_unreadable_terms);
    assert_eq!(licence.permits, Terms { usage: tokens(""), user: None, geo: tokens("US EU") });
    assert_eq!(licence.prohibits.usage, tokens("ai-train ai-index"));
    let document = read(&licensed("<prohibits type=\"usage\">ai-train,ai-index</prohibits>"));
    assert!(!document.contents[0].licences[0].has_unreadable_terms);
}

#[test]
fn prohibited_usages_are_known_words() {
    for (usages, is_unreadable) in [
        ("ai-train search", false),
        ("all ext:else", false),
        ("", false),
        ("AI-Train", true),
        ("ai-train training", true),
    ] {
        let document = read(&licensed(&format!("<prohibits type=\"usage\">{usages}</prohibits>")));
        assert_eq!(document.contents[0].licences[0].has_unreadable_terms, is_unreadable, "{usages}");
    }
    let document = read(&licensed("<prohibits type=\"user\">robots</prohibits>"));
    assert!(!document.contents[0].licences[0].has_unreadable_terms);
}

#[test]
fn the_age_is_a_number_of_days() {
    let aged = |age: &str| {
        let content = "<content url=\"\"><license/></content>";
        let document = read(&format!("<rsl max-age=\"{age}\" xmlns=\"{NAMESPACE}\">{content}</rsl>"));
        (document.max_age_days, codes(&document))
    };
    assert_eq!(aged("7"), (7, vec![]));
    assert_eq!(aged("1"), (1, vec![]));
    assert_eq!(aged(" 007 "), (7, vec![]));
    assert_eq!(aged("99999999999"), (u32::MAX, vec![]));
    for age in ["0", "-1", "+7", "", "7.5", "7 days", "P7D"] {
        assert_eq!(aged(age), (0, vec![InvalidAttribute]), "{age}");
    }
}

#[test]
fn unknown_values_of_some_attributes_are_kept() {
    let document = read(&licensed("<payment type=\"barter\"/><reporting type=\"gossip\"/>"));
    assert_eq!(codes(&document), [InvalidAttribute, InvalidAttribute]);
    let licence = &document.contents[0].licences[0];
    assert_eq!(licence.payment.as_ref().and_then(|payment| payment.kind.as_deref()), Some("barter"));
    assert_eq!(licence.reporting[0].kind, "gossip");
    let xml = self::document("<content url=\"/\" encrypted=\"perhaps\"><license/></content>");
    assert_eq!(codes(&read(&xml)), [InvalidAttribute]);
}

#[test]
fn the_namespace_counts_and_not_the_prefix() {
    let xml = format!(
        "<r:rsl xmlns:r=\"{NAMESPACE}\" xmlns:o=\"urn:o\" o:a=\"1\" xml:lang=\"en\"><o:x><r:permit/>text</o:x>\
         <r:content url=\"/\" o:url=\"/o\"><o:content url=\"/no\"/><r:license><r:permits type=\"usage\">a<o:b>b</o:b>\
         c</r:permits><o:permits type=\"usage\">d</o:permits></r:license></r:content></r:rsl>"
    );
    let contents = clean(&xml);
    assert_eq!((contents.len(), contents[0].url.as_str()), (1, "/"));
    assert_eq!(contents[0].licences[0].permits.usage, tokens("ac"));
    fails("<rsl><content url=\"/\"><license/></content></rsl>", WrongNamespace);
    // An element with the name of a term has lost its prefix. Any other has nothing to do with RSL.
    for (element, is_term) in [("prohibits type=\"usage\"", true), ("payment", true), ("note", false)] {
        let xml = format!(
            "<r:rsl xmlns:r=\"{NAMESPACE}\"><r:content url=\"/\"><r:license><{element}/></r:license></r:content>\
             </r:rsl>"
        );
        match is_term {
            true => fails(&xml, WrongNamespace),
            false => assert_eq!(clean(&xml)[0].licences, [Licence::default()]),
        }
    }
    fails("<rsl xmlns=\"https://rslstandard.org/rsl/\"/>", WrongNamespace);
    fails("<html xmlns=\"http://www.w3.org/1999/xhtml\"/>", WrongNamespace);
    fails("<r:rsl/>", MalformedXml);
    fails(&format!("<feed xmlns=\"{NAMESPACE}\"/>"), UnknownElement);
}

#[test]
fn elements_without_terms_are_ignored() {
    let opaque = "<legal type=\"warranty\">no <b>x</b></legal><schema>u</schema><copyright a=\"b\"/><terms/><alternate/>";
    let xml = document(&format!("<content url=\"/\">{opaque}<license>{opaque}</license></content>"));
    assert_eq!(clean(&xml)[0].licences, [Licence::default()]);
}

#[test]
fn references_are_those_of_xml() {
    let read = licence("<permits type=\"usage\">a&#45;b&#x20;c&lt;<![CDATA[&d;]]></permits>");
    assert_eq!(read.permits.usage, tokens("a-b c<&d;"));
    let xml = document("<content url=\"/a&amp;&#x62;&quot;\"><license/></content>");
    assert_eq!(clean(&xml)[0].url, "/a&b\"");
    fails(&licensed("<permits type=\"usage\">&nbsp;</permits>"), MalformedXml);
    fails(&licensed("<permits type=\"usage\">&#0;</permits>"), MalformedXml);
    fails(&licensed("<permits type=\"usage\">a & b</permits>"), MalformedXml);
    fails(&document("<content url=\"/&x;\"><license/></content>"), MalformedXml);
    let bomb = "<!DOCTYPE rsl [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]>";
    fails(&format!("{bomb}{}", licensed("<permits type=\"usage\">&b;</permits>")), DocumentType);
    fails(&format!("<!DOCTYPE rsl>{}", licensed("")), DocumentType);
}

#[test]
fn non_conformant_documents_are_errors() {
    fails(&licensed("<permit type=\"usage\">all</permit>"), UnknownElement);
    fails(&document("<license/>"), UnknownElement);
    fails(&document("<content url=\"/\"><permits type=\"usage\">all</permits></content>"), UnknownElement);
    fails(&licensed("<permits type=\"usage\">all<legal/></permits>"), UnknownElement);
    fails(&licensed("<payment><price>1</price></payment>"), UnknownElement);
    fails(&licensed("<permits type=\"usage\" until=\"2030\">all</permits>"), UnknownAttribute);
    fails(&document("<content URL=\"/\"><license/></content>"), UnknownAttribute);
    let xml = format!("<r:rsl xmlns:r=\"{NAMESPACE}\" r:max-age=\"1\"/>");
    fails(&xml, UnknownAttribute);
    fails(&document("<content><license/></content>"), MissingAttribute);
    fails(&licensed("<permits>all</permits>"), MissingAttribute);
    fails(&licensed("<payment><amount>1</amount></payment>"), MissingAttribute);
    fails(&licensed("<reporting/>"), MissingAttribute);
    fails(&licensed("<prohibits type=\"purpose\">all</prohibits>"), InvalidAttribute);
    fails(&document("<content url=\"/\"></content>"), MissingElement);
    fails(&document("<content url=\"/a\"><license/></content><content url=\"/b\"/>"), MissingElement);
    fails(&document(""), MissingElement);
    let twice = "<permits type=\"usage\">search</permits>".repeat(2);
    fails(&licensed(&twice), RepeatedElement);
    fails(&licensed("<payment/><payment type=\"crawl\"/>"), RepeatedElement);
    let amount = "<amount currency=\"USD\">1</amount>".repeat(2);
    fails(&licensed(&format!("<payment>{amount}</payment>")), RepeatedElement);
    fails(&licensed("all rights reserved"), UnexpectedText);
    fails(&licensed("<payment>1 USD</payment>"), UnexpectedText);
    fails(&document("&#65;<content url=\"/\"><license/></content>"), UnexpectedText);
}

#[test]
fn malformed_documents_are_errors() {
    let good = licensed("");
    let cases = [
        "",
        "License: none",
        "<rsl",
        &good[..good.len() - 6],
        &good[..good.len() - 1],
        &good.replace("</license>", "</licence>"),
        &format!("{good}{good}"),
        &format!("{good} tail"),
        &format!("head {good}"),
        &good.replace("url=\"/\"", "url=\"/\" url=\"/a\""),
        &good.replace("url=\"/\"", "url=/"),
        &good.replace("url=\"/\"", "o:url=\"/\""),
        &good.replace("<license>", "<license><!-- a -- b -->"),
        &good.replace("<license>", "<license></license></license>"),
        &good.replace("<license>", "<license><![CDATA["),
        "{\"rsl\": 1}",
    ];
    for xml in cases {
        fails(xml, MalformedXml);
    }
    assert_eq!(rsl(b"<rsl>\xFF</rsl>").map_err(|mistake| mistake.code), Err(MalformedXml));
    assert_eq!(rsl(b"\xFF\xFE<\0r\0").map_err(|mistake| mistake.code), Err(MalformedXml));
}

/// Other readers refuse such documents, or find other elements in them.
#[test]
fn ignored_parts_are_well_formed_too() {
    let good = licensed("");
    let beside = |element: &str| document(&format!("{element}<content url=\"/\"><license/></content>"));
    let declared = |declaration: &str| format!("{declaration}{good}");
    for xml in [
        beside("<x xmlns='' q:a=''/>"),
        beside("<x xmlns=''><q:y/></x>"),
        beside("<x xmlns='' a=1/>"),
        beside("<x xmlns='' a/>"),
        beside("<x xmlns='' a='' a=''/>"),
        beside("<x xmlns='' a='<'/>"),
        beside("<x xmlns='' a='b&c'/>"),
        beside("<x xmlns='' a='&#1;'/>"),
        beside("<x xmlns=''>&#xFFFE;</x>"),
        beside("<x xmlns=''>]]></x>"),
        beside("<x xmlns=''><1y/></x>"),
        beside("<o:a:b xmlns:o='o'/>"),
        beside("<x xmlns='' xmlns:p=''/>"),
        beside("<!-- \u{1} -->"),
        beside("<x xmlns=''>\u{FFFE}</x>"),
        beside("<?xml version='1.0'?>"),
        declared(" <?xml version='1.0'?>"),
        declared("<?xml version='1.0'?><?xml version='1.0'?>"),
        declared("<?xml encoding='utf-8'?>"),
        declared("<?xml version='2.0'?>"),
        declared("<?xml version='1.0' encoding='UTF-16'?>"),
        declared("<?xml version='1.0' encoding='x y'?>"),
        declared("<?xml version='1.0' encoding='iso-8859-1'?><!-- \u{E9} -->"),
        declared("<?xml version=\"1.0\" encng=\"UTF-8\"?>"),
        declared("<?xml version='1.0' &encoding='UTF-8'?>"),
        declared("<?xml version='1.0' Encoding='ISO-8859-1'?>"),
        declared("<?xml version='1.0' standalone='yes' encoding='utf-8'?>"),
        declared("<?xml version='1.0' standalone='maybe'?>"),
        declared("<?xml version='1.0'encoding='utf-8'?>"),
        declared("<?x=ml version='1.0'?>"),
        declared("<?XML version='1.0'?>"),
        declared("<? x?>"),
        format!("{good}<![CDATA[]]>"),
        format!("{good}&#32;"),
    ] {
        fails(&xml, MalformedXml);
    }
    for xml in [
        beside("<x xmlns='urn:o' xml:lang='en' _a.1-b='&gt;>'>]] &gt; > <é/></x>"),
        declared("<?xml version='1.0' encoding='iso-8859-1' standalone='yes'?>"),
        declared("<?xml version='1.1'?>"),
        declared("<?xml\tversion = '1.0'\r\nstandalone\n=\"no\" ?><?x?>"),
        declared("<?xml version='1.0' encoding='Utf-8'?><?xml-stylesheet href='a'?><!-- \u{E9} -->"),
    ] {
        clean(&xml);
    }
}

/// A namespace is compared without its references (XML Names 1.0, 2.2).
#[test]
fn namespaces_have_no_references() {
    let prohibits = "<prohibits type=\"usage\">ai-train</prohibits>";
    let hidden = NAMESPACE.replace('r', "&#114;");
    fails(&licensed(&prohibits.replace(" type", &format!(" xmlns='{hidden}' type"))), MalformedXml);
    let prefixed = prohibits.replace("prohibits", "r:prohibits");
    fails(&licensed(&prefixed.replace(" type", &format!(" xmlns:r='{hidden}' type"))), MalformedXml);
}

#[test]
fn limits_bound_a_document() {
    let start = Instant::now();
    let content = "<content url=\"/\"><license/></content>";
    assert_eq!(clean(&document(&content.repeat(CONTENT_LIMIT))).len(), CONTENT_LIMIT);
    fails(&document(&content.repeat(CONTENT_LIMIT + 1)), OverLimit);
    let licences = |count| document(&format!("<content url=\"/\">{}</content>", "<license/>".repeat(count)));
    assert_eq!(clean(&licences(LICENCE_LIMIT))[0].licences.len(), LICENCE_LIMIT);
    fails(&licences(LICENCE_LIMIT + 1), OverLimit);
    let list = |count| licensed(&format!("<prohibits type=\"usage\">{}</prohibits>", "a ".repeat(count)));
    assert!(rsl(list(TERM_LIMIT - 1).as_bytes()).is_ok());
    fails(&list(TERM_LIMIT), OverLimit);
    fails(&licensed(&"<prohibits type=\"geo\"/>".repeat(TERM_LIMIT + 1)), OverLimit);
    fails(&licensed(&"<reporting type=\"audit\"/>".repeat(TERM_LIMIT + 1)), OverLimit);
    let deep = |depth| format!("<rsl xmlns=\"{NAMESPACE}\">{}", "<x xmlns=\"\">".repeat(depth));
    fails(&deep(DEPTH_LIMIT - 1), MalformedXml);
    fails(&deep(DEPTH_LIMIT), OverLimit);
    fails(&deep(100_000), OverLimit);
    let attributes = |count| (0..count).map(|index| format!(" o:a{index}=\"\"")).collect::<String>();
    let xml = |count| {
        document(&format!("<content url=\"/\" xmlns:o=\"o\"{}><license/></content>", attributes(count)))
    };
    assert!(rsl(xml(ATTRIBUTE_LIMIT - 2).as_bytes()).is_ok());
    fails(&xml(ATTRIBUTE_LIMIT), OverLimit);
    fails(&xml(100_000), OverLimit);
    let bindings = (0..100_000).map(|index| format!(" xmlns:a{index}=\"o\"")).collect::<String>();
    fails(&document(&format!("<content url=\"/\"{bindings}/>")), OverLimit);
    fails(&document(&" ".repeat(50_000_000)), OverLimit);
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[test]
fn hostile_documents_take_linear_time() {
    let start = Instant::now();
    for piece in
        ["<", "<x xmlns=''/>", "<!--", "<x xmlns='' a=''/>", "&amp;", "&", "<![CDATA[", "\n", "<?x?>"]
    {
        let pieces = piece.repeat((DOCUMENT_LIMIT - 1000) / piece.len());
        for xml in
            [&pieces, &document(&pieces), &licensed(&format!("<permits type=\"usage\">{pieces}</permits>"))]
        {
            let _ = rsl(xml.as_bytes());
        }
    }
    assert!(start.elapsed() < Duration::from_secs(20));
}
