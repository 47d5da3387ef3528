//! Questions: one in the query string, or many in a body, answered like `query --json`.

use crate::app::{App, Shared};
use crate::current::Served;
use crate::error::Refusal;
use crate::limits::{AGENTS, BATCH, QUESTIONS, URL};
use crate::metrics::Metrics;
use crate::parameters::{Parameters, check_query};
use crate::reply::{json, read_body};
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use robomaton_explain::{
    AnswerJson, CrawlerCache, InputQuestion, Names, QuestionJson, check_usage, decide, for_purpose, names,
};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::sync::Arc;

/// The parameters of a question.
const PARAMETERS: &[&str] = &["url", "agent", "usage", "purpose", "document", "named_only"];

/// `GET /v1/decide`.
pub(crate) async fn one(State(app): Shared, RawQuery(query): RawQuery) -> Result<Response, Refusal> {
    let parameters = Parameters::read(query.as_deref(), PARAMETERS, URL)?;
    let served = app.current.get();
    let image = &served.image;
    let query = parameters.query(image.profile())?;
    check_usage(image, &query.usage).map_err(|unknown| Refusal::bad(unknown.to_string()))?;
    let (crawler, usage) = query.resolve(image);
    let verdict = decide(image, parameters.other_document(), &crawler, usage, &parameters.url);
    let agent = query.agents.join(",");
    let (usage, purpose) = (query.usage.as_str(), query.purpose.as_deref());
    let question = QuestionJson { url: &parameters.url, agent: &agent, usage, purpose };
    app.metrics.decided(verdict.safe_decision().name());
    Ok(json(&AnswerJson::new(question, &verdict)))
}

/// `POST /v1/decide`.
pub(crate) async fn batch(State(app): Shared, body: Body) -> Result<Response, Refusal> {
    let body = read_body(body, BATCH).await?;
    let shared: Arc<App> = app.clone();
    let answer = move || {
        let served = shared.current.get();
        let body = std::str::from_utf8(&body).map_err(|_| Refusal::bad("the body is not UTF-8"))?;
        let is_array = body.trim_ascii_start().starts_with('[');
        let questions = if is_array { of_array(body)? } else { of_lines(body)? };
        let mut batch =
            Batch { served: &served, crawlers: CrawlerCache::default(), metrics: &shared.metrics };
        batch.answer(&questions, is_array).map(|answers| (answers, is_array))
    };
    let (answers, is_array) = app.apart(answer).await?;
    let kind = if is_array { "application/json" } else { "application/x-ndjson" };
    Ok(([(header::CONTENT_TYPE, kind)], answers).into_response())
}

/// The elements of an array, not parsed yet.
fn of_array(body: &str) -> Result<Vec<&str>, Refusal> {
    let elements: Vec<&RawValue> = serde_json::from_str(body)
        .map_err(|error| Refusal::bad(format!("the body is no JSON array: {error}")))?;
    limited(elements.into_iter().map(RawValue::get))
}

/// The non-empty lines.
fn of_lines(body: &str) -> Result<Vec<&str>, Refusal> {
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
    crawlers: CrawlerCache,
    metrics: &'a Metrics,
}

impl Batch<'_> {
    /// All answers, or the refusal of the first invalid question.
    fn answer(&mut self, questions: &[&str], is_array: bool) -> Result<Vec<u8>, Refusal> {
        let questions = questions.iter().enumerate();
        let questions =
            questions.map(|(at, question)| self.read(question).map_err(|refusal| refusal.at(at + 1)));
        // Nothing is answered or counted unless all questions are valid.
        let questions = questions.collect::<Result<Vec<_>, Refusal>>()?;
        let (open, between, close) = if is_array { ("[", ",\n", "]\n") } else { ("", "\n", "\n") };
        let mut answers = open.as_bytes().to_vec();
        for (at, question) in questions.iter().enumerate() {
            if at > 0 {
                answers.extend_from_slice(between.as_bytes());
            }
            self.one(question, &mut answers);
        }
        answers.extend_from_slice(close.as_bytes());
        Ok(answers)
    }

    fn read<'q>(&self, json: &'q str) -> Result<InputQuestion<'q>, Refusal> {
        let mut question: InputQuestion<'q> =
            serde_json::from_str(json).map_err(|error| Refusal::bad(error.to_string()))?;
        if question.url.len() > URL {
            return Err(Refusal::too_long("the url", URL, "bytes"));
        }
        // As on a command line, one string may be a list of names.
        if let Some(Names::One(name)) = &question.agent {
            let list = names(name);
            if list.len() > 1 {
                question.agent = Some(Names::Several(list.into_iter().map(str::to_owned).collect()));
            }
        }
        let (usage, purpose) = (question.usage.as_deref().unwrap_or("crawl"), question.purpose.as_deref());
        check_usage(&self.served.image, usage).map_err(|unknown| Refusal::bad(unknown.to_string()))?;
        let profile = self.served.image.profile();
        match &question.agent {
            None => check_query(["*"].into_iter(), usage, purpose, profile)?,
            Some(Names::One(name)) => check_query([&**name].into_iter(), usage, purpose, profile)?,
            Some(Names::Several(names)) => {
                check_query(names.iter().take(AGENTS + 1).map(String::as_str), usage, purpose, profile)?;
            }
        }
        Ok(question)
    }

    fn one(&mut self, question: &InputQuestion<'_>, answers: &mut Vec<u8>) {
        let image = &self.served.image;
        let (usage_name, purpose) =
            (question.usage.as_deref().unwrap_or("crawl"), question.purpose.as_deref());
        let usage = for_purpose(image.usage(usage_name), purpose);
        let anybody = Names::One(Cow::Borrowed("*"));
        let names = question.agent.as_ref().unwrap_or(&anybody);
        let verdict =
            image.decide(self.crawlers.crawler(image, names, question.named_only), usage, &question.url);
        self.metrics.decided(verdict.safe_decision().name());
        let echo = QuestionJson { url: &question.url, agent: &names.joined(), usage: usage_name, purpose };
        // Writing to memory does not fail.
        let _ = serde_json::to_writer(answers, &AnswerJson::new(echo, &verdict));
    }
}
