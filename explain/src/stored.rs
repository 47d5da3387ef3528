//! Rules that an image stores besides a text: records of referenced files, and fields of pages.
//!
//! The text can be lowered again. The files and pages cannot, because the image stores only their
//! rules. So these rules are taken as compiled, and inserted into the policy of the text. If a text
//! refers to files, its own records are taken as compiled, too: they may use definitions from the
//! files. The statements about uses are taken as compiled, too: those of pages, headers and other
//! documents of the site stand beside those of the text. Nothing is weighed here.

use robomaton_compiler::{Agent, Combiner, Group, Policy, Rule, Sense};
use robomaton_formats::detail::{self, Bytes, Detail};
use robomaton_formats::preference::{self, Carrier, Effect, Record, Source};
use robomaton_formats::program::Silence;
use robomaton_runtime::Role;
use std::borrow::Cow;
use std::collections::HashSet;

/// The rules that are taken as stored in the image.
pub(crate) struct StoredParts {
    records: bool,
    pages: bool,
    preferences: bool,
}

/// True if a rule of a document comes from a page.
pub(crate) fn has_pages(detail: &Detail<'_>) -> bool {
    detail.groups.iter().any(|group| group.role.is_of_page())
}

/// The files without records in the image, which include the missing ones.
pub(crate) fn missing(detail: &Detail<'_>) -> Vec<String> {
    let mut read = licenses(detail);
    read.extend(detail.groups.iter().map(|group| group.file));
    let numbered = detail.files.iter().zip(1..);
    numbered.filter(|(_, number)| !read.contains(number)).map(|(name, _)| name.clone()).collect()
}

/// The numbers of the files that are RSL documents which were read.
fn licenses(detail: &Detail<'_>) -> HashSet<u16> {
    let groups = detail.preferences.iter().flat_map(|source| &source.groups);
    let stated = groups.flat_map(|group| {
        let read = group.statements.iter().filter(|statement| statement.effect != Effect::Unread);
        read.filter_map(|statement| group.record(statement))
    });
    // A record of robots.txt stands in a file that it refers to.
    stated.filter(|record| record.carrier != Carrier::Robots).map(|record| record.file).collect()
}

/// True if a document has records of files that it refers to, or may have definitions of them.
fn has_files(detail: &Detail<'_>) -> bool {
    let licenses = licenses(detail);
    (1..).zip(&detail.files).any(|(number, _)| !licenses.contains(&number))
}

impl StoredParts {
    pub(crate) fn of(detail: &Detail<'_>) -> StoredParts {
        let preferences = !detail.preferences.is_empty();
        StoredParts { records: has_files(detail), pages: has_pages(detail), preferences }
    }

    /// The records only: the page itself is available.
    pub(crate) fn records_of(detail: &Detail<'_>) -> Option<StoredParts> {
        has_files(detail).then_some(StoredParts { records: true, pages: false, preferences: false })
    }

    /// A note for the reader.
    pub(crate) fn note(&self) -> Option<String> {
        let what = match (self.records, self.pages) {
            (false, false) => return None,
            (true, false) => "the text refers to other files: its ACAP records and theirs are",
            (false, true) => "the site has pages with permissions in them: these are",
            (true, true) => {
                "the text refers to other files, and the site has pages with permissions in them: these and all ACAP \
                 records are"
            }
        };
        Some(format!("{what} shown as the image stores them"))
    }

    fn takes(&self, role: Role, file: u16) -> bool {
        role.is_of_page() && self.pages || (role == Role::Field || file != 0) && self.records
    }
}

/// Inserts the stored rules into the policy of the text.
pub(crate) fn join<'s>(mut policy: Policy<'s>, detail: &Detail<'_>, stored: &StoredParts) -> Policy<'s> {
    // The image does not store the lines of groups; those of the text's own records are known.
    let mut lines = policy.groups.iter().filter(|group| group.role == Role::Field).map(|group| group.line);
    let mut own_line = || lines.next();
    let mut taken = Vec::new();
    for group in detail.groups.iter().filter(|group| stored.takes(group.role, group.file)) {
        let own = if group.role == Role::Field && group.file == 0 { own_line() } else { None };
        let first = group.rules.first().map(|rule| rule.line);
        taken.push((group, own.or(first).unwrap_or(1)));
    }
    policy.groups.retain(|group| !stored.takes(group.role, group.file));
    let own_files = std::mem::replace(&mut policy.files, detail.files.clone());
    if stored.preferences {
        take_preferences(&mut policy, detail);
    } else {
        renumber_files(&mut policy, &own_files);
    }
    for (group, line) in taken {
        let start = policy.rules.len();
        for rule in &group.rules {
            let usage = number(&mut policy, detail.usage(rule.usage));
            let conditions = match detail.conditions(rule) {
                [] => 0,
                set => {
                    policy.conditions.push(set.to_vec());
                    policy.conditions.len() as u32
                }
            };
            policy.rules.push(rule_of(group, rule, usage, conditions));
        }
        let named = group.crawlers.iter().map(|name| Agent::Named(Cow::Owned(name.clone())));
        policy.groups.push(Group {
            role: group.role,
            agents: named.chain(group.default.then_some(Agent::Any)).collect(),
            purposes: group.purposes.iter().map(|purpose| Cow::Owned(purpose.0.to_vec())).collect(),
            incomplete: group.incomplete,
            file: group.file,
            rules: start..policy.rules.len(),
            extensions: Vec::new(),
            schedule: None,
            line,
        });
    }
    in_order(&mut policy);
    policy
}

/// Takes the statements as stored, in place of those of the text: beyond a limit they are unread.
pub(crate) fn take_preferences(policy: &mut Policy<'_>, detail: &Detail<'_>) {
    let first = policy.conditions.len() as u32;
    policy.conditions.extend(detail.conditions.iter().cloned());
    policy.preferences = detail.preferences.iter().map(owned).collect();
    let groups = policy.preferences.iter_mut().flat_map(|source| &mut source.groups);
    for statement in groups.flat_map(|group| &mut group.statements) {
        if statement.conditions != 0 {
            statement.conditions += first;
        }
    }
}

/// A source that borrows nothing.
pub(crate) fn owned(source: &Source<'_>) -> Source<'static> {
    let record = |record: &Record<'_>| Record {
        pattern: Bytes(Cow::Owned(record.pattern.0.to_vec())),
        text: Cow::Owned(record.text.to_string()),
        ..*record
    };
    let group = |group: &preference::Group<'_>| preference::Group {
        crawlers: group.crawlers.clone(),
        records: group.records.iter().map(record).collect(),
        statements: group.statements.clone(),
        ..*group
    };
    Source { additive: source.additive, groups: source.groups.iter().map(group).collect() }
}

/// Numbers the files of the policy's own statements, given the names that they had, in the new list
/// of files, which grows by those that it lacks.
fn renumber_files(policy: &mut Policy<'_>, own_files: &[String]) {
    let Policy { preferences, files, .. } = policy;
    let groups = preferences.iter_mut().flat_map(|source| &mut source.groups);
    for record in groups.flat_map(|group| &mut group.records).filter(|record| record.file != 0) {
        let Some(name) = own_files.get(usize::from(record.file) - 1) else { continue };
        let at = files.iter().position(|file| file == name).unwrap_or_else(|| {
            files.push(name.clone());
            files.len() - 1
        });
        record.file = u16::try_from(at + 1).unwrap_or(u16::MAX);
    }
}

/// Puts groups and their rules into the order of a policy; drops rules without a group.
fn in_order(policy: &mut Policy<'_>) {
    policy.groups.sort_by_key(|group| group.role.order());
    let old = std::mem::take(&mut policy.rules);
    for group in &mut policy.groups {
        let start = policy.rules.len();
        policy.rules.extend_from_slice(&old[group.rules.clone()]);
        group.rules = start..policy.rules.len();
    }
}

fn rule_of(group: &detail::Group<'_>, rule: &detail::Rule<'_>, usage: u16, conditions: u32) -> Rule<'static> {
    Rule {
        usage,
        sense: if rule.permits { Sense::Permit } else { Sense::Prohibit },
        pattern: Cow::Owned(rule.pattern.0.to_vec()),
        notation: group.notation,
        combiner: if group.role.is_ranked() { Combiner::LongestMatch } else { Combiner::Specificity },
        silence: Silence::Allowed,
        conditions,
        line: rule.line,
    }
}

/// The number of a usage; adds the usage if it is new.
fn number(policy: &mut Policy<'_>, name: &str) -> u16 {
    policy.usage_named(name).unwrap_or_else(|| {
        policy.usages.push(name.to_owned());
        (robomaton_formats::policy::USAGES.len() + policy.usages.len() - 1) as u16
    })
}
