//! A row of many answers about one site: all crawlers, or several URLs.
//!
//! It has the keys of `query --json` that say what was decided. It weighs nothing.

use robomaton_explain::Told;
use robomaton_runtime::Verdict;
use serde::Serialize;

/// One answer, under what was asked.
#[derive(Serialize)]
pub(crate) struct Row<T> {
    #[serde(flatten)]
    asked: T,
    #[serde(flatten)]
    told: Told,
    basis: &'static str,
}

impl<T> Row<T> {
    pub(crate) fn new(asked: T, verdict: &Verdict<'_>) -> Row<T> {
        Row { asked, told: Told::new(verdict), basis: verdict.basis().name() }
    }
}
