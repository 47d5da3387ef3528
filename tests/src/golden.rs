//! Every stage of one file as text: tree, policy, automata, image.
//!
//! These are the files next to each robots.txt in `golden/NAME/`. The first three are the output of
//! `robomaton dump`; the image is dumped here, record by record, so that every moved byte shows.
//! Invariant: equal inputs give equal text. This file does not know the expected text.

use crate::engines::{Trace, image_around, image_of, options};
use crate::suite::{Engine, Text};
use robomaton_compiler::{self as compiler, Options};
use robomaton_formats::layout::{NONE, Section};
use robomaton_formats::policy::{PolicyView, Role, ScopedView, is_scoped, read_list};
use robomaton_formats::read::View;
use robomaton_formats::{DocumentId, ListAt, SetRef, SiteEntry};
use robomaton_runtime::Image;
use std::fmt::Write as _;

/// The site of golden files.
pub const ORIGIN: &str = "https://example.com";

/// The stages of a file: the name of each golden file, and its text.
pub fn stages(robots: &[u8], profile: &str) -> [(&'static str, String); 4] {
    let options = options(profile);
    let tree = robomaton_grammar::scan(robots, options.limits.bytes(options.profile));
    let policy = compiler::lower(&tree, Some("example.com"), &options);
    let policy = match &policy {
        Ok(policy) => compiler::dump_policy(policy),
        Err(over) => format!("over limit: {over}\n"),
    };
    [
        ("tree", robomaton_grammar::dump(&tree)),
        ("policy", policy),
        ("automaton", dump_automata(robots, &options)),
        // Without the text, since its compression is outside our control.
        ("image", dump_image(&image_of(robots, Some(ORIGIN), &Options { no_sources: true, ..options }))),
    ]
}

fn dump_automata(robots: &[u8], options: &Options) -> String {
    let document = compiler::compile(robots, Some("example.com"), options);
    let mut out = String::new();
    for (number, range) in document.programs.iter().enumerate() {
        _ = writeln!(out, "program {number}, {} bytes", range.len());
        out.push_str(&compiler::dump_automaton(&document.code[range.clone()]));
    }
    out
}

/// The answers of a file for its own patterns, one line for each answer other than silence, for
/// human readers. Agents are those that it names and one that it does not, usages those that its
/// rules name.
///
/// # Panics
/// If the file exceeds a limit.
pub fn answers(text: &Text<'_>) -> String {
    let mut trace = Trace::default();
    trace.load(text);
    let (agents, usages, targets) = trace.with_policy(|policy| {
        let policy = policy.expect("within the limits");
        // As a crawler gives a whole name (decision 34).
        let bare = |name: &str| name.trim_matches('"').to_owned();
        let mut agents: Vec<String> =
            policy.groups.iter().flat_map(|group| group.names().map(bare)).collect();
        agents.push("(any other)".to_owned());
        let mut usages: Vec<String> =
            policy.rules.iter().map(|rule| policy.usage_name(rule.usage).to_owned()).collect();
        usages.extend(["crawl", "index", "present-snippet"].map(str::to_owned));
        let target = |rule: &compiler::Rule<'_>| {
            let text = String::from_utf8_lossy(&rule.pattern).replace('*', "x");
            let text = text.strip_suffix('$').unwrap_or(&text);
            format!("{}{text}", if text.starts_with('/') { "" } else { "/" })
        };
        let mut targets: Vec<String> = policy.rules.iter().map(target).collect();
        targets.extend(["/", "/page.html"].map(str::to_owned));
        for list in [&mut agents, &mut usages, &mut targets] {
            list.sort_unstable();
            list.dedup();
        }
        (agents, usages, targets)
    });
    let image = Image::from_bytes(image_around(text, &options(text.profile))).expect("the image opens");
    let site = image.sites().next().expect("one site");
    let mut out = String::new();
    for agent in &agents {
        let crawler = image.crawler([agent]);
        for usage in &usages {
            for target in &targets {
                let verdict = site.decide(&crawler, image.usage(usage), target);
                let account = verdict.account();
                if account.rules.is_empty() {
                    continue;
                }
                _ = write!(out, "{agent}, {usage} {target}: {}", verdict.decision());
                for rule in &account.rules {
                    _ = write!(out, "; line {}: {rule}", rule.line);
                }
                if let (Some(fields), Some(conventional)) = (account.fields, account.conventional) {
                    _ = write!(out, " (fields alone {fields}, conventional {conventional})");
                }
                out.push_str(if verdict.is_incomplete() { ", incomplete\n" } else { "\n" });
            }
        }
    }
    out
}

/// An image, record by record.
///
/// # Panics
/// If it does not open: damaged images have no golden files.
pub fn dump_image(bytes: &[u8]) -> String {
    let image = Image::from_bytes(bytes).expect("the image opens");
    let (view, layout) = (image.view(), image.view().layout());
    let mut out = format!("image, {} bytes, profile {}, seed {}\n", bytes.len(), layout.profile, layout.seed);
    for section in Section::ALL {
        let range = layout.range(section);
        let sum = layout.checksum(section);
        _ = writeln!(out, "{:<14}{:#06x} {:>5} bytes  {sum:016x}", section.name(), range.start, range.len());
    }
    for (number, bucket) in view.buckets().iter().enumerate() {
        let places = bucket.fingerprints.iter().filter(|&&mark| mark != 0).map(|mark| format!("{mark:02x}"));
        let (overflow, first) = (bucket.overflow, bucket.first);
        let places = places.collect::<Vec<_>>().join(" ");
        _ = writeln!(out, "bucket {number}, overflow {overflow:02x}, first {first}: {places}");
    }
    for site in view.sites() {
        let fetch = &view.fetches()[site.number() as usize];
        let scheme = site.scheme().map_or("?".to_owned(), |scheme| format!("{scheme:?}"));
        let name = site.decoded_name().expect("the name decodes");
        let document = number_or_none(fetch.document.get());
        let (status, at, fresh) = (fetch.status, fetch.fetched_at, number_or_none(fetch.fresh_for.get()));
        let entry = match site.entry() {
            Some(SiteEntry::Program(at)) => format!("program at {at}"),
            Some(SiteEntry::Policy(at)) => format!("policy at {at}"),
            Some(SiteEntry::NoRules(no_rules)) => no_rules.outcome.to_string(),
            None => "damaged".to_owned(),
        };
        _ = writeln!(out, "site {}: {scheme} {}, {entry}", site.number(), name.as_str());
        _ = writeln!(out, "  status {status}, fetched at {at}, fresh for {fresh}, document {document}");
        if let Some(SiteEntry::Policy(at)) = site.entry()
            && let Some(policy) = view.policy(at).and_then(PolicyView::read)
        {
            dump_policy_record(&view, &policy, &mut out);
        }
    }
    let name = |id| view.crawler(id).unwrap_or_default().escape_ascii().to_string();
    for id in view.crawler_ids() {
        _ = writeln!(out, "crawler {id}: {}", name(id));
    }
    _ = writeln!(out, "usages: {}", view.usages().collect::<Vec<_>>().join(", "));
    for document in view.document_ids() {
        dump_document(&view, document, &mut out);
    }
    if let Some(meta) = view.meta() {
        let limits: Vec<String> = meta.limits.iter().map(|(name, value)| format!("{name} {value}")).collect();
        _ = writeln!(out, "meta: {}, limits: {}", meta.generator, limits.join(", "));
    }
    out
}

fn dump_policy_record(view: &View<'_>, policy: &PolicyView<'_>, out: &mut String) {
    let set = |index| match policy.set(index) {
        None => "nothing".to_owned(),
        Some(SetRef::Program(at)) => format!("program at {at}"),
        Some(SetRef::List(at)) if view.list(at).is_some_and(is_scoped) => dump_scoped_list(view, at),
        Some(SetRef::List(at)) => {
            let entries = view.list(at).and_then(|list| Some(read_list(list)?.collect::<Vec<_>>()));
            let entries = entries
                .unwrap_or_default()
                .into_iter()
                .map(|entry| format!("usage {} tag {} program at {}", entry.usage, entry.tag, entry.program));
            format!("list at {at}: {}", entries.collect::<Vec<_>>().join("; "))
        }
    };
    for index in 0..policy.len() {
        let id = policy.crawler(index).map_or("?".to_owned(), |id| id.to_string());
        _ = writeln!(out, "  crawler {id}: {}", set(index));
    }
    if policy.has_default() {
        _ = writeln!(out, "  others: {}", set(policy.len()));
    }
}

/// A scoped list with its scope and the list to which it refers.
fn dump_scoped_list(view: &View<'_>, at: ListAt) -> String {
    let Some(list) = view.list(at).and_then(ScopedView::read) else { return "damaged".to_owned() };
    let flags = [(list.incomplete, ", incomplete"), (list.own, ", own groups"), (list.permits, ", permits")];
    let flags: String = flags.iter().filter(|(is, _)| *is).map(|(_, text)| *text).collect();
    let mut out = format!("scoped list at {at}{flags}");
    for entry in list.entries() {
        let purpose =
            entry.purpose.and_then(|at| view.purpose(at)).map(|text| format!(" for {}", text.escape_ascii()));
        let purpose = purpose.unwrap_or_default();
        _ = write!(
            out,
            "\n    {:?}, usage {}{purpose}: program at {}",
            entry.role, entry.usage, entry.program
        );
    }
    match (list.rest, view.scope(list.scope)) {
        (Some(rest), _) => _ = write!(out, "\n    and {}", dump_scoped_list(view, rest)),
        (None, Some(scope)) => {
            for pattern in 0..scope.patterns() {
                let runs: Vec<String> =
                    scope.narrower(pattern).map(|(from, to)| format!("{from}..{to}")).collect();
                _ = write!(out, "\n    narrower than pattern {pattern}: {}", runs.join(", "));
            }
            let rules: Vec<_> = (0..scope.conventional()).filter_map(|rule| scope.pattern_of(rule)).collect();
            _ = write!(out, "\n    patterns of conventional rules: {rules:?}");
        }
        _ => {}
    }
    out
}

fn dump_document(view: &View<'_>, document: DocumentId, out: &mut String) {
    let source = view.source(document, usize::MAX).map_or(0, |text| text.len());
    _ = writeln!(out, "document {}: text of {source} bytes", document.number());
    let Some(detail) = view.detail(document) else { return };
    for group in &detail.groups {
        let default = if group.default { " and others" } else { "" };
        let role =
            if group.role == Role::Conventional { String::new() } else { format!("{:?} ", group.role) };
        _ = writeln!(out, "  {role}group of {:?}{default}", group.crawlers);
        for rule in &group.rules {
            let (line, usage, priority, notation) =
                (rule.line, rule.usage, rule.priority, group.notation as u8);
            let pattern = rule.pattern.0.escape_ascii();
            _ = write!(
                out,
                "    line {line}: usage {usage} priority {priority} notation {notation} {pattern}"
            );
            detail.conditions(rule).iter().for_each(|condition| _ = write!(out, ", {condition}"));
            out.push('\n');
        }
        for record in &group.extensions {
            _ = writeln!(out, "    line {}: {} = {:?}", record.line, record.key, record.value);
        }
    }
    for record in &detail.extensions {
        _ = writeln!(out, "  line {}: {} = {:?}", record.line, record.key, record.value);
    }
}

fn number_or_none(number: u32) -> String {
    if number == NONE { "none".to_owned() } else { number.to_string() }
}
