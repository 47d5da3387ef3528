//! What was resolved for the words of a question, kept for the next one with the same words.
//!
//! `agents` keeps crawlers so, and `queries` crawlers with usages. Invariant: invented words do not
//! fill the memory. It does not know what is kept.

use crate::limits::{CACHED, CACHED_CRAWLER, CACHED_IN_ALL};
use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// See the head of this file.
pub(crate) struct Cache<K, V>(Mutex<Kept<K, V>>);

struct Kept<K, V> {
    values: HashMap<K, Arc<V>>,
    /// Bytes of all of them.
    bytes: usize,
}

impl<K, V> Default for Kept<K, V> {
    fn default() -> Kept<K, V> {
        Kept { values: HashMap::new(), bytes: 0 }
    }
}

impl<K, V> Default for Cache<K, V> {
    fn default() -> Cache<K, V> {
        Cache(Mutex::default())
    }
}

impl<K: Eq + Hash, V> Cache<K, V> {
    fn lock(&self) -> MutexGuard<'_, Kept<K, V>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is kept for a key.
    pub(crate) fn get<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<Arc<V>>
    where
        K: Borrow<Q>,
    {
        self.lock().values.get(key).cloned()
    }

    /// Keeps what was resolved for a key, and takes so many bytes with it, unless these are too
    /// many. If there is no room, all others go.
    pub(crate) fn keep(&self, key: K, bytes: usize, value: &Arc<V>) {
        if bytes > CACHED_CRAWLER {
            return;
        }
        let mut kept = self.lock();
        if kept.values.len() >= CACHED || kept.bytes + bytes > CACHED_IN_ALL {
            *kept = Kept::default();
        }
        if kept.values.insert(key, Arc::clone(value)).is_none() {
            kept.bytes += bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invented_names_do_not_fill_the_memory() {
        let (cache, value) = (Cache::default(), Arc::new(()));
        let most = |bytes: usize| {
            (0..3 * CACHED).for_each(|number| cache.keep(number.to_string(), bytes, &value));
            cache.lock().values.len()
        };
        assert_eq!(most(CACHED_CRAWLER + 1), 0);
        assert!(most(8) <= CACHED);
        assert!(most(CACHED_CRAWLER) <= CACHED_IN_ALL / CACHED_CRAWLER);
        cache.keep("a".to_owned(), 1, &value);
        assert!(cache.get("a").is_some() && cache.get("b").is_none());
    }
}
