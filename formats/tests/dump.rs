//! Compares the dumps in SPEC.md with the bytes that the compiler produces: the worked program, the
//! worked scope, the worked preferences, the tiny image.
//!
//! The dumps are written here field by field, in the order of the specification, with a remark for
//! each field; a byte that no field claims fails the test. `ROBOMATON_WRITE=1` writes them into the
//! document. The walk of section 6 is also followed step by step for the targets that its table
//! lists.

use dumper::{Dump, dump_image, dump_preferences, dump_scoped};
use robomaton_compiler::automaton::{Prioritized, build, build_tries, normalise};
use robomaton_compiler::{Entry, Options, compile, emit};
use robomaton_formats::program::{self, Priority, Silence, Weighing};
use robomaton_formats::read::Layout;
use robomaton_formats::{Notation, Pattern, SiteKey};
use std::fs;
use std::sync::LazyLock;
use walk::walk;

mod dumper;
mod walk;

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/SPEC.md");

/// The document before any test rewrites it.
static SPEC: LazyLock<String> =
    LazyLock::new(|| fs::read_to_string(PATH).expect("SPEC.md stands beside src"));

fn rewrites() -> bool {
    std::env::var_os("ROBOMATON_WRITE").is_some()
}

/// The image of the document's robots.txt.
fn tiny(spec: &str) -> Vec<u8> {
    image_of(block(spec, "robots"))
}

/// The image of one site with this robots.txt.
fn image_of(text: &str) -> Vec<u8> {
    let options = Options::default();
    let document = compile(text.as_bytes(), None, &options);
    let site = SiteKey::from_url("https://example.com/robots.txt").expect("a URL");
    emit(vec![Entry::fetched(site, &document)], &options).expect("a small image")
}

/// The rules of the worked program in the document.
const RULES: [(&str, Priority); 3] = [("/a", 4), ("/ab$", 9), ("/*.gif$", 14)];

fn worked(build: Build) -> Vec<u8> {
    let prioritized = |(text, priority): (&'static str, Priority)| Prioritized {
        pattern: Pattern { text: text.as_bytes(), notation: Notation::Rep },
        priority,
    };
    let mut out = Vec::new();
    let mut rules = RULES.map(prioritized).into();
    normalise(&mut rules);
    build(&rules, Notation::Rep, Weighing::Ranked(Silence::Allowed), &mut out);
    out
}

/// Builds a program in one form or the other.
type Build = fn(&[Prioritized<'_>], Notation, Weighing, &mut Vec<u8>) -> usize;

/// The fenced block after this marker.
fn block<'s>(spec: &'s str, mark: &str) -> &'s str {
    let (_, rest) = spec.split_once(&format!("<!-- {mark} -->\n```text\n")).expect("a marked block");
    rest.split_once("```\n").expect("the end of a block").0
}

#[test]
fn dumps_are_what_the_compiler_gives() {
    let mut spec = SPEC.clone();
    let dump_program = |build: Build| {
        let program = worked(build);
        let mut dump = Dump::new(&program);
        dump.program();
        assert_eq!(dump.at, program.len());
        dump.out
    };
    let scoped = dump_scoped(&image_of(block(&spec, "acap")));
    let preferences = dump_preferences(&image_of(block(&spec, "signals")));
    let dumps = [
        ("program", dump_program(build)),
        ("tries", dump_program(build_tries)),
        ("scoped", scoped),
        ("preferences", preferences),
        ("image", dump_image(&tiny(&spec))),
    ];
    for (mark, dump) in dumps {
        if rewrites() {
            let fence = |text: &str| format!("<!-- {mark} -->\n```text\n{text}```\n");
            spec = spec.replace(&fence(block(&spec, mark)), &fence(&dump));
        } else {
            assert_eq!(block(&spec, mark), dump, "{mark}: written anew by ROBOMATON_WRITE=1");
        }
    }
    if rewrites() {
        fs::write(PATH, spec).unwrap();
    }
}

/// Reads the bytes of a dump back from the document and compares them with the image.
#[test]
fn dump_reads_back() {
    if rewrites() {
        return;
    }
    let (spec, image) = (SPEC.as_str(), tiny(&SPEC));
    let mut bytes = Vec::new();
    for line in block(spec, "image").lines().filter(|line| line.as_bytes().get(4) == Some(&b' ')) {
        let Ok(at) = usize::from_str_radix(&line[..4], 16) else { continue };
        assert_eq!(at, bytes.len());
        let hex = line[6..].split("   ").next().unwrap().split("  ").next().unwrap();
        match hex.strip_prefix("00 x ") {
            Some(count) => bytes.resize(bytes.len() + count.trim().parse::<usize>().unwrap(), 0),
            None => bytes.extend(hex.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap())),
        }
    }
    assert_eq!(bytes, image);
    assert!(Layout::parse(&bytes).is_ok());
}

#[test]
fn worked_program_gives_what_the_table_says() {
    let programs =
        [build as Build, build_tries].map(|build| [worked(build), vec![0; program::PADDING]].concat());
    let (_, rest) = SPEC.split_once("### Worked programs\n").unwrap();
    for (text, priority) in RULES {
        assert!(rest.contains(&format!(" | {text} | {priority} |\n")), "{text}");
    }
    let (_, rest) = rest.split_once("| target | priority | |\n|---|---|---|\n").unwrap();
    let rows: Vec<_> = rest.lines().take_while(|line| line.starts_with('|')).collect();
    assert!(rows.len() >= 5);
    for row in rows {
        let cells: Vec<_> = row.trim_matches('|').split('|').map(str::trim).collect();
        let target = cells[0].as_bytes();
        let matching = RULES
            .iter()
            .filter(|(text, _)| Pattern { text: text.as_bytes(), notation: Notation::Rep }.matches(target));
        let naive = matching.map(|&(_, priority)| priority).max().unwrap_or(0);
        let word = match naive {
            0 => "silence: allowed",
            priority if program::permits(priority) => "allowed",
            _ => "disallowed",
        };
        assert_eq!(cells[1..], [naive.to_string().as_str(), word], "{row}");
        for program in &programs {
            assert_eq!(walk(program, target).last().copied().unwrap_or(0), naive, "{row}");
        }
    }
}

/// Sets of up to twelve random patterns over few bytes, so that they overlap and share prefixes and
/// endings.
#[test]
fn walk_of_the_specification_gives_the_highest_matching_priority() {
    let mut state = 1u64;
    let mut below = |bound: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound
    };
    let mut text = |letters: &[u8], length: usize| -> Vec<u8> {
        let bytes = (0..below(length)).map(|_| letters[below(letters.len())]);
        [b"/".to_vec(), bytes.collect()].concat()
    };
    for round in 0..2_000usize {
        let patterns: Vec<Vec<u8>> = (0..=round % 12).map(|_| text(b"ab/*$ab*", 8)).collect();
        // By length as in RFC 9309; in every third round by order.
        let rank = |(number, text): (usize, &Vec<u8>)| if round % 3 == 0 { number + 1 } else { text.len() };
        let rules: Vec<Prioritized<'_>> = patterns
            .iter()
            .enumerate()
            .map(|(number, text)| Prioritized {
                pattern: Pattern { text, notation: Notation::Rep },
                priority: 2 * rank((number, text)) as Priority + Priority::from(number % 2 == 1),
            })
            .collect();
        let mut normal = rules.clone();
        normalise(&mut normal);
        let programs = [build as Build, build_tries].map(|build| {
            let mut program = Vec::new();
            build(&normal, Notation::Rep, Weighing::Ranked(Silence::Allowed), &mut program);
            let length = program.len();
            program.extend([0; program::PADDING]);
            assert_eq!(program::check(&program), Ok(length));
            program
        });
        for _ in 0..20 {
            let target = text(b"ab/$", 12);
            let matching = rules.iter().filter(|rule| rule.pattern.matches(&target));
            let naive = matching.map(|rule| rule.priority).max().unwrap_or(0);
            let shown = String::from_utf8_lossy(&target);
            for program in &programs {
                let best = walk(program, &target).last().copied().unwrap_or(0);
                assert_eq!(best, naive, "{shown} in {rules:?}");
            }
        }
    }
}
