//! A record that a server hid in the body of its own answer counts nowhere, whatever is damaged.

mod common;

use common::{items_within, lines, page};
use robomaton_corpus::{Item, ReadLimits};
use robomaton_tests::write::{gzip, skippable, stored_gzip, zstd};

const VICTIM: &str = "http://victim.example/robots.txt";

/// The bytes behind a hidden record: two line ends of the record, and a checksum.
const BEHIND: usize = 4 + 4;

/// A zstd frame of one raw block.
fn stored_zstd(bytes: &[u8], length: usize) -> Vec<u8> {
    // Magic number, flags (a window), window of 1 MiB, the header of the last block.
    let header = (1 | (length as u32) << 3).to_le_bytes();
    [&[0x28, 0xb5, 0x2f, 0xfd, 0, 0x50][..], &header[..3], bytes].concat()
}

fn record(body: &[u8]) -> Vec<u8> {
    let head = b"HTTP/1.1 200 OK\r\nContent-Type: application/gzip\r\n\r\n";
    common::response("http://evil.example/archive", [head, body].concat())
}

/// Reads a file of a good member, a damaged one with this end of a body, and two good ones.
/// `damage` is the offset of a byte of the body's member that is changed.
fn read(name: &str, pack: fn(&[u8]) -> Vec<u8>, outer: &[u8], damage: usize) -> Vec<String> {
    let mut outer = outer.to_vec();
    outer[damage] ^= 0x55;
    let good = |n| pack(&page(&format!("http://h{n}.example/robots.txt"), "Disallow: /\n"));
    lines(name, &[good(1), outer, good(2), good(3)].concat())
}

fn claims() -> Vec<u8> {
    page(VICTIM, "User-agent: *\nAllow: /\n")
}

/// Checks that nothing of a damaged member counts, and what follows it does.
fn is_passed(name: &str, pack: fn(&[u8]) -> Vec<u8>, outer: &[u8], hidden: &[u8]) {
    assert!(outer.windows(hidden.len()).any(|bytes| bytes == hidden), "it is not hidden there");
    for damage in [1, 4, 11, 12, 40] {
        let told = read(name, pack, outer, damage);
        let captures: Vec<&String> = told.iter().filter(|line| line.starts_with("http")).collect();
        assert!(!told.iter().any(|line| line.contains("victim")), "byte {damage}: {told:?}");
        assert_eq!(captures.len(), 3, "byte {damage}: {told:?}");
        assert!(told.len() > 3, "byte {damage}: {told:?}");
    }
}

#[test]
fn gzip_members_in_a_damaged_one() {
    let evil = gzip(&claims());
    for hidden in [evil.clone(), [&evil[..], &evil, &gzip(b"x")].concat()] {
        let outer = stored_gzip(&record(&[b"before ", &hidden[..], b" and behind"].concat()));
        is_passed("x.warc.gz", gzip, &outer, &hidden);
    }
}

#[test]
fn gzip_headers_that_reach_the_next_member() {
    // To the data of the next member: line ends, trailer, and its header.
    let reach = |before: usize| 4 + 8 + 10 - before;
    let long = u16::try_from(reach(0)).expect("a few bytes").to_le_bytes();
    // Extra fields, a name, and a name and a comment.
    let extra = [&[0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 3][..], &long].concat();
    let name = [0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3].to_vec();
    let both = [0x1f, 0x8b, 8, 24, 0, 0, 0, 0, 0, 3].to_vec();
    for end in [extra, name, both] {
        let hidden = [gzip(&claims()), end].concat();
        let outer = stored_gzip(&record(&[b"before ", &hidden[..]].concat()));
        is_passed("x.warc.gz", gzip, &outer, &hidden);
    }
}

#[test]
fn zstd_frames_in_a_damaged_one() {
    let evil = zstd(&claims());
    // A frame and a skippable one that reach the next true frame.
    let reaching = stored_zstd(b"", BEHIND);
    let skipping = skippable(0x50, &[0; BEHIND])[..8].to_vec();
    for end in [Vec::new(), reaching, skipping] {
        let hidden = [&evil[..], &end].concat();
        let content = record(&[b"before ", &hidden[..]].concat());
        let mut outer = stored_zstd(&content, content.len());
        outer[4] |= 4; // with a checksum, which is wrong
        outer.extend([1, 2, 3, 4]);
        is_passed("x.warc.zst", zstd, &outer, &hidden);
    }
}

/// A crawler was killed exactly behind a hidden member, and perhaps started again.
#[test]
fn members_in_one_that_lacks_its_end() {
    let evil = [gzip(&claims()), gzip(b"").repeat(3)].concat();
    let outer = stored_gzip(&record(&[b"before ", &evil[..], b" and behind"].concat()));
    let place = outer.windows(evil.len()).position(|bytes| bytes == evil).expect("it is hidden there");
    let good = |n| gzip(&page(&format!("http://h{n}.example/robots.txt"), "Disallow: /\n"));
    for end in [evil.len() - 40, evil.len() - 20, evil.len()] {
        let cut = [&good(1), &outer[..place + end]].concat();
        for (file, expected) in [(cut.clone(), "h1"), ([cut, good(2), good(3)].concat(), "h1 h2 h3")] {
            let told = lines("x.warc.gz", &file);
            let read = ["victim", "evil", "h1", "h2", "h3"].map(|host| {
                let is_read = |line: &String| line.starts_with(&format!("http://{host}.example/"));
                if told.iter().any(is_read) { host } else { "" }
            });
            assert_eq!(read.join(" ").split_whitespace().collect::<Vec<_>>().join(" "), expected, "{told:?}");
        }
    }
}

/// What follows a member that was cut begins inside it, as a decompressor sees it. It is not lost,
/// and unread only if it ends inside it, too.
#[test]
fn no_member_behind_one_that_was_cut_is_lost() {
    let text: String = (0..600).map(|number| format!("Disallow: /{}\n", number * 7919 % 1000)).collect();
    let record = |n, text: &str| page(&format!("http://h{n}.example/robots.txt"), text);
    for (name, pack) in [("x.warc.gz", gzip as fn(&[u8]) -> Vec<u8>), ("x.warc.zst", zstd)] {
        let good = |n| pack(&record(n, "Disallow: /\n"));
        let cut = pack(&record(2, &text));
        let (mut unread, ends) = (0, (20..cut.len()).step_by(97));
        for end in ends.clone() {
            let file = [&good(1), &cut[..end], &good(3), &good(4), &good(5)].concat();
            let items = items_within(name, &file, &ReadLimits::default());
            let hosts = items.iter().filter_map(|item| match item {
                Item::Capture(capture) => Some((capture.site.host(), true)),
                Item::Revisit(unread) => Some((unread.key.as_ref()?.host(), false)),
                _ => None,
            });
            let hosts: Vec<_> = hosts.filter(|(host, _)| *host != "h2.example").collect();
            let expected = ["h1.example", "h3.example", "h4.example", "h5.example"];
            assert!(hosts.iter().map(|(host, _)| *host).eq(expected), "{name}, {end} bytes: {hosts:?}");
            unread += hosts.iter().filter(|(_, is_read)| !is_read).count();
            assert!(hosts[0].1, "{name}, {end} bytes: {hosts:?}");
        }
        assert!(unread < 3 * ends.count(), "{name}: {unread}");
    }
}

/// Damage that shortens a record so that only empty lines of its body are behind it, and changes
/// its body, too. The checksum of the member is behind these lines.
#[test]
fn a_record_before_empty_lines_waits_for_its_checksum() {
    let text = format!("Disallow: /x{}", "\n".repeat(11));
    let good = page("http://a.example/robots.txt", &text);
    let bad = String::from_utf8(good.clone()).expect("text").replace("/x", "/y");
    let length = bad.lines().find(|line| line.starts_with("Content-Length: ")).expect("a length");
    let number: usize = length["Content-Length: ".len()..].parse().expect("a number");
    let bad = bad.replace(length, &format!("Content-Length: {}", number - 9));
    let (mut member, sound) = (gzip(bad.as_bytes()), gzip(&good));
    let end = member.len();
    member[end - 8..end - 4].copy_from_slice(&sound[sound.len() - 8..][..4]);
    let next = gzip(&page("http://b.example/robots.txt", ""));
    let told = lines("x.warc.gz", &[&member[..], &next, &next].concat());
    assert!(told.iter().all(|line| !line.starts_with("http://a.example/")), "{told:?}");
    assert!(told.iter().any(|line| line.starts_with("http://b.example/")), "{told:?}");
    // So is one with more line ends behind it than any writer puts there.
    for (count, is_read) in [(100, true), (4_096, false)] {
        let told = lines("x.warc", &[&good[..], "\n".repeat(count).as_bytes(), &good].concat());
        assert_eq!(told.contains(&format!("http://a.example/robots.txt {text}")), is_read, "{told:?}");
    }
}
