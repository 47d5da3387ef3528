//! The vocabularies of the modern languages: which label speaks of which usage, and which control
//! token binds whom (`data/labels.tsv`, `data/tokens.tsv`, which name their sources).
//!
//! Neither AIPREF nor Content Signals is finished, so a new label, token or version is a row of a
//! table, not code. The tables are compiled into the program and parsed once. The compiler lowers
//! by them; readers take labels as other names of usages, and refuse names that are none (`known`).
//! This file does not know how a record is written.

mod known;

pub use self::known::{UnknownUsage, check_usage};

use crate::agent::{is_version, product_token};
use crate::preference::Language;
use crate::usage::{CRAWL, USAGES};
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

/// A label of a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// The language.
    pub language: Language,
    /// The version of the vocabulary.
    pub table: &'static str,
    /// True if the table counts without being asked for.
    pub is_standard: bool,
    /// The label, lower case.
    pub name: &'static str,
    /// The usage that it speaks of: an index into [`USAGES`].
    pub usage: u16,
    /// For labels that take levels: the level, and whether it permits the usage.
    pub level: Option<(&'static str, bool)>,
}

/// A control token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControlToken {
    /// The product token.
    pub name: String,
    /// The table that it belongs to; `None` if it always counts.
    pub table: Option<String>,
    /// The usages that its groups speak of.
    pub usages: Vec<u16>,
    /// The crawlers that it binds, lower case; empty for all.
    pub crawlers: Vec<String>,
}

impl ControlToken {
    /// The crawlers that are bound, lower case: also the token itself, since a question in its name
    /// has their answer. Empty for all.
    pub fn bound(&self) -> Vec<String> {
        let own = Some(self.name.to_ascii_lowercase()).filter(|_| !self.crawlers.is_empty());
        self.crawlers.iter().cloned().chain(own).collect()
    }
}

impl fmt::Display for ControlToken {
    /// The row of the token, as [`control_token`] reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let usages: Vec<&str> = self.usages.iter().filter_map(|&usage| usage_name(usage)).collect();
        let crawlers = if self.crawlers.is_empty() { "*".to_owned() } else { self.crawlers.join(",") };
        let table = self.table.as_deref().unwrap_or("-");
        write!(f, "{}\t{table}\t{}\t{crawlers}", self.name, usages.join(","))
    }
}

/// The reason why a text is no control token.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoToken {
    /// It has another form.
    #[error(
        "a name, `=`, and usages, as in Example-Extended=ai-train or Example-Extended=ai-train:examplebot"
    )]
    Form,
    /// The name is no product token.
    #[error("{0:?} is not a product token")]
    Name(String),
    /// A usage that no vocabulary knows.
    #[error("{0:?} is not a standard usage")]
    Usage(String),
    /// The usage is crawling, of which a group speaks without a token.
    #[error("a control token speaks of uses, not of crawling")]
    Crawl,
}

impl FromStr for ControlToken {
    type Err = NoToken;

    /// Parses `NAME=USAGE,...[:CRAWLER,...]`, as people write a token; without crawlers, or with
    /// `*` among them, it binds all.
    fn from_str(text: &str) -> Result<ControlToken, NoToken> {
        let (name, rest) = text.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or(NoToken::Form)?;
        if product_token(name.as_bytes()).len() != name.len() {
            return Err(NoToken::Name(name.to_owned()));
        }
        let (usages, crawlers) = rest.split_once(':').unwrap_or((rest, "*"));
        let standard = |name: &str| {
            let unknown = || NoToken::Usage(name.to_owned());
            usage_of_label(name).and_then(usage).ok_or_else(unknown)
        };
        let usages: Vec<u16> =
            usages.split(',').map(str::trim_ascii).map(standard).collect::<Result<_, _>>()?;
        if usages.contains(&CRAWL) {
            return Err(NoToken::Crawl);
        }
        let crawler = |written: &str| match written.split_at(product_token(written.as_bytes()).len()) {
            ("", "*") => Ok(None),
            ("", "") => Err(NoToken::Form),
            (name, version) if !name.is_empty() && (version.is_empty() || is_version(version)) => {
                Ok(Some(name.to_ascii_lowercase()))
            }
            _ => Err(NoToken::Name(written.to_owned())),
        };
        let crawlers = crawlers.split(',').map(str::trim_ascii).map(crawler);
        // One `*` among them stands for all.
        let crawlers = crawlers.collect::<Result<Option<Vec<String>>, _>>()?.unwrap_or_default();
        Ok(ControlToken { name: name.to_owned(), table: None, usages, crawlers })
    }
}

/// All labels.
pub fn labels() -> &'static [Label] {
    static LABELS: LazyLock<Vec<Label>> = LazyLock::new(|| {
        let mut labels: Vec<Label> = Vec::new();
        for mut label in include_str!("../data/labels.tsv").lines().filter_map(label) {
            let first = labels.iter().find(|other| other.language == label.language);
            label.is_standard = first.is_none_or(|first| first.table == label.table);
            labels.push(label);
        }
        labels
    });
    &LABELS
}

/// The control tokens that the program knows.
pub fn control_tokens() -> &'static [ControlToken] {
    static TOKENS: LazyLock<Vec<ControlToken>> =
        LazyLock::new(|| include_str!("../data/tokens.tsv").lines().filter_map(control_token).collect());
    &TOKENS
}

/// The names of all tables that count only when they are asked for.
pub fn optional_tables() -> impl Iterator<Item = &'static str> {
    let labels = labels().iter().filter(|label| !label.is_standard).map(|label| label.table);
    labels.chain(["bing-2023"]).chain(control_tokens().iter().filter_map(|token| token.table.as_deref()))
}

/// The standard name of a usage, given a name or a label of any language; case does not matter.
pub fn usage_of_label(name: &str) -> Option<&'static str> {
    let known = USAGES.iter().copied().find(|usage| usage.eq_ignore_ascii_case(name));
    let short = || SHORT.iter().find(|(short, _)| short.eq_ignore_ascii_case(name)).map(|&(_, usage)| usage);
    known.or_else(short).or_else(|| {
        let own = |label: &&Label| label.level.is_none() && label.name.eq_ignore_ascii_case(name);
        labels().iter().find(own).and_then(|label| usage_name(label.usage))
    })
}

/// Short names of usages.
pub const SHORT: [(&str, &str); 1] = [("train", "ai-train")];

/// The number of a standard usage.
fn usage(name: &str) -> Option<u16> {
    (0..).zip(USAGES).find_map(|(number, usage)| (usage == name).then_some(number))
}

/// The name of a standard usage.
fn usage_name(number: u16) -> Option<&'static str> {
    USAGES.get(usize::from(number)).copied()
}

/// Parses a line of the labels; `None` for comments. A test checks that every other line is a row.
fn label(line: &'static str) -> Option<Label> {
    let mut fields = line.split('\t');
    let language = fields.next()?;
    let language = Language::ALL.into_iter().find(|known| known.name() == language)?;
    let (table, name, usage) = (fields.next()?, fields.next()?, usage(fields.next()?)?);
    let level = match fields.next() {
        Some(level) => Some((level, fields.next()? == "yes")),
        None => None,
    };
    Some(Label { language, table, is_standard: false, name, usage, level })
}

/// Parses a row of control tokens, fields separated by tabs: token, table, usages, crawlers. `None`
/// if it is no row, or names a usage that does not exist.
///
/// ```
/// use robomaton_formats::vocabulary::control_token;
///
/// let token = control_token("No-Training\t-\tai-train\t*").expect("a row");
/// assert_eq!((token.name.as_str(), token.crawlers.len()), ("No-Training", 0)); // binds everyone
/// assert!(control_token("# a comment").is_none());
/// ```
pub fn control_token(line: &str) -> Option<ControlToken> {
    let mut fields = line.split('\t');
    let name = fields.next().filter(|name| !name.starts_with('#') && !name.is_empty())?;
    let table = Some(fields.next()?).filter(|&table| table != "-").map(str::to_owned);
    let usages: Option<Vec<u16>> = fields.next()?.split(',').map(usage).collect();
    let crawlers = fields.next()?.split(',').filter(|&crawler| crawler != "*");
    let crawlers = crawlers.map(str::to_ascii_lowercase).collect();
    Some(ControlToken { name: name.to_owned(), table, usages: usages?, crawlers })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_comment_or_a_row() {
        let rows = |text: &'static str| text.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(labels().len(), rows(include_str!("../data/labels.tsv")));
        assert_eq!(control_tokens().len(), rows(include_str!("../data/tokens.tsv")));
    }

    #[test]
    fn tokens_are_written_as_rows() {
        for row in ["No-Training\t-\tai-train\t*", "X\tt\tai-train,tdm\ta,b"] {
            assert_eq!(control_token(row).expect("a row").to_string(), row);
        }
    }

    #[test]
    fn tokens_are_written_by_people() {
        let row = |text: &str| text.parse::<ControlToken>().map(|token| token.to_string());
        assert_eq!(row("X=train-ai,tdm:A,b").unwrap(), "X\t-\tai-train,tdm\ta,b");
        assert_eq!(row("X=ai-train").unwrap(), "X\t-\tai-train\t*");
        assert_eq!(row("X=tdm: A/1.0, b").unwrap(), "X\t-\ttdm\ta,b");
        assert_eq!(row("X=tdm:*,b").unwrap(), "X\t-\ttdm\t*");
        for text in [
            "X",
            "=ai-train",
            "a b=tdm",
            "X=",
            "X=x",
            "X=crawl",
            "X=tdm:",
            "X=tdm:a,,b",
            "X=tdm:a b",
            "X=tdm:a*",
        ] {
            assert!(row(text).is_err(), "{text}");
        }
    }

    #[test]
    fn labels_are_other_names_of_usages() {
        assert_eq!(usage_of_label("Train-AI"), Some("ai-train"));
        assert_eq!(usage_of_label("ai-use"), Some("ai-input"));
        assert_eq!(usage_of_label("train"), Some("ai-train"));
        assert_eq!(usage_of_label("present-snippet"), Some("present-snippet"));
        assert_eq!(usage_of_label("use"), None);
        assert_eq!(optional_tables().collect::<std::collections::BTreeSet<_>>().len(), 2);
    }
}
