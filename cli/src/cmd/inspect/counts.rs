//! How much an image holds: the figures that `inspect` and `compile` both tell, made in one place so that they agree.
//!
//! Walks policies and decodes every document's details, so it takes time linear in the image. Damage counts as nothing.

use robomaton_formats::Ruling;
use robomaton_formats::policy::{PolicyView, SET_LIST, ScopedView, read_list};
use robomaton_formats::read::View;
use robomaton_runtime::Image;
use serde::Serialize;

/// What is stored, everything that is equal once; the fields are the keys that scripts rely on.
#[derive(Serialize)]
pub(crate) struct Counts {
    /// Distinct texts; one that is read together with pages, other files or its host is one of its site.
    pub(crate) documents: usize,
    /// Octets of those texts. What pages say is not counted.
    pub(crate) text_bytes: u64,
    /// Rules of all documents, those of pages and of files referred to included.
    pub(crate) rules: usize,
    /// Distinct policies, those among them that are one program for all crawlers.
    pub(crate) policies: usize,
    pub(crate) programs: usize,
    /// Where the programs begin, ascending.
    #[serde(skip)]
    pub(crate) starts: Vec<u32>,
}

impl Counts {
    pub(crate) fn of<D: AsRef<[u8]>>(image: &Image<D>) -> Counts {
        let view = image.view();
        let documents = view.documents().len();
        let rules = |document| {
            let detail = view.detail(document).unwrap_or_default();
            detail.groups.iter().map(|group| group.rules.len()).sum::<usize>()
        };
        let (mut alone, mut policies) = (Vec::new(), Vec::new());
        for ruling in view.sites().filter_map(|site| site.ruling()) {
            match ruling {
                Ruling::Program(at) => alone.push(at),
                Ruling::Policy(at) => policies.push(at),
                Ruling::NoRules(_) => {}
            }
        }
        let (alone, policies) = (distinct(alone), distinct(policies));
        let counted = alone.len() + policies.len();
        let starts = programs(view, &policies, alone);
        Counts {
            documents,
            text_bytes: view.meta().unwrap_or_default().text_bytes,
            rules: (0..documents as u32).map(rules).sum(),
            policies: counted,
            programs: starts.len(),
            starts,
        }
    }
}

/// The offsets of all programs: those of policies, and others.
fn programs(view: View<'_>, policies: &[u32], mut programs: Vec<u32>) -> Vec<u32> {
    for policy in policies.iter().filter_map(|&at| view.policy(at).and_then(PolicyView::read)) {
        for word in (0..policy.len()).map(|index| policy.set(index)).chain([policy.default_set()]).flatten() {
            if word & SET_LIST == 0 {
                programs.push(word);
                continue;
            }
            let Some(list) = view.list(word & !SET_LIST) else { continue };
            if let Some(entries) = read_list(list) {
                programs.extend(entries.map(|entry| entry.program));
            } else if let Some(scoped) = ScopedView::read(list) {
                let rest = scoped.rest.and_then(|at| ScopedView::read(view.list(at)?));
                for list in [Some(scoped), rest].into_iter().flatten() {
                    programs.extend(list.entries().map(|entry| entry.program));
                }
            }
        }
    }
    distinct(programs)
}

fn distinct(mut offsets: Vec<u32>) -> Vec<u32> {
    offsets.sort_unstable();
    offsets.dedup();
    offsets
}
