//! Every rule of validity (I1 to I18): an image that breaks it is refused, by its number.
//!
//! Each test changes contents made by hand, or the bytes of their image, and keeps the checksums
//! valid, so that only the rule at hand can fail.

mod contents;

use contents::*;

use robomaton_formats::layout::{HEAD, NONE, Section};

use robomaton_formats::policy::{self, Policy, ScopedView, encode_list, is_scoped};
use robomaton_formats::preference::{Carrier, Kind, Language, Tag};
use robomaton_formats::program::{self, NODE_EXTRA, NODE_QUEUE, PADDING};
use robomaton_formats::read::Layout;

use robomaton_formats::usage::AI_TRAIN;
use robomaton_formats::verify::{verify, verify_with_texts};
use robomaton_formats::write::{Contents, write};
use robomaton_formats::{
    CrawlerId, ImageError, ListAt, Outcome, PolicyAt, Profile, ProgramAt, ScopeAt, SetRef, SiteEntry, UsageId,
};

/// Writes an image, changes it while keeping its checksums valid, and returns the rule that
/// `verify` reports as broken.
fn broken(
    change: impl Fn(&mut Contents),
    bytes: impl Fn(&mut [u8], &dyn Fn(Section) -> usize),
) -> Option<u8> {
    let mut contents =
        contents(vec![site("a.example", 0), site("https://a.example", 8), site("b.example", 1)]);
    change(&mut contents);
    let mut image = write(&contents).expect("contents fit");
    let layout = Layout::parse(&image).expect("a whole image");
    bytes(&mut image, &|section| layout.range(section).start);
    for section in Section::ALL {
        let sum = xxhash_rust::xxh3::xxh3_64(&image[layout.range(section)]);
        image[40 + 24 * section as usize + 16..][..8].copy_from_slice(&sum.to_le_bytes());
    }
    sum_head(&mut image);
    rule(&image)
}

/// The same with scoped sets, for changes to the contents. Also returns the message of `verify`.
fn broken_scoped(change: &dyn Fn(&mut Contents)) -> Option<(u8, String)> {
    let mut contents = scoped(vec![site("a.example", 0)]);
    change(&mut contents);
    match verify(&write(&contents).expect("contents fit")).err()? {
        ImageError::Damaged { rule, what, .. } => Some((rule, what)),
        error => panic!("{error}"),
    }
}

/// Section 2: the hash of header and section table, with its own field zero.
fn sum_head(image: &mut [u8]) {
    image[32..40].fill(0);
    let sum = xxhash_rust::xxh3::xxh3_64(&image[..HEAD]);
    image[32..40].copy_from_slice(&sum.to_le_bytes());
}

fn rule(image: &[u8]) -> Option<u8> {
    match verify(image).err()? {
        ImageError::Magic => Some(1),
        ImageError::Version { .. } => Some(2),
        ImageError::Length { .. } => Some(3),
        ImageError::Damaged { rule, at, .. } => {
            assert!(at as usize <= image.len());
            Some(rule)
        }
        _ => None,
    }
}

#[test]
fn rules_of_the_head() {
    let whole = write(&contents(vec![site("a.example", 0)])).unwrap();
    assert_eq!(rule(&whole), None);
    // The rule, the offset, the new byte, and true if the checksum is recomputed.
    for (expected, at, byte, sum) in [
        (1, 7, 0, true),
        (2, 8, 2, true),
        (3, 16, 0, true),
        (4, 13, 13, true),
        (4, 12, 9, true),
        (4, 14, 1, true),
        (4, 24, 1, false),
        (5, 40, 1, true),
        (5, 48, 1, true),
        (5, 55, 1, true),
        (7, 56, 0, true),
    ] {
        let mut image = whole.clone();
        assert_ne!(image[at], byte);
        image[at] = byte;
        if sum {
            sum_head(&mut image);
        }
        assert_eq!(rule(&image), Some(expected), "byte {at}");
    }
    // One site is in one of two shards.
    let rules = [0, 1].map(|shard| {
        let mut image = whole.clone();
        image[14..16].copy_from_slice(&[shard, 1]);
        sum_head(&mut image);
        rule(&image)
    });
    assert!(matches!(rules, [None, Some(11)] | [Some(11), None]), "{rules:?}");
    assert_eq!(rule(&[]), Some(1));
    assert_eq!(rule(&whole[..8]), Some(3));
    assert_eq!(rule(&whole[..whole.len() - 1]), Some(3));
    assert_eq!(rule(&[&whole[..], b"\0"].concat()), Some(3));
}

#[test]
fn rules_of_the_sections() {
    use Section::*;
    type Place<'p> = &'p dyn Fn(Section) -> usize;
    let same = |_: &mut Contents| ();
    let kept = |_: &mut [u8], _: Place<'_>| ();
    let of_contents = |change: fn(&mut Contents)| broken(change, kept);
    let of_bytes = |change: fn(&mut [u8], Place<'_>)| broken(same, change);
    assert_eq!(of_contents(|_| ()), None);
    assert_eq!(of_bytes(|image, _| image[HEAD] = 1), Some(6));
    assert_eq!(of_contents(|c| c.frame.crawlers.reverse()), Some(8));
    assert_eq!(of_contents(|c| c.frame.usages.reverse()), Some(9));
    assert_eq!(of_contents(|c| c.frame.usages[0].push('\r')), Some(9));
    assert_eq!(of_contents(|c| c.frame.usages.push("Index".to_owned())), Some(9));
    assert_eq!(of_contents(|c| c.sites.reverse()), Some(11));
    // The number of the first site, and the bytes behind the names.
    for at_byte in [9, 127] {
        assert_eq!(broken(same, |image, at| image[at(Hosts) + at_byte] = 1), Some(10), "byte {at_byte}");
    }
    assert_eq!(of_bytes(|image, at| image[at(Hosts)] = 0), Some(10));
    assert_eq!(of_bytes(|image, at| image[at(Hosts) + 16] = 0xFF), Some(10));
    // A head without a scheme, an empty name, a name that is too long for a bucket, one beyond it,
    // one that takes a byte of the next, another letter.
    assert_eq!(of_bytes(|image, at| image[at(Hosts) + 25] |= 3), Some(10));
    assert_eq!(of_bytes(|image, at| image[at(Hosts) + 25] &= 3), Some(10));
    assert_eq!(of_bytes(|image, at| image[at(Hosts) + 25] |= 63 << 2), Some(10));
    assert_eq!(of_bytes(|image, at| image[at(Hosts) + 25..][..2].fill(0xFD)), Some(10));
    assert_eq!(of_bytes(|image, at| image[at(Hosts) + 25] += 4), Some(11));
    assert_eq!(of_bytes(|image, at| image[at(Hosts) + 28] ^= 1), Some(11));
    assert_eq!(of_bytes(|image, at| image[at(Hosts)] ^= 0x80), Some(11));
    assert_eq!(of_bytes(|image, at| image[at(Hosts) + 8] = 1), Some(11));
    // A free place, a place that occurs twice, a place outside all buckets.
    assert_eq!(of_bytes(|image, at| image[at(Order)] = 7), Some(11));
    assert_eq!(of_bytes(|image, at| image[at(Order) + 4] = image[at(Order)]), Some(11));
    assert_eq!(of_bytes(|image, at| image[at(Order) + 3] = 1), Some(11));
    assert_eq!(of_contents(|c| drop(c.frame.crawlers.pop())), Some(12));
    assert_eq!(of_contents(|c| c.policies.truncate(c.policies.len() - 1)), Some(12));
    assert_eq!(of_bytes(|image, at| image[at(Policies) + 3] = 1), Some(12));
    assert_eq!(of_bytes(|image, at| image[at(Policies) + 7] = 2), Some(12));
    assert_eq!(of_contents(|c| c.lists.truncate(c.lists.len() - 1)), Some(13));
    assert_eq!(of_bytes(|image, at| image[at(Lists) + 2] = 200), Some(13));
    assert_eq!(of_bytes(|image, at| image[at(Lists) + 4] = 1), Some(13));
    assert_eq!(of_contents(|c| drop(c.frame.usages.remove(9))), Some(9));
    assert_eq!(of_bytes(|image, at| image[at(Programs) + 1] |= 7 << 5), Some(14));
    assert_eq!(
        of_contents(|c| c.sites[0].entry = SiteEntry::Policy(PolicyAt::new(c.policies.len() as u32))),
        Some(12)
    );
    assert_eq!(
        of_contents(
            |c| c.sites[0].entry = SiteEntry::Program(ProgramAt::new((c.programs.len() + PADDING) as u32))
        ),
        Some(14)
    );
    assert_eq!(of_bytes(|image, at| image[at(Programs)] |= 0x80), Some(14));
    assert_eq!(of_bytes(|image, at| image[at(Programs)] |= 1 << 3), Some(14));
    assert_eq!(of_contents(|c| c.sites[0].document = Some(2)), Some(15));
    assert_eq!(of_contents(|c| c.sites[0].document = None), Some(15));
    assert_eq!(of_contents(|c| c.sites[1].status += 1), Some(15));
    // The details of the second document in the place of those of the first.
    assert_eq!(of_bytes(|image, at| image[at(Documents) + 24..][..8].fill(0)), Some(16));
    assert_eq!(of_contents(|c| c.documents[0].detail[0] = 99), Some(16));
    assert_eq!(of_contents(|c| c.documents[0].detail.push(0)), Some(16));
    assert_eq!(of_contents(|c| c.documents[0].source[0] = 0), Some(16));
    assert_eq!(of_contents(|c| c.documents[0].source.push(0)), Some(16));
    // A frame that states another size remains valid until it is decompressed.
    assert_eq!(of_contents(|c| c.documents[0].source[5] += 1), None);
    // A generator string shorter by one: the rest still decodes, and leaves one byte over.
    assert_eq!(of_bytes(|image, at| image[at(Meta)] -= 1), Some(16));
}

#[test]
fn texts_are_what_their_frames_state() {
    let text = |change: fn(&mut Vec<u8>)| {
        let mut contents = contents(vec![site("a.example", 0)]);
        change(&mut contents.documents[0].source);
        match verify_with_texts(&write(&contents).expect("contents fit")) {
            Err(ImageError::Damaged { rule, .. }) => Some(rule),
            other => other.err().map(|error| panic!("{error}")),
        }
    };
    assert_eq!(text(|_| ()), None);
    assert_eq!(text(|frame| frame[5] += 1), Some(18));
    assert_eq!(text(|frame| frame[5] -= 1), Some(18));
    assert_eq!(text(|frame| frame.push(0)), Some(16));
}

/// Codes of long names stand elsewhere, end to end; no others do.
#[test]
fn long_names_are_elsewhere() {
    use Section::{Hosts, Names};
    let long = |host: &str| site(&format!("https://{}.{host}", ["q0"; 40].join(".")), 0);
    type Place<'p> = &'p dyn Fn(Section) -> usize;
    let broken = |turn: fn(&mut [u8], Place<'_>)| broken(|c| *c = contents(vec![long("a"), long("b")]), turn);
    assert_eq!(broken(|_, _| ()), None);
    // The offset of a name, and its length.
    assert_eq!(broken(|image, at| image[at(Hosts) + 24] ^= 1), Some(10));
    assert_eq!(broken(|image, at| image[at(Hosts) + 27] = 1), Some(10));
    assert_eq!(broken(|image, at| image[at(Names)] += 1), Some(11));
    assert_eq!(broken(|image, at| image[at(Names)] = 62), Some(10));
    assert_eq!(broken(|image, at| image[at(Names) + 1] = 0), Some(10));
    assert_eq!(broken(|image, at| image[at(Names) + 1] = b'r'), Some(11));
}

/// A missing mark hides a site; a needless one costs probes.
#[test]
fn overflow_is_marked_where_a_site_passed() {
    for mark in [0, 1] {
        for last in [false, true] {
            let turn = |image: &mut [u8], at: &dyn Fn(Section) -> usize| {
                let bits = (at(Section::Hosts)..at(Section::Names) - 127).step_by(128);
                let bits = bits.flat_map(|bucket| (0..8).map(move |bit| (bucket + 8, bit)));
                let mut such = bits.filter(|&(at, bit)| image[at] >> bit & 1 == mark);
                let (at, bit) = if last { such.next_back() } else { such.next() }.expect("such a bit");
                image[at] ^= 1 << bit;
            };
            assert_eq!(broken(|c| *c = contents(many()), turn), Some(11), "mark {mark}");
        }
    }
}

#[test]
fn rules_of_programs() {
    // The fields of the second program of `contents`.
    const LAST: usize = 6;
    const SINGLE: usize = 22;
    const LOG: usize = 38;
    const PAIRS: usize = 39;
    const STATES: usize = 55;
    const QUEUES: usize = 56;
    const STEPS: usize = 57;
    const HIGHEST: usize = 58;
    const NUMBER: usize = 65;
    const LIST: usize = 66;
    const ROOT: usize = 67;
    const OFFSET: usize = 71;
    const NODE: usize = 74;
    const STEP: usize = 75;
    const TAG: usize = 76;
    const QUEUED: usize = 78;
    const QUEUE: usize = 79;
    const LISTED: usize = 80;
    const END: usize = 82;
    let of = |change: &dyn Fn(&mut [u8])| {
        broken(|_| (), |image, at| change(&mut image[at(Section::Programs)..][..END + PADDING]))
    };
    let whole = contents(Vec::new()).programs;
    assert_eq!((whole.len(), whole[HIGHEST], whole[TAG], whole[NODE]), (END, 7, 7, NODE_EXTRA));
    assert_eq!(of(&|_| ()), None);
    assert_eq!(of(&|p| (p[HIGHEST], p[TAG]) = (8, 8)), None);
    for highest in [0, 6, 8] {
        assert_eq!(of(&|p| p[HIGHEST] = highest), Some(14), "highest {highest}");
    }
    // One bit more, one less: `a` is bit 1 of byte 12.
    for filter in [LAST, SINGLE, PAIRS] {
        for (at, bit) in [(0, 0), (12, 1), (15, 7)] {
            assert_eq!(of(&|p| p[filter + at] ^= 1 << bit), Some(14), "byte {at} of the filter at {filter}");
        }
    }
    // More bits than the pairs need, and numbers of bits outside the permitted range.
    let log = |log: u8, bits| {
        broken(|c| drop(c.programs.splice(LOG..STATES, [vec![log], vec![0; bits]].concat())), |_, _| ())
    };
    assert_eq!([log(7, 16), log(8, 32), log(6, 8), log(20, 1 << 17)], [None, Some(14), Some(14), Some(14)]);
    // Nodes of segments with priorities or queues that do not exist, a root with steps.
    for (at, form) in [(ROOT, NODE_QUEUE), (ROOT, 2), (ROOT, 2 << 2), (ROOT, NODE_EXTRA)] {
        assert_eq!(of(&|p| p[at] |= form), Some(14), "byte {at}");
    }
    for (at, form) in [(NODE, NODE_QUEUE), (NODE, 2), (QUEUED, 2), (QUEUED, 1 << 2)] {
        assert_eq!(of(&|p| p[at] |= form), Some(14), "byte {at}");
    }
    // A gap before the first child, included in the length of the segments.
    let gap = |c: &mut Contents| {
        c.programs.splice(OFFSET..OFFSET + 2, [1, 5, 0]);
        c.programs[ROOT - 7] += 1;
    };
    assert_eq!(broken(gap, |_, _| ()), Some(14));
    // One child for two bytes.
    assert_eq!(of(&|p| p[OFFSET + 1] = 0), Some(14));
    // Rank 0: at a step, with a matching `highest`, and at a node of literals.
    assert_eq!(of(&|p| (p[HIGHEST], p[TAG]) = (1, 1)), Some(14));
    let node = |priority| {
        broken(|c| c.programs[1..5].copy_from_slice(&[program::PRIORITY_EXPLICIT, priority, 0, 0]), |_, _| ())
    };
    assert_eq!([node(1), node(2)], [Some(14), None]);
    // Counts; the state of the prefix; the queue of the segment; the state or queue that steps wait
    // for, whether they lead on, and whether another follows.
    for (at, count) in [(STATES, 1), (QUEUES, 1), (STEPS, 2)] {
        let other = [count - 1, count + 1];
        assert_eq!(other.map(|count| of(&|p| p[at] = count)), [Some(14); 2], "count at {at}");
    }
    for at in [NUMBER, LIST] {
        assert_eq!([0, 2].map(|part| of(&|p| p[at] = part)), [Some(14); 2], "state at {at}");
    }
    assert_eq!(of(&|p| p[NUMBER..=LIST].fill(0)), Some(14));
    assert_eq!(of(&|p| p[QUEUE] = 1), Some(14));
    for at in [STEP, LISTED] {
        for bits in [0x20, program::STEP_STATE, program::STEP_LIST, program::STEP_MORE] {
            assert_eq!(of(&|p| p[at] |= bits), Some(14), "step at {at}, {bits}");
        }
    }
    for at in [END, END + PADDING - 1] {
        assert_eq!(of(&|p| p[at] = 1), Some(14), "padding {at}");
    }
    // A number may be longer than necessary, but not larger than 32 bits.
    let states = |last| broken(|c| drop(c.programs.splice(STATES..=STATES, long(1, last))), |_, _| ());
    assert_eq!([states(0), states(0x10), states(0x80)], [None, Some(14), Some(14)]);
    let crawlers = |last| broken(|c| drop(c.policies.splice(1..2, long(2, last))), |_, _| ());
    assert_eq!([crawlers(0), crawlers(0x10)], [None, Some(12)]);
}

/// I8: names that overlap would make their checks take longer than time linear in the image.
#[test]
fn names_of_crawlers_lie_end_to_end() {
    let put = |change: fn(&mut [u8], usize)| {
        broken(|_| (), move |bytes, start| change(bytes, start(Section::Crawlers)))
    };
    assert_eq!(put(|_, _| ()), None);
    // The first name begins late, the second early, and the first ends early.
    assert_eq!(put(|bytes, at| bytes[at] += 1), Some(8));
    assert_eq!(put(|bytes, at| bytes[at + 8] -= 1), Some(8));
    assert_eq!(put(|bytes, at| bytes[at + 4] -= 1), Some(8));
    let last = |bytes: &mut [u8], start: &dyn Fn(Section) -> usize| {
        let (names, sections) = (start(Section::Crawlers), start(Section::CrawlerNames));
        let count = contents(Vec::new()).frame.crawlers.len();
        assert!(count > 1 && names < sections);
        bytes[names + 8 * (count - 1) + 4] -= 1;
    };
    assert_eq!(broken(|_| (), last), Some(8));
}

/// I13: a purpose is compared once for each entry.
#[test]
fn purposes_are_short() {
    let with = |length: usize| {
        broken_scoped(&move |c| {
            let low = (length & 0x7f) as u8 | 0x80;
            let purpose = [&[low, (length >> 7) as u8][..], &vec![b'x'; length]].concat();
            let at = c.purposes.len() as u32 + 1;
            c.purposes.extend_from_slice(&purpose);
            // The purpose of the first entry of the list behind the ranked one.
            let entry = 2 + 3 * 8 + 12 + 4;
            c.lists[entry..entry + 4].copy_from_slice(&at.to_le_bytes());
        })
    };
    assert_eq!(with(1024), None);
    assert_eq!(with(1025).map(|(rule, _)| rule), Some(13));
}

/// A number encoded in five bytes.
fn long(low: u8, last: u8) -> [u8; 5] {
    [low | 0x80, 0x80, 0x80, 0x80, last]
}

/// I13, I14 and I17 for scoped sets.
#[test]
fn rules_of_scoped_sets() {
    /// Writes a number into a section.
    fn put(section: &mut [u8], at: usize, value: u32) {
        section[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
    // The offsets of the first scoped program, the lists, and the scope.
    const PROGRAM: usize = 82;
    const RANKED: usize = 0;
    const REST: usize = 2 + 3 * 8;
    const OWN: usize = REST + 12 + 2 * 16;
    const END: usize = OWN + 12 + 3 * 16;
    const SCOPE: usize = 3;
    const STARTS: usize = SCOPE + 12;
    const RUNS: usize = STARTS + 5 * 4;
    const RULES: usize = RUNS + 3 * 8;
    const FIRSTS: usize = RULES + 2 * 4;
    const TAGS: usize = FIRSTS + 3 * 4;
    const SCOPE_END: usize = TAGS + 3 * 4;
    let field = |list: usize, entry: usize, field: usize| list + 12 + 16 * entry + 4 * field;
    let whole = scoped(Vec::new());
    assert_eq!((whole.lists.len(), whole.scopes.len()), (END, SCOPE_END));
    let view = ScopedView::read(&whole.lists[OWN..]).expect("a whole list");
    assert!(is_scoped(&whole.lists[OWN..]) && !is_scoped(&whole.lists[RANKED..]) && view.own && view.permits);
    assert_eq!(
        (view.rest, view.scope, view.len()),
        (Some(ListAt::new(REST as u32)), ScopeAt::new(SCOPE as u32), 3)
    );
    assert_eq!(broken_scoped(&|_| ()), None);
    type Change<'c> = &'c dyn Fn(&mut Contents);
    let check = |rule: u8, what: &str, changes: &[Change<'_>]| {
        for (number, change) in changes.iter().enumerate() {
            let found = broken_scoped(change).unwrap_or_else(|| panic!("change {number}, {what:?}: valid"));
            assert!(
                found.0 == rule && found.1.contains(what),
                "change {number}: {found:?}, not {rule}, {what:?}"
            );
        }
    };
    check(
        13,
        "a scoped list is cut off",
        &[
            &|c| c.lists.truncate(END - 1),
            &|c| c.lists[OWN] = 4,
            &|c| c.lists[OWN + 2] |= 1 << 4,
            &|c| c.lists[REST + 2] |= 1 << 7,
            &|c| c.lists[OWN + 3] = 1,
            &|c| put(&mut c.lists, OWN + 8, END as u32),
            &|c| put(&mut c.lists, OWN + 8, NONE - 1),
            // A reference to a ranked list.
            &|c| put(&mut c.lists, OWN + 8, RANKED as u32),
        ],
    );
    check(
        13,
        "unknown role",
        &[
            &|c| put(&mut c.lists, field(OWN, 2, 3), 6),
            // A role before format version 4.
            &|c| put(&mut c.lists, field(OWN, 2, 3), 3),
            &|c| put(&mut c.lists, field(REST, 0, 3), u32::MAX),
        ],
    );
    check(
        13,
        "usage that does not exist",
        &[&|c| put(&mut c.lists, field(OWN, 1, 0), 200), &|c| put(&mut c.lists, field(REST, 1, 0), 1 << 16)],
    );
    check(
        13,
        "purpose that does not exist",
        &[
            &|c| put(&mut c.lists, field(OWN, 1, 1), 8),
            &|c| put(&mut c.lists, field(REST, 1, 1), u32::MAX),
            &|c| c.purposes.truncate(6),
            &|c| c.purposes[2] = 5,
        ],
    );
    // A rest that refers to a further list, or to itself.
    check(
        13,
        "leads to another",
        &[&|c| put(&mut c.lists, REST + 8, OWN as u32), &|c| put(&mut c.lists, REST + 8, REST as u32)],
    );
    check(13, "has a tag", &[&|c| c.lists[RANKED + 4] = 1]);
    check(13, "out of order", &[&|c| c.lists[RANKED + 2] = 24]);
    check(13, "another scope", &[&|c| put(&mut c.lists, REST + 4, 0), &|c| put(&mut c.lists, OWN + 4, 0)]);
    check(
        14,
        "weighed in another way",
        &[
            // A ranked program in a scoped list; a scoped one as a set word and in a ranked list.
            &|c| put(&mut c.lists, field(OWN, 0, 2), 0),
            &|c| c.programs[PROGRAM] &= !program::FRONT_SCOPED,
            &|c| c.programs[0] |= program::FRONT_SCOPED,
            &|c| put(&mut c.lists, RANKED + 2 + 4, PROGRAM as u32),
            &|c| {
                let end = c.policies.len();
                put(&mut c.policies, end - 8, PROGRAM as u32);
            },
        ],
    );
    check(
        14,
        "begins inside another",
        // The first program becomes longer by a byte.
        &[&|c| c.programs[4..6].copy_from_slice(&[program::PRIORITY_EXPLICIT, 2])],
    );
    // The last program loses its last node; the padding stands for one without a priority.
    check(14, "runs into the padding", &[&|c| c.programs.truncate(c.programs.len() - 2)]);
    check(14, "reserved bits", &[&|c| c.programs[PROGRAM] |= 1 << 5, &|c| c.programs[PROGRAM] |= 1 << 6]);
    check(14, "front of a program", &[&|c| c.programs[PROGRAM] |= 4]);
    check(14, "rank 0", &[&|c| c.programs[PROGRAM + 5] = 1]);
    check(
        17,
        "a scope",
        &[
            &|c| c.scopes.truncate(SCOPE_END - 1),
            &|c| c.scopes.clear(),
            &|c| [REST, OWN].into_iter().for_each(|list| put(&mut c.lists, list + 4, SCOPE_END as u32)),
            // Too many patterns or rules; starts that do not begin with 0, descend, or end beyond
            // the section.
            &|c| put(&mut c.scopes, SCOPE, 1 << 16),
            &|c| put(&mut c.scopes, SCOPE + 4, 1 << 17),
            &|c| put(&mut c.scopes, STARTS, 1),
            &|c| put(&mut c.scopes, STARTS + 8, 1),
            &|c| put(&mut c.scopes, STARTS + 16, 5),
            // A run that contains its pattern, is empty, ends outside, or overlaps the previous
            // one.
            &|c| put(&mut c.scopes, RUNS, 0),
            &|c| put(&mut c.scopes, RUNS + 4, 1),
            &|c| put(&mut c.scopes, RUNS + 12, 5),
            &|c| put(&mut c.scopes, RUNS + 8, 1),
            &|c| put(&mut c.scopes, RUNS + 16, 2),
            // A rule with a pattern that does not exist.
            &|c| put(&mut c.scopes, RULES + 4, 4),
            // Priority sets: too many, out of order, priorities without a sense.
            &|c| put(&mut c.scopes, SCOPE + 8, u32::MAX),
            &|c| put(&mut c.scopes, FIRSTS, 1),
            &|c| put(&mut c.scopes, FIRSTS + 4, 4),
            &|c| put(&mut c.scopes, FIRSTS + 8, 4),
            &|c| put(&mut c.scopes, TAGS, 16),
            &|c| put(&mut c.scopes, TAGS + 8, 7),
        ],
    );
}

/// Section 5: a site without rules may have a policy, which states the outcome.
#[test]
fn any_outcome_may_have_a_policy() {
    let given = |outcome: u8, status: u16| {
        let mut contents = contents(vec![site("a.example", 0)]);
        contents.sites[0].status = 404;
        contents.policies = [&[1 << 4, outcome], &status.to_le_bytes()[..], &contents.policies].concat();
        contents.policies[0] |= contents.policies.remove(4);
        rule(&write(&contents).expect("contents fit"))
    };
    for outcome in &Outcome::ALL[1..] {
        assert_eq!([given(*outcome as u8, 404), given(*outcome as u8, 403)], [None, Some(15)]);
    }
    assert_eq!([given(Outcome::Rules as u8, 404), given(9, 404)], [Some(12); 2]);
}

/// Section 7: invalid values in a detail.
#[test]
fn numbers_of_details() {
    let detail =
        |bytes: &[u8]| broken_scoped(&|c| c.documents[1].detail = bytes.into()).map(|(rule, _)| rule);
    // One group: role, crawlers, default, purposes, incomplete, file, notation, rules, extensions,
    // schedule.
    let group = |role, notation, schedule: &[u8]| {
        detail(&[&[1, role, 0, 1, 0, 0, 0, notation, 0, 0], schedule, &[0, 0, 0, 0, 0, 0]].concat())
    };
    assert_eq!([group(4, 3, &[0]), group(5, 3, &[0]), group(4, 4, &[0])], [None, None, Some(16)]);
    assert_eq!([group(3, 3, &[0]), group(6, 3, &[0])], [Some(16); 2]);
    // Delays, one rate, visits, comments.
    let rate = |rate: &[u8]| group(0, 0, &[&[1, 0, 1], rate, &[0, 0]].concat());
    assert_eq!([rate(&[1, 60, 0]), rate(&[0, 60, 0]), rate(&[1, 0, 0])], [None, Some(16), Some(16)]);
    let window = |window: &[u8]| rate(&[&[1, 60, 1], window].concat());
    let [day, late, long] = [[0, 0xA0, 0x0B], [0xA0, 0x0B, 0], [0, 0xA1, 0x0B]];
    assert_eq!([window(&day), window(&late), window(&long)], [None, Some(16), Some(16)]);
    let conditions = |bytes: &[u8]| detail(&[&[0, 0, 0, 1, 1], bytes, &[0, 0, 0]].concat());
    assert_eq!([conditions(&[6]), conditions(&[9, 0, 0]), conditions(&[100])], [None, None, Some(16)]);
}

/// Section 5: policies of preferences, their lists and tags.
#[test]
fn rules_of_preferences() {
    let given = |own: &dyn Fn(&mut Policy), tag: u16, kind: SetRef| {
        let mut contents = contents(vec![site("a.example", 0)]);
        let list = contents.lists.len() as u32;
        let (usage, program) = (UsageId::from(AI_TRAIN), ProgramAt::new(0));
        encode_list(&mut contents.lists, &[policy::Entry { usage, tag, program }]);
        let set = match kind {
            SetRef::List(_) => SetRef::List(ListAt::new(list)),
            program => program,
        };
        let mut linked = Policy { default: Some(0), sets: vec![set], additive: true, ..Policy::default() };
        own(&mut linked);
        let mut policies = Vec::new();
        linked.encode(&mut policies);
        let main = policies.len() as u32;
        let preferences = vec![PolicyAt::new(0); if linked.preferences.is_empty() { 1 } else { 2 }];
        Policy { preferences, default: Some(0), sets: vec![SetRef::Program(program)], ..Policy::default() }
            .encode(&mut policies);
        contents.policies = policies;
        contents.sites[0].entry = SiteEntry::Policy(PolicyAt::new(main));
        rule(&write(&contents).expect("contents fit"))
    };
    let list = SetRef::List(ListAt::new(0));
    let tag = Tag::new(Kind::Refused, Language::TdmRep, Carrier::TdmRep).to_raw();
    assert_eq!(given(&|_| (), tag, list), None);
    assert_eq!(given(&|linked| linked.additive = false, tag, list), None);
    // An unknown tag, a program in place of a list, preferences of preferences.
    assert_eq!(given(&|_| (), 1 << 9, list), Some(13));
    assert_eq!(given(&|_| (), tag, SetRef::Program(ProgramAt::new(0))), Some(12));
    let nested = |linked: &mut Policy| linked.preferences = vec![PolicyAt::new(0)];
    assert_eq!(given(&nested, tag, list), Some(12));
}

#[test]
fn reserved_flags_of_policies() {
    for bit in 5..8 {
        assert_eq!(broken(|c| c.policies[0] |= 1 << bit, |_, _| ()), Some(12), "bit {bit}");
    }
    // Found by substring: in any order, but not without crawlers, and always in an image under such
    // a profile.
    let policy = |profile, crawlers: &[(u32, usize)], by_substring: bool| {
        let crawlers: Vec<_> = crawlers.iter().map(|&(id, set)| (CrawlerId::new(id), set)).collect();
        let empty = crawlers.is_empty();
        let policy = Policy {
            crawlers,
            by_substring,
            default: Some(0),
            sets: vec![SetRef::Program(ProgramAt::new(0))],
            ..Policy::default()
        };
        let mut policies = Vec::new();
        policy.encode(&mut policies);
        policies[0] |= u8::from(by_substring && empty) << 3;
        broken(|c| (c.frame.profile, c.policies) = (profile, policies.clone()), |_, _| ())
    };
    for (profile, rule) in [(Profile::Full, Some(12)), (Profile::Koster, Some(12))] {
        assert_eq!(policy(profile, &[(1, 0), (0, 0)], true), None);
        assert_eq!(policy(profile, &[(1, 0), (0, 0)], false), rule);
        assert_eq!([policy(profile, &[], false), policy(profile, &[], true)], [None, Some(12)]);
    }
    assert_eq!(policy(Profile::Full, &[(0, 0), (1, 0)], false), None);
    assert_eq!(policy(Profile::Koster, &[(0, 0), (1, 0)], false), Some(12));
}
