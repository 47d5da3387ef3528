//! Coverage by usage: how much of a site may be used in the ways that the languages of preferences
//! speak of, for every crawler that the site names.
//!
//! As in [`crate::coverage`], each pattern is tested with a witness. Without stars inside, all
//! patterns that match a target are its beginnings, and the witness of the longest one matches the
//! same patterns. So shares are exact if no pattern has a star. They are exact, too, if the
//! patterns of at most one ranked set of statements are not for the whole site. Otherwise a
//! decision about few targets may be missed, and a share that looks like all or nothing is
//! [`Share::Part`].
//!
//! Each witness is a question to `runtime`; nothing is weighed here. If the same groups apply to
//! several crawlers, and the image answers for all or none of them, only one of them is measured.
//! Each of many crawlers may have many patterns, so one text may cost the square of its length:
//! what exceeds [`WORK`] is not measured, and each share is [`Share::Part`] and incomplete.

use crate::coverage::{
    AnswersKey, Applying, Found, Share, answering, answers_key, applying, fresh, is_for_all, is_held, naming,
    patterns, url, witnesses,
};
use robomaton_formats::agent::written_names;
use robomaton_formats::detail::{Detail, Group as RuleGroup};
use robomaton_formats::policy::CRAWL;
use robomaton_formats::preference::{Effect, Group, Kind, Language, Record, Statement, Tag};
use robomaton_formats::usage::{AI_INDEX, AI_INPUT, AI_TRAIN, INDEX, SEARCH, TDM, USAGES, parts};
use robomaton_formats::{Notation, Pattern};
use robomaton_runtime::{Basis, Crawler, Image, Site};
use std::collections::{BTreeSet, HashMap};

/// The usages of the table, as indexes into [`USAGES`].
pub const ASKED: [u16; 6] = [AI_TRAIN, AI_INPUT, AI_INDEX, SEARCH, INDEX, TDM];

/// The work on the crawlers of one text after which the rest are not measured, in bytes of patterns
/// that are asked about. `PATTERN` and `GROUP` are the least for one of them. 2,200 groups with
/// a name each, as many as the largest known text has, are within it; hostile texts end after a
/// second or two.
pub const WORK: usize = 1 << 27;
const PATTERN: usize = 64;
const GROUP: usize = 8;

/// How much of a site a crawler may use in one way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageCoverage {
    /// The crawler, in lower case; `*` for one that no group names.
    pub crawler: String,
    /// The usage: its name in [`USAGES`].
    pub usage: &'static str,
    /// The share of the site. [`Share::Part`] also stands for answers that differ in any other way,
    /// for conditions, and for a share that is not certain.
    pub share: Share,
    /// The languages that state something about the usage to this crawler, in number order.
    pub languages: Vec<Language>,
    /// True if a part of it, or all, is permitted under conditions only.
    pub conditional: bool,
    /// True if a file, page or statement was not read, so that more may be refused.
    pub incomplete: bool,
}

impl UsageCoverage {
    /// That of a crawler on which no more work is spent.
    fn unmeasured(crawler: &str, usage: u16) -> UsageCoverage {
        UsageCoverage {
            crawler: crawler.to_owned(),
            usage: USAGES[usize::from(usage)],
            share: Share::Part,
            languages: Vec::new(),
            conditional: false,
            incomplete: true,
        }
    }
}

/// Coverages by usage on many sites of one image; sites with the same text are measured once.
pub struct UsageCoverages<'i, D> {
    image: &'i Image<D>,
    known: HashMap<AnswersKey, Vec<UsageCoverage>>,
    /// The number of coverages in `known`.
    count: usize,
    none: Vec<UsageCoverage>,
}

/// The number of cached coverages at which the cache is emptied.
const CACHED: usize = 1 << 18;

impl<'i, D: AsRef<[u8]>> UsageCoverages<'i, D> {
    /// Coverages on the sites of an image.
    pub fn new(image: &'i Image<D>) -> UsageCoverages<'i, D> {
        UsageCoverages { image, known: HashMap::new(), count: 0, none: Vec::new() }
    }

    /// The coverages of a site: for `*` and each crawler that its preferences name, in order, one
    /// for each of [`ASKED`]. None if nothing on the site states a preference.
    pub fn of(&mut self, site: &Site<'_>) -> &[UsageCoverage] {
        let key = answers_key(site);
        if key.0.is_none() {
            return &self.none;
        }
        if !self.known.contains_key(&key) {
            let detail = site.detail().unwrap_or_default();
            let names = std::iter::once("*").chain(named(&detail));
            let measured = match states_any(&detail) {
                true => measure(self.image, site, &detail, names, &ASKED),
                false => Vec::new(),
            };
            if self.count > CACHED {
                self.known.clear();
                self.count = 0;
            }
            self.count += measured.len();
            self.known.insert(key, measured);
        }
        self.known.get(&key).unwrap_or(&self.none)
    }
}

/// True if a record of a document states a preference.
pub fn states_any(detail: &Detail<'_>) -> bool {
    detail.preferences.iter().flat_map(|source| &source.groups).any(|group| !group.records.is_empty())
}

/// The crawlers that the groups of a document's preferences name.
pub(crate) fn named<'d>(detail: &'d Detail<'_>) -> BTreeSet<&'d str> {
    let groups = detail.preferences.iter().flat_map(|source| &source.groups);
    groups.flat_map(|group| written(&group.crawlers)).collect()
}

/// The names of a group as its text has them.
pub(crate) fn written(crawlers: &[String]) -> BTreeSet<&str> {
    let names: Vec<&str> = crawlers.iter().map(String::as_str).collect();
    written_names(&names).into_iter().collect()
}

/// The coverages of a site, whose document this is, for these crawlers and usages, in that order.
pub(crate) fn measure<'n, D: AsRef<[u8]>>(
    image: &Image<D>,
    site: &Site<'_>,
    detail: &Detail<'_>,
    names: impl Iterator<Item = &'n str>,
    usages: &[u16],
) -> Vec<UsageCoverage> {
    let mut measured: HashMap<(bool, Applying), Vec<UsageCoverage>> = HashMap::new();
    let mut all = Vec::new();
    let groups =
        detail.groups.len() + detail.preferences.iter().map(|source| source.groups.len()).sum::<usize>();
    let mut work = 0;
    for name in names {
        if work > WORK {
            all.extend(usages.iter().map(|&usage| UsageCoverage::unmeasured(name, usage)));
            continue;
        }
        work += GROUP * groups;
        let crawler = image.crawler([name]);
        let applying = (naming(site, detail, &crawler), applying(detail, &crawler));
        let key = (is_held(site, &crawler), applying);
        let coverages = measured.entry(key).or_insert_with_key(|(_, (_, applying))| {
            let speaking = Speaking::new(site, detail, &crawler, applying);
            work += speaking.work() * usages.len();
            let measure = |&usage| measure_one(image, site, &crawler, usage, &speaking);
            usages.iter().map(measure).collect()
        });
        let own = coverages.iter().map(|known| UsageCoverage { crawler: name.to_owned(), ..known.clone() });
        all.extend(own);
    }
    all
}

fn measure_one<D: AsRef<[u8]>>(
    image: &Image<D>,
    site: &Site<'_>,
    crawler: &Crawler,
    usage: u16,
    speaking: &Speaking<'_>,
) -> UsageCoverage {
    let name = USAGES[usize::from(usage)];
    let mut coverage = UsageCoverage {
        crawler: String::new(),
        usage: name,
        share: Share::Unknown,
        languages: speaking.languages(usage),
        conditional: false,
        incomplete: false,
    };
    let Some(targets) = speaking.targets(site, &[usage]) else { return coverage };
    let access = site.access(crawler, image.usage(name));
    let mut found = Found::default();
    for target in &targets {
        let verdict = access.decide(target);
        if verdict.basis() != Basis::RobotsTxt {
            found.add(&verdict);
        }
    }
    coverage.share = match (found.allowed, found.disallowed, found.conditional, found.unknown) {
        (false, false, false, _) => Share::Unknown,
        (true, false, false, false) if speaking.is_exact(usage) => Share::All,
        (false, true, false, false) if speaking.is_exact(usage) => Share::Nothing,
        _ => Share::Part,
    };
    coverage.conditional = found.conditional;
    coverage.incomplete = found.incomplete;
    coverage
}

/// Everything that speaks to a crawler.
pub(crate) struct Speaking<'d> {
    pub(crate) detail: &'d Detail<'d>,
    groups: Vec<&'d RuleGroup<'d>>,
    preferences: Vec<&'d Group<'d>>,
}

impl<'d> Speaking<'d> {
    /// Everything of a document that speaks to a crawler, to which these groups of each source of
    /// preferences apply.
    pub(crate) fn new(
        site: &Site<'_>,
        detail: &'d Detail<'d>,
        crawler: &Crawler,
        applying: &[Vec<usize>],
    ) -> Speaking<'d> {
        let preferences = detail.preferences.iter().zip(applying);
        let preferences =
            preferences.flat_map(|(source, groups)| groups.iter().map(|&at| &source.groups[at])).collect();
        Speaking { detail, groups: answering(site, detail, crawler), preferences }
    }

    /// The work on one usage, at most, as [`WORK`] counts it.
    fn work(&self) -> usize {
        let of_rules = self.groups.iter().flat_map(|group| patterns(group));
        let of_records = self.preferences.iter().flat_map(|group| &group.records);
        of_rules.chain(of_records.map(|record| &*record.pattern.0)).map(|text| PATTERN + text.len()).sum()
    }

    /// The witnesses of usages: one of the whole site, then those of statements, then those of
    /// rules. `None` if the patterns use every fresh byte.
    pub(crate) fn targets(&self, site: &Site<'_>, usages: &[u16]) -> Option<Vec<String>> {
        let about = usages.iter().flat_map(|&usage| self.about(usage));
        let stated: BTreeSet<&[u8]> = about.map(|(record, _)| &*record.pattern.0).collect();
        let rules = self.groups.iter().flat_map(|group| patterns(group));
        let fresh = fresh(rules.chain(stated.iter().copied()))?;
        let mut targets = vec![url([b'/', fresh])];
        for text in stated {
            witnesses(site, Pattern { text, notation: Notation::Rep }, fresh, &mut targets);
        }
        for group in &self.groups {
            group.rules.iter().for_each(|rule| witnesses(site, group.pattern(rule), fresh, &mut targets));
        }
        Some(targets)
    }

    /// The statements about a usage or its parts, each with its record.
    fn about(&self, usage: u16) -> impl Iterator<Item = (&'d Record<'d>, &'d Statement)> {
        let stated = self.preferences.iter().flat_map(move |group| {
            let about = move |statement: &&Statement| {
                statement.usage == usage || parts(usage).contains(&statement.usage)
            };
            group.statements.iter().filter(about).map(|statement| (group.record(statement), statement))
        });
        stated.filter_map(|(record, statement)| Some((record?, statement)))
    }

    /// True if a rule may be about a usage other than crawling.
    pub(crate) fn has_rules_of_usages(&self) -> bool {
        let is_of_usages = |group: &&RuleGroup<'_>| {
            !group.role.is_ranked() || group.rules.iter().any(|rule| rule.usage != CRAWL)
        };
        self.groups.iter().any(is_of_usages)
    }

    /// The languages that state something about the usage.
    pub(crate) fn languages(&self, usage: u16) -> Vec<Language> {
        let states = |effect| !matches!(effect, Effect::Unstated | Effect::Supersedes | Effect::Dated);
        let stated = self.about(usage).filter(|(_, statement)| states(statement.effect));
        let languages: BTreeSet<Language> = stated.map(|(record, _)| record.language).collect();
        languages.into_iter().collect()
    }

    /// True if the witnesses find every decision about the usage.
    pub(crate) fn is_exact(&self, usage: u16) -> bool {
        let mut has_star = false;
        // The programs whose answers differ between targets: a set of statements about one usage,
        // or the rules for one.
        let mut varying: BTreeSet<(Option<u16>, u16)> = BTreeSet::new();
        let (mut is_ranked, mut has_fields, mut needs_crawl) = (true, false, false);
        for (record, statement) in self.about(usage) {
            let tag = Tag::new(Kind::Either, record.language, record.carrier);
            needs_crawl |= tag.needs_crawl(statement.effect);
            if !is_for_all(&record.pattern.0) {
                varying.insert((Some(statement.set), statement.usage));
                has_star |= record.pattern.0.contains(&b'*');
                is_ranked &= statement.effect != Effect::Closed;
            }
        }
        for group in &self.groups {
            for rule in &group.rules {
                let is_about = |asked: u16| self.detail.usage(rule.usage) == USAGES[usize::from(asked)];
                let counts = is_about(usage)
                    || parts(usage).iter().any(|&part| is_about(part))
                    || needs_crawl && rule.usage == CRAWL;
                if counts && !is_for_all(&rule.pattern.0) {
                    varying.insert((None, rule.usage));
                    has_star |= rule.pattern.0.contains(&b'*');
                    has_fields |= !group.role.is_ranked();
                }
            }
        }
        // Fields of ACAP ignore case, and are weighed together.
        !has_fields && (!has_star || varying.len() <= 1 && is_ranked)
    }
}
