//! The conventional records, read by RFC 9309 and R1–R18 (profiles `full` and `rfc9309`).
//!
//! This file also makes the groups for records of other languages, and passes those records to
//! their language. Rules on suspended lines, such as those inside ACAP records, have no effect
//! (V53). Their groups exist nevertheless, and what other languages refuse there counts for the
//! user-agents above (decision 40).

use super::own_path::{Reading, bare_host, is_alike, own_path};
use super::{Language, Lints, Source, reader};
use crate::limits::OverLimit;
use crate::lowering::{Lowering, number};
use crate::policy::{Agent, Combiner, Sense};
use robomaton_formats::agent::name_text;
use robomaton_formats::program::Silence;
use robomaton_formats::{Notation, policy};
use robomaton_grammar::{Key, Line, LineKind, Tree, rule_behind_name};
use std::borrow::Cow;

pub(super) struct Conventional;

impl Language for Conventional {
    fn usages(&self) -> &'static [&'static str] {
        &["crawl", "index"]
    }

    fn combiner(&self) -> Combiner {
        Combiner::LongestMatch
    }

    /// `Noindex` refuses what it matches and says nothing about the rest.
    fn silence(&self, usage: u16) -> Silence {
        if usage == policy::CRAWL { Silence::Allowed } else { Silence::Unknown }
    }

    fn lints(&self) -> &'static [Lints] {
        &[Lints::Conventional]
    }

    fn lower<'s>(&self, source: &Source<'_, 's>, lowering: &mut Lowering<'s, '_>) -> Result<(), OverLimit> {
        let Source { tree, context, .. } = *source;
        let mut groups = tree.groups.iter().peekable();
        // A record of another language closed the list of user-agents.
        let mut closed = false;
        let mut behind_names = Vec::new();
        for (index, line) in tree.lines.iter().enumerate() {
            if groups.next_if(|group| group.start as usize == index).is_some() {
                lowering.open(number(index))?;
                closed = false;
            }
            let value = tree.text(line.value);
            match line.kind {
                LineKind::Field(Key::UserAgent) => {
                    if std::mem::take(&mut closed) {
                        lowering.open(number(index))?;
                    }
                    let Some(agent) = agent(value) else { continue };
                    if let Some(rule) = rule_behind_name(value).filter(|_| !source.is_suspended(index)) {
                        behind_names.push((index, agent.clone(), rule));
                    }
                    lowering.agent(agent);
                }
                LineKind::Field(key) if !is_of_group(key) => {
                    closed |= self.record_on(tree, index, context.origin, lowering)?;
                }
                _ if source.is_suspended(index) => {
                    if source.suspended.as_ref().is_some_and(|suspended| !suspended.reads_them) {
                        self.refusals_on(tree, index, lowering)?;
                    }
                }
                _ => closed |= self.record_on(tree, index, context.origin, lowering)?,
            }
        }
        // Versions are of whole groups.
        if !behind_names.is_empty() && !tree.has(Key::RobotVersion) {
            self.rules_behind_names(behind_names, context.origin, lowering)?;
        }
        Ok(())
    }
}

impl Conventional {
    /// Adds rules that stand behind names: the index of the line, the name, and the path. Each is a
    /// group beside the one of its line, which it neither ends nor takes a name from (R5).
    fn rules_behind_names<'s>(
        &self,
        rules: Vec<(usize, Agent<'s>, &'s [u8])>,
        origin: Option<&str>,
        lowering: &mut Lowering<'s, '_>,
    ) -> Result<(), OverLimit> {
        let starts = lowering.starts.len();
        for (index, agent, value) in rules {
            lowering.open(number(index))?;
            lowering.agent(agent);
            if let Some(pattern) = pattern(value, origin, true, lowering) {
                self.rule((policy::CRAWL, Sense::Prohibit), pattern, number(index), lowering)?;
            }
        }
        lowering.starts.truncate(starts);
        Ok(())
    }

    /// Adds the record on a line, and what other languages read in it, to the open group, whoever
    /// the group is for, or to the whole file. Returns true if it closes the list of user-agents.
    ///
    /// # Errors
    /// The limit that the text exceeds.
    pub(super) fn record_on<'s>(
        &self,
        tree: &Tree<'s>,
        index: usize,
        origin: Option<&str>,
        lowering: &mut Lowering<'s, '_>,
    ) -> Result<bool, OverLimit> {
        let line = &tree.lines[index];
        let value = tree.text(line.value);
        if let LineKind::Field(key) = line.kind {
            if let Some(statement) = statement(key) {
                let refuses = statement.1 == Sense::Prohibit;
                if let Some(pattern) = pattern(value, origin, refuses, lowering) {
                    self.rule(statement, pattern, number(index), lowering)?;
                }
                if refuses && let Some(path) = behind_own_host(value, origin, lowering) {
                    self.rule(statement, slashed(path), number(index), lowering)?;
                }
                return Ok(false);
            }
            lowering.extension(key, value, number(index))?;
        }
        foreign(tree, line, number(index), lowering)
    }

    /// Adds what other languages refuse on a line, and nothing else.
    pub(super) fn refusals_on<'s>(
        &self,
        tree: &Tree<'s>,
        index: usize,
        lowering: &mut Lowering<'s, '_>,
    ) -> Result<(), OverLimit> {
        lowering.only_refusals = true;
        let closes_agents = foreign(tree, &tree.lines[index], number(index), lowering);
        lowering.only_refusals = false;
        closes_agents.map(|_| ())
    }
}

/// The canonical pattern of a rule's value, by R14, then R10; `None` if the rule matches nothing.
/// `refuses` says that the rule prohibits.
pub(super) fn pattern<'v>(
    value: &'v [u8],
    origin: Option<&str>,
    refuses: bool,
    lowering: &mut Lowering<'_, '_>,
) -> Option<Cow<'v, [u8]>> {
    let value = if refuses { visible(value) } else { value };
    match value {
        [] => None,
        [b'/' | b'*', ..] => Some(Notation::Rep.pattern(value)),
        _ => {
            let url = own_path(value, origin);
            lowering.policy.depends_on_origin |= url.is_some();
            match url {
                Some(Reading::Own(path)) => Some(slashed(path)),
                Some(Reading::OfSomeHost(path)) => refuses.then(|| slashed(path)),
                Some(Reading::Elsewhere) => None,
                None => Some(slashed(value)),
            }
        }
    }
}

/// A value without the invisible characters around it, which no author sees, and without the white
/// space between them (R14); unless it has no others.
fn visible(value: &[u8]) -> &[u8] {
    let mut rest = value;
    loop {
        rest = match rest {
            [] => return value,
            [b' ' | b'\t', inner @ ..] | [inner @ .., b' ' | b'\t'] => inner,
            [0xC2, 0xA0, inner @ ..] | [inner @ .., 0xC2, 0xA0] => inner,
            [0xEF, 0xBB, 0xBF, inner @ ..] | [inner @ .., 0xEF, 0xBB, 0xBF] => inner,
            [0xE2, 0x80, 0x8B..=0x8F, inner @ ..] | [inner @ .., 0xE2, 0x80, 0x8B..=0x8F] => inner,
            _ => return rest,
        }
    }
}

/// The path in a value that is the file's own host without a scheme, and its path (R14).
fn behind_own_host<'v>(
    value: &'v [u8],
    origin: Option<&str>,
    lowering: &mut Lowering<'_, '_>,
) -> Option<&'v [u8]> {
    let (host, path) = bare_host(visible(value))?;
    lowering.policy.depends_on_origin = true;
    origin.is_some_and(|origin| is_alike(host, origin)).then_some(path)
}

/// Passes a record to the language that reads its key, if there is one. Returns true if the record
/// closes the list of user-agents.
fn foreign<'s>(
    tree: &Tree<'s>,
    line: &Line,
    number: u32,
    lowering: &mut Lowering<'s, '_>,
) -> Result<bool, OverLimit> {
    let Some(language) = reader(lowering.options.profile, tree, line) else { return Ok(false) };
    let value = tree.text(line.value);
    if line.kind == LineKind::Unknown {
        lowering.unknown(tree.text(line.key), value, number)?;
    }
    language.record(value, number, lowering)?;
    Ok(language.closes_agents())
}

/// The usage and sense of a rule's key; `None` for any other key.
fn statement(key: Key) -> Option<(u16, Sense)> {
    match key {
        Key::Allow => Some((policy::CRAWL, Sense::Permit)),
        Key::Disallow => Some((policy::CRAWL, Sense::Prohibit)),
        Key::Noindex => Some((policy::INDEX, Sense::Prohibit)),
        _ => None,
    }
}

/// True if records with this key belong to a group, and not to the whole file (R18).
pub(super) fn is_of_group(key: Key) -> bool {
    !matches!(key, Key::UserAgent | Key::Sitemap | Key::Host | Key::CleanParam)
}

/// R5: `*` alone or before white space means any crawler; otherwise the leading product token, if
/// there is one.
fn agent(value: &[u8]) -> Option<Agent<'_>> {
    match robomaton_grammar::product_token(value)? {
        b"*" => Some(Agent::Any),
        token => Some(Agent::Named(name_text(token))),
    }
}

/// The canonical pattern, with the missing leading `/` added.
fn slashed(value: &[u8]) -> Cow<'_, [u8]> {
    if value.starts_with(b"/") {
        return Notation::Rep.pattern(value);
    }
    let slashed = [b"/", value].concat();
    Cow::Owned(Notation::Rep.pattern(&slashed).into_owned())
}
