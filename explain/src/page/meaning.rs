//! The meaning of a page's tags and classes for one crawler, according to the policy and the trace.
//!
//! A tag without a rule has a reason. If the crawler works on elements, an element does not decide
//! for the page, so its class is interpreted here: an unknown usage is prohibited (M14), as it is
//! for the whole page if the crawler does not work on elements (M13). Nothing is weighed here.

use super::content::{self, Page};
use super::preferences::{self, License};
use crate::evidence::Evidence;
use crate::rule::fate_name;
use robomaton_compiler::{Group, Rule, Sense};
use robomaton_formats::policy::{OTHER, PRESENT, USAGES, is_special};
use robomaton_formats::purpose;
use robomaton_formats::usage::PRESENT_SNIPPET;
use robomaton_grammar::meta::{ClassField, Meta, class, class_usages, content};
use robomaton_runtime::{Condition, StatementAccount};
use serde::Serialize;

/// Tags, elements, licences and problems of a page.
#[derive(Default, Serialize)]
pub(super) struct Meaning {
    pub(super) tags: Vec<MetaTag>,
    #[serde(rename = "parts")]
    pub(super) elements: Vec<Element>,
    pub(super) licenses: Vec<License>,
    pub(super) problems: Vec<Problem>,
}

/// A META tag.
#[derive(Serialize)]
pub(super) struct MetaTag {
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) name: String,
    pub(super) content: String,
    /// Its meaning in words.
    pub(super) says: String,
    /// True if it is about the query.
    pub(super) applies: bool,
    /// The reason why it is not, or its fate.
    pub(super) fate: &'static str,
}

/// An element with an ACAP class, or the attribute `data-nosnippet`.
#[derive(Serialize)]
pub(super) struct Element {
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) path: String,
    pub(super) tag: String,
    pub(super) id: Option<String>,
    pub(super) token: String,
    pub(super) means: String,
    /// True if it is about the usage in question.
    pub(super) applies: bool,
}

/// A mistake in a page.
#[derive(Serialize)]
pub(super) struct Problem {
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) message: String,
}

/// Interprets a page for the crawler of the evidence. `stated` are the statements that were
/// weighed, with numbers of tags and elements in place of lines.
pub(super) fn read(page: &Page, evidence: &Evidence<'_>, stated: &[StatementAccount]) -> Meaning {
    let reader = Reader { page, evidence, stated };
    let mut problems = Vec::new();
    let tags = reader.tags(&mut problems);
    let elements = reader.elements(&mut problems);
    if page.is_cut {
        let message = "the page was not read whole, so it may say more".to_owned();
        problems.push(Problem { line: 1, column: 1, message });
    }
    Meaning { tags, elements, licenses: preferences::licenses(evidence, stated), problems }
}

/// The reason why a permission gives none.
const IN_NOSCRIPT: &str = "a tag inside noscript permits nothing";

/// The attribute of elements that are not to be quoted.
const NO_SNIPPET: &str = "data-nosnippet";

struct Reader<'a> {
    page: &'a Page,
    evidence: &'a Evidence<'a>,
    stated: &'a [StatementAccount],
}

/// A rule of a page with its index in the policy, and its group.
type PageRule<'a> = (usize, &'a Group<'a>, &'a Rule<'a>);

impl<'a> Reader<'a> {
    fn tags(&self, problems: &mut Vec<Problem>) -> Vec<MetaTag> {
        let Evidence { policy, trace, .. } = *self.evidence;
        let mut tags = Vec::new();
        let mut version = None;
        for (tag, number) in self.page.metas.iter().zip(1..) {
            let meta = content(&tag.content);
            let mut problem =
                |message: String| problems.push(Problem { line: tag.line, column: tag.column, message });
            if tag.in_noscript {
                problem("inside noscript: a crawler that runs scripts may not see it".to_owned());
            }
            let rules = self.rules(number);
            for condition in rules.iter().flat_map(|(_, _, rule)| policy.conditions(rule)) {
                if let Condition::Unsupported { .. } = condition {
                    problem(format!("nobody can meet the condition {condition}"));
                }
            }
            if let Meta::Problem(message) = &meta {
                problem(message.clone());
            }
            let has_directives =
                matches!(meta, Meta::Conventional(_)) || matches!(meta, Meta::Problem(_)) && rules.is_empty();
            let stated = has_directives
                .then(|| preferences::tag(self.evidence, self.stated, &tag.name, number))
                .flatten();
            if let Some((says, applies, fate)) = stated {
                let (name, content) = (tag.name.clone(), tag.content.clone());
                tags.push(MetaTag { line: tag.line, column: tag.column, name, content, says, applies, fate });
                continue;
            }
            let (says, silent) = match (&meta, rules.is_empty()) {
                (Meta::Version(major, minor), _) => {
                    if version.is_some_and(|stated| stated != (*major, *minor)) {
                        problem("a second version; the first counts".to_owned());
                    }
                    version = version.or(Some((*major, *minor)));
                    (format!("ACAP version {major}.{minor}"), "version")
                }
                (Meta::Problem(_), is_silent) => {
                    let says = match is_silent {
                        true => "nothing that can be understood".to_owned(),
                        false => self.description(tag, &meta, &rules) + "; the rest cannot be understood",
                    };
                    (says, "ignored")
                }
                (Meta::Conventional(_), true) => ("nothing about a usage".to_owned(), "ignored"),
                (_, true) => {
                    problem(format!("ignored: {}", self.silence(tag, &meta)));
                    ("nothing here".to_owned(), "ignored")
                }
                (_, false) => (self.description(tag, &meta, &rules), ""),
            };
            let applying = rules.iter().find(|rule| self.mismatch(rule).is_none());
            let fate = match (rules.first(), applying) {
                (None, _) => silent,
                (Some(rule), None) => self.mismatch(rule).unwrap_or_default(),
                (_, Some((at, ..))) => {
                    let found = trace.matches.iter().find(|found| found.rule == *at);
                    found.map_or("does not match", |found| fate_name(found.fate))
                }
            };
            tags.push(MetaTag {
                line: tag.line,
                column: tag.column,
                name: tag.name.clone(),
                content: tag.content.clone(),
                says,
                applies: applying.is_some(),
                fate,
            });
        }
        tags
    }

    /// The rules of the META tag with this number, which is stored in place of their line.
    fn rules(&self, number: u32) -> Vec<PageRule<'a>> {
        let policy = self.evidence.policy;
        let groups = policy.groups.iter().filter(|group| group.role.is_of_meta_tags());
        let rules = groups.flat_map(|group| group.rules.clone().map(move |at| (at, group)));
        let rules = rules.map(|(at, group)| (at, group, &policy.rules[at]));
        rules.filter(|(.., rule)| rule.line == number).collect()
    }

    /// The reason why a permission or prohibition gives no rule.
    fn silence(&self, tag: &content::MetaTag, meta: &Meta) -> String {
        let qualifiers = match meta {
            _ if tag.name.trim_ascii().is_empty() => return "the tag names no crawler".to_owned(),
            Meta::Permission { .. } if tag.in_noscript => return IN_NOSCRIPT.to_owned(),
            Meta::Permission { qualifiers, .. } => qualifiers.as_slice(),
            _ => &[],
        };
        let later = ["target-condition", "ref"];
        let is_later = |name: &str| later.iter().any(|later| name.eq_ignore_ascii_case(later));
        let stated = self.page.metas.iter().find_map(|tag| match content(&tag.content) {
            Meta::Version(major, minor) => Some(format!("states version {major}.{minor}")),
            _ => None,
        });
        let stated = stated.unwrap_or_else(|| "states no version".to_owned());
        match qualifiers.iter().find(|(name, _)| is_later(name)) {
            Some((name, _)) => format!("`{name}` came with version 1.1, and the page {stated}"),
            None => "it gives no rule".to_owned(),
        }
    }

    fn description(&self, tag: &content::MetaTag, meta: &Meta, rules: &[PageRule<'_>]) -> String {
        let policy = self.evidence.policy;
        let rules = rules.iter().map(|(_, group, rule)| {
            let verb = if rule.sense == Sense::Permit { "permits" } else { "prohibits" };
            let mut words = format!("{verb} {}", policy.usage_name(rule.usage));
            // `*` is any purpose, and none.
            for purpose in group.purposes.iter().filter(|purpose| purpose.as_ref() != b"*") {
                words.push_str(&format!(" for {}", String::from_utf8_lossy(purpose)));
            }
            let conditions: Vec<String> = policy.conditions(rule).iter().map(Condition::to_string).collect();
            if !conditions.is_empty() {
                words.push_str(&format!(" only if {}", conditions.join(" ")));
            }
            if matches!(meta, Meta::Permission { .. }) && rule.sense == Sense::Prohibit {
                let reason = if tag.in_noscript { IN_NOSCRIPT } else { "the page is not where the tag says" };
                words.push_str(&format!(", as {reason}"));
            }
            words
        });
        rules.collect::<Vec<_>>().join(", ")
    }

    /// The reason why a rule is not about the query.
    fn mismatch(&self, (_, group, rule): &PageRule<'_>) -> Option<&'static str> {
        let Evidence { policy, query, .. } = *self.evidence;
        // A page addresses all names of a crawler.
        let agents = policy.profile.agent_rule();
        let names = || query.agents.iter().flat_map(|agent| agents.lookup_names(agent));
        let is_named = || names().any(|name| group.names().any(|value| agents.names(value, &name)));
        let mut purposes = group.purposes.iter();
        if !group.is_default() && !is_named() {
            Some("for another crawler")
        } else if !group.purposes.is_empty() && !purposes.any(|of| purpose::matches(of, query.purpose)) {
            Some("for another purpose")
        } else if !self.is_of_usage(policy.usage_name(rule.usage)) {
            Some("of another usage")
        } else {
            None
        }
    }

    fn is_of_usage(&self, usage: &str) -> bool {
        let asked = self.evidence.query.usage;
        let [present, other] = [PRESENT, OTHER].map(|number| USAGES[usize::from(number)]);
        usage.eq_ignore_ascii_case(asked)
            || usage.eq_ignore_ascii_case(other)
            || is_special(asked) && usage.eq_ignore_ascii_case(present)
    }

    /// An element that is not to be quoted.
    fn no_snippet(&self, element: &super::content::Element) -> Element {
        let usage = USAGES[usize::from(PRESENT_SNIPPET)];
        let means = match self.evidence.query.elements {
            true => format!("prohibits {usage} for this element"),
            false => {
                format!("prohibits {usage} for the whole page, to one who does not work on elements")
            }
        };
        let asked = self.evidence.query.usage;
        Element {
            line: element.line,
            column: element.column,
            path: element.path.clone(),
            tag: element.tag.clone(),
            id: element.id.clone(),
            token: element.token.clone(),
            means,
            applies: [usage, USAGES[usize::from(PRESENT)]].iter().any(|of| of.eq_ignore_ascii_case(asked)),
        }
    }

    fn elements(&self, problems: &mut Vec<Problem>) -> Vec<Element> {
        let mut elements = Vec::new();
        for element in &self.page.elements {
            if element.token == NO_SNIPPET {
                elements.push(self.no_snippet(element));
                continue;
            }
            let field = class(&element.token);
            let usages = class_usages(&element.token);
            let said = usages.join(" and ");
            let malformed = field.is_none().then_some("malformed, so it permits nothing");
            let is_known = |usage: &String| USAGES.iter().any(|name| name.eq_ignore_ascii_case(usage));
            let (means, problem) = match &field {
                None if usages.is_empty() => {
                    ("nothing".to_owned(), Some("neither a permission nor a prohibition"))
                }
                Some(ClassField::ElementSet(..)) => {
                    ("nothing".to_owned(), Some("a set of elements has no meaning"))
                }
                Some(_) if usages.is_empty() => {
                    ("nothing".to_owned(), Some("a local usage has no meaning in a page"))
                }
                _ if !self.evidence.query.elements => (
                    format!("prohibits {said} for the whole page, to one who does not work on elements"),
                    malformed,
                ),
                _ if !usages.iter().all(is_known) => (
                    format!("prohibits {said} for this element: what is not understood is not permitted"),
                    Some("no standard usage"),
                ),
                Some(ClassField::Permission(_)) => (format!("permits {said} for this element"), None),
                _ => (format!("prohibits {said} for this element"), malformed),
            };
            if let Some(message) = problem {
                let message = format!("class {}: {message}", element.token);
                problems.push(Problem { line: element.line, column: element.column, message });
            }
            elements.push(Element {
                line: element.line,
                column: element.column,
                path: element.path.clone(),
                tag: element.tag.clone(),
                id: element.id.clone(),
                token: element.token.clone(),
                means,
                applies: usages.iter().any(|usage| self.is_of_usage(usage)),
            });
        }
        elements
    }
}
