//! The answers of rules and fields for one crawler and one usage on one site.
//!
//! From the policy to its programs, then the walks. `access` calls it for users, `preference` and
//! `statements` for the part that rules have in an answer about a use. Invariants: a question
//! allocates nothing for targets up to a kilobyte; any damage is `None`, or [`Basis::Damaged`].
//! This module does not know how a site is found.

use crate::answer::{Answer, Basis};
use crate::crawler::{Crawler, Lookup, Usage};
use crate::program;
use crate::scoped::{Fields, ScopedAnswer, ScopedQuestion, with_fields};
use crate::site::Site;
use crate::target::{Space, Target, canonical};
use crate::terms::may_refuse;
use robomaton_formats::decision::is_robots_txt;
use robomaton_formats::notation::has_dropped;
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
    /// Fields, and rules beside them.
    Scoped(Scoped<'a>),
}

/// The groups that apply to a crawler, whatever the usage.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Groups<'a> {
    /// The image does not answer for the crawler.
    Narrowed,
    /// No group applies to it.
    Nobody,
    /// There are no rules, because of the outcome.
    NoRules(NoRules),
    /// One program about crawling.
    Program(&'a [u8]),
    /// A list of programs for several usages.
    List(&'a [u8]),
    /// Fields, and rules beside them.
    Scoped(Scoped<'a>),
}

/// A scoped list (weighed by specificity), the policy that refers to it, and the outcome of
/// robots.txt if only pages have rules.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scoped<'a> {
    list: ScopedView<'a>,
    policy: &'a [u8],
    no_rules: Option<NoRules>,
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
        Answers::Scoped(scoped) => by_scope(site, &scoped, crawler, usage, target),
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
    /// No group applies to the crawler, which permits.
    NoGroup,
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
        const ANSWERS: [Answer; 5] = [
            Answer::plain(Decision::Allowed, Basis::Rule),
            Answer::plain(Decision::Disallowed, Basis::Rule),
            Answer::plain(Decision::Allowed, Basis::NoRule),
            Answer::plain(Decision::Unknown, Basis::NoRule),
            Answer::plain(Decision::Allowed, Basis::NoGroup),
        ];
        ANSWERS[self as usize]
    }
}

#[inline(never)]
fn by_scope(
    site: &Site<'_>,
    scoped: &Scoped<'_>,
    crawler: &Crawler,
    usage: Usage<'_>,
    target: &Target<'_>,
) -> Option<Answer> {
    scoped.with_fields(site, crawler, target, |fields| {
        Some(scoped.answer(site, crawler, usage, fields.answer(usage, None)?))
    })
}

impl Scoped<'_> {
    /// Passes the fields about a target to `ask`. `None` if that returns it, or if the image is
    /// damaged.
    #[inline(always)]
    pub(crate) fn with_fields<T>(
        &self,
        site: &Site<'_>,
        crawler: &Crawler,
        target: &Target<'_>,
        ask: impl FnOnce(&Fields<'_>) -> Option<T>,
    ) -> Option<T> {
        let Scoped { list, policy, .. } = *self;
        let (view, elements, target) = (site.view(), site.shared.terms.elements, target.raw());
        let robots_may_refuse = self.may_refuse(site);
        let question = ScopedQuestion { view, list, crawler, policy, target, elements, robots_may_refuse };
        with_fields(&question, ask)
    }

    /// The answer about a usage, of which the fields say this.
    pub(crate) fn answer(
        &self,
        site: &Site<'_>,
        crawler: &Crawler,
        usage: Usage<'_>,
        of_fields: ScopedAnswer,
    ) -> Answer {
        let ScopedAnswer { decision, incomplete } = of_fields;
        let shut = self
            .no_rules
            .is_some_and(|no_rules| without_rules(site, no_rules, usage).decision == Decision::Disallowed);
        match decision.filter(|_| !shut) {
            Some(decision) => Answer { decision, incomplete, basis: Basis::Fields },
            None => Answer { incomplete: incomplete && !shut, ..self.silent(site, crawler, usage) },
        }
    }

    /// The answer for targets on which the list is silent.
    fn silent(&self, site: &Site<'_>, crawler: &Crawler, usage: Usage<'_>) -> Answer {
        let Scoped { list, no_rules, .. } = self;
        match no_rules {
            // Pages may have rules where robots.txt has none. The outcome answers what they leave
            // open.
            Some(no_rules) => without_rules(site, *no_rules, usage),
            None if list.permits && !usage.needs_permission()
                || (list.own || !crawler.is_named_only()) && speaks(list, usage) =>
            {
                Answer::plain(Decision::Allowed, Basis::NoRule)
            }
            None => unspoken(usage, Basis::NoRule),
        }
    }

    /// True if the robots.txt may refuse beside a page that permits.
    fn may_refuse(&self, site: &Site<'_>) -> bool {
        self.no_rules.is_some_and(|no_rules| may_refuse(no_rules.outcome, site.decide_outcome(no_rules)))
    }
}

/// R13.
#[inline(always)]
pub(crate) fn is_exempt(site: &Site<'_>, usage: Usage<'_>, target: &[u8]) -> bool {
    may_be_exempt(target) && is_robots(site, usage, target)
}

/// True unless R13 cannot apply. The second byte rules nearly all targets out: it must be `r`,
/// begin an escape, or be one that is dropped.
#[inline(always)]
pub(crate) fn may_be_exempt(target: &[u8]) -> bool {
    matches!(target.get(1), Some(b'r' | b'%' | b'\t' | b'\n' | b'\r'))
}

#[inline(never)]
fn is_robots(site: &Site<'_>, usage: Usage<'_>, target: &[u8]) -> bool {
    if !usage.is_crawl() || !site.profile.allows_robots_txt() {
        return false;
    }
    // Twelve canonical bytes decide; each comes from at most three bytes of the target, if none of
    // it is dropped.
    let start = target.get(..3 * 12).filter(|_| !has_dropped(target)).unwrap_or(target);
    let start = start.split(|&byte| byte == b'#').next().unwrap_or_default();
    is_robots_txt(&canonical(site.profile.notation(), start, &mut Space::<{ 9 * 12 }>::new()))
}

/// Resolves the answers of rules and fields; `None` if the image is damaged.
#[inline]
pub(crate) fn resolve<'a>(site: &Site<'a>, crawler: &Crawler, usage: Usage<'_>) -> Option<Answers<'a>> {
    let (groups, _) = groups(site, crawler)?;
    Some(groups.answers(site, usage))
}

/// Finds the groups that apply to a crawler, and the policy that they are from, if the site has one
/// and the image answers for the crawler. `None` if the image is damaged.
#[inline(always)]
pub(crate) fn groups<'a>(site: &Site<'a>, crawler: &Crawler) -> Option<(Groups<'a>, Option<PolicyView<'a>>)> {
    if !crawler.is_held(site.profile.agent_rule()) {
        return Some((Groups::Narrowed, None));
    }
    let view = site.view();
    let groups = match site.entry()? {
        // A site entry that is a program is the default group's.
        SiteEntry::Program(_) if crawler.is_named_only() => Groups::Nobody,
        SiteEntry::Program(at) => Groups::Program(view.program(at)?),
        SiteEntry::NoRules(no_rules) => Groups::NoRules(no_rules),
        SiteEntry::Policy(at) => {
            let bytes = view.policy(at)?;
            let policy = PolicyView::read(bytes)?;
            let groups = match crawler.set(view, &policy)? {
                Lookup::Set(SetRef::List(at)) => {
                    let list = view.list(at)?;
                    if is_scoped(list) {
                        let list = ScopedView::read(list)?;
                        Groups::Scoped(Scoped { list, policy: bytes, no_rules: policy.no_rules() })
                    } else {
                        Groups::List(list)
                    }
                }
                Lookup::Set(SetRef::Program(at)) => Groups::Program(view.program(at)?),
                Lookup::NoGroup => policy.no_rules().map_or(Groups::Nobody, Groups::NoRules),
            };
            return Some((groups, Some(policy)));
        }
    };
    Some((groups, None))
}

impl<'a> Groups<'a> {
    /// True if the robots.txt has no rules here, but may refuse what is permitted beside it.
    pub(crate) fn may_refuse(&self, site: &Site<'_>) -> bool {
        match self {
            Groups::NoRules(no_rules) => may_refuse(no_rules.outcome, site.decide_outcome(*no_rules)),
            Groups::Scoped(scoped) => scoped.may_refuse(site),
            Groups::Narrowed | Groups::Nobody | Groups::Program(_) | Groups::List(_) => false,
        }
    }

    /// The answers for a usage.
    #[inline(always)]
    pub(crate) fn answers(&self, site: &Site<'_>, usage: Usage<'_>) -> Answers<'a> {
        match *self {
            Groups::Narrowed => Answers::Fixed(Answer::plain(Decision::Unknown, Basis::Narrowed)),
            Groups::Nobody => Answers::Fixed(unspoken(usage, Basis::NoGroup)),
            Groups::NoRules(no_rules) => Answers::Fixed(without_rules(site, no_rules, usage)),
            Groups::Program(program) if usage.is_crawl() => Answers::Program(program),
            Groups::Program(_) => Answers::Fixed(unspoken(usage, Basis::Unspoken)),
            Groups::List(list) => Answers::List(list),
            Groups::Scoped(scoped) => Answers::Scoped(scoped),
        }
    }
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
