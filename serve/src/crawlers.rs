//! All well-known crawlers at once: which of them may use one URL, by a text or by the image.
//!
//! The list comes from `formats` (`formats/data/crawlers.tsv`), with the operator and the purpose
//! of each crawler. Each crawler gets the same answer as in a single question.

use crate::app::{Client, Shared};
use crate::error::Refusal;
use crate::limits::URL;
use crate::parameters::{Parameters, query};
use crate::reply::{json, refusal_of};
use crate::row::Row;
use crate::tester::{answer_test, check_url, compile, crawl, non_empty, profile};
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use robomaton_explain::time::rfc3339;
use robomaton_explain::{Origin, check_usage, for_purpose};
use robomaton_formats::crawlers::{WellKnownCrawler, known};
use robomaton_runtime::{Crawler, DetailCache, Image, Verdict};
use serde::{Deserialize, Serialize};

/// A crawler, its operator, and the purpose of its fetches.
#[derive(Serialize)]
struct CrawlerRow {
    agent: &'static str,
    operator: Option<&'static str>,
    purpose: &'static str,
}

impl From<&WellKnownCrawler> for CrawlerRow {
    fn from(known: &WellKnownCrawler) -> CrawlerRow {
        CrawlerRow { agent: known.token, operator: known.operator, purpose: known.purpose.name() }
    }
}

/// The list.
#[derive(Serialize)]
struct List {
    crawlers: Vec<CrawlerRow>,
}

/// A test of one URL for all crawlers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TestCrawlers {
    text: String,
    url: String,
    #[serde(default = "crawl")]
    usage: String,
    purpose: Option<String>,
    profile: Option<String>,
}

/// The answers.
#[derive(Serialize)]
struct CrawlerResults<'a> {
    url: &'a str,
    /// The request target that rules are matched against.
    target: Option<String>,
    site: Option<String>,
    outcome: Option<&'static str>,
    status: Option<u16>,
    fetched_at: Option<String>,
    stale: Option<bool>,
    usage: &'a str,
    purpose: Option<&'a str>,
    /// Bytes of the text beyond the limit; null for the image.
    unread: Option<usize>,
    crawlers: Vec<Row<CrawlerRow>>,
}

/// All known crawlers, resolved for an image.
fn resolved<D: AsRef<[u8]>>(
    image: &Image<D>,
    client: &Client,
) -> Result<Vec<(&'static WellKnownCrawler, Crawler)>, Refusal> {
    known().iter().map(|known| client.check().map(|()| (known, image.crawler([known.token])))).collect()
}

/// The answers for these crawlers.
fn rows<'i>(
    crawlers: &'i [(&'static WellKnownCrawler, Crawler)],
    client: &Client,
    decide: impl Fn(&'i Crawler) -> Verdict<'i>,
) -> Result<Vec<Row<CrawlerRow>>, Refusal> {
    let mut cache = DetailCache::default();
    let row = |(known, crawler): &'i (&'static WellKnownCrawler, Crawler)| {
        client.check()?;
        Ok(Row::new((*known).into(), &decide(crawler), &mut cache))
    };
    crawlers.iter().map(row).collect()
}

/// `POST /v1/test/crawlers`.
pub(crate) async fn of_text(
    State(app): Shared,
    RawQuery(parameters): RawQuery,
    body: Body,
) -> Result<Response, Refusal> {
    answer_test(app, parameters, body, |test: TestCrawlers, terms, client| {
        let profile = profile(test.profile.as_deref())?;
        check_url(&test.url)?;
        let purpose = non_empty(&test.purpose);
        // Usage and purpose have limits, too.
        query(["*"].into_iter(), &test.usage, purpose, profile)?;
        let origin = Origin::of(&test.url, profile).map_err(|error| refusal_of(&error))?;
        let single = compile(&test.text, &origin, profile, terms)?;
        let (image, site) = (single.image(), single.site().map_err(|error| refusal_of(&error))?);
        check_usage(image, &test.usage).map_err(|unknown| Refusal::bad(unknown.to_string()))?;
        let usage = for_purpose(image.usage(&test.usage), purpose);
        let crawlers = resolved(image, client)?;
        Ok(json(&CrawlerResults {
            url: &test.url,
            target: Some(String::from_utf8_lossy(&site.target(&test.url)).into_owned()),
            site: origin.authority().map(|_| site.address()),
            outcome: site.outcome().map(|outcome| outcome.name()),
            status: None,
            fetched_at: None,
            stale: None,
            usage: &test.usage,
            purpose,
            unread: Some(single.document.unread),
            crawlers: rows(&crawlers, client, |crawler| site.decide(crawler, usage, &test.url))?,
        }))
    })
    .await
}

/// `GET /v1/crawlers`: the list; with `url`, the verdict for each crawler.
pub(crate) async fn of_image(State(app): Shared, RawQuery(query): RawQuery) -> Result<Response, Refusal> {
    let Some(query) = query.filter(|query| !query.is_empty()) else {
        return Ok(json(&List { crawlers: known().iter().map(CrawlerRow::from).collect() }));
    };
    let served = app.current.get();
    app.apart(move |client| {
        let parameters = Parameters::read(Some(&query), &["url", "usage", "purpose"], URL)?;
        let image = &served.image;
        let query = parameters.query(image.profile())?;
        check_usage(image, &query.usage).map_err(|unknown| Refusal::bad(unknown.to_string()))?;
        let usage = for_purpose(image.usage(&query.usage), query.purpose.as_deref());
        let site = image.site(&parameters.url);
        let crawlers = resolved(image, client)?;
        Ok(json(&CrawlerResults {
            url: &parameters.url,
            target: site.map(|site| String::from_utf8_lossy(&site.target(&parameters.url)).into_owned()),
            site: site.map(|site| site.address()),
            outcome: site.and_then(|site| site.outcome()).map(|outcome| outcome.name()),
            status: site.map(|site| site.status()).filter(|&status| status != 0),
            fetched_at: site.and_then(|site| site.fetched_at()).and_then(rfc3339),
            stale: site.and_then(|site| site.is_stale()),
            usage: &query.usage,
            purpose: query.purpose.as_deref(),
            unread: None,
            crawlers: rows(&crawlers, client, |crawler| image.decide(crawler, usage, &parameters.url))?,
        }))
    })
    .await
}
