//! The explanation of one answer, as printed by `explain`: from the site to the deciding rules, as
//! text and as JSON.
//!
//! [`Explanation::new`] builds it once from the answer of the image, the trace, and the facts about
//! the text. Its parts are the site, the query, the [`Analysis`] of groups and rules, and the
//! verdict. Nothing is decided here.

mod analysis;
mod pair;
mod text;

use crate::evidence::{Evidence, ImageAnswer};
use crate::query::Query;
use crate::reason;
use crate::statements::StatementJson;
use crate::texts::Texts;
use crate::time::rfc3339;
use crate::verdict::VerdictJson;
use analysis::Analysis;
use robomaton_runtime::{Basis, Decision};
use serde::Serialize;

/// An answer and how it came about; the fields are the keys that scripts rely on.
#[derive(Serialize)]
pub struct Explanation {
    #[serde(flatten)]
    site: SitePart,
    #[serde(flatten)]
    query: Query,
    /// True if only groups that name the crawler count.
    named_only: bool,
    #[serde(flatten)]
    analysis: Analysis,
    /// A note about parts that could not be read again.
    note: Option<String>,
    /// Bytes of the text beyond the limit.
    unread: usize,
    #[serde(flatten)]
    verdict: VerdictJson,
    basis: &'static str,
    reason: String,
    /// The verdict to act on.
    #[serde(skip)]
    decision: Decision,
    /// A sentence about the unread part of the text.
    #[serde(skip)]
    unread_note: Option<String>,
    #[serde(skip)]
    unused_files: Vec<String>,
}

/// The URL, and the facts about its site.
#[derive(Serialize)]
struct SitePart {
    url: String,
    /// The document of the site that answers.
    document: String,
    /// Null if only a path is known.
    site: Option<String>,
    /// True if only a path was given, so that the site is the file's own, whichever that is.
    #[serde(skip)]
    is_own: bool,
    outcome: Option<&'static str>,
    status: Option<u16>,
    fetched_at: Option<String>,
    stale: Option<bool>,
    /// The request target that rules are matched against.
    target: Option<String>,
}

/// Facts about a text besides the answer. The default has none.
#[derive(Default)]
pub(crate) struct TextFacts {
    /// The document of the site that answers, if it is not robots.txt.
    pub(crate) document: Option<String>,
    /// True if only a path was given, and no site.
    pub(crate) is_path: bool,
    /// Bytes beyond the limit, and a sentence about them.
    pub(crate) unread: usize,
    pub(crate) unread_note: Option<String>,
    /// Files that were given, but that the text does not refer to.
    pub(crate) unused_files: Vec<String>,
    /// Files that the text refers to, but that are missing.
    pub(crate) missing: Vec<String>,
    /// A note about parts that could not be read again.
    pub(crate) note: Option<String>,
    /// The reason why there are no rules, if more is known than the verdict says.
    pub(crate) reason: Option<String>,
}

impl Explanation {
    /// Explains an answer. There is no evidence if no rules were consulted.
    pub(crate) fn new(
        answer: &ImageAnswer<'_>,
        facts: TextFacts,
        evidence: Option<(&Evidence<'_>, &Texts<'_, '_>)>,
    ) -> Explanation {
        let ImageAnswer { query, verdict, account, .. } = answer;
        let choice = evidence.map(|(evidence, _)| evidence.trace.choice.clone()).or_else(|| verdict.choice());
        let reason = evidence.and_then(|(evidence, _)| reason::of_evidence(evidence, verdict));
        let analysis =
            evidence.map(|(evidence, texts)| Analysis::new(evidence, texts, verdict, facts.missing));
        let robots_may_refuse = verdict.site().is_none_or(|site| site.robots_may_refuse());
        let analysis = analysis.unwrap_or(Analysis { robots_may_refuse, ..Analysis::default() });
        let mut reason =
            reason.or(facts.reason).unwrap_or_else(|| reason::of_verdict(verdict, account, &query.usage));
        if verdict.basis() == Basis::NoRule {
            reason.push_str(&analysis.dropped_clause());
        }
        Explanation {
            site: SitePart::new(answer, facts.document, facts.is_path),
            query: (*query).clone(),
            named_only: query.named_only,
            analysis,
            note: facts.note,
            unread: facts.unread,
            verdict: VerdictJson::with(verdict, account, choice.as_ref(), verdict.requests()),
            basis: verdict.basis().name(),
            reason: reason::of_safe_decision(verdict, reason),
            decision: verdict.safe_decision(),
            unread_note: facts.unread_note,
            unused_files: facts.unused_files,
        }
    }

    /// The statements about the usage that were weighed.
    pub(crate) fn statements(&self) -> &[StatementJson] {
        &self.verdict.statements
    }

    /// The paths of files that were given, but that the text does not refer to.
    pub fn unused_files(&self) -> &[String] {
        &self.unused_files
    }
}

impl SitePart {
    fn new(answer: &ImageAnswer<'_>, document: Option<String>, is_path: bool) -> SitePart {
        let url = answer.url;
        let site = answer.verdict.site();
        SitePart {
            url: url.to_owned(),
            document: document.unwrap_or_else(|| "robots.txt".to_owned()),
            site: site.as_ref().map(|site| site.address()).filter(|_| !is_path),
            is_own: is_path,
            outcome: site.and_then(|site| site.outcome()).map(|outcome| outcome.name()),
            status: site.map(|site| site.status()).filter(|&status| status != 0),
            fetched_at: site.and_then(|site| site.fetched_at()).and_then(rfc3339),
            stale: site.and_then(|site| site.is_stale()),
            target: site.map(|site| String::from_utf8_lossy(&site.target(url)).into_owned()),
        }
    }
}
