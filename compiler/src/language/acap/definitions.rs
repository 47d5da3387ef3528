//! Local names of ACAP and what they stand for: qualified and composite usages, resource sets (P41
//! to P45, V41 to V45).
//!
//! Made before the records are read, so a definition may stand after its use. Expansion is the
//! records' business.

use super::{Spent, Text};
use crate::limits::OverLimit;
use crate::lowering::{Lowering, number};
use robomaton_formats::Notation;
use robomaton_grammar::acap::{Field, UsageName};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// One usage with its conditions: what a local usage stands for, or a part of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Meaning {
    pub(super) usage: u16,
    pub(super) conditions: u32,
}

/// What local names stand for. Names are compared in lower case.
#[derive(Default)]
pub(super) struct Definitions<'s> {
    pub(super) usages: HashMap<String, Vec<Meaning>>,
    pub(super) sets: HashMap<String, Vec<Cow<'s, [u8]>>>,
}

impl<'s> Definitions<'s> {
    /// Those of some texts that share them. Of two usages of one name the first counts, two sets of
    /// one name are one (decision 24); composites are made of usages and of qualified ones, which
    /// may stand anywhere (P42).
    pub(super) fn of(
        texts: &[&Text<'_, 's>],
        spent: &mut Spent,
        lowering: &mut Lowering<'s, '_>,
    ) -> Result<Definitions<'s>, OverLimit> {
        let mut definitions = Definitions::default();
        let all = texts.iter().flat_map(|text| text.fields.iter().map(move |field| (*text, field)));
        let fields: Vec<(&Text<'_, 's>, u32, &Field)> =
            all.filter_map(|(text, (line, field))| Some((text, number(*line), field.as_ref()?))).collect();
        // Where each name of a usage is defined first.
        let mut first: HashMap<String, usize> = HashMap::new();
        for (at, (text, _, field)) in fields.iter().enumerate() {
            if let Field::QualifiedUsage { name, .. } | Field::CompositeUsage { name, .. } = field {
                first.entry(text.lower_case(*name)).or_insert(at);
            }
        }
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
                    let patterns = patterns.iter().flat_map(|span| pattern(text.tree.text(*span)));
                    definitions.sets.entry(text.lower_case(*name)).or_default().extend(patterns);
                }
                _ => {}
            }
        }
        for (at, (text, line, field)) in fields.iter().enumerate() {
            let Field::CompositeUsage { name, members } = field else { continue };
            let name = text.lower_case(*name);
            if first[&name] != at {
                continue;
            }
            let mut meanings = Vec::new();
            for member in members {
                let member_name = text.lower_case(member.span());
                match member {
                    UsageName::Standard(_) => {
                        let usage = lowering.usage(&member_name, *line)?;
                        meanings.push(Meaning { usage, conditions: 0 });
                    }
                    UsageName::Local(_) => meanings.extend(qualified.get(&member_name)),
                }
            }
            // Members that say the same are one.
            let mut known = HashSet::with_capacity(meanings.len());
            meanings.retain(|&meaning| known.insert(meaning));
            definitions.usages.insert(name, meanings);
        }
        definitions.usages.extend(qualified.into_iter().map(|(name, meaning)| (name, vec![meaning])));
        Ok(definitions)
    }
}

/// The canonical pattern: none for one that is no path of the site (decision 6).
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
