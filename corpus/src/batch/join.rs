//! When all is read: what belongs to a site is put together, and all sites become an image.
//!
//! Most sites share the document of their text. One of its own has a site whose text speaks of its own host (R14),
//! refers to other files (V16, decision 23) or is read together with pages (M21): that is compiled again, for the site.
//! Pages of a site without a capture of its robots.txt make a site of [`Outcome::NotCaptured`].
//! It does not know captures; it asks `resolve` for what it chose.

use super::gather::{Body, Gathered};
use super::{Built, Report};
use crate::Looks;
use crate::resolve::{Chosen, Resolved};
use rayon::prelude::*;
use robomaton_compiler::{Document, Entry, OverLimit, Page, Surroundings, compile_with, emit};
use robomaton_formats::layout::MAX_TEXT;
use robomaton_formats::{ImageError, Outcome, Scheme, SiteKey, write};
use std::collections::BTreeMap;
use std::time::Instant;

/// Octets of the files that one text refers to and that are read with it: some twenty at the limit of each. Otherwise a
/// text could have everything compiled that was ever captured of its site.
const MAX_REFERRED: usize = 8 << 20;

/// Makes the image of everything that was gathered.
pub(super) fn finish(mut gathered: Gathered<'_>) -> Result<Built, ImageError> {
    let start = Instant::now();
    let pages = pages_by_site(&mut gathered);
    let sites = with_pages(gathered.chosen.finish(), pages);
    let own: Vec<Own> = sites.par_iter().map(|site| own(site, &gathered)).collect();
    let Gathered { options, mut documents, chosen, mut report, .. } = gathered;
    report.others_dropped = chosen.overflowed();
    for document in &mut documents {
        // It was kept to be compiled again.
        if options.no_sources || document.text_length as u64 > MAX_TEXT {
            document.source = Vec::new();
        }
    }
    let entries: Vec<Entry<'_>> =
        sites.iter().zip(&own).map(|(site, own)| entry(site, own.document.as_ref(), &documents)).collect();
    count(&mut report, &sites, &own, &documents, &entries);
    let image = emit(entries, report.captures, options)?;
    report.emit_time = start.elapsed();
    Ok(Built { image, report })
}

/// A site, what became of its robots.txt, and its pages; or a data.txt.
struct Site {
    key: SiteKey,
    resolved: Resolved<Body>,
    pages: Vec<Page>,
}

/// The pages that were chosen, by their sites.
fn pages_by_site(gathered: &mut Gathered<'_>) -> BTreeMap<SiteKey, Vec<Page>> {
    let mut by_site: BTreeMap<SiteKey, Vec<Page>> = BTreeMap::new();
    for number in gathered.chosen.others().filter_map(|body| body.page) {
        let (site, page) = &mut gathered.pages[number];
        by_site.entry(site.clone()).or_default().push(std::mem::take(page));
    }
    by_site
}

/// Gives sites their pages. Pages are of one scheme: where the site was captured under none, it is one for them, too.
fn with_pages(
    resolved: Vec<(SiteKey, Resolved<Body>)>,
    mut pages: BTreeMap<SiteKey, Vec<Page>>,
) -> Vec<Site> {
    let mut sites: Vec<Site> = resolved
        .into_iter()
        .map(|(key, resolved)| Site { pages: pages.remove(&key).unwrap_or_default(), key, resolved })
        .collect();
    let known = sites.len();
    for (key, pages) in pages {
        let of_any_scheme = SiteKey::from_host(key.authority()).ok().and_then(|any| {
            let at = sites[..known].binary_search_by(|site| site.key.cmp(&any)).ok()?;
            (any.authority() == key.authority()).then(|| sites[at].resolved.clone())
        });
        let not_captured = Resolved {
            fetched_at: 0,
            fresh_for: None,
            status: 0,
            via: None,
            fate: Err(Outcome::NotCaptured),
        };
        sites.push(Site { key, resolved: of_any_scheme.unwrap_or(not_captured), pages });
    }
    sites
}

/// What is compiled for one site alone.
#[derive(Default)]
struct Own {
    document: Option<Document>,
    references_found: u64,
    references_missing: u64,
    references_over: u64,
    /// The limit that the pages exceed; they are left out then.
    pages_over: Option<OverLimit>,
}

fn own(site: &Site, gathered: &Gathered<'_>) -> Own {
    let Gathered { options, documents, chosen, .. } = gathered;
    let shared = shared(site, documents);
    let again = |shared: &Document| shared.depends_on_origin || !shared.references.is_empty();
    if site.key.document().is_some() || site.pages.is_empty() && !shared.is_some_and(again) {
        return Own::default();
    }
    // The text of a document without records was not kept, and says nothing.
    let text = shared.and_then(|shared| write::decode_source(&shared.source)).unwrap_or_default();
    let compiled = |files: &[(&str, &[u8])], pages: &[Page]| {
        let around = Surroundings { origin: Some(site.key.authority()), files, pages };
        compile_with(&text, &around, options)
    };
    let depends = shared.is_some_and(|shared| shared.depends_on_origin);
    // Which files are of this site may be seen only when the site is known.
    let first = (depends || !site.pages.is_empty()).then(|| compiled(&[], &site.pages));
    let mut references =
        first.as_ref().or(shared).map(|document| document.references.clone()).unwrap_or_default();
    references.sort_unstable();
    references.dedup();
    let (mut files, mut room, mut over): (Vec<(&str, Vec<u8>)>, _, _) = (Vec::new(), MAX_REFERRED, 0);
    for path in &references {
        let Some(file) = referred(&site.key, path, chosen, documents) else { continue };
        match room.checked_sub(file.text_length) {
            Some(rest) => {
                room = rest;
                // A text without fields has nothing to add, but is there; it was not kept.
                let text = file.can_be_referred_to().then(|| write::decode_source(&file.source)).flatten();
                files.push((path.as_str(), text.unwrap_or_default()));
            }
            None => over += 1,
        }
    }
    let texts: Vec<(&str, &[u8])> = files.iter().map(|(path, text)| (*path, text.as_slice())).collect();
    let mut document = if texts.is_empty() { first } else { Some(compiled(&texts, &site.pages)) };
    // Pages that are too much shall not shut the site: without them its robots.txt is what it is.
    let over_limit = document.as_ref().and_then(|document| document.over_limit);
    let mut pages_over = None;
    if over_limit.is_some() && !site.pages.is_empty() {
        let bare = compiled(&texts, &[]);
        if bare.over_limit.is_none() {
            (document, pages_over) = (Some(bare), over_limit);
        }
    }
    Own {
        document,
        references_found: files.len() as u64,
        references_missing: (references.len() - files.len()) as u64 - over,
        references_over: over,
        pages_over,
    }
}

/// A file of a site, where the newest capture of it is a text.
fn referred<'d>(
    site: &SiteKey,
    path: &str,
    chosen: &Chosen<Body>,
    documents: &'d [Document],
) -> Option<&'d Document> {
    let urls = match site.scheme() {
        Scheme::Any => vec![format!("https://{site}{path}"), format!("http://{site}{path}")],
        Scheme::Http | Scheme::Https => vec![format!("{site}{path}")],
    };
    let body = chosen.newest(urls.iter().map(String::as_str))?;
    Some(&documents[body.document.filter(|_| body.looks == Looks::Text)?])
}

/// The document of a site's text, which other sites may share.
fn shared<'d>(site: &Site, documents: &'d [Document]) -> Option<&'d Document> {
    Some(&documents[site.resolved.fate.as_ref().ok()?.document?])
}

fn entry<'d>(site: &Site, own: Option<&'d Document>, documents: &'d [Document]) -> Entry<'d> {
    let Site { key, resolved, .. } = site;
    let document = own.or_else(|| shared(site, documents));
    let said = document.map(|document| document.outcome);
    let outcome = match (&resolved.fate, said) {
        (_, Some(Outcome::OverLimit)) => Outcome::OverLimit,
        (Err(outcome), _) => *outcome,
        (Ok(body), Some(Outcome::Empty)) if body.looks != Looks::Text => Outcome::NotRobots,
        (Ok(body), said) => said.filter(|_| body.document.is_some()).unwrap_or(Outcome::NotRobots),
    };
    Entry {
        site: key.clone(),
        outcome,
        status: resolved.status,
        fetched_at: u64::try_from(resolved.fetched_at).unwrap_or(0),
        fresh_for: resolved.fresh_for,
        document,
    }
}

fn count(report: &mut Report, sites: &[Site], own: &[Own], documents: &[Document], entries: &[Entry<'_>]) {
    report.distinct_bodies = documents.len() as u64;
    for document in documents {
        report.cut_bodies += u64::from(document.cut);
    }
    for (site, own) in sites.iter().zip(own) {
        report.pages_with_permissions += site.pages.len() as u64;
        report.references_found += own.references_found;
        report.references_missing += own.references_missing;
        report.references_over += own.references_over;
        if let Some(over) = own.pages_over {
            report.over_limit.push((site.key.to_string(), format!("its pages are left out: {over}")));
        }
    }
    for entry in entries {
        let outcomes = match entry.site.document() {
            Some(_) => &mut report.data_txt,
            None => {
                report.sites += 1;
                &mut report.outcomes
            }
        };
        *outcomes.entry(entry.outcome.name()).or_default() += 1;
        if entry.document.is_some_and(|document| document.cut) {
            report.cut_sites.push(entry.site.to_string());
        }
        if let Some(over) = entry.document.and_then(|document| document.over_limit) {
            report.over_limit.push((entry.site.to_string(), over.to_string()));
        }
    }
}
