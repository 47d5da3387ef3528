//! Compiles captures into one image, which is written completely or not at all.
//!
//! It runs `corpus::prepare` and writes the result to the destination.

use crate::{Destination, Error, Summary, summary};
use robomaton_corpus::{BatchOptions, BuildError, Input, Progress, Report, prepare};
use robomaton_formats::Profile;
use robomaton_runtime::Image;
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

/// A compile job.
#[derive(Debug)]
pub struct Compile {
    inputs: Vec<Input>,
    options: BatchOptions,
    allow_empty: bool,
}

/// A finished image, and how it was made.
#[derive(Debug)]
pub struct Compiled {
    /// Statistics of reading and compiling.
    pub report: Report,
    /// The image.
    pub image: Image,
    /// Seconds from the first byte read to the finished image.
    pub seconds: f64,
}

impl Compile {
    /// Creates a job. An image without sites is written only with `allow_empty`; otherwise an
    /// existing image is kept.
    ///
    /// # Errors
    /// If the options contradict each other.
    pub fn new(inputs: Vec<Input>, mut options: BatchOptions, allow_empty: bool) -> Result<Compile, Error> {
        let compile = &options.compile;
        let rule = compile.profile.agent_rule();
        let mut crawlers = Vec::with_capacity(compile.crawlers.len());
        for name in &compile.crawlers {
            crawlers.extend(rule.crawler_names(name)?.into_iter().map(str::to_owned));
        }
        if options.pages && compile.profile == Profile::Koster {
            return Err(Error::Pages(compile.profile));
        }
        // The reader must not truncate a text before the compiler does.
        let texts = compile.limits.bytes(compile.profile).saturating_add(2);
        options.read.max_body = options.read.max_body.max(texts);
        options.compile.crawlers = crawlers;
        Ok(Compile { inputs, options, allow_empty })
    }

    /// The inputs.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// Compiles. Temporary files are placed in the directory of the destination.
    ///
    /// # Errors
    /// If an input cannot be opened, all inputs are empty, or the destination cannot be written.
    pub fn run(mut self, destination: Destination, progress: &Progress) -> Result<Compiled, Error> {
        let start = Instant::now();
        self.options.scratch = destination.room().map(Path::to_owned);
        let prepared = prepare(&self.inputs, &self.options, progress)?;
        let report = prepared.report();
        if report.sites == 0 && report.data_txt.is_empty() && !self.allow_empty {
            let (skipped, examples) = (report.skipped.clone(), report.skipped_examples.clone());
            return Err(Error::Empty { skipped, examples });
        }
        let written = prepared
            .write_shards(destination.shards(), &mut |number, write| destination.write(number, write));
        let report = written.map_err(|error| match error {
            BuildError::Write(error) => destination.failed(error),
            error => error.into(),
        })?;
        let image = destination.finish()?;
        Ok(Compiled { report, image, seconds: start.elapsed().as_secs_f64() })
    }
}

impl Compiled {
    /// Counts of everything. Takes time linear in the image.
    pub fn summary(&self) -> Summary<'_> {
        Summary::new(&self.report, &self.image, self.seconds)
    }

    /// Writes the most important counts, a line each.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn write_brief(&self, out: &mut impl Write) -> io::Result<()> {
        summary::write_brief(&self.report, self.image.bytes(), out)
    }
}
