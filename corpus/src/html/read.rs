//! The reader of pages: one pass of lol_html's tokenizer and open element stack; no tree is built.
//!
//! A page without any `acap` is only read for its META elements, which is several times faster.
//!
//! Invariants: no bytes make it fail or panic; its results and its memory are bounded, and time is
//! linear. Anything that could not be kept sets [`Page::cut`]. Elements are reported in the order
//! of the page.
//!
//! Text is defined as in HTML with scripts enabled: comments and the contents of `script`, `style`,
//! `title`, `textarea`, `iframe` and similar elements have no elements inside; `template` is
//! skipped. A crawler may run scripts or not, so what `noscript` contains counts as well, and no
//! prohibition is lost (decision 40): such text is read by itself after the page.
//!
//! It does not know the syntax of a permission, nor which META element wins.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use encoding_rs::{Encoding, UTF_8};
use lol_html::errors::RewritingError;
use lol_html::html_content::{Comment, Doctype, Element as Tag, EndTag};
use lol_html::{
    AsciiCompatibleEncoding, HtmlRewriter, MemorySettings, Settings, doc_comments, doctype, element,
};
use memchr::memmem;

use super::place::Cursor;
use super::tree::{End, Noscript, Tree};
use super::{Element, MetaTag, Page, robots, tree, xml};
use crate::{Looks, sniff};

/// The maximum number of META elements of one page.
const MAX_METAS: usize = 1024;

/// The maximum number of class tokens of one page.
const MAX_ELEMENTS: usize = 2048;

/// The maximum size in bytes of a META name, META content, class token or id: a truncated
/// permission is none.
pub(super) const MAX_VALUE: usize = 4096;

/// The bytes of a body by which a page is known.
const BEGINNING: usize = 4096;

/// Bytes that lol_html may account for: mainly open elements, some 260,000 of them. The data of
/// this reader about them can add twice as much.
const MAX_PARSER_MEMORY: usize = 32 << 20;

/// Reads one page. `content_type` gives the character set, and whether the page is XML.
///
/// A byte order mark takes precedence over the character set; without either, the page is UTF-8.
/// Columns of pages in UTF-16 or ISO-2022-JP are those of the page in UTF-8.
pub fn read_page(html: &[u8], content_type: Option<&str>) -> Page {
    let (encoding, text) = decoded(html, content_type);
    let xml = match content_type.and_then(|kind| kind.split(';').next()) {
        Some(kind) => kind.to_ascii_lowercase().contains("xml"),
        None => text.starts_with(b"<?xml"),
    };
    // A tokenizer finds no tags in UTF-16 without a mark, in an image or in an archive.
    let is_binary = sniff(&text, None) == Looks::Binary;
    let has_nosnippet = may_be_silent(&text);
    let has_foreign = !xml && has_tag(&text, &["svg", "math"]);
    let tags = match () {
        () if xml || has_nosnippet || has_license(&text) || may_bear_tokens(&text) => "*",
        () if has_foreign => "*",
        () => FEW,
    };
    let new = || Reader { has_foreign, ..Reader::new(&text, encoding, xml) };
    let mut reader = new();
    read_part(&mut reader, tags, 0..text.len());
    reader.take_noscript(text.len());
    reader.page.cut |= is_binary;
    let noscripts = std::mem::take(&mut reader.noscripts);
    if !noscripts.is_empty() {
        reader = Reader { page: reader.page, in_noscript: true, ..new() };
        for content in noscripts {
            let end = content.end;
            read_part(&mut reader, "*", content);
            reader.take_noscript(end);
        }
        // Those inside are not read.
        reader.page.cut |= !reader.noscripts.is_empty();
        reader.page.metas.sort_by_key(|tag| (tag.line, tag.column));
        reader.page.elements.sort_by_key(|element| (element.line, element.column));
    }
    reader.page
}

/// True if a body is a page: HTML or XHTML, by its media type or its first bytes.
pub(crate) fn is_page(body: &[u8], content_type: Option<&str>) -> bool {
    let is_html = content_type.is_some_and(|kind| kind.to_ascii_lowercase().contains("html"));
    is_html
        || sniff(&decoded(&body[..body.len().min(BEGINNING)], content_type).1, content_type) == Looks::Html
}

/// Reads a part of the page; parts ascend.
pub(super) fn read_part(reader: &mut Reader<'_>, tags: &str, part: Range<usize>) {
    reader.start_part(part.start);
    let end = part.end;
    let (text, encoding) = (&reader.text[part], reader.encoding);
    let owner = reader;
    let reader = RefCell::new(owner);
    let settings = Settings::new()
        .append_element_content_handler(element!(tags, |tag: &mut Tag<'_, '_>| {
            reader.borrow_mut().start_tag(tag);
            Ok(())
        }))
        .append_document_content_handler(doc_comments!(|comment: &mut Comment<'_>| {
            reader.borrow_mut().comment(comment);
            Ok(())
        }))
        .append_document_content_handler(doctype!(|doctype: &mut Doctype<'_>| {
            reader.borrow_mut().doctype(doctype);
            Ok(())
        }))
        .with_encoding(encoding)
        .with_memory_settings(MemorySettings::new().with_max_allowed_memory_usage(MAX_PARSER_MEMORY))
        // With odd nesting, a guess is better than losing the rest of the page.
        .with_strict(false);
    let read = feed(HtmlRewriter::new(settings, |_: &[u8]| ()), &reader, text);
    let reader = reader.into_inner();
    reader.page.cut |= read.is_err() || reader.has_foreign && reader.tree.borrow().may_be_foreign;
    reader.sections(end);
}

/// The elements that are read in pages in which others, and where these stand, say nothing.
const FEW: &str = "meta, base, template, noscript";

/// True if a text may have the name of the media type of RSL documents, in which there may be a
/// reference for the `+`.
pub(super) fn has_license(text: &[u8]) -> bool {
    let is_license = |at: usize| at >= 3 && text[at - 3..at].eq_ignore_ascii_case(b"rsl");
    memchr::memchr2_iter(b'+', b'&', text).any(is_license)
}

/// The attribute of elements that are not to be quoted.
const NO_SNIPPET: &str = "data-nosnippet";

/// True if an element may have this attribute, in any case.
pub(super) fn may_be_silent(text: &[u8]) -> bool {
    let is_name = |dash: usize| {
        let start = dash.checked_sub("data".len());
        let name = start.and_then(|start| text.get(start..start + NO_SNIPPET.len()));
        name.is_some_and(|name| name.eq_ignore_ascii_case(NO_SNIPPET.as_bytes()))
    };
    // The dash is rarer than the letters, and has no case.
    memchr::memchr_iter(b'-', text).any(is_name)
}

/// The character set of a page, and the page in it; a page whose character set is no superset of
/// ASCII is converted to UTF-8.
fn decoded<'h>(html: &'h [u8], content_type: Option<&str>) -> (AsciiCompatibleEncoding, Cow<'h, [u8]>) {
    let (encoding, html) = match Encoding::for_bom(html) {
        Some((encoding, length)) => (encoding, &html[length..]),
        None => (content_type.and_then(charset).unwrap_or(UTF_8), html),
    };
    match AsciiCompatibleEncoding::new(encoding) {
        Some(encoding) => (encoding, Cow::Borrowed(html)),
        None => {
            let (text, _) = encoding.decode_without_bom_handling(html);
            (AsciiCompatibleEncoding::utf_8(), Cow::Owned(text.into_owned().into_bytes()))
        }
    }
}

/// The character set of a media type, if it is known.
fn charset(content_type: &str) -> Option<&'static Encoding> {
    let mut parameters = content_type.split(';').skip(1).filter_map(|parameter| parameter.split_once('='));
    let (_, label) = parameters.find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))?;
    Encoding::for_label_no_replacement(label.trim().trim_matches(['"', '\'']).as_bytes())
}

/// True if a tag of the page may begin with one of these names.
pub(super) fn has_tag(text: &[u8], names: &[&str]) -> bool {
    let is = |at: usize, name: &str| {
        text.get(at + 1..=at + name.len()).is_some_and(|tag| tag.eq_ignore_ascii_case(name.as_bytes()))
    };
    memchr::memchr_iter(b'<', text).any(|at| names.iter().any(|name| is(at, name)))
}

/// True if any class of the page can have an ACAP token: its letters occur, or numeric references
/// that may stand for them.
pub(super) fn may_bear_tokens(text: &[u8]) -> bool {
    // There is no named reference for an ASCII letter.
    memmem::find(text, b"&#").is_some()
        || memchr::memchr2_iter(b'p', b'P', text)
            .any(|last| last >= 3 && text[last - 3..last].eq_ignore_ascii_case(b"aca"))
}

/// Passes the page to lol_html in one write, so that at most an incomplete last token is copied.
///
/// In XML `<script/>` is an empty element, in HTML a script begins there. In HTML `<svg/>` is an
/// empty element, for lol_html SVG begins there. So after each possible end of such a tag, an end
/// tag is inserted if it was one.
fn feed(
    mut rewriter: HtmlRewriter<'_, impl FnMut(&[u8])>,
    reader: &RefCell<&mut Reader<'_>>,
    text: &[u8],
) -> Result<(), RewritingError> {
    let mut from = 0;
    let may_insert = reader.borrow().xml || reader.borrow().has_foreign;
    if may_insert {
        for found in memmem::find_iter(text, b"/>") {
            rewriter.write(&text[from..found + 2])?;
            from = found + 2;
            let end_tag = reader.borrow_mut().end_tag.take();
            if let Some(end_tag) = end_tag {
                reader.borrow_mut().inserted += end_tag.len();
                rewriter.write(end_tag.as_bytes())?;
            }
        }
    }
    rewriter.write(&text[from..])?;
    rewriter.end()
}

/// The results so far, and the state.
pub(super) struct Reader<'t> {
    pub(super) page: Page,
    pub(super) text: &'t [u8],
    pub(super) encoding: AsciiCompatibleEncoding,
    cursor: Cursor<'t>,
    /// True for a page of HTML that has SVG or MathML.
    pub(super) has_foreign: bool,
    /// The end of the last start tag, if it was one of SVG or MathML.
    pub(super) foreign_end: Option<usize>,
    /// Shared with the handlers of end tags, which cannot borrow.
    pub(super) tree: Rc<RefCell<Tree>>,
    pub(super) xml: bool,
    /// The end tag to insert after the current start tag.
    end_tag: Option<String>,
    /// Bytes inserted so far, by which lol_html's offsets are too large.
    inserted: usize,
    /// The end of the last RSL document in a script, also of one that was not kept.
    pub(super) script_end: usize,
    /// The start of the part that is read.
    part: usize,
    /// The contents of `noscript` elements that may speak, in page order.
    pub(super) noscripts: Vec<Range<usize>>,
    /// The contents of `noscript` elements whose end was not examined yet.
    pub(super) unexamined: Vec<Range<usize>>,
    /// The end of those that were.
    pub(super) noscript_end: End,
    /// True if such a content is read.
    pub(super) in_noscript: bool,
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t [u8], encoding: AsciiCompatibleEncoding, xml: bool) -> Reader<'t> {
        Reader {
            page: Page::default(),
            text,
            encoding,
            cursor: Cursor::new(text),
            has_foreign: false,
            foreign_end: None,
            tree: Rc::default(),
            xml,
            end_tag: None,
            inserted: 0,
            script_end: 0,
            part: 0,
            noscripts: Vec::new(),
            unexamined: Vec::new(),
            noscript_end: End::Closed,
            in_noscript: false,
        }
    }

    fn start_part(&mut self, start: usize) {
        (self.part, self.inserted, self.end_tag, self.tree) = (start, 0, None, Rc::default());
        self.foreign_end = None;
    }

    /// The offset in the page of one in the text that lol_html was given.
    pub(super) fn offset(&self, given: usize) -> usize {
        (self.part + given).saturating_sub(self.inserted)
    }

    fn start_tag(&mut self, tag: &mut Tag<'_, '_>) {
        let name = tag.tag_name();
        let has_content = tag.can_have_content();
        let is_closed = if self.xml { has_content } else { matches!(name.as_str(), "svg" | "math") };
        if is_closed && tag.is_self_closing() {
            self.end_tag = Some(format!("</{name}>"));
        }
        let at = self.offset(tag.source_location().bytes().start);
        // A tag inside an open `noscript` shows that it is no text here, as in SVG.
        self.tree.borrow_mut().noscript.take_if(|noscript| noscript.end.is_none());
        self.take_noscript(at);
        self.page.cut |= self.xml && xml::is_odd(tag);
        if self.has_foreign {
            self.foreign(tag, &name, at);
        }
        if self.tree.borrow().in_template {
            return;
        }
        let position = self.tree.borrow_mut().start(&name);
        match name.as_str() {
            "meta" => self.meta(tag, at),
            // Without scripts, the links of the whole page are others.
            "base" if self.in_noscript => self.page.cut |= attribute(tag, "href").is_some(),
            "base" if is_html(tag) => self.base(tag),
            "link" => self.link(tag),
            "script" if has_content => self.script(tag),
            _ => {}
        }
        self.tokens(tag, &name, at, position);
        if let (Some(position), true) = (position, has_content) {
            let serial = self.tree.borrow_mut().open(&name, position);
            self.on_end(tag, move |tree, end| tree.end(serial, &end.name()));
        }
        if name == "noscript" && has_content {
            let shift = self.inserted;
            let start = self.offset(tag.source_location().bytes().end);
            self.tree.borrow_mut().noscript = Some(Noscript { start, end: None });
            self.on_end(tag, move |tree, end| {
                if let Some(noscript) = &mut tree.noscript {
                    let start = end.source_location().bytes().start;
                    noscript.end = Some(start.saturating_sub(shift));
                }
            });
        }
        if name == "template" && has_content && is_html(tag) {
            self.tree.borrow_mut().in_template = true;
            self.on_end(tag, |tree, _| tree.in_template = false);
        }
    }

    /// Calls `act` on the tree and the end tag by which lol_html finds the element closed.
    fn on_end(&self, tag: &mut Tag<'_, '_>, act: impl FnOnce(&mut Tree, &EndTag<'_>) + 'static) {
        let tree = Rc::clone(&self.tree);
        if let Some(handlers) = tag.end_tag_handlers() {
            handlers.push(Box::new(move |end: &mut EndTag<'_>| {
                act(&mut tree.borrow_mut(), end);
                Ok(())
            }));
        }
    }

    /// The base of all links of the page, also of those before it: the first one that has an
    /// address.
    fn base(&mut self, tag: &Tag<'_, '_>) {
        let Some(base) = attribute(tag, "href").filter(|_| self.page.base.is_none()) else { return };
        self.page.cut |= base.len() > MAX_VALUE;
        self.page.base = Some(base).filter(|base| base.len() <= MAX_VALUE);
    }

    fn meta(&mut self, tag: &Tag<'_, '_>, at: usize) {
        let (Some(name), Some(content)) = (attribute(tag, "name"), attribute(tag, "content")) else { return };
        let name = name.trim();
        if name.is_empty() || !robots::speaks(name, &content) {
            return;
        }
        if self.page.metas.len() == MAX_METAS || name.len().max(content.len()) > MAX_VALUE {
            self.page.cut = true;
            return;
        }
        let (line, column) = self.cursor.place(at);
        let (name, in_noscript) = (name.to_owned(), self.in_noscript || self.end_of_noscripts() == End::Text);
        self.page.metas.push(MetaTag { name, content, line, column, in_noscript });
    }

    fn tokens(&mut self, tag: &Tag<'_, '_>, name: &str, at: usize, position: Option<u32>) {
        let class = attribute(tag, "class").unwrap_or_default();
        let tokens = class.split_ascii_whitespace().filter(|token| is_acap(token));
        let is_silent = matches!(name, "span" | "div" | "section") && tag.has_attribute(NO_SNIPPET);
        for token in tokens.chain(is_silent.then_some(NO_SNIPPET)) {
            if self.page.elements.len() == MAX_ELEMENTS || token.len() > MAX_VALUE {
                self.page.cut = true;
                continue;
            }
            let id = attribute(tag, "id");
            self.page.cut |= position.is_none() || id.as_ref().is_some_and(|id| id.len() > MAX_VALUE);
            let (line, column) = self.cursor.place(at);
            let path = self.tree.borrow().path(name, position);
            self.page.elements.push(Element {
                tag: tree::shortened(name).to_owned(),
                id: id.filter(|id| id.len() <= MAX_VALUE),
                token: token.to_owned(),
                line,
                column,
                path: if self.in_noscript { format!("noscript>{path}") } else { path },
            });
        }
    }

    /// In XML, a comment, CDATA section or processing instruction may go on behind the end that
    /// HTML sees, and hide what follows.
    fn comment(&mut self, comment: &Comment<'_>) {
        if self.xml {
            let Range { start, end } = comment.source_location().bytes();
            let text = self.text.get(self.offset(start)..self.offset(end));
            self.page.cut |= !text.is_some_and(xml::is_whole);
        }
    }

    /// A document type may declare entities, which are not expanded.
    fn doctype(&mut self, doctype: &Doctype<'_>) {
        let Range { start, end } = doctype.source_location().bytes();
        let text = self.text.get(self.offset(start)..self.offset(end)).unwrap_or_default();
        self.page.cut |= self.xml && text.contains(&b'[');
    }
}

/// True for an element of HTML, and none of SVG or MathML with such a name.
pub(super) fn is_html(tag: &Tag<'_, '_>) -> bool {
    tag.namespace_uri() == xml::XHTML
}

/// The first attribute of a name, with character references decoded.
pub(super) fn attribute(tag: &Tag<'_, '_>, name: &str) -> Option<String> {
    Some(htmlize::unescape_attribute(tag.get_attribute(name)?).into_owned())
}

/// True for an ACAP class token; its grammar is ABNF, so case does not matter.
fn is_acap(token: &str) -> bool {
    ["the-acap:", "acap:"]
        .iter()
        .any(|prefix| token.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix)))
}
