//! Merged images equal the image of all their captures; shards act as one image.

use robomaton_compiler::{Merge, MergeError, Options};
use robomaton_corpus::{BatchOptions, Input, Progress, prepare};
use robomaton_formats::Profile;
use robomaton_formats::layout::Section;
use robomaton_runtime::{Decision, Image, OpenError, Question, ShardsError, Usage};
use robomaton_tests::captures::{build_from, captures, json, shuffle};
use robomaton_tests::damage::{Patient, small_image};
use robomaton_tests::generate::Random;
use serde_json::{Value, json};
use std::num::NonZero;
use std::path::Path;

fn merge_in(shard: (u8, u8), images: &[&[u8]]) -> Result<Vec<u8>, MergeError> {
    let images: Vec<_> = images.iter().map(|bytes| Image::from_bytes(*bytes).expect("an image")).collect();
    let views: Vec<_> = images.iter().map(Image::view).collect();
    let mut out = Vec::new();
    Merge::new(&views)?.write(shard, || Ok(Vec::new()), &mut out).expect("images that fit their format");
    Ok(out)
}

fn merge(images: &[&[u8]]) -> Vec<u8> {
    merge_in((0, 0), images).expect("images that were compiled alike")
}

/// The captures without those whose meaning depends on captures of other sites, no two in the same
/// second.
fn independent() -> Vec<String> {
    let lines = captures().into_iter().enumerate().map(|(number, line)| {
        let mut line: Value = serde_json::from_str(&line).expect("JSON");
        line["fetched_at"] = (1_700_000_000 + number).into();
        line
    });
    lines.filter(|line| line["status"] != 301).map(|line| line.to_string()).collect()
}

fn host(line: &str) -> String {
    let line: Value = serde_json::from_str(line).expect("JSON");
    line["url"].as_str().and_then(|url| url.split('/').nth(2)).expect("a URL").to_owned()
}

/// A fetch that was not read and whose time is not known has that of the capture before it.
#[test]
fn what_was_not_read_goes_before_a_text_of_the_same_time() {
    let row = |time: &str, body: &str| {
        json!({ "url": "https://a.example/robots.txt", "fetched_at": time, "body": body }).to_string()
    };
    let [old, newer] = [2, 3].map(|second| row(&format!("1970-01-01T00:00:0{second}Z"), "Disallow:"));
    let unread = row("1970-13-01T00:00:02Z", "User-agent: *\nDisallow: /");
    let [old, both, newer] =
        [&[old.clone()][..], &[old, unread], &[newer]].map(|rows| build_from(rows, 1).image);
    let crawl = |images: &[&[u8]]| {
        let image = Image::from_bytes(merge(images)).expect("an image");
        let crawler = image.crawler(["bot"]);
        image.decide(&crawler, Usage::CRAWL, "https://a.example/x").decision()
    };
    assert_eq!(crawl(&[&old, &both]), Decision::Unknown);
    assert_eq!(crawl(&[&both, &old]), Decision::Unknown);
    assert_eq!(crawl(&[&both, &newer]), Decision::Allowed);
}

#[test]
fn images_by_site_become_that_of_all() {
    let lines = independent();
    let all = build_from(&lines, 2).image;
    assert_eq!(merge(&[&all]), all, "an image alone is itself");
    let mut parts = vec![Vec::new(); 3];
    for line in &lines {
        parts[host(line).bytes().map(usize::from).sum::<usize>() % 3].push(line.clone());
    }
    let parts: Vec<Vec<u8>> = parts.iter().map(|lines| build_from(lines, 1).image).collect();
    let [a, b, c] = [0, 1, 2].map(|part| parts[part].as_slice());
    for images in [[a, b, c], [c, a, b], [b, c, a]] {
        assert!(merge(&images) == all, "another image");
    }
    assert!(merge(&[&merge(&[c, a]), b, a, c]) == all, "what was merged is merged again");
}

/// Captures of one site in several images: the newest counts.
#[test]
fn images_by_time_become_that_of_all() {
    let mut lines: Vec<String> = independent();
    lines.retain(|line| line.contains("/robots.txt\"") && !line.contains("permissions-reference"));
    let all = build_from(&lines, 2).image;
    let mut random = Random::new(3);
    for _ in 0..4 {
        shuffle(&mut lines, &mut random);
        let parts: Vec<Vec<u8>> =
            lines.chunks(lines.len() / 3).map(|part| build_from(part, 1).image).collect();
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        assert!(merge(&parts) == all, "another image");
    }
}

#[test]
fn of_one_second_it_is_always_the_same() {
    let lines = captures();
    let (one, other) = lines.split_at(lines.len() / 2);
    let [one, other] = [one, other].map(|lines| build_from(lines, 1).image);
    let both = merge(&[&one, &other]);
    assert!(merge(&[&other, &one]) == both && merge(&[&both, &one]) == both);
    Image::from_bytes(&both[..]).expect("an image").verify().expect("a good image");
}

#[test]
fn what_was_compiled_otherwise_is_refused() {
    let image = |options: Options| robomaton_compiler::emit(Vec::new(), &options).expect("an empty image");
    let plain = image(Options::default());
    let unlike = |options| match merge_in((0, 0), &[&plain, &plain, &image(options)]) {
        Err(MergeError::Unlike { image: 2, what }) => what,
        other => panic!("{other:?}"),
    };
    assert_eq!(unlike(Options { profile: Profile::Rfc9309, ..Options::default() }), "profile");
    assert_eq!(unlike(Options { crawlers: vec!["a".into()], ..Options::default() }), "choice of crawlers");
    let mut options = Options::default();
    options.limits.rules = 7;
    assert_eq!(unlike(options), "set of limits");
    assert_eq!(merge_in((0, 0), &[]), Err(MergeError::Nothing));
}

/// Changing bytes anywhere may give an error or another image, and nothing worse.
#[test]
fn damaged_images_do_no_harm() {
    let lines = captures();
    let good = build_from(&lines[..60], 1).image;
    let mut random = Random::new(9);
    let (mut refused, mut merged) = (0, 0);
    for _ in 0..600 {
        let mut bad = good.clone();
        for _ in 0..1 + random.below(4) {
            let at = 448 + random.below(bad.len() - 448);
            bad[at] = random.below(256) as u8;
        }
        let images = [&good[..], &bad].map(|bytes| Image::from_bytes(bytes).expect("the head is whole"));
        let views = [images[0].view(), images[1].view()];
        let written = Merge::new(&views)
            .map(|merge| merge.write((0, 0), || Ok(Vec::new()), &mut std::io::sink()).is_ok());
        match written {
            Ok(true) => merged += 1,
            _ => refused += 1,
        }
    }
    assert!(refused > 20 && merged > 20, "{refused} refused, {merged} merged");
}

/// A usage that no program is about is none of the image's, so that a merge has the same bytes.
#[test]
fn a_usage_without_effect_is_in_no_image() {
    let body = "ACAP-crawler: *\nACAP-allow-mumble: //x/y\nACAP-disallow-crawl: /a\nACAP-disallow-hum: /b\n";
    let line = json!({ "url": "https://m.example/robots.txt", "body": body }).to_string();
    let built = build_from(&[line], 1).image;
    let image = Image::from_bytes(&built[..]).expect("an image");
    assert_eq!(merge(&[&built]), built);
    let known = |usage: &str| image.view().usages().any(|known| known == usage);
    assert!(known("hum") && !known("mumble"));
}

/// A directory of shards, made in one run.
fn shards(lines: &[String], count: u8) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    let captures = directory.path().join("captures.jsonl");
    std::fs::write(&captures, lines.join("\n")).expect("room");
    let options = BatchOptions { pages: true, ..BatchOptions::default() };
    let prepared = prepare(&[Input::Path(captures)], &options, &Progress::default()).expect("good captures");
    let count = NonZero::new(count).expect("some");
    let each = &mut |number: u8, write: robomaton_corpus::ShardWriter<'_>| {
        write(&mut std::fs::File::create(directory.path().join(format!("{number}.rimg")))?)
    };
    prepared.write_shards(count, each).expect("room");
    directory
}

fn read(path: impl AsRef<Path>) -> Vec<u8> {
    std::fs::read(path).expect("a file")
}

#[test]
fn shards_answer_as_the_whole() {
    let lines = captures();
    let whole = build_from(&lines, 2).image;
    let image = Image::from_bytes(&whole[..]).expect("an image");
    for count in [1, 2, 7] {
        let directory = shards(&lines, count);
        let sharded = Image::read(directory.path()).expect("a directory of shards");
        sharded.verify().expect("good shards");
        sharded.verify_with_texts().expect("good texts");
        assert_eq!((sharded.len(), sharded.sites().count()), (image.len(), image.sites().count()));
        assert_eq!(sharded.shards().count(), usize::from(count));
        let names =
            |image: &mut dyn Iterator<Item = (String, Option<String>, u16)>| image.collect::<Vec<_>>();
        let named =
            |site: robomaton_runtime::Site<'_>| (site.authority(), site.document_name(), site.status());
        assert_eq!(names(&mut sharded.entries().map(named)), names(&mut image.entries().map(named)));
        for from in ["", "a", "m", "www.", "zz", "~"] {
            let behind = image.sites().filter(|site| site.authority().as_str() >= from).map(named);
            assert!(sharded.sites_from(from).map(named).eq(behind), "{from}");
        }
        for names in [&["a"][..], &["googlebot"], &["*"]] {
            let (here, there) = (sharded.crawler(names), image.crawler(names));
            for (usage, other) in
                [(Usage::CRAWL, Usage::CRAWL), (sharded.usage("index"), image.usage("index"))]
            {
                let urls: Vec<String> = image
                    .sites()
                    .flat_map(|site| {
                        ["/", "/a/b", "/own", "/x"].map(|path| format!("https://{}{path}", site.authority()))
                    })
                    .collect();
                let said = |verdict: &robomaton_runtime::Verdict<'_>| {
                    (verdict.decision(), verdict.basis(), verdict.rules())
                };
                let expected: Vec<_> =
                    urls.iter().map(|url| said(&image.decide(&there, other, url))).collect();
                let one: Vec<_> = urls.iter().map(|url| said(&sharded.decide(&here, usage, url))).collect();
                assert_eq!(one, expected);
                let mut batch = Vec::new();
                let questions = urls.iter().map(|url| Question { crawler: &here, usage, url });
                sharded.decide_in_blocks(questions, |verdict| batch.push(said(&verdict)));
                assert_eq!(batch, expected);
                for url in &urls {
                    let data =
                        |image: Option<robomaton_runtime::Site<'_>>| image.map(|site| site.authority());
                    assert_eq!(
                        data(sharded.document(url, "data.txt")),
                        data(image.document(url, "data.txt"))
                    );
                }
            }
        }
        let files: Vec<Vec<u8>> =
            (0..count).map(|number| read(directory.path().join(format!("{number}.rimg")))).collect();
        let files: Vec<&[u8]> = files.iter().map(Vec::as_slice).collect();
        assert!(merge(&files) == whole, "the shards do not give the whole again");
        for (number, file) in (0..).zip(&files) {
            let made = merge_in((number, count - 1), &[&whole]).expect("one image");
            assert!(made == *file, "the whole does not give shard {number}");
        }
    }
}

#[test]
fn what_is_no_set_of_shards_is_an_error() {
    let lines = captures();
    let [two, three] = [2, 3].map(|count| shards(&lines[..40], count));
    let of_others = json("https://a.example", "/robots.txt", 1, "User-agent: only-here\nDisallow: /\n");
    let other = shards(&[&lines[40..80], &[of_others.to_string()]].concat(), 2);
    let opened = |files: &[&Path]| {
        let directory = tempfile::tempdir().expect("a directory");
        for (number, file) in files.iter().enumerate() {
            std::fs::copy(file, directory.path().join(format!("{number}.rimg"))).expect("room");
        }
        match Image::read(directory.path()) {
            Err(OpenError::Shards { error, .. }) => error,
            other => panic!("{other:?}"),
        }
    };
    let of = |directory: &tempfile::TempDir, number: u8| directory.path().join(format!("{number}.rimg"));
    let count = |count, shards| ShardsError::Count { count, shards };
    assert_eq!(opened(&[]), ShardsError::Empty);
    assert_eq!(opened(&[&of(&two, 0)]), count(1, 2));
    assert_eq!(opened(&[&of(&two, 0), &of(&two, 0)]), count(2, 2));
    assert_eq!(opened(&[&of(&two, 0), &of(&two, 1), &of(&three, 2)]), count(3, 2));
    assert_eq!(opened(&[&of(&two, 0), &of(&other, 1)]), ShardsError::Unlike);
    // A single shard opens, and knows nothing of the sites in others.
    let alone = Image::read(of(&two, 0)).expect("a shard");
    alone.verify().expect("a good shard");
    let whole = Image::read(two.path()).expect("both shards");
    let crawler = alone.crawler(["a"]);
    let (known, unknown): (Vec<_>, Vec<_>) = whole.sites().partition(|site| {
        let url = format!("https://{}/", site.authority());
        alone.decide(&crawler, Usage::CRAWL, &url).site().is_some()
    });
    assert!(known.len() == alone.sites().count() && !unknown.is_empty());
    // A shard with another shard's number holds sites that do not belong to it.
    let mut bytes = read(of(&two, 0));
    bytes[14] = 1;
    let error =
        Image::from_bytes(&bytes[..]).map(|_| ()).expect_err("the checksum of the head does not hold");
    assert!(error.to_string().contains("checksum"), "{error}");
    assert!(Image::from_bytes(read(of(&two, 1))).expect("a shard").section_bytes(Section::Hosts) > 0);
}

/// Flips every bit of some sections in turn, and calls `look` with each image and its bit.
fn flip(sections: &[Section], mut look: impl FnMut(&Patient)) {
    let mut patient = Patient { bytes: small_image(Profile::Full) };
    for &section in sections {
        let (from, length) = patient.section(section);
        for bit in 8 * from..8 * (from + length) {
            patient.bytes[bit / 8] ^= 1 << (bit % 8);
            look(&patient);
            patient.bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

/// The merger of images into memory.
fn copy(images: &[&[u8]]) -> Option<Vec<u8>> {
    let images: Vec<_> = images.iter().map(|&bytes| Image::from_bytes(bytes).ok()).collect::<Option<_>>()?;
    let views: Vec<_> = images.iter().map(Image::view).collect();
    let mut out = Vec::new();
    Merge::new(&views).ok()?.write((0, 0), || Ok(Vec::new()), &mut out).ok()?;
    Some(out)
}

#[test]
fn no_flipped_bit_makes_merging_panic() {
    let (mut refused, mut merged) = (0, 0);
    flip(&[Section::Policies, Section::Lists, Section::Purposes], |patient| match copy(&[&patient.bytes]) {
        Some(_) => merged += 1,
        None => refused += 1,
    });
    assert!(refused > 100 && merged > 100, "{refused} refused, {merged} merged");
}

/// What verifies merges into what verifies, alone and with a good image.
#[test]
fn a_flipped_bit_that_verifies_does_no_harm() {
    let is_valid = |bytes: &[u8]| Image::from_bytes(bytes).is_ok_and(|image| image.verify().is_ok());
    let (good, mut merged) = (small_image(Profile::Full), 0);
    flip(&[Section::Hosts, Section::Policies, Section::Lists], |patient| {
        let mut patient = patient.clone();
        patient.sum();
        if is_valid(&patient.bytes) {
            let both = copy(&[&patient.bytes, &good]);
            for out in both.into_iter().chain(copy(&[&patient.bytes])) {
                assert!(is_valid(&out), "{:x?}", patient.bytes);
                merged += 1;
            }
        }
    });
    assert!(merged > 100, "{merged} merged");
}
