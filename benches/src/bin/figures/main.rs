//! The sizes and speeds that the project promises, as one table.
//!
//! Everything is measured over one corpus, from memory unless a line says otherwise. *Distinct
//! text* is counted in two ways: over all distinct bodies, and over those with records only, since
//! many bodies are HTML pages. The worst rule sets, real and hostile, have a table of their own
//! ([`mod@worst`]). Other libraries are compared in `versus`.

mod worst;

use robomaton_benches::clock::time;
use robomaton_benches::results::{Results, Table, program};
use robomaton_benches::{Corpus, Field};
use robomaton_compiler::automaton::{self, Prioritized};
use robomaton_compiler::{
    CompileContext, Entry, Options, ProgramCache, compile, compile_cached, emit, lower, precedence,
};
use robomaton_corpus::{BatchOptions, Built, Input, Progress, build};
use robomaton_formats::SiteKey;
use robomaton_formats::layout::Section;
use robomaton_formats::policy::CRAWL;
use robomaton_formats::program::Weighing;
use robomaton_runtime::{Image, Site};
use robomaton_tests::map;
use std::collections::HashSet;
use std::process::ExitCode;
use std::time::Duration;
use xxhash_rust::xxh3::xxh3_128;

/// Rounds of slow measurements.
const ROUNDS: usize = 5;

fn main() -> ExitCode {
    program("figures", run)
}

fn run() -> Result<Results, String> {
    let path = Corpus::locate()?;
    let corpus = Corpus::read(&path)?;
    let field = Field::new(&corpus, Options::default(), usize::MAX);
    let record_bytes: usize = field.files.iter().map(|file| file.text.len()).sum();
    let mut results = Results::default();
    let table = &mut Table::new("figures", &["figure:", "measured", "to reach"]);
    let count = format!("{} / {}", corpus.sites.len(), corpus.bodies.len());
    row(table, "sites with a 2xx answer / distinct bodies", &count, "");
    row(table, "distinct text", &format!("{:.1} MB", mega(corpus.distinct_bytes())), "");
    let records = format!("{}, {:.1} MB", field.files.len(), mega(record_bytes));
    row(table, "bodies that hold records", &records, "");

    let options = BatchOptions { threads: 1, ..BatchOptions::default() };
    let inputs = [Input::Path(path)];
    let built = build(&inputs, &options, &Progress::default()).map_err(|error| error.to_string())?;
    sizes(&built, &corpus, record_bytes, table)?;
    programs(&field, table, &mut results);
    speeds(&corpus, &field, record_bytes, table);
    threads(&inputs, table)?;
    loading(&built, &field, table)?;
    narrowness(table)?;
    results.tables = vec![table.clone(), worst::real(&field)?];
    results.tables.push(worst::hostile(&mut results.series)?);
    Ok(results)
}

fn row(table: &mut Table, figure: &str, measured: &str, target: &str) {
    table.row([figure, measured, target].map(str::to_owned).to_vec());
}

fn mega(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

/// Bytes of the image per byte of text.
fn sizes(built: &Built, corpus: &Corpus, record_bytes: usize, table: &mut Table) -> Result<(), String> {
    let image = Image::from_bytes(&built.image[..]).map_err(|error| error.to_string())?;
    let length = |section: &Section| image.section_bytes(*section);
    let hot: usize = Section::ALL.iter().filter(|section| section.is_hot()).map(length).sum();
    let by = |bytes: usize, text: usize| format!("{:.3}", bytes as f64 / text as f64);
    let distinct = corpus.distinct_bytes();
    row(table, "hot bytes per byte of distinct text, all bodies", &by(hot, distinct), "≤ 0.15");
    row(table, "hot bytes per byte of distinct text, bodies with records", &by(hot, record_bytes), "≤ 0.15");
    let sites = [Section::Hosts, Section::Names].iter().map(length).sum::<usize>();
    row(table, "… of these hosts and names, per site", &by(sites, built.report.sites as usize), "≤ 24");
    row(table, "… without them, bodies with records", &by(hot - sites, record_bytes), "");
    row(table, "image bytes per byte of distinct text, all bodies", &by(built.image.len(), distinct), "");
    let sources = length(&Section::Sources);
    row(table, "… without the texts", &by(built.image.len() - sources, distinct), "");
    let lengths =
        Section::ALL.iter().map(|section| format!("{} {:.2}", section.name(), mega(length(section))));
    row(table, "sections, MB", &lengths.collect::<Vec<_>>().join(", "), "");
    Ok(())
}

/// The size of each program and of its patterns.
fn programs(field: &Field<'_>, table: &mut Table, results: &mut Results) {
    let mut lengths = Vec::new();
    let mut worst = (0.0f64, String::new());
    let (mut known, mut pattern_bytes, mut code) = (HashSet::new(), 0, Vec::new());
    field.policies(|_, file, policy| {
        let priorities = precedence::priorities(policy);
        for group in &policy.groups {
            let of_crawling = group.rules.clone().filter(|&rule| policy.rules[rule].usage == CRAWL);
            let mut rules: Vec<Prioritized<'_>> = of_crawling
                .map(|rule| Prioritized { pattern: policy.rules[rule].pattern(), priority: priorities[rule] })
                .collect();
            code.clear();
            automaton::normalise(&mut rules);
            automaton::build(
                &rules,
                policy.profile.notation(),
                Weighing::Ranked(precedence::silence([], Some(CRAWL))),
                &mut code,
            );
            // `build` has removed duplicate patterns.
            let bytes: usize = rules.iter().map(|rule| rule.pattern.text.len()).sum();
            let share = code.len() as f64 / (6 * bytes + 512) as f64;
            if share > worst.0 {
                let what =
                    format!("{share:.3} ({} bytes for {bytes} of patterns, {})", code.len(), file.site);
                worst = (share, what);
            }
            if known.insert(code.clone()) {
                lengths.push(code.len());
                pattern_bytes += bytes;
            }
        }
    });
    lengths.sort_unstable();
    let at = |share: f64| {
        lengths.get((lengths.len() as f64 * share) as usize).or(lengths.last()).copied().unwrap_or(0)
    };
    row(table, "largest program ÷ (6 × bytes of its patterns + 512)", &worst.1, "≤ 1");
    for share in (0..=1_000).map(|share| f64::from(share) / 1_000.0) {
        results.point("program-sizes", "programs", share, at(share) as f64);
    }
    row(table, "distinct programs", &lengths.len().to_string(), "");
    row(
        table,
        "size of a program, p50 / p99 / largest",
        &format!("{} / {} / {}", at(0.5), at(0.99), at(1.0)),
        "",
    );
    let share = lengths.iter().sum::<usize>() as f64 / pattern_bytes as f64;
    row(table, "bytes of programs per byte of pattern", &format!("{share:.3}"), "");
}

/// Compiling on one core, stage by stage.
fn speeds(corpus: &Corpus, field: &Field<'_>, record_bytes: usize, table: &mut Table) {
    let all: Vec<&[u8]> = corpus.bodies.iter().map(|body| &body.text[..]).collect();
    let records: Vec<&[u8]> = field.files.iter().map(|file| file.text).collect();
    let plain = Options { no_sources: true, ..Options::default() };
    let limit = plain.limits.bytes(plain.profile);
    let speed = |bytes: usize, time: Duration| mega(bytes) / time.as_secs_f64();
    let mut stage = |name: &str, target: &str, work: &dyn Fn(&[u8], &mut ProgramCache) -> usize| {
        // A new cache for each round: it is empty before the first text.
        let round = |texts: &[&[u8]]| {
            let mut cache = ProgramCache::default();
            texts.iter().map(|text| work(text, &mut cache)).sum::<usize>()
        };
        let over = |texts: &[&[u8]]| time(ROUNDS, || round(texts));
        let both = (speed(corpus.distinct_bytes(), over(&all)), speed(record_bytes, over(&records)));
        row(
            table,
            &format!("{name}, MB/s: all bodies / with records"),
            &format!("{:.0} / {:.0}", both.0, both.1),
            target,
        );
    };
    stage("scan", "", &|text, _| robomaton_grammar::scan(text, limit).lines.len());
    stage("scan and lower", "", &|text, _| {
        lower(&robomaton_grammar::scan(text, limit), None, &plain).map_or(0, |policy| policy.rules.len())
    });
    stage("compile without texts", "≥ 200", &|text, cache| {
        compile_cached(text, &CompileContext::default(), &plain, cache).code.len()
    });
    stage("compile with texts", "", &|text, cache| {
        compile_cached(text, &CompileContext::default(), &field.options, cache).code.len()
    });
    let of_sites = corpus.sites.iter().map(|&(_, body)| &corpus.bodies[body].text[..]);
    let with_records: HashSet<*const u8> = records.iter().map(|text| text.as_ptr()).collect();
    let every: Vec<&[u8]> = of_sites.clone().collect();
    let every_record: Vec<&[u8]> = of_sites.filter(|text| with_records.contains(&text.as_ptr())).collect();
    let [all, records] = [every, every_record].map(|texts| {
        let once = || {
            let (mut cache, mut known) = (ProgramCache::default(), HashSet::new());
            let new = texts.iter().filter(|text| known.insert(xxh3_128(text)));
            new.map(|text| compile_cached(text, &CompileContext::default(), &plain, &mut cache).code.len())
                .sum::<usize>()
        };
        speed(texts.iter().map(|text| text.len()).sum(), time(ROUNDS, once))
    });
    let name =
        "compile without texts what all sites have, equal bodies once, MB/s: all bodies / with records";
    row(table, name, &format!("{all:.0} / {records:.0}"), "≥ 500");
}

/// From captures to an image.
fn threads(inputs: &[Input], table: &mut Table) -> Result<(), String> {
    let mut walls = Vec::new();
    for threads in [1, 2] {
        let options = BatchOptions { threads, ..BatchOptions::default() };
        let mut failed = None;
        let wall = time(3, || match build(inputs, &options, &Progress::default()) {
            Ok(built) => built.image.len(),
            Err(error) => {
                failed = Some(error.to_string());
                0
            }
        });
        if let Some(error) = failed {
            return Err(error);
        }
        row(
            table,
            &format!("corpus::build from disk, {threads} compiling"),
            &format!("{:.2} s", wall.as_secs_f64()),
            "",
        );
        walls.push(wall.as_secs_f64());
    }
    row(table, "… one thread ÷ two", &format!("{:.2}", walls[0] / walls[1]), "");
    Ok(())
}

/// Opening and verifying.
fn loading(built: &Built, field: &Field<'_>, table: &mut Table) -> Result<(), String> {
    let entries = field.files.iter().step_by(field.files.len().div_ceil(300).max(1));
    let entries: Vec<Entry<_>> =
        entries.map(|file| Entry::fetched(file.site.clone(), &file.document)).collect();
    let sites = entries.len();
    let small = emit(entries, &field.options).map_err(|error| error.to_string())?;
    let path = std::env::temp_dir().join(format!("robomaton-figures-{}.rimg", std::process::id()));
    std::fs::write(&path, &small).map_err(|error| error.to_string())?;
    let open = time(1_000, || map(&path).map(|image| image.len()).unwrap_or(0));
    let removed = std::fs::remove_file(&path);
    let micros = open.as_secs_f64() * 1e6;
    row(
        table,
        &format!("open an image of {sites} sites ({:.1} MB)", mega(small.len())),
        &format!("{micros:.1} µs"),
        "< 1 ms",
    );
    removed.map_err(|error| error.to_string())?;
    for (name, bytes) in [("that image", &small), ("the image of the corpus", &built.image)] {
        let image = Image::from_bytes(&bytes[..]).map_err(|error| error.to_string())?;
        image.verify().map_err(|error| error.to_string())?;
        let took = time(ROUNDS, || image.verify().is_ok());
        let rate = bytes.len() as f64 / 1e9 / took.as_secs_f64();
        row(
            table,
            &format!("verify {name}"),
            &format!("{:.1} ms, {rate:.2} GB/s", took.as_secs_f64() * 1e3),
            "",
        );
    }
    Ok(())
}

/// Real ACAP files: compiling them, and questions about the paths in their rules.
fn narrowness(table: &mut Table) -> Result<(), String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/acap");
    let mut texts = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|error| error.to_string())? {
        let path = entry.map_err(|error| error.to_string())?.path();
        if path.extension().is_some_and(|extension| extension == "txt") {
            texts.push(std::fs::read(path).map_err(|error| error.to_string())?);
        }
    }
    texts.sort_unstable();
    let options = Options { no_sources: true, ..Options::default() };
    let bytes: usize = texts.iter().map(Vec::len).sum();
    let compiled = time(200, || texts.iter().map(|text| compile(text, None, &options).rules).sum::<usize>());
    let speed = mega(bytes) / compiled.as_secs_f64();
    row(table, &format!("compile {} real files of ACAP", texts.len()), &format!("{speed:.0} MB/s"), "");

    let site =
        |number: usize| SiteKey::from_host(&format!("s{number}.example")).map_err(|error| error.to_string());
    let documents: Vec<_> = texts.iter().map(|text| compile(text, None, &options)).collect();
    let mut entries = Vec::new();
    for (number, document) in documents.iter().enumerate() {
        entries.push(Entry::fetched(site(number)?, document));
    }
    let image = emit(entries, &options).map_err(|error| error.to_string())?;
    let image = Image::from_bytes(image).map_err(|error| error.to_string())?;
    let crawler = image.crawler(["gptbot"]);
    let usages = ["crawl", "index", "present-snippet"].map(|name| (name, image.usage(name)));
    let mut questions = Vec::new();
    for site in image.sites() {
        let rules = site.detail().into_iter().flat_map(|detail| {
            let text = |rule: &robomaton_formats::detail::Rule<'_>| {
                String::from_utf8_lossy(&rule.pattern.0).replace(['*', '$'], "page")
            };
            detail.groups.iter().flat_map(|group| group.rules.iter().map(text)).collect::<Vec<_>>()
        });
        questions.extend(rules.map(|path| (site, path)));
    }
    for (name, usage) in usages {
        let took = time(200, || {
            let allowed =
                |(site, path): &&(Site<'_>, String)| site.decide(&crawler, usage, path).is_allowed();
            questions.iter().filter(allowed).count()
        });
        let each = took.as_secs_f64() * 1e9 / questions.len() as f64;
        row(
            table,
            &format!("a question about {name} to such a file, its site held"),
            &format!("{each:.0} ns"),
            "",
        );
    }
    Ok(())
}
