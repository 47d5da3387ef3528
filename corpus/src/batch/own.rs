//! The documents of single sites: those that the document of a text does not serve.
//!
//! `join` asks for them, site by site, on all threads. A site needs a document of its own if its
//! text names its host (R14), refers to other files (V16, decision 23) or is read together with
//! pages (M21) and other files about uses. Its text is compiled again, with all of them.
//! Invariant: what could not be read, or has no room, permits nothing. It does not know the outcome
//! of a site.

use super::Report;
use super::gather::{AI_TXT, Body, TDMREP};
use super::sites::Site;
use super::store::{Packed, Sealed, Store};
use crate::Looks;
use crate::capture::canonical;
use crate::resolve::Chosen;
use robomaton_compiler::{CompileContext, Document, License, Options, OverLimit, Page, compile_with};
use robomaton_formats::{Outcome, Scheme, SiteKey, write};
use std::io;
use std::sync::{Mutex, PoisonError};

/// Bytes of the files that are read with one text: about twenty at the limit of each. Otherwise a
/// text could cause everything ever captured of its site to be compiled.
const MAX_REFERRED: u64 = 8 << 20;

/// A document compiled for one site only.
#[derive(Default)]
pub(super) struct Own {
    /// Its number in the store of such documents.
    pub(super) document: Option<usize>,
    references_found: u64,
    references_missing: u64,
    references_over: u64,
    /// The limit that the pages exceed; they are then not read whole.
    pages_over: Option<OverLimit>,
}

impl Own {
    pub(super) fn count(&self, site: &Site, report: &mut Report) {
        report.pages_with_permissions += site.pages.iter().filter(|page| !page.is_silent()).count() as u64;
        report.references_found += self.references_found;
        report.references_missing += self.references_missing;
        report.references_over += self.references_over;
        if let Some(over) = self.pages_over {
            report.over_limit.push((site.key.to_string(), format!("its pages are not read whole: {over}")));
        }
    }
}

/// Texts by the references to them.
type Referred<'k> = Vec<(&'k str, Vec<u8>)>;

/// The sources of documents for single sites.
#[derive(Clone, Copy)]
pub(super) struct Sources<'g> {
    pub(super) options: &'g Options,
    pub(super) shared: &'g Sealed,
    pub(super) chosen: &'g Chosen<Body>,
    /// The documents for single sites. Each is written once it is made: many sites may name one
    /// large file, and each then has a document of its size.
    pub(super) own: &'g Mutex<Store>,
}

impl Sources<'_> {
    /// The document of a site, if it needs one.
    pub(super) fn own(&self, site: &Site) -> io::Result<Own> {
        let again = |number: usize| {
            self.shared.known()[number].depends_on_origin || self.shared.known()[number].refers
        };
        let is_partial = site.resolved.fate.as_ref().is_ok_and(|body| body.is_partial || body.is_over);
        let is_lost = is_partial && site.document.is_none();
        let is_shared = !site.states && !is_lost && !site.document.is_some_and(again);
        if site.key.document().is_some() || is_shared {
            return Ok(Own::default());
        }
        let shared = site.document.map(|number| self.shared.load(number)).transpose()?;
        // The text of a document without records was not kept, and has no effect.
        let text =
            shared.as_ref().and_then(|shared| write::decode_source(&shared.source)).unwrap_or_default();
        let (tdmrep, is_tdmrep_unread) = self.of_site(site, TDMREP)?;
        let (ai_txt, is_ai_txt_unread) = self.of_site(site, AI_TXT)?;
        let compiled = |files: &[(&str, &[u8])], licenses: &[License<'_>], pages: &[Page]| {
            let context = CompileContext {
                origin: Some(site.key.authority()),
                scheme: Some(site.key.scheme()),
                files,
                pages,
                is_partial,
                tdmrep: tdmrep.as_deref(),
                is_tdmrep_unread,
                ai_txt: ai_txt.as_deref(),
                is_ai_txt_unread,
                licenses,
            };
            compile_with(&text, &context, self.options)
        };
        let depends = shared.as_ref().is_some_and(|shared| shared.depends_on_origin);
        // The files of this site may be known only when the site is.
        let first = (depends || site.states || is_lost).then(|| compiled(&[], &[], &site.pages));
        let mut references = first
            .as_ref()
            .or(shared.as_ref())
            .map(|document| document.references.clone())
            .unwrap_or_default();
        references.sort_unstable();
        references.dedup();
        let (files, over) = self.referred(&site.key, &references)?;
        let texts: Vec<(&str, &[u8])> = files.iter().map(|(key, text)| (*key, text.as_slice())).collect();
        let of_servers = texts.iter().filter(|(key, _)| !key.starts_with('/'));
        let license = |&(url, xml): &(_, _)| {
            let fetched_at = u64::try_from(self.chosen.newest_at([url])).unwrap_or(0);
            License { url, xml, fetched_at }
        };
        let licenses: Vec<License<'_>> = of_servers.map(license).collect();
        let is_alone = texts.is_empty();
        let document = if is_alone { first } else { Some(compiled(&texts, &licenses, &site.pages)) };
        let with_pages = |pages: &[Page]| compiled(&texts, &licenses, pages);
        let (document, pages_over) =
            document.map(|document| within_limits(document, &site.pages, with_pages)).unzip();
        Ok(Own {
            document: document.as_ref().map(|document| self.keep(document)).transpose()?,
            references_found: files.len() as u64,
            references_missing: (references.len() - files.len()) as u64 - over,
            references_over: over,
            pages_over: pages_over.flatten(),
        })
    }

    /// Writes a document for a single site; its number. Numbers are not visible in an image.
    fn keep(&self, document: &Document) -> io::Result<usize> {
        let packed = Packed::of(document);
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        let number = own.reserve();
        own.put(number, &packed)?;
        Ok(number)
    }

    /// The files behind these references of a site, as far as they were captured and have room, and
    /// the number of those without room.
    fn referred<'k>(&self, site: &SiteKey, references: &'k [String]) -> io::Result<(Referred<'k>, u64)> {
        let (mut files, mut room, mut over) = (Vec::new(), MAX_REFERRED, 0);
        for key in references {
            let is_url = !key.starts_with('/');
            let body = if is_url { self.chosen.newest([key.as_str()]) } else { self.newest(site, key) };
            // Of other URLs, RSL documents were kept, too; of a robots.txt, whatever came.
            let may_be_license = is_url && !canonical(key).ends_with("/robots.txt");
            let body = body.filter(|body| may_be_license || body.looks == Looks::Text);
            // The rest of a file may prohibit.
            let body = body.filter(|body| !body.is_partial);
            let Some(number) = body.and_then(|body| body.raw.or(body.document)) else { continue };
            let file = &self.shared.known()[number];
            let Some(rest) = room.checked_sub(file.text_length) else {
                over += 1;
                continue;
            };
            room = rest;
            // A text without records adds nothing, but exists; it was not kept. One over the limit
            // of bytes may have some.
            let may_add = file.can_be_referred_to || file.cut;
            let mut text = Some(Vec::new());
            if is_url || may_add {
                let kept = write::decode_source(&self.shared.load(number)?.source);
                text = kept.or(text.filter(|_| !may_add));
            }
            files.extend(text.map(|text| (key.as_str(), text)));
        }
        Ok((files, over))
    }

    /// The newest capture of a path of a site.
    fn newest(&self, site: &SiteKey, path: &str) -> Option<&Body> {
        self.chosen.newest(urls_of(site, path).iter().map(String::as_str))
    }

    /// A document of a site about uses, and true if not all of it is known. A site without the
    /// document (4xx, but 429) states nothing by it. After any other failure, or behind a redirect
    /// that leads to no text that was kept, it may state anything.
    fn of_site(&self, site: &Site, path: &str) -> io::Result<(Option<Vec<u8>>, bool)> {
        if !site.states {
            return Ok((None, false));
        }
        let body = match self.chosen.led_to(urls_of(&site.key, path).iter().map(String::as_str)) {
            None | Some(Err(Outcome::Unavailable)) => return Ok((None, false)),
            Some(Err(_)) => return Ok((None, true)),
            Some(Ok(body)) => body,
        };
        // A redirect may lead to a text that is no such document, or to no text.
        let Some(number) = body.raw.or(body.document) else { return Ok((None, true)) };
        let source = self.shared.load(number)?.source;
        let is_lost = source.is_empty() && self.shared.known()[number].text_length != 0;
        Ok((write::decode_source(&source), is_lost || body.is_partial))
    }
}

/// A document of a site within the limits, and the limit that its pages exceed. Pages over a limit
/// must not disallow the site, and what they refuse must not be permitted: without their fields, or
/// without all that they say, they are unread.
fn within_limits(
    document: Document,
    pages: &[Page],
    compiled: impl Fn(&[Page]) -> Document,
) -> (Document, Option<OverLimit>) {
    let over = document.over_limit;
    if over.is_none() || pages.is_empty() {
        return (document, None);
    }
    let lesser: [fn(&Page) -> Page; 2] = [Page::without_acap, Page::unread];
    let with_less = |less| compiled(&pages.iter().map(less).collect::<Vec<Page>>());
    match lesser.into_iter().map(with_less).find(|bare| bare.over_limit.is_none()) {
        Some(bare) => (bare, over),
        None => (document, None),
    }
}

/// The URLs of a path of a site.
fn urls_of(site: &SiteKey, path: &str) -> Vec<String> {
    match site.scheme() {
        Scheme::Any => vec![format!("https://{site}{path}"), format!("http://{site}{path}")],
        Scheme::Http | Scheme::Https => vec![format!("{site}{path}")],
    }
}
