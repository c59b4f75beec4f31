//! Pieces of tokens and of reasoning text, so that any text can be scanned for them in one pass.
//!
//! Every secret is cut into blocks of twelve bytes. A text is read once with a window of twelve bytes; where a window
//! is a known block, the match is grown to both sides and counts when it is long enough. A stretch of 23 bytes holds a
//! whole block, so nothing of [`PIECE_MIN`] bytes is missed.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::item::ItemIx;

/// Shortest stretch of a token or of hidden reasoning that counts (`docs/architecture.md`, "what is not a finding").
pub(crate) const PIECE_MIN: usize = 24;

/// Longest stretch of a summary that an export may show: a summary is made to be displayed, a long one is not made to
/// be logged.
pub(crate) const SUMMARY_SHOWN_MAX: usize = 200;

/// Longest stretch of a summary that the text of a message may repeat: models quote themselves.
pub(crate) const SUMMARY_SAID_MAX: usize = 60;

const BLOCK: usize = 12;

/// How many secrets may share a block; more of them are common words.
const SHARED_MAX: usize = 4;

/// Words of the filter in front of the index.
const FILTER_WORDS: usize = 1 << 12;

/// What a piece was cut from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Secret {
    /// An opaque token.
    Token,
    /// Hidden reasoning in plain text.
    Thought,
    /// A summary.
    Summary,
}

impl Secret {
    fn length_min(self, summary_max: usize) -> usize {
        match self {
            Self::Token | Self::Thought => PIECE_MIN,
            Self::Summary => summary_max + 1,
        }
    }
}

#[derive(Debug)]
struct Source<Ix> {
    secret: Secret,
    item: Ix,
    text: Arc<[u8]>,
}

/// A stretch of a scanned text that is a stretch of a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hit<Ix> {
    pub(crate) secret: Secret,
    pub(crate) item: Ix,
    /// First byte in the scanned text.
    pub(crate) start: usize,
    /// Byte after the last one.
    pub(crate) end: usize,
}

/// All secrets, each with the place of its owner. They are cut only when a text comes that could hold one: most conversations never show such a text,
/// and cutting every token of every answer costs more than all rules together.
#[derive(Debug, Default)]
pub(crate) struct Pieces<Ix = ItemIx> {
    tokens: RefCell<Index<Ix>>,
    words: RefCell<Index<Ix>>,
}

impl<Ix: Copy> Pieces<Ix> {
    /// Adds a secret.
    pub(crate) fn add(&mut self, secret: Secret, item: Ix, text: impl Into<Arc<str>>) {
        let text = text.into();
        if text.len() < PIECE_MIN {
            return;
        }
        let index = match secret {
            Secret::Token => &mut self.tokens,
            Secret::Thought | Secret::Summary => &mut self.words,
        };
        let index = index.get_mut();
        index.holds_short |= secret != Secret::Summary;
        index.sources.push(Source {
            secret,
            item,
            text: text.into(),
        });
    }

    /// All stretches of secrets in this text, from left to right; of a summary only those longer than `summary_max`.
    pub(crate) fn scan(&self, text: &str, summary_max: usize) -> Vec<Hit<Ix>> {
        let mut hits = Vec::new();
        if holds_opaque_run(text) {
            hits.extend(self.tokens.borrow_mut().scan(text, summary_max));
        }
        if text.len() >= PIECE_MIN {
            hits.extend(self.words.borrow_mut().scan(text, summary_max));
        }
        hits.sort_by_key(|hit| hit.start);
        let mut end = 0;
        hits.retain(|hit| {
            let is_new = hit.start >= end;
            end = if is_new { hit.end } else { end };
            is_new
        });
        hits
    }
}

/// Whether a stretch of the text is long enough to be a piece of a token, and in its alphabet.
fn holds_opaque_run(text: &str) -> bool {
    let opaque = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_=+/".contains(byte);
    let mut runs = text.as_bytes().split(|byte| !opaque(byte));
    runs.any(|run| run.len() >= PIECE_MIN)
}

/// Secrets of one kind, by their blocks.
#[derive(Debug, Default)]
struct Index<Ix> {
    sources: Vec<Source<Ix>>,
    /// How many of the sources are cut.
    cut: usize,
    /// Whether one of them counts from [`PIECE_MIN`] on.
    holds_short: bool,
    blocks: BTreeMap<u128, Vec<(u32, u32)>>,
    filter: Vec<u64>,
}

impl<Ix: Copy> Index<Ix> {
    /// Cuts the sources that came since the last scan.
    fn catch_up(&mut self) {
        self.filter.resize(FILTER_WORDS, 0);
        for place in self.cut..self.sources.len() {
            let source = &self.sources[place];
            let (Ok(number), Ok(length)) = (u32::try_from(place), u32::try_from(source.text.len())) else {
                continue;
            };
            // The head of a token is its version and its second: other tokens share it.
            let first = if source.secret == Secret::Token { 12 } else { 0 };
            for offset in (first..length).step_by(BLOCK) {
                let start = offset as usize;
                let Some(block) = source.text.get(start..start + BLOCK) else {
                    break;
                };
                let key = block
                    .iter()
                    .fold(0_u128, |key, byte| key << 8 | u128::from(*byte));
                let sharing = self.blocks.entry(key).or_default();
                if sharing.len() < SHARED_MAX {
                    sharing.push((number, offset));
                }
                let (word, bit) = filter_place(key);
                self.filter[word] |= bit;
            }
        }
        self.cut = self.sources.len();
    }

    fn scan(&mut self, text: &str, summary_max: usize) -> Vec<Hit<Ix>> {
        if !self.could_show_in(text, summary_max) {
            return Vec::new();
        }
        self.catch_up();
        let bytes = text.as_bytes();
        let mut hits = Vec::new();
        let mut key = 0_u128;
        let mask = (1_u128 << (8 * BLOCK)) - 1;
        let mut resume = 0;
        for (index, byte) in bytes.iter().enumerate() {
            key = (key << 8 | u128::from(*byte)) & mask;
            let Some(start) = (index + 1).checked_sub(BLOCK) else {
                continue;
            };
            if start < resume || !self.may_hold(key) {
                continue;
            }
            if let Some(hit) = self.grow(bytes, start, key, summary_max) {
                resume = hit.end;
                hits.push(hit);
            }
        }
        hits
    }

    /// Whether the text is long enough to show a secret that there is.
    fn could_show_in(&self, text: &str, summary_max: usize) -> bool {
        let shortest = if self.holds_short {
            PIECE_MIN
        } else {
            summary_max + 1
        };
        !self.sources.is_empty() && text.len() >= shortest
    }

    fn may_hold(&self, key: u128) -> bool {
        let (word, bit) = filter_place(key);
        self.filter[word] & bit != 0
    }

    fn grow(&self, bytes: &[u8], start: usize, key: u128, summary_max: usize) -> Option<Hit<Ix>> {
        let grown = self.blocks.get(&key)?.iter().filter_map(|(source, offset)| {
            let source = &self.sources[*source as usize];
            let offset = *offset as usize;
            let before = common_suffix(&bytes[..start], &source.text[..offset]);
            let after = common_prefix(&bytes[start..], &source.text[offset..]);
            (before + after >= source.secret.length_min(summary_max)).then_some(Hit {
                secret: source.secret,
                item: source.item,
                start: start - before,
                end: start + after,
            })
        });
        grown.max_by_key(|hit| hit.end - hit.start)
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a filter uses some bits of the key"
)]
fn filter_place(key: u128) -> (usize, u64) {
    let mixed = (key ^ (key >> 47)) as u64;
    let mixed = mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 46;
    ((mixed >> 6) as usize % FILTER_WORDS, 1 << (mixed & 63))
}

fn common_prefix(left: &[u8], right: &[u8]) -> usize {
    left.iter().zip(right).take_while(|(a, b)| a == b).count()
}

fn common_suffix(left: &[u8], right: &[u8]) -> usize {
    let pairs = left.iter().rev().zip(right.iter().rev());
    pairs.take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "gAAAAABq_YbE7fJxuJOSD-2_t5h8BQdDTApUGQBo7rW5EfpeegaN3a0aMOafhn7_1oWtFg";

    fn hits(secret: Secret, secret_text: &str, text: &str) -> Vec<(usize, usize)> {
        let mut pieces = Pieces::default();
        pieces.add(secret, ItemIx(0), secret_text);
        pieces
            .scan(text, SUMMARY_SHOWN_MAX)
            .iter()
            .map(|hit| (hit.start, hit.end))
            .collect()
    }

    #[test]
    fn every_stretch_of_24_bytes_after_the_head_is_found() {
        for start in 12..TOKEN.len() - PIECE_MIN {
            let piece = &TOKEN[start..start + PIECE_MIN];
            let text = format!("x \"{piece}\" y");
            assert_eq!(
                hits(Secret::Token, TOKEN, &text),
                [(3, 3 + PIECE_MIN)],
                "from {start}"
            );
        }
    }

    #[test]
    fn a_shorter_stretch_and_the_head_alone_are_not_found() {
        assert_eq!(hits(Secret::Token, TOKEN, &TOKEN[20..43]), []);
        assert_eq!(
            hits(Secret::Token, TOKEN, "gAAAAABq_YbE and other text of the log"),
            []
        );
        assert_eq!(hits(Secret::Token, TOKEN, ""), []);
    }

    #[test]
    fn a_whole_token_is_one_hit() {
        let text = format!("{TOKEN} and again {TOKEN}");
        let length = TOKEN.len();
        assert_eq!(
            hits(Secret::Token, TOKEN, &text),
            [(0, length), (length + 11, 2 * length + 11)]
        );
    }

    #[test]
    fn a_summary_counts_from_the_stated_length_on() {
        let summary = (0..60)
            .map(|number| number.to_string())
            .collect::<Vec<_>>()
            .join("; step ");
        assert_eq!(hits(Secret::Summary, &summary, &summary[..SUMMARY_SHOWN_MAX]), []);
        let longer = &summary[..=SUMMARY_SHOWN_MAX];
        assert_eq!(
            hits(Secret::Summary, &summary, longer),
            [(0, SUMMARY_SHOWN_MAX + 1)]
        );
    }
}
