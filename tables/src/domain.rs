//! The registered domain of a host: its public suffix, and one label before it.
//!
//! The suffixes come from the Public Suffix List (`data/public-suffixes.txt`), including the
//! private ones, so that `a.github.io` and `b.github.io` are two domains. The list is parsed at the
//! first call. It does not know the owners of domains.

use publicsuffix::{List, Psl};
use std::net::Ipv4Addr;
use std::sync::LazyLock;

static SUFFIXES: LazyLock<List> =
    LazyLock::new(|| include_str!("../data/public-suffixes.txt").parse().unwrap_or_default());

/// The registered domain of a host in lower case and punycode. `None` for addresses, for public
/// suffixes themselves and for names of one label. A suffix that is not in the list is taken to be
/// one label.
pub fn registered(host: &str) -> Option<&str> {
    let host = host.strip_suffix('.').unwrap_or(host);
    if host.starts_with('[') || host.parse::<Ipv4Addr>().is_ok() {
        return None;
    }
    let domain = SUFFIXES.domain(host.as_bytes())?;
    std::str::from_utf8(domain.as_bytes()).ok().filter(|domain| !domain.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_read() {
        let rules =
            include_str!("../data/public-suffixes.txt").lines().filter(|line| !line.starts_with("//"));
        assert!(rules.clone().count() > 10_000 && rules.clone().all(|rule| rule.is_ascii()));
        assert!(!SUFFIXES.is_empty());
    }

    #[test]
    fn domains() {
        // Host and domain, mostly from the test data of the list.
        let cases = [
            ("com", None),
            ("example.com", Some("example.com")),
            ("b.example.com", Some("example.com")),
            ("a.b.example.com", Some("example.com")),
            ("uk.com", None),
            ("a.b.example.uk.com", Some("example.uk.com")),
            ("co.uk", None),
            ("www.bbc.co.uk", Some("bbc.co.uk")),
            // Every label below ck is a suffix, with one exception.
            ("test.ck", None),
            ("a.b.test.ck", Some("b.test.ck")),
            ("www.www.ck", Some("www.ck")),
            ("city.kobe.jp", Some("city.kobe.jp")),
            ("c.kobe.jp", None),
            ("a.github.io", Some("a.github.io")),
            ("github.io", None),
            ("www.xn--55qx5d.cn", Some("www.xn--55qx5d.cn")),
            ("a.www.xn--55qx5d.cn", Some("www.xn--55qx5d.cn")),
            // Not in the list.
            ("www.a.example", Some("a.example")),
            ("localhost", None),
            ("example.com.", Some("example.com")),
            // Not domain names.
            ("127.0.0.1", None),
            ("[2001:db8::1]", None),
            ("", None),
            (".", None),
            ("..", None),
            ("a..com", None),
        ];
        for (host, domain) in cases {
            assert_eq!(registered(host), domain, "{host}");
        }
    }
}
