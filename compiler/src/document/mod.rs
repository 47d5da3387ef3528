//! One text, compiled: programs, sets, details. What is left to do for an image is to number
//! things.
//!
//! Made whole by [`crate::compile()`], put aside and taken up again by `stored`, taken out of an
//! image by `extract`, and joined with others by `emit`. A document does not know its site, and the
//! same text from many sites is one document, unless it says something about its own host
//! ([`Document::depends_on_origin`]).

mod extract;
mod stored;

pub(crate) use extract::Extractor;
pub(crate) use stored::decode_names;

use crate::Options;
use crate::limits::OverLimit;
use crate::policy::Policy;
use crate::programs::{ProgramSets, Set};
use robomaton_formats::layout::MAX_TEXT;
use robomaton_formats::{Outcome, Profile, detail, write};
use robomaton_grammar::Tree;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A compiled text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// The dialect that the text was read in.
    pub profile: Profile,
    /// `Rules`, `Empty` or `OverLimit`.
    pub outcome: Outcome,
    /// What was exceeded, for `OverLimit`.
    pub over_limit: Option<OverLimit>,
    /// Whether the text must be compiled again for each site it was fetched from.
    pub depends_on_origin: bool,
    /// Named crawlers, each with an index into `sets`; ascending by name, or in file order where a
    /// profile takes the first record that fits.
    #[serde(skip)]
    pub crawlers: Vec<(String, usize)>,
    /// The set of all other crawlers.
    pub default: Option<usize>,
    /// Distinct sets.
    pub sets: Vec<Set>,
    /// The scope of scoped sets, encoded.
    #[serde(with = "stored::bytes")]
    pub scope: Vec<u8>,
    /// Names of usages that have no number of their own.
    #[serde(skip)]
    pub usages: Vec<String>,
    /// Patterns of purposes.
    pub purposes: Vec<Vec<u8>>,
    /// Paths of files of the same site that the text refers to, there or not.
    pub references: Vec<String>,
    /// Bytes of all programs, end to end.
    #[serde(with = "stored::bytes")]
    pub code: Vec<u8>,
    /// Distinct programs, as ranges of `code`.
    pub programs: Vec<Range<usize>>,
    /// The details, encoded.
    #[serde(with = "stored::bytes")]
    pub detail: Vec<u8>,
    /// The text, encoded; empty when images are to hold none.
    #[serde(with = "stored::bytes")]
    pub source: Vec<u8>,
    /// Length of the text in bytes.
    pub text_length: usize,
    /// Whether a part of it was left unread, being over the limit of bytes (R4).
    pub cut: bool,
    /// How many bytes that part has.
    pub unread: usize,
    /// How many rules, of all groups.
    pub rules: usize,
}

/// What a document keeps of a text as it stands.
#[derive(Debug, Default)]
pub(crate) struct Text {
    source: Vec<u8>,
    length: usize,
    cut: bool,
    unread: usize,
}

impl Text {
    /// The text of a tree, with the part that was read and the part that was not.
    pub(crate) fn new(tree: &Tree<'_>, options: &Options) -> Text {
        let text = tree.source;
        let keep = !options.no_sources && text.len() as u64 <= MAX_TEXT;
        let cut = !tree.unread.is_empty();
        Text {
            source: if keep { write::encode_source(text) } else { Vec::new() },
            length: text.len(),
            cut,
            // Not the length of the span: the rest of more than 4 GiB is longer than one can say.
            unread: if cut { text.len() - tree.unread.start as usize } else { 0 },
        }
    }
}

/// What a policy means: all of a document but its text.
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
    /// Of a policy with its programs and details.
    pub(crate) fn new(policy: &Policy<'_>, programs: ProgramSets, detail: &detail::Detail<'_>) -> Contents {
        Contents {
            outcome: if policy.has_records { Outcome::Rules } else { Outcome::Empty },
            depends_on_origin: policy.depends_on_origin,
            references: policy.references.clone(),
            rules: policy.rules.len(),
            usages: policy.usages.clone(),
            programs,
            detail: write::encode_detail(detail),
        }
    }
}

impl Document {
    /// A text and what it means. Of one that exceeds a limit nothing is left but that it does (R4).
    pub(crate) fn new(profile: Profile, text: Text, contents: Result<Contents, OverLimit>) -> Document {
        let Text { source, length, cut, unread } = text;
        let document = Document { profile, source, text_length: length, cut, unread, ..Document::default() };
        match contents {
            Ok(Contents { outcome, depends_on_origin, references, rules, usages, programs, detail }) => {
                let ProgramSets { code, programs, sets, crawlers, default, scope, purposes, .. } = programs;
                Document {
                    outcome,
                    depends_on_origin,
                    crawlers,
                    default,
                    sets,
                    scope,
                    usages,
                    purposes,
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

    /// Whether another text that refers to this one would take something from it (V16).
    pub fn can_be_referred_to(&self) -> bool {
        self.over_limit.is_some() || self.sets.iter().any(|set| matches!(set, Set::Scoped(_)))
    }
}
