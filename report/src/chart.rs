//! A bar chart and its table, made from the same rows.
//!
//! Bars are horizontal and stacked, one for each row; rows may be grouped under headings. Text is
//! HTML and stays readable at any width. The bars are SVG whose lengths are percentages, since the
//! page allows no style except its own sheet. Invariant: the table has all numbers of the chart. It
//! does not know the meaning of the numbers.

use crate::numbers::{grouped, percent};
use maud::{Markup, html};

/// A chart and its table.
pub(crate) struct Chart<'c> {
    /// The id of the section in links, and the name of its CSV file.
    pub(crate) id: &'c str,
    pub(crate) title: &'c str,
    /// The subject of the chart, and how it is counted.
    pub(crate) about: Markup,
    /// The value of a full bar.
    pub(crate) full: u64,
    /// The total that shares are computed from.
    pub(crate) whole: u64,
    pub(crate) kinds: &'c [Kind],
    /// The headers of the word columns in the table; the first is that of the labels.
    pub(crate) heads: &'c [&'c str],
    pub(crate) groups: Vec<Group<'c>>,
    /// The number of rows of each group in the chart; the table has all.
    pub(crate) drawn: usize,
    /// True if it takes the full width.
    pub(crate) wide: bool,
}

/// A group of rows.
pub(crate) struct Group<'c> {
    /// Empty for no heading.
    pub(crate) title: &'c str,
    pub(crate) rows: Vec<Row>,
}

/// The meaning of a part of a bar.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    /// Its CSS class, which sets the colour.
    pub(crate) class: &'static str,
}

/// One bar.
pub(crate) struct Row {
    /// Words, as many as there are headers.
    pub(crate) words: Vec<String>,
    /// One value for each kind.
    pub(crate) values: Vec<u64>,
    /// The text after the bar.
    pub(crate) said: String,
    /// The text below the bar, in the chart only.
    pub(crate) note: Option<Markup>,
}

impl Row {
    /// A row with one number and that number as its text.
    pub(crate) fn single(label: impl Into<String>, value: u64) -> Row {
        Row { words: vec![label.into()], values: vec![value], said: grouped(value), note: None }
    }

    fn label(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    fn length(&self) -> u64 {
        self.values.iter().sum()
    }
}

/// The length of the longest bar, for use as the full one.
pub(crate) fn longest(groups: &[Group<'_>]) -> u64 {
    groups.iter().flat_map(|group| &group.rows).map(Row::length).max().unwrap_or(0)
}

impl Chart<'_> {
    pub(crate) fn draw(&self) -> Markup {
        let left: usize = self.groups.iter().map(|group| group.rows.len().saturating_sub(self.drawn)).sum();
        html! {
            section.chart.wide[self.wide] id=(self.id) aria-labelledby={ (self.id) "-title" } {
                h2 id={ (self.id) "-title" } { (self.title) }
                p.about { (self.about) }
                @if self.kinds.len() > 1 {
                    ul.legend { @for kind in self.kinds { li { (swatch(kind)) (kind.name) } } }
                }
                figure role="img" aria-label={ (self.title) ": the table below has the numbers" } {
                    @for group in &self.groups {
                        div.bars {
                            @if !group.title.is_empty() { p.group-title { (group.title) } }
                            @for row in group.rows.iter().take(self.drawn) { (self.bar(row)) }
                        }
                    }
                }
                details {
                    summary { "Table" @if left > 0 { ", with " (grouped(left as u64)) " more" } }
                    (self.table())
                }
            }
        }
    }

    /// The non-empty parts of a bar: its kind, start and length.
    fn parts<'r>(&'r self, row: &'r Row) -> impl Iterator<Item = (&'r Kind, u64, u64)> {
        let ends = row.values.iter().scan(0, |end, &value| {
            *end += value;
            Some(*end)
        });
        let parts = self.kinds.iter().zip(ends).zip(&row.values);
        parts.map(|((kind, end), &value)| (kind, end - value, value)).filter(|&(_, _, value)| value > 0)
    }

    fn bar(&self, row: &Row) -> Markup {
        html! {
            div.bar {
                span.label title=(row.words.join(", ")) { bdi { (row.label()) } }
                svg height="14" width="100%" aria-hidden="true" {
                    rect.track width="100%" height="14" {}
                    @for (kind, from, value) in self.parts(row) {
                        rect class=(kind.class) x=(percent(from, self.full)) width=(percent(value, self.full))
                            height="14" data-value=(value) {
                            title { (row.label()) ": " (kind.name) " " (grouped(value)) ", " (percent(value, self.whole)) }
                        }
                    }
                }
                span.said { (row.said) }
                @if let Some(note) = &row.note { p.note-text { (note) } }
            }
        }
    }

    fn table(&self) -> Markup {
        html! {
            (scroll(self.title, &html! {
                caption { (self.title) "; shares are of " (grouped(self.whole)) }
                thead {
                    tr {
                        @for head in self.heads { th scope="col" { (head) } }
                        @for kind in self.kinds {
                            th.number scope="col" { (kind.name) }
                            th.number scope="col" { (kind.name) " %" }
                        }
                    }
                }
                tbody {
                    @for row in self.groups.iter().flat_map(|group| &group.rows) {
                        tr {
                            (words(&row.words))
                            @for &value in &row.values {
                                td.number { (grouped(value)) }
                                td.number { (percent(value, self.whole)) }
                            }
                        }
                    }
                }
            }))
        }
    }
}

/// A table that scrolls if it is larger than its place.
pub(crate) fn scroll(title: &str, table: &Markup) -> Markup {
    html! { div.scroll tabindex="0" role="region" aria-label={ (title) ", table" } { table { (table) } } }
}

/// The cells of words: the first is the header of its row.
pub(crate) fn words(words: &[String]) -> Markup {
    html! {
        @for (place, word) in words.iter().enumerate() {
            @if place == 0 { th scope="row" { bdi { (word) } } } @else { td { (word) } }
        }
    }
}

fn swatch(kind: &Kind) -> Markup {
    html! {
        svg.swatch width="12" height="12" aria-hidden="true" { rect class=(kind.class) width="12" height="12" {} }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_what_the_picture_leaves_out() {
        let group = |title, rows| Group { title, rows };
        let chart = Chart {
            id: "c",
            title: "t",
            about: html! {},
            full: 4,
            whole: 4,
            kinds: &[Kind { name: "sites", class: "k" }],
            heads: &["name"],
            groups: vec![
                group("", vec![Row::single("<a>", 3), Row::single("b", 1)]),
                group("G", vec![Row::single("c", 2)]),
            ],
            drawn: 1,
            wide: false,
        };
        assert_eq!(longest(&chart.groups), 3);
        let html = chart.draw().into_string();
        assert!(html.contains("x=\"0.00%\" width=\"75.00%\" height=\"14\" data-value=\"3\""), "{html}");
        assert!(html.contains("with 1 more") && html.contains("25.00%") && !html.contains("<a>"));
        assert_eq!((html.matches("data-value").count(), html.matches("group-title").count()), (2, 1));
    }
}
