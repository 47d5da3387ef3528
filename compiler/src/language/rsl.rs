//! Really Simple Licensing 1.0: `License:` in groups of robots.txt and before them, `Link` headers
//! and links of pages; and the documents that they name.
//!
//! ```text
//!   License: URL ──▶ document ──▶ contents ──▶ for each usage: explicit, open or closed ──▶ statements
//! ```
//!
//! A content speaks of a usage *explicitly* if a licence permits or prohibits it, or a class that
//! covers it. Otherwise it is *open* if a licence lists no permitted usages, and *closed* if all
//! do. The longest content that speaks explicitly decides, a narrower class before a wider one, a
//! prohibition before a permission; a longer closed content then still refuses. Without an explicit
//! content the longest one answers. Several granting licences are alternatives. A document that is
//! missing or not conformant is unread: it may refuse. This file does not know XML.

use super::links::{Link, links};
use super::own_path::hides_host;
use super::{Language, QUOTED, Source, preference_text};
use crate::context::{Page, PageLicense};
use crate::licenses::{CHAINS, Covers, Stand, Weighed, WeighedContent};
use crate::limits::{OverLimit, REFERENCE};
use crate::lowering::Lowering;
use crate::lowering::preferences::{Documents, PAGE_DOCUMENTS, PAGE_SETS, Said, Scope, set_of, shortened};
use crate::policy::{Combiner, Policy};
use robomaton_formats::detail::Bytes;
use robomaton_formats::preference::{self, Carrier, Effect, Record};
use robomaton_formats::program::Silence;
use robomaton_formats::url::{join, parse};
use robomaton_formats::{Notation, Pattern, Scheme};
use robomaton_grammar::modern::rsl::rsl;
use std::borrow::Cow;

/// The language, with or without `License` lines of robots.txt.
pub(super) struct Rsl {
    lines: bool,
}

/// Lines, headers and pages.
pub(super) const WHOLE: Rsl = Rsl { lines: true };
/// Headers and pages.
pub(super) const OF_PAGES: Rsl = Rsl { lines: false };

const LANGUAGE: preference::Language = preference::Language::Rsl;

impl Language for Rsl {
    fn usages(&self) -> &'static [&'static str] {
        &[]
    }

    fn combiner(&self) -> Combiner {
        Combiner::LongestMatch
    }

    fn silence(&self, _usage: u16) -> Silence {
        Silence::Unknown
    }

    fn keys(&self) -> &'static [&'static str] {
        if self.lines { &["license"] } else { &[] }
    }

    fn record<'s>(
        &self,
        value: &'s [u8],
        line: u32,
        lowering: &mut Lowering<'s, '_>,
    ) -> Result<(), OverLimit> {
        let url = std::str::from_utf8(value).ok().map(str::trim).filter(|url| is_absolute(url));
        let documents = std::mem::take(&mut lowering.licenses);
        let document =
            url.filter(|url| refer(url, lowering)).and_then(|url| Some((url, documents.get(url)?)));
        match document {
            Some((url, document)) => state(document, url, lowering)?,
            None => {
                let record = Record {
                    language: LANGUAGE,
                    carrier: Carrier::Robots,
                    line,
                    file: 0,
                    pattern: Bytes(Cow::Borrowed(b"/")),
                    text: preference_text("License", value),
                };
                lowering.state(Scope::Groups, record, UNREAD, all(Effect::Unread));
            }
        }
        lowering.licenses = documents;
        Ok(())
    }

    fn lower<'s>(&self, source: &Source<'_, 's>, lowering: &mut Lowering<'s, '_>) -> Result<(), OverLimit> {
        lowering.close();
        let mut pages: Vec<&Page> = source.context.pages.iter().collect();
        pages.sort_unstable();
        let documents = std::mem::take(&mut lowering.licenses);
        for page in pages {
            state_page(page, &documents, lowering)?;
        }
        lowering.licenses = documents;
        Ok(())
    }
}

/// The set of documents that could not be read: nothing competes with it.
const UNREAD: u16 = set_of(LANGUAGE, Carrier::Robots);
/// The set of the statements that set those of the site aside.
const SUPERSEDES: u16 = set_of(LANGUAGE, Carrier::AiTxt);

/// The set of the document with this number among those that a page names: all of them count.
fn of_page(number: u16) -> u16 {
    PAGE_SETS + number.min(PAGE_DOCUMENTS - 1)
}

/// The set of documents that may go out of date.
const DATED: u16 = set_of(LANGUAGE, Carrier::TdmRep);

/// The same effect on all usages that RSL speaks of.
fn all(effect: Effect) -> impl Iterator<Item = Said> {
    CHAINS.iter().map(move |&(usage, _)| Said { usage, effect, rank: 1, conditions: 0 })
}

/// True for a URL that can name a document.
pub(crate) fn is_absolute(url: &str) -> bool {
    let parsed = parse(url).ok().filter(|_| url.len() <= REFERENCE);
    parsed.is_some_and(|url| matches!(url.scheme(), "http" | "https"))
}

/// Notes that the text needs a document; false beyond the limit on references.
fn refer(url: &str, lowering: &mut Lowering<'_, '_>) -> bool {
    lowering.policy.depends_on_origin = true;
    let references = &mut lowering.policy.references;
    if references.iter().any(|known| known == url) {
        return true;
    }
    let has_room = references.len() < lowering.options.limits.references;
    if has_room {
        references.push(url.to_owned());
    }
    has_room
}

/// The canonical pattern of a content on this site, and what it is about there. `None` if it is for
/// another site. Of a site whose host is not known, every URL may be.
fn pattern<'w>(content: &'w WeighedContent, lowering: &Lowering<'_, '_>) -> Option<&'w (Vec<u8>, Covers)> {
    content.pattern.get_or_init(|| pattern_of(&content.content.url, lowering)).as_ref()
}

fn pattern_of(url: &str, lowering: &Lowering<'_, '_>) -> Option<(Vec<u8>, Covers)> {
    let unknown = || Some((b"/".to_vec(), Covers::Unknown));
    // Only documents of pages may leave it out.
    if url.is_empty() || hides_host(url) {
        return unknown();
    }
    let path = match parse(url) {
        Ok(parsed) if url.contains("://") => {
            let is_own_scheme = match lowering.scheme {
                Some(Scheme::Http) => parsed.scheme() == "http",
                Some(Scheme::Https) => parsed.scheme() == "https",
                _ => true,
            };
            let host = parsed.host_str()?;
            let host = host.strip_suffix('.').unwrap_or(host);
            let authority = parsed.port().map_or(host.to_owned(), |port| format!("{host}:{port}"));
            if !is_own_scheme || lowering.origin.as_ref().is_some_and(|origin| *origin != authority) {
                return None;
            }
            // The path as written: a parser would encode its wildcards. It reads a backslash as a
            // slash.
            let rest = url.split_once("://").map_or("", |(_, rest)| rest);
            let path = rest.find(['/', '\\', '?', '#']).map_or("/", |at| &rest[at..]);
            path.strip_prefix('\\').unwrap_or(path)
        }
        _ => url,
    };
    let (path, part) = path.split_once('#').unwrap_or((path, ""));
    let path = if path.starts_with(['/', '*']) { path.to_owned() } else { format!("/{path}") };
    // Of a site without a host, it may be for this one or for another.
    let covers = match part {
        _ if lowering.origin.is_none() && url.contains("://") => Covers::Unknown,
        "" => Covers::Whole,
        _ => Covers::Part,
    };
    Some((Notation::Rep.pattern(path.as_bytes()).into_owned(), covers))
}

/// States a document in the open group, or before all groups.
fn state(document: &Weighed, url: &str, lowering: &mut Lowering<'_, '_>) -> Result<(), OverLimit> {
    let (set, closures) = (lowering.own_set(), lowering.own_set());
    let file = file_of(url, document.end, lowering);
    let dated = Record {
        language: LANGUAGE,
        carrier: Carrier::Rsl,
        line: 0,
        file,
        pattern: Bytes(Cow::Borrowed(b"/")),
        text: Cow::Borrowed("the document"),
    };
    lowering.state(Scope::Groups, dated, DATED, all(Effect::Dated));
    for (number, weighed) in (1..).zip(&document.contents) {
        let Some((pattern, covers)) = pattern(weighed, lowering) else { continue };
        let record = |text: String| Record {
            language: LANGUAGE,
            carrier: Carrier::Rsl,
            line: number,
            file,
            pattern: Bytes(Cow::Owned(pattern.clone())),
            text: Cow::Owned(text),
        };
        let text = format!("content {:?}", shortened(&weighed.content.url, QUOTED));
        if !lowering.has_room_for_statements() {
            // Each content speaks of every usage, so this is what all further ones come to.
            lowering.state(Scope::Groups, record(text), UNREAD, all(Effect::Unread));
            break;
        }
        let length = (pattern.len() as u32).min((1 << 17) - 1);
        let (mut said, mut closing, mut unread) = (Vec::new(), Vec::new(), Vec::new());
        for (at, (usage, _)) in CHAINS.into_iter().enumerate() {
            let stand = weighed.stands[at];
            if !covers.counts(stand) || matches!(stand, Stand::Unread) {
                unread.push(Said { usage, effect: Effect::Unread, rank: 1, conditions: 0 });
                continue;
            }
            let conditions = weighed.number(at, |conditions| lowering.conditions(conditions, number))?;
            said.push(Said { usage, effect: stand.effect(), rank: stand.rank(length), conditions });
            // A closed content also refuses what a shorter one speaks of explicitly.
            let (effect, depth) = match stand {
                Stand::Closed => (Effect::Closed, 0),
                Stand::Explicit(depth, _) => (Effect::Unstated, depth + 1),
                Stand::Open(_) | Stand::Unread => continue,
            };
            closing.push(Said { usage, effect, rank: (length << 2 | depth) + 1, conditions: 0 });
        }
        lowering.state(Scope::Groups, record(text.clone()), set, said);
        for (set, said) in [(closures, closing), (UNREAD, unread)] {
            if !said.is_empty() {
                lowering.state(Scope::Groups, record(text.clone()), set, said);
            }
        }
    }
    Ok(())
}

/// The number of a document among the files of the policy; from `end` on it is out of date.
fn file_of(url: &str, end: u64, lowering: &mut Lowering<'_, '_>) -> u16 {
    let number = lowering.file_number(url);
    let Policy { files, ends, .. } = &mut lowering.policy;
    ends.resize(files.len(), 0);
    ends[usize::from(number) - 1] = end;
    number
}

/// A document that a page names.
#[derive(PartialEq)]
struct Named<'p> {
    carrier: Carrier,
    url: String,
    inline: Option<&'p String>,
    is_of_part: bool,
}

/// Reduces what the document of a part says to what it means for the whole page: a refusal holds, a
/// permission says nothing, and terms leave the usage unread.
fn confine(said: &mut Said) {
    said.effect = match said.effect {
        Effect::Permitted => Effect::Unstated,
        Effect::Conditional => Effect::Unread,
        effect => effect,
    };
    said.conditions = 0;
}

/// States the documents that a page names. Those of the whole page replace the site's; those of its
/// parts count beside them.
fn state_page(page: &Page, documents: &Documents, lowering: &mut Lowering<'_, '_>) -> Result<(), OverLimit> {
    let base = parse(&page.url).ok();
    // A link that is empty or no URL stays as it is: it names a document that cannot be read.
    let resolve = |link: &str| {
        let base = base.as_ref().filter(|_| !link.is_empty());
        let joined = base.and_then(|base| join(base, link).ok());
        joined.map_or_else(|| link.to_owned(), String::from)
    };
    let of_headers = page.header("link").flat_map(links).map(|Link { target, has_anchor }| Named {
        carrier: Carrier::Header,
        url: resolve(&target),
        inline: None,
        is_of_part: has_anchor,
    });
    let of_whole = page.licenses.iter().map(|license| (license, false));
    let of_parts = page.part_licenses.iter().map(|license| (license, true));
    let of_content = of_whole.chain(of_parts).zip(1..).map(|((license, is_of_part), number)| {
        let (url, inline) = match license {
            PageLicense::Link(link) => (resolve(link), None),
            // Such a document has no URL of its own.
            PageLicense::Inline(xml) => (format!("{}#license-{number}", page.url), Some(xml)),
        };
        Named { carrier: Carrier::Page, url, inline, is_of_part }
    });
    let mut named: Vec<Named<'_>> = Vec::new();
    for one in of_headers.chain(of_content) {
        // The last one of so many is unread, and stands for all further ones.
        if named.len() == usize::from(PAGE_DOCUMENTS) {
            break;
        }
        named.extend((named.last() != Some(&one)).then_some(one));
    }
    for (number, Named { carrier, url, inline, is_of_part }) in (0..).zip(named) {
        // White space around a script is no part of its document.
        let own = inline.and_then(|xml| rsl(xml.trim_ascii().as_bytes()).ok());
        let own = own.map(|own| Weighed::new(own, 0));
        let document = match inline {
            Some(_) => own.as_ref(),
            None if is_absolute(&url) && refer(&url, lowering) => documents.get(&url),
            None => None,
        };
        let mut said: Vec<Said> = match document {
            // The last of the sets is for further ones, which would be alternatives of each other.
            Some(document) if number + 1 < PAGE_DOCUMENTS && lowering.may_compare(document.comparisons) => {
                resolved(document, page, lowering)?
            }
            _ => all(Effect::Unread).collect(),
        };
        if is_of_part {
            said.iter_mut().for_each(confine);
        }
        // Beyond the limit on statements, no record is kept that the file would be of.
        let file = match lowering.has_room_for_statements() {
            true => file_of(&url, document.map_or(0, |document| document.end), lowering),
            false => 0,
        };
        let record = |text: String| Record {
            language: LANGUAGE,
            carrier,
            line: 0,
            file,
            pattern: super::robots_tags::of_page(page),
            text: Cow::Owned(text),
        };
        let everyone = Scope::Everyone(lowering.everyone(&[]));
        let supersede = |said: &Said| Said { effect: Effect::Supersedes, rank: 1, conditions: 0, ..*said };
        let superseding = if is_of_part { Vec::new() } else { said.iter().map(supersede).collect() };
        if document.is_some() {
            lowering.state(everyone, record(format!("license {url}")), DATED, all(Effect::Dated));
        }
        lowering.state(everyone, record(format!("license {url}")), of_page(number), said);
        lowering.state(everyone, record(format!("license {url}")), SUPERSEDES, superseding);
    }
    Ok(())
}

/// What a document says about one page.
fn resolved(
    document: &Weighed,
    page: &Page,
    lowering: &mut Lowering<'_, '_>,
) -> Result<Vec<Said>, OverLimit> {
    let target = Notation::Rep.target(page.target.as_bytes());
    let mut matching: Vec<(u32, Covers, usize)> = Vec::new();
    for (place, weighed) in document.contents.iter().enumerate() {
        // A content without a URL is for the page that names the document.
        if weighed.content.url.is_empty() {
            matching.push(((1 << 17) - 1, Covers::Whole, place));
            continue;
        }
        let Some((text, covers)) = pattern(weighed, lowering) else { continue };
        if (Pattern { text, notation: Notation::Rep }).matches(&target) {
            matching.push(((text.len() as u32).min((1 << 17) - 2), *covers, place));
        }
    }
    let mut said = Vec::new();
    for (at, (usage, _)) in CHAINS.into_iter().enumerate() {
        let stand = |place: usize| document.contents[place].stands[at];
        let is_doubtful = matching.iter().any(|&(_, covers, place)| !covers.counts(stand(place)));
        let counting = || matching.iter().filter(|&&(_, covers, place)| covers.counts(stand(place)));
        let stands = || counting().map(|&(length, _, place)| (length, stand(place), place));
        let rank = |&(length, stand, _): &(u32, Stand, usize)| stand.rank(length);
        let Some(highest) = stands().map(|one| rank(&one)).max() else {
            let unread = Said { usage, effect: Effect::Unread, rank: 1, conditions: 0 };
            said.extend(is_doubtful.then_some(unread));
            continue;
        };
        let winners: Vec<_> = stands().filter(|one| rank(one) == highest).collect();
        let (length, best, _) = winners[0];
        let is_unread = is_doubtful || stands().any(|(_, stand, _)| matches!(stand, Stand::Unread));
        let is_shut = matches!(best, Stand::Explicit(..))
            && stands().any(|(own, stand, _)| matches!(stand, Stand::Closed) && own > length);
        let (effect, conditions) = match (best.effect(), is_shut, is_unread) {
            (Effect::Refused, ..) | (_, true, _) => (Effect::Refused, 0),
            (_, _, true) => (Effect::Unread, 0),
            (effect, ..) => match winners.as_slice() {
                &[(_, _, place)] => {
                    let add = |conditions| lowering.conditions(conditions, 0);
                    (effect, document.contents[place].number(at, add)?)
                }
                several => {
                    let places = several.iter().map(|&(_, _, place)| place).collect();
                    let number = document.number(at, places, |cost, conditions| {
                        let may_join = lowering.may_compare(cost);
                        may_join.then(|| lowering.conditions(conditions(), 0)).transpose()
                    })?;
                    number.map_or((Effect::Unread, 0), |number| (effect, number))
                }
            },
        };
        said.push(Said { usage, effect, rank: 1, conditions });
    }
    Ok(said)
}
