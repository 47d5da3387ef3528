//! Random ACAP files: the compiled form, the trace evaluator and the oracle give the same answer to
//! every question.
//!
//! Verdict, deciding lines, conditions and completeness are compared. `ROBOMATON_SEED` and
//! `ROBOMATON_CASES` vary a run; a failure prints the smallest file that still shows it.

use robomaton_tests::acap::{self, Answer as Said};
use robomaton_tests::acap_files::{AcapFile, Coverage, Question as Drawn};
use robomaton_tests::engines::{self, Trace};
use robomaton_tests::generate::Random;
use robomaton_tests::setting;
use robomaton_tests::suite::{Answer, Engine, Question, Text, agree};
use std::collections::BTreeMap;

const ORIGIN: &str = "https://example.com";

/// The answers of the three.
struct Three {
    oracle: Answer,
    trace: Answer,
    image: Answer,
}

impl Three {
    fn agree(&self) -> bool {
        // The oracle gives conditions as written.
        let folded = |answer: &Answer| {
            let mut conditions: Vec<String> =
                answer.conditions.iter().map(|text| text.to_ascii_lowercase()).collect();
            conditions.sort_unstable();
            conditions.dedup();
            Answer { conditions, ..answer.clone() }
        };
        let oracle = folded(&self.oracle);
        self.trace == self.image && agree(&oracle, &folded(&self.trace))
    }
}

fn of_oracle(said: Said) -> Answer {
    Answer {
        verdict: said.verdict.to_owned(),
        lines: Some(said.lines),
        conditions: said.conditions,
        incomplete: said.incomplete,
    }
}

/// A file loaded into all three.
struct Loaded<'f> {
    file: &'f AcapFile,
    trace: Trace,
    image: Box<dyn Engine>,
}

impl<'f> Loaded<'f> {
    fn new(file: &'f AcapFile) -> Loaded<'f> {
        let files: BTreeMap<String, String> =
            file.others.iter().map(|(path, text)| ((*path).to_owned(), text.clone())).collect();
        let text = Text { files: &files, ..Text::new(file.robots.as_bytes(), Some(ORIGIN), "full") };
        let (mut trace, mut image) = (Trace::default(), engines::fresh());
        trace.load(&text);
        image.load(&text);
        Loaded { file, trace, image: Box::new(image) }
    }

    fn ask(&self, drawn: &Drawn) -> Three {
        let url = format!("{ORIGIN}{}", drawn.target);
        let question =
            Question { purpose: drawn.purpose, ..Question::new(&drawn.agents, &drawn.usage, &url) };
        let referred = |path: &str| self.file.referred(path);
        Three {
            oracle: of_oracle(acap::answer(self.file.robots.as_bytes(), &referred, &drawn.ask())),
            trace: self.trace.ask(&question),
            image: self.image.ask(&question),
        }
    }
}

/// The oracle has no questions for crawlers with `named_only`; trace and image do.
fn assert_named_only(loaded: &Loaded<'_>, drawn: &Drawn) {
    let url = format!("{ORIGIN}{}", drawn.target);
    let question = Question::new(&drawn.agents, &drawn.usage, &url);
    let question = Question { purpose: drawn.purpose, named_only: true, ..question };
    let (trace, image) = (loaded.trace.ask(&question), loaded.image.ask(&question));
    assert_eq!(trace, image, "{question:?} of\n{}", loaded.file.robots);
}

/// Removes lines of the files as long as the three still differ.
fn shrink(file: &AcapFile, drawn: &Drawn) -> AcapFile {
    let mut small = file.clone();
    let differ = |file: &AcapFile| !Loaded::new(file).ask(drawn).agree();
    for part in 0..=file.others.len() {
        let mut at = 0;
        loop {
            let mut fewer = small.clone();
            let text = if part == 0 { &mut fewer.robots } else { &mut fewer.others[part - 1].1 };
            let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
            if at >= lines.len() {
                break;
            }
            lines.remove(at);
            *text = lines.concat();
            if differ(&fewer) { small = fewer } else { at += 1 }
        }
    }
    small
}

fn account(file: &AcapFile, drawn: &Drawn) -> String {
    let small = shrink(file, drawn);
    let Three { oracle, trace, image } = Loaded::new(&small).ask(drawn);
    let numbered = |text: &str| -> String {
        (1..)
            .zip(text.lines())
            .map(|(number, line): (u32, _)| format!("    {number:>3} | {line}\n"))
            .collect()
    };
    let others: String =
        small.others.iter().map(|(path, text)| format!("  {path}\n{}", numbered(text))).collect();
    format!(
        "{drawn:?}\n  oracle: {oracle}\n  trace:  {trace}\n  image:  {image}\n{}{others}",
        numbered(&small.robots)
    )
}

#[test]
fn oracle_trace_and_image_agree() {
    let mut random = Random::new(setting("ROBOMATON_SEED", 2007));
    let mut coverage = Coverage::default();
    let questions: usize = setting("ROBOMATON_CASES", 100_000);
    let (mut compared, mut different) = (0, Vec::new());
    while compared < questions {
        let file = random.acap_file();
        let loaded = Loaded::new(&file);
        for drawn in random.acap_questions(&file, 16) {
            compared += 1;
            let referred = |path: &str| file.referred(path);
            let (answer, story) = acap::explain(file.robots.as_bytes(), &referred, &drawn.ask());
            coverage.see(&answer, &story);
            if !loaded.ask(&drawn).agree() {
                different.push(account(&file, &drawn));
            }
            if compared % 8 == 0 {
                assert_named_only(&loaded, &drawn);
            }
        }
        if different.len() >= 5 {
            break;
        }
    }
    println!("{compared} questions compared: {coverage:?}");
    assert!(different.is_empty(), "{} differ within {compared}:\n{}", different.len(), different.join("\n"));
    for kind in ["undetermined", "equal", "derived", "overridden", "joined", "dropped", "other", "purpose"] {
        assert!(coverage.per_mille(kind) >= 5, "{kind} is rare: {coverage:?}");
    }
}
