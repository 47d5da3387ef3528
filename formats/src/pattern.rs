//! The meaning of patterns: the naive matcher, and the parts from which automata are built.
//!
//! A [`Pattern`] is canonical text ([`crate::notation`]) with its notation. The matcher defines the
//! results against which every automaton is tested, and the cold path uses it to find the deciding
//! rule. Invariants: linear in pattern plus target for each star-free piece; no recursion. This
//! file does not know senses, ranks, usages or files.

use crate::notation::{Notation, is_literal};
use std::borrow::Cow;

/// A path pattern in canonical form (R10, R11). Cheap to copy; borrows its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pattern<'p> {
    /// Canonical text including wildcards. R12 counts its length.
    pub text: &'p [u8],
    /// The notation of the text.
    pub notation: Notation,
}

/// A pattern split at its stars.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Parts<'p> {
    /// The bytes before the first star (all bytes if there is no star).
    pub prefix: Cow<'p, [u8]>,
    /// The non-empty runs of bytes between and after the stars, in order.
    pub segments: Vec<Cow<'p, [u8]>>,
    /// The last part must end where the target ends. False if a star comes directly before the `$`.
    pub anchored: bool,
}

impl<'p> Pattern<'p> {
    /// The text without its anchor, and true if there was one.
    fn body(&self) -> (&'p [u8], bool) {
        match self.text {
            [body @ .., b'$'] if self.notation != Notation::Koster => (body, true),
            body => (body, false),
        }
    }

    /// True if the pattern matches what begins with its text, as in every notation without `*`, `$`
    /// and `%`. False for some others that do.
    #[inline]
    pub fn is_literal(&self) -> bool {
        is_literal(self.text)
    }

    /// True if the pattern contains a star.
    pub fn has_star(&self) -> bool {
        self.notation != Notation::Koster && memchr::memchr(b'*', self.text).is_some()
    }

    /// The number of stars; none in Koster's notation, where a star stands for itself.
    pub fn stars(&self) -> usize {
        let has_none = self.notation == Notation::Koster || self.is_literal();
        if has_none { 0 } else { memchr::memchr_iter(b'*', self.text).count() }
    }

    /// The bytes that a star-free piece of the text stands for.
    fn bytes(&self, piece: &'p [u8]) -> Cow<'p, [u8]> {
        // Only these notations can escape a wildcard character (R10).
        let escapes = matches!(self.notation, Notation::Rep | Notation::Acap);
        if !escapes || memchr::memchr(b'%', piece).is_none() {
            return Cow::Borrowed(piece);
        }
        let mut out = Vec::with_capacity(piece.len());
        let mut rest = piece;
        while let Some((&first, tail)) = rest.split_first() {
            (rest, _) = match rest {
                [b'%', b'2', b'A', tail @ ..] => (tail, out.push(b'*')),
                [b'%', b'2', b'4', tail @ ..] => (tail, out.push(b'$')),
                _ => (tail, out.push(first)),
            };
        }
        Cow::Owned(out)
    }

    /// Splits the pattern at its stars. `X*$` becomes the prefix `X`, and a run of stars counts as
    /// one.
    pub fn parts(&self) -> Parts<'p> {
        if self.is_literal() {
            return Parts { prefix: Cow::Borrowed(self.text), segments: Vec::new(), anchored: false };
        }
        let (body, anchor) = self.body();
        if !self.has_star() {
            return Parts { prefix: self.bytes(body), segments: Vec::new(), anchored: anchor };
        }
        let mut pieces = body.split(|&byte| byte == b'*');
        let prefix = self.bytes(pieces.next().unwrap_or_default());
        let segments = pieces.filter(|piece| !piece.is_empty()).map(|piece| self.bytes(piece)).collect();
        Parts { prefix, segments, anchored: anchor && body.last() != Some(&b'*') }
    }

    /// True if the pattern matches a canonical target. Naive, and the definition of matching (R11).
    ///
    /// Each piece is matched at its first position after the previous piece, which never loses a
    /// match. The last piece of an anchored pattern is matched at the very end.
    pub fn matches(&self, target: &[u8]) -> bool {
        let Parts { prefix, segments, anchored } = self.parts();
        let Some(mut rest) = target.strip_prefix(prefix.as_ref()) else { return false };
        let Some((last, inner)) = segments.split_last() else { return !anchored || rest.is_empty() };
        for segment in inner {
            match memchr::memmem::find(rest, segment) {
                Some(at) => rest = rest.get(at + segment.len()..).unwrap_or_default(),
                None => return false,
            }
        }
        if anchored { rest.ends_with(last) } else { memchr::memmem::find(rest, last).is_some() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rep(text: &str, target: &str) -> bool {
        Pattern { text: text.as_bytes(), notation: Notation::Rep }.matches(target.as_bytes())
    }

    #[test]
    fn wildcards() {
        for (pattern, target, expected) in [
            ("/a", "/ab", true),
            ("/a$", "/ab", false),
            ("/a$", "/a", true),
            ("/a$b", "/a$bc", true),
            ("/*.php$", "/x.php.php", true),
            ("/*aa*aa", "/aaa", false),
            ("/*aa*aa", "/aaaa", true),
            ("/x*$", "/xyz", true),
            ("/**", "/", true),
            ("*", "/", true),
            ("/a%2Ab", "/a*b", true),
            ("/a%24", "/a$", true),
            ("/a%24", "/a", false),
            ("*$", "/x", true),
            ("$", "", true),
        ] {
            assert_eq!(rep(pattern, target), expected, "{pattern} on {target}");
        }
    }

    #[test]
    fn koster_has_no_wildcards() {
        let pattern = Pattern { text: b"/a*$", notation: Notation::Koster };
        assert!(pattern.matches(b"/a*$b") && !pattern.matches(b"/ab"));
    }
}
