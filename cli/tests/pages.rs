//! The commands that docs/ shows are run, and must print what is shown there.
//!
//! A fenced block ` ```console ` holds commands behind `$ ` and what each prints. The blocks of a page run in
//! their order in one directory, which holds the sample. `ROBOMATON_WRITE=1` writes anew what they print.

mod common;

use common::Place;
use std::path::Path;

/// A page with what its commands print now.
fn printed(page: &str, place: &Place) -> String {
    let mut out = String::new();
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        out += &format!("{line}\n");
        if line != "```console" {
            continue;
        }
        while let Some(line) = lines.next_if(|line| *line != "```") {
            if let Some(command) = line.strip_prefix("$ ") {
                out += &format!("{line}\n{}", run(command, place));
            }
        }
    }
    out
}

/// Runs a line as a shell does, with the command of this build in its path.
fn run(line: &str, place: &Place) -> String {
    let robomaton = assert_cmd::cargo::cargo_bin!("robomaton");
    let folder = robomaton.parent().unwrap_or(Path::new(".")).display();
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap_or_default());
    let mut shell = assert_cmd::Command::new("sh");
    let ran = shell.args(["-c", line]).current_dir(place.path("")).env("PATH", path).output().expect("a run");
    assert!(ran.status.success(), "{line}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).expect("UTF-8")
}

#[test]
#[cfg(unix)]
fn pages_show_what_commands_print() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for name in ["tables.md", "research.md"] {
        let place = Place::new();
        std::fs::copy(root.join("tests/data/sample.warc.gz"), place.path("sample.warc.gz"))
            .expect("the sample");
        let path = root.join("docs").join(name);
        let page = std::fs::read_to_string(&path).expect("the page");
        let printed = printed(&page, &place);
        assert!(page.matches("\n$ ").count() >= 2, "{name} shows commands");
        if std::env::var_os("ROBOMATON_WRITE").is_some() {
            std::fs::write(&path, printed).expect("the page can be written");
        } else {
            assert_eq!(page, printed, "{name}: ROBOMATON_WRITE=1 writes it anew");
        }
    }
}
