//! Answers of compiled images in the form of the oracle's, so that the two can be compared.
//!
//! The site goes the public way: rows of JSONL, the batch compiler, an image, a verdict. This file
//! knows how the image and the oracle spell the same thing; it weighs nothing.

use super::{Question, Site, target_of};
use robomaton_compiler::trace::TraceQuery;
use robomaton_compiler::{self as compiler, CompileContext, License, Options};
use robomaton_corpus::{BatchOptions, Input, Progress, build};
use robomaton_formats::Scheme;
use robomaton_formats::condition::{Condition, Context, Holds, Payment, Term};
use robomaton_formats::vocabulary::control_token;
use robomaton_runtime::{Conditional, Decision, Image, Terms, Verdict};
use std::io::Write as _;

/// The image of a site.
///
/// # Panics
/// If compiling fails, which no site causes.
pub fn image(site: &Site) -> Image<Vec<u8>> {
    images(std::slice::from_ref(site))
}

/// The image of several sites with the tokens and tables of the first.
///
/// # Panics
/// If compiling fails, which no site causes.
pub fn images(sites: &[Site]) -> Image<Vec<u8>> {
    let image = Image::from_bytes(bytes(sites)).expect("an image");
    image.verify().expect("a valid image");
    image
}

/// The bytes of the same image.
///
/// # Panics
/// If compiling fails, which no site causes.
pub fn bytes(sites: &[Site]) -> Vec<u8> {
    let mut file = tempfile::Builder::new().suffix(".jsonl").tempfile().expect("a temporary file");
    for row in sites.iter().flat_map(Site::rows) {
        writeln!(file, "{row}").expect("room for some captures");
    }
    let token = |(name, usages): (&String, &Vec<String>)| {
        control_token(&format!("{name}\t-\t{}\t*", usages.join(","))).expect("a token")
    };
    let options = sites.first().map_or(Options::default(), |site| Options {
        profile: site.profile.name().parse().expect("a profile"),
        tokens: site.tokens.iter().map(token).collect(),
        tables: site.tables.clone(),
        ..Options::default()
    });
    let options = BatchOptions { compile: options, threads: 1, pages: true, ..BatchOptions::default() };
    let inputs = [Input::Path(file.path().to_owned())];
    build(&inputs, &options, &Progress::default()).expect("the captures build").image
}

/// An answer as both sides spell it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// `allowed`, `disallowed`, `conditional` or `unknown`.
    pub verdict: &'static str,
    /// Something that could not be read may change the answer.
    pub incomplete: bool,
    /// Sorted, in the oracle's spelling.
    pub conditions: Vec<String>,
    /// The crawl verdict.
    pub crawl: &'static str,
}

/// Asks an image.
pub fn ask<D: AsRef<[u8]> + Clone>(image: &Image<D>, origin: &str, question: &Question) -> Told {
    let now = question.now.and_then(|now| u64::try_from(now).ok());
    let image = image.clone().with_terms(Terms { elements: question.elements, now, ..Terms::default() });
    let crawler = image.crawler(&question.agents).named_only(question.named_only);
    let url = if question.url.starts_with('/') {
        format!("{origin}{}", question.url)
    } else {
        question.url.clone()
    };
    let verdict = image.decide(&crawler, image.usage(&question.usage), &url);
    // Facts about the user decide about licences, which are not asked about parts of a usage.
    let context =
        Context { now, user: question.user.clone(), geo: question.geo.clone(), ..Context::default() };
    let mut told = Told {
        verdict: verdict.decision().name(),
        incomplete: verdict.is_incomplete(),
        conditions: Vec::new(),
        crawl: crawl(&verdict),
    };
    if let Some(conditional) = verdict.conditional() {
        told.hold(conditional.conditions, &context);
    }
    told
}

impl Told {
    /// Holds conditions against what is known about the use.
    fn hold(&mut self, conditions: Vec<Condition>, context: &Context) {
        let told = self;
        let conditional = Conditional { conditions };
        if conditional.holds(context) == Holds::No {
            told.verdict = Decision::Disallowed.name();
        } else {
            let is_open = |condition: &&Condition| {
                matches!(condition, Condition::Before(_)) || condition.holds(context) != Holds::Yes
            };
            let open = conditional.conditions.iter().filter(is_open);
            told.conditions = open.flat_map(|condition| spelled(condition, context)).collect();
            told.conditions.sort_unstable();
            told.conditions.dedup();
            if told.conditions.is_empty() {
                told.verdict = Decision::Allowed.name();
            }
        }
    }
}

/// Asks the trace; `None` for what it does not know: times, and a robots.txt that was not read.
pub fn trace(site: &Site, question: &Question) -> Option<Told> {
    let robots = site.robots.as_deref().filter(|_| site.robots_status == 200)?;
    if question.now.is_some() || question.usage == "crawl" {
        return None;
    }
    let pages: Vec<compiler::Page> = site.pages.iter().map(|page| of_compiler(site, page)).collect();
    let licenses: Vec<License<'_>> =
        site.documents.iter().map(|(url, xml)| License { url, xml, fetched_at: 0 }).collect();
    let token = |(name, usages): (&String, &Vec<String>)| {
        control_token(&format!("{name}\t-\t{}\t*", usages.join(",")))
    };
    let options = Options {
        profile: site.profile.name().parse().expect("a profile"),
        tokens: site.tokens.iter().filter_map(token).collect(),
        tables: site.tables.clone(),
        ..Options::default()
    };
    let context = CompileContext {
        origin: site.origin.strip_prefix("https://"),
        scheme: Some(Scheme::Https),
        pages: &pages,
        tdmrep: site.tdmrep.as_deref(),
        ai_txt: site.ai_txt.as_deref(),
        licenses: &licenses,
        ..CompileContext::default()
    };
    let tree = robomaton_grammar::scan(robots, options.limits.bytes(options.profile));
    let policy = compiler::lower_with(&tree, &context, &options).ok()?;
    let agents: Vec<&str> = question.agents.iter().map(String::as_str).collect();
    let target = target_of(&site.origin, &question.url);
    let query =
        TraceQuery { named_only: question.named_only, ..TraceQuery::crawl(&agents, target.as_bytes()) };
    let ask =
        |usage| compiler::trace::trace(&policy, &TraceQuery { usage, elements: question.elements, ..query });
    let (answer, crawl) = (ask(&question.usage), ask("crawl"));
    let context = Context { user: question.user.clone(), geo: question.geo.clone(), ..Context::default() };
    let mut told = Told {
        verdict: answer.decision.name(),
        incomplete: answer.incomplete,
        conditions: Vec::new(),
        crawl: crawl.decision.name(),
    };
    if answer.decision == Decision::Conditional {
        told.hold(answer.conditions, &context);
    }
    Some(told)
}

/// A page in the form that the compiler takes.
fn of_compiler(site: &Site, page: &super::Page) -> compiler::Page {
    let html = page.html.as_deref();
    let read =
        html.map(|html| robomaton_corpus::read_page(html.as_bytes(), Some("text/html; charset=utf-8")));
    let header = |(name, value): &(String, String)| compiler::Header {
        name: name.to_ascii_lowercase(),
        value: value.trim().as_bytes().to_vec(),
    };
    compiler::Page {
        headers: page.headers.iter().map(header).collect(),
        ..read.unwrap_or_default().for_compiler(page.url.clone(), target_of(&site.origin, &page.url))
    }
}

fn crawl(verdict: &Verdict<'_>) -> &'static str {
    verdict.crawl().map_or(Decision::Unknown, |crawl| crawl.safe_decision()).name()
}

/// A condition in the oracle's spelling.
fn spelled(condition: &Condition, context: &Context) -> Vec<String> {
    match condition {
        Condition::MaxChars(count) => vec![format!("max-snippet={count}")],
        Condition::MaxSeconds(count) => vec![format!("max-video-preview={count}")],
        Condition::StandardPreview => vec!["max-image-preview=standard".to_owned()],
        Condition::NoImages => vec!["not=images".to_owned()],
        Condition::Embedded => vec!["embedded=yes".to_owned()],
        Condition::License(alternatives) => {
            let open = |terms: &Vec<Term>| {
                let open = terms.iter().filter(|term| term.holds(context) != Holds::Yes);
                let mut open: Vec<String> = open.flat_map(of_term).collect();
                open.sort_unstable();
                open.dedup();
                open
            };
            let met = |terms: &&Vec<Term>| terms.iter().all(|term| term.holds(context) != Holds::No);
            let mut sets: Vec<Vec<String>> = alternatives.iter().filter(met).map(open).collect();
            sets.sort_unstable();
            sets.dedup();
            match sets.as_slice() {
                [set] => set.clone(),
                sets if sets.iter().any(Vec::is_empty) => Vec::new(),
                sets => {
                    let sets: Vec<String> = sets.iter().map(|set| format!("({})", set.join(", "))).collect();
                    vec![format!("one-of={}", sets.join(" or "))]
                }
            }
        }
        other => vec![other.to_string()],
    }
}

fn of_term(term: &Term) -> Vec<String> {
    match term {
        Term::Payment(Payment { kind, amount, standard, custom }) => {
            let mut all = vec![format!("payment={kind}")];
            all.extend(Some(format!("amount={amount}")).filter(|_| !amount.is_empty()));
            all.extend(standard.iter().map(|url| format!("standard={url}")));
            all.extend(custom.iter().map(|url| format!("custom={url}")));
            all
        }
        Term::Server(url) => vec![format!("token={url}")],
        Term::Reporting { kind, profile } if profile.is_empty() => vec![format!("reporting={kind}")],
        Term::Reporting { profile, .. } => vec![format!("reporting={profile}")],
        Term::User(choice) => of_choice("user", choice),
        Term::Geo(choice) => of_choice("geo", choice),
    }
}

fn of_choice(name: &str, choice: &robomaton_formats::condition::Choice) -> Vec<String> {
    let list = |names: &[String]| {
        let mut names = names.to_vec();
        names.sort_unstable();
        names.join("|")
    };
    let only = Some(format!("{name}={}", list(&choice.only))).filter(|_| !choice.only.is_empty());
    let not = Some(format!("{name}-not={}", list(&choice.not))).filter(|_| !choice.not.is_empty());
    only.into_iter().chain(not).collect()
}
