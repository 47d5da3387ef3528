//! What a diagnostic is: a code, a place, a sentence, and perhaps a second place.
//!
//! `diagnose` makes them; the command line draws them with carets, and the compiler adds none of its own here.
//! Invariant: a code's name, severity and rule never depend on the input. This file knows no tree.

use std::fmt;

use crate::Span;

/// How much a diagnostic matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The line has no effect, though it was surely meant to have one.
    Error,
    /// The line was read otherwise than a strict reader would read it; crawlers will differ.
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

/// What a diagnostic is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    /// The source begins with a byte order mark, or with a part of one.
    ByteOrderMark,
    /// A line is not UTF-8. Its octets are kept as they are.
    NotUtf8,
    /// A line has a NUL or another control character in it.
    ControlCharacter,
    /// A key and a value with white space, but no colon, between them.
    MissingColon,
    /// A key in a tolerated wrong spelling.
    MisspelledKey,
    /// A key that nobody knows.
    UnknownKey,
    /// Text that is no record.
    MalformedLine,
    /// The source is longer than the limit.
    OverLimit,
    /// A user-agent line without a product token.
    NoProductToken,
    /// Text after the product token of a user-agent line.
    TextAfterToken,
    /// A product token that has been named before.
    RepeatedAgent,
    /// A group without allow or disallow lines.
    GroupWithoutRules,
    /// A rule before any user-agent line.
    RuleBeforeGroup,
    /// A rule whose value begins with neither `/` nor `*`.
    NoLeadingSlash,
    /// A rule whose value is an absolute URL.
    AbsoluteUrl,
    /// A record of an extension key that says nothing.
    EmptyValue,
}

impl Code {
    /// Every code, in the order of the rules.
    pub const ALL: [Code; 16] = [
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
        }
    }

    /// How much it matters.
    pub const fn severity(self) -> Severity {
        match self {
            Code::MalformedLine | Code::OverLimit | Code::NoProductToken | Code::RuleBeforeGroup => {
                Severity::Error
            }
            Code::NotUtf8
            | Code::ControlCharacter
            | Code::MissingColon
            | Code::MisspelledKey
            | Code::NoLeadingSlash
            | Code::AbsoluteUrl
            | Code::EmptyValue => Severity::Warning,
            Code::ByteOrderMark
            | Code::UnknownKey
            | Code::TextAfterToken
            | Code::RepeatedAgent
            | Code::GroupWithoutRules => Severity::Note,
        }
    }

    /// The number of the rule it rests on, as GRAMMAR.md lists them.
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
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One remark about a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What it is about.
    pub code: Code,
    /// Where.
    pub span: Span,
    /// What is the matter, in one sentence without a full stop.
    pub message: String,
    /// Another place that explains this one, and why.
    pub second: Option<(Span, String)>,
}
