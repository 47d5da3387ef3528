//! The tree as text, for `robomaton dump tree` and the golden files.
//!
//! ```text
//! source: 93 bytes, 4 lines, 1 group
//! line 1: Sitemap key="Sitemap" value="https://a.example/s.xml"
//! group 1: lines 2-4, rules from line 3
//!   line 2: User-agent key="user agent" value="*"
//!   line 3: Disallow key="Disallow" value="/b" comment="# why"
//!   line 4: blank
//! ```
//!
//! Invariants: one line of text per line of the source; ASCII only; the same tree gives the same
//! text. Keys and values are shown as they were written. It does not show white space and
//! terminators, which the tree keeps.

use std::fmt::{self, Write};
use std::ops::Range;

use crate::{Group, LineKind, Span, Tree};

/// The tree as text, line by line, groups indented.
pub fn dump(tree: &Tree<'_>) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = write_tree(&mut out, tree);
    out
}

fn write_tree(out: &mut String, tree: &Tree<'_>) -> fmt::Result {
    let [bytes, lines, groups] = [
        count(tree.source.len(), "byte"),
        count(tree.lines.len(), "line"),
        count(tree.groups.len(), "group"),
    ];
    writeln!(out, "source: {bytes}, {lines}, {groups}")?;
    if !tree.bom.is_empty() {
        writeln!(out, "bom: {}", quote(tree, tree.bom))?;
    }
    let mut reached = 0;
    for (index, group) in tree.groups.iter().enumerate() {
        let (start, end) = (group.start as usize, group.end as usize);
        write_lines(out, tree, reached..start, "")?;
        write_group_head(out, tree, index, group)?;
        write_lines(out, tree, start..end, "  ")?;
        reached = end;
    }
    write_lines(out, tree, reached..tree.lines.len(), "")?;
    let rest = tree.source.len() - tree.unread.start as usize;
    if rest > 0 {
        writeln!(out, "unread: {} from byte {}", count(rest, "byte"), tree.unread.start)?;
    }
    Ok(())
}

fn write_group_head(out: &mut String, tree: &Tree<'_>, index: usize, group: &Group) -> fmt::Result {
    let number = |line: u32| tree.line_number(line as usize);
    write!(out, "group {}: lines {}-{}, ", index + 1, number(group.start), number(group.end - 1))?;
    if group.body == group.end {
        writeln!(out, "no rules")
    } else {
        writeln!(out, "rules from line {}", number(group.body))
    }
}

fn write_lines(out: &mut String, tree: &Tree<'_>, indices: Range<usize>, indent: &str) -> fmt::Result {
    for index in indices {
        let line = &tree.lines[index];
        let kind = match line.kind {
            LineKind::Blank => "blank",
            LineKind::Field(key) => key.name(),
            LineKind::Acap => "acap",
            LineKind::Unknown => "unknown",
            LineKind::Malformed => "malformed",
        };
        write!(out, "{indent}line {}: {kind}", tree.line_number(index))?;
        if line.kind != LineKind::Blank {
            write!(out, " key={} value={}", quote(tree, line.key), quote(tree, line.value))?;
        }
        if !line.comment.is_empty() {
            write!(out, " comment={}", quote(tree, line.comment))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn quote(tree: &Tree<'_>, span: Span) -> String {
    format!("\"{}\"", tree.text(span).escape_ascii())
}

fn count(number: usize, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{plural}")
}
