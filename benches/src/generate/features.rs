//! The features of a text, as numbers and lists, extracted in the same way from real and generated
//! texts.
//!
//! Only conventional records count; a list of rules is what the compiler builds a program from. It
//! weighs nothing.

use super::model::{Body, List, Text};
use super::words::{kind, shared};
use robomaton_compiler::{Document, Options, Policy, Sense, compile, lower};
use robomaton_corpus::{Looks, sniff};
use robomaton_formats::Outcome;

/// The features of a text.
#[derive(Debug)]
pub(super) struct Features {
    /// The kind of text (`Text::RULES`, …).
    pub(super) kind: u32,
    /// The rules for crawlers without groups of their own, if there is such a group.
    pub(super) body: Option<List>,
    /// The rules of each group that names crawlers.
    pub(super) groups: Vec<List>,
    /// The names in all groups, lower case.
    pub(super) names: Vec<String>,
    /// Sitemap records.
    pub(super) sitemaps: usize,
    /// Crawl-delay records.
    pub(super) delays: usize,
    /// The compiled document.
    pub(super) document: Document,
}

impl Features {
    pub(super) fn of(text: &[u8]) -> Features {
        let options = Options::default();
        let document = compile(text, None, &options);
        let kind = match (document.outcome, sniff(text, None)) {
            (Outcome::Rules, _) => Text::RULES,
            (_, Looks::Text) => Text::EMPTY,
            (_, Looks::Html) => Text::HTML,
            (_, Looks::Binary) => Text::BINARY,
        };
        let mut features = Features {
            kind,
            body: None,
            groups: Vec::new(),
            names: Vec::new(),
            sitemaps: 0,
            delays: 0,
            document,
        };
        let tree = robomaton_grammar::scan(text, options.limits.bytes(options.profile));
        if let Ok(policy) = lower(&tree, None, &options) {
            features.read(&policy);
        }
        features
    }

    fn read(&mut self, policy: &Policy<'_>) {
        let of_groups = policy.groups.iter().flat_map(|group| &group.extensions);
        self.sitemaps = of_groups.chain(&policy.extensions).filter(|record| record.key == "sitemap").count();
        for group in policy.groups.iter().filter(|group| group.names_crawlers()) {
            let rules = policy.rules[group.rules.clone()].iter().filter(|rule| rule.is_crawl());
            let list: List = rules
                .map(|rule| {
                    (rule.sense == Sense::Permit, String::from_utf8_lossy(&rule.pattern).into_owned())
                })
                .collect();
            self.delays += group.schedule.as_ref().map_or(0, |schedule| schedule.delays.len());
            let names = self.names.len();
            self.names.extend(group.names().map(str::to_ascii_lowercase));
            if group.is_default() {
                self.body.get_or_insert_default().extend(list);
            } else if self.names.len() > names {
                self.groups.push(list);
            }
        }
    }

    /// The numbers of the text; `body` identifies its rules, as in [`Text::body`].
    pub(super) fn shape(&self, bytes: usize, body: u32) -> Text {
        let mut lists: Vec<&List> = self.groups.iter().collect();
        lists.sort_unstable();
        lists.dedup();
        Text {
            bytes: bytes as u32,
            kind: self.kind,
            body,
            groups: self.groups.len() as u32,
            names: self.names.len() as u32,
            rules: self.groups.iter().map(|list| list.len() as u32).sum(),
            lists: lists.len() as u32,
            sitemaps: self.sitemaps as u32,
            delays: self.delays as u32,
            own: self.body.as_ref().filter(|_| body == Text::OWN).map(numbers).unwrap_or_default(),
        }
    }
}

/// The numbers of a list of rules.
pub(super) fn numbers(list: &List) -> Body {
    let count =
        |wanted: &dyn Fn(&(bool, String)) -> bool| list.iter().filter(|rule| wanted(rule)).count() as u32;
    let mut sorted: Vec<&str> = list.iter().map(|(_, pattern)| pattern.as_str()).collect();
    sorted.sort_unstable();
    sorted.dedup();
    Body {
        bytes: list.iter().map(|(_, pattern)| pattern.len() as u32).sum(),
        rules: list.len() as u32,
        allows: count(&|(allow, _)| *allow),
        starred: count(&|(_, pattern)| kind(pattern) & 1 > 0),
        anchored: count(&|(_, pattern)| kind(pattern) & 2 > 0),
        shared: sorted.windows(2).map(|pair| shared(pair[0], pair[1]) as u32).sum(),
    }
}
