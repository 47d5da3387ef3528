//! The client: everything that a program keeps between two questions.
//!
//! The image, a site for each file, and a crawler for each name, resolved once. The measured ways
//! of asking are defined here, so that every bench uses the same code, and compared with the trace
//! evaluator. Invariant: what a question needs is laid out in advance, so a loop over questions
//! costs next to nothing besides the answers.

use crate::field::Field;
use crate::queries::{Queries, Query};
use robomaton_compiler::trace::{TraceQuery, trace};
use robomaton_runtime::{Access, Crawler, Image, Question, Site, Usage};
use std::collections::HashMap;

/// Our side: the image, and for each file and agent the site and the crawler. A crawler is resolved
/// once per name.
#[derive(Debug)]
pub struct Asker<'i> {
    image: &'i Image<Vec<u8>>,
    seats: Vec<(Site<'i>, u32)>,
    crawlers: Vec<Crawler>,
}

/// A question with all that it needs.
#[derive(Debug)]
pub struct Asked<'q> {
    /// The site.
    pub site: &'q Site<'q>,
    crawler: &'q Crawler,
    /// The path and query.
    pub path: &'q str,
    url: &'q str,
    /// The index in [`Queries::seats`].
    pub seat: usize,
}

impl Asked<'_> {
    /// The answer, with site and crawler resolved.
    #[inline]
    pub fn resolved(&self) -> bool {
        self.site.decide(self.crawler, Usage::CRAWL, self.path).is_allowed()
    }

    /// The answer for the absolute URL.
    #[inline]
    pub fn full_url(&self, image: &Image<Vec<u8>>) -> bool {
        image.decide(self.crawler, Usage::CRAWL, self.url).is_allowed()
    }
}

impl<'i> Asker<'i> {
    /// Finds the site and resolves the crawler of every seat.
    ///
    /// # Errors
    /// If the image does not contain a site of the questions.
    pub fn new(image: &'i Image<Vec<u8>>, queries: &Queries) -> Result<Asker<'i>, String> {
        let mut ours = Asker { image, seats: Vec::new(), crawlers: Vec::new() };
        let mut known: HashMap<&str, u32> = HashMap::new();
        for seat in &queries.seats {
            let site = image.site(&seat.site);
            let site = site.ok_or_else(|| format!("the image does not contain {}", seat.site))?;
            let crawler = *known.entry(&seat.agent).or_insert_with(|| {
                ours.crawlers.push(image.crawler([&seat.agent]));
                ours.crawlers.len() as u32 - 1
            });
            ours.seats.push((site, crawler));
        }
        Ok(ours)
    }

    /// The questions, in the same order.
    pub fn asked<'q>(&'q self, queries: &'q Queries) -> Vec<Asked<'q>> {
        let asked = |query: &Query| {
            let (site, crawler) = &self.seats[query.seat as usize];
            let crawler = &self.crawlers[*crawler as usize];
            let (path, url, seat) = (queries.path(query), queries.url(query), query.seat as usize);
            Asked { site, crawler, path, url, seat }
        };
        queries.all().iter().map(asked).collect()
    }

    /// The access for every file and agent, as kept by a crawler that fetches many pages of a site;
    /// in the order of [`Queries::seats`].
    pub fn accesses(&self) -> Vec<Access<'_>> {
        let access =
            |(site, crawler): &(Site<'i>, u32)| site.access(&self.crawlers[*crawler as usize], Usage::CRAWL);
        self.seats.iter().map(access).collect()
    }

    /// All answers in batches; returns how many allow.
    pub fn batch<'a>(&'a self, asked: &'a [Asked<'_>]) -> usize {
        let question =
            |asked: &'a Asked<'_>| Question { crawler: asked.crawler, usage: Usage::CRAWL, url: asked.url };
        let mut allowed = 0;
        self.image
            .decide_batch(asked.iter().map(question), |verdict| allowed += usize::from(verdict.is_allowed()));
        allowed
    }

    /// All answers, in the order of the questions, after a comparison with the trace evaluator's in
    /// every way of asking.
    ///
    /// # Errors
    /// If one of them is wrong.
    pub fn checked_answers(&self, field: &Field<'_>, queries: &Queries) -> Result<Vec<bool>, String> {
        let asked = self.asked(queries);
        let answers: Vec<bool> = asked.iter().map(Asked::resolved).collect();
        let mut next = 0;
        let mut wrong = None;
        field.policies(|number, file, policy| {
            while let Some(query) = queries.all().get(next).filter(|query| queries.seat(query).file == number)
            {
                let (agent, path) = (queries.seat(query).agent.as_str(), queries.path(query));
                let expected = trace(policy, &TraceQuery::crawl(&[agent], path.as_bytes()));
                let expected = expected.decision.is_allowed();
                if answers[next] != expected || asked[next].full_url(self.image) != expected {
                    wrong.get_or_insert(format!(
                        "wrong about {path} for {agent} at {}: {expected} expected",
                        file.site
                    ));
                }
                next += 1;
            }
        });
        let accesses = self.accesses();
        let mut held = asked.iter().map(|asked| accesses[asked.seat].decide(asked.path));
        if !answers.iter().all(|&answer| held.next().is_some_and(|verdict| verdict.is_allowed() == answer)) {
            return Err("Access::decide disagrees with Site::decide".into());
        }
        let allowed = answers.iter().filter(|&&allowed| allowed).count();
        match wrong {
            Some(wrong) => Err(wrong),
            None if next != answers.len() => Err(format!("{next} of {} questions compared", answers.len())),
            None if self.batch(&asked) != allowed => Err("decide_batch disagrees with decide".into()),
            None => {
                println!(
                    "ours = trace evaluator on all {next} questions ({allowed} allowed), also as URLs and in batches"
                );
                Ok(answers)
            }
        }
    }
}
