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

use crate::capture::{LINE, NOT_MODIFIED};
use crate::kind::Kind;
use crate::record::NEWEST;
use crate::resolve::{MAX_REDIRECTS, Place, Rank, WayTimes, is_about};
use crate::source::{Source, is_packed};
use crate::status::{is_redirection, is_success};
use crate::window::Window;
use crate::{Capture, ReadLimits, SkipReason, warc};
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
    /// record in the decompressed stream. A fetch of a robots.txt that cannot be read is both: no
    /// older one answers for it.
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

/// 301 Moved Permanently (RFC 9110 15.4.2).
const MOVED: u16 = 301;

/// Bytes of memory that an answer takes beside its texts.
const ANSWER: usize = 512;

/// True if a WARC stream can begin with these bytes, of which five tell: a record, a gzip member or
/// a zstd frame. None begins a line of JSON.
pub fn begins_as_warc(head: &[u8]) -> bool {
    is_packed(head) || Kind::of_bytes(head) == Some(Kind::Warc)
}

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
    let mut held = Vec::new();
    let mut left = records;
    while let Some((at, answer)) = answers.next_answer() {
        if answers.is_over() {
            break;
        }
        let answer = match answer.transpose() {
            // Crawlers also store answers of FTP and WHOIS servers.
            None | Some(Err(SkipReason::Url { error: SiteError::Scheme(_), .. })) => {
                read.others += 1;
                continue;
            }
            Some(answer) => answer,
        };
        decoded += answer.as_ref().map_or(0, warc::Answer::length);
        if decoded > bytes {
            return Err(FetchedTooMuch::Bytes);
        }
        if answer.as_ref().map_or(true, |answer| answer.capture.is_robots()) {
            left = left.checked_sub(1).ok_or(FetchedTooMuch::Records)?;
        }
        held.push((at..answers.offset(), answer));
    }
    // The checksum of a member comes behind all of its records.
    let damage = window.damage(|_, _| false).unwrap_or_default();
    if window.is_over() {
        return Err(FetchedTooMuch::Bytes);
    }
    for (place, mut answer) in held {
        if let Ok(answer) = &mut answer
            && damage.meets(&place)
        {
            answer.unread.get_or_insert_with(|| window.damaged());
        }
        read.take(place.start, answer);
        if read.robots.len() > records {
            return Err(FetchedTooMuch::Records);
        }
    }
    read.finish(bytes)
}

/// The order of the answers of one URL, newest last. Of one second, an answer counts before a
/// revisit, a revisit before one that cannot be read; then the order of a batch.
type Age = (i64, bool, bool, Rank);

/// The result of a fetch, as far as it matters to later revisits. Among results of one second, the
/// later variant counts as the newer one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    Moved,
    Text,
    /// An answer without a text.
    Error,
    /// An answer that cannot be read.
    Unread,
    /// A 304, or a record without content: an earlier result, unchanged.
    Revisit,
}

/// What a revisit is about.
struct Renewed {
    /// The number of the text; `None` if it stands before the stream.
    text: Option<usize>,
    /// True if a store that took the answers of the site before the revisit holds the text.
    is_held: bool,
}

/// The answers of a stream so far.
#[derive(Default)]
struct Reading {
    answers: Vec<warc::Answer>,
    /// The newest answer of each URL, also if it cannot be read.
    newest: HashMap<Place, (Age, usize)>,
    /// The answers of each URL: their times, kinds and numbers.
    found: HashMap<Place, Vec<(i64, Found, usize)>>,
    /// The fetches of a robots.txt, by their numbers, and the records that cannot be used.
    robots: Vec<(u64, Result<usize, SkipReason>)>,
    others: usize,
}

impl Reading {
    fn take(&mut self, at: u64, answer: Result<warc::Answer, SkipReason>) {
        let answer = match answer {
            Ok(answer) => answer,
            Err(reason) => return self.robots.push((at, Err(reason))),
        };
        let number = self.answers.len();
        let is_robots = answer.capture.is_robots();
        match &answer.unread {
            _ if is_robots => self.robots.push((at, Ok(number))),
            // That a stream is damaged matters whatever the record was of.
            Some(reason) if !answer.is_whole => self.robots.push((at, Err(reason.clone()))),
            _ => self.others += 1,
        }
        let place = Place::of(&answer.capture);
        let at = answer.capture.fetched_at;
        self.found.entry(place.clone()).or_default().push((at, answer.found(), number));
        let age = (at, answer.unread.is_none(), !answer.is_unmodified, Rank::of(&answer.capture));
        self.answers.push(answer);
        let newest = self.newest.entry(place).or_insert((age, number));
        if newest.0 <= age {
            *newest = (age, number);
        }
    }

    fn finish(mut self, bytes: usize) -> Result<FetchedRecords, FetchedTooMuch> {
        let renewed = self.renewed();
        let (mut records, mut left) = (Vec::with_capacity(self.robots.len()), bytes);
        for (at, robots) in &self.robots {
            let way = robots.clone().and_then(|number| match &self.answers[number].unread {
                Some(reason) => Err(reason.clone()),
                None => self.to_text(self.way(number), &renewed),
            });
            if let Ok(way) = &way {
                left = left.checked_sub(way.last().length()).ok_or(FetchedTooMuch::Bytes)?;
            }
            let fetched = way.and_then(Way::fetched);
            let unread = match (robots, &fetched) {
                // It says at least that an older text is unchanged.
                (_, Err(SkipReason::Revisit)) | (_, Ok(_)) | (Err(_), _) => None,
                (Ok(number), Err(_)) => Some(self.answers[*number].moved_nowhere()),
            };
            records.push((*at, fetched));
            records.extend(unread.map(|unread| (*at, Ok(unread))));
        }
        Ok(FetchedRecords { records, others: self.others })
    }

    /// The texts that revisits are about, by the numbers of the revisits; of one that is not here,
    /// nobody knows. One that does not tell is about what the fetch before it found.
    fn renewed(&mut self) -> HashMap<usize, Renewed> {
        let mut renewed = HashMap::default();
        self.found.values_mut().for_each(|found| {
            found.sort_unstable();
            let (mut text, mut is_known, mut is_held) = (None, true, true);
            for &(_, found, number) in found.iter() {
                match found {
                    Found::Moved => (is_known, is_held) = (false, false),
                    Found::Text => (text, is_known, is_held) = (Some(number), true, true),
                    Found::Error => is_held = false,
                    Found::Unread => (text, is_known) = (None, false),
                    Found::Revisit => {
                        let revisit = &self.answers[number];
                        let is_about = text.and_then(|text: usize| revisit.is_about(&self.answers[text]));
                        is_known = is_about.unwrap_or(is_known);
                        if is_known {
                            renewed.insert(number, Renewed { text, is_held });
                        }
                    }
                }
            }
        });
        renewed
    }

    /// A way to an answer 304 as one to the text that it is about, if that is in the stream, unless
    /// the store holds it: a text of the site itself, behind which the stream has nothing else.
    ///
    /// # Errors
    /// If nobody knows that text, or the 304 stands behind a redirect and the stream has no text.
    fn to_text<'r>(&'r self, way: Way<'r>, renewed: &HashMap<usize, Renewed>) -> Result<Way<'r>, SkipReason> {
        if !way.last().is_unmodified {
            return Ok(way);
        }
        match renewed.get(&way.last) {
            Some(Renewed { is_held: true, .. }) if way.redirects == 0 => Ok(way),
            Some(&Renewed { text: Some(last), .. }) => Ok(Way { last, ..way }),
            Some(_) if way.redirects == 0 => Ok(way),
            Some(_) | None => Err(SkipReason::Revisit),
        }
    }

    /// The way from an answer to the last one.
    fn way(&self, first: usize) -> Way<'_> {
        let times = WayTimes::from(self.answers[first].capture.fetched_at);
        let mut way = Way { answers: &self.answers, first, last: first, redirects: 0, times };
        while usize::from(way.redirects) < MAX_REDIRECTS {
            let target = way.last().capture.redirect().as_ref().and_then(Place::of_target);
            let newest = target.and_then(|place| self.newest.get(&place));
            let Some(&(_, last)) = newest.filter(|(_, number)| self.answers[*number].is_known()) else {
                break;
            };
            let times = way.times.to(self.answers[last].capture.fetched_at);
            way = Way { last, redirects: way.redirects + 1, times, ..way };
        }
        way
    }
}

/// A fetch as answers that are still in the stream, by their numbers.
struct Way<'r> {
    answers: &'r [warc::Answer],
    first: usize,
    last: usize,
    redirects: u16,
    times: WayTimes,
}

impl<'r> Way<'r> {
    fn last(&self) -> &'r warc::Answer {
        &self.answers[self.last]
    }

    fn fetched(self) -> Result<Fetched, SkipReason> {
        let (last, Way { redirects, times, .. }) = (self.last(), &self);
        let body = if last.is_unmodified { &[][..] } else { last.capture.known_lines()? };
        let status = if last.is_unmodified { NOT_MODIFIED } else { last.capture.status };
        let leads_nowhere = is_redirection(status) && last.capture.redirect().is_none();
        Ok(Fetched {
            url: self.answers[self.first].capture.url.clone(),
            fetched_at: times.fetched_at(),
            status,
            redirects: if leads_nowhere && !last.is_unmodified { 0 } else { *redirects },
            headers: last.headers.clone(),
            body: body.to_vec(),
            truncated: !last.is_unmodified && last.capture.is_partial(),
            refers_to: last.refers_to().cloned(),
        })
    }
}

impl warc::Answer {
    /// A redirect to nowhere, in place of an answer that cannot be read: no older one answers.
    fn moved_nowhere(&self) -> Fetched {
        let Capture { url, fetched_at, .. } = &self.capture;
        Fetched {
            url: url.clone(),
            fetched_at: if *fetched_at == NEWEST { 0 } else { *fetched_at },
            status: MOVED,
            redirects: 0,
            headers: Vec::new(),
            body: Vec::new(),
            truncated: false,
            refers_to: None,
        }
    }

    /// True if it is known what the fetch found.
    fn is_known(&self) -> bool {
        self.unread.is_none() && (self.is_unmodified || self.capture.known_lines().is_ok())
    }

    /// The time of the text that a revisit names.
    fn refers_to(&self) -> Option<&RangeInclusive<i64>> {
        self.revisited.as_ref().filter(|times| *times.start() != i64::MIN)
    }

    /// Whether this revisit is about a text; `None` if it does not tell.
    fn is_about(&self, text: &warc::Answer) -> Option<bool> {
        let Capture { fetched_at, validators, .. } = &text.capture;
        is_about(self.refers_to(), &self.capture.validators, *fetched_at, validators)
    }

    /// The result of the fetch.
    fn found(&self) -> Found {
        let status = self.capture.status;
        if self.is_unmodified {
            Found::Revisit
        } else if !self.is_known() {
            Found::Unread
        } else if is_redirection(status) {
            Found::Moved
        } else if is_success(status) {
            Found::Text
        } else {
            Found::Error
        }
    }

    /// Bytes of its header and body.
    fn length(&self) -> usize {
        let fields = self.headers.iter().map(|(name, value)| LINE + name.len() + value.len());
        ANSWER + self.capture.url.len() + self.capture.body.len() + fields.sum::<usize>()
    }
}

#[cfg(test)]
mod tests;
