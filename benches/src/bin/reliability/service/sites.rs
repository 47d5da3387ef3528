//! The two images, questions whose answers tell which image they are from, and their check.

use crate::service::client::Answer;
use robomaton_compiler::{Entry, Options, compile, emit};
use robomaton_formats::SiteKey;
use serde_json::{Value, json};

/// Sites of the old image; the new one has one more.
const SITES: usize = 50;

/// A site whose every answer quotes as much as there is room for.
pub(crate) const WORDY: &str = "https://wordy.example/x";

/// A site whose every answer quotes a long pattern.
pub(crate) const STARRY: &str = "https://starry.example/x";

/// One of the two images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Generation {
    Old,
    New,
}

impl Generation {
    pub(crate) fn other(self) -> Generation {
        if self == Generation::Old { Generation::New } else { Generation::Old }
    }

    /// The number of sites, which tells the images apart in `/healthz`.
    pub(crate) fn sites(self) -> usize {
        SITES + 2 + usize::from(self == Generation::New)
    }

    /// The image.
    pub(crate) fn image(self) -> Result<Vec<u8>, String> {
        let rule = if self == Generation::Old { "Disallow" } else { "Allow" };
        let options = Options::default();
        let document = |text: &str| compile(text.as_bytes(), None, &options);
        let plain = document(&format!("User-agent: *\n{rule}: /p\n"));
        let (wordy, starry) = (document(&wordy()), document(&starry()));
        let key = |host: &str| SiteKey::from_url(host).map_err(|error| error.to_string());
        let mut entries = vec![Entry::fetched(key(WORDY)?, &wordy), Entry::fetched(key(STARRY)?, &starry)];
        for number in 0..SITES {
            entries.push(Entry::fetched(key(&url(number))?, &plain));
        }
        if self == Generation::New {
            entries.push(Entry::fetched(key("https://new.example/")?, &plain));
        }
        emit(entries, &options).map_err(|error| error.to_string())
    }
}

/// 40 conditions of 6,000 bytes, 240 KB in all.
pub(crate) fn wordy() -> String {
    let conditions: String =
        (0..40).map(|n| format!(" must-use-resource=/{}{n}", "a".repeat(6000))).collect();
    format!("##ACAP version=1.0\nACAP-crawler: *\nACAP-allow-crawl: /{conditions}\n")
}

/// A pattern of 8,000 stars.
pub(crate) fn starry() -> String {
    format!("User-agent: *\nDisallow: /{}\n", "*".repeat(8000))
}

/// A URL of a site that both images have.
pub(crate) fn url(number: usize) -> String {
    format!("https://s{}.example/p/{number}", number % SITES)
}

/// The target of a question.
pub(crate) fn question(number: usize) -> String {
    format!("/v1/decide?url={}", url(number))
}

/// The image of an answer to [`question`].
pub(crate) fn single(answer: &Answer, number: usize) -> Result<Generation, String> {
    one(&answer.json(200)?, number).ok_or_else(|| answer.wrong("a wrong answer"))
}

/// The image of an explanation of the same answer.
pub(crate) fn explanation(answer: &Answer, number: usize) -> Result<Generation, String> {
    let explained = answer.json(200)?;
    let is_asked = explained["target"] == format!("/p/{number}");
    generation(&explained).filter(|_| is_asked).ok_or_else(|| answer.wrong("a wrong explanation"))
}

fn one(answer: &Value, number: usize) -> Option<Generation> {
    generation(answer).filter(|_| answer["url"] == url(number))
}

fn generation(answer: &Value) -> Option<Generation> {
    match (answer["verdict"].as_str()?, answer["rule"].as_str()?) {
        ("disallowed", "Disallow: /p") => Some(Generation::Old),
        ("allowed", "Allow: /p") => Some(Generation::New),
        _ => None,
    }
}

/// The body of a batch.
pub(crate) fn questions(numbers: std::ops::Range<usize>) -> String {
    json!(numbers.map(|number| json!({ "url": url(number) })).collect::<Vec<_>>()).to_string()
}

/// The image of all answers to [`questions`].
pub(crate) fn batch(answer: &Answer, numbers: std::ops::Range<usize>) -> Result<Generation, String> {
    let answers = answer.json(200)?;
    let all = answers.as_array().filter(|all| all.len() == numbers.len());
    let mut of_each = all.into_iter().flatten().zip(numbers).map(|(answer, number)| one(answer, number));
    let first = of_each.next().flatten().ok_or_else(|| answer.wrong("a wrong answer"))?;
    match of_each.find(|&other| other != Some(first)) {
        None => Ok(first),
        Some(None) => Err(answer.wrong("a wrong answer in a batch")),
        Some(_) => Err("a batch was answered from two images".to_owned()),
    }
}
