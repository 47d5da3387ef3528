//! robomaton for C and C++: opens an image and answers, as a shared and a static library.
//!
//! ```text
//!   C or C++ ──▶ boundary (pointers) ──▶ image, reasons, site (safe) ──▶ runtime ──▶ verdict
//! ```
//!
//! `abi` has the types that cross the boundary, `error` the codes and messages, `handle` the
//! objects that callers hold. `robomaton.h` is made from `abi`, `error` and `boundary` by cbindgen;
//! a test says whether it is current. Invariants: pointers are read and written in `boundary`
//! alone; no panic leaves it; there is no global state. Nothing is decided here.

mod abi;
pub mod boundary;
mod error;
mod handle;
mod image;
mod reasons;
mod site;

pub use abi::*;
pub use error::{RobomatonCode, RobomatonError};
