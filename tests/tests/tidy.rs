//! Rules for every source file of the workspace: a head, `unsafe` code only for mapping files,
//! nothing invisible, a bounded length.

use robomaton_tests::home;
use std::path::{Path, PathBuf};

/// The maximum number of lines of a file under `src`.
const LONGEST: usize = 600;

/// Every Rust file of the workspace with its path from the root, without build products.
fn sources() -> Vec<(String, String)> {
    let root = home().parent().expect("the workspace holds this crate").to_owned();
    let mut folders: Vec<PathBuf> = vec![root.clone()];
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a readable folder") {
            let path = entry.expect("a readable folder").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                if name != "target" && !name.starts_with('.') {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|extension| extension == "rs") && name != "build.rs" {
                let text = std::fs::read_to_string(&path).expect("sources are UTF-8");
                let name = path.strip_prefix(&root).unwrap_or(Path::new("?"));
                sources.push((name.to_string_lossy().replace('\\', "/"), text));
            }
        }
    }
    sources.sort();
    assert!(sources.len() > 50, "only {} sources found", sources.len());
    sources
}

/// Panics with the names of failing files.
fn all(what: &str, fine: impl Fn(&str, &str) -> bool) {
    let bad: Vec<String> =
        sources().into_iter().filter(|(name, text)| !fine(name, text)).map(|(name, _)| name).collect();
    assert!(bad.is_empty(), "{what}:\n  {}", bad.join("\n  "));
}

#[test]
fn every_file_has_a_head() {
    all("files that do not begin with //!", |_, text| text.starts_with("//! "));
}

#[test]
fn unsafe_files_are_known() {
    let words = ["unsafe {", "unsafe fn", "unsafe impl", "allow(unsafe_code)"];
    // Each crate that maps files does so in one file of its own, and makes the promise there.
    let exempt = [
        "cli/src/input.rs",
        "build/src/open.rs",
        "python/src/image.rs",
        "runtime/src/memory.rs",
        "runtime/src/open.rs",
        "serve/src/current.rs",
        "tests/src/map.rs",
        "tests/tests/tidy.rs",
    ];
    all("files with unsafe code", |name, text| {
        exempt.contains(&name) || !words.iter().any(|word| text.contains(word))
    });
}

#[test]
fn no_file_is_too_long() {
    all("sources of more than 600 lines", |name, text| {
        !name.contains("/src/") || text.lines().count() <= LONGEST
    });
}

#[test]
fn nothing_invisible() {
    // Drawings and test data may be anything, but all characters must be visible.
    let invisible = |c: char| {
        (c.is_control() && c != '\n')
            || ('\u{200B}'..='\u{200F}').contains(&c)
            || c == '\u{FEFF}'
            || ('\u{202A}'..='\u{202E}').contains(&c)
            || ('\u{2066}'..='\u{2069}').contains(&c)
    };
    all("sources with invisible characters", |_, text| !text.chars().any(invisible));
}

#[test]
fn grammar_and_image_agree_on_product_tokens() {
    // The grammar imports nothing from the workspace and the image nothing from the grammar, so R5
    // is implemented twice.
    let mut random = robomaton_tests::generate::Random::new(9);
    for _ in 0..20_000 {
        let value: Vec<u8> = (0..random.below(6))
            .map(|_| b"aZ09_.-*/ \t~\xC3\xA4\xA0\xCC\x88\x80"[random.below(18)])
            .collect();
        let of_image = robomaton_formats::agent::product_token(&value);
        let of_grammar = robomaton_grammar::product_token(&value);
        if of_grammar != Some(&b"*"[..]) {
            assert_eq!(of_grammar.unwrap_or_default(), of_image, "{value:?}");
        }
    }
}
