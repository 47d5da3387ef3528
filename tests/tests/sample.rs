//! The sample corpus: real captures through every stage, under every profile.
//!
//! `data/sample.warc.gz` has some 300 real files, chosen for variety. Both readers must give the
//! same tree, the tree must print the file back, and every engine must give the same answer to
//! questions made from the file's own rules.

use robomaton_corpus::{BatchOptions, Input, Item, Progress, ReadLimits, build, read};
use robomaton_formats::Profile;
use robomaton_formats::layout::Section;
use robomaton_grammar::{DEFAULT_LIMIT, define, scan};
use robomaton_runtime::{Image, Question, Usage};
use robomaton_tests::generate::Random;
use robomaton_tests::panel::{Panel, Query};
use robomaton_tests::{engines, home, setting};
use std::ops::ControlFlow;
use std::sync::atomic::AtomicU64;

/// Questions about each file, under each profile.
fn questions() -> usize {
    setting("ROBOMATON_QUESTIONS", 25)
}

/// The sample, or the corpus named by `ROBOMATON_CORPUS`.
fn input() -> Input {
    let sample = || home().join("data/sample.warc.gz");
    Input::Path(std::env::var_os("ROBOMATON_CORPUS").map_or_else(sample, Into::into))
}

/// Site and body of every capture.
fn files() -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    read(&[input()], &ReadLimits::default(), &AtomicU64::new(0), &mut |item| {
        if let Item::Capture(capture) = item {
            files.push((capture.site.to_string(), capture.body));
        }
        ControlFlow::Continue(())
    })
    .expect("the sample is there");
    assert!(files.len() >= 290, "{} captures", files.len());
    files
}

#[test]
fn both_readers_give_one_tree_that_prints_the_file() {
    for (site, body) in files() {
        let tree = scan(&body, DEFAULT_LIMIT);
        assert!(tree == define(&body, DEFAULT_LIMIT), "{site}: the readers differ");
        assert!(tree.print() == body, "{site}: the tree does not print the file");
    }
}

#[test]
fn the_sample_builds_and_verifies() {
    for profile in Profile::ALL {
        let mut options = BatchOptions::default();
        options.compile.profile = profile;
        let built = build(&[input()], &options, &Progress::default()).expect("the sample builds");
        let report = &built.report;
        assert!(report.skipped.is_empty(), "{:?}", report.skipped_examples);
        assert!(report.over_limit.is_empty(), "{:?}", report.over_limit);
        let image = Image::from_bytes(built.image.as_slice()).expect("the image opens");
        image.verify().expect("the image verifies");
        assert_eq!(image.len() as u64, report.sites);
        let hot = Section::ALL.into_iter().filter(|section| section.is_hot());
        let hot: usize = hot.map(|section| image.section_bytes(section)).sum();
        let (sites, text, outcomes) = (report.sites, report.distinct_bytes, &report.outcomes);
        println!(
            "{profile}: {sites} sites, {text} bytes of text, {} of image, {hot} hot, {outcomes:?}",
            built.image.len()
        );
        assert!(hot as u64 * 2 < text, "{profile}: {hot} hot bytes for {text} bytes of text");
    }
}

/// Some names from the file's own user-agent lines, as written, and two others.
fn agents(body: &[u8], random: &mut Random) -> Vec<String> {
    let text = String::from_utf8_lossy(body);
    let value = |line: &str| {
        let (key, value) = line.split_once(':')?;
        key.to_ascii_lowercase().contains("agent").then(|| value.trim().to_owned())
    };
    let named: Vec<String> = text.split(['\r', '\n']).filter_map(value).collect();
    let mut agents = vec!["Googlebot".to_owned(), "nobody".to_owned()];
    if !named.is_empty() {
        agents.extend((0..6).map(|_| named[random.below(named.len())].clone()));
    }
    agents
}

fn engines_agree(profile: &'static str) {
    let mut random = Random::new(300);
    let mut panel = Panel::of(profile);
    let (mut compared, mut decided) = (0, 0);
    for (site, body) in files() {
        let agents = agents(&body, &mut random);
        let targets = random.queries(&body, questions());
        panel.load(&body, Some(&site));
        for target in targets {
            let agent = &agents[random.below(agents.len())];
            let usage = if random.once_in(5) && profile != "google" { "index" } else { "crawl" };
            let url = format!("{site}{target}");
            compared += 1;
            match panel.ask(agent, usage, &url) {
                Ok(answer) => decided += usize::from(answer.is_decided()),
                Err(_) => {
                    let [agent, usage] = [agent.as_str(), usage].map(str::to_owned);
                    let query = Query { robots: body, origin: Some(site), agent, usage, url };
                    panic!("{}", panel.account(&query));
                }
            }
        }
    }
    println!("{profile}: {compared} questions compared, {decided} decided by a rule");
    assert!(decided * 6 > compared, "{decided} of {compared} decided");
}

#[test]
fn engines_agree_under_full() {
    engines_agree("full");
}

#[test]
fn engines_agree_under_rfc9309() {
    engines_agree("rfc9309");
}

#[test]
fn engines_agree_under_google() {
    engines_agree("google");
}

#[test]
fn engines_agree_under_koster() {
    engines_agree("koster");
}

/// The image of all sites gives the same answers as that of each single site.
#[test]
fn many_sites_in_one_image_do_not_disturb_one_another() {
    let built = build(&[input()], &BatchOptions::default(), &Progress::default()).expect("the sample builds");
    let image = Image::from_bytes(built.image).expect("the image opens");
    let mut random = Random::new(301);
    let mut urls = vec!["https://nowhere.example/".to_owned(), "no url".to_owned()];
    for (site, body) in files() {
        let alone = engines::image_of(&body, Some(&site), &engines::options("full"));
        let alone = Image::from_bytes(alone).expect("the image opens");
        for target in random.queries(&body, 5) {
            let url = format!("{site}{target}");
            for agent in agents(&body, &mut random) {
                let [one, many] = [&alone, &image].map(|image| {
                    let crawler = image.crawler([&agent]);
                    engines::answer(&image.decide(&crawler, image.usage("crawl"), &url))
                });
                assert_eq!(one, many, "{agent:?} asks about {url:?}; left alone, right among all");
            }
            urls.push(url);
        }
    }
    a_batch_answers_as_single_questions(&image, &urls);
}

fn a_batch_answers_as_single_questions(image: &Image<Vec<u8>>, urls: &[String]) {
    let crawlers = ["GPTBot", "nobody"].map(|name| image.crawler([name]));
    let of_crawler = |crawler| urls.iter().map(move |url| Question { crawler, usage: Usage::CRAWL, url });
    let questions: Vec<Question<'_>> = crawlers.iter().flat_map(of_crawler).collect();
    let mut answers = Vec::new();
    image.decide_batch(questions.iter().copied(), |verdict| {
        answers.push((verdict.decision(), verdict.basis()))
    });
    assert_eq!(answers.len(), questions.len());
    for (question, answer) in questions.iter().zip(answers) {
        let single = image.decide(question.crawler, question.usage, question.url);
        assert_eq!(
            answer,
            (single.decision(), single.basis()),
            "left in a batch, right alone: {}",
            question.url
        );
    }
}
