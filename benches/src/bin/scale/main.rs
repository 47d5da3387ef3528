//! Growth: generated corpora of many sizes, compiled, opened, verified and queried.
//!
//! ```text
//!   --sites N ──▶ captures (.warc.gz) ──▶ build ──▶ image ──▶ ask, lines ──▶ tables, exponents
//! ```
//!
//! Building and asking are stages, each in a separate process, so that their memory is measured
//! separately and a stage that takes too much can be ended. Invariant: a corpus is a prefix of
//! every larger one. Exponents are slopes of straight lines through the logarithms, over all
//! measured sizes.

mod ask;
mod build;
mod lines;
mod memory;
mod tables;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// The seed of all corpora.
pub(crate) const SEED: u64 = 1;

const USAGE: &str = "usage: scale [--sites N,N,...] [--memory-limit MIB] [--folder DIR] [--json FILE]";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match *args {
        ["stage-build", captures, image] => print(build::stage(Path::new(captures), Path::new(image))),
        ["stage-ask", image, sites] => sites
            .parse()
            .map_err(|_| USAGE.to_owned())
            .and_then(|sites| print(ask::stage(Path::new(image), sites))),
        ["stage-lines", image, urls] => lines::stage(Path::new(image), Path::new(urls)),
        _ => Wanted::new(&args).and_then(|wanted| run(&wanted)),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("scale: {error}");
            ExitCode::from(2)
        }
    }
}

/// Passes the results of a stage to the process that started it.
fn print(stage: Result<impl serde::Serialize, String>) -> Result<(), String> {
    println!("{}", serde_json::to_string(&stage?).map_err(|error| error.to_string())?);
    Ok(())
}

/// The command-line options.
struct Wanted {
    sites: Vec<u64>,
    /// Maximum memory of a stage in bytes, without mapped files.
    memory: u64,
    /// The directory for captures and images.
    folder: PathBuf,
    json: Option<PathBuf>,
}

impl Wanted {
    fn new(args: &[&str]) -> Result<Wanted, String> {
        let mut wanted = Wanted {
            sites: vec![1_000, 10_000, 100_000],
            memory: 8 << 30,
            folder: std::env::temp_dir(),
            json: None,
        };
        for pair in args.chunks(2) {
            let number =
                |text: &str| text.parse::<u64>().map_err(|_| format!("{text:?} is no number; {USAGE}"));
            match *pair {
                ["--sites", list] => wanted.sites = list.split(',').map(number).collect::<Result<_, _>>()?,
                ["--memory-limit", mib] => wanted.memory = number(mib)? << 20,
                ["--folder", folder] => wanted.folder = folder.into(),
                ["--json", file] => wanted.json = Some(file.into()),
                _ => return Err(USAGE.into()),
            }
        }
        wanted.sites.sort_unstable();
        Ok(wanted)
    }
}

/// The results for one size.
struct Measured {
    sites: u64,
    built: build::Built,
    asked: ask::Asked,
    /// Lines read by look-ups of hosts in the image, and of hosts that are not.
    lines: Option<[lines::Lines; 2]>,
}

fn run(wanted: &Wanted) -> Result<(), String> {
    let mut all = Vec::new();
    for &sites in &wanted.sites {
        match measure(wanted, sites) {
            Ok(measured) => all.push(measured),
            Err(error) => eprintln!("{sites} sites: {error}"),
        }
    }
    tables::results(&all).deliver(wanted.json.as_deref())
}

fn measure(wanted: &Wanted, sites: u64) -> Result<Measured, String> {
    let folder = wanted.folder.join(format!("robomaton-scale-{}-{sites}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let measured = stages(wanted, sites, &folder);
    std::fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    measured
}

fn stages(wanted: &Wanted, sites: u64, folder: &Path) -> Result<Measured, String> {
    let (captures, image) = (folder.join("captures.warc.gz"), folder.join("image.rimg"));
    eprintln!("{sites} sites: captures");
    build::captures(sites, &captures)?;
    eprintln!("{sites} sites: build");
    let built = stage(&["stage-build".as_ref(), &captures, &image])?;
    let built = read(&memory::run(built, wanted.memory)?)?;
    std::fs::remove_file(&captures).map_err(|error| error.to_string())?;
    eprintln!("{sites} sites: ask");
    let asked = stage(&["stage-ask".as_ref(), &image, sites.to_string().as_ref()])?;
    let asked = read(&memory::run(asked, wanted.memory)?)?;
    eprintln!("{sites} sites: lines");
    let lines = |hit| {
        let (urls, trace) = (folder.join("urls"), folder.join("trace"));
        let text = ask::urls(sites, hit, lines::QUESTIONS)?.join("\n");
        std::fs::write(&urls, text).map_err(|error| error.to_string())?;
        lines::count(&stage(&["stage-lines".as_ref(), &image, &urls])?, &trace)
    };
    let lines = lines(true)?.zip(lines(false)?).map(|(hit, miss)| [hit, miss]);
    Ok(Measured { sites, built, asked, lines })
}

/// The command that runs a stage of this program.
fn stage(args: &[&Path]) -> Result<Command, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(own);
    command.args(args);
    Ok(command)
}

fn read<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}
