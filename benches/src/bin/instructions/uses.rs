//! Questions about uses: sites with texts of several languages, and the passes over their paths.
//!
//! The texts are made up here, so these passes need no corpus. Each site has the same text with
//! folders of its own, so no two sites share programs. The questions name a site that is held, and
//! a crawler that no text names. Invariant: a pass for each text and usage, in the order of
//! [`passes`], and the loop over the questions is counted, too.

use crate::asked::{counted_pass, pass_ends};
use robomaton_compiler::{Document, Entry, Options, compile, emit};
use robomaton_formats::SiteKey;
use robomaton_runtime::{Image, Site};
use std::path::Path;

/// The first argument of the watched process, before the file with the image.
pub(crate) const STAGE: &str = "--ask-uses";

const SITES: usize = 1_000;

/// The parts of the texts, `{n}` for the number of the site, and the usages that are asked about.
const TEXTS: [(&str, &[&str], &[&str]); 3] = [
    ("Content-Signal", &[SIGNAL], &["crawl", "ai-train", "index", "search"]),
    ("ACAP", &[FIELDS, RULES], &["crawl", "index", "search", "present", "all"]),
    ("several languages", &[FIELDS, STATEMENTS], &["crawl", "ai-train", "index", "search", "present", "all"]),
];

const SIGNAL: &str = "User-agent: *
Content-Signal: search=yes, ai-train=no
Disallow: /private-{n}/
Allow: /private-{n}/open/
Disallow: /tmp/
";

const FIELDS: &str = "ACAP-crawler: *
ACAP-disallow-crawl: /private-{n}/
ACAP-allow-crawl: /private-{n}/open/
ACAP-disallow-index: /drafts-{n}/
ACAP-allow-index: /drafts-{n}/done/
ACAP-disallow-preserve: /news/
ACAP-disallow-present-snippet: /news/{n}/

";

const RULES: &str = "User-agent: *
Disallow: /tmp/
";

const STATEMENTS: &str = "User-agent: *
Content-Signal: search=yes, ai-train=no
Content-Usage: train-ai=n
Noindex: /old-{n}/
Disallow: /tmp/
";

/// The paths that each site is asked about.
const PATHS: [&str; 3] = ["/news/{n}/index.html", "/private-{n}/open/page?id={n}", "/drafts-{n}/done"];

/// The names of texts and usages, in the order of the passes.
pub(crate) fn passes() -> impl Iterator<Item = (&'static str, &'static str)> {
    TEXTS.into_iter().flat_map(|(text, _, usages)| usages.iter().map(move |&usage| (text, usage)))
}

/// An image of the sites.
pub(crate) fn image() -> Result<Vec<u8>, String> {
    let options = Options::default();
    let numbers = || (0..TEXTS.len()).flat_map(|text| (0..SITES).map(move |number| (text, number)));
    let document = |(text, number): (usize, usize)| {
        compile(numbered(&TEXTS[text].1.concat(), number).as_bytes(), None, &options)
    };
    let documents: Vec<Document> = numbers().map(document).collect();
    let entry = |((text, number), document)| {
        let site = SiteKey::from_host(&host(text, number)).map_err(|error| error.to_string())?;
        Ok(Entry::fetched(site, document))
    };
    let entries: Vec<Entry<_>> = numbers().zip(&documents).map(entry).collect::<Result<_, String>>()?;
    emit(entries, &options).map_err(|error| error.to_string())
}

/// Makes the passes, and prints the number of questions of each.
pub(crate) fn stage(image: &Path) -> Result<(), String> {
    let bytes = std::fs::read(image).map_err(|error| format!("{}: {error}", image.display()))?;
    let image = Image::from_bytes(bytes).map_err(|error| error.to_string())?;
    let crawler = image.crawler(["mybot"]);
    for (text, (_, _, usages)) in TEXTS.into_iter().enumerate() {
        let mut questions: Vec<(Site<'_>, String)> = Vec::new();
        for number in 0..SITES {
            let host = host(text, number);
            let site = image.site(&format!("https://{host}/")).ok_or(format!("{host} is missing"))?;
            questions.extend(PATHS.map(|path| (site, numbered(path, number))));
        }
        for usage in usages.iter().map(|usage| image.usage(usage)) {
            counted_pass(&|| {
                let allowed =
                    |(site, path): &&(Site<'_>, String)| site.decide(&crawler, usage, path).is_allowed();
                questions.iter().filter(allowed).count()
            });
            pass_ends(questions.len());
        }
    }
    Ok(())
}

fn host(text: usize, number: usize) -> String {
    format!("t{text}-{number}.example")
}

fn numbered(text: &str, number: usize) -> String {
    text.replace("{n}", &number.to_string())
}
