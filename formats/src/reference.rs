//! References inside an image: typed offsets and numbers.
//!
//! An image refers to its parts by 32-bit words. Each kind of word has a type here, so the offset
//! of a list cannot be mistaken for that of a program, and words that hold more than an offset (a
//! set, a purpose) are encoded and decoded in one place. The types cost nothing: each is a number.
//! They are not checked against an image; [`crate::read::View`] does that on every use.

use crate::int::{index, low_byte, low_half};
use crate::usage;
use std::fmt;

macro_rules! reference {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(transparent)]
        pub struct $name(u32);

        impl $name {
            /// From the number in the image.
            #[inline(always)]
            pub const fn new(number: u32) -> $name {
                $name(number)
            }

            /// The number in the image.
            #[inline(always)]
            pub const fn get(self) -> u32 {
                self.0
            }

            /// The number as an index.
            #[inline(always)]
            pub const fn index(self) -> usize {
                index(self.0)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }

        impl fmt::LowerHex for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::LowerHex::fmt(&self.0, f)
            }
        }
    )*};
}

reference! {
    /// The offset of a program in the section `programs`, below 2³¹.
    ProgramAt;
    /// The offset of a list in the section `lists`, below 2³¹.
    ListAt;
    /// The offset of a policy in the section `policies`, below 2³⁰.
    PolicyAt;
    /// The offset of a scope in the section `scopes`.
    ScopeAt;
    /// The offset of a purpose in the section `purposes`.
    PurposeAt;
    /// The number of a usage in an image. Standard usages have the same number in every image.
    UsageId;
    /// The number of a crawler's name in an image.
    CrawlerId;
}

impl UsageId {
    /// The usage `crawl`.
    pub const CRAWL: UsageId = UsageId(usage::CRAWL as u32);
    /// The usage `index`.
    pub const INDEX: UsageId = UsageId(usage::INDEX as u32);
    /// The usage `present`, the general form of every `present-*`.
    pub const PRESENT: UsageId = UsageId(usage::PRESENT as u32);
    /// The usage `other`, which applies to usages that no field names.
    pub const OTHER: UsageId = UsageId(usage::OTHER as u32);
}

impl From<u16> for UsageId {
    #[inline(always)]
    fn from(number: u16) -> UsageId {
        UsageId(number.into())
    }
}

impl PurposeAt {
    /// Decodes the word of an entry: 0 means no purpose, any other value is the offset plus one.
    #[inline(always)]
    pub const fn from_raw(word: u32) -> Option<PurposeAt> {
        match word.checked_sub(1) {
            Some(at) => Some(PurposeAt(at)),
            None => None,
        }
    }

    /// The encoded word of an entry.
    pub const fn to_raw(purpose: Option<PurposeAt>) -> u32 {
        match purpose {
            Some(PurposeAt(at)) => at + 1,
            None => 0,
        }
    }
}

/// Bit of a set word: the rest is an offset in `lists`.
pub const SET_LIST: u32 = 1 << 31;

/// The target of a set word: the only program of a set, or a list of programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SetRef {
    /// A program for crawling.
    Program(ProgramAt),
    /// A list.
    List(ListAt),
}

impl SetRef {
    /// Decodes a set word. Every word is valid.
    #[inline(always)]
    pub const fn from_raw(word: u32) -> SetRef {
        if word & SET_LIST == 0 {
            SetRef::Program(ProgramAt(word))
        } else {
            SetRef::List(ListAt(word & !SET_LIST))
        }
    }

    /// The encoded set word.
    pub const fn to_raw(self) -> u32 {
        match self {
            SetRef::Program(at) => at.0,
            SetRef::List(at) => SET_LIST | at.0,
        }
    }

    /// The list, if the set has one.
    #[inline(always)]
    pub const fn list(self) -> Option<ListAt> {
        match self {
            SetRef::List(at) => Some(at),
            SetRef::Program(_) => None,
        }
    }
}

/// The id of a document: its layer and shard, and its number in the shard. Sites with the same id
/// have the same text; the same text may have different ids in different layers and shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct DocumentId(u64);

impl DocumentId {
    /// Combines a shard and a number in it.
    #[inline]
    pub const fn new(shard: u8, number: u32) -> DocumentId {
        DocumentId((shard as u64) << 32 | number as u64)
    }

    /// The shard.
    pub const fn shard(self) -> u8 {
        low_byte(self.0 >> 32)
    }

    /// The number in its shard.
    #[inline]
    pub const fn number(self) -> u32 {
        low_half(self.0)
    }

    /// The same document in a layer of a stack; 0 is the newest.
    #[must_use]
    pub const fn in_layer(self, layer: u8) -> DocumentId {
        DocumentId(self.0 & ((1 << 40) - 1) | (layer as u64) << 40)
    }

    /// The layer of a stack that holds it: 0 is the newest, and an image alone.
    pub const fn layer(self) -> u8 {
        low_byte(self.0 >> 40)
    }

    /// The id as one number, for tables and JSON.
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for DocumentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back() {
        for word in [0, 7, SET_LIST - 1, SET_LIST, SET_LIST | 7, u32::MAX] {
            assert_eq!(SetRef::from_raw(word).to_raw(), word);
            assert_eq!(SetRef::from_raw(word).list().is_some(), word >= SET_LIST);
            assert_eq!(PurposeAt::to_raw(PurposeAt::from_raw(word)), word);
        }
        let id = DocumentId::new(255, u32::MAX);
        assert_eq!((id.shard(), id.number(), id.get()), (255, u32::MAX, (1 << 40) - 1));
        assert_eq!((id.layer(), id.in_layer(0)), (0, id));
        let older = id.in_layer(63);
        assert_eq!((older.layer(), older.shard(), older.number()), (63, 255, u32::MAX));
        assert_eq!(older.in_layer(0), id);
    }
}
