//! The usages with the same number in every image, and the special forms among them.
//!
//! Writer and reader share these names and numbers. The compiler knows what records may say about a
//! usage.

/// The number of the usage `crawl` in every image.
pub const CRAWL: u16 = 0;
/// The number of the usage `index` in every image.
pub const INDEX: u16 = 1;
/// The number of the usage `present`, the general form of every `present-*` (V28).
pub const PRESENT: u16 = 4;
/// The number of the usage `other`, which applies to usages that no field names (V29).
pub const OTHER: u16 = 5;

/// The usages with the same number in every image, in number order (P28, P29).
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

/// True if a usage is a special form of `present`, known or unknown (decision 18).
pub fn is_special(usage: &str) -> bool {
    usage.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("present-"))
}
