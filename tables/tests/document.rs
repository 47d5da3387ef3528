//! Compares `docs/tables.md` with the schema, table by table and column by column.
//!
//! `ROBOMATON_WRITE=1` rewrites the tables; the text around them is written by hand.

use robomaton_tables::schema::{CHANGED, TABLES, Table};
use std::fmt::Write;
use std::path::Path;

/// The text between the heading of a table and the next heading.
fn drawn(table: &Table) -> String {
    let about = wrapped(&format!("A row is {}.", table.about));
    let mut out = format!(
        "### {}\n\n{about}\n\n| column | type | empty | what it says |\n|---|---|---|---|\n",
        table.name
    );
    for column in table.columns {
        let empty = if column.nullable { "may be" } else { "" };
        let _ = writeln!(out, "| `{}` | {} | {empty} | {} |", column.name, column.kind.name(), column.about);
    }
    out
}

/// Prose in lines of at most 100 columns.
fn wrapped(prose: &str) -> String {
    let (mut out, mut column) = (String::new(), 0);
    for word in prose.split(' ') {
        let length = word.chars().count();
        let fits = column + 1 + length <= 100;
        if column > 0 {
            out.push(if fits { ' ' } else { '\n' });
        }
        out.push_str(word);
        column = if column > 0 && fits { column + 1 + length } else { length };
    }
    out
}

#[test]
fn the_document_shows_the_schema() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/tables.md");
    let text = std::fs::read_to_string(&path).expect("the document is there");
    let write = std::env::var_os("ROBOMATON_WRITE").is_some();
    let mut shown: Vec<&str> = text.split("\n### ").skip(1).collect();
    // After the last table there is another heading.
    let ends = |section: &str| section.find("\n## ").unwrap_or(section.len());
    shown.iter_mut().for_each(|section| *section = section[..ends(section)].trim_end());
    let expected: Vec<String> = TABLES.iter().chain(&CHANGED).map(drawn).collect();
    let names = |sections: &[&str]| {
        sections
            .iter()
            .map(|section| section.lines().next().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    let known: Vec<_> = TABLES.iter().chain(&CHANGED).map(|table| table.name.to_owned()).collect();
    assert_eq!(names(&shown), known, "the headings of {} are not the tables", path.display());
    let mut fresh = text.clone();
    for (shown, expected) in shown.iter().zip(&expected) {
        let expected = expected.trim_start_matches("### ").trim_end();
        if write {
            fresh = fresh.replace(*shown, expected);
        } else {
            assert_eq!(*shown, expected, "ROBOMATON_WRITE=1 writes it anew");
        }
    }
    if write {
        std::fs::write(&path, fresh).expect("the document can be written");
    }
}
