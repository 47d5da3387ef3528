//! The page about Common Crawl says what happens: its console blocks are run, one after the other, beside the files that
//! it speaks of.

#![cfg(unix)]

mod common;

use common::Place;
use std::path::Path;
use std::process::Command;

/// Copies a folder.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("a file");
        }
    }
}

/// The commands of all console blocks, each with what it should print. A line `...` stands for any lines.
fn commands(page: &str) -> Vec<(String, String)> {
    let blocks = page.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next());
    let mut commands: Vec<(String, String)> = Vec::new();
    for line in blocks.flat_map(str::lines) {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) => commands.push((command.to_owned(), String::new())),
            (None, Some((_, expected))) => *expected += &format!("{line}\n"),
            (None, None) => panic!("a block begins without a command: {line}"),
        }
    }
    commands
}

#[test]
fn the_page_says_what_happens() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let page = std::fs::read_to_string(home.join("docs/common-crawl.md")).expect("the page");
    let place = Place::new();
    copy(&home.join("tests/data/common-crawl"), &place.path("."));
    let binary = Path::new(env!("CARGO_BIN_EXE_robomaton")).parent().expect("a folder");
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap_or_default());
    let commands = commands(&page);
    assert!(commands.len() > 5, "{commands:?}");
    for (command, expected) in commands {
        let run = Command::new("sh")
            .args(["-c", &format!("{{ {command}; }} 2>&1")])
            .env("PATH", &path)
            .current_dir(place.path("."))
            .output()
            .expect("a shell");
        let printed = String::from_utf8(run.stdout).expect("text");
        let mut rest = printed.as_str();
        for (number, piece) in expected.split("...\n").enumerate() {
            let at = rest.find(piece).filter(|&at| at == 0 || number > 0);
            let at = at.unwrap_or_else(|| panic!("$ {command}\n{printed}does not hold\n{piece}"));
            rest = &rest[at + piece.len()..];
        }
        assert!(rest.is_empty() || expected.ends_with("...\n"), "$ {command}\n{printed}");
    }
}
