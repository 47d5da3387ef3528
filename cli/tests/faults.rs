//! Faults of the system: whatever call for files or threads fails, and wherever the process is
//! killed, an output is the old one or the new one, nothing else is left, and one line says what
//! failed.
//!
//! `strace` makes the calls fail, one in each run of a command; `prlimit` cuts a write where the
//! file gets too long. Some hundred of all points are tested. `ROBOMATON_FAULTS=all` tests all of
//! them, and `ROBOMATON_FAULTS=2/8` the second of eight parts. Without strace, the test is skipped.

#![cfg(target_os = "linux")]

mod common;

use common::Place;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::{OpenOptionsExt, symlink};
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The number of points that are tested.
const POINTS: usize = 280;
/// The calls that fail: calls for files, and the start of a thread.
const CALLS: &str = "openat,read,pread64,write,pwrite64,copy_file_range,lseek,statx,fcntl,fsync,ftruncate,flock,\
    rename,renameat,renameat2,mkdir,unlink,unlinkat,rmdir,chmod,fchmod,getdents64,clone3";
const FAULTS: [&str; 9] = [
    "error=EIO",
    "error=ENOSPC",
    "error=EMFILE",
    "error=EINTR",
    "error=EDQUOT",
    "error=EROFS",
    "error=EACCES",
    "signal=TERM",
    KILL,
];
const KILL: &str = "signal=KILL";
/// Limits on the length of files that are tried for each command.
const LIMITS: u64 = 24;

/// The place of an output before the command runs.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    /// The output of the same command line for older inputs.
    Old,
    /// The same, and the output is a link to it.
    Link,
    Nothing,
    /// A pipe, which gets a copy.
    Pipe,
}

/// The command lines. `IN` is the directory of the inputs, `new` or `old`.
const COMMANDS: [(&str, Before); 28] = [
    ("merge IN/i.rimg -o out/i.rimg --threads 1", Before::Old),
    ("merge IN/i.rimg -o out/i.shards --shards 2 --threads 1", Before::Old),
    ("merge IN/i.rimg IN/second.rimg -o out/i.rimg --json", Before::Old),
    ("merge IN/i.shards -o out/i.rimg --threads 2", Before::Old),
    ("merge IN/i.shards IN/second.rimg -o out/i.shards --shards 3", Before::Old),
    ("merge IN/stack -o out/i.rimg", Before::Old),
    ("merge IN/i.rimg -o out/i.shards --shards 2", Before::Nothing),
    ("merge IN/i.shards -o out/link --shards 2", Before::Link),
    ("merge IN/i.rimg IN/second.rimg -o pipe", Before::Pipe),
    ("compile IN/captures.jsonl -o out/i.rimg --threads 1", Before::Old),
    ("compile IN/captures.jsonl -o out/i.shards --shards 2 --threads 1", Before::Old),
    ("compile IN/captures.jsonl.gz IN/more.jsonl -o out/i.rimg --threads 2 --no-sources", Before::Old),
    ("compile IN/texts -o out/i.rimg --threads 1 --json", Before::Old),
    ("compile IN/texts IN/more.jsonl -o out/i.shards --shards 3", Before::Old),
    ("compile @IN/list -o out/i.rimg --crawler a --verbose", Before::Old),
    ("compile IN/captures.csv -o out/i.rimg --profile google --quiet", Before::Old),
    ("compile IN/captures.jsonl -o out/i.rimg", Before::Nothing),
    ("compile IN/captures.jsonl -o out/link --threads 1", Before::Link),
    ("compile IN/captures.jsonl -o pipe", Before::Pipe),
    (
        "export IN/i.rimg --to out --format csv --table sites --table rules --table policy --crawler a",
        Before::Old,
    ),
    ("export IN/i.rimg --to out --format jsonl --json", Before::Old),
    ("export IN/i.rimg --to out --crawler a", Before::Old),
    ("export IN/i.rimg IN/second.rimg --to out --format csv --crawler a", Before::Old),
    ("export IN/i.rimg --to out/tables --format jsonl --crawler a", Before::Nothing),
    ("report IN/i.rimg -o out/r.html", Before::Old),
    ("report IN/i.rimg IN/second.rimg -o out/r.html --json", Before::Old),
    ("diff IN/second.rimg IN/i.rimg --to out --format csv", Before::Old),
    ("diff IN/second.rimg IN/i.rimg --to out --json", Before::Old),
];

type Files = BTreeMap<String, Vec<u8>>;

/// All files below a directory with their contents. What has a temporary name has no contents.
fn files(directory: &Path) -> Files {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if is_temporary(&name) {
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

/// A command line with its outputs.
struct Job {
    line: &'static str,
    before: Before,
    old: Files,
    new: Files,
}

/// A fault in a run of a command.
enum Fault {
    /// A call, the how manyth one of its thread, and what happens to it.
    Call(String, usize, &'static str),
    /// No file may be longer, in bytes.
    Limit(u64),
}

impl Fault {
    fn kills(&self) -> bool {
        matches!(self, Fault::Call(_, _, fault) if *fault == KILL)
    }

    /// True if a name may be left because the call that would remove it fails.
    fn hinders_removal(&self, job: &Job) -> bool {
        let Fault::Call(call, ..) = self else { return false };
        let directory = ["openat", "fcntl", "lseek", "getdents64"].contains(&call.as_str());
        ["unlink", "unlinkat", "rmdir", "statx"].contains(&call.as_str())
            || directory && job.line.contains("--shards")
    }
}

/// A directory with the inputs, and how commands run in it.
struct Trial {
    place: Place,
    pipe: File,
}

impl Trial {
    fn new() -> Trial {
        let place = Place::with_image();
        for directory in ["new/texts", "new/stack", "old/texts", "old/stack", "out", "tmp"] {
            fs::create_dir_all(place.path(directory)).expect("a directory");
        }
        let captures = fs::read_to_string(place.path("captures.jsonl")).expect("captures");
        let older = r#"{"url": "a.example", "body": "User-agent: a\nDisallow: /"}"#;
        for (age, captures) in [("new", captures.as_str()), ("old", older)] {
            let at = |name: &str| format!("{age}/{name}");
            let more = format!(r#"{{"url": "{age}.example", "body": "User-agent: a\nAllow: /{age}"}}"#);
            place.write(&at("captures.jsonl"), captures);
            let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            packed.write_all(captures.as_bytes()).expect("memory");
            place.write(&at("captures.jsonl.gz"), packed.finish().expect("memory"));
            place.write(&at("more.jsonl"), more);
            place.write(&at("captures.csv"), format!("url,body\na.example,User-agent: {age}\n"));
            place.write(&at("texts/a.example"), format!("User-agent: *\nDisallow: /{age}\n"));
            place.write(&at("texts/b.example.txt"), common::ROBOTS);
            place.write(&at("list"), format!("{}\n{}\n", at("captures.jsonl"), at("more.jsonl")));
            let manifest = "robomaton layers 1\ngeneration 2\nlayer 1.rimg\nlayer 2.rimg\nend\n";
            place.write(&at("stack/layers.manifest"), manifest);
            let inputs = ["captures.jsonl", "more.jsonl", "captures.jsonl", "more.jsonl"];
            let images = ["i.rimg", "second.rimg", "stack/1.rimg", "stack/2.rimg"];
            for (input, image) in inputs.into_iter().zip(images) {
                place.run(&["compile", &at(input), "-o", &at(image)]).ok();
            }
            place.run(&["merge", &at("i.rimg"), "-o", &at("i.shards"), "--shards", "2"]).ok();
        }
        let made = Command::new("mkfifo").arg(place.path("pipe")).status();
        assert!(made.expect("mkfifo").success());
        // Open for both, so that no open waits for the other side; O_NONBLOCK is 0o4000.
        let mut options = File::options();
        let pipe = options.read(true).write(true).custom_flags(0o4000).open(place.path("pipe"));
        Trial { pipe: pipe.expect("a pipe"), place }
    }

    /// Runs a command line behind other programs that run it.
    fn run(&self, behind: &[&str], line: &str) -> Output {
        let robomaton = self.place.command(&[]).get_program().to_owned();
        let mut command = match behind {
            [] => Command::new(robomaton),
            [program, options @ ..] => {
                let mut command = Command::new(program);
                command.args(options).arg(robomaton);
                command
            }
        };
        // The paths in it would only add points at which libraries are sought.
        command.args(line.split(' ')).env_remove("LD_LIBRARY_PATH").env("TMPDIR", self.place.path("tmp"));
        command.current_dir(self.place.path("")).stdin(Stdio::null()).output().expect("a run")
    }

    /// The outputs, and the temporary names beside them.
    fn found(&self) -> (Files, BTreeSet<String>) {
        let (left, mut placed): (Files, Files) =
            files(&self.place.path("out")).into_iter().partition(|(name, _)| is_temporary(name));
        let (mut left, mut text): (BTreeSet<String>, _) = (left.into_keys().collect(), Vec::new());
        left.extend(files(&self.place.path("tmp")).into_keys());
        // An empty pipe is an error, as nobody closes it.
        let _ = (&self.pipe).read_to_end(&mut text);
        if !text.is_empty() {
            placed.insert("pipe".to_owned(), text);
        }
        (placed, left)
    }

    /// Puts these files into the place of the outputs, and nothing else.
    fn put(&self, before: Before, files: &Files) {
        for directory in ["out", "tmp"] {
            let _ = fs::remove_dir_all(self.place.path(directory));
            fs::create_dir(self.place.path(directory)).expect("a directory");
        }
        if before == Before::Link {
            symlink("linked", self.place.path("out/link")).expect("a link");
        }
        for (name, text) in files.iter().filter(|(name, _)| before != Before::Link || is_linked(name)) {
            self.place.write(&format!("out/{name}"), text);
        }
    }

    /// Runs the command line for the old and the new inputs.
    fn job(&self, line: &'static str, before: Before) -> Job {
        let make = |age: &str| {
            self.put(Before::Nothing, &Files::new());
            if before == Before::Link {
                let first = line.replace("out/link", "out/linked").replace("IN/", &format!("{age}/"));
                assert!(self.run(&[], &first).status.success(), "{first}");
                symlink("linked", self.place.path("out/link")).expect("a link");
            }
            let line = line.replace("IN/", &format!("{age}/"));
            let output = self.run(&[], &line);
            assert!(output.status.success(), "{line}: {output:?}");
            let (placed, left) = self.found();
            assert!(left.is_empty() && !placed.is_empty(), "{line}: {left:?}");
            for name in placed.keys().filter(|name| name.ends_with(".rimg") && !name.contains(".shards/")) {
                self.place.run(&["verify", &format!("out/{name}")]).ok();
            }
            placed
        };
        let [new, old, again] = ["new", "old", "new"].map(make);
        assert!(old != new && again == new, "{line}");
        let old = if matches!(before, Before::Nothing | Before::Pipe) { Files::new() } else { old };
        Job { line, before, old, new }
    }

    /// The faults to be tried with a job.
    fn faults(&self, job: &Job) -> Vec<Fault> {
        self.put(job.before, &job.old);
        let trace = format!("trace={CALLS}");
        let log = self.place.path("log");
        let strace = ["strace", "-f", "-qq", "-o", &log.display().to_string(), "-e", &trace];
        assert!(self.run(&strace, &new_line(job.line)).status.success());
        let _ = self.found();
        let log = fs::read_to_string(log).expect("a log");
        // A call is counted in its thread: for each name, how many one thread makes at most.
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
        let mut faults = Vec::new();
        for (call, count) in most {
            for at in 1..=count {
                faults.extend(FAULTS.map(|fault| Fault::Call(call.to_owned(), at, fault)));
            }
        }
        let longest = job.new.values().map(Vec::len).max().unwrap_or(0) as u64;
        faults.extend((0..LIMITS).map(|number| Fault::Limit(longest * number / LIMITS)));
        faults
    }

    /// Tries one fault. The error says what is wrong.
    fn try_fault(&self, job: &Job, fault: &Fault) -> Result<(), String> {
        self.put(job.before, &job.old);
        let (behind, name) = match fault {
            Fault::Call(call, at, fault) => {
                let inject = format!("inject={call}:{fault}:when={at}");
                let trace = format!("trace={call}");
                let behind = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", &trace, "-e", &inject];
                (behind.map(str::to_owned).to_vec(), inject)
            }
            Fault::Limit(bytes) => {
                let limit = format!("--fsize={bytes}");
                (vec!["prlimit".to_owned(), limit.clone()], limit)
            }
        };
        let output = self.run(&behind.iter().map(String::as_str).collect::<Vec<_>>(), &new_line(job.line));
        let (placed, left) = self.found();
        let wrong = |what: &str| Err(format!("{}: {name}: {what}: {output:?}, left {left:?}", job.line));
        if let Some(what) = self.fault_of_message(fault, &output) {
            return wrong(what);
        }
        if !self.is_whole(job, fault, &output, &placed) {
            return wrong("neither the old nor the new");
        }
        if !(left.is_empty() || fault.kills() || fault.hinders_removal(job)) {
            return wrong("something is left");
        }
        if left.is_empty() {
            return Ok(());
        }
        // The next run removes what is left.
        let next = self.run(&[], &new_line(job.line));
        let (placed, left) = self.found();
        if !next.status.success() || placed != job.new || !left.is_empty() {
            return wrong("the next run does not mend it");
        }
        Ok(())
    }

    /// What is wrong about the exit code and the messages, if anything is.
    fn fault_of_message(&self, fault: &Fault, output: &Output) -> Option<&'static str> {
        let error = String::from_utf8_lossy(&output.stderr);
        // The system's loader failed, before the command began.
        if error.contains("error while loading shared libraries: ") {
            return None;
        }
        let lines = error.lines().filter(|line| !line.contains(" skipped"));
        let errors = lines.clone().count();
        if !error.lines().all(|line| line.starts_with("robomaton: ")) || error.contains("panicked") {
            return Some("other lines than messages");
        }
        let call = if let Fault::Call(call, ..) = fault { call } else { "" };
        match (output.status.code(), fault) {
            (Some(0), _) => None,
            (Some(2), _) if errors == 1 => None,
            // The call that fails may be the one that writes the message.
            (Some(2), _) if errors == 0 && call == "write" => None,
            (Some(143), Fault::Call(_, _, "signal=TERM")) if error == "robomaton: stopped by SIGTERM\n" => {
                None
            }
            (None, Fault::Call(_, _, "signal=TERM" | KILL)) => None,
            _ => Some("another exit code, or not one line"),
        }
    }

    /// True if the outputs are the old ones or the new ones.
    fn is_whole(&self, job: &Job, fault: &Fault, output: &Output, placed: &Files) -> bool {
        let success = output.status.success();
        if success && String::from_utf8_lossy(&output.stderr).contains("skipped") {
            // An input could not be read, which is told; the image is without it.
            let name = job.line.split(' ').find(|word| word.starts_with("out/")).unwrap_or_default();
            return job.before == Before::Pipe || self.place.run(&["verify", name]).code == 0;
        }
        if success {
            return *placed == job.new;
        }
        if job.before == Before::Pipe {
            let part = placed.get("pipe").map_or(&[][..], Vec::as_slice);
            return job.new.get("pipe").is_some_and(|new| new.starts_with(part));
        }
        if fault.kills() && job.line.contains("--to") {
            // Several files are moved one after the other.
            let is_whole = |(name, text)| Some(text) == job.old.get(name) || Some(text) == job.new.get(name);
            return placed.iter().all(is_whole) && placed.len() >= job.old.len();
        }
        *placed == job.old || *placed == job.new
    }
}

fn new_line(line: &str) -> String {
    line.replace("IN/", "new/")
}

/// True for what a link leads to.
fn is_linked(name: &str) -> bool {
    name == "linked" || name.starts_with("linked/")
}

/// The points that are tested of so many: the first one, and the distance to the next.
fn share(points: usize) -> (usize, usize) {
    match std::env::var("ROBOMATON_FAULTS").ok() {
        None => {
            let step = points.div_ceil(POINTS);
            // Not always the same faults.
            (0, if step.is_multiple_of(3) { step + 1 } else { step })
        }
        Some(value) => {
            let part = value.split_once('/').map(|(part, of)| (part.parse::<usize>(), of.parse::<usize>()));
            match part {
                Some((Ok(part), Ok(of))) if (1..=of).contains(&part) => (part - 1, of),
                _ => (0, 1),
            }
        }
    }
}

#[test]
fn a_fault_leaves_the_old_or_the_new() {
    if Command::new("strace").arg("-V").stdout(Stdio::null()).status().is_err() {
        println!("skipped: there is no strace");
        return;
    }
    let trial = Trial::new();
    let jobs = COMMANDS.map(|(line, before)| trial.job(line, before));
    let points: Vec<(&Job, Fault)> =
        jobs.iter().flat_map(|job| trial.faults(job).into_iter().map(move |fault| (job, fault))).collect();
    let (first, step) = share(points.len());
    let (mut tried, mut wrong) = (0, Vec::new());
    for (job, fault) in points.iter().skip(first).step_by(step) {
        tried += 1;
        wrong.extend(trial.try_fault(job, fault).err());
    }
    println!("{tried} of {} points, {} wrong", points.len(), wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
