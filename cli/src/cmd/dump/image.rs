//! `dump image`: header, section table, counts, and the first records of each kind.
//!
//! Reads records through the checked view; it knows no offset. What does not decode is shown as `damaged`.

use crate::cmd::inspect::{image_bytes, site_name};
use robomaton_formats::layout::{MAGIC, NONE, Section, VERSION};
use robomaton_formats::policy::{PolicyView, SET_LIST, read_list};
use robomaton_runtime::Image;
use std::io::{self, Write};

/// Records shown of each kind.
const FIRST: usize = 8;

/// The image as text.
pub(super) fn write<D: AsRef<[u8]>>(image: &Image<D>, out: &mut impl Write) -> io::Result<()> {
    let (layout, view) = (image.layout(), image.view());
    let bytes = image_bytes(image);
    writeln!(out, "image: magic \"{}\", version {VERSION}, {bytes} bytes", MAGIC.escape_ascii())?;
    writeln!(out, "profile: {}, seed {:#018x}", layout.profile, layout.seed)?;
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
        let (generator, captures, text) = (meta.generator, meta.captures, meta.text_bytes);
        writeln!(out, "meta: generator {generator:?}, {captures} captures, {text} bytes of distinct text")?;
        let limits: Vec<_> = meta.limits.iter().map(|(name, value)| format!("{name} {value}")).collect();
        writeln!(out, "limits: {}", limits.join(", "))?;
    } else {
        writeln!(out, "meta: damaged")?;
    }
    sites(image, out)?;
    crawlers(image, out)?;
    documents(image, out)
}

fn sites<D: AsRef<[u8]>>(image: &Image<D>, out: &mut impl Write) -> io::Result<()> {
    heading(out, "sites", image.len())?;
    let records = image.view().sites();
    for (number, (site, record)) in image.sites().zip(records).take(FIRST).enumerate() {
        let outcome = site.outcome().map_or("damaged", |outcome| outcome.name());
        let name = site_name(&site);
        write!(out, "  site {number}: {name} {outcome}, status {}", site.status())?;
        if let Some(document) = site.document() {
            write!(out, ", document {document}")?;
        }
        if record.policy != NONE {
            write!(out, ", policy at {:#x}", record.policy.get())?;
        }
        writeln!(out)?;
        if record.policy != NONE {
            policy(image, record.policy.get(), out)?;
        }
    }
    Ok(())
}

fn policy<D: AsRef<[u8]>>(image: &Image<D>, at: u32, out: &mut impl Write) -> io::Result<()> {
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

fn set<D: AsRef<[u8]>>(image: &Image<D>, word: Option<u32>, out: &mut impl Write) -> io::Result<()> {
    let view = image.view();
    match word {
        None => writeln!(out, "damaged"),
        Some(program) if program & SET_LIST == 0 => writeln!(out, "program at {program:#x}"),
        Some(word) => {
            let list = word & !SET_LIST;
            let Some(entries) = view.list(list).and_then(read_list) else { return writeln!(out, "damaged") };
            let usage = |number: u16| view.usages().nth(usize::from(number)).unwrap_or("damaged");
            let entries: Vec<_> =
                entries.map(|entry| format!("{} {:#x}", usage(entry.usage), entry.program)).collect();
            writeln!(out, "list at {list:#x}: {}", entries.join(", "))
        }
    }
}

fn crawlers<D: AsRef<[u8]>>(image: &Image<D>, out: &mut impl Write) -> io::Result<()> {
    let view = image.view();
    heading(out, "crawlers", view.crawlers())?;
    for id in 0..view.crawlers().min(FIRST) as u32 {
        writeln!(out, "  crawler {id}: {}", view.crawler(id).unwrap_or(b"damaged").escape_ascii())?;
    }
    Ok(())
}

fn documents<D: AsRef<[u8]>>(image: &Image<D>, out: &mut impl Write) -> io::Result<()> {
    let view = image.view();
    heading(out, "documents", view.documents().len())?;
    for (number, record) in view.documents().iter().take(FIRST).enumerate() {
        let (detail, source) = (record.detail_length, record.source_length);
        write!(out, "  document {number}: detail {detail} bytes, source {source} bytes")?;
        match view.detail(number as u32) {
            Some(detail) => {
                let rules: usize = detail.groups.iter().map(|group| group.rules.len()).sum();
                writeln!(out, ", {} groups, {rules} rules", detail.groups.len())?;
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
