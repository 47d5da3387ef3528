//! Statements about a use from the cold sections: those that were weighed, for explanations, and
//! their effects where the programs do not suffice (`preference`).
//!
//! Decodes the details of a document and allocates. The naive evaluation of `formats` weighs; tests
//! compare it with the programs.

use crate::account::{Account, Query, Room, StatementAccount, of_fields, of_rule};
use crate::answer::Basis;
use crate::crawler::{Crawler, Usage};
use crate::rules;
use crate::site::Site;
use crate::target::{self, Target};
use robomaton_formats::condition::Condition;
use robomaton_formats::detail::Detail;
use robomaton_formats::preference::{
    self, Effect, Effects, Finding, Loss, Question, Record, Statement, until, weigh,
};
use robomaton_formats::usage::{PRESENT, USAGES, stated_as};
use robomaton_formats::{Decision, UsageId};
use std::collections::{BTreeSet, HashMap};

/// Finds the statements about a usage, those that decide first and no more than `most` of them, and
/// the rules that decide with them.
pub(crate) fn of_preferences(query: &Query<'_>, most: usize) -> Account {
    let &Query { site, detail, crawler, usage, url } = query;
    let target = target::target(site.profile, url);
    let bytes = site.target(url);
    let of_rules = |usage| rules::of_rules(site, crawler, usage, &target);
    let no_crawl = of_rules(usage.crawl()).decision == Decision::Disallowed;
    let findings = |usage| findings(site, detail, crawler, usage, &bytes, no_crawl);
    let own = findings(usage);
    let mut effects = Effects::from(of_rules(usage).decision).and(Finding::effects(&own));
    let mut of_parts = Vec::new();
    let mut spoken = vec![usage];
    for part in usage.parts() {
        of_parts.extend(findings(part));
        if usage.id != UsageId::from(PRESENT) {
            spoken.push(part);
        }
    }
    let by_rules = spoken.iter().skip(1).map(|&part| Effects::from(of_rules(part).decision));
    effects = effects.with_parts(by_rules.fold(Finding::effects(&of_parts), Effects::and));
    let mut account = Account::default();
    let own_usage = stated_as(usage.id.get());
    let findings: Vec<Finding> = own.into_iter().chain(of_parts).collect();
    let known = findings.iter().filter(|finding| record(detail, finding).is_some());
    let weighed = known.map(|finding| Weighed::new(finding, finding.statement.usage != own_usage, effects));
    let mut weighed = distinct(weighed.collect());
    weighed.sort_by_key(|one| (!one.decides, one.finding.effect.is_err(), one.effect()));
    let mut room = Room::new(detail);
    let told = weighed.iter().take(most).map_while(|one| tell(detail, one, &mut room));
    account.statements = told.collect();
    account.statements_left_out = weighed.len() - account.statements.len();
    account.terms = preference::conditions(&findings, |statement| conditions(detail, statement));
    let own_id = usage.id;
    for usage in spoken {
        let answer = of_rules(usage);
        let permits_part = answer.decision == Decision::Allowed && usage.id != own_id;
        if answer.decision != effects.decision() || permits_part {
            continue;
        }
        let rules = match answer.basis {
            Basis::Rule => of_rule(&Query { usage, ..*query }),
            Basis::Fields => of_fields(&Query { usage, ..*query }),
            _ => None,
        };
        let Account { rules, rules_left_out, of_rules, .. } = rules.unwrap_or_default();
        account.rules.extend(rules);
        account.rules_left_out += rules_left_out;
        account.of_rules.extend(of_rules);
    }
    account
}

/// A statement that was weighed, before it is told.
struct Weighed<'f> {
    finding: &'f Finding,
    is_of_part: bool,
    decides: bool,
}

impl<'f> Weighed<'f> {
    fn new(finding: &'f Finding, is_of_part: bool, effects: Effects) -> Weighed<'f> {
        // A part never permits the whole.
        let decides = |effect| effects.decides(effect) && !(is_of_part && effect == Effect::Permitted);
        Weighed { finding, is_of_part, decides: finding.effect.is_ok_and(decides) }
    }

    /// Its effect, also where it is not in force.
    fn effect(&self) -> Effect {
        self.finding.effect.unwrap_or(self.finding.statement.effect)
    }
}

/// One statement for each record and usage. A record may have statements in several sets, some of
/// which only take part in the weighing; the one that counts most is kept.
fn distinct(mut weighed: Vec<Weighed<'_>>) -> Vec<Weighed<'_>> {
    // A document that is up to date, and a page whose own documents count, have nothing to add.
    weighed.retain(|one| !matches!(one.effect(), Effect::Dated | Effect::Supersedes));
    weighed.sort_by_key(|one| (!one.decides, one.effect() == Effect::Unstated, one.finding.effect.is_err()));
    let mut sets = HashMap::new();
    weighed.retain(|Weighed { finding: Finding { source, group, statement, .. }, .. }| {
        let record = (*source, *group, statement.record, statement.usage);
        *sets.entry(record).or_insert(statement.set) == statement.set
    });
    weighed
}

/// A statement in words; `None` if there is no room for it.
fn tell(detail: &Detail<'_>, weighed: &Weighed<'_>, room: &mut Room<'_>) -> Option<StatementAccount> {
    let &Weighed { finding, is_of_part, decides } = weighed;
    let statement = &finding.statement;
    let record = record(detail, finding)?;
    let bytes = record.pattern.0.len() + record.text.len() + room.name_length(record.file);
    room.takes(statement.conditions, bytes).then(|| StatementAccount {
        language: record.language,
        carrier: record.carrier,
        line: Some(record.line).filter(|&line| line > 0),
        document: detail.file(record.file).map(str::to_owned),
        usage: USAGES.get(usize::from(statement.usage)).copied().unwrap_or("?"),
        is_of_part,
        effect: weighed.effect(),
        stated: statement.effect,
        loss: finding.effect.err(),
        decides,
        set: statement.set,
        rank: statement.rank,
        pattern: record.pattern.0.to_vec(),
        text: record.text.to_string(),
        conditions: conditions(detail, statement).to_vec(),
    })
}

/// The effects of all statements about a usage, from the cold records. `None` if they are damaged.
pub(crate) fn effects(
    site: &Site<'_>,
    crawler: &Crawler,
    usage: Usage<'_>,
    target: &Target<'_>,
    no_crawl: bool,
) -> Option<Effects> {
    let detail = site.detail()?;
    let findings = findings(site, &detail, crawler, usage, target.bytes(), no_crawl);
    Some(Finding::effects(&findings))
}

/// The statements that match, with their effects at the time of the terms.
fn findings(
    site: &Site<'_>,
    detail: &Detail<'_>,
    crawler: &Crawler,
    usage: Usage<'_>,
    target: &[u8],
    no_crawl: bool,
) -> Vec<Finding> {
    let (names, named_only) = (crawler.lookup_names(), crawler.is_named_only());
    let usage = stated_as(usage.id.get());
    let mut findings = {
        let elements = site.shared.terms.elements;
        weigh(&detail.preferences, &Question { names, named_only, usage, target, no_crawl, elements })
    };
    let Some(now) = site.shared.terms.now else { return findings };
    // The sets in which a permission has ended.
    let mut ended = BTreeSet::new();
    for finding in &mut findings {
        let is_ended = until(conditions(detail, &finding.statement)).is_some_and(|end| now >= end);
        let ends = record(detail, finding).and_then(|record| {
            let file = usize::from(record.file).checked_sub(1)?;
            detail.ends.get(file).copied().filter(|&end| end != 0)
        });
        finding.effect = finding.effect.map(|effect| match effect {
            Effect::Conditional if is_ended => {
                ended.insert(finding.statement.set);
                Effect::Refused
            }
            // A document that is out of date may have changed.
            Effect::Refused | Effect::Closed | Effect::Conditional | Effect::Permitted | Effect::Dated
                if ends.is_some_and(|end| now >= end) =>
            {
                Effect::Unread
            }
            effect => effect,
        });
    }
    // Of effects of equal rank, the strictest is in force.
    for finding in findings.iter_mut().filter(|finding| ended.contains(&finding.statement.set)) {
        if finding.effect == Ok(Effect::Conditional) {
            finding.effect = Err(Loss::Tied);
        }
    }
    findings
}

fn record<'d>(detail: &'d Detail<'_>, finding: &Finding) -> Option<&'d Record<'d>> {
    detail.preferences.get(finding.source)?.groups.get(finding.group)?.record(&finding.statement)
}

fn conditions<'d>(detail: &'d Detail<'_>, statement: &Statement) -> &'d [Condition] {
    detail.set_of_conditions(statement.conditions)
}
