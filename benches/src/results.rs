//! The results of a measurement, in one form for all: tables of text, and points for plots.
//!
//! `versus`, `instructions`, `sizes`, `figures` and `scale` fill it, print it as Markdown and write
//! it as JSON; `report` reads the JSON, puts the tables into RESULTS.md and draws the points. It
//! knows no table by name.

use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

/// Tables and points.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// Tables, in the order of printing.
    pub tables: Vec<Table>,
    /// Points of plots.
    pub series: Vec<Series>,
}

/// A table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// The name of its place in RESULTS.md.
    pub name: String,
    /// The column headers. A column whose header ends in `:` has words, any other numbers.
    pub columns: Vec<String>,
    /// The cells, formatted for display.
    pub rows: Vec<Vec<String>>,
}

/// A series of points in one plot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// The plot.
    pub plot: String,
    /// The name of the series.
    pub name: String,
    /// The points, ascending by the first number; a bar is one point.
    pub points: Vec<(f64, f64)>,
}

impl Table {
    /// A table without rows.
    pub fn new(name: &str, columns: &[&str]) -> Table {
        Table {
            name: name.to_owned(),
            columns: columns.iter().map(|&c| c.to_owned()).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The table as Markdown.
    pub fn markdown(&self) -> String {
        let line = |cells: Vec<&str>| format!("| {} |\n", cells.join(" | "));
        let heads = self.columns.iter().map(|column| column.trim_end_matches(':')).collect();
        let mut out = line(heads);
        let rules = self.columns.iter().map(|column| if column.ends_with(':') { "---" } else { "---:" });
        let _ = writeln!(out, "|{}|", rules.collect::<Vec<_>>().join("|"));
        self.rows.iter().for_each(|row| out.push_str(&line(row.iter().map(String::as_str).collect())));
        out
    }
}

impl Results {
    /// Adds a point to the series of this name.
    pub fn point(&mut self, plot: &str, name: &str, x: f64, y: f64) {
        let of_name = |series: &&mut Series| series.plot == plot && series.name == name;
        match self.series.iter_mut().find(of_name) {
            Some(series) => series.points.push((x, y)),
            None => self.series.push(Series {
                plot: plot.to_owned(),
                name: name.to_owned(),
                points: vec![(x, y)],
            }),
        }
    }

    /// The series of a plot.
    pub fn plot<'r>(&'r self, plot: &'r str) -> impl Iterator<Item = &'r Series> {
        self.series.iter().filter(move |series| series.plot == plot)
    }

    /// A document with these tables in it: each is between `<!-- table: NAME -->` and
    /// `<!-- end -->`, and everything else is preserved.
    ///
    /// # Errors
    /// If a table has no place, or a place no table.
    pub fn fill(&self, text: &str) -> Result<String, String> {
        const END: &str = "<!-- end -->";
        let (mut out, mut rest, mut used) = (String::new(), text, Vec::new());
        while let Some((before, behind)) = rest.split_once("<!-- table: ") {
            let (name, behind) = behind.split_once(" -->").ok_or("a place for a table has no name")?;
            let (_, behind) = behind.split_once(END).ok_or(format!("the place of {name} has no end"))?;
            let table = self.tables.iter().find(|table| table.name == name);
            let table = table.ok_or(format!("nothing measures the table {name}"))?;
            out.push_str(&format!("{before}<!-- table: {name} -->\n{}{END}", table.markdown()));
            used.push(name);
            rest = behind;
        }
        out.push_str(rest);
        match self.tables.iter().find(|table| !used.contains(&table.name.as_str())) {
            Some(table) => Err(format!("there is no place for the table {}", table.name)),
            None => Ok(out),
        }
    }

    /// Prints all tables; writes everything as JSON if a file is named.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn deliver(&self, json: Option<&Path>) -> Result<(), String> {
        for table in &self.tables {
            println!("\n## {}\n\n{}", table.name, table.markdown());
        }
        let Some(path) = json else { return Ok(()) };
        let text = serde_json::to_string(self).map_err(|error| error.to_string())?;
        std::fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
    }

    /// Reads the output of [`Results::deliver`].
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn read(path: &Path) -> Result<Results, String> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
    }
}

/// Runs a program `NAME [--json FILE]`, whose only option is the file for its results.
pub fn program(name: &str, measure: impl FnOnce() -> Result<Results, String>) -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let json = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => Ok(None),
        ["--json", file] => Ok(Some(Path::new(file))),
        _ => Err(format!("usage: {name} [--json FILE]")),
    };
    match json.and_then(|json| measure()?.deliver(json)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{name}: {error}");
            ExitCode::from(2)
        }
    }
}

/// The exponent of growth: the slope of a straight line through the logarithms of the points, by
/// least squares. `None` for fewer than two points.
pub fn exponent(points: &[(f64, f64)]) -> Option<f64> {
    let logs: Vec<(f64, f64)> = points.iter().map(|&(x, y)| (x.ln(), y.ln())).collect();
    let count = logs.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let spread: f64 = logs.iter().map(|p| (p.0 - x).powi(2)).sum();
    let slope = logs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>() / spread;
    (logs.len() > 1 && slope.is_finite()).then_some(slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents() {
        let of =
            |power: f64| (1..6).map(|x| (f64::from(x), 3.0 * f64::from(x).powf(power))).collect::<Vec<_>>();
        for power in [0.0, 0.9, 1.0, 2.0] {
            assert!((exponent(&of(power)).unwrap() - power).abs() < 1e-9);
        }
        assert_eq!(exponent(&[(1.0, 2.0)]), None);
        assert_eq!(exponent(&[(1.0, 2.0), (1.0, 3.0)]), None);
    }

    #[test]
    fn markdown() {
        let mut table = Table::new("t", &["name:", "ns"]);
        table.row(vec!["a".to_owned(), "1".to_owned()]);
        assert_eq!(table.markdown(), "| name | ns |\n|---|---:|\n| a | 1 |\n");
    }

    #[test]
    fn tables_are_put_in_their_places() {
        let mut table = Table::new("a", &["x"]);
        table.row(vec!["1".to_owned()]);
        let results = Results { tables: vec![table], series: Vec::new() };
        let new = results.fill("by hand\n<!-- table: a -->\nold\n<!-- end -->\nmore\n").unwrap();
        assert_eq!(new, "by hand\n<!-- table: a -->\n| x |\n|---:|\n| 1 |\n<!-- end -->\nmore\n");
        assert_eq!(results.fill(&new).unwrap(), new);
        assert!(results.fill("by hand").unwrap_err().contains("no place for the table a"));
        assert!(results.fill("<!-- table: b --><!-- end -->").unwrap_err().contains("nothing measures"));
        assert!(results.fill("<!-- table: a -->").unwrap_err().contains("no end"));
    }
}
