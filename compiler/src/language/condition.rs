//! The qualifiers of ACAP → typed conditions.
//!
//! Called by `acap` and `pages`. The grammar types the values. This file says which usage admits
//! which qualifier (the tables of P30 to P37 and V31 to V38), and keeps any other qualifier as a
//! condition that cannot be met (decision 19). It does not evaluate conditions.

use robomaton_formats::condition::{self, Condition, Date, TimeLimit};
use robomaton_grammar::acap::{Locator, Modification, Role, Value, value};

/// The version of ACAP that a text follows, if that affects its meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Dialect {
    /// 0.2, the pilot.
    Pilot,
    /// 1.0; the default (M16).
    #[default]
    One,
    /// 1.1 and later.
    OneOne,
}

impl Dialect {
    pub(crate) fn of(version: Option<(u32, u32)>) -> Dialect {
        match version {
            None | Some((1, 0)) => Dialect::One,
            Some((0, _)) => Dialect::Pilot,
            Some(_) => Dialect::OneOne,
        }
    }
}

/// The place of a permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In a robots.txt.
    File,
    /// In a page, where `location` may be used (M23).
    Page,
}

/// The condition for a qualifier of a permission for this usage.
pub(crate) fn condition(usage: &str, name: &[u8], text: &[u8], dialect: Dialect, place: Place) -> Condition {
    let name = String::from_utf8_lossy(name).to_ascii_lowercase();
    let typed = value(name.as_bytes(), text).map(of_value);
    match typed {
        Some(condition) if admits(usage, &name, dialect, place) => condition,
        // A misplaced condition is spelled as in its proper place.
        Some(condition) => {
            let text = condition.to_string();
            let value = text.split_once('=').map_or("", |(_, value)| value).to_owned();
            Condition::Unsupported { name, value }
        }
        None => Condition::Unsupported { name, value: String::from_utf8_lossy(text).into_owned() },
    }
}

fn admits(usage: &str, name: &str, dialect: Dialect, place: Place) -> bool {
    let usage = usage.to_ascii_lowercase();
    let kind = usage.strip_prefix("present-");
    let presents = usage == "present" || kind.is_some();
    let is_copy = matches!(kind, Some("original" | "currentcopy" | "oldcopy"));
    match name {
        "time-limit" => presents || matches!(usage.as_str(), "index" | "preserve"),
        // In the pilot, a used-resource type excludes another used resource (P31).
        "must-use-resource" if dialect == Dialect::Pilot => matches!(usage.as_str(), "index" | "present"),
        "must-use-resource" => presents || usage == "index",
        "max-length" => matches!(kind, Some("snippet" | "extract" | "oldsnippet" | "oldextract")),
        "prohibited-modification" => is_copy || usage == "present",
        // In the pilot plain `present` alone has it (P35, V36, decision 38).
        "must-include-resource" if dialect == Dialect::Pilot => usage == "present",
        "must-include-resource" => presents,
        "prohibited-context" | "required-context" => is_copy,
        "location" => place == Place::Page,
        _ => false,
    }
}

fn of_value(value: Value) -> Condition {
    match value {
        Value::UntilRecrawled => Condition::TimeLimit(TimeLimit::UntilRecrawled),
        Value::Until { year, month, day } => {
            Condition::TimeLimit(TimeLimit::Until(Date { year, month, day }))
        }
        Value::Days(days) => Condition::TimeLimit(TimeLimit::Days(days)),
        Value::Chars(count) => Condition::MaxChars(count),
        Value::Words(count) => Condition::MaxWords(count),
        Value::Modification(kind) => Condition::ProhibitedModification(match kind {
            Modification::Any => condition::Modification::Any,
            Modification::Format => condition::Modification::Format,
            Modification::Style => condition::Modification::Style,
            Modification::Translation => condition::Modification::Translation,
            Modification::Annotation => condition::Modification::Annotation,
        }),
        Value::WithinUserFrame => Condition::OutsideUserFrame,
        Value::WithinOriginalFrame => Condition::WithinOriginalFrame,
        Value::Use(locator) => Condition::MustUseResource(of_locator(locator)),
        Value::Include { role, locator } => {
            let role = role.map(|role| match role {
                Role::Credit => condition::Role::Credit,
                Role::Link => condition::Role::Link,
                Role::Icon => condition::Role::Icon,
                Role::Text => condition::Role::Text,
            });
            Condition::MustIncludeResource(role, of_locator(locator))
        }
        Value::Location(url) => Condition::Location(url),
    }
}

fn of_locator(locator: Locator) -> condition::Locator {
    match locator {
        Locator::Id(id) => condition::Locator::Id(id),
        Locator::Class(class) => condition::Locator::Class(class),
        Locator::Meta(name) => condition::Locator::Meta(name),
        Locator::Uri(uri) => condition::Locator::Uri(uri),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_presenting_may_include_a_resource() {
        let of = |usage, dialect| {
            let condition = condition(usage, b"must-include-resource", b"/credit.htm", dialect, Place::File);
            matches!(condition, Condition::MustIncludeResource(..))
        };
        for dialect in [Dialect::One, Dialect::OneOne] {
            assert!(of("present", dialect) && of("present-snippet", dialect) && !of("index", dialect));
        }
        assert!(of("present", Dialect::Pilot) && !of("present-snippet", Dialect::Pilot));
    }
}
