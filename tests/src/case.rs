//! Loads the hand-worked cases of `cases/*.toml`.
//!
//! [`crate::suite`] runs them on an engine. A case is one robots.txt with queries. Each query has
//! the expected answer, worked out by hand from the rules of the specification; so do the facts
//! other than verdicts: findings about the file, visit times, requests to crawlers. The cases of
//! the modern usage languages, in `cases/modern`, have further parts ([`Modern`]) and are loaded
//! apart. Invariants: names are unique over all files of a folder; every case names a rule and has
//! a query or expects a fact; an unknown key is an error, so a misspelt expectation cannot be
//! overlooked.
//!
//! This file does not know which engines exist.

mod facts;
mod modern;

pub use facts::{Comment, Extension, Facts, Freshness, Location, Over, Request, Visit};
pub use modern::{Canonical, Document, Modern, ModernAsk};

use base64::Engine as _;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

/// The default site of a case's file.
pub const ORIGIN: &str = "https://example.com";

/// One robots.txt with its queries.
#[derive(Clone, Debug)]
pub struct Case {
    /// Unique, kebab-case.
    pub name: String,
    /// The file under `cases` that contains it.
    pub file: String,
    /// The rules that it tests: `R12`, `K13`, `RFC 9309 2.2.2`.
    pub rules: Vec<String>,
    /// A note for the reader.
    pub note: Option<String>,
    /// `full`, `rfc9309`, `google` or `koster`.
    pub profile: String,
    /// The bytes of the file.
    pub robots: Vec<u8>,
    /// The site from which the file was fetched.
    pub origin: String,
    /// The name of the file on the site: `robots.txt` or `data.txt`.
    pub document: String,
    /// The status code of the response with the file; 200 by default.
    pub status: u16,
    /// Other files of the same origin, by path, for references to them.
    pub files: BTreeMap<String, String>,
    /// Pages of the site with their embedded permissions.
    pub pages: Vec<Page>,
    /// The sources of the modern usage languages.
    pub modern: Modern,
    /// The queries, in order.
    pub asks: Vec<Ask>,
    /// The expectations other than verdicts.
    pub facts: Facts,
}

/// A page of the site.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// Its absolute URL.
    pub url: String,
    /// The lines of the response's header, as names and values.
    pub headers: Vec<(String, String)>,
    /// Its text; empty if only the headers matter.
    pub html: String,
}

/// One query with its expected answer.
#[derive(Clone, Debug, Default)]
pub struct Ask {
    /// The crawler's tokens, best first.
    pub agents: Vec<String>,
    /// An absolute URL.
    pub url: String,
    /// The usage; `crawl` by default.
    pub usage: String,
    /// The purpose of the usage, if the crawler states one.
    pub purpose: Option<String>,
    /// The crawler handles elements of a page separately.
    pub elements: bool,
    /// Only groups that name the crawler count.
    pub named_only: bool,
    /// `allowed`, `disallowed`, `conditional` or `unknown`, according to the available files.
    pub verdict: String,
    /// The line of the deciding rule, from 1; 0 if no rule decided; `None` if the case leaves it
    /// open or `lines` has it.
    pub line: Option<u32>,
    /// All deciding lines, ascending, if there are several; empty if `line` has it.
    pub lines: Vec<u32>,
    /// The conditions of a conditional verdict, sorted: `time-limit=3-days`.
    pub conditions: Vec<String>,
    /// A file that the record refers to is missing, so no boolean answer may be yes.
    pub incomplete: bool,
    /// The parts for the modern usage languages.
    pub modern: ModernAsk,
}

/// True if the case only concerns conventional records, which is all that the oracles for RFC 9309
/// and google/robotstxt know.
pub fn is_conventional(case: &Case) -> bool {
    let text = case.robots.to_ascii_lowercase();
    let has = |word: &str| text.windows(word.len()).any(|window| window == word.as_bytes());
    case.document == "robots.txt"
        && case.status == 200
        && case.pages.is_empty()
        && !(case.profile == "full" && (has("acap-crawler") || has("robot-version")))
}

/// The reason why the cases could not be loaded: the file and the error in it.
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
    document: Option<String>,
    status: Option<u16>,
    #[serde(default)]
    files: BTreeMap<String, String>,
    #[serde(default)]
    pages: Vec<RawPage>,
    #[serde(default)]
    ask: Vec<RawAsk>,
    #[serde(default)]
    lints: Vec<String>,
    #[serde(default)]
    schedule: Vec<Visit>,
    #[serde(default)]
    extensions: Vec<Extension>,
    #[serde(default)]
    requests: Vec<Request>,
    #[serde(default)]
    comments: Vec<Comment>,
    #[serde(default)]
    locations: Vec<Location>,
    #[serde(default)]
    freshness: Vec<Freshness>,
    #[serde(default)]
    over: Vec<Over>,
    #[serde(default)]
    canonical: Vec<Canonical>,
    #[serde(default)]
    headers: Vec<String>,
    tdmrep: Option<String>,
    ai_txt: Option<String>,
    #[serde(default)]
    documents: Vec<Document>,
    #[serde(default)]
    tokens: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    tables: Vec<String>,
    now: Option<String>,
    fetched: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPage {
    url: String,
    #[serde(default)]
    headers: Vec<String>,
    #[serde(default)]
    html: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawAsk {
    agent: Option<String>,
    agents: Option<Vec<String>>,
    url: String,
    usage: Option<String>,
    purpose: Option<String>,
    #[serde(default)]
    elements: bool,
    #[serde(default)]
    named_only: bool,
    verdict: String,
    line: Option<u32>,
    lines: Option<Vec<u32>>,
    #[serde(default)]
    conditions: Vec<String>,
    #[serde(default)]
    incomplete: bool,
    now: Option<String>,
    user: Option<String>,
    geo: Option<String>,
    crawl: Option<String>,
    language: Option<String>,
    carrier: Option<String>,
    rule: Option<u32>,
    reason: Option<String>,
}

/// All cases of this crate's `cases` folder, by file name, then in file order.
///
/// # Errors
/// As [`load_from`].
pub fn load() -> Result<Vec<Case>, LoadError> {
    load_from(&crate::home().join("cases"))
}

/// All cases of the modern usage languages, from `cases/modern`.
///
/// # Errors
/// As [`load_from`].
pub fn load_modern() -> Result<Vec<Case>, LoadError> {
    load_from(&crate::home().join("cases").join("modern"))
}

/// All cases of a folder. `expected-differences.toml` is not a case file and is skipped.
///
/// # Errors
/// If a file cannot be read, or a case in it is malformed.
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
        if !is_kebab(&self.name) {
            return Err("the name is not kebab-case".to_owned());
        }
        let facts = Facts {
            lints: self.lints,
            schedule: self.schedule,
            extensions: self.extensions,
            requests: self.requests,
            comments: self.comments,
            locations: self.locations,
            freshness: self.freshness,
            over: self.over,
            canonical: self.canonical,
        };
        facts.check()?;
        if self.rules.is_empty() || (self.ask.is_empty() && facts.is_empty()) {
            return Err("a case names a rule and asks something or expects a fact".to_owned());
        }
        let profile = self.profile.unwrap_or_else(|| "full".to_owned());
        if !["full", "rfc9309", "google", "koster"].contains(&profile.as_str()) {
            return Err(format!("no profile {profile:?}"));
        }
        let document = self.document.unwrap_or_else(|| "robots.txt".to_owned());
        if !["robots.txt", "data.txt"].contains(&document.as_str()) {
            return Err(format!("no document {document:?}"));
        }
        let status = self.status.unwrap_or(200);
        let only_others = self.tdmrep.is_some() || self.ai_txt.is_some() || !self.headers.is_empty();
        let robots = match (self.robots, self.robots_b64) {
            (Some(text), None) => repeat(&text)?.into_bytes(),
            (None, Some(text)) => {
                base64::engine::general_purpose::STANDARD.decode(text).map_err(|e| e.to_string())?
            }
            (None, None) if only_others || !self.pages.is_empty() || !(200..300).contains(&status) => {
                Vec::new()
            }
            _ => return Err("exactly one of robots and robots_b64".to_owned()),
        };
        if let Some(path) = self.files.keys().find(|key| !key.starts_with('/') && !key.contains("://")) {
            return Err(format!("the file {path:?} has neither a path of this origin nor a URL"));
        }
        let origin = self.origin.unwrap_or_else(|| ORIGIN.to_owned());
        let headers = |lines: &[String]| -> Result<Vec<_>, String> {
            lines.iter().map(|line| modern::header(line)).collect()
        };
        let page = |page: RawPage| -> Result<Page, String> {
            let headers = headers(&page.headers)?;
            Ok(Page { url: absolute(page.url, &origin), headers, html: page.html })
        };
        let mut pages = self.pages.into_iter().map(page).collect::<Result<Vec<_>, _>>()?;
        let now = self.now.as_deref().map(modern::moment).transpose()?;
        let asks = self.ask.into_iter().map(|ask| ask.finish(&origin, now));
        let asks = asks.collect::<Result<Vec<Ask>, _>>()?;
        let urls: Vec<&str> = asks.iter().map(|ask| ask.url.as_str()).collect();
        modern::add_pages(&mut pages, headers(&self.headers)?, &urls);
        let fetched = self.fetched.as_deref().map(modern::moment).transpose()?;
        let (tdmrep, ai_txt, documents) = (self.tdmrep, self.ai_txt, self.documents);
        let (tokens, tables) = (self.tokens, self.tables);
        let modern = Modern { tdmrep, ai_txt, documents, tokens, tables, fetched };
        modern.check()?;
        let (name, rules, note, files) = (self.name, self.rules, self.note, self.files);
        let file = file.to_owned();
        Ok(Case {
            name,
            file,
            rules,
            note,
            profile,
            robots,
            origin,
            document,
            status,
            files,
            pages,
            modern,
            asks,
            facts,
        })
    }
}

impl RawAsk {
    fn finish(self, origin: &str, now: Option<i64>) -> Result<Ask, String> {
        let agents = match (self.agent, self.agents) {
            (Some(agent), None) => vec![agent],
            (None, Some(agents)) if !agents.is_empty() => agents,
            _ => return Err("exactly one of agent and agents".to_owned()),
        };
        let verdict = self.verdict;
        if !["allowed", "disallowed", "conditional", "unknown"].contains(&verdict.as_str()) {
            return Err(format!("no verdict {verdict:?}"));
        }
        let conditions = self.conditions;
        // An unknown answer may report the conditions of the part that could be read.
        let may_have = self.incomplete && verdict == "unknown";
        if !may_have && (verdict == "conditional") == conditions.is_empty() {
            return Err("a verdict is conditional exactly when it has conditions".to_owned());
        }
        let named = |text: &str| text.split_once('=').is_some_and(|(name, _)| is_kebab(name));
        if !conditions.is_sorted() || !conditions.iter().all(|text| named(text)) {
            return Err(format!("{conditions:?} are not sorted, or not `name=value`"));
        }
        let lines = self.lines.unwrap_or_default();
        if (self.line.is_some() && !lines.is_empty()) || lines.len() == 1 || !lines.is_sorted() {
            return Err("one `line`, or several ascending `lines`".to_owned());
        }
        let now = self.now.as_deref().map(modern::moment).transpose()?.or(now);
        let RawAsk { user, geo, crawl, language, carrier, rule, reason, .. } = self;
        let modern = ModernAsk { now, user, geo, crawl, language, carrier, rule, reason };
        modern.check()?;
        let url = absolute(repeat(&self.url)?, origin);
        let usage = self.usage.unwrap_or_else(|| "crawl".to_owned());
        let RawAsk { purpose, line, elements, named_only, incomplete, .. } = self;
        Ok(Ask {
            agents,
            url,
            usage,
            purpose,
            elements,
            named_only,
            verdict,
            line,
            lines,
            conditions,
            incomplete,
            modern,
        })
    }
}

/// Prepends the origin to a path.
fn absolute(url: String, origin: &str) -> String {
    if url.starts_with('/') { format!("{origin}{url}") } else { url }
}

fn is_kebab(name: &str) -> bool {
    let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !name.is_empty() && name.chars().all(kebab)
}

/// Expands `{{TEXT*COUNT}}` to COUNT repetitions of the text.
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

    #[test]
    fn what_is_expected_is_checked() {
        let case = |rest: &str| {
            let text = format!("case = [{{ name = 'a', rules = ['R1'], robots = '', {rest} }}]");
            let file: RawFile = toml::from_str(&text).map_err(|e| e.to_string())?;
            file.case.into_iter().map(|raw| raw.finish("f")).collect::<Result<Vec<_>, _>>()
        };
        let ask = |rest: &str| case(&format!("ask = [{{ agent = 'a', url = '/', {rest} }}]"));
        let fine = ask("verdict = 'conditional', conditions = ['a=1', 'b=2'], lines = [1, 2]").unwrap();
        assert_eq!(fine[0].asks[0].lines, [1, 2]);
        assert!(is_conventional(&fine[0]));
        assert!(ask("verdict = 'unknown', incomplete = true, conditions = ['a=1']").is_ok());
        assert!(ask("verdict = 'unknown', conditions = ['a=1']").is_err());
        assert!(case("canonical = [{ url = '/a?b=1', result = '/a' }]").is_ok());
        assert!(case("lints = ['unknown-key']").is_ok() && case("requests = []").is_err());
        assert!(case("lints = ['Unknown']").is_err() && case("linst = ['a']").is_err());
        let visit = |rest| case(&format!("schedule = [{{ agent = 'a', {rest} }}]"));
        assert!(visit("at = '1996-10-17T05:00:00Z', may = true, wait = 0").is_ok());
        assert!(visit("at = '1996-10-17T05:00:00Z', may = true, wait = 1").is_err());
        assert!(visit("at = '17 Oct 1996', may = true, wait = 0").is_err());
        for wrong in [
            "verdict = 'perhaps'",
            "verdict = 'conditional'",
            "verdict = 'allowed', conditions = ['a=1']",
            "verdict = 'conditional', conditions = ['b=2', 'a=1']",
            "verdict = 'conditional', conditions = ['a']",
            "verdict = 'allowed', lines = [1]",
            "verdict = 'allowed', lines = [2, 1]",
            "verdict = 'allowed', line = 1, lines = [1, 2]",
            "verdict = 'allowed', purposes = 'a'",
            "verdict = 'allowed', carrier = 'robot'",
            "verdict = 'allowed', now = 'today'",
        ] {
            assert!(ask(wrong).is_err(), "{wrong}");
        }
    }
}
