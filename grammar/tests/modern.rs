//! The parsers of the modern languages take any bytes: random ones, and ones near their languages.

use proptest::prelude::*;
use robomaton_grammar::modern::clean_param::{CleanParam, canonical_url, clean_param};
use robomaton_grammar::modern::dictionary::content_usage;
use robomaton_grammar::modern::path::split_path;
use robomaton_grammar::modern::robots_tag::{directives, robots_tag};
use robomaton_grammar::modern::rsl::rsl;
use robomaton_grammar::modern::signal::content_signal;
use robomaton_grammar::modern::tdmrep::{reservation, tdmrep};

/// Passes the text to every parser, and checks what holds for every text.
fn read(text: &[u8]) -> Result<(), TestCaseError> {
    let (path, statement) = split_path(text);
    prop_assert!(path.is_none_or(|path| path.starts_with(b"/")));
    prop_assert!(!statement.ends_with(b" "));
    if let Ok(members) = content_usage(statement) {
        let keys: std::collections::HashSet<_> = members.iter().map(|(key, _)| key).collect();
        prop_assert_eq!(keys.len(), members.len());
    }
    let signals = content_signal(statement);
    let pieces = statement.split(|&byte| byte == b',').count();
    prop_assert!(signals.signals.len() + signals.mistakes.len() <= pieces);
    let tag = robots_tag(text);
    prop_assert!(tag.agents.iter().all(|agent| !agent.directives.is_empty()));
    prop_assert!(tag.agents.iter().all(|agent| agent.agent.as_deref() != Some("")));
    // Without prefixes, both notations say the same, but white space separates in META tags only.
    let content = directives(text);
    let is_word = |piece: &[u8]| !piece.trim_ascii().iter().any(u8::is_ascii_whitespace);
    if !text.contains(&b':') && text.split(|&byte| byte == b',').all(is_word) {
        let of_tag: Vec<_> = tag.agents.iter().flat_map(|agent| &agent.directives).collect();
        prop_assert_eq!(of_tag, content.directives.iter().collect::<Vec<_>>());
        prop_assert_eq!(tag.mistakes, content.mistakes);
    }
    if let Ok(rules) = tdmrep(text) {
        prop_assert!((1..).zip(&rules).all(|(number, rule)| rule.number == number));
    }
    if let Ok(document) = rsl(text) {
        prop_assert!(document.contents.iter().all(|content| !content.licences.is_empty()));
    }
    prop_assert!(clean_param(text).is_none_or(|rule| !rule.parameters.is_empty()));
    let _ = reservation(text);
    Ok(())
}

proptest! {
    #[test]
    fn any_bytes_are_taken(text in proptest::collection::vec(any::<u8>(), 0..60)) {
        read(&text)?;
    }

    #[test]
    fn statements_are_taken(
        text in "(/[a*$]{0,3}[ \t])?([a-c;=,?\"() y\t*.:@%\\\\1-]|train-ai=n|search=yes|,|use=full| ){0,16}",
    ) {
        read(text.as_bytes())?;
    }

    #[test]
    fn directives_are_taken(
        text in "((bot|é|unavailable_after|max-snippet|noindex)?( ?: ?|, ?|-1|20|Fri|25 Jun 2010|25-Jun-10|15:00|Z|T| )\
                 (noindex|nofollow|PST|2010-06-25|\\+01:00)?){0,8}",
    ) {
        read(text.as_bytes())?;
    }

    #[test]
    fn rules_of_tdmrep_are_taken(
        text in "\\[((\\{(\"location\":\"/\"|\"tdm-reservation\":1|\"tdm-policy\":\"u\"|,|\\[|\\]|0){0,5}\\}),?){0,4}\\]",
    ) {
        read(text.as_bytes())?;
    }

    #[test]
    fn elements_of_rsl_are_taken(
        inside in "(<license>|</license>|<permits type='usage'>|</permits>|all |,|&amp;|&x;|<payment/>|<o:x/>|\
                   <!-- -->|</content>|<content url='/'>|<amount currency='USD'>1</amount>){0,8}",
    ) {
        read(format!("<rsl xmlns='https://rslstandard.org/rsl'><content url='/'>{inside}</content></rsl>").as_bytes())?;
        read(inside.as_bytes())?;
    }

    #[test]
    fn a_canonical_url_stays(
        url in "(http://e)?/[ab/]{0,4}(\\?([abc](=[ab?])?&?){0,5})?(#[a?]{0,2})?",
        rules in proptest::collection::vec(("[ab]", "[ab*/]{0,4}"), 0..4),
    ) {
        let rule = |(name, path)| CleanParam { parameters: vec![name], path };
        let rules: Vec<CleanParam> = rules.into_iter().map(rule).collect();
        let canonical = canonical_url(&url, &rules);
        prop_assert!(canonical.len() <= url.len());
        prop_assert_eq!(canonical_url(&canonical, &rules), canonical);
    }
}
