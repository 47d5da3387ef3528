//! The newest capture wins in any order, and redirects are followed up to a limit.

use robomaton_corpus::{Capture, Chosen, Facts, Resolved, Validators};
use robomaton_formats::site::{Outcome, SiteKey};

fn capture(url: &str, fetched_at: i64, status: u16, text: &str) -> Capture {
    let redirect = (300..400).contains(&status);
    Capture {
        url: url.to_owned(),
        site: SiteKey::from_host(url).expect(url),
        fetched_at,
        status,
        fresh_for: None,
        location: redirect.then(|| text.to_owned()),
        content_type: None,

        validators: Validators::default(),
        headers: Vec::new(),
        body: if redirect { Vec::new() } else { text.as_bytes().to_vec() },
        truncated: false,
        edition: 0,
    }
}

fn resolve(captures: &[Capture]) -> Vec<(SiteKey, Resolved<String>)> {
    let mut chosen = Chosen::new();
    for capture in captures {
        chosen.insert(Facts::of(capture), || String::from_utf8_lossy(&capture.body).into_owned());
    }
    chosen.finish()
}

/// `SITE: BODY or outcome` per site.
fn lines(captures: &[Capture]) -> Vec<String> {
    let line = |(site, resolved): (SiteKey, Resolved<String>)| {
        format!("{site}: {}", resolved.fate.unwrap_or_else(|outcome| outcome.to_string()))
    };
    resolve(captures).into_iter().map(line).collect()
}

#[test]
fn the_newest_wins_in_every_order() {
    let r = "http://a/robots.txt";
    let mut truncated = capture(r, 5, 200, "x");
    truncated.truncated = true;
    let all = [
        capture(r, 5, 200, "y"),
        capture(r, 5, 200, "x"),
        truncated,
        capture(r, 5, 404, ""),
        capture(r, 0, 200, "unknown time"),
        capture(r, 4, 200, "older"),
    ];
    let expected = resolve(&all);
    assert_eq!(expected[0].1.fetched_at, 5);
    assert_ne!(expected[0].1.fate, Err(Outcome::Unavailable), "of one second, the answer");
    // Heap's algorithm, all 720 orders.
    let (mut order, mut counters, mut i) = (all.clone(), [0; 6], 0);
    while i < order.len() {
        if counters[i] < i {
            order.swap(if i % 2 == 0 { 0 } else { counters[i] }, i);
            assert_eq!(resolve(&order), expected);
            counters[i] += 1;
            i = 0;
        } else {
            counters[i] = 0;
            i += 1;
        }
    }
    assert_eq!(lines(&[capture(r, 5, 200, "old"), capture(r, 6, 503, "")]), ["http://a: unreachable"]);
}

#[test]
fn statuses_are_outcomes() {
    for (status, outcome) in [
        (0, "unreachable"),
        (100, "unreachable"),
        (200, "text"),
        // Half a line, which may mean something different.
        (206, "unresolved"),
        (301, "unresolved"),
        (400, "unavailable"),
        (429, "unavailable"),
        (500, "unreachable"),
        (999, "unreachable"),
    ] {
        assert_eq!(
            lines(&[capture("a.example", 0, status, "text")]),
            [format!("a.example: {outcome}")],
            "{status}"
        );
    }
    let mut no_location = capture("http://a/robots.txt", 0, 302, "");
    no_location.location = None;
    assert_eq!(lines(&[no_location]), ["http://a: unresolved"]);
}

/// `http://h0` redirects to `http://h1`, and so on; the last one answers.
fn chain(length: usize) -> Vec<Capture> {
    let url = |n| format!("http://h{n}/robots.txt");
    let hop = |n| capture(&url(n), 10 - n as i64, 301, &url(n + 1));
    (0..length).map(hop).chain([capture(&url(length), 50, 200, "rules")]).collect()
}

#[test]
fn five_redirects_and_no_more() {
    assert!(lines(&chain(5)).iter().all(|line| line.ends_with(": rules")));
    let six = lines(&chain(6));
    assert_eq!(six[0], "http://h0: too-many-redirects");
    assert!(six[1..].iter().all(|line| line.ends_with(": rules")), "{six:?}");
    let (_, first) = resolve(&chain(5)).swap_remove(0);
    assert_eq!(
        (first.fetched_at, first.status, first.via.as_deref()),
        (10, 200, Some("http://h5/robots.txt"))
    );
    assert_eq!(first.lag, 4, "the oldest answer on the way is of second 6");
}

#[test]
fn loops_end() {
    let to = |from, to| capture(from, 1, 302, to);
    let captures = [
        to("http://a/robots.txt", "http://b/robots.txt"),
        to("http://b/robots.txt", "//a/robots.txt"),
        to("http://c/robots.txt", ""),
    ];
    let expected = ["http://a: too-many-redirects", "http://b: too-many-redirects", "http://c: unresolved"];
    assert_eq!(lines(&captures), expected);
}

#[test]
fn where_redirects_lead() {
    let from = |location: &str| capture("http://a/robots.txt", 1, 301, location);
    let to = |location: &str, other: Capture| {
        let forth = lines(&[from(location), other.clone()]);
        assert_eq!(forth, lines(&[other, from(location)]), "order");
        forth.into_iter().find(|line| line.starts_with("http://a:")).unwrap()
    };
    let www = capture("https://www.a/robots.txt", 1, 200, "www");
    assert_eq!(to("HTTPS://WWW.A:443/robots.txt#top", www.clone()), "http://a: www");
    assert_eq!(to("https://www.a/robots.txt?x", www.clone()), "http://a: unresolved");
    assert_eq!(to("mailto:www.a", www.clone()), "http://a: unresolved");
    assert_eq!(to("http://[", www), "http://a: unresolved");
    assert_eq!(to("/../new.txt", capture("http://a/new.txt", 1, 200, "new")), "http://a: new");
    assert_eq!(to("../robots.txt?v=2", capture("http://A/robots.txt?v=2#x", 1, 200, "v2")), "http://a: v2");
    assert_eq!(to("http://a/404", capture("http://a/404", 1, 404, "")), "http://a: unavailable");
    assert_eq!(to("http://a/500", capture("http://a/500", 1, 500, "")), "http://a: unreachable");
    assert_eq!(to("https://named/robots.txt", capture("named", 0, 200, "file")), "http://a: file");
    assert_eq!(to("https://named:80/robots.txt", capture("named", 0, 200, "file")), "http://a: unresolved");
    let host = capture("a.example", 1, 301, "/x");
    assert_eq!(
        lines(&[host, capture("http://a.example/x", 1, 200, "x")]),
        ["a.example: x"],
        "from a bare host"
    );
}

#[test]
fn other_urls_are_no_sites_and_are_bounded() {
    assert_eq!(
        lines(&[capture("http://a/", 1, 200, "x"), capture("http://a/robots.txt?", 1, 200, "x")]),
        [""; 0]
    );
    let captures: Vec<Capture> = (0..20).map(|n| capture(&format!("http://a/{n}"), 1, 200, "x")).collect();
    let redirects: Vec<Capture> = (0..20)
        .map(|n| capture(&format!("http://h{n}/robots.txt"), 1, 301, &format!("http://a/{n}")))
        .collect();
    let run = |captures: &mut dyn Iterator<Item = &Capture>| {
        let mut chosen = Chosen::with_max_targets(7);
        for capture in captures {
            chosen.insert(Facts::of(capture), || ());
        }
        assert!(chosen.overflowed());
        chosen.finish()
    };
    let forth = run(&mut captures.iter().chain(&redirects));
    assert_eq!(
        forth,
        run(&mut redirects.iter().chain(captures.iter().rev())),
        "the limit keeps the same ones"
    );
    assert_eq!(forth.iter().filter(|(_, resolved)| resolved.fate.is_ok()).count(), 7);
}
