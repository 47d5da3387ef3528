//! The hand-worked cases of `cases/*.toml`, loaded.
//!
//! Stands before [`crate::suite`], which puts them to an engine. A case is one robots.txt and what is asked of
//! it; each ask names what the rules of the specification make of it, worked out by hand. Invariants: names are
//! unique over all files; every case names a rule and asks something; a key that is not known is an error, so a
//! misspelt expectation cannot pass unseen.
//!
//! It does not know what engines there are.

use base64::Engine as _;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

/// The site of a case's file unless the case says otherwise.
pub const ORIGIN: &str = "https://example.com";

/// One robots.txt and what is asked of it.
#[derive(Clone, Debug)]
pub struct Case {
    /// Unique, kebab-case.
    pub name: String,
    /// The file under `cases` it stands in.
    pub file: String,
    /// The rules it shows: `R12`, `K13`, `RFC 9309 2.2.2`.
    pub rules: Vec<String>,
    /// What the reader should notice.
    pub note: Option<String>,
    /// `full`, `rfc9309`, `google` or `koster`.
    pub profile: String,
    /// The octets of the file.
    pub robots: Vec<u8>,
    /// The site the file was fetched from.
    pub origin: String,
    /// What is asked, in order.
    pub asks: Vec<Ask>,
}

/// One question and its answer.
#[derive(Clone, Debug)]
pub struct Ask {
    /// The crawler's tokens, best first.
    pub agents: Vec<String>,
    /// An absolute URL.
    pub url: String,
    /// `crawl` unless the case says otherwise.
    pub usage: String,
    /// `allowed`, `disallowed` or `unknown`.
    pub verdict: String,
    /// The line of the deciding rule, from 1; 0 when no rule decided; `None` when the case leaves it open.
    pub line: Option<u32>,
}

/// Why the cases could not be loaded: the file and what is wrong in it.
#[derive(Debug)]
pub struct LoadError(String);

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for LoadError {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    case: Vec<RawCase>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawCase {
    name: String,
    rules: Vec<String>,
    note: Option<String>,
    profile: Option<String>,
    robots: Option<String>,
    robots_b64: Option<String>,
    origin: Option<String>,
    ask: Vec<RawAsk>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawAsk {
    agent: Option<String>,
    agents: Option<Vec<String>>,
    url: String,
    usage: Option<String>,
    verdict: String,
    line: Option<u32>,
}

/// All cases of this crate's `cases` folder, by file name, then in file order.
pub fn load() -> Result<Vec<Case>, LoadError> {
    load_from(&crate::home().join("cases"))
}

/// All cases of a folder. `expected-differences.toml` is no case file and is passed over.
pub fn load_from(folder: &Path) -> Result<Vec<Case>, LoadError> {
    let wrong = |what: &dyn fmt::Display| LoadError(format!("{}: {what}", folder.display()));
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|e| wrong(&e))? {
        let path = entry.map_err(|e| wrong(&e))?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if name.ends_with(".toml") && name != "expected-differences.toml" {
            files.push((name, path));
        }
    }
    files.sort();
    let mut cases = Vec::new();
    let mut seen = BTreeMap::new();
    for (name, path) in files {
        let text = std::fs::read_to_string(&path).map_err(|e| wrong(&format!("{name}: {e}")))?;
        let raw: RawFile = toml::from_str(&text).map_err(|e| wrong(&format!("{name}: {e}")))?;
        for raw in raw.case {
            let label = format!("{name}: case {:?}", raw.name);
            let case = raw.finish(&name).map_err(|e| wrong(&format!("{label}: {e}")))?;
            if let Some(first) = seen.insert(case.name.clone(), name.clone()) {
                return Err(wrong(&format!("{label}: the name is taken, see {first}")));
            }
            cases.push(case);
        }
    }
    Ok(cases)
}

impl RawCase {
    fn finish(self, file: &str) -> Result<Case, String> {
        let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if self.name.is_empty() || !self.name.chars().all(kebab) {
            return Err("the name is not kebab-case".to_owned());
        }
        if self.rules.is_empty() || self.ask.is_empty() {
            return Err("a case names a rule and asks something".to_owned());
        }
        let profile = self.profile.unwrap_or_else(|| "full".to_owned());
        if !["full", "rfc9309", "google", "koster"].contains(&profile.as_str()) {
            return Err(format!("no profile {profile:?}"));
        }
        let robots = match (self.robots, self.robots_b64) {
            (Some(text), None) => repeat(&text)?.into_bytes(),
            (None, Some(text)) => {
                base64::engine::general_purpose::STANDARD.decode(text).map_err(|e| e.to_string())?
            }
            _ => return Err("exactly one of robots and robots_b64".to_owned()),
        };
        let origin = self.origin.unwrap_or_else(|| ORIGIN.to_owned());
        let asks = self.ask.into_iter().map(|ask| ask.finish(&origin)).collect::<Result<_, _>>()?;
        let (name, rules, note) = (self.name, self.rules, self.note);
        Ok(Case { name, file: file.to_owned(), rules, note, profile, robots, origin, asks })
    }
}

impl RawAsk {
    fn finish(self, origin: &str) -> Result<Ask, String> {
        let agents = match (self.agent, self.agents) {
            (Some(agent), None) => vec![agent],
            (None, Some(agents)) if !agents.is_empty() => agents,
            _ => return Err("exactly one of agent and agents".to_owned()),
        };
        if !["allowed", "disallowed", "unknown"].contains(&self.verdict.as_str()) {
            return Err(format!("no verdict {:?}", self.verdict));
        }
        let url = repeat(&self.url)?;
        let url = if url.starts_with('/') { format!("{origin}{url}") } else { url };
        let usage = self.usage.unwrap_or_else(|| "crawl".to_owned());
        Ok(Ask { agents, url, usage, verdict: self.verdict, line: self.line })
    }
}

/// Writes out `{{TEXT*COUNT}}` as the text so many times.
fn repeat(text: &str) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, tail)) = rest.split_once("{{") {
        let (inner, after) = tail.split_once("}}").ok_or("`{{` without `}}`")?;
        let (what, count) = inner.rsplit_once('*').ok_or("no `*` in `{{...}}`")?;
        let count: usize = count.parse().map_err(|_| format!("{count:?} is no count"))?;
        out.push_str(before);
        out.push_str(&what.repeat(count));
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_are_written_out() {
        assert_eq!(repeat("a{{b*3}}c{{***2}}").unwrap(), "abbbc****");
        assert!(repeat("{{a}}").is_err() && repeat("{{a*2").is_err() && repeat("{{a*x}}").is_err());
    }
}
