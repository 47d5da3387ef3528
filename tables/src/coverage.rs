//! Coverage: how much of a site a crawler may use, which is all of it, a part, or nothing.
//!
//! Each rule is tested with one *witness*: the rule's pattern with every star and every open end
//! replaced by a *fresh* byte, which occurs in no pattern of the document. One witness for each
//! rule is enough. If a pattern `A` matches the witness of `D`, the fresh bytes were matched by
//! stars and open ends of `A`, so `A` matches every target that `D` matches. If a rule `D`
//! disallows any target, no better permission matches the witness of `D`, since it would match that
//! target, too; so the witness is disallowed. The same holds for permissions, and for silence,
//! whose witness is that of the pattern `/`. (A pattern that begins with a star and a `/` has two
//! witnesses: `*/x` is `/*/x` and `/x`.)
//!
//! Statements about uses are tested in the same way. So where rules are ranked, which is everywhere
//! except in ACAP, `Nothing`, `Part` and `All` are exact over all targets except `/robots.txt`.
//! ACAP weighs fields by specificity, where several matching rules may have an effect only
//! together, and ignores case, which conventional rules do not. There, each decision that is found
//! occurs, but a decision about few targets may be missed, so that `Part` is reported as `Nothing`
//! or `All`.
//!
//! Each witness is a question to `runtime`; nothing is weighed here. The cost is one question for
//! each rule of the groups that apply. Rules of pages apply to their own pages only, and are tested
//! like all other rules.

use robomaton_formats::detail::{Detail, Group};
use robomaton_formats::pattern::Parts;
use robomaton_formats::preference::Source;
use robomaton_formats::{Decision, DocumentId, Notation, Outcome, Pattern};
use robomaton_runtime::{Basis, Crawler, Site, Usage, Verdict};
use std::collections::{BTreeSet, HashMap};

/// How much of a site a crawler may use, for one usage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Coverage {
    /// The share of the site.
    pub share: Share,
    /// The reason.
    pub basis: CoverageBasis,
    /// True if a part of it, or all, is permitted under conditions only.
    pub conditional: bool,
    /// True if a file, page or statement was not read, so that more may be refused.
    pub incomplete: bool,
    /// The line of the catch-all rule (for example `Disallow: /`), if there is one. If there is
    /// none and a part of the site is disallowed, the line of the first rule that disallows
    /// something. `None` if no rule decides.
    pub line: Option<u32>,
}

/// A share of a site, without `/robots.txt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Share {
    /// Nothing: every target is disallowed.
    Nothing,
    /// A part: some targets are permitted, possibly under conditions, and not all are permitted
    /// without conditions.
    Part,
    /// Everything is permitted, without conditions.
    All,
    /// Nothing is permitted, but not everything disallowed: no rule is about the usage, a statement
    /// about it or the site's robots.txt was not read, or the image does not have the site.
    Unknown,
}

/// The reason for a coverage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CoverageBasis {
    /// A group of the text names the crawler.
    Named,
    /// No group names it; the groups for all crawlers apply.
    Default,
    /// There are rules, but no group for it.
    NoGroup,
    /// There are no rules; the outcome of the fetch decides (R16).
    Outcome,
    /// The image has no answer: it was compiled for other crawlers only, or is damaged.
    Untold,
}

impl Share {
    /// Every share.
    pub const ALL: [Share; 4] = [Share::Nothing, Share::Part, Share::All, Share::Unknown];

    /// The name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Share::Nothing => "none",
            Share::Part => "some",
            Share::All => "all",
            Share::Unknown => "unknown",
        }
    }
}

impl CoverageBasis {
    /// Every basis.
    pub const ALL: [CoverageBasis; 5] = [
        CoverageBasis::Named,
        CoverageBasis::Default,
        CoverageBasis::NoGroup,
        CoverageBasis::Outcome,
        CoverageBasis::Untold,
    ];

    /// The name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            CoverageBasis::Named => "named",
            CoverageBasis::Default => "default",
            CoverageBasis::NoGroup => "no-group",
            CoverageBasis::Outcome => "outcome",
            CoverageBasis::Untold => "untold",
        }
    }
}

impl Coverage {
    /// True if the text names the crawler.
    pub fn is_explicit(&self) -> bool {
        self.basis == CoverageBasis::Named
    }
}

/// Candidates for the fresh byte: they stand for themselves in every notation. Rare ones come
/// first.
const FRESH: &[u8] = b"~!',()+[]&=_-.ghijklmnopqrstuvwxyz";

/// The coverage of a site for a crawler and a usage. An incomplete answer counts as its
/// [`Verdict::safe_decision`]. For several crawlers or sites, [`Coverages`] is faster.
pub fn coverage(site: &Site<'_>, crawler: &Crawler, usage: Usage<'_>) -> Coverage {
    measure(site, site.detail().as_ref(), crawler, usage)
}

/// A key of sites with equal answers: the document, and the outcome of robots.txt, which also
/// counts where a document has only statements of pages or other files, with its status if there
/// are no rules.
pub type AnswersKey = (Option<DocumentId>, Option<Outcome>, u16);

/// The key of a site's answers.
pub fn answers_key(site: &Site<'_>) -> AnswersKey {
    let outcome = site.outcome();
    (site.document(), outcome, if outcome == Some(Outcome::Rules) { 0 } else { site.status() })
}

/// Coverages for the same crawlers on many sites. If the same groups of a document apply to several
/// crawlers, only one of them is measured; likewise for sites with the same text.
pub struct Coverages<'a> {
    crawlers: &'a [Crawler],
    usages: &'a [Usage<'a>],
    known: HashMap<AnswersKey, Box<[Coverage]>>,
}

/// The number of cached coverages, at 16 bytes each, at which the cache is emptied.
const CACHED: usize = 4 << 20;

impl<'a> Coverages<'a> {
    /// Coverages for these crawlers and usages of one image.
    pub fn new(crawlers: &'a [Crawler], usages: &'a [Usage<'a>]) -> Coverages<'a> {
        Coverages { crawlers, usages, known: HashMap::new() }
    }

    /// The coverages of a site: for each crawler, one for each usage.
    pub fn of(&mut self, site: &Site<'_>) -> &[Coverage] {
        if self.known.len() >= CACHED / (self.crawlers.len() * self.usages.len()).max(1) {
            self.known.clear();
        }
        let (crawlers, usages) = (self.crawlers, self.usages);
        self.known.entry(answers_key(site)).or_insert_with(|| {
            let detail = site.detail();
            let mut answered: HashMap<(Applying, bool, usize), Coverage> = HashMap::new();
            let mut all = Vec::with_capacity(crawlers.len() * usages.len());
            for crawler in crawlers {
                let of = |detail| (naming(site, detail, crawler), applying(detail, crawler));
                let naming = detail.as_ref().map(of).unwrap_or_default();
                let is_held = is_held(site, crawler);
                for (number, &usage) in usages.iter().enumerate() {
                    let of = || measure(site, detail.as_ref(), crawler, usage);
                    all.push(*answered.entry((naming.clone(), is_held, number)).or_insert_with(of));
                }
            }
            all.into()
        })
    }
}

/// False if the image was compiled for other crawlers only.
pub(crate) fn is_held(site: &Site<'_>, crawler: &Crawler) -> bool {
    site.access(crawler, Usage::CRAWL).decide("/").basis() != Basis::Narrowed
}

/// The groups that apply to a crawler: those of rules, and those of each source of preferences.
pub(crate) type Applying = (Naming, Vec<Vec<usize>>);

/// The groups of rules that name a crawler by any of its names; and those that apply, by the first
/// name that counts.
pub(crate) type Naming = [Vec<usize>; 2];

/// The groups of each source of preferences that apply to a crawler.
pub(crate) fn applying(detail: &Detail<'_>, crawler: &Crawler) -> Vec<Vec<usize>> {
    let applying = |source: &Source<'_>| source.groups_for(crawler.lookup_names(), crawler.is_named_only());
    detail.preferences.iter().map(applying).collect()
}

/// The groups of any role for a crawler. Crawlers with the same groups get the same answers.
pub(crate) fn naming(site: &Site<'_>, detail: &Detail<'_>, crawler: &Crawler) -> Naming {
    let rule = site.profile().agent_rule();
    let names = |group: &Group<'_>| crawler.lookup_names().iter().any(|name| group.names(rule, name));
    let naming = detail.groups.iter().enumerate().filter(|(_, group)| names(group));
    let applying = detail.groups_of(rule, crawler.lookup_names());
    [naming.map(|(number, _)| number).collect(), applying.iter().map(|&(number, _)| number).collect()]
}

/// The groups that may apply to a crawler: the conventional groups that do, and all other groups
/// that address it or any crawler.
pub(crate) fn answering<'d>(
    site: &Site<'_>,
    detail: &'d Detail<'d>,
    crawler: &Crawler,
) -> Vec<&'d Group<'d>> {
    let rule = site.profile().agent_rule();
    let conventional = detail.groups_of(rule, crawler.lookup_names());
    let others = |(number, group): &(usize, &Group<'_>)| match group.role.is_ranked() {
        true => conventional.binary_search_by_key(number, |&(own, _)| own).is_ok(),
        false => group.default || crawler.lookup_names().iter().any(|name| group.names(rule, name)),
    };
    detail.groups.iter().enumerate().filter(others).map(|(_, group)| group).collect()
}

fn measure(site: &Site<'_>, detail: Option<&Detail<'_>>, crawler: &Crawler, usage: Usage<'_>) -> Coverage {
    let groups = detail.map_or(Vec::new(), |detail| answering(site, detail, crawler));
    let stated =
        detail.filter(|_| !usage.is_crawl()).map(|detail| stated(detail, crawler)).unwrap_or_default();
    let rules = groups.iter().flat_map(|group| patterns(group));
    let is_certain = is_certain(&stated, rules.clone());
    let Some(fresh) = fresh(rules.chain(stated.iter().copied())) else {
        let share = Share::Unknown;
        return Coverage {
            share,
            basis: CoverageBasis::Untold,
            conditional: false,
            incomplete: false,
            line: None,
        };
    };
    let mut targets = Vec::new();
    for text in stated {
        witnesses(site, Pattern { text, notation: Notation::Rep }, fresh, &mut targets);
    }
    for group in groups {
        group.rules.iter().for_each(|rule| witnesses(site, group.pattern(rule), fresh, &mut targets));
    }
    let root = url([b'/', fresh]);
    let access = site.access(crawler, usage);
    let silent = access.decide(&root);
    let mut found = Found::default();
    found.add(&silent);
    let mut refused: Option<Verdict<'_>> = None;
    for target in &targets {
        let verdict = access.decide(target);
        if verdict.basis() != Basis::RobotsTxt {
            found.add(&verdict);
            refused = refused.or(Some(verdict).filter(|verdict| verdict.decision() == Decision::Disallowed));
        }
    }
    let line = |verdict: &Verdict<'_>| verdict.rule().map(|rule| rule.line);
    Coverage {
        share: match found.share() {
            Share::All | Share::Nothing if !is_certain => Share::Part,
            share => share,
        },
        basis: basis(site, detail, crawler, silent.basis()),
        conditional: found.conditional,
        incomplete: found.incomplete,
        line: line(&silent).or_else(|| refused.as_ref().and_then(line)),
    }
}

/// The patterns of the statements about uses that apply to a crawler.
fn stated<'d>(detail: &'d Detail<'_>, crawler: &Crawler) -> BTreeSet<&'d [u8]> {
    let applying = detail.preferences.iter().zip(applying(detail, crawler));
    let groups = applying.flat_map(|(source, groups)| groups.into_iter().map(|at| &source.groups[at]));
    groups.flat_map(|group| &group.records).map(|record| &*record.pattern.0).collect()
}

/// False if statements about parts of the site meet patterns with a star, so that the witnesses may
/// miss a decision about few targets. Statements and rules are weighed apart, and together decide.
fn is_certain<'d>(stated: &BTreeSet<&'d [u8]>, rules: impl Iterator<Item = &'d [u8]>) -> bool {
    let of_parts: BTreeSet<&[u8]> = stated.iter().copied().filter(|text| !is_for_all(text)).collect();
    if of_parts.is_empty() {
        return true;
    }
    let all: BTreeSet<&[u8]> = of_parts.into_iter().chain(rules.filter(|text| !is_for_all(text))).collect();
    all.len() < 2 || !all.iter().any(|text| text.contains(&b'*'))
}

/// True for a pattern that matches every target.
pub(crate) fn is_for_all(pattern: &[u8]) -> bool {
    matches!(pattern, b"/" | b"*" | b"/*")
}

/// The patterns of a group's rules.
pub(crate) fn patterns<'d>(group: &'d Group<'d>) -> impl Iterator<Item = &'d [u8]> + Clone {
    group.rules.iter().map(|rule| &*rule.pattern.0)
}

/// A byte that occurs in none of these patterns.
pub(crate) fn fresh<'d>(patterns: impl Iterator<Item = &'d [u8]>) -> Option<u8> {
    let mut used = [false; 256];
    patterns.flatten().for_each(|&byte| used[usize::from(byte)] = true);
    FRESH.iter().copied().find(|&byte| !used[usize::from(byte)])
}

/// Adds the witnesses of a pattern, one or two; none if it matches no target.
pub(crate) fn witnesses(site: &Site<'_>, pattern: Pattern<'_>, fresh: u8, into: &mut Vec<String>) {
    let Parts { prefix, segments, anchored } = pattern.parts();
    let rest = |starred: bool| {
        let mut bytes = Vec::with_capacity(pattern.text.len() + 2);
        for (number, segment) in segments.iter().enumerate() {
            if starred || number > 0 {
                bytes.push(fresh);
            }
            bytes.extend_from_slice(segment);
        }
        bytes.extend((!anchored).then_some(fresh));
        bytes
    };
    let mut add = |bytes: Vec<u8>| {
        let url = url(bytes);
        // Whatever a notation does to the URL, it is a witness if it matches.
        if pattern.matches(&pattern.notation.target(&site.target(&url))) {
            into.push(url);
        }
    };
    add([if prefix.is_empty() { b"/" } else { prefix.as_ref() }, &rest(true)].concat());
    if prefix.is_empty() && segments.first().is_some_and(|first| first.starts_with(b"/")) {
        add(rest(false));
    }
}

/// A URL of any site whose target has these canonical bytes. It has a host because in a path alone,
/// google/robotstxt treats two leading slashes as the start of one.
pub(crate) fn url(target: impl AsRef<[u8]>) -> String {
    let mut url = String::from("http://h");
    for &byte in target.as_ref() {
        match byte {
            0..=b' ' | b'#' | 0x7F.. => url.push_str(&format!("%{byte:02X}")),
            _ => url.push(char::from(byte)),
        }
    }
    url
}

fn basis(site: &Site<'_>, detail: Option<&Detail<'_>>, crawler: &Crawler, silent: Basis) -> CoverageBasis {
    match silent {
        Basis::Outcome(_) => return CoverageBasis::Outcome,
        Basis::Narrowed | Basis::Damaged => return CoverageBasis::Untold,
        _ => {}
    }
    let Some(detail) = detail else { return CoverageBasis::Untold };
    let of_text = |group: &Group<'_>| group.role.names_crawlers();
    if detail.name_of(site.profile().agent_rule(), crawler.lookup_names()).is_some() {
        CoverageBasis::Named
    } else if detail.groups.iter().any(|group| of_text(group) && group.default) {
        CoverageBasis::Default
    } else {
        CoverageBasis::NoGroup
    }
}

/// The decisions that were found.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) allowed: bool,
    pub(crate) disallowed: bool,
    pub(crate) conditional: bool,
    pub(crate) unknown: bool,
    pub(crate) incomplete: bool,
}

impl Found {
    pub(crate) fn add(&mut self, verdict: &Verdict<'_>) {
        self.incomplete |= verdict.is_incomplete();
        match verdict.safe_decision() {
            Decision::Allowed => self.allowed = true,
            Decision::Disallowed => self.disallowed = true,
            Decision::Conditional => self.conditional = true,
            Decision::Unknown => self.unknown = true,
        }
    }

    fn share(&self) -> Share {
        match (self.allowed || self.conditional, self.unknown) {
            (true, _) if self.disallowed || self.conditional || self.unknown => Share::Part,
            (true, _) => Share::All,
            (false, true) => Share::Unknown,
            (false, false) => Share::Nothing,
        }
    }
}
