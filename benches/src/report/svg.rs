//! Plots as SVG: bars and lines on logarithmic scales, a page of text each.
//!
//! Text stays text, colours follow the reader's light or dark scheme, and equal points give equal
//! bytes. Labels have columns of their own next to the drawing, so that nothing overlaps. It does
//! not know what the numbers mean.

use std::fmt::Write as _;

/// The output does not depend on fonts: widths are those of the usual sans-serif at this size,
/// rounded up.
const FONT: f64 = 13.0;
/// The mean width of a letter in the widest of the fonts named below.
const LETTER: f64 = 7.6;
const WIDTH: f64 = 860.0;
/// Space above the drawing for the title, and below it for the axis.
const TOP: f64 = 46.0;
const BOTTOM: f64 = 52.0;
/// The number of colours for lines and bars; after the last, they start again.
const COLOURS: usize = 10;

const STYLE: &str = "\
<style>
:root { --ground: #ffffff; --ink: #1f2328; --faint: #d1d9e0; --c0: #0969da; --c1: #bc4c00; --c2: #1a7f37; --c3: #8250df; --c4: #9a6700; --c5: #cf222e; --c6: #0f7b8a; --c7: #6e7781; --c8: #bf3989; --c9: #4d2d00 }
@media (prefers-color-scheme: dark) { :root { --ground: #0d1117; --ink: #e6edf3; --faint: #3d444d; --c0: #58a6ff; --c1: #ffa657; --c2: #56d364; --c3: #d2a8ff; --c4: #e3b341; --c5: #ff7b72; --c6: #56d4dd; --c7: #9198a1; --c8: #f778ba; --c9: #ffdfb6 } }
.ground { fill: var(--ground) }
text { fill: var(--ink); font: 13px system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif }
.title { font-size: 16px; font-weight: 600 }
.end { text-anchor: end }
.middle { text-anchor: middle }
.grid { stroke: var(--faint); stroke-width: 1 }
.line { fill: none; stroke-width: 2; stroke-linejoin: round }
</style>
";

/// A logarithmic or linear scale from numbers to positions.
#[derive(Clone, Copy)]
pub(super) struct Scale {
    from: f64,
    to: f64,
    log: bool,
}

impl Scale {
    /// A logarithmic scale of whole decades around these numbers.
    pub(super) fn decades(values: impl Iterator<Item = f64> + Clone) -> Scale {
        let least = values.clone().filter(|&value| value > 0.0).fold(f64::INFINITY, f64::min);
        let most = values.fold(0.0, f64::max);
        let (from, to) = (least.log10().floor(), most.log10().ceil());
        Scale { from: 10f64.powf(from), to: 10f64.powf(to.max(from + 1.0)), log: true }
    }

    /// A logarithmic scale from the smallest of these numbers to the largest.
    pub(super) fn exact(values: impl Iterator<Item = f64> + Clone) -> Scale {
        let (from, to) = (values.clone().fold(f64::INFINITY, f64::min), values.fold(0.0, f64::max));
        Scale { from, to: to.max(from * 1.01), log: true }
    }

    /// A linear scale from 0 to 1.
    pub(super) fn share() -> Scale {
        Scale { from: 0.0, to: 1.0, log: false }
    }

    /// The position of a number between 0 and 1.
    fn place(&self, value: f64) -> f64 {
        let place = if self.log {
            (value.max(self.from) / self.from).ln() / (self.to / self.from).ln()
        } else {
            (value - self.from) / (self.to - self.from)
        };
        place.clamp(0.0, 1.0)
    }

    /// The grid: fifths of a linear scale, decades of a logarithmic one.
    fn ticks(&self) -> Vec<f64> {
        if !self.log {
            return (0..=5).map(|fifth| f64::from(fifth) / 5.0).collect();
        }
        let first = self.from.log10().ceil() as i32;
        let last = (self.to.log10() + 1e-9).floor() as i32;
        (first..=last).map(|power| 10f64.powi(power)).collect()
    }
}

/// A number as an axis label.
fn label(value: f64) -> String {
    let power = value.log10();
    match value {
        _ if value >= 1e6 && (power - power.round()).abs() < 1e-9 => {
            let digits = "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().collect::<Vec<char>>();
            let power = format!("{power:.0}");
            format!("10{}", power.bytes().map(|digit| digits[usize::from(digit - b'0')]).collect::<String>())
        }
        _ if value >= 1_000.0 => {
            let whole = format!("{value:.0}");
            format!("{},{}", &whole[..whole.len() - 3], &whole[whole.len() - 3..])
        }
        _ if value >= 10.0 || value == value.round() => format!("{value:.0}"),
        _ => format!("{value}"),
    }
}

/// A plot in progress.
struct Picture {
    out: String,
    left: f64,
    right: f64,
    height: f64,
}

impl Picture {
    fn new(title: &str, left: f64, right: f64, height: f64) -> Picture {
        let all = TOP + height + BOTTOM;
        let mut out = String::new();
        let _ = writeln!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {all}\" width=\"{WIDTH}\" height=\"{all}\" role=\"img\">"
        );
        let _ = writeln!(out, "<title>{}</title>", escaped(title));
        out.push_str(STYLE);
        let _ = writeln!(out, "<rect class=\"ground\" width=\"{WIDTH}\" height=\"{all}\"/>");
        let mut picture = Picture { out, left, right, height };
        picture.text(16.0, 26.0, "title", title);
        picture
    }

    fn text(&mut self, x: f64, y: f64, class: &str, text: &str) {
        let _ =
            writeln!(self.out, "<text x=\"{x:.1}\" y=\"{y:.1}\" class=\"{class}\">{}</text>", escaped(text));
    }

    fn x(&self, place: f64) -> f64 {
        self.left + place * (WIDTH - self.left - self.right)
    }

    fn y(&self, place: f64) -> f64 {
        TOP + self.height * (1.0 - place)
    }

    fn line(&mut self, from: (f64, f64), to: (f64, f64), class: &str) {
        let ((x1, y1), (x2, y2)) = (from, to);
        let _ = writeln!(
            self.out,
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" class=\"{class}\"/>"
        );
    }

    /// The axis below, with grid lines through the drawing.
    fn below(&mut self, scale: Scale, ticks: &[f64], what: &str) {
        for &tick in ticks {
            let x = self.x(scale.place(tick));
            self.line((x, self.y(0.0)), (x, self.y(1.0)), "grid");
            self.text(x, self.y(0.0) + 20.0, "middle", &label(tick));
        }
        let middle = self.x(0.5);
        self.text(middle, self.y(0.0) + 40.0, "middle", what);
    }

    fn beside(&mut self, scale: Scale) {
        for tick in scale.ticks() {
            let y = self.y(scale.place(tick));
            self.line((self.left, y), (self.x(1.0), y), "grid");
            self.text(self.left - 8.0, y + FONT / 3.0, "end", &label(tick));
        }
    }

    fn done(mut self) -> String {
        self.out.push_str("</svg>\n");
        self.out
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn colour(number: usize) -> String {
    format!("var(--c{})", number % COLOURS)
}

/// Bars: for each name one for each kind, on one logarithmic scale, each followed by its number.
pub(super) fn bars(title: &str, what: &str, kinds: &[&str], names: &[(String, Vec<f64>)]) -> String {
    const BAR: f64 = 14.0;
    let step = BAR * kinds.len() as f64 + 12.0;
    let legend = if kinds.len() > 1 { 24.0 } else { 0.0 };
    let height = legend + step * names.len() as f64;
    let mut picture = Picture::new(title, 220.0, 80.0, height);
    let scale = Scale::decades(names.iter().flat_map(|(_, values)| values.iter().copied()));
    picture.below(scale, &scale.ticks(), what);
    for (number, kind) in kinds.iter().enumerate().filter(|_| kinds.len() > 1) {
        let x = picture.left + 150.0 * number as f64;
        let _ = writeln!(
            picture.out,
            "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"12\" height=\"12\" style=\"fill: {}\"/>",
            TOP - 4.0,
            colour(number)
        );
        picture.text(x + 18.0, TOP + 7.0, "", kind);
    }
    for (row, (name, values)) in names.iter().enumerate() {
        let top = TOP + legend + step * row as f64 + 4.0;
        let middle = top + BAR * kinds.len() as f64 / 2.0 + FONT / 3.0;
        picture.text(picture.left - 10.0, middle, "end", name);
        for (kind, &value) in values.iter().enumerate() {
            let (y, end) = (top + BAR * kind as f64, picture.x(scale.place(value)));
            let _ = writeln!(
                picture.out,
                "<rect x=\"{:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" style=\"fill: {}\"/>",
                picture.left,
                (end - picture.left).max(1.0),
                BAR - 2.0,
                colour(kind)
            );
            let digits = if value < 10.0 { format!("{value:.2}") } else { label(value.round()) };
            picture.text(end + 6.0, y + BAR - 3.0, "", &digits);
        }
    }
    picture.done()
}

/// The axis below a drawing of lines.
pub(super) enum Below {
    /// Shares from 0 to 1.
    Share,
    /// The numbers of the points, on a logarithmic scale.
    Points,
}

/// Lines on a logarithmic scale, labelled at the right in the order of their ends.
pub(super) fn lines(
    title: &str,
    (below, of_below): (Below, &str),
    of_beside: &str,
    lines: &[(String, Vec<(f64, f64)>)],
) -> String {
    let longest = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let mut picture =
        Picture::new(&format!("{title}, {of_beside}"), 76.0, 40.0 + LETTER * longest as f64, 340.0);
    let all = || lines.iter().flat_map(|(_, points)| points.iter());
    let beside = Scale::decades(all().map(|point| point.1));
    let (scale, ticks) = match below {
        Below::Share => (Scale::share(), Scale::share().ticks()),
        Below::Points => {
            let mut ticks: Vec<f64> = all().map(|point| point.0).collect();
            ticks.sort_unstable_by(f64::total_cmp);
            ticks.dedup();
            (Scale::exact(ticks.clone().into_iter()), ticks)
        }
    };
    picture.below(scale, &ticks, of_below);
    picture.beside(beside);
    let mut ends: Vec<(f64, usize)> = Vec::new();
    for (number, (_, points)) in lines.iter().enumerate() {
        let place = |&(x, y): &(f64, f64)| (picture.x(scale.place(x)), picture.y(beside.place(y)));
        let path: Vec<String> = points.iter().map(place).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        ends.extend(points.last().map(|end| (place(end).1, number)));
        let colour = colour(number);
        let _ = writeln!(
            picture.out,
            "<polyline class=\"line\" style=\"stroke: {colour}\" points=\"{}\"/>",
            path.join(" ")
        );
        if matches!(below, Below::Points) {
            for point in points {
                let (x, y) = (picture.x(scale.place(point.0)), picture.y(beside.place(point.1)));
                let _ = writeln!(
                    picture.out,
                    "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" style=\"fill: {colour}\"/>"
                );
            }
        }
    }
    // A label is at the end of its line, or below the previous one.
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut free = TOP;
    for (index, &(y, number)) in ends.iter().enumerate() {
        let below = (ends.len() - index) as f64 * (FONT + 5.0);
        let at = y.max(free).min(TOP + picture.height + FONT - below);
        let (end, start) = (picture.x(1.0) + 4.0, picture.x(1.0) + 22.0);
        let _ = writeln!(
            picture.out,
            "<line x1=\"{end:.1}\" y1=\"{y:.1}\" x2=\"{start:.1}\" y2=\"{at:.1}\" style=\"stroke: {}\"/>",
            colour(number)
        );
        picture.text(start + 5.0, at + FONT / 3.0, "", &lines[number].0);
        free = at + FONT + 5.0;
    }
    picture.done()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_labelled() {
        let labels = [0.1, 1.0, 10.0, 1_000.0, 100_000.0, 1e6, 1e10, 0.2].map(label);
        assert_eq!(labels, ["0.1", "1", "10", "1,000", "100,000", "10⁶", "10¹⁰", "0.2"]);
    }

    #[test]
    fn scales() {
        let scale = Scale::decades([3.0, 250.0].into_iter());
        assert_eq!(scale.ticks(), [1.0, 10.0, 100.0, 1_000.0]);
        assert!((scale.place(10.0) - 1.0 / 3.0).abs() < 1e-9);
        assert_eq!((scale.place(0.1), scale.place(1e9)), (0.0, 1.0));
        assert_eq!(Scale::share().place(0.25), 0.25);
    }

    #[test]
    fn names_do_not_overlap() {
        let of = |name: usize| (format!("<{name}>"), vec![(1.0, 5.0), (2.0, 6.0)]);
        let all: Vec<_> = (0..12).map(of).collect();
        let picture = lines("t", (Below::Points, "x"), "y", &all);
        let names = picture.lines().filter(|line| line.contains("&lt;"));
        let mut heights: Vec<f64> =
            names.filter_map(|line| line.split("y=\"").nth(1)?.split('"').next()?.parse().ok()).collect();
        heights.sort_unstable_by(f64::total_cmp);
        assert_eq!(heights.len(), 12);
        assert!(heights.windows(2).all(|pair| pair[1] - pair[0] >= FONT), "{heights:?}");
    }
}
