//! What stays from one text to the next: programs that were built before.
//!
//! Sites copy their rules from one another, and one file has a group for each of many crawlers: of
//! 27,000 programs of 17,473 different texts, 10,600 differ. So a program is known by the hash of
//! its rules as they stand in the text, before they are sorted, and small ones stay here.
//! Invariants: what a document holds does not depend on the texts before it; memory is bounded by
//! [`KEPT`]. It does not know what a rule means.

use crate::automaton::{self, Prioritized};
use foldhash::{HashMap, HashMapExt};
use robomaton_formats::Notation;
use robomaton_formats::program::{Header, Silence, Weighing};
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::ops::Range;
use xxhash_rust::xxh3::xxh3_128_with_seed;

/// Bytes of programs that are kept for other texts. Then all are forgotten: those that many texts
/// have are soon back.
const KEPT: usize = 2 << 20;
/// A program of more bytes is not kept: few texts have it in common.
const LARGE: usize = 8 << 10;

/// Compiles many texts, one after the other, and builds a program that several have only once.
/// Gives the documents that [`compile`](crate::compile()) gives.
#[derive(Debug)]
pub struct ProgramCache {
    /// Of the hashes. Another one for each cache, so that nobody can write rules that are taken for
    /// others; documents do not depend on it.
    seed: u64,
    /// Programs of any text, as ranges of `code`, by the hash of their rules.
    known: HashMap<u128, CachedProgram>,
    code: Vec<u8>,
    /// Rules, key_buffer to be hashed.
    key_buffer: Vec<u8>,
}

/// A program that was built before.
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

/// The distinct programs of a document, as they are built: bytes end to end, and the range of each.
pub(super) struct ProgramTable<'d, 'w> {
    code: &'d mut Vec<u8>,
    ranges: &'d mut Vec<Range<usize>>,
    cache: &'w mut ProgramCache,
    notation: Notation,
    /// Whether to make them the plain way.
    plain: bool,
    /// The numbers of the programs, by the hash of their rules and by that of their bytes.
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

    /// The number of the program of these rules, which are left sorted; and the depth of it when it
    /// is new to the document, else 0. Of rules that are `joined` with those of another program
    /// each counts: what it adds is seen there.
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
        // Rules in another order, or that differ in what decides nothing, give the same bytes.
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

    /// A text of two groups that say the same in another order, of which many texts have one.
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
            // Packed programs, small ones of tries, and some that are too large to be kept.
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
