//! Pattern coverage: whether one pattern matches everything that another does, and targets that
//! both match.
//!
//! Patterns are compared symbol by symbol, so the result does not depend on actual targets, except
//! that a target begins with `/`. Invariants: a reported coverage is true; [`common`] returns a
//! target that both patterns match. Both are exact for the patterns of real files, since some bytes
//! do not occur in them.

use robomaton_formats::{Notation, Pattern};

/// A symbol: a star, or a byte plus two.
type Symbol = u16;
/// A star.
pub(super) const STAR: Symbol = 1;

const fn literal(byte: u8) -> Symbol {
    byte as Symbol + 2
}

/// A pattern as symbols.
pub(super) struct Shape {
    /// The symbols, followed by a star if the end is open.
    text: Vec<Symbol>,
    /// Equivalent texts that begin with `/`, as all targets do; empty if `text` needs none.
    begun: Vec<Vec<Symbol>>,
    /// The end is fixed.
    pub(super) anchored: bool,
}

impl Shape {
    pub(super) fn new(pattern: Pattern<'_>) -> Shape {
        let wild = pattern.notation != Notation::Koster;
        let (body, anchored) = match pattern.text {
            [body @ .., b'$'] if wild => (body, true),
            body => (body, false),
        };
        let mut text = Vec::with_capacity(body.len() + 1);
        let mut rest = body;
        while let Some((&first, tail)) = rest.split_first() {
            let (symbol, tail) = match (pattern.notation, rest) {
                (Notation::Rep | Notation::Acap, [b'%', b'2', b'A', tail @ ..]) => (literal(b'*'), tail),
                (Notation::Rep | Notation::Acap, [b'%', b'2', b'4', tail @ ..]) => (literal(b'$'), tail),
                (_, [b'*', tail @ ..]) if wild => (STAR, tail),
                _ => (literal(first), tail),
            };
            text.push(symbol);
            rest = tail;
        }
        text.extend((!anchored).then_some(STAR));
        let mut begun = Vec::new();
        if text.first() == Some(&STAR) {
            let slash = literal(b'/');
            begun.push(std::iter::once(slash).chain(text.iter().copied()).collect());
            let after: Vec<_> = text.iter().copied().skip_while(|&symbol| symbol == STAR).collect();
            begun.extend((after.first() == Some(&slash)).then_some(after));
        }
        Shape { text, begun, anchored }
    }

    /// The symbols without the star of an open end.
    pub(super) fn body(&self) -> &[Symbol] {
        &self.text[..self.text.len() - usize::from(!self.anchored)]
    }
}

/// True if `outer` matches every target that `inner` matches. The cost is subtracted from `steps`;
/// `None` if they do not suffice.
pub(super) fn covers(outer: &Shape, inner: &Shape, steps: &mut usize) -> Option<bool> {
    if inner.begun.is_empty() {
        return absorbs(&outer.text, &inner.text, steps);
    }
    for text in &inner.begun {
        if !absorbs(&outer.text, text, steps)? {
            return Some(false);
        }
    }
    Some(true)
}

/// True if one text of literals and stars covers another: a star covers anything, and only a star
/// covers a star. Extending only the last star loses nothing, as in matching targets.
fn absorbs(outer: &[Symbol], inner: &[Symbol], steps: &mut usize) -> Option<bool> {
    let (mut o, mut i) = (0, 0);
    let mut widen: Option<(usize, usize)> = None;
    loop {
        *steps = steps.checked_sub(1)?;
        match (outer.get(o), inner.get(i)) {
            (Some(&STAR), _) => {
                o += 1;
                widen = Some((o, i));
            }
            (Some(a), Some(b)) if a == b => (o, i) = (o + 1, i + 1),
            (None, None) => return Some(true),
            _ => match widen {
                Some((after, from)) if from < inner.len() => {
                    (o, i) = (after, from + 1);
                    widen = Some((after, from + 1));
                }
                _ => return Some(false),
            },
        }
    }
}

/// A target that both patterns match, if their symbols up to `at` are equal. `None` if no common
/// target is known. Patterns that share a star have one, unless both ends are fixed and differ.
pub(super) fn common(one: &Shape, other: &Shape, at: usize) -> Option<Vec<u8>> {
    let star = one.body().get(..at)?.iter().rposition(|&symbol| symbol == STAR)?;
    let (shared, a) = one.body().split_at(star + 1);
    let b = other.body().get(star + 1..)?;
    let parts: Vec<&[Symbol]> = match (one.anchored, other.anchored) {
        (true, true) => {
            let [(a, a_end), (b, b_end)] = [a, b].map(|text| {
                text.split_at(text.iter().rposition(|&symbol| symbol == STAR).map_or(0, |star| star + 1))
            });
            let (short, long) = if a_end.len() < b_end.len() { (a_end, b_end) } else { (b_end, a_end) };
            long.ends_with(short).then_some(())?;
            vec![shared, a, b, long]
        }
        // The fixed end comes last.
        (true, false) => vec![shared, b, a],
        _ => vec![shared, a, b],
    };
    let literals = parts.into_iter().flatten().filter(|&&symbol| symbol != STAR);
    let mut target: Vec<u8> = literals.map(|symbol| (symbol - 2) as u8).collect();
    if target.first() != Some(&b'/') {
        target.insert(0, b'/');
    }
    Some(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All texts of up to `longest` of these bytes, after each text in `first`.
    fn texts(first: &[&str], bytes: &[u8], longest: usize) -> Vec<String> {
        let mut all: Vec<String> = first.iter().map(|&text| text.to_owned()).collect();
        let mut last = all.clone();
        for _ in 0..longest {
            let longer = |text: &String| {
                bytes.iter().map(|&byte| format!("{text}{}", byte as char)).collect::<Vec<_>>()
            };
            last = last.iter().flat_map(longer).collect();
            all.extend(last.iter().cloned());
        }
        all
    }

    fn pattern(text: &str) -> Pattern<'_> {
        Pattern { text: text.as_bytes(), notation: Notation::Rep }
    }

    #[test]
    fn what_is_said_is_so() {
        let targets = texts(&["/"], b"ab/", 5);
        let patterns = texts(&["/", "*", "/a"], b"a/*$", 3);
        let matched: Vec<Vec<bool>> = patterns
            .iter()
            .map(|text| targets.iter().map(|target| pattern(text).matches(target.as_bytes())).collect())
            .collect();
        let shapes: Vec<Shape> = patterns.iter().map(|text| Shape::new(pattern(text))).collect();
        let (mut missed, mut covered) = (0, 0);
        for (one, outer) in shapes.iter().enumerate() {
            for (other, inner) in shapes.iter().enumerate() {
                let said = covers(outer, inner, &mut 1000).unwrap();
                let is = (0..targets.len()).all(|at| matched[one][at] >= matched[other][at]);
                assert!(is || !said, "{} covers {}", patterns[one], patterns[other]);
                covered += usize::from(said);
                let some = matched[other].iter().filter(|&&matched| matched).count() > 20;
                missed += usize::from(is && some && !said);
                let at = outer.body().iter().zip(inner.body()).take_while(|(a, b)| a == b).count();
                if let Some(target) = common(outer, inner, at) {
                    for text in [&patterns[one], &patterns[other]] {
                        assert!(pattern(text).matches(&target), "{text} {}", target.escape_ascii());
                    }
                }
            }
        }
        // Coverage is only missed if targets consist of just three different bytes.
        assert!(covered > 10_000 && missed * 20 < covered, "{covered} {missed}");
    }

    #[test]
    fn covering_by_hand() {
        let covers = |outer, inner| {
            let [outer, inner] = [outer, inner].map(|text| Shape::new(pattern(text)));
            covers(&outer, &inner, &mut 100)
        };
        for (outer, inner, expected) in [
            ("/", "*.pdf", true),
            ("/", "*", true),
            ("/a*", "/a", true),
            ("/a", "/a*", true),
            ("/a*", "/a$", true),
            ("/a$", "/a", false),
            ("/*b", "/*a/b", true),
            ("/*a", "/*b", false),
            ("/a", "*/a", false),
            ("*/a", "/a", true),
            ("/%2A", "/*", false),
            ("/*$", "/x", true),
        ] {
            assert_eq!(covers(outer, inner), Some(expected), "{outer} {inner}");
        }
        let long = Shape::new(pattern(&"/*a".repeat(50)));
        assert_eq!(super::covers(&long, &long, &mut 20), None);
    }
}
