//! The results for all sizes, as tables and as points to draw.

use super::Measured;
use super::ask::Times;
use robomaton_benches::results::{Results, Table, exponent};

/// Tables and points of all sizes.
pub(crate) fn results(all: &[Measured]) -> Results {
    let mut results = Results::default();
    results.tables.extend([building(all), sections(all), asking(all), times(all), resident(all)]);
    results.tables.extend(lines(all));
    let mut growth = Table::new("growth", &["what:", "exponent over sites"]);
    type Of = fn(&Measured) -> f64;
    let quantities: [(&str, &str, Of); 8] = [
        ("growth-time", "building", |m| m.built.total),
        ("growth-time", "reading", |m| m.built.read),
        ("growth-time", "compiling", |m| m.built.compile),
        ("growth-time", "emitting", |m| m.built.emit),
        ("growth-time", "verifying", |m| m.asked.verify / 1e3),
        ("growth-bytes", "bodies", |m| m.built.captured as f64),
        ("growth-bytes", "peak memory", |m| m.built.peak as f64),
        ("growth-bytes", "image", |m| m.built.image as f64),
    ];
    for (plot, name, of) in quantities {
        all.iter().for_each(|measured| results.point(plot, name, measured.sites as f64, of(measured)));
        let points: Vec<_> = all.iter().map(|measured| (measured.sites as f64, of(measured))).collect();
        let exponent = exponent(&points).map_or("-".to_owned(), |exponent| format!("{exponent:.2}"));
        growth.row(vec![name.to_owned(), exponent]);
    }
    for measured in all {
        for times in &measured.asked.times {
            results.point("growth-look-up", &name(times), measured.sites as f64, times.median);
        }
        for (way, each) in ["one", "batch"].into_iter().zip(measured.asked.steady) {
            results.point("growth-look-up", &format!("hit, {way}, steady"), measured.sites as f64, each);
        }
    }
    results.tables.push(growth);
    results
}

fn mega(bytes: u64) -> String {
    format!("{:.2}", bytes as f64 / 1e6)
}

fn building(all: &[Measured]) -> Table {
    let columns = [
        "sites",
        "distinct texts",
        "bodies, MB",
        "distinct, MB",
        "read, s",
        "compile, s",
        "emit, s",
        "all, s",
        "peak, MB",
        "image, MB",
        "bytes a site",
    ];
    let mut table = Table::new("scale-building", &columns);
    for Measured { sites, built, .. } in all {
        table.row(vec![
            sites.to_string(),
            built.texts.to_string(),
            mega(built.captured),
            mega(built.distinct),
            format!("{:.2}", built.read),
            format!("{:.2}", built.compile),
            format!("{:.2}", built.emit),
            format!("{:.2}", built.total),
            mega(built.peak),
            mega(built.image),
            format!("{:.0}", built.image as f64 / *sites as f64),
        ]);
    }
    table
}

fn sections(all: &[Measured]) -> Table {
    let sizes = all.iter().map(|measured| format!("{} sites, MB", measured.sites));
    let mut table = Table::new("scale-sections", &["section:"]);
    table.columns.extend(sizes);
    let names = all.first().map(|measured| &measured.built.sections).into_iter().flatten();
    for (at, (name, _)) in names.enumerate() {
        let cells = all.iter().map(|measured| mega(measured.built.sections[at].1));
        table.row(std::iter::once(name.clone()).chain(cells).collect());
    }
    table
}

fn asking(all: &[Measured]) -> Table {
    let mut table = Table::new("scale-asking", &["sites", "open, µs", "verify, ms", "verify, MB/s"]);
    for Measured { sites, built, asked, .. } in all {
        let rate = built.image as f64 / 1e3 / asked.verify;
        let cells = [format!("{:.1}", asked.open), format!("{:.1}", asked.verify), format!("{rate:.0}")];
        table.row(std::iter::once(sites.to_string()).chain(cells).collect());
    }
    table
}

fn name(times: &Times) -> String {
    let found = if times.hit { "hit" } else { "miss" };
    let way = if times.batch { "batch" } else { "one" };
    let place = if times.cold { "cold" } else { "hot" };
    format!("{found}, {way}, {place}")
}

fn times(all: &[Measured]) -> Table {
    let mut table = Table::new("scale-times", &["sites", "steady, one", "steady, batch"]);
    let ways = all.first().map(|measured| &measured.asked.times).into_iter().flatten();
    table.columns.extend(ways.map(name));
    for measured in all {
        let steady = measured.asked.steady.iter().map(|each| format!("{each:.0}"));
        let cells =
            measured.asked.times.iter().map(|times| format!("{:.0} / {:.0}", times.median, times.p99));
        table.row(std::iter::once(measured.sites.to_string()).chain(steady).chain(cells).collect());
    }
    table
}

fn resident(all: &[Measured]) -> Table {
    let mut table = Table::new("scale-resident", &["sites", "image, MB"]);
    let counts = all.first().map(|measured| &measured.asked.resident).into_iter().flatten();
    table.columns.extend(counts.map(|(count, _)| format!("after {count}, MB")));
    for Measured { sites, built, asked, .. } in all {
        let cells = asked.resident.iter().map(|&(_, bytes)| mega(bytes));
        table.row([sites.to_string(), mega(built.image)].into_iter().chain(cells).collect());
    }
    table
}

/// `None` if nothing was counted.
fn lines(all: &[Measured]) -> Option<Table> {
    let mut table = Table::new("scale-lines", &["sites", "asked:", "lines, mean", "p99", "by section:"]);
    for measured in all {
        for (lines, asked) in measured.lines.iter().flatten().zip(["hit", "miss"]) {
            let sections = lines.sections.iter().map(|(name, lines)| format!("{name} {lines:.2}"));
            table.row(vec![
                measured.sites.to_string(),
                asked.to_owned(),
                format!("{:.2}", lines.mean),
                lines.p99.to_string(),
                sections.collect::<Vec<_>>().join(", "),
            ]);
        }
    }
    (!table.rows.is_empty()).then_some(table)
}
