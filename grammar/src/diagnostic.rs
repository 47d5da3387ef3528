//! Diagnostics: a code, a place, a sentence, and optionally a second place.
//!
//! `diagnose` makes them; the command line draws them with carets, and the compiler adds none of
//! its own here. Invariant: a code's name, severity and rule do not depend on the input. This file
//! knows no tree.

use std::fmt;

use crate::Span;

/// The importance of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The line, or a part of it, has no effect, although one was clearly intended.
    Error,
    /// The line was read differently than by a strict reader; crawlers will differ.
    Warning,
    /// Worth knowing.
    Note,
}

impl Severity {
    /// The name in messages and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The subject of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    /// The source begins with a byte order mark, or with a part of one.
    ByteOrderMark,
    /// A line is not UTF-8. Its bytes are kept unchanged.
    NotUtf8,
    /// A line contains a NUL or another control character.
    ControlCharacter,
    /// A key and a value separated by white space instead of a colon.
    MissingColon,
    /// A tolerated misspelling of a key.
    MisspelledKey,
    /// An unknown key.
    UnknownKey,
    /// Text that is not a record.
    MalformedLine,
    /// The source is longer than the limit.
    OverLimit,
    /// A user-agent line without a product token.
    NoProductToken,
    /// Text after the product token of a user-agent line.
    TextAfterToken,
    /// A product token that occurred before.
    RepeatedAgent,
    /// A group without allow or disallow lines.
    GroupWithoutRules,
    /// A rule before any user-agent line.
    RuleBeforeGroup,
    /// A rule whose value begins with neither `/` nor `*`.
    NoLeadingSlash,
    /// A rule whose value is an absolute URL.
    AbsoluteUrl,
    /// An extension record without a value.
    EmptyValue,
    /// An ACAP field with a known key but a malformed value.
    AcapMalformedField,
    /// An unknown key that begins with `ACAP-`.
    AcapUnknownField,
    /// An ACAP field without a value.
    AcapEmptyValue,
    /// A version comment with an unknown version, or without one.
    AcapVersion,
    /// A version comment after another comment or record, or after another version comment.
    AcapVersionNotFirst,
    /// The directive to ignore conventional records after another ACAP field.
    AcapLateDirective,
    /// More than one record for any crawler.
    AcapRepeatedAnyCrawler,
    /// A record for any crawler and for named ones.
    AcapAnyCrawlerWithNames,
    /// A permissions reference in a record that has other fields.
    AcapReferenceNotAlone,
    /// An action request in a sub-record.
    AcapRequestInSubRecord,
    /// A qualifier in a permission for a local usage.
    AcapQualifiedLocalUsage,
    /// A qualifier in a prohibition.
    AcapQualifiedProhibition,
    /// A prohibition of a local usage.
    AcapLocalProhibition,
    /// An absolute URL, with or without its scheme, as a path pattern.
    AcapAbsoluteUrl,
    /// `acap:` in a version that uses `the-acap:`, or the reverse.
    AcapPrefix,
    /// A usage that exists only in version 0.2: `present-extract`, `present-oldextract`.
    AcapExtract,
    /// An action request with an unknown action.
    AcapUnknownAction,
    /// A definition after the first record.
    AcapLateDefinition,
    /// A qualifier with a malformed value, or a word that is not a qualifier.
    AcapQualifierValue,
}

impl Code {
    /// Every code, in rule order.
    pub const ALL: [Code; 35] = [
        Code::ByteOrderMark,
        Code::NotUtf8,
        Code::ControlCharacter,
        Code::MissingColon,
        Code::MisspelledKey,
        Code::UnknownKey,
        Code::MalformedLine,
        Code::OverLimit,
        Code::NoProductToken,
        Code::TextAfterToken,
        Code::RepeatedAgent,
        Code::GroupWithoutRules,
        Code::RuleBeforeGroup,
        Code::NoLeadingSlash,
        Code::AbsoluteUrl,
        Code::EmptyValue,
        Code::AcapMalformedField,
        Code::AcapUnknownField,
        Code::AcapEmptyValue,
        Code::AcapVersion,
        Code::AcapVersionNotFirst,
        Code::AcapLateDirective,
        Code::AcapRepeatedAnyCrawler,
        Code::AcapAnyCrawlerWithNames,
        Code::AcapReferenceNotAlone,
        Code::AcapRequestInSubRecord,
        Code::AcapQualifiedLocalUsage,
        Code::AcapQualifiedProhibition,
        Code::AcapLocalProhibition,
        Code::AcapAbsoluteUrl,
        Code::AcapPrefix,
        Code::AcapExtract,
        Code::AcapUnknownAction,
        Code::AcapLateDefinition,
        Code::AcapQualifierValue,
    ];

    /// The name in messages, JSON and configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Code::ByteOrderMark => "byte-order-mark",
            Code::NotUtf8 => "not-utf-8",
            Code::ControlCharacter => "control-character",
            Code::MissingColon => "missing-colon",
            Code::MisspelledKey => "misspelled-key",
            Code::UnknownKey => "unknown-key",
            Code::MalformedLine => "malformed-line",
            Code::OverLimit => "over-limit",
            Code::NoProductToken => "no-product-token",
            Code::TextAfterToken => "text-after-token",
            Code::RepeatedAgent => "repeated-agent",
            Code::GroupWithoutRules => "group-without-rules",
            Code::RuleBeforeGroup => "rule-before-group",
            Code::NoLeadingSlash => "no-leading-slash",
            Code::AbsoluteUrl => "absolute-url",
            Code::EmptyValue => "empty-value",
            Code::AcapMalformedField => "acap-malformed-field",
            Code::AcapUnknownField => "acap-unknown-field",
            Code::AcapEmptyValue => "acap-empty-value",
            Code::AcapVersion => "acap-version",
            Code::AcapVersionNotFirst => "acap-version-not-first",
            Code::AcapLateDirective => "acap-late-directive",
            Code::AcapRepeatedAnyCrawler => "acap-repeated-any-crawler",
            Code::AcapAnyCrawlerWithNames => "acap-any-crawler-with-names",
            Code::AcapReferenceNotAlone => "acap-reference-not-alone",
            Code::AcapRequestInSubRecord => "acap-request-in-sub-record",
            Code::AcapQualifiedLocalUsage => "acap-qualified-local-usage",
            Code::AcapQualifiedProhibition => "acap-qualified-prohibition",
            Code::AcapLocalProhibition => "acap-local-prohibition",
            Code::AcapAbsoluteUrl => "acap-absolute-url",
            Code::AcapPrefix => "acap-prefix",
            Code::AcapExtract => "acap-extract",
            Code::AcapUnknownAction => "acap-unknown-action",
            Code::AcapLateDefinition => "acap-late-definition",
            Code::AcapQualifierValue => "acap-qualifier-value",
        }
    }

    /// The severity.
    pub const fn severity(self) -> Severity {
        match self {
            Code::MalformedLine
            | Code::OverLimit
            | Code::NoProductToken
            | Code::RuleBeforeGroup
            | Code::AcapMalformedField
            | Code::AcapUnknownField
            | Code::AcapEmptyValue
            | Code::AcapQualifiedProhibition
            | Code::AcapLocalProhibition
            | Code::AcapAbsoluteUrl
            | Code::AcapUnknownAction
            | Code::AcapQualifierValue => Severity::Error,
            Code::NotUtf8
            | Code::ControlCharacter
            | Code::MissingColon
            | Code::MisspelledKey
            | Code::NoLeadingSlash
            | Code::AbsoluteUrl
            | Code::EmptyValue
            | Code::AcapVersion
            | Code::AcapLateDirective
            | Code::AcapRepeatedAnyCrawler
            | Code::AcapAnyCrawlerWithNames
            | Code::AcapReferenceNotAlone
            | Code::AcapRequestInSubRecord
            | Code::AcapQualifiedLocalUsage
            | Code::AcapPrefix
            | Code::AcapExtract
            | Code::AcapLateDefinition => Severity::Warning,
            Code::ByteOrderMark
            | Code::UnknownKey
            | Code::TextAfterToken
            | Code::RepeatedAgent
            | Code::GroupWithoutRules
            | Code::AcapVersionNotFirst => Severity::Note,
        }
    }

    /// The number of the rule that it is based on, as listed in GRAMMAR.md.
    pub const fn rule(self) -> &'static str {
        match self {
            Code::ByteOrderMark | Code::NotUtf8 | Code::ControlCharacter => "R1",
            Code::MissingColon | Code::MisspelledKey | Code::UnknownKey | Code::MalformedLine => "R3",
            Code::OverLimit => "R4",
            Code::NoProductToken | Code::TextAfterToken => "R5",
            Code::RepeatedAgent | Code::GroupWithoutRules => "R7",
            Code::RuleBeforeGroup => "R8",
            Code::NoLeadingSlash | Code::AbsoluteUrl => "R14",
            Code::EmptyValue => "R18",
            Code::AcapMalformedField | Code::AcapUnknownField | Code::AcapEmptyValue => "V1",
            Code::AcapVersion | Code::AcapVersionNotFirst => "V3",
            Code::AcapLateDirective => "V4",
            Code::AcapRepeatedAnyCrawler | Code::AcapAnyCrawlerWithNames => "V10",
            Code::AcapReferenceNotAlone => "V11",
            Code::AcapRequestInSubRecord => "V20",
            Code::AcapQualifiedLocalUsage => "V23",
            Code::AcapQualifiedProhibition | Code::AcapLocalProhibition => "V24",
            Code::AcapAbsoluteUrl | Code::AcapPrefix => "V25",
            Code::AcapExtract => "V27",
            Code::AcapUnknownAction => "V40",
            Code::AcapLateDefinition => "V41",
            Code::AcapQualifierValue => "V55",
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One diagnostic about a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The subject.
    pub code: Code,
    /// The place.
    pub span: Span,
    /// The problem in one sentence without a full stop.
    pub message: String,
    /// Another place that explains this one, and the reason.
    pub second: Option<(Span, String)>,
}

/// True if a value has a scheme followed by `://`.
pub(crate) fn is_absolute(value: &[u8]) -> bool {
    let scheme = value.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    scheme > 0 && value[scheme..].starts_with(b"://")
}

/// A piece of the source for a message: printable and of bounded length.
pub(crate) fn quote(text: &[u8]) -> String {
    const LONGEST: usize = 40;
    match text.get(..LONGEST) {
        Some(start) if text.len() > LONGEST => format!("`{}...`", start.escape_ascii()),
        _ => format!("`{}`", text.escape_ascii()),
    }
}
