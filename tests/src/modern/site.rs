//! The sources of a site, as the oracle and a compiled image both get them.
//!
//! [`super::answer`] reads a [`Site`]; [`Site::rows`] writes it as JSONL rows, the public form of
//! captures. Invariant: both carry the same bytes, so an image built from the rows answers for the
//! same site. This file does not know what the sources mean.

use super::Profile;
use crate::case::Case;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The time of every fetch unless the site states one: 2026-11-22, in Unix seconds.
pub const FETCHED: i64 = 1_795_305_600;

/// A site with all that states something about the use of its resources.
#[derive(Clone, Debug)]
pub struct Site {
    /// Scheme and authority: `https://example.com`.
    pub origin: String,
    /// The body of `/robots.txt`; `None` if nobody fetched it.
    pub robots: Option<Vec<u8>>,
    /// The status of the response with `/robots.txt`.
    pub robots_status: u16,
    /// The body of `/.well-known/tdmrep.json`, if it was found.
    pub tdmrep: Option<Vec<u8>>,
    /// The body of `/ai.txt`, if it was found.
    pub ai_txt: Option<Vec<u8>>,
    /// License documents, with their absolute URLs.
    pub documents: Vec<(String, Vec<u8>)>,
    /// Pages of the site.
    pub pages: Vec<Page>,
    /// The dialect of robots.txt.
    pub profile: Profile,
    /// Policy tokens that bind all crawlers, with the usages for which they stand.
    pub tokens: BTreeMap<String, Vec<String>>,
    /// Data tables beside the default ones: `cloudflare-2026-07`, `bing-2023`.
    pub tables: Vec<String>,
    /// The time of all fetches in Unix seconds.
    pub fetched: i64,
}

/// A page of the site, or another resource with headers.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// Its absolute URL.
    pub url: String,
    /// The lines of the response's header, in order.
    pub headers: Vec<(String, String)>,
    /// Its text, if it is HTML.
    pub html: Option<String>,
}

impl Site {
    /// A site about which nothing is known.
    pub fn new(origin: &str) -> Site {
        Site {
            origin: origin.to_owned(),
            robots: None,
            robots_status: 200,
            tdmrep: None,
            ai_txt: None,
            documents: Vec::new(),
            pages: Vec::new(),
            profile: Profile::Full,
            tokens: BTreeMap::new(),
            tables: Vec::new(),
            fetched: FETCHED,
        }
    }

    /// The site of a case; `None` if the oracle does not know its profile.
    pub fn of(case: &Case) -> Option<Site> {
        let bytes = |text: &Option<String>| text.as_ref().map(|text| text.clone().into_bytes());
        let modern = &case.modern;
        let documents = modern.documents.iter();
        let page = |page: &crate::case::Page| Page {
            url: page.url.clone(),
            headers: page.headers.clone(),
            html: Some(page.html.clone()).filter(|html| !html.is_empty()),
        };
        Some(Site {
            robots: Some(case.robots.clone()),
            robots_status: case.status,
            tdmrep: bytes(&modern.tdmrep),
            ai_txt: bytes(&modern.ai_txt),
            documents: documents.map(|d| (d.url.clone(), d.text.clone().into_bytes())).collect(),
            pages: case.pages.iter().map(page).collect(),
            profile: Profile::named(&case.profile)?,
            tokens: modern.tokens.clone(),
            tables: modern.tables.clone(),
            fetched: modern.fetched.unwrap_or(FETCHED),
            ..Site::new(&case.origin)
        })
    }

    /// The captures as rows `{"url", "status", "fetched_at", "headers", "body"}`. Headers are a
    /// list of `[name, value]`, so that several lines of one name survive. Bytes that are not UTF-8
    /// are replaced; the generator makes none.
    pub fn rows(&self) -> Vec<Value> {
        let own = |path: &str| format!("{}{path}", self.origin);
        let mut rows = Vec::new();
        if let Some(robots) = &self.robots {
            rows.push(self.row(&own("/robots.txt"), self.robots_status, "text/plain", &[], robots));
        }
        if let Some(tdmrep) = &self.tdmrep {
            let url = own("/.well-known/tdmrep.json");
            rows.push(self.row(&url, 200, "application/json", &[], tdmrep));
        }
        if let Some(ai_txt) = &self.ai_txt {
            rows.push(self.row(&own("/ai.txt"), 200, "text/plain", &[], ai_txt));
        }
        for (url, document) in &self.documents {
            rows.push(self.row(url, 200, "application/rsl+xml", &[], document));
        }
        for page in &self.pages {
            let html = page.html.as_deref().unwrap_or_default();
            let kind =
                if page.html.is_some() { "text/html; charset=utf-8" } else { "application/octet-stream" };
            rows.push(self.row(&page.url, 200, kind, &page.headers, html.as_bytes()));
        }
        rows
    }

    fn row(&self, url: &str, status: u16, kind: &str, headers: &[(String, String)], body: &[u8]) -> Value {
        let kind = ("Content-Type".to_owned(), kind.to_owned());
        let headers: Vec<_> = std::iter::once(kind).chain(headers.iter().cloned()).collect();
        let fetched = jiff::Timestamp::from_second(self.fetched).unwrap_or_default().to_string();
        let body = String::from_utf8_lossy(body);
        json!({ "url": url, "status": status, "fetched_at": fetched, "headers": headers, "body": body })
    }
}
