//! `User-Agent` headers, and the crawlers that they name (RFC 9110 10.1.5).
//!
//! Callers often pass a whole header, such as `Mozilla/5.0 (compatible; GPTBot/1.2;
//! +https://openai.com/gptbot)`, where a product token is expected. Its product token would be
//! `Mozilla`, which no group means. [`crawlers`] finds the names that a crawler gives itself in a
//! header. [`words`] returns every word that could be a name, for front ends that must give the
//! same answers as a library that tries all of them.
//!
//! A table in this file lists the words of browsers, engines and platforms. A word in a comment
//! counts only if it has a version, or the comment contains `compatible` or a contact (a URL or a
//! mail address), since devices and languages are not crawlers. Names are in the order of the
//! header, which lists products by significance. This file does not know groups.

use crate::token::product_token;
use std::collections::HashSet;

/// Words that name a browser, an engine, a platform or nothing; lower case, sorted.
const NOBODY: &[&str] = &[
    "android",
    "applewebkit",
    "brave",
    "build",
    "chrome",
    "chromium",
    "clr",
    "compatible",
    "cpu",
    "crios",
    "cros",
    "duckduckgo",
    "edg",
    "edga",
    "edge",
    "edgios",
    "electron",
    "epiphany",
    "fedora",
    "firefox",
    "fxios",
    "gecko",
    "gsa",
    "headlesschrome",
    "iceweasel",
    "intel",
    "ios",
    "ipad",
    "iphone",
    "ipod",
    "khtml",
    "konqueror",
    "like",
    "linux",
    "mac",
    "macintosh",
    "micromessenger",
    "mobile",
    "mozilla",
    "msie",
    "nt",
    "opera",
    "opr",
    "os",
    "palemoon",
    "presto",
    "qqbrowser",
    "rv",
    "safari",
    "samsungbrowser",
    "seamonkey",
    "silk",
    "slcc2",
    "tablet",
    "touch",
    "trident",
    "ubuntu",
    "ucbrowser",
    "version",
    "vivaldi",
    "waterfox",
    "webkit",
    "whale",
    "win32",
    "win64",
    "windows",
    "wow64",
    "x",
    "x11",
    "x64",
    "x86_64",
    "yabrowser",
];

/// A word of a header.
struct Word<'h> {
    /// The part before the slash.
    token: &'h str,
    has_version: bool,
    /// The word is the first of a product or of an item of a comment.
    leads: bool,
    /// The context allows the word to be the sender's name.
    may_name: bool,
}

/// True if the input is a header rather than a name: it has a comment, or several words.
pub fn is_header(given: &str) -> bool {
    given.trim_ascii().contains(|c: char| c.is_ascii_whitespace() || matches!(c, '(' | ')' | ';'))
}

/// The names that a crawler gives itself in a header, the most significant first. Empty for the
/// header of a browser.
///
/// ```
/// use robomaton_formats::user_agent::crawlers;
///
/// assert_eq!(crawlers("Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)"), ["GPTBot"]);
/// assert!(crawlers("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0").is_empty());
/// ```
pub fn crawlers(header: &str) -> Vec<&str> {
    let words = split(header).into_iter().filter(|word| {
        let plain = word.token.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'_'));
        word.may_name && (!plain || word.leads && word.has_version) && !is_nobody(word.token)
    });
    distinct(words)
}

/// Every word of a header that could be a name, in header order.
pub fn words(header: &str) -> Vec<&str> {
    distinct(split(header).into_iter())
}

fn distinct<'h>(words: impl Iterator<Item = Word<'h>>) -> Vec<&'h str> {
    let mut known = HashSet::new();
    words.filter(|word| known.insert(word.token.to_ascii_lowercase())).map(|word| word.token).collect()
}

fn is_nobody(token: &str) -> bool {
    let token = token.to_ascii_lowercase();
    // `.NET4.0C` and similar.
    token.starts_with(".net") || NOBODY.binary_search(&token.as_str()).is_ok()
}

/// The words of products and comments. A comment ends with its closing parenthesis; nested comments
/// belong to the outer one.
fn split(header: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut rest = header;
    while let Some(open) = rest.find('(') {
        products(&rest[..open], &mut words);
        let inside = &rest[open + 1..];
        let end = end_of_comment(inside);
        comment(&inside[..end], &mut words);
        rest = inside.get(end + 1..).unwrap_or_default();
    }
    products(rest, &mut words);
    words
}

/// The position of the parenthesis that closes a comment, or the end if there is none.
fn end_of_comment(inside: &str) -> usize {
    let mut depth = 1_usize;
    for (at, byte) in inside.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    inside.len()
}

fn products<'h>(text: &'h str, words: &mut Vec<Word<'h>>) {
    for word in text.split(|c: char| c.is_ascii_whitespace() || matches!(c, ';' | ',' | ')')) {
        push(word, true, true, words);
    }
}

fn comment<'h>(text: &'h str, words: &mut Vec<Word<'h>>) {
    let is_edge = |c: char| c.is_ascii_whitespace() || matches!(c, ';' | ',' | '(' | ')');
    let names_sender =
        text.split(is_edge).any(|word| is_contact(word) || word.eq_ignore_ascii_case("compatible"));
    for item in text.split([';', ',', '(', ')']) {
        for (number, word) in item.split_ascii_whitespace().enumerate() {
            push(word, number == 0, names_sender, words);
        }
    }
}

/// Adds a word if its part before the slash is a product token. A word with a version may be the
/// sender's name anywhere.
fn push<'h>(word: &'h str, leads: bool, may_name: bool, words: &mut Vec<Word<'h>>) {
    if is_contact(word) {
        return;
    }
    let (name, version) = word.split_once('/').map_or((word, None), |(name, version)| (name, Some(version)));
    // `Yahoo! Slurp`, for example.
    let name = name.strip_suffix('!').unwrap_or(name);
    if !name.is_empty() && product_token(name.as_bytes()).len() == name.len() {
        let has_version = version.is_some();
        words.push(Word { token: name, has_version, leads, may_name: may_name || has_version });
    }
}

/// True for a URL or a mail address, by which a crawler names its operator.
fn is_contact(word: &str) -> bool {
    let word = word.trim_start_matches('+');
    word.contains("://")
        || word.contains('@')
        || word.get(..4).is_some_and(|w| w.eq_ignore_ascii_case("www."))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Headers sent by crawlers, and the names in them.
    const SENT: &[(&str, &[&str])] = &[
        ("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", &["Googlebot"]),
        (
            "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) \
             Chrome/99.0.4844.84 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
            &["Googlebot"],
        ),
        (
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
            &["GPTBot"],
        ),
        (
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; \
             +claudebot@anthropic.com)",
            &["ClaudeBot"],
        ),
        ("AdsBot-Google (+http://www.google.com/adsbot.html)", &["AdsBot-Google"]),
        ("Googlebot-Image/1.0", &["Googlebot-Image"]),
        ("CCBot/2.0 (https://commoncrawl.org/faq/)", &["CCBot"]),
        (
            "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
            &["facebookexternalhit"],
        ),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) AppleWebKit/605.1.15 (KHTML, like Gecko) \
             Version/13.1.1 Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)",
            &["Applebot"],
        ),
        (
            "Mozilla/5.0 (Linux; Android 7.0;) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 \
             (compatible; PetalBot;+https://webmaster.petalsearch.com/site/petalbot)",
            &["PetalBot"],
        ),
        (
            "Mozilla/5.0 (compatible; 008/0.83; http://www.80legs.com/webcrawler.html) Gecko/2008032620",
            &["008"],
        ),
        ("Mozilla/5.0 (compatible; 360Spider/1.0; +http://www.so.com/help)", &["360Spider"]),
        (
            "Mozilla/5.0 (compatible; archive.org_bot +http://archive.org/details/archive.org_bot)",
            &["archive.org_bot"],
        ),
        (
            "Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)",
            &["Yahoo", "Slurp"],
        ),
        ("DuckDuckBot/1.0; (+http://duckduckgo.com/duckduckbot.html)", &["DuckDuckBot"]),
        ("ia_archiver (+http://www.alexa.com/site/help/webmasters; crawler@alexa.com)", &["ia_archiver"]),
        ("Scrapy/2.13.3 (+https://scrapy.org)", &["Scrapy"]),
        ("MyBot/1.0 (made with Scrapy/2.1)", &["MyBot", "Scrapy"]),
        ("FooBot", &["FooBot"]),
        ("J\u{e4}vla-bot/1.0 (x)", &["J\u{e4}vla-bot"]),
    ];

    /// Headers that no crawler sends, or at least that name none.
    const NOBODYS: &[&str] = &[
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 \
         Safari/537.36 Edg/120.0.0.0",
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) \
         CriOS/119.0 Mobile/15E148 Safari/604.1",
        "Mozilla/5.0 (Linux; Android 13; SM-S901B) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/112.0.0.0 \
         Mobile Safari/537.36",
        "Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.0; Trident/4.0; .NET CLR 2.0.50727; .NET4.0C)",
        "Mozilla/5.0 (compatible)",
        "(+https://example.com)",
        "()()((",
        "",
    ];

    #[test]
    fn crawlers_are_found_and_browsers_are_not() {
        for (header, names) in SENT {
            assert_eq!(crawlers(header), *names, "{header}");
        }
        for header in NOBODYS {
            assert!(crawlers(header).is_empty(), "{header}: {:?}", crawlers(header));
        }
    }

    #[test]
    fn the_table_is_in_order() {
        assert!(NOBODY.is_sorted());
    }

    #[test]
    fn headers_are_not_names() {
        for name in ["GPTBot", " GPTBot/1.2 ", "*", "a,b", ""] {
            assert!(!is_header(name), "{name}");
        }
        assert!(["a b", "a(b", "a;b", "Mozilla/5.0 (x)"].into_iter().all(is_header));
    }

    #[test]
    fn all_words_for_those_who_try_all() {
        assert_eq!(words("Mozilla/5.0 (compatible; Foobot/1.0; x@y)"), ["Mozilla", "compatible", "Foobot"]);
        assert_eq!(words("8bot"), ["8bot"]);
        assert_eq!(words("(; ,) /1.0"), [""; 0]);
        assert_eq!(words(&"a1 A1 ".repeat(1000)), ["a1"]);
        assert_eq!(crawlers(&format!("{}Foobot/1.0", "a1 ".repeat(1000))), ["a1", "Foobot"]);
    }
}
