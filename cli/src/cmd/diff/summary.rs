//! The summary of `diff`: counts of sites, and for each crawler the sites that gave or took access,
//! with examples.
//!
//! It keeps counts and a few names, whatever the number of sites. It does not know where changes
//! come from.

use robomaton_explain::{count, shown};
use robomaton_tables::diff::{Access, Change, Changed};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The counts so far.
pub(super) struct Summary {
    examples: usize,
    changes: BTreeMap<Change, Seen>,
    /// By crawler and usage in the order of the question, and by the access before and after.
    access: Vec<CrawlerSteps>,
}

/// A number of sites, and the names of the first.
#[derive(Default)]
struct Seen {
    sites: usize,
    examples: Vec<String>,
}

struct CrawlerSteps {
    crawler: String,
    usage: String,
    steps: BTreeMap<Step, Seen>,
}

/// Less access, more, or no longer known; from which share to which.
type Step = (Option<Ordering>, &'static str, &'static str);

impl Seen {
    fn add(&mut self, site: &str, examples: usize) {
        self.sites += 1;
        if self.examples.len() < examples {
            self.examples.push(site.to_owned());
        }
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let rest = self.sites - self.examples.len();
        for (number, site) in self.examples.iter().enumerate() {
            write!(out, "{}{}", if number == 0 { "  " } else { ", " }, shown(site))?;
        }
        if rest > 0 && !self.examples.is_empty() { writeln!(out, ", ...") } else { writeln!(out) }
    }
}

impl Summary {
    pub(super) fn new(examples: usize) -> Summary {
        Summary { examples, changes: BTreeMap::new(), access: Vec::new() }
    }

    pub(super) fn add(&mut self, changed: &Changed<'_>) {
        let Summary { examples, changes, access } = self;
        changes.entry(changed.change).or_default().add(&changed.site, *examples);
        for step @ Access { who, from, to } in &changed.access {
            let known = access.iter().position(|of| of.crawler == who.crawler && of.usage == who.usage);
            let at = known.unwrap_or_else(|| {
                let (crawler, usage) = (who.crawler.to_owned(), who.usage.to_owned());
                access.push(CrawlerSteps { crawler, usage, steps: BTreeMap::new() });
                access.len() - 1
            });
            let key = (step.direction(), from.share.name(), to.share.name());
            access[at].steps.entry(key).or_default().add(&changed.site, *examples);
        }
    }

    /// True if anything differs.
    pub(super) fn differs(&self) -> bool {
        !self.changes.is_empty()
    }

    /// Writes the summary, given the number of sites before, now, and in both.
    pub(super) fn write(&self, [before, now]: [usize; 2], both: u64, out: &mut impl Write) -> io::Result<()> {
        let stayed = [Change::Outcome, Change::Rules, Change::Records, Change::Text];
        let changed: usize = stayed.iter().filter_map(|change| Some(self.changes.get(change)?.sites)).sum();
        writeln!(
            out,
            "{} before, {now} now, {both} in both, {changed} of them changed",
            count(before, "site")
        )?;
        for (change, seen) in &self.changes {
            let what = match change {
                Change::Added => "added",
                Change::Gone => "gone",
                Change::Outcome => "outcome changed",
                Change::Rules => "rules changed",
                Change::Records => "records changed",
                Change::Text => "same for all",
            };
            write!(out, "{:>8}  {what:<16}", seen.sites)?;
            seen.write(out)?;
        }
        let mut access: Vec<&CrawlerSteps> = self.access.iter().collect();
        access.sort_by_key(|asked| {
            std::cmp::Reverse(asked.steps.values().map(|seen| seen.sites).sum::<usize>())
        });
        for CrawlerSteps { crawler, usage, steps } in access {
            writeln!(out, "{}, to {}", shown(crawler), shown(usage))?;
            for ((direction, from, to), seen) in steps {
                let word = match direction {
                    Some(Ordering::Less) => "lost",
                    Some(_) => "gained",
                    None => "unclear",
                };
                write!(out, "{:>8}  {word:<8}{from} to {to}", seen.sites)?;
                seen.write(out)?;
            }
        }
        Ok(())
    }
}
