//! The objects behind the handles of callers, each with a mark by which its kind is told.
//!
//! A handle is the address of a [`Handle`]; `boundary` makes and follows it. A caller may confuse
//! handles, so the mark is read before anything else, and is erased when the object ends.

use crate::abi;
use crate::image::{Image, OwnedUsage, Resolved};
use crate::reasons::Reasons;
use crate::site::Site;
use robomaton_runtime::Crawler;

/// An object with its mark in front.
#[repr(C)]
pub(crate) struct Handle<T> {
    pub(crate) mark: u64,
    pub(crate) object: T,
}

/// A kind of handles: its name in C, its object, which threads share, and its mark.
pub(crate) trait Kind {
    type Object: Send + Sync;
    const MARK: u64;
    const NAME: &'static str;
}

impl Kind for abi::RobomatonImage {
    type Object = Image;
    const MARK: u64 = u64::from_le_bytes(*b"robimage");
    const NAME: &'static str = "RobomatonImage";
}

impl Kind for abi::RobomatonCrawler {
    type Object = Resolved<Crawler>;
    const MARK: u64 = u64::from_le_bytes(*b"robcrawl");
    const NAME: &'static str = "RobomatonCrawler";
}

impl Kind for abi::RobomatonUsage {
    type Object = Resolved<OwnedUsage>;
    const MARK: u64 = u64::from_le_bytes(*b"robusage");
    const NAME: &'static str = "RobomatonUsage";
}

impl Kind for abi::RobomatonReasons {
    type Object = Reasons;
    const MARK: u64 = u64::from_le_bytes(*b"robreasn");
    const NAME: &'static str = "RobomatonReasons";
}

impl Kind for abi::RobomatonSite {
    type Object = Site;
    const MARK: u64 = u64::from_le_bytes(*b"robasite");
    const NAME: &'static str = "RobomatonSite";
}
