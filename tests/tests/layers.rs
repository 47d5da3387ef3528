//! A stack of layers answers as the merged image, whatever the split of captures into layers.

use robomaton_compiler::Merge;
use robomaton_formats::SiteKey;
use robomaton_formats::detail::Detail;
use robomaton_runtime::{
    Crawler, DetailCache, Image, LayersError, Manifest, OpenError, OpenOptions, Question, Site, Terms, Usage,
    Verdict,
};
use robomaton_tests::captures::{build_from, captures, shuffle};
use robomaton_tests::generate::Random;
use std::fs;
use std::path::Path;

/// The image of the last of these that a stack of the others needs on top.
fn layer(images: &[Vec<u8>]) -> Vec<u8> {
    let images: Vec<_> =
        images.iter().map(|bytes| Image::from_bytes(&bytes[..]).expect("an image")).collect();
    let views: Vec<_> = images.iter().map(Image::view).collect();
    let merge = Merge::above(images.len() - 1, &views).expect("images that were compiled alike");
    let mut out = Vec::new();
    merge.write((0, 0), || Ok(Vec::new()), &mut out).expect("an image that fits the format");
    out
}

fn merged(images: &[Vec<u8>]) -> Vec<u8> {
    let images: Vec<_> =
        images.iter().map(|bytes| Image::from_bytes(&bytes[..]).expect("an image")).collect();
    let views: Vec<_> = images.iter().map(Image::view).collect();
    let mut out = Vec::new();
    let merge = Merge::new(&views).expect("images that were compiled alike");
    merge.write((0, 0), || Ok(Vec::new()), &mut out).expect("an image that fits the format");
    out
}

/// Puts many questions to a stack and to the merged image of its parts.
fn compare<D: AsRef<[u8]>>(layers: &Image<D>, image: &Image<D>, random: &mut Random) -> usize {
    let usages = ["crawl", "index", "ai-train", "search", "present-snippet", "all", "no-such-usage"];
    let crawlers: [&[&str]; 5] =
        [&["a"], &["GPTBot"], &["googlebot-news", "googlebot"], &["*"], &["zzz", "b"]];
    let spellings =
        ["https://site{}.example", "http://site{}.example", "https://SITE{}.Example:443", "ftp://site{}"];
    compare_whole(layers, image);
    let (mut held, mut urls) = (0, Vec::new());
    for crawler in crawlers {
        for named_only in [false, true] {
            let ours = layers.crawler(crawler).named_only(named_only);
            let theirs = image.crawler(crawler).named_only(named_only);
            for name in usages {
                let (our_usage, their_usage) = (layers.usage(name), image.usage(name));
                for site in 0..210 {
                    let host = random.pick(&spellings).replace("{}", &site.to_string());
                    let pattern = random.pattern(4);
                    let url = format!("{host}{}", random.query(&pattern));
                    let found = layers.decide(&ours, our_usage, &url);
                    let wanted = image.decide(&theirs, their_usage, &url);
                    let of = |verdict: &robomaton_runtime::Verdict<'_>| {
                        let site = verdict.site().map(|site| {
                            (
                                site.address(),
                                site.outcome(),
                                site.status(),
                                site.fetched_at(),
                                site.fresh_for(),
                            )
                        });
                        let rule = verdict.rule().map(|rule| (rule.line, rule.to_string()));
                        (verdict.decision(), verdict.is_incomplete(), verdict.basis(), site, rule)
                    };
                    assert_eq!(of(&found), of(&wanted), "{crawler:?} {name} {url}");
                    held += usize::from(wanted.site().is_some());
                    let found = layers.decide_document("data.txt", &ours, our_usage, &url);
                    let wanted = image.decide_document("data.txt", &theirs, their_usage, &url);
                    assert_eq!(of(&found), of(&wanted), "data.txt, {crawler:?} {name} {url}");
                    let of = |site: Option<Site<'_>>| {
                        let site = site?;
                        Some((site.address(), site.source(1 << 20), site.schedule(&ours)))
                    };
                    assert_eq!(of(layers.site(&url)), of(image.site(&url)), "{url}");
                    compare_ways([layers, image], [&ours, &theirs], [our_usage, their_usage], &url);
                    urls.push(url);
                }
                compare_batches([layers, image], [&ours, &theirs], [our_usage, their_usage], &urls);
                urls.clear();
            }
        }
    }
    held
}

/// The facts of a verdict that do not depend on the numbers of an image.
fn reasons<'a>(
    verdict: &Verdict<'a>,
    cache: &mut DetailCache<'a>,
) -> impl PartialEq + std::fmt::Debug + use<> {
    let crawl = verdict.crawl().map(|crawl| (crawl.decision(), crawl.basis()));
    let reasons = verdict.reasons(cache);
    assert_eq!((&reasons.account, &reasons.choice), (&verdict.account(), &verdict.choice()));
    (verdict.decision(), verdict.basis(), crawl, format!("{reasons:?}"), verdict.looked_for())
}

/// Asks the site itself, in every way.
fn compare_ways<D: AsRef<[u8]>>(
    images: [&Image<D>; 2],
    crawlers: [&Crawler; 2],
    usages: [Usage<'_>; 2],
    url: &str,
) {
    let path = url.get(8..).and_then(|rest| rest.find('/').map(|at| &rest[at..])).unwrap_or("/");
    let ways = [0, 1].map(|which| {
        let (crawler, usage) = (crawlers[which], usages[which]);
        let site = images[which].site(url)?;
        let access = site.access(crawler, usage);
        let mut cache = DetailCache::default();
        Some([
            reasons(&site.decide(crawler, usage, url), &mut cache),
            reasons(&site.decide(crawler, usage, path), &mut cache),
            reasons(&access.decide(url), &mut cache),
            reasons(&access.decide(path), &mut cache),
            reasons(&images[which].decide(crawler, usage, url), &mut cache),
        ])
    });
    assert_eq!(ways[0], ways[1], "{url}");
}

fn compare_batches<D: AsRef<[u8]>>(
    images: [&Image<D>; 2],
    crawlers: [&Crawler; 2],
    usages: [Usage<'_>; 2],
    urls: &[String],
) {
    let answers = [0, 1, 2].map(|way| {
        let which = way % 2;
        let (crawler, usage) = (crawlers[which], usages[which]);
        let questions = urls.iter().map(|url| Question { crawler, usage, url });
        let mut answers = Vec::new();
        let each = |verdict: Verdict<'_>| answers.push((verdict.decision(), verdict.basis()));
        match way {
            2 => images[which].decide_in_blocks(questions, each),
            _ => images[which].decide_batch(questions, each),
        }
        answers
    });
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[2], answers[1], "in blocks");
}

/// Compares all that is listed.
fn compare_whole<D: AsRef<[u8]>>(layers: &Image<D>, image: &Image<D>) {
    let of = |site: Site<'_>| {
        let detail = site.detail().map(|detail| (detail.groups.len(), detail.extensions.len()));
        let facts = (site.outcome(), site.status(), site.fetched_at(), site.fresh_for());
        (site.address(), site.document_name(), facts, site.source(1 << 20), detail)
    };
    let all = |image: &Image<D>| image.entries().map(of).collect::<Vec<_>>();
    assert_eq!(all(layers), all(image));
    let all = |image: &Image<D>| image.sites_from("site2").map(of).collect::<Vec<_>>();
    assert_eq!(all(layers), all(image));
    let all = |image: &Image<D>| image.documents().map(of).collect::<Vec<_>>();
    assert_eq!(all(layers), all(image));
    assert_eq!((layers.len(), layers.is_empty()), (image.len(), image.is_empty()));
    assert_eq!(layers.profile(), image.profile());
    let names = |image: &Image<D>| image.usages().collect::<std::collections::BTreeSet<_>>();
    assert!(names(layers).is_superset(&names(image)));
    layers.verify_with_texts().expect("a sound stack");
    for site in layers.entries() {
        let document = site.document();
        let lines = |detail: Detail<'_>| format!("{detail:?}");
        let found = document.and_then(|document| layers.detail(document)).map(lines);
        assert_eq!(found, site.detail().map(lines));
        if site.document_name().is_none() {
            let key = SiteKey::stored(&site.authority(), site.scheme());
            let stored = layers.stored(&key).map(|site| (site.address(), site.document()));
            assert_eq!(stored, Some((site.address(), document)));
        }
    }
}

/// Captures arrive in any order and stay in any layer. Each layer leaves out what is not newer than
/// what is below it.
#[test]
fn any_split_answers_as_the_merged_image() {
    let mut random = Random::new(19);
    for count in [1, 2, 5] {
        let mut lines = captures();
        shuffle(&mut lines, &mut random);
        let size = lines.len().div_ceil(count);
        let parts: Vec<Vec<u8>> = lines.chunks(size).map(|part| build_from(part, 1).image).collect();
        let mut stack: Vec<Vec<u8>> = Vec::new();
        for part in &parts {
            stack.push(part.clone());
            *stack.last_mut().expect("a part") = layer(&stack);
        }
        assert_eq!(merged(&stack), merged(&parts), "a layer leaves out nothing else");
        let images = stack.into_iter().map(|bytes| Image::from_bytes(bytes).expect("an image")).collect();
        let layers = Image::of_layers(images).expect("layers that were compiled alike");
        let terms = Terms { now: Some(1_700_090_000), ..Terms::default() };
        let image = Image::from_bytes(merged(&parts)).expect("an image").with_terms(terms.clone());
        assert!(compare(&layers.with_terms(terms), &image, &mut random) > 5000);
    }
}

/// A site captured with its scheme counts before one without, also from an older layer.
#[test]
fn the_scheme_of_the_url_counts_first() {
    let line = |url: &str, time: u32, path: &str| {
        serde_json::json!({ "url": url, "fetched_at": time, "body": format!("User-agent: *\nDisallow: {path}") })
            .to_string()
    };
    let parts = [
        build_from(&[line("https://a.example/robots.txt", 1_700_000_001, "/exact")], 1).image,
        build_from(&[line("a.example", 1_700_000_002, "/any")], 1).image,
    ];
    let image = Image::from_bytes(merged(&parts)).expect("an image");
    let images = parts.map(|bytes| Image::from_bytes(bytes).expect("an image")).into();
    let layers = Image::of_layers(images).expect("layers");
    let (ours, theirs, usage) = (layers.crawler(["a"]), image.crawler(["a"]), layers.usage("crawl"));
    for url in
        ["https://a.example/exact", "https://a.example/any", "http://a.example/exact", "http://A.example/any"]
    {
        let found = layers.decide(&ours, usage, url);
        let wanted = image.decide(&theirs, robomaton_runtime::Usage::CRAWL, url);
        assert_eq!((found.decision(), found.basis()), (wanted.decision(), wanted.basis()), "{url}");
    }
}

fn stack(directory: &Path, generation: u64, names: &[&str]) {
    let layers = names.iter().map(|&name| name.to_owned()).collect();
    let manifest = Manifest { generation, layers }.to_string();
    fs::write(Manifest::path(directory), manifest).expect("room");
}

#[test]
fn damaged_layers_are_left_out_on_demand() {
    let place = tempfile::tempdir().expect("a directory");
    let at = |name: &str| place.path().join(name);
    let lines = captures();
    let (one, other) = lines.split_at(lines.len() / 2);
    let parts = [one, other].map(|lines| build_from(lines, 1).image);
    let newest = layer(&parts);
    fs::write(at("1.rimg"), &parts[0]).expect("room");
    stack(place.path(), 1, &["1.rimg", "2.rimg", "3.rimg"]);
    let open = |without_damaged_layers| {
        let options = OpenOptions { copy_up_to: u64::MAX, without_damaged_layers };
        robomaton_tests::open(options, place.path())
    };
    let mut damaged = newest.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 0x55;
    fs::write(at("2.rimg"), &newest).expect("room");
    fs::write(at("3.rimg"), &damaged).expect("room");
    let error = open(false).expect("only the header is read").verify().expect_err("damage");
    assert!(error.to_string().starts_with("layer 3.rimg: "), "{error}");
    let image = open(true).expect("two layers");
    let [left_out] = image.left_out() else { panic!("{:?}", image.left_out()) };
    assert_eq!(left_out.name, "3.rimg");
    assert!(left_out.error.contains("3.rimg"), "{}", left_out.error);
    compare_whole(&image, &Image::read(at_merged(&place, &parts)).expect("an image"));
    fs::remove_file(at("2.rimg")).expect("a file");
    assert!(open(false).expect_err("a missing layer").to_string().contains("2.rimg"));
    let image = open(true).expect("a layer");
    assert_eq!((image.layer_count(), image.left_out().len()), (1, 2));
    compare_whole(&image, &Image::read(at("1.rimg")).expect("an image"));
    fs::write(at("1.rimg"), &damaged).expect("room");
    assert!(open(true).expect_err("nothing is left").to_string().contains("1.rimg"));
}

/// A file with the merged image.
fn at_merged(place: &tempfile::TempDir, parts: &[Vec<u8>]) -> std::path::PathBuf {
    let path = place.path().join("merged.image");
    fs::write(&path, merged(parts)).expect("room");
    path
}

#[test]
fn an_error_names_the_layer() {
    let place = tempfile::tempdir().expect("a directory");
    let at = |name: &str| place.path().join(name);
    let image = build_from(&captures()[..20], 1).image;
    fs::write(at("1.rimg"), &image).expect("room");
    fs::write(at("2.rimg"), &image).expect("room");
    stack(place.path(), 1, &["1.rimg", "2.rimg"]);
    let opened = Image::read(place.path()).expect("a stack");
    assert_eq!((opened.layer_count(), opened.layers().len()), (2, 2));

    let error = || Image::read(place.path()).expect_err("a bad stack");
    fs::write(at("2.rimg"), &image[..image.len() - 1]).expect("room");
    assert!(matches!(error(), OpenError::Image { path, .. } if path == at("2.rimg")));
    fs::remove_file(at("2.rimg")).expect("a file");
    assert!(matches!(error(), OpenError::Io { path, .. } if path == at("2.rimg")));
    let options = robomaton_compiler::Options { crawlers: vec!["a".into()], ..Default::default() };
    fs::write(at("2.rimg"), robomaton_compiler::emit(Vec::new(), &options).expect("an image")).expect("room");
    let unlike = LayersError::Unlike { layer: 1, what: "choice of crawlers" };
    assert!(matches!(error(), OpenError::Layers { path, error } if path == at("2.rimg") && error == unlike));
    stack(place.path(), 2, &[]);
    assert!(matches!(error(), OpenError::Layers { error: LayersError::Empty, .. }));
    fs::write(Manifest::path(place.path()), "robomaton layers 1\n").expect("room");
    assert!(matches!(error(), OpenError::Io { path, .. } if path == Manifest::path(place.path())));
}

/// As the readers in other languages open it.
#[test]
fn a_mapped_stack_is_watched() {
    let place = tempfile::tempdir().expect("a directory");
    let at = |name: &str| place.path().join(name);
    let parts = captures();
    let (one, other) = parts.split_at(parts.len() / 2);
    let parts = [one, other].map(|lines| build_from(lines, 1).image);
    fs::write(at("1.rimg"), &parts[0]).expect("room");
    fs::write(at("2.rimg"), layer(&parts)).expect("room");
    stack(place.path(), 1, &["1.rimg", "2.rimg"]);
    let merged = Image::from_bytes(merged(&parts)).expect("an image");
    let open = |most| robomaton_tests::watch(most, place.path()).expect("a stack");
    let (copied, unwatched) = open(u64::MAX);
    let (mapped, watch) = open(0);
    assert!(unwatched.is_none());
    let watch = watch.expect("a mapped image is watched");
    for image in [&copied, &mapped] {
        assert!(image.entries().map(|site| site.address()).eq(merged.entries().map(|site| site.address())));
    }
    // Another generation is no change to this one.
    fs::write(at("new"), Manifest { generation: 2, layers: vec!["1.rimg".to_owned()] }.to_string())
        .expect("room");
    fs::rename(at("new"), Manifest::path(place.path())).expect("a rename");
    fs::remove_file(at("2.rimg")).expect("a file");
    assert!(watch.is_still_unchanged());
    assert_eq!(mapped.len(), merged.len());
    assert_eq!(open(0).0.layer_count(), 1);
    drop(mapped);
    fs::write(at("1.rimg"), b"").expect("room");
    assert!(!watch.is_still_unchanged());
}

#[test]
fn a_stack_is_merged_into_one_image() {
    let place = tempfile::tempdir().expect("a directory");
    let at = |name: &str| place.path().join(name);
    let lines = captures();
    let (one, other) = lines.split_at(lines.len() / 2);
    let parts = [one, other].map(|lines| build_from(lines, 1).image);
    fs::create_dir(at("stack")).expect("a directory");
    fs::write(at("stack/1.rimg"), &parts[0]).expect("room");
    fs::write(at("stack/2.rimg"), layer(&parts)).expect("room");
    stack(&at("stack"), 1, &["1.rimg", "2.rimg"]);
    let output = robomaton_build::Destination::open(&at("all.rimg"), None).expect("a file");
    let done = robomaton_build::merge(&[at("stack")], output).expect("good layers");
    assert_eq!(done.images, 2);
    assert_eq!(fs::read(at("all.rimg")).expect("an image"), merged(&parts));
    fs::remove_file(at("stack/2.rimg")).expect("a file");
    let output = robomaton_build::Destination::open(&at("all.rimg"), None).expect("a file");
    let error = robomaton_build::merge(&[at("stack")], output).expect_err("a layer is missing");
    assert!(error.to_string().contains("2.rimg"), "{error}");
}

/// The files of a small stack, the oldest layer first, the newest of them a directory of shards;
/// the merged image of its parts; and the manifest. Readers in other languages open them.
fn small_stack() -> Vec<(&'static str, Vec<u8>)> {
    let line = |host: &str, time: usize, body: &str| {
        robomaton_tests::captures::json(host, "/robots.txt", time, body).to_string()
    };
    let mut lines = captures()[..110].to_vec();
    shuffle(&mut lines, &mut Random::new(4));
    // Usages and crawlers that only one layer has, and a site with and without its scheme.
    let own = ["zebra", "aardvark", "mule"];
    let parts: Vec<Vec<u8>> = (0..3)
        .map(|number| {
            let mut part = lines[number * 36..][..36].to_vec();
            let name = own[number];
            let host = if number == 1 { "plain.example" } else { "https://plain.example" };
            let body = format!(
                "User-agent: {name}\nDisallow: /{name}\nNoindex: /x\nContent-Signal: ai-train=no\n\n\
                 User-agent: *\nDisallow: /{number}\n\nACAP-crawler: {name}\nACAP-allow-{name}: /\n"
            );
            part.push(
                serde_json::json!({ "url": host, "fetched_at": 1_700_000_009 - number, "body": body })
                    .to_string(),
            );
            part.push(line(&format!("https://{name}.example"), 1_700_000_000, &body));
            build_from(&part, 1).image
        })
        .collect();
    let mut stack: Vec<Vec<u8>> = Vec::new();
    for part in &parts {
        stack.push(part.clone());
        *stack.last_mut().expect("a part") = layer(&stack);
    }
    let newest = robomaton_tests::damage::shards(&stack[2], 2);
    let names = ["1.rimg", "2.rimg", "3"].map(str::to_owned).to_vec();
    let manifest = Manifest { generation: 3, layers: names }.to_string().into_bytes();
    let [a, b] = [newest[0].clone(), newest[1].clone()];
    vec![
        ("stack/1.rimg", stack[0].clone()),
        ("stack/2.rimg", stack[1].clone()),
        ("stack/3/0.rimg", a),
        ("stack/3/1.rimg", b),
        ("stack/layers.manifest", manifest),
        ("merged.rimg", merged(&parts)),
    ]
}

#[test]
fn the_files_of_other_readers_are_current() {
    let folder = robomaton_tests::home().join("data/layers");
    for (name, bytes) in small_stack() {
        let path = folder.join(name);
        if std::env::var_os("ROBOMATON_WRITE").is_some() {
            fs::create_dir_all(path.parent().expect("a folder")).expect("room");
            fs::write(&path, &bytes).expect("room");
        }
        let kept = fs::read(&path).unwrap_or_default();
        assert!(kept == bytes, "ROBOMATON_WRITE=1 rewrites {}", path.display());
    }
    let layers = Image::read(folder.join("stack")).expect("a stack");
    let image = Image::read(folder.join("merged.rimg")).expect("an image");
    assert!(compare(&layers, &image, &mut Random::new(5)) > 500);
}
