//! The fields of a file after following its references and expanding its local names.
//!
//! Definitions are looked up anywhere in the file itself (24); for a referenced file, also in the
//! file that refers to it (V18).

use super::conventional;
use super::document::{Definition, Document, Named, Record, Written};
use super::name::{self, Asker};
use super::scope::{self, Symbol};
use crate::oracle;

/// One permission or prohibition, for one standard or opaque usage and one pattern.
pub(super) struct Field {
    /// The addressees: names, and `*` for any crawler.
    pub(super) names: Vec<String>,
    /// The purposes; `None` for a general field.
    pub(super) purposes: Option<Vec<Vec<u8>>>,
    pub(super) usage: String,
    pub(super) permit: bool,
    pub(super) pattern: Vec<Symbol>,
    pub(super) conditions: Vec<String>,
    pub(super) line: u32,
}

/// A file with the files to which its records refer.
pub(super) struct Source {
    pub(super) document: Document,
    /// The number of a reference, the index of its record, and the referenced file.
    referred: Vec<(u32, usize, Document)>,
    /// The texts of these files.
    texts: Vec<Vec<u8>>,
    /// The crawlers with references to missing files: names, and `*` for any crawler.
    lacking: Vec<String>,
    /// The site of the file.
    origin: Option<String>,
}

impl Source {
    pub(super) fn new(
        document: Document,
        give: &dyn Fn(&str) -> Option<Vec<u8>>,
        origin: Option<&str>,
    ) -> Source {
        let mut referred = Vec::new();
        let mut texts = Vec::new();
        let mut lacking = Vec::new();
        // 39: a file that refers to itself adds nothing and misses nothing.
        let is_itself = |locator: &[u8]| path(locator, origin).as_deref() == Some("/robots.txt");
        let all = document.records.iter().flat_map(|record| &record.references);
        let itself: Vec<u32> =
            all.filter(|(_, locator)| is_itself(locator)).map(|(number, _)| *number).collect();
        for (index, record) in document.records.iter().enumerate() {
            for (number, locator) in record.references.iter().filter(|(number, _)| !itself.contains(number)) {
                let before = itself.iter().filter(|other| *other < number).count() as u32;
                match path(locator, origin).and_then(|path| give(&path)) {
                    Some(text) => {
                        referred.push((number - before, index, Document::read(&text)));
                        texts.push(text);
                    }
                    None => lacking.extend(record.names.iter().cloned()),
                };
                // 40: nobody knows whose permissions stand there.
                if record.names.iter().any(String::is_empty) {
                    lacking.push("*".to_owned());
                }
            }
        }
        Source { document, referred, texts, lacking, origin: origin.map(str::to_owned) }
    }

    /// 35: the conventional groups of the referenced files, for the crawlers of the referring
    /// records.
    pub(super) fn conventional_groups(&self, origin: Option<&str>) -> Vec<conventional::Group> {
        let mut groups = Vec::new();
        for ((number, index, document), text) in self.referred.iter().zip(&self.texts) {
            if document.speaks && document.ignores_conventional {
                continue;
            }
            for mut group in conventional::groups(text, origin, !document.pilot) {
                group.names = self.addressed(*index, &group.names);
                group.rules.iter_mut().for_each(|rule| rule.line += 1_000_000 * number);
                groups.extend(Some(group).filter(|group| !group.names.is_empty()));
            }
        }
        groups
    }

    /// True if a record that names this crawler, or is for any, refers to a missing file.
    pub(super) fn lacks(&self, asker: Option<&Asker>) -> bool {
        let is_any = |name: &String| name == "*";
        self.lacking.iter().any(is_any) || asker.is_some_and(|asker| asker.is_named(&self.lacking))
    }

    /// Every field: first of the file itself, then of the referenced files.
    pub(super) fn fields(&self) -> Vec<Field> {
        let mut fields = Vec::new();
        for record in &self.document.records {
            for written in &record.fields {
                fields.extend(self.meaning(written, &record.names, 0, None));
            }
            for written in for_everyone(record) {
                fields.extend(self.meaning(&written, &["*".to_owned()], 0, None));
            }
        }
        for (number, index, document) in &self.referred {
            for record in &document.records {
                let names = self.addressed(*index, &record.names);
                for written in record.fields.iter().filter(|_| !names.is_empty()) {
                    fields.extend(self.meaning(written, &names, 1_000_000 * number, Some(document)));
                }
                let sent = self.addressed(*index, &["*".to_owned()]);
                for written in for_everyone(record) {
                    fields.extend(self.meaning(&written, &sent, 1_000_000 * number, Some(document)));
                }
            }
        }
        fields
    }

    /// The crawlers that a record addresses in a file referenced by the record `index`: the
    /// referring record's crawlers that it names, or all of them if it is for any crawler. If the
    /// referring record is for any crawler, all crawlers that it addresses.
    fn addressed(&self, index: usize, there: &[String]) -> Vec<String> {
        let sent = &self.document.records[index].names;
        let any = |names: &[String]| names.iter().any(|name| name == "*");
        let sent: Vec<String> = sent.iter().filter(|name| !name.is_empty()).cloned().collect();
        if any(&sent) {
            let more = sent.iter().filter(|name| *name != "*" && any(there));
            let there = there.iter().filter(|name| !name.is_empty());
            return there.chain(more).cloned().collect();
        }
        if any(there) {
            return sent;
        }
        let pairs = sent.iter().flat_map(|name| there.iter().map(move |other| (name, other)));
        pairs.filter_map(|(name, other)| name::of_both(name, other)).collect()
    }

    /// True if a record names this crawler, here or in a referenced file.
    pub(super) fn knows(&self, asker: &Asker) -> bool {
        let there = |(_, index, document): &(u32, usize, Document)| {
            document.records.iter().any(|record| asker.is_named(&self.addressed(*index, &record.names)))
        };
        self.document.knows(asker) || self.referred.iter().any(there)
    }

    /// The fields that a written field expands to: one for each usage and pattern (P43, P44).
    fn meaning(
        &self,
        written: &Written,
        names: &[String],
        lines: u32,
        file: Option<&Document>,
    ) -> Vec<Field> {
        let mut fields = Vec::new();
        let broken = self.broken(&written.usage, file);
        let mut usages = self.usages(&written.usage, file);
        if !written.permit {
            usages.extend(broken.into_iter().flatten());
        } else if self.is_malformed(&written.usage, file) {
            usages.clear();
        }
        for (usage, conditions) in usages {
            for resource in self.patterns(&written.resource, file) {
                let Some(pattern) = self.pattern(&resource, !written.permit) else { continue }; // 6
                let all = conditions.iter().chain(&written.conditions).filter(|_| written.permit);
                fields.push(Field {
                    names: names.to_vec(),
                    purposes: written.purposes.clone(),
                    usage: usage.clone(),
                    permit: written.permit,
                    pattern,
                    conditions: all.cloned().collect(),
                    line: lines + written.line,
                });
            }
        }
        fields
    }

    /// A resource as a pattern: a path, or a URL of the file's own site (40). Where the site is not
    /// known, a URL counts in prohibitions.
    fn pattern(&self, resource: &[u8], prohibits: bool) -> Option<Vec<Symbol>> {
        let Some((host, rest)) = oracle::authority_and_rest(resource) else {
            return scope::pattern(resource);
        };
        let counts = match &self.origin {
            Some(origin) => oracle::authority_and_rest(origin.as_bytes())?.0 == host,
            None => prohibits && !host.is_empty(),
        };
        scope::pattern(if rest.is_empty() { b"/" } else { rest }).filter(|_| counts)
    }

    /// The definitions of the file itself, then those of the referenced file that is being read.
    fn definitions<'d>(&'d self, file: Option<&'d Document>) -> impl Iterator<Item = &'d Definition> {
        let others = self.referred.iter().map(|(_, _, document)| document);
        let others = others.filter(move |document| file.is_some_and(|file| std::ptr::eq(file, *document)));
        self.document.definitions.iter().chain(others.flat_map(|document| &document.definitions))
    }

    /// The first definition of a usage. Qualified and composite usages share their names (24).
    fn definition<'d>(&'d self, wanted: &str, file: Option<&'d Document>) -> Option<&'d Definition> {
        self.definitions(file).find(|definition| match definition {
            Definition::Qualified { name, .. } | Definition::Composite { name, .. } => name == wanted,
            Definition::Set { .. } | Definition::Broken { .. } => false,
        })
    }

    /// The usages that malformed definitions of a local usage may mean, if there are any (40). A
    /// word that is a local name stands for its usages.
    fn broken(&self, named: &Named, file: Option<&Document>) -> Option<Vec<(String, Vec<String>)>> {
        let Named::Local(wanted) = named else { return None };
        let mut words = self.words(wanted, file)?;
        let (mut usages, mut at) = (Vec::new(), 0);
        while let Some(word) = words.get(at).cloned() {
            at += 1;
            let more = self.words(&word, file);
            match (self.definition(&word, file), &more) {
                (None, None) => usages.push((word, Vec::new())),
                _ => usages.extend(self.usages(&Named::Local(word), file)),
            }
            let new = more.into_iter().flatten().filter(|word| !words.contains(word)).collect::<Vec<_>>();
            words.extend(new);
        }
        Some(usages)
    }

    /// True if a definition of a local usage is malformed (40).
    fn is_malformed(&self, named: &Named, file: Option<&Document>) -> bool {
        let Named::Local(wanted) = named else { return false };
        let of_name =
            |definition: &Definition| matches!(definition, Definition::Broken { name, .. } if name == wanted);
        self.definitions(file).any(of_name)
    }

    /// The words of the malformed definitions of a name. A composite is like one if it names a
    /// composite, or a local name without parentheses (P42).
    fn words(&self, wanted: &str, file: Option<&Document>) -> Option<Vec<String>> {
        let word = |named: &Named| match named {
            Named::Plain(name) | Named::Local(name) => name.clone(),
        };
        let is_nested = |member: &Named| match (member, self.definition(&word(member), file)) {
            (_, None) => false,
            (Named::Plain(_), Some(_)) => true,
            (Named::Local(_), Some(definition)) => matches!(definition, Definition::Composite { .. }),
        };
        let composite = match self.definition(wanted, file) {
            Some(Definition::Composite { members, .. }) => Some(members),
            _ => None,
        };
        let composite = composite.filter(|members| members.iter().any(is_nested));
        let broken = self.definitions(file).filter_map(|definition| match definition {
            Definition::Broken { name, members } if name == wanted => Some(members),
            _ => None,
        });
        let words = broken.chain(composite).map(|members| members.iter().map(word).collect::<Vec<_>>());
        words.reduce(|one, other| [one, other].concat())
    }

    /// Plain usages with their conditions; empty for an undefined name (24).
    fn usages(&self, named: &Named, file: Option<&Document>) -> Vec<(String, Vec<String>)> {
        let qualified = |named: &Named| match named {
            Named::Plain(usage) => Some((usage.clone(), Vec::new())),
            Named::Local(local) => match self.definition(local, file)? {
                Definition::Qualified { usage, conditions, .. } => Some((usage.clone(), conditions.clone())),
                _ => None, // a composite of composites
            },
        };
        match named {
            Named::Local(local) => match self.definition(local, file) {
                Some(Definition::Composite { members, .. }) => members.iter().filter_map(qualified).collect(),
                _ => qualified(named).into_iter().collect(),
            },
            Named::Plain(_) => qualified(named).into_iter().collect(),
        }
    }

    /// The patterns of a resource set, from all its definitions; or the resource itself.
    fn patterns(&self, resource: &[u8], file: Option<&Document>) -> Vec<Vec<u8>> {
        let lower = super::text::lower(resource);
        let set = ["acap:resource-set:", "the-acap:resource-set:"]
            .iter()
            .find_map(|scheme| lower.strip_prefix(scheme));
        let Some(set) = set else { return vec![resource.to_vec()] };
        let of_set = |definition: &Definition| match definition {
            Definition::Set { name, patterns } if name == set => patterns.clone(),
            _ => Vec::new(),
        };
        self.definitions(file).flat_map(of_set).collect()
    }
}

/// 40: the prohibitions of a record of which a crawler cannot be read, for every crawler and every
/// purpose.
fn for_everyone(record: &Record) -> Vec<Written> {
    let is_unreadable = record.names.iter().any(String::is_empty);
    let held = record.fields.iter().filter(|written| is_unreadable && !written.permit);
    held.map(|written| Written { purposes: Some(vec![b"*".to_vec()]), ..written.clone() }).collect()
}

/// The path in a locator, if it is on the file's own host (23), else its URL (39).
fn path(locator: &[u8], origin: Option<&str>) -> Option<String> {
    let path = match oracle::authority_and_rest(locator) {
        Some((host, rest)) if oracle::authority_and_rest(origin?.as_bytes())?.0 == host => rest,
        Some(_) => return std::str::from_utf8(locator).ok().map(str::to_owned),
        None if scope::is_absolute(locator) => return None,
        None => locator,
    };
    let slash = if path.starts_with(b"/") { "" } else { "/" };
    Some(format!("{slash}{}", String::from_utf8_lossy(path)))
}
