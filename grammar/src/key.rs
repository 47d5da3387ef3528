//! The keys of robots.txt records, and their accepted spellings (R3, R18).
//!
//! Both readers and the diagnostics use [`Key`]. Invariant: the spellings below are exactly those
//! of the key rules in `rep.pest`. This file does not know which values a key may have.

use std::fmt;

/// A known key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// `User-agent`: names a crawler, begins a group or joins one (RFC 9309 2.2.1).
    UserAgent,
    /// `Allow`: a rule (RFC 9309 2.2.2).
    Allow,
    /// `Disallow`: a rule (RFC 9309 2.2.2).
    Disallow,
    /// `Sitemap`: the URL of a sitemap; belongs to the file, not to a group.
    Sitemap,
    /// `Crawl-delay`: seconds between two requests.
    CrawlDelay,
    /// `Request-rate`: documents per time, optionally within a time of day.
    RequestRate,
    /// `Visit-time`: the time of day, in UTC, when visits are welcome.
    VisitTime,
    /// `Comment`: a text for the operator of the crawler.
    Comment,
    /// `Host`: the main mirror of the site.
    Host,
    /// `Clean-param`: query parameters that do not change the page.
    CleanParam,
    /// `Noindex`: a pattern of URLs that must not be indexed.
    Noindex,
    /// `Robot-version`: the version of the standard that the following records use.
    RobotVersion,
    /// `License`: the URL of a licence (RSL).
    License,
    /// `Content-Signal`: preferences for uses of content.
    ContentSignal,
    /// `Content-Usage`: preferences for uses of content (AIPREF).
    ContentUsage,
}

impl Key {
    /// Every key, in declaration order.
    pub const ALL: [Key; 15] = [
        Key::UserAgent,
        Key::Allow,
        Key::Disallow,
        Key::Sitemap,
        Key::CrawlDelay,
        Key::RequestRate,
        Key::VisitTime,
        Key::Comment,
        Key::Host,
        Key::CleanParam,
        Key::Noindex,
        Key::RobotVersion,
        Key::License,
        Key::ContentSignal,
        Key::ContentUsage,
    ];

    /// The standard spelling, as in the key's documentation.
    pub const fn name(self) -> &'static str {
        match self {
            Key::UserAgent => "User-agent",
            Key::Allow => "Allow",
            Key::Disallow => "Disallow",
            Key::Sitemap => "Sitemap",
            Key::CrawlDelay => "Crawl-delay",
            Key::RequestRate => "Request-rate",
            Key::VisitTime => "Visit-time",
            Key::Comment => "Comment",
            Key::Host => "Host",
            Key::CleanParam => "Clean-param",
            Key::Noindex => "Noindex",
            Key::RobotVersion => "Robot-version",
            Key::License => "License",
            Key::ContentSignal => "Content-Signal",
            Key::ContentUsage => "Content-Usage",
        }
    }

    /// The same in lower case, as stored in records.
    pub const fn lower_name(self) -> &'static str {
        match self {
            Key::UserAgent => "user-agent",
            Key::Allow => "allow",
            Key::Disallow => "disallow",
            Key::Sitemap => "sitemap",
            Key::CrawlDelay => "crawl-delay",
            Key::RequestRate => "request-rate",
            Key::VisitTime => "visit-time",
            Key::Comment => "comment",
            Key::Host => "host",
            Key::CleanParam => "clean-param",
            Key::Noindex => "noindex",
            Key::RobotVersion => "robot-version",
            Key::License => "license",
            Key::ContentSignal => "content-signal",
            Key::ContentUsage => "content-usage",
        }
    }

    /// The key that `text` spells, correctly or with a tolerated mistake; compared whole, ignoring
    /// ASCII case.
    pub fn from_bytes(text: &[u8]) -> Option<Key> {
        let is = |spelling: &str| text.eq_ignore_ascii_case(spelling.as_bytes());
        // The length rules out nearly all spellings, so at most a handful are compared.
        let key = match text.len() {
            4 if is("host") => Key::Host,
            5 if is("allow") => Key::Allow,
            7 if is("sitemap") => Key::Sitemap,
            7 if is("noindex") => Key::Noindex,
            7 if is("comment") => Key::Comment,
            7 if is("license") => Key::License,
            7 if is("disalow") => Key::Disallow,
            8 if is("disallow") => Key::Disallow,
            8 if is("dissalow") || is("diasllow") || is("disallaw") => Key::Disallow,
            8 if is("site-map") => Key::Sitemap,
            9 if is("useragent") => Key::UserAgent,
            9 if is("dissallow") => Key::Disallow,
            10 if is("user-agent") || is("user agent") => Key::UserAgent,
            10 if is("visit-time") => Key::VisitTime,
            11 if is("crawl-delay") => Key::CrawlDelay,
            11 if is("clean-param") => Key::CleanParam,
            12 if is("request-rate") => Key::RequestRate,
            13 if is("robot-version") => Key::RobotVersion,
            13 if is("content-usage") => Key::ContentUsage,
            14 if is("content-signal") => Key::ContentSignal,
            _ => return None,
        };
        Some(key)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
