//! Before the third pass: removes rules that change no verdict.
//!
//! `Disallow: /a/b` adds nothing to `Disallow: /a`, unless a permission with a priority between the
//! two may also match. Sites list such rules by the thousand. The deciding rule is looked up in the
//! cold records, which keep all rules.
//!
//! Invariants: for every target, the best matching rule has the same sense before and after, and
//! there is no match only if there was none before. No slower than sorting. This file does not know
//! how rules are ranked.

use super::Prioritized;
use robomaton_formats::program::{Priority, permits};

/// Removes from these [normalised](super::normalise) rules those that change no verdict.
///
/// A rule is removed if a shorter prefix that stays has the same sense and a lower priority, and no
/// rule of the other sense with a priority between the two may match the same target. Among
/// prefixes ranked by length, only a prefix between the two could be such a rule; then the nearest
/// prefix that stays has the other sense.
pub fn thin(rules: &mut Vec<Prioritized<'_>>) {
    // The remaining prefixes of the current rule, shortest first.
    let mut prefixes: Vec<Prioritized<'_>> = Vec::new();
    let mut rivals = Rivals::default();
    let mut stays = Vec::with_capacity(rules.len());
    for rule in &*rules {
        while prefixes.pop_if(|prefix| !rule.pattern.text.starts_with(prefix.pattern.text)).is_some() {}
        let is_prefix = is_prefix(rule);
        let adds = !prefixes.last().is_some_and(|nearest| {
            let same =
                permits(nearest.priority) == permits(rule.priority) && nearest.priority < rule.priority;
            same && is_plain(rule)
                && !any_within(rivals.of(rule, is_prefix, rules), nearest.priority, rule.priority)
        });
        if adds && is_prefix {
            prefixes.push(*rule);
        }
        stays.push(adds);
    }
    let mut stays = stays.into_iter();
    rules.retain(|_| stays.next().unwrap_or(true));
}

/// The priorities of rules that may stand between a rule and its prefix, ascending. Few sets have
/// candidates for removal in both senses, so they are collected when the first one needs them.
#[derive(Default)]
struct Rivals([[Option<Vec<Priority>>; 2]; 2]);

impl Rivals {
    /// The rivals of a rule among these: all of the other sense; for a prefix, only those that are
    /// not prefixes themselves.
    fn of(&mut self, rule: &Prioritized<'_>, is_prefix: bool, rules: &[Prioritized<'_>]) -> &[Priority] {
        let sense = permits(rule.priority);
        self.0[usize::from(sense)][usize::from(is_prefix)].get_or_insert_with(|| {
            let others = rules.iter().filter(|other| permits(other.priority) != sense);
            let unlike = others.filter(|other| !is_prefix || !self::is_prefix(other));
            let mut priorities: Vec<Priority> = unlike.map(|other| other.priority).collect();
            priorities.sort_unstable();
            priorities
        })
    }
}

/// True if a rule matches exactly the targets that begin with its text, and its rank is the text's
/// length.
fn is_prefix(rule: &Prioritized<'_>) -> bool {
    let text = rule.pattern.text;
    rule.priority as usize / 2 == text.len()
        && (rule.pattern.is_literal()
            || !rule.pattern.has_star() && {
                let parts = rule.pattern.parts();
                !parts.anchored && parts.prefix == text
            })
}

/// True if every target of a rule begins with the literal bytes at the start of its text: no
/// wildcard character is escaped.
fn is_plain(rule: &Prioritized<'_>) -> bool {
    let text = rule.pattern.text;
    rule.pattern.is_literal()
        || memchr::memchr(b'%', text).is_none()
        || text.starts_with(&rule.pattern.parts().prefix)
}

/// True if any of these sorted priorities is in `low..high`.
fn any_within(priorities: &[Priority], low: Priority, high: Priority) -> bool {
    priorities
        .get(priorities.partition_point(|&priority| priority < low))
        .is_some_and(|&priority| priority < high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::normalise;
    use robomaton_formats::{Notation, Pattern};

    fn rule(text: &str, rank: usize, sense: usize) -> Prioritized<'_> {
        let pattern = Pattern { text: text.as_bytes(), notation: Notation::Rep };
        Prioritized { pattern, priority: 2 * rank as Priority + sense as Priority }
    }

    fn left(rules: &str) -> String {
        let rule = |word: &'static str| {
            let (text, sense) = word.strip_prefix('+').map_or((word, 0), |text| (text, 1));
            rule(text, text.len(), sense)
        };
        let rules: &'static str = rules.to_owned().leak();
        let mut rules: Vec<_> = rules.split(' ').map(rule).collect();
        normalise(&mut rules);
        thin(&mut rules);
        let texts: Vec<_> = rules.iter().map(|rule| String::from_utf8_lossy(rule.pattern.text)).collect();
        texts.join(" ")
    }

    #[test]
    fn what_adds_nothing_goes() {
        assert_eq!(left("/a /a/b /a/*c /a/d$"), "/a");
        // A permission between the two, as a prefix or with a star.
        assert_eq!(left("/a +/a/b /a/b/c"), "/a /a/b /a/b/c");
        assert_eq!(left("/a +/*b /a/bc"), "/*b /a /a/bc");
        // A permission for other targets, or one that wins anyway.
        assert_eq!(left("/a +/b /a/bc"), "/a /b");
        assert_eq!(left("/a +/*bcdefg /a/bc"), "/*bcdefg /a");
        // A star may overlap any permission, and an escaped pattern is not a prefix of the targets
        // that begin with its spelling.
        assert_eq!(left("/a +/a/b /a/*c"), "/a /a/*c /a/b");
        assert_eq!(left("/a%2 /a%2Ab"), "/a%2 /a%2Ab");
    }

    /// Every choice of these patterns, each absent or in either sense, with several rankings.
    #[test]
    fn no_verdict_changes() {
        let texts = ["/", "/a", "/ab", "/a$", "/a*b", "/*b", "/a%2A", "/ab%2"];
        let ranks: [&dyn Fn(usize) -> usize; 3] =
            [&|at| texts[at].len(), &|at| texts.len() - at, &|at| at + 1];
        let mut targets = vec!["/".to_owned()];
        for length in 0..4 {
            let longer = targets.iter().filter(|target| target.len() == length + 1);
            let longer: Vec<_> =
                longer.flat_map(|target| ["a", "b", "*", "%2"].map(|end| format!("{target}{end}"))).collect();
            targets.extend(longer);
        }
        let mut gone = 0;
        for rank in ranks {
            for choice in 0..3usize.pow(texts.len() as u32) {
                let chosen = |at: usize| (choice / 3usize.pow(at as u32) % 3).checked_sub(1);
                let rules = (0..texts.len()).filter_map(|at| Some(rule(texts[at], rank(at), chosen(at)?)));
                let mut rules: Vec<_> = rules.collect();
                let best = |rules: &[Prioritized<'_>], target: &str| {
                    let matching = rules.iter().filter(|rule| rule.pattern.matches(target.as_bytes()));
                    matching.map(|rule| rule.priority).max().map(permits)
                };
                let before: Vec<_> = targets.iter().map(|target| best(&rules, target)).collect();
                let count = rules.len();
                normalise(&mut rules);
                thin(&mut rules);
                gone += count - rules.len();
                let after: Vec<_> = targets.iter().map(|target| best(&rules, target)).collect();
                assert_eq!(before, after, "{rules:?}");
            }
        }
        assert!(gone > 3_000, "{gone}");
    }
}
