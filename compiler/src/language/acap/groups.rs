//! One record of ACAP → its groups: one for its general part, one for each sub-record.
//!
//! A purpose or a crawler that cannot be read permits nothing, but what is prohibited there holds
//! for every purpose, or for every crawler (decision 40): in groups of their own, at the end of the
//! record. `rules` expands each field into rules. This file does not know how rules are weighed.

use super::records::Record;
use super::rules::{PolicyField, RecordLowering};
use super::size::RecordSize;
use crate::limits::OverLimit;
use crate::lowering::number;
use crate::policy::{Agent, Extension, Sense};
use robomaton_formats::policy::Role;
use robomaton_grammar::Span;
use robomaton_grammar::acap::{Action, Field};
use std::borrow::Cow;

/// The crawlers that a record's groups address.
pub(super) struct Address<'a, 's> {
    /// A file that the record refers to is missing.
    pub(super) incomplete: bool,
    pub(super) agents: &'a [Agent<'s>],
    /// The crawlers that a record for any crawler addresses.
    pub(super) any: &'a [Agent<'s>],
}

impl<'a, 's> RecordLowering<'a, 's, '_> {
    /// Adds the groups of one record.
    pub(super) fn record(&mut self, record: &Record<'s>, address: &Address<'_, 's>) -> Result<(), OverLimit> {
        let Address { incomplete, agents, any } = *address;
        self.open(agents, incomplete, record.line)?;
        // True while a further purpose field extends the open sub-record.
        let mut joins = false;
        // True if a purpose of the open sub-record cannot be read.
        let mut is_unreadable = false;
        let mut for_every_purpose: Vec<PolicyField<'a>> = Vec::new();
        let mut for_every_crawler: Vec<PolicyField<'a>> = Vec::new();
        let mut size = RecordSize::default();
        for (index, field) in &self.text.fields[record.span.clone()] {
            let line = number(*index);
            size.add(field.as_ref(), joins, line, &self.lowering.options.limits)?;
            match field {
                Some(Field::UsagePurpose(purpose)) => {
                    if !joins {
                        self.open(agents, incomplete, line)?;
                        is_unreadable = false;
                    }
                    joins = true;
                    is_unreadable |= purpose.is_empty();
                    self.add_purpose(self.text.tree.text(*purpose));
                }
                Some(Field::Permission { usage, resource, qualifiers }) => {
                    joins = false;
                    self.rules(&PolicyField { sense: Sense::Permit, usage, resource, qualifiers, line })?;
                }
                Some(Field::Prohibition { usage, resource, .. }) => {
                    joins = false;
                    let field =
                        PolicyField { sense: Sense::Prohibit, usage, resource, qualifiers: &[], line };
                    if record.is_unreadable {
                        for_every_crawler.push(field);
                    }
                    if is_unreadable {
                        for_every_purpose.push(field);
                    } else {
                        self.rules(&field)?;
                    }
                }
                Some(Field::Request { action, path }) => self.request(*action, *path, line),
                None => joins = false,
                _ => {}
            }
        }
        if let Some(first) = for_every_purpose.first() {
            self.group_for_every_purpose(agents, incomplete, first.line, &for_every_purpose)?;
        }
        // A file that this record refers to is missing for every crawler, too.
        let is_missing = record.is_unreadable && incomplete;
        let first = for_every_crawler.first().map(|field| field.line);
        if let Some(line) = first.or(is_missing.then_some(record.line)) {
            self.group_for_every_purpose(any, incomplete, line, &for_every_crawler)?;
        }
        self.lowering.close();
        Ok(())
    }

    /// Opens a group for these crawlers.
    fn open(&mut self, agents: &[Agent<'s>], incomplete: bool, line: u32) -> Result<(), OverLimit> {
        self.lowering.open_as(Role::Field, line)?;
        self.spent.address(agents, line)?;
        if let Some(group) = &mut self.lowering.open {
            (group.agents, group.incomplete) = (agents.to_vec(), incomplete);
        }
        Ok(())
    }

    /// Adds a group of prohibitions for whatever purpose.
    fn group_for_every_purpose(
        &mut self,
        agents: &[Agent<'s>],
        incomplete: bool,
        line: u32,
        prohibitions: &[PolicyField<'_>],
    ) -> Result<(), OverLimit> {
        self.open(agents, incomplete, line)?;
        self.add_purpose(b"*");
        prohibitions.iter().try_for_each(|field| self.rules(field))
    }

    /// Adds a purpose to the open group.
    fn add_purpose(&mut self, pattern: &'s [u8]) {
        if let Some(group) = &mut self.lowering.open {
            group.purposes.push(Cow::Borrowed(pattern));
        }
    }

    /// Adds a request to the open group.
    fn request(&mut self, action: Action, path: Span, line: u32) {
        let key = match action {
            Action::TakeDown => "request-take-down",
            Action::ReCrawl => "request-re-crawl",
        };
        let value = String::from_utf8_lossy(self.text.tree.text(path));
        if let Some(group) = &mut self.lowering.open {
            group.extensions.push(Extension { key: Cow::Borrowed(key), value, line });
        }
    }
}
