//! Every endpoint, over a real socket: its answers, and its refusals.

mod common;

use common::{ROBOTS, Service, capture, compile};
use robomaton_serve::limits::{BATCH, HEAD, QUESTIONS, TEST, URL};
use serde_json::{Value, json};

#[test]
fn a_question_is_answered_as_query_answers_it() {
    let service = Service::start();
    let answer = service.get("/v1/decide?agent=GPTBot&url=https://a.example/private");
    assert!(answer.head.contains("content-type: application/json"), "{}", answer.head);
    let mut told = answer.json();
    assert_eq!(told["stale"].take(), true);
    let expected = json!({
        "url": "https://a.example/private", "agent": "GPTBot", "usage": "crawl", "purpose": null, "language": "rep", "carrier": "robots",
        "verdict": "disallowed", "decision": "disallowed", "incomplete": false, "choice": "named",
        "name": "gptbot", "looked_for": ["gptbot"], "conditions": [], "typed_conditions": [], "rule": "Disallow: /", "line": 6,
        "rules": [{ "line": 6, "file": null, "page": null, "rule": "Disallow: /" }], "fields": null,
        "conventional": "disallowed", "outcome": "rules", "basis": "rule", "stale": null, "status": 200,
        "fetched_at": "2024-05-11T00:00:00Z",
    });
    assert_eq!(told, expected);
    let verdict = |query: &str| service.get(&format!("/v1/decide?{query}")).json()["verdict"].clone();
    assert_eq!(verdict("url=https://a.example/private/open"), "allowed");
    assert_eq!(verdict("url=https://a.example/x&agent=nobody&agent=gptbot"), "disallowed");
    assert_eq!(verdict("url=https://a.example/x&agent=nobody,gptbot"), "disallowed");
    assert_eq!(verdict("url=https://a.example/drafts&agent=GPTBot&usage=index"), "disallowed");
    assert_eq!(verdict("url=https://z.example/"), "unknown");
    assert_eq!(verdict("url=no+url"), "unknown");
    assert_eq!(verdict("url=https%3A%2F%2Fb.example%2Fx%3Fa%26y"), "disallowed");
    assert_eq!(verdict("url=https://a.example/private&document=data.txt"), "unknown");
}

#[test]
fn a_name_that_was_asked_before_is_checked_again() {
    let service = Service::start();
    let ask = |query: &str| service.get(&format!("/v1/decide?url=https://a.example/private{query}"));
    let long = "a".repeat(1025);
    for agents in ["", "&agent=*", "&agent=other", "&agent=other,more", "&agent=other&agent=more"] {
        let verdicts = |query: &str| ask(&format!("{agents}{query}")).json()["verdict"].clone();
        for _ in 0..2 {
            assert_eq!(verdicts(""), "disallowed", "{agents}");
            assert_eq!(verdicts("&named_only=true"), "allowed", "{agents}");
            let refused = ask(&format!("{agents}&purpose={long}")).refused(400);
            assert!(refused.contains("over the limit"), "{refused}");
            assert!(ask(&format!("{agents}&usage=indx")).refused(400).contains("indx"));
        }
    }
    for _ in 0..2 {
        assert!(ask("&agent=").refused(400).contains("names no crawler"));
        assert_eq!(ask(&format!("&agent={}", "a".repeat(1000))).json()["verdict"], "disallowed");
    }
}

#[test]
fn wrong_questions_are_refused_with_a_sentence() {
    let service = Service::start();
    let refused = |query: &str| service.get(&format!("/v1/decide{query}")).refused(400);
    assert_eq!(refused(""), "no url is given");
    assert!(refused("?url=a&agents=b").contains("no parameter \"agents\""));
    assert!(refused("?url=a&url=b").contains("given twice"));
    assert!(refused("?url=a&agent=").contains("names no crawler"));
    assert!(refused("?url=%ff").contains("not UTF-8"));
    assert!(refused("?url=a&document=x.txt").contains("no document"));
    let long = format!("/v1/decide?url=https://a.example/{}", "a".repeat(URL));
    assert!(service.get(&long).refused(414).contains("over the limit"));
    assert!(service.get("/v1/decid").refused(404).contains("no such path"));
    assert!(service.client().post("/v1/site", b"").refused(405).contains("use GET"));
    assert!(service.get("/v1/test").refused(405).contains("method GET is not allowed here: use POST"));
    // The head of a request has a limit, too.
    let mut client = service.client();
    client.send(format!("GET /{} HTTP/1.1\r\n", "a".repeat(HEAD)).as_bytes());
    assert_eq!(client.answer().map(|answer| answer.status), Some(431));
}

#[test]
fn batches_keep_their_order() {
    let service = Service::start();
    let array = r#" [{"url": "https://a.example/x", "agent": "GPTBot"}, {"url": "https://a.example/x"},
        {"url": "no url", "usage": "index", "purpose": "news"},
        {"url": "https://a.example/x", "agent": ["nobody", "gptbot"]}]"#;
    let told = service.post("/v1/decide", array).json();
    let verdicts: Vec<&Value> = told.as_array().unwrap().iter().map(|answer| &answer["verdict"]).collect();
    assert_eq!(verdicts, ["disallowed", "allowed", "unknown", "disallowed"]);
    assert_eq!(told[3]["agent"], "nobody,gptbot");
    assert_eq!((&told[2]["usage"], &told[2]["purpose"]), (&json!("index"), &json!("news")));
    let lines: String =
        (0..QUESTIONS).map(|n| format!("{{\"url\": \"https://a.example/{n}\"}}\r\n\n")).collect();
    let answer = service.post("/v1/decide", &lines);
    assert!(answer.head.contains("content-type: application/x-ndjson"), "{}", answer.head);
    let urls = answer.text().lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["url"].clone());
    assert!(urls.eq((0..QUESTIONS).map(|n| json!(format!("https://a.example/{n}")))));
}

#[test]
fn a_batch_is_answered_whole_or_refused_with_the_place() {
    let service = Service::start();
    let refused = |body: &str, status: u16| {
        let answer = service.post("/v1/decide", body);
        let sentence = answer.refused(status);
        (serde_json::from_slice::<Value>(&answer.body).unwrap()["question"].clone(), sentence)
    };
    let good = r#"{"url": "https://a.example/"}"#;
    for (body, question, what) in [
        (format!("{good}\n{{broken\n{good}"), json!(2), "question 2: key must be a string"),
        (
            format!("{good}\n{{\"url\": \"https://a.example/\", \"agnet\": \"a\"}}"),
            json!(2),
            "question 2: unknown field `agnet`",
        ),
        (
            r#"[{"url": "https://a.example/", "usage": "trian"}]"#.to_owned(),
            json!(1),
            "did you mean \"train\"?",
        ),
        (format!("[{good}, {{\"agent\": \"a\"}}]"), json!(2), "question 2: missing field `url`"),
        (format!("{good}\n{good}\n7"), json!(3), "question 3: not a JSON object"),
        (
            format!("[{good}, [\"https://a.example/\", null, null, null, false]]"),
            json!(2),
            "not a JSON object",
        ),
        (format!("{good}\n{{\"url\": \"a\", \"agent\": []}}"), json!(2), "`agent` is an empty list"),
        (format!("{good}\n{{\"url\": \"a\", \"agent\": \"\"}}"), json!(2), "names no crawler"),
        (format!("[{good}"), Value::Null, "no JSON array"),
        (String::new(), Value::Null, "no questions"),
        ("[]".to_owned(), Value::Null, "no questions"),
    ] {
        let (at, sentence) = refused(&body, 400);
        assert_eq!(at, question, "{sentence}");
        assert!(sentence.contains(what), "{sentence}");
    }
    let long = format!("{good}\n{{\"url\": \"https://a.example/{}\"}}", "a".repeat(URL));
    assert_eq!(refused(&long, 413).0, 2);
    assert!(refused(&format!("{good}\n").repeat(QUESTIONS + 1), 413).1.contains("10000 questions"));
    assert!(service.post("/v1/decide", vec![b' '; BATCH + 1]).refused(413).contains("8388608 bytes"));
    assert!(service.post("/v1/decide", b"\xff").refused(400).contains("not UTF-8"));
    // Deep nesting does not overflow the stack.
    assert_eq!(service.post("/v1/decide", "[".repeat(1 << 20)).status, 400);
}

#[test]
fn a_body_is_asked_without_parameters() {
    let service = Service::start();
    let test = json!({ "text": ROBOTS, "url": "/x" }).to_string();
    let tests = json!({ "text": ROBOTS, "urls": ["/x"] }).to_string();
    for (path, body) in [
        ("/v1/decide", r#"{"url": "https://a.example/"}"#),
        ("/v1/test", &test),
        ("/v1/test/crawlers", &test),
        ("/v1/test/urls", &tests),
    ] {
        assert_eq!(service.post(path, body).status, 200, "{path}");
        let refused = service.post(&format!("{path}?agent=GPTBot"), body).refused(400);
        assert_eq!(refused, "no parameter \"agent\" here: the body has the question");
    }
    assert_eq!(service.post("/v1/test", "[]").refused(400), "not a JSON object");
}

/// Clients drop tabs and line ends from a URL before they request it.
#[test]
fn line_ends_in_a_url_hide_no_rule() {
    let service = Service::start();
    for url in ["https://a.example/\nprivate", "https://a.example/pri\tvate"] {
        let told = service.post("/v1/decide", json!({ "url": url }).to_string()).json();
        assert_eq!((&told["url"], &told["verdict"]), (&json!(url), &json!("disallowed")));
        let query = format!("url={}", url.replace('\n', "%0A").replace('\t', "%09"));
        for path in ["decide", "explain"] {
            assert_eq!(service.get(&format!("/v1/{path}?{query}")).json()["verdict"], "disallowed");
        }
        let body = json!({ "text": ROBOTS, "url": url }).to_string();
        assert_eq!(service.post("/v1/test", body).json()["verdict"], "disallowed");
    }
    let body = json!({ "text": ROBOTS, "url": "ht\ttps://a.example/x" }).to_string();
    assert!(service.post("/v1/test", body).refused(400).contains("control character before the path"));
}

#[test]
fn a_site_is_told_as_the_image_holds_it() {
    let service = Service::start();
    let site = service.get("/v1/site?url=a.example").json();
    assert_eq!((&site["site"], &site["outcome"]), (&json!("https://a.example"), &json!("rules")));
    assert_eq!((&site["status"], &site["fetched_at"]), (&json!(200), &json!("2024-05-11T00:00:00Z")));
    assert_eq!(site["fresh_until"], "2024-05-12T00:00:00Z");
    assert_eq!(site["sitemaps"], json!(["https://a.example/map.xml"]));
    assert_eq!(site["groups"][1]["agents"], json!(["gptbot"]));
    assert_eq!(service.get("/v1/site?url=https://gone.example/").json()["status"], 404);
    assert!(service.get("/v1/site?url=z.example").refused(404).contains("does not contain the site"));
    let text = service.get("/v1/text?url=https://a.example/x");
    assert_eq!((text.status, text.text()), (200, ROBOTS));
    assert!(text.head.contains("content-type: text/plain; charset=utf-8"), "{}", text.head);
    assert!(service.get("/v1/text?url=https://z.example/").refused(404).contains("does not contain"));
    // A host alone will do, as for /v1/site.
    assert_eq!(service.get("/v1/text?url=a.example").text(), ROBOTS);
    let refused = service.get("/v1/text?url=a.example&document=data.txt").refused(404);
    assert_eq!(refused, "the image does not contain a data.txt of the site of \"a.example\"");
}

#[test]
fn an_answer_is_explained() {
    let service = Service::start();
    let story = service.get("/v1/explain?agent=GPTBot&url=https://a.example/private").json();
    assert_eq!((&story["verdict"], &story["choice"]), (&json!("disallowed"), &json!("named")));
    assert_eq!(story["reason"], "line 6 is the only rule that matches");
    let story = service.get("/v1/explain?url=https://a.example/private/open").json();
    assert_eq!(story["matches"].as_array().unwrap().len(), 2);
    let story = service.get("/v1/explain?url=https://z.example/").json();
    assert_eq!((&story["verdict"], &story["basis"]), (&json!("unknown"), &json!("no-site")));
    let long = format!("/v1/explain?url=https://a.example/{}", "a".repeat(4096));
    assert!(service.get(&long).refused(414).contains("2048 bytes"));
}

/// The fate of each line that has one.
fn fates(told: &Value) -> Vec<(u64, &str)> {
    let lines = told["lines"].as_array().expect("lines").iter();
    lines.filter_map(|line| Some((line["line"].as_u64()?, line["fate"].as_str()?))).collect()
}

#[test]
fn a_text_is_tested_line_by_line() {
    let service = Service::start();
    let test = |body: Value| service.post("/v1/test", body.to_string()).json();
    let told = test(json!({ "text": ROBOTS, "url": "/private/open/x" }));
    assert_eq!((&told["verdict"], &told["line"]), (&json!("allowed"), &json!(3)));
    let expected = [(2, "beaten"), (3, "decides"), (6, "other-group"), (7, "other-group")];
    assert_eq!(fates(&told), expected);
    assert_eq!(told["lines"][1]["why"], "matches, but is shorter: 8 bytes, line 3 has 13");
    assert_eq!((&told["lines"][0]["answers"], &told["lines"][4]["answers"]), (&json!(true), &json!(false)));
    assert_eq!((&told["lines"][0]["group"], &told["lines"][4]["group"]), (&json!(0), &json!(1)));
    let body = json!({ "text": ROBOTS, "url": "/private/open/x" });
    assert_eq!(service.post("/v1/test", format!("\u{feff}{body}")).json()["line"], 3);
    // A sitemap belongs to the whole file.
    assert_eq!((&told["lines"][8]["kind"], &told["lines"][8]["group"]), (&json!("sitemap"), &Value::Null));
    let told = test(
        json!({ "text": ROBOTS, "url": "https://a.example/drafts", "agent": "GPTBot", "usage": "index" }),
    );
    assert_eq!(fates(&told), [(2, "other-group"), (3, "other-group"), (6, "other-usage"), (7, "decides")]);
    let text = "User-agent: *\nDisallow: /a\nAllow: /a\nDisallow: /a\nDisallow:\nDisallow: /b*c\n";
    let told = test(json!({ "text": text, "url": "/a" }));
    assert_eq!(fates(&told), [(2, "beaten"), (3, "decides"), (4, "beaten"), (5, "none"), (6, "no-match")]);
    assert_eq!(
        told["lines"][1]["why"],
        "matches, and is as long as line 3, but of equal length the permission wins"
    );
    assert!(!told["lines"][1]["remarks"].as_array().unwrap().is_empty(), "{told}");
    let told = test(json!({ "text": text, "url": "/a", "profile": "koster" }));
    assert_eq!(fates(&told)[..2], [(2, "decides"), (3, "beaten")]);
    assert_eq!(told["lines"][2]["why"], "matches, but line 2 stands before it");
    let told = test(json!({ "text": "User-agent: *\nDisallow: /\n", "url": "/robots.txt" }));
    assert_eq!((&told["verdict"], &fates(&told)), (&json!("allowed"), &vec![(2, "beaten")]));
    // A record about uses of content decides about its own usage only.
    let text = "User-agent: *\nContent-Signal: ai-train=no\nDisallow: /a\n";
    let ask = |usage: &str| test(json!({ "text": text, "url": "/b", "usage": usage }));
    let told = ask("ai-train");
    assert_eq!((&told["verdict"], &told["crawl"]), (&json!("disallowed"), &json!("allowed")));
    assert_eq!(
        (&told["lines"][1]["fate"], &told["lines"][1]["why"]),
        (&json!("decides"), &json!("decides: one refusal suffices"))
    );
    assert_eq!(told["statements"][0]["why"], told["lines"][1]["why"]);
    let told = ask("search");
    assert_eq!((&told["verdict"], &told["lines"][1]["fate"]), (&json!("unknown"), &json!("stands")));
    assert_eq!(told["lines"][1]["why"], "wins in its language, but says nothing about the usage");
    let told = ask("crawl");
    assert_eq!(told["lines"][1]["why"], "speaks of uses of the content, not of fetching it");
    assert_eq!(told["lines"][0]["why"], Value::Null);
    // An HTML page in place of a robots.txt has lines, but no rules.
    let told = test(json!({ "text": "<!doctype html><p>x", "url": "/" }));
    assert_eq!((&told["outcome"], fates(&told).len()), (&json!("not-robots"), 0));
}

#[test]
fn fields_of_acap_are_tested_too() {
    let service = Service::start();
    let text = include_str!("../../tests/golden/acap-pilot/robots.txt");
    let body = json!({ "text": text, "url": "http://a.example/public", "usage": "index" });
    let told = service.post("/v1/test", body.to_string()).json();
    let decides: Vec<_> = fates(&told).into_iter().filter(|(_, fate)| *fate == "decides").collect();
    assert_eq!((&told["verdict"], decides), (&json!("allowed"), vec![(14, "decides")]));
    assert!(fates(&told).contains(&(15, "beaten")), "{told}");
}

/// The made-up language of the tests, of which the tester knows nothing.
#[test]
fn any_language_is_tested() {
    let service = Service::start();
    let body = json!({ "text": "User-agent: *\nRead-Aloud: no /x\n", "url": "/x", "usage": "read-aloud" });
    let told = service.post("/v1/test", body.to_string()).json();
    let decides: Vec<_> = fates(&told).into_iter().filter(|(_, fate)| *fate == "decides").collect();
    assert_eq!((&told["verdict"], decides), (&json!("disallowed"), vec![(2, "decides")]), "{told}");
}

#[test]
fn wrong_tests_are_refused() {
    let service = Service::start();
    let refused = |body: &str, status: u16| service.post("/v1/test", body).refused(status);
    assert!(refused("", 400).contains("not a JSON object"));
    assert!(refused(r#"{"text": "", "url": ""}"#, 400).contains("the root"));
    assert!(refused(r#"{"text": "", "url": "x y"}"#, 400).contains("is not a URL: it begins with neither"));
    assert!(refused(r#"{"text": "", "url": "/", "agents": "a"}"#, 400).contains("unknown field `agents`"));
    assert!(refused(r#"{"text": "", "url": "/", "profile": "x"}"#, 400).contains("no profile"));
    let long = json!({ "text": "", "url": format!("/{}", "a".repeat(4096)) }).to_string();
    assert!(refused(&long, 413).contains("2048 bytes"));
    assert!(refused(&" ".repeat(TEST + 1), 413).contains("bytes"));
}

#[test]
fn hostile_texts_are_told_as_text() {
    let service = Service::start();
    for text in [
        "<script>alert(1)</script>\nUser-agent: <img src=x onerror=alert(1)>\nDisallow: /\"><b>\n",
        "User-agent: *\nDisallow: /\u{202e}txt\u{0}\u{7f}\u{feff}\n",
        &"\n".repeat(100_000),
        &"User-agent: *\n".repeat(40_000),
        &format!("User-agent: *\n{}", "Disallow: /*a*b*c\n".repeat(20_000)),
        &"x".repeat(600_000),
    ] {
        let body = json!({ "text": text, "url": "/ab", "agent": "*" }).to_string();
        let told = service.post("/v1/test", body).json();
        let lines = told["lines"].as_array().unwrap();
        assert!(lines.len() <= robomaton_explain::LINES);
        let first = text.lines().next().unwrap_or_default();
        if told["unread"] == 0 {
            assert_eq!(lines[0]["text"], first);
        }
    }
}

#[test]
fn what_takes_too_long_to_explain_is_refused() {
    let service = Service::start();
    let groups = "User-agent: a\nDisallow: /\n".repeat(6_000);
    let fields: String = (0..600)
        .map(|n| format!("ACAP-{}-crawl: /*{n}\n", if n % 2 == 0 { "allow" } else { "disallow" }))
        .collect();
    let fields = format!("ACAP-crawler: *\n{fields}");
    for text in [&groups, &fields] {
        let body = json!({ "text": text, "url": "/0123456789" }).to_string();
        assert!(service.post("/v1/test", body).refused(422).contains("too much to be explained here"));
    }
    let hostile = Service::with(|options| {
        let captures = [capture("a.example", 200, &groups), capture("b.example", 200, &fields)];
        compile(&captures.join("\n"), &options.image);
    });
    for host in ["a", "b"] {
        let answer = hostile.get(&format!("/v1/explain?url=https://{host}.example/0123456789"));
        assert!(answer.refused(422).contains("`robomaton explain`"));
        assert_eq!(hostile.get(&format!("/v1/decide?url=https://{host}.example/0")).status, 200);
    }
}

/// The limits are those of the document that is asked about, not of robots.txt beside it.
#[test]
fn limits_are_those_of_the_document() {
    let groups = "User-agent: a\nDisallow: /\n\n".repeat(6_000);
    let short = "User-agent: *\nDisallow: /x\n";
    let of = |host: &str, name: &str, text: &str| {
        let url = format!("https://{host}.example/{name}");
        json!({ "url": url, "status": 200, "body": text }).to_string()
    };
    let service = Service::with(|options| {
        let captures = [
            of("a", "robots.txt", &groups),
            of("a", "data.txt", short),
            of("b", "robots.txt", short),
            of("b", "data.txt", &groups),
        ];
        compile(&captures.join("\n"), &options.image);
    });
    let status = |host: &str, document: &str| {
        let url = format!("https://{host}.example/x&document={document}");
        assert_eq!(service.get(&format!("/v1/decide?url={url}")).status, 200);
        service.get(&format!("/v1/explain?url={url}")).status
    };
    assert_eq!((status("a", "robots.txt"), status("a", "data.txt")), (422, 200));
    assert_eq!((status("b", "robots.txt"), status("b", "data.txt")), (200, 422));
}

#[test]
fn the_page_asks_nobody_else() {
    let service = Service::start();
    for (path, kind) in [
        ("/", "text/html; charset=utf-8"),
        ("/sites", "text/html; charset=utf-8"),
        ("/style.css", "text/css; charset=utf-8"),
        ("/tester.js", "text/javascript; charset=utf-8"),
        ("/common.js", "text/javascript; charset=utf-8"),
        ("/files.js", "text/javascript; charset=utf-8"),
        ("/lines.js", "text/javascript; charset=utf-8"),
        ("/link.js", "text/javascript; charset=utf-8"),
        ("/sites.js", "text/javascript; charset=utf-8"),
        ("/tables.js", "text/javascript; charset=utf-8"),
        ("/icon.svg", "image/svg+xml"),
    ] {
        let answer = service.get(path);
        assert_eq!(answer.status, 200);
        assert!(answer.head.contains(&format!("content-type: {kind}\r\n")), "{}", answer.head);
        assert!(answer.head.contains("content-security-policy: default-src 'none'; script-src 'self'; "));
        assert!(answer.head.contains("x-content-type-options: nosniff"), "{}", answer.head);
        assert!(!answer.head.contains("access-control-allow-origin"), "{}", answer.head);
        let text = answer.text();
        let elsewhere =
            text.replace("http://www.w3.org/2000/svg", "").replace("https://www.example.com/", "");
        assert!(!elsewhere.contains("https://a") && !elsewhere.contains("src=\"http"), "{path}");
        assert!(
            !text.contains("innerHTML") && !text.contains(" onclick=") && !text.contains("<style"),
            "{path}"
        );
    }
}

#[test]
fn names_that_are_not_ours_are_not_answered() {
    let service = Service::with(|options| options.hosts.push("Robots.example".to_owned()));
    let port = service.address.port();
    let ask = |host: &str| {
        let mut client = service.client();
        client.send(format!("GET /healthz HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes());
        client.answer().unwrap().status
    };
    for host in
        ["localhost", "LOCALHOST:1", "127.0.0.1", "10.1.2.3:80", "[::1]", "[::1]:8080", "robots.example:80"]
    {
        assert_eq!(ask(host), 200, "{host}");
    }
    for host in [
        "evil.example",
        &format!("evil.example:{port}"),
        "localhost.evil.example",
        "[evil]:1",
        "",
        "[::1]evil.example",
        "[127.0.0.1].evil.example",
        "[127.0.0.1]",
        "localhost:evil.example",
        "localhost:1:1",
        "a@localhost",
        "127.0.0.1, localhost",
    ] {
        assert_eq!(ask(host), 421, "{host}");
    }
    for (head, status) in [
        ("GET /healthz HTTP/1.1\r\n", 400),
        ("GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n", 400),
        // The name in the target counts, and not the header.
        ("GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost\r\n", 421),
        ("GET http://localhost/healthz HTTP/1.1\r\nHost: localhost\r\n", 200),
    ] {
        let mut client = service.client();
        client.send(format!("{head}\r\n").as_bytes());
        assert_eq!(client.answer().unwrap().status, status, "{head}");
    }
}

#[test]
fn what_happens_is_counted() {
    let service = Service::start();
    service.get("/v1/decide?url=https://a.example/private");
    service.get("/v1/decide?url=https://a.example/");
    service.get("/v1/decide");
    service.get("/nowhere");
    service.post("/v1/decide", r#"[{"url": "https://a.example/"}]"#);
    let text = service.get("/metrics");
    let metrics = text.text();
    for line in [
        "robomaton_requests_total{endpoint=\"/v1/decide\",status=\"200\"} 3",
        "robomaton_requests_total{endpoint=\"/v1/decide\",status=\"400\"} 1",
        "robomaton_requests_total{endpoint=\"other\",status=\"404\"} 1",
        "robomaton_decisions_total{verdict=\"allowed\"} 2",
        "robomaton_decisions_total{verdict=\"disallowed\"} 1",
        "robomaton_decisions_total{verdict=\"unknown\"} 0",
        "robomaton_request_duration_seconds_count{endpoint=\"/v1/decide\"} 4",
        "robomaton_reloads_total{result=\"failed\"} 0",
        "robomaton_image_sites 4",
        "# EOF",
    ] {
        assert!(metrics.lines().any(|told| told == line), "{line}\n{metrics}");
    }
    let health = service.get("/healthz").json();
    assert_eq!((&health["status"], &health["sites"]), (&json!("ok"), &json!(4)));
}
