//! Findings about the cases: the codes that a case names are among those of the grammar and of
//! `compiler::lint`.
//!
//! Cases only name the codes that they are about, so other findings may occur as well. Three clean
//! texts show that texts without findings exist.

use robomaton_compiler::lint::{Code, lint};
use robomaton_compiler::{CompileContext, Limits, Options, Page, lower};
use robomaton_corpus::read_page;
use robomaton_formats::SiteKey;
use robomaton_grammar::{diagnose, scan};
use robomaton_tests::case::{self, Case};
use robomaton_tests::engines::options;
use std::collections::BTreeSet;

/// The codes of all findings about a case's text and its context.
fn codes(case: &Case) -> BTreeSet<&'static str> {
    let options = options(&case.profile);
    let tree = scan(&case.robots, options.limits.bytes(options.profile));
    let site = SiteKey::from_url(&case.origin).expect("a site");
    let files: Vec<(&str, &[u8])> =
        case.files.iter().map(|(path, text)| (path.as_str(), text.as_bytes())).collect();
    let pages: Vec<Page> = case.pages.iter().map(read).collect();
    let origin = Some(site.authority());
    let around = CompileContext { origin, files: &files, pages: &pages, ..CompileContext::default() };
    let report = lint(&tree, &around, &options);
    let of_grammar = diagnose(&tree).into_iter().map(|diagnostic| diagnostic.code.name());
    let of_text = report.findings.iter().map(|finding| finding.code.name());
    let of_pages = report.pages.iter().map(|finding| finding.code.name());
    let over = report.over.map(|_| robomaton_grammar::Code::OverLimit.name());
    of_grammar.chain(of_text).chain(of_pages).chain(over).collect()
}

/// A page in the compiler's form. No finding depends on its target.
fn read(page: &case::Page) -> Page {
    read_page(page.html.as_bytes(), Some("text/html")).for_compiler(page.url.clone(), "/".to_owned())
}

#[test]
fn cases_get_the_remarks_they_name() {
    let cases = case::load().expect("the cases load");
    let mut missing = Vec::new();
    for case in cases.iter().filter(|case| !case.facts.lints.is_empty()) {
        let found = codes(case);
        let lacking: Vec<_> = case.facts.lints.iter().filter(|code| !found.contains(code.as_str())).collect();
        if !lacking.is_empty() {
            missing.push(format!("{} in {}: {lacking:?} not among {found:?}", case.name, case.file));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn no_code_is_expected_that_there_is_not() {
    let of_grammar = robomaton_grammar::Code::ALL.map(|code| code.name());
    let of_meaning = Code::ALL.iter().map(|code| code.name());
    let known: BTreeSet<&str> = of_grammar.into_iter().chain(of_meaning).collect();
    let cases = case::load().expect("the cases load");
    let expected = cases.iter().flat_map(|case| &case.facts.lints);
    let unknown: BTreeSet<&String> = expected.filter(|code| !known.contains(code.as_str())).collect();
    assert!(unknown.is_empty(), "no such codes: {unknown:?}");
}

#[test]
fn limits_are_exceeded_where_the_cases_say() {
    let cases = case::load().expect("the cases load");
    let mut seen = BTreeSet::new();
    for (case, over) in cases.iter().flat_map(|case| case.facts.over.iter().map(move |over| (case, over))) {
        let options = options(&case.profile);
        let tree = scan(&case.robots, options.limits.bytes(options.profile));
        let found = |value: u64| {
            let limits = Limits::from_named(&[(over.limit.clone(), value)], options.profile);
            let found = lower(&tree, None, &Options { limits, ..options.clone() }).err();
            found.map(|found| (found.limit.name(), found.line))
        };
        let context = format!("{}: {over:?}", case.name);
        assert_eq!(found(over.value), Some((over.limit.as_str(), over.line)), "{context}");
        assert_eq!(found(over.value + 1), None, "{context}");
        seen.insert(over.limit.as_str());
    }
    assert!(seen.len() >= 5, "{seen:?}");
}

/// If the grammar reports that a record for any crawler names another, a single group of the
/// compiler addresses both.
#[test]
fn records_are_those_of_the_compiler() {
    let between = [
        "",
        "\n# nothing\n",
        "Disallow: /\n",
        "User-agent: b\n",
        "ACAP-resource-set: s /a\n",
        "ACAP-resource-set: s\n",
        "ACAP-composite-usage: c crawl\n",
        "ACAP-ignore-conventional-records\n",
        "ACAP-crawler:\n",
        "ACAP-crawler:\nACAP-allow-crawl: /\nACAP-crawler:\n",
        "ACAP-usage-purpose: p\n",
        "ACAP-usage-purpose:\n",
        "ACAP-permissions-reference: /r\n",
        "ACAP-request-burn: /\n",
        "ACAP-allow-crawl:\n",
        "ACAP-allow-: /\n",
        "ACAP-forbid: /\n",
    ];
    let mut seen = [0; 2];
    for between in between {
        let text = format!("ACAP-crawler: *\n{between}ACAP-crawler: a\nACAP-disallow-crawl: /\n");
        let tree = scan(text.as_bytes(), usize::MAX);
        let policy = robomaton_compiler::lower(&tree, None, &options("full")).expect("within the limits");
        let is_one =
            policy.groups.iter().any(|group| group.is_default() && group.names().any(|name| name == "a"));
        let code = robomaton_grammar::Code::AcapAnyCrawlerWithNames;
        let is_said = diagnose(&tree).iter().any(|diagnostic| diagnostic.code == code);
        assert_eq!(is_said, is_one, "{text}");
        seen[usize::from(is_one)] += 1;
    }
    assert!(seen[0] > 5 && seen[1] > 3, "{seen:?}");
}

#[test]
fn clean_texts_get_no_remark() {
    let cases = case::load().expect("the cases load");
    for name in ["n20-worked-file", "p57-outline-with-the-file-referred-to"] {
        let case = cases.iter().find(|case| case.name == name).expect("a case of this name");
        assert_eq!(codes(case), BTreeSet::new(), "{name}");
    }
    // The page of M1 separates conventional directives by a space.
    let case = cases.iter().find(|case| case.name == "m1-overview").expect("a case of this name");
    assert_eq!(codes(case), BTreeSet::from(["robots-directive-separator"]));
}
