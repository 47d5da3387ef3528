//! Common mistakes and the messages for them: `mistakes.txt`, written for people and checked here.
//!
//! A block is a command after `$ `, its output on both streams, and its exit code; lines that begin
//! with `#` are comments. The commands run in one directory. `ROBOMATON_WRITE=1` rewrites the
//! outputs.

#![cfg(unix)]

mod common;

use common::Place;
use std::io::Write;
use std::path::Path;

/// Lines of an output that are kept.
const SHOWN: usize = 12;

fn place() -> Place {
    let place = Place::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let sample = std::fs::read(root.join("tests/data/sample.warc.gz")).expect("the sample");
    place.write("sample.warc.gz", sample);
    place.run(&["compile", "sample.warc.gz", "-o", "sample.rimg"]).ok();
    place.write("robots.txt", "User-agent: *\nDisallow: /private\n");
    place.write("urls.txt", "https://www.ed.ac.uk/about\nwww.ed.ac.uk/about\n");
    place.write("here/a.example.txt", "User-agent: *\nDisallow: /private\n");
    place.write("docs/README.md", "# A project\n\nIt says more than this.\n");
    place.write("docs/blocked.sql", "select * from sites;\n");
    place.write("list", "urls.txt\nsample.rimg\n");
    let image = std::fs::read(place.path("sample.rimg")).expect("the image");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(&image).expect("memory");
    place.write("packed.gz", packed.finish().expect("memory"));
    place
}

/// The output of a shell line, and its exit code.
fn said(line: &str, place: &Place) -> String {
    let robomaton = assert_cmd::cargo::cargo_bin!("robomaton");
    let folder = robomaton.parent().unwrap_or(Path::new(".")).display();
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap_or_default());
    let mut shell = assert_cmd::Command::new("sh");
    shell.args(["-c", &format!("{{ {line}; }} 2>&1")]).current_dir(place.path("")).env("PATH", path);
    let ran = shell.timeout(std::time::Duration::from_secs(60)).output().expect("a run");
    let text = String::from_utf8(ran.stdout).expect("UTF-8");
    let mut said: String = text.lines().take(SHOWN).map(|line| format!("{line}\n")).collect();
    if text.lines().count() > SHOWN {
        said += "...\n";
    }
    said + &format!("[exit {}]\n", ran.status.code().unwrap_or(-1))
}

#[test]
fn mistakes_are_answered_as_written() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mistakes.txt");
    let golden = std::fs::read_to_string(&path).expect("the golden file");
    let place = place();
    let mut played = String::new();
    let mut lines = golden.lines();
    while let Some(line) = lines.next() {
        played += &format!("{line}\n");
        if let Some(command) = line.strip_prefix("$ ") {
            played += &said(command, &place);
            // Skips the earlier output.
            lines.by_ref().find(|line| line.starts_with("[exit "));
        }
    }
    if std::env::var_os("ROBOMATON_WRITE").is_some() {
        std::fs::write(&path, played).expect("the golden file can be written");
    } else {
        assert_eq!(golden, played, "ROBOMATON_WRITE=1 writes it anew");
    }
}

#[test]
fn every_error_is_one_sentence_and_exit_code_2() {
    let golden = include_str!("mistakes.txt");
    let blocks = golden.split("\n$ ").skip(1);
    assert!(blocks.clone().count() > 65);
    for block in blocks {
        for line in block.lines().filter(|line| line.starts_with("robomaton: ")) {
            assert!(!line.contains("os error") && !line.ends_with('.'), "{line}");
        }
        assert!(!block.contains("panicked"), "{block}");
    }
}
