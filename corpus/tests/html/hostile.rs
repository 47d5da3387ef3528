//! Pages that are deep, long, truncated or no pages at all: nothing in them stops or misleads the
//! reader.

use proptest::prelude::*;
use robomaton_corpus::read_page;

use super::{EXAMPLE, elements, metas};

#[test]
fn deep_nesting() {
    for tag in ["div", "p", "svg", "template", "table", "select", "b"] {
        let mut html = format!("<{tag}>").repeat(100_000);
        html.push_str("<meta name=robots content=noindex>");
        assert_eq!(metas(&read_page(html.as_bytes(), None)).len(), usize::from(tag != "template"), "{tag}");
        html.push_str("<i class=acap:x>");
        let page = read_page(html.as_bytes(), None);
        assert_eq!(
            (page.metas.len(), page.elements.len()),
            (usize::from(tag != "template"), page.metas.len()),
            "{tag}"
        );
        if tag == "div" {
            assert!(page.cut);
            assert!(page.elements[0].path.ends_with(">div:1>…>i"));
            assert_eq!(page.elements[0].path.matches("div:1").count(), 128);
        }
        html.push_str(&format!("</{tag}>").repeat(100_000));
        html.push_str("<i class=acap:x>");
        let page = read_page(html.as_bytes(), None);
        let last = page.elements.last().expect("the last is outside");
        assert_eq!((&*last.tag, last.path.matches('>').count() < 3), ("i", true), "{tag}: {}", last.path);
    }
    // More than the parser's memory: results before that are kept.
    let html = format!("<meta name=robots content=noindex>{}", "<div>".repeat(1_000_000));
    let page = read_page(html.as_bytes(), None);
    assert_eq!((page.metas.len(), page.cut), (1, true));
}

#[test]
fn too_many_and_too_long() {
    let page = read_page("<meta name=robots content=noindex>\n".repeat(100_000).as_bytes(), None);
    assert_eq!((page.metas.len(), page.metas[1023].line, page.cut), (1024, 1024, true));
    let page = read_page("<b class='acap:a the-acap:b'></b>".repeat(100_000).as_bytes(), None);
    assert_eq!((page.elements.len(), page.elements[2047].column, page.cut), (2048, 1023 * 33 + 1, true));
    let page = read_page(format!("<b class='{}'>", "acap:a ".repeat(100_000)).as_bytes(), None);
    assert_eq!((page.elements.len(), page.cut), (2048, true));

    let long = "x".repeat(5000);
    let page = read_page(format!("<meta name=robots content='ACAP {long}'><meta name={long} content=ACAP><meta name=description content={long}><meta name=robots content=all>").as_bytes(), None);
    assert_eq!((metas(&page).len(), page.cut), (1, true));
    assert!(!read_page(format!("<meta name=description content={long}>").as_bytes(), None).cut);
    let page =
        read_page(format!("<b id={long} class='acap:x acap:{long}'><b class={long}>").as_bytes(), None);
    assert_eq!((elements(&page), page.cut), (vec!["1:1 b:1 acap:x".to_owned()], true));
    let page = read_page(format!("<{} class=acap:x>", "y".repeat(1_000_000)).as_bytes(), None);
    assert_eq!(page.elements[0].tag.len(), 32);
}

/// Pages that would take minutes to read if any part of it were quadratic.
#[test]
fn time_is_linear() {
    let many = 300_000;
    for html in [
        "<![CDATA[ x ".repeat(many) + "]]>",
        "<![CDATA[ x >".repeat(many),
        "<![CDATA[ x ]]>".repeat(many),
        "<!-- ".to_owned() + &"<script/> acap ".repeat(many),
        "<script/>".repeat(many) + "acap",
        "<br/>".repeat(many),
        "<p".to_owned() + &" a".repeat(many) + " class=acap:x>",
        "<p class='".to_owned() + &"&amp".repeat(many) + " acap:x'>",
        "<b><i></b>acap".repeat(many),
        (0..many).map(|n| format!("<x{n} class='{n}'>acap")).collect(),
        "</p>acap".repeat(many),
        "<".repeat(many) + &"&#".repeat(many),
        "<template>".repeat(many),
        "<svg>".to_owned() + &"<script type=application/rsl+xml>".repeat(many),
        "<script type=application/rsl+xml />".repeat(many),
        "\r".repeat(many) + &"<p class=acap:x>".repeat(2048),
    ] {
        for kind in ["text/html", "application/xhtml+xml"] {
            let start = std::time::Instant::now();
            read_page(html.as_bytes(), Some(kind));
            let took = start.elapsed();
            assert!(took.as_secs() < 20, "{kind} {took:?} {}", &html[..40]);
        }
    }
}

#[test]
fn every_beginning_of_a_page() {
    let xhtml = "<html><head><title/><meta name='robots' content='ACAP &amp;'/></head><body><p class=\"acap:x\">é<![CDATA[br]]><template><b/></template><svg><g/></svg><!-- x --></p></body></html>";
    for (html, kind) in [(EXAMPLE, None), (xhtml, None), (xhtml, Some("text/xml"))] {
        let whole = read_page(html.as_bytes(), kind);
        for end in 0..=html.len() {
            let page = read_page(&html.as_bytes()[..end], kind);
            // An unclosed comment is no XML.
            assert!(!page.cut || kind.is_some());
            assert!(whole.metas.starts_with(&page.metas), "{end}");
            assert!(whole.elements.starts_with(&page.elements), "{end}");
        }
    }
}

/// Pieces of odd pages.
const PIECES: [&str; 40] = [
    "<meta ",
    "name=robots ",
    "content='ACAP a' ",
    "content=noindex",
    ">",
    "/>",
    "<div ",
    "class='acap:x' ",
    "id=i ",
    "</div>",
    "<p>",
    "</p>",
    "<table>",
    "<tr>",
    "<td>",
    "<select>",
    "<option>",
    "<template>",
    "</template>",
    "<script>",
    "</script>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<svg>",
    "</svg>",
    "<math>",
    "<mi>",
    "</math>",
    "<title>",
    "</title>",
    "&#",
    "&amp",
    "\"",
    "'",
    "<html>",
    "<body>",
    "</body>",
    "\r\n",
];

fn check(html: &[u8]) {
    for kind in [
        None,
        Some("application/xhtml+xml"),
        Some("text/html; charset=shift_jis"),
        Some("; charset=utf-16le"),
    ] {
        let page = read_page(html, kind);
        assert_eq!(page, read_page(html, kind));
        let places: Vec<_> = page.elements.iter().map(|e| (e.line, e.column)).collect();
        assert!(places.is_sorted());
        // For a UTF-16 page, places refer to the decoded page.
        if kind.is_none_or(|kind| !kind.contains("utf-16"))
            && !html.starts_with(b"\xff\xfe")
            && !html.starts_with(b"\xfe\xff")
        {
            let html = html.strip_prefix(b"\xef\xbb\xbf").unwrap_or(html);
            let text = String::from_utf8_lossy(html).replace("\r\n", "\n").replace('\r', "\n");
            let lines: Vec<&str> = text.split('\n').collect();
            for (line, column) in places.into_iter().chain(page.metas.iter().map(|m| (m.line, m.column))) {
                let line = lines[line as usize - 1];
                if line.is_ascii() {
                    assert!(line[column as usize - 1..].starts_with('<'), "{line} {column}");
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn random_bytes(html in prop::collection::vec(any::<u8>(), 0..400)) {
        check(&html);
    }

    #[test]
    fn random_pieces(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..60)) {
        check(pieces.concat().as_bytes());
    }
}
