//! One robots.txt in the shape of the npm package robots-parser.
//!
//! The text is compiled like an image, so the two give the same answers. Invariant: a URL of
//! another site has no answer. Where answers differ from robots-parser's, the reasons stand in
//! test/differences.mjs.

use crate::error::{Result, other};
use napi::JsValue;
use napi::bindgen_prelude::{Either, Null, Uint8Array, Undefined, Unknown};
use napi_derive::napi;
use robomaton_compiler::Options;
use robomaton_explain::{Origin, SingleSite, SiteFiles, crawler_names};
use robomaton_formats::SiteKey;
use robomaton_formats::url::{join, parse};
use robomaton_runtime::{Crawler, Decision, Profile, Usage, Verdict};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::LazyLock;
use url::Url;

/// The site of relative URLs; no site has this name.
const RELATIVE: &str = "http://relative.invalid/";

/// The number of crawlers that a text keeps resolved, and the maximum bytes of their names.
const KEPT: usize = 1 << 10;
const LONGEST_KEPT: usize = 1 << 10;

/// A compiled robots.txt.
#[napi]
pub struct Robots {
    single: SingleSite,
    /// Its site; `None` if its URL names none, so that no URL belongs to it.
    site: Option<SiteKey>,
    host: Option<String>,
    crawlers: RefCell<HashMap<(String, bool), Rc<Crawler>>>,
}

/// A URL with its site. A relative one becomes absolute, and steps of a path such as `..` are
/// taken, as where it is fetched.
fn located(url: &str) -> Option<(SiteKey, Cow<'_, str>)> {
    static BASE: LazyLock<Option<Url>> = LazyLock::new(|| parse(RELATIVE).ok());
    let has_steps = ["/.", "\\", "%2e", "%2E", "\t", "\n", "\r"].iter().any(|step| url.contains(step));
    if let Ok(site) = SiteKey::from_url(url)
        && !has_steps
    {
        return Some((site, Cow::Borrowed(url)));
    }
    let joined = String::from(join(BASE.as_ref()?, url).ok()?);
    Some((SiteKey::from_url(&joined).ok()?, Cow::Owned(joined)))
}

/// The text of a value, as JavaScript itself converts it.
fn text(value: Unknown<'_>) -> Result<String> {
    let text = value.coerce_to_string().and_then(|text| text.into_utf8());
    text.and_then(|text| text.into_owned()).map_err(|error| other(error.reason))
}

/// Compiles a robots.txt. `url` is its own URL.
///
/// # Errors
/// If a value cannot be converted to a string, or the text does not fit an image.
#[napi]
pub fn robots_parser(url: Unknown<'_>, contents: Option<Either<String, Uint8Array>>) -> Result<Robots> {
    // Converting `url` may run JavaScript, which may take the bytes away.
    let contents = match contents {
        None => Vec::new(),
        Some(Either::A(text)) => text.into_bytes(),
        Some(Either::B(bytes)) => bytes.to_vec(),
    };
    let url = text(url)?;
    let site = located(&url).map(|(site, _)| site);
    let options = Options::default();
    let origin = match &site {
        Some(_) if SiteKey::from_url(&url).is_ok() => Origin::of(&url, options.profile),
        _ => Origin::unknown(),
    };
    let single = SingleSite::compile(&contents, &origin.map_err(other)?, &SiteFiles::default(), &options);
    let single = single.map_err(other)?;
    let detail = single.site().map_err(other)?.detail().unwrap_or_default();
    let mut hosts =
        detail.extensions.iter().filter(|record| record.key == "host" && !record.value.is_empty());
    let host = hosts.next_back().map(|record| record.value.to_lowercase());
    Ok(Robots { single, site, host, crawlers: RefCell::default() })
}

impl Robots {
    /// The crawler with this name or `User-Agent` header. A text without a name means any crawler.
    fn crawler(&self, agent: Option<String>, named_only: bool) -> Rc<Crawler> {
        let key = (agent.filter(|agent| !agent.is_empty()).unwrap_or_else(|| "*".to_owned()), named_only);
        if let Some(crawler) = self.crawlers.borrow().get(&key) {
            return Rc::clone(crawler);
        }
        let name = if crawler_names(&key.0, Profile::Full).is_ok() { key.0.as_str() } else { "*" };
        // `*` has no group that names it but the default one.
        let named_only = named_only && name != "*";
        let crawler = Rc::new(self.single.image().crawler([name]).named_only(named_only));
        if key.0.len() <= LONGEST_KEPT {
            let mut kept = self.crawlers.borrow_mut();
            if kept.len() >= KEPT {
                kept.clear();
            }
            kept.insert(key, Rc::clone(&crawler));
        }
        crawler
    }

    /// Asks about a URL of the site; `None` for any other.
    fn ask<T>(
        &self,
        url: Unknown<'_>,
        crawler: &Crawler,
        read: impl FnOnce(Verdict<'_>) -> T,
    ) -> Result<Option<T>> {
        let url = text(url)?;
        let Some((_, url)) = located(&url).filter(|(site, _)| Some(site) == self.site.as_ref()) else {
            return Ok(None);
        };
        let site = self.single.site().map_err(other)?;
        Ok(Some(read(site.decide(crawler, Usage::CRAWL, &url))))
    }
}

/// A value, or `undefined`.
fn defined<T>(value: Option<T>) -> Either<T, Undefined> {
    value.map_or(Either::B(()), Either::A)
}

#[napi]
impl Robots {
    /// True if the crawler may fetch the URL without conditions.
    #[napi]
    pub fn is_allowed(&self, url: Unknown<'_>, ua: Option<String>) -> Result<Either<bool, Undefined>> {
        let crawler = self.crawler(ua, false);
        self.ask(url, &crawler, |verdict| verdict.is_allowed()).map(defined)
    }

    /// The opposite of `isAllowed`; true for a URL of another site.
    #[napi]
    pub fn is_disallowed(&self, url: Unknown<'_>, ua: Option<String>) -> Result<bool> {
        let crawler = self.crawler(ua, false);
        Ok(!self.ask(url, &crawler, |verdict| verdict.is_allowed())?.unwrap_or(false))
    }

    /// True if a group that names the crawler disallows the URL.
    #[napi]
    pub fn is_explicitly_disallowed(
        &self,
        url: Unknown<'_>,
        ua: Option<String>,
    ) -> Result<Either<bool, Undefined>> {
        let crawler = self.crawler(ua, true);
        let disallowed =
            self.ask(url, &crawler, |verdict| verdict.safe_decision() == Decision::Disallowed)?;
        Ok(defined(disallowed))
    }

    /// The line of the deciding rule, from 1; -1 if no rule decides.
    #[napi]
    pub fn get_matching_line_number(&self, url: Unknown<'_>, ua: Option<String>) -> Result<i64> {
        let crawler = self.crawler(ua, false);
        let line = self.ask(url, &crawler, |verdict| verdict.rule().map(|rule| rule.line))?;
        Ok(line.flatten().map_or(-1, i64::from))
    }

    /// The seconds between fetches from Crawl-delay.
    #[napi]
    pub fn get_crawl_delay(&self, ua: Option<String>) -> Result<Either<f64, Undefined>> {
        let crawler = self.crawler(ua, false);
        Ok(defined(self.single.site().map_err(other)?.crawl_delay(&crawler)))
    }

    /// The URLs of sitemaps, in file order.
    #[napi]
    pub fn get_sitemaps(&self) -> Result<Vec<String>> {
        Ok(self.single.site().map_err(other)?.sitemaps())
    }

    /// The host of the last Host record.
    #[napi]
    pub fn get_preferred_host(&self) -> Either<&str, Null> {
        self.host.as_deref().map_or(Either::B(Null), Either::A)
    }
}
