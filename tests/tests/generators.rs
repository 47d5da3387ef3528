//! The generators keep their promises: equal seeds, equal output; queries that often match; useful
//! files. The oracle accepts everything that they generate.

use proptest::prelude::*;
use robomaton_tests::generate::{self, Random};
use robomaton_tests::{hostile, oracle};

#[test]
fn equal_seeds_give_equal_files() {
    for seed in 0..50 {
        assert_eq!(Random::new(seed).file(), Random::new(seed).file());
    }
    assert_ne!(Random::new(1).file(), Random::new(2).file());
}

#[test]
fn a_good_share_of_queries_is_decided_by_a_rule() {
    let (mut asked, mut decided, mut allowed) = (0, 0, 0);
    for seed in 0..500 {
        let mut random = Random::new(seed);
        let file = random.file();
        for query in random.queries(&file, 20) {
            for agent in generate::ASKED {
                let (may, line) =
                    oracle::verdict(&file, &[agent], query.as_bytes(), Some("https://example.com"));
                asked += 1;
                decided += usize::from(line.is_some());
                allowed += usize::from(line.is_some() && may);
            }
        }
    }
    assert!(decided * 4 > asked, "{decided} of {asked} decided");
    assert!(allowed * 4 > decided && allowed * 4 < decided * 3, "{allowed} of {decided} allowed");
}

#[test]
fn hostile_files_have_their_sizes() {
    let files = hostile::all();
    let size = |name| files.iter().find(|(known, _)| *known == name).unwrap().1.len();
    assert!(size("ten-megabytes") >= 10_000_000);
    assert!(size("long-lines") > 4 * (2 << 20));
    let (a, b) = (hostile::utf16(1_000, true), hostile::utf16(1_000, false));
    assert!(a.starts_with(b"\xFE\xFF\0U") && b.starts_with(b"\xFF\xFEU\0"));
}

#[test]
fn nobody_is_forbidden_by_what_is_no_robots_txt() {
    for file in [hostile::html(5_000), hostile::utf16(1_000, true), hostile::utf16(1_000, false)] {
        assert_eq!(oracle::verdict(&file, &["a"], b"/x", None), (true, None));
    }
    assert_eq!(oracle::verdict(&hostile::nuls(1000), &["a"], b"/x", None), (false, Some(4)));
    let chain = hostile::prefix_chain(50);
    assert_eq!(oracle::verdict(&chain, &["a"], b"/aaab", None), (false, Some(4)));
}

proptest! {
    #[test]
    fn oracle_takes_the_longest(rules in generate::rule_sets(), target in generate::targets()) {
        // Inverting all senses inverts every decided verdict, unless a tie decided it.
        let turned: Vec<_> = rules.iter().map(|(pattern, allow)| (pattern.clone(), !allow)).collect();
        let ask = |rules: &[(String, bool)]| {
            oracle::verdict(generate::one_group(rules).as_bytes(), &["a"], target.as_bytes(), None)
        };
        let (one, other) = (ask(&rules), ask(&turned));
        prop_assert_eq!(one.1.is_some(), other.1.is_some());
        if one.1.is_some() && one.1 == other.1 {
            prop_assert_ne!(one.0, other.0);
        }
    }

    #[test]
    fn oracle_survives_files((file, queries) in generate::files()) {
        for query in queries {
            for agent in generate::ASKED {
                let (allowed, line) = oracle::verdict(&file, &[agent], query.as_bytes(), None);
                prop_assert!(allowed || line.is_some());
            }
        }
    }
}
