//! The answers of rules and fields for one crawler and one usage on one site.
//!
//! From the policy to its programs, then the walks. `access` calls it for users, `preference` and
//! `statements` for the part that rules have in an answer about a use. Invariants: a question
//! allocates nothing for targets up to a kilobyte; any damage is `None`, or [`Basis::Damaged`].
//! This module does not know how a site is found.

use crate::answer::{Answer, Basis};
use crate::crawler::{Crawler, Lookup, Usage};
use crate::program;
use crate::scoped;
use crate::site::Site;
use crate::target::Target;
use crate::terms::is_unheard;
use robomaton_formats::decision::is_robots_txt;
use robomaton_formats::policy::{PolicyView, Role, ScopedView, is_scoped, read_list};
use robomaton_formats::program::{Priority, Silence, permits};
use robomaton_formats::{Decision, NoRules, SetRef, SiteEntry};

#[derive(Clone, Copy, Debug)]
pub(crate) enum Answers<'a> {
    /// The same answer for every target except `/robots.txt`.
    Fixed(Answer),
    /// One program.
    Program(&'a [u8]),
    /// A list of programs for several usages.
    List(&'a [u8]),
    /// A scoped list (weighed by specificity), its policy, and the answer for targets on which the
    /// list is silent.
    Scoped(ScopedView<'a>, &'a [u8], Answer),
}

pub(crate) const DAMAGED: Answer = Answer::plain(Decision::Unknown, Basis::Damaged);

/// Returns the answer; `None` if the image is damaged.
#[inline(always)]
pub(crate) fn answer(
    site: &Site<'_>,
    answers: &Answers<'_>,
    crawler: &Crawler,
    usage: Usage<'_>,
    target: &Target<'_>,
) -> Option<Answer> {
    if is_exempt(site, usage, target.raw()) {
        return Some(Answer::plain(Decision::Allowed, Basis::RobotsTxt));
    }
    match *answers {
        Answers::Fixed(answer) => Some(answer),
        Answers::Program(program) => {
            let (priority, silence) = program::best(program, target)?;
            Some(Ranked::of(priority, silence).answer())
        }
        Answers::List(list) => {
            let mut best: Option<(Priority, Silence)> = None;
            for entry in read_list(list)?.filter(|entry| entry.usage == usage.id) {
                let (priority, silence) =
                    program::best_of_several(site.view().program(entry.program)?, target)?;
                // The first program defines what silence means.
                best =
                    Some(best.map_or((priority, silence), |(best, silence)| (best.max(priority), silence)));
            }
            Some(best.map_or(unspoken(usage, Basis::Unspoken), |(priority, silence)| {
                Ranked::of(priority, silence).answer()
            }))
        }
        Answers::Scoped(list, policy, silent) => {
            by_scope(site, (list, policy), crawler, usage, target, silent)
        }
    }
}

/// The answer of rules and fields alone.
#[inline(never)]
pub(crate) fn of_rules(site: &Site<'_>, crawler: &Crawler, usage: Usage<'_>, target: &Target<'_>) -> Answer {
    let answers = resolve(site, crawler, usage);
    answers.and_then(|answers| answer(site, &answers, crawler, usage, target)).unwrap_or(DAMAGED)
}

/// The answer of ranked rules about one target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ranked {
    /// The best rule that matches permits.
    Permitted,
    /// The best rule that matches forbids.
    Forbidden,
    /// No rule matches, which permits.
    SilentlyPermitted,
    /// No rule matches, which says nothing.
    Unspoken,
}

impl Ranked {
    /// The answer for the highest priority among the matching rules, 0 if none matches.
    #[inline(always)]
    pub(crate) fn of(priority: Priority, silence: Silence) -> Ranked {
        match (priority, silence) {
            (0, Silence::Allowed) => Ranked::SilentlyPermitted,
            (0, Silence::Unknown) => Ranked::Unspoken,
            (priority, _) => Ranked::of_rule(permits(priority)),
        }
    }

    /// The answer of the best rule that matches.
    #[inline(always)]
    pub(crate) fn of_rule(permits: bool) -> Ranked {
        if permits { Ranked::Permitted } else { Ranked::Forbidden }
    }

    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "there is one answer for each variant")]
    pub(crate) fn answer(self) -> Answer {
        // A table: a match would become a jump, and its goal is hard to predict.
        const ANSWERS: [Answer; 4] = [
            Answer::plain(Decision::Allowed, Basis::Rule),
            Answer::plain(Decision::Disallowed, Basis::Rule),
            Answer::plain(Decision::Allowed, Basis::NoRule),
            Answer::plain(Decision::Unknown, Basis::NoRule),
        ];
        ANSWERS[self as usize]
    }
}

#[inline(never)]
fn by_scope(
    site: &Site<'_>,
    (list, policy): (ScopedView<'_>, &[u8]),
    crawler: &Crawler,
    usage: Usage<'_>,
    target: &Target<'_>,
    silent: Answer,
) -> Option<Answer> {
    let (view, elements, target) = (site.view(), site.shared.terms.elements, target.bytes());
    // If robots.txt could not be fetched, it may have a group that names the crawler, and such a
    // group would override a page that addresses all crawlers.
    let unheard = match silent.basis {
        Basis::Outcome(outcome) => is_unheard(outcome, silent.decision),
        _ => false,
    };
    let question = scoped::ScopedQuestion { view, list, crawler, policy, usage, target, elements, unheard };
    let scoped::ScopedAnswer { decision, incomplete, named_by_page } = scoped::answer(&question, None)?;
    let shut = unheard && silent.decision == Decision::Disallowed && !named_by_page;
    Some(match decision.filter(|_| !shut) {
        Some(decision) => Answer { decision, incomplete, basis: Basis::Fields },
        None => Answer { incomplete: incomplete && !shut, ..silent },
    })
}

/// R13.
#[inline(always)]
pub(crate) fn is_exempt(site: &Site<'_>, usage: Usage<'_>, target: &[u8]) -> bool {
    // One byte, plain or the start of an escape, eliminates nearly all targets.
    matches!(target.get(1), Some(b'r' | b'%')) && is_robots(site, usage, target)
}

#[inline(never)]
fn is_robots(site: &Site<'_>, usage: Usage<'_>, target: &[u8]) -> bool {
    if !usage.is_crawl() || !site.profile.allows_robots_txt() {
        return false;
    }
    // Twelve canonical bytes decide; each comes from at most three bytes of the target.
    let start = target.get(..3 * 12).unwrap_or(target);
    let start = start.split(|&byte| byte == b'#').next().unwrap_or_default();
    site.profile.notation().target_in(start, &mut [0; 9 * 12]).is_some_and(is_robots_txt)
}

/// Resolves the answers of rules and fields; `None` if the image is damaged.
#[inline]
pub(crate) fn resolve<'a>(site: &Site<'a>, crawler: &Crawler, usage: Usage<'_>) -> Option<Answers<'a>> {
    if !crawler.is_held(site.profile.agent_rule()) {
        return Some(Answers::Fixed(Answer::plain(Decision::Unknown, Basis::Narrowed)));
    }
    let bytes = match site.entry()? {
        // A site entry that is a program is the default group's.
        SiteEntry::Program(_) if crawler.is_named_only() => {
            return Some(Answers::Fixed(unspoken(usage, Basis::NoGroup)));
        }
        SiteEntry::Program(at) if usage.is_crawl() => {
            return Some(Answers::Program(site.view().program(at)?));
        }
        SiteEntry::Program(_) => return Some(Answers::Fixed(unspoken(usage, Basis::Unspoken))),
        SiteEntry::NoRules(no_rules) => return Some(Answers::Fixed(without_rules(site, no_rules, usage))),
        SiteEntry::Policy(at) => site.view().policy(at)?,
    };
    in_policy(site, crawler, usage, bytes, &PolicyView::read(bytes)?)
}

/// Resolves the answers of a policy, which `bytes` hold, for a crawler that the image holds.
#[inline(always)]
pub(crate) fn in_policy<'a>(
    site: &Site<'a>,
    crawler: &Crawler,
    usage: Usage<'_>,
    bytes: &'a [u8],
    policy: &PolicyView<'a>,
) -> Option<Answers<'a>> {
    Some(match crawler.set(site.view(), policy)? {
        Lookup::Set(SetRef::List(at)) => {
            let list = site.view().list(at)?;
            if is_scoped(list) {
                let list = ScopedView::read(list)?;
                // Pages may have rules where robots.txt has none. The outcome answers what they
                // leave open.
                let silent = match policy.no_rules() {
                    Some(no_rules) => without_rules(site, no_rules, usage),
                    None if list.permits && !usage.needs_permission()
                        || (list.own || !crawler.is_named_only()) && speaks(&list, usage) =>
                    {
                        Answer::plain(Decision::Allowed, Basis::NoRule)
                    }
                    None => unspoken(usage, Basis::NoRule),
                };
                Answers::Scoped(list, bytes, silent)
            } else {
                Answers::List(list)
            }
        }
        Lookup::Set(SetRef::Program(at)) if usage.is_crawl() => Answers::Program(site.view().program(at)?),
        Lookup::Set(_) => Answers::Fixed(unspoken(usage, Basis::Unspoken)),
        Lookup::NoGroup => Answers::Fixed(match policy.no_rules() {
            Some(no_rules) => without_rules(site, no_rules, usage),
            None => unspoken(usage, Basis::NoGroup),
        }),
    })
}

/// True if a conventional rule of the list is about the usage, so that silence about a target
/// permits it.
fn speaks(list: &ScopedView<'_>, usage: Usage<'_>) -> bool {
    list.entries_of(|asked| asked == usage.id).any(|entry| entry.role == Role::Conventional)
}

/// The answer if no rule is about the usage: crawling is allowed, any other usage unknown.
fn unspoken(usage: Usage<'_>, basis: Basis) -> Answer {
    Answer::plain(if usage.is_crawl() { Decision::Allowed } else { Decision::Unknown }, basis)
}

fn without_rules(site: &Site<'_>, no_rules: NoRules, usage: Usage<'_>) -> Answer {
    let decision = site.decide_outcome(no_rules);
    // An outcome that allows crawling for lack of rules says nothing about other usages.
    let silent = !usage.is_crawl() && decision == Decision::Allowed;
    Answer::plain(if silent { Decision::Unknown } else { decision }, Basis::Outcome(no_rules.outcome))
}
