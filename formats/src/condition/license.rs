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

/// The classes of users in RSL.
const USERS: [&str; 5] = ["commercial", "non-commercial", "education", "government", "personal"];

/// The members of the European Union, which `EU` stands for.
const EU: [&str; 27] = [
    "AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GR", "HR", "HU", "IE", "IT", "LT",
    "LU", "LV", "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK",
];

impl Choice {
    /// Evaluates whether a choice admits a name; `covers` compares one of its names with that name.
    fn admits(&self, name: &str, covers: fn(&str, &str) -> Option<bool>) -> Holds {
        let any = |names: &[String]| {
            let each = names.iter().map(|own| Holds::from(covers(own, name)));
            each.max().unwrap_or(Holds::No)
        };
        let is_chosen = if self.only.is_empty() { Holds::Yes } else { any(&self.only) };
        let is_left = match any(&self.not) {
            Holds::No => Holds::Yes,
            Holds::Unknown => Holds::Unknown,
            Holds::Yes => Holds::No,
        };
        is_chosen.min(is_left)
    }
}

/// True if both are the same class of users; `None` if they differ and one is not a class of RSL.
fn covers_user(own: &str, user: &str) -> Option<bool> {
    let is_class = |name: &str| USERS.iter().any(|class| class.eq_ignore_ascii_case(name));
    let is_same = own.eq_ignore_ascii_case(user);
    (is_same || is_class(own) && is_class(user)).then_some(is_same)
}

/// True if a country, or the EU, covers another; `None` if it may, as a country does the EU, or if
/// one of the two is no code of a country.
fn covers_country(own: &str, country: &str) -> Option<bool> {
    let [own, country] = [own, country].map(|name| match name.to_ascii_uppercase() {
        // Codes of the EU beside those of ISO 3166-1.
        name if name == "UK" => "GB".to_owned(),
        name if name == "EL" => "GR".to_owned(),
        name => name,
    });
    let is_code = |name: &str| name.len() == 2 && name.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_member = |name: &str| EU.contains(&name);
    match (&*own, &*country) {
        (own, country) if own == country => Some(true),
        ("EU", country) if is_code(country) => Some(is_member(country)),
        (own, "EU") if is_member(own) => None,
        (own, country) => (is_code(own) && is_code(country)).then_some(false),
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
            Term::User(choice) => {
                return context.user.as_ref().map_or(Holds::Unknown, |user| choice.admits(user, covers_user));
            }
            Term::Geo(choice) => {
                return context.geo.as_ref().map_or(Holds::Unknown, |geo| choice.admits(geo, covers_country));
            }
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
    fn countries_lie_in_the_eu_and_unknown_words_may_mean_any() {
        let list = |names: &str| names.split_whitespace().map(str::to_owned).collect();
        let holds = |only, not, geo: &str| {
            let context = Context { geo: Some(geo.to_owned()), ..Context::default() };
            Term::Geo(Choice { only: list(only), not: list(not) }).holds(&context)
        };
        for (only, not, geo, expected) in [
            ("", "EU", "DE", Holds::No),
            ("", "EU", "eu", Holds::No),
            ("", "EU", "US", Holds::Yes),
            ("", "DE", "EU", Holds::Unknown),
            ("", "US", "EU", Holds::Yes),
            ("EU", "", "DE", Holds::Yes),
            ("EU", "", "CH", Holds::No),
            ("EU", "DE", "DE", Holds::No),
            ("EU", "DE", "EU", Holds::Unknown),
            ("EU", "DE", "FR", Holds::Yes),
            ("DE", "", "EU", Holds::Unknown),
            ("", "UK", "GB", Holds::No),
            ("", "EU", "EL", Holds::No),
            ("", "Germany", "DE", Holds::Unknown),
            ("", "Germany DE", "DE", Holds::No),
            ("Germany", "", "DE", Holds::Unknown),
            ("US", "Germany", "DE", Holds::No),
            ("", "US", "Germany", Holds::Unknown),
        ] {
            assert_eq!(holds(only, not, geo), expected, "only {only}, not {not}: {geo}");
        }
        let user = |not: &str, user: &str| {
            let context = Context { user: Some(user.to_owned()), ..Context::default() };
            Term::User(Choice { only: Vec::new(), not: list(not) }).holds(&context)
        };
        assert_eq!(user("business", "commercial"), Holds::Unknown);
        assert_eq!(user("personal", "commercial"), Holds::Yes);
        assert_eq!(user("Commercial", "commercial"), Holds::No);
    }

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
