//! Kills and faults of the system: whatever call for files fails, and wherever the process is
//! killed, every capture whose put was acknowledged is there when the store is opened again.
//!
//! The process that puts is this test program, started again with [`DIRECTORY`] in its environment;
//! it writes a line for each put that returned. It also hands captures over as a reader does,
//! compacts, and evicts. `strace` makes its calls fail, one in each run, and says if it did.
//! Without strace, these tests are skipped. `ROBOMATON_FAULTS=all` tests every point.

#![cfg(target_os = "linux")]

use robomaton_runtime::{Image, Manifest};
use robomaton_store::limits::BODY_BYTES;
use robomaton_store::{Capture, Durability, Reader, ReaderOptions, Store, StoreError, StoreOptions};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::{env, fs, io};

/// The directory of the store, for the process that puts.
const DIRECTORY: &str = "ROBOMATON_STORE_CHILD";
/// The number of its first put, and of puts. Without puts, it opens the store without damaged
/// layers.
const PUTS: &str = "ROBOMATON_STORE_PUTS";
/// The calls that fail.
const CALLS: &str = "openat,read,write,copy_file_range,lseek,statx,fsync,fdatasync,ftruncate,flock,rename,unlink,\
    mkdir,getdents64,mmap,clone3";
const FAULTS: [&str; 4] = ["signal=KILL", "error=ENOSPC", "error=EIO", "error=EINTR"];
const KILL: i32 = 9;
/// About the number of points that are tested.
const POINTS: usize = 120;
/// Puts of a process that is traced.
const TRACED: usize = 40;
const HOSTS: usize = 10;

fn options() -> StoreOptions {
    StoreOptions { memory_captures: Some(3), durability: Durability::Each, ..StoreOptions::default() }
}

fn url(put: usize) -> String {
    format!("https://site{}.example", put % HOSTS)
}

fn capture(put: usize) -> Capture {
    Capture {
        url: format!("{}/robots.txt", url(put)),
        fetched_at: 1_000 + put as u64,
        status: 200,
        body: format!("User-agent: *\nDisallow: /{put}-\n").into(),
        ..Capture::default()
    }
}

/// The number of the put that answers for a site.
fn held(store: &Store, site: usize) -> Option<usize> {
    let query = store.query(["a"], "crawl");
    let snapshot = store.snapshot();
    let put = (snapshot.site(&url(site))?.fetched_at()? - 1_000) as usize;
    let is_of_put = |put| !store.decide(&query, &format!("{}/{put}-", url(site))).is_allowed();
    assert!(is_of_put(put) && !is_of_put(put + HOSTS), "the text is that of put {put}");
    Some(put)
}

/// What a process has said before its end.
#[derive(Default)]
struct Acknowledged {
    /// The last put of each site that returned.
    puts: BTreeMap<usize, usize>,
    /// The put before which captures were evicted, or perhaps, if the process ended meanwhile.
    evicting: usize,
    /// The put before which captures were evicted.
    evicted: usize,
}

impl Acknowledged {
    fn put(&mut self, put: usize) {
        let last = self.puts.entry(put % HOSTS).or_default();
        *last = put.max(*last);
    }

    /// Reads a line of the process. True if it is about a put.
    fn read(&mut self, line: &str) -> bool {
        let Some((verb, Ok(put))) = line.split_once(' ').map(|(verb, put)| (verb, put.parse())) else {
            return false;
        };
        match verb {
            "put" => self.put(put),
            "evicting" => self.evicting = put,
            "evicted" => self.evicted = put,
            _ => {}
        }
        verb == "put"
    }

    /// Every acknowledged put answers, or a later one of its site, acknowledged or not; and nothing
    /// that was evicted.
    fn check(&self, store: &Store) {
        for (&site, &put) in self.puts.iter().filter(|&(_, put)| *put >= self.evicting) {
            assert!(held(store, site).is_some_and(|held| held >= put), "site {site}: put {put} is lost");
        }
        for site in 0..HOSTS {
            assert!(held(store, site).is_none_or(|held| held >= self.evicted), "site {site}: is lost again");
        }
    }
}

/// Writes a line. One call, which the reader sees whole or not at all.
fn say(verb: &str, put: usize) {
    let line = format!("\n{verb} {put}\n");
    let _ = io::stdout().lock().write_all(line.as_bytes());
}

/// Puts, in a process of its own. Errors are expected; what was put before must answer. An image
/// beside the directory becomes the base of the store, in place of puts.
#[test]
fn child() {
    let (Some(directory), Ok(puts)) = (env::var_os(DIRECTORY), env::var(PUTS)) else { return };
    let (first, count) = puts.split_once(' ').expect("two numbers");
    let (first, count): (usize, usize) = (first.parse().expect("a number"), count.parse().expect("a number"));
    if count == 0 {
        let opened = Store::open(&directory, StoreOptions { without_damaged_layers: true, ..options() });
        let _ = opened.inspect(|store| say("left-out", store.left_out().len()));
        return;
    }
    let Ok(mut store) = Store::open(&directory, options()) else { return };
    let image = Path::new(&directory).with_extension("rimg");
    // The call that asks may be the one that fails.
    if !matches!(image.try_exists(), Ok(false)) {
        if store.seed(&[image]).is_ok() {
            say("put", 0);
        }
        return;
    }
    let reader = Reader::open(&directory, ReaderOptions::default());
    let (mut acknowledged, mut handed) = (Acknowledged::default(), Vec::new());
    for put in first..first + count {
        if let (1, Ok(reader)) = (put % 4, &reader) {
            if reader.hand(&capture(put)).is_ok() {
                say("put", put);
                handed.push(put);
            }
        } else {
            match store.put(&capture(put)) {
                Ok(_) => {
                    say("put", put);
                    acknowledged.put(put);
                }
                Err(StoreError::Broken { .. }) => {
                    drop(store);
                    let Ok(opened) = Store::open(&directory, options()) else { return };
                    store = opened;
                }
                Err(_) => {}
            }
        }
        if put % 9 == 8 {
            let is_taken = store.take_handed().is_ok();
            if is_taken {
                handed.drain(..).for_each(|put| acknowledged.put(put));
            }
            let _ = store.compact();
            // A capture that waits must not be older than one that was evicted.
            if is_taken && put % 27 == 26 {
                acknowledged.evicting = put - HOSTS;
                say("evicting", put - HOSTS);
                if store.evict(1_000 + (put - HOSTS) as u64).is_ok() {
                    acknowledged.evicted = put - HOSTS;
                    say("evicted", put - HOSTS);
                }
            }
        }
        acknowledged.check(&store);
    }
}

/// The command that puts so many captures.
fn command(program: &[&str], directory: &Path, first: usize, count: usize) -> Command {
    let test = env::current_exe().expect("this program");
    let mut words = program.iter().map(Path::new).chain([test.as_path()]);
    let mut command = Command::new(words.next().expect("a program"));
    command.args(words).args(["--exact", "child", "--nocapture", "--test-threads=1"]);
    command.env(DIRECTORY, directory).env(PUTS, format!("{first} {count}"));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Reads what the process says until there are so many puts or it ends.
fn read(child: &mut Child, most: usize, acknowledged: &mut Acknowledged) {
    let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
    let _ = lines.filter(|line| acknowledged.read(line)).take(most).count();
}

/// Opens the store of a process that ended, and takes what it handed over.
fn open_again(directory: &Path) -> Store {
    let store = Store::open(directory, options()).expect("a store");
    store.take_handed().expect("whole captures");
    store
}

#[test]
fn nothing_is_lost_by_a_kill() {
    let place = tempfile::tempdir().expect("a directory");
    let mut acknowledged = Acknowledged::default();
    for round in 0..12 {
        let mut child = command(&[], place.path(), round * 1_000, 1_000).spawn().expect("a process");
        read(&mut child, 1 + round * 17, &mut acknowledged);
        child.kill().expect("a process that runs");
        child.wait().expect("a process");
        assert!(!acknowledged.puts.is_empty());
        acknowledged.check(&open_again(place.path()));
    }
}

/// A full disk: the put fails, what was put is there, and questions go on.
#[test]
fn nothing_is_lost_where_files_cannot_grow() {
    let mut is_failed = false;
    for blocks in 0..24 {
        let place = tempfile::tempdir().expect("a directory");
        // An ignored signal stays ignored in the program, so its writes fail instead.
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
        let command = command(&["sh", "-c", &script, "sh"], place.path(), 0, 60).spawn();
        let mut child = command.expect("a process");
        let mut acknowledged = Acknowledged::default();
        read(&mut child, usize::MAX, &mut acknowledged);
        let output = child.wait_with_output().expect("a process");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        is_failed |= acknowledged.puts.values().max().is_some_and(|&last| last < 59);
        let store = open_again(place.path());
        acknowledged.check(&store);
        store.put(&capture(100)).expect("room");
        assert_eq!(held(&store, 0), Some(100));
    }
    assert!(is_failed, "some limit lets a part of the puts through");
}

/// Every call for files fails, or the process is killed there.
#[test]
fn nothing_is_lost_by_a_call_that_fails() {
    let Some(points) = points(|_| {}, TRACED) else { return };
    assert!(points.len() > 500, "{}", points.len());
    inject(
        &points,
        |_| {},
        TRACED,
        |what, directory, output| {
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(!stderr.contains("is lost") && !stderr.contains("the text is"), "{what}: {stderr}");
            let mut acknowledged = Acknowledged::default();
            String::from_utf8_lossy(&output.stdout).lines().for_each(|line| _ = acknowledged.read(line));
            let store = open_again(directory);
            acknowledged.check(&store);
            // Wherever it was killed, what is evicted from now on stays away.
            store.evict(u64::MAX).expect("room");
            drop(store);
            let store = open_again(directory);
            assert!((0..HOSTS).all(|site| held(&store, site).is_none()), "{what}: evicted captures are back");
        },
    );
}

/// Calls fail while a store is opened without a damaged layer, or the process is killed there: no
/// other layer is left out, but for an error of the disk, which is damage.
#[test]
fn nothing_else_is_lost_where_a_layer_is_left_out() {
    let without = || StoreOptions { without_damaged_layers: true, ..options() };
    let damage = |directory: &Path| {
        let store = Store::open(directory, options()).expect("a store");
        (0..20).for_each(|put| assert!(store.put(&capture(put)).expect("room")));
        store.flush().expect("room");
        let name = Manifest::read(directory).expect("a manifest").layers.pop().expect("a layer");
        fs::write(directory.join(name), "no image").expect("room");
    };
    let answers = |directory: &Path| {
        let store = Store::open(directory, without()).expect("the rest");
        (0..HOSTS).map(|site| held(&store, site)).collect::<Vec<_>>()
    };
    let place = tempfile::tempdir().expect("a directory");
    damage(place.path());
    let expected = answers(place.path());
    let Some(points) = points(damage, 0) else { return };
    assert!(points.len() > 100, "{}", points.len());
    inject(&points, damage, 0, |what, directory, output| {
        let said = String::from_utf8_lossy(&output.stdout);
        if !what.contains("EIO") || said.contains("left-out 1") {
            let left_out = said.lines().find_map(|line| line.strip_prefix("left-out "));
            assert!(left_out.is_none_or(|count| count == "1"), "{what}: a sound layer is left out");
            assert_eq!(answers(directory), expected, "{what}");
        }
    });
}

/// Wherever seeding fails or is killed, the store opens with the whole base or with nothing, and
/// with nothing it can be seeded again.
#[test]
fn a_base_is_there_whole_or_not_at_all() {
    let place = tempfile::tempdir().expect("a directory");
    let (source, image) = (place.path().join("s"), place.path().join("i.rimg"));
    let store = Store::open(&source, options()).expect("a store");
    (0..HOSTS).for_each(|put| assert!(store.put(&capture(put)).expect("room")));
    store.flush().expect("room");
    let destination = robomaton_build::Destination::open(&image, None).expect("a destination");
    robomaton_build::merge(&[source], destination).expect("room");
    let beside = |directory: &Path| _ = fs::copy(&image, directory.with_extension("rimg")).expect("room");
    let Some(points) = points(beside, 1) else { return };
    let (seeded, others) = (Cell::new(0), Cell::new(0));
    inject(&points, beside, 1, |what, directory, output| {
        let is_acknowledged = String::from_utf8_lossy(&output.stdout).contains("put 0");
        let store = open_again(directory);
        match (0..HOSTS).filter(|&site| held(&store, site) == Some(site)).count() {
            HOSTS => seeded.set(seeded.get() + 1),
            0 if !is_acknowledged => {
                others.set(others.get() + 1);
                store.seed(std::slice::from_ref(&image)).expect("room");
                assert_eq!(held(&store, 0), Some(0), "{what}");
            }
            sites => panic!("{what}: {sites} sites, acknowledged: {is_acknowledged}"),
        }
    });
    assert!(seeded.get() > 0 && others.get() > 0, "{} seeded, {} not", seeded.get(), others.get());
}

/// Runs the process with a fault at each of some points, and checks what it leaves.
fn inject(
    points: &[(String, usize, &str)],
    prepare: impl Fn(&Path),
    count: usize,
    check: impl Fn(&str, &Path, &Output),
) {
    let is_all = env::var("ROBOMATON_FAULTS").is_ok_and(|value| value == "all");
    let step = if is_all { 1 } else { points.len().div_ceil(POINTS) };
    let (mut met, mut runs) = (0, 0);
    for (call, at, fault) in points.iter().step_by(step) {
        let (trace, inject) = (format!("trace={call}"), format!("inject={call}:{fault}:when={at}"));
        let place = tempfile::tempdir().expect("a directory");
        let (directory, log) = (place.path().join("store"), place.path().join("calls"));
        fs::create_dir(&directory).expect("room");
        prepare(&directory);
        let log_name = log.to_str().expect("a name");
        let strace = ["strace", "-f", "-qq", "-o", log_name, "-e", &trace, "-e", &inject];
        let output = command(&strace, &directory, 20, count).output().expect("a process");
        // strace ends as the process that it traces.
        let is_killed = output.status.signal() == Some(KILL);
        let is_met = is_killed || fs::read_to_string(&log).expect("a log").contains("(INJECTED)");
        (met, runs) = (met + usize::from(is_met), runs + 1);
        check(&inject, &directory, &output);
    }
    // A run may take another way than the one that was counted, now and then.
    assert!(met >= runs - runs / 10, "{met} of {runs} faults were met");
}

/// Every call of a run, and each way in which it can fail; `None` without strace. It counts calls
/// of a name in a thread.
fn points(prepare: impl Fn(&Path), count: usize) -> Option<Vec<(String, usize, &'static str)>> {
    if Command::new("strace").arg("-V").output().is_err() {
        eprintln!("skipped: there is no strace");
        return None;
    }
    let place = tempfile::tempdir().expect("a directory");
    let (directory, log) = (place.path().join("store"), place.path().join("calls"));
    fs::create_dir(&directory).expect("room");
    prepare(&directory);
    let (log_name, trace) = (log.to_str().expect("a name"), format!("trace={CALLS}"));
    let strace = ["strace", "-f", "-qq", "-o", log_name, "-e", &trace];
    let output = command(&strace, &directory, 20, count).output().expect("a process");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let log = fs::read_to_string(&log).expect("a log");
    let mut counts = BTreeMap::<(&str, &str), usize>::new();
    for (thread, call) in log.lines().filter_map(|line| line.split_once(' ')) {
        // The second half of a call that another thread interrupted has no name.
        if let Some((name, _)) = call.trim_start().split_once('(')
            && !name.starts_with('<')
        {
            *counts.entry((name, thread)).or_default() += 1;
        }
    }
    let mut most = BTreeMap::<&str, usize>::new();
    for ((name, _), count) in counts {
        let known = most.entry(name).or_default();
        *known = count.max(*known);
    }
    let of_call = |(call, count): (&str, usize)| {
        let call = call.to_owned();
        (1..=count).flat_map(move |at| {
            let call = call.clone();
            FAULTS.map(move |fault| (call.clone(), at, fault))
        })
    };
    Some(most.into_iter().flat_map(of_call).collect())
}

#[test]
fn another_process_is_a_second_writer() {
    let place = tempfile::tempdir().expect("a directory");
    let mut child = command(&[], place.path(), 0, usize::MAX >> 1).spawn().expect("a process");
    read(&mut child, 1, &mut Acknowledged::default());
    let error = Store::open(place.path(), options()).err().expect("a second writer").to_string();
    assert!(error.contains(&format!("process {}", child.id())), "{error}");
    // Readers need no lock.
    Image::read(place.path()).expect("a stack");
    child.kill().expect("a process that runs");
    child.wait().expect("a process");
    Store::open(place.path(), options()).expect("the lock ends with its process");
}

/// The error names the layer, and nothing is changed.
#[test]
fn a_layer_that_is_missing_or_damaged_is_named() {
    let place = tempfile::tempdir().expect("a directory");
    let store = Store::open(place.path(), options()).expect("a store");
    (0..20).for_each(|put| assert!(store.put(&capture(put)).expect("room")));
    drop(store);
    let manifest = Manifest::read(place.path()).expect("a manifest");
    let path: PathBuf = place.path().join(&manifest.layers[2]);
    let bytes = fs::read(&path).expect("a layer");
    let refused = |content: Option<&[u8]>| {
        match content {
            Some(content) => fs::write(&path, content).expect("room"),
            None => fs::remove_file(&path).expect("a file"),
        }
        let error = Store::open(place.path(), options()).err().expect("a damaged store").to_string();
        assert!(error.contains(path.to_str().expect("a name")), "{error}");
        assert_eq!(Manifest::read(place.path()).expect("a manifest"), manifest);
    };
    refused(Some(&bytes[..bytes.len() / 2]));
    refused(Some(b""));
    refused(Some(b"no image"));
    let mut flipped = bytes.clone();
    flipped[bytes.len() - 1] ^= 1;
    refused(Some(&flipped));
    refused(None);
    fs::write(&path, &bytes).expect("room");
    Store::open(place.path(), options()).expect("a store");
}

/// The rest answers, the damaged file stays, and the store goes on.
#[test]
fn a_damaged_layer_is_left_out_on_demand() {
    let place = tempfile::tempdir().expect("a directory");
    let store = Store::open(place.path(), options()).expect("a store");
    (0..20).for_each(|put| assert!(store.put(&capture(put)).expect("room")));
    store.flush().expect("room");
    let answers = |store: &Store| (0..HOSTS).map(|site| held(store, site)).collect::<Vec<_>>();
    let all = answers(&store);
    drop(store);
    let manifest = Manifest::read(place.path()).expect("a manifest");
    let name = manifest.layers.last().expect("a layer");
    let path = place.path().join(name);
    let mut bytes = fs::read(&path).expect("a layer");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x55;
    fs::write(&path, &bytes).expect("room");
    let without = || StoreOptions { without_damaged_layers: true, ..options() };
    let store = Store::open(place.path(), without()).expect("the rest");
    assert_eq!(store.left_out().iter().map(|layer| &layer.name).collect::<Vec<_>>(), [name]);
    let rest = answers(&store);
    assert!(rest != all && rest.iter().flatten().count() > 0, "{rest:?} of {all:?}");
    assert_eq!(fs::read(path.with_extension("rimg.damaged")).expect("the damaged layer"), bytes);
    (20..30).for_each(|put| assert!(store.put(&capture(put)).expect("room")));
    store.flush().and_then(|()| store.compact()).expect("room");
    let newer = answers(&store);
    drop(store);
    for options in [options(), without()] {
        let store = Store::open(place.path(), options).expect("a whole store");
        assert_eq!((store.left_out().len(), answers(&store)), (0, newer.clone()));
    }
    assert!(path.with_extension("rimg.damaged").is_file());
}

/// If one digit of a name in the manifest is another one, the layer is not taken for a stray.
#[test]
fn what_a_damaged_manifest_does_not_name_is_set_aside() {
    let place = tempfile::tempdir().expect("a directory");
    let store = Store::open(place.path(), options()).expect("a store");
    (0..20).for_each(|put| assert!(store.put(&capture(put)).expect("room")));
    store.flush().expect("room");
    drop(store);
    let manifest = Manifest::read(place.path()).expect("a manifest");
    let name = manifest.layers.last().expect("a layer");
    let path = Manifest::path(place.path());
    let text = fs::read_to_string(&path).expect("a manifest").replace(name.as_str(), "999.rimg");
    fs::write(&path, text).expect("room");
    let layer = fs::read(place.path().join(name)).expect("a layer");
    let without = StoreOptions { without_damaged_layers: true, ..options() };
    let store = Store::open(place.path(), without).expect("the rest");
    assert_eq!(store.left_out().iter().map(|layer| &layer.name[..]).collect::<Vec<_>>(), ["999.rimg"]);
    assert_eq!(fs::read(place.path().join(format!("{name}.damaged"))).expect("the layer"), layer);
}

/// The last record has none behind it that says that it was durable, but for the mark.
#[test]
fn damage_to_the_last_record_of_a_closed_log_is_an_error() {
    let place = tempfile::tempdir().expect("a directory");
    let open = || Store::open(place.path(), StoreOptions::default());
    let store = open().expect("a store");
    assert!(store.put(&capture(0)).and_then(|_| store.put(&capture(1))).expect("room"));
    drop(store);
    let is_log = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "log");
    let files = fs::read_dir(place.path()).expect("a directory").flatten();
    let log = files.map(|file| file.path()).find(is_log).expect("a log");
    let bytes = fs::read(&log).expect("a log");
    for at in 24..bytes.len() - 28 {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        fs::write(&log, damaged).expect("room");
        let error = open().err().expect("a damaged log").to_string();
        assert!(error.contains(log.to_str().expect("a name")), "{error}");
    }
    // The marker in the header has a checksum, too.
    for at in 0..24 {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        fs::write(&log, damaged).expect("room");
        assert!(open().is_err(), "{at}");
    }
    // A torn mark loses nothing.
    for cut in [1, 27, 28] {
        fs::write(&log, &bytes[..bytes.len() - cut]).expect("room");
        assert_eq!(open().expect("a store").stats().memory_sites, 2);
    }
}

/// Even if no layer is left, the captures of the log are.
#[test]
fn the_log_is_read_without_any_layer() {
    let place = tempfile::tempdir().expect("a directory");
    let store = Store::open(place.path(), options()).expect("a store");
    assert!(store.put(&capture(0)).and_then(|_| store.compact()).is_ok());
    assert!(store.put(&capture(1)).expect("room"));
    drop(store);
    for name in &Manifest::read(place.path()).expect("a manifest").layers {
        fs::write(place.path().join(name), b"no image").expect("room");
    }
    let without = StoreOptions { without_damaged_layers: true, ..options() };
    let store = Store::open(place.path(), without).expect("a log");
    assert_eq!((store.left_out().len(), held(&store, 1)), (1, Some(1)));
    drop(store);
    Store::open(place.path(), options()).expect("a whole store");
}

/// Layers that no manifest names are not taken for what a kill left.
#[test]
fn a_store_without_its_manifest_is_left_alone() {
    let place = tempfile::tempdir().expect("a directory");
    let store = Store::open(place.path(), options()).expect("a store");
    (0..5).for_each(|put| assert!(store.put(&capture(put)).expect("room")));
    store.flush().expect("room");
    drop(store);
    let path = Manifest::path(place.path());
    let manifest = fs::read(&path).expect("a manifest");
    fs::remove_file(&path).expect("a manifest");
    let error = Store::open(place.path(), options()).err().expect("no manifest").to_string();
    assert!(error.contains("layers.manifest"), "{error}");
    fs::write(&path, manifest).expect("room");
    let store = Store::open(place.path(), options()).expect("a store");
    (0..5).for_each(|put| assert_eq!(held(&store, put), Some(put)));
}

/// A power failure may keep the lengths of new files, and not their bytes.
#[test]
fn a_log_whose_header_is_not_durable_holds_nothing() {
    let place = tempfile::tempdir().expect("a directory");
    drop(Store::open(place.path(), options()).expect("a store"));
    for length in [0, 9, 24] {
        fs::write(place.path().join("7.log"), vec![0; length]).expect("room");
        drop(Store::open(place.path(), options()).expect("a store"));
        assert!(!place.path().join("7.log").exists());
    }
    fs::write(place.path().join("7.log"), [0; 25]).expect("room");
    assert!(matches!(Store::open(place.path(), options()), Err(StoreError::Damaged { at: 0, .. })));
}

/// The log takes no more of a body than counts.
#[test]
fn a_body_is_logged_up_to_its_limit() {
    let place = tempfile::tempdir().expect("a directory");
    let options = StoreOptions { durability: Durability::Never, ..StoreOptions::default() };
    let store = Store::open(place.path(), options.clone()).expect("a store");
    let text = b"User-agent: *\nDisallow: /0-\n".to_vec();
    let body = [text, vec![b'#'; 3 * BODY_BYTES]].concat();
    store.put(&Capture { body, ..capture(0) }).expect("room");
    assert!(store.stats().log_bytes < BODY_BYTES as u64 + 200, "{}", store.stats().log_bytes);
    drop(store);
    assert_eq!(held(&Store::open(place.path(), options).expect("a store"), 0), Some(0));
}
