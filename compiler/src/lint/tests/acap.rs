//! Findings about records, their references, and pages.

use super::*;

#[test]
fn records_that_go_on() {
    let text = "ACAP-crawler: a\nACAP-allow-crawl: /x\nUser-agent: *\nDisallow: /y\nACAP-disallow-crawl: /\n\
                ACAP-allow-index: /x\nUser-agent: b\nDisallow: /y\nACAP-disallow-index: /\n";
    assert_eq!(said(text), [("acap-suspended-record", 5), ("acap-suspended-record", 9)]);
    assert_eq!(said(&text.replace("/y\nACAP", "/y\nACAP-crawler: c\nACAP")), []);
    let purposes = "ACAP-crawler: a\nACAP-usage-purpose: p\nACAP-usage-purpose: q\nACAP-crawler: b\n\
                    ACAP-usage-purpose: p\nACAP-disallow-crawl: /\nACAP-usage-purpose: q\n";
    assert_eq!(said(purposes), [("acap-empty-sub-record", 2), ("acap-empty-sub-record", 7)]);
    assert_eq!(said(&purposes.replace("q\n", "q\nACAP-disallow-crawl: /z/\n").replace("b\n", "b\n\n")), []);
}

#[test]
fn names_that_no_crawler_can_give() {
    let record = |name: &str| said(&format!("ACAP-crawler: {name}\nACAP-disallow-crawl: /\n"));
    for name in ["\"Acme\"", "'Acme'", "B\u{f6}t", "+Bot", "Mozilla/5.0 (X11; Linux x86_64)"] {
        assert_eq!(record(name), [("acap-unusable-name", 1)], "{name}");
    }
    for name in ["*", "a", "Acme News Reader", "Mozilla/5.0 (compatible; FooBot/1.0)", "Bot/1.0"] {
        assert_eq!(record(name), [], "{name}");
    }
}

#[test]
fn rules_that_fields_contradict() {
    let pair = |agent: &str, rule: &str, crawler: &str, field: &str| {
        said(&format!("User-agent: {agent}\n{rule}\nACAP-crawler: {crawler}\n{field}\n"))
    };
    let dropped = [("acap-contradicted-rule", 2)];
    assert_eq!(pair("*", "Disallow: /a", "*", "ACAP-allow-crawl: /A"), dropped);
    assert_eq!(pair("A", "Disallow: /a", "a", "ACAP-allow-crawl: /a"), dropped);
    assert_eq!(pair("*", "Disallow: /a", "a", "ACAP-allow-crawl: /a"), dropped);
    assert_eq!(pair("a", "Disallow: /a", "*", "ACAP-allow-crawl: /a"), dropped);
    let noindex = [("unread-noindex", 2), ("acap-contradicted-rule", 2)];
    assert_eq!(pair("*", "Noindex: /a", "*", "ACAP-allow-index: /a"), noindex);
    assert_eq!(pair("a", "Disallow: /a", "b", "ACAP-allow-crawl: /a"), []);
    assert_eq!(pair("*", "Disallow: /a", "*", "ACAP-allow-index: /a"), []);
    assert_eq!(pair("*", "Disallow: /a", "*", "ACAP-disallow-crawl: /a"), []);
    assert_eq!(pair("*", "Disallow: /a", "*", "ACAP-allow-crawl: /a$"), []);
    // A crawler with its own group does not read the group for any crawler.
    assert_eq!(pair("*", "Disallow: /a\nUser-agent: b\nDisallow: /b", "b", "ACAP-allow-crawl: /a"), []);
    // Fields that name a crawler may override those for any.
    assert_eq!(
        pair("a", "Disallow: /a", "*", "ACAP-allow-crawl: /a\nACAP-crawler: A\nACAP-disallow-crawl: /"),
        []
    );
    let purposes = "ACAP-usage-purpose: p\nACAP-allow-crawl: /a";
    assert_eq!(pair("*", "Disallow: /a", "*", purposes), []);
}

#[test]
fn resources_to_be_used() {
    let text = |line: &str, rest: &str| {
        let options = "must-use-resource=";
        said(&format!(
            "ACAP-crawler: b\nACAP-disallow-crawl: /x/\nACAP-allow-index: /a {options}{line}\n{rest}"
        ))
    };
    let both = [("acap-by-prior-arrangement", 3), ("acap-used-resource-not-crawlable", 3)];
    let mut both = both.to_vec();
    let mut sorted = text("/x/y", "");
    sorted.sort_unstable();
    both.sort_unstable();
    assert_eq!(sorted, both);
    assert_eq!(text("/x", ""), [both[0]]);
    assert_eq!(text("https://a.example/x/y#z", "").len(), 2);
    assert_eq!(text("https://b.example/x/y", ""), [both[0]]);
    assert_eq!(text("x/y", ""), [both[0]]);
    assert_eq!(text("the-acap:extract:id:x", ""), [both[0]]);
    // Conventional rules count, and crawlers that no group names read those for any.
    assert_eq!(text("/z", "User-agent: *\nDisallow: /z\n").len(), 2);
    assert_eq!(text("/z", "User-agent: c\nDisallow: /z\n"), [both[0]]);
    let any = "ACAP-crawler: *\nACAP-disallow-crawl: /x\nACAP-allow-present: / must-include-resource=/x\n";
    assert_eq!(said(any).len(), 2);
    let some = any.replace("ACAP-crawler: *", "ACAP-crawler: a\nACAP-crawler: b");
    let own = format!("{some}ACAP-crawler: b\nACAP-allow-crawl: /x$\n");
    assert_eq!((said(&some).len(), said(&own).len()), (2, 2));
    let purposes = any.replace("ACAP-dis", "ACAP-usage-purpose: p\nACAP-usage-purpose: p*\nACAP-dis");
    assert_eq!(said(&purposes).len(), 2);
}

#[test]
fn what_is_not_ready() {
    let field = |field: &str| said(&format!("ACAP-crawler: *\nACAP-{field}\n"));
    assert_eq!(field("allow-present-snippet: /a must-use-resource=/b"), [("acap-not-ready", 2)]);
    assert_eq!(field("allow-present: /a must-include-resource=the-acap:link:id:b"), [("acap-not-ready", 2)]);
    assert_eq!(field("allow-present-link: /a must-include-resource=/b"), [("acap-not-ready", 2)]);
    assert_eq!(field("allow-index: /a must-include-resource=/b"), [("acap-misplaced-qualifier", 2)]);
    let request = [("acap-not-ready", 2), ("acap-request-is-a-pattern", 2)];
    assert_eq!(field("request-take-down: /a*"), request);
    assert_eq!(field("request-take-down: /a$"), request);
    assert_eq!(field("request-take-down: /a"), request[..1]);
    let pilot = "##ACAP version=0.2\nACAP-crawler: *\nACAP-request-re-crawl: /a\n\
                 ACAP-allow-present: /a must-include-resource=/b\nACAP-allow-index: /c must-use-resource=/d\n";
    assert_eq!(said(pilot), []);
    assert_eq!(field("allow-other: /a"), [("acap-permission-of-other", 2)]);
    assert_eq!(field("allow-index: /a time-limit=Until-Recrawl"), [("acap-misspelled-value", 2)]);
    assert_eq!(field("allow-index: /a time-limit=until-recrawled"), []);
    let order = "ACAP-composite-usage: c (q)\nACAP-qualified-usage: q index time-limit=3-days\n\
                 ACAP-crawler: *\nACAP-allow-(c): /\n";
    assert_eq!(said(order), [("acap-definition-after-use", 1)]);
}

#[test]
fn references_that_go_on() {
    let text = "ACAP-crawler: *\nACAP-permissions-reference: /x\nACAP-crawler: a\n\
                ACAP-permissions-reference: x\n";
    let further = &b"ACAP-crawler: *\nACAP-permissions-reference: /y\n"[..];
    let said = |file| {
        let tree = scan(text.as_bytes(), DEFAULT_LIMIT);
        let files = [("/x", file)];
        let report =
            lint(&tree, &CompileContext { files: &files, ..CompileContext::default() }, &Options::default());
        report.findings.iter().map(|finding| finding.code.name()).collect::<Vec<_>>()
    };
    assert_eq!(said(further), ["acap-reference-chain"; 2]);
    assert_eq!(said(b"ACAP-crawler: *\n"), [""; 0]);
}

#[test]
fn pages_that_say_odd_things() {
    let said = |contents: &[&str], tokens: &[&str]| {
        let metas = contents.iter().zip(1..).map(|(content, line)| crate::MetaTag {
            name: "robots".to_owned(),
            content: (*content).to_owned(),
            line,
            in_noscript: content.contains("follow"),
        });
        let elements = tokens.iter().zip(1..);
        let elements = elements.map(|(token, line)| crate::Element { token: (*token).to_owned(), line });
        let page =
            crate::Page { metas: metas.collect(), elements: elements.collect(), ..crate::Page::default() };
        let context = CompileContext { pages: &[crate::Page::default(), page], ..CompileContext::default() };
        let report = |profile| {
            let tree = scan(b"", DEFAULT_LIMIT);
            lint(&tree, &context, &Options { profile, ..Options::default() }).pages
        };
        assert_eq!(report(Profile::Google), []);
        let found = report(Profile::Full).into_iter();
        found
            .map(|finding| {
                assert!(finding.page == 1 && !finding.message.ends_with('.'));
                (finding.code.name(), finding.line)
            })
            .collect::<Vec<_>>()
    };
    let later = "ACAP allow-present target-condition=x";
    assert_eq!(said(&[later, "ACAP Version 1.0"], &[]), [("meta-later-feature", 1)]);
    assert_eq!(said(&[later, "ACAP Version 1.1"], &[]), []);
    assert_eq!(said(&["index", "ACAP", "ACAP disallow-index", "ACAP allow-index location=/x"], &[]), []);
    assert_eq!(said(&["ACAP disallow-index", "ACAP disallow-follow"], &[]), [("meta-in-noscript", 2)]);
    assert_eq!(said(&["ACAP allow", "ACAP version 1"], &[]), [("meta-problem", 1), ("meta-problem", 2)]);
    assert_eq!(said(&["ACAP allow-index soon", "ACAP allow-index time-limit=soon"], &[]).len(), 2);
    assert_eq!(said(&["ACAP disallow-index a=b"], &[]), [("meta-qualified-prohibition", 1)]);
    assert_eq!(said(&["ACAP allow-index a=b"], &[]), [("acap-unknown-qualifier", 1)]);
    assert_eq!(said(&["ACAP allow-crawl time-limit=3-days"], &[]), [("acap-misplaced-qualifier", 1)]);
    assert_eq!(said(&["ACAP allow-sing"], &["the-acap:allow-hum"]), [("acap-unknown-usage", 1); 2]);
    assert_eq!(
        said(&["ACAP the-acap:idlist:a,b disallow-index"], &["the-acap:taglist:p"]),
        [("meta-element-set", 1); 2]
    );
    assert_eq!(
        said(&[], &["the-acap:allow-(a)", "the-acap:disallow-index", "the-acap:index"]),
        [("meta-local-usage-in-class", 1), ("meta-problem", 3)]
    );
}

#[test]
fn malformed_tags_say_what_they_prohibit() {
    let said = |content: &str| {
        let (name, content) = ("robots".to_owned(), content.to_owned());
        let tag = crate::MetaTag { name, content, line: 1, in_noscript: false };
        let page = crate::Page { metas: vec![tag], ..crate::Page::default() };
        crate::lint::lint_pages(&[page])
            .into_iter()
            .map(|found| (found.code.name(), found.message))
            .collect::<Vec<_>>()
    };
    let message = "a tag of ACAP that permits nothing, but prohibits `index` and `follow`: \
                   the name of a standard usage should follow `allow-` or `disallow-`";
    assert_eq!(said("ACAP disallow-index,disallow-follow"), [("meta-problem", message.to_owned())]);
    assert!(said("ACAP allow-index,allow-follow")[0].1.starts_with("a tag of ACAP that says nothing: "));
    for almost in ["ACAP: disallow-index", "acap, allow-follow", " Acap:disallow-index"] {
        let found = said(almost);
        assert!(
            found.len() == 1
                && found[0].1.ends_with("`ACAP` is followed by white space, not by another sign"),
            "{found:?}"
        );
    }
    for other in ["noindex", "acapella, noindex", "acap-x"] {
        assert!(said(other).iter().all(|(code, _)| *code != "meta-problem"), "{other}");
    }
}

#[test]
fn rules_that_are_said_to_be_dropped_are() {
    let mut random = Random(11);
    let targets: Vec<String> = (0..3u32.pow(4))
        .flat_map(|number| {
            let text: String =
                (0..4).map(|digit| ["a", "b", "/"][number as usize / 3usize.pow(digit) % 3]).collect();
            (0..=4).map(move |length| format!("/{}", &text[..length]))
        })
        .collect();
    let mut seen = 0;
    for _ in 0..1000 {
        let mut text = String::new();
        for number in 0..2 + random.below(3) {
            let [head, keys] = match number % 2 {
                0 => ["User-agent", "Allow Disallow"],
                _ => ["ACAP-crawler", "ACAP-allow-crawl ACAP-disallow-crawl"],
            };
            text += &format!("{head}: {}\n", random.of(&["x", "y", "*"]));
            let keys: Vec<&str> = keys.split(' ').collect();
            for _ in 0..1 + random.below(2) {
                text += &format!("{}: {}\n", random.of(&keys), random.of(&["/", "/a", "/*b", "/a$"]));
            }
        }
        let tree = scan(text.as_bytes(), DEFAULT_LIMIT);
        let policy = crate::lower(&tree, None, &Options::default()).unwrap();
        let found = lint(&tree, &CompileContext::default(), &Options::default()).findings;
        for finding in found.iter().filter(|finding| finding.code == Code::AcapContradictedRule) {
            let line = text[..finding.span.start as usize].matches('\n').count() as u32 + 1;
            let fates = |agent: &str| -> Vec<Fate> {
                let asks = targets
                    .iter()
                    .map(|target| trace(&policy, &TraceQuery::crawl(&[agent], target.as_bytes())).matches);
                let own = asks.flatten().filter(|found| policy.rules[found.rule].line == line);
                own.map(|found| found.fate).collect()
            };
            let all = ["x", "y", "z"].map(fates);
            if all.iter().all(Vec::is_empty) {
                continue;
            }
            seen += 1;
            let is_dropped = |fates: &Vec<Fate>| !fates.is_empty() && !fates.contains(&Fate::Decides);
            assert!(all.iter().any(is_dropped), "{text}\nline {line}");
        }
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn work_on_records_is_bounded() {
    let started = std::time::Instant::now();
    let repeat = |count: usize, line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<String>();
    let crawlers = repeat(3000, &|number| format!("ACAP-crawler: c{number}\n"));
    let used = |number| format!("ACAP-allow-index: /{number} must-use-resource=/x{}\n", number % 99);
    let many_asked = format!("{crawlers}{}", repeat(3000, &used));
    let prohibitions =
        repeat(3000, &|number| format!("ACAP-disallow-crawl: /*x{}\n", "*".repeat(number % 9)));
    let many_matches = format!("ACAP-crawler: *\n{prohibitions}{}", repeat(3000, &used));
    let rules = repeat(3000, &|number| format!("User-agent: r{number}\nDisallow: /x\n"));
    let fields = "ACAP-disallow-crawl: /x\n".repeat(3000);
    let many_fields = format!("{rules}{crawlers}{fields}");
    let references =
        repeat(3000, &|number| format!("ACAP-crawler: c{number}\nACAP-permissions-reference: /x\n"));
    let file = format!("{fields}ACAP-crawler: *\nACAP-permissions-reference: /y\n");
    for text in [many_asked, many_matches, many_fields, references] {
        let tree = scan(text.as_bytes(), usize::MAX);
        let files = [("/x", file.as_bytes())];
        let context = CompileContext { files: &files, ..CompileContext::default() };
        assert!(!lint(&tree, &context, &Options::default()).findings.is_empty());
    }
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}
