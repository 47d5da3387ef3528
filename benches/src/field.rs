//! The field of a race: the bodies of a corpus that have records, compiled, and the image of their
//! sites.
//!
//! Invariant: one site per distinct body, so that a file does not count more often because many
//! sites have it.

use crate::corpus::Corpus;
use robomaton_compiler::trace::{Choice, TraceQuery, trace};
use robomaton_compiler::{Document, Entry, Options, Policy, compile, emit, lower};
use robomaton_formats::{Outcome, Profile, SiteKey};
use serde::{Deserialize, Serialize};

/// The class of the rules that apply to a crawler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Class {
    /// No rule applies.
    NoRules,
    /// No star except at the end.
    Literals,
    /// Patterns with at most one inner star.
    OneStar,
    /// Patterns with several inner stars.
    MultiStar,
}

impl Class {
    /// Every class.
    pub const ALL: [Class; 4] = [Class::NoRules, Class::Literals, Class::OneStar, Class::MultiStar];

    /// The name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Class::NoRules => "no rules",
            Class::Literals => "literals",
            Class::OneStar => "one star",
            Class::MultiStar => "multi star",
        }
    }

    /// The class of the rules that apply to a crawler in a policy, and their number.
    pub fn of(policy: &Policy<'_>, agent: &str) -> (Class, usize) {
        let chosen = trace(policy, &TraceQuery::crawl(&[agent], b"/"));
        if chosen.choice == Choice::Nobody {
            return (Class::NoRules, 0);
        }
        let rules = chosen.groups.iter().flat_map(|&group| &policy.rules[policy.groups[group].rules.clone()]);
        let mut class = (Class::NoRules, 0);
        for rule in rules.filter(|rule| rule.is_crawl()) {
            let of_rule = match rule.pattern().parts().segments.len() {
                0 => Class::Literals,
                1 => Class::OneStar,
                _ => Class::MultiStar,
            };
            class = (class.0.max(of_rule), class.1 + 1);
        }
        class
    }
}

/// The files with records.
#[derive(Debug)]
pub struct Field<'c> {
    /// The options that they were compiled with.
    pub options: Options,
    /// The files.
    pub files: Vec<File<'c>>,
}

/// A file with records.
#[derive(Clone, Debug)]
pub struct File<'c> {
    /// Its site.
    pub site: &'c SiteKey,
    /// Its bytes.
    pub text: &'c [u8],
    /// The compiled document.
    pub document: Document,
}

impl<'c> Field<'c> {
    /// Compiles at most `limit` files with records, taken evenly from the corpus.
    pub fn new(corpus: &'c Corpus, options: Options, limit: usize) -> Field<'c> {
        let file = |body: &'c crate::corpus::Body| {
            let document = compile(&body.text, Some(body.site.authority()), &options);
            (document.outcome == Outcome::Rules).then_some(File {
                site: &body.site,
                text: &body.text,
                document,
            })
        };
        let mut files: Vec<File<'c>> = corpus.bodies.iter().filter_map(file).collect();
        if files.len() > limit {
            let all = files.len();
            let mut at = 0;
            files.retain(|_| {
                at += 1;
                at * limit / all != (at - 1) * limit / all
            });
        }
        Field { options, files }
    }

    /// The same files under another profile, even if it finds no records in them.
    #[must_use]
    pub fn under(&self, profile: Profile) -> Field<'c> {
        let options = Options { profile, ..self.options.clone() };
        let again = |file: &File<'c>| File {
            document: compile(file.text, Some(file.site.authority()), &options),
            ..*file
        };
        Field { files: self.files.iter().map(again).collect(), options }
    }

    /// The image of all files.
    ///
    /// # Panics
    /// If it exceeds its format.
    pub fn image(&self) -> Vec<u8> {
        let entries =
            self.files.iter().map(|file| Entry::fetched(file.site.clone(), &file.document)).collect();
        emit(entries, &self.options).expect("the image exceeds its format")
    }

    /// Passes the policy of each file to `each`.
    pub fn policies(&self, mut each: impl FnMut(usize, &File<'c>, &Policy<'_>)) {
        for (number, file) in self.files.iter().enumerate() {
            let tree = robomaton_grammar::scan(file.text, self.options.limits.bytes(self.options.profile));
            if let Ok(policy) = lower(&tree, Some(file.site.authority()), &self.options) {
                each(number, file, &policy);
            }
        }
    }
}
