//! `robomaton check`: one robots.txt, one crawler, one URL; the exit code is the answer.
//!
//! For scripts, and for comparison with Google's `robots_main`, whose arguments and exit codes it
//! uses. Only an unconditional permission is exit code 0: a permission under conditions is not, nor
//! one that something unread might take back.

use crate::ask::begins_as_url;
use crate::failure::{Failure, called};
use crate::input::read_text;
use crate::options::{Dialect, NamedArgs, UsageArgs, WithArgs, check_agents, given_url, remark_unused};
use crate::output::{ColorArg, Out, Painter, remark};
use crate::usage::MORE;
use clap::Args;
use robomaton_explain::{
    AnswerJson, Origin, QuestionJson, SingleSite, StatementJson, VerdictJson, condition_text, names, quoted,
    unread,
};
use robomaton_runtime::{Basis, Outcome, Terms, Verdict};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Args)]
#[command(after_help = EXAMPLES, override_usage = USAGE)]
pub(crate) struct Arguments {
    /// The robots.txt file; `-` means standard input
    file: PathBuf,
    /// Name of the crawler; separate several product tokens, best first, by commas
    #[arg(value_name = "AGENT")]
    agent_or_url: Option<String>,
    /// URL, or only its path and query; `/` is the root
    url: Option<String>,
    /// Name of the crawler, instead of AGENT, as in the other commands
    #[arg(long = "agent", short = 'a', value_name = "AGENT", conflicts_with = "url")]
    agent: Option<String>,
    /// Print the answer as one JSON object, as `query --json` does
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    named: NamedArgs,
    #[command(flatten)]
    usage: UsageArgs,
    #[command(flatten)]
    with: WithArgs,
    #[command(flatten)]
    dialect: Dialect,
}

const USAGE: &str = "\
robomaton check [OPTIONS] <FILE> <AGENT> <URL>
       robomaton check [OPTIONS] --agent <AGENT> <FILE> <URL>";

const EXAMPLES: &str = "\
Prints VERDICT<TAB>URL, and for `conditional` one more line for each condition. For a usage other than crawl, the \
statements that speak of it follow, with the reason why each counts or not, and the verdict about fetching the URL.

Exit codes: 0 allowed; 1 disallowed, conditional, unknown, or incomplete because a file or statement was not read; \
2 error.

Examples:
  robomaton check robots.txt Googlebot https://example.com/private/x
  robomaton check robots.txt googlebot-news,googlebot /private/x
  robomaton check robots.txt mybot /x --usage present-snippet --purpose news \\
    --with /news.txt=news.txt
  curl -s https://example.com/robots.txt \\
    | robomaton check - mybot https://example.com/x
  robomaton check --profile google robots.txt FooBot http://foo.bar/x
  robomaton check robots.txt --agent mybot /x --json";

impl Arguments {
    /// The crawler and the URL.
    fn agent_and_url(&self) -> Result<(&str, &str), Failure> {
        let missing = |what| Failure::Message(format!("{what} missing ({MORE})"));
        let (agent, url) = match (&self.agent, &self.agent_or_url, &self.url) {
            (Some(agent), Some(url), _) | (None, Some(agent), Some(url)) => (agent, url),
            (None, None, _) => return Err(missing("<AGENT> and <URL> are")),
            (_, _, None) | (Some(_), None, _) => return Err(missing("<URL> is")),
        };
        if begins_as_url(agent) || agent.starts_with('/') {
            let what = format!("{} names no crawler: the crawler goes before the URL", quoted(agent));
            return Err(Failure::Message(what));
        }
        Ok((agent, url))
    }
}

pub(crate) fn run(arguments: &Arguments, color: ColorArg) -> Result<ExitCode, Failure> {
    let (agent, url) = arguments.agent_and_url()?;
    let agents = names(agent);
    check_agents(agents.iter().copied(), arguments.dialect.profile)?;
    given_url(url)?;
    let text = read_text(&arguments.file, arguments.dialect.limit())?;
    let origin = Origin::of(url, arguments.dialect.profile)?;
    let files = arguments.with.read()?;
    let terms = Terms { elements: arguments.usage.elements, ..Terms::default() };
    let options = arguments.dialect.options();
    let single = SingleSite::compile(&text, &origin, &files, &options)?.with_terms(terms);
    files.unused(&single.document.references, &origin).for_each(remark_unused);
    if let Some(unread) = unread(single.document.unread, &options) {
        remark(&format!("{} {unread}", called(&arguments.file)));
    }
    arguments.usage.check(single.image())?;
    let crawler = arguments.named.restrict(single.image().crawler(&agents));
    let usage = arguments.usage.resolve(single.image());
    let verdict = single.site()?.decide(&crawler, usage, url);
    // An empty file is fine; other files without rules are probably a mistake.
    let has_none = matches!(verdict.basis(), Basis::Outcome(outcome) if outcome != Outcome::Empty);
    if let Some(reason) = single.reason().filter(|_| has_none) {
        remark(&format!("{}: {reason}", called(&arguments.file)));
    }
    if verdict.is_incomplete() {
        remark(if VerdictJson::new(&verdict).has_unread_statement() {
            "a statement about this use, or the document that it names, could not be read, so it permits nothing"
        } else {
            "a file that the robots.txt refers to for this crawler is missing or cannot be read; --with supplies it"
        });
    }
    let mut out = Out::of_answer();
    let written = if arguments.json {
        let UsageArgs { usage, purpose, .. } = &arguments.usage;
        let agent = agents.join(",");
        out.answer(&AnswerJson::new(
            QuestionJson { url, agent: &agent, usage, purpose: purpose.as_deref() },
            &verdict,
        ))
    } else {
        write(&verdict, url, Painter::new(color), &mut out)
    };
    written.map_err(Failure::from).and_then(|()| out.finish())?;
    Ok(ExitCode::from(u8::from(!verdict.is_allowed())))
}

fn write(verdict: &Verdict<'_>, url: &str, painter: Painter, out: &mut Out) -> io::Result<()> {
    write!(out, "{}\t", painter.verdict(verdict.safe_decision()))?;
    out.url(url.as_bytes());
    out.write_all(b"\n")?;
    let conditional = verdict.conditional().filter(|_| !verdict.is_incomplete());
    conditional
        .iter()
        .flat_map(|all| &all.conditions)
        .try_for_each(|condition| writeln!(out, "{}", condition_text(condition)))?;
    if verdict.usage().is_crawl() {
        return Ok(());
    }
    let VerdictJson { statements, crawl, left_out, .. } = VerdictJson::new(verdict);
    if statements.is_empty() {
        return Ok(());
    }
    writeln!(out, "statements")?;
    StatementJson::write_all(&statements, out)?;
    if left_out > 0 {
        writeln!(out, "           and {left_out} more")?;
    }
    crawl.map_or(Ok(()), |crawl| writeln!(out, "crawl    {crawl}"))
}
