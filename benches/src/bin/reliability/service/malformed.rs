//! Requests that no good client sends, and the statuses that they may get.

use crate::service::client::{get, head};
use robomaton_serve::limits::{AGENTS, BATCH, HEAD, NAME, QUESTIONS, TEST_URLS, URL};
use serde_json::json;

/// A bad request.
pub(crate) struct Malformed {
    pub(crate) name: &'static str,
    pub(crate) bytes: Vec<u8>,
    pub(crate) statuses: &'static [u16],
    /// True if the service may end the connection while the rest is still on its way, which loses
    /// the answer.
    pub(crate) may_be_cut: bool,
}

/// All of them.
pub(crate) fn malformed() -> Vec<Malformed> {
    let mut all = heads();
    all.extend(bodies());
    all.extend(values());
    all
}

fn case(name: &'static str, bytes: impl Into<Vec<u8>>, statuses: &'static [u16]) -> Malformed {
    let bytes = bytes.into();
    let may_be_cut = bytes.len() > HEAD;
    Malformed { name, bytes, statuses, may_be_cut }
}

/// What is no HTTP, or is not for this service.
fn heads() -> Vec<Malformed> {
    let with = |headers: &str| format!("GET /healthz HTTP/1.1\r\n{headers}\r\n");
    let fields: String = (0..101).map(|n| format!("x-{n}: a\r\n")).collect();
    vec![
        case("no request", "GARBAGE\r\n\r\n", &[400]),
        case("NULs", [0; 100], &[400]),
        case("a greeting of TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", &[400]),
        case("HTTP/0.9", "GET /\r\n\r\n", &[400]),
        case("HTTP/9.9", "GET / HTTP/9.9\r\nHost: localhost\r\n\r\n", &[400]),
        case("HTTP/1.0", "GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n", &[200]),
        case("a control character in the target", "GET /\x01 HTTP/1.1\r\nHost: localhost\r\n\r\n", &[400]),
        case("a NUL in the target", "GET /\0 HTTP/1.1\r\nHost: localhost\r\n\r\n", &[400]),
        case("a NUL in a header", with("Host: localhost\r\nx: a\0b\r\n"), &[400]),
        case("a folded header", with("Host: localhost\r\nx: a\r\n b\r\n"), &[400]),
        case("a space before a colon", with("Host : localhost\r\n"), &[400]),
        case("101 headers", with(&format!("Host: localhost\r\n{fields}")), &[431]),
        case("a long header", with(&format!("Host: localhost\r\nx: {}\r\n", "a".repeat(HEAD))), &[431]),
        case("a long target", get(&format!("/{}", "a".repeat(HEAD))), &[414, 431]),
        case("no host", with(""), &[400]),
        case("two hosts", with("Host: localhost\r\nHost: localhost\r\n"), &[400]),
        case("another host", with("Host: evil.example\r\n"), &[421]),
        case("almost an address", with("Host: [::1]evil.example\r\n"), &[421]),
        case("a host that is no text", b"GET / HTTP/1.1\r\nHost: \xff\r\n\r\n".as_slice(), &[421]),
        case(
            "another host in the target",
            "GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
            &[421],
        ),
        case("a method of no path", "BREW /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", &[405]),
        case("a tunnel", "CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n", &[404]),
        case("a path upwards", get("/../../etc/passwd"), &[404]),
        case("a hidden path upwards", get("/%2e%2e/%2e%2e/etc/passwd"), &[404]),
    ]
}

/// Bodies whose length or form is not what their heads say.
fn bodies() -> Vec<Malformed> {
    let with = |headers: &str, body: &str| {
        format!("POST /v1/decide HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n\r\n{body}")
    };
    let chunked = |body: &str| with("Transfer-Encoding: chunked", body);
    let grains = format!("{}0\r\n\r\n", "1\r\n \r\n".repeat(200_000));
    vec![
        case("a chunk size that is none", chunked("ZZ\r\n"), &[400]),
        case("a chunk size over all limits", chunked("FFFFFFFFFFFFFFFFFF\r\n"), &[400]),
        case("a chunk that is longer than it says", chunked("1\r\n[]\r\n0\r\n\r\n"), &[400]),
        case("a long extension of a chunk", chunked(&format!("1;{}\r\n", "a".repeat(60_000))), &[400]),
        case("trailers", chunked(&format!("0\r\n{}\r\n", "a: b\r\n".repeat(9000))), &[400, 431]),
        case("a body of chunks of one byte", chunked(&grains), &[400]),
        case("two lengths", with("Content-Length: 2\r\nContent-Length: 3", "[]"), &[400]),
        case("a negative length", with("Content-Length: -1", "[]"), &[400]),
        case("a length over all limits", with("Content-Length: 99999999999999999999", "[]"), &[400]),
        case("a length and chunks", with("Content-Length: 2\r\nTransfer-Encoding: chunked", "[]"), &[400]),
        case("an unknown coding", with("Transfer-Encoding: gzip", "[]"), &[400]),
        case("no body", with("Content-Length: 0", ""), &[400]),
        case("a body over the limit", head("/v1/decide", BATCH + 1) + &" ".repeat(BATCH + 1), &[413]),
    ]
}

/// Parameters and JSON.
fn values() -> Vec<Malformed> {
    let decide = |query: &str| get(&format!("/v1/decide?{query}"));
    let post = |target: &str, body: Vec<u8>| [head(target, body.len()).into_bytes(), body].concat();
    let batch = |body: String| post("/v1/decide", body.into_bytes());
    let test = |path: &str, body: serde_json::Value| post(path, body.to_string().into_bytes());
    let agents: String = (0..=AGENTS).map(|n| format!("&agent=a{n}")).collect();
    vec![
        case("a query that is no UTF-8", decide("url=%ff"), &[400]),
        case("an escape that is none", decide("url=%zz%4"), &[200]),
        case("an escaped NUL", decide("url=https://s1.example/%2500%00"), &[200]),
        case("no URL", decide(""), &[400]),
        case("an unknown parameter", decide("url=a&urls=b"), &[400]),
        case("too many agents", decide(&format!("url=a{agents}")), &[400]),
        case("a long agent", decide(&format!("url=a&agent={}", "a".repeat(NAME + 1))), &[400]),
        case("a long URL", decide(&format!("url=https://s1.example/{}", "a".repeat(URL))), &[414]),
        case("a batch that is no UTF-8", post("/v1/decide", b"[\xff]".to_vec()), &[400]),
        case("a batch of NULs", post("/v1/decide", vec![0; 1 << 20]), &[400]),
        case("deep arrays", batch("[".repeat(1 << 20)), &[400]),
        case("deep objects", batch("{\"url\":".repeat(100_000)), &[400]),
        case("a deep value of a question", batch(format!("{{\"url\":{}", "[".repeat(100_000))), &[400]),
        case("half a pair of surrogates", batch("{\"url\": \"\\ud800\"}".to_owned()), &[400]),
        case("a number for a question", batch("[7]".to_owned()), &[400]),
        case("a number for a URL", batch("{\"url\": 1e999}".to_owned()), &[400]),
        case("a long URL of a batch", batch(json!([{ "url": "a".repeat(URL + 1) }]).to_string()), &[413]),
        case("too many questions", batch("{\"url\":\"/\"}\n".repeat(QUESTIONS + 1)), &[413]),
        case("a test without a text", test("/v1/test", json!({ "url": "/" })), &[400]),
        case("a test of nothing", test("/v1/test", json!([])), &[400]),
        case(
            "an unknown profile",
            test("/v1/test", json!({ "text": "", "url": "/", "profile": "x" })),
            &[400],
        ),
        case(
            "too many URLs of a test",
            test("/v1/test/urls", json!({ "text": "", "urls": vec!["/"; TEST_URLS + 1] })),
            &[413],
        ),
    ]
}
