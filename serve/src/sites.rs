//! The sites of the image, one page of the list at a time.
//!
//! A client continues after the last site that it has, so the list stays in order even if the image
//! is replaced in between. The first site of a page is found in logarithmic time. Findings of lint
//! are counted for texts of up to [`COUNTED_TEXT`] bytes. Nothing is decided here.

use crate::app::{Client, Shared};
use crate::error::Refusal;
use crate::limits::{COUNTED_TEXT, SITES, URL};
use crate::parameters::{pairs, set};
use crate::reply::json;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use robomaton_explain::lint::FindingCounts;
use robomaton_explain::options_of;
use robomaton_explain::time::rfc3339;
use robomaton_runtime::{Image, Outcome, Scheme, Site};
use serde::Serialize;

/// A page of the list.
#[derive(Serialize)]
struct Page {
    sites: Vec<Row>,
    /// The last of these sites, for use as `after`, if there are more.
    next: Option<String>,
}

/// A site.
#[derive(Serialize)]
struct Row {
    site: String,
    outcome: Option<&'static str>,
    status: Option<u16>,
    fetched_at: Option<String>,
    stale: Option<bool>,
    /// Length of its text; null if the image has no texts.
    bytes: Option<u64>,
    /// Null if they are not counted.
    issues: Option<FindingCounts>,
}

/// The requested page of the list.
#[derive(Debug)]
pub(crate) struct PageRequest {
    prefix: String,
    after: Option<(String, Scheme)>,
    limit: usize,
}

impl PageRequest {
    pub(crate) fn read(query: Option<&str>) -> Result<PageRequest, Refusal> {
        let (mut prefix, mut after, mut limit) = (None, None, None);
        for pair in pairs(query, &["prefix", "after", "limit"]) {
            let (name, value) = pair?;
            if value.len() > URL {
                return Err(Refusal::too_long(name, URL, "bytes"));
            }
            match name {
                "prefix" => set(&mut prefix, name, authority(&value).0)?,
                "after" => set(&mut after, name, authority(&value))?,
                _ => {
                    let number = value.parse().ok().filter(|limit| (1..=SITES.1).contains(limit));
                    let number = number
                        .ok_or_else(|| Refusal::bad(format!("limit is a number from 1 to {}", SITES.1)))?;
                    set(&mut limit, name, number)?;
                }
            }
        }
        Ok(PageRequest { prefix: prefix.unwrap_or_default(), after, limit: limit.unwrap_or(SITES.0) })
    }

    /// True if a site comes after the last one that the client has.
    fn is_next(&self, site: &Site<'_>) -> bool {
        let Some((last, scheme)) = &self.after else { return true };
        (site.authority().as_str(), site.scheme()) > (last.as_str(), *scheme)
    }
}

/// The host and port, or their beginning, from a URL or a part of one.
fn authority(text: &str) -> (String, Scheme) {
    let text = text.trim_ascii().to_ascii_lowercase();
    let (scheme, rest) = match text.split_once("://") {
        Some(("http", rest)) => (Scheme::Http, rest),
        Some(("https", rest)) => (Scheme::Https, rest),
        _ => (Scheme::Any, text.as_str()),
    };
    (rest.split('/').next().unwrap_or_default().to_owned(), scheme)
}

/// `GET /v1/sites`.
pub(crate) async fn sites(State(app): Shared, RawQuery(query): RawQuery) -> Result<Response, Refusal> {
    let request = PageRequest::read(query.as_deref())?;
    let served = app.current.get();
    app.apart(move |client| request.page(&served.image, client)).await
}

impl PageRequest {
    /// The authority from which on sites are listed.
    pub(crate) fn from(&self) -> &str {
        self.after.as_ref().map_or("", |(last, _)| last.as_str()).max(&self.prefix)
    }

    /// The most sites that are read from there on: the last one that the client has, under any
    /// scheme, those of the page, and one that tells if there are more.
    pub(crate) fn most(&self) -> usize {
        self.limit + 4
    }

    /// The page of an image.
    ///
    /// # Errors
    /// If the client has gone, or the findings take too long to count.
    pub(crate) fn page<D: AsRef<[u8]>>(
        &self,
        image: &Image<D>,
        client: &Client,
    ) -> Result<Response, Refusal> {
        let options = options_of(image);
        let found = image.sites_from(self.from()).filter(|site| self.is_next(site));
        let mut found = found.take_while(|site| site.authority().starts_with(&self.prefix));
        let sites: Vec<Site<'_>> = found.by_ref().take(self.limit).collect();
        let last = found.next().and(sites.last());
        let row = |site: &Site<'_>| {
            client.check()?;
            let text = || site.source(COUNTED_TEXT + 1).filter(|text| text.len() <= COUNTED_TEXT);
            let text = if site.outcome() == Some(Outcome::Rules) { text() } else { None };
            Ok(Row {
                site: site.address(),
                outcome: site.outcome().map(|outcome| outcome.name()),
                status: Some(site.status()).filter(|&status| status != 0),
                fetched_at: site.fetched_at().and_then(rfc3339),
                stale: site.is_stale(),
                bytes: site.text_length(),
                issues: text.map(|text| FindingCounts::of(&text, &site.authority(), &options)),
            })
        };
        let rows: Result<Vec<Row>, Refusal> = sites.iter().map(row).collect();
        Ok(json(&Page { next: last.map(|site| site.address()), sites: rows? }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use robomaton_compiler::{Entry, Options, compile, emit};
    use robomaton_formats::SiteKey;

    #[test]
    fn pages_are_asked_for_as_people_write_them() {
        let request =
            PageRequest::read(Some("prefix=HTTPS%3A%2F%2FWWW.a%2Fx&after=http://b:8080&limit=7")).unwrap();
        assert_eq!((request.prefix.as_str(), request.limit), ("www.a", 7));
        assert_eq!(request.after, Some(("b:8080".to_owned(), Scheme::Http)));
        assert_eq!(PageRequest::read(None).unwrap().limit, SITES.0);
        for bad in ["limit=0", "limit=501", "limit=x", "limit=", "prefix=a&prefix=b", "url=a", "prefix=%ff"] {
            assert!(PageRequest::read(Some(bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_page_that_nobody_waits_for_ends() {
        let options = Options::default();
        let document = compile(b"User-agent: *\nDisallow: /\n", None, &options);
        let site = SiteKey::from_url("https://a.example/").unwrap();
        let bytes = emit(vec![Entry::fetched(site, &document)], &options).unwrap();
        let request = PageRequest::read(None).unwrap();
        assert!(request.page(&Image::from_bytes(bytes).unwrap(), &Client::gone()).is_err());
    }
}
