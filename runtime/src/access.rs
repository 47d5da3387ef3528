//! The answers for one crawler and one usage on one site, resolved once for any number of paths.
//!
//! These are the last two steps of a question: from the policy to its programs, then the walks. A
//! crawler that fetches many pages of a site keeps an [`Access`]; a single question resolves its
//! own answers. Invariants: a question about fetching allocates nothing for targets up to a
//! kilobyte; any damage is [`Basis::Damaged`]. This module does not know how a site is found.

use crate::answer::{Answer, Basis};
use crate::crawler::{Crawler, Usage};
use crate::preference;
use crate::rules::{self, DAMAGED, Ranked, is_exempt};
use crate::short;
use crate::site::Site;
use crate::target::{self, Target};
use crate::verdict::Verdict;
use robomaton_formats::Decision;
use robomaton_formats::policy::PolicyView;

/// The answers for one crawler and one usage on one site. Cheap to copy; made by [`Site::access`].
///
/// ```
/// # use robomaton_compiler::{Entry, Options, compile, emit};
/// # let document = compile(b"User-agent: GPTBot\nDisallow: /private/\n", None, &Options::default());
/// # let site = robomaton_formats::SiteKey::from_url("https://example.com/")?;
/// # let bytes = emit(vec![Entry::fetched(site, &document)], &Options::default())?;
/// use robomaton_runtime::{Image, Usage};
///
/// let image = Image::from_bytes(bytes)?;
/// let crawler = image.crawler(["GPTBot"]);
/// let site = image.site("https://example.com/").expect("the image holds the site");
/// let access = site.access(&crawler, Usage::CRAWL); // the rules are looked up once
/// assert!(access.decide("/news/1").is_allowed());
/// assert!(!access.decide("/private/1").is_allowed());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Access<'a> {
    site: Site<'a>,
    crawler: &'a Crawler,
    usage: Usage<'a>,
    answers: Answers<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Answers<'a> {
    /// The answers of rules and fields.
    Rules(rules::Answers<'a>),
    /// Everything that speaks of a usage other than fetching: the groups, and the policy, which may
    /// refer to preferences.
    United(rules::Groups<'a>, Option<PolicyView<'a>>),
}

impl<'a> Access<'a> {
    #[inline]
    pub(crate) fn new(site: Site<'a>, crawler: &'a Crawler, usage: Usage<'a>) -> Access<'a> {
        let damaged = || Answers::Rules(rules::Answers::Fixed(DAMAGED));
        if site.origin.layer() != 0 {
            return Access::of_layer(site, crawler, usage);
        }
        let answers = resolve(&site, crawler, usage).unwrap_or_else(damaged);
        Access { site, crawler, usage, answers }
    }

    /// The answers for a site in an older layer.
    #[inline(never)]
    fn of_layer(site: Site<'a>, crawler: &'a Crawler, usage: Usage<'a>) -> Access<'a> {
        let (own_crawler, own_usage) = site.of_layer(crawler, usage);
        let damaged = || Answers::Rules(rules::Answers::Fixed(DAMAGED));
        let answers = resolve(&site, own_crawler, own_usage).unwrap_or_else(damaged);
        Access { site, crawler, usage, answers }
    }

    /// Decides a URL of the site, or a path with query. The host of a URL is not checked again.
    #[inline]
    pub fn decide(&self, url: &'a str) -> Verdict<'a> {
        let answer = self.of_url(url);
        Verdict { answer, site: Some(self.site), crawler: self.crawler, usage: self.usage, url }
    }

    /// Out of line with a small result, so that a verdict is built in its caller, and only the
    /// parts that the caller uses.
    #[inline(never)]
    fn of_url(&self, url: &str) -> Answer {
        let target = target::target(self.site.profile, url);
        let short = match &self.answers {
            Answers::Rules(answers) if self.usage.is_crawl() => match *answers {
                rules::Answers::Program(program) => short::answer_of(program, target.raw()),
                rules::Answers::List(list) => short::of_list(self.site.view(), list, target.raw()),
                _ => None,
            },
            _ => None,
        };
        let long = || match self.site.origin.layer() {
            0 => answer(&self.site, &self.answers, self.crawler, self.usage, &target).unwrap_or(DAMAGED),
            _ => self.in_layer(&target),
        };
        short.map_or_else(long, Ranked::answer)
    }

    /// The answer about a target of a site in an older layer.
    #[inline(never)]
    fn in_layer(&self, target: &Target<'_>) -> Answer {
        let (crawler, usage) = self.site.of_layer(self.crawler, self.usage);
        answer(&self.site, &self.answers, crawler, usage, target).unwrap_or(DAMAGED)
    }
}

impl<'i> Site<'i> {
    /// Resolves the answers for a crawler and a usage on this site, for use with many paths.
    #[inline]
    pub fn access<'a>(&self, crawler: &'a Crawler, usage: Usage<'a>) -> Access<'a>
    where
        'i: 'a,
    {
        Access::new(*self, crawler, usage)
    }

    /// Decides a URL of this site, or a path with query. The host of a URL is not checked again.
    #[inline]
    pub fn decide<'a>(&self, crawler: &'a Crawler, usage: Usage<'a>, url: &'a str) -> Verdict<'a>
    where
        'i: 'a,
    {
        let short = short::of_path(self, crawler, usage, url.as_bytes());
        let long = || match self.origin.layer() {
            0 => of_url(self, crawler, usage, url),
            _ => of_url_in_layer(self, crawler, usage, url),
        };
        let answer = short.map_or_else(long, Ranked::answer);
        Verdict { answer, site: Some(*self), crawler, usage, url }
    }
}

/// Answers a question about a URL or path of a site in the newest layer.
#[inline(never)]
fn of_url(site: &Site<'_>, crawler: &Crawler, usage: Usage<'_>, url: &str) -> Answer {
    let target = target::target(site.profile, url);
    // The short way to a path has been tried.
    if url.starts_with('/') {
        at_length(site, crawler, usage, &target)
    } else {
        once(site, crawler, usage, &target)
    }
}

/// Answers a question about a URL or path of a site in an older layer.
#[inline(never)]
fn of_url_in_layer(site: &Site<'_>, crawler: &Crawler, usage: Usage<'_>, url: &str) -> Answer {
    in_layer(site, crawler, usage, &target::target(site.profile, url))
}

/// Answers a single question about a site in an older layer.
#[inline(never)]
pub(crate) fn in_layer(site: &Site<'_>, crawler: &Crawler, usage: Usage<'_>, target: &Target<'_>) -> Answer {
    let (crawler, usage) = site.of_layer(crawler, usage);
    once(site, crawler, usage, target)
}

/// Answers a single question without an [`Access`]: the short way, if there is one. From here on,
/// the crawler and the usage are those of the site's layer.
#[inline(always)]
pub(crate) fn once(site: &Site<'_>, crawler: &Crawler, usage: Usage<'_>, target: &Target<'_>) -> Answer {
    let short = short::of_target(site, crawler, usage, target.raw());
    short.map_or_else(|| at_length(site, crawler, usage, target), Ranked::answer)
}

/// Answers any question. Out of line for the same reason as [`Access::of_url`].
#[inline(never)]
pub(crate) fn at_length(site: &Site<'_>, crawler: &Crawler, usage: Usage<'_>, target: &Target<'_>) -> Answer {
    // A question about fetching, the most frequent by far, moves no more than its own answers.
    let answered = if usage.is_crawl() {
        let answers = rules::resolve(site, crawler, usage);
        answers.map(|answers| rules::answer(site, &answers, crawler, usage, target))
    } else {
        let found = rules::groups(site, crawler);
        found.map(|(groups, policy)| {
            preference::answer(site, (&groups, policy.as_ref()), crawler, usage, target)
        })
    };
    match answered {
        Some(answer) => answer.unwrap_or(DAMAGED),
        None if is_exempt(site, usage, target.raw()) => Answer::plain(Decision::Allowed, Basis::RobotsTxt),
        None => DAMAGED,
    }
}

/// Resolves the answers; `None` if the image is damaged.
#[inline]
fn resolve<'a>(site: &Site<'a>, crawler: &Crawler, usage: Usage<'_>) -> Option<Answers<'a>> {
    if usage.is_crawl() {
        return rules::resolve(site, crawler, usage).map(Answers::Rules);
    }
    rules::groups(site, crawler).map(|(groups, policy)| Answers::United(groups, policy))
}

/// Returns the answer; `None` if the image is damaged.
#[inline(always)]
fn answer(
    site: &Site<'_>,
    answers: &Answers<'_>,
    crawler: &Crawler,
    usage: Usage<'_>,
    target: &Target<'_>,
) -> Option<Answer> {
    match answers {
        Answers::Rules(answers) => rules::answer(site, answers, crawler, usage, target),
        Answers::United(groups, policy) => {
            preference::answer(site, (groups, policy.as_ref()), crawler, usage, target)
        }
    }
}
