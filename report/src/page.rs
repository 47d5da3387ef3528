//! The page: what is said where, and the policy that keeps strangers' scripts out.
//!
//! Pictures and tables are HTML and work without script; the search needs it. Invariant: the only scripts and styles
//! that run are `page.js` and `page.css`, named by their hashes; nothing is asked of a network.

use crate::chart::{Chart, Form, Kind, Row, grouped, tenths};
use crate::figures::{CLASSES, Extents, Figures, class_name};
use crate::gather::Data;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use robomaton_formats::Outcome;
use robomaton_runtime::Image;
use robomaton_tables::crawlers::{self, Known, known};
use robomaton_tables::extent::Share;
use sha2::{Digest, Sha256};
use std::cmp::Reverse;

const SCRIPT: &str = include_str!("page.js");
const SHEET: &str = include_str!("page.css");

/// Bars of a picture with many rows.
const DRAWN: usize = 20;

const SITES: &[Kind] = &[Kind { name: "sites", class: "plain" }];

/// The page of one image.
pub(crate) fn page<D: AsRef<[u8]>>(image: &Image<D>, figures: &Figures, data: &Data) -> String {
    let policy = format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; base-uri 'none'; form-action 'none'",
        hash(SCRIPT),
        hash(SHEET)
    );
    let meta = image.view().meta().unwrap_or_default();
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "robots.txt of " (grouped(figures.sites)) " sites" }
                style { (PreEscaped(SHEET)) }
            }
            body {
                a.skip href="#search" { "To the search" }
                header {
                    h1 { "What " (grouped(figures.sites)) " sites tell crawlers" }
                    p {
                        "Captures of robots.txt, read in the profile " (image.profile().name()) " by " (meta.generator) ". What is said here is as of the captures."
                        @if !meta.crawlers.is_empty() {
                            " The image was narrowed to the crawlers " (meta.crawlers.join(", ")) "."
                        }
                    }
                    (tiles(figures))
                }
                main {
                    (search(figures, data))
                    div.charts { @for chart in charts(figures) { (chart.draw()) } }
                }
                footer {
                    p {
                        "Made by robomaton. This page is one file: it loads nothing and tells nobody what is looked up."
                    }
                }
                @for (first, block) in &data.blocks {
                    script type="text/plain" data-first=(first) { (PreEscaped(block)) }
                }
                script type="text/plain" id="index" { (PreEscaped(&data.index)) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    markup.into_string()
}

/// What a Content-Security-Policy names a script or style by.
fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}

fn tiles(figures: &Figures) -> Markup {
    let rules = figures.with(Outcome::Rules);
    let tiles = [
        (grouped(figures.sites), "sites".to_owned()),
        (grouped(rules), format!("with rules, {}", tenths(rules, figures.sites))),
        (grouped(figures.texts), "distinct texts".to_owned()),
        (grouped(figures.rules), "rules in them".to_owned()),
        (grouped(figures.agents.len() as u64), "crawlers named".to_owned()),
    ];
    html! {
        dl.tiles { @for (number, what) in &tiles { div { dt { (what) } dd { (number) } } } }
    }
}

fn search(figures: &Figures, data: &Data) -> Markup {
    let held = data.sites as u64;
    html! {
        section.search id="search" aria-labelledby="search-title" {
            h2 id="search-title" { "Look up a site" }
            p.about {
                @if held < figures.sites {
                    "This page holds the " (grouped(held)) " sites whose records are the longest, of "
                    (grouped(figures.sites)) "; `robomaton inspect --site` knows them all. "
                }
                "Of a text with more than " (crate::RULES_SHOWN) " rules, the first of them are here."
            }
            div.box {
                input type="text" id="host" role="combobox" aria-label="Host" aria-expanded="false"
                    aria-controls="hosts" aria-autocomplete="list" autocomplete="off" autocapitalize="off"
                    spellcheck="false" placeholder="a host, or a part of one" disabled;
                ul id="hosts" role="listbox" aria-label="Hosts" hidden {}
            }
            p id="state" role="status" { noscript { "The search needs JavaScript; all else is here without it." } }
            article id="site" aria-live="polite" hidden {}
        }
    }
}

/// All pictures, in their order.
fn charts(figures: &Figures) -> Vec<Chart<'static>> {
    vec![
        restricted(figures),
        named(figures),
        agents(figures),
        outcomes(figures),
        wildcards(figures),
        rules(figures),
        sizes(figures),
        codes(figures),
    ]
}

/// The well-known crawlers with what sites say to them, those first that the most sites restrict by their names.
fn crawlers(figures: &Figures) -> Vec<(&'static Known, &Extents)> {
    let mut all: Vec<_> = known().iter().zip(&figures.extents).collect();
    all.sort_by_key(|(_, of)| {
        Reverse((of.named(Share::None) + of.named(Share::Some), of.restricting(), of.naming()))
    });
    all
}

const HEADS: &[&str] = &["crawler", "operator", "purpose"];

fn words(known: &Known) -> Vec<String> {
    vec![
        known.token.to_owned(),
        known.operator.unwrap_or("not known").to_owned(),
        known.purpose.name().to_owned(),
    ]
}

fn restricted(figures: &Figures) -> Chart<'static> {
    const KINDS: &[Kind] = &[
        Kind { name: "nothing, by its name", class: "none-named" },
        Kind { name: "nothing, as everyone", class: "none" },
        Kind { name: "some, by its name", class: "some-named" },
        Kind { name: "some, as everyone", class: "some" },
        Kind { name: "all", class: "all" },
        Kind { name: "not known", class: "unknown" },
    ];
    let row = |(known, of): (&Known, &Extents)| Row {
        words: words(known),
        values: vec![
            of.named(Share::None),
            of.all(Share::None) - of.named(Share::None),
            of.named(Share::Some),
            of.all(Share::Some) - of.named(Share::Some),
            of.all(Share::All),
            of.all(Share::Unknown),
        ],
        said: tenths(of.restricting(), figures.sites),
    };
    Chart {
        id: "restricted",
        title: "How much of a site crawlers may use",
        about: html! {
            "For well-known crawlers, the sites of which each may crawl nothing, some or all, and whether a group names "
            "it or the rules for everyone say so. The number is the share of sites that restrict it. "
            "Who runs them, and what for, says the table."
        },
        form: Form::Bars,
        full: figures.sites,
        whole: figures.sites,
        kinds: KINDS,
        heads: HEADS,
        rows: crawlers(figures).into_iter().map(row).collect(),
        drawn: DRAWN,
        wide: true,
    }
}

fn named(figures: &Figures) -> Chart<'static> {
    const KINDS: &[Kind] = &[
        Kind { name: "nothing", class: "none-named" },
        Kind { name: "some", class: "some-named" },
        Kind { name: "all", class: "all" },
    ];
    let mut all = crawlers(figures);
    all.sort_by_key(|(_, of)| Reverse(of.naming()));
    let row = |(known, of): (&Known, &Extents)| Row {
        words: words(known),
        values: [Share::None, Share::Some, Share::All].map(|share| of.named(share)).to_vec(),
        said: grouped(of.naming()),
    };
    let rows: Vec<Row> = all.into_iter().map(row).collect();
    Chart {
        id: "named",
        title: "Sites that name well-known crawlers",
        about: html! { "Sites with a group for the crawler, and how much they let it crawl." },
        form: Form::Bars,
        full: Chart::largest(&rows),
        whole: figures.sites,
        kinds: KINDS,
        heads: HEADS,
        rows,
        drawn: DRAWN,
        wide: false,
    }
}

/// A picture of one kind of bars.
fn plain(
    id: &'static str,
    title: &'static str,
    about: Markup,
    head: &'static [&'static str],
    rows: Vec<Row>,
    whole: u64,
) -> Chart<'static> {
    let full = Chart::largest(&rows);
    Chart {
        id,
        title,
        about,
        form: Form::Bars,
        full,
        whole,
        kinds: SITES,
        heads: head,
        rows,
        drawn: DRAWN,
        wide: false,
    }
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
    let about = html! { "What became of fetching robots.txt." };
    plain("outcomes", "Outcomes", about, &["outcome"], rows, figures.sites)
}

fn wildcards(figures: &Figures) -> Chart<'static> {
    let names = ["no wildcard", "* alone", "$ at an end alone", "both"];
    let rows =
        names.into_iter().zip(figures.wildcards).map(|(name, sites)| Row::single(name, sites)).collect();
    let about = html! { "Of the sites with rules, those whose patterns have " code { "*" } ", a final " code { "$" } ", or both." };
    plain("wildcards", "Wildcards", about, &["patterns with"], rows, figures.wildcards.iter().sum())
}

/// A distribution by classes.
fn distribution(
    id: &'static str,
    title: &'static str,
    about: Markup,
    head: &'static [&'static str],
    counts: &[u64; CLASSES],
) -> Chart<'static> {
    let last = counts.iter().rposition(|&sites| sites > 0).map_or(0, |last| last + 1);
    let rows = counts[..last].iter().enumerate().map(|(class, &sites)| Row::single(class_name(class), sites));
    let chart = plain(id, title, about, head, rows.collect(), counts.iter().sum());
    Chart { form: Form::Columns, drawn: CLASSES, ..chart }
}

fn rules(figures: &Figures) -> Chart<'static> {
    let about = html! { "Sites by the number of rules in their text; sites without a text are left out." };
    distribution("rules", "Rules of a site", about, &["rules"], &figures.by_rules)
}

fn sizes(figures: &Figures) -> Chart<'static> {
    let about = if figures.with_text == 0 {
        html! { "The image holds no texts (it was compiled with " code { "--no-sources" } "), so their sizes are not known." }
    } else {
        html! { "Sites by the octets of their text, up to the limit of what is read; k is 1,024." }
    };
    distribution("sizes", "Size of robots.txt", about, &["octets"], &figures.by_size)
}

fn agents(figures: &Figures) -> Chart<'static> {
    let mut all: Vec<(&String, &u64)> = figures.agents.iter().collect();
    all.sort_by_key(|&(name, sites)| (Reverse(*sites), name));
    let row = |(name, &sites): (&String, &u64)| {
        let operator = crawlers::find(name).map_or("", |known| known.operator.unwrap_or("not known"));
        Row { words: vec![name.clone(), operator.to_owned()], ..Row::single("", sites) }
    };
    let about = html! {
        "The names that the most sites have groups for, "
        (grouped(all.len().min(MOST_AGENTS) as u64)) " of " (grouped(all.len() as u64)) " in the table; who runs them where that is well known."
    };
    let rows = all.into_iter().take(MOST_AGENTS).map(row).collect();
    plain("agents", "Most named crawlers", about, &["name", "operator"], rows, figures.sites)
}

/// Names in the table of those that sites have groups for.
const MOST_AGENTS: usize = 200;

fn codes(figures: &Figures) -> Chart<'static> {
    const KINDS: &[Kind] = &[
        Kind { name: "error", class: "error" },
        Kind { name: "warning", class: "warning" },
        Kind { name: "note", class: "note" },
    ];
    let mut all: Vec<_> = figures.codes.iter().collect();
    all.sort_by_key(|(name, coded)| (Reverse(coded.sites), **name));
    let row = |(name, coded): (&&str, &crate::figures::Coded)| {
        let of = |kind: &Kind| if kind.name == coded.severity.name() { coded.sites } else { 0 };
        Row {
            words: vec![(*name).to_owned(), coded.severity.name().to_owned(), grouped(coded.texts)],
            values: KINDS.iter().map(of).collect(),
            said: grouped(coded.sites),
        }
    };
    let rows: Vec<Row> = all.into_iter().map(row).collect();
    let about = if figures.with_text == 0 {
        html! { "The image holds no texts (it was compiled with " code { "--no-sources" } "), so nothing is said of them." }
    } else {
        html! {
            "Sites with a text that " code { "robomaton lint" } " has a remark about, each text read by itself; "
            code { "robomaton lint --explain CODE" } " says what a code means."
        }
    };
    let (heads, full) = (&["code", "severity", "texts"], Chart::largest(&rows));
    let chart = plain("codes", "Remarks of lint", about, heads, rows, figures.with_text);
    Chart { kinds: KINDS, full, wide: true, ..chart }
}
