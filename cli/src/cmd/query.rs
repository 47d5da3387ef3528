//! `robomaton query`: URLs in, one verdict a line out, in order.
//!
//! The job that must be fast: text lines go from the chunk they were read in through the batch into the output
//! buffer. Objects and `--json` pay for what they ask. What is no URL is answered `unknown` and counted, so one bad
//! line never stops a run.

use crate::ask::{Asker, Line};
use crate::failure::Failure;
use crate::input::{Chunks, open_image};
use crate::options::{AskerArgs, DocumentArgs, TermsArgs, given_url};
use crate::output::{Out, remark};
use clap::Args;
use robomaton_explain::{Answer, Asked, Known, Names, Question, for_purpose};
use robomaton_runtime::{Basis, Verdict};
use std::borrow::Cow;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The image to ask.
    image: PathBuf,
    #[command(flatten)]
    asker: AskerArgs,
    /// Print a JSON object a line: url, agent, usage, purpose, verdict, decision, incomplete, conditions,
    /// typed_conditions, rule, line, rules, fields, conventional, outcome, basis, stale, status, fetched_at.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    document: DocumentArgs,
    #[command(flatten)]
    terms: TermsArgs,
    /// The URLs to ask about; without any, the lines of standard input, each a URL or a JSON object
    /// {"url", "agent", "usage", "purpose"}.
    #[arg(value_name = "URL")]
    urls: Vec<String>,
}

const EXAMPLES: &str = "\
Prints VERDICT<TAB>URL for each URL, in order. VERDICT is one of allowed, disallowed, conditional, unknown; a URL whose \
site is not in the image is unknown. What a missing file might forbid is disallowed; the key `decision` tells what the \
files at hand say, `fields` and `conventional` what ACAP and the rest say alone. A rule of a page has the key `page`, one \
of a file that the robots.txt refers to the key `file`.

Examples:
  robomaton query crawl.rimg --agent GPTBot \\
    https://example.com/a https://example.org/b
  robomaton query crawl.rimg --agent googlebot-news --agent googlebot <urls.txt
  robomaton query crawl.rimg --usage present-snippet --purpose news --json \\
    https://example.com/a
  robomaton query crawl.rimg --document data.txt --agent unhipbot \\
    https://example.com/a
  echo '{\"url\": \"https://example.com/a\", \"agent\": \"GPTBot\"}' \\
    | robomaton query crawl.rimg --json";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let image =
        open_image(&arguments.image)?.with_terms(arguments.terms.terms(arguments.asker.use_.elements));
    let (crawler, usage) = arguments.asker.resolve(&image);
    let document = arguments.document.other();
    arguments.asker.heed(arguments.document.profile(image.profile()))?;
    arguments.urls.iter().try_for_each(|url| given_url(url))?;
    let mut query = Query {
        asker: Asker { image: &image, crawler: &crawler, usage, document, objects: true },
        agent: arguments.asker.agents().join(","),
        usage: &arguments.asker.use_.usage,
        purpose: arguments.asker.use_.purpose.as_deref(),
        json: arguments.json,
        known: Known::default(),
        out: Out::new(),
        bad: Bad::default(),
    };
    if arguments.urls.is_empty() {
        let mut chunks = Chunks::new(io::stdin().lock());
        while let Some(chunk) = chunks.next()? {
            query.chunk(chunk)?;
        }
    } else {
        for url in &arguments.urls {
            let verdict = query.asker.decide(&crawler, usage, url);
            query.answer(url.as_bytes(), &verdict)?;
        }
    }
    let Query { out, bad, .. } = query;
    out.finish()?;
    bad.report();
    Ok(ExitCode::SUCCESS)
}

/// A run of questions.
struct Query<'a> {
    asker: Asker<'a>,
    /// The agent, the usage and the purpose of plain lines, as they are printed.
    agent: String,
    usage: &'a str,
    purpose: Option<&'a str>,
    json: bool,
    known: Known,
    out: Out,
    bad: Bad,
}

/// Lines that were no URL.
#[derive(Default)]
struct Bad {
    lines: u64,
    first: String,
}

impl Bad {
    fn count(&mut self, line: &[u8]) {
        if self.lines == 0 {
            let (start, more) = line.split_at_checked(60).map_or((line, ""), |(start, _)| (start, "..."));
            self.first = format!("\"{}{more}\"", start.escape_ascii());
        }
        self.lines += 1;
    }

    fn report(&self) {
        match self.lines {
            0 => {}
            1 => remark(&format!("1 line was no URL: {}", self.first)),
            lines => remark(&format!("{lines} lines were no URL, the first: {}", self.first)),
        }
    }
}

impl Query<'_> {
    /// Answers the lines of a chunk and writes them out: whoever writes lines slowly gets answers at once.
    fn chunk(&mut self, chunk: &[u8]) -> Result<(), Failure> {
        let asker = self.asker;
        // An error of writing stops the run after the chunk.
        let mut written = Ok(());
        asker.chunk(chunk, &mut |line| {
            let answered = match line {
                Line::Answered(url, verdict) => self.answer(url, &verdict),
                Line::Object(object) => self.object(object),
            };
            if answered.is_err() && written.is_ok() {
                written = answered;
            }
        });
        written?;
        Ok(io::Write::flush(&mut self.out)?)
    }

    /// Prints the answer to a plain line.
    #[inline]
    fn answer(&mut self, url: &[u8], verdict: &Verdict<'_>) -> io::Result<()> {
        if verdict.basis() == Basis::NoUrl {
            self.bad.count(url);
        }
        if self.json {
            let url = String::from_utf8_lossy(url);
            let asked = Question { url: &url, agent: &self.agent, usage: self.usage, purpose: self.purpose };
            return self.out.json(&Answer::new(asked, verdict));
        }
        self.line(url, verdict)
    }

    #[inline]
    fn line(&mut self, url: &[u8], verdict: &Verdict<'_>) -> io::Result<()> {
        let buffer = self.out.buffer();
        buffer.extend_from_slice(verdict.safe_decision().name().as_bytes());
        buffer.push(b'\t');
        buffer.extend_from_slice(url);
        buffer.push(b'\n');
        self.out.make_room()
    }

    /// Answers a JSON object.
    fn object(&mut self, object: &str) -> io::Result<()> {
        let asker = self.asker;
        let Asker { image, crawler, usage, .. } = asker;
        let Ok(asked) = serde_json::from_str::<Asked<'_>>(object) else {
            return self.answer(object.as_bytes(), &asker.decide(crawler, usage, ""));
        };
        let usage_name = asked.usage.as_deref().unwrap_or(self.usage);
        let purpose = asked.purpose.as_deref().or(self.purpose);
        let usage = asked.usage.as_deref().map_or(usage, |name| image.usage(name));
        let usage = for_purpose(usage, purpose);
        let agent = asked.agent.as_ref().map_or(Cow::Borrowed(self.agent.as_str()), Names::joined);
        let crawler = match &asked.agent {
            None => crawler,
            Some(names) => self.known.crawler(image, names),
        };
        let verdict = asker.decide(crawler, usage, &asked.url);
        if verdict.basis() == Basis::NoUrl {
            self.bad.count(asked.url.as_bytes());
        }
        if self.json {
            let asked = Question { url: &asked.url, agent: &agent, usage: usage_name, purpose };
            return self.out.json(&Answer::new(asked, &verdict));
        }
        let line = [verdict.safe_decision().name(), "\t", &one_line(&asked.url), "\n"].concat();
        self.out.buffer().extend_from_slice(line.as_bytes());
        self.out.make_room()
    }
}

/// A URL out of JSON may hold line breaks, which are no part of it for any reader of URLs.
fn one_line(url: &str) -> Cow<'_, str> {
    if url.contains(['\n', '\r']) { url.replace(['\n', '\r'], "").into() } else { url.into() }
}
