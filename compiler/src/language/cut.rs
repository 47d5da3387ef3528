//! A text that was not read to its end: what stands behind the cut may refuse any use.
//!
//! `lower` asks it after all languages, about a text that was captured in part or exceeds the limit
//! of bytes. It states for every crawler that each use on which the profile reads robots.txt is
//! unread, so that nothing which the text, a page or silence permits is certain. Rules about
//! crawling stay as they are: of these, the part before the cut counts (R4). It does not know what
//! the text says.

use super::{CUT, Source};
use crate::lowering::Lowering;
use crate::lowering::preferences::{Said, Scope};
use robomaton_formats::Profile;
use robomaton_formats::detail::{Bytes, Detail};
use robomaton_formats::preference::{Carrier, Effect, Language, Record};
use robomaton_formats::usage::{CRAWL, INDEX, USAGES};
use std::borrow::Cow;
use std::ops::Range;

/// States what a text may say behind its cut, if it has one.
pub(crate) fn state(source: &Source<'_, '_>, lowering: &mut Lowering<'_, '_>) {
    let is_cut = source.context.is_partial || !source.tree.unread.is_empty();
    let usages = spoken(lowering.options.profile);
    if !is_cut || usages.is_empty() {
        return;
    }
    let record = Record {
        language: Language::Rep,
        carrier: Carrier::Robots,
        line: 0,
        file: 0,
        pattern: Bytes(Cow::Borrowed(b"/")),
        text: Cow::Borrowed(CUT),
    };
    let everyone = Scope::Everyone(lowering.everyone(&[]));
    let said = usages.map(|usage| Said { usage, effect: Effect::Unread, rank: 1, conditions: 0 });
    let set = lowering.own_set();
    lowering.state(everyone, record, set, said);
}

/// The uses that a robots.txt may refuse in a profile: all in `full`, by Noindex in `rfc9309`.
fn spoken(profile: Profile) -> Range<u16> {
    match profile {
        Profile::Full => CRAWL + 1..USAGES.len() as u16,
        Profile::Rfc9309 => INDEX..INDEX + 1,
        Profile::Google | Profile::Koster => 0..0,
    }
}

/// True if the text of a document was not read to its end, as far as that matters to an answer.
pub fn is_cut(detail: &Detail<'_>) -> bool {
    let groups = detail.preferences.iter().flat_map(|source| &source.groups);
    let mut records = groups.flat_map(|group| &group.records);
    records.any(|record| record.language == Language::Rep)
}
