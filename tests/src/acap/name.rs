//! Names of crawlers (34): those of ACAP records are whole values, those of conventional groups
//! product tokens.

use crate::oracle;

/// Follows a token that names only the crawler that gives it bare.
const ONLY_BARE: &str = "/\0";

/// The crawler of a query.
pub(super) struct Asker {
    whole: String,
    token: String,
}

impl Asker {
    pub(super) fn new(given: &str) -> Asker {
        Asker { whole: oracle::whole(given.as_bytes()), token: oracle::token(given.as_bytes()) }
    }

    /// True if one of these names, of a record or of a group, is the crawler's.
    pub(super) fn is_named(&self, names: &[String]) -> bool {
        let is_own = |name: &String| {
            let is_bare = self.whole == self.token;
            let bare = bare(name).or(name.strip_suffix(ONLY_BARE));
            name == &self.whole || name == &self.token || is_bare && bare == Some(&self.token)
        };
        names.iter().any(|name| !name.is_empty() && name != "*" && is_own(name))
    }
}

/// The token of a name that is one with a version.
fn bare(name: &str) -> Option<&str> {
    let (token, version) = name.split_once('/')?;
    let is_of_version = |c: char| c.is_ascii_alphanumeric() || "._-+~".contains(c);
    let is_bare = !token.is_empty() && oracle::token(token.as_bytes()) == token;
    (is_bare && !version.is_empty() && version.chars().all(is_of_version)).then_some(token)
}

/// The crawlers that a value of `ACAP-crawler` names; `*` for any, the empty text for none.
pub(super) fn of_value(value: &[u8]) -> String {
    if oracle::agent(value) == "*" { "*".to_owned() } else { oracle::whole(value) }
}

/// The name of the crawlers that have both names: the longer one, if the other is its token, or the
/// bare token of both.
pub(super) fn of_both(name: &str, other: &str) -> Option<String> {
    let token = |name: &str| oracle::token(name.as_bytes());
    match name {
        "" => None,
        _ if name == other || token(name) == other => Some(name.to_owned()),
        _ if token(other) == name => Some(other.to_owned()),
        _ => bare(name).filter(|token| bare(other) == Some(token)).map(|token| token.to_owned() + ONLY_BARE),
    }
}
