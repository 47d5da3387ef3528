//! `visit`: when a crawler may fetch, as lines, as JSON and as an exit code.

mod common;

use common::Place;
use serde_json::json;

/// 2 January 2026, 03:00:00 UTC.
const NOW: &str = "2026-01-02T03:00:00Z";

const TIMED: &str = "\
User-agent: *
Disallow: /private
Crawl-delay: 2.5
Request-rate: 1/60 0400-0500
Visit-time: 0200-0600
Comment: be gentle

User-agent: night
Visit-time: 2200-2300
Disallow:

User-agent: free
Disallow:
";

fn place() -> Place {
    let place = Place::new();
    let line = |host: &str, status: u16, body: &str| {
        json!({ "url": format!("https://{host}/robots.txt"), "status": status, "body": body }).to_string()
    };
    let acap = "##ACAP version=1.0\nACAP-crawler: *\nACAP-allow-crawl: / time-limit=3-days\n";
    let captures = [
        line("t.example", 200, TIMED),
        line("acap.example", 200, acap),
        line("down.example", 503, ""),
        line("gone.example", 404, ""),
    ];
    place.write("captures.jsonl", captures.join("\n"));
    place.run(&["compile", "captures.jsonl", "-o", "i.rimg"]).ok();
    place
}

/// Runs `visit`; returns the exit code and the output.
fn visit(place: &Place, agent: &str, arguments: &[&str]) -> (i32, String) {
    let run = place.run(&[&["visit", "i.rimg", "--agent", agent], arguments].concat());
    (run.code, run.out)
}

#[test]
fn one_answer_a_line() {
    let place = place();
    let (code, lines) = visit(
        &place,
        "bot",
        &[
            "--now",
            NOW,
            "--last",
            NOW,
            "https://t.example/a",
            "https://t.example/private/x",
            "https://gone.example/",
            "https://down.example/",
            "https://acap.example/",
            "https://z.example/",
        ],
    );
    let expected = "wait 3\thttps://t.example/a\nnever\thttps://t.example/private/x\nnow\thttps://gone.example/\n\
        never\thttps://down.example/\nconditional\thttps://acap.example/\nunknown\thttps://z.example/\n";
    assert_eq!((code, lines.as_str()), (1, expected));
}

#[test]
fn the_time_of_the_day_counts() {
    let place = place();
    let ask =
        |agent, arguments: &[&str]| visit(&place, agent, &[arguments, &["https://t.example/a"]].concat());
    let now = (0, "now\thttps://t.example/a\n".to_owned());
    let wait = |seconds: u32| (1, format!("wait {seconds}\thttps://t.example/a\n"));
    assert_eq!(ask("bot", &["--now", NOW]), now);
    // 03:00 to 22:00.
    assert_eq!(ask("night", &["--now", NOW]), wait(19 * 3600));
    // Seconds since 1970, and other offsets.
    assert_eq!(ask("night", &["--now", "1767322800"]), wait(19 * 3600));
    assert_eq!(ask("night", &["--now", "2026-01-02T04:00:00+01:00"]), wait(19 * 3600));
    // The rate that applies at four o'clock.
    let at_four = ["--now", "2026-01-02T04:10:10Z", "--last", "2026-01-02T04:10:00Z"];
    assert_eq!(ask("bot", &at_four), wait(50));
    assert_eq!(ask("free", &at_four), now);
    // The rule of thumb applies only if the duration of the fetch is given.
    assert_eq!(ask("free", &[&at_four[..], &["--took", "12.5"]].concat()), wait(15));
    // A fraction of a second does not make a visit early.
    let fraction = ["--now", "2026-01-02T03:00:02Z", "--last", "2026-01-02T02:59:59.25Z"];
    assert_eq!(ask("bot", &fraction), wait(1));
}

#[test]
fn json_has_everything() {
    let place = place();
    let arguments =
        ["--json", "--now", NOW, "--last", NOW, "https://t.example/a", "https://z.example/", "nonsense"];
    let run = place.run(&[&["visit", "i.rimg", "--agent", "x,bot"], &arguments[..]].concat());
    let lines = run.json();
    let expected = json!({
        "url": "https://t.example/a",
        "agent": "x,bot",
        "usage": "crawl",
        "purpose": null,
        "now": NOW,
        "answer": "wait",
        "verdict": "allowed",
        "incomplete": false,
        "basis": "no-rule",
        "outcome": "rules",
        "stale": null,
        "wait_seconds": 2.5,
        "may_visit": true,
        "interval": { "seconds": 2.5, "source": "crawl-delay" },
        "rate": null,
        "visits": ["02:00-06:00"],
        "rates": [{ "documents": 1, "seconds": 60, "window": "04:00-05:00" }],
        "delays": [2.5],
        "comments": ["be gentle"],
    });
    assert_eq!(lines[0], expected);
    assert_eq!((&lines[1]["answer"], &lines[1]["basis"]), (&"unknown".into(), &"no-site".into()));
    assert!(lines[1]["may_visit"].is_null() && lines[1]["wait_seconds"].is_null());
    assert_eq!(lines[2]["basis"], "no-url");
    assert!(run.code == 2 && run.err.contains("nonsense"), "{run:?}");
    let sources = |agent, more: &[&str]| {
        let run =
            place.run(&[&["visit", "i.rimg", "-a", agent, "--json", "https://t.example/"], more].concat());
        run.json()[0]["interval"].clone()
    };
    let thumb = json!({ "seconds": 10.0, "source": "rule-of-thumb" });
    assert_eq!(sources("free", &["--now", NOW]), thumb);
    let rate = json!({ "seconds": 60.0, "source": "request-rate" });
    assert_eq!(sources("bot", &["--now", "2026-01-02T04:30:00Z"]), rate);
}

/// A refused use is not permitted under the conditions of crawling.
#[test]
fn the_stricter_of_crawling_and_the_use_counts() {
    let place = Place::new();
    let text =
        "ACAP-crawler: *\nACAP-allow-crawl: / time-limit=3-days\nUser-agent: *\nContent-Usage: train-ai=n\n";
    place.write("a.example.txt", text);
    place.run(&["compile", "a.example.txt", "-o", "i.rimg"]).ok();
    for (usage, answer) in [("crawl", "conditional"), ("ai-train", "never"), ("ai-input", "unknown")] {
        let asked = visit(&place, "bot", &["--usage", usage, "https://a.example/x"]);
        assert_eq!(asked, (1, format!("{answer}\thttps://a.example/x\n")), "{usage}");
    }
}

#[test]
fn an_image_for_others_says_nothing() {
    let place = place();
    place.run(&["compile", "captures.jsonl", "-o", "i.rimg", "--crawler", "night"]).ok();
    assert_eq!(
        visit(&place, "bot", &["https://t.example/"]),
        (1, "unknown\thttps://t.example/\n".to_owned())
    );
}

#[test]
fn bad_arguments_are_errors() {
    let place = place();
    let fails = |arguments: &[&str], what| {
        place.run(&[&["visit", "i.rimg", "https://t.example/"], arguments].concat()).fails(what)
    };
    fails(&[], "--agent");
    fails(&["--agent", "a", "--now", "yesterday"], "2026-01-02T03:04:05Z");
    fails(&["--agent", "a", "--now", "1767322800000"], "milliseconds");
    fails(&["--agent", "a", "--last", "1969-12-31T00:00:00Z"], "before 1970");
    fails(&["--agent", "a", "--took=-1"], "--took");
    fails(&["--agent", "a", "--took", "x"], "a number of seconds");
    assert_eq!(place.run(&["visit", "i.rimg", "--agent", "a"]).ok(), "");
    place.run(&["visit", "missing", "--agent", "a", "https://t.example/"]).fails("missing");
}
