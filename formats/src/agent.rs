//! The name of a crawler as files and callers write it, and the part of it that is compared.
//!
//! Compiler and runtime both reduce names here, so that a file's `Googlebot/2.1` and a caller's
//! `googlebot` meet. Every front end, of the command, the service, the wheel and the library, asks
//! [`AgentRule::crawler_names`] which names a caller's words stand for, so that none asks under
//! another name. Invariant: [`AgentRule::reduce`] is idempotent. It does not know groups.

use crate::profile::AgentRule;
pub use crate::token::{google_token, product_token};
use crate::user_agent::{crawlers, is_header};
use std::borrow::Cow;

/// Why words name no crawler.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoCrawler {
    /// Nothing of them is a name.
    #[error(
        "{0:?} names no crawler: a name begins with a letter, a digit, `_`, `-` or `.`; `*` means any crawler"
    )]
    Nameless(String),
    /// They are the `User-Agent` header of a browser.
    #[error(
        "{0:?} is a User-Agent header that names no crawler: give the crawler's own name, as in `GPTBot`; `*` means \
         any crawler"
    )]
    Browser(String),
}

impl AgentRule {
    /// The names that a caller's words for one crawler stand for, best first: one name, names
    /// separated by commas, or a whole `User-Agent` header, which stands for the names that the
    /// crawler gives itself in it.
    ///
    /// # Errors
    /// When they name nobody.
    ///
    /// ```
    /// use robomaton_formats::Profile;
    ///
    /// let rule = Profile::Full.agent_rule();
    /// assert_eq!(rule.crawler_names("googlebot-news, googlebot").unwrap(), ["googlebot-news", "googlebot"]);
    /// let header = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)";
    /// assert_eq!(rule.crawler_names(header).unwrap(), ["GPTBot"]);
    /// assert!(rule.crawler_names("Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101").is_err());
    /// ```
    pub fn crawler_names(self, given: &str) -> Result<Vec<&str>, NoCrawler> {
        if let Some(names) = list(given) {
            return names.into_iter().map(|name| self.named(name)).collect();
        }
        if !self.reads_headers(given) {
            return self.named(given).map(|name| vec![name]);
        }
        match crawlers(given) {
            names if names.is_empty() => Err(NoCrawler::Browser(given.to_owned())),
            names => Ok(names),
        }
    }

    /// The same where nobody can be told of an error: words that name nobody stand for themselves,
    /// and are no name that any group has.
    pub fn crawler_names_or_nobody(self, given: &str) -> Vec<Cow<'_, str>> {
        match self.crawler_names(given) {
            Ok(names) => names.into_iter().map(Cow::Borrowed).collect(),
            // Groups never name the empty string but under `Verbatim`, where a header is never a
            // name either.
            Err(NoCrawler::Browser(_)) if self != AgentRule::Verbatim => vec!["".into()],
            Err(_) => vec![given.into()],
        }
    }

    /// Whether words are read as a header. Two of the dialects have names with spaces.
    fn reads_headers(self, given: &str) -> bool {
        match self {
            AgentRule::Token => is_header(given),
            AgentRule::Verbatim | AgentRule::Substring => given.contains('('),
        }
    }

    fn named(self, name: &str) -> Result<&str, NoCrawler> {
        // Under `Verbatim` a crawler may call itself by the empty string.
        let names = self == AgentRule::Verbatim || name.trim_ascii() == "*" || !self.reduce(name).is_empty();
        if names { Ok(name) } else { Err(NoCrawler::Nameless(name.to_owned())) }
    }

    /// The form under which a *caller's* name is looked up: lower case, reduced as the profile
    /// says.
    pub fn reduce(self, name: &str) -> String {
        let trimmed = name.trim_ascii();
        let kept = match self {
            AgentRule::Token => &trimmed[..product_token(trimmed.as_bytes()).len()],
            AgentRule::Verbatim => name,
            // K10: the version after `/` is not part of the name.
            AgentRule::Substring => trimmed.split('/').next().unwrap_or_default().trim_ascii_end(),
        };
        kept.to_ascii_lowercase()
    }

    /// Whether a file's value (as the profile keeps it) names the crawler with this reduced name.
    pub fn names(self, value: &str, reduced: &str) -> bool {
        match self {
            AgentRule::Substring => !reduced.is_empty() && value.to_ascii_lowercase().contains(reduced),
            _ => value.eq_ignore_ascii_case(reduced),
        }
    }
}

/// Names separated by commas, if that is what this is. A header may hold commas too.
pub fn list(given: &str) -> Option<Vec<&str>> {
    let is_name = |name: &&str| {
        let (token, version) = name.split_once('/').unwrap_or((name, ""));
        let is_whole = |part: &str| product_token(part.as_bytes()).len() == part.len();
        !token.is_empty() && is_whole(token) && is_whole(version)
    };
    let names: Vec<&str> = given.split(',').map(str::trim_ascii).collect();
    (names.len() > 1 && names.iter().all(is_name)).then_some(names)
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
        assert_eq!(AgentRule::Token.reduce("J\u{e4}vla-Bot/1.0"), "j\u{e4}vla-bot");
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
            ("360Spider,008", &["360Spider", "008"]),
            (HEADER, &["GPTBot"]),
            ("Googlebot/2.1 (+http://g.example)", &["Googlebot"]),
        ] {
            assert!(every.iter().all(|rule| rule.crawler_names(given).unwrap() == names), "{given}");
        }
        assert_eq!(TOKEN.crawler_names("Foo Bar").unwrap(), ["Foo", "Bar"]);
        assert_eq!(AgentRule::Substring.crawler_names("Fig Tree").unwrap(), ["Fig Tree"]);
        assert!(every.iter().all(|rule| rule.crawler_names(BROWSER).is_err()));
        assert_eq!(TOKEN.crawler_names_or_nobody(BROWSER), [""]);
        for (nobody, fail) in [("", [true, false, true]), ("/1.0", [true, false, true]), ("a,,b", [false; 3])]
        {
            assert_eq!(every.map(|rule| rule.crawler_names(nobody).is_err()), fail, "{nobody}");
        }
    }
}
