//! Damaged images: an error or a verdict, never a panic, and in bounded time.
//!
//! A byte changed on a disk must not crash a crawler or make its walk run in circles. Every byte of
//! a small image, and some of others, are changed twice: once with the checksums unchanged, so that
//! `verify` must report a wrong one, and once with all checksums recomputed, as an adversary would.
//! In addition, an image that `verify` passes answers every query without reporting damage.

use robomaton_formats::layout::{HEAD, NONE, Section, VERSION};
use robomaton_formats::policy::{PolicyView, ScopedView};
use robomaton_formats::read::{Layout, View};
use robomaton_formats::{PolicyAt, ProgramAt, SiteEntry, program};
use robomaton_formats::{Profile, verify};
use robomaton_tests::damage::{self, Found, Patient, row, try_every_door};
use std::time::{Duration, Instant};

/// The time limit for all queries of a damaged image of some kilobytes.
const BOUND: Duration = Duration::from_secs(2);

/// Tries all methods within the time limit; `what` describes the change.
fn try_in_time(bytes: &[u8], what: &dyn Fn() -> String) -> Option<Found> {
    let start = Instant::now();
    let found = try_every_door(bytes).ok();
    let verified = verify::verify(bytes).is_ok();
    assert!(start.elapsed() < BOUND, "{}: took {:?}", what(), start.elapsed());
    if verified {
        let good = found.is_some_and(|found| found.damaged == 0);
        assert!(good, "{}: verifies, but answers {found:?}", what());
    }
    found
}

/// Larger images are damaged with only some of the values, in turn.
const SMALL: usize = 3_000;

/// Other values for the byte at this position: all of them, or the ones most likely to matter.
fn other_values(now: u8, at: usize, length: usize) -> Vec<u8> {
    let likely = [0, 1, 0x7F, 0x80, 0xFF, now ^ 1, now ^ 0x10, now.wrapping_add(1), now.wrapping_sub(1)];
    let mut values: Vec<u8> = match length > SMALL {
        _ if at < HEAD && length <= SMALL => (0..=255).collect(),
        false => likely.into(),
        true => likely.into_iter().skip(at % 3).step_by(3).collect(),
    };
    values.sort_unstable();
    values.dedup();
    values.retain(|&value| value != now);
    values
}

/// Changes one byte of `step`.
fn changes(name: &str, step: usize) {
    let images = damage::images();
    let (_, good) = images.into_iter().find(|image| image.0 == name).expect("an image of this name");
    verify::verify_with_texts(&good).unwrap_or_else(|error| panic!("{name}: {error}"));
    let sound = try_in_time(&good, &|| "nothing".to_owned()).expect("a good image opens");
    assert_eq!((sound.damaged, sound.unnamed), (0, 0), "{name}");
    let (mut changed, mut opened) = (0, 0);
    for at in (0..good.len()).step_by(step) {
        for value in other_values(good[at], at, good.len()) {
            let what = || format!("{name}: byte {at:#x} is {value:#04x} instead of {:#04x}", good[at]);
            let mut patient = Patient { bytes: good.clone() };
            patient.bytes[at] = value;
            assert!(verify::verify(&patient.bytes).is_err(), "{}: verifies", what());
            changed += 1;
            // The header has its own checksum, which opening checks. Beyond it, try the images that
            // open.
            if at < HEAD || good.len() <= SMALL || at % 8 == 0 {
                let unseen = try_in_time(&patient.bytes, &what);
                assert!(at >= HEAD || unseen.is_none(), "{}: opens", what());
            }
            patient.sum();
            let resummed = || format!("{}, checksums made to hold", what());
            opened += usize::from(try_in_time(&patient.bytes, &resummed).is_some());
        }
    }
    println!("{name}: {} bytes, {changed} changes, {opened} opened with checksums made to hold", good.len());
}

#[test]
fn every_change_of_one_byte_under_full() {
    changes("small", 1);
}

#[test]
fn every_change_of_one_byte_under_koster() {
    changes("small-koster", 1);
}

#[test]
fn changes_of_packed_programs_and_tries() {
    changes("programs", 7);
}

#[test]
fn changes_of_tries() {
    changes("tries", 7);
}

#[test]
fn changes_of_scopes() {
    changes("scopes", 7);
}

#[test]
fn changes_of_statements() {
    changes("modern", 7);
}

#[test]
fn shards_are_damaged_alone() {
    let good = damage::shards(&damage::small_image(Profile::Full), 3);
    for (number, good) in good.iter().enumerate() {
        verify::verify_with_texts(good).unwrap_or_else(|error| panic!("shard {number}: {error}"));
        for at in (0..good.len()).step_by(16) {
            let mut patient = Patient { bytes: good.clone() };
            patient.bytes[at] ^= 1 << (at / 16 % 8);
            let what = || format!("shard {number}: byte {at:#x}");
            assert!(verify::verify(&patient.bytes).is_err(), "{}: verifies", what());
            patient.sum();
            try_in_time(&patient.bytes, &what);
        }
    }
}

#[test]
fn every_truncation() {
    let good = damage::small_image(Profile::Full);
    for end in 0..good.len() {
        let what = || format!("cut to {end} bytes");
        assert!(try_in_time(&good[..end], &what).is_none(), "{}: opens", what());
        if end >= HEAD {
            // The same, with the correct length in the header.
            let mut patient = Patient { bytes: good[..end].to_vec() };
            patient.set_length();
            patient.sum_head();
            assert!(try_in_time(&patient.bytes, &what).is_none(), "{}, header set right: opens", what());
        }
    }
}

#[test]
fn every_section_cut_short() {
    let good = Patient { bytes: damage::small_image(Profile::Full) };
    for section in Section::ALL {
        for length in 0..good.section(section).1 {
            let mut patient = good.clone();
            patient.poke(row(section) + 8, &(length as u64).to_le_bytes());
            patient.sum();
            try_in_time(&patient.bytes, &|| format!("section {} cut to {length} bytes", section.name()));
        }
    }
}

/// The offsets in their sections of: the scoped list of crawlers without a record in the site with
/// ACAP records, the list to which it refers, the program of its first entry, its scope; and the
/// number of patterns in the scope.
struct Scoped {
    list: usize,
    rest: usize,
    program: usize,
    scope: usize,
    patterns: usize,
}

fn scoped(patient: &Patient) -> Scoped {
    let layout = Layout::parse(&patient.bytes).expect("the small image opens");
    find_scoped(View::new(&patient.bytes, &layout)).expect("the small image has records of ACAP")
}

fn find_scoped(view: View<'_>) -> Option<Scoped> {
    let site = view.sites().find(|site| site.name().is_some_and(|name| name.is(b"zacap.example", 13)))?;
    let SiteEntry::Policy(at) = site.entry()? else { return None };
    let at = PolicyView::read(view.policy(at)?)?.default_set()?.list()?;
    let list = ScopedView::read(view.list(at)?)?;
    Some(Scoped {
        list: at.index(),
        rest: list.rest?.index(),
        program: list.entries().next()?.program.index(),
        scope: list.scope.index(),
        patterns: view.scope(list.scope)?.patterns(),
    })
}

/// A bad image: its name, the rule that it breaks, and the change.
type Bad = (&'static str, u8, fn(&mut Patient));

const BAD_IMAGES: [Bad; 44] = [
    ("magic-of-something-else", 1, |p| p.poke(0, b"GIF89a;")),
    ("version-of-tomorrow", 2, |p| p.poke(8, &(VERSION + 1).to_le_bytes())),
    ("length-one-short", 3, |p| {
        p.bytes.pop();
    }),
    ("a-section-too-few", 4, |p| p.poke(13, &[Section::ALL.len() as u8 - 1])),
    ("profile-unknown", 4, |p| p.poke(12, &[9])),
    ("section-off-the-alignment", 5, |p| {
        let at = p.section(Section::Meta).0 as u64 + 1;
        p.poke(row(Section::Meta), &at.to_le_bytes());
    }),
    ("section-beyond-the-file", 5, |p| p.poke(row(Section::Meta) + 8, &(1u64 << 40).to_le_bytes())),
    ("section-with-half-a-record", 5, |p| {
        let length = p.section(Section::Fetches).1 as u64 - 1;
        p.poke(row(Section::Fetches) + 8, &length.to_le_bytes());
    }),
    ("padding-not-zero", 6, |p| p.poke(HEAD, &[1])),
    ("section-sum-does-not-hold", 7, |p| p.poke(row(Section::Names) + 16, &[0; 8])),
    ("crawlers-out-of-order", 8, |p| p.patch(Section::CrawlerNames, 0, b"z")),
    ("usages-without-crawl", 9, |p| p.patch(Section::Usages, 0, b"k")),
    ("scheme-unknown", 10, |p| {
        let (at, head) = p.first_head();
        p.patch(Section::Hosts, at, &[head | 3]);
    }),
    ("entry-of-no-kind", 10, |p| p.patch(Section::Hosts, 13, &[0xFF; 4])),
    ("outcome-unknown", 10, |p| p.patch(Section::Hosts, 13, &[0, 0, 9, 0xC0])),
    ("outcome-rules-without-rules", 10, |p| p.patch(Section::Hosts, 13, &[0, 0, 0, 0xC0])),
    ("places-with-a-gap", 10, |p| p.patch(Section::Hosts, 0, &[0])),
    ("name-beyond-its-bucket", 10, |p| {
        let (at, head) = p.first_head();
        p.patch(Section::Hosts, at, &[head | 0xFC]);
    }),
    ("bytes-behind-the-names", 10, |p| p.patch(Section::Hosts, 127, &[1])),
    ("site-numbers-with-a-gap", 10, |p| p.patch(Section::Hosts, 9, &[1])),
    ("sites-out-of-order", 11, |p| {
        let (first, second) = (p.u32(Section::Order, 0), p.u32(Section::Order, 4));
        p.patch(Section::Order, 0, &second.to_le_bytes());
        p.patch(Section::Order, 4, &first.to_le_bytes());
    }),
    ("overflow-that-nobody-passed", 11, |p| p.patch(Section::Hosts, 8, &[1])),
    ("fingerprint-of-another-hash", 11, |p| {
        let mark = p.bytes[p.section(Section::Hosts).0];
        p.patch(Section::Hosts, 0, &[mark ^ 0x10]);
    }),
    ("policy-beyond-its-section", 12, |p| {
        p.patch(Section::Hosts, 13, &SiteEntry::Policy(PolicyAt::new(1_000_000)).to_raw().to_le_bytes());
    }),
    ("program-beyond-its-section", 14, |p| {
        p.patch(Section::Hosts, 13, &SiteEntry::Program(ProgramAt::new(1_000_000)).to_raw().to_le_bytes());
    }),
    ("list-with-an-unknown-usage", 13, |p| p.patch(Section::Lists, 2, &999u16.to_le_bytes())),
    ("ranked-list-with-a-purpose", 13, |p| p.patch(Section::Lists, 4, &1u16.to_le_bytes())),
    ("scoped-list-with-an-unknown-flag", 13, |p| p.patch(Section::Lists, scoped(p).list + 2, &[16])),
    ("scoped-list-with-an-unknown-usage", 13, |p| {
        p.patch(Section::Lists, scoped(p).list + 12, &[99, 0, 0, 0])
    }),
    ("scoped-list-with-an-unknown-purpose", 13, |p| {
        p.patch(Section::Lists, scoped(p).list + 16, &[0, 0, 0, 1])
    }),
    ("scoped-list-with-an-unknown-role", 13, |p| p.patch(Section::Lists, scoped(p).list + 24, &[9])),
    ("scoped-list-that-leads-on-and-on", 13, |p| {
        let Scoped { rest, .. } = scoped(p);
        p.patch(Section::Lists, rest + 8, &(rest as u32).to_le_bytes());
    }),
    ("scoped-list-with-a-ranked-program", 14, |p| {
        p.patch(Section::Lists, scoped(p).list + 20, &0u32.to_le_bytes());
    }),
    ("scoped-program-that-calls-itself-ranked", 14, |p| {
        let program = scoped(p).program;
        let head = p.bytes[p.section(Section::Programs).0 + program];
        p.patch(Section::Programs, program, &[head ^ 1 << 3]);
    }),
    ("scope-with-a-run-backwards", 17, |p| {
        let Scoped { scope, patterns, .. } = scoped(p);
        p.patch(Section::Scopes, scope + 12 + 4 * (patterns + 1), &[0; 4]);
    }),
    ("scope-that-is-cut-off", 17, |p| p.patch(Section::Scopes, scoped(p).scope, &[0xFF, 0x7F])),
    ("program-in-an-unknown-notation", 14, |p| p.patch(Section::Programs, 0, &[7])),
    ("program-that-runs-past-the-end", 14, |p| {
        let last = p.section(Section::Programs).1 - 1;
        p.patch(Section::Programs, last, &[0x80]);
    }),
    ("program-inside-another", 14, |p| {
        let (start, length) = p.section(Section::Programs);
        let programs = &p.bytes[start..start + length];
        let first = program::check(programs).expect("a program");
        let inner = (1..first).find(|&at| program::check(&programs[at..]).is_ok());
        let at = ProgramAt::new(inner.expect("bytes that are a program, too") as u32);
        p.patch(Section::Hosts, 13, &SiteEntry::Program(at).to_raw().to_le_bytes());
    }),
    ("status-unlike-the-entry", 15, |p| {
        // All sites except those with rules also have their status in the bucket.
        let (_, length) = p.section(Section::Fetches);
        (16..length).step_by(18).for_each(|at| p.patch(Section::Fetches, at, &[0xFF; 2]));
    }),
    ("document-that-is-not-there", 15, |p| p.patch(Section::Fetches, 12, &(NONE - 1).to_le_bytes())),
    ("text-that-is-no-frame", 16, |p| p.patch(Section::Sources, 0, &[0])),
    ("text-of-another-size", 18, |p| {
        let size = p.bytes[p.section(Section::Sources).0 + 5];
        p.patch(Section::Sources, 5, &[size ^ 1]);
    }),
    ("provenance-of-no-kind", 16, |p| {
        let length = p.section(Section::Meta).1;
        p.patch(Section::Meta, 0, &vec![0xFF; length]);
    }),
];

#[test]
fn bad_images_break_the_rule_they_are_named_after() {
    let good = Patient { bytes: damage::small_image(Profile::Full) };
    for (name, rule, damage) in BAD_IMAGES {
        let mut patient = good.clone();
        damage(&mut patient);
        if rule != 7 {
            patient.sum_sections();
        }
        // I1 to I3 are checked before the checksum, which would hide the other rules.
        if rule > 3 {
            patient.sum_head();
        }
        let Err(error) = verify::verify_with_texts(&patient.bytes) else { panic!("{name} verifies") };
        assert_eq!(error.rule(), Some(rule), "{name}: {error}");
        if rule > 5 {
            assert!(try_in_time(&patient.bytes, &|| name.to_owned()).is_some(), "{name} does not open");
        }
    }
    for rule in 1..=18 {
        assert!(BAD_IMAGES.iter().any(|bad| bad.1 == rule), "no image breaks I{rule}");
    }
}
