//! The usages that a query may name: the rule of `formats::vocabulary`, for an open image.

use robomaton_formats::vocabulary;
use robomaton_runtime::Image;

pub use robomaton_formats::vocabulary::UnknownUsage;

/// Rejects a usage that neither a vocabulary nor the image has.
///
/// # Errors
/// If neither has it; the error suggests a name that may have been meant.
pub fn check_usage<D: AsRef<[u8]>>(image: &Image<D>, usage: &str) -> Result<(), UnknownUsage> {
    // A question does not copy the names of the image: a hostile one may have tens of thousands.
    match image.find_usage(usage) {
        Some(_) => Ok(()),
        None => vocabulary::check_usage(usage, image.usages()),
    }
}
