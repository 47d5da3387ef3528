//! `inspect --site`: the fetch of one site, its groups and its extension records.
//!
//! Everything comes from the cold sections; no verdict is made.

use crate::failure::Failure;
use crate::time::rfc3339;
use robomaton_runtime::{Image, Site};
use serde::Serialize;
use std::io::{self, Write};

/// A site; the fields are the keys that scripts rely on.
#[derive(Serialize)]
struct OneSite {
    site: String,
    outcome: Option<&'static str>,
    status: Option<u16>,
    fetched_at: Option<String>,
    /// Seconds.
    fresh_for: u32,
    stale: Option<bool>,
    document: Option<u32>,
    sitemaps: Vec<String>,
    groups: Vec<Group>,
    extensions: Vec<Extension>,
}

#[derive(Serialize)]
struct Group {
    agents: Vec<String>,
    rules: usize,
    extensions: Vec<Extension>,
}

#[derive(Serialize)]
struct Extension {
    line: u32,
    key: String,
    value: String,
}

/// Finds the site of a URL, or of a host under any scheme, and prints it.
pub(super) fn run<D: AsRef<[u8]>>(
    image: &Image<D>,
    url: &str,
    json: bool,
    out: &mut crate::output::Out,
) -> Result<(), Failure> {
    let site = if url.contains("://") {
        image.site(url)
    } else {
        image.site(&format!("https://{url}")).or_else(|| image.site(&format!("http://{url}")))
    };
    let site = site.ok_or_else(|| Failure::Said(format!("the image does not hold the site of {url:?}")))?;
    let found = OneSite::of(&site);
    if json {
        out.json(&found)?
    } else {
        found.write(out)?
    }
    Ok(())
}

impl OneSite {
    fn of(site: &Site<'_>) -> OneSite {
        let now = crate::time::now();
        let fetched_at = site.fetched_at();
        let detail = site.detail().unwrap_or_default();
        let group = |group: robomaton_formats::detail::Group<'_>| {
            let default = group.default.then(|| "*".to_owned());
            Group {
                agents: group.crawlers.into_iter().chain(default).collect(),
                rules: group.rules.len(),
                extensions: extensions(group.extensions),
            }
        };
        OneSite {
            site: super::site_name(site),
            outcome: site.outcome().map(|outcome| outcome.name()),
            status: Some(site.status()).filter(|&status| status != 0),
            fetched_at: fetched_at.and_then(rfc3339),
            fresh_for: site.fresh_for(),
            stale: fetched_at.map(|at| now.saturating_sub(at) > u64::from(site.fresh_for())),
            document: site.document(),
            sitemaps: site.sitemaps(),
            groups: detail.groups.into_iter().map(group).collect(),
            extensions: extensions(detail.extensions),
        }
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "site        {}", self.site)?;
        writeln!(out, "outcome     {}", self.outcome.unwrap_or("damaged"))?;
        if let Some(status) = self.status {
            writeln!(out, "status      {status}")?;
        }
        let fetched = self.fetched_at.as_deref().unwrap_or("at a time not known");
        writeln!(out, "fetched_at  {fetched}{}", if self.stale == Some(true) { " (stale)" } else { "" })?;
        writeln!(out, "fresh_for   {} seconds", self.fresh_for)?;
        for sitemap in &self.sitemaps {
            writeln!(out, "sitemap     {sitemap}")?;
        }
        for Group { agents, rules, extensions } in &self.groups {
            writeln!(out, "group       {}: {rules} rules", agents.join(", "))?;
            for Extension { line, key, value } in extensions {
                writeln!(out, "            line {line}: {key}: {value}")?;
            }
        }
        for Extension { line, key, value } in self.extensions.iter().filter(|record| record.key != "sitemap")
        {
            writeln!(out, "record      line {line}: {key}: {value}")?;
        }
        Ok(())
    }
}

fn extensions(records: Vec<robomaton_formats::detail::Extension>) -> Vec<Extension> {
    let record = |record: robomaton_formats::detail::Extension| Extension {
        line: record.line,
        key: record.key,
        value: record.value,
    };
    records.into_iter().map(record).collect()
}
