//! The generator of random sites with modern usage languages: it reaches everything that it claims,
//! and equal seeds give equal sites.
//!
//! `ROBOMATON_SEED` and `ROBOMATON_CASES` (sites) extend or vary the run.

use robomaton_tests::generate::Random;
use robomaton_tests::modern::coverage::{CLAIMS, Coverage};
use robomaton_tests::modern::{answer, generate};
use robomaton_tests::setting;

/// Questions about each site.
const QUESTIONS: usize = 12;

#[test]
fn everything_claimed_occurs() {
    let mut random = Random::new(setting("ROBOMATON_SEED", 22));
    let mut coverage = Coverage::default();
    let sites: usize = setting("ROBOMATON_CASES", 3000);
    let start = std::time::Instant::now();
    for _ in 0..sites {
        let site = generate::site(&mut random);
        for _ in 0..QUESTIONS {
            let question = generate::question(&mut random);
            coverage.add(&site, &question, &answer(&site, &question));
        }
    }
    println!("{} answers in {:?}\n{}", sites * QUESTIONS, start.elapsed(), coverage.table());
    let missing: Vec<&str> = CLAIMS.into_iter().filter(|name| coverage.count(name) < 5).collect();
    assert!(missing.is_empty(), "hardly any answer has: {missing:?}\n{}", coverage.table());
}

#[test]
fn equal_seeds_give_equal_sites() {
    let text = |seed| {
        let mut random = Random::new(seed);
        let site = generate::site(&mut random);
        format!("{site:?} {:?} {:?}", site.rows(), generate::question(&mut random))
    };
    assert_eq!(text(1), text(1));
    assert_ne!(text(1), text(2));
}

#[test]
fn rows_lose_nothing() {
    let mut random = Random::new(7);
    for _ in 0..200 {
        let site = generate::site(&mut random);
        for (row, page) in site.rows().iter().rev().zip(site.pages.iter().rev()) {
            assert_eq!(row["url"], page.url.as_str());
            assert_eq!(row["body"].as_str(), Some(page.html.as_deref().unwrap_or_default()));
            // The first header is the content type.
            assert_eq!(row["headers"].as_array().map(Vec::len), Some(page.headers.len() + 1));
        }
    }
}
