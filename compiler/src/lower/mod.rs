//! First pass: tree → policy. Each profile has a file that says what it reads; this one chooses and keeps limits.
//!
//! Lowering never fails on what a text says; what the grammar could not read has a diagnostic there and is skipped
//! here. It knows nothing of precedence.

mod google;
mod koster;
mod rep;

use crate::Options;
use crate::limits::{LimitName, OverLimit};
use crate::policy::{Agent, Extension, Group, Policy, Rule, Sense};
use robomaton_formats::Profile;
use robomaton_formats::profile::AgentRule;
use robomaton_grammar::{Key, LineKind, Tree};
use std::borrow::Cow;

/// Lowers a tree under the options' profile. `origin` is the authority (`host[:port]`) the text was fetched from.
///
/// # Errors
/// The limit that the text exceeds.
pub fn lower<'s>(tree: &Tree<'s>, origin: Option<&str>, options: &Options) -> Result<Policy<'s>, OverLimit> {
    let mut lowering = Lowering::new(tree, options);
    match options.profile {
        Profile::Full | Profile::Rfc9309 => rep::lower(tree, origin, &mut lowering)?,
        Profile::Google => google::lower(tree, &mut lowering)?,
        Profile::Koster => koster::lower(tree, &mut lowering)?,
    }
    Ok(lowering.finish())
}

/// A policy in the making, and the limits it is held to.
struct Lowering<'s, 'o> {
    policy: Policy<'s>,
    options: &'o Options,
    /// The group being read, if any.
    open: Option<Group<'s>>,
    /// Stars in the rules of the open group.
    stars: usize,
    /// How crawlers are named.
    agent_rule: AgentRule,
    /// The reduced names of the crawlers that the image is narrowed to; empty for all.
    wanted: Vec<String>,
}

impl<'s, 'o> Lowering<'s, 'o> {
    fn new(tree: &Tree<'s>, options: &'o Options) -> Lowering<'s, 'o> {
        let policy = Policy {
            profile: options.profile,
            groups: Vec::with_capacity(tree.groups.len()),
            rules: Vec::new(),
            extensions: Vec::new(),
            depends_on_origin: false,
            has_records: tree.lines.iter().any(|line| matches!(line.kind, LineKind::Field(_))),
        };
        let agent_rule = options.profile.agent_rule();
        let wanted = options.crawlers.iter().map(|name| agent_rule.reduce(name)).collect();
        Lowering { policy, options, open: None, stars: 0, agent_rule, wanted }
    }

    /// Ends the open group, if any, and opens one.
    fn open(&mut self, line: u32) -> Result<(), OverLimit> {
        self.close();
        let allowed = self.options.limits.groups();
        if self.policy.groups.len() == allowed {
            return Err(OverLimit { limit: LimitName::Groups, allowed, line });
        }
        let start = self.policy.rules.len();
        self.open = Some(Group { agents: Vec::new(), rules: start..start, extensions: Vec::new(), line });
        self.stars = 0;
        Ok(())
    }

    fn close(&mut self) {
        if let Some(mut group) = self.open.take() {
            group.rules.end = self.policy.rules.len();
            if !self.wanted.is_empty() {
                group.agents.retain(|agent| match agent {
                    Agent::Any => true,
                    Agent::Named(name) => {
                        self.wanted.iter().any(|wanted| self.agent_rule.names(name, wanted))
                    }
                });
                if group.agents.is_empty() {
                    return self.policy.rules.truncate(group.rules.start);
                }
            }
            self.policy.groups.push(group);
        }
    }

    fn agent(&mut self, agent: Agent<'s>) {
        if let Some(group) = &mut self.open {
            group.agents.push(agent);
        }
    }

    /// Adds a rule to the open group. Does nothing outside a group (R8).
    fn rule(&mut self, usage: u16, sense: Sense, pattern: Cow<'s, [u8]>, line: u32) -> Result<(), OverLimit> {
        if self.open.is_none() {
            return Ok(());
        }
        let notation = self.options.profile.notation();
        let limits = &self.options.limits;
        let over = |limit, allowed| OverLimit { limit, allowed, line };
        if pattern.len() > limits.pattern {
            return Err(over(LimitName::Pattern, limits.pattern));
        }
        if self.policy.rules.len() >= limits.rules {
            return Err(over(LimitName::Rules, limits.rules));
        }
        let rule = Rule { usage, sense, pattern, notation, line };
        if rule.pattern().has_star() {
            self.stars += memchr::memchr_iter(b'*', &rule.pattern).count();
            if self.stars > limits.stars() {
                return Err(over(LimitName::Stars, limits.stars()));
            }
        }
        self.policy.rules.push(rule);
        Ok(())
    }

    /// Keeps an extension record: some keys speak for the whole file, the others for the open group (R18).
    fn extension(&mut self, key: Key, value: &[u8], line: u32) {
        let value = String::from_utf8_lossy(value).into_owned();
        let record = Extension { key: key.name().to_ascii_lowercase(), value, line };
        match (&mut self.open, key) {
            (_, Key::Sitemap | Key::Host | Key::CleanParam) | (None, _) => {
                self.policy.extensions.push(record)
            }
            (Some(group), _) => group.extensions.push(record),
        }
    }

    fn finish(mut self) -> Policy<'s> {
        self.close();
        self.policy
    }
}

/// The number of line `index` as reports count it.
fn number(index: usize) -> u32 {
    index as u32 + 1
}

/// A name as text: what a profile keeps of it is ASCII, or compared as octets of whatever encoding.
fn name_of(octets: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(octets)
}
