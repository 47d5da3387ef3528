//! The passes over the questions that valgrind watches, one after the other.
//!
//! Invariant: every pass is one call of [`counted_pass`], in the order of [`WAYS`] and [`KINDS`],
//! and [`pass_ends`] follows it. The instructions of the loop over the questions are counted, too;
//! the first way is the loop alone.

use robomaton_benches::{Asked, Asker, Class, Queries};
use robomaton_runtime::Image;
use std::hint::black_box;
use std::path::Path;

/// The first argument of the watched process, before the files with image and questions.
pub(crate) const STAGE: &str = "--ask";

/// The names of the functions between whose beginnings callgrind counts.
pub(crate) const BETWEEN: [&str; 2] = ["*::counted_pass*", "*::pass_ends*"];

/// The ways of asking.
pub(crate) const WAYS: [&str; 4] =
    ["the loop, nothing decided", "site and crawler held", "whole URL", "batch"];

/// The kinds of rule sets; each set is of one kind.
pub(crate) const KINDS: [Kind; 7] = [
    Kind { name: "none", starred: false, least: 0, most: 0 },
    Kind { name: "1 to 5, no stars", starred: false, least: 1, most: 5 },
    Kind { name: "6 to 16, no stars", starred: false, least: 6, most: 16 },
    Kind { name: "17 to 64, no stars", starred: false, least: 17, most: 64 },
    Kind { name: "more than 64, no stars", starred: false, least: 65, most: usize::MAX },
    Kind { name: "up to 64 with stars", starred: true, least: 1, most: 64 },
    Kind { name: "more than 64 with stars", starred: true, least: 65, most: usize::MAX },
];

/// A kind of rule sets.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    /// True if a rule has a star before its end.
    starred: bool,
    least: usize,
    most: usize,
}

impl Kind {
    fn has(&self, class: Class, rules: usize) -> bool {
        let starred = matches!(class, Class::OneStar | Class::MultiStar);
        self.starred == starred && (self.least..=self.most).contains(&rules)
    }
}

/// Asks the questions in a file about the image in another, and prints the number of questions of
/// each pass.
pub(crate) fn stage(image: &Path, questions: &Path) -> Result<(), String> {
    let read = |path: &Path| std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
    let image = Image::from_bytes(read(image)?).map_err(|error| error.to_string())?;
    let queries: Queries = serde_json::from_slice(&read(questions)?).map_err(|error| error.to_string())?;
    let ours = Asker::new(&image, &queries)?;
    let all = ours.asked(&queries);
    count(&all, |asked| {
        black_box(asked);
        false
    });
    count(&all, |asked| asked.resolved());
    count(&all, |asked| asked.full_url(&image));
    counted_pass(&|| ours.batch(&all));
    pass_ends(all.len());
    for kind in &KINDS {
        let of_kind = queries.only(|seat| kind.has(queries.seats[seat].class, queries.seats[seat].rules));
        count(&ours.asked(&of_kind), |asked| asked.resolved());
    }
    Ok(())
}

/// A pass over questions, one at a time.
fn count(asked: &[Asked<'_>], allows: impl Fn(&Asked<'_>) -> bool) {
    counted_pass(&|| asked.iter().filter(|asked| allows(asked)).count());
    pass_ends(asked.len());
}

/// One pass; callgrind knows it by its name.
#[inline(never)]
pub(crate) fn counted_pass(pass: &dyn Fn() -> usize) {
    black_box(pass());
}

/// Tells the number of questions of the pass before; callgrind knows it by its name.
#[inline(never)]
pub(crate) fn pass_ends(questions: usize) {
    println!("{questions}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_set_is_of_one_kind() {
        let has = |class, rules| KINDS.iter().filter(|kind| kind.has(class, rules)).count();
        assert_eq!(has(Class::NoRules, 0), 1);
        for rules in 1..200 {
            for class in [Class::Literals, Class::OneStar, Class::MultiStar] {
                assert_eq!(has(class, rules), 1);
            }
        }
    }
}
