//! Fields of an ACAP text → its records (P13, P54, decisions 15, 16, 36).
//!
//! A record is a run of crawler fields and the fields below it. `groups` makes its groups. In the
//! pilot, conventional records inside it are for its crawlers, and are lowered here. Invariant:
//! records are consecutive. This file does not know what a field permits.

use super::{Text, crawlers};
use crate::language::condition::Dialect;
use crate::language::conventional::{Conventional, is_of_group};
use crate::language::reader;
use crate::limits::OverLimit;
use crate::lowering::{Lowering, number};
use crate::policy::Agent;
use robomaton_grammar::acap::Field;
use robomaton_grammar::{Key, Line, LineKind};

/// The crawlers that a record addresses, and its fields.
pub(super) struct Record<'s> {
    pub(super) agents: Vec<Agent<'s>>,
    /// A crawler field of it cannot be read: its prohibitions hold for every crawler as well.
    pub(super) is_unreadable: bool,
    pub(super) line: u32,
    /// Indexes into [`Text::fields`].
    pub(super) span: std::ops::Range<usize>,
}

impl<'s> Text<'_, 's> {
    /// The records, as runs of fields (P13). A user-agent line between two crawler fields also
    /// separates them, and in the pilot any conventional record of a group (decisions 16, 36).
    pub(super) fn records(&self) -> Vec<Record<'s>> {
        let mut records: Vec<Record<'s>> = Vec::new();
        let (mut open, mut last) = (false, 0);
        for (at, (line, field)) in self.fields.iter().enumerate() {
            match field {
                Some(Field::Crawler(name)) => {
                    let mut between = self.tree.lines[last..*line].iter();
                    let separates = |line: &Line| match line.kind {
                        LineKind::Field(Key::UserAgent) => true,
                        LineKind::Field(key) => self.dialect == Dialect::Pilot && is_of_group(key),
                        _ => false,
                    };
                    open &= !between.any(separates);
                    if !open {
                        let (line, span) = (number(*line), at..at);
                        records.push(Record { agents: Vec::new(), is_unreadable: false, line, span });
                    }
                    (open, last) = (true, *line);
                    if let Some(record) = records.last_mut() {
                        record.agents.extend(crawlers::agents(self.tree.text(*name)));
                        record.is_unreadable |= name.is_empty();
                    }
                }
                _ => open = false,
            }
            if let Some(record) = records.last_mut() {
                record.span.end = at + 1;
            }
        }
        records
    }

    /// Adds what is prohibited inside records whose crawlers cannot be read, for every crawler
    /// (decision 40).
    fn refusals_of_unreadable(
        &self,
        records: &[Record<'s>],
        lowering: &mut Lowering<'s, '_>,
    ) -> Result<(), OverLimit> {
        let mut opened = None;
        for (index, line) in self.tree.lines.iter().enumerate().filter(|(index, _)| self.inside[*index]) {
            let at = record_of(records, index);
            if !records[at].is_unreadable {
                continue;
            }
            let is_rule = matches!(line.kind, LineKind::Field(Key::Disallow | Key::Noindex));
            if !is_rule && reader(lowering.options.profile, self.tree, line).is_none() {
                continue;
            }
            if opened != Some(at) {
                lowering.open(records[at].line)?;
                lowering.agent(Agent::Any);
                opened = Some(at);
            }
            if is_rule {
                Conventional.record_on(self.tree, index, self.origin, lowering)?;
            } else {
                Conventional.refusals_on(self.tree, index, lowering)?;
            }
        }
        Ok(())
    }

    /// Adds the conventional records inside ACAP records of the pilot, for the crawlers of these
    /// (P54, decision 36). Their groups are added at the end; the caller sorts all groups.
    pub(super) fn conventional(
        &self,
        records: &[Record<'s>],
        lowering: &mut Lowering<'s, '_>,
    ) -> Result<(), OverLimit> {
        if !self.reads_conventional() {
            return Ok(());
        }
        let mut opened = None;
        for (index, line) in self.tree.lines.iter().enumerate().filter(|(index, _)| self.inside[*index]) {
            let is_wanted = match line.kind {
                LineKind::Field(key) => is_of_group(key),
                _ => reader(lowering.options.profile, self.tree, line).is_some(),
            };
            if !is_wanted {
                continue;
            }
            let at = record_of(records, index);
            if opened != Some(at) {
                lowering.open(records[at].line)?;
                records[at].agents.iter().for_each(|agent| lowering.agent(agent.clone()));
                opened = Some(at);
            }
            Conventional.record_on(self.tree, index, self.origin, lowering)?;
        }
        self.refusals_of_unreadable(records, lowering)?;
        lowering.close();
        Ok(())
    }
}

/// The record that a line is inside. Records are consecutive.
fn record_of(records: &[Record<'_>], index: usize) -> usize {
    records.partition_point(|record| record.line <= number(index)) - 1
}
