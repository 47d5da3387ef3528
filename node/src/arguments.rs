//! Arguments from JavaScript that have several forms: options, and the names of a crawler.
//!
//! Invariant: an option with an unknown name is an error, since a misspelt one would change
//! answers unnoticed.

use crate::error::{Result, argument, other};
use napi::bindgen_prelude::{Array, Either, FromNapiValue, Object};
use robomaton_runtime::Decision;

/// An object with options, or nothing.
pub(crate) struct Options<'env>(Option<Object<'env>>);

impl<'env> Options<'env> {
    /// Reads an object whose keys are all `known`.
    ///
    /// # Errors
    /// If it has another key.
    pub(crate) fn of(object: Option<Object<'env>>, known: &[&str]) -> Result<Options<'env>> {
        if let Some(object) = &object {
            let keys = Object::keys(object).map_err(|error| argument("options", error.reason))?;
            if let Some(key) = keys.iter().find(|key| !known.contains(&key.as_str())) {
                let said = format!("unknown option {key:?}; the options are {}", known.join(", "));
                return Err(argument("options", said));
            }
        }
        Ok(Options(object))
    }

    /// An option, if it is given and not `undefined`.
    ///
    /// # Errors
    /// If it has another type.
    pub(crate) fn get<T: FromNapiValue>(&self, key: &str) -> Result<Option<T>> {
        let Some(object) = &self.0 else { return Ok(None) };
        object.get::<Option<T>>(key).map(Option::flatten).map_err(|error| argument(key, error.reason))
    }

    /// An option that is a whole number.
    ///
    /// # Errors
    /// If it is negative, has a fraction, or is too large to be exact.
    pub(crate) fn whole(&self, key: &str) -> Result<Option<u64>> {
        self.get::<f64>(key)?.map(|number| whole(key, number)).transpose()
    }

    /// An option that is a whole number, or `Infinity` for no limit, which is [`u64::MAX`].
    ///
    /// # Errors
    /// As for [`Options::whole`].
    pub(crate) fn limit(&self, key: &str) -> Result<Option<u64>> {
        let limit = |number| if number == f64::INFINITY { Ok(u64::MAX) } else { whole(key, number) };
        self.get::<f64>(key)?.map(limit).transpose()
    }

    /// An option that is `allow` or `deny`.
    ///
    /// # Errors
    /// If it is another word.
    pub(crate) fn permission(&self, key: &str) -> Result<Option<Decision>> {
        let Some(word) = self.get::<String>(key)? else { return Ok(None) };
        match word.as_str() {
            "allow" => Ok(Some(Decision::Allowed)),
            "deny" => Ok(Some(Decision::Disallowed)),
            _ => Err(argument(key, format!("expected 'allow' or 'deny', not {word:?}"))),
        }
    }
}

/// A whole number that is exact.
fn whole(key: &str, number: f64) -> Result<u64> {
    // The largest number up to which every whole number has a `double` of its own.
    const EXACT: f64 = 9_007_199_254_740_991.0;
    if number.fract() != 0.0 || !(0.0..=EXACT).contains(&number) {
        return Err(argument(key, format!("expected a whole number from 0, not {number}")));
    }
    Ok(number as u64)
}

/// The names of a crawler: a string, or an array of strings.
pub(crate) type Names<'env> = Either<String, Array<'env>>;

/// The strings of an array. Errors name the argument and the index.
///
/// # Errors
/// If an element is not a string.
pub(crate) fn strings(array: &Array<'_>, name: &str) -> Result<Vec<String>> {
    let string = |index: u32| {
        let element = array
            .get::<String>(index)
            .map_err(|error| argument(name, format!("[{index}]: {}", error.reason)))?;
        element.ok_or_else(|| argument(name, format!("[{index}]: expected a string")))
    };
    if array.len() > MOST {
        return Err(other(format!("{name}: more than {MOST} elements")));
    }
    (0..array.len()).map(string).collect()
}

/// The number of strings that an array may hold: an array with `length` set to four thousand
/// millions takes no memory in JavaScript.
const MOST: u32 = 1 << 27;
