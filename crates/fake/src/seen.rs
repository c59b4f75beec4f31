//! How often a session saw a request, in bounded memory.

use crate::config::AccountPlace;
use crate::derive::Fingerprint;
use crate::generations::Generations;

/// Different requests whose counts are remembered at least.
const REQUESTS_MIN: usize = 32_768;

/// Counts of requests. What is forgotten counts as seen as often as the most frequent request that ever was forgotten, so
/// a forgotten request that comes again gets new ids and not those of its first answer.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    counts: Generations<(AccountPlace, Fingerprint), u64>,
    /// What an unknown request counts from.
    floor: u64,
}

impl Default for Seen {
    fn default() -> Self {
        Self::new(REQUESTS_MIN)
    }
}

impl Seen {
    fn new(requests_min: usize) -> Self {
        Self {
            counts: Generations::new(requests_min),
            floor: 0,
        }
    }

    /// How often the request was seen before; now it was seen once more.
    pub(crate) fn count(&mut self, account: AccountPlace, fingerprint: Fingerprint) -> u64 {
        let key = (account, fingerprint);
        let before = self.counts.get(&key).copied().unwrap_or(self.floor);
        let forgotten = self.counts.put(key, before + 1);
        let highest = forgotten.into_values().max();
        self.floor = self.floor.max(highest.unwrap_or(0));
        before
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn request(number: u8) -> Fingerprint {
        Fingerprint([number; 32])
    }

    #[test]
    fn each_request_of_each_account_is_counted_alone() {
        let mut seen = Seen::default();
        let (one, other) = (AccountPlace(0), AccountPlace(1));
        assert_eq!(seen.count(one, request(1)), 0);
        assert_eq!(seen.count(one, request(1)), 1);
        assert_eq!(seen.count(one, request(2)), 0);
        assert_eq!(seen.count(other, request(1)), 0);
    }

    /// Ids derive from the count: no pair of request and count may come twice.
    #[test]
    fn no_count_comes_twice_although_requests_are_forgotten() {
        let mut seen = Seen::new(4);
        let mut all = BTreeSet::new();
        for round in 0..50_u8 {
            for number in 0..=round % 20 {
                let count = seen.count(AccountPlace(0), request(number));
                assert!(all.insert((number, count)), "{number} {count}");
            }
        }
    }
}
