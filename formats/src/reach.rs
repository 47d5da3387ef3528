//! What the entries of an image lead to: policies, programs, scopes, each where it begins.
//!
//! Such things find their own ends when they are walked; to take one out, one must know where the
//! next begins. Invariant: linear in the image; what is damaged leads nowhere. It does not know
//! what any of them says.

use crate::policy::{PolicyView, ScopedView, read_list};
use crate::read::View;
use crate::reference::{PolicyAt, ProgramAt, ScopeAt, SetRef};
use crate::site_entry::SiteEntry;

/// Offsets in the sections of an image, each kind ascending without duplicates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// Programs that are all that answers for some site.
    pub alone: Vec<ProgramAt>,
    /// Policies.
    pub policies: Vec<PolicyAt>,
    /// All programs.
    pub programs: Vec<ProgramAt>,
    /// Scopes.
    pub scopes: Vec<ScopeAt>,
}

impl Reach {
    /// That of all sites.
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
