//! META robots and X-Robots-Tag.
//!
//! Collects the rules that address the crawler from headers and tags, and lowers each to statements
//! about usages. Invariant: only negatives state something, and the union of all counts. This file
//! does not know what silence means.

use super::{Effect, Profile, Query, Statement, dates, html, moment};
use crate::oracle::agent;

/// Rules that have a value.
const VALUED: [&str; 4] = ["max-snippet", "max-image-preview", "max-video-preview", "unavailable_after"];

/// Rules without a value.
const PLAIN: [&str; 18] = [
    "noindex",
    "none",
    "nofollow",
    "nosnippet",
    "notranslate",
    "noimageindex",
    "indexifembedded",
    "noarchive",
    "nocache",
    "noai",
    "noml",
    "noimageai",
    "all",
    "index",
    "follow",
    "noodp",
    "noydir",
    "nositelinkssearchbox",
];

/// A rule that addresses the crawler: its name in lower case, and its value.
struct Rule {
    carrier: &'static str,
    /// The crawler that it is for, in lower case; `None` for all.
    to: Option<String>,
    name: String,
    value: String,
}

/// The pieces of a list. A date may have a comma after its weekday; a weekday alone is no date, and
/// takes nothing from the rule after it.
fn pieces(list: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    for piece in list.split(',') {
        if let Some(last) = pieces.last_mut() {
            // An agent may stand in front of the rule.
            let lower = last.to_ascii_lowercase();
            let rule = lower.rsplit_once("unavailable_after").map(|(_, rest)| rest.trim_start());
            let value = rule.and_then(|rest| rest.strip_prefix(':'));
            let is_digit = piece.trim_start().starts_with(|c: char| c.is_ascii_digit());
            let is_date = |day: &str| is_digit || dates::parse(&format!("{day},{piece}")).is_some();
            if value.is_some_and(|day| dates::is_weekday(day) && is_date(day)) {
                last.push(',');
                last.push_str(piece);
                continue;
            }
        }
        pieces.push(piece.to_owned());
    }
    pieces
}

/// The rules of a piece of a META tag. White space separates rules, but not a value from its name,
/// unless it is a rule itself, nor the parts of a date.
fn words(piece: &str) -> Vec<Rule> {
    let whole = rule("page", piece);
    if whole.name == "unavailable_after" && dates::parse(&whole.value).is_some() {
        return vec![whole];
    }
    let mut rules = Vec::new();
    let mut rest = piece.trim_start();
    while !rest.is_empty() {
        let word = rest.split_whitespace().next().unwrap_or_default();
        let name = word.split(':').next().unwrap_or_default().to_ascii_lowercase();
        let value = rest[name.len()..].trim_start().strip_prefix(':').map(str::trim_start);
        rest = match value.filter(|_| VALUED.contains(&name.as_str())) {
            Some(value) => {
                let first = value.split_whitespace().next().unwrap_or_default();
                let lower = first.to_ascii_lowercase();
                let is_size = name == "max-image-preview" && lower == "none";
                let is_value = is_size || !PLAIN.contains(&lower.as_str());
                let first = if is_value { first } else { "" };
                rules.push(rule("page", &format!("{name}:{first}")));
                &value[first.len()..]
            }
            // A colon behind a rule separates.
            None if PLAIN.contains(&name.as_str()) => {
                rules.push(rule("page", &name));
                rest[name.len()..].trim_start_matches(':')
            }
            None => {
                rules.push(rule("page", word));
                &rest[word.len()..]
            }
        }
        .trim_start();
    }
    rules
}

fn rule(carrier: &'static str, piece: &str) -> Rule {
    let (name, value) = piece.split_once(':').unwrap_or((piece, ""));
    let name = name.trim().to_ascii_lowercase();
    // Names without a value are no rules when one follows.
    let is_fine = VALUED.contains(&name.as_str()) || !piece.contains(':');
    let name = if is_fine { name } else { String::new() };
    Rule { carrier, to: None, name, value: value.trim().to_owned() }
}

/// The rules of the headers and of the page.
fn rules(query: &Query<'_>) -> Vec<Rule> {
    // Names as in robots.txt (R5); no name for every crawler.
    let addressee = |name: &str| {
        let name = agent(name.trim().as_bytes());
        if ["*", "robots"].contains(&name.as_str()) { None } else { Some(name) }
    };
    let is_asker = |name: &str| {
        addressee(name).is_none_or(|name| !name.is_empty() && query.tokens().any(|token| token == name))
    };
    let mut rules = Vec::new();
    for line in query.headers("x-robots-tag") {
        let (mut applies, mut to) = (true, None);
        'pieces: for piece in pieces(line) {
            let mut piece = piece.as_str();
            while let Some((name, rest)) = piece.split_once(':') {
                let name = name.trim();
                if name.is_empty() {
                    continue 'pieces;
                }
                let with_value = |name: &str| {
                    let name = name.to_ascii_lowercase().replace('_', "-");
                    VALUED.iter().any(|valued| valued.replace('_', "-") == name)
                };
                let is_valued = with_value(name);
                // The hours of a date.
                let is_hour = name.len() < 3 && name.chars().all(|c| c.is_ascii_digit());
                // A name stands before a rule.
                let is_rule = |text: &str| {
                    let first = text.trim_start().split([':', ';', ' ', '\t']).next().unwrap_or_default();
                    with_value(first) || PLAIN.contains(&first.to_ascii_lowercase().as_str())
                };
                let is_word = !name.contains(char::is_whitespace);
                let leads = is_rule(rest) || rest.trim().is_empty() && is_word;
                let is_name = leads && (is_word || !name.split_whitespace().any(is_rule));
                if PLAIN.contains(&name.to_ascii_lowercase().as_str()) {
                    // A rule is no name, and a colon behind it separates.
                    if applies {
                        rules.push(Rule { to: to.clone(), ..rule("header", name) });
                    }
                    piece = rest;
                } else if !is_valued && !is_hour && is_name {
                    applies = is_asker(name);
                    to = addressee(name);
                    piece = rest;
                } else {
                    break;
                }
            }
            if applies {
                rules.push(Rule { to: to.clone(), ..rule("header", piece) });
            }
        }
    }
    for (names, content) in html::metas(query.html()) {
        for name in names.split(',').filter(|name| is_asker(name)) {
            let to = addressee(name);
            let of_tag = pieces(&content).into_iter().flat_map(|piece| words(&piece));
            rules.extend(of_tag.map(|rule| Rule { to: to.clone(), ..rule }));
        }
    }
    rules
}

/// The statements of all rules about the usage.
pub(super) fn statements(query: &Query<'_>) -> Vec<Statement> {
    let rules = rules(query);
    let has = |name: &str| rules.iter().any(|rule| rule.name == name);
    let of_google = query.tokens().any(|token| token.starts_with("googlebot") || token == "google-extended");
    let lower = Lowering {
        usage: query.usage,
        now: query.now,
        embedded: rules
            .iter()
            .filter(|rule| rule.name == "indexifembedded")
            .map(|rule| rule.to.as_deref())
            .collect(),
        is_google: of_google || query.site.profile == Profile::Google,
        is_bing: query.has_table("bing-2023")
            && query.tokens().any(|token| ["bingbot", "msnbot"].contains(&token.as_str())),
        has_nocache: has("nocache"),
        least: least(&rules),
    };
    let mut statements = Vec::new();
    for rule in &rules {
        if let Some(effect) = lower.effect(rule) {
            statements.push(Statement::new("robots-meta", rule.carrier, effect));
        }
    }
    let opts_out = |tag: &html::Tag| {
        ["span", "div", "section"].contains(&tag.name.as_str()) && tag.get("data-nosnippet").is_some()
    };
    if query.usage == "present-snippet" && !query.elements && html::tags(query.html()).iter().any(opts_out) {
        statements.push(Statement::new("robots-meta", "page", Effect::Refuse));
    }
    statements
}

/// The most restrictive values: the shortest snippet, the shortest video, the earliest date.
type Least = (Option<i64>, Option<i64>, Option<i64>);

fn least(rules: &[Rule]) -> Least {
    let of = |name: &str, value: fn(&str) -> Option<i64>| {
        let values = rules.iter().filter(|rule| rule.name == name).filter_map(|rule| value(&rule.value));
        values.min()
    };
    (of("max-snippet", limit), of("max-video-preview", limit), of("unavailable_after", dates::parse))
}

/// A limit of at least 0; -1 is none, and so is what cannot be read.
fn limit(value: &str) -> Option<i64> {
    Some(value).filter(|value| value.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok()
}

/// What the meaning of a rule depends on.
struct Lowering<'q> {
    usage: &'q str,
    now: Option<i64>,
    /// For whom a rule permits to index what is embedded; one for all lifts the refusals of all.
    embedded: Vec<Option<&'q str>>,
    is_google: bool,
    is_bing: bool,
    has_nocache: bool,
    least: Least,
}

impl Lowering<'_> {
    fn effect(&self, rule: &Rule) -> Option<Effect> {
        let is = |usages: &[&str]| usages.contains(&self.usage);
        let refuse = |usages: &[&str]| is(usages).then_some(Effect::Refuse);
        let only = |usages: &[&str], text: String| is(usages).then(|| Effect::Condition(vec![text]));
        let no_snippet = || {
            let grounding = self.is_google && is(&["ai-input"]);
            refuse(&["present-snippet", "present-video"]).or(grounding.then_some(Effect::Refuse))
        };
        let (snippet, video, date) = self.least;
        let shown = || only(&["ai-input", "ai-train"], "only=snippet|title|url".to_owned());
        match rule.name.as_str() {
            "none" if is(&["follow"]) => Some(Effect::Refuse),
            "noindex" | "none"
                if is(&["index"])
                    && self.embedded.iter().any(|to| to.is_none_or(|to| Some(to) == rule.to.as_deref())) =>
            {
                only(&["index"], "embedded=yes".to_owned())
            }
            "noindex" | "none" => refuse(&["index", "search"]),
            "nofollow" => refuse(&["follow"]),
            "nosnippet" => no_snippet(),
            "max-snippet" => match limit(&rule.value)? {
                0 => no_snippet(),
                n if Some(n) == snippet => only(&["present-snippet"], format!("max-snippet={n}")),
                _ => None,
            },
            "max-image-preview" => match rule.value.to_ascii_lowercase().as_str() {
                "none" => refuse(&["present-thumbnail"]),
                "standard" => only(&["present-thumbnail"], "max-image-preview=standard".to_owned()),
                _ => None,
            },
            "max-video-preview" => {
                let n = limit(&rule.value).filter(|n| Some(*n) == video)?;
                only(&["present-video"], format!("max-video-preview={n}"))
            }
            "notranslate" => refuse(&["translate"]),
            "noimageindex" => only(&["index"], "not=images".to_owned()),
            "unavailable_after" => {
                let until = dates::parse(&rule.value).filter(|until| Some(*until) == date)?;
                if self.now.is_some_and(|now| now > until) {
                    return refuse(&["index", "search"]);
                }
                only(&["index", "search"], format!("until={}", moment(until)))
            }
            "noarchive" | "nocache" if is(&["preserve", "present-currentcopy"]) => Some(Effect::Refuse),
            "nocache" if self.is_bing => shown(),
            "noarchive" if self.is_bing && self.has_nocache => shown(),
            "noarchive" if self.is_bing => refuse(&["ai-input", "ai-train"]),
            "noai" | "noml" => refuse(&["ai-train"]),
            "noimageai" => only(&["ai-train"], "not=images".to_owned()),
            _ => None,
        }
    }
}
