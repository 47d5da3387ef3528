//! Typed values of qualifiers (P31-P40, V31-V38, M23), by the value rules of `acap.pest`.
//!
//! Used for every [`Qualifier`](super::Qualifier), from a field or from a META tag. Invariant: a
//! malformed value gives `None`, never a guess. This file does not know which usage admits which
//! qualifier.

use pest::iterators::{Pair, Pairs};

use super::parser::{Rule, partial};
use crate::projection::Projection;

/// The value of a qualifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// `time-limit=until-recrawled`; `until-recrawl`, from an example in the document, is the same.
    UntilRecrawled,
    /// `time-limit=until-YYYY-MM-DD`: through that day, which must exist.
    Until {
        /// The year.
        year: u16,
        /// The month, from 1.
        month: u8,
        /// The day, from 1.
        day: u8,
    },
    /// `time-limit=n-days`.
    Days(u32),
    /// `max-length=n-chars`.
    Chars(u32),
    /// `max-length=n-words`.
    Words(u32),
    /// `prohibited-modification`.
    Modification(Modification),
    /// `prohibited-context=within-user-frame`.
    WithinUserFrame,
    /// `required-context=within-original-frame`.
    WithinOriginalFrame,
    /// `must-use-resource`.
    Use(Locator),
    /// `must-include-resource`.
    Include {
        /// The role of the included resource; `None` for a plain URI.
        role: Option<Role>,
        /// The location of the resource.
        locator: Locator,
    },
    /// `location`: the URI that the page must have.
    Location(String),
}

/// A modification that a presentation must not make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Modification {
    /// Anything.
    Any,
    /// The data format.
    Format,
    /// The typographic style or the layout.
    Style,
    /// The language.
    Translation,
    /// Additions that are not part of the content.
    Annotation,
}

/// The role of an included resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// A credit.
    Credit,
    /// To accompany the link.
    Link,
    /// An icon (0.2).
    Icon,
    /// A text (0.2).
    Text,
}

/// The location of a resource: in the page, or elsewhere. Escapes are decoded, except those of a
/// URI, which belong to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Locator {
    /// The element with this id.
    Id(String),
    /// The first element with this class.
    Class(String),
    /// The content of the META tag with this name.
    Meta(String),
    /// A URI, absolute or relative.
    Uri(String),
}

/// The value of a qualifier of this type; `None` if the value is malformed or the type is unknown.
///
/// Escapes, `%nn` of UTF-8 and `%xnnnn` (0.2), are decoded before the value is parsed. Types,
/// keywords and schemes are compared ignoring ASCII case.
pub fn value(qualifier_name: &[u8], value: &[u8]) -> Option<Value> {
    let rule = rule_of(qualifier_name)?;
    let mut typed = decoded(rule, &unescape(value)?)?;
    match &mut typed {
        Value::Use(Locator::Uri(uri))
        | Value::Include { role: None, locator: Locator::Uri(uri) }
        | Value::Location(uri) => *uri = spell(value)?,
        // After the scheme and the role, neither of which can contain a colon.
        Value::Include { role: Some(_), locator: Locator::Uri(uri) } => {
            *uri = spell(value)?.splitn(3, ':').nth(2)?.to_owned();
        }
        _ => {}
    }
    Some(typed)
}

/// The typed value of a text without escapes.
fn decoded(rule: Rule, text: &str) -> Option<Value> {
    let mut parts = partial(rule, text)?.into_inner();
    let first = parts.next()?;
    Some(match first.as_rule() {
        Rule::until_recrawled => Value::UntilRecrawled,
        Rule::until_date => return date(first.into_inner()),
        Rule::n_days => Value::Days(number(first)?),
        Rule::n_chars => Value::Chars(number(first)?),
        Rule::n_words => Value::Words(number(first)?),
        Rule::any_change => Value::Modification(Modification::Any),
        Rule::format => Value::Modification(Modification::Format),
        Rule::style => Value::Modification(Modification::Style),
        Rule::translation => Value::Modification(Modification::Translation),
        Rule::annotation => Value::Modification(Modification::Annotation),
        Rule::within_user_frame => Value::WithinUserFrame,
        Rule::within_original_frame => Value::WithinOriginalFrame,
        Rule::credit => Value::Include { role: Some(Role::Credit), locator: locator(parts.next()?, parts)? },
        Rule::link => Value::Include { role: Some(Role::Link), locator: locator(parts.next()?, parts)? },
        Rule::icon => Value::Include { role: Some(Role::Icon), locator: locator(parts.next()?, parts)? },
        Rule::text => Value::Include { role: Some(Role::Text), locator: locator(parts.next()?, parts)? },
        _ if rule == Rule::location => Value::Location(first.as_str().to_owned()),
        _ if rule == Rule::must_include_resource => {
            Value::Include { role: None, locator: locator(first, parts)? }
        }
        _ => Value::Use(locator(first, parts)?),
    })
}

/// True if one of the documents has a qualifier of this type, so that a malformed value is a
/// mistake.
pub(crate) fn is_known(qualifier_name: &[u8]) -> bool {
    rule_of(qualifier_name).is_some()
}

fn rule_of(qualifier_name: &[u8]) -> Option<Rule> {
    const RULES: [(&[u8], Rule); 8] = [
        (b"time-limit", Rule::time_limit),
        (b"max-length", Rule::max_length),
        (b"prohibited-modification", Rule::prohibited_modification),
        (b"must-use-resource", Rule::must_use_resource),
        (b"must-include-resource", Rule::must_include_resource),
        (b"prohibited-context", Rule::prohibited_context),
        (b"required-context", Rule::required_context),
        (b"location", Rule::location),
    ];
    RULES.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(qualifier_name)).map(|(_, rule)| rule)
}

/// A value with its escapes decoded; `None` if one is broken or the result is not UTF-8.
fn unescape(value: &[u8]) -> Option<String> {
    let projection = Projection::new(value, 0);
    let mut bytes = Vec::with_capacity(value.len());
    for part in partial(Rule::escaped, &projection.text)?.into_inner() {
        match part.as_rule() {
            Rule::unicode_escape => {
                let code = u32::from_str_radix(part.into_inner().as_str(), 16).ok()?;
                bytes.extend_from_slice(char::from_u32(code)?.encode_utf8(&mut [0; 4]).as_bytes());
            }
            Rule::byte_escape => bytes.push(u8::from_str_radix(part.into_inner().as_str(), 16).ok()?),
            // Reverse the projection: each character is a byte.
            Rule::unescaped => bytes.extend(part.as_str().chars().map(|c| c as u8)),
            _ => {}
        }
    }
    String::from_utf8(bytes).ok()
}

/// A URI as written, in URI spelling: escapes remain, and characters that a URI must not contain
/// are escaped.
fn spell(value: &[u8]) -> Option<String> {
    let projection = Projection::new(value, 0);
    let mut uri = String::with_capacity(value.len());
    let escape = |bytes: &[u8], uri: &mut String| {
        bytes.iter().for_each(|byte| uri.push_str(&format!("%{byte:02X}")));
    };
    for part in partial(Rule::escaped, &projection.text)?.into_inner() {
        match part.as_rule() {
            Rule::unicode_escape => {
                let code = u32::from_str_radix(part.into_inner().as_str(), 16).ok()?;
                escape(char::from_u32(code)?.encode_utf8(&mut [0; 4]).as_bytes(), &mut uri);
            }
            Rule::byte_escape => uri.push_str(part.as_str()),
            Rule::unescaped => {
                for byte in part.as_str().chars().map(|c| c as u8) {
                    match byte {
                        0x21..=0x7E => uri.push(char::from(byte)),
                        _ => escape(&[byte], &mut uri),
                    }
                }
            }
            _ => {}
        }
    }
    Some(uri)
}

fn number(words: Pair<'_, Rule>) -> Option<u32> {
    words.into_inner().next()?.as_str().parse().ok()
}

fn date(parts: Pairs<'_, Rule>) -> Option<Value> {
    let mut numbers = parts.map(|part| part.as_str().parse::<u16>().ok());
    let (year, month, day) = (numbers.next()??, numbers.next()??, numbers.next()??);
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let last = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u16::from(leap),
        _ => return None,
    };
    (1..=last).contains(&day).then_some(Value::Until { year, month: month as u8, day: day as u8 })
}

/// A locator: an element's kind and name, or a plain URI.
fn locator(first: Pair<'_, Rule>, mut rest: Pairs<'_, Rule>) -> Option<Locator> {
    let make = match first.as_rule() {
        Rule::id => Locator::Id,
        Rule::class => Locator::Class,
        Rule::meta => Locator::Meta,
        _ => return Some(Locator::Uri(first.as_str().to_owned())),
    };
    Some(make(rest.next()?.as_str().to_owned()))
}
