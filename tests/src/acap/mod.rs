//! ACAP read naively: the documents and the project's decisions, in the plainest possible code.
//!
//! The second opinion on files with ACAP records, as [`mod@crate::oracle`] is on those without. It
//! shares nothing with the code that it judges: no crate of the project, no automaton, no index;
//! the whole file is read again for each query. `text` splits a file into lines with keys,
//! `document` keeps the ACAP lines, `local` expands local names, `conventional` keeps the rest,
//! `name` compares names, `scope` decides which patterns match and which is narrower, and this file
//! makes the decision. The numbers in brackets are those of the decisions; P, V and R name features
//! of ACAP 0.2, of ACAP 1.0, and rules of RULES.md.
//!
//! This module does not know META tags, the meaning of usages and qualifiers, or limits other than
//! the 500 KiB of R4.

mod conventional;
mod document;
pub mod examples;
mod local;
mod name;
pub mod scope;
mod text;

use document::Document;
use local::{Field, Source};
use name::Asker;
use scope::{Scope, Symbol};

/// A query: may the crawler with these names, best first, use the target (`path?query`) in this
/// way?
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    /// The crawler's names, best first.
    pub agents: &'a [&'a str],
    /// The usage: `crawl`, `index`, `present-snippet`...
    pub usage: &'a str,
    /// The purpose, if any.
    pub purpose: Option<&'a str>,
    /// Path and query, as in the request.
    pub target: &'a [u8],
    /// The origin of the file.
    pub origin: Option<&'a str>,
}

/// The answer to a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// `allowed`, `disallowed`, `conditional` or `unknown`.
    pub verdict: &'static str,
    /// The lines of the deciding fields, sorted: every unbeaten prohibition, or every maximal
    /// permission. Lines of the k-th referenced file are counted from 1,000,000 k.
    pub lines: Vec<u32>,
    /// The conditions of the maximal permissions as `name=value`, sorted, without duplicates.
    pub conditions: Vec<String>,
    /// A missing referenced file could have changed the answer.
    pub incomplete: bool,
    /// The decision of the ACAP records alone; `None` if they are silent.
    pub acap: Option<&'static str>,
    /// The decision of the conventional records alone; `None` if they are silent.
    pub conventional: Option<&'static str>,
}

/// The cases that occurred on the way to an answer, for tests that must cover all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Story {
    /// The file has ACAP records.
    pub acap: bool,
    /// A prohibition met a permission from which it first differs at two literals.
    pub undetermined: bool,
    /// A prohibition met a permission with the same pattern.
    pub equal: bool,
    /// A field of a derived usage beat one of its general form with the same pattern.
    pub derived: bool,
    /// A prohibition was beaten.
    pub beaten: bool,
    /// Fields of `other` decided.
    pub other: bool,
    /// Matching fields were dropped for fields of a better level.
    pub overridden: bool,
    /// Fields of a sub-record decided.
    pub purpose: bool,
    /// A field from a referenced file decided.
    pub referred: bool,
    /// A conventional rule joined live ACAP fields.
    pub joined: bool,
    /// A conventional rule was dropped because of a contrary ACAP field with the same pattern.
    pub dropped: bool,
    /// The conventional records alone decided, although the file has ACAP records.
    pub alone: bool,
}

/// The answer of a robots.txt; `referred` returns the texts of other files of the same host, by
/// path.
pub fn answer(robots: &[u8], referred: &dyn Fn(&str) -> Option<Vec<u8>>, ask: &Ask<'_>) -> Answer {
    explain(robots, referred, ask).0
}

/// Like [`answer`], with the cases that occurred.
pub fn explain(robots: &[u8], referred: &dyn Fn(&str) -> Option<Vec<u8>>, ask: &Ask<'_>) -> (Answer, Story) {
    let document = Document::read(robots);
    if !document.speaks {
        return (without_acap(robots, ask), Story::default());
    }
    let mut story = Story { acap: true, ..Story::default() };
    let mut groups = conventional::groups(robots, ask.origin, !document.pilot);
    if document.ignores_conventional {
        groups.clear(); // P4, V4
    }
    let source = Source::new(document, referred, ask.origin);
    groups.extend(source.conventional_groups(ask.origin)); // 35

    // One name for both kinds of records: the first that either knows.
    let known = |asker: &Asker| conventional::knows(&groups, asker) || source.knows(asker);
    let asker = ask.agents.iter().map(|agent| Asker::new(agent)).find(known);
    let asker = asker.as_ref();

    let usage = ask.usage.to_ascii_lowercase();
    if usage == "crawl" && conventional::is_robots_txt(ask.target) {
        let answer = answered("allowed", None, None);
        return (answer, story); // R13
    }

    let target = scope::target(ask.target);
    let fields = source.fields();
    let matching: Vec<&Field> =
        fields.iter().filter(|field| scope::matches(&field.pattern, &target)).collect();
    let live = |names: &[&str]| live(&matching, names, asker, ask.purpose);
    let general = if usage.starts_with("present-") { "present" } else { usage.as_str() };
    let (own, own_dropped) = live(&[&usage, general]);
    let (other, other_dropped) = live(&["other"]); // 10

    let rules = conventional::matching(&groups, asker, &usage, ask.target);
    let alone = conventional::winner(&rules).map(|rule| of_sense(rule.allow));
    let winner = beside(&rules, &own, &mut story);

    let fall_back = own.is_empty() && rules.is_empty();
    let (scoped, dropped) = if fall_back { (&other, other_dropped) } else { (&own, own_dropped) };
    story.overridden = dropped;
    story.other = fall_back && !other.is_empty() && usage != "other";
    story.joined = winner.is_some() && !own.is_empty();
    story.alone = winner.is_some() && own.is_empty();
    story.purpose = scoped.iter().any(|(level, _)| matches!(level, Level::OwnPurpose | Level::AnyPurpose));

    let (acap, ..) = decide(&contenders(if own.is_empty() { &other } else { &own }, &usage));
    let mut all = contenders(scoped, &usage);
    all.extend(winner);
    tell(&all, &mut story);
    let (verdict, lines, conditions) = decide(&all);
    story.referred = lines.iter().any(|&line| line > 1_000_000);
    let incomplete = source.lacks(asker); // 23
    // Silence permits (27, P49).
    let verdict = verdict.unwrap_or("allowed");
    (Answer { verdict, lines, conditions, incomplete, acap, conventional: alone }, story)
}

/// A file without ACAP records: R1 to R14 for crawling, R18 for indexing, and no decision for any
/// other usage.
fn without_acap(robots: &[u8], ask: &Ask<'_>) -> Answer {
    let groups = conventional::groups(robots, ask.origin, false);
    let usage = ask.usage.to_ascii_lowercase();
    let askers = ask.agents.iter().map(|agent| Asker::new(agent));
    let asker = askers.into_iter().find(|asker| conventional::knows(&groups, asker));
    let asker = asker.as_ref();
    if usage == "crawl" && conventional::is_robots_txt(ask.target) {
        return answered("allowed", None, None);
    }
    let rules = conventional::matching(&groups, asker, &usage, ask.target);
    match rules.iter().rev().max_by_key(|rule| (rule.length, rule.allow)) {
        Some(rule) => answered(of_sense(rule.allow), Some(rule.line), Some(of_sense(rule.allow))),
        None if usage == "crawl" => answered("allowed", None, None),
        None => answered("unknown", None, None),
    }
}

fn answered(verdict: &'static str, line: Option<u32>, conventional: Option<&'static str>) -> Answer {
    let lines = line.into_iter().collect();
    Answer { verdict, lines, conditions: Vec::new(), incomplete: false, acap: None, conventional }
}

fn of_sense(permit: bool) -> &'static str {
    if permit { "allowed" } else { "disallowed" }
}

/// How closely a field is addressed, best first (11, 12).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    OwnPurpose,
    OwnGeneral,
    AnyPurpose,
    AnyGeneral,
}

impl Level {
    fn of(field: &Field, asker: Option<&Asker>, purpose: Option<&str>) -> Option<Level> {
        let own = asker.is_some_and(|asker| asker.is_named(&field.names));
        let any = field.names.iter().any(|named| named == "*");
        let general = field.purposes.is_none();
        let fits = field.purposes.iter().flatten().any(|pattern| scope::is_purpose(pattern, purpose));
        match (own, any) {
            (true, _) if fits => Some(Level::OwnPurpose),
            (true, _) if general => Some(Level::OwnGeneral),
            (false, true) if fits => Some(Level::AnyPurpose),
            (false, true) if general => Some(Level::AnyGeneral),
            _ => None,
        }
    }
}

/// The matching fields of some usages on the best level, and whether others were dropped.
fn live<'f>(
    matching: &[&'f Field],
    usages: &[&str],
    asker: Option<&Asker>,
    purpose: Option<&str>,
) -> (Vec<(Level, &'f Field)>, bool) {
    let fields = matching.iter().filter(|field| usages.contains(&field.usage.as_str()));
    let levels: Vec<(Level, &Field)> =
        fields.filter_map(|&field| Some((Level::of(field, asker, purpose)?, field))).collect();
    let best = levels.iter().map(|(level, _)| *level).min();
    let live: Vec<_> = levels.iter().copied().filter(|(level, _)| Some(*level) == best).collect();
    let dropped = live.len() < levels.len();
    (live, dropped)
}

/// A field, as the conflict rule compares it.
struct Contender<'a> {
    permit: bool,
    pattern: &'a [Symbol],
    /// The field has the requested usage, not its general form.
    exact: bool,
    conditions: &'a [String],
    line: u32,
}

impl<'a> Contender<'a> {
    fn of(field: &'a Field, usage: &str) -> Contender<'a> {
        let Field { permit, pattern, conditions, line, .. } = field;
        Contender { permit: *permit, pattern, exact: field.usage == usage, conditions, line: *line }
    }

    /// 1 and 3 to 5 by pattern; 9 for equal patterns.
    fn beats(&self, other: &Contender<'_>) -> bool {
        match scope::compare(self.pattern, other.pattern) {
            Scope::Narrower => true,
            Scope::Equal => self.exact && !other.exact,
            Scope::Broader | Scope::Undetermined => false,
        }
    }
}

/// The one conventional rule that joins the live ACAP fields (14), if any.
fn beside<'a>(
    rules: &[&'a conventional::Rule],
    live: &[(Level, &Field)],
    story: &mut Story,
) -> Option<Contender<'a>> {
    let contrary = |rule: &conventional::Rule| {
        live.iter().any(|(_, field)| field.permit != rule.allow && field.pattern == rule.scope)
    };
    let rest: Vec<_> = rules.iter().copied().filter(|rule| !contrary(rule)).collect();
    story.dropped = rest.len() < rules.len();
    let rule = conventional::winner(&rest)?;
    Some(Contender {
        permit: rule.allow,
        pattern: &rule.scope,
        exact: true,
        conditions: &[],
        line: rule.line,
    })
}

fn contenders<'f>(live: &[(Level, &'f Field)], usage: &str) -> Vec<Contender<'f>> {
    live.iter().map(|&(_, field)| Contender::of(field, usage)).collect()
}

/// The fields in `of` that no field in `by` beats.
fn unbeaten<'c, 'a>(by: &[&'c Contender<'a>], of: &[&'c Contender<'a>]) -> Vec<&'c Contender<'a>> {
    of.iter().copied().filter(|field| !by.iter().any(|other| other.beats(field))).collect()
}

/// The verdict, the deciding lines and the conditions (1 to 5, 9, 20): permitted if there is a
/// permission and every prohibition is beaten by one.
fn decide(fields: &[Contender<'_>]) -> (Option<&'static str>, Vec<u32>, Vec<String>) {
    let (permissions, prohibitions): (Vec<_>, Vec<_>) = fields.iter().partition(|field| field.permit);
    let standing = unbeaten(&permissions, &prohibitions);
    let maximal = unbeaten(&permissions, &permissions);
    if !standing.is_empty() {
        return (Some("disallowed"), lines(&standing), Vec::new());
    }
    let mut conditions: Vec<String> =
        maximal.iter().flat_map(|field| field.conditions.iter().cloned()).collect();
    conditions.sort();
    conditions.dedup();
    let verdict = match (maximal.is_empty(), conditions.is_empty()) {
        (true, _) => None,
        (false, true) => Some("allowed"),
        (false, false) => Some("conditional"),
    };
    (verdict, lines(&maximal), conditions)
}

fn lines(fields: &[&Contender<'_>]) -> Vec<u32> {
    let mut lines: Vec<u32> = fields.iter().map(|field| field.line).collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

/// Records the cases that the fields show.
fn tell(fields: &[Contender<'_>], story: &mut Story) {
    let (permissions, prohibitions): (Vec<_>, Vec<_>) = fields.iter().partition(|field| field.permit);
    let standing = unbeaten(&permissions, &prohibitions);
    let pairs = || standing.iter().flat_map(|&no| permissions.iter().map(move |&yes| (no, yes)));
    story.undetermined =
        pairs().any(|(no, yes)| scope::compare(no.pattern, yes.pattern) == Scope::Undetermined);
    story.equal = pairs().any(|(no, yes)| no.pattern == yes.pattern && !no.beats(yes));
    story.beaten = standing.len() < prohibitions.len();
    let contrary = |f: &Contender<'_>, g: &Contender<'_>| f.permit != g.permit && f.pattern == g.pattern;
    story.derived = fields.iter().any(|f| fields.iter().any(|g| contrary(f, g) && f.beats(g)));
}
