//! The answers about usages that differ between two captures of a site.
//!
//! Both captures are measured for the same crawlers ([`crate::usages`]), and captures without a
//! preference not at all. It does not know how two images are read in parallel.

use crate::coverage::Share;
use crate::meaning::{Said, is_same_to_all};
use crate::rows::{Subject, languages};
use crate::usages::{ASKED, UsageCoverage, measure, named, states_any};
use crate::write::Writer;
use robomaton_formats::condition::Condition;
use robomaton_formats::crawlers;
use robomaton_formats::detail::Detail;
use robomaton_formats::preference::{Carrier, Effect, Language, Statement};
use robomaton_formats::profile::AgentRule;
use robomaton_formats::usage::{USAGES, with_parts};
use robomaton_formats::vocabulary::usage_of_label;
use robomaton_runtime::{Image, Site};
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::io;
use std::rc::Rc;

/// A crawler with another answer about a usage of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UseChange {
    /// The coverage before.
    pub from: UsageCoverage,
    /// The coverage now.
    pub to: UsageCoverage,
}

impl UseChange {
    /// The crawler: as requested, else in lower case; `*` for one that no group names.
    pub fn crawler(&self) -> &str {
        &self.to.crawler
    }

    /// The usage.
    pub fn usage(&self) -> &'static str {
        self.to.usage
    }

    /// More or less; `None` if one of the two is unknown.
    pub fn direction(&self) -> Option<Ordering> {
        let is_known = |coverage: &UsageCoverage| coverage.share != Share::Unknown;
        (is_known(&self.from) && is_known(&self.to)).then(|| self.to.share.cmp(&self.from.share))
    }

    pub(crate) fn write(&self, site: &str, writer: &mut Writer<'_>) -> io::Result<()> {
        let known = crawlers::find(&self.crawler().to_ascii_lowercase());
        let who = Subject { crawler: self.crawler(), known, usage: self.usage() };
        let [from, to] = [&self.from, &self.to].map(languages);
        writer.row(&[
            site.into(),
            who.crawler.into(),
            who.operator(),
            who.purpose(),
            who.usage.into(),
            self.from.share.name().into(),
            self.to.share.name().into(),
            from.as_deref().into(),
            to.as_deref().into(),
            self.from.conditional.into(),
            self.to.conditional.into(),
        ])
    }
}

/// The crawlers and usages to compare.
#[derive(Clone, Copy, Debug)]
pub struct UsesAsked<'a> {
    /// The crawlers. None given: `*` and every crawler that the preferences of a site name.
    pub crawlers: &'a [String],
    /// The usages. Those that are not in [`ASKED`] are left out. None given: all of [`ASKED`].
    pub usages: &'a [String],
}

/// What a statement says: language and place, with the document, since what stands in different
/// ones is weighed apart; pattern, usage, effect, rank and conditions.
type Content<'d> = ((Language, Carrier, Option<&'d str>), &'d [u8], u16, Effect, u32, &'d [Condition]);

/// Compares the answers of two images.
pub(crate) struct UseChanges<'i, D> {
    images: [&'i Image<D>; 2],
    crawlers: &'i [String],
    /// The names under which groups for these crawlers are looked for, and how they are compared.
    names: Vec<String>,
    rule: AgentRule,
    /// The usages to measure.
    usages: Vec<u16>,
    /// The usages whose statements are compared.
    stated: BTreeSet<u16>,
}

impl<'i, D: AsRef<[u8]>> UseChanges<'i, D> {
    pub(crate) fn new(images: [&'i Image<D>; 2], asked: UsesAsked<'i>) -> UseChanges<'i, D> {
        let is_named =
            |usage: u16, name: &str| USAGES[usize::from(usage)] == usage_of_label(name).unwrap_or(name);
        let is_asked =
            |&usage: &u16| asked.usages.is_empty() || asked.usages.iter().any(|name| is_named(usage, name));
        let usages = ASKED.into_iter().filter(is_asked).collect();
        // Who asks about a usage with parts asks about these.
        let stated = (0..).take(USAGES.len()).filter(is_asked).flat_map(with_parts).collect();
        let [image, _] = images;
        let names = asked.crawlers.iter().flat_map(|name| image.crawler([name]).lookup_names().to_vec());
        let (names, rule) = (names.collect(), image.profile().agent_rule());
        UseChanges { images, crawlers: asked.crawlers, names, rule, usages, stated }
    }

    /// True if two documents state something else about the usages, be it for a few URLs only.
    pub(crate) fn states_otherwise(&self, details: [Option<&Detail<'_>>; 2]) -> bool {
        let none = Detail::default();
        let [before, now] = details.map(|detail| detail.unwrap_or(&none));
        // That a statement says nothing about a usage only matters beside one that does.
        let groups =
            [before, now].into_iter().flat_map(|detail| &detail.preferences).flat_map(|of| &of.groups);
        let speaking = groups
            .flat_map(|group| &group.statements)
            .filter(|statement| !matches!(statement.effect, Effect::Unstated | Effect::Dated));
        let spoken: BTreeSet<u16> = speaking.map(|statement| statement.usage).collect();
        let usages = &spoken & &self.stated;
        !is_same_to_all([before, now].map(|detail| self.statements(detail, &usages)))
    }

    fn statements<'d>(
        &self,
        detail: &'d Detail<'d>,
        usages: &BTreeSet<u16>,
    ) -> Vec<Said<(bool, &'d str), Content<'d>>> {
        let is_asked = |name: &&str| {
            let is_own = |own: &String| self.rule.names(name, own);
            self.crawlers.is_empty() || matches!(*name, "" | "*") || self.names.iter().any(is_own)
        };
        let groups =
            detail.preferences.iter().flat_map(|of| of.groups.iter().map(|group| (of.additive, group)));
        let said = groups.map(|(additive, group)| {
            let everyone = [group.default.then_some("*"), group.fallback.then_some("")];
            let names = group.crawlers.iter().map(String::as_str).chain(everyone.into_iter().flatten());
            let stated = group.statements.iter().filter(|statement| usages.contains(&statement.usage));
            let contents = stated.filter_map(|statement| {
                let record = group.records.get(statement.record as usize)?;
                let place = (record.language, record.carrier, detail.file(record.file));
                let &Statement { usage, effect, rank, conditions, .. } = statement;
                let conditions = detail.set_of_conditions(conditions);
                Some((place, record.pattern.0.as_ref(), usage, effect, rank, conditions))
            });
            (names.filter(is_asked).map(|name| (additive, name)).collect(), contents.collect())
        });
        said.filter(|(_, contents): &(_, Vec<_>)| !contents.is_empty()).collect()
    }

    /// The changes between two captures of a site, whose documents these are.
    pub(crate) fn of(&self, sites: [&Site<'_>; 2], details: [Option<&Detail<'_>>; 2]) -> Rc<[UseChange]> {
        let is_silent = |detail: &Option<&Detail<'_>>| !detail.is_some_and(states_any);
        match self.usages.is_empty() || details.iter().all(is_silent) {
            true => Rc::from([]),
            false => self.compare(sites, details),
        }
    }

    fn compare(&self, sites: [&Site<'_>; 2], details: [Option<&Detail<'_>>; 2]) -> Rc<[UseChange]> {
        let none = Detail::default();
        let [before, now] = details.map(|detail| detail.unwrap_or(&none));
        let names: Vec<&str> = match self.crawlers {
            [] => {
                let names: BTreeSet<&str> = named(before).into_iter().chain(named(now)).collect();
                std::iter::once("*").chain(names).collect()
            }
            given => given.iter().map(String::as_str).collect(),
        };
        let measure = |at: usize, detail| {
            measure(self.images[at], sites[at], detail, names.iter().copied(), &self.usages)
        };
        let pairs = measure(0, before).into_iter().zip(measure(1, now));
        let changes = pairs.filter(|(from, to)| {
            (from.share, from.conditional, &from.languages) != (to.share, to.conditional, &to.languages)
        });
        changes.map(|(from, to)| UseChange { from, to }).collect()
    }
}
