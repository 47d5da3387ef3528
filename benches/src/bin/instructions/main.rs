//! Counts the instructions of our answers, by the way of asking and by the kind of rules.
//!
//! ```text
//!   corpus ──▶ image, questions ──▶ this program again, under callgrind ──▶ a profile per pass ──▶ tables
//! ```
//!
//! The questions are those of the race; questions about uses have texts of their own (`uses`) and
//! need no corpus. The answers are checked, and the image and the questions
//! written to files, before valgrind starts, so that it watches nothing but the loading and the
//! passes. Invariant: what a pass does is counted, and nothing else is. Counts depend on the
//! compiler, the profile of the build and the vectors of the processor, not on what else the
//! machine does.

mod asked;
mod callgrind;
mod uses;

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

const USAGE: &str = "usage: instructions [--json FILE] [--keep DIRECTORY] [--uses]

--keep   a directory for the profiles of each pass, which callgrind_annotate reads
--uses   count only questions about uses, which need no corpus";

/// The arguments of the program.
#[derive(Default)]
struct Wanted {
    /// The file for the results.
    json: Option<PathBuf>,
    /// The directory for profiles.
    keep: Option<PathBuf>,
    /// Only questions about uses are counted.
    uses: bool,
}

/// The passes over questions of one length.
struct Counts {
    paths: &'static str,
    passes: Vec<Cost>,
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let result = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [asked::STAGE, image, questions] => asked::stage(Path::new(image), Path::new(questions)),
        [uses::STAGE, image] => uses::stage(Path::new(image)),
        ref args => wanted(args).and_then(|wanted| run(&wanted)?.deliver(wanted.json.as_deref())),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("instructions: {error}");
            ExitCode::from(2)
        }
    }
}

fn wanted(args: &[&str]) -> Result<Wanted, String> {
    let (mut wanted, mut args) = (Wanted::default(), args.iter());
    while let Some(&option) = args.next() {
        match (option, &mut wanted) {
            ("--uses", Wanted { uses, .. }) => *uses = true,
            ("--json", Wanted { json: path, .. }) | ("--keep", Wanted { keep: path, .. }) => {
                *path = Some(args.next().ok_or(USAGE)?.into());
            }
            _ => return Err(USAGE.into()),
        }
    }
    Ok(wanted)
}

fn run(wanted: &Wanted) -> Result<Results, String> {
    callgrind::find()?;
    let temporary = tempfile::tempdir().map_err(|error| error.to_string())?;
    let image = temporary.path().join("image");
    let write = |bytes: &[u8]| std::fs::write(&image, bytes).map_err(|error| error.to_string());
    let profiles = |of: &str| {
        let profiles = wanted.keep.as_deref().unwrap_or(temporary.path()).join(of);
        let made = std::fs::create_dir_all(&profiles);
        made.map_err(|error| format!("{}: {error}", profiles.display())).map(|()| profiles)
    };
    write(&uses::image()?)?;
    let passes = callgrind::count(uses::STAGE, &[&image], uses::passes().count(), &profiles("uses")?)?;
    let of_uses = uses_table(&passes);
    if wanted.uses {
        return Ok(Results { tables: vec![of_uses], series: Vec::new() });
    }
    let corpus = Corpus::load()?;
    let field = Field::new(&corpus, Options::default(), FILES);
    write(&field.image())?;
    let mut counts = Vec::new();
    for (paths, lengths) in [("short", Lengths::Short), ("long", Lengths::Long)] {
        let queries = Queries::derive(&field, PER_FILE, lengths);
        check(&field, &queries, paths)?;
        let questions = temporary.path().join(format!("{paths}.json"));
        let text = serde_json::to_string(&queries.shuffled()).map_err(|error| error.to_string())?;
        std::fs::write(&questions, text).map_err(|error| error.to_string())?;
        let expected = WAYS.len() + KINDS.len();
        let passes = callgrind::count(asked::STAGE, &[&image, &questions], expected, &profiles(paths)?)?;
        counts.push(Counts { paths, passes });
    }
    Ok(Results { tables: vec![ways(&counts), kinds(&counts), of_uses], series: Vec::new() })
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

/// Questions about uses.
fn uses_table(passes: &[Cost]) -> Table {
    let columns = ["text:", "usage:", "questions", "instructions", "mispredicted branches"];
    let mut table = Table::new("instructions-uses", &columns);
    for ((text, usage), pass) in uses::passes().zip(passes) {
        table.row(vec![
            text.to_owned(),
            format!("`{usage}`"),
            pass.questions.to_string(),
            format!("{:.1}", pass.each(pass.instructions)),
            format!("{:.2}", pass.each(pass.mispredicted)),
        ]);
    }
    table
}
