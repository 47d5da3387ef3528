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
    place.run(&shards).fails("week: is a directory that holds other files than shards");
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
    use std::os::unix::fs::PermissionsExt;

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
}
