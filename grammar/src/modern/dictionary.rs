//! Statements of `Content-Usage`: dictionaries of RFC 9651 whose values are `y` and `n`.
//!
//! [`path`](super::path) or a header gives the statement; the crate `sfv` parses it, and this file
//! keeps what the vocabulary reads of it (AIPREF vocabulary, section 6.5). Invariants: a statement
//! is read as a whole or not at all; keys are distinct. This file does not know which keys are
//! labels.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::convert::Infallible;
use std::fmt;

use sfv::visitor::{DictionaryVisitor, EntryVisitor, Ignored, InnerListVisitor, ItemVisitor};
use sfv::{BareItemFromInput, KeyRef, Parser};

use super::{Mistake, MistakeCode, Preference};

/// The longest statement that is read, in bytes. RFC 9651 asks for 1024 members with keys of 64
/// bytes, which is a fifth of it.
pub const STATEMENT_LIMIT: usize = 512 * 1024;

/// The greatest number of members, counting repeated keys. RFC 9651 asks for 1024 at least.
pub const MEMBER_LIMIT: usize = 4096;

/// Parses a statement of `Content-Usage` into its keys, in the order of their first occurrence.
///
/// The statement has no tab around it: neither a field value of HTTP nor the statement of
/// [`split_path`](super::path::split_path) has. The last of several members with one key counts.
/// Parameters are validated and ignored. Several field lines of a header are one statement, joined
/// with `, ` (RFC 9651, section 4.2).
///
/// ```
/// use robomaton_grammar::modern::{Preference, dictionary::content_usage};
///
/// let statement = content_usage(b"train-ai=n, search=y, bots=\"no\"")?;
/// assert_eq!(statement[0], ("train-ai".to_owned(), Preference::No));
/// assert_eq!(statement[2], ("bots".to_owned(), Preference::Other));
/// assert!(content_usage(b"train-ai=n search=y").is_err());
/// # Ok::<(), robomaton_grammar::modern::Mistake>(())
/// ```
///
/// # Errors
///
/// [`MistakeCode::MalformedDictionary`] if the statement is not a dictionary;
/// [`MistakeCode::OverLimit`] if it is longer than [`STATEMENT_LIMIT`] or has more members than
/// [`MEMBER_LIMIT`].
pub fn content_usage(statement: &[u8]) -> Result<Vec<(String, Preference)>, Mistake> {
    if statement.len() > STATEMENT_LIMIT {
        let reason = format!("more than {STATEMENT_LIMIT} bytes");
        return Err(Mistake::new(MistakeCode::OverLimit, reason));
    }
    let mut members = Members::default();
    match Parser::new(statement).parse_dictionary_with_visitor(&mut members) {
        Ok(()) => Ok(members.in_order),
        Err(_) if members.count > MEMBER_LIMIT => {
            Err(Mistake::new(MistakeCode::OverLimit, TooManyMembers.to_string()))
        }
        Err(error) => Err(Mistake::new(MistakeCode::MalformedDictionary, error.to_string())),
    }
}

/// The members of a dictionary as far as it has been parsed.
#[derive(Default)]
struct Members<'a> {
    in_order: Vec<(String, Preference)>,
    indexes: HashMap<&'a str, usize>,
    /// The number of members, repeated keys included.
    count: usize,
}

impl<'a> DictionaryVisitor<'a> for &mut Members<'a> {
    type Out = ();
    type Error = TooManyMembers;

    fn entry(&mut self, key: &'a KeyRef) -> Result<impl EntryVisitor<'a>, TooManyMembers> {
        self.count += 1;
        if self.count > MEMBER_LIMIT {
            return Err(TooManyMembers);
        }
        let index = match self.indexes.entry(key.as_str()) {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                self.in_order.push((key.as_str().to_owned(), Preference::Other));
                *entry.insert(self.in_order.len() - 1)
            }
        };
        Ok(Member(&mut self.in_order[index].1))
    }

    fn finish(self) -> Result<(), TooManyMembers> {
        Ok(())
    }
}

/// The preference that the value of a member replaces.
struct Member<'a>(&'a mut Preference);

impl<'a> EntryVisitor<'a> for Member<'_> {
    type Error = Infallible;

    fn item(self) -> Result<impl ItemVisitor<'a>, Infallible> {
        Ok(|item: BareItemFromInput<'a>| {
            *self.0 = match item {
                BareItemFromInput::Token(token) if token.as_str() == "y" => Preference::Yes,
                BareItemFromInput::Token(token) if token.as_str() == "n" => Preference::No,
                _ => Preference::Other,
            };
            Ok::<_, Infallible>(Ignored)
        })
    }

    fn inner_list(self) -> Result<impl InnerListVisitor<'a>, Infallible> {
        *self.0 = Preference::Other;
        Ok(Ignored)
    }
}

#[derive(Debug)]
struct TooManyMembers;

impl fmt::Display for TooManyMembers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "more than {MEMBER_LIMIT} members")
    }
}

impl std::error::Error for TooManyMembers {}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use Preference::{No, Other, Yes};

    #[track_caller]
    fn reads(statement: &str, members: &[(&str, Preference)]) {
        let read = content_usage(statement.as_bytes()).unwrap();
        let read: Vec<_> = read.iter().map(|(key, value)| (key.as_str(), *value)).collect();
        assert_eq!(read, members, "{statement}");
    }

    #[track_caller]
    fn code(statement: &[u8]) -> MistakeCode {
        content_usage(statement).unwrap_err().code
    }

    #[test]
    fn statements_of_the_drafts() {
        reads("train-ai=n", &[("train-ai", No)]);
        reads("train-ai=y, search=n", &[("train-ai", Yes), ("search", No)]);
        reads("train-ai=y, train-ai, search=n, search=\"n\"", &[("train-ai", Other), ("search", Other)]);
        reads("train-ai;allow=n, train-ai=y", &[("train-ai", Yes)]);
        reads("train-ai=y;allow=n;x", &[("train-ai", Yes)]);
        assert_eq!(
            code(b"search=n, train-ai;has;parameters=\"?\";"),
            MistakeCode::MalformedDictionary,
            "a parameter needs a key"
        );
    }

    #[test]
    fn the_last_member_of_a_key_counts() {
        reads("train-ai=n, train-ai=y", &[("train-ai", Yes)]);
        reads("train-ai=y, search=y, train-ai=n", &[("train-ai", No), ("search", Yes)]);
        reads("a=y, a=(y n)", &[("a", Other)]);
        reads("a=(y n), a=n;q=1", &[("a", No)]);
        reads("a=y, a", &[("a", Other)]);
    }

    #[test]
    fn only_the_tokens_y_and_n_state_something() {
        for value in
            ["yes", "no", "Y", "N", "?1", "?0", "1", "1.5", "\"y\"", ":eQ==:", "@0", "%\"y\"", "(y)", "*"]
        {
            reads(&format!("train-ai={value}"), &[("train-ai", Other)]);
        }
        reads("train-ai", &[("train-ai", Other)]);
        reads("train-ai;y", &[("train-ai", Other)]);
    }

    #[test]
    fn tabs_surround_commas_only() {
        reads("a=y ,\tb=n", &[("a", Yes), ("b", No)]);
        reads("  a=y,b=n  ", &[("a", Yes), ("b", No)]);
        reads("", &[]);
        reads("  ", &[]);
        for statement in ["train-ai = n", "train-ai =n", "train-ai= n", "a=y;\tq", "\ta=y"] {
            assert_eq!(code(statement.as_bytes()), MistakeCode::MalformedDictionary, "{statement}");
        }
    }

    #[test]
    fn mistakes_of_real_files() {
        reads("train-ai=yes", &[("train-ai", Other)]);
        reads("ai-train=n", &[("ai-train", No)]);
        reads("ai=n", &[("ai", No)]);
        reads(
            "train-ai=yes, search=yes, cite=yes",
            &[("train-ai", Other), ("search", Other), ("cite", Other)],
        );
        let bad: [&[u8]; 10] = [
            b"ai=n train-ai=n",
            b"/restricted/ ai=n",
            b"Train-AI=n",
            b"train-ai=n,",
            b",train-ai=n",
            b"a=y,,b=n",
            b"*.pdf train-ai=n",
            b"train-ai=n; search=y",
            b"train-ai=\xE9",
            b"caf\xC3\xA9=n",
        ];
        for statement in bad {
            // `train-ai=n; search=y` is one member with a parameter.
            let is_parameter = statement.contains(&b';');
            let read = content_usage(statement);
            assert_eq!(read.is_ok(), is_parameter, "{}", String::from_utf8_lossy(statement));
        }
    }

    #[test]
    fn limits_are_those_of_the_standard_or_more() {
        let key = |index: usize| format!("{index:a>64}");
        let statement = |members| (0..members).map(|index| key(index) + "=n").collect::<Vec<_>>().join(", ");
        assert_eq!(content_usage(statement(1024).as_bytes()).unwrap().len(), 1024);
        let most = content_usage(statement(MEMBER_LIMIT).as_bytes()).unwrap();
        assert_eq!(most.len(), MEMBER_LIMIT);
        assert_eq!(most[17], (key(17), No));
        assert_eq!(code(statement(MEMBER_LIMIT + 1).as_bytes()), MistakeCode::OverLimit);
        assert_eq!(code("a,".repeat(10_000).as_bytes()), MistakeCode::OverLimit);
        assert_eq!(code("a".repeat(STATEMENT_LIMIT + 1).as_bytes()), MistakeCode::OverLimit);
        reads(&"k".repeat(STATEMENT_LIMIT), &[(&"k".repeat(STATEMENT_LIMIT), Other)]);
    }

    #[test]
    fn hostile_statements_take_linear_time() {
        let start = Instant::now();
        for piece in ["a,", "a;", "a=(", "a=((", "a=\"\\\\", ";", "a=:", "a;a=1;", "\t"] {
            let _ = content_usage(piece.repeat(STATEMENT_LIMIT / piece.len()).as_bytes());
        }
        let parameters = format!("a{}=y", ";b".repeat(STATEMENT_LIMIT / 2 - 2));
        reads(&parameters, &[("a", Other)]);
        assert!(start.elapsed() < Duration::from_secs(5));
    }
}
