//! `compile`: input formats, the summary, and the placement of the image.

mod common;

use common::{Place, ROBOTS};
use std::io::Write;

/// One WARC response record.
fn record(url: &str, date: &str, status: &str, body: &str) -> String {
    let http = format!("HTTP/1.1 {status}\r\nContent-Type: text/plain\r\n\r\n{body}");
    format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: {date}\r\n\
         Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{http}\r\n\r\n",
        http.len()
    )
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).expect("memory");
    encoder.finish().expect("memory")
}

#[test]
fn every_form_of_input_is_read() {
    let place = Place::new();
    place.write("dir/a.example.txt", ROBOTS);
    place.write("dir/sub/b.example", "User-agent: *\nDisallow: /b\n");
    let old = record(
        "https://w.example/robots.txt",
        "2024-01-01T00:00:00Z",
        "200 OK",
        "User-agent: *\nDisallow: /\n",
    );
    let new = record(
        "https://w.example/robots.txt",
        "2024-02-01T00:00:00Z",
        "200 OK",
        "User-agent: *\nDisallow: /w\n",
    );
    place.write("c.warc", format!("{new}{old}"));
    place.write(
        "d.warc.gz",
        [gzip(&record("http://d.example/robots.txt", "2024-01-01T00:00:00Z", "404 N", ""))].concat(),
    );
    let line = r#"{"url": "https://e.example/robots.txt", "body": "User-agent: *\nDisallow: /e\n"}"#;
    let inputs = ["compile", "dir", "c.warc", "d.warc.gz", "-", "-o", "i.rimg", "--json"];
    let run = place.run_with(&inputs, line);
    let summary = &run.json()[0];
    assert_eq!((&summary["captures"], &summary["sites"]), (&6.into(), &5.into()), "{run:?}");
    assert_eq!(summary["outcomes"], serde_json::json!({ "rules": 4, "unavailable": 1 }));
    let urls = "http://a.example/private\nhttps://b.example/b\nhttps://w.example/w\nhttps://w.example/x\n\
        http://d.example/\nhttps://e.example/e\n";
    let out = place.run_with(&["query", "i.rimg"], urls).ok();
    let verdicts: Vec<_> = out.lines().map(|line| line.split('\t').next().unwrap()).collect();
    assert_eq!(verdicts, ["disallowed", "disallowed", "disallowed", "allowed", "allowed", "disallowed"]);
}

#[test]
fn the_summary_has_every_key() {
    let place = Place::new();
    place.write("a.example", ROBOTS);
    let summary = &place.run(&["compile", "a.example", "-o", "i.rimg", "--json", "--threads", "1"]).json()[0];
    let keys = [
        "captures",
        "sites",
        "outcomes",
        "captured_bytes",
        "distinct_bodies",
        "distinct_bytes",
        "documents",
        "text_bytes",
        "rules",
        "policies",
        "programs",
        "image_bytes",
        "hot_bytes",
        "sections",
        "seconds",
        "skipped",
        "cut_sites",
        "over_limit",
    ];
    for key in keys {
        assert!(!summary[key].is_null(), "{key}");
    }
    assert_eq!(summary["image_bytes"], std::fs::metadata(place.path("i.rimg")).unwrap().len());
    assert_eq!(summary["text_bytes"], ROBOTS.len());
    let sections = summary["sections"].as_object().unwrap();
    assert!(sections["programs"].as_u64().unwrap() > 0 && sections.contains_key("sources"));
    let text = place.run(&["compile", "a.example", "-o", "i.rimg"]).ok();
    assert!(text.lines().any(|line| line.starts_with("captures") && line.ends_with(" 1")), "{text}");
}

#[test]
fn bad_records_are_told_and_skipped() {
    let place = Place::new();
    place.write("dir/README", "not a host");
    place.write("dir/a.example", ROBOTS);
    place.write("x.jsonl", "{oops\n{\"url\": \"ftp://x/robots.txt\", \"body\": \"\"}\n");
    let run = place.run(&["compile", "dir", "x.jsonl", "-o", "i.rimg", "--json"]);
    assert_eq!(run.json()[0]["skipped"], serde_json::json!({ "file-name": 1, "json": 1, "url": 1 }));
    assert_eq!(run.err.matches("robomaton: skipped ").count(), 3, "{run:?}");
    assert!(run.err.contains("x.jsonl:1: bad JSON line"), "{run:?}");
    // A file has no line number.
    assert!(run.err.contains("README: the file name"), "{run:?}");
    assert_eq!(run.code, 0);
}

#[cfg(unix)]
#[test]
fn strangers_do_not_control_the_terminal() {
    let place = Place::new();
    place.write("dir/\u{1b}]0;mine\u{7}\nREADME", "not a host");
    let text = "User-agent: *\nDisallow: /\u{1b}[2m\nCrawl-delay: \u{1b}[3m\nSitemap: \u{1b}[4m\n";
    place.write("dir/a.example", text);
    let run = place.run(&["compile", "dir", "-o", "i.rimg"]);
    assert!(run.err.contains(r"skipped dir/\u{1b}]0;mine\u{7} README"), "{run:?}");
    let site = place.run(&["inspect", "i.rimg", "--site", "a.example", "--rules"]).ok();
    assert!(site.matches(r"\u{1b}[").count() == 2, "{site}");
    assert!(!(run.err + &site).contains(|c: char| c.is_control() && c != '\n'), "{site}");
}

#[test]
fn over_a_limit_is_reported_and_can_be_raised() {
    let place = Place::new();
    place.write("a.example", ROBOTS);
    let compile =
        |limit| place.run(&["compile", "a.example", "-o", "i.rimg", "--json", "--max-rules", limit]);
    let low = compile("3");
    assert_eq!(low.json()[0]["over_limit"][0]["site"], "a.example");
    assert_eq!(
        place.run(&["query", "i.rimg", "http://a.example/x"]).ok(),
        "disallowed\thttp://a.example/x\n"
    );
    let high = compile("300");
    assert_eq!(high.json()[0]["over_limit"], serde_json::json!([]));
    assert_eq!(place.run(&["query", "i.rimg", "http://a.example/x"]).ok(), "allowed\thttp://a.example/x\n");
}

#[test]
fn texts_that_are_cut_are_named() {
    let place = Place::new();
    let text = "User-agent: *\nDisallow: /first\nDisallow: /second\n";
    for n in 0..25 {
        place.write(&format!("dir/a{n:02}.example"), text);
    }
    place.write("dir/b.example", "User-agent: *\nDisallow: /b\n");
    let compile =
        |more: &[&str]| place.run(&[&["compile", "dir", "-o", "i.rimg", "--max-bytes", "40"], more].concat());
    assert!(compile(&[]).err.contains("25 sites with a text longer than --max-bytes"));
    let table = compile(&["--verbose"]).ok();
    assert!(table.contains("cut                         1  texts longer"), "{table}");
    assert!(
        table.contains("\n  a00.example\n") && table.contains("\n  a19.example\n  and 5 more"),
        "{table}"
    );
    let show = |site| place.run(&["inspect", "i.rimg", "--site", site]).ok();
    assert!(show("a03.example").contains("\ncut         the text is longer than 40 bytes"));
    assert!(!show("b.example").contains("\ncut"));
    let told = |site| place.run(&["inspect", "i.rimg", "--json", "--site", site]).json()[0].clone();
    assert_eq!((&told("a03.example")["cut"], &told("b.example")["cut"]), (&true.into(), &false.into()));
    let summary = &compile(&["--json", "--no-sources"]).json()[0];
    assert_eq!(summary["cut_sites"].as_array().unwrap().len(), 25);
    assert!(told("a03.example")["cut"].is_null());
}

#[test]
fn only_the_crawlers_asked_for_are_kept() {
    let place = Place::new();
    place.write(
        "a.example",
        "User-agent: a\nDisallow: /\nUser-agent: b\nDisallow: /\nUser-agent: *\nDisallow: /s\n",
    );
    place.run(&["compile", "a.example", "-o", "i.rimg", "--crawler", "B"]).ok();
    let ask = |agent| place.run(&["query", "i.rimg", "--agent", agent, "http://a.example/"]).ok();
    // Removed crawlers have no answer, in particular not that of the default group.
    assert!(ask("a").starts_with("unknown"));
    assert!(ask("*").starts_with("allowed"));
    assert!(ask("b").starts_with("disallowed"));
    let explained = place.run(&["explain", "i.rimg", "--agent", "a", "http://a.example/"]).ok();
    assert!(explained.contains("narrowed to other crawlers"), "{explained}");
    assert!(place.run(&["explain", "i.rimg", "--agent", "b", "http://a.example/"]).ok().contains("decides"));
}

#[test]
fn profiles_differ() {
    let place = Place::new();
    place.write("a.example", "User-agent: *\nDisallow: /\nAllow: /x\n");
    for (profile, verdict) in
        [("full", "allowed"), ("rfc9309", "allowed"), ("google", "allowed"), ("koster", "disallowed")]
    {
        place.run(&["compile", "a.example", "-o", "i.rimg", "--profile", profile]).ok();
        let out = place.run(&["query", "i.rimg", "http://a.example/x"]).ok();
        assert!(out.starts_with(&format!("{verdict}\t")), "{profile}");
    }
    place.run(&["compile", "a.example", "-o", "i.rimg", "--profile", "x"]).fails("--profile");
}

#[test]
fn the_image_is_the_same_from_any_number_of_threads() {
    let place = Place::new();
    for n in 0..200 {
        place.write(&format!("dir/h{n}.example"), format!("User-agent: *\nDisallow: /{}\n", n % 17));
    }
    place.run(&["compile", "dir", "-o", "one.rimg", "--threads", "1"]).ok();
    place.run(&["compile", "dir", "-o", "two.rimg", "--threads", "2"]).ok();
    assert!(std::fs::read(place.path("one.rimg")).unwrap() == std::fs::read(place.path("two.rimg")).unwrap());
}

#[test]
fn an_image_is_not_replaced_by_an_empty_one() {
    let place = Place::with_image();
    std::fs::create_dir(place.path("dir")).unwrap();
    let before = std::fs::read(place.path("i.rimg")).unwrap();
    place.run(&["compile", "dir", "-o", "i.rimg"]).fails("no capture");
    assert!(before == std::fs::read(place.path("i.rimg")).unwrap());
    place.run(&["compile", "dir", "-o", "new.rimg"]).fails("--allow-empty");
    assert!(!place.path("new.rimg").exists());
    // Skipped records are reported first, since they are the reason.
    place.write("dir/README", "not a host");
    let run = place.run(&["compile", "dir", "-o", "i.rimg"]);
    assert!(run.code == 2 && run.err.starts_with("robomaton: skipped dir/README: "), "{run:?}");
    let run = place.run(&["compile", "dir", "-o", "i.rimg", "--allow-empty"]);
    assert!(run.code == 0 && run.err.contains("the image is empty"), "{run:?}");
    assert!(place.run(&["verify", "i.rimg"]).ok().contains("0 sites"));
    assert_eq!(place.run(&["query", "i.rimg", "http://a/"]).ok(), "unknown\thttp://a/\n");
}

/// An image that is made in the directory of its inputs is none of them.
#[test]
fn what_is_in_the_making_is_no_input() {
    let place = Place::new();
    std::fs::create_dir(place.path("dir")).unwrap();
    place.write("dir/a.example.txt", "User-agent: *\nDisallow: /\n");
    let run = place.run(&["compile", "dir", "-o", "dir/i.rimg"]);
    assert!(run.code == 0 && !run.err.contains("skipped dir/"), "{run:?}");
}

#[test]
fn a_failed_run_leaves_the_old_image_and_nothing_else() {
    let place = Place::with_image();
    let before = std::fs::read(place.path("i.rimg")).unwrap();
    place.run(&["compile", "missing.warc", "-o", "i.rimg"]).fails("missing.warc");
    assert!(before == std::fs::read(place.path("i.rimg")).unwrap());
    let nowhere = place.run(&["compile", "captures.jsonl", "-o", "no/such/i.rimg"]);
    nowhere.fails("cannot write no/such/i.rimg: ");
    // The temporary file is not shown to the user.
    assert!(!nowhere.err.contains(".part"), "{nowhere:?}");
    place.run(&["compile", "captures.jsonl", "-o", "."]).fails("is a directory");
    place.run(&["compile", "captures.jsonl"]).fails("--output");
    place.run(&["compile", "-o", "i.rimg"]).fails("INPUT");
    let mut names: Vec<_> =
        std::fs::read_dir(place.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["captures.jsonl", "i.rimg"]);
}

#[cfg(unix)]
#[test]
fn what_a_link_points_to_is_replaced() {
    let place = Place::with_image();
    std::os::unix::fs::symlink("i.rimg", place.path("link")).unwrap();
    place.write("a.example", ROBOTS);
    place.run(&["compile", "a.example", "-o", "link"]).ok();
    assert!(std::fs::symlink_metadata(place.path("link")).unwrap().is_symlink());
    assert!(place.run(&["verify", "i.rimg"]).ok().contains("1 site,"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_pipe_is_written_into() {
    let place = Place::with_image();
    let output = place.command(&["compile", "captures.jsonl", "-o", "/proc/self/fd/1"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stdout.starts_with(&std::fs::read(place.path("i.rimg")).unwrap()));
}

#[test]
fn the_summary_is_four_lines() {
    let place = Place::new();
    place.write("dir/a.example", ROBOTS);
    place.write("dir/README", "not a host");
    let compile = |more: &[&str]| place.run(&[&["compile", "dir", "-o", "i.rimg"], more].concat()).ok();
    let summary = compile(&[]);
    let names: Vec<_> = summary.lines().map(|line| line[..16].trim_end()).collect();
    assert_eq!(names, ["captures", "sites", "image bytes", "skipped"]);
    assert!(summary.ends_with("           1  file-name 1\n"), "{summary}");
    let all = compile(&["--verbose"]);
    assert!(all.lines().count() > 20 && all.contains("\nseconds "), "{all}");
    let quiet = place.run(&["compile", "dir", "-o", "i.rimg", "--quiet"]);
    assert_eq!((quiet.out, quiet.err.as_str()), (summary, ""));
}

#[test]
fn images_are_no_captures() {
    let place = Place::with_image();
    let image = std::fs::read(place.path("i.rimg")).unwrap();
    place.write("packed.gz", {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(&image).unwrap();
        encoder.finish().unwrap()
    });
    place.write("list", "captures.jsonl\ni.rimg\n");
    place.write("named.example", &image);
    for input in ["i.rimg", "packed.gz", "@list", "named.example"] {
        let run = place.run(&["compile", input, "-o", "x.rimg"]);
        run.fails("is an image, not captures; `robomaton merge` joins images");
        assert!(!place.path("x.rimg").exists());
    }
    let run = place.run_with(&["compile", "-", "-o", "x.rimg"], &image);
    assert!(run.code == 2 && run.err.starts_with("robomaton: skipped -: is an image"), "{run:?}");
    // In a directory or an archive it is not a named input: the others are read.
    place.write("dir/old.rimg", &image);
    place.write("dir/site.example", &image);
    place.write("dir/packed.rimg.gz", std::fs::read(place.path("packed.gz")).unwrap());
    place.write("dir/a.example", ROBOTS);
    let tar = std::process::Command::new("tar")
        .args(["-C", "dir", "-cf", "all.tar", "."])
        .current_dir(place.path(""))
        .status();
    assert!(tar.unwrap().success());
    for input in ["dir", "all.tar"] {
        let run = place.run(&["compile", input, "-o", "x.rimg", "--json"]);
        let summary = &run.json()[0];
        assert_eq!(
            (&summary["sites"], &summary["skipped"]),
            (&1.into(), &serde_json::json!({ "image": 3 })),
            "{run:?}"
        );
        assert_eq!(run.err.matches(": is an image, not captures").count(), 3, "{run:?}");
    }
}

#[test]
fn files_that_look_like_something_else_are_no_sites() {
    let place = Place::new();
    let others: [(&str, &[u8]); 7] = [
        ("README.md", b"# A project\n\nIt has a robots.txt:\n\n    User-agent: *\n\nand more.\n"),
        ("service.md", b""),
        ("blocked.sql", b"select * from sites;\n"),
        ("report.png", b"\x89PNG\r\n\x1a\n"),
        ("robomaton-0.1.0-cp39-abi3-manylinux_2_34_x86_64.whl", b"PK\x03\x04"),
        ("notes.txt", b"to do: write\n"),
        ("main.rs", b"fn main() {}\n"),
    ];
    for (name, content) in others {
        place.write(&format!("dir/{name}"), content);
    }
    let robots = "User-agent: *\nDisallow: /x\n";
    let sites = [
        "example.com.txt",
        "example.md",
        "site.sh",
        "foo.py",
        "x.rs",
        "y.zip",
        "intranet.txt",
        "www.gov.rs",
        "a.md.txt",
    ];
    for name in sites {
        place.write(&format!("dir/{name}"), robots);
    }
    // These names are clearly hosts: an empty file, and a page, are what the site answered.
    place.write("dir/empty.example", "");
    place.write("dir/www.page.rs", "<html>");
    place.write("dir/empty.md.txt", "");
    let run = place.run(&["compile", "dir", "-o", "i.rimg", "--json"]);
    let summary = &run.json()[0];
    assert_eq!(summary["skipped"], serde_json::json!({ "no-robots": 7 }), "{run:?}");
    assert_eq!(
        summary["outcomes"],
        serde_json::json!({ "rules": 9, "empty": 2, "not-robots": 1 }),
        "{run:?}"
    );
    assert!(
        run.err.contains("skipped dir/README.md: looks like a .md file, not like a robots.txt\n"),
        "{run:?}"
    );
    assert!(
        run.err.contains("skipped dir/notes.txt: looks like some other text, not like a robots.txt\n"),
        "{run:?}"
    );
    assert!(
        run.err.ends_with("--any-name compiles files that do not look like a robots.txt, too\n"),
        "{run:?}"
    );
    let urls = "http://example.md/x\nhttps://y.zip/x\nhttp://readme.md/\nhttp://intranet/x\n";
    let out = place.run_with(&["query", "i.rimg"], urls).ok();
    let verdicts: Vec<_> = out.lines().map(|line| line.split('\t').next().unwrap()).collect();
    assert_eq!(verdicts, ["disallowed", "disallowed", "unknown", "disallowed"]);
    let all = &place.run(&["compile", "dir", "-o", "i.rimg", "--json", "--any-name"]).json()[0];
    assert_eq!((&all["sites"], &all["skipped"]), (&19.into(), &serde_json::json!({})));
    // Only such files are an empty input.
    place.write("docs/README.md", "# A project\n");
    let run = place.run(&["compile", "docs", "-o", "d.rimg"]);
    assert!(run.code == 2 && run.err.contains("no capture of a robots.txt"), "{run:?}");
}
