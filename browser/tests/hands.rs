//! The guarantees for tests in other crates: events are real, errors are noticed, the network is
//! unreachable.

use robomaton_browser::{Scheme, chromium};
use serde_json::json;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::{Duration, Instant};

/// The time in which everything has to be heard.
const DEADLINE: Duration = Duration::from_secs(20);
/// The time between two looks.
const LOOK: Duration = Duration::from_millis(100);

/// A page with this body.
fn page(body: &str) -> String {
    format!("data:text/html;charset=utf-8,<!doctype html><title>t</title>{}", body.replace('#', "%23"))
}

#[test]
fn hands_and_eyes() {
    let Some(browser) = chromium() else { return };
    let form =
        "<input id=a><button id=b onclick='window.trusted = event.isTrusted'>b</button><p>say <b>so</b>";
    let page = browser.open(&page(form));
    page.click("#a");
    page.type_text("Grüße, 1");
    page.press("Tab");
    page.press("Enter");
    page.wait("window.trusted");
    assert_eq!(page.evaluate("document.querySelector('#a').value"), json!("Grüße, 1"));
    page.press_with_shift("Tab");
    assert_eq!(page.evaluate("document.activeElement.id"), json!("a"));
    assert_eq!(page.text("p"), "say so");
    assert_eq!(page.evaluate("Promise.resolve([1, null])"), json!([1, null]));
    assert_eq!(page.evaluate("undefined"), json!(null));
    for (scheme, dark) in [(Scheme::Dark, true), (Scheme::Light, false)] {
        page.color_scheme(scheme);
        assert_eq!(page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches"), json!(dark));
    }
    page.as_printed();
    assert_eq!(page.evaluate("matchMedia('print').matches"), json!(true));
    page.viewport(400, 300);
    assert_eq!(page.evaluate("[innerWidth, innerHeight]"), json!([400, 300]));
    let png = page.screenshot();
    assert_eq!((&png[1..4], &png[16..24]), (&b"PNG"[..], &[0, 0, 1, 144, 0, 0, 1, 44][..]));
}

#[test]
fn troubles_are_heard() {
    let Some(browser) = chromium() else { return };
    let bad = "<script>console.error('one', 2); setTimeout(() => { throw new Error('three') })</script>\
               <script>Promise.reject(new Error('four'))</script>\
               <script>fetch('http://a.example/five').catch(() => 0)</script>";
    let page = browser.open(&page(bad));
    let expected = ["\"one\" 2", "three", "four", "a.example/five"];
    let (mut troubles, end) = (String::new(), Instant::now() + DEADLINE);
    while !expected.iter().all(|trouble| troubles.contains(trouble)) {
        assert!(Instant::now() < end, "not all of {expected:?} are in:\n{troubles}");
        thread::sleep(LOOK);
        troubles += &page.take_troubles().join("\n");
    }
    assert!(page.requests().iter().any(|url| url == "http://a.example/five"), "{:?}", page.requests());
}

#[test]
fn a_page_with_troubles_fails_its_test() {
    let Some(browser) = chromium() else { return };
    let page = browser.open(&page("<script>console.error('no')</script>"));
    let dropped = catch_unwind(AssertUnwindSafe(|| drop(page)));
    let said = dropped.expect_err("dropping fails");
    assert!(said.downcast_ref::<String>().is_some_and(|said| said.contains("the page complains")));
}
