//! A question and a text through the engines and the oracles, which share no code with them.
//!
//! ```text
//! input := options question 0x0A text
//! options := u8: bit 0 profile `google` (or `rfc9309`)
//! question := name TAB url
//! ```

use robomaton_formats::agent::list;
use robomaton_formats::user_agent::is_header;
use robomaton_tests::panel::{Panel, Query};

/// The site of the text under `rfc9309`; the questions begin with it.
const ORIGIN: &str = "https://x.example";

/// Asks the trace, an image, one of tries and an oracle whether a crawler may fetch a URL.
///
/// # Panics
/// If they differ.
pub fn oracle(data: &[u8]) {
    let Some((&options, rest)) = data.split_first() else { return };
    let Some((question, text)) = rest.iter().position(|&byte| byte == b'\n').map(|end| rest.split_at(end))
    else {
        return;
    };
    let question = String::from_utf8_lossy(question);
    let (agent, url) = question.split_once('\t').unwrap_or((&question, "/"));
    let (profile, origin) = if options & 1 != 0 { ("google", None) } else { ("rfc9309", Some(ORIGIN)) };
    // No oracle knows headers or lists in place of names, and that of RFC 9309 neither the spelling
    // of hosts in rules nor that of URLs.
    let has_host = || text.windows(3).any(|bytes| bytes == b"://");
    if is_header(agent) || list(agent).is_some() || origin.is_some() && (has_host() || !is_plain(url)) {
        return;
    }
    let query = Query {
        robots: text[1..].to_vec(),
        origin: origin.map(str::to_owned),
        agent: agent.to_owned(),
        usage: "crawl".to_owned(),
        url: format!("{}{url}", origin.unwrap_or_default()),
    };
    let mut panel = Panel::of(profile);
    if panel.settle(&query).is_err() {
        panic!("{}", panel.account(&query));
    }
}

/// True for a target that is written as in a request.
fn is_plain(target: &str) -> bool {
    target.starts_with('/') && target.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\')
}
