//! A mistake in a statement: a code and the text that is wrong.
//!
//! Every parser of `modern` makes them; the compiler decides what a mistake means for a verdict and
//! turns it into a diagnostic. Invariant: a mistake is short, however long its source is. This file
//! does not know where in a source a mistake stands.

use std::fmt;

/// The longest text of a mistake, in characters. A longer one ends with an ellipsis.
const TEXT_LIMIT: usize = 120;

/// The subject of a [`Mistake`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MistakeCode {
    /// Something is longer, deeper or more numerous than a limit of the parser. What lies beyond is
    /// unread, so it may have stated anything.
    OverLimit,
    /// Not a dictionary of RFC 9651.
    MalformedDictionary,
    /// Text between the commas of a Content Signals line that is not a key, `=` and a value.
    MalformedSignal,
    /// A content signal with an unknown key.
    UnknownSignal,
    /// A content signal with a value that its key does not have.
    InvalidSignalValue,
    /// A colon without the name of a crawler before it, in `X-Robots-Tag`.
    EmptyAgent,
    /// An unknown robots directive.
    UnknownDirective,
    /// A robots directive with a value that it does not have, or without the value that it needs.
    InvalidDirectiveValue,
    /// A `tdmrep.json` file whose array is not JSON.
    MalformedJson,
    /// A `tdmrep.json` file that ends inside its array.
    CutJson,
    /// A `tdmrep.json` file that does not begin an array.
    NotAnArray,
    /// An element of a `tdmrep.json` file that is not an object.
    NotAnObject,
    /// A rule of TDMRep without a location, or with one that is empty or not a string.
    InvalidLocation,
    /// A rule of TDMRep without a reservation, or with one that is neither 0 nor 1.
    InvalidReservation,
    /// A policy of TDMRep that is empty or not a string.
    InvalidPolicy,
    /// Not well-formed XML, or not UTF-8.
    MalformedXml,
    /// XML with a document type declaration.
    DocumentType,
    /// The root element of an RSL document is in another namespace.
    WrongNamespace,
    /// An unknown element in the namespace of RSL, or a known one in the wrong place.
    UnknownElement,
    /// An unknown attribute of an RSL element.
    UnknownAttribute,
    /// An RSL element without an element that it must contain.
    MissingElement,
    /// An RSL element without an attribute that it must have.
    MissingAttribute,
    /// An attribute of an RSL element with a value that it does not have.
    InvalidAttribute,
    /// A second RSL element where one is allowed.
    RepeatedElement,
    /// Text in an RSL element that contains elements only.
    UnexpectedText,
    /// A list of RSL tokens that is separated by commas, as in version 0.9.
    CommaList,
}

impl MistakeCode {
    /// Every code.
    pub const ALL: [MistakeCode; 26] = [
        MistakeCode::OverLimit,
        MistakeCode::MalformedDictionary,
        MistakeCode::MalformedSignal,
        MistakeCode::UnknownSignal,
        MistakeCode::InvalidSignalValue,
        MistakeCode::EmptyAgent,
        MistakeCode::UnknownDirective,
        MistakeCode::InvalidDirectiveValue,
        MistakeCode::MalformedJson,
        MistakeCode::CutJson,
        MistakeCode::NotAnArray,
        MistakeCode::NotAnObject,
        MistakeCode::InvalidLocation,
        MistakeCode::InvalidReservation,
        MistakeCode::InvalidPolicy,
        MistakeCode::MalformedXml,
        MistakeCode::DocumentType,
        MistakeCode::WrongNamespace,
        MistakeCode::UnknownElement,
        MistakeCode::UnknownAttribute,
        MistakeCode::MissingElement,
        MistakeCode::MissingAttribute,
        MistakeCode::InvalidAttribute,
        MistakeCode::RepeatedElement,
        MistakeCode::UnexpectedText,
        MistakeCode::CommaList,
    ];

    /// The name in messages and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            MistakeCode::OverLimit => "over-limit",
            MistakeCode::MalformedDictionary => "malformed-dictionary",
            MistakeCode::MalformedSignal => "malformed-signal",
            MistakeCode::UnknownSignal => "unknown-signal",
            MistakeCode::InvalidSignalValue => "invalid-signal-value",
            MistakeCode::EmptyAgent => "empty-agent",
            MistakeCode::UnknownDirective => "unknown-directive",
            MistakeCode::InvalidDirectiveValue => "invalid-directive-value",
            MistakeCode::MalformedJson => "malformed-json",
            MistakeCode::CutJson => "cut-json",
            MistakeCode::NotAnArray => "not-an-array",
            MistakeCode::NotAnObject => "not-an-object",
            MistakeCode::InvalidLocation => "invalid-location",
            MistakeCode::InvalidReservation => "invalid-reservation",
            MistakeCode::InvalidPolicy => "invalid-policy",
            MistakeCode::MalformedXml => "malformed-xml",
            MistakeCode::DocumentType => "document-type",
            MistakeCode::WrongNamespace => "wrong-namespace",
            MistakeCode::UnknownElement => "unknown-element",
            MistakeCode::UnknownAttribute => "unknown-attribute",
            MistakeCode::MissingElement => "missing-element",
            MistakeCode::MissingAttribute => "missing-attribute",
            MistakeCode::InvalidAttribute => "invalid-attribute",
            MistakeCode::RepeatedElement => "repeated-element",
            MistakeCode::UnexpectedText => "unexpected-text",
            MistakeCode::CommaList => "comma-list",
        }
    }
}

impl fmt::Display for MistakeCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A mistake in a statement or a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The subject.
    pub code: MistakeCode,
    /// The piece of the source that is wrong, or the reason if the whole is; at most 120 characters
    /// and an ellipsis. Bytes that are not UTF-8 are replaced.
    pub text: String,
}

impl Mistake {
    pub(super) fn new(code: MistakeCode, text: impl AsRef<str>) -> Mistake {
        let text = text.as_ref();
        let text = match text.char_indices().nth(TEXT_LIMIT) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text.to_owned(),
        };
        Mistake { code, text }
    }

    pub(super) fn of_bytes(code: MistakeCode, bytes: &[u8]) -> Mistake {
        // No character has more than four bytes, so the head holds more characters than are kept.
        let head = &bytes[..bytes.len().min(4 * (TEXT_LIMIT + 1))];
        Mistake::new(code, String::from_utf8_lossy(head))
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.text)
    }
}

impl std::error::Error for Mistake {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct() {
        let names: std::collections::BTreeSet<_> = MistakeCode::ALL.iter().map(|code| code.name()).collect();
        assert_eq!(names.len(), MistakeCode::ALL.len());
    }

    #[test]
    fn the_text_of_a_mistake_is_short() {
        let long = "é".repeat(100_000);
        let text = Mistake::of_bytes(MistakeCode::OverLimit, long.as_bytes()).text;
        assert_eq!(text, format!("{}…", "é".repeat(TEXT_LIMIT)));
        assert_eq!(Mistake::new(MistakeCode::OverLimit, &long).text, text);
        assert_eq!(Mistake::of_bytes(MistakeCode::OverLimit, b"a\xFF").text, "a\u{FFFD}");
        let exact = "x".repeat(TEXT_LIMIT);
        assert_eq!(Mistake::new(MistakeCode::OverLimit, &exact).text, exact);
    }
}
