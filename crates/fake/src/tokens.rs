//! Counting with the real o200k tokenizer, with a bounded cache by content.

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use bpe_openai::{Tokenizer, o200k_base};

/// Shorter texts are counted faster than they are looked up.
const CACHED_BYTES_MIN: usize = 96;

/// Entries of one generation of the cache; two generations are kept.
const GENERATION_ENTRIES: usize = 8_192;

/// Counts by content hash. A full generation becomes the old one, so that what is in use survives.
#[derive(Default)]
struct Cache {
    young: BTreeMap<[u8; 32], u32>,
    old: BTreeMap<[u8; 32], u32>,
}

static CACHE: LazyLock<Mutex<Cache>> = LazyLock::new(Mutex::default);

impl Cache {
    fn get(&mut self, key: &[u8; 32]) -> Option<u32> {
        if let Some(count) = self.young.get(key) {
            return Some(*count);
        }
        let count = *self.old.get(key)?;
        self.put(*key, count);
        Some(count)
    }

    fn put(&mut self, key: [u8; 32], count: u32) {
        if self.young.len() >= GENERATION_ENTRIES {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, count);
    }
}

fn with_cache<T>(work: impl FnOnce(&mut Cache) -> T) -> T {
    // A panic cannot leave a wrong count behind: an entry is written whole.
    work(&mut CACHE.lock().unwrap_or_else(PoisonError::into_inner))
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
    if text.len() < CACHED_BYTES_MIN {
        return count_uncached(text);
    }
    let key = *blake3::hash(text.as_bytes()).as_bytes();
    if let Some(count) = with_cache(|cache| cache.get(&key)) {
        return count;
    }
    let count = count_uncached(text);
    with_cache(|cache| cache.put(key, count));
    count
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
    fn the_cache_is_bounded() {
        let mut cache = Cache::default();
        for number in 0..(3 * GENERATION_ENTRIES as u64) {
            let mut key = [0; 32];
            key[..8].copy_from_slice(&number.to_le_bytes());
            cache.put(key, 1);
        }
        assert!(cache.young.len() + cache.old.len() <= 2 * GENERATION_ENTRIES);
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
