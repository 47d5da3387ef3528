//! The usages that a query may name.
//!
//! No rule is about an unknown usage, so its answer is `unknown`. A misspelt name would get that
//! answer, too, and nobody would notice. So a name must be in a vocabulary, or in the image.
//! Nothing else is decided here.

use robomaton_formats::policy::{USAGES, is_special};
use robomaton_formats::vocabulary::{SHORT, labels};
use robomaton_runtime::Image;

/// The minimum similarity of a name and its misspelling.
const ALIKE: f64 = 0.8;

/// The number of differing letters up to which a special form of `present` counts as misspelt. With
/// more, it is a name of its own.
const SLIPS: usize = 2;

/// A usage that neither a vocabulary nor the image has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{usage:?} is not a known usage{}; known usages are {}, the special forms of present \
     (present-snippet), and what the records of the image name",
    guess.as_ref().map(|guess| format!(" (did you mean {guess:?}?)")).unwrap_or_default(),
    known().filter(|name| !is_special(name)).collect::<Vec<_>>().join(", ")
)]
pub struct UnknownUsage {
    usage: String,
    guess: Option<String>,
}

/// Rejects a usage that neither a vocabulary nor the image has.
///
/// # Errors
/// If neither has it; the error suggests a name that may have been meant.
pub fn check_usage<D: AsRef<[u8]>>(image: &Image<D>, usage: &str) -> Result<(), UnknownUsage> {
    if known().any(|name| name.eq_ignore_ascii_case(usage)) || image.find_usage(usage).is_some() {
        return Ok(());
    }
    let of_image: Vec<String> = image.usages().collect();
    let names = || known().chain(of_image.iter().map(String::as_str));
    let lower = usage.to_ascii_lowercase();
    let slips = |name: &str| strsim::osa_distance(name, &lower);
    if is_special(usage) && names().all(|name| slips(name) > SLIPS) {
        return Ok(());
    }
    let alike = names().map(|name| (strsim::jaro_winkler(name, &lower), name));
    let best = alike.filter(|(alike, _)| *alike >= ALIKE).max_by(|one, two| one.0.total_cmp(&two.0));
    Err(UnknownUsage { usage: usage.to_owned(), guess: best.map(|(_, name)| name.to_owned()) })
}

/// The standard usages, those of all record languages, and the labels of the modern ones.
fn known<'a>() -> impl Iterator<Item = &'a str> {
    let short = SHORT.iter().map(|&(short, _)| short);
    let labels = labels().iter().filter(|label| label.level.is_none()).map(|label| label.name);
    let is_other = |usage: &&str| !USAGES.contains(usage);
    let of_languages = robomaton_compiler::usages()
        .chain(short)
        .chain(labels)
        .filter(is_other)
        .map(|usage| -> &'a str { usage });
    USAGES.into_iter().chain(of_languages)
}
