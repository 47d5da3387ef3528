//! The counts of an image, and how counts of texts become counts of sites.
//!
//! A text is read once and counts for every site that has it. Invariant: texts may be added in any
//! order. It does not know the charts.

use crate::numbers::grouped;
use crate::uses::UseFigures;
use robomaton_formats::Outcome;
use robomaton_grammar::Severity;
use robomaton_tables::coverage::{Coverage, CoverageBasis, Share};
use robomaton_tables::stances::UsageStance;
use std::collections::BTreeMap;

/// Classes of numbers: zero, one, then powers of two; the last class is open.
pub const CLASSES: usize = 22;

/// Counts of an image. Sites are counted, unless stated otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// All sites.
    pub sites: u64,
    /// Distinct texts of those sites.
    pub texts: u64,
    /// Rules of the distinct texts.
    pub rules: u64,
    /// By outcome of the fetch, in the order of [`Outcome::ALL`].
    pub outcomes: [u64; Outcome::ALL.len()],
    /// Sites whose outcome is damaged in the image.
    pub damaged: u64,
    /// Sites with rules, by the class of their number of rules ([`class_name`]).
    pub by_rules: [u64; CLASSES],
    /// Sites with a text in the image, by the class of its length.
    pub by_size: [u64; CLASSES],
    /// Sites with rules: without wildcards, with stars only, with `$` only, with both.
    pub wildcards: [u64; 4],
    /// By the names of groups, in the form in which they are compared.
    pub agents: BTreeMap<String, u64>,
    /// By the codes of findings about their texts.
    pub codes: BTreeMap<&'static str, Coded>,
    /// For each well-known crawler, by share and basis.
    pub coverages: Vec<CoverageCounts>,
    /// For a crawler that no group names.
    pub everyone: CoverageCounts,
    /// The times of the oldest and the newest capture in Unix seconds, if any are known.
    pub fetched: Option<(u64, u64)>,
    /// Sites with a text in the image.
    pub with_text: u64,
    /// By what they say about uses.
    pub uses: UseFigures,
}

/// Counts for one code of lint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coded {
    /// Its severity.
    pub severity: Severity,
    /// Sites.
    pub sites: u64,
    /// Distinct texts.
    pub texts: u64,
}

/// Sites by the share that one crawler may use, and by the basis of that coverage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoverageCounts {
    /// By basis, then by share, in the orders of [`CoverageBasis::ALL`] and [`Share::ALL`].
    counts: [[u64; Share::ALL.len()]; CoverageBasis::ALL.len()],
}

impl CoverageCounts {
    pub(crate) fn add(&mut self, coverage: &Coverage, sites: u64) {
        self.counts[coverage.basis as usize][coverage.share as usize] += sites;
    }

    /// Sites with this share for the crawler by its name.
    pub fn named(&self, share: Share) -> u64 {
        self.counts[CoverageBasis::Named as usize][share as usize]
    }

    /// Sites with this share, by name or not.
    pub fn all(&self, share: Share) -> u64 {
        self.counts.iter().map(|of_ground| of_ground[share as usize]).sum()
    }

    /// Sites that name the crawler.
    pub fn naming(&self) -> u64 {
        self.counts[CoverageBasis::Named as usize].iter().sum()
    }

    /// Sites whose rules block the crawler completely, by its name or together with all crawlers.
    /// Sites that are disallowed because their robots.txt could not be fetched do not count.
    pub fn kept_out(&self) -> u64 {
        self.all(Share::Nothing) - self.unavailable()
    }

    /// Sites that are completely disallowed by the outcome of the fetch.
    pub fn unavailable(&self) -> u64 {
        self.counts[CoverageBasis::Outcome as usize][Share::Nothing as usize]
    }
}

/// The counts of one text.
#[derive(Clone, Debug, Default)]
pub(crate) struct OfText {
    /// False if it is no robots.txt, as of a site of which only pages were captured.
    pub(crate) is_read: bool,
    pub(crate) rules: u64,
    /// Its length in bytes, if the image contains it.
    pub(crate) size: Option<u64>,
    pub(crate) stars: bool,
    pub(crate) anchors: bool,
    /// Without duplicates.
    pub(crate) agents: Vec<String>,
    /// Without duplicates.
    pub(crate) codes: Vec<(&'static str, Severity)>,
    pub(crate) coverages: Vec<Coverage>,
    pub(crate) uses: OfUses,
}

/// The statements of one text about uses.
#[derive(Clone, Debug, Default)]
pub(crate) struct OfUses {
    pub(crate) stances: Vec<UsageStance>,
    /// The address of the first site with the text, if it states anything.
    pub(crate) address: String,
}

impl Figures {
    pub(crate) fn new(crawlers: usize) -> Figures {
        Figures { coverages: vec![CoverageCounts::default(); crawlers], ..Figures::default() }
    }

    /// Counts the outcome and the time of a site's fetch.
    pub(crate) fn add_site(&mut self, outcome: Option<Outcome>, fetched: Option<u64>) {
        self.sites += 1;
        if let Some(at) = fetched {
            let (first, last) = self.fetched.unwrap_or((at, at));
            self.fetched = Some((first.min(at), last.max(at)));
        }
        match outcome {
            Some(outcome) => self.outcomes[outcome as usize] += 1,
            None => self.damaged += 1,
        }
    }

    /// Counts the coverages of the well-known crawlers and, as the last one, of a crawler that no
    /// group names.
    pub(crate) fn add_coverages(&mut self, coverages: &[Coverage], sites: u64) {
        if let Some(coverage) = coverages.get(self.coverages.len()) {
            self.everyone.add(coverage, sites);
        }
        self.coverages.iter_mut().zip(coverages).for_each(|(counts, coverage)| counts.add(coverage, sites));
    }

    /// Counts a text that this many sites have; it is not new if other sites were counted before,
    /// of which robots.txt had another outcome.
    pub(crate) fn add_text(&mut self, text: &OfText, sites: u64, is_new: bool) {
        if is_new {
            self.texts += 1;
            self.rules += text.rules;
        }
        if text.is_read {
            self.by_rules[class(text.rules)] += sites;
        }
        if text.rules > 0 {
            self.wildcards[usize::from(text.stars) + 2 * usize::from(text.anchors)] += sites;
        }
        if let Some(size) = text.size {
            self.by_size[class(size)] += sites;
            self.with_text += sites;
        }
        for agent in &text.agents {
            if let Some(count) = self.agents.get_mut(agent) {
                *count += sites;
            } else {
                self.agents.insert(agent.clone(), sites);
            }
        }
        for &(code, severity) in &text.codes {
            let coded = self.codes.entry(code).or_insert(Coded { severity, sites: 0, texts: 0 });
            coded.sites += sites;
            coded.texts += u64::from(is_new);
        }
        self.add_coverages(&text.coverages, sites);
        self.add_uses(&text.uses, &text.coverages, sites);
    }

    /// Counts the statements about uses of a text with these coverages.
    pub(crate) fn add_uses(&mut self, uses: &OfUses, coverages: &[Coverage], sites: u64) {
        self.uses.add(&uses.stances, coverages, &uses.address, sites);
    }

    /// Sites with this outcome.
    pub fn with(&self, outcome: Outcome) -> u64 {
        self.outcomes[outcome as usize]
    }
}

/// The class of a number.
fn class(number: u64) -> usize {
    (u64::BITS as usize - number.leading_zeros() as usize).min(CLASSES - 1)
}

/// The range of a class: `0`, `1`, `2–3`, `4–7`, and so on.
pub fn class_name(class: usize) -> String {
    match class {
        0 => "0".to_owned(),
        1 => "1".to_owned(),
        last if last == CLASSES - 1 => format!("{} or more", grouped(1 << (class - 1))),
        _ => format!("{}\u{2013}{}", grouped(1 << (class - 1)), grouped((1 << class) - 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes() {
        assert_eq!([0, 1, 2, 3, 4, 7, 8, u64::MAX].map(class), [0, 1, 2, 2, 3, 3, 4, CLASSES - 1]);
        let names = [0, 1, 2, 13, 14, CLASSES - 1].map(class_name);
        assert_eq!(
            names,
            ["0", "1", "2\u{2013}3", "4,096\u{2013}8,191", "8,192\u{2013}16,383", "1,048,576 or more"]
        );
    }

    #[test]
    fn a_text_counts_for_its_sites() {
        let mut figures = Figures::new(0);
        let codes = vec![("x", Severity::Note)];
        let text = OfText {
            is_read: true,
            rules: 2,
            stars: true,
            agents: vec!["a".into()],
            codes,
            ..OfText::default()
        };
        figures.add_text(&text, 3, true);
        figures.add_text(&text, 1, true);
        assert_eq!((figures.texts, figures.rules, figures.by_rules[2]), (2, 4, 4));
        assert_eq!((figures.wildcards, figures.with_text), ([0, 4, 0, 0], 0));
        assert_eq!((figures.agents["a"], figures.codes["x"].sites, figures.codes["x"].texts), (4, 4, 2));
        figures.add_text(&text, 2, false);
        assert_eq!((figures.texts, figures.rules, figures.by_rules[2]), (2, 4, 6));
        assert_eq!((figures.agents["a"], figures.codes["x"].sites, figures.codes["x"].texts), (6, 6, 2));
    }
}
