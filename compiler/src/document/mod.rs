//! One compiled text: programs, sets, details. For an image, only numbers must be assigned.
//!
//! [`crate::compile()`] makes documents, `stored` saves and loads them, `extract` recovers them
//! from an image, and `emit` joins them. A document does not know its site, and the same text from
//! many sites is one document, unless it refers to its own host ([`Document::depends_on_origin`]).

mod extract;
mod stored;

pub(crate) use extract::Extractor;
pub(crate) use stored::decode_names;

use crate::Options;
use crate::limits::OverLimit;
use crate::policy::Policy;
use crate::programs::{PreferenceSets, ProgramSets, Set};
use robomaton_formats::layout::MAX_TEXT;
use robomaton_formats::{Outcome, Profile, detail, write};
use robomaton_grammar::Tree;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A compiled text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// The dialect in which the text was read.
    pub profile: Profile,
    /// `Rules`, `Empty` or `OverLimit`.
    pub outcome: Outcome,
    /// The exceeded limit, for `OverLimit`.
    pub over_limit: Option<OverLimit>,
    /// The text must be compiled again for each site from which it was fetched.
    pub depends_on_origin: bool,
    /// Named crawlers, each with an index into `sets`. Ascending by name, or in file order if the
    /// profile uses the first matching record.
    #[serde(skip)]
    pub crawlers: Vec<(String, usize)>,
    /// The set for all other crawlers.
    pub default: Option<usize>,
    /// Distinct sets.
    pub sets: Vec<Set>,
    /// The scope of scoped sets, encoded.
    #[serde(with = "stored::bytes")]
    pub scope: Vec<u8>,
    /// Names of usages without a standard number.
    #[serde(skip)]
    pub usages: Vec<String>,
    /// Patterns of purposes.
    pub purposes: Vec<Vec<u8>>,
    /// The policies of its preferences, in the order in which they are asked.
    pub preferences: Vec<PreferenceSets>,
    /// Paths of files of the same site that the text refers to, whether they exist or not.
    pub references: Vec<String>,
    /// The bytes of all programs, one after the other.
    #[serde(with = "stored::bytes")]
    pub code: Vec<u8>,
    /// Distinct programs, as ranges of `code`.
    pub programs: Vec<Range<usize>>,
    /// The details, encoded.
    #[serde(with = "stored::bytes")]
    pub detail: Vec<u8>,
    /// The encoded text; empty if images are to hold no texts.
    #[serde(with = "stored::bytes")]
    pub source: Vec<u8>,
    /// Length of the text in bytes.
    pub text_length: usize,
    /// A part of the text was left unread, since it exceeds the limit on bytes (R4).
    pub cut: bool,
    /// The length of that part in bytes.
    pub unread: usize,
    /// The number of rules in all groups.
    pub rules: usize,
}

/// The data that a document keeps about the text itself.
#[derive(Debug, Default)]
pub(crate) struct Text {
    source: Vec<u8>,
    length: usize,
    cut: bool,
    unread: usize,
}

impl Text {
    /// The text of a tree, with its read and unread parts.
    pub(crate) fn new(tree: &Tree<'_>, options: &Options) -> Text {
        let text = tree.source;
        let keep = !options.no_sources && text.len() as u64 <= MAX_TEXT;
        let cut = !tree.unread.is_empty();
        Text {
            source: if keep { write::encode_source(text) } else { Vec::new() },
            length: text.len(),
            cut,
            // Not the length of the span, which cannot express more than 4 GiB.
            unread: if cut { text.len() - tree.unread.start as usize } else { 0 },
        }
    }
}

/// The compiled meaning of a policy: a document without its text.
#[derive(Debug)]
pub(crate) struct Contents {
    outcome: Outcome,
    depends_on_origin: bool,
    references: Vec<String>,
    rules: usize,
    usages: Vec<String>,
    programs: ProgramSets,
    detail: Vec<u8>,
}

impl Contents {
    /// Combines a policy with its programs and encoded details.
    pub(crate) fn new(policy: &Policy<'_>, mut programs: ProgramSets, detail: Vec<u8>) -> Contents {
        let usages = programs.used(&policy.usages);
        Contents {
            outcome: if policy.has_records { Outcome::Rules } else { Outcome::Empty },
            depends_on_origin: policy.depends_on_origin,
            references: policy.references.clone(),
            rules: policy.rules.len(),
            usages,
            programs,
            detail,
        }
    }
}

impl Document {
    /// Combines a text with its compiled meaning. If the text exceeds a limit, only that fact is
    /// kept (R4).
    pub(crate) fn new(profile: Profile, text: Text, contents: Result<Contents, OverLimit>) -> Document {
        let Text { source, length, cut, unread } = text;
        let document = Document { profile, source, text_length: length, cut, unread, ..Document::default() };
        match contents {
            Ok(Contents { outcome, depends_on_origin, references, rules, usages, programs, detail }) => {
                let ProgramSets {
                    code, programs, sets, crawlers, default, scope, purposes, preferences, ..
                } = programs;
                Document {
                    outcome,
                    depends_on_origin,
                    crawlers,
                    default,
                    sets,
                    scope,
                    usages,
                    purposes,
                    preferences,
                    references,
                    code,
                    programs,
                    detail,
                    rules,
                    ..document
                }
            }
            Err(over) => Document {
                outcome: Outcome::OverLimit,
                over_limit: Some(over),
                detail: write::encode_detail(&detail::Detail::default()),
                ..document
            },
        }
    }

    /// True if another text that refers to this one may take rules from it (V16, decision 35).
    pub fn can_be_referred_to(&self) -> bool {
        matches!(self.outcome, Outcome::Rules | Outcome::OverLimit)
    }

    /// True if fields of it are weighed by specificity.
    pub fn is_scoped(&self) -> bool {
        self.over_limit.is_some() || self.sets.iter().any(|set| matches!(set, Set::Scoped(_)))
    }
}
