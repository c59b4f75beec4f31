//! Stand-ins of words: letter for letter of the same kind, each letter by what stands before it, so that a word cut
//! short is the beginning of the stand-in.

use std::collections::BTreeMap;

/// What stands before the underscore of an id.
const PREFIXES: [&str; 34] = [
    "rs", "msg", "fc", "fco", "ctc", "ctco", "resp", "conv", "cmp", "call", "ws", "fs", "ci", "ig", "mcp",
    "mcpl", "mcpr", "mcpa", "sh", "lsh", "ap", "apc", "cu", "cuo", "tsc", "prog", "item", "req", "srv",
    "toolu", "chatcmpl", "batch", "file", "enc",
];

/// Hexadecimal digits at the end of an id, by which it is known.
pub(super) const TAIL_CHARS: usize = 24;
/// Digits of the present grammar: partition, flag, second, tail (`tests/facts/items.md`, Ids).
const SERVER_ID_CHARS: usize = 50;
const PARTITION_CHARS: usize = 16;
/// From this length on a run of hexadecimal digits stays one.
const HEX_CHARS_MIN: usize = 8;

/// Whether a word is the prefix of an id.
pub(super) fn is_prefix(word: &str) -> bool {
    PREFIXES.contains(&word)
}

/// The word that `text` begins with; empty where it begins with something else.
pub(super) fn run(text: &str) -> &str {
    let is_word = |c: char| c.is_ascii_alphanumeric() || !c.is_ascii();
    let end = text.find(|c: char| !is_word(c)).unwrap_or(text.len());
    &text[..end]
}

/// Stand-ins by word.
pub(super) struct Words {
    key: [u8; 32],
    known: BTreeMap<String, String>,
}

impl Words {
    pub(super) fn new(key: [u8; 32]) -> Self {
        Self {
            key,
            known: BTreeMap::new(),
        }
    }

    /// The stand-in of a word; it takes as many bytes.
    pub(super) fn stand_in(&mut self, word: &str) -> &str {
        if !self.known.contains_key(word) {
            let stand_in = self.make(word);
            self.known.insert(word.to_owned(), stand_in);
        }
        self.known.get(word).map_or("", String::as_str)
    }

    fn make(&self, word: &str) -> String {
        let is_hex = word
            .bytes()
            .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        let has_letter = word.bytes().any(|b| b.is_ascii_alphabetic());
        if is_hex && (has_letter || word.len() >= TAIL_CHARS) && word.len() >= HEX_CHARS_MIN {
            return self.hex(word);
        }
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        word.chars()
            .enumerate()
            .map(|(at, c)| other(c, &mut hasher, at == 0))
            .collect()
    }

    fn hex(&self, word: &str) -> String {
        if word.len() < TAIL_CHARS {
            return self.digits(word, b"short");
        }
        let (head, tail) = word.split_at(word.len() - TAIL_CHARS);
        let head = if word.len() == SERVER_ID_CHARS {
            // What the server says of the object in between is no secret.
            let (partition, said) = head.split_at(PARTITION_CHARS);
            self.digits(partition, b"partition") + said
        } else {
            self.digits(head, b"short")
        };
        head + &self.digits(tail, b"tail")
    }

    /// Hexadecimal digits, each by those before it.
    fn digits(&self, digits: &str, purpose: &[u8]) -> String {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher.update(purpose);
        let digit = |c: char| {
            let value = c.to_digit(16).unwrap_or(0);
            let shift = u32::from(hasher.finalize().as_bytes()[0]);
            hasher.update(&[b'0', u8::try_from(value).unwrap_or(0)]);
            char::from_digit((value + shift) % 16, 16).unwrap_or('0')
        };
        digits.chars().map(digit).collect()
    }
}

/// Another character of the same kind and size, by what was hashed before it.
fn other(c: char, hasher: &mut blake3::Hasher, is_first: bool) -> char {
    let hash = hasher.finalize();
    let shift = u32::from_le_bytes([hash.as_bytes()[0], hash.as_bytes()[1], hash.as_bytes()[2], 0]);
    hasher.update(c.encode_utf8(&mut [0; 4]).as_bytes());
    let (first, count) = match c {
        // A number stays one: it has no leading zero that it did not have.
        '0' if is_first => return '0',
        '1'..='9' if is_first => ('1', 9),
        '0'..='9' => ('0', 10),
        'a'..='z' => ('a', 26),
        'A'..='Z' => ('A', 26),
        '\u{80}'..='\u{7ff}' => ('\u{430}', 32),
        '\u{800}'..='\u{ffff}' => ('\u{4e00}', 20_000),
        _ => ('\u{20000}', 40_000),
    };
    let place = (c as u32).wrapping_sub(first as u32) % count;
    char::from_u32(first as u32 + (place + shift) % count).unwrap_or(first)
}
