//! Compares coverages with brute force: a statement about all targets must hold for each.
//!
//! `Nothing` and `All` must never be contradicted by a target, over random files, random ACAP
//! files, and the sample, under every profile. Where rules are ranked, coverages are exact (see
//! `tables/src/coverage.rs`), so `Part` must be confirmed by targets of both kinds: the tests here
//! find them by patterns, not by witnesses.

use robomaton_compiler::{Limits, Options};
use robomaton_corpus::{BatchOptions, Input, Progress, build};
use robomaton_formats::preference::Language;
use robomaton_runtime::{Basis, Crawler, Decision, Image, Profile, Site, Usage};
use robomaton_tables::coverage::{Coverage, CoverageBasis, Coverages, Share, coverage};
use robomaton_tables::usages::{UsageCoverage, UsageCoverages};
use robomaton_tests::generate::{ASKED, Random};
use robomaton_tests::{engines, home, setting};

fn image(text: &str) -> Image<Vec<u8>> {
    Image::from_bytes(engines::image_of(text.as_bytes(), None, &Options::default())).expect("an image")
}

fn only<D: AsRef<[u8]>>(image: &Image<D>) -> Site<'_> {
    image.sites().next().expect("one site")
}

fn told(text: &str, agent: &str) -> Coverage {
    let image = image(text);
    coverage(&only(&image), &image.crawler([agent]), Usage::CRAWL)
}

#[test]
fn small_sets() {
    for (rules, share, line) in [
        ("", Share::All, None),
        ("Disallow:", Share::All, None),
        ("Disallow: /", Share::Nothing, Some(2)),
        ("Disallow: /*", Share::Nothing, Some(2)),
        ("Disallow: *", Share::Nothing, Some(2)),
        ("Disallow: /\nAllow: /", Share::All, Some(3)),
        ("Disallow: /\nAllow: /x", Share::Part, Some(2)),
        ("Disallow: /\nAllow: /$", Share::Part, Some(2)),
        ("Disallow: /x\nAllow: /", Share::Part, Some(3)),
        ("Disallow: /x\nAllow: /x", Share::All, None),
        ("Disallow: /x\nDisallow: /y", Share::Part, Some(2)),
        ("Disallow: /x$\nAllow: /*x", Share::All, None),
        ("Disallow: /xyz$\nAllow: /*x", Share::Part, Some(2)),
        ("Disallow: */x\nAllow: /*/x*", Share::Part, Some(2)),
        ("Disallow: /robots.txt$", Share::All, None),
        ("Disallow: /robots.txt", Share::Part, Some(2)),
        ("Disallow: /\nAllow: /robots.txt$", Share::Nothing, Some(2)),
        ("Allow: /a\nDisallow: /*b\nDisallow: /", Share::Part, Some(4)),
        ("Disallow: /%C3%A9\nAllow: /\u{e9}*", Share::All, None),
    ] {
        let found = told(&format!("User-agent: *\n{rules}\n"), "GPTBot");
        assert_eq!(
            (found.share, found.line, found.basis),
            (share, line, CoverageBasis::Default),
            "{rules:?}"
        );
    }
}

#[test]
fn bases() {
    let text = "User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n";
    let basis = |agent| (told(text, agent).share, told(text, agent).basis);
    assert_eq!(basis("CCBot"), (Share::Nothing, CoverageBasis::Named));
    assert_eq!(basis("GPTBot/1.0"), (Share::Nothing, CoverageBasis::Named));
    assert_eq!(basis("other"), (Share::All, CoverageBasis::NoGroup));
    assert_eq!(basis("*"), (Share::All, CoverageBasis::NoGroup));
    assert_eq!(told("User-agent: *\nDisallow: /", "*").basis, CoverageBasis::Default);
    let silent = told("Hello", "a");
    assert_eq!((silent.share, silent.basis, silent.line), (Share::All, CoverageBasis::Outcome, None));
}

#[test]
fn narrowed_images_do_not_tell() {
    let options = Options { crawlers: vec!["a".into()], ..Options::default() };
    let image = engines::image_of(b"User-agent: *\nDisallow: /\n", None, &options);
    let image = Image::from_bytes(image).expect("an image");
    let crawlers = ["a", "b", "*"].map(|name| image.crawler([name]));
    let bases = Coverages::new(&crawlers, &[Usage::CRAWL]).of(&only(&image)).to_vec();
    let bases: Vec<_> = bases.into_iter().map(|coverage| (coverage.share, coverage.basis)).collect();
    let default = (Share::Nothing, CoverageBasis::Default);
    assert_eq!(bases, [default, (Share::Unknown, CoverageBasis::Untold), default]);
}

/// Crawlers with the same groups do not share an answer if the image was compiled for one of them.
#[test]
fn narrowed_images_tell_uses_of_their_crawlers() {
    let text = b"User-agent: Google-Extended\nDisallow: /\n";
    for (kept, shares) in [
        ("googlebot", [Share::Nothing, Share::Unknown]),
        ("googlebot-image", [Share::Unknown, Share::Nothing]),
    ] {
        let options = Options { crawlers: vec![kept.into()], ..Options::default() };
        let image = Image::from_bytes(engines::image_of(text, None, &options)).expect("an image");
        let all = UsageCoverages::new(&image).of(&only(&image)).to_vec();
        let share = |name: &str| {
            let of = |coverage: &&UsageCoverage| coverage.crawler == name && coverage.usage == "ai-train";
            all.iter().find(of).map(|coverage| coverage.share)
        };
        assert_eq!(["googlebot", "googlebot-image"].map(share), shares.map(Some), "{kept}");
    }
}

#[test]
fn usages_and_conditions() {
    let image = image("User-agent: *\nDisallow: /\nNoindex: /x\n");
    let site = only(&image);
    let share = |usage| coverage(&site, &image.crawler(["a"]), image.usage(usage)).share;
    assert_eq!(
        (share("index"), share("crawl"), share("train")),
        (Share::Unknown, Share::Nothing, Share::Unknown)
    );
    let acap = "ACAP-crawler: *\nACAP-disallow-index: /\nACAP-allow-index: /news/ time-limit=3-days\n\
                ACAP-allow-follow: / time-limit=3-days\n";
    let image = self::image(acap);
    let found = |usage| coverage(&only(&image), &image.crawler(["a"]), image.usage(usage));
    assert_eq!((found("index").share, found("index").conditional), (Share::Part, true));
    assert_eq!((found("follow").share, found("follow").conditional), (Share::Part, true));
    assert_eq!((found("preserve").share, found("preserve").conditional), (Share::All, false));
}

/// Texts whose crawlers each have many patterns, or that name too many, end: the rest is not
/// certain.
#[test]
fn work_on_crawlers_is_limited() {
    let named = |count: usize, rest: &str| -> String {
        let group = |number| format!("User-agent: bot{number:05}\nContent-Usage: /a train-ai=n\n{rest}\n");
        (0..count).map(group).collect()
    };
    let rules: String = (0..60).map(|number| format!("Disallow: /{number}/\n")).collect();
    for (text, is_within) in [(named(2200, ""), true), (named(6000, ""), false), (named(3000, &rules), false)]
    {
        let limits = Limits { bytes: Some(16 << 20), ..Limits::default() };
        let options = Options { limits, ..Options::default() };
        let image = Image::from_bytes(engines::image_of(text.as_bytes(), None, &options)).expect("an image");
        let all = UsageCoverages::new(&image).of(&only(&image)).to_vec();
        let trained: Vec<_> = all.iter().filter(|coverage| coverage.usage == "ai-train").collect();
        let (first, last) = (trained[1], trained[trained.len() - 1]);
        assert_eq!(
            (first.share, first.incomplete, &*first.languages),
            (Share::Part, false, &[Language::Aipref][..])
        );
        assert_eq!((last.share, last.incomplete), (Share::Part, !is_within), "{}", trained.len());
        let measured = trained.iter().filter(|coverage| !coverage.incomplete).count();
        assert!(measured > 500, "{measured} of {}", trained.len());
    }
}

/// Statements about a path make a part, as rules do.
#[test]
fn statements_about_uses() {
    for (text, agent, usage, share) in [
        ("User-agent: Google-Extended\nAllow: /\nDisallow: /private", "googlebot", "ai-train", Share::Part),
        ("User-agent: Google-Extended\nDisallow: /\nAllow: /a", "googlebot", "ai-train", Share::Part),
        (
            "User-agent: *\nContent-Signal: ai-train=yes\nContent-Signal: /private ai-train=no",
            "x",
            "ai-train",
            Share::Part,
        ),
        (
            "User-agent: *\nContent-Signal: /* ai-train=no\nContent-Signal: /private ai-train=yes",
            "x",
            "ai-train",
            Share::Part,
        ),
        (
            "User-agent: *\nContent-Usage: /* train-ai=y\nContent-Usage: /private train-ai=n",
            "x",
            "ai-train",
            Share::Part,
        ),
        ("User-agent: *\nDisallowAITraining: /*\nAllowAITraining: /private", "x", "ai-train", Share::Part),
        (
            "User-agent: *\nContent-Signal: search=yes\nContent-Signal: /private search=no",
            "x",
            "search",
            Share::Part,
        ),
        (
            "User-agent: *\nContent-Signal: ai-train=no\nDisallow: /a*b\nDisallow: /c",
            "x",
            "ai-train",
            Share::Nothing,
        ),
        ("User-agent: *\nContent-Signal: ai-train=no\nAllow: /", "x", "ai-train", Share::Nothing),
        // Whether the two meet is not certain.
        (
            "User-agent: *\nContent-Signal: /a ai-train=no\nContent-Signal: /*b ai-train=no\nContent-Signal: ai-train=no",
            "x",
            "ai-train",
            Share::Part,
        ),
    ] {
        let image = image(&format!("{text}\n"));
        let (site, crawler) = (only(&image), image.crawler([agent]));
        assert_eq!(coverage(&site, &crawler, image.usage(usage)).share, share, "{text}");
        // Crawlers are not mixed up with those that a statement does not address.
        let (crawlers, usages) = ([image.crawler(["other"]), crawler], [image.usage(usage)]);
        assert_eq!(Coverages::new(&crawlers, &usages).of(&site)[1].share, share, "{text}");
    }
}

#[test]
fn a_set_that_uses_every_byte_is_not_guessed_at() {
    let all: String = (b'!'..=b'~').filter(|byte| !b"#$*".contains(byte)).map(char::from).collect();
    let text = format!("User-agent: *\nDisallow: /{all}\nUser-agent: a\nDisallow: /\n");
    assert_eq!((told(&text, "b").share, told(&text, "b").basis), (Share::Unknown, CoverageBasis::Untold));
    assert_eq!(told(&text, "a").share, Share::Nothing);
}

/// The decision for a target that contradicts the coverage.
fn contradicts(
    found: &Coverage,
    site: &Site<'_>,
    crawler: &Crawler,
    usage: Usage<'_>,
    target: &str,
) -> Option<Decision> {
    let verdict = site.decide(crawler, usage, target);
    let decision = verdict.safe_decision();
    let fits = match found.share {
        Share::All => decision == Decision::Allowed,
        Share::Nothing => decision == Decision::Disallowed,
        Share::Unknown => matches!(decision, Decision::Unknown | Decision::Disallowed),
        Share::Part => decision != Decision::Conditional || found.conditional,
    };
    (!fits && verdict.basis() != Basis::RobotsTxt).then_some(decision)
}

/// Compares coverages with verdicts; counts the shares.
#[derive(Default)]
struct Brute {
    shares: [usize; 4],
}

impl Brute {
    fn check(
        &mut self,
        site: &Site<'_>,
        crawler: &Crawler,
        usage: Usage<'_>,
        targets: &[String],
        text: &str,
    ) {
        let found = coverage(site, crawler, usage);
        self.shares[found.share as usize] += 1;
        for target in targets {
            if let Some(decision) = contradicts(&found, site, crawler, usage, target) {
                panic!("{found:?}, but {target} is {decision} to {:?} by\n{text}", crawler.names());
            }
        }
        // If everything is refused, there is a reason.
        let named = found.basis == CoverageBasis::Outcome || found.incomplete || found.line.is_some();
        assert!(found.share != Share::Nothing || named, "{found:?}\n{text}");
    }

    fn has_seen(&self, shares: &[Share]) {
        assert!(shares.iter().all(|&share| self.shares[share as usize] > 20), "{:?}", self.shares);
    }
}

#[test]
fn random_files() {
    let mut random = Random::new(setting("ROBOMATON_SEED", 11));
    let mut seen = Brute::default();
    for _ in 0..setting("ROBOMATON_CASES", 1_000) {
        let file = random.file();
        let text = String::from_utf8_lossy(&file).into_owned();
        let mut targets = random.queries(&file, 60);
        targets.extend(["/^".to_owned(), "/x".to_owned(), "/zzz?q".to_owned()]);
        for profile in Profile::ALL {
            let options = Options { profile, ..Options::default() };
            let image = Image::from_bytes(engines::image_of(&file, None, &options)).expect("an image");
            for agent in ASKED {
                seen.check(&only(&image), &image.crawler([agent]), Usage::CRAWL, &targets, &text);
            }
        }
    }
    seen.has_seen(&[Share::Nothing, Share::Part, Share::All]);
}

/// Short rules over two letters: all targets up to a length are tried, so `Part` is confirmed, too.
#[test]
fn some_is_some() {
    const PIECES: [&str; 6] = ["a", "b", "*", "*", "/", "ab"];
    let mut targets = vec![String::from("/")];
    for at in 0.. {
        let shorter: String = targets[at].clone();
        if shorter.len() == 7 {
            break;
        }
        targets.extend(["a", "b", "/", "z"].map(|letter| format!("{shorter}{letter}")));
    }
    let mut random = Random::new(setting("ROBOMATON_SEED", 12));
    let mut counts = [0; 4];
    for _ in 0..setting("ROBOMATON_CASES", 300) {
        let rules: Vec<(String, bool)> = (0..1 + random.below(4))
            .map(|_| {
                let start = if random.once_in(4) { "*" } else { "/" };
                let pieces: String = (0..random.below(3)).map(|_| random.pick(&PIECES)).collect();
                let end = if random.once_in(4) { "$" } else { "" };
                (format!("{start}{pieces}{end}"), random.once_in(2))
            })
            .collect();
        let text = robomaton_tests::generate::one_group(&rules);
        let image = image(&text);
        let (site, crawler) = (only(&image), image.crawler(["a"]));
        let found = coverage(&site, &crawler, Usage::CRAWL);
        let access = site.access(&crawler, Usage::CRAWL);
        let allowed = targets.iter().filter(|target| access.decide(target).is_allowed()).count();
        let share = match allowed {
            0 => Share::Nothing,
            _ if allowed == targets.len() => Share::All,
            _ => Share::Part,
        };
        assert_eq!(found.share, share, "{text}");
        counts[share as usize] += 1;
    }
    assert!(counts[..3].iter().all(|&count| count > 10), "{counts:?}");
}

/// ACAP fields are weighed together, so that some targets may be missed: few (5 in 100,000 of
/// these).
#[test]
fn random_acap_files() {
    let mut random = Random::new(setting("ROBOMATON_SEED", 13));
    let (mut asked, mut missed) = (0, 0);
    for _ in 0..setting("ROBOMATON_CASES", 300) {
        let file = random.acap_file();
        let image = engines::image_of(file.robots.as_bytes(), None, &Options::default());
        let image = Image::from_bytes(image).expect("an image");
        for question in random.acap_questions(&file, 10) {
            let (usage, crawler) = (image.usage(&question.usage), image.crawler(&question.agents));
            let found = coverage(&only(&image), &crawler, usage);
            let decision = contradicts(&found, &only(&image), &crawler, usage, &question.target);
            asked += 1;
            missed += usize::from(decision.is_some());
        }
    }
    assert!(asked >= 1_000 && missed * 500 < asked, "{missed} of {asked}");
}

#[test]
fn the_sample() {
    let input = Input::Path(home().join("data/sample.warc.gz"));
    let mut random = Random::new(14);
    let mut seen = Brute::default();
    for profile in Profile::ALL {
        let mut options = BatchOptions::default();
        options.compile.profile = profile;
        let built =
            build(std::slice::from_ref(&input), &options, &Progress::default()).expect("the sample builds");
        let image = Image::from_bytes(built.image.as_slice()).expect("an image");
        let crawlers = ["*", "GPTBot", "Googlebot", "ia_archiver", "Slurp"].map(|name| image.crawler([name]));
        let usages = [Usage::CRAWL, Usage::INDEX];
        let mut coverages = Coverages::new(&crawlers, &usages);
        for site in image.sites() {
            let text = site.source(1 << 20).unwrap_or_default();
            let targets = random.queries(&text, 40);
            let text = String::from_utf8_lossy(&text);
            let kept = coverages.of(&site).to_vec();
            for (at, crawler) in crawlers.iter().enumerate() {
                for (number, &usage) in usages.iter().enumerate() {
                    seen.check(&site, crawler, usage, &targets, &text);
                    assert_eq!(
                        kept[at * usages.len() + number],
                        coverage(&site, crawler, usage),
                        "{}",
                        site.authority()
                    );
                }
            }
        }
    }
    seen.has_seen(&Share::ALL);
}
