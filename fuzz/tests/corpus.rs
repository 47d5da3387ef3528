//! The kept inputs through every target, and mutations of them. libFuzzer goes on from here.

use robomaton_fuzz::TARGETS;
use robomaton_tests::setting;
use std::fs;
use std::path::Path;

/// Makes mutations: the same ones in every run, unless `ROBOMATON_SEED` is set.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }

    /// Changes, removes or repeats a few bytes.
    fn mutate(&mut self, input: &mut Vec<u8>) {
        for _ in 0..=self.below(3) {
            let at = self.below(input.len());
            let end = (at + 1 + self.below(8)).min(input.len());
            match self.below(4) {
                0 => input.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << self.below(8)),
                1 => input.iter_mut().skip(at).take(1).for_each(|byte| *byte = self.below(256) as u8),
                2 => drop(input.drain(at..end)),
                _ => input.extend_from_within(at..end),
            }
        }
    }
}

#[test]
fn kept_inputs_and_their_mutations_pass() {
    let (rounds, mut random) = (setting("ROBOMATON_CASES", 3), Random(setting("ROBOMATON_SEED", 1)));
    for (name, target) in TARGETS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
        let mut files: Vec<_> =
            fs::read_dir(&folder).expect("a corpus").map(|entry| entry.expect("an entry").path()).collect();
        files.sort();
        assert!(!files.is_empty(), "{name} has no inputs");
        for file in files {
            println!("{}", file.display());
            let input = fs::read(&file).expect("an input");
            target(&input);
            for _ in 0..rounds {
                let mut mutant = input.clone();
                random.mutate(&mut mutant);
                target(&mutant);
            }
        }
    }
}
