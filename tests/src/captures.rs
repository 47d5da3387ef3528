//! Made-up captures with a bit of everything that sites do, for tests of whole images.

use crate::generate::Random;
use robomaton_corpus::{BatchOptions, Built, Input, Progress, build};
use std::io::Write as _;

/// An ACAP text that refers to a file of its site.
const REFERRING: &str = "ACAP-crawler: a\nACAP-permissions-reference: /part.txt\nACAP-allow-index: /\n";

/// Captures of about 200 sites, one line of JSON each: few distinct texts, several captures of a
/// site, some in the same second, redirects, failures, HTML, texts that depend on their host or
/// refer to other files; also such files, pages and data.txt.
pub fn captures() -> Vec<String> {
    let mut random = Random::new(200);
    let texts: Vec<String> = (0..40).map(|_| String::from_utf8_lossy(&random.file()).into_owned()).collect();
    let mut lines = Vec::new();
    for site in 0..200 {
        let host = format!("https://site{site}.example");
        for capture in 0..=random.below(3) {
            // Two in three captures share their second with another.
            let time = 1_700_000_000 + random.below(3) * usize::from(capture > 0);
            let mut line = serde_json::json!({ "url": format!("{host}/robots.txt"), "fetched_at": time });
            match random.below(10) {
                0 => line["status"] = random.pick(&[404, 403, 500, 503]).into(),
                1 => {
                    line["status"] = 301.into();
                    let to = random.below(200);
                    line["headers"] =
                        serde_json::json!({ "location": format!("https://site{to}.example/robots.txt") });
                }
                2 => line["body"] = "<!DOCTYPE html><html><body>no</body></html>".into(),
                3 => line["body"] = format!("User-agent: *\nDisallow: {host}/own\n").into(),
                4 => line["body"] = REFERRING.into(),
                _ => line["body"] = random.pick(&texts.iter().map(String::as_str).collect::<Vec<_>>()).into(),
            }
            lines.push(line.to_string());
        }
        for path in ["/part.txt", "/data.txt", "/page", "/page?2"] {
            // All in the same second, so that their contents break the tie.
            for _ in 0..random.below(3) {
                let said = random.pick(&["allow", "disallow"]);
                let body = match path {
                    "/part.txt" => format!("ACAP-crawler: a\nACAP-{said}-index: /x\n"),
                    "/data.txt" => format!("User-agent: zoo\n{said}: /\nUser-agent: a\n{said}: /x\n"),
                    _ => format!("<html><meta name=robots content='ACAP {said}-index'>"),
                };
                lines.push(json(&host, path, 1_700_000_000, &body).to_string());
            }
        }
    }
    // Pages of sites without a robots.txt.
    for site in 0..10 {
        let host = format!("https://pages{site}.example");
        lines.push(json(&host, "/", 0, "<html><meta name=robots content=noindex>").to_string());
    }
    lines
}

/// One capture.
pub fn json(host: &str, path: &str, time: usize, body: &str) -> serde_json::Value {
    serde_json::json!({ "url": format!("{host}{path}"), "fetched_at": time, "body": body })
}

/// Shuffles lines.
pub fn shuffle(lines: &mut [String], random: &mut Random) {
    for at in (1..lines.len()).rev() {
        lines.swap(at, random.below(at + 1));
    }
}

/// Compiles lines, with pages.
///
/// # Panics
/// If compiling fails, which these captures do not cause.
pub fn build_from(lines: &[String], threads: usize) -> Built {
    let mut file = tempfile::Builder::new().suffix(".jsonl").tempfile().expect("a temporary file");
    file.write_all(lines.join("\n").as_bytes()).expect("room for some captures");
    let options = BatchOptions { threads, pages: true, ..BatchOptions::default() };
    let inputs = [Input::Path(file.path().to_owned())];
    build(&inputs, &options, &Progress::default()).expect("the captures build")
}
