//! Content Signals: `search=yes, ai-train=no`, in lines of robots.txt and in headers.
//!
//! [`path`](super::path) or a header gives the text. The language has no published ABNF; this
//! follows its policy text of September 2025 and the key `use` of July 2026. Invariants: a signal
//! that is not understood states nothing and does not affect the others; signals stay in order,
//! repeated ones included. This file does not know how signals combine.

use super::{Mistake, MistakeCode, trim};

/// The greatest number of signals in a line, empty and malformed ones included. Real lines have at
/// most four.
pub const SIGNAL_LIMIT: usize = 1000;

/// The signals of one line or header field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signals {
    /// The signals in order; a key may occur several times.
    pub signals: Vec<Signal>,
    /// The text that is no signal. [`MistakeCode::OverLimit`] is the last one, if there are more
    /// than [`SIGNAL_LIMIT`]: what follows is unread.
    pub mistakes: Vec<Mistake>,
}

/// One content signal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    /// The key in lower case: `search`, `ai-input`, `ai-train` or `use`.
    pub key: String,
    /// The value.
    pub value: SignalValue,
}

/// The value of a [`Signal`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SignalValue {
    /// `yes`: content may be collected for the usage.
    Yes,
    /// `no`: content may not be collected for the usage.
    No,
    /// The value of `use`.
    Level(Level),
}

/// How much may be done with content, from least to most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Used at once and not retained.
    Immediate,
    /// Retained, indexed and cited.
    Reference,
    /// Unrestricted, training included.
    Full,
}

/// Parses the signals of a line, without its path, or those of a header field.
///
/// Keys and values are compared without regard to case. A piece of text between two commas may be
/// empty.
///
/// ```
/// use robomaton_grammar::modern::signal::{SignalValue, content_signal};
///
/// let signals = content_signal(b"Search=yes, ai-train = no, ai-input=maybe");
/// assert_eq!(signals.signals[1].key, "ai-train");
/// assert_eq!(signals.signals[1].value, SignalValue::No);
/// assert_eq!(signals.mistakes[0].text, "ai-input=maybe");
/// ```
pub fn content_signal(text: &[u8]) -> Signals {
    let mut result = Signals::default();
    let mut pieces = text.split(|&byte| byte == b',');
    for piece in pieces.by_ref().take(SIGNAL_LIMIT).map(trim).filter(|piece| !piece.is_empty()) {
        match signal(piece) {
            Ok(signal) => result.signals.push(signal),
            Err(code) => result.mistakes.push(Mistake::of_bytes(code, piece)),
        }
    }
    if pieces.next().is_some() {
        let reason = format!("more than {SIGNAL_LIMIT} signals");
        result.mistakes.push(Mistake::new(MistakeCode::OverLimit, reason));
    }
    result
}

fn signal(piece: &[u8]) -> Result<Signal, MistakeCode> {
    let equals = memchr::memchr(b'=', piece).ok_or(MistakeCode::MalformedSignal)?;
    let (key, value) = (trim(&piece[..equals]), trim(&piece[equals + 1..]));
    let is = |value: &[u8], name: &str| value.eq_ignore_ascii_case(name.as_bytes());
    let known = ["search", "ai-input", "ai-train", "use"].into_iter().find(|name| is(key, name));
    let key = known.ok_or(MistakeCode::UnknownSignal)?;
    let values: &[(&str, SignalValue)] = match key {
        "use" => &[
            ("immediate", SignalValue::Level(Level::Immediate)),
            ("reference", SignalValue::Level(Level::Reference)),
            ("full", SignalValue::Level(Level::Full)),
        ],
        _ => &[("yes", SignalValue::Yes), ("no", SignalValue::No)],
    };
    let value = values.iter().find(|(name, _)| is(value, name));
    let (_, value) = *value.ok_or(MistakeCode::InvalidSignalValue)?;
    Ok(Signal { key: key.to_owned(), value })
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use MistakeCode::{InvalidSignalValue, MalformedSignal, UnknownSignal};
    use SignalValue::{No, Yes};

    #[track_caller]
    fn reads(text: &str, signals: &[(&str, SignalValue)], mistakes: &[(MistakeCode, &str)]) {
        let read = content_signal(text.as_bytes());
        let pairs: Vec<_> = read.signals.iter().map(|signal| (signal.key.as_str(), signal.value)).collect();
        assert_eq!(pairs, signals, "{text}");
        let pairs: Vec<_> = read.mistakes.iter().map(|it| (it.code, it.text.as_str())).collect();
        assert_eq!(pairs, mistakes, "{text}");
    }

    #[test]
    fn signals_of_real_files() {
        reads("search=yes,ai-train=no", &[("search", Yes), ("ai-train", No)], &[]);
        let all = [("ai-train", Yes), ("search", Yes), ("ai-input", Yes)];
        reads("ai-train=yes, search=yes, ai-input=yes", &all, &[]);
        reads("AI-Train = No", &[("ai-train", No)], &[]);
        reads(" \tsearch\t=\tYES ,ai-input=no\t", &[("search", Yes), ("ai-input", No)], &[]);
        reads("", &[], &[]);
        reads(" \t", &[], &[]);
    }

    #[test]
    fn repeated_keys_stay() {
        reads("ai-train=no, ai-train=yes", &[("ai-train", No), ("ai-train", Yes)], &[]);
    }

    #[test]
    fn the_key_use_has_levels() {
        let level = |level| [("use", SignalValue::Level(level))];
        reads("use=immediate", &level(Level::Immediate), &[]);
        reads("Use=Reference", &level(Level::Reference), &[]);
        reads("use=full", &level(Level::Full), &[]);
        assert!(Level::Immediate < Level::Reference && Level::Reference < Level::Full);
        reads("use=yes", &[], &[(InvalidSignalValue, "use=yes")]);
        reads("search=full", &[], &[(InvalidSignalValue, "search=full")]);
    }

    #[test]
    fn a_bad_signal_does_not_affect_others() {
        let mistake = (InvalidSignalValue, "ai-train=maybe");
        reads("ai-train=maybe, search=yes", &[("search", Yes)], &[mistake]);
        let mistake = (InvalidSignalValue, "search=yes;ai-train=no");
        reads("search=yes;ai-train=no", &[], &[mistake]);
        reads("ai-train: no", &[], &[(MalformedSignal, "ai-train: no")]);
        reads("ai-train=false", &[], &[(InvalidSignalValue, "ai-train=false")]);
        reads("ai-train=\"no\"", &[], &[(InvalidSignalValue, "ai-train=\"no\"")]);
        reads("ai-train=", &[], &[(InvalidSignalValue, "ai-train=")]);
        reads("train-ai=no", &[], &[(UnknownSignal, "train-ai=no")]);
        reads("=no", &[], &[(UnknownSignal, "=no")]);
        let mistake = (InvalidSignalValue, "search=yes ai-train=no");
        reads("search=yes ai-train=no, ai-input=no", &[("ai-input", No)], &[mistake]);
        reads("search=yes,,ai-train=no,", &[("search", Yes), ("ai-train", No)], &[]);
        let read = content_signal(b"ai-train=n\xF6");
        assert_eq!(read.mistakes, [Mistake::new(InvalidSignalValue, "ai-train=n\u{FFFD}")]);
    }

    #[test]
    fn a_limit_bounds_a_line() {
        let most = content_signal("ai-train=no,".repeat(SIGNAL_LIMIT)[..].trim_end_matches(',').as_bytes());
        assert_eq!((most.signals.len(), most.mistakes.len()), (SIGNAL_LIMIT, 0));
        let start = Instant::now();
        for piece in ["ai-train=no,", "x,", ",", "===,", "ai-train=maybe,"] {
            let read = content_signal(piece.repeat(100_000).as_bytes());
            assert!(read.signals.len() + read.mistakes.len() <= SIGNAL_LIMIT + 1);
            assert_eq!(read.mistakes.last().unwrap().code, MistakeCode::OverLimit);
        }
        let long = format!("ai-train={}", "no".repeat(10_000_000));
        assert_eq!(content_signal(long.as_bytes()).mistakes[0].code, InvalidSignalValue);
        assert!(start.elapsed() < Duration::from_secs(5));
    }
}
