//! The crawler of the example, against servers that answer 200, 301, 404, 429 and 503, that never
//! answer, and that change their robots.txt.

#[allow(dead_code, reason = "an example has a main")]
#[path = "../examples/crawler.rs"]
mod crawler;

use crawler::{Crawler, Page};
use robomaton_store::Knowledge;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

const START: u64 = 1_800_000_000;
const DAY: u64 = 86_400;

/// A server of one host. It answers for /robots.txt with one current answer, and for all else with
/// another.
struct Server {
    host: String,
    robots: Arc<Mutex<String>>,
    pages: Arc<Mutex<String>>,
    /// The requests, from the method to the last header field.
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn new(robots: &str) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let host = listener.local_addr().expect("an address").to_string();
        let [robots, pages] =
            [robots, "HTTP/1.1 200 OK\r\n\r\na page"].map(|answer| Arc::new(Mutex::new(answer.to_owned())));
        let server = Server { host, robots, pages, requests: Arc::default() };
        let [robots, pages] = [&server.robots, &server.pages].map(Arc::clone);
        let requests = Arc::clone(&server.requests);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.expect("a connection");
                let mut request = Vec::new();
                while !request.ends_with(b"\r\n\r\n") {
                    let mut byte = [0];
                    stream.read_exact(&mut byte).expect("a request");
                    request.push(byte[0]);
                }
                let request = String::from_utf8(request).expect("a request");
                let is_robots = request.starts_with("GET /robots.txt ");
                let answer = if is_robots { &robots } else { &pages }.lock().expect("an answer").clone();
                requests.lock().expect("a list").push(request);
                if answer.is_empty() {
                    // Never answers; the other side gives up.
                    thread::spawn(move || stream.read(&mut [0]));
                } else {
                    stream.write_all(answer.as_bytes()).expect("a reader");
                }
            }
        });
        server
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.host)
    }

    fn change(&self, robots: &str) {
        robots.clone_into(&mut self.robots.lock().expect("an answer"));
    }

    /// The requests since the last call.
    fn requests(&self) -> Vec<String> {
        std::mem::take(&mut self.requests.lock().expect("a list"))
    }
}

fn rules(path: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nETag: \"{path}\"\r\n\r\nUser-agent: *\nDisallow: {path}\n")
}

fn open(place: &tempfile::TempDir) -> Crawler {
    let mut crawler = Crawler::open(place.path(), "mybot").expect("a store");
    crawler.timeout = Duration::from_millis(300);
    crawler
}

/// True if a page is fetched at this time.
fn may_fetch(crawler: &Crawler, server: &Server, path: &str, now: u64) -> bool {
    matches!(crawler.page(&server.url(path), now).expect("a decision"), Page::Fetched(_))
}

#[test]
fn every_answer_has_its_meaning() {
    let place = tempfile::tempdir().expect("a directory");
    let crawler = open(&place);
    let good = Server::new(&rules("/x"));
    let moved = Server::new(&format!("HTTP/1.1 301 Moved\r\nLocation: {}\r\n\r\n", good.url("/robots.txt")));
    let status = |status: &str| Server::new(&format!("HTTP/1.1 {status}\r\n\r\n"));
    let [missing, busy, broken, silent] =
        [status("404 Not Found"), status("429 Slow down"), status("503 No"), Server::new("")];
    let circle = Server::new("");
    circle.change(&format!("HTTP/1.1 302 Found\r\nLocation: {}\r\n\r\n", circle.url("/robots.txt")));
    for (server, may_y, may_x) in [
        (&good, true, false),
        (&moved, true, false),
        (&missing, true, true),
        (&circle, true, true),
        (&busy, false, false),
        (&broken, false, false),
        (&silent, false, false),
    ] {
        for (path, now, may) in [("/y", START, may_y), ("/x", START + 10, may_x)] {
            let may_fetch = may_fetch(&crawler, server, path, now);
            assert_eq!(may_fetch, may, "{path} of {}", server.robots.lock().expect("an answer"));
        }
        // One request for robots.txt, and one for each page that may be fetched.
        let requests = server.requests();
        let robots = requests.iter().filter(|request| request.starts_with("GET /robots.txt ")).count();
        assert_eq!(requests.len() - robots, usize::from(may_y) + usize::from(may_x));
        assert!(robots == if server.host == circle.host { 6 } else { 1 }, "{requests:?}");
    }
    for (server, wait) in [(&good, DAY), (&missing, DAY), (&broken, 60), (&silent, 60)] {
        let state = crawler.state(&server.url("/"), START).expect("a site");
        assert!(state.fetch_at > START && state.fetch_at <= START + wait);
    }
}

/// A text that broke off is no text: the site is unreachable.
#[test]
fn a_text_has_the_length_that_its_header_says() {
    let place = tempfile::tempdir().expect("a directory");
    let crawler = open(&place);
    let text = "User-agent: *\nDisallow: /x\n";
    let server = |length: usize| {
        Server::new(&format!("HTTP/1.0 200 OK\r\nContent-Length: {length}\r\n\r\n{text}Disallow: /y\n"))
    };
    let may = |server: &Server, path| may_fetch(&crawler, server, path, START);
    let (whole, broken) = (server(text.len()), server(100));
    assert!(may(&whole, "/y") && !may(&whole, "/x"));
    assert!(!may(&broken, "/z"));
    let state = crawler.state(&broken.url("/"), START).expect("a site");
    assert!(matches!(state.knowledge, Knowledge::Unreachable { .. }));
    whole.change("HTTP/1.0 304 Not Modified\r\nContent-Length: 27\r\n\r\n");
    assert_eq!(crawler.refresh(START + DAY).expect("a refresh"), 2);
    let may = |path| may_fetch(&crawler, &whole, path, START + DAY);
    assert!(may("/y") && !may("/x"));
}

#[test]
fn a_text_that_changes_is_seen_when_it_is_due() {
    let place = tempfile::tempdir().expect("a directory");
    let crawler = open(&place);
    let server = Server::new(&rules("/x"));
    let may = |crawler: &Crawler, path, now| may_fetch(crawler, &server, path, now);
    assert!(may(&crawler, "/y", START) && !may(&crawler, "/x", START));
    server.change(&rules("/y"));
    assert_eq!(crawler.refresh(START + DAY - 1).expect("a refresh"), 0);
    assert!(may(&crawler, "/y", START + DAY - 1));
    server.requests();
    assert_eq!(crawler.refresh(START + DAY).expect("a refresh"), 1);
    assert!(server.requests()[0].contains("If-None-Match: \"/x\"\r\n"));
    assert!(!may(&crawler, "/y", START + DAY) && may(&crawler, "/x", START + DAY + 9));
    // Unchanged, then gone, then back; the process ends in between.
    server.change("HTTP/1.1 304 Not Modified\r\n\r\n");
    assert_eq!(crawler.refresh(START + 2 * DAY).expect("a refresh"), 1);
    drop(crawler);
    let crawler = open(&place);
    let state = crawler.state(&server.url("/"), START + 2 * DAY).expect("a site");
    assert_eq!((state.knowledge, state.fetch_at), (Knowledge::Fresh, START + 3 * DAY));
    assert!(!may(&crawler, "/y", START + 2 * DAY) && may(&crawler, "/x", START + 2 * DAY));
    server.change("HTTP/1.1 503 No\r\n\r\n");
    assert_eq!(crawler.refresh(START + 3 * DAY).expect("a refresh"), 1);
    assert!(!may(&crawler, "/x", START + 3 * DAY));
    server.change(&rules("/y"));
    assert_eq!(crawler.refresh(START + 3 * DAY + 60).expect("a refresh"), 1);
    assert!(may(&crawler, "/x", START + 3 * DAY + 60));
}

/// Times that a site asks for: between pages, after an overload, and after failures.
#[test]
fn it_waits_as_it_is_asked_to() {
    let place = tempfile::tempdir().expect("a directory");
    let crawler = open(&place);
    let page = |server: &Server, now| crawler.page(&server.url("/y"), now).expect("a decision");
    let fetched = || Page::Fetched(b"a page".to_vec());
    let answer = |fields: &str, text: &str| format!("HTTP/1.1 200 OK\r\n{fields}\r\n{text}");
    // Crawl-delay; ten seconds without one.
    let [slow, plain] = ["Crawl-delay: 30\n", ""]
        .map(|record| Server::new(&answer("", &format!("User-agent: *\n{record}Disallow: /x\n"))));
    for (server, delay) in [(&slow, 30), (&plain, 10)] {
        assert_eq!(page(server, START), fetched());
        server.requests();
        assert_eq!(page(server, START + 1), Page::Later(START + delay));
        assert_eq!(page(server, START + delay - 1), Page::Later(START + delay));
        assert!(server.requests().is_empty());
        assert_eq!(page(server, START + delay), fetched());
    }
    // A page says when to come again.
    "HTTP/1.1 503 No\r\nRetry-After: 120\r\n\r\n".clone_into(&mut plain.pages.lock().expect("an answer"));
    assert_eq!(page(&plain, START + 100), Page::Later(START + 220));
    answer("", "a page").clone_into(&mut plain.pages.lock().expect("an answer"));
    assert_eq!(page(&plain, START + 219), Page::Later(START + 220));
    assert_eq!(page(&plain, START + 220), fetched());
    // So does a robots.txt, and it is not asked before, either.
    for status in ["429 Slow down", "503 No"] {
        let busy = Server::new(&format!("HTTP/1.1 {status}\r\nRetry-After: 5000\r\n\r\n"));
        assert_eq!(page(&busy, START), Page::Later(START + 5_000));
        busy.change(&answer("", ""));
        assert_eq!(page(&busy, START + 4_999), Page::Later(START + 5_000));
        crawler.refresh(START + 4_999).expect("a refresh");
        assert_eq!(busy.requests().len(), 1);
        assert_eq!(page(&busy, START + 5_000), fetched());
    }
    // After failures, robots.txt is tried ever more rarely; after 30 days the site may be crawled.
    let broken = Server::new("HTTP/1.1 500 No\r\n\r\n");
    let mut now = START;
    while now <= START + 30 * DAY {
        let Page::Later(at) = page(&broken, now) else { panic!("a page of an unreachable site") };
        assert!(at > now && at <= now + DAY);
        now = at;
    }
    let tries = broken.requests().len();
    assert!((30..80).contains(&tries), "{tries} tries in 30 days");
    assert_eq!(page(&broken, now), fetched());
}

/// The page shows the code that runs here, in its order.
#[test]
fn the_page_shows_this_crawler() {
    let flat = |text: &str| text.lines().map(str::trim).collect::<Vec<_>>().join("\n");
    let page = include_str!("../../docs/crawlers.md");
    let example = flat(include_str!("../examples/crawler.rs"));
    let (mut rest, mut shown) = (example.as_str(), String::new());
    for block in page.split("```rust\n").skip(1) {
        let code = flat(block.split("```").next().unwrap_or_default());
        let at = rest.find(&code).unwrap_or_else(|| panic!("not in the example, or not here:\n{code}"));
        rest = &rest[at + code.len()..];
        shown += &code;
    }
    for function in ["open", "page", "learn", "visit", "fetch", "refresh", "robots"] {
        assert!(shown.contains(&format!("fn {function}(")), "the page lacks {function}");
    }
}
