//! Captures in, one image out, whole or not at all.
//!
//! Drives `corpus::prepare` and puts what came of it in its place.

use crate::{Destination, Error, Summary};
use robomaton_corpus::{BatchOptions, BuildError, Input, Progress, Report, prepare};
use robomaton_formats::Profile;
use robomaton_runtime::Image;
use std::path::Path;
use std::time::Instant;

/// What to compile.
#[derive(Debug)]
pub struct Compile {
    inputs: Vec<Input>,
    options: BatchOptions,
    allow_empty: bool,
}

/// An image in its place, and how it came about.
#[derive(Debug)]
pub struct Compiled {
    /// What was read and compiled.
    pub report: Report,
    /// The image.
    pub image: Image,
    /// From the first byte read to the image in its place.
    pub seconds: f64,
}

impl Compile {
    /// A job. The image is written even if it holds nothing only with `allow_empty`; otherwise one
    /// that stands in its place is kept.
    ///
    /// # Errors
    /// When the options contradict each other.
    pub fn new(inputs: Vec<Input>, mut options: BatchOptions, allow_empty: bool) -> Result<Compile, Error> {
        let compile = &options.compile;
        let rule = compile.profile.agent_rule();
        let mut crawlers = Vec::with_capacity(compile.crawlers.len());
        for name in &compile.crawlers {
            crawlers.extend(rule.crawler_names(name)?.into_iter().map(str::to_owned));
        }
        if options.pages && compile.profile != Profile::Full {
            return Err(Error::Pages(compile.profile));
        }
        // The reader must not cut a text before the compiler does.
        let texts = compile.limits.bytes(compile.profile).saturating_add(2);
        options.read.max_body = options.read.max_body.max(texts);
        options.compile.crawlers = crawlers;
        Ok(Compile { inputs, options, allow_empty })
    }

    /// The inputs.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// Compiles. Temporary files stand beside the destination.
    ///
    /// # Errors
    /// When an input cannot be opened, there is nothing in all of them, or the destination cannot
    /// be written.
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
    /// All of it in counts. Takes time linear in the image.
    pub fn summary(&self) -> Summary<'_> {
        Summary::new(&self.report, &self.image, self.seconds)
    }
}
