//! `dump image`: header, section table, counts, and the first records of each kind.
//!
//! Reads records through the checked view; it knows no offset. A record that cannot be decoded is
//! shown as `damaged`.

use robomaton_explain::shown;
use robomaton_formats::layout::{MAGIC, Section, VERSION};
use robomaton_formats::policy::{PolicyView, ScopedView, USAGES, read_list};
use robomaton_formats::{PolicyAt, ScopeAt, SetRef, SiteEntry, UsageId};
use robomaton_runtime::Image;
use std::io::{self, Write};

/// The number of records shown of each kind.
const FIRST: usize = 8;

/// The image as text.
pub(super) fn write<D: AsRef<[u8]>>(image: &Image<D>, out: &mut impl Write) -> io::Result<()> {
    let view = image.view();
    let (layout, bytes) = (view.layout(), image.bytes());
    writeln!(out, "image: magic \"{}\", version {VERSION}, {bytes} bytes", MAGIC.escape_ascii())?;
    let (shard, last) = layout.shard;
    let of = if last == 0 { String::new() } else { format!(", shard {shard} of 0 to {last}") };
    writeln!(out, "profile: {}, seed {:#018x}{of}", layout.profile, layout.seed)?;
    writeln!(out, "sections:")?;
    for section in Section::ALL {
        let range = layout.range(section);
        let records = match section.record() {
            1 => String::new(),
            size => format!(", {} records", range.len() / size),
        };
        let heat = if section.is_hot() { "hot" } else { "cold" };
        let (name, sum) = (section.name(), layout.checksum(section));
        writeln!(
            out,
            "  {name:<13} {heat:<4} at {:#x}, {} bytes{records}, sum {sum:016x}",
            range.start,
            range.len()
        )?;
    }
    if let Some(meta) = view.meta() {
        writeln!(out, "meta: generator {:?}", meta.generator)?;
        let limits: Vec<_> = meta.limits.iter().map(|(name, value)| format!("{name} {value}")).collect();
        writeln!(out, "limits: {}", shown(&limits.join(", ")))?;
        if !meta.vocabulary.is_empty() {
            writeln!(out, "vocabulary: {:?}", meta.vocabulary)?;
        }
    } else {
        writeln!(out, "meta: damaged")?;
    }
    sites(image, out)?;
    scopes(image, out)?;
    usages(image, out)?;
    crawlers(image, out)?;
    documents(image, out)
}

fn sites<D: AsRef<[u8]>>(image: &Image<D>, out: &mut impl Write) -> io::Result<()> {
    heading(out, "sites", image.len())?;
    for (site, record) in image.entries().zip(image.view().sites()).take(FIRST) {
        let outcome = site.outcome().map_or("damaged", |outcome| outcome.name());
        let name = site.address();
        let name = shown(&name);
        write!(out, "  site {}: {name} {outcome}, status {}", record.number(), site.status())?;
        if let Some(document) = site.document() {
            write!(out, ", document {document}")?;
        }
        match record.entry() {
            Some(SiteEntry::Program(at)) => writeln!(out, ", program at {at:#x}")?,
            Some(SiteEntry::Policy(at)) => {
                writeln!(out, ", policy at {at:#x}")?;
                policy(image, at, out)?;
            }
            Some(SiteEntry::NoRules(_)) => writeln!(out)?,
            None => writeln!(out, ", damaged")?,
        }
    }
    Ok(())
}

fn policy<D: AsRef<[u8]>>(image: &Image<D>, at: PolicyAt, out: &mut impl Write) -> io::Result<()> {
    let view = image.view();
    let Some(policy) = view.policy(at).and_then(PolicyView::read) else {
        return writeln!(out, "    damaged");
    };
    for index in 0..policy.len().min(FIRST) {
        let name = policy.crawler(index).and_then(|id| view.crawler(id)).unwrap_or(b"damaged");
        write!(out, "    {}: ", name.escape_ascii())?;
        set(image, policy.set(index), out)?;
    }
    more(out, policy.len(), "    ")?;
    if policy.has_default() {
        write!(out, "    *: ")?;
        set(image, policy.default_set(), out)?;
    }
    Ok(())
}

fn set<D: AsRef<[u8]>>(image: &Image<D>, set: Option<SetRef>, out: &mut impl Write) -> io::Result<()> {
    let view = image.view();
    match set {
        None => writeln!(out, "damaged"),
        Some(SetRef::Program(program)) => writeln!(out, "program at {program:#x}"),
        Some(SetRef::List(list)) => {
            let bytes = view.list(list).unwrap_or_default();
            if let Some(scoped) = ScopedView::read(bytes) {
                write!(out, "scoped list at {list:#x}")?;
                return self::scoped(image, &scoped, "      ", out);
            }
            let Some(entries) = read_list(bytes) else { return writeln!(out, "damaged") };
            let entries: Vec<_> =
                entries.map(|entry| format!("{} {:#x}", usage(image, entry.usage), entry.program)).collect();
            writeln!(out, "list at {list:#x}: {}", entries.join(", "))
        }
    }
}

/// Writes a scoped list (weighed by specificity), its entries, and the list of fields for any
/// crawler.
fn scoped<D: AsRef<[u8]>>(
    image: &Image<D>,
    list: &ScopedView<'_>,
    indent: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    let view = image.view();
    write!(out, ", scope at {:#x}", list.scope)?;
    let flags =
        [("incomplete", list.incomplete), ("own groups", list.own), ("silence permits", list.permits)];
    flags.iter().filter(|(_, on)| *on).try_for_each(|(name, _)| write!(out, ", {name}"))?;
    writeln!(out)?;
    for entry in list.entries().take(FIRST) {
        let role = entry.role.title();
        write!(out, "{indent}{role} {}", usage(image, entry.usage))?;
        if let Some(at) = entry.purpose {
            let purpose = view.purpose(at).unwrap_or(b"damaged");
            write!(out, ", for {}", purpose.escape_ascii())?;
        }
        writeln!(out, ": program at {:#x}", entry.program)?;
    }
    more(out, list.len(), indent)?;
    match list.rest {
        None => Ok(()),
        Some(rest) => match view.list(rest).and_then(ScopedView::read) {
            // The list of fields for any crawler refers to no other list, so this ends.
            Some(fields) if fields.rest.is_none() => {
                write!(out, "{indent}to any crawler: scoped list at {rest:#x}")?;
                scoped(image, &fields, &format!("{indent}  "), out)
            }
            _ => writeln!(out, "{indent}to any crawler: list at {rest:#x}, damaged"),
        },
    }
}

fn usage<D: AsRef<[u8]>>(image: &Image<D>, id: UsageId) -> String {
    let name = image.view().usage(id);
    name.as_deref().unwrap_or("damaged").escape_default().to_string()
}

/// Writes the scopes that the shown sites lead to, each with its size.
fn scopes<D: AsRef<[u8]>>(image: &Image<D>, out: &mut impl Write) -> io::Result<()> {
    let view = image.view();
    let policy_of = |entry| if let SiteEntry::Policy(at) = entry { Some(at) } else { None };
    let policies = view.sites().filter_map(|site| site.entry().and_then(policy_of));
    let sets = policies.take(FIRST).flat_map(|at| {
        let policy = view.policy(at).and_then(PolicyView::read);
        let own = policy.into_iter().flat_map(|policy| (0..policy.len()).map(move |index| policy.set(index)));
        own.chain(policy.map(|policy| policy.default_set()))
    });
    let lists = sets.flatten().filter_map(SetRef::list);
    let scopes = lists.filter_map(|at| ScopedView::read(view.list(at)?)).map(|list| list.scope);
    let mut scopes: Vec<ScopeAt> = scopes.collect();
    scopes.sort_unstable();
    scopes.dedup();
    if !scopes.is_empty() {
        writeln!(out, "scopes:")?;
    }
    for at in scopes.into_iter().take(FIRST) {
        let Some(scope) = view.scope(at) else {
            writeln!(out, "  scope at {at:#x}: damaged")?;
            continue;
        };
        let runs: usize = (0..scope.patterns()).map(|pattern| scope.narrower(pattern).count()).sum();
        let (patterns, rules) = (scope.patterns(), scope.conventional());
        writeln!(
            out,
            "  scope at {at:#x}: {patterns} patterns, {runs} runs of narrower ones, {rules} conventional rules"
        )?;
    }
    Ok(())
}

fn crawlers<D: AsRef<[u8]>>(image: &Image<D>, out: &mut impl Write) -> io::Result<()> {
    let view = image.view();
    heading(out, "crawlers", view.crawlers())?;
    for id in view.crawler_ids().take(FIRST) {
        writeln!(out, "  crawler {id}: {}", view.crawler(id).unwrap_or(b"damaged").escape_ascii())?;
    }
    Ok(())
}

/// Writes the usages that are not numbered in every image.
fn usages<D: AsRef<[u8]>>(image: &Image<D>, out: &mut impl Write) -> io::Result<()> {
    let own: Vec<String> = image.view().usages().skip(USAGES.len()).collect();
    if own.is_empty() {
        return Ok(());
    }
    heading(out, "further usages", own.len())?;
    for (number, name) in own.iter().enumerate().take(FIRST) {
        writeln!(out, "  usage {}: {}", USAGES.len() + number, name.escape_default())?;
    }
    Ok(())
}

fn documents<D: AsRef<[u8]>>(image: &Image<D>, out: &mut impl Write) -> io::Result<()> {
    let view = image.view();
    heading(out, "documents", view.documents().len())?;
    for (document, record) in view.document_ids().zip(view.documents()).take(FIRST) {
        let (detail, source) = (record.detail_length, record.source_length);
        write!(out, "  document {}: detail {detail} bytes, source {source} bytes", document.number())?;
        match view.detail(document) {
            Some(detail) => {
                let rules: usize = detail.groups.iter().map(|group| group.rules.len()).sum();
                write!(out, ", {} groups, {rules} rules", detail.groups.len())?;
                let more = [
                    (detail.conditions.len(), "sets of conditions"),
                    (detail.usages.len(), "own usages"),
                    (detail.files.len(), "references"),
                ];
                more.iter()
                    .filter(|(count, _)| *count != 0)
                    .try_for_each(|(n, what)| write!(out, ", {n} {what}"))?;
                writeln!(out)?;
            }
            None => writeln!(out, ", damaged")?,
        }
    }
    Ok(())
}

fn heading(out: &mut impl Write, what: &str, count: usize) -> io::Result<()> {
    let first = if count > FIRST { format!(", the first {FIRST}") } else { String::new() };
    writeln!(out, "{what}: {count}{first}")
}

fn more(out: &mut impl Write, count: usize, indent: &str) -> io::Result<()> {
    if count > FIRST { writeln!(out, "{indent}and {} more", count - FIRST) } else { Ok(()) }
}
