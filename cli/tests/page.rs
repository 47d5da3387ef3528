//! `page`: one page and its robots.txt.

mod common;

use common::Place;

const PAGE: &str = "\
<html><head>
<META name=\"robots\" content=\"ACAP Version 1.1\"><meta name=robots content=\"ACAP allow-index time-limit=3-days\">
<meta name=\"MyBot\" content=\"ACAP news allow-present-snippet\">
<meta name=\"otherbot\" content=\"ACAP disallow-index\">
<meta name=\"robots\" content=\"noarchive, noodp\">
<meta name=\"robots\" content=\"ACAP what\">
</head><body>
  <p>x</p><div id=\"teaser\" class=\"big the-acap:disallow-present-snippet\">x</div>
<p class=\"the-acap:allow-preserve\">y</p><p class=\"the-acap:allow-dance the-acap:idlist:a,b\">z</p>
</body></html>
";

fn place() -> Place {
    let place = Place::new();
    place.write("a.html", PAGE);
    place.write("robots.txt", "ACAP-crawler: *\nACAP-disallow-index: /\nACAP-disallow-follow: /a\n");
    place
}

const URL: &str = "https://a.example/a.html";

fn ask<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["page", "a.html", "--url", URL], more].concat()
}

#[test]
fn a_page_answers_by_exit_code() {
    let place = place();
    let run = |more: &[&str]| {
        let run = place.run(&ask(more));
        let verdict =
            run.out.lines().find(|line| line.starts_with("verdict ")).unwrap_or_default().to_owned();
        (run.code, verdict)
    };
    let (code, verdict) = run(&["-a", "a", "--usage", "index"]);
    assert_eq!(
        (code, verdict.as_str()),
        (
            1,
            "verdict  disallowed: what is missing may prohibit it; without that it is conditional: line 2 of the page permits it, and nothing as narrow prohibits it"
        )
    );
    // A missing robots.txt might name the crawler.
    let out = place.run(&ask(&["-a", "a", "--usage", "index"])).out;
    assert!(out.ends_with("(--image or --robots), so that conditional counts as disallowed\n"), "{out}");
    let (code, verdict) = run(&["-a", "a", "--usage", "index", "--robots", "robots.txt"]);
    assert_eq!(code, 1);
    assert!(
        verdict.ends_with("nothing as narrow prohibits it; the page itself overrides line 2"),
        "{verdict}"
    );
    let (code, verdict) = run(&["-a", "otherbot", "--usage", "index"]);
    assert_eq!(
        (code, verdict.as_str()),
        (
            1,
            "verdict  disallowed: line 4 of the page prohibits it, and nothing as narrow permits it; the page itself overrides line 2 of the page"
        )
    );
    let (code, verdict) = run(&["-a", "a", "--usage", "follow"]);
    assert_eq!(code, 1);
    let start = "verdict  disallowed: what is missing may prohibit it; without that it is allowed: ";
    assert!(verdict.starts_with(start), "{verdict}");
    assert!(
        run(&["-a", "a", "--usage", "follow", "--robots", "robots.txt"])
            .1
            .contains("disallowed: line 3 prohibits")
    );
    let (code, verdict) = run(&["-a", "a", "--usage", "present-link", "--robots", "robots.txt"]);
    assert_eq!(code, 0);
    assert!(verdict.starts_with("verdict  allowed: "), "{verdict}");
    place.run(&["page", "a.html", "--url", URL]).fails("--agent");
    place.run(&["page", "a.html", "-a", "x"]).fails("--url");
    place.run(&["page", "missing", "--url", URL, "-a", "x"]).fails("missing");
    place.run(&["page", "a.html", "--url", "nowhere", "-a", "x"]).fails("nowhere");
    let run = place.run_with(&["page", "-", "--url", URL, "-a", "x", "--usage", "index"], PAGE);
    assert_eq!(run.code, 1);
}

/// M11: the permission of an element beside a prohibition of its page.
#[test]
fn an_element_may_permit_what_its_page_prohibits() {
    let place = Place::new();
    let html =
        r#"<META name="robots" content="ACAP disallow-index"><DIV class="the-acap:allow-index">x</DIV>"#;
    place.write("a.html", html);
    let run = |more: &[&str]| place.run(&ask(&[&["-a", "x", "--usage", "index"], more].concat())).out;
    let [with, without] = [run(&["--elements"]), run(&[])];
    assert!(with.contains("permits index for this element"), "{with}");
    assert!(!without.contains("permits index for this element"), "{without}");
    assert!(with.contains("verdict  disallowed") && without.contains("verdict  disallowed"), "{with}");
}

#[test]
fn tags_mean_what_they_mean_for_the_asker() {
    let place = place();
    let out = place
        .run(&ask(&["-a", "mybot", "--usage", "present-snippet", "--purpose", "news", "--elements"]))
        .out;
    for expected in [
        "version  1.1, line 2\n",
        "           2:1     robots: ACAP Version 1.1\n                   ACAP version 1.1  version\n",
        "           2:48    robots: ACAP allow-index time-limit=3-days\n",
        "permits index only if time-limit=3-days  of another usage\n",
        "permits present-snippet for news  <- decides\n",
        "prohibits index  for another crawler\n",
        "prohibits present-currentcopy, prohibits present-oldcopy  of another usage\n",
        "           6:1     neither a version nor a permission nor a prohibition\n",
        "div id \"teaser\" at ",
        "prohibits present-snippet for this element\n",
        "permits preserve for this element  of another usage\n",
        "prohibits dance for this element: what is not understood is not permitted",
        "class the-acap:idlist:a,b: a set of elements has no meaning\n",
        "verdict  disallowed: what is missing may prohibit it; without that it is allowed: line 3 of the page",
    ] {
        assert!(out.contains(expected), "{expected}\n{out}");
    }
    let out = place.run(&ask(&["-a", "mybot", "--usage", "present-snippet", "--purpose", "news"])).out;
    assert!(
        out.contains("prohibits preserve for the whole page, to one who does not work on elements"),
        "{out}"
    );
    assert!(out.contains("permits present-snippet for news  overridden\n"), "{out}");
    assert!(out.contains("verdict  disallowed: line 8 of the page prohibits it"), "{out}");
}

#[test]
fn a_page_in_json() {
    let place = place();
    let run = place.run(&ask(&["-a", "a", "--usage", "index", "--json", "--robots", "robots.txt"]));
    let report = &run.json()[0];
    assert_eq!((run.code, &report["verdict"], &report["line"]), (1, &"conditional".into(), &2.into()));
    assert_eq!(report["conditions"], serde_json::json!(["time-limit=3-days"]));
    assert_eq!(report["version"], serde_json::json!({ "major": 1, "minor": 1, "line": 2 }));
    assert_eq!(report["rules"][0]["rule"], "META ACAP allow-index time-limit=3-days");
    let tag = serde_json::json!({
        "line": 2, "column": 48, "name": "robots", "content": "ACAP allow-index time-limit=3-days",
        "says": "permits index only if time-limit=3-days", "applies": true, "fate": "decides"
    });
    assert_eq!(report["tags"][1], tag);
    let part = &report["parts"][0];
    assert_eq!((&part["line"], &part["column"], &part["id"]), (&8.into(), &11.into(), &"teaser".into()));
    assert_eq!(part["token"], "the-acap:disallow-present-snippet");
    assert!(part["path"].as_str().unwrap().starts_with("body>div"), "{part}");
    assert_eq!(report["problems"].as_array().unwrap().len(), 2);
}

#[test]
fn pages_and_images() {
    let place = place();
    let line = |host: &str, status: u16, body: &str| {
        let url = format!("https://{host}.example/robots.txt");
        serde_json::json!({ "url": url, "status": status, "body": body }).to_string()
    };
    let named = "ACAP-crawler: mybot\nACAP-disallow-index: /\n";
    place.write("captures.jsonl", [line("a", 200, named), line("down", 503, "")].join("\n"));
    place.run(&["compile", "captures.jsonl", "-o", "i.rimg"]).ok();
    let verdict = |url: &str, agent: &str, usage: &str| {
        let run = place.run(&[
            "page", "a.html", "--url", url, "--image", "i.rimg", "-a", agent, "--usage", usage, "--json",
        ]);
        assert!(run.err.is_empty(), "{run:?}");
        run.json()[0]["verdict"].as_str().unwrap().to_owned()
    };
    assert_eq!(verdict(URL, "mybot", "index"), "disallowed");
    assert_eq!(verdict(URL, "a", "index"), "conditional");
    assert_eq!(verdict(URL, "a", "crawl"), "allowed");
    assert_eq!(verdict("https://down.example/a.html", "a", "crawl"), "disallowed");
    assert_eq!(verdict("https://down.example/a.html", "a", "index"), "disallowed");
    let run = place.run(&["page", "a.html", "--url", "https://z.example/", "--image", "i.rimg", "-a", "a"]);
    assert!(run.code == 1 && run.err.contains("does not contain the site"), "{run:?}");
    place.write(
        "elsewhere.html",
        "<meta name=robots content=\"ACAP allow-index location=https://a.example/b\">",
    );
    let run = place.run(&["page", "elsewhere.html", "--url", URL, "-a", "a", "--usage", "index"]);
    assert!(
        run.out.contains("prohibits index, as the page is not where the tag says  <- decides"),
        "{run:?}"
    );
}

#[test]
fn a_group_that_names_the_crawler_goes_before_what_a_page_tells_any() {
    let place = Place::new();
    place.write("robots.txt", "User-agent: a\nDisallow: /\n");
    place.write("a.html", "<meta name=robots content=\"ACAP allow-crawl\">");
    let out = |agent| place.run(&ask(&["-a", agent, "--robots", "robots.txt"])).out;
    let told = out("a");
    assert!(told.contains("permits crawl  overridden\n"), "{told}");
    assert!(told.contains("verdict  disallowed: line 2 prohibits it"), "{told}");
    assert!(told.ends_with("a group that names the crawler overrides line 1 of the page\n"), "{told}");
    assert!(out("b").contains("verdict  allowed: line 1 of the page permits it"));
}

#[test]
fn any_bytes_are_a_page() {
    let place = Place::new();
    let pages: [&[u8]; 6] = [
        b"",
        b"\xff\xfe<\0m\0",
        b"<meta name=robots content=\"ACAP\"><p class=the-acap:><p class=\"the-acap:allow-(x)\">",
        b"<meta name=\xe9 content=\"ACAP allow-index\"><meta name=robots content=\"ACAP * allow-index x=\">",
        b"<meta name='*' content='ACAP disallow-crawl'><meta name=robots content='ACAP version 9.9'>",
        b"<?xml version='1.0'?><html><body class='acap:disallow-crawl'/></html>",
    ];
    let escape =
        "<meta name='ro\u{7}bot' content='ACAP allow-index x=\u{1b}[2J'><p class='the-acap:\u{1b}[2J'>";
    let run = place.run_with(&["page", "-", "--url", URL, "-a", "x", "--usage", "index"], escape);
    assert!(run.code < 2 && !run.out.contains(['\u{1b}', '\u{7}']), "{run:?}");
    for page in pages {
        for url in ["https://a.example", "https://a.example/*$?%zz#x", "/", ""] {
            for more in [&[][..], &["--json"], &["--elements"]] {
                let arguments = [&["page", "-", "--url", url, "-a", "*"], more].concat();
                let run = place.run_with(&arguments, page);
                assert!(run.code < 2, "{page:?} {url} {run:?}");
            }
        }
    }
}

#[test]
fn the_help_has_examples() {
    let help = Place::new().run(&["page", "--help"]).ok();
    assert!(help.contains("\n  robomaton page ") && help.contains("Exit codes"), "{help}");
}

#[test]
fn an_image_answers_with_the_files_it_holds() {
    let place = place();
    let line = |path: &str, body: &str| {
        let url = format!("https://a.example{path}");
        serde_json::json!({ "url": url, "status": 200, "content_type": "text/plain", "body": body })
            .to_string()
    };
    let robots = "ACAP-crawler: far\nACAP-permissions-reference: /far.txt\nACAP-crawler: lost\n\
                  ACAP-permissions-reference: /lost.txt\nUser-agent: *\nDisallow: /c\n";
    let far = "ACAP-crawler: far\nACAP-disallow-follow: /a\nACAP-allow-train: / time-limit=3-days\n";
    place.write("captures.jsonl", [line("/robots.txt", robots), line("/far.txt", far)].join("\n"));
    place.run(&["compile", "captures.jsonl", "-o", "i.rimg"]).ok();
    let ask = |agent, usage, more: &[&str]| {
        place.run(&[&ask(&["--image", "i.rimg", "-a", agent, "--usage", usage]), more].concat())
    };
    for usage in ["crawl", "follow", "train", "present-link"] {
        for agent in ["far", "x", "lost"] {
            let run = ask(agent, usage, &["--json"]);
            assert!(run.code < 2, "{run:?}");
            let query = ["query", "i.rimg", "--json", "-a", agent, "--usage", usage, URL];
            let answer = &place.run(&query).json()[0];
            for key in ["verdict", "decision", "incomplete", "basis", "rules", "conditions"] {
                assert_eq!(run.json()[0][key], answer[key], "{agent} {usage} {key}");
            }
            assert_eq!(answer["incomplete"], agent == "lost");
        }
    }
    let out = ask("far", "follow", &[]).out;
    assert!(out.contains("verdict  disallowed: line 2 of /far.txt prohibits it"), "{out}");
    let out = ask("far", "index", &[]).out;
    assert!(out.contains("verdict  conditional: line 2 of the page permits it"), "{out}");
    // Supplied files are read with the text, in place of the image's.
    place.write("empty.txt", "ACAP-crawler: far\nACAP-allow-follow: /\n");
    let run = ask("far", "follow", &["--with", "/far.txt=empty.txt"]);
    assert_eq!(run.code, 0, "{run:?}");
    place.run(&["page", "i.rimg", "--url", URL, "-a", "x"]).fails("is an image");
    place.run(&["page", "a.html", "--url", URL, "-a", ""]).fails("names no crawler");
}

#[test]
fn tags_that_say_less_than_they_seem_to_are_explained() {
    let place = Place::new();
    let tag = |name: &str, content: &str| format!("<meta name=\"{name}\" content=\"{content}\">");
    let run = |tags: &str, usage: &str| {
        place.write("b.html", format!("<html><head>{tags}</head></html>"));
        place.run(&["page", "b.html", "--url", URL, "-a", "a", "--usage", usage]).out
    };
    let told = run(&tag("robots", "ACAP disallow-index,disallow-follow"), "follow");
    let says = "prohibits index, prohibits follow; the rest cannot be understood  <- decides";
    assert!(told.contains(says) && told.contains("verdict  disallowed"), "{told}");
    let later = tag("robots", "ACAP allow-index ref=x");
    let told = run(&later, "index");
    assert!(told.contains("ignored: `ref` came with version 1.1, and the page states no version"), "{told}");
    let told = run(&format!("{}{later}", tag("robots", "ACAP Version 1.0")), "index");
    assert!(told.contains("and the page states version 1.0"), "{told}");
    let told = run(&tag("robots", "ACAP: disallow-index"), "index");
    assert!(told.contains("`ACAP` is followed by white space, not by another sign"), "{told}");
    assert!(told.contains("prohibits index; the rest cannot be understood  <- decides"), "{told}");
    let told = run(&tag("robots", "ACAP allow-index soon"), "index");
    assert!(told.contains("nobody can meet the condition soon\n"), "{told}");
}

/// The tags are those of the page that is asked for, however its URL is written (R9).
#[test]
fn tags_count_under_every_spelling_of_the_url() {
    let place = Place::new();
    place.write("b.html", "<meta name=robots content='noindex, noai'>");
    place.write("r.txt", "User-agent: *\nContent-Signal: ai-train=yes\nDisallow: /y\n");
    let spellings = [
        "https://a.example/p",
        "https://a.example/p\r",
        " https://a.example/p ",
        "https://a.example/a\tb",
        "https://a.example\\p",
        "https:/a.example/p",
        "https://a.example",
        "https://a.example?u=http://b.example/z#x",
        "/x?u=http://b.example/z",
        "/p#://",
        "/p\tq",
    ];
    for url in spellings {
        let asked = ["--usage", "ai-train", "-a", "a", "--robots", "r.txt"];
        let run = place.run(&[&["page", "b.html", "--url", url], &asked[..]].concat());
        assert_eq!(run.code, 1, "{url:?}: {}", run.out);
        assert!(run.out.contains("verdict  disallowed"), "{url:?}: {}", run.out);
    }
}

/// For a site with more documents about uses, `page` answers as `query` does for the stored page.
#[test]
fn documents_of_the_site_count_as_in_the_image() {
    let place = Place::new();
    let line = |path: &str, status: u16, body: &str| {
        serde_json::json!({ "url": format!("https://a.example{path}"), "status": status, "body": body })
            .to_string()
    };
    let robots = "User-agent: *\nContent-Signal: ai-train=yes\n";
    let silent = "<html><head><title>x</title></head></html>";
    let reserved = "<html><head><meta name=tdm-reservation content=0></head></html>";
    let policy = "<html><head><meta name=tdm-policy content='https://a.example/own'></head></html>";
    let tdm = r#"[5,{"location":"/free","tdm-reservation":0},{"location":"/a","tdm-reservation":1},
        {"location":"/","tdm-reservation":1,"tdm-policy":"https://a.example/p"}]"#;
    let gap = r#"[{"location":"https://b.example/","tdm-reservation":1},{"location":"/free","tdm-reservation":0},
        {"tdm-reservation":1},{"location":"/","tdm-reservation":0}]"#;
    let (tdmrep, ai_txt) = ("/.well-known/tdmrep.json", "/ai.txt");
    for (path, status, body) in [
        (tdmrep, 200, tdm),
        (tdmrep, 200, gap),
        (tdmrep, 200, "[{\"location\":\"/\","),
        (tdmrep, 500, ""),
        (tdmrep, 404, ""),
        (ai_txt, 200, "User-agent: *\nDisallow: /\nAllow: /free\n"),
        (ai_txt, 200, "User-agent: other\nDisallow: /\n"),
        (ai_txt, 500, ""),
    ] {
        for (page, html) in [
            ("/a.html", silent),
            ("/free.html", silent),
            ("/b.html", silent),
            ("/a.html", reserved),
            ("/a.html", policy),
            ("/b.html", policy),
        ] {
            let lines = [line("/robots.txt", 200, robots), line(path, status, body), line(page, 200, html)];
            place.write("captures.jsonl", lines.join("\n"));
            place.write("p.html", html);
            place.run(&["compile", "captures.jsonl", "--pages", "-o", "i.rimg", "--force"]).ok();
            let url = &format!("https://a.example{page}");
            let verdict = |arguments: &[&str], usage: &str| {
                let run = place.run(&[arguments, &["--agent", "x", "--usage", usage, "--json"]].concat());
                let told: serde_json::Value = serde_json::from_str(&run.out).expect(&run.err);
                ["verdict", "incomplete", "conditions"].map(|key| told[key].clone())
            };
            for usage in ["ai-train", "tdm", "index"] {
                let stored = verdict(&["query", "i.rimg", url], usage);
                let read = verdict(&["page", "p.html", "--url", url, "--image", "i.rimg"], usage);
                assert_eq!(stored, read, "{path} {body} {page} {html} {usage}");
            }
        }
    }
}

#[test]
fn silence_is_incomplete_without_a_robots_txt() {
    let place = Place::new();
    place.write("s.html", "<html><head><title>x</title></head></html>");
    place.write("robots.txt", "");
    let ask = |more: &[&str]| {
        place.run(&[&["page", "s.html", "--url", URL, "-a", "a", "--usage", "search"], more].concat())
    };
    let run = ask(&[]);
    assert_eq!(run.code, 1);
    assert!(run.out.ends_with("(--image or --robots), so that allowed counts as disallowed\n"), "{run:?}");
    assert_eq!(ask(&["--robots", "robots.txt"]).code, 0);
}
