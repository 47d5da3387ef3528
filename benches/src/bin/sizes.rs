//! The memory of each contestant in the race: its prepared data for one agent without groups of its
//! own, for every file.
//!
//! This is a separate binary, because its allocator counts; nothing is timed. It counts the bytes
//! that stay on the heap after every question was asked once (some prepare during a question). Ours
//! is an image compiled for that agent only: its hot sections, including hosts and names, and its
//! programs alone. Invariant: every contestant prepares the same rule sets.

use robomaton_benches::queries::{AGENTS, Lengths};
use robomaton_benches::results::{Results, Table, program};
use robomaton_benches::rivals::{self, Form, Rival};
use robomaton_benches::{Corpus, Field, Queries};
use robomaton_compiler::Options;
use robomaton_compiler::trace::{TraceQuery, trace};
use robomaton_formats::layout::Section;
use robomaton_runtime::Image;
use std::process::ExitCode;

/// The number of files, and of questions about each, as in the race.
const FILES: usize = 2_750;
const PER_FILE: usize = 33;

fn main() -> ExitCode {
    program("sizes", results)
}

/// One contestant: the number of its rule sets, bytes of their patterns, bytes of memory.
struct Size {
    name: String,
    sets: usize,
    patterns: usize,
    bytes: usize,
}

fn results() -> Result<Results, String> {
    let corpus = Corpus::load()?;
    let agent = AGENTS[AGENTS.len() - 1];
    let field = Field::new(&corpus, Options::default(), FILES);
    let queries = Queries::derive(&field, PER_FILE, Lengths::Long).of_agent(agent);
    let patterns = patterns(&field, &queries);
    let mut sizes = ours(&corpus, agent, queries.seats.len(), patterns.iter().sum())?;
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let mut add = |make: &dyn Fn() -> Box<dyn Rival>| {
        let mut rival = None;
        let counted = allocation_counter::measure(|| {
            let made = make();
            for query in queries.all() {
                let _ = made.allows(query.seat as usize, queries.path(query));
            }
            rival = Some(made);
        });
        let Some(rival) = rival else { return };
        let held = |seat: &usize| rival.has(*seat);
        sizes.push(Size {
            name: rival.name().to_owned(),
            sets: (0..queries.seats.len()).filter(held).count(),
            patterns: (0..queries.seats.len()).filter(held).map(|seat| patterns[seat]).sum(),
            bytes: usize::try_from(counted.bytes_current).unwrap_or(0),
        });
    };
    add(&|| Box::new(rivals::robotxt(&field, &queries)));
    add(&|| Box::new(rivals::texting_robots(&field, &queries)));
    add(&|| Box::new(rivals::cylon(&field, &queries)));
    add(&|| Box::new(rivals::robotstxt(&field, &queries)));
    add(&|| Box::new(rivals::scan(&field, &queries)));
    for form in [Form::Dense, Form::Sparse, Form::Lazy] {
        add(&|| Box::new(rivals::automata(&field, &queries, form).0));
    }
    std::panic::set_hook(hook);

    let columns =
        ["what is held:", "rule sets", "bytes", "bytes per set", "bytes per byte of pattern", "times ours"];
    let mut results = Results::default();
    let mut table = Table::new("sizes", &columns);
    let share = |size: &Size| size.bytes as f64 / size.patterns.max(1) as f64;
    let own = share(&sizes[0]);
    for size in &sizes {
        table.row(vec![
            size.name.clone(),
            size.sets.to_string(),
            size.bytes.to_string(),
            format!("{:.0}", size.bytes as f64 / size.sets.max(1) as f64),
            format!("{:.2}", share(size)),
            format!("{:.2}", share(size) / own),
        ]);
        results.point("sizes", &size.name, 0.0, share(size));
    }
    results.tables.push(table);
    Ok(results)
}

/// Bytes of the patterns of each set.
fn patterns(field: &Field<'_>, queries: &Queries) -> Vec<usize> {
    let mut bytes = vec![0; queries.seats.len()];
    field.policies(|number, _, policy| {
        for (seat, bytes) in queries.seats.iter().zip(&mut bytes).filter(|(seat, _)| seat.file == number) {
            let groups = trace(policy, &TraceQuery::crawl(&[&seat.agent], b"/")).groups;
            let rules =
                groups.into_iter().flat_map(|group| &policy.rules[policy.groups[group].rules.clone()]);
            *bytes = rules.filter(|rule| rule.is_crawl()).map(|rule| rule.pattern.len()).sum();
        }
    });
    bytes
}

/// The image of the same files, compiled for that agent only.
fn ours(corpus: &Corpus, agent: &str, sets: usize, patterns: usize) -> Result<Vec<Size>, String> {
    let options =
        Options { crawlers: vec![agent.to_ascii_lowercase()], no_sources: true, ..Options::default() };
    let image =
        Image::from_bytes(Field::new(corpus, options, FILES).image()).map_err(|error| error.to_string())?;
    let bytes = |section: &Section| image.section_bytes(*section);
    let hot = Section::ALL.iter().filter(|section| section.is_hot()).map(bytes).sum();
    let size = |name: &str, bytes| Size { name: name.to_owned(), sets, patterns, bytes };
    Ok(vec![size("robomaton, all that answers", hot), size("robomaton, programs", bytes(&Section::Programs))])
}
