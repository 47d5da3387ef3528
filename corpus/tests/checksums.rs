//! Records that share a compressed member count only if its checksum is right, however far before
//! its end they stand.

mod common;

use common::page;
use robomaton_corpus::{Input, Item, ReadLimits, read};
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
        check("c.tar.gz", gzip(&tar(&[(name, bytes)])), 8, (0, SITES));
    }
}
