//! The columns of a table, and the values in their cells.
//!
//! `row` makes captures of them. A JSON object is a row, too: its keys are columns. Numbers, times
//! and flags are read as the libraries write them that make tables. It does not know what a cell is
//! for.

use crate::SkipReason;
use crate::capture::STATED;
use serde::de::{self, DeserializeSeed};
use serde::{Deserialize, Deserializer};
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
pub(crate) enum Scalar {
    Number(i64),
    /// A number with a fraction or an exponent, or one that is too large.
    Float(f64),
    Flag(bool),
    Text(String),
    Other,
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Scalar, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Scalar;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }

            fn visit_i64<E>(self, number: i64) -> Result<Scalar, E> {
                Ok(Scalar::Number(number))
            }

            fn visit_u64<E>(self, number: u64) -> Result<Scalar, E> {
                Ok(i64::try_from(number).map_or(Scalar::Float(number as f64), Scalar::Number))
            }

            fn visit_f64<E>(self, number: f64) -> Result<Scalar, E> {
                Ok(Scalar::Float(number))
            }

            fn visit_bool<E>(self, flag: bool) -> Result<Scalar, E> {
                Ok(Scalar::Flag(flag))
            }

            fn visit_str<E>(self, text: &str) -> Result<Scalar, E> {
                Ok(Scalar::Text(text.to_owned()))
            }

            fn visit_unit<E>(self) -> Result<Scalar, E> {
                Ok(Scalar::Other)
            }

            fn visit_map<A: de::MapAccess<'de>>(self, object: A) -> Result<Scalar, A::Error> {
                de::IgnoredAny.visit_map(object).map(|_| Scalar::Other)
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, list: A) -> Result<Scalar, A::Error> {
                de::IgnoredAny.visit_seq(list).map(|_| Scalar::Other)
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

/// The maximum number of bytes in the header fields of a row, with two for each line. It bounds the
/// memory that they take.
const MAX_HEADERS: usize = 2 << 20;

/// Header fields: an object, or a list of pairs. A name may occur several times in both.
#[derive(Default)]
pub(super) struct Headers {
    fields: Vec<(String, Value)>,
    bytes: usize,
}

impl Headers {
    fn push<E: de::Error>(&mut self, name: String, value: Value) -> Result<(), E> {
        self.bytes += name.len() + 2 + value.bytes;
        self.fields.push((name, value));
        within_limit(self.bytes)
    }
}

fn within_limit<E: de::Error>(bytes: usize) -> Result<(), E> {
    let message = || E::custom(format_args!("the header fields have more than {MAX_HEADERS} bytes"));
    (bytes <= MAX_HEADERS).then_some(()).ok_or_else(message)
}

impl<'de> Deserialize<'de> for Headers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Headers, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Headers;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of header fields, or a list of pairs")
            }

            fn visit_map<A: de::MapAccess<'de>>(self, mut object: A) -> Result<Headers, A::Error> {
                let mut headers = Headers::default();
                while let Some((name, value)) = object.next_entry()? {
                    headers.push(name, value)?;
                }
                // The names of an object have no order.
                headers.fields.sort_by(|(one, _), (other, _)| one.cmp(other));
                Ok(headers)
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut pairs: A) -> Result<Headers, A::Error> {
                let mut headers = Headers::default();
                while let Some((name, value)) = pairs.next_element()? {
                    headers.push(name, value)?;
                }
                Ok(headers)
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

/// The value of a header field: writers also use a list of values for a name, numbers for digits,
/// and null for none.
#[derive(Default)]
struct Value {
    lines: Vec<String>,
    /// The bytes of its lines, with two for each.
    bytes: usize,
    /// True if a part of it can be no line.
    has_other: bool,
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        let mut value = Value::default();
        Part { of: &mut value, is_in_list: false }.deserialize(deserializer)?;
        Ok(value)
    }
}

/// A value of a header field, or a part of it, which is read into that.
struct Part<'v> {
    of: &'v mut Value,
    is_in_list: bool,
}

impl Part<'_> {
    fn line<E: de::Error>(self, line: String) -> Result<(), E> {
        self.of.bytes += line.len() + 2;
        self.of.lines.push(line);
        within_limit(self.of.bytes)
    }
}

impl<'de> DeserializeSeed<'de> for Part<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> de::Visitor<'de> for Part<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the value of a header field")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<(), E> {
        self.line(text.to_owned())
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<(), E> {
        self.line(number.to_string())
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<(), E> {
        self.line(number.to_string())
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<(), E> {
        self.line(number.to_string())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        self.of.has_other = true;
        Ok(())
    }

    fn visit_map<A: de::MapAccess<'de>>(self, object: A) -> Result<(), A::Error> {
        self.of.has_other = true;
        de::IgnoredAny.visit_map(object).map(drop)
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        if self.is_in_list {
            self.of.has_other = true;
            return de::IgnoredAny.visit_seq(list).map(drop);
        }
        while list.next_element_seed(Part { of: self.of, is_in_list: true })?.is_some() {}
        Ok(())
    }
}

impl Headers {
    /// The fields as lines. A field that speaks of uses must have no other value.
    pub(super) fn lines(&self) -> Result<Vec<(&str, &str)>, String> {
        let is_stated = |name: &str| STATED.iter().any(|stated| name.trim().eq_ignore_ascii_case(stated));
        if let Some((name, _)) = self.fields.iter().find(|(name, value)| value.has_other && is_stated(name)) {
            return Err(format!("headers: the value of {name} is neither text nor a list of texts"));
        }
        let lines = self
            .fields
            .iter()
            .flat_map(|(name, value)| value.lines.iter().map(|line| (name.trim(), line.as_str())));
        Ok(lines.collect())
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
            Scalar::Float(_) | Scalar::Flag(_) | Scalar::Other => None,
        };
        let is_whole = |float: &f64| float.fract() == 0.0 && float.abs() < 2_f64.powi(53);
        integer.or_else(|| self.float().filter(is_whole).map(|float| float as i64))
    }

    pub(super) fn float(&self) -> Option<f64> {
        match self {
            Scalar::Float(float) => Some(*float),
            Scalar::Text(text) => text.trim_ascii().parse().ok(),
            Scalar::Number(_) | Scalar::Flag(_) | Scalar::Other => None,
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
            Scalar::Other => f.write_str("what stands there"),
        }
    }
}
