//! The golden files: each folder of `golden` holds a robots.txt and the output of every stage.
//!
//! New readers should start here. A folder whose name ends in `-google` or `-koster` is compiled
//! under that profile. `ROBOMATON_WRITE=1` rewrites the files that differ; read the diff before
//! committing it.

use robomaton_tests::case::Page;
use robomaton_tests::suite::Text;
use robomaton_tests::{golden, home};
use std::path::PathBuf;

fn folders() -> Vec<(String, PathBuf)> {
    let entries = std::fs::read_dir(home().join("golden")).expect("the folder of golden files");
    let paths = entries.map(|entry| entry.expect("a readable folder").path());
    let mut folders: Vec<_> = paths
        .filter(|path| path.is_dir())
        .map(|path| (path.file_name().unwrap_or_default().to_string_lossy().into_owned(), path))
        .collect();
    folders.sort();
    folders
}

#[test]
fn every_stage_is_as_written() {
    let write = std::env::var_os("ROBOMATON_WRITE").is_some();
    let folders = folders();
    assert!(folders.len() >= 12, "{} folders", folders.len());
    let mut wrong = String::new();
    for (name, path) in folders {
        let profile = ["google", "koster"].into_iter().find(|profile| name.ends_with(profile));
        let robots = std::fs::read(path.join("robots.txt")).expect("every folder has a robots.txt");
        for (stage, found) in golden::stages(&robots, profile.unwrap_or("full")) {
            let file = path.join(stage);
            let kept = std::fs::read_to_string(&file).unwrap_or_default();
            if kept == found {
                continue;
            }
            if write {
                std::fs::write(&file, &found).expect("the golden files are writable");
                continue;
            }
            let differ = kept.lines().zip(found.lines()).position(|(kept, found)| kept != found);
            let at = differ.unwrap_or_else(|| kept.lines().count().min(found.lines().count()));
            let line = |text: &str| text.lines().nth(at).unwrap_or("(end)").to_owned();
            let (kept, found) = (line(&kept), line(&found));
            wrong.push_str(&format!("{name}/{stage}, line {}:\n  kept  {kept}\n  found {found}\n", at + 1));
        }
    }
    assert!(wrong.is_empty(), "golden files differ; ROBOMATON_WRITE=1 rewrites them\n{wrong}");
}

/// Real files with ACAP records, and real pages: the expected answers are next to each.
#[test]
fn real_files_of_acap_answer_as_written() {
    let write = std::env::var_os("ROBOMATON_WRITE").is_some();
    let entries = std::fs::read_dir(home().join("data/acap")).expect("the folder of real files");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    paths.sort();
    let (mut seen, mut wrong) = (0, Vec::new());
    for path in paths {
        let is = |extension: &str| path.extension().is_some_and(|own| own == extension);
        let bytes = || std::fs::read(&path).expect("a readable file");
        let found = if is("txt") {
            golden::answers(&Text::new(&bytes(), Some(golden::ORIGIN), "full"))
        } else if is("html") {
            let html = String::from_utf8_lossy(&bytes()).into_owned();
            let pages = [Page { url: format!("{}/page.html", golden::ORIGIN), html, ..Page::default() }];
            golden::answers(&Text { pages: &pages, ..Text::new(b"", Some(golden::ORIGIN), "full") })
        } else {
            continue;
        };
        seen += 1;
        let file = path.with_added_extension("answers");
        if write {
            std::fs::write(&file, &found).expect("the golden files are writable");
        } else if std::fs::read_to_string(&file).unwrap_or_default() != found {
            wrong.push(file);
        }
    }
    assert!(seen >= 12, "{seen} files");
    assert!(wrong.is_empty(), "answers differ; ROBOMATON_WRITE=1 rewrites them: {wrong:?}");
}
