//! What the tags and classes of a page mean for one crawler: read off the policy they were lowered to, and the trace.
//!
//! A tag without a rule says why it has none. What an element is told does not decide for the page when the crawler works
//! on elements, so it is read here: a usage that nobody knows is prohibited there (M14), as one is for the whole page
//! when the crawler does not (M13). It weighs nothing.

use robomaton_compiler::trace::{Asked, Trace};
use robomaton_compiler::{Group, Policy, Rule, Sense};
use robomaton_corpus::Page;
use robomaton_explain::fate_of;
use robomaton_formats::policy::{OTHER, PRESENT, USAGES, is_special};
use robomaton_formats::purpose;
use robomaton_grammar::meta::{ClassField, ClassUsage, Meta, class, content};
use robomaton_runtime::Condition;
use serde::Serialize;

/// A META tag.
#[derive(Serialize)]
pub(super) struct Tag {
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) name: String,
    pub(super) content: String,
    /// What it says.
    pub(super) says: String,
    /// Whether it speaks of what is asked.
    pub(super) applies: bool,
    /// Why it does not, or what became of it.
    pub(super) fate: &'static str,
}

/// An element with a class of ACAP.
#[derive(Serialize)]
pub(super) struct Part {
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) path: String,
    pub(super) tag: String,
    pub(super) id: Option<String>,
    pub(super) token: String,
    pub(super) means: String,
    /// Whether it speaks of the usage that is asked for.
    pub(super) applies: bool,
}

/// What is wrong with a page.
#[derive(Serialize)]
pub(super) struct Problem {
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) message: String,
}

/// One crawler and one page.
pub(super) struct Reading<'a> {
    pub(super) page: &'a Page,
    pub(super) policy: &'a Policy<'a>,
    pub(super) traced: &'a Trace,
    pub(super) asked: &'a Asked<'a>,
}

/// Version, tags, parts and problems.
#[derive(Default)]
pub(super) struct Read {
    pub(super) tags: Vec<Tag>,
    pub(super) parts: Vec<Part>,
    pub(super) problems: Vec<Problem>,
}

impl Reading<'_> {
    pub(super) fn read(&self) -> Read {
        let mut read = Read::default();
        let mut version = None;
        for (tag, number) in self.page.metas.iter().zip(1..) {
            let meta = content(&tag.content);
            let mut problem = |message: String| {
                read.problems.push(Problem { line: tag.line, column: tag.column, message });
            };
            let rules = self.rules(number);
            for condition in rules.iter().flat_map(|(_, _, rule)| self.policy.conditions(rule)) {
                if let Condition::Unsupported { .. } = condition {
                    problem(format!("nobody can meet the condition {condition}"));
                }
            }
            let (says, silent) = match (&meta, rules.is_empty()) {
                (Meta::Version(major, minor), _) => {
                    if version.is_some_and(|stated| stated != (*major, *minor)) {
                        problem("a second version; the first counts".to_owned());
                    }
                    version = version.or(Some((*major, *minor)));
                    (format!("ACAP version {major}.{minor}"), "version")
                }
                (Meta::Problem(message), _) => {
                    problem(message.clone());
                    ("nothing that can be understood".to_owned(), "ignored")
                }
                (Meta::Conventional(_), true) => ("nothing about a usage".to_owned(), "ignored"),
                (_, true) => {
                    let message =
                        "it has no meaning in the version that the page states, or names no crawler";
                    problem(format!("ignored: {message}"));
                    ("nothing here".to_owned(), "ignored")
                }
                (_, false) => (self.say(&meta, &rules), ""),
            };
            let speaking = rules.iter().find(|rule| self.silence(rule).is_none());
            let fate = match (rules.first(), speaking) {
                (None, _) => silent,
                (Some(rule), None) => self.silence(rule).unwrap_or_default(),
                (_, Some((at, ..))) => {
                    let found = self.traced.matches.iter().find(|found| found.rule == *at);
                    found.map_or("does not match", |found| fate_of(found.fate))
                }
            };
            read.tags.push(Tag {
                line: tag.line,
                column: tag.column,
                name: tag.name.clone(),
                content: tag.content.clone(),
                says,
                applies: speaking.is_some(),
                fate,
            });
        }
        self.parts(&mut read);
        if self.page.cut {
            let message = "the page says more than is read of one page".to_owned();
            read.problems.push(Problem { line: 1, column: 1, message });
        }
        read
    }

    /// The rules of a META tag, which stand on the line of its number.
    fn rules(&self, number: u32) -> Vec<(usize, &Group<'_>, &Rule<'_>)> {
        let groups = self.policy.groups.iter();
        let of_page = groups.filter(|group| group.role.is_of_meta_tags());
        let rules = of_page.flat_map(|group| group.rules.clone().map(move |at| (at, group)));
        let rules = rules.map(|(at, group)| (at, group, &self.policy.rules[at]));
        rules.filter(|(.., rule)| rule.line == number).collect()
    }

    fn say(&self, meta: &Meta, rules: &[(usize, &Group<'_>, &Rule<'_>)]) -> String {
        let rules = rules.iter().map(|(_, group, rule)| {
            let verb = if rule.sense == Sense::Permit { "permits" } else { "prohibits" };
            let mut said = format!("{verb} {}", self.policy.usage_name(rule.usage));
            for purpose in &group.purposes {
                said.push_str(&format!(" for {}", String::from_utf8_lossy(purpose)));
            }
            let conditions: Vec<String> =
                self.policy.conditions(rule).iter().map(Condition::to_string).collect();
            if !conditions.is_empty() {
                said.push_str(&format!(" only if {}", conditions.join(" ")));
            }
            if matches!(meta, Meta::Permission { .. }) && rule.sense == Sense::Prohibit {
                said.push_str(", as the page is not where the tag says");
            }
            said
        });
        rules.collect::<Vec<_>>().join(", ")
    }

    /// Why a rule does not speak of what is asked.
    fn silence(&self, (_, group, rule): &(usize, &Group<'_>, &Rule<'_>)) -> Option<&'static str> {
        // A page speaks to all names of a crawler.
        let agents = self.policy.profile.agent_rule();
        let names_it = |agent: &&str| group.names().any(|value| agents.names(value, &agents.reduce(agent)));
        let named = || self.asked.agents.iter().any(names_it);
        let mut purposes = group.purposes.iter();
        if !group.is_default() && !named() {
            Some("for another crawler")
        } else if !group.purposes.is_empty() && !purposes.any(|of| purpose::matches(of, self.asked.purpose)) {
            Some("for another purpose")
        } else if !self.is_of_usage(self.policy.usage_name(rule.usage)) {
            Some("of another usage")
        } else {
            None
        }
    }

    fn is_of_usage(&self, usage: &str) -> bool {
        let [present, other] = [PRESENT, OTHER].map(|number| USAGES[usize::from(number)]);
        usage.eq_ignore_ascii_case(self.asked.usage)
            || usage.eq_ignore_ascii_case(other)
            || is_special(self.asked.usage) && usage.eq_ignore_ascii_case(present)
    }

    fn parts(&self, read: &mut Read) {
        for element in &self.page.elements {
            let field = class(&element.token);
            let usage = match &field {
                Some(
                    ClassField::Permission(ClassUsage::Standard(usage))
                    | ClassField::Prohibition(ClassUsage::Standard(usage)),
                ) => Some(usage.as_str()),
                _ => None,
            };
            let known = |usage: &str| USAGES.iter().any(|name| name.eq_ignore_ascii_case(usage));
            let (means, problem) = match (&field, usage) {
                (_, Some(usage)) if !self.asked.elements => (
                    format!("prohibits {usage} for the whole page, to one who does not work on elements"),
                    None,
                ),
                (_, Some(usage)) if !known(usage) => (
                    format!("prohibits {usage} for this element: what is not understood is not permitted"),
                    Some("no standard usage"),
                ),
                (Some(ClassField::Permission(_)), Some(usage)) => {
                    (format!("permits {usage} for this element"), None)
                }
                (_, Some(usage)) => (format!("prohibits {usage} for this element"), None),
                (Some(ClassField::ElementSet(..)), None) => {
                    ("nothing".to_owned(), Some("a set of elements has no meaning"))
                }
                (Some(_), None) => ("nothing".to_owned(), Some("a local usage has no meaning in a page")),
                (None, None) => ("nothing".to_owned(), Some("neither a permission nor a prohibition")),
            };
            if let Some(message) = problem {
                let message = format!("class {}: {message}", element.token);
                read.problems.push(Problem { line: element.line, column: element.column, message });
            }
            read.parts.push(Part {
                line: element.line,
                column: element.column,
                path: element.path.clone(),
                tag: element.tag.clone(),
                id: element.id.clone(),
                token: element.token.clone(),
                means,
                applies: usage.is_some_and(|usage| self.is_of_usage(usage)),
            });
        }
    }
}
