//! Keys and names of a file with ACAP (R2, R3). Lines and patterns are read as for the RFC
//! ([`mod@crate::oracle`]).
//!
//! This file does not know the meaning of a key.

use crate::oracle::{self, lines, trim, unmarked};

/// A line with a key: its number from 1, the key in lower case, and the value.
pub(super) struct Record<'a> {
    pub(super) line: u32,
    pub(super) key: String,
    pub(super) value: &'a [u8],
}

/// The lines with a key, in file order.
pub(super) fn records(robots: &[u8]) -> Vec<Record<'_>> {
    let record = |(line, text)| record(text).map(|(key, value)| Record { line, key, value });
    (1..).zip(lines(robots)).filter_map(record).collect()
}

/// R1 to R3: removes the comment and returns key and value. A line of one word is the directive
/// that P4 writes this way.
fn record(line: &[u8]) -> Option<(String, &[u8])> {
    let is_key = |key: &str| {
        ["user-agent", "allow", "disallow", "noindex"].contains(&key)
            || key.starts_with("acap-") && !key.contains([' ', '\t'])
    };
    let known = |name: &str| Some(conventional_key(name)).filter(|key| is_key(key));
    oracle::split(line, known).or_else(|| {
        let line = trim(unmarked(line).split(|&byte| byte == b'#').next()?);
        match line.iter().position(|&byte| byte == b':') {
            Some(at) => Some((lower(trim(&line[..at])), trim(&line[at + 1..]))),
            None => (lower(line) == "acap-ignore-conventional-records").then(|| (lower(line), &b""[..])),
        }
    })
}

/// R3: the standard spelling of a key.
fn conventional_key(name: &str) -> String {
    let key = match name {
        "useragent" | "user agent" => "user-agent",
        "dissallow" | "dissalow" | "disalow" | "diasllow" | "disallaw" => "disallow",
        name => name,
    };
    key.to_owned()
}

pub(super) fn words(text: &[u8]) -> Vec<&[u8]> {
    text.split(|byte| matches!(byte, b' ' | b'\t')).filter(|word| !word.is_empty()).collect()
}

/// Names are compared ignoring case (P7, V7).
pub(super) fn lower(text: &[u8]) -> String {
    String::from_utf8_lossy(text).to_ascii_lowercase()
}
