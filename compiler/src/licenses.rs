//! How the contents of an RSL document stand to each usage.
//!
//! `lowering` holds the documents of a text, and `language::rsl` makes statements of them.
//! Invariant: a document is weighed once, when it is read, however many groups and pages name it:
//! thousands of each may, and a document may have tens of thousands of licences. It does not know
//! where a document counts.

use crate::limits::{OverLimit, comparisons};
use robomaton_formats::condition::{Choice, Condition, Payment, Term};
use robomaton_formats::preference::Effect;
use robomaton_formats::usage::{AI_ALL, AI_INDEX, AI_INPUT, AI_TRAIN, ALL, INDEX, SEARCH};
use robomaton_grammar::modern::rsl::{Content, Licence, RslDocument};
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap};

/// The usages that RSL speaks of, each with the classes that cover it, widest first.
pub(crate) const CHAINS: [(u16, &[&str]); 7] = [
    (ALL, &["all"]),
    (SEARCH, &["all", "search"]),
    (INDEX, &["all", "search"]),
    (AI_ALL, &["all", "ai-all"]),
    (AI_TRAIN, &["all", "ai-all", "ai-train"]),
    (AI_INPUT, &["all", "ai-all", "ai-input"]),
    (AI_INDEX, &["all", "ai-all", "ai-index"]),
];

/// Bytes of the URL of a licence server. A content with a longer one is unread: each of its
/// licences names the server.
const SERVER: usize = 512;

/// Bytes of terms for which joining them with others counts as one more comparison: each
/// combination of contents is kept whole.
const BYTES_OF_TERMS: usize = 8;

/// A document that was weighed.
pub(crate) struct Weighed {
    pub(crate) contents: Vec<WeighedContent>,
    /// The comparisons of a page with all contents.
    pub(crate) comparisons: usize,
    /// The time, in Unix seconds, from which it is out of date; 0 for never.
    pub(crate) end: u64,
    /// The numbers of the conditions of several contents together, by their places and that of the
    /// usage in [`CHAINS`].
    joined: RefCell<HashMap<(usize, Vec<usize>), u32>>,
}

/// A content, and how it stands to the usages of [`CHAINS`], in their order.
pub(crate) struct WeighedContent {
    pub(crate) content: Content,
    pub(crate) stands: [Stand; CHAINS.len()],
    /// Its pattern on the site of the text (`language::rsl`), once it was asked for.
    pub(crate) pattern: OnceCell<Option<(Vec<u8>, Covers)>>,
    /// The numbers of the conditions of each, as far as they were asked for.
    numbers: [Cell<Option<u32>>; CHAINS.len()],
    /// The costs of joining the conditions of each, as far as they were asked for.
    costs: [OnceCell<usize>; CHAINS.len()],
}

/// How much of a resource a content is about, if its pattern matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Covers {
    /// The resource.
    Whole,
    /// A part of it.
    Part,
    /// Nobody knows.
    Unknown,
}

impl Covers {
    /// True if what the content says by this stand holds for the resource: the refusal of a part
    /// does, as in documents of parts of pages. Otherwise the usage is unread.
    pub(crate) fn counts(self, stand: Stand) -> bool {
        match self {
            Covers::Whole => true,
            Covers::Part => stand.effect() == Effect::Refused,
            Covers::Unknown => false,
        }
    }
}

impl Weighed {
    pub(crate) fn new(document: RslDocument, end: u64) -> Weighed {
        let comparisons = document.contents.iter().map(|content| comparisons(content.url.len())).sum();
        let weighed = |content: Content| WeighedContent {
            stands: CHAINS.map(|(_, chain)| stand(&content, chain)),
            pattern: OnceCell::new(),
            numbers: Default::default(),
            costs: Default::default(),
            content,
        };
        let contents = document.contents.into_iter().map(weighed).collect();
        Weighed { contents, comparisons, end, joined: RefCell::default() }
    }

    /// The number in the policy of the terms under which these contents, which rank alike, grant
    /// the usage at this place of [`CHAINS`]: as alternatives. `add` gives it to the conditions
    /// once, or not, if joining them counts as too many comparisons: each page may have a
    /// combination of its own.
    pub(crate) fn number(
        &self,
        at: usize,
        places: Vec<usize>,
        add: impl FnOnce(usize, &dyn Fn() -> Vec<Condition>) -> Result<Option<u32>, OverLimit>,
    ) -> Result<Option<u32>, OverLimit> {
        let key = (at, places);
        if let Some(&number) = self.joined.borrow().get(&key) {
            return Ok(Some(number));
        }
        let contents = || key.1.iter().map(|&place| &self.contents[place]);
        let cost = contents().map(|content| content.cost(at)).sum();
        let number = add(cost, &|| joined(contents().flat_map(|content| content.conditions(at))))?;
        self.joined.borrow_mut().extend(number.map(|number| (key, number)));
        Ok(number)
    }
}

impl WeighedContent {
    /// The terms under which it grants the usage at this place of [`CHAINS`].
    pub(crate) fn conditions(&self, at: usize) -> Vec<Condition> {
        if self.stands[at].effect() != Effect::Conditional {
            return Vec::new();
        }
        let granting = grants(&self.content, CHAINS[at].1, self.stands[at]);
        // Many licences may have the same terms, and all of them have the server's.
        let distinct: BTreeSet<Vec<Term>> = granting.map(terms).collect();
        let server = self.content.server.clone().map(Term::Server);
        let with_server = |mut terms: Vec<Term>| {
            // Behind the payment.
            let at = terms.iter().take_while(|term| matches!(term, Term::Payment(_))).count();
            terms.splice(at..at, server.clone());
            terms
        };
        alternatives(distinct.into_iter().map(with_server).collect())
    }

    /// The cost of joining its conditions with those of other contents, in comparisons.
    fn cost(&self, at: usize) -> usize {
        *self.costs[at].get_or_init(|| {
            let bytes: usize = self.conditions(at).iter().map(|condition| condition.to_string().len()).sum();
            self.content.licences.len() + bytes / BYTES_OF_TERMS
        })
    }

    /// Their number in the policy, which `add` gives them once.
    pub(crate) fn number(
        &self,
        at: usize,
        add: impl FnOnce(Vec<Condition>) -> Result<u32, OverLimit>,
    ) -> Result<u32, OverLimit> {
        if let Some(number) = self.numbers[at].get() {
            return Ok(number);
        }
        let number = add(self.conditions(at))?;
        self.numbers[at].set(Some(number));
        Ok(number)
    }
}

/// How a content stands to a usage.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stand {
    /// A licence permits or prohibits it by a class of this depth, 0 for the widest.
    Explicit(u32, Effect),
    /// A licence lists no permitted usages.
    Open(Effect),
    /// All licences list other usages.
    Closed,
    /// A list of permissions could not be read.
    Unread,
}

impl Stand {
    /// The rank among contents that match a target, with patterns of this length.
    pub(crate) fn rank(self, length: u32) -> u32 {
        let strength = |effect| match effect {
            Effect::Refused => 2,
            Effect::Permitted => 1,
            _ => 0,
        };
        let (tier, depth, strength) = match self {
            Stand::Explicit(depth, effect) => (1, depth, strength(effect)),
            Stand::Open(effect) => (0, 0, 1 + strength(effect)),
            Stand::Closed | Stand::Unread => (0, 0, 0),
        };
        ((tier << 17 | length) << 4 | depth << 2 | strength) + 1
    }

    pub(crate) fn effect(self) -> Effect {
        match self {
            Stand::Explicit(_, effect) | Stand::Open(effect) => effect,
            Stand::Closed => Effect::Refused,
            Stand::Unread => Effect::Unread,
        }
    }
}

/// The depth of the narrowest class of a chain among these tokens.
fn depth(chain: &[&str], tokens: &Option<Vec<String>>) -> Option<u32> {
    let is_listed = |class: &&str| tokens.iter().flatten().any(|token| token == class);
    chain.iter().rposition(is_listed).map(|depth| depth as u32)
}

fn stand(content: &Content, chain: &[&str]) -> Stand {
    let licences = || content.licences.iter();
    let prohibited = licences().filter_map(|licence| depth(chain, &licence.prohibits.usage)).max();
    let permitted = licences().filter_map(|licence| depth(chain, &licence.permits.usage)).max();
    // What alternative licences grant together: freely, if one of them has no terms.
    let is_free = |licence| content.server.is_none() && terms(licence).is_empty();
    let granted = |stand| match grants(content, chain, stand).any(is_free) {
        true => Effect::Permitted,
        false => Effect::Conditional,
    };
    let is_unreadable = content.server.as_ref().is_some_and(|server| server.len() > SERVER);
    match (prohibited, permitted) {
        (Some(depth), permitted) if permitted.is_none_or(|permitted| permitted <= depth) => {
            Stand::Explicit(depth, Effect::Refused)
        }
        _ if is_unreadable || licences().any(|licence| licence.has_unreadable_terms) => Stand::Unread,
        (_, Some(depth)) => Stand::Explicit(depth, granted(Stand::Explicit(depth, Effect::Conditional))),
        (_, None) if licences().all(|licence| licence.permits.usage.is_some()) => Stand::Closed,
        (_, None) => Stand::Open(granted(Stand::Open(Effect::Conditional))),
    }
}

/// The licences that grant a usage to which a content stands so.
fn grants<'c>(content: &'c Content, chain: &'c [&str], stand: Stand) -> impl Iterator<Item = &'c Licence> {
    content.licences.iter().filter(move |licence| match stand {
        Stand::Explicit(own, _) => depth(chain, &licence.permits.usage) == Some(own),
        _ => licence.permits.usage.is_none(),
    })
}

/// The terms of a licence beside usage, without the server that its content names.
fn terms(licence: &Licence) -> Vec<Term> {
    let mut terms = Vec::new();
    if let Some(payment) = &licence.payment {
        let amount = payment.amount.as_ref().map(|amount| format!("{} {}", amount.value, amount.currency));
        // An amount contradicts a type that says it is free, and costs.
        let is_free = amount.is_none()
            && match payment.kind.as_deref() {
                Some(kind) => kind == "free",
                None => payment.standard.is_empty() && payment.custom.is_empty(),
            };
        if !is_free {
            terms.push(Term::Payment(Payment {
                kind: payment.kind.clone().unwrap_or_else(|| "unstated".to_owned()),
                amount: amount.unwrap_or_default(),
                standard: payment.standard.clone(),
                custom: payment.custom.clone(),
            }));
        }
    }
    let choice = |only: &Option<Vec<String>>, not: &Option<Vec<String>>| {
        let choice = Choice { only: only.clone().unwrap_or_default(), not: not.clone().unwrap_or_default() };
        Some(choice).filter(|choice| !choice.only.is_empty() || !choice.not.is_empty())
    };
    terms.extend(choice(&licence.permits.user, &licence.prohibits.user).map(Term::User));
    terms.extend(choice(&licence.permits.geo, &licence.prohibits.geo).map(Term::Geo));
    terms.extend(licence.reporting.iter().map(|reporting| Term::Reporting {
        kind: reporting.kind.clone(),
        profile: reporting.profile.clone().unwrap_or_default(),
    }));
    terms
}

/// The terms of several contents that grant with equal rank, as alternatives.
fn joined(conditions: impl Iterator<Item = Condition>) -> Vec<Condition> {
    let terms = conditions.filter_map(|condition| match condition {
        Condition::License(terms) => Some(terms),
        _ => None,
    });
    alternatives(terms.flatten().collect())
}

/// These terms as alternatives; nothing if there are none.
fn alternatives(mut terms: Vec<Vec<Term>>) -> Vec<Condition> {
    terms.sort_unstable();
    terms.dedup();
    if terms.is_empty() { Vec::new() } else { vec![Condition::License(terms)] }
}
