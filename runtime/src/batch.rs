//! Many questions at once: the same answers, with memory latency overlapped.
//!
//! A question about a large image waits for several uncached lines in a row: bucket, policy,
//! program. Here a block of questions takes these steps together, so that the processor has many
//! loads in flight, and does nothing twice: first the host is hashed and its bucket prefetched,
//! then the site is found and its policy or program prefetched, then it answers. The step from a
//! policy to its program is left out, since preparing it costs more than waiting. The answers come
//! from the functions that [`Image::decide`] calls, and a test compares the two. An image that fits
//! into a cache is asked one question at a time, since there is nothing to wait for.

use crate::crawler::{Crawler, Usage};
use crate::image::Image;
use crate::memory::prefetch;
use crate::stack::{Shard, of_host};
use crate::target::Written;
use crate::verdict::Verdict;
use arrayvec::ArrayVec;
use robomaton_formats::SiteEntry;
use robomaton_formats::layout::{Section, home_bucket};
use robomaton_formats::read::{Slot, View};

/// Questions in flight: enough to cover a memory access, few enough to stay in the first-level
/// cache.
const BLOCK: usize = 16;

/// Up to this many bytes, questions one at a time are faster than a block of them.
const CACHED: usize = 4 << 20;

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
    /// Answers questions in order and passes every verdict to `each`. Of a large image, a block of
    /// them is answered at a time.
    pub fn decide_batch<'a>(
        &'a self,
        questions: impl IntoIterator<Item = Question<'a>>,
        mut each: impl FnMut(Verdict<'a>),
    ) {
        if self.is_large() {
            self.decide_in_blocks(questions, each);
        } else {
            for Question { crawler, usage, url } in questions {
                each(self.decide(crawler, usage, url));
            }
        }
    }

    /// Like [`Image::decide_batch`] for a large image, whatever the size of this one. Public so
    /// that tests reach it with small images.
    #[doc(hidden)]
    pub fn decide_in_blocks<'a>(
        &'a self,
        questions: impl IntoIterator<Item = Question<'a>>,
        each: impl FnMut(Verdict<'a>),
    ) {
        let mut questions = questions.into_iter();
        if !self.older().is_empty() {
            // Moved, so that what is called below may stay in registers.
            let (mut questions, mut each) = (questions, each);
            return self.decide_in_layers(&mut questions, &mut each);
        }
        let mut each = each;
        loop {
            let block: ArrayVec<_, BLOCK> = questions.by_ref().take(BLOCK).collect();
            if block.is_empty() {
                return;
            }
            let homes: ArrayVec<_, BLOCK> = block.iter().map(|question| self.home(question.url)).collect();
            let slots: ArrayVec<_, BLOCK> = homes.iter().map(|home| home.as_ref()?.slot()).collect();
            for ((question, home), slot) in block.iter().zip(&homes).zip(slots) {
                let Question { crawler, usage, url } = *question;
                let answered = match (home, slot) {
                    (Some(home), Some(slot)) => {
                        self.of_written((home.shard, slot), &home.name, crawler, usage, url)
                    }
                    (home, _) => {
                        let written = home.as_ref().map(|home| &home.name);
                        self.of_parsed(written, crawler, usage, url)
                    }
                };
                each(self.verdict(answered, crawler, usage, url));
            }
        }
    }

    /// The same for a stack. Not generic, so that no caller carries the code of both.
    #[inline(never)]
    fn decide_in_layers<'a>(
        &'a self,
        questions: &mut dyn Iterator<Item = Question<'a>>,
        each: &mut dyn FnMut(Verdict<'a>),
    ) {
        loop {
            let block: ArrayVec<_, BLOCK> = questions.take(BLOCK).collect();
            if block.is_empty() {
                return;
            }
            block.iter().for_each(|question| self.touch_layers(question.url));
            let all_found: ArrayVec<_, BLOCK> = block
                .iter()
                .map(|question| {
                    let found = self.find_written(&Written::of(question.url.as_bytes())?)?;
                    prefetch_rules(found.0.view(), found.1);
                    Some(found)
                })
                .collect();
            for (question, found) in block.iter().zip(all_found) {
                let Question { crawler, usage, url } = *question;
                let written = Written::of(url.as_bytes());
                let answered = match (&written, found) {
                    (Some(written), Some(found)) => self.of_files(found, written, crawler, usage, url),
                    (written, _) => self.of_parsed(written.as_ref(), crawler, usage, url),
                };
                each(self.verdict(answered, crawler, usage, url));
            }
        }
    }

    /// True if what questions read does not fit into a cache, so that they have to wait for memory.
    fn is_large(&self) -> bool {
        let hot = [Section::Hosts, Section::Policies, Section::Programs];
        hot.into_iter().map(|section| self.section_bytes(section)).sum::<usize>() > CACHED
    }

    /// Splits a URL and prefetches the home bucket of its site.
    #[inline(always)]
    fn home<'a>(&'a self, url: &'a str) -> Option<Home<'a, D>> {
        let name = Written::of(url.as_bytes())?;
        let shard = match &self.rest {
            None => &self.first,
            Some(rest) => of_host(&self.first, &rest.others, name.host()),
        };
        let hash = shard.hash(&name);
        shard.prefetch_home(hash);
        Some(Home { shard, name, hash })
    }

    /// Prefetches the home bucket of a URL's site in every layer.
    fn touch_layers(&self, url: &str) {
        let Some(written) = Written::of(url.as_bytes()) else { return };
        let older = self.older().iter().filter_map(|shards| shards.split_first());
        for (first, others) in std::iter::once((&self.first, self.others())).chain(older) {
            let shard = of_host(first, others, written.host());
            shard.prefetch_home(shard.hash(&written));
        }
    }
}

impl<D: AsRef<[u8]>> Shard<D> {
    #[inline(always)]
    fn prefetch_home(&self, hash: u64) {
        let view = self.view();
        let home = view.bucket(home_bucket(hash, view.bucket_count()));
        home.into_iter().for_each(|bucket| prefetch(&bucket.fingerprints));
    }
}

/// Prefetches what answers for a site.
#[inline(always)]
fn prefetch_rules(view: View<'_>, slot: Slot<'_>) {
    let rules = match slot.entry() {
        Some(SiteEntry::Program(at)) => view.program(at),
        Some(SiteEntry::Policy(at)) => view.policy(at),
        Some(SiteEntry::NoRules(_)) | None => None,
    };
    rules.into_iter().for_each(prefetch);
}

/// A URL whose home bucket is known.
struct Home<'a, D> {
    shard: &'a Shard<D>,
    name: Written<'a>,
    hash: u64,
}

impl<'a, D: AsRef<[u8]>> Home<'a, D> {
    /// Finds the site and prefetches what answers for it.
    #[inline(always)]
    fn slot(&self) -> Option<Slot<'a>> {
        let slot = self.shard.find(&self.name, self.hash)?;
        prefetch_rules(self.shard.view(), slot);
        Some(slot)
    }
}
