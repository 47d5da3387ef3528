//! Answers about uses other than fetching, from everything that speaks of them: rules and fields,
//! and the statements of the modern languages.
//!
//! Each language answers by its own rules; then one refusal suffices, what could not be read
//! permits nothing, and conditions unite ([`Effects`]). A usage that covers others is answered
//! together with them; what does not depend on the usage is found once. `access` calls it for all
//! usages but fetching. Invariants: nothing is allocated for targets up to a kilobyte, unless cold
//! records are read (`Asking::effects_now`); any damage is `None`. This module does not know how a
//! language is written.

use crate::answer::{Answer, Basis};
use crate::crawler::{Crawler, Lookup, Usage};
use crate::program;
use crate::rules::{self, Groups, is_exempt};
use crate::scoped::{Fields, ScopedAnswer};
use crate::site::Site;
use crate::statements;
use crate::target::Target;
use crate::usages::Usages;
use arrayvec::ArrayVec;
use robomaton_formats::policy::{MAX_PREFERENCES, PolicyView, QuickSet, quick_set, read_list};
use robomaton_formats::preference::{Effect, Effects, Kind, LAST_END, Language, Tag, end_of_priority};
use robomaton_formats::program::{Priority, permits};
use robomaton_formats::read::View;
use robomaton_formats::usage::{parts, stated_as};
use robomaton_formats::{Decision, PolicyAt, ProgramAt, SetRef, UsageId};

/// A question, with the answers that several usages share once they are known.
struct Asking<'a> {
    site: &'a Site<'a>,
    groups: &'a Groups<'a>,
    /// The fields, if the groups have any.
    fields: Option<&'a Fields<'a>>,
    /// True if the site has policies of preferences.
    has_statements: bool,
    /// The policies that have statements for the crawler.
    sources: Sources<'a>,
    crawler: &'a Crawler,
    target: &'a Target<'a>,
    no_crawl: Option<bool>,
    /// The answer of the fields for `other` about parts that no field names.
    of_other: Option<ScopedAnswer>,
    /// The first programs of preferences that were run, with their answers: a statement is stored
    /// for the parts of its usage as well.
    priorities: ArrayVec<(ProgramAt, Priority), 4>,
    /// The languages, by bit, that a page sets aside for the policies after its own.
    superseded: u16,
    /// A document is out of date, so that what it says depends on its statements.
    depends_on_time: bool,
}

/// The effects of statements about a usage. Whether the crawler may fetch the target is asked only
/// if the answer depends on it.
#[derive(Clone, Copy, Default)]
struct StatementEffects {
    always: Effects,
    /// The effects that count only if the crawler may fetch the target ([`Tag::needs_crawl`]).
    crawled: Effects,
}

impl StatementEffects {
    /// Both.
    fn and(self, other: StatementEffects) -> StatementEffects {
        StatementEffects { always: self.always.and(other.always), crawled: self.crawled.and(other.crawled) }
    }

    /// The effects if the crawler may fetch the target.
    fn if_crawled(self) -> Effects {
        self.always.and(self.crawled)
    }

    /// True if it matters whether the crawler may fetch the target.
    fn depends_on_crawling(self) -> bool {
        self.if_crawled() != self.always
    }
}

/// The statements of one policy of preferences for the crawler.
enum Source<'a> {
    /// A list of programs.
    List(&'a [u8]),
    /// A policy of which the default set and the sets of all of the crawler's names count.
    Additive(&'a [u8]),
}

/// The policies of preferences that have statements for the crawler.
type Sources<'a> = ArrayVec<Source<'a>, MAX_PREFERENCES>;

/// Adds the statements of a policy for a crawler, if there are any. `None` if the image is damaged.
#[inline]
fn add_source<'a>(view: View<'a>, at: PolicyAt, crawler: &Crawler, sources: &mut Sources<'a>) -> Option<()> {
    let bytes = view.policy(at)?;
    let set = match crawler.only().map_or(QuickSet::OtherForm, |only| quick_set(bytes, only)) {
        QuickSet::Set(set) => set,
        QuickSet::NoSet => return Some(()),
        QuickSet::OtherForm => {
            let policy = PolicyView::read(bytes)?;
            if policy.is_additive() {
                return sources.try_push(Source::Additive(bytes)).ok();
            }
            let Lookup::Set(set) = crawler.set(view, &policy)? else { return Some(()) };
            set
        }
    };
    match set {
        SetRef::List(list) => sources.try_push(Source::List(view.list(list)?)).ok(),
        SetRef::Program(_) => Some(()),
    }
}

/// Answers a question about a usage other than fetching.
#[inline(never)]
pub(crate) fn answer(
    site: &Site<'_>,
    (groups, policy): (&Groups<'_>, Option<&PolicyView<'_>>),
    crawler: &Crawler,
    usage: Usage<'_>,
    target: &Target<'_>,
) -> Option<Answer> {
    let policy = policy.filter(|policy| policy.has_preferences());
    // Fields about a special form of `present` do not speak of its general form (V28).
    let asks_parts = usage.id != UsageId::PRESENT && usage.parts().next().is_some();
    match groups {
        _ if policy.is_none() && !asks_parts => {
            rules::answer(site, &groups.answers(site, usage), crawler, usage, target)
        }
        Groups::Scoped(scoped) => scoped.with_fields(site, crawler, target, |fields| {
            Asking::new(site, (groups, Some(fields), policy), crawler, target)?.answer(usage)
        }),
        _ => Asking::new(site, (groups, None, policy), crawler, target)?.answer(usage),
    }
}

impl<'a> Asking<'a> {
    #[inline(always)]
    fn new(
        site: &'a Site<'a>,
        (groups, fields, policy): (&'a Groups<'a>, Option<&'a Fields<'a>>, Option<&PolicyView<'a>>),
        crawler: &'a Crawler,
        target: &'a Target<'a>,
    ) -> Option<Asking<'a>> {
        let mut sources = ArrayVec::new();
        for at in policy.into_iter().flat_map(PolicyView::preferences) {
            add_source(site.view(), at, crawler, &mut sources)?;
        }
        Some(Asking {
            site,
            groups,
            fields,
            has_statements: policy.is_some(),
            sources,
            crawler,
            target,
            no_crawl: None,
            of_other: None,
            priorities: ArrayVec::new(),
            superseded: 0,
            depends_on_time: false,
        })
    }
}

impl Asking<'_> {
    /// Answers for a usage together with its parts.
    #[inline(never)]
    fn answer(&mut self, usage: Usage<'_>) -> Option<Answer> {
        let own = self.of_rules(usage)?;
        // R16: where robots.txt could not be read, nothing is permitted.
        if own.decision == Decision::Disallowed && matches!(own.basis, Basis::Outcome(_)) {
            return Some(own);
        }
        let stated = self.effects_now(usage)?;
        let mut of_parts = StatementEffects::default();
        let mut incomplete = own.incomplete;
        // One part is asked about in less time than the lists are looked through.
        let asks_lists = usage.parts().nth(1).is_some() && !self.crawler.is_named_only();
        let named = if asks_lists { self.named()? } else { Usages::ALL };
        for part in usage.parts() {
            if named.may_have(part.id) {
                of_parts = of_parts.and(self.effects_now(part)?);
            }
            // Fields about a special form of `present` do not speak of its general form (V28).
            if usage.id != UsageId::PRESENT {
                let of_rules = self.of_part(part)?;
                of_parts.always = of_parts.always.and(of_rules.decision.into());
                incomplete |= of_rules.incomplete && of_rules.decision != Decision::Unknown;
            }
        }
        let own = Answer { incomplete, ..own };
        let mut answer = unite(own, stated.if_crawled(), of_parts.if_crawled());
        if stated.depends_on_crawling() || of_parts.depends_on_crawling() {
            let otherwise = unite(own, stated.always, of_parts.always);
            if otherwise != answer && self.no_crawl(usage)? {
                answer = otherwise;
            }
        }
        // A robots.txt that was not read may refuse what statements permit (decision g).
        answer.incomplete |= answer.basis == Basis::Preferences
            && matches!(answer.decision, Decision::Allowed | Decision::Conditional)
            && self.groups.may_refuse(self.site);
        Some(answer)
    }

    /// The answer of rules and fields about a usage.
    fn of_rules(&mut self, usage: Usage<'_>) -> Option<Answer> {
        match (self.groups, self.fields) {
            (Groups::Scoped(scoped), Some(fields)) if !is_exempt(self.site, usage, self.target.raw()) => {
                Some(scoped.answer(self.site, self.crawler, usage, fields.answer(usage, None)?))
            }
            (groups, _) => {
                rules::answer(self.site, &groups.answers(self.site, usage), self.crawler, usage, self.target)
            }
        }
    }

    /// The same for a part of the usage in question. All parts that no field names, which all have
    /// the same purpose, share the answer of the fields for `other`.
    fn of_part(&mut self, part: Usage<'_>) -> Option<Answer> {
        match (self.groups, self.fields) {
            (Groups::Scoped(scoped), Some(fields)) if fields.answers_as_other(part) => {
                let of_other = match self.of_other {
                    Some(known) => known,
                    None => *self.of_other.insert(fields.answer(part, None)?),
                };
                Some(scoped.answer(self.site, self.crawler, part, of_other))
            }
            _ => self.of_rules(part),
        }
    }

    /// The usages that statements may speak of.
    fn named(&self) -> Option<Usages> {
        self.sources.iter().try_fold(Usages::default(), |named, source| match source {
            Source::List(list) => Some(named.with(read_list(list)?.map(|entry| entry.usage))),
            Source::Additive(_) => Some(Usages::ALL),
        })
    }

    /// The effects of all statements about a usage, at the time of the terms. Cold records are read
    /// only where a document is out of date; and for crawlers that pass default groups over, since
    /// a list holds together what a default group and the lines before all groups say.
    fn effects_now(&mut self, usage: Usage<'_>) -> Option<StatementEffects> {
        if !self.has_statements {
            return Some(StatementEffects::default());
        }
        if !self.crawler.is_named_only() {
            self.depends_on_time = false;
            let effects = self.effects(usage.stated_as())?;
            if !self.depends_on_time {
                return Some(effects);
            }
        }
        let no_crawl = self.no_crawl(usage)?;
        let always = statements::effects(self.site, self.crawler, usage, self.target, no_crawl)?;
        Some(StatementEffects { always, ..StatementEffects::default() })
    }

    /// The effects of all statements about a usage.
    fn effects(&mut self, usage: UsageId) -> Option<StatementEffects> {
        let mut effects = StatementEffects::default();
        self.superseded = 0;
        for at in 0..self.sources.len() {
            let mut superseded = self.superseded;
            match *self.sources.get(at)? {
                Source::List(list) => effects = effects.and(self.of_list(list, usage, &mut superseded)?),
                Source::Additive(bytes) => {
                    let policy = PolicyView::read(bytes)?;
                    for set in policy.default_set().into_iter().chain(self.crawler.own_sets(&policy)) {
                        let list = self.site.view().list(set.list()?)?;
                        effects = effects.and(self.of_list(list, usage, &mut superseded)?);
                    }
                }
            }
            self.superseded = superseded;
        }
        Some(effects)
    }

    fn of_list(&mut self, list: &[u8], usage: UsageId, superseded: &mut u16) -> Option<StatementEffects> {
        let mut effects = StatementEffects::default();
        let (mut shut, mut ended) = (false, false);
        for entry in read_list(list)?.filter(|entry| entry.usage == usage) {
            let tag = Tag::from_raw(entry.tag)?;
            let (is_shut, has_ended) = (std::mem::take(&mut shut), std::mem::take(&mut ended));
            if tag.of_elements && self.site.shared.terms.elements
                || is_shut
                || self.superseded >> tag.language as u16 & 1 == 1
            {
                continue;
            }
            let priority = self.priority(entry.program)?;
            let has_effect = permits(priority);
            let effect = match tag.kind {
                Kind::Gate => {
                    shut = priority == 0;
                    continue;
                }
                Kind::Dated => {
                    if let Some(end) = self.ended(priority) {
                        ended = tag.language == Language::RobotsTag && end < LAST_END;
                        self.depends_on_time |= !ended;
                    }
                    continue;
                }
                Kind::Supersedes => {
                    *superseded |= u16::from(has_effect) << tag.language as u16;
                    continue;
                }
                Kind::Conditional if has_effect && has_ended => Effect::Refused,
                _ if has_effect => tag.kind.effect(),
                Kind::Either if priority > 0 => Effect::Refused,
                _ => continue,
            };
            let of_kind = if tag.needs_crawl(effect) { &mut effects.crawled } else { &mut effects.always };
            *of_kind = of_kind.and(effect.into());
        }
        Some(effects)
    }

    /// The end that the priority of a dated program tells, if the time of the terms has reached it.
    fn ended(&self, priority: Priority) -> Option<u64> {
        let now = self.site.shared.terms.now?;
        end_of_priority(priority).filter(|&end| now >= end)
    }

    /// The highest priority of the matching statements of a program.
    #[inline]
    fn priority(&mut self, program: ProgramAt) -> Option<Priority> {
        if let Some(&(_, priority)) = self.priorities.iter().find(|(known, _)| *known == program) {
            return Some(priority);
        }
        let (priority, _) = program::best_of_several(self.site.view().program(program)?, self.target)?;
        // Without room, it is run again.
        let _ = self.priorities.try_push((program, priority));
        Some(priority)
    }

    /// True if the crawler may not fetch the target for the purpose of the question.
    fn no_crawl(&mut self, usage: Usage<'_>) -> Option<bool> {
        if self.no_crawl.is_none() {
            self.no_crawl = Some(self.of_rules(usage.crawl())?.decision == Decision::Disallowed);
        }
        self.no_crawl
    }
}

/// The answer of rules and fields about a usage, united with the effects of all statements about it
/// and its parts.
fn unite(own: Answer, stated: Effects, of_parts: Effects) -> Answer {
    let rules = Effects::from(own.decision);
    let all = stated.and(rules).with_parts(of_parts);
    if all == rules || rules.decides_alone(stated.and(of_parts)) {
        return own;
    }
    let incomplete = own.incomplete || all.is_incomplete();
    Answer { decision: all.decision(), incomplete, basis: Basis::Preferences }
}

impl<'a> Usage<'a> {
    /// Fetching, for the same purpose.
    pub(crate) fn crawl(self) -> Usage<'a> {
        Usage { purpose: self.purpose, ..Usage::CRAWL }
    }

    /// The usage whose statements speak of this one.
    pub(crate) fn stated_as(self) -> UsageId {
        UsageId::from(stated_as(self.id.get()))
    }

    /// The usages that this one covers, for the same purpose.
    pub(crate) fn parts(self) -> impl Iterator<Item = Usage<'a>> {
        let parts = u16::try_from(self.id.get()).map_or(&[][..], parts);
        parts.iter().map(move |&part| Usage {
            id: UsageId::from(part),
            special: false,
            purpose: self.purpose,
        })
    }
}

#[cfg(test)]
mod tests;
