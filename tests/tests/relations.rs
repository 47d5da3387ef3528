//! Relations between answers: what cannot be read permits nothing, a refusal that is added refuses,
//! and what no rule looks at changes nothing.
//!
//! Every property takes a random site with all languages, changes it, and asks all questions of
//! both. `ROBOMATON_SEED` and `ROBOMATON_CASES` (sites of each property) vary or extend the run; a
//! failure prints the smallest site that still shows it.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::RngSeed;
use robomaton_compiler::Merge;
use robomaton_formats::Decision;
use robomaton_runtime::Image;
use robomaton_tests::relations::changes::{
    REFUSALS, SPELLINGS, UNREADABLE, begun, is_unread_excused, unreadable,
};
use robomaton_tests::relations::sites::sites;
use robomaton_tests::relations::{Answer, Question, Site, answers, image, plainly, questions};
use robomaton_tests::setting;

const BEFORE: &str = "before.example";
const AFTER: &str = "after.example";

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases: setting("ROBOMATON_CASES", cases),
        rng_seed: RngSeed::Fixed(setting("ROBOMATON_SEED", 26)),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// The answers of both sites, compiled together.
fn both(before: &Site, after: &Site) -> (Vec<Answer>, Vec<Answer>) {
    let rows: Vec<String> = before.rows(BEFORE).into_iter().chain(after.rows(AFTER)).collect();
    let image = image(&rows);
    (answers(&image, BEFORE, plainly), answers(&image, AFTER, plainly))
}

/// Holds every pair of answers against a relation.
fn compare(
    before: &Site,
    after: &Site,
    (old, new): (&[Answer], &[Answer]),
    holds: impl Fn(&Question, &Answer, &Answer) -> bool,
) -> Result<(), TestCaseError> {
    for (question, (old, new)) in questions().zip(old.iter().zip(new)) {
        prop_assert!(
            holds(&question, old, new),
            "{question:?}\n  before {old:?}\n  after  {new:?}\n{}\n--\n{}",
            before.rows(BEFORE).join("\n"),
            after.rows(AFTER).join("\n"),
        );
    }
    Ok(())
}

/// The images as one.
fn merged(images: &[&Image<Vec<u8>>]) -> Image<Vec<u8>> {
    let views: Vec<_> = images.iter().map(|image| image.view()).collect();
    let mut out = Vec::new();
    let merge = Merge::new(&views).expect("images that were compiled alike");
    merge.write((0, 0), || Ok(Vec::new()), &mut out).expect("images that fit their format");
    Image::from_bytes(out).expect("a merged image")
}

// A document that matters is one of many.
proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn documents_that_cannot_be_read_permit_nothing(
        before in sites(),
        document: Index,
        fetch in select(&UNREADABLE[..]),
    ) {
        let document = document.index(before.documents.len());
        if let Some(after) = unreadable(&before, document, fetch) {
            let (old, new) = both(&before, &after);
            compare(&before, &after, (&old, &new), |question, old, new| {
                !new.permits()
                    || new.freedom() <= old.freedom()
                    || is_unread_excused(&before.documents[document], question)
            })?;
        }
    }
}

proptest! {
    #![proptest_config(config(120))]

    #[test]
    fn a_refusal_that_is_added_refuses(before in sites(), refusal in select(&REFUSALS[..])) {
        let after = refusal.added(&before);
        let (old, new) = both(&before, &after);
        compare(&before, &after, (&old, &new), |question, old, new| {
            let is_stricter = new.freedom() <= old.freedom() && (new.incomplete || !old.incomplete);
            if refusal.decides(&before, question) {
                return new.decision == Decision::Disallowed;
            }
            is_stricter || new.freedom() == 0 || refusal.is_excused(&before, question)
        })?;
    }

    #[test]
    fn a_robots_txt_that_was_cut_permits_no_use(site in sites(), line: Index) {
        if let Some([whole, cut]) = begun(&site, |lines| line.index(lines)) {
            let (old, new) = both(&whole, &cut);
            compare(&whole, &cut, (&old, &new), |question, old, new| match question.usage {
                "crawl" => old == new,
                _ if old.decision == Decision::Disallowed => new.decision == Decision::Disallowed,
                _ => new.decision == Decision::Unknown && new.incomplete,
            })?;
        }
    }

    #[test]
    fn another_spelling_changes_nothing(before in sites(), spelling in select(&SPELLINGS[..])) {
        let after = spelling.of(&before);
        let (old, new) = both(&before, &after);
        compare(&before, &after, (&old, &new), |_, old, new| old == new)?;
    }
}

// Each of these asks several times.
proptest! {
    #![proptest_config(config(40))]

    #[test]
    fn another_spelling_of_a_url_changes_nothing(site in sites()) {
        let image = image(&site.rows(BEFORE));
        let old = answers(&image, BEFORE, plainly);
        let spellings: [fn(&str, &str) -> String; 3] = [
            |host, path| format!("https://{host}{path}#/../a"),
            |host, path| format!("https://{host}:443{path}"),
            |host, path| format!("HTTPS://{}{path}", host.to_ascii_uppercase()),
        ];
        for url in spellings {
            compare(&site, &site, (&old, &answers(&image, BEFORE, url)), |_, old, new| old == new)?;
        }
    }

    #[test]
    fn merging_images_of_different_sites_changes_nothing(
        one in sites(),
        other in sites(),
        document: Index,
        fetch in select(&UNREADABLE[..]),
    ) {
        // A site may have no rules at all.
        let other = unreadable(&other, document.index(other.documents.len()), fetch).unwrap_or(other);
        let images = [image(&one.rows(BEFORE)), image(&other.rows(AFTER))];
        let merged = merged(&[&images[1], &images[0]]);
        for (site, host, image) in [(&one, BEFORE, &images[0]), (&other, AFTER, &images[1])] {
            let (old, new) = (answers(image, host, plainly), answers(&merged, host, plainly));
            compare(site, site, (&old, &new), |_, old, new| old == new)?;
        }
    }
}
