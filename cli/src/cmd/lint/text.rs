//! Diagnostics for people: drawn with carets, followed by a total.
//!
//! If a file has many findings with the same code, the first few are drawn and the others listed by
//! line.

use super::draw;
use super::remark::{FileFinding, words};
use annotate_snippets::Renderer;
use robomaton_explain::count;
use robomaton_explain::lint::{FindingCounts, Places};
use std::collections::HashMap;
use std::io::{self, Write};

/// Findings with the same code that are drawn for a file with at least two more.
const DRAWN: usize = 3;
/// Lines, or runs of lines, that are listed.
const NAMED: usize = 12;

/// The output of a run.
pub(super) struct Text {
    renderer: Renderer,
    /// True if every finding is drawn.
    all: bool,
    /// True if only the total is printed.
    quiet: bool,
}

impl Text {
    pub(super) fn new(color: bool, all: bool, quiet: bool) -> Text {
        Text { renderer: draw::renderer(color), all, quiet }
    }

    /// Writes the findings of one file, ordered by position.
    pub(super) fn file(
        &self,
        findings: &[FileFinding<'_>],
        places: &Places<'_, '_>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        if self.quiet {
            return Ok(());
        }
        let mut totals: HashMap<&str, usize> = HashMap::new();
        findings.iter().for_each(|found| *totals.entry(found.finding.code).or_default() += 1);
        let mut drawn: HashMap<&str, usize> = HashMap::new();
        // The other findings, by code, in the order of their first.
        let mut others: Vec<(&FileFinding<'_>, Vec<u32>)> = Vec::new();
        for found in findings {
            let code = found.finding.code;
            let drawn = drawn.entry(code).or_default();
            *drawn += 1;
            if self.all || *drawn <= DRAWN || totals[code] == DRAWN + 1 {
                draw::draw(&self.renderer, places, found, out)?;
                continue;
            }
            let line = found.finding.place.line;
            match others.iter_mut().find(|(first, _)| first.finding.code == code) {
                Some((_, lines)) => lines.push(line),
                None => others.push((found, vec![line])),
            }
        }
        for (first, lines) in &others {
            let lines_of = format!("{} more like this in {}, {}", lines.len(), first.file, line_list(lines));
            draw::title(&self.renderer, first, &lines_of, out)?;
        }
        Ok(())
    }

    /// Writes the total of a run: the number of files, of clean files, and of all findings. `only`
    /// is the file name in a run with one file.
    pub(super) fn total(
        files: usize,
        clean: usize,
        only: &str,
        counts: FindingCounts,
        out: &mut impl Write,
    ) -> io::Result<()> {
        match (files, clean) {
            (1, _) => writeln!(out, "{only}: {}", words(counts)),
            (_, 0) => writeln!(out, "{}: {}", count(files, "file"), words(counts)),
            _ if files == clean => writeln!(out, "{}, all clean", count(files, "file")),
            _ => writeln!(out, "{}, {clean} clean: {}", count(files, "file"), words(counts)),
        }
    }
}

/// Lines in words: `on lines 3, 5 to 8 and 12`.
fn line_list(lines: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &line in lines {
        match runs.last_mut() {
            Some((_, last)) if line <= *last + 1 => *last = line,
            _ => runs.push((line, line)),
        }
    }
    let words = |&(first, last): &(u32, u32)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first} to {last}"),
    };
    let is_cut = runs.len() > NAMED;
    let mut words: Vec<String> = runs.iter().take(NAMED).map(words).collect();
    let last = if is_cut { "others".to_owned() } else { words.pop().unwrap_or_default() };
    match (words.is_empty(), runs.as_slice()) {
        (true, [(first, end)]) if first == end => format!("on line {last}"),
        (true, _) => format!("on lines {last}"),
        _ => format!("on lines {} and {last}", words.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_named_in_runs() {
        assert_eq!(line_list(&[4]), "on line 4");
        assert_eq!(line_list(&[4, 4]), "on line 4");
        assert_eq!(line_list(&[3, 5, 6, 7, 8, 12]), "on lines 3, 5 to 8 and 12");
        assert_eq!(line_list(&[2, 3]), "on lines 2, 3");
        let many: Vec<u32> = (0..40).map(|number| 2 * number).collect();
        assert_eq!(line_list(&many), "on lines 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22 and others");
    }
}
