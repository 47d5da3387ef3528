//! Files with names like those of logs, and logs that are damaged.

use robomaton_store::{Capture, Durability, Reader, ReaderOptions, Store, StoreError, StoreOptions};
use std::fs;
use std::path::{Path, PathBuf};

fn options() -> StoreOptions {
    StoreOptions { memory_captures: Some(2), durability: Durability::Never, ..StoreOptions::default() }
}

fn open(place: &Path) -> Store {
    Store::open(place, options()).expect("a store")
}

fn capture(site: usize) -> Capture {
    let url = format!("https://site{site}.example/robots.txt");
    Capture { url, fetched_at: 1, status: 200, body: b"Disallow: /\n".to_vec(), ..Capture::default() }
}

fn put(store: &Store, site: usize) {
    assert!(store.put(&capture(site)).expect("room"));
}

/// The sites of these numbers that the store holds.
fn held(store: &Store, sites: usize) -> Vec<usize> {
    let snapshot = store.snapshot();
    (0..sites).filter(|site| snapshot.site(&format!("https://site{site}.example/")).is_some()).collect()
}

/// A name that the store does not give is no name of a file of a store, opened or not.
#[test]
fn files_whose_names_only_look_like_those_of_a_store_are_left_alone() {
    let place = tempfile::tempdir().expect("a directory");
    let names = ["007.log", "+7.log", "08.rimg", "7.log.txt", "009.visits"];
    let write = || names.iter().for_each(|name| fs::write(place.path().join(name), name).expect("room"));
    let check = || {
        for name in names {
            assert_eq!(fs::read_to_string(place.path().join(name)).expect("a file"), name);
        }
    };
    write();
    let store = open(place.path());
    (0..9).for_each(|site| put(&store, site));
    store.flush().and_then(|()| store.compact()).expect("room");
    check();
    drop(store);
    assert_eq!(held(&open(place.path()), 9).len(), 9);
    check();
}

/// What others put under the name of a log is not removed, and said to be none.
#[test]
fn a_file_that_does_not_begin_as_a_log_is_never_removed() {
    let place = tempfile::tempdir().expect("a directory");
    drop(open(place.path()));
    let path = place.path().join("20261128.log");
    for content in ["ok", "started ok\n", "started ok, and listens on some address\n"] {
        fs::write(&path, content).expect("room");
        let error = Store::open(place.path(), options()).err().expect("no log");
        assert!(matches!(&error, StoreError::NotLog { path: named } if *named == path), "{error}");
        assert_eq!(fs::read_to_string(&path).expect("the file"), content);
        fs::remove_file(&path).expect("the file");
        let store = open(place.path());
        fs::write(&path, content).expect("room");
        // Those of the round before are held.
        (0..5).for_each(|site| _ = store.put(&capture(site)).expect("room"));
        store.flush().and_then(|()| store.compact()).expect("room");
        assert_eq!(fs::read_to_string(&path).expect("the file"), content);
        assert_eq!(held(&store, 5).len(), 5);
    }
}

/// Its captures must not be taken for what can be moved away.
#[test]
fn a_log_of_another_version_is_said_to_be_one() {
    let place = tempfile::tempdir().expect("a directory");
    drop(open(place.path()));
    let path = place.path().join("20.log");
    fs::write(&path, b"robomaton log 3\n\x01\x02\x03\x04\x05\x06\x07\x08captures").expect("room");
    let error = Store::open(place.path(), StoreOptions::default()).err().expect("another version");
    assert!(matches!(&error, StoreError::LogVersion { .. }), "{error}");
    assert!(error.to_string().contains("another version"), "{error}");
    let read = || Reader::open(place.path(), ReaderOptions::default());
    assert!(matches!(read(), Err(StoreError::LogVersion { .. })));
    // That version left it when it had written its captures into layers.
    fs::write(&path, b"robomaton log 3\n\x01\x02\x03\x04\x05\x06\x07\x08").expect("room");
    read().expect("an empty log");
    assert!(path.exists());
    drop(open(place.path()));
    assert!(!path.exists());
}

/// A crash may leave any part of the header, and of its bytes.
#[test]
fn a_log_that_was_cut_in_its_header_holds_nothing() {
    let place = tempfile::tempdir().expect("a directory");
    drop(open(place.path()));
    let is_log = |name: &str| name.ends_with(".log");
    let names = fs::read_dir(place.path()).expect("a directory").flatten().map(|file| file.file_name());
    let log = names.filter_map(|name| name.into_string().ok()).find(|name| is_log(name)).expect("a log");
    let header = fs::read(place.path().join(log)).expect("a log");
    assert_eq!(header.len(), 24);
    for cut in 0..24 {
        let mut zeroed = header.clone();
        zeroed[cut..23].fill(0);
        zeroed.truncate(23);
        for bytes in [&header[..cut], &zeroed] {
            fs::write(place.path().join("70.log"), bytes).expect("room");
            drop(open(place.path()));
            assert!(!place.path().join("70.log").exists());
        }
    }
}

/// The captures before the damage and behind it count, whatever is damaged; the rest is said.
#[test]
fn a_damaged_log_is_set_aside_on_demand() {
    let place = tempfile::tempdir().expect("a directory");
    let without = || {
        let options = StoreOptions { without_damaged_layers: true, ..StoreOptions::default() };
        Store::open(place.path(), options).expect("the rest")
    };
    let store = without();
    // All but the last are durable when the next one is written.
    (0..4).for_each(|site| {
        put(&store, site);
        store.sync().expect("room");
    });
    drop(store);
    let path = place.path().join("2.log");
    let bytes = fs::read(&path).expect("a log");
    let length = (bytes.len() - 24 - 28) / 4;
    // The header, the first record, the one behind it, and all of the first page.
    for (damage, lost) in [(16..17, 0), (24..25, 1), (60..61, 1), (24 + length..30 + length, 1), (0..40, 4)] {
        let mut damaged = bytes.clone();
        damaged[damage.clone()]
            .iter_mut()
            .for_each(|byte| *byte = if damage.start == 0 { 0 } else { !*byte });
        fs::write(&path, &damaged).expect("room");
        let error = Store::open(place.path(), StoreOptions::default()).err().expect("a damaged log");
        assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
        let store = without();
        let [left_out] = store.left_out() else { panic!("one log: {:?}", store.left_out()) };
        assert_eq!(left_out.name, "2.log");
        assert!(left_out.error.ends_with(&format!("its whole captures count: {}", 4 - lost)), "{left_out:?}");
        assert_eq!(held(&store, 4).len(), 4 - lost, "{damage:?}");
        assert_eq!(store.stats().log_bytes, 24, "puts go to another log");
        drop(store);
        assert_eq!(fs::read(place.path().join("2.log.damaged")).expect("the damaged log"), damaged);
        let store = Store::open(place.path(), StoreOptions::default()).expect("a whole store");
        assert_eq!((store.left_out().len(), held(&store, 4).len()), (0, 4 - lost));
    }
    let store = without();
    put(&store, 5);
    store.flush().expect("room");
    assert!(place.path().join("2.log.damaged").exists() && !path.exists());
}

/// An answer 304 is about the text that it renewed when it was put. If that is lost, no older one
/// is renewed in its place.
#[test]
fn an_older_text_is_not_renewed_where_the_one_between_is_lost() {
    let text = |fetched_at, body: &[u8]| Capture { fetched_at, body: body.to_vec(), ..capture(0) };
    let without = || StoreOptions { without_damaged_layers: true, ..StoreOptions::default() };
    for in_layer in [false, true] {
        let place = tempfile::tempdir().expect("a directory");
        let store = Store::open(place.path(), StoreOptions::default()).expect("a store");
        let put = |capture: &Capture| assert!(store.put(capture).expect("room"));
        put(&text(1_000, b"User-agent: *\nAllow: /\n"));
        store.flush().expect("room");
        put(&text(900_000, b"User-agent: *\nDisallow: /a-text-that-is-lost\n"));
        if in_layer {
            store.flush().expect("room");
        }
        put(&Capture { status: 304, body: Vec::new(), ..text(2_000_000, b"") });
        put(&capture(1));
        assert_eq!(
            store.snapshot().site("https://site0.example/").and_then(|site| site.fetched_at()),
            Some(2_000_000)
        );
        drop(store);
        let files = fs::read_dir(place.path()).expect("a directory").flatten().map(|file| file.path());
        let newest = |end: &str| {
            let of_kind = |path: &PathBuf| path.extension().is_some_and(|extension| extension == end);
            let number = |path: &PathBuf| path.file_stem()?.to_str()?.parse::<u64>().ok();
            files.filter(of_kind).max_by_key(number)
        };
        let path = newest(if in_layer { "rimg" } else { "log" }).expect("a file");
        let mut bytes = fs::read(&path).expect("a file");
        match memchr::memmem::find(&bytes, b"a-text-that-is-lost") {
            Some(at) => bytes[at] ^= 1,
            None => bytes.fill(0),
        }
        fs::write(&path, bytes).expect("room");
        let held =
            |store: Store| store.snapshot().site("https://site0.example/").and_then(|site| site.fetched_at());
        assert_eq!(held(Store::open(place.path(), without()).expect("the rest")), Some(1_000), "{in_layer}");
        // Nor the next time.
        assert_eq!(held(Store::open(place.path(), StoreOptions::default()).expect("a store")), Some(1_000));
    }
}
