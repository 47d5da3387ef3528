//! Canonical URLs: without the parameters that Clean-param records name.
//!
//! The grammar reads the records and applies them; an image keeps them as it does all records of
//! the file. They name duplicates and have no part in permissions, so a verdict is asked for the
//! URL as it is.

use robomaton_grammar::modern::clean_param;
use robomaton_runtime::Site;

/// The URL without the query parameters that do not change what it shows, by the Clean-param
/// records of its site (Yandex). The order of the others stays, and so does a URL that no record
/// changes.
///
/// A record that cannot be read has no effect. Decodes the site's details, so it allocates.
///
/// ```
/// # use robomaton_compiler::{Entry, Options, compile, emit};
/// # let document = compile(b"Clean-param: ref&sid /shop/\n", None, &Options::default());
/// # let site = robomaton_formats::SiteKey::from_url("https://example.com/")?;
/// # let bytes = emit(vec![Entry::fetched(site, &document)], &Options::default())?;
/// use robomaton_explain::canonical_url;
/// use robomaton_runtime::Image;
///
/// let image = Image::from_bytes(bytes)?;
/// let url = "https://example.com/shop/?ref=a&id=1";
/// let site = image.site(url).expect("the site");
/// assert_eq!(canonical_url(&site, url), "https://example.com/shop/?id=1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn canonical_url(site: &Site<'_>, url: &str) -> String {
    let records = site.detail().map(|detail| detail.extensions).unwrap_or_default();
    let records = records.iter().filter(|record| record.key == "clean-param");
    let rules = records.filter_map(|record| clean_param::clean_param(record.value.as_bytes()));
    let rules: Vec<_> = rules.take(clean_param::RULE_LIMIT).collect();
    clean_param::canonical_url(url, &rules)
}

#[cfg(test)]
mod tests {
    use super::*;
    use robomaton_compiler::{Entry, Options, compile, emit};
    use robomaton_formats::SiteKey;
    use robomaton_runtime::Image;

    fn cleaned(text: &str, url: &str) -> String {
        let document = compile(text.as_bytes(), None, &Options::default());
        let site = SiteKey::from_url("https://a.example/").expect("a site");
        let bytes = emit(vec![Entry::fetched(site, &document)], &Options::default()).expect("an image");
        let image = Image::from_bytes(bytes).expect("an image");
        let site = image.site("https://a.example/").expect("the site");
        canonical_url(&site, url)
    }

    #[test]
    fn records_of_the_image_are_applied() {
        let text = "User-agent: *\nDisallow: /*?ref=\nClean-param: s&ref /forum*/showthread.php\n\n\
                    User-agent: b\nDisallow: /\nClean-param: sid # everywhere\n";
        assert_eq!(cleaned(text, "/forum_old/showthread.php?s=1&ref=2&t=3"), "/forum_old/showthread.php?t=3");
        assert_eq!(cleaned(text, "https://a.example/x?sid=1#y"), "https://a.example/x#y");
        assert_eq!(cleaned(text, "/x?s=1&ref=2"), "/x?s=1&ref=2");
        assert_eq!(cleaned("Clean-param: a b c\nClean-param: \u{e9} /\u{e9}\n", "/?a=1"), "/?a=1");
        assert_eq!(cleaned("User-agent: *\nDisallow: /\n", "/?a=1"), "/?a=1");
    }

    #[test]
    fn the_path_of_a_rule_is_a_beginning() {
        assert_eq!(cleaned("Clean-param: a /x\nClean-param: b /\n", "/x?a=1&b=2&c=3"), "/x?c=3");
        assert_eq!(cleaned("Clean-param: s /forum/\n", "/news/?s=1"), "/news/?s=1");
        assert_eq!(cleaned("Clean-param: s /forum/\n", "/forum/?S=1"), "/forum/?S=1");
    }
}
