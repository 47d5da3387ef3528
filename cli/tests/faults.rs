//! Faults of the file system: whatever call fails, and wherever the process is killed, an output is
//! the old one or the new one, and nothing else is left.
//!
//! `strace` makes the calls fail, one in each run. Some hundred of all points are tested, or all of
//! them with `ROBOMATON_FAULTS=all`. Without strace, the test is skipped.

#![cfg(target_os = "linux")]

mod common;

use common::Place;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The number of points that are tested.
const POINTS: usize = 280;
/// The calls that fail. Reading is left out: what cannot be read of captures is skipped.
const CALLS: &str = "openat,write,pwrite64,fsync,ftruncate,flock,rename,renameat,renameat2,mkdir,unlink,unlinkat,\
    rmdir,chmod,fchmod,getdents64";
const FAULTS: [&str; 4] = ["error=EIO", "error=ENOSPC", "error=EMFILE", "signal=KILL"];

/// The command lines. Each replaces what the same line made of the image `old.rimg`.
const COMMANDS: [&str; 4] = [
    "merge IMAGE -o out/i.rimg --threads 1",
    "merge IMAGE -o out/i.shards --shards 2 --threads 1",
    "compile CAPTURES -o out/i.rimg --threads 1",
    "export IMAGE --to out --format csv --table sites --table rules --table policy --crawler a",
];

/// All files below a directory with their contents; those that are not in place have no contents.
fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with(".robomaton-") {
            found.insert(name, Vec::new());
        } else if path.is_dir() {
            let inner = files(&path).into_iter().map(|(inner, text)| (format!("{name}/{inner}"), text));
            found.extend(inner);
        } else {
            found.insert(name, fs::read(&path).expect("a file"));
        }
    }
    found
}

fn is_temporary(name: &str) -> bool {
    name.contains(".robomaton-")
}

/// Runs a command under `strace` with these options.
fn traced(place: &Place, options: &[&str], line: &str) -> Output {
    let robomaton = place.command(&[]).get_program().to_owned();
    let mut command = Command::new("strace");
    command.args(["-f", "-qq"]).args(options).arg(robomaton).args(line.split(' '));
    // The paths in it would only add points at which libraries are sought.
    command.env_remove("LD_LIBRARY_PATH");
    command.current_dir(place.path("")).stdin(Stdio::null()).output().expect("strace")
}

/// The calls of a run: for each name, how many one thread makes at most.
fn calls(place: &Place, line: &str) -> Vec<(String, usize)> {
    let output = traced(place, &["-o", "log", "-e", &format!("trace={CALLS}")], line);
    assert!(output.status.success(), "{output:?}");
    let log = fs::read_to_string(place.path("log")).expect("a log");
    let mut counts = BTreeMap::<(&str, &str), usize>::new();
    for line in log.lines() {
        if let Some((thread, call)) = line.split_once(' ')
            && let Some((name, _)) = call.trim_start().split_once('(')
        {
            *counts.entry((name, thread)).or_default() += 1;
        }
    }
    let mut most = BTreeMap::new();
    for ((name, _), count) in counts {
        let known = most.entry(name.to_owned()).or_insert(0);
        *known = count.max(*known);
    }
    most.into_iter().collect()
}

#[test]
fn a_fault_leaves_the_old_or_the_new() {
    if Command::new("strace").arg("-V").stdout(Stdio::null()).status().is_err() {
        println!("skipped: there is no strace");
        return;
    }
    let place = Place::with_image();
    place.write("old.jsonl", r#"{"url": "a.example", "body": "User-agent: a\nDisallow: /"}"#);
    place.run(&["compile", "old.jsonl", "-o", "old.rimg"]).ok();
    let line = |command: &str, old: bool| {
        let [image, captures] = if old { ["old.rimg", "old.jsonl"] } else { ["i.rimg", "captures.jsonl"] };
        command.replace("IMAGE", image).replace("CAPTURES", captures)
    };
    let run = |line: &str| place.run(&line.split(' ').collect::<Vec<_>>()).ok();
    let make = |command: &str, old: bool| {
        let _ = fs::remove_dir_all(place.path("out"));
        fs::create_dir(place.path("out")).expect("a directory");
        run(&line(command, old));
        files(&place.path("out"))
    };
    let mut points = Vec::new();
    for command in COMMANDS {
        let [new, old] = [false, true].map(|old| make(command, old));
        assert!(old != new && !old.is_empty());
        for (call, count) in calls(&place, &line(command, false)) {
            for at in 1..=count {
                // Those that end the process, and each of the errors in turn.
                for fault in [FAULTS[at % 3], FAULTS[3]] {
                    points.push((command, old.clone(), new.clone(), call.clone(), at, fault));
                }
            }
        }
    }
    let all = std::env::var("ROBOMATON_FAULTS").is_ok_and(|value| value == "all");
    let step = if all { 1 } else { points.len().div_ceil(POINTS) };
    println!("{} of {} points", points.len().div_ceil(step), points.len());
    for (command, old, new, call, at, fault) in points.into_iter().step_by(step) {
        make(command, true);
        let inject = format!("inject={call}:{fault}:when={at}");
        let output = traced(
            &place,
            &["-o", "/dev/null", "-e", &format!("trace={call}"), "-e", &inject],
            &line(command, false),
        );
        let point = format!("{command}: {inject}: {output:?}");
        let found = files(&place.path("out"));
        let (left, placed): (Vec<_>, BTreeMap<_, _>) = {
            let (left, placed): (Vec<_>, Vec<_>) =
                found.into_iter().partition(|(name, _)| is_temporary(name));
            (left, placed.into_iter().collect())
        };
        let killed = fault == FAULTS[3];
        if output.status.success() {
            assert!(placed == new, "{point}");
        } else if killed && command.starts_with("export") {
            let is_whole = |(name, text)| Some(text) == old.get(name) || Some(text) == new.get(name);
            assert!(placed.iter().all(is_whole) && placed.len() == old.len(), "{point}");
        } else {
            assert!(placed == old || placed == new, "{point}: {:?}", placed.keys());
        }
        let cannot_remove = call.starts_with("unlink") || call == "rmdir";
        assert!(
            left.is_empty() || killed || cannot_remove || call == "openat" || call == "getdents64",
            "{point}: {left:?}"
        );
        // The next run removes what is left.
        run(&line(command, false));
        assert!(files(&place.path("out")) == new, "{point}");
    }
}
