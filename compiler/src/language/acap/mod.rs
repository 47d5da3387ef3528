//! Records of ACAP 0.2, 1.0 and 1.1 → groups of fields (P1 to P57, V1 to V59).
//!
//! Each sub-record, and the general part of each record, becomes one group. Local usages and
//! resource sets are expanded here, so later passes see rules with one standard usage and one
//! pattern. A file that a record refers to is read in the same way for the crawlers of that record.
//! Invariants: a text without an `ACAP-crawler` field has no effect here; definitions may come
//! after their use (decision 24); expansion is subject to the limits of `spent`. This module knows
//! nothing of precedence.
//!
//! This file reads the fields of a text and says in which order they are lowered: `records` finds
//! the records, `definitions` the local names, `references` the files that records refer to;
//! `groups` lowers one record, `rules` one permission or prohibition.

mod crawlers;
mod definitions;
mod groups;
mod records;
mod references;
mod rules;
mod size;
mod spent;

use super::condition::{Dialect, Place, condition};
use super::own_path::{Reading, own_path};
use super::{Language, Lints, Source, Suspended};
use crate::context::CompileContext;
use crate::limits::OverLimit;
use crate::lowering::Lowering;
use crate::policy::{Agent, Combiner};
pub(crate) use crawlers::name_whole;
use definitions::{Definitions, SitePattern, pattern};
use groups::Address;
pub use references::referred;
pub(crate) use references::same_site;
use robomaton_formats::Condition;
use robomaton_formats::policy::USAGES;
use robomaton_formats::program::Silence;
use robomaton_grammar::acap::{self, Field, Problem, Qualifier};
use robomaton_grammar::{Code, Key, Line, LineKind, Span, Tree};
use rules::RecordLowering;
pub(super) use rules::spoken_usages;
pub(super) use spent::Spent;
use std::borrow::Cow;

pub(super) struct Acap;

impl Language for Acap {
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
        &[Lints::Fields]
    }

    /// The conventional rules that an ACAP text ignores (P4, P54, V53).
    fn suspends(&self, tree: &Tree<'_>) -> Option<Suspended> {
        Some(Text::read(tree, None)?.suspended())
    }

    fn lower<'s>(&self, source: &Source<'_, 's>, lowering: &mut Lowering<'s, '_>) -> Result<(), OverLimit> {
        // A text with records always suspends lines, at least its own, so other texts need not be
        // searched again.
        let read = || Text::read(source.tree, source.context.origin);
        let text = source.suspended.as_ref().and_then(|_| read());
        text.map_or(Ok(()), |text| text.lower(source.context, lowering))
    }
}

/// The ACAP fields of one text.
struct Text<'t, 's> {
    tree: &'t Tree<'s>,
    /// Line index and field, in file order. `None` for a malformed field, of which only its
    /// presence matters.
    fields: Vec<(usize, Option<Field>)>,
    dialect: Dialect,
    /// All conventional records are to be ignored (P4, V4).
    alone: bool,
    /// For each line, true if it is a conventional line inside an ACAP record.
    inside: Vec<bool>,
    /// The authority from which the text was fetched.
    origin: Option<&'t str>,
}

impl<'t, 's> Text<'t, 's> {
    /// Reads the fields of a text; `None` if it has no record.
    fn read(tree: &'t Tree<'s>, origin: Option<&'t str>) -> Option<Text<'t, 's>> {
        if !tree.lines.iter().any(|line| line.kind == LineKind::Acap) {
            return None;
        }
        let mut fields = Vec::new();
        for (line, field) in acap::fields(tree) {
            match field {
                Ok(field) => fields.push((line, Some(field))),
                Err(problem) if is_ignored(tree, &tree.lines[line], &problem) => {}
                Err(_) => fields.push((line, malformed(tree, &tree.lines[line]))),
            }
        }
        let is_crawler = |field: &Option<Field>| matches!(field, Some(Field::Crawler(_)));
        let mut crawlers = fields.iter().filter(|(_, field)| is_crawler(field)).peekable();
        crawlers.peek()?;
        let mut inside = Vec::with_capacity(tree.lines.len());
        let mut is_inside = false;
        for (index, line) in tree.lines.iter().enumerate() {
            is_inside |= crawlers.next_if(|(crawler, _)| *crawler == index).is_some();
            // A user-agent always opens a conventional record (decision 15).
            is_inside &= line.kind != LineKind::Field(Key::UserAgent);
            inside.push(is_inside);
        }
        let version = acap::version(tree).map(|(major, minor, _)| (major, minor));
        let alone = fields.iter().any(|(_, field)| *field == Some(Field::IgnoreConventional));
        Some(Text { tree, fields, dialect: Dialect::of(version), alone, inside, origin })
    }

    /// For each line, true if a conventional record there is not one of the group above it: all are
    /// ignored (P4, V4), or it is inside an ACAP record (V53, decision 36).
    fn suspended(&self) -> Suspended {
        let lines = self.inside.iter().map(|is_inside| self.alone || *is_inside).collect();
        Suspended { lines, reads_them: self.reads_conventional() }
    }

    /// True if conventional records inside ACAP records are for the crawlers of these (decision
    /// 36).
    fn reads_conventional(&self) -> bool {
        self.dialect == Dialect::Pilot && !self.alone
    }

    /// Adds the records to the policy.
    fn lower(
        &self,
        context: &CompileContext<'_, 's>,
        lowering: &mut Lowering<'s, '_>,
    ) -> Result<(), OverLimit> {
        lowering.policy.is_acap = true;
        lowering.policy.has_records = true;
        if self.alone {
            lowering.policy.groups.clear();
            lowering.policy.rules.clear();
        }
        let records = self.records();
        let references = self.references(&records, context.origin);
        let numbers = references::add(&references, lowering)?;
        let trees = references::scan(&references, context, lowering);
        let mut spent = Spent::default();
        let files = self.read_files(&trees, context.origin, &mut spent, lowering)?;

        self.conventional(&records, lowering)?;
        // Groups of one crawler are merged in file order (R7).
        lowering.policy.groups.sort_by_key(|group| group.line);
        size::check_fields(self.tree, lowering.options.limits.field)?;
        let definitions = &Definitions::of(&[self], &mut spent, lowering)?;
        let missing = references::missing(&references, &records, &files);
        let mut groups = RecordLowering { text: self, definitions, spent: &mut spent, lowering };
        for (number, record) in records.iter().enumerate() {
            let (incomplete, any) = (missing.contains(&number), &[Agent::Any]);
            groups.record(record, &Address { incomplete, agents: &record.agents, any })?;
        }

        for (reference, number) in references.iter().zip(numbers) {
            let (Some(home), Some(key)) = (reference.home, reference.file.as_deref()) else { continue };
            let Some(file) = files.get(key) else { continue };
            lowering.file = number;
            file.lower(&records[home].agents, context, &mut spent, lowering)?;
        }
        lowering.file = 0;
        Ok(())
    }

    /// The canonical pattern of a resource; `None` if it is no path of this site (decision 6). The
    /// URL of a path of this site stands for the path (decision 40).
    fn pattern(&self, resource: Span, lowering: &mut Lowering<'s, '_>) -> Option<SitePattern<'s>> {
        let text = self.tree.text(resource);
        let url = own_path(text, self.origin);
        lowering.policy.depends_on_origin |= url.is_some();
        let (path, permits) = match url {
            Some(Reading::Elsewhere) => return None,
            Some(Reading::Own(path)) => (path, true),
            Some(Reading::OfSomeHost(path)) => (path, false),
            None => return Some(SitePattern { text: pattern(text)?, permits: true }),
        };
        let text = match path {
            [b'/', ..] => pattern(path)?,
            _ => Cow::Owned(pattern(&[b"/", path].concat())?.into_owned()),
        };
        Some(SitePattern { text, permits })
    }

    /// A name in the form that is compared (P7).
    fn lower_case(&self, name: Span) -> String {
        lower_case(self.tree.text(name))
    }

    fn condition(&self, usage: &str, qualifier: &Qualifier) -> Condition {
        let [name, value] = [qualifier.name, qualifier.value].map(|span: Span| self.tree.text(span));
        condition(usage, name, value, self.dialect, Place::File)
    }
}

/// True if a malformed field has no effect: an unknown one.
fn is_ignored(tree: &Tree<'_>, line: &Line, problem: &Problem) -> bool {
    let key = lower_case(tree.text(line.key));
    let is_policy_field = ["acap-allow-", "acap-disallow-"].iter().any(|start| key.starts_with(start));
    let is_header = matches!(key.as_str(), "acap-crawler" | "acap-usage-purpose");
    problem.code == Code::AcapUnknownField && !is_policy_field && !is_header
}

/// The field that a malformed one counts as. A crawler field without a name opens a record that
/// permits nothing to anyone; a purpose field without a purpose opens a sub-record for no purpose;
/// a reference with several words refers to a file that nobody has; any other malformed field ends
/// a run of crawler or purpose fields.
fn malformed(tree: &Tree<'_>, line: &Line) -> Option<Field> {
    let no_name = Span { start: line.value.start, end: line.value.start };
    match lower_case(tree.text(line.key)).as_str() {
        "acap-crawler" => Some(Field::Crawler(no_name)),
        "acap-usage-purpose" => Some(Field::UsagePurpose(no_name)),
        "acap-permissions-reference" if !line.value.is_empty() => {
            Some(Field::PermissionsReference(line.value))
        }
        _ => None,
    }
}

fn lower_case(name: &[u8]) -> String {
    String::from_utf8_lossy(name).to_ascii_lowercase()
}
