//! Compiling files of captures into an image, and merging images: the feature `compile`.
//!
//! ```no_run
//! use robomaton::compile::{BatchOptions, Compile, Destination, Input, Progress};
//!
//! let inputs = Input::from_args(["crawl.warc.gz".as_ref()])?;
//! let destination = Destination::open("crawl.rimg".as_ref(), None)?;
//! let compiled = Compile::new(inputs, BatchOptions::default(), false)?.run(destination, &Progress::default())?;
//! println!("{} sites", compiled.image.len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use robomaton_build::{Compile, Compiled, Destination, Error, Merged, Summary, merge};
pub use robomaton_compiler::Options;
pub use robomaton_corpus::{
    BatchOptions, BuildError, Input, Progress, ReadError, ReadLimits, Report, SkipReason,
};
