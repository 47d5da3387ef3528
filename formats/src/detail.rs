//! The cold records, which explain a verdict (SPEC.md section 7), in postcard's wire format.
//!
//! They are read only for the deciding rule, sitemaps and delays. Decoding allocates, and no
//! verdict needs it. Patterns are borrowed: from the text when written, from the image when read.
//! Texts are copied when read (`text`). Invariant: equal details give equal bytes.

pub use crate::bytes::Bytes;
use crate::condition::Condition;
use crate::notation::Notation;
use crate::pattern::Pattern;
use crate::policy::{Role, USAGES};
use crate::preference::{Carrier, Effect, Language, Source};
use crate::profile::AgentRule;
use crate::program::Priority;
use crate::schedule::Schedule;
use crate::text;
use serde::de::{Deserializer, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// The data that an image holds about one document in addition to its programs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Detail<'d> {
    /// The groups: conventional ones, then sub-records of ACAP, then fields of pages. Each kind is
    /// in file order.
    #[serde(borrow)]
    pub groups: Vec<Group<'d>>,
    /// Records outside all groups, or for the whole file, in file order.
    pub extensions: Vec<Extension<'d>>,
    /// Names of the usages that only this document mentions. Their numbers continue after
    /// [`USAGES`].
    #[serde(deserialize_with = "text::read_all")]
    pub usages: Vec<String>,
    /// Sets of conditions. A rule refers to its set by index plus one.
    pub conditions: Vec<Vec<Condition>>,
    /// Other files that parts of this document come from. A group refers to its file by index plus
    /// one.
    #[serde(deserialize_with = "text::read_all")]
    pub files: Vec<String>,
    /// The time, in Unix seconds, from which each of these files is out of date; 0 for never. Empty
    /// if none is.
    pub ends: Vec<u64>,
    /// The statements in the modern languages, by the source of their groups.
    #[serde(borrow)]
    pub preferences: Vec<Source<'d>>,
}

/// One group of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group<'d> {
    /// The kind of its rules.
    pub role: Role,
    /// The crawlers that the group names, in the form that is compared (lower case, reduced).
    #[serde(deserialize_with = "text::read_all")]
    pub crawlers: Vec<String>,
    /// The group applies (also) to all crawlers that no group names.
    pub default: bool,
    /// The purposes that the group is for; empty for any purpose (P17).
    #[serde(borrow)]
    pub purposes: Vec<Bytes<'d>>,
    /// A file that the group refers to is missing (decision 23).
    pub incomplete: bool,
    /// The source file: 0 for the document itself, else an index into [`Detail::files`] plus one.
    pub file: u16,
    /// The notation of its patterns.
    pub notation: Notation,
    /// The rules in file order.
    #[serde(borrow)]
    pub rules: Vec<Rule<'d>>,
    /// Extension records of the group.
    pub extensions: Vec<Extension<'d>>,
    /// The times and rates at which the group's crawlers may visit.
    pub schedule: Option<Box<Schedule>>,
}

/// One rule of the document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule<'d> {
    /// The line number, from 1.
    pub line: u32,
    /// The usage: an index into [`USAGES`], continued by [`Detail::usages`].
    pub usage: u16,
    /// Its priority in the programs.
    pub priority: Priority,
    /// The rule permits the usage.
    pub permits: bool,
    /// The conditions of a permission: an index into [`Detail::conditions`] plus one; 0 for none.
    pub conditions: u32,
    /// The canonical pattern.
    #[serde(borrow)]
    pub pattern: Bytes<'d>,
}

impl Group<'_> {
    /// The values that name its crawlers.
    pub fn crawlers(&self) -> impl Iterator<Item = &str> {
        self.crawlers.iter().map(|value| &**value)
    }

    /// True if the group names a crawler.
    pub fn names(&self, rule: AgentRule, name: &str) -> bool {
        self.crawlers.iter().any(|value| rule.names(value, name))
    }

    /// The pattern of one of its rules, ready for matching.
    pub fn pattern<'r>(&self, rule: &'r Rule<'_>) -> Pattern<'r> {
        Pattern { text: &rule.pattern.0, notation: self.notation }
    }
}

/// The same wire format for [`crate::verify`]: decodes everything that [`Detail`] does, and stores
/// nothing. The parts are those of the structures above, in order; a test compares the two.
pub(crate) type DetailShape<'d> = (
    Each<GroupShape<'d>>,
    Each<ExtensionShape<'d>>,
    Each<&'d str>,
    Each<Each<Condition>>,
    Each<&'d str>,
    Each<u64>,
    Each<SourceShape<'d>>,
);
type GroupShape<'d> = (
    Role,
    Each<&'d str>,
    bool,
    Each<&'d [u8]>,
    bool,
    u16,
    Notation,
    Each<RuleShape<'d>>,
    Each<ExtensionShape<'d>>,
    Option<Schedule>,
);
type RuleShape<'d> = (u32, u16, Priority, bool, u32, &'d [u8]);
type ExtensionShape<'d> = (u32, &'d str, &'d str);
type SourceShape<'d> = (bool, Each<PreferencesShape<'d>>);
type PreferencesShape<'d> = (Each<&'d str>, bool, bool, Each<RecordShape<'d>>, Each<StatementShape>);
type RecordShape<'d> = (Language, Carrier, u32, u16, &'d [u8], &'d str);
type StatementShape = (u32, u16, u16, u32, Effect, u32);

/// A sequence whose elements are decoded and dropped one by one.
pub(crate) struct Each<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Each<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Each<T>, D::Error> {
        struct Elements<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Elements<T> {
            type Value = Each<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a sequence")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Each<T>, A::Error> {
                while elements.next_element::<T>()?.is_some() {}
                Ok(Each(PhantomData))
            }
        }
        deserializer.deserialize_seq(Elements(PhantomData))
    }
}

/// An extension record: its key neither permits nor prohibits anything by itself (R18).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extension<'d> {
    /// The line number, from 1.
    pub line: u32,
    /// The key in its canonical spelling, lower case.
    #[serde(deserialize_with = "text::read")]
    pub key: Cow<'d, str>,
    /// The value, with invalid UTF-8 replaced.
    #[serde(deserialize_with = "text::read")]
    pub value: Cow<'d, str>,
}

/// The provenance of an image. It holds no clock and no paths, so equal captures give equal images.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    /// Name and version of the writer.
    #[serde(deserialize_with = "text::read")]
    pub generator: String,
    /// The crawlers to which the image was restricted; empty if it holds all.
    #[serde(deserialize_with = "text::read_all")]
    pub crawlers: Vec<String>,
    /// The limits in force, by name.
    #[serde(deserialize_with = "text::read_numbered")]
    pub limits: Vec<(String, u64)>,
    /// What counted beside the standard vocabulary: the name of an optional table, or a control
    /// token (`vocabulary::ControlToken`).
    #[serde(deserialize_with = "text::read_all")]
    pub vocabulary: Vec<String>,
}

impl<'d> Detail<'d> {
    /// The conventional groups that apply to a crawler with these reduced names, best first (R5 to
    /// R7, K9), with their numbers. The first name that any group or record of the document names
    /// is used.
    pub fn groups_of(&self, rule: AgentRule, names: &[String]) -> Vec<(usize, &Group<'d>)> {
        let groups = |wanted: &dyn Fn(&Group<'_>) -> bool| {
            let all = self.groups.iter().enumerate();
            let found = all.filter(|(_, group)| group.role.is_ranked() && wanted(group));
            found.take(if rule == AgentRule::Substring { 1 } else { usize::MAX }).collect::<Vec<_>>()
        };
        let name = self.name_of(rule, names);
        let own = name.map(|name| groups(&|group| group.names(rule, name))).filter(|own| !own.is_empty());
        own.unwrap_or_else(|| groups(&|group| group.default))
    }

    /// The first of a crawler's names that any group or record of the document names (R5). Pages do
    /// not count.
    pub fn name_of<'n>(&self, rule: AgentRule, names: &'n [String]) -> Option<&'n String> {
        let of_text = self.groups.iter().filter(|group| group.role.names_crawlers());
        rule.first_named(of_text.flat_map(Group::crawlers), names)
    }

    /// The name of a usage, by the number used in rules.
    pub fn usage(&self, number: u16) -> &str {
        let number = usize::from(number);
        USAGES
            .get(number)
            .copied()
            .or_else(|| Some(self.usages.get(number - USAGES.len())?.as_str()))
            .unwrap_or("?")
    }

    /// The name of another file, by the number used in groups and records: `None` for 0, the
    /// document itself.
    pub fn file(&self, number: u16) -> Option<&str> {
        let name = self.files.get(usize::from(number).checked_sub(1)?)?;
        Some(name.as_str())
    }

    /// The conditions of a rule.
    pub fn conditions(&self, rule: &Rule<'_>) -> &[Condition] {
        self.set_of_conditions(rule.conditions)
    }

    /// The conditions with this number, an index plus one; none for 0.
    pub fn set_of_conditions(&self, number: u32) -> &[Condition] {
        let set = (number as usize).checked_sub(1).and_then(|at| self.conditions.get(at));
        set.map(Vec::as_slice).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::condition::Locator;
    use crate::preference;
    use crate::read::whole;
    use crate::schedule::{Rate, Window};

    /// A detail with a value in every field.
    fn full() -> Vec<u8> {
        let bytes = || Bytes::from(&b"/p"[..]);
        let extension = Extension { line: 300, key: "sitemap".into(), value: "\u{fffd}".into() };
        let rule =
            Rule { line: 2, usage: 16, priority: 70_000, permits: true, conditions: 1, pattern: bytes() };
        let schedule = Schedule {
            delays: vec![1500],
            rates: Rate::new(1, 60, Window::new(0, 1440)).into_iter().collect(),
            visits: Window::new(1439, 0).into_iter().collect(),
            comments: vec!["naïve".into()],
        };
        let group = Group {
            role: Role::Page,
            crawlers: vec!["b".into(), "ä".into()],
            default: true,
            purposes: vec![bytes()],
            incomplete: true,
            file: 1,
            notation: Notation::Acap,
            rules: vec![rule.clone(), rule],
            extensions: vec![extension.clone()],
            schedule: Some(Box::new(schedule)),
        };
        crate::write::encode_detail(&Detail {
            groups: vec![Group { schedule: None, ..group.clone() }, group],
            extensions: vec![extension],
            usages: vec!["(local)".into()],
            conditions: vec![vec![Condition::MustUseResource(Locator::Class("ü".into()))], Vec::new()],
            files: vec!["/acap.txt".into()],
            ends: vec![1 << 40],
            preferences: vec![Source {
                additive: true,
                groups: vec![preference::Group {
                    crawlers: vec!["b".into()],
                    default: true,
                    fallback: false,
                    records: vec![preference::Record {
                        language: Language::Rsl,
                        carrier: Carrier::Header,
                        line: 300,
                        file: 1,
                        pattern: bytes(),
                        text: "é".into(),
                    }],
                    statements: vec![preference::Statement {
                        record: 0,
                        usage: 18,
                        set: 300,
                        rank: 70_000,
                        effect: Effect::Closed,
                        conditions: 1,
                    }],
                }],
            }],
        })
    }

    #[test]
    fn the_shape_is_that_of_details() {
        let agree = |bytes: &[u8], what: &dyn Fn() -> String| {
            let (detail, shape) = (whole::<Detail<'_>>(bytes), whole::<DetailShape<'_>>(bytes));
            assert_eq!(detail.is_some(), shape.is_some(), "{}", what());
            detail.is_some()
        };
        let bytes = full();
        assert!(agree(&bytes, &|| "as it is".to_owned()));
        let (mut good, mut bad) = (0, 0);
        for at in 0..bytes.len() {
            assert!(!agree(&bytes[..at], &|| format!("cut to {at} bytes")));
            for value in 0..=u8::MAX {
                let mut bytes = bytes.clone();
                bytes[at] = value;
                let decodes = agree(&bytes, &|| format!("byte {at} is {value:#x}"));
                *if decodes { &mut good } else { &mut bad } += 1;
            }
        }
        assert!(good > 1_000 && bad > 1_000);
    }
}
