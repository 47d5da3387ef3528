//! Random texts and pages in several languages: what a question finds once for all of its usages is
//! compared with what each usage finds by itself, and the levels that are passed over with all.

use super::*;
use crate::Image;
use crate::target::target;
use crate::terms::Terms;
use robomaton_compiler::{
    CompileContext, Element, Entry, Header, MetaTag, Options, Page, compile_with, emit,
};
use robomaton_formats::usage::USAGES;
use robomaton_formats::{Outcome, SiteKey};

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn one_of<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    fn usage(&mut self) -> &'static str {
        let fields = ["crawl", "index", "present", "present-snippet", "preserve", "other", "index", "mine"];
        self.one_of(&fields)
    }

    fn path(&mut self) -> String {
        let parts: Vec<&str> = (0..self.below(3)).map(|_| self.one_of(&["a", "B", "b%41", "*c"])).collect();
        format!("/{}", parts.join("/"))
    }

    fn field(&mut self) -> String {
        let sense = self.one_of(&["allow", "disallow"]);
        let condition = self.one_of(&["", "", " time-limit=3-days"]);
        let condition = if sense == "allow" { condition } else { "" };
        format!("ACAP-{sense}-{}: {}{condition}\n", self.usage(), self.path())
    }

    /// A text with records of ACAP, groups, and statements.
    fn text(&mut self) -> String {
        let mut text = String::new();
        for name in ["*", "bot", "other"].into_iter().take(self.below(4)) {
            text += &format!("ACAP-crawler: {name}\n");
            (0..self.below(5)).for_each(|_| text += &self.field());
            for purpose in ["news", "n*", "maps"].into_iter().take(self.below(4)) {
                text += &format!("ACAP-usage-purpose: {purpose}\n");
                (0..=self.below(2)).for_each(|_| text += &self.field());
            }
        }
        for name in ["*", "bot"].into_iter().take(self.below(3)) {
            text += &format!("User-agent: {name}\n");
            for _ in 0..self.below(6) {
                let path = self.path();
                text += &match self.below(6) {
                    0 => format!("Content-Signal: search={}, ai-train=no\n", self.one_of(&["yes", "no"])),
                    1 => format!("Content-Usage: {path} train-ai={}\n", self.one_of(&["y", "n"])),
                    2 => format!("Noindex: {path}\n"),
                    3 => format!("Allow: {path}\n"),
                    _ => format!("Disallow: {path}\n"),
                };
            }
        }
        text
    }

    fn page(&mut self) -> Page {
        let mut page = Page { target: self.path().replace('*', ""), ..Page::default() };
        page.url = format!("https://h{}", page.target);
        for _ in 0..self.below(3) {
            let sense = self.one_of(&["allow", "disallow"]);
            let content = match self.below(3) {
                0 => "noindex, noarchive".to_owned(),
                1 => format!("ACAP {sense}-{} usage-purpose=news", self.usage()),
                _ => format!("ACAP {sense}-{}", self.usage()),
            };
            let name = self.one_of(&["robots", "bot", "else"]).to_owned();
            page.metas.push(MetaTag { name, content, line: 1, in_noscript: false });
        }
        if self.below(3) == 0 {
            let token = format!("the-acap:disallow-{}", self.usage());
            page.elements.push(Element { token, line: 2 });
        }
        if self.below(4) == 0 {
            let value = self.one_of(&["noindex", "bot: noai", "unavailable_after: 2020-01-01"]).into();
            page.headers.push(Header { name: "x-robots-tag".to_owned(), value });
        }
        page
    }
}

/// The answer if nothing is found once: each usage has a question of its own, and so has crawling.
fn apart(site: &Site<'_>, crawler: &Crawler, usage: Usage<'_>, target: &Target<'_>) -> Option<Answer> {
    let (groups, policy) = rules::groups(site, crawler)?;
    let policy = policy.as_ref().filter(|policy| policy.has_preferences());
    let stated = |usage| match &groups {
        Groups::Scoped(scoped) => scoped.with_fields(site, crawler, target, |fields| {
            Asking::new(site, (&groups, Some(fields), policy), crawler, target)?.effects_now(usage)
        }),
        _ => Asking::new(site, (&groups, None, policy), crawler, target)?.effects_now(usage),
    };
    let no_crawl = rules::of_rules(site, crawler, usage.crawl(), target).decision == Decision::Disallowed;
    let stated = |usage| {
        let stated = stated(usage)?;
        Some(if no_crawl { stated.always } else { stated.if_crawled() })
    };
    let own = rules::of_rules(site, crawler, usage, target);
    if own.decision == Decision::Disallowed && matches!(own.basis, Basis::Outcome(_)) {
        return Some(own);
    }
    let effects = stated(usage)?;
    let (mut of_parts, mut incomplete) = (Effects::NONE, own.incomplete);
    for part in usage.parts() {
        of_parts = of_parts.and(stated(part)?);
        if usage.id != UsageId::PRESENT {
            let of_rules = rules::of_rules(site, crawler, part, target);
            of_parts = of_parts.and(of_rules.decision.into());
            incomplete |= of_rules.incomplete && of_rules.decision != Decision::Unknown;
        }
    }
    let rules = Effects::from(own.decision);
    let all = effects.and(rules).with_parts(of_parts);
    if all == rules || rules.decides_alone(effects.and(of_parts)) {
        return Some(Answer { incomplete, ..own });
    }
    let permits = matches!(all.decision(), Decision::Allowed | Decision::Conditional);
    let incomplete = incomplete || all.is_incomplete() || permits && site.robots_may_refuse();
    Some(Answer { decision: all.decision(), incomplete, basis: Basis::Preferences })
}

#[test]
fn usages_together_and_apart_agree() {
    let (mut random, mut scoped, mut stated) = (Random(7), 0, 0);
    for round in 0..400 {
        let text = random.text();
        let pages: Vec<Page> = (0..random.below(3)).map(|_| random.page()).collect();
        let options = Options::default();
        let context = CompileContext { origin: Some("h"), pages: &pages, ..CompileContext::default() };
        let document = compile_with(text.as_bytes(), &context, &options);
        let mut entry = Entry::fetched(SiteKey::from_url("https://h/").unwrap(), &document);
        if text.is_empty() {
            entry.outcome = Outcome::NotCaptured;
        }
        let image = Image::from_bytes(emit(vec![entry], &options).unwrap()).unwrap();
        let now = (round % 2 == 0).then_some(1_700_000_000);
        let image = image.with_terms(Terms { elements: round % 5 == 0, now, ..Terms::default() });
        let site = image.site("https://h/").unwrap();
        let named = image.crawler(["bot"]);
        let crawlers =
            [named.clone(), named.named_only(true), image.crawler(["new"]), image.crawler(["x", "bot"])];
        for _ in 0..4 {
            let path = random.path().replace('*', "x/");
            let target = target(site.profile, &path);
            for crawler in &crawlers {
                let (groups, policy) = rules::groups(&site, crawler).unwrap();
                stated += usize::from(policy.is_some_and(|policy| policy.has_preferences()));
                for usage in USAGES.into_iter().skip(1).chain(["mine", "nobody's"]) {
                    let usage = image.usage(usage);
                    let usage =
                        random.below(3).checked_sub(1).map_or(usage, |n| usage.for_purpose(["news", "x"][n]));
                    let together = answer(&site, (&groups, policy.as_ref()), crawler, usage, &target);
                    let apart = apart(&site, crawler, usage, &target);
                    assert_eq!(together, apart, "{usage:?} {path} {:?}\n{text}\n{pages:?}", crawler.names());
                    if let Groups::Scoped(of_fields) = groups {
                        scoped += 1;
                        let both = of_fields.with_fields(&site, crawler, &target, |fields| {
                            Some((fields.answer(usage, None), fields.answer_from_all_levels(usage)))
                        });
                        let (short, long) = both.unwrap();
                        assert_eq!(short, long, "{usage:?} {path} {:?}\n{text}\n{pages:?}", crawler.names());
                    }
                }
            }
        }
    }
    assert!(scoped > 20_000 && stated > 1_000, "{scoped} with fields, {stated} with statements");
}

/// Records that cannot be decoded permit nothing.
#[test]
fn damaged_records_are_damage() {
    let text = "User-agent: bot\nContent-Signal: search=no\nDisallow: /z\n";
    let options = Options::default();
    let document = compile_with(text.as_bytes(), &CompileContext::default(), &options);
    let entry = Entry::fetched(SiteKey::from_url("https://h/").unwrap(), &document);
    let whole = emit(vec![entry], &options).unwrap();
    let basis = |bytes: Vec<u8>| {
        let image = Image::from_bytes(bytes).unwrap();
        let crawler = image.crawler(["bot"]).named_only(true);
        let verdict = image.decide(&crawler, image.usage("search"), "https://h/a");
        (verdict.basis(), verdict.decision())
    };
    assert_eq!(basis(whole.clone()), (Basis::Preferences, Decision::Disallowed));
    let record = b"Content-Signal";
    let at = whole.windows(record.len()).position(|bytes| bytes == record).unwrap();
    let mut damaged = whole;
    damaged[at - 40..at].fill(0xff);
    assert_eq!(basis(damaged), (Basis::Damaged, Decision::Unknown));
}
