//! Patterns from a corpus's words and forms, and invented names in place of rare ones.
//!
//! A *form* is a pattern with each run of letters, digits, `-` and `_` replaced by `W`, and each
//! escape by `E`. Words are drawn by their place in the form, so that `/wp-admin/` and `/*.pdf$`
//! are as frequent as in real files. The rules of a list share prefixes of the same lengths as
//! those of the real list with its shape. It does not know senses or groups.

use super::model::{Body, List};
use super::statistics::{KINDS, PLACES, Statistics};
use robomaton_tests::generate::Random;
use std::collections::HashSet;

/// Attempts to find a pattern of about the desired length.
const TRIES: usize = 8;
/// The number of rules per rare word of a list; found by trial, so that it compresses like real
/// lists.
const STOCK: usize = 6;

/// A piece of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece<'p> {
    /// A word and its place, below [`PLACES`].
    Word(&'p str, usize),
    /// An escape.
    Escape,
    /// Any other character.
    Other(char),
}

/// The place of a word, by the character before it and the number of earlier words.
fn place(before: char, words: usize) -> usize {
    match before {
        '.' => 1,
        '?' | '&' | '=' => 2,
        _ if words == 0 => 0,
        _ => PLACES - 1,
    }
}

/// Splits a pattern into pieces.
pub(super) fn pieces(pattern: &str) -> Vec<Piece<'_>> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let (mut pieces, mut at, mut words) = (Vec::new(), 0, 0);
    let mut before = '\0';
    while let Some(next) = pattern[at..].chars().next() {
        let rest = &pattern[at..];
        let word = rest.bytes().take_while(is_word).count();
        if word > 0 {
            pieces.push(Piece::Word(&rest[..word], place(before, words)));
            words += 1;
            at += word;
        } else if rest.len() > 2 && next == '%' && rest.bytes().skip(1).take(2).all(|o| o.is_ascii_hexdigit())
        {
            pieces.push(Piece::Escape);
            at += 3;
        } else {
            pieces.push(Piece::Other(next));
            at += next.len_utf8();
        }
        before = next;
    }
    pieces
}

/// The form of a pattern.
pub(super) fn form(pattern: &str) -> String {
    let letter = |piece: &Piece<'_>| match piece {
        Piece::Word(..) => 'W',
        Piece::Escape => 'E',
        Piece::Other(letter) => *letter,
    };
    pieces(pattern).iter().map(letter).collect()
}

/// The kind of a pattern, below [`KINDS`].
pub(super) fn kind(pattern: &str) -> usize {
    (usize::from(pattern.contains('*')) + 2 * usize::from(pattern.ends_with('$'))) % KINDS
}

/// A new name of about this many bytes, made of syllables.
pub(super) fn syllables(bytes: usize, random: &mut Random, out: &mut String) {
    let end = out.len() + bytes;
    while out.len() < end {
        out.push(char::from(random.pick(b"bcdfghklmnprstvwz")));
        if out.len() < end {
            out.push(char::from(random.pick(b"aeiouaeioy")));
        }
    }
}

/// One pattern of a kind, from the root. Rare words come from a stock: `rare` is its seed and its
/// size.
fn pattern(statistics: &Statistics, kind: usize, rare: (u64, usize), random: &mut Random) -> String {
    let mut out = String::new();
    let form = statistics.forms[kind].draw(random).unwrap_or(["/W/", "/*W", "/W$", "/*.W$"][kind]);
    let (mut words, mut before) = (0, '\0');
    for letter in form.chars() {
        match letter {
            'W' => {
                match statistics.words[place(before, words)].draw(random) {
                    Ok(word) => out.push_str(word),
                    Err(bytes) => {
                        let word = rare.0.wrapping_add(random.below(rare.1) as u64);
                        syllables(bytes.max(1), &mut Random::new(word), &mut out);
                    }
                }
                words += 1;
            }
            'E' => out.push_str(random.pick(&["%20", "%C3%A9", "%2F", "%3D"])),
            other => out.push(other),
        }
        before = letter;
    }
    out
}

/// Replaces the root by the beginning of another pattern: at most `bytes` of it, and no star unless
/// one is allowed.
fn begin_as(before: &str, bytes: usize, with_star: bool, pattern: &mut String) {
    let plain = if with_star { before.len() } else { before.find('*').unwrap_or(before.len()) };
    let end = bytes.min(plain).min(before.trim_end_matches('$').len());
    if end > 1 && pattern.starts_with('/') && before.is_char_boundary(end) {
        pattern.replace_range(..1, &before[..end]);
    }
}

/// The length of the common prefix of two texts in bytes.
pub(super) fn shared(a: &str, b: &str) -> usize {
    a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count()
}

/// A list of rules of this shape: true for a permission, and the pattern.
pub(super) fn rules(statistics: &Statistics, shape: Body, random: &mut Random) -> List {
    let mut rules: List = Vec::with_capacity(shape.rules as usize);
    let mut known: HashSet<String> = HashSet::new();
    let (mut bytes, mut allows, mut alike) = (u64::from(shape.bytes), shape.allows, u64::from(shape.shared));
    let (mut starred, mut anchored) = (shape.starred, shape.anchored);
    let stock = random.next_u64();
    for left in (1..=shape.rules).rev() {
        let mut take = |count: &mut u32| {
            let taken = random.below(left as usize) < *count as usize;
            *count -= u32::from(taken);
            taken
        };
        let (star, anchor, allow) = (take(&mut starred), take(&mut anchored), take(&mut allows));
        let kind = usize::from(star) + 2 * usize::from(anchor);
        // A single pattern must have the exact length; of many, only the sum matters.
        let (wanted, slack): (f64, f64) =
            (bytes as f64 / f64::from(left), if shape.rules == 1 { 1.0 } else { 3.0 });
        let common = random.below((2 * alike / u64::from(left) + 1) as usize);
        let mut best: Option<(f64, String)> = None;
        for _ in 0..TRIES {
            let mut made = pattern(statistics, kind, (stock, 2 + rules.len() / STOCK), random);
            if let Some((_, before)) = rules.last() {
                begin_as(before, common, star, &mut made);
            }
            let ratio = (made.len() as f64 / wanted.max(1.0)).ln().abs();
            let far = ratio + if known.contains(&made) { 9.0 } else { 0.0 };
            if best.as_ref().is_none_or(|(best, _)| far < *best) {
                best = Some((far, made));
            }
            if far <= slack.ln() {
                break;
            }
        }
        let (_, made) = best.unwrap_or_default();
        bytes = bytes.saturating_sub(made.len() as u64);
        alike = alike.saturating_sub(rules.last().map_or(0, |(_, before)| shared(before, &made)) as u64);
        known.insert(made.clone());
        rules.push((allow, made));
    }
    rules
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_come_apart() {
        let of = [
            Piece::Other('/'),
            Piece::Word("wp-admin", 0),
            Piece::Other('/'),
            Piece::Other('*'),
            Piece::Other('.'),
            Piece::Word("php", 1),
            Piece::Other('?'),
            Piece::Word("q", 2),
            Piece::Escape,
            Piece::Other('$'),
        ];
        assert_eq!(pieces("/wp-admin/*.php?q%2F$"), of);
        assert_eq!(form("/wp-admin/*.php?q%2F$"), "/W/*.W?WE$");
        assert_eq!(form("/%2"), "/%W");
        assert_eq!(["/a", "/*a", "/a$", "/*a$"].map(kind), [0, 1, 2, 3]);
    }

    #[test]
    fn a_pattern_begins_as_another() {
        let begun = |before: &str, bytes, with_star| {
            let mut pattern = "/z".to_owned();
            begin_as(before, bytes, with_star, &mut pattern);
            pattern
        };
        assert_eq!(begun("/a/b/c", 5, false), "/a/b/z");
        assert_eq!(begun("/a/*/c", 5, false), "/a/z");
        assert_eq!(begun("/a/*/c", 5, true), "/a/*/z");
        assert_eq!(begun("/a$", 9, false), "/az");
        assert_eq!(begun("/", 9, false), "/z");
    }
}
