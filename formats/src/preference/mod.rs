//! Preferences: the statements of the modern languages about the use of a resource, as an image
//! keeps them (SPEC.md sections 5 and 7).
//!
//! ```text
//!   compiler: language ──▶ Source ──▶ sets of programs (kinds) ──▶ lists of the image
//!                            └──▶ cold records ──▶ weigh ──▶ account, trace
//! ```
//!
//! A [`Source`] holds the statements of one way of choosing groups: the groups of robots.txt, those
//! of ai.txt, or the statements for everyone. Within a source, the statements of one *set* compete:
//! those of the highest rank that match a target are in force. What is in force for all sets is
//! united: one refusal suffices ([`Effects`]). Invariants: the programs of a list answer as
//! [`weigh`] does on the cold records; numbers of languages, carriers and effects are bytes of the
//! format. This module does not know how a language is written.

mod effects;
mod ends;
mod kind;
mod weigh;

pub use effects::Effects;
pub use ends::{LAST_END, end_of_priority, end_priority, until};
pub use kind::{Kind, Tag};
pub use weigh::{Finding, Loss, Question, conditions, weigh};

use crate::bytes::Bytes;
use crate::text;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A language of preferences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Language {
    /// `Content-Usage` (IETF AIPREF).
    Aipref = 0,
    /// `Content-Signal`.
    ContentSignals = 1,
    /// `DisallowAITraining` and `AllowAITraining`.
    AiTraining = 2,
    /// Groups of robots.txt for a control token, such as `Google-Extended`.
    ControlToken = 3,
    /// Really Simple Licensing 1.0.
    Rsl = 4,
    /// The TDM Reservation Protocol.
    TdmRep = 5,
    /// `/ai.txt`.
    AiTxt = 6,
    /// Robots META tags and `X-Robots-Tag`.
    RobotsTag = 7,
    /// robots.txt itself, of which a part was not read: any use may be refused there.
    Rep = 8,
}

impl Language {
    /// Every language in number order.
    pub const ALL: [Language; 9] = [
        Language::Aipref,
        Language::ContentSignals,
        Language::AiTraining,
        Language::ControlToken,
        Language::Rsl,
        Language::TdmRep,
        Language::AiTxt,
        Language::RobotsTag,
        Language::Rep,
    ];

    /// The name in JSON and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Language::Aipref => "aipref",
            Language::ContentSignals => "content-signals",
            Language::AiTraining => "ai-training",
            Language::ControlToken => "control-token",
            Language::Rsl => "rsl",
            Language::TdmRep => "tdmrep",
            Language::AiTxt => "ai-txt",
            Language::RobotsTag => "robots-meta",
            Language::Rep => "rep",
        }
    }

    /// The name for people.
    pub const fn title(self) -> &'static str {
        match self {
            Language::Aipref => "AIPREF",
            Language::ContentSignals => "Content Signals",
            Language::AiTraining => "DisallowAITraining",
            Language::ControlToken => "control token",
            Language::Rsl => "RSL",
            Language::TdmRep => "TDMRep",
            Language::AiTxt => "ai.txt",
            Language::RobotsTag => "META and X-Robots-Tag",
            Language::Rep => "Robots Exclusion Protocol",
        }
    }

    /// True if a permission wins among statements of one rank, as RFC 9309 decides. In the other
    /// languages a refusal does.
    pub const fn ties_permit(self) -> bool {
        matches!(self, Language::ControlToken | Language::AiTxt)
    }
}

/// The place of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Carrier {
    /// A line of robots.txt.
    Robots = 0,
    /// A header field of a response.
    Header = 1,
    /// A page: a META tag, a link, or the page itself.
    Page = 2,
    /// `/.well-known/tdmrep.json`.
    TdmRep = 3,
    /// An RSL document.
    Rsl = 4,
    /// `/ai.txt`.
    AiTxt = 5,
    /// An element of a page. It counts for the whole page, unless the crawler works on elements.
    Element = 6,
}

impl Carrier {
    /// The name in JSON and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Carrier::Robots => "robots",
            Carrier::Header => "header",
            Carrier::Page | Carrier::Element => "page",
            Carrier::TdmRep => "tdmrep",
            Carrier::Rsl => "rsl",
            Carrier::AiTxt => "ai-txt",
        }
    }
}

/// The effect of a statement on one usage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Effect {
    /// The use is refused.
    Refused = 0,
    /// The statement could not be read, or its document is missing: it may refuse.
    Unread = 1,
    /// The use is permitted under conditions.
    Conditional = 2,
    /// The use is permitted.
    Permitted = 3,
    /// The statement says nothing about the use. It still wins against statements of lower rank.
    Unstated = 4,
    /// An RSL content whose licences name other usages only: it refuses, if a content of lower rank
    /// speaks of the usage.
    Closed = 5,
    /// A statement of a page: statements of the same language in other sources do not count.
    Supersedes = 6,
    /// Nothing, but what its document says may go out of date ([`crate::detail::Detail::ends`]).
    Dated = 7,
}

impl Effect {
    /// The name in JSON and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Effect::Refused | Effect::Closed => "disallowed",
            Effect::Unread => "unread",
            Effect::Conditional => "conditional",
            Effect::Permitted => "allowed",
            Effect::Unstated | Effect::Supersedes | Effect::Dated => "unstated",
        }
    }
}

/// The statements that share one way of choosing groups.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source<'d> {
    /// True: the groups for everyone and the groups of each of the crawler's names count together.
    /// False: the groups of the first name that any group has, else the default groups (R5 to R8).
    pub additive: bool,
    /// The groups in file order, also those without a statement.
    #[serde(borrow)]
    pub groups: Vec<Group<'d>>,
}

/// Statements for some crawlers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group<'d> {
    /// The crawlers that the group names, in the form that is compared (lower case, reduced). Of a
    /// fallback: the names that only ACAP records have. A crawler of that name is chosen by it, and
    /// has the default groups.
    #[serde(deserialize_with = "text::read_all")]
    pub crawlers: Vec<String>,
    /// The group applies (also) to all crawlers that no group names; in an additive source, to all.
    pub default: bool,
    /// The group stands before all others. Its statements apply to every crawler whose groups have
    /// no statement in the same language.
    pub fallback: bool,
    /// The records that make the statements, in file order.
    #[serde(borrow)]
    pub records: Vec<Record<'d>>,
    /// The statements, in the order of their records.
    pub statements: Vec<Statement>,
}

/// One line, header field, tag or rule of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record<'d> {
    /// The language.
    pub language: Language,
    /// The place.
    pub carrier: Carrier,
    /// The line, or the number of the rule in its document, from 1; 0 if it has none.
    pub line: u32,
    /// The document: an index into [`crate::detail::Detail::files`] plus one; 0 for robots.txt.
    pub file: u16,
    /// The canonical pattern of the targets that it covers.
    #[serde(borrow)]
    pub pattern: Bytes<'d>,
    /// The record as written.
    #[serde(deserialize_with = "text::read")]
    pub text: Cow<'d, str>,
}

/// The statement of a record about one usage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    /// The record: an index into [`Group::records`].
    pub record: u32,
    /// The usage: an index into [`crate::usage::USAGES`].
    pub usage: u16,
    /// The statements of one set compete by rank. Sets are numbered over all sources.
    pub set: u16,
    /// The rank among matching statements of the set.
    pub rank: u32,
    /// The effect.
    pub effect: Effect,
    /// The conditions: an index into [`crate::detail::Detail::conditions`] plus one; 0 for none.
    pub conditions: u32,
}

impl Group<'_> {
    /// True if the group names the crawler.
    pub fn names(&self, name: &str) -> bool {
        self.crawlers.iter().any(|own| own == name)
    }

    /// The record of a statement. `None` if the image is damaged.
    pub fn record(&self, statement: &Statement) -> Option<&Record<'_>> {
        self.records.get(statement.record as usize)
    }
}
