//! Commands about a robots.txt: `check`, `explain`, `dump`.

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
    place.run(&["check", "robots.txt", "gptbot", ""]).fails("the URL is empty");
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
    // Google's parser extracts a path from anything.
    assert_eq!(code("google", order, "nowhere/x"), 0);
    assert_eq!(code("google", order, "nowhere"), 1);
}

#[test]
fn check_asks_for_usages_and_takes_files() {
    let place = Place::new();
    place.write(
        "robots.txt",
        "ACAP-crawler: *\nACAP-allow-preserve: /a time-limit=3-days\nACAP-usage-purpose: news\n\
         ACAP-disallow-preserve: /a\nACAP-crawler: far\nACAP-permissions-reference: /far.txt\n",
    );
    place.write("far.txt", "ACAP-crawler: far\nACAP-disallow-index: /n\n");
    let check = |more: &[&str]| {
        let run = place.run(&[&["check", "robots.txt"], more].concat());
        (run.code, run.out)
    };
    assert_eq!(
        check(&["a", "/a", "--usage", "preserve"]),
        (1, "conditional\t/a\ntime-limit=3-days\n".to_owned())
    );
    let news = ["a", "/a", "--usage", "preserve", "--purpose", "news"];
    assert_eq!(check(&news), (1, "disallowed\t/a\n".to_owned()));
    let far = ["far", "/x", "--usage", "index"];
    let run = place.run(&[&["check", "robots.txt"], &far[..]].concat());
    assert_eq!((run.code, run.out.as_str()), (1, "disallowed\t/x\n"));
    assert!(run.err.contains("--with"), "{}", run.err);
    let with = ["--with", "/far.txt=far.txt"];
    assert_eq!(check(&[&far[..], &with].concat()), (0, "allowed\t/x\n".to_owned()));
    assert_eq!(check(&[&["far", "/n", "--usage", "index"], &with[..]].concat()).0, 1);
    let run = place.run(&["check", "robots.txt", "a", "/", "--with", "/no.txt=far.txt"]);
    assert!(run.code == 0 && run.err.contains("does not refer"), "{run:?}");
    place.run(&["check", "robots.txt", "a", "/", "--with", "far.txt"]).fails("far.txt");
    place.run(&["check", "robots.txt", "a", "/", "--with", "/far.txt=missing"]).fails("missing");
}

#[test]
fn explain_tells_groups_matches_and_reasons() {
    let place = Place::with_image();
    place.write("robots.txt", ROBOTS);
    for source in ["i.rimg", "robots.txt"] {
        let explain = |agent, url| place.run(&["explain", source, "--agent", agent, url]).ok();
        let out = explain("x", "https://a.example/private/open/1");
        assert!(out.contains("groups   no group names \"x\": the default\n"), "{out}");
        assert!(out.contains("line 2     Disallow: /private    rank 8\n"), "{out}");
        assert!(out.contains("line 3     Allow: /private/open  rank 13  <- decides\n"), "{out}");
        assert!(
            out.ends_with("verdict  allowed: line 3 has the longest pattern of the 2 that match, 13 bytes\n"),
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
    assert!(out.contains("unknown: the image does not contain the site"), "{out}");
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
        { "line": 10, "file": null, "page": null, "rule": "Noindex: /drafts", "permits": false, "rank": 7, "level": null,
          "fate": "decides", "wins": true, "written": "Noindex: /drafts" }
    ]);
    assert_eq!(story["matches"], expected);
    let story =
        &place.run(&["explain", "robots.txt", "--agent", "x", "--usage", "train", "--json", "/"]).json()[0];
    assert_eq!((&story["verdict"], &story["basis"]), (&"unknown".into(), &"unspoken".into()));
    assert_eq!(story["line"], serde_json::Value::Null);
    place.run(&["explain", "missing", "--agent", "x", "/"]).fails("missing");
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

#[test]
fn dump_shows_what_is_weighed() {
    let place = Place::new();
    place.write(
        "robots.txt",
        "ACAP-crawler: a\nACAP-usage-purpose: news\nACAP-disallow-mirror: /x\nACAP-crawler: *\n\
         ACAP-allow-index: /n time-limit=3-days\nACAP-crawler: far\nACAP-permissions-reference: /far.txt\n\
         User-agent: *\nDisallow: /\n",
    );
    place.write("far.txt", "ACAP-crawler: far\nACAP-disallow-index: /n\n");
    let dump = |stage, more: &[&str]| place.run(&[&["dump", stage, "robots.txt"], more].concat()).ok();
    let policy = dump("policy", &[]);
    for expected in
        [", ACAP): a, for news\n", "prohibit mirror /x\n", "/n, time-limit=3-days\n", ": far, incomplete\n"]
    {
        assert!(policy.contains(expected), "{expected} {policy}");
    }
    let with = ["--with", "/far.txt=far.txt"];
    assert!(dump("policy", &with).contains(": far, in /far.txt\n"));
    assert!(dump("automaton", &with).contains("scoped\n"));
    let image = dump("image", &[]);
    for expected in [
        "    a: scoped list at ",
        "      ACAP mirror, for news: program at ",
        "      to any crawler: scoped list at ",
        "        ACAP index: program at ",
        "    far: scoped list at ",
        "incomplete",
        "scopes:\n  scope at 0x0: 3 patterns",
        "further usages: 1\n  usage 25: mirror\n",
        "1 sets of conditions, 1 own usages, 1 references\n",
    ] {
        assert!(image.contains(expected), "{expected} {image}");
    }
}

#[cfg(unix)]
#[test]
fn an_endless_text_is_an_error() {
    let place = Place::new();
    place.write("page.html", "");
    let page = ["page", "/dev/zero", "--url", "http://a.example/x", "--agent", "x"];
    for arguments in [
        &["check", "/dev/zero", "x", "/"][..],
        &["lint", "/dev/zero"],
        &["dump", "image", "/dev/zero"],
        &page,
    ] {
        let longest = if arguments == page { 128 } else { 64 };
        place.run(arguments).fails(&format!("/dev/zero: longer than {longest} MiB; that is no robots.txt"));
    }
}

#[test]
fn a_text_that_is_cut_says_so() {
    let place = Place::new();
    let text = "User-agent: *\nDisallow: /a\nDisallow: /b\n";
    place.write("robots.txt", text);
    let run = place.run(&["check", "--max-bytes", "30", "robots.txt", "x", "/b"]);
    let none = place.run(&["check", "--max-bytes", "0", "robots.txt", "x", "/b"]);
    assert!(none.code == 2 && none.err.contains("invalid value '0' for '--max-bytes <N>'"), "{}", none.err);
    let remark = "is over 30 bytes; its last 13 bytes were not read\n";
    assert_eq!((run.code, run.err), (0, format!("robomaton: robots.txt {remark}")));
    let run = place.run_with(&["check", "--max-bytes", "30", "-", "x", "/b"], text);
    assert_eq!(run.err, format!("robomaton: standard input {remark}"));
    place.write("a.example.txt", text);
    place.run(&["compile", "--max-bytes", "30", "a.example.txt", "-o", "i.rimg"]).ok();
    for source in [&["a.example.txt", "--max-bytes", "30"][..], &["i.rimg"]] {
        let ask = [&["explain", "http://a.example/b"], source].concat();
        let ask: Vec<&str> = [ask[0], ask[2], ask[1]].into_iter().chain(ask[3..].iter().copied()).collect();
        let out = place.run(&ask).ok();
        assert!(out.contains(&format!("\nunread   the text {remark}")), "{out}");
        assert_eq!(place.run(&[&ask[..], &["--json"]].concat()).json()[0]["unread"], 13);
    }
    let whole = place.run(&["explain", "robots.txt", "/b", "--json"]).json();
    assert_eq!((&whole[0]["unread"], &whole[0]["verdict"]), (&0.into(), &"disallowed".into()));
    assert_eq!(place.run(&["check", "robots.txt", "x", "/b"]).err, "");
}

#[test]
fn archives_and_images_are_no_texts() {
    let place = Place::with_image();
    let line = "{\"url\": \"https://a.example/robots.txt\", \"body\": \"\"}\n";
    let archives: [(&str, &[u8]); 3] =
        [("a.warc.gz", b"\x1f\x8b\x08\0"), ("a.warc", b"WARC/1.1\r\n"), ("a.jsonl", line.as_bytes())];
    for (name, bytes) in archives {
        place.write(name, bytes);
        let what = "is a capture archive; `robomaton compile` reads it";
        place.run(&["check", name, "x", "/"]).fails(what);
        place.run(&["explain", name, "/"]).fails(what);
        place.run_with(&["check", "-", "x", "/"], bytes).fails(what);
        place.run_with(&["explain", "-", "/"], bytes).fails(what);
        place.run(&["lint", name]).fails(what);
        for stage in ["tree", "policy", "automaton", "image"] {
            place.run(&["dump", stage, name]).fails(what);
        }
        place.run_with(&["check", "-", "x", "/", "--with", &format!("/x={name}")], "").fails(what);
    }
    let image = std::fs::read(place.path("i.rimg")).unwrap();
    place.run_with(&["check", "-", "x", "/"], &image).fails("is an image");
    place.run_with(&["explain", "-", "/"], &image).fails("is an image");
    place.run(&["lint", "i.rimg"]).fails("is an image");
    place.run(&["dump", "tree", "i.rimg"]).fails("is an image");
    assert_eq!(place.run_with(&["check", "-", "x", "/"], "{no capture}\n").code, 0);
}

#[test]
fn what_is_no_robots_txt_is_called_so() {
    let place = Place::new();
    let none: [(&str, &[u8]); 2] = [("a.html", b"<html>none</html>"), ("a.png", b"\x89PNG\r\n\0")];
    for (name, bytes) in none {
        place.write(name, bytes);
        let run = place.run(&["check", name, "x", "/"]);
        assert!(run.code == 0 && run.err.contains("not-robots"), "{run:?}");
        let story = &place.run(&["explain", name, "/", "--json"]).json()[0];
        assert_eq!((&story["outcome"], &story["basis"]), (&"not-robots".into(), &"outcome".into()));
    }
    // With records, it is a robots.txt.
    let page = "<html>\nUser-agent: *\nDisallow: /\n";
    assert_eq!(place.run_with(&["check", "-", "x", "/"], page).code, 1);
    let run = place.run_with(&["check", "-", "x", "/"], "");
    assert_eq!((run.code, run.err.as_str()), (0, ""));
}

#[test]
fn names_that_are_reduced_are_told() {
    let place = place();
    let header = "Mozilla/5.0 (compatible; OtherBot/1.0; +https://other.example)";
    let run = place.run(&["check", "robots.txt", header, "/"]);
    assert_eq!(run.code, 0);
    assert!(run.err.starts_with("robomaton: asking as \"OtherBot\": "), "{run:?}");
    let run = place.run(&["explain", "robots.txt", "-a", header, "/"]);
    assert!(run.err.contains("asking as \"OtherBot\""), "{run:?}");
    assert!(run.out.contains("groups   no group names \"otherbot\": the default\n"), "{run:?}");
    let browser = "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0";
    place.run(&["check", "robots.txt", browser, "/"]).fails("names no crawler");
    let out = place.run(&["explain", "robots.txt", "-a", "x,y", "/"]).ok();
    assert!(out.contains("groups   no group names \"x\", \"y\": the default\n"), "{out}");
    let out = place.run(&["explain", "robots.txt", "/"]).ok();
    assert!(out.contains("groups   the default\n"), "{out}");
    let out = place.run_with(&["explain", "-", "-a", "x", "/"], "User-agent: y\nDisallow: /\n").ok();
    assert!(out.contains("groups   no group names \"x\", and there is no default\n"), "{out}");
    for quiet in ["GPTBot", "GPTBot/1.2-b", "*"] {
        assert_eq!(place.run(&["check", "robots.txt", quiet, "/"]).err, "");
    }
    for nobody in ["", " ", "/2.0"] {
        place.run(&["check", "robots.txt", nobody, "/"]).fails("names no crawler");
        place.run(&["explain", "robots.txt", "-a", nobody, "/"]).fails("names no crawler");
        // To google/robotstxt a name is taken literally; the command takes this one for a misplaced
        // path.
        let google = place.run(&["check", "--profile", "google", "robots.txt", nobody, "/"]);
        assert_eq!(google.code, if nobody.starts_with('/') { 2 } else { 0 });
    }
    place.run(&["explain", "robots.txt", ""]).fails("the URL is empty");
}

#[test]
fn limits_have_units_and_files_no_host() {
    let place = place();
    let reason = "goes over the limit of 1 rules, so everything is disallowed\n";
    let run = place.run(&["check", "--max-rules", "1", "robots.txt", "x", "/"]);
    assert_eq!((run.code, run.err), (1, format!("robomaton: robots.txt: line 3 {reason}")));
    let out = place.run(&["explain", "--max-rules", "1", "robots.txt", "/"]).ok();
    assert!(out.ends_with(&format!("verdict  disallowed: line 3 {reason}")), "{out}");
    assert!(out.contains("\nsite     (the file's own): over-limit"), "{out}");
    place.write("a.example.txt", ROBOTS);
    place.run(&["compile", "--max-rules", "1", "a.example.txt", "-o", "i.rimg"]).ok();
    let out = place.run(&["explain", "i.rimg", "http://a.example/"]).ok();
    assert!(out.ends_with(&format!("verdict  disallowed: line 3 {reason}")), "{out}");
    let story = &place.run(&["explain", "robots.txt", "/", "--json"]).json()[0];
    assert_eq!(story["site"], serde_json::Value::Null);
}

#[test]
fn limits_count_the_groups_of_all_crawlers() {
    let place = Place::new();
    place
        .write("a.example.txt", "User-agent: b\nDisallow: /1\nDisallow: /2\n\nUser-agent: c\nDisallow: /3\n");
    for limit in [["--max-rules", "2"], ["--max-groups", "1"]] {
        for crawler in [&[][..], &["--crawler", "c"]] {
            let compile =
                [&["compile", "a.example.txt", "--force", "-o", "i.rimg"], &limit[..], crawler].concat();
            place.run(&compile).ok();
            let run = place.run(&["query", "i.rimg", "--agent", "c", "https://a.example/"]);
            assert!(run.out.contains("disallowed"), "{limit:?} {crawler:?} {run:?}");
        }
    }
}

#[test]
fn help_says_what_is_not_obvious() {
    let place = Place::new();
    let help = |command| place.run(&[command, "--help"]).ok();
    for command in ["query", "explain"] {
        assert!(help(command).contains("[default: *]"));
    }
    for command in ["filter", "page"] {
        assert!(!help(command).contains("[default: *]"));
    }
    let flat = |command| help(command).split_whitespace().collect::<Vec<_>>().join(" ");
    let check = flat("check");
    assert!(check.contains("1 disallowed, conditional, unknown, or incomplete"), "{check}");
    assert!(check.contains("Content-Usage, Content-Signal, RSL, TDMRep"), "{check}");
    for command in ["check", "explain", "query", "filter", "page"] {
        let help = help(command);
        let examples = help.split("Examples:").nth(1).unwrap();
        assert!(examples.lines().all(|line| line.len() <= 80), "{examples}");
    }
}

#[test]
fn check_takes_an_agent_and_prints_json() {
    let place = Place::new();
    place.write("robots.txt", ROBOTS);
    assert_eq!(place.run(&["check", "robots.txt", "--agent", "gptbot", "/x"]).code, 1);
    assert_eq!(place.run(&["check", "-a", "x", "robots.txt", "/x"]).ok(), "allowed\t/x\n");
    let run = place.run(&["check", "robots.txt", "gptbot", "/x", "--json"]);
    let answer = &run.json()[0];
    assert_eq!((run.code, &answer["verdict"], &answer["line"]), (1, &"disallowed".into(), &9.into()));
    assert_eq!((&answer["agent"], &answer["url"]), (&"gptbot".into(), &"/x".into()));
    place
        .run(&["check", "robots.txt", "https://a.example/x", "gptbot"])
        .fails("the crawler goes before the URL");
    place
        .run(&["check", "robots.txt", "x", "a.example/x"])
        .fails("write https://a.example/x; a path begins with /");
    place.run(&["check", "https://a.example/robots.txt", "x", "/"]).fails("curl -s URL");
}

#[test]
fn stages_are_dumped_as_json() {
    let place = Place::with_image();
    place.write("robots.txt", ROBOTS);
    let dump = |stage, file| place.run(&["dump", stage, file, "--json"]).json();
    let tree = dump("tree", "robots.txt");
    assert_eq!(tree.len(), ROBOTS.lines().count());
    let first = serde_json::json!({
        "line": 1, "kind": "field", "key": "User-agent", "value": "*", "comment": null, "start": 0, "end": 14
    });
    assert_eq!(tree[0], first);
    let policy = dump("policy", "robots.txt");
    assert_eq!((policy.len(), &policy[1]["agents"]), (2, &serde_json::json!(["GPTBot"])));
    let rule = serde_json::json!({
        "line": 2, "allow": false, "usage": "crawl", "pattern": "/private", "conditions": []
    });
    assert_eq!(policy[0]["rules"][0], rule);
    assert!(dump("automaton", "robots.txt").iter().all(|program| program["bytes"].as_u64() > Some(0)));
    let image = dump("image", "i.rimg");
    let size = std::fs::metadata(place.path("i.rimg")).unwrap().len();
    assert_eq!((image.len(), &image[0]["bytes"]), (1, &size.into()));
    assert_eq!(image[0]["sections"][0]["section"], "hosts");
}

#[test]
fn only_groups_that_name_the_crawler_may_count() {
    let place = Place::new();
    place.write("robots.txt", "User-agent: *\nDisallow: /\n\nUser-agent: AdsBot-Google\nDisallow: /ads\n");
    let explain = |agent, url| place.run(&["explain", "robots.txt", "--named-only", "-a", agent, url]).ok();
    let out = explain("GPTBot", "/x");
    let groups = "groups   no group names \"gptbot\", and only groups that name the crawler count\n";
    assert!(out.contains(groups) && out.contains("verdict  allowed"), "{out}");
    assert!(explain("AdsBot-Google", "/ads").contains("verdict  disallowed: line 5"));
    assert_eq!(place.run(&["check", "robots.txt", "--named-only", "GPTBot", "/x"]).code, 0);
    assert_eq!(place.run(&["check", "robots.txt", "GPTBot", "/x"]).code, 1);
}

#[test]
fn a_condition_that_nobody_can_meet_says_so() {
    let place = Place::new();
    let index = "ACAP-allow-index: /n/ max-length=9-words\nACAP-allow-index: /m/ time-limit=3-days\n";
    place.write("robots.txt", format!("ACAP-crawler: *\n{index}"));
    let check = |path| place.run(&["check", "robots.txt", "a", path, "--usage", "index"]).out;
    assert_eq!(check("/n/"), "conditional\t/n/\nmax-length=9-words (nobody can meet this condition)\n");
    assert_eq!(check("/m/"), "conditional\t/m/\ntime-limit=3-days\n");
    let told = place.run(&["explain", "robots.txt", "/n/", "--usage", "index"]).ok();
    assert!(told.contains("only if  max-length=9-words (nobody can meet this condition)\n"), "{told}");
}

/// A file of the site itself is supplied by its path or by its URL, whichever the text writes.
#[test]
fn files_of_the_own_site_have_two_names() {
    let place = Place::new();
    let (path, url) = ("/me.txt", "https://a.example/me.txt");
    place.write("me.txt", "ACAP-crawler: me\nACAP-disallow-index: /n\n");
    for written in [path, url] {
        let text = "ACAP-crawler: *\nACAP-allow-index: /\nACAP-crawler: me\nACAP-permissions-reference: ";
        place.write("robots.txt", format!("{text}{written}\n"));
        for given in [path, url] {
            let with = format!("{given}=me.txt");
            for (at, code, out) in [("x", 0, "allowed\t"), ("n", 1, "disallowed\t")] {
                let at = format!("https://a.example/{at}");
                let run = place.run(&["check", "robots.txt", "me", &at, "--usage", "index", "--with", &with]);
                assert!(run.code == code && run.out.starts_with(out) && run.err.is_empty(), "{run:?}");
            }
            let ask = ["explain", "robots.txt", "https://a.example/x", "--agent", "me", "--usage", "index"];
            let run = place.run(&[&ask[..], &["--with", &with]].concat());
            assert!(run.err.is_empty() && run.ok().contains("verdict  allowed: line 2 permits it"));
        }
    }
    let run = place.run(&["check", "robots.txt", "me", "https://b.example/", "--with", "/me.txt=me.txt"]);
    assert!(run.err.contains("--with /me.txt: the robots.txt does not refer to it"), "{run:?}");
    for command in [&["dump", "policy"][..], &["dump", "automaton"], &["dump", "image"], &["lint"]] {
        let unused = ["robots.txt", "--site", "https://b.example", "--with", "/none.txt=me.txt"];
        let run = place.run(&[command, &unused].concat());
        assert!(run.err.contains("--with /none.txt: the robots.txt does not refer to it"), "{run:?}");
    }
}

#[test]
fn what_makes_an_answer_incomplete_is_named() {
    let place = Place::new();
    let many = "ai-train=yes, ".repeat(3001);
    place.write("robots.txt", format!("User-agent: *\nContent-Signal: {many}\nAllow: /\n"));
    let run = place.run(&["check", "robots.txt", "x", "/a", "--usage", "ai-train"]);
    assert!(run.code == 1 && run.err.contains("a statement about this use"), "{run:?}");
    assert!(!run.err.contains("--with"), "{run:?}");
}

#[test]
fn standard_input_has_one_name() {
    let place = Place::new();
    let text = "User-agent: *\nDisallow: /a\nDisallow: /b\n";
    let over = "standard input: line 3 goes over the limit of 1 rules, so everything is disallowed";
    for command in [&["dump", "policy", "-"][..], &["check", "-", "x", "/"]] {
        let run = place.run_with(&[command, &["--max-rules", "1"]].concat(), text);
        assert!(run.err.contains(over), "{run:?}");
    }
}

/// Standard input is one file: read again, it would be an empty one.
#[test]
fn standard_input_is_read_once() {
    let place = Place::new();
    let page = ["page", "-", "--robots", "-", "--url", "https://a.example/", "--agent", "x"];
    for command in [&page[..], &["check", "-", "x", "/", "--with", "/x=-"], &["lint", "--with", "/x=-", "-"]]
    {
        place.run_with(command, ROBOTS).fails("`-` is given twice, but standard input is one file");
    }
    let run = place.run_with(&["lint", "-", "-"], "User-agent: *\nDisallow: /\n");
    assert_eq!((run.code, run.err.contains("given twice")), (2, true), "{run:?}");
}

/// The exit code is the answer, whoever reads the output.
#[test]
fn a_closed_pipe_changes_no_exit_code() {
    let place = Place::with_image();
    // More than a buffer holds.
    place.write("robots.txt", "oops\n".repeat(20_000));
    place.write("other.jsonl", "{\"url\":\"https://a.example/robots.txt\",\"status\":200,\"body\":\"\"}");
    place.run(&["compile", "other.jsonl", "-o", "other.rimg"]).ok();
    for command in [
        &["lint", "robots.txt", "--all"][..],
        &["diff", "i.rimg", "other.rimg", "--exit-code"],
        &["visit", "i.rimg", "--agent", "x", "https://a.example/private"],
        &["check", "robots.txt", "x", "/", "--usage", "index"],
    ] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let status = place.command(command).stdout(writer).status().expect("a run");
        assert_eq!(status.code(), Some(1), "{command:?}");
    }
    // The lines that were read count, although their answers are lost.
    place.write("urls.txt", "https://a.example/\nnot a url {\n");
    for command in ["query", "visit"] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let urls = std::fs::File::open(place.path("urls.txt")).expect("a file");
        let mut command = place.command(&[command, "i.rimg", "--agent", "x"]);
        let status = command.stdin(urls).stdout(writer).status().expect("a run");
        assert_eq!(status.code(), Some(2), "{command:?}");
    }
}

#[test]
fn a_site_is_a_url() {
    let place = Place::new();
    place.write("robots.txt", ROBOTS);
    for command in [["dump", "policy"].as_slice(), &["lint"]] {
        let run = place.run(&[command, &["--site", "a.example", "robots.txt"]].concat());
        run.fails("\"a.example\" has no scheme; write https://a.example\n");
    }
}
