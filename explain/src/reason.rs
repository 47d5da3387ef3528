//! The reason for an answer, in a sentence that cites the lines.
//!
//! It reads the fates in the trace and finds the relation behind them: the narrower pattern, the
//! more special usage, equal patterns, patterns that cannot be ordered. If no rule decides, the
//! reason follows from the verdict alone. Nothing is decided here.

use crate::evidence::Evidence;
use crate::rule::{citation, is_of_page};
use crate::statements;
use robomaton_compiler::scope::{compare, scoped_pattern, symbols};
use robomaton_compiler::trace::{Fate, Holder, Level, Match, Trace, TraceQuery};
use robomaton_compiler::{Policy, Sense};
use robomaton_formats::policy::is_special;
use robomaton_runtime::{Account, Basis, Decision, Outcome, Profile, Verdict};
use std::cmp::Ordering;
use std::collections::HashSet;

/// The reason that follows from a verdict and its account.
pub(crate) fn of_verdict(verdict: &Verdict<'_>, account: &Account, usage: &str) -> String {
    let silence = || statements::silence(account, usage).filter(|_| verdict.decision() == Decision::Unknown);
    match verdict.basis() {
        Basis::Rule => "a rule matches".to_owned(),
        Basis::Fields => "fields match".to_owned(),
        Basis::Preferences => statements::reason(account, usage, verdict.decision()),
        Basis::NoRule => silence().unwrap_or_else(|| "no rule matches".to_owned()),
        Basis::Unspoken => silence()
            .unwrap_or_else(|| format!("nothing that applies to this crawler speaks of the usage {usage:?}")),
        Basis::NoGroup => silence().unwrap_or_else(|| "no group is for this crawler".to_owned()),
        Basis::RobotsTxt => "/robots.txt itself needs no rule".to_owned(),
        Basis::Outcome(Outcome::OverLimit) => {
            "the text is over a limit of the compiler, so everything is disallowed".to_owned()
        }
        Basis::Outcome(outcome) => {
            format!("there are no rules; the outcome of the fetch, {outcome}, answers")
        }
        Basis::NoSite => "the image does not contain the site".to_owned(),
        Basis::Narrowed => "the image was narrowed to other crawlers when it was compiled".to_owned(),
        Basis::NoUrl => "this is not the URL of a site".to_owned(),
        Basis::Damaged => "the image is damaged here; `robomaton verify` tells where".to_owned(),
    }
}

/// The reason that follows from the trace, if any.
pub(crate) fn of_evidence(evidence: &Evidence<'_>, verdict: &Verdict<'_>) -> Option<String> {
    if let Some(outcome) = evidence.overriding_outcome(verdict) {
        return Some(of_overriding_outcome(outcome));
    }
    match verdict.basis() {
        Basis::Rule | Basis::Fields => Some(of_rules(evidence).unwrap_or_default()),
        Basis::NoRule if evidence.policy.is_acap && verdict.decision() == Decision::Allowed => Some(
            "no field and no rule matches, and where ACAP is silent, every usage is permitted".to_owned(),
        ),
        _ => None,
    }
}

/// The reason for the answer to act on, given that for the decision of the files that are present.
pub(crate) fn of_safe_decision(verdict: &Verdict<'_>, reason: String) -> String {
    let decision = verdict.decision();
    if verdict.safe_decision() == decision {
        return reason;
    }
    format!("what is missing may prohibit it; without that it is {}: {reason}", decision.name())
}

/// The reason why a page's rules do not decide.
pub(crate) fn of_overriding_outcome(outcome: Outcome) -> String {
    format!("the outcome of the fetch, {outcome}, goes before what a page says")
}

/// The relation of one rule to another.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    /// Its pattern is narrower.
    Narrower,
    /// The patterns are equal, and its usage is more special.
    Special,
    /// The patterns are equal, and neither usage is more special.
    Equal,
    /// Neither pattern is narrower.
    Undetermined,
    /// The other pattern is narrower.
    Other,
}

/// The reason why these rules decide; `None` if no rule does.
pub(crate) fn of_rules(evidence: &Evidence<'_>) -> Option<String> {
    let Evidence { policy, trace, query } = *evidence;
    let first = trace.deciding().next()?;
    if !policy.is_scoped() {
        return Some(ranked(policy, trace, first));
    }
    let scoped = Scoped { policy, query };
    let mut sentence = match first.level {
        Some(Level { other: true, .. }) => {
            format!("no field speaks of {:?} here, so those of \"other\" answer: ", query.usage)
        }
        _ => String::new(),
    };
    sentence.push_str(&match policy.rules[first.rule].sense {
        Sense::Permit => scoped.permitted(trace),
        Sense::Prohibit => scoped.prohibited(trace),
    });
    sentence.push_str(&scoped.dropped(trace, first));
    Some(sentence)
}

fn ranked(policy: &Policy<'_>, trace: &Trace, winner: &Match) -> String {
    let line = citation(policy, winner);
    let rank = |found: &Match| found.priority >> 1;
    let permits = |found: &Match| policy.rules[found.rule].sense == Sense::Permit;
    let equal = |found: &&Match| rank(found) == rank(winner) && permits(found) != permits(winner);
    let count = trace.matches.len();
    if policy.rules[winner.rule].is_implied() {
        format!("the rule set of {line} lists what is allowed, and not this")
    } else if count == 1 {
        format!("{line} is the only rule that matches")
    } else if policy.profile == Profile::Koster {
        format!("{line} is the first rule in the file that matches")
    } else if trace.matches.iter().any(|found| policy.rules[found.rule].is_weighed_by_form()) {
        format!(
            "{line} goes first of the {count} that match: explicit Allow, then Disallow, then Allow with wildcards"
        )
    } else if let Some(loser) = trace.matches.iter().find(equal) {
        format!("{line} is as long as {}, and of equal length the permission wins", citation(policy, loser))
    } else {
        format!("{line} has the longest pattern of the {count} that match, {} bytes", rank(winner))
    }
}

/// The rules of one sense that a sentence compares with those of the other: each with each.
const MOST_COMPARED: usize = 64;

struct Scoped<'a> {
    policy: &'a Policy<'a>,
    query: &'a TraceQuery<'a>,
}

impl Scoped<'_> {
    fn permits(&self, found: &Match) -> bool {
        self.policy.rules[found.rule].sense == Sense::Permit
    }

    fn line(&self, found: &Match) -> String {
        citation(self.policy, found)
    }

    /// The rules against which the deciding ones were weighed: fields, and the best conventional
    /// rule.
    fn opponents<'t>(&self, trace: &'t Trace, permits: bool) -> Vec<&'t Match> {
        let best = self.conventional(trace);
        let weighed = trace.matches.iter().filter(|found| matches!(found.fate, Fate::Beaten | Fate::Decides));
        let weighed = weighed.filter(|found| found.level.is_some() || best == Some(*found));
        weighed.filter(|found| self.permits(found) == permits).collect()
    }

    /// The conventional rule that takes part.
    fn conventional<'t>(&self, trace: &'t Trace) -> Option<&'t Match> {
        let weighed = trace.matches.iter().filter(|found| matches!(found.fate, Fate::Beaten | Fate::Decides));
        let conventional = weighed.filter(|found| found.level.is_none());
        conventional.max_by_key(|found| (found.fate == Fate::Decides, found.priority))
    }

    fn relation(&self, one: &Match, other: &Match) -> Relation {
        let special = |found: &Match| {
            let usage = self.policy.rules[found.rule].usage;
            is_special(self.query.usage) && self.policy.usage(self.query.usage) == Some(usage)
        };
        let symbols = |found: &Match| symbols(&scoped_pattern(&self.policy.rules[found.rule].pattern));
        let order = match is_of_page(one) && is_of_page(other) {
            true => Some(Ordering::Equal),
            false => compare(&symbols(one), &symbols(other)).0,
        };
        match (order, special(one), special(other)) {
            (Some(Ordering::Greater), ..) => Relation::Narrower,
            (Some(Ordering::Equal), true, false) => Relation::Special,
            (Some(Ordering::Equal), false, true) => Relation::Other,
            (Some(Ordering::Equal), ..) => Relation::Equal,
            (None, ..) => Relation::Undetermined,
            (Some(Ordering::Less), ..) => Relation::Other,
        }
    }

    fn special(&self, one: &Match, other: &Match) -> String {
        let usage = self.query.usage;
        format!(
            "on an equal pattern, {} speaks of {usage} itself and {} of all of present",
            self.line(one),
            self.line(other)
        )
    }

    /// Those of some rules that are compared: of equal ones, the first.
    fn compared<'t>(&self, found: &[&'t Match]) -> Vec<&'t Match> {
        let mut seen = HashSet::new();
        let mut is_new = |found: &Match| {
            let rule = &self.policy.rules[found.rule];
            seen.insert((&rule.pattern, rule.notation as u8, rule.usage, is_of_page(found)))
        };
        found.iter().copied().filter(|found| is_new(found)).take(MOST_COMPARED).collect()
    }

    fn permitted(&self, trace: &Trace) -> String {
        let permissions: Vec<&Match> = trace.deciding().collect();
        let prohibitions = self.compared(&self.opponents(trace, false));
        let compared = self.compared(&permissions);
        let pairs = || compared.iter().flat_map(|one| prohibitions.iter().map(move |other| (*one, *other)));
        let of = |wanted| pairs().find(|(one, other)| self.relation(one, other) == wanted);
        if prohibitions.is_empty() {
            format!(
                "{}, and nothing as narrow prohibits it",
                self.say(&permissions, "permits it", "permit it")
            )
        } else if let Some((one, other)) = of(Relation::Narrower) {
            format!("{} has a narrower pattern than the prohibition in {}", self.line(one), self.line(other))
        } else if let Some((one, other)) = of(Relation::Special) {
            self.special(one, other)
        } else {
            self.say(&permissions, "beats what prohibits it", "beat what prohibits it")
        }
    }

    fn prohibited(&self, trace: &Trace) -> String {
        let prohibitions: Vec<&Match> = trace.deciding().collect();
        let permissions = self.compared(&self.opponents(trace, true));
        let compared = self.compared(&prohibitions);
        if permissions.is_empty() {
            let say = self.say(&prohibitions, "prohibits it", "prohibit it");
            return format!("{say}, and nothing as narrow permits it");
        }
        let above_all = |one: &&&Match| {
            permissions
                .iter()
                .all(|other| matches!(self.relation(one, other), Relation::Narrower | Relation::Special))
        };
        let pairs = || compared.iter().flat_map(|one| permissions.iter().map(move |other| (*one, *other)));
        let of = |wanted| pairs().find(|(one, other)| self.relation(one, other) == wanted);
        if let Some(one) = compared.iter().find(above_all) {
            let narrower = permissions.iter().find(|other| self.relation(one, other) == Relation::Narrower);
            match narrower {
                Some(other) => {
                    format!(
                        "{} has a narrower pattern than the permission in {}",
                        self.line(one),
                        self.line(other)
                    )
                }
                None => self.special(one, permissions[0]),
            }
        } else if let Some((one, other)) = of(Relation::Equal) {
            let place = if is_of_page(one) { "stand in one page" } else { "have equal patterns" };
            format!(
                "{} and {} {place}; neither is narrower, so it is prohibited",
                self.line(one),
                self.line(other)
            )
        } else if let Some((one, other)) = of(Relation::Undetermined) {
            format!(
                "which of {} and {} is narrower cannot be determined, so it is prohibited",
                self.line(one),
                self.line(other)
            )
        } else {
            self.say(&prohibitions, "is beaten by no permission", "are beaten by no permission")
        }
    }

    /// The rule with the opposite sense, and why it does not apply.
    fn dropped(&self, trace: &Trace, first: &Match) -> String {
        let permits = self.permits(first);
        let contrary = |fate| {
            let mut contrary = trace.matches.iter().filter(move |found| found.fate == fate);
            contrary.find(|found| self.permits(found) != permits)
        };
        let mut sentence = String::new();
        let best = self.conventional(trace).filter(|best| best.fate == Fate::Decides);
        let beaten = |loser: &&Match| {
            loser.level.is_none() && loser.fate == Fate::Beaten && self.permits(loser) != permits
        };
        if let (Some(best), Some(loser)) = (best, trace.matches.iter().find(beaten)) {
            let (best, loser) = (self.line(best), self.line(loser));
            sentence.push_str(&format!("; of the conventional rules {best} goes before {loser}"));
        }
        if let Some(rule) = contrary(Fate::Contradicted) {
            sentence.push_str(&format!(
                "; the conventional {} says the opposite on the very same pattern and is ignored",
                self.line(rule)
            ));
        }
        if let Some(far) =
            contrary(Fate::Overridden).filter(|found| found.level.is_none_or(|level| !level.other))
        {
            let (line, narrower) =
                (self.line(far), first.level.map_or("a group that names the crawler", narrowest));
            sentence.push_str(&format!("; {narrower} overrides {line}"));
        }
        sentence
    }

    fn say(&self, found: &[&Match], one: &str, several: &str) -> String {
        let mut lines: Vec<String> = found.iter().map(|found| self.line(found)).collect();
        lines.dedup();
        match lines.split_last() {
            Some((last, [])) => format!("{last} {one}"),
            Some((last, rest)) => format!("{} and {last} {several}", rest.join(", ")),
            None => String::new(),
        }
    }
}

/// The reason why a level is the narrowest.
fn narrowest(level: Level) -> &'static str {
    match (level.holder, level.any) {
        (Holder::Element, _) => "an element of the page",
        (Holder::PageForPurpose | Holder::Page, _) => "the page itself",
        (_, false) => "a record that names the crawler",
        (Holder::SubRecord, true) => "a sub-record for the purpose",
        (Holder::Record, true) => "what any crawler is told",
    }
}

/// A level in words.
pub(crate) fn level_in_words(level: Level) -> String {
    let holder = match level.holder {
        Holder::Element => {
            return "elements of the page, which speak for all of it to one who does not work on elements"
                .to_owned();
        }
        Holder::PageForPurpose => "META tags for this purpose",
        Holder::Page => "META tags",
        Holder::SubRecord => "sub-records for this purpose",
        Holder::Record => "the general fields of records",
    };
    let whom = if level.any { "addressed to any crawler" } else { "that name the crawler" };
    format!("{holder}, {whom}{}", if level.other { ", of the usage other" } else { "" })
}
