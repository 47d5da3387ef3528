//! What a rule's language means for a reader of an image: whose names count, what it speaks of, how
//! it is spelled.
//!
//! The compiler has a file for each language that says how it is read and weighed; here stands what
//! is left of that in an image, a [`Role`] for each group of rules, and the questions that runtime,
//! tables and explanations ask of it. Invariant: the numbers of roles are bytes of the format. It
//! does not know how rules are matched or weighed.

use crate::usage::{CRAWL, INDEX, USAGES};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The language, and the place in a site, that a group of rules comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Role {
    /// Records of user-agent groups. Their rules are ranked: the highest priority of those that
    /// match decides.
    Conventional = 0,
    /// Prohibitions for elements of pages, read as prohibitions for the whole page (M13).
    Element = 1,
    /// ACAP fields in the META tags of a page (M1, M2).
    Page = 2,
    /// Conventional directives in the META tags of a page.
    PageConventional = 3,
    /// ACAP fields of robots.txt, and of files that it refers to.
    Field = 4,
    /// Rules of user-agent groups for a usage of which silence says nothing; ranked as conventional
    /// ones are. A role of programs in scoped lists alone: the groups that hold such rules are
    /// [`Role::Conventional`].
    Preference = 5,
}

impl Role {
    /// Every role, in the order of its number.
    pub const ALL: [Role; 6] = [
        Role::Conventional,
        Role::Element,
        Role::Page,
        Role::PageConventional,
        Role::Field,
        Role::Preference,
    ];

    /// The role with this number, if there is one.
    pub fn from_u32(number: u32) -> Option<Role> {
        Role::ALL.get(usize::try_from(number).ok()?).copied()
    }

    /// The name in tables and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Role::Conventional => "conventional",
            Role::Field => "acap",
            Role::Page => "page",
            Role::PageConventional => "page-conventional",
            Role::Element => "element",
            Role::Preference => "preference",
        }
    }

    /// The name in text that people read.
    pub const fn title(self) -> &'static str {
        match self {
            Role::Field => "ACAP",
            Role::PageConventional => "page, conventional",
            other => other.name(),
        }
    }

    /// A group of this role in an explanation, where `for_purpose` says whether it is for some
    /// purposes only.
    pub const fn heading(self, for_purpose: bool) -> &'static str {
        match self {
            Role::Conventional | Role::Preference => "conventional",
            Role::Element => "elements",
            Role::Page => "META tags",
            Role::PageConventional => "conventional META tags",
            Role::Field if for_purpose => "sub-record",
            Role::Field => "record",
        }
    }

    /// Whether the highest priority of the rules that match decides. The others are weighed by
    /// specificity (P15).
    pub const fn is_ranked(self) -> bool {
        matches!(self, Role::Conventional | Role::Preference)
    }

    /// Whether its rules stand in a page, and speak of that page alone.
    pub const fn is_of_page(self) -> bool {
        matches!(self, Role::Element | Role::Page | Role::PageConventional)
    }

    /// Whether its rules stand in META tags, which speak to each of a crawler's names.
    pub const fn is_of_meta_tags(self) -> bool {
        matches!(self, Role::Page | Role::PageConventional)
    }

    /// Whether a crawler is known to the text by the names that its groups address (R5). Names in
    /// pages do not count.
    pub const fn names_crawlers(self) -> bool {
        !self.is_of_page()
    }

    /// The place of its groups among those of a document: user-agent groups, ACAP records, pages.
    pub const fn order(self) -> u8 {
        match self {
            Role::Conventional | Role::Preference => 0,
            Role::Field => 1,
            Role::Element | Role::Page | Role::PageConventional => 2,
        }
    }
}

/// A rule, to be spelled as the record that says it.
#[derive(Clone, Copy, Debug)]
pub struct Spelling<'r> {
    /// Where the rule comes from.
    pub role: Role,
    /// The usage it speaks of, by name.
    pub usage: &'r str,
    /// Whether it permits.
    pub permits: bool,
    /// The canonical pattern.
    pub pattern: &'r [u8],
    /// Whether it stands for what a rule set of Robot-version 2.0.0 does not list (N10, N12), so
    /// that no record says it.
    pub is_implied: bool,
    /// The record on its line as the text has it, key and value, where the image keeps that.
    pub record: Option<(&'r str, &'r str)>,
}

impl fmt::Display for Spelling<'_> {
    /// `Disallow: /private`, `ACAP-allow-index: /news`, `META noindex`. Records of other languages
    /// are spelled as the text has them: nobody needs to know a language in order to quote it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Spelling { role, usage, permits, .. } = *self;
        let pattern = String::from_utf8_lossy(self.pattern);
        let word = if permits { "allow" } else { "disallow" };
        let is = |number: u16| usage == USAGES[usize::from(number)];
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
            Role::PageConventional => write!(f, "META {word}-{usage}"),
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
        for (number, role) in (0..).zip(Role::ALL) {
            assert_eq!((role as u32, Role::from_u32(number)), (number, Some(role)));
        }
        assert_eq!(Role::from_u32(6), None);
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
