//! Explains the answer for one page with embedded permissions, together with the robots.txt of its
//! site.
//!
//! The page passes through compiler, writer and runtime, and the trace is compared with the answer.
//! `meaning` describes tags and classes. `html` reads one (feature `pages`).

mod beside;
mod content;
mod explanation;
#[cfg(feature = "pages")]
mod html;
mod meaning;
mod preferences;

use crate::error::Error;
use crate::evidence::ImageAnswer;
use crate::image::{options_of, text_of};
use crate::query::Query;
use crate::single::{Fetch, Origin, PARTIAL, SingleSite, SiteFiles, unread};
use crate::stored::{StoredParts, join};
use crate::usages::check_usage;
use beside::SiteDocuments;
pub use content::{Element, MetaTag, Page};
pub use explanation::PageExplanation;
use explanation::PageRemarks;
use robomaton_compiler::{CompileContext, Options, Policy, compile_lowered, is_cut, lower_with};
use robomaton_formats::detail::Detail;
use robomaton_grammar::scan;
use robomaton_runtime::{Image, Outcome, Profile, Site, Terms};

/// The robots.txt of the page's site, as far as it is known, and what an image says of the
/// documents beside it.
pub struct SiteRobots<'i> {
    text: Vec<u8>,
    /// The fetch, unless it succeeded.
    fetch: Option<Fetch>,
    options: Options,
    /// The records that an image stores besides the text.
    detail: Option<Detail<'i>>,
}

impl<'i> SiteRobots<'i> {
    /// A text that was fetched successfully.
    pub fn from_text(text: Vec<u8>) -> SiteRobots<'i> {
        SiteRobots { text, fetch: None, options: Options::default(), detail: None }
    }

    /// An unknown robots.txt: what the page leaves open is unknown.
    pub fn unknown() -> SiteRobots<'i> {
        let fetch = Fetch { outcome: Outcome::Unresolved, status: 0, fetched_at: 0, fresh_for: None };
        SiteRobots { fetch: Some(fetch), ..SiteRobots::from_text(Vec::new()) }
    }

    /// The robots.txt of a site in an image; unknown if the image does not have the site.
    ///
    /// # Errors
    /// If the image has no texts.
    pub fn from_image(image: &'i Image, site: Option<&Site<'i>>) -> Result<SiteRobots<'i>, Error> {
        let options = options_of(image);
        let Some(site) = site else { return Ok(SiteRobots { options, ..SiteRobots::unknown() }) };
        let fetch = Fetch {
            outcome: site.outcome().unwrap_or(Outcome::Unresolved),
            status: site.status(),
            fetched_at: site.fetched_at().unwrap_or(0),
            fresh_for: Some(site.fresh_for()),
        };
        let text = text_of(site)?.unwrap_or_default();
        Ok(SiteRobots { text, fetch: Some(fetch), options, detail: site.detail() })
    }
}

/// A query about a page.
pub struct PageQuery<'a> {
    /// The page.
    pub page: &'a Page,
    /// The URL of the page.
    pub url: &'a str,
    /// The robots.txt of its site.
    pub robots: &'a SiteRobots<'a>,
    /// Files that the robots.txt may refer to. If there are any, they replace those that the image
    /// knows.
    pub files: &'a SiteFiles,
    /// The crawler and the usage.
    pub query: &'a Query,
    /// The meaning of outcomes other than rules.
    pub terms: &'a Terms,
}

impl PageQuery<'_> {
    /// Explains the answer.
    ///
    /// # Errors
    /// If the URL does not belong to a site, the usage is unknown, or trace and answer differ.
    pub fn explain(&self) -> Result<PageExplanation, Error> {
        let PageQuery { page, url, robots, files, query, terms } = *self;
        let options = &robots.options;
        let origin = Origin::of(url, Profile::Full)?;
        let files = files.spelled(&origin);
        let (slices, pages) = (files.slices(), [page.numbered(url, options.profile)]);
        let mut beside = robots.detail.as_ref().map(SiteDocuments::of).unwrap_or_default();
        let ai_txt = beside.ai_txt.take();
        let tree = scan(&robots.text, options.limits.bytes(options.profile));
        let is_partial = tree.unread.is_empty() && robots.detail.as_ref().is_some_and(is_cut);
        let context = CompileContext {
            pages: &pages,
            is_partial,
            tdmrep: beside.tdmrep.as_deref(),
            is_tdmrep_unread: beside.is_tdmrep_unread,
            is_ai_txt_unread: beside.is_ai_txt_unread,
            ..origin.context(&slices)
        };
        let lowered = lower_with(&tree, &context, options).map(|policy| {
            let mut policy = self.with_records(policy);
            policy.preferences.extend(ai_txt);
            policy
        });
        let document = compile_lowered(&tree, lowered.as_ref(), options);
        let single = SingleSite::of(document, &origin, robots.fetch, options)?.with_terms(terms.clone());
        check_usage(single.image(), &query.usage)?;
        let (crawler, usage) = query.resolve(single.image());
        let verdict = single.site()?.decide(&crawler, usage, url);
        let answer = ImageAnswer::new(query, url, verdict);
        let remarks = PageRemarks {
            over_limit: single.document.over_limit,
            unread_note: unread(single.document.unread, options)
                .or_else(|| is_partial.then(|| PARTIAL.to_owned())),
        };
        match lowered.ok().filter(|_| remarks.over_limit.is_none()) {
            Some(policy) => {
                answer.trace(&policy, |evidence| PageExplanation::new(&answer, page, Some(evidence), remarks))
            }
            None => Ok(PageExplanation::new(&answer, page, None, remarks)),
        }
    }

    /// Adds the records of referenced files that the image stores. The files themselves are only
    /// available if they are given.
    fn with_records<'s>(&self, policy: Policy<'s>) -> Policy<'s> {
        let detail = self.robots.detail.as_ref().filter(|_| self.files.0.is_empty());
        match detail.and_then(|detail| Some((detail, StoredParts::records_of(detail)?))) {
            Some((detail, records)) => join(policy, detail, &records),
            None => policy,
        }
    }
}
