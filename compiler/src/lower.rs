//! First pass: tree → policy. Passes the text to each language of the profile, in order.
//!
//! Lowering never fails because of a text's contents. Text that the grammar could not read has a
//! diagnostic there and is skipped here. This file knows neither keys nor precedence: `language`
//! has a file for each language.

use crate::Options;
use crate::context::CompileContext;
use crate::language::{self, Source};
use crate::limits::OverLimit;
use crate::lowering::Lowering;
use crate::lowering::preferences::documents;
use crate::policy::Policy;
use robomaton_grammar::Tree;

/// Lowers a tree under the options' profile. `origin` is the authority (`host[:port]`) from which
/// the text was fetched.
///
/// # Errors
/// The limit that the text exceeds.
pub fn lower<'s>(tree: &Tree<'s>, origin: Option<&str>, options: &Options) -> Result<Policy<'s>, OverLimit> {
    lower_with(tree, &CompileContext { origin, ..CompileContext::default() }, options)
}

/// Lowers a tree together with its context. The policy borrows from both.
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
    lowering.origin = context.origin.map(str::to_owned);
    lowering.scheme = context.scheme;
    lowering.licenses = documents(context);
    for language in languages {
        language.lower(&source, &mut lowering)?;
        lowering.close();
    }
    language::cut::state(&source, &mut lowering);
    language::extended::name_general_sets(&mut lowering.policy)?;
    language::acap::name_whole(&mut lowering.policy)?;
    Ok(lowering.finish())
}
