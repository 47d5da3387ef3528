//! Mistakes in URLs, and sites that an image has under another name.
//!
//! Often a URL is almost that of a site in the image: it has no scheme, `http` for `https`, or a
//! superfluous `www.`. The answer stays `unknown`, as RFC 9309 requires; these messages say what to
//! write instead.

use crate::words::quoted;
use robomaton_formats::site::SiteError;
use robomaton_formats::{SiteKey, site::Scheme};
use robomaton_runtime::Image;

/// The reason why a text is not the URL of a site, in a sentence that begins with the text.
pub fn url_mistake(url: &str) -> Option<String> {
    let url = url.trim_ascii();
    let error = SiteKey::from_url(url).err()?;
    Some(format!("{} {}", quoted(url), mistake(url, &error)))
}

fn mistake(url: &str, error: &SiteError) -> String {
    if let Some(rest) = url.strip_prefix("//") {
        return format!("has no scheme; write https://{rest}");
    }
    if url.starts_with('/') {
        return "is a path without a site; write the whole URL, as in https://example.com/path".to_owned();
    }
    if is_host(host_of(url)) {
        return format!("has no scheme; write https://{url}");
    }
    match error {
        SiteError::Control => format!("has {error}"),
        SiteError::Scheme(scheme) => format!("is not the URL of a site: {scheme} is neither http nor https"),
        _ if !url.contains("://") => "is not a URL: it begins with neither http:// nor https://".to_owned(),
        SiteError::Url(error) => format!("is not a URL: {error}"),
        SiteError::NoHost => "is not the URL of a site: it names no host".to_owned(),
        error => format!("is not the URL of a site: {error}"),
    }
}

/// The part before path and query.
fn host_of(url: &str) -> &str {
    &url[..url.find(['/', '?', '#']).unwrap_or(url.len())]
}

/// True if this is a host without a scheme: with a dot inside, or with a port.
fn is_host(host: &str) -> bool {
    let is_port = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    let (name, has_port) = match host.rsplit_once(':') {
        Some((name, port)) => (name, is_port(port)),
        None => (host, false),
    };
    let is_named = name.trim_matches('.').contains('.') || name == "localhost" || has_port;
    is_named && (has_port || !host.contains(':')) && SiteKey::from_host(host).is_ok()
}

/// A sentence that names a site of the image with the other scheme, or with or without `www.`, if
/// the image does not have the site of the URL itself.
pub fn similar_site<D: AsRef<[u8]>>(image: &Image<D>, url: &str) -> Option<String> {
    let asked = SiteKey::from_url(url).ok()?;
    let authority = asked.authority();
    let (same, other) = match asked.scheme() {
        Scheme::Http => ("http", "https"),
        _ => ("https", "http"),
    };
    let toggled = authority.strip_prefix("www.").map_or_else(|| format!("www.{authority}"), str::to_owned);
    let others = [(other, authority), (same, toggled.as_str()), (other, toggled.as_str())];
    let held = others.iter().find_map(|(scheme, host)| image.site(&format!("{scheme}://{host}/")))?;
    Some(format!("the image contains {}, not {asked}", held.address()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_say_what_to_write() {
        for (url, what) in [
            ("www.ed.ac.uk/search/x", "has no scheme; write https://www.ed.ac.uk/search/x"),
            ("localhost:8080/x", "has no scheme; write https://localhost:8080/x"),
            ("a.example:8080", "has no scheme; write https://a.example:8080"),
            ("//a.example/x", "has no scheme; write https://a.example/x"),
            ("/search/x", "is a path without a site; write the whole URL, as in https://example.com/path"),
            ("ftp://a.example/", "is not the URL of a site: ftp is neither http nor https"),
            ("mailto:a@b.example", "is not the URL of a site: mailto is neither http nor https"),
            ("notaurl", "is not a URL: it begins with neither http:// nor https://"),
            ("http://", "is not a URL: empty host"),
            ("http://a:b/", "is not a URL: invalid port number"),
            ("http://a b/", "is not a URL: invalid international domain name"),
            ("http://a\tb/", "has white space or a control character before the path"),
            ("ht\ttps://a/", "has white space or a control character before the path"),
            ("https:\n//a/", "has white space or a control character before the path"),
        ] {
            let mistake = url_mistake(url).unwrap();
            assert!(mistake.starts_with('"') && mistake.ends_with(what), "{mistake}");
        }
        assert_eq!(url_mistake(" https://a.example/b c "), None);
    }
}
