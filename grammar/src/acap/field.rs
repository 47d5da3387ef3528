//! From the pairs of `acap.pest` to fields, and from comments to the version.
//!
//! Invariants: the grammar expresses everything that it can, so this file only moves spans; linear
//! time in the length of a line.

use pest::iterators::{Pair, Pairs};

use super::parser::{Rule, partial, total};
use super::{Action, Field, Problem, Qualifier, Resource, UsageName};
use crate::projection::Projection;
use crate::{Code, Line, LineKind, Span, Tree};

/// The field of each ACAP line of a tree, with the index of the line in [`Tree::lines`], in order.
pub fn fields(tree: &Tree<'_>) -> Vec<(usize, Result<Field, Problem>)> {
    let lines = tree.lines.iter().enumerate();
    lines
        .filter(|(_, line)| line.kind == LineKind::Acap)
        .map(|(index, line)| (index, read(tree, line)))
        .collect()
}

/// The version that the first `##ACAP version=n.m` declares, with the index of its line.
///
/// Malformed version comments are skipped, including those with numbers that do not fit a `u32`.
pub fn version(tree: &Tree<'_>) -> Option<(u32, u32, usize)> {
    let comments = tree.lines.iter().enumerate();
    comments
        .filter_map(|(index, line)| Some((declared(tree.text(line.comment))??, index)))
        .next()
        .map(|((major, minor), index)| (major, minor, index))
}

/// The version that a comment declares; `Some(None)` for a malformed version comment.
pub(crate) fn declared(comment: &[u8]) -> Option<Option<(u32, u32)>> {
    // Comments are common, but few of them begin like this.
    if !comment.starts_with(b"##") {
        return None;
    }
    let projection = Projection::new(comment, 0);
    let said = partial(Rule::version_comment, &projection.text)?.into_inner().next()?;
    Some(numbers(said))
}

/// Both numbers of a version; `None` if it is malformed or a number is too large.
pub(crate) fn numbers(version: Pair<'_, Rule>) -> Option<(u32, u32)> {
    let mut parts = version.into_inner().map(|part| part.as_str().parse().ok());
    Some((parts.next()??, parts.next()??))
}

fn read(tree: &Tree<'_>, line: &Line) -> Result<Field, Problem> {
    let text = Span { start: line.key.start, end: line.comment.start };
    let projection = Projection::new(tree.text(text), text.start);
    let field = total(Rule::field, &projection.text).into_inner().next();
    let field = field.expect("a field is one of its alternatives");
    Reader { projection: &projection, line }.field(field)
}

struct Reader<'p> {
    projection: &'p Projection<'p>,
    line: &'p Line,
}

impl Reader<'_> {
    fn field(&self, field: Pair<'_, Rule>) -> Result<Field, Problem> {
        let rule = field.as_rule();
        let mut parts = field.into_inner();
        // The key comes first; only unknown fields have none.
        let key = parts.next().map(|key| key.as_rule());
        let mut part = || parts.next().expect("the rule of the field has this part");
        Ok(match rule {
            Rule::ACAP_ignore_conventional_records => Field::IgnoreConventional,
            Rule::any_crawler_identification_field | Rule::named_crawler_identification_field => {
                Field::Crawler(self.span(&part()))
            }
            Rule::permissions_reference_field => Field::PermissionsReference(self.span(&part())),
            Rule::usage_purpose_pattern_field => Field::UsagePurpose(self.span(&part())),
            Rule::permission_field => Field::Permission {
                usage: self.usage(part()),
                resource: self.resource(part()),
                qualifiers: self.qualifiers(parts),
            },
            Rule::prohibition_field => Field::Prohibition {
                usage: self.usage(part()),
                resource: self.resource(part()),
                qualifiers: self.qualifiers(parts),
            },
            Rule::action_request_field => {
                let action = match part().as_rule() {
                    Rule::take_down => Action::TakeDown,
                    _ => Action::ReCrawl,
                };
                Field::Request { action, path: self.span(&part()) }
            }
            Rule::qualified_usage_definition_field => Field::QualifiedUsage {
                name: self.span(&part()),
                usage: self.usage(part()),
                qualifiers: self.qualifiers(parts),
            },
            Rule::composite_usage_definition_field => Field::CompositeUsage {
                name: self.span(&part()),
                members: parts
                    .filter(|part| part.as_rule() != Rule::EOI)
                    .map(|part| self.usage(part))
                    .collect(),
            },
            Rule::resource_set_definition_field => Field::ResourceSet {
                name: self.span(&part()),
                patterns: parts.map(|part| self.span(&part)).collect(),
            },
            other => return Err(self.problem(other, key)),
        })
    }

    fn span(&self, pair: &Pair<'_, Rule>) -> Span {
        self.projection.span(pair)
    }

    fn usage(&self, usage: Pair<'_, Rule>) -> UsageName {
        match usage.as_rule() {
            Rule::ACAP_usage_name => UsageName::Standard(self.span(&usage)),
            _ => UsageName::Local(self.only_part(usage)),
        }
    }

    fn resource(&self, resource: Pair<'_, Rule>) -> Resource {
        match resource.as_rule() {
            Rule::resource_set => Resource::Set(self.only_part(resource)),
            _ => Resource::Pattern(self.span(&resource)),
        }
    }

    fn only_part(&self, whole: Pair<'_, Rule>) -> Span {
        self.span(&whole.into_inner().next().expect("the rule has a name in it"))
    }

    fn qualifiers(&self, parts: Pairs<'_, Rule>) -> Vec<Qualifier> {
        parts.map(|part| self.qualifier(part)).collect()
    }

    fn qualifier(&self, part: Pair<'_, Rule>) -> Qualifier {
        let whole = self.span(&part);
        let mut halves = part.into_inner().map(|half| self.span(&half));
        // A missing part is empty and lies at the end of its possible place.
        let absent = Span { start: whole.end, end: whole.end };
        Qualifier { name: halves.next().unwrap_or(whole), value: halves.next().unwrap_or(absent) }
    }

    fn problem(&self, rule: Rule, key: Option<Rule>) -> Problem {
        let line = self.line;
        let (code, span, message) = match rule {
            Rule::unknown_action => (Code::AcapUnknownAction, line.key, "an action that ACAP does not have"),
            Rule::empty_field => (Code::AcapEmptyValue, line.key, "a field that says nothing"),
            Rule::malformed_field => (Code::AcapMalformedField, line.value, form(key)),
            _ => (Code::AcapUnknownField, line.key, "a field that ACAP does not have"),
        };
        let span = if span.is_empty() { line.key } else { span };
        Problem { code, span, message: message.to_owned() }
    }
}

/// The correct form of a malformed field with this key.
fn form(key: Option<Rule>) -> &'static str {
    match key {
        Some(Rule::ignore_key) => "this directive has no value",
        Some(Rule::crawler_key) => "the value should be the name of a crawler, or `*`",
        Some(Rule::reference_key) => "the value should be one path or URI",
        Some(Rule::purpose_key) => "the value should be one name or pattern",
        Some(Rule::request_key) => "the value should be one path",
        Some(Rule::qualified_key) => "the value should be a name, a standard usage and qualifiers",
        Some(Rule::composite_key) => "the value should be a name and usages",
        Some(Rule::set_key) => "the value should be a name and patterns",
        _ => "the field should be a usage, a colon, and a pattern or the name of a resource set",
    }
}
