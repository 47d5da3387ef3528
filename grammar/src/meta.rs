//! ACAP expressions in HTML: META tags and class attributes (M1-M27).
//!
//! `meta.pest` mirrors the ABNF of ACAP 1.1, Part 2, over the rules of `acap.pest`, which it shares
//! with `acap`. The caller extracts attribute values from HTML. Invariants: every text is some
//! [`Meta`]; linear time, nothing recurses on input. This file does not know HTML or precedence.

use pest::iterators::Pair;

use crate::acap::numbers;
use crate::acap::parser::{Rule, partial, total};

/// The parsed `content` of a robots META tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meta {
    /// Not ACAP: the directives in lower case, split at commas and white space.
    Conventional(Vec<String>),
    /// `ACAP Version n.m` (M15).
    Version(u32, u32),
    /// `ACAP [purpose] allow-usage [qualifiers]` (M6-M8).
    Permission {
        /// The usage purpose, a name or a pattern, if any.
        purpose: Option<String>,
        /// The permitted usage.
        usage: String,
        /// Names and values; a word that is not a qualifier has an empty value.
        qualifiers: Vec<(String, String)>,
    },
    /// `ACAP [purpose] disallow-usage` (M9).
    Prohibition {
        /// The usage purpose, a name or a pattern, if any.
        purpose: Option<String>,
        /// The prohibited usage.
        usage: String,
        /// Not permitted here, but read, so that the prohibition is not lost.
        qualifiers: Vec<(String, String)>,
    },
    /// Malformed ACAP; the reason, in one sentence without a full stop.
    Problem(String),
}

/// One parsed token of a `class` attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClassField {
    /// `the-acap:allow-usage` (M11).
    Permission(ClassUsage),
    /// `the-acap:disallow-usage` (M12). Should not be local.
    Prohibition(ClassUsage),
    /// `the-acap:idlist:a,b` and similar: in the ABNF, but without a meaning (M25).
    ElementSet(ElementSet, Vec<String>),
}

/// The usage in a class attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClassUsage {
    /// A bare name. The syntax does not decide whether it is a standard one.
    Standard(String),
    /// A name in parentheses, stored without them.
    Local(String),
}

/// How an element set identifies its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementSet {
    /// `idlist:`
    Ids,
    /// `classlist:`
    Classes,
    /// `taglist:`
    Tags,
}

/// Parses the `content` of a robots META tag.
///
/// It is ACAP if it [begins so](is_acap).
pub fn content(text: &str) -> Meta {
    if is_almost_acap(text) {
        return problem("`ACAP` is followed by white space, not by another sign");
    }
    let text = text.replace(char::is_whitespace, " ");
    let mut parts = total(Rule::meta_tag_content, &text).into_inner();
    let Some(first) = parts.next() else { return Meta::Conventional(Vec::new()) };
    match first.as_rule() {
        Rule::version => match first.into_inner().next().and_then(numbers) {
            Some((major, minor)) => Meta::Version(major, minor),
            None => Meta::Problem("a version whose numbers are too great".to_owned()),
        },
        Rule::permission => {
            let Expression { purpose, usage, qualifiers } = Expression::new(first);
            Meta::Permission { purpose, usage, qualifiers }
        }
        Rule::prohibition => {
            let Expression { purpose, usage, qualifiers } = Expression::new(first);
            Meta::Prohibition { purpose, usage, qualifiers }
        }
        Rule::no_expression => problem("nothing follows the token ACAP"),
        Rule::two_expressions => problem("a second expression; each needs a tag of its own"),
        Rule::bad_version => problem("a version should be two numbers with a dot between"),
        Rule::bad_usage => problem("the name of a standard usage should follow `allow-` or `disallow-`"),
        Rule::bad_expression => problem("neither a version nor a permission nor a prohibition"),
        _ => {
            let directives = std::iter::once(first).chain(parts);
            let directives = directives.filter(|part| part.as_rule() == Rule::conventional_directive);
            Meta::Conventional(directives.map(|part| part.as_str().to_lowercase()).collect())
        }
    }
}

/// True if the `content` of a tag is ACAP: it begins with the token `ACAP`, in any case, and white
/// space of any kind; or with the token and another sign, if a permission or a prohibition follows.
pub fn is_acap(text: &str) -> bool {
    text.split_whitespace().next().is_some_and(|token| token.eq_ignore_ascii_case("acap"))
        || is_almost_acap(text)
}

/// True if another sign than white space follows the token `ACAP`, and then a permission or a
/// prohibition: `ACAP: disallow-index`. That is malformed, but no prohibition is lost.
fn is_almost_acap(text: &str) -> bool {
    let text = text.trim_start();
    let begins = |text: &str, start: &str| {
        text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
    };
    let Some(rest) = text.get(4..).filter(|_| begins(text, "acap")) else { return false };
    let fields = rest.trim_start_matches([':', ',', ';', '=', '-', '.']);
    fields.len() < rest.len()
        && fields
            .split(|c: char| c.is_whitespace() || c == ',')
            .any(|word| begins(word, "allow-") || begins(word, "disallow-"))
}

/// The standard usages that a class token speaks of; of a malformed one, those that it prohibits.
pub fn class_usages(token: &str) -> Vec<String> {
    match class(token) {
        Some(
            ClassField::Permission(ClassUsage::Standard(usage))
            | ClassField::Prohibition(ClassUsage::Standard(usage)),
        ) => vec![usage],
        // Sets of elements and local usages have no meaning here (decision 29).
        Some(_) => Vec::new(),
        None => prohibited(token).map(str::to_owned).collect(),
    }
}

/// The usages that the words of a malformed tag or class token prohibit: no prohibition is lost
/// over a broken frame (decision 40).
pub fn prohibited(text: &str) -> impl Iterator<Item = &str> {
    let is_name = |byte: char| byte.is_ascii_alphanumeric() || matches!(byte, '-' | '_' | '.');
    text.split(move |byte: char| !is_name(byte)).filter_map(|word| {
        let start = word.get(..9).filter(|start| start.eq_ignore_ascii_case("disallow-"))?;
        Some(&word[start.len()..])
            .filter(|usage| usage.starts_with(|first: char| first.is_ascii_alphabetic()))
    })
}

fn problem(message: &str) -> Meta {
    Meta::Problem(message.to_owned())
}

/// The parts of a permission or a prohibition.
#[derive(Default)]
struct Expression {
    purpose: Option<String>,
    usage: String,
    qualifiers: Vec<(String, String)>,
}

impl Expression {
    fn new(pair: Pair<'_, Rule>) -> Expression {
        let mut expression = Expression::default();
        for part in pair.into_inner() {
            let text = part.as_str().to_owned();
            match part.as_rule() {
                Rule::usage_purpose_pattern => expression.purpose = Some(text),
                Rule::ACAP_usage_name => expression.usage = text,
                Rule::stray_word => expression.qualifiers.push((text, String::new())),
                _ => {
                    let mut halves = part.into_inner().map(|half| half.as_str().to_owned());
                    let mut half = || halves.next().unwrap_or_default();
                    expression.qualifiers.push((half(), half()));
                }
            }
        }
        expression
    }
}

/// Parses one token of a `class` attribute; `None` if it is not ACAP.
pub fn class(token: &str) -> Option<ClassField> {
    let field = partial(Rule::class_attribute, token)?.into_inner().next()?;
    let rule = field.as_rule();
    let mut parts = field.into_inner();
    let first = parts.next()?;
    Some(match rule {
        Rule::class_attribute_permission => ClassField::Permission(usage(first)),
        Rule::class_attribute_prohibition => ClassField::Prohibition(usage(first)),
        _ => {
            let set = match first.as_rule() {
                Rule::id_list => ElementSet::Ids,
                Rule::class_list => ElementSet::Classes,
                _ => ElementSet::Tags,
            };
            ClassField::ElementSet(set, parts.map(|name| name.as_str().to_owned()).collect())
        }
    })
}

fn usage(usage: Pair<'_, Rule>) -> ClassUsage {
    match usage.as_rule() {
        Rule::ACAP_usage_name => ClassUsage::Standard(usage.as_str().to_owned()),
        _ => ClassUsage::Local(usage.into_inner().as_str().to_owned()),
    }
}
