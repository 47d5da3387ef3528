//! Clean-param of Yandex: parameters that do not change what a URL shows.
//!
//! Lowering passes [`crate::Line::value`] to [`clean_param`]; [`canonical_url`] applies the rules
//! of a file to a URL. A rule names duplicates and has no part in permissions. Invariant: a URL
//! that no rule changes is returned as it is, byte for byte. This file does not parse, decode or
//! compare hosts.

use std::collections::HashSet;

use super::trim;

/// The longest value, in bytes (Yandex: a line of at most 500 characters).
pub const VALUE_LIMIT: usize = 500;

/// The greatest number of rules that are applied to a URL; later ones have no effect.
pub const RULE_LIMIT: usize = 1000;

/// The longest URL that is changed, in bytes.
pub const URL_LIMIT: usize = 64 * 1024;

/// A Clean-param rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CleanParam {
    /// The names of the parameters, case-sensitive and never empty. There is at least one.
    pub parameters: Vec<String>,
    /// The pattern of the paths that the rule is for, with `*` for any text and an implicit one at
    /// its end; empty for every path.
    pub path: String,
}

/// Parses the value of a Clean-param line: `p0[&p1…] [path]`.
///
/// Gives `None` if there is no parameter, if the path contains a character other than `A-Z`, `a-z`,
/// `0-9`, `.`, `-`, `/`, `*` and `_`, or if more follows. Empty names between `&` are skipped.
///
/// ```
/// use robomaton_grammar::modern::clean_param::clean_param;
///
/// let rule = clean_param(b"s&ref /forum*/showthread.php").unwrap();
/// assert_eq!(rule.parameters, ["s", "ref"]);
/// assert_eq!(rule.path, "/forum*/showthread.php");
/// ```
pub fn clean_param(value: &[u8]) -> Option<CleanParam> {
    let value = trim(value);
    if value.len() > VALUE_LIMIT {
        return None;
    }
    let mut words = std::str::from_utf8(value).ok()?.split([' ', '\t']).filter(|word| !word.is_empty());
    let names = words.next()?.split('&').filter(|name| !name.is_empty());
    let parameters: Vec<String> = names.map(str::to_owned).collect();
    let path = words.next().unwrap_or_default();
    let is_path = path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-/*_".contains(&byte));
    let is_rule = !parameters.is_empty() && is_path && words.next().is_none();
    is_rule.then(|| CleanParam { parameters, path: path.to_owned() })
}

/// The URL without the parameters that the rules for its path name. Without parameters left, the
/// question mark goes too; the order of parameters and the fragment stay.
///
/// The URL may be absolute, or begin with its path. A URL longer than [`URL_LIMIT`] is returned as
/// it is.
///
/// ```
/// use robomaton_grammar::modern::clean_param::{canonical_url, clean_param};
///
/// let rule = clean_param(b"ref /some_dir/get_book.pl").unwrap();
/// let url = "https://e.example/some_dir/get_book.pl?ref=site_1&book_id=123";
/// assert_eq!(canonical_url(url, &[rule]), "https://e.example/some_dir/get_book.pl?book_id=123");
/// ```
pub fn canonical_url(url: &str, rules: &[CleanParam]) -> String {
    let end = url.find('#').unwrap_or(url.len());
    let Some(question) = url[..end].find('?').filter(|_| url.len() <= URL_LIMIT) else {
        return url.to_owned();
    };
    let (before, query, fragment) = (&url[..question], &url[question + 1..end], &url[end..]);
    let path = path(before);
    let applied = rules.iter().take(RULE_LIMIT).filter(|rule| is_match(&rule.path, path));
    let names: HashSet<&str> = applied.flat_map(|rule| &rule.parameters).map(String::as_str).collect();
    let is_kept = |parameter: &&str| {
        let name = parameter.split_once('=').map_or(*parameter, |(name, _)| name);
        !names.contains(name)
    };
    if query.split('&').all(|parameter| is_kept(&parameter)) {
        return url.to_owned();
    }
    let query = query.split('&').filter(is_kept).collect::<Vec<_>>().join("&");
    let question = if query.is_empty() { "" } else { "?" };
    format!("{before}{question}{query}{fragment}")
}

/// The path of a URL without a query; `/` if it is empty.
fn path(url: &str) -> &str {
    let after_scheme = match url.split_once("://") {
        Some((scheme, rest)) if !scheme.contains('/') => rest,
        _ => return url,
    };
    after_scheme.find('/').map_or("/", |slash| &after_scheme[slash..])
}

/// Whether the pattern matches a prefix of the path. The pieces between stars are sought from left
/// to right, each as early as possible, which leaves the most for those that follow.
fn is_match(pattern: &str, path: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = path.strip_prefix(first) else { return false };
    pieces.all(|piece| match memchr::memmem::find(rest.as_bytes(), piece.as_bytes()) {
        Some(start) => {
            rest = &rest[start + piece.len()..];
            true
        }
        None => false,
    })
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn rules(values: &[&str]) -> Vec<CleanParam> {
        values.iter().map(|value| clean_param(value.as_bytes()).unwrap()).collect()
    }

    #[track_caller]
    fn gives(values: &[&str], url: &str, expected: &str) {
        assert_eq!(canonical_url(url, &rules(values)), expected, "{values:?} {url}");
    }

    #[test]
    fn values_have_parameters_and_a_path() {
        let read =
            |value: &str| clean_param(value.as_bytes()).map(|rule| (rule.parameters.join("|"), rule.path));
        let rule = |names: &str, path: &str| Some((names.to_owned(), path.to_owned()));
        assert_eq!(read("ref /some_dir/get_book.pl"), rule("ref", "/some_dir/get_book.pl"));
        assert_eq!(read(" \ts&ref \t /forum*/show-thread.php "), rule("s|ref", "/forum*/show-thread.php"));
        assert_eq!(read("sid"), rule("sid", ""));
        assert_eq!(read("param1 param2"), rule("param1", "param2"));
        assert_eq!(read("&a&&b&"), rule("a|b", ""));
        assert_eq!(read("Ref[]&=1 *"), rule("Ref[]|=1", "*"));
        for value in ["", " ", "&", "& /x", "s /x?y", "s /caf\u{E9}", "s /x$", "s /x /y", "s /x# y", "s %2F"]
        {
            assert_eq!(read(value), None, "{value}");
        }
        assert_eq!(clean_param(b"s\xFF /x"), None);
        assert!(read(&"a".repeat(VALUE_LIMIT)).is_some());
        assert_eq!(read(&"a".repeat(VALUE_LIMIT + 1)), None);
    }

    #[test]
    fn examples_of_yandex() {
        let url = "/some_dir/get_book.pl?ref=site_1&book_id=123";
        gives(&["ref /some_dir/get_book.pl"], url, "/some_dir/get_book.pl?book_id=123");
        let url = "/forum/showthread.php?s=681498b9648949605&t=8243";
        gives(&["s /forum/showthread.php"], url, "/forum/showthread.php?t=8243");
        let url = "/forum_old/showthread.php?s=1&ref=2&t=3";
        gives(&["s&ref /forum*/showthread.php"], url, "/forum_old/showthread.php?t=3");
    }

    #[test]
    fn an_empty_query_goes_too() {
        gives(&["s"], "/a?s=1", "/a");
        gives(&["s"], "/a?s=1#top", "/a#top");
        gives(&["s"], "/a?s=1&", "/a");
        gives(&["s"], "/a?", "/a?");
        gives(&["s"], "/a", "/a");
    }

    #[test]
    fn names_are_compared_as_a_whole() {
        gives(&["utm_source&utm_medium"], "/x?utm_source=a&utm_sourceX=b", "/x?utm_sourceX=b");
        gives(&["s /forum/"], "/forum/?S=1", "/forum/?S=1");
        gives(&["s"], "/x?s&as=1&s=&t=s&s==", "/x?as=1&t=s");
        gives(&["s"], "/x?%73=1", "/x?%73=1");
        gives(&["s"], "/x#?s=1", "/x#?s=1");
        gives(&["s"], "/x?t=?&s=1&&b", "/x?t=?&&b");
    }

    #[test]
    fn all_rules_that_match_apply() {
        gives(&["a /x", "b /"], "/x?a=1&b=2&c=3", "/x?c=3");
        gives(&["a /x", "b /y"], "/x?a=1&b=2&c=3", "/x?b=2&c=3");
        gives(&["s /forum/"], "/news/?s=1", "/news/?s=1");
        gives(&["s forum/"], "/forum/?s=1", "/forum/?s=1");
        gives(&["s *forum/"], "/a/forum/b?s=1", "/a/forum/b");
        gives(&["s /*b*b"], "/abc?s=1", "/abc?s=1");
        gives(&["s /*b*b**"], "/abcbc?s=1", "/abcbc");
        gives(&["s /aba*ba"], "/aba?s=1", "/aba?s=1");
        gives(&["s /X"], "/x?s=1", "/x?s=1");
    }

    #[test]
    fn absolute_urls_have_a_path() {
        gives(&["s /a"], "https://e.example/a?s=1&t=2#f", "https://e.example/a?t=2#f");
        gives(&["s /"], "https://e.example?s=1", "https://e.example");
        gives(&["s /e"], "https://e.example/a?s=1", "https://e.example/a?s=1");
        gives(&["s /a"], "/a/http://b?s=1", "/a/http://b");
        gives(&["s /a"], "/b/http://c/a?s=1", "/b/http://c/a?s=1");
        gives(&["s"], "https://e.example/ä?s=ö&t=ü", "https://e.example/ä?t=ü");
    }

    #[test]
    fn limits_bound_the_work() {
        let start = Instant::now();
        let mut all = rules(&["a"; RULE_LIMIT]);
        all.extend(rules(&["b"]));
        assert_eq!(canonical_url("/x?a=1&b=2", &all), "/x?b=2");
        let url = format!("/x?s=1&{}", "a".repeat(URL_LIMIT - 7));
        gives(&["s"], &url, &format!("/x?{}", "a".repeat(URL_LIMIT - 7)));
        gives(&["s"], &format!("{url}a"), &format!("{url}a"));
        let pattern = format!("s {}b", "*aaaaaaaaa".repeat(49));
        let rules = rules(&[pattern.as_str(); RULE_LIMIT]);
        let url = format!("/{}?s=1", "a".repeat(URL_LIMIT - 5));
        assert_eq!(canonical_url(&url, &rules), url);
        let url = format!("/x?{}", "s&".repeat(URL_LIMIT / 2 - 2));
        assert_eq!(canonical_url(&url, &self::rules(&["s"])), "/x");
        assert!(start.elapsed() < Duration::from_secs(5));
    }
}
