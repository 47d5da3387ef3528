//! A made-up language that says whether pages may be read aloud. It shows the parts of a language.
//!
//! ```text
//!   User-agent: *
//!   Read-Aloud: no
//!   Read-Aloud: yes /news/
//! ```
//!
//! Only built with the feature `example-language`, which the tests turn on. CONTRIBUTING.md walks
//! through it. Its grammar is `example.pest`, its cases are in `tests/cases/example-language.toml`;
//! no other file knows it, except for its line in [`super::of`].

use super::Language;
use crate::limits::OverLimit;
use crate::lowering::Lowering;
use crate::policy::{Combiner, Sense};
use pest::Parser;
use robomaton_formats::Notation;
use robomaton_formats::program::Silence;
use std::borrow::Cow;

pub(super) struct Example;

#[derive(pest_derive::Parser)]
#[grammar = "language/example.pest"]
struct Grammar;

impl Language for Example {
    fn usages(&self) -> &'static [&'static str] {
        &["read-aloud"]
    }

    fn keys(&self) -> &'static [&'static str] {
        &["read-aloud"]
    }

    /// A matching `no` decides, regardless of the length of a `yes`.
    fn combiner(&self) -> Combiner {
        Combiner::MostRestrictive
    }

    /// Without a matching record, reading aloud is neither permitted nor prohibited.
    fn silence(&self, _usage: u16) -> Silence {
        Silence::Unknown
    }

    fn record<'s>(
        &self,
        value: &'s [u8],
        line: u32,
        lowering: &mut Lowering<'s, '_>,
    ) -> Result<(), OverLimit> {
        let Some((sense, path)) = parse(value) else { return Ok(()) };
        let usage = lowering.usage("read-aloud", line)?;
        let pattern = Notation::Rep.pattern(path.unwrap_or("/").as_bytes()).into_owned();
        self.rule((usage, sense), Cow::Owned(pattern), line, lowering)
    }

    fn mistake(&self, value: &[u8]) -> Option<&'static str> {
        parse(value)
            .is_none()
            .then_some("`yes` or `no` is expected, and perhaps a path, such as `no /private/`")
    }
}

/// The sense of a value and the path that it covers; `None` if the value is malformed.
fn parse(value: &[u8]) -> Option<(Sense, Option<&str>)> {
    let value = Grammar::parse(Rule::value, std::str::from_utf8(value).ok()?).ok()?.next()?;
    let mut parts = value.into_inner();
    let sense =
        if parts.next()?.as_str().eq_ignore_ascii_case("yes") { Sense::Permit } else { Sense::Prohibit };
    let path = parts.find(|part| part.as_rule() == Rule::path);
    Some((sense, path.map(|path| path.as_str())))
}
