//! Profiles: the dialects that one engine speaks (RULES.md, "Profiles").
//!
//! An image is compiled under one profile and says so in its header, because the runtime, too, must
//! know how a crawler is named, where a URL's subject begins and whether `/robots.txt` is always
//! allowed. This file holds just those facts; what each profile reads from a file is the
//! compiler's.

use crate::notation::Notation;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// One dialect of the robots exclusion languages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Profile {
    /// Everything that is understood, each language with its own precedence. The default.
    #[default]
    Full = 0,
    /// The conventional records alone, by RFC 9309 (R1–R18).
    Rfc9309 = 1,
    /// The conventional records exactly as google/robotstxt answers.
    Google = 2,
    /// The 1996 Internet-Draft (K): records, substring agents, first match wins.
    Koster = 3,
}

/// How a crawler's name finds its groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentRule {
    /// Reduced to its product token and compared whole (R5).
    Token,
    /// Compared whole as the caller gives it (google/robotstxt).
    Verbatim,
    /// The record's value contains the name; the first such record answers (K9).
    Substring,
}

impl Profile {
    /// Every profile, in the order of its number.
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

    /// How conventional patterns are written under this profile.
    pub const fn notation(self) -> Notation {
        match self {
            Profile::Full | Profile::Rfc9309 => Notation::Rep,
            Profile::Google => Notation::Google,
            Profile::Koster => Notation::Koster,
        }
    }

    /// How a crawler's name finds its groups under this profile.
    pub const fn agent_rule(self) -> AgentRule {
        match self {
            Profile::Full | Profile::Rfc9309 => AgentRule::Token,
            Profile::Google => AgentRule::Verbatim,
            Profile::Koster => AgentRule::Substring,
        }
    }

    /// R13: whether `/robots.txt` is allowed whatever the rules say (also K12).
    pub const fn allows_robots_txt(self) -> bool {
        !matches!(self, Profile::Google)
    }

    /// How long an answer is fresh when the capture does not say, in seconds: 24 h (RFC 9309 2.4),
    /// 7 days (K18).
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
