//! The counts of statements about uses: who refuses a use, in which language, and which languages
//! contradict each other.
//!
//! A text is read once and counts for every site that has it. Texts may be added in any order, but
//! the examples are of the first. It does not know the charts.

use robomaton_formats::crawlers::{Purpose, WellKnownCrawler, known};
use robomaton_formats::preference::Language;
use robomaton_formats::usage::USAGES;
use robomaton_tables::coverage::{Coverage, CoverageBasis, Share};
use robomaton_tables::stances::{Stance, UsageStance};
use robomaton_tables::usages::ASKED;
use std::collections::BTreeMap;

/// Examples of one contradiction.
const EXAMPLES: usize = 3;

/// Sites by what they say about uses to a crawler that no group names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UseFigures {
    /// For each usage of [`ASKED`].
    pub usages: Vec<UsageCounts>,
    /// For each well-known crawler.
    pub crawlers: Vec<NamedCounts>,
    /// Sites that refuse at least one crawler of AI training by its name.
    pub trainers: NamedCounts,
    /// Sites where a language refuses AI training.
    pub reserving: u64,
}

/// Sites by what they say about one usage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UsageCounts {
    /// The name of the usage.
    pub usage: &'static str,
    /// The stances of sites.
    pub stances: StanceCounts,
    /// The stances of each language by itself.
    pub languages: BTreeMap<Language, StanceCounts>,
    /// Sites where a language refuses what another permits.
    pub contradictory: u64,
    /// By the language that refuses and the one that permits.
    pub contradictions: BTreeMap<(Language, Language), Contradiction>,
}

/// Sites by stance. Sites that state nothing about any usage are not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StanceCounts([u64; Stance::ALL.len()]);

/// Sites on which two languages contradict each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contradiction {
    /// The number of sites.
    pub sites: u64,
    /// Some of them.
    pub examples: Vec<String>,
}

/// Sites that let a crawler crawl nothing because a group for its name says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NamedCounts {
    /// All of them.
    pub refused: u64,
    /// The sites where a language refuses AI training to everyone as well.
    pub reserving: u64,
}

impl Default for UseFigures {
    fn default() -> UseFigures {
        let counts =
            |&usage: &u16| UsageCounts { usage: USAGES[usize::from(usage)], ..UsageCounts::default() };
        UseFigures {
            usages: ASKED.iter().map(counts).collect(),
            crawlers: vec![NamedCounts::default(); known().len()],
            trainers: NamedCounts::default(),
            reserving: 0,
        }
    }
}

impl StanceCounts {
    /// Sites with this stance.
    pub fn with(&self, stance: Stance) -> u64 {
        self.0[stance as usize]
    }

    /// Sites that refuse all or a part.
    pub fn refusing(&self) -> u64 {
        self.with(Stance::Refused) + self.with(Stance::RefusedInPart)
    }

    /// Sites that are not silent.
    pub fn speaking(&self) -> u64 {
        self.0.iter().sum::<u64>() - self.with(Stance::Silent)
    }

    fn add(&mut self, stance: Stance, sites: u64) {
        self.0[stance as usize] += sites;
    }
}

impl NamedCounts {
    fn add(&mut self, reserves: bool, sites: u64) {
        self.refused += sites;
        self.reserving += if reserves { sites } else { 0 };
    }
}

impl UseFigures {
    /// Counts a text with these stances and coverages of the well-known crawlers, which this many
    /// sites have. `address` is the first of them.
    pub(crate) fn add(&mut self, stances: &[UsageStance], coverages: &[Coverage], address: &str, sites: u64) {
        for (counts, of) in self.usages.iter_mut().zip(stances) {
            counts.stances.add(of.stance, sites);
            for &(language, stance) in &of.languages {
                counts.languages.entry(language).or_default().add(stance, sites);
            }
            counts.contradictory += if of.contradictions.is_empty() { 0 } else { sites };
            for &pair in &of.contradictions {
                let contradiction = counts.contradictions.entry(pair).or_default();
                contradiction.sites += sites;
                if contradiction.examples.len() < EXAMPLES {
                    contradiction.examples.push(address.to_owned());
                }
            }
        }
        let refuses = |&(_, stance): &(Language, Stance)| stance <= Stance::RefusedInPart;
        let reserves = stances.first().is_some_and(|training| training.languages.iter().any(refuses));
        self.reserving += if reserves { sites } else { 0 };
        let mut any = false;
        for ((counts, coverage), known) in self.crawlers.iter_mut().zip(coverages).zip(known()) {
            if is_refused_by_name(coverage) {
                counts.add(reserves, sites);
                any |= is_trainer(known);
            }
        }
        if any {
            self.trainers.add(reserves, sites);
        }
    }

    /// True if any site states something about a usage.
    pub fn speaks(&self) -> bool {
        self.usages.iter().any(|counts| !counts.languages.is_empty())
    }
}

fn is_refused_by_name(coverage: &Coverage) -> bool {
    coverage.basis == CoverageBasis::Named && coverage.share == Share::Nothing
}

fn is_trainer(known: &WellKnownCrawler) -> bool {
    known.purpose == Purpose::Train
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ai_training_is_the_first_usage() {
        assert_eq!(UseFigures::default().usages[0].usage, "ai-train");
    }

    #[test]
    fn a_text_counts_for_its_sites() {
        let mut figures = UseFigures::default();
        let stance = |usage| UsageStance {
            usage,
            stance: Stance::Refused,
            languages: vec![(Language::Aipref, Stance::Refused), (Language::TdmRep, Stance::Permitted)],
            contradictions: vec![(Language::Aipref, Language::TdmRep)],
        };
        (0..5).for_each(|n| figures.add(&[stance("ai-train")], &[], &format!("{n}.example"), 2));
        figures.add(&[], &[], "silent.example", 7);
        let of = &figures.usages[0];
        assert_eq!((of.stances.refusing(), of.stances.speaking(), of.contradictory), (10, 10, 10));
        let contradiction = &of.contradictions[&(Language::Aipref, Language::TdmRep)];
        assert_eq!((contradiction.sites, contradiction.examples.len()), (10, EXAMPLES));
        assert_eq!((figures.reserving, figures.usages[1].stances.speaking()), (10, 0));
        assert!(figures.speaks() && !UseFigures::default().speaks());
    }
}
