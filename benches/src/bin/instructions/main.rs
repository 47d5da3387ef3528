//! Counts the instructions of our answers, by the way of asking and by the kind of rules.
//!
//! ```text
//!   corpus ──▶ image, questions ──▶ this program again, under callgrind ──▶ a profile per pass ──▶ tables
//! ```
//!
//! The questions are those of the race. The answers are checked, and the image and the questions
//! written to files, before valgrind starts, so that it watches nothing but the loading and the
//! passes. Invariant: what a pass does is counted, and nothing else is. Counts depend on the
//! compiler, the profile of the build and the vectors of the processor, not on what else the
//! machine does.

mod asked;
mod callgrind;

use asked::{KINDS, WAYS};
use callgrind::Cost;
use robomaton_benches::queries::{FILES, Lengths, PER_FILE, Queries};
use robomaton_benches::results::{Results, Table};
use robomaton_benches::{Asker, Corpus, Field};
use robomaton_compiler::Options;
use robomaton_runtime::Image;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "usage: instructions [--json FILE] [--keep DIRECTORY]

--keep   a directory for the profiles of each pass, which callgrind_annotate reads";

/// The passes over questions of one length.
struct Counts {
    paths: &'static str,
    passes: Vec<Cost>,
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let result = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [asked::STAGE, image, questions] => asked::stage(Path::new(image), Path::new(questions)),
        ref args => wanted(args).and_then(|(json, keep)| run(keep.as_deref())?.deliver(json.as_deref())),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("instructions: {error}");
            ExitCode::from(2)
        }
    }
}

/// The file for the results and the directory for profiles.
fn wanted(args: &[&str]) -> Result<(Option<PathBuf>, Option<PathBuf>), String> {
    let (mut json, mut keep) = (None, None);
    for option in args.chunks(2) {
        match *option {
            ["--json", file] => json = Some(file.into()),
            ["--keep", directory] => keep = Some(directory.into()),
            _ => return Err(USAGE.into()),
        }
    }
    Ok((json, keep))
}

fn run(keep: Option<&Path>) -> Result<Results, String> {
    callgrind::find()?;
    let temporary = tempfile::tempdir().map_err(|error| error.to_string())?;
    let corpus = Corpus::load()?;
    let field = Field::new(&corpus, Options::default(), FILES);
    let image = temporary.path().join("image");
    std::fs::write(&image, field.image()).map_err(|error| error.to_string())?;
    let mut counts = Vec::new();
    for (paths, lengths) in [("short", Lengths::Short), ("long", Lengths::Long)] {
        let queries = Queries::derive(&field, PER_FILE, lengths);
        check(&field, &queries, paths)?;
        let questions = temporary.path().join(format!("{paths}.json"));
        let text = serde_json::to_string(&queries.shuffled()).map_err(|error| error.to_string())?;
        std::fs::write(&questions, text).map_err(|error| error.to_string())?;
        let profiles = keep.unwrap_or(temporary.path()).join(paths);
        std::fs::create_dir_all(&profiles).map_err(|error| format!("{}: {error}", profiles.display()))?;
        counts.push(Counts { paths, passes: callgrind::count(&image, &questions, &profiles)? });
    }
    Ok(Results { tables: vec![ways(&counts), kinds(&counts)], series: Vec::new() })
}

/// Checks every answer, and says what is asked.
fn check(field: &Field<'_>, queries: &Queries, paths: &str) -> Result<(), String> {
    let image = Image::from_bytes(field.image()).map_err(|error| error.to_string())?;
    let files: BTreeSet<usize> = queries.seats.iter().map(|seat| seat.file).collect();
    let (questions, files) = (queries.all().len(), files.len());
    println!(
        "{questions} questions about {files} files, {paths} paths of {:.1} bytes",
        queries.mean_length()
    );
    Asker::new(&image, queries)?.checked_answers(field, queries).map(|_| ())
}

/// The ways of asking.
fn ways(counts: &[Counts]) -> Table {
    let mut table = Table::new(
        "instructions",
        &["what:", "paths:", "questions", "instructions", "mispredicted branches"],
    );
    for (number, way) in WAYS.iter().enumerate() {
        for Counts { paths, passes } in counts {
            let pass = &passes[number];
            table.row(vec![
                (*way).to_owned(),
                (*paths).to_owned(),
                pass.questions.to_string(),
                format!("{:.1}", pass.each(pass.instructions)),
                format!("{:.2}", pass.each(pass.mispredicted)),
            ]);
        }
    }
    table
}

/// The kinds of rules, site and crawler held.
fn kinds(counts: &[Counts]) -> Table {
    let columns = ["rules:", "paths:", "questions", "instructions", "share of all instructions"];
    let mut table = Table::new("instructions-kinds", &columns);
    for (number, kind) in KINDS.iter().enumerate() {
        for Counts { paths, passes } in counts {
            let passes = &passes[WAYS.len()..];
            let all: u64 = passes.iter().map(|pass| pass.instructions).sum();
            let pass = &passes[number];
            table.row(vec![
                kind.name.to_owned(),
                (*paths).to_owned(),
                pass.questions.to_string(),
                format!("{:.1}", pass.each(pass.instructions)),
                format!("{:.1} %", 100.0 * pass.instructions as f64 / all.max(1) as f64),
            ]);
        }
    }
    table
}
