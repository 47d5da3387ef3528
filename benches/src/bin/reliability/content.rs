//! A part of `reliability`.

use crate::Form;
use robomaton_benches::results::Results;

pub(crate) fn measure(_form: Form, _results: &mut Results) -> Result<(), String> {
    Err("not written".to_owned())
}
