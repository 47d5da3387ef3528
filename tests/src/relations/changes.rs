//! Changes of sites: documents that cannot be read, refusals that are added, other spellings.
//!
//! [`Refusal`] adds what only refuses, [`Spelling`] changes what no rule looks at, [`unreadable`]
//! takes a document away from the reader, and [`begun`] the end of a robots.txt. Invariant: the
//! exceptions that RULES.md makes stand at the change that they concern. This file does not compare
//! answers.

use super::{Body, Document, Fetch, Question, Section, Site};

/// The site with one document that cannot be read. `None` if it would be another site: a page that
/// failed, or moved, is no page, and another rule speaks of it.
pub fn unreadable(site: &Site, document: usize, fetch: Fetch) -> Option<Site> {
    let mut site = site.clone();
    let document = &mut site.documents[document];
    if document.is_page() && matches!(fetch, Fetch::Failed | Fetch::Lost) {
        return None;
    }
    document.fetch = fetch;
    Some(site)
}

/// The site with only the beginning of its robots.txt, which ends behind one of its lines: a text
/// that is whole, and one whose capture was cut there. `None` if it has no line.
pub fn begun(site: &Site, line: impl Fn(usize) -> usize) -> Option<[Site; 2]> {
    let robots = site.documents.iter().position(|document| document.path == "/robots.txt")?;
    let lines = site.documents[robots].text().lines().count();
    (lines > 0).then(|| {
        [false, true].map(|is_cut| {
            let mut site = site.clone();
            site.documents[robots].fetch = Fetch::Lines(1 + line(lines), is_cut);
            site
        })
    })
}

/// True if RULES.md lets this answer become more permissive when a document cannot be read: rules
/// about crawling stay as they are when a page is unread (decision p).
pub fn is_unread_excused(document: &Document, question: &Question) -> bool {
    document.is_page() && question.usage == "crawl"
}

/// The ways in which a document cannot be read.
pub const UNREADABLE: [Fetch; 4] = [Fetch::Failed, Fetch::Lost, Fetch::Cut, Fetch::Bodyless];

/// A refusal, added wherever it can stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// `X-Robots-Tag: noai, noindex` of every page.
    RobotsHeader,
    /// The same for one crawler.
    RobotsHeaderByName,
    /// A META tag with `noai, noindex`.
    RobotsTag,
    /// A META tag of ACAP for all crawlers.
    AcapTag,
    /// A META tag of ACAP for one crawler.
    AcapTagByName,
    /// `Content-Signal` in the header of every page.
    SignalHeader,
    /// `Content-Usage` in the header of every page.
    UsageHeader,
    /// `tdm-reservation: 1` in the header of every page.
    TdmHeader,
    /// A rule in front of those of tdmrep.json.
    TdmRule,
    /// `Content-Signal` in every group.
    Signal,
    /// `Content-Usage` in every group.
    Usage,
    /// `DisallowAITraining: /` in every group.
    AiTraining,
    /// `Disallow: /` in every group.
    Disallow,
    /// `Noindex: /` in every group.
    Noindex,
    /// A group for a control token.
    Token,
    /// Prohibitions of all paths in every ACAP record.
    AcapField,
    /// `Disallow: /` in every group of ai.txt.
    AiTxt,
    /// A content for all paths in every RSL document.
    Content,
}

/// All refusals.
pub const REFUSALS: [Refusal; 18] = [
    Refusal::RobotsHeader,
    Refusal::RobotsHeaderByName,
    Refusal::RobotsTag,
    Refusal::AcapTag,
    Refusal::AcapTagByName,
    Refusal::SignalHeader,
    Refusal::UsageHeader,
    Refusal::TdmHeader,
    Refusal::TdmRule,
    Refusal::Signal,
    Refusal::Usage,
    Refusal::AiTraining,
    Refusal::Disallow,
    Refusal::Noindex,
    Refusal::Token,
    Refusal::AcapField,
    Refusal::AiTxt,
    Refusal::Content,
];

/// All labels are refused, since a line of another length or another carrier may lose what it says.
const SIGNALS: &str = "ai-train=no, ai-input=no, search=no";
const PREFERENCES: &str = "train-ai=n, ai-use=n, search=n";

impl Refusal {
    /// The site with the refusal.
    pub fn added(self, site: &Site) -> Site {
        let mut site = site.clone();
        for document in &mut site.documents {
            self.add(document);
        }
        site
    }

    fn add(self, document: &mut Document) {
        let Document { path, headers, body, .. } = document;
        match body {
            Body::Tags(tags) => {
                let mut add = |name, value: &str| headers.push((name, value.to_owned()));
                match self {
                    Refusal::RobotsHeader => add("X-Robots-Tag", "noai, noindex"),
                    Refusal::RobotsHeaderByName => add("X-Robots-Tag", "foobot: noai, noindex"),
                    Refusal::SignalHeader => add("Content-Signal", SIGNALS),
                    Refusal::UsageHeader => add("Content-Usage", PREFERENCES),
                    Refusal::TdmHeader => add("tdm-reservation", "1"),
                    Refusal::RobotsTag => tags.push("<meta name=robots content='noai, noindex'>".to_owned()),
                    Refusal::AcapTag => {
                        tags.push(
                            "<meta name=robots content='ACAP disallow-index, disallow-present'>".to_owned(),
                        );
                    }
                    Refusal::AcapTagByName => {
                        tags.push(
                            "<meta name=Foobot content='ACAP disallow-index, disallow-foo'>".to_owned(),
                        );
                    }
                    _ => {}
                }
            }
            Body::Rules(rules) if self == Refusal::TdmRule => {
                rules.insert(0, "{\"location\":\"/\",\"tdm-reservation\":1}".to_owned());
            }
            Body::Contents(contents) if self == Refusal::Content => {
                let prohibits = "<prohibits type=\"usage\">all</prohibits>";
                contents.push(format!("<content url=\"/\"><license>{prohibits}</license></content>"));
            }
            Body::Records(sections) if *path != "/ai.txt" => {
                sections.iter_mut().for_each(|section| self.add_to(section));
                if self == Refusal::Token && *path == "/robots.txt" {
                    let lines = vec!["Disallow: /".to_owned()];
                    sections.push(Section { heads: vec!["User-agent: Google-Extended".to_owned()], lines });
                }
            }
            Body::Records(sections) if self == Refusal::AiTxt => {
                sections.iter_mut().for_each(|section| section.lines.push("Disallow: /".to_owned()));
            }
            _ => {}
        }
    }

    fn add_to(self, section: &mut Section) {
        let is_record = section.heads.iter().any(|head| head.starts_with("ACAP-"));
        let line = match self {
            Refusal::Signal => format!("Content-Signal: {SIGNALS}"),
            Refusal::Usage => format!("Content-Usage: {PREFERENCES}"),
            Refusal::AiTraining => "DisallowAITraining: /".to_owned(),
            Refusal::Disallow => "Disallow: /".to_owned(),
            Refusal::Noindex => "Noindex: /".to_owned(),
            Refusal::AcapField if is_record => {
                // None about crawling: it would make another level apply, on which an Allow that is
                // narrower than this line meets no prohibition of the other level (decisions 11
                // and 14).
                let lines = ["index", "preserve", "present", "other"];
                section.lines.extend(lines.map(|usage| format!("ACAP-disallow-{usage}: /")));
                return;
            }
            _ => return,
        };
        if !is_record {
            section.lines.push(line);
        }
    }

    /// True if this answer is disallowed, whatever the site says beside the refusal (decision g).
    pub fn decides(self, site: &Site, question: &Question) -> bool {
        let usages: &[&str] = match self {
            Refusal::RobotsHeader | Refusal::RobotsTag => &["search", "ai-train", "ai-all", "tdm", "all"],
            Refusal::SignalHeader => &["search", "ai-train", "ai-input", "ai-all", "tdm", "all"],
            Refusal::TdmHeader if !self.is_excused(site, question) => &["ai-train", "ai-all", "tdm", "all"],
            _ => &[],
        };
        let is_page = |document: &Document| document.is_page() && document.path == question.path;
        usages.contains(&question.usage) && site.documents.iter().any(is_page)
    }

    /// True if RULES.md lets this answer become more permissive.
    pub fn is_excused(self, site: &Site, question: &Question) -> bool {
        let says = |word: &str| site.documents.iter().any(|document| document.text().contains(word));
        match self {
            // Content-Usage says nothing about paths that may not be crawled (decision c).
            Refusal::Disallow => question.usage != "crawl" && says("Content-Usage"),
            // A reservation with a policy permits under its condition, and may get the policy of
            // another carrier; a META tag supersedes the header (decision h).
            Refusal::TdmHeader => says("tdm-policy") || says("name=tdm-reservation"),
            // Who asks in the name of a token takes nothing from `*` once the token has a group.
            Refusal::Token => question.agents.contains(&"Google-Extended"),
            _ => false,
        }
    }
}

/// Another spelling of the same site.
#[derive(Clone, Copy, Debug)]
pub enum Spelling {
    /// Captures in the reverse order.
    Captures,
    /// Groups and records in the reverse order.
    Sections,
    /// A comment after every record.
    Comments,
    /// A blank line and a line with a comment after every record.
    Blanks,
    /// CRLF.
    LineEnds,
    /// Keys and names of crawlers in upper case.
    Case,
}

/// All spellings.
pub const SPELLINGS: [Spelling; 6] = [
    Spelling::Captures,
    Spelling::Sections,
    Spelling::Comments,
    Spelling::Blanks,
    Spelling::LineEnds,
    Spelling::Case,
];

impl Spelling {
    /// The site in this spelling.
    pub fn of(self, site: &Site) -> Site {
        let mut site = site.clone();
        if let Spelling::Captures = self {
            site.documents.reverse();
        }
        for document in &mut site.documents {
            let Body::Records(sections) = &mut document.body else { continue };
            if let Spelling::Sections = self {
                sections.reverse();
            }
            for section in sections {
                section.heads.iter_mut().for_each(|head| self.spell(head, true));
                section.lines.iter_mut().for_each(|line| self.spell(line, false));
            }
        }
        site
    }

    fn spell(self, line: &mut String, is_head: bool) {
        match self {
            Spelling::Comments => line.push_str(" # Disallow: /"),
            Spelling::Blanks => line.push_str("\n\n# Disallow: /"),
            Spelling::LineEnds => line.push('\r'),
            Spelling::Case if is_head => line.make_ascii_uppercase(),
            Spelling::Case => {
                let key = line.find(':').unwrap_or_default();
                line[..key].make_ascii_uppercase();
            }
            Spelling::Captures | Spelling::Sections => {}
        }
    }
}
