//! A row in a table of answers about one site, for all crawlers or for several URLs.
//!
//! It has the keys of the decision from `query --json`, without `statements`: a text may have many
//! of them, and a table has many rows. Nothing is weighed here.

use robomaton_explain::VerdictJson;
use robomaton_runtime::{DetailCache, Verdict};
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
    pub(crate) fn new<'i>(subject: T, verdict: &Verdict<'i>, cache: &mut DetailCache<'i>) -> Row<T> {
        let mut row = VerdictJson::cached(verdict, cache);
        row.statements.clear();
        Row { subject, verdict: row.limited(), basis: verdict.basis().name() }
    }
}
