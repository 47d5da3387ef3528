//! Equal captures give equal bytes, whatever their order and however many threads compile them.

use robomaton_compiler::{Entry, Options, compile, emit};
use robomaton_corpus::{BatchOptions, Built, Input, Progress, build};
use robomaton_formats::SiteKey;
use robomaton_formats::layout::Section;
use robomaton_runtime::{Image, Outcome};
use robomaton_tests::generate::Random;
use std::io::Write as _;

/// A text of ACAP that refers to a file of its site.
const REFERRING: &str = "ACAP-crawler: a\nACAP-permissions-reference: /part.txt\nACAP-allow-index: /\n";

/// Captures of some 200 sites, a line of JSON each: few distinct texts, several captures of a site, some of the same
/// second, redirects, failures, HTML, texts that speak of their own host or refer to other files; and beside them such
/// files, pages and data.txt.
fn captures() -> Vec<String> {
    let mut random = Random::new(200);
    let texts: Vec<String> = (0..40).map(|_| String::from_utf8_lossy(&random.file()).into_owned()).collect();
    let mut lines = Vec::new();
    for site in 0..200 {
        let host = format!("https://site{site}.example");
        for capture in 0..=random.below(3) {
            // Two captures in three share their second with another.
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
            // Of one second, so that what stands in them breaks the tie.
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
    // Pages of sites of which there is no robots.txt.
    for site in 0..10 {
        let host = format!("https://pages{site}.example");
        lines.push(json(&host, "/", 0, "<html><meta name=robots content=noindex>").to_string());
    }
    lines
}

fn json(host: &str, path: &str, time: usize, body: &str) -> serde_json::Value {
    serde_json::json!({ "url": format!("{host}{path}"), "fetched_at": time, "body": body })
}

fn shuffle(lines: &mut [String], random: &mut Random) {
    for at in (1..lines.len()).rev() {
        lines.swap(at, random.below(at + 1));
    }
}

fn build_from(lines: &[String], threads: usize) -> Built {
    let mut file = tempfile::Builder::new().suffix(".jsonl").tempfile().expect("a temporary file");
    file.write_all(lines.join("\n").as_bytes()).expect("room for some captures");
    let options = BatchOptions { threads, pages: true, ..BatchOptions::default() };
    let inputs = [Input::Path(file.path().to_owned())];
    build(&inputs, &options, &Progress::default()).expect("the captures build")
}

#[test]
fn order_and_threads_do_not_matter() {
    let mut lines = captures();
    let first = build_from(&lines, 1);
    let image = Image::from_bytes(first.image.as_slice()).unwrap();
    image.verify().unwrap();
    assert_eq!((image.sites().count(), first.report.sites), (210, 210));
    assert!(image.documents().count() > 50 && first.report.references_found > 5);
    assert!(first.report.references_missing > 0 && first.report.pages_with_permissions > 50);
    let outcomes: std::collections::BTreeSet<_> = image.sites().filter_map(|site| site.outcome()).collect();
    for outcome in
        [Outcome::Rules, Outcome::NotRobots, Outcome::Unavailable, Outcome::Unreachable, Outcome::NotCaptured]
    {
        assert!(outcomes.contains(&outcome), "no site is {outcome}: {outcomes:?}");
    }
    let report = &first.report;
    assert_eq!(report.captures + report.data_captures + report.other_captures, lines.len() as u64);
    let mut random = Random::new(7);
    for threads in [1, 2, 4, 1, 2, 4, 0] {
        shuffle(&mut lines, &mut random);
        let again = build_from(&lines, threads);
        assert!(again.image == first.image, "another order on {threads} threads gives another image");
    }
}

/// What is put aside in files and read again is what stays in memory.
#[test]
fn captures_and_documents_give_the_same_image() {
    let mut random = Random::new(11);
    let texts: Vec<String> = (0..60).map(|_| String::from_utf8_lossy(&random.file()).into_owned()).collect();
    let sites = 0..200usize;
    let host = |site: usize| format!("https://s{site}.example");
    let lines: Vec<String> = sites
        .clone()
        .map(|site| json(&host(site), "/robots.txt", 0, &texts[site % 60]).to_string())
        .collect();
    let built = build_from(&lines, 2);

    let options = Options::default();
    let keys: Vec<SiteKey> = sites.map(|site| SiteKey::from_url(&host(site)).expect("a good host")).collect();
    let shared: Vec<_> = texts.iter().map(|text| compile(text.as_bytes(), None, &options)).collect();
    let own: Vec<_> = keys
        .iter()
        .enumerate()
        .map(|(site, key)| {
            let text = texts[site % 60].as_bytes();
            shared[site % 60].depends_on_origin.then(|| compile(text, Some(key.authority()), &options))
        })
        .collect();
    let document = |site: usize| own[site].as_ref().unwrap_or(&shared[site % 60]);
    let entries = keys.iter().enumerate().map(|(site, key)| Entry::fetched(key.clone(), document(site)));
    let image = emit(entries.collect(), lines.len() as u64, &options).expect("few sites fit an image");
    assert!(built.image == image, "another image");
    assert!(Image::from_bytes(&image[..]).expect("an image").view().documents().len() > 30);
}

/// What stands in a section of the image of some texts, one site each.
fn section_of(texts: &[&str], section: Section) -> Vec<u8> {
    let options = Options::default();
    let documents: Vec<_> = texts.iter().map(|text| compile(text.as_bytes(), None, &options)).collect();
    let entries = documents.iter().enumerate().map(|(number, document)| {
        let site = SiteKey::from_host(&format!("site{number}.example")).expect("a good host");
        Entry::fetched(site, document)
    });
    let image = emit(entries.collect(), 1, &options).expect("few sites fit an image");
    Image::from_bytes(image).expect("a fresh image opens").view().section(section).to_vec()
}

#[test]
fn equal_policies_share_their_bytes() {
    let one = "User-agent: a\nDisallow: /x*y\nAllow: /x\nDisallow: /z$\n";
    let others = [
        // Comments, spellings, the order of rules.
        "# hello\nUSER-AGENT: A/2.0 # me\nallow: /x\n\n\nDisallow:/z$\nDisalow /%78*y # no\n",
        // A rule twice, and one in both senses.
        "User-agent: a\nDisallow: /x\nDisallow: /x*y\nAllow: /x\nDisallow: /z$\nDisallow: /z$\n",
        // A group twice in other lines' order of agents does not matter either.
        "User-agent: a\nAllow: /x\nDisallow: /x*y\nDisallow: /z$\nUser-agent: a\nAllow: /x\nDisallow: /z$\nDisallow: /x*y",
    ];
    for section in [Section::Programs, Section::Policies] {
        let alone = section_of(&[one], section);
        for other in others {
            assert_eq!(section_of(&[other], section), alone, "{}: {other}", section.name());
            assert_eq!(section_of(&[one, other], section), alone, "{}, shared: {other}", section.name());
        }
    }
}
