//! Diagnostics about the ACAP fields of a tree: each by itself, and their order.
//!
//! The part of `diagnose` for ACAP. Invariants: linear time; each mistake is reported at most once
//! per line; only syntax is judged. This file does not know which names are defined, nor which of
//! two fields wins.

use super::value::{is_known, value};
use super::{Field, Qualifier, Resource, UsageName, declared, fields, version};
use crate::diagnostic::{is_absolute, quote};
use crate::{Code, Diagnostic, Key, Line, LineKind, Span, Tree};

/// The existing versions: the pilot, the first version, and the version with META tags.
const VERSIONS: [(u32, u32); 3] = [(0, 2), (1, 0), (1, 1)];

/// All diagnostics about ACAP, not sorted by place.
pub(crate) fn lint(tree: &Tree<'_>) -> Vec<Diagnostic> {
    // Without a version comment, the rules of 1.0 apply.
    let pilot = version(tree).is_some_and(|(major, ..)| major == 0);
    let mut pass = Pass { tree, pilot, found: Vec::new() };
    pass.versions();
    let mut order = Order::default();
    let mut fields = fields(tree).into_iter();
    for line in &tree.lines {
        match line.kind {
            LineKind::Field(Key::UserAgent) => order.part(),
            LineKind::Acap => match fields.next() {
                Some((_, Ok(field))) => {
                    pass.field(&field);
                    order.see(&field, line, &mut pass);
                }
                Some((_, Err(problem))) => {
                    order.malformed(tree.text(line.key), problem.code, &mut pass);
                    pass.say(problem.code, problem.span, problem.message);
                }
                None => {}
            },
            _ => {}
        }
    }
    order.close(&mut pass);
    pass.found
}

struct Pass<'t, 's> {
    tree: &'t Tree<'s>,
    /// The rules of 0.2 apply.
    pilot: bool,
    found: Vec<Diagnostic>,
}

impl Pass<'_, '_> {
    fn say(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.found.push(Diagnostic { code, span, message: message.into(), second: None });
    }

    fn say_with(&mut self, code: Code, span: Span, message: &str, second: Span, why: &str) {
        let second = Some((second, why.to_owned()));
        self.found.push(Diagnostic { code, span, message: message.to_owned(), second });
    }

    /// V3.
    fn versions(&mut self) {
        let mut first = true;
        for line in &self.tree.lines {
            if let Some(version) = declared(self.tree.text(line.comment)) {
                match version {
                    None => {
                        let message = "no version of ACAP; the comment should read `##ACAP version=1.0`";
                        self.say(Code::AcapVersion, line.comment, message);
                    }
                    Some(version) if VERSIONS.contains(&version) => {}
                    Some((major, minor)) => {
                        let like = if major == 0 { "0.2" } else { "1.0" };
                        let message =
                            format!("there is no version {major}.{minor} of ACAP; it is read as {like}");
                        self.say(Code::AcapVersion, line.comment, message);
                    }
                }
                if !first || line.kind != LineKind::Blank {
                    let message = "the version of ACAP should come before other comments and records";
                    self.say(Code::AcapVersionNotFirst, line.comment, message);
                }
            }
            first &= line.kind == LineKind::Blank && line.comment.is_empty();
        }
    }

    fn field(&mut self, field: &Field) {
        match field {
            Field::Permission { usage, resource, qualifiers } => {
                self.usages(&[*usage]);
                self.resource(*resource);
                if let (UsageName::Local(_), false, Some(span)) = (usage, self.pilot, extent(qualifiers)) {
                    let message = "qualifiers after a local usage; they belong in its definition";
                    self.say(Code::AcapQualifiedLocalUsage, span, message);
                }
                self.qualifiers(qualifiers);
            }
            Field::Prohibition { usage, resource, qualifiers } => {
                self.usages(&[*usage]);
                self.resource(*resource);
                if let UsageName::Local(name) = *usage {
                    let message = "a local usage cannot be prohibited; the usages it stands for are";
                    self.say(Code::AcapLocalProhibition, name, message);
                }
                if let Some(span) = extent(qualifiers) {
                    let message = match self.stray(qualifiers) {
                        Some(word) => format!("a field has one resource; {} has no effect", quote(word)),
                        None => "a prohibition cannot be qualified; it holds without qualifiers".to_owned(),
                    };
                    self.say(Code::AcapQualifiedProhibition, span, message);
                }
            }
            Field::QualifiedUsage { usage, qualifiers, .. } => {
                self.usages(&[*usage]);
                self.qualifiers(qualifiers);
            }
            Field::CompositeUsage { members, .. } => self.usages(members),
            Field::ResourceSet { patterns, .. } => self.patterns(patterns),
            _ => {}
        }
    }

    /// The first word in the place of qualifiers that is none.
    fn stray(&self, qualifiers: &[Qualifier]) -> Option<&[u8]> {
        let stray = qualifiers.iter().find(|qualifier| qualifier.value.is_empty())?;
        Some(self.tree.text(stray.name))
    }

    /// V27.
    fn usages(&mut self, usages: &[UsageName]) {
        let is_extract = |usage: &&UsageName| match usage {
            UsageName::Standard(span) => [&b"present-extract"[..], b"present-oldextract"]
                .iter()
                .any(|name| self.tree.text(*span).eq_ignore_ascii_case(name)),
            UsageName::Local(_) => false,
        };
        if self.pilot {
            return;
        }
        if let Some(usage) = usages.iter().find(is_extract) {
            let message = "only version 0.2 of ACAP has this usage, and it is not declared";
            self.say(Code::AcapExtract, usage.span(), message);
        }
    }

    fn resource(&mut self, resource: Resource) {
        match resource {
            Resource::Pattern(pattern) => self.patterns(&[pattern]),
            Resource::Set(name) => {
                // The name directly follows `acap:resource-set:` or `the-acap:resource-set:`.
                let before = &self.tree.source[..name.start as usize - "resource-set:".len()];
                let scheme =
                    [&b"the-acap:"[..], b"acap:"].into_iter().find(|scheme| ends_with(before, scheme));
                let length = scheme.map_or(0, <[u8]>::len);
                let start = (before.len() - length) as u32;
                self.prefix(Span { start, end: name.end });
            }
        }
    }

    /// V25.
    fn patterns(&mut self, patterns: &[Span]) {
        let is_wrong = |pattern: &&Span| {
            let text = self.tree.text(**pattern);
            is_absolute(text) || text.starts_with(b"//") || scheme(text).is_some()
        };
        if let Some(&pattern) = patterns.iter().find(is_wrong) {
            let message = "an absolute URL where a pattern of paths is expected; it counts as its path on its own site alone";
            self.say(Code::AcapAbsoluteUrl, pattern, message);
        }
        let has_no_slash =
            |pattern: &&Span| !is_wrong(pattern) && !matches!(self.tree.text(**pattern), [b'/' | b'*', ..]);
        if let Some(&pattern) = patterns.iter().find(has_no_slash) {
            let quoted = quote(&[b"/", self.tree.text(pattern)].concat());
            let message = format!("a path begins with `/` or `*`; this one is read as {quoted}");
            self.say(Code::NoLeadingSlash, pattern, message);
        }
    }

    /// V55.
    fn qualifiers(&mut self, qualifiers: &[Qualifier]) {
        let is_wrong = |qualifier: &&Qualifier| {
            let [name, text] = [qualifier.name, qualifier.value].map(|span| self.tree.text(span));
            text.is_empty() || is_known(name) && value(name, text).is_none()
        };
        if let Some(&Qualifier { name, value }) = qualifiers.iter().find(is_wrong) {
            let quoted = quote(self.tree.text(name));
            let effect = "the permission cannot be used";
            let message = if value.is_empty() {
                match self.tree.text(name) {
                    [b'/', ..] => {
                        format!("a field has one resource, and {quoted} is read as a qualifier: {effect}")
                    }
                    _ => format!("{quoted} is no qualifier; one has a type, `=` and a value: {effect}"),
                }
            } else {
                format!("{} is no value that {quoted} can have: {effect}", quote(self.tree.text(value)))
            };
            self.say(Code::AcapQualifierValue, Span { start: name.start, end: value.end }, message);
        }
        let with_scheme = |qualifier: &&Qualifier| scheme(self.tree.text(qualifier.value)).is_some();
        if let Some(qualifier) = qualifiers.iter().find(with_scheme) {
            self.prefix(qualifier.value);
        }
    }

    /// V25: the version decides the prefix of ACAP URIs.
    fn prefix(&mut self, uri: Span) {
        let (right, version) = if self.pilot { ("acap:", "0.2") } else { ("the-acap:", "1.0") };
        let text = self.tree.text(uri);
        if let Some(written) = scheme(text).filter(|&written| written != right) {
            let end = uri.start + written.len() as u32;
            let message = format!("version {version} of ACAP has `{right}` here; it is read as that");
            self.say(Code::AcapPrefix, Span { start: uri.start, end }, message);
        }
    }
}

/// The span of qualifiers, if there are any.
fn extent(qualifiers: &[Qualifier]) -> Option<Span> {
    Some(Span { start: qualifiers.first()?.name.start, end: qualifiers.last()?.value.end })
}

/// The prefix of an ACAP URI; `None` for other URIs.
fn scheme(text: &[u8]) -> Option<&'static str> {
    let begins = |scheme: &&str| {
        text.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme.as_bytes()))
            && !text[scheme.len()..].starts_with(b"//")
    };
    ["acap:", "the-acap:"].into_iter().find(begins)
}

fn ends_with(text: &[u8], end: &[u8]) -> bool {
    text.len().checked_sub(end.len()).is_some_and(|start| text[start..].eq_ignore_ascii_case(end))
}

/// The facts so far that matter for the order of fields.
#[derive(Default)]
struct Order {
    /// There was an ACAP field.
    fields: bool,
    /// There was a record.
    records: bool,
    /// The `*` of the first record for any crawler.
    first_any: Option<Span>,
    /// The open record.
    open: Option<Record>,
}

/// A record, from its first crawler field to the one that opens the next.
#[derive(Default)]
struct Record {
    /// The list of its crawlers is complete, so the next crawler field opens another record (V12).
    is_named: bool,
    any: Option<Span>,
    named: Option<Span>,
    reference: Option<Span>,
    /// A field in addition to the reference, or to the first reference.
    other: Option<Span>,
    /// A sub-record has begun.
    in_sub_record: bool,
}

impl Order {
    /// Records a line that separates two crawler fields: any other field, or a user-agent.
    fn part(&mut self) {
        if let Some(record) = &mut self.open {
            record.is_named = true;
        }
    }

    /// Records a malformed field. It still counts in the order, unless it is unknown.
    fn malformed(&mut self, key: &[u8], code: Code, pass: &mut Pass<'_, '_>) {
        self.fields = true;
        let begins =
            |head: &[u8]| key.get(..head.len()).is_some_and(|start| start.eq_ignore_ascii_case(head));
        if key.eq_ignore_ascii_case(b"acap-crawler") {
            _ = self.crawler(pass);
        } else if code != Code::AcapUnknownField || begins(b"acap-allow-") || begins(b"acap-disallow-") {
            self.part();
            if let Some(record) = &mut self.open {
                record.in_sub_record |= key.eq_ignore_ascii_case(b"acap-usage-purpose");
            }
        }
    }

    /// The record that a crawler field opens or joins.
    fn crawler(&mut self, pass: &mut Pass<'_, '_>) -> &mut Record {
        if self.open.as_ref().is_some_and(|record| record.is_named) {
            self.close(pass);
        }
        self.records = true;
        self.open.get_or_insert_default()
    }

    fn see(&mut self, field: &Field, line: &Line, pass: &mut Pass<'_, '_>) {
        if !matches!(field, Field::Crawler(_)) {
            self.part();
        }
        match field {
            Field::IgnoreConventional => {
                if self.fields {
                    let message = "this directive should come before the other ACAP fields";
                    pass.say(Code::AcapLateDirective, line.key, message);
                }
            }
            Field::QualifiedUsage { .. } | Field::CompositeUsage { .. } | Field::ResourceSet { .. } => {
                if self.records {
                    let message = "definitions should come before the first record";
                    pass.say(Code::AcapLateDefinition, line.key, message);
                }
            }
            Field::Crawler(name) => {
                let record = self.crawler(pass);
                let place = if pass.tree.text(*name) == b"*" { &mut record.any } else { &mut record.named };
                place.get_or_insert(*name);
            }
            _ => {
                if let Some(record) = &mut self.open {
                    record.see(field, line, pass);
                }
            }
        }
        self.fields = true;
    }

    /// Closes the open record, if any.
    fn close(&mut self, pass: &mut Pass<'_, '_>) {
        let Some(record) = self.open.take() else { return };
        if let (Some(any), Some(named)) = (record.any, record.named) {
            let message = "a record for any crawler should name no other";
            pass.say_with(Code::AcapAnyCrawlerWithNames, any, message, named, "named here");
        }
        if let Some(any) = record.any {
            match self.first_any {
                None => self.first_any = Some(any),
                Some(first) => {
                    let message = "there should be one record for any crawler; they are read as one";
                    pass.say_with(Code::AcapRepeatedAnyCrawler, any, message, first, "the first is here");
                }
            }
        }
        if let (Some(reference), Some(other)) = (record.reference, record.other) {
            let message = "a record with a permissions reference should have no other field";
            pass.say_with(Code::AcapReferenceNotAlone, reference, message, other, "the other field");
        }
    }
}

impl Record {
    /// Checks a field after the crawler fields.
    fn see(&mut self, field: &Field, line: &Line, pass: &mut Pass<'_, '_>) {
        match field {
            Field::PermissionsReference(locator) if self.reference.is_none() => {
                self.reference = Some(*locator);
                return;
            }
            Field::UsagePurpose(_) => self.in_sub_record = true,
            Field::Request { .. } if self.in_sub_record => {
                let message = "action requests should come before the first usage purpose of a record";
                pass.say(Code::AcapRequestInSubRecord, line.key, message);
            }
            _ => {}
        }
        self.other.get_or_insert(line.key);
    }
}
