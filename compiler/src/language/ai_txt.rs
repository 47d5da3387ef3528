//! `/ai.txt` (Spawning): a text in the form of robots.txt, whose rules speak of training.
//!
//! Its groups are chosen by themselves (R5 to R8); the longest match decides, and of equal length
//! the permission (R12). A text that begins `Training:` is another format and states nothing.

use super::{CUT, Language, Source, UNFETCHED, conventional};
use crate::limits::OverLimit;
use crate::lowering::Lowering;
use crate::lowering::preferences::{Said, Scope, set_of, unread_of};
use crate::policy::Combiner;
use crate::{CompileContext, Options};
use robomaton_formats::Profile;
use robomaton_formats::detail::Bytes;
use robomaton_formats::preference::{self, Carrier, Effect, Group, Record, Statement};
use robomaton_formats::program::Silence;
use robomaton_formats::usage::AI_TRAIN;
use robomaton_grammar::{LineKind, Tree};
use std::borrow::Cow;

pub(super) struct AiTxt;

const LANGUAGE: preference::Language = preference::Language::AiTxt;

impl Language for AiTxt {
    fn usages(&self) -> &'static [&'static str] {
        &[]
    }

    fn combiner(&self) -> Combiner {
        Combiner::LongestMatch
    }

    fn silence(&self, _usage: u16) -> Silence {
        Silence::Unknown
    }

    fn lower<'s>(&self, source: &Source<'_, 's>, lowering: &mut Lowering<'s, '_>) -> Result<(), OverLimit> {
        if source.context.is_ai_txt_unread {
            unread(UNFETCHED, lowering);
        }
        let Some(text) = source.context.ai_txt else { return Ok(()) };
        let limits = lowering.options.limits.clone();
        let options = Options { profile: Profile::Rfc9309, limits, ..Options::default() };
        let tree = robomaton_grammar::scan(text, options.limits.bytes(options.profile));
        if is_other_format(&tree) {
            return Ok(());
        }
        if !tree.unread.is_empty() {
            unread(CUT, lowering);
        }
        let context = CompileContext { origin: source.context.origin, ..CompileContext::default() };
        let mut inner = Lowering::new(&tree, &options);
        let own = Source { tree: &tree, context: &context, suspended: None };
        // A text over a limit states nothing that was read.
        if conventional::Conventional.lower(&own, &mut inner).is_err() {
            unread("over a limit", lowering);
            return Ok(());
        }
        let policy = inner.finish();
        let mut groups = Vec::new();
        for group in &policy.groups {
            let mut stated = Group {
                crawlers: group.names().map(str::to_ascii_lowercase).collect(),
                default: group.is_default(),
                ..Group::default()
            };
            for rule in policy.rules[group.rules.clone()].iter().filter(|rule| rule.is_crawl()) {
                let record = stated.records.len() as u32;
                stated.records.push(Record {
                    language: LANGUAGE,
                    carrier: Carrier::AiTxt,
                    line: rule.line,
                    file: 0,
                    pattern: Bytes(Cow::Owned(rule.pattern.to_vec())),
                    text: Cow::Owned(format!(
                        "{}: {}",
                        rule.sense.key(),
                        String::from_utf8_lossy(&rule.pattern)
                    )),
                });
                stated.statements.push(Statement {
                    record,
                    usage: AI_TRAIN,
                    set: set_of(LANGUAGE, Carrier::AiTxt),
                    rank: rule.pattern.len() as u32,
                    effect: rule.sense.effect(),
                    conditions: 0,
                });
            }
            groups.push(stated);
        }
        if groups.iter().any(|group| !group.statements.is_empty()) {
            lowering.source(preference::Source { additive: false, groups });
        }
        Ok(())
    }
}

/// True for the format of draft-car-00, which has no groups: its first line but for comments is
/// `Training:`.
fn is_other_format(tree: &Tree<'_>) -> bool {
    let first = tree.lines.iter().find(|line| line.kind != LineKind::Blank);
    first.is_some_and(|line| {
        line.kind == LineKind::Unknown && tree.text(line.key).eq_ignore_ascii_case(b"training")
    })
}

/// States that the text could not be read, or not all of it.
fn unread(reason: &'static str, lowering: &mut Lowering<'_, '_>) {
    let record = Record {
        language: LANGUAGE,
        carrier: Carrier::AiTxt,
        line: 0,
        file: 0,
        pattern: Bytes(Cow::Borrowed(b"/")),
        text: Cow::Borrowed(reason),
    };
    let said = Said { usage: AI_TRAIN, effect: Effect::Unread, rank: 1, conditions: 0 };
    let everyone = Scope::Everyone(lowering.everyone(&[]));
    lowering.state(everyone, record, unread_of(LANGUAGE), [said]);
}
