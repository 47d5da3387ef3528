//! Requests that take as much work as the limits allow, or a little more.

use crate::service::client::{get, head};
use crate::service::sites::{STARRY, WORDY, starry, wordy};
use robomaton_serve::limits::{EXPLAINED_URL, FIELDS, GROUPS, TEST_URLS};
use robomaton_tests::hostile;
use serde_json::{Value, json};

/// Longer texts are cut by the service, as everywhere.
const LONGEST: usize = 512_000;

/// A costly request.
pub(crate) struct Costly {
    pub(crate) name: String,
    pub(crate) bytes: String,
    pub(crate) statuses: &'static [u16],
}

/// A batch of equal questions.
pub(crate) fn batch(url: &str, count: usize) -> String {
    json!(vec![json!({ "url": url }); count]).to_string()
}

/// All of them.
pub(crate) fn requests() -> Vec<Costly> {
    let mut all = Vec::new();
    let mut add = |name: String, bytes: String, statuses| all.push(Costly { name, bytes, statuses });
    for (site, count) in [(WORDY, 300), (STARRY, 2000)] {
        let body = batch(site, count);
        add(format!("a batch about {site}"), head("/v1/decide", body.len()) + &body, &[200, 503]);
        let body = batch(site, 9000);
        add(format!("a large batch about {site}"), head("/v1/decide", body.len()) + &body, &[413, 503]);
        for path in ["explain", "site", "text", "crawlers"] {
            add(format!("{path} of {site}"), get(&format!("/v1/{path}?url={site}")), &[200, 503]);
        }
    }
    let long = format!("{STARRY}{}", "a".repeat(EXPLAINED_URL - STARRY.len()));
    add("a long URL to explain".to_owned(), get(&format!("/v1/explain?url={long}")), &[200]);
    for (name, text) in texts() {
        let urls: Vec<String> = (0..TEST_URLS).map(|n| format!("/{n}/{}", "a/b".repeat(100))).collect();
        for (path, question) in [
            ("/v1/test", json!({ "url": "/aXbXc/p" })),
            ("/v1/test/urls", json!({ "urls": urls })),
            ("/v1/test/crawlers", json!({ "url": "/aXbXc/p" })),
        ] {
            let mut question = question;
            question["text"] = Value::from(text.as_str());
            let body = question.to_string();
            // A text of many groups or fields is not explained.
            add(format!("{path} of {name}"), head(path, body.len()) + &body, &[200, 422, 503]);
        }
    }
    all
}

/// Texts at the limits of the service, and those that the compiler is tested with.
fn texts() -> Vec<(&'static str, String)> {
    let fields = "ACAP-allow-crawl: /\nACAP-disallow-crawl: /\n".repeat(FIELDS / 2);
    let groups: String = (0..GROUPS).map(|n| format!("User-agent: b{n}\nDisallow: /{n}\n")).collect();
    let mut all = vec![
        ("fields at the limit", format!("ACAP-crawler: *\n{fields}")),
        ("groups at the limit", groups),
        ("long conditions", wordy()),
        ("stars", starry()),
    ];
    for (name, build, size) in hostile::BUILDERS.into_iter().chain(hostile::acap::TEXTS) {
        let text = build(size);
        if text.len() <= LONGEST {
            all.push((name, String::from_utf8_lossy(&text).into_owned()));
        }
    }
    all
}
