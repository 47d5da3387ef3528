//! Distinguishes META elements for crawlers from all others.
//!
//! `html` calls it for every META element with a name and a content. Invariant: everything that
//! ACAP or a search engine documents is accepted; other META elements that are accepted do no harm,
//! because no crawler has their names. It does not know what the words mean.

use memchr::memmem;
use robomaton_formats::crawlers;
use robomaton_grammar::meta::is_acap;
use robomaton_grammar::product_token;

/// Words of robots META contents, without their arguments, in lower case.
const WORDS: [&str; 26] = [
    "all",
    "archive",
    "follow",
    "index",
    "indexifembedded",
    "max-image-preview",
    "max-snippet",
    "max-video-preview",
    "noai",
    "noarchive",
    "nocache",
    "nofollow",
    "noimageai",
    "noimageindex",
    "noindex",
    "noml",
    "none",
    "noodp",
    "nopreview",
    "nositelinkssearchbox",
    "nosnippet",
    "notranslate",
    "noydir",
    "odp",
    "snippet",
    "unavailable_after",
];

/// Names that no crawler has, although their contents may be one of the words.
const NOT_CRAWLERS: [&str; 12] = [
    "abstract",
    "audience",
    "author",
    "classification",
    "coverage",
    "description",
    "distribution",
    "generator",
    "keywords",
    "rating",
    "referrer",
    "target",
];

/// True if a META element addresses crawlers; `name` has no surrounding white space.
pub(super) fn speaks(name: &str, content: &str) -> bool {
    let is = |known: &str| name.eq_ignore_ascii_case(known);
    if is_acap(content) || is("robots") || is("tdm-reservation") || is("tdm-policy") {
        return true;
    }
    // Names are read as in robots.txt (R5).
    let Some(token) = product_token(name.as_bytes()) else { return false };
    let lower = token.to_ascii_lowercase();
    if NOT_CRAWLERS.iter().any(|other| lower == other.as_bytes()) {
        return false;
    }
    // The name of a crawler, or one that looks so, needs one known word. Any other needs one that
    // restricts, since a crawler may know more words than we do, or only known words. Between
    // commas, `none` restricts.
    let is_part = |part: &&str| memmem::find(&lower, part.as_bytes()).is_some();
    let is_crawler = ["bot", "crawl", "spider", "slurp"].iter().any(is_part)
        || str::from_utf8(token).is_ok_and(|token| crawlers::find(token).is_some());
    if is_crawler {
        words(content).any(is_known)
    } else {
        words(content).any(|word| is_known(word) && !is_ordinary(word))
            || words(content).next().is_some() && words(content).all(is_known)
            || content.contains(',')
                && content.split(',').any(|piece| piece.trim().eq_ignore_ascii_case("none"))
    }
}

/// The words of a content, separated by commas or white space; arguments stay with their word or
/// are left out.
fn words(content: &str) -> impl Iterator<Item = &str> {
    let mut past_date = false;
    content.split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty()).take_while(
        move |word| {
            // The date after it contains commas and spaces, and is always last.
            let before = past_date;
            past_date |= base(word).eq_ignore_ascii_case("unavailable_after");
            !before
        },
    )
}

/// A word without its argument.
fn base(word: &str) -> &str {
    word.split_once(':').map_or(word, |(base, _)| base)
}

fn is_known(word: &str) -> bool {
    WORDS.iter().any(|known| base(word).eq_ignore_ascii_case(known))
}

/// True for known words that other texts have as well. None of them restricts, except `none`.
fn is_ordinary(word: &str) -> bool {
    let ordinary = ["all", "archive", "follow", "index", "none", "odp", "snippet"];
    ordinary.iter().any(|known| base(word).eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn for_crawlers() {
        for (name, content) in [
            ("robots", ""),
            ("ROBOTS", "anything"),
            ("keywords", "ACAP allow-index"),
            ("searchbot", " \n acap\tallow-index"),
            ("a b", "ACAP"),
            ("shop", "ACAP: disallow-index"),
            ("shop", "ACAP\u{a0}disallow-index"),
            ("GOOGLEBOT", "index, follow"),
            ("bingbot", "foo, NOINDEX"),
            ("Slurp", "noydir"),
            ("teoma", "noarchive"),
            ("google", "notranslate"),
            ("360Spider", "index nofollow"),
            ("googlebot-news", "max-snippet:-1,max-image-preview:large"),
            ("otherbot", "unavailable_after: Friday, 25 Jun 2010 15:00:00 PST"),
            ("other", "noindex, unavailable_after:25-Aug-2007 15:00:00 EST"),
            ("yandex", "NOINDEX, noyaca"),
            ("ia_archiver", "nosave noarchive"),
            ("*", "noindex,noai"),
            ("Googlebot/2.1", "noindex"),
            ("Jävla-bot", "index"),
            ("two words", "noindex"),
            ("Yeti", "None, noimageclick"),
            ("GoogleOther", "none foo"),
        ] {
            assert!(speaks(name, content), "{name}: {content}");
        }
    }

    #[test]
    fn for_others() {
        for (name, content) in [
            ("description", "ACAPella songs"),
            ("description", "index"),
            ("audience", "all"),
            ("subject", "all about cats"),
            ("subject", "none of these"),
            ("viewport", "width=device-width"),
            ("generator", "none"),
            ("other", ""),
            ("other", ","),
            ("dc:title", "none of these"),
            ("description/1", "noindex"),
            ("(bot)", "noindex"),
            ("bot-verification", "8f14e45f"),
        ] {
            assert!(!speaks(name, content), "{name}: {content}");
        }
    }
}
