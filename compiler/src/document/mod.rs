//! One text, compiled: programs, sets, details. What is left to do for an image is to number things.
//!
//! Texts of conventional groups alone are compiled here, those with fields that are weighed by narrowness in `scoped`.
//! A document does not know its site, and the same text from many sites is one document, unless it says something
//! about its own host ([`Document::depends_on_origin`]). Documents are made in parallel and joined by `emit`.

mod details;
mod scoped;
mod stored;

pub(crate) use stored::decode_names;

use crate::automaton::{self, Tagged};
use crate::limits::LimitName;
use crate::lower::{Surroundings, lower_with};
use crate::policy::{Group, Policy};
use crate::{Options, OverLimit, precedence};
use robomaton_formats::layout::MAX_TEXT;
use robomaton_formats::policy::{CRAWL, INDEX, MAX_ENTRIES, MAX_SETS, Role};
use robomaton_formats::program::Weighing;
use robomaton_formats::{Outcome, Profile, detail, write};
use robomaton_grammar::Tree;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::ops::Range;

/// The programs that answer for some crawlers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Set {
    /// Conventional ones: (usage, index into [`Document::programs`]), sorted.
    Ranked(Vec<(u16, usize)>),
    /// Ones that are weighed by narrowness.
    Scoped(ScopedSet),
}

/// A set whose fields are weighed by narrowness.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ScopedSet {
    /// Whether a file that these fields refer to is missing.
    pub incomplete: bool,
    /// Whether the conventional rules are of groups that name the crawler.
    pub own: bool,
    /// Whether silence permits every usage (P49).
    pub permits: bool,
    /// Whether the crawler is named in pages alone.
    pub pages: bool,
    /// The programs, sorted.
    pub entries: Vec<ScopedEntry>,
    /// The set of the fields that are addressed to any crawler, as an index into [`Document::sets`].
    pub rest: Option<usize>,
}

/// One program of a scoped set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ScopedEntry {
    /// What it holds.
    pub role: Role,
    /// The usage, as the policy numbers it.
    pub usage: u16,
    /// A place in [`Document::purposes`], plus one; 0 for any purpose.
    pub purpose: u16,
    /// Index into [`Document::programs`].
    pub program: usize,
}

/// A compiled text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// The dialect that the text was read in.
    pub profile: Profile,
    /// `Rules`, `Empty` or `OverLimit`.
    pub outcome: Outcome,
    /// What was exceeded, for `OverLimit`.
    pub over_limit: Option<OverLimit>,
    /// Whether the text must be compiled again for each site it was fetched from.
    pub depends_on_origin: bool,
    /// Named crawlers, each with an index into `sets`; ascending by name, or in file order where a profile takes the
    /// first record that fits.
    #[serde(skip)]
    pub crawlers: Vec<(String, usize)>,
    /// The set of all other crawlers.
    pub default: Option<usize>,
    /// Distinct sets.
    pub sets: Vec<Set>,
    /// The scope of scoped sets, encoded.
    #[serde(with = "stored::octets")]
    pub scope: Vec<u8>,
    /// Names of usages that have no number of their own.
    #[serde(skip)]
    pub usages: Vec<String>,
    /// Patterns of purposes.
    pub purposes: Vec<Vec<u8>>,
    /// Paths of files of the same site that the text refers to, there or not.
    pub references: Vec<String>,
    /// Octets of all programs, end to end.
    #[serde(with = "stored::octets")]
    pub code: Vec<u8>,
    /// Distinct programs, as ranges of `code`.
    pub programs: Vec<Range<usize>>,
    /// The details, encoded.
    #[serde(with = "stored::octets")]
    pub detail: Vec<u8>,
    /// The text, encoded; empty when images are to hold none.
    #[serde(with = "stored::octets")]
    pub source: Vec<u8>,
    /// Length of the text in octets.
    pub text_length: usize,
    /// Whether a part of it was left unread, being over the limit of octets (R4).
    pub cut: bool,
    /// How many octets that part has.
    pub unread: usize,
    /// How many rules, of all groups.
    pub rules: usize,
}

/// Compiles one text fetched from `origin` (`host[:port]`, for patterns that are absolute URLs).
pub fn compile(text: &[u8], origin: Option<&str>, options: &Options) -> Document {
    compile_with(text, &Surroundings { origin, ..Surroundings::default() }, options)
}

/// Compiles one text together with files it may refer to and pages of its site.
pub fn compile_with(text: &[u8], around: &Surroundings<'_, '_>, options: &Options) -> Document {
    let tree = robomaton_grammar::scan(text, options.limits.bytes(options.profile));
    let keep = !options.no_sources && text.len() as u64 <= MAX_TEXT;
    let source = if keep { write::encode_source(text) } else { Vec::new() };
    let mut document = Document {
        profile: options.profile,
        source,
        text_length: text.len(),
        cut: !tree.unread.is_empty(),
        unread: unread(&tree),
        ..Document::default()
    };
    match lower_with(&tree, around, options) {
        Ok(policy) => document.fill(&policy, options),
        Err(over) => document.refuse(over),
    }
    document
}

/// Compiles a policy that was put together otherwise than from one text. The document holds no text.
pub fn compile_policy(policy: &Policy<'_>, options: &Options) -> Document {
    let mut document = Document { profile: policy.profile, ..Document::default() };
    document.fill(policy, options);
    document
}

/// The octets over the limit. Not the length of the span: the rest of more than 4 GiB is longer than one can say.
fn unread(tree: &Tree<'_>) -> usize {
    if tree.unread.is_empty() { 0 } else { tree.source.len() - tree.unread.start as usize }
}

impl Document {
    /// Whether another text that refers to this one would take something from it (V16).
    pub fn can_be_referred_to(&self) -> bool {
        self.over_limit.is_some() || self.sets.iter().any(|set| matches!(set, Set::Scoped(_)))
    }

    fn fill(&mut self, policy: &Policy<'_>, options: &Options) {
        self.outcome = if policy.has_records { Outcome::Rules } else { Outcome::Empty };
        self.depends_on_origin = policy.depends_on_origin;
        self.references.clone_from(&policy.references);
        self.rules = policy.rules.len();
        let tags = precedence::tags(policy);
        let filled = if policy.is_scoped() {
            scoped::fill(self, policy, &tags, &options.limits)
        } else {
            let programs = self.build_programs(policy, &tags, options);
            programs.and_then(|programs| self.choose_sets(policy, &programs)).map(|()| tags)
        };
        match filled {
            Ok(tags) => self.detail = write::encode_detail(&details::details(policy, &tags)),
            Err(over) => self.refuse(over),
        }
    }

    /// Leaves nothing of what a text says but that it exceeds a limit (R4).
    fn refuse(&mut self, over: OverLimit) {
        *self = Document {
            profile: self.profile,
            outcome: Outcome::OverLimit,
            over_limit: Some(over),
            detail: write::encode_detail(&detail::Detail::default()),
            source: std::mem::take(&mut self.source),
            text_length: self.text_length,
            cut: self.cut,
            unread: self.unread,
            ..Document::default()
        };
    }

    /// The programs of each group: (usage, index into `programs`). Groups that say the same, as those of a long list of
    /// crawlers often do, share one, which is built once.
    fn build_programs(
        &mut self,
        policy: &Policy<'_>,
        tags: &[u32],
        options: &Options,
    ) -> Result<Vec<Vec<(u16, usize)>>, OverLimit> {
        let build = if options.no_lanes { automaton::build_tries } else { automaton::build };
        let mut known: HashMap<Vec<Tagged<'_>>, usize> = HashMap::new();
        let several = policy.groups.len() > 1;
        let notation = policy.profile.notation();
        let mut rules = Vec::new();
        let mut over = Ok(());
        let mut of_usage = |group: &Group<'_>, usage: u16| {
            rules.clear();
            let numbers = group.rules.clone().filter(|&rule| policy.rules[rule].usage == usage);
            rules.extend(
                numbers.map(|rule| Tagged { pattern: policy.rules[rule].pattern(), tag: tags[rule] }),
            );
            // A group with no rule still answers for crawling (R7).
            if rules.is_empty() && usage != CRAWL {
                return None;
            }
            automaton::normalise(&mut rules);
            if several && let Some(&program) = known.get(&rules) {
                return Some((usage, program));
            }
            let start = self.code.len();
            let weighing = Weighing::Ranked(precedence::silence(usage));
            let depth = build(&rules, notation, weighing, &mut self.code);
            if over.is_ok() {
                over = options.limits.check_depth(depth, group.line);
            }
            self.programs.push(start..self.code.len());
            if several {
                known.insert(rules.clone(), self.programs.len() - 1);
            }
            Some((usage, self.programs.len() - 1))
        };
        // Conventional rules speak of these two usages.
        let mut programs =
            |group| [CRAWL, INDEX].into_iter().filter_map(|usage| of_usage(group, usage)).collect();
        let programs = policy.groups.iter().map(&mut programs).collect();
        over.map(|()| programs)
    }

    /// Joins the groups of each crawler (R7): its set holds the programs of all of them.
    fn choose_sets(&mut self, policy: &Policy<'_>, programs: &[Vec<(u16, usize)>]) -> Result<(), OverLimit> {
        let first_record = policy.profile.agent_rule() == robomaton_formats::profile::AgentRule::Substring;
        let mut of_name: HashMap<String, usize> = HashMap::new();
        let mut crawlers: Vec<(String, Vec<(u16, usize)>)> = Vec::new();
        let mut default: Option<Vec<(u16, usize)>> = None;
        for (group, programs) in policy.groups.iter().zip(programs) {
            let own = || programs.iter().copied();
            for name in group.names() {
                let name = name.to_ascii_lowercase();
                match of_name.get(&name) {
                    Some(&known) if !first_record => crawlers[known].1.extend(own()),
                    Some(_) => {}
                    None => {
                        of_name.insert(name.clone(), crawlers.len());
                        crawlers.push((name, own().collect()));
                    }
                }
            }
            if group.is_default() && !(first_record && default.is_some()) {
                default.get_or_insert_default().extend(own());
            }
        }
        if !first_record {
            crawlers.sort_unstable();
        }
        let mut known: HashMap<Vec<(u16, usize)>, usize> = HashMap::new();
        let sets = &mut self.sets;
        let mut longest = 0;
        let mut intern = |mut set: Vec<(u16, usize)>| {
            set.sort_unstable();
            set.dedup();
            longest = longest.max(set.len());
            *known.entry(set).or_insert_with_key(|set| {
                sets.push(Set::Ranked(set.clone()));
                sets.len() - 1
            })
        };
        self.crawlers = crawlers.into_iter().map(|(name, set)| (name, intern(set))).collect();
        self.default = default.map(intern);
        self.check_sets(policy, longest)
    }

    /// The format numbers sets, and programs of a set, in two octets; no honest text comes near.
    fn check_sets(&self, policy: &Policy<'_>, longest: usize) -> Result<(), OverLimit> {
        let line = policy.groups.last().map_or(1, |group| group.line);
        let over = |limit, allowed| Err(OverLimit { limit, allowed, line });
        match () {
            () if self.sets.len() > MAX_SETS => over(LimitName::Sets, MAX_SETS),
            () if longest > MAX_ENTRIES => over(LimitName::Entries, MAX_ENTRIES),
            () => Ok(()),
        }
    }
}
