//! Rule sets of Robot-version 2.0.0: misplaced versions, sets that apply to no crawler, rules that
//! do not mean what they seem to (N2 to N8).
//!
//! A text without `Robot-version` is skipped. `language/extended` interprets the versions; this
//! file checks the lines for the author's intention.

use super::{Code, Pass, quote};
use crate::policy::Policy;
use robomaton_grammar::{Group, Key, Line, LineKind, Span, extended, product_token};
use std::collections::HashSet;

/// Checks the lines with versions.
pub(super) fn lint(pass: &mut Pass<'_, '_>) {
    let tree = pass.tree;
    let is_version = |line: &&Line| line.kind == LineKind::Field(Key::RobotVersion);
    if !tree.lines.iter().any(|line| is_version(&line)) {
        return;
    }
    let first = tree.groups.first().map_or(tree.lines.len(), |group| group.start as usize);
    for line in tree.lines[..first].iter().filter(is_version) {
        let message = "a version before any user-agent line; it has no effect";
        pass.say(Code::RobotVersionMisplaced, line.value, message);
    }
    let sets: Vec<Set> = tree.groups.iter().map(|group| Set::read(pass, group)).collect();
    let mut new_names: HashSet<&[u8]> = HashSet::new();
    for set in sets.iter().filter(|set| set.is_new()) {
        new_names.extend(set.names.iter().map(Vec::as_slice));
    }
    for set in &sets {
        versions(set, pass);
        for line in &tree.lines[set.group.body as usize..set.group.end as usize] {
            let value = tree.text(line.value);
            match line.kind {
                LineKind::Field(Key::Allow) if set.major() == 1 && !value.is_empty() => {
                    let answered = |name: &Vec<u8>| new_names.contains(name.as_slice());
                    if !set.names.is_empty() && set.names.iter().all(answered) {
                        let message = "an Allow that nobody reads: old robots know none, and new ones read the rule \
                                       set of version 2";
                        pass.say(Code::OldSetAllow, line.value, message);
                    }
                }
                LineKind::Field(Key::Allow | Key::Disallow)
                    if set.is_new() && value.ends_with(b"/") && !value.contains(&b'*') =>
                {
                    let message = format!(
                        "under version 2 {} is that one URL, and not what is below it, which would be {}",
                        quote(value),
                        quote(&[value, b"*"].concat())
                    );
                    pass.say(Code::ExplicitDirectory, line.value, message);
                }
                _ => {}
            }
        }
    }
}

/// Checks the versions of one rule set.
fn versions(set: &Set, pass: &mut Pass<'_, '_>) {
    let Some(stated) = set.stated else {
        if let Some(&first) = set.lines.first() {
            let message = "a version that does not follow the user-agents; the rule set is read as 1.0.0";
            pass.say(Code::RobotVersionMisplaced, first, message);
        }
        return;
    };
    for &again in &set.lines[1..] {
        let message = "the rule set has a version already; this one has no effect";
        pass.say_with(Code::RobotVersionRepeated, again, message, stated, "its version");
    }
    match set.version {
        Some((1 | 2, minor)) if minor % 2 == 1 => {
            let message = "an experimental version, as its second number is odd; the rule set is skipped";
            pass.say(Code::RobotVersionExperimental, stated, message);
        }
        Some((1 | 2, _)) | None => {}
        Some((major, _)) => {
            let message = format!("there is no version {major} of the language; the rule set is skipped");
            pass.say(Code::RobotVersionUnknown, stated, message);
        }
    }
    if set.is_new() && set.names.iter().any(|name| name == b"*") {
        let message = "the default rule set should be one that old robots can read, without a version";
        pass.say(Code::DefaultSetVersion, stated, message);
    }
}

/// Reports rule sets of version 2 that apply to no crawler.
pub(super) fn answers(policy: &Policy<'_>, pass: &mut Pass<'_, '_>) {
    let tree = pass.tree;
    if !tree.has(Key::RobotVersion) {
        return;
    }
    let mut groups = policy.ranked_groups().peekable();
    for group in &tree.groups {
        let Some(lowered) = groups.next_if(|lowered| lowered.line == tree.line_number(group.start as usize))
        else {
            continue;
        };
        let set = Set::read(pass, group);
        if let (true, true, false, Some(stated)) =
            (set.is_new(), lowered.agents.is_empty(), set.names.is_empty(), set.stated)
        {
            let message = "this rule set answers for nobody: its robots have one of a higher version, or an earlier one";
            pass.say(Code::RuleSetWithoutAnswer, stated, message);
        }
    }
}

/// A group as a rule set.
struct Set {
    group: Group,
    /// The names in it, in lower case.
    names: Vec<Vec<u8>>,
    /// Its version, directly after the user-agents (N2).
    stated: Option<Span>,
    /// The parsed version, if it is valid.
    version: Option<(u32, u32)>,
    /// The values of all its Robot-version lines.
    lines: Vec<Span>,
}

impl Set {
    fn read(pass: &Pass<'_, '_>, group: &Group) -> Set {
        let tree = pass.tree;
        let mut set =
            Set { group: *group, names: Vec::new(), stated: None, version: None, lines: Vec::new() };
        let mut heads = true;
        for line in &tree.lines[group.start as usize..group.end as usize] {
            let LineKind::Field(key) = line.kind else { continue };
            match key {
                Key::UserAgent => {
                    set.names.extend(product_token(tree.text(line.value)).map(<[u8]>::to_ascii_lowercase));
                    continue;
                }
                Key::RobotVersion => {
                    if heads {
                        set.stated = Some(line.value);
                        set.version =
                            extended::version(tree.text(line.value)).map(|(major, minor, _)| (major, minor));
                    }
                    set.lines.push(line.value);
                }
                _ => {}
            }
            heads = false;
        }
        set
    }

    /// The major version; 1 if none is stated.
    fn major(&self) -> u32 {
        self.version.map_or(1, |(major, _)| major)
    }

    /// True if new robots read it by the rules of 2.0.0.
    fn is_new(&self) -> bool {
        self.version.is_some_and(|(major, minor)| major == 2 && minor % 2 == 0)
    }
}
