//! What sites say about usages to everyone, and in which language: the stance of a site, the one of
//! each language by itself, and the languages that contradict each other.
//!
//! The crawler is `*`, one that no group names. Targets are the witnesses of [`crate::usages`].
//! Those that may not be crawled are left out, since they are closed anyway and `Content-Usage` is
//! silent on them; if no target may be crawled, all of them count. The whole site's stance is that
//! of `runtime`; the stance of a language is that of the naive evaluation
//! ([`robomaton_formats::preference::weigh`]) on the first [`WEIGHED`] targets, so that time is
//! linear in the statements. A text that states nothing costs nothing.

use crate::coverage::applying;
use crate::usages::{ASKED, Speaking, states_any};
use robomaton_formats::Decision;
use robomaton_formats::detail::Detail;
use robomaton_formats::preference::{Effects, Finding, Language, Question, weigh};
use robomaton_formats::usage::{USAGES, parts};
use robomaton_runtime::{Basis, Crawler, Image, Site, Usage};
use std::collections::{BTreeMap, BTreeSet};

/// The number of targets on which languages are compared.
pub const WEIGHED: usize = 64;

/// The stance of a site, or of one language on it, towards a usage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stance {
    /// It refuses the whole site.
    Refused,
    /// It refuses a part of the site, or all if that is not certain.
    RefusedInPart,
    /// It refuses nothing, and permits something under conditions only.
    Conditional,
    /// It refuses nothing, and permits something without conditions.
    Permitted,
    /// It speaks of the usage, but decides nothing, or could not be read.
    Unknown,
    /// It says nothing.
    Silent,
}

impl Stance {
    /// Every stance.
    pub const ALL: [Stance; 6] = [
        Stance::Refused,
        Stance::RefusedInPart,
        Stance::Conditional,
        Stance::Permitted,
        Stance::Unknown,
        Stance::Silent,
    ];
}

/// The stance of a site on a usage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageStance {
    /// The usage: its name in [`USAGES`].
    pub usage: &'static str,
    /// The stance of the site: that of all languages and rules together.
    pub stance: Stance,
    /// The languages that state something about it, in number order, each with its own stance.
    pub languages: Vec<(Language, Stance)>,
    /// The pairs of languages of which the first refuses a target that the second permits.
    pub contradictions: Vec<(Language, Language)>,
}

/// The stances of a site, whose document this is, one for each of [`ASKED`]. None if nothing in
/// the document states a preference.
pub fn stances<D: AsRef<[u8]>>(image: &Image<D>, site: &Site<'_>, detail: &Detail<'_>) -> Vec<UsageStance> {
    if !states_any(detail) {
        return Vec::new();
    }
    let crawler = image.crawler(["*"]);
    let speaking = Speaking::new(site, detail, &crawler, &applying(detail, &crawler));
    let crawl = site.access(&crawler, Usage::CRAWL);
    let is_open = |target: &String| crawl.decide(target).decision() != Decision::Disallowed;
    let targets = speaking.targets(site, &ASKED).unwrap_or_default();
    let (open, closed): (Vec<String>, Vec<String>) = targets.into_iter().partition(is_open);
    let no_crawl = open.is_empty();
    let targets = Targets { of: if no_crawl { closed } else { open }, no_crawl };
    ASKED.iter().map(|&usage| stance(image, site, &crawler, &speaking, &targets, usage)).collect()
}

/// The targets that count.
struct Targets {
    of: Vec<String>,
    /// They may not be crawled.
    no_crawl: bool,
}

fn stance<D: AsRef<[u8]>>(
    image: &Image<D>,
    site: &Site<'_>,
    crawler: &Crawler,
    speaking: &Speaking<'_>,
    Targets { of: targets, no_crawl }: &Targets,
    usage: u16,
) -> UsageStance {
    let name = USAGES[usize::from(usage)];
    let mut languages: BTreeMap<Language, Decisions> =
        speaking.languages(usage).into_iter().map(|language| (language, Decisions::default())).collect();
    let mut whole = Decisions { speaks: !languages.is_empty(), ..Decisions::default() };
    let mut contradictions = BTreeSet::new();
    if languages.is_empty() && !speaking.has_rules_of_usages() {
        return UsageStance {
            usage: name,
            stance: Stance::Silent,
            languages: Vec::new(),
            contradictions: Vec::new(),
        };
    }
    let access = site.access(crawler, image.usage(name));
    let mut weighed = 0;
    for target in targets {
        let verdict = access.decide(target);
        if verdict.basis() == Basis::RobotsTxt {
            continue;
        }
        // What could not be read refuses nothing.
        let is_open = verdict.decision() != verdict.safe_decision();
        whole.add(if is_open { Decision::Unknown } else { verdict.decision() });
        if languages.is_empty() || weighed == WEIGHED {
            continue;
        }
        weighed += 1;
        let canonical = site.target(target);
        let question = Question {
            names: crawler.lookup_names(),
            named_only: crawler.is_named_only(),
            usage,
            target: &canonical,
            no_crawl: *no_crawl,
            elements: false,
        };
        let decisions = by_language(speaking.detail, &question);
        for (language, of) in &mut languages {
            of.add(decisions.get(language).copied().unwrap_or(Decision::Unknown));
        }
        let permits = |decision| matches!(decision, Decision::Allowed | Decision::Conditional);
        for (&refusing, _) in decisions.iter().filter(|(_, decision)| **decision == Decision::Disallowed) {
            let permitting = decisions.iter().filter(|(_, decision)| permits(**decision));
            contradictions.extend(permitting.map(|(&permitting, _)| (refusing, permitting)));
        }
    }
    let is_exact = speaking.is_exact(usage);
    languages.values_mut().for_each(|of| of.speaks = true);
    UsageStance {
        usage: name,
        stance: whole.stance(is_exact),
        languages: languages
            .into_iter()
            .map(|(language, of)| (language, of.stance(is_exact && weighed == targets.len())))
            .collect(),
        contradictions: contradictions.into_iter().collect(),
    }
}

/// The decision of each language by itself on one target.
fn by_language(detail: &Detail<'_>, question: &Question<'_>) -> BTreeMap<Language, Decision> {
    let effects = |usage| {
        let mut of: BTreeMap<Language, Effects> = BTreeMap::new();
        for finding in weigh(&detail.preferences, &Question { usage, ..*question }) {
            if let Some((language, effect)) = language(detail, &finding).zip(finding.effect.ok()) {
                let effects = of.entry(language).or_insert(Effects::NONE);
                *effects = effects.and(effect.into());
            }
        }
        of
    };
    let mut whole = effects(question.usage);
    for &part in parts(question.usage) {
        for (language, part) in effects(part) {
            let of = whole.entry(language).or_insert(Effects::NONE);
            *of = of.with_parts(part);
        }
    }
    whole.into_iter().map(|(language, effects)| (language, effects.decision())).collect()
}

fn language(detail: &Detail<'_>, finding: &Finding) -> Option<Language> {
    let group = detail.preferences.get(finding.source)?.groups.get(finding.group)?;
    Some(group.record(&finding.statement)?.language)
}

/// The decisions that were found.
#[derive(Clone, Copy, Debug, Default)]
struct Decisions {
    allowed: bool,
    refused: bool,
    conditional: bool,
    unknown: bool,
    /// A statement is about the usage.
    speaks: bool,
}

impl Decisions {
    fn add(&mut self, decision: Decision) {
        match decision {
            Decision::Allowed => self.allowed = true,
            Decision::Disallowed => self.refused = true,
            Decision::Conditional => self.conditional = true,
            Decision::Unknown => self.unknown = true,
        }
    }

    /// The stance; `is_exact` if there are no other decisions on other targets.
    fn stance(self, is_exact: bool) -> Stance {
        let alone = !(self.allowed || self.conditional || self.unknown) && is_exact;
        match self {
            Decisions { refused: true, .. } if alone => Stance::Refused,
            Decisions { refused: true, .. } => Stance::RefusedInPart,
            Decisions { conditional: true, .. } => Stance::Conditional,
            Decisions { allowed: true, .. } => Stance::Permitted,
            Decisions { speaks: true, .. } => Stance::Unknown,
            _ => Stance::Silent,
        }
    }
}
