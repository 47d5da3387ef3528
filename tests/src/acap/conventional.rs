//! The conventional records of a file (R5 to R14, R18), for files with or without ACAP records.
//!
//! Groups are read alike in both. With ACAP, lines under an `ACAP-crawler` line do not count until
//! the next `User-agent` line, but a rule there still closes a list of agents (15, V53). In version
//! 0.2 they make a group for the crawlers of the record (36).

use super::document::{is_known, is_of_group};
use super::name::{self, Asker};
use super::scope::{self, Symbol};
use super::text::{self, Record};
use crate::oracle::{self, Tok, behind_own_host, bytes, matches, rule_path};

pub(super) struct Group {
    pub(super) names: Vec<String>,
    pub(super) rules: Vec<Rule>,
    /// The group of an ACAP record (36).
    of_acap: bool,
}

#[derive(Clone)]
pub(super) struct Rule {
    usage: &'static str,
    pub(super) allow: bool,
    pub(super) line: u32,
    pub(super) pattern: Vec<Tok>,
    /// The length of the canonical pattern in bytes, including wildcards.
    pub(super) length: usize,
    /// The same pattern as ACAP reads it, for comparison with ACAP patterns.
    pub(super) scope: Vec<Symbol>,
}

/// R6, R8, R14. `strict`: lines under an ACAP record do not count; otherwise they belong to its
/// crawlers.
pub(super) fn groups(robots: &[u8], origin: Option<&str>, strict: bool) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut naming = false;
    let mut behind_names: Vec<Group> = Vec::new();
    // The crawlers of the ACAP record around the line, and whether its next `ACAP-crawler` line
    // adds to them.
    let mut record: Option<Vec<String>> = None;
    let mut crawlers = false;
    // The group of that record, once it has a conventional line.
    let mut inside: Option<usize> = None;
    for Record { line, key, value } in text::records(robots) {
        if let Some(key) = key.strip_prefix("acap-") {
            if key == "crawler" {
                let names = record.get_or_insert_default();
                if !crawlers {
                    names.clear();
                    inside = None;
                }
                names.push(name::of_value(value));
            }
            crawlers = key == "crawler" || crawlers && !is_known(key);
            continue;
        }
        let (usage, allow) = match key.as_str() {
            "user-agent" => {
                if !naming {
                    groups.push(Group { names: Vec::new(), rules: Vec::new(), of_acap: false });
                }
                let names =
                    groups.iter_mut().rev().find(|group| !group.of_acap).map(|group| &mut group.names);
                names.into_iter().for_each(|names| names.push(oracle::agent(value)));
                let rule = oracle::rule_behind(value).and_then(|rule| rule_path(rule, true, origin));
                let names = vec![oracle::agent(value)];
                behind_names.extend(rule.map(|path| Group {
                    names,
                    rules: vec![rule_of("crawl", &path, false, line)],
                    of_acap: false,
                }));
                naming = true;
                (record, crawlers, inside) = (None, false, None);
                continue;
            }
            "allow" => ("crawl", true),
            "disallow" => ("crawl", false),
            "noindex" => ("index", false),
            other if is_of_group(other) => ("", false),
            _ => continue,
        };
        naming &= usage != "crawl"; // R6: only crawling rules close the list of agents
        crawlers &= strict;
        let group = match &record {
            None => groups.iter_mut().rev().find(|group| !group.of_acap), // R8
            Some(_) if strict => None,
            Some(names) => {
                let at = *inside.get_or_insert(groups.len());
                if at == groups.len() {
                    groups.push(Group { names: names.clone(), rules: Vec::new(), of_acap: true });
                }
                groups.get_mut(at)
            }
        };
        let Some(group) = group.filter(|_| !usage.is_empty()) else { continue };
        let paths = [rule_path(value, !allow, origin), behind_own_host(value, origin).filter(|_| !allow)];
        group.rules.extend(paths.into_iter().flatten().map(|path| rule_of(usage, &path, allow, line)));
    }
    groups.extend(behind_names);
    groups.into_iter().flat_map(with_any).collect()
}

fn rule_of(usage: &'static str, path: &[u8], allow: bool, line: u32) -> Rule {
    let pattern = bytes(path, true);
    let length = pattern.iter().map(|tok| if matches!(tok, Tok::Escaped(_)) { 3 } else { 1 }).sum();
    Rule { usage, allow, line, pattern, length, scope: scope::symbols(path) }
}

/// A group and, if it is that of a record whose crawler has no name, what it prohibits for any
/// crawler (40).
fn with_any(group: Group) -> impl Iterator<Item = Group> {
    let is_unnamed = group.of_acap && group.names.iter().any(String::is_empty);
    let for_any = is_unnamed.then(|| Group {
        names: vec!["*".to_owned()],
        rules: group.rules.iter().filter(|rule| !rule.allow).cloned().collect(),
        of_acap: true,
    });
    std::iter::once(group).chain(for_any)
}

pub(super) fn knows(groups: &[Group], asker: &Asker) -> bool {
    groups.iter().any(|group| asker.is_named(&group.names))
}

/// R7: the rules of one usage that apply to a crawler.
fn chosen<'g>(groups: &'g [Group], asker: Option<&Asker>, usage: &str) -> Vec<&'g Rule> {
    let asker = asker.filter(|asker| knows(groups, asker));
    let groups = groups.iter().filter(|group| match asker {
        Some(asker) => asker.is_named(&group.names),
        None => group.names.iter().any(|name| name == "*"),
    });
    groups.flat_map(|group| &group.rules).filter(|rule| rule.usage == usage).collect()
}

/// The rules that match.
pub(super) fn matching<'g>(
    groups: &'g [Group],
    asker: Option<&Asker>,
    usage: &str,
    target: &[u8],
) -> Vec<&'g Rule> {
    let subject = bytes(target, false);
    let mut rules = chosen(groups, asker, usage);
    rules.retain(|rule| matches(&rule.pattern, &subject));
    rules
}

/// R12. Among patterns of equal length and sense, the one with the higher symbols, then the first
/// in the file.
pub(super) fn winner<'g>(rules: &[&'g Rule]) -> Option<&'g Rule> {
    let symbol = |tok: &Tok| match *tok {
        Tok::End => 1,
        Tok::Star => 2,
        Tok::Byte(byte) | Tok::Escaped(byte) => 3 + u16::from(byte),
    };
    let symbols = |rule: &Rule| rule.pattern.iter().map(symbol).collect::<Vec<u16>>();
    rules.iter().rev().max_by_key(|rule| (rule.length, rule.allow, symbols(rule))).copied()
}

/// R13.
pub(super) fn is_robots_txt(target: &[u8]) -> bool {
    bytes(target, false) == bytes(b"/robots.txt", false)
}
