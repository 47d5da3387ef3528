//! `dump --json`: the stages as JSON, one object per line.
//!
//! It has the same facts as the texts, under keys: the lines of a tree, the groups of a policy,
//! programs, the sections of an image. It reads the results of the crates below and decides
//! nothing.

use crate::output::Out;
use robomaton_compiler::{Agent, Policy, Sense};
use robomaton_formats::layout::{Section, VERSION};
use robomaton_grammar::{LineKind, Tree};
use robomaton_runtime::Image;
use serde::Serialize;
use std::io;

/// A line of a tree.
#[derive(Serialize)]
struct Line {
    line: usize,
    /// `blank`, `field`, `acap`, `unknown` or `malformed`.
    kind: &'static str,
    /// For a known record, the canonical spelling of its key.
    key: Option<String>,
    value: Option<String>,
    comment: Option<String>,
    /// Offsets in the text.
    start: u32,
    end: u32,
}

/// Prints the lines of a tree.
pub(super) fn tree(tree: &Tree<'_>, out: &mut Out) -> io::Result<()> {
    let text = |span| Some(text_of(tree.text(span))).filter(|text: &String| !text.is_empty());
    tree.lines.iter().zip(1..).try_for_each(|(line, number)| {
        let (kind, key) = match line.kind {
            LineKind::Blank => ("blank", None),
            LineKind::Field(key) => ("field", Some(key.name().to_owned())),
            LineKind::Acap => ("acap", text(line.key)),
            LineKind::Unknown => ("unknown", text(line.key)),
            LineKind::Malformed => ("malformed", text(line.key)),
        };
        let (start, end) = (line.span.start, line.span.end);
        let (value, comment) = (text(line.value), text(line.comment));
        out.json(&Line { line: number, kind, key, value, comment, start, end })
    })
}

/// A group of a policy.
#[derive(Serialize)]
struct Group {
    line: u32,
    role: &'static str,
    agents: Vec<String>,
    purposes: Vec<String>,
    rules: Vec<Rule>,
}

/// A rule of a group.
#[derive(Serialize)]
struct Rule {
    line: u32,
    allow: bool,
    usage: String,
    pattern: String,
    conditions: Vec<String>,
}

/// Prints the groups of a policy.
pub(super) fn policy(policy: &Policy<'_>, out: &mut Out) -> io::Result<()> {
    let agent = |agent: &Agent<'_>| match agent {
        Agent::Any => "*".to_owned(),
        Agent::Named(name) => name.clone().into_owned(),
    };
    policy.groups.iter().try_for_each(|group| {
        let rules = policy.rules[group.rules.clone()].iter().map(|rule| Rule {
            line: rule.line,
            allow: rule.sense == Sense::Permit,
            usage: policy.usage_name(rule.usage).to_owned(),
            pattern: text_of(&rule.pattern),
            conditions: policy.conditions(rule).iter().map(ToString::to_string).collect(),
        });
        out.json(&Group {
            line: group.line,
            role: group.role.name(),
            agents: group.agents.iter().map(agent).collect(),
            purposes: group.purposes.iter().map(|purpose| text_of(purpose)).collect(),
            rules: rules.collect(),
        })
    })
}

/// A program.
#[derive(Serialize)]
pub(super) struct Program<'a> {
    pub(super) program: usize,
    pub(super) bytes: usize,
    /// The text that `dump automaton` prints.
    pub(super) text: &'a str,
}

/// A file of an image.
#[derive(Serialize)]
struct File {
    version: u32,
    profile: &'static str,
    /// The number of the file, from 0.
    shard: u8,
    bytes: usize,
    sections: Vec<Part>,
}

/// A section.
#[derive(Serialize)]
struct Part {
    section: &'static str,
    hot: bool,
    start: usize,
    bytes: usize,
    checksum: String,
}

/// Prints the sections of an image of one file.
pub(super) fn image<D: AsRef<[u8]>>(image: &Image<D>, out: &mut Out) -> io::Result<()> {
    let view = image.view();
    let layout = view.layout();
    let sections = Section::ALL.into_iter().map(|section| {
        let range = layout.range(section);
        Part {
            section: section.name(),
            hot: section.is_hot(),
            start: range.start,
            bytes: range.len(),
            checksum: format!("{:016x}", layout.checksum(section)),
        }
    });
    out.json(&File {
        version: VERSION,
        profile: image.profile().name(),
        shard: layout.shard.0,
        bytes: image.bytes(),
        sections: sections.collect(),
    })
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
