//! A compiled image becomes the base of a store: what is known of its sites, and what is refused.

use robomaton_build::{Destination, merge};
use robomaton_compiler::{Entry, Options, compile, emit};
use robomaton_formats::{Outcome, Scheme, SiteKey};
use robomaton_runtime::Manifest;
use robomaton_store::{
    Capture, Durability, Knowledge, Reader, ReaderOptions, Store, StoreError, StoreOptions,
};
use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};

const DAY: u64 = 86_400;
const START: u64 = 1_800_000_000;

fn options() -> StoreOptions {
    StoreOptions { durability: Durability::Never, ..StoreOptions::default() }
}

fn open(place: &Path) -> Store {
    Store::open(place, options()).expect("a store")
}

fn url(host: &str) -> String {
    format!("https://{host}.example/robots.txt")
}

/// An image of sites, each with a time and a path that it disallows; without one, the site is
/// unreachable.
fn image(path: &Path, options: &Options, sites: &[(&str, u64, Option<&str>)]) -> PathBuf {
    let text = |path: &str| compile(format!("User-agent: *\nDisallow: {path}\n").as_bytes(), None, options);
    let documents: Vec<_> = sites.iter().map(|(_, _, path)| path.map(text)).collect();
    let entry = |(&(host, fetched_at, _), document): (&(&str, u64, Option<&str>), _)| {
        let site = SiteKey::from_url(&url(host)).expect("a URL");
        match document {
            Some(document) => Entry { fetched_at, ..Entry::fetched(site, document) },
            None => {
                let (outcome, fresh_for) = (Outcome::Unreachable, None);
                Entry { site, outcome, status: 503, fetched_at, fresh_for, document: None }
            }
        }
    };
    let entries = sites.iter().zip(documents.iter().map(Option::as_ref)).map(entry).collect();
    fs::write(path, emit(entries, options).expect("an image")).expect("room");
    path.to_owned()
}

fn base(place: &Path) -> PathBuf {
    let sites = [("a", START, Some("/a")), ("b", 0, Some("/b")), ("c", START, None), ("d", 0, None)];
    image(&place.join("base.rimg"), &Options::default(), &sites)
}

fn is_allowed(store: &Store, host: &str, path: &str) -> bool {
    let query = store.query(["bot"], "crawl");
    store.decide(&query, &format!("https://{host}.example{path}")).is_allowed()
}

fn layers(place: &Path) -> Vec<String> {
    Manifest::read(place).expect("a manifest").layers
}

fn files(place: &Path) -> Vec<String> {
    let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("one").file_name();
    let names = fs::read_dir(place).expect("a directory").map(name);
    let mut names: Vec<String> = names.map(|name| name.into_string().expect("a name")).collect();
    names.sort_unstable();
    names
}

/// The image answers, before and after the store is opened again, and its owner may write into it.
#[test]
fn a_base_answers_and_is_its_own_file() {
    let place = tempfile::tempdir().expect("a directory");
    let (directory, image) = (place.path().join("store"), base(place.path()));
    let store = open(&directory);
    store.seed(std::slice::from_ref(&image)).expect("room");
    let bytes = fs::read(&image).expect("an image");
    assert_eq!(fs::read(directory.join(&layers(&directory)[0])).expect("a layer"), bytes);
    fs::write(&image, vec![0; bytes.len()]).expect("room");
    let check = |store: &Store| {
        assert_eq!((store.stats().layers, store.stats().layer_sites), (1, 4));
        assert!(!is_allowed(store, "a", "/a") && is_allowed(store, "a", "/x"));
        assert!(!is_allowed(store, "b", "/b") && !is_allowed(store, "c", "/x"));
    };
    check(&store);
    let reader = Reader::open(&directory, ReaderOptions::default()).expect("a store");
    assert!(!reader.decide(&reader.query(["bot"], "crawl"), "https://a.example/a").is_allowed());
    drop(store);
    check(&open(&directory));
    assert_eq!(files(&directory).iter().filter(|name| name.ends_with(".rimg")).count(), 1);
}

#[test]
fn what_an_image_lacks_is_due_at_once_and_fetched_without_conditions() {
    let place = tempfile::tempdir().expect("a directory");
    let store = open(&place.path().join("store"));
    store.seed(&[base(place.path())]).expect("room");
    let state = |host: &str| store.state(&url(host), START + 60).expect("a site");
    let known = |host: &str| (state(host).knowledge, state(host).fetched_at);
    assert_eq!(known("a"), (Knowledge::Fresh, Some(START)));
    assert_eq!(state("a").fetch_at, START + DAY);
    assert_eq!(known("b"), (Knowledge::Stale, None));
    assert_eq!(known("c"), (Knowledge::Unreachable { since: START }, Some(START)));
    // As after one failure.
    assert!((START + 30..=START + 60).contains(&state("c").fetch_at), "{}", state("c").fetch_at);
    assert_eq!(known("d"), (Knowledge::Unreachable { since: 0 }, None));
    assert_eq!((state("b").fetch_at, state("d").fetch_at), (0, 0));
    for host in ["a", "b", "c", "d"] {
        let state = state(host);
        assert_eq!((state.etag, state.last_modified, state.not_before), (None, None, None), "{host}");
    }
    let due: Vec<String> = store.list_due(START + DAY, 9).into_iter().map(|due| due.url).collect();
    assert_eq!(due, ["b", "d", "c", "a"].map(url));
    // Any time is newer than none.
    let body = b"User-agent: *\nDisallow: /new\n".to_vec();
    let capture = Capture { url: url("b"), fetched_at: 1, status: 200, body, ..Capture::default() };
    assert!(store.put(&capture).expect("room"));
    assert!(!store.put(&Capture { url: url("a"), ..capture }).expect("room"));
    assert!(
        !is_allowed(&store, "b", "/new") && is_allowed(&store, "b", "/b") && !is_allowed(&store, "a", "/a")
    );
    // A second failure follows the one of the base.
    let failure = Capture { url: url("c"), fetched_at: START + DAY, status: 503, ..Capture::default() };
    assert!(store.put(&failure).expect("room"));
    assert!(matches!(state("c").knowledge, Knowledge::Unreachable { .. }));
    store.evict(START).expect("room");
    assert_eq!(["a", "b", "c", "d"].map(|host| known(host).1), [Some(START), None, Some(START + DAY), None]);
}

/// A host that was captured without a scheme answers for both, and is due as `https`.
#[test]
fn a_host_without_a_scheme_is_unknown_and_due() {
    let place = tempfile::tempdir().expect("a directory");
    let document = compile(b"User-agent: *\nDisallow: /a\n", None, &Options::default());
    let site = SiteKey::stored("a.example", Scheme::Any);
    let bytes = emit(vec![Entry::fetched(site, &document)], &Options::default()).expect("an image");
    let image = place.path().join("base.rimg");
    fs::write(&image, bytes).expect("room");
    let store = open(&place.path().join("store"));
    store.seed(&[image]).expect("room");
    assert!(!is_allowed(&store, "a", "/a"));
    assert_eq!(store.state(&url("a"), START).expect("a site").knowledge, Knowledge::Unknown);
    assert_eq!(store.list_due(START, 9).into_iter().map(|due| due.url).collect::<Vec<_>>(), [url("a")]);
}

/// Shards are copied as they are; several images, and stacks, are merged.
#[test]
fn shards_stacks_and_several_images_are_a_base() {
    let place = tempfile::tempdir().expect("a directory");
    let at = |name: &str| place.path().join(name);
    let one = base(place.path());
    let shards = at("shards");
    let destination = Destination::open(&shards, NonZero::new(4)).expect("a destination");
    merge(std::slice::from_ref(&one), destination).expect("room");
    let newer = image(&at("newer.rimg"), &Options::default(), &[("a", START + 1, Some("/new"))]);
    let store = open(&at("of shards"));
    store.seed(std::slice::from_ref(&shards)).expect("room");
    assert_eq!(files(&at("of shards").join(&layers(&at("of shards"))[0])), files(&shards));
    assert!(!is_allowed(&store, "a", "/a") && !is_allowed(&store, "b", "/b"));
    // The store goes on: the shards are merged with what is put.
    let body = b"User-agent: *\nDisallow: /put\n".to_vec();
    let capture = Capture { url: url("e"), fetched_at: START, status: 200, body, ..Capture::default() };
    assert!(store.put(&capture).expect("room"));
    store.evict(0).expect("room");
    assert!(!is_allowed(&store, "a", "/a") && !is_allowed(&store, "e", "/put"));
    drop(store);
    for (name, images) in
        [("of both", vec![newer.clone(), one]), ("of a stack", vec![at("of shards"), newer])]
    {
        let store = open(&at(name));
        store.seed(&images).expect("room");
        assert!(!is_allowed(&store, "a", "/new") && is_allowed(&store, "a", "/a"), "{name}");
        assert!(!is_allowed(&store, "b", "/b"), "{name}");
        drop(store);
        assert!(!is_allowed(&open(&at(name)), "a", "/new"), "{name}");
    }
}

/// The store is as it was, and takes the next base.
#[test]
fn what_is_no_base_changes_nothing() {
    let place = tempfile::tempdir().expect("a directory");
    let at = |name: &str| place.path().join(name);
    let directory = at("store");
    let store = open(&directory);
    let (before, good) = (files(&directory), base(place.path()));
    let mut bytes = fs::read(&good).expect("an image");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x55;
    fs::write(at("damaged.rimg"), bytes).expect("room");
    fs::write(at("text.rimg"), "no image").expect("room");
    fs::create_dir(at("empty")).expect("room");
    let google = Options { profile: robomaton_formats::Profile::Google, ..Options::default() };
    let other = image(&at("google.rimg"), &google, &[("a", START, Some("/a"))]);
    let wrong =
        [vec![at("damaged.rimg")], vec![at("text.rimg")], vec![at("empty")], vec![at("none")], vec![other]];
    for images in wrong.into_iter().chain([vec![good.clone(), at("damaged.rimg")], vec![]]) {
        let error = store.seed(&images).expect_err("no base").to_string();
        let is_named = images.iter().any(|path| error.contains(path.to_str().expect("a name")));
        assert!(is_named || images.is_empty(), "{images:?}: {error}");
        assert_eq!(files(&directory), before, "{images:?}");
        assert_eq!(store.stats().layer_sites, 0);
    }
    store.seed(std::slice::from_ref(&good)).expect("room");
    let seeded = files(&directory);
    assert!(matches!(store.seed(std::slice::from_ref(&good)), Err(StoreError::NotEmpty { .. })));
    assert_eq!(files(&directory), seeded);
    let filled = open(&at("filled"));
    let capture = Capture { url: url("e"), fetched_at: START, status: 404, ..Capture::default() };
    assert!(filled.put(&capture).expect("room"));
    assert!(matches!(filled.seed(std::slice::from_ref(&good)), Err(StoreError::NotEmpty { .. })));
    filled.flush().expect("room");
    assert!(matches!(filled.seed(&[good]), Err(StoreError::NotEmpty { .. })));
}

/// Nobody knows the validators of a text from an image, so a 304 that has some is about another
/// text.
#[test]
fn a_304_with_validators_renews_no_text_of_a_base() {
    let place = tempfile::tempdir().expect("a directory");
    let directory = place.path().join("store");
    let store = open(&directory);
    store.seed(&[base(place.path())]).expect("an image");
    let headers = vec![("ETag".to_owned(), b"\"2\"".to_vec())];
    let renewed = Capture { url: url("a"), fetched_at: START + DAY, status: 304, ..Capture::default() };
    let put = store.put(&Capture { headers, ..renewed.clone() });
    assert!(matches!(put, Err(StoreError::NotModified(_))), "{put:?}");
    assert_eq!(store.state(&url("a"), START).expect("a site").etag, None);
    assert!(store.put(&renewed).expect("a fetch of a crawler that asks by time"));
}
