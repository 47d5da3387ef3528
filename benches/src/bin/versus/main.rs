//! The race: robomaton and other libraries, in one process, on the same questions, with answers
//! compared first.
//!
//! Our own answers must equal those of the trace evaluator on every question, otherwise nothing is
//! timed. A rival's answers are compared with ours and the agreement is printed: some have known
//! bugs, and some read the standard differently. Times are medians of interleaved rounds.

mod agreement;
mod table;

use agreement::Agreement;
use robomaton_benches::clock::{Contestant, race};
use robomaton_benches::queries::{FILES, Lengths, PER_FILE, Queries};
use robomaton_benches::results::Results;
use robomaton_benches::rivals::{self, Form, Rival};
use robomaton_benches::{Asked, Asker, Class, Corpus, Field};
use robomaton_compiler::Options;
use robomaton_formats::Profile;
use robomaton_runtime::Image;
use std::path::PathBuf;
use std::process::ExitCode;

/// The command-line options.
struct Wanted {
    /// Files with records, taken evenly from the corpus.
    files: usize,
    /// Questions per file.
    per_file: usize,
    /// Timed rounds.
    rounds: usize,
    /// Only ours and robotxt.
    short: bool,
    /// The lengths of paths.
    lengths: Lengths,
    /// Passes of ours only over the shuffled questions, for a profiler; nothing else is done.
    passes: usize,
    /// The file for the results in JSON.
    json: Option<PathBuf>,
}

const USAGE: &str = "usage: versus [--files N] [--per-file N] [--rounds N] [--short] \
    [--short-paths] [--passes N] [--json FILE]";

fn main() -> ExitCode {
    match wanted(std::env::args().skip(1)).and_then(|wanted| run(&wanted)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("versus: {error}");
            ExitCode::from(2)
        }
    }
}

fn wanted(mut args: impl Iterator<Item = String>) -> Result<Wanted, String> {
    let mut wanted = Wanted {
        files: FILES,
        per_file: PER_FILE,
        rounds: 7,
        short: false,
        lengths: Lengths::Long,
        passes: 0,
        json: None,
    };
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(USAGE);
        let number = |text: String| text.parse().map_err(|_| format!("{text:?} is no number; {USAGE}"));
        match arg.as_str() {
            "--files" => wanted.files = number(value()?)?,
            "--per-file" => wanted.per_file = number(value()?)?,
            "--rounds" => wanted.rounds = number(value()?)?,
            "--passes" => wanted.passes = number(value()?)?,
            "--short" => wanted.short = true,
            "--short-paths" => wanted.lengths = Lengths::Short,
            "--json" => wanted.json = Some(value()?.into()),
            _ => return Err(USAGE.into()),
        }
    }
    Ok(wanted)
}

/// The cost of reading the path and the site's first line without deciding anything.
fn floor(asked: &Asked<'_>) -> bool {
    let sum = asked.path.bytes().fold(0u8, |sum, byte| sum ^ byte);
    (sum ^ asked.site.status() as u8) & 1 == 0
}

/// Look-ups with resolved sites, for a profiler.
#[inline(never)]
fn profiled(asked: &[Asked<'_>]) {
    std::hint::black_box(asked.iter().filter(|asked| asked.resolved()).count());
}

/// Look-ups of whole URLs, for a profiler.
#[inline(never)]
fn profiled_urls(image: &Image<Vec<u8>>, asked: &[Asked<'_>]) {
    std::hint::black_box(asked.iter().filter(|asked| asked.full_url(image)).count());
}

/// Batches of whole URLs, for a profiler.
#[inline(never)]
fn profiled_batch(ours: &Asker<'_>, asked: &[Asked<'_>]) {
    std::hint::black_box(ours.batch(asked));
}

/// Our answers under another profile.
fn answers_under(profile: Profile, field: &Field<'_>, queries: &Queries) -> Result<Vec<bool>, String> {
    let field = field.under(profile);
    let image = Image::from_bytes(field.image()).map_err(|error| error.to_string())?;
    let ours = Asker::new(&image, queries)?;
    Ok(ours.asked(queries).iter().map(Asked::resolved).collect())
}

fn run(wanted: &Wanted) -> Result<(), String> {
    let corpus = Corpus::load()?;
    let field = Field::new(&corpus, Options::default(), wanted.files);
    let queries = Queries::derive(&field, wanted.per_file, wanted.lengths);
    let image = Image::from_bytes(field.image()).map_err(|error| error.to_string())?;
    let ours = Asker::new(&image, &queries)?;
    let asked = queries.seats.iter().map(|seat| seat.file).collect::<std::collections::BTreeSet<_>>().len();
    println!(
        "{} questions about {asked} files, paths of {:.1} bytes; image of {} bytes\n",
        queries.all().len(),
        queries.mean_length(),
        field.image().len()
    );
    let answers = ours.checked_answers(&field, &queries)?;

    if wanted.passes > 0 {
        let shuffled = queries.shuffled();
        let asked = ours.asked(&shuffled);
        (0..wanted.passes).for_each(|_| profiled(&asked));
        (0..wanted.passes).for_each(|_| profiled_urls(&image, &asked));
        (0..wanted.passes).for_each(|_| profiled_batch(&ours, &asked));
        return Ok(());
    }
    // Panics of rivals are counted, not printed.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let mut rivals: Vec<Box<dyn Rival>> = vec![Box::new(rivals::robotxt(&field, &queries))];
    if !wanted.short {
        rivals.push(Box::new(rivals::texting_robots(&field, &queries)));
        rivals.push(Box::new(rivals::cylon(&field, &queries)));
        rivals.push(Box::new(rivals::robotstxt(&field, &queries)));
        rivals.push(Box::new(rivals::scan(&field, &queries)));
        for form in [Form::Dense, Form::Sparse, Form::Lazy] {
            rivals.push(Box::new(rivals::automata(&field, &queries, form).0));
        }
    }
    let of_google = answers_under(Profile::Google, &field, &queries)?;
    let agreement = |rival: &dyn Rival| {
        let ours = if rival.nearest() == Profile::Google { &of_google } else { &answers };
        Agreement::new(rival, &field, &queries, ours)
    };
    let agreements: Vec<Agreement> = rivals.iter().map(|rival| agreement(rival.as_ref())).collect();
    agreements.iter().for_each(|agreement| print!("{agreement}"));

    let shuffled = queries.shuffled();
    let mut results = Results::default();
    let mut race = table::race();
    table::order("file order", (&image, &ours), &rivals, &queries, wanted.rounds, &mut race, &mut results);
    table::order("shuffled", (&image, &ours), &rivals, &shuffled, wanted.rounds, &mut race, &mut results);
    let classes = table::classes(&ours, rivals[0].as_ref(), &shuffled, wanted.rounds);
    table::distribution(&ours, rivals[0].as_ref(), &shuffled, &mut results);
    std::panic::set_hook(hook);
    results.tables = vec![race, classes, agreement::table(&agreements)];
    results.deliver(wanted.json.as_deref())
}
