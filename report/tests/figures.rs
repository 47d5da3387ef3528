//! Compares the figures with counts made site by site, which do not use shared texts.

mod common;

use common::{image, options, report_of, sample, whole};
use robomaton_compiler::lint::lint;
use robomaton_compiler::{CompileContext, Options};
use robomaton_formats::Outcome;
use robomaton_formats::crawlers::known;
use robomaton_formats::preference::Language;
use robomaton_grammar::{DEFAULT_LIMIT, diagnose, scan};
use robomaton_report::{CLASSES, class_name, report, report_over_time, shown};
use robomaton_runtime::Usage;
use robomaton_tables::coverage::{CoverageBasis, Share, coverage};
use robomaton_tables::stances::{Stance, stances};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicU64;

#[test]
fn figures_are_those_of_the_sites() {
    let image = sample(&Options::default());
    let figures = whole(&image).figures;
    let (mut outcomes, mut rules, mut sizes) = ([0; 9], BTreeMap::new(), BTreeMap::new());
    let (mut agents, mut codes) = (BTreeMap::<String, u64>::new(), BTreeMap::<&str, u64>::new());
    let mut wild = [0; 4];
    for site in image.sites() {
        outcomes[site.outcome().expect("an outcome") as usize] += 1;
        let Some(detail) = site.detail() else { continue };
        let patterns: Vec<_> =
            detail.groups.iter().flat_map(|group| &group.rules).map(|rule| &rule.pattern.0).collect();
        *rules.entry(patterns.len()).or_insert(0) += 1;
        let star = patterns.iter().any(|pattern| pattern.contains(&b'*'));
        let end = patterns.iter().any(|pattern| pattern.ends_with(b"$") && !pattern.ends_with(b"*$"));
        if !patterns.is_empty() {
            wild[usize::from(star) + 2 * usize::from(end)] += 1;
        }
        let names: BTreeSet<_> = detail.groups.iter().flat_map(|group| group.crawlers.clone()).collect();
        names.into_iter().for_each(|name| *agents.entry(shown(&name).into_owned()).or_default() += 1);
        let text = site.source(usize::MAX).expect("a text");
        *sizes.entry(text.len().min(DEFAULT_LIMIT + 1)).or_insert(0) += 1;
        let tree = scan(&text, DEFAULT_LIMIT);
        let report = lint(&tree, &CompileContext::default(), &Options::default());
        let mut said: BTreeSet<&str> = report.findings.iter().map(|finding| finding.code.name()).collect();
        if !report.is_something_else {
            said.extend(diagnose(&tree).iter().map(|found| found.code.name()));
        }
        said.into_iter().for_each(|code| *codes.entry(code).or_default() += 1);
    }
    assert_eq!((figures.sites, figures.outcomes), (outcomes.iter().sum(), outcomes));
    assert_eq!((figures.wildcards, &figures.agents), (wild, &agents));
    let in_class = |numbers: &BTreeMap<usize, u64>, class: usize| -> u64 {
        let (from, to) = if class == 0 { (0, 0) } else { (1 << (class - 1), (1 << class) - 1) };
        numbers.range(from..=to).map(|(_, sites)| sites).sum()
    };
    for class in 0..CLASSES - 1 {
        assert_eq!(figures.by_rules[class], in_class(&rules, class), "rules {}", class_name(class));
        assert_eq!(figures.by_size[class], in_class(&sizes, class), "bytes {}", class_name(class));
    }
    let counted: BTreeMap<&str, u64> =
        figures.codes.iter().map(|(code, coded)| (*code, coded.sites)).collect();
    assert_eq!(counted, codes);
    assert!(codes.len() > 10 && agents.len() > 50, "the sample is varied");
}

#[test]
fn extents_are_those_of_the_sites() {
    let image = sample(&Options::default());
    let figures = whole(&image).figures;
    for (known, coverages) in known().iter().zip(&figures.coverages) {
        let crawler = image.crawler([known.token]);
        let told: Vec<_> = image.sites().map(|site| coverage(&site, &crawler, Usage::CRAWL)).collect();
        for share in Share::ALL {
            let of = |named: bool| {
                let is = told
                    .iter()
                    .filter(|told| told.share == share && (!named || told.basis == CoverageBasis::Named));
                is.count() as u64
            };
            assert_eq!(
                (coverages.all(share), coverages.named(share)),
                (of(false), of(true)),
                "{}",
                known.token
            );
        }
        let kept_out =
            told.iter().filter(|told| told.share == Share::Nothing && told.basis != CoverageBasis::Outcome);
        assert_eq!(coverages.kept_out(), kept_out.count() as u64, "{}", known.token);
    }
    let anyone = image.crawler(["*"]);
    let kept_out = image.sites().filter(|site| coverage(site, &anyone, Usage::CRAWL).share == Share::Nothing);
    assert_eq!(figures.everyone.all(Share::Nothing), kept_out.count() as u64);
    let times = || image.sites().filter_map(|site| site.fetched_at());
    assert_eq!(figures.fetched, times().min().zip(times().max()));
}

#[test]
fn uses_are_those_of_the_sites() {
    let image = sample(&Options::default());
    let figures = whole(&image).figures.uses;
    let mut expected: Vec<BTreeMap<Stance, u64>> = vec![BTreeMap::new(); figures.usages.len()];
    let mut languages: Vec<BTreeMap<Language, u64>> = vec![BTreeMap::new(); figures.usages.len()];
    for site in image.sites() {
        let stances = stances(&image, &site, &site.detail().unwrap_or_default());
        for (at, of) in stances.iter().enumerate() {
            *expected[at].entry(of.stance).or_default() += 1;
            of.languages.iter().for_each(|(language, _)| *languages[at].entry(*language).or_default() += 1);
        }
    }
    for (at, counts) in figures.usages.iter().enumerate() {
        let of = |stance: &Stance| expected[at].get(stance).copied().unwrap_or(0);
        assert!(Stance::ALL.iter().all(|stance| counts.stances.with(*stance) == of(stance)), "{counts:?}");
        let speaking = counts.languages.iter().map(|(language, of)| (*language, of.speaking()));
        assert_eq!(speaking.collect::<BTreeMap<_, _>>(), languages[at], "{}", counts.usage);
    }
}

#[test]
fn earlier_images_are_counted_alike() {
    let (full, other) = (
        sample(&Options::default()),
        image(&[("a.example", "User-agent: GPTBot\nDisallow: /\n"), ("b.example", "")]),
    );
    let report = report_over_time(&[("full", &full), ("other", &other)], &options(10), &AtomicU64::new(0));
    let report = report.expect("a report");
    let figures = whole(&full).figures;
    let [earlier] = &report.earlier[..] else { panic!("{} earlier images", report.earlier.len()) };
    assert_eq!((earlier.name.as_str(), earlier.figures.sites), ("full", figures.sites));
    assert_eq!(
        (&earlier.figures.coverages, earlier.figures.everyone),
        (&figures.coverages, figures.everyone)
    );
    assert_eq!(earlier.figures.uses, figures.uses);
    assert_eq!((earlier.figures.fetched, earlier.figures.outcomes), (figures.fetched, figures.outcomes));
    assert_eq!(report.figures, whole(&other).figures);
    assert!(report_over_time::<Vec<u8>>(&[], &options(10), &AtomicU64::new(0)).is_err());
}

#[test]
fn a_title_is_text() {
    let title = Some("<b>Papers</b> & more".to_owned());
    let made = report(&image(&[]), &robomaton_report::Options { title, ..options(1) }, &AtomicU64::new(0))
        .expect("a report");
    assert!(made.html.contains("<h1>&lt;b&gt;Papers&lt;/b&gt; &amp; more</h1>"));
    assert!(made.html.contains("<title>&lt;b&gt;Papers"));
}

#[test]
fn equal_images_give_equal_pages() {
    let image = sample(&Options::default());
    let many = whole(&image).html;
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    assert!(one.install(|| whole(&image).html) == many);
}

#[test]
fn texts_may_be_absent() {
    let image = sample(&Options { no_sources: true, ..Options::default() });
    let report = whole(&image);
    assert!(report.figures.codes.is_empty() && report.figures.with_text == 0);
    assert_eq!(report.html.matches("The image holds no texts").count(), 2);
}

#[test]
fn of_many_sites_those_that_say_the_most_are_held() {
    let long = |rules: usize| "User-agent: *\n".to_owned() + &"Disallow: /some/path\n".repeat(rules);
    let texts: Vec<(String, String)> = (0..9).map(|n| (format!("s{n}.example"), long(n))).collect();
    let texts: Vec<(&str, &str)> = texts.iter().map(|(host, text)| (host.as_str(), text.as_str())).collect();
    let image = image(&texts);
    let said = |sites| {
        let report = report_of(&image, sites);
        assert_eq!((report.figures.sites, report.figures.with(Outcome::Rules)), (9, 9));
        report
            .html
            .contains(&format!("This page holds the {sites} sites whose records are the longest, of 9"))
    };
    assert_eq!([0, 4, 8, 9, 10].map(said), [true, true, true, false, false]);
}

#[test]
fn an_empty_image_has_a_page() {
    let image = image(&[]);
    let report = whole(&image);
    assert_eq!(report.figures.sites, 0);
    assert!(report.html.contains("What 0 sites tell crawlers"));
}
