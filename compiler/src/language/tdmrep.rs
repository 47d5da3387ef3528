//! The TDM Reservation Protocol: `/.well-known/tdmrep.json`, response headers and META tags (W3C
//! community group, 10 May 2024).
//!
//! The first rule of the file that matches decides, even if its value is bad; a rule whose location
//! cannot be read may match everything. A META tag supersedes the header, and the header the file,
//! each property by itself; so what a page adds is resolved here, and ranks above the file. A
//! reservation refuses, or permits under the terms of its policy; its absence permits. Inside
//! `noscript`, a tag may only refuse.

use super::own_path::hides_host;
use super::{CUT, Language, QUOTED, Source, UNFETCHED, conventional};
use crate::limits::{OverLimit, comparisons};
use crate::lowering::Lowering;
use crate::lowering::preferences::{Said, Scope, on_parts, set_of, shortened, unread_of};
use crate::policy::Combiner;
use crate::{MetaTag, Page};
use robomaton_formats::condition::Condition;
use robomaton_formats::detail::Bytes;
use robomaton_formats::preference::{self, Carrier, Effect, Record};
use robomaton_formats::program::Silence;
use robomaton_formats::usage::TDM;
use robomaton_formats::{Notation, Pattern};
use robomaton_grammar::modern::tdmrep::{TdmRule, reservation, tdmrep};
use robomaton_grammar::modern::{Mistake, MistakeCode};
use std::borrow::Cow;

pub(super) struct TdmRep;

const LANGUAGE: preference::Language = preference::Language::TdmRep;

impl Language for TdmRep {
    fn usages(&self) -> &'static [&'static str] {
        &[]
    }

    fn combiner(&self) -> Combiner {
        Combiner::FirstMatch
    }

    fn silence(&self, _usage: u16) -> Silence {
        Silence::Unknown
    }

    fn lower<'s>(&self, source: &Source<'_, 's>, lowering: &mut Lowering<'s, '_>) -> Result<(), OverLimit> {
        let rules = source.context.tdmrep.map(tdmrep).transpose();
        let reason = match &rules {
            Err(Mistake { code: MistakeCode::OverLimit, .. }) => Some("over a limit"),
            Err(Mistake { code: MistakeCode::CutJson, .. }) => Some(CUT),
            Err(Mistake { code: MistakeCode::MalformedJson, .. }) => Some("not JSON"),
            _ if source.context.is_tdmrep_unread => Some(UNFETCHED),
            _ => None,
        };
        if let Some(reason) = reason {
            let everyone = Scope::Everyone(lowering.everyone(&[]));
            let unread = on_parts(TDM, Effect::Unread, 1, 0).collect::<Vec<_>>();
            lowering.state(everyone, unread_file(reason), unread_of(LANGUAGE), unread);
        }
        let rules = rules.ok().flatten().unwrap_or_default();
        let count = rules.len() as u32;
        let origin = source.context.origin;
        let rules: Vec<Placed<'_>> =
            rules.iter().filter_map(|rule| Placed::of(rule, origin, lowering)).collect();
        for Placed { rule, pattern, policy, is_unread } in &rules {
            let location = rule.location.as_deref().unwrap_or(NO_LOCATION);
            let record = Record {
                language: LANGUAGE,
                carrier: Carrier::TdmRep,
                line: rule.number,
                file: 0,
                pattern: Bytes(Cow::Owned(pattern.to_vec())),
                text: Cow::Owned(text(location, rule.reservation, *policy)),
            };
            let rank = count + 1 - rule.number;
            if *is_unread {
                unread(record, rank, lowering);
            } else {
                state(record, rank, rule.reservation, *policy, lowering)?;
            }
        }
        let of_a_page = rules.iter().map(Placed::comparisons).sum();
        let mut pages: Vec<&Page> = source.context.pages.iter().collect();
        pages.sort_unstable();
        for page in pages {
            let Some(own) = Own::of(page) else { continue };
            let carrier = own.carrier;
            let record = |text| Record {
                language: LANGUAGE,
                carrier,
                line: 0,
                file: 0,
                pattern: super::robots_tags::of_page(page),
                text,
            };
            let stated = match lowering.may_compare(of_a_page) {
                true => own.with_rules(page, &rules).ok_or(NO_LOCATION),
                false => Err("over a limit"),
            };
            match stated {
                Ok((reservation, policy)) => {
                    let record = record(Cow::Owned(text(&page.target, reservation, policy.as_deref())));
                    state(record, count + 1, reservation, policy.as_deref(), lowering)?;
                }
                Err(reason) => unread(record(Cow::Borrowed(reason)), count + 1, lowering),
            }
        }
        Ok(())
    }
}

/// Stands for the location of a rule that has none that can be read.
const NO_LOCATION: &str = "no location";

/// A rule that matches something.
struct Placed<'r> {
    rule: &'r TdmRule,
    /// The canonical pattern; of a location that cannot be read, the one that matches everything.
    pattern: Cow<'r, [u8]>,
    policy: Option<&'r str>,
    /// The location cannot be read, so the rule may refuse.
    is_unread: bool,
}

impl<'r> Placed<'r> {
    /// `None` for a location on another site, and for one that cannot be read of a rule that would
    /// only permit. A location in a part of a document is read only if it is reserved: nobody asks
    /// for a part.
    fn of(rule: &'r TdmRule, origin: Option<&str>, lowering: &mut Lowering<'_, '_>) -> Option<Placed<'r>> {
        let location = rule.location.as_deref().filter(|location| !hides_host(location)).unwrap_or("");
        let (location, part) = location.split_once('#').unwrap_or((location, ""));
        // The policy of a part is not one of the whole document.
        let policy = rule.policy.as_deref().filter(|_| part.is_empty());
        if location.is_empty() {
            let may_refuse = rule.reservation != Some(false);
            return may_refuse.then_some(Placed {
                rule,
                pattern: Cow::Borrowed(b"/"),
                policy,
                is_unread: true,
            });
        }
        if !part.is_empty() && rule.reservation != Some(true) {
            return None;
        }
        // Such a file is read for a site, whose host is known.
        let pattern = conventional::pattern(location.as_bytes(), origin, false, lowering)?;
        Some(Placed { rule, pattern, policy, is_unread: false })
    }

    /// The number of comparisons that one with a page counts as.
    fn comparisons(&self) -> usize {
        let policy = self.policy.map_or(0, str::len);
        comparisons(self.pattern.len()) + policy / BYTES_OF_POLICY
    }
}

/// Bytes of a policy for which a comparison of its rule with a page counts as one more: each page
/// has the policy, too.
const BYTES_OF_POLICY: usize = 256;

/// The record of a file that could not be read.
fn unread_file(reason: &'static str) -> Record<'static> {
    Record {
        language: LANGUAGE,
        carrier: Carrier::TdmRep,
        line: 0,
        file: 0,
        pattern: Bytes(Cow::Borrowed(b"/")),
        text: Cow::Borrowed(reason),
    }
}

fn text(location: &str, reservation: Option<bool>, policy: Option<&str>) -> String {
    let value = match reservation {
        Some(true) => "1",
        Some(false) => "0",
        None => "no value",
    };
    let quoted = |policy| format!(", tdm-policy {}", shortened(policy, QUOTED));
    let policy = policy.map(quoted).unwrap_or_default();
    let location = shortened(location, QUOTED);
    format!("{location}: tdm-reservation {value}{policy}")
}

/// States a record whose rule cannot be read, in its place among the rules.
fn unread(record: Record<'static>, rank: u32, lowering: &mut Lowering<'_, '_>) {
    let said: Vec<Said> = on_parts(TDM, Effect::Unread, rank, 0).collect();
    let everyone = Scope::Everyone(lowering.everyone(&[]));
    lowering.state(everyone, record, set_of(LANGUAGE, Carrier::TdmRep), said);
}

fn state(
    record: Record<'static>,
    rank: u32,
    reservation: Option<bool>,
    policy: Option<&str>,
    lowering: &mut Lowering<'_, '_>,
) -> Result<(), OverLimit> {
    let (effect, conditions) = match (reservation, policy) {
        (None, _) => (Effect::Unstated, 0),
        (Some(false), _) => (Effect::Permitted, 0),
        (Some(true), None) => (Effect::Refused, 0),
        (Some(true), Some(policy)) => {
            let condition = Condition::Policy(policy.to_owned());
            (Effect::Conditional, lowering.conditions(vec![condition], 0)?)
        }
    };
    let said: Vec<Said> = on_parts(TDM, effect, rank, conditions).collect();
    let everyone = Scope::Everyone(lowering.everyone(&[]));
    lowering.state(everyone, record, set_of(LANGUAGE, Carrier::TdmRep), said);
    Ok(())
}

/// A reservation and a policy.
type Stated = (Option<bool>, Option<String>);

/// What the carriers of a page itself say.
struct Own {
    header: Stated,
    meta: Stated,
    carrier: Carrier,
}

impl Own {
    /// What a page says; `None` if it says nothing.
    fn of<'p>(page: &'p Page) -> Option<Own> {
        let text = |value: &[u8]| Some(String::from_utf8_lossy(value.trim_ascii()).into_owned());
        // Of several valid values, 1 counts. Clients may have joined several header lines by commas
        // (RFC 9110 5.3).
        let values = |line: &'p [u8]| line.split(|byte| *byte == b',');
        let header = (
            page.header("tdm-reservation").flat_map(values).filter_map(reservation).max(),
            page.header("tdm-policy").next().and_then(text).filter(|policy| !policy.is_empty()),
        );
        let reserves = |tag: &MetaTag| {
            let reserves = reservation(tag.content.trim_ascii().as_bytes());
            reserves.filter(|reserves| *reserves || !tag.in_noscript)
        };
        let meta = (
            page.meta("tdm-reservation").filter_map(reserves).max(),
            page.meta("tdm-policy")
                .find(|tag| !tag.in_noscript)
                .and_then(|tag| text(tag.content.as_bytes()))
                .filter(|policy| !policy.is_empty()),
        );
        if (&header, &meta) == (&(None, None), &(None, None)) {
            return None;
        }
        let carrier = if meta == (None, None) { Carrier::Header } else { Carrier::Page };
        Some(Own { header, meta, carrier })
    }

    /// The properties of the page, each from the closest carrier that states it; `None` if a rule
    /// that cannot be read may have the reservation.
    fn with_rules(self, page: &Page, rules: &[Placed<'_>]) -> Option<Stated> {
        let target = Notation::Rep.target(page.target.as_bytes());
        let of_file = rules
            .iter()
            .find(|placed| Pattern { text: &placed.pattern, notation: Notation::Rep }.matches(&target));
        let Own { header, meta, .. } = self;
        let of_page = meta.0.or(header.0);
        if of_page.is_none() && of_file.is_some_and(|placed| placed.is_unread) {
            return None;
        }
        // A rule with a bad value states nothing, and nobody knows whether the policy of one that
        // cannot be read is for this page.
        let file = of_file.filter(|placed| !placed.is_unread && placed.rule.reservation.is_some());
        let file =
            file.map_or((None, None), |placed| (placed.rule.reservation, placed.policy.map(str::to_owned)));
        // A policy beside 0 is not processed.
        let policy = |(reservation, policy): Stated| policy.filter(|_| reservation != Some(false));
        let reservation = of_page.or(file.0);
        Some((reservation, policy(meta).or_else(|| policy(header)).or_else(|| policy(file))))
    }
}
