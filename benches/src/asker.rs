//! The client: everything that a program keeps between two questions.
//!
//! The image, a site for each file, and a crawler for each name, resolved once. The three timed
//! ways of asking are defined here, so that every bench uses the same code.

use crate::field::Field;
use crate::queries::{Queries, Query};
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

impl<'i> Asker<'i> {
    /// Finds the site and resolves the crawler of every seat.
    ///
    /// # Errors
    /// If the image does not contain a site of the field.
    pub fn new(image: &'i Image<Vec<u8>>, field: &Field<'_>, queries: &Queries) -> Result<Asker<'i>, String> {
        let mut ours = Asker { image, seats: Vec::new(), crawlers: Vec::new() };
        let mut known: HashMap<&str, u32> = HashMap::new();
        for seat in &queries.seats {
            let site = field.files[seat.file].site.to_string();
            let url = if site.contains("://") { site } else { format!("https://{site}") };
            let site = image.site(&url).ok_or(format!("the image does not contain {url}"))?;
            let crawler = *known.entry(&seat.agent).or_insert_with(|| {
                ours.crawlers.push(image.crawler([&seat.agent]));
                ours.crawlers.len() as u32 - 1
            });
            ours.seats.push((site, crawler));
        }
        Ok(ours)
    }

    /// The site of a question.
    pub fn site(&self, query: &Query) -> &Site<'i> {
        &self.seats[query.seat as usize].0
    }

    fn crawler(&self, query: &Query) -> &Crawler {
        &self.crawlers[self.seats[query.seat as usize].1 as usize]
    }

    /// The answer, with site and crawler resolved.
    pub fn resolved(&self, queries: &Queries, query: &Query) -> bool {
        self.site(query).decide(self.crawler(query), Usage::CRAWL, queries.path(query)).is_allowed()
    }

    /// The access for every file and agent, as kept by a crawler that fetches many pages of a site;
    /// in the order of [`Queries::seats`].
    pub fn accesses(&self) -> Vec<Access<'_>> {
        let access =
            |(site, crawler): &(Site<'i>, u32)| site.access(&self.crawlers[*crawler as usize], Usage::CRAWL);
        self.seats.iter().map(access).collect()
    }

    /// The answer for the absolute URL.
    pub fn full_url(&self, queries: &Queries, query: &Query) -> bool {
        self.image.decide(self.crawler(query), Usage::CRAWL, queries.url(query)).is_allowed()
    }

    /// All answers in batches; returns how many allow.
    pub fn batch(&self, queries: &Queries) -> usize {
        let questions = queries.all().iter().map(|query| Question {
            crawler: self.crawler(query),
            usage: Usage::CRAWL,
            url: queries.url(query),
        });
        let mut allowed = 0;
        self.image.decide_batch(questions, |verdict| allowed += usize::from(verdict.is_allowed()));
        allowed
    }
}
