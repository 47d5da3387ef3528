//! Attributes of RSL elements, and the mistakes of tags.
//!
//! Used by `reader`, for tags that `wellformed` has checked. This file does not know which element
//! has which attributes.

use quick_xml::events::BytesStart;
use quick_xml::name::{Namespace, ResolveResult};
use quick_xml::{NsReader, XmlVersion};

use super::{NAMESPACE, over_limit};
use crate::modern::{Mistake, MistakeCode};

/// The attributes of an RSL element, by their index in `allowed`. Attributes without a prefix
/// belong to the element; those of other namespaces are ignored.
pub(super) fn attributes(
    reader: &NsReader<&[u8]>,
    tag: &BytesStart<'_>,
    allowed: &[&str],
) -> Result<Vec<(usize, String)>, Mistake> {
    let mut found = Vec::new();
    for attribute in tag.attributes() {
        let attribute =
            attribute.map_err(|error| Mistake::new(MistakeCode::MalformedXml, error.to_string()))?;
        if attribute.key.as_namespace_binding().is_some() {
            continue;
        }
        let name = attribute.key.into_inner();
        match reader.resolver().resolve_attribute(attribute.key).0 {
            ResolveResult::Unbound => {}
            ResolveResult::Bound(Namespace(NAMESPACE)) => {
                return Err(Mistake::new(MistakeCode::UnknownAttribute, name));
            }
            ResolveResult::Bound(_) | ResolveResult::Unknown(_) => continue,
        }
        let index = allowed.iter().position(|&allowed| allowed == name);
        let index = index.ok_or_else(|| Mistake::new(MistakeCode::UnknownAttribute, name))?;
        let value = attribute.normalized_value(XmlVersion::Implicit1_0).map_err(xml_mistake)?;
        found.push((index, value.into_owned()));
    }
    Ok(found)
}

/// Attributes in the order of their indexes.
pub(super) fn values<const N: usize>(attributes: Vec<(usize, String)>) -> [Option<String>; N] {
    let mut values = [const { None }; N];
    for (index, value) in attributes {
        if let Some(place) = values.get_mut(index) {
            *place = Some(value);
        }
    }
    values
}

pub(super) fn tag_mistake(code: MistakeCode, tag: &BytesStart<'_>) -> Mistake {
    Mistake::new(code, format!("<{}>", &**tag))
}

pub(super) fn xml_mistake(error: quick_xml::Error) -> Mistake {
    use quick_xml::name::NamespaceError::{TooDeeplyNested, TooManyBindings};
    match error {
        quick_xml::Error::Namespace(TooManyBindings(limit)) => over_limit(limit, "namespaces in scope"),
        quick_xml::Error::Namespace(TooDeeplyNested(limit)) => over_limit(limit, "open elements"),
        error => Mistake::new(MistakeCode::MalformedXml, error.to_string()),
    }
}
