//! The reader that defines trees: runs `rep.pest` and collects its pairs into a [`Tree`].
//!
//! Only tests and fuzzing call it, to check [`crate::scan`], since it is about sixty times slower.
//! Invariants: the grammar expresses everything that it can, so this file only moves spans; every
//! line rule of the grammar becomes one line. This file knows no spelling of a key and no byte
//! offset, except the extent that both readers are given.

use pest::Parser;
use pest::iterators::Pair;

use crate::projection::Projection;
use crate::tree::Extent;
use crate::{Group, Key, Line, LineKind, Span, Tree};

use grammar::{RepParser, Rule};

/// Keeps the derived items, which are public and undocumented, away from the lints.
#[allow(missing_docs, unreachable_pub)]
mod grammar {
    #[derive(pest_derive::Parser)]
    #[grammar = "rep.pest"]
    pub(super) struct RepParser;
}

/// Reads `source` up to `limit` bytes by the definition: slowly, with the same tree as
/// [`crate::scan`].
///
/// # Panics
/// If pest gives up, as it does with less than 64 KiB of stack left, or above a limit set with
/// [`pest::set_call_limit`]. No input causes this.
pub fn define(source: &[u8], limit: usize) -> Tree<'_> {
    let Extent { unread, .. } = Extent::new(source, limit);
    let projection = Projection::new(&source[..unread.start as usize], 0);
    let mut tree = Tree { source, bom: Span::default(), lines: Vec::new(), groups: Vec::new(), unread };
    let file = RepParser::parse(Rule::robotstxt, &projection.text)
        .expect("malformed_line takes what no other line does, so every text is a robotstxt");
    for pair in file.flat_map(Pair::into_inner) {
        match pair.as_rule() {
            Rule::bom => tree.bom = projection.span(&pair),
            Rule::group => tree.push_group(pair, &projection),
            Rule::EOI => {}
            _ => tree.lines.push(line_of(pair, &projection)),
        }
    }
    tree
}

impl Tree<'_> {
    fn push_group(&mut self, group: Pair<'_, Rule>, projection: &Projection<'_>) {
        let start = self.lines.len() as u32;
        let mut body = None;
        for line in group.into_inner() {
            if line.as_rule() == Rule::rule_line {
                body = body.or(Some(self.lines.len() as u32));
            }
            self.lines.push(line_of(line, projection));
        }
        let end = self.lines.len() as u32;
        self.groups.push(Group { start, body: body.unwrap_or(end), end });
    }
}

fn line_of(line: Pair<'_, Rule>, projection: &Projection<'_>) -> Line {
    let span = projection.span(&line);
    let mut kind = match line.as_rule() {
        Rule::emptyline => LineKind::Blank,
        Rule::unknown_line => LineKind::Unknown,
        Rule::acap_line => LineKind::Acap,
        // The other lines have a key, which decides the kind below.
        _ => LineKind::Malformed,
    };
    let (mut key, mut value, mut comment, mut stop) = (None, None, None, span.end);
    for part in line.into_inner() {
        let place = projection.span(&part);
        match part.as_rule() {
            Rule::agent | Rule::path_pattern | Rule::other_pattern | Rule::value => value = Some(place),
            Rule::empty_pattern | Rule::EOI => {}
            Rule::comment => comment = Some(place),
            Rule::nl => stop = place.start,
            rule => {
                key = Some(place);
                kind = key_of(rule).map_or(kind, LineKind::Field);
            }
        }
    }
    // A missing part is empty and lies at the end of its possible place.
    let comment = comment.unwrap_or(Span { start: stop, end: stop });
    let absent = Span { start: comment.start, end: comment.start };
    Line { span, kind, key: key.unwrap_or(absent), value: value.unwrap_or(absent), comment }
}

/// The key that a grammar rule stands for; `None` for the keys of unknown and malformed lines.
fn key_of(rule: Rule) -> Option<Key> {
    Some(match rule {
        Rule::user_agent => Key::UserAgent,
        Rule::allow => Key::Allow,
        Rule::disallow => Key::Disallow,
        Rule::sitemap => Key::Sitemap,
        Rule::crawl_delay => Key::CrawlDelay,
        Rule::request_rate => Key::RequestRate,
        Rule::visit_time => Key::VisitTime,
        Rule::note => Key::Comment,
        Rule::host => Key::Host,
        Rule::clean_param => Key::CleanParam,
        Rule::noindex => Key::Noindex,
        Rule::robot_version => Key::RobotVersion,
        Rule::license => Key::License,
        Rule::content_signal => Key::ContentSignal,
        Rule::content_usage => Key::ContentUsage,
        _ => return None,
    })
}

/// The length of the product token in a user-agent value according to the definition.
#[cfg(test)]
pub(crate) fn define_product_token(value: &[u8]) -> Option<usize> {
    let projection = Projection::new(value, 0);
    let agent = RepParser::parse(Rule::agent, &projection.text).ok()?.next()?;
    let token = agent.into_inner().find(|pair| pair.as_rule() == Rule::product_token)?;
    Some(projection.span(&token).len())
}
