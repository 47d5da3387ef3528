//! Mistakes in the arguments: the messages of `clap`, each as one line.
//!
//! `main` calls it if the arguments cannot be parsed. It knows no subcommands, only the options for
//! texts that are often given for images.

use crate::failure::Failure;
use crate::output::Out;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::io::Write;
use std::process::ExitCode;

/// Prints help and version as they are, and mistakes in the arguments as one line.
pub(crate) fn usage(mut error: clap::Error) -> Result<ExitCode, Failure> {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            error.print()?;
            Out::new().flush()?;
            Ok(ExitCode::SUCCESS)
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            error.print()?;
            Ok(ExitCode::from(2))
        }
        ErrorKind::MissingRequiredArgument => Err(Failure::Message(missing(&error))),
        _ => {
            drop_far_fetched(&mut error);
            let told = one_line(&error.to_string());
            Err(Failure::Message(match misplaced(&error) {
                Some(hint) => format!("{hint} ({MORE})"),
                None => told,
            }))
        }
    }
}

/// Where to read more.
pub(crate) const MORE: &str = "see --help";

/// The message for missing arguments.
fn missing(error: &clap::Error) -> String {
    match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::Strings(names)) => {
            let are = if names.len() == 1 { "is" } else { "are" };
            format!("{} {are} missing ({MORE})", names.join(" and "))
        }
        _ => one_line(&error.to_string()),
    }
}

/// Drops suggestions that share little with the given word: `--purpose` for `--profile`.
fn drop_far_fetched(error: &mut clap::Error) {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.trim_start_matches('-').to_owned()),
        _ => None,
    };
    let pairs = [
        (ContextKind::InvalidArg, ContextKind::SuggestedArg),
        (ContextKind::InvalidValue, ContextKind::SuggestedValue),
    ];
    let is_far = |(written, suggested): &(ContextKind, ContextKind)| match (text(*written), text(*suggested))
    {
        (Some(written), Some(suggested)) => {
            strsim::osa_distance(&written, &suggested) > (written.len() / 4).max(1)
        }
        _ => false,
    };
    if let Some((_, suggested)) = pairs.into_iter().find(is_far) {
        error.remove(suggested);
    }
}

/// The advice for an option that belongs to another command.
fn misplaced(error: &clap::Error) -> Option<String> {
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else { return None };
    let of_texts = ["--profile", "--max-bytes", "--max-groups", "--max-rules", "--max-stars"];
    of_texts.contains(&option.as_str()).then(|| {
        format!("an image keeps the profile and the limits that it was compiled with; {option} is an option of `compile`")
    })
}

/// The paragraphs before the usage, without line breaks.
fn one_line(message: &str) -> String {
    let about = message.split("\n\nUsage:").next().unwrap_or(message);
    let about = about.strip_prefix("error: ").unwrap_or(about);
    let paragraphs = about.split("\n\n").filter(|paragraph| !paragraph.starts_with("For more information"));
    let paragraphs: Vec<_> =
        paragraphs.map(|paragraph| paragraph.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    format!("{} ({MORE})", paragraphs.join("; ").trim_end_matches("; "))
}

#[cfg(test)]
mod tests {
    use super::one_line;

    #[test]
    fn messages_of_clap_become_one_line() {
        let long = "error: these were not provided:\n  --agent <A>\n  <URL>\n\nUsage: x\n\nFor more information, try";
        assert_eq!(one_line(long), "these were not provided: --agent <A> <URL> (see --help)");
        let tip = "error: unexpected '--x'\n\n  tip: '--y' exists\n\nUsage: x";
        assert_eq!(one_line(tip), "unexpected '--x'; tip: '--y' exists (see --help)");
    }
}
