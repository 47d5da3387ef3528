//! What `explain` tells: one question, from the site to the rule that decides, as text and as JSON.
//!
//! Filled from a verdict and a trace; decides nothing. The reasons name what the profile ranks by, because that is
//! what a reader of a robots.txt asks next.

use crate::cmd::inspect::site_name;
use crate::options::AskerArgs;
use crate::time::rfc3339;
use robomaton_compiler::trace::{Choice, Trace};
use robomaton_compiler::{Agent, Policy, Rule, Sense};
use robomaton_formats::policy::INDEX;
use robomaton_runtime::{Basis, Profile, Site, Verdict};
use serde::Serialize;
use std::io::{self, Write};

/// An answer and how it came about.
#[derive(Serialize)]
pub(super) struct Story {
    url: String,
    site: Option<String>,
    outcome: Option<&'static str>,
    status: Option<u16>,
    fetched_at: Option<String>,
    stale: Option<bool>,
    /// What the rules are matched against.
    target: Option<String>,
    agent: Vec<String>,
    usage: String,
    /// `named`, `default` or `nobody`; null when no rules were asked.
    choice: Option<&'static str>,
    /// The crawler's name as the groups were found by it.
    name: Option<String>,
    groups: Vec<Group>,
    matches: Vec<Match>,
    verdict: &'static str,
    basis: &'static str,
    reason: String,
    rule: Option<String>,
    line: Option<u32>,
}

/// A group that answers.
#[derive(Serialize)]
struct Group {
    line: u32,
    agents: Vec<String>,
}

/// A rule that matches.
#[derive(Serialize)]
struct Match {
    line: u32,
    rule: String,
    permits: bool,
    /// Octets of the pattern; under the profile `koster`, higher the earlier.
    rank: u32,
    wins: bool,
}

impl Story {
    /// The frame: who asks which site, and the verdict.
    pub(super) fn new(asker: &AskerArgs, url: &str, site: Option<&Site<'_>>, verdict: &Verdict<'_>) -> Story {
        let rule = verdict.rule();
        Story {
            url: url.to_owned(),
            site: site.map(site_name),
            outcome: site.and_then(|site| site.outcome()).map(|outcome| outcome.name()),
            status: site.map(|site| site.status()).filter(|&status| status != 0),
            fetched_at: site.and_then(|site| site.fetched_at()).and_then(rfc3339),
            stale: site.and_then(|site| site.is_stale()),
            target: site.map(|site| String::from_utf8_lossy(&site.target(url)).into_owned()),
            agent: asker.agents(),
            usage: asker.usage.clone(),
            choice: None,
            name: None,
            groups: Vec::new(),
            matches: Vec::new(),
            verdict: verdict.decision().name(),
            basis: verdict.basis().name(),
            reason: reason(verdict, &asker.usage),
            line: rule.as_ref().map(|rule| rule.line),
            rule: rule.map(|rule| rule.to_string()),
        }
    }

    /// The middle: groups and matches.
    pub(super) fn add(&mut self, policy: &Policy<'_>, traced: &Trace) {
        (self.choice, self.name) = match &traced.choice {
            Choice::Named(name) => (Some("named"), Some(name.clone())),
            Choice::Default => (Some("default"), None),
            Choice::Nobody => (Some("nobody"), None),
        };
        let group = |&index: &usize| {
            let group = &policy.groups[index];
            let agent = |agent: &Agent<'_>| match agent {
                Agent::Any => "*".to_owned(),
                Agent::Named(name) => name.clone().into_owned(),
            };
            Group { line: group.line, agents: group.agents.iter().map(agent).collect() }
        };
        self.groups = traced.groups.iter().map(group).collect();
        let matched = traced.matches.iter().map(|found| Match {
            line: policy.rules[found.rule].line,
            rule: rule_text(&policy.rules[found.rule]),
            permits: policy.rules[found.rule].sense == Sense::Permit,
            rank: found.tag >> 1,
            wins: traced.winner == Some(*found),
        });
        self.matches = matched.collect();
        if self.basis == "rule" {
            self.reason = self.why(policy.profile);
        }
    }

    /// Why the winner wins.
    fn why(&self, profile: Profile) -> String {
        let Some(winner) = self.matches.iter().find(|found| found.wins) else { return String::new() };
        let equal = |found: &&Match| found.rank == winner.rank && found.permits != winner.permits;
        let line = winner.line;
        if self.matches.len() == 1 {
            format!("line {line} is the only rule that matches")
        } else if profile == Profile::Koster {
            format!("line {line} is the first rule in the file that matches")
        } else if let Some(loser) = self.matches.iter().find(equal) {
            format!("line {line} is as long as line {}, and of equal length the permission wins", loser.line)
        } else {
            let count = self.matches.len();
            format!("line {line} has the longest pattern of the {count} that match, {} octets", winner.rank)
        }
    }

    /// As text.
    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "url      {}", self.url)?;
        if let Some(site) = &self.site {
            write!(out, "site     {site}: {}", self.outcome.unwrap_or("damaged"))?;
            if let Some(status) = self.status {
                write!(out, ", status {status}")?;
            }
            if let Some(time) = &self.fetched_at {
                let stale = if self.stale == Some(true) { " (stale)" } else { "" };
                write!(out, ", fetched {time}{stale}")?;
            }
            writeln!(out)?;
        }
        writeln!(out, "asks     {}, to {}", self.agent.join(", then "), self.usage)?;
        if let Some(target) = &self.target {
            writeln!(out, "target   {target}")?;
        }
        match (self.choice, &self.name) {
            (Some("named"), Some(name)) => writeln!(out, "groups   those that name {name:?}")?,
            (Some("default"), _) => writeln!(out, "groups   no group names the crawler: the default")?,
            (Some(_), _) => writeln!(out, "groups   none for the crawler, and no default")?,
            (None, _) => {}
        }
        for group in &self.groups {
            writeln!(out, "           line {}: {}", group.line, group.agents.join(", "))?;
        }
        if self.choice.is_some() {
            let none = if self.matches.is_empty() { "none" } else { "" };
            writeln!(out, "{}", format!("matches  {none}").trim_end())?;
        }
        let widest = self.matches.iter().map(|found| found.rule.chars().count()).max().unwrap_or(0).min(60);
        for Match { line, rule, rank, wins, .. } in &self.matches {
            let mark = if *wins { "  <- decides" } else { "" };
            writeln!(out, "           line {line:<5} {rule:<widest$}  rank {rank}{mark}")?;
        }
        writeln!(out, "verdict  {}: {}", self.verdict, self.reason)
    }
}

/// A rule in canonical spelling.
fn rule_text(rule: &Rule<'_>) -> String {
    let key = match (rule.usage, rule.sense) {
        (INDEX, Sense::Prohibit) => "Noindex",
        (_, Sense::Permit) => "Allow",
        (_, Sense::Prohibit) => "Disallow",
    };
    format!("{key}: {}", String::from_utf8_lossy(&rule.pattern))
}

fn reason(verdict: &Verdict<'_>, usage: &str) -> String {
    match verdict.basis() {
        Basis::Rule(_) => "a rule matches".to_owned(),
        Basis::NoRule => "no rule matches".to_owned(),
        Basis::Unspoken => format!("no rule of these groups speaks of the usage {usage:?}"),
        Basis::NoGroup => "no group is for this crawler".to_owned(),
        Basis::RobotsTxt => "/robots.txt itself needs no rule".to_owned(),
        Basis::Outcome(outcome) => {
            format!("there are no rules; the outcome of the fetch, {outcome}, answers")
        }
        Basis::NoSite => "the image does not hold the site".to_owned(),
        Basis::Narrowed => "the image was narrowed to other crawlers when it was compiled".to_owned(),
        Basis::NoUrl => "this is no URL of a site".to_owned(),
        Basis::Damaged => "the image is damaged here; `robomaton verify` tells where".to_owned(),
    }
}
