//! The summary of `diff`: counts of sites, and for each crawler the sites that gave or took access
//! or answer otherwise about a usage, with examples.
//!
//! It keeps counts and a few names, whatever the number of sites. It does not know where changes
//! come from.

use robomaton_explain::{count, shown};
use robomaton_tables::coverage::Share;
use robomaton_tables::diff::{Access, Change, Changed};
use robomaton_tables::rows::Subject;
use robomaton_tables::usages::UsageCoverage;
use robomaton_tables::use_changes::UseChange;
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

/// The counts so far.
pub(super) struct Summary {
    examples: usize,
    changes: BTreeMap<Change, Seen>,
    /// By crawler and usage, and by the access or the answers before and after.
    access: Vec<CrawlerSteps>,
    /// The index in `access` of a crawler, in lower case, and a usage.
    places: HashMap<(String, String), usize>,
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

/// The word for the change, and from which share to which.
type Step = (Word, String, String);

/// The words for a change, in the order of the summary.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Word {
    Unclear,
    New,
    Dropped,
    Lost,
    Same,
    Gained,
}

impl Word {
    fn of_access(direction: Option<Ordering>) -> Word {
        match direction {
            Some(Ordering::Less) => Word::Lost,
            Some(_) => Word::Gained,
            None => Word::Unclear,
        }
    }

    fn of_use(change: &UseChange) -> Word {
        match change.direction() {
            Some(Ordering::Equal) => Word::Same,
            None if change.from.share != Share::Unknown => Word::Dropped,
            None if change.to.share != Share::Unknown => Word::New,
            None => Word::Same,
            known => Word::of_access(known),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Word::Unclear => "unclear",
            Word::New => "new",
            Word::Dropped => "dropped",
            Word::Lost => "lost",
            Word::Same => "same",
            Word::Gained => "gained",
        }
    }
}

/// The share of a coverage and the languages that state it, as in `some under conditions (rsl)`.
fn stated(coverage: &UsageCoverage) -> String {
    let conditions = if coverage.conditional { " under conditions" } else { "" };
    let languages: Vec<&str> = coverage.languages.iter().map(|language| language.name()).collect();
    match languages[..] {
        [] => format!("{}{conditions}", coverage.share.name()),
        _ => format!("{}{conditions} ({})", coverage.share.name(), languages.join(", ")),
    }
}

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
        Summary { examples, changes: BTreeMap::new(), access: Vec::new(), places: HashMap::new() }
    }

    pub(super) fn add(&mut self, changed: &Changed<'_>) {
        let Summary { examples, changes, access, places } = self;
        changes.entry(changed.change).or_default().add(&changed.site, *examples);
        let mut add = |crawler: &str, usage: &str, step: Step| {
            let key = (crawler.to_ascii_lowercase(), usage.to_owned());
            let at = *places.entry(key).or_insert_with(|| {
                let (crawler, usage) = (crawler.to_owned(), usage.to_owned());
                access.push(CrawlerSteps { crawler, usage, steps: BTreeMap::new() });
                access.len() - 1
            });
            access[at].steps.entry(step).or_default().add(&changed.site, *examples);
        };
        // Answers about a use count all statements, and are complete: whoever is missing there
        // answers as `*` does.
        let is_use = |who: &Subject<'_>| changed.uses.iter().any(|change| change.usage() == who.usage);
        for step @ Access { who, from, to } in changed.access.iter().filter(|step| !is_use(&step.who)) {
            let word = Word::of_access(step.direction());
            add(who.crawler, who.usage, (word, from.share.name().to_owned(), to.share.name().to_owned()));
        }
        for change in changed.uses.iter() {
            let step = (Word::of_use(change), stated(&change.from), stated(&change.to));
            add(change.crawler(), change.usage(), step);
        }
    }

    /// True if anything differs.
    pub(super) fn differs(&self) -> bool {
        !self.changes.is_empty()
    }

    /// Writes the summary, given the number of sites before, now, and in both.
    pub(super) fn write(&self, [before, now]: [usize; 2], both: u64, out: &mut impl Write) -> io::Result<()> {
        let stayed = [Change::Outcome, Change::Rules, Change::Uses, Change::Records, Change::Text];
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
                Change::Uses => "uses changed",
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
            for ((word, from, to), seen) in steps {
                write!(out, "{:>8}  {:<8}{from} to {to}", seen.sites, word.name())?;
                seen.write(out)?;
            }
        }
        Ok(())
    }
}
