//! The conventional records as RFC 9309 and R1–R18 read them (profiles `full` and `rfc9309`).
//!
//! The rules on some lines may be ignored: those inside records of ACAP are (V53). Their groups are there all the same.

use super::{Lowering, number, token_of};
use crate::limits::OverLimit;
use crate::policy::{Agent, Sense};
use robomaton_formats::{Notation, SiteKey, policy};
use robomaton_grammar::{Key, LineKind, Tree};
use std::borrow::Cow;

pub(super) fn lower<'s>(
    tree: &Tree<'s>,
    origin: Option<&str>,
    lowering: &mut Lowering<'s, '_>,
    ignores: &dyn Fn(usize) -> bool,
) -> Result<(), OverLimit> {
    let mut groups = tree.groups.iter().peekable();
    for (index, line) in tree.lines.iter().enumerate() {
        if groups.next_if(|group| group.start as usize == index).is_some() {
            lowering.open(number(index))?;
        }
        let LineKind::Field(key) = line.kind else { continue };
        let value = tree.text(line.value);
        let (usage, sense) = match key {
            Key::UserAgent => {
                agent(value).into_iter().for_each(|agent| lowering.agent(agent));
                continue;
            }
            Key::Allow => (policy::CRAWL, Sense::Permit),
            Key::Disallow => (policy::CRAWL, Sense::Prohibit),
            Key::Noindex => (policy::INDEX, Sense::Prohibit),
            other => {
                lowering.extension(other, value, number(index))?;
                continue;
            }
        };
        if ignores(index) {
            continue;
        }
        match pattern(value, origin) {
            Value::Pattern(pattern) => lowering.rule(usage, sense, pattern, number(index))?,
            Value::Absolute(pattern) => {
                lowering.policy.depends_on_origin = true;
                if let Some(pattern) = pattern {
                    lowering.rule(usage, sense, pattern, number(index))?;
                }
            }
            Value::Empty => {}
        }
    }
    Ok(())
}

/// R5: `*` alone or before white space is everyone; else the leading product token, if there is one.
fn agent(value: &[u8]) -> Option<Agent<'_>> {
    match robomaton_grammar::product_token(value)? {
        b"*" => Some(Agent::Any),
        token => Some(Agent::Named(token_of(token))),
    }
}

enum Value<'s> {
    /// R14: no rule.
    Empty,
    Pattern(Cow<'s, [u8]>),
    /// R14: the path of an absolute URL, when it is one of the file's own host.
    Absolute(Option<Cow<'s, [u8]>>),
}

/// R14, then R10.
fn pattern<'s>(value: &'s [u8], origin: Option<&str>) -> Value<'s> {
    match value {
        [] => Value::Empty,
        [b'/' | b'*', ..] => Value::Pattern(Notation::Rep.pattern(value)),
        _ => match absolute(value) {
            Some((site, path)) => {
                let own = origin.is_some_and(|origin| site.is_some_and(|site| site.authority() == origin));
                Value::Absolute(own.then(|| slashed(path)))
            }
            None => Value::Pattern(slashed(value)),
        },
    }
}

/// The canonical pattern, with the leading `/` it lacks.
fn slashed(value: &[u8]) -> Cow<'_, [u8]> {
    if value.starts_with(b"/") {
        return Notation::Rep.pattern(value);
    }
    let slashed = [b"/", value].concat();
    Cow::Owned(Notation::Rep.pattern(&slashed).into_owned())
}

/// The site (if it is one) and the rest of a value that is an absolute `http` or `https` URL.
fn absolute(value: &[u8]) -> Option<(Option<SiteKey>, &[u8])> {
    let scheme = [&b"https://"[..], b"http://"]
        .into_iter()
        .find(|scheme| value.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)))?;
    let rest = &value[scheme.len()..];
    let end = rest.iter().position(|octet| matches!(octet, b'/' | b'?')).unwrap_or(rest.len());
    // White space and controls, which a URL parser would drop, make it no site's name.
    let url = std::str::from_utf8(&value[..scheme.len() + end]).ok();
    let url = url.filter(|url| url.bytes().all(|octet| octet > b' '));
    Some((url.and_then(|url| SiteKey::from_url(url).ok()), &rest[end..]))
}
