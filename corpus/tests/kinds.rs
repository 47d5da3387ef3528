//! The same captures give the same image in every format.

mod common;

use base64::Engine as _;
use parquet::basic::{BrotliLevel, Compression, GzipLevel, ZstdLevel};
use proptest::prelude::*;
use robomaton_corpus::{BatchOptions, Input, Progress, build};
use robomaton_tests::write::{
    Cells, csv_row, dictionary, gzip, parquet, record, tar, zip, zstd, zstd_with_dictionary,
};
use std::fs;
use std::path::Path;

/// A capture that every format can express.
#[derive(Clone, Debug)]
struct Told {
    host: u8,
    status: u16,
    fetched_at: i64,
    body: Vec<u8>,
}

impl Told {
    fn url(&self) -> String {
        format!("https://h{}.example/robots.txt", self.host)
    }

    fn time(&self) -> String {
        jiff::Timestamp::from_second(self.fetched_at).expect("a time").to_string()
    }

    fn warc(&self) -> Vec<u8> {
        let block = [format!("HTTP/1.1 {} X\r\n\r\n", self.status).as_bytes(), &self.body].concat();
        record("response", &self.url(), &self.time(), &block)
    }

    fn json(&self) -> String {
        let body = base64::engine::general_purpose::STANDARD.encode(&self.body);
        let (url, status, time) = (self.url(), self.status, self.time());
        format!(
            "{{\"url\": \"{url}\", \"status\": {status}, \"fetched_at\": \"{time}\", \"body_base64\": \"{body}\"}}\n"
        )
    }

    fn csv(&self) -> Vec<u8> {
        let (status, time) = (self.status.to_string(), self.fetched_at.to_string());
        csv_row(&[&self.body, b"passed over", time.as_bytes(), status.as_bytes(), self.url().as_bytes()])
    }
}

fn told() -> impl Strategy<Value = Vec<Told>> {
    let body = prop_oneof![
        Just(b"User-agent: *\nDisallow: /x\n".to_vec()),
        prop::collection::vec(any::<u8>(), 0..60),
        prop::collection::vec(prop::sample::select(b"\"\n\r,a: /".to_vec()), 0..40),
    ];
    let one = (0..5_u8, prop::sample::select(vec![200, 404, 503]), 1..2_000_000_000_i64, body)
        .prop_map(|(host, status, fetched_at, body)| Told { host, status, fetched_at, body });
    prop::collection::vec(one, 1..12)
}

const SCHEMA: &str = "message captures {
    optional double status; required binary url (UTF8); optional int64 fetched_at (TIMESTAMP(MICROS,true)); optional binary body;
}";

fn parquet_of(all: &[Told], compression: Compression) -> Vec<u8> {
    let group = |all: &[Told]| {
        vec![
            Cells::Double(all.iter().map(|one| Some(f64::from(one.status))).collect()),
            Cells::Bytes(all.iter().map(|one| Some(one.url().into_bytes())).collect()),
            Cells::Int64(all.iter().map(|one| Some(one.fetched_at * 1_000_000 + 7)).collect()),
            Cells::Bytes(all.iter().map(|one| Some(one.body.clone())).collect()),
        ]
    };
    parquet(SCHEMA, compression, &all.chunks(5).map(group).collect::<Vec<_>>())
}

/// The image of the inputs with these names in a directory.
fn image(home: &Path, names: &[&str]) -> Vec<u8> {
    let inputs: Vec<Input> = names.iter().map(|name| Input::Path(home.join(name))).collect();
    let options = BatchOptions { warc_root: Some(home.to_owned()), threads: 1, ..BatchOptions::default() };
    let built = build(&inputs, &options, &Progress::default()).expect("an image");
    assert_eq!(built.report.skipped_examples, [""; 0], "{names:?}");
    built.image
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn one_image_of_every_kind(all in told()) {
        let home = tempfile::tempdir().expect("a directory");
        let put = |name: &str, bytes: &[u8]| fs::write(home.path().join(name), bytes).expect("a file");
        let records: Vec<Vec<u8>> = all.iter().map(Told::warc).collect();
        let warc = records.concat();
        put("x.warc", &warc);
        let expected = image(home.path(), &["x.warc"]);

        let members: Vec<Vec<u8>> = records.iter().map(|record| gzip(record)).collect();
        let json: String = all.iter().map(Told::json).collect();
        let header = b"\xef\xbb\xbfbody,other,Fetched_At, status ,url\r\n".to_vec();
        let csv: Vec<u8> = std::iter::once(header).chain(all.iter().map(Told::csv)).flatten().collect();
        put("x.warc.gz", &members.concat());
        put("x.warc.zst", &records.iter().flat_map(|record| zstd(record)).collect::<Vec<u8>>());
        let words = dictionary(|n| record("response", &format!("https://h{n}.example/robots.txt"), "", b"HTTP/1.1 200 OK\r\n\r\n"));
        put("plain-dictionary.warc.zst", &zstd_with_dictionary(&words, false, &records));
        put("packed-dictionary.warc.zst", &zstd_with_dictionary(&words, true, &records));
        put("x.jsonl", json.as_bytes());
        put("x.jsonl.gz", &gzip(json.as_bytes()));
        put("no-name-that-says-so", &gzip(&warc));
        put("x.ndjson.zst", &zstd(json.as_bytes()));
        put("x.csv", &csv);
        put("x.csv.gz", &gzip(&csv));
        put("x.csv.zst", &zstd(&csv));
        put("x.tar", &tar(&[("sub/x.jsonl.gz", gzip(json.as_bytes()))]));
        put("x.tar.gz", &gzip(&tar(&[("x.warc.gz", members.concat())])));
        put("x.tar.zst", &zstd(&tar(&[("x.csv", csv.clone())])));
        put("x.tgz", &gzip(&tar(&[("x.warc.zst", zstd(&warc))])));
        put("x.zip", &zip(&[("sub/x.jsonl", json.clone().into_bytes())]));
        put("y.zip", &zip(&[("x.warc.gz", members.concat())]));
        for (name, compression) in [
            ("plain.parquet", Compression::UNCOMPRESSED),
            ("snappy.parquet", Compression::SNAPPY),
            ("zstd.parquet", Compression::ZSTD(ZstdLevel::default())),
            ("gzip.parquet", Compression::GZIP(GzipLevel::default())),
            ("lz4.parquet", Compression::LZ4_RAW),
            ("brotli.parquet", Compression::BROTLI(BrotliLevel::default())),
        ] {
            put(name, &parquet_of(&all, compression));
        }

        // The range of each record in the compressed file, from last to first.
        let mut at = 0;
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        for member in &members {
            ranges.push((at, member.len()));
            at += member.len();
        }
        ranges.reverse();
        let line = |(at, length): &(usize, usize)| {
            format!("{{\"url\": \"?\", \"status\": \"200\", \"length\": \"{length}\", \"offset\": \"{at}\", \"filename\": \"x.warc.gz\"}}\n")
        };
        let cdxj = |range| format!("com,example)/robots.txt 20260102030405 {}", line(range));
        let row = |(at, length): &(usize, usize)| format!("x.warc.gz,{at},{length}\n");
        put("index.jsonl", ranges.iter().map(line).collect::<String>().as_bytes());
        put("index.cdxj", ranges.iter().map(cdxj).collect::<String>().as_bytes());
        let rows: String = ranges.iter().map(row).collect();
        put("index.csv", format!("warc_filename,warc_record_offset,warc_record_length\n{rows}").as_bytes());
        let schema = "message m { required binary warc_filename (UTF8); required int32 warc_record_offset; optional int64 warc_record_length; }";
        let columns = vec![
            Cells::Bytes(ranges.iter().map(|_| Some(b"x.warc.gz".to_vec())).collect()),
            Cells::Int32(ranges.iter().map(|range| Some(range.0 as i32)).collect()),
            Cells::Int64(ranges.iter().map(|range| Some(range.1 as i64)).collect()),
        ];
        put("index.parquet", &parquet(schema, Compression::SNAPPY, &[columns]));

        for entry in fs::read_dir(home.path()).expect("a directory") {
            let name = entry.expect("a file").file_name().into_string().expect("a name");
            prop_assert!(image(home.path(), &[&name]) == expected, "{}", name);
        }
    }

    /// Files named after their hosts: one by one, compressed, and in every archive.
    #[test]
    fn one_image_of_every_folder(bodies in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 1..6)) {
        let home = tempfile::tempdir().expect("a directory");
        let path = |name: &str| {
            let path = home.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            path
        };
        // A body that begins like a compressed one would be decompressed.
        let plain = |body: &Vec<u8>| [b"#", body.as_slice()].concat();
        let named: Vec<(String, Vec<u8>)> =
            bodies.iter().enumerate().map(|(n, body)| (format!("h{n}.example.txt"), plain(body))).collect();
        for (name, body) in &named {
            fs::write(path(&format!("plain/{name}")), body).expect("a file");
            fs::write(path(&format!("gz/{name}.gz")), gzip(body)).expect("a file");
            fs::write(path(&format!("zst/{name}.zst")), zstd(body)).expect("a file");
        }
        let files: Vec<(&str, Vec<u8>)> = named.iter().map(|(name, body)| (name.as_str(), body.clone())).collect();
        fs::write(path("x.tar"), tar(&files)).expect("a file");
        fs::write(path("x.tar.gz"), gzip(&tar(&files))).expect("a file");
        fs::write(path("x.zip"), zip(&files)).expect("a file");
        let expected = image(home.path(), &["plain"]);
        for name in ["gz", "zst", "x.tar", "x.tar.gz", "x.zip"] {
            prop_assert!(image(home.path(), &[name]) == expected, "{}", name);
        }
    }
}
