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

/// The number of the first usage that ACAP does not know. The languages of `preference` speak of
/// these.
pub const TRANSLATE: u16 = 16;
/// The number of the usage `search`: a page in the answers of a search engine.
pub const SEARCH: u16 = 17;
/// The number of the usage `ai-train`: training of generative models.
pub const AI_TRAIN: u16 = 18;
/// The number of the usage `ai-input`: a page as input of a model that answers a question.
pub const AI_INPUT: u16 = 19;
/// The number of the usage `ai-index`: an index from which models draw.
pub const AI_INDEX: u16 = 20;
/// The number of the usage `ai-all`, which covers every `ai-*`.
pub const AI_ALL: u16 = 21;
/// The number of the usage `tdm`: text and data mining.
pub const TDM: u16 = 22;
/// The number of the usage `all`: any automated processing but fetching and mining.
pub const ALL: u16 = 23;
/// The number of the usage `follow`.
pub const FOLLOW: u16 = 2;
/// The number of the usage `preserve`.
pub const PRESERVE: u16 = 3;
/// The number of the usage `present-currentcopy`.
pub const PRESENT_CURRENTCOPY: u16 = 7;
/// The number of the usage `present-oldcopy`.
pub const PRESENT_OLDCOPY: u16 = 8;
/// The number of the usage `present-oldsnippet`.
pub const PRESENT_OLDSNIPPET: u16 = 12;
/// The number of the usage `present-snippet`.
pub const PRESENT_SNIPPET: u16 = 9;
/// The number of the usage `present-thumbnail`.
pub const PRESENT_THUMBNAIL: u16 = 11;
/// The number of the usage `present-video`.
pub const PRESENT_VIDEO: u16 = 24;

/// The usages with the same number in every image, in number order (P28, P29; the others are those
/// of the languages in `preference`).
pub const USAGES: [&str; 25] = [
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
    "translate",
    "search",
    "ai-train",
    "ai-input",
    "ai-index",
    "ai-all",
    "tdm",
    "all",
    "present-video",
];

/// A usage and those that it covers ([`parts`]).
pub fn with_parts(usage: u16) -> impl Iterator<Item = u16> {
    std::iter::once(usage).chain(parts(usage).iter().copied())
}

/// The usages that a usage covers, itself excluded. A statement about a usage speaks of these, too;
/// a question about it is answered by all of them together.
pub const fn parts(usage: u16) -> &'static [u16] {
    match usage {
        SEARCH => &[INDEX],
        AI_ALL => &[AI_TRAIN, AI_INPUT, AI_INDEX],
        TDM => &[AI_TRAIN],
        ALL => &[SEARCH, INDEX, AI_ALL, AI_TRAIN, AI_INPUT, AI_INDEX],
        PRESENT => &[6, 7, 8, 9, 10, 11, 12, 13, 14, 15, PRESENT_VIDEO],
        _ => &[],
    }
}

/// The standard usage whose statements speak of the usage with this number in an image: its own, or
/// `other` for one that no document defines.
pub fn stated_as(usage: u32) -> u16 {
    u16::try_from(usage).ok().filter(|&usage| usize::from(usage) < USAGES.len()).unwrap_or(OTHER)
}

/// True for usages on which silence never permits: those of models and of mining, and `all`.
pub const fn needs_permission(usage: u16) -> bool {
    matches!(usage, AI_TRAIN | AI_INPUT | AI_INDEX | AI_ALL | TDM | ALL)
}

/// True if a usage is a special form of `present`, known or unknown (decision 18).
pub fn is_special(usage: &str) -> bool {
    usage.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("present-"))
}
