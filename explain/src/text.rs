//! Explains an answer of one text: scans, lowers and compiles it once, and traces the query.
//!
//! The text becomes an image of one site, so that the same code answers for files and images.

use crate::error::Error;
use crate::evidence::{Evidence, ImageAnswer};
use crate::explanation::{Explanation, TextFacts};
use crate::lines::Lines;
use crate::query::Query;
use crate::single::{Origin, SingleSite, SiteFiles, unread};
use crate::stored::take_preferences;
use crate::texts::Texts;
use crate::usages::check_usage;
use crate::uses::{Use, uses};
use robomaton_compiler::{CompileContext, Options, compile_lowered, lower_with};
use robomaton_grammar::{Tree, scan};
use robomaton_runtime::{Basis, Outcome, Terms};

/// A query about a single text.
pub struct TextQuery<'a> {
    /// The text.
    pub text: &'a [u8],
    /// Files that it may refer to.
    pub files: &'a SiteFiles,
    /// The options for reading it.
    pub options: &'a Options,
    /// The crawler and the usage.
    pub query: &'a Query,
    /// The meaning of outcomes other than rules.
    pub terms: &'a Terms,
    /// A URL, or only its path and query.
    pub url: &'a str,
}

/// A text in the course of being explained.
struct Reading<'a, 's> {
    tree: &'a Tree<'s>,
    context: &'a CompileContext<'a, 's>,
    /// `None` if there are no rules.
    evidence: Option<&'a Evidence<'a>>,
    explanation: &'a Explanation,
    single: &'a SingleSite,
}

impl TextQuery<'_> {
    /// Explains the answer.
    ///
    /// # Errors
    /// If the URL does not belong to a site, or image and text differ.
    pub fn explain(&self) -> Result<Explanation, Error> {
        self.read(&self.origin()?, |_| Ok(())).map(|(explanation, ())| explanation)
    }

    /// Explains the answer of a text of this site, to which every URL is taken to belong.
    ///
    /// # Errors
    /// As [`TextQuery::explain`].
    pub fn explain_on(&self, origin: &Origin) -> Result<Explanation, Error> {
        self.origin()?;
        self.read(origin, |_| Ok(())).map(|(explanation, ())| explanation)
    }

    /// Explains the answer, the fate of each line, and the uses of the URL at a glance.
    ///
    /// # Errors
    /// As [`TextQuery::explain`].
    pub fn explain_lines(&self) -> Result<(Explanation, Lines, Vec<Use>), Error> {
        let (explanation, (lines, uses)) = self.read(&self.origin()?, |reading| {
            let Reading { tree, context, evidence, explanation, single } = reading;
            let statements = explanation.statements();
            let lines = Lines::new(tree, context, self.options, self.query, evidence, statements);
            Ok((lines, uses(single, self.query, self.url)?))
        })?;
        Ok((explanation, lines, uses))
    }

    /// The site of the URL.
    fn origin(&self) -> Result<Origin, Error> {
        Origin::of(self.url, self.options.profile)
    }

    /// Explains the answer, and passes what it was made from to `read`.
    fn read<T>(
        &self,
        origin: &Origin,
        read: impl FnOnce(Reading<'_, '_>) -> Result<T, Error>,
    ) -> Result<(Explanation, T), Error> {
        let TextQuery { text, files, options, query, terms, url } = *self;
        let spelled = files.spelled(origin);
        let slices = spelled.slices();
        let context = origin.context(&slices);
        let tree = scan(text, options.limits.bytes(options.profile));
        let lowered = lower_with(&tree, &context, options);
        let document = compile_lowered(&tree, lowered.as_ref(), options);
        let single = SingleSite::of(document, origin, None, options)?.with_terms(terms.clone());
        check_usage(single.image(), &query.usage)?;
        let site = single.site()?;
        let (crawler, usage) = query.resolve(single.image());
        let answer = ImageAnswer::new(query, url, site.decide(&crawler, usage, url));
        let document = &single.document;
        let mut facts = TextFacts {
            is_path: origin.authority().is_none(),
            unread: document.unread,
            unread_note: unread(document.unread, options),
            unused_files: files.unused(&document.references, origin).map(str::to_owned).collect(),
            ..TextFacts::default()
        };
        let finish = |explanation: Explanation, evidence: Option<&Evidence<'_>>| {
            let reading = Reading {
                tree: &tree,
                context: &context,
                evidence,
                explanation: &explanation,
                single: &single,
            };
            let read = read(reading)?;
            Ok((explanation, read))
        };
        let Some(mut policy) = lowered.ok().filter(|_| site.outcome() == Some(Outcome::Rules)) else {
            let is_outcome = matches!(answer.verdict.basis(), Basis::Outcome(_));
            facts.reason = single.reason().filter(|_| is_outcome);
            return finish(Explanation::new(&answer, facts, None), None);
        };
        if !policy.preferences.is_empty() {
            site.detail().iter().for_each(|detail| take_preferences(&mut policy, detail));
        }
        facts.missing = origin.missing(&policy, &spelled);
        let limit = options.limits.bytes(options.profile);
        let texts = Texts::new(&tree).with_files(&policy, &slices, origin.authority(), limit);
        answer.trace(&policy, |evidence| {
            finish(Explanation::new(&answer, facts, Some((evidence, &texts))), Some(evidence))
        })?
    }
}
