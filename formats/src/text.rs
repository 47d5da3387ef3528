//! Texts in cold records, copied before they are checked.
//!
//! A mapped file may change while it is read, in spite of any promise. A `str` borrowed from it, or
//! one copied after its check, would then break Rust's rule that a `str` is UTF-8. So the copy is
//! checked here, and a changed file gives a wrong text or an error. The wire format is that of
//! `String`. This file does not know the contents of a text.

use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};
use std::fmt;

/// An owned text.
struct Text(String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Text, D::Error> {
        struct Copied;
        impl Visitor<'_> for Copied {
            type Value = Text;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text in UTF-8")
            }
            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Text, E> {
                String::from_utf8(bytes.to_vec()).map(Text).map_err(E::custom)
            }
        }
        deserializer.deserialize_bytes(Copied)
    }
}

/// Reads a text.
pub(crate) fn read<'de, D: Deserializer<'de>, T: From<String>>(deserializer: D) -> Result<T, D::Error> {
    Text::deserialize(deserializer).map(|text| text.0.into())
}

/// Reads a sequence of texts.
pub(crate) fn read_all<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let texts: Vec<Text> = Deserialize::deserialize(deserializer)?;
    Ok(texts.into_iter().map(|text| text.0).collect())
}

/// Reads a sequence of texts, each with a number.
pub(crate) fn read_numbered<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<(String, u64)>, D::Error> {
    let texts: Vec<(Text, u64)> = Deserialize::deserialize(deserializer)?;
    Ok(texts.into_iter().map(|(text, number)| (text.0, number)).collect())
}
