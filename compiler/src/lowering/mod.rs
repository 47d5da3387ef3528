//! A policy under construction: languages add groups, rules and records to it, within the limits.
//!
//! [`crate::lower`] makes one for each text and passes it to each language. Invariants: the
//! finished policy respects every [`crate::Limits`], and holds only the crawlers to which the image
//! is restricted. This module does not know the meaning of a record.

pub(crate) mod preferences;
mod schedule;

use crate::Options;
use crate::limits::{LimitName, OverLimit};
use crate::policy::{Agent, Combiner, Extension, Group, Policy, Rule, Sense};
use robomaton_formats::agent::other_names;
use robomaton_formats::condition::Condition;
use robomaton_formats::policy::{Role, USAGES};
use robomaton_formats::profile::AgentRule;
use robomaton_formats::program::Silence;
use robomaton_formats::vocabulary::{control_tokens, usage_of_label};
use robomaton_formats::{Notation, Profile, Scheme};
use robomaton_grammar::{Key, LineKind, Tree};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// A policy under construction, with its limits.
pub(crate) struct Lowering<'s, 'o> {
    pub(crate) policy: Policy<'s>,
    pub(crate) options: &'o Options,
    /// The number of the file that is read; 0 for robots.txt.
    pub(crate) file: u16,
    /// The open group, if any.
    pub(crate) open: Option<Group<'s>>,
    /// Stars in the rules of the open group.
    stars: usize,
    /// The first line of each group, including groups of crawlers that the image leaves out: it
    /// ends the group before it, and limits count all groups of the text (R4).
    pub(crate) starts: Vec<u32>,
    /// Rules of all groups, likewise.
    rules: usize,
    /// How crawlers are named.
    agent_rule: AgentRule,
    /// The reduced names of the crawlers to which the image is restricted; empty for all.
    wanted: HashSet<String>,
    /// The authority (`host[:port]`) from which the text was fetched.
    pub(crate) origin: Option<String>,
    /// The scheme of the site, if it is known.
    pub(crate) scheme: Option<Scheme>,
    /// The RSL documents that are at hand.
    pub(crate) licenses: preferences::Documents,
    /// Statements in the modern languages count only where they do not permit.
    pub(crate) only_refusals: bool,
    /// Statements in the modern languages.
    preferences: preferences::Preferences<'s>,
    /// The text may have general names (decision 41).
    has_versions: bool,
    /// Indexes of the sets of conditions in the policy, plus one.
    conditions: HashMap<Vec<Condition>, u32>,
}

/// A record of a referred file counts as one more rule for each of so many bytes.
const BYTES_OF_RECORD: usize = 256;

/// A rule to be added to the open group.
pub(crate) struct Draft<'s> {
    pub(crate) usage: u16,
    pub(crate) sense: Sense,
    pub(crate) pattern: Cow<'s, [u8]>,
    pub(crate) notation: Notation,
    pub(crate) combiner: Combiner,
    pub(crate) silence: Silence,
    pub(crate) conditions: u32,
    pub(crate) line: u32,
}

impl<'s, 'o> Lowering<'s, 'o> {
    pub(crate) fn new(tree: &Tree<'s>, options: &'o Options) -> Lowering<'s, 'o> {
        let policy = Policy {
            profile: options.profile,
            groups: Vec::with_capacity(tree.groups.len()),
            rules: Vec::with_capacity(
                tree.groups.first().map_or(0, |first| tree.lines.len() - first.start as usize),
            ),
            extensions: Vec::new(),
            usages: Vec::new(),
            conditions: Vec::new(),
            files: Vec::new(),
            ends: Vec::new(),
            references: Vec::new(),
            is_acap: false,
            depends_on_origin: false,
            has_records: tree.lines.iter().any(|line| matches!(line.kind, LineKind::Field(_))),
            rule_sets: Vec::new(),
            preferences: Vec::new(),
        };
        let agent_rule = options.profile.agent_rule();
        let mut wanted: HashSet<String> =
            options.crawlers.iter().map(|name| agent_rule.reduce(name)).collect();
        if !wanted.is_empty() {
            // The groups of control tokens speak of other crawlers.
            let tokens = control_tokens().iter().chain(&options.tokens);
            wanted.extend(tokens.map(|token| agent_rule.reduce(&token.name)));
        }
        let has_versions = options.profile == Profile::Full && tree.has(Key::RobotVersion);
        Lowering {
            policy,
            options,
            open: None,
            stars: 0,
            starts: Vec::new(),
            rules: 0,
            agent_rule,
            wanted,
            has_versions,
            file: 0,
            origin: None,
            scheme: None,
            licenses: preferences::Documents::default(),
            only_refusals: false,
            preferences: preferences::Preferences::default(),
            conditions: HashMap::new(),
        }
    }

    /// Closes the open group, if any, and opens a conventional one.
    pub(crate) fn open(&mut self, line: u32) -> Result<(), OverLimit> {
        self.open_as(Role::Conventional, line)
    }

    /// Closes the open group, if any, and opens one.
    pub(crate) fn open_as(&mut self, role: Role, line: u32) -> Result<(), OverLimit> {
        self.close();
        let allowed = self.options.limits.groups();
        if self.starts.len() >= allowed {
            return Err(OverLimit { limit: LimitName::Groups, allowed, line });
        }
        self.starts.push(line);
        let start = self.policy.rules.len();
        self.open = Some(Group {
            role,
            agents: Vec::new(),
            purposes: Vec::new(),
            incomplete: false,
            file: self.file,
            rules: start..start,
            extensions: Vec::new(),
            schedule: None,
            line,
        });
        self.stars = 0;
        Ok(())
    }

    pub(crate) fn close(&mut self) {
        if let Some(mut group) = self.open.take() {
            group.rules.end = self.policy.rules.len();
            if !self.wanted.is_empty() {
                group.agents.retain(|agent| match agent {
                    Agent::Any => true,
                    Agent::Named(name) => self.is_wanted(name),
                });
                if group.agents.is_empty() {
                    self.close_preferences(None);
                    return self.policy.rules.truncate(group.rules.start);
                }
            }
            self.close_preferences(Some((group.file, group.line)));
            self.policy.groups.push(group);
        }
    }

    /// True if a group with this name may apply to a crawler of the options.
    fn is_wanted(&self, name: &str) -> bool {
        // A general name applies to all names that begin like it.
        let begins = |wanted: &str| {
            self.has_versions
                && wanted.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
        };
        let is_named = |wanted: &String| self.agent_rule.names(name, wanted) || begins(wanted);
        self.wanted.iter().any(is_named) || other_names(name).iter().any(|other| self.wanted.contains(other))
    }

    pub(crate) fn agent(&mut self, agent: Agent<'s>) {
        if let Some(group) = &mut self.open {
            group.agents.push(agent);
        }
    }

    /// Adds a rule to the open group, within the limits. Does nothing outside a group (R8).
    pub(crate) fn push(&mut self, draft: Draft<'s>) -> Result<(), OverLimit> {
        if self.open.is_none() {
            return Ok(());
        }
        let Draft { usage, sense, pattern, notation, combiner, silence, conditions, line } = draft;
        let limits = &self.options.limits;
        let over = |limit, allowed| OverLimit { limit, allowed, line };
        if pattern.len() > limits.pattern {
            return Err(over(LimitName::Pattern, limits.pattern));
        }
        if self.rules >= limits.rules {
            return Err(over(LimitName::Rules, limits.rules));
        }
        let rule = Rule { usage, sense, pattern, notation, combiner, silence, conditions, line };
        self.stars += rule.pattern().stars();
        limits.check_stars(self.stars, line)?;
        self.rules += 1;
        self.policy.rules.push(rule);
        Ok(())
    }

    /// The number of a usage, given its name or a label of it. Unknown names also get one (decision
    /// 18).
    pub(crate) fn usage(&mut self, name: &str, line: u32) -> Result<u16, OverLimit> {
        let name = usage_of_label(name).unwrap_or(name);
        if let Some(usage) = self.policy.usage_named(name) {
            return Ok(usage);
        }
        let allowed = self.options.limits.usages;
        if self.policy.usages.len() >= allowed {
            return Err(OverLimit { limit: LimitName::Usages, allowed, line });
        }
        self.policy.usages.push(name.to_ascii_lowercase());
        Ok((USAGES.len() + self.policy.usages.len() - 1) as u16)
    }

    /// The index of a set of conditions in the policy plus one; 0 for none.
    pub(crate) fn conditions(&mut self, conditions: Vec<Condition>, line: u32) -> Result<u32, OverLimit> {
        if conditions.is_empty() {
            return Ok(0);
        }
        let allowed = self.options.limits.conditions;
        if conditions.len() > allowed {
            return Err(OverLimit { limit: LimitName::Conditions, allowed, line });
        }
        let sets = &mut self.policy.conditions;
        Ok(*self.conditions.entry(conditions).or_insert_with_key(|set| {
            sets.push(set.clone());
            sets.len() as u32
        }))
    }

    /// Counts a record of a file that the text refers to as a rule, and more for a long one: each
    /// reference to the file adds it once more (R4).
    fn count_referred(&mut self, bytes: usize, line: u32) -> Result<(), OverLimit> {
        if self.file == 0 {
            return Ok(());
        }
        self.rules += 1 + bytes / BYTES_OF_RECORD;
        let allowed = self.options.limits.rules;
        if self.rules > allowed { Err(OverLimit { limit: LimitName::Rules, allowed, line }) } else { Ok(()) }
    }

    /// Keeps an extension record: for the whole file or for the open group, depending on the key
    /// (R18). Records about time are also added to the group's schedule.
    pub(crate) fn extension(&mut self, key: Key, value: &'s [u8], line: u32) -> Result<(), OverLimit> {
        self.count_referred(value.len(), line)?;
        let record =
            Extension { key: Cow::Borrowed(key.lower_name()), value: String::from_utf8_lossy(value), line };
        match (&mut self.open, key) {
            (_, Key::Sitemap | Key::Host | Key::CleanParam) | (None, _) => {
                self.policy.extensions.push(record);
            }
            (Some(group), _) => {
                group.extensions.push(record);
                let allowed = self.options.limits.times;
                if !schedule::add(&mut group.schedule, key, value, allowed) {
                    return Err(OverLimit { limit: LimitName::Times, allowed, line });
                }
            }
        }
        Ok(())
    }

    /// Keeps the record of an unknown key as written.
    ///
    /// # Errors
    /// If a file that the text refers to has too many.
    pub(crate) fn unknown(&mut self, key: &[u8], value: &'s [u8], line: u32) -> Result<(), OverLimit> {
        self.count_referred(key.len() + value.len(), line)?;
        let key = String::from_utf8_lossy(key).to_ascii_lowercase();
        let record = Extension { key: Cow::Owned(key), value: String::from_utf8_lossy(value), line };
        match &mut self.open {
            Some(group) => group.extensions.push(record),
            None => self.policy.extensions.push(record),
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Policy<'s> {
        self.close();
        self.finish_preferences();
        self.policy
    }
}

/// The line number of line `index`, as in reports.
pub(crate) fn number(index: usize) -> u32 {
    index as u32 + 1
}

/// A name as text. Names in this profile are ASCII, or compared as bytes of any encoding.
pub(crate) fn name_of(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}
