//! I12, I13, I14, I17: the policies, lists, scopes and programs that site entries lead to.

use super::{Check, Marks};
use crate::error::ImageError;
use crate::layout::Section;
use crate::policy::{NO_TAG, PolicyView, ScopedView, is_scoped, read_list};
use crate::preference::Tag;
use crate::program::{self, Header, Weighing};
use crate::reference::{ListAt, PolicyAt, ProgramAt, ScopeAt, SetRef};
use crate::site_entry::SiteEntry;

/// The starts of all programs that are referred to.
pub(super) struct Programs {
    ranked: Marks,
    scoped: Marks,
}

impl Check<'_> {
    fn marks(&self, section: Section) -> Marks {
        Marks::new(self.view.section(section).len())
    }

    /// I12: policies are complete, and their crawlers exist (and ascend, if they are looked up by
    /// number); I13: lists are complete, and their usages exist. Returns the programs, including
    /// those that are site entries.
    pub(super) fn policies(&self, entries: &[SiteEntry]) -> Result<Programs, ImageError> {
        let usages = self.view.usages().count();
        let all_by_substring = self.layout.profile.agent_rule() == crate::profile::AgentRule::Substring;
        let of_programs = || self.marks(Section::Programs);
        let mut programs = Programs { ranked: of_programs(), scoped: of_programs() };
        let (mut offsets, mut lists) = (self.marks(Section::Policies), self.marks(Section::Lists));
        for entry in entries {
            match *entry {
                SiteEntry::Program(at) => programs.ranked.insert(at.get()),
                SiteEntry::Policy(at) => offsets.insert(at.get()),
                SiteEntry::NoRules(_) => false,
            };
        }
        // The policies of preferences that site entries lead to are checked like the others.
        let mut linked = self.marks(Section::Policies);
        for at in offsets.iter() {
            let policy = self.view.policy(PolicyAt::new(at)).and_then(PolicyView::read);
            for at in policy.iter().flat_map(PolicyView::preferences) {
                linked.insert(at.get());
            }
        }
        let entries = offsets.iter().map(|at| (at, false));
        for (at, is_linked) in entries.chain(linked.iter().map(|at| (at, true))) {
            let error = |rule, what: &str| self.error(Section::Policies, at as usize, rule, what);
            let policy: PolicyView<'_> = self
                .view
                .policy(PolicyAt::new(at))
                .and_then(PolicyView::read)
                .ok_or_else(|| error(12, "a policy is cut off"))?;
            if is_linked && (policy.has_preferences() || policy.is_by_substring())
                || !is_linked && policy.is_additive()
            {
                return Err(error(12, "a policy of preferences in the place of another"));
            }
            if !policy.is_canonical() {
                return Err(error(12, "reserved flags of a policy"));
            }
            if all_by_substring && !policy.is_by_substring() && !policy.is_empty() {
                return Err(error(12, "a policy that is not looked up as its image's profile says"));
            }
            let mut last = None;
            for index in 0..policy.len() {
                let id = policy.crawler(index).filter(|&id| id.index() < self.view.crawlers());
                let id = id.ok_or_else(|| error(12, "a policy names a crawler that does not exist"))?;
                if !policy.is_by_substring() && last.is_some_and(|last| last >= id) {
                    return Err(error(12, "the crawlers of a policy are out of order"));
                }
                last = Some(id);
            }
            for index in 0..policy.len() + usize::from(policy.has_default()) {
                let set = policy.set(index).ok_or_else(|| error(12, "a crawler's set does not exist"))?;
                let at = match set {
                    SetRef::Program(_) if is_linked => {
                        return Err(error(12, "a set of preferences is no list"));
                    }
                    SetRef::Program(at) => {
                        programs.ranked.insert(at.get());
                        continue;
                    }
                    SetRef::List(at) => at,
                };
                let list = self.view.list(at);
                if list.is_some_and(is_scoped) && !is_linked {
                    lists.insert(at.get());
                    continue;
                }
                let list = list.and_then(read_list);
                for entry in list.ok_or_else(|| error(13, "a list is cut off"))? {
                    if entry.usage.index() >= usages {
                        return Err(error(13, "a list names a usage that does not exist"));
                    }
                    if !is_linked && entry.tag != NO_TAG {
                        return Err(error(13, "a list of rules has a tag"));
                    }
                    if is_linked && Tag::from_raw(entry.tag).is_none() {
                        return Err(error(13, "a list of preferences has an unknown tag"));
                    }
                    programs.ranked.insert(entry.program.get());
                }
            }
        }
        self.scoped_lists(&lists, &mut programs.scoped)?;
        Ok(programs)
    }

    /// I13: scoped lists are complete, refer to at most one further list, and their usages and
    /// purposes exist; I17: their scopes are complete.
    fn scoped_lists(&self, lists: &Marks, programs: &mut Marks) -> Result<(), ImageError> {
        let usages = self.view.usages().count();
        let (mut rests, mut scopes) = (self.marks(Section::Lists), self.marks(Section::Scopes));
        let mut waiting: Vec<u32> = Vec::new();
        let mut first = lists.iter().map(|at| (at, false));
        while let Some((at, is_rest)) = waiting.pop().map(|at| (at, true)).or_else(|| first.next()) {
            let error = |what: &str| self.error(Section::Lists, at as usize, 13, what);
            let list = self.view.list(ListAt::new(at)).and_then(ScopedView::read);
            let list = list.ok_or_else(|| error("a scoped list is cut off"))?;
            scopes.insert(list.scope.get());
            match list.rest {
                Some(_) if is_rest => return Err(error("a list of all crawlers leads to another")),
                Some(rest) if rests.insert(rest.get()) => waiting.push(rest.get()),
                _ => {}
            }
            if list.entries().count() != list.len() {
                return Err(error("a list holds an unknown role"));
            }
            for entry in list.entries() {
                if entry.usage.index() >= usages {
                    return Err(error("a list names a usage that does not exist"));
                }
                if entry.purpose.is_some_and(|purpose| self.view.purpose(purpose).is_none()) {
                    return Err(error("a list names a purpose that does not exist"));
                }
                programs.insert(entry.program.get());
            }
        }
        for at in scopes.iter() {
            if !self.view.scope(ScopeAt::new(at)).is_some_and(|scope| scope.is_whole()) {
                return Err(self.error(
                    Section::Scopes,
                    at as usize,
                    17,
                    "a scope is cut off or out of order",
                ));
            }
        }
        Ok(())
    }

    /// I14: every program is a pair of trees inside its section, which ends with padding.
    pub(super) fn programs(&self, programs: &Programs) -> Result<(), ImageError> {
        let section = self.view.section(Section::Programs);
        if !section.ends_with(&[0; program::PADDING]) {
            return Err(self.error(Section::Programs, section.len(), 14, "programs do not end with padding"));
        }
        let ranked = programs.ranked.iter().map(|at| (at, false));
        for (at, scoped) in ranked.chain(programs.scoped.iter().map(|at| (at, true))) {
            let program = self.view.program(ProgramAt::new(at)).unwrap_or_default();
            if Header::read(program).is_some_and(|head| (head.weighing == Weighing::Scoped) != scoped) {
                let what = "a program is weighed in another way than its set is";
                return Err(self.error(Section::Programs, at as usize, 14, what));
            }
            program::check(program)
                .map_err(|(offset, what)| self.error(Section::Programs, at as usize + offset, 14, what))?;
        }
        Ok(())
    }
}
