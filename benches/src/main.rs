//! The input and output of the benches: generated corpora, and the report.

mod report;

use robomaton_benches::Corpus;
use robomaton_benches::generate::statistics::Statistics;
use robomaton_benches::generate::{Generator, learn, measures, warc};
use std::fs::File;
use std::io::BufWriter;
use std::process::ExitCode;

const USAGE: &str = "usage: report [...] | check [--seed N] | generate SITES FILE [--seed N] | learn FILE

report     runs all measurements, or reads their JSON, and writes RESULTS.md and plots/
check      sets the shipped statistics beside a corpus that was generated from them
generate   writes the captures of a generated corpus, a .warc.gz
learn      writes the statistics of the corpus that ROBOMATON_CORPUS names";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match run(&args.iter().map(String::as_str).collect::<Vec<_>>()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{text:?} is no number; {USAGE}"))
}

fn run(args: &[&str]) -> Result<bool, String> {
    if let ["report", rest @ ..] = args {
        return report::report(rest).map(|()| true);
    }
    let (args, seed) = match args {
        [args @ .., "--seed", seed] => (args, number(seed)?),
        args => (args, 0),
    };
    match args {
        ["learn", path] => {
            let statistics = learn::learn(&Corpus::load()?);
            std::fs::write(path, statistics.to_text()?).map_err(|error| format!("{path}: {error}"))?;
            Ok(true)
        }
        ["check"] => check(&Generator::new(Statistics::shipped()?, seed)),
        ["generate", sites, path] => {
            let file = File::create(path).map_err(|error| format!("{path}: {error}"))?;
            let bytes = warc::write(&Generator::shipped(seed)?, number(sites)?, BufWriter::new(file))
                .map_err(|error| format!("{path}: {error}"))?;
            println!("{sites} sites, {bytes} bytes of bodies");
            Ok(true)
        }
        _ => Err(USAGE.into()),
    }
}

/// Prints the measures of the real corpus and of a generated one of its size; true if all are
/// within their tolerance.
fn check(generator: &Generator) -> Result<bool, String> {
    let real = &generator.statistics().measures;
    let generated = measures::of_generated(generator, measures::sites(real));
    println!("| measure | real | generated | ratio | within |\n|---|---:|---:|---:|---:|");
    let mut all = true;
    for (real, generated) in real.iter().zip(&generated) {
        let ratio = generated.value / real.value;
        let holds = real.holds(generated.value);
        all &= holds;
        let mark = if holds { "" } else { " no" };
        println!(
            "| {} | {:.4} | {:.4} | {ratio:.3} | {}{mark} |",
            real.name, real.value, generated.value, real.tolerance
        );
    }
    Ok(all)
}
