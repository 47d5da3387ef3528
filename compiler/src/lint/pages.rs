//! Permissions embedded in pages: malformed tags, and features without a meaning in pages (M16 to
//! M18, M25, M26).
//!
//! The counterpart of `language/pages`, which reads the same tags. Places are lines of the page,
//! since there is no tree of it.

use super::acap::QUALIFIERS;
use super::finding::PageFinding;
use super::{Code, directives, quote};
use crate::context::{NO_SNIPPET, Page};
use crate::language::condition::{Dialect, Place, condition};
use crate::language::pages::is_later;
use robomaton_formats::Condition;
use robomaton_formats::policy::USAGES;
use robomaton_grammar::acap::value;
use robomaton_grammar::meta::{ClassField, ClassUsage, Meta, class, content, prohibited};

/// All findings about the permissions and directives in pages, page by page, in line order.
pub fn lint_pages(pages: &[Page]) -> Vec<PageFinding> {
    lint(pages, [true; 2])
}

/// The findings about the permissions of ACAP in pages, about their directives, or both.
pub(super) fn lint(pages: &[Page], [permissions, of_directives]: [bool; 2]) -> Vec<PageFinding> {
    let mut found = if permissions { of_permissions(pages) } else { Vec::new() };
    if of_directives {
        found.extend(directives::lint_pages(pages));
    }
    found.sort_by_key(|finding| (finding.page, finding.line, finding.code));
    found
}

fn of_permissions(pages: &[Page]) -> Vec<PageFinding> {
    let mut found: Vec<PageFinding> = Vec::new();
    for (number, page) in pages.iter().enumerate() {
        let mut say = |line, (code, message)| found.push(PageFinding { code, page: number, line, message });
        let contents: Vec<Meta> = page.metas.iter().map(|tag| content(&tag.content)).collect();
        let stated = contents.iter().find_map(|meta| match meta {
            Meta::Version(major, minor) => Some((*major, *minor)),
            _ => None,
        });
        for (tag, meta) in page.metas.iter().zip(&contents) {
            if tag.in_noscript {
                let message =
                    "a crawler that runs scripts may not see a tag inside noscript; it may only prohibit";
                say(tag.line, (Code::MetaInNoscript, message.to_owned()));
            }
            of_tag(&tag.content, meta, stated).into_iter().for_each(|remark| say(tag.line, remark));
        }
        for element in page.elements.iter().filter(|element| element.token != NO_SNIPPET) {
            of_class(&element.token).into_iter().for_each(|remark| say(element.line, remark));
        }
    }
    found
}

fn of_tag(text: &str, meta: &Meta, stated: Option<(u32, u32)>) -> Vec<(Code, String)> {
    let mut said = Vec::new();
    let purpose = match meta {
        Meta::Problem(problem) => {
            let message = format!("a tag of ACAP that {}: {problem}", remainder(text));
            return vec![(Code::MetaProblem, message)];
        }
        Meta::Permission { purpose, .. } | Meta::Prohibition { purpose, .. } => purpose.as_deref(),
        _ => None,
    };
    if let Some(purpose) = purpose
        && matches!(class(purpose), Some(ClassField::ElementSet(..)))
    {
        let quoted = quote(purpose.as_bytes());
        let message = format!("{quoted} is a set of elements, and stands where a usage purpose is read");
        said.push((Code::MetaElementSet, message));
    }
    let dialect = Dialect::of(stated);
    let (usage, qualifiers) = match meta {
        Meta::Permission { usage, qualifiers, .. } => (usage, qualifiers),
        Meta::Prohibition { usage, qualifiers, .. } => {
            said.extend(of_usage(usage));
            if !qualifiers.is_empty() {
                let message = "a prohibition cannot be qualified; it holds without qualifiers".to_owned();
                said.push((Code::MetaQualifiedProhibition, message));
            }
            return said;
        }
        _ => return said,
    };
    let later = qualifiers.iter().find(|(name, _)| is_later(name));
    if let (Some((name, _)), true) = (later, dialect < Dialect::OneOne) {
        let stated = match stated {
            Some((major, minor)) => format!("states version {major}.{minor}"),
            None => "states no version".to_owned(),
        };
        let quoted = quote(name.as_bytes());
        let message = format!("{quoted} came with version 1.1, and the page {stated}: the tag is ignored");
        said.push((Code::MetaLaterFeature, message));
        return said;
    }
    said.extend(of_usage(usage));
    said.extend(qualifiers.iter().filter_map(|(name, value)| of_qualifier(usage, name, value, dialect)));
    said
}

fn of_usage(usage: &str) -> Option<(Code, String)> {
    let is_known = USAGES.iter().any(|known| known.eq_ignore_ascii_case(usage));
    let quoted = quote(usage.as_bytes());
    let message = format!("ACAP has no usage {quoted}; it is kept, and answers to that name alone");
    (!is_known).then_some((Code::AcapUnknownUsage, message))
}

/// A qualifier that cannot be met, so the permission cannot be used (decision 19).
fn of_qualifier(usage: &str, name: &str, text: &str, dialect: Dialect) -> Option<(Code, String)> {
    let quoted = quote(name.as_bytes());
    let effect = "the permission cannot be used";
    if text.is_empty() {
        let message = format!("{quoted} is no qualifier; one has a type, `=` and a value: {effect}");
        return Some((Code::MetaProblem, message));
    }
    // Qualifiers of 1.1 are known, although their meaning is not.
    if is_later(name) {
        return None;
    }
    if !QUALIFIERS.iter().any(|known| known.eq_ignore_ascii_case(name)) {
        return Some((Code::AcapUnknownQualifier, format!("ACAP has no qualifier {quoted}: {effect}")));
    }
    let [name, text] = [name.as_bytes(), text.as_bytes()];
    if value(name, text).is_none() {
        let message = format!("{} is no value that {quoted} can have: {effect}", quote(text));
        return Some((Code::MetaProblem, message));
    }
    let condition = condition(usage, name, text, dialect, Place::Page);
    let message = format!("the usage {} has no {quoted}: {effect}", quote(usage.as_bytes()));
    matches!(condition, Condition::Unsupported { .. }).then_some((Code::AcapMisplacedQualifier, message))
}

/// What a malformed tag or class still says.
fn remainder(text: &str) -> String {
    let usages: Vec<String> = prohibited(text).map(|usage| quote(usage.as_bytes())).collect();
    match usages.as_slice() {
        [] => "says nothing".to_owned(),
        usages => format!("permits nothing, but prohibits {}", usages.join(" and ")),
    }
}

fn of_class(token: &str) -> Option<(Code, String)> {
    let quoted = quote(token.as_bytes());
    Some(match class(token) {
        None => (Code::MetaProblem, format!("{quoted} is no class of ACAP; it {}", remainder(token))),
        Some(ClassField::ElementSet(..)) => {
            (Code::MetaElementSet, format!("{quoted} is a set of elements, which has no meaning"))
        }
        Some(
            ClassField::Permission(ClassUsage::Local(_)) | ClassField::Prohibition(ClassUsage::Local(_)),
        ) => {
            let message = format!("{quoted} names a local usage, which nothing in a page defines");
            (Code::MetaLocalUsageInClass, message)
        }
        Some(
            ClassField::Permission(ClassUsage::Standard(usage))
            | ClassField::Prohibition(ClassUsage::Standard(usage)),
        ) => return of_usage(&usage),
    })
}
