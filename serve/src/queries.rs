//! The crawlers and usages that questions to a store name, resolved and cached.
//!
//! `answers` and `frontier` ask with them. Invariant: a cached crawler passed every check that its
//! names can fail. It does not know how an answer is written.

use crate::cache::Cache;
use crate::error::Refusal;
use crate::parameters::{Parameters, USAGE, check_query};
use robomaton_explain::{InputQuestion, Names, QuestionJson, check_usage, names};
use robomaton_runtime::{Image, Profile};
use robomaton_store::{Manners, Query, Snapshot, Store};
use std::sync::Arc;

/// A crawler and a usage with its purpose, as a question names them.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct QueryKey {
    /// Best first.
    names: Vec<String>,
    usage: String,
    purpose: Option<String>,
    named_only: bool,
}

impl QueryKey {
    /// The names, usage and purpose of a query string.
    pub(crate) fn of(parameters: &Parameters<'_>) -> QueryKey {
        let names: Vec<&str> = match parameters.agents.as_slice() {
            [] => vec!["*"],
            all => all.iter().flat_map(|given| names(given)).collect(),
        };
        QueryKey {
            names: names.into_iter().map(str::to_owned).collect(),
            usage: parameters.usage().to_owned(),
            purpose: parameters.purpose.as_deref().map(str::to_owned),
            named_only: parameters.named_only(),
        }
    }

    /// The words of a question of a batch.
    pub(crate) fn of_input(input: &InputQuestion<'_>) -> QueryKey {
        let names: Vec<String> = match &input.agent {
            None => vec!["*".to_owned()],
            // As on a command line, one string may be a list of names.
            Some(Names::One(given)) => names(given).into_iter().map(str::to_owned).collect(),
            Some(Names::Several(given)) => given.clone(),
        };
        QueryKey {
            names,
            usage: input.usage.as_deref().unwrap_or(USAGE).to_owned(),
            purpose: input.purpose.clone(),
            named_only: input.named_only,
        }
    }
}

/// A crawler and a usage, resolved.
pub(crate) struct CachedQuery {
    pub(crate) key: QueryKey,
    /// The names as answers show them.
    names: String,
    pub(crate) query: Query,
}

impl CachedQuery {
    /// How the site of a URL wants to be visited.
    pub(crate) fn manners(&self, snapshot: &Snapshot, url: &str) -> Manners {
        snapshot.manners(&self.query, url)
    }

    pub(crate) fn echo<'a>(&'a self, url: &'a str) -> QuestionJson<'a> {
        let QueryKey { usage, purpose, .. } = &self.key;
        QuestionJson { url, agent: &self.names, usage, purpose: purpose.as_deref() }
    }
}

/// The crawlers and usages that questions name. The store resolves them again when its layers
/// change.
pub(crate) struct Queries {
    /// An image without sites: it has the usages that every image knows.
    empty: Image<Vec<u8>>,
    cache: Cache<QueryKey, CachedQuery>,
}

impl Queries {
    /// `empty` is an image without sites.
    pub(crate) fn new(empty: Image<Vec<u8>>) -> Queries {
        Queries { empty, cache: Cache::default() }
    }

    /// The profile that the captures are compiled under.
    pub(crate) fn profile(&self) -> Profile {
        self.empty.profile()
    }

    /// The crawler of a query string.
    ///
    /// # Errors
    /// If a name is that of no crawler, or too long.
    pub(crate) fn of_crawler(
        &self,
        store: &Store,
        parameters: &Parameters<'_>,
    ) -> Result<Arc<CachedQuery>, Refusal> {
        self.get(store, QueryKey::of(parameters))
    }

    /// A crawler and a usage.
    ///
    /// # Errors
    /// If a name is that of no crawler, the usage is unknown, or a word is too long.
    pub(crate) fn get(&self, store: &Store, key: QueryKey) -> Result<Arc<CachedQuery>, Refusal> {
        if let Some(resolved) = self.cache.get(&key) {
            return Ok(resolved);
        }
        let QueryKey { names, usage, purpose, named_only } = &key;
        check_query(names.iter().map(String::as_str), usage, purpose.as_deref(), self.empty.profile())?;
        if let Err(unknown) = check_usage(&self.empty, usage)
            && !store.snapshot().has_usage(usage)
        {
            return Err(Refusal::bad(unknown.to_string()));
        }
        let shown = names.join(",");
        let mut query = store.query(names.clone(), usage).named_only(*named_only);
        if let Some(purpose) = purpose {
            query = query.for_purpose(purpose.clone());
        }
        let resolved = Arc::new(CachedQuery { key, names: shown, query });
        self.cache.keep(resolved.key.clone(), resolved.query.memory(), &resolved);
        Ok(resolved)
    }
}
