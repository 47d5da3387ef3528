//! One picture of numbers and the table behind it, from the same rows.
//!
//! Bars lie (stacked, one for each row) or stand (one column for each class of a distribution). Text is HTML and stays
//! readable at any width; the bars are SVG whose lengths are percentages, since the page permits no style but its own
//! sheet. Invariant: whatever the picture shows the table says in numbers. It does not know what the numbers mean.

use maud::{Markup, html};

/// A picture and its table.
pub(crate) struct Chart<'c> {
    /// Names the section in links.
    pub(crate) id: &'c str,
    pub(crate) title: &'c str,
    /// What is to be seen, and how it is counted.
    pub(crate) about: Markup,
    pub(crate) form: Form,
    /// What a full bar is.
    pub(crate) full: u64,
    /// What shares are of.
    pub(crate) whole: u64,
    pub(crate) kinds: &'c [Kind],
    /// The heads of the columns of words in the table; the first is of the labels.
    pub(crate) heads: &'c [&'c str],
    pub(crate) rows: Vec<Row>,
    /// Rows that the picture has; the table has all.
    pub(crate) drawn: usize,
    /// Whether it takes the whole width.
    pub(crate) wide: bool,
}

/// How bars are drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Bars,
    Columns,
}

/// What a part of a bar stands for.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    /// Its colour, as the sheet names it.
    pub(crate) class: &'static str,
}

/// One bar.
pub(crate) struct Row {
    /// Words, as many as there are heads.
    pub(crate) words: Vec<String>,
    /// For each kind.
    pub(crate) values: Vec<u64>,
    /// What stands behind the bar.
    pub(crate) said: String,
}

impl Row {
    /// One number, said as it is.
    pub(crate) fn single(label: impl Into<String>, value: u64) -> Row {
        Row { words: vec![label.into()], values: vec![value], said: grouped(value) }
    }

    fn label(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }
}

impl Chart<'_> {
    /// The largest bar, as what a full one is.
    pub(crate) fn largest(rows: &[Row]) -> u64 {
        rows.iter().map(|row| row.values.iter().sum()).max().unwrap_or(0)
    }

    pub(crate) fn draw(&self) -> Markup {
        let drawn = self.rows.get(..self.drawn).unwrap_or(&self.rows);
        let left = self.rows.len() - drawn.len();
        html! {
            section.chart.wide[self.wide] id=(self.id) aria-labelledby={ (self.id) "-title" } {
                h2 id={ (self.id) "-title" } { (self.title) }
                p.about { (self.about) }
                @if self.kinds.len() > 1 {
                    ul.legend { @for kind in self.kinds { li { (swatch(kind)) (kind.name) } } }
                }
                figure role="img" aria-label={ (self.title) ": the table below has the numbers" } {
                    @match self.form {
                        Form::Bars => { @for row in drawn { (self.bar(row)) } }
                        Form::Columns => div.columns { @for row in drawn { (self.column(row)) } },
                    }
                }
                details {
                    summary {
                        "Table" @if left > 0 { ", with " (grouped(left as u64)) " more" }
                    }
                    (self.table())
                }
            }
        }
    }

    /// The parts of a bar that are there: what each stands for, where it begins, how long it is.
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
            }
        }
    }

    fn column(&self, row: &Row) -> Markup {
        let value: u64 = row.values.iter().sum();
        let class = self.kinds.first().map_or("", |kind| kind.class);
        html! {
            div.column {
                span.said { @if value > 0 { (short(value)) } }
                svg height="150" width="100%" aria-hidden="true" {
                    rect class=(class) y=(percent(self.full.saturating_sub(value), self.full))
                        width="100%" height=(percent(value, self.full)) data-value=(value) {
                        title { (row.label()) ": " (grouped(value)) ", " (percent(value, self.whole)) }
                    }
                }
                span.label { (row.label()) }
            }
        }
    }

    fn table(&self) -> Markup {
        html! {
            div.scroll tabindex="0" role="region" aria-label={ (self.title) ", table" } {
                table {
                    caption { (self.title) "; shares are of " (grouped(self.whole)) }
                    thead {
                        tr {
                            @for head in self.heads { th scope="col" { (head) } }
                            @for kind in self.kinds {
                                th.number scope="col" { (kind.name) }
                                th.number scope="col" { "share" }
                            }
                        }
                    }
                    tbody {
                        @for row in &self.rows {
                            tr {
                                @for (place, word) in row.words.iter().enumerate() {
                                    @if place == 0 { th scope="row" { bdi { (word) } } } @else { td { (word) } }
                                }
                                @for &value in &row.values {
                                    td.number { (grouped(value)) }
                                    td.number { (percent(value, self.whole)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn swatch(kind: &Kind) -> Markup {
    html! {
        svg.swatch width="12" height="12" aria-hidden="true" { rect class=(kind.class) width="12" height="12" {} }
    }
}

/// A share in percent, to a hundredth.
pub(crate) fn percent(part: u64, whole: u64) -> String {
    let share = if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
    format!("{:.2}%", 100.0 * share)
}

/// A share in percent, to a tenth: for eyes.
pub(crate) fn tenths(part: u64, whole: u64) -> String {
    let share = if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
    format!("{:.1}%", 100.0 * share)
}

/// A number with its thousands apart.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number in few letters, to two digits at least.
fn short(number: u64) -> String {
    let tenths = |unit: u64| format!("{:.1}", number as f64 / unit as f64);
    match number {
        0..1_000 => number.to_string(),
        1_000..9_950 => tenths(1_000) + "k",
        9_950..999_500 => format!("{}k", (number + 500) / 1_000),
        _ => tenths(1_000_000) + "M",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([999, 9_949, 9_950, 999_499, 999_500].map(short), ["999", "9.9k", "10k", "999k", "1.0M"]);
        assert_eq!((tenths(2, 3), tenths(0, 0)), ("66.7%".to_owned(), "0.0%".to_owned()));
        assert_eq!((percent(1, 3), percent(0, 0)), ("33.33%".to_owned(), "0.00%".to_owned()));
    }

    #[test]
    fn the_table_has_what_the_picture_leaves_out() {
        let rows = vec![Row::single("<a>", 3), Row::single("b", 1)];
        let chart = Chart {
            id: "c",
            title: "t",
            about: html! {},
            form: Form::Bars,
            full: 4,
            whole: 4,
            kinds: &[Kind { name: "sites", class: "k" }],
            heads: &["name"],
            rows,
            drawn: 1,
            wide: false,
        };
        let html = chart.draw().into_string();
        assert!(html.contains("x=\"0.00%\" width=\"75.00%\" height=\"14\" data-value=\"3\""), "{html}");
        assert!(html.contains("with 1 more") && html.contains("25.00%") && !html.contains("<a>"));
        assert_eq!(html.matches("data-value").count(), 1);
    }
}
