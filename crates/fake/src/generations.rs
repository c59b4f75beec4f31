//! A table of bounded size that keeps what is in use: two generations, of which the old one is forgotten as a whole.

use std::hash::Hash;

use indexmap::IndexMap;

/// Keys with values. A full generation becomes the old one, and the one that was old is forgotten.
#[derive(Clone, Debug)]
pub(crate) struct Generations<K, V> {
    young: IndexMap<K, V>,
    old: IndexMap<K, V>,
    /// Keys of one generation.
    keys_max: usize,
}

impl<K: Hash + Eq, V> Generations<K, V> {
    /// An empty table that keeps at least so many keys, and at most twice as many.
    pub(crate) fn new(keys_max: usize) -> Self {
        Self {
            young: IndexMap::new(),
            old: IndexMap::new(),
            keys_max,
        }
    }

    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        self.young.get(key).or_else(|| self.old.get(key))
    }

    pub(crate) fn has(&self, key: &K) -> bool {
        self.get(key).is_some()
    }

    /// Puts a key, and returns the generation that is forgotten for it (mostly an empty one).
    pub(crate) fn put(&mut self, key: K, value: V) -> IndexMap<K, V> {
        let is_full = self.young.len() >= self.keys_max && !self.young.contains_key(&key);
        let forgotten = if is_full {
            std::mem::replace(&mut self.old, std::mem::take(&mut self.young))
        } else {
            IndexMap::new()
        };
        self.young.insert(key, value);
        forgotten
    }

    pub(crate) fn remove(&mut self, key: &K) {
        self.young.swap_remove(key);
        self.old.swap_remove(key);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.young.is_empty() && self.old.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_keys_stay_and_the_table_is_bounded() {
        let mut table = Generations::new(10);
        let mut forgotten = 0;
        for key in 0..100 {
            forgotten += table.put(key, ()).len();
            assert!(table.young.len() + table.old.len() <= 20);
            let newest = (key - 9).max(0)..=key;
            assert!(newest.into_iter().all(|key| table.has(&key)), "{key}");
        }
        assert_eq!(forgotten + table.young.len() + table.old.len(), 100);
    }

    #[test]
    fn the_newest_value_of_a_key_counts() {
        let mut table = Generations::new(1);
        table.put("a", 1);
        table.put("b", 1);
        table.put("a", 2);
        assert_eq!((table.get(&"a"), table.get(&"b")), (Some(&2), Some(&1)));
        table.remove(&"a");
        assert!(!table.has(&"a"));
    }
}
