//! A row in a table of answers about one site, for all crawlers or for several URLs.
//!
//! It has the keys of the decision from `query --json`, without `statements`: a text may have many
//! of them, and a table has many rows. Nothing is weighed here.

use robomaton_explain::VerdictJson;
use robomaton_runtime::Verdict;
use serde::Serialize;

/// One answer, with its crawler or URL.
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
        let mut row = VerdictJson::new(verdict);
        row.statements.clear();
        Row { subject, verdict: row.limited(), basis: verdict.basis().name() }
    }
}
