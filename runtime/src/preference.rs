//! Answers about uses other than fetching, from everything that speaks of them: rules and fields,
//! and the statements of the modern languages.
//!
//! Each language answers by its own rules; then one refusal suffices, what could not be read
//! permits nothing, and conditions unite ([`Effects`]). A usage that covers others is answered
//! together with them. `access` calls it for sites with preferences, and for usages that cover
//! others. Invariants: nothing is allocated for targets up to a kilobyte; any damage is `None`.
//! This module does not know how a language is written.

use crate::answer::{Answer, Basis};
use crate::crawler::{Crawler, Lookup, Usage};
use crate::program;
use crate::rules;
use crate::site::Site;
use crate::statements;
use crate::target::Target;
use robomaton_formats::policy::{PolicyView, read_list};
use robomaton_formats::preference::{Effect, Effects, Kind, Language, Tag};
use robomaton_formats::program::permits;
use robomaton_formats::usage::{PRESENT, parts};
use robomaton_formats::{Decision, ListAt, SetRef, UsageId};

/// A question, with the crawl decision once it is known.
struct Asking<'a> {
    site: &'a Site<'a>,
    /// The policy that refers to the preferences, if there are any.
    policy: Option<&'a PolicyView<'a>>,
    crawler: &'a Crawler,
    target: &'a Target<'a>,
    no_crawl: Option<bool>,
    /// The languages, by bit, that a page sets aside for the policies after its own.
    superseded: u16,
    /// A statement in force may depend on the time.
    depends_on_time: bool,
}

/// Answers a question about a usage other than fetching.
#[inline(never)]
pub(crate) fn answer(
    site: &Site<'_>,
    (rules, policy): (&rules::Answers<'_>, Option<&PolicyView<'_>>),
    crawler: &Crawler,
    usage: Usage<'_>,
    target: &Target<'_>,
) -> Option<Answer> {
    let own = rules::answer(site, rules, crawler, usage, target)?;
    // R16: where robots.txt could not be read, nothing is permitted.
    if own.decision == Decision::Disallowed && matches!(own.basis, Basis::Outcome(_)) {
        return Some(own);
    }
    let mut asking =
        Asking { site, policy, crawler, target, no_crawl: None, superseded: 0, depends_on_time: false };
    let stated = asking.effects_now(usage)?;
    let mut of_parts = Effects::NONE;
    let mut incomplete = own.incomplete;
    for part in usage.parts() {
        of_parts = of_parts.and(asking.effects_now(part)?);
        // Fields about a special form of `present` do not speak of its general form (V28).
        if usage.id != UsageId::from(PRESENT) {
            let of_rules = rules::of_rules(site, crawler, part, target);
            of_parts = of_parts.and(of_rules.decision.into());
            incomplete |= of_rules.incomplete && of_rules.decision != Decision::Unknown;
        }
    }
    let rules = Effects::from(own.decision);
    let all = stated.and(rules).with_parts(of_parts);
    if all == rules || rules.decides_alone(stated.and(of_parts)) {
        return Some(Answer { incomplete, ..own });
    }
    let incomplete = incomplete || all.is_incomplete();
    Some(Answer { decision: all.decision(), incomplete, basis: Basis::Preferences })
}

impl Asking<'_> {
    /// The effects of all statements about a usage, at the time of the terms. Cold records are read
    /// only where a permission may have ended, or a document may be out of date.
    fn effects_now(&mut self, usage: Usage<'_>) -> Option<Effects> {
        self.depends_on_time = false;
        let effects = self.effects(usage.id)?;
        match self.site.shared.terms.now.filter(|_| self.depends_on_time) {
            None => Some(effects),
            Some(_) => {
                let no_crawl = self.no_crawl();
                Some(statements::effects(self.site, self.crawler, usage, self.target, no_crawl))
            }
        }
    }

    /// The effects of all statements about a usage.
    fn effects(&mut self, usage: UsageId) -> Option<Effects> {
        let mut effects = Effects::NONE;
        let Some(policy) = self.policy else { return Some(effects) };
        self.superseded = 0;
        let crawler = self.crawler;
        for at in policy.preferences() {
            let policy = PolicyView::read(self.site.view().policy(at)?)?;
            let mut superseded = self.superseded;
            if policy.is_additive() {
                let default = policy.default_set().filter(|_| !crawler.is_named_only());
                for set in default.into_iter().chain(crawler.own_sets(&policy)) {
                    effects = effects.and(self.of_list(set.list()?, usage, &mut superseded)?);
                }
            } else if let Lookup::Set(SetRef::List(list)) = crawler.set(self.site.view(), &policy)? {
                effects = effects.and(self.of_list(list, usage, &mut superseded)?);
            }
            self.superseded = superseded;
        }
        Some(effects)
    }

    fn of_list(&mut self, list: ListAt, usage: UsageId, superseded: &mut u16) -> Option<Effects> {
        let view = self.site.view();
        let mut effects = Effects::NONE;
        let mut shut = false;
        for entry in read_list(view.list(list)?)?.filter(|entry| entry.usage == usage) {
            let tag = Tag::from_raw(entry.tag)?;
            if tag.of_elements && self.site.shared.terms.elements
                || std::mem::take(&mut shut)
                || self.superseded >> tag.language as u16 & 1 == 1
            {
                continue;
            }
            let (priority, _) = program::best_of_several(view.program(entry.program)?, self.target)?;
            let has_effect = permits(priority);
            let effect = match tag.kind {
                Kind::Gate => {
                    shut = priority == 0;
                    continue;
                }
                Kind::Dated => {
                    self.depends_on_time |= has_effect;
                    continue;
                }
                Kind::Supersedes => {
                    *superseded |= u16::from(has_effect) << tag.language as u16;
                    continue;
                }
                _ if has_effect => tag.kind.effect(),
                Kind::Either if priority > 0 => Effect::Refused,
                _ => continue,
            };
            self.depends_on_time |= tag.language == Language::RobotsTag && effect == Effect::Conditional;
            if !(tag.needs_crawl(effect) && self.no_crawl()) {
                effects = effects.and(effect.into());
            }
        }
        Some(effects)
    }

    /// True if the crawler may not fetch the target.
    fn no_crawl(&mut self) -> bool {
        *self.no_crawl.get_or_insert_with(|| {
            rules::of_rules(self.site, self.crawler, Usage::CRAWL, self.target).decision
                == Decision::Disallowed
        })
    }
}

impl<'a> Usage<'a> {
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
