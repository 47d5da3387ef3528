//! Files that records of ACAP refer to (P17, V18, decisions 35, 39, 40).
//!
//! `acap` lowers its own records and then, for the crawlers of each record that refers to a file,
//! the conventional groups and the records of that file. Invariant: each file is read once,
//! regardless of the number of references to it. This file does not know what a field permits.

use super::Text;
use super::crawlers::ReferringCrawlers;
use super::definitions::Definitions;
use super::groups::Address;
use super::records::Record;
use super::rules::RecordLowering;
use super::size::check_fields;
use super::spent::Spent;
use crate::context::CompileContext;
use crate::language::conventional::Conventional;
use crate::language::{Language, Source, extended};
use crate::limits::{LimitName, OverLimit, REFERENCE};
use crate::lowering::{Lowering, number};
use crate::policy::Agent;
use robomaton_formats::SiteKey;
use robomaton_formats::site::absolute_url;
use robomaton_grammar::Tree;
use robomaton_grammar::acap::Field;
use std::collections::{BTreeMap, HashSet};

/// A field that refers to another file.
pub(super) struct Reference {
    /// The number of the record that holds the field.
    pub(super) home: Option<usize>,
    /// The locator, as written.
    locator: String,
    /// The key of the file in the context; `None` if nothing can be fetched there.
    pub(super) file: Option<String>,
    line: u32,
}

/// A file that a text refers to.
pub(super) struct ReferredFile<'t, 's> {
    tree: &'t Tree<'s>,
    /// Its fields and the definitions that apply to them; `None` if it has no record.
    fields: Option<(Text<'t, 's>, Definitions<'s>)>,
}

impl<'t, 's> Text<'t, 's> {
    /// The fields that refer to other files, in file order. Such a field outside all records
    /// addresses no crawler.
    pub(super) fn references(&self, records: &[Record<'s>], origin: Option<&str>) -> Vec<Reference> {
        let fields = self.fields.iter().enumerate();
        let reference = |(at, (line, field)): (usize, &(usize, Option<Field>))| {
            let Some(Field::PermissionsReference(span)) = field else { return None };
            let locator = String::from_utf8_lossy(self.tree.text(*span)).into_owned();
            // Records are consecutive.
            let home = records.partition_point(|record| record.span.end <= at);
            let home =
                Some(home).filter(|&home| records.get(home).is_some_and(|record| record.span.contains(&at)));
            let file = home.filter(|_| locator.len() <= REFERENCE).and_then(|_| referred(&locator, origin));
            // A file that refers to itself adds nothing and misses nothing (decision 39).
            let is_itself = file.as_deref() == Some("/robots.txt");
            (!is_itself).then(|| Reference { home, locator, file, line: number(*line) })
        };
        fields.filter_map(reference).collect()
    }

    /// Reads the fields of the files that the text refers to.
    pub(super) fn read_files<'f, 'k>(
        &self,
        trees: &'f BTreeMap<&'k str, Tree<'s>>,
        origin: Option<&'f str>,
        spent: &mut Spent,
        lowering: &mut Lowering<'s, '_>,
    ) -> Result<BTreeMap<&'k str, ReferredFile<'f, 's>>, OverLimit> {
        let mut files = BTreeMap::new();
        let own = self.defined();
        for (&key, tree) in trees {
            check_fields(tree, lowering.options.limits.field)?;
            let fields = match Text::read(tree, origin) {
                // Within a file, its own definitions apply, and those of the file that refers to it
                // (V18), which count for each file.
                Some(file) => {
                    spent.rules(own, 1, lowering)?;
                    let definitions = Definitions::of(&[self, &file], spent, lowering)?;
                    Some((file, definitions))
                }
                None => None,
            };
            files.insert(key, ReferredFile { tree, fields });
        }
        Ok(files)
    }
}

/// Adds the references to the policy, within their limit. Returns the number of each file.
pub(super) fn add(references: &[Reference], lowering: &mut Lowering<'_, '_>) -> Result<Vec<u16>, OverLimit> {
    let allowed = lowering.options.limits.references;
    if let Some(reference) = references.get(allowed) {
        return Err(OverLimit { limit: LimitName::References, allowed, line: reference.line });
    }
    let mut numbers = Vec::with_capacity(references.len());
    for Reference { locator, file, .. } in references {
        // Whether an absolute URL belongs to this site depends on the origin.
        lowering.policy.depends_on_origin |= SiteKey::from_url(locator).is_ok();
        numbers.push(lowering.add_file(locator));
        lowering.policy.references.extend(file.clone());
    }
    Ok(numbers)
}

/// Scans each file that is at hand, by its key.
pub(super) fn scan<'r, 's>(
    references: &'r [Reference],
    context: &CompileContext<'_, 's>,
    lowering: &Lowering<'s, '_>,
) -> BTreeMap<&'r str, Tree<'s>> {
    let limit = lowering.options.limits.bytes(lowering.options.profile);
    let mut trees = BTreeMap::new();
    for file in references.iter().filter_map(|reference| reference.file.as_deref()) {
        if let Some((_, text)) = context.files.iter().find(|(key, _)| *key == file) {
            trees.entry(file).or_insert_with(|| robomaton_grammar::scan(text, limit));
        }
    }
    trees
}

/// The numbers of the records that refer to a file that was not read, or not to its end. One that a
/// record for unknown crawlers refers to is not read for anyone.
pub(super) fn missing(
    references: &[Reference],
    records: &[Record<'_>],
    files: &BTreeMap<&str, ReferredFile<'_, '_>>,
) -> HashSet<usize> {
    let is_missing = |reference: &&Reference| {
        let is_unread = reference.home.is_some_and(|home| records[home].is_unreadable);
        let file = reference.file.as_deref().and_then(|file| files.get(file));
        is_unread || file.is_none_or(|file| !file.tree.unread.is_empty())
    };
    references.iter().filter(is_missing).filter_map(|reference| reference.home).collect()
}

impl<'s> ReferredFile<'_, 's> {
    /// Adds the groups and records of the file for the crawlers of the referring record.
    pub(super) fn lower(
        &self,
        agents: &[Agent<'s>],
        context: &CompileContext<'_, 's>,
        spent: &mut Spent,
        lowering: &mut Lowering<'s, '_>,
    ) -> Result<(), OverLimit> {
        let referring = ReferringCrawlers::new(agents);
        let text = self.fields.as_ref().map(|(text, _)| text);
        let records = text.map(Text::records).unwrap_or_default();
        if text.is_none_or(|text| !text.alone) {
            let source = Source { tree: self.tree, context, suspended: text.map(Text::suspended) };
            referred_groups(&source, text.map(|text| (text, &records[..])), &referring, spent, lowering)?;
        }
        let Some((text, definitions)) = &self.fields else { return Ok(()) };
        // Once for all records: there may be many, and many crawlers.
        let any = match records.iter().any(|record| record.is_unreadable) {
            true => referring.addressed(&[Agent::Any]),
            false => Vec::new(),
        };
        let mut groups = RecordLowering { text, definitions, spent, lowering };
        for record in &records {
            let agents = referring.addressed(&record.agents);
            if !agents.is_empty() || record.is_unreadable {
                groups.record(record, &Address { incomplete: false, agents: &agents, any: &any })?;
            }
        }
        Ok(())
    }
}

/// Adds the conventional groups of a referenced file and those inside its records, for the crawlers
/// of the referring record (decision 35). Records about the whole file, such as Sitemap, are left
/// out: they are about the other file.
fn referred_groups<'s>(
    source: &Source<'_, 's>,
    fields: Option<(&Text<'_, 's>, &[Record<'s>])>,
    referring: &ReferringCrawlers<'_, 's>,
    spent: &mut Spent,
    lowering: &mut Lowering<'s, '_>,
) -> Result<(), OverLimit> {
    let policy = &lowering.policy;
    let [groups, rules, extensions] = [policy.groups.len(), policy.rules.len(), policy.extensions.len()];
    let first = lowering.starts.len();
    Conventional.lower(source, lowering)?;
    lowering.close();
    extended::lower_referred(source, groups, &lowering.starts[first..], &mut lowering.policy);
    if let Some((text, records)) = fields {
        text.conventional(records, lowering)?;
    }
    let policy = &mut lowering.policy;
    policy.extensions.truncate(extensions);
    let added = policy.rules.split_off(rules);
    let mut added_groups = policy.groups.split_off(groups);
    added_groups.sort_by_key(|group| group.line);
    for mut group in added_groups {
        group.agents = referring.addressed(&group.agents);
        if group.agents.is_empty() {
            continue;
        }
        spent.address(&group.agents, group.line)?;
        let start = policy.rules.len();
        policy.rules.extend_from_slice(&added[group.rules.start - rules..group.rules.end - rules]);
        group.rules = start..policy.rules.len();
        policy.groups.push(group);
    }
    Ok(())
}

/// The key of a file that a site refers to, as the context has it: path and query if the file is of
/// the site itself, else its URL (decision 39).
pub fn referred(locator: &str, origin: Option<&str>) -> Option<String> {
    same_site(locator, origin).or_else(|| absolute_url(locator))
}

/// Path and query of a locator that is a path, or a URL of the site itself.
pub(crate) fn same_site(locator: &str, origin: Option<&str>) -> Option<String> {
    let scheme = locator.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let is_path = !locator.starts_with("//") && !locator[scheme..].starts_with(':') && !locator.is_empty();
    if is_path {
        let slash = if locator.starts_with('/') { "" } else { "/" };
        return Some(format!("{slash}{locator}"));
    }
    let site = SiteKey::from_url(locator).ok()?;
    let rest = locator.split_once("://")?.1;
    let path = rest.find(['/', '?']).map_or("/", |at| &rest[at..]);
    (origin == Some(site.authority())).then(|| path.to_owned())
}
