//! The tester page in a real browser: light and dark, by keyboard only, and with hostile texts.

mod common;

use common::Service;
use common::page::{content, open, paste, send};
use robomaton_browser::{Scheme, chromium};

/// The contrast of an element's text with its background, as defined by WCAG.
const CONTRAST: &str = r"(selector) => {
  const channels = (colour) => colour.match(/[\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0);
  const behind = (node) => {
    const colour = channels(getComputedStyle(node).backgroundColor);
    return colour.length === 4 && colour[3] === 0 ? behind(node.parentElement) : colour;
  };
  const node = document.querySelector(selector);
  const [one, other] = [light(channels(getComputedStyle(node).color)), light(behind(node))];
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}";

#[test]
fn the_line_that_decides_is_shown_with_those_that_lose() {
    let Some(browser) = chromium() else { return };
    let service = Service::start();
    for scheme in [Scheme::Light, Scheme::Dark] {
        let page = open(&browser, &service, scheme);
        assert_eq!(page.text("#status .word"), "Disallowed");
        assert_eq!(page.evaluate("document.querySelectorAll('#lines .decides').length"), 1);
        assert!(content(&page, "#lines .decides .said").starts_with("Disallow: /search"));
        assert_eq!(page.evaluate("document.querySelectorAll('#lines li').length"), 14);
        page.click("#tab-crawlers");
        page.wait("document.querySelectorAll('#crawlers tbody th button').length > 40");
        page.click("#tab-lines");
        for part in [
            "h1",
            "label",
            "nav a",
            "#about",
            "#text-status",
            "#facts dt",
            "#jump .number",
            "#jump code",
            "#tab-urls",
            "#counts .warning",
            "#glance .disallowed",
            "#crawlers thead th",
            "#crawlers .purpose th",
            "#crawlers td.disallowed",
            "#crawlers td.allowed",
            "#crawlers td.choice",
            "#crawlers .name",
            ".word",
            ".reason",
            "#send",
            "#lines .decides .note",
            "#lines .beaten .note",
            "#lines .beside",
            "#lines .dim .said",
            "#lines .number",
        ] {
            let contrast = page.evaluate(&format!("({CONTRAST})('{part}')")).as_f64().unwrap_or(0.0);
            assert!(contrast >= 4.5, "{part}: {contrast}");
        }
        let ground = page.evaluate("getComputedStyle(document.body).backgroundColor");
        assert_eq!(ground == "rgb(18, 21, 26)", matches!(scheme, Scheme::Dark), "{ground}");
        // All requests went to this service.
        let own = format!("http://{}/", service.address);
        assert!(page.requests().iter().all(|url| url.starts_with(&own)), "{:?}", page.requests());
    }
}

#[test]
fn a_keyboard_alone_will_do() {
    let Some(browser) = chromium() else { return };
    let service = Service::start();
    let page = open(&browser, &service, Scheme::Light);
    let focus = || page.evaluate("document.activeElement.id || document.activeElement.className");
    page.press("Tab");
    assert_eq!(focus(), "skip");
    for _ in 0..2 {
        page.press("Tab");
        assert_eq!(page.evaluate("document.activeElement.closest('nav') !== null"), true);
    }
    for id in [
        "url",
        "agent",
        "known",
        "usage",
        "purpose",
        "profile",
        "send",
        "link",
        "open",
        "download",
        "text",
        "site",
        "load",
        "jump",
        "tab-lines",
        "count warning",
        "shown",
        "lines",
    ] {
        page.press("Tab");
        assert_eq!(focus(), id);
        // The focused element is visibly focused.
        let outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle");
        assert_eq!(outline, "solid", "{id}");
    }
    for _ in 0..17 {
        page.press_with_shift("Tab");
    }
    assert_eq!(focus(), "url");
    page.evaluate("document.activeElement.select()");
    page.type_text("/search/about/us");
    page.press("Enter");
    page.wait("document.querySelector('#status .word').textContent === 'Allowed'");
    assert!(content(&page, "#lines .decides .said").contains("Allow: /search/about"));
    assert!(
        content(&page, "#lines .beaten .note").contains("is shorter: 7 bytes"),
        "{}",
        content(&page, "#lines")
    );
    // A site of the image.
    page.evaluate("document.getElementById('site').focus()");
    page.type_text("a.example");
    page.press("Enter");
    page.wait("document.getElementById('text').value.includes('a.example/map.xml')");
    page.wait("document.querySelector('#lines .decides .said').textContent === 'Disallow: /'");
    // From the answer to the line.
    page.evaluate("document.getElementById('jump').focus()");
    page.press("Enter");
    assert_eq!(focus(), "line-6");
    // The live region for screen readers.
    assert_eq!(page.evaluate("document.querySelector('#status').getAttribute('aria-live')"), "polite");
    let unnamed = "[...document.querySelectorAll('input, select, textarea')].filter((field) => !field.hidden && !field.labels.length).length";
    assert_eq!(page.evaluate(unnamed), 0);
}

#[test]
fn texts_of_strangers_stay_text() {
    let Some(browser) = chromium() else { return };
    let service = Service::start();
    let page = open(&browser, &service, Scheme::Light);
    let hostile = "<script>window.hit = 1</script>\nUser-agent: <img src=x onerror=\"window.hit = 1\">\n\
        User-agent: *\nDisallow: /\"><svg onload=window.hit=1>\nDisallow: /\u{202e}lmx.\n";
    paste(&page, "text", hostile);
    paste(&page, "url", "/\"><svg onload=window.hit=1>");
    paste(&page, "purpose", "<b>news</b>");
    paste(&page, "agent", "x<img/src=x/onerror=window.hit=1>");
    send(&page);
    assert_eq!(page.evaluate("document.querySelectorAll('#result :is(script, img, svg, b)').length"), 0);
    assert_eq!(page.evaluate("window.hit === undefined"), true);
    assert!(content(&page, "#lines").contains("<img src=x onerror="), "{}", content(&page, "#lines"));
    assert!(content(&page, "#lines").contains("\u{2039}U+202E\u{203a}lmx."), "{}", content(&page, "#lines"));
    assert!(page.text("#facts").contains("<b>news</b>"), "{}", page.text("#facts"));
}

#[test]
fn mistakes_are_told_where_they_are() {
    let Some(browser) = chromium() else { return };
    let mut service = Service::start();
    let page = open(&browser, &service, Scheme::Dark);
    paste(&page, "url", " ");
    send(&page);
    assert!(page.text("#status").contains("The URL is empty"));
    assert_eq!(page.evaluate("document.activeElement.id"), "url");
    assert_eq!(page.evaluate("document.activeElement.getAttribute('aria-invalid')"), "true");
    paste(&page, "url", "no place");
    send(&page);
    assert!(
        page.text("#status").contains("neither a URL nor a path. Did you mean /no place?"),
        "{}",
        page.text("#status")
    );
    assert_eq!(page.evaluate("document.getElementById('outcome').hidden"), true);
    paste(&page, "url", "example.com/x?y");
    send(&page);
    let hint = "Did you mean https://example.com/x?y, or /x?y alone?";
    assert!(page.text("#status").contains(hint), "{}", page.text("#status"));
    // Messages about loading are next to the field.
    paste(&page, "site", "nobody.example");
    page.click("#load");
    page.wait("document.querySelector('#text-status').classList.contains('failed')");
    let told = "The image does not contain nobody.example, with http or https, with or without www.";
    assert_eq!(page.text("#text-status"), told);
    paste(&page, "site", "www.a.example");
    page.click("#load");
    page.wait("document.getElementById('text').value.includes('a.example/map.xml')");
    assert_eq!(page.text("#text-status"), "Loaded https://a.example, not https://www.a.example: 10 lines.");
    page.wait("document.querySelector('#status .word').textContent === 'Disallowed'");
    service.end();
    send(&page);
    assert!(page.text("#status").contains("is it still running?"), "{}", page.text("#status"));
    // The browser reports both refusals, and nothing else.
    let troubles = page.take_troubles();
    assert!(troubles.iter().all(|trouble| trouble.contains("Failed to load resource")), "{troubles:?}");
}

#[test]
fn large_files_are_no_trouble() {
    let Some(browser) = chromium() else { return };
    let service = Service::start();
    let page = open(&browser, &service, Scheme::Light);
    for width in [320, 390, 768, 1024, 1280] {
        page.viewport(width, 740);
        assert_eq!(page.evaluate("document.documentElement.scrollWidth"), width, "wide as the window");
    }
    let rules: String = (0..20_000).map(|n| format!("Disallow: /{n}/\n")).collect();
    paste(&page, "text", &format!("User-agent: *\n{rules}"));
    paste(&page, "url", "/19999/x");
    send(&page);
    assert_eq!(content(&page, "#lines .decides .said"), "Disallow: /19999/");
    let seen = "(() => { const box = document.getElementById('lines').getBoundingClientRect(); \
        const line = document.querySelector('.decides').getBoundingClientRect(); \
        return line.top >= box.top && line.bottom <= box.bottom; })()";
    page.wait(seen);
}
