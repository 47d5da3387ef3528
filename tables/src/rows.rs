//! The rows of an image, for each table of [`crate::schema::TABLES`].
//!
//! Sites come in the order of their names, texts in the order of their numbers, and a text is
//! decoded once for all tables about texts. Invariants: equal images give equal rows; rows are
//! produced one at a time. Documents other than robots.txt, such as data.txt, are left out;
//! [`left_out`] counts them. It does not know the output format.

use crate::coverage::{Coverage, Coverages};
use crate::domain;
use crate::schema::Cell;
use crate::usages::{UsageCoverage, UsageCoverages, written};
use crate::write::Writer;
use robomaton_formats::crawlers::{self, WellKnownCrawler};
use robomaton_formats::detail::{self, Detail};
use robomaton_formats::schedule::{Rate, Schedule, Window};
use robomaton_runtime::{Crawler, Image, Scheme, Site, Usage};
use std::collections::{BTreeSet, HashMap};
use std::io;

/// The crawlers and usages in question, which are the rows of `policy` for each site.
pub struct Subjects<'a> {
    names: &'a [String],
    known: Vec<Option<&'static WellKnownCrawler>>,
    usage_names: &'a [String],
    crawlers: Vec<Crawler>,
    usages: Vec<Usage<'a>>,
}

impl<'a> Subjects<'a> {
    /// These crawlers and usages, resolved for an image.
    pub fn new<D: AsRef<[u8]>>(image: &Image<D>, names: &'a [String], usages: &'a [String]) -> Subjects<'a> {
        let token = |name: &str| image.profile().agent_rule().reduce(name);
        Subjects {
            names,
            known: names.iter().map(|name| crawlers::find(&token(name))).collect(),
            usage_names: usages,
            crawlers: names.iter().map(|name| image.crawler([name])).collect(),
            usages: usages.iter().map(|usage| image.usage(usage)).collect(),
        }
    }

    /// The coverages for these crawlers and usages on sites of the image.
    pub fn coverages(&self) -> Coverages<'_> {
        Coverages::new(&self.crawlers, &self.usages)
    }

    /// Crawler and usage of each coverage of a site, in the order of [`Coverages::of`].
    pub fn each(&self) -> impl Iterator<Item = Subject<'_>> {
        self.names.iter().zip(&self.known).flat_map(|(crawler, &known)| {
            self.usage_names.iter().map(move |usage| Subject { crawler, known, usage })
        })
    }
}

/// A crawler and its usage.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The crawler as given.
    pub crawler: &'a str,
    /// The facts about a well-known crawler.
    pub known: Option<&'static WellKnownCrawler>,
    /// The usage.
    pub usage: &'a str,
}

fn scheme(site: &Site<'_>) -> Option<&'static str> {
    match site.scheme() {
        Scheme::Any => None,
        Scheme::Http => Some("http"),
        Scheme::Https => Some("https"),
    }
}

/// The number of documents other than robots.txt, which are in no table.
pub fn left_out<D: AsRef<[u8]>>(image: &Image<D>) -> usize {
    image.documents().count()
}

/// The time of the newest capture of an image in Unix seconds, if any is known.
pub fn newest<D: AsRef<[u8]>>(image: &Image<D>) -> Option<u64> {
    image.sites().filter_map(|site| site.fetched_at()).max()
}

/// Writes the tables of an image for which there is a writer. For several images together, call
/// [`Writer::begin`] on each writer first.
///
/// # Errors
/// If a row cannot be written.
pub fn export<D: AsRef<[u8]>>(
    image: &Image<D>,
    subjects: &Subjects<'_>,
    writers: &mut [Writer<'_>],
) -> io::Result<()> {
    let mut coverages = subjects.coverages();
    let mut usage_coverages = UsageCoverages::new(image);
    let (mut sites, mut policy, mut usages) = (None, None, None);
    let mut texts = Texts::default();
    for writer in writers {
        let place = match writer.table().name {
            "sites" => &mut sites,
            "policy" => &mut policy,
            "usages" => &mut usages,
            "groups" => &mut texts.groups,
            "rules" => &mut texts.rules,
            "crawlers" => &mut texts.crawlers,
            "sitemaps" => &mut texts.sitemaps,
            "extensions" => &mut texts.extensions,
            name => return Err(io::Error::other(format!("{name} is no table of an image"))),
        };
        *place = Some(writer);
    }
    let mut documents = Vec::new();
    // Many sites may share one long document.
    let mut counts = HashMap::new();
    for site in image.sites() {
        documents.extend(site.document());
        if let Some(writer) = &mut sites {
            let of =
                |document| *counts.entry(document).or_insert_with(|| site.detail().as_ref().map(Counts::of));
            site_row(&site, site.document().and_then(of), writer)?;
        }
        if let Some(writer) = &mut policy {
            policy_rows(&site.address(), subjects, coverages.of(&site), writer)?;
        }
        if let Some(writer) = &mut usages {
            usage_rows(&site.address(), usage_coverages.of(&site), writer)?;
        }
    }
    if texts.is_wanted() {
        documents.sort_unstable();
        documents.dedup();
        for document in documents {
            texts.of(document.get(), &image.detail(document).unwrap_or_default())?;
        }
    }
    Ok(())
}

/// What a document has of groups, rules, crawlers that it names, and sitemaps.
#[derive(Clone, Copy)]
struct Counts {
    groups: usize,
    rules: usize,
    crawlers: usize,
    sitemaps: usize,
}

impl Counts {
    fn of(detail: &Detail<'_>) -> Counts {
        let groups = &detail.groups;
        Counts {
            groups: groups.len(),
            rules: groups.iter().map(|group| group.rules.len()).sum(),
            crawlers: groups.iter().flat_map(|group| written(&group.crawlers)).collect::<BTreeSet<_>>().len(),
            sitemaps: detail.extensions.iter().filter(|record| is_sitemap(record)).count(),
        }
    }
}

fn site_row(site: &Site<'_>, counts: Option<Counts>, writer: &mut Writer<'_>) -> io::Result<()> {
    let authority = site.authority();
    // A host may be an IPv6 address in brackets, which contains colons.
    let split = authority.rsplit_once(':').filter(|(_, port)| !port.ends_with(']'));
    let (host, port) = split.map_or((authority.as_str(), None), |(host, port)| (host, Some(port)));
    writer.row(&[
        Cell::from(&site.address()),
        scheme(site).into(),
        host.into(),
        port.and_then(|port| port.parse::<u32>().ok()).into(),
        site.outcome().map(|outcome| outcome.name()).into(),
        Some(u32::from(site.status())).filter(|&status| status != 0).into(),
        site.fetched_at().map_or(Cell::Null, Cell::Time),
        site.fresh_for().into(),
        site.document().map_or(Cell::Null, |document| Cell::Number(document.get())),
        site.text_length().map_or(Cell::Null, Cell::Number),
        counts.map(|counts| counts.groups).into(),
        counts.map(|counts| counts.rules).into(),
        counts.map(|counts| counts.crawlers).into(),
        counts.map(|counts| counts.sitemaps).into(),
        domain::registered(host).into(),
    ])
}

fn policy_rows(
    site: &str,
    subjects: &Subjects<'_>,
    coverages: &[Coverage],
    writer: &mut Writer<'_>,
) -> io::Result<()> {
    for (who, coverage) in subjects.each().zip(coverages) {
        writer.row(&[
            site.into(),
            who.crawler.into(),
            who.operator(),
            who.purpose(),
            who.usage.into(),
            coverage.share.name().into(),
            coverage.basis.name().into(),
            coverage.is_explicit().into(),
            coverage.conditional.into(),
            coverage.incomplete.into(),
            coverage.line.into(),
        ])?;
    }
    Ok(())
}

fn usage_rows(site: &str, coverages: &[UsageCoverage], writer: &mut Writer<'_>) -> io::Result<()> {
    for coverage in coverages {
        let UsageCoverage { crawler, usage, .. } = coverage;
        let who = Subject { crawler, known: crawlers::find(crawler), usage };
        let languages = languages(coverage);
        writer.row(&[
            site.into(),
            who.crawler.into(),
            who.operator(),
            who.purpose(),
            who.usage.into(),
            coverage.share.name().into(),
            languages.as_deref().into(),
            coverage.conditional.into(),
            coverage.incomplete.into(),
        ])?;
    }
    Ok(())
}

impl Subject<'_> {
    pub(crate) fn operator(&self) -> Cell<'static> {
        self.known.and_then(|known| known.operator).into()
    }

    pub(crate) fn purpose(&self) -> Cell<'static> {
        self.known.map(|known| known.purpose.name()).into()
    }
}

/// True if a record lists a sitemap. An empty one does not, and is treated like any other record.
fn is_sitemap(record: &detail::Extension<'_>) -> bool {
    record.key == "sitemap" && !record.value.is_empty()
}

/// The tables about texts.
#[derive(Default)]
struct Texts<'a, 'w> {
    groups: Option<&'a mut Writer<'w>>,
    rules: Option<&'a mut Writer<'w>>,
    crawlers: Option<&'a mut Writer<'w>>,
    sitemaps: Option<&'a mut Writer<'w>>,
    extensions: Option<&'a mut Writer<'w>>,
}

impl Texts<'_, '_> {
    fn is_wanted(&self) -> bool {
        let Texts { groups, rules, crawlers, sitemaps, extensions } = self;
        [groups, rules, crawlers, sitemaps, extensions].into_iter().any(Option::is_some)
    }

    /// The rows of one document.
    fn of(&mut self, document: u64, detail: &Detail<'_>) -> io::Result<()> {
        for record in &detail.extensions {
            match is_sitemap(record) {
                true => row(&mut self.sitemaps, || {
                    [Cell::Number(document), record.line.into(), record.value.as_ref().into()]
                }),
                false => self.extension(document, None, record),
            }?;
        }
        for (number, group) in (0u32..).zip(&detail.groups) {
            self.group(document, number, detail, group)?;
        }
        Ok(())
    }

    fn group(
        &mut self,
        document: u64,
        number: u32,
        detail: &Detail<'_>,
        group: &detail::Group<'_>,
    ) -> io::Result<()> {
        let schedule = group.schedule.as_deref();
        let purposes = group.purposes.iter().map(|purpose| String::from_utf8_lossy(&purpose.0).into_owned());
        let purposes = joined(purposes, " ");
        let delay = schedule.and_then(Schedule::crawl_delay);
        let rates = joined(schedule.into_iter().flat_map(|schedule| &schedule.rates).map(rate), "; ");
        let visits = joined(schedule.into_iter().flat_map(|schedule| &schedule.visits).map(window), "; ");
        let file = detail.file(group.file);
        let crawlers = written(&group.crawlers);
        row(&mut self.groups, || {
            [
                Cell::Number(document),
                number.into(),
                group.role.name().into(),
                group.default.into(),
                crawlers.len().into(),
                group.rules.len().into(),
                purposes.as_deref().into(),
                delay.map_or(Cell::Null, Cell::Real),
                rates.as_deref().into(),
                visits.as_deref().into(),
                file.into(),
                group.incomplete.into(),
            ]
        })?;
        for crawler in group.default.then_some("*").into_iter().chain(crawlers) {
            let who = Subject { crawler, known: crawlers::find(crawler), usage: "" };
            row(&mut self.crawlers, || {
                [Cell::Number(document), number.into(), crawler.into(), who.operator(), who.purpose()]
            })?;
        }
        if self.rules.is_some() {
            for rule in &group.rules {
                let pattern = String::from_utf8_lossy(&rule.pattern.0);
                let conditions = joined(detail.conditions(rule).iter().map(ToString::to_string), " ");
                row(&mut self.rules, || {
                    [
                        Cell::Number(document),
                        number.into(),
                        rule.line.into(),
                        rule.permits.into(),
                        detail.usage(rule.usage).into(),
                        pattern.as_ref().into(),
                        conditions.as_deref().into(),
                    ]
                })?;
            }
        }
        group.extensions.iter().try_for_each(|record| self.extension(document, Some(number), record))
    }

    fn extension(
        &mut self,
        document: u64,
        group: Option<u32>,
        record: &detail::Extension<'_>,
    ) -> io::Result<()> {
        row(&mut self.extensions, || {
            [
                Cell::Number(document),
                group.into(),
                record.line.into(),
                record.key.as_ref().into(),
                record.value.as_ref().into(),
            ]
        })
    }
}

/// Writes a row, if there is a writer for it.
fn row<'c, const N: usize>(
    writer: &mut Option<&mut Writer<'_>>,
    cells: impl FnOnce() -> [Cell<'c>; N],
) -> io::Result<()> {
    writer.as_mut().map_or(Ok(()), |writer| writer.row(&cells()))
}

/// The names of the languages of a coverage; `None` if there are none.
pub(crate) fn languages(coverage: &UsageCoverage) -> Option<String> {
    joined(coverage.languages.iter().map(|language| language.name().to_owned()), " ")
}

/// Joins several texts; `None` if there are none.
pub(crate) fn joined(parts: impl Iterator<Item = String>, between: &str) -> Option<String> {
    Some(parts.collect::<Vec<_>>().join(between)).filter(|text| !text.is_empty())
}

fn window(window: &Window) -> String {
    let time = |minute: u16| format!("{:02}{:02}", minute / 60, minute % 60);
    format!("{}-{}", time(window.from()), time(window.to()))
}

fn rate(rate: &Rate) -> String {
    let times = rate.window.as_ref().map(|times| format!(" {}", window(times))).unwrap_or_default();
    format!("{}/{}{times}", rate.documents, rate.seconds)
}
