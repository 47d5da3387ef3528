//! `Content-Usage` and `Content-Signal` in response headers: statements about one resource, for
//! every crawler, beside those of robots.txt.

use super::{Language, Source, aipref, content_signals};
use crate::Page;
use crate::limits::OverLimit;
use crate::lowering::Lowering;
use crate::lowering::preferences::{Scope, set_of};
use crate::policy::Combiner;
use robomaton_formats::preference::{self, Carrier, Record};
use robomaton_formats::program::Silence;
use std::borrow::Cow;

pub(super) struct Headers;

impl Language for Headers {
    fn usages(&self) -> &'static [&'static str] {
        &[]
    }

    fn combiner(&self) -> Combiner {
        Combiner::MostRestrictive
    }

    fn silence(&self, _usage: u16) -> Silence {
        Silence::Unknown
    }

    fn lower<'s>(&self, source: &Source<'_, 's>, lowering: &mut Lowering<'s, '_>) -> Result<(), OverLimit> {
        let mut pages: Vec<&Page> = source.context.pages.iter().collect();
        pages.sort_unstable();
        for page in pages {
            // Field lines are one dictionary, in which the last of equal keys counts.
            let lines: Vec<&[u8]> = page.header("content-usage").collect();
            if !lines.is_empty() {
                let joined = lines.join(&b", "[..]);
                let said = aipref::stated(&joined, 1);
                state(page, preference::Language::Aipref, "Content-Usage", &joined, said, lowering);
            }
            for line in content_signals::ContentSignals.keys().iter().flat_map(|name| page.header(name)) {
                let said = content_signals::stated(line, 1, lowering.options);
                state(page, preference::Language::ContentSignals, "Content-Signal", line, said, lowering);
            }
        }
        Ok(())
    }
}

fn state(
    page: &Page,
    language: preference::Language,
    name: &str,
    value: &[u8],
    said: Vec<crate::lowering::preferences::Said>,
    lowering: &mut Lowering<'_, '_>,
) {
    let record = Record {
        language,
        carrier: Carrier::Header,
        line: 0,
        file: 0,
        pattern: super::robots_tags::of_page(page),
        text: Cow::Owned(super::preference_text(name, value).into_owned()),
    };
    let everyone = Scope::Everyone(lowering.everyone(&[]));
    lowering.state(everyone, record, set_of(language, Carrier::Header), said);
}
