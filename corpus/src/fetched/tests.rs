//! Streams of records, and the fetches in them.

use super::*;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

/// A record of an answer at a second.
fn record(kind: &str, second: u32, url: &str, extra: &str, block: &str) -> Vec<u8> {
    let length = block.len();
    format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-01-01T00:00:{second:02}Z\r\n\
         {extra}Content-Length: {length}\r\n\r\n{block}\r\n\r\n"
    )
    .into_bytes()
}

fn packed(records: &[Vec<u8>]) -> Vec<u8> {
    let member = |record: &Vec<u8>| {
        let mut member = GzEncoder::new(Vec::new(), Compression::fast());
        member.write_all(record).and_then(|()| member.finish()).expect("memory")
    };
    records.iter().flat_map(member).collect()
}

fn read(bytes: &[u8]) -> FetchedRecords {
    fetched_in_warc(bytes, 1 << 20, 100).expect("within the limits")
}

const START: i64 = 1_767_225_600;
const RULES: &str = "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nX: y:z\r\n\r\nUser-agent: *\nDisallow: /x\n";

fn moved(to: &str) -> String {
    format!("HTTP/1.1 301 Moved\r\nLocation: {to}\r\n\r\n")
}

#[test]
fn answers_keep_their_header_and_redirects_are_followed() {
    let records = [
        record("warcinfo", 0, "", "", "software: x"),
        record("response", 3, "http://a.example/robots.txt", "", &moved("https://a.example/robots.txt")),
        record("response", 2, "https://a.example/robots.txt", "", &moved("/r#x")),
        record("response", 4, "https://a.example/r", "", RULES),
        record("response", 1, "https://a.example/r", "", "HTTP/1.1 500 No\r\n\r\n"),
        record("response", 5, "https://b.example/robots.txt", "", &moved("https://c.example/robots.txt")),
        record("response", 6, "https://loop.example/robots.txt", "", &moved("/robots.txt")),
        b"WARC/\r\n".to_vec(),
    ];
    let (plain, in_members) = (read(&records.concat()), read(&packed(&records)));
    assert_eq!(plain.records, in_members.records);
    assert_eq!(plain.others, in_members.others);
    assert_eq!(plain.records[4].1, Err(SkipReason::RecordCut));
    let fetched: Vec<&Fetched> =
        plain.records.iter().filter_map(|(_, record)| record.as_ref().ok()).collect();
    assert_eq!((plain.others, plain.records.len(), fetched.len()), (3, 5, 4));
    assert_eq!(plain.records[0].0, records[0].len() as u64);
    let headers = [("ETag", "\"1\""), ("X", "y:z")];
    let headers = headers.map(|(name, value)| (name.to_owned(), value.as_bytes().to_vec())).to_vec();
    let body = b"User-agent: *\nDisallow: /x\n".to_vec();
    let wanted = Fetched {
        url: "http://a.example/robots.txt".to_owned(),
        fetched_at: START + 3,
        status: 200,
        redirects: 2,
        headers,
        body,
        truncated: false,
        refers_to: None,
    };
    assert_eq!(*fetched[0], wanted);
    let url = "https://a.example/robots.txt".to_owned();
    assert_eq!(*fetched[1], Fetched { url, fetched_at: START + 2, redirects: 1, ..wanted });
    assert_eq!((fetched[2].status, fetched[2].redirects, fetched[2].fetched_at), (301, 0, START + 5));
    assert_eq!((fetched[3].status, fetched[3].redirects), (301, 5));
}

#[test]
fn a_revisit_is_no_empty_text() {
    let url = "https://a.example/robots.txt";
    let same = "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest\r\n";
    let unmodified = "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/server-not-modified\r\n";
    let records = [
        record("revisit", 1, url, same, "HTTP/1.1 200 OK\r\n\r\n"),
        record("revisit", 2, url, same, ""),
        record("revisit", 3, url, unmodified, ""),
        record("revisit", 4, url, "", "HTTP/1.1 304 Not Modified\r\nETag: 2\r\n\r\n"),
        record("response", 5, url, "", "HTTP/1.1 304\r\n\r\nUser-agent: *\n"),
        record(
            "response",
            6,
            url,
            "WARC-Truncated: length\r\n",
            "HTTP/1.1 200\r\n\r\nDisallow: /\nAllow: /a",
        ),
        record("response", 7, url, "WARC-Truncated: length\r\n", "HTTP/1.1 200\r\n\r\nUser-agent: *"),
        record("response", 8, url, "WARC-Truncated: length\r\n", "HTTP/1.1 200\r\n\r\n"),
        record("response", 9, url, "", "HTTP/1.1 206\r\nContent-Range: bytes 0-12/99\r\n\r\nUser-agent: *"),
        record("response", 10, url, "", "HTTP/1.1 206\r\nContent-Range: bytes 0-0/99\r\n\r\n"),
        record(
            "response",
            11,
            url,
            "",
            "HTTP/1.1 206\r\nContent-Type: Multipart/ByteRanges; boundary=x\r\n\r\nUser-agent: *\n",
        ),
        record("response", 12, url, "WARC-Truncated: length\r\n", "HTTP/1.1 404\r\n\r\n"),
    ];
    let mut found = read(&records.concat()).records;
    // Each answer that cannot be read also gives a redirect to nowhere.
    let nowhere =
        found.extract_if(.., |(_, fetched)| fetched.as_ref().is_ok_and(|fetched| fetched.status == 301));
    assert_eq!(nowhere.count(), 5);
    let facts = |place: usize| {
        let fetched = found[place].1.as_ref().map_err(SkipReason::name)?;
        Ok::<_, &str>((fetched.status, String::from_utf8_lossy(&fetched.body).into_owned()))
    };
    let unchanged = Ok((304, String::new()));
    let wanted = [
        Err("revisit"),
        Err("revisit"),
        unchanged.clone(),
        unchanged.clone(),
        unchanged,
        Ok((200, "Disallow: /\n".to_owned())),
        Err("no-line"),
        Err("no-line"),
        Err("no-line"),
        Err("no-line"),
        Err("http"),
        Ok((404, String::new())),
    ];
    assert_eq!((0..wanted.len()).map(facts).collect::<Vec<_>>(), wanted);
}

/// A 304 behind a redirect is about the text before it, which must be in the stream.
#[test]
fn a_304_behind_a_redirect_has_its_text() {
    let [url, to] = ["https://a.example/robots.txt", "https://a.example/r"];
    let unmodified = "HTTP/1.1 304 Unmodified\r\nETag: \"1\"\r\n\r\n";
    let told = |before: &[Vec<u8>]| {
        let own = [record("response", 5, to, "", unmodified), record("response", 5, url, "", &moved("/r"))];
        let mut found = read(&[&own, before].concat().concat()).records;
        found.remove(0).1.map(|fetched| (fetched.status, fetched.fetched_at, fetched.body.len()))
    };
    let other = RULES.replace("\"1\"", "\"2\"");
    let coded = "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n\u{8b}\u{3}\u{1}x";
    let text = |second, block: &str| record("response", second, to, "", block);
    assert_eq!(told(&[text(3, RULES)]), Ok((200, START + 5, 27)));
    assert_eq!(told(&[text(2, coded), text(3, RULES)]), Ok((200, START + 5, 27)));
    for before in [vec![], vec![text(3, &other)], vec![text(3, coded)], vec![text(2, RULES), text(3, coded)]]
    {
        assert_eq!(told(&before), Err(SkipReason::Revisit));
    }
}

/// After its target has moved, one that does not tell its text is about what the redirect found.
#[test]
fn a_304_behind_a_redirect_is_not_about_a_text_before_the_next_redirect() {
    let [url, to] = ["https://a.example/robots.txt", "https://a.example/r"];
    let told = |etag: &str| {
        let unmodified = format!("HTTP/1.1 304 Unmodified\r\n{etag}\r\n");
        let records = [
            record("response", 4, url, "", &moved("/r")),
            record("response", 1, to, "", RULES),
            record("response", 2, to, "", &moved("/q")),
            record("response", 4, to, "", &unmodified),
        ];
        read(&records.concat()).records.remove(0).1.map(|fetched| fetched.status)
    };
    assert_eq!(told(""), Err(SkipReason::Revisit));
    assert_eq!(told("ETag: \"1\"\r\n"), Ok(200));
}

/// A 304 without validators is about the same text as the revisit before it.
#[test]
fn a_304_is_about_what_the_revisit_before_it_is_about() {
    let url = "https://a.example/robots.txt";
    let same = "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest\r\n";
    let last = record("response", 3, url, "", "HTTP/1.1 304 N\r\n\r\n");
    let digest = |digest: &str| format!("WARC-Payload-Digest: sha1:{digest}\r\n");
    let text = record("response", 1, url, &digest("A"), RULES);
    let again = |of: &str| record("revisit", 2, url, &format!("{same}{}", digest(of)), "");
    let unmodified =
        |tag: &str| record("response", 2, url, "", &format!("HTTP/1.1 304 N\r\nETag: {tag}\r\n\r\n"));
    for (between, is_known) in
        [(again("A"), true), (again("B"), false), (unmodified("\"1\""), true), (unmodified("\"2\""), false)]
    {
        let stream = [text.clone(), between, last.clone()].concat();
        let fetched = read(&stream).records.pop().expect("the last").1;
        assert_eq!(fetched.is_ok(), is_known, "{}", String::from_utf8_lossy(&stream));
    }
}

/// Behind an error or a redirect, a store no longer holds the text that a 304 is about.
#[test]
fn a_304_behind_another_answer_has_its_text() {
    let url = "https://a.example/robots.txt";
    let unmodified = |second| record("response", second, url, "", "HTTP/1.1 304 N\r\nETag: \"1\"\r\n\r\n");
    let last = |between: &[Vec<u8>]| {
        let stream = [&[record("response", 1, url, "", RULES)], between, &[unmodified(9)]].concat().concat();
        let fetched = read(&stream).records.pop().expect("the last").1.expect("a fetch");
        (fetched.status, fetched.fetched_at, fetched.body.len())
    };
    let unchanged = (304, START + 9, 0);
    let with_text = (200, START + 9, 27);
    let error =
        |second, status| record("response", second, url, "", &format!("HTTP/1.1 {status} No\r\n\r\n"));
    assert_eq!(last(&[]), unchanged);
    assert_eq!(last(&[unmodified(5)]), unchanged);
    assert_eq!(last(&[error(5, 404)]), with_text);
    assert_eq!(last(&[error(5, 503), error(6, 503)]), with_text);
    assert_eq!(last(&[record("response", 5, url, "", &moved("/q"))]), with_text);
    assert_eq!(last(&[error(5, 404), unmodified(6)]), with_text);
    assert_eq!(last(&[error(5, 404), record("response", 6, url, "", RULES)]), unchanged);
}

/// Among answers of one second, the choice is that of a batch, in every order.
#[test]
fn of_one_second_a_text_counts_before_an_error() {
    let [url, to] = ["https://a.example/robots.txt", "https://a.example/r"];
    let own = record("response", 4, url, "", &moved("/r"));
    let targets = [RULES, "HTTP/1.1 404 No\r\n\r\n", "HTTP/1.1 304 Unmodified\r\n\r\n"]
        .map(|block| record("response", 4, to, "", block));
    for order in [[0, 1, 2], [1, 2, 0], [2, 0, 1]] {
        let stream = [own.clone(), order.map(|place| targets[place].clone()).concat()].concat();
        let fetched = read(&stream).records.remove(0).1;
        assert_eq!(fetched.map(|fetched| fetched.status), Ok(200), "{order:?}");
    }
}

/// A page that cannot be read is no capture that is refused, unless the stream is damaged
/// there.
#[test]
fn records_of_pages_that_cannot_be_read_are_others() {
    let page = "https://a.example/p";
    let same = "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest\r\n";
    let coded = "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n\u{8b}\u{3}\u{1}x";
    let part = "HTTP/1.1 206 Part\r\nContent-Range: bytes 9-20/99\r\n\r\nxxx";
    let records = [
        record("response", 1, page, "", coded),
        record("response", 1, page, "", part),
        record("response", 1, page, "", "no status"),
        record("response", 1, page, "WARC-Segment-Number: 2\r\n", "xxx"),
        record("continuation", 1, page, "WARC-Segment-Number: 2\r\n", "xxx"),
        record("revisit", 1, page, same, "HTTP/1.1 200 OK\r\n\r\n"),
        record("response", 1, "ftp://a.example/robots.txt", "", "xxx"),
        record("response", 1, "whois://whois.example/a.example", "", "xxx"),
        record("response", 1, "https://a.example/robots.txt", "", RULES),
        record("response", 1, "https://b.example/robots.txt", "", coded),
        record("response", 1, "//", "", "xxx"),
    ];
    let read = read(&records.concat());
    let reasons = |read: FetchedRecords| {
        let reason = |(_, record): (u64, Result<Fetched, SkipReason>)| Some(record.err()?.name());
        read.records.into_iter().map(reason).collect::<Vec<_>>()
    };
    assert_eq!((read.others, reasons(read)), (8, vec![None, Some("encoding"), None, Some("url")]));
    let whole = record("response", 1, page, "", RULES);
    let cut = self::read(&whole[..whole.len() - 9]);
    assert_eq!((cut.others, reasons(cut)), (0, vec![Some("record-cut")]));
}

#[test]
fn streams_over_a_limit_are_refused() {
    let fetched = |host: usize| record("response", 1, &format!("http://h{host}/robots.txt"), "", RULES);
    let records: Vec<Vec<u8>> = (0..10).map(fetched).collect();
    let bytes = records.concat();
    for stream in [bytes.clone(), packed(&records)] {
        let enough = bytes.len() + 10 * (ANSWER + 2 * LINE);
        assert_eq!(fetched_in_warc(&stream[..], enough, 10).map(|read| read.records.len()), Ok(10));
        assert_eq!(fetched_in_warc(&stream[..], bytes.len() - 1, 10), Err(FetchedTooMuch::Bytes));
        assert_eq!(fetched_in_warc(&stream[..], enough, 9), Err(FetchedTooMuch::Records));
    }
    // No other limit cuts a text.
    let long = format!("HTTP/1.1 200 OK\r\n\r\n#{}\nDisallow: /", "#".repeat(9 << 20));
    let long = record("response", 1, "http://a/robots.txt", "", &long);
    let read = fetched_in_warc(&long[..], 16 << 20, 9).expect("within the limits");
    assert!(read.records[0].1.as_ref().is_ok_and(|fetched| fetched.body.ends_with(b"Disallow: /")));
    // Many sites that redirect to one large text.
    let target = format!("HTTP/1.1 200 OK\r\n\r\n{}", "#".repeat(10_000));
    let mut many = record("response", 1, "http://to.example/r", "", &target);
    for host in 0..90 {
        let url = format!("http://h{host}.example/robots.txt");
        many.extend(record("response", 1, &url, "", &moved("http://to.example/r")));
    }
    assert_eq!(fetched_in_warc(&many[..], 800_000, 90), Err(FetchedTooMuch::Bytes));
    assert!(many.len() < 100_000 && fetched_in_warc(&many[..], 1_100_000, 90).is_ok());
    // Header fields take more memory than their bytes.
    let fields =
        record("response", 1, "http://a/", "", &format!("HTTP/1.1 404\r\n{}\r\n", "a:\r\n".repeat(9_000)));
    assert_eq!(fetched_in_warc(&fields[..], 10 * fields.len(), 9), Err(FetchedTooMuch::Bytes));
    // A bomb, also one inside a record.
    let bomb = packed(&[vec![b' '; 64 << 20]]);
    assert_eq!(fetched_in_warc(&bomb[..], 1 << 20, 9), Err(FetchedTooMuch::Bytes));
    let mut coded = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a/robots.txt\r\n".to_vec();
    let head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n";
    let length = head.len() + bomb.len();
    coded.extend_from_slice(format!("Content-Length: {length}\r\n\r\n").as_bytes());
    coded.extend_from_slice(&[&head[..], &bomb, b"\r\n\r\n"].concat());
    assert_eq!(fetched_in_warc(&coded[..], 1 << 20, 9), Err(FetchedTooMuch::Bytes));
}
