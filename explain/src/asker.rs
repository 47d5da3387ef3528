//! Who asks, for what, on what terms, and of which document.
//!
//! The question as people put it, by names; the image is asked with what these resolve to.

use robomaton_compiler::trace::Asked;
use robomaton_compiler::{Limits, Options};
use robomaton_formats::profile::AgentRule;
use robomaton_runtime::{Basis, Crawler, Decision, Image, Outcome, Profile, Site, Terms, Usage, Verdict};
use std::borrow::Cow;

/// Who asks, and for what.
#[derive(Clone, Debug)]
pub struct Asker {
    /// The crawler's names, best first (R5).
    pub agents: Vec<String>,
    /// What it wants to do.
    pub usage: String,
    /// What it wants that for.
    pub purpose: Option<String>,
    /// Whether it works on single elements of pages (M13).
    pub elements: bool,
}

impl Asker {
    /// Resolved for an image.
    pub fn resolve<D: AsRef<[u8]>>(&self, image: &Image<D>) -> (Crawler, Usage<'_>) {
        let usage = for_purpose(image.usage(&self.usage), self.purpose.as_deref());
        (image.crawler(&self.agents), usage)
    }

    /// As the trace is asked. `agents` are this asker's.
    pub fn asked<'a>(&'a self, agents: &'a [&'a str], target: &'a [u8], unheard: bool) -> Asked<'a> {
        let (usage, purpose) = (self.usage.as_str(), self.purpose.as_deref());
        Asked { agents, usage, purpose, target, elements: self.elements, unheard }
    }

    /// The names, borrowed.
    pub fn agents(&self) -> Vec<&str> {
        self.agents.iter().map(String::as_str).collect()
    }

    /// The names as the groups of this dialect are looked for, where they name anybody.
    pub fn looked_for(&self, rule: AgentRule) -> Vec<String> {
        let names = self.agents.iter().map(|name| rule.reduce(name));
        names.filter(|name| !matches!(name.as_str(), "" | "*")).collect()
    }
}

/// The asker in words.
pub fn asks(agents: &[String], usage: &str, purpose: Option<&str>, elements: bool) -> String {
    let purpose = purpose.map_or(String::new(), |purpose| format!(", for {purpose}"));
    let elements = if elements { ", on elements of pages" } else { "" };
    format!("{}, to {usage}{purpose}{elements}", agents.join(", then "))
}

/// A usage for a purpose, if there is one.
pub fn for_purpose<'p>(usage: Usage<'p>, purpose: Option<&'p str>) -> Usage<'p> {
    purpose.map_or(usage, |purpose| usage.for_purpose(purpose))
}

/// The names in a list. A whole `User-Agent` header may hold commas too, and is one name.
pub fn names(agent: &str) -> Vec<&str> {
    let is_token = |name: &str| {
        let of_token =
            |octet| matches!(octet, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' | b'.' | b'/');
        !name.is_empty() && name.bytes().all(of_token)
    };
    let parts: Vec<&str> = agent.split(',').map(str::trim_ascii).collect();
    if parts.iter().all(|part| is_token(part)) { parts } else { vec![agent] }
}

/// The part of a name that groups are found by under a profile.
///
/// # Errors
/// What is wrong with a name of which nothing is left.
pub fn reduced_name(name: &str, profile: Profile) -> Result<String, String> {
    let rule = profile.agent_rule();
    let reduced = rule.reduce(name);
    if reduced.is_empty() && rule != AgentRule::Verbatim && name.trim_ascii() != "*" {
        return Err(format!(
            "{name:?} names no crawler: a name begins with a letter, a digit, `_`, `-` or `.`; `*` asks the default \
             groups"
        ));
    }
    Ok(reduced)
}

/// The octets of a URL as text: what is no UTF-8 is percent-encoded, which is the same URL (R10).
pub fn spelled(url: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(url) {
        return text.into();
    }
    let mut text = String::with_capacity(url.len() + 16);
    for &octet in url {
        match octet {
            0x80.. => text.push_str(&format!("%{octet:02X}")),
            _ => text.push(char::from(octet)),
        }
    }
    text.into()
}

/// A URL whose site no image holds: the name is reserved.
const NOWHERE: &str = "http://nowhere.invalid/";

/// Answers for a URL, out of robots.txt or another document of its site.
pub fn decide<'a>(
    image: &'a Image,
    document: Option<&str>,
    crawler: &'a Crawler,
    usage: Usage<'a>,
    url: &'a str,
) -> Verdict<'a> {
    let Some(name) = document else { return image.decide(crawler, usage, url) };
    match image.document(url, name) {
        Some(site) => site.decide(crawler, usage, url),
        None => match image.decide(crawler, usage, url) {
            bad if bad.basis() == Basis::NoUrl => bad,
            // What robots.txt says does not answer for another document.
            _ => image.decide(crawler, usage, NOWHERE),
        },
    }
}

/// Whether the site may have a robots.txt that nobody has read, or has to be taken on these terms for one that forbids
/// everything: then what pages say to any crawler is not all.
pub fn unheard(site: &Site<'_>, terms: &Terms) -> bool {
    let outcome = site.outcome().unwrap_or(Outcome::Unresolved);
    let on_status = match site.status() {
        401 | 403 => terms.on_forbidden,
        429 => terms.on_throttled,
        _ => Decision::Allowed,
    };
    outcome.is_unheard() || outcome == Outcome::Unavailable && on_status == Decision::Disallowed
}

/// The options that an image was compiled with, as far as its provenance tells them.
pub fn options_of<D: AsRef<[u8]>>(image: &Image<D>) -> Options {
    let meta = image.view().meta().unwrap_or_default();
    let mut limits = Limits::default();
    for (name, value) in &meta.limits {
        let value = usize::try_from(*value).unwrap_or(usize::MAX);
        match name.as_str() {
            "bytes" => limits.bytes = Some(value),
            "groups" => limits.groups = value,
            "rules" => limits.rules = value,
            "stars" => limits.stars = value,
            "pattern" => limits.pattern = value,
            "usages" => limits.usages = value,
            "references" => limits.references = value,
            "conditions" => limits.conditions = value,
            "times" => limits.times = value,
            "depth" => limits.depth = value,
            "patterns" => limits.patterns = value,
            _ => {}
        }
    }
    Options { profile: image.profile(), limits, crawlers: meta.crawlers, ..Options::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_lists_of_tokens() {
        assert_eq!(names("a, b/1.0"), ["a", "b/1.0"]);
        assert_eq!(names("a"), ["a"]);
        assert_eq!(names("Mozilla/5.0 (KHTML, like Gecko)"), ["Mozilla/5.0 (KHTML, like Gecko)"]);
        assert_eq!(names(""), [""]);
        assert_eq!(names("a,"), ["a,"]);
    }

    #[test]
    fn octets_of_urls_are_text() {
        assert!(matches!(spelled("http://a/\u{e9}".as_bytes()), Cow::Borrowed("http://a/\u{e9}")));
        assert_eq!(spelled(b"http://a/\xe9\xff x"), "http://a/%E9%FF x");
    }
}
