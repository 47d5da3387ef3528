//! What a file is: by its name, its first bytes, or its first line.
//!
//! Asked by `input` before a reader is chosen. The rule: a name that is a host's makes a file that
//! host's robots.txt and nothing else, since its bytes are those of a stranger, who could otherwise
//! write captures of other sites. Where files of other kinds have such names more often (`doubt`),
//! the content has to be a robots.txt. Of every other file the first bytes decide, then the ending
//! of the name, then the first line. It reads nothing itself, and does not know compression, but
//! for the endings that it leaves in names.

use crate::doubt::doubt;
use crate::row::Column;
use crate::source::is_packed;
use robomaton_formats::site::SiteKey;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::path::Path;

/// Files that hold captures, or say where they are.
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

/// What a name says.
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
    /// What a file of this name may be in place of a robots.txt, where its content has to decide.
    pub(crate) doubt: Option<String>,
}

/// Endings of names.
const ENDINGS: [(&str, Kind); 9] = [
    (".warc", Kind::Warc),
    (".jsonl", Kind::Jsonl),
    (".ndjson", Kind::Jsonl),
    (".cdxj", Kind::Jsonl),
    (".csv", Kind::Csv),
    (".parquet", Kind::Parquet),
    (".tar", Kind::Tar),
    (".tgz", Kind::Tar),
    (".zip", Kind::Zip),
];

/// Bytes that [`Kind::of_bytes`] looks at: a tar header names its format behind most of its fields.
pub(crate) const HEAD: usize = 262;

/// A name without this ending.
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
    /// The host that a file is named after. One label alone is a host only with the ending, or
    /// every `README` were one; and a `robots.txt` is named after nothing.
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
    /// The kind of a file that begins with these bytes, as far as they can be no other.
    pub(crate) fn of_bytes(head: &[u8]) -> Option<Kind> {
        match head {
            [b'W', b'A', b'R', b'C', b'/', ..] => Some(Kind::Warc),
            [b'P', b'A', b'R', b'1', ..] => Some(Kind::Parquet),
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Some(Kind::Zip),
            _ if head.get(257..HEAD) == Some(b"ustar") => Some(Kind::Tar),
            _ => None,
        }
    }

    /// The kind of a text that begins with these bytes and has no name: a table if its first line
    /// names a column.
    pub(crate) fn of_text(head: &[u8]) -> Option<Kind> {
        let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
        let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
        if line.starts_with(b"{") || memchr::memmem::find(line, b" {").is_some() {
            return Some(Kind::Jsonl);
        }
        let quoted =
            |name: &[u8]| Column::of(&name.iter().copied().filter(|&c| c != b'"').collect::<Vec<u8>>());
        line.split(|byte| *byte == b',').any(|name| quoted(name).is_some()).then_some(Kind::Csv)
    }

    /// Whether a file of this kind can only be read from its end.
    pub(crate) fn needs_file(self) -> bool {
        matches!(self, Kind::Parquet | Kind::Zip)
    }

    /// What it is called.
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

/// Whether a file that begins with these bytes plainly holds captures, and is no text of one site:
/// it is packed, is of a kind that its first bytes show, or its first line is an object with a URL.
pub fn is_captures(head: &[u8]) -> bool {
    is_packed(head) || Kind::of_bytes(head).is_some() || has_capture_in_json(head)
}

/// Whether the first line is an object with a URL, as captures in JSON lines are.
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
