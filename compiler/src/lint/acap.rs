//! Names, records and references of ACAP: consistency between the fields of a text.
//!
//! The grammar knows which fields exist, `qualifiers` checks those of a permission, and `fields`
//! checks which of two wins. Names are compared in lower case (P7). Files that the text refers to
//! may use its definitions, so in a text with references no definition is reported as unused.

mod qualifiers;

use super::{Code, Pass, quote};
use crate::Options;
use crate::context::CompileContext;
use crate::language::acap::{referred, same_site};
use crate::language::condition::Dialect;
pub(super) use qualifiers::QUALIFIERS;
use robomaton_formats::profile::AgentRule;
use robomaton_formats::vocabulary::usage_of_label;
use robomaton_formats::{NoCrawler, SiteKey};
use robomaton_grammar::acap::{Field, Problem, Resource, UsageName, fields, version};
use robomaton_grammar::{Key, LineKind, Span, scan};
use std::collections::{HashMap, HashSet};

pub(super) fn lint(context: &CompileContext<'_, '_>, options: &Options, pass: &mut Pass<'_, '_>) {
    let read = fields(pass.tree);
    if read.is_empty() {
        return;
    }
    let declared = version(pass.tree).map(|(major, minor, _)| (major, minor));
    let mut lint = Lint {
        dialect: Dialect::of(declared),
        usages: HashMap::new(),
        sets: HashMap::new(),
        first_record: None,
        limit: options.limits.bytes(options.profile),
        chains: HashMap::new(),
        pass,
    };
    lint.records(&read);
    lint.sub_records(&read);
    let fields: Vec<(usize, Field)> =
        read.into_iter().filter_map(|(line, field)| Some((line, field.ok()?))).collect();
    lint.ignored(&fields);
    lint.suspended(&fields);
    lint.define(&fields);
    for (line, field) in &fields {
        lint.field(*line, field, context);
    }
    if !fields.iter().any(|(_, field)| matches!(field, Field::PermissionsReference(_))) {
        lint.unused(&fields);
    }
}

/// A local usage, as in its first definition.
struct Usage {
    name: Span,
    is_composite: bool,
}

struct Lint<'l, 't, 's> {
    dialect: Dialect,
    usages: HashMap<Vec<u8>, Usage>,
    sets: HashMap<Vec<u8>, Span>,
    /// The start of the first record.
    first_record: Option<u32>,
    /// The number of bytes read of a referenced file.
    limit: usize,
    /// The references made by files of the site, keyed by path.
    chains: HashMap<String, Option<Vec<u8>>>,
    pass: &'l mut Pass<'t, 's>,
}

impl Lint<'_, '_, '_> {
    fn name(&self, span: Span) -> Vec<u8> {
        self.pass.tree.text(span).to_ascii_lowercase()
    }

    fn quoted(&self, span: Span) -> String {
        quote(self.pass.tree.text(span))
    }

    /// Fields outside records, and records that share their fields across a gap (decision 16).
    fn records(&mut self, fields: &[(usize, Result<Field, Problem>)]) {
        let tree = self.pass.tree;
        // The last crawler field, until another field follows it.
        let mut open: Option<(usize, Span)> = None;
        let mut any = false;
        for (line, field) in fields {
            match field {
                Ok(Field::Crawler(name)) => {
                    if let Some((last, first)) = open {
                        let between = &tree.lines[last + 1..*line];
                        let parted = between.iter().any(|line| line.kind == LineKind::Field(Key::UserAgent));
                        if !parted && between.iter().any(|line| line.kind == LineKind::Blank) {
                            let message = "no field stands between two crawlers, so they share one record: all that \
                                           follows is for both";
                            self.pass.say_with(
                                Code::AcapMergedRecords,
                                *name,
                                message,
                                first,
                                "the one before",
                            );
                        }
                    }
                    (open, any) = (Some((*line, *name)), true);
                    self.unusable(*name);
                }
                Ok(
                    Field::QualifiedUsage { .. } | Field::CompositeUsage { .. } | Field::ResourceSet { .. },
                )
                | Ok(Field::IgnoreConventional) => open = None,
                // It may be a crawler field without a name; the grammar reports the error.
                Err(_) => (open, any) = (None, true),
                Ok(_) => {
                    open = None;
                    if !any {
                        let message = "a field before any crawler field; it says nothing";
                        self.pass.say(Code::AcapFieldOutsideRecord, tree.lines[*line].key, message);
                    }
                }
            }
        }
    }

    /// A name that no crawler can give (decision 34).
    fn unusable(&mut self, name: Span) {
        let text = self.pass.tree.text(name);
        let why = match std::str::from_utf8(text).ok().filter(|text| text.is_ascii()) {
            None => "it is not ASCII",
            Some("") => return,
            Some(text) if text.starts_with(['"', '\'']) => "it is quoted",
            Some(text) => match AgentRule::Token.crawler_names(text) {
                Ok(_) => return,
                Err(NoCrawler::Browser(_)) => "it is the header of a browser",
                Err(NoCrawler::Nameless(_)) => "a name begins with a letter, a digit, `_`, `-` or `.`",
            },
        };
        let message = format!("no crawler can give the name {}: {why}", quote(text));
        self.pass.say(Code::AcapUnusableName, name, message);
    }

    /// Usage purposes without fields (P19). Sub-records begin and end as in `lower`.
    fn sub_records(&mut self, fields: &[(usize, Result<Field, Problem>)]) {
        let mut any = false;
        let mut open: Option<Span> = None;
        let mut empty = Vec::new();
        for (_, field) in fields {
            match field {
                Ok(Field::Crawler(_)) => {
                    empty.extend(open.take());
                    any = true;
                }
                Ok(Field::UsagePurpose(purpose)) if any => _ = open.get_or_insert(*purpose),
                // The intended field is unknown.
                Ok(Field::Permission { .. } | Field::Prohibition { .. }) | Err(_) => open = None,
                Ok(_) => {}
            }
        }
        for purpose in empty.into_iter().chain(open) {
            let message = "a usage purpose without a field after it; nothing is said of it";
            self.pass.say(Code::AcapEmptySubRecord, purpose, message);
        }
    }

    /// Fields of a record after a conventional record (decision 15).
    fn suspended(&mut self, fields: &[(usize, Field)]) {
        let mut fields = fields.iter().peekable();
        let mut record = None;
        let mut parted = false;
        for (index, line) in self.pass.tree.lines.iter().enumerate() {
            if line.kind == LineKind::Field(Key::UserAgent) {
                parted = true;
            }
            let Some((_, field)) = fields.next_if(|(at, _)| *at == index) else { continue };
            match (field, record) {
                (Field::Crawler(name), _) => (record, parted) = (Some(*name), false),
                (
                    Field::QualifiedUsage { .. }
                    | Field::CompositeUsage { .. }
                    | Field::ResourceSet { .. }
                    | Field::IgnoreConventional,
                    _,
                ) => {}
                (_, Some(record)) if parted => {
                    let message =
                        "a field behind a user-agent line; it belongs to the ACAP record before that";
                    self.pass.say_with(Code::AcapSuspendedRecord, line.key, message, record, "the record");
                    // Once for each place where the record continues.
                    parted = false;
                }
                _ => {}
            }
        }
    }

    /// Conventional rules in ACAP records (V53, decision 15). The pilot reads them, and no finding
    /// is needed if all are to be ignored.
    fn ignored(&mut self, fields: &[(usize, Field)]) {
        let alone = fields.iter().any(|(_, field)| *field == Field::IgnoreConventional);
        if alone || self.dialect == Dialect::Pilot {
            return;
        }
        let mut crawlers = fields.iter().filter(|(_, field)| matches!(field, Field::Crawler(_))).peekable();
        let mut inside = None;
        for (index, line) in self.pass.tree.lines.iter().enumerate() {
            if crawlers.next_if(|(crawler, _)| *crawler == index).is_some() {
                inside = Some(line.value);
            }
            match (line.kind, inside) {
                (LineKind::Field(Key::UserAgent), _) => inside = None,
                (LineKind::Field(Key::Allow | Key::Disallow | Key::Noindex), Some(record)) => {
                    let span = Span { start: line.key.start, end: line.value.end.max(line.key.end) };
                    let message = "a conventional rule inside an ACAP record; it is ignored";
                    self.pass.say_with(Code::AcapIgnoredRule, span, message, record, "the record");
                }
                _ => {}
            }
        }
    }

    /// Collects the definitions of the text (V42 to V45, decision 24).
    fn define(&mut self, fields: &[(usize, Field)]) {
        let tree = self.pass.tree;
        self.first_record = fields.iter().find_map(|(_, field)| match field {
            Field::Crawler(name) => Some(name.start),
            _ => None,
        });
        for (_, field) in fields {
            let (name, is_composite) = match field {
                Field::QualifiedUsage { name, .. } => (*name, false),
                Field::CompositeUsage { name, .. } => (*name, true),
                Field::ResourceSet { name, .. } => {
                    let key = tree.text(*name).to_ascii_lowercase();
                    let first = *self.sets.entry(key).or_insert(*name);
                    if first != *name {
                        let quoted = quote(tree.text(*name));
                        let message =
                            format!("the resource set {quoted} is defined already; both are read as one");
                        self.pass.say_with(Code::AcapRepeatedSet, *name, message, first, "the first is here");
                    }
                    continue;
                }
                _ => continue,
            };
            let own = Usage { name, is_composite };
            let first = self.usages.entry(tree.text(name).to_ascii_lowercase()).or_insert(own).name;
            if first != name {
                let quoted = quote(tree.text(name));
                let message = format!("the usage {quoted} is defined already; this definition is ignored");
                self.pass.say_with(Code::AcapRepeatedUsage, name, message, first, "this one counts");
            }
        }
    }

    fn field(&mut self, line: usize, field: &Field, context: &CompileContext<'_, '_>) {
        match field {
            Field::Permission { usage, resource, qualifiers } => {
                if let UsageName::Standard(span) = *usage
                    && self.name(span) == b"other"
                {
                    let message =
                        "`other` is all that is not named, and what nothing prohibits is permitted anyway";
                    self.pass.say(Code::AcapPermissionOfOther, span, message);
                }
                self.usage(*usage, "this permission is ignored");
                self.resource(*resource, "this permission is ignored");
                self.qualifiers(*usage, qualifiers);
            }
            Field::Prohibition { usage, resource, .. } => {
                self.usage(*usage, "this prohibition is lost");
                self.resource(*resource, "this prohibition is lost");
            }
            Field::QualifiedUsage { usage, qualifiers, .. } => {
                self.usage(*usage, "");
                self.qualifiers(*usage, qualifiers);
            }
            Field::CompositeUsage { members, .. } => members.iter().for_each(|member| self.member(*member)),
            Field::PermissionsReference(locator) => self.reference(*locator, context),
            Field::Request { path, .. } => self.request(self.pass.tree.lines[line].key, *path),
            _ => {}
        }
    }

    /// A request is for one resource (P47), and no crawler has to follow it yet (V57).
    fn request(&mut self, key: Span, path: Span) {
        let text = self.pass.tree.text(path);
        if text.contains(&b'*') || text.ends_with(b"$") {
            let message = format!("{} is read as one path; a request is no pattern", quote(text));
            self.pass.say(Code::AcapRequestIsAPattern, path, message);
        }
        if self.dialect != Dialect::Pilot {
            let message = "action requests are not ready for use; crawlers may ignore them";
            self.pass.say(Code::AcapNotReady, key, message);
        }
    }

    fn usage(&mut self, usage: UsageName, effect: &str) {
        let (span, name) = (usage.span(), self.name(usage.span()));
        match usage {
            UsageName::Standard(_) if std::str::from_utf8(&name).ok().and_then(usage_of_label).is_none() => {
                let message = format!(
                    "ACAP has no usage {}; it is kept, and answers to that name alone",
                    self.quoted(span)
                );
                self.pass.say(Code::AcapUnknownUsage, span, message);
            }
            UsageName::Local(_) if !self.usages.contains_key(&name) => {
                let message = format!("the usage {} is not defined; {effect}", self.quoted(span));
                self.pass.say(Code::AcapUndefinedUsage, span, message);
            }
            _ => {}
        }
    }

    /// Checks a member of a composite usage (P42, P45).
    fn member(&mut self, member: UsageName) {
        let span = member.span();
        let UsageName::Local(_) = member else { return self.usage(member, "") };
        let quoted = self.quoted(span);
        let message = match self.usages.get(&self.name(span)) {
            None => format!("the member {quoted} is not defined; the usage does without it"),
            Some(usage) if usage.is_composite => {
                format!("the member {quoted} is a composite usage itself; the usage does without it")
            }
            Some(usage) => {
                // After the first record, it counts as a late definition.
                let defined = usage.name;
                if defined.start > span.start && self.first_record.is_none_or(|first| defined.start < first) {
                    let message = format!("{quoted} is used here, and defined only behind this definition");
                    self.pass.say_with(Code::AcapDefinitionAfterUse, span, message, defined, "defined here");
                }
                return;
            }
        };
        self.pass.say(Code::AcapCompositeMember, span, message);
    }

    fn resource(&mut self, resource: Resource, effect: &str) {
        if let Resource::Set(span) = resource
            && !self.sets.contains_key(&self.name(span))
        {
            let message = format!("the resource set {} is not defined; {effect}", self.quoted(span));
            self.pass.say(Code::AcapUndefinedSet, span, message);
        }
    }

    /// References without effect (V16, decision 23).
    fn reference(&mut self, locator: Span, context: &CompileContext<'_, '_>) {
        let text = String::from_utf8_lossy(self.pass.tree.text(locator)).into_owned();
        let effect = "what it says is not known, so whatever needs a permission is prohibited";
        // Without a known site, the URL may belong to it.
        let itself = SiteKey::from_url(&text).ok().filter(|_| context.origin.is_none());
        let origin = context.origin.or(itself.as_ref().map(SiteKey::authority));
        let key = referred(&text, origin);
        match key.and_then(|key| context.files.iter().find(|(file, _)| *file == key)) {
            Some((key, file)) => self.chain(locator, (*key).to_owned(), file),
            None => {
                let (code, what) = match same_site(&text, origin) {
                    Some(_) => (Code::AcapReferenceMissing, "the file"),
                    None => (Code::AcapReferenceElsewhere, "the file of another server,"),
                };
                let message = format!("{what} {} is not at hand; {effect}", quote(text.as_bytes()));
                self.pass.say(code, locator, message);
            }
        }
    }

    /// References made by a referenced file (V17).
    fn chain(&mut self, locator: Span, path: String, file: &[u8]) {
        let limit = self.limit;
        let further = self.chains.entry(path).or_insert_with(|| {
            let tree = scan(file, limit);
            fields(&tree).into_iter().find_map(|(_, field)| match field {
                Ok(Field::PermissionsReference(further)) => Some(tree.text(further).to_vec()),
                _ => None,
            })
        });
        if let Some(further) = further {
            let message = format!("this file refers on to {}, which is not followed", quote(further));
            self.pass.say(Code::AcapReferenceChain, locator, message);
        }
    }

    /// Unused definitions.
    fn unused(&mut self, fields: &[(usize, Field)]) {
        let mut used: HashSet<Vec<u8>> = HashSet::new();
        let mut used_sets: HashSet<Vec<u8>> = HashSet::new();
        for (_, field) in fields {
            match field {
                Field::Permission { usage, resource, .. } | Field::Prohibition { usage, resource, .. } => {
                    if let UsageName::Local(span) = usage {
                        used.insert(self.name(*span));
                    }
                    if let Resource::Set(span) = resource {
                        used_sets.insert(self.name(*span));
                    }
                }
                Field::CompositeUsage { members, .. } => {
                    let local = members.iter().filter(|member| matches!(member, UsageName::Local(_)));
                    used.extend(local.map(|member| self.name(member.span())));
                }
                _ => {}
            }
        }
        let is_first = |lint: &Self, name: Span, usage: bool| match usage {
            true => lint.usages.get(&lint.name(name)).is_some_and(|usage| usage.name == name),
            false => lint.sets.get(&lint.name(name)) == Some(&name),
        };
        for (_, field) in fields {
            let (name, what) = match field {
                Field::QualifiedUsage { name, .. } | Field::CompositeUsage { name, .. }
                    if is_first(self, *name, true) && !used.contains(&self.name(*name)) =>
                {
                    (*name, "usage")
                }
                Field::ResourceSet { name, .. }
                    if is_first(self, *name, false) && !used_sets.contains(&self.name(*name)) =>
                {
                    (*name, "resource set")
                }
                _ => continue,
            };
            let message = format!("nothing refers to the {what} {}", self.quoted(name));
            self.pass.say(Code::AcapUnusedDefinition, name, message);
        }
    }
}
