//! The program cache: programs built for earlier texts.
//!
//! Sites copy rules from one another, and one file has a group for each of many crawlers: among
//! 27,000 programs of 17,473 distinct texts, only 10,600 are distinct. So small programs are cached
//! by the hash of their rules in text order. Invariants: the contents of a document do not depend
//! on earlier texts; memory is bounded by [`KEPT`]. This file does not know the meaning of a rule.

use crate::automaton::{self, Prioritized};
use foldhash::{HashMap, HashMapExt};
use robomaton_formats::Notation;
use robomaton_formats::program::packed::MAX_PACKED;
use robomaton_formats::program::{Header, Silence, Weighing};
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::ops::Range;
use xxhash_rust::xxh3::xxh3_128_with_seed;

/// The size of the cache in bytes. When it is full, it is cleared; common programs soon return.
const KEPT: usize = 2 << 20;
/// A program of more bytes is not cached, since few texts share it.
const LARGE: usize = 8 << 10;

/// A cache for compiling a series of texts, so that a common program is built only once. The
/// documents are the same as those of [`compile`](crate::compile()).
#[derive(Debug)]
pub struct ProgramCache {
    /// The seed of the hashes. It is random for each cache, so that no rules can be crafted to
    /// collide with others; documents do not depend on it.
    seed: u64,
    /// Programs of any text, as ranges of `code`, by the hash of their rules.
    known: HashMap<u128, CachedProgram>,
    code: Vec<u8>,
    /// A buffer for the rules to be hashed.
    key_buffer: Vec<u8>,
}

/// A cached program.
#[derive(Clone, Debug)]
struct CachedProgram {
    code: Range<usize>,
    depth: usize,
}

impl Default for ProgramCache {
    fn default() -> ProgramCache {
        ProgramCache {
            seed: RandomState::new().build_hasher().finish(),
            known: HashMap::new(),
            code: Vec::new(),
            key_buffer: Vec::new(),
        }
    }
}

/// The distinct programs of a document under construction: their bytes, one after the other, and
/// the range of each.
pub(super) struct ProgramTable<'d, 'w> {
    code: &'d mut Vec<u8>,
    ranges: &'d mut Vec<Range<usize>>,
    cache: &'w mut ProgramCache,
    notation: Notation,
    /// Build plain programs.
    plain: bool,
    /// The numbers of the programs, by the hash of their rules and by the hash of their bytes.
    numbers: HashMap<u128, usize>,
}

impl<'d, 'w> ProgramTable<'d, 'w> {
    pub(super) fn new(
        code: &'d mut Vec<u8>,
        ranges: &'d mut Vec<Range<usize>>,
        cache: &'w mut ProgramCache,
        notation: Notation,
        plain: bool,
    ) -> ProgramTable<'d, 'w> {
        ProgramTable { code, ranges, cache, notation, plain, numbers: HashMap::new() }
    }

    /// The numbers and depths of the programs of these rules, which answer together: a large set is
    /// split if its parts answer faster. Like [`add`](Self::add) otherwise.
    pub(super) fn add_split(
        &mut self,
        rules: &mut Vec<Prioritized<'_>>,
        joined: bool,
        silence: Silence,
    ) -> impl Iterator<Item = (usize, usize)> {
        let mut stars = None;
        if rules.len() > MAX_PACKED && !self.plain {
            automaton::normalise(rules);
            if !joined {
                automaton::thin(rules);
            }
            stars = automaton::split_off_stars(rules, self.notation, Weighing::Ranked(silence));
        }
        let joined = joined || stars.is_some();
        let of_stars = stars.map(|mut stars| self.add(&mut stars, joined, silence));
        [self.add(rules, joined, silence)].into_iter().chain(of_stars)
    }

    /// Returns the number of the program of these rules, and its depth if it is new to the
    /// document, else 0. The rules are left sorted. If they are `joined` with those of another
    /// program, all are kept, since a rule may matter only in combination.
    pub(super) fn add(
        &mut self,
        rules: &mut Vec<Prioritized<'_>>,
        joined: bool,
        silence: Silence,
    ) -> (usize, usize) {
        let weighing = Weighing::Ranked(silence);
        let ProgramCache { seed, known, code, key_buffer } = &mut *self.cache;
        key_buffer.clear();
        key_buffer.extend([
            Header::front(self.notation, weighing, false),
            u8::from(self.plain),
            u8::from(joined),
        ]);
        for rule in &*rules {
            key_buffer.extend(rule.priority.to_le_bytes());
            key_buffer.extend((rule.pattern.text.len() as u32).to_le_bytes());
            key_buffer.extend(rule.pattern.text);
        }
        let of_rules = xxh3_128_with_seed(key_buffer, *seed);
        if let Some(&number) = self.numbers.get(&of_rules) {
            return (number, 0);
        }
        let start = self.code.len();
        let depth = match known.get(&of_rules) {
            Some(kept) => {
                self.code.extend_from_slice(&code[kept.code.clone()]);
                kept.depth
            }
            None => {
                automaton::normalise(rules);
                let depth = if self.plain {
                    automaton::build_tries(rules, self.notation, weighing, self.code)
                } else {
                    if !joined {
                        automaton::thin(rules);
                    }
                    automaton::build(rules, self.notation, weighing, self.code)
                };
                let built = &self.code[start..];
                if built.len() <= LARGE {
                    if code.len() + built.len() > KEPT {
                        known.clear();
                        code.clear();
                    }
                    known.insert(
                        of_rules,
                        CachedProgram { code: code.len()..code.len() + built.len(), depth },
                    );
                    code.extend_from_slice(built);
                }
                depth
            }
        };
        // Rules in another order, or with differences that decide nothing, give the same bytes.
        let of_code = xxh3_128_with_seed(&self.code[start..], seed.wrapping_add(1));
        let number = match self.numbers.entry(of_code) {
            Entry::Occupied(number) => {
                self.code.truncate(start);
                *number.get()
            }
            Entry::Vacant(number) => {
                self.ranges.push(start..self.code.len());
                *number.insert(self.ranges.len() - 1)
            }
        };
        self.numbers.insert(of_rules, number);
        (number, depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CompileContext, Document, Options, compile, compile_cached};
    use robomaton_formats::Profile;

    /// A text of two groups with the same rules in different order, one of which many texts share.
    fn text(number: usize, rules: usize) -> String {
        let rules: Vec<String> =
            (0..rules).map(|rule| format!("Disallow: /{}/{rule}*a\n", number % 600)).collect();
        let backward: String = rules.iter().rev().map(String::as_str).collect();
        format!("User-agent: a\n{}User-agent: *\n{backward}# {number}\n", rules.concat())
    }

    #[test]
    fn documents_do_not_depend_on_those_before() {
        let of = |profile, plain_programs| Options { profile, plain_programs, ..Options::default() };
        let options = [
            of(Profile::Full, false),
            of(Profile::Full, true),
            of(Profile::Google, false),
            of(Profile::Koster, false),
        ];
        let mut cache = ProgramCache::default();
        let mut forgot = 0;
        for number in 0..1_200 {
            // Packed programs, small tries, and some that are too large for the cache.
            let text = text(number, [5, 70, 200, 600][number / 3 % 4]);
            let before = cache.code.len();
            for options in &options {
                let alone: Document = compile(text.as_bytes(), None, options);
                assert_eq!(
                    compile_cached(text.as_bytes(), &CompileContext::default(), options, &mut cache),
                    alone
                );
                assert_eq!(alone.programs.len(), if options.profile == Profile::Koster { 2 } else { 1 });
            }
            forgot += usize::from(cache.code.len() < before);
            assert!(cache.code.len() <= KEPT);
        }
        assert!(forgot > 0 && !cache.known.is_empty());
    }
}
