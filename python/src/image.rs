//! An open image, as Python sees it.
//!
//! Invariants: closing it while other threads use it is safe, as each question keeps it open. A
//! small image is a copy in memory, which nobody else can modify; a large one is mapped, and it is
//! an error, not a crash, that its file was modified after it was opened. A question takes no lock.

use crate::answer::{Answer, from_json};
use crate::arguments;
use crate::ask::{Agent, Crawlers, Use};
use crate::batch::{Columns, warn, warn_no_url};
use crate::error::{image_error, open_error, said};
use crate::paths::Named;
use crate::sites::Sites;
use crate::source::{Open, Opened, Source};
use crate::text::Text;
use arc_swap::ArcSwapOption;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};
use robomaton_explain::{Explanation, SiteInfo, canonical_url, explain, time};
use robomaton_formats::site::DATA_TXT;
use robomaton_runtime::{Basis, Decision, Image as Runtime, LeftOut, OpenError, OpenOptions, Terms, Watch};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The default of `map_above`, as of the command: images of up to this many bytes are copied.
const MAP_ABOVE: u64 = 64 << 20;

/// An image, from a file or a directory of shards. Any number of threads may use it.
///
/// An image of up to `map_above` bytes (64 MiB) is copied into memory; a larger one is mapped. What
/// happens to the file of a copy makes no difference; questions to a mapped image raise
/// `ImageError` when its file was written to.
///
/// `on_forbidden`, `on_throttled` and `on_long_unreachable` (`allow` or `deny`) are the answers for
/// a robots.txt that was answered with 401 or 403, with 429, and for one that was unreachable more
/// than 30 days ago. `elements` is for crawlers that work on single elements of pages. With
/// `named_only`, only groups that name the crawler count: `User-agent: *` is ignored. `now`, in
/// seconds since 1970, is the time of all questions, which decides what has ended and which answers
/// are stale; the default is the time of each call. With `without_damaged_layers`, layers of a
/// stack that are missing or damaged are no error: their sites have the answers of older layers,
/// and `left_out` names them. All layers are verified then.
#[pyclass(frozen, module = "robomaton")]
pub struct Image {
    /// Empty if it is closed.
    source: ArcSwapOption<Source>,
    path: PathBuf,
}

impl Image {
    /// The image, for a question that keeps it.
    ///
    /// # Errors
    /// If it is closed, or was modified.
    fn source(&self, py: Python<'_>) -> PyResult<Arc<Source>> {
        self.with(py, |source| Ok(Arc::clone(source)))
    }

    /// Asks the image, without a count of its users.
    ///
    /// # Errors
    /// If it is closed, or was modified, or of the question.
    #[inline]
    fn with<T>(&self, py: Python<'_>, ask: impl FnOnce(&Arc<Source>) -> PyResult<T>) -> PyResult<T> {
        let source = self.source.load();
        let Some(current) = &*source else { return Err(PyValueError::new_err("the image is closed")) };
        current.check(py)?;
        let Some(newer) = current.at_the_clock() else { return ask(current) };
        let newer = Arc::new(newer);
        // Unless it was closed, or another thread was faster.
        self.source.compare_and_swap(&source, Some(Arc::clone(&newer)));
        ask(&newer)
    }

    #[inline]
    fn open<'s>(&self, source: &'s Source) -> PyResult<&'s Open> {
        match source {
            Source::Image(open) => Ok(open),
            Source::Text(_) => Err(PyRuntimeError::new_err("internal error: a text in place of an image")),
        }
    }
}

/// Opens an image: copies one of up to so many bytes, and maps a larger one.
fn open_image(path: &Path, options: OpenOptions) -> Result<(Runtime, Option<Watch>), OpenError> {
    // SAFETY: the documentation requires that large images are replaced by rename, as `compile` and
    // `merge` do; the watch ends the use of one that was modified nevertheless.
    #[allow(unsafe_code)]
    unsafe {
        options.open_or_watch(path)
    }
}

/// The document that answers, if it is not robots.txt.
pub(crate) fn other(document: Option<String>) -> PyResult<Option<String>> {
    match document.as_deref() {
        None | Some("robots.txt") => Ok(None),
        Some(DATA_TXT) => Ok(document),
        Some(other) => {
            let said = format!("document: expected 'robots.txt' or '{DATA_TXT}', not {other:?}");
            Err(PyValueError::new_err(said))
        }
    }
}

/// `allow` or `deny`.
pub(crate) fn permission(name: &str, word: &str) -> PyResult<Decision> {
    match word {
        "allow" => Ok(Decision::Allowed),
        "deny" => Ok(Decision::Disallowed),
        _ => Err(PyValueError::new_err(format!("{name}: expected 'allow' or 'deny', not {word:?}"))),
    }
}

#[pymethods]
impl Image {
    /// Opens an image: header and section table are checked here, contents only by `verify`. Takes
    /// constant time, except for the copy of a small image.
    #[new]
    #[pyo3(
        signature = (
            path, *, on_forbidden="allow".into(), on_throttled="allow".into(), on_long_unreachable="deny".into(),
            elements=false, named_only=false, now=None, map_above=MAP_ABOVE, without_damaged_layers=false
        ),
        text_signature = "(path, *, on_forbidden='allow', on_throttled='allow', on_long_unreachable='deny', elements=False, named_only=False, now=None, map_above=67108864, without_damaged_layers=False)"
    )]
    #[expect(clippy::too_many_arguments, reason = "they are keywords")]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::path)] path: Named,
        on_forbidden: String,
        on_throttled: String,
        on_long_unreachable: String,
        elements: bool,
        named_only: bool,
        #[pyo3(from_py_with = arguments::now)] now: Option<u64>,
        #[pyo3(from_py_with = arguments::map_above)] map_above: u64,
        without_damaged_layers: bool,
    ) -> PyResult<Image> {
        let (path, given) = (path.0, now);
        let terms = Terms {
            on_forbidden: permission("on_forbidden", &on_forbidden)?,
            on_throttled: permission("on_throttled", &on_throttled)?,
            on_long_unreachable: permission("on_long_unreachable", &on_long_unreachable)?,
            elements,
            now: Some(given.unwrap_or_else(time::now)),
            ..Terms::default()
        };
        let options = OpenOptions { copy_up_to: map_above, without_damaged_layers };
        let opened = py.detach(|| open_image(&path, options));
        let (image, watch) = opened.map_err(|error| open_error(py, &error))?;
        if robomaton_store::has_logged(&path) {
            let path = path.display();
            warn(
                py,
                &format!("{path}: captures since the last flush do not count; Store.flush makes a layer"),
            )?;
        }
        let crawlers = Crawlers::new(false, named_only);
        let opened = Opened { given, path: path.clone(), options, watch, crawlers };
        let open = Open { image: image.with_terms(terms), opened: Arc::new(opened) };
        Ok(Image { source: ArcSwapOption::from_pointee(Source::Image(Box::new(open))), path })
    }

    /// The path by which it was opened.
    #[getter]
    fn path(&self) -> &OsStr {
        self.path.as_os_str()
    }

    /// The profile that it was compiled under.
    #[getter]
    fn profile(&self, py: Python<'_>) -> PyResult<&'static str> {
        Ok(self.open(&*self.source(py)?)?.image.profile().name())
    }

    /// The size of its files in bytes.
    #[getter]
    fn nbytes(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.open(&*self.source(py)?)?.image.bytes())
    }

    /// The layers that it was opened without, each with the reason: see `without_damaged_layers`.
    #[getter]
    fn left_out(&self, py: Python<'_>) -> PyResult<Vec<(String, String)>> {
        Ok(named(self.open(&*self.source(py)?)?.image.left_out()))
    }

    /// True if it is closed.
    #[getter]
    fn closed(&self) -> bool {
        self.source.load().is_none()
    }

    /// Closes it. Questions in progress, and existing answers, keep it open until they are done.
    fn close(&self) {
        self.source.store(None);
    }

    /// The number of sites and of other documents: each document counts here, while iterating gives
    /// a site together with its documents.
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.open(&*self.source(py)?)?.image.len())
    }

    /// The sites ordered by name, each as returned by `site`.
    fn __iter__(&self, py: Python<'_>) -> PyResult<Sites> {
        Sites::new(self.source(py)?)
    }

    fn __enter__(slf: Bound<'_, Image>) -> PyResult<Bound<'_, Image>> {
        slf.get().source(slf.py())?;
        Ok(slf)
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, PyTuple>) {
        self.close();
    }

    fn __repr__(&self) -> String {
        let closed = if self.closed() { " closed" } else { "" };
        format!("<robomaton.Image {:?}{closed}>", self.path)
    }

    /// For `pickle`: an image is opened again by its path, under the same terms.
    fn __reduce__<'py>(slf: &Bound<'py, Image>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let py = slf.py();
        let source = slf.get().source(py)?;
        let open = slf.get().open(&source)?;
        let Terms { on_forbidden, on_throttled, on_long_unreachable, elements, .. } = open.image.terms();
        let word = |decision: &Decision| if decision.is_allowed() { "allow" } else { "deny" };
        let words = (word(on_forbidden), word(on_throttled), word(on_long_unreachable));
        let (path, opened) = (slf.get().path.clone(), &open.opened);
        let OpenOptions { copy_up_to, without_damaged_layers } = opened.options;
        let options = (copy_up_to, without_damaged_layers);
        let arguments = (
            path,
            words.0,
            words.1,
            words.2,
            *elements,
            opened.crawlers.named_only,
            opened.given,
            options.0,
            options.1,
        );
        let arguments = arguments.into_pyobject(py)?;
        Ok((slf.get_type().getattr("_of")?, arguments))
    }

    /// Pickles of earlier versions have fewer arguments.
    #[classmethod]
    #[pyo3(signature = (
        path, on_forbidden, on_throttled, on_long_unreachable, elements, named_only, now, map_above=MAP_ABOVE,
        without_damaged_layers=false
    ))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords")]
    fn _of(
        class: &Bound<'_, PyType>,
        path: Named,
        on_forbidden: String,
        on_throttled: String,
        on_long_unreachable: String,
        elements: bool,
        named_only: bool,
        now: Option<u64>,
        map_above: u64,
        without_damaged_layers: bool,
    ) -> PyResult<Image> {
        let py = class.py();
        let words = (on_forbidden, on_throttled, on_long_unreachable);
        let options = (map_above, without_damaged_layers);
        Image::new(py, path, words.0, words.1, words.2, elements, named_only, now, options.0, options.1)
    }

    /// True if the crawler may fetch the URL, or use it otherwise, without conditions.
    #[pyo3(signature = (url, agent, *, usage=None, purpose=None))]
    fn allowed(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::url)] url: Text<'_>,
        agent: Agent<'_>,
        #[pyo3(from_py_with = arguments::usage)] usage: Option<String>,
        #[pyo3(from_py_with = arguments::purpose)] purpose: Option<String>,
    ) -> PyResult<bool> {
        let to = Use { usage, purpose };
        let (allowed, basis) = self.with(py, |source| {
            source.with_crawler(&agent, |crawler| {
                source.check_usage(&to)?;
                let verdict =
                    source.decide(crawler, &to, None, url.as_str()).map_err(|error| said(&error))?;
                Ok((verdict.is_allowed(), verdict.basis()))
            })?
        })?;
        if basis == Basis::NoUrl {
            warn_no_url(py, url.as_str())?;
        }
        Ok(allowed)
    }

    /// May this crawler use this URL in this way? `document` is the document of the site that
    /// answers.
    #[pyo3(signature = (url, agent, *, usage=None, purpose=None, document=None))]
    fn decide(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::url)] url: Text<'_>,
        agent: Agent<'_>,
        #[pyo3(from_py_with = arguments::usage)] usage: Option<String>,
        #[pyo3(from_py_with = arguments::purpose)] purpose: Option<String>,
        document: Option<String>,
    ) -> PyResult<Answer> {
        let source = self.source(py)?;
        let crawler = source.crawler(&agent)?;
        let document = other(document)?;
        let answer = Answer::new(
            source,
            crawler,
            agent.strings()?.join(","),
            Use { usage, purpose },
            document,
            url.as_str().to_owned(),
        )?;
        if answer.basis == Basis::NoUrl.name() {
            warn_no_url(py, url.as_str())?;
        }
        Ok(answer)
    }

    /// The verdicts for many URLs: for a list a list of strings, for a NumPy array an array of
    /// codes (indexes into `VERDICTS`), for an Arrow array a dictionary array, for a series a
    /// series.
    ///
    /// `agent` applies to all rows: one name, or the names of one crawler, best first. `agents` is
    /// a column with one agent for each row. With `nulls="keep"` a null row has a null answer;
    /// otherwise it is an error that names the row. `threads` is 0 for one per core.
    #[pyo3(
        signature = (
            urls, agent=None, *, agents=None, usage=None, purpose=None, threads=1, nulls="error".into()
        ),
        text_signature = "($self, urls, agent=None, *, agents=None, usage=None, purpose=None, threads=1, nulls='error')"
    )]
    #[expect(clippy::too_many_arguments, reason = "they are keywords")]
    fn decide_batch<'py>(
        &self,
        py: Python<'py>,
        urls: &Bound<'py, PyAny>,
        agent: Option<&Bound<'py, PyAny>>,
        agents: Option<&Bound<'py, PyAny>>,
        #[pyo3(from_py_with = arguments::usage)] usage: Option<String>,
        #[pyo3(from_py_with = arguments::purpose)] purpose: Option<String>,
        #[pyo3(from_py_with = arguments::threads)] threads: i64,
        #[pyo3(from_py_with = arguments::nulls)] nulls: String,
    ) -> PyResult<Bound<'py, PyAny>> {
        let columns = Columns { urls, agent, agents, to: Use { usage, purpose }, threads, nulls: &nulls };
        columns.ask(py, &*self.source(py)?)?.verdicts(py)
    }

    /// For each of many URLs, true if it is allowed without conditions: a list, a NumPy array, an
    /// Arrow array or a series of booleans; `agents`, `nulls` and `threads` as in `decide_batch`.
    #[pyo3(
        signature = (
            urls, agent=None, *, agents=None, usage=None, purpose=None, threads=1, nulls="error".into()
        ),
        text_signature = "($self, urls, agent=None, *, agents=None, usage=None, purpose=None, threads=1, nulls='error')"
    )]
    #[expect(clippy::too_many_arguments, reason = "they are keywords")]
    fn allowed_batch<'py>(
        &self,
        py: Python<'py>,
        urls: &Bound<'py, PyAny>,
        agent: Option<&Bound<'py, PyAny>>,
        agents: Option<&Bound<'py, PyAny>>,
        #[pyo3(from_py_with = arguments::usage)] usage: Option<String>,
        #[pyo3(from_py_with = arguments::purpose)] purpose: Option<String>,
        #[pyo3(from_py_with = arguments::threads)] threads: i64,
        #[pyo3(from_py_with = arguments::nulls)] nulls: String,
    ) -> PyResult<Bound<'py, PyAny>> {
        let columns = Columns { urls, agent, agents, to: Use { usage, purpose }, threads, nulls: &nulls };
        columns.ask(py, &*self.source(py)?)?.allowed(py)
    }

    /// The explanation: the text of `robomaton explain`.
    #[pyo3(signature = (url, agent, *, usage=None, purpose=None, document=None))]
    fn explain(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::url)] url: Text<'_>,
        agent: Agent<'_>,
        #[pyo3(from_py_with = arguments::usage)] usage: Option<String>,
        #[pyo3(from_py_with = arguments::purpose)] purpose: Option<String>,
        document: Option<String>,
    ) -> PyResult<String> {
        let source = self.source(py)?;
        let open = self.open(&source)?;
        let query = source.query(&agent, Use { usage, purpose })?;
        let document = other(document)?;
        let explanation = explain(&open.image, &query, document.as_deref(), url.as_str());
        text_of(&explanation.map_err(|error| said(&error))?)
    }

    /// The contents of the image for the site of a URL or host, as printed by `robomaton inspect
    /// --site --json`; None if the image does not have the site.
    fn site<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = arguments::url)] url: Text<'_>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let source = self.source(py)?;
        let open = self.open(&source)?;
        let now = open.image.terms().now.unwrap_or_else(time::now);
        let Some(site) = SiteInfo::find(&open.image, url.as_str(), now) else { return Ok(None) };
        let json = serde_json::to_string(&site).map_err(|error| said(&error))?;
        from_json(py, &json).map(Some)
    }

    /// The seconds between fetches that the site requests from the crawler by Crawl-delay, if any.
    fn crawl_delay(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::url)] url: Text<'_>,
        agent: Agent<'_>,
    ) -> PyResult<Option<f64>> {
        let source = self.source(py)?;
        let crawler = source.crawler(&agent)?;
        let site = self.open(&source)?.image.site(url.as_str());
        Ok(site.and_then(|site| site.crawl_delay(&crawler)))
    }

    /// The URLs of the site's sitemaps, in file order.
    fn sitemaps(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::url)] url: Text<'_>,
    ) -> PyResult<Vec<String>> {
        let source = self.source(py)?;
        let site = self.open(&source)?.image.site(url.as_str());
        Ok(site.map(|site| site.sitemaps()).unwrap_or_default())
    }

    /// The URL without the query parameters that the `Clean-param` records of its site name; the
    /// URL as it is if there are none.
    fn canonical_url(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::url)] url: Text<'_>,
    ) -> PyResult<String> {
        let source = self.source(py)?;
        let site = self.open(&source)?.image.site(url.as_str());
        Ok(site.map_or_else(|| url.as_str().to_owned(), |site| canonical_url(&site, url.as_str())))
    }

    /// Checks the whole image against the rules of its format, in time linear in its size; with
    /// `texts` the stored texts, too.
    #[pyo3(signature = (*, texts=false))]
    fn verify(&self, py: Python<'_>, texts: bool) -> PyResult<()> {
        let source = self.source(py)?;
        let image = &self.open(&source)?.image;
        let verified = py.detach(|| if texts { image.verify_with_texts() } else { image.verify() });
        verified.map_err(|error| image_error(py, Some(&self.path), &error))
    }
}

/// The names of layers that were left out, and the reasons.
pub(crate) fn named(left_out: &[LeftOut]) -> Vec<(String, String)> {
    left_out.iter().map(|LeftOut { name, error }| (name.clone(), error.clone())).collect()
}

/// An explanation as text.
pub(crate) fn text_of(explanation: &Explanation) -> PyResult<String> {
    let mut text = Vec::new();
    explanation.write(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
