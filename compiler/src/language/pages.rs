//! Permissions embedded in pages → groups of fields (M1 to M27), each for the resource that
//! contains it (M21).
//!
//! Fields of all pages for the same crawlers and the same purpose become one group, whose patterns
//! distinguish the pages. Conventional directives become separate groups. Prohibitions for elements
//! are read for crawlers that cannot work on elements: the usage is prohibited for the whole page
//! (M13). Invariant: the order of groups does not depend on the order of pages. This file knows no
//! HTML.

use super::acap::{Spent, spoken_usages};
use super::condition::{Dialect, Place, condition};
use super::{Language, Lints, Source};
use crate::context::Page;
use crate::limits::OverLimit;
use crate::lowering::{Draft, Lowering};
use crate::policy::{Agent, Combiner, Sense};
use robomaton_formats::agent::names_of_value;
use robomaton_formats::policy::{Role, USAGES};
use robomaton_formats::program::Silence;
use robomaton_formats::{Condition, Context, Holds, Notation};
use robomaton_grammar::meta::{Meta, class_usages, content, prohibited};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The addressees of a group: role, names of the crawler (`None` for any), purpose.
type Address = (Role, Option<Vec<String>>, Option<String>);

/// A field without its page.
struct Statement {
    usage: String,
    sense: Sense,
    qualifiers: Vec<(String, String)>,
    dialect: Dialect,
    target: usize,
    line: u32,
}

pub(super) struct Pages;

impl Language for Pages {
    fn usages(&self) -> &'static [&'static str] {
        &USAGES
    }

    fn combiner(&self) -> Combiner {
        Combiner::Specificity
    }

    fn silence(&self, _usage: u16) -> Silence {
        Silence::Allowed
    }

    fn lints(&self) -> &'static [Lints] {
        &[Lints::Pages]
    }

    fn lower<'s>(&self, source: &Source<'_, 's>, lowering: &mut Lowering<'s, '_>) -> Result<(), OverLimit> {
        lower(source.context.pages, lowering)
    }
}

fn lower(pages: &[Page], lowering: &mut Lowering<'_, '_>) -> Result<(), OverLimit> {
    let mut groups: BTreeMap<Address, Vec<Statement>> = BTreeMap::new();
    let mut sorted: Vec<&Page> = pages.iter().collect();
    sorted.sort_unstable();
    for (target, page) in sorted.iter().enumerate() {
        read(page, target, &mut groups);
    }
    let patterns: Vec<Vec<u8>> = sorted.iter().map(|page| exactly(page.target.as_bytes())).collect();
    let mut spent = Spent::default();
    for ((role, agent, purpose), statements) in groups {
        lowering.open_as(role, statements.first().map_or(1, |statement| statement.line))?;
        if let Some(group) = &mut lowering.open {
            match agent {
                None => group.agents.push(Agent::Any),
                Some(names) => group.agents.extend(names.into_iter().map(Cow::Owned).map(Agent::Named)),
            }
            group.purposes.extend(purpose.map(|purpose| Cow::Owned(purpose.into_bytes())));
        }
        for Statement { usage, mut sense, qualifiers, dialect, target, line } in statements {
            let of = |(name, value): &(String, String)| {
                condition(&usage, name.as_bytes(), value.as_bytes(), dialect, Place::Page)
            };
            let mut conditions: Vec<Condition> = qualifiers.iter().map(of).collect();
            let found_at = Some(sorted[target].url.clone()).filter(|url| !url.is_empty());
            if found_at.is_some() {
                let context = Context { url: found_at, ..Context::default() };
                let is_elsewhere = |condition: &Condition| {
                    matches!(condition, Condition::Location(_)) && condition.holds(&context) == Holds::No
                };
                // Elsewhere the usage is prohibited (M23).
                if conditions.iter().any(is_elsewhere) {
                    (sense, conditions) = (Sense::Prohibit, Vec::new());
                }
                conditions.retain(|condition| !matches!(condition, Condition::Location(_)));
            }
            let conditions = spent.conditions(conditions, line, lowering)?;
            let usage = lowering.usage(&usage, line)?;
            for usage in spoken_usages(sense, usage) {
                spent.rule(patterns[target].len(), line, lowering)?;
                let (pattern, notation) = (Cow::Owned(patterns[target].clone()), Notation::Rep);
                let (combiner, silence) = (Pages.combiner(), Pages.silence(usage));
                lowering.push(Draft {
                    usage,
                    sense,
                    pattern,
                    notation,
                    combiner,
                    silence,
                    conditions,
                    line,
                })?;
            }
        }
    }
    lowering.close();
    Ok(())
}

/// Sorts the statements of a page by addressee.
fn read(page: &Page, target: usize, groups: &mut BTreeMap<Address, Vec<Statement>>) {
    let contents: Vec<Meta> = page.metas.iter().map(|tag| content(&tag.content)).collect();
    // A crawler that runs scripts does not see what stands in `noscript`.
    let version = page.metas.iter().zip(&contents).find_map(|(tag, meta)| match meta {
        Meta::Version(major, minor) if !tag.in_noscript => Some((*major, *minor)),
        _ => None,
    });
    let dialect = Dialect::of(version);
    for (tag, meta) in page.metas.iter().zip(contents) {
        let Some(agent) = addressee(&tag.name) else { continue };
        let line = tag.line;
        let mut say = |role, purpose: Option<String>, usage: String, sense, qualifiers: Vec<_>| {
            let statement = Statement { usage, sense, qualifiers, dialect, target, line };
            groups.entry((role, agent.clone(), purpose)).or_default().push(statement);
        };
        match meta {
            // Fields with features of a later version than the page states are ignored (M16, M17).
            Meta::Permission { qualifiers, .. }
                if dialect < Dialect::OneOne && qualifiers.iter().any(|(name, _)| is_later(name)) => {}
            // A crawler that runs scripts does not see it. To another one, its conditions restrict.
            Meta::Permission { qualifiers, .. } if tag.in_noscript && qualifiers.is_empty() => {}
            Meta::Permission { purpose, usage, .. } if tag.in_noscript => {
                say(Role::Page, purpose, usage, Sense::Prohibit, Vec::new());
            }
            Meta::Permission { purpose, usage, qualifiers } => {
                say(Role::Page, purpose, usage, Sense::Permit, qualifiers);
            }
            Meta::Prohibition { purpose, usage, .. } => {
                say(Role::Page, purpose, usage, Sense::Prohibit, Vec::new());
            }
            // A language of its own (`robots_tags`).
            Meta::Conventional(_) => {}
            // A malformed tag permits nothing, but may prohibit, for whatever purpose.
            Meta::Problem(_) => {
                for usage in prohibited(&tag.content) {
                    let purpose = Some("*".to_owned());
                    say(Role::Page, purpose, usage.to_owned(), Sense::Prohibit, Vec::new());
                }
            }
            Meta::Version(..) => {}
        }
    }
    for element in &page.elements {
        for usage in class_usages(&element.token) {
            let (qualifiers, line) = (Vec::new(), element.line);
            let statement = Statement { usage, sense: Sense::Prohibit, qualifiers, dialect, target, line };
            groups.entry((Role::Element, None, None)).or_default().push(statement);
        }
    }
}

/// True for qualifiers introduced by Part 1 version 1.1.
pub(crate) fn is_later(qualifier: &str) -> bool {
    ["target-condition", "ref"].iter().any(|name| qualifier.eq_ignore_ascii_case(name))
}

/// The names of the crawler that a META tag is for, which are whole values like those of records
/// (decision 34): the inner `None` means any crawler, the outer `None` an invalid name.
fn addressee(name: &str) -> Option<Option<Vec<String>>> {
    match (robomaton_grammar::product_token(name.as_bytes()), name.trim_ascii()) {
        (_, "") => None,
        (Some(b"*"), _) => Some(None),
        (_, robots) if robots.eq_ignore_ascii_case("robots") => Some(None),
        (_, name) => Some(Some(names_of_value(&name.to_ascii_lowercase()))),
    }
}

/// The pattern that matches only this target.
pub(super) fn exactly(target: &[u8]) -> Vec<u8> {
    let mut escaped = Vec::with_capacity(target.len() + 8);
    for &byte in target {
        match byte {
            b'*' => escaped.extend_from_slice(b"%2A"),
            b'$' => escaped.extend_from_slice(b"%24"),
            other => escaped.push(other),
        }
    }
    let mut pattern = Notation::Rep.pattern(&escaped).into_owned();
    pattern.push(b'$');
    pattern
}
