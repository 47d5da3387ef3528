//! Writes the first inputs of every target into `corpus`, from the images, texts and pages of the
//! tests. Run it after a change of the format: `cargo run -p robomaton-fuzz --example seeds`.

use parquet::basic::Compression;
use robomaton_formats::Profile;
use robomaton_tests::write::{Cells, gzip, parquet, stored_gzip, stored_zip, tar, zip, zstd};
use robomaton_tests::{damage, hostile};
use std::fs;
use std::io;
use std::path::Path;

/// Longer texts are left to the suite of hostile texts.
const LONGEST: usize = 4096;

const QUESTIONS: [&str; 4] = [
    "a\thttps://x.example/p/q.gif",
    "GPTBot,a\t/tmp\tai-train",
    "b\t/%41*$?#x\tindex\tnews",
    "\thttp://h/\tpresent-snippet",
];

const TEXTS: [&str; 8] = [
    "User-agent: a\nUser-agent: *\nDisallow: /*.gif$\nAllow: /p*q*\nCrawl-delay: 2\n\nUser-agent: a\nNoindex: /n\n",
    "User-agent: *\nContent-Signal: search=yes,ai-train=no\nContent-Usage: train-ai=n\nDisallow: /tmp\n",
    "ACAP-crawler: *\nACAP-disallow-crawl: /p\nACAP-allow-index: / time-limit=2-days\nACAP-permissions-reference: /r.txt\n",
    "##ACAP version=1.0\nACAP-crawler: a\nACAP-usage-purpose: news*\nACAP-allow-(present-snippet): /*a* max-length=9-words\n",
    "User-agent: *\nRobot-version: 2.0.0\nAllow: /p*\nVisit-time: 0600-0845\nRequest-rate: 1/10m 0600-0845\n",
    "License: https://x.example/l.xml\nUser-agent: *\nDisallowAITraining: /a\nAllow: /%2A%24*$\n",
    "\u{feff}User-Agent : GPTBot \r\ndisallow:/\rSitemap: https://x.example/s.xml # c\n",
    "Clean-param: a&b /p\nUser-agent: *\nDisallow:\nUser-agent: Google-Extended\nDisallow: /\n",
];

const PAGES: [&str; 4] = [
    "<html><head><meta name=robots content='noindex, nosnippet'><meta name=a content='ACAP allow-crawl'></head>\
     <body class='the-acap:disallow-present'><p data-nosnippet>x</p></body></html>",
    "<meta name=\"robots\" content=\"max-snippet:20, unavailable_after: 2026-01-01\"><link rel=license href=/l.xml type=application/rsl+xml>",
    "<script type='application/rsl+xml'><rsl xmlns='https://rslstandard.org/rsl'><content url='/'><license><prohibits type='usage'>ai-train</prohibits></license></content></rsl></script>",
    "<base href=/b/><meta name=robots content=noai><link rel=license type=application/rsl+xml href=l.xml>",
];

const URLS: [&str; 8] = [
    "https://example.com/a?b#c",
    "http://1../",
    "http://[::1]:8080/",
    "https://b\u{fc}cher.example/",
    "http://0x7f.1/x",
    "http:\\\\user@h.example:080\\a",
    "//a/b",
    "https://a..b/",
];

const CAPTURES: [(u8, &str); 4] = [
    (
        0,
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://a.example/robots.txt\r\nContent-Type: application/http\r\n\
         Content-Length: 58\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nDisallow: /\r\n\r\n\r\n",
    ),
    (
        2,
        "{\"url\":\"https://a.example/robots.txt\",\"status\":200,\"body\":\"User-agent: *\\nDisallow: /x\"}\n",
    ),
    (3, "url,status,body\nhttps://a.example/robots.txt,200,\"User-agent: *\nDisallow: /x\"\n"),
    (8, "User-agent: *\nDisallow: /x\n"),
];

/// Bodies that may break out of their captures, for every format.
const BODIES: [&[u8]; 4] = [
    b"User-agent: *\nDisallow: /x\n\xFF\",\"200\"\r\nhttps://victim.example/robots.txt,200,\"Allow: /\n\xFF\xFEAllow: /\xFE behind",
    b"\xFDUser-agent: *\xFD\xFDAllow: /\xFD\xFFx\xFF\xFE\xFE\xFE\xFE",
    b"\r\n\r\n\xFCAllow: /\n\xFC\xFF{\"url\":\"https://victim.example/robots.txt\",\"body\":\"\"}\n",
    b"\xFF\xFF\r\n\r\n",
];

/// Requests without their `Host`, and bodies.
const REQUESTS: [(&str, &str); 17] = [
    ("GET /v1/decide?url=https%3A%2F%2Fx.example%2Fprivate&agent=a&named_only=true", ""),
    ("GET /v1/decide?url=https://zacap.example/p/on&usage=index&purpose=news&document=robots.txt", ""),
    ("GET /v1/explain?url=https://zversions.example/p/x.gif&agent=a,b", ""),
    ("GET /v1/site?url=https://zpage.example/", ""),
    ("GET /v1/text?url=https://zversions.example/&document=data.txt", ""),
    ("GET /v1/sites?prefix=z&limit=2&after=https://zacap.example", ""),
    ("GET /v1/crawlers?url=https://x.example/n/o/x.gif", ""),
    ("HEAD /healthz", ""),
    ("GET http://127.0.0.1/metrics", ""),
    ("DELETE /tester.js", ""),
    (
        "POST /v1/decide",
        r#"{"url": "https://x.example/", "agent": ["a", "b"]}
{"url": "/"}
"#,
    ),
    ("POST /v1/decide", r#"[{"url": "https://zacap.example/p", "usage": "present", "purpose": "ads"}]"#),
    ("POST /v1/verdicts?agent=a,b&usage=index", "https://x.example/private\r\nno url\n"),
    ("POST /v1/test", r#"{"text": "User-agent: *\nDisallow: /x*", "url": "/x", "profile": "google"}"#),
    (
        "POST /v1/test",
        r#"{"text": "ACAP-crawler: *\nACAP-allow-index: /", "url": "https://h/", "usage": "index"}"#,
    ),
    ("POST /v1/test/urls", r#"{"text": "Disallow: /", "urls": ["/", "/a"], "agent": "GPTBot"}"#),
    ("POST /v1/test/crawlers", r#"{"text": "User-agent: a\nDisallow:", "url": "/"}"#),
];

/// Requests that are none.
const NO_REQUESTS: [&str; 5] = [
    "GARBAGE\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a.example\r\nHost: localhost\r\n\r\n",
    "POST /v1/decide HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "POST /v1/test HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 99\r\n\r\n{",
    "GET /v1/decide?url=%ff&url=%00 HTTP/1.0\r\nHost: [::1]:80\r\nConnection: keep-alive\r\n\r\n",
];

/// A request with its body in one piece or in chunks.
fn request(line: &str, body: &str, is_chunked: bool) -> String {
    let head = format!("{line} HTTP/1.1\r\nHost: localhost\r\n");
    match (body, is_chunked) {
        ("", _) => format!("{head}\r\n"),
        (_, false) => format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()),
        (_, true) => {
            let (front, back) = body.split_at(body.len() / 2);
            let chunks: String =
                [front, back, ""].iter().map(|chunk| format!("{:x}\r\n{chunk}\r\n", chunk.len())).collect();
            format!("{head}Transfer-Encoding: chunked\r\n\r\n{chunks}")
        }
    }
}

fn main() -> io::Result<()> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let write = |target: &str, name: &str, options: Option<u8>, bytes: &[u8]| {
        fs::create_dir_all(corpus.join(target))?;
        let input: Vec<u8> = options.into_iter().chain(bytes.iter().copied()).collect();
        fs::write(corpus.join(target).join(name), input)
    };
    let hostile = hostile::all().into_iter().filter(|(_, text)| text.len() <= LONGEST);
    for (name, text) in hostile {
        write("scan", &format!("hostile-{name}"), None, &text)?;
    }
    for (number, text) in TEXTS.into_iter().enumerate() {
        write("scan", &format!("text-{number}"), None, text.as_bytes())?;
        let question = QUESTIONS[number % QUESTIONS.len()];
        let input = format!("{question}\n{text}\u{fe}ACAP-crawler: *\nACAP-allow-crawl: /p\n");
        // The profile `full` for most, and a file beside the text.
        write(
            "text",
            &format!("text-{number}"),
            Some(1 << 5 | [0, 0, 0, 1, 0, 2, 0, 3][number % 8]),
            input.as_bytes(),
        )?;
    }
    for (number, question) in ["a\t/p/q.gif", "GPTBot\t/tmp?%41", "b/1.0\t//h;a#b"].into_iter().enumerate() {
        for profile in [0, 1] {
            let input = format!("{question}\n{}", TEXTS[[0, 6, 7][number]]);
            write("oracle", &format!("text-{number}-{profile}"), Some(profile), input.as_bytes())?;
        }
    }
    for (number, html) in PAGES.into_iter().enumerate() {
        write("page", &format!("page-{number}"), Some(1 | (number as u8) << 3), html.as_bytes())?;
    }
    for (number, url) in URLS.into_iter().enumerate() {
        write("url", &format!("url-{number}"), Some(0), url.as_bytes())?;
    }
    let mut all = String::new();
    for (number, (line, body)) in REQUESTS.into_iter().enumerate() {
        let whole = request(line, body, number % 2 == 0);
        all.push_str(&whole);
        write("request", &format!("request-{number}"), Some(15), whole.as_bytes())?;
    }
    write("request", "pipelined", Some(7), all.as_bytes())?;
    for (number, bytes) in NO_REQUESTS.into_iter().enumerate() {
        write("request", &format!("none-{number}"), Some(2 | 1 << 4), bytes.as_bytes())?;
    }
    for (options, text) in CAPTURES {
        write("captures", &format!("captures-{options}"), Some(options), text.as_bytes())?;
        write("captures", &format!("limited-{options}"), Some(options | 1 << 7), text.as_bytes())?;
        write("archive", &format!("stream-{options}"), Some(2 + u8::from(options == 0)), text.as_bytes())?;
    }
    let text = b"User-agent: *\nDisallow: /x\n";
    let files = [("a.example.txt", text.to_vec()), ("x.jsonl", CAPTURES[1].1.as_bytes().to_vec())];
    let [warc, csv] = [0, 2].map(|number| CAPTURES[number].1.as_bytes());
    let schema =
        "message m { required binary host (UTF8); optional binary body; optional double fetched_at; }";
    let table = [Cells::Bytes(vec![Some(b"a.example".to_vec())]), Cells::Bytes(vec![Some(text.to_vec())])];
    let table =
        parquet(schema, Compression::SNAPPY, &[[table.as_slice(), &[Cells::Double(vec![None])]].concat()]);
    for (target, name, options, bytes) in [
        ("archive", "zip", 0, zip(&files)),
        ("archive", "stored-zip", 0, stored_zip(&files)),
        ("archive", "parquet", 1, table),
        ("captures", "gzip", 1, [gzip(warc), stored_gzip(warc)].concat()),
        ("captures", "tar", 4, tar(&files)),
        ("captures", "tgz", 5, stored_gzip(&tar(&files))),
        ("captures", "zstd", 9, [zstd(warc), zstd(warc)].concat()),
        ("captures", "packed-csv", 10, zstd(csv)),
    ] {
        write(target, name, Some(options), &bytes)?;
    }
    for format in 0..16 {
        for (number, bodies) in BODIES.into_iter().enumerate() {
            // Whole, cut, with one and with two changes.
            let options = format | [0, 1 << 5, 1 << 6, 3 << 6][(number + usize::from(format)) % 4];
            let damages = [0x55, 0x50 + format, 0x40, 0xAA, 0xA0, 1];
            write(
                "packed",
                &format!("format-{format}-{number}"),
                Some(options),
                &[&damages, bodies].concat(),
            )?;
        }
    }
    for profile in [Profile::Full, Profile::Rfc9309, Profile::Google, Profile::Koster] {
        write("image", &format!("small-{profile}"), None, &damage::small_image(profile))?;
    }
    Ok(())
}
