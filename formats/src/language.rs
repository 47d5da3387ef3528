//! The properties of a rule's language that matter to readers of an image: whose names count, what
//! the rule covers, and how it is spelled.
//!
//! The compiler has a file for each language, which says how it is parsed and weighed. An image
//! keeps only a [`Role`] for each group of rules. Runtime, tables and explanations query that role
//! here. Invariant: the numbers of roles are bytes of the format, in lists as in details. This file
//! does not know how rules are matched or weighed.

use crate::usage::{CRAWL, INDEX, USAGES};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The language of a group of rules, and its place in a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "u32", try_from = "u32")]
#[repr(u8)]
pub enum Role {
    /// Records of user-agent groups. Their rules are ranked: the matching rule with the highest
    /// priority decides.
    Conventional = 0,
    /// Prohibitions for elements of pages, which count as prohibitions for the whole page (M13).
    Element = 1,
    /// ACAP fields in the META tags of a page (M1, M2).
    Page = 2,
    /// ACAP fields of robots.txt, and of files that it refers to.
    Field = 4,
    /// Rules of user-agent groups for a usage on which silence says nothing; ranked like
    /// conventional rules. Only programs in scoped lists have this role: the groups that hold such
    /// rules are [`Role::Conventional`].
    Preference = 5,
}

impl Role {
    /// Every role, in the order of its number.
    pub const ALL: [Role; 5] = [Role::Conventional, Role::Element, Role::Page, Role::Field, Role::Preference];

    /// The role with this number, if there is one. Number 3 was a role before format version 4.
    pub const fn from_u32(number: u32) -> Option<Role> {
        match number {
            0 => Some(Role::Conventional),
            1 => Some(Role::Element),
            2 => Some(Role::Page),
            4 => Some(Role::Field),
            5 => Some(Role::Preference),
            _ => None,
        }
    }

    /// The name in tables and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Role::Conventional => "conventional",
            Role::Field => "acap",
            Role::Page => "page",
            Role::Element => "element",
            Role::Preference => "preference",
        }
    }

    /// The language of its rules, in JSON: `rep` for the Robots Exclusion Protocol.
    pub const fn language(self) -> &'static str {
        match self {
            Role::Conventional | Role::Preference => "rep",
            Role::Element | Role::Page | Role::Field => "acap",
        }
    }

    /// The name in text for people.
    pub const fn title(self) -> &'static str {
        match self {
            Role::Field => "ACAP",
            other => other.name(),
        }
    }

    /// The heading of a group of this role in an explanation. `for_purpose` is true for groups that
    /// are limited to some purposes.
    pub const fn heading(self, for_purpose: bool) -> &'static str {
        match self {
            Role::Conventional | Role::Preference => "conventional",
            Role::Element => "elements",
            Role::Page => "META tags",
            Role::Field if for_purpose => "sub-record",
            Role::Field => "record",
        }
    }

    /// True if the matching rule with the highest priority decides. Rules of other roles are
    /// weighed by specificity (P15).
    pub const fn is_ranked(self) -> bool {
        matches!(self, Role::Conventional | Role::Preference)
    }

    /// True if the rules are in a page, and cover that page only.
    pub const fn is_of_page(self) -> bool {
        matches!(self, Role::Element | Role::Page)
    }

    /// True if the rules are in META tags, which apply under each of a crawler's names.
    pub const fn is_of_meta_tags(self) -> bool {
        matches!(self, Role::Page)
    }

    /// True if names in these groups count as names that the text knows (R5). Names in pages do
    /// not.
    pub const fn names_crawlers(self) -> bool {
        !self.is_of_page()
    }

    /// The position of its groups in a document: user-agent groups, ACAP records, pages.
    pub const fn order(self) -> u8 {
        match self {
            Role::Conventional | Role::Preference => 0,
            Role::Field => 1,
            Role::Element | Role::Page => 2,
        }
    }
}

impl From<Role> for u32 {
    fn from(role: Role) -> u32 {
        role as u32
    }
}

impl TryFrom<u32> for Role {
    type Error = &'static str;

    fn try_from(number: u32) -> Result<Role, &'static str> {
        Role::from_u32(number).ok_or("an unknown role")
    }
}

/// A rule, to be printed in the syntax of its language.
#[derive(Clone, Copy, Debug)]
pub struct Spelling<'r> {
    /// The origin of the rule.
    pub role: Role,
    /// The name of the usage.
    pub usage: &'r str,
    /// The rule permits the usage.
    pub permits: bool,
    /// The canonical pattern.
    pub pattern: &'r [u8],
    /// The rule stands for everything that a rule set of Robot-version 2.0.0 does not list (N10,
    /// N12), so no record spells it out.
    pub is_implied: bool,
    /// The key and value of the record on the rule's line as written, if the image has them.
    pub record: Option<(&'r str, &'r str)>,
}

impl fmt::Display for Spelling<'_> {
    /// `Disallow: /private`, `ACAP-allow-index: /news`, `META noindex`. Records of other languages
    /// are quoted from the text, so no knowledge of the language is necessary.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Spelling { role, usage, permits, .. } = *self;
        let pattern = String::from_utf8_lossy(self.pattern);
        let word = if permits { "allow" } else { "disallow" };
        let is = |number: u16| USAGES.get(usize::from(number)) == Some(&usage);
        match role {
            Role::Conventional if self.is_implied => write!(f, "(nothing else is allowed)"),
            Role::Conventional if is(CRAWL) => write!(f, "{}: {pattern}", title_case(word)),
            Role::Conventional if is(INDEX) && !permits => write!(f, "Noindex: {pattern}"),
            Role::Conventional | Role::Preference => match self.record {
                Some((key, value)) => write!(f, "{}: {value}", title_case(key)),
                None => write!(f, "{word} {usage}: {pattern}"),
            },
            Role::Field => write!(f, "ACAP-{word}-{usage}: {pattern}"),
            Role::Page => write!(f, "META ACAP {word}-{usage}"),
            Role::Element => write!(f, "element, {usage}"),
        }
    }
}

/// `Content-Usage` for `content-usage`.
fn title_case(key: &str) -> String {
    let mut starts_word = true;
    let letter = |letter: char| {
        let starts = std::mem::replace(&mut starts_word, letter == '-');
        if starts { letter.to_ascii_uppercase() } else { letter.to_ascii_lowercase() }
    };
    key.chars().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_have_their_numbers() {
        let numbers = Role::ALL.map(|role| role as u8);
        assert_eq!(numbers, [0, 1, 2, 4, 5]);
        for number in 0..=u8::MAX {
            let role = Role::from_u32(number.into());
            assert_eq!(role.map(|role| role as u8), numbers.contains(&number).then_some(number));
            assert_eq!(postcard::from_bytes(&[number]).ok(), role);
            if let Some(role) = role {
                assert_eq!(postcard::to_allocvec(&role).unwrap(), [number]);
            }
        }
    }

    #[test]
    fn rules_are_spelled_as_their_records() {
        let rule = Spelling {
            role: Role::Conventional,
            usage: "crawl",
            permits: true,
            pattern: b"/a",
            is_implied: false,
            record: None,
        };
        assert_eq!(rule.to_string(), "Allow: /a");
        assert_eq!(Spelling { usage: "index", permits: false, ..rule }.to_string(), "Noindex: /a");
        assert_eq!(Spelling { is_implied: true, ..rule }.to_string(), "(nothing else is allowed)");
        assert_eq!(Spelling { role: Role::Field, ..rule }.to_string(), "ACAP-allow-crawl: /a");
        let train = Spelling { usage: "train", permits: false, ..rule };
        assert_eq!(train.to_string(), "disallow train: /a");
        let record = Some(("content-usage", "/a train=n"));
        assert_eq!(Spelling { record, ..train }.to_string(), "Content-Usage: /a train=n");
    }
}
