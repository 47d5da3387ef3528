//! Who asks, for what, on what terms, and of which document.
//!
//! The question as people put it, by names; the image is asked with what these resolve to.

use robomaton_compiler::trace::Asked;
use robomaton_compiler::{Limits, Options};
use robomaton_formats::agent::list;
use robomaton_formats::profile::AgentRule;
use robomaton_runtime::{
    Basis, Crawler, Decision, Image, NoCrawler, Outcome, Profile, Site, Terms, Usage, Verdict,
};
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
    /// Whether only groups that name it count.
    pub named_only: bool,
}

impl Asker {
    /// Resolved for an image.
    pub fn resolve<D: AsRef<[u8]>>(&self, image: &Image<D>) -> (Crawler, Usage<'_>) {
        let usage = for_purpose(image.usage(&self.usage), self.purpose.as_deref());
        let crawler = image.crawler(&self.agents);
        (crawler.named_only(self.named_only), usage)
    }

    /// As the trace is asked. `agents` are this asker's.
    pub fn asked<'a>(&'a self, agents: &'a [&'a str], target: &'a [u8], unheard: bool) -> Asked<'a> {
        let (usage, purpose) = (self.usage.as_str(), self.purpose.as_deref());
        let Asker { elements, named_only, .. } = *self;
        Asked { agents, usage, purpose, target, elements, unheard, named_only }
    }

    /// The names, borrowed.
    pub fn agents(&self) -> Vec<&str> {
        self.agents.iter().map(String::as_str).collect()
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

/// What a caller gives for a crawler, lists taken apart. A whole `User-Agent` header is one thing, and is asked by the
/// names that [`crawler_names`] finds in it.
pub fn names(agent: &str) -> Vec<&str> {
    list(agent).unwrap_or_else(|| vec![agent])
}

/// The names that a caller's words for one crawler stand for, best first.
///
/// # Errors
/// When they name nobody.
pub fn crawler_names(agent: &str, profile: Profile) -> Result<Vec<&str>, NoCrawler> {
    profile.agent_rule().crawler_names(agent)
}

/// Says under which names is asked, where a caller gave more than a name and its version: then another name may have been
/// meant.
pub fn asked_as(given: &str, profile: Profile) -> Option<String> {
    let rule = profile.agent_rule();
    let names = rule.crawler_names(given).ok()?;
    let quoted =
        |names: &[&str]| names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", then ");
    if let [name] = names[..]
        && name == given
    {
        let trimmed = given.trim_ascii();
        let reduced = rule.reduce(given);
        let is_whole =
            rule == AgentRule::Verbatim || trimmed == "*" || is_version(trimmed.get(reduced.len()..)?);
        return (!is_whole).then(|| format!("asking as {reduced:?}, the product token of {given:?}"));
    }
    list(given)
        .is_none()
        .then(|| format!("asking as {}: that is how the User-Agent header names the crawler", quoted(&names)))
}

/// Whether this is nothing, or `/` and a version.
fn is_version(rest: &str) -> bool {
    let of_version =
        |octet: u8| octet.is_ascii_alphanumeric() || matches!(octet, b'.' | b'-' | b'_' | b'+' | b'~');
    rest.is_empty() || rest.strip_prefix('/').is_some_and(|version| version.bytes().all(of_version))
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
        assert_eq!(names("Mozilla/5.0 (KHTML, like Gecko)"), ["Mozilla/5.0 (KHTML, like Gecko)"]);
        assert_eq!(names("a,"), ["a,"]);
    }

    #[test]
    fn other_names_than_were_given_are_said() {
        let said = |given| asked_as(given, Profile::Full);
        for name in ["GPTBot", "GPTBot/1.2", " a ", "*", "a, b/1.0", "a,b"] {
            assert_eq!(said(name), None, "{name}");
        }
        let cut = said("Foo:x").unwrap();
        assert_eq!(cut, "asking as \"foo\", the product token of \"Foo:x\"");
        let header = said("Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)").unwrap();
        assert!(header.starts_with("asking as \"GPTBot\": "), "{header}");
        assert_eq!(asked_as("FooBot/2.1 x", Profile::Google), None);
    }

    #[test]
    fn versions_are_no_part_of_a_name() {
        assert!(["", "/2.1", "/1.0-beta"].into_iter().all(is_version));
        assert!([" x", "/5.0 (x)", ",", "/a/b", "\u{e9}"].into_iter().all(|rest| !is_version(rest)));
    }

    #[test]
    fn octets_of_urls_are_text() {
        assert!(matches!(spelled("http://a/\u{e9}".as_bytes()), Cow::Borrowed("http://a/\u{e9}")));
        assert_eq!(spelled(b"http://a/\xe9\xff x"), "http://a/%E9%FF x");
    }
}
