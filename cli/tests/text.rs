//! What asks a robots.txt: `check`, `explain`, `lint`, `dump`.

mod common;

use common::{Place, ROBOTS};

fn place() -> Place {
    let place = Place::new();
    place.write("robots.txt", ROBOTS);
    place
}

#[test]
fn check_answers_by_exit_code() {
    let place = place();
    let check = |agent, url| {
        let run = place.run(&["check", "robots.txt", agent, url]);
        (run.code, run.out)
    };
    assert_eq!(check("x", "https://a.example/"), (0, "allowed\thttps://a.example/\n".to_owned()));
    assert_eq!(
        check("x", "https://a.example/private"),
        (1, "disallowed\thttps://a.example/private\n".to_owned())
    );
    assert_eq!(check("GPTBot", "/any").0, 1);
    assert_eq!(check("none,gptbot", "/any").0, 1);
    assert_eq!(check("none", "/equal").0, 0);
    assert_eq!(check("gptbot", "/robots.txt").0, 0);
    assert_eq!(check("gptbot", "").0, 1);
    assert_eq!(place.run_with(&["check", "-", "x", "/"], "User-agent: *\nDisallow: /").code, 1);
    assert_eq!(place.run_with(&["check", "-", "x", "/"], "").code, 0);
    assert_eq!(place.run(&["check", "--max-rules", "1", "robots.txt", "x", "/"]).code, 1);
    place.run(&["check", "missing", "x", "/"]).fails("missing");
    place.run(&["check", "robots.txt", "x", "nowhere"]).fails("nowhere");
    place.run(&["check", "robots.txt", "x", "ftp://a.example/"]).fails("ftp");
    place.run(&["check", "robots.txt", "x"]).fails("<URL>");
}

#[test]
fn check_knows_profiles_and_origins() {
    let place = place();
    let code =
        |profile, text: &str, url| place.run_with(&["check", "--profile", profile, "-", "x", url], text).code;
    let absolute = "User-agent: *\nDisallow: https://a.example/x\n";
    assert_eq!(code("full", absolute, "https://a.example/x"), 1);
    assert_eq!(code("full", absolute, "https://b.example/x"), 0);
    let order = "User-agent: *\nDisallow: /\nAllow: /x\n";
    assert_eq!((code("full", order, "/x"), code("koster", order, "/x")), (0, 1));
    // Google's parser takes the path out of anything.
    assert_eq!(code("google", order, "nowhere/x"), 0);
    assert_eq!(code("google", order, "nowhere"), 1);
}

#[test]
fn explain_tells_groups_matches_and_reasons() {
    let place = Place::with_image();
    place.write("robots.txt", ROBOTS);
    for source in ["i.rimg", "robots.txt"] {
        let explain = |agent, url| place.run(&["explain", source, "--agent", agent, url]).ok();
        let out = explain("x", "https://a.example/private/open/1");
        assert!(out.contains("no group names the crawler"), "{out}");
        assert!(out.contains("line 2     Disallow: /private    rank 8\n"), "{out}");
        assert!(out.contains("line 3     Allow: /private/open  rank 13  <- decides\n"), "{out}");
        assert!(
            out.ends_with(
                "verdict  allowed: line 3 has the longest pattern of the 2 that match, 13 octets\n"
            ),
            "{out}"
        );
        let out = explain("x", "https://a.example/equal");
        assert!(
            out.contains("line 5 is as long as line 4, and of equal length the permission wins"),
            "{out}"
        );
        let out = explain("GPTBot/2", "https://a.example/");
        assert!(out.contains("those that name \"gptbot\"") && out.contains("only rule"), "{out}");
        let out = explain("GPTBot", "https://a.example/robots.txt");
        assert!(out.contains("allowed: /robots.txt itself"), "{out}");
    }
    let out = place.run(&["explain", "i.rimg", "--agent", "x", "https://gone.example/"]).ok();
    assert!(out.contains("unavailable, status 404") && out.contains("verdict  allowed"), "{out}");
    let out = place.run(&["explain", "i.rimg", "--agent", "x", "https://z.example/"]).ok();
    assert!(out.contains("unknown: the image does not hold the site"), "{out}");
}

#[test]
fn explain_in_json() {
    let place = place();
    let ask = ["explain", "robots.txt", "--agent", "gptbot", "--usage", "index", "--json", "/drafts/1"];
    let story = &place.run(&ask).json()[0];
    assert_eq!(
        (&story["verdict"], &story["choice"], &story["name"]),
        (&"disallowed".into(), &"named".into(), &"gptbot".into())
    );
    let expected = serde_json::json!([
        { "line": 10, "rule": "Noindex: /drafts", "permits": false, "rank": 7, "wins": true }
    ]);
    assert_eq!(story["matches"], expected);
    let story =
        &place.run(&["explain", "robots.txt", "--agent", "x", "--usage", "train", "--json", "/"]).json()[0];
    assert_eq!((&story["verdict"], &story["basis"]), (&"unknown".into(), &"unspoken".into()));
    assert_eq!(story["line"], serde_json::Value::Null);
    place.run(&["explain", "missing", "--agent", "x", "/"]).fails("missing");
}

#[test]
fn lint_draws_carets() {
    let place = place();
    assert_eq!(place.run(&["lint", "robots.txt"]).ok(), "robots.txt: 0 errors, 0 warnings, 0 notes\n");
    place.write("notes.txt", "User-agent: a\nDisallow:\nUser-agent: A\nDisallow:\n");
    let run = place.run(&["lint", "notes.txt"]);
    assert!(run.code == 0 && run.out.contains("first seen here"), "{run:?}");
    place.write("bad.txt", b"User-agent: caf\xe9 x\nDisalow: /\rAllow: y\n");
    let run = place.run(&["lint", "robots.txt", "bad.txt"]);
    assert_eq!(run.code, 1);
    let expected = "\
warning[misspelled-key]: `Disalow` is read as `Disallow`
 --> bad.txt:2:1
  |
2 | Disalow: /
  | ^^^^^^^
";
    assert!(run.out.contains(expected), "{}", run.out);
    assert!(run.out.contains("3 | Allow: y\n  |        ^\n"), "{}", run.out);
    place.run(&["lint", "missing"]).fails("missing");
    place.run(&["lint"]).fails("FILE");
}

#[test]
fn lint_in_json() {
    let place = place();
    let run = place.run_with(&["lint", "--json", "-"], "Allow: /\nUser-agent: a\nUser-agent: a\nAllow: /");
    assert_eq!(run.code, 1);
    let found = run.json();
    let expected = serde_json::json!({
        "file": "-", "line": 1, "column": 1, "start": 0, "end": 8, "severity": "error", "code": "rule-before-group",
        "rule": "R8", "message": "a rule before any user-agent line; it is ignored", "second": null,
    });
    assert_eq!(found[0], expected);
    assert_eq!((&found[1]["code"], &found[1]["second"]["line"]), (&"repeated-agent".into(), &2.into()));
    let run = place.run(&["lint", "--json", "--max-rules", "2", "robots.txt"]);
    assert_eq!((run.code, run.json()[0]["line"].clone()), (1, 4.into()));
    assert_eq!(run.json()[0]["code"], "over-limit");
}

#[test]
fn lint_survives_anything() {
    let place = Place::new();
    let long = format!(
        "User-agent: *\nfoo{}: \u{7}\nDisallow: {}x",
        "\0".repeat(100_000),
        "\u{fffd}é\t".repeat(50_000)
    );
    for text in
        [&b""[..], b"\n", b"\xef\xbb", b"\xef\xbb\xbf", b"\xff\xfe\n\0", b":", b"\r\r: \r", long.as_bytes()]
    {
        let run = place.run_with(&["lint", "-"], text);
        assert!(run.code < 2, "{:?} {}", &text[..text.len().min(9)], run.err);
        let run = place.run_with(&["lint", "-", "--max-bytes", "5"], text);
        assert!(run.code < 2, "{:?} {}", &text[..text.len().min(9)], run.err);
    }
}

#[test]
fn colours_are_chosen() {
    let place = place();
    place.write("bad.txt", "oops\n");
    let lint = |more: &[&str]| place.run(&[&["lint", "bad.txt"], more].concat()).out.contains('\u{1b}');
    assert!(!lint(&[]) && !lint(&["--color", "never"]) && lint(&["--color=always"]));
    let output = place.command(&["lint", "bad.txt"]).env("NO_COLOR", "1").output().unwrap();
    assert!(!output.stdout.contains(&0x1b));
    assert!(place.run(&["--color", "always", "--help"]).ok().contains('\u{1b}'));
    assert!(!place.run(&["--color", "never", "--help"]).ok().contains('\u{1b}'));
    place.run(&["lint", "bad.txt", "--color", "pink"]).fails("pink");
}

#[test]
fn dump_shows_every_stage() {
    let place = Place::with_image();
    place.write("robots.txt", ROBOTS);
    let dump = |stage, file| place.run(&["dump", stage, file]).ok();
    assert!(dump("tree", "robots.txt").starts_with("source: "));
    assert!(dump("policy", "robots.txt").starts_with("policy, profile full\n"));
    assert!(dump("automaton", "robots.txt").starts_with("program 0, "));
    assert!(dump("image", "robots.txt").contains("site 0: localhost rules"));
    let image = dump("image", "i.rimg");
    assert!(image.contains("sites: 6\n") && image.contains("https://a.example rules, status 200"), "{image}");
    assert!(place.run(&["dump", "policy", "--profile", "koster", "robots.txt"]).ok().contains("koster"));
    place.run(&["dump", "tree", "i.rimg"]).fails("is an image");
    place.run(&["dump", "tree", "missing"]).fails("missing");
    place.run(&["dump", "leaf", "robots.txt"]).fails("leaf");
    place.run(&["dump", "policy", "--max-rules", "1", "robots.txt"]).fails("over the limit");
    place.run(&["check", "i.rimg", "x", "/"]).fails("is an image");
    place.run(&["lint", "i.rimg"]).fails("is an image");
}

#[test]
fn dumps_are_the_golden_files() {
    let golden = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden");
    let place = Place::new();
    let folders: Vec<_> = std::fs::read_dir(golden).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(!folders.is_empty());
    for folder in folders {
        let name = folder.to_str().unwrap();
        let profile =
            ["google", "koster"].into_iter().find(|profile| name.ends_with(profile)).unwrap_or("full");
        let file = folder.join("robots.txt");
        for stage in ["tree", "policy", "automaton"] {
            let site = "https://example.com";
            let dump = ["dump", stage, "--profile", profile, "--site", site, file.to_str().unwrap()];
            let kept = std::fs::read_to_string(folder.join(stage)).unwrap();
            assert_eq!(place.run(&dump).ok(), kept, "{name} {stage}");
        }
    }
}
