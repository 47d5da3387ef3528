//! Commands about a whole image: `verify`, `inspect`, `bench`; and rules for all subcommands.

mod common;

use common::{Place, ROBOTS};
use std::process::Stdio;

#[test]
fn verify_says_ok_or_where() {
    let place = Place::with_image();
    assert!(place.run(&["verify", "i.rimg"]).ok().starts_with("ok: i.rimg: 6 sites, "));
    let json = &place.run(&["verify", "i.rimg", "--json"]).json()[0];
    let size = std::fs::metadata(place.path("i.rimg")).unwrap().len();
    let expected = serde_json::json!({ "image": "i.rimg", "ok": true, "sites": 6, "bytes": size, "profile": "full", "texts": false });
    assert_eq!(*json, expected);
    let mut bytes = std::fs::read(place.path("i.rimg")).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    place.write("bent.rimg", &bytes);
    place.run(&["verify", "bent.rimg"]).fails("image damaged at byte 0x");
    place.write("short.rimg", &bytes[..last]);
    for ask in [&["verify", "short.rimg"][..], &["inspect", "short.rimg"], &["query", "short.rimg", "x"]] {
        place.run(ask).fails("was it cut off while being copied?");
    }
}

#[test]
fn what_is_no_image_is_an_error() {
    let place = Place::with_image();
    place.write("empty", "");
    place.write("robots.txt", "User-agent: *\n");
    place.write("folder/robots.txt", "User-agent: *\n");
    for (file, what) in [
        ("missing", "missing"),
        ("empty", "empty: "),
        ("robots.txt", "robots.txt: is not an image; `check`"),
        ("folder", "folder: holds no file *.rimg"),
    ] {
        place.run(&["verify", file]).fails(what);
        place.run(&["query", file, "http://a/"]).fails(what);
        place.run(&["filter", file, "--agent", "a"]).fails(what);
        place.run(&["inspect", file]).fails(what);
        place.run(&["bench", file, "--queries", "robots.txt"]).fails(what);
    }
}

#[test]
fn inspect_counts() {
    let place = Place::with_image();
    let contents = &place.run(&["inspect", "i.rimg", "--json"]).json()[0];
    assert_eq!((&contents["sites"], &contents["crawlers"]), (&6.into(), &1.into()));
    assert_eq!(contents["text_bytes"], ROBOTS.len() + "User-agent: *\nDisallow: /x*y$\n".len());
    let outcomes = serde_json::json!({ "rules": 2, "unavailable": 3, "unreachable": 1 });
    assert_eq!(contents["outcomes"], outcomes);
    let size = std::fs::metadata(place.path("i.rimg")).unwrap().len();
    assert_eq!((&contents["image_bytes"], &contents["profile"]), (&size.into(), &"full".into()));
    let sections = contents["sections"].as_object().unwrap();
    assert_eq!((&sections["hosts"], &sections["fetches"]), (&128.into(), &(6 * 18).into()));
    assert_eq!(contents["limits"]["bytes"], 512_000);
    let text = place.run(&["inspect", "i.rimg"]).ok();
    assert!(text.contains("rules 2, unavailable 3, unreachable 1"), "{text}");
}

#[test]
fn inspect_shows_one_site() {
    let place = Place::with_image();
    let site = &place.run(&["inspect", "i.rimg", "--json", "--site", "a.example"]).json()[0];
    assert_eq!(site["site"], "https://a.example");
    assert_eq!(
        (&site["outcome"], &site["status"], &site["stale"]),
        (&"rules".into(), &200.into(), &true.into())
    );
    assert_eq!((&site["fetched_at"], &site["fresh_for"]), (&"2024-05-11T00:00:00Z".into(), &86_400.into()));
    assert_eq!(site["sitemaps"], serde_json::json!(["https://a.example/s.xml"]));
    assert_eq!(site["groups"][1]["agents"], serde_json::json!(["gptbot"]));
    assert_eq!(site["groups"][0]["extensions"][0]["value"], "2.5");
    let text = place.run(&["inspect", "i.rimg", "--site", "https://down.example/x"]).ok();
    assert!(text.contains("outcome     unreachable\nstatus      503\n"), "{text}");
    place.run(&["inspect", "i.rimg", "--site", "z.example"]).fails("z.example");
}

#[test]
fn inspect_lists_rules() {
    let place = Place::with_image();
    let rules: String = (1..=25).map(|n| format!("Disallow: /{n}\n")).collect();
    place.write("long.example", format!("User-agent: *\n{rules}\nUser-agent: b\nAllow: /b\n"));
    place.run(&["compile", "long.example", "-o", "long.rimg"]).ok();
    let show = |arguments: &[&str]| {
        place.run(&[&["inspect", "long.rimg", "--site", "long.example"], arguments].concat())
    };
    let text = show(&[]).ok();
    let listed = "line 21: disallow crawl /20\n            and 5 more; --rules lists them all\ngroup       b: 1 rule\n";
    assert!(text.contains(listed) && text.ends_with("line 29: allow crawl /b\n"), "{text}");
    let text = show(&["--rules"]).ok();
    assert!(text.contains("line 26: disallow crawl /25\ngroup       b") && !text.contains("more;"), "{text}");
    let site = &show(&["--json"]).json()[0];
    assert_eq!(site["groups"][0]["fields"].as_array().unwrap().len(), 25);
    assert_eq!(site["groups"][0]["fields"][0]["pattern"], "/1");
    place.run(&["inspect", "long.rimg", "--rules"]).fails("--site");
}

#[test]
fn bench_measures_what_agrees() {
    let place = Place::with_image();
    let urls =
        "https://a.example/private\nGPTBot\thttps://a.example/x\nhttps://z.example/\nhttps://gone.example/\n";
    place.write("urls.txt", format!("\u{feff}{urls}"));
    let results = &place.run(&["bench", "i.rimg", "--queries", "urls.txt", "--json"]).json()[0];
    for key in ["site_resolved", "full_url", "batch", "lookups_per_second"] {
        assert!(results[key].as_f64().unwrap() > 0.0, "{key}");
    }
    assert_eq!((&results["queries"], &results["unknown_sites"]), (&3.into(), &1.into()));
    assert!(place.run_with(&["bench", "i.rimg", "--queries", "-"], urls).ok().contains("site_resolved"));
    place.run(&["bench", "i.rimg", "--queries", "missing"]).fails("missing");
    place.run_with(&["bench", "i.rimg", "--queries", "-"], "https://z.example/").fails("no query");
    place.run(&["bench", "i.rimg", "--queries", "urls.txt", "--rounds", "3"]).fails("--rounds");
}

#[test]
fn a_closed_pipe_is_no_error() {
    let place = Place::with_image();
    place.write("urls.txt", "https://a.example/private/x\n".repeat(200_000));
    let runs: [&[&str]; 5] = [
        &["query", "i.rimg"],
        &["query", "i.rimg", "--json"],
        &["filter", "i.rimg", "--agent", "x", "-v"],
        &["inspect", "i.rimg"],
        &["--help"],
    ];
    for arguments in runs {
        let urls = std::fs::File::open(place.path("urls.txt")).unwrap();
        let mut child = place.command(arguments).stdin(Stdio::from(urls)).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let place = Place::with_image();
    for arguments in [&["inspect", "i.rimg"][..], &["query", "i.rimg", "https://a.example/"], &["--help"]] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output = place.command(arguments).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(String::from_utf8(output.stderr).unwrap().contains("cannot write results"), "{arguments:?}");
    }
}

#[test]
fn help_and_version_are_printed() {
    let place = Place::new();
    assert!(place.run(&["--help"]).ok().contains("Exit codes"));
    assert!(place.run(&["--version"]).ok().starts_with("robomaton 0."));
    place.run(&["nonsense"]).fails("nonsense");
    place.run(&["query", "--nonsense"]).fails("--nonsense");
    assert_eq!(place.run(&[]).code, 2);
}

#[cfg(unix)]
#[test]
fn an_image_of_any_name_is_verified() {
    use std::os::unix::ffi::OsStrExt;
    let place = Place::with_image();
    let name = std::ffi::OsStr::from_bytes(b"bad\xff.rimg");
    std::fs::copy(place.path("i.rimg"), place.path("").join(name)).expect("a copy");
    let out = place.command(&["verify", "--json"]).arg(name).output().expect("a run");
    let told: serde_json::Value = serde_json::from_slice(&out.stdout).expect("JSON");
    assert_eq!((&told["image"], &told["ok"]), (&"bad\u{fffd}.rimg".into(), &true.into()));
}

#[test]
fn threads_and_shards_have_a_limit() {
    let place = Place::with_image();
    for command in [["compile", "captures.jsonl"], ["merge", "i.rimg"]] {
        let arguments = [&command[..], &["-o", "o.rimg", "--threads", "257"]].concat();
        place.run(&arguments).fails("257 is not in 0..=256");
        place.run(&[&arguments[..4], &["--threads", "256"]].concat()).ok();
        for shards in ["0", "256"] {
            let run = place.run(&[&arguments[..4], &["--shards", shards]].concat());
            run.fails(&format!("{shards} is not in 1..=255"));
        }
    }
}
