//! User-agent lines: groups that were meant to be two, and names that are probably misspelt.
//!
//! Both remarks are guesses at what an author meant, so they are held to signs that proved right on
//! the texts of a crawl. Two groups were meant where a list of user-agents is interrupted by a
//! blank line or by a record that is no rule. A name is misspelt where it is nearly the name of a
//! well-known crawler, and not that of another one. Invariant: linear time, since a name is
//! compared only with names of about its length. Of rules it asks one thing: whether a group
//! forbids anything.

use super::{Code, Pass, quote};
use robomaton_formats::crawlers;
use robomaton_grammar::{Group, Key, LineKind, Span, product_token};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Names that are right as they are, beside those of the table of well-known crawlers: variants of
/// these, and crawlers of other kinds whose names are close to one another.
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

/// Names of lesser-known crawlers that look like one of these, in lower case. Nobody is told that
/// one of them was meant.
const ALIKE: [&str; 3] = ["factbot", "fastbot", "roverbot"];

/// Names of fewer letters are close to one another by chance.
const SHORT: usize = 7;
/// Names of so many letters may have two mistakes.
const LONG: usize = 12;

/// A name that is right, as it is written and as it is compared.
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
    // For each name whether it is misspelt, and of what.
    let mut meant: HashMap<Vec<u8>, Option<&'static str>> = HashMap::new();
    for group in &tree.groups {
        merged(group, pass);
        // The names of the group, once one of them is in doubt.
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
            // Who names both means both.
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

/// Says which names of a group share its rules over a line that looks like the end of a group (R6).
fn merged(group: &Group, pass: &mut Pass<'_, '_>) {
    let tree = pass.tree;
    let is_blank = |at: usize| tree.lines[at].kind == LineKind::Blank && tree.lines[at].comment.is_empty();
    let names = names(group, pass);
    let Some(&(last, _)) = names.last() else { return };
    // Where the rules stand apart from all names, blank lines are the style of the file.
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
    // The line that separates two names: a record, if there is one.
    let gap = |pair: &[(usize, Span)]| {
        let mut between = (pair[0].0 + 1..pair[1].0).filter(|&at| ends(at)).peekable();
        let first = *between.peek()?;
        Some(between.find(|&at| tree.lines[at].kind != LineKind::Blank).unwrap_or(first))
    };
    let gaps: Vec<(usize, usize)> =
        names.windows(2).enumerate().filter_map(|(at, pair)| Some((at + 1, gap(pair)?))).collect();
    let Some(&(tail, _)) = gaps.last() else { return };
    // Who may go everywhere either way loses nothing.
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

/// The well-known crawler whose name this one, in lower case, probably is.
fn misspelt(name: &[u8]) -> Option<&'static str> {
    let name = str::from_utf8(name).ok().filter(|name| *name != "*")?;
    if ALIKE.contains(&name) || RIGHT.iter().any(|right| right.lower == name) {
        return None;
    }
    let distance = |right: &'static Right| Some((distance(name, &right.lower)?, right.name));
    RIGHT.iter().filter_map(distance).min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}

/// How many mistakes make the first name of the second, where they are few enough: letters too
/// many, missing, other or swapped. None changes the first letter: such names (`pingbot`) are
/// seldom mistakes.
fn distance(name: &str, right: &str) -> Option<usize> {
    let (short, long) = (name.len().min(right.len()), name.len().max(right.len()));
    if long - short > 2 || !right.bytes().take(2).any(|letter| name.as_bytes()[0] == letter) {
        return None;
    }
    let distance = strsim::osa_distance(name, right);
    let is_near = match short {
        // Few letters: two of them swapped, or one name in two words.
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

/// A name without the signs that part words.
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
            // Real crawlers, each close to one of the list.
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
            // Nothing like any.
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
