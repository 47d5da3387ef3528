//! Where license documents come from: `License` records, `Link` headers and `link` elements.
//!
//! Looks the documents up among those of the site and has each answer. Invariant: a page's own
//! documents are asked before those of the site, and a document that cannot be read is a statement
//! of its own. This file does not know what documents mean.

use super::robots::{File, Key, Record};
use super::{Effect, Query, Statement, html, rsl};

/// The media type that tells these links from other links to licenses.
const TYPE: &str = "application/rsl+xml";

/// The statements of all documents about the usage.
pub(super) fn statements(query: &Query<'_>, file: &File) -> Vec<Statement> {
    if !rsl::is_spoken(query.usage) {
        return Vec::new();
    }
    let (parts, urls): (Vec<_>, Vec<_>) = page_urls(query).into_iter().partition(|link| link.has_anchor);
    let of_part = |link: &Link| confined(answer(query, Some(&link.url), None, true)?);
    let linked = urls.iter().filter_map(|link| answer(query, Some(&link.url), None, true));
    let linked: Vec<Statement> = linked.chain(parts.iter().filter_map(of_part)).collect();
    let inline = inline(query.html());
    let inline = inline.iter().filter_map(|xml| statement(query, rsl::read(xml.as_bytes()), None, true));
    let inline: Vec<Statement> = inline.collect();
    // A document that is out of date is unread, and stands before those of the site if it spoke of
    // the usage.
    let fresh = Query { now: None, ..*query };
    let spoke = urls.iter().any(|link| answer(&fresh, Some(&link.url), None, true).is_some());
    let stands = spoke || !inline.is_empty();
    let mut all = [linked, inline].concat();
    if stands {
        return all;
    }
    let name = file.selected(query.agents);
    let mut records = name.map(|name| file.of(&name, &[Key::License])).unwrap_or_default();
    records.retain(|record| !record.value.is_empty());
    if records.is_empty() {
        records = file.leading(Key::License);
        records.retain(|record| !record.value.is_empty());
    }
    all.extend(of_records(query, records));
    all
}

/// What a document about another resource, or about a part of the page, means for the page: it may
/// refuse, and permits nothing.
fn confined(statement: Statement) -> Option<Statement> {
    let effect = match statement.effect {
        Effect::Allow | Effect::Unset => return None,
        Effect::Condition(_) => Effect::Unread,
        effect => effect,
    };
    Some(Statement { effect, ..statement })
}

/// The statements of the documents that these records name.
pub(super) fn of_records(query: &Query<'_>, records: Vec<&Record>) -> Vec<Statement> {
    let named = records.into_iter().filter(|record| !record.value.is_empty());
    let url = |record: &Record| String::from_utf8(record.value.clone()).ok().filter(|url| is_absolute(url));
    named.filter_map(|record| answer(query, url(record).as_deref(), Some(record.line), false)).collect()
}

/// The statement of one document; `None` if nothing in it covers the target.
fn answer(query: &Query<'_>, url: Option<&str>, line: Option<u32>, is_page: bool) -> Option<Statement> {
    let documents = &query.site.documents;
    let text = documents.iter().find(|(name, _)| Some(name.as_str()) == url).map(|(_, text)| text);
    let document = text.and_then(|text| rsl::read(text));
    let is_stale = |document: &rsl::Document| {
        query.now.is_some_and(|now| now >= query.site.fetched.saturating_add(document.max_age))
    };
    statement(query, document.filter(|document| !is_stale(document)), line, is_page)
}

/// The statement of a document, if it can be read.
fn statement(
    query: &Query<'_>,
    document: Option<rsl::Document>,
    line: Option<u32>,
    is_page: bool,
) -> Option<Statement> {
    let outcome = match document {
        Some(document) => rsl::resolve(query, &document, is_page)?,
        None => rsl::Outcome { effect: Effect::Unread, content: None, reason: None },
    };
    let mut statement = Statement::new("rsl", "rsl", outcome.effect);
    (statement.line, statement.rule, statement.reason) = (line, outcome.content, outcome.reason);
    Some(statement)
}

/// The documents in the scripts of a page. They are as old as the page.
fn inline(html: &str) -> Vec<String> {
    let mut documents = Vec::new();
    let lower = html.to_ascii_lowercase();
    let mut at = 0;
    while let Some(start) = lower[at..].find("<script") {
        let start = at + start;
        let Some(end) = lower[start..].find('>') else { break };
        let content = start + end + 1;
        let close = lower[content..].find("</script").map_or(html.len(), |close| content + close);
        let is_rsl = html::tags(&html[start..content]).iter().any(|tag| tag.get("type").is_some_and(is_type));
        documents.extend(is_rsl.then(|| html[content..close].to_owned()));
        at = close;
    }
    documents
}

/// True for the media type, with parameters or without.
fn is_type(kind: &str) -> bool {
    kind.split(';').next().is_some_and(|name| name.trim().eq_ignore_ascii_case(TYPE))
}

fn is_absolute(url: &str) -> bool {
    ["http://", "https://"].iter().any(|start| {
        url.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start)) && url.len() > start.len()
    })
}

/// A link to a document.
#[derive(PartialEq)]
struct Link {
    url: String,
    /// It is about what its anchor names, and not about the page.
    has_anchor: bool,
}

/// The documents that the header and the page name, resolved against the page.
fn page_urls(query: &Query<'_>) -> Vec<Link> {
    let is_license =
        |rel: &str| rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("license"));
    let mut targets = Vec::new();
    for line in query.headers("link") {
        for link in split(line, ',') {
            // Without brackets, a link has no target: its document cannot be read.
            let (target, parts) = match link.trim().strip_prefix('<').and_then(|link| link.split_once('>')) {
                Some((target, parameters)) => (target, split(parameters, ';')),
                None => ("", link.split(';').map(str::to_owned).collect()),
            };
            let parameters: Vec<(String, String)> = parts.iter().map(|part| parameter(part)).collect();
            let has = |name: &str, fits: &dyn Fn(&str) -> bool| {
                let first = parameters.iter().find(|(key, _)| key == name);
                first.is_some_and(|(_, value)| fits(value))
            };
            if has("rel", &is_license) && has("type", &is_type) {
                let has_anchor = parameters.iter().any(|(key, _)| key == "anchor");
                targets.push(Link { url: resolve(target.trim(), query), has_anchor });
            }
        }
    }
    let tags = html::tags(query.html());
    // Links of the page, and not of its header, are relative to its base.
    let base = tags.iter().filter(|tag| tag.name == "base").find_map(|tag| tag.get("href"));
    let base = base.map(|base| resolve(base.trim(), query));
    for tag in tags.iter().filter(|tag| tag.name == "link") {
        if tag.get("rel").is_some_and(is_license) && tag.get("type").is_some_and(is_type) {
            let target = tag.get("href").unwrap_or_default().trim();
            let url = match &base {
                Some(base) if !is_absolute(target) && !target.is_empty() => beside(target, base),
                _ => resolve(target, query),
            };
            targets.push(Link { url, has_anchor: false });
        }
    }
    targets.dedup();
    targets
}

/// Parts of a header outside brackets and quotes.
fn split(text: &str, separator: char) -> Vec<String> {
    let mut parts = vec![String::new()];
    let (mut in_quotes, mut in_target) = (false, false);
    for c in text.chars() {
        match c {
            '"' if !in_target => in_quotes = !in_quotes,
            '<' if !in_quotes => in_target = true,
            '>' if !in_quotes => in_target = false,
            _ => {}
        }
        if c == separator && !in_quotes && !in_target {
            parts.push(String::new());
        } else if let Some(last) = parts.last_mut() {
            last.push(c);
        }
    }
    parts
}

fn parameter(text: &str) -> (String, String) {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    (name.trim().to_ascii_lowercase(), value.trim().trim_matches(['"', '\'']).to_owned())
}

/// A reference of the page as an absolute URL; dot segments stay. An empty one stays empty.
fn resolve(reference: &str, query: &Query<'_>) -> String {
    if is_absolute(reference) || reference.is_empty() {
        return reference.to_owned();
    }
    beside(reference, &format!("{}{}", query.site.origin, String::from_utf8_lossy(query.target)))
}

/// A reference at a URL, as an absolute URL.
fn beside(reference: &str, url: &str) -> String {
    let host = url.find("://").map_or(0, |at| at + 3);
    let end = url[host..].find(['/', '?']).map_or(url.len(), |end| host + end);
    let (origin, target) = url.split_at(end);
    if reference.starts_with("//") {
        let scheme = origin.split_once("//").map_or("", |(scheme, _)| scheme);
        return format!("{scheme}{reference}");
    }
    if reference.starts_with('/') {
        return format!("{origin}{reference}");
    }
    let path = target.split('?').next().unwrap_or("/");
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    format!("{origin}{folder}/{reference}")
}
