//! Dictionaries of RFC 9651, as far as AIPREF needs them: which keys have which bare items.
//!
//! Follows the parsing algorithms of section 4.2 step by step, on bytes. Invariant: a text is
//! either parsed to its end or fails as a whole. This file does not know labels, and keeps no
//! parameters.

/// A member's value, as far as it matters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Item {
    Token(Vec<u8>),
    /// A Boolean, number, string, byte sequence, date, display string or inner list.
    Other,
}

/// The members of a dictionary, each key once with its last value; `None` if the text fails.
pub(super) fn parse(text: &[u8]) -> Option<Vec<(Vec<u8>, Item)>> {
    let mut parser = Parser { rest: text };
    parser.skip(b" ");
    let mut members: Vec<(Vec<u8>, Item)> = Vec::new();
    while !parser.rest.is_empty() {
        let key = parser.key()?;
        let item = if parser.take(b'=') {
            if parser.peek() == Some(b'(') { parser.inner_list()? } else { parser.item()? }
        } else {
            parser.parameters()?;
            Item::Other
        };
        members.retain(|(other, _)| *other != key);
        members.push((key, item));
        parser.skip(b" \t");
        if parser.rest.is_empty() {
            break;
        }
        if !parser.take(b',') {
            return None;
        }
        parser.skip(b" \t");
        if parser.rest.is_empty() {
            return None; // a trailing comma
        }
    }
    Some(members)
}

struct Parser<'t> {
    rest: &'t [u8],
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        if is_next {
            self.rest = &self.rest[1..];
        }
        is_next
    }

    fn skip(&mut self, of: &[u8]) {
        self.run(|byte| of.contains(&byte));
    }

    /// The longest beginning of such bytes.
    fn run(&mut self, fits: impl Fn(u8) -> bool) -> Vec<u8> {
        let end = self.rest.iter().position(|&byte| !fits(byte)).unwrap_or(self.rest.len());
        let (run, rest) = self.rest.split_at(end);
        self.rest = rest;
        run.to_vec()
    }

    fn key(&mut self) -> Option<Vec<u8>> {
        self.peek().filter(|&byte| byte.is_ascii_lowercase() || byte == b'*')?;
        Some(self.run(|byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-' | b'.' | b'*')
        }))
    }

    fn parameters(&mut self) -> Option<()> {
        while self.take(b';') {
            self.skip(b" ");
            self.key()?;
            if self.take(b'=') {
                self.bare_item()?;
            }
        }
        Some(())
    }

    fn item(&mut self) -> Option<Item> {
        let item = self.bare_item()?;
        self.parameters()?;
        Some(item)
    }

    fn inner_list(&mut self) -> Option<Item> {
        self.take(b'(');
        loop {
            self.skip(b" ");
            if self.take(b')') {
                self.parameters()?;
                return Some(Item::Other);
            }
            self.item()?;
            self.peek().filter(|byte| matches!(byte, b' ' | b')'))?;
        }
    }

    fn bare_item(&mut self) -> Option<Item> {
        match self.peek()? {
            b'-' | b'0'..=b'9' => self.number().map(|_| Item::Other),
            b'"' => self.string(),
            b':' => self.byte_sequence(),
            b'?' => {
                self.next();
                self.next().filter(|byte| matches!(byte, b'0' | b'1')).map(|_| Item::Other)
            }
            b'@' => {
                self.next();
                self.number().filter(|is_decimal| !is_decimal).map(|_| Item::Other)
            }
            b'%' => self.display_string(),
            byte if byte.is_ascii_alphabetic() || byte == b'*' => Some(Item::Token(
                self.run(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~:/".contains(&byte)),
            )),
            _ => None,
        }
    }

    /// True for a decimal.
    fn number(&mut self) -> Option<bool> {
        self.take(b'-');
        let whole = self.run(|byte| byte.is_ascii_digit()).len();
        if whole == 0 {
            return None;
        }
        if !self.take(b'.') {
            return (whole <= 15).then_some(false);
        }
        let fraction = self.run(|byte| byte.is_ascii_digit()).len();
        (whole <= 12 && (1..=3).contains(&fraction)).then_some(true)
    }

    fn string(&mut self) -> Option<Item> {
        self.next();
        loop {
            match self.next()? {
                b'"' => return Some(Item::Other),
                b'\\' => {
                    self.next().filter(|byte| matches!(byte, b'"' | b'\\'))?;
                }
                0x20..=0x7E => {}
                _ => return None,
            }
        }
    }

    fn byte_sequence(&mut self) -> Option<Item> {
        self.next();
        self.run(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='));
        self.take(b':').then_some(Item::Other)
    }

    fn display_string(&mut self) -> Option<Item> {
        self.next();
        if !self.take(b'"') {
            return None;
        }
        let mut text = Vec::new();
        loop {
            match self.next()? {
                b'"' => return std::str::from_utf8(&text).is_ok().then_some(Item::Other),
                b'%' => {
                    let mut digit = || {
                        let byte = self.next().filter(|byte| !byte.is_ascii_uppercase())?;
                        char::from(byte).to_digit(16)
                    };
                    let (high, low) = (digit()?, digit()?);
                    text.push(u8::try_from(high * 16 + low).ok()?);
                }
                byte @ 0x20..=0x7E => text.push(byte),
                _ => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_parse_and_texts_that_fail() {
        let fine = [
            "",
            " a",
            "a=b",
            "a, b",
            "a ,\tb",
            "a;x",
            "a=1;x=\"y\"",
            "a=(b c);d, e=?0",
            "a=()",
            "*a=*",
            "a=:aGk=:",
            "a=@5",
            "a=%\"%c3%a9\"",
            "a=-1.5",
            "a=\"\\\"\"",
            "a=b  ",
        ];
        for text in fine {
            assert!(parse(text.as_bytes()).is_some(), "{text}");
        }
        let bad = [
            "A=b",
            "a,",
            "a=",
            "a=b c",
            "a = b",
            "a;",
            ",a",
            "a=\"",
            "a=?2",
            "a=1.",
            "a=(b,c)",
            "a\tb",
            "a=@1.5",
            "a=%\"%C3\"",
            "a=:a",
            "/x a",
            "\ta",
            "é",
        ];
        for text in bad {
            assert!(parse(text.as_bytes()).is_none(), "{text}");
        }
        let members = parse(b"a=x, b=y, a=\"z\"").unwrap_or_default();
        assert_eq!(members[0], (b"b".to_vec(), Item::Token(b"y".to_vec())));
        assert_eq!(members[1], (b"a".to_vec(), Item::Other));
    }
}
