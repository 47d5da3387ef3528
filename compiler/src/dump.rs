//! Policies and programs as text, for `dump` and the golden files.

use crate::policy::{Agent, Policy, Sense};
use crate::precedence;
use robomaton_formats::Notation;
use robomaton_formats::program::packed::{Packed, PackedRule, REACH_ALL};
use robomaton_formats::program::*;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt::Write;

/// A policy, line by line: groups, agents, rules with their priorities, records.
pub fn dump_policy(policy: &Policy<'_>) -> String {
    let mut out = format!("policy, profile {}\n", policy.profile);
    let priorities = precedence::priorities(policy);
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
                _ = write!(out, " (priority {})", priorities[at]);
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

/// A packed program as a list, any other as an indented pair of tries. The dump of a damaged
/// program ends with a line that says so.
pub fn dump_automaton(program: &[u8]) -> String {
    let mut out = String::new();
    // Programs of a document have no padding, unlike those of an image.
    let program = [program, &[0; PADDING]].concat();
    let dumped = if Packed::is_at(&program) {
        dump_packed(&program, &mut out)
    } else {
        dump_tries(&program, &mut out)
    };
    if dumped.is_none() {
        out.push_str("(damaged here)\n");
    }
    out
}

fn dump_packed(program: &[u8], out: &mut String) -> Option<()> {
    let packed = Packed::read(program)?;
    let front = *program.first()?;
    _ = writeln!(
        out,
        "packed, notation {:?}, silence {:?}",
        Notation::from_u8(front & 7)?,
        Silence::of(front)
    );
    let [a, b, c] = packed.probes;
    let reach = if packed.reach == REACH_ALL { "all".to_owned() } else { packed.reach.to_string() };
    _ = writeln!(out, "places {a} {b} {c}, reach {reach}");
    for (number, (bytes, waiting)) in packed.waiting()?.into_iter().enumerate() {
        let bytes = if number < packed.pairs { &bytes[..] } else { &bytes[..1] };
        let waiting = (0..packed.count).filter(|rule| waiting >> rule & 1 == 1).map(|rule| rule.to_string());
        let waiting = waiting.collect::<Vec<_>>().join(" ");
        _ = writeln!(out, "trigger {:?} for {waiting}", bytes.escape_ascii().to_string());
    }
    let sense = |priority| if permits(priority) { "permit" } else { "prohibit" };
    for number in 0..packed.count {
        let PackedRule { text, length, anchored, priority, .. } = packed.rule(number)?;
        let end = if anchored { "$" } else { "" };
        let text = text.get(..length)?.escape_ascii();
        _ = writeln!(out, "  {number}: \"{text}\"{end} {} {priority}", sense(priority));
    }
    if packed.fallback != 0 {
        _ = writeln!(out, "  fallback {} {}", sense(packed.fallback), packed.fallback);
    }
    Some(())
}

fn dump_tries(program: &[u8], out: &mut String) -> Option<()> {
    let header = Header::read(program)?;
    let weighing = match header.weighing {
        Weighing::Ranked(silence) => format!("silence {silence:?}"),
        Weighing::Scoped => "scoped".to_owned(),
    };
    _ = writeln!(out, "program, notation {:?}, {weighing}", header.notation);
    out.push_str("literals\n");
    dump_trie(program, header.literals, false, out)?;
    let Some(tails) = header.tails else { return Some(()) };
    let Tails { last, single, states, queues, steps, highest, .. } = tails;
    let bytes = |filter: Filter| -> String {
        let admitted = (0..128u8).filter(|&byte| filter.admits(byte));
        admitted.map(|byte| byte.escape_ascii().to_string()).collect()
    };
    _ = writeln!(out, "{states} numbered states, {queues} queues, {steps} steps, highest priority {highest}");
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

/// Dumps a list of steps and returns their number.
fn dump_steps(program: &[u8], at: &mut usize, waits_for: &str, out: &mut String) -> Option<usize> {
    let mut count = 0;
    loop {
        let step = Step::read(program, at)?;
        _ = write!(out, " [{waits_for} {}:", step.waits);
        for (priority, name) in
            [(step.open, ""), (step.anchored, "$")].into_iter().filter(|&(priority, _)| priority != 0)
        {
            _ = write!(out, " {name}{} {priority}", if permits(priority) { "permit" } else { "prohibit" });
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

/// Dumps the nodes below a root and returns the number of steps stored at them. A node that several
/// others have as a child is dumped once.
fn dump_trie(program: &[u8], root: usize, segments: bool, out: &mut String) -> Option<usize> {
    let mut steps = 0;
    // The number of each node, in the order of the dump, by its offset.
    let mut numbers = HashMap::new();
    // (offset of the node, its label, depth in bytes, depth in nodes)
    let mut stack = vec![(root, Vec::new(), 0usize, 1usize)];
    while let Some((mut at, label, bytes, indent)) = stack.pop() {
        let flags = *program.get(at)?;
        _ = write!(out, "{:width$}{:?}", "", label.escape_ascii().to_string(), width = indent * 2);
        let number = numbers.len();
        match numbers.entry(at) {
            Entry::Vacant(place) => _ = place.insert(number),
            Entry::Occupied(place) => {
                _ = writeln!(out, " as node {}, counted from the root", place.get());
                continue;
            }
        }
        at += 1;
        let priorities = if segments { 0 } else { flags };
        for (form, name, rank) in [(priorities & 3, "", bytes), (priorities >> 2 & 3, "$", bytes + 1)] {
            let priority = match form {
                PRIORITY_NONE => continue,
                PRIORITY_EXPLICIT => varint(program, &mut at)?,
                form => 2 * rank as Priority + Priority::from(form == PRIORITY_PERMIT),
            };
            _ = write!(out, " {name}{} {priority}", if permits(priority) { "permit" } else { "prohibit" });
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
