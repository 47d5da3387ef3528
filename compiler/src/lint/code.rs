//! The codes of the remarks about meaning, each with its name, severity and rule; LINTS.md says
//! what they are for.
//!
//! The counterpart of the grammar's codes, whose names they never share. Rules are those of
//! RULES.md and FEATURES.md.

use robomaton_grammar::Severity;
use std::fmt;

/// Declares each code once.
macro_rules! codes {
    ($($(#[$doc:meta])* $code:ident: $name:literal, $severity:ident, $rule:literal;)*) => {
        /// What a remark is about.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $($(#[$doc])* $code,)*
        }

        impl Code {
            /// Every code, in the order of LINTS.md.
            pub const ALL: &[Code] = &[$(Code::$code,)*];

            /// The name in messages and JSON.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Code::$code => $name,)*
                }
            }

            /// How much it matters.
            pub const fn severity(self) -> Severity {
                match self {
                    $(Code::$code => Severity::$severity,)*
                }
            }

            /// The number of the rule it rests on.
            pub const fn rule(self) -> &'static str {
                match self {
                    $(Code::$code => $rule,)*
                }
            }
        }
    };
}

codes! {
    /// The text is HTML.
    Html: "html", Error, "R16";
    /// The text is in UTF-16.
    Utf16: "utf-16", Error, "R1";
    /// Names that share a group over what looks like its end.
    MergedGroups: "merged-groups", Warning, "R6";
    /// A name that is nearly that of a well-known crawler.
    MisspelledAgent: "misspelled-agent", Warning, "R5";
    /// A rule that stands in its group already.
    DuplicateRule: "duplicate-rule", Note, "R12";
    /// A rule that always loses to one on the same pattern.
    SupersededRule: "superseded-rule", Warning, "R12";
    /// A rule that always loses to one that matches whenever it does.
    UnreachableRule: "unreachable-rule", Warning, "R12";
    /// An Allow that no Disallow could lose to.
    RedundantAllow: "redundant-allow", Note, "R12";
    /// A star that changes nothing.
    RedundantStar: "redundant-star", Note, "R11";
    /// A `$` that was meant to end a pattern and does not.
    MisplacedAnchor: "misplaced-anchor", Warning, "R11";
    /// An empty Disallow beside one of everything.
    ContradictoryDisallow: "contradictory-disallow", Warning, "R14";
    /// A rule for /robots.txt itself.
    RuleForRobotsTxt: "rule-for-robots-txt", Note, "R13";
    /// A Noindex, which most crawlers do not read.
    UnreadNoindex: "unread-noindex", Warning, "R18";
    /// A Crawl-delay that is no number of seconds.
    BadCrawlDelay: "bad-crawl-delay", Error, "R18";
    /// A Request-rate that is none.
    BadRequestRate: "bad-request-rate", Error, "N16";
    /// A Visit-time that is none.
    BadVisitTime: "bad-visit-time", Error, "N15";
    /// A further Visit-time in a group.
    VisitTimeRepeated: "visit-time-repeated", Note, "N15";
    /// A Robot-version that is none.
    BadRobotVersion: "bad-robot-version", Error, "N2";
    /// A value that the language of its record cannot read.
    UnreadableValue: "unreadable-value", Error, "R18";
    /// A Sitemap that is no absolute URL.
    RelativeSitemap: "relative-sitemap", Warning, "R18";
    /// Pairs of patterns that were not held against each other.
    UncheckedPairs: "unchecked-pairs", Note, "R4";
    /// A Robot-version that does not follow the user-agents.
    RobotVersionMisplaced: "robot-version-misplaced", Error, "N2";
    /// A further Robot-version in a rule set.
    RobotVersionRepeated: "robot-version-repeated", Warning, "N2";
    /// A version with an odd second number.
    RobotVersionExperimental: "robot-version-experimental", Warning, "N4";
    /// A version whose first number is neither 1 nor 2.
    RobotVersionUnknown: "robot-version-unknown", Warning, "N3";
    /// An Allow that neither old nor new robots read.
    OldSetAllow: "old-set-allow", Warning, "N8";
    /// A rule set of 2.0.0 that answers for nobody.
    RuleSetWithoutAnswer: "rule-set-without-answer", Warning, "N4";
    /// A directory without a star in a rule set of 2.0.0.
    ExplicitDirectory: "explicit-directory", Warning, "N8";
    /// A default rule set of 2.0.0.
    DefaultSetVersion: "default-set-version", Note, "N7";
    /// A field before any crawler field.
    AcapFieldOutsideRecord: "acap-field-outside-record", Error, "V11";
    /// Crawler fields that share a record over a gap.
    AcapMergedRecords: "acap-merged-records", Warning, "V12";
    /// A reference to a file of another site.
    AcapReferenceElsewhere: "acap-reference-elsewhere", Warning, "V16";
    /// A reference to a file that is not at hand.
    AcapReferenceMissing: "acap-reference-missing", Warning, "V16";
    /// A reference to a file that refers on.
    AcapReferenceChain: "acap-reference-chain", Warning, "V17";
    /// Usage purposes that no field follows.
    AcapEmptySubRecord: "acap-empty-sub-record", Warning, "P19";
    /// A qualifier that ACAP does not have.
    AcapUnknownQualifier: "acap-unknown-qualifier", Error, "V22";
    /// A local usage that is not defined.
    AcapUndefinedUsage: "acap-undefined-usage", Error, "V23";
    /// A resource set that is not defined.
    AcapUndefinedSet: "acap-undefined-set", Error, "V25";
    /// A usage that ACAP does not have.
    AcapUnknownUsage: "acap-unknown-usage", Warning, "V26";
    /// A permission of `other`.
    AcapPermissionOfOther: "acap-permission-of-other", Note, "V29";
    /// A qualifier that its usage does not have.
    AcapMisplacedQualifier: "acap-misplaced-qualifier", Error, "V31";
    /// A value in a spelling that an example of the document has.
    AcapMisspelledValue: "acap-misspelled-value", Warning, "V31";
    /// A resource that must be used and may not be crawled.
    AcapUsedResourceNotCrawlable: "acap-used-resource-not-crawlable", Warning, "V32";
    /// A qualifier that may stand once and stands again.
    AcapRepeatedQualifier: "acap-repeated-qualifier", Warning, "V39";
    /// A request for a resource that is written like a pattern.
    AcapRequestIsAPattern: "acap-request-is-a-pattern", Warning, "P47";
    /// A definition that nothing refers to.
    AcapUnusedDefinition: "acap-unused-definition", Note, "V41";
    /// A definition behind another one that uses it.
    AcapDefinitionAfterUse: "acap-definition-after-use", Warning, "V41";
    /// A second local usage of one name.
    AcapRepeatedUsage: "acap-repeated-usage", Warning, "V42";
    /// A member of a composite usage that is no qualified usage.
    AcapCompositeMember: "acap-composite-member", Error, "V43";
    /// A second resource set of one name.
    AcapRepeatedSet: "acap-repeated-set", Note, "V45";
    /// A field that always loses to one that matches whenever it does.
    AcapNeverWins: "acap-never-wins", Warning, "V51";
    /// The same, where a final `$` loses to a star.
    AcapAnchorLoses: "acap-anchor-loses", Warning, "V51";
    /// A permission and a prohibition on the same pattern.
    AcapEqualPatterns: "acap-equal-patterns", Warning, "V52";
    /// A permission and a prohibition of which neither is narrower.
    AcapUndeterminedPair: "acap-undetermined-pair", Warning, "V52";
    /// A conventional rule inside an ACAP record.
    AcapIgnoredRule: "acap-ignored-rule", Warning, "V53";
    /// A field behind a conventional record.
    AcapSuspendedRecord: "acap-suspended-record", Warning, "V53";
    /// A conventional rule on the pattern of a field of the other sense.
    AcapContradictedRule: "acap-contradicted-rule", Warning, "V54";
    /// What is used by prior arrangement.
    AcapByPriorArrangement: "acap-by-prior-arrangement", Note, "V57";
    /// What is not ready to be used.
    AcapNotReady: "acap-not-ready", Note, "V57";
    /// A prohibition in a page with qualifiers.
    MetaQualifiedProhibition: "meta-qualified-prohibition", Error, "M9";
    /// A tag with a feature of a later version than its page states.
    MetaLaterFeature: "meta-later-feature", Warning, "M16";
    /// A tag or class of ACAP that cannot be read.
    MetaProblem: "meta-problem", Error, "M25";
    /// A set of elements.
    MetaElementSet: "meta-element-set", Warning, "M25";
    /// A local usage in a class.
    MetaLocalUsageInClass: "meta-local-usage-in-class", Error, "M26";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
