//! Captures and states as JSON, for the command and the service.
//!
//! A line is one answer to a fetch, with all of its header fields: validators and freshness are in
//! them. Invariant: an unknown key is an error, so a misspelled one is not lost. It knows no store.

use crate::{Capture, Knowledge, Manners, SiteState, limits};
use jiff::Timestamp;
use robomaton_corpus::{is_success, known_lines};
use robomaton_formats::Decision;
use robomaton_formats::schedule::{LATEST, Rate};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::num::NonZeroU32;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    url: String,
    #[serde(default)]
    fetched_at: Option<TimeJson>,
    #[serde(default = "ok")]
    status: u16,
    #[serde(default)]
    redirects: u16,
    #[serde(default)]
    headers: Headers,
    body: Option<String>,
    #[serde(default)]
    truncated: bool,
}

fn ok() -> u16 {
    200
}

/// The message for a time of [`is_ahead`].
pub(crate) const AHEAD: &str = "fetched_at is more than a day ahead of the clock";

/// True if a capture cannot have been fetched at this time.
pub(crate) fn is_ahead(fetched_at: u64, now: u64) -> bool {
    fetched_at > now.saturating_add(limits::AHEAD_SECONDS)
}

/// The message for another time.
const TIME: &str = "fetched_at is a time since 1970 as in 2026-01-02T03:04:05Z, or a whole number of seconds";

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "fetched_at is a time since 1970 as in 2026-01-02T03:04:05Z, or a whole number of seconds"
)]
enum TimeJson {
    Seconds(u64),
    Text(String),
}

impl TimeJson {
    fn seconds(self) -> Result<u64, String> {
        let seconds = match self {
            TimeJson::Seconds(seconds) => Some(seconds),
            TimeJson::Text(text) => match text.parse::<Timestamp>() {
                Ok(time) => u64::try_from(time.as_second()).ok(),
                Err(_) => text.parse().ok(),
            },
        };
        seconds.filter(|&seconds| seconds <= LATEST).ok_or_else(|| TIME.to_owned())
    }
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "headers is an object of texts, or a list of pairs of texts")]
enum Headers {
    Pairs(Vec<(String, String)>),
    Object(BTreeMap<String, String>),
}

impl Default for Headers {
    fn default() -> Headers {
        Headers::Pairs(Vec::new())
    }
}

impl Capture {
    /// Reads an object with `url` and, optionally, `status` (200), `fetched_at` (`now`, in Unix
    /// seconds), `redirects` (0), `headers` (an object, or a list of pairs), `truncated` (false; if
    /// the body is cut, its whole lines count) and, unless the status is 200 to 299, `body`.
    ///
    /// # Errors
    /// If it is no such object, the time cannot be read or is more than a day after `now`, or a
    /// success has no body, or not one whole line of it; the reason in one line.
    pub fn from_json(line: &[u8], now: u64) -> Result<Capture, String> {
        // `serde` alone would take an array of its values, too.
        if line.trim_ascii_start().first() != Some(&b'{') {
            return Err("not a JSON object".to_owned());
        }
        let line: Line = serde_json::from_slice(line).map_err(|error| error.to_string())?;
        let Line { url, fetched_at, status, redirects, headers, body, truncated } = line;
        let fetched_at = fetched_at.map_or(Ok(now), TimeJson::seconds)?;
        if is_ahead(fetched_at, now) {
            return Err(AHEAD.to_owned());
        }
        // An index of fetches without their bodies is no list of empty texts, which allow all.
        if body.is_none() && is_success(status) {
            return Err(format!("status {status}, and no body; that of an empty text is \"\""));
        }
        let mut body = body.unwrap_or_default().into_bytes();
        let known = known_lines(status, truncated, &body).map_err(|reason| reason.to_string())?.len();
        body.truncate(known);
        let pairs: Vec<(String, String)> = match headers {
            Headers::Pairs(pairs) => pairs,
            Headers::Object(object) => object.into_iter().collect(),
        };
        let headers = pairs.into_iter().map(|(name, value)| (name, value.into_bytes())).collect();
        Ok(Capture { url, fetched_at, status, redirects, headers, body, truncated, refers_to: None })
    }
}

/// The state of a site as JSON; the fields are its keys, and times are in RFC 3339.
#[derive(Serialize)]
pub struct SiteStateJson<'a> {
    url: &'a str,
    state: &'static str,
    fetched_at: Option<String>,
    fetch_at: Option<String>,
    /// Null for a reader, which does not know it.
    in_flight: Option<bool>,
    not_before: Option<String>,
    since: Option<String>,
    etag: &'a Option<String>,
    last_modified: &'a Option<String>,
    /// Of an unreachable site.
    verdict: Option<&'static str>,
    /// Of a crawler, if one is asked about.
    #[serde(flatten)]
    manners: Option<MannersJson>,
}

/// How a site wants to be visited.
#[derive(Serialize)]
struct MannersJson {
    /// Seconds between two requests: the longest Crawl-delay.
    crawl_delay: Option<f64>,
    request_rates: Vec<RateJson>,
    /// Parts of the day in UTC, `05:30-20:59`.
    visit_times: Vec<String>,
    clean_params: Vec<String>,
}

/// A number of documents in a number of seconds, in a part of the day.
#[derive(Serialize)]
struct RateJson {
    documents: NonZeroU32,
    seconds: NonZeroU32,
    times: Option<String>,
}

impl<'a> SiteStateJson<'a> {
    /// The state of the site of this URL, as a store tells it.
    pub fn new(url: &'a str, state: &'a SiteState) -> SiteStateJson<'a> {
        SiteStateJson { in_flight: Some(state.in_flight), ..SiteStateJson::of_reader(url, state) }
    }

    /// The same, as a reader tells it.
    pub fn of_reader(url: &'a str, state: &'a SiteState) -> SiteStateJson<'a> {
        let SiteState { knowledge, fetched_at, fetch_at, etag, last_modified, not_before, verdict, .. } =
            state;
        let since = match *knowledge {
            Knowledge::Unreachable { since } => rfc3339(since),
            _ => None,
        };
        SiteStateJson {
            url,
            state: knowledge.name(),
            fetched_at: fetched_at.and_then(rfc3339),
            fetch_at: fetched_at.and_then(|_| rfc3339(*fetch_at)),
            in_flight: None,
            not_before: not_before.and_then(rfc3339),
            since,
            etag,
            last_modified,
            verdict: verdict.map(Decision::name),
            manners: None,
        }
    }

    /// The same with four more keys, for a crawler.
    #[must_use]
    pub fn with_manners(self, manners: Manners) -> SiteStateJson<'a> {
        let Manners { schedule, clean_params } = manners;
        let rate = |rate: Rate| RateJson {
            documents: rate.documents,
            seconds: rate.seconds,
            times: rate.window.map(|times| times.to_string()),
        };
        let manners = MannersJson {
            crawl_delay: schedule.crawl_delay(),
            request_rates: schedule.rates.into_iter().map(rate).collect(),
            visit_times: schedule.visits.iter().map(ToString::to_string).collect(),
            clean_params,
        };
        SiteStateJson { manners: Some(manners), ..self }
    }
}

/// `None` beyond the year 9999.
fn rfc3339(seconds: u64) -> Option<String> {
    Some(Timestamp::from_second(i64::try_from(seconds).ok()?).ok()?.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_values_are_explained() {
        let read =
            |rest: &str| Capture::from_json(format!("{{\"url\": \"https://a/\", {rest}}}").as_bytes(), 7);
        for time in ["-1", "1.5", "true", "[]", "\"yesterday\"", "253402300800", "\"1960-01-01T00:00:00Z\""] {
            let error = read(&format!("\"fetched_at\": {time}")).expect_err(time);
            assert!(error.starts_with(TIME), "{error}");
        }
        for headers in ["7", "{\"a\": 1}", "[\"a\"]", "[[\"a\"]]", "[{\"a\": \"b\"}]"] {
            let error = read(&format!("\"headers\": {headers}")).expect_err(headers);
            assert!(error.starts_with("headers is an object of texts, or a list"), "{error}");
        }
        for time in ["null", "7", "\"7\"", "\"1970-01-01T00:00:07Z\""] {
            let read = read(&format!("\"fetched_at\": {time}, \"body\": \"\""));
            assert_eq!(read.map(|capture| capture.fetched_at), Ok(7));
        }
        let ahead = 7 + limits::AHEAD_SECONDS;
        for (time, is_read) in [(ahead, true), (ahead + 1, false)] {
            let read = read(&format!("\"fetched_at\": {time}, \"status\": 404"));
            assert_eq!(read.err().as_deref(), Some(AHEAD).filter(|_| !is_read));
        }
        for (rest, is_read) in
            [("\"status\": 204", false), ("\"body\": \"\"", true), ("\"status\": 503", true)]
        {
            assert_eq!(read(rest).is_ok(), is_read, "{rest}");
        }
        for (body, wanted) in [("Allow: /a\\nAll", Some("Allow: /a\n")), ("User-agent: *", None), ("", None)]
        {
            let read = read(&format!("\"body\": \"{body}\", \"truncated\": true"));
            assert_eq!(
                read.ok().map(|capture| capture.body),
                wanted.map(|wanted| wanted.as_bytes().to_vec())
            );
        }
    }
}
