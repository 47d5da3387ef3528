//! Shared code for testing every engine of the project.
//!
//! Text, image and verdict each have their own suite. This crate holds what they share, so that
//! tests, benches and fuzz targets import it instead of copying: the hand-worked cases
//! ([`mod@case`]) and the runner that puts them to an engine ([`suite`]), the engines ([`engines`])
//! and panels of engines that must agree ([`panel`]), the vectors of other projects ([`vectors`]),
//! the oracles ([`mod@oracle`] for RFC 9309, [`google`], [`acap`], [`modern`]), builders of random
//! ([`generate`]) and of hostile ([`hostile`]) files, sites whose answers are compared with one
//! another ([`relations`]), images to be damaged ([`damage`]), writers of the formats of captures
//! ([`mod@write`]), and the text of every stage ([`golden`]).
//!
//! Invariant: only the cases and the oracles decide what is right, and the oracles import no crate
//! of the project. This crate does not know how any engine works.

pub mod acap;
pub mod acap_files;
pub mod captures;
pub mod case;
pub mod damage;
pub mod engines;
pub mod generate;
pub mod golden;
pub mod google;
pub mod hostile;
mod map;
pub mod modern;
pub mod oracle;
pub mod panel;
pub mod regexes;
pub mod relations;
pub mod suite;
pub mod vectors;
pub mod write;

pub use map::{map, open, watch};

use std::path::PathBuf;
use std::str::FromStr;

/// The folder of this crate, which contains `cases` and `data`.
pub fn home() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The root of the workspace.
pub fn workspace() -> PathBuf {
    home().parent().expect("the workspace holds this crate").to_owned()
}

/// A number that the environment may set (`ROBOMATON_SEED`, `ROBOMATON_CASES`), to repeat, extend
/// or vary a run.
///
/// # Panics
/// If the variable is set to an invalid value.
pub fn setting<T: FromStr>(name: &str, default: T) -> T {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name}={text:?} is no such number")),
        Err(_) => default,
    }
}
