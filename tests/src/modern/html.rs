//! Tags of a page, read with the simplest scanner that is right on well-formed pages.
//!
//! Invariant: comments and the text of scripts, styles and titles hold no tags. This file does not
//! know what a tag means, nor the error handling of browsers.

/// A start tag: its name in lower case, and its attributes with names in lower case.
pub(super) struct Tag {
    pub(super) name: String,
    pub(super) attributes: Vec<(String, String)>,
}

impl Tag {
    /// The first attribute of this name.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// All start tags, in order.
pub(super) fn tags(html: &str) -> Vec<Tag> {
    let mut tags = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        if !rest.starts_with(|first: char| first.is_ascii_alphabetic()) {
            continue;
        }
        let (tag, after) = tag(rest);
        rest = after;
        if ["script", "style", "title", "textarea"].contains(&tag.name.as_str()) {
            let end = format!("</{}", tag.name);
            let found = rest.to_ascii_lowercase().find(&end);
            rest = found.map_or("", |at| &rest[at..]);
        }
        tags.push(tag);
    }
    tags
}

/// The names, in lower case, and the contents of META tags.
pub(super) fn metas(html: &str) -> Vec<(String, String)> {
    let metas = tags(html).into_iter().filter(|tag| tag.name == "meta");
    let pair =
        |tag: Tag| Some((tag.get("name")?.trim().to_ascii_lowercase(), tag.get("content")?.to_owned()));
    metas.filter_map(pair).collect()
}

/// Reads a tag from its name on; returns the text after it.
fn tag(text: &str) -> (Tag, &str) {
    let is_end = |c: char| c.is_ascii_whitespace() || matches!(c, '>' | '/');
    let (name, mut rest) = text.split_at(text.find(is_end).unwrap_or(text.len()));
    let mut attributes = Vec::new();
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
        if rest.is_empty() || rest.starts_with('>') {
            let rest = rest.strip_prefix('>').unwrap_or(rest);
            return (Tag { name: name.to_ascii_lowercase(), attributes }, rest);
        }
        let mut later = rest.char_indices().skip(1);
        let end = later.find(|&(_, c)| is_end(c) || c == '=').map_or(rest.len(), |(at, _)| at);
        let (key, after) = rest.split_at(end);
        rest = after.trim_start();
        let mut value = "";
        if let Some(after) = rest.strip_prefix('=') {
            let after = after.trim_start();
            (value, rest) = match after.chars().next() {
                Some(quote @ ('"' | '\'')) => after[1..].split_once(quote).unwrap_or((&after[1..], "")),
                _ => {
                    let end = after.find(|c: char| c.is_ascii_whitespace() || c == '>');
                    after.split_at(end.unwrap_or(after.len()))
                }
            };
        }
        attributes.push((key.to_ascii_lowercase(), unescape(value)));
    }
}

/// The character references that pages of tests have.
fn unescape(text: &str) -> String {
    let pairs = [("&quot;", "\""), ("&#39;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")];
    pairs.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_of_a_page() {
        let page =
            "<!-- <meta name=a> --><META Name='B' content=\"x &amp; y\" /><script><p></script><p a b=c>";
        let tags = tags(page);
        let names: Vec<&str> = tags.iter().map(|tag| tag.name.as_str()).collect();
        assert_eq!(names, ["meta", "script", "p"]);
        assert_eq!(tags[2].attributes.len(), 2);
        assert_eq!(metas(page), [("b".to_owned(), "x & y".to_owned())]);
        assert!(
            super::tags("<").is_empty() && super::tags("<é a").is_empty() && super::tags("<a é").len() == 1
        );
    }
}
