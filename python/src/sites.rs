//! An iterator over the sites of an image.
//!
//! It keeps the image open, and follows the order of the image; a site is read when it is
//! requested.

use crate::answer::from_json;
use crate::error::said;
use crate::source::Source;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use robomaton_explain::{SiteInfo, time};
use self_cell::self_cell;
use std::sync::{Arc, Mutex, PoisonError};

type Rest<'a> = Box<dyn Iterator<Item = SiteInfo> + Send + 'a>;

self_cell! {
    /// An image and its remaining sites.
    struct Open {
        owner: Arc<Source>,
        #[not_covariant]
        dependent: Rest,
    }
}

/// The remaining sites of an image.
#[pyclass(frozen, module = "robomaton", name = "_Sites")]
pub(crate) struct Sites(Mutex<Open>);

impl Sites {
    /// All sites of an image.
    ///
    /// # Errors
    /// If it is a text.
    pub(crate) fn new(source: Arc<Source>) -> PyResult<Sites> {
        let open = Open::try_new(source, |source| match &**source {
            Source::Image(open) => {
                let now = open.image.terms().now.unwrap_or_else(time::now);
                Ok(Box::new(SiteInfo::all(&open.image, now)) as Rest<'_>)
            }
            Source::Text(_) => Err(PyTypeError::new_err("a text is one site")),
        })?;
        Ok(Sites(Mutex::new(open)))
    }
}

#[pymethods]
impl Sites {
    fn __iter__(slf: Py<Sites>) -> Py<Sites> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let site = {
            let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            open.borrow_owner().check(py)?;
            open.with_dependent_mut(|_, rest| rest.next())
        };
        let Some(site) = site else { return Ok(None) };
        let json = serde_json::to_string(&site).map_err(|error| said(&error))?;
        from_json(py, &json).map(Some)
    }
}
