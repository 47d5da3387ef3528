//! Captures in every format: they come out as they went in, whatever their bodies say. A cut, or
//! two damaged places, may lose some of them, but make none.
//!
//! ```text
//! input   := options damage damage bodies
//! options := u8: bits 0–3 format, bit 5 cut at the first damage, otherwise bits 6 and 7 the first
//!            and the second damage change a byte, if each capture has a checksum
//! damage  := u16 place, in parts of the file; u8 the bits that change
//! bodies  := body [0xFF bodies]
//! body    := bytes; 0xFE begins a record of another site in a gzip member, 0xFD one in a zstd frame,
//!            0xFC a plain one; it ends with the next of these bytes, or with the body
//! ```

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use parquet::basic::Compression;
use robomaton_corpus::{Input, Item, ReadLimits, read};
use robomaton_tests::write::{
    Cells, csv_row, gzip, parquet, record, stored_gzip, stored_zip, tar, zip, zstd,
};
use std::ops::ControlFlow;
use std::sync::atomic::AtomicU64;

/// The bytes of options and damages.
const HEAD: usize = 7;
/// The bytes of the length at the end of a gzip file.
const LENGTH: usize = 4;
/// The host of the captures that bodies contain.
const VICTIM: &str = "victim.example";
const DATE: &str = "2026-01-02T03:04:05Z";
const SCHEMA: &str = "message m { required binary url (UTF8); required int32 status; required binary body; }";

/// A format: the end of its name, whether each capture is in a member whose checksum is looked at
/// before the capture counts, and its writer.
type Format = (&'static str, bool, fn(&[Vec<u8>]) -> Vec<u8>);

const FORMATS: [Format; 16] = [
    (".warc", false, |bodies| warc(bodies).concat()),
    (".warc.gz", true, |bodies| each(&warc(bodies), gzip)),
    (".warc.gz", true, |bodies| each(&warc(bodies), stored_gzip)),
    (".warc.gz", true, |bodies| gzip(&warc(bodies).concat())),
    (".warc.gz", true, |bodies| stored_gzip(&warc(bodies).concat())),
    (".warc.zst", true, |bodies| each(&warc(bodies), zstd)),
    (".warc.zst", true, |bodies| zstd(&warc(bodies).concat())),
    (".jsonl", false, json),
    (".jsonl.gz", true, |bodies| gzip(&json(bodies))),
    (".csv", false, csv),
    (".csv.zst", true, |bodies| zstd(&csv(bodies))),
    (".tar", false, |bodies| tar(&files(bodies))),
    (".tgz", true, |bodies| gzip(&tar(&files(bodies)))),
    (".zip", false, |bodies| zip(&files(bodies))),
    (".zip", false, |bodies| stored_zip(&files(bodies))),
    (".parquet", false, parquet_of),
];

/// The names of the files of an archive.
const FILES: [&str; 6] = [
    "h0.example.txt",
    "h1.example.txt",
    "h2.example.txt",
    "h3.example.txt",
    "h4.example.txt",
    "h5.example.txt",
];

/// Reads captures that a format holds.
///
/// # Panics
/// If one comes out changed or is missing, and nothing was damaged; if one comes out that nobody
/// put in.
pub fn packed(data: &[u8]) {
    let Some((head, rest)) = data.split_first_chunk::<HEAD>() else { return };
    let [options, damages @ ..] = *head;
    let (ending, has_sums, write) = FORMATS[usize::from(options & 15)];
    let bodies: Vec<Vec<u8>> = rest.split(|&byte| byte == 0xFF).take(FILES.len()).map(body).collect();
    let mut file = write(&bodies);
    let whole = file.len();
    let is_cut = options & 1 << 5 != 0;
    let are_two = options >> 6 == 3;
    for (damage, bit) in damages.chunks_exact(3).zip([6, 7]) {
        let place = place(damage, whole);
        // Beside other damage, a wrong length looks like a cut (RULES.md, "Known gaps").
        let hides_end = are_two && place + LENGTH >= whole;
        if options & 1 << bit != 0 && has_sums && !is_cut && !hides_end {
            file[place] ^= damage[2];
        }
    }
    if is_cut {
        file.truncate(place(&damages, whole));
    }
    let is_damaged = options >> 5 != 0;
    // The last row of a table may lack its line end, so a cut may look like its end.
    let tells_cuts = ending != ".csv";
    compare(&bodies, &captures(ending, &file), is_damaged, tells_cuts);
}

fn place(damage: &[u8], length: usize) -> usize {
    (usize::from(u16::from_le_bytes([damage[0], damage[1]])) * length) >> 16
}

/// The host, the body and whether it was cut, of each capture of a file.
fn captures(ending: &str, file: &[u8]) -> Vec<(String, Vec<u8>, bool)> {
    let place = tempfile::Builder::new().suffix(ending).tempfile().expect("a temporary file");
    std::fs::write(place.path(), file).expect("a temporary file");
    let mut found = Vec::new();
    let input = [Input::Path(place.path().to_owned())];
    // A file that is named after a host is read, whatever is in it.
    let mut limits = ReadLimits::default();
    limits.any_name = true;
    read(&input, &limits, &AtomicU64::new(0), &mut |item| {
        if let Item::Capture(capture) | Item::Target(capture) = item {
            found.push((capture.site.host().to_owned(), capture.body, capture.truncated));
        }
        ControlFlow::Continue(())
    })
    .expect("a file that can be read");
    found
}

fn compare(bodies: &[Vec<u8>], found: &[(String, Vec<u8>, bool)], is_damaged: bool, tells_cuts: bool) {
    let mut expected = bodies.iter().enumerate().map(|(number, body)| (host(number), body));
    for (host, body, is_cut) in found {
        // Captures that damage lost are passed over.
        let put = expected.by_ref().find(|(name, _)| name == host || !is_damaged);
        let (name, put) = put.unwrap_or_else(|| panic!("nobody put in {host}: {:?}", text(body)));
        assert_eq!(*host, name, "another capture");
        // A damaged length may end a body where a record begins in it (RULES.md, "Known gaps"), or
        // before the empty lines at its end.
        let rest = put.get(body.len()..).unwrap_or_default();
        let lines = rest.iter().position(|byte| !matches!(byte, b'\r' | b'\n')).unwrap_or(rest.len());
        let ends_at_record = rest.len() == lines || rest[lines..].starts_with(b"WARC/");
        let is_marked = *is_cut || !tells_cuts || ends_at_record;
        let is_part = is_damaged && is_marked && put.starts_with(body);
        // Where it ends so, its bytes may be other ones, too: the checksum comes later.
        let holds_record = |body: &[u8]| body.windows(5).any(|bytes| bytes == b"WARC/");
        let is_gap = is_damaged && holds_record(put) && holds_record(body);
        let is_right = is_part || is_gap || put == body && !is_cut;
        assert!(is_right, "{host} has {:?} in place of {:?}, cut: {is_cut}", text(body), text(put));
    }
    assert!(is_damaged || expected.next().is_none(), "a capture is lost");
}

fn text(body: &[u8]) -> String {
    body.escape_ascii().to_string()
}

/// A body with the records that it contains.
fn body(bytes: &[u8]) -> Vec<u8> {
    let is_mark = |byte: &u8| (0xFC..0xFF).contains(byte);
    // A file of an archive that begins as gzip or zstd is decompressed, as documented.
    let mut out = b"#".to_vec();
    let mut rest = bytes;
    let mut mark = None;
    loop {
        let end = rest.iter().position(is_mark).unwrap_or(rest.len());
        let hidden = record("response", &format!("http://{VICTIM}/robots.txt"), DATE, &answer(&rest[..end]));
        match mark {
            Some(0xFE) => out.extend(gzip(&hidden)),
            Some(0xFD) => out.extend(zstd(&hidden)),
            Some(_) => out.extend(hidden),
            None => out.extend_from_slice(&rest[..end]),
        }
        let Some((&next, after)) = rest[end..].split_first() else { return out };
        // The mark that ends a record begins none.
        mark = if mark.is_some() { None } else { Some(next) };
        rest = after;
    }
}

fn answer(body: &[u8]) -> Vec<u8> {
    [b"HTTP/1.1 200 OK\r\n\r\n", body].concat()
}

fn host(number: usize) -> String {
    format!("h{number}.example")
}

fn url(number: usize) -> String {
    format!("https://{}/robots.txt", host(number))
}

fn warc(bodies: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let one = |(number, body): (usize, &Vec<u8>)| record("response", &url(number), DATE, &answer(body));
    bodies.iter().enumerate().map(one).collect()
}

fn each(parts: &[Vec<u8>], pack: fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    parts.iter().flat_map(|part| pack(part)).collect()
}

/// Lines with the body as text, or in Base64 if it is none.
fn json(bodies: &[Vec<u8>]) -> Vec<u8> {
    let line = |(number, body): (usize, &Vec<u8>)| {
        let (key, value) = match std::str::from_utf8(body) {
            Ok(text) => ("body", text.to_owned()),
            Err(_) => ("body_base64", STANDARD.encode(body)),
        };
        format!("{}\n", serde_json::json!({ "url": url(number), "status": 200, key: value }))
    };
    bodies.iter().enumerate().map(line).collect::<String>().into_bytes()
}

fn csv(bodies: &[Vec<u8>]) -> Vec<u8> {
    let row = |(number, body): (usize, &Vec<u8>)| csv_row(&[url(number).as_bytes(), b"200", body]);
    let rows = bodies.iter().enumerate().flat_map(row);
    b"url,status,body\r\n".iter().copied().chain(rows).collect()
}

fn files(bodies: &[Vec<u8>]) -> Vec<(&'static str, Vec<u8>)> {
    FILES.into_iter().zip(bodies.iter().cloned()).collect()
}

fn parquet_of(bodies: &[Vec<u8>]) -> Vec<u8> {
    let urls = (0..bodies.len()).map(|number| Some(url(number).into_bytes())).collect();
    let columns = vec![
        Cells::Bytes(urls),
        Cells::Int32(vec![Some(200); bodies.len()]),
        Cells::Bytes(bodies.iter().cloned().map(Some).collect()),
    ];
    parquet(SCHEMA, Compression::SNAPPY, &[columns])
}
