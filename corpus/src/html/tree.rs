//! The open elements of a page, as far as paths need them.
//!
//! Kept by `html` while it streams. Invariants: bounded depth, bounded names; one count of children
//! for each open element. lol_html has its own stack and tells of end tags; this one knows besides
//! which end tags may be left out. It knows no attributes and no text.

use std::fmt::Write;

/// Open elements tracked.
const MAX_DEPTH: usize = 128;

/// Characters of an element's name that are kept for paths.
const MAX_NAME: usize = 32;

/// Elements that leave an open `head` open.
const HEAD_CONTENT: [&str; 12] = [
    "base", "basefont", "bgsound", "link", "meta", "noframes", "noscript", "object", "script", "style",
    "template", "title",
];

/// Elements that end an open `p`.
const ENDS_P: [&str; 46] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "center",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hgroup",
    "hr",
    "li",
    "listing",
    "main",
    "menu",
    "nav",
    "ol",
    "p",
    "plaintext",
    "pre",
    "search",
    "section",
    "summary",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "ul",
];

struct Open {
    serial: u64,
    name: Box<str>,
    position: u32,
    children: u32,
}

/// The open elements, outermost first, without `html`.
#[derive(Default)]
pub(super) struct Tree {
    open: Vec<Open>,
    serial: u64,
    /// Children outside all elements: what a page without `body` is made of.
    children: u32,
    /// Whether the elements met are the inside of a `template`.
    pub(super) in_template: bool,
}

impl Tree {
    /// Takes notice of a start tag: which child it is, 0 where there can be but one; nothing if it
    /// is too deep.
    pub(super) fn start(&mut self, name: &str) -> Option<u32> {
        while self.open.last().is_some_and(|last| ends(name, &last.name)) {
            self.open.pop();
        }
        if matches!(name, "html" | "head" | "body") {
            return Some(0);
        }
        // Whether the last one tracked is its parent, nobody knows.
        if self.open.len() == MAX_DEPTH {
            return None;
        }
        let children = self.open.last_mut().map_or(&mut self.children, |parent| &mut parent.children);
        *children = children.saturating_add(1);
        Some(*children)
    }

    /// Opens an element that [`Tree::start`] placed; its number is for [`Tree::end`].
    pub(super) fn open(&mut self, name: &str, position: u32) -> u64 {
        self.serial += 1;
        // All of a page stands in its `html`, and a second `body` or `head` tag is the first one's.
        let counts = name != "html" && (position > 0 || !self.open.iter().any(|open| *open.name == *name));
        if counts && self.open.len() < MAX_DEPTH {
            let name = shortened(name).into();
            self.open.push(Open { serial: self.serial, name, position, children: 0 });
        }
        self.serial
    }

    /// Closes an element, and with it all that are open inside; of no effect if it is closed
    /// already.
    pub(super) fn end(&mut self, serial: u64) {
        if let Some(at) = self.open.iter().rposition(|open| open.serial == serial) {
            self.open.truncate(at);
        }
    }

    /// The path of an element that [`Tree::start`] has placed and that is not open yet.
    pub(super) fn path(&self, name: &str, position: Option<u32>) -> String {
        if position == Some(0) {
            return name.to_owned();
        }
        let mut path = String::new();
        for open in &self.open {
            step(&mut path, &open.name, open.position);
        }
        match position {
            Some(position) => step(&mut path, shortened(name), position),
            None => {
                path.push_str(">…");
                step(&mut path, shortened(name), 0);
            }
        }
        path
    }
}

fn step(path: &mut String, name: &str, position: u32) {
    if !path.is_empty() {
        path.push('>');
    }
    path.push_str(name);
    if position > 0 {
        // Writing to a string cannot fail.
        let _ = write!(path, ":{position}");
    }
}

/// A name as it stands in paths; no name in use is that long.
pub(super) fn shortened(name: &str) -> &str {
    name.char_indices().nth(MAX_NAME).map_or(name, |(end, _)| &name[..end])
}

/// Whether the start tag `new` ends the open element `last` without an end tag.
fn ends(new: &str, last: &str) -> bool {
    match last {
        "head" => !HEAD_CONTENT.contains(&new) && new != "head" && new != "html",
        "p" => ENDS_P.contains(&new),
        "li" => new == "li",
        "dt" | "dd" => matches!(new, "dt" | "dd"),
        "option" => matches!(new, "option" | "optgroup"),
        "optgroup" => new == "optgroup",
        "td" | "th" => matches!(new, "td" | "th" | "tr" | "tbody" | "thead" | "tfoot"),
        "tr" => matches!(new, "tr" | "tbody" | "thead" | "tfoot"),
        "tbody" | "thead" | "tfoot" => matches!(new, "tbody" | "thead" | "tfoot"),
        _ => false,
    }
}
