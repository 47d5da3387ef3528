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
fn a_directory_of_other_images_is_not_one_of_shards() {
    let place = Place::with_image();
    place.write("week/monday.rimg", fs::read(place.path("i.rimg")).expect("an image"));
    let shards = ["compile", "captures.jsonl", "-o", "week", "--shards", "2"];
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
