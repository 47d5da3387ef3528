//! The tester: a page to paste a robots.txt into, and the answer to what is asked of it.
//!
//! The page is part of the program and asks nobody else; its script sets text of strangers as text, never as markup. The
//! answer is that of `explain FILE --json`, with every line of the text and what became of it.

use crate::about::{refused, too_much};
use crate::error::Refusal;
use crate::limits::{EXPLAINED_URL, GROUPS, PATTERNS, TEST};
use crate::parameters::asker;
use crate::routes::{Shared, body_of, json};
use axum::body::Body;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use robomaton_compiler::{LimitName, Limits, Options};
use robomaton_explain::{Beside, Lines, OfText, Story, names};
use robomaton_runtime::Profile;
use serde::{Deserialize, Serialize};

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
    #[serde(default)]
    profile: Option<String>,
}

fn anybody() -> String {
    "*".to_owned()
}

fn crawl() -> String {
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
    let body = body_of(body, TEST).await?;
    let shared = app.clone();
    app.apart(move || {
        let test: Test = serde_json::from_slice(&body).map_err(|error| Refusal::bad(error.to_string()))?;
        let profile = match &test.profile {
            Some(name) => {
                name.parse::<Profile>().map_err(|_| Refusal::bad(format!("no profile {name:?}")))?
            }
            None => Profile::default(),
        };
        if test.url.trim_ascii().is_empty() {
            return Err(Refusal::bad("the url is empty; `/` is the root"));
        }
        if test.url.len() > EXPLAINED_URL {
            return Err(Refusal::too_long("the url", EXPLAINED_URL, "octets"));
        }
        let limits = Limits { groups: GROUPS, patterns: PATTERNS, ..Limits::default() };
        let purpose = test.purpose.as_deref().filter(|purpose| !purpose.is_empty());
        let question = OfText {
            text: test.text.as_bytes(),
            beside: &Beside::default(),
            options: &Options { profile, limits, ..Options::default() },
            asker: &asker(names(&test.agent).into_iter(), &test.usage, purpose, profile)?,
            terms: &shared.current.get().terms,
            url: &test.url,
        };
        let (story, lines) = question.explain_lines().map_err(|error| refused(&error))?;
        match story.limit() {
            // The compiler takes more of these, so that the answer would be wrong.
            Some(over) if matches!(over.limit, LimitName::Groups | LimitName::Patterns) => {
                Err(too_much(format!("{over}")))
            }
            _ => Ok(json(&Tried { story, lines })),
        }
    })
    .await
}

fn file(kind: &'static str, content: &'static str) -> Response {
    ([(header::CONTENT_TYPE, kind)], content).into_response()
}

/// `GET /`.
pub(crate) async fn page() -> Response {
    file("text/html; charset=utf-8", include_str!("../page/index.html"))
}

/// `GET /style.css`.
pub(crate) async fn style() -> Response {
    file("text/css; charset=utf-8", include_str!("../page/style.css"))
}

/// `GET /tester.js`.
pub(crate) async fn script() -> Response {
    file("text/javascript; charset=utf-8", include_str!("../page/tester.js"))
}

/// `GET /icon.svg`.
pub(crate) async fn icon() -> Response {
    file("image/svg+xml", include_str!("../page/icon.svg"))
}
