//! TDMRep: tdmrep.json, response headers and META tags.
//!
//! Invariant: the reservation and the policy are two properties; for each, the last carrier in the
//! order file, header, page that has a good value decides. This file does not know whether anybody
//! may crawl.

use super::robots::Pattern;
use super::{Effect, Query, Statement, html};
use crate::oracle::path_of;
use serde_json::Value;

/// The properties that one carrier states.
struct Carrier {
    name: &'static str,
    /// The number of the rule in the file.
    rule: Option<u32>,
    reservation: Option<bool>,
    policy: Option<String>,
}

/// The reservation and the policy for the target; unread beside it, if the file cannot be read.
pub(super) fn statements(query: &Query<'_>) -> Vec<Statement> {
    if !["tdm", "ai-train"].contains(&query.usage) {
        return Vec::new();
    }
    let is_unread = query.site.tdmrep.as_deref().is_some_and(is_broken_array);
    let unread = is_unread.then(|| Statement::new("tdmrep", "tdmrep", Effect::Unread));
    unread.into_iter().chain(of_carriers(query)).collect()
}

/// True if the file begins an array that is not JSON.
fn is_broken_array(text: &[u8]) -> bool {
    serde_json::from_slice::<Value>(text).is_err() && text.trim_ascii_start().starts_with(b"[")
}

fn of_carriers(query: &Query<'_>) -> Vec<Statement> {
    let file = query.site.tdmrep.as_deref().and_then(|text| of_file(query, text));
    let matched = file.as_ref().and_then(|file| file.rule);
    let header = carrier("header", &query.headers("tdm-reservation"), &query.headers("tdm-policy"));
    let tags: Vec<(String, String)> = html::metas(query.html());
    let of_tag = |name: &str| -> Vec<&str> {
        tags.iter().filter(|(tag, _)| tag == name).map(|(_, content)| content.as_str()).collect()
    };
    let page = carrier("page", &of_tag("tdm-reservation"), &of_tag("tdm-policy"));

    let may_be_of_file = file.as_ref().filter(|file| file.name == NO_LOCATION).and_then(|file| file.rule);
    let carriers: Vec<Carrier> = file.into_iter().chain([header, page]).collect();
    let reservation = carriers.iter().rev().find(|carrier| carrier.reservation.is_some());
    if let (Some(rule), None) = (may_be_of_file, reservation) {
        return vec![Statement::new("tdmrep", "tdmrep", Effect::Unread).of_rule(rule)];
    }
    let policy = carriers.iter().rev().find_map(|carrier| carrier.policy.clone());
    let Some(carrier) = reservation else {
        // The first match decides, also when its value is bad.
        let unset = |rule| Statement::new("tdmrep", "tdmrep", Effect::Unset).of_rule(rule);
        return matched.map(unset).into_iter().collect();
    };
    let effect = match (carrier.reservation, policy) {
        (Some(true), Some(policy)) => Effect::Condition(vec![format!("tdm-policy={policy}")]),
        (Some(true), None) => Effect::Refuse,
        _ => Effect::Allow,
    };
    let statement = Statement::new("tdmrep", carrier.name, effect);
    vec![match carrier.rule {
        Some(rule) => statement.of_rule(rule),
        None => statement,
    }]
}

/// The name of a carrier that may have a reservation for the target, and may not.
const NO_LOCATION: &str = "a rule without a location";

/// True if a location may be about another site, though it names none as it should.
fn hides_host(location: &str) -> bool {
    let rest = location.strip_prefix("https://").or_else(|| location.strip_prefix("http://"));
    match rest.map(|rest| rest.split('/').next().unwrap_or_default()) {
        Some(host) => host.is_empty() || host.contains('*'),
        None => ["//", "/\\", "http:", "https:"].iter().any(|start| location.starts_with(start)),
    }
}

/// The first rule that matches. A location that cannot be read may match, unless its rule would
/// only permit.
fn of_file(query: &Query<'_>, text: &[u8]) -> Option<Carrier> {
    let Ok(Value::Array(rules)) = serde_json::from_slice(text) else { return None };
    for (number, rule) in (1..).zip(&rules) {
        let location = rule.get("location").and_then(Value::as_str).map(str::trim);
        let value = rule.get("tdm-reservation").filter(|value| value.is_number()).and_then(Value::as_f64);
        let location = location.filter(|location| !hides_host(location)).unwrap_or_default();
        // Nobody asks for a part of a document. One that is reserved is reserved whole.
        let (location, is_part) = match location.find('#') {
            Some(at) => (&location[..at], at + 1 < location.len()),
            None => (location, false),
        };
        if location.is_empty() {
            if value == Some(0.0) {
                continue;
            }
            return Some(Carrier { name: NO_LOCATION, rule: Some(number), reservation: None, policy: None });
        }
        if is_part && value != Some(1.0) {
            continue;
        }
        let Some(path) = path_of(location.as_bytes(), Some(&query.site.origin)) else { continue };
        if !Pattern::new(&path).matches(query.target) {
            continue;
        }
        let reservation = match value {
            Some(1.0) => Some(true),
            Some(0.0) => Some(false),
            _ => None,
        };
        let policy = rule.get("tdm-policy").and_then(Value::as_str).filter(|policy| !policy.is_empty());
        // A policy counts beside 1 only: beside 0 it is not processed, and a bad rule states
        // nothing. That of a part is none of the whole.
        let policy = policy.filter(|_| reservation == Some(true) && !is_part).map(str::to_owned);
        return Some(Carrier { name: "tdmrep", rule: Some(number), reservation, policy });
    }
    None
}

/// The values of a carrier with text values.
fn carrier(name: &'static str, reservations: &[&str], policies: &[&str]) -> Carrier {
    let has = |value: &str| reservations.iter().any(|text| text.trim_matches([' ', '\t']) == value);
    let reservation = if has("1") { Some(true) } else { has("0").then_some(false) };
    let policy = policies.iter().map(|text| text.trim()).find(|text| !text.is_empty());
    let policy = policy.filter(|_| reservation != Some(false)).map(str::to_owned);
    Carrier { name, rule: None, reservation, policy }
}
