//! The engines that the suite runs on.
//!
//! Each is one way from a text to a verdict, dressed as [`crate::suite::Engine`]: the two oracles, the compiler's
//! trace evaluator, and images: fresh from the compiler, read back from a file, and mapped. Invariant: an engine
//! adds no judgement of its own to what it wraps; it does insist that the doors of one image (`Image::decide`,
//! `Site::decide`, `Access::decide`, `Image::decide_batch`, `Verdict::rule`) say the same.
//! It does not know the cases.

use crate::suite::{Answer, Engine};
use crate::{google, oracle, vectors};
use robomaton_compiler::{self as compiler, Entry, Options, OverLimit, Policy};
use robomaton_formats::decision::is_robots_txt;
use robomaton_formats::{Decision, Profile, SiteKey, policy};
use robomaton_grammar::scan;
use robomaton_runtime::{Basis, Image, Mapped, Question, Verdict};

/// The usage number of a usage that no rule can speak of.
const UNSPOKEN: u16 = u16::MAX;

/// Options with this profile, all else by default.
///
/// # Panics
/// When there is no such profile.
pub fn options(profile: &str) -> Options {
    Options { profile: profile.parse().expect("a profile's name"), ..Options::default() }
}

/// The site of a file; one that no URL names when it is not known.
///
/// # Panics
/// When the origin names no site.
pub fn site_of(origin: Option<&str>) -> SiteKey {
    SiteKey::from_host(origin.unwrap_or("origin.invalid")).expect("an origin names a site")
}

/// The image of one file.
///
/// # Panics
/// When it exceeds its format, which no single file can.
pub fn image_of(robots: &[u8], origin: Option<&str>, options: &Options) -> Vec<u8> {
    let site = site_of(origin);
    let document = compiler::compile(robots, origin.map(|_| site.authority()), options);
    compiler::emit(vec![Entry::fetched(site, &document)], 1, options).expect("one file fits an image")
}

/// The target of a URL or a path, found without the runtime's help.
pub fn target_of(profile: Profile, url: &str) -> Vec<u8> {
    match profile {
        Profile::Google => google::path(url.as_bytes()),
        _ => vectors::split(url).1,
    }
}

/// [`mod@crate::oracle`] as an engine. It answers for the profiles `full` and `rfc9309` and the usage `crawl` only.
#[derive(Debug, Default)]
pub struct Oracle {
    robots: Vec<u8>,
    origin: Option<String>,
}

impl Engine for Oracle {
    fn name(&self) -> &str {
        "oracle"
    }

    fn load(&mut self, robots: &[u8], origin: Option<&str>, _profile: &str) {
        self.robots = robots.to_vec();
        self.origin = origin.map(str::to_owned);
    }

    fn ask(&self, agents: &[&str], _usage: &str, url: &str) -> Answer {
        let (_, target) = vectors::split(url);
        let (allowed, line) = oracle::verdict(&self.robots, agents, &target, self.origin.as_deref());
        Answer { verdict: Decision::from(allowed).name().to_owned(), line: Some(line.unwrap_or(0)) }
    }
}

/// [`mod@crate::google`] as an engine. It answers for the profile `google`, one agent and the usage `crawl`, and
/// knows no lines.
#[derive(Debug, Default)]
pub struct GoogleOracle {
    robots: Vec<u8>,
}

impl Engine for GoogleOracle {
    fn name(&self) -> &str {
        "google oracle"
    }

    fn load(&mut self, robots: &[u8], _origin: Option<&str>, _profile: &str) {
        self.robots = robots.to_vec();
    }

    fn ask(&self, agents: &[&str], _usage: &str, url: &str) -> Answer {
        let allowed = google::allowed(&self.robots, agents[0], url);
        Answer { verdict: Decision::from(allowed).name().to_owned(), line: None }
    }
}

/// The compiler's trace evaluator.
#[derive(Debug, Default)]
pub struct Trace {
    robots: Vec<u8>,
    site: Option<SiteKey>,
    options: Options,
}

impl Trace {
    /// Lowers what was loaded and hands the policy on.
    pub fn with_policy<T>(&self, use_it: impl FnOnce(Result<Policy<'_>, OverLimit>) -> T) -> T {
        let tree = scan(&self.robots, self.options.limits.bytes(self.options.profile));
        use_it(compiler::lower(&tree, self.site.as_ref().map(SiteKey::authority), &self.options))
    }
}

impl Engine for Trace {
    fn name(&self) -> &str {
        "trace"
    }

    fn load(&mut self, robots: &[u8], origin: Option<&str>, profile: &str) {
        self.robots = robots.to_vec();
        self.site = origin.map(|origin| site_of(Some(origin)));
        self.options = options(profile);
    }

    fn ask(&self, agents: &[&str], usage: &str, url: &str) -> Answer {
        if let (Some(site), Ok(asked)) = (&self.site, SiteKey::from_url(url))
            && *site != asked
        {
            return Answer { verdict: Decision::Unknown.name().to_owned(), line: Some(0) };
        }
        let profile = self.options.profile;
        let target = target_of(profile, url);
        let usage = compiler::usage_number(usage).unwrap_or(UNSPOKEN);
        let (decision, line) = self.with_policy(|policy| match policy {
            Ok(policy) => {
                let trace = compiler::trace::trace(&policy, agents, usage, &target);
                let line = trace.winner.filter(|_| !trace.robots_txt).map(|won| policy.rules[won.rule].line);
                (trace.decision, line)
            }
            Err(_) => {
                let exempt = usage == policy::CRAWL && profile.allows_robots_txt();
                (Decision::from(exempt && is_robots_txt(&profile.notation().target(&target))), None)
            }
        });
        Answer { verdict: decision.name().to_owned(), line: Some(line.unwrap_or(0)) }
    }
}

/// An image, by whatever way it came to be open.
#[derive(Debug)]
pub struct Loaded<D> {
    name: &'static str,
    open: fn(Vec<u8>) -> Image<D>,
    image: Option<Image<D>>,
    has_origin: bool,
}

/// The image as the compiler hands it over.
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
pub fn mapped() -> Loaded<Mapped> {
    Loaded::new("mapped image", |bytes| {
        // The map outlives the name.
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        std::fs::write(file.path(), &bytes).expect("room for an image");
        Image::open(file.path()).expect("a written image opens")
    })
}

impl<D: AsRef<[u8]>> Loaded<D> {
    fn new(name: &'static str, open: fn(Vec<u8>) -> Image<D>) -> Loaded<D> {
        Loaded { name, open, image: None, has_origin: false }
    }
}

impl<D: AsRef<[u8]>> Engine for Loaded<D> {
    fn name(&self) -> &str {
        self.name
    }

    fn load(&mut self, robots: &[u8], origin: Option<&str>, profile: &str) {
        self.has_origin = origin.is_some();
        self.image = Some((self.open)(image_of(robots, origin, &options(profile))));
    }

    fn ask(&self, agents: &[&str], usage: &str, url: &str) -> Answer {
        let image = self.image.as_ref().expect("a file was loaded");
        let crawler = image.crawler(agents);
        let usage = image.usage(usage);
        let site = image.sites().next().expect("the image holds one site");
        if !self.has_origin {
            return answer(&site.decide(&crawler, usage, url));
        }
        let verdict = image.decide(&crawler, usage, url);
        if verdict.site().is_some() {
            assert_same(&verdict, &site.decide(&crawler, usage, url));
            assert_same(&verdict, &site.access(&crawler, usage).decide(url));
        }
        image.decide_batch([Question { crawler: &crawler, usage, url }], |other| {
            assert_same(&verdict, &other)
        });
        answer(&verdict)
    }
}

/// What a verdict says in the words of the suite.
///
/// # Panics
/// When the image is damaged or the deciding rule is not to be found: no good image does that.
pub fn answer(verdict: &Verdict<'_>) -> Answer {
    let rule = verdict.rule();
    let line = match verdict.basis() {
        Basis::Damaged => panic!("a good image calls itself damaged"),
        Basis::Rule(tag) => {
            let rule = rule.expect("a rule decided, but none is found that did");
            assert_eq!(rule.tag, tag, "the rule that decided (left) is not of the tag that did (right)");
            rule.line
        }
        _ => 0,
    };
    Answer { verdict: verdict.decision().name().to_owned(), line: Some(line) }
}

fn assert_same(one: &Verdict<'_>, other: &Verdict<'_>) {
    let facts = |verdict: &Verdict<'_>| (verdict.decision(), verdict.basis());
    assert_eq!(facts(one), facts(other), "two doors of one image differ");
}

/// Every usage worth asking about: those with numbers, and one that nobody speaks of.
pub const USAGES: [&str; 3] = ["crawl", "index", "train"];
