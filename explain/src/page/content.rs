//! The permissions embedded in a page, and their numbers in the compiler.
//!
//! Invariant: the compiler gets a number for each META tag and each class in place of its line, so
//! that a rule leads back to its tag. It does not know HTML.

use robomaton_compiler::{self as compiler, Policy};
use robomaton_formats::{Profile, SiteKey};
use robomaton_runtime::{Account, Carrier, target_of};

/// The permissions of a page, as found by a reader of HTML.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// Its META tags.
    pub metas: Vec<MetaTag>,
    /// Its elements with an ACAP class, or the attribute `data-nosnippet`.
    pub elements: Vec<Element>,
    /// Its RSL documents, and links to them.
    pub licenses: Vec<compiler::PageLicense>,
    /// The licences of parts of it.
    pub part_licenses: Vec<compiler::PageLicense>,
    /// True if the page has more of them than were read.
    pub is_cut: bool,
}

/// A META tag that addresses crawlers.
#[derive(Clone, Debug)]
pub struct MetaTag {
    /// `robots`, or the name of a crawler.
    pub name: String,
    /// Its content.
    pub content: String,
    /// The line, from 1.
    pub line: u32,
    /// The column in bytes, from 1.
    pub column: u32,
    /// True inside a `noscript`.
    pub in_noscript: bool,
}

/// An element with a class that begins with `the-acap:`, or with the attribute `data-nosnippet`.
#[derive(Clone, Debug)]
pub struct Element {
    /// The name of its tag.
    pub tag: String,
    /// Its `id`, if it has one.
    pub id: Option<String>,
    /// The class, or the name of the attribute.
    pub token: String,
    /// The line, from 1.
    pub line: u32,
    /// The column in bytes, from 1.
    pub column: u32,
    /// The path in the element tree.
    pub path: String,
}

impl Page {
    /// The page for the compiler: tags and classes are numbered from 1 in place of their lines.
    pub(super) fn numbered(&self, url: &str, profile: Profile) -> compiler::Page {
        // Clients drop tabs and line ends.
        let target = String::from_utf8_lossy(&target_of(profile, url)).replace(['\t', '\r', '\n'], "");
        let is_absolute = SiteKey::from_url(url).is_ok();
        let url = url.trim_matches(|letter| letter <= ' ');
        let metas = self.metas.iter().zip(1..);
        let elements = self.elements.iter().zip(1 + self.metas.len() as u32..);
        compiler::Page {
            url: url.split('#').next().filter(|_| is_absolute).unwrap_or_default().to_owned(),
            target,
            metas: metas
                .map(|(tag, line)| compiler::MetaTag {
                    name: tag.name.clone(),
                    content: tag.content.clone(),
                    line,
                    in_noscript: tag.in_noscript,
                })
                .collect(),
            elements: elements
                .map(|(element, line)| compiler::Element { token: element.token.clone(), line })
                .collect(),
            licenses: self.licenses.clone(),
            part_licenses: self.part_licenses.clone(),
            is_cut: self.is_cut,
            headers: Vec::new(),
        }
    }

    /// The line of the tag or class with this number.
    pub(super) fn line(&self, number: u32) -> u32 {
        let metas = self.metas.iter().map(|tag| tag.line);
        let mut lines = metas.chain(self.elements.iter().map(|element| element.line));
        lines.nth(number as usize - 1).unwrap_or(number)
    }

    /// Puts lines of the page in place of numbers into an account.
    pub(super) fn put_lines(&self, account: &mut Account) {
        for rule in account.rules.iter_mut().filter(|rule| rule.role.is_of_page()) {
            rule.line = self.line(rule.line);
        }
        for statement in &mut account.statements {
            if matches!(statement.carrier, Carrier::Page | Carrier::Element) {
                statement.line = statement.line.map(|number| self.line(number));
            }
        }
    }

    /// The policy with lines of the page in place of numbers.
    pub(super) fn with_lines<'s>(&self, policy: &Policy<'s>) -> Policy<'s> {
        let mut policy = policy.clone();
        for group in policy.groups.iter().filter(|group| group.role.is_of_page()) {
            for rule in &mut policy.rules[group.rules.clone()] {
                rule.line = self.line(rule.line);
            }
        }
        policy
    }
}
