//! A small polite crawler around a store: it asks for robots.txt before anything else, remembers
//! failures, and fetches texts again when they are due.
//!
//! ```text
//!   cargo run -p robomaton-store --example crawler -- crawl.store http://127.0.0.1:8000/a
//! ```
//!
//! It speaks HTTP/1.0 without TLS, since an example should need no other crate; take a client that
//! you trust in its place. `docs/crawlers.md` explains it, and `store/tests/crawler.rs` runs it
//! against local servers. Times are arguments, so a test can let days pass.

use robomaton_runtime::{Decision, Terms};
use robomaton_store::{Capture, Knowledge, Query, SiteState, Store, StoreError, StoreOptions};
use std::error::Error;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Redirects of a robots.txt that are followed (RFC 9309 2.3.1.2).
const REDIRECTS: u16 = 5;
/// Bytes of an answer that are read.
const LONGEST: u64 = 1 << 20;

/// A crawler of one name.
pub(crate) struct Crawler {
    store: Store,
    query: Query,
    name: String,
    /// How long to wait for a server.
    pub(crate) timeout: Duration,
}

/// The answer to a request: status, header fields, body.
type Answer = (u16, Vec<(String, Vec<u8>)>, Vec<u8>);

impl Crawler {
    /// A crawler with a store in a directory.
    pub(crate) fn open(directory: &Path, name: &str) -> Result<Crawler, StoreError> {
        // A server that is overloaded is left alone.
        let terms = Terms { on_throttled: Decision::Disallowed, ..Terms::default() };
        let store = Store::open(directory, StoreOptions { terms, ..StoreOptions::default() })?;
        let query = store.query([name], "crawl");
        Ok(Crawler { store, query, name: name.to_owned(), timeout: Duration::from_secs(10) })
    }

    /// The state of a site.
    pub(crate) fn state(&self, url: &str, now: u64) -> Result<SiteState, StoreError> {
        self.store.state(url, now)
    }

    /// Fetches a page, if its site permits. `None` if it does not.
    pub(crate) fn page(&self, url: &str, now: u64) -> Result<Option<Vec<u8>>, Box<dyn Error>> {
        if self.store.state(url, now)?.knowledge == Knowledge::Unknown && self.store.begin(url, now)? {
            let (root, _) = split(url).ok_or("a URL with http://")?;
            self.robots(&format!("http://{root}/robots.txt"), None, now)?;
        }
        if !self.store.decide(&self.query, url).is_allowed() {
            return Ok(None);
        }
        Ok(Some(self.get(url, &[])?.2))
    }

    /// Fetches the texts that are due again. Returns how many.
    pub(crate) fn refresh(&self, now: u64) -> Result<usize, Box<dyn Error>> {
        let due = self.store.due(now, 1_000);
        for fetch in &due {
            self.robots(&fetch.url, Some(&fetch.state), now)?;
        }
        self.store.compact()?;
        Ok(due.len())
    }

    /// Fetches a robots.txt and puts the answer into the store, whatever it is.
    fn robots(&self, url: &str, state: Option<&SiteState>, now: u64) -> Result<(), StoreError> {
        let mut conditions = Vec::new();
        if let Some(state) = state {
            conditions.extend(state.etag.as_deref().map(|value| ("If-None-Match", value)));
            conditions.extend(state.last_modified.as_deref().map(|value| ("If-Modified-Since", value)));
        }
        let (mut target, mut redirects) = (url.to_owned(), 0);
        let (status, headers, body) = loop {
            // No answer is an answer, too: the site is unreachable.
            let answer = self.get(&target, &conditions).unwrap_or_default();
            let (status, headers, _) = &answer;
            let location = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("location"));
            match location.and_then(|(_, value)| str::from_utf8(value).ok()) {
                Some(location) if (300..400).contains(status) && redirects < REDIRECTS => {
                    target = location.to_owned();
                    redirects += 1;
                }
                _ => break answer,
            }
        };
        let capture = Capture { url: url.to_owned(), fetched_at: now, status, redirects, headers, body };
        match self.store.put(&capture) {
            // It is about another text than the one that is held; the next fetch has no conditions.
            Err(StoreError::NotModified(_)) => Ok(()),
            // An answer that cannot be used is none: the site is unreachable, and tried again
            // later.
            Err(error) if error.is_of_capture() => {
                let none = Capture { url: capture.url, fetched_at: now, ..Capture::default() };
                self.store.put(&none).map(|_| ())
            }
            put => put.map(|_| ()),
        }
    }

    fn get(&self, url: &str, headers: &[(&str, &str)]) -> io::Result<Answer> {
        let (host, path) = split(url).ok_or(io::ErrorKind::InvalidInput)?;
        let mut stream = TcpStream::connect(host)?;
        stream.set_read_timeout(Some(self.timeout))?;
        let name = &self.name;
        // In HTTP/1.0 a body has no chunks, and ends with the connection.
        write!(stream, "GET {path} HTTP/1.0\r\nHost: {host}\r\nUser-Agent: {name}\r\n")?;
        for (name, value) in headers {
            write!(stream, "{name}: {value}\r\n")?;
        }
        stream.write_all(b"\r\n")?;
        let mut answer = Vec::new();
        stream.take(LONGEST).read_to_end(&mut answer)?;
        parse(&answer).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }
}

/// Host and path of a URL.
fn split(url: &str) -> Option<(&str, &str)> {
    let rest = url.strip_prefix("http://")?;
    Some(rest.find('/').map_or((rest, "/"), |at| rest.split_at(at)))
}

/// The parts of an answer. `None` if it broke off: half a robots.txt permits too much.
fn parse(answer: &[u8]) -> Option<Answer> {
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n")?;
    let mut lines = str::from_utf8(&answer[..end]).ok()?.split("\r\n");
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let fields = lines.filter_map(|line| line.split_once(':')).map(|(name, value)| (name, value.trim()));
    let fields: Vec<(&str, &str)> = fields.collect();
    let length = fields.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let length = length.and_then(|(_, value)| value.parse::<usize>().ok());
    let headers = fields.iter().map(|&(name, value)| (name.to_owned(), value.into())).collect();
    let mut body = &answer[end + 4..];
    match length {
        // These have no body, whatever the length of the text that they stand for.
        _ if matches!(status, 204 | 304) => body = b"",
        Some(length) if length <= body.len() => body = &body[..length],
        Some(_) if (answer.len() as u64) < LONGEST => return None,
        _ => {}
    }
    Some((status, headers, body.to_vec()))
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().ok_or("usage: crawler DIR URL...")?;
    let crawler = Crawler::open(Path::new(&directory), "mybot")?;
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    for url in arguments {
        match crawler.page(&url, now())? {
            Some(page) => println!("{} bytes\t{url}", page.len()),
            None => println!("disallowed, {}\t{url}", crawler.state(&url, now())?.knowledge.name()),
        }
        sleep(Duration::from_secs(1));
    }
    println!("{} texts fetched again", crawler.refresh(now())?);
    Ok(())
}
