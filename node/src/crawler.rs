//! A crawler, resolved once for one image.
//!
//! Names have the same meaning as in the command: a string is one name, names separated by commas,
//! best first, or a whole `User-Agent` header; an array is a list of names. Invariant: a crawler is
//! used with the image that made it alone, since its numbers mean nothing elsewhere.

use crate::arguments::{Names, strings};
use crate::error::{Result, argument};
use napi::bindgen_prelude::Either;
use napi_derive::napi;
use robomaton_explain::{crawler_names, names};
use robomaton_runtime::{Crawler as Runtime, Image};

/// A crawler of one image.
#[napi]
pub struct Crawler {
    pub(crate) resolved: Runtime,
    /// The names as given; several are joined by commas.
    pub(crate) agent: String,
    /// The number of the image.
    pub(crate) image: u64,
}

impl Crawler {
    /// Resolves names for the image with this number.
    ///
    /// # Errors
    /// If a name names no crawler, or there is none.
    pub(crate) fn of(image: &Image, number: u64, given: &Names<'_>, named_only: bool) -> Result<Crawler> {
        let (agent, list) = match given {
            Either::A(one) => (one.clone(), names(one).into_iter().map(str::to_owned).collect()),
            Either::B(several) => {
                let list = strings(several, "names")?;
                (list.join(","), list)
            }
        };
        if list.is_empty() {
            return Err(argument("names", "an empty array names no crawler; '*' means any crawler"));
        }
        for name in &list {
            crawler_names(name, image.profile()).map_err(|error| argument("names", error))?;
        }
        let resolved = image.crawler(&list).named_only(named_only);
        Ok(Crawler { resolved, agent, image: number })
    }
}

#[napi]
impl Crawler {
    /// Its names as they are compared, best first.
    #[napi(getter)]
    pub fn names(&self) -> Vec<String> {
        self.resolved.names().to_vec()
    }

    /// True if only groups that name the crawler count.
    #[napi(getter)]
    pub fn named_only(&self) -> bool {
        self.resolved.is_named_only()
    }
}
