//! The fetches of robots.txt files in a WARC stream, whole: each with all of its header fields, and
//! with its redirects followed.
//!
//! For a store, which takes the answer to one fetch at a time and needs validators too. It stands
//! on `warc`, beside `input`, whose items hold only the fields that compiling needs. Redirects lead
//! to the newest answer of their target in the same stream, as in a batch of these captures: if
//! that one cannot be read, no older one answers.
//! Invariants: memory and time are bounded by the limits of the caller, however the stream is
//! compressed; a record without content (a revisit) never becomes an empty text. It does not know
//! what a store holds.

use crate::capture::NOT_MODIFIED;
use crate::resolve::{MAX_REDIRECTS, Place, Rank, WayTimes};
use crate::source::Source;
use crate::status::{is_redirection, is_success};
use crate::window::Window;
use crate::{ReadLimits, SkipReason, warc};
use foldhash::HashMap;
use robomaton_formats::site::SiteError;
use std::io::Read;
use std::ops::RangeInclusive;

/// The answer to a fetch of a site's robots.txt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// The URL that was asked first.
    pub url: String,
    /// Unix seconds, 0 if unknown: of the first answer.
    pub fetched_at: i64,
    /// The status of the last answer; 304 if it says that the resource is unchanged.
    pub status: u16,
    /// The number of redirects to the last answer, at most five; 0 if that is a redirect to
    /// nowhere, which is none too many.
    pub redirects: u16,
    /// Header fields of the last answer: name and value, in their order.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The body of the last answer, decoded. Of one that was cut off, only whole lines.
    pub body: Vec<u8>,
    /// True if the body is not all of the answer's.
    pub truncated: bool,
    /// Of a revisit record: when the text that it is about was fetched, in Unix seconds.
    pub refers_to: Option<RangeInclusive<i64>>,
}

/// The result of reading a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FetchedRecords {
    /// The fetches, and the records that cannot be used, in their order. Each has the offset of its
    /// record in the decompressed stream.
    pub records: Vec<(u64, Result<Fetched, SkipReason>)>,
    /// Whole records that are no fetch of a robots.txt: requests, metadata, pages, targets of
    /// redirects.
    pub others: usize,
}

/// The reason why a stream is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FetchedTooMuch {
    /// Its records have more bytes, or its decoded bodies or its fetches do.
    Bytes,
    /// It has more fetches and records that cannot be used.
    Records,
}

/// Bytes of memory that an answer takes beside its texts, and a header field beside its own.
const ANSWER: usize = 512;
const FIELD: usize = 64;

/// Reads a WARC stream, which may be compressed as gzip members or zstd frames: at most `bytes`
/// when decompressed, as many of decoded bodies, as many in all fetches, and so many fetches and
/// useless records. An answer that several fetches were redirected to counts for each of them.
///
/// # Errors
/// If it is over a limit.
pub fn fetched_in_warc(
    stream: impl Read,
    bytes: usize,
    records: usize,
) -> Result<FetchedRecords, FetchedTooMuch> {
    let limits = ReadLimits { max_record: bytes as u64, max_body: bytes, ..ReadLimits::default() };
    let mut read = Reading::default();
    let source = Source::open(Box::new(stream), &limits);
    let source = match source {
        Ok(source) => source,
        Err(error) => {
            let unread = (0, Err(SkipReason::Io(error.to_string())));
            return Ok(FetchedRecords { records: vec![unread], others: 0 });
        }
    };
    let mut window = Window::new(source).at_most(bytes as u64 + 1);
    let mut decoded = 0;
    let mut answers = warc::Records::of(&mut window, &limits);
    while let Some((at, answer)) = answers.next_answer() {
        if answers.is_over() {
            break;
        }
        let Some(answer) = answer.transpose() else {
            read.others += 1;
            continue;
        };
        decoded += answer.as_ref().map_or(0, warc::Answer::length);
        if decoded > bytes {
            return Err(FetchedTooMuch::Bytes);
        }
        read.take(at, answer);
        if read.robots.len() > records {
            return Err(FetchedTooMuch::Records);
        }
    }
    if window.is_over() { Err(FetchedTooMuch::Bytes) } else { read.finish(bytes) }
}

/// The order of the answers of one URL, newest last. Of one second, an answer counts before a
/// revisit, a revisit before one that cannot be read; then the order of a batch.
type Age = (i64, bool, bool, Rank);

/// What an answer holds that a 304 may be about. Of one second, the last counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Content {
    /// Nothing: a redirect.
    Moved,
    Text,
    /// A text perhaps, which cannot be read.
    Unread,
}

/// The answers of a stream so far.
#[derive(Default)]
struct Reading {
    answers: Vec<warc::Answer>,
    /// The newest answer of each URL, also if it cannot be read.
    newest: HashMap<Place, (Age, usize)>,
    /// The answers of each URL that a 304 may be about: their times, kinds and numbers.
    contents: HashMap<Place, Vec<(i64, Content, usize)>>,
    /// The fetches of a robots.txt, by their numbers, and the records that cannot be used.
    robots: Vec<(u64, Result<usize, SkipReason>)>,
    others: usize,
}

impl Reading {
    fn take(&mut self, at: u64, answer: Result<warc::Answer, SkipReason>) {
        let answer = match answer {
            Ok(answer) => answer,
            // Crawlers also store answers of FTP and WHOIS servers.
            Err(SkipReason::Url { error: SiteError::Scheme(_), .. }) => return self.others += 1,
            Err(reason) => return self.robots.push((at, Err(reason))),
        };
        let number = self.answers.len();
        let is_robots = answer.capture.is_robots();
        match &answer.unread {
            // That a stream is damaged matters whatever the record was of.
            Some(reason) if is_robots || !answer.is_whole => self.robots.push((at, Err(reason.clone()))),
            None if is_robots => self.robots.push((at, Ok(number))),
            _ => self.others += 1,
        }
        let place = Place::of(&answer.capture);
        let at = answer.capture.fetched_at;
        if let Some(content) = answer.content() {
            self.contents.entry(place.clone()).or_default().push((at, content, number));
        }
        let age = (at, answer.unread.is_none(), !answer.is_unmodified, Rank::of(&answer.capture));
        self.answers.push(answer);
        let newest = self.newest.entry(place).or_insert((age, number));
        if newest.0 <= age {
            *newest = (age, number);
        }
    }

    fn finish(mut self, bytes: usize) -> Result<FetchedRecords, FetchedTooMuch> {
        self.contents.values_mut().for_each(|contents| contents.sort_unstable());
        let (mut records, mut left) = (Vec::with_capacity(self.robots.len()), bytes);
        for (at, robots) in &self.robots {
            let way = robots.clone().and_then(|number| self.to_text(self.way(number)));
            if let Ok(way) = &way {
                left = left.checked_sub(way.last.length()).ok_or(FetchedTooMuch::Bytes)?;
            }
            let fetched = way.and_then(Way::fetched);
            records.push((*at, fetched));
        }
        Ok(FetchedRecords { records, others: self.others })
    }

    /// A way to an answer 304 as one to the text that it is about, if that is in the stream. Of the
    /// site itself, the store may hold that text.
    ///
    /// # Errors
    /// If that text cannot be read, or the 304 stands behind a redirect and the stream has no text.
    fn to_text<'r>(&'r self, way: Way<'r>) -> Result<Way<'r>, SkipReason> {
        let unmodified = way.last;
        if !unmodified.is_unmodified {
            return Ok(way);
        }
        let place = Place::of(&unmodified.capture);
        let contents = self.contents.get(&place).map(Vec::as_slice).unwrap_or_default();
        let count = contents.partition_point(|(time, ..)| *time <= unmodified.capture.fetched_at);
        let has_moved = matches!(contents[..count].last(), Some((_, Content::Moved, _)));
        let newest = contents[..count].iter().rfind(|(_, content, _)| *content != Content::Moved);
        match newest {
            Some((_, Content::Unread, _)) => Err(SkipReason::Revisit),
            _ if way.redirects == 0 => Ok(way),
            Some(&(time, _, number)) => {
                let last = &self.answers[number];
                let are_of = unmodified.capture.validators.are_of(&last.capture.validators);
                let is_of = match unmodified.refers_to() {
                    Some(times) => times.contains(&time) && are_of != Some(false),
                    None => are_of.unwrap_or(!has_moved),
                };
                if is_of { Ok(Way { last, ..way }) } else { Err(SkipReason::Revisit) }
            }
            None => Err(SkipReason::Revisit),
        }
    }

    /// The way from an answer to the last one.
    fn way(&self, first: usize) -> Way<'_> {
        let first = &self.answers[first];
        let times = WayTimes::from(first.capture.fetched_at);
        let mut way = Way { first, last: first, redirects: 0, times };
        while usize::from(way.redirects) < MAX_REDIRECTS {
            let target = way.last.capture.redirect().as_ref().and_then(Place::of_target);
            let answer =
                target.and_then(|place| self.newest.get(&place)).map(|&(_, number)| &self.answers[number]);
            let Some(last) = answer.filter(|answer| answer.is_known()) else { break };
            let times = way.times.to(last.capture.fetched_at);
            way = Way { last, redirects: way.redirects + 1, times, ..way };
        }
        way
    }
}

/// A fetch as answers that are still in the stream.
struct Way<'r> {
    first: &'r warc::Answer,
    last: &'r warc::Answer,
    redirects: u16,
    times: WayTimes,
}

impl Way<'_> {
    fn fetched(self) -> Result<Fetched, SkipReason> {
        let Way { first, last, redirects, times } = self;
        let body = if last.is_unmodified { &[][..] } else { last.capture.known_lines()? };
        let status = if last.is_unmodified { NOT_MODIFIED } else { last.capture.status };
        let leads_nowhere = is_redirection(status) && last.capture.redirect().is_none();
        Ok(Fetched {
            url: first.capture.url.clone(),
            fetched_at: times.fetched_at(),
            status,
            redirects: if leads_nowhere && !last.is_unmodified { 0 } else { redirects },
            headers: last.headers.clone(),
            body: body.to_vec(),
            truncated: !last.is_unmodified && last.capture.is_partial(),
            refers_to: last.refers_to().cloned(),
        })
    }
}

impl warc::Answer {
    /// True if it is known what the fetch found.
    fn is_known(&self) -> bool {
        self.unread.is_none() && (self.is_unmodified || self.capture.known_lines().is_ok())
    }

    /// Of a revisit that names its text: when that was fetched.
    fn refers_to(&self) -> Option<&RangeInclusive<i64>> {
        self.revisited.as_ref().filter(|times| *times.start() != i64::MIN)
    }

    /// What a later 304 of its URL may be about.
    fn content(&self) -> Option<Content> {
        let status = self.capture.status;
        if self.is_unmodified {
            None
        } else if !self.is_known() {
            Some(Content::Unread)
        } else if is_redirection(status) {
            Some(Content::Moved)
        } else {
            is_success(status).then_some(Content::Text)
        }
    }

    /// Bytes of its header and body.
    fn length(&self) -> usize {
        let fields = self.headers.iter().map(|(name, value)| FIELD + name.len() + value.len());
        ANSWER + self.capture.url.len() + self.capture.body.len() + fields.sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    /// A record of an answer at a second.
    fn record(kind: &str, second: u32, url: &str, extra: &str, block: &str) -> Vec<u8> {
        let length = block.len();
        format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-01-01T00:00:{second:02}Z\r\n\
             {extra}Content-Length: {length}\r\n\r\n{block}\r\n\r\n"
        )
        .into_bytes()
    }

    fn packed(records: &[Vec<u8>]) -> Vec<u8> {
        let member = |record: &Vec<u8>| {
            let mut member = GzEncoder::new(Vec::new(), Compression::fast());
            member.write_all(record).and_then(|()| member.finish()).expect("memory")
        };
        records.iter().flat_map(member).collect()
    }

    fn read(bytes: &[u8]) -> FetchedRecords {
        fetched_in_warc(bytes, 1 << 20, 100).expect("within the limits")
    }

    const START: i64 = 1_767_225_600;
    const RULES: &str = "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nX: y:z\r\n\r\nUser-agent: *\nDisallow: /x\n";

    fn moved(to: &str) -> String {
        format!("HTTP/1.1 301 Moved\r\nLocation: {to}\r\n\r\n")
    }

    #[test]
    fn answers_keep_their_header_and_redirects_are_followed() {
        let records = [
            record("warcinfo", 0, "", "", "software: x"),
            record("response", 3, "http://a.example/robots.txt", "", &moved("https://a.example/robots.txt")),
            record("response", 2, "https://a.example/robots.txt", "", &moved("/r#x")),
            record("response", 4, "https://a.example/r", "", RULES),
            record("response", 1, "https://a.example/r", "", "HTTP/1.1 500 No\r\n\r\n"),
            record("response", 5, "https://b.example/robots.txt", "", &moved("https://c.example/robots.txt")),
            record("response", 6, "https://loop.example/robots.txt", "", &moved("/robots.txt")),
            b"WARC/\r\n".to_vec(),
        ];
        let (plain, in_members) = (read(&records.concat()), read(&packed(&records)));
        assert_eq!(plain.records, in_members.records);
        assert_eq!(plain.others, in_members.others);
        assert_eq!(plain.records[4].1, Err(SkipReason::RecordCut));
        let fetched: Vec<&Fetched> =
            plain.records.iter().filter_map(|(_, record)| record.as_ref().ok()).collect();
        assert_eq!((plain.others, plain.records.len(), fetched.len()), (3, 5, 4));
        assert_eq!(plain.records[0].0, records[0].len() as u64);
        let headers = [("ETag", "\"1\""), ("X", "y:z")];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.as_bytes().to_vec())).to_vec();
        let body = b"User-agent: *\nDisallow: /x\n".to_vec();
        let wanted = Fetched {
            url: "http://a.example/robots.txt".to_owned(),
            fetched_at: START + 3,
            status: 200,
            redirects: 2,
            headers,
            body,
            truncated: false,
            refers_to: None,
        };
        assert_eq!(*fetched[0], wanted);
        let url = "https://a.example/robots.txt".to_owned();
        assert_eq!(*fetched[1], Fetched { url, fetched_at: START + 2, redirects: 1, ..wanted });
        assert_eq!((fetched[2].status, fetched[2].redirects, fetched[2].fetched_at), (301, 0, START + 5));
        assert_eq!((fetched[3].status, fetched[3].redirects), (301, 5));
    }

    #[test]
    fn a_revisit_is_no_empty_text() {
        let url = "https://a.example/robots.txt";
        let same = "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest\r\n";
        let unmodified = "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/server-not-modified\r\n";
        let records = [
            record("revisit", 1, url, same, "HTTP/1.1 200 OK\r\n\r\n"),
            record("revisit", 2, url, same, ""),
            record("revisit", 3, url, unmodified, ""),
            record("revisit", 4, url, "", "HTTP/1.1 304 Not Modified\r\nETag: 2\r\n\r\n"),
            record("response", 5, url, "", "HTTP/1.1 304\r\n\r\nUser-agent: *\n"),
            record(
                "response",
                6,
                url,
                "WARC-Truncated: length\r\n",
                "HTTP/1.1 200\r\n\r\nDisallow: /\nAllow: /a",
            ),
            record("response", 7, url, "WARC-Truncated: length\r\n", "HTTP/1.1 200\r\n\r\nUser-agent: *"),
            record("response", 8, url, "WARC-Truncated: length\r\n", "HTTP/1.1 200\r\n\r\n"),
            record(
                "response",
                9,
                url,
                "",
                "HTTP/1.1 206\r\nContent-Range: bytes 0-12/99\r\n\r\nUser-agent: *",
            ),
            record("response", 10, url, "", "HTTP/1.1 206\r\nContent-Range: bytes 0-0/99\r\n\r\n"),
            record(
                "response",
                11,
                url,
                "",
                "HTTP/1.1 206\r\nContent-Type: Multipart/ByteRanges; boundary=x\r\n\r\nUser-agent: *\n",
            ),
            record("response", 12, url, "WARC-Truncated: length\r\n", "HTTP/1.1 404\r\n\r\n"),
        ];
        let found = read(&records.concat()).records;
        let facts = |place: usize| {
            let fetched = found[place].1.as_ref().map_err(SkipReason::name)?;
            Ok::<_, &str>((fetched.status, String::from_utf8_lossy(&fetched.body).into_owned()))
        };
        let unchanged = Ok((304, String::new()));
        let wanted = [
            Err("revisit"),
            Err("revisit"),
            unchanged.clone(),
            unchanged.clone(),
            unchanged,
            Ok((200, "Disallow: /\n".to_owned())),
            Err("no-line"),
            Err("no-line"),
            Err("no-line"),
            Err("no-line"),
            Err("http"),
            Ok((404, String::new())),
        ];
        assert_eq!((0..wanted.len()).map(facts).collect::<Vec<_>>(), wanted);
    }

    /// A 304 behind a redirect is about the text before it, which must be in the stream.
    #[test]
    fn a_304_behind_a_redirect_has_its_text() {
        let [url, to] = ["https://a.example/robots.txt", "https://a.example/r"];
        let unmodified = "HTTP/1.1 304 Unmodified\r\nETag: \"1\"\r\n\r\n";
        let told = |before: &[Vec<u8>]| {
            let own =
                [record("response", 5, to, "", unmodified), record("response", 5, url, "", &moved("/r"))];
            let mut found = read(&[&own, before].concat().concat()).records;
            found.remove(0).1.map(|fetched| (fetched.status, fetched.fetched_at, fetched.body.len()))
        };
        let other = RULES.replace("\"1\"", "\"2\"");
        let coded = "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n\u{8b}\u{3}\u{1}x";
        let text = |second, block: &str| record("response", second, to, "", block);
        assert_eq!(told(&[text(3, RULES)]), Ok((200, START + 5, 27)));
        assert_eq!(told(&[text(2, coded), text(3, RULES)]), Ok((200, START + 5, 27)));
        for before in
            [vec![], vec![text(3, &other)], vec![text(3, coded)], vec![text(2, RULES), text(3, coded)]]
        {
            assert_eq!(told(&before), Err(SkipReason::Revisit));
        }
    }

    /// After its target has moved, one that does not tell its text is about what the redirect found.
    #[test]
    fn a_304_behind_a_redirect_is_not_about_a_text_before_the_next_redirect() {
        let [url, to] = ["https://a.example/robots.txt", "https://a.example/r"];
        let told = |etag: &str| {
            let unmodified = format!("HTTP/1.1 304 Unmodified\r\n{etag}\r\n");
            let records = [
                record("response", 4, url, "", &moved("/r")),
                record("response", 1, to, "", RULES),
                record("response", 2, to, "", &moved("/q")),
                record("response", 4, to, "", &unmodified),
            ];
            read(&records.concat()).records.remove(0).1.map(|fetched| fetched.status)
        };
        assert_eq!(told(""), Err(SkipReason::Revisit));
        assert_eq!(told("ETag: \"1\"\r\n"), Ok(200));
    }

    /// Of one second, the answer that a batch takes, whatever their order.
    #[test]
    fn of_one_second_a_text_counts_before_an_error() {
        let [url, to] = ["https://a.example/robots.txt", "https://a.example/r"];
        let own = record("response", 4, url, "", &moved("/r"));
        let targets = [RULES, "HTTP/1.1 404 No\r\n\r\n", "HTTP/1.1 304 Unmodified\r\n\r\n"]
            .map(|block| record("response", 4, to, "", block));
        for order in [[0, 1, 2], [1, 2, 0], [2, 0, 1]] {
            let stream = [own.clone(), order.map(|place| targets[place].clone()).concat()].concat();
            let fetched = read(&stream).records.remove(0).1;
            assert_eq!(fetched.map(|fetched| fetched.status), Ok(200), "{order:?}");
        }
    }

    /// A page that cannot be read is no capture that is refused, unless the stream is damaged
    /// there.
    #[test]
    fn records_of_pages_that_cannot_be_read_are_others() {
        let page = "https://a.example/p";
        let same = "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest\r\n";
        let coded = "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n\u{8b}\u{3}\u{1}x";
        let part = "HTTP/1.1 206 Part\r\nContent-Range: bytes 9-20/99\r\n\r\nxxx";
        let records = [
            record("response", 1, page, "", coded),
            record("response", 1, page, "", part),
            record("response", 1, page, "", "no status"),
            record("response", 1, page, "WARC-Segment-Number: 2\r\n", "xxx"),
            record("continuation", 1, page, "WARC-Segment-Number: 2\r\n", "xxx"),
            record("revisit", 1, page, same, "HTTP/1.1 200 OK\r\n\r\n"),
            record("response", 1, "ftp://a.example/robots.txt", "", "xxx"),
            record("response", 1, "whois://whois.example/a.example", "", "xxx"),
            record("response", 1, "https://a.example/robots.txt", "", RULES),
            record("response", 1, "https://b.example/robots.txt", "", coded),
            record("response", 1, "//", "", "xxx"),
        ];
        let read = read(&records.concat());
        let reasons = |read: FetchedRecords| {
            let reason = |(_, record): (u64, Result<Fetched, SkipReason>)| Some(record.err()?.name());
            read.records.into_iter().map(reason).collect::<Vec<_>>()
        };
        assert_eq!((read.others, reasons(read)), (8, vec![None, Some("encoding"), Some("url")]));
        let whole = record("response", 1, page, "", RULES);
        let cut = self::read(&whole[..whole.len() - 9]);
        assert_eq!((cut.others, reasons(cut)), (0, vec![Some("record-cut")]));
    }

    #[test]
    fn streams_over_a_limit_are_refused() {
        let fetched = |host: usize| record("response", 1, &format!("http://h{host}/robots.txt"), "", RULES);
        let records: Vec<Vec<u8>> = (0..10).map(fetched).collect();
        let bytes = records.concat();
        for stream in [bytes.clone(), packed(&records)] {
            let enough = bytes.len() + 10 * (ANSWER + 2 * FIELD);
            assert_eq!(fetched_in_warc(&stream[..], enough, 10).map(|read| read.records.len()), Ok(10));
            assert_eq!(fetched_in_warc(&stream[..], bytes.len() - 1, 10), Err(FetchedTooMuch::Bytes));
            assert_eq!(fetched_in_warc(&stream[..], enough, 9), Err(FetchedTooMuch::Records));
        }
        // No other limit cuts a text.
        let long = format!("HTTP/1.1 200 OK\r\n\r\n#{}\nDisallow: /", "#".repeat(9 << 20));
        let long = record("response", 1, "http://a/robots.txt", "", &long);
        let read = fetched_in_warc(&long[..], 16 << 20, 9).expect("within the limits");
        assert!(read.records[0].1.as_ref().is_ok_and(|fetched| fetched.body.ends_with(b"Disallow: /")));
        // Many sites that redirect to one large text.
        let target = format!("HTTP/1.1 200 OK\r\n\r\n{}", "#".repeat(10_000));
        let mut many = record("response", 1, "http://to.example/r", "", &target);
        for host in 0..90 {
            let url = format!("http://h{host}.example/robots.txt");
            many.extend(record("response", 1, &url, "", &moved("http://to.example/r")));
        }
        assert_eq!(fetched_in_warc(&many[..], 800_000, 90), Err(FetchedTooMuch::Bytes));
        assert!(many.len() < 100_000 && fetched_in_warc(&many[..], 1_100_000, 90).is_ok());
        // Header fields take more memory than their bytes.
        let fields = record(
            "response",
            1,
            "http://a/",
            "",
            &format!("HTTP/1.1 404\r\n{}\r\n", "a:\r\n".repeat(9_000)),
        );
        assert_eq!(fetched_in_warc(&fields[..], 10 * fields.len(), 9), Err(FetchedTooMuch::Bytes));
        // A bomb, also one inside a record.
        let bomb = packed(&[vec![b' '; 64 << 20]]);
        assert_eq!(fetched_in_warc(&bomb[..], 1 << 20, 9), Err(FetchedTooMuch::Bytes));
        let mut coded =
            b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a/robots.txt\r\n".to_vec();
        let head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n";
        let length = head.len() + bomb.len();
        coded.extend_from_slice(format!("Content-Length: {length}\r\n\r\n").as_bytes());
        coded.extend_from_slice(&[&head[..], &bomb, b"\r\n\r\n"].concat());
        assert_eq!(fetched_in_warc(&coded[..], 1 << 20, 9), Err(FetchedTooMuch::Bytes));
    }
}
