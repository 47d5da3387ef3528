//! The kept inputs through every target, and mutations of them. libFuzzer goes on from here.

use robomaton_fuzz::TARGETS;
use robomaton_tests::generate::Random;
use robomaton_tests::setting;
use std::fs;
use std::path::Path;

/// Changes, removes or repeats a few bytes.
fn mutate(input: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(3) {
        let at = random.below(input.len());
        let end = (at + 1 + random.below(8)).min(input.len());
        match random.below(4) {
            0 => input.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << random.below(8)),
            1 => input.iter_mut().skip(at).take(1).for_each(|byte| *byte = random.below(256) as u8),
            2 => drop(input.drain(at..end)),
            _ => input.extend_from_within(at..end),
        }
    }
}

#[test]
fn kept_inputs_and_their_mutations_pass() {
    let (rounds, mut random) = (setting("ROBOMATON_CASES", 3), Random::new(setting("ROBOMATON_SEED", 1)));
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
                mutate(&mut mutant, &mut random);
                target(&mutant);
            }
        }
    }
}
