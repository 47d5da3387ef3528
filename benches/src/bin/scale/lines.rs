//! Counts the cache lines of the image that a look-up reads: distinct runs of 64 bytes, exactly.
//!
//! A separate process asks questions under valgrind's `lackey`, which records every memory access;
//! between two questions it writes to a mark. The count is of distinct lines of the *image* that
//! are loaded, by section, without the stack, the question and the crawler. Without valgrind
//! nothing is counted.

use robomaton_formats::layout::Section;
use robomaton_runtime::Usage;
use robomaton_tests::map;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs::File;
use std::hint::black_box;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Questions of each kind.
pub(crate) const QUESTIONS: usize = 400;
/// Bytes of a line.
const LINE: u64 = 64;

/// Written to before each question.
static MARK: AtomicUsize = AtomicUsize::new(0);

/// Addresses in the observed process.
#[derive(Serialize, Deserialize)]
struct Places {
    mark: u64,
    image: u64,
    /// Name, start and end of each section in the image.
    sections: Vec<(String, u64, u64)>,
}

/// The lines that look-ups read.
pub(crate) struct Lines {
    pub(crate) mean: f64,
    pub(crate) p99: usize,
    /// The mean number of lines of each section; sections that were not read are left out.
    pub(crate) sections: Vec<(String, f64)>,
}

/// The observed stage: asks about the URLs in a file, one per line.
pub(crate) fn stage(path: &Path, urls: &Path) -> Result<(), String> {
    let image = map(path).map_err(|error| error.to_string())?;
    let urls = std::fs::read_to_string(urls).map_err(|error| error.to_string())?;
    let crawler = image.crawler(["Googlebot"]);
    let range = |section: Section| image.view().layout().range(section);
    let begin = image.view().section(Section::Hosts).as_ptr().addr() - range(Section::Hosts).start;
    let places = Places {
        mark: std::ptr::from_ref(&MARK).addr() as u64,
        image: begin as u64,
        sections: Section::ALL
            .map(|section| {
                (section.name().to_owned(), range(section).start as u64, range(section).end as u64)
            })
            .to_vec(),
    };
    println!("{}", serde_json::to_string(&places).map_err(|error| error.to_string())?);
    for (number, url) in urls.lines().enumerate() {
        MARK.store(number, Ordering::SeqCst);
        black_box(image.decide(&crawler, Usage::CRAWL, url).decision());
    }
    MARK.store(usize::MAX, Ordering::SeqCst);
    Ok(())
}

/// Runs the stage under valgrind. `None` if valgrind is missing.
pub(crate) fn count(stage: &Command, trace: &Path) -> Result<Option<Lines>, String> {
    let mut watched = Command::new("valgrind");
    watched.args(["--tool=lackey", "--trace-mem=yes", "-q"]).arg(format!("--log-file={}", trace.display()));
    watched.arg(stage.get_program()).args(stage.get_args());
    let Ok(output) = watched.output() else { return Ok(None) };
    if !output.status.success() {
        return Err(format!("valgrind ended with {}", output.status));
    }
    let places: Places = serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
    let file = File::open(trace).map_err(|error| error.to_string())?;
    let counted = read(&places, BufReader::new(file)).map_err(|error| error.to_string())?;
    std::fs::remove_file(trace).map_err(|error| error.to_string())?;
    Ok(Some(counted))
}

/// Reads a trace: lines such as ` L 1ffeffe7e,8`, instructions with `I`.
fn read(places: &Places, trace: impl BufRead) -> std::io::Result<Lines> {
    let end = places.sections.iter().map(|(_, _, end)| *end).max().unwrap_or(0);
    let (mut each, mut by_section) = (Vec::new(), vec![0usize; places.sections.len()]);
    let mut lines: Option<BTreeSet<u64>> = None;
    for access in trace.lines() {
        let access = access?;
        let Some((kind, (address, size))) =
            access.trim().split_once(' ').and_then(|(kind, rest)| Some((kind, rest.trim().split_once(',')?)))
        else {
            continue;
        };
        let (Ok(address), Ok(size)) = (u64::from_str_radix(address, 16), size.parse::<u64>()) else {
            continue;
        };
        if kind != "L" && address == places.mark {
            if let Some(lines) = lines.replace(BTreeSet::new()) {
                each.push(lines.len());
                let in_section = |&(_, from, to): &&(String, u64, u64)| {
                    lines.iter().filter(|&&line| line * LINE + LINE > *from && line * LINE < *to).count()
                };
                for (sum, section) in by_section.iter_mut().zip(&places.sections) {
                    *sum += in_section(&section);
                }
            }
        } else if kind == "L"
            && let Some(at) = address.checked_sub(places.image).filter(|&at| at < end)
        {
            // The map begins at a page boundary, so lines of the image are cache lines.
            lines.iter_mut().for_each(|lines| lines.extend(at / LINE..=(at + size - 1) / LINE));
        }
    }
    each.sort_unstable();
    let questions = each.len().max(1) as f64;
    let sections = places.sections.iter().zip(by_section).filter(|(_, sum)| *sum > 0);
    Ok(Lines {
        mean: each.iter().sum::<usize>() as f64 / questions,
        p99: each.get(each.len() * 99 / 100).copied().unwrap_or(0),
        sections: sections.map(|((name, ..), sum)| (name.clone(), sum as f64 / questions)).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_read() {
        let places = Places {
            mark: 0x10,
            image: 0x1000,
            sections: vec![("a".into(), 0, 128), ("b".into(), 128, 256)],
        };
        let trace = "==1== x\n L 1000,8\n S 10,8\nI  1000,4\n L 1000,8\n L 1008,8\n L 103c,8\n L 2000,8\n S 10,8\n M 10,8\n";
        let lines = read(&places, trace.as_bytes()).unwrap();
        assert_eq!((lines.mean, lines.p99), (1.0, 2));
        assert_eq!(lines.sections, [("a".to_owned(), 1.0)]);
    }
}
