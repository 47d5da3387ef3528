//! The lines of a text as they stand in it, for explanations: what a rule was expanded from, and
//! the ACAP fields that give no rule.
//!
//! It reads the trees, and weighs nothing.

use crate::evidence::Evidence;
use crate::rule::speaks_of;
use crate::words::quoted;
use robomaton_compiler::{Policy, referred};
use robomaton_formats::policy::Role;
use robomaton_formats::{Notation, Pattern, purpose};
use robomaton_grammar::acap::{Field, Resource, UsageName, fields};
use robomaton_grammar::{LineKind, Span, Tree, scan};
use robomaton_runtime::DecidingRule;
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};

/// The text of a site, and the files that it refers to, as far as they are at hand.
pub(crate) struct Texts<'a, 's> {
    tree: &'a Tree<'s>,
    /// The trees of files, by their number in the policy.
    files: BTreeMap<u16, Tree<'s>>,
}

/// A permission or prohibition of ACAP that has no effect.
#[derive(Serialize)]
pub(crate) struct Dropped {
    pub(crate) line: u32,
    /// The line as it stands in the text, without its comment.
    pub(crate) written: String,
    pub(crate) why: String,
}

impl<'a, 's> Texts<'a, 's> {
    pub(crate) fn new(tree: &'a Tree<'s>) -> Texts<'a, 's> {
        Texts { tree, files: BTreeMap::new() }
    }

    /// The same with the files that the policy refers to, each read up to a limit.
    pub(crate) fn with_files(
        mut self,
        policy: &Policy<'_>,
        files: &[(&str, &'s [u8])],
        origin: Option<&str>,
        limit: usize,
    ) -> Texts<'a, 's> {
        for (locator, number) in policy.files.iter().zip(1..) {
            let key = referred(locator, origin);
            if let Some((_, text)) = files.iter().find(|(known, _)| key.as_deref() == Some(known)) {
                self.files.insert(number, scan(text, limit));
            }
        }
        self
    }

    /// The line of a rule as it stands in its text, without its comment. `None` if the text is not
    /// at hand, or the rule is in no line of it.
    pub(crate) fn written(&self, rule: &DecidingRule) -> Option<String> {
        if rule.role.is_of_page() || rule.is_implied {
            return None;
        }
        let tree = match &rule.file {
            Some((number, _)) => self.files.get(number)?,
            None => self.tree,
        };
        line_of(tree, rule.line)
    }

    /// The permissions and prohibitions of ACAP in the text that might speak of the query, and give
    /// no rule.
    pub(crate) fn dropped(&self, evidence: &Evidence<'_>) -> Vec<Dropped> {
        if !self.tree.lines.iter().any(|line| line.kind == LineKind::Acap) {
            return Vec::new();
        }
        let fields = fields(self.tree);
        let mut reader = Reader::new(self.tree, evidence);
        for (_, field) in &fields {
            match field {
                Ok(Field::QualifiedUsage { name, .. } | Field::CompositeUsage { name, .. }) => {
                    _ = reader.usages.insert(reader.name(*name));
                }
                Ok(Field::ResourceSet { name, .. }) => _ = reader.sets.insert(reader.name(*name)),
                _ => {}
            }
        }
        let mut dropped = Vec::new();
        // The line of the crawler field that opens the record, and true while others join it.
        let (mut record, mut joins) = (None, false);
        for (index, field) in &fields {
            let line = self.tree.line_number(*index);
            if let Ok(Field::Crawler(_)) = field {
                record = if joins { record } else { Some(line) };
                joins = true;
                continue;
            }
            joins = false;
            if reader.ruled.contains(&line) || !reader.is_for_crawler(record, line) {
                continue;
            }
            let why = match field {
                Ok(
                    Field::Permission { usage, resource, .. } | Field::Prohibition { usage, resource, .. },
                ) => reader.why(*usage, *resource, record.is_some()),
                Err(problem) => reader.is_permission(*index).then(|| problem.message.clone()),
                _ => None,
            };
            if let Some(why) = why {
                let written = line_of(self.tree, line).unwrap_or_default();
                dropped.push(Dropped { line, written, why });
            }
        }
        dropped
    }
}

/// A line as it stands in its text, without its comment.
fn line_of(tree: &Tree<'_>, line: u32) -> Option<String> {
    let line = tree.lines.get((line as usize).checked_sub(1)?)?;
    let text = tree.text(Span { start: line.key.start, end: line.comment.start });
    Some(String::from_utf8_lossy(text.trim_ascii_end()).into_owned())
}

/// True if a line says what its rule says, but for white space, and upper case in the key.
pub(crate) fn is_same(written: &str, rule: &str) -> bool {
    let parts = |text: &str| {
        let (key, value) = text.split_once(':').unwrap_or((text, ""));
        let value: Vec<&str> = value.split_ascii_whitespace().collect();
        (key.trim().to_ascii_lowercase(), value.join(" "))
    };
    parts(written) == parts(rule)
}

/// The fields of a text, and its definitions.
struct Reader<'a, 's> {
    tree: &'a Tree<'s>,
    evidence: &'a Evidence<'a>,
    /// The lines that have rules.
    ruled: HashSet<u32>,
    /// The defined local usages, in lower case.
    usages: HashSet<Vec<u8>>,
    /// The defined resource sets, in lower case.
    sets: HashSet<Vec<u8>>,
}

impl<'a, 's> Reader<'a, 's> {
    fn new(tree: &'a Tree<'s>, evidence: &'a Evidence<'a>) -> Reader<'a, 's> {
        let policy = evidence.policy;
        let own = policy.groups.iter().filter(|group| group.file == 0 && !group.role.is_of_page());
        let ruled = own.flat_map(|group| &policy.rules[group.rules.clone()]).map(|rule| rule.line).collect();
        Reader { tree, evidence, ruled, usages: HashSet::new(), sets: HashSet::new() }
    }

    fn name(&self, name: Span) -> Vec<u8> {
        self.tree.text(name).to_ascii_lowercase()
    }

    /// The name as written, in back quotes.
    fn shown(&self, name: Span) -> String {
        format!("`{}`", String::from_utf8_lossy(self.tree.text(name)))
    }

    /// True if the record that a line belongs to is for the crawler and the purpose, or if it
    /// belongs to none.
    fn is_for_crawler(&self, record: Option<u32>, line: u32) -> bool {
        let Evidence { policy, trace, query } = *self.evidence;
        let Some(first) = record else { return true };
        let is_around = |group: &robomaton_compiler::Group<'_>| {
            group.role == Role::Field && group.file == 0 && (first..=line).contains(&group.line)
        };
        let groups = policy.groups.iter().enumerate().filter(|(_, group)| is_around(group));
        let Some((number, group)) = groups.max_by_key(|(_, group)| group.line) else { return false };
        let is_asked = |pattern: &std::borrow::Cow<'_, [u8]>| purpose::matches(pattern, query.purpose);
        let is_for = group.purposes.is_empty() || group.purposes.iter().any(is_asked);
        is_for && crate::rule::addresses(policy, trace, query, number)
    }

    /// True if a malformed field is a permission or a prohibition.
    fn is_permission(&self, index: usize) -> bool {
        let key = self.name(self.tree.lines[index].key);
        [&b"acap-allow-"[..], b"acap-disallow-"].iter().any(|start| key.starts_with(start))
    }

    /// The reason why a field gives no rule; `None` if it does not speak of the query, or gives
    /// none for another reason.
    fn why(&self, usage: UsageName, resource: Resource, in_record: bool) -> Option<String> {
        let Evidence { query, .. } = *self.evidence;
        if let UsageName::Standard(name) = usage
            && !speaks_of(query.usage, &String::from_utf8_lossy(self.tree.text(name)))
        {
            return None;
        }
        if let Resource::Pattern(span) = resource {
            let text = self.tree.text(span);
            if is_url(text) {
                let url = quoted(&String::from_utf8_lossy(text));
                return Some(format!("{url} is no path of this site"));
            }
            let slash: &[u8] = if text.starts_with(b"/") || text.starts_with(b"*") { b"" } else { b"/" };
            let text = [slash, text].concat();
            let pattern = Pattern { text: &Notation::Acap.pattern(&text), notation: Notation::Acap };
            if !pattern.matches(&Notation::Acap.target(query.target)) {
                return None;
            }
        }
        if !in_record {
            return Some("it stands before any crawler field".to_owned());
        }
        match (usage, resource) {
            (UsageName::Local(name), _) if !self.usages.contains(&self.name(name)) => {
                Some(format!("the usage {} is not defined", self.shown(name)))
            }
            (_, Resource::Set(name)) if !self.sets.contains(&self.name(name)) => {
                Some(format!("the set {} is not defined", self.shown(name)))
            }
            (UsageName::Local(name), Resource::Pattern(_)) => {
                Some(format!("the usage {} stands for no usage", self.shown(name)))
            }
            (_, Resource::Set(name)) => {
                Some(format!("the set {} has no path of this site", self.shown(name)))
            }
            _ => None,
        }
    }
}

/// True for an absolute URL, and for one without its scheme.
fn is_url(text: &[u8]) -> bool {
    let scheme = text.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    text.starts_with(b"//") || scheme > 0 && text[scheme..].starts_with(b"://")
}
