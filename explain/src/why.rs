//! Why a decision is what it is, in a sentence that cites the lines.
//!
//! Reads the fates that the trace gives and looks for the relation that made them: the narrower pattern, the more
//! special usage, equal patterns, patterns that cannot be ordered. It decides nothing.

use crate::story::{is_of_page, line_of};
use robomaton_compiler::scope::{compare, scoped_pattern, symbols};
use robomaton_compiler::trace::{Asked, Fate, Holder, Level, Match, Trace};
use robomaton_compiler::{Policy, Sense};
use robomaton_formats::policy::is_special;
use robomaton_runtime::Profile;
use std::cmp::Ordering;

/// How one rule stands to another.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    /// Its pattern is the narrower one.
    Narrower,
    /// On an equal pattern, its usage is the more special one.
    Special,
    /// Equal patterns, and neither usage is more special.
    Equal,
    /// Neither pattern is narrower.
    Undetermined,
    /// The other one is nearer to what is asked.
    Other,
}

/// Why; none where no rule decides.
pub fn why(policy: &Policy<'_>, traced: &Trace, asked: &Asked<'_>) -> Option<String> {
    let first = traced.deciding().next()?;
    if !policy.is_scoped() {
        return Some(ranked(policy, traced, first));
    }
    let story = Scoped { policy, asked };
    let mut sentence = match first.level {
        Some(Level { other: true, .. }) => {
            format!("no field speaks of {:?} here, so those of \"other\" answer: ", asked.usage)
        }
        _ => String::new(),
    };
    sentence.push_str(&match policy.rules[first.rule].sense {
        Sense::Permit => story.permitted(traced),
        Sense::Prohibit => story.prohibited(traced),
    });
    sentence.push_str(&story.dropped(traced, first));
    Some(sentence)
}

fn ranked(policy: &Policy<'_>, traced: &Trace, winner: &Match) -> String {
    let line = line_of(policy, winner);
    let rank = |found: &Match| found.tag >> 1;
    let permits = |found: &Match| policy.rules[found.rule].sense == Sense::Permit;
    let equal = |found: &&Match| rank(found) == rank(winner) && permits(found) != permits(winner);
    let count = traced.matches.len();
    if policy.rules[winner.rule].is_implied() {
        format!("the rule set of {line} lists what is allowed, and not this")
    } else if count == 1 {
        format!("{line} is the only rule that matches")
    } else if policy.profile == Profile::Koster {
        format!("{line} is the first rule in the file that matches")
    } else if traced.matches.iter().any(|found| policy.rules[found.rule].is_weighed_by_form()) {
        format!(
            "{line} goes first of the {count} that match: explicit Allow, then Disallow, then Allow with wildcards"
        )
    } else if let Some(loser) = traced.matches.iter().find(equal) {
        format!("{line} is as long as {}, and of equal length the permission wins", line_of(policy, loser))
    } else {
        format!("{line} has the longest pattern of the {count} that match, {} octets", rank(winner))
    }
}

struct Scoped<'a> {
    policy: &'a Policy<'a>,
    asked: &'a Asked<'a>,
}

impl Scoped<'_> {
    fn permits(&self, found: &Match) -> bool {
        self.policy.rules[found.rule].sense == Sense::Permit
    }

    fn line(&self, found: &Match) -> String {
        line_of(self.policy, found)
    }

    /// The rules against which those that decide were weighed: fields, and the best of the conventional rules.
    fn opponents<'t>(&self, traced: &'t Trace, permits: bool) -> Vec<&'t Match> {
        let best = self.conventional(traced);
        let weighed =
            traced.matches.iter().filter(|found| matches!(found.fate, Fate::Beaten | Fate::Decides));
        let weighed = weighed.filter(|found| found.level.is_some() || best == Some(*found));
        weighed.filter(|found| self.permits(found) == permits).collect()
    }

    /// The conventional rule that takes part.
    fn conventional<'t>(&self, traced: &'t Trace) -> Option<&'t Match> {
        let weighed =
            traced.matches.iter().filter(|found| matches!(found.fate, Fate::Beaten | Fate::Decides));
        let conventional = weighed.filter(|found| found.level.is_none());
        conventional.max_by_key(|found| (found.fate == Fate::Decides, found.tag))
    }

    fn relation(&self, one: &Match, other: &Match) -> Relation {
        let special = |found: &Match| {
            let usage = self.policy.rules[found.rule].usage;
            is_special(self.asked.usage) && self.policy.usage(self.asked.usage) == Some(usage)
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
        let usage = self.asked.usage;
        format!(
            "on an equal pattern, {} speaks of {usage} itself and {} of all of present",
            self.line(one),
            self.line(other)
        )
    }

    fn permitted(&self, traced: &Trace) -> String {
        let prohibitions = self.opponents(traced, false);
        let permissions: Vec<&Match> = traced.deciding().collect();
        let pairs =
            || permissions.iter().flat_map(|one| prohibitions.iter().map(move |other| (*one, *other)));
        let of = |wanted| pairs().find(|(one, other)| self.relation(one, other) == wanted);
        if prohibitions.is_empty() {
            format!("{}, and nothing as near prohibits it", self.say(&permissions, "permits it", "permit it"))
        } else if let Some((one, other)) = of(Relation::Narrower) {
            format!("{} has a narrower pattern than the prohibition in {}", self.line(one), self.line(other))
        } else if let Some((one, other)) = of(Relation::Special) {
            self.special(one, other)
        } else {
            self.say(&permissions, "beats what prohibits it", "beat what prohibits it")
        }
    }

    fn prohibited(&self, traced: &Trace) -> String {
        let permissions = self.opponents(traced, true);
        let prohibitions: Vec<&Match> = traced.deciding().collect();
        if permissions.is_empty() {
            let say = self.say(&prohibitions, "prohibits it", "prohibit it");
            return format!("{say}, and nothing as near permits it");
        }
        let above_all = |one: &&&Match| {
            permissions
                .iter()
                .all(|other| matches!(self.relation(one, other), Relation::Narrower | Relation::Special))
        };
        let pairs =
            || prohibitions.iter().flat_map(|one| permissions.iter().map(move |other| (*one, *other)));
        let of = |wanted| pairs().find(|(one, other)| self.relation(one, other) == wanted);
        if let Some(one) = prohibitions.iter().find(above_all) {
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

    /// What would have said otherwise, and why it was not heard.
    fn dropped(&self, traced: &Trace, first: &Match) -> String {
        let permits = self.permits(first);
        let contrary = |fate| {
            let mut contrary = traced.matches.iter().filter(move |found| found.fate == fate);
            contrary.find(|found| self.permits(found) != permits)
        };
        let mut told = String::new();
        let best = self.conventional(traced).filter(|best| best.fate == Fate::Decides);
        let beaten = |loser: &&Match| {
            loser.level.is_none() && loser.fate == Fate::Beaten && self.permits(loser) != permits
        };
        if let (Some(best), Some(loser)) = (best, traced.matches.iter().find(beaten)) {
            let (best, loser) = (self.line(best), self.line(loser));
            told.push_str(&format!("; of the conventional rules {best} goes before {loser}"));
        }
        if let Some(rule) = contrary(Fate::Contradicted) {
            told.push_str(&format!(
                "; the conventional {} says the opposite on the very same pattern and is ignored",
                self.line(rule)
            ));
        }
        if let Some(far) =
            contrary(Fate::Overridden).filter(|found| found.level.is_none_or(|level| !level.other))
        {
            let (line, near) =
                (self.line(far), first.level.map_or("a group that names the crawler", nearness));
            told.push_str(&format!("; {near} overrides {line}"));
        }
        told
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

/// What makes a level the nearest.
fn nearness(level: Level) -> &'static str {
    match (level.holder, level.any) {
        (Holder::Element, _) => "an element of the page",
        (Holder::PageForPurpose | Holder::Page | Holder::PageConventional, _) => "the page itself",
        (_, false) => "a record that names the crawler",
        (Holder::SubRecord, true) => "a sub-record for the purpose",
        (Holder::Record, true) => "what any crawler is told",
    }
}

/// A level in words.
pub(crate) fn words(level: Level) -> String {
    let holder = match level.holder {
        Holder::Element => {
            return "elements of the page, which speak for all of it to one who does not work on elements"
                .to_owned();
        }
        Holder::PageForPurpose => "META tags for this purpose",
        Holder::Page => "META tags",
        Holder::PageConventional => "conventional META tags",
        Holder::SubRecord => "sub-records for this purpose",
        Holder::Record => "the general fields of records",
    };
    let whom = if level.any { "addressed to any crawler" } else { "that name the crawler" };
    format!("{holder}, {whom}{}", if level.other { ", of the usage other" } else { "" })
}
