//! All limits of the compiler, with their defaults and reasons.
//!
//! A text that exceeds a limit is compiled to `Outcome::OverLimit`, which disallows until the limit
//! is raised (R4). Nothing is dropped silently, and a hostile text costs no more than its limits
//! allow.

use robomaton_formats::Profile;
use robomaton_formats::program::MAX_STEPS;
use robomaton_formats::scope::MAX_PATTERNS;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The maximum number of groups of a text in the format of policies.
pub const MAX_GROUPS: usize = 1 << 16;

/// The name of [`Limits::bytes`], which a text cannot exceed: the rest is left unread.
const BYTES: &str = "bytes";

/// Bytes of a reference to another file. A longer one leads to no file, and is kept shortened:
/// thousands of rules and statements may stand in one file.
pub(crate) const REFERENCE: usize = 2048;

/// Bytes of a pattern for which a comparison of it with a page counts as one more.
const BYTES_OF_PATTERN: usize = 64;

/// The number of comparisons that one of a page with a pattern of so many bytes counts as.
pub(crate) fn comparisons(bytes: usize) -> usize {
    1 + bytes / BYTES_OF_PATTERN
}

/// The maximum cost of one text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes read. The text after the last line end within them is left unread, with a diagnostic,
    /// as RFC 9309 2.5 specifies. `None` is the profile's default: 500 KiB, or none for `google`,
    /// whose parser reads everything.
    pub bytes: Option<usize>,
    /// Groups. The largest known file has 2,200.
    pub groups: usize,
    /// Allow and disallow rules of all groups. The largest known file has 31,843.
    pub rules: usize,
    /// Stars of one group. Each costs memory per look-up; the largest known group has 4,228.
    pub stars: usize,
    /// Bytes of one pattern. A target is never longer.
    pub pattern: usize,
    /// Non-standard usages.
    pub usages: usize,
    /// References to other files.
    pub references: usize,
    /// Conditions of one permission.
    pub conditions: usize,
    /// Distinct crawl-delays, request-rates, visit-times and comments of one group, each.
    pub times: usize,
    /// Nodes on one path of the trie of a group's segments: each position of a target may cost as
    /// many steps. The deepest known group has 9.
    pub depth: usize,
    /// Distinct patterns of a text whose fields are weighed by specificity.
    pub patterns: usize,
    /// Records in the modern languages. What is beyond is unread, which permits nothing.
    pub statements: usize,
    /// Bytes of one ACAP field, from its key to its end. Like the next three, one of the dimensions
    /// in which ACAP recommends limits without giving numbers (P55, V56); the others are
    /// [`Limits::bytes`] and [`Limits::groups`].
    pub field: usize,
    /// Sub-records of one ACAP record.
    pub sub_records: usize,
    /// Permissions, prohibitions and requests in the general part of one ACAP record.
    pub record_fields: usize,
    /// Permissions and prohibitions of one sub-record.
    pub sub_record_fields: usize,
}

/// The name of [`Limits::statements`], which a text may exceed: the rest is unread.
const STATEMENTS: &str = "statements";

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            bytes: None,
            groups: 50_000,
            rules: 200_000,
            stars: 8_192,
            pattern: 65_536,
            usages: 256,
            references: 256,
            conditions: 64,
            times: 64,
            depth: 16,
            patterns: MAX_PATTERNS,
            statements: 20_000,
            field: 1 << 18,
            sub_records: 32_768,
            record_fields: 65_536,
            sub_record_fields: 65_536,
        }
    }
}

impl Limits {
    /// The number of bytes read under a profile.
    pub fn bytes(&self, profile: Profile) -> usize {
        self.bytes.unwrap_or(match profile {
            Profile::Google => 64 << 20,
            _ => 500 << 10,
        })
    }

    /// The limit on stars of a group, capped by the format of programs.
    pub fn stars(&self) -> usize {
        self.stars.min(MAX_STEPS)
    }

    /// The limit on groups of a text, capped by the format of policies.
    pub fn groups(&self) -> usize {
        self.groups.min(MAX_GROUPS)
    }

    /// The limit on patterns of a scoped text, capped by the format of scopes.
    pub fn patterns(&self) -> usize {
        self.patterns.min(MAX_PATTERNS)
    }

    /// Checks the depth of a program; `line` is that of its group.
    pub(crate) fn check_depth(&self, depth: usize, line: u32) -> Result<(), OverLimit> {
        let over = OverLimit { limit: LimitName::Depth, allowed: self.depth, line };
        if depth > self.depth { Err(over) } else { Ok(()) }
    }

    /// Checks the stars of a program; `line` is that of its group.
    pub(crate) fn check_stars(&self, stars: usize, line: u32) -> Result<(), OverLimit> {
        let over = OverLimit { limit: LimitName::Stars, allowed: self.stars(), line };
        if stars > self.stars() { Err(over) } else { Ok(()) }
    }

    /// Names and values, for the provenance of an image. [`Limits::from_named`] reads them.
    pub fn named(&self, profile: Profile) -> Vec<(String, u64)> {
        [
            (BYTES, self.bytes(profile)),
            (LimitName::Groups.name(), self.groups()),
            (LimitName::Rules.name(), self.rules),
            (LimitName::Stars.name(), self.stars()),
            (LimitName::Pattern.name(), self.pattern),
            (LimitName::Usages.name(), self.usages),
            (LimitName::References.name(), self.references),
            (LimitName::Conditions.name(), self.conditions),
            (LimitName::Times.name(), self.times),
            (LimitName::Depth.name(), self.depth),
            (LimitName::Patterns.name(), self.patterns()),
            (STATEMENTS, self.statements),
            (LimitName::Field.name(), self.field),
            (LimitName::SubRecords.name(), self.sub_records),
            (LimitName::RecordFields.name(), self.record_fields),
            (LimitName::SubRecordFields.name(), self.sub_record_fields),
        ]
        .map(|(name, value)| (name.to_owned(), value as u64))
        .into()
    }

    /// Reads the limits from the provenance of an image of this profile. A limit on bytes equal to
    /// the profile's default is left unset, since another document of the site has its own profile
    /// and default. Unknown names are ignored; missing limits have their defaults.
    pub fn from_named(named: &[(String, u64)], profile: Profile) -> Limits {
        let defaults = Limits::default();
        let value = |wanted: &str, default: usize| {
            let found = named.iter().find(|(name, _)| name == wanted);
            found.map_or(default, |&(_, value)| usize::try_from(value).unwrap_or(usize::MAX))
        };
        let limit = |name: LimitName, default| value(name.name(), default);
        let bytes = value(BYTES, defaults.bytes(profile));
        Limits {
            bytes: Some(bytes).filter(|&bytes| bytes != defaults.bytes(profile)),
            groups: limit(LimitName::Groups, defaults.groups),
            rules: limit(LimitName::Rules, defaults.rules),
            stars: limit(LimitName::Stars, defaults.stars),
            pattern: limit(LimitName::Pattern, defaults.pattern),
            usages: limit(LimitName::Usages, defaults.usages),
            references: limit(LimitName::References, defaults.references),
            conditions: limit(LimitName::Conditions, defaults.conditions),
            times: limit(LimitName::Times, defaults.times),
            depth: limit(LimitName::Depth, defaults.depth),
            patterns: limit(LimitName::Patterns, defaults.patterns),
            statements: value(STATEMENTS, defaults.statements),
            field: limit(LimitName::Field, defaults.field),
            sub_records: limit(LimitName::SubRecords, defaults.sub_records),
            record_fields: limit(LimitName::RecordFields, defaults.record_fields),
            sub_record_fields: limit(LimitName::SubRecordFields, defaults.sub_record_fields),
        }
    }
}

/// The limits that a text can exceed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LimitName {
    /// [`Limits::groups`].
    Groups,
    /// [`Limits::rules`].
    Rules,
    /// [`Limits::stars`].
    Stars,
    /// [`Limits::pattern`].
    Pattern,
    /// [`Limits::usages`].
    Usages,
    /// [`Limits::references`].
    References,
    /// [`Limits::conditions`].
    Conditions,
    /// [`Limits::times`].
    Times,
    /// [`Limits::depth`].
    Depth,
    /// [`Limits::patterns`].
    Patterns,
    /// Conventional rules of all combinations of groups that apply to crawlers, in a text weighed
    /// by specificity.
    Merged,
    /// Distinct combinations of groups that apply to crawlers; the format's maximum.
    Sets,
    /// Groups of one crawler; the format's maximum.
    Entries,
    /// [`Limits::field`].
    Field,
    /// [`Limits::sub_records`].
    SubRecords,
    /// [`Limits::record_fields`].
    RecordFields,
    /// [`Limits::sub_record_fields`].
    SubRecordFields,
    /// Different purposes of one text.
    Purposes,
    /// Bytes of one purpose; the format's maximum.
    Purpose,
}

impl LimitName {
    /// The counted things in words: the unit of [`OverLimit::allowed`].
    pub const fn unit(self) -> &'static str {
        match self {
            LimitName::Groups => "groups",
            LimitName::Rules => "rules",
            LimitName::Stars => "stars in the rules of one group",
            LimitName::Pattern => "bytes of one pattern",
            LimitName::Usages => "usages beyond the standard ones",
            LimitName::References => "references to other files",
            LimitName::Conditions => "conditions of one permission",
            LimitName::Times => "records of one kind about times and rates in one group",
            LimitName::Depth => "segments of one group that end alike",
            LimitName::Patterns => "different patterns",
            LimitName::Merged => "rules of all combinations of groups",
            LimitName::Sets => "combinations of groups",
            LimitName::Entries => "groups of one crawler",
            LimitName::Field => "bytes of one ACAP field",
            LimitName::SubRecords => "sub-records of one ACAP record",
            LimitName::RecordFields => "fields of one ACAP record",
            LimitName::SubRecordFields => "fields of one sub-record",
            LimitName::Purposes => "different purposes",
            LimitName::Purpose => "bytes of one purpose",
        }
    }

    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            LimitName::Groups => "groups",
            LimitName::Rules => "rules",
            LimitName::Stars => "stars",
            LimitName::Pattern => "pattern",
            LimitName::Usages => "usages",
            LimitName::References => "references",
            LimitName::Conditions => "conditions",
            LimitName::Times => "times",
            LimitName::Depth => "depth",
            LimitName::Patterns => "patterns",
            LimitName::Merged => "merged rules",
            LimitName::Sets => "sets",
            LimitName::Entries => "entries",
            LimitName::Field => "field",
            LimitName::SubRecords => "sub-records",
            LimitName::RecordFields => "record fields",
            LimitName::SubRecordFields => "sub-record fields",
            LimitName::Purposes => "purposes",
            LimitName::Purpose => "purpose",
        }
    }
}

/// A limit was exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OverLimit {
    /// The exceeded limit.
    pub limit: LimitName,
    /// Its value.
    pub allowed: usize,
    /// The line, from 1, on which it was exceeded.
    pub line: u32,
}

impl fmt::Display for OverLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: over the limit of {} {}", self.line, self.allowed, self.limit.unit())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_survive_an_image() {
        for profile in Profile::ALL {
            let limits = Limits { groups: 7, times: 8, patterns: 9, statements: 10, ..Limits::default() };
            assert_eq!(Limits::from_named(&limits.named(profile), profile), limits);
            let limits = Limits { bytes: Some(10), depth: 11, ..limits };
            assert_eq!(Limits::from_named(&limits.named(profile), profile), limits);
            assert_eq!(Limits::from_named(&[], profile), Limits::default());
        }
    }
}
