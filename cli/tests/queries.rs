//! The queries of docs/queries on the sample, run in DuckDB and compared with our own numbers.
//!
//! Needs a Python with the package `duckdb`, named by ROBOMATON_DUCKDB; without it the test prints
//! a message and is skipped. The results in docs/research.md are also compared; `ROBOMATON_WRITE=1`
//! rewrites them.

mod common;

use common::Place;
use robomaton_formats::crawlers::{find, known};
use robomaton_runtime::{Image, Outcome, Site, Usage};
use robomaton_tables::coverage::{Coverage, Share, coverage};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Prints the result of a query as CSV.
const ASK: &str = "import csv, sys, duckdb
result = duckdb.sql(open(sys.argv[1]).read())
out = csv.writer(sys.stdout)
out.writerow(result.columns)
out.writerows(result.fetchall())";

type Rows = Vec<Vec<String>>;

struct Sample {
    place: Place,
    python: OsString,
    image: Image,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

impl Sample {
    /// The sample's image and tables; `None` without DuckDB.
    fn new() -> Option<Sample> {
        let Some(python) = std::env::var_os("ROBOMATON_DUCKDB") else {
            eprintln!("no Python with duckdb at ROBOMATON_DUCKDB: the queries of docs/queries are left out");
            return None;
        };
        let place = Place::new();
        let sample = root().join("tests/data/sample.warc.gz");
        place.run(&["compile", sample.to_str().expect("UTF-8"), "-o", "sample.rimg"]).ok();
        place.run(&["export", "sample.rimg", "--to", "."]).ok();
        let image = Image::read(place.path("sample.rimg")).expect("the image");
        // Images of three years, their tables together, and those of the last alone.
        for year in ["2023", "2024", "2025"] {
            let captures = root().join(format!("docs/queries/made-up/{year}.jsonl"));
            let captures = captures.to_str().expect("UTF-8");
            place.run(&["compile", captures, "-o", &format!("{year}.rimg")]).ok();
        }
        place.run(&["export", "2023.rimg", "2024.rimg", "2025.rimg", "--to", "series"]).ok();
        place.run(&["export", "2025.rimg", "--to", "made-up"]).ok();
        let ranks: String =
            ranks(&image).into_iter().map(|(host, rank)| format!("{rank},{host}\n")).collect();
        place.write("ranks.csv", ranks);
        Some(Sample { place, python, image })
    }

    /// The result of a query on the sample, with the header first.
    fn ask(&self, query: &str) -> Rows {
        self.ask_in("", query)
    }

    /// The result of a query on the tables in a directory.
    fn ask_in(&self, folder: &str, query: &str) -> Rows {
        let file = root().join(format!("docs/queries/{query}.sql"));
        let mut python = assert_cmd::Command::new(&self.python);
        let run =
            python.args(["-c", ASK]).arg(file).current_dir(self.place.path(folder)).output().expect("a run");
        assert!(run.status.success(), "{query}: {}", String::from_utf8_lossy(&run.stderr));
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(run.stdout.as_slice());
        let rows = reader.records().map(|row| row.expect("CSV").iter().map(str::to_owned).collect());
        rows.collect()
    }

    /// The columns of these names, without the header.
    fn columns<const N: usize>(&self, query: &str, names: [&str; N]) -> Vec<[String; N]> {
        let rows = self.ask(query);
        let at = names.map(|name| rows[0].iter().position(|head| head == name).expect("a column"));
        rows[1..].iter().map(|row| at.map(|at| row[at].clone())).collect()
    }

    fn coverage(&self, site: &Site<'_>, crawler: &str) -> Coverage {
        coverage(site, &self.image.crawler([crawler]), Usage::CRAWL)
    }

    fn count(&self, of: impl Fn(&Site<'_>) -> bool) -> usize {
        self.image.sites().filter(of).count()
    }
}

/// Ranks for the hosts of the sample in order, 37 apart.
fn ranks(image: &Image) -> BTreeMap<String, usize> {
    let hosts: BTreeSet<String> = image.sites().map(|site| site.authority()).collect();
    hosts.into_iter().enumerate().map(|(at, host)| (host, 37 * at + 1)).collect()
}

/// Numbers as text.
fn words<const N: usize>(numbers: [usize; N]) -> [String; N] {
    numbers.map(|number| number.to_string())
}

#[test]
fn queries_count_what_we_count() {
    let Some(sample) = Sample::new() else { return };
    for [share, sites, explicit] in sample.columns("blocked", ["share", "sites", "explicit"]) {
        let of = |site: &Site<'_>| {
            Some(sample.coverage(site, "GPTBot")).filter(|found| found.share.name() == share)
        };
        let ours = [
            sample.count(|site| of(site).is_some()),
            sample.count(|site| of(site).is_some_and(|e| e.is_explicit())),
        ];
        assert_eq!([sites, explicit], words(ours), "GPTBot may crawl {share}");
    }
    let blocked =
        sample.columns("blocked-by-crawler", ["crawler", "nothing", "nothing_by_name", "some_by_name"]);
    assert_eq!(blocked.len(), known().len() + 1);
    for [crawler, nothing, by_name, some_by_name] in blocked {
        let found: Vec<Coverage> =
            sample.image.sites().map(|site| sample.coverage(&site, &crawler)).collect();
        let count = |share, explicit: bool| {
            found.iter().filter(|found| found.share == share && (found.is_explicit() || !explicit)).count()
        };
        let ours =
            words([count(Share::Nothing, false), count(Share::Nothing, true), count(Share::Part, true)]);
        assert_eq!([nothing, by_name, some_by_name], ours, "{crawler}");
    }
    let ranks = ranks(&sample.image);
    let rows = sample.columns("blocked-by-rank", ["ranks", "sites", "blocked"]);
    assert_eq!(rows.len(), 3);
    for ([word, sites, blocked], end) in rows.into_iter().zip([0, 1_000, 10_000, 100_000].windows(2)) {
        // A site may be in a list twice: as its host, and as the domain after `www.`.
        let entries = |site: &Site<'_>| {
            let host = site.authority();
            let names = [Some(host.as_str()), host.strip_prefix("www.")];
            let places = names.into_iter().flatten().filter_map(|name| ranks.get(name));
            places.filter(|&&rank| rank > end[0] && rank <= end[1]).count()
        };
        let closed = |site: &Site<'_>| usize::from(sample.coverage(site, "GPTBot").share == Share::Nothing);
        let ours = [
            sample.image.sites().map(|site| entries(&site)).sum(),
            sample.image.sites().map(|site| entries(&site) * closed(&site)).sum(),
        ];
        assert_eq!([sites, blocked], words(ours), "{word}");
    }
}

#[test]
fn queries_read_what_the_texts_say() {
    let Some(sample) = Sample::new() else { return };
    let mut named: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let (mut stacked_sites, mut stacked, mut lost) = (BTreeSet::new(), 0, 0);
    let (mut bytes, mut rules) = (Vec::new(), Vec::new());
    for site in sample.image.sites() {
        let Some(detail) = site.detail() else { continue };
        // The query leaves out texts without a record.
        if site.outcome() == Some(Outcome::Rules) {
            bytes.push(site.source(1 << 20).unwrap_or_default().len());
            rules.push(detail.groups.iter().map(|group| group.rules.len()).sum::<usize>());
        }
        for group in &detail.groups {
            let names: BTreeSet<&String> = group.crawlers.iter().collect();
            let all = names.len() + usize::from(group.default);
            if all > 1 {
                stacked_sites.insert(site.address());
                (stacked, lost) = (stacked + 1, lost + all - 1);
            }
            for name in names {
                named.entry(name.clone()).or_default().insert(site.address());
            }
        }
    }
    for [crawler, sites] in sample.columns("most-named", ["crawler", "sites"]) {
        assert_eq!(sites, named[&crawler].len().to_string(), "{crawler}");
    }
    let most = named.values().map(BTreeSet::len).max().unwrap_or(0);
    assert_eq!(sample.columns("most-named", ["sites"])[0], words([most]));
    let found = sample.columns("stacked", ["sites", "stacked_groups", "names_lost"]);
    assert_eq!(found, [words([stacked_sites.len(), stacked, lost])]);
    let longest = |sizes: &[usize]| sizes.iter().max().copied().unwrap_or(0);
    let found = sample.columns("sizes", ["sites", "octets_max", "rules_max"]);
    assert_eq!(found, [words([bytes.len(), longest(&bytes), longest(&rules)])]);
    for [name, meant] in sample.columns("typos", ["crawler", "meant"]) {
        assert!(
            named.contains_key(&name) && find(&name).is_none() && find(&meant).is_some(),
            "{name}, {meant}"
        );
    }
    for [purpose, all, some, none] in
        sample.columns("purposes", ["purpose", "all_kept_out", "some_kept_out", "none_kept_out"])
    {
        let of: Vec<_> = known().iter().filter(|known| known.purpose.name() == purpose).collect();
        let closed = |site: &Site<'_>| {
            of.iter().filter(|known| sample.coverage(site, known.token).share == Share::Nothing).count()
        };
        let counts: Vec<usize> = sample.image.sites().map(|site| closed(&site)).collect();
        let count = |fits: &dyn Fn(usize) -> bool| counts.iter().filter(|&&closed| fits(closed)).count();
        let ours = [count(&|n| n == of.len()), count(&|n| n > 0 && n < of.len()), count(&|n| n == 0)];
        assert_eq!([all, some, none], words(ours), "{purpose}");
    }
    let records = |site: &Site<'_>| {
        let detail = site.detail().unwrap_or_default();
        let groups = detail.groups.into_iter().flat_map(|group| group.extensions);
        groups
            .chain(detail.extensions)
            .any(|record| record.key == "content-signal" || record.key == "content-usage")
    };
    assert_eq!(sample.ask("content-signals").len() > 1, sample.count(records) > 0);
}

#[test]
fn queries_find_what_was_made_up() {
    let Some(sample) = Sample::new() else { return };
    let rows = |folder: &str, query: &str| sample.ask_in(folder, query)[1..].to_vec();
    let typos = rows("made-up", "typos");
    assert_eq!(typos, [["claudbot", "ClaudeBot", "2"], ["googelbot", "Googlebot", "1"]]);
    assert_eq!(rows("made-up", "content-signals").len(), 2);
    let over_time = rows("series", "kept-out-over-time");
    let of = |crawler: &str| {
        let rows = over_time.iter().filter(|row| row[0] == crawler);
        rows.map(|row| [&row[1], &row[2], &row[4]].map(String::as_str).join(" ")).collect::<Vec<_>>()
    };
    assert_eq!(of("GPTBot"), ["2023 2023-05-08 1", "2024 2024-05-08 4", "2025 2025-05-08 5"]);
    assert_eq!(of("Googlebot"), ["2023 2023-05-08 1", "2024 2024-05-08 1", "2025 2025-05-08 0"]);
}

#[test]
fn the_page_shows_every_query_and_what_it_gives() {
    let path = root().join("docs/research.md");
    let page = std::fs::read_to_string(&path).expect("the page");
    for entry in std::fs::read_dir(root().join("docs/queries")).expect("the queries") {
        let name = entry.expect("a query").path();
        if name.is_dir() {
            continue;
        }
        let name = name.file_stem().unwrap_or_default().to_string_lossy();
        assert!(page.contains(&format!("<!-- query: {name}")), "{name} is not shown");
    }
    let Some(sample) = Sample::new() else { return };
    let mut fresh = String::new();
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        fresh += &format!("{line}\n");
        let Some(query) = line.strip_prefix("<!-- query: ").and_then(|rest| rest.strip_suffix(" -->")) else {
            continue;
        };
        // The name, possibly with the directory of the tables, or the number of rows shown.
        let (name, rest) = query.split_once(' ').unwrap_or((query, ""));
        let (folder, most) = rest.parse().map_or((rest, usize::MAX), |most| ("", most));
        while lines.next_if(|line| line.is_empty() || line.starts_with('|')).is_some() {}
        fresh += &format!("\n{}\n", drawn(&sample.ask_in(folder, name), most));
    }
    let fresh = fresh.trim_end().to_owned() + "\n";
    if std::env::var_os("ROBOMATON_WRITE").is_some() {
        std::fs::write(&path, fresh).expect("the page can be written");
    } else {
        assert_eq!(page, fresh, "ROBOMATON_WRITE=1 writes it anew");
    }
}

/// A Markdown table of the first rows.
fn drawn(rows: &Rows, most: usize) -> String {
    let line = |row: &Vec<String>| format!("| {} |\n", row.join(" | "));
    let head = format!("{}|{}\n", line(&rows[0]), "---|".repeat(rows[0].len()));
    head + &rows[1..].iter().take(most).map(line).collect::<String>()
}
