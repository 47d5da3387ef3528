//! The naive evaluation of preferences: every statement that matches a target, and its fate.
//!
//! The runtime calls it on cold records to explain an answer, the compiler's trace to define one.
//! Tests compare the programs of images with it. Slow on purpose.

use super::{Carrier, Effect, Effects, Group, Kind, Language, Record, Source, Statement, Tag};
use crate::agent::FEW_NAMES;
use crate::condition::{Condition, Term};
use crate::notation::Notation;
use crate::pattern::Pattern;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// A question about one usage.
#[derive(Clone, Copy, Debug)]
pub struct Question<'q> {
    /// The crawler's reduced names, best first.
    pub names: &'q [String],
    /// Only groups that name the crawler count.
    pub named_only: bool,
    /// The usage; its parts are separate questions.
    pub usage: u16,
    /// The target as in the URL.
    pub target: &'q [u8],
    /// The crawler may not fetch the target.
    pub no_crawl: bool,
    /// The crawler works on single elements of pages.
    pub elements: bool,
}

/// A statement that matches, and what became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Index of the source.
    pub source: usize,
    /// Index of the group in its source.
    pub group: usize,
    /// The statement.
    pub statement: Statement,
    /// The effect in force, or the reason for none.
    pub effect: Result<Effect, Loss>,
}

/// The reason why a statement that matches is not in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// A matching statement of its set has a higher rank.
    Outranked,
    /// A matching statement of its set with the same rank has the effect that wins a tie.
    Tied,
    /// It is a closure of RSL, and no other content speaks of the usage.
    Alone,
    /// The crawler may not fetch the target, and the language then has no such preference.
    NoCrawl,
    /// A page states the same itself.
    Superseded,
}

/// All statements about the usage that match the target.
pub fn weigh(sources: &[Source<'_>], question: &Question<'_>) -> Vec<Finding> {
    let target = Notation::Rep.target(question.target);
    let mut findings = Vec::new();
    for (source, of) in sources.iter().enumerate() {
        for group in chosen(of, question) {
            for statement in statements(of, group, question) {
                let Some(record) = of.record(group, statement) else { continue };
                if question.elements && record.carrier == Carrier::Element {
                    continue;
                }
                let pattern = Pattern { text: &record.pattern.0, notation: Notation::Rep };
                if statement.usage == question.usage && pattern.matches(&target) {
                    findings.push(Finding {
                        source,
                        group,
                        statement: *statement,
                        effect: Err(Loss::Outranked),
                    });
                }
            }
        }
    }
    let record = |finding: &Finding| sources.get(finding.source)?.record(finding.group, &finding.statement);
    let mut sets: BTreeMap<u16, Vec<&mut Finding>> = BTreeMap::new();
    for finding in &mut findings {
        sets.entry(finding.statement.set).or_default().push(finding);
    }
    for members in sets.into_values() {
        let statements: Vec<Statement> = members.iter().map(|finding| finding.statement).collect();
        let first = members.first().and_then(|finding| record(finding));
        let Some(&Record { language, carrier, .. }) = first else { continue };
        for (finding, effect) in members.into_iter().zip(in_force(&statements, language)) {
            let needs_crawl = |effect| Tag::new(Kind::Either, language, carrier).needs_crawl(effect);
            let is_barred = |effect| question.no_crawl && needs_crawl(effect);
            finding.effect =
                effect.and_then(|effect| if is_barred(effect) { Err(Loss::NoCrawl) } else { Ok(effect) });
        }
    }
    let superseding: Vec<(usize, Language)> = findings
        .iter()
        .filter(|finding| finding.statement.effect == Effect::Supersedes)
        .filter_map(|finding| Some((finding.source, record(finding)?.language)))
        .collect();
    for finding in &mut findings {
        let Some(record) = record(finding) else { continue };
        if superseding.iter().any(|&(source, own)| own == record.language && source < finding.source) {
            finding.effect = Err(Loss::Superseded);
        }
    }
    findings
}

impl Finding {
    /// The effects of several findings together.
    pub fn effects(findings: &[Finding]) -> Effects {
        let effects = findings.iter().filter_map(|finding| finding.effect.ok());
        effects.fold(Effects::NONE, |all, effect| all.and(effect.into()))
    }
}

/// The conditions of the permissions in force, sorted; `of` gives those of a statement. All must be
/// met. The terms of several licences of one document are alternatives.
pub fn conditions<'c>(findings: &[Finding], of: impl Fn(&Statement) -> &'c [Condition]) -> Vec<Condition> {
    let mut conditions = Vec::new();
    // Thousands of statements may share conditions of hundreds of kilobytes, so the terms are
    // copied once for each combination of lists of conditions.
    let mut licenses: BTreeMap<u32, Vec<&Vec<Vec<Term>>>> = BTreeMap::new();
    let mut alternatives: BTreeMap<(u16, u16), BTreeSet<u32>> = BTreeMap::new();
    for finding in findings.iter().filter(|finding| finding.effect == Ok(Effect::Conditional)) {
        let Statement { usage, set, conditions: number, .. } = finding.statement;
        let license = licenses.entry(number).or_insert_with(|| {
            let mut license = Vec::new();
            for condition in of(&finding.statement) {
                match condition {
                    Condition::License(terms) => license.push(terms),
                    other => conditions.push(other.clone()),
                }
            }
            license
        });
        if !license.is_empty() {
            alternatives.entry((usage, set)).or_default().insert(number);
        }
    }
    let combinations: BTreeSet<BTreeSet<u32>> = alternatives.into_values().collect();
    conditions.extend(combinations.into_iter().map(|numbers| {
        let lists = numbers.iter().filter_map(|number| licenses.get(number)).flatten();
        let mut terms: Vec<Vec<Term>> = lists.copied().flatten().cloned().collect();
        terms.sort_unstable();
        terms.dedup();
        Condition::License(terms)
    }));
    conditions.sort_unstable();
    // Limits of one kind ascend, and the first is the strictest.
    conditions.dedup_by(|later, kept| later == kept || later.is_looser_than(kept));
    conditions
}

impl Source<'_> {
    /// The record of a statement in one of the groups.
    fn record(&self, group: usize, statement: &Statement) -> Option<&Record<'_>> {
        self.groups.get(group)?.record(statement)
    }

    /// The groups that apply to a crawler, by its reduced names, best first: indexes in file order,
    /// those of the fallback last. With `named_only`, default groups of a text do not apply; what
    /// is said to everyone, or before all groups, does.
    pub fn groups_for(&self, names: &[String], named_only: bool) -> Vec<usize> {
        let groups = |wanted: &dyn Fn(&Group<'_>) -> bool| -> Vec<usize> {
            let all = self.groups.iter().enumerate();
            all.filter(|(_, group)| wanted(group)).map(|(number, _)| number).collect()
        };
        let mut chosen = if self.additive {
            let names: HashSet<&str> = names.iter().map(String::as_str).collect();
            groups(&|group| group.default || group.crawlers.iter().any(|own| names.contains(own.as_str())))
        } else {
            let named = || self.groups.iter().flat_map(|group| &group.crawlers);
            let name = if names.len() <= FEW_NAMES {
                names.iter().find(|&name| named().any(|own| own == name))
            } else {
                let named: HashSet<&String> = named().collect();
                names.iter().find(|name| named.contains(name))
            };
            let own = name.map(|name| groups(&|group| group.names(name) && !group.fallback));
            let own = own.filter(|own| !own.is_empty());
            own.unwrap_or_else(|| if named_only { Vec::new() } else { groups(&|group| group.default) })
        };
        chosen.extend(groups(&|group| group.fallback));
        chosen
    }
}

fn chosen(source: &Source<'_>, question: &Question<'_>) -> Vec<usize> {
    source.groups_for(question.names, question.named_only)
}

/// The statements of a chosen group. Those of a fallback count only in languages that no other
/// chosen group has a statement in.
fn statements<'s>(
    source: &'s Source<'_>,
    group: usize,
    question: &Question<'_>,
) -> impl Iterator<Item = &'s Statement> {
    let of = source.groups.get(group);
    let mut own: Vec<Language> = Vec::new();
    if of.is_some_and(|of| of.fallback) {
        let others = chosen(source, question).into_iter().filter(|&other| other != group);
        let others = others.filter_map(|other| source.groups.get(other));
        own.extend(others.flat_map(|other| &other.records).map(|record| record.language));
    }
    let is_first = move |statement: &&Statement| {
        source.record(group, statement).is_some_and(|record| !own.contains(&record.language))
    };
    of.into_iter().flat_map(|of| &of.statements).filter(is_first)
}

/// The effect in force of each of these matching statements of one set, or the reason for none.
fn in_force(statements: &[Statement], language: Language) -> Vec<Result<Effect, Loss>> {
    let is_closed = |statement: &&Statement| statement.effect == Effect::Closed;
    let highest = statements.iter().map(|statement| statement.rank).max().unwrap_or(0);
    let winners = || statements.iter().filter(|statement| statement.rank == highest);
    // Effects are in the order in which the strictest comes first.
    let permits = language.ties_permit() && winners().any(|winner| winner.effect == Effect::Permitted);
    let best = match permits {
        true => Some(Effect::Permitted),
        false => winners().map(|winner| winner.effect).min(),
    };
    // A closure refuses if another content speaks of the usage.
    let speaks = !statements.iter().all(|statement| is_closed(&statement));
    statements
        .iter()
        .map(|statement| match statement.effect {
            _ if statement.rank < highest => Err(Loss::Outranked),
            effect if Some(effect) != best => Err(Loss::Tied),
            Effect::Closed if !speaks => Err(Loss::Alone),
            effect => Ok(effect),
        })
        .collect()
}
