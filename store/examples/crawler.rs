//! A small polite crawler around a store: it asks for robots.txt before anything else, waits as
//! sites ask it to, remembers failures, and fetches texts again when they are due.
//!
//! ```text
//!   cargo run -p robomaton-store --example crawler -- crawl.store http://127.0.0.1:8000/a
//! ```
//!
//! It speaks HTTP/1.0 without TLS, since an example should need no other crate; take a client that
//! you trust in its place. `docs/crawlers.md` builds it step by step, with this code, and
//! `store/tests/crawler.rs` runs it against local servers. Times are arguments, so a test can let
//! days pass.

use robomaton_runtime::{Decision, Terms};
use robomaton_store::{Capture, Knowledge, Query, SiteState, Store, StoreError, StoreOptions};
use std::collections::{BTreeSet, HashMap};
use std::error::Error;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Redirects of a robots.txt that are followed (RFC 9309 2.3.1.2).
const REDIRECTS: u16 = 5;
/// Bytes of an answer that are read.
const LONGEST: u64 = 1 << 20;
/// Seconds that an overloaded server is left alone if it does not say how long.
const OVERLOADED: u64 = 60;
/// Seconds that the program waits for a page.
const PATIENCE: u64 = 60;

/// A crawler of one name. Threads share it by reference.
pub(crate) struct Crawler {
    store: Store,
    query: Query,
    name: String,
    /// How long to wait for a server.
    pub(crate) timeout: Duration,
    /// The last visit to each host.
    visits: Mutex<HashMap<String, Visit>>,
}

/// A visit to a host.
#[derive(Clone, Copy, Default)]
struct Visit {
    at: u64,
    took: Duration,
    /// The time before which the server asked not to be asked.
    not_before: u64,
}

/// What became of a page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Page {
    Fetched(Vec<u8>),
    /// The rules of its site say so.
    Disallowed,
    /// Not before this time: ask again then.
    Later(u64),
}

/// The answer to a request: status, header fields, body.
type Answer = (u16, Vec<(String, Vec<u8>)>, Vec<u8>);

impl Crawler {
    /// A crawler with a store in a directory.
    pub(crate) fn open(directory: &Path, name: &str) -> Result<Crawler, StoreError> {
        // RFC 9309 permits both: to crawl a site whose robots.txt is throttled, and one that is
        // unreachable for 30 days. This crawler does the second only.
        let terms = Terms {
            on_throttled: Decision::Disallowed,
            on_long_unreachable: Decision::Allowed,
            ..Terms::default()
        };
        let store = Store::open(directory, StoreOptions { terms, ..StoreOptions::default() })?;
        let query = store.query([name], "crawl");
        let (name, timeout) = (name.to_owned(), Duration::from_secs(10));
        Ok(Crawler { store, query, name, timeout, visits: Mutex::default() })
    }

    /// The state of a site.
    pub(crate) fn state(&self, url: &str, now: u64) -> Result<SiteState, StoreError> {
        self.store.state(url, now)
    }

    /// Fetches a page, if its site permits, and now.
    pub(crate) fn page(&self, url: &str, now: u64) -> Result<Page, Box<dyn Error>> {
        if let Some(at) = self.learn(url, now)? {
            return Ok(Page::Later(at));
        }
        let state = self.store.state(url, now)?;
        if let Some(at) = state.not_before.filter(|&at| at > now) {
            return Ok(Page::Later(at));
        }
        if !self.store.decide_at(&self.query, url, now).is_allowed() {
            return Ok(match state.knowledge {
                Knowledge::Unreachable { .. } => Page::Later(state.fetch_at),
                _ => Page::Disallowed,
            });
        }
        match self.visit(url, now)? {
            Some(at) => Ok(Page::Later(at)),
            None => self.fetch(url, now),
        }
    }

    /// Learns the rules of a site before anything else. A time if another thread is about to.
    fn learn(&self, url: &str, now: u64) -> Result<Option<u64>, Box<dyn Error>> {
        let state = self.store.state(url, now)?;
        if state.fetch_at > now {
            return Ok(None);
        }
        if self.store.begin(url, now)? {
            let (host, _) = split(url).ok_or("a URL with http://")?;
            self.robots(&format!("http://{host}/robots.txt"), &state, now)?;
            return Ok(None);
        }
        // Rules that are stale go on to count until there are new ones.
        Ok((state.knowledge == Knowledge::Unknown).then_some(now + 1))
    }

    /// Notes a visit to the host of a URL, unless it is to come later.
    fn visit(&self, url: &str, now: u64) -> Result<Option<u64>, Box<dyn Error>> {
        let (host, _) = split(url).ok_or("a URL with http://")?;
        let schedule = self.store.snapshot().manners(&self.query, url).schedule;
        let mut visits = self.visits();
        let last = visits.get(host).copied();
        // Crawl-delay, Request-rate and Visit-time; without them ten seconds, or twice the time
        // that the last page took.
        let wait = schedule.wait(now, last.map(|last| last.at), last.map(|last| last.took));
        let seconds = wait.as_secs().saturating_add(u64::from(wait.subsec_nanos() > 0));
        let at = now.saturating_add(seconds).max(last.map_or(0, |last| last.not_before));
        if at > now {
            return Ok(Some(at));
        }
        visits.insert(host.to_owned(), Visit { at: now, ..Visit::default() });
        Ok(None)
    }

    /// Fetches a page. An overloaded server is left alone for as long as it asks.
    fn fetch(&self, url: &str, now: u64) -> Result<Page, Box<dyn Error>> {
        let (host, _) = split(url).ok_or("a URL with http://")?;
        let begun = Instant::now();
        let (status, headers, body) = self.get(url, &[])?;
        let mut visit = Visit { at: now, took: begun.elapsed(), not_before: 0 };
        if matches!(status, 429 | 503) {
            let seconds = field(&headers, "retry-after").and_then(|value| value.parse().ok());
            visit.not_before = now.saturating_add(seconds.unwrap_or(OVERLOADED));
        }
        self.visits().insert(host.to_owned(), visit);
        Ok(if visit.not_before > now { Page::Later(visit.not_before) } else { Page::Fetched(body) })
    }

    /// Fetches the texts that are due again. Returns how many.
    pub(crate) fn refresh(&self, now: u64) -> Result<usize, Box<dyn Error>> {
        let due = self.store.due(now, 1_000);
        for fetch in &due {
            self.robots(&fetch.url, &fetch.state, now)?;
        }
        self.store.compact()?;
        Ok(due.len())
    }

    /// Fetches a robots.txt and puts the answer into the store, whatever it is.
    fn robots(&self, url: &str, state: &SiteState, now: u64) -> Result<(), StoreError> {
        let mut conditions = Vec::new();
        conditions.extend(state.etag.as_deref().map(|value| ("If-None-Match", value)));
        conditions.extend(state.last_modified.as_deref().map(|value| ("If-Modified-Since", value)));
        let (mut target, mut redirects) = (url.to_owned(), 0);
        let (status, headers, body) = loop {
            // No answer is an answer, too: the site is unreachable.
            let answer = self.get(&target, &conditions).unwrap_or_default();
            match field(&answer.1, "location") {
                Some(location) if (300..400).contains(&answer.0) && redirects < REDIRECTS => {
                    target = location.to_owned();
                    redirects += 1;
                }
                _ => break answer,
            }
        };
        // An answer of `LONGEST` bytes is over the limit of a text, which the store sees.
        let url = url.to_owned();
        let capture =
            Capture { url, fetched_at: now, status, redirects, headers, body, ..Capture::default() };
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

    fn visits(&self) -> MutexGuard<'_, HashMap<String, Visit>> {
        self.visits.lock().unwrap_or_else(PoisonError::into_inner)
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

/// The value of a header field.
fn field<'h>(headers: &'h [(String, Vec<u8>)], name: &str) -> Option<&'h str> {
    let (_, value) = headers.iter().find(|(field, _)| field.eq_ignore_ascii_case(name))?;
    str::from_utf8(value).ok()
}

/// The parts of an answer. `None` if it broke off: half a robots.txt permits too much.
fn parse(answer: &[u8]) -> Option<Answer> {
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n")?;
    let mut lines = str::from_utf8(&answer[..end]).ok()?.split("\r\n");
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let fields = lines.filter_map(|line| line.split_once(':'));
    let headers: Vec<_> = fields.map(|(name, value)| (name.to_owned(), value.trim().into())).collect();
    let length = field(&headers, "content-length").and_then(|value| value.parse::<usize>().ok());
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
    let mut pages: BTreeSet<(u64, String)> = arguments.map(|url| (now(), url)).collect();
    while let Some((at, url)) = pages.pop_first() {
        sleep(Duration::from_secs(at.saturating_sub(now())));
        match crawler.page(&url, now()) {
            Ok(Page::Fetched(page)) => println!("{} bytes\t{url}", page.len()),
            Ok(Page::Disallowed) => println!("disallowed\t{url}"),
            Ok(Page::Later(at)) if at > now() + PATIENCE => {
                println!("{}, not before {at}\t{url}", crawler.state(&url, now())?.knowledge.name());
            }
            Ok(Page::Later(at)) => _ = pages.insert((at, url)),
            Err(error) => println!("{error}\t{url}"),
        }
        crawler.refresh(now())?;
    }
    Ok(())
}
