//! The codes of findings about meaning, each with its name, severity and rule; LINTS.md explains
//! them.
//!
//! They complement the grammar's codes and share no name with them. The rules are those of RULES.md
//! and FEATURES.md, and for preferences the cases of `tests/cases/modern`.

use robomaton_grammar::Severity;
use std::fmt;

/// Declares each code once.
macro_rules! codes {
    ($($(#[$doc:meta])* $code:ident: $name:literal, $severity:ident, $rule:literal;)*) => {
        /// The subject of a finding.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $($(#[$doc])* $code,)*
        }

        impl Code {
            /// Every code in the order of LINTS.md.
            pub const ALL: &[Code] = &[$(Code::$code,)*];

            /// The name in messages and JSON.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Code::$code => $name,)*
                }
            }

            /// The severity.
            pub const fn severity(self) -> Severity {
                match self {
                    $(Code::$code => Severity::$severity,)*
                }
            }

            /// The number of the rule that it is based on.
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
    /// The text is UTF-16.
    Utf16: "utf-16", Error, "R1";
    /// Names that share a group across a line that looks like its end.
    MergedGroups: "merged-groups", Warning, "R6";
    /// A rule behind the blank line that ends its record.
    RuleBehindBlankLine: "rule-behind-blank-line", Error, "K5";
    /// A name close to that of a well-known crawler.
    MisspelledAgent: "misspelled-agent", Warning, "R5";
    /// A rule that its group already contains.
    DuplicateRule: "duplicate-rule", Note, "R12";
    /// A rule that always loses to one with the same pattern.
    SupersededRule: "superseded-rule", Warning, "R12";
    /// A rule that always loses to one that matches the same targets and more.
    UnreachableRule: "unreachable-rule", Warning, "R12";
    /// An Allow that overrides no Disallow.
    RedundantAllow: "redundant-allow", Note, "R12";
    /// A star without effect.
    RedundantStar: "redundant-star", Note, "R11";
    /// A `$` that was meant to end a pattern but does not.
    MisplacedAnchor: "misplaced-anchor", Warning, "R11";
    /// An empty Disallow together with one for everything.
    ContradictoryDisallow: "contradictory-disallow", Warning, "R14";
    /// A rule for /robots.txt itself.
    RuleForRobotsTxt: "rule-for-robots-txt", Note, "R13";
    /// A Noindex, which most crawlers ignore.
    UnreadNoindex: "unread-noindex", Warning, "R18";
    /// A Crawl-delay that is not a number of seconds.
    BadCrawlDelay: "bad-crawl-delay", Error, "R18";
    /// A malformed Request-rate.
    BadRequestRate: "bad-request-rate", Error, "N16";
    /// A malformed Visit-time.
    BadVisitTime: "bad-visit-time", Error, "N15";
    /// A further Visit-time in a group.
    VisitTimeRepeated: "visit-time-repeated", Note, "N15";
    /// A malformed Robot-version.
    BadRobotVersion: "bad-robot-version", Error, "N2";
    /// A value that the record's language cannot read.
    UnreadableValue: "unreadable-value", Error, "R18";
    /// A Sitemap that is not an absolute URL.
    RelativeSitemap: "relative-sitemap", Warning, "R18";
    /// Pairs of patterns that were not compared.
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
    /// A rule set of 2.0.0 that applies to no crawler.
    RuleSetWithoutAnswer: "rule-set-without-answer", Warning, "N4";
    /// A directory without a star in a rule set of 2.0.0.
    ExplicitDirectory: "explicit-directory", Warning, "N8";
    /// A default rule set of 2.0.0.
    DefaultSetVersion: "default-set-version", Note, "N7";
    /// A field before any crawler field.
    AcapFieldOutsideRecord: "acap-field-outside-record", Error, "V11";
    /// Crawler fields that share a record across a gap.
    AcapMergedRecords: "acap-merged-records", Warning, "V12";
    /// A crawler name that no crawler can give.
    AcapUnusableName: "acap-unusable-name", Warning, "V8";
    /// A reference to a file of another site.
    AcapReferenceElsewhere: "acap-reference-elsewhere", Warning, "V16";
    /// A reference to a file that is not available.
    AcapReferenceMissing: "acap-reference-missing", Warning, "V16";
    /// A reference to a file that refers to another.
    AcapReferenceChain: "acap-reference-chain", Warning, "V17";
    /// Usage purposes without fields.
    AcapEmptySubRecord: "acap-empty-sub-record", Warning, "P19";
    /// An unknown qualifier.
    AcapUnknownQualifier: "acap-unknown-qualifier", Error, "V22";
    /// An undefined local usage.
    AcapUndefinedUsage: "acap-undefined-usage", Error, "V23";
    /// An undefined resource set.
    AcapUndefinedSet: "acap-undefined-set", Error, "V25";
    /// An unknown usage.
    AcapUnknownUsage: "acap-unknown-usage", Warning, "V26";
    /// A permission for `other`.
    AcapPermissionOfOther: "acap-permission-of-other", Note, "V29";
    /// A qualifier that its usage does not admit.
    AcapMisplacedQualifier: "acap-misplaced-qualifier", Error, "V31";
    /// A value in a spelling from an erroneous example in the document.
    AcapMisspelledValue: "acap-misspelled-value", Warning, "V31";
    /// A resource that must be used but must not be crawled.
    AcapUsedResourceNotCrawlable: "acap-used-resource-not-crawlable", Warning, "V32";
    /// A repeated qualifier that is permitted only once.
    AcapRepeatedQualifier: "acap-repeated-qualifier", Warning, "V39";
    /// A request for a resource that looks like a pattern.
    AcapRequestIsAPattern: "acap-request-is-a-pattern", Warning, "P47";
    /// An unused definition.
    AcapUnusedDefinition: "acap-unused-definition", Note, "V41";
    /// A definition after another that uses it.
    AcapDefinitionAfterUse: "acap-definition-after-use", Warning, "V41";
    /// A second local usage with the same name.
    AcapRepeatedUsage: "acap-repeated-usage", Warning, "V42";
    /// A member of a composite usage that is not a qualified usage.
    AcapCompositeMember: "acap-composite-member", Error, "V43";
    /// A second resource set with the same name.
    AcapRepeatedSet: "acap-repeated-set", Note, "V45";
    /// A field that always loses to one that matches the same targets and more.
    AcapNeverWins: "acap-never-wins", Warning, "V51";
    /// The same, because a final `$` loses to a star.
    AcapAnchorLoses: "acap-anchor-loses", Warning, "V51";
    /// A permission and a prohibition with the same pattern.
    AcapEqualPatterns: "acap-equal-patterns", Warning, "V52";
    /// A permission and a prohibition, neither of which is narrower.
    AcapUndeterminedPair: "acap-undetermined-pair", Warning, "V52";
    /// A conventional rule inside an ACAP record.
    AcapIgnoredRule: "acap-ignored-rule", Warning, "V53";
    /// A field after a conventional record.
    AcapSuspendedRecord: "acap-suspended-record", Warning, "V53";
    /// A conventional rule with the pattern of a field of the other sense.
    AcapContradictedRule: "acap-contradicted-rule", Warning, "V54";
    /// A feature that requires prior arrangement.
    AcapByPriorArrangement: "acap-by-prior-arrangement", Note, "V57";
    /// A feature that is not ready for use.
    AcapNotReady: "acap-not-ready", Note, "V57";
    /// A prohibition with qualifiers in a page.
    MetaQualifiedProhibition: "meta-qualified-prohibition", Error, "M9";
    /// A tag with a feature of a later version than the page states.
    MetaLaterFeature: "meta-later-feature", Warning, "M16";
    /// A malformed ACAP tag or class.
    MetaProblem: "meta-problem", Error, "M25";
    /// A set of elements.
    MetaElementSet: "meta-element-set", Warning, "M25";
    /// A tag inside `noscript`.
    MetaInNoscript: "meta-in-noscript", Warning, "M27";
    /// A local usage in a class.
    MetaLocalUsageInClass: "meta-local-usage-in-class", Error, "M26";
    /// A Content-Usage that is not a dictionary.
    ContentUsageMalformed: "content-usage-malformed", Error, "U9";
    /// A label that AIPREF does not have.
    ContentUsageLabel: "content-usage-label", Error, "U6";
    /// A label with a value that is neither `y` nor `n`.
    ContentUsageValue: "content-usage-value", Error, "U7";
    /// A preference before any group.
    PreferenceOutsideGroup: "preference-outside-group", Error, "U14";
    /// A Content-Usage between user-agents, where readers differ about the group.
    ContentUsageDividesGroup: "content-usage-divides-group", Warning, "U13";
    /// Text in a Content-Signal that is no signal.
    ContentSignalMalformed: "content-signal-malformed", Error, "C10";
    /// A signal with an unknown name.
    ContentSignalUnknown: "content-signal-unknown", Error, "C10";
    /// A signal with a value that it does not have.
    ContentSignalValue: "content-signal-value", Error, "C10";
    /// `Content-Signals` as a key.
    ContentSignalsKey: "content-signals-key", Warning, "C9";
    /// A longer path without a label that a shorter one states.
    ShadowedPreference: "shadowed-preference", Warning, "U11";
    /// A named group without the statements of `*`.
    DroppedPreferences: "dropped-preferences", Warning, "C2";
    /// A statement that is set apart from its group.
    Floating: "floating", Warning, "C12";
    /// A License that is not an absolute URL.
    LicenseUrl: "license-url", Error, "L12";
    /// A property of TDMRep as a key.
    TdmInRobotsTxt: "tdm-in-robots-txt", Error, "T15";
    /// A reservation of a page that is neither 0 nor 1.
    TdmReservationValue: "tdm-reservation-value", Error, "T8";
    /// An unknown robots directive.
    RobotsDirectiveUnknown: "robots-directive-unknown", Warning, "X12";
    /// Robots directives that are not separated by commas.
    RobotsDirectiveSeparator: "robots-directive-separator", Error, "X12";
    /// A robots directive with a value that it does not have.
    RobotsDirectiveValue: "robots-directive-value", Error, "X10";
    /// A colon without a crawler in `X-Robots-Tag`.
    RobotsTagWithoutAgent: "robots-tag-without-agent", Error, "X4";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
