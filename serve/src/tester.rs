//! The tester: answers questions about a text that a client sends.
//!
//! A single question is answered like `explain FILE --json`, together with the meaning of every
//! line. Several questions, about several URLs or crawlers ([`crate::crawlers`]), are answered from
//! one compiled text. The image is not used. Invariant: a text that the compiler would read, but
//! this service would not explain, is refused; it never gets another answer.

use crate::app::{App, Client, Shared};
use crate::error::Refusal;
use crate::limits::{EXPLAINED_URL, GROUPS, TEST, TEST_URLS};
use crate::parameters::{USAGE, no_parameters, query};
use crate::reply::{check_explainable, json, object, read_body, refusal_of, too_much};
use crate::row::Row;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use robomaton_compiler::{LimitName, Limits, Options};
use robomaton_explain::{
    Explanation, Lines, Origin, SingleSite, SiteFiles, TextQuery, Use, check_usage, names, without_mark,
};
use robomaton_runtime::{DetailCache, Profile, Terms};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A test of one URL.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Test {
    text: String,
    /// A URL, or only its path and query.
    url: String,
    #[serde(default = "anybody")]
    agent: String,
    #[serde(default = "crawl")]
    usage: String,
    purpose: Option<String>,
    profile: Option<String>,
}

/// A test of several URLs.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TestUrls {
    text: String,
    urls: Vec<String>,
    #[serde(default = "anybody")]
    agent: String,
    #[serde(default = "crawl")]
    usage: String,
    purpose: Option<String>,
    profile: Option<String>,
}

fn anybody() -> String {
    "*".to_owned()
}

pub(crate) fn crawl() -> String {
    USAGE.to_owned()
}

/// The explanation, the lines, and the uses at a glance.
#[derive(Serialize)]
struct TestResult {
    #[serde(flatten)]
    explanation: Explanation,
    #[serde(flatten)]
    lines: Lines,
    /// A verdict for each usage that people ask about, if the text has records about uses.
    uses: Vec<Use>,
}

/// `POST /v1/test`.
pub(crate) async fn test(
    State(app): Shared,
    RawQuery(parameters): RawQuery,
    body: Body,
) -> Result<Response, Refusal> {
    answer_test(app, parameters, body, |test: Test, terms, _| {
        let profile = profile(test.profile.as_deref())?;
        check_url(&test.url)?;
        let origin = Origin::of(&test.url, profile).map_err(|error| refusal_of(&error))?;
        // Refuses what would take too long to explain.
        compile(&test.text, &origin, profile, terms)?;
        let question = TextQuery {
            text: test.text.as_bytes(),
            files: &SiteFiles::default(),
            options: &options(profile),
            query: &query(names(&test.agent).into_iter(), &test.usage, non_empty(&test.purpose), profile)?,
            terms,
            url: &test.url,
        };
        let (explanation, lines, uses) = question.explain_lines().map_err(|error| refusal_of(&error))?;
        Ok(json(&TestResult { explanation, lines, uses }))
    })
    .await
}

/// Several answers about a text.
#[derive(Serialize)]
struct UrlResults<'a> {
    agent: String,
    usage: &'a str,
    purpose: Option<&'a str>,
    outcome: Option<&'static str>,
    /// Bytes of the text beyond the limit.
    unread: usize,
    answers: Vec<Row<UrlRow<'a>>>,
}

/// The URL of one of several answers.
#[derive(Serialize)]
struct UrlRow<'a> {
    url: &'a str,
}

/// `POST /v1/test/urls`.
pub(crate) async fn urls(
    State(app): Shared,
    RawQuery(parameters): RawQuery,
    body: Body,
) -> Result<Response, Refusal> {
    answer_test(app, parameters, body, |test: TestUrls, terms, client| {
        let profile = profile(test.profile.as_deref())?;
        match test.urls.len() {
            0 => return Err(Refusal::bad("no urls are given")),
            1..=TEST_URLS => {}
            _ => return Err(Refusal::too_long("the list", TEST_URLS, "urls")),
        }
        let query = query(names(&test.agent).into_iter(), &test.usage, non_empty(&test.purpose), profile)?;
        let origin = origin_of_all(&test.urls, profile)?;
        let single = compile(&test.text, &origin, profile, terms)?;
        check_usage(single.image(), &query.usage).map_err(|unknown| Refusal::bad(unknown.to_string()))?;
        let site = single.site().map_err(|error| refusal_of(&error))?;
        let (crawler, usage) = query.resolve(single.image());
        let mut cache = DetailCache::default();
        let mut answer = |url| {
            client.check()?;
            Ok(Row::new(UrlRow { url }, &site.decide(&crawler, usage, url), &mut cache))
        };
        Ok(json(&UrlResults {
            agent: query.agents.join(","),
            usage: &query.usage,
            purpose: query.purpose.as_deref(),
            outcome: site.outcome().map(|outcome| outcome.name()),
            unread: single.document.unread,
            answers: test.urls.iter().map(|url| answer(url.as_str())).collect::<Result<_, Refusal>>()?,
        }))
    })
    .await
}

/// The site of URLs and paths, which must all belong to one.
fn origin_of_all(urls: &[String], profile: Profile) -> Result<Origin, Refusal> {
    let mut all: Option<Origin> = None;
    for (at, url) in urls.iter().enumerate() {
        let origin =
            check_url(url).and_then(|()| Origin::of(url, profile).map_err(|error| refusal_of(&error)));
        let origin = origin.map_err(|refusal| refusal.at(at + 1))?;
        let known = all.as_ref().and_then(Origin::authority);
        match (known, origin.authority()) {
            (Some(one), Some(other)) if one != other => {
                let what = format!("{other} is another site than {one}, and a text speaks for one");
                return Err(Refusal::bad(what).at(at + 1));
            }
            (None, Some(_)) => all = Some(origin),
            _ => {}
        }
    }
    match all {
        Some(origin) => Ok(origin),
        None => Origin::unknown().map_err(|error| refusal_of(&error)),
    }
}

/// Reads a body and answers it on a thread for heavy work.
pub(crate) async fn answer_test<T: DeserializeOwned>(
    app: Arc<App>,
    parameters: Option<String>,
    body: Body,
    answer: impl FnOnce(T, &Terms, &Client) -> Result<Response, Refusal> + Send + 'static,
) -> Result<Response, Refusal> {
    no_parameters(parameters.as_deref())?;
    let body = read_body(&app.bodies, body, TEST).await?;
    let shared = app.clone();
    app.apart(move |client| answer(object(without_mark(&body))?, &shared.current.get().terms, client)).await
}

/// A text, compiled for a site.
pub(crate) fn compile(
    text: &str,
    origin: &Origin,
    profile: Profile,
    terms: &Terms,
) -> Result<SingleSite, Refusal> {
    let single = SingleSite::compile(text.as_bytes(), origin, &SiteFiles::default(), &options(profile));
    let single = single.map_err(|error| refusal_of(&error))?.with_terms(terms.clone());
    match single.document.over_limit {
        // A limit that is lower here than in the compiler: the answer would be wrong.
        Some(over) if over.limit == LimitName::Groups => return Err(too_much(format!("{over}"))),
        _ => check_explainable(&single.site().map_err(|error| refusal_of(&error))?)?,
    }
    Ok(single)
}

/// The options for texts in this service.
fn options(profile: Profile) -> Options {
    let limits = Limits { groups: GROUPS, ..Limits::default() };
    Options { profile, limits, ..Options::default() }
}

pub(crate) fn profile(name: Option<&str>) -> Result<Profile, Refusal> {
    let Some(name) = name else { return Ok(Profile::default()) };
    name.parse().map_err(|_| Refusal::bad(format!("no profile {name:?}")))
}

/// Treats an empty purpose as none.
pub(crate) fn non_empty(purpose: &Option<String>) -> Option<&str> {
    purpose.as_deref().filter(|purpose| !purpose.is_empty())
}

/// Refuses a URL that is empty or too long.
pub(crate) fn check_url(url: &str) -> Result<(), Refusal> {
    if url.trim_ascii().is_empty() {
        return Err(Refusal::bad("the url is empty; `/` is the root"));
    }
    if url.len() > EXPLAINED_URL {
        return Err(Refusal::too_long("the url", EXPLAINED_URL, "bytes"));
    }
    Ok(())
}
