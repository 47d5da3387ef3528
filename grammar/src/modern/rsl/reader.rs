//! The walk through an RSL document.
//!
//! `quick-xml` gives events; the elements that are open decide what an event means. Invariants: the
//! stack of open elements is as deep as [`DEPTH_LIMIT`] at most; every event takes time in its own
//! length. This file knows which element may stand where, but no terms.

use quick_xml::NsReader;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::name::{Namespace, ResolveResult};

use super::attributes::{attributes, tag_mistake, values, xml_mistake};
use super::wellformed::{check_declaration, check_instruction, check_tag, check_text, malformed};
use super::{
    ATTRIBUTE_LIMIT, Amount, CONTENT_LIMIT, Content, DEFAULT_MAX_AGE_DAYS, DEPTH_LIMIT, LICENCE_LIMIT,
    Licence, NAMESPACE, Payment, Reporting, RslDocument, TERM_LIMIT, Terms, over_limit,
};
use crate::modern::{Mistake, MistakeCode};

const USAGES: [&str; 6] = ["all", "ai-all", "ai-train", "ai-input", "ai-index", "search"];
const PAYMENTS: [&str; 8] =
    ["purchase", "subscription", "training", "crawl", "use", "contribution", "attribution", "free"];
const REPORTS: [&str; 3] = ["telemetry", "provenance", "audit"];

/// The elements that state terms, or hold some that do.
const TERMS: [&str; 9] =
    ["content", "license", "permits", "prohibits", "payment", "standard", "custom", "amount", "reporting"];

/// The elements that state no terms, in a content or a licence.
const OPAQUE: [&str; 5] = ["legal", "schema", "copyright", "terms", "alternate"];

/// An open element.
#[derive(Clone, Copy)]
enum Element {
    Rsl,
    Content,
    Licence,
    Permits(TermType),
    Prohibits(TermType),
    Payment,
    Standard,
    Custom,
    Amount,
    Reporting,
    /// An element that is ignored with its contents.
    Ignored,
}

/// The type of a list of tokens.
#[derive(Clone, Copy)]
enum TermType {
    Usage,
    User,
    Geo,
}

/// Reads a document.
pub(super) fn read(xml: &str) -> Result<RslDocument, Mistake> {
    check_text(xml)?;
    let mut reader = NsReader::from_str(xml);
    reader.config_mut().expand_empty_elements = true;
    reader.config_mut().check_comments = true;
    reader.resolver_mut().set_max_namespace_bindings(ATTRIBUTE_LIMIT);
    let mut walk = Walk::default();
    let (mut line, mut counted) = (1, 0);
    loop {
        let position = usize::try_from(reader.buffer_position()).unwrap_or(xml.len());
        let event = reader.read_event().map_err(xml_mistake)?;
        match event {
            Event::Start(tag) => {
                check_tag(&reader, &tag)?;
                let newlines = xml.as_bytes().get(counted..position).unwrap_or_default();
                line += memchr::memchr_iter(b'\n', newlines).count();
                counted = position;
                let line = u32::try_from(line).unwrap_or(u32::MAX);
                let element = walk.element(&reader, &tag, line)?;
                walk.open(element)?;
            }
            Event::End(_) => walk.close()?,
            Event::Text(text) if text.contains("]]>") => return Err(malformed("]]> in text")),
            Event::Text(text) => walk.text(&text.xml10_content())?,
            Event::CData(_) | Event::GeneralRef(_) if walk.open.is_empty() => {
                return Err(malformed("text outside the root"));
            }
            Event::CData(text) => walk.text(&text.xml10_content())?,
            Event::GeneralRef(reference) => walk.reference(&reference)?,
            Event::Decl(declaration) => check_declaration(&declaration, position, xml)?,
            Event::DocType(_) => {
                return Err(Mistake::new(MistakeCode::DocumentType, "a document type declaration"));
            }
            Event::Eof => return walk.finish(),
            Event::PI(instruction) => check_instruction(&instruction)?,
            Event::Empty(_) | Event::Comment(_) => {}
        }
    }
}

/// What has been read so far.
#[derive(Default)]
struct Walk {
    open: Vec<Element>,
    /// The text of the innermost element, if that one contains text.
    text: String,
    /// The currency of the open `amount`.
    currency: String,
    is_root_read: bool,
    contents: Vec<Content>,
    max_age_days: Option<u32>,
    licence_count: usize,
    term_count: usize,
    mistakes: Vec<Mistake>,
}

impl Walk {
    /// Interprets a start tag by the element around it.
    fn element(
        &mut self,
        reader: &NsReader<&[u8]>,
        tag: &BytesStart<'_>,
        line: u32,
    ) -> Result<Element, Mistake> {
        let name = tag.name();
        let (namespace, local) = reader.resolver().resolve_element(name);
        let is_rsl = namespace == ResolveResult::Bound(Namespace(NAMESPACE));
        let around = self.open.last().copied();
        if let Some(Element::Ignored) = around {
            return Ok(Element::Ignored);
        }
        let Some(around) = around else { return self.root(reader, tag, is_rsl) };
        // The prefix was forgotten. It may prohibit.
        if namespace == ResolveResult::Unbound && TERMS.contains(&local.as_ref()) {
            return Err(tag_mistake(MistakeCode::WrongNamespace, tag));
        }
        if !is_rsl {
            return Ok(Element::Ignored);
        }
        let get = |allowed: &[&str]| attributes(reader, tag, allowed);
        match (around, local.into_inner()) {
            (Element::Rsl, "content") => {
                let [url, server, encrypted, _] = values(get(&["url", "server", "encrypted", "lastmod"])?);
                let url =
                    url.ok_or_else(|| Mistake::new(MistakeCode::MissingAttribute, "<content> without url"))?;
                self.content(url, server, encrypted.as_deref(), line)?;
                Ok(Element::Content)
            }
            (Element::Content, "license") => {
                get(&[])?;
                self.licence_count += 1;
                if self.licence_count > LICENCE_LIMIT {
                    return Err(over_limit(LICENCE_LIMIT, "licences"));
                }
                if let Some(content) = self.contents.last_mut() {
                    content.licences.push(Licence::default());
                }
                Ok(Element::Licence)
            }
            (Element::Licence, "permits") => {
                let kind = term_type(tag, get(&["type"])?)?;
                let is_repeated =
                    self.licence().is_some_and(|licence| list(&mut licence.permits, kind).is_some());
                if is_repeated {
                    return Err(tag_mistake(MistakeCode::RepeatedElement, tag));
                }
                Ok(Element::Permits(kind))
            }
            (Element::Licence, "prohibits") => Ok(Element::Prohibits(term_type(tag, get(&["type"])?)?)),
            (Element::Licence, "payment") => {
                let [kind] = values(get(&["type"])?);
                if kind.as_deref().is_some_and(|kind| !PAYMENTS.contains(&kind)) {
                    self.mistakes.push(tag_mistake(MistakeCode::InvalidAttribute, tag));
                }
                self.count_terms(1)?;
                let payment = Payment { kind, ..Payment::default() };
                match self.licence().map(|licence| licence.payment.replace(payment)) {
                    Some(Some(_)) => Err(tag_mistake(MistakeCode::RepeatedElement, tag)),
                    _ => Ok(Element::Payment),
                }
            }
            (Element::Licence, "reporting") => {
                let [kind, profile, endpoint] = values(get(&["type", "profile", "endpoint"])?);
                let kind = kind.ok_or_else(|| tag_mistake(MistakeCode::MissingAttribute, tag))?;
                if !REPORTS.contains(&kind.as_str()) {
                    self.mistakes.push(tag_mistake(MistakeCode::InvalidAttribute, tag));
                }
                self.count_terms(1)?;
                if let Some(licence) = self.licence() {
                    licence.reporting.push(Reporting { kind, profile, endpoint });
                }
                Ok(Element::Reporting)
            }
            (Element::Payment, "standard") => get(&[]).map(|_| Element::Standard),
            (Element::Payment, "custom") => get(&[]).map(|_| Element::Custom),
            (Element::Payment, "amount") => {
                let [currency] = values(get(&["currency"])?);
                self.currency = currency.ok_or_else(|| tag_mistake(MistakeCode::MissingAttribute, tag))?;
                let has_amount = self.payment().is_some_and(|payment| payment.amount.is_some());
                if has_amount {
                    Err(tag_mistake(MistakeCode::RepeatedElement, tag))
                } else {
                    Ok(Element::Amount)
                }
            }
            (Element::Payment, "accepts") => Ok(Element::Ignored),
            (Element::Content | Element::Licence, name) if OPAQUE.contains(&name) => Ok(Element::Ignored),
            _ => Err(tag_mistake(MistakeCode::UnknownElement, tag)),
        }
    }

    fn root(
        &mut self,
        reader: &NsReader<&[u8]>,
        tag: &BytesStart<'_>,
        is_rsl: bool,
    ) -> Result<Element, Mistake> {
        if std::mem::replace(&mut self.is_root_read, true) {
            return Err(tag_mistake(MistakeCode::MalformedXml, tag));
        }
        if !is_rsl {
            return Err(tag_mistake(MistakeCode::WrongNamespace, tag));
        }
        if tag.local_name().into_inner() != "rsl" {
            return Err(tag_mistake(MistakeCode::UnknownElement, tag));
        }
        let [max_age] = values(attributes(reader, tag, &["max-age"])?);
        if let Some(max_age) = max_age {
            let days = days(max_age.trim());
            if days == 0 {
                self.mistakes.push(tag_mistake(MistakeCode::InvalidAttribute, tag));
            }
            self.max_age_days = Some(days);
        }
        Ok(Element::Rsl)
    }

    fn content(
        &mut self,
        url: String,
        server: Option<String>,
        encrypted: Option<&str>,
        line: u32,
    ) -> Result<(), Mistake> {
        if self.contents.len() == CONTENT_LIMIT {
            return Err(over_limit(CONTENT_LIMIT, "contents"));
        }
        let is_encrypted = matches!(encrypted.map(str::trim), Some("true" | "1"));
        if !is_encrypted && !matches!(encrypted.map(str::trim), None | Some("false" | "0")) {
            let text = format!("encrypted=\"{}\"", encrypted.unwrap_or_default());
            self.mistakes.push(Mistake::new(MistakeCode::InvalidAttribute, text));
        }
        let url = url.trim().to_owned();
        self.contents.push(Content { url, server, is_encrypted, licences: Vec::new(), line });
        Ok(())
    }

    fn licence(&mut self) -> Option<&mut Licence> {
        self.contents.last_mut()?.licences.last_mut()
    }

    fn payment(&mut self) -> Option<&mut Payment> {
        self.licence()?.payment.as_mut()
    }

    fn count_terms(&mut self, count: usize) -> Result<(), Mistake> {
        self.term_count += count;
        if self.term_count > TERM_LIMIT { Err(over_limit(TERM_LIMIT, "terms")) } else { Ok(()) }
    }

    fn open(&mut self, element: Element) -> Result<(), Mistake> {
        if self.open.len() == DEPTH_LIMIT {
            return Err(over_limit(DEPTH_LIMIT, "open elements"));
        }
        if !matches!(element, Element::Ignored) {
            self.text.clear();
        }
        self.open.push(element);
        Ok(())
    }

    fn text(&mut self, text: &str) -> Result<(), Mistake> {
        let is_blank = text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
        match self.open.last() {
            Some(Element::Ignored) => {}
            Some(
                Element::Permits(_)
                | Element::Prohibits(_)
                | Element::Standard
                | Element::Custom
                | Element::Amount,
            ) => self.text.push_str(text),
            Some(_) if !is_blank => return Err(Mistake::new(MistakeCode::UnexpectedText, text.trim())),
            None if !is_blank => return Err(Mistake::new(MistakeCode::MalformedXml, text.trim())),
            _ => {}
        }
        Ok(())
    }

    /// A reference in text: the number of a character, or one of the five entities of XML.
    fn reference(&mut self, reference: &BytesRef<'_>) -> Result<(), Mistake> {
        if let Some(character) = reference.resolve_char_ref().map_err(xml_mistake)? {
            let text = String::from(character);
            check_text(&text)?;
            return self.text(&text);
        }
        match resolve_xml_entity(reference) {
            Some(text) => self.text(text),
            None => Err(Mistake::new(MistakeCode::MalformedXml, format!("&{};", &**reference))),
        }
    }

    fn close(&mut self) -> Result<(), Mistake> {
        match self.open.pop() {
            Some(Element::Content) => {
                if let Some(content) = self.contents.last()
                    && content.licences.is_empty()
                {
                    let text = format!("no <license> in the content of line {}", content.line);
                    return Err(Mistake::new(MistakeCode::MissingElement, text));
                }
            }
            Some(Element::Permits(kind)) => {
                let tokens = self.tokens()?;
                let has_commas = self.text.contains(',');
                // Nobody and nowhere is no place for a licence.
                let is_empty = tokens.is_empty() && !matches!(kind, TermType::Usage);
                if let Some(licence) = self.licence() {
                    licence.has_unreadable_terms |= has_commas || is_empty;
                    *list(&mut licence.permits, kind) = Some(if has_commas { Vec::new() } else { tokens });
                }
            }
            Some(Element::Prohibits(kind)) => {
                let tokens = self.tokens()?;
                let is_usage = |token: &String| USAGES.contains(&token.as_str()) || token.contains(':');
                let is_unreadable = matches!(kind, TermType::Usage) && !tokens.iter().all(is_usage);
                if let Some(licence) = self.licence() {
                    licence.has_unreadable_terms |= is_unreadable;
                    list(&mut licence.prohibits, kind).get_or_insert_default().extend(tokens);
                }
            }
            Some(Element::Standard) => {
                let text = self.term()?;
                self.payment().into_iter().for_each(|payment| payment.standard.push(text.clone()));
            }
            Some(Element::Custom) => {
                let text = self.term()?;
                self.payment().into_iter().for_each(|payment| payment.custom.push(text.clone()));
            }
            Some(Element::Amount) => {
                let amount = Amount { value: self.term()?, currency: std::mem::take(&mut self.currency) };
                if let Some(payment) = self.payment() {
                    payment.amount = Some(amount);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The text of the element that ends, as one term.
    fn term(&mut self) -> Result<String, Mistake> {
        self.count_terms(1)?;
        Ok(self.text.trim().to_owned())
    }

    /// The tokens of the list that ends. Commas separate them in version 0.9.
    fn tokens(&mut self) -> Result<Vec<String>, Mistake> {
        if self.text.contains(',') {
            self.mistakes.push(Mistake::new(MistakeCode::CommaList, self.text.trim()));
        }
        let tokens = self.text.split([' ', '\t', '\r', '\n', ',']).filter(|token| !token.is_empty());
        // One more than the limit is enough to see that there are too many.
        let tokens: Vec<String> = tokens.take(TERM_LIMIT + 1).map(str::to_owned).collect();
        self.count_terms(1 + tokens.len())?;
        Ok(tokens)
    }

    fn finish(self) -> Result<RslDocument, Mistake> {
        if !self.is_root_read || !self.open.is_empty() {
            return Err(Mistake::new(MistakeCode::MalformedXml, "the document ends too early"));
        }
        if self.contents.is_empty() {
            return Err(Mistake::new(MistakeCode::MissingElement, "no <content> in <rsl>"));
        }
        let max_age_days = self.max_age_days.unwrap_or(DEFAULT_MAX_AGE_DAYS);
        Ok(RslDocument { contents: self.contents, max_age_days, mistakes: self.mistakes })
    }
}

/// A positive number of days, or 0 if the text is none.
fn days(text: &str) -> u32 {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return 0;
    }
    text.parse().unwrap_or(u32::MAX)
}

fn list(terms: &mut Terms, kind: TermType) -> &mut Option<Vec<String>> {
    match kind {
        TermType::Usage => &mut terms.usage,
        TermType::User => &mut terms.user,
        TermType::Geo => &mut terms.geo,
    }
}

fn term_type(tag: &BytesStart<'_>, attributes: Vec<(usize, String)>) -> Result<TermType, Mistake> {
    let [kind] = values(attributes);
    match kind.as_deref() {
        Some("usage") => Ok(TermType::Usage),
        Some("user") => Ok(TermType::User),
        Some("geo") => Ok(TermType::Geo),
        Some(_) => Err(tag_mistake(MistakeCode::InvalidAttribute, tag)),
        None => Err(tag_mistake(MistakeCode::MissingAttribute, tag)),
    }
}
