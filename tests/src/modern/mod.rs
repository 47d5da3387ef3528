//! The modern usage languages read naively, in the plainest possible code.
//!
//! The second opinion on AIPREF, Content Signals, DisallowAITraining, Noindex, control tokens, RSL,
//! TDMRep, ai.txt, META robots and X-Robots-Tag, as [`mod@crate::acap`] is on ACAP. It shares
//! nothing with the code that it judges: no crate of the project, no automaton, no index; every
//! source is read again for each question. `robots` reads robots.txt, `preferences` has the
//! languages with lines in it, `rsl` and `licenses` the license documents, `tdmrep` and `meta` the
//! rest, and this file combines their statements. [`mod@generate`] makes random sites, and
//! [`coverage`] counts what they show.
//!
//! This module does not know ACAP, profile `koster`, limits other than the 500 KiB of R4, inline
//! license documents, RSS, or the metadata of EPUB and PDF files.
//!
//! # Decisions where the specification is silent
//!
//! Across languages:
//! - `incomplete` is set beside an unknown verdict, and beside a permission if nobody fetched the
//!   robots.txt: a refusal is final, whatever is missing.
//! - An unknown verdict is decided by the unset statements about that very usage; those about its
//!   children are reported, and decide nothing. A verdict by silence is decided by no statement.
//! - The conditions of an unknown, incomplete answer are those of all statements that were read.
//! - The profile concerns robots.txt only. Headers, pages, tdmrep.json and ai.txt count in each.
//! - A robots.txt with a status of 500 or more leaves no statement: every usage is disallowed.
//! - A robots.txt that nobody fetched leaves crawling unknown, and may refuse what any other source
//!   permits.
//!
//! robots.txt and headers:
//! - Every `Content-Usage` line closes the list of agents, also one that does not parse.
//! - The keys of these languages need a colon. The tolerance of R3 is for the conventional keys.
//! - An AIPREF or Content Signals line without a value is a rule of length 0 that states nothing;
//!   an empty `License` is no record.
//! - Any `Content-Signal` line in a crawler's groups switches the leading lines off, also one whose
//!   path does not match. Leading lines are ranked like others.
//! - A `yes` of Content Signals on a path that may not be crawled is an unset statement with its
//!   line; an AIPREF rule there is no statement at all. Headers stand as they are.
//! - Of several matching `Noindex` lines, the longest is reported.
//! - A crawler is Google's if any of its names begins with `google`, Apple's with `applebot`.
//! - Ties of control tokens and of ai.txt report the lines that allow.
//! - ai.txt is of another format if its first line that is not blank, and no comment, begins with
//!   `Training:`.
//! - In ai.txt only R1 to R14 hold: `Content-Usage` does not close its lists of agents.
//!
//! RSL:
//! - Documents are found by the exact URL. They share one time of fetching, that of the site.
//! - If a page names documents and one of them covers the usage or cannot be read, the licenses of
//!   robots.txt are not asked. A link with an anchor is about something else than the page: it may
//!   refuse, and permits nothing.
//! - Unprefixed attributes count as those of the element's namespace: unknown ones are errors.
//! - Licenses that carry the winning statement grant; others of the same content do not. Without an
//!   explicit statement, those of the narrowest contents that state no permitted usages.
//! - A matching content with a comma in a permission makes the answer unread, unless an explicit
//!   prohibition wins among the lists that could be read.
//! - Two `prohibits` of one type are joined; an unknown `type` of either is an error; a `max-age`
//!   that is no positive integer is 0 days; an unknown usage is ignored; several payments of a
//!   license must all be met; another payment than `free` is a condition, also an unknown one.
//! - A license that excludes the stated user or place grants nothing. `EU` has no members.
//! - Conditions: `payment`, `standard`, `custom`, `amount=0.015 USD`, `token`, `user=a|b`,
//!   `user-not=a|b`, `geo`, `geo-not`, `reporting` with the profile, else the type. Several offers:
//!   `one-of=(a=1, b=2) or (c=3)`.
//!
//! TDMRep:
//! - A rule with a bad value states no policy either. A policy without a reservation is nothing.
//! - A superseded carrier is no statement, and neither is a bad value in a header or tag.
//! - A rule without a location of text is skipped, and counted.
//!
//! META and X-Robots-Tag:
//! - All names of the asking crawler count, also those of relatives after the first.
//! - A length, a duration or a date that is less strict than another one is not stated.
//! - `max-snippet` with a positive length states nothing about `ai-input`.
//! - `indexifembedded` turns `noindex` into a condition for `index`; `search` stays refused.
//! - A colon after a name that has no value makes an agent in a header, and no rule in a tag, where
//!   the rule after it counts. After an empty agent, only that item is ignored.
//! - A date without a zone is UTC. The moment itself is not yet past.
//! - `data-nosnippet` on any element refuses `present-snippet` for the page, unless the crawler
//!   keeps elements apart, as with ACAP's class attributes.
//! - Conditions: `max-snippet=20`, `max-image-preview=standard`, `max-video-preview=10`,
//!   `until=2010-06-25T23:00:00Z`, `not=images`, `embedded=yes`, `only=snippet|title|url`.

mod clean;
pub mod coverage;
mod dates;
mod dictionary;
pub mod generate;
mod html;
pub mod image;
mod licenses;
mod meta;
mod preferences;
mod robots;
mod rsl;
mod site;
mod statement;
mod tdmrep;

pub use clean::canonical;
pub use site::{FETCHED, Page, Site};
pub use statement::{Answer, Effect, Statement, Verdict};

use crate::case::Ask;
use crate::{google, oracle};
use robots::File;

/// The dialect of robots.txt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// All languages.
    Full,
    /// RFC 9309 alone.
    Rfc9309,
    /// As google/robotstxt answers; it has no lines.
    Google,
}

impl Profile {
    /// The name of the profile.
    pub const fn name(self) -> &'static str {
        match self {
            Profile::Full => "full",
            Profile::Rfc9309 => "rfc9309",
            Profile::Google => "google",
        }
    }

    /// The profile of this name, if the oracle knows it.
    pub fn named(name: &str) -> Option<Profile> {
        match name {
            "full" => Some(Profile::Full),
            "rfc9309" => Some(Profile::Rfc9309),
            "google" => Some(Profile::Google),
            _ => None,
        }
    }
}

/// A question: may a crawler use a URL in this way?
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// The crawler's names, best first.
    pub agents: Vec<String>,
    /// An absolute URL of the site, or a path with a query.
    pub url: String,
    /// The usage: `crawl`, `ai-train`, `search`...
    pub usage: String,
    /// The moment in Unix seconds, if the asker states it.
    pub now: Option<i64>,
    /// The class of the user: `commercial`, `education`.
    pub user: Option<String>,
    /// The place of the use: `US`, `EU`.
    pub geo: Option<String>,
    /// The crawler handles the elements of a page separately.
    pub elements: bool,
    /// Of a text, only groups that name the crawler count.
    pub named_only: bool,
}

impl Question {
    /// The question of a case.
    pub fn of(ask: &Ask) -> Question {
        Question {
            agents: ask.agents.clone(),
            url: ask.url.clone(),
            usage: ask.usage.clone(),
            now: ask.modern.now,
            user: ask.modern.user.clone(),
            geo: ask.modern.geo.clone(),
            elements: ask.elements,
            named_only: ask.named_only,
        }
    }
}

/// A question about one usage, with the parts of the site that answer it.
struct Query<'q> {
    site: &'q Site,
    agents: &'q [&'q str],
    target: &'q [u8],
    usage: &'q str,
    page: Option<&'q Page>,
    now: Option<i64>,
    user: Option<&'q str>,
    geo: Option<&'q str>,
    elements: bool,
    named_only: bool,
    may_crawl: bool,
}

impl<'q> Query<'q> {
    /// The values of the header lines of this name, in order.
    fn headers(&self, name: &str) -> Vec<&'q str> {
        let lines = self.page.iter().flat_map(|page| &page.headers);
        let lines = lines.filter(|(key, _)| key.eq_ignore_ascii_case(name));
        lines.map(|(_, value)| value.trim_matches([' ', '\t'])).collect()
    }

    fn html(&self) -> &'q str {
        self.page.and_then(|page| page.html.as_deref()).unwrap_or_default()
    }

    fn tokens(&self) -> impl Iterator<Item = String> + '_ {
        self.agents.iter().map(|agent| oracle::token(agent.as_bytes()))
    }

    fn has_table(&self, name: &str) -> bool {
        self.site.tables.iter().any(|table| table == name)
    }
}

/// The usages that a usage comprises.
pub fn children(usage: &str) -> &'static [&'static str] {
    match usage {
        "search" => &["index"],
        "present" => {
            &["present-snippet", "present-thumbnail", "present-video", "present-currentcopy", "present-link"]
        }
        "all" => &["search", "index", "ai-all", "ai-train", "ai-input", "ai-index"],
        "ai-all" => &["ai-train", "ai-input", "ai-index"],
        "tdm" => &["ai-train"],
        _ => &[],
    }
}

/// Silence of a captured page allows this usage: the standard's default is `index, follow`.
fn is_allowed_by_silence(usage: &str) -> bool {
    ["index", "search", "follow", "preserve", "translate", "present"].contains(&usage)
        || usage.starts_with("present-")
}

/// Path and query of a URL of the site (R9).
fn target_of(origin: &str, url: &str) -> String {
    let url = url.trim_matches(|end: char| end <= ' ');
    let rest = url.strip_prefix(origin).unwrap_or(url);
    let rest = rest.split('#').next().unwrap_or_default();
    if rest.starts_with('/') { rest.to_owned() } else { format!("/{rest}") }
}

/// The moment of Unix seconds as `2026-11-22T00:00:00Z`.
fn moment(seconds: i64) -> String {
    jiff::Timestamp::from_second(seconds).map(|time| time.to_string()).unwrap_or_default()
}

/// All statements about the usage itself, in the order of the languages.
fn statements(query: &Query<'_>, file: &File) -> Vec<Statement> {
    let of_languages = [
        preferences::aipref(query, file),
        preferences::signals(query, file),
        preferences::ai_training(query, file),
        preferences::noindex(query, file),
        preferences::control_tokens(query, file),
        licenses::statements(query, file),
        tdmrep::statements(query),
        preferences::ai_txt(query),
        meta::statements(query),
    ];
    of_languages.into_iter().flatten().collect()
}

/// The verdict of statements about one usage, and whether it is incomplete.
fn combine(statements: &[Statement], silence_allows: bool) -> (Verdict, bool) {
    let has = |fits: fn(&Effect) -> bool| statements.iter().any(|statement| fits(&statement.effect));
    if has(|effect| *effect == Effect::Refuse) {
        (Verdict::Disallowed, false)
    } else if has(|effect| *effect == Effect::Unread) {
        (Verdict::Unknown, true)
    } else if has(|effect| matches!(effect, Effect::Condition(_))) {
        (Verdict::Conditional, false)
    } else if silence_allows || has(|effect| *effect == Effect::Allow) {
        (Verdict::Allowed, false)
    } else {
        (Verdict::Unknown, false)
    }
}

/// The answer of a site.
pub fn answer(site: &Site, question: &Question) -> Answer {
    if site.robots_status >= 500 {
        let (verdict, crawl) = (Verdict::Disallowed, Verdict::Disallowed); // R16
        return Answer { verdict, crawl, ..Answer::default() };
    }
    let agents: Vec<&str> = question.agents.iter().map(String::as_str).collect();
    let target = target_of(&site.origin, &question.url);
    let is_found = (200..300).contains(&site.robots_status);
    let text = site.robots.as_deref().filter(|_| is_found).unwrap_or_default();
    let file = File::read(text, &site.origin, site.profile).only_named(question.named_only);
    let (may_crawl, crawl_line) = match site.profile {
        Profile::Google => {
            let agent = agents.first().copied().unwrap_or_default();
            let nothing_for_all = question.named_only && !file.has(&oracle::token(agent.as_bytes()));
            let url = format!("{}{target}", site.origin);
            (nothing_for_all || google::allowed(text, agent, &url), None)
        }
        _ => file.crawl(&agents, target.as_bytes()),
    };
    let crawl = match (&site.robots, may_crawl) {
        (None, _) => Verdict::Unknown,
        (_, true) => Verdict::Allowed,
        (_, false) => Verdict::Disallowed,
    };
    if question.usage == "crawl" {
        let mut rule = Statement::new("rep", "robots", Effect::of(may_crawl));
        (rule.line, rule.decides) = (crawl_line, true);
        let statements: Vec<Statement> = crawl_line.map(|_| rule).into_iter().collect();
        return finish(Answer { verdict: crawl, crawl, statements, ..Answer::default() });
    }
    // R9: clients drop these before they request the page.
    let requested = target.replace(['\t', '\n', '\r'], "");
    let page = site.pages.iter().find(|page| target_of(&site.origin, &page.url) == requested);
    let query = |usage| Query {
        site,
        agents: &agents,
        target: target.as_bytes(),
        usage,
        page,
        now: question.now,
        user: question.user.as_deref(),
        geo: question.geo.as_deref(),
        elements: question.elements,
        named_only: question.named_only,
        may_crawl,
    };
    let silence_allows = |usage| page.is_some() && is_allowed_by_silence(usage);

    let own = statements(&query(&question.usage), &file);
    let (mut verdict, mut incomplete) = combine(&own, silence_allows(&question.usage));
    let mut of_children = Vec::new();
    for usage in children(&question.usage) {
        let statements = statements(&query(usage), &file);
        // A child refuses, or leaves its parent incomplete. It never permits.
        match combine(&statements, false) {
            (Verdict::Disallowed, _) => (verdict, incomplete) = (Verdict::Disallowed, false),
            (_, true) if verdict != Verdict::Disallowed => (verdict, incomplete) = (Verdict::Unknown, true),
            (Verdict::Conditional, _) if verdict == Verdict::Allowed => verdict = Verdict::Conditional,
            _ => {}
        }
        of_children.extend(statements);
    }
    let mut all = own.clone();
    all.extend(of_children);
    for (number, statement) in all.iter_mut().enumerate() {
        let is_own = number < own.len();
        statement.decides = match (&statement.effect, verdict, incomplete) {
            (Effect::Refuse, Verdict::Disallowed, _) | (Effect::Unread, Verdict::Unknown, true) => true,
            (Effect::Condition(_), Verdict::Conditional, _) => true,
            (Effect::Allow, Verdict::Allowed, _) => is_own,
            (Effect::Unset, Verdict::Unknown, false) => is_own,
            _ => false,
        };
    }
    let answer = finish(Answer { verdict, incomplete, crawl, statements: all, ..Answer::default() });
    let is_permission = matches!(verdict, Verdict::Allowed | Verdict::Conditional);
    Answer { incomplete: incomplete || site.robots.is_none() && is_permission, ..answer }
}

/// Orders the statements, and takes conditions and the deciding one from them.
fn finish(mut answer: Answer) -> Answer {
    let mut weighed = std::mem::take(&mut answer.statements);
    // The sort is stable: the order of the languages, then of the lines, stays.
    weighed.sort_by_key(|statement| !statement.decides);
    let mut seen: Vec<Statement> = Vec::new();
    for statement in weighed {
        let is_same = |other: &Statement| *other == Statement { decides: other.decides, ..statement.clone() };
        if !seen.iter().any(is_same) {
            seen.push(statement);
        }
    }
    if answer.verdict == Verdict::Conditional || answer.incomplete {
        for statement in &seen {
            if let Effect::Condition(conditions) = &statement.effect {
                answer.conditions.extend(conditions.iter().cloned());
            }
        }
        answer.conditions.sort();
        answer.conditions.dedup();
    }
    if let Some(first) = seen.first().filter(|statement| statement.decides) {
        answer.line = first.line;
        (answer.language, answer.carrier) = (Some(first.language), Some(first.carrier));
    }
    answer.statements = seen;
    answer
}
