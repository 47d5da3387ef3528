//! A stack of layers in place of an image: every command prints the same as over the merged image.
//!
//! The stack and the merged image are those of `tests/data/layers`, which readers in other
//! languages open, too.

mod common;

use common::{Place, Run};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// A place with the stack as `stack/crawl` and the merged image as `merged/crawl`.
fn place() -> Place {
    let place = Place::new();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/layers");
    copy(&data.join("stack"), &place.path("stack/crawl"));
    place.write("merged/crawl", fs::read(data.join("merged.rimg")).expect("an image"));
    place
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("room");
    for entry in fs::read_dir(from).expect("a directory") {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name())).expect("an entry");
        match path.is_dir() {
            true => copy(&path, &to.join(name)),
            false => drop(fs::copy(&path, to.join(name)).expect("room")),
        }
    }
}

fn run_in(place: &Place, folder: &str, arguments: &[&str], input: &str) -> Run {
    let mut command = place.command(arguments);
    command.current_dir(place.path(folder));
    let mut command = assert_cmd::Command::from_std(command);
    let output = command.write_stdin(input).output().expect("a run");
    Run {
        code: output.status.code().expect("an exit code"),
        out: String::from_utf8(output.stdout).expect("UTF-8"),
        err: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// Runs a command over both; both print the same, which it returns.
#[track_caller]
fn same(place: &Place, arguments: &[&str], input: &str) -> Run {
    let [stack, merged] = ["stack", "merged"].map(|folder| run_in(place, folder, arguments, input));
    let is_same = (stack.code, &stack.out, &stack.err) == (merged.code, &merged.out, &merged.err);
    let lines = stack.out.lines().zip(merged.out.lines()).find(|(stack, merged)| stack != merged);
    assert!(is_same, "{arguments:?}: {lines:?}, {:?}, {:?}", stack.err, merged.err);
    assert!(stack.code < 2, "{arguments:?}: {}", stack.err);
    stack
}

/// The sites of the merged image, as `inspect --site` takes them.
fn sites(place: &Place) -> Vec<String> {
    let tables = run_in(place, "merged", &["export", "crawl", "--to", "../sites", "--format", "jsonl"], "");
    tables.ok();
    let lines = fs::read_to_string(place.path("sites/sites.jsonl")).expect("a table");
    let site = |line: &str| {
        let row: Value = serde_json::from_str(line).expect("JSON");
        row["site"].as_str().expect("a site").to_owned()
    };
    lines.lines().map(site).collect()
}

fn urls(place: &Place) -> String {
    let paths = ["/", "/zebra", "/mule/1", "/0", "/1", "/2", "/x", "/a?utm=1", "/robots.txt", "/%7ea"];
    let sites = sites(place);
    let urls = sites.iter().flat_map(|site| {
        let site = if site.contains("://") { site.clone() } else { format!("https://{site}") };
        paths.map(|path| format!("{site}{path}\n"))
    });
    urls.collect::<String>() + "https://unheard.example/\nHTTPS://Plain.Example:443/2\n"
}

#[test]
fn questions_have_the_answers_of_the_merged_image() {
    let place = place();
    let urls = urls(&place);
    let agents = ["zebra", "aardvark", "mule", "GPTBot", "*", "mule, zebra"];
    let mut allowed = std::collections::BTreeSet::new();
    for agent in agents {
        for usage in ["crawl", "index", "ai-train", "zebra", "search"] {
            let question = ["query", "crawl", "--agent", agent, "--usage", usage, "--json"];
            same(&place, &question, &urls);
            same(&place, &[&question[..], &["--named-only", "--on-forbidden", "deny"]].concat(), &urls);
        }
        same(&place, &["query", "crawl", "--agent", agent], &urls);
        allowed.insert(same(&place, &["filter", "crawl", "--agent", agent], &urls).out);
        same(&place, &["visit", "crawl", "--agent", agent, "--now", "1715385600", "--json"], &urls);
        for url in urls.lines().step_by(17) {
            let question = ["explain", "crawl", "--agent", agent, url];
            same(&place, &question, "");
            same(&place, &[&question[..], &["--usage", "ai-train", "--json"]].concat(), "");
        }
    }
    assert!(allowed.len() > 1, "the crawlers differ");
    same(&place, &["canonical", "crawl"], &urls);
}

/// The number of a document is the image's own.
fn without_numbers(mut value: Value) -> Value {
    if let Some(site) = value.as_object_mut() {
        site.remove("document");
        if let Some(data_txt) = site.remove("data_txt") {
            site.insert("data_txt".to_owned(), without_numbers(data_txt));
        }
    }
    value
}

#[test]
fn sites_have_the_contents_of_the_merged_image() {
    let place = place();
    for site in sites(&place) {
        let arguments = ["inspect", "crawl", "--site", &site, "--json"];
        let [stack, merged] = ["stack", "merged"].map(|folder| {
            run_in(&place, folder, &arguments, "").json().into_iter().map(without_numbers).collect::<Vec<_>>()
        });
        assert_eq!(stack, merged, "{site}");
        assert_eq!(stack.len(), 1);
    }
    let [stack, merged] = ["stack", "merged"].map(|folder| {
        let run = run_in(&place, folder, &["inspect", "crawl", "--json"], "");
        run.json().remove(0)
    });
    for key in ["profile", "sites", "outcomes", "data_txt", "narrowed_to", "limits", "vocabulary"] {
        assert_eq!(stack[key], merged[key], "{key}");
    }
    assert_eq!((&stack["layers"], &merged["layers"]), (&Value::from(3), &Value::Null));
    let verified = same_keys(&place, &["verify", "crawl", "--texts", "--json"], &["ok", "sites", "profile"]);
    assert_eq!(verified["ok"], true);
}

fn same_keys(place: &Place, arguments: &[&str], keys: &[&str]) -> Value {
    let [stack, merged] =
        ["stack", "merged"].map(|folder| run_in(place, folder, arguments, "").json().remove(0));
    keys.iter().for_each(|key| assert_eq!(stack[key], merged[key], "{key}"));
    stack
}

/// The files of a directory, by name.
fn files(directory: PathBuf) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(directory)
        .expect("a directory")
        .map(|entry| {
            let entry = entry.expect("an entry");
            (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).expect("a file"))
        })
        .collect();
    files.sort();
    files
}

#[test]
fn tables_and_differences_are_those_of_the_merged_image() {
    let place = place();
    same(&place, &["export", "crawl", "--to", "tables", "--format", "csv", "--crawler", "mule"], "");
    let [stack, merged] = ["stack", "merged"].map(|folder| files(place.path(&format!("{folder}/tables"))));
    assert!(stack.len() > 3 && stack == merged);
    let older = place.path("stack/crawl/1.rimg");
    let older = older.to_str().expect("UTF-8");
    same(&place, &["diff", older, "crawl", "--json"], "");
    same(&place, &["diff", "crawl", older, "--to", "changes", "--format", "jsonl"], "");
    let [stack, merged] = ["stack", "merged"].map(|folder| files(place.path(&format!("{folder}/changes"))));
    assert!(stack.iter().any(|(_, content)| !content.is_empty()) && stack == merged);
    let nothing = place.run(&["diff", "stack/crawl", "merged/crawl", "--exit-code", "--json"]);
    assert_eq!((nothing.code, nothing.out.as_str()), (0, ""), "{nothing:?}");
}

#[test]
#[cfg(feature = "report")]
fn a_report_is_that_of_the_merged_image() {
    let place = place();
    same(&place, &["report", "crawl", "-o", "page.html", "--json"], "");
    let [stack, merged] = ["stack", "merged"]
        .map(|folder| fs::read(place.path(&format!("{folder}/page.html"))).expect("a page"));
    assert!(stack == merged);
}

#[test]
fn a_missing_layer_is_left_out_on_demand() {
    let place = place();
    let url = "https://plain.example/0";
    fs::remove_file(place.path("stack/crawl/2.rimg")).expect("a layer");
    place.run(&["query", "stack/crawl", url]).fails("2.rimg");
    place.run(&["verify", "stack/crawl"]).fails("2.rimg");
    let without = place.run(&["query", "stack/crawl", url, "--without-damaged-layers"]);
    assert!(without.err.contains("2.rimg is left out"), "{without:?}");
    without.ok();
    let damaged = place.path("stack/crawl/3/1.rimg");
    let mut bytes = fs::read(&damaged).expect("a shard");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x55;
    fs::write(damaged, bytes).expect("room");
    let without = place.run(&["filter", "stack/crawl", "--agent", "a", "--without-damaged-layers"]);
    assert!(
        without.err.contains("2.rimg is left out") && without.err.contains("3 is left out"),
        "{without:?}"
    );
    let alone = place.run(&["export", "stack/crawl", "--to", "rest", "--without-damaged-layers", "-q"]);
    assert_eq!(alone.err, "");
    alone.ok();
    // The result of a merge is an image of the rest.
    let merge = |options: &[&str]| {
        place.run(&[&["merge", "stack/crawl", "merged/crawl", "-o", "all.rimg", "--force"], options].concat())
    };
    merge(&[]).fails("2.rimg");
    let without = merge(&["--without-damaged-layers"]);
    for layer in ["stack/crawl/2.rimg is left out: ", "stack/crawl/3 is left out: "] {
        assert!(without.err.contains(layer), "{without:?}");
    }
    assert!(without.ok().starts_with("2 images merged: "));
    // A damaged image outside a stack, and a stack without a sound layer, are errors.
    place.write("damaged.rimg", fs::read(place.path("stack/crawl/3/1.rimg")).expect("a shard"));
    place.run(&["merge", "damaged.rimg", "-o", "b.rimg", "--without-damaged-layers"]).fails("damaged.rimg");
    fs::remove_file(place.path("stack/crawl/1.rimg")).expect("a layer");
    merge(&["--without-damaged-layers"]).fails("1.rimg");
}

/// Of a damaged stack, `verify` names the layer.
#[test]
fn damage_is_reported_with_its_layer() {
    let place = place();
    let damaged = place.path("stack/crawl/2.rimg");
    let mut bytes = fs::read(&damaged).expect("a layer");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x55;
    fs::write(damaged, bytes).expect("room");
    place.run(&["verify", "stack/crawl"]).fails("stack/crawl: layer 2.rimg: image damaged at byte");
    place.run(&["export", "stack/crawl", "--to", "all"]).fails("layer 2.rimg");
}
