//! Runs the commands in README and docs/, and compares their output.
//!
//! A fenced block ` ```console ` has commands after `$ ` and the output of each, on either stream;
//! a line `...` stands for any lines. The blocks of a page run in order in one directory, which
//! contains the files that the page mentions. `ROBOMATON_WRITE=1` rewrites the outputs.

#![cfg(unix)]

mod common;

use common::Place;
use std::path::Path;

/// A page with the current output of its commands.
fn printed(page: &str, place: &Place) -> String {
    let mut out = String::new();
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        out += &format!("{line}\n");
        if line != "```console" {
            continue;
        }
        while let Some(line) = lines.next_if(|line| *line != "```") {
            let command = line.strip_prefix("$ ").unwrap_or_else(|| panic!("no command: {line}"));
            let mut shown = String::new();
            while let Some(line) = lines.next_if(|line| *line != "```" && !line.starts_with("$ ")) {
                shown += &format!("{line}\n");
            }
            let printed = run(command, place);
            out += &format!("{line}\n{}", if holds(&printed, &shown) { shown } else { printed });
        }
    }
    out
}

/// True if this is what a page shows.
fn holds(printed: &str, shown: &str) -> bool {
    let mut rest = printed;
    for (number, piece) in shown.split("...\n").enumerate() {
        match rest.find(piece).filter(|&at| at == 0 || number > 0) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.is_empty() || shown.ends_with("...\n")
}

/// Runs a line in a shell, with the command of this build on its path.
fn run(line: &str, place: &Place) -> String {
    let robomaton = assert_cmd::cargo::cargo_bin!("robomaton");
    let folder = robomaton.parent().unwrap_or(Path::new(".")).display();
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap_or_default());
    let mut shell = assert_cmd::Command::new("sh");
    shell.args(["-c", &format!("{{ {line}; }} 2>&1")]).current_dir(place.path("")).env("PATH", path);
    let ran = shell.output().expect("a run");
    let printed = String::from_utf8(ran.stdout).expect("UTF-8");
    assert!(ran.status.code().is_some_and(|code| code < 2), "{line}: {printed}");
    printed
}

/// Copies a file or a directory.
fn copy(from: &Path, to: &Path) {
    if !from.is_dir() {
        std::fs::copy(from, to).expect("a file");
        return;
    }
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        copy(&entry.path(), &to.join(entry.file_name()));
    }
}

/// Checks a page against its commands, which run next to some files, or in a copy of a directory.
fn check(page: &str, beside: &[&str]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let place = Place::new();
    for name in beside {
        let from = root.join(name);
        let to = if from.is_dir() { "" } else { name.rsplit('/').next().unwrap_or_default() };
        copy(&from, &place.path(to));
    }
    let path = root.join(page);
    let text = std::fs::read_to_string(&path).expect("the page");
    let printed = printed(&text, &place);
    assert!(text.matches("\n$ ").count() >= 2, "{page} shows commands");
    if std::env::var_os("ROBOMATON_WRITE").is_some() {
        std::fs::write(&path, printed).expect("the page can be written");
    } else {
        assert_eq!(text, printed, "{page}: ROBOMATON_WRITE=1 writes it anew");
    }
}

const SAMPLE: &[&str] = &["tests/data/sample.warc.gz"];

#[test]
fn readme() {
    check("README.md", SAMPLE);
}

#[test]
fn for_crawlers() {
    check("docs/crawlers.md", SAMPLE);
}

#[test]
fn for_data_teams() {
    check("docs/common-crawl.md", &["tests/data/common-crawl"]);
}

#[test]
fn for_research() {
    check("docs/research.md", &["tests/data/sample.warc.gz", "docs/queries/made-up"]);
    check("docs/tables.md", SAMPLE);
}

#[test]
fn for_benchmarks() {
    check("docs/benchmarks.md", SAMPLE);
}
