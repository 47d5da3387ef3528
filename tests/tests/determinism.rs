//! Equal captures give equal bytes, whatever their order and however many threads compile them.

use robomaton_compiler::{Entry, Options, compile, emit};
use robomaton_formats::SiteKey;
use robomaton_formats::layout::Section;
use robomaton_runtime::{Image, Outcome};
use robomaton_tests::captures::{build_from, captures, json, shuffle};
use robomaton_tests::generate::Random;

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

/// Documents that go through files are the same as in memory.
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
    let image = emit(entries.collect(), &options).expect("few sites fit an image");
    assert!(built.image == image, "another image");
    assert!(Image::from_bytes(&image[..]).expect("an image").view().documents().len() > 30);
}

/// The contents of a section of the image of some texts, one site each.
fn section_of(texts: &[&str], section: Section) -> Vec<u8> {
    let options = Options::default();
    let documents: Vec<_> = texts.iter().map(|text| compile(text.as_bytes(), None, &options)).collect();
    let entries = documents.iter().enumerate().map(|(number, document)| {
        let site = SiteKey::from_host(&format!("site{number}.example")).expect("a good host");
        Entry::fetched(site, document)
    });
    let image = emit(entries.collect(), &options).expect("few sites fit an image");
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
        // A duplicate group with agents in another order does not matter either.
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
