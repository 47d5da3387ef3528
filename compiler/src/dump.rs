//! Policies and programs as text, for `dump` and the golden files.

use crate::policy::{Agent, Policy, Sense};
use crate::precedence;
use robomaton_formats::policy::Role;
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
        let role = match group.role {
            Role::Conventional => "",
            Role::Element => ", element",
            Role::Page => ", page",
            Role::PageConventional => ", page, conventional",
            Role::Field => ", ACAP",
        };
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
            if group.role == Role::Conventional {
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

/// A program as an indented pair of tries. A damaged one ends with a line that says so.
pub fn dump_automaton(program: &[u8]) -> String {
    let mut out = String::new();
    // Programs of a document are not padded as those of an image are.
    let program = [program, &[0; PADDING]].concat();
    if dump_program(&program, &mut out).is_none() {
        out.push_str("(damaged here)\n");
    }
    out
}

fn dump_program(program: &[u8], out: &mut String) -> Option<()> {
    let head = Head::read(program)?;
    let weighing = match head.weighing {
        Weighing::Ranked(silence) => format!("silence {silence:?}"),
        Weighing::Scoped => "scoped".to_owned(),
    };
    _ = writeln!(out, "program, notation {:?}, {weighing}", head.notation);
    out.push_str("literals\n");
    dump_trie(program, head.literals, false, out)?;
    if let Some(tails) = head.tails {
        let Tails { first, second, single, slots, highest, .. } = tails;
        let octets = |filter: Filter| -> String {
            (0..128u8)
                .filter(|&octet| filter.admits(octet))
                .map(|octet| octet.escape_ascii().to_string())
                .collect()
        };
        _ = writeln!(out, "segments, {slots} slots, highest tag {highest}");
        for (name, filter) in [("first", first), ("second", second), ("single", single)] {
            _ = writeln!(out, "  {name} octets {:?}", octets(filter));
        }
        dump_trie(program, tails.segments, true, out)?;
    }
    Some(())
}

fn dump_trie(program: &[u8], root: usize, segments: bool, out: &mut String) -> Option<()> {
    // (offset of the node, its label, depth in octets, depth in nodes)
    let mut stack = vec![(root, Vec::new(), 0usize, 1usize)];
    while let Some((mut at, label, octets, indent)) = stack.pop() {
        let flags = *program.get(at)?;
        at += 1;
        _ = write!(out, "{:width$}{:?}", "", label.escape_ascii().to_string(), width = indent * 2);
        for (form, name, rank) in [(flags & 3, "", octets), (flags >> 2 & 3, "$", octets + 1)] {
            let tag = match form {
                TAG_NONE => continue,
                TAG_EXPLICIT => varint(program, &mut at)?,
                form => 2 * rank as Tag + Tag::from(form == TAG_PERMIT),
            };
            _ = write!(out, " {name}{} {tag}", if permits(tag) { "permit" } else { "prohibit" });
        }
        if flags & NODE_EXTRA != 0 && !segments {
            _ = write!(out, " arms {}", varint(program, &mut at)?);
        } else if flags & NODE_EXTRA != 0 {
            loop {
                let step = Step::read(program, &mut at)?;
                _ = write!(out, " [if {}:", step.awaits);
                for (tag, name) in
                    [(step.open, ""), (step.anchored, "$")].into_iter().filter(|&(tag, _)| tag != 0)
                {
                    _ = write!(out, " {name}{} {tag}", if permits(tag) { "permit" } else { "prohibit" });
                }
                step.arms.into_iter().for_each(|slot| _ = write!(out, " arms {slot}"));
                out.push(']');
                if !step.more {
                    break;
                }
            }
        }
        out.push('\n');
        let children = Children::read(program, flags >> 5, at)?;
        let octets_of = children.octets(program)?;
        for number in (0..children.count).rev() {
            let mut at = children.child(program, number)?;
            let rest = varint(program, &mut at)? as usize;
            let label = [&octets_of[number..=number], program.get(at..at + rest)?].concat();
            let octets = octets + label.len();
            stack.push((at + rest, label, octets, indent + 1));
        }
    }
    Some(())
}
