//! Many questions at once: the same answers, with memory latency overlapped.
//!
//! A question about a large image waits for several uncached lines in a row: bucket, policy,
//! program. Here a block of questions takes these steps together, so that the processor has many
//! loads in flight, and does nothing twice: first the host is hashed and its bucket touched, then
//! the site is found and its policy or program touched, then it answers. The step from a policy to
//! its program is left out, since preparing it costs more than waiting. The answers come from the
//! functions that [`Image::decide`] calls, and a test compares the two.

use crate::crawler::{Crawler, Usage};
use crate::find::Search;
use crate::image::{Image, Shard};
use crate::target::Written;
use crate::verdict::Verdict;
use arrayvec::ArrayVec;
use robomaton_formats::SiteEntry;
use robomaton_formats::layout::home_bucket;
use robomaton_formats::read;
use std::hint::black_box;

/// Questions in flight: enough to cover a memory access, few enough to stay in the first-level
/// cache.
const BLOCK: usize = 16;

/// One question of a batch.
///
/// ```
/// # use robomaton_compiler::{Entry, Options, compile, emit};
/// # let document = compile(b"User-agent: GPTBot\nDisallow: /private/\n", None, &Options::default());
/// # let site = robomaton_formats::SiteKey::from_url("https://example.com/")?;
/// # let bytes = emit(vec![Entry::fetched(site, &document)], &Options::default())?;
/// use robomaton_runtime::{Image, Question, Usage};
///
/// let image = Image::from_bytes(bytes)?;
/// let crawler = image.crawler(["GPTBot"]);
/// let urls = ["https://example.com/news/1", "https://example.com/private/1"];
/// let questions = urls.map(|url| Question { crawler: &crawler, usage: Usage::CRAWL, url });
/// let mut allowed = Vec::new();
/// image.decide_batch(questions, |verdict| allowed.push(verdict.is_allowed()));
/// assert_eq!(allowed, [true, false]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The crawler.
    pub crawler: &'a Crawler,
    /// The usage.
    pub usage: Usage<'a>,
    /// The URL.
    pub url: &'a str,
}

impl<D: AsRef<[u8]>> Image<D> {
    /// Answers questions in order, a block at a time, and passes every verdict to `each`.
    pub fn decide_batch<'a>(
        &'a self,
        questions: impl IntoIterator<Item = Question<'a>>,
        mut each: impl FnMut(Verdict<'a>),
    ) {
        let mut questions = questions.into_iter();
        loop {
            let block: ArrayVec<_, BLOCK> = questions.by_ref().take(BLOCK).collect();
            if block.is_empty() {
                return;
            }
            let homes: ArrayVec<_, BLOCK> = block.iter().map(|question| self.home(question.url)).collect();
            let sites: ArrayVec<_, BLOCK> = homes.iter().map(|home| home.as_ref()?.site()).collect();
            for ((question, home), site) in block.iter().zip(&homes).zip(sites) {
                let Question { crawler, usage, url } = *question;
                let search = match (home, site) {
                    (Some(home), Some(site)) => {
                        let target = home.written.target(self.profile(), url);
                        Search::Found((home.shard, site), target)
                    }
                    (home, _) => self.search_parsed(home.as_ref().map(|home| &home.written), url),
                };
                let (answer, site) = self.answer(search, crawler, usage);
                each(Verdict { answer, site, crawler, usage, url });
            }
        }
    }

    /// Splits a URL and touches the home bucket of its site.
    #[inline(always)]
    fn home<'a>(&'a self, url: &'a str) -> Option<Home<'a, D>> {
        let written = Written::of(url.as_bytes())?;
        let shard = self.shard(written.host());
        let hash = shard.hash(written.host());
        let buckets = shard.view().buckets();
        black_box(buckets.get(home_bucket(hash, buckets.len())).map(|bucket| bucket.overflow));
        Some(Home { written, shard, hash })
    }
}

/// A URL whose home bucket is known.
struct Home<'a, D> {
    written: Written<'a>,
    shard: &'a Shard<D>,
    hash: u64,
}

impl<'a, D: AsRef<[u8]>> Home<'a, D> {
    /// Finds the site and touches what answers for it.
    #[inline(always)]
    fn site(&self) -> Option<read::Site<'a>> {
        let Written { text, length, scheme } = self.written;
        let site = self.shard.find(text, length, scheme, self.hash)?;
        let rules = match site.entry() {
            Some(SiteEntry::Program(at)) => site.view().program(at),
            Some(SiteEntry::Policy(at)) => site.view().policy(at),
            Some(SiteEntry::NoRules(_)) | None => None,
        };
        black_box(rules.and_then(|rules| rules.first()).copied());
        Some(site)
    }
}
