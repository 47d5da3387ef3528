//! The terms of RSL licences beside usage, and their evaluation.
//!
//! A condition holds them as alternatives. Invariant: nothing here nests, so a record of any size
//! decodes without recursion.

use super::{Context, Holds};
use crate::text;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A term of an RSL licence.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Term {
    /// `payment`: the licence has a price.
    Payment(Payment),
    /// `server`: a token of this licence server.
    Server(#[serde(deserialize_with = "text::read")] String),
    /// `reporting`: uses are reported in this way.
    Reporting {
        /// `telemetry`, `provenance` or `audit`.
        #[serde(deserialize_with = "text::read")]
        kind: String,
        /// The profile of the reports; empty if none is stated.
        #[serde(deserialize_with = "text::read")]
        profile: String,
    },
    /// `permits` and `prohibits` of type `user`: the class of the user.
    User(Choice),
    /// `permits` and `prohibits` of type `geo`: the country of the use.
    Geo(Choice),
}

/// A payment that RSL asks for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Payment {
    /// `purchase`, `subscription`, `training`, `crawl`, `use`, `contribution` or `attribution`.
    #[serde(deserialize_with = "text::read")]
    pub kind: String,
    /// The amount and its currency, as written; empty if none is stated.
    #[serde(deserialize_with = "text::read")]
    pub amount: String,
    /// The standard licences, by URI.
    #[serde(deserialize_with = "text::read_all")]
    pub standard: Vec<String>,
    /// The URLs of custom terms.
    #[serde(deserialize_with = "text::read_all")]
    pub custom: Vec<String>,
}

/// A closed or open choice of names.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Choice {
    /// Only these names, if there are any.
    #[serde(deserialize_with = "text::read_all")]
    pub only: Vec<String>,
    /// None of these names.
    #[serde(deserialize_with = "text::read_all")]
    pub not: Vec<String>,
}

impl Choice {
    fn admits(&self, name: &str) -> bool {
        let has = |names: &[String]| names.iter().any(|own| own.eq_ignore_ascii_case(name));
        (self.only.is_empty() || has(&self.only)) && !has(&self.not)
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.only.join("|"))?;
        self.not.iter().try_for_each(|name| write!(f, "!{name}"))
    }
}

impl fmt::Display for Payment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind)?;
        let parts = std::iter::once(&self.amount).filter(|amount| !amount.is_empty());
        parts.chain(&self.standard).chain(&self.custom).try_for_each(|part| write!(f, "({part})"))
    }
}

impl Term {
    /// Evaluates this term.
    pub fn holds(&self, context: &Context) -> Holds {
        let known = match self {
            Term::Payment(Payment { kind, standard, custom, .. }) => {
                let licensed = |licenses: &Vec<String>| {
                    standard.iter().chain(custom).any(|license| licenses.contains(license))
                };
                match (&context.payments, &context.licenses) {
                    (_, Some(licenses)) if licensed(licenses) => Some(true),
                    (Some(payments), _) => Some(payments.contains(kind)),
                    _ => None,
                }
            }
            Term::Server(url) => contains(&context.license_servers, url),
            Term::Reporting { kind, profile } => {
                contains(&context.reports, if profile.is_empty() { kind } else { profile })
            }
            Term::User(choice) => context.user.as_ref().map(|user| choice.admits(user)),
            Term::Geo(choice) => context.geo.as_ref().map(|geo| choice.admits(geo)),
        };
        Holds::from(known)
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Term::Payment(payment) => write!(f, "payment={payment}"),
            Term::Server(url) => write!(f, "license-server={url}"),
            Term::Reporting { kind, profile } if profile.is_empty() => write!(f, "reporting={kind}"),
            Term::Reporting { kind, profile } => write!(f, "reporting={kind}({profile})"),
            Term::User(choice) => write!(f, "user={choice}"),
            Term::Geo(choice) => write!(f, "geo={choice}"),
        }
    }
}

/// True if the caller has something; `None` if that is unknown.
pub(super) fn contains(owned: &Option<Vec<String>>, wanted: &String) -> Option<bool> {
    owned.as_ref().map(|owned| owned.contains(wanted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Condition;

    #[test]
    fn one_licence_of_several_suffices() {
        let user = |only: &str| Term::User(Choice { only: vec![only.to_owned()], not: Vec::new() });
        let geo = Term::Geo(Choice { only: Vec::new(), not: vec!["US".to_owned()] });
        let condition = Condition::License(vec![vec![user("commercial")], vec![user("personal"), geo]]);
        let context = |user: &str, geo: Option<&str>| Context {
            user: Some(user.to_owned()),
            geo: geo.map(str::to_owned),
            ..Context::default()
        };
        assert_eq!(condition.holds(&context("commercial", None)), Holds::Yes);
        assert_eq!(condition.holds(&context("personal", None)), Holds::Unknown);
        assert_eq!(condition.holds(&context("personal", Some("DE"))), Holds::Yes);
        assert_eq!(condition.holds(&context("personal", Some("US"))), Holds::No);
        assert_eq!(condition.to_string(), "any-of=[user=commercial]|[user=personal geo=!US]");
    }
}
