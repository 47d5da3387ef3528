//! I12, I13, I14, I17: the policies, lists, scopes and programs that site entries lead to.

use super::{Check, Marks};
use crate::error::ImageError;
use crate::layout::Section;
use crate::policy::{ENTRY, NO_TAG, PolicyView, ScopedView, is_scoped, read_list};
use crate::preference::Tag;
use crate::profile::AgentRule;
use crate::program::{self, FRONT_SCOPED};
use crate::reference::{ListAt, PolicyAt, ProgramAt, ScopeAt, SetRef, UsageId};
use crate::scope::ScopeView;
use crate::site_entry::SiteEntry;

/// The starts of all programs that are referred to.
pub(super) struct Programs {
    ranked: Marks,
    scoped: Marks,
}

impl Programs {
    /// The starts, ascending, and whether a scoped list names the program.
    fn ascending(&self) -> impl Iterator<Item = (u32, bool)> {
        let mut ranked = self.ranked.iter().map(|at| (at, false)).peekable();
        let mut scoped = self.scoped.iter().map(|at| (at, true)).peekable();
        std::iter::from_fn(move || match (ranked.peek(), scoped.peek()) {
            (Some(one), Some(other)) if one <= other => ranked.next(),
            (_, Some(_)) => scoped.next(),
            _ => ranked.next(),
        })
    }
}

impl Check<'_> {
    fn marks(&self, section: Section) -> Marks {
        Marks::new(self.view.section(section).len())
    }

    /// I12: policies are complete, and their crawlers exist (and ascend, if they are looked up by
    /// number); I13: lists are complete, and their usages exist. Records of one kind do not
    /// overlap, so that all of them together are no longer than their section. Returns the
    /// programs, including those that are site entries.
    pub(super) fn policies(&self, entries: &[SiteEntry]) -> Result<Programs, ImageError> {
        let usages = self.view.usages().count();
        let of_programs = || self.marks(Section::Programs);
        let mut programs = Programs { ranked: of_programs(), scoped: of_programs() };
        let mut offsets = self.marks(Section::Policies);
        let [mut ranked, mut stated, mut scoped] = [(); 3].map(|()| self.marks(Section::Lists));
        for entry in entries {
            match *entry {
                SiteEntry::Program(at) => programs.ranked.insert(at.get()),
                SiteEntry::Policy(at) => offsets.insert(at.get()),
                SiteEntry::NoRules(_) => false,
            };
        }
        // The policies of preferences that site entries lead to are checked like the others.
        let linked = self.linked(&offsets);
        let mut all = self.marks(Section::Policies);
        [&offsets, &linked].into_iter().for_each(|of| all.extend(of));
        self.apart(Section::Policies, 12, &all, PolicyView::length)?;
        let entries = offsets.iter().map(|at| (at, false));
        for (at, is_linked) in entries.chain(linked.iter().map(|at| (at, true))) {
            let policy = self.policy(at, is_linked)?;
            let mut scope = None;
            // Sets that no crawler has are checked, too: readers of whole images follow them.
            for set in policy.sets() {
                match set {
                    SetRef::Program(_) if is_linked => {
                        return Err(self.error_of_policy(at, 12, "a set of preferences is no list"));
                    }
                    SetRef::Program(program) => {
                        programs.ranked.insert(program.get());
                    }
                    SetRef::List(list) if !is_linked && self.view.list(list).is_some_and(is_scoped) => {
                        let of_list = self.scope_of(list);
                        if *scope.get_or_insert(of_list) != of_list {
                            return Err(self.error_of_policy(
                                at,
                                13,
                                "the lists of a policy have several scopes",
                            ));
                        }
                        scoped.insert(list.get());
                    }
                    SetRef::List(list) => {
                        let known = if is_linked { &mut stated } else { &mut ranked };
                        if known.insert(list.get()) {
                            self.ranked_list((at, is_linked), list, usages, &mut programs.ranked)?;
                        }
                    }
                }
            }
        }
        let rests = self.scoped_lists(&scoped, &mut programs.scoped)?;
        let mut all = self.marks(Section::Lists);
        [&ranked, &stated, &scoped, &rests].into_iter().for_each(|of| all.extend(of));
        self.apart(Section::Lists, 13, &all, |list| match ScopedView::read(list) {
            Some(scoped) => Some(scoped.length()),
            None => read_list(list).map(|entries| 2 + entries.len() * ENTRY),
        })?;
        Ok(programs)
    }

    /// The scope of a scoped list; `None` if it is damaged.
    fn scope_of(&self, list: ListAt) -> Option<ScopeAt> {
        self.view.list(list).and_then(ScopedView::read).map(|list| list.scope)
    }

    /// Records do not begin inside one another; `length` is that of the one that bytes begin with.
    fn apart<'i>(
        &'i self,
        section: Section,
        rule: u8,
        starts: &Marks,
        length: impl Fn(&'i [u8]) -> Option<usize>,
    ) -> Result<(), ImageError> {
        let (bytes, mut end) = (self.view.section(section), 0);
        for at in starts.iter().map(|at| at as usize) {
            if at < end {
                return Err(self.error(section, at, rule, "a record begins inside another"));
            }
            end = at + bytes.get(at..).and_then(&length).unwrap_or(0);
        }
        Ok(())
    }

    /// The policies of preferences that these policies lead to.
    fn linked(&self, offsets: &Marks) -> Marks {
        let mut linked = self.marks(Section::Policies);
        for at in offsets.iter() {
            let policy = self.view.policy(PolicyAt::new(at)).and_then(PolicyView::read);
            for at in policy.iter().flat_map(PolicyView::preferences) {
                linked.insert(at.get());
            }
        }
        linked
    }

    fn error_of_policy(&self, at: u32, rule: u8, what: &str) -> ImageError {
        self.error(Section::Policies, at as usize, rule, what)
    }

    /// I12 of one policy, which `is_linked` if another leads to it.
    fn policy(&self, at: u32, is_linked: bool) -> Result<PolicyView<'_>, ImageError> {
        let all_by_substring = self.layout.profile.agent_rule() == AgentRule::Substring;
        let error = |what: &str| self.error_of_policy(at, 12, what);
        let policy = self.view.policy(PolicyAt::new(at)).and_then(PolicyView::read);
        let policy = policy.ok_or_else(|| error("a policy is cut off"))?;
        if is_linked && (policy.has_preferences() || policy.is_by_substring())
            || !is_linked && policy.is_additive()
        {
            return Err(error("a policy of preferences in the place of another"));
        }
        if !policy.is_canonical() {
            return Err(error("reserved flags of a policy"));
        }
        if all_by_substring && !policy.is_by_substring() && !policy.is_empty() {
            return Err(error("a policy that is not looked up as its image's profile says"));
        }
        let mut last = None;
        for index in 0..policy.len() {
            let id = policy.crawler(index).filter(|&id| id.index() < self.view.crawlers());
            let id = id.ok_or_else(|| error("a policy names a crawler that does not exist"))?;
            if !policy.is_by_substring() && last.is_some_and(|last| last >= id) {
                return Err(error("the crawlers of a policy are out of order"));
            }
            last = Some(id);
        }
        let named = policy.len() + usize::from(policy.has_default());
        if (0..named).any(|index| policy.set(index).is_none()) {
            return Err(error("a crawler's set does not exist"));
        }
        Ok(policy)
    }

    /// I13 of a ranked list in the policy at `at`, in an image with this number of usages.
    fn ranked_list(
        &self,
        (at, is_linked): (u32, bool),
        list: ListAt,
        usages: usize,
        programs: &mut Marks,
    ) -> Result<(), ImageError> {
        let error = |what: &str| self.error_of_policy(at, 13, what);
        let list = self.view.list(list).and_then(read_list);
        let mut last = UsageId::CRAWL;
        for entry in list.ok_or_else(|| error("a list is cut off"))? {
            if std::mem::replace(&mut last, entry.usage) > entry.usage {
                return Err(error("the entries of a list are out of order"));
            }
            if entry.usage.index() >= usages {
                return Err(error("a list names a usage that does not exist"));
            }
            if !is_linked && entry.tag != NO_TAG {
                return Err(error("a list of rules has a tag"));
            }
            if is_linked && Tag::from_raw(entry.tag).is_none() {
                return Err(error("a list of preferences has an unknown tag"));
            }
            programs.insert(entry.program.get());
        }
        Ok(())
    }

    /// I13: scoped lists are complete, refer to at most one further list, and their usages and
    /// purposes exist; I17: their scopes are complete. Returns the further lists.
    fn scoped_lists(&self, lists: &Marks, programs: &mut Marks) -> Result<Marks, ImageError> {
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
                Some(rest) if self.scope_of(rest).is_some_and(|scope| scope != list.scope) => {
                    return Err(error("a list leads to one of another scope"));
                }
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
        self.apart(Section::Scopes, 17, &scopes, ScopeView::length)?;
        Ok(rests)
    }

    /// I14: every program is well-formed, none begins inside another or runs into the padding with
    /// which their section ends.
    pub(super) fn programs(&self, programs: &Programs) -> Result<(), ImageError> {
        let section = self.view.section(Section::Programs);
        let Some(bytes) = section.strip_suffix(&[0; program::PADDING]) else {
            return Err(self.error(Section::Programs, section.len(), 14, "programs do not end with padding"));
        };
        let mut end = 0;
        for (at, scoped) in programs.ascending() {
            let error =
                |offset: usize, what: &str| self.error(Section::Programs, at as usize + offset, 14, what);
            let program = self.view.program(ProgramAt::new(at)).unwrap_or_default();
            if program.first().is_some_and(|front| (front & FRONT_SCOPED != 0) != scoped) {
                return Err(error(0, "a program is weighed in another way than its set is"));
            }
            if (at as usize) < end {
                return Err(error(0, "a program begins inside another"));
            }
            let length = program::check(program).map_err(|(offset, what)| error(offset, what))?;
            end = at as usize + length;
            if end > bytes.len() {
                return Err(error(length, "a program runs into the padding"));
            }
        }
        Ok(())
    }
}
