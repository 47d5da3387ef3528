//! The parameters of a request, parsed strictly.
//!
//! An unknown or repeated parameter, and a value that is not UTF-8, are refused with a message: if
//! an `agents=` were silently ignored, the answer would be for any crawler.

use crate::error::Refusal;
use crate::limits::{AGENTS, NAME};
use axum::http::StatusCode;
use robomaton_explain::{Query, check_names, names};
use robomaton_runtime::Profile;
use std::borrow::Cow;

/// The usage of a question that names none.
pub(crate) const USAGE: &str = "crawl";

/// The parameters of a question as given.
#[derive(Debug, Default)]
pub(crate) struct Parameters<'a> {
    pub(crate) url: Cow<'a, str>,
    pub(crate) agents: Vec<Cow<'a, str>>,
    pub(crate) usage: Option<Cow<'a, str>>,
    pub(crate) purpose: Option<Cow<'a, str>>,
    pub(crate) document: Option<Cow<'a, str>>,
    pub(crate) named_only: Option<Cow<'a, str>>,
}

impl<'a> Parameters<'a> {
    /// Reads a query string that may have these parameters and must have a `url` of at most
    /// `longest` bytes.
    pub(crate) fn read(
        query: Option<&'a str>,
        known: &[&str],
        longest: usize,
    ) -> Result<Parameters<'a>, Refusal> {
        let (mut read, url) = Parameters::parse(query, known)?;
        read.url =
            url.filter(|url| !url.trim_ascii().is_empty()).ok_or_else(|| Refusal::bad("no url is given"))?;
        if read.url.len() > longest {
            let what = format!("the url is over the limit of {longest} bytes");
            return Err(Refusal::new(StatusCode::URI_TOO_LONG, what));
        }
        Ok(read)
    }

    /// Reads a query string that may have these parameters, but no URL.
    pub(crate) fn of_crawler(query: Option<&'a str>, known: &[&str]) -> Result<Parameters<'a>, Refusal> {
        Parameters::parse(query, known).map(|(read, _)| read)
    }

    /// The parameters of a query string, and apart from them its URL.
    fn parse(
        query: Option<&'a str>,
        known: &[&str],
    ) -> Result<(Parameters<'a>, Option<Cow<'a, str>>), Refusal> {
        let mut read = Parameters::default();
        let mut url = None;
        for pair in pairs(query, known) {
            let (name, value) = pair?;
            let place = match name {
                "agent" => {
                    read.agents.push(value);
                    continue;
                }
                "url" => &mut url,
                "usage" => &mut read.usage,
                "purpose" => &mut read.purpose,
                "named_only" => &mut read.named_only,
                _ => &mut read.document,
            };
            set(place, name, value)?;
        }
        if let Some(document) =
            read.document.as_deref().filter(|name| !matches!(*name, "robots.txt" | "data.txt"))
        {
            return Err(Refusal::bad(format!("no document {document:?}, only robots.txt and data.txt")));
        }
        if let Some(word) = read.named_only.as_deref().filter(|word| !matches!(*word, "true" | "false")) {
            return Err(Refusal::bad(format!("named_only is true or false, not {word:?}")));
        }
        Ok((read, url))
    }

    /// The document, if it is not robots.txt.
    pub(crate) fn other_document(&self) -> Option<&str> {
        self.document.as_deref().filter(|&name| name != "robots.txt")
    }

    /// The usage.
    pub(crate) fn usage(&self) -> &str {
        self.usage.as_deref().unwrap_or(USAGE)
    }

    /// True if only groups that name the crawler count.
    pub(crate) fn named_only(&self) -> bool {
        self.named_only.as_deref() == Some("true")
    }

    /// The query of the parameters.
    pub(crate) fn query(&self, profile: Profile) -> Result<Query, Refusal> {
        let query =
            query(self.agents.iter().map(|name| &**name), self.usage(), self.purpose.as_deref(), profile)?;
        Ok(Query { named_only: self.named_only(), ..query })
    }
}

/// The decoded parameters of a query string, or the refusal of one.
pub(crate) fn pairs<'a>(
    query: Option<&'a str>,
    known: &[&str],
) -> impl Iterator<Item = Result<(&'a str, Cow<'a, str>), Refusal>> {
    let pairs = query.unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
    pairs.map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        if !known.contains(&name) {
            if known.is_empty() {
                return Err(Refusal::bad(format!("no parameter {name:?} here: the body has the question")));
            }
            let of = known.join(", ");
            return Err(Refusal::bad(format!(
                "no parameter {name:?} here, only {of}; an `&` in a value is written %26"
            )));
        }
        let value = decode(value).ok_or_else(|| {
            Refusal::bad(format!("{name} is not UTF-8 when decoded; a `%` of a URL is written %25"))
        })?;
        Ok((name, value))
    })
}

/// Refuses every parameter: the body of the request says all.
pub(crate) fn no_parameters(query: Option<&str>) -> Result<(), Refusal> {
    pairs(query, &[]).try_for_each(|pair| pair.map(drop))
}

/// Sets a parameter that may be given once.
pub(crate) fn set<T>(place: &mut Option<T>, name: &str, value: T) -> Result<(), Refusal> {
    match place.replace(value) {
        Some(_) => Err(Refusal::bad(format!("{name} is given twice"))),
        None => Ok(()),
    }
}

/// The query of these names and words. Lists of names are split, and each name must name a crawler.
pub(crate) fn query<'n>(
    agents: impl Iterator<Item = &'n str>,
    usage: &str,
    purpose: Option<&str>,
    profile: Profile,
) -> Result<Query, Refusal> {
    let mut all: Vec<String> = agents.flat_map(names).map(str::to_owned).collect();
    if all.is_empty() {
        all.push("*".to_owned());
    }
    check_query(all.iter().map(String::as_str), usage, purpose, profile)?;
    let (usage, purpose) = (usage.to_owned(), purpose.map(str::to_owned));
    Ok(Query { agents: all, usage, purpose, elements: false, named_only: false })
}

/// Refuses names that name no crawler, too many names, and words that are too long.
pub(crate) fn check_query<'n>(
    agents: impl Iterator<Item = &'n str> + Clone,
    usage: &'n str,
    purpose: Option<&'n str>,
    profile: Profile,
) -> Result<(), Refusal> {
    if agents.clone().count() > AGENTS {
        return Err(Refusal::bad(format!("more than {AGENTS} names of one crawler")));
    }
    if agents.clone().chain([usage]).chain(purpose).any(|name| name.len() > NAME) {
        return Err(Refusal::bad(format!(
            "an agent, a usage or a purpose is over the limit of {NAME} bytes"
        )));
    }
    check_names(agents, profile).map_err(Refusal::bad)
}

/// Decodes a value of a query string: `+` is a space, and `%` with two hexadecimal digits a byte.
/// `None` if the result is not UTF-8.
fn decode(value: &str) -> Option<Cow<'_, str>> {
    if !value.contains(['%', '+']) {
        return Some(Cow::Borrowed(value));
    }
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        bytes.push(match (byte, after) {
            (b'+', _) => b' ',
            (b'%', [high, low, after @ ..]) => match (digit(*high), digit(*low)) {
                (Some(high), Some(low)) => {
                    rest = after;
                    high << 4 | low
                }
                _ => byte,
            },
            _ => byte,
        });
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use robomaton_explain::MOST_NAMES;

    const KNOWN: &[&str] = &["url", "agent", "usage", "purpose", "document"];

    fn read(query: &str) -> Result<Parameters<'_>, Refusal> {
        Parameters::read(Some(query), KNOWN, 64)
    }

    #[test]
    fn values_are_decoded() {
        let read =
            read("url=https%3A%2F%2Fa.example%2Fb%2520c%3Fd%26e&agent=a+b&agent=%C3%A9&usage=").unwrap();
        assert_eq!(read.url, "https://a.example/b%20c?d&e");
        assert_eq!(read.agents, ["a b", "\u{e9}"]);
        assert_eq!(read.usage.as_deref(), Some(""));
        assert_eq!(decode("100%").as_deref(), Some("100%"));
        assert_eq!(decode("%zz%4").as_deref(), Some("%zz%4"));
        assert_eq!(decode("%e9"), None);
    }

    #[test]
    fn what_was_not_asked_is_not_answered() {
        let long = format!("url={}", "a".repeat(65));
        for bad in [
            "",
            "url=",
            "url=+",
            "url=a&url=b",
            "url=a&agents=b",
            "url=a&b",
            "url=%ff",
            "url=a&document=x",
            &long,
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn names_are_checked() {
        let query = |query: &'static str| read(query).unwrap().query(Profile::Full);
        assert_eq!(query("url=a").unwrap().agents, ["*"]);
        assert_eq!(query("url=a&agent=a,b&agent=c").unwrap().agents, ["a", "b", "c"]);
        assert!(query("url=a&agent=").is_err());
        assert!(query("url=a&agent=a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q").is_err());
        // Every word of a header may be the name.
        let header = |words: usize| (0..words).map(|word| format!("w{word}/1 ")).collect::<String>();
        let check = |header: &str| check_query([header].into_iter(), "crawl", None, Profile::Full);
        assert!(check(&header(MOST_NAMES)).is_ok());
        assert!(check(&header(MOST_NAMES + 1)).is_err());
    }
}
