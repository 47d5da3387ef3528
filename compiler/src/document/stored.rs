//! A document as bytes, to be saved and loaded by the same program; not a stable format.
//!
//! The names come first, so that they can be read alone.

use super::Document;
use serde::{Deserialize, Deserializer, Serializer};

/// The names of a document: crawlers with the indexes of their sets, usages, and the crawlers of
/// each policy of preferences.
type DocumentNames<S> = (Crawlers<S>, Vec<S>, Vec<Crawlers<S>>);
type Crawlers<S> = Vec<(S, usize)>;

impl Document {
    /// The encoded bytes, and the length of the names at their start.
    pub fn encode(&self) -> (Vec<u8>, usize) {
        let preferences: Vec<_> = self.preferences.iter().map(|of| &of.crawlers).collect();
        let names = (&self.crawlers, &self.usages, preferences);
        // Room for most of it, so that the vector is hardly moved as it grows.
        let parts = [&self.scope, &self.code, &self.detail, &self.source];
        let room = parts.iter().map(|part| part.len() + 4).sum::<usize>()
            + self.crawlers.iter().map(|(name, _)| name.len() + 3).sum::<usize>()
            + 6 * self.programs.len()
            + 8 * self.sets.len()
            + 64;
        let bytes = postcard::to_extend(&names, Vec::with_capacity(room)).unwrap_or_default();
        let names = bytes.len();
        (postcard::to_extend(self, bytes).unwrap_or_default(), names)
    }

    /// Decodes bytes made by [`Document::encode`]; `None` for others.
    pub fn decode(bytes: &[u8]) -> Option<Document> {
        let ((crawlers, usages, of_preferences), rest): (DocumentNames<String>, _) =
            postcard::take_from_bytes(bytes).ok()?;
        let mut document: Document = postcard::from_bytes(rest).ok()?;
        for (policy, crawlers) in document.preferences.iter_mut().zip(of_preferences) {
            policy.crawlers = crawlers;
        }
        Some(Document { crawlers, usages, ..document })
    }
}

/// The names of crawlers and usages at the start of an encoded document.
pub(crate) fn decode_names(bytes: &[u8]) -> Option<(impl Iterator<Item = &str>, Vec<&str>)> {
    let (crawlers, usages, preferences): DocumentNames<&str> = postcard::from_bytes(bytes).ok()?;
    let crawlers = crawlers.into_iter().chain(preferences.into_iter().flatten());
    Some((crawlers.map(|(name, _)| name), usages))
}

/// One byte string rather than a sequence of numbers.
pub(super) mod bytes {
    use super::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(bytes)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        <&[u8]>::deserialize(deserializer).map(<[u8]>::to_vec)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, compile};

    #[test]
    fn documents_come_back() {
        let text = b"User-agent: b\nUser-agent: a\nDisallow: /x*y$\nNoindex: /n\n\nACAP-crawler: *\n\
            ACAP-allow-train: /p\nACAP-usage-purpose: news\nACAP-permissions-reference: /r.txt\n\n\
            User-agent: c\nContent-Signal: ai-train=no\n";
        let small = crate::Limits { rules: 1, ..crate::Limits::default() };
        for limits in [crate::Limits::default(), small] {
            for no_sources in [false, true] {
                let options = Options { no_sources, limits: limits.clone(), ..Options::default() };
                let document = compile(text, None, &options);
                let (bytes, names) = document.encode();
                assert_eq!(Document::decode(&bytes).as_ref(), Some(&document));
                let (crawlers, usages) = decode_names(&bytes[..names]).expect("names");
                let own = document.preferences.iter().flat_map(|of| &of.crawlers);
                let all = document.crawlers.iter().chain(own).map(|(name, _)| name.as_str());
                assert!(crawlers.eq(all));
                assert_eq!(usages, document.usages);
                assert_eq!(Document::decode(&bytes[..bytes.len() - 1]), None);
            }
        }
    }
}
