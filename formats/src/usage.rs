//! The usages that have numbers in every image, and which of them are special forms.
//!
//! What a record may say of a usage is the compiler's matter; here are the names and numbers that
//! writer and reader share.

/// The number of the usage `crawl` in every image.
pub const CRAWL: u16 = 0;
/// The number of the usage `index` in every image.
pub const INDEX: u16 = 1;
/// The number of the usage `present`, the general form of every `present-*` (V28).
pub const PRESENT: u16 = 4;
/// The number of the usage `other`, which answers for usages that no field speaks of (V29).
pub const OTHER: u16 = 5;

/// The usages that have numbers in every image, in the order of their numbers (P28, P29).
pub const USAGES: [&str; 16] = [
    "crawl",
    "index",
    "follow",
    "preserve",
    "present",
    "other",
    "present-original",
    "present-currentcopy",
    "present-oldcopy",
    "present-snippet",
    "present-extract",
    "present-thumbnail",
    "present-oldsnippet",
    "present-oldextract",
    "present-oldthumbnail",
    "present-link",
];

/// Whether a usage is a special form of `present`; unknown ones are, too (decision 18).
pub fn is_special(usage: &str) -> bool {
    usage.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("present-"))
}
