//! The languages with lines in robots.txt: AIPREF, Content Signals, DisallowAITraining, Noindex,
//! control tokens; the first two also as headers. And ai.txt.
//!
//! Each function returns the statements about one usage; the caller combines them. Invariant: one
//! function per language, and a function reads the file from the beginning. This file does not know
//! how statements of several languages are combined.

use super::dictionary::{self, Item};
use super::robots::{File, Key, Pattern, Record, longest};
use super::{Effect, Profile, Query, Statement, licenses, rsl};
use crate::oracle;

/// A matching rule of a language with an optional path before the statement.
struct Rule<'r> {
    line: u32,
    /// The value after the path.
    statement: &'r [u8],
    /// Shorter rules match, too.
    shadows: bool,
}

impl Rule<'_> {
    fn states(&self, language: &'static str, effect: Effect) -> Statement {
        Statement { shadows: self.shadows, ..Statement::new(language, "robots", effect).at(self.line) }
    }
}

/// The longest matching rules.
fn selected<'r>(records: &[&'r Record], target: &[u8]) -> Vec<Rule<'r>> {
    let mut matching = Vec::new();
    for &record in records {
        let value = record.value.as_slice();
        if value.first() != Some(&b'/') {
            matching.push((0, Rule { line: record.line, statement: value, shadows: false }));
            continue;
        }
        let end = value.iter().position(|byte| matches!(byte, b' ' | b'\t')).unwrap_or(value.len());
        let pattern = Pattern::new(&value[..end]);
        if pattern.matches(target) {
            let statement = oracle::trim(&value[end..]);
            matching.push((pattern.length, Rule { line: record.line, statement, shadows: false }));
        }
    }
    let count = matching.len();
    let mut rules = longest(matching);
    let shadows = rules.len() < count;
    rules.iter_mut().for_each(|rule| rule.shadows = shadows);
    rules
}

/// AIPREF, vocab section 6.5: the effect of a label in a statement; `None` if nothing parses.
fn of_label(statement: &[u8], label: &[u8]) -> Option<Effect> {
    let members = dictionary::parse(statement)?;
    let item = members.into_iter().find(|(key, _)| key == label).map(|(_, item)| item);
    Some(match item {
        Some(Item::Token(token)) if token == b"y" => Effect::Allow,
        Some(Item::Token(token)) if token == b"n" => Effect::Refuse,
        _ => Effect::Unset,
    })
}

/// `Content-Usage`.
pub(super) fn aipref(query: &Query<'_>, file: &File) -> Vec<Statement> {
    let label: &[u8] = match query.usage {
        "ai-train" => b"train-ai",
        "ai-input" => b"ai-use",
        "search" | "index" => b"search",
        _ => return Vec::new(),
    };
    let mut statements = Vec::new();
    // A path that may not be crawled has no preference.
    if let Some(name) = file.selected(query.agents).filter(|_| query.may_crawl) {
        for rule in selected(&file.of(&name, &[Key::ContentUsage]), query.target) {
            let effect = of_label(rule.statement, label).unwrap_or(Effect::Unset);
            statements.push(rule.states("aipref", effect));
        }
    }
    let lines = query.headers("content-usage");
    if let Some(effect) = of_label(lines.join(", ").as_bytes(), label).filter(|_| !lines.is_empty()) {
        statements.push(Statement::new("aipref", "header", effect));
    }
    statements
}

/// Content Signals: the effect of a list of signals on a usage.
fn of_signals(query: &Query<'_>, text: &str) -> Effect {
    let key = match query.usage {
        "search" | "index" => "search",
        usage => usage,
    };
    let levels: &[&str] = match query.usage {
        "preserve" | "index" => &["immediate"],
        "ai-train" => &["immediate", "reference"],
        _ => &[],
    };
    let mut effect = Effect::Unset;
    for signal in text.split(',') {
        let Some((name, value)) = signal.split_once('=') else { continue };
        let is = |text: &str, word: &str| text.trim_matches([' ', '\t']).eq_ignore_ascii_case(word);
        let is_level = is(name, "use") && query.has_table("cloudflare-2026-07");
        let refuses = is_level && levels.iter().any(|level| is(value, level));
        if refuses || is(name, key) && is(value, "no") {
            return Effect::Refuse;
        }
        if is(name, key) && is(value, "yes") {
            effect = Effect::Allow;
        }
    }
    effect
}

/// `Content-Signal`.
pub(super) fn signals(query: &Query<'_>, file: &File) -> Vec<Statement> {
    let spoken = ["ai-train", "ai-input", "search", "index"].contains(&query.usage);
    let preserve = query.usage == "preserve" && query.has_table("cloudflare-2026-07");
    if !spoken && !preserve {
        return Vec::new();
    }
    let name = file.selected(query.agents);
    let mut records = name.map(|name| file.of(&name, &[Key::ContentSignal])).unwrap_or_default();
    if records.is_empty() {
        records = file.leading(Key::ContentSignal);
    }
    let mut statements = Vec::new();
    for rule in selected(&records, query.target) {
        let effect = match of_signals(query, &String::from_utf8_lossy(rule.statement)) {
            Effect::Allow if !query.may_crawl => Effect::Unset,
            effect => effect,
        };
        statements.push(rule.states("content-signals", effect));
    }
    for line in ["content-signal", "content-signals"].into_iter().flat_map(|name| query.headers(name)) {
        statements.push(Statement::new("content-signals", "header", of_signals(query, line)));
    }
    statements
}

/// `DisallowAITraining`, `AllowAITraining`: the longest decide, and ties refuse.
pub(super) fn ai_training(query: &Query<'_>, file: &File) -> Vec<Statement> {
    let Some(name) = file.selected(query.agents).filter(|_| query.usage == "ai-train") else {
        return Vec::new();
    };
    let records = file.of(&name, &[Key::AllowAiTraining, Key::DisallowAiTraining]);
    let rules = longest(file.matching(&records, query.target));
    let effect = |rule: &Record| Effect::of(rule.key == Key::AllowAiTraining);
    rules
        .into_iter()
        .map(|rule| Statement::new("ai-training", "robots", effect(rule)).at(rule.line))
        .collect()
}

/// `Noindex`: refuses what it matches.
pub(super) fn noindex(query: &Query<'_>, file: &File) -> Vec<Statement> {
    let is_spoken = ["index", "search"].contains(&query.usage);
    let Some(name) = file.selected(query.agents).filter(|_| is_spoken) else { return Vec::new() };
    let rules = longest(file.matching(&file.of(&name, &[Key::Noindex]), query.target));
    rules.into_iter().map(|rule| Statement::new("noindex", "robots", Effect::Refuse).at(rule.line)).collect()
}

/// The rules of the longest length, of which only those that allow count if there is one (R12).
fn permissive(rules: Vec<(usize, &Record)>) -> Vec<&Record> {
    let mut rules = longest(rules);
    if rules.iter().any(|rule| rule.key == Key::Allow) {
        rules.retain(|rule| rule.key == Key::Allow);
    }
    rules
}

/// Control tokens: the groups of a token speak of its usages.
pub(super) fn control_tokens(query: &Query<'_>, file: &File) -> Vec<Statement> {
    if query.site.profile != Profile::Full {
        return Vec::new();
    }
    let is_of = |vendor: &str| query.tokens().any(|token| token.starts_with(vendor));
    let mut names: Vec<String> = Vec::new();
    if is_of("google") && ["ai-train", "ai-input"].contains(&query.usage) {
        names.push("google-extended".to_owned());
    }
    if is_of("applebot") && query.usage == "ai-train" {
        names.push("applebot-extended".to_owned());
    }
    let policies = query.site.tokens.iter();
    let policies = policies.filter(|(_, usages)| usages.iter().any(|usage| usage == query.usage));
    names.extend(policies.map(|(name, _)| oracle::token(name.as_bytes())));
    let mut statements = Vec::new();
    for name in names {
        let records = file.of(&name, &[Key::Allow, Key::Disallow]);
        for rule in permissive(file.matching(&records, query.target)) {
            let effect = Effect::of(rule.key == Key::Allow);
            statements.push(Statement::new("control-token", "robots", effect).at(rule.line));
        }
        // What the other languages say in the token's groups, of its usages.
        let keys = [
            Key::ContentUsage,
            Key::ContentSignal,
            Key::License,
            Key::AllowAiTraining,
            Key::DisallowAiTraining,
        ];
        let own: Vec<u32> = file.of(&name, &keys).iter().map(|record| record.line).collect();
        let asked = Query { agents: &[name.as_str()], ..*query };
        let licenses = match rsl::is_spoken(query.usage) {
            true => licenses::of_records(&asked, file.of(&name, &[Key::License])),
            false => Vec::new(),
        };
        // Nothing in the group is about crawling, so refusals of AIPREF always count.
        let mut refused = aipref(&Query { may_crawl: true, ..asked }, file);
        refused.retain(|said| said.effect == Effect::Refuse);
        refused.iter_mut().for_each(|said| said.language = "control-token");
        let of_languages =
            [aipref(&asked, file), refused, signals(&asked, file), ai_training(&asked, file), licenses];
        let in_group = |statement: &Statement| statement.line.is_some_and(|line| own.contains(&line));
        statements.extend(of_languages.into_iter().flatten().filter(in_group));
    }
    statements
}

/// ai.txt: read like a robots.txt, and all of it about training.
pub(super) fn ai_txt(query: &Query<'_>) -> Vec<Statement> {
    let Some(text) = query.site.ai_txt.as_ref().filter(|_| query.usage == "ai-train") else {
        return Vec::new();
    };
    let is_blank = |line: &[u8]| matches!(line, [] | [b'#', ..]);
    let first = oracle::lines(text).into_iter().map(oracle::unmarked).find(|line| !is_blank(line));
    let is_training = |line: &[u8]| line.to_ascii_lowercase().starts_with(b"training:");
    if first.is_some_and(is_training) {
        return Vec::new(); // another format of the same name
    }
    let file = File::read(text, &query.site.origin, Profile::Rfc9309).only_named(query.named_only);
    let Some(name) = file.selected(query.agents) else { return Vec::new() };
    let rules = permissive(file.matching(&file.of(&name, &[Key::Allow, Key::Disallow]), query.target));
    let effect = |rule: &Record| Effect::of(rule.key == Key::Allow);
    rules.into_iter().map(|rule| Statement::new("ai-txt", "ai-txt", effect(rule)).at(rule.line)).collect()
}
