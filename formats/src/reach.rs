//! Reachability: the offsets of all policies, programs and scopes that the sites of an image refer
//! to.
//!
//! These structures find their own ends when they are walked; extracting one requires the offset of
//! the next. Invariant: linear in the image; damaged references lead nowhere. This file does not
//! know the contents of the structures.

use crate::policy::{PolicyView, ScopedView, read_list};
use crate::read::View;
use crate::reference::{PolicyAt, ProgramAt, ScopeAt, SetRef};
use crate::site_entry::SiteEntry;

/// Offsets in the sections of an image, each list ascending without duplicates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// Programs that are site entries.
    pub alone: Vec<ProgramAt>,
    /// Policies.
    pub policies: Vec<PolicyAt>,
    /// All programs.
    pub programs: Vec<ProgramAt>,
    /// Scopes.
    pub scopes: Vec<ScopeAt>,
}

impl Reach {
    /// Collects the offsets reachable from all sites.
    pub fn of(view: View<'_>) -> Reach {
        let mut reach = Reach::default();
        for entry in view.sites().filter_map(|site| site.entry()) {
            match entry {
                SiteEntry::Program(at) => reach.alone.push(at),
                SiteEntry::Policy(at) => reach.policies.push(at),
                SiteEntry::NoRules(_) => {}
            }
        }
        reach.alone = distinct(reach.alone);
        let linked = |at: &PolicyAt| view.policy(*at).and_then(PolicyView::read);
        let linked = reach.policies.iter().filter_map(linked).flat_map(|policy| policy.preferences());
        let linked: Vec<PolicyAt> = linked.collect();
        reach.policies.extend(linked);
        reach.policies = distinct(reach.policies);
        let mut lists = Vec::new();
        for policy in reach.policies.iter().filter_map(|&at| view.policy(at).and_then(PolicyView::read)) {
            for set in policy.sets() {
                match set {
                    SetRef::Program(at) => reach.programs.push(at),
                    SetRef::List(at) => lists.push(at),
                }
            }
        }
        for list in distinct(lists).into_iter().filter_map(|at| view.list(at)) {
            if let Some(entries) = read_list(list) {
                reach.programs.extend(entries.map(|entry| entry.program));
            } else if let Some(list) = ScopedView::read(list) {
                reach.scopes.push(list.scope);
                reach.programs.extend(list.entries().map(|entry| entry.program));
            }
        }
        reach.programs.extend(&reach.alone);
        Reach { programs: distinct(reach.programs), scopes: distinct(reach.scopes), ..reach }
    }
}

fn distinct<T: Ord>(mut offsets: Vec<T>) -> Vec<T> {
    offsets.sort_unstable();
    offsets.dedup();
    offsets
}
