//! The usages that a question may name.
//!
//! No rule is about an unknown usage, so its answer depends on silence alone, which may even be a
//! permission. A misspelt name would get that answer, too, and nobody would notice. So a name must
//! be in a vocabulary, or in the image. Every reader asks here before it resolves a name; SPEC.md
//! has the rule for readers in other languages. Nothing is decided here.

use super::{SHORT, labels};
use crate::usage::{USAGES, is_special};

/// The minimum similarity of a name and its misspelling.
const ALIKE: f64 = 0.8;

/// The number of differing letters up to which a special form of `present` counts as misspelt. With
/// more, it is a name of its own.
const SLIPS: usize = 2;

/// Names of more bytes are compared whole, but not letter by letter, which takes time by the
/// product of their lengths. No name of a vocabulary is as long.
const LONGEST: usize = 64;

/// A usage that neither a vocabulary nor the image has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{usage:?} is not a known usage{}; known usages are {}, the special forms of present \
     (present-snippet), and what the records of the image name",
    guess.as_ref().map(|guess| format!(" (did you mean {guess:?}?)")).unwrap_or_default(),
    names().filter(|name| !is_special(name)).collect::<Vec<_>>().join(", ")
)]
pub struct UnknownUsage {
    usage: String,
    guess: Option<String>,
}

/// Rejects a usage that neither a vocabulary nor the image has; `of_image` are the usages of the
/// image. Case does not matter.
///
/// ```
/// use robomaton_formats::vocabulary::check_usage;
///
/// assert!(check_usage("train-ai", []).is_ok());
/// assert!(check_usage("present-fridge", []).is_ok()); // a special form of its own
/// let unknown = check_usage("trian", []).expect_err("misspelt");
/// assert!(unknown.to_string().starts_with(r#""trian" is not a known usage (did you mean "train"?)"#));
/// ```
///
/// # Errors
/// If neither has it; the error suggests a name that may have been meant.
pub fn check_usage(usage: &str, of_image: impl IntoIterator<Item = String>) -> Result<(), UnknownUsage> {
    if names().any(|name| name.eq_ignore_ascii_case(usage)) {
        return Ok(());
    }
    let of_image: Vec<String> = of_image.into_iter().collect();
    if of_image.iter().any(|name| name.eq_ignore_ascii_case(usage)) {
        return Ok(());
    }
    let known = || {
        let all = names().chain(of_image.iter().map(String::as_str));
        all.filter(|name| name.len().max(usage.len()) <= LONGEST)
    };
    let lower = usage.to_ascii_lowercase();
    if is_special(usage) && known().all(|name| strsim::osa_distance(name, &lower) > SLIPS) {
        return Ok(());
    }
    let alike = known().map(|name| (strsim::jaro_winkler(name, &lower), name));
    let best = alike.filter(|(alike, _)| *alike >= ALIKE).max_by(|one, two| one.0.total_cmp(&two.0));
    Err(UnknownUsage { usage: usage.to_owned(), guess: best.map(|(_, name)| name.to_owned()) })
}

/// The standard usages, and what the vocabularies call them.
fn names<'a>() -> impl Iterator<Item = &'a str> {
    let short = SHORT.iter().map(|&(short, _)| short);
    let labels = labels().iter().filter(|label| label.level.is_none()).map(|label| label.name);
    let others = short.chain(labels).filter(|name| !USAGES.contains(name));
    USAGES.into_iter().chain(others.map(|name| -> &'a str { name }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_vocabularies_and_of_the_image_are_known() {
        let image = || ["zebra".to_owned(), "present-zebra".to_owned()];
        for usage in ["crawl", "AI-Train", "train", "Train-AI", "ai-use", "tdm", "Zebra", "present-zebra"] {
            assert_eq!(check_usage(usage, image()), Ok(()), "{usage}");
        }
        let said = |usage: &str| check_usage(usage, image()).map_err(|error| error.to_string());
        assert!(said("zebar").is_err_and(|error| error.contains("(did you mean \"zebra\"?)")));
        for usage in ["", "use", "q", "crawl ", "crwal", "present\u{e9}", "content-usage"] {
            assert!(said(usage).is_err(), "{usage:?}");
        }
    }

    #[test]
    fn special_forms_are_misspelt_by_up_to_two_letters() {
        let image = || ["present-zebra".to_owned()];
        for usage in ["present-snipet", "Present-Snipets", "present-", "present-zebar", "present-lin"] {
            assert!(check_usage(usage, image()).is_err(), "{usage}");
        }
        for usage in ["present-unheard-of", "present-snip", "present-zoo-zebra"] {
            assert!(check_usage(usage, image()).is_ok(), "{usage}");
        }
    }

    #[test]
    fn long_names_are_not_compared_by_letters() {
        let long = format!("present-{}", "x".repeat(1 << 20));
        assert_eq!(check_usage(&long, [format!("{long}y")]), Ok(()));
        assert!(check_usage(&long[1..], [long.clone()]).is_err());
    }
}
