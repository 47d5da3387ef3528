//! One text, compiled: programs, sets, details. What is left to do for an image is to number things.
//!
//! Texts of conventional groups alone are compiled here, those with fields that are weighed by narrowness in `scoped`.
//! A document does not know its site, and the same text from many sites is one document, unless it says something
//! about its own host ([`Document::depends_on_origin`]). Documents are made in parallel and joined by `emit`.

mod details;
mod revive;
mod scoped;
mod stored;
mod workshop;

pub(crate) use revive::Reviver;
pub use workshop::Workshop;

pub(crate) use stored::decode_names;

use crate::automaton::Tagged;
use crate::limits::LimitName;
use crate::lower::{Surroundings, lower_with};
use crate::policy::{Group, Policy};
use crate::{Looks, Options, OverLimit, precedence, sniff};
use arrayvec::ArrayVec;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use robomaton_formats::layout::MAX_TEXT;
use robomaton_formats::policy::{CRAWL, INDEX, MAX_ENTRIES, MAX_SETS, Role};
use robomaton_formats::profile::AgentRule;
use robomaton_formats::{Outcome, Profile, detail, write};
use robomaton_grammar::Tree;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use workshop::Programs;

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

/// The programs of a group: (usage, index into [`Document::programs`]), one for each usage that conventional rules speak of.
type OfGroup = ArrayVec<(u16, usize), 2>;

/// Compiles one text fetched from `origin` (`host[:port]`, for patterns that are absolute URLs).
pub fn compile(text: &[u8], origin: Option<&str>, options: &Options) -> Document {
    compile_with(text, &Surroundings { origin, ..Surroundings::default() }, options)
}

/// Compiles one text together with files it may refer to and pages of its site.
pub fn compile_with(text: &[u8], around: &Surroundings<'_, '_>, options: &Options) -> Document {
    Workshop::default().compile_with(text, around, options)
}

/// Compiles one text as that of a capture: a page or a picture in place of a robots.txt is another outcome than an empty
/// one (R16).
pub fn compile_fetched(text: &[u8], around: &Surroundings<'_, '_>, options: &Options) -> Document {
    as_fetched(compile_with(text, around, options), text)
}

/// As [`compile_fetched`], of a text that the caller has scanned and lowered: the policy, or the limit that it exceeds.
pub fn compile_lowered(
    tree: &Tree<'_>,
    lowered: Result<&Policy<'_>, &OverLimit>,
    options: &Options,
) -> Document {
    as_fetched(Workshop::default().compile_lowered(tree, lowered, options), tree.source)
}

fn as_fetched(mut document: Document, text: &[u8]) -> Document {
    if document.outcome == Outcome::Empty && sniff(text, None) != Looks::Text {
        document.outcome = Outcome::NotRobots;
    }
    document
}

/// Compiles a policy that was put together otherwise than from one text. The document holds no text.
pub fn compile_policy(policy: &Policy<'_>, options: &Options) -> Document {
    let mut document = Document { profile: policy.profile, ..Document::default() };
    document.fill(policy, options, &mut Workshop::default());
    document
}

impl Workshop {
    /// As [`compile`].
    pub fn compile(&mut self, text: &[u8], origin: Option<&str>, options: &Options) -> Document {
        self.compile_with(text, &Surroundings { origin, ..Surroundings::default() }, options)
    }

    /// As [`compile_with`].
    pub fn compile_with(
        &mut self,
        text: &[u8],
        around: &Surroundings<'_, '_>,
        options: &Options,
    ) -> Document {
        let tree = robomaton_grammar::scan(text, options.limits.bytes(options.profile));
        self.compile_lowered(&tree, lower_with(&tree, around, options).as_ref(), options)
    }

    fn compile_lowered(
        &mut self,
        tree: &Tree<'_>,
        lowered: Result<&Policy<'_>, &OverLimit>,
        options: &Options,
    ) -> Document {
        let text = tree.source;
        let keep = !options.no_sources && text.len() as u64 <= MAX_TEXT;
        let source = if keep { write::encode_source(text) } else { Vec::new() };
        let mut document = Document {
            profile: options.profile,
            source,
            text_length: text.len(),
            cut: !tree.unread.is_empty(),
            unread: unread(tree),
            ..Document::default()
        };
        match lowered {
            Ok(policy) => document.fill(policy, options, self),
            Err(&over) => document.refuse(over),
        }
        document
    }
}

/// Whether the first record that names a crawler is all that answers for it (K9).
fn takes_first(policy: &Policy<'_>) -> bool {
    policy.profile.agent_rule() == AgentRule::Substring
}

/// Each name with the numbers of its groups, a name after the other.
fn named(policy: &Policy<'_>) -> Vec<(String, usize)> {
    let mut named: Vec<(String, usize)> = Vec::new();
    for (number, group) in policy.groups.iter().enumerate() {
        named.extend(group.names().map(|name| (name.to_ascii_lowercase(), number)));
    }
    if takes_first(policy) {
        let mut met = HashSet::with_capacity(named.len());
        named.retain(|(name, _)| met.insert(name.clone()));
    } else {
        named.sort_unstable();
    }
    named
}

/// For each group, whether it answers for some crawler together with others.
fn joined(policy: &Policy<'_>, named: &[(String, usize)]) -> Vec<bool> {
    let several_defaults = policy.groups.iter().filter(|group| group.is_default()).count() > 1;
    let mut joined: Vec<bool> =
        policy.groups.iter().map(|group| several_defaults && group.is_default()).collect();
    for of_name in named.chunk_by(|one, other| one.0 == other.0).filter(|of_name| of_name.len() > 1) {
        of_name.iter().for_each(|&(_, group)| joined[group] = true);
    }
    joined
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

    fn fill(&mut self, policy: &Policy<'_>, options: &Options, workshop: &mut Workshop) {
        self.outcome = if policy.has_records { Outcome::Rules } else { Outcome::Empty };
        self.depends_on_origin = policy.depends_on_origin;
        self.references.clone_from(&policy.references);
        self.rules = policy.rules.len();
        let tags = precedence::tags(policy);
        let filled = if policy.is_scoped() {
            scoped::fill(self, policy, &tags, &options.limits)
        } else {
            let named = named(policy);
            let programs = self.build_programs(policy, &tags, &joined(policy, &named), options, workshop);
            programs.and_then(|programs| self.choose_sets(policy, named, &programs)).map(|()| tags)
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

    /// The programs of each group.
    fn build_programs(
        &mut self,
        policy: &Policy<'_>,
        tags: &[u32],
        joined: &[bool],
        options: &Options,
        workshop: &mut Workshop,
    ) -> Result<Vec<OfGroup>, OverLimit> {
        let (code, ranges) = (&mut self.code, &mut self.programs);
        let mut programs =
            Programs::new(code, ranges, workshop, policy.profile.notation(), options.plain_programs);
        let mut over = Ok(());
        let mut rules = Vec::with_capacity(policy.rules.len());
        let mut of_usage = |group: &Group<'_>, joined, usage: u16| {
            rules.clear();
            let numbers = group.rules.clone().filter(|&rule| policy.rules[rule].usage == usage);
            rules.extend(
                numbers.map(|rule| Tagged { pattern: policy.rules[rule].pattern(), tag: tags[rule] }),
            );
            // A group with no rule still answers for crawling (R7).
            if rules.is_empty() && usage != CRAWL {
                return None;
            }
            let (program, depth) = programs.add(&mut rules, joined, precedence::silence(usage));
            if over.is_ok() {
                over = options.limits.check_depth(depth, group.line);
            }
            Some((usage, program))
        };
        // Conventional rules speak of these two usages.
        let of_group = |(group, &joined): (&Group<'_>, &bool)| {
            [CRAWL, INDEX].into_iter().filter_map(|usage| of_usage(group, joined, usage)).collect()
        };
        let programs = policy.groups.iter().zip(joined).map(of_group).collect();
        over.map(|()| programs)
    }

    /// Joins the groups of each crawler (R7): its set holds the programs of all of them.
    fn choose_sets(
        &mut self,
        policy: &Policy<'_>,
        mut named: Vec<(String, usize)>,
        programs: &[OfGroup],
    ) -> Result<(), OverLimit> {
        let mut known: HashMap<Vec<(u16, usize)>, usize> = HashMap::new();
        let mut longest = 0;
        let sets = &mut self.sets;
        let mut set = Vec::new();
        let mut intern = |groups: &mut dyn Iterator<Item = usize>| {
            set.clear();
            groups.for_each(|group| set.extend_from_slice(&programs[group]));
            set.sort_unstable();
            set.dedup();
            longest = longest.max(set.len());
            if let Some(&number) = known.get(&set) {
                return number;
            }
            sets.push(Set::Ranked(set.clone()));
            known.insert(set.clone(), sets.len() - 1);
            sets.len() - 1
        };
        for of_name in named.chunk_by_mut(|one, other| one.0 == other.0) {
            let set = intern(&mut of_name.iter().map(|&(_, group)| group));
            self.crawlers.push((std::mem::take(&mut of_name[0].0), set));
        }
        let default = (0..).zip(&policy.groups).filter(|(_, group)| group.is_default());
        let mut default = default
            .map(|(number, _)| number)
            .take(if takes_first(policy) { 1 } else { usize::MAX })
            .peekable();
        if default.peek().is_some() {
            self.default = Some(intern(&mut default));
        }
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
