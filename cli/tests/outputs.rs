//! Outputs: what they may replace, and what is left when a command fails or is stopped.

mod common;

use common::Place;
use std::fs;

/// The names in a directory, in order.
fn names(place: &Place, directory: &str) -> Vec<String> {
    let entries = fs::read_dir(place.path(directory)).expect("a directory");
    let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("a name").file_name();
    let mut names: Vec<String> = entries.map(|entry| name(entry).to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn only_former_outputs_are_replaced() {
    let place = Place::with_image();
    place.write("notes.txt", "mine");
    place.write("empty", "");
    place.write("old.rimg", fs::read(place.path("i.rimg")).expect("an image"));
    for (command, is_replaced) in [
        ("compile captures.jsonl -o captures.jsonl", Err("captures.jsonl: exists and is not an image")),
        ("compile ./captures.jsonl -o notes.txt", Err("notes.txt: exists and is not an image")),
        ("merge i.rimg -o notes.txt", Err("notes.txt: exists and is not an image")),
        ("report i.rimg -o i.rimg", Err("i.rimg: is one of the inputs")),
        ("report i.rimg -o old.rimg", Err("old.rimg: exists and is not a report")),
        ("report i.rimg -o notes.txt", Err("notes.txt: exists and is not a report")),
        ("compile captures.jsonl -o old.rimg", Ok(())),
        ("compile captures.jsonl -o empty", Ok(())),
        ("compile captures.jsonl -o /dev/null", Ok(())),
        ("merge i.rimg old.rimg -o i.rimg", Ok(())),
        ("report i.rimg -o r.html", Ok(())),
        ("report i.rimg -o r.html", Ok(())),
    ] {
        let arguments: Vec<&str> = command.split(' ').collect();
        let output = place.path(arguments[arguments.len() - 1]);
        let before = fs::read(&output).ok();
        let run = place.run(&arguments);
        match is_replaced {
            Ok(()) => drop(run.ok()),
            Err(why) => {
                run.fails(&format!("{why}; --force replaces it"));
                assert_eq!(before, fs::read(&output).ok(), "{command}");
            }
        }
    }
    for command in ["report i.rimg -o notes.txt --force", "compile captures.jsonl -o captures.jsonl --force"]
    {
        place.run(&command.split(' ').collect::<Vec<_>>()).ok();
    }
    place.run(&["verify", "captures.jsonl"]).ok();
}

#[test]
fn only_former_tables_are_replaced() {
    let place = Place::with_image();
    for format in ["csv", "jsonl", "parquet"] {
        let export = |more: &[&str]| {
            place.run(&[&["export", "i.rimg", "--to", "t", "--format", format], more].concat())
        };
        export(&[]).ok();
        // A series has more columns.
        place.run(&["merge", "i.rimg", "-o", "j.rimg"]).ok();
        place.run(&["export", "i.rimg", "j.rimg", "--to", "t", "--format", format]).ok();
        export(&[]).ok();
        let last = format!("t/usages.{format}");
        place.write(&last, "mine");
        let first = fs::read(place.path(&format!("t/sites.{format}"))).expect("a table");
        export(&["--crawler", "a"]).fails(&format!("{last}: exists and is not the table usages"));
        assert_eq!(fs::read(place.path(&format!("t/sites.{format}"))).expect("a table"), first);
        export(&["--force"]).ok();
        // Such files of another program are no tables either.
        let other: &[u8] = match format {
            "csv" => b"site,price\na.example,1\n",
            "jsonl" => b"{\"site\":\"a.example\",\"price\":1}\n",
            _ => b"PAR1 by another writer PAR1",
        };
        place.write(&last, other);
        export(&["--crawler", "a"]).fails("exists and is not the table usages");
        export(&["--force"]).ok();
        place.run(&["diff", "i.rimg", "j.rimg", "--to", "t", "--format", format]).ok();
    }
    assert!(names(&place, "t").iter().all(|name| !name.starts_with('.')));
    fs::rename(place.path("i.rimg"), place.path("t/sites.parquet")).expect("a name");
    place.run(&["export", "t/sites.parquet", "--to", "t"]).fails("t/sites.parquet: is one of the inputs");
}

#[test]
fn a_directory_of_other_images_is_not_one_of_shards() {
    let place = Place::with_image();
    place.write("week/monday.rimg", fs::read(place.path("i.rimg")).expect("an image"));
    let shards = ["compile", "captures.jsonl", "-o", "week", "--shards", "2", "--force"];
    place.run(&shards).fails("week: holds monday.rimg, which is no shard");
    assert_eq!(names(&place, "week"), ["monday.rimg"]);
}

#[test]
fn several_jobs_with_one_output_replace_it_in_turn() {
    let place = Place::with_image();
    for more in [&[][..], &["--shards", "3"]] {
        for round in 0..3 {
            let output = format!("out{}", more.len());
            let arguments = [&["compile", "captures.jsonl", "-o", &output, "--threads", "1"], more].concat();
            let jobs: Vec<_> = (0..4).map(|_| place.command(&arguments).spawn().expect("a start")).collect();
            for job in jobs {
                let output = job.wait_with_output().expect("an end");
                assert!(output.status.success(), "round {round}: {output:?}");
            }
            place.run(&["verify", &output]).ok();
        }
    }
    assert!(names(&place, ".").iter().all(|name| !name.starts_with('.')));
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::io::Write;
    use std::os::unix::fs::PermissionsExt;
    use std::process::{Child, Command, Output, Stdio};
    use std::time::{Duration, Instant};

    #[test]
    fn modes_are_kept() {
        let place = Place::with_image();
        let mode = |name: &str| fs::metadata(place.path(name)).expect("a file").permissions().mode() & 0o777;
        let set = |name: &str, mode| {
            fs::set_permissions(place.path(name), fs::Permissions::from_mode(mode)).expect("a mode");
        };
        set("i.rimg", 0o602);
        place.run(&["compile", "captures.jsonl", "-o", "i.rimg"]).ok();
        assert_eq!(mode("i.rimg"), 0o602, "whatever the user's mask");
        for _ in 0..2 {
            place.run(&["compile", "captures.jsonl", "-o", "d", "--shards", "1"]).ok();
            set("d", 0o701);
            set("d/000-of-001.rimg", 0o604);
        }
        place.run(&["compile", "captures.jsonl", "-o", "d", "--shards", "2"]).ok();
        assert_eq!((mode("d"), mode("d/000-of-002.rimg"), mode("d/001-of-002.rimg")), (0o701, 0o604, 0o604));
    }

    #[test]
    fn a_missing_directory_for_temporary_files_is_named() {
        let place = Place::with_image();
        let mut command = place.command(&["compile", "captures.jsonl", "-o", "/dev/null"]);
        let output = command.env("TMPDIR", "/nonexistent").output().expect("a run");
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(told, "robomaton: cannot write /nonexistent: No such file or directory\n");
    }

    /// Starts a command that waits for its input, and returns when it has a temporary name.
    fn waiting(place: &Place, mut command: Command) -> Child {
        let before = names(place, "out");
        let child = command.stdin(Stdio::piped()).spawn().expect("a start");
        let deadline = Instant::now() + Duration::from_secs(20);
        while !names(place, "out").iter().any(|name| name.ends_with(".part") && !before.contains(name)) {
            assert!(Instant::now() < deadline, "no temporary name");
            std::thread::sleep(Duration::from_millis(2));
        }
        child
    }

    fn signal(child: &Child, name: &str) {
        let pid = child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &pid]).status().expect("kill").success());
    }

    /// Ends a command by a signal, while its input stays open.
    fn stop(mut child: Child, name: &str) -> Output {
        let _stdin = child.stdin.take();
        signal(&child, name);
        child.wait_with_output().expect("an end")
    }

    /// Ends the input of a command, and waits for its end.
    fn end(mut child: Child, input: &str) -> Output {
        let mut stdin = child.stdin.take().expect("a pipe");
        stdin.write_all(input.as_bytes()).expect("a reader");
        drop(stdin);
        child.wait_with_output().expect("an end")
    }

    /// True if this process ignores a signal, so that the commands which it starts do, too: under
    /// `nohup`, or as a job in the background.
    fn is_ignored(signal: u32) -> bool {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        mask.is_some_and(|mask| {
            u64::from_str_radix(mask.trim(), 16).is_ok_and(|mask| mask >> (signal - 1) & 1 == 1)
        })
    }

    #[test]
    fn nothing_is_left_when_a_signal_ends_the_command() {
        let place = Place::new();
        fs::create_dir(place.path("out")).expect("a directory");
        let file = ["compile", "-", "-o", "out/i.rimg"];
        let shards = ["compile", "-", "-o", "out/d", "--shards", "3"];
        for arguments in [&file[..], &shards] {
            let signals = [("INT", 2, 130), ("TERM", 15, 143), ("HUP", 1, 129)];
            for (name, _, code) in signals.into_iter().filter(|&(_, number, _)| !is_ignored(number)) {
                let output = stop(waiting(&place, place.command(arguments)), name);
                let told = String::from_utf8_lossy(&output.stderr);
                assert_eq!(told, format!("robomaton: stopped by SIG{name}\n"));
                assert_eq!((output.status.code(), names(&place, "out").len()), (Some(code), 0));
            }
            // Nobody is told of this one, and the next job removes what is left.
            stop(waiting(&place, place.command(arguments)), "KILL");
        }
        let capture = r#"{"url": "a.example", "body": "User-agent: *\nDisallow: /"}"#;
        let child = waiting(&place, place.command(&file));
        place.run_with(&shards, capture).ok();
        assert!(end(child, capture).status.success(), "a job does not remove what another one writes");
        assert_eq!(names(&place, "out"), ["d", "i.rimg"]);
    }

    #[test]
    fn an_ignored_signal_stays_ignored() {
        let place = Place::new();
        fs::create_dir(place.path("out")).expect("a directory");
        let robomaton = place.command(&[]).get_program().to_owned();
        let mut command = Command::new("sh");
        command.args(["-c", "trap '' HUP; exec \"$0\" compile - -o out/i.rimg"]).arg(robomaton);
        command.current_dir(place.path("")).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = waiting(&place, command);
        signal(&child, "HUP");
        assert!(end(child, r#"{"url": "a.example", "body": ""}"#).status.success());
    }

    #[test]
    fn a_limit_on_the_size_of_files_is_an_error() {
        let place = Place::with_image();
        let robomaton = place.command(&[]).get_program().to_owned();
        for arguments in ["compile captures.jsonl -o j.rimg", "export i.rimg --to t --format csv"] {
            let script = format!("ulimit -f 0; exec \"$0\" {arguments}");
            let mut command = Command::new("sh");
            let output = command.args(["-c", &script]).arg(&robomaton).current_dir(place.path("")).output();
            let output = output.expect("a run");
            let told = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.code() == Some(2) && told.contains("File too large"), "{output:?}");
        }
        assert!(names(&place, ".").iter().all(|name| !name.starts_with('.')));
    }
}
