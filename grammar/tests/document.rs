//! GRAMMAR.md, the grammars and the code are consistent: every rule, code or spelling is in all of
//! them.

use std::collections::BTreeSet;

use robomaton_grammar::{Code, Key};

const DOCUMENT: &str = include_str!("../../GRAMMAR.md");
const GRAMMAR: &str = include_str!("../src/rep.pest");
const ACAP: &str = include_str!("../src/acap.pest");
const META: &str = include_str!("../src/meta.pest");
const EXTENDED: &str = include_str!("../src/extended.pest");
const KEYS: &str = include_str!("../src/key.rs");

/// The rows of the table whose header begins with `head`, cell by cell, without backquotes.
fn rows(head: &str) -> Vec<Vec<String>> {
    let cells =
        |row: &str| row.trim_matches('|').split('|').map(|cell| cell.trim().replace('`', "")).collect();
    let table = DOCUMENT.split(head).nth(1).expect("the document has this table");
    table.lines().skip(2).take_while(|row| row.starts_with('|')).map(cells).collect()
}

/// The texts between each `open` and the next `"`.
fn literals<'t>(text: &'t str, open: &str) -> BTreeSet<&'t str> {
    text.split(open).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn every_rule_of_the_grammars_has_its_row_in_order() {
    let grammars = [
        (GRAMMAR, "| pest |"),
        (ACAP, "| acap.pest |"),
        (META, "| meta.pest |"),
        (EXTENDED, "| extended.pest |"),
    ];
    for (grammar, head) in grammars {
        let is_rule = |line: &&str| line.starts_with(|c: char| c.is_ascii_alphabetic());
        let rules = grammar.lines().filter(is_rule).map(|line| line.split([' ', '=']).next().unwrap());
        let rows = rows(head);
        assert_eq!(rules.collect::<Vec<_>>(), rows.iter().map(|row| row[0].as_str()).collect::<Vec<_>>());
        assert!(rows.iter().all(|row| row.len() == 3), "{head}");
    }
}

#[test]
fn every_code_has_its_row_in_order() {
    let codes = Code::ALL.map(|code| [code.name(), code.severity().name(), code.rule()].map(str::to_owned));
    let rows = rows("| code |");
    assert_eq!(rows.iter().map(|row| &row[..3]).collect::<Vec<_>>(), codes.iter().collect::<Vec<_>>());
    for code in Code::ALL {
        assert!(DOCUMENT.contains(&format!("* **{}** ", code.rule())), "{code} rests on no rule");
    }
}

#[test]
fn the_code_knows_the_spellings_of_the_grammar() {
    let mut spellings = literals(GRAMMAR, "^\"");
    // ACAP's keys are not among them: they are in `acap.pest`. The scheme of a URL is no key
    // either.
    spellings.retain(|spelling| {
        !spelling.starts_with("acap-") && !["http", "s"].iter().any(|part| spelling == part)
    });
    assert_eq!(spellings, literals(KEYS, "is(\""));
    for spelling in &spellings {
        let key = Key::from_bytes(spelling.as_bytes()).unwrap();
        assert!(key.name().eq_ignore_ascii_case(spelling) || DOCUMENT.contains(&format!("`{spelling}`")));
    }
    for key in Key::ALL {
        assert!(spellings.contains(key.name().to_ascii_lowercase().as_str()));
    }
}
