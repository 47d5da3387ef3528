//! Tries what SECURITY.md promises, and prints what was tried and what came of it.
//!
//! `reliability [--long] [--write] [PART ...]`: every part, or those that are named. The short form
//! is part of the check of every change, the long form takes hours; `--write` puts the tables of
//! all parts into SECURITY.md. It measures nothing that `report` measures. Invariant: a promise
//! that does not hold ends the run with its name and exit code 1.

mod content;
mod damage;
mod service;

use robomaton_benches::results::Results;
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "usage: reliability [--long] [--write] [damage|service|content ...]";

/// Tries one part, and adds its tables.
type Measure = fn(Form, &mut Results) -> Result<(), String>;

const PARTS: [(&str, Measure); 3] =
    [("damage", damage::measure), ("service", service::measure), ("content", content::measure)];

/// How much is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A minute for each part.
    Short,
    /// As much as the promise says.
    Long,
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [stage, rest @ ..] = args.as_slice()
        && stage == service::STAGE
    {
        return service::stage(rest);
    }
    match Wanted::new(&args).and_then(|wanted| wanted.run()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("reliability: {error}");
            ExitCode::from(1)
        }
    }
}

struct Wanted {
    form: Form,
    write: bool,
    parts: Vec<(&'static str, Measure)>,
}

impl Wanted {
    fn new(args: &[String]) -> Result<Wanted, String> {
        let mut wanted = Wanted { form: Form::Short, write: false, parts: Vec::new() };
        for arg in args {
            match arg.as_str() {
                "--long" => wanted.form = Form::Long,
                "--write" => wanted.write = true,
                name => wanted.parts.push(*PARTS.iter().find(|part| part.0 == name).ok_or(USAGE)?),
            }
        }
        if wanted.parts.is_empty() {
            wanted.parts = PARTS.to_vec();
        }
        Ok(wanted)
    }

    fn run(&self) -> Result<(), String> {
        let mut results = Results::default();
        let tried = self.parts.iter().try_for_each(|(name, measure)| {
            eprintln!("{name}");
            measure(self.form, &mut results).map_err(|error| format!("{name}: {error}"))
        });
        results.deliver(None)?;
        tried?;
        if self.write {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../SECURITY.md");
            let failed = |error: std::io::Error| format!("{}: {error}", path.display());
            let text = results.fill(&std::fs::read_to_string(&path).map_err(failed)?)?;
            std::fs::write(&path, text).map_err(failed)?;
        }
        Ok(())
    }
}
