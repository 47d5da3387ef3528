//! Sites whose answers are compared with one another: what one change may do to all answers.
//!
//! An oracle says what an answer is; a relation says how two answers differ at most. So it needs no
//! oracle, and covers languages together that no oracle knows together. A [`Site`] is a list of
//! documents ([`mod@sites`] makes random ones) and a change makes another site of it
//! ([`mod@changes`]). Both are compiled under two hosts into one image, which is asked all
//! [`questions`]. Invariant: the questions and their order are the same for every site, so answers
//! are compared by their places. This file does not know what a document means.

pub mod changes;
pub mod sites;

use crate::captures::build_from;
use robomaton_formats::Decision;
use robomaton_runtime::{Image, Usage, Verdict};
use serde_json::{Value, json};

/// Stands for the host in the texts of a site.
pub const HOST: &str = "host.invalid";

/// The usages of the questions: standard ones, and two that only ACAP's `other` and `present` know.
const USAGES: [&str; 18] = [
    "crawl",
    "index",
    "search",
    "follow",
    "preserve",
    "translate",
    "present",
    "present-snippet",
    "present-thumbnail",
    "ai-train",
    "ai-input",
    "ai-index",
    "ai-all",
    "tdm",
    "all",
    "other",
    "foo",
    "present-foo",
];

/// The names of the asking crawlers.
const ASKERS: [&[&str]; 6] =
    [&["Foobot"], &["Nobody"], &["Googlebot"], &["Google-Extended"], &["GPTBot", "Foobot"], &["Applebot"]];

/// The paths of the questions. Only some of them are pages.
pub(crate) const PATHS: [&str; 4] = ["/", "/a", "/a/b.pdf", "/q"];

/// The documents of a site, of different paths.
#[derive(Clone, Debug)]
pub struct Site {
    /// Them, in the order of their captures.
    pub documents: Vec<Document>,
}

/// What was captured of a URL.
#[derive(Clone, Debug)]
pub struct Document {
    /// Its path.
    pub path: &'static str,
    /// Header lines that speak of uses.
    pub headers: Vec<(&'static str, String)>,
    /// The text as it would be served.
    pub body: Body,
    /// What came of the fetch.
    pub fetch: Fetch,
}

/// A text, in the parts that changes add to.
#[derive(Clone, Debug)]
pub enum Body {
    /// robots.txt and the files that it refers to, ai.txt.
    Records(Vec<Section>),
    /// The elements of the array in tdmrep.json.
    Rules(Vec<String>),
    /// The contents of an RSL document.
    Contents(Vec<String>),
    /// The elements in the head of a page.
    Tags(Vec<String>),
}

/// A group or an ACAP record.
#[derive(Clone, Debug)]
pub struct Section {
    /// The lines that name its crawlers.
    pub heads: Vec<String>,
    /// The lines after them; never empty.
    pub lines: Vec<String>,
}

/// What came of a fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fetch {
    /// The whole document.
    Whole,
    /// Status 503.
    Failed,
    /// A redirect to a URL that was not captured.
    Lost,
    /// Less than the first line.
    Cut,
    /// Status 200 without the body that was sent.
    Bodyless,
    /// So many of the first lines; true if the capture was cut behind them, in the next line.
    Lines(usize, bool),
}

impl Document {
    /// The text as it would be served.
    pub fn text(&self) -> String {
        match &self.body {
            Body::Records(sections) => {
                let lines = sections.iter().flat_map(|section| section.heads.iter().chain(&section.lines));
                lines.map(|line| format!("{line}\n")).collect()
            }
            Body::Rules(rules) => format!("[{}]", rules.join(",")),
            Body::Contents(contents) => {
                format!("<rsl xmlns=\"https://rslstandard.org/rsl\">{}</rsl>", contents.concat())
            }
            Body::Tags(tags) => {
                format!("<html><head><title>t</title>{}</head><body>text</body></html>", tags.concat())
            }
        }
    }

    /// True of pages.
    pub fn is_page(&self) -> bool {
        matches!(self.body, Body::Tags(_))
    }

    fn content_type(&self) -> &'static str {
        match self.body {
            Body::Records(_) => "text/plain",
            Body::Rules(_) => "application/json",
            Body::Contents(_) => "application/rsl+xml",
            Body::Tags(_) => "text/html",
        }
    }

    /// The capture as a row of JSON lines.
    fn row(&self, host: &str) -> Value {
        let text = self.text().replace(HOST, host);
        let mut headers = vec![json!(["Content-Type", self.content_type()])];
        headers.extend(self.headers.iter().map(|(name, value)| json!([name, value.replace(HOST, host)])));
        let mut row = json!({
            "url": format!("https://{host}{}", self.path), "status": 200, "fetched_at": "2026-11-22T00:00:00Z",
        });
        match self.fetch {
            Fetch::Whole => row["body"] = text.into(),
            Fetch::Failed => row["status"] = 503.into(),
            Fetch::Lost => {
                row["status"] = 301.into();
                headers.push(json!(["Location", "/lost"]));
            }
            Fetch::Cut => {
                row["body"] = text.chars().take(6).collect::<String>().into();
                row["truncated"] = true.into();
            }
            Fetch::Bodyless => {}
            Fetch::Lines(lines, is_cut) => {
                let known: String = text.split_inclusive('\n').take(lines).collect();
                row["body"] = if is_cut { known + "Disal" } else { known }.into();
                row["truncated"] = is_cut.into();
            }
        }
        row["headers"] = headers.into();
        row
    }
}

impl Site {
    /// The captures of the site under this host, a line of JSON each.
    pub fn rows(&self, host: &str) -> Vec<String> {
        self.documents.iter().map(|document| document.row(host).to_string()).collect()
    }
}

/// A question about any site.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// The crawler's names, best first.
    pub agents: &'static [&'static str],
    /// True if it obeys only what names it.
    pub named_only: bool,
    /// The usage.
    pub usage: &'static str,
    /// The path of the URL.
    pub path: &'static str,
}

/// All questions.
pub fn questions() -> impl Iterator<Item = Question> {
    let about = |(agents, named_only), usage| {
        PATHS.into_iter().map(move |path| Question { agents, named_only, usage, path })
    };
    askers().flat_map(move |asker| USAGES.into_iter().flat_map(move |usage| about(asker, usage)))
}

/// Names, and whether only what names the crawler counts.
fn askers() -> impl Iterator<Item = (&'static [&'static str], bool)> {
    ASKERS.into_iter().flat_map(|agents| [(agents, false), (agents, true)])
}

/// An answer, as far as relations compare it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The verdict.
    pub decision: Decision,
    /// What could not be read may change it.
    pub incomplete: bool,
    /// The conditions, sorted.
    pub conditions: Vec<String>,
    /// The same of fetching the URL.
    pub crawl: Option<(Decision, bool)>,
}

impl Answer {
    fn of(verdict: &Verdict<'_>, host: &str) -> Answer {
        let conditions = verdict.conditional().map(|conditional| conditional.conditions).unwrap_or_default();
        let mut conditions: Vec<String> =
            conditions.iter().map(|condition| condition.to_string().replace(host, HOST)).collect();
        conditions.sort_unstable();
        Answer {
            decision: verdict.decision(),
            incomplete: verdict.is_incomplete(),
            conditions,
            crawl: verdict.crawl().map(|crawl| (crawl.decision(), crawl.is_incomplete())),
        }
    }

    /// How much a caller may do who does without what is missing.
    pub fn freedom(&self) -> u8 {
        match self.decision {
            _ if self.incomplete => 0,
            Decision::Disallowed => 0,
            Decision::Unknown => 1,
            Decision::Conditional => 2,
            Decision::Allowed => 3,
        }
    }

    /// True if the caller may go ahead, perhaps under conditions.
    pub fn permits(&self) -> bool {
        self.freedom() > 1
    }
}

/// The image of these captures.
///
/// # Panics
/// If compiling fails, which no captures cause.
pub fn image(rows: &[String]) -> Image<Vec<u8>> {
    let image = Image::from_bytes(build_from(rows, 1).image).expect("an image");
    image.verify().expect("a valid image");
    image
}

/// The answers to all questions about a host, whose URLs are written by `url` from host and path.
///
/// # Panics
/// If the verdict about crawling that a verdict has beside it is not the verdict about crawling.
pub fn answers(image: &Image<Vec<u8>>, host: &str, url: impl Fn(&str, &str) -> String) -> Vec<Answer> {
    let urls = PATHS.map(|path| url(host, path));
    let mut answers = Vec::new();
    for (agents, named_only) in askers() {
        let crawler = image.crawler(agents).named_only(named_only);
        let crawls = urls.each_ref().map(|url| {
            let crawl = image.decide(&crawler, Usage::CRAWL, url);
            Some((crawl.decision(), crawl.is_incomplete()))
        });
        for usage in USAGES {
            for (url, crawl) in urls.iter().zip(&crawls) {
                let answer = Answer::of(&image.decide(&crawler, image.usage(usage), url), host);
                assert_eq!(answer.crawl, *crawl, "{agents:?} {usage} {url}: crawling beside it, by itself");
                answers.push(answer);
            }
        }
    }
    answers
}

/// The usual spelling of a URL.
pub fn plainly(host: &str, path: &str) -> String {
    format!("https://{host}{path}")
}
