//! Records that share a compressed member count only if its checksum is right, however far before
//! its end they stand.

mod common;

use common::page;
use robomaton_corpus::{Capture, Input, Item, ReadLimits, fetched_in_warc, read};
use robomaton_tests::generate::Random;
use robomaton_tests::write::{csv_row, gzip, stored_zip, tar, zstd};
use std::ops::ControlFlow;
use std::sync::atomic::AtomicU64;

const SITES: usize = 3_000;

fn host(number: usize) -> String {
    format!("h{number}.example")
}

/// A text that differs from site to site.
fn text(number: usize) -> String {
    format!("User-agent: *\nDisallow: /{number}\n# {}\n", "x".repeat(number % 40))
}

/// Files of many captures, each with its name.
fn files() -> [(&'static str, Vec<u8>); 4] {
    let url = |number| format!("https://{}/robots.txt", host(number));
    let line = |number| serde_json::json!({ "url": url(number), "body": text(number) }).to_string() + "\n";
    let row = |number| csv_row(&[url(number).as_bytes(), text(number).as_bytes()]);
    let rows = std::iter::once(b"url,body\n".to_vec()).chain((0..SITES).map(row));
    let names: Vec<String> = (0..SITES).map(host).collect();
    let entry = |(number, name)| (String::as_str(name), text(number).into_bytes());
    let entries: Vec<(&str, Vec<u8>)> = names.iter().enumerate().map(entry).collect();
    let records: Vec<Vec<u8>> = (0..SITES).map(|number| page(&url(number), &text(number))).collect();
    [
        ("c.jsonl", (0..SITES).map(line).collect::<String>().into_bytes()),
        ("c.csv", rows.collect::<Vec<_>>().concat()),
        ("c.tar", tar(&entries)),
        ("c.warc", records.concat()),
    ]
}

/// The numbers of captures that are read, and of those that cannot be.
fn counts(name: &str, bytes: &[u8]) -> (usize, usize) {
    let home = tempfile::tempdir().expect("a directory");
    let path = home.path().join(name);
    std::fs::write(&path, bytes).expect("a file");
    let (mut sound, mut unread) = (0, 0);
    read(&[Input::Path(path)], &ReadLimits::default(), &AtomicU64::new(0), &mut |item| {
        match item {
            Item::Capture(_) => sound += 1,
            Item::Revisit(_) => unread += 1,
            _ => {}
        }
        ControlFlow::Continue(())
    })
    .expect("it can be opened");
    (sound, unread)
}

/// A packed file, and the same with one wrong bit in a checksum, `place` bytes before its end.
fn check(name: &str, mut packed: Vec<u8>, place: usize, damaged: (usize, usize)) {
    assert_eq!(counts(name, &packed), (SITES, 0), "{name}");
    let at = packed.len() - place;
    packed[at] ^= 1;
    assert_eq!(counts(name, &packed), damaged, "{name}");
}

#[test]
fn a_wrong_checksum_casts_doubt_on_all_of_its_member() {
    for (name, bytes) in files() {
        check(&format!("{name}.gz"), gzip(&bytes), 8, (0, SITES));
        check(&format!("{name}.zst"), zstd(&bytes), 4, (0, SITES));
    }
    // The member behind it is sound.
    let [(_, lines), ..] = files();
    let half = lines.iter().position(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let (first, others) = (gzip(&lines[..half]), gzip(&lines[half..]));
    let two = [others.as_slice(), &first].concat();
    check("c.jsonl.gz", two, first.len() + 8, (1, SITES - 1));
}

/// A WARC file may begin with long records, and be of an old version; a store reads it once.
#[test]
fn a_warc_file_that_was_compressed_as_a_whole() {
    let long = page("https://a.example/long", &"x".repeat(1 << 20));
    let [.., (_, warc)] = files();
    let old = String::from_utf8(warc.clone()).expect("text").replace("WARC/1.0", "WARC/0.18");
    // The page is unread, too.
    check("c.warc.gz", gzip(&[&long[..], &warc].concat()), 8, (0, 1 + SITES));
    check("c.warc.gz", gzip(old.as_bytes()), 8, (0, SITES));
    let mut packed = gzip(&warc);
    let fetched = |packed: &[u8]| {
        let read = fetched_in_warc(packed, 64 << 20, 2 * SITES).expect("within the limits");
        read.records.iter().filter(|(_, fetched)| fetched.as_ref().is_ok_and(|of| of.status == 200)).count()
    };
    assert_eq!(fetched(&packed), SITES);
    let end = packed.len() - 8;
    packed[end] ^= 1;
    assert_eq!(fetched(&packed), 0);
}

/// A host may be called like an archive.
#[test]
fn a_host_with_the_name_of_another_format() {
    let file = |name| (name, text(1).into_bytes());
    let mut packed = gzip(&tar(&[file("a.zip"), file("b.example"), file("c.parquet")]));
    assert_eq!(counts("c.tar.gz", &packed), (3, 0));
    let end = packed.len() - 8;
    packed[end] ^= 1;
    assert_eq!(counts("c.tar.gz", &packed), (0, 3));
}

/// Of a short file, each capture comes out as it went in, or not at all, whichever bit is wrong.
#[test]
fn no_bit_of_a_compressed_file_changes_a_capture() {
    let row = |number| (format!("h{number}.example"), text(number));
    let rows: Vec<(String, String)> = (0..12).map(row).collect();
    let line =
        |(host, body): &(String, String)| format!("{}\n", serde_json::json!({ "host": host, "body": body }));
    let lines: String = rows.iter().map(line).collect();
    let home = tempfile::tempdir().expect("a directory");
    for (name, packed) in [("c.jsonl.gz", gzip(lines.as_bytes())), ("c.jsonl.zst", zstd(lines.as_bytes()))] {
        let path = home.path().join(name);
        let input = [Input::Path(path.clone())];
        let mut lost = 0;
        for bit in 0..8 * packed.len() {
            let mut damaged = packed.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            std::fs::write(&path, damaged).expect("a file");
            let mut found = 0;
            let read = read(&input, &ReadLimits::default(), &AtomicU64::new(0), &mut |item| {
                if let Item::Capture(Capture { site, body, .. }) = item {
                    let body = String::from_utf8(body).expect("text");
                    assert!(rows.contains(&(site.host().to_owned(), body)), "{name}, bit {bit}: {site}");
                    found += 1;
                }
                ControlFlow::Continue(())
            });
            lost += usize::from(read.is_err() || found < rows.len());
        }
        // Of the header of a gzip file, some bits say nothing of its content.
        assert!(lost > 7 * packed.len(), "{name}: {lost}");
    }
}

/// Files of an archive are read like those of a directory.
#[test]
fn the_checksum_of_an_entry_counts_for_all_of_its_rows() {
    for (name, bytes) in files() {
        if name == "c.tar" {
            continue;
        }
        let mut packed = stored_zip(&[(name, bytes.clone())]);
        assert_eq!(counts("c.zip", &packed), (SITES, 0), "{name}");
        // In the first text.
        let text = memchr::memmem::find(&packed, b"Disallow").expect("a rule");
        packed[text] = b'X';
        assert_eq!(counts("c.zip", &packed), (0, SITES), "{name}");
        check("c.tar.gz", gzip(&tar(&[(name, bytes.clone())])), 8, (0, SITES));
        // So does one inside of it.
        let mut inner = gzip(&bytes);
        let end = inner.len() - 8;
        inner[end] ^= 1;
        assert_eq!(counts("c.zip", &stored_zip(&[(&format!("{name}.gz"), inner)])), (0, SITES), "{name}");
    }
}

/// Behind the first capture in doubt, the others are read on, so that each is known to be unread.
#[test]
fn captures_in_doubt_are_all_named() {
    let robots = |host: &str| page(&format!("https://{host}/robots.txt"), "User-agent: *\nDisallow: /\n");
    let long = page("https://a.example/long", &"x".repeat(1 << 20));
    let shared = [robots("a.example"), long, robots("b.example"), robots("c.example")].concat();
    let own: Vec<u8> = (0..8).flat_map(|number| gzip(&robots(&format!("own{number}.example")))).collect();
    let behind = gzip(&robots("behind.example"));
    // Only where members were records before, the next one tells where a record begins.
    for (name, before, sound) in [("shared", &[][..], 0), ("behind records of their own", &own, 8 + 1)] {
        let mut packed = [before, &gzip(&shared)].concat();
        let end = packed.len() - 8;
        packed[end] ^= 1;
        packed.extend_from_slice(&behind);
        // Such a file is checked beforehand unless its first members have a record each; and so is
        // no file in an archive. The page is unread, too.
        assert_eq!(counts("c.warc.gz", &packed), (sound, 4), "{name}");
        assert_eq!(counts("c.tar", &tar(&[("c.warc.gz", packed.clone())])), (sound, 4), "{name}");
        let read = fetched_in_warc(&packed[..], 64 << 20, 100).expect("within the limits").records;
        let statuses = read.iter().filter_map(|(_, fetched)| Some(fetched.as_ref().ok()?.status));
        let moved = statuses.filter(|status| *status == 301).count();
        assert_eq!(moved, 3, "{name}");
    }
}

#[test]
fn a_member_may_hold_two_records() {
    let text = |number: usize| format!("User-agent: *\nDisallow: /{number}\n");
    let of_site = |number: usize| {
        let long = page(&format!("https://{}/long", host(number)), &"x".repeat(150 << 10));
        [page(&format!("https://{}/robots.txt", host(number)), &text(number)), long].concat()
    };
    let sound: Vec<Vec<u8>> = (0..12).map(|number| gzip(&of_site(number))).collect();
    assert_eq!(counts("c.warc.gz", &sound.concat()), (12, 0));
    let mut damaged = sound.clone();
    let end = damaged[10].len() - 8;
    damaged[10][end] ^= 1;
    // Behind it, nothing tells where a record begins.
    assert_eq!(counts("c.warc.gz", &damaged.concat()), (10, 2));
}

/// A writer was killed within a member, and the next one went on behind it.
#[test]
fn a_sound_member_behind_one_that_was_cut_counts() {
    let mut random = Random::new(18);
    let mut rows = |name: &str, count: usize| -> Vec<u8> {
        let row = |number| {
            let (one, other) = (random.next_u64(), random.next_u64());
            let body = format!("User-agent: *\nDisallow: /{one:x}{other:x}\n");
            serde_json::json!({ "host": format!("{name}{number}.example"), "body": body }).to_string() + "\n"
        };
        gzip((0..count).map(row).collect::<String>().as_bytes())
    };
    let (mut kept, second) = (0, 900);
    for _ in 0..20 {
        let (first, next) = (rows("a", 300), rows("b", second));
        let (found, _) = counts("c.jsonl.gz", &[&first[..first.len() / 2], &next].concat());
        kept += usize::from(found >= second);
    }
    // The others end exactly as a hidden member would.
    assert!(kept >= 18, "{kept} of 20");
}

/// Some programs compress a file in blocks, which begin anywhere. In a text of many records, some
/// of them begin at a record of another site.
#[test]
fn members_that_are_blocks_are_no_records() {
    let forged = page("https://victim.example/robots.txt", "User-agent: *\nDisallow:\n");
    let long = page("https://evil.example/long", &String::from_utf8(forged.repeat(60_000)).expect("text"));
    let robots = |host: &str| page(&format!("https://{host}/robots.txt"), "User-agent: *\nDisallow: /\n");
    let own = gzip(&robots("own.example"));
    let short = [robots("a.example"), robots("b.example")].concat();
    for (name, front, before, block) in [
        ("records first", &[][..], &short[..], 0),
        ("the page first", &[], &[], 0),
        ("the page first, later", &[], &[], 3),
        ("behind a record of its own", &own, &[], 2),
    ] {
        let file = [before, &long, &robots("c.example")].concat();
        let mut blocks: Vec<Vec<u8>> = file.chunks(8_161).map(gzip).collect();
        let sound = [front, &blocks.concat()].concat();
        let end = blocks[block].len() - 8;
        blocks[block][end] ^= 1;
        let damaged = [front, &blocks.concat()].concat();
        let captures = |bytes: &[u8]| {
            let read = fetched_in_warc(bytes, 64 << 20, 100_000).expect("within the limits").records;
            let urls = read.iter().filter_map(|(_, fetched)| Some(fetched.as_ref().ok()?.url.clone()));
            urls.filter(|url| url.contains("victim")).count()
        };
        assert_eq!((captures(&sound), captures(&damaged)), (0, 0), "{name}");
        for bytes in [sound, damaged] {
            // At most the three and the page.
            assert!(counts("c.warc.gz", &bytes).0 < 5, "{name}");
        }
    }
}
