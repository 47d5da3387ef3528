//! `robomaton bench`: measures look-ups in an image, in three ways, on the user's own queries.
//!
//! The three ways must agree on every verdict, otherwise no figures are printed. One thread;
//! medians over rounds, each long enough for the clock.

use crate::ask::{Mistakes, Position, checked, parse};
use crate::failure::{Failure, called};
use crate::input::{Lines, announce_stdin, open_image, read_file};
use crate::options::QueryArgs;
use crate::output::Out;
use clap::Args;
use robomaton_explain::{InputQuestion, Names, for_purpose, url_mistake, without_mark};
use robomaton_runtime::{Crawler, Image, Question, Site, Terms, Usage};
use serde::Serialize;
use std::collections::HashMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// The minimum time of a round: shorter rounds repeat the queries.
const ROUND: Duration = Duration::from_millis(50);

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Image: a file, or a directory of shards or layers
    image: PathBuf,
    /// Queries, one per line, as `query` reads them: a URL; an agent, a tab and a URL; or a JSON
    /// object. `-` means standard input
    #[arg(long, value_name = "FILE")]
    queries: PathBuf,
    #[command(flatten)]
    query: QueryArgs,
    /// Number of rounds of each measurement, at least 7
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u32).range(7..))]
    rounds: u32,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Prints the median of the rounds in nanoseconds per look-up, measured on one thread:
  site_resolved  the site is already resolved, a path is looked up
  full_url       a whole URL is looked up
  batch          whole URLs are looked up, many at once
Queries for sites that are not in the image are left out of all three. lookups_per_second is the rate of batch. Invalid \
lines are reported on standard error and make the exit code 2.

Examples:
  robomaton bench crawl.rimg --queries urls.txt --agent GPTBot
  robomaton bench crawl.rimg --queries agents-and-urls.tsv --json";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let elements = arguments.query.usage.elements;
    let image = open_image(&arguments.image)?.with_terms(Terms { elements, ..Terms::default() });
    arguments.query.check_agents(image.profile())?;
    arguments.query.usage.check(&image)?;
    if arguments.queries.as_os_str() == "-" {
        announce_stdin();
    }
    let text = read_file(&arguments.queries)?;
    let text = String::from_utf8_lossy(without_mark(&text));
    let mut mistakes = Mistakes::default();
    let questions = read(&image, &text, &mut mistakes);
    let mut crawlers = vec![arguments.query.resolve(&image).0];
    let queries = load(&image, &questions, arguments.query.usage.resolve(&image), &mut crawlers);
    if queries.known.is_empty() {
        // The mistakes in the lines were reported before.
        let what = match questions.len() {
            0 => "holds no queries",
            _ => "no query is about a site that the image holds",
        };
        return Err(Failure::Message(format!("{}: {what}", called(&arguments.queries))));
    }
    let results = measure(&image, &crawlers, &queries, arguments.rounds)?;
    let mut out = Out::new();
    if arguments.json {
        out.json(&results)?;
    } else {
        results.write(&mut out)?;
    }
    out.finish()?;
    Ok(mistakes.exit_code())
}

/// A query whose site is in the image.
struct Query<'a> {
    /// Index into the crawlers.
    crawler: usize,
    usage: Usage<'a>,
    url: &'a str,
    site: Site<'a>,
    path: String,
}

struct Queries<'a> {
    known: Vec<Query<'a>>,
    /// The number of queries about other sites.
    unknown: usize,
}

/// Reads the questions and reports invalid lines.
fn read<'t>(image: &Image, text: &'t str, mistakes: &mut Mistakes) -> Vec<InputQuestion<'t>> {
    let mut lines = Lines::new(text);
    let mut questions = Vec::new();
    while let Some(line) = lines.next() {
        let asked = parse(line).and_then(|asked| checked(asked, image, image.profile()));
        match asked.and_then(|asked| url_mistake(&asked.url).map_or(Ok(asked), Err)) {
            Ok(asked) => questions.push(asked),
            Err(mistake) => {
                mistakes.report(Position::Read { before: 0, text, bytes: lines.read(text) }, &mistake)
            }
        }
    }
    questions
}

/// Finds the sites, and adds the crawlers of questions to `crawlers`.
fn load<'a>(
    image: &'a Image,
    questions: &'a [InputQuestion<'_>],
    usage: Usage<'a>,
    crawlers: &mut Vec<Crawler>,
) -> Queries<'a> {
    let mut numbers: HashMap<(String, bool), usize> = HashMap::new();
    let mut queries = Queries { known: Vec::new(), unknown: 0 };
    for asked in questions {
        let url = asked.url.as_ref();
        let Some(site) = image.site(url) else {
            queries.unknown += 1;
            continue;
        };
        let named_only = asked.named_only || crawlers[0].is_named_only();
        let crawler = if asked.agent.is_none() && named_only == crawlers[0].is_named_only() {
            0
        } else {
            let names = match &asked.agent {
                Some(Names::One(name)) => vec![name.to_string()],
                Some(Names::Several(names)) => names.clone(),
                None => crawlers[0].given().to_vec(),
            };
            *numbers.entry((names.join(","), named_only)).or_insert_with(|| {
                let crawler = image.crawler(&names);
                crawlers.push(crawler.named_only(named_only));
                crawlers.len() - 1
            })
        };
        let usage = asked.usage.as_ref().map_or(usage, |name| image.usage(name));
        let usage = for_purpose(usage, asked.purpose.as_deref());
        let path = String::from_utf8_lossy(&site.target(url)).into_owned();
        queries.known.push(Query { crawler, usage, url, site, path });
    }
    queries
}

/// The measurements and their basis.
#[derive(Serialize)]
struct Results {
    site_resolved: f64,
    full_url: f64,
    batch: f64,
    lookups_per_second: f64,
    queries: usize,
    /// The number of skipped queries, whose sites are not in the image.
    unknown_sites: usize,
    rounds: u32,
    /// A checksum of all verdicts in order; the same for all three ways.
    checksum: String,
}

impl Results {
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "site_resolved      {:>12.1} ns", self.site_resolved)?;
        writeln!(out, "full_url           {:>12.1} ns", self.full_url)?;
        writeln!(out, "batch              {:>12.1} ns", self.batch)?;
        writeln!(out, "lookups per second {:>12.0}", self.lookups_per_second)?;
        let Results { queries, unknown_sites, rounds, checksum, .. } = self;
        let queries = if *queries == 1 { "1 query".to_owned() } else { format!("{queries} queries") };
        writeln!(out, "{queries}, {unknown_sites} left out, median of {rounds} rounds, checksum {checksum}")
    }
}

fn measure(
    image: &Image,
    crawlers: &[Crawler],
    queries: &Queries<'_>,
    rounds: u32,
) -> Result<Results, Failure> {
    let known = &queries.known;
    let (resolved_sum, site_resolved) = time(known.len(), rounds, || {
        let verdict = |query: &Query<'_>| {
            query.site.decide(&crawlers[query.crawler], query.usage, &query.path).decision()
        };
        known.iter().fold(0, |sum, query| add(sum, verdict(query) as u64))
    });
    let (full_sum, full_url) = time(known.len(), rounds, || {
        let verdict =
            |query: &Query<'_>| image.decide(&crawlers[query.crawler], query.usage, query.url).decision();
        known.iter().fold(0, |sum, query| add(sum, verdict(query) as u64))
    });
    let (batch_sum, batch) = time(known.len(), rounds, || {
        let questions = known.iter().map(|query| {
            let Query { crawler, usage, url, .. } = *query;
            Question { crawler: &crawlers[crawler], usage, url }
        });
        let mut sum = 0;
        image.decide_batch(questions, |verdict| sum = add(sum, verdict.decision() as u64));
        sum
    });
    if resolved_sum != full_sum || full_sum != batch_sum {
        let sums = format!("{resolved_sum:016x}, {full_sum:016x}, {batch_sum:016x}");
        return Err(Failure::Message(format!(
            "internal error: the three ways differ in their verdicts ({sums})"
        )));
    }
    Ok(Results {
        site_resolved,
        full_url,
        batch,
        lookups_per_second: 1e9 / batch,
        queries: known.len(),
        unknown_sites: queries.unknown,
        rounds,
        checksum: format!("{full_sum:016x}"),
    })
}

/// Adds to a checksum that depends on the order.
#[inline]
fn add(sum: u64, verdict: u64) -> u64 {
    sum.rotate_left(7) ^ (verdict + 1).wrapping_add(sum)
}

/// The checksum of a pass, and the median over the rounds in nanoseconds per look-up.
fn time(count: usize, rounds: u32, mut pass: impl FnMut() -> u64) -> (u64, f64) {
    let start = Instant::now();
    let sum = std::hint::black_box(pass());
    let passes = (ROUND.as_nanos() / start.elapsed().as_nanos().max(1) + 1).min(1 << 20) as u32;
    let round = |_| {
        let start = Instant::now();
        for _ in 0..passes {
            std::hint::black_box(pass());
        }
        start.elapsed().as_nanos() as f64 / f64::from(passes) / count as f64
    };
    let mut rounds: Vec<f64> = (0..rounds).map(round).collect();
    rounds.sort_by(f64::total_cmp);
    (sum, rounds[rounds.len() / 2])
}
