//! The engines on which the suite runs.
//!
//! Each is one way from a text to a verdict, wrapped as [`crate::suite::Engine`]: the two oracles,
//! the compiler's trace, and images: fresh from the compiler, read back from a file, and mapped.
//! Invariant: an engine adds no judgement of its own. It does check that the methods of one image
//! (`Image::decide`, `Site::decide`, `Access::decide`, `Image::decide_in_blocks`, `Verdict::rule`)
//! agree. This file does not know the cases.

use crate::suite::{Answer, Engine, Question, Text};
use crate::{google, oracle, vectors};
use robomaton_compiler::trace::TraceQuery;
use robomaton_compiler::{self as compiler, CompileContext, Entry, Options, OverLimit, Policy};
use robomaton_formats::decision::is_robots_txt;
use robomaton_formats::profile::AgentRule;
use robomaton_formats::{Condition, Decision, Outcome, Profile, SiteKey};
use robomaton_grammar::{Key, LineKind, product_token, scan};
use robomaton_runtime::{Basis, Image, Memory, Question as Asking, Terms, Verdict};

/// The default options with this profile.
///
/// # Panics
/// If there is no such profile.
pub fn options(profile: &str) -> Options {
    Options { profile: profile.parse().expect("a profile's name"), ..Options::default() }
}

/// The site of a file; if its origin is unknown, a site that no URL has.
///
/// # Panics
/// If the origin names no site.
pub fn site_of(origin: Option<&str>) -> SiteKey {
    SiteKey::from_host(origin.unwrap_or("origin.invalid")).expect("an origin names a site")
}

/// The image of one file.
///
/// # Panics
/// If it exceeds the format, which no single file can.
pub fn image_of(robots: &[u8], origin: Option<&str>, options: &Options) -> Vec<u8> {
    let site = site_of(origin);
    let document = compiler::compile(robots, origin.map(|_| site.authority()), options);
    compiler::emit(vec![Entry::fetched(site, &document)], options).expect("one file fits an image")
}

/// The image of a file with its context.
///
/// # Panics
/// If it exceeds the format, which no single file can.
pub fn image_around(text: &Text<'_>, options: &Options) -> Vec<u8> {
    let site = site_of(text.origin);
    let origin = text.origin.map(|_| site.authority());
    let own = Options { profile: profile_of(text).parse().expect("a profile's name"), ..options.clone() };
    let document = Around::of(text).with(origin, |around| compiler::compile_with(text.robots, around, &own));
    let key = match text.document {
        "robots.txt" => site.clone(),
        name => site.with_document(name).expect("a short name"),
    };
    let fetched = Entry::fetched(key, &document);
    let entry = match text.status {
        200..=299 => fetched,
        status => Entry { outcome: Outcome::Unavailable, status, document: None, ..fetched },
    };
    compiler::emit(vec![entry], options).expect("one file fits an image")
}

/// The target of a URL or a path, found without the runtime.
pub fn target_of(profile: Profile, url: &str) -> Vec<u8> {
    match profile {
        Profile::Google => google::path(trimmed(url).as_bytes()),
        _ => vectors::split(url).1,
    }
}

/// A URL without the white space and control characters at its ends, as clients request it (R9).
fn trimmed(url: &str) -> &str {
    url.trim_matches(|end: char| end <= ' ')
}

/// [`mod@crate::oracle`] as an engine. It only answers for the profiles `full` and `rfc9309` and
/// the usage `crawl`.
#[derive(Debug, Default)]
pub struct Oracle {
    robots: Vec<u8>,
    origin: Option<String>,
}

impl Engine for Oracle {
    fn name(&self) -> &str {
        "oracle"
    }

    fn load(&mut self, text: &Text<'_>) {
        self.robots = text.robots.to_vec();
        self.origin = text.origin.map(str::to_owned);
    }

    fn ask(&self, question: &Question<'_>) -> Answer {
        let (_, target) = vectors::split(question.url);
        // The oracle does not judge how headers are read.
        let names = question.agents.iter().flat_map(|agent| AgentRule::Token.crawler_names_or_nobody(agent));
        let names: Vec<_> = names.collect();
        let names: Vec<&str> = names.iter().map(|name| &**name).collect();
        let robots = if question.named_only { &without_default_groups(&self.robots) } else { &self.robots };
        let (allowed, line) = oracle::verdict(robots, &names, &target, self.origin.as_deref());
        Answer::new(Decision::from(allowed), Some(line.unwrap_or(0)))
    }
}

/// The same file with default groups that name no crawler. All other text stays in place.
pub fn without_default_groups(robots: &[u8]) -> Vec<u8> {
    let tree = scan(robots, usize::MAX);
    let mut other = robots.to_vec();
    for line in tree.lines.iter().filter(|line| line.kind == LineKind::Field(Key::UserAgent)) {
        if product_token(tree.text(line.value)) == Some(b"*") {
            other[line.value.start as usize] = b'~';
        }
    }
    other
}

/// [`mod@crate::google`] as an engine. It only answers for the profile `google`, one agent and the
/// usage `crawl`, and does not report lines.
#[derive(Debug, Default)]
pub struct GoogleOracle {
    robots: Vec<u8>,
}

impl Engine for GoogleOracle {
    fn name(&self) -> &str {
        "google oracle"
    }

    fn load(&mut self, text: &Text<'_>) {
        self.robots = text.robots.to_vec();
    }

    fn ask(&self, question: &Question<'_>) -> Answer {
        let agent = question.agents[0].trim_ascii();
        let allowed = google::allowed(&self.robots, agent, trimmed(question.url));
        Answer::new(Decision::from(allowed), None)
    }
}

/// An owned compile context.
#[derive(Debug, Default)]
struct Around {
    files: Vec<(String, Vec<u8>)>,
    pages: Vec<compiler::Page>,
}

impl Around {
    fn of(text: &Text<'_>) -> Around {
        let files = text.files.iter().map(|(path, text)| (path.clone(), text.clone().into_bytes()));
        let page = |page: &crate::case::Page| {
            let target = vectors::split(&page.url).1;
            let read = robomaton_corpus::read_page(page.html.as_bytes(), Some("text/html"));
            read.for_compiler(page.url.clone(), String::from_utf8_lossy(&target).into_owned())
        };
        Around { files: files.collect(), pages: text.pages.iter().map(page).collect() }
    }

    /// Passes the context for a text of this site to `use_it`.
    fn with<T>(&self, origin: Option<&str>, use_it: impl FnOnce(&CompileContext<'_, '_>) -> T) -> T {
        let files: Vec<(&str, &[u8])> =
            self.files.iter().map(|(path, text)| (path.as_str(), text.as_slice())).collect();
        use_it(&CompileContext { origin, files: &files, pages: &self.pages, ..CompileContext::default() })
    }
}

/// The compiler's trace as an engine.
#[derive(Debug, Default)]
pub struct Trace {
    robots: Vec<u8>,
    around: Around,
    site: Option<SiteKey>,
    options: Options,
}

impl Trace {
    /// Lowers the loaded text and passes the policy to `use_it`.
    pub fn with_policy<T>(&self, use_it: impl FnOnce(Result<Policy<'_>, OverLimit>) -> T) -> T {
        let tree = scan(&self.robots, self.options.limits.bytes(self.options.profile));
        let origin = self.site.as_ref().map(SiteKey::authority);
        let files: Vec<(&str, &[u8])> =
            self.around.files.iter().map(|(path, text)| (path.as_str(), text.as_slice())).collect();
        let pages = &self.around.pages;
        let around = CompileContext { origin, files: &files, pages, ..CompileContext::default() };
        use_it(compiler::lower_with(&tree, &around, &self.options))
    }
}

impl Engine for Trace {
    fn name(&self) -> &str {
        "trace"
    }

    fn load(&mut self, text: &Text<'_>) {
        self.robots = text.robots.to_vec();
        self.around = Around::of(text);
        self.site = text.origin.map(|origin| site_of(Some(origin)));
        self.options = options(profile_of(text));
    }

    fn ask(&self, question: &Question<'_>) -> Answer {
        let Question { agents, usage, purpose, url, elements, named_only } = *question;
        if let (Some(site), Ok(asked)) = (&self.site, SiteKey::from_url(url))
            && *site != asked
        {
            return Answer::new(Decision::Unknown, Some(0));
        }
        let profile = self.options.profile;
        let target = target_of(profile, url);
        self.with_policy(|policy| match policy {
            Ok(policy) => {
                let asked = TraceQuery {
                    agents,
                    usage,
                    purpose,
                    target: &target,
                    elements,
                    robots_may_refuse: false,
                    named_only,
                };
                told(&policy, &compiler::trace::trace(&policy, &asked))
            }
            Err(_) => {
                let exempt = usage == "crawl" && profile.allows_robots_txt();
                let robots = is_robots_txt(&profile.notation().target(&target));
                Answer::new(Decision::from(exempt && robots), Some(0))
            }
        })
    }
}

/// Converts a trace to an answer of the suite.
fn told(policy: &Policy<'_>, trace: &compiler::trace::Trace) -> Answer {
    let line = |found: &compiler::trace::Match| {
        policy.rules[found.rule].line + u32::from(policy.groups[found.group].file) * 1_000_000
    };
    let mut lines: Vec<u32> = trace.deciding().map(line).collect();
    lines.sort_unstable();
    lines.dedup();
    Answer {
        verdict: trace.decision.name().to_owned(),
        lines: Some(lines),
        conditions: texts(&trace.conditions),
        incomplete: trace.incomplete,
    }
}

fn texts(conditions: &[Condition]) -> Vec<String> {
    let mut texts: Vec<String> = conditions.iter().map(Condition::to_string).collect();
    texts.sort_unstable();
    texts
}

/// The profile of a text: a data.txt always has its own.
fn profile_of<'t>(text: &Text<'t>) -> &'t str {
    if text.document == "robots.txt" { text.profile } else { "koster" }
}

/// An image, however it was opened.
#[derive(Debug)]
pub struct Loaded<D> {
    name: &'static str,
    open: fn(Vec<u8>) -> Image<D>,
    plain_programs: bool,
    /// For crawlers that do not handle elements of pages separately, and for crawlers that do.
    images: [Option<Image<D>>; 2],
    has_origin: bool,
    document: String,
}

/// The image as returned by the compiler.
pub fn fresh() -> Loaded<Vec<u8>> {
    Loaded::new("fresh image", |bytes| Image::from_bytes(bytes).expect("a fresh image opens"))
}

/// The image written to a file and read back.
pub fn reloaded() -> Loaded<Vec<u8>> {
    Loaded::new("reloaded image", |bytes| {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        std::fs::write(file.path(), &bytes).expect("room for an image");
        let again = std::fs::read(file.path()).expect("the file that was written");
        Image::from_bytes(again).expect("a reloaded image opens")
    })
}

/// The image written to a file and mapped.
pub fn mapped() -> Loaded<Memory> {
    Loaded::new("mapped image", |bytes| {
        // The map outlives the file name.
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        std::fs::write(file.path(), &bytes).expect("room for an image");
        crate::map(file.path()).expect("a written image opens")
    })
}

/// The image with plain programs.
pub fn plain() -> Loaded<Vec<u8>> {
    Loaded { name: "plain image", plain_programs: true, ..fresh() }
}

impl<D: AsRef<[u8]>> Loaded<D> {
    fn new(name: &'static str, open: fn(Vec<u8>) -> Image<D>) -> Loaded<D> {
        let (images, document) = ([None, None], String::new());
        Loaded { name, open, plain_programs: false, images, has_origin: false, document }
    }
}

impl<D: AsRef<[u8]>> Engine for Loaded<D> {
    fn name(&self) -> &str {
        self.name
    }

    fn load(&mut self, text: &Text<'_>) {
        self.has_origin = text.origin.is_some();
        self.document = text.document.to_owned();
        self.images = [false, true].map(|elements| {
            let options = Options { plain_programs: self.plain_programs, ..options(text.profile) };
            let image = (self.open)(image_around(text, &options));
            Some(image.with_terms(Terms { elements, ..Terms::default() }))
        });
    }

    fn ask(&self, question: &Question<'_>) -> Answer {
        let Question { agents, usage, purpose, url, elements, named_only } = *question;
        let image = self.images[usize::from(elements)].as_ref().expect("a file was loaded");
        let crawler = image.crawler(agents);
        let crawler = crawler.named_only(named_only);
        let usage = image.usage(usage);
        let usage = purpose.map_or(usage, |purpose| usage.for_purpose(purpose));
        if self.document != "robots.txt" {
            let site = image.document(url, &self.document);
            return site.map_or_else(
                || Answer::new(Decision::Unknown, Some(0)),
                |site| answer(&site.decide(&crawler, usage, url)),
            );
        }
        let site = image.sites().next().expect("the image holds one site");
        if !self.has_origin {
            return answer(&site.decide(&crawler, usage, url));
        }
        let verdict = image.decide(&crawler, usage, url);
        if verdict.site().is_some() {
            assert_same(&verdict, &site.decide(&crawler, usage, url));
            assert_same(&verdict, &site.access(&crawler, usage).decide(url));
            // Paths have a short cut that URLs do not have.
            let path = String::from_utf8(vectors::split(url).1).unwrap_or_default();
            if path.starts_with('/') && image.profile() != Profile::Google {
                assert_same(&verdict, &site.decide(&crawler, usage, &path));
                assert_same(&verdict, &site.access(&crawler, usage).decide(&path));
            }
        }
        image.decide_in_blocks([Asking { crawler: &crawler, usage, url }], |other| {
            assert_same(&verdict, &other)
        });
        answer(&verdict)
    }
}

/// Converts a verdict to an answer of the suite.
///
/// # Panics
/// If the image is damaged or the deciding rule is missing, which no valid image causes.
pub fn answer(verdict: &Verdict<'_>) -> Answer {
    let rules = verdict.rules();
    let lines: Vec<u32> = rules
        .iter()
        .map(|rule| rule.line + 1_000_000 * rule.file.as_ref().map_or(0, |(number, _)| u32::from(*number)))
        .collect();
    match verdict.basis() {
        Basis::Damaged => panic!("a good image calls itself damaged"),
        Basis::Rule => {
            let rule = rules.first().expect("a rule decided, but none is found that did");
            let said = Decision::from(rule.permits);
            assert_eq!(
                said,
                verdict.decision(),
                "what the deciding rule says (left) is not the verdict (right)"
            );
        }
        Basis::Fields => assert!(!rules.is_empty(), "fields decided, but none is found that did"),
        Basis::Preferences => {}
        _ => assert!(rules.is_empty(), "no rule decided, but some are found that did"),
    }
    let conditions =
        verdict.conditional().map(|conditional| texts(&conditional.conditions)).unwrap_or_default();
    let mut lines = lines;
    lines.sort_unstable();
    lines.dedup();
    Answer {
        verdict: verdict.decision().name().to_owned(),
        lines: Some(lines),
        conditions,
        incomplete: verdict.is_incomplete(),
    }
}

fn assert_same(one: &Verdict<'_>, other: &Verdict<'_>) {
    let facts = |verdict: &Verdict<'_>| (verdict.decision(), verdict.basis(), verdict.is_incomplete());
    assert_eq!(facts(one), facts(other), "two doors of one image differ");
}

/// Usages worth a query: standard ones, and one that no text names.
pub const USAGES: [&str; 3] = ["crawl", "index", "train"];
