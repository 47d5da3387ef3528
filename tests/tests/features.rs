//! The table of features and the cases agree: every feature defined by a source document has a
//! case, and FEATURES.md names it.
//!
//! A case names features in `rules` (`P12`, `V51`, `K13`, `M23`, `N9`, and `U1` to `Y8` of the
//! modern languages); FEATURES.md has a row for each, with the cases that show it. This suite
//! ignores the other entries of `rules` (`R12`, `RFC 9309 2.2.2`, `section 3`).

use robomaton_tests::case::{self, Case};
use robomaton_tests::workspace;
use std::collections::{BTreeMap, BTreeSet};

/// The documents and the number of features that each defines.
const DOCUMENTS: [(char, u32); 11] = [
    ('P', 57),
    ('V', 59),
    ('K', 23),
    ('M', 27),
    ('N', 20),
    ('U', 18),
    ('C', 15),
    ('L', 18),
    ('T', 16),
    ('X', 17),
    ('Y', 8),
];

/// Every feature in table order.
fn ids() -> Vec<String> {
    DOCUMENTS.iter().flat_map(|&(letter, last)| (1..=last).map(move |n| format!("{letter}{n}"))).collect()
}

/// True if a rule has the form of a feature, whatever its number.
fn is_feature(rule: &str) -> bool {
    let mut chars = rule.chars();
    let letter = chars.next().is_some_and(|c| DOCUMENTS.iter().any(|&(letter, _)| letter == c));
    letter && !chars.as_str().is_empty() && chars.all(|c| c.is_ascii_digit())
}

/// The cases of both folders. Their names are unique together, so that a row names one case.
fn cases() -> Vec<Case> {
    let mut cases = case::load().expect("the cases load");
    cases.extend(case::load_modern().expect("the modern cases load"));
    cases
}

/// A row of FEATURES.md.
struct Row {
    id: String,
    what: String,
    /// The names between backticks in the third column.
    cases: Vec<String>,
}

/// The rows of FEATURES.md: lines of a table whose first cell has the form of a feature.
fn rows() -> Vec<Row> {
    let path = workspace().join("FEATURES.md");
    let text = std::fs::read_to_string(&path).expect("FEATURES.md is there");
    let mut rows = Vec::new();
    for line in text.lines() {
        let Some(line) = line.strip_prefix('|').and_then(|line| line.strip_suffix('|')) else { continue };
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if !is_feature(cells[0]) {
            continue;
        }
        assert_eq!(cells.len(), 4, "{}: id, what, cases and remarks", cells[0]);
        let named = cells[2].split('`').skip(1).step_by(2).map(str::to_owned).collect();
        rows.push(Row { id: cells[0].to_owned(), what: cells[1].to_owned(), cases: named });
    }
    rows
}

fn fail_with(what: &str, problems: &[String]) {
    assert!(problems.is_empty(), "{what}:\n  {}", problems.join("\n  "));
}

#[test]
fn every_feature_has_a_case() {
    let named: BTreeSet<String> = cases().into_iter().flat_map(|case| case.rules).collect();
    let bare: Vec<String> = ids().into_iter().filter(|id| !named.contains(id)).collect();
    fail_with("features without a case", &bare);
}

#[test]
fn no_case_names_a_feature_that_does_not_exist() {
    let known: BTreeSet<String> = ids().into_iter().collect();
    let mut wrong = Vec::new();
    for case in cases() {
        for rule in case.rules.iter().filter(|rule| is_feature(rule) && !known.contains(*rule)) {
            wrong.push(format!("{} in {} names {rule}", case.name, case.file));
        }
    }
    fail_with("no such features", &wrong);
}

#[test]
fn names_are_unique_over_both_folders() {
    let mut seen = BTreeSet::new();
    let twice = cases().into_iter().map(|case| case.name).filter(|name| !seen.insert(name.clone()));
    fail_with("names given twice", &twice.collect::<Vec<_>>());
}

#[test]
fn no_case_names_a_feature_twice() {
    let twice = |case: &Case| case.rules.iter().collect::<BTreeSet<_>>().len() < case.rules.len();
    let wrong: Vec<String> = cases().into_iter().filter(twice).map(|case| case.name).collect();
    fail_with("rules named twice", &wrong);
}

#[test]
fn the_table_has_every_feature_once_and_in_order() {
    let rows: Vec<String> = rows().into_iter().map(|row| row.id).collect();
    assert_eq!(rows, ids(), "FEATURES.md has other features, or in another order");
}

#[test]
fn the_table_says_what_and_where() {
    let wrong = |row: &Row| row.what.is_empty() || row.cases.is_empty();
    let bare: Vec<String> = rows().into_iter().filter(wrong).map(|row| row.id).collect();
    fail_with("rows of FEATURES.md without a text or a case", &bare);
}

#[test]
fn the_table_lists_cases_that_show_the_feature() {
    let cases: BTreeMap<String, Case> = cases().into_iter().map(|case| (case.name.clone(), case)).collect();
    let mut wrong = Vec::new();
    for row in rows() {
        for name in &row.cases {
            match cases.get(name) {
                None => wrong.push(format!("{}: there is no case {name}", row.id)),
                Some(case) if !case.rules.contains(&row.id) => {
                    wrong.push(format!("{}: the case {name} does not name it", row.id));
                }
                Some(_) => {}
            }
        }
    }
    fail_with("FEATURES.md and the cases differ", &wrong);
}

#[test]
fn features_are_told_from_other_rules() {
    assert!(["P1", "V59", "K13", "M99", "N0"].into_iter().all(is_feature));
    assert!(!["R12", "P", "P1a", "RFC 9309 2.2.2", "", "K13 note", "p1"].into_iter().any(is_feature));
}
