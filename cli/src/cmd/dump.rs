//! `robomaton dump`: shows a stage of the compiler as text.
//!
//! Tree, policy and automaton are the same texts as in the golden files of the tests: the crate
//! that produces a stage also writes it. [`image`] writes images of any size.

mod image;
mod json;

use crate::failure::Failure;
use crate::input::{is_image, open_image, read_text, read_text_or_image};
use crate::options::{Dialect, WithArgs, origin, remark_unused};
use crate::output::Out;
use clap::{Args, ValueEnum};
use robomaton_compiler::{compile_with, dump_automaton, dump_policy, lower_with};
use robomaton_explain::{SingleSite, shown, too_much};
use robomaton_runtime::Image;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Stage to show
    stage: Stage,
    /// A robots.txt file, or for the stage `image` also an image; `-` means standard input
    file: PathBuf,
    /// Site of the robots.txt, for rules that name their own host
    #[arg(long, value_name = "URL")]
    site: Option<String>,
    /// Print JSON, one object per line: the lines of a tree, the groups of a policy, the programs
    /// of an automaton, the files of an image
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    with: WithArgs,
    #[command(flatten)]
    dialect: Dialect,
}

/// A stage of the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Stage {
    /// Lossless syntax tree: lines and groups
    Tree,
    /// Groups and rules, independent of their spelling
    Policy,
    /// Programs that the rules are compiled to
    Automaton,
    /// Header, section table and first records of an image
    Image,
}

const EXAMPLES: &str = "\
Examples:
  robomaton dump tree robots.txt
  robomaton dump policy --profile google robots.txt
  robomaton dump automaton robots.txt
  robomaton dump image crawl.rimg";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    if matches!(arguments.stage, Stage::Image) && arguments.file.is_dir() {
        let mut out = Out::new();
        for shard in open_image(&arguments.file)?.shards() {
            image_of(&shard, arguments.json, &mut out)?;
        }
        out.finish()?;
        return Ok(ExitCode::SUCCESS);
    }
    let limit = arguments.dialect.limit();
    let bytes = match arguments.stage {
        Stage::Image => read_text_or_image(&arguments.file, limit)?,
        Stage::Tree | Stage::Policy | Stage::Automaton => read_text(&arguments.file, limit)?,
    };
    let options = arguments.dialect.options();
    let origin = origin(arguments.site.as_deref(), options.profile)?;
    let files = arguments.with.read()?;
    let mut out = Out::new();
    match arguments.stage {
        Stage::Image if is_image(&bytes) => {
            let image = Image::from_bytes(bytes).map_err(|error| Failure::of(&arguments.file, error))?;
            image_of(&image, arguments.json, &mut out)?;
        }
        Stage::Image => {
            let single = SingleSite::compile(&bytes, &origin, &files, &options)?;
            files.unused(&single.document.references, &origin).for_each(remark_unused);
            image_of(single.image(), arguments.json, &mut out)?;
        }
        Stage::Automaton => {
            let spelled = files.spelled(&origin);
            let document = compile_with(&bytes, &origin.context(&spelled.slices()), &options);
            if let Some(over) = document.over_limit {
                return Err(Failure::of(&arguments.file, too_much(over)));
            }
            files.unused(&document.references, &origin).for_each(remark_unused);
            for (number, range) in document.programs.iter().enumerate() {
                let text = dump_automaton(&document.code[range.clone()]);
                if arguments.json {
                    out.json(&json::Program { program: number, bytes: range.len(), text: &text })?;
                } else {
                    writeln!(out, "program {number}, {} bytes", range.len())?;
                    out.write_all(escaped(&text).as_bytes())?;
                }
            }
        }
        Stage::Tree | Stage::Policy => {
            let tree = robomaton_grammar::scan(&bytes, options.limits.bytes(options.profile));
            if arguments.stage == Stage::Tree {
                if arguments.json {
                    json::tree(&tree, &mut out)?;
                } else {
                    out.write_all(escaped(&robomaton_grammar::dump(&tree)).as_bytes())?;
                }
            } else {
                let spelled = files.spelled(&origin);
                let policy = lower_with(&tree, &origin.context(&spelled.slices()), &options)
                    .map_err(|over| Failure::of(&arguments.file, too_much(over)))?;
                files.unused(&policy.references, &origin).for_each(remark_unused);
                if arguments.json {
                    json::policy(&policy, &mut out)?;
                } else {
                    out.write_all(escaped(&dump_policy(&policy)).as_bytes())?;
                }
            }
        }
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// Lines for a terminal: the control characters that they quote are escaped.
fn escaped(lines: &str) -> String {
    lines
        .split_inclusive('\n')
        .map(|line| match line.strip_suffix('\n') {
            Some(line) => format!("{}\n", shown(line)),
            None => shown(line).into_owned(),
        })
        .collect()
}

fn image_of<D: AsRef<[u8]>>(image: &Image<D>, json: bool, out: &mut Out) -> Result<(), Failure> {
    Ok(if json { json::image(image, out) } else { image::write(image, out) }?)
}
