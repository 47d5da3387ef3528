//! Rules for every source file of the workspace: a head, no `unsafe` code except to map files, to
//! prefetch, to read strings of Python and to follow pointers of C, no invisible characters, a
//! bounded length.

use robomaton_tests::workspace;
use std::path::{Path, PathBuf};

/// The maximum number of lines of a file under `src`.
const LONGEST: usize = 600;

/// Every Rust file of the workspace with its path from the root, except build products.
fn sources() -> Vec<(String, String)> {
    let root = workspace();
    let mut folders: Vec<PathBuf> = vec![root.clone()];
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a readable folder") {
            let path = entry.expect("a readable folder").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                if name != "target" && name != "node_modules" && !name.starts_with('.') {
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

/// Panics with a list of the files that fail.
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
    // Each crate that maps files does so in a single file, and makes the promise there. The
    // runtime's also prefetches, the wheel reads strings of Python in place, and the C interface
    // follows the pointers of its callers.
    let exempt = [
        "capi/src/boundary.rs",
        "capi/src/boundary/pointers.rs",
        "cli/src/input.rs",
        "build/src/open.rs",
        "node/src/image.rs",
        "python/src/image.rs",
        "python/src/text.rs",
        "runtime/src/memory.rs",
        "runtime/src/open.rs",
        "serve/src/current.rs",
        "store/src/open.rs",
        "tests/src/map.rs",
        "tests/tests/tidy.rs",
    ];
    all("files with unsafe code, and files of the list without any", |name, text| {
        exempt.contains(&name) == words.iter().any(|word| text.contains(word))
    });
    let names: Vec<String> = sources().into_iter().map(|(name, _)| name).collect();
    let absent: Vec<&str> =
        exempt.into_iter().filter(|name| !names.iter().any(|other| other == name)).collect();
    assert!(absent.is_empty(), "the list names files that are not there: {absent:?}");
}

#[test]
fn no_file_is_too_long() {
    all("sources of more than 600 lines", |name, text| {
        !name.contains("/src/") || text.lines().count() <= LONGEST
    });
}

#[test]
fn nothing_invisible() {
    // Drawings and test data may use any characters, but a reader must see each of them.
    let invisible = |c: char| {
        (c.is_control() && c != '\n')
            || ('\u{200B}'..='\u{200F}').contains(&c)
            || c == '\u{FEFF}'
            || ('\u{202A}'..='\u{202E}').contains(&c)
            || ('\u{2066}'..='\u{2069}').contains(&c)
    };
    all("sources with invisible characters", |_, text| !text.chars().any(invisible));
}

/// Every Markdown page of the workspace, with its path from the root.
fn pages() -> Vec<(String, String)> {
    let root = workspace();
    let folders = ["", "benches", "capi", "docs", "formats", "fuzz", "java", "node", "python", "robomaton"];
    let mut pages = Vec::new();
    for folder in folders {
        for entry in std::fs::read_dir(root.join(folder)).expect("a folder of the workspace") {
            let path = entry.expect("a readable folder").path();
            if path.extension().is_some_and(|extension| extension == "md") {
                let name = path.strip_prefix(&root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
                pages.push((name, std::fs::read_to_string(&path).expect("pages are UTF-8")));
            }
        }
    }
    assert!(pages.len() > 15, "only {} pages found", pages.len());
    pages
}

/// The lines of a page outside blocks of code.
fn prose(page: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    page.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        in_code ^= is_fence;
        !in_code && !is_fence
    })
}

/// The lines of a source that are comments and nothing else, outside blocks of code. A line without
/// a comment ends a block.
fn comments(source: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut in_code = false;
    source.lines().filter_map(move |line| {
        let Some(comment) = line.trim_start().strip_prefix("//") else {
            in_code = false;
            return None;
        };
        let comment = comment.trim_start_matches(['/', '!']);
        let is_fence = comment.trim_start().starts_with("```");
        in_code ^= is_fence;
        (!in_code && !is_fence).then_some((line, comment))
    })
}

/// True if a line is too long and could be broken: tables cannot, nor can a link or a span of code.
fn is_long(line: &str, text: &str) -> bool {
    let mut words = 0;
    for (number, part) in text.split('`').enumerate() {
        words += if number % 2 == 0 { part.split_whitespace().count() } else { 1 };
    }
    !text.trim_start().starts_with('|') && line.chars().count() > 100 && words > 3
}

#[test]
fn prose_wraps_at_a_hundred_columns() {
    for (name, page) in pages() {
        let long: Vec<&str> = prose(&page).filter(|line| is_long(line, line)).collect();
        assert!(long.is_empty(), "{name}: {long:#?}");
    }
}

#[test]
fn comments_wrap_at_a_hundred_columns() {
    let mut long = Vec::new();
    for (name, source) in sources() {
        let lines = comments(&source).filter(|(line, text)| is_long(line, text));
        long.extend(lines.map(|(line, _)| format!("{name}: {line}")));
    }
    assert!(long.is_empty(), "{long:#?}");
    let source = "/// ```\n/// code\n/// ```\n    // text\n//! ```text\n//! drawing\nlet x = 1; // x\n//\n";
    let comments: Vec<&str> = comments(source).map(|(_, text)| text).collect();
    assert_eq!(comments, [" text", ""]);
}

/// The number in front of each unit of speed in a line, with the unit: `15 µs`.
fn speeds(line: &str) -> Vec<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_number = |word: &str| word.starts_with(|first: char| first.is_ascii_digit());
    let unit = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '/').to_owned();
    let pairs = words.windows(2).map(|pair| (pair[0], unit(pair[1])));
    pairs
        .filter(|(number, unit)| {
            is_number(number) && ["ns", "µs", "ms", "MB/s", "GB/s"].contains(&unit.as_str())
        })
        .map(|(number, unit)| format!("{number} {unit}"))
        .collect()
}

#[test]
fn measured_speeds_stand_in_the_results() {
    // A constant of the code, and no measurement.
    const CONSTANTS: [&str; 1] = ["20 µs"];
    let pages = pages();
    let (_, results) =
        pages.iter().find(|(name, _)| name == "benches/RESULTS.md").expect("the page of results");
    let results: Vec<String> = results.lines().flat_map(speeds).collect();
    assert!(results.len() > 20, "{results:?}");
    for (name, page) in &pages {
        for speed in prose(page).flat_map(speeds) {
            let is_known = results.contains(&speed) || CONSTANTS.contains(&speed.as_str());
            assert!(is_known, "{name} quotes {speed}, which is not in RESULTS.md");
        }
    }
}

#[test]
fn grammar_and_image_agree_on_product_tokens() {
    // The grammar imports no other crate of ours, and the image imports nothing from the grammar,
    // so R5 is implemented twice.
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
