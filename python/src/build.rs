//! Compile and merge jobs, started from Python; the interpreter lock is released while they run.

use crate::answer::from_json;
use crate::arguments;
use crate::ask::Listed;
use crate::error::{job_error, said};
use crate::image::named;
use crate::options::compile_options;
use crate::paths::{Named, Several};
use crate::urls::threads_of;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use robomaton_build::{Compile, Destination, MergeOptions, Merged, merge_with};
use robomaton_compiler::Options;
use robomaton_corpus::{BatchOptions, Input, Progress};
use serde_json::to_string;
use std::num::NonZero;
use std::path::Path;

/// Checks that an image can be written; with `force`, over any file.
fn destination(
    output: &Path,
    shards: Option<NonZero<u8>>,
    force: bool,
) -> Result<Destination, robomaton_build::Error> {
    let open = if force { Destination::open_forced } else { Destination::open };
    open(output, shards)
}

/// The number of files of an image.
fn files(shards: Option<i64>) -> PyResult<Option<NonZero<u8>>> {
    let Some(number) = shards else { return Ok(None) };
    match u8::try_from(number).ok().and_then(NonZero::new) {
        Some(number) => Ok(Some(number)),
        None => Err(PyValueError::new_err(format!("shards: 1 to 255, not {number}"))),
    }
}

/// Compiles captures into one image, which is written completely or not at all; returns the summary
/// of `robomaton compile --json`.
///
/// `inputs` are paths of WARC files, tables, archives or directories. `crawlers` keeps only the
/// groups of these crawlers; `vocabulary` names optional tables of labels, and `control_tokens` are
/// written as `NAME=USAGE,...[:CRAWLER,...]`; `pages` reads permissions in HTML pages; without
/// `sources` the texts are not stored; `shards` creates a directory with this many files; `threads`
/// is 0 for one per core; `warc_root` is the directory of WARC files for byte ranges; `allow_empty`
/// writes an image even if it is empty; `force` replaces the output even if it is an input, or no
/// image; the others are limits.
#[pyfunction]
#[pyo3(
    signature = (
        inputs, output, *, profile="full".into(), crawlers=Listed::default(), vocabulary=Listed::default(),
        control_tokens=Listed::default(), pages=false, sources=true, shards=None, threads=0,
        warc_root=None, allow_empty=false, force=false, max_bytes=None, max_groups=None, max_rules=None, max_stars=None
    ),
    text_signature = "(inputs, output, *, profile='full', crawlers=(), vocabulary=(), control_tokens=(), pages=False, \
                      sources=True, shards=None, threads=0, warc_root=None, allow_empty=False, force=False, max_bytes=None, max_groups=None, max_rules=None, max_stars=None)"
)]
#[expect(clippy::too_many_arguments, reason = "they are keywords")]
pub(crate) fn compile<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = arguments::inputs)] inputs: Several,
    #[pyo3(from_py_with = arguments::output)] output: Named,
    profile: String,
    crawlers: Listed<'_>,
    vocabulary: Listed<'_>,
    control_tokens: Listed<'_>,
    pages: bool,
    sources: bool,
    #[pyo3(from_py_with = arguments::shards)] shards: Option<i64>,
    #[pyo3(from_py_with = arguments::threads)] threads: i64,
    warc_root: Option<Named>,
    allow_empty: bool,
    force: bool,
    #[pyo3(from_py_with = arguments::max_bytes)] max_bytes: Option<usize>,
    #[pyo3(from_py_with = arguments::max_groups)] max_groups: Option<usize>,
    #[pyo3(from_py_with = arguments::max_rules)] max_rules: Option<usize>,
    #[pyo3(from_py_with = arguments::max_stars)] max_stars: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let threads = threads_of(threads)?;
    let warc_root = warc_root.map(|root| root.0);
    let limits = [max_bytes, max_groups, max_rules, max_stars];
    let compile = compile_options(&profile, &crawlers, &vocabulary, &control_tokens, limits)?;
    let compile = Options { no_sources: !sources, ..compile };
    let options = BatchOptions { compile, pages, threads, warc_root, ..BatchOptions::default() };
    let shards = files(shards)?;
    let inputs = inputs.0.into_iter().map(Input::Path).collect();
    let made = py.detach(|| {
        let job = Compile::new(inputs, options, allow_empty)?;
        let compiled = job.run(destination(&output.0, shards, force)?, &Progress::default())?;
        Ok(to_string(&compiled.summary()))
    });
    let json = made.map_err(|error| job_error(py, error))?.map_err(|error| said(&error))?;
    from_json(py, &json)
}

/// Merges images into one: the newest capture of each site is kept; `force` replaces the output
/// even if it is no image; returns the summary of `robomaton merge --json`. With
/// `without_damaged_layers`, layers of stacks that are missing or damaged are no error, but are left
/// out, and older captures count; `left_out` of the summary has their paths and the reasons.
#[pyfunction]
#[pyo3(signature = (images, output, *, shards=None, force=false, without_damaged_layers=false))]
pub(crate) fn merge<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = arguments::images)] images: Several,
    #[pyo3(from_py_with = arguments::output)] output: Named,
    #[pyo3(from_py_with = arguments::shards)] shards: Option<i64>,
    force: bool,
    without_damaged_layers: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let shards = files(shards)?;
    let options = MergeOptions { without_damaged_layers, ..MergeOptions::default() };
    let merged = py.detach(|| -> Result<Merged, robomaton_build::Error> {
        merge_with(options, &images.0, destination(&output.0, shards, force)?)
    });
    let merged = merged.map_err(|error| job_error(py, error))?;
    let summary = from_json(py, &to_string(&merged).map_err(|error| said(&error))?)?;
    if without_damaged_layers {
        summary.set_item("left_out", named(&merged.left_out))?;
    }
    Ok(summary)
}
