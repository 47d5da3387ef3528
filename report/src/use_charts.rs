//! The charts of statements about uses: who refuses a use, in which language, beside which crawlers
//! by name, and where languages contradict each other.
//!
//! It does not know how a chart is drawn.

use crate::chart::{Chart, Group, Kind, Row, longest};
use crate::crawler_words::{DRAWN_OF_PURPOSE, SITES, heading, words};
use crate::figures::Figures;
use crate::numbers::{grouped, tenths};
use crate::uses::{NamedCounts, StanceCounts, UsageCounts};
use maud::html;
use robomaton_formats::crawlers::{Purpose, known};
use robomaton_tables::stances::Stance;
use std::cmp::Reverse;

/// Bars of contradictions.
const DRAWN: usize = 12;

const KINDS: &[Kind] = &[
    Kind { name: "refused on the whole site", class: "none-named" },
    Kind { name: "refused in part", class: "some-named" },
    Kind { name: "permitted under conditions", class: "some" },
    Kind { name: "permitted", class: "all" },
    Kind { name: "not decided, or unreadable", class: "unknown" },
];

/// The stances in the order of their kinds.
const STANCES: [Stance; 5] =
    [Stance::Refused, Stance::RefusedInPart, Stance::Conditional, Stance::Permitted, Stance::Unknown];

/// The charts of uses, in order. Without a statement there is only the first.
pub(crate) fn use_charts(figures: &Figures) -> Vec<Chart<'static>> {
    let mut charts = vec![uses(figures)];
    if figures.uses.speaks() {
        charts.extend([languages(figures), by_name(figures), contradictions(figures)]);
    }
    charts
}

/// A usage in words.
fn meaning(usage: &str) -> &'static str {
    match usage {
        "ai-train" => "training of models",
        "ai-input" => "input of a model that answers",
        "ai-index" => "an index from which models draw",
        "search" => "answers of a search engine",
        "index" => "a place in an index",
        "tdm" => "text and data mining",
        _ => "",
    }
}

fn values(counts: &StanceCounts) -> Vec<u64> {
    STANCES.iter().map(|&stance| counts.with(stance)).collect()
}

fn uses(figures: &Figures) -> Chart<'static> {
    let row = |counts: &UsageCounts| {
        let silent = figures.sites - counts.stances.speaking();
        let meaning = meaning(counts.usage);
        Row {
            words: vec![counts.usage.to_owned(), meaning.to_owned(), grouped(silent)],
            values: values(&counts.stances),
            said: tenths(counts.stances.refusing(), figures.sites),
            note: Some(
                html! { (meaning) "; " (grouped(silent)) @if silent == 1 { " site is silent" } @else { " sites are silent" } },
            ),
        }
    };
    let groups = vec![Group { title: "", rows: figures.uses.usages.iter().map(row).collect() }];
    Chart {
        id: "uses",
        title: "Who reserves AI training, and other uses",
        about: html! {
            "What sites tell a crawler that no group names about the use of their pages: in " code { "Content-Usage" } ", "
            code { "Content-Signal" } ", RSL, TDMRep, META tags and other languages. The number is the share of sites that "
            "refuse the use; one refusal suffices. A refusal of training also refuses mining. Paths that may not be crawled do "
            "not count. " (grouped(figures.uses.reserving)) " of " (grouped(figures.sites))
            " sites refuse AI training in one language at least; sites without a statement in any are silent."
        },
        full: longest(&groups),
        whole: figures.sites,
        kinds: KINDS,
        heads: &["use", "meaning", "silent"],
        groups,
        drawn: figures.uses.usages.len(),
        wide: true,
    }
}

fn languages(figures: &Figures) -> Chart<'static> {
    let group = |counts: &UsageCounts| {
        let mut all: Vec<_> = counts.languages.iter().collect();
        all.sort_by_key(|(language, of)| (Reverse((of.refusing(), of.speaking())), **language));
        let row = |(language, of): (&robomaton_formats::preference::Language, &StanceCounts)| Row {
            words: vec![language.title().to_owned(), counts.usage.to_owned()],
            values: values(of),
            said: grouped(of.refusing()),
            note: None,
        };
        Group { title: counts.usage, rows: all.into_iter().map(row).collect() }
    };
    let groups: Vec<Group<'static>> =
        figures.uses.usages.iter().map(group).filter(|group| !group.rows.is_empty()).collect();
    Chart {
        id: "languages",
        title: "In which language",
        about: html! {
            "The sites that speak of a use in a language, and what that language says by itself. The number is that of the "
            "sites that refuse the use in it. A site may use several languages. A page that was captured and refuses nothing "
            "permits indexing and search in META and X-Robots-Tag, which is the default of that language. "
            "Robots Exclusion Protocol stands for a robots.txt that was not read to its end."
        },
        full: longest(&groups),
        whole: figures.sites,
        kinds: KINDS,
        heads: &["language", "use"],
        groups,
        drawn: DRAWN_OF_PURPOSE,
        wide: true,
    }
}

fn by_name(figures: &Figures) -> Chart<'static> {
    const KINDS: &[Kind] = &[
        Kind { name: "AI training refused to everyone, too", class: "none-named" },
        Kind { name: "by name alone", class: "none" },
    ];
    let row = |words: Vec<String>, of: &NamedCounts| Row {
        words,
        values: vec![of.reserving, of.refused - of.reserving],
        said: grouped(of.refused),
        note: None,
    };
    let group = |purpose: Purpose| {
        let crawlers = known().iter().zip(&figures.uses.crawlers);
        let mut all: Vec<_> = crawlers.filter(|(known, _)| known.purpose == purpose).collect();
        all.sort_by_key(|(_, of)| Reverse((of.refused, of.reserving)));
        let rows = all.into_iter().map(|(known, of)| row(words(known), of));
        let any = vec!["any of these".to_owned(), String::new(), heading(purpose).to_owned()];
        let any = (purpose == Purpose::Train).then(|| row(any, &figures.uses.trainers));
        Group { title: heading(purpose), rows: any.into_iter().chain(rows).collect() }
    };
    let groups: Vec<Group<'static>> = [Purpose::Train, Purpose::Assistant].map(group).into();
    Chart {
        id: "by-name",
        title: "AI crawlers refused by name",
        about: html! {
            "Sites that let a crawler crawl nothing because a group for its name says so, and how many of them also refuse AI "
            "training to everyone in a language of uses. " (grouped(figures.uses.reserving)) " sites do so in all."
        },
        full: longest(&groups),
        whole: figures.sites,
        kinds: KINDS,
        heads: &["crawler", "operator", "purpose"],
        groups,
        drawn: DRAWN_OF_PURPOSE,
        wide: true,
    }
}

fn contradictions(figures: &Figures) -> Chart<'static> {
    let of_usage = |counts: &UsageCounts| {
        let usage = counts.usage;
        let rows = counts.contradictions.iter().map(move |((refuses, permits), of)| {
            let examples = of.examples.join(", ");
            Row {
                note: Some(html! {
                    (refuses.title()) " refuses, " (permits.title()) " permits; for example " bdi { (examples) }
                }),
                words: vec![
                    usage.to_owned(),
                    refuses.title().to_owned(),
                    permits.title().to_owned(),
                    examples,
                ],
                ..Row::single("", of.sites)
            }
        });
        rows.collect::<Vec<_>>()
    };
    let mut rows: Vec<Row> = figures.uses.usages.iter().flat_map(of_usage).collect();
    rows.sort_by_key(|row| Reverse(row.values[0]));
    let training = figures.uses.usages.first().map_or(0, |counts| counts.contradictory);
    let groups = vec![Group { title: "", rows }];
    Chart {
        id: "contradictions",
        title: "Contradictions between languages",
        about: html! {
            "Sites where one language refuses a use of a URL that another permits. The refusal decides. About AI training, "
            (grouped(training)) " sites contradict themselves."
        },
        full: longest(&groups),
        whole: figures.sites,
        kinds: SITES,
        heads: &["use", "refused in", "permitted in", "examples"],
        groups,
        drawn: DRAWN,
        wide: true,
    }
}
