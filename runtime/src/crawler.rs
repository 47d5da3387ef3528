//! Who asks and for what: names resolved once, so that a question compares numbers.

use robomaton_formats::policy::{self, CrawlerId, PolicyView};
use robomaton_formats::profile::AgentRule;
use robomaton_formats::read::View;

/// A crawler as one image knows it, made by [`crate::Image::crawler`]. With another image, answers are wrong.
#[derive(Clone, Debug)]
pub struct Crawler {
    /// Reduced names, best first.
    pub(crate) names: Vec<String>,
    /// Whether the image can answer for it: one that was narrowed to other crawlers cannot.
    pub(crate) held: bool,
    ids: Ids,
}

#[derive(Clone, Debug)]
enum Ids {
    /// The numbers of the names that the image has, best first.
    Whole(Vec<CrawlerId>),
    /// For each name, the ascending numbers of the values that contain it.
    Containing(Vec<Vec<CrawlerId>>),
}

impl Crawler {
    pub(crate) fn new(view: View<'_>, rule: AgentRule, names: Vec<String>) -> Crawler {
        let ids = match rule {
            AgentRule::Substring => {
                let contains = |name: &String| {
                    let holds = |id: &CrawlerId| {
                        let value = view.crawler(*id).unwrap_or_default();
                        !name.is_empty() && memchr::memmem::find(value, name.as_bytes()).is_some()
                    };
                    (0..view.crawlers() as CrawlerId).filter(holds).collect()
                };
                Ids::Containing(names.iter().map(contains).collect())
            }
            _ => Ids::Whole(names.iter().filter_map(|name| view.find_crawler(name.as_bytes())).collect()),
        };
        // The empty name, and `*`, ask for the default groups, which are always there.
        let narrowed = view.meta().map(|meta| meta.crawlers).unwrap_or_default();
        let kept = |name: &String| narrowed.iter().any(|kept| rule.reduce(kept) == *name);
        let held =
            narrowed.is_empty() || names.iter().all(|name| matches!(name.as_str(), "" | "*") || kept(name));
        Crawler { names, held, ids }
    }

    /// The names it was made of, as they are compared, best first.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The set word of this crawler in a policy (R5, R7; K9), or that no group answers for it. `None` when the policy
    /// is damaged.
    #[inline]
    pub(crate) fn set(&self, policy: &[u8]) -> Option<Option<u32>> {
        if let Some(word) = PolicyView::only_default(policy) {
            return Some(Some(word));
        }
        let policy = &PolicyView::read(policy)?;
        let own = match &self.ids {
            Ids::Whole(_) if policy.is_empty() => None,
            Ids::Whole(ids) => ids.iter().find_map(|&id| policy.find(id)),
            Ids::Containing(names) => names.iter().find_map(|ids| {
                let among =
                    |&index: &usize| policy.crawler(index).is_some_and(|id| ids.binary_search(&id).is_ok());
                (0..policy.len()).find(among)
            }),
        };
        match own {
            Some(index) => policy.set(index).map(Some),
            None if policy.has_default() => policy.default_set().map(Some),
            None => Some(None),
        }
    }
}

/// What a crawler wants to do with a URL: a usage, for a purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Usage {
    pub(crate) number: u16,
    pub(crate) purpose: u16,
}

impl Usage {
    /// Fetching.
    pub const CRAWL: Usage = Usage { number: policy::CRAWL, purpose: policy::NO_PURPOSE };
    /// Indexing.
    pub const INDEX: Usage = Usage { number: policy::INDEX, purpose: policy::NO_PURPOSE };
    /// A usage that no rule of the image speaks of.
    pub(crate) const UNSPOKEN: Usage = Usage { number: u16::MAX, purpose: policy::NO_PURPOSE };
}
