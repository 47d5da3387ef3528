//! `robomaton visit`: may the crawler fetch these URLs now, and if not, when?
//!
//! It combines the verdict and the schedule of the site into one answer per line.
//! `formats::schedule` computes the times. No visits are recorded: the caller gives the time of the
//! last one.

use crate::ask::{LineDefaults, QuestionLines};
use crate::failure::Failure;
use crate::options::{DocumentArgs, LayersArgs, QueryArgs, TermsArgs};
use crate::output::{ColorArg, Out, Painter};
use clap::Args;
use jiff::Timestamp;
use robomaton_explain::QuestionJson;
use robomaton_explain::time::{now, rfc3339};
use robomaton_formats::schedule::{Interval, LATEST, Rate, Schedule, Source};
use robomaton_runtime::{Basis, Decision, Terms, Verdict};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

#[derive(Args)]
#[command(after_help = EXAMPLES, mut_arg("agents", |agents| agents.required(true).default_value(None)))]
pub(crate) struct Arguments {
    /// Image to query
    image: PathBuf,
    #[command(flatten)]
    query: QueryArgs,
    /// Time of the visit, in RFC 3339 or in seconds since 1970 [default: now]
    #[arg(long, value_name = "TIME", value_parser = time)]
    now: Option<Time>,
    /// Time of the crawler's last fetch from the site; the same for all URLs. Without it there is
    /// no interval to wait for
    #[arg(long, value_name = "TIME", value_parser = time)]
    last: Option<Time>,
    /// Duration of that fetch. If the site states no interval, a rule of thumb is then followed:
    /// twice this time, but at least ten seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    took: Option<Duration>,
    /// Print one JSON object per line: url, agent, usage, purpose, now, answer, verdict,
    /// incomplete, basis, outcome, stale, may_visit, wait_seconds, interval, rate, visits, rates,
    /// delays, comments
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    document: DocumentArgs,
    #[command(flatten)]
    terms: TermsArgs,
    /// URLs to visit; without any, the lines of standard input, as `query` reads them
    #[arg(value_name = "URL")]
    urls: Vec<String>,
    #[command(flatten)]
    layers: LayersArgs,
}

const EXAMPLES: &str = "\
Prints ANSWER<TAB>URL for each URL, in order. ANSWER is one of:
  now           the crawler may fetch it at this time
  wait SECONDS  the crawler may fetch it after this many seconds, rounded up
  never         the crawler must not fetch it: the verdict is disallowed
  conditional   the crawler may fetch it under conditions, see `query --json`
  unknown       the verdict is unknown, as for a site that the image does not have

A site that was unreachable when it was captured is disallowed; answers are as old as the captures in the image. Visit \
times, request rates, crawl delays and comments are taken from all groups of the site for the crawler. In JSON, may_visit \
is true if visits are welcome at this time, whatever the verdict; wait_seconds is exact, 0 for now and null for never and \
unknown. interval is the current minimum time between two fetches, with its source: request-rate, crawl-delay, or \
rule-of-thumb, which is followed with --took only.

Exit codes: 0 the answer is now for all URLs, 1 it is not, 2 error, or a line is invalid.

Examples:
  robomaton visit crawl.rimg --agent mybot https://example.com/a
  robomaton visit crawl.rimg --agent mybot --json \\
    --last 2026-01-02T03:04:05Z https://example.com/a https://example.org/b
  robomaton visit crawl.rimg --agent mybot --now 1767323045 --last 1767323040 \\
    --took 0.8 https://example.com/a";

/// A time in seconds since 1970; `fraction` is true if there was a fraction of a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Time {
    pub(super) seconds: u64,
    fraction: bool,
}

pub(super) fn time(text: &str) -> Result<Time, String> {
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        let seconds = text.parse().ok().filter(|&seconds| seconds <= LATEST);
        let seconds = seconds.ok_or("no number of seconds since 1970; is it milliseconds?")?;
        return Ok(Time { seconds, fraction: false });
    }
    let time: Timestamp = text.parse().map_err(|_| {
        "a time is written as in 2026-01-02T03:04:05Z, or as a whole number of seconds since 1970".to_owned()
    })?;
    let seconds = u64::try_from(time.as_second()).map_err(|_| "a time before 1970".to_owned())?;
    Ok(Time { seconds, fraction: time.subsec_nanosecond() > 0 })
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: Option<f64> = text.parse().ok();
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| "a number of seconds, as in 0.8".to_owned())
}

pub(crate) fn run(arguments: &Arguments, color: ColorArg) -> Result<ExitCode, Failure> {
    let at = arguments.now.map_or_else(now, |time| time.seconds);
    let terms = Terms { now: Some(at), ..arguments.terms.terms(arguments.query.usage.elements) };
    let image = arguments.layers.open(&arguments.image)?.with_terms(terms);
    let crawler = arguments.query.checked(&image, &arguments.document)?;
    let defaults = LineDefaults::new(&arguments.query, &image, &crawler, &arguments.document);
    // The last visit is rounded up and now is rounded down, so that no visit is early.
    let last = arguments.last.map(|last| last.seconds + u64::from(last.fraction));
    let painter = Painter::new(color);
    let mut all_now = true;
    let mut out = Out::new();
    let code = QuestionLines::new(defaults).run(&arguments.urls, &mut out, |out, answered| {
        let verdict = &answered.verdict;
        // An image restricted to other crawlers has no schedule for this one, and silence is no
        // permission to visit.
        let site = verdict.site().filter(|_| verdict.basis() != Basis::Narrowed);
        let schedule = site.map(|site| site.schedule(answered.crawler));
        let wait = schedule.as_ref().map(|schedule| schedule.wait(at, last, arguments.took));
        // Who may use a page needs to fetch it.
        let crawl = verdict.crawl().map_or(Decision::Unknown, |crawl| crawl.safe_decision());
        let answer = Answer::new(stricter(crawl, verdict.safe_decision()), wait);
        all_now &= answer == Answer::Now;
        if arguments.json {
            let timing = schedule.as_ref().map(|schedule| Timing::new(schedule, at, arguments.took));
            let url = String::from_utf8_lossy(answered.url);
            return out.json(&VisitJson::new(answered.question(&url), at, &answer, verdict, timing));
        }
        write!(out, "{}\t", painter.paint(&answer.words(), answer.mood()))?;
        out.url(answered.url);
        out.write_all(b"\n")
    })?;
    Ok(if all_now || code != ExitCode::SUCCESS { code } else { ExitCode::from(1) })
}

/// The decision that permits less. What is unknown may refuse, so conditions are not told beside
/// it.
fn stricter(one: Decision, other: Decision) -> Decision {
    let order = [Decision::Disallowed, Decision::Unknown, Decision::Conditional];
    order.into_iter().find(|of| [one, other].contains(of)).unwrap_or(Decision::Allowed)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Now,
    Wait(Duration),
    Never,
    /// With the wait for crawlers that meet the conditions.
    Conditional(Duration),
    Unknown,
}

impl Answer {
    fn new(decision: Decision, wait: Option<Duration>) -> Answer {
        match (decision, wait) {
            (Decision::Disallowed, _) => Answer::Never,
            (Decision::Allowed, Some(Duration::ZERO)) => Answer::Now,
            (Decision::Allowed, Some(wait)) => Answer::Wait(wait),
            (Decision::Conditional, Some(wait)) => Answer::Conditional(wait),
            (Decision::Unknown, _) | (_, None) => Answer::Unknown,
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Answer::Now => "now",
            Answer::Wait(_) => "wait",
            Answer::Never => "never",
            Answer::Conditional(_) => "conditional",
            Answer::Unknown => "unknown",
        }
    }

    fn words(&self) -> String {
        match self {
            Answer::Wait(wait) => format!("wait {}", wait.as_secs() + u64::from(wait.subsec_nanos() > 0)),
            answer => answer.name().to_owned(),
        }
    }

    /// The decision that determines its colour.
    fn mood(&self) -> Decision {
        match self {
            Answer::Now => Decision::Allowed,
            Answer::Wait(_) | Answer::Conditional(_) => Decision::Conditional,
            Answer::Never => Decision::Disallowed,
            Answer::Unknown => Decision::Unknown,
        }
    }

    fn wait(&self) -> Option<f64> {
        match self {
            Answer::Now => Some(0.0),
            Answer::Wait(wait) | Answer::Conditional(wait) => Some(wait.as_secs_f64()),
            Answer::Never | Answer::Unknown => None,
        }
    }
}

/// An answer in JSON; the fields are the keys that scripts rely on.
#[derive(Serialize)]
struct VisitJson<'a> {
    #[serde(flatten)]
    question: QuestionJson<'a>,
    now: Option<String>,
    answer: &'static str,
    verdict: &'static str,
    /// True if a file, page or statement was not read, so that more may be refused.
    incomplete: bool,
    basis: &'static str,
    outcome: Option<&'static str>,
    stale: Option<bool>,
    wait_seconds: Option<f64>,
    #[serde(flatten)]
    timing: Timing,
}

impl<'a> VisitJson<'a> {
    fn new(
        question: QuestionJson<'a>,
        now: u64,
        answer: &Answer,
        verdict: &Verdict<'_>,
        timing: Option<Timing>,
    ) -> VisitJson<'a> {
        VisitJson {
            question,
            now: rfc3339(now),
            answer: answer.name(),
            verdict: verdict.safe_decision().name(),
            incomplete: verdict.is_incomplete(),
            basis: verdict.basis().name(),
            outcome: verdict.site().and_then(|site| site.outcome()).map(|outcome| outcome.name()),
            stale: verdict.site().and_then(|site| site.is_stale()),
            wait_seconds: answer.wait(),
            timing: timing.unwrap_or_default(),
        }
    }
}

/// The site's schedule; null where it is not known.
#[derive(Default, Serialize)]
struct Timing {
    may_visit: Option<bool>,
    interval: Option<Between>,
    /// The current rate.
    rate: Option<Documents>,
    visits: Option<Vec<String>>,
    rates: Option<Vec<Documents>>,
    /// In seconds.
    delays: Option<Vec<f64>>,
    comments: Option<Vec<String>>,
}

/// The time between two fetches.
#[derive(Serialize)]
struct Between {
    seconds: f64,
    source: &'static str,
}

/// A request rate.
#[derive(Serialize)]
struct Documents {
    documents: u32,
    seconds: u32,
    window: Option<String>,
}

impl Timing {
    fn new(schedule: &Schedule, now: u64, took: Option<Duration>) -> Timing {
        let Interval { millis, source } = schedule.interval(now, took);
        let source = match source {
            Source::Rate => "request-rate",
            Source::Delay => "crawl-delay",
            Source::RuleOfThumb => "rule-of-thumb",
        };
        let in_seconds = |millis: u64| millis as f64 / 1000.0;
        let documents = |rate: Rate| Documents {
            documents: rate.documents.get(),
            seconds: rate.seconds.get(),
            window: rate.window.map(|window| window.to_string()),
        };
        Timing {
            may_visit: Some(schedule.may_visit(now)),
            interval: Some(Between { seconds: in_seconds(millis), source }),
            rate: schedule.rate_at(now).map(documents),
            visits: Some(schedule.visits.iter().map(ToString::to_string).collect()),
            rates: Some(schedule.rates.iter().copied().map(documents).collect()),
            delays: Some(schedule.delays.iter().copied().map(in_seconds).collect()),
            comments: Some(schedule.comments.clone()),
        }
    }
}
