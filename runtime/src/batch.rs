//! Many questions at once: the same answers, with memory latency overlapped.
//!
//! A question about a large image waits for several uncached lines in a row: bucket, name, policy,
//! program. Here a block of questions takes these steps together, so that the processor has many
//! loads in flight. The step from a policy to its program is left out, since preparing it costs
//! more than waiting. Each step only touches what the next one reads. The answers come from the
//! functions that [`Image::decide`] calls, and a test compares the two.

use crate::answer::Basis;
use crate::crawler::{Crawler, Usage};
use crate::image::{Image, Shard};
use crate::target::{self, Authority, Target};
use crate::verdict::Verdict;
use robomaton_formats::SiteEntry;
use robomaton_formats::layout::{Bucket, Section, fingerprint, home_bucket};
use std::hint::black_box;

/// Questions in flight: enough to cover a memory access, few enough to stay in the first-level
/// cache.
const BLOCK: usize = 16;

/// Bytes of a cache line. The names of a bucket take up two lines.
const LINE: usize = 64;

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
        let mut block = Vec::with_capacity(BLOCK);
        loop {
            block.clear();
            block.extend(questions.by_ref().take(BLOCK).map(|question| self.begin(question)));
            if block.is_empty() {
                return;
            }
            block.iter().for_each(Pending::touch_bucket);
            block.iter().for_each(Pending::touch_site);
            let sites: [_; BLOCK] = std::array::from_fn(|n| {
                let pending = block.get(n)?;
                let (authority, _) = pending.parts.as_ref()?;
                self.find_hashed(pending.shard, authority, pending.hash)
            });
            for (pending, site) in block.iter().zip(sites) {
                let Question { crawler, usage, url } = pending.question;
                each(match (&pending.parts, site) {
                    (None, _) => self.unknown(crawler, usage, url, Basis::NoUrl),
                    (_, None) => self.unknown(crawler, usage, url, Basis::NoSite),
                    (Some((_, target)), Some(site)) => site.decide_target(crawler, usage, url, target),
                });
            }
        }
    }

    fn begin<'a>(&'a self, question: Question<'a>) -> Pending<'a, D> {
        let parts = target::split(self.profile(), question.url).ok();
        let shard = self.shard(parts.as_ref().map_or(&[], |(authority, _)| &authority.bytes));
        let hash = parts.as_ref().map_or(0, |(authority, _)| shard.hash(authority));
        Pending { question, parts, shard, hash }
    }
}

/// A question in flight.
struct Pending<'a, D> {
    question: Question<'a>,
    parts: Option<(Authority<'a>, Target<'a>)>,
    shard: &'a Shard<D>,
    hash: u64,
}

impl<D: AsRef<[u8]>> Pending<'_, D> {
    fn home(&self) -> Option<&Bucket> {
        let buckets = self.shard.view().buckets();
        buckets.get(home_bucket(self.hash, buckets.len().max(1)))
    }

    fn touch_bucket(&self) {
        black_box(self.home().map(|bucket| bucket.overflow));
    }

    /// Touches the names of the bucket, and the target of the site entry if the fingerprint
    /// matches.
    fn touch_site(&self) {
        let (view, Some(bucket)) = (self.shard.view(), self.home()) else { return };
        let names = view.section(Section::Names);
        let at = bucket.names_at.get() as usize;
        black_box((names.get(at).copied(), names.get(at + LINE).copied()));
        let Some(place) = bucket.places(fingerprint(self.hash)).next() else { return };
        let rules = match SiteEntry::from_raw(bucket.entries[place].get()) {
            Some(SiteEntry::Program(at)) => view.program(at),
            Some(SiteEntry::Policy(at)) => view.policy(at),
            Some(SiteEntry::NoRules(_)) | None => None,
        };
        black_box(rules.and_then(|rules| rules.first()).copied());
    }
}
