//! Many questions at once: the same answers, with the waits for memory overlapped.
//!
//! One question over a large image waits for several cold lines in a row: bucket, site, name, policy, program. Here
//! a block of questions takes each of these steps together, so that the processor has many lines under way. The
//! steps are the same functions that [`Image::decide`] calls one after the other; a test holds the two together.

use crate::crawler::{Crawler, Usage};
use crate::image::Image;
use crate::target::{self, Authority, Target};
use crate::verdict::{Basis, Verdict};
use robomaton_formats::layout::{home_bucket, host_hash};
use std::hint::black_box;

/// Questions under way together: enough to cover a memory access, few enough to stay in the first-level cache.
const BLOCK: usize = 16;

/// One question of a batch.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// Who asks.
    pub crawler: &'a Crawler,
    /// For what.
    pub usage: Usage<'a>,
    /// About which URL.
    pub url: &'a str,
}

impl<D: AsRef<[u8]>> Image<D> {
    /// Answers questions in order, a block at a time; `each` gets every verdict.
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
            // Each line only touches memory; what it reads is needed in the next.
            block.iter().for_each(|pending| self.touch_bucket(pending));
            let sites: [_; BLOCK] = std::array::from_fn(|n| {
                let (authority, _) = block.get(n)?.parts.as_ref()?;
                let site = self.find_hashed(authority, block[n].hash)?;
                black_box(
                    self.view().policy(site.record.policy.get()).and_then(|policy| policy.first().copied()),
                );
                Some(site)
            });
            for (pending, site) in block.iter().zip(sites) {
                let Question { crawler, usage, url } = pending.question;
                each(match (&pending.parts, site) {
                    (None, _) => self.unknown(crawler, usage, url, Basis::NoUrl),
                    (_, None) => self.unknown(crawler, usage, url, Basis::NoSite),
                    (Some((_, target)), Some(site)) => site.access(crawler, usage).verdict(url, target),
                });
            }
        }
    }

    fn begin<'a>(&self, question: Question<'a>) -> Pending<'a> {
        let parts = target::split(self.profile(), question.url).ok();
        let hash =
            parts.as_ref().map_or(0, |(authority, _)| host_hash(&authority.octets, self.layout().seed));
        Pending { question, parts, hash }
    }

    fn touch_bucket(&self, pending: &Pending<'_>) {
        let buckets = self.view().buckets();
        if !buckets.is_empty() {
            black_box(buckets[home_bucket(pending.hash, buckets.len())].overflow);
        }
    }
}

/// A question on its way.
struct Pending<'a> {
    question: Question<'a>,
    parts: Option<(Authority<'a>, Target<'a>)>,
    hash: u64,
}
