//! One text, compiled: programs, sets, details. What is left to do for an image is to number things.
//!
//! A document does not know its site, and the same text from many sites is one document, unless it says something
//! about its own host ([`Document::depends_on_origin`]). Documents are made in parallel and joined by `emit`.

use crate::automaton::{self, Tagged};
use crate::limits::LimitName;
use crate::lower::lower;
use crate::policy::{self, Group, Policy};
use crate::{Options, OverLimit, precedence};
use robomaton_formats::layout::MAX_TEXT;
use robomaton_formats::policy::{CRAWL, MAX_ENTRIES, MAX_SETS, NO_PURPOSE};
use robomaton_formats::{Outcome, detail, write};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// The programs that answer for some crawlers: (usage, purpose, index into [`Document::programs`]), sorted.
pub type Set = Vec<(u16, u16, usize)>;

/// A compiled text.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// `Rules`, `Empty` or `OverLimit`.
    pub outcome: Outcome,
    /// What was exceeded, for `OverLimit`.
    pub over_limit: Option<OverLimit>,
    /// Whether the text must be compiled again for each site it was fetched from.
    pub depends_on_origin: bool,
    /// Named crawlers, each with an index into `sets`; ascending by name, or in file order where a profile takes the
    /// first record that fits.
    pub crawlers: Vec<(String, usize)>,
    /// The set of all other crawlers.
    pub default: Option<usize>,
    /// Distinct sets.
    pub sets: Vec<Set>,
    /// Octets of all programs, end to end.
    pub code: Vec<u8>,
    /// Distinct programs, as ranges of `code`.
    pub programs: Vec<Range<usize>>,
    /// The details, encoded.
    pub detail: Vec<u8>,
    /// The text, encoded; empty when images are to hold none.
    pub source: Vec<u8>,
    /// Length of the text in octets.
    pub text_length: usize,
    /// Whether a part of it was left unread, being over the limit of octets (R4).
    pub cut: bool,
    /// How many rules, of all groups.
    pub rules: usize,
}

/// Compiles one text fetched from `origin` (`host[:port]`, for patterns that are absolute URLs).
pub fn compile(text: &[u8], origin: Option<&str>, options: &Options) -> Document {
    let tree = robomaton_grammar::scan(text, options.limits.bytes(options.profile));
    let keep = !options.no_sources && text.len() as u64 <= MAX_TEXT;
    let source = if keep { write::encode_source(text) } else { Vec::new() };
    let mut document =
        Document { source, text_length: text.len(), cut: !tree.unread.is_empty(), ..Document::default() };
    match lower(&tree, origin, options) {
        Ok(policy) => document.fill(&policy),
        Err(over) => document.refuse(over),
    }
    document
}

impl Document {
    fn fill(&mut self, policy: &Policy<'_>) {
        self.outcome = if policy.has_records { Outcome::Rules } else { Outcome::Empty };
        self.depends_on_origin = policy.depends_on_origin;
        self.rules = policy.rules.len();
        let tags = precedence::tags(policy);
        let programs = self.build_programs(policy, &tags);
        match self.choose_sets(policy, &programs) {
            Ok(()) => self.detail = write::encode_detail(&details(policy, &tags)),
            Err(over) => self.refuse(over),
        }
    }

    /// Leaves nothing of what a text says but that it exceeds a limit (R4).
    fn refuse(&mut self, over: OverLimit) {
        *self = Document {
            outcome: Outcome::OverLimit,
            over_limit: Some(over),
            detail: write::encode_detail(&detail::Detail::default()),
            source: std::mem::take(&mut self.source),
            text_length: self.text_length,
            cut: self.cut,
            ..Document::default()
        };
    }

    /// The programs of each group: (usage, index into `programs`). Groups that say the same, as those of a long list of
    /// crawlers often do, share one, which is built once.
    fn build_programs(&mut self, policy: &Policy<'_>, tags: &[u32]) -> Vec<Vec<(u16, usize)>> {
        let mut known: HashMap<Vec<Tagged<'_>>, usize> = HashMap::new();
        let several = policy.groups.len() > 1;
        let notation = policy.profile.notation();
        let mut rules = Vec::new();
        let mut of_usage = |group: &Group<'_>, usage: u16| {
            rules.clear();
            let numbers = group.rules.clone().filter(|&rule| policy.rules[rule].usage == usage);
            rules.extend(
                numbers.map(|rule| Tagged { pattern: policy.rules[rule].pattern(), tag: tags[rule] }),
            );
            // A group with no rule still answers for crawling (R7).
            if rules.is_empty() && usage != CRAWL {
                return None;
            }
            automaton::normalise(&mut rules);
            if several && let Some(&program) = known.get(&rules) {
                return Some((usage, program));
            }
            let start = self.code.len();
            automaton::build(&rules, notation, precedence::silence(usage), &mut self.code);
            self.programs.push(start..self.code.len());
            if several {
                known.insert(rules.clone(), self.programs.len() - 1);
            }
            Some((usage, self.programs.len() - 1))
        };
        let usages = 0..policy::USAGES.len() as u16;
        let mut programs = |group| usages.clone().filter_map(|usage| of_usage(group, usage)).collect();
        policy.groups.iter().map(&mut programs).collect()
    }

    /// Joins the groups of each crawler (R7): its set holds the programs of all of them.
    fn choose_sets(&mut self, policy: &Policy<'_>, programs: &[Vec<(u16, usize)>]) -> Result<(), OverLimit> {
        let first_record = policy.profile.agent_rule() == robomaton_formats::profile::AgentRule::Substring;
        let mut of_name: HashMap<String, usize> = HashMap::new();
        let mut crawlers: Vec<(String, Set)> = Vec::new();
        let mut default: Option<Set> = None;
        for (group, programs) in policy.groups.iter().zip(programs) {
            let own = || programs.iter().map(|&(usage, program)| (usage, NO_PURPOSE, program));
            for name in group.names() {
                let name = name.to_ascii_lowercase();
                match of_name.get(&name) {
                    Some(&known) if !first_record => crawlers[known].1.extend(own()),
                    Some(_) => {}
                    None => {
                        of_name.insert(name.clone(), crawlers.len());
                        crawlers.push((name, own().collect()));
                    }
                }
            }
            if group.is_default() && !(first_record && default.is_some()) {
                default.get_or_insert_default().extend(own());
            }
        }
        if !first_record {
            crawlers.sort_unstable();
        }
        let mut known: HashMap<Set, usize> = HashMap::new();
        let sets = &mut self.sets;
        let mut intern = |mut set: Set| {
            set.sort_unstable();
            set.dedup();
            *known.entry(set).or_insert_with_key(|set| {
                sets.push(set.clone());
                sets.len() - 1
            })
        };
        self.crawlers = crawlers.into_iter().map(|(name, set)| (name, intern(set))).collect();
        self.default = default.map(intern);
        // The format numbers sets, and programs of a set, in two octets; no honest text comes near.
        let line = policy.groups.last().map_or(1, |group| group.line);
        let over = |limit, allowed| OverLimit { limit, allowed, line };
        if self.sets.len() > MAX_SETS {
            return Err(over(LimitName::Sets, MAX_SETS));
        }
        if self.sets.iter().any(|set| set.len() > MAX_ENTRIES) {
            return Err(over(LimitName::Entries, MAX_ENTRIES));
        }
        Ok(())
    }
}

fn details<'p>(policy: &'p Policy<'_>, tags: &[u32]) -> detail::Detail<'p> {
    let extensions = |records: &[policy::Extension]| {
        let record = |record: &policy::Extension| detail::Extension {
            line: record.line,
            key: record.key.clone(),
            value: record.value.clone(),
        };
        records.iter().map(record).collect()
    };
    let group = |group: &'p policy::Group<'_>| detail::Group {
        crawlers: group.names().map(str::to_ascii_lowercase).collect(),
        default: group.is_default(),
        rules: group
            .rules
            .clone()
            .map(|at| {
                let rule = &policy.rules[at];
                let pattern = Cow::Borrowed(rule.pattern.as_ref());
                detail::Rule {
                    line: rule.line,
                    usage: rule.usage,
                    tag: tags[at],
                    notation: rule.notation as u8,
                    pattern,
                }
            })
            .collect(),
        extensions: extensions(&group.extensions),
    };
    detail::Detail {
        groups: policy.groups.iter().map(group).collect(),
        extensions: extensions(&policy.extensions),
    }
}
