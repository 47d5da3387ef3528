//! Questions: one in the query string, or many in a body, answered like `query --json`.

use crate::agents::{Agent, Words};
use crate::app::{App, Client, Shared};
use crate::current::Served;
use crate::error::Refusal;
use crate::limits::{AGENTS, ANSWERS, BATCH, DETAILS, QUESTIONS, URL};
use crate::metrics::Metrics;
use crate::parameters::{Parameters, USAGE, no_parameters};
use crate::reply::{json, object, read_body, text};
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use robomaton_explain::{
    AnswerJson, InputQuestion, Names, QuestionJson, check_usage, decide, find_document, for_purpose, names,
};
use robomaton_runtime::{Decision, DetailCache};
use serde_json::value::RawValue;
use std::sync::Arc;

/// The parameters of a question.
const PARAMETERS: &[&str] = &["url", "agent", "usage", "purpose", "document", "named_only"];

/// The room for an answer of a batch in bytes, which most answers fit into.
const ANSWER: usize = 1 << 10;

/// `GET /v1/decide`, if the answer takes long.
pub(crate) async fn one(State(app): Shared, RawQuery(query): RawQuery) -> Result<Response, Refusal> {
    let shared = Arc::clone(&app);
    app.apart(move |_| answered(&shared, &Parameters::read(query.as_deref(), PARAMETERS, URL)?)).await
}

/// The answer to the question in a query string; `None` if it takes long.
pub(crate) fn quick(app: &App, query: Option<&str>) -> Result<Option<Response>, Refusal> {
    let parameters = Parameters::read(query, PARAMETERS, URL)?;
    let served = app.current.get();
    // The answer tells the deciding rules, also one about crawling, and decodes the details for it.
    let asked = find_document(&served.image, &parameters.url, parameters.other_document());
    let is_long = asked.is_some_and(|site| site.detail_length() > DETAILS);
    if is_long { Ok(None) } else { answered(app, &parameters).map(Some) }
}

fn answered(app: &App, parameters: &Parameters<'_>) -> Result<Response, Refusal> {
    let served = app.current.get();
    let image = &served.image;
    let usage = parameters.usage();
    let words = Words { usage, purpose: parameters.purpose.as_deref(), named_only: parameters.named_only() };
    let agent = agent_of(&served, parameters, words)?;
    check_usage(image, usage).map_err(|unknown| Refusal::bad(unknown.to_string()))?;
    let document = parameters.other_document();
    let asked = for_purpose(image.usage(usage), words.purpose);
    let verdict = decide(image, document, &agent.crawler, asked, &parameters.url);
    app.metrics.decided(verdict.safe_decision());
    Ok(json(&AnswerJson::new(echo(&parameters.url, &agent, words), &verdict)))
}

/// The agent of a query string.
pub(crate) fn agent_of(
    served: &Served,
    parameters: &Parameters<'_>,
    words: Words<'_>,
) -> Result<Arc<Agent>, Refusal> {
    let Served { image, agents, .. } = served;
    match parameters.agents.as_slice() {
        [] => agents.of_string(image, "*", words),
        [given] => agents.of_string(image, given, words),
        all => {
            let all = all.iter().flat_map(|given| names(given)).take(AGENTS + 1).map(str::to_owned);
            agents.of_list(image, &all.collect::<Vec<_>>(), words)
        }
    }
}

/// A question as its answer shows it.
fn echo<'a>(url: &'a str, agent: &'a Agent, words: Words<'a>) -> QuestionJson<'a> {
    QuestionJson { url, agent: &agent.names, usage: words.usage, purpose: words.purpose }
}

/// `POST /v1/decide`.
pub(crate) async fn batch(
    State(app): Shared,
    RawQuery(query): RawQuery,
    body: Body,
) -> Result<Response, Refusal> {
    no_parameters(query.as_deref())?;
    let body = read_body(&app.bodies, body, BATCH).await?;
    let shared: Arc<App> = app.clone();
    let answer = move |client: &Client| {
        let served = shared.current.get();
        let body = text(&body)?;
        let is_array = body.trim_ascii_start().starts_with('[');
        let questions = if is_array { of_array(body)? } else { of_lines(body)? };
        let batch = Batch { served: &served, metrics: &shared.metrics, client };
        batch.answer(&questions, is_array).map(|answers| (answers, is_array))
    };
    let (answers, is_array) = app.apart(answer).await?;
    let kind = if is_array { "application/json" } else { "application/x-ndjson" };
    Ok(([(header::CONTENT_TYPE, kind)], answers).into_response())
}

/// The elements of an array, not parsed yet.
pub(crate) fn of_array(body: &str) -> Result<Vec<&str>, Refusal> {
    let elements: Vec<&RawValue> = serde_json::from_str(body)
        .map_err(|error| Refusal::bad(format!("the body is no JSON array: {error}")))?;
    limited(elements.into_iter().map(RawValue::get))
}

/// The non-empty lines.
pub(crate) fn of_lines(body: &str) -> Result<Vec<&str>, Refusal> {
    limited(body.lines().map(str::trim_ascii).filter(|line| !line.is_empty()))
}

fn limited<'b>(questions: impl Iterator<Item = &'b str>) -> Result<Vec<&'b str>, Refusal> {
    let questions: Vec<&str> = questions.take(QUESTIONS + 1).collect();
    match questions.len() {
        0 => Err(Refusal::bad("no questions: a JSON array of objects, or one object a line")),
        1..=QUESTIONS => Ok(questions),
        _ => Err(Refusal::too_long("the batch", QUESTIONS, "questions")),
    }
}

/// A batch of questions to one image.
struct Batch<'a> {
    served: &'a Served,
    metrics: &'a Metrics,
    client: &'a Client,
}

/// True if both questions name their crawler alike.
fn is_of_one_crawler(one: &InputQuestion<'_>, other: &InputQuestion<'_>) -> bool {
    (&one.agent, one.named_only) == (&other.agent, other.named_only)
}

fn words<'i>(input: &'i InputQuestion<'_>) -> Words<'i> {
    let usage = input.usage.as_deref().unwrap_or(USAGE);
    Words { usage, purpose: input.purpose.as_deref(), named_only: input.named_only }
}

impl Batch<'_> {
    /// All answers, or the refusal of the first invalid question.
    fn answer(&self, questions: &[&str], is_array: bool) -> Result<Vec<u8>, Refusal> {
        let mut valid: Vec<InputQuestion<'_>> = Vec::with_capacity(questions.len());
        // Nothing is answered or counted unless all questions are valid.
        for (at, question) in questions.iter().enumerate() {
            self.client.check()?;
            valid.push(self.read(question, valid.last()).map_err(|refusal| refusal.at(at + 1))?);
        }
        let (open, between, close) = if is_array { ("[", ",\n", "]\n") } else { ("", "\n", "\n") };
        let mut answers = Vec::with_capacity(ANSWER * questions.len());
        answers.extend_from_slice(open.as_bytes());
        let mut tally = self.metrics.tally();
        let mut answered = 0;
        // As a rule, all questions are of one crawler. A crawler with its names takes more memory
        // than they do, so that one at a time is kept.
        for questions in valid.chunk_by(is_of_one_crawler) {
            let agent = self.agent(&questions[0])?;
            let mut cache = DetailCache::default();
            for question in questions {
                if answered > 0 {
                    answers.extend_from_slice(between.as_bytes());
                }
                self.client.check()?;
                tally.add(self.one(question, &agent, &mut cache, &mut answers));
                answered += 1;
                // Some sites make every answer long.
                if answers.len() > ANSWERS {
                    return Err(
                        Refusal::too_long("the answers up to this one", ANSWERS, "bytes").at(answered)
                    );
                }
            }
        }
        answers.extend_from_slice(close.as_bytes());
        Ok(answers)
    }

    /// A valid question.
    fn read<'q>(
        &self,
        json: &'q str,
        before: Option<&InputQuestion<'_>>,
    ) -> Result<InputQuestion<'q>, Refusal> {
        let input: InputQuestion<'q> = object(json.as_bytes())?;
        if input.url.len() > URL {
            return Err(Refusal::too_long("the url", URL, "bytes"));
        }
        let image = &self.served.image;
        check_usage(image, words(&input).usage).map_err(|unknown| Refusal::bad(unknown.to_string()))?;
        if before.is_some_and(|before| is_of_one_crawler(before, &input)) {
            words(&input).check(image)?;
        } else {
            self.agent(&input)?;
        }
        Ok(input)
    }

    /// The agent of a question.
    fn agent(&self, input: &InputQuestion<'_>) -> Result<Arc<Agent>, Refusal> {
        let Served { image, agents, .. } = self.served;
        match &input.agent {
            None => agents.of_string(image, "*", words(input)),
            // As on a command line, one string may be a list of names.
            Some(Names::One(given)) => agents.of_string(image, given, words(input)),
            Some(Names::Several(given)) => {
                agents.of_list(image, &given[..given.len().min(AGENTS + 1)], words(input))
            }
        }
    }

    fn one<'i>(
        &'i self,
        question: &'i InputQuestion<'_>,
        agent: &'i Agent,
        cache: &mut DetailCache<'i>,
        answers: &mut Vec<u8>,
    ) -> Decision {
        let image = &self.served.image;
        let (url, words) = (&question.url, words(question));
        let usage = for_purpose(image.usage(words.usage), words.purpose);
        let verdict = image.decide(&agent.crawler, usage, url);
        AnswerJson::cached(echo(url, agent, words), &verdict, cache).append_to(answers);
        verdict.safe_decision()
    }
}
