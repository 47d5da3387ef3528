//! First pass: tree → policy. Gives the text to each language of the profile, in their order.
//!
//! Lowering never fails on what a text says; what the grammar could not read has a diagnostic there
//! and is skipped here. It knows no key and no precedence: `language` has a file for each language.

use crate::Options;
use crate::context::CompileContext;
use crate::language::{self, Source};
use crate::limits::OverLimit;
use crate::lowering::Lowering;
use crate::policy::Policy;
use robomaton_grammar::Tree;

/// Lowers a tree under the options' profile. `origin` is the authority (`host[:port]`) the text was
/// fetched from.
///
/// # Errors
/// The limit that the text exceeds.
pub fn lower<'s>(tree: &Tree<'s>, origin: Option<&str>, options: &Options) -> Result<Policy<'s>, OverLimit> {
    lower_with(tree, &CompileContext { origin, ..CompileContext::default() }, options)
}

/// Lowers a tree together with its context. The policy borrows from all of it.
///
/// # Errors
/// The limit that the texts exceed.
pub fn lower_with<'s>(
    tree: &Tree<'s>,
    context: &CompileContext<'_, 's>,
    options: &Options,
) -> Result<Policy<'s>, OverLimit> {
    let languages = language::of(options.profile);
    let source = Source { tree, context, suspended: language::suspended(languages, tree) };
    let mut lowering = Lowering::new(tree, options);
    for language in languages {
        language.lower(&source, &mut lowering)?;
        lowering.close();
    }
    Ok(lowering.finish())
}
