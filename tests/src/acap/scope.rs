//! Patterns of ACAP: which targets they match, and which of two is narrower (1, 3 to 8).

/// A symbol of a canonical pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbol {
    /// A literal byte.
    Byte(u8),
    /// Any run of bytes.
    Star,
    /// The end of the target; only as the last symbol.
    End,
}

/// The comparison of two patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The first is narrower.
    Narrower,
    /// The second is narrower.
    Broader,
    /// They are equal.
    Equal,
    /// The documents do not decide.
    Undetermined,
}

/// The canonical pattern of a field; `None` if it is not a path (6).
pub fn pattern(text: &[u8]) -> Option<Vec<Symbol>> {
    match text {
        [] => None,
        _ if is_absolute(text) => None,
        [b'/' | b'*', ..] => Some(symbols(text)),
        _ => Some(symbols(&[b"/", text].concat())),
    }
}

/// True for `//host...` and `scheme://...`.
pub fn is_absolute(text: &[u8]) -> bool {
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    let colon = text.windows(3).position(|three| three == b"://");
    let scheme = colon.map(|at| &text[..at]);
    let is_scheme =
        |scheme: &[u8]| scheme.first().is_some_and(u8::is_ascii_alphabetic) && scheme.iter().all(part);
    text.starts_with(b"//") || scheme.is_some_and(is_scheme)
}

/// The symbols of a pattern. An escaped `*` or `$` is a literal byte (8), and so is a `$` before
/// the last position (4).
pub fn symbols(text: &[u8]) -> Vec<Symbol> {
    let mut symbols = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let (bytes, length) = next(&text[at..]);
        match (bytes.as_slice(), length) {
            (b"*", 1) => symbols.push(Symbol::Star),
            (b"$", 1) if at + 1 == text.len() => symbols.push(Symbol::End),
            (bytes, _) => symbols.extend(bytes.iter().copied().map(Symbol::Byte)),
        }
        at += length;
    }
    symbols
}

/// The canonical bytes of a target.
pub fn target(text: &[u8]) -> Vec<u8> {
    let mut target = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (bytes, length) = next(rest);
        target.extend(bytes);
        rest = &rest[length..];
    }
    target
}

/// The canonical bytes of the byte or escape at the start of a text, and its length. Escapes are
/// decoded once, except `%2F`, which becomes a byte that no UTF-8 text has: neither a slash nor
/// three characters (8, V47).
fn next(text: &[u8]) -> (Vec<u8>, usize) {
    let hex = text.get(1..3).filter(|hex| text[0] == b'%' && hex.iter().all(u8::is_ascii_hexdigit));
    let value = hex.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
    match value {
        Some(b'/') => (vec![0xFF], 3),
        Some(byte) => (vec![byte.to_ascii_lowercase()], 3),
        None => (vec![text[0].to_ascii_lowercase()], 1),
    }
}

/// True if a pattern matches: the set of positions that it can reach in the target is not empty.
pub fn matches(pattern: &[Symbol], target: &[u8]) -> bool {
    let mut places = vec![0];
    for symbol in pattern {
        places = match *symbol {
            Symbol::Star => places.first().map_or(vec![], |&first| (first..=target.len()).collect()),
            Symbol::End => places.into_iter().filter(|&at| at == target.len()).collect(),
            Symbol::Byte(byte) => {
                places.into_iter().filter(|&at| target.get(at) == Some(&byte)).map(|at| at + 1).collect()
            }
        };
    }
    !places.is_empty()
}

/// P51, V51 as an order of symbols: the end of the pattern, `$`, `*`, a byte. The first difference
/// decides; between two different bytes, nothing is decided (1).
pub fn compare(one: &[Symbol], other: &[Symbol]) -> Scope {
    let place = |symbol: Option<&Symbol>| match symbol {
        None => 0,
        Some(Symbol::End) => 1,
        Some(Symbol::Star) => 2,
        Some(Symbol::Byte(_)) => 3,
    };
    for at in 0..one.len().max(other.len()) {
        let (a, b) = (one.get(at), other.get(at));
        if a != b {
            return match place(a).cmp(&place(b)) {
                std::cmp::Ordering::Greater => Scope::Narrower,
                std::cmp::Ordering::Less => Scope::Broader,
                std::cmp::Ordering::Equal => Scope::Undetermined,
            };
        }
    }
    Scope::Equal
}

/// 13: true if a sub-record's pattern covers a purpose. Names are compared whole, a text with a
/// wildcard or a colon is a pattern, and `*` alone even covers queries without a purpose.
pub fn is_purpose(pattern: &[u8], asked: Option<&str>) -> bool {
    if pattern == b"*" {
        return true;
    }
    let Some(asked) = asked.map(str::as_bytes) else { return false };
    if !pattern.ends_with(b"$") && !pattern.iter().any(|byte| b"*:".contains(byte)) {
        return !pattern.is_empty() && pattern.eq_ignore_ascii_case(asked);
    }
    let last = pattern.len() - 1;
    let symbol = |(at, byte): (usize, &u8)| match byte {
        b'*' => Symbol::Star,
        b'$' if at == last => Symbol::End,
        byte => Symbol::Byte(byte.to_ascii_lowercase()),
    };
    let symbols: Vec<Symbol> = pattern.iter().enumerate().map(symbol).collect();
    matches(&symbols, &asked.to_ascii_lowercase())
}
