//! The open elements of a page, as far as paths need them.
//!
//! `html` updates it while it streams. Invariants: bounded depth, bounded names; one count of
//! children for each open element. lol_html has its own stack and reports end tags; this one also
//! knows which end tags may be omitted. It knows no attributes and no text.

use std::fmt::Write;

/// The maximum number of tracked open elements.
const MAX_DEPTH: usize = 128;

/// The maximum length of an element's name in paths, in characters.
const MAX_NAME: usize = 32;

/// Elements that do not close an open `head`.
const HEAD_CONTENT: [&str; 12] = [
    "base", "basefont", "bgsound", "link", "meta", "noframes", "noscript", "object", "script", "style",
    "template", "title",
];

/// Elements that close an open `p`.
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

/// Elements whose end tag may be omitted before the end of those around them.
const OMITS_END: [&str; 16] = [
    "dd", "dt", "li", "optgroup", "option", "p", "rb", "rp", "rt", "rtc", "tbody", "td", "tfoot", "th",
    "thead", "tr",
];

/// Elements of SVG and MathML that contain HTML.
const CONTAINS_HTML: [&str; 9] =
    ["annotation-xml", "desc", "foreignobject", "mi", "mn", "mo", "ms", "mtext", "title"];

/// Where the contents of `noscript` elements end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum End {
    /// Outside the elements inside.
    Closed,
    /// Possibly inside an element.
    Element,
    /// Inside a comment, an attribute, a `template` or the text of an element: no tag behind it is
    /// one.
    Text,
}

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
    /// Children outside all elements, as in a page without `body`.
    children: u32,
    /// True if an end tag has closed elements that HTML may keep open, so what follows may stand
    /// inside them.
    is_misnested: bool,
    /// True if SVG or MathML may go on inside HTML that an end tag has closed.
    pub(super) may_be_foreign: bool,
    /// True inside a `template`.
    pub(super) in_template: bool,
    /// The last `noscript`.
    pub(super) noscript: Option<Noscript>,
}

/// A `noscript` whose content is read later.
pub(super) struct Noscript {
    /// The start of its content.
    pub(super) start: usize,
    /// The end of its content, once that is known.
    pub(super) end: Option<usize>,
}

impl Tree {
    /// Records a start tag. Returns its index among its parent's children, 0 if there can only be
    /// one; `None` if it is too deep.
    pub(super) fn start(&mut self, name: &str) -> Option<u32> {
        // Without a document type, a table stands in an open `p`.
        self.is_misnested |= name == "table" && self.open.last().is_some_and(|last| &*last.name == "p");
        while self.open.last().is_some_and(|last| ends(name, &last.name)) {
            self.open.pop();
        }
        if matches!(name, "html" | "head" | "body") {
            return Some(0);
        }
        // The last tracked element may not be its parent.
        if self.open.len() == MAX_DEPTH {
            return None;
        }
        let children = self.open.last_mut().map_or(&mut self.children, |parent| &mut parent.children);
        *children = children.saturating_add(1);
        Some(*children)
    }

    /// True inside an element that is a part of the page, or where that is doubtful.
    pub(super) fn is_in_part(&self) -> bool {
        self.is_misnested || self.open.iter().any(|open| !matches!(&*open.name, "head" | "body"))
    }

    /// Opens an element placed by [`Tree::start`]; returns its number for [`Tree::end`].
    pub(super) fn open(&mut self, name: &str, position: u32) -> u64 {
        self.serial += 1;
        // The whole page is in its `html`, and a second `body` or `head` tag belongs to the first.
        let counts = name != "html" && (position > 0 || !self.open.iter().any(|open| *open.name == *name));
        if counts && self.open.len() < MAX_DEPTH {
            let name = shortened(name).into();
            self.open.push(Open { serial: self.serial, name, position, children: 0 });
        }
        self.serial
    }

    /// Closes an element and all open elements inside it by the end tag of one of them, or of one
    /// around them; has no effect if it is already closed.
    pub(super) fn end(&mut self, serial: u64, tag: &str) {
        let Some(at) = self.open.iter().rposition(|open| open.serial == serial) else { return };
        // HTML ignores the end tags of `body` and inline elements, or moves elements, if others are
        // open inside.
        let is_block = ENDS_P.contains(&tag);
        let is_alone = self.open.len() == at + 1 && *self.open[at].name == *shortened(tag);
        let contains_html = |name: &str| CONTAINS_HTML.contains(&name);
        self.may_be_foreign |=
            !is_alone && (contains_html(tag) || self.open[at..].iter().any(|open| contains_html(&open.name)));
        let mut closed = self.open.drain(at..).enumerate();
        self.is_misnested |= !closed.all(|(number, open)| {
            number == 0 && *open.name == *shortened(tag) || is_block && OMITS_END.contains(&&*open.name)
        });
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

/// A name as shown in paths; no real name is longer.
pub(super) fn shortened(name: &str) -> &str {
    name.char_indices().nth(MAX_NAME).map_or(name, |(end, _)| &name[..end])
}

/// True if the start tag `new` closes the open element `last` without an end tag.
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
