//! The RFC read naively: rules R1 to R14, in the plainest possible code.
//!
//! The second opinion of every suite, so it shares nothing with the code that it judges: no crate
//! of the project, no automaton, no index. It reads the whole file again for each query.
//! Invariants: one function per rule or two; anything clever is a mistake here. This file does not
//! know limits other than the 500 KiB of R4, extension keys, usages, or profiles other than `full`
//! (on files without ACAP and Robot-version) and `rfc9309`.

/// Decides whether the first of `agents` that has a group may fetch the target (`path?query`, as in
/// the request); also returns the line of the deciding rule, from 1. Among several deciding rules,
/// this is the first in the file.
pub fn verdict(robots: &[u8], agents: &[&str], target: &[u8], origin: Option<&str>) -> (bool, Option<u32>) {
    let subject = bytes(target, false);
    if subject == bytes(b"/robots.txt", false) {
        return (true, None); // R13
    }
    let groups = groups(robots, origin);
    let named = |token: &String| groups.iter().any(|(agents, _)| agents.contains(token));
    let tokens =
        agents.iter().map(|agent| token(agent.trim_ascii().as_bytes())).filter(|token| !token.is_empty());
    let Some(chosen) = tokens.chain(["*".to_owned()]).find(named) else { return (true, None) }; // R5, R7
    let rules = groups.iter().filter(|(agents, _)| agents.contains(&chosen)).flat_map(|(_, rules)| rules);
    let matching = rules.filter(|rule| matches(&rule.pattern, &subject));
    let best = matching.rev().max_by_key(|rule| (rule.length, rule.allow)); // R12; max takes the last
    best.map_or((true, None), |rule| (rule.allow, Some(rule.line)))
}

/// The agents of a group and its rules.
type Group = (Vec<String>, Vec<Rule>);

struct Rule {
    pattern: Vec<Tok>,
    length: usize,
    allow: bool,
    line: u32,
}

/// R6, R8, R14.
fn groups(robots: &[u8], origin: Option<&str>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut behind_names = Vec::new();
    let mut open = false;
    for (line, text) in (1..).zip(lines(robots)) {
        let Some((key, value)) = record(text) else { continue };
        if key == "user-agent" && !open {
            groups.push(Group::default());
        }
        open = key == "user-agent";
        let Some((agents, rules)) = groups.last_mut() else { continue }; // R8
        let rule = |path: Vec<u8>, allow: bool| {
            let pattern = bytes(&path, true);
            let length = pattern.iter().map(|tok| if matches!(tok, Tok::Escaped(_)) { 3 } else { 1 }).sum();
            Rule { pattern, length, allow, line }
        };
        let path = |value: &[u8], allow: bool| rule_path(value, !allow, origin);
        if open {
            agents.push(agent(value));
            let behind = rule_behind(value).and_then(|value| path(value, false));
            behind_names.extend(behind.map(|path| (vec![agent(value)], vec![rule(path, false)])));
        } else {
            let allow = key == "allow";
            let bare = behind_own_host(value, origin).filter(|_| !allow);
            rules.extend(path(value, allow).into_iter().chain(bare).map(|path| rule(path, allow)));
        }
    }
    groups.extend(behind_names);
    groups
}

/// R5: the first word of `Disallow: …` behind the name of a crawler.
pub(crate) fn rule_behind(value: &[u8]) -> Option<&[u8]> {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t');
    let lower = value.to_ascii_lowercase();
    let start = (1..value.len()).find(|&at| {
        let rest = lower[at..].strip_prefix(b"disallow").filter(|_| is_space(&value[at - 1]));
        rest.is_some_and(|rest| trim(rest).starts_with(b":"))
    })?;
    let rule = trim(&trim(&value[start + 8..])[1..]);
    rule.split(is_space).next().filter(|word| !word.is_empty() && !agent(value).is_empty())
}

/// R1, R2, R4: the lines, without line ends.
pub(crate) fn lines(robots: &[u8]) -> Vec<&[u8]> {
    let is_end = |byte: &u8| matches!(byte, b'\r' | b'\n');
    let mut text = robots;
    if let Some(head) = robots.get(..500 * 1024).filter(|head| head.len() < robots.len()) {
        text = &head[..head.iter().rposition(is_end).map_or(0, |at| at + 1)];
    }
    let marks: [&[u8]; 3] = [b"\xEF\xBB\xBF", b"\xEF\xBB", b"\xEF"];
    let mut rest = marks.iter().find_map(|mark| text.strip_prefix(*mark)).unwrap_or(text);
    let mut lines = Vec::new();
    while !rest.is_empty() {
        let end = rest.iter().position(is_end).unwrap_or(rest.len());
        lines.push(&rest[..end]);
        let crlf = rest[end..].starts_with(b"\r\n");
        rest = rest.get(end + 1 + usize::from(crlf)..).unwrap_or_default();
    }
    lines
}

/// R1 to R3: removes the comment; returns the key in its standard spelling, if it is one of the
/// three, and the value.
pub(crate) fn record(line: &[u8]) -> Option<(&'static str, &[u8])> {
    split(line, |name| match name {
        "user-agent" | "useragent" | "user agent" => Some("user-agent"),
        "allow" => Some("allow"),
        "disallow" | "dissallow" | "dissalow" | "disalow" | "diasllow" | "disallaw" => Some("disallow"),
        _ => None,
    })
}

/// R1 to R3: the key of a line and its value. The first colon parts them if the text before it is a
/// key; otherwise the line must be two words, and the first one a key. `key` reads names in lower
/// case.
pub(crate) fn split<K>(line: &[u8], key: impl Fn(&str) -> Option<K>) -> Option<(K, &[u8])> {
    let line = trim(unmarked(line).split(|&byte| byte == b'#').next()?);
    let key = |name: &[u8]| key(&String::from_utf8_lossy(name).to_ascii_lowercase());
    if let Some(at) = line.iter().position(|&byte| byte == b':')
        && let Some(key) = key(trim(&line[..at]))
    {
        return Some((key, trim(&line[at + 1..])));
    }
    let words: Vec<_> = line.split(|o| matches!(o, b' ' | b'\t')).filter(|word| !word.is_empty()).collect();
    let [name, value] = words[..] else { return None };
    // No crawler's name has a colon, and no value of ACAP that lacks its own.
    let has_none = matches!(name, [b'u' | b'U', ..]) || name.to_ascii_lowercase().starts_with(b"acap-");
    if has_none && value.contains(&b':') { None } else { Some((key(name)?, value)) }
}

/// R1: without what is invisible before a line.
pub(crate) fn unmarked(mut line: &[u8]) -> &[u8] {
    let marks = [" ", "\t", "\u{FEFF}", "\u{200B}", "\u{200C}", "\u{200D}", "\u{EF}\u{BB}\u{BF}"];
    while let Some(rest) = marks.iter().find_map(|mark| line.strip_prefix(mark.as_bytes())) {
        line = rest;
    }
    line
}

pub(crate) fn trim(mut text: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = text {
        text = rest;
    }
    text
}

/// R5: the crawler that a line names; the empty text for none.
pub(crate) fn agent(value: &[u8]) -> String {
    if matches!(value, [b'*'] | [b'*', b' ' | b'\t', ..]) { "*".to_owned() } else { token(value) }
}

/// Invalid UTF-8 is Latin-1.
fn characters(text: &[u8]) -> impl Iterator<Item = char> {
    text.utf8_chunks().flat_map(|chunk| {
        let invalid = chunk.invalid().iter().map(|&byte| char::from(byte));
        chunk.valid().chars().chain(invalid).collect::<Vec<_>>()
    })
}

/// 34: a whole name, in lower case and with single spaces.
pub(crate) fn whole(text: &[u8]) -> String {
    let text: String = characters(text).map(|c| c.to_ascii_lowercase()).collect();
    text.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}

/// R5: letters of any script.
pub(crate) fn token(text: &[u8]) -> String {
    let mut token = String::new();
    for c in characters(text) {
        let beyond = c.is_alphanumeric() || ('\u{300}'..='\u{36F}').contains(&c);
        if !(c.is_ascii_alphanumeric() || "_.-".contains(c) || !c.is_ascii() && beyond) {
            break;
        }
        token.push(c.to_ascii_lowercase());
    }
    token
}

/// R14: the pattern for a value.
pub(crate) fn path_of(value: &[u8], origin: Option<&str>) -> Option<Vec<u8>> {
    let path = match authority_and_rest(value) {
        Some((host, rest)) => (authority_and_rest(origin?.as_bytes())?.0 == host).then_some(rest)?,
        None => Some(value).filter(|value| !value.is_empty())?,
    };
    Some(if matches!(path, [b'/' | b'*', ..]) { path.to_vec() } else { [b"/", path].concat() })
}

/// R14, also where no host is known, or a star hides it: then the path of a URL counts in
/// prohibitions.
pub(crate) fn rule_path(value: &[u8], prohibits: bool, origin: Option<&str>) -> Option<Vec<u8>> {
    let value = if prohibits { visible(value) } else { value };
    let own = origin.and_then(|origin| authority_and_rest(origin.as_bytes())).map(|(own, _)| own);
    let is_alike =
        |host: &[u8]| own.as_ref().is_some_and(|own| own != host && without_www(own) == without_www(host));
    match authority_and_rest(value) {
        Some((host, rest)) if origin.is_none_or(|origin| star_may_hide(&host, origin)) || is_alike(&host) => {
            let slashed = if rest.starts_with(b"/") { rest.to_vec() } else { [b"/", rest].concat() };
            Some(slashed).filter(|_| prohibits && !host.is_empty())
        }
        _ => path_of(value, origin),
    }
}

/// R14: the path behind the file's own host, in a prohibition that lacks only the scheme.
pub(crate) fn behind_own_host(value: &[u8], origin: Option<&str>) -> Option<Vec<u8>> {
    let value = visible(value);
    let (own, _) = authority_and_rest(origin?.as_bytes())?;
    let (host, path) = value.split_at(value.iter().position(|&byte| byte == b'/')?);
    let is_own = without_www(&host.to_ascii_lowercase()) == without_www(&own);
    Some(path.to_vec()).filter(|_| is_own && host.contains(&b'.'))
}

fn without_www(host: &[u8]) -> &[u8] {
    host.strip_prefix(b"www.").unwrap_or(host)
}

/// R14: a value without the invisible characters around it, if it has others.
fn visible(value: &[u8]) -> &[u8] {
    let invisible =
        [" ", "\t", "\u{FEFF}", "\u{200B}", "\u{200C}", "\u{200D}", "\u{200E}", "\u{200F}", "\u{A0}"];
    let mut rest = value;
    while let Some(shorter) = invisible
        .iter()
        .find_map(|sign| rest.strip_suffix(sign.as_bytes()).or_else(|| rest.strip_prefix(sign.as_bytes())))
    {
        rest = shorter;
    }
    if rest.is_empty() { value } else { rest }
}

/// True if a host with a star begins and ends like the file's own, but for a dot behind the star.
fn star_may_hide(host: &[u8], origin: &str) -> bool {
    let own = authority_and_rest(origin.as_bytes()).map(|(own, _)| own).unwrap_or_default();
    let (host, own) = (String::from_utf8_lossy(host), String::from_utf8_lossy(&own));
    let ends = host.split_once('*').map(|(head, rest)| (head, rest.rsplit('*').next().unwrap_or(rest)));
    let tail_of = |tail: &str| tail.strip_prefix('.').unwrap_or(tail).to_owned();
    ends.is_some_and(|(head, tail)| own.starts_with(head) && own.ends_with(&tail_of(tail)))
}

pub(crate) fn authority_and_rest(url: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let is = |start: &&str| url.get(..start.len()).is_some_and(|u| u.eq_ignore_ascii_case(start.as_bytes()));
    let rest = &url[["http://", "https://"].into_iter().find(is)?.len()..];
    let end = rest.iter().position(|o| matches!(o, b'/' | b'?')).unwrap_or(rest.len());
    let host = rest[..end].strip_suffix(b".").unwrap_or(&rest[..end]); // the root's dot names the same host
    Some((host.to_ascii_lowercase(), &rest[end..]))
}

/// A byte of a canonical text, or a wildcard. `Escaped` is a `*` or `$` that a pattern writes as an
/// escape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Tok {
    Byte(u8),
    Escaped(u8),
    Star,
    End,
}

/// R10, R11.
pub(crate) fn bytes(text: &[u8], is_pattern: bool) -> Vec<Tok> {
    let mut toks = Vec::new();
    let mut at = 0;
    let is_kept = |byte: &u8| is_pattern || !b"\t\r\n".contains(byte);
    let kept: Vec<u8> = text.iter().copied().filter(is_kept).collect();
    let text = kept.as_slice();
    while at < text.len() {
        let hex = text.get(at + 1..at + 3).and_then(|hex| std::str::from_utf8(hex).ok());
        let hex = hex.filter(|hex| text[at] == b'%' && hex.bytes().all(|o| o.is_ascii_hexdigit()));
        let escaped = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        // SPEC.md: a digit that could complete a stray percent to an escape remains escaped.
        let stray = match &text[..at] {
            [.., b'%'] => true,
            [.., b'%', digit] => digit.is_ascii_hexdigit(),
            _ => false,
        };
        let last = at + 1 == text.len();
        match (escaped, text[at]) {
            (Some(o @ (b'*' | b'$')), _) => {
                toks.push(if is_pattern { Tok::Escaped(o) } else { Tok::Byte(o) })
            }
            (Some(o), _)
                if (o.is_ascii_alphanumeric() || b"-._~".contains(&o))
                    && !(stray && o.is_ascii_hexdigit()) =>
            {
                toks.push(Tok::Byte(o));
            }
            (None, b'*') if is_pattern => toks.push(Tok::Star),
            (None, b'$') if is_pattern && last => toks.push(Tok::End),
            // RFC 3986 does not permit these.
            (None, o @ 0x21..=0x7E) if !b"\"<>\\^`{|}".contains(&o) => toks.push(Tok::Byte(o)),
            (Some(o), _) | (None, o) => toks.extend(format!("%{o:02X}").bytes().map(Tok::Byte)),
        }
        at += if escaped.is_some() { 3 } else { 1 };
    }
    toks
}

/// R11: the set of positions in the subject that the pattern can reach.
pub(crate) fn matches(pattern: &[Tok], subject: &[Tok]) -> bool {
    let mut places = vec![0];
    for tok in pattern {
        places = match *tok {
            Tok::Star => places.first().map_or(vec![], |&first| (first..=subject.len()).collect()),
            Tok::End => places.into_iter().filter(|&at| at == subject.len()).collect(),
            Tok::Byte(byte) | Tok::Escaped(byte) => places
                .into_iter()
                .filter(|&at| subject.get(at) == Some(&Tok::Byte(byte)))
                .map(|at| at + 1)
                .collect(),
        };
    }
    !places.is_empty()
}
