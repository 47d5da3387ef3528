//! The conventional records, read by RFC 9309 and R1–R18 (profiles `full` and `rfc9309`).
//!
//! This file also makes the groups for records of other languages, and passes those records to
//! their language. Rules on suspended lines, such as those inside ACAP records, have no effect
//! (V53). Their groups exist nevertheless.

use super::{Language, Lints, Source, reader};
use crate::limits::OverLimit;
use crate::lowering::{Lowering, number, token_of};
use crate::policy::{Agent, Combiner, Sense};
use robomaton_formats::program::Silence;
use robomaton_formats::{Notation, SiteKey, policy};
use robomaton_grammar::{Key, LineKind};
use std::borrow::Cow;

pub(super) struct Conventional;

impl Language for Conventional {
    fn usages(&self) -> &'static [&'static str] {
        &["crawl", "index"]
    }

    fn combiner(&self) -> Combiner {
        Combiner::LongestMatch
    }

    fn silence(&self) -> Silence {
        Silence::Allowed
    }

    fn lints(&self) -> &'static [Lints] {
        &[Lints::Conventional]
    }

    fn lower<'s>(&self, source: &Source<'_, 's>, lowering: &mut Lowering<'s, '_>) -> Result<(), OverLimit> {
        let Source { tree, context, .. } = *source;
        let profile = lowering.options.profile;
        let mut groups = tree.groups.iter().peekable();
        for (index, line) in tree.lines.iter().enumerate() {
            if groups.next_if(|group| group.start as usize == index).is_some() {
                lowering.open(number(index))?;
            }
            let value = tree.text(line.value);
            let (usage, sense) = match line.kind {
                LineKind::Field(Key::UserAgent) => {
                    agent(value).into_iter().for_each(|agent| lowering.agent(agent));
                    continue;
                }
                LineKind::Field(Key::Allow) => (policy::CRAWL, Sense::Permit),
                LineKind::Field(Key::Disallow) => (policy::CRAWL, Sense::Prohibit),
                LineKind::Field(Key::Noindex) => (policy::INDEX, Sense::Prohibit),
                LineKind::Field(_) | LineKind::Unknown => {
                    let reader = reader(profile, tree, line);
                    match line.kind {
                        LineKind::Field(key) => lowering.extension(key, value, number(index))?,
                        _ if reader.is_some() => lowering.unknown(tree.text(line.key), value, number(index)),
                        _ => {}
                    }
                    if let Some(language) = reader.filter(|_| !source.is_suspended(index)) {
                        language.record(value, number(index), lowering)?;
                    }
                    continue;
                }
                _ => continue,
            };
            if source.is_suspended(index) {
                continue;
            }
            match pattern(value, context.origin) {
                Value::Pattern(pattern) => self.rule((usage, sense), pattern, number(index), lowering)?,
                Value::Absolute(pattern) => {
                    lowering.policy.depends_on_origin = true;
                    if let Some(pattern) = pattern {
                        self.rule((usage, sense), pattern, number(index), lowering)?;
                    }
                }
                Value::Empty => {}
            }
        }
        Ok(())
    }
}

/// R5: `*` alone or before white space means any crawler; otherwise the leading product token, if
/// there is one.
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
    /// R14: the path of an absolute URL, if it is on the file's own host.
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

/// The canonical pattern, with the missing leading `/` added.
fn slashed(value: &[u8]) -> Cow<'_, [u8]> {
    if value.starts_with(b"/") {
        return Notation::Rep.pattern(value);
    }
    let slashed = [b"/", value].concat();
    Cow::Owned(Notation::Rep.pattern(&slashed).into_owned())
}

/// The site (if the URL is valid) and the rest of a value that is an absolute `http` or `https`
/// URL.
fn absolute(value: &[u8]) -> Option<(Option<SiteKey>, &[u8])> {
    let scheme = [&b"https://"[..], b"http://"]
        .into_iter()
        .find(|scheme| value.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)))?;
    let rest = &value[scheme.len()..];
    let end = rest.iter().position(|byte| matches!(byte, b'/' | b'?')).unwrap_or(rest.len());
    // White space and control characters, which a URL parser would drop, make the URL invalid.
    let url = std::str::from_utf8(&value[..scheme.len() + end]).ok();
    let url = url.filter(|url| url.bytes().all(|byte| byte > b' '));
    Some((url.and_then(|url| SiteKey::from_url(url).ok()), &rest[end..]))
}
