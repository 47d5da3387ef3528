//! Rule sets of Robot-version 2.0.0 (N1 to N20): match forms, precedence, and the choice of rule
//! sets for a robot.
//!
//! Runs over the groups lowered by `conventional`, before anything else is added to the policy.
//! Afterwards only the rule sets that apply to a crawler name it, so later passes do not know
//! versions. A name in a set with a stated version is the beginning of a robot's name (N7, decision
//! 41); such a general name ends with `*` in the policy, and questions look for it by that form.
//! Invariant: a text without `Robot-version` is unchanged.
//!
//! ```text
//!   Allow: /a/index.html    explicit  `/a/index.html$`  rank 4: beats every Disallow
//!   Disallow: *.shtml       regex     `*.shtml$`        rank 3
//!   Allow: /a/info*         regex     `/a/info*`        rank 2
//!   (anything else)                   `*`               rank 1: prohibited, if only Allows or any regex Allow stand there
//! ```

use super::{Language, Lints, Source};
use crate::limits::{LimitName, OverLimit};
use crate::lowering::Lowering;
use crate::policy::{Agent, Combiner, Form, Group, Policy, Rule, RuleSet, Sense, counts_as};
use robomaton_formats::Notation;
use robomaton_formats::agent::{MAX_GENERAL_NAME, general_name};
use robomaton_formats::policy::CRAWL;
use robomaton_formats::program::Silence;
use robomaton_grammar::{Key, LineKind, extended};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

/// A version of the language as stated by a rule set, without the revision.
type Version = (u32, u32);

/// The version of a rule set that states none (N2).
const OLD: Version = (1, 0);

/// The maximum number of names that ACAP records and referred files add to groups with general
/// names; long ones count as several.
const NAMED: usize = 1 << 20;

pub(super) struct Extended;

impl Language for Extended {
    fn usages(&self) -> &'static [&'static str] {
        &["crawl"]
    }

    fn combiner(&self) -> Combiner {
        Combiner::FormOfMatch(Form::Implied)
    }

    fn silence(&self, _usage: u16) -> Silence {
        Silence::Allowed
    }

    fn lints(&self) -> &'static [Lints] {
        &[Lints::Versions]
    }

    /// Interprets versioned rule sets and removes crawlers from the groups that do not apply to
    /// them (N4, N5).
    fn lower<'s>(&self, source: &Source<'_, 's>, lowering: &mut Lowering<'s, '_>) -> Result<(), OverLimit> {
        let Lowering { policy, starts, .. } = lowering;
        let Some(stated) = versions(source, &policy.groups, starts) else { return Ok(()) };
        let versions: Vec<Version> = stated.iter().map(|stated| stated.unwrap_or(OLD)).collect();
        let groups = policy.groups.iter().zip(&stated).zip(&versions);
        let sets = groups.map(|((group, stated), &version)| RuleSet {
            line: group.line,
            version,
            is_stated: stated.is_some(),
            is_acceptable: is_acceptable(version),
            agents: group.agents.clone(),
        });
        policy.rule_sets = sets.collect();
        weigh_by_form(policy, 0, &versions);
        generalize(&mut policy.groups, &stated);
        negotiate(&mut policy.groups, &versions);
        Ok(())
    }
}

/// Interprets the versioned rule sets of a file that a record of ACAP refers to, whose groups are
/// those from this one on, and start on these lines. Each is for the robots of its very names.
pub(super) fn lower_referred(source: &Source<'_, '_>, first: usize, starts: &[u32], policy: &mut Policy<'_>) {
    let Some(stated) = versions(source, &policy.groups[first..], starts) else { return };
    let versions: Vec<Version> = stated.iter().map(|stated| stated.unwrap_or(OLD)).collect();
    weigh_by_form(policy, first, &versions);
    negotiate(&mut policy.groups[first..], &versions);
}

/// The versions that groups state; `None` if the text states none. `starts` has the first line of
/// each group of the text, in order, including groups of crawlers that the image leaves out.
fn versions(source: &Source<'_, '_>, groups: &[Group<'_>], starts: &[u32]) -> Option<Vec<Option<Version>>> {
    let lines = &source.tree.lines;
    if !source.tree.has(Key::RobotVersion) {
        return None;
    }
    let index = |line: u32| line as usize - 1;
    let stated = |group: &Group<'_>| {
        let next = starts.get(starts.partition_point(|&start| start <= group.line));
        version(source, index(group.line)..next.map_or(lines.len(), |&next| index(next)))
    };
    Some(groups.iter().map(stated).collect())
}

/// The version that follows the user-agents of the group on these lines. Unknown keys do not count
/// as headers (N19), nor do lines inside a record of ACAP (V53).
fn version(source: &Source<'_, '_>, lines: Range<usize>) -> Option<Version> {
    let tree = source.tree;
    let mut fields = lines.filter(|line| !source.is_suspended(*line)).filter_map(|line| {
        let line = &tree.lines[line];
        if let LineKind::Field(key) = line.kind { Some((key, line.value)) } else { None }
    });
    let (key, value) = fields.find(|(key, _)| *key != Key::UserAgent)?;
    let (major, minor, _) = (key == Key::RobotVersion).then(|| extended::version(tree.text(value)))??;
    Some((major, minor))
}

/// True if a robot that knows 2.0.0 reads a rule set of this version: majors are 1 and 2, odd
/// minors are experiments (N3, N4).
fn is_acceptable((major, minor): Version) -> bool {
    matches!(major, 1 | 2) && minor % 2 == 0
}

/// Rewrites the rules of major version 2, in the groups from this one on, and adds a rule for
/// everything that they do not list (N8 to N13).
fn weigh_by_form(policy: &mut Policy<'_>, first: usize, versions: &[Version]) {
    if !versions.iter().any(|&(major, _)| major == 2) {
        return;
    }
    let mut rules = policy.rules.split_off(policy.groups[first].rules.start).into_iter();
    for (group, &(major, _)) in policy.groups[first..].iter_mut().zip(versions) {
        let count = group.rules.len();
        let start = policy.rules.len();
        policy.rules.extend(rules.by_ref().take(count));
        if major == 2 && group.role.is_ranked() {
            let (mut regex_allows, mut allows, mut disallows) = (false, false, false);
            for rule in policy.rules[start..].iter_mut().filter(|rule| rule.usage == CRAWL) {
                let is_regex = rule.pattern.contains(&b'*');
                let permits = rule.sense == Sense::Permit;
                regex_allows |= permits && is_regex;
                allows |= permits;
                disallows |= !permits;
                rule.combiner = Combiner::FormOfMatch(match (permits, is_regex) {
                    (true, false) => Form::ExplicitAllow,
                    (false, _) => Form::Disallow,
                    (true, true) => Form::StarredAllow,
                });
                whole(&mut rule.pattern);
            }
            // N10, N12; where N13 leaves the remaining targets open, they are allowed (decision
            // 32).
            if regex_allows || allows && !disallows {
                let pattern = Cow::Borrowed(&b"*"[..]);
                let (line, notation) = (group.line, Notation::Rep);
                let sense = Sense::Prohibit;
                policy.rules.push(Rule {
                    usage: CRAWL,
                    sense,
                    pattern,
                    notation,
                    combiner: Combiner::FormOfMatch(Form::Implied),
                    silence: Silence::Allowed,
                    conditions: 0,
                    line,
                });
            }
        }
        group.rules = start..policy.rules.len();
    }
}

/// Explicit forms and expressions match whole paths; only a final star leaves the end open. A `$`
/// is a literal character.
fn whole(pattern: &mut Cow<'_, [u8]>) {
    let text = pattern.to_mut();
    if text.last() == Some(&b'$') {
        text.pop();
        text.extend_from_slice(b"%24");
    }
    if text.last() != Some(&b'*') {
        text.push(b'$');
    }
}

/// Makes the names in sets with a stated version general ones. Such a name stands for itself too,
/// unless a group without a version has the same name: then the two are weighed against each other
/// for the robot of that very name.
fn generalize(groups: &mut [Group<'_>], stated: &[Option<Version>]) {
    let whole = |name: &str| Agent::Named(Cow::Owned(name.to_ascii_lowercase()));
    let of_old = groups.iter().zip(stated).filter(|(_, stated)| stated.is_none());
    let old: HashSet<String> =
        of_old.flat_map(|(group, _)| group.names().map(str::to_ascii_lowercase)).collect();
    for (group, stated) in groups.iter_mut().zip(stated) {
        let mut agents = Vec::with_capacity(group.agents.len());
        for agent in group.agents.drain(..) {
            let general = match &agent {
                Agent::Named(name) if stated.is_some() => general_name(&name.to_ascii_lowercase()),
                _ => None,
            };
            match (agent, general) {
                (Agent::Named(name), Some(general)) => {
                    let is_whole = old.contains(&name.to_ascii_lowercase());
                    agents.extend(is_whole.then(|| whole(&name)));
                    agents.push(Agent::Named(Cow::Owned(general)));
                }
                (agent, _) => agents.push(agent),
            }
        }
        group.agents = agents;
    }
}

/// Leaves each crawler only in the groups that apply to it: those with the highest acceptable
/// version. For major version 2, only the first such group applies.
fn negotiate(groups: &mut [Group<'_>], versions: &[Version]) {
    let key = |agent: &Agent<'_>| match agent {
        Agent::Any => "*".to_owned(),
        Agent::Named(name) => name.to_ascii_lowercase(),
    };
    let mut best: HashMap<String, (Version, usize)> = HashMap::new();
    for (number, (group, &version)) in groups.iter().zip(versions).enumerate() {
        if is_acceptable(version) {
            for agent in &group.agents {
                let held = best.entry(key(agent)).or_insert((version, number));
                if version > held.0 {
                    *held = (version, number);
                }
            }
        }
    }
    for (number, (group, &version)) in groups.iter_mut().zip(versions).enumerate() {
        group.agents.retain(|agent| {
            best.get(&key(agent)).is_some_and(|&(highest, first)| match highest.0 {
                2 => number == first,
                _ => is_acceptable(version),
            })
        });
    }
}

/// Adds to the groups with general names the crawlers that other parts of the text name: ACAP
/// records and files that it refers to. A question looks for the name that the text has, so this
/// name must lead to all groups that apply.
///
/// # Errors
/// If more than [`NAMED`] names would be added.
pub(crate) fn name_general_sets(policy: &mut Policy<'_>) -> Result<(), OverLimit> {
    if !policy.rule_sets.iter().any(|set| set.is_stated) {
        return Ok(());
    }
    let mut general: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut whole: HashSet<(usize, &str)> = HashSet::new();
    // Each name, and whether a conventional group has it.
    let mut names: BTreeMap<String, bool> = BTreeMap::new();
    for (number, group) in policy.groups.iter().enumerate().filter(|(_, group)| group.names_crawlers()) {
        for name in group.names() {
            match name.strip_suffix('*') {
                Some(start) => general.entry(start).or_default().push(number),
                None => {
                    whole.insert((number, name));
                    *names.entry(name.to_ascii_lowercase()).or_default() |= group.role.is_ranked();
                }
            }
        }
    }
    let (mut added, mut count): (Vec<(usize, String)>, _) = (Vec::new(), 0);
    for (name, is_ranked) in names {
        let lengths = (1..=name.len().min(MAX_GENERAL_NAME)).rev();
        let mut starts = lengths.filter_map(|length| name.get(..length));
        let Some((start, groups)) = starts.find_map(|start| general.get_key_value(start)) else { continue };
        // The name of the conventional group is the longer one.
        if is_ranked && start.len() < name.len() {
            continue;
        }
        let is_new = |number: &usize| !whole.contains(&(*number, name.as_str()));
        let groups: Vec<usize> = groups.iter().copied().filter(is_new).collect();
        count += groups.len() * counts_as(&name);
        if count > NAMED {
            let line = policy.groups[groups[0]].line;
            return Err(OverLimit { limit: LimitName::Merged, allowed: NAMED, line });
        }
        added.extend(groups.into_iter().map(|number| (number, name.clone())));
    }
    for (number, name) in added {
        policy.groups[number].agents.push(Agent::Named(Cow::Owned(name)));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CompileContext, Options, lower, lower_with};
    use robomaton_grammar::{DEFAULT_LIMIT, scan};

    /// The names of each group.
    fn names(text: &str, crawlers: &[&str]) -> Vec<Vec<String>> {
        let crawlers = crawlers.iter().map(|name| (*name).to_owned()).collect();
        let options = Options { crawlers, ..Options::default() };
        let policy = lower(&scan(text.as_bytes(), DEFAULT_LIMIT), None, &options).unwrap();
        policy.groups.iter().map(|group| group.names().map(str::to_owned).collect()).collect()
    }

    #[test]
    fn general_names_end_with_a_star() {
        let long = "a".repeat(MAX_GENERAL_NAME + 1);
        let set = |name: &str| format!("User-agent: {name}\nRobot-version: 2.0.0\nAllow: /\n");
        assert_eq!(names(&set("Ab"), &[]), [["ab*"]]);
        assert_eq!(names(&set(&long), &[]), [[long.as_str()]]);
        let both = format!("User-agent: Ab\nDisallow: /\n{}", set("ab"));
        assert_eq!(names(&both, &[]), [vec![], vec!["ab", "ab*"]]);
        // An image for some crawlers keeps the sets that their names begin like.
        let several = [set("ab"), set("x"), "User-agent: abc\nDisallow: /\n".to_owned()].concat();
        assert_eq!(names(&several, &["abcd"]), [vec!["ab*"], vec!["abc"]]);
    }

    /// A version counts outside records of ACAP.
    #[test]
    fn a_version_in_a_record_is_none() {
        let record = "ACAP-crawler: x\nACAP-allow-crawl: /\n";
        let sets = |text: &str| {
            let policy = lower(&scan(text.as_bytes(), DEFAULT_LIMIT), None, &Options::default()).unwrap();
            policy.rule_sets.iter().map(|set| set.is_stated).collect::<Vec<_>>()
        };
        let within = format!("User-agent: *\n{record}Robot-version: 2.0.0\n\nUser-agent: *\nDisallow: /\n");
        assert!(!sets(&within).contains(&true));
        let behind = format!("User-agent: *\n{record}User-agent: *\nRobot-version: 2.0.0\nDisallow: /*\n");
        assert_eq!(sets(&behind), [true]);
    }

    /// A group whose rules are all in a record states no version, whoever the next group is for.
    #[test]
    fn a_version_is_that_of_its_own_group() {
        let text = "User-agent: bot\nACAP-crawler: x\nDisallow: /z\n\n\
                    User-agent: other\nRobot-version: 2.0.0\nDisallow: /q\n\n\
                    User-agent: bot\nDisallow: /\n";
        let of_usages = "User-agent: bot\nContent-Usage: train-ai=n\n\
                         User-agent: other\nRobot-version: 2.0.0\nDisallow: /q\n\n\
                         User-agent: bot\nDisallow: /\n";
        for text in [text, of_usages] {
            for referred in ["", "ACAP-crawler: *\nACAP-permissions-reference: /ref.txt\n"] {
                let groups = |crawlers: &[&str]| {
                    let crawlers = crawlers.iter().map(|name| (*name).to_owned()).collect();
                    let options = Options { crawlers, ..Options::default() };
                    let files = [("/ref.txt", text.as_bytes())];
                    let context = CompileContext { files: &files, ..CompileContext::default() };
                    let robots = if referred.is_empty() { text } else { referred };
                    let tree = scan(robots.as_bytes(), DEFAULT_LIMIT);
                    let policy = lower_with(&tree, &context, &options).unwrap();
                    let of_bot = policy.groups.iter().filter(|group| group.names().any(|name| name == "bot"));
                    of_bot.map(|group| group.line).collect::<Vec<_>>()
                };
                assert_eq!(groups(&["bot"]), groups(&[]), "{referred}{text}");
            }
        }
    }

    /// The groups of a text with ACAP records are others, and in another order, than those weighed
    /// by version.
    #[test]
    fn records_change_the_groups() {
        let set = "User-agent: Ab\nRobot-version: 2.0.0\nDisallow: /\n";
        let alone =
            format!("ACAP-ignore-conventional-records\n{set}ACAP-crawler: abc\nACAP-allow-crawl: /\n");
        assert_eq!(names(&alone, &[]), [["abc"]]);
        let pilot = |name: &str| format!("##ACAP version=0.2\nACAP-crawler: {name}\nDisallow: /x\n{set}");
        assert_eq!(names(&pilot("ab"), &[]), [vec!["ab"], vec!["ab*", "ab"], vec!["ab"]]);
        assert_eq!(names(&pilot("abc"), &[]), [["abc"], ["ab*"], ["abc"]]);
    }

    #[test]
    fn names_of_records_are_limited() {
        let text = |sets: usize, records: usize| {
            let set = "User-agent: a\nRobot-version: 1.0.0\nDisallow: /\n".repeat(sets);
            let records = (0..records).map(|n| format!("ACAP-crawler: a{n}\nACAP-allow-crawl: /\n"));
            set + &records.collect::<String>()
        };
        assert_eq!(names(&text(2, 2), &[])[0], ["a*", "a0", "a1"]);
        let text = text(1 << 10, (1 << 10) + 1);
        let over = lower(&scan(text.as_bytes(), DEFAULT_LIMIT), None, &Options::default()).unwrap_err();
        assert_eq!((over.limit, over.allowed), (LimitName::Merged, NAMED));
    }
}
