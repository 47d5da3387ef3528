//! A question answered twice: by the image, and by the trace evaluator, which knows the reasons.
//!
//! Every explanation starts here. Invariant: an [`Evidence`] can be trusted, because the trace has
//! been compared with the image. Nothing is decided here.

use crate::agreement::check_agreement;
use crate::error::Error;
use crate::query::Query;
use robomaton_compiler::Policy;
use robomaton_compiler::trace::{Trace, TraceQuery, trace};
use robomaton_runtime::{Account, Basis, Outcome, Verdict};

/// A query about a URL, and the answer of the image. The account is decoded once, since that takes
/// time linear in the document.
pub(crate) struct ImageAnswer<'a> {
    pub(crate) query: &'a Query,
    pub(crate) url: &'a str,
    pub(crate) verdict: Verdict<'a>,
    pub(crate) account: Account,
}

/// The same query, traced through the policy of the text.
#[derive(Clone, Copy)]
pub(crate) struct Evidence<'a> {
    pub(crate) policy: &'a Policy<'a>,
    pub(crate) trace: &'a Trace,
    pub(crate) query: &'a TraceQuery<'a>,
}

impl Evidence<'_> {
    /// The outcome of the fetch that overrides matching rules of pages.
    pub(crate) fn overriding_outcome(&self, verdict: &Verdict<'_>) -> Option<Outcome> {
        match verdict.basis() {
            Basis::Outcome(outcome) => self.trace.deciding().next().map(|_| outcome),
            _ => None,
        }
    }
}

impl<'a> ImageAnswer<'a> {
    pub(crate) fn new(query: &'a Query, url: &'a str, verdict: Verdict<'a>) -> ImageAnswer<'a> {
        ImageAnswer { query, url, verdict, account: verdict.account() }
    }

    /// Traces the query through a policy, compares the trace with the image, and passes it to
    /// `read`.
    ///
    /// # Errors
    /// If trace and image differ.
    pub(crate) fn trace<T>(
        &self,
        policy: &Policy<'_>,
        read: impl FnOnce(&Evidence<'_>) -> T,
    ) -> Result<T, Error> {
        let site = self.verdict.site();
        let target = site.map(|site| site.target(self.url)).unwrap_or_default();
        let robots_may_refuse = site.is_none_or(|site| site.robots_may_refuse());
        let agents = self.query.agents();
        let query = self.query.trace_query(&agents, &target, robots_may_refuse);
        let trace = trace(policy, &query);
        check_agreement(policy, &trace, &self.verdict, &self.account)?;
        Ok(read(&Evidence { policy, trace: &trace, query: &query }))
    }
}
