//! Crawler names: how files and callers write them, and the part that is compared.
//!
//! Compiler and runtime both reduce names here, so a file's `Googlebot/2.1` and a caller's
//! `googlebot` match. Every front end (command, service, wheel, library) calls
//! [`AgentRule::crawler_names`] to turn the caller's input into names, so they all look for the
//! same names. Invariant: [`AgentRule::reduce`] is idempotent. This file does not know groups.

use crate::profile::AgentRule;
pub use crate::token::{google_token, product_token};
use crate::user_agent::{crawlers, is_header};
use std::borrow::Cow;
use std::collections::HashSet;

/// The reason why an input names no crawler.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoCrawler {
    /// No part of the input is a name.
    #[error(
        "{0:?} names no crawler: a name begins with a letter, a digit, `_`, `-` or `.`; `*` means any crawler"
    )]
    Nameless(String),
    /// The input is the `User-Agent` header of a browser.
    #[error(
        "{0:?} is a User-Agent header that names no crawler: give the crawler's own name, as in `GPTBot`; `*` means \
         any crawler"
    )]
    Browser(String),
}

/// The maximum length of a general name in bytes: longer names are compared whole.
pub const MAX_GENERAL_NAME: usize = 64;

/// So many names of a caller are compared with all those of a text; of more, sets are made.
pub(crate) const FEW_NAMES: usize = 8;

/// The form of a general name, which stands for all names that begin like it (decision 41): the
/// name and a `*`, which no name contains. `None` if it is too long.
pub fn general_name(name: &str) -> Option<String> {
    (1..=MAX_GENERAL_NAME).contains(&name.len()).then(|| format!("{name}*"))
}

/// The form of a whole name, which no other name answers to (V8, decision 34): in double quotes,
/// which no product token contains, in lower case, with each run of white space as one space.
pub fn whole_name(name: &str) -> String {
    let words: Vec<String> = name.split_ascii_whitespace().map(str::to_ascii_lowercase).collect();
    format!("\"{}\"", words.join(" "))
}

/// The names to which a whole value answers (decision 34): a product token is a name like any
/// other; a token with a version stands for itself and for a crawler that gives the bare token.
///
/// ```
/// use robomaton_formats::agent::names_of_value;
///
/// assert_eq!(names_of_value("Bot"), ["Bot"]);
/// assert_eq!(names_of_value("Bot/1.0"), ["\"bot/1.0\"", "\"bot\""]);
/// assert_eq!(names_of_value("Acme  News Reader"), ["\"acme news reader\""]);
/// ```
pub fn names_of_value(value: &str) -> Vec<String> {
    let token = &value[..product_token(value.as_bytes()).len()];
    match &value[token.len()..] {
        "" => vec![token.to_owned()],
        version if !token.is_empty() && is_version(version) => vec![whole_name(value), whole_name(token)],
        _ => vec![whole_name(value)],
    }
}

/// The other names of the crawler with a whole name, best first; none for a name of another form.
///
/// ```
/// use robomaton_formats::agent::other_names;
///
/// assert_eq!(other_names("\"bot/1.0\""), ["bot", "bot*", "bo*", "b*"]);
/// assert!(other_names("bot").is_empty());
/// ```
pub fn other_names(name: &str) -> Vec<String> {
    let mut names = whole_text(name).map(|whole| AgentRule::Token.lookup_names(whole)).unwrap_or_default();
    names.retain(|other| other != name);
    names
}

/// A name as a file has it: a whole name without its quotation marks.
pub fn shown_name(name: &str) -> &str {
    whole_text(name).unwrap_or(name)
}

fn whole_text(name: &str) -> Option<&str> {
    name.strip_prefix('"')?.strip_suffix('"')
}

/// The names of a group as its text has them: without the whole names of crawlers that another name
/// stands for, which lead to the group too.
///
/// ```
/// use robomaton_formats::agent::written_names;
///
/// assert_eq!(written_names(&["Bot", "\"bot/1.0\""]), ["Bot"]);
/// assert_eq!(written_names(&["\"bot/1.0\"", "\"bot\""]), ["bot/1.0"]);
/// ```
pub fn written_names<'n>(names: &[&'n str]) -> Vec<&'n str> {
    let plain: HashSet<String> = names.iter().map(|name| name.to_ascii_lowercase()).collect();
    let bare: HashSet<&str> =
        names.iter().filter_map(|name| Some(whole_text(name)?.split_once('/')?.0)).collect();
    let is_other = |name: &&&str| {
        whole_text(name).is_none_or(|text| {
            !bare.contains(text) && !other_names(name).iter().any(|other| plain.contains(other))
        })
    };
    names.iter().filter(is_other).map(|name| shown_name(name)).collect()
}

/// True if this is `/` and a version.
pub fn is_version(text: &str) -> bool {
    let is_in_version =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b'+' | b'~');
    text.strip_prefix('/').is_some_and(|version| !version.is_empty() && version.bytes().all(is_in_version))
}

impl AgentRule {
    /// The names under which groups are looked for, best first: each name in a caller's input as a
    /// whole (decision 34), then reduced, then the general names that it begins like, the longest
    /// first (decision 41). A header, or several words, is one more whole name.
    ///
    /// ```
    /// use robomaton_formats::Profile;
    ///
    /// let names = Profile::Full.agent_rule().lookup_names("Bot/1.0");
    /// assert_eq!(names, ["\"bot/1.0\"", "bot", "bot*", "bo*", "b*"]);
    /// ```
    pub fn lookup_names(self, given: &str) -> Vec<String> {
        if let Some(names) = list(given) {
            return names.into_iter().flat_map(|name| self.lookup_names(name)).collect();
        }
        let mut names = Vec::new();
        let is_header = self.reads_headers(given);
        if self == AgentRule::Token && is_header {
            names.push(whole_name(given));
        }
        // Words without a comment may be the one name of an ACAP record.
        let is_of_words = is_header && !given.contains(['(', ';']);
        for name in self.crawler_names_or_nobody(given) {
            if self == AgentRule::Token && name != "*" && !is_of_words {
                names.push(whole_name(&name));
            }
            let name = self.reduce(&name);
            let lengths = if self == AgentRule::Token && name != "*" { name.len() } else { 0 };
            let starts = (1..=lengths.min(MAX_GENERAL_NAME)).rev().filter_map(|length| name.get(..length));
            let general: Vec<String> = starts.filter_map(general_name).collect();
            names.push(name);
            names.extend(general);
        }
        names
    }

    /// The crawler names in a caller's input, best first. The input is one name, several names
    /// separated by commas, or a whole `User-Agent` header, from which the names that the crawler
    /// gives itself are taken.
    ///
    /// # Errors
    /// If the input names no crawler.
    ///
    /// ```
    /// use robomaton_formats::Profile;
    ///
    /// let rule = Profile::Full.agent_rule();
    /// assert_eq!(rule.crawler_names("googlebot-news, googlebot").unwrap(), ["googlebot-news", "googlebot"]);
    /// assert_eq!(rule.crawler_names("googlebot, *").unwrap(), ["googlebot", "*"]);
    /// let header = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)";
    /// assert_eq!(rule.crawler_names(header).unwrap(), ["GPTBot"]);
    /// assert!(rule.crawler_names("Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101").is_err());
    /// ```
    pub fn crawler_names(self, given: &str) -> Result<Vec<&str>, NoCrawler> {
        if let Some(list) = list(given) {
            let mut names = Vec::new();
            for one in list {
                names.extend(self.crawler_names(one)?);
            }
            return Ok(names);
        }
        if !self.reads_headers(given) {
            return self.named(given).map(|name| vec![name]);
        }
        match crawlers(given) {
            names if names.is_empty() => Err(NoCrawler::Browser(given.to_owned())),
            names => Ok(names),
        }
    }

    /// Like [`AgentRule::crawler_names`], for callers that cannot report an error: an input that
    /// names no crawler is returned as a name that no group has.
    pub fn crawler_names_or_nobody(self, given: &str) -> Vec<Cow<'_, str>> {
        if let Some(names) = list(given) {
            return names.into_iter().flat_map(|name| self.crawler_names_or_nobody(name)).collect();
        }
        match self.crawler_names(given) {
            Ok(names) => names.into_iter().map(Cow::Borrowed).collect(),
            // Groups never name the empty string except under `Verbatim`, where a header is never a
            // name either.
            Err(NoCrawler::Browser(_)) if self != AgentRule::Verbatim => vec!["".into()],
            Err(_) => vec![given.into()],
        }
    }

    /// True if the input is read as a header. Names may contain spaces in two of the dialects.
    fn reads_headers(self, given: &str) -> bool {
        match self {
            AgentRule::Token => is_header(given),
            AgentRule::Verbatim | AgentRule::Substring => given.contains('('),
        }
    }

    fn named(self, name: &str) -> Result<&str, NoCrawler> {
        let name = name.trim_ascii();
        // Under `Verbatim` a crawler's name may be the empty string.
        let names = self == AgentRule::Verbatim || name == "*" || !self.reduce(name).is_empty();
        if names { Ok(name) } else { Err(NoCrawler::Nameless(name.to_owned())) }
    }

    /// False if no group can have this name of a *caller*, since the profile cuts the names of
    /// groups.
    pub fn may_be_named(self, name: &str) -> bool {
        self != AgentRule::Verbatim || name == "*" || google_token(name.as_bytes()).len() == name.len()
    }

    /// The lower-case form under which a *caller's* name is looked up, reduced by the profile's
    /// rule.
    pub fn reduce(self, name: &str) -> String {
        let trimmed = name.trim_ascii();
        let kept = match self {
            AgentRule::Token => &trimmed[..product_token(trimmed.as_bytes()).len()],
            AgentRule::Verbatim => name,
            // K10: the version after `/` is not part of the name. Who asks as `*` has no name.
            AgentRule::Substring => match trimmed.split('/').next().unwrap_or_default().trim_ascii_end() {
                "*" => "",
                name => name,
            },
        };
        kept.to_ascii_lowercase()
    }

    /// True if a file's value (in the form that the profile keeps) names the crawler with this
    /// reduced name.
    pub fn names(self, value: &str, reduced: &str) -> bool {
        match self {
            AgentRule::Substring => !reduced.is_empty() && value.to_ascii_lowercase().contains(reduced),
            _ => value.eq_ignore_ascii_case(reduced),
        }
    }

    /// The first of a crawler's reduced names that one of these values names. Linear: both are of
    /// strangers.
    pub fn first_named<'n, 'v>(
        self,
        values: impl IntoIterator<Item = &'v str>,
        names: &'n [String],
    ) -> Option<&'n String> {
        let values: Vec<&str> = values.into_iter().collect();
        if self == AgentRule::Substring || names.len() <= FEW_NAMES {
            return names.iter().find(|name| values.iter().any(|value| self.names(value, name)));
        }
        let values: HashSet<String> = values.into_iter().map(str::to_ascii_lowercase).collect();
        names.iter().find(|name| values.contains(&name.to_ascii_lowercase()))
    }
}

/// The bytes of a crawler's name as text. Bytes that are not UTF-8 are Latin-1 (R5).
pub fn name_text(name: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(name) {
        Ok(text) => text.into(),
        Err(_) => name.iter().map(|&byte| char::from(byte)).collect(),
    }
}

/// Splits a list of names at its commas; surplus commas are ignored. `None` without a comma, or if
/// there is a comment: that of a header may contain commas, too.
pub fn list(given: &str) -> Option<Vec<&str>> {
    if !given.contains(',') || given.contains(['(', ')', ';']) {
        return None;
    }
    let names: Vec<&str> = given.split(',').map(str::trim_ascii).filter(|name| !name.is_empty()).collect();
    (!names.is_empty()).then_some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_reduced_as_the_profile_says() {
        assert_eq!(AgentRule::Token.reduce(" Googlebot/2.1 (x)"), "googlebot");
        assert_eq!(AgentRule::Token.reduce("archive.org_bot"), "archive.org_bot");
        assert_eq!(AgentRule::Verbatim.reduce("FooBot/2.1"), "foobot/2.1");
        assert_eq!(AgentRule::Substring.reduce("FigTree/0.1 Robot"), "figtree");
        assert_eq!(AgentRule::Substring.reduce("Fig Tree"), "fig tree");
        assert_eq!(AgentRule::Substring.reduce("   /a\u{e9}"), "");
        assert_eq!(AgentRule::Substring.reduce(" a /b"), "a");
        assert_eq!(AgentRule::Substring.reduce(" * "), "");
        assert_eq!(AgentRule::Token.reduce("J\u{e4}vla-Bot/1.0"), "j\u{e4}vla-bot");
    }

    #[test]
    fn a_header_is_looked_up_as_each_of_its_names() {
        let names = AgentRule::Token.lookup_names("Mozilla/5.0 (compatible; Foo/1.0)");
        let whole = ["\"mozilla/5.0 (compatible; foo/1.0)\"", "\"foo\"", "foo", "foo*", "fo*", "f*"];
        assert_eq!(names, whole);
    }

    #[test]
    fn words_stand_for_names() {
        const TOKEN: AgentRule = AgentRule::Token;
        const HEADER: &str = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)";
        const BROWSER: &str = "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0";
        let every = [TOKEN, AgentRule::Verbatim, AgentRule::Substring];
        for (given, names) in [
            ("a", &["a"][..]),
            ("a, b/1.0", &["a", "b/1.0"]),
            ("*", &["*"]),
            ("a,", &["a"]),
            ("a,,b", &["a", "b"]),
            (", a/1.0+git, b", &["a/1.0+git", "b"]),
            ("360Spider,008", &["360Spider", "008"]),
            ("a, *", &["a", "*"]),
            (" a ", &["a"]),
            ("a,b/", &["a", "b/"]),
            (HEADER, &["GPTBot"]),
            ("Googlebot/2.1 (+http://g.example)", &["Googlebot"]),
        ] {
            assert!(every.iter().all(|rule| rule.crawler_names(given).unwrap() == names), "{given}");
        }
        assert_eq!(TOKEN.crawler_names("Foo Bar").unwrap(), ["Foo", "Bar"]);
        assert_eq!(AgentRule::Substring.crawler_names("Fig Tree").unwrap(), ["Fig Tree"]);
        assert_eq!(AgentRule::Substring.crawler_names("b,Fig Tree").unwrap(), ["b", "Fig Tree"]);
        assert!(every.iter().all(|rule| rule.crawler_names(BROWSER).is_err()));
        assert_eq!(TOKEN.crawler_names_or_nobody(BROWSER), [""]);
        for (nobody, fail) in
            [("", [true, false, true]), ("/1.0", [true, false, true]), (",", [true, false, false])]
        {
            assert_eq!(every.map(|rule| rule.crawler_names(nobody).is_err()), fail, "{nobody}");
        }
    }
}
