//! robots.txt: groups, their records, and crawling.
//!
//! Reads the lines with R1 to R8 and keeps the records of every language that stands in the file;
//! the languages look up their own. ai.txt has the same shape and is read here, too. Invariant: the
//! groups of a crawler are selected once, and for all languages alike. This file does not know what
//! the records of other languages mean, only that `Content-Usage` closes the list of agents.

use super::Profile;
use crate::oracle::{self, Tok, bytes, lines, matches, rule_path};

/// The keys that the oracle knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Allow,
    Disallow,
    ContentUsage,
    ContentSignal,
    License,
    AllowAiTraining,
    DisallowAiTraining,
    Noindex,
    CleanParam,
}

/// A line of the file.
#[derive(Clone, Debug)]
pub(super) struct Record {
    /// From 1.
    pub(super) line: u32,
    pub(super) key: Key,
    /// Without the comment and outer white space.
    pub(super) value: Vec<u8>,
}

/// The records of a file.
#[derive(Debug, Default)]
pub(super) struct File {
    /// The records before the first group.
    pub(super) leading: Vec<Record>,
    groups: Vec<(Vec<String>, Vec<Record>)>,
    /// The origin of the file.
    origin: String,
}

/// A pattern with the length by which it ranks.
pub(super) struct Pattern {
    toks: Vec<Tok>,
    /// Bytes of the canonical form (R12).
    pub(super) length: usize,
}

impl Pattern {
    /// R10, R11.
    pub(super) fn new(text: &[u8]) -> Pattern {
        let toks = bytes(text, true);
        let length = toks.iter().map(|tok| if matches!(tok, Tok::Escaped(_)) { 3 } else { 1 }).sum();
        Pattern { toks, length }
    }

    /// The pattern matches a request target.
    pub(super) fn matches(&self, target: &[u8]) -> bool {
        matches(&self.toks, &bytes(target, false))
    }
}

impl File {
    /// R1 to R8.
    pub(super) fn read(text: &[u8], origin: &str, profile: Profile) -> File {
        let mut file = File { origin: origin.to_owned(), ..File::default() };
        let mut is_open = false;
        let mut behind_names = Vec::new();
        for (line, text) in (1..).zip(lines(text)) {
            let (key, value) = match oracle::record(text) {
                Some(("user-agent", value)) => {
                    if !is_open {
                        file.groups.push((Vec::new(), Vec::new()));
                    }
                    is_open = true;
                    if let Some((agents, _)) = file.groups.last_mut() {
                        agents.push(oracle::agent(value));
                    }
                    if let Some(rule) = oracle::rule_behind(value) {
                        let rule = Record { line, key: Key::Disallow, value: rule.to_vec() };
                        behind_names.push((vec![oracle::agent(value)], vec![rule]));
                    }
                    continue;
                }
                Some(("allow", value)) => (Key::Allow, value),
                Some((_, value)) => (Key::Disallow, value),
                None => match further(text) {
                    Some(record) if profile == Profile::Full => record,
                    // R18: an extension of the conventional records.
                    Some(record) if profile == Profile::Rfc9309 && record.0 == Key::Noindex => record,
                    _ => continue,
                },
            };
            if matches!(key, Key::Allow | Key::Disallow | Key::ContentUsage) {
                is_open = false;
            }
            let records = file.groups.last_mut().map_or(&mut file.leading, |(_, records)| records);
            records.push(Record { line, key, value: value.to_vec() });
        }
        file.groups.extend(behind_names);
        file
    }

    /// Without the groups for all crawlers, if only groups that name the crawler count.
    pub(super) fn only_named(mut self, named_only: bool) -> File {
        if named_only {
            self.groups.iter_mut().for_each(|(agents, _)| agents.retain(|agent| agent != "*"));
        }
        self
    }

    /// The first of the crawler's names that has a group, else `*`, if that has one (R5, R7).
    pub(super) fn selected(&self, agents: &[&str]) -> Option<String> {
        let tokens = agents.iter().map(|agent| oracle::token(agent.as_bytes()));
        let mut names = tokens.filter(|token| !token.is_empty()).chain(["*".to_owned()]);
        names.find(|name| self.has(name))
    }

    /// A group names this token.
    pub(super) fn has(&self, name: &str) -> bool {
        self.groups.iter().any(|(agents, _)| agents.iter().any(|agent| agent == name))
    }

    /// The records with these keys in the groups of a token, in file order.
    pub(super) fn of(&self, name: &str, keys: &[Key]) -> Vec<&Record> {
        let groups = self.groups.iter().filter(|(agents, _)| agents.iter().any(|agent| agent == name));
        groups.flat_map(|(_, records)| records).filter(|record| keys.contains(&record.key)).collect()
    }

    /// The records before the first group with this key.
    pub(super) fn leading(&self, key: Key) -> Vec<&Record> {
        self.leading.iter().filter(|record| record.key == key).collect()
    }

    /// All records with this key, wherever they stand, in file order.
    pub(super) fn all(&self, key: Key) -> Vec<&Record> {
        let in_groups = self.groups.iter().flat_map(|(_, records)| records);
        self.leading.iter().chain(in_groups).filter(|record| record.key == key).collect()
    }

    /// The matching records among those whose values are patterns (R14), with their lengths.
    pub(super) fn matching<'r>(&self, records: &[&'r Record], target: &[u8]) -> Vec<(usize, &'r Record)> {
        let mut matching = Vec::new();
        for record in records {
            let prohibits = !matches!(record.key, Key::Allow | Key::AllowAiTraining);
            let is_rule = matches!(record.key, Key::Disallow | Key::Noindex);
            let bare = oracle::behind_own_host(&record.value, Some(&self.origin)).filter(|_| is_rule);
            for path in rule_path(&record.value, prohibits, Some(&self.origin)).into_iter().chain(bare) {
                let pattern = Pattern::new(&path);
                if pattern.matches(target) {
                    matching.push((pattern.length, *record));
                }
            }
        }
        matching
    }

    /// Crawling by RFC 9309: the permission, and the line that decides.
    pub(super) fn crawl(&self, agents: &[&str], target: &[u8]) -> (bool, Option<u32>) {
        if bytes(target, false) == bytes(b"/robots.txt", false) {
            return (true, None); // R13
        }
        let Some(name) = self.selected(agents) else { return (true, None) };
        let rules = self.matching(&self.of(&name, &[Key::Allow, Key::Disallow]), target);
        // R12; the first in the file of several that decide.
        let best = rules.iter().rev().max_by_key(|(length, rule)| (*length, rule.key == Key::Allow));
        best.map_or((true, None), |(_, rule)| (rule.key == Key::Allow, Some(rule.line)))
    }
}

/// The key and the value of a line of another language.
fn further(line: &[u8]) -> Option<(Key, &[u8])> {
    let has_colon = line.contains(&b':');
    oracle::split(line, |name| match name {
        "content-usage" => Some(Key::ContentUsage),
        "content-signal" => Some(Key::ContentSignal),
        "license" => Some(Key::License),
        "noindex" => Some(Key::Noindex),
        "clean-param" => Some(Key::CleanParam),
        "content-signals" if has_colon => Some(Key::ContentSignal),
        "allowaitraining" if has_colon => Some(Key::AllowAiTraining),
        "disallowaitraining" if has_colon => Some(Key::DisallowAiTraining),
        _ => None,
    })
}

/// The longest of some matching records, all of equal length.
pub(super) fn longest<R>(matching: Vec<(usize, R)>) -> Vec<R> {
    let best = matching.iter().map(|(length, _)| *length).max();
    matching.into_iter().filter(|(length, _)| Some(*length) == best).map(|(_, record)| record).collect()
}
