//! The tag of a program in a list of preferences: its language, its carrier, and the meaning of its
//! answer.
//!
//! ```text
//! tag := u16: bits 0–2 kind, bits 3–6 language, bit 7 of lines of robots.txt, bit 8 of elements
//! ```
//! Statements have more effects than the two senses of a rule. So a set of statements is stored as
//! one program for each effect that occurs in it: the permission bit of the winning priority then
//! says that the winner has the effect of the program's kind. A dated program tells a time instead.
//! The compiler makes the programs (`programs::preferences`), the runtime asks them (`preference`).

use super::{Carrier, Effect, Language};

/// The meaning of a program's permission bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// The use is refused.
    Refused = 0,
    /// A statement that is in force could not be read.
    Unread = 1,
    /// The use is permitted under conditions.
    Conditional = 2,
    /// The use is permitted.
    Permitted = 3,
    /// The use is permitted; without the bit it is refused, if any rule matches.
    Either = 4,
    /// The next program counts only if this one has a match.
    Gate = 5,
    /// Programs of the same language in later policies do not count.
    Supersedes = 6,
    /// The priority tells the first end of what matches ([`super::end_of_priority`]). From then on,
    /// what the language says depends on its records; of META tags, whose next program is that of
    /// permissions under conditions, these are refusals.
    Dated = 7,
}

impl Kind {
    const ALL: [Kind; 8] = [
        Kind::Refused,
        Kind::Unread,
        Kind::Conditional,
        Kind::Permitted,
        Kind::Either,
        Kind::Gate,
        Kind::Supersedes,
        Kind::Dated,
    ];

    /// The effect that the bit stands for.
    #[inline]
    pub const fn effect(self) -> Effect {
        match self {
            Kind::Refused => Effect::Refused,
            Kind::Unread => Effect::Unread,
            Kind::Conditional => Effect::Conditional,
            Kind::Permitted | Kind::Either => Effect::Permitted,
            Kind::Gate => Effect::Unstated,
            Kind::Supersedes => Effect::Supersedes,
            Kind::Dated => Effect::Dated,
        }
    }
}

/// The tag of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag {
    /// The meaning of its answer.
    pub kind: Kind,
    /// The language of its statements.
    pub language: Language,
    /// The statements are lines of robots.txt, which say nothing about a target that may not be
    /// crawled ([`Tag::needs_crawl`]).
    pub of_robots: bool,
    /// The statements are about elements of pages.
    pub of_elements: bool,
}

impl Tag {
    /// The tag of programs of this kind for statements in a language and a carrier.
    pub const fn new(kind: Kind, language: Language, carrier: Carrier) -> Tag {
        let of_robots = matches!(carrier, Carrier::Robots);
        Tag { kind, language, of_robots, of_elements: matches!(carrier, Carrier::Element) }
    }

    /// The encoded tag.
    pub const fn to_raw(self) -> u16 {
        self.kind as u16
            | (self.language as u16) << 3
            | (self.of_robots as u16) << 7
            | (self.of_elements as u16) << 8
    }

    /// Decodes a tag; `None` if no writer makes it.
    #[inline]
    pub fn from_raw(raw: u16) -> Option<Tag> {
        let kind = *Kind::ALL.get(usize::from(raw & 7))?;
        let language = *Language::ALL.get(usize::from(raw >> 3 & 15))?;
        let (of_robots, of_elements) = (raw >> 7 & 1 == 1, raw >> 8 & 1 == 1);
        (raw >> 9 == 0).then_some(Tag { kind, language, of_robots, of_elements })
    }

    /// True if an effect of this tag counts only where the crawler may fetch the target. AIPREF has
    /// no preference for other targets; a Content Signal may still refuse.
    #[inline]
    pub const fn needs_crawl(self, effect: Effect) -> bool {
        let permits = matches!(effect, Effect::Permitted | Effect::Conditional);
        self.of_robots
            && match self.language {
                Language::Aipref => true,
                Language::ContentSignals => permits,
                _ => false,
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_come_back() {
        let mut valid = 0;
        for raw in 0..=u16::MAX {
            if let Some(tag) = Tag::from_raw(raw) {
                assert_eq!(tag.to_raw(), raw);
                valid += 1;
            }
        }
        assert_eq!(valid, 8 * 9 * 4);
    }
}
