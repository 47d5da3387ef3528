//! Incomplete, damaged, hostile or unsupported input affects nothing else, and is reported.

mod common;

use ::parquet::basic::Compression;
use common::{items_within, lines, lines_within, page};
use proptest::prelude::*;
use robomaton_corpus::{Input, Item, ReadLimits, Skipped, read};
use robomaton_tests::write::{
    Cells, csv_row, dictionary, gzip, parquet, skippable, tar, zip, zstd, zstd_with_dictionary,
};
use std::fs;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

/// The results for a file, one per line: `SITE BODY` or `PLACE reason: message`. Checks that
/// progress adds up.
fn told_within(name: &str, bytes: &[u8], limits: &ReadLimits) -> Vec<String> {
    let home = tempfile::tempdir().expect("a directory");
    let path = home.path().join(name);
    fs::write(&path, bytes).expect("a file");
    let (mut lines, progress) = (Vec::new(), AtomicU64::new(0));
    read(&[Input::Path(path)], limits, &progress, &mut |item| {
        lines.push(match item {
            Item::Capture(capture) => format!("{} {}", capture.site, String::from_utf8_lossy(&capture.body)),
            Item::Skipped(skipped) => {
                let source =
                    skipped.source.strip_prefix(&format!("{}/", home.path().display())).expect("its path");
                format!("{source}:{} {}: {}", skipped.at, skipped.reason.name(), skipped.reason)
            }
            Item::Revisit(revisit) => {
                let Skipped { source, at, reason } = revisit.otherwise;
                let source = source.strip_prefix(&format!("{}/", home.path().display())).expect("its path");
                format!("{source}:{at} {}: {reason}", reason.name())
            }
            other => format!("{other:?}"),
        });
        ControlFlow::Continue(())
    })
    .expect("the file is there");
    assert!(progress.load(Ordering::Relaxed) <= bytes.len() as u64);
    lines
}

fn told(name: &str, bytes: &[u8]) -> Vec<String> {
    told_within(name, bytes, &ReadLimits::default())
}

fn limits(change: impl FnOnce(&mut ReadLimits)) -> ReadLimits {
    let mut limits = ReadLimits::default();
    change(&mut limits);
    limits
}

fn url(n: usize) -> String {
    format!("http://h{n}.example/robots.txt")
}

fn site(n: usize) -> String {
    format!("http://h{n}.example {n}")
}

#[test]
fn damaged_zstd_costs_its_frame() {
    let records: Vec<Vec<u8>> =
        (0..5).map(|n| page(&url(n), &format!("Disallow: /{n}/a/path/of/its/own\n").repeat(9))).collect();
    let words = dictionary(|n| page(&url(n), "Disallow: /some/path\n"));
    let with_dictionary =
        |n: &usize| zstd_with_dictionary(&words, false, &records[*n..=*n])[words.len() + 8..].to_vec();
    let plain: Vec<Vec<u8>> = records.iter().map(|record| zstd(record)).collect();
    let keyed: Vec<Vec<u8>> = (0..5).map(|n| with_dictionary(&n)).collect();
    for (front, frames) in [(Vec::new(), plain), (skippable(0x5d, &words), keyed)] {
        let expect = |bytes: &[u8], kept: &[usize], damage: usize| {
            let read = items_within("x.warc.zst", bytes, &ReadLimits::default());
            let urls: Vec<&str> = read
                .iter()
                .filter_map(|item| match item {
                    Item::Capture(capture) => Some(capture.url.as_str()),
                    _ => None,
                })
                .collect();
            assert_eq!(urls, kept.iter().map(|&n| url(n)).collect::<Vec<_>>(), "{read:?}");
            let told =
                |item: &&Item| matches!(item, Item::Skipped(skipped) if skipped.reason.name() == "zstd");
            assert_eq!(read.iter().filter(told).count(), damage, "{read:?}");
        };
        let all = [front.clone(), frames.concat()].concat();
        expect(&all, &[0, 1, 2, 3, 4], 0);
        let before_last = all.len() - frames[4].len();
        expect(&all[..before_last], &[0, 1, 2, 3], 0);
        for cut in [before_last + 1, before_last + 5, all.len() - 1] {
            expect(&all[..cut], &[0, 1, 2, 3], 1);
        }
        let third = front.len() + frames[0].len() + frames[1].len();
        for offset in [0, 1, 2, 3] {
            let mut bytes = all.clone();
            bytes[third + offset] ^= 0x55;
            expect(&bytes, &[0, 1, 3, 4], 1);
        }
        let (head, rest) = all.split_at(third);
        expect(&[head, b"garbage", rest].concat(), &[0, 1, 2, 3, 4], 1);
        expect(&[head, &skippable(0x50, b"passed over"), rest].concat(), &[0, 1, 2, 3, 4], 0);
        expect(&[&all[..], &skippable(0x50, b"cut short")[..12]].concat(), &[0, 1, 2, 3, 4], 1);
    }
}

#[test]
fn windows_and_dictionaries_have_limits() {
    let record = page(&url(1), &"x".repeat(100_000));
    let small = limits(|limits| (limits.max_window_log, limits.max_dictionary) = (10, 100));
    let read = lines_within("x.warc.zst", &zstd(&record), &small);
    assert_eq!(read, ["at 0: zstd"]);
    let words = dictionary(|n| page(&url(n), "x"));
    for pack in [false, true] {
        let bytes = zstd_with_dictionary(&words, pack, &[page(&url(1), "1")]);
        assert_eq!(lines("x.warc.zst", &bytes), [format!("{} 1", url(1))]);
        let read = lines_within("x.warc.zst", &bytes, &small);
        assert!(read.iter().all(|line| line.ends_with(": zstd")) && !read.is_empty(), "{read:?}");
    }
    let bad = [skippable(0x5d, b"\x28\xb5\x2f\xfdno frame"), zstd(&page(&url(1), "1"))].concat();
    assert_eq!(lines("x.warc.zst", &bad), ["at 0: zstd".to_owned(), format!("{} 1", url(1))]);
}

/// Python's `csv` puts no quotes around a carriage return where rows end with line feeds.
#[test]
fn a_carriage_return_in_a_csv_field_ends_no_row() {
    for end in ["\n", "\r\n"] {
        let rows = [
            "url,body",
            "a.example,x\ry\r",
            "",
            "b.example,",
            "\"c.example\",\"z\r\"",
            "d.example,https://e.example/robots.txt\r",
        ];
        let table = rows.map(|row| format!("{row}{end}")).concat();
        let wanted =
            ["a.example x\ry\r", "b.example ", "c.example z\r", "d.example https://e.example/robots.txt\r"];
        assert_eq!(lines("x.csv", table.as_bytes()), wanted, "{end:?}");
    }
    // A row that ends in a line feed alone, and an empty field.
    assert_eq!(
        lines("x.csv", b"body,url,x\r\nA,a.example\r,\nB,b.example,\r\n"),
        ["a.example A", "b.example B"]
    );
    let returns = b"url,body\ra.example,x\ny\n\r\rb.example,\r\n\r\"c.example\",\"z\r\n\"\r";
    assert_eq!(lines("x.csv", returns), ["a.example x\ny\n", "b.example ", "c.example z\r\n"]);
}

#[test]
fn a_bad_csv_row_costs_itself() {
    let table = "url,status,fetched_at,body,headers,truncated\n\
        a.example,200,7,A,,\n\
        b.example,200\n\
        c.example,OK,,,,\n\
        mailto:d,200,,,,\n\
        e.example,200,yesterday,,,\n\
        f.example,200,1700000000000,,,\n\
        ,200,,,,\n\
        g.example,200,,G,no json,\n\
        h.example,200,,H,,maybe\n\
        i.example,200,,\"I, \"\"quoted\"\"\nof two lines\",\"{\"\"Cache-Control\"\": \"\"max-age=5\"\"}\",TRUE\n\
        \n\
        j.example,,,,,\n\
        last.example,,,L,,false\n";
    let read = told("x.csv", table.as_bytes());
    let kinds: Vec<&str> = read.iter().map(|line| line.split(": ").next().unwrap_or_default()).collect();
    let expected = [
        "a.example A",
        "x.csv:2 row",
        "x.csv:3 row",
        "x.csv:4 url",
        "x.csv:5 row",
        "x.csv:6 row",
        "x.csv:7 row",
        "x.csv:8 row",
        "x.csv:9 row",
        "i.example I, \"quoted\"\nof two lines",
        "j.example ",
        "last.example L",
    ];
    assert_eq!(kinds, expected, "{read:?}");
    assert_eq!(read[1], "x.csv:2 row: bad row: 2 fields, but the header has 6");
    match items_within("x.csv", table.as_bytes(), &ReadLimits::default()).get(9..11) {
        Some([Item::Capture(full), Item::Capture(silent)]) => {
            assert_eq!((full.fresh_for, full.truncated, full.status), (Some(5), true, 200));
            assert_eq!(silent.status, 0, "neither status nor body: no answer");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn tables_that_cannot_be_read() {
    let columns =
        "x.csv:0 columns: no column url or host, nor filename, offset and length; the columns are: ";
    assert_eq!(told("x.csv", b"name,text\na.example,A\n"), [format!("{columns}name, text")]);
    assert_eq!(told("x.csv", b"url;status;body\na.example;200;A\n"), [format!("{columns}url;status;body")]);
    assert_eq!(told("x.csv", b""), [""; 0]);
    assert_eq!(told("x.csv", b"url,body\n"), [""; 0]);
    let utf16: Vec<u8> = "\u{feff}url,body\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(
        told("x.csv", &utf16),
        ["x.csv:0 table: damaged table, of which the rest is not read: it is UTF-16; write it as UTF-8"]
    );
    // After an unclosed quote, lines are untrusted.
    let open = format!("url,body\na.example,A\nb.example,\"{}", "forged.example,F\n".repeat(50));
    let small = limits(|limits| limits.max_line = 100);
    assert_eq!(
        told_within("x.csv", open.as_bytes(), &small),
        ["a.example A", "x.csv:2 line-too-long: the line is longer than the limit max_line"]
    );
    // A row that ends in a quote is not whole.
    let cut_in = |row: &str| told("x.csv", format!("url,status,body\na.example,200,A\n{row}").as_bytes());
    let reason = "x.csv:2 table: damaged table, of which the rest is not read: \
                  the file ends inside a quote of this row";
    for row in [
        "b.example,200,\"User-agent: *\nc.example,404,\nd.example,404,\n",
        "b.example,200,\"User-agent: *\n",
        "b.example,200,\"User-agent: \"\"*",
    ] {
        assert_eq!(cut_in(row), ["a.example A", reason], "{row}");
    }
    for row in ["b.example,200,\"B\"\r\n", "b.example,200,\"B\"", "b.example,200,B"] {
        assert_eq!(cut_in(row), ["a.example A", "b.example B"], "{row}");
    }
    let wide = format!("url{}\n", ",".repeat(10_000));
    assert!(told("x.csv", wide.as_bytes())[0].starts_with("x.csv:0 table: "));
    let packed = gzip(b"url,body\na.example,A\nb.example,B\n");
    let cut = told("x.csv.gz", &packed[..packed.len() - 4]);
    assert!(cut.last().is_some_and(|last| last.contains(" table: ") && last.contains("gzip")), "{cut:?}");
    let sum = packed.len() - 8;
    let wrong = told("x.csv.gz", &[&packed[..sum], b"\0\0\0\0", &packed[sum + 4..]].concat());
    assert!(
        wrong.iter().all(|line| !line.starts_with("a.example") && !line.starts_with("b.example")),
        "{wrong:?}"
    );
    // Column names that are not ASCII are ignored; bodies are bytes.
    assert_eq!(told("x.csv", b"caf\xe9,url,body\n1,a.example,caf\xe9\n"), ["a.example caf\u{fffd}"]);
}

const SCHEMA: &str = "message m { required binary url (UTF8); optional binary body; optional int64 fetched_at; optional boolean truncated; }";

fn rows(numbers: std::ops::Range<usize>) -> Vec<Cells> {
    vec![
        Cells::Bytes(numbers.clone().map(|n| Some(url(n).into_bytes())).collect()),
        Cells::Bytes(
            numbers.clone().map(|n| Some(format!("{n}\n").into_bytes()).filter(|_| n != 3)).collect(),
        ),
        Cells::Int64(numbers.clone().map(|n| if n == 2 { Some(-5) } else { None }).collect()),
        Cells::Bool(numbers.map(|n| Some(n == 1)).collect()),
    ]
}

#[test]
fn parquet_of_other_shapes() {
    let good = parquet(SCHEMA, Compression::SNAPPY, &[rows(0..4), rows(4..40)]);
    let mut expected: Vec<String> = (0..40).map(|n| site(n) + "\n").collect();
    expected[3] = "http://h3.example ".to_owned();
    expected[2] = "x.parquet:3 row: bad row: fetched_at: -5 is before 1970".to_owned();
    assert_eq!(told("x.parquet", &good), expected);

    let missing = parquet(
        "message m { optional binary name (UTF8); optional int32 status; }",
        Compression::SNAPPY,
        &[vec![Cells::Bytes(vec![None]), Cells::Int32(vec![None])]],
    );
    assert_eq!(
        told("x.parquet", &missing),
        [
            "x.parquet:0 columns: no column url or host, nor filename, offset and length; the columns are: name, status"
        ]
    );
    let nested = parquet(
        "message m { required binary url (UTF8); optional group body { optional binary text; } }",
        Compression::SNAPPY,
        &[vec![Cells::Bytes(vec![Some(b"a.example".to_vec())]), Cells::Bytes(vec![None])]],
    );
    let told_of_nested = told("x.parquet", &nested);
    assert!(told_of_nested[0].starts_with("x.parquet:1 table: "), "{told_of_nested:?}");
    assert!(told_of_nested[0].contains("the column \"body\" is a list or a structure"), "{told_of_nested:?}");

    for (name, bytes) in
        [("x.parquet", gzip(&good)), ("x.parquet.gz", gzip(&good)), ("x.zip", gzip(&zip(&[])))]
    {
        assert!(told(name, &bytes)[0].contains(" needs-file: "), "{name}");
    }
    for (name, kind) in [("x.parquet", "Parquet"), ("x.zip", "zip")] {
        let expected = format!("{name}:0 misnamed: it is named as {kind}, but does not begin as such a file");
        assert_eq!(told(name, b"no such thing"), std::slice::from_ref(&expected));
        assert_eq!(told(name, b""), [expected]);
    }
    let short = told("x.parquet", &good[..good.len() / 2]);
    assert!(short.len() == 1 && short[0].starts_with("x.parquet:0 table: "), "{short:?}");
}

#[test]
fn archives_that_cannot_be_read() {
    let files = [
        ("a.example.txt", b"A".to_vec()),
        ("README", b"?".to_vec()),
        ("x.tar", tar(&[])),
        ("x.zip", zip(&[])),
        ("x.parquet", parquet(SCHEMA, Compression::SNAPPY, &[rows(0..1)])),
        ("dir/x.jsonl", b"{\"url\": \"b.example\", \"body\": \"B\"}\nno json".to_vec()),
        ("x.warc.gz", gzip(&page("http://c.example/robots.txt", "C"))),
        ("evil.example.txt", page("http://forged.example/robots.txt", "F")),
        ("z.example.txt", b"Z".to_vec()),
    ];
    for (name, bytes) in [
        ("y.tar", tar(&files)),
        ("y.tgz", gzip(&tar(&files))),
        ("y.tar.zst", zstd(&tar(&files))),
        ("y.zip", zip(&files)),
    ] {
        let read = told(name, &bytes);
        let kinds: Vec<&str> = read.iter().map(|line| line.split(": ").next().unwrap_or_default()).collect();
        let inside = |rest: &str| format!("{name}/{rest}");
        let expected = [
            "a.example A".to_owned(),
            inside("README:0 file-name"),
            inside("x.tar:0 nested"),
            inside("x.zip:0 nested"),
            inside("x.parquet:0 needs-file"),
            "b.example B".to_owned(),
            inside("dir/x.jsonl:2 json"),
            "http://c.example C".to_owned(),
        ];
        assert_eq!(kinds[..expected.len()], expected, "{read:?}");
        assert!(
            read[8].starts_with("evil.example WARC/1.0"),
            "a host's file speaks for that host alone: {read:?}"
        );
        assert_eq!(read[9], "z.example Z");
        let few = limits(|limits| limits.max_entries = 2);
        let read = told_within(name, &bytes, &few);
        assert_eq!(read.len(), 3, "{read:?}");
        assert!(
            read[2].contains(":3 archive: the rest of the archive is not read: more entries"),
            "{read:?}"
        );
    }
}

#[test]
fn the_directory_of_a_zip_has_a_limit() {
    let files: Vec<_> = (0..200).map(|number| format!("h{number}.example.txt")).collect();
    let files: Vec<_> = files.iter().map(|name| (name.as_str(), b"A".to_vec())).collect();
    let bytes = zip(&files);
    let within = |most| told_within("x.zip", &bytes, &limits(|limits| limits.max_zip_directory = most));
    assert_eq!(within(200 * 100).len(), 200, "the limit is not one on the files");
    let read = within(200 * 46);
    assert!(
        read.len() == 1 && read[0].ends_with("its directory is longer than the limit max_zip_directory"),
        "{read:?}"
    );
}

#[test]
fn a_cut_tar_keeps_what_is_whole() {
    let bytes = tar(&[
        ("a.example.txt", b"A".to_vec()),
        ("b.example.txt", vec![b'#'; 2000]),
        ("c.example.txt", b"C".to_vec()),
    ]);
    let read = told("x.tar", &bytes[..1024 + 512 + 100]);
    assert_eq!(read[0], "a.example A");
    assert_eq!(read[1], "x.tar/b.example.txt:0 io: cannot be read: the archive ends inside this entry");
    assert!(read[2].starts_with("x.tar:3 archive: the rest of the archive is not read"), "{read:?}");
    let mut bad = bytes.clone();
    bad[1024 + 10] ^= 1;
    let read = told("x.tar", &bad);
    assert_eq!(read.len(), 2, "{read:?}");
    assert!(read[1].starts_with("x.tar:2 archive: the rest of the archive is not read: "), "{read:?}");
    assert_eq!(told("x.tar", &bytes.repeat(2)).len(), 9, "joined by cat, with three reports");
    let packed = gzip(&bytes);
    let read = told("x.tar.gz", &packed[..packed.len() - 6]);
    assert!(
        read.iter().any(|line| line.starts_with("x.tar.gz:") && line.contains("damaged gzip data")),
        "{read:?}"
    );
}

#[test]
fn odd_tar_entries() {
    let mut builder = ::tar::Builder::new(Vec::new());
    let mut add = |name: &str, kind: ::tar::EntryType, data: &[u8]| {
        let mut header = ::tar::Header::new_gnu();
        header.set_size(data.len() as u64);
        header.set_entry_type(kind);
        builder.append_data(&mut header, name, data).expect("room");
    };
    let long = format!("{}/long.example.txt", "d".repeat(200));
    add("folder/", ::tar::EntryType::Directory, b"");
    add("link.example", ::tar::EntryType::Symlink, b"");
    add(&long, ::tar::EntryType::Regular, b"L");
    add("device.example", ::tar::EntryType::Char, b"");
    builder.append_pax_extensions([("path", b"of/pax.example.txt".as_slice())]).expect("room");
    let mut header = ::tar::Header::new_ustar();
    header.set_path("short").expect("a path");
    header.set_size(1);
    header.set_cksum();
    builder.append(&header, &b"P"[..]).expect("room");
    // The data of a file with holes begin with a list of them.
    let sparse = [("GNU.sparse.major", &b"1"[..]), ("GNU.sparse.name", b"holes.example.txt")];
    builder.append_pax_extensions(sparse).expect("room");
    builder.append(&header, &b"1"[..]).expect("room");
    let bytes = builder.into_inner().expect("room");
    let expected = [
        "x.tar:2 not-regular: the entry \"link.example\" is no regular file",
        "long.example L",
        "x.tar:4 not-regular: the entry \"device.example\" is no regular file",
        "pax.example P",
        "x.tar:6 not-regular: the entry \"holes.example.txt\" is no regular file",
    ];
    assert_eq!(told("x.tar", &bytes), expected);
    let small = limits(|limits| limits.max_header = 100);
    let read = told_within("x.tar", &bytes, &small);
    assert!(read.last().is_some_and(|last| last.contains("longer than the limit max_header")), "{read:?}");
}

#[test]
fn zip_entries_that_cannot_be_read() {
    let files = [
        ("a.example.txt", b"A".repeat(40)),
        ("b.example.txt", b"B".repeat(40)),
        ("c.example.txt", b"C".repeat(40)),
    ];
    let bytes = zip(&files);
    // The second entry claims to be encrypted, in both of its headers.
    let mut encrypted = bytes.clone();
    for (magic, flags) in [(b"PK\x03\x04", 6), (b"PK\x01\x02", 8)] {
        let second = memchr::memmem::find_iter(&bytes, magic).nth(1).expect("three headers");
        encrypted[second + flags] |= 1;
    }
    let read = told("x.zip", &encrypted);
    assert_eq!(read.len(), 3);
    assert!(read[1].starts_with("x.zip:2 archive: the entry \"b.example.txt\": "), "{read:?}");
    // A wrong checksum.
    let mut damaged = bytes.clone();
    for (magic, sum) in [(b"PK\x03\x04", 14), (b"PK\x01\x02", 16)] {
        let second = memchr::memmem::find_iter(&bytes, magic).nth(1).expect("three headers");
        damaged[second + sum] ^= 1;
    }
    let read = told("x.zip", &damaged);
    assert_eq!(read.len(), 3);
    assert!(read[1].starts_with("x.zip/b.example.txt:0 io: "), "{read:?}");
    // Two entries at one place.
    let mut overlapping = bytes.clone();
    let places: Vec<usize> = memchr::memmem::find_iter(&bytes, b"PK\x01\x02").collect();
    overlapping.copy_within(places[0] + 42..places[0] + 46, places[1] + 42);
    let read = told("x.zip", &overlapping);
    assert!(read.len() == 1 && read[0].contains("overlap"), "{read:?}");
    let read = told("x.zip", &bytes[..bytes.len() - 30]);
    assert!(read.len() == 1 && read[0].starts_with("x.zip:0 archive: "), "{read:?}");
}

/// Decompression bombs are read up to the limits.
#[test]
fn bombs() {
    let small = limits(|limits| limits.max_body = 1000);
    let mut body = vec![b'#'; 30 << 20];
    body[99] = b'\n';
    let kept = String::from_utf8_lossy(&body[..1000]).into_owned();
    for (name, bytes) in [
        ("a.example.txt.gz", gzip(&body)),
        ("a.example.txt.zst", zstd(&body)),
        ("x.zip", zip(&[("a.example.txt", body.clone())])),
        ("x.tar.gz", gzip(&tar(&[("a.example.txt", body.clone())]))),
    ] {
        assert!(bytes.len() < 64 << 10, "{name}");
        assert_eq!(told_within(name, &bytes, &small), [format!("a.example {kept}")], "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// No bytes of any format make a reader panic, hang or report nothing.
    #[test]
    fn mutated(kind in 0..8_usize, changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6), cut in prop::option::of(any::<prop::sample::Index>())) {
        let records: Vec<Vec<u8>> = (0..3).map(|n| page(&url(n), "User-agent: *\n")).collect();
        let csv = [csv_row(&[b"url", b"body"]), csv_row(&[b"a.example", b"A \"\n"]), csv_row(&[b"b.example", b"B"])].concat();
        let (name, mut bytes) = match kind {
            0 => ("x.warc.zst", records.iter().flat_map(|record| zstd(record)).collect()),
            1 => ("x.warc.zst", zstd_with_dictionary(&records.concat(), kind % 2 == 1, &records)),
            2 => ("x.csv", csv),
            3 => ("x.tar", tar(&[("a.example.txt", b"A".to_vec()), ("x.csv", csv)])),
            4 => ("x.zip", zip(&[("a.example.txt", b"A".to_vec()), ("x.csv", csv)])),
            5 => ("x.parquet", parquet(SCHEMA, Compression::SNAPPY, &[rows(0..4), rows(4..8)])),
            6 => ("x.parquet", parquet(SCHEMA, Compression::UNCOMPRESSED, &[rows(0..4), rows(4..8)])),
            _ => ("x.parquet", parquet(SCHEMA, Compression::GZIP(Default::default()), &[rows(0..8)])),
        };
        for (index, byte) in changes {
            let at = index.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let small = limits(|limits| (limits.max_body, limits.max_line, limits.max_header) = (1 << 16, 1 << 16, 1 << 12));
        told_within(name, &bytes, &small);
    }
}

/// A line of a stranger's body must not become a row.
#[test]
fn a_quote_inside_a_field_ends_a_table() {
    let stranger = "\"# x\nhttps://victim.example/robots.txt, 200, 7, Allow: /\n# \"";
    let cells = [
        format!(" {stranger}"),
        format!("x{stranger}"),
        "\"a\"b".to_owned(),
        format!("\"x\"\r{stranger}"),
        format!("\"x\"\r\r{stranger}"),
        "\"x\"\ry".to_owned(),
    ];
    for cell in cells {
        let table =
            format!("url,status,fetched_at,body\na.example,200,7,A\nb.example,200,7,{cell}\nc,200,7,C\n");
        let read = told("x.csv", table.as_bytes());
        assert_eq!(read.len(), 2, "{read:?}");
        assert_eq!(read[0], "a.example A");
        assert!(
            read[1].starts_with("x.csv:2 table: ") && read[1].contains("a quote inside a field"),
            "{read:?}"
        );
    }
    let quoted = "url,body\r\n\"a.example\",\"say \"\"x\"\"\"\r\n\"b.example\",\"\"\r\n\r\nc.example,C";
    assert_eq!(told("x.csv", quoted.as_bytes()), ["a.example say \"x\"", "b.example ", "c.example C"]);
}

/// White space behind objects was passed over once for each of them: this took a minute.
#[test]
fn white_space_behind_objects_is_passed_over_once() {
    let start = std::time::Instant::now();
    let line = ["{}".repeat(20_000), " ".repeat(2_000_000)].concat();
    let last = "{\"url\":\"https://a.example/robots.txt\",\"body\":\"A\"}";
    let read = common::lines("x.jsonl", format!("{line}\n{last} {last}  \n").as_bytes());
    assert_eq!(read[20_000..], ["https://a.example/robots.txt A", "https://a.example/robots.txt A"]);
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
}

/// Which of two entries of one name counts, readers of zip archives do not agree on.
#[test]
fn a_zip_archive_with_a_name_twice_is_not_read() {
    let entry = |text: &str| text.as_bytes().to_vec();
    let mut twice = zip(&[("a.example.txt", entry("A")), ("b.example.txt", entry("B"))]);
    assert_eq!(told("x.zip", &twice), ["a.example A", "b.example B"]);
    // Of the same length, so that nothing else in the archive changes.
    while let Some(at) = twice.windows(9).position(|name| name == b"b.example") {
        twice[at] = b'a';
    }
    let read = told("x.zip", &twice);
    assert!(read.len() == 1 && read[0].contains("several entries have one name"), "{read:?}");
}

#[test]
fn a_column_that_is_there_twice_is_refused() {
    let read = told("x.csv", b"url,body,Body\na.example,Disallow: /,Allow: /\n");
    assert_eq!(read.len(), 1, "{read:?}");
    assert!(read[0].contains("two columns are its body"), "{read:?}");
}

/// An index of captures without their bodies is no list of empty texts.
#[test]
fn a_success_without_a_body_is_not_read() {
    let lines = "{\"url\":\"https://a.example/robots.txt\",\"status\":200}\n\
        {\"url\":\"https://b.example/robots.txt\",\"status\":200,\"Body\":\"Disallow: /\"}\n\
        {\"url\":\"https://c.example/robots.txt\",\"status\":204,\"body\":null}\n\
        {\"url\":\"https://d.example/robots.txt\",\"status\":404}\n\
        {\"url\":\"https://e.example/robots.txt\",\"status\":200,\"body\":\"\"}\n";
    let expected = [
        "at 1: json",
        "at 2: json",
        "at 3: json",
        "https://d.example/robots.txt ",
        "https://e.example/robots.txt ",
    ];
    assert_eq!(common::lines("x.jsonl", lines.as_bytes()), expected);
    // In CSV, an empty text cannot be told from none.
    assert_eq!(told("x.csv", b"url,status\na.example,200\n").len(), 1);
    assert_eq!(told("x.csv", b"url,status,body\na.example,200,\n"), ["a.example "]);
}
