//! The objects behind the handles of callers, each with a mark by which its kind is told.
//!
//! A handle is the address of a [`Handle`]; `boundary` makes and follows it. A caller may confuse
//! handles, so the mark is read before anything else, and is erased when the object ends. Objects
//! that belong together have the same [`Origin`].

use crate::abi;
use crate::image::{Image, Resolved};
use crate::reasons::Reasons;
use crate::site::Site;
use robomaton_runtime::{Crawler, Usage};
use std::sync::Arc;

/// The image from which a handle comes. While a handle lives, no other image has an equal origin.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origin(Arc<u8>);

impl PartialEq for Origin {
    #[inline]
    fn eq(&self, other: &Origin) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

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

/// A usage, with its purpose.
pub(crate) struct OwnedUsage {
    pub(crate) usage: Usage<'static>,
    pub(crate) purpose: Option<String>,
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
