//! Policies and programs as text, for `dump` and the golden files.

use crate::policy::{Agent, Policy, Sense};
use crate::precedence;
use robomaton_formats::Notation;
use robomaton_formats::program::lanes::{Lane, Lanes, REACH_ALL};
use robomaton_formats::program::*;
use std::fmt::Write;

/// A policy, a line each: groups, agents, rules with their tags, records.
pub fn dump_policy(policy: &Policy<'_>) -> String {
    let mut out = format!("policy, profile {}\n", policy.profile);
    let tags = precedence::tags(policy);
    for (number, group) in policy.groups.iter().enumerate() {
        let agents: Vec<_> = group
            .agents
            .iter()
            .map(|agent| match agent {
                Agent::Any => "*",
                Agent::Named(name) => name.as_ref(),
            })
            .collect();
        let role = if group.role.is_ranked() { String::new() } else { format!(", {}", group.role.title()) };
        _ = write!(out, "group {number} (line {}{role}): {}", group.line, agents.join(", "));
        for purpose in &group.purposes {
            _ = write!(out, ", for {}", purpose.escape_ascii());
        }
        if group.file != 0 {
            _ = write!(out, ", in {}", policy.files[usize::from(group.file) - 1]);
        }
        out.push_str(if group.incomplete { ", incomplete\n" } else { "\n" });
        for at in group.rules.clone() {
            let rule = &policy.rules[at];
            let sense = if rule.sense == Sense::Permit { "permit" } else { "prohibit" };
            let usage = policy.usage_name(rule.usage);
            let (line, pattern) = (rule.line, rule.pattern.escape_ascii());
            _ = write!(out, "  line {line}: {sense} {usage} {pattern}");
            if group.role.is_ranked() {
                _ = write!(out, " (tag {})", tags[at]);
            }
            policy.conditions(rule).iter().for_each(|condition| _ = write!(out, ", {condition}"));
            out.push('\n');
        }
        for record in &group.extensions {
            _ = writeln!(out, "  line {}: {} = {:?}", record.line, record.key, record.value);
        }
    }
    for record in &policy.extensions {
        _ = writeln!(out, "line {}: {} = {:?}", record.line, record.key, record.value);
    }
    out
}

/// A program as a list of lanes, or as an indented pair of tries. A damaged one ends with a line that says so.
pub fn dump_automaton(program: &[u8]) -> String {
    let mut out = String::new();
    // Programs of a document are not padded as those of an image are.
    let program = [program, &[0; PADDING]].concat();
    let dumped =
        if Lanes::is_at(&program) { dump_lanes(&program, &mut out) } else { dump_tries(&program, &mut out) };
    if dumped.is_none() {
        out.push_str("(damaged here)\n");
    }
    out
}

fn dump_lanes(program: &[u8], out: &mut String) -> Option<()> {
    let lanes = Lanes::read(program)?;
    let front = *program.first()?;
    _ = writeln!(
        out,
        "lanes, notation {:?}, silence {:?}",
        Notation::from_u8(front & 7)?,
        Silence::of(front)
    );
    let [a, b, c] = lanes.places;
    let reach = if lanes.reach == REACH_ALL { "all".to_owned() } else { lanes.reach.to_string() };
    _ = writeln!(out, "places {a} {b} {c}, reach {reach}");
    for (number, bytes) in lanes.triggers()?.iter().enumerate() {
        let bytes = if number < lanes.pairs { &bytes[..] } else { &bytes[..1] };
        let waiting = lanes.waiting(number)?;
        let waiting = (0..lanes.count).filter(|lane| waiting >> lane & 1 == 1).map(|lane| lane.to_string());
        let waiting = waiting.collect::<Vec<_>>().join(" ");
        _ = writeln!(out, "trigger {:?} for {waiting}", bytes.escape_ascii().to_string());
    }
    let sense = |tag| if permits(tag) { "permit" } else { "prohibit" };
    for number in 0..lanes.count {
        let Lane { text, length, anchored, tag, .. } = lanes.lane(number)?;
        let end = if anchored { "$" } else { "" };
        let text = text.get(..length)?.escape_ascii();
        _ = writeln!(out, "  {number}: \"{text}\"{end} {} {tag}", sense(tag));
    }
    if lanes.otherwise != 0 {
        _ = writeln!(out, "  otherwise {} {}", sense(lanes.otherwise), lanes.otherwise);
    }
    Some(())
}

fn dump_tries(program: &[u8], out: &mut String) -> Option<()> {
    let head = Head::read(program)?;
    let weighing = match head.weighing {
        Weighing::Ranked(silence) => format!("silence {silence:?}"),
        Weighing::Scoped => "scoped".to_owned(),
    };
    _ = writeln!(out, "program, notation {:?}, {weighing}", head.notation);
    out.push_str("literals\n");
    dump_trie(program, head.literals, false, out)?;
    let Some(tails) = head.tails else { return Some(()) };
    let Tails { last, single, states, queues, steps, highest, .. } = tails;
    let bytes = |filter: Filter| -> String {
        let admitted = (0..128u8).filter(|&byte| filter.admits(byte));
        admitted.map(|byte| byte.escape_ascii().to_string()).collect()
    };
    _ = writeln!(out, "{states} numbered states, {queues} queues, {steps} steps, highest tag {highest}");
    for (name, filter) in [("last", last), ("single", single)] {
        _ = writeln!(out, "  {name} bytes {:?}", bytes(filter));
    }
    let mut left = steps.checked_sub(dump_trie(program, tails.root, true, out)?)?;
    let mut at = tails.lists;
    while left > 0 {
        _ = write!(out, "list {}:", at - tails.lists);
        left = left.checked_sub(dump_steps(program, &mut at, "queue", out)?)?;
        out.push('\n');
    }
    Some(())
}

/// A list of steps; gives how many.
fn dump_steps(program: &[u8], at: &mut usize, waits_for: &str, out: &mut String) -> Option<usize> {
    let mut count = 0;
    loop {
        let step = Step::read(program, at)?;
        _ = write!(out, " [{waits_for} {}:", step.waits);
        for (tag, name) in [(step.open, ""), (step.anchored, "$")].into_iter().filter(|&(tag, _)| tag != 0) {
            _ = write!(out, " {name}{} {tag}", if permits(tag) { "permit" } else { "prohibit" });
        }
        dump_state(step.leads, " to", out);
        out.push(']');
        count += 1;
        if !step.more {
            return Some(count);
        }
    }
}

fn dump_state(State { number, list }: State, before: &str, out: &mut String) {
    for (part, name) in [(number, "state"), (list, "list")] {
        part.into_iter().for_each(|part| _ = write!(out, "{before} {name} {part}"));
    }
}

/// The nodes below a root; gives how many steps stand at them.
fn dump_trie(program: &[u8], root: usize, segments: bool, out: &mut String) -> Option<usize> {
    let mut steps = 0;
    // (offset of the node, its label, depth in bytes, depth in nodes)
    let mut stack = vec![(root, Vec::new(), 0usize, 1usize)];
    while let Some((mut at, label, bytes, indent)) = stack.pop() {
        let flags = *program.get(at)?;
        at += 1;
        _ = write!(out, "{:width$}{:?}", "", label.escape_ascii().to_string(), width = indent * 2);
        let tags = if segments { 0 } else { flags };
        for (form, name, rank) in [(tags & 3, "", bytes), (tags >> 2 & 3, "$", bytes + 1)] {
            let tag = match form {
                TAG_NONE => continue,
                TAG_EXPLICIT => varint(program, &mut at)?,
                form => 2 * rank as Tag + Tag::from(form == TAG_PERMIT),
            };
            _ = write!(out, " {name}{} {tag}", if permits(tag) { "permit" } else { "prohibit" });
        }
        if flags & NODE_EXTRA != 0 {
            match segments {
                false => dump_state(State::read(program, &mut at)?, "", out),
                true if flags & NODE_QUEUE != 0 => _ = write!(out, " queue {}", varint(program, &mut at)?),
                true => steps += dump_steps(program, &mut at, "state", out)?,
            }
        }
        out.push('\n');
        let children = Children::read(program, flags >> 5, at)?;
        let bytes_of = children.bytes(program)?;
        for number in (0..children.count).rev() {
            let mut at = children.child(program, number)?;
            let rest = varint(program, &mut at)? as usize;
            let rest_of = program.get(at..at + rest)?;
            let next = &bytes_of[number..=number];
            let label = if segments { [rest_of, next].concat() } else { [next, rest_of].concat() };
            let bytes = bytes + label.len();
            stack.push((at + rest, label, bytes, indent + 1));
        }
    }
    Some(steps)
}
