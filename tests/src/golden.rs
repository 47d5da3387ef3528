//! Every stage of one file as text: tree, policy, automata, image.
//!
//! What stands in `golden/NAME/` beside each robots.txt. The same text as `robomaton dump` prints for the first
//! three; the image is dumped here, record by record, so that a byte that moves is seen. Invariant: equal inputs
//! give equal text. It does not know what the text should be.

use crate::engines::{image_of, options};
use robomaton_compiler::{self as compiler, Options};
use robomaton_formats::layout::{NONE, Section};
use robomaton_formats::policy::{PolicyView, SET_LIST, read_list};
use robomaton_formats::read::View;
use robomaton_formats::{Outcome, Scheme};
use robomaton_runtime::Image;
use std::fmt::Write as _;

/// The site that golden files are of.
pub const ORIGIN: &str = "https://example.com";

/// The stages of a file: the name under which each is kept, and its text.
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
        // Without the text: how it is compressed is not ours to keep.
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

/// An image, record by record.
///
/// # Panics
/// When it does not open: dumps of damaged images are no golden files.
pub fn dump_image(bytes: &[u8]) -> String {
    let image = Image::from_bytes(bytes).expect("the image opens");
    let (view, layout) = (image.view(), image.layout());
    let mut out = format!("image, {} bytes, profile {}, seed {}\n", bytes.len(), layout.profile, layout.seed);
    for section in Section::ALL {
        let range = layout.range(section);
        let sum = layout.checksum(section);
        _ = writeln!(out, "{:<14}{:#06x} {:>5} bytes  {sum:016x}", section.name(), range.start, range.len());
    }
    for (number, bucket) in view.buckets().iter().enumerate() {
        let places = bucket.tags.iter().zip(bucket.sites).filter(|(tag, _)| **tag != 0);
        let places: Vec<String> = places.map(|(tag, site)| format!("{tag:02x}: site {site}")).collect();
        _ = writeln!(out, "bucket {number}, overflow {}: {}", bucket.overflow, places.join(", "));
    }
    for (number, (site, fetch)) in view.sites().iter().zip(view.fetches()).enumerate() {
        let scheme = Scheme::from_u8(site.state & 3).map_or("?".to_owned(), |scheme| format!("{scheme:?}"));
        let outcome = Outcome::from_u8(site.state >> 2).map_or("?", Outcome::name);
        let name = view.authority(site).unwrap_or_default().escape_ascii();
        let (policy, document) = (number_or_none(site.policy.get()), number_or_none(fetch.document.get()));
        let (status, at, fresh) = (site.status, fetch.fetched_at, number_or_none(fetch.fresh_for.get()));
        _ = writeln!(out, "site {number}: {scheme} {name}, {outcome}, status {status}, policy at {policy}");
        _ = writeln!(out, "  fetched at {at}, fresh for {fresh}, document {document}");
        if let Some(policy) = view.policy(site.policy.get()).and_then(PolicyView::read) {
            dump_policy_record(&view, &policy, &mut out);
        }
    }
    let name = |id| view.crawler(id).unwrap_or_default().escape_ascii().to_string();
    for id in 0..view.crawlers() as u32 {
        _ = writeln!(out, "crawler {id}: {}", name(id));
    }
    _ = writeln!(out, "usages: {}", view.usages().collect::<Vec<_>>().join(", "));
    for number in 0..view.documents().len() as u32 {
        dump_document(&view, number, &mut out);
    }
    if let Some(meta) = view.meta() {
        let limits: Vec<String> = meta.limits.iter().map(|(name, value)| format!("{name} {value}")).collect();
        _ = writeln!(out, "meta: {}, {} captures", meta.generator, meta.captures);
        _ = writeln!(out, "  {} bytes of text, limits: {}", meta.text_bytes, limits.join(", "));
    }
    out
}

fn dump_policy_record(view: &View<'_>, policy: &PolicyView<'_>, out: &mut String) {
    let set = |index| match policy.set(index) {
        None => "nothing".to_owned(),
        Some(word) if word & SET_LIST == 0 => format!("program at {word}"),
        Some(word) => {
            let at = word & !SET_LIST;
            let entries = view.list(at).and_then(|list| Some(read_list(list)?.collect::<Vec<_>>()));
            let entries = entries.unwrap_or_default().into_iter().map(|entry| {
                format!("usage {} purpose {} program at {}", entry.usage, entry.purpose, entry.program)
            });
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

fn dump_document(view: &View<'_>, number: u32, out: &mut String) {
    let source = view.source(number, usize::MAX).map_or(0, |text| text.len());
    _ = writeln!(out, "document {number}: text of {source} bytes");
    let Some(detail) = view.detail(number) else { return };
    for group in &detail.groups {
        let default = if group.default { " and others" } else { "" };
        _ = writeln!(out, "  group of {:?}{default}", group.crawlers);
        for rule in &group.rules {
            let (line, usage, tag, notation) = (rule.line, rule.usage, rule.tag, rule.notation);
            let pattern = rule.pattern.escape_ascii();
            _ = writeln!(out, "    line {line}: usage {usage} tag {tag} notation {notation} {pattern}");
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
