//! Crawlers, usages and URLs as people write them.
//!
//! A [`Query`] consists of names. [`Query::resolve`] resolves it for an image,
//! [`Query::trace_query`] converts it for the trace.

use robomaton_compiler::trace::TraceQuery;
use robomaton_formats::agent::{is_version, list};
use robomaton_runtime::{Crawler, Image, NoCrawler, Profile, Usage, Verdict};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// A crawler, and its intended usage. In JSON the names are joined by commas.
#[derive(Clone, Debug, Serialize)]
pub struct Query {
    /// The crawler's names, best first (R5).
    #[serde(rename = "agent", serialize_with = "joined")]
    pub agents: Vec<String>,
    /// The usage.
    pub usage: String,
    /// The purpose of the usage.
    pub purpose: Option<String>,
    /// True if it works on single elements of pages (M13).
    pub elements: bool,
    /// True if default groups do not count ([`Crawler::named_only`]). An explanation has this key,
    /// the answer for a page does not.
    #[serde(skip)]
    pub named_only: bool,
}

fn joined<S: Serializer>(agents: &[String], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&agents.join(","))
}

impl Query {
    /// Resolves the names for an image.
    pub fn resolve<D: AsRef<[u8]>>(&self, image: &Image<D>) -> (Crawler, Usage<'_>) {
        let usage = for_purpose(image.usage(&self.usage), self.purpose.as_deref());
        let crawler = image.crawler(&self.agents);
        (crawler.named_only(self.named_only), usage)
    }

    /// The query for the trace. `agents` comes from [`Query::agents`].
    pub(crate) fn trace_query<'a>(
        &'a self,
        agents: &'a [&'a str],
        target: &'a [u8],
        robots_may_refuse: bool,
    ) -> TraceQuery<'a> {
        let (usage, purpose) = (self.usage.as_str(), self.purpose.as_deref());
        let Query { elements, named_only, .. } = *self;
        TraceQuery { agents, usage, purpose, target, elements, robots_may_refuse, named_only }
    }

    /// The names, borrowed.
    pub(crate) fn agents(&self) -> Vec<&str> {
        self.agents.iter().map(String::as_str).collect()
    }
}

impl fmt::Display for Query {
    /// `mybot, then *, to index, for news, on elements of pages`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, to {}", self.agents.join(", then "), self.usage)?;
        if let Some(purpose) = &self.purpose {
            write!(f, ", for {purpose}")?;
        }
        f.write_str(if self.elements { ", on elements of pages" } else { "" })
    }
}

/// A usage for a purpose, if there is one.
pub fn for_purpose<'p>(usage: Usage<'p>, purpose: Option<&'p str>) -> Usage<'p> {
    purpose.map_or(usage, |purpose| usage.for_purpose(purpose))
}

/// Splits a list of crawlers at its commas. A whole `User-Agent` header is not split:
/// [`crawler_names`] finds the names in it.
pub fn names(agent: &str) -> Vec<&str> {
    list(agent).unwrap_or_else(|| vec![agent])
}

/// The names of the crawler in a header or a product token, best first.
///
/// # Errors
/// If it names no crawler.
pub fn crawler_names(agent: &str, profile: Profile) -> Result<Vec<&str>, NoCrawler> {
    profile.agent_rule().crawler_names(agent)
}

/// Names of one crawler, with those in its headers. Each is looked up for itself, in each layer;
/// headers of real crawlers have up to a dozen.
pub const MOST_NAMES: usize = 64;

/// Refuses names and headers that name no crawler, or too many.
///
/// # Errors
/// The reason.
pub fn check_names<'n>(agents: impl IntoIterator<Item = &'n str>, profile: Profile) -> Result<(), String> {
    let mut count = 0;
    for agent in agents {
        count += crawler_names(agent, profile).map_err(|error| error.to_string())?.len();
        if count > MOST_NAMES {
            return Err(format!("more than {MOST_NAMES} names of one crawler, with those in its headers"));
        }
    }
    Ok(())
}

/// A remark about the names in use, if the caller gave more than a name and its version, so that
/// another name may have been meant, or if no group can have that name.
pub fn name_remark(given: &str, profile: Profile) -> Option<String> {
    let rule = profile.agent_rule();
    let names = rule.crawler_names(given).ok()?;
    let quoted =
        |names: &[&str]| names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", then ");
    if let Some(name) = names.iter().find(|name| !rule.may_be_named(name)) {
        let why = "profile `google` compares it whole, and cuts the names of groups at the first character \
            outside A-Z, a-z, _ and -";
        return Some(format!("no group can name {name:?}: {why}"));
    }
    if let [name] = names[..]
        && name == given.trim_ascii()
    {
        let trimmed = name;
        let reduced = rule.reduce(given);
        let rest = trimmed.get(reduced.len()..)?;
        let is_whole = trimmed == "*" || matches!(rest, "" | "/") || is_version(rest);
        return (!is_whole).then(|| format!("asking as {reduced:?}, the product token of {given:?}"));
    }
    list(given)
        .is_none()
        .then(|| format!("asking as {}: that is how the User-Agent header names the crawler", quoted(&names)))
}

/// The bytes of a URL as text: bytes that are not UTF-8 are percent-encoded, which gives the same
/// URL (R10).
pub fn url_text(url: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(url) {
        return text.into();
    }
    let mut text = String::with_capacity(url.len() + 16);
    for &byte in url {
        match byte {
            0x80.. => text.push_str(&format!("%{byte:02X}")),
            _ => text.push(char::from(byte)),
        }
    }
    text.into()
}

/// Decides a URL by robots.txt, or by another document of its site.
pub fn decide<'a, D: AsRef<[u8]>>(
    image: &'a Image<D>,
    document: Option<&str>,
    crawler: &'a Crawler,
    usage: Usage<'a>,
    url: &'a str,
) -> Verdict<'a> {
    match document {
        Some(name) => image.decide_document(name, crawler, usage, url),
        None => image.decide(crawler, usage, url),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_lists_of_tokens() {
        assert_eq!(names("a, b/1.0"), ["a", "b/1.0"]);
        assert_eq!(names("Mozilla/5.0 (KHTML, like Gecko)"), ["Mozilla/5.0 (KHTML, like Gecko)"]);
        assert_eq!(names("a,"), ["a"]);
    }

    #[test]
    fn queries_are_described() {
        let agents = vec!["a".to_owned(), "*".to_owned()];
        let mut query =
            Query { agents, usage: "index".into(), purpose: None, elements: false, named_only: false };
        assert_eq!(query.to_string(), "a, then *, to index");
        (query.purpose, query.elements) = (Some("news".into()), true);
        assert_eq!(query.to_string(), "a, then *, to index, for news, on elements of pages");
    }

    #[test]
    fn other_names_than_the_given_ones_are_reported() {
        let remark = |given| name_remark(given, Profile::Full);
        for name in ["GPTBot", "GPTBot/1.2", " a ", "*", "a, b/1.0", "a,b"] {
            assert_eq!(remark(name), None, "{name}");
        }
        let cut = remark("Foo:x").unwrap();
        assert_eq!(cut, "asking as \"foo\", the product token of \"Foo:x\"");
        let header = remark("Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)").unwrap();
        assert!(header.starts_with("asking as \"GPTBot\": "), "{header}");
        for name in ["GPTBot", "gpt-bot_", " FooBot", "*", ""] {
            assert_eq!(name_remark(name, Profile::Google), None, "{name}");
        }
        for name in ["FooBot/2.1", "MJ12bot", "Foo, FooBot/2.1"] {
            assert!(name_remark(name, Profile::Google).unwrap().starts_with("no group can name "), "{name}");
        }
    }

    #[test]
    fn versions_are_no_part_of_a_name() {
        assert!(["/2.1", "/1.0-beta"].into_iter().all(is_version));
        assert!(["", "/", " x", "/5.0 (x)", ",", "/a/b", "\u{e9}"].into_iter().all(|rest| !is_version(rest)));
    }

    #[test]
    fn bytes_of_urls_are_text() {
        assert!(matches!(url_text("http://a/\u{e9}".as_bytes()), Cow::Borrowed("http://a/\u{e9}")));
        assert_eq!(url_text(b"http://a/\xe9\xff x"), "http://a/%E9%FF x");
    }
}
