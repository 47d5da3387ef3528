//! The tester: a text that a client sends, and the answers to what is asked of it.
//!
//! One question is answered as by `explain FILE --json`, with every line of the text and what became of it; many, about
//! several URLs or by several crawlers ([`crate::crawlers`]), are answered out of one compiled text. The image plays no
//! part. Invariant: a text that the compiler would read and this service would not explain is refused, not answered
//! otherwise.

use crate::about::{refused, too_much};
use crate::error::Refusal;
use crate::limits::{EXPLAINED_URL, GROUPS, PATTERNS, TEST, TEST_URLS};
use crate::parameters::asker;
use crate::routes::{App, Shared, body_of, json};
use crate::row::Row;
use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use robomaton_compiler::{LimitName, Limits, Options, OverLimit};
use robomaton_explain::{Beside, Lines, OfText, Origin, Single, Story, check_usage, names};
use robomaton_runtime::{Profile, Terms};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What is to be tried.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Test {
    text: String,
    /// A URL, or its path and query alone.
    url: String,
    #[serde(default = "anybody")]
    agent: String,
    #[serde(default = "crawl")]
    usage: String,
    purpose: Option<String>,
    profile: Option<String>,
}

/// The same, of several URLs.
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
    "crawl".to_owned()
}

/// The story, and the lines.
#[derive(Serialize)]
struct Tried {
    #[serde(flatten)]
    story: Story,
    #[serde(flatten)]
    lines: Lines,
}

/// `POST /v1/test`.
pub(crate) async fn test(State(app): Shared, body: Body) -> Result<Response, Refusal> {
    tested(app, body, |test: Test, terms| {
        let profile = profile(test.profile.as_deref())?;
        check(&test.url)?;
        let question = OfText {
            text: test.text.as_bytes(),
            beside: &Beside::default(),
            options: &options(profile),
            asker: &asker(names(&test.agent).into_iter(), &test.usage, some(&test.purpose), profile)?,
            terms,
            url: &test.url,
        };
        let (story, lines) = question.explain_lines().map_err(|error| refused(&error))?;
        within(story.limit())?;
        Ok(json(&Tried { story, lines }))
    })
    .await
}

/// Several answers about a text.
#[derive(Serialize)]
struct TriedUrls<'a> {
    agent: String,
    usage: &'a str,
    purpose: Option<&'a str>,
    outcome: Option<&'static str>,
    /// Bytes of the text over the limit.
    unread: usize,
    answers: Vec<Row<OfUrl<'a>>>,
}

/// What one of several questions is about.
#[derive(Serialize)]
struct OfUrl<'a> {
    url: &'a str,
}

/// `POST /v1/test/urls`.
pub(crate) async fn urls(State(app): Shared, body: Body) -> Result<Response, Refusal> {
    tested(app, body, |test: TestUrls, terms| {
        let profile = profile(test.profile.as_deref())?;
        match test.urls.len() {
            0 => return Err(Refusal::bad("no urls are given")),
            1..=TEST_URLS => {}
            _ => return Err(Refusal::too_long("the list", TEST_URLS, "urls")),
        }
        let asker = asker(names(&test.agent).into_iter(), &test.usage, some(&test.purpose), profile)?;
        let origin = origin_of_all(&test.urls, profile)?;
        let single = compiled(&test.text, &origin, profile, terms)?;
        check_usage(single.image(), &asker.usage).map_err(|unknown| Refusal::bad(unknown.to_string()))?;
        let site = single.site().map_err(|error| refused(&error))?;
        let (crawler, usage) = asker.resolve(single.image());
        let answer = |url| Row::new(OfUrl { url }, &site.decide(&crawler, usage, url));
        Ok(json(&TriedUrls {
            agent: asker.agents.join(","),
            usage: &asker.usage,
            purpose: asker.purpose.as_deref(),
            outcome: site.outcome().map(|outcome| outcome.name()),
            unread: single.document.unread,
            answers: test.urls.iter().map(|url| answer(url.as_str())).collect(),
        }))
    })
    .await
}

/// The site of URLs and paths, which are all of one.
fn origin_of_all(urls: &[String], profile: Profile) -> Result<Origin, Refusal> {
    let mut all: Option<Origin> = None;
    for (at, url) in urls.iter().enumerate() {
        let origin = check(url).and_then(|()| Origin::of(url, profile).map_err(|error| refused(&error)));
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
        None => Origin::unknown().map_err(|error| refused(&error)),
    }
}

/// Reads a body and answers it apart from the threads that answer the rest.
pub(crate) async fn tested<T: DeserializeOwned>(
    app: Arc<App>,
    body: Body,
    answer: impl FnOnce(T, &Terms) -> Result<Response, Refusal> + Send + 'static,
) -> Result<Response, Refusal> {
    let body = body_of(body, TEST).await?;
    let shared = app.clone();
    app.apart(move || {
        let test = serde_json::from_slice(&body).map_err(|error| Refusal::bad(error.to_string()))?;
        answer(test, &shared.current.get().terms)
    })
    .await
}

/// A text, compiled for a site.
pub(crate) fn compiled(
    text: &str,
    origin: &Origin,
    profile: Profile,
    terms: &Terms,
) -> Result<Single, Refusal> {
    let single = Single::compile(text.as_bytes(), origin, &Beside::default(), &options(profile));
    let single = single.map_err(|error| refused(&error))?.with_terms(terms.clone());
    within(single.document.over_limit)?;
    Ok(single)
}

/// How a text is read here.
fn options(profile: Profile) -> Options {
    let limits = Limits { groups: GROUPS, patterns: PATTERNS, ..Limits::default() };
    Options { profile, limits, ..Options::default() }
}

/// The compiler takes more of these, so that the answer would be wrong.
fn within(over: Option<OverLimit>) -> Result<(), Refusal> {
    match over {
        Some(over) if matches!(over.limit, LimitName::Groups | LimitName::Patterns) => {
            Err(too_much(format!("{over}")))
        }
        _ => Ok(()),
    }
}

pub(crate) fn profile(name: Option<&str>) -> Result<Profile, Refusal> {
    let Some(name) = name else { return Ok(Profile::default()) };
    name.parse().map_err(|_| Refusal::bad(format!("no profile {name:?}")))
}

/// An empty purpose is none.
pub(crate) fn some(purpose: &Option<String>) -> Option<&str> {
    purpose.as_deref().filter(|purpose| !purpose.is_empty())
}

/// Refuses a URL that is none, or too long.
pub(crate) fn check(url: &str) -> Result<(), Refusal> {
    if url.trim_ascii().is_empty() {
        return Err(Refusal::bad("the url is empty; `/` is the root"));
    }
    if url.len() > EXPLAINED_URL {
        return Err(Refusal::too_long("the url", EXPLAINED_URL, "octets"));
    }
    Ok(())
}
