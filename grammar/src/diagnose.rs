//! Diagnostics about a tree: tolerated mistakes, lines without effect, oddities.
//!
//! A separate pass over a finished tree, so that reading does not pay for it. Invariants: linear
//! time and a bounded number of diagnostics per line; diagnostics are in text order and depend only
//! on the tree. This file does not know which of two rules wins, nor how any crawler handles a
//! mistake.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::acap;
use crate::diagnostic::{is_absolute, quote};
use crate::scan::{is_acap, is_space, mark_length, past_indent};
use crate::{Code, Diagnostic, Group, Key, Line, LineKind, Span, Tree, product_token, rule_behind_name};

/// All diagnostics about a tree, in text order.
pub fn diagnose(tree: &Tree<'_>) -> Vec<Diagnostic> {
    let mut pass = Pass { tree, found: Vec::new() };
    pass.byte_order_mark();
    for line in &tree.lines {
        pass.indent(line);
        pass.text(line);
        pass.key(line);
        pass.value(line);
    }
    pass.rules_before_groups();
    pass.groups();
    pass.limit();
    pass.found.extend(acap::lint(tree));
    // Nearly sorted already. The sort is stable, so diagnostics for one place stay in the order of
    // the passes.
    pass.found.sort_by_key(|diagnostic| diagnostic.span.start);
    pass.found
}

struct Pass<'t, 's> {
    tree: &'t Tree<'s>,
    found: Vec<Diagnostic>,
}

impl<'s> Pass<'_, 's> {
    fn say(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.found.push(Diagnostic { code, span, message: message.into(), second: None });
    }

    /// R1.
    fn byte_order_mark(&mut self) {
        let bom = self.tree.bom;
        match bom.len() {
            0 => {}
            3 => self.say(Code::ByteOrderMark, bom, "a byte order mark begins the file; it is skipped"),
            _ => self.say(Code::ByteOrderMark, bom, "a torn byte order mark begins the file; it is skipped"),
        }
    }

    /// R1: a mark of the text that begins with this line, behind another text.
    fn indent(&mut self, line: &Line) {
        let (start, end) = (line.span.start as usize, line.comment.start as usize);
        let indent = &self.tree.source[start..past_indent(self.tree.source, start, end)];
        if let Some(at) = indent.iter().position(|byte| !is_space(*byte)) {
            let end = start + at + mark_length(&indent[at..]);
            let mark = Span { start: (start + at) as u32, end: end as u32 };
            self.say(Code::ByteOrderMark, mark, "an invisible mark begins the line");
        }
    }

    /// R1: bytes that do not belong in a text, reported once per line.
    fn text(&mut self, line: &Line) {
        let base = line.span.start;
        // The comment, even an empty one, ends where the terminator begins.
        let text = self.tree.text(Span { start: base, end: line.comment.end });
        let place = |at: usize, len: usize| Span { start: base + at as u32, end: base + (at + len) as u32 };
        let is_control = |byte: u8| byte.is_ascii_control() && byte != b'\t';
        if let Some(at) = text.iter().position(|&byte| is_control(byte)) {
            let what = format!("a control character, 0x{:02x}; it is read as it stands", text[at]);
            self.say(Code::ControlCharacter, place(at, 1), what);
        }
        if let Err(error) = str::from_utf8(text) {
            let at = error.valid_up_to();
            let len = error.error_len().unwrap_or(text.len() - at);
            self.say(Code::NotUtf8, place(at, len), "not UTF-8; the bytes are read as they are");
        }
    }

    /// R3.
    fn key(&mut self, line: &Line) {
        let text = self.tree.text(line.key);
        match line.kind {
            LineKind::Blank => {}
            LineKind::Field(key) => {
                if !text.eq_ignore_ascii_case(key.name().as_bytes()) {
                    let message = format!("{} is read as `{key}`", quote(text));
                    self.say(Code::MisspelledKey, line.key, message);
                }
                let gap = Span { start: line.key.end, end: line.value.start };
                if !self.tree.text(gap).contains(&b':') {
                    self.say(
                        Code::MissingColon,
                        gap,
                        format!("the colon after `{key}` is missing; it is read as if it were there"),
                    );
                }
            }
            LineKind::Acap => {
                let gap = Span { start: line.key.end, end: line.value.start };
                if !line.value.is_empty() && !self.tree.text(gap).contains(&b':') {
                    let message = "the colon after the field is missing; it is read as if it were there";
                    self.say(Code::MissingColon, gap, message);
                }
            }
            LineKind::Unknown => {
                let message = match first_word_as_key(text) {
                    Some(key) => format!("unknown key {}; is the colon after `{key}` missing?", quote(text)),
                    None => format!("unknown key {}; the line has no effect", quote(text)),
                };
                self.say(Code::UnknownKey, line.key, message);
            }
            LineKind::Malformed if text.is_empty() => {
                let colon = Span { start: line.key.end, end: line.key.end + 1 };
                self.say(Code::MalformedLine, colon, "no key before the colon; the line is ignored");
            }
            LineKind::Malformed => {
                let message = match first_word_as_key(text) {
                    Some(key) if Key::from_bytes(text).is_some() => {
                        format!("`{key}` without a colon and a value; the line is ignored")
                    }
                    Some(key) => format!("the colon after `{key}` is missing; the line is ignored"),
                    None if is_acap(text) => {
                        "an ACAP field without its colon; the line is ignored".to_owned()
                    }
                    None => "neither a rule nor a comment; the line is ignored".to_owned(),
                };
                self.say(Code::MalformedLine, line.key, message);
            }
        }
    }

    /// R5, R14, R18.
    fn value(&mut self, line: &Line) {
        let text = self.tree.text(line.value);
        match line.kind {
            LineKind::Field(Key::UserAgent) => match product_token(text) {
                None if text.is_empty() => {
                    self.say(Code::NoProductToken, head(line), "this user-agent line names no crawler");
                }
                None => {
                    let message = format!(
                        "{} names no crawler; a name is made of letters, digits, `_`, `-` and `.`",
                        quote(text)
                    );
                    self.say(Code::NoProductToken, line.value, message);
                }
                Some(token) if token.len() < text.len() => {
                    let start = line.value.start + token.len() as u32;
                    let message = match rule_behind_name(text) {
                        Some(_) => "a rule behind the name; most crawlers ignore it".to_owned(),
                        None => {
                            format!("crawlers compare the name {} alone; the rest is ignored", quote(token))
                        }
                    };
                    self.say(Code::TextAfterToken, Span { start, end: line.value.end }, message);
                }
                Some(_) => {}
            },
            LineKind::Field(Key::Allow | Key::Disallow) => match text {
                [] | [b'/' | b'*', ..] => {}
                _ if is_absolute(text) => {
                    let message = "a whole URL where a path is expected; some crawlers ignore it";
                    self.say(Code::AbsoluteUrl, line.value, message);
                }
                _ => {
                    let message = "a path begins with `/` or `*`; Google never matches this one";
                    self.say(Code::NoLeadingSlash, line.value, message);
                }
            },
            LineKind::Field(key) if text.is_empty() => {
                self.say(Code::EmptyValue, head(line), format!("`{key}` has no value"));
            }
            _ => {}
        }
    }

    /// R8.
    fn rules_before_groups(&mut self) {
        let first = self.tree.groups.first().map_or(self.tree.lines.len(), |group| group.start as usize);
        for line in &self.tree.lines[..first] {
            if matches!(line.kind, LineKind::Field(Key::Allow | Key::Disallow)) {
                self.say(
                    Code::RuleBeforeGroup,
                    head(line),
                    "a rule before any user-agent line; it is ignored",
                );
            }
        }
    }

    /// R7.
    fn groups(&mut self) {
        let mut first_seen: HashMap<Vec<u8>, (usize, Span)> = HashMap::new();
        for (number, group) in self.tree.groups.iter().enumerate() {
            for token in self.tokens(group) {
                match first_seen.entry(self.tree.text(token).to_ascii_lowercase()) {
                    Entry::Vacant(entry) => {
                        entry.insert((number, token));
                    }
                    Entry::Occupied(entry) => {
                        let (home, first) = *entry.get();
                        let which = if home == number { "in this group" } else { "in an earlier group" };
                        let message = format!("{} is named {which} too", quote(self.tree.text(token)));
                        let second = Some((first, "first seen here".to_owned()));
                        self.found.push(Diagnostic {
                            code: Code::RepeatedAgent,
                            span: token,
                            message,
                            second,
                        });
                    }
                }
            }
            if group.body == group.end {
                let agent = head(&self.tree.lines[group.start as usize]);
                self.say(Code::GroupWithoutRules, agent, "this group has no rules, so it forbids nothing");
            }
        }
    }

    /// The product tokens of a group's user-agent lines, all of which come before the first rule.
    fn tokens(&self, group: &Group) -> Vec<Span> {
        let agents = &self.tree.lines[group.start as usize..group.body as usize];
        let agents = agents.iter().filter(|line| line.kind == LineKind::Field(Key::UserAgent));
        let token = |line: &Line| {
            let token = product_token(self.tree.text(line.value))?;
            Some(Span { start: line.value.start, end: line.value.start + token.len() as u32 })
        };
        agents.filter_map(token).collect()
    }

    /// R4.
    fn limit(&mut self) {
        let rest = self.tree.source.len() - self.tree.unread.start as usize;
        if rest > 0 {
            let message = format!("the file is over the limit; its last {rest} bytes are not read");
            self.say(Code::OverLimit, self.tree.unread, message);
        }
    }
}

/// The line without its comment and surrounding white space.
fn head(line: &Line) -> Span {
    let end = if line.value.is_empty() { line.key.end } else { line.value.end };
    Span { start: line.key.start, end }
}

/// The key that the first word of a text spells, for texts that are not keys as a whole.
fn first_word_as_key(text: &[u8]) -> Option<Key> {
    text.split(|&byte| byte == b' ' || byte == b'\t').next().and_then(Key::from_bytes)
}
