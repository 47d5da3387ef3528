//! A URL to its site and back, and through an image that holds the site.

use crate::profile;
use robomaton_compiler::{Entry, Options, compile, emit};
use robomaton_formats::{Scheme, SiteKey, verify};
use robomaton_runtime::{Basis, Image, Usage};
use robomaton_tests::damage::small_image;
use std::sync::LazyLock;

static OTHER: LazyLock<Vec<u8>> = LazyLock::new(|| small_image(robomaton_formats::Profile::Full));

/// Splits a URL, which follows a byte with the profile in bits 0 and 1.
///
/// # Panics
/// If the name of its site is that of another one, or an image of the site does not find it.
pub fn url(data: &[u8]) {
    let Some((&options, rest)) = data.split_first() else { return };
    let Ok(url) = std::str::from_utf8(rest) else { return };
    let _ = SiteKey::from_host(url);
    match SiteKey::from_url(url) {
        Ok(key) => of_site(url, &key, options),
        Err(_) => {
            let image = Image::from_bytes(&OTHER[..]).expect("a small image opens");
            let basis = image.decide(&image.crawler(["a"]), Usage::CRAWL, url).basis();
            assert!(matches!(basis, Basis::NoUrl), "{url:?} names no site, but {basis:?}");
        }
    }
}

fn of_site(url: &str, key: &SiteKey, options: u8) {
    let scheme = if key.scheme() == Scheme::Http { "http" } else { "https" };
    let again = SiteKey::from_url(&format!("{scheme}://{}/", key.authority()));
    assert_eq!(again.as_ref(), Ok(key), "{url:?}: the name leads elsewhere");
    let options = Options { profile: profile(options), ..Options::default() };
    let document = compile(b"User-agent: *\nDisallow: /x\n", None, &options);
    let bytes = emit(vec![Entry::fetched(key.clone(), &document)], &options).expect("one site fits an image");
    verify::verify(&bytes).expect("what was written verifies");
    let image = Image::from_bytes(bytes).expect("what verifies opens");
    let crawler = image.crawler(["a"]);
    let verdict = image.decide(&crawler, Usage::CRAWL, url);
    match verdict.basis() {
        Basis::NoSite | Basis::NoUrl => panic!("{url:?}: {} is not found", key.authority()),
        _ => {
            let site = image.site(url).expect("a site that answers is found");
            assert_eq!(site.authority(), key.authority());
            let _ = site.target(url);
        }
    }
}
