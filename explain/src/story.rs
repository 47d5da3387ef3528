//! What `explain` tells: one question, from the site to the rules that decide, as text and as JSON.
//!
//! Filled from a verdict and a trace; decides nothing. Files of ranked rules are told as ever: groups, matches and
//! ranks. For those weighed by narrowness come levels, sides, conditions, and pairs that cannot be ordered ([`pair`]).

mod draw;
mod pair;

use crate::asker::Asker;
use crate::sets::{self, Skipped, Version};
use crate::single;
use crate::time::rfc3339;
use crate::told::{Told, page_of};
use crate::why::{why, words};
use pair::Pair;
use robomaton_compiler::trace::{self, Asked, Choice, Fate, Holder, Trace};
use robomaton_compiler::{Agent, Options, OverLimit, Policy, Sense};
use robomaton_formats::purpose;
use robomaton_runtime::{Basis, Decision, Outcome, Rule, Verdict};
use serde::Serialize;

/// An answer and how it came about.
#[derive(Serialize)]
pub struct Story {
    url: String,
    /// The document of the site that answers.
    document: String,
    /// Null where only a path is known.
    site: Option<String>,
    /// Whether it is the file's own site, whichever that is.
    #[serde(skip)]
    is_own: bool,
    outcome: Option<&'static str>,
    status: Option<u16>,
    fetched_at: Option<String>,
    stale: Option<bool>,
    /// What the rules are matched against.
    target: Option<String>,
    /// The names that were asked with, separated by commas.
    agent: String,
    #[serde(skip)]
    agents: Vec<String>,
    usage: String,
    purpose: Option<String>,
    /// Whether the crawler works on elements of pages.
    elements: bool,
    /// Whether only groups that name the crawler count.
    named_only: bool,
    /// Whether the text was read, so that there are groups to tell of.
    #[serde(skip)]
    is_traced: bool,
    /// Whether fields are weighed by narrowness.
    scoped: bool,
    /// The groups and records that address the crawler.
    groups: Vec<Group>,
    /// Rule sets that name it and do not answer.
    skipped: Vec<Skipped>,
    matches: Vec<Match>,
    /// The level whose fields are heard, in words.
    level: Option<String>,
    undetermined: Vec<Pair>,
    /// Files that are referred to and missing, of an image perhaps some that say nothing.
    missing: Vec<String>,
    /// Whether there may be a robots.txt that nobody has read.
    #[serde(skip)]
    unheard: bool,
    /// What could not be read again.
    note: Option<String>,
    /// Files that were given and are not referred to.
    #[serde(skip)]
    unused: Vec<String>,
    /// The limit that the text exceeds.
    #[serde(skip)]
    over_limit: Option<OverLimit>,
    /// Bytes of the text over the limit.
    unread: usize,
    #[serde(skip)]
    cut: Option<String>,
    #[serde(flatten)]
    told: Told,
    /// The verdict to act on.
    #[serde(skip)]
    decision: Decision,
    basis: &'static str,
    reason: String,
}

/// A group or record that addresses the crawler.
#[derive(Serialize)]
struct Group {
    line: u32,
    agents: Vec<String>,
    role: &'static str,
    purposes: Vec<String>,
    /// Whether it is for the purpose that is asked for.
    asked: bool,
    file: Option<String>,
    /// The path of the page that it stands in.
    page: Option<String>,
    /// The version of a rule set, in a text that states any.
    version: Option<Version>,
    incomplete: bool,
}

/// A rule that matches.
#[derive(Serialize)]
struct Match {
    line: u32,
    file: Option<String>,
    page: Option<String>,
    rule: String,
    permits: bool,
    /// Of a conventional rule, octets of the pattern; under the profile `koster`, higher the earlier.
    rank: Option<u32>,
    level: Option<Level>,
    fate: &'static str,
    wins: bool,
}

/// Where a field stands; the first of these that matches is heard.
#[derive(Serialize)]
struct Level {
    other: bool,
    any: bool,
    holder: &'static str,
}

impl Story {
    /// The frame: who asks which site, and the verdict.
    pub(crate) fn new(asker: &Asker, url: &str, verdict: &Verdict<'_>) -> Story {
        let site = verdict.site();
        Story {
            url: url.to_owned(),
            document: "robots.txt".to_owned(),
            is_own: false,
            site: site.as_ref().map(|site| site.address()),
            outcome: site.and_then(|site| site.outcome()).map(|outcome| outcome.name()),
            status: site.map(|site| site.status()).filter(|&status| status != 0),
            fetched_at: site.and_then(|site| site.fetched_at()).and_then(rfc3339),
            stale: site.and_then(|site| site.is_stale()),
            target: site.map(|site| String::from_utf8_lossy(&site.target(url)).into_owned()),
            agent: asker.agents.join(","),
            agents: asker.agents.clone(),
            usage: asker.usage.clone(),
            purpose: asker.purpose.clone(),
            elements: asker.elements,
            named_only: asker.named_only,
            is_traced: false,
            scoped: false,
            groups: Vec::new(),
            skipped: Vec::new(),
            matches: Vec::new(),
            level: None,
            undetermined: Vec::new(),
            missing: Vec::new(),
            unheard: false,
            note: None,
            unused: Vec::new(),
            over_limit: None,
            unread: 0,
            cut: None,
            told: Told::new(verdict),
            decision: verdict.safe_decision(),
            basis: verdict.basis().name(),
            reason: reason(verdict, &asker.usage),
        }
    }

    pub(crate) fn note(&mut self, note: Option<String>) {
        self.note = note;
    }

    pub(crate) fn unused<'n>(&mut self, names: impl Iterator<Item = &'n str>) {
        self.unused = names.map(str::to_owned).collect();
    }

    pub(crate) fn over_limit(&mut self, over: Option<OverLimit>) {
        self.over_limit = over;
    }

    /// The limit that a text exceeds, so that it has no rules.
    pub fn limit(&self) -> Option<OverLimit> {
        self.over_limit
    }

    /// Files that were given, by their paths, and that the text does not refer to.
    pub fn unused_files(&self) -> &[String] {
        &self.unused
    }

    pub(crate) fn document(&mut self, name: &str) {
        name.clone_into(&mut self.document);
    }

    /// Only a path is known of the site.
    pub(crate) fn of_a_file(&mut self) {
        (self.site, self.is_own) = (None, true);
    }

    /// Puts a better reason in place of the general one.
    pub(crate) fn because(&mut self, reason: String) {
        self.reason = reason;
    }

    pub(crate) fn unread(&mut self, octets: usize, options: &Options) {
        self.unread = octets;
        self.cut = single::unread(octets, options);
    }

    /// The middle: groups and matches.
    pub(crate) fn add(
        &mut self,
        policy: &Policy<'_>,
        traced: &Trace,
        asked: &Asked<'_>,
        missing: &[String],
        verdict: &Verdict<'_>,
    ) {
        self.is_traced = true;
        self.told.choose(&traced.choice);
        self.scoped = policy.is_scoped();
        self.groups = groups(policy, traced, asked);
        self.skipped = sets::skipped(policy, &traced.choice, &self.told.looked_for);
        self.matches = traced.matches.iter().map(|found| Match::new(policy, found)).collect();
        // The level that is heard is that of the fields that were weighed.
        let heard = traced.matches.iter().filter(|found| matches!(found.fate, Fate::Decides | Fate::Beaten));
        self.level = heard.filter_map(|found| found.level).min().map(words);
        if let (Basis::Outcome(outcome), Some(_)) = (verdict.basis(), traced.deciding().next()) {
            self.matches.iter_mut().for_each(Match::overridden);
            self.level = None;
            self.reason = shut(outcome);
        }
        self.undetermined = traced.undetermined.iter().map(|pair| Pair::new(policy, *pair)).collect();
        self.unheard = asked.unheard;
        if traced.incomplete {
            self.missing = missing.to_vec();
        }
        if matches!(verdict.basis(), Basis::Rule | Basis::Fields) {
            self.reason = why(policy, traced, asked).unwrap_or_default();
        } else if policy.is_acap && verdict.basis() == Basis::NoRule {
            self.reason =
                "no field and no rule matches, and where ACAP is silent, every usage is permitted".to_owned();
        }
    }
}

impl Match {
    /// What became of the fetch goes before it.
    fn overridden(&mut self) {
        (self.fate, self.wins) = (fate_of(Fate::Overridden), false);
    }

    fn new(policy: &Policy<'_>, found: &trace::Match) -> Match {
        let rule = rule_of(policy, found);
        Match {
            line: rule.line,
            rule: rule.to_string(),
            page: page_of(rule.role, &rule.pattern),
            file: rule.file.map(|(_, name)| name),
            permits: rule.permits,
            rank: Some(found.tag >> 1).filter(|_| found.level.is_none()),
            level: found.level.map(|level| Level {
                other: level.other,
                any: level.any,
                holder: match level.holder {
                    Holder::Element => "element",
                    Holder::PageForPurpose => "page, for the purpose",
                    Holder::Page => "page",
                    Holder::PageConventional => "page, conventional",
                    Holder::SubRecord => "sub-record",
                    Holder::Record => "record",
                },
            }),
            fate: fate_of(found.fate),
            wins: found.fate == Fate::Decides,
        }
    }
}

/// What became of a rule that matches, in a word.
pub fn fate_of(fate: Fate) -> &'static str {
    match fate {
        Fate::Decides => "decides",
        Fate::Beaten => "beaten",
        Fate::Overridden => "overridden",
        Fate::Contradicted => "contradicted",
    }
}

/// Whether a group or record addresses the crawler, and of conventional groups whether it answers.
pub(crate) fn addresses(policy: &Policy<'_>, traced: &Trace, asked: &Asked<'_>, number: usize) -> bool {
    let rule = policy.profile.agent_rule();
    let group = &policy.groups[number];
    let names = |name: &str| group.names().any(|value| rule.names(value, name));
    let named = || matches!(&traced.choice, Choice::Named(name) if names(name));
    if group.role.is_ranked() {
        return traced.groups.binary_search(&number).is_ok();
    }
    // META tags speak to all names of a crawler.
    let by_any_name = || asked.agents.iter().any(|agent| names(&rule.reduce(agent)));
    group.is_default() || if group.role.is_of_meta_tags() { by_any_name() } else { named() }
}

/// The groups that answer, and all records and pages that address the crawler.
fn groups(policy: &Policy<'_>, traced: &Trace, asked: &Asked<'_>) -> Vec<Group> {
    let told = (0..policy.groups.len())
        .filter(|&number| addresses(policy, traced, asked, number))
        .filter_map(|number| {
            let group = &policy.groups[number];
            // A group of pages holds what many of them say.
            let mut own = group.rules.clone().map(|at| &policy.rules[at]);
            let of_page = page_of(group.role, b"").is_some();
            let here =
                own.find(|rule| of_page && rule.pattern().matches(&rule.notation.target(asked.target)));
            if of_page && here.is_none() {
                return None;
            }
            let agent = |agent: &Agent<'_>| match agent {
                Agent::Any => "*".to_owned(),
                Agent::Named(name) => name.clone().into_owned(),
            };
            let purposes = &group.purposes;
            Some(Group {
                line: here.map_or(group.line, |rule| rule.line),
                agents: group.agents.iter().map(agent).collect(),
                role: group.role.heading(!purposes.is_empty()),
                purposes: purposes
                    .iter()
                    .map(|purpose| String::from_utf8_lossy(purpose).into_owned())
                    .collect(),
                asked: purposes.is_empty()
                    || purposes.iter().any(|pattern| purpose::matches(pattern, asked.purpose)),
                file: file(policy, group.file),
                page: here.and_then(|rule| page_of(group.role, &rule.pattern)),
                version: sets::version(policy, number),
                incomplete: group.incomplete,
            })
        });
    told.collect()
}

fn file(policy: &Policy<'_>, number: u16) -> Option<String> {
    policy.files.get(usize::from(number).checked_sub(1)?).cloned()
}

/// A rule of the trace, as a verdict tells rules.
pub(crate) fn rule_of(policy: &Policy<'_>, found: &trace::Match) -> Rule {
    let (rule, group) = (&policy.rules[found.rule], &policy.groups[found.group]);
    Rule {
        line: rule.line,
        group: found.group,
        role: group.role,
        file: file(policy, group.file).map(|name| (group.file, name)),
        tag: found.tag,
        permits: rule.sense == Sense::Permit,
        usage: policy.usage_name(rule.usage).to_owned(),
        pattern: rule.pattern.to_vec(),
        conditions: policy.conditions(rule).to_vec(),
        is_implied: rule.is_implied(),
        record: policy
            .record(group, rule.line)
            .map(|record| (record.key.to_string(), record.value.to_string())),
    }
}

/// Whether a rule stands in a page.
pub(crate) fn is_of_page(found: &trace::Match) -> bool {
    found.level.is_some_and(|level| level.holder < Holder::SubRecord)
}

/// How a rule's line is cited.
pub(crate) fn line_of(policy: &Policy<'_>, found: &trace::Match) -> String {
    let line = policy.rules[found.rule].line;
    match file(policy, policy.groups[found.group].file) {
        Some(name) => format!("line {line} of {name}"),
        None if is_of_page(found) => format!("line {line} of the page"),
        None => format!("line {line}"),
    }
}

/// Why what a page says does not decide.
pub fn shut(outcome: Outcome) -> String {
    format!("the outcome of the fetch, {outcome}, goes before what a page says to any crawler")
}

/// What a verdict rests on.
pub fn reason(verdict: &Verdict<'_>, usage: &str) -> String {
    match verdict.basis() {
        Basis::Rule => "a rule matches".to_owned(),
        Basis::Fields => "fields match".to_owned(),
        Basis::NoRule => "no rule matches".to_owned(),
        Basis::Unspoken => format!("no rule of these groups speaks of the usage {usage:?}"),
        Basis::NoGroup => "no group is for this crawler".to_owned(),
        Basis::RobotsTxt => "/robots.txt itself needs no rule".to_owned(),
        Basis::Outcome(Outcome::OverLimit) => {
            "the text is over a limit of the compiler, so everything is disallowed".to_owned()
        }
        Basis::Outcome(outcome) => {
            format!("there are no rules; the outcome of the fetch, {outcome}, answers")
        }
        Basis::NoSite => "the image does not hold the site".to_owned(),
        Basis::Narrowed => "the image was narrowed to other crawlers when it was compiled".to_owned(),
        Basis::NoUrl => "this is no URL of a site".to_owned(),
        Basis::Damaged => "the image is damaged here; `robomaton verify` tells where".to_owned(),
    }
}
