//! Counting with the real o200k tokenizer, with a bounded cache by content.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use bpe_openai::{Tokenizer, o200k_base};
use twox_hash::XxHash3_128;

/// Texts that the cache knows at most; a new one takes the place of an older one.
const PLACES: usize = 1 << 14;

static CACHE: LazyLock<Cache> = LazyLock::new(Cache::new);

/// Counts by content, each in the one place that its hash names. Nobody waits: an entry is two words that prove each
/// other, so one that was written by two at once is no entry.
struct Cache(Box<[Place]>);

#[derive(Default)]
struct Place {
    /// Count in the low half, a part of the hash in the high one.
    data: AtomicU64,
    /// The rest of the hash, mixed with `data`.
    proof: AtomicU64,
}

/// Where a text stands, and what its entry must say.
#[derive(Clone, Copy)]
struct Key {
    place: usize,
    high: u64,
    low: u64,
}

impl Key {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "each takes its own bits of the hash"
    )]
    fn of(text: &str) -> Self {
        let hash = XxHash3_128::oneshot(text.as_bytes());
        Self {
            place: (hash >> 64) as usize % PLACES,
            high: (hash >> 96) as u64,
            low: hash as u64,
        }
    }
}

impl Cache {
    fn new() -> Self {
        Self((0..PLACES).map(|_| Place::default()).collect())
    }

    #[expect(clippy::cast_possible_truncation, reason = "the count is the low half")]
    fn get(&self, key: Key) -> Option<u32> {
        let place = &self.0[key.place];
        let data = place.data.load(Ordering::Relaxed);
        let is_entry = place.proof.load(Ordering::Relaxed) ^ data == key.low && data >> 32 == key.high;
        is_entry.then_some(data as u32)
    }

    fn put(&self, key: Key, count: u32) {
        let place = &self.0[key.place];
        let data = key.high << 32 | u64::from(count);
        place.data.store(data, Ordering::Relaxed);
        place.proof.store(key.low ^ data, Ordering::Relaxed);
    }
}

/// Loads the tokenizer, which takes about 50 ms; without it the first request pays.
pub fn warm_up() {
    let _ = count("warm up");
}

/// Number of o200k tokens in `text`.
pub fn count(text: &str) -> u32 {
    if text.is_empty() {
        return 0;
    }
    let key = Key::of(text);
    CACHE.get(key).unwrap_or_else(|| {
        let count = count_uncached(text);
        CACHE.put(key, count);
        count
    })
}

fn count_uncached(text: &str) -> u32 {
    u32::try_from(o200k_base().count(text)).unwrap_or(u32::MAX)
}

/// The pieces that a stream sends one by one: one token each, joined where a token ends inside a character.
pub fn pieces(text: &str) -> Vec<&str> {
    let tokenizer: &Tokenizer = o200k_base();
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut end = 0;
    for token in tokenizer.encode(text) {
        end += tokenizer.bpe.token_len(token);
        if text.is_char_boundary(end) && end > start {
            pieces.extend(text.get(start..end));
            start = end;
        }
    }
    // o200k does not normalise, so the tokens cover the text; a rest would still be sent.
    pieces.extend(text.get(start..).filter(|rest| !rest.is_empty()));
    pieces
}

/// What the first `limit` tokens of a text hold, up to the last whole character.
pub fn prefix(text: &str, limit: usize) -> &str {
    let tokenizer: &Tokenizer = o200k_base();
    let mut end = 0;
    let mut whole = 0;
    for token in tokenizer.encode(text).into_iter().take(limit) {
        end += tokenizer.bpe.token_len(token);
        if text.is_char_boundary(end) {
            whole = end;
        }
    }
    text.get(..whole).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_those_of_the_captured_stream() {
        // `tests/facts/streaming.md` section 7, function call: the first delta of a JSON object.
        let text = r#"{"location":"San Francisco"}"#;
        assert_eq!(
            pieces(text),
            ["{\"", "location", "\":\"", "San", " Francisco", "\"}"]
        );
    }

    #[test]
    fn a_prefix_holds_whole_tokens() {
        let text = r#"{"location":"San Francisco"}"#;
        assert_eq!(prefix(text, 4), r#"{"location":"San"#);
        assert_eq!(prefix(text, 0), "");
        assert_eq!(prefix(text, 99), text);
    }

    #[test]
    fn pieces_of_any_text_join_to_it() {
        for text in ["", "Tea at 80 °C.", "👩‍👩‍👧 日本語 e\u{301}\u{200d}", "𝒳𝒴\u{10ffff}"]
        {
            assert_eq!(pieces(text).concat(), text);
        }
    }

    #[test]
    fn a_cached_count_is_the_count() {
        let text = "one two three four ".repeat(40);
        assert_eq!(count(&text), count_uncached(&text));
        assert_eq!(count(&text), count_uncached(&text));
        assert_eq!(count(""), 0);
    }

    #[test]
    fn an_entry_is_found_until_another_takes_its_place() {
        let cache = Cache::new();
        let (first, other) = (
            Key {
                place: 3,
                high: 5,
                low: 7,
            },
            Key {
                place: 3,
                high: 5,
                low: 8,
            },
        );
        assert_eq!(cache.get(first), None);
        cache.put(first, 41);
        assert_eq!((cache.get(first), cache.get(other)), (Some(41), None));
        cache.put(other, 42);
        assert_eq!((cache.get(first), cache.get(other)), (None, Some(42)));
        assert_eq!(cache.get(Key { high: 6, ..other }), None);
    }

    #[test]
    fn an_entry_of_two_writers_is_none() {
        let cache = Cache::new();
        let (one, two) = (
            Key {
                place: 0,
                high: 1,
                low: 10,
            },
            Key {
                place: 0,
                high: 1,
                low: 20,
            },
        );
        cache.put(one, 4);
        // Of the second, only one word has come.
        cache.0[0].data.store(two.high << 32 | 9, Ordering::Relaxed);
        assert_eq!((cache.get(one), cache.get(two)), (None, None));
    }

    proptest::proptest! {
        #[test]
        fn pieces_always_join_and_are_never_empty(text: String) {
            let pieces = pieces(&text);
            proptest::prop_assert_eq!(pieces.concat(), text.as_str());
            proptest::prop_assert!(pieces.iter().all(|piece| !piece.is_empty()));
        }
    }
}
