//! The columns of a table, and the values in their cells.
//!
//! `row` makes captures of them. A JSON object is a row, too: its keys are columns. Numbers, times
//! and flags are read as the libraries write them that make tables. It does not know what a cell is
//! for.

use crate::SkipReason;
use crate::capture::STATED;
use serde::{Deserialize, Deserializer, de};
use std::borrow::Cow;
use std::fmt;

/// A field of a table, by the name of its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Column {
    Url,
    Host,
    Status,
    FetchedAt,
    Body,
    BodyBase64,
    Headers,
    Truncated,
    Filename,
    Offset,
    Length,
}

/// A number, a text, a flag, or a value that no field takes.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum Scalar {
    Number(i64),
    /// A number with a fraction or an exponent.
    Float(f64),
    Flag(bool),
    Text(String),
    Other(de::IgnoredAny),
}

/// Header fields: an object, or a list of pairs. A name may occur several times in both.
pub(super) struct Headers(Vec<(String, serde_json::Value)>);

impl<'de> Deserialize<'de> for Headers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Headers, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Headers;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of header fields, or a list of pairs")
            }

            fn visit_map<A: de::MapAccess<'de>>(self, mut object: A) -> Result<Headers, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = object.next_entry()? {
                    fields.push(field);
                }
                // The names of an object have no order.
                fields.sort_by(|(one, _): &(String, _), (other, _)| one.cmp(other));
                Ok(Headers(fields))
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut pairs: A) -> Result<Headers, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = pairs.next_element()? {
                    fields.push(field);
                }
                Ok(Headers(fields))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl Headers {
    /// The fields as lines: writers also use a list of values for a name, and numbers for digits.
    /// Any other value can be no line; a field that speaks of uses is then an error.
    pub(super) fn lines(&self) -> Result<Vec<(&str, Cow<'_, str>)>, String> {
        let mut lines = Vec::new();
        for (name, value) in &self.0 {
            let name = name.trim();
            for value in value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice) {
                match value {
                    serde_json::Value::String(text) => lines.push((name, Cow::Borrowed(text.as_str()))),
                    serde_json::Value::Number(number) => lines.push((name, Cow::Owned(number.to_string()))),
                    serde_json::Value::Null => {}
                    _ if STATED.iter().any(|stated| name.eq_ignore_ascii_case(stated)) => {
                        return Err(format!(
                            "headers: the value of {name} is neither text nor a list of texts"
                        ));
                    }
                    _ => {}
                }
            }
        }
        Ok(lines)
    }
}

/// A JSON string as bytes, valid UTF-8 or not.
pub(super) struct Bytes(pub(super) Vec<u8>);

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = Bytes;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Bytes, E> {
                Ok(Bytes(text.as_bytes().to_vec()))
            }
        }
        deserializer.deserialize_bytes(Visitor)
    }
}

impl Column {
    /// The column of this name, in any case.
    pub(crate) fn of(name: &[u8]) -> Option<Column> {
        Some(match name.trim_ascii().to_ascii_lowercase().as_slice() {
            b"url" => Column::Url,
            b"host" => Column::Host,
            b"status" => Column::Status,
            b"fetched_at" => Column::FetchedAt,
            b"body" => Column::Body,
            b"body_base64" => Column::BodyBase64,
            b"headers" => Column::Headers,
            b"truncated" => Column::Truncated,
            b"filename" | b"warc_filename" => Column::Filename,
            b"offset" | b"warc_record_offset" => Column::Offset,
            b"length" | b"warc_record_length" => Column::Length,
            _ => return None,
        })
    }

    /// The reason why a table of these columns has no captures; `None` if it can have them. `names`
    /// are the names of all its columns.
    pub(crate) fn missing<'n>(
        columns: &[Option<Column>],
        names: impl Iterator<Item = &'n [u8]>,
    ) -> Option<SkipReason> {
        for (place, column) in columns.iter().enumerate() {
            // It is unknown which of the two columns counts.
            if let Some(column) = column.filter(|_| columns[..place].contains(column)) {
                return Some(SkipReason::Table(format!("two columns are its {}", column.name())));
            }
        }
        let has = |column| columns.contains(&Some(column));
        let range = has(Column::Filename) && has(Column::Offset) && has(Column::Length);
        if has(Column::Url) || has(Column::Host) || range {
            return None;
        }
        let names: Vec<_> = names.take(20).map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        Some(SkipReason::Columns(names.join(", ")))
    }
}

impl Column {
    /// True for the columns that name a fetch.
    #[cfg(feature = "parquet")]
    pub(crate) fn names_fetch(self) -> bool {
        matches!(self, Column::Url | Column::Host | Column::FetchedAt)
    }

    /// The name in messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Column::Url => "url",
            Column::Host => "host",
            Column::Status => "status",
            Column::FetchedAt => "fetched_at",
            Column::Body => "body",
            Column::BodyBase64 => "body_base64",
            Column::Headers => "headers",
            Column::Truncated => "truncated",
            Column::Filename => "filename",
            Column::Offset => "offset",
            Column::Length => "length",
        }
    }
}

impl Scalar {
    /// The whole number. Where values are missing, some libraries write all as floats: `200.0`.
    pub(super) fn number(&self) -> Option<i64> {
        let integer = match self {
            Scalar::Number(number) => Some(*number),
            Scalar::Text(text) => text.trim_ascii().parse().ok(),
            Scalar::Float(_) | Scalar::Flag(_) | Scalar::Other(_) => None,
        };
        let is_whole = |float: &f64| float.fract() == 0.0 && float.abs() < 2_f64.powi(53);
        integer.or_else(|| self.float().filter(is_whole).map(|float| float as i64))
    }

    pub(super) fn float(&self) -> Option<f64> {
        match self {
            Scalar::Float(float) => Some(*float),
            Scalar::Text(text) => text.trim_ascii().parse().ok(),
            Scalar::Number(_) | Scalar::Flag(_) | Scalar::Other(_) => None,
        }
    }

    /// The number without its fraction; one that no `i64` can be is the nearest.
    pub(super) fn whole(&self) -> Option<i64> {
        let float = || self.float().filter(|float| !float.is_nan());
        self.number().or_else(|| Some(float()?.floor() as i64))
    }

    pub(super) fn text(&self) -> Option<&str> {
        if let Scalar::Text(text) = self {
            Some(text.trim_ascii()).filter(|text| !text.is_empty())
        } else {
            None
        }
    }

    pub(super) fn flag(&self) -> Option<bool> {
        match (self.number(), self) {
            (Some(0), _) => Some(false),
            (Some(1), _) => Some(true),
            (_, Scalar::Flag(flag)) => Some(*flag),
            (_, Scalar::Text(text)) => text.trim_ascii().to_ascii_lowercase().parse().ok(),
            _ => None,
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Number(number) => number.fmt(f),
            Scalar::Float(float) => float.fmt(f),
            Scalar::Flag(flag) => flag.fmt(f),
            Scalar::Text(text) => write!(f, "{text:?}"),
            Scalar::Other(_) => f.write_str("what stands there"),
        }
    }
}
