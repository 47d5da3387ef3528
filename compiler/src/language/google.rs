//! The conventional records exactly as google/robotstxt reads them (profile `google`).
//!
//! That parser has its own rules for a line's key and value, white space and NUL, so this file
//! takes only the division into lines from the tree and parses each line again. Comments mark each
//! difference from R1–R18.

use super::{Language, Lints, Source};
use crate::limits::OverLimit;
use crate::lowering::{Lowering, name_of, number};
use crate::policy::{Agent, Combiner, Sense};
use robomaton_formats::program::Silence;
use robomaton_formats::{Notation, agent, policy};

/// A line's buffer is 8 × 2,083 bytes, including the terminator; the rest of the line is lost.
const KEPT: usize = 8 * 2083 - 1;

pub(super) struct Google;

impl Language for Google {
    fn usages(&self) -> &'static [&'static str] {
        &["crawl"]
    }

    fn combiner(&self) -> Combiner {
        Combiner::LongestMatch
    }

    fn silence(&self, _usage: u16) -> Silence {
        Silence::Allowed
    }

    fn lints(&self) -> &'static [Lints] {
        &[Lints::Conventional]
    }

    fn lower<'s>(&self, source: &Source<'_, 's>, lowering: &mut Lowering<'s, '_>) -> Result<(), OverLimit> {
        let tree = source.tree;
        // True if a rule has closed the list of agents. Only allow and disallow do, including empty
        // ones.
        let mut closed = true;
        for (index, line) in tree.lines.iter().enumerate() {
            let Some((key, value)) = fields(tree.text(line.span)) else { continue };
            let starts = |spellings: &[&str]| {
                spellings.iter().any(|name| {
                    key.get(..name.len()).is_some_and(|key| key.eq_ignore_ascii_case(name.as_bytes()))
                })
            };
            // Keys are matched by prefix, in this order; `Allowed` is Allow and `Disallow-foo` is
            // Disallow.
            let sense = if starts(&["user-agent", "useragent", "user agent"]) {
                if std::mem::take(&mut closed) {
                    lowering.open(number(index))?;
                }
                lowering.agent(agent(value));
                continue;
            } else if starts(&["allow"]) {
                Sense::Permit
            } else if starts(&["disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"]) {
                Sense::Prohibit
            } else {
                continue;
            };
            closed = true;
            lowering.policy.has_records = true;
            let pattern = Notation::Google.pattern(value);
            if pattern.is_empty() {
                continue;
            }
            if sense == Sense::Permit
                && let Some(directory) = index_page(&pattern)
            {
                self.rule((policy::CRAWL, sense), directory.into(), number(index), lowering)?;
            }
            self.rule((policy::CRAWL, sense), pattern, number(index), lowering)?;
        }
        Ok(())
    }
}

/// `Allow: /dir/index.htm…` also allows `/dir/` itself, as if there were an `Allow: /dir/$`.
fn index_page(pattern: &[u8]) -> Option<Vec<u8>> {
    let slash = memchr::memrchr(b'/', pattern)?;
    pattern[slash..].starts_with(b"/index.htm").then(|| [&pattern[..=slash], b"$"].concat())
}

/// `*` alone or before white space means any crawler. Any other value is cut at the first byte
/// outside `[A-Za-z_-]`; an empty result is the name of a crawler whose name is the empty string.
fn agent(value: &[u8]) -> Agent<'_> {
    match value {
        [b'*'] => Agent::Any,
        [b'*', next, ..] if is_space(*next) => Agent::Any,
        _ => Agent::Named(name_of(agent::google_token(value))),
    }
}

/// Key and value of a line: the C string up to a NUL, a `#` or the end of the buffer, split at the
/// first colon or, without a colon, at white space if there are exactly two words. `None` if there
/// is no key.
fn fields(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = line.iter().position(|byte| matches!(byte, b'\r' | b'\n')).unwrap_or(line.len()).min(KEPT);
    let end = line[..end].iter().position(|byte| matches!(byte, 0 | b'#')).unwrap_or(end);
    let line = strip(&line[..end]);
    let colon = line.iter().position(|&byte| byte == b':');
    let separator = colon.or_else(|| {
        let gap = line.iter().position(is_gap)?;
        let value = &line[gap + line[gap..].iter().position(|byte| !is_gap(byte))?..];
        (!value.iter().any(is_gap)).then_some(gap)
    })?;
    let key = strip(&line[..separator]);
    (!key.is_empty()).then(|| (key, strip(&line[separator + 1..])))
}

fn is_gap(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// White space according to C's `isspace`.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0x0B | 0x0C | b'\r')
}

fn strip(text: &[u8]) -> &[u8] {
    let Some(start) = text.iter().position(|&byte| !is_space(byte)) else { return &[] };
    let end = text.iter().rposition(|&byte| !is_space(byte)).map_or(start, |last| last + 1);
    &text[start..end]
}
