//! A row of many answers about one site: all crawlers, or several URLs.
//!
//! It has the keys of `query --json` that tell the decision. Nothing is weighed here.

use robomaton_explain::VerdictJson;
use robomaton_runtime::Verdict;
use serde::Serialize;

/// One answer, and the crawler or the URL that it is about.
#[derive(Serialize)]
pub(crate) struct Row<T> {
    #[serde(flatten)]
    subject: T,
    #[serde(flatten)]
    verdict: VerdictJson,
    basis: &'static str,
}

impl<T> Row<T> {
    pub(crate) fn new(subject: T, verdict: &Verdict<'_>) -> Row<T> {
        Row { subject, verdict: VerdictJson::new(verdict), basis: verdict.basis().name() }
    }
}
