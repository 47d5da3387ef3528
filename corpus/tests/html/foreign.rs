//! SVG and MathML in HTML, and what `noscript` leaves open: elements that a tokenizer may miss.

use robomaton_corpus::{Page, read_page};

const NOINDEX: &str = "<meta name=robots content=noindex>";
const LINK: &str = "<link rel=license type=application/rsl+xml href=/a>";

fn page(html: &str) -> Page {
    read_page(html.as_bytes(), Some("text/html"))
}

/// In HTML, `<svg/>` has no content, so that the text of a script behind it is text.
#[test]
fn a_closed_root_has_no_content() {
    for root in ["<svg/>", "<MATH />", "<svg viewBox='0 0 1 1' a='/>'/>", "<svg><svg/></svg>", "<svg></svg>"]
    {
        for text in [
            "<script>var a=\"<!--\";</script>",
            "<script>x = \"<a title='\";</script>",
            "<style>/* <!-- */</style>",
            "<title>a <!-- b</title>",
            "<textarea><!--</textarea>",
            "<![CDATA[x>",
        ] {
            let html = format!("<div>{root}</div>{text}{NOINDEX}<p class='acap:b'>");
            let page = page(&html);
            assert_eq!((page.metas.len(), page.elements.len(), page.cut), (1, 1, false), "{html}");
            assert_eq!(page.metas[0].column as usize, html.find(NOINDEX).unwrap() + 1, "{html}");
        }
        let hidden = page(&format!("{root}<style/>{LINK}"));
        assert_eq!((hidden.licenses, hidden.part_licenses), (vec![], vec![]), "{root}");
    }
    let sprites = "<svg viewBox='0 0 1 1'><use href='#a'/></svg><svg class=x />".repeat(100);
    let page = page(&format!("<body>{sprites}<script>if (a<b) c=\"</p>\";</script>{NOINDEX}"));
    assert_eq!((page.metas.len(), page.cut), (1, false));
}

/// The end tag of an element around it closes it, which the tokenizer does not know.
#[test]
fn an_open_root_may_have_been_closed() {
    for root in [
        "<div><svg></div>",
        "<a href=x><svg><path d=M0></a>",
        "<table><tr><td><svg></td></tr></table>",
        "<li><svg></li>",
        "<h1><math></h2>",
        "<svg><svg><div>",
        "<svg><title></svg><title>x</title>",
        "<svg><desc><b></desc><g>",
    ] {
        for text in [
            "<script>var a=\"<!--\";</script>",
            "<script>a<b</script>",
            "<textarea><!--</textarea>",
            "<style/>",
            "<plaintext>",
        ] {
            assert!(page(&format!("{root}{text}{NOINDEX}")).cut, "{root} {text}");
        }
    }
    for root in ["<div><svg></div>", "<svg>"] {
        assert!(page(&format!("{root}<![CDATA[ > {NOINDEX}]]>")).cut, "{root}");
    }
    assert!(page(&format!("<svg><desc><b></desc></svg></b></desc><style>{NOINDEX}</style>")).cut);
}

/// What both readers see in the same way.
#[test]
fn roots_of_real_pages() {
    for html in [
        "<svg><title>A &lt; b</title><desc>c</desc><style>a > b {}</style><path d=M0 /></svg>",
        "<svg><style><![CDATA[ a > b {} ]]></style><script><!-- a > b -->;</script></svg>",
        "<svg><foreignObject><div><p>x</p></div></foreignObject><text>a</text></svg>",
        "<math><mi>x</mi><mo>=</mo><annotation-xml encoding='text/html'><b>y</b></annotation-xml></math>",
        "<p><svg><path/></p>",
        "<svg><title>the end of the page",
    ] {
        assert!(!page(&format!("<body>{html}")).cut, "{html}");
        assert!(!page(&format!("<head><title>x</title></head>{html}{LINK}")).cut, "{html}");
    }
}

/// What a `noscript` leaves open stands around what follows, for crawlers without scripts.
#[test]
fn what_noscript_leaves_open() {
    for (html, is_part, is_text) in [
        ("<head><noscript><img src='a'></noscript>@", false, false),
        ("<head><noscript><style>x</style><link href=b></noscript>@", false, false),
        ("<body><noscript><iframe src=a></iframe><p>x</p></noscript>@", false, false),
        ("<body><noscript>x</noscript>@", false, false),
        ("<body><noscript><!-- x --></noscript>@", false, false),
        ("<body><noscript><svg><path/></svg></noscript>@", false, false),
        ("<body><noscript><p>Enable JS</noscript>@", true, false),
        ("<head><noscript><p>x</noscript>@", true, false),
        ("<noscript><div></noscript><p>x</p>@", true, false),
        ("<noscript><table></noscript><noscript></noscript>@", true, false),
        ("<div><noscript></div><p></noscript></div>@", true, false),
        ("<noscript><select></noscript>@", true, false),
        ("<noscript><!--</noscript>@-->", true, true),
        ("<noscript><style></noscript>@</style>", true, true),
        ("<noscript><a x=\"</noscript>@\">", true, true),
        ("<noscript><template></noscript>@", true, true),
    ] {
        let page = page(&html.replace('@', &format!("{LINK}{NOINDEX}")));
        let licenses = (page.licenses.len(), page.part_licenses.len());
        assert_eq!(licenses, if is_part { (0, 1) } else { (1, 0) }, "{html}");
        let metas: Vec<bool> = page.metas.iter().map(|tag| tag.in_noscript).collect();
        assert_eq!(metas, [is_text], "{html}");
    }
}
