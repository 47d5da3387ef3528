//! Takes captures block by block, on any thread: compiles every distinct text once, reads pages,
//! and lets `resolve` choose.
//!
//! Of a body, only some fifty bytes stay in memory and, of a page, its permissions; its document,
//! with the compressed text, goes to a file (`store`). With pages, some hundred bytes stay in
//! memory for every URL, however many there are. Invariants: the result depends only on the
//! set of captures, except for the numbers of documents, which are not visible; hashing and
//! compiling hold no lock that other threads want.

use super::store::{Packed, Store};
use super::{Block, Report};
use crate::capture::canonical;
use crate::encoding::has_records;
use crate::html;
use crate::resolve::{Chosen, Facts, MAX_TARGETS};
use crate::status::{is_client_error, is_failure, is_success};
use crate::{Capture, Looks, NOT_MODIFIED, sniff};
use foldhash::{HashMap, HashMapExt};
use robomaton_compiler::{CompileContext, Document, Header, Options, Page, ProgramCache, compile_cached};
use robomaton_formats::{Outcome, Profile, SiteKey, write};
use robomaton_grammar::without_mark;
use std::collections::BTreeSet;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use xxhash_rust::xxh3::xxh3_128_with_seed;

/// The part of a capture's body that stays in memory.
#[derive(Clone, Copy)]
pub(super) struct Body {
    /// Its document; `None` if it cannot be rules.
    pub(super) document: Option<usize>,
    /// Its text, for a document in another language. A redirect may lead to it as to any other, so
    /// it is no document of a site.
    pub(super) raw: Option<usize>,
    /// Its apparent format, in case it has no records.
    pub(super) looks: Looks,
    /// Its page, if it has permissions.
    pub(super) page: Option<usize>,
    /// True if it is known to be incomplete.
    pub(super) is_partial: bool,
    /// True if it was not compiled, and is over the limit of bytes: it has no record before that,
    /// and may have some behind it.
    pub(super) is_over: bool,
}

/// The captures gathered so far.
pub(super) struct Gathered {
    /// Documents by the hash of their text. Another thread may still compile one.
    known: HashMap<(u128, ReadAs), usize>,
    pub(super) documents: Store,
    /// The permissions of pages, each with its site; including superseded ones.
    pub(super) pages: Vec<(SiteKey, Page)>,
    /// Sites that have, or may have, a document of their own about uses ([`OF_SITE`]).
    pub(super) stating: BTreeSet<SiteKey>,
    pub(super) chosen: Chosen<Body>,
    pub(super) report: Report,
}

/// Gathers captures on several threads.
pub(super) struct Gathering<'o> {
    pub(super) options: &'o Options,
    /// The options for data.txt documents.
    data_options: Options,
    /// True if pages are read.
    pages_wanted: bool,
    /// The seed of the text hash. It differs in each run, so that nobody can construct colliding
    /// texts; the image does not depend on it.
    seed: u64,
    /// One for each thread.
    caches: Vec<Mutex<ProgramCache>>,
    gathered: Mutex<Gathered>,
}

/// A text to be compiled.
struct New {
    number: usize,
    read_as: ReadAs,
    body: Vec<u8>,
}

/// The kind of a capture.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Robots,
    Data,
    /// A document in another language, compiled with each site that has or names it.
    Raw,
    Other,
}

/// The reason why a text is compiled. Equal texts are compiled once for each.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum ReadAs {
    /// The text may be a robots.txt.
    Robots,
    /// The text may be the beginning of a robots.txt; the rest was not captured.
    Part,
    /// The text is a data.txt.
    Data,
    /// A record may refer to the text, which the image does not keep.
    Reference,
    /// The text is a document in another language, which is compiled with the site.
    Raw,
}

/// The results for one capture, computed on any thread.
struct Looked {
    kind: Kind,
    facts: Facts,
    /// The facts of a data.txt, or with pages of a robots.txt, as a capture of an ordinary URL.
    other: Option<Facts>,
    hash: u128,
    looks: Looks,
    /// True if the text can be rules.
    may_be_rules: bool,
    is_over: bool,
    page: Option<html::Page>,
}

impl<'o> Gathering<'o> {
    /// `threads` is the number of threads in the pool.
    pub(super) fn new(
        options: &'o Options,
        pages: bool,
        threads: usize,
        scratch: Option<&Path>,
    ) -> io::Result<Gathering<'o>> {
        // The draft of 1996 knows no pages.
        let pages_wanted = pages && options.profile != Profile::Koster;
        let gathered = Gathered {
            known: HashMap::new(),
            documents: Store::new(scratch)?,
            pages: Vec::new(),
            stating: BTreeSet::new(),
            chosen: Chosen::with_max_targets(if pages_wanted { usize::MAX } else { MAX_TARGETS }),
            report: Report::default(),
        };
        Ok(Gathering {
            options,
            data_options: Options { profile: Profile::Koster, ..options.clone() },
            pages_wanted,
            seed: RandomState::new().build_hasher().finish(),
            caches: (0..threads).map(|_| Mutex::default()).collect(),
            gathered: Mutex::new(gathered),
        })
    }

    /// Counts the items of a block that are not captures; in the order of reading, for the report
    /// quotes the first.
    pub(super) fn count(&self, block: &mut Block) {
        let gathered = &mut *self.lock();
        gathered.report.ignored_records += block.ignored;
        block.skipped.drain(..).for_each(|skipped| gathered.report.skip(&skipped));
        for revisit in block.revisits.drain(..) {
            // A record that cannot be read is reported even if a newer capture of its URL is read.
            match revisit.otherwise.reason.is_of_revisit() {
                true => gathered.report.revisits += 1,
                false => gathered.report.skip(&revisit.otherwise),
            }
            if self.pages_wanted
                && is_of_site(revisit.url.path())
                && let Ok(site) = SiteKey::from_url(revisit.url.as_str())
            {
                gathered.stating.insert(site);
            }
            let Gathered { chosen, pages, .. } = gathered;
            let is_robots = revisit.answer.is_robots();
            let is_other = if is_robots { self.pages_wanted } else { revisit.key.is_some() };
            let mut payload = |answer: &Capture| {
                let is_page = self.pages_wanted && (!is_robots || !answer.headers.is_empty());
                let page = if is_page { unread_page_of(answer) } else { None }?;
                pages.push((answer.site.clone(), compiler_page(answer, page)));
                Some(Body {
                    document: None,
                    raw: None,
                    looks: Looks::Text,
                    page: Some(pages.len() - 1),
                    is_partial: true,
                    is_over: false,
                })
            };
            if is_other {
                chosen.revisit_url(&revisit, &mut payload);
            }
            chosen.revisit(revisit, payload);
        }
    }

    /// Takes captures, in any order.
    pub(super) fn take(&self, mut captures: Vec<Capture>) -> io::Result<()> {
        let start = Instant::now();
        let looked: Vec<Looked> = captures.iter_mut().map(|capture| self.look(capture)).collect();
        for text in self.choose(captures, looked) {
            let document = self.compile(&text);
            self.lock().documents.put(text.number, &document)?;
        }
        self.lock().report.compile_time += start.elapsed();
        Ok(())
    }

    /// Returns everything that was gathered.
    pub(super) fn finish(self) -> Gathered {
        self.gathered.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, Gathered> {
        self.gathered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Offers captures to `resolve`, and returns the texts that nobody has compiled.
    fn choose(&self, captures: Vec<Capture>, looked: Vec<Looked>) -> Vec<New> {
        let (gathered, mut new) = (&mut *self.lock(), Vec::new());
        for (capture, looked) in captures.into_iter().zip(looked) {
            self.place(capture, looked, gathered, &mut new);
        }
        new
    }

    /// Offers a capture to `resolve`, and adds its text to `new` if nobody has compiled it.
    fn place(&self, capture: Capture, looked: Looked, gathered: &mut Gathered, new: &mut Vec<New>) {
        let Looked { kind, facts, other, hash, looks, may_be_rules, is_over, page } = looked;
        let Gathered { known, documents, pages, stating, chosen, report } = gathered;
        let (content, length, is_partial) =
            (facts.has_content(), capture.body.len() as u64, capture.is_partial());
        *match kind {
            Kind::Robots => &mut report.captures,
            Kind::Data => &mut report.data_captures,
            Kind::Raw | Kind::Other => &mut report.other_captures,
        } += 1;
        report.truncated += u64::from(is_partial);
        report.captured_bytes += length;
        if let Some(page) = &page {
            report.pages += 1;
            report.page_bytes += length;
            report.pages_cut += u64::from(page.cut);
        }
        // After an answer 429 there may be one.
        let is_absent = is_client_error(capture.status) && !is_failure(capture.status);
        if self.pages_wanted && !is_absent && is_of_site(&capture.target()) {
            stating.insert(capture.site.clone());
        }
        let mut page = page.map(|page| (capture.site.clone(), compiler_page(&capture, page)));
        let mut kept = |page: Option<(SiteKey, Page)>| {
            pages.push(page?);
            Some(pages.len() - 1)
        };
        let mut document = |read_as: ReadAs, body: Vec<u8>| {
            *known.entry((hash, read_as)).or_insert_with(|| {
                let number = documents.reserve();
                report.distinct_bytes += length;
                new.push(New { number, read_as, body });
                number
            })
        };
        let of_robots = if is_partial { ReadAs::Part } else { ReadAs::Robots };
        // A part is no file that a record refers to.
        let of_other = if self.options.no_sources && !is_partial { ReadAs::Reference } else { of_robots };
        if let Some(facts) = other {
            let is_reference = kind == Kind::Data && may_be_rules;
            let document = is_reference.then(|| document(of_other, capture.body.clone()));
            let page = page.take();
            chosen.insert(facts, || Body {
                document,
                raw: None,
                looks,
                page: kept(page),
                is_partial,
                is_over,
            });
        }
        let (read_as, compiled) = match kind {
            Kind::Robots => (of_robots, may_be_rules),
            Kind::Data => (ReadAs::Data, content),
            Kind::Raw | Kind::Other => (of_other, may_be_rules),
        };
        let raw = (kind == Kind::Raw).then(|| document(ReadAs::Raw, capture.body.clone()));
        let document = compiled.then(|| document(read_as, capture.body));
        chosen.insert(facts, || Body { document, raw, looks, page: kept(page), is_partial, is_over });
    }

    /// Examines one capture; a truncated body of lines loses the last one.
    fn look(&self, capture: &mut Capture) -> Looked {
        let kind = match () {
            () if capture.is_robots() => Kind::Robots,
            () if capture.is_data_txt() => Kind::Data,
            () if is_raw(capture) => Kind::Raw,
            () => Kind::Other,
        };
        // A document that is still compressed, or in UTF-16, was not read.
        let is_binary = || sniff(&capture.body, capture.content_type.as_deref()) == Looks::Binary;
        if kind == Kind::Raw && is_of_site(&capture.target()) && is_binary() {
            capture.truncated = true;
        }
        // Every site has a robots.txt, and nobody uses it but for its rules.
        let is_page = kind != Kind::Robots || !capture.headers.is_empty();
        let page = if self.pages_wanted && is_page { page_of(capture) } else { None };
        // Ties are broken by the whole capture, not by the shortened body.
        let facts = Facts::of(capture);
        let is_other = kind == Kind::Data || kind == Kind::Robots && self.pages_wanted;
        let other = is_other.then(|| Facts::of_url(capture));
        // Readers of JSON and XML see that a document ends early.
        let has_lines = kind != Kind::Raw || canonical(&capture.target()) == AI_TXT;
        if has_lines {
            capture.body.truncate(capture.whole_lines().len());
        }
        // The body of any other answer is not used.
        let looks = match facts.has_content() {
            true => sniff(&capture.body, capture.content_type.as_deref()),
            false => Looks::Text,
        };
        // Other pages than those with records, as far as a text is read, are not compiled.
        let most = self.options.limits.bytes(self.options.profile);
        let is_likely = kind == Kind::Robots || looks == Looks::Text;
        let may_be_rules = facts.has_content() && (is_likely || has_records(&capture.body, most));
        Looked {
            kind,
            facts,
            other,
            hash: xxh3_128_with_seed(&capture.body, self.seed),
            looks,
            may_be_rules,
            is_over: !may_be_rules && capture.body.len() > most,
            page,
        }
    }

    fn compile(&self, text: &New) -> Packed {
        let New { read_as, body, .. } = text;
        if *read_as == ReadAs::Raw {
            let source = write::encode_source(body);
            return Packed::of(&Document { source, text_length: body.len(), ..Document::default() });
        }
        let cache = &self.caches[rayon::current_thread_index().unwrap_or(0)];
        let mut cache = cache.lock().unwrap_or_else(PoisonError::into_inner);
        let options = if *read_as == ReadAs::Data { &self.data_options } else { self.options };
        let context = CompileContext { is_partial: *read_as == ReadAs::Part, ..CompileContext::default() };
        let mut document = compile_cached(body, &context, options, &mut cache);
        // The source is needed again if the document may be compiled again, or together with
        // another text, even if the image stores no texts. A text without records has no effect,
        // unless it has a part that is not read.
        let again = document.depends_on_origin
            || !document.references.is_empty()
            || document.is_scoped()
            || document.cut
            || *read_as == ReadAs::Reference && document.can_be_referred_to()
            || self.pages_wanted && document.outcome != Outcome::Empty;
        if again && document.source.is_empty() {
            document.source = write::encode_source(body);
        }
        Packed::of(&document)
    }
}

/// The paths of documents of a site that speak of uses.
const OF_SITE: [&str; 2] = [TDMREP, AI_TXT];
pub(super) const TDMREP: &str = "/.well-known/tdmrep.json";
pub(super) const AI_TXT: &str = "/ai.txt";

/// True if path and query of a URL are those of such a document.
fn is_of_site(target: &str) -> bool {
    OF_SITE.contains(&canonical(target).as_ref())
}

/// Bytes in which an RSL document must name itself.
const BEGINNING: usize = 4096;

/// True if a capture is a document about uses: one of [`OF_SITE`], or RSL by its media type or its
/// first bytes.
fn is_raw(capture: &Capture) -> bool {
    if !is_success(capture.status) {
        return false;
    }
    let media_type = capture.content_type.as_deref().unwrap_or_default().to_ascii_lowercase();
    if media_type.contains("rsl+xml") || is_of_site(&capture.target()) {
        return true;
    }
    let beginning = &capture.body[..capture.body.len().min(BEGINNING)];
    memchr::memmem::find(beginning, RSL).is_some() && is_rsl_root(beginning)
}

/// True if the first element of an XML document is `rsl`, in any name space.
fn is_rsl_root(document: &[u8]) -> bool {
    let mut rest = without_mark(document).trim_ascii_start();
    while let Some(end) = match rest {
        [b'<', b'?', ..] => Some(&b"?>"[..]),
        [b'<', b'!', b'-', b'-', ..] => Some(&b"-->"[..]),
        [b'<', b'!', ..] => Some(&b">"[..]),
        _ => None,
    } {
        let after = memchr::memmem::find(rest, end).map_or(rest.len(), |at| at + end.len());
        rest = rest[after..].trim_ascii_start();
    }
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/');
    let name = rest.strip_prefix(b"<").unwrap_or_default().split(is_end).next().unwrap_or_default();
    name == b"rsl" || name.ends_with(b":rsl")
}

/// The namespace of RSL documents.
const RSL: &[u8] = b"https://rslstandard.org/rsl";

/// The first bytes of a page that is still compressed, so that it cannot be read.
#[cfg(feature = "pages")]
const PACKED: [&[u8]; 2] = [b"\x1f\x8b", b"\x28\xb5\x2f\xfd"];

/// What a capture of another URL says, in its page if it is one, and by having been captured.
#[cfg(feature = "pages")]
fn page_of(capture: &Capture) -> Option<html::Page> {
    is_success(capture.status).then(|| {
        if !html::is_page(&capture.body, capture.content_type.as_deref()) {
            // Without a media type, the rest of the body may be a page.
            let cut = capture.is_partial() && capture.content_type.is_none();
            return html::Page { cut, ..html::Page::default() };
        }
        let page = html::read_page(&capture.body, capture.content_type.as_deref());
        let is_packed = PACKED.iter().any(|magic| capture.body.starts_with(magic));
        // Clients differ in which of several media types they take.
        let has_types = capture.content_type.as_ref().is_some_and(|types| types.contains(','));
        html::Page { cut: page.cut || capture.is_partial() || is_packed || has_types, ..page }
    })
}

/// Nothing: `prepare` has rejected the option.
#[cfg(not(feature = "pages"))]
fn page_of(_: &Capture) -> Option<html::Page> {
    None
}

/// What a fetch whose content is not known says by its header: of a 2xx answer, of one that refers
/// to an older capture, and of one whose status cannot be read.
fn unread_page_of(answer: &Capture) -> Option<html::Page> {
    let may_be_page = matches!(answer.status, 0 | NOT_MODIFIED) || is_success(answer.status);
    may_be_page.then(|| html::Page { cut: true, ..html::Page::default() })
}

/// The maximum number of lines of a page's header that speak of uses. As many META tags count.
const MAX_HEADERS: usize = 1024;

/// The page in the form that the compiler takes.
fn compiler_page(capture: &Capture, page: html::Page) -> Page {
    let url = capture.url.split('#').next().unwrap_or_default().to_owned();
    let header = |(name, value): &(&str, Vec<u8>)| Header { name: (*name).to_owned(), value: value.clone() };
    let headers = capture.headers.iter().take(MAX_HEADERS).map(header).collect();
    let page = html::Page { cut: page.cut || capture.headers.len() > MAX_HEADERS, ..page };
    Page { headers, ..page.for_compiler(url, capture.target()) }
}
