//! A stack of layers answers as the merged image, whatever the split of captures into layers.

use robomaton_compiler::Merge;
use robomaton_runtime::{Image, Layers, LayersError, Manifest, OpenError, Terms};
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
fn compare<D: AsRef<[u8]>>(layers: &Layers<D>, image: &Image<D>, random: &mut Random) -> usize {
    let usages = ["crawl", "index", "ai-train", "search", "present-snippet", "all", "no-such-usage"];
    let crawlers: [&[&str]; 5] =
        [&["a"], &["GPTBot"], &["googlebot-news", "googlebot"], &["*"], &["zzz", "b"]];
    let spellings =
        ["https://site{}.example", "http://site{}.example", "https://SITE{}.Example:443", "ftp://site{}"];
    let mut held = 0;
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
                    let found = layers.decide(&ours, &our_usage, &url);
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
                    let found = layers.decide_document("data.txt", &ours, &our_usage, &url);
                    let wanted = image.decide_document("data.txt", &theirs, their_usage, &url);
                    assert_eq!(of(&found), of(&wanted), "data.txt, {crawler:?} {name} {url}");
                    let found =
                        layers.site(&url).map(|found| (found.site.address(), found.site.source(1 << 20)));
                    let wanted = image.site(&url).map(|site| (site.address(), site.source(1 << 20)));
                    assert_eq!(found, wanted, "{url}");
                }
            }
        }
    }
    held
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
        let layers = Layers::new(images).expect("layers that were compiled alike");
        let terms = Terms { now: Some(1_700_090_000), ..Terms::default() };
        let image = Image::from_bytes(merged(&parts)).expect("an image").with_terms(terms.clone());
        assert!(compare(&layers.with_terms(&terms), &image, &mut random) > 5000);
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
    let layers = Layers::new(images).expect("layers");
    let (ours, theirs, usage) = (layers.crawler(["a"]), image.crawler(["a"]), layers.usage("crawl"));
    for url in
        ["https://a.example/exact", "https://a.example/any", "http://a.example/exact", "http://A.example/any"]
    {
        let found = layers.decide(&ours, &usage, url);
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
fn an_error_names_the_layer() {
    let place = tempfile::tempdir().expect("a directory");
    let at = |name: &str| place.path().join(name);
    let image = build_from(&captures()[..20], 1).image;
    fs::write(at("1.rimg"), &image).expect("room");
    fs::write(at("2.rimg"), &image).expect("room");
    stack(place.path(), 1, &["1.rimg", "2.rimg"]);
    let opened = Layers::read(place.path()).expect("a stack");
    assert_eq!(opened.images().len(), 2);
    let error = Image::read(place.path()).expect_err("no image").to_string();
    assert!(error.contains("holds layers"), "{error}");

    let error = || Layers::read(place.path()).expect_err("a bad stack");
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
    let layers = Layers::read(folder.join("stack")).expect("a stack");
    let image = Image::read(folder.join("merged.rimg")).expect("an image");
    assert!(compare(&layers, &image, &mut Random::new(5)) > 500);
}
