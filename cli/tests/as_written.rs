//! `explain` of texts whose lines do not all mean what they seem to: expansions, fields without
//! effect, conditions that nobody can meet.

mod common;

use common::Place;

fn place(robots: &str) -> Place {
    let place = Place::new();
    place.write("a.example.txt", robots);
    place.run(&["compile", "a.example.txt", "-o", "i.rimg"]).ok();
    place
}

/// The explanation for the usage `index`, which is the same for the text and for its image.
#[track_caller]
fn explain(place: &Place, path: &str, more: &[&str]) -> String {
    let url = format!("http://a.example{path}");
    let told = ["a.example.txt", "i.rimg"].map(|source| {
        let out = place.run(&[&["explain", source, &url, "--usage", "index"], more].concat()).ok();
        let of_site = |line: &&str| !line.starts_with("site ") && !line.starts_with("note ");
        out.lines().filter(of_site).collect::<Vec<_>>().join("\n")
    });
    assert_eq!(told[0], told[1]);
    told[0].clone()
}

#[test]
fn words_that_are_no_qualifiers_stand_as_written() {
    let place =
        place("ACAP-crawler: *\nACAP-allow-index: /o/ /m/\nACAP-allow-index: /p/ time-limit=3-days\n");
    let told = explain(&place, "/o/", &[]);
    assert!(told.contains("only if  /m/ (nobody can meet this condition)"), "{told}");
    assert!(told.contains("ACAP-allow-index: /o/ /m/ ") && !told.contains("/m/="), "{told}");
    let json =
        &place.run(&["query", "i.rimg", "http://a.example/o/", "--usage", "index", "--json"]).json()[0];
    assert_eq!(json["conditions"], serde_json::json!(["/m/"]));
    let query = |path: &str| {
        let run = place.run(&["query", "i.rimg", &format!("http://a.example{path}"), "--usage", "index"]);
        (run.out.starts_with("conditional\t"), run.err)
    };
    let (is_conditional, remark) = query("/o/");
    assert!(is_conditional && remark.contains("is conditional, but nobody can meet /m/"), "{remark}");
    assert_eq!(query("/p/"), (true, String::new()));
}

#[test]
fn rules_are_shown_beside_the_lines_that_they_come_from() {
    let place = place(
        "ACAP-resource-set: s /a/ /b/\nACAP-qualified-usage: q index time-limit=3-days\nACAP-crawler: *\n\
         ACAP-disallow-index:   the-acap:resource-set:s # both\nACAP-allow-(q): /c/\nACAP-allow-index: /D\n\
         acap-ALLOW-index : /e\n",
    );
    for (path, rule, written) in [
        ("/b/", "line 4     ACAP-disallow-index: /b/ ", "ACAP-disallow-index:   the-acap:resource-set:s"),
        ("/c/", "line 5     ACAP-allow-index: /c/ time-limit=3-days ", "ACAP-allow-(q): /c/"),
        ("/d", "line 6     ACAP-allow-index: /d ", "ACAP-allow-index: /D"),
    ] {
        let told = explain(&place, path, &[]);
        let next = format!("\n                      written as {written}\n");
        let after = told.split_once(rule).map(|(_, after)| after.split_once('\n').unwrap_or_default().1);
        assert!(after.is_some_and(|after| format!("\n{after}").starts_with(&next)), "{told}");
        let json = &place.run(&["explain", "a.example.txt", path, "--usage", "index", "--json"]).json()[0];
        assert_eq!(json["matches"][0]["written"], written);
    }
    // The key in upper case says the same.
    let told = explain(&place, "/e", &[]);
    assert!(!told.contains("written as"), "{told}");
}

#[test]
fn lines_of_files_are_shown_as_written() {
    let place = place("ACAP-crawler: me\nACAP-permissions-reference: /me.txt\n");
    place.write("me.txt", "ACAP-crawler: me\nACAP-disallow-index: /X\n");
    let ask = ["explain", "a.example.txt", "/x", "--agent", "me", "--usage", "index"];
    let told = place.run(&[&ask[..], &["--with", "/me.txt=me.txt"]].concat()).ok();
    assert!(told.contains("written as ACAP-disallow-index: /X\n"), "{told}");
}

#[test]
fn fields_without_effect_are_named() {
    let place = place(
        "ACAP-disallow-index: /early/\nACAP-crawler: *\nACAP-disallow-index: the-acap:resource-set:S\n\
         ACAP-disallow-(nope): /n/\nACAP-disallow-index: http://other.example/u/\nACAP-disallow-follow: //x/\n\
         ACAP-disallow-index:\nACAP-usage-purpose: news\nACAP-disallow-(news): /\n\
         ACAP-crawler: other\nACAP-disallow-(other): /\n",
    );
    let told = explain(&place, "/n/", &[]);
    let dropped = "
dropped    line 3     ACAP-disallow-index: the-acap:resource-set:S
                      has no effect: the set `S` is not defined
           line 4     ACAP-disallow-(nope): /n/
                      has no effect: the usage `nope` is not defined
           line 5     ACAP-disallow-index: http://other.example/u/
                      has no effect: \"http://other.example/u/\" is no path of this site
           line 7     ACAP-disallow-index:
                      has no effect: a field that says nothing
";
    assert!(told.contains(dropped), "{told}");
    assert!(told.ends_with("every usage is permitted; lines 3, 4, 5 and 7 have no effect"), "{told}");
    let dropped = |asked: &str| {
        let json = &place.run(&["explain", "a.example.txt", asked, "--usage", "index", "--json"]).json()[0];
        assert_eq!(json["dropped"][0]["why"], "the set `S` is not defined");
        [0, 1, 2].map(|number| json["dropped"][number]["line"].as_u64())
    };
    assert_eq!(dropped("http://a.example/m/"), [Some(3), Some(5), Some(7)]);
    // The URL in line 5 may be of a host that is not known.
    assert_eq!(dropped("/m/"), [Some(3), Some(7), None]);
    assert!(explain(&place, "/early/x", &[]).contains("line 1     ACAP-disallow-index: /early/\n"));
    assert!(explain(&place, "/", &["--purpose", "news"]).contains("the usage `news` is not defined"));
    assert!(explain(&place, "/", &["--agent", "other"]).contains("the usage `other` is not defined"));
}

#[test]
fn the_reason_is_that_of_the_verdict() {
    let place = place("ACAP-crawler: me\nACAP-permissions-reference: /me.txt\n");
    let told = explain(&place, "/x", &["--agent", "me"]);
    let verdict = "verdict  disallowed: what is missing may prohibit it; without that it is allowed: no field and no rule";
    assert!(told.contains(verdict), "{told}");
    assert!(told.ends_with("incomplete: without /me.txt, so that allowed counts as disallowed"), "{told}");
}

#[test]
fn a_rule_that_cannot_be_ordered_is_not_beaten() {
    let place = place("ACAP-crawler: *\nACAP-allow-index: /*ab\nACAP-disallow-index: /*cd\n");
    let told = explain(&place, "/abcd", &[]);
    assert!(told.contains("neither it nor line 3 is narrower, so the prohibition holds\n"), "{told}");
    assert!(!told.contains("beaten"), "{told}");
}

#[test]
fn a_purpose_that_cannot_be_read_is_called_so() {
    let place = place("ACAP-crawler: *\nACAP-usage-purpose:\nACAP-allow-index: /a\n");
    let told = explain(&place, "/a", &[]);
    let group = "(sub-record for a purpose that cannot be read, which is not asked for)";
    assert!(told.contains(group), "{told}");
}

#[test]
fn action_requests_are_in_the_answers() {
    let place = place(
        "ACAP-crawler: *\nACAP-allow-index: /\nACAP-request-take-down: /a/X\nACAP-crawler: me\n\
         ACAP-request-re-crawl: http://a.example/a/x\nACAP-request-take-down: /a/x*\n",
    );
    let requests = |agent: &str, path: &str| {
        let url = format!("http://a.example{path}");
        let query = place.run(&["query", "i.rimg", "-a", agent, "--json", &url]).json()[0].clone();
        let explained = place.run(&["explain", "i.rimg", "-a", agent, "--json", &url]).json()[0].clone();
        assert_eq!(query.get("requests"), explained.get("requests"));
        query.get("requests").cloned()
    };
    let of = |action: &str, path: &str, line: u32| serde_json::json!({ "action": action, "path": path, "line": line, "file": null });
    let first = of("take-down", "/a/X", 3);
    assert_eq!(requests("you", "/a/x"), Some(serde_json::json!([first])));
    let second = of("re-crawl", "http://a.example/a/x", 5);
    assert_eq!(requests("me", "/a/x"), Some(serde_json::json!([first, second])));
    assert_eq!(requests("me", "/a/x*"), Some(serde_json::json!([of("take-down", "/a/x*", 6)])));
    assert_eq!((requests("me", "/a/xy"), requests("me", "/")), (None, None));
    let told = explain(&place, "/a/x", &["--agent", "me"]);
    let lines = "\nrequests take-down of /a/X (line 3)\n         re-crawl of http://a.example/a/x (line 5)\n";
    assert!(told.contains(lines), "{told}");
}
