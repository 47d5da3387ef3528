//! One text → its document: the list of passes.
//!
//! Every pass is a pure function, so a document depends only on the text, its context and the
//! options. A [`ProgramCache`] saves building programs of earlier texts again. This file does not
//! know how the passes work.

use crate::context::CompileContext;
use crate::details;
use crate::document::{Contents, Document, Text};
use crate::lower::lower_with;
use crate::policy::Policy;
use crate::programs::{self, ProgramCache};
use crate::{Looks, Options, OverLimit, precedence, sniff};
use robomaton_formats::Outcome;
use robomaton_grammar::Tree;

/// Compiles one text fetched from `origin` (`host[:port]`, for patterns that are absolute URLs).
///
/// ```
/// use robomaton_compiler::{Options, compile};
/// use robomaton_formats::Outcome;
///
/// let compile = |text: &[u8]| compile(text, Some("example.com"), &Options::default());
/// assert_eq!(compile(b"User-agent: *\nDisallow: /private/\n").outcome, Outcome::Rules);
/// assert_eq!(compile(b"# nothing yet\n").outcome, Outcome::Empty);
/// ```
pub fn compile(text: &[u8], origin: Option<&str>, options: &Options) -> Document {
    compile_with(text, &CompileContext { origin, ..CompileContext::default() }, options)
}

/// Compiles one text together with the files that it may refer to and the pages of its site.
pub fn compile_with(text: &[u8], context: &CompileContext<'_, '_>, options: &Options) -> Document {
    compile_cached(text, context, options, &mut ProgramCache::default())
}

/// Like [`compile_with`], for a series of texts: programs of earlier texts are not built again.
pub fn compile_cached(
    text: &[u8],
    context: &CompileContext<'_, '_>,
    options: &Options,
    cache: &mut ProgramCache,
) -> Document {
    let tree = robomaton_grammar::scan(text, options.limits.bytes(options.profile));
    let policy = lower_with(&tree, context, options);
    document(&tree, policy.as_ref(), options, cache)
}

/// Compiles one text as the body of a capture: a page or an image instead of a robots.txt has
/// another outcome than an empty text (R16).
pub fn compile_fetched(text: &[u8], context: &CompileContext<'_, '_>, options: &Options) -> Document {
    as_fetched(compile_with(text, context, options), text)
}

/// Like [`compile_fetched`], for a text that the caller has scanned and lowered: the policy, or the
/// limit that it exceeds.
pub fn compile_lowered(
    tree: &Tree<'_>,
    policy: Result<&Policy<'_>, &OverLimit>,
    options: &Options,
) -> Document {
    as_fetched(document(tree, policy, options, &mut ProgramCache::default()), tree.source)
}

fn as_fetched(mut document: Document, text: &[u8]) -> Document {
    if document.outcome == Outcome::Empty && sniff(text, None) != Looks::Text {
        document.outcome = Outcome::NotRobots;
    }
    document
}

/// The passes after lowering.
fn document(
    tree: &Tree<'_>,
    policy: Result<&Policy<'_>, &OverLimit>,
    options: &Options,
    cache: &mut ProgramCache,
) -> Document {
    let contents = policy.map_err(|over| *over).and_then(|policy| contents(policy, options, cache));
    Document::new(options.profile, Text::new(tree, options), contents)
}

/// Compiles a policy that was not made from a single text. The document holds no text.
pub fn compile_policy(policy: &Policy<'_>, options: &Options) -> Document {
    let contents = contents(policy, options, &mut ProgramCache::default());
    Document::new(policy.profile, Text::default(), contents)
}

/// Policy → priorities → programs → details.
fn contents(policy: &Policy<'_>, options: &Options, cache: &mut ProgramCache) -> Result<Contents, OverLimit> {
    let priorities = precedence::priorities(policy);
    let mut programs = if policy.is_scoped() {
        programs::scoped(policy, &priorities, &options.limits)?
    } else {
        programs::ranked(policy, priorities, options, cache)?
    };
    let preferences = programs.add_preferences(policy, options, cache)?;
    let detail = details::encode(policy, &programs.priorities, &preferences);
    Ok(Contents::new(policy, programs, detail))
}
