//! Reads questions line by line and delivers the answers in the same order.
//!
//! `query`, `filter`, `visit` and `bench` share it. A line is a URL, or an agent, a tab and a URL,
//! or a JSON object. Runs of plain URLs go through the runtime's batch, which overlaps memory
//! latency; other lines are answered one by one, in their place. Plain lines need no allocation.
//! Invariants: every line that is not blank is delivered exactly once, in order; an invalid line is
//! delivered with the basis `no-url`, reported with its number, and makes the exit code 2. It does
//! not know the output format.

use crate::failure::Failure;
use crate::input::{Chunks, Lines, announce_stdin};
use crate::options::{DocumentArgs, QueryArgs, given_url};
use crate::output::{Out, error, is_verbose, remark};
use robomaton_explain::{
    CrawlerCache, InputQuestion, Names, QuestionJson, check_names, check_usage, decide, for_purpose,
    name_text, names, quoted, similar_site, url_mistake, url_text,
};
use robomaton_runtime::{Basis, Crawler, Image, Profile, Question, Usage, Verdict};
use std::borrow::Cow;
use std::io::{self, Write};
use std::process::ExitCode;

/// Invalid lines that are reported one by one; `--verbose` reports all.
const REPORTED: u64 = 10;

/// Unknown sites that are looked up under another name, until one is found.
const LOOKUPS: u32 = 1000;

/// The position of a question. The number of a line is computed only for a report.
#[derive(Clone, Copy)]
pub(crate) enum Position<'t> {
    Argument,
    /// A line by its number, from 1.
    Line(u64),
    /// The last line within the first `bytes` of `text`, which follows `before` lines.
    Read {
        before: u64,
        text: &'t str,
        bytes: usize,
    },
}

impl Position<'_> {
    fn number(self) -> Option<u64> {
        match self {
            Position::Argument => None,
            Position::Line(number) => Some(number),
            Position::Read { before, text, bytes } => {
                let read = &text.as_bytes()[..bytes];
                let ends = memchr::memchr_iter(b'\n', read).count() as u64;
                Some(before + ends + u64::from(!read.ends_with(b"\n")))
            }
        }
    }
}

/// The image, and the query for lines that do not have their own.
#[derive(Clone, Copy)]
pub(crate) struct LineDefaults<'a> {
    pub(crate) image: &'a Image,
    pub(crate) crawler: &'a Crawler,
    /// The names of the crawler, as printed.
    pub(crate) agent: &'a str,
    /// The usage, with its purpose.
    pub(crate) usage: Usage<'a>,
    pub(crate) usage_name: &'a str,
    pub(crate) purpose: Option<&'a str>,
    /// The document that answers, if it is not robots.txt.
    pub(crate) document: Option<&'a str>,
    /// The profile of that document.
    pub(crate) profile: Profile,
}

impl<'a> LineDefaults<'a> {
    /// The query of these options. Crawler and agent come from [`QueryArgs::checked`].
    pub(crate) fn new(
        query: &'a QueryArgs,
        image: &'a Image,
        (crawler, agent): &'a (Crawler, String),
        document: &'a DocumentArgs,
    ) -> LineDefaults<'a> {
        LineDefaults {
            image,
            crawler,
            agent,
            usage: query.usage.resolve(image),
            usage_name: &query.usage.usage,
            purpose: query.usage.purpose.as_deref(),
            document: document.other(),
            profile: document.profile(image.profile()),
        }
    }
}

/// A line and its answer.
pub(crate) struct AnsweredLine<'q> {
    /// The line as read.
    pub(crate) line: &'q [u8],
    /// The URL in it, as given; for an invalid line, all of it.
    pub(crate) url: &'q [u8],
    pub(crate) agent: &'q str,
    pub(crate) usage_name: &'q str,
    pub(crate) purpose: Option<&'q str>,
    pub(crate) crawler: &'q Crawler,
    pub(crate) verdict: Verdict<'q>,
}

impl AnsweredLine<'_> {
    /// The question in JSON, with this URL.
    pub(crate) fn question<'q>(&'q self, url: &'q str) -> QuestionJson<'q> {
        QuestionJson { url, agent: self.agent, usage: self.usage_name, purpose: self.purpose }
    }

    /// True if the line is invalid.
    pub(crate) fn is_mistake(&self) -> bool {
        self.verdict.basis() == Basis::NoUrl
    }
}

/// Answers questions, line by line.
pub(crate) struct QuestionLines<'a> {
    defaults: LineDefaults<'a>,
    crawlers: CrawlerCache,
    /// Number of lines before the current text.
    lines: u64,
    mistakes: Mistakes,
    /// Remaining look-ups of unknown sites under another name.
    lookups: u32,
}

impl<'a> QuestionLines<'a> {
    pub(crate) fn new(defaults: LineDefaults<'a>) -> QuestionLines<'a> {
        QuestionLines {
            defaults,
            crawlers: CrawlerCache::default(),
            lines: 0,
            mistakes: Mistakes::default(),
            lookups: LOOKUPS,
        }
    }

    /// Answers the URLs given as arguments, or else the lines of standard input. `each` writes an
    /// answer. The output is flushed with each chunk of input, so that slow input is answered at
    /// once. A closed pipe ends the run. Returns the exit code of the lines until the end: success,
    /// or 2 after invalid lines.
    pub(crate) fn run(
        mut self,
        urls: &[String],
        out: &mut Out,
        each: impl FnMut(&mut Out, &AnsweredLine<'_>) -> io::Result<()>,
    ) -> Result<ExitCode, Failure> {
        match self.answer(urls, out, each) {
            Ok(()) | Err(Failure::ClosedPipe) => Ok(self.mistakes.exit_code()),
            Err(failure) => Err(failure),
        }
    }

    /// Answers until the input ends, or the output does.
    fn answer(
        &mut self,
        urls: &[String],
        out: &mut Out,
        mut each: impl FnMut(&mut Out, &AnsweredLine<'_>) -> io::Result<()>,
    ) -> Result<(), Failure> {
        // A write error stops the run after the chunk.
        let mut written = Ok(());
        if urls.is_empty() {
            announce_stdin();
            let mut chunks = Chunks::new(io::stdin().lock());
            while let Some(chunk) = chunks.next()? {
                self.chunk(chunk, &mut |answered| {
                    if written.is_ok() {
                        written = each(out, answered);
                    }
                });
                std::mem::replace(&mut written, Ok(()))?;
                out.flush()?;
            }
        }
        urls.iter().try_for_each(|url| given_url(url))?;
        for url in urls {
            let LineDefaults { image, crawler, usage, document, .. } = self.defaults;
            let verdict = decide(image, document, crawler, usage, url);
            self.deliver(url, verdict, Position::Argument, &mut |answered| written = each(out, answered));
            std::mem::replace(&mut written, Ok(()))?;
        }
        Ok(out.flush()?)
    }

    /// Answers the lines of a chunk.
    fn chunk(&mut self, chunk: &[u8], each: &mut impl FnMut(&AnsweredLine<'_>)) {
        if let Ok(text) = std::str::from_utf8(chunk) {
            return self.text(text, each);
        }
        for line in chunk.split_inclusive(|&byte| byte == b'\n') {
            match std::str::from_utf8(line) {
                Ok(line) => self.text(line, each),
                Err(_) => {
                    self.lines += 1;
                    let (line, position) = (line.trim_ascii(), Position::Line(self.lines));
                    match text_of(line) {
                        Some(text) => self.single(line, &text, position, each),
                        None => self.mistaken(line, "the JSON question is not UTF-8", position, each),
                    }
                }
            }
        }
    }

    fn text(&mut self, text: &str, each: &mut impl FnMut(&AnsweredLine<'_>)) {
        let LineDefaults { image, crawler, usage, document, .. } = self.defaults;
        let is_odd = |line: &[u8]| memchr::memchr2(b'\t', b'\r', line).is_some();
        let has_odd = is_odd(text.as_bytes());
        // The batch answers from robots.txt only.
        let is_plain = |line: &str| {
            document.is_none() && !line.starts_with('{') && !(has_odd && is_odd(line.as_bytes()))
        };
        let mut lines = Lines::new(text);
        loop {
            let mut asked = lines.clone();
            let plain = std::iter::from_fn(|| {
                let here = lines.clone();
                let url = lines.next()?;
                if !is_plain(url) {
                    lines = here;
                    return None;
                }
                Some(Question { crawler, usage, url })
            });
            // The batch answers in order, so the next line is the one that is answered.
            image.decide_batch(plain, |verdict| {
                let url = asked.next().unwrap_or_default();
                let position = Position::Read { before: self.lines, text, bytes: asked.read(text) };
                self.deliver(url, verdict, position, each);
            });
            let Some(other) = lines.next() else { break };
            let position = Position::Read { before: self.lines, text, bytes: lines.read(text) };
            self.single(other.as_bytes(), other, position, each);
        }
        self.lines += memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64;
    }

    /// Delivers the answer to a plain URL.
    #[inline]
    fn deliver(
        &mut self,
        url: &str,
        verdict: Verdict<'_>,
        position: Position<'_>,
        each: &mut impl FnMut(&AnsweredLine<'_>),
    ) {
        let LineDefaults { crawler, agent, usage_name, purpose, .. } = self.defaults;
        if matches!(verdict.basis(), Basis::NoUrl | Basis::NoSite) {
            self.not_held(url, &verdict, position);
        }
        let (line, url) = (url.as_bytes(), url.as_bytes());
        each(&AnsweredLine { line, url, agent, usage_name, purpose, crawler, verdict });
    }

    /// Reports a text that is not a URL. For one unknown site, a remark names the site that the
    /// image has under another name.
    #[cold]
    fn not_held(&mut self, url: &str, verdict: &Verdict<'_>, position: Position<'_>) {
        if verdict.basis() == Basis::NoUrl {
            let mistake =
                url_mistake(url).unwrap_or_else(|| format!("{} is not the URL of a site", quoted(url)));
            return self.mistakes.report(position, &mistake);
        }
        if self.lookups > 0 && self.defaults.document.is_none() {
            self.lookups -= 1;
            if let Some(held) = similar_site(self.defaults.image, url) {
                self.lookups = 0;
                remark(&held);
            }
        }
    }

    /// Reports a line that is no question.
    fn mistaken(
        &mut self,
        line: &[u8],
        mistake: &str,
        position: Position<'_>,
        each: &mut impl FnMut(&AnsweredLine<'_>),
    ) {
        let LineDefaults { image, crawler, agent, usage, usage_name, purpose, document, .. } = self.defaults;
        self.mistakes.report(position, mistake);
        let verdict = decide(image, document, crawler, usage, "");
        each(&AnsweredLine { line, url: line, agent, usage_name, purpose, crawler, verdict });
    }

    /// Answers a line that is more than a URL, or that the batch cannot answer.
    fn single(
        &mut self,
        raw: &[u8],
        line: &str,
        position: Position<'_>,
        each: &mut impl FnMut(&AnsweredLine<'_>),
    ) {
        let LineDefaults { image, crawler, agent, usage, usage_name, purpose, document, profile } =
            self.defaults;
        let question = match parse(line).and_then(|question| checked(question, image, profile)) {
            Ok(question) => question,
            Err(mistake) => {
                return self.mistaken(raw, &mistake, position, each);
            }
        };
        let purpose = question.purpose.as_deref().or(purpose);
        let usage = match &question.usage {
            Some(name) => for_purpose(image.usage(name), purpose),
            None => for_purpose(usage, purpose),
        };
        let usage_name = question.usage.as_deref().unwrap_or(usage_name);
        let joined = question.agent.as_ref().map(Names::joined);
        let agent = joined.as_deref().unwrap_or(agent);
        let is_spelled = question.agent.is_none() && !line.starts_with('{');
        let url = &*question.url;
        let mut crawlers = std::mem::take(&mut self.crawlers);
        let named_only = question.named_only || crawler.is_named_only();
        let crawler = match &question.agent {
            Some(names) => crawlers.crawler(image, names, named_only),
            None if named_only == crawler.is_named_only() => crawler,
            None => crawlers.crawler(image, &Names::Several(crawler.given().to_vec()), true),
        };
        let verdict = decide(image, document, crawler, usage, url);
        if matches!(verdict.basis(), Basis::NoUrl | Basis::NoSite) {
            self.not_held(url, &verdict, position);
        }
        // The bytes of a plain line are printed as read.
        let shown = if is_spelled { raw } else { url.as_bytes() };
        each(&AnsweredLine { line: raw, url: shown, agent, usage_name, purpose, crawler, verdict });
        self.crawlers = crawlers;
    }
}

/// The text of a line that is not UTF-8; `None` for JSON, which has to be. The name of a crawler is
/// Latin-1 then (R5); the bytes of a URL are percent-encoded, which gives the same URL (R10).
fn text_of(line: &[u8]) -> Option<Cow<'_, str>> {
    if line.starts_with(b"{") {
        return None;
    }
    let Some(tab) = memchr::memchr(b'\t', line) else { return Some(url_text(line)) };
    let (agent, url) = line.split_at(tab);
    Some(name_text(agent) + url_text(url))
}

/// Parses a line that is not blank.
///
/// # Errors
/// A description of the mistake.
pub(crate) fn parse(line: &str) -> Result<InputQuestion<'_>, String> {
    if line.starts_with('{') {
        return serde_json::from_str(line).map_err(|error| json_mistake(&error));
    }
    // Within a URL it would be dropped (R9), and the answer about one site would stand for all.
    if line.contains('\r') {
        return Err("a carriage return within the line: lines end with a line feed".to_owned());
    }
    let plain = |url| {
        let url = Cow::Borrowed(url);
        InputQuestion { url, agent: None, usage: None, purpose: None, named_only: false }
    };
    match line.split_once('\t') {
        None => Ok(plain(line)),
        Some((url, _)) if begins_as_url(url) => {
            Err(format!("{} is before the tab; the agent comes first, then the URL", quoted(url)))
        }
        Some((agent, url)) => {
            let agent = Names::One(Cow::Borrowed(agent.trim_ascii()));
            Ok(InputQuestion { agent: Some(agent), ..plain(url.trim_ascii()) })
        }
    }
}

/// True if a text that should name a crawler is a URL. A whole `User-Agent` header may contain one,
/// but does not begin with one.
pub(crate) fn begins_as_url(agent: &str) -> bool {
    agent.split_once("://").is_some_and(|(scheme, _)| !scheme.contains(['/', ' ', '(']))
}

/// Checks the question and splits its names.
///
/// # Errors
/// If a name names no crawler, or the usage is unknown.
pub(crate) fn checked<'q>(
    mut question: InputQuestion<'q>,
    image: &Image,
    profile: Profile,
) -> Result<InputQuestion<'q>, String> {
    // As on a command line, one string may be a list of names.
    if let Some(Names::One(one)) = &question.agent {
        let list = names(one);
        if list.len() > 1 {
            question.agent = Some(Names::Several(list.into_iter().map(str::to_owned).collect()));
        }
    }
    match &question.agent {
        None => {}
        Some(Names::One(name)) => check_names([&**name], profile)?,
        Some(Names::Several(names)) => check_names(names.iter().map(String::as_str), profile)?,
    }
    if let Some(usage) = &question.usage {
        check_usage(image, usage).map_err(|unknown| unknown.to_string())?;
    }
    Ok(question)
}

/// The message for a mistake in a JSON object, without the line number, which is always 1.
fn json_mistake(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let what = message.rsplit_once(" at line ").map_or(message.as_str(), |(what, _)| what);
    format!("invalid JSON question: {what}, at column {}", error.column())
}

/// Invalid lines.
#[derive(Default)]
pub(crate) struct Mistakes {
    count: u64,
}

impl Mistakes {
    /// Reports a mistake, with the number of its line if it is not an argument.
    pub(crate) fn report(&mut self, position: Position<'_>, what: &str) {
        self.count += 1;
        if self.count <= REPORTED || is_verbose() {
            error(&position.number().map_or_else(|| what.to_owned(), |line| format!("line {line}: {what}")));
        }
    }

    /// The exit code for success, or for an error. Reports how many mistakes were not shown.
    pub(crate) fn exit_code(self) -> ExitCode {
        let more = if is_verbose() { 0 } else { self.count.saturating_sub(REPORTED) };
        if more > 0 {
            let (all, what) = (self.count, "invalid lines");
            error(&format!("{all} {what} in all; --verbose prints the other {more}"));
        }
        if self.count > 0 { ExitCode::from(2) } else { ExitCode::SUCCESS }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_three_shapes() {
        let read = |line| {
            let InputQuestion { url, agent, usage, .. } = parse(line).unwrap();
            (url.into_owned(), agent.map(|names| names.joined().into_owned()), usage)
        };
        let agent = |name: &str| Some(name.to_owned());
        assert_eq!(read("https://a/"), ("https://a/".to_owned(), None, None));
        assert_eq!(read("Bot \t https://a/"), ("https://a/".to_owned(), agent("Bot"), None));
        let header = "Mozilla/5.0 (compatible; Bot/2.1; +http://bot.example/)";
        let line = format!("{header}\thttps://a/");
        assert_eq!(read(&line), ("https://a/".to_owned(), agent(header), None));
        let object = r#"{"url": "https://a/", "agent": ["a", "b"], "usage": "index"}"#;
        assert_eq!(read(object), ("https://a/".to_owned(), agent("a,b"), Some("index".to_owned())));
    }

    #[test]
    fn lines_that_are_no_questions_are_reported() {
        for (line, what) in [
            (r#"{"url": "a", "agnet": "b"}"#, "unknown field `agnet`, expected one of `url`, `agent`"),
            (r#"{"url": "a""#, "EOF while parsing an object, at column 11"),
            (r#"{"agent": "a"}"#, "missing field `url`"),
            (
                r#"{"url": "a", "agent": 1}"#,
                "invalid type: integer `1`, expected a name in `agent`, or a list of names",
            ),
            (r#"{"url": "a", "agent": ["b", 1]}"#, "invalid type: integer `1`, expected a string"),
            (&format!(r#"{{"url": "a", "agent": ["b"{}]}}"#, r#", "b""#.repeat(64)), "more than 64 names"),
            ("https://a/\tBot", "\"https://a/\" is before the tab"),
        ] {
            let mistake = parse(line).err().unwrap();
            assert!(mistake.contains(what) && !mistake.contains("line 1"), "{mistake}");
        }
    }
}
