//! Merging the layers of a store: beside its writer, and a base that is a directory of shards.

use robomaton_build::{Destination, MergeOptions, merge, merge_with};
use robomaton_runtime::Manifest;
use robomaton_store::{Capture, Durability, Store, StoreOptions};
use std::fs;
use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

const START: u64 = 1_800_000_000;
const SITES: usize = 6;

fn store(place: &Path) -> Store {
    let options =
        StoreOptions { durability: Durability::Never, memory_captures: Some(1), ..StoreOptions::default() };
    Store::open(place, options).expect("a store")
}

fn capture(site: usize, fetched_at: u64) -> Capture {
    let url = format!("https://site{site}.example/robots.txt");
    let body = b"User-agent: *\nDisallow: /x\n".to_vec();
    Capture { url, fetched_at, status: 200, body, ..Capture::default() }
}

/// A layer that the writer has merged away is not damaged: its captures are in another one.
#[test]
fn nothing_is_left_out_while_the_writer_compacts() {
    let place = tempfile::tempdir().expect("a directory");
    let directory = place.path().join("store");
    let store = store(&directory);
    (0..SITES).for_each(|site| assert!(store.put(&capture(site, START)).expect("room")));
    store.flush().expect("room");
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut now = START;
            while !is_done.load(Ordering::Acquire) {
                for site in 0..SITES {
                    now += 1;
                    store.put(&capture(site, now)).expect("room");
                }
                store.evict(START).expect("room");
            }
        });
        let target = place.path().join("merged.rimg");
        for _ in 0..150 {
            let destination = Destination::open_forced(&target, None).expect("a destination");
            let options = MergeOptions { threads: 1, without_damaged_layers: true, oldest: 0 };
            let merged = merge_with(options, std::slice::from_ref(&directory), destination);
            let merged = merged.inspect_err(|_| is_done.store(true, Ordering::Release)).expect("layers");
            let found = (merged.sites, merged.left_out.len());
            is_done.fetch_or(found != (SITES, 0), Ordering::AcqRel);
            assert_eq!(found, (SITES, 0), "{:?}", merged.left_out);
        }
        is_done.store(true, Ordering::Release);
    });
}

/// A large base may be compiled as shards. It is a layer like any other.
#[test]
fn a_layer_of_shards_is_evicted() {
    let place = tempfile::tempdir().expect("a directory");
    let opened = store(place.path());
    (0..SITES).for_each(|site| assert!(opened.put(&capture(site, START)).expect("room")));
    opened.evict(START).expect("room");
    drop(opened);
    let manifest = Manifest::read(place.path()).expect("a manifest");
    let [layer] = manifest.layers.as_slice() else { panic!("one layer: {manifest:?}") };
    let (layer, aside) = (place.path().join(layer), place.path().join("aside.rimg"));
    fs::rename(&layer, &aside).expect("room");
    let shards = Destination::open(&layer, NonZero::new(3)).expect("room");
    merge(std::slice::from_ref(&aside), shards).expect("a layer");
    assert!(layer.is_dir());
    let opened = store(place.path());
    assert!(opened.put(&capture(0, START + 9)).expect("room"));
    opened.evict(START + 5).expect("room");
    drop(opened);
    assert!(!layer.exists());
    assert_eq!(store(place.path()).stats().layer_sites, 1);
}
