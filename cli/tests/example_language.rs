//! A language that the command does not know works in each of its parts, once the compiler has a
//! file for it.

mod common;

use common::Place;

/// Records of the language do not end a list of user-agents (R6), so a rule separates them.
const TEXT: &str =
    "User-agent: *\nRead-Aloud: no\nRead-Aloud: maybe\nAllow: /\n\nUser-agent: b\nDisallow: /x\n";

fn place() -> Place {
    let place = Place::new();
    place.write("a.example.txt", TEXT);
    place.run(&["compile", "a.example.txt", "-o", "a.rimg"]).ok();
    place
}

#[test]
fn images_answer() {
    let place = place();
    let query = |agent, usage| {
        let url = "https://a.example/x";
        place.run(&["query", "a.rimg", "--agent", agent, "--usage", usage, url, "--json"]).json().remove(0)
    };
    let answer = query("a", "read-aloud");
    assert_eq!((&answer["verdict"], &answer["line"]), (&"disallowed".into(), &2.into()));
    assert_eq!(answer["rule"], "Read-Aloud: no");
    assert_eq!(query("b", "read-aloud")["verdict"], "unknown");
    assert_eq!(query("a", "crawl")["verdict"], "allowed");
    assert_eq!(query("b", "crawl")["rule"], "Disallow: /x");
}

/// Its usage is no standard one, so it is known where the image has a record of it, and may be
/// misspelt elsewhere.
#[test]
fn an_image_without_the_record_refuses_its_usage() {
    let place = Place::new();
    place.write("b.example.txt", "User-agent: *\nDisallow: /x\n");
    place.run(&["compile", "b.example.txt", "-o", "b.rimg"]).ok();
    place
        .run(&["query", "b.rimg", "--usage", "read-aloud", "https://b.example/x"])
        .fails("\"read-aloud\" is not a known usage");
}

#[test]
fn explanations_quote_the_record() {
    let place = place();
    for source in ["a.rimg", "a.example.txt"] {
        let explain = ["explain", source, "--agent", "a", "--usage", "read-aloud", "https://a.example/x"];
        let text = place.run(&explain).ok();
        assert!(text.contains("line 2     Read-Aloud: no"), "{text}");
        assert!(text.contains("verdict  disallowed"), "{text}");
    }
}

#[test]
fn lint_knows_its_mistakes_and_its_keys() {
    let place = place();
    let run = place.run(&["lint", "a.example.txt"]);
    assert!(run.out.contains("unreadable-value") && run.out.contains("`yes` or `no` is expected"), "{run:?}");
    assert!(!run.out.contains("unknown-key"), "{run:?}");
}

#[test]
fn tables_hold_its_rules() {
    let place = place();
    let export = ["export", "a.rimg", "--to", "tables", "--format", "csv", "--table", "rules"];
    place.run(&export).ok();
    let rules = std::fs::read_to_string(place.path("tables/rules.csv")).expect("a table");
    assert!(rules.lines().any(|line| line.contains("read-aloud")), "{rules}");
}

#[test]
fn merged_images_hold_it() {
    let place = place();
    place.write("b.example.txt", "User-agent: *\nRead-Aloud: yes /news/\n");
    place.run(&["compile", "b.example.txt", "-o", "b.rimg"]).ok();
    place.run(&["merge", "a.rimg", "b.rimg", "-o", "both.rimg"]).ok();
    place.run(&["compile", "a.example.txt", "b.example.txt", "-o", "one.rimg"]).ok();
    let bytes = |name| std::fs::read(place.path(name)).expect("an image");
    assert_eq!(bytes("both.rimg"), bytes("one.rimg"));
    place.run(&["verify", "both.rimg"]).ok();
}
