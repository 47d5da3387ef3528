//! Generated corpora: similar to the real one in every measure, reproducible from the same seed,
//! and prefixes of each other.

use robomaton_benches::generate::statistics::Statistics;
use robomaton_benches::generate::{Generator, measures, warc};
use robomaton_corpus::{Input, Item, ReadLimits, read};
use std::collections::HashSet;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicU64;

#[test]
fn generated_corpora_are_like_the_real_one() {
    let statistics = Statistics::shipped().expect("the shipped statistics");
    let real = statistics.measures.clone();
    let generated = measures::of_generated(&Generator::new(statistics, 0), measures::sites(&real));
    assert!(real.len() > 40 && real.len() == generated.len());
    for (real, generated) in real.iter().zip(&generated) {
        assert_eq!(real.name, generated.name);
        assert!(real.holds(generated.value), "{}: {} against {}", real.name, generated.value, real.value);
    }
}

#[test]
fn a_seed_gives_one_corpus() {
    let corpus = |seed| {
        let generator = Generator::shipped(seed).expect("the shipped statistics");
        generator.sites(0..500).map(|site| (generator.text(site.text), site.host)).collect::<Vec<_>>()
    };
    assert_eq!(corpus(7), corpus(7));
    let (one, other) = (corpus(7), corpus(8));
    let same = one.iter().zip(&other).filter(|(one, other)| one == other).count();
    assert!(same < 10, "{same} sites are the same under another seed");
}

#[test]
fn hosts_are_distinct() {
    let generator = Generator::shipped(0).expect("the shipped statistics");
    let hosts: HashSet<String> = generator.sites(0..100_000).map(|site| site.host).collect();
    assert_eq!(hosts.len(), 100_000);
    assert!(hosts.iter().all(|host| host.len() <= 255));
}

#[test]
fn captures_are_read_as_they_were_made() {
    let generator = Generator::shipped(0).expect("the shipped statistics");
    let mut file = tempfile::Builder::new().suffix(".warc.gz").tempfile().expect("a file");
    let bytes = warc::write(&generator, 300, &mut file).expect("captures are written");
    file.flush().expect("captures are written");
    let (mut sites, mut read_bytes) = (generator.sites(0..300), 0);
    let input = [Input::Path(file.path().to_owned())];
    read(&input, &ReadLimits::default(), &AtomicU64::new(0), &mut |item| {
        let Item::Capture(capture) = item else { panic!("{item:?}") };
        let site = sites.next().expect("as many captures as sites");
        assert_eq!(capture.url, format!("https://{}/robots.txt", site.host));
        assert!(capture.body == generator.text(site.text), "{}", capture.url);
        assert!(!capture.truncated && capture.status == 200);
        read_bytes += capture.body.len() as u64;
        ControlFlow::Continue(())
    })
    .expect("captures are read");
    assert_eq!((sites.next(), read_bytes), (None, bytes));
}
