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
    /// Of the document under construction: the number of the program of some rules, and that of
    /// their rules with stars if these have one of their own, by the hash of the rules.
    of_rules: HashMap<u128, (usize, Option<usize>)>,
    /// Of the same document: the numbers of the programs, by the hash of their bytes.
    of_code: HashMap<u128, usize>,
}

/// The result of building some rules: their program, possibly behind one of the rules with stars.
#[derive(Clone, Debug)]
struct CachedProgram {
    code: Range<usize>,
    built: Built,
}

/// The programs of some rules at the end of a document's code.
#[derive(Clone, Copy, Debug)]
struct Built {
    /// The bytes of the program of the rules with stars, which come first; 0 without one.
    stars: usize,
    /// The depth of the program of the other rules; that of the rules with stars is packed.
    depth: usize,
}

impl Default for ProgramCache {
    fn default() -> ProgramCache {
        ProgramCache {
            seed: RandomState::new().build_hasher().finish(),
            known: HashMap::new(),
            code: Vec::new(),
            key_buffer: Vec::new(),
            of_rules: HashMap::new(),
            of_code: HashMap::new(),
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
}

impl<'d, 'w> ProgramTable<'d, 'w> {
    pub(super) fn new(
        code: &'d mut Vec<u8>,
        ranges: &'d mut Vec<Range<usize>>,
        cache: &'w mut ProgramCache,
        notation: Notation,
        plain: bool,
    ) -> ProgramTable<'d, 'w> {
        clear(&mut cache.of_rules);
        clear(&mut cache.of_code);
        ProgramTable { code, ranges, cache, notation, plain }
    }

    /// The numbers and depths of the programs of these rules, which answer together: a large set is
    /// split if its parts answer faster. Like [`add`](Self::add) otherwise.
    pub(super) fn add_split(
        &mut self,
        rules: &mut Vec<Prioritized<'_>>,
        joined: bool,
        silence: Silence,
    ) -> impl Iterator<Item = (usize, usize)> + use<> {
        let splits = rules.len() > MAX_PACKED && !self.plain;
        let (program, depth, stars) = self.programs(rules, joined, splits, Weighing::Ranked(silence));
        [(program, depth)].into_iter().chain(stars.map(|stars| (stars, 0)))
    }

    /// Returns the number of the program of these rules, and its depth if it is new to the
    /// document, else 0. The rules may be left sorted. If they are `joined` with those of another
    /// program, all are kept, since a rule may matter only in combination.
    pub(super) fn add(
        &mut self,
        rules: &mut Vec<Prioritized<'_>>,
        joined: bool,
        silence: Silence,
    ) -> (usize, usize) {
        let (program, depth, _) = self.programs(rules, joined, false, Weighing::Ranked(silence));
        (program, depth)
    }

    /// The number and depth of the program of these rules, and the number of the program of those
    /// with stars, if the set is to be split and can be.
    fn programs(
        &mut self,
        rules: &mut Vec<Prioritized<'_>>,
        joined: bool,
        splits: bool,
        weighing: Weighing,
    ) -> (usize, usize, Option<usize>) {
        let of_rules = self.cache.key(
            rules,
            [
                Header::front(self.notation, weighing, false),
                u8::from(self.plain),
                u8::from(joined),
                u8::from(splits),
            ],
        );
        if let Some(&(program, stars)) = self.cache.of_rules.get(&of_rules) {
            return (program, 0, stars);
        }
        let start = self.code.len();
        let known = self.cache.append(of_rules, self.code);
        let Built { stars, depth } = known.unwrap_or_else(|| {
            let built = self.build(rules, joined, splits, weighing);
            self.cache.keep(of_rules, &self.code[start..], built);
            built
        });
        let length = self.code.len() - start - stars;
        let stars = (stars > 0).then(|| self.number(start..start + stars));
        let program = self.number(self.code.len() - length..self.code.len());
        self.cache.of_rules.insert(of_rules, (program, stars));
        (program, depth, stars)
    }

    /// Appends the programs of these rules.
    fn build(
        &mut self,
        rules: &mut Vec<Prioritized<'_>>,
        joined: bool,
        splits: bool,
        weighing: Weighing,
    ) -> Built {
        automaton::normalise(rules);
        if self.plain {
            return Built {
                stars: 0,
                depth: automaton::build_tries(rules, self.notation, weighing, self.code),
            };
        }
        let start = self.code.len();
        if !joined {
            automaton::thin(rules);
        }
        let is_split = splits && automaton::split_off_stars(rules, self.notation, weighing, self.code);
        if splits && !is_split && !joined {
            // In a large set, a rule that was left out may have been the only rival of another one.
            automaton::thin(rules);
        }
        let stars = self.code.len() - start;
        Built { stars, depth: automaton::build(rules, self.notation, weighing, self.code) }
    }

    /// The number of a program in the code. Rules in another order, or with differences that decide
    /// nothing, give the same bytes: then the program is removed again.
    fn number(&mut self, program: Range<usize>) -> usize {
        let of_code = xxh3_128_with_seed(&self.code[program.clone()], self.cache.seed.wrapping_add(1));
        match self.cache.of_code.entry(of_code) {
            Entry::Occupied(number) => {
                self.code.drain(program);
                *number.get()
            }
            Entry::Vacant(number) => {
                self.ranges.push(program);
                *number.insert(self.ranges.len() - 1)
            }
        }
    }
}

/// Removes everything from a map of a document. One that had many programs leaves a large map,
/// which would take long to clear for each of the next documents.
fn clear<T>(map: &mut HashMap<u128, T>) {
    if map.capacity() > 256 {
        *map = HashMap::new();
    } else {
        map.clear();
    }
}

impl ProgramCache {
    /// The hash of rules, and of what else decides about their programs.
    fn key(&mut self, rules: &[Prioritized<'_>], front: [u8; 4]) -> u128 {
        let ProgramCache { seed, key_buffer, .. } = self;
        key_buffer.clear();
        key_buffer.extend(front);
        for rule in rules {
            let [a, b, c, d] = rule.priority.to_le_bytes();
            let [e, f, g, h] = (rule.pattern.text.len() as u32).to_le_bytes();
            key_buffer.extend_from_slice(&[a, b, c, d, e, f, g, h]);
            key_buffer.extend_from_slice(rule.pattern.text);
        }
        xxh3_128_with_seed(key_buffer, *seed)
    }

    /// Appends what was built of the rules with this hash to `out`, if it is known.
    fn append(&self, of_rules: u128, out: &mut Vec<u8>) -> Option<Built> {
        let CachedProgram { code, built } = self.known.get(&of_rules)?;
        out.extend_from_slice(&self.code[code.clone()]);
        Some(*built)
    }

    /// Keeps what was built of the rules with this hash.
    fn keep(&mut self, of_rules: u128, code: &[u8], built: Built) {
        if code.len() > LARGE {
            return;
        }
        if self.code.len() + code.len() > KEPT {
            self.known.clear();
            self.code.clear();
        }
        let start = self.code.len();
        self.code.extend_from_slice(code);
        self.known.insert(of_rules, CachedProgram { code: start..self.code.len(), built });
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
