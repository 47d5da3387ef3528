//! Answers from a store: full ones, one or many, and words.
//!
//! They are those of `decide` and `verdicts` over an image of the same captures, in the same keys;
//! a test compares the two. Invariants: a batch is answered from one snapshot, as a whole or not at
//! all; a cached crawler passed every check that its names can fail. It does not know how captures
//! come in.

use crate::app::Client;
use crate::decide::{of_array, of_lines};
use crate::error::Refusal;
use crate::limits::{ANSWERS, BATCH, CACHED_AGENTS, CACHED_NAMES, URL};
use crate::parameters::{Parameters, USAGE, check_query};
use crate::reply::{json, read_body};
use crate::store::{Shared, StoreApp};
use crate::verdicts::{LINE, lines};
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use robomaton_explain::time::now;
use robomaton_explain::{AnswerJson, InputQuestion, Names, QuestionJson, check_usage, names};
use robomaton_runtime::Decision;
use robomaton_store::{Manners, Query, Snapshot};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The parameters of a question.
const PARAMETERS: &[&str] = &["url", "agent", "usage", "purpose", "document", "named_only"];

/// The parameters of words.
const OF_WORDS: &[&str] = &["agent", "usage", "purpose", "named_only"];

/// A crawler and a usage with its purpose, as a question names them.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Asked {
    /// Best first.
    names: Vec<String>,
    usage: String,
    purpose: Option<String>,
    named_only: bool,
}

impl Asked {
    /// The names, usage and purpose of a query string.
    fn of(parameters: &Parameters<'_>) -> Asked {
        let names: Vec<&str> = match parameters.agents.as_slice() {
            [] => vec!["*"],
            all => all.iter().flat_map(|given| names(given)).collect(),
        };
        Asked {
            names: names.into_iter().map(str::to_owned).collect(),
            usage: parameters.usage().to_owned(),
            purpose: parameters.purpose.as_deref().map(str::to_owned),
            named_only: parameters.named_only(),
        }
    }

    /// Those of a question of a batch.
    fn of_input(input: &InputQuestion<'_>) -> Asked {
        let names: Vec<String> = match &input.agent {
            None => vec!["*".to_owned()],
            // As on a command line, one string may be a list of names.
            Some(Names::One(given)) => names(given).into_iter().map(str::to_owned).collect(),
            Some(Names::Several(given)) => given.clone(),
        };
        Asked {
            names,
            usage: input.usage.as_deref().unwrap_or(USAGE).to_owned(),
            purpose: input.purpose.clone(),
            named_only: input.named_only,
        }
    }

    fn length(&self) -> usize {
        let names: usize = self.names.iter().map(String::len).sum();
        names + self.usage.len() + self.purpose.as_ref().map_or(0, String::len)
    }
}

/// A crawler and a usage, resolved.
pub(crate) struct Resolved {
    asked: Asked,
    /// The names as answers show them.
    names: String,
    query: Query,
}

impl Resolved {
    /// How the site of a URL wants to be visited.
    pub(crate) fn manners(&self, snapshot: &Snapshot, url: &str) -> Manners {
        snapshot.manners(&self.query, url)
    }

    fn echo<'a>(&'a self, url: &'a str) -> QuestionJson<'a> {
        let Asked { usage, purpose, .. } = &self.asked;
        QuestionJson { url, agent: &self.names, usage, purpose: purpose.as_deref() }
    }
}

/// The crawlers and usages that questions name. The store resolves them again when its layers
/// change.
#[derive(Default)]
pub(crate) struct Queries(Mutex<HashMap<Asked, Arc<Resolved>>>);

impl Queries {
    /// The crawler of a query string.
    ///
    /// # Errors
    /// If a name is that of no crawler, or too long.
    pub(crate) fn of_crawler(
        &self,
        app: &StoreApp,
        parameters: &Parameters<'_>,
    ) -> Result<Arc<Resolved>, Refusal> {
        self.get(app, Asked::of(parameters))
    }

    /// A crawler and a usage.
    ///
    /// # Errors
    /// If a name is that of no crawler, the usage is unknown, or a word is too long.
    fn get(&self, app: &StoreApp, asked: Asked) -> Result<Arc<Resolved>, Refusal> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().get(&asked).cloned();
        if let Some(resolved) = known {
            return Ok(resolved);
        }
        let Asked { names, usage, purpose, named_only } = asked.clone();
        check_query(names.iter().map(String::as_str), &usage, purpose.as_deref(), app.compile.profile)?;
        if let Err(unknown) = check_usage(&app.empty, &usage)
            && !app.store.snapshot().has_usage(&usage)
        {
            return Err(Refusal::bad(unknown.to_string()));
        }
        let mut query = app.store.query(names.clone(), &usage).named_only(named_only);
        if let Some(purpose) = purpose {
            query = query.for_purpose(purpose);
        }
        let resolved = Arc::new(Resolved { asked, names: names.join(","), query });
        // Invented names must not fill the memory.
        if resolved.asked.length() <= CACHED_NAMES {
            let mut cache = lock();
            if cache.len() >= CACHED_AGENTS {
                cache.clear();
            }
            cache.insert(resolved.asked.clone(), Arc::clone(&resolved));
        }
        Ok(resolved)
    }
}

/// `GET /v1/decide`.
pub(crate) async fn one(State(app): Shared, RawQuery(query): RawQuery) -> Result<Response, Refusal> {
    let parameters = Parameters::read(query.as_deref(), PARAMETERS, URL)?;
    let resolved = app.queries.get(&app, Asked::of(&parameters))?;
    let (snapshot, url, now) = (app.store.snapshot(), &*parameters.url, now());
    let answer = |verdict: &robomaton_runtime::Verdict<'_>| {
        app.metrics.decided(verdict.safe_decision());
        json(&AnswerJson::new(resolved.echo(url), verdict).at(verdict, now))
    };
    Ok(match parameters.other_document() {
        Some(name) => snapshot.ask_document(&resolved.query, name, url, answer),
        None => snapshot.ask(&resolved.query, url, answer),
    })
}

/// `POST /v1/decide`.
pub(crate) async fn batch(State(app): Shared, body: Body) -> Result<Response, Refusal> {
    let body = read_body(&app.bodies, body, BATCH).await?;
    let shared = Arc::clone(&app);
    let answer = move |client: &Client| {
        let body = std::str::from_utf8(&body).map_err(|_| Refusal::bad("the body is not UTF-8"))?;
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
    let mut valid: Vec<(InputQuestion<'_>, Arc<Resolved>)> = Vec::with_capacity(questions.len());
    // Nothing is answered or counted unless all questions are valid.
    for (at, question) in questions.iter().enumerate() {
        let last = valid.last().map(|(_, resolved)| resolved);
        let question = read(app, question, last).map_err(|refusal| refusal.at(at + 1))?;
        valid.push(question);
    }
    let (snapshot, now) = (app.store.snapshot(), now());
    let (open, between, close) = if is_array { ("[", ",\n", "]\n") } else { ("", "\n", "\n") };
    let mut answers = open.as_bytes().to_vec();
    let mut tally = app.metrics.tally();
    for (at, (question, resolved)) in valid.iter().enumerate() {
        if at > 0 {
            answers.extend_from_slice(between.as_bytes());
        }
        client.check()?;
        tally.add(answer(&snapshot, resolved, &question.url, now, &mut answers));
        // Some sites make every answer long.
        if answers.len() > ANSWERS {
            return Err(Refusal::too_long("the answers up to this one", ANSWERS, "bytes").at(at + 1));
        }
    }
    answers.extend_from_slice(close.as_bytes());
    Ok(answers)
}

/// A question of a batch. Most ask for the crawler of the one before.
fn read<'q>(
    app: &StoreApp,
    json: &'q str,
    last: Option<&Arc<Resolved>>,
) -> Result<(InputQuestion<'q>, Arc<Resolved>), Refusal> {
    let input: InputQuestion<'q> =
        serde_json::from_str(json).map_err(|error| Refusal::bad(error.to_string()))?;
    if input.url.len() > URL {
        return Err(Refusal::too_long("the url", URL, "bytes"));
    }
    let asked = Asked::of_input(&input);
    let resolved = match last.filter(|last| last.asked == asked) {
        Some(last) => Arc::clone(last),
        None => app.queries.get(app, asked)?,
    };
    Ok((input, resolved))
}

/// Writes the answer to a question of a batch.
fn answer(snapshot: &Snapshot, resolved: &Resolved, url: &str, now: u64, answers: &mut Vec<u8>) -> Decision {
    snapshot.ask(&resolved.query, url, |verdict| {
        let answer = AnswerJson::new(resolved.echo(url), verdict).at(verdict, now);
        // Writing to memory does not fail.
        let _ = serde_json::to_writer(answers, &answer);
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
            let urls = std::str::from_utf8(&body).map_err(|_| Refusal::bad("the body is not UTF-8"))?;
            let parameters = Parameters::of_crawler(query.as_deref(), OF_WORDS)?;
            let resolved = shared.queries.get(&shared, Asked::of(&parameters))?;
            let urls = lines(urls)?;
            let snapshot = shared.store.snapshot();
            let mut words = Vec::with_capacity(LINE * urls.len());
            let mut tally = shared.metrics.tally();
            for url in urls {
                client.check()?;
                let decision = snapshot.ask(&resolved.query, url, |verdict| verdict.safe_decision());
                tally.add(decision);
                words.extend_from_slice(decision.name().as_bytes());
                words.push(b'\n');
            }
            Ok(words)
        })
        .await?;
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], words).into_response())
}
