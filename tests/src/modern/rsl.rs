//! RSL 1.0: license documents, and the answer of one document for one usage.
//!
//! [`read`] turns a document into contents with licenses; [`resolve`] follows the numbered steps of
//! the specification: explicit statements by rank, closure, grants, conditions. Invariant: a
//! document that does not conform is not read at all. This file does not know where documents come
//! from.

use super::robots::Pattern;
use super::{Effect, Query};
use crate::oracle;
use roxmltree::{Document as Xml, Node};

/// The namespace, which alone makes a document one of RSL.
const NAMESPACE: &str = "https://rslstandard.org/rsl";

/// The elements whose attributes and contents are kept as they are.
const OPAQUE: [&str; 5] = ["legal", "schema", "copyright", "terms", "alternate"];

/// The other elements with their attributes.
const ELEMENTS: [(&str, &[&str]); 11] = [
    ("rsl", &["max-age"]),
    ("content", &["url", "server", "encrypted", "lastmod"]),
    ("license", &[]),
    ("permits", &["type"]),
    ("prohibits", &["type"]),
    ("payment", &["type"]),
    ("standard", &[]),
    ("custom", &[]),
    ("amount", &["currency"]),
    ("accepts", &["type"]),
    ("reporting", &["type", "profile", "endpoint"]),
];

/// Days for which a document is fresh unless it states another number.
const MAX_AGE: i64 = 30;

/// A license document.
#[derive(Debug)]
pub(super) struct Document {
    /// Seconds for which it is fresh.
    pub(super) max_age: i64,
    contents: Vec<Content>,
}

#[derive(Debug)]
struct Content {
    /// From 1.
    number: u32,
    /// As written; empty for the page that names the document.
    url: String,
    server: Option<String>,
    licenses: Vec<License>,
}

#[derive(Debug, Default)]
struct License {
    usage: Terms,
    user: Terms,
    geo: Terms,
    /// Payment and reporting, as conditions.
    conditions: Vec<String>,
    /// A permission has a list with commas, so nobody knows what it permits.
    is_garbled: bool,
}

/// What a license states about one type.
#[derive(Debug, Default)]
struct Terms {
    permits: Option<Vec<String>>,
    prohibits: Option<Vec<String>>,
}

/// What a document answers.
pub(super) struct Outcome {
    pub(super) effect: Effect,
    /// The number of the deciding content.
    pub(super) content: Option<u32>,
    pub(super) reason: Option<&'static str>,
}

fn is_rsl(node: &Node<'_, '_>) -> bool {
    node.is_element() && node.tag_name().namespace() == Some(NAMESPACE)
}

/// The element stands inside one of another namespace.
fn is_foreign(node: &Node<'_, '_>) -> bool {
    node.ancestors().any(|node| node.is_element() && !is_rsl(&node))
}

fn children<'a, 'x>(node: Node<'a, 'x>, name: &'static str) -> Vec<Node<'a, 'x>> {
    node.children().filter(|child| is_rsl(child) && child.tag_name().name() == name).collect()
}

/// Unknown elements and attributes make a document non-conformant.
fn conforms(node: &Node<'_, '_>) -> bool {
    let name = node.tag_name().name();
    if OPAQUE.contains(&name) {
        return true;
    }
    let Some((_, attributes)) = ELEMENTS.iter().find(|(element, _)| *element == name) else { return false };
    node.attributes().all(|attribute| match attribute.namespace() {
        None | Some(NAMESPACE) => attributes.contains(&attribute.name()),
        Some(_) => true,
    })
}

/// Reads a document; `None` if it does not conform.
pub(super) fn read(text: &[u8]) -> Option<Document> {
    let xml = Xml::parse(std::str::from_utf8(text).ok()?).ok()?;
    let root = xml.root_element();
    let mut elements = root.descendants().filter(|node| node.is_element() && !is_foreign(node));
    if !is_rsl(&root) || root.tag_name().name() != "rsl" || !elements.all(|node| conforms(&node)) {
        return None;
    }
    let days = root.attribute("max-age").map(|days| match days.trim() {
        digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => digits.parse().unwrap_or(0),
        _ => 0,
    });
    let mut contents = Vec::new();
    for (number, node) in (1..).zip(children(root, "content")) {
        let licenses = children(node, "license");
        let licenses = licenses.into_iter().map(license).collect::<Option<Vec<_>>>()?;
        if licenses.is_empty() {
            return None;
        }
        let url = node.attribute("url")?.trim().to_owned();
        let server = node.attribute("server").map(str::trim).filter(|server| !server.is_empty());
        contents.push(Content { number, url, server: server.map(str::to_owned), licenses });
    }
    (!contents.is_empty())
        .then(|| Document { max_age: days.unwrap_or(MAX_AGE).saturating_mul(86_400), contents })
}

fn license(node: Node<'_, '_>) -> Option<License> {
    let mut license = License::default();
    let text = |node: &Node<'_, '_>| node.text().unwrap_or_default().trim().to_owned();
    for (name, is_permit) in [("permits", true), ("prohibits", false)] {
        for list in children(node, name) {
            let terms = match list.attribute("type")? {
                "usage" => &mut license.usage,
                "user" => &mut license.user,
                "geo" => &mut license.geo,
                _ => return None,
            };
            let tokens = text(&list);
            license.is_garbled |= is_permit && tokens.contains(',');
            let is_gap = |c: char| c.is_ascii_whitespace() || c == ',';
            let tokens = tokens.split(is_gap).filter(|token| !token.is_empty()).map(str::to_owned);
            if is_permit {
                if terms.permits.is_some() {
                    return None; // two of one type
                }
                terms.permits = Some(tokens.collect());
            } else {
                terms.prohibits.get_or_insert_default().extend(tokens);
            }
        }
    }
    for payment in children(node, "payment") {
        let kind = payment.attribute("type").unwrap_or("free");
        if kind == "free" && children(payment, "amount").is_empty() {
            continue;
        }
        license.conditions.push(format!("payment={kind}"));
        for name in ["standard", "custom"] {
            license
                .conditions
                .extend(children(payment, name).iter().map(|node| format!("{name}={}", text(node))));
        }
        for amount in children(payment, "amount") {
            let currency = amount.attribute("currency").unwrap_or_default();
            license.conditions.push(format!("amount={} {currency}", text(&amount)).trim_end().to_owned());
        }
    }
    for reporting in children(node, "reporting") {
        let profile = reporting.attribute("profile").or(reporting.attribute("type")).unwrap_or_default();
        license.conditions.push(format!("reporting={profile}"));
    }
    Some(license)
}

/// The usages that speak of this one, with their depths.
fn chain(usage: &str) -> &'static [(&'static str, u8)] {
    match usage {
        "ai-train" => &[("ai-train", 2), ("ai-all", 1), ("all", 0)],
        "ai-input" => &[("ai-input", 2), ("ai-all", 1), ("all", 0)],
        "ai-index" => &[("ai-index", 2), ("ai-all", 1), ("all", 0)],
        "search" | "index" => &[("search", 2), ("all", 0)],
        "ai-all" => &[("ai-all", 1), ("all", 0)],
        "all" => &[("all", 0)],
        _ => &[],
    }
}

/// A license can speak of this usage.
pub(super) fn is_spoken(usage: &str) -> bool {
    !chain(usage).is_empty()
}

/// The greatest depth of an entry of the list on the chain.
fn depth(list: Option<&Vec<String>>, usage: &str) -> Option<u8> {
    let has = |name: &str| list.is_some_and(|list| list.iter().any(|token| token == name));
    chain(usage).iter().filter(|(name, _)| has(name)).map(|(_, depth)| *depth).max()
}

/// An explicit statement: its rank, its sense, and where it stands.
struct Explicit<'d> {
    rank: (usize, u8),
    permits: bool,
    content: &'d Content,
    license: &'d License,
}

/// The answer of a document; `is_page` if the page itself names it. Of a content for a part of a
/// resource only the refusal holds, and one without a URL in a document that no page names says
/// nothing that anyone knows: otherwise they are unread.
pub(super) fn resolve(query: &Query<'_>, document: &Document, is_page: bool) -> Option<Outcome> {
    let refuses = |outcome: &Option<Outcome>| {
        outcome.as_ref().is_some_and(|outcome| matches!(outcome.effect, Effect::Refuse))
    };
    let (mut matching, mut is_doubtful) = (Vec::new(), false);
    for content in &document.contents {
        let (url, part) = content.url.split_once('#').unwrap_or((&content.url, ""));
        let length = match content.url.as_str() {
            "" => Some(0),
            _ => length_of(if url.is_empty() { "/" } else { url }, query),
        };
        let Some(length) = length else { continue };
        let counts = match content.url.as_str() {
            "" => is_page,
            _ => part.is_empty() || refuses(&of_matching(query, &[(length, content)])),
        };
        is_doubtful |= !counts;
        matching.extend(counts.then_some((length, content)));
    }
    let outcome = of_matching(query, &matching);
    match is_doubtful && !refuses(&outcome) {
        true => Some(Outcome { effect: Effect::Unread, content: None, reason: None }),
        false => outcome,
    }
}

/// The answer of the contents that match, with the lengths of their patterns.
fn of_matching(query: &Query<'_>, matching: &[(usize, &Content)]) -> Option<Outcome> {
    // 1: the longest.
    let longest = matching.iter().map(|(length, _)| *length).max()?;

    // 2: explicit statements.
    let mut explicit: Vec<Explicit<'_>> = Vec::new();
    for &(length, content) in matching {
        for license in &content.licenses {
            for (permits, list) in [(true, &license.usage.permits), (false, &license.usage.prohibits)] {
                if permits && license.is_garbled {
                    continue;
                }
                if let Some(depth) = depth(list.as_ref(), query.usage) {
                    explicit.push(Explicit { rank: (length, depth), permits, content, license });
                }
            }
        }
    }
    let highest = explicit.iter().map(|statement| statement.rank).max();
    explicit.retain(|statement| Some(statement.rank) == highest);
    let refusal = |content: &Content, reason| {
        Some(Outcome { effect: Effect::Refuse, content: Some(content.number), reason: Some(reason) })
    };
    if let Some(prohibition) = explicit.iter().find(|statement| !statement.permits) {
        return refusal(prohibition.content, "prohibits");
    }
    if matching.iter().any(|(_, content)| content.licenses.iter().any(|license| license.is_garbled)) {
        return Some(Outcome { effect: Effect::Unread, content: None, reason: None });
    }

    // 3: a narrower content whose licenses all close the list.
    if let Some((winner, _)) = highest {
        let closes = |content: &Content| {
            content.licenses.iter().all(|license| {
                license.usage.permits.is_some()
                    && depth(license.usage.permits.as_ref(), query.usage).is_none()
            })
        };
        let mut narrower = matching.iter().filter(|(length, _)| *length > winner);
        if let Some((_, content)) = narrower.find(|(_, content)| closes(content)) {
            return refusal(content, "closure");
        }
    }
    let mut granting: Vec<(&Content, &License)> =
        explicit.iter().map(|statement| (statement.content, statement.license)).collect();

    // 4: no explicit statement.
    if granting.is_empty() {
        let narrowest: Vec<&Content> =
            matching.iter().filter(|(length, _)| *length == longest).map(|(_, content)| *content).collect();
        for content in &narrowest {
            let open = content.licenses.iter().filter(|license| license.usage.permits.is_none());
            granting.extend(open.map(|license| (*content, license)));
        }
        if granting.is_empty() {
            return refusal(narrowest.first()?, "closure");
        }
    }
    let first = granting.first()?.0;

    // 5 and 6: alternatives with their conditions.
    let mut offers: Vec<(Vec<String>, &Content)> = Vec::new();
    for (content, license) in granting {
        if let Some(conditions) = conditions(query, content, license) {
            offers.push((conditions, content));
        }
    }
    if offers.is_empty() {
        return Some(Outcome { effect: Effect::Refuse, content: Some(first.number), reason: None });
    }
    let content = offers.iter().find(|(conditions, _)| conditions.is_empty()).or(offers.first())?.1.number;
    let mut offers: Vec<Vec<String>> = offers.into_iter().map(|(conditions, _)| conditions).collect();
    offers.sort();
    offers.dedup();
    let effect = match &offers[..] {
        [] => return None,
        [none, ..] if none.is_empty() => Effect::Allow,
        [one] => Effect::Condition(one.clone()),
        several => {
            let texts: Vec<String> = several.iter().map(|offer| format!("({})", offer.join(", "))).collect();
            Effect::Condition(vec![format!("one-of={}", texts.join(" or "))])
        }
    };
    Some(Outcome { effect, content: Some(content), reason: None })
}

/// The length of a content's pattern, if it matches. An absolute URL must be of this very site.
fn length_of(url: &str, query: &Query<'_>) -> Option<usize> {
    let path = match url.split_once("://") {
        Some(_) => {
            let origin = &query.site.origin;
            let start = url.get(..origin.len()).filter(|start| start.eq_ignore_ascii_case(origin))?;
            let rest = &url[start.len()..];
            match rest.chars().next() {
                Some('/') => rest.to_owned(),
                Some('\\') => rest.replacen('\\', "/", 1),
                Some('?') | None => format!("/{rest}"),
                Some(_) => return None,
            }
        }
        None => String::from_utf8(oracle::path_of(url.as_bytes(), None)?).ok()?,
    };
    let pattern = Pattern::new(path.as_bytes());
    pattern.matches(query.target).then_some(pattern.length)
}

/// The conditions under which a license grants to this user; `None` if it does not.
fn conditions(query: &Query<'_>, content: &Content, license: &License) -> Option<Vec<String>> {
    let mut conditions = license.conditions.clone();
    conditions.extend(content.server.iter().map(|server| format!("token={server}")));
    for (name, terms, stated) in [("user", &license.user, query.user), ("geo", &license.geo, query.geo)] {
        let prohibited = terms.prohibits.clone().unwrap_or_default();
        let has = |list: &[String], value: &str| list.iter().any(|token| token == value);
        if let Some(value) = stated {
            let is_permitted = terms.permits.as_ref().is_none_or(|list| has(list, value));
            if !is_permitted || has(&prohibited, value) {
                return None;
            }
            continue;
        }
        let join = |mut list: Vec<String>| {
            list.sort();
            list.dedup();
            list.join("|")
        };
        match &terms.permits {
            Some(list) => {
                let left: Vec<String> =
                    list.iter().filter(|token| !has(&prohibited, token)).cloned().collect();
                if left.is_empty() {
                    return None;
                }
                conditions.push(format!("{name}={}", join(left)));
            }
            None if !prohibited.is_empty() => conditions.push(format!("{name}-not={}", join(prohibited))),
            None => {}
        }
    }
    conditions.sort();
    conditions.dedup();
    Some(conditions)
}
