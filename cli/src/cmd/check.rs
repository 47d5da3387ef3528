//! `robomaton check`: one robots.txt, one crawler, one URL; the exit code is the answer.
//!
//! For scripts, and for comparison with Google's `robots_main`, whose arguments and exit codes these are. Only a
//! plain permission is exit code 0: what is permitted under conditions is not, nor what a missing file might forbid.

use crate::failure::Failure;
use crate::input::{called, read_text};
use crate::options::{Dialect, UseArgs, WithArgs, given_url, heed, remark_unused};
use crate::output::{Out, remark};
use clap::Args;
use robomaton_explain::{Beside, Origin, Single, names, shown, unread};
use robomaton_runtime::{Basis, Outcome, Terms, Verdict};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The robots.txt; `-` is standard input.
    file: PathBuf,
    /// Name of the crawler; several product tokens, best first, are parted by commas.
    agent: String,
    /// The URL, or its path and query alone: `/` is the root.
    url: String,
    #[command(flatten)]
    use_: UseArgs,
    #[command(flatten)]
    with: WithArgs,
    #[command(flatten)]
    dialect: Dialect,
}

const EXAMPLES: &str = "\
Prints VERDICT<TAB>URL, and for `conditional` a line CONDITION for each.

Exit codes: 0 allowed; 1 not plainly allowed, which is disallowed, conditional, unknown, or incomplete for want of a \
file that the robots.txt refers to; 2 error.

Examples:
  robomaton check robots.txt Googlebot https://example.com/private/x
  robomaton check robots.txt googlebot-news,googlebot /private/x
  robomaton check robots.txt mybot /x --usage present-snippet --purpose news \\
    --with /news.txt=news.txt
  curl -s https://example.com/robots.txt \\
    | robomaton check - mybot https://example.com/x
  robomaton check --profile google robots.txt FooBot http://foo.bar/x";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let agents = names(&arguments.agent);
    heed(agents.iter().copied(), arguments.dialect.profile)?;
    given_url(&arguments.url)?;
    let text = read_text(&arguments.file)?;
    let origin = Origin::of(&arguments.url, arguments.dialect.profile)?;
    let beside = Beside::files(arguments.with.read()?);
    let terms = Terms { elements: arguments.use_.elements, ..Terms::default() };
    let options = arguments.dialect.options();
    let single = Single::compile(&text, &origin, &beside, &options)?.with_terms(terms);
    beside.unused(&single.document).for_each(remark_unused);
    if let Some(unread) = unread(single.document.unread, &options) {
        remark(&format!("{} {unread}", called(&arguments.file)));
    }
    let crawler = single.image().crawler(agents);
    let usage = arguments.use_.resolve(single.image());
    let verdict = single.site()?.decide(&crawler, usage, &arguments.url);
    // An empty file is as good as any; others without rules are hardly what was meant.
    let has_none = matches!(verdict.basis(), Basis::Outcome(outcome) if outcome != Outcome::Empty);
    if let Some(reason) = single.reason().filter(|_| has_none) {
        remark(&format!("{}: {reason}", called(&arguments.file)));
    }
    let mut out = Out::new();
    let told = tell(&verdict, &arguments.url, &mut out).map_err(Failure::from);
    match told.and_then(|()| out.finish()) {
        // The exit code is the answer, whether anybody reads the line or not.
        Ok(()) | Err(Failure::ClosedPipe) => Ok(ExitCode::from(u8::from(!verdict.is_allowed()))),
        Err(failure) => Err(failure),
    }
}

fn tell(verdict: &Verdict<'_>, url: &str, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{}\t{url}", verdict.safe_decision())?;
    if verdict.is_incomplete() {
        remark("a file that the robots.txt refers to for this crawler is missing; --with supplies it");
    }
    let conditional = verdict.conditional().filter(|_| !verdict.is_incomplete());
    conditional
        .iter()
        .flat_map(|all| &all.conditions)
        .try_for_each(|condition| writeln!(out, "{}", shown(&condition.to_string())))
}
