//! The open tester page, and a user's actions on it.

use super::Service;
use robomaton_browser::{Browser, Page, Scheme};
use serde_json::json;

/// The loaded page, with its first test answered.
pub(crate) fn open(browser: &Browser, service: &Service, scheme: Scheme) -> Page {
    let page = browser.blank();
    page.color_scheme(scheme);
    page.viewport(1280, 900);
    page.go(&format!("http://{}/", service.address));
    page.wait("document.querySelector('#status .word') !== null");
    page
}

/// Sets the text of a field, as if pasted.
pub(crate) fn paste(page: &Page, id: &str, text: &str) {
    page.evaluate(&format!("document.getElementById('{id}').value = {}", json!(text)));
}

/// The text of an element, visible or not.
pub(crate) fn content(page: &Page, selector: &str) -> String {
    let text = page.evaluate(&format!("document.querySelector({}).textContent", json!(selector)));
    text.as_str().unwrap_or_default().to_owned()
}

/// Sends the question and waits for its answer.
pub(crate) fn send(page: &Page) {
    page.evaluate("document.querySelector('#status .word').textContent = ''");
    page.click("#send");
    page.wait("document.querySelector('#status .word').textContent !== ''");
}
