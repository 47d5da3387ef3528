//! The ACAP lines of a file, split into records; nothing is expanded or judged yet.
//!
//! A file is read alone: `local` reads referenced files as further documents.

use super::name::{self, Asker};
use super::text::{self, lower, words};
use crate::oracle::{self, trim};

/// The ACAP lines of a file.
#[derive(Default)]
pub(super) struct Document {
    /// There is an `ACAP-crawler` line: ACAP mode.
    pub(super) speaks: bool,
    /// The file is of version 0.2.
    pub(super) pilot: bool,
    /// `ACAP-ignore-conventional-records`.
    pub(super) ignores_conventional: bool,
    pub(super) records: Vec<Record>,
    pub(super) definitions: Vec<Definition>,
}

/// A record: the crawlers that it names (`*` is any, the empty name one that cannot be read) and
/// its fields.
#[derive(Default)]
pub(super) struct Record {
    pub(super) names: Vec<String>,
    pub(super) fields: Vec<Written>,
    /// The number of each reference in the file, from 1, and its locator.
    pub(super) references: Vec<(u32, Vec<u8>)>,
}

/// A permission or prohibition as written.
#[derive(Clone)]
pub(super) struct Written {
    pub(super) line: u32,
    pub(super) permit: bool,
    pub(super) usage: Named,
    /// A pattern, or the name of a resource set.
    pub(super) resource: Vec<u8>,
    pub(super) conditions: Vec<String>,
    /// The patterns of the sub-record; `None` for a general field.
    pub(super) purposes: Option<Vec<Vec<u8>>>,
}

/// A usage, as written in a field or a definition.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Named {
    /// Standard, or opaque (18).
    Plain(String),
    /// `(name)`.
    Local(String),
}

pub(super) enum Definition {
    Qualified {
        name: String,
        usage: String,
        conditions: Vec<String>,
    },
    Composite {
        name: String,
        members: Vec<Named>,
    },
    /// A malformed composite: it may mean these, in prohibitions alone (40).
    Broken {
        name: String,
        members: Vec<Named>,
    },
    Set {
        name: String,
        patterns: Vec<Vec<u8>>,
    },
}

impl Document {
    pub(super) fn knows(&self, asker: &Asker) -> bool {
        self.records.iter().any(|record| asker.is_named(&record.names))
    }

    pub(super) fn read(robots: &[u8]) -> Document {
        let mut document =
            Document { pilot: version(robots) == Some(b"0.2".to_vec()), ..Document::default() };
        let mut purposes: Option<Vec<Vec<u8>>> = None;
        let mut naming = false; // the last relevant line was `ACAP-crawler` (16)
        let mut opening = false; // the last field of the record was `ACAP-usage-purpose`
        let mut unreadable = false; // a purpose of the sub-record is none (40)
        let mut references = 0;
        for text::Record { line, key, value } in text::records(robots) {
            let Some(key) = key.strip_prefix("acap-") else {
                // 15: suspends the record; others are something between two crawlers in 0.2 alone
                // (36).
                naming &= key != "user-agent" && !(document.pilot && is_of_group(&key));
                continue;
            };
            let permission = ["allow-", "disallow-"].iter().find_map(|start| key.strip_prefix(start));
            let (is_permission, permission) = (permission.is_some(), permission.and_then(usage));
            match key {
                "crawler" => {
                    document.speaks = true;
                    if !naming {
                        document.records.push(Record::default());
                        purposes = None;
                        opening = false;
                        unreadable = false;
                    }
                    let names = &mut document.records.last_mut().expect("one was just pushed").names;
                    names.push(name::of_value(value));
                    naming = true;
                    continue;
                }
                "ignore-conventional-records" => document.ignores_conventional = true,
                key if DEFINITIONS.contains(&key) => document.definitions.extend(definition(key, value)),
                key if is_known(key) => {}
                _ => continue, // an unknown line
            }
            naming = false;
            references += u32::from(key == "permissions-reference");
            let Some(record) = document.records.last_mut() else { continue }; // in no record
            if key == "usage-purpose" {
                if !opening {
                    purposes = Some(Vec::new());
                    unreadable = false;
                }
                opening = true;
                let is_pattern = words(value).len() == 1;
                unreadable |= !is_pattern;
                let pattern = Some(value).filter(|_| is_pattern).unwrap_or_default();
                purposes.get_or_insert_default().push(pattern.to_vec());
            } else if key == "permissions-reference" && !value.is_empty() {
                record.references.push((references, value.to_vec()));
            } else if is_permission {
                opening = false;
                let Some(usage) = permission else { continue }; // the usage is not a name
                let Some((resource, rest)) = words(value).split_first().map(|(&r, rest)| (r, rest.to_vec()))
                else {
                    continue; // a field requires a resource
                };
                let permit = key.starts_with("allow-");
                // 40: prohibitions hold for every purpose then, and permissions for none.
                let every = Some(vec![b"*".to_vec()]).filter(|_| unreadable && !permit);
                record.fields.push(Written {
                    line,
                    permit,
                    usage,
                    resource: resource.to_vec(),
                    conditions: qualifiers(&rest),
                    purposes: every.or_else(|| purposes.clone()),
                });
            }
        }
        document
    }
}

/// True for the keys of conventional records that belong to a group.
pub(super) fn is_of_group(key: &str) -> bool {
    let rules = ["allow", "disallow", "noindex"];
    let others = ["crawl-delay", "request-rate", "visit-time", "comment", "robot-version", "content-signal"];
    rules.contains(&key) || others.contains(&key)
}

const DEFINITIONS: [&str; 3] = ["qualified-usage", "composite-usage", "resource-set"];

/// True for the keys, without `acap-`, that end a run of `ACAP-crawler` lines (16).
pub(super) fn is_known(key: &str) -> bool {
    let others = [
        "ignore-conventional-records",
        "permissions-reference",
        "usage-purpose",
        "request-take-down",
        "request-re-crawl",
    ];
    let is_permission = ["allow-", "disallow-"].iter().any(|start| key.starts_with(start));
    is_permission || DEFINITIONS.contains(&key) || others.contains(&key)
}

/// P3, V3: the number in the first `##ACAP version=` comment that has one. An ordinary comment may
/// follow it.
fn version(robots: &[u8]) -> Option<Vec<u8>> {
    oracle::lines(robots).into_iter().find_map(|line| {
        let rest = trim(line).strip_prefix(b"##")?;
        let (name, rest) = rest.split_at_checked(4)?;
        let rest = Some(trim(rest)).filter(|_| name.eq_ignore_ascii_case(b"acap"))?;
        let (key, rest) = rest.split_at_checked(7)?;
        let rest = trim(rest).strip_prefix(b"=").filter(|_| key.eq_ignore_ascii_case(b"version"))?;
        let part = |byte: &&u8| byte.is_ascii_digit() || **byte == b'.';
        let number: Vec<u8> = trim(rest).iter().take_while(part).copied().collect();
        let [major, minor] = number.split(|&byte| byte == b'.').collect::<Vec<_>>()[..] else {
            return None;
        };
        let ends = matches!(trim(rest).get(number.len()), None | Some(b' ' | b'\t' | b'#'));
        (ends && !major.is_empty() && !minor.is_empty()).then_some(number)
    })
}

/// P7: a letter followed by letters, digits, hyphens, underscores and dots; or such a name in
/// parentheses (P23).
fn usage(text: &str) -> Option<Named> {
    if let Some(local) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
        return Some(Named::Local(local.to_owned()));
    }
    let part = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let is_name = text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.bytes().all(part);
    is_name.then(|| Named::Plain(text.to_owned()))
}

/// P41, P42, P44; without a name or a usage, nothing is defined.
fn definition(key: &str, value: &[u8]) -> Option<Definition> {
    let words = words(value);
    let (name, rest) = words.split_first()?;
    let name = lower(name);
    match key {
        "qualified-usage" => {
            let (first, rest) = rest.split_first()?;
            let Named::Plain(usage) = usage(&lower(first))? else { return None };
            Some(Definition::Qualified { name, usage, conditions: qualifiers(rest) })
        }
        "composite-usage" => {
            if rest.iter().all(|word| usage(&lower(word)).is_some()) {
                let members = rest.iter().filter_map(|word| usage(&lower(word))).collect();
                return Some(Definition::Composite { name, members });
            }
            let names: Vec<String> = rest.iter().map(|word| lower(word)).collect();
            let words = names.iter().flat_map(|word| word.split(','));
            Some(Definition::Broken { name, members: words.filter_map(usage).collect() })
        }
        _ => Some(Definition::Set { name, patterns: rest.iter().map(|word| word.to_vec()).collect() }),
    }
}

/// P38: `type = value`, with optional white space around the sign. Every qualifier counts, known or
/// not (19), as does a word without a sign: a name without a value.
fn qualifiers(words: &[&[u8]]) -> Vec<String> {
    let text = String::from_utf8_lossy(&words.join(&b' ')).replace(" =", "=").replace("= ", "=");
    let canonical = |word: &str| {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        let name = name.to_ascii_lowercase();
        let recrawl = name == "time-limit" && value.eq_ignore_ascii_case("until-recrawl"); // 22
        format!("{name}={}", if recrawl { "until-recrawled" } else { value })
    };
    text.split_ascii_whitespace().map(canonical).collect()
}
