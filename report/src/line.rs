//! A line chart of shares over time, and its table.
//!
//! Each crawler is a line with a point for each image. Lines, dots and axis labels are SVG with
//! positions in percent, so that nothing is distorted at any width; a legend names the lines, with
//! their first and last shares. It does not know the meaning of the shares.

use crate::chart::{scroll, words};
use maud::{Markup, html};

/// A line chart and its table.
pub(crate) struct Lines<'l> {
    /// The id of the section in links, and the name of its CSV file.
    pub(crate) id: &'l str,
    pub(crate) title: &'l str,
    pub(crate) about: Markup,
    /// The headers of the word columns in the table; the first is that of the labels.
    pub(crate) heads: &'l [&'l str],
    pub(crate) moments: Vec<Moment>,
    pub(crate) lines: Vec<Line>,
    /// The number of lines in the chart, at most [`LINES`]; the table has all.
    pub(crate) drawn: usize,
}

/// A point on the time axis.
pub(crate) struct Moment {
    /// In Unix seconds. If one is unknown, all are at equal distances.
    pub(crate) at: Option<u64>,
    /// The text below it.
    pub(crate) label: String,
    /// The header of its column.
    pub(crate) head: String,
}

/// Words, as many as there are headers.
pub(crate) struct Line {
    /// Words, as many as there are heads.
    pub(crate) words: Vec<String>,
    /// In percent, one for each moment.
    pub(crate) shares: Vec<f64>,
}

/// The maximum number of lines in a chart: the number of colours in the sheet.
pub(crate) const LINES: usize = 8;
/// The height of the chart in pixels, and of the axis below it.
const HEIGHT: f64 = 260.0;
const AXIS: f64 = 26.0;
/// The margin left of the first dot and right of the last, in percent of the width.
const MARGIN: f64 = 3.0;
/// The minimum distance between labels below the axis, in percent of the width, so that they fit on
/// a phone.
const APART: f64 = 28.0;

impl Lines<'_> {
    pub(crate) fn draw(&self) -> Markup {
        let drawn = self.lines.get(..self.drawn).unwrap_or(&self.lines);
        let left = self.lines.len() - drawn.len();
        html! {
            section.chart.wide id=(self.id) aria-labelledby={ (self.id) "-title" } {
                h2 id={ (self.id) "-title" } { (self.title) }
                p.about { (self.about) }
                figure role="img" aria-label={ (self.title) ": the table below has the numbers" } { (self.picture(drawn)) }
                ul.legend.lines {
                    @for (number, line) in drawn.iter().enumerate() {
                        li {
                            svg.swatch width="28" height="12" aria-hidden="true" {
                                line class={ "line line-" (number) } x1="2" x2="26" y1="6" y2="6" {}
                            }
                            bdi { (line.label()) } " "
                            span.said { (tenth(line.first())) " \u{2192} " (tenth(line.last())) }
                        }
                    }
                }
                details {
                    summary { "Table" @if left > 0 { ", with " (left) " more" } }
                    (scroll(self.title, &self.table()))
                }
            }
        }
    }

    fn picture(&self, drawn: &[Line]) -> Markup {
        let places = self.places();
        let top = top(drawn.iter().flat_map(|line| line.shares.iter().copied()).fold(0.0, f64::max));
        let height = |share: f64| format!("{:.1}", 14.0 + (HEIGHT - 14.0) * (1.0 - share / top));
        html! {
            svg.plot width="100%" height=(HEIGHT + AXIS) aria-hidden="true" {
                @for part in [0.0, 0.5, 1.0] {
                    line.grid x1="0" x2="100%" y1=(height(part * top)) y2=(height(part * top)) {}
                    text x="0" y=(height(part * top)) dy="-3" { (part * top) "%" }
                }
                @for (place, moment) in labelled(&places).into_iter().map(|at| (places[at], &self.moments[at])) {
                    text x={ (place) "%" } y=(HEIGHT + AXIS - 8.0) text-anchor=(anchor(place)) { (moment.label) }
                }
                @for (number, line) in drawn.iter().enumerate() {
                    @for (ends, shares) in places.windows(2).zip(line.shares.windows(2)) {
                        line class={ "line line-" (number) } x1={ (ends[0]) "%" } x2={ (ends[1]) "%" }
                            y1=(height(shares[0])) y2=(height(shares[1])) {}
                    }
                    @for ((place, &share), moment) in places.iter().zip(&line.shares).zip(&self.moments) {
                        circle class={ "dot line-" (number) } cx={ (place) "%" } cy=(height(share)) r="3.5" data-share=(share) {
                            title { (line.label()) ", " (moment.head) ": " (tenth(share)) }
                        }
                    }
                }
            }
        }
    }

    /// The positions of the moments, in percent of the width.
    fn places(&self) -> Vec<f64> {
        let times: Option<Vec<u64>> = self.moments.iter().map(|moment| moment.at).collect();
        let (first, last) = (self.moments.first().and_then(|m| m.at), self.moments.last().and_then(|m| m.at));
        let ends = first.zip(last).filter(|(first, last)| first < last);
        let shares: Vec<f64> = match (times, ends) {
            (Some(times), Some((first, last))) => {
                times.iter().map(|&at| at.saturating_sub(first) as f64 / (last - first) as f64).collect()
            }
            _ => {
                let last = self.moments.len().saturating_sub(1).max(1);
                (0..self.moments.len()).map(|at| at as f64 / last as f64).collect()
            }
        };
        // To a hundredth, as exact as the bars.
        shares
            .iter()
            .map(|share| (100.0 * (MARGIN + (100.0 - 2.0 * MARGIN) * share)).round() / 100.0)
            .collect()
    }

    fn table(&self) -> Markup {
        html! {
            caption { (self.title) ", in percent" }
            thead {
                tr {
                    @for head in self.heads { th scope="col" { (head) } }
                    @for moment in &self.moments { th.number scope="col" { (moment.head) } }
                }
            }
            tbody {
                @for line in &self.lines {
                    tr {
                        (words(&line.words))
                        @for share in &line.shares { td.number { (format!("{share:.2}%")) } }
                    }
                }
            }
        }
    }
}

impl Line {
    fn label(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    fn first(&self) -> f64 {
        self.shares.first().copied().unwrap_or(0.0)
    }

    fn last(&self) -> f64 {
        self.shares.last().copied().unwrap_or(0.0)
    }
}

fn tenth(share: f64) -> String {
    format!("{share:.1}%")
}

/// The end of the axis of shares.
fn top(largest: f64) -> f64 {
    [1.0, 2.0, 5.0, 10.0, 20.0, 40.0, 60.0, 80.0].into_iter().find(|&top| top >= largest).unwrap_or(100.0)
}

/// The positions with labels below them: first and last, and those of the others with enough room.
fn labelled(places: &[f64]) -> Vec<usize> {
    let Some(last) = places.len().checked_sub(1) else { return Vec::new() };
    let mut chosen: Vec<usize> = Vec::new();
    for at in 0..last {
        let room = |from: f64| places[at] - from >= APART;
        if chosen.last().is_none_or(|&before| room(places[before]))
            && (places[last] - places[at] >= APART || at == 0)
        {
            chosen.push(at);
        }
    }
    chosen.push(last);
    chosen
}

/// The alignment of a label at a position: inside the chart.
fn anchor(place: f64) -> &'static str {
    match place {
        ..15.0 => "start",
        85.0.. => "end",
        _ => "middle",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(times: &[Option<u64>]) -> Lines<'static> {
        let moment = |at: &Option<u64>| Moment { at: *at, label: "l".into(), head: "h".into() };
        let line = Line { words: vec!["<a>".into()], shares: vec![5.0; times.len()] };
        Lines {
            id: "i",
            title: "t",
            about: html! {},
            heads: &["name"],
            moments: times.iter().map(moment).collect(),
            lines: vec![line],
            drawn: 1,
        }
    }

    #[test]
    fn moments_stand_where_their_times_are() {
        assert_eq!(lines(&[Some(0), Some(25), Some(100)]).places(), [3.0, 26.5, 97.0]);
        assert_eq!(lines(&[None, Some(25), Some(100)]).places(), [3.0, 50.0, 97.0]);
        assert_eq!(lines(&[Some(7), Some(7)]).places(), [3.0, 97.0]);
        assert_eq!(lines(&[Some(7)]).places(), [3.0]);
        assert_eq!(labelled(&[3.0, 10.0, 50.0, 60.0, 90.0, 97.0]), [0, 2, 5]);
        assert_eq!((labelled(&[3.0, 97.0]), labelled(&[3.0]), labelled(&[])), (vec![0, 1], vec![0], vec![]));
        assert_eq!([0.0, 1.0, 1.1, 17.9, 80.1, 100.0].map(top), [1.0, 1.0, 2.0, 20.0, 100.0, 100.0]);
    }

    #[test]
    fn lines_are_drawn() {
        let html = lines(&[Some(0), Some(100)]).draw().into_string();
        assert!(!html.contains("<a>") && html.contains("5.0% \u{2192} 5.0%"), "{html}");
        assert!(html.contains("cx=\"97%\" cy=\"14.0\""), "{html}");
        assert_eq!(html.matches("data-share").count(), 2);
    }
}
