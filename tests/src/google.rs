//! A second oracle: the answers of google/robotstxt, reimplemented as the one pass over the file
//! that it makes.
//!
//! For profile `google`. The oracle has no groups and no policy: it walks the bytes of the file
//! with the flags of that parser, so it shares neither structure nor code with the compiler. Its
//! matcher keeps the set of positions that a pattern can reach, which is the definition of
//! matching. It knows nothing of images; only tests and benches import it.

/// The number of bytes of a line that are kept.
const KEPT: usize = 2083 * 8 - 1;

/// The state so far: the highest priority (pattern length) of each sense, for the crawler itself
/// and for `*`.
#[derive(Default)]
struct State {
    in_global: bool,
    in_specific: bool,
    ever_specific: bool,
    after_rule: bool,
    // [sense][scope]: 0 if nothing matched.
    best: [[usize; 2]; 2],
}

/// True if `agent` may fetch `url`.
pub fn allowed(robots: &[u8], agent: &str, url: &str) -> bool {
    let path = path(url.as_bytes());
    let mut state = State::default();
    let mark = b"\xEF\xBB\xBF".iter().zip(robots).take_while(|(a, b)| a == b).count();
    for line in robots[mark..].split(|byte| matches!(byte, b'\r' | b'\n')) {
        if let Some((key, value)) = fields(&line[..line.len().min(KEPT)]) {
            state.record(key, value, agent.as_bytes(), &path);
        }
    }
    let [[disallow_any, disallow_own], [allow_any, allow_own]] = state.best;
    if disallow_own > 0 || allow_own > 0 {
        disallow_own <= allow_own
    } else if state.ever_specific {
        true
    } else {
        disallow_any <= allow_any
    }
}

impl State {
    fn record(&mut self, key: &[u8], value: &[u8], agent: &[u8], path: &[u8]) {
        let is =
            |name: &str| key.len() >= name.len() && key[..name.len()].eq_ignore_ascii_case(name.as_bytes());
        if ["user-agent", "useragent", "user agent"].into_iter().any(is) {
            if std::mem::take(&mut self.after_rule) {
                (self.in_global, self.in_specific) = (false, false);
            }
            if value.first() == Some(&b'*') && value.get(1).is_none_or(|byte| space(*byte)) {
                self.in_global = true;
            } else {
                let end = value.iter().position(|o| !o.is_ascii_alphabetic() && *o != b'-' && *o != b'_');
                if value[..end.unwrap_or(value.len())].eq_ignore_ascii_case(agent) {
                    (self.in_specific, self.ever_specific) = (true, true);
                }
            }
        } else if is("allow") {
            self.rule(1, &escape(value), path);
        } else if ["disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"].into_iter().any(is)
        {
            self.rule(0, &escape(value), path);
        }
    }

    fn rule(&mut self, sense: usize, pattern: &[u8], path: &[u8]) {
        if !self.in_global && !self.in_specific {
            return;
        }
        self.after_rule = true;
        if matches(pattern, path) {
            let best = &mut self.best[sense][usize::from(self.in_specific)];
            *best = (*best).max(pattern.len());
        } else if sense == 1
            && let Some(slash) = pattern.iter().rposition(|&byte| byte == b'/')
            && pattern[slash..].starts_with(b"/index.htm")
        {
            let mut directory = pattern[..=slash].to_vec();
            directory.push(b'$');
            self.rule(sense, &directory, path);
        }
    }
}

/// True if the pattern matches the path: tracks the positions reached after each of its bytes.
fn matches(pattern: &[u8], path: &[u8]) -> bool {
    let mut reached = vec![0];
    for (at, &byte) in pattern.iter().enumerate() {
        reached = match byte {
            b'$' if at + 1 == pattern.len() => return reached.contains(&path.len()),
            b'*' => (reached[0]..=path.len()).collect(),
            _ => reached.into_iter().filter(|&p| path.get(p) == Some(&byte)).map(|p| p + 1).collect(),
        };
        if reached.is_empty() {
            return false;
        }
    }
    true
}

fn fields(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let line = line.split(|&byte| byte == 0).next()?;
    let line = trim(line.split(|&byte| byte == b'#').next()?);
    let gap = |byte: &u8| matches!(byte, b' ' | b'\t');
    let at = match line.iter().position(|&byte| byte == b':') {
        Some(colon) => colon,
        None if line.split(gap).filter(|word| !word.is_empty()).count() == 2 => line.iter().position(gap)?,
        None => return None,
    };
    let key = trim(&line[..at]);
    if key.is_empty() { None } else { Some((key, trim(&line[at + 1..]))) }
}

fn space(byte: u8) -> bool {
    matches!(byte, 9..=13 | b' ')
}

fn trim(mut text: &[u8]) -> &[u8] {
    while let [first, rest @ ..] = text
        && space(*first)
    {
        text = rest;
    }
    while let [rest @ .., last] = text
        && space(*last)
    {
        text = rest;
    }
    text
}

fn escape(value: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < value.len() {
        match value[at..] {
            [b'%', a, b, ..] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit() => {
                out.extend([b'%', a.to_ascii_uppercase(), b.to_ascii_uppercase()]);
                at += 3;
            }
            [byte, ..] if byte >= 0x80 => {
                out.extend(format!("%{byte:02X}").bytes());
                at += 1;
            }
            _ => {
                out.push(value[at]);
                at += 1;
            }
        }
    }
    out
}

/// Path, parameters and query of a URL, as extracted by that library.
pub fn path(url: &[u8]) -> Vec<u8> {
    let start = if url.starts_with(b"//") { 2 } else { 0 };
    let of_path = |from: usize| (from..url.len()).find(|&at| matches!(url[at], b'/' | b'?' | b';'));
    let protocol = (start..url.len()).find(|&at| url[at..].starts_with(b"://"));
    let from = match protocol {
        Some(at) if of_path(start).is_none_or(|path| path >= at) => at + 3,
        _ => start,
    };
    let hash = (start..url.len()).find(|&at| url[at] == b'#');
    match of_path(from) {
        Some(path) if hash.is_none_or(|hash| hash >= path) => {
            let path = &url[path..hash.unwrap_or(url.len())];
            if path[0] == b'/' { path.to_vec() } else { [b"/", path].concat() }
        }
        _ => b"/".to_vec(),
    }
}
