//! Keys by purpose, and digits that look random.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Digits of base 62 in the order of ASCII.
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A key of one purpose.
#[derive(Clone, Copy)]
pub struct Key([u8; 32]);

impl Key {
    /// The key of a seed, from which all others come.
    pub fn of_seed(seed: u64) -> Self {
        Self(blake3::derive_key("holdover fake 1 seed", &seed.to_le_bytes()))
    }

    /// The key of a purpose, and of a name within it.
    #[must_use]
    pub fn purpose(&self, purpose: &str, name: &str) -> Self {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        hasher.update(purpose.as_bytes());
        hasher.update(&[0]);
        hasher.update(name.as_bytes());
        Self(*hasher.finalize().as_bytes())
    }

    /// Hash of some bytes under this key.
    pub fn hash(&self, bytes: &[u8]) -> [u8; 32] {
        *blake3::keyed_hash(&self.0, bytes).as_bytes()
    }

    /// A stream of what looks random, for these bytes.
    pub fn stream(&self, bytes: &[u8]) -> ChaCha8Rng {
        ChaCha8Rng::from_seed(self.hash(bytes))
    }

    /// The bytes of the key.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Appends digits of base 62. Six bits are drawn for each, and the two values without a digit are drawn again.
pub fn push_base62(stream: &mut ChaCha8Rng, digits: usize, out: &mut String) {
    let mut bits = 0_u64;
    let mut left = 0_u32;
    let mut written = 0;
    while written < digits {
        if left == 0 {
            bits = stream.next_u64();
            left = 10;
        }
        let value = (bits & 63) as usize;
        bits >>= 6;
        left -= 1;
        if let Some(digit) = BASE62.get(value) {
            out.push(char::from(*digit));
            written += 1;
        }
    }
}

/// Lower-case hex digits.
pub fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    push_hex(bytes, &mut text);
    text
}

/// Appends lower-case hex digits.
pub fn push_hex(bytes: &[u8], out: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for byte in bytes {
        out.push(char::from(DIGITS[usize::from(byte >> 4)]));
        out.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_is_lower_case_and_whole() {
        assert_eq!(hex(&[0, 0xAB, 0xFF]), "00abff");
    }

    #[test]
    fn seeds_and_purposes_differ() {
        assert_ne!(Key::of_seed(7).bytes(), Key::of_seed(8).bytes());
        let key = Key::of_seed(7);
        assert_ne!(key.purpose("a", "b").bytes(), key.purpose("ab", "").bytes());
    }

    #[test]
    fn digits_of_base_62_are_letters_and_digits() {
        let mut text = String::new();
        push_base62(&mut Key::of_seed(7).stream(b"x"), 100, &mut text);
        assert_eq!(text.len(), 100);
        assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    }
}
