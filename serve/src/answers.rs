//! Answers from a store: full ones, one or many, and words.
//!
//! They are those of `decide` and `verdicts` over an image of the same captures, in the same keys;
//! a test compares the two. Invariant: a batch is answered from one snapshot, as a whole or not at
//! all. It does not know how captures come in.

use crate::app::Client;
use crate::decide::{of_array, of_lines};
use crate::error::Refusal;
use crate::limits::{ANSWERS, BATCH, DETAILS, URL};
use crate::parameters::{Parameters, no_parameters};
use crate::queries::{CachedQuery, QueryKey};
use crate::reply::{json, object, read_body, text};
use crate::store::{Shared, StoreApp};
use crate::verdicts::{LINE, lines};
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use robomaton_explain::time::now;
use robomaton_explain::{AnswerJson, InputQuestion};
use robomaton_runtime::Decision;
use robomaton_store::Snapshot;
use std::sync::Arc;

/// The parameters of a question.
const PARAMETERS: &[&str] = &["url", "agent", "usage", "purpose", "document", "named_only"];

/// The parameters of words.
const OF_WORDS: &[&str] = &["agent", "usage", "purpose", "named_only"];

/// `GET /v1/decide`.
pub(crate) async fn one(State(app): Shared, RawQuery(query): RawQuery) -> Result<Response, Refusal> {
    let parameters = Parameters::read(query.as_deref(), PARAMETERS, URL)?;
    let details = |url| app.store.snapshot().site(url).map_or(0, |site| site.detail_length());
    // The answer tells the deciding rules, also one about crawling, and decodes the details for it.
    // The lengths of other documents are not looked up.
    if parameters.other_document().is_none() && details(&parameters.url) <= DETAILS {
        return answered(&app, &parameters);
    }
    let shared = Arc::clone(&app);
    app.apart(move |_| answered(&shared, &Parameters::read(query.as_deref(), PARAMETERS, URL)?)).await
}

fn answered(app: &StoreApp, parameters: &Parameters<'_>) -> Result<Response, Refusal> {
    let resolved = app.queries.get(&app.store, QueryKey::of(parameters))?;
    let (snapshot, url, now) = (app.store.snapshot(), &*parameters.url, now());
    let answer = |verdict: &robomaton_runtime::Verdict<'_>| {
        app.metrics.decided(verdict.safe_decision());
        json(&AnswerJson::new(resolved.echo(url), verdict).at(verdict, now))
    };
    Ok(match parameters.other_document() {
        Some(name) => snapshot.ask_document(&resolved.query, name, url, now, answer),
        None => snapshot.ask_at(&resolved.query, url, now, answer),
    })
}

/// `POST /v1/decide`.
pub(crate) async fn batch(
    State(app): Shared,
    RawQuery(query): RawQuery,
    body: Body,
) -> Result<Response, Refusal> {
    no_parameters(query.as_deref())?;
    let body = read_body(&app.bodies, body, BATCH).await?;
    let shared = Arc::clone(&app);
    let answer = move |client: &Client| {
        let body = text(&body)?;
        let is_array = body.trim_ascii_start().starts_with('[');
        let questions = if is_array { of_array(body)? } else { of_lines(body)? };
        answers(&shared, client, &questions, is_array).map(|answers| (answers, is_array))
    };
    let (answers, is_array) = app.apart(answer).await?;
    let kind = if is_array { "application/json" } else { "application/x-ndjson" };
    Ok(([(header::CONTENT_TYPE, kind)], answers).into_response())
}

/// All answers, or the refusal of the first invalid question.
fn answers(app: &StoreApp, client: &Client, questions: &[&str], is_array: bool) -> Result<Vec<u8>, Refusal> {
    let mut valid: Vec<(InputQuestion<'_>, QueryKey)> = Vec::with_capacity(questions.len());
    // Nothing is answered or counted unless all questions are valid.
    for (at, question) in questions.iter().enumerate() {
        client.check()?;
        let last = valid.last().map(|(_, key)| key);
        valid.push(read(app, question, last).map_err(|refusal| refusal.at(at + 1))?);
    }
    let (snapshot, now) = (app.store.snapshot(), now());
    let (open, between, close) = if is_array { ("[", ",\n", "]\n") } else { ("", "\n", "\n") };
    let mut answers = open.as_bytes().to_vec();
    let mut tally = app.metrics.tally();
    let mut answered = 0;
    // As a rule, all questions are of one crawler. A crawler with its names takes more memory than
    // they do, so that one at a time is kept.
    for questions in valid.chunk_by(|(_, one), (_, other)| one == other) {
        let resolved = app.queries.get(&app.store, questions[0].1.clone())?;
        for (question, _) in questions {
            if answered > 0 {
                answers.extend_from_slice(between.as_bytes());
            }
            client.check()?;
            tally.add(answer(&snapshot, &resolved, &question.url, now, &mut answers));
            answered += 1;
            // Some sites make every answer long.
            if answers.len() > ANSWERS {
                return Err(Refusal::too_long("the answers up to this one", ANSWERS, "bytes").at(answered));
            }
        }
    }
    answers.extend_from_slice(close.as_bytes());
    Ok(answers)
}

/// A valid question of a batch. Most ask for the crawler of the one before.
fn read<'q>(
    app: &StoreApp,
    json: &'q str,
    last: Option<&QueryKey>,
) -> Result<(InputQuestion<'q>, QueryKey), Refusal> {
    let input: InputQuestion<'q> = object(json.as_bytes())?;
    if input.url.len() > URL {
        return Err(Refusal::too_long("the url", URL, "bytes"));
    }
    let key = QueryKey::of_input(&input);
    if last != Some(&key) {
        app.queries.get(&app.store, key.clone())?;
    }
    Ok((input, key))
}

/// Writes the answer to a question of a batch.
fn answer(
    snapshot: &Snapshot,
    resolved: &CachedQuery,
    url: &str,
    now: u64,
    answers: &mut Vec<u8>,
) -> Decision {
    snapshot.ask_at(&resolved.query, url, now, |verdict| {
        AnswerJson::new(resolved.echo(url), verdict).at(verdict, now).append_to(answers);
        verdict.safe_decision()
    })
}

/// `POST /v1/verdicts`: a word for each line.
pub(crate) async fn words(
    State(app): Shared,
    RawQuery(query): RawQuery,
    body: Body,
) -> Result<Response, Refusal> {
    let body = read_body(&app.bodies, body, BATCH).await?;
    let shared = Arc::clone(&app);
    let words = app
        .apart(move |client| {
            let urls = text(&body)?;
            let parameters = Parameters::of_crawler(query.as_deref(), OF_WORDS)?;
            let resolved = shared.queries.get(&shared.store, QueryKey::of(&parameters))?;
            let urls = lines(urls)?;
            let (snapshot, now) = (shared.store.snapshot(), now());
            let mut words = Vec::with_capacity(LINE * urls.len());
            let mut tally = shared.metrics.tally();
            for url in urls {
                client.check()?;
                let decision = snapshot.ask_at(&resolved.query, url, now, |verdict| verdict.safe_decision());
                tally.add(decision);
                words.extend_from_slice(decision.name().as_bytes());
                words.push(b'\n');
            }
            Ok(words)
        })
        .await?;
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], words).into_response())
}
