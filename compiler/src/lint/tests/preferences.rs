//! Findings about statements of usages: values, places among groups, directives of pages.

use super::*;
use crate::context::Header;
use crate::{MetaTag, Page};

/// The findings about one line in a group for everyone.
fn line(line: &str) -> Vec<(&'static str, usize)> {
    said(&format!("User-agent: *\n{line}\n"))
}

/// The messages about one line in a group for everyone.
fn messages(line: &str) -> Vec<String> {
    let text = format!("User-agent: *\n{line}\n");
    report(text.as_bytes(), Profile::Full).findings.into_iter().map(|finding| finding.message).collect()
}

#[test]
fn statements_of_content_usage() {
    let malformed = [("content-usage-malformed", 2)];
    for (value, hint) in [
        ("/restricted/ search=n train-ai=n", "separated by commas"),
        ("train-ai = n", "no space is allowed"),
        ("train-ai=n,", "a comma ends it"),
        ("train-ai=n;", "a semicolon ends it"),
        ("Train-AI=n", "in lower case"),
        ("train-ai: n", "joined by `=`"),
        ("*.pdf train-ai=n", "a path begins with `/`"),
        ("train-ai=\"n", "such as `train-ai=n, search=y`"),
    ] {
        let usage = format!("Content-Usage: {value}");
        assert_eq!(line(&usage), malformed, "{value}");
        assert!(messages(&usage)[0].contains(hint), "{value}: {:?}", messages(&usage));
    }
    assert_eq!(line("Content-Usage: train-ai=n, search=y, ai-use=n;a=1"), []);
    assert_eq!(line("Content-Usage: /private/"), []);
    let label = [("content-usage-label", 2)];
    assert_eq!(line("Content-Usage: ai-train=n"), label);
    assert_eq!(line("Content-Usage: train-ai=n, bots=n"), label);
    assert!(messages("Content-Usage: ai-train=n")[0].ends_with("write `train-ai`"));
    assert!(messages("Content-Usage: ai-input=n")[0].ends_with("write `ai-use`"));
    assert!(messages("Content-Usage: ai=n")[0].ends_with("it has `train-ai`, `ai-use`, `search`"));
    let value = [("content-usage-value", 2)];
    for statement in ["train-ai=no", "train-ai", "search=\"n\"", "train-ai=0", "search=(y n)"] {
        assert_eq!(line(&format!("Content-Usage: {statement}")), value, "{statement}");
    }
}

#[test]
fn statements_of_content_signals() {
    let malformed = [("content-signal-malformed", 2)];
    for value in ["search=yes;ai-train=no", "ai-train: no", "search=yes ai-train=no", "ai-train", "/x no"] {
        assert_eq!(line(&format!("Content-Signal: {value}")), malformed, "{value}");
    }
    let unknown = [("content-signal-unknown", 2)];
    assert_eq!(line("Content-Signal: search=yes, train-ai=no"), unknown);
    assert!(messages("Content-Signal: Train-AI=no")[0].ends_with("write `ai-train`"));
    assert!(messages("Content-Signal: images=no")[0].ends_with("it has `search`, `ai-input`, `ai-train`"));
    let value = [("content-signal-value", 2)];
    for signal in ["ai-train=false", "ai-train=\"no\"", "AI-Train=n", "search=", "use=yes"] {
        assert_eq!(line(&format!("Content-Signal: {signal}")), value, "{signal}");
    }
    assert!(messages("Content-Signal: use=yes")[0].contains("`immediate`"));
    assert_eq!(line("Content-Signals: ai-train=no"), [("content-signals-key", 2)]);
    assert_eq!(line("content-signal: /a Search = YES, ai-train=no, use=full,"), []);
}

#[test]
fn only_the_full_profile_reads_preferences() {
    let text = "User-agent: *\nContent-Usage: ai-train=n\nContent-Signal: a=b\nLicense: /x\ntdm-policy: /y\n";
    assert_eq!(said(text).len(), 4);
    for profile in [Profile::Rfc9309, Profile::Google, Profile::Koster] {
        assert_eq!(said_by(profile, text), [], "{profile}");
    }
}

#[test]
fn licences_and_reservations() {
    for value in
        ["/license.xml", "license.xml", "//a.example/x", "ftp://a.example/x", "https://", "caf\u{e9}"]
    {
        assert_eq!(line(&format!("License: {value}")), [("license-url", 2)], "{value}");
    }
    assert_eq!(line("License: https://a.example/license.xml"), []);
    assert_eq!(line("License:"), []);
    assert_eq!(
        line("TDM-Reservation: 1\ntdm-policy: https://a.example/"),
        [("tdm-in-robots-txt", 2), ("tdm-in-robots-txt", 3)]
    );
}

#[test]
fn preferences_outside_a_group() {
    let outside = "preference-outside-group";
    assert_eq!(said("Content-Usage: train-ai=n\nUser-agent: *\nAllow: /\n"), [(outside, 1)]);
    assert_eq!(said("DisallowAITraining: /\nContent-Usage: train-ai=n\n"), [(outside, 1), (outside, 2)]);
    assert_eq!(said("Content-Signal: ai-train=no\nUser-agent: *\nAllow: /\n"), []);
    assert_eq!(said("License: https://a.example/x\nUser-agent: *\nAllow: /\n"), []);
}

#[test]
fn groups_that_content_usage_divides() {
    let with =
        |key: &str, rules: &str| said(&format!("User-agent: a\n{key}: train-ai=n\nUser-agent: b\n{rules}"));
    let own = "Content-Usage: train-ai=n\n";
    let divides = [("content-usage-divides-group", 3)];
    assert_eq!(with("Content-Usage", &format!("{own}Disallow: /\n")), divides);
    // It is no rule for other readers, which is the same without rules.
    assert_eq!(with("Content-Usage", own), []);
    assert_eq!(said("User-agent: a\nDisallow:\nContent-Usage: train-ai=n\nUser-agent: b\nDisallow: /\n"), []);
    assert_eq!(said("User-agent: a\nUser-agent: b\nContent-Usage: train-ai=n\nDisallow: /\n"), []);
    // Other records do not end the list.
    assert_eq!(
        said("User-agent: a\nContent-Signal: ai-train=no\nUser-agent: b\nDisallow: /\n"),
        [("merged-groups", 1)]
    );
    let later = "User-agent: a\nContent-Usage: train-ai=n\nUser-agent: b\n\nUser-agent: c\nDisallow: /\n\
                 Content-Usage: search=n\n";
    assert_eq!(said(later), [("merged-groups", 3), ("content-usage-divides-group", 3)]);
}

#[test]
fn labels_that_a_longer_path_hides() {
    let group = |lines: &str| said(&format!("User-agent: *\n{}\n", lines.replace(" | ", "\n")));
    let shadowed = [("shadowed-preference", 3)];
    assert_eq!(group("Content-Usage: search=n | Content-Usage: /a train-ai=n"), shadowed);
    assert_eq!(group("Content-Usage: /a train-ai=n | Content-Usage: search=n"), [("shadowed-preference", 2)]);
    assert_eq!(group("Content-Usage: train-ai=n | Content-Usage: /a"), shadowed);
    assert_eq!(group("Content-Usage: /*.pdf search=n | Content-Usage: /a/*.pdf$ train-ai=n"), shadowed);
    assert_eq!(group("Content-Signal: ai-train=no | Content-Signal: /a search=yes"), shadowed);
    assert_eq!(group("Content-Usage: train-ai=n | Content-Usage: /a train-ai=y"), []);
    assert_eq!(group("Content-Usage: /b search=n | Content-Usage: /a train-ai=n"), []);
    assert_eq!(group("Content-Usage: /a search=n | Content-Usage: /a train-ai=n"), []);
    assert_eq!(group("Content-Usage: search=n | Content-Signal: /a ai-train=no"), []);
    // Already reported, or already hidden by a line between them.
    assert_eq!(group("Content-Usage: search=n | Content-Usage: /a search=no"), [("content-usage-value", 3)]);
    assert_eq!(
        group("Content-Usage: search=n | Content-Usage: /a Search=n"),
        [("content-usage-malformed", 3)]
    );
    assert_eq!(
        group("Content-Usage: search=n | Content-Usage: /a train-ai=n | Content-Usage: /a/b train-ai=y"),
        shadowed
    );
    // Groups of the same crawler are one.
    let two = "User-agent: a\nContent-Usage: search=n\n\nUser-agent: b\nUser-agent: A\nContent-Usage: /a train-ai=n\n";
    assert_eq!(said(two), [("shadowed-preference", 6)]);
    assert_eq!(said(&two.replace("User-agent: A\n", "")), []);
}

#[test]
fn groups_that_take_nothing_from_the_general_one() {
    let with = |own: &str| {
        said(&format!("User-agent: *\nContent-Signal: ai-train=no\nDisallow: /x\n\nUser-agent: a\n{own}\n"))
    };
    let dropped = [("dropped-preferences", 5)];
    assert_eq!(with("Disallow: /y"), dropped);
    assert_eq!(with("Disallow: /\nAllow: /y"), dropped);
    assert_eq!(with("Disallow: /"), []);
    assert_eq!(with("Disallow: /y\nContent-Usage: train-ai=n"), []);
    assert_eq!(with("Disallow: /y\n\nUser-agent: A\nContent-Signal: search=yes"), []);
    assert_eq!(with("User-agent: *\nDisallow: /y"), []);
    assert_eq!(with("User-agent: b\nDisallow: /y\n\nUser-agent: b\nDisallow: /z"), dropped);
    let token =
        "User-agent: *\nAllow: /\nContent-Usage: train-ai=n\n\nUser-agent: Google-Extended\nDisallow: /y\n";
    assert_eq!(said(token), []);
    // Lines before the first group stand in, but only for the same language.
    let text = "License: https://a.example/x\nUser-agent: *\nLicense: https://a.example/y\nAllow: /\n\nUser-agent: a\nDisallow: /y\n";
    assert_eq!(said(text), []);
    let other = text.replacen("License: https://a.example/x", "Content-Signal: search=yes", 1);
    assert_eq!(said(&other), [("dropped-preferences", 6)]);
    assert_eq!(
        said("User-agent: *\nAllow: /\nDisallowAITraining: /\n\nUser-agent: a\nAllow: /\n"),
        [("dropped-preferences", 5)]
    );
    assert_eq!(said("User-agent: *\nDisallow: /x\n\nUser-agent: a\nDisallow: /y\n"), []);
}

#[test]
fn statements_that_float() {
    let last =
        |rest: &str| said(&format!("User-agent: *\nDisallow: /x\n\nUser-agent: a\nDisallow: /\n{rest}\n"));
    let floating = |line| vec![("floating", line)];
    assert_eq!(last("\nContent-Signal: ai-train=no"), floating(7));
    assert_eq!(last("Sitemap: https://a.example/s\nContent-Usage: train-ai=n"), floating(7));
    assert_eq!(last("\n# all\nLicense: https://a.example/x"), floating(8));
    assert_eq!(
        last("\nContent-Signal: search=yes\nContent-Usage: search=y"),
        [("floating", 7), ("floating", 8)]
    );
    assert_eq!(last("# all\nContent-Signal: ai-train=no"), []);
    assert_eq!(last("\nContent-Signal: ai-train=no\nAllow: /y"), []);
    assert_eq!(last("\nDisallowAITraining: /"), []);
    // Nobody else is there; and a group that consists of its statements.
    assert_eq!(said("User-agent: *\nAllow: /\n\nContent-Signal: ai-train=no\n"), []);
    assert_eq!(said("User-agent: a\nDisallow: /\n\nUser-agent: b\n\nContent-Signal: ai-train=no\n"), []);
    assert_eq!(
        said("User-agent: a\nDisallow: /\n\nContent-Signal: ai-train=no\n\nUser-agent: b\nDisallow: /\n"),
        floating(4)
    );
}

#[test]
fn directives_of_pages() {
    let codes = |page: Page| -> Vec<&'static str> {
        lint_pages(&[page]).iter().map(|finding| finding.code.name()).collect()
    };
    let meta = |name: &str, content: &str| {
        let tag = MetaTag { name: name.to_owned(), content: content.to_owned(), line: 3, in_noscript: false };
        codes(Page { metas: vec![tag], ..Page::default() })
    };
    let header = |value: &str| {
        let field = Header { name: "x-robots-tag".to_owned(), value: value.as_bytes().to_vec() };
        codes(Page { headers: vec![field], ..Page::default() })
    };
    assert_eq!(meta("robots", "noindex, nobots"), ["robots-directive-unknown"]);
    assert_eq!(meta("robots", "no index"), ["robots-directive-unknown"]);
    assert_eq!(meta("googlebot", "noindex;nofollow"), ["robots-directive-separator"]);
    assert_eq!(meta("robots", "noindex nofollow"), ["robots-directive-separator"]);
    for content in [
        "max-snippet:few",
        "max-snippet:-2",
        "max-snippet",
        "max-image-preview:big",
        "unavailable_after: soon",
    ] {
        assert_eq!(meta("robots", content), ["robots-directive-value"], "{content}");
    }
    assert_eq!(meta("robots", ":noindex"), ["robots-tag-without-agent"]);
    assert_eq!(
        meta("robots", "index, follow, max-snippet:-1, unavailable_after: Friday, 25-Jun-10 15:00:00 PST"),
        [""; 0]
    );
    assert_eq!(meta("tdm-reservation", " 1"), [""; 0]);
    assert_eq!(meta("tdm-reservation", "2"), ["tdm-reservation-value"]);
    assert_eq!(meta("robots", "ACAP"), [""; 0]);
    let element = crate::Element { token: "data-nosnippet".to_owned(), line: 1 };
    assert_eq!(codes(Page { elements: vec![element], ..Page::default() }), [""; 0]);
    assert_eq!(header(":noindex"), ["robots-tag-without-agent"]);
    assert_eq!(header("BadBot: noindex; nofollow"), ["robots-directive-separator"]);
    assert_eq!(
        header("googlebot: max-image-preview:big, frobnicate"),
        ["robots-directive-unknown", "robots-directive-value"]
    );
    assert_eq!(header("googlebot: noindex, otherbot: none"), [""; 0]);
}

/// Pages of robots directives are read under every profile that reads pages.
#[test]
fn profiles_that_read_directives() {
    let tag = MetaTag { name: "robots".to_owned(), content: "noindex;".to_owned(), ..MetaTag::default() };
    let pages = [Page { metas: vec![tag], ..Page::default() }];
    let context = CompileContext { pages: &pages, ..CompileContext::default() };
    let tree = scan(b"", DEFAULT_LIMIT);
    let count = |profile| lint(&tree, &context, &Options { profile, ..Options::default() }).pages.len();
    assert_eq!(Profile::ALL.map(count).iter().sum::<usize>(), 3);
    assert_eq!(count(Profile::Koster), 0);
}

#[test]
fn many_preferences_take_little_time() {
    let started = std::time::Instant::now();
    let lines: String =
        (0..20_000).map(|number| format!("Content-Usage: /*a{number}*b train-ai=n\n")).collect();
    report(format!("User-agent: *\n{lines}").as_bytes(), Profile::Full);
    let groups: String = (0..5000)
        .map(|number| format!("User-agent: a\nUser-agent: b{number}\nContent-Signal: /{number} search=no\n"))
        .collect();
    report(groups.as_bytes(), Profile::Full);
    let heads: String =
        (0..10_000).map(|number| format!("User-agent: b{number}\nContent-Usage: train-ai=n\n\n")).collect();
    report(format!("{heads}Disallow: /\n").as_bytes(), Profile::Full);
    let signals = "a=b,".repeat(1000);
    report(
        format!("User-agent: *\n{}", format!("Content-Signal: {signals}\n").repeat(50)).as_bytes(),
        Profile::Full,
    );
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}
