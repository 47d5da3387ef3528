//! The page: the order of its parts, and the policy that blocks foreign scripts.
//!
//! Charts and tables are HTML and work without scripts; the search needs one. Invariant: only
//! `page.js` and `page.css` are active, named by their hashes; nothing is loaded.

use crate::charts::{charts, over_time};
use crate::figures::Figures;
use crate::gather::Data;
use crate::numbers::{day, grouped, sites, tenths};
use crate::{Options, Point};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use robomaton_formats::Outcome;
use robomaton_runtime::Image;
use sha2::{Digest, Sha256};

const SCRIPT: &str = include_str!("page.js");
const SHEET: &str = include_str!("page.css");

/// The mark by which a page is known to be a report.
const GENERATOR: &str = concat!("robomaton report ", env!("CARGO_PKG_VERSION"));

/// True if these are the first bytes of a report, of any version.
pub fn is_report(head: &[u8]) -> bool {
    let head = String::from_utf8_lossy(head);
    head.starts_with("<!DOCTYPE html>")
        && head.contains(r#"<meta name="generator" content="robomaton report "#)
}

/// The page of an image with this name, and of earlier images.
pub(crate) fn page<D: AsRef<[u8]>>(
    image: &Image<D>,
    name: &str,
    figures: &Figures,
    earlier: &[Point],
    data: &Data,
    options: &Options,
) -> String {
    let policy = format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; base-uri 'none'; form-action 'none'",
        hash(SCRIPT),
        hash(SHEET)
    );
    let meta = image.view().meta().unwrap_or_default();
    let tell = if figures.sites == 1 { "tells" } else { "tell" };
    let title =
        options.title.clone().unwrap_or_else(|| format!("What {} {tell} crawlers", sites(figures.sites)));
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="generator" content=(GENERATOR);
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(SHEET)) }
            }
            body {
                a.skip href="#search" { "To the search" }
                header {
                    h1 { (title) }
                    p {
                        "Taken from the robots.txt of " (sites(figures.sites)) (dates(figures)) ". "
                        "Read in the profile " (image.profile().name()) " by " (meta.generator) "."
                        @if !meta.crawlers.is_empty() {
                            " The image was narrowed to the crawlers " (meta.crawlers.join(", ")) "."
                        }
                        @if !earlier.is_empty() {
                            " This is the newest of " (earlier.len() + 1) " images, " (name)
                            "; all pictures but the first are of it alone."
                        }
                    }
                    (tiles(figures))
                }
                main {
                    (search(figures, data))
                    div.charts {
                        @if !earlier.is_empty() { (over_time(earlier, name, figures).draw()) }
                        @for chart in charts(figures, options.lints) { (chart.draw()) }
                    }
                }
                footer {
                    p {
                        "Made by robomaton. This page is one file: it loads nothing from the network, and nobody learns what you look up."
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

/// The dates of the captures, as the end of a sentence.
fn dates(figures: &Figures) -> String {
    match figures.fetched.map(|(first, last)| (day(first), day(last))) {
        Some((first, last)) if first == last => format!(", fetched on {first}"),
        Some((first, last)) => format!(", fetched between {first} and {last}"),
        None => ", fetched at times that are not known".to_owned(),
    }
}

/// The hash by which a Content-Security-Policy names a script or style.
fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}

fn tiles(figures: &Figures) -> Markup {
    let rules = figures.with(Outcome::Rules);
    let tiles = [
        (grouped(figures.sites), if figures.sites == 1 { "site" } else { "sites" }.to_owned()),
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
                "Type a host name, or a part of one, and pick a match: which well-known crawlers may crawl the site, by "
                "which line, and what its robots.txt says. "
                @if held < figures.sites {
                    "This page holds the " (grouped(held)) " sites whose records are the longest, of "
                    (grouped(figures.sites)) "; " code { "robomaton inspect --site" } " shows any of them. "
                }
                "Of a robots.txt with more than " (crate::RULES_SHOWN) " rules the page shows the first "
                (crate::RULES_SHOWN) "."
            }
            div.box {
                input type="text" id="host" role="combobox" aria-label="Host" aria-expanded="false"
                    aria-controls="hosts" aria-autocomplete="list" autocomplete="off" autocapitalize="off"
                    spellcheck="false" placeholder="example.com" disabled;
                ul id="hosts" role="listbox" aria-label="Hosts" hidden {}
            }
            p id="state" role="status" { noscript { "The search needs JavaScript; the pictures and tables do not." } }
            article id="site" aria-live="polite" hidden {}
        }
    }
}
