//! Access: what answers for one crawler and one usage on one site, resolved once and asked for many paths.
//!
//! The last two steps of a question: policy → programs, then the walks. A crawler that fetches many pages of a site
//! holds an [`Access`]; a single question makes one and asks it once. Invariants: asking allocates nothing for targets
//! up to a kilobyte; any damage is [`Basis::Damaged`]. It does not know how a site is found.

use crate::crawler::{Crawler, Usage};
use crate::site::Site;
use crate::target::{self, Target};
use crate::verdict::{Basis, Verdict};
use crate::walk::walk;
use robomaton_formats::decision::is_robots_txt;
use robomaton_formats::policy::{CRAWL, NO_PURPOSE, SET_LIST, read_list};
use robomaton_formats::program::{Head, Silence, Tag, permits};
use robomaton_formats::{Decision, Notation, Outcome};

/// Octets on the stack for targets that must be rewritten; a target of a third of it never allocates.
const SPACE: usize = 3 * 1024;

/// What answers for one crawler and one usage on one site. Cheap to copy; made by [`Site::access`].
#[derive(Clone, Copy, Debug)]
pub struct Access<'a> {
    site: Site<'a>,
    crawler: &'a Crawler,
    usage: Usage,
    answers: Answers<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Answers<'a> {
    /// The same for every target but `/robots.txt`.
    Fixed(Decision, Basis),
    /// One program.
    Program(&'a [u8]),
    /// A list of programs for all usages and purposes.
    List(&'a [u8]),
}

impl<'a> Access<'a> {
    #[inline]
    pub(crate) fn new(site: Site<'a>, crawler: &'a Crawler, usage: Usage) -> Access<'a> {
        let answers =
            resolve(&site, crawler, usage).unwrap_or(Answers::Fixed(Decision::Unknown, Basis::Damaged));
        Access { site, crawler, usage, answers }
    }

    /// Answers for a URL of the site, or a path with query. The host of a URL is not looked at again.
    #[inline]
    pub fn decide(&self, url: &'a str) -> Verdict<'a> {
        let (decision, basis) = self.of_url(url);
        Verdict { decision, basis, site: Some(self.site), crawler: self.crawler, usage: self.usage, url }
    }

    /// Out of line with a small result, so that a verdict is built where it is used, and of it only what is.
    #[inline(never)]
    fn of_url(&self, url: &str) -> (Decision, Basis) {
        self.of_target(&target::target(self.site.profile, url))
    }

    #[inline]
    pub(crate) fn verdict(&self, url: &'a str, target: &Target<'_>) -> Verdict<'a> {
        let (decision, basis) = self.of_target(target);
        Verdict { decision, basis, site: Some(self.site), crawler: self.crawler, usage: self.usage, url }
    }

    #[inline]
    fn of_target(&self, target: &Target<'_>) -> (Decision, Basis) {
        answer(&self.site, &self.answers, self.usage, target).unwrap_or(DAMAGED)
    }
}

const DAMAGED: (Decision, Basis) = (Decision::Unknown, Basis::Damaged);

/// One question about one URL, with nothing held. Out of line for the same reason as [`Access::of_url`].
#[inline(never)]
pub(crate) fn once(site: &Site<'_>, crawler: &Crawler, usage: Usage, url: &str) -> (Decision, Basis) {
    let target = target::target(site.profile, url);
    match resolve(site, crawler, usage) {
        Some(answers) => answer(site, &answers, usage, &target).unwrap_or(DAMAGED),
        None if is_exempt(site, usage, &target.octets) => (Decision::Allowed, Basis::RobotsTxt),
        None => DAMAGED,
    }
}

/// The answer; `None` when the image is damaged.
#[inline(always)]
fn answer(
    site: &Site<'_>,
    answers: &Answers<'_>,
    usage: Usage,
    target: &Target<'_>,
) -> Option<(Decision, Basis)> {
    if is_exempt(site, usage, &target.octets) {
        return Some((Decision::Allowed, Basis::RobotsTxt));
    }
    let mut best = (0, None);
    match *answers {
        Answers::Fixed(decision, basis) => return Some((decision, basis)),
        Answers::Program(program) => ask(program, target, &mut best)?,
        Answers::List(list) => {
            for entry in read_list(list)?.filter(|entry| entry.usage == usage.number) {
                if entry.purpose == NO_PURPOSE || entry.purpose == usage.purpose {
                    ask(site.view.program(entry.program)?, target, &mut best)?;
                }
            }
        }
    }
    Some(match best {
        (0, None) => unspoken(usage, Basis::Unspoken),
        (0, Some(Silence::Allowed)) => (Decision::Allowed, Basis::NoRule),
        (0, Some(Silence::Unknown)) => (Decision::Unknown, Basis::NoRule),
        (tag, _) => (Decision::from(permits(tag)), Basis::Rule(tag)),
    })
}

/// R13.
#[inline(always)]
fn is_exempt(site: &Site<'_>, usage: Usage, target: &[u8]) -> bool {
    // One octet, plain or the start of an escape, rules nearly all targets out.
    matches!(target.get(1), Some(b'r' | b'%')) && is_robots(site, usage, target)
}

#[inline(never)]
fn is_robots(site: &Site<'_>, usage: Usage, target: &[u8]) -> bool {
    if usage.number != CRAWL || !site.profile.allows_robots_txt() {
        return false;
    }
    // Twelve canonical octets settle it; each is made of three of the target's at most.
    let start = &target[..target.len().min(3 * 12)];
    site.profile.notation().target_in(start, &mut [0; 9 * 12]).is_some_and(is_robots_txt)
}

/// What answers; `None` when the image is damaged.
#[inline]
fn resolve<'a>(site: &Site<'a>, crawler: &Crawler, usage: Usage) -> Option<Answers<'a>> {
    if !crawler.held {
        return Some(Answers::Fixed(Decision::Unknown, Basis::Narrowed));
    }
    let outcome = site.outcome()?;
    if outcome != Outcome::Rules {
        let (decision, basis) = without_rules(site, outcome, usage);
        return Some(Answers::Fixed(decision, basis));
    }
    let policy = site.view.policy(site.record.policy.get())?;
    Some(match crawler.set(policy)? {
        Some(word) if word & SET_LIST != 0 => Answers::List(site.view.list(word & !SET_LIST)?),
        Some(word) if usage.number == CRAWL => Answers::Program(site.view.program(word)?),
        set => {
            let basis = if set.is_some() { Basis::Unspoken } else { Basis::NoGroup };
            let (decision, basis) = unspoken(usage, basis);
            Answers::Fixed(decision, basis)
        }
    })
}

/// No rule speaks of the usage: conventional silence permits crawling and says nothing of the rest.
fn unspoken(usage: Usage, basis: Basis) -> (Decision, Basis) {
    (if usage.number == CRAWL { Decision::Allowed } else { Decision::Unknown }, basis)
}

fn without_rules(site: &Site<'_>, outcome: Outcome, usage: Usage) -> (Decision, Basis) {
    let decision = site.terms.decide(outcome, site.status(), site.fetched_at().unwrap_or(0));
    // What allows crawling for want of rules says nothing of other usages.
    let silent = usage.number != CRAWL && decision == Decision::Allowed;
    (if silent { Decision::Unknown } else { decision }, Basis::Outcome(outcome))
}

/// Walks one program: raises the best tag and notes what no match means in the first program asked. `None` when the
/// image is damaged.
#[inline]
fn ask(program: &[u8], target: &Target<'_>, best: &mut (Tag, Option<Silence>)) -> Option<()> {
    let head = &Head::read(program)?;
    let tag = if target.plain || head.notation == Notation::Google {
        walk(program, head, &target.octets)?
    } else {
        rewritten(program, head, &target.octets)?
    };
    best.0 = best.0.max(tag);
    best.1.get_or_insert(head.silence);
    Some(())
}

/// Walks with a target that may not be canonical. Out of line: it owns a large buffer.
#[inline(never)]
fn rewritten(program: &[u8], head: &Head, target: &[u8]) -> Option<Tag> {
    match head.notation.target_in(target, &mut [0; SPACE]) {
        Some(canonical) => walk(program, head, canonical),
        None => walk(program, head, &head.notation.target(target)),
    }
}
