//! The charts: what each counts, the order of its rows, and its text.
//!
//! The charts of blocked crawlers come first, then those of uses. It does not know how a chart is
//! drawn.

use crate::Point;
use crate::chart::{Chart, Group, Kind, Row, longest};
use crate::crawler_words::{DRAWN_OF_PURPOSE, SITES, heading, words};
use crate::figures::{CLASSES, CoverageCounts, Figures, class_name};
use crate::line::{LINES, Line, Lines, Moment};
use crate::numbers::{day, grouped, share, sites, tenths};
use crate::text::with_code;
use crate::use_charts::use_charts;
use maud::{Markup, html};
use robomaton_explain::lint::entry;
use robomaton_formats::Outcome;
use robomaton_formats::crawlers::{self, Purpose, WellKnownCrawler, known};
use robomaton_tables::coverage::Share;
use std::cmp::Reverse;

/// Bars of a chart with many rows.
const DRAWN: usize = 20;
/// Rows in the table of crawlers that groups name.
const MOST_AGENTS: usize = 200;

const HEADS: &[&str] = &["crawler", "operator", "purpose"];

/// All charts of one image, in order. `lints` explains the codes of lint.
pub(crate) fn charts(figures: &Figures, lints: &str) -> Vec<Chart<'static>> {
    let mut charts = vec![kept_out(figures), restricted(figures)];
    charts.extend(use_charts(figures));
    charts.extend([
        named(figures),
        agents(figures),
        outcomes(figures),
        wildcards(figures),
        rules(figures),
        sizes(figures),
        codes(figures, lints),
    ]);
    charts
}

/// The well-known crawlers with their counts, sorted by the number of sites that block them, then
/// by the number of sites that block them by name.
fn crawlers(figures: &Figures) -> Vec<(&'static WellKnownCrawler, &CoverageCounts)> {
    let mut all: Vec<_> = known().iter().zip(&figures.coverages).collect();
    all.sort_by_key(|(_, of)| Reverse((of.kept_out(), of.named(Share::Nothing), of.naming())));
    all
}

/// The words of a crawler that no group names.
fn any_other() -> Vec<String> {
    vec!["any other crawler".to_owned(), String::new(), "Everyone".to_owned()]
}

/// Purposes in the order of their groups.
const PURPOSES: [Purpose; 6] =
    [Purpose::Train, Purpose::Assistant, Purpose::Search, Purpose::Seo, Purpose::Archive, Purpose::Other];

fn kept_out(figures: &Figures) -> Chart<'static> {
    const KINDS: &[Kind] = &[
        Kind { name: "by its own name", class: "none-named" },
        Kind { name: "along with everyone", class: "none" },
    ];
    let row = |words: Vec<String>, of: &CoverageCounts| Row {
        words,
        values: vec![of.named(Share::Nothing), of.kept_out() - of.named(Share::Nothing)],
        said: tenths(of.kept_out(), figures.sites),
        note: None,
    };
    let mut groups: Vec<Group<'static>> = Vec::new();
    for purpose in PURPOSES {
        let of_purpose = crawlers(figures).into_iter().filter(|(known, _)| known.purpose == purpose);
        let rows = of_purpose.map(|(known, of)| row(words(known), of)).collect();
        groups.push(Group { title: heading(purpose), rows });
    }
    let everyone = Group { title: "Everyone", rows: vec![row(any_other(), &figures.everyone)] };
    // Next to the archives, which are also few.
    groups.insert(groups.len() - 1, everyone);
    Chart {
        id: "kept-out",
        title: "Who is kept out",
        about: html! {
            "The share of sites that let a crawler crawl nothing at all: because a group for its name says so, or because "
            "the rules for everyone (" code { "User-agent: *" } ") do and no group names it. Of "
            (sites(figures.sites)) "; sorted by that share."
        },
        full: longest(&groups),
        whole: figures.sites,
        kinds: KINDS,
        heads: HEADS,
        groups,
        drawn: DRAWN_OF_PURPOSE,
        wide: true,
    }
}

fn restricted(figures: &Figures) -> Chart<'static> {
    const KINDS: &[Kind] = &[
        Kind { name: "kept out", class: "none-named" },
        Kind { name: "kept out of a part, by name", class: "some-named" },
        Kind { name: "kept out of a part, along with everyone", class: "some" },
        Kind { name: "allowed everything", class: "all" },
        Kind { name: "robots.txt unreachable or unreadable", class: "unknown" },
    ];
    let row = |(known, of): (&WellKnownCrawler, &CoverageCounts)| Row {
        words: words(known),
        values: vec![
            of.kept_out(),
            of.named(Share::Part),
            of.all(Share::Part) - of.named(Share::Part),
            of.all(Share::All),
            of.all(Share::Unknown) + of.unavailable(),
        ],
        said: tenths(of.all(Share::Part), figures.sites),
        note: None,
    };
    let rows = crawlers(figures).into_iter().map(row).collect();
    Chart {
        id: "restricted",
        title: "All, a part or nothing",
        about: html! {
            "How much of a site each crawler may crawl. The number is the share of sites that keep it out of a part; paths "
            "that are disallowed for everyone count."
        },
        full: figures.sites,
        whole: figures.sites,
        kinds: KINDS,
        heads: HEADS,
        groups: vec![Group { title: "", rows }],
        drawn: DRAWN,
        wide: true,
    }
}

fn named(figures: &Figures) -> Chart<'static> {
    const KINDS: &[Kind] = &[
        Kind { name: "nothing", class: "none-named" },
        Kind { name: "a part", class: "some-named" },
        Kind { name: "everything", class: "all" },
    ];
    let mut all = crawlers(figures);
    all.sort_by_key(|(_, of)| Reverse(of.naming()));
    let row = |(known, of): (&WellKnownCrawler, &CoverageCounts)| Row {
        words: words(known),
        values: [Share::Nothing, Share::Part, Share::All].map(|share| of.named(share)).to_vec(),
        said: grouped(of.naming()),
        note: None,
    };
    let about = html! { "Sites with a group for the crawler, and how much of themselves they let it crawl." };
    let rows = all.into_iter().map(row).collect();
    let chart = plain("named", "Sites that name well-known crawlers", about, HEADS, rows, figures.sites);
    Chart { kinds: KINDS, ..chart }
}

/// A chart with bars of one kind.
fn plain(
    id: &'static str,
    title: &'static str,
    about: Markup,
    heads: &'static [&'static str],
    rows: Vec<Row>,
    whole: u64,
) -> Chart<'static> {
    let groups = vec![Group { title: "", rows }];
    let full = longest(&groups);
    Chart { id, title, about, full, whole, kinds: SITES, heads, groups, drawn: DRAWN, wide: false }
}

fn outcomes(figures: &Figures) -> Chart<'static> {
    let mut rows: Vec<Row> = Outcome::ALL
        .into_iter()
        .map(|outcome| (outcome.name(), figures.with(outcome)))
        .chain([("damaged", figures.damaged)])
        .filter(|&(_, sites)| sites > 0)
        .map(|(name, sites)| Row::single(name, sites))
        .collect();
    rows.sort_by_key(|row| Reverse(row.values[0]));
    let about = html! { "What fetching robots.txt led to." };
    plain("outcomes", "Outcomes", about, &["outcome"], rows, figures.sites)
}

fn wildcards(figures: &Figures) -> Chart<'static> {
    let names = ["no wildcard", "only *", "only a final $", "both"];
    let rows =
        names.into_iter().zip(figures.wildcards).map(|(name, sites)| Row::single(name, sites)).collect();
    let about = html! { "Sites with rules, by whether their patterns have " code { "*" } ", a final " code { "$" } ", or both." };
    plain("wildcards", "Wildcards", about, &["patterns with"], rows, figures.wildcards.iter().sum())
}

/// A distribution by classes.
fn distribution(
    id: &'static str,
    title: &'static str,
    about: Markup,
    heads: &'static [&'static str],
    counts: &[u64; CLASSES],
) -> Chart<'static> {
    let last = counts.iter().rposition(|&sites| sites > 0).map_or(0, |last| last + 1);
    let rows = counts[..last].iter().enumerate().map(|(class, &sites)| Row::single(class_name(class), sites));
    let chart = plain(id, title, about, heads, rows.collect(), counts.iter().sum());
    Chart { drawn: CLASSES, ..chart }
}

fn rules(figures: &Figures) -> Chart<'static> {
    let about = html! { "Sites by the number of rules in their robots.txt; sites without a robots.txt are left out." };
    distribution("rules", "Rules of a site", about, &["rules"], &figures.by_rules)
}

fn sizes(figures: &Figures) -> Chart<'static> {
    let about = if figures.with_text == 0 {
        html! { "The image holds no texts (it was compiled with " code { "--no-sources" } "), so their sizes are not known." }
    } else {
        html! { "Sites by the bytes of their robots.txt, up to the limit of what is read." }
    };
    distribution("sizes", "Size of robots.txt", about, &["bytes"], &figures.by_size)
}

fn agents(figures: &Figures) -> Chart<'static> {
    let mut all: Vec<(&String, &u64)> = figures.agents.iter().collect();
    all.sort_by_key(|&(name, sites)| (Reverse(*sites), name));
    let row = |(name, &sites): (&String, &u64)| {
        let operator = crawlers::find(name).map_or("", |known| known.operator.unwrap_or("not known"));
        Row { words: vec![name.clone(), operator.to_owned()], ..Row::single("", sites) }
    };
    let about = html! {
        "The names that the most sites have groups for. The table has "
        (grouped(all.len().min(MOST_AGENTS) as u64)) " of " (grouped(all.len() as u64)) ", with the operator where it is well known."
    };
    let rows = all.into_iter().take(MOST_AGENTS).map(row).collect();
    plain("agents", "Most named crawlers", about, &["name", "operator"], rows, figures.sites)
}

fn codes(figures: &Figures, lints: &str) -> Chart<'static> {
    const KINDS: &[Kind] = &[
        Kind { name: "error", class: "error" },
        Kind { name: "warning", class: "warning" },
        Kind { name: "note", class: "note" },
    ];
    let mut all: Vec<_> = figures.codes.iter().collect();
    all.sort_by_key(|(name, coded)| (Reverse(coded.sites), **name));
    let row = |(name, coded): (&&str, &crate::figures::Coded)| {
        let of = |kind: &Kind| if kind.name == coded.severity.name() { coded.sites } else { 0 };
        let meaning = entry(lints, name).map(|entry| entry.meaning).unwrap_or_default();
        Row {
            note: Some(with_code(&meaning)),
            words: vec![(*name).to_owned(), coded.severity.name().to_owned(), grouped(coded.texts), meaning],
            values: KINDS.iter().map(of).collect(),
            said: grouped(coded.sites),
        }
    };
    let rows: Vec<Row> = all.into_iter().map(row).collect();
    let about = if figures.with_text == 0 {
        html! { "The image holds no texts (it was compiled with " code { "--no-sources" } "), so they could not be checked." }
    } else {
        html! {
            "Sites whose robots.txt has what " code { "robomaton lint" } " warns of. Each text is checked by itself. "
            code { "robomaton lint --explain CODE" } " shows an example."
        }
    };
    let chart = plain(
        "codes",
        "Mistakes and oddities",
        about,
        &["code", "severity", "texts", "meaning"],
        rows,
        figures.with_text,
    );
    Chart { kinds: KINDS, wide: true, ..chart }
}

/// The shares of sites that block crawlers, image by image; sorted by the number of sites of the
/// newest image that block the crawler.
pub(crate) fn over_time(earlier: &[Point], name: &str, figures: &Figures) -> Lines<'static> {
    let points: Vec<(&str, &Figures)> =
        earlier.iter().map(|point| (point.name.as_str(), &point.figures)).chain([(name, figures)]).collect();
    let moment = |&(name, figures): &(&str, &Figures)| {
        let newest = figures.fetched.map(|(_, newest)| newest);
        let day = newest.map(day).filter(|day| !day.is_empty());
        Moment {
            at: newest,
            label: day.clone().unwrap_or_else(|| name.to_owned()),
            head: day.map_or_else(|| name.to_owned(), |day| format!("{name}, {day}")),
        }
    };
    let line = |words: Vec<String>, of: &dyn Fn(&Figures) -> CoverageCounts| Line {
        words,
        shares: points.iter().map(|(_, figures)| share(of(figures).kept_out(), figures.sites)).collect(),
    };
    let mut order: Vec<usize> = (0..known().len()).collect();
    let of = |at: usize| &figures.coverages[at];
    let by_name =
        |at: usize| points.iter().any(|(_, figures)| figures.coverages[at].named(Share::Nothing) > 0);
    order.sort_by_key(|&at| Reverse((by_name(at), of(at).kept_out(), of(at).named(Share::Nothing))));
    // A crawler that no site blocks by name has the same line as any other crawler.
    let drawn = order.iter().take(LINES - 1).filter(|&&at| by_name(at)).count();
    let mut lines: Vec<Line> =
        order.into_iter().map(|at| line(words(&known()[at]), &|figures| figures.coverages[at])).collect();
    lines.insert(drawn, line(any_other(), &|figures| figures.everyone));
    Lines {
        id: "over-time",
        title: "Who was kept out over time",
        about: html! {
            "The share of sites that let a crawler crawl nothing at all, in each image, at the date of its newest capture. "
            "All sites of an image count, so sites that came or went change the share, too. The lines are of the crawlers "
            "that are kept out most in the newest image, by name in one image at least, and of any crawler that no group names."
        },
        heads: HEADS,
        moments: points.iter().map(moment).collect(),
        lines,
        drawn: drawn + 1,
    }
}
