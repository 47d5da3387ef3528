//! The test vectors of other projects (`data/vectors/*.jsonl`), and the list of those that we
//! answer differently.
//!
//! Each vector is a file, an agent, a URL and its project's expectation; the data is kept
//! unchanged. If our rules give another answer, `cases/expected-differences.toml` names the rule
//! and the reason. Invariant: the list is exact, see [`compare`]: it contains the vectors that
//! differ and no others. This file does not know the engines: the caller supplies the answers.

use base64::Engine as _;
use serde::Deserialize;
use std::error::Error;
use std::fmt::Write as _;

/// The files, in run order.
pub const SOURCES: [&str; 4] = ["google_robotstxt", "google_spec_test", "robotspy", "texting_robots"];

/// One vector.
#[derive(Clone, Debug)]
pub struct Vector {
    /// Its file, one of [`SOURCES`].
    pub source: &'static str,
    /// Its line in the file, from 0.
    pub index: usize,
    /// The bytes of the robots.txt.
    pub robots: Vec<u8>,
    /// The crawler's token, as its project passes it.
    pub agent: String,
    /// The URL, as its project writes it: absolute, a path, or empty.
    pub url: String,
    /// The expectation of its project.
    pub allowed: bool,
    /// The name of the project's test, or its comment.
    pub note: String,
}

impl Vector {
    /// The site of the file, if the URL names one, and the request target.
    pub fn question(&self) -> (Option<String>, Vec<u8>) {
        split(&self.url)
    }
}

/// One vector that the profile `full` answers differently than its project.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Difference {
    /// One of [`SOURCES`].
    pub source: String,
    /// The vector's line in that file, from 0.
    pub index: usize,
    /// The rule that causes the difference.
    pub rule: String,
    /// The reason, in one sentence.
    pub why: String,
    /// Our answer: `allowed` or `disallowed`.
    pub ours: String,
}

#[derive(Deserialize)]
struct Raw {
    robots: String,
    robots_b64: Option<String>,
    agent: String,
    url: String,
    allowed: bool,
    note: String,
}

/// All vectors, in the order of [`SOURCES`].
///
/// # Errors
/// If a file cannot be read, or a line in it is malformed.
pub fn load() -> Result<Vec<Vector>, Box<dyn Error>> {
    let mut vectors = Vec::new();
    for source in SOURCES {
        let path = crate::home().join("data/vectors").join(format!("{source}.jsonl"));
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        // Not `lines()`: a JSON string may contain any line separator except LF.
        for (index, line) in text.split('\n').enumerate().filter(|(_, line)| !line.is_empty()) {
            let raw: Raw = serde_json::from_str(line).map_err(|e| format!("{source}, line {index}: {e}"))?;
            let robots = match raw.robots_b64 {
                Some(text) => base64::engine::general_purpose::STANDARD.decode(text)?,
                None => raw.robots.into_bytes(),
            };
            let Raw { agent, url, allowed, note, .. } = raw;
            vectors.push(Vector { source, index, robots, agent, url, allowed, note });
        }
    }
    Ok(vectors)
}

/// The list of expected differences.
///
/// # Errors
/// If its file cannot be read or is malformed.
pub fn differences() -> Result<Vec<Difference>, Box<dyn Error>> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        #[serde(default)]
        difference: Vec<Difference>,
    }
    let path = crate::home().join("cases/expected-differences.toml");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(toml::from_str::<File>(&text)?.difference)
}

/// Compares answers (one per vector, in order) with the vectors and the list. Returns one line of
/// text for each vector that differs and is not listed, is listed and agrees, is listed with
/// another answer, or is listed and missing.
pub fn compare(vectors: &[Vector], listed: &[Difference], answers: &[bool]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (vector, &allowed) in vectors.iter().zip(answers) {
        let entries: Vec<_> = listed.iter().filter(|entry| is_of(entry, vector)).collect();
        let (ours, theirs) = (word(allowed), word(vector.allowed));
        let found = match entries.as_slice() {
            [] if ours == theirs => continue,
            [entry] if ours != theirs && entry.ours == ours => continue,
            [] => format!("differs and is not listed: ours {ours}, theirs {theirs}"),
            [entry] if ours == theirs => format!("listed ({}) but agrees: {ours}", entry.rule),
            [entry] => format!("listed as {} but ours is {ours}", entry.ours),
            _ => "listed more than once".to_owned(),
        };
        let Vector { source, index, agent, url, .. } = vector;
        let robots = vector.robots.escape_ascii();
        wrong.push(format!("{source} {index}: {found}\n    may {agent:?} fetch {url:?} by {robots}"));
    }
    for entry in listed.iter().filter(|entry| !vectors.iter().any(|vector| is_of(entry, vector))) {
        wrong.push(format!("{} {}: listed, but there is no such vector", entry.source, entry.index));
    }
    wrong
}

/// The list for these answers: entries of the present list keep their rule and reason.
pub fn write_list(vectors: &[Vector], listed: &[Difference], answers: &[bool]) -> String {
    let mut out = String::new();
    for (vector, &allowed) in
        vectors.iter().zip(answers).filter(|(vector, allowed)| vector.allowed != **allowed)
    {
        let entry = listed.iter().find(|entry| is_of(entry, vector));
        let (rule, why) = entry.map_or(("?", vector.note.as_str()), |entry| (&entry.rule, &entry.why));
        let (source, index, ours) = (vector.source, vector.index, word(allowed));
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "[[difference]]\nsource = {source:?}\nindex = {index}\nrule = {rule:?}\nwhy = {why:?}\nours = {ours:?}\n"
        );
    }
    out
}

fn is_of(entry: &Difference, vector: &Vector) -> bool {
    entry.source == vector.source && entry.index == vector.index
}

fn word(allowed: bool) -> &'static str {
    if allowed { "allowed" } else { "disallowed" }
}

/// Splits a URL or a path by R9: the origin if there is one, and path plus query without the
/// fragment, as written. A text with neither a scheme nor a leading slash is treated as a path
/// without its slash.
pub fn split(url: &str) -> (Option<String>, Vec<u8>) {
    let url = url.split('#').next().unwrap_or_default();
    let scheme = ["http://", "https://"]
        .into_iter()
        .find(|start| url.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start)));
    let (origin, rest) = match scheme {
        Some(scheme) => {
            let end = url[scheme.len()..].find(['/', '?']).map_or(url.len(), |at| scheme.len() + at);
            (Some(url[..end].to_owned()), &url[end..])
        }
        None => (None, url),
    };
    let slash = if rest.starts_with('/') { "" } else { "/" };
    (origin, format!("{slash}{rest}").into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_taken_apart() {
        let text = |url| {
            let (origin, target) = split(url);
            (origin.unwrap_or_default(), String::from_utf8(target).unwrap())
        };
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(text(""), pair("", "/"));
        assert_eq!(text("/a?b#c"), pair("", "/a?b"));
        assert_eq!(text("http://h"), pair("http://h", "/"));
        assert_eq!(text("HTTPS://h:1?a/b"), pair("HTTPS://h:1", "/?a/b"));
        assert_eq!(text("http://h//x#y/z"), pair("http://h", "//x"));
        assert_eq!(text("/?u=http://h/"), pair("", "/?u=http://h/"));
    }
}
