//! One site of an image: its fetch, groups and records, and those of its data.txt, if any.
//!
//! Everything comes from the cold sections of the image; no verdict is made. [`text`] writes it as
//! text.

mod text;

use crate::image::options_of;
use crate::time::rfc3339;
use robomaton_formats::agent::written_names;
use robomaton_formats::detail::{self, Detail};
use robomaton_formats::schedule::Schedule;
use robomaton_formats::site::{DATA_TXT, SiteKey};
use robomaton_runtime::{Image, Outcome, Scheme, Site};
use serde::Serialize;

/// The number of rules that are listed for each group by default.
pub const SHOWN: usize = 20;

/// Lists all rules; for use in place of [`SHOWN`].
pub const ALL_RULES: usize = usize::MAX;

/// A site; the fields are the keys that scripts rely on.
#[derive(Serialize)]
pub struct SiteInfo {
    #[serde(flatten)]
    robots: Option<Document>,
    /// The document of the data.txt draft.
    data_txt: Option<Document>,
}

/// A robots.txt or a data.txt.
#[derive(Serialize)]
struct Document {
    site: String,
    /// The profile that it is read under.
    profile: &'static str,
    outcome: Option<&'static str>,
    status: Option<u16>,
    fetched_at: Option<String>,
    /// Seconds.
    fresh_for: u32,
    /// The time until which answers are fresh.
    fresh_until: Option<String>,
    stale: Option<bool>,
    document: Option<u64>,
    /// True if its text is longer than the byte limit, so that the rest is not read. `None` if the
    /// image has no texts.
    cut: Option<bool>,
    /// The byte limit.
    max_bytes: usize,
    /// True if files that it refers to are missing.
    incomplete: bool,
    sitemaps: Vec<String>,
    groups: Vec<Group>,
    extensions: Vec<Extension>,
    /// The meaning of the outcome, if it is not obvious.
    #[serde(skip)]
    meaning: Option<&'static str>,
}

/// Rules for some crawlers, and perhaps some purposes.
#[derive(Serialize)]
struct Group {
    /// `conventional`, `acap`, `page`, `element`.
    role: &'static str,
    agents: Vec<String>,
    purposes: Vec<String>,
    rules: usize,
    /// The rules, in canonical spelling.
    fields: Vec<Field>,
    /// The file that the group comes from, if not the document itself.
    file: Option<String>,
    /// True if a file that it refers to is missing.
    incomplete: bool,
    schedule: Vec<String>,
    extensions: Vec<Extension>,
}

/// One rule with its conditions.
#[derive(Serialize)]
struct Field {
    line: u32,
    allow: bool,
    usage: String,
    pattern: String,
    conditions: Vec<String>,
}

#[derive(Serialize)]
struct Extension {
    line: u32,
    key: String,
    value: String,
}

/// The URL, or those of a host under any scheme.
fn urls_of(url: &str) -> Vec<String> {
    match url.contains("://") || SiteKey::from_url(url).is_ok() {
        true => vec![url.to_owned()],
        false => vec![format!("https://{url}"), format!("http://{url}")],
    }
}

/// Finds a document of the site of a URL, or of a host under any scheme: its robots.txt, or the one
/// of this name.
pub fn find_document<'i, D: AsRef<[u8]>>(
    image: &'i Image<D>,
    url: &str,
    document: Option<&str>,
) -> Option<Site<'i>> {
    urls_of(url).iter().find_map(|url| match document {
        Some(name) => image.document(url, name),
        None => image.site(url),
    })
}

impl SiteInfo {
    /// Finds the site of a URL, or of a host under any scheme. `now` is in seconds since 1970.
    pub fn find<D: AsRef<[u8]>>(image: &Image<D>, url: &str, now: u64) -> Option<SiteInfo> {
        urls_of(url).iter().find_map(|url| {
            let (robots, data) = (image.site(url), image.document(url, DATA_TXT));
            let document = |site: Option<Site<'_>>| site.map(|site| Document::of(image, &site, now));
            (robots.is_some() || data.is_some())
                .then(|| SiteInfo { robots: document(robots), data_txt: document(data) })
        })
    }

    /// All sites ordered by name, each with its data.txt. A site without a robots.txt has its
    /// data.txt only.
    pub fn all<D: AsRef<[u8]>>(image: &Image<D>, now: u64) -> impl Iterator<Item = SiteInfo> {
        image.entries().filter_map(move |entry| {
            let authority = entry.authority();
            let urls = match entry.scheme() {
                Scheme::Http => vec![format!("http://{authority}")],
                Scheme::Https => vec![format!("https://{authority}")],
                Scheme::Any => vec![format!("https://{authority}"), format!("http://{authority}")],
            };
            let document = |site: &Site<'_>| Document::of(image, site, now);
            if entry.document_name().is_none() {
                let data_txt = urls.iter().find_map(|url| image.document(url, DATA_TXT));
                let data_txt = data_txt.as_ref().map(document);
                return Some(SiteInfo { robots: Some(document(&entry)), data_txt });
            }
            let has_robots = urls.iter().any(|url| image.site(url).is_some());
            (!has_robots).then(|| SiteInfo { robots: None, data_txt: Some(document(&entry)) })
        })
    }
}

impl Document {
    fn of<D: AsRef<[u8]>>(image: &Image<D>, site: &Site<'_>, now: u64) -> Document {
        let fetched_at = site.fetched_at();
        let detail = site.detail().unwrap_or_default();
        let groups: Vec<Group> = detail.groups.iter().map(|group| Group::of(&detail, group)).collect();
        let max_bytes = options_of(image).limits.bytes(site.profile());
        Document {
            site: site.address(),
            profile: site.profile().name(),
            outcome: site.outcome().map(|outcome| outcome.name()),
            status: Some(site.status()).filter(|&status| status != 0),
            fetched_at: fetched_at.and_then(rfc3339),
            fresh_for: site.fresh_for(),
            fresh_until: fetched_at.and_then(|at| rfc3339(at.saturating_add(u64::from(site.fresh_for())))),
            stale: fetched_at.map(|at| now.saturating_sub(at) > u64::from(site.fresh_for())),
            document: site.document().map(robomaton_formats::DocumentId::get),
            cut: site.text_length().map(|length| length > max_bytes as u64),
            max_bytes,
            incomplete: groups.iter().any(|group| group.incomplete),
            sitemaps: site.sitemaps(),
            groups,
            extensions: extensions(&detail.extensions),
            meaning: meaning(site),
        }
    }
}

/// The meaning of an outcome, if it is not obvious. For a data.txt, it is defined for 2xx and 404
/// only (K3, K4).
fn meaning(site: &Site<'_>) -> Option<&'static str> {
    match (site.document_name().is_some(), site.outcome()?) {
        (true, Outcome::Unavailable) if site.status() == 404 => {
            Some("not found: data to be discovered by other methods")
        }
        (true, Outcome::Rules | Outcome::Empty | Outcome::NotRobots | Outcome::OverLimit) => None,
        (true, _) => Some("says nothing: only 2xx and 404 have a meaning"),
        (false, Outcome::NotCaptured) => Some("pages of the site were captured, and no robots.txt"),
        (false, _) => None,
    }
}

impl Group {
    fn of(detail: &Detail<'_>, group: &detail::Group<'_>) -> Group {
        let names: Vec<&str> = group.crawlers.iter().map(String::as_str).collect();
        let default = group.default.then(|| "*".to_owned());
        let file = detail.file(group.file);
        let field = |rule: &detail::Rule<'_>| Field {
            line: rule.line,
            allow: rule.permits,
            usage: detail.usage(rule.usage).to_owned(),
            pattern: lossy(&rule.pattern),
            conditions: detail.conditions(rule).iter().map(ToString::to_string).collect(),
        };
        Group {
            role: group.role.name(),
            agents: written_names(&names).into_iter().map(str::to_owned).chain(default).collect(),
            purposes: group.purposes.iter().map(lossy).collect(),
            rules: group.rules.len(),
            fields: group.rules.iter().map(field).collect(),
            file: file.map(str::to_owned),
            incomplete: group.incomplete,
            schedule: group.schedule.as_deref().map(schedule).unwrap_or_default(),
            extensions: extensions(&group.extensions),
        }
    }
}

/// The schedule records of a group, one line each.
fn schedule(schedule: &Schedule) -> Vec<String> {
    let delay = |&millis: &u64| format!("delay {} seconds", millis as f64 / 1000.0);
    let delays = schedule.delays.iter().map(delay);
    let rates = schedule.rates.iter().map(|rate| {
        let times = rate.window.as_ref().map(|times| format!(", {times} UTC")).unwrap_or_default();
        format!("rate {} in {} seconds{times}", rate.documents, rate.seconds)
    });
    let visits = schedule.visits.iter().map(|times| format!("visits {times} UTC"));
    delays.chain(rates).chain(visits).collect()
}

fn lossy(bytes: &detail::Bytes<'_>) -> String {
    String::from_utf8_lossy(&bytes.0).into_owned()
}

fn extensions(records: &[detail::Extension<'_>]) -> Vec<Extension> {
    let record = |record: &detail::Extension<'_>| Extension {
        line: record.line,
        key: record.key.to_string(),
        value: record.value.to_string(),
    };
    records.iter().map(record).collect()
}
