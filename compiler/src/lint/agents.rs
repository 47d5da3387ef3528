//! User-agent lines: groups that were probably meant to be two, and names that are probably
//! misspelt.
//!
//! Both findings guess at the author's intention, so they are limited to signs that proved right on
//! the texts of a crawl. Two groups were meant if a blank line or a record other than a rule
//! interrupts a list of user-agents. A name is misspelt if it is close to the name of one
//! well-known crawler and is not another's. Invariant: linear time, since a name is only compared
//! with names of similar length. About rules, this file only checks whether a group forbids
//! anything.

use super::{Code, Pass, quote};
use robomaton_formats::crawlers;
use robomaton_grammar::{Group, Key, LineKind, Span, product_token};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Correct names that are missing from the table of well-known crawlers: variants of those names,
/// and other crawlers with similar names.
const OTHERS: [&str; 38] = [
    "AdsBot-Google",
    "AdsBot-Google-Mobile",
    "AhrefsBot",
    "AhrefsSiteAudit",
    "APIs-Google",
    "Barkrowler",
    "BLEXBot",
    "DataForSeoBot",
    "DotBot",
    "Facebot",
    "FeedFetcher-Google",
    "Google-InspectionTool",
    "Googlebot-Image",
    "Googlebot-Mobile",
    "Googlebot-News",
    "Googlebot-Video",
    "GoogleOther-Image",
    "GoogleOther-Video",
    "LinkedInBot",
    "Mediapartners-Google",
    "MJ12bot",
    "msnbot",
    "msnbot-media",
    "Pinterestbot",
    "rogerbot",
    "SemrushBot",
    "SemrushBot-BA",
    "SemrushBot-BM",
    "SemrushBot-COUB",
    "SemrushBot-CT",
    "SemrushBot-OCOB",
    "SemrushBot-SA",
    "SemrushBot-SI",
    "SemrushBot-SWA",
    "SiteAuditBot",
    "Storebot-Google",
    "Twitterbot",
    "YandexImages",
];

/// Names of lesser-known crawlers that resemble a well-known one, in lower case. They are never
/// reported.
const ALIKE: [&str; 3] = ["factbot", "fastbot", "roverbot"];

/// Shorter names are similar to one another by chance.
const SHORT: usize = 7;
/// Names of at least this length may have two mistakes.
const LONG: usize = 12;

/// A correct name, as written and as compared.
struct Right {
    name: &'static str,
    lower: String,
}

static RIGHT: LazyLock<Vec<Right>> = LazyLock::new(|| {
    let names = crawlers::known().iter().map(|known| known.token).chain(OTHERS);
    names.map(|name| Right { name, lower: name.to_ascii_lowercase() }).collect()
});

pub(super) fn lint(pass: &mut Pass<'_, '_>) {
    let tree = pass.tree;
    // For each name, the crawler that was meant if it is misspelt.
    let mut meant: HashMap<Vec<u8>, Option<&'static str>> = HashMap::new();
    for group in &tree.groups {
        merged(group, pass);
        // The names of the group, collected when one of them is in doubt.
        let mut own: Option<HashSet<Vec<u8>>> = None;
        for (_, token) in names(group, pass) {
            let name = tree.text(token).to_ascii_lowercase();
            let Some(right) = *meant.entry(name).or_insert_with_key(|name| misspelt(name)) else { continue };
            let own = own.get_or_insert_with(|| {
                names(group, pass)
                    .into_iter()
                    .map(|(_, token)| tree.text(token).to_ascii_lowercase())
                    .collect()
            });
            // A group that names both means both.
            if !own.contains(right.to_ascii_lowercase().as_bytes()) {
                let message = format!(
                    "no well-known crawler is called {}; did you mean `{right}`?",
                    quote(tree.text(token))
                );
                pass.say(Code::MisspelledAgent, token, message);
            }
        }
    }
}

/// The product tokens of a group, each with the index of its line.
fn names(group: &Group, pass: &Pass<'_, '_>) -> Vec<(usize, Span)> {
    let tree = pass.tree;
    let lines = group.start as usize..group.body as usize;
    let agents = lines.filter(|&at| tree.lines[at].kind == LineKind::Field(Key::UserAgent));
    let name = |at: usize| {
        let value = tree.lines[at].value;
        let token = product_token(tree.text(value))?;
        Some((at, Span { start: value.start, end: value.start + token.len() as u32 }))
    };
    agents.filter_map(name).collect()
}

/// Reports names of a group that share its rules across a line that looks like the end of the group
/// (R6).
fn merged(group: &Group, pass: &mut Pass<'_, '_>) {
    let tree = pass.tree;
    let is_blank = |at: usize| tree.lines[at].kind == LineKind::Blank && tree.lines[at].comment.is_empty();
    let mut names = names(group, pass);
    let Some(&(last, _)) = names.last() else { return };
    // A record that ends a list of user-agents separates the groups well.
    if let Some(end) = (group.start as usize..last).rev().find(|&at| pass.closes(at)) {
        names.retain(|&(at, _)| at > end);
    }
    // If the rules are set apart from all names, blank lines are the style of the file.
    let is_airy = last + 1 < group.body as usize && is_blank(last + 1);
    let ends = |at: usize| match tree.lines[at].kind {
        LineKind::Field(Key::UserAgent) | LineKind::Acap | LineKind::Malformed => false,
        LineKind::Blank => is_blank(at) && !is_airy,
        LineKind::Field(_) | LineKind::Unknown => true,
    };
    let forbids = |at: usize| {
        let line = &tree.lines[at];
        line.kind == LineKind::Field(Key::Disallow) && !line.value.is_empty()
    };
    // The line that separates two names: preferably a record.
    let gap = |pair: &[(usize, Span)]| {
        let mut between = (pair[0].0 + 1..pair[1].0).filter(|&at| ends(at)).peekable();
        let first = *between.peek()?;
        Some(between.find(|&at| tree.lines[at].kind != LineKind::Blank).unwrap_or(first))
    };
    let gaps: Vec<(usize, usize)> =
        names.windows(2).enumerate().filter_map(|(at, pair)| Some((at + 1, gap(pair)?))).collect();
    let Some(&(tail, _)) = gaps.last() else { return };
    // If nothing is forbidden, the merge has no effect.
    if !(group.body as usize..group.end as usize).any(forbids) {
        return;
    }
    let lower = |(_, token): &(usize, Span)| tree.text(*token).to_ascii_lowercase();
    let shared: HashSet<Vec<u8>> = names[tail..].iter().map(lower).collect();
    let mut begin = 0;
    for (end, by) in gaps {
        let block = &names[begin..end];
        begin = end;
        let Some((_, name)) = block.iter().find(|name| !shared.contains(&lower(name))) else { continue };
        let [who, next] = [*name, names[end].1].map(|token| quote(tree.text(token)));
        let why = match tree.lines[by].kind {
            LineKind::Blank => "a blank line does not end a group".to_owned(),
            _ => format!("{} is no rule, so it does not end a group", quote(tree.text(tree.lines[by].key))),
        };
        let message = format!("{who} is in one group with {next} and gets the same rules: {why}");
        pass.say_with(Code::MergedGroups, *name, message, names[end].1, "the group goes on here");
    }
}

/// The well-known crawler whose name was probably meant by this lower-case name.
fn misspelt(name: &[u8]) -> Option<&'static str> {
    let name = str::from_utf8(name).ok().filter(|name| *name != "*")?;
    if ALIKE.contains(&name) || RIGHT.iter().any(|right| right.lower == name) {
        return None;
    }
    let distance = |right: &'static Right| Some((distance(name, &right.lower)?, right.name));
    RIGHT.iter().filter_map(distance).min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}

/// The number of mistakes between a name and the right one, if it is small enough: added, missing,
/// changed or swapped letters. The first letter must be one of the first two of `right`; names with
/// another first letter (`pingbot`) are seldom mistakes.
fn distance(name: &str, right: &str) -> Option<usize> {
    let (short, long) = (name.len().min(right.len()), name.len().max(right.len()));
    if long - short > 2 || !right.bytes().take(2).any(|letter| name.as_bytes()[0] == letter) {
        return None;
    }
    let distance = strsim::osa_distance(name, right);
    let is_near = match short {
        // Short names: two swapped letters, or one name written as two words.
        0..SHORT => distance == 1 && (is_swapped(name, right) || words(name) == right),
        SHORT..LONG => distance == 1,
        _ => distance <= 2,
    };
    is_near.then_some(distance)
}

fn is_swapped(one: &str, other: &str) -> bool {
    let sorted = |name: &str| {
        let mut letters = name.as_bytes().to_vec();
        letters.sort_unstable();
        letters
    };
    sorted(one) == sorted(other)
}

/// A name without word separators.
fn words(name: &str) -> String {
    name.replace(['-', '_', '.'], "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_lead_to_the_name_that_was_meant() {
        for (name, right) in [
            ("googelbot", "Googlebot"),
            ("ooglebot", "Googlebot"),
            ("google-bot", "Googlebot"),
            ("claudbot", "ClaudeBot"),
            ("claude-bot", "ClaudeBot"),
            ("gtpbot", "GPTBot"),
            ("gpt-bot", "GPTBot"),
            ("cc-bot", "CCBot"),
            ("googlebot-images", "Googlebot-Image"),
            ("googleextented", "Google-Extended"),
            ("perplexitibot", "PerplexityBot"),
            ("meta-externallagents", "meta-externalagent"),
        ] {
            assert_eq!(misspelt(name.as_bytes()), Some(right), "{name}");
        }
    }

    #[test]
    fn other_names_are_left_alone() {
        for name in [
            // Real crawlers, each similar to one in the list.
            "pingbot",
            "xingbot",
            "getbot",
            "aibot",
            "aipbot",
            "dotbot",
            "psbot",
            "npbot",
            "moodlebot",
            "jooblebot",
            "travelbot",
            "thinkbot",
            "duckduckgo",
            "amazonadbot",
            "roverbot",
            "semrushbot-si",
            "semrushbot-coub",
            "factbot",
            "fastbot",
            "googlebot-news",
            // Similar to none.
            "*",
            "g",
            "google",
            "bot",
            "examplebot",
        ] {
            assert_eq!(misspelt(name.as_bytes()), None, "{name}");
        }
        for right in RIGHT.iter() {
            assert_eq!(misspelt(right.lower.as_bytes()), None, "{}", right.name);
        }
    }
}
