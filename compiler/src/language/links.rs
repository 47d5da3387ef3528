//! `Link` fields of HTTP headers: the links to RSL documents in them (RFC 8288).
//!
//! `rsl` asks for them. Invariants: time is linear in the field; what is not written as RFC 8288
//! demands is still a link, since its document may refuse. It does not know what a document says.

/// A link to an RSL document in a `Link` field.
#[derive(Debug, PartialEq)]
pub(super) struct Link {
    /// Empty if no angle brackets enclose it, or its parameters cannot be told apart: nobody knows
    /// the document.
    pub(super) target: String,
    /// The link is, or may be, about the resource that its anchor names (RFC 8288 3.2): another
    /// one, or a part of the page.
    pub(super) has_anchor: bool,
}

/// The links to RSL documents in a `Link` field.
pub(super) fn links(field: &[u8]) -> Vec<Link> {
    let field = String::from_utf8_lossy(field);
    let mut links = Vec::new();
    let mut rest = field.trim_start();
    // Once no bracket closes, no later one does: they are not searched for again.
    let mut closes = true;
    while !rest.is_empty() {
        let opened = rest.strip_prefix('<').filter(|_| closes);
        let bracketed = opened.and_then(|rest| rest.split_once('>'));
        closes &= opened.is_none() || bracketed.is_some();
        let (target, parameters) = bracketed.unwrap_or(("", rest));
        let (own, after) = parameters.split_at(find_unquoted(parameters, ','));
        let own = Parameters::of(own);
        if own.is_license() {
            let has_anchor = own.get("anchor").is_some() || own.is_doubtful(&["anchor"]);
            links.push(Link { target: target.trim().to_owned(), has_anchor });
        } else if own.is_doubtful(&["license", "rsl+xml"]) {
            links.push(Link { target: String::new(), has_anchor: false });
        }
        rest = after.trim_start_matches(|letter: char| letter == ',' || letter.is_whitespace());
    }
    links
}

/// Where a sign stands outside quotation marks (RFC 9110 5.6.4), or the end. A mark opens a
/// quotation only behind an equals sign, and one that is never closed quotes nothing.
fn find_unquoted(text: &str, sign: char) -> usize {
    let (mut open, mut found, mut is_escaped) = (false, None, false);
    let mut before = ' ';
    for (at, letter) in text.char_indices() {
        let was_escaped = std::mem::take(&mut is_escaped);
        match letter {
            '\\' if open && !was_escaped => is_escaped = true,
            '"' if !was_escaped && (open || before == '=') => (open, found) = (!open, None),
            _ if letter == sign && !open => return at,
            // Counts only if the mark before it is never closed.
            _ if letter == sign => found = found.or(Some(at)),
            _ => {}
        }
        before = if letter.is_whitespace() { before } else { letter };
    }
    found.unwrap_or(text.len())
}

/// The parameters of a link, as written.
struct Parameters<'l>(Vec<&'l str>);

impl Parameters<'_> {
    fn of(text: &str) -> Parameters<'_> {
        let mut rest = text;
        Parameters(
            std::iter::from_fn(|| {
                let (own, after) = rest.split_at(find_unquoted(rest, ';'));
                let is_end = own.is_empty() && after.is_empty();
                rest = after.get(1..).unwrap_or_default();
                (!is_end).then_some(own)
            })
            .collect(),
        )
    }

    /// The value of the first parameter of a name, in lower case; empty if it has none.
    fn get(&self, wanted: &str) -> Option<String> {
        self.0.iter().find_map(|parameter| {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let value = value.trim().trim_matches(['"', '\'']);
            name.trim().eq_ignore_ascii_case(wanted).then(|| unescaped(value))
        })
    }

    fn is_license(&self) -> bool {
        let rel = self.get("rel").unwrap_or_default();
        let media_type = self.get("type").unwrap_or_default();
        rel.split_whitespace().any(|rel| rel == "license")
            && media_type.split(';').next().is_some_and(|name| name.trim() == "application/rsl+xml")
    }

    /// True if the link has these words, and nobody knows where its quotations end.
    fn is_doubtful(&self, words: &[&str]) -> bool {
        let has = |word: &&str| self.0.iter().any(|parameter| unescaped(parameter).contains(word));
        self.0.iter().any(|parameter| has_stray_mark(parameter)) && words.iter().all(has)
    }
}

/// A text in lower case, without the backslashes of quoted pairs (RFC 9110 5.6.4).
fn unescaped(text: &str) -> String {
    let mut letters = text.chars();
    let next =
        || letters.next().and_then(|letter| if letter == '\\' { letters.next() } else { Some(letter) });
    std::iter::from_fn(next).map(|letter| letter.to_ascii_lowercase()).collect()
}

/// True if a parameter has a quotation mark, and its value is not one quotation.
fn has_stray_mark(parameter: &str) -> bool {
    let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
    let value = value.trim();
    let quoted = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value);
    let mut is_escaped = false;
    let is_mark = |letter| {
        let was_escaped = is_escaped;
        is_escaped = letter == '\\' && !was_escaped;
        letter == '"' && !was_escaped
    };
    name.contains('"') || quoted.chars().any(is_mark)
}

#[cfg(test)]
mod tests {
    use super::links;
    use std::time::{Duration, Instant};

    #[test]
    fn links_with_an_anchor() {
        let has_anchor = |parameters: &str| {
            let field = format!("<a>; {parameters}; rel=license; type=\"application/rsl+xml\"");
            links(field.as_bytes())[0].has_anchor
        };
        for parameters in ["anchor=\"/b\"", "x=\";\"; Anchor = '#c'", "anchor=\"\"", "anchor"] {
            assert!(has_anchor(parameters), "{parameters}");
        }
        assert!(!has_anchor("title=\"; anchor=/b\""));
        // Nobody knows where these quotations end.
        assert!(has_anchor("title=\"; anchor=\"/b\""));
        assert!(!has_anchor("title=a\"b"));
    }

    #[test]
    fn marks_that_quote_nothing_hide_no_link() {
        let targets = |field: &str| -> Vec<String> {
            links(field.as_bytes()).into_iter().map(|link| link.target).collect()
        };
        let license = "rel=license; type=\"application/rsl+xml\"";
        for parameters in [
            &*format!("title=a\"b; {license}"),
            &format!("title\"=a; {license}"),
            &format!("title=a\\; {license}"),
            &format!("title = \"a\\\"; b\"; {license}"),
            r#"rel="lic\ense"; type="application/rs\l+xml""#,
        ] {
            assert_eq!(targets(&format!("<a>; {parameters}, <b>")), ["a"], "{parameters}");
        }
        // Nobody knows where these quotations end.
        for field in [
            r#"<a>; title="b, <c>; rel="license"; type="application/rsl+xml""#,
            &format!("<a>; title=b=\"; {license}"),
        ] {
            assert_eq!(targets(field), [""], "{field}");
        }
        for field in [
            "<a>; rel=alternate; title=license; type=\"application/rsl+xml\"",
            "<a>; rel=license; title=\"rsl+xml, \\\"b\\\"\"",
        ] {
            assert_eq!(targets(field), [""; 0], "{field}");
        }
    }

    #[test]
    fn links_are_split_in_linear_time() {
        let of = |target: &str| format!("{target}; rel=license; type=\"application/rsl+xml\"");
        let field = [of("<a>"), "<b>; rel=\"x,y\"".to_owned(), of("<c>"), of("<d"), of("e")].join(", ");
        let targets = |field: &str| -> Vec<String> {
            links(field.as_bytes()).into_iter().map(|link| link.target).collect()
        };
        assert_eq!(targets(&field), ["a", "c", "", ""]);
        // A media type may have parameters.
        for media_type in ["\"Application/RSL+xml ; charset=utf-8\"", "application/rsl+xml;charset=utf-8"] {
            let field = format!("<a>; rel=license; type={media_type}");
            assert_eq!(targets(&field), ["a"], "{media_type}");
        }
        let start = Instant::now();
        for part in ["<,", "=\",", "=\"\\\";", "a=\""] {
            links(part.repeat(1 << 18).as_bytes());
        }
        assert!(links("<,".repeat(1 << 20).as_bytes()).is_empty());
        assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    }
}
