//! Whether an RSL document is well-formed XML, as far as `quick-xml` does not ask.
//!
//! `reader` calls it for the whole text, the declaration and every tag, also in elements that are
//! ignored: another reader may find an element of RSL where this one sees none. Invariant: linear
//! time, since attributes are read up to [`ATTRIBUTE_LIMIT`]. It is no full check of XML, and does
//! not know RSL.

use quick_xml::events::{BytesDecl, BytesPI, BytesStart};
use quick_xml::name::{PrefixDeclaration, ResolveResult};
use quick_xml::{NsReader, XmlVersion};

use super::attributes::{tag_mistake, xml_mistake};
use super::{ATTRIBUTE_LIMIT, over_limit};
use crate::modern::{Mistake, MistakeCode};

pub(super) fn malformed(text: &str) -> Mistake {
    Mistake::new(MistakeCode::MalformedXml, text)
}

/// Looks for characters that no XML document contains.
pub(super) fn check_text(xml: &str) -> Result<(), Mistake> {
    if xml.chars().all(is_char) { Ok(()) } else { Err(malformed("a character that XML does not have")) }
}

/// Checks an XML declaration, which must stand at the very beginning of the document `xml`.
pub(super) fn check_declaration(declaration: &BytesDecl<'_>, at: usize, xml: &str) -> Result<(), Mistake> {
    let version = declaration.version().map_err(xml_mistake)?;
    let encoding = declaration.encoding().transpose().map_err(|error| malformed(&error.to_string()))?;
    let encoding = encoding.map_or_else(|| "utf-8".to_owned(), |name| name.to_ascii_lowercase());
    let is_ascii_superset =
        ["us-ascii", "iso-8859-", "windows-"].iter().any(|prefix| encoding.starts_with(prefix));
    // The text is read as UTF-8, whatever it says.
    let is_readable = encoding == "utf-8" || xml.is_ascii() && is_ascii_superset;
    let minor = version.strip_prefix("1.").unwrap_or_default();
    let has_version = !minor.is_empty() && minor.bytes().all(|byte| byte.is_ascii_digit());
    match at == 0 && has_version && is_readable && has_form(xml) {
        true => Ok(()),
        false => Err(malformed("an XML declaration that is wrong, or not at the beginning")),
    }
}

/// True if a document begins with a declaration of a version, an encoding and whether it stands
/// alone, in this order; the last two may be omitted.
fn has_form(xml: &str) -> bool {
    fn value<'x>(rest: &mut &'x str, name: &str) -> Option<&'x str> {
        let is_space = [' ', '\t', '\r', '\n'];
        let text = rest.strip_prefix(is_space)?.trim_start_matches(is_space).strip_prefix(name)?;
        let text = text.trim_start_matches(is_space).strip_prefix('=')?.trim_start_matches(is_space);
        let quote = text.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        let (value, behind) = text[1..].split_once(quote)?;
        *rest = behind;
        Some(value)
    }
    let Some(mut rest) = xml.strip_prefix("<?xml") else { return false };
    let has_version = value(&mut rest, "version").is_some();
    value(&mut rest, "encoding");
    let is_boolean = matches!(value(&mut rest, "standalone"), None | Some("yes" | "no"));
    has_version && is_boolean && rest.trim_start_matches([' ', '\t', '\r', '\n']).starts_with("?>")
}

/// Checks the target of a processing instruction.
pub(super) fn check_instruction(instruction: &BytesPI<'_>) -> Result<(), Mistake> {
    let target = instruction.target();
    match is_name(target) && !target.eq_ignore_ascii_case("xml") {
        true => Ok(()),
        false => Err(malformed("a processing instruction without a name of its own")),
    }
}

/// Checks the names, the attributes and the namespaces of a start tag.
pub(super) fn check_tag(reader: &NsReader<&[u8]>, tag: &BytesStart<'_>) -> Result<(), Mistake> {
    let resolver = reader.resolver();
    let mut is_good = is_name(tag.name().into_inner())
        && !matches!(resolver.resolve_element(tag.name()).0, ResolveResult::Unknown(_));
    for (count, attribute) in tag.attributes().enumerate() {
        if count == ATTRIBUTE_LIMIT {
            return Err(over_limit(ATTRIBUTE_LIMIT, "attributes of one element"));
        }
        let attribute = attribute.map_err(|error| malformed(&error.to_string()))?;
        let value = attribute.normalized_value(XmlVersion::Implicit1_0).map_err(xml_mistake)?;
        is_good &= is_name(attribute.key.into_inner()) && !attribute.value.contains('<');
        is_good &= value.chars().all(is_char);
        // `quick-xml` compares namespaces as they are written, with their references.
        is_good &= match attribute.key.as_namespace_binding() {
            Some(PrefixDeclaration::Default) => value == attribute.value,
            Some(PrefixDeclaration::Named(_)) => value == attribute.value && !value.is_empty(),
            None => !matches!(resolver.resolve_attribute(attribute.key).0, ResolveResult::Unknown(_)),
        };
    }
    if is_good { Ok(()) } else { Err(tag_mistake(MistakeCode::MalformedXml, tag)) }
}

/// True for a character of XML 1.0.
fn is_char(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | ' '..='\u{FFFD}' | '\u{10000}'..)
}

/// True for a name with one prefix or none. Every letter beyond ASCII may stand in it.
fn is_name(name: &str) -> bool {
    let is_start = |first: char| first.is_ascii_alphabetic() || first == '_' || !first.is_ascii();
    let is_letter = |letter: char| is_start(letter) || letter.is_ascii_digit() || matches!(letter, '-' | '.');
    let is_part = |part: &str| part.starts_with(is_start) && part.chars().all(is_letter);
    name.split(':').count() <= 2 && name.split(':').all(is_part)
}
