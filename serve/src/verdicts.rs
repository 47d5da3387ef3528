//! Verdicts only: one word for each of many URLs, for a caller that needs no reasons.
//!
//! A full answer takes twenty times as long as its decision, since it quotes the cold sections. A
//! fetcher with a queue of URLs has one crawler and reads one word, so the crawler is in the query
//! string, and URLs and words are lines. Invariant: line by line, the word is the `verdict` of the
//! full answer.

use crate::agents::Words;
use crate::app::{App, Client, Shared};
use crate::decide::agent_of;
use crate::error::Refusal;
use crate::limits::{BATCH, QUESTIONS, URL};
use crate::parameters::Parameters;
use crate::reply::{read_body, text};
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use robomaton_explain::{check_usage, for_purpose};
use robomaton_runtime::Question;
use std::sync::Arc;

/// The parameters, which apply to all URLs.
const PARAMETERS: &[&str] = &["agent", "usage", "purpose", "named_only"];

/// The longest line of an answer, `conditional`, with its end.
pub(crate) const LINE: usize = 12;

/// `POST /v1/verdicts`.
pub(crate) async fn verdicts(
    State(app): Shared,
    RawQuery(query): RawQuery,
    body: Body,
) -> Result<Response, Refusal> {
    let body = read_body(&app.bodies, body, BATCH).await?;
    let shared: Arc<App> = app.clone();
    let answer = move |client: &Client| {
        let urls = text(&body)?;
        words(&shared, client, query.as_deref(), urls)
    };
    let words = app.apart(answer).await?;
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], words).into_response())
}

/// One word a line for the URLs of these lines.
fn words(app: &App, client: &Client, query: Option<&str>, urls: &str) -> Result<Vec<u8>, Refusal> {
    let parameters = Parameters::of_crawler(query, PARAMETERS)?;
    let served = app.current.get();
    let image = &served.image;
    let usage = parameters.usage();
    let words = Words { usage, purpose: parameters.purpose.as_deref(), named_only: parameters.named_only() };
    let agent = agent_of(&served, &parameters, words)?;
    check_usage(image, usage).map_err(|unknown| Refusal::bad(unknown.to_string()))?;
    let urls = lines(urls)?;
    let usage = for_purpose(image.usage(usage), words.purpose);
    // A batch asks for the next question when it has answered those before it, or a block of them.
    let mut checked = Ok(());
    let questions = urls.iter().map_while(|url| {
        checked = client.check();
        checked.is_ok().then_some(Question { crawler: &agent.crawler, usage, url })
    });
    let mut answers = Vec::with_capacity(LINE * urls.len());
    let mut tally = app.metrics.tally();
    image.decide_batch(questions, |verdict| {
        let decision = verdict.safe_decision();
        tally.add(decision);
        answers.extend_from_slice(decision.name().as_bytes());
        answers.push(b'\n');
    });
    checked.map(|()| answers)
}

/// The URLs of a body, one a line. An empty line is refused, not skipped, since a word is found by
/// the number of its line.
pub(crate) fn lines(body: &str) -> Result<Vec<&str>, Refusal> {
    let mut urls = Vec::new();
    for (at, url) in body.lines().enumerate() {
        if at == QUESTIONS {
            return Err(Refusal::too_long("the batch", QUESTIONS, "questions"));
        }
        if url.trim_ascii().is_empty() {
            return Err(Refusal::bad("the line is empty").at(at + 1));
        }
        // Within a URL it would be dropped (R9), and the answer about one site would stand for all.
        if url.contains('\r') {
            let what = "a carriage return within the line: lines end with a line feed";
            return Err(Refusal::bad(what).at(at + 1));
        }
        if url.len() > URL {
            return Err(Refusal::too_long("the url", URL, "bytes").at(at + 1));
        }
        urls.push(url);
    }
    if urls.is_empty() {
        return Err(Refusal::bad("no questions: one URL a line"));
    }
    Ok(urls)
}
