//! One question, told from the site to the rules that decide: of an image, and of a text.
//!
//! The naive evaluator of the compiler tells the story over the text; the image has the last word. Invariant: the two
//! agree, or there is an error in place of a story. Where an image keeps more than the text says, [`crate::stored`]
//! joins the two.

use crate::asker::{Asker, decide, options_of, unheard};
use crate::error::Error;
use crate::lines::Lines;
use crate::place::{held_otherwise, url_mistake};
use crate::single::{Beside, Origin, Single, too_much};
use crate::story::Story;
use crate::usages::check_usage;
use crate::{agree, stored};
use robomaton_compiler::trace::{Trace, trace};
use robomaton_compiler::{Limits, Options, OverLimit, Policy, Surroundings, compile_with, lower_with};
use robomaton_grammar::{Tree, scan};
use robomaton_runtime::{Basis, Image, Outcome, Profile, Site, Terms, Verdict};

/// Octets of a stored text that are unpacked at most.
const LONGEST_TEXT: usize = 1 << 30;

/// Explains what an image answers for a URL. `terms` are those that the image is asked on; `document` is the document of
/// the site that answers, where it is not robots.txt.
///
/// # Errors
/// When the image holds no texts, or image and text differ.
pub fn explain(
    image: &Image,
    terms: &Terms,
    asker: &Asker,
    document: Option<&str>,
    url: &str,
) -> Result<Story, Error> {
    check_usage(image, &asker.usage)?;
    let options = options_of_document(image, document);
    let (crawler, usage) = asker.resolve(image);
    let verdict = decide(image, document, &crawler, usage, url);
    let mut story = Story::new(asker, url, &verdict);
    if let Some(name) = document {
        story.document(name);
        if verdict.basis() == Basis::NoSite {
            story.because(format!("the image does not hold a {name} of the site"));
        }
    }
    let better = match verdict.basis() {
        Basis::NoUrl => url_mistake(url),
        Basis::NoSite if document.is_none() => held_otherwise(image, url),
        _ => None,
    };
    if let Some(better) = better {
        story.because(better);
    }
    // Of what the image was narrowed from, nothing is known.
    let held = verdict.site().filter(|_| verdict.basis() != Basis::Narrowed);
    let Some(site) = held else { return Ok(story) };
    if let Some(over) = over_limit(&site, &options) {
        story.because(too_much(over));
    }
    let detail = site.detail().unwrap_or_default();
    let text = text_of(&site)?;
    if text.is_none() && !stored::has_pages(&detail) {
        return Ok(story);
    }
    let text = text.unwrap_or_default();
    let tree = scan(&text, options.limits.bytes(options.profile));
    if !tree.unread.is_empty() {
        story.unread(text.len() - tree.unread.start as usize, &options);
    }
    let authority = site.authority();
    let around = Surroundings { origin: Some(&authority), ..Surroundings::default() };
    let policy = lower_with(&tree, &around, &options)?;
    let kept = stored::Kept::of(&detail);
    let policy = stored::join(policy, &detail, &kept);
    story.note(kept.told());
    let missing = stored::missing(&detail);
    let question = Traced { asker, terms, url, missing: &missing, verdict: &verdict };
    question.finish(&mut story, &policy, &site)?;
    Ok(story)
}

/// The options that a document of an image was compiled with.
fn options_of_document(image: &Image, document: Option<&str>) -> Options {
    let mut options = options_of(image);
    let profile = if document.is_some() { Profile::Koster } else { options.profile };
    if profile != options.profile {
        // Unless a limit was set, each dialect has its own.
        let default = Limits::default().bytes(options.profile);
        options.limits.bytes = options.limits.bytes.filter(|&bytes| bytes != default);
        options.profile = profile;
    }
    options
}

/// The limit that a stored text exceeds. The image keeps only that there is one.
fn over_limit(site: &Site<'_>, options: &Options) -> Option<OverLimit> {
    let text = Some(site).filter(|site| site.outcome() == Some(Outcome::OverLimit))?.source(LONGEST_TEXT)?;
    let authority = site.authority();
    let around = Surroundings { origin: Some(&authority), ..Surroundings::default() };
    compile_with(&text, &around, options).over_limit
}

/// The text of a site, if there are rules in it.
///
/// # Errors
/// When the image holds no texts.
pub fn text_of(site: &Site<'_>) -> Result<Option<Vec<u8>>, Error> {
    if site.outcome() != Some(Outcome::Rules) {
        return Ok(None);
    }
    site.source(LONGEST_TEXT).map(Some).ok_or(Error::NoTexts)
}

/// A question about a text that stands alone.
pub struct OfText<'a> {
    /// The text.
    pub text: &'a [u8],
    /// What it is read together with.
    pub beside: &'a Beside,
    /// How it is read.
    pub options: &'a Options,
    /// Who asks.
    pub asker: &'a Asker,
    /// What an outcome other than rules means.
    pub terms: &'a Terms,
    /// A URL, or its path and query alone.
    pub url: &'a str,
}

impl OfText<'_> {
    /// Explains the answer.
    ///
    /// # Errors
    /// When the URL is no place of a site, or image and text differ.
    pub fn explain(&self) -> Result<Story, Error> {
        self.read(|_, _| ()).map(|(story, ())| story)
    }

    /// The same, and what became of each line.
    ///
    /// # Errors
    /// The same.
    pub fn explain_lines(&self) -> Result<(Story, Lines), Error> {
        let origin = Origin::of(self.url, self.options.profile)?;
        self.read(|tree, traced| {
            let (origin, files) = (origin.authority(), self.beside.slices());
            let around = Surroundings { origin, files: &files, pages: &self.beside.pages };
            Lines::new(tree, &around, self, traced)
        })
    }

    /// `told` is handed the tree and, where there are rules, what was traced.
    fn read<T>(
        &self,
        told: impl FnOnce(&Tree<'_>, Option<(&Policy<'_>, &Trace)>) -> T,
    ) -> Result<(Story, T), Error> {
        let OfText { text, beside, options, asker, terms, url } = *self;
        let origin = Origin::of(url, options.profile)?;
        let single = Single::compile(text, &origin, beside, options)?.with_terms(terms.clone());
        check_usage(single.image(), &asker.usage)?;
        let site = single.site()?;
        let (crawler, usage) = asker.resolve(single.image());
        let verdict = site.decide(&crawler, usage, url);
        let mut story = Story::new(asker, url, &verdict);
        if origin.authority().is_none() {
            story.of_a_file();
        }
        story.unused(beside.unused(&single.document));
        story.unread(single.document.unread, options);
        story.over_limit(single.document.over_limit);
        if site.outcome() != Some(Outcome::Rules) {
            if let (Basis::Outcome(_), Some(reason)) = (verdict.basis(), single.reason()) {
                story.because(reason);
            }
            let tree = scan(text, options.limits.bytes(options.profile));
            return Ok((story, told(&tree, None)));
        }
        let lowered = Lowered { text, beside, origin: origin.authority(), options };
        let told = lowered.with_tree(|tree, policy| {
            let missing = origin.missing(policy, beside);
            let question = Traced { asker, terms, url, missing: &missing, verdict: &verdict };
            let traced = question.finish(&mut story, policy, &site)?;
            Ok::<T, Error>(told(tree, Some((policy, &traced))))
        })??;
        Ok((story, told))
    }
}

/// A text to be lowered with what is beside it.
pub struct Lowered<'a> {
    /// The text.
    pub text: &'a [u8],
    /// What it is read together with.
    pub beside: &'a Beside,
    /// The site's host and port, where they are known.
    pub origin: Option<&'a str>,
    /// How it is read.
    pub options: &'a Options,
}

impl Lowered<'_> {
    /// Hands the policy on.
    ///
    /// # Errors
    /// When the text is over a limit.
    pub fn with<T>(&self, read: impl FnOnce(&Policy<'_>) -> T) -> Result<T, Error> {
        self.with_tree(|_, policy| read(policy))
    }

    fn with_tree<T>(&self, read: impl FnOnce(&Tree<'_>, &Policy<'_>) -> T) -> Result<T, Error> {
        let tree = scan(self.text, self.options.limits.bytes(self.options.profile));
        let files = self.beside.slices();
        let around = Surroundings { origin: self.origin, files: &files, pages: &self.beside.pages };
        Ok(read(&tree, &lower_with(&tree, &around, self.options)?))
    }
}

/// A question, answered by the image and about to be traced.
struct Traced<'a> {
    asker: &'a Asker,
    terms: &'a Terms,
    url: &'a str,
    /// Files that are referred to and not at hand.
    missing: &'a [String],
    verdict: &'a Verdict<'a>,
}

impl Traced<'_> {
    /// Traces the question, tells the story, and holds it against the image.
    fn finish(&self, story: &mut Story, policy: &Policy<'_>, site: &Site<'_>) -> Result<Trace, Error> {
        let Traced { asker, terms, url, missing, verdict } = *self;
        let agents = asker.agents();
        let target = site.target(url);
        let asked = asker.asked(&agents, &target, unheard(site, terms));
        let traced = trace(policy, &asked);
        story.add(policy, &traced, &asked, missing, verdict);
        agree(policy, &traced, verdict)?;
        Ok(traced)
    }
}
