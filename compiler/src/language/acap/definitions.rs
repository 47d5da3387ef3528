//! Local names of ACAP and their definitions: qualified and composite usages, resource sets (P41 to
//! P45, V41 to V45).
//!
//! Definitions are collected before the records are read, so a definition may come after its use.
//! The records expand them. A malformed definition of a usage counts for prohibitions alone, as
//! does a composite that is a member of another one.

use super::spent::BYTES_OF_RULE;
use super::{Spent, Text, lower_case};
use crate::limits::OverLimit;
use crate::lowering::{Lowering, number};
use crate::policy::Sense;
use robomaton_formats::Notation;
use robomaton_grammar::acap::{Field, UsageName};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

/// One usage with its conditions: the meaning of a local usage, or a part of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Meaning {
    pub(super) usage: u16,
    pub(super) conditions: u32,
}

/// A field with its text and line.
type Definition<'a, 's> = (&'a Text<'a, 's>, u32, &'a Field);

/// The names that malformed definitions define, and the words that may be their usages, with their
/// lines.
type Unread = BTreeMap<String, Vec<(String, u32)>>;

/// The definitions of local names. Names are compared in lower case.
#[derive(Default)]
pub(super) struct Definitions<'s> {
    usages: HashMap<String, Vec<Meaning>>,
    /// The usages that malformed definitions may mean.
    unread: HashMap<String, Vec<Meaning>>,
    /// The names in `unread` whose only mistake is a member: the others count in permissions, too.
    nested: HashSet<String>,
    pub(super) sets: HashMap<String, Vec<SitePattern<'s>>>,
}

/// A pattern of paths of this site.
#[derive(Clone)]
pub(super) struct SitePattern<'s> {
    /// The canonical pattern.
    pub(super) text: Cow<'s, [u8]>,
    /// False if it is the URL of some host in a file whose host is not known: then it counts in
    /// prohibitions only.
    pub(super) permits: bool,
}

impl<'s> Definitions<'s> {
    /// Collects the definitions of texts that share them. If two usages have the same name, the
    /// first counts; two sets with the same name are merged (decision 24). Composites are made of
    /// standard and qualified usages, which may be defined anywhere (P42).
    pub(super) fn of(
        texts: &[&Text<'_, 's>],
        spent: &mut Spent,
        lowering: &mut Lowering<'s, '_>,
    ) -> Result<Definitions<'s>, OverLimit> {
        let all = texts.iter().flat_map(|text| text.fields.iter().map(move |field| (*text, field)));
        let fields: Vec<Definition<'_, 's>> =
            all.filter_map(|(text, (line, field))| Some((text, number(*line), field.as_ref()?))).collect();
        let first = first_definitions(&fields);
        let mut definitions = Definitions::default();
        let mut qualified: HashMap<String, Meaning> = HashMap::new();
        for (at, (text, line, field)) in fields.iter().enumerate() {
            match field {
                Field::QualifiedUsage { name, usage, qualifiers } => {
                    let name = text.lower_case(*name);
                    if first[&name] == at {
                        let usage = text.lower_case(usage.span());
                        let conditions = qualifiers.iter().map(|qualifier| text.condition(&usage, qualifier));
                        let conditions = spent.conditions(conditions.collect(), *line, lowering)?;
                        let meaning = Meaning { usage: lowering.usage(&usage, *line)?, conditions };
                        qualified.insert(name, meaning);
                    }
                }
                Field::ResourceSet { name, patterns } => {
                    let patterns = patterns.iter().filter_map(|span| text.pattern(*span, lowering));
                    definitions.sets.entry(text.lower_case(*name)).or_default().extend(patterns);
                }
                _ => {}
            }
        }
        let malformed = malformed_usages(texts);
        let defined = Defined { first: &first, qualified: &qualified, malformed: &malformed };
        let mut unread = definitions.add_composites(&fields, &defined, lowering)?;
        let is_read = |name: &&String| !malformed.contains_key(*name);
        definitions.nested = unread.keys().filter(is_read).cloned().collect();
        for (name, words) in malformed {
            unread.entry(name).or_default().extend(words);
        }
        definitions.add_unread(&unread, &qualified, spent, lowering)?;
        definitions.usages.extend(qualified.into_iter().map(|(name, meaning)| (name, vec![meaning])));
        Ok(definitions)
    }

    /// Adds the composite usages. Returns those with a member that permits nothing: a composite, a
    /// local name without its parentheses, or one with a malformed definition.
    fn add_composites(
        &mut self,
        fields: &[Definition<'_, 's>],
        defined: &Defined<'_>,
        lowering: &mut Lowering<'s, '_>,
    ) -> Result<Unread, OverLimit> {
        let Defined { first, qualified, malformed } = defined;
        let mut nested = Unread::new();
        for (at, (text, line, field)) in fields.iter().enumerate() {
            let Field::CompositeUsage { name, members } = field else { continue };
            let name = text.lower_case(*name);
            if first[&name] != at {
                continue;
            }
            let (mut meanings, mut words, mut is_nested) = (Vec::new(), Vec::new(), false);
            for member in members {
                let member_name = text.lower_case(member.span());
                is_nested |= match member {
                    UsageName::Standard(_) => {
                        let usage = lowering.usage(&member_name, *line)?;
                        meanings.push(Meaning { usage, conditions: 0 });
                        first.contains_key(&member_name) || malformed.contains_key(&member_name)
                    }
                    UsageName::Local(_) if malformed.contains_key(&member_name) => true,
                    UsageName::Local(_) => {
                        let meaning = qualified.get(&member_name);
                        meanings.extend(meaning);
                        meaning.is_none() && first.contains_key(&member_name)
                    }
                };
                words.push((member_name, *line));
            }
            if is_nested {
                nested.insert(name.clone(), words);
            }
            self.usages.insert(name, distinct(meanings));
        }
        Ok(nested)
    }

    /// Adds the usages that malformed definitions may mean. A word that is a local name stands for
    /// the usages of that.
    fn add_unread(
        &mut self,
        unread: &Unread,
        qualified: &HashMap<String, Meaning>,
        spent: &mut Spent,
        lowering: &mut Lowering<'s, '_>,
    ) -> Result<(), OverLimit> {
        for (name, own) in unread {
            let (mut words, mut known, mut meanings) = (VecDeque::from_iter(own), HashSet::new(), Vec::new());
            while let Some((word, line)) = words.pop_front() {
                if !known.insert(word) {
                    continue;
                }
                let (composite, others) = (self.usages.get(word), unread.get(word));
                let expanded = others.map_or(0, Vec::len) + composite.map_or(0, Vec::len);
                spent.rules(1 + expanded, *line, lowering)?;
                words.extend(others.into_iter().flatten());
                meanings.extend(composite.into_iter().flatten().chain(qualified.get(word)));
                if composite.is_none() && others.is_none() && !qualified.contains_key(word) {
                    meanings.push(Meaning { usage: lowering.usage(word, *line)?, conditions: 0 });
                }
            }
            self.unread.insert(name.clone(), distinct(meanings));
        }
        Ok(())
    }

    /// The meaning of a local usage; `None` if it has none. A malformed definition may restrict
    /// what others permit.
    pub(super) fn local(&self, name: &str, sense: Sense) -> Option<Cow<'_, [Meaning]>> {
        match (self.usages.get(name), self.unread.get(name), sense) {
            (read, None, _) => read.map(|read| Cow::Borrowed(&read[..])),
            (read, Some(_), Sense::Permit) => {
                read.filter(|_| self.nested.contains(name)).map(|read| Cow::Borrowed(&read[..]))
            }
            (read, Some(unread), Sense::Prohibit) => {
                let read = read.map(Vec::as_slice).unwrap_or_default();
                Some(Cow::Owned(distinct([read, unread].concat())))
            }
        }
    }
}

impl Text<'_, '_> {
    /// The number of names, members and patterns in the definitions of this text, of which the long
    /// ones count as several. What is malformed may be a definition.
    pub(super) fn defined(&self) -> usize {
        let of_field = |(line, field): &(usize, Option<Field>)| {
            let count = match field {
                Some(Field::QualifiedUsage { qualifiers, .. }) => qualifiers.len(),
                Some(Field::CompositeUsage { members, .. }) => members.len(),
                Some(Field::ResourceSet { patterns, .. }) => patterns.len(),
                Some(_) => return 0,
                None => 0,
            };
            // Each file holds a name three times.
            1 + count + 3 * self.tree.lines[*line].value.len() / BYTES_OF_RULE
        };
        self.fields.iter().map(of_field).sum()
    }
}

/// The usage names that composites may be made of.
struct Defined<'d> {
    /// The number of the first definition of each that can be read.
    first: &'d HashMap<String, usize>,
    /// The meanings of the qualified usages.
    qualified: &'d HashMap<String, Meaning>,
    /// The names that malformed lines define.
    malformed: &'d Unread,
}

/// The number of the first definition of each usage name.
fn first_definitions(fields: &[Definition<'_, '_>]) -> HashMap<String, usize> {
    let mut first = HashMap::new();
    for (at, (text, _, field)) in fields.iter().enumerate() {
        if let Field::QualifiedUsage { name, .. } | Field::CompositeUsage { name, .. } = field {
            first.entry(text.lower_case(*name)).or_insert(at);
        }
    }
    first
}

/// Equal members count once.
fn distinct(mut meanings: Vec<Meaning>) -> Vec<Meaning> {
    let mut known = HashSet::with_capacity(meanings.len());
    meanings.retain(|&meaning| known.insert(meaning));
    meanings
}

/// The names that malformed lines define.
fn malformed_usages(texts: &[&Text<'_, '_>]) -> Unread {
    let mut malformed = Unread::new();
    for text in texts {
        for (line, _) in text.fields.iter().filter(|(_, field)| field.is_none()) {
            let Some((name, words)) = malformed_usage(text, *line) else { continue };
            malformed.entry(name).or_default().extend(words.into_iter().map(|word| (word, number(*line))));
        }
    }
    malformed
}

/// The name that a malformed line defines, and the words that may be usages; `None` if the line
/// defines no usage.
fn malformed_usage(text: &Text<'_, '_>, line: usize) -> Option<(String, Vec<String>)> {
    let line = &text.tree.lines[line];
    let key = lower_case(text.tree.text(line.key));
    if !["acap-composite-usage", "acap-qualified-usage"].contains(&key.as_str()) {
        return None;
    }
    let value = lower_case(text.tree.text(line.value));
    let is_name = |byte: char| byte.is_ascii_alphanumeric() || matches!(byte, '-' | '_' | '.');
    let words = value.split(|byte| !is_name(byte));
    let mut names = words.filter(|word| word.starts_with(|first: char| first.is_ascii_alphabetic()));
    Some((names.next()?.to_owned(), names.map(str::to_owned).collect()))
}

/// The canonical pattern; `None` if the text is not a path of the site (decision 6).
pub(super) fn pattern(text: &[u8]) -> Option<Cow<'_, [u8]>> {
    let scheme = text.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    match text {
        [] => None,
        [b'/', b'/', ..] => None,
        _ if scheme > 0 && text[scheme..].starts_with(b"://") => None,
        [b'/' | b'*', ..] => Some(Notation::Acap.pattern(text)),
        _ => Some(Cow::Owned(Notation::Acap.pattern(&[b"/", text].concat()).into_owned())),
    }
}
