//! Byte strings in cold records.
//!
//! They are borrowed: from the text when written, from the image when read. This file does not know
//! what they hold.

use serde::de::{Deserializer, Error, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// One byte string rather than a sequence of numbers; borrowed when read.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes<'d>(pub Cow<'d, [u8]>);

impl<'d> From<&'d [u8]> for Bytes<'d> {
    fn from(bytes: &'d [u8]) -> Bytes<'d> {
        Bytes(Cow::Borrowed(bytes))
    }
}

impl Serialize for Bytes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de: 'd, 'd> Deserialize<'de> for Bytes<'d> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Bytes<'d>, D::Error> {
        struct Borrowed;
        impl<'de> Visitor<'de> for Borrowed {
            type Value = &'de [u8];
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes")
            }
            fn visit_borrowed_bytes<E: Error>(self, bytes: &'de [u8]) -> Result<Self::Value, E> {
                Ok(bytes)
            }
        }
        deserializer.deserialize_bytes(Borrowed).map(Bytes::from)
    }
}
