//! What texts say about AI training to everyone, and in which language.

use robomaton_compiler::Options;
use robomaton_formats::preference::Language::{self, AiTraining, Aipref, ContentSignals, Rsl};
use robomaton_runtime::Image;
use robomaton_tables::stances::Stance::{self, Permitted, Refused, RefusedInPart, Silent, Unknown};
use robomaton_tables::stances::{UsageStance, WEIGHED, stances};
use robomaton_tests::engines;

fn told(text: &str) -> Vec<UsageStance> {
    let image = Image::from_bytes(engines::image_of(text.as_bytes(), None, &Options::default()));
    let image: Image<Vec<u8>> = image.expect("an image");
    let site = image.sites().next().expect("a site");
    stances(&image, &site, &site.detail().unwrap_or_default())
}

/// The stance on AI training of a group for everyone with these records.
fn training(records: &str) -> UsageStance {
    told(&format!("User-agent: *\n{records}\n")).swap_remove(0)
}

#[test]
fn one_language() {
    for (records, language, stance) in [
        ("Content-Signal: ai-train=no", ContentSignals, Refused),
        ("Content-Signal: ai-train=yes", ContentSignals, Permitted),
        ("Content-Signal: /a ai-train=no", ContentSignals, RefusedInPart),
        ("Content-Usage: train-ai=n", Aipref, Refused),
        ("Content-Usage: train-ai=n\nContent-Usage: /free/ train-ai=y", Aipref, RefusedInPart),
        // Paths that may not be crawled do not count, if there are others.
        ("Content-Usage: train-ai=n\nDisallow: /private/", Aipref, Refused),
        ("Content-Usage: train-ai=n\nDisallow: /\nAllow: /open/", Aipref, Refused),
        ("Content-Usage: train-ai=n\nDisallow: /", Aipref, Unknown),
        ("Content-Signal: ai-train=no\nDisallow: /", ContentSignals, Refused),
        ("DisallowAITraining: /", AiTraining, Refused),
        ("DisallowAITraining: /a\nAllowAITraining: /b", AiTraining, RefusedInPart),
        ("License: https://a.example/l.xml", Rsl, Unknown),
    ] {
        let of = training(records);
        assert_eq!((of.usage, of.stance), ("ai-train", stance), "{records:?}");
        assert_eq!((of.languages, of.contradictions), (vec![(language, stance)], vec![]), "{records:?}");
    }
}

#[test]
fn several_languages() {
    type Expected<'e> = (Stance, &'e [(Language, Stance)], &'e [(Language, Language)]);
    let cases: [(&str, Expected<'_>); 4] = [
        (
            "Content-Signal: ai-train=no\nContent-Usage: train-ai=y",
            (Refused, &[(Aipref, Permitted), (ContentSignals, Refused)], &[(ContentSignals, Aipref)]),
        ),
        (
            "Content-Signal: ai-train=no\nContent-Usage: train-ai=n",
            (Refused, &[(Aipref, Refused), (ContentSignals, Refused)], &[]),
        ),
        // The longest path decides within a language; they differ on one path only.
        (
            "Content-Signal: ai-train=no\nContent-Usage: train-ai=n\nContent-Usage: /b train-ai=y",
            (Refused, &[(Aipref, RefusedInPart), (ContentSignals, Refused)], &[(ContentSignals, Aipref)]),
        ),
        // About different paths there is no contradiction.
        (
            "DisallowAITraining: /a\nContent-Usage: /b train-ai=y",
            (RefusedInPart, &[(Aipref, Permitted), (AiTraining, RefusedInPart)], &[]),
        ),
    ];
    for (records, (stance, languages, contradictions)) in cases {
        let of = training(records);
        assert_eq!((of.stance, &*of.languages, &*of.contradictions), (stance, languages, contradictions));
    }
}

#[test]
fn usages_and_crawlers() {
    let all = told("User-agent: *\nContent-Signal: search=yes, ai-train=no\nNoindex: /a\n");
    let stance = |usage: &str| all.iter().find(|of| of.usage == usage).map(|of| of.stance);
    assert_eq!(stance("search"), Some(RefusedInPart));
    assert_eq!(stance("index"), Some(RefusedInPart));
    assert_eq!(stance("ai-input"), Some(Silent));
    // A part that is refused refuses the whole.
    assert_eq!(stance("tdm"), Some(Refused));
    // Only statements to everyone count.
    let named = told("User-agent: GPTBot\nContent-Signal: ai-train=no\n");
    assert!(named.iter().all(|of| of.stance == Silent && of.languages.is_empty()), "{named:?}");
    assert_eq!(told("User-agent: *\nDisallow: /\n"), []);
}

#[test]
fn many_paths_are_sampled() {
    let paths = |label: &str, range: std::ops::Range<usize>| -> String {
        range.map(|n| format!("Content-Usage: /{n:04}/ train-ai={label}\n")).collect()
    };
    let of = training(&(paths("n", 0..2 * WEIGHED) + "Content-Usage: train-ai=n"));
    // Not certain for the language, since not every path was weighed.
    assert_eq!((of.stance, of.languages), (Refused, vec![(Aipref, RefusedInPart)]));
}
