//! Questions by the line: text → answers in order, and what is wrong with lines that are no
//! questions.
//!
//! What `query`, `filter`, `visit` and `bench` share: a line is a URL, or an agent, a tab and a
//! URL, or a JSON object. Runs of plain URLs go through the runtime's batch, so that the waits for
//! memory overlap; the other lines are answered one by one, in their place. No allocation per plain
//! line. Invariants: every line that is not blank is delivered exactly once, in order; one that is
//! no question is delivered with the basis `no-url`, told with its number, and makes the exit code
//! 2. It does not know what is printed.

use crate::failure::Failure;
use crate::input::{Chunks, Lines, announce_stdin};
use crate::options::given_url;
use crate::output::{Out, error, is_verbose, remark};
use robomaton_explain::{
    Asked, Known, Names, check_usage, crawler_names, decide, for_purpose, held_otherwise, names, quoted,
    spelled, url_mistake,
};
use robomaton_runtime::{Basis, Crawler, Image, Profile, Question, Usage, Verdict};
use std::borrow::Cow;
use std::io::{self, Write};
use std::process::ExitCode;

/// Lines that are no questions and are told one by one; `--verbose` tells all.
const TOLD: u64 = 10;

/// Unknown sites that are looked for under another name, until one is found.
const LOOKED_FOR: u32 = 1000;

/// Where a question stands. The number of a line is counted when it is told: most are not.
#[derive(Clone, Copy)]
pub(crate) enum Place<'t> {
    Argument,
    /// A line by its number, from 1.
    Line(u64),
    /// The last line among the first octets of a text, behind so many lines.
    Read {
        before: u64,
        text: &'t str,
        octets: usize,
    },
}

impl Place<'_> {
    fn number(self) -> Option<u64> {
        match self {
            Place::Argument => None,
            Place::Line(number) => Some(number),
            Place::Read { before, text, octets } => {
                let read = &text.as_bytes()[..octets];
                let ends = memchr::memchr_iter(b'\n', read).count() as u64;
                Some(before + ends + u64::from(!read.ends_with(b"\n")))
            }
        }
    }
}

/// Who asks, for what, and of which image: the terms of a line that does not say so itself.
#[derive(Clone, Copy)]
pub(crate) struct Asker<'a> {
    pub(crate) image: &'a Image,
    pub(crate) crawler: &'a Crawler,
    /// The names of the crawler, as they are printed.
    pub(crate) agent: &'a str,
    /// The usage, for the purpose.
    pub(crate) use_: Usage<'a>,
    pub(crate) usage: &'a str,
    pub(crate) purpose: Option<&'a str>,
    /// The document that answers, where it is not robots.txt.
    pub(crate) document: Option<&'a str>,
    /// The dialect of that document.
    pub(crate) profile: Profile,
}

/// A line with its answer.
pub(crate) struct Answered<'q> {
    /// The line as it was read.
    pub(crate) line: &'q [u8],
    /// The URL in it, on one line; all of a line that is no question.
    pub(crate) url: &'q [u8],
    pub(crate) agent: &'q str,
    pub(crate) usage: &'q str,
    pub(crate) purpose: Option<&'q str>,
    pub(crate) crawler: &'q Crawler,
    pub(crate) verdict: Verdict<'q>,
}

impl Answered<'_> {
    /// As it is printed with an answer; `url` is this line's.
    pub(crate) fn question<'q>(&'q self, url: &'q str) -> robomaton_explain::Question<'q> {
        robomaton_explain::Question { url, agent: self.agent, usage: self.usage, purpose: self.purpose }
    }

    /// Whether the line is no question.
    pub(crate) fn is_mistake(&self) -> bool {
        self.verdict.basis() == Basis::NoUrl
    }
}

/// A run of questions.
pub(crate) struct Questions<'a> {
    asker: Asker<'a>,
    known: Known,
    /// Lines before the text that is read.
    lines: u64,
    mistakes: Mistakes,
    /// Unknown sites that may still be looked for under another name.
    looks: u32,
}

impl<'a> Questions<'a> {
    pub(crate) fn new(asker: Asker<'a>) -> Questions<'a> {
        Questions {
            asker,
            known: Known::default(),
            lines: 0,
            mistakes: Mistakes::default(),
            looks: LOOKED_FOR,
        }
    }

    /// Answers URLs that are arguments, or the lines of standard input where there are none. `each`
    /// writes an answer; what it has written goes out with each chunk, so that whoever writes lines
    /// slowly is answered at once. Gives the exit code: that of success, or 2 after lines that were
    /// no questions.
    pub(crate) fn run(
        mut self,
        urls: &[String],
        out: &mut Out,
        mut each: impl FnMut(&mut Out, &Answered<'_>) -> io::Result<()>,
    ) -> Result<ExitCode, Failure> {
        // An error of writing stops the run after the chunk.
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
            // A line break is no part of a URL for any reader of URLs.
            let url = one_line(url);
            let Asker { image, crawler, use_, document, .. } = self.asker;
            let verdict = decide(image, document, crawler, use_, &url);
            self.deliver(&url, &url, verdict, Place::Argument, &mut |answered| written = each(out, answered));
            std::mem::replace(&mut written, Ok(()))?;
        }
        out.flush()?;
        Ok(self.mistakes.exit_code())
    }

    /// Answers the lines of a chunk.
    fn chunk(&mut self, chunk: &[u8], each: &mut impl FnMut(&Answered<'_>)) {
        if let Ok(text) = std::str::from_utf8(chunk) {
            return self.text(text, each);
        }
        for line in chunk.split_inclusive(|&octet| octet == b'\n') {
            match std::str::from_utf8(line) {
                Ok(line) => self.text(line, each),
                Err(_) => {
                    self.lines += 1;
                    let line = line.trim_ascii();
                    self.single(line, &spelled(line), Place::Line(self.lines), each);
                }
            }
        }
    }

    fn text(&mut self, text: &str, each: &mut impl FnMut(&Answered<'_>)) {
        let Asker { image, crawler, use_, document, .. } = self.asker;
        let has_tabs = memchr::memchr(b'\t', text.as_bytes()).is_some();
        // The batch asks robots.txt alone.
        let is_plain =
            |line: &str| document.is_none() && !line.starts_with('{') && !(has_tabs && line.contains('\t'));
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
                Some(Question { crawler, usage: use_, url })
            });
            // The batch answers in order, so the next line asked is the one answered.
            image.decide_batch(plain, |verdict| {
                let url = asked.next().unwrap_or_default();
                let place = Place::Read { before: self.lines, text, octets: asked.read(text) };
                self.deliver(url, url, verdict, place, each);
            });
            let Some(other) = lines.next() else { break };
            let place = Place::Read { before: self.lines, text, octets: lines.read(text) };
            self.single(other.as_bytes(), other, place, each);
        }
        self.lines += memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64;
    }

    /// Delivers the answer to a plain URL.
    #[inline]
    fn deliver(
        &mut self,
        line: &str,
        url: &str,
        verdict: Verdict<'_>,
        place: Place<'_>,
        each: &mut impl FnMut(&Answered<'_>),
    ) {
        let Asker { crawler, agent, usage, purpose, .. } = self.asker;
        if matches!(verdict.basis(), Basis::NoUrl | Basis::NoSite) {
            self.not_held(url, &verdict, place);
        }
        let (line, url) = (line.as_bytes(), url.as_bytes());
        each(&Answered { line, url, agent, usage, purpose, crawler, verdict });
    }

    /// Tells that a text is no URL; of the first site that the image holds under another name,
    /// which.
    #[cold]
    fn not_held(&mut self, url: &str, verdict: &Verdict<'_>, place: Place<'_>) {
        if verdict.basis() == Basis::NoUrl {
            let mistake = url_mistake(url).unwrap_or_else(|| format!("{} is no URL of a site", quoted(url)));
            return self.mistakes.tell(place, &mistake);
        }
        if self.looks > 0 && self.asker.document.is_none() {
            self.looks -= 1;
            if let Some(held) = held_otherwise(self.asker.image, url) {
                self.looks = 0;
                remark(&held);
            }
        }
    }

    /// Answers a line that is more than a URL, or that the batch does not answer.
    fn single(&mut self, raw: &[u8], line: &str, place: Place<'_>, each: &mut impl FnMut(&Answered<'_>)) {
        let Asker { image, crawler, agent, use_, usage, purpose, document, profile } = self.asker;
        let asked = match parse(line).and_then(|asked| checked(asked, image, profile)) {
            Ok(asked) => asked,
            Err(mistake) => {
                self.mistakes.tell(place, &mistake);
                let verdict = decide(image, document, crawler, use_, "");
                return each(&Answered { line: raw, url: raw, agent, usage, purpose, crawler, verdict });
            }
        };
        let purpose = asked.purpose.as_deref().or(purpose);
        let use_ = match &asked.usage {
            Some(name) => for_purpose(image.usage(name), purpose),
            None => for_purpose(use_, purpose),
        };
        let usage = asked.usage.as_deref().unwrap_or(usage);
        let joined = asked.agent.as_ref().map(Names::joined);
        let agent = joined.as_deref().unwrap_or(agent);
        let is_spelled = asked.agent.is_none() && !line.starts_with('{');
        let url = one_line(&asked.url);
        let mut known = std::mem::take(&mut self.known);
        let named_only = asked.named_only || crawler.is_named_only();
        let crawler = match &asked.agent {
            Some(names) => known.crawler(image, names, named_only),
            None if named_only == crawler.is_named_only() => crawler,
            None => known.crawler(image, &Names::Several(crawler.names().to_vec()), true),
        };
        let verdict = decide(image, document, crawler, use_, &url);
        if matches!(verdict.basis(), Basis::NoUrl | Basis::NoSite) {
            self.not_held(&url, &verdict, place);
        }
        // The octets of a plain line are printed as they were read.
        let shown = if is_spelled { raw } else { url.as_bytes() };
        each(&Answered { line: raw, url: shown, agent, usage, purpose, crawler, verdict });
        self.known = known;
    }
}

/// Reads a line that is not blank.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn parse(line: &str) -> Result<Asked<'_>, String> {
    if line.starts_with('{') {
        return serde_json::from_str(line).map_err(|error| json_mistake(&error));
    }
    let plain = |url| {
        let url = Cow::Borrowed(url);
        Asked { url, agent: None, usage: None, purpose: None, named_only: false }
    };
    match line.split_once('\t') {
        None => Ok(plain(line)),
        Some((url, _)) if url.contains("://") => {
            Err(format!("{} stands before a tab; the agent does, and the URL behind it", quoted(url)))
        }
        Some((agent, url)) => {
            let agent = Names::One(Cow::Borrowed(agent.trim_ascii()));
            Ok(Asked { agent: Some(agent), ..plain(url.trim_ascii()) })
        }
    }
}

/// The question, its names taken apart.
///
/// # Errors
/// When a name names nobody, or the usage is unknown.
pub(crate) fn checked<'q>(
    mut asked: Asked<'q>,
    image: &Image,
    profile: Profile,
) -> Result<Asked<'q>, String> {
    // As on a command line, one string may be a list of names.
    if let Some(Names::One(one)) = &asked.agent {
        let list = names(one);
        if list.len() > 1 {
            asked.agent = Some(Names::Several(list.into_iter().map(str::to_owned).collect()));
        }
    }
    let named = |name: &str| crawler_names(name, profile).map(drop).map_err(|error| error.to_string());
    match &asked.agent {
        None => {}
        Some(Names::One(name)) => named(name)?,
        Some(Names::Several(names)) if names.is_empty() => return Err("`agent` names nobody".to_owned()),
        Some(Names::Several(names)) => names.iter().try_for_each(|name| named(name))?,
    }
    if let Some(usage) = &asked.usage {
        check_usage(image, usage).map_err(|unknown| unknown.to_string())?;
    }
    Ok(asked)
}

/// What is wrong with a JSON object, without the number of its only line.
fn json_mistake(error: &serde_json::Error) -> String {
    let said = error.to_string();
    let what = said.rsplit_once(" at line ").map_or(said.as_str(), |(what, _)| what);
    format!("no question in JSON: {what}, at column {}", error.column())
}

/// A URL out of JSON may hold line breaks, which are no part of it for any reader of URLs.
fn one_line(url: &str) -> Cow<'_, str> {
    if url.contains(['\n', '\r']) { url.replace(['\n', '\r'], "").into() } else { url.into() }
}

/// Lines that are no questions.
#[derive(Default)]
pub(crate) struct Mistakes {
    count: u64,
}

impl Mistakes {
    /// Tells a mistake, with the number of its line if it is not an argument.
    pub(crate) fn tell(&mut self, place: Place<'_>, what: &str) {
        self.count += 1;
        if self.count <= TOLD || is_verbose() {
            error(&place.number().map_or_else(|| what.to_owned(), |line| format!("line {line}: {what}")));
        }
    }

    /// That of success, or of an error; tells how many mistakes were not told.
    pub(crate) fn exit_code(self) -> ExitCode {
        let more = if is_verbose() { 0 } else { self.count.saturating_sub(TOLD) };
        if more > 0 {
            let (all, what) = (self.count, "lines are no questions");
            error(&format!("{all} {what} in all; --verbose tells the other {more}, too"));
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
            let Asked { url, agent, usage, .. } = parse(line).unwrap();
            (url.into_owned(), agent.map(|names| names.joined().into_owned()), usage)
        };
        let agent = |name: &str| Some(name.to_owned());
        assert_eq!(read("https://a/"), ("https://a/".to_owned(), None, None));
        assert_eq!(read("Bot \t https://a/"), ("https://a/".to_owned(), agent("Bot"), None));
        let object = r#"{"url": "https://a/", "agent": ["a", "b"], "usage": "index"}"#;
        assert_eq!(read(object), ("https://a/".to_owned(), agent("a,b"), Some("index".to_owned())));
    }

    #[test]
    fn what_is_no_question_is_told() {
        for (line, what) in [
            (r#"{"url": "a", "agnet": "b"}"#, "unknown field `agnet`, expected one of `url`, `agent`"),
            (r#"{"url": "a""#, "EOF while parsing an object, at column 11"),
            (r#"{"agent": "a"}"#, "missing field `url`"),
            (r#"{"url": "a", "agent": 1}"#, "`agent` is a name, or a list of names"),
            ("https://a/\tBot", "\"https://a/\" stands before a tab"),
        ] {
            let mistake = parse(line).err().unwrap();
            assert!(mistake.contains(what) && !mistake.contains("line 1"), "{mistake}");
        }
    }
}
