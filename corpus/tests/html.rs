//! Pages: their permissions, with line and column.

#[path = "html/hostile.rs"]
mod hostile;

#[path = "html/foreign.rs"]
mod foreign;

use robomaton_compiler::PageLicense;
use robomaton_corpus::{Element, Page, read_page};

/// META elements as `line:column name=content`.
fn metas(page: &Page) -> Vec<String> {
    page.metas.iter().map(|m| format!("{}:{} {}={}", m.line, m.column, m.name, m.content)).collect()
}

/// Class tokens as `line:column path#id token`.
fn elements(page: &Page) -> Vec<String> {
    let id = |element: &Element| element.id.as_ref().map_or(String::new(), |id| format!("#{id}"));
    page.elements.iter().map(|e| format!("{}:{} {}{} {}", e.line, e.column, e.path, id(e), e.token)).collect()
}

fn metas_of(html: &str) -> Vec<String> {
    let page = read_page(html.as_bytes(), None);
    assert!(!page.cut, "{html}");
    metas(&page)
}

fn elements_of(html: &str) -> Vec<String> {
    let page = read_page(html.as_bytes(), Some("text/html"));
    assert!(!page.cut, "{html}");
    elements(&page)
}

/// The page of ACAP Part 2 section 2.1, with an element from section 2.2.5 as its content.
const EXAMPLE: &str = r#"<HTML>
<HEAD>
<TITLE>Page title displayed above browser window</TITLE>
<!-- Conventional REP: indexing permitted, following links prohibited. -->
<META name="robots" content="index nofollow">
<!-- The same expressed in ACAP syntax -->
<META name="robots" content="ACAP allow-index">
<META name="robots" content="ACAP disallow-follow">
</HEAD>
<BODY>
<!-- Content of page here... -->
<DIV class="the-acap:allow-index">...Content of element...</DIV>
</BODY>
</HTML>
"#;

#[test]
fn the_example_of_the_specification() {
    let page = read_page(EXAMPLE.as_bytes(), Some("text/html"));
    assert_eq!(
        metas(&page),
        ["5:1 robots=index nofollow", "7:1 robots=ACAP allow-index", "8:1 robots=ACAP disallow-follow"]
    );
    assert_eq!(elements(&page), ["12:1 body>div:1 the-acap:allow-index"]);
    assert_eq!(page.elements[0].tag, "div");
    assert!(!page.cut);
}

#[test]
fn the_other_examples_of_the_specification() {
    let html = r#"<META name="crawler-name" content="ACAP allow-index">
<META name="crawler-identification" content="ACAP news allow-index"><META name="searchbot" content="ACAP allow-present-snippet
max-length=100-chars">
<META name="robots" content="ACAP Version 1.1">"#;
    assert_eq!(
        metas_of(html),
        [
            "1:1 crawler-name=ACAP allow-index",
            "2:1 crawler-identification=ACAP news allow-index",
            "2:69 searchbot=ACAP allow-present-snippet\nmax-length=100-chars",
            "4:1 robots=ACAP Version 1.1",
        ]
    );
}

/// Lines from the heads of bardown.com (2018), stripes.com and brisbanetimes.com.au (2013).
#[test]
fn real_heads() {
    let html = r#"        <meta name="robots" content="index, follow" />
      <meta name="robots" content="ACAP allow-index" />
            <meta name="robots" content="index">
        <meta name="GOOGLEBOT" content="index, follow">
<meta http-equiv='imagetoolbar' content='no' />
    <link rel='canonical' href='http://www.brisbanetimes.com.au/queensland/girl-17-dies.html'/>
<meta name='robots' content='noarchive,noodp' />
<meta name='robots' content='ACAP allow-present prohibited-modification=annotation' />
<meta name='description' content='' />
"#;
    assert_eq!(
        metas_of(html),
        [
            "1:9 robots=index, follow",
            "2:7 robots=ACAP allow-index",
            "3:13 robots=index",
            "4:9 GOOGLEBOT=index, follow",
            "7:1 robots=noarchive,noodp",
            "8:1 robots=ACAP allow-present prohibited-modification=annotation",
        ]
    );
}

#[test]
fn spellings_of_meta() {
    for html in [
        r#"<meta name="robots" content="ACAP x">"#,
        r#"<MeTa NAME='robots' CONTENT='ACAP x'>"#,
        r#"<meta content="ACAP x" name=robots>"#,
        r#"<meta content="ACAP x" name=robots/>"#,
        "<meta\r\n\tname\n=\n\"robots\"\ncontent\n=\n'ACAP x'\n/>",
        r#"<meta name="robots"content="ACAP x"/>"#,
        r#"<meta name=" robots
" content="ACAP x" lang=en x>"#,
        r#"<meta name="robots" content="ACAP x" content="ACAP y" name="other">"#,
        r#"<meta name="r&#111;b&#x6F;ts" content="&#65;CAP&#32;x">"#,
        r#"<meta / name="robots" / content="ACAP x" a="b>c" <d>"#,
    ] {
        let found = metas_of(html);
        let content = if html.contains("robots/>") { "1:1 robots/=ACAP x" } else { "1:1 robots=ACAP x" };
        assert_eq!(found, [content], "{html}");
    }
    assert_eq!(
        metas_of("<meta name=r content='acap  a=&quot;b&amp;c&quot; &copy;d &copy=e &unknown; &#0; '>"),
        ["1:1 r=acap  a=\"b&c\" ©d &copy=e &unknown; \u{fffd} "]
    );
    assert_eq!(metas_of("<meta name=robots content=noindex>"), ["1:1 robots=noindex"]);
    assert_eq!(metas_of("<meta name=robots content>"), ["1:1 robots="]);
}

#[test]
fn what_is_no_meta_for_crawlers() {
    // `NO` marks a META element that must be skipped; elements after it count again.
    for html in [
        "<meta name=description content=index><meta name=viewport content='width=1'>",
        "<meta name=robots><meta content='ACAP x'><meta name='' content='ACAP x'>",
        "<meta http-equiv=robots content='ACAP x'><meta property=robots content='ACAP x'>",
        "<metas name=robots content=noindex><meta:x name=robots content=noindex></meta name=robots content=x>",
        "<!-- NO -- > NO --><!--><!doctype NO",
        "<? NO",
        "<script>document.write('NO')</script>",
        "<script><!-- <script> </script> NO --></script>",
        "<style>/* NO */</style><title>NO</title><textarea>NO</textarea>",
        "<iframe>NO</iframe><xmp>NO</xmp>",
        "<template><p>NO<template></template></p>NO</template>",
        "<![CDATA[ NO ]]>",
        "<svg><![CDATA[ NO ]]></svg>",
        "<a title='NO'>&lt;meta name=robots content=noindex>",
        "<select><style>NO</style></select></p></x><p><b></p><svg>",
        "<![CDATA[ > and no end",
    ] {
        let html = html.replace("NO", "<meta name=robots content=noindex>");
        assert_eq!(metas_of(&html), [""; 0], "{html}");
        let after = read_page(format!("{html}\n<meta name=robots content=index>").as_bytes(), None);
        assert_eq!(metas(&after), ["2:1 robots=index"], "{html}");
    }
    // In HTML, a CDATA section is a comment that ends at the first `>`.
    for after in ["", " ]]>", "<script>if (a[b[0]]>3);</script>", "<script>//<![CDATA[\n//]]></script>"] {
        let html = format!("<![CDATA[ > <meta name=robots content=noindex>{after}");
        assert_eq!(metas_of(&html), ["1:13 robots=noindex"], "{after}");
    }
    // An unclosed construct reaches to the end of the page.
    for html in ["<!-- ", "<script>", "<title>", "<template>", "<a title='", "<plaintext>", "<svg><![CDATA["]
    {
        assert_eq!(metas_of(&format!("{html}<meta name=robots content=noindex>")), [""; 0], "{html}");
    }
    for html in ["<meta name=robots content=noindex", "<meta name=robots content='noindex>"] {
        assert_eq!(metas_of(html), [""; 0], "{html}");
    }
}

/// A crawler that runs no scripts sees elements inside `noscript` (decision 40).
#[test]
fn meta_in_noscript() {
    let noindex = "<meta name=robots content=noindex>";
    for (html, places) in [
        ("<head><noscript>NO</noscript><meta name=robots content=index>", &["1:17 in", "1:62"][..]),
        (
            "<head><meta name=robots content=index><noscript>\n<link><!-- NO -->NO</NOSCRIPT>",
            &["1:7", "2:50 in"],
        ),
        ("<noscript><style>NO</style><template>NO</template><title>NO</title></noscript>", &[]),
        ("<noscript>no</noscript><noscript>NO</noscript><noscript><!-- NO --></noscript>", &["1:34 in"]),
        ("<body><p><noscript><b>NO</noscript>NO", &["1:23 in", "1:68"]),
        // Without an end tag, the rest of the page is its content.
        ("<noscript>NO<p>NO", &["1:11 in", "1:48 in"]),
        // It is no text in SVG, so each element is read once.
        ("<svg><noscript><g>NO</g></noscript></svg>NO", &["1:19", "1:74"]),
        ("<template><noscript>NO</noscript></template>", &[]),
    ] {
        let html = html.replace("NO", noindex);
        let found: Vec<String> = read_page(html.as_bytes(), None)
            .metas
            .iter()
            .map(|tag| format!("{}:{}{}", tag.line, tag.column, if tag.in_noscript { " in" } else { "" }))
            .collect();
        assert_eq!(found, places, "{html}");
        // The elements of all tags are reported if a class may have a token.
        let found = read_page(format!("{html}<!-- acap -->").as_bytes(), None);
        assert_eq!(found.metas.len(), places.len(), "{html}");
    }
    let xhtml = "<?xml version='1.0'?><head><script/><noscript><style/><meta name='robots' content='noindex'/>\
        </noscript><meta name='robots' content='index'/></head>";
    assert_eq!(metas_of(xhtml), ["1:55 robots=noindex", "1:105 robots=index"]);
    let many = |count| read_page(format!("<noscript>{noindex}</noscript>").repeat(count).as_bytes(), None);
    assert_eq!((many(1024).metas.len(), many(1024).cut), (1024, false));
    assert_eq!((many(1025).metas.len(), many(1025).cut), (1024, true));
}

/// An element of SVG is no `template` and no `base`.
#[test]
fn names_of_html_in_other_languages() {
    let noindex = "<meta name=robots content=noindex>";
    assert_eq!(metas_of(&format!("<svg><template>{noindex}</template></svg>")), ["1:16 robots=noindex"]);
    assert_eq!(metas_of(&format!("<svg><desc><template>{noindex}</template></desc></svg>")), [""; 0]);
    let base_of = |html: &str| read_page(html.as_bytes(), None).base;
    assert_eq!(base_of("<svg><base href=/a/></svg>"), None);
    assert_eq!(base_of("<math><base href=/a/></math><base href=/b/>").as_deref(), Some("/b/"));
}

#[test]
fn meta_in_the_body() {
    let html = "<body><p>a<div>é<meta name=robots content=noindex></div></body></html>\r<meta name=x content='ACAP y'>";
    assert_eq!(metas_of(html), ["1:18 robots=noindex", "2:1 x=ACAP y"]);
}

#[test]
fn tokens_of_classes() {
    let html = &r#"<body class="a the-acap:disallow-index"><p id=x&amp;y class='
  ACAP:allow-follow\tthe-acap:allow-index b'><img class=acap:a><br class="not-acap:x acap the-acap xthe-acap:y">
<DIV CLASS="the-acap&colon;local">"#
        .replace(r"\t", "\t");
    assert_eq!(
        elements_of(html),
        [
            "1:1 body the-acap:disallow-index",
            "1:41 body>p:1#x&y ACAP:allow-follow",
            "1:41 body>p:1#x&y the-acap:allow-index",
            "2:45 body>p:1>img:1 acap:a",
            "3:1 body>div:2 the-acap:local",
        ]
    );
    assert_eq!(elements_of("<p class='&#116;he-&#97;c&#x61;p:x'>"), ["1:1 p:1 the-acap:x"]);
    assert_eq!(
        elements_of("<!-- <p class=acap:x> --><script><p class=acap:x></script><template><p class=acap:x>"),
        [""; 0]
    );
    assert_eq!(elements_of("<p class='é acap:é'>"), ["1:1 p:1 acap:é"]);
}

#[test]
fn paths() {
    for (html, path) in [
        ("<html class=acap:x>", "html"),
        ("<html><head class=acap:x>", "head"),
        ("<html><head><link><title>x</title><body class=acap:x>", "body"),
        ("<html><head></head><body><div></div><div><p></p><p class=acap:x>", "body>div:2>p:2"),
        ("<head><title>x</title><p class=acap:x>", "p:1"),
        ("<body><body><p><body class=acap:x>", "body"),
        ("<body><body><p class=acap:x>", "body>p:1"),
        ("<body><p>a<p>b<p class=acap:x>", "body>p:3"),
        ("<body><p>a<ul><li><p>a<li>b<ul><li></ul><li class=acap:x>", "body>ul:2>li:3"),
        ("<table><tr><td>a<td><p>b<tr><td>c<td class=acap:x>", "table:1>tr:2>td:2"),
        ("<dl><dt>a<dd>b<dt>c<dd class=acap:x>", "dl:1>dd:4"),
        ("<select><option>a<option class=acap:x>", "select:1>option:2"),
        ("<div><b><i></b><p></div><p class=acap:x>", "p:2"),
        ("<div></p></span><p class=acap:x>", "div:1>p:1"),
        ("<div><br><img/><hr></br><p class=acap:x>", "div:1>p:4"),
        ("<div><template><p><b></template><p class=acap:x>", "div:1>p:2"),
        ("<svg><g/><path/><g><path class=acap:x /></g></svg>", "svg:1>g:3>path:1"),
        ("<div/><p class=acap:x>", "div:1>p:1"),
        (
            "<a-name-that-is-longer-than-any-in-use-is><p class=acap:x>",
            "a-name-that-is-longer-than-any-i:1>p:1",
        ),
    ] {
        let page = read_page(html.as_bytes(), None);
        assert_eq!(page.elements.len(), 1, "{html}");
        assert_eq!(page.elements[0].path, path, "{html}");
    }
}

#[test]
fn xhtml() {
    let html = r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en"><head><title/><script src="a/>"/><!-- <script/> -->
<script type="text/javascript">//<![CDATA[
  "<script/><meta name='robots' content='noindex' />"
//]]></script><meta name="robots" content="ACAP allow-index" /></head>
<body><div/><p/><![CDATA[ <br/ ]]><p><br/><b class="the-acap:allow-index"/></p>
<i class="acap:y"/></body></html>"#;
    for kind in [None, Some("application/xhtml+xml; charset=utf-8"), Some("text/XML")] {
        let page = read_page(html.as_bytes(), kind);
        assert_eq!(metas(&page), ["6:15 robots=ACAP allow-index"], "{kind:?}");
        assert_eq!(elements(&page), ["7:43 body>p:3>b:2 the-acap:allow-index", "8:1 body>i:4 acap:y"]);
        assert!(!page.cut);
    }
    // The same page as HTML: its script has no end tag, and all before the next one is script.
    let page = read_page(html.as_bytes(), Some("text/html"));
    assert_eq!(metas(&page), [""; 0]);
}

/// What a reader of HTML sees otherwise may hide the rest of the page.
#[test]
fn xhtml_that_is_no_html() {
    let page = |body: &str| {
        let html = "<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title/></head>";
        read_page(format!("{html}{body}</html>").as_bytes(), Some("application/xhtml+xml"))
    };
    for body in [
        "<p><![CDATA[ a > b <!-- ]]></p>",
        "<p><![CDATA[>]]></p>",
        "<?x a > <!-- ?>",
        "<!--> <script> -->",
        "<!-- a --!> <script> -->",
        "<plaintext></plaintext>",
        "<h:p xmlns:h='http://www.w3.org/1999/&#120;html'/>",
        "<!DOCTYPE html [<!ENTITY r 'robots'>]>",
    ] {
        assert!(page(body).cut, "{body}");
    }
    for body in
        ["<p><![CDATA[ a & b < ]]></p>", "<?x a ?><!-- > --><svg xmlns:x='urn:x'><x:p/><![CDATA[>]]></svg>"]
    {
        assert!(!page(body).cut, "{body}");
    }
}

#[test]
fn character_sets() {
    let html = "é\n<p id=ü class='acap:é'><meta name=robots content='ACAP ж'>";
    let utf_8 = read_page(html.as_bytes(), None);
    assert_eq!(elements(&utf_8), ["2:1 p:1#ü acap:é"]);
    assert_eq!(metas(&utf_8), ["2:26 robots=ACAP ж"]);
    let sixteen = |bytes: fn(u16) -> [u8; 2], mark: bool| -> Vec<u8> {
        mark.then_some(0xfeff).into_iter().chain(html.encode_utf16()).flat_map(bytes).collect()
    };
    for (page, kind) in [
        (sixteen(u16::to_le_bytes, true), None),
        (sixteen(u16::to_be_bytes, true), Some("text/html; charset=windows-1251")),
        (sixteen(u16::to_le_bytes, false), Some("text/html; charset=utf-16")),
        (format!("\u{feff}{html}").into_bytes(), Some("text/html; charset=windows-1251")),
        (html.into(), Some("text/html; charset=nonsense")),
        (html.into(), Some("text/html; Charset = \"UTF-8\" ; x")),
    ] {
        assert_eq!(read_page(&page, kind), utf_8, "{kind:?}");
    }
    let page = b"<p class='acap:\xe9'><meta name=robots content='ACAP \xe9'>";
    for (kind, letter) in
        [("windows-1251", "й"), ("ISO-8859-1", "é"), ("utf-8", "\u{fffd}"), ("utf-7", "\u{fffd}")]
    {
        let page = read_page(page, Some(&format!("text/html;charset={kind}")));
        assert_eq!(page.metas[0].content, format!("ACAP {letter}"));
        assert_eq!(page.elements[0].token, format!("acap:{letter}"));
    }
}

#[test]
fn rsl_documents_in_scripts() {
    let read = |html: &str| read_page(html.as_bytes(), Some("text/html"));
    let script = |text: &str| format!("<script type='Application/RSL+xml '>{text}</SCRIPT>");
    let inline = |text: &str| PageLicense::Inline(text.to_owned());
    let link = PageLicense::Link("/a.xml".to_owned());
    let html = format!(
        "<link rel=license type=application/rsl+xml href=/a.xml><script>{}</script>{}{}",
        script("no").replace('/', ""),
        script("<rsl>\u{e9} </a> <"),
        "<script type='application/rsl+xml'><rsl> that does not end"
    );
    let expected = [link, inline("<rsl>\u{e9} </a> <"), inline("<rsl> that does not end")];
    assert_eq!(read(&html).licenses, expected);
    // Longer than what is kept: there is a document, and it cannot be read.
    assert_eq!(read(&script(&" ".repeat((64 << 10) + 1))).licenses, [inline("")]);
    assert_eq!(read(&format!("<template>{}</template>", script("x"))).licenses, []);
    // More than the limit, none of them closed.
    let many = read(&"<script type=application/rsl+xml><a></scrip".repeat(100_000));
    assert_eq!((many.licenses.len(), many.cut), (1, false));
    let many = read(&script("a").repeat(100));
    assert_eq!((many.licenses.len(), many.cut), (64, true));
}

/// A document that no reader of the page reads as it was written cannot be read.
#[test]
fn rsl_documents_have_the_encoding_of_the_page() {
    let page = b"<script type=application/rsl+xml><a b='/caf\xe9/'/></script>";
    for (kind, text) in [
        ("text/html; charset=iso-8859-1", "<a b='/caf\u{e9}/'/>"),
        ("text/html; charset=windows-1251", "<a b='/caf\u{439}/'/>"),
        ("text/html; charset=shift_jis", ""),
        ("text/html; charset=utf-8", ""),
        ("text/html", ""),
    ] {
        let licenses = read_page(page, Some(kind)).licenses;
        assert_eq!(licenses, [PageLicense::Inline(text.to_owned())], "{kind}");
    }
}

/// A media type may have parameters, and a crawler that runs no scripts reads `noscript`.
#[test]
fn rsl_documents_are_found_however_they_are_named() {
    let inline = |xml: &str| PageLicense::Inline(xml.to_owned());
    let link = |to: &str| PageLicense::Link(to.to_owned());
    for (html, license) in [
        ("<link rel=license type='application/rsl+xml; charset=utf-8' href=/a>", link("/a")),
        ("<link rel=license type=' Application/RSL+XML;q=1' href=/a>", link("/a")),
        ("<script type='application/rsl+xml;charset=utf-8'><rsl></script>", inline("<rsl>")),
    ] {
        assert_eq!(read_page(html.as_bytes(), None).licenses, [license], "{html}");
    }
    for (html, license) in [
        ("<noscript><link rel=license type=application/rsl+xml href=/a></noscript>", link("/a")),
        ("<body><noscript><script type=application/rsl+xml><rsl></script></noscript>", inline("<rsl>")),
    ] {
        assert_eq!(read_page(html.as_bytes(), None).part_licenses, [license], "{html}");
    }
    for html in [
        "<link rel=license type='text/html; application/rsl+xml' href=/a>",
        "<noscript><link rel=license href=/a></noscript>",
        "<noscript><!-- <link rel=license type=application/rsl+xml href=/a> --></noscript>",
    ] {
        assert_eq!(read_page(html.as_bytes(), None).licenses, [], "{html}");
    }
}

/// A document inside an element of the body speaks of that element.
#[test]
fn rsl_documents_of_parts() {
    let link = "<link rel=license type=application/rsl+xml href=/a>";
    let script = "<script type=application/rsl+xml><rsl></script>";
    for (html, is_part) in [
        ("<!doctype html><html><head><title>x</title>@</head><body>", false),
        ("<meta charset=utf-8>@<p>x", false),
        ("<body><div>x</div>@<p>", false),
        ("<body><p>x<div>y</div>@", false),
        ("<div>x@</div>", true),
        ("<body><article><p>x</p>@</article>", true),
        ("<ul><li>x@", true),
        ("<head><noscript>@</noscript></head>", true),
        ("<body><noscript>@</noscript>", true),
        ("<noscript><p>@</noscript>", true),
        ("<body><div><ul><li>x<li>y</ul><table><tr><td><p>x</table></div>@", false),
        // Where tags are misnested, the element may still be open.
        ("<body><b><div></b>@</div>", true),
        ("<body><span><p></span>@", true),
        ("<form><div></form>@</div>", true),
        ("<body><div></body>@</div>", true),
        ("<body><p></body>@", true),
        ("<html><body><div></html>@</div>", true),
        ("<div><template></div>@</template>", true),
        ("<body><p><table></table>@", true),
    ] {
        for (document, license) in
            [(link, PageLicense::Link("/a".to_owned())), (script, PageLicense::Inline("<rsl>".to_owned()))]
        {
            let page = read_page(html.replace('@', document).as_bytes(), None);
            let expected = if is_part { (vec![], vec![license]) } else { (vec![license], vec![]) };
            assert_eq!((page.licenses, page.part_licenses), expected, "{html} {document}");
        }
    }
    let deep = format!("{}{link}", "<div>".repeat(1_000));
    assert_eq!(read_page(deep.as_bytes(), None).part_licenses.len(), 1);
    let plus = "<link rel=license type='application/rsl&plus;xml' href=/a>";
    assert_eq!(read_page(plus.as_bytes(), None).licenses.len(), 1);
}

/// Names of attributes have no case, whatever else stands in the page.
#[test]
fn silent_elements_in_any_case() {
    for name in ["data-nosnippet", "DATA-NOSNIPPET", "Data-NoSnippet"] {
        for beside in ["", "&#169;", "acap", "rsl+"] {
            let page = read_page(format!("<p>{beside}</p><div {name}>x</div>").as_bytes(), None);
            assert_eq!(page.elements.len(), 1, "{name} {beside}");
        }
    }
}

/// A crawler that runs no scripts sees elements inside `noscript` (decision 40).
#[test]
fn tokens_in_noscript() {
    let html = "<head><noscript><p class=acap:x></noscript><body>\n<noscript>é<i><div data-nosnippet>\
        </noscript><p class=acap:y>";
    let expected =
        ["1:17 noscript>p:1 acap:x", "2:16 noscript>i:1>div:1 data-nosnippet", "2:47 body>p:2 acap:y"];
    assert_eq!(elements_of(html), expected);
}

/// What stands in a `noscript` inside another one is not read, and may refuse.
#[test]
fn nested_noscript_is_unread() {
    let nested = |content: &str| read_page(format!("<noscript><noscript>{content}").as_bytes(), None);
    assert!(nested("<meta name=robots content=noindex>").cut);
    assert!(!nested("<p>nothing").cut);
}
