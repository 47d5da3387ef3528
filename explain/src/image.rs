//! Explains an answer of an image: lowers the stored text again and traces the query through it.
//!
//! The trace evaluator gives the reasons; the image has the last word. Where an image stores more
//! than the text, [`crate::stored`] adds it.

use crate::error::Error;
use crate::evidence::ImageAnswer;
use crate::explanation::{Explanation, TextFacts};
use crate::query::{Query, decide};
use crate::single::{PARTIAL, too_much, unread};
use crate::stored::{self, StoredParts};
use crate::texts::Texts;
use crate::url::{similar_site, url_mistake};
use crate::usages::check_usage;
use robomaton_compiler::{CompileContext, Limits, Options, OverLimit, compile_with, is_cut, lower_with};
use robomaton_grammar::scan;
use robomaton_runtime::{Basis, Image, Outcome, Profile, Site};

/// The maximum size of a decompressed text in bytes.
const LONGEST_TEXT: usize = 64 << 20;

/// Explains the answer of an image for a URL. `document` is the document of the site that answers,
/// if it is not robots.txt.
///
/// # Errors
/// If the image has no texts, or image and text differ.
pub fn explain<D: AsRef<[u8]>>(
    image: &Image<D>,
    query: &Query,
    document: Option<&str>,
    url: &str,
) -> Result<Explanation, Error> {
    check_usage(image, &query.usage)?;
    let (crawler, usage) = query.resolve(image);
    let answer = ImageAnswer::new(query, url, decide(image, document, &crawler, usage, url));
    let verdict = &answer.verdict;
    let mut facts = TextFacts { document: document.map(str::to_owned), ..TextFacts::default() };
    // Nothing is known about the text in an image restricted to other crawlers.
    let Some(site) = verdict.site().filter(|_| verdict.basis() != Basis::Narrowed) else {
        facts.reason = absence(image, verdict.basis(), document, url);
        return Ok(Explanation::new(&answer, facts, None));
    };
    let options = options_of_document(image, document);
    facts.reason = over_limit(&site, &options).map(too_much);
    let detail = site.detail().unwrap_or_default();
    let text = text_of(&site)?;
    if text.is_none() && !stored::has_pages(&detail) {
        return Ok(Explanation::new(&answer, facts, None));
    }
    let text = text.unwrap_or_default();
    let tree = scan(&text, options.limits.bytes(options.profile));
    if !tree.unread.is_empty() {
        facts.unread = text.len() - tree.unread.start as usize;
        facts.unread_note = unread(facts.unread, &options);
    }
    let is_partial = tree.unread.is_empty() && is_cut(&detail);
    if is_partial {
        facts.unread_note = Some(PARTIAL.to_owned());
    }
    let authority = site.authority();
    let context = CompileContext { origin: Some(&authority), is_partial, ..CompileContext::default() };
    let stored = StoredParts::of(&detail);
    let policy = stored::join(lower_with(&tree, &context, &options)?, &detail, &stored);
    let texts = Texts::new(&tree);
    facts.note = stored.note();
    facts.missing = stored::missing(&detail);
    answer.trace(&policy, |evidence| Explanation::new(&answer, facts, Some((evidence, &texts))))
}

/// The reason why nothing answers, with a hint.
fn absence<D: AsRef<[u8]>>(
    image: &Image<D>,
    basis: Basis,
    document: Option<&str>,
    url: &str,
) -> Option<String> {
    match (basis, document) {
        (Basis::NoSite, Some(name)) => Some(format!("the image does not contain a {name} of the site")),
        (Basis::NoSite, None) => similar_site(image, url),
        (Basis::NoUrl, _) => url_mistake(url),
        _ => None,
    }
}

/// The options that an image was compiled with, as far as its provenance states them.
pub fn options_of<D: AsRef<[u8]>>(image: &Image<D>) -> Options {
    let meta = image.view().meta().unwrap_or_default();
    let profile = image.profile();
    let limits = Limits::from_named(&meta.limits, profile);
    Options { profile, limits, crawlers: meta.crawlers, ..Options::default() }
        .with_vocabulary(&meta.vocabulary)
}

/// The options that a document of an image was compiled with.
fn options_of_document<D: AsRef<[u8]>>(image: &Image<D>, document: Option<&str>) -> Options {
    let options = options_of(image);
    let profile = if document.is_some() { Profile::Koster } else { options.profile };
    Options { profile, ..options }
}

/// The limit that a stored text exceeds. The image stores only that there is one.
fn over_limit(site: &Site<'_>, options: &Options) -> Option<OverLimit> {
    let text = Some(site).filter(|site| site.outcome() == Some(Outcome::OverLimit))?.source(LONGEST_TEXT)?;
    let authority = site.authority();
    let context = CompileContext { origin: Some(&authority), ..CompileContext::default() };
    compile_with(&text, &context, options).over_limit
}

/// The text of a site, if it has rules.
///
/// # Errors
/// If the image has no texts.
pub(crate) fn text_of(site: &Site<'_>) -> Result<Option<Vec<u8>>, Error> {
    if site.outcome() != Some(Outcome::Rules) {
        return Ok(None);
    }
    site.source(LONGEST_TEXT).map(Some).ok_or(Error::NoTexts)
}
