//! The conventional records as the 1996 Internet-Draft reads them (profile `koster`, K5–K17).
//!
//! Records end at a blank line (K5), unlike the groups of RFC 9309, so this pass makes its own. An
//! agent's value is kept whole, because a robot's name is searched in it (K9). Unknown fields
//! permit and prohibit nothing, and are kept as written (K7).

use super::{Language, Lints, Source};
use crate::limits::OverLimit;
use crate::lowering::{Lowering, name_of, number};
use crate::policy::{Agent, Combiner, Sense};
use robomaton_formats::program::Silence;
use robomaton_formats::{Notation, policy};
use robomaton_grammar::{Key, LineKind};

pub(super) struct Koster;

impl Language for Koster {
    fn usages(&self) -> &'static [&'static str] {
        &["crawl"]
    }

    fn combiner(&self) -> Combiner {
        Combiner::FirstMatch
    }

    fn silence(&self, _usage: u16) -> Silence {
        Silence::Allowed
    }

    fn lints(&self) -> &'static [Lints] {
        &[Lints::FirstMatch]
    }

    fn lower<'s>(&self, source: &Source<'_, 's>, lowering: &mut Lowering<'s, '_>) -> Result<(), OverLimit> {
        let tree = source.tree;
        // True if an agent line continues the record above it.
        let mut agents = false;
        for (index, line) in tree.lines.iter().enumerate() {
            let key = match line.kind {
                LineKind::Field(key) => key,
                // An empty line ends a record; one with only a comment (K8) or a mark does not.
                LineKind::Blank if line.comment.is_empty() && tree.text(line.span).is_ascii() => {
                    lowering.close();
                    agents = false;
                    continue;
                }
                LineKind::Unknown | LineKind::Acap => {
                    lowering.unknown(tree.text(line.key), tree.text(line.value), number(index))?;
                    continue;
                }
                _ => continue,
            };
            let value = tree.text(line.value);
            let sense = match key {
                Key::UserAgent => {
                    if !std::mem::replace(&mut agents, true) {
                        lowering.open(number(index))?;
                    }
                    lowering.agent(if value == b"*" { Agent::Any } else { Agent::Named(name_of(value)) });
                    continue;
                }
                Key::Allow => Sense::Permit,
                Key::Disallow => Sense::Prohibit,
                other => {
                    lowering.extension(other, value, number(index))?;
                    continue;
                }
            };
            agents = false;
            // K16: an empty value is not a rule. K12: /robots.txt must not appear; the runtime
            // allows it anyway.
            if !value.is_empty() {
                self.rule((policy::CRAWL, sense), Notation::Koster.pattern(value), number(index), lowering)?;
            }
        }
        Ok(())
    }
}
