//! Detects the format of a file by its name, its first bytes, or its first line.
//!
//! `input` calls it before it chooses a reader. A file named after a host is that host's robots.txt
//! and nothing else, since its content is untrusted and could otherwise contain captures of other
//! sites. If such a name is more common for other files (`doubt`), the content must be a
//! robots.txt. For any other file the first bytes decide, then the extension, then the first line.
//! It reads nothing itself, and knows nothing about compression except the extensions `.gz` and
//! `.zst`.

use crate::doubt::doubt;
use crate::row::Column;
use crate::source::is_packed;
use robomaton_formats::site::SiteKey;
use robomaton_grammar::without_mark;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::path::Path;

/// Formats of captures and of indexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Warc,
    /// JSON lines, or the lines of a CDXJ index.
    Jsonl,
    Csv,
    Parquet,
    Tar,
    Zip,
}

/// The meaning of a file name.
pub(crate) enum Name {
    /// A file of this kind.
    Kind(Kind),
    /// The robots.txt of this host.
    Host(HostName),
    Nothing,
}

/// A host that a file is named after.
pub(crate) struct HostName {
    pub(crate) host: String,
    pub(crate) site: SiteKey,
    /// The kind of file that may have this name instead; the content then decides.
    pub(crate) doubt: Option<String>,
}

/// File extensions.
const ENDINGS: [(&str, Kind); 11] = [
    (".warc", Kind::Warc),
    (".jsonl", Kind::Jsonl),
    (".jsonlines", Kind::Jsonl),
    (".jl", Kind::Jsonl),
    (".ndjson", Kind::Jsonl),
    (".cdxj", Kind::Jsonl),
    (".csv", Kind::Csv),
    (".parquet", Kind::Parquet),
    (".tar", Kind::Tar),
    (".tgz", Kind::Tar),
    (".zip", Kind::Zip),
];

/// Bytes that [`Kind::of_bytes`] examines: a tar header names its format after most of its fields.
pub(crate) const HEAD: usize = 262;

/// A name without this extension.
fn stem<'n>(name: &'n str, ending: &str) -> Option<&'n str> {
    let (stem, last) = name.split_at_checked(name.len().checked_sub(ending.len())?)?;
    last.eq_ignore_ascii_case(ending).then_some(stem)
}

impl Name {
    pub(crate) fn of(path: &Path) -> Name {
        let Some(name) = path.file_name().map(|name| name.to_string_lossy()) else { return Name::Nothing };
        let name = stem(&name, ".gz").or(stem(&name, ".zst")).unwrap_or(&name);
        if let Some((_, kind)) = ENDINGS.iter().find(|(ending, _)| stem(name, ending).is_some()) {
            return Name::Kind(*kind);
        }
        HostName::of(name).map_or(Name::Nothing, Name::Host)
    }
}

impl HostName {
    /// The host that a file is named after. A single label is a host only with the extension,
    /// otherwise every `README` would be one; a `robots.txt` is named after nothing.
    pub(crate) fn of(name: &str) -> Option<HostName> {
        let (host, ended) = stem(name, ".txt").map_or((name, false), |host| (host, true));
        let named =
            host.contains(['.', ':']) || host == "localhost" || ended && !host.eq_ignore_ascii_case("robots");
        if !named || host.starts_with('.') {
            return None;
        }
        let site = SiteKey::from_host(host).ok()?;
        Some(HostName { host: host.to_owned(), site, doubt: doubt(host, ended) })
    }
}

impl Kind {
    /// The kind of a file that begins with these bytes, if they are unambiguous.
    pub(crate) fn of_bytes(head: &[u8]) -> Option<Kind> {
        match head {
            [b'W', b'A', b'R', b'C', b'/', ..] => Some(Kind::Warc),
            [b'P', b'A', b'R', b'1', ..] => Some(Kind::Parquet),
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Some(Kind::Zip),
            _ if head.get(257..HEAD) == Some(b"ustar") => Some(Kind::Tar),
            _ => None,
        }
    }

    /// The kind of a text without a name that begins with these bytes: a table if its first line
    /// names a column.
    pub(crate) fn of_text(head: &[u8]) -> Option<Kind> {
        let head = without_mark(head).trim_ascii_start();
        let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
        if line.starts_with(b"{") || memchr::memmem::find(line, b" {").is_some() {
            return Some(Kind::Jsonl);
        }
        let quoted =
            |name: &[u8]| Column::of(&name.iter().copied().filter(|&c| c != b'"').collect::<Vec<u8>>());
        line.split(|byte| *byte == b',').any(|name| quoted(name).is_some()).then_some(Kind::Csv)
    }

    /// True if a file of this kind can only be read from its end.
    pub(crate) fn needs_file(self) -> bool {
        matches!(self, Kind::Parquet | Kind::Zip)
    }

    /// The name of the format.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Warc => "WARC",
            Kind::Jsonl => "JSONL",
            Kind::Csv => "CSV",
            Kind::Parquet => "Parquet",
            Kind::Tar => "tar",
            Kind::Zip => "zip",
        }
    }
}

/// True if a file that begins with these bytes clearly contains captures rather than the text of
/// one site: it is compressed, has a known signature, or its first line is an object with a URL.
pub fn is_captures(head: &[u8]) -> bool {
    is_packed(head) || Kind::of_bytes(head).is_some() || has_capture_in_json(head)
}

/// True if the first line is an object with a URL, like captures in JSON lines.
fn has_capture_in_json(head: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Captured {
        #[serde(rename = "url")]
        _url: IgnoredAny,
    }
    let start = head.trim_ascii_start();
    let line = start.split(|&byte| byte == b'\n').next().unwrap_or_default();
    start.starts_with(b"{") && serde_json::from_slice::<Captured>(line).is_ok()
}
