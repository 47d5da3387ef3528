//! Records of ACAP 0.2, 1.0 and 1.1 → groups of fields (P1 to P57, V1 to V59).
//!
//! Each sub-record, and the general part of each record, becomes one group. Local usages and
//! resource sets are expanded here, so later passes see rules with one standard usage and one
//! pattern. A file that a record refers to is read in the same way for the crawlers of that record.
//! Invariants: a text without an `ACAP-crawler` field has no effect here; definitions may come
//! after their use (decision 24); expansion is subject to the limits of `spent`. This module knows
//! nothing of precedence.

mod crawlers;
mod definitions;
mod size;
mod spent;

use super::condition::{Dialect, Place, condition};
use super::conventional::{Conventional, is_of_group};
use super::own_path::{Reading, own_path};
use super::{Language, Lints, Source, reader};
use crate::context::CompileContext;
use crate::limits::{LimitName, OverLimit};
use crate::lowering::{Draft, Lowering, number};
use crate::policy::{Agent, Combiner, Extension, Sense};
use crawlers::Sent;
pub(crate) use crawlers::name_whole;
use definitions::{Definitions, Meaning, pattern};
use robomaton_formats::policy::{Role, USAGES};
use robomaton_formats::program::Silence;
use robomaton_formats::site::absolute_url;
use robomaton_formats::{Notation, SiteKey};
use robomaton_grammar::acap::{self, Action, Field, Problem, Qualifier, Resource, UsageName};
use robomaton_grammar::{Code, Key, Line, LineKind, Span, Tree};
use size::RecordSize;
pub(super) use spent::Spent;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

pub(super) struct Acap;

impl Language for Acap {
    fn usages(&self) -> &'static [&'static str] {
        &USAGES
    }

    fn combiner(&self) -> Combiner {
        Combiner::Specificity
    }

    fn silence(&self, _usage: u16) -> Silence {
        Silence::Allowed
    }

    fn lints(&self) -> &'static [Lints] {
        &[Lints::Fields]
    }

    /// The conventional rules that an ACAP text ignores (P4, P54, V53).
    fn suspends(&self, tree: &Tree<'_>) -> Option<Vec<bool>> {
        Some(Text::read(tree, None)?.suspended())
    }

    fn lower<'s>(&self, source: &Source<'_, 's>, lowering: &mut Lowering<'s, '_>) -> Result<(), OverLimit> {
        // A text with records always suspends lines, at least its own, so other texts need not be
        // searched again.
        let read = || Text::read(source.tree, source.context.origin);
        let text = source.suspended.as_ref().and_then(|_| read());
        text.map_or(Ok(()), |text| text.lower(source.context, lowering))
    }
}

/// The ACAP fields of one text.
struct Text<'t, 's> {
    tree: &'t Tree<'s>,
    /// Line index and field, in file order. `None` for a malformed field, of which only its
    /// presence matters.
    fields: Vec<(usize, Option<Field>)>,
    dialect: Dialect,
    /// All conventional records are to be ignored (P4, V4).
    alone: bool,
    /// For each line, true if it is a conventional line inside an ACAP record.
    inside: Vec<bool>,
    /// The authority from which the text was fetched.
    origin: Option<&'t str>,
}

impl<'t, 's> Text<'t, 's> {
    /// Reads the fields of a text; `None` if it has no record.
    fn read(tree: &'t Tree<'s>, origin: Option<&'t str>) -> Option<Text<'t, 's>> {
        if !tree.lines.iter().any(|line| line.kind == LineKind::Acap) {
            return None;
        }
        let understood = |(line, field): (usize, Result<Field, Problem>)| match field {
            Ok(field) => Some((line, Some(field))),
            Err(problem) => Some((line, malformed(tree, line, &problem)?)),
        };
        let fields: Vec<_> = acap::fields(tree).into_iter().filter_map(understood).collect();
        let is_crawler = |field: &Option<Field>| matches!(field, Some(Field::Crawler(_)));
        let mut crawlers = fields.iter().filter(|(_, field)| is_crawler(field)).peekable();
        crawlers.peek()?;
        let mut inside = Vec::with_capacity(tree.lines.len());
        let mut is_inside = false;
        for (index, line) in tree.lines.iter().enumerate() {
            is_inside |= crawlers.next_if(|(crawler, _)| *crawler == index).is_some();
            // A user-agent always opens a conventional record (decision 15).
            is_inside &= line.kind != LineKind::Field(Key::UserAgent);
            inside.push(is_inside);
        }
        let version = acap::version(tree).map(|(major, minor, _)| (major, minor));
        let alone = fields.iter().any(|(_, field)| *field == Some(Field::IgnoreConventional));
        Some(Text { tree, fields, dialect: Dialect::of(version), alone, inside, origin })
    }

    /// For each line, true if a conventional record there is not one of the group above it: all are
    /// ignored (P4, V4), or it is inside an ACAP record (V53, decision 36).
    fn suspended(&self) -> Vec<bool> {
        self.inside.iter().map(|is_inside| self.alone || *is_inside).collect()
    }

    /// Adds the records to the policy.
    fn lower(
        &self,
        context: &CompileContext<'_, 's>,
        lowering: &mut Lowering<'s, '_>,
    ) -> Result<(), OverLimit> {
        lowering.policy.is_acap = true;
        lowering.policy.has_records = true;
        if self.alone {
            lowering.policy.groups.clear();
            lowering.policy.rules.clear();
        }
        let records = self.records();
        let references = self.references(&records, context.origin);
        let allowed = lowering.options.limits.references;
        if let Some(reference) = references.get(allowed) {
            return Err(OverLimit { limit: LimitName::References, allowed, line: reference.line });
        }
        let mut numbers = Vec::with_capacity(references.len());
        for Reference { locator, file, .. } in &references {
            // Whether an absolute URL belongs to this site depends on the origin.
            lowering.policy.depends_on_origin |= SiteKey::from_url(locator).is_ok();
            numbers.push(lowering.add_file(locator));
            lowering.policy.references.extend(file.clone());
        }
        // Each file is read once, regardless of the number of references to it.
        let limit = lowering.options.limits.bytes(lowering.options.profile);
        let mut trees: BTreeMap<&str, Tree<'s>> = BTreeMap::new();
        for file in references.iter().filter_map(|reference| reference.file.as_deref()) {
            if let Some((_, text)) = context.files.iter().find(|(key, _)| *key == file) {
                trees.entry(file).or_insert_with(|| robomaton_grammar::scan(text, limit));
            }
        }
        let mut spent = Spent::default();
        let mut files: BTreeMap<&str, (Text<'_, 's>, Definitions<'s>)> = BTreeMap::new();
        for (&path, tree) in &trees {
            size::check_fields(tree, lowering.options.limits.field)?;
            if let Some(file) = Text::read(tree, context.origin) {
                // Within a file, its own definitions apply, and those of the file that refers to it
                // (V18).
                let definitions = Definitions::of(&[self, &file], &mut spent, lowering)?;
                files.insert(path, (file, definitions));
            }
        }
        // A file that a record for unknown crawlers refers to is not read for anyone.
        let is_missing = |reference: &&Reference| {
            let is_unread = reference.home.is_some_and(|home| records[home].is_unreadable);
            is_unread || reference.file.as_deref().is_none_or(|file| !trees.contains_key(file))
        };
        let missing: HashSet<usize> =
            references.iter().filter(is_missing).filter_map(|reference| reference.home).collect();

        if self.dialect == Dialect::Pilot && !self.alone {
            self.conventional(&records, lowering)?;
        }
        size::check_fields(self.tree, lowering.options.limits.field)?;
        let definitions = Definitions::of(&[self], &mut spent, lowering)?;
        for (number, record) in records.iter().enumerate() {
            let (incomplete, any) = (missing.contains(&number), &[Agent::Any]);
            let address = Address { incomplete, agents: &record.agents, any };
            self.record(record, &address, &definitions, &mut spent, lowering)?;
        }
        for (reference, number) in references.iter().zip(numbers) {
            let (Some(home), Some(key)) = (reference.home, reference.file.as_deref()) else { continue };
            let Some(tree) = trees.get(key) else { continue };
            lowering.file = number;
            let sent = Sent::new(&records[home].agents);
            let file = files.get(key);
            if file.is_none_or(|(file, _)| !file.alone) {
                let suspended = file.map(|(file, _)| file.suspended());
                referred_groups(&Source { tree, context, suspended }, &sent, lowering)?;
            }
            let Some((file, definitions)) = file else { continue };
            let records = file.records();
            // Once for all records: there may be many, and many crawlers.
            let any = match records.iter().any(|record| record.is_unreadable) {
                true => sent.addressed(&[Agent::Any]),
                false => Vec::new(),
            };
            for record in records {
                let agents = sent.addressed(&record.agents);
                if !agents.is_empty() || record.is_unreadable {
                    let address = Address { incomplete: false, agents: &agents, any: &any };
                    file.record(&record, &address, definitions, &mut spent, lowering)?;
                }
            }
        }
        lowering.file = 0;
        Ok(())
    }

    /// Adds the conventional records inside ACAP records of the pilot, for the crawlers of these
    /// (P54, decision 36).
    fn conventional(&self, records: &[Record<'s>], lowering: &mut Lowering<'s, '_>) -> Result<(), OverLimit> {
        let mut opened = None;
        for (index, line) in self.tree.lines.iter().enumerate().filter(|(index, _)| self.inside[*index]) {
            let is_wanted = match line.kind {
                LineKind::Field(key) => is_of_group(key),
                _ => reader(lowering.options.profile, self.tree, line).is_some(),
            };
            if !is_wanted {
                continue;
            }
            // Records are consecutive, and this line is inside one.
            let at = records.partition_point(|record| record.line <= number(index)) - 1;
            if opened != Some(at) {
                lowering.open(records[at].line)?;
                records[at].agents.iter().for_each(|agent| lowering.agent(agent.clone()));
                opened = Some(at);
            }
            Conventional.record_on(self.tree, index, self.origin, lowering)?;
        }
        lowering.close();
        // Groups of one crawler are merged in file order (R7).
        lowering.policy.groups.sort_by_key(|group| group.line);
        Ok(())
    }

    /// The fields that refer to other files, in file order. Such a field outside all records
    /// addresses no crawler.
    fn references(&self, records: &[Record<'s>], origin: Option<&str>) -> Vec<Reference> {
        let fields = self.fields.iter().enumerate();
        let reference = |(at, (line, field)): (usize, &(usize, Option<Field>))| {
            let Some(Field::PermissionsReference(span)) = field else { return None };
            let locator = String::from_utf8_lossy(self.tree.text(*span)).into_owned();
            // Records are consecutive.
            let home = records.partition_point(|record| record.span.end <= at);
            let home =
                Some(home).filter(|&home| records.get(home).is_some_and(|record| record.span.contains(&at)));
            let file = home.and_then(|_| referred(&locator, origin));
            // A file that refers to itself adds nothing and misses nothing (decision 39).
            let is_itself = file.as_deref() == Some("/robots.txt");
            (!is_itself).then(|| Reference { home, locator, file, line: number(*line) })
        };
        fields.filter_map(reference).collect()
    }

    /// The records, as runs of fields (P13). A user-agent line between two crawler fields also
    /// separates them, and in the pilot any conventional record of a group (decisions 16, 36).
    fn records(&self) -> Vec<Record<'s>> {
        let mut records: Vec<Record<'s>> = Vec::new();
        let (mut open, mut last) = (false, 0);
        for (at, (line, field)) in self.fields.iter().enumerate() {
            match field {
                Some(Field::Crawler(name)) => {
                    let mut between = self.tree.lines[last..*line].iter();
                    let separates = |line: &Line| match line.kind {
                        LineKind::Field(Key::UserAgent) => true,
                        LineKind::Field(key) => self.dialect == Dialect::Pilot && is_of_group(key),
                        _ => false,
                    };
                    open &= !between.any(separates);
                    if !open {
                        let (line, span) = (number(*line), at..at);
                        records.push(Record { agents: Vec::new(), is_unreadable: false, line, span });
                    }
                    (open, last) = (true, *line);
                    if let Some(record) = records.last_mut() {
                        record.agents.extend(crawlers::agents(self.tree.text(*name)));
                        record.is_unreadable |= name.is_empty();
                    }
                }
                _ => open = false,
            }
            if let Some(record) = records.last_mut() {
                record.span.end = at + 1;
            }
        }
        records
    }

    /// Adds one record's groups for these crawlers.
    fn record(
        &self,
        record: &Record<'s>,
        address: &Address<'_, 's>,
        definitions: &Definitions<'s>,
        spent: &mut Spent,
        lowering: &mut Lowering<'s, '_>,
    ) -> Result<(), OverLimit> {
        let Address { incomplete, agents, any } = *address;
        let open_for =
            |agents: &[Agent<'s>], line: u32, spent: &mut Spent, lowering: &mut Lowering<'s, '_>| {
                lowering.open_as(Role::Field, line)?;
                spent.address(agents.len(), line)?;
                if let Some(group) = &mut lowering.open {
                    (group.agents, group.incomplete) = (agents.to_vec(), incomplete);
                }
                Ok::<_, OverLimit>(())
            };
        let open = |line: u32, spent: &mut Spent, lowering: &mut Lowering<'s, '_>| {
            open_for(agents, line, spent, lowering)
        };
        open(record.line, spent, lowering)?;
        // True while a further purpose field extends the open sub-record.
        let mut joins = false;
        // True if a purpose of the open sub-record cannot be read.
        let mut is_unreadable = false;
        // Prohibitions of such sub-records, which hold for every purpose (decision 40).
        let mut held: Vec<Statement<'_>> = Vec::new();
        // Prohibitions of a record whose crawlers cannot be read, which hold for every one as well.
        let mut for_any: Vec<Statement<'_>> = Vec::new();
        let mut size = RecordSize::default();
        for (index, field) in &self.fields[record.span.clone()] {
            let line = number(*index);
            size.add(field.as_ref(), joins, line, &lowering.options.limits)?;
            match field {
                Some(Field::UsagePurpose(pattern)) => {
                    if !joins {
                        open(line, spent, lowering)?;
                        is_unreadable = false;
                    }
                    joins = true;
                    is_unreadable |= pattern.is_empty();
                    if let Some(group) = &mut lowering.open {
                        group.purposes.push(Cow::Borrowed(self.tree.text(*pattern)));
                    }
                }
                Some(Field::Permission { usage, resource, qualifiers }) => {
                    joins = false;
                    let field = Statement { sense: Sense::Permit, usage, resource, qualifiers, line };
                    self.statement(&field, definitions, spent, lowering)?;
                }
                Some(Field::Prohibition { usage, resource, .. }) => {
                    joins = false;
                    let field = Statement { sense: Sense::Prohibit, usage, resource, qualifiers: &[], line };
                    if record.is_unreadable {
                        for_any.push(field);
                    }
                    if is_unreadable {
                        held.push(field);
                    } else {
                        self.statement(&field, definitions, spent, lowering)?;
                    }
                }
                Some(Field::Request { action, path }) => {
                    let key = match action {
                        Action::TakeDown => "request-take-down",
                        Action::ReCrawl => "request-re-crawl",
                    };
                    let value = String::from_utf8_lossy(self.tree.text(*path));
                    if let Some(group) = &mut lowering.open {
                        group.extensions.push(Extension { key: Cow::Borrowed(key), value, line });
                    }
                }
                None => joins = false,
                _ => {}
            }
        }
        let is_missing = record.is_unreadable && incomplete;
        for (agents, held, is_missing) in [(agents, held, false), (any, for_any, is_missing)] {
            let line = held.first().map(|field| field.line).or(is_missing.then_some(record.line));
            let Some(line) = line else { continue };
            open_for(agents, line, spent, lowering)?;
            if let Some(group) = &mut lowering.open {
                group.purposes.push(Cow::Borrowed(&b"*"[..]));
            }
            for field in &held {
                self.statement(field, definitions, spent, lowering)?;
            }
        }
        lowering.close();
        Ok(())
    }

    /// The canonical pattern of a resource; `None` if it is no path of this site (decision 6). The
    /// URL of a path of this site stands for the path (decision 40).
    fn pattern(&self, resource: Span, lowering: &mut Lowering<'s, '_>) -> Option<Cow<'s, [u8]>> {
        let text = self.tree.text(resource);
        let url = own_path(text, self.origin);
        lowering.policy.depends_on_origin |= url.is_some();
        match url {
            Some(Reading::Elsewhere) => None,
            Some(Reading::Own(path)) => pattern(if path.is_empty() { b"/" } else { path }),
            None => pattern(text),
        }
    }

    /// Adds the rules of one permission or prohibition: one for each usage and pattern that it
    /// expands to (P43, P44).
    fn statement(
        &self,
        statement: &Statement<'_>,
        definitions: &Definitions<'s>,
        spent: &mut Spent,
        lowering: &mut Lowering<'s, '_>,
    ) -> Result<(), OverLimit> {
        let Statement { sense, line, .. } = *statement;
        let name = self.lower_case(statement.usage.span());
        let own = |usage: &str| -> Vec<_> {
            let qualifiers = statement.qualifiers.iter();
            qualifiers.map(|qualifier| self.condition(usage, qualifier)).collect()
        };
        let single;
        let patterns: &[Cow<'s, [u8]>] = match statement.resource {
            Resource::Pattern(span) => {
                single = self.pattern(*span, lowering);
                single.as_slice()
            }
            Resource::Set(span) => {
                let set = definitions.sets.get(&self.lower_case(*span));
                set.map(Vec::as_slice).unwrap_or_default()
            }
        };
        let is_local = matches!(statement.usage, UsageName::Local(_));
        // Avoids expanding a local usage for nothing.
        if is_local && patterns.is_empty() {
            return Ok(());
        }
        let multiplies = is_local || matches!(statement.resource, Resource::Set(_));
        let meanings: Vec<Meaning> = match statement.usage {
            UsageName::Standard(_) => {
                let conditions = spent.conditions(own(&name), line, lowering)?;
                vec![Meaning { usage: lowering.usage(&name, line)?, conditions }]
            }
            // A permission for an undefined usage has no effect; a prohibition is an error that
            // lint reports.
            UsageName::Local(_) => match definitions.local(&name, sense) {
                None => return Ok(()),
                Some(meanings) if statement.qualifiers.is_empty() => meanings.into_owned(),
                Some(meanings) => {
                    let joined = meanings.iter().map(|meaning| {
                        let usage = lowering.policy.usage_name(meaning.usage).to_owned();
                        let set = (meaning.conditions as usize).checked_sub(1);
                        let mut all =
                            set.map(|set| lowering.policy.conditions[set].clone()).unwrap_or_default();
                        all.extend(own(&usage));
                        Ok(Meaning { conditions: spent.conditions(all, line, lowering)?, ..*meaning })
                    });
                    joined.collect::<Result<_, OverLimit>>()?
                }
            },
        };
        for Meaning { usage, conditions } in meanings {
            // Prohibiting a qualified usage prohibits its base usage (decision 21).
            let conditions = if sense == Sense::Permit { conditions } else { 0 };
            for pattern in patterns {
                if multiplies {
                    spent.rule(pattern.len(), line, lowering)?;
                }
                let (pattern, notation) = (pattern.clone(), Notation::Acap);
                let (combiner, silence) = (Acap.combiner(), Acap.silence(usage));
                lowering.push(Draft {
                    usage,
                    sense,
                    pattern,
                    notation,
                    combiner,
                    silence,
                    conditions,
                    line,
                })?;
            }
        }
        Ok(())
    }

    /// A name in the form that is compared (P7).
    fn lower_case(&self, name: Span) -> String {
        lower_case(self.tree.text(name))
    }

    fn condition(&self, usage: &str, qualifier: &Qualifier) -> robomaton_formats::Condition {
        let [name, value] = [qualifier.name, qualifier.value].map(|span: Span| self.tree.text(span));
        condition(usage, name, value, self.dialect, Place::File)
    }
}

/// The remaining effect of a malformed field. A crawler field without a name opens a record that
/// permits nothing to anyone; a purpose field without a purpose opens a sub-record for no purpose;
/// a reference with several words refers to a file that nobody has; any other malformed field ends
/// a run of crawler or purpose fields. An unknown field is ignored.
fn malformed(tree: &Tree<'_>, line: usize, problem: &Problem) -> Option<Option<Field>> {
    let line = &tree.lines[line];
    let key = lower_case(tree.text(line.key));
    let permits = ["acap-allow-", "acap-disallow-"].iter().any(|start| key.starts_with(start));
    let is_unknown = problem.code == Code::AcapUnknownField && !permits;
    match key.as_str() {
        _ if is_unknown && !matches!(key.as_str(), "acap-crawler" | "acap-usage-purpose") => None,
        "acap-crawler" => Some(Some(Field::Crawler(Span { start: line.value.start, end: line.value.start }))),
        "acap-usage-purpose" => {
            Some(Some(Field::UsagePurpose(Span { start: line.value.start, end: line.value.start })))
        }
        "acap-permissions-reference" if !line.value.is_empty() => {
            Some(Some(Field::PermissionsReference(line.value)))
        }
        _ => Some(None),
    }
}

/// A permission or a prohibition.
#[derive(Clone, Copy)]
struct Statement<'f> {
    sense: Sense,
    usage: &'f UsageName,
    resource: &'f Resource,
    qualifiers: &'f [Qualifier],
    line: u32,
}

/// The crawlers that a record addresses, and its fields.
struct Record<'s> {
    agents: Vec<Agent<'s>>,
    /// A crawler field of it cannot be read: its prohibitions hold for every crawler as well.
    is_unreadable: bool,
    line: u32,
    /// Indexes into [`Text::fields`].
    span: std::ops::Range<usize>,
}

/// The crawlers that a record's groups address.
struct Address<'a, 's> {
    incomplete: bool,
    agents: &'a [Agent<'s>],
    /// The crawlers that a record for any crawler addresses.
    any: &'a [Agent<'s>],
}

/// A field that refers to another file.
struct Reference {
    /// The number of the record that holds the field.
    home: Option<usize>,
    /// The locator, as written.
    locator: String,
    /// The key of the file in the context; `None` if nothing can be fetched there.
    file: Option<String>,
    line: u32,
}

/// Adds the conventional groups of a referenced file, for the crawlers of the referring record
/// (decision 35). Its records about the whole file are those of another file.
fn referred_groups<'s>(
    source: &Source<'_, 's>,
    sent: &Sent<'_, 's>,
    lowering: &mut Lowering<'s, '_>,
) -> Result<(), OverLimit> {
    let policy = &lowering.policy;
    let [groups, rules, extensions] = [policy.groups.len(), policy.rules.len(), policy.extensions.len()];
    Conventional.lower(source, lowering)?;
    lowering.close();
    let policy = &mut lowering.policy;
    policy.extensions.truncate(extensions);
    let added = policy.rules.split_off(rules);
    for mut group in policy.groups.split_off(groups) {
        group.agents = sent.addressed(&group.agents);
        if group.agents.is_empty() {
            continue;
        }
        let start = policy.rules.len();
        policy.rules.extend_from_slice(&added[group.rules.start - rules..group.rules.end - rules]);
        group.rules = start..policy.rules.len();
        policy.groups.push(group);
    }
    Ok(())
}

fn lower_case(name: &[u8]) -> String {
    String::from_utf8_lossy(name).to_ascii_lowercase()
}

/// The key of a file that a site refers to, as the context has it: path and query if the file is of
/// the site itself, else its URL (decision 39).
pub fn referred(locator: &str, origin: Option<&str>) -> Option<String> {
    same_site(locator, origin).or_else(|| absolute_url(locator))
}

/// Path and query of a locator that is a path, or a URL of the site itself.
pub(crate) fn same_site(locator: &str, origin: Option<&str>) -> Option<String> {
    let scheme = locator.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let is_path = !locator.starts_with("//") && !locator[scheme..].starts_with(':') && !locator.is_empty();
    if is_path {
        let slash = if locator.starts_with('/') { "" } else { "/" };
        return Some(format!("{slash}{locator}"));
    }
    let site = SiteKey::from_url(locator).ok()?;
    let rest = locator.split_once("://")?.1;
    let path = rest.find(['/', '?']).map_or("/", |at| &rest[at..]);
    (origin == Some(site.authority())).then(|| path.to_owned())
}
