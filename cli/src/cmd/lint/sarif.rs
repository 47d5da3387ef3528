//! Diagnostics as one SARIF 2.1.0 log, for code scanning.
//!
//! ```text
//!   log { runs: [ run { tool { driver { rules: one for each code that occurs } }, results: one for each remark } ] }
//! ```
//!
//! Only the parts of the standard that are written have types. A test validates the output against
//! the schema of the standard. Columns count characters, as the log declares. Byte offsets refer to
//! the file and are left out if a page was converted from another encoding. The text of a rule is
//! its entry in LINTS.md.

use super::explain::DOCUMENT;
use super::remark::FileFinding;
use crate::output::Out;
use robomaton_explain::lint::{Finding, Place, Places, entry};
use robomaton_grammar::Severity;
use serde::Serialize;
use std::collections::HashMap;
use std::io;
use std::path::Path;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

#[derive(Serialize)]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    tool: Tool<'a>,
    column_kind: &'static str,
    results: &'a [ResultEntry],
}

#[derive(Serialize)]
struct Tool<'a> {
    driver: Driver<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver<'a> {
    name: &'static str,
    semantic_version: &'static str,
    rules: &'a [Rule],
}

/// A code that occurs.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: &'static str,
    short_description: Message,
    full_description: Message,
    help: Help,
    default_configuration: Configuration,
    properties: Properties,
}

#[derive(Serialize)]
struct Message {
    text: String,
}

#[derive(Serialize)]
struct Help {
    text: String,
    markdown: String,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

/// Properties that code scanning wants beyond the standard, and the number of the rule behind the
/// code.
#[derive(Serialize)]
struct Properties {
    #[serde(rename = "problem.severity")]
    severity: &'static str,
    source: &'static str,
    tags: [&'static str; 1],
}

/// A finding; `result` in the standard.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResultEntry {
    rule_id: &'static str,
    rule_index: usize,
    level: &'static str,
    message: Message,
    locations: [Location; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    related_locations: Option<[Location; 1]>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    region: Region,
}

#[derive(Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    #[serde(flatten)]
    columns: Option<Columns>,
    #[serde(flatten)]
    bytes: Option<Bytes>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Columns {
    start_column: usize,
    end_column: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Bytes {
    byte_offset: u32,
    byte_length: u32,
}

/// The log so far.
#[derive(Default)]
pub(super) struct Sarif {
    rules: Vec<Rule>,
    /// The index of each code in `rules`.
    indexes: HashMap<&'static str, usize>,
    results: Vec<ResultEntry>,
}

impl Sarif {
    /// Adds a finding. `is_verbatim` means that the text has the same bytes as the file.
    pub(super) fn add(&mut self, found: &FileFinding<'_>, places: &Places<'_, '_>, is_verbatim: bool) {
        let uri = uri(found.file);
        let found = &found.finding;
        let location = |place: Place, message: Option<&str>| {
            let place = places.on_line(place);
            let columns = places.columns(place);
            let columns = columns.map(|(start_column, end_column)| Columns { start_column, end_column });
            let bytes = Bytes { byte_offset: place.start, byte_length: place.end - place.start };
            let bytes = is_verbatim.then_some(bytes);
            Location {
                physical_location: PhysicalLocation {
                    artifact_location: ArtifactLocation { uri: uri.clone() },
                    region: Region { start_line: place.line, columns, bytes },
                },
                message: message.map(|text| Message { text: text.to_owned() }),
            }
        };
        let rule_index = *self.indexes.entry(found.code).or_insert_with(|| {
            self.rules.push(Rule::of(found));
            self.rules.len() - 1
        });
        self.results.push(ResultEntry {
            rule_id: found.code,
            rule_index,
            level: found.severity.name(),
            message: Message { text: found.message.clone() },
            locations: [location(found.place, None)],
            related_locations: found
                .second
                .as_ref()
                .map(|second| [location(second.place, Some(&second.message))]),
        });
    }

    /// Prints the log.
    pub(super) fn print(&self, out: &mut Out) -> io::Result<()> {
        let driver =
            Driver { name: "robomaton", semantic_version: env!("CARGO_PKG_VERSION"), rules: &self.rules };
        let run = Run { tool: Tool { driver }, column_kind: "unicodeCodePoints", results: &self.results };
        out.json(&Log { schema: SCHEMA, version: "2.1.0", runs: [run] })
    }
}

impl Rule {
    fn of(found: &Finding) -> Rule {
        let (text, meaning) =
            entry(DOCUMENT, found.code).map(|entry| (entry.text, entry.meaning)).unwrap_or_default();
        let short = meaning.split_once(". ").map_or(meaning.as_str(), |(first, _)| first);
        let level = found.severity.name();
        Rule {
            id: found.code,
            short_description: Message { text: format!("{}.", short.trim_end_matches('.')) },
            full_description: Message { text: meaning.clone() },
            help: Help { markdown: text.to_owned(), text: meaning },
            default_configuration: Configuration { level },
            properties: Properties {
                severity: if found.severity == Severity::Note { "recommendation" } else { level },
                source: found.source,
                tags: ["robots.txt"],
            },
        }
    }
}

/// A file as a reference to a URI: relative paths stay relative.
fn uri(file: &str) -> String {
    if file == "-" {
        return "stdin".to_owned();
    }
    let slashed = if cfg!(windows) { file.replace('\\', "/") } else { file.to_owned() };
    let mut uri = match (Path::new(file).is_absolute(), slashed.starts_with('/')) {
        (true, true) => "file://".to_owned(),
        (true, false) => "file:///".to_owned(),
        _ => String::new(),
    };
    for byte in slashed.strip_prefix("./").unwrap_or(&slashed).bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(byte as char);
        } else {
            uri += &format!("%{byte:02X}");
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_become_references() {
        assert_eq!(uri("./a b/robots.txt"), "a%20b/robots.txt");
        assert_eq!(uri("caf\u{e9}#1.txt"), "caf%C3%A9%231.txt");
        assert_eq!(uri("-"), "stdin");
        #[cfg(unix)]
        assert_eq!(uri("/srv/robots.txt"), "file:///srv/robots.txt");
    }
}
