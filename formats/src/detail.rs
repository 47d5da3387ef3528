//! The cold records: what explains a verdict (SPEC.md section 7), in postcard's wire format.
//!
//! Read only when somebody asks which rule decided, for a sitemap or a delay. Decoding allocates; nothing on the
//! path of a verdict touches this file. Patterns are borrowed: from the text when written, from the image when read. Invariant: equal details give equal bytes.

use crate::Pattern;
use crate::octets::Notation;
use crate::profile::AgentRule;
use crate::program::{Tag, permits};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// What an image keeps of one document beside its programs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Detail<'d> {
    /// The groups in file order.
    #[serde(borrow)]
    pub groups: Vec<Group<'d>>,
    /// Records that belong to no group, or to the whole file, in file order.
    pub extensions: Vec<Extension>,
}

/// One group of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group<'d> {
    /// The named crawlers of the group, as they are compared (lower case, reduced).
    pub crawlers: Vec<String>,
    /// Whether the group is (also) that of every other crawler.
    pub default: bool,
    /// The rules in file order.
    #[serde(borrow)]
    pub rules: Vec<Rule<'d>>,
    /// Extension records of the group.
    pub extensions: Vec<Extension>,
}

/// One rule as it stands in the document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule<'d> {
    /// The line, from 1.
    pub line: u32,
    /// The usage it speaks of.
    pub usage: u16,
    /// Its tag: rank and sense.
    pub tag: Tag,
    /// The number of its notation.
    pub notation: u8,
    /// The canonical pattern.
    #[serde(borrow, with = "octets")]
    pub pattern: Cow<'d, [u8]>,
}

impl Rule<'_> {
    /// The pattern, for matching. A notation that no version wrote reads as that of RFC 9309.
    pub fn pattern(&self) -> Pattern<'_> {
        let notation = Notation::from_u8(self.notation).unwrap_or(Notation::Rep);
        Pattern { text: &self.pattern, notation }
    }

    /// Whether the rule permits.
    pub fn permits(&self) -> bool {
        permits(self.tag)
    }
}

/// An extension record: a key that grants and forbids nothing by itself (R18).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extension {
    /// The line, from 1.
    pub line: u32,
    /// The key in its canonical spelling, lower case.
    pub key: String,
    /// The value; octets that are no UTF-8 are replaced.
    pub value: String,
}

/// Where an image comes from. Holds no clock and no paths: equal captures give equal images.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    /// Name and version of the writer.
    pub generator: String,
    /// Captures of robots.txt that were read, superseded ones included.
    pub captures: u64,
    /// Octets of all distinct texts.
    pub text_bytes: u64,
    /// The crawlers the image was narrowed to; empty when it holds all.
    pub crawlers: Vec<String>,
    /// The limits in force, by name.
    pub limits: Vec<(String, u64)>,
}

impl Detail<'_> {
    /// The groups that answer for a crawler known by these reduced names, best first (R5 to R7, K9).
    pub fn groups_of(&self, rule: AgentRule, names: &[String]) -> Vec<usize> {
        let groups = |wanted: &dyn Fn(&Group<'_>) -> bool| {
            let found =
                self.groups.iter().enumerate().filter(|(_, group)| wanted(group)).map(|(number, _)| number);
            found.take(if rule == AgentRule::Substring { 1 } else { usize::MAX }).collect::<Vec<_>>()
        };
        let own = |name: &String| {
            Some(groups(&|group| group.crawlers.iter().any(|value| rule.names(value, name))))
                .filter(|own| !own.is_empty())
        };
        names.iter().find_map(own).unwrap_or_else(|| groups(&|group| group.default))
    }
}

/// Octets as one byte string rather than as a sequence of numbers, borrowed when read.
mod octets {
    use serde::de::{Deserializer, Error, Visitor};
    use serde::ser::Serializer;
    use std::borrow::Cow;
    use std::fmt;

    pub(super) fn serialize<S: Serializer>(octets: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(octets)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Cow<'de, [u8]>, D::Error> {
        struct Octets;
        impl<'de> Visitor<'de> for Octets {
            type Value = Cow<'de, [u8]>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("octets")
            }
            fn visit_borrowed_bytes<E: Error>(self, octets: &'de [u8]) -> Result<Self::Value, E> {
                Ok(Cow::Borrowed(octets))
            }
        }
        deserializer.deserialize_bytes(Octets)
    }
}
