//! Profiles: the dialects of the robots exclusion languages (RULES.md, "Profiles").
//!
//! An image is compiled under one profile and names it in its header, since the runtime must know
//! how a crawler is named, where a URL's target begins and whether `/robots.txt` is always allowed.
//! This file holds only these facts. The compiler knows what each profile reads from a file.

use crate::notation::Notation;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// One dialect of the robots exclusion languages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Profile {
    /// All supported languages, each with its own precedence. The default.
    #[default]
    Full = 0,
    /// The conventional records only, by RFC 9309 (R1–R18).
    Rfc9309 = 1,
    /// The conventional records only, with the same answers as google/robotstxt.
    Google = 2,
    /// The 1996 Internet-Draft (K): records, crawlers found by substring, first match wins.
    Koster = 3,
}

/// How a crawler's name is matched with groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentRule {
    /// Reduced to its product token and compared whole (R5).
    Token,
    /// Compared whole, as given by the caller (google/robotstxt).
    Verbatim,
    /// The record's value contains the name; the first such record applies (K9).
    Substring,
}

impl Profile {
    /// Every profile in number order.
    pub const ALL: [Profile; 4] = [Profile::Full, Profile::Rfc9309, Profile::Google, Profile::Koster];

    /// The profile with this number in an image, if there is one.
    pub fn from_u8(number: u8) -> Option<Profile> {
        Profile::ALL.get(usize::from(number)).copied()
    }

    /// The name on the command line and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Profile::Full => "full",
            Profile::Rfc9309 => "rfc9309",
            Profile::Google => "google",
            Profile::Koster => "koster",
        }
    }

    /// The notation of conventional patterns under this profile.
    pub const fn notation(self) -> Notation {
        match self {
            Profile::Full | Profile::Rfc9309 => Notation::Rep,
            Profile::Google => Notation::Google,
            Profile::Koster => Notation::Koster,
        }
    }

    /// How a crawler's name is matched with groups under this profile.
    pub const fn agent_rule(self) -> AgentRule {
        match self {
            Profile::Full | Profile::Rfc9309 => AgentRule::Token,
            Profile::Google => AgentRule::Verbatim,
            Profile::Koster => AgentRule::Substring,
        }
    }

    /// R13: true if `/robots.txt` is allowed regardless of the rules (also K12).
    pub const fn allows_robots_txt(self) -> bool {
        !matches!(self, Profile::Google)
    }

    /// The default freshness lifetime in seconds, for captures that do not state one: 24 h (RFC
    /// 9309 2.4), 7 days (K18).
    pub const fn default_fresh_for(self) -> u32 {
        match self {
            Profile::Koster => 7 * 86_400,
            _ => 86_400,
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Profile {
    type Err = String;

    fn from_str(name: &str) -> Result<Profile, String> {
        Profile::ALL
            .into_iter()
            .find(|profile| profile.name() == name)
            .ok_or_else(|| format!("no profile {name:?}: full, rfc9309, google or koster expected"))
    }
}
