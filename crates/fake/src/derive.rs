//! Everything that looks random: derived from the seed, the world, the request's fingerprint and how often it was seen.

use std::fmt;

pub(crate) use holdover_seal::{Key, hex, push_base62, push_hex};
use holdover_wire::id::EPOCH;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// Hash of what a request asks for, without its volatile members.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(pub(crate) [u8; 32]);

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fingerprint(")?;
        self.0[..8].iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        f.write_str("…)")
    }
}

impl Fingerprint {
    /// Lower-case hex digits: a key for a shell that counts elsewhere.
    pub fn hex(&self) -> String {
        hex(&self.0)
    }
}

/// When a request comes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// How often the session saw its fingerprint before: 0 for the first time.
    pub occurrence: u64,
    /// What time it is.
    pub time: Time,
}

/// Where the seconds of objects, ids and tokens come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Time {
    /// From the request: one more than the latest that it carries.
    #[default]
    Virtual,
    /// From a clock: this Unix second. A second before the epoch of virtual time counts as that epoch.
    Wall(u64),
}

impl Time {
    /// The tick of a response whose context has this highest tick.
    pub(crate) fn tick(self, highest: Option<u32>) -> u32 {
        match self {
            Self::Virtual => highest.map_or(0, |tick| tick.saturating_add(1)),
            Self::Wall(second) => u32::try_from(second.saturating_sub(EPOCH)).unwrap_or(u32::MAX),
        }
    }
}

/// What one request may draw. Each purpose has its own place or stream, so that a new draw in one place moves nothing
/// elsewhere.
#[derive(Clone)]
pub(crate) struct Draw {
    seed: [u8; 32],
    words: [u8; 96],
}

/// Purposes of draws that are one or two words long.
#[derive(Clone, Copy)]
pub(crate) enum Purpose {
    /// Partition key of a new chain.
    Partition,
    /// Response nonce.
    Nonce,
    /// `openai-processing-ms`.
    Processing,
    /// Number of reasoning tokens.
    Effort,
    /// `x-request-id`, 16 bytes.
    RequestId,
    /// Id of a conversation, 24 bytes.
    Conversation,
}

impl Purpose {
    /// First byte of its place.
    fn start(self) -> usize {
        match self {
            Self::Partition => 0,
            Self::Nonce => 8,
            Self::Processing => 16,
            Self::Effort => 24,
            Self::RequestId => 32,
            Self::Conversation => 48,
        }
    }
}

/// Purposes of draws of any length.
#[derive(Clone, Copy)]
pub(crate) enum Flow {
    /// `obfuscation` of deltas.
    Obfuscation,
    /// `call_id` of the output item at this index.
    CallId(u16),
}

impl Flow {
    fn stream(self) -> u64 {
        match self {
            Self::Obfuscation => 0,
            Self::CallId(index) => 1 << 16 | u64::from(index),
        }
    }
}

impl Draw {
    /// What a request with this fingerprint may draw in a world.
    pub(crate) fn new(world: &Key, fingerprint: Fingerprint, moment: Moment) -> Self {
        let mut hasher = blake3::Hasher::new_keyed(world.bytes());
        hasher.update(&fingerprint.0);
        hasher.update(&moment.occurrence.to_le_bytes());
        let mut draw = Self {
            seed: [0; 32],
            words: [0; 96],
        };
        let mut output = hasher.finalize_xof();
        output.fill(&mut draw.seed);
        output.fill(&mut draw.words);
        draw
    }

    /// A stream of any length.
    pub(crate) fn stream(&self, flow: Flow) -> ChaCha8Rng {
        let mut stream = ChaCha8Rng::from_seed(self.seed);
        stream.set_stream(flow.stream());
        stream
    }

    /// One number.
    pub(crate) fn number(&self, purpose: Purpose) -> u64 {
        let start = purpose.start();
        let mut word = [0; 8];
        word.copy_from_slice(&self.words[start..start + 8]);
        u64::from_le_bytes(word)
    }

    /// `call_` and 24 digits of base 62 (`tests/facts/items.md`, Ids).
    pub(crate) fn call_id(&self, index: u16) -> String {
        let mut id = String::with_capacity(29);
        id.push_str("call_");
        push_base62(&mut self.stream(Flow::CallId(index)), 24, &mut id);
        id
    }

    /// Lower-case hex digits, two for each byte.
    pub(crate) fn hex(&self, purpose: Purpose, bytes: usize) -> String {
        let start = purpose.start();
        hex(&self.words[start..start + bytes])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(occurrence: u64) -> Draw {
        let world = Key::of_seed(7).purpose("world", "default");
        let moment = Moment {
            occurrence,
            time: Time::Virtual,
        };
        Draw::new(&world, Fingerprint([3; 32]), moment)
    }

    #[test]
    fn call_ids_have_the_captured_shape() {
        let id = draw(0).call_id(1);
        assert_eq!(id.len(), "call_AB6AaRZ1FYZB2RwS6A5vbdqn".len());
        assert!(id.starts_with("call_") && id[5..].bytes().all(|b| b.is_ascii_alphanumeric()));
        assert_ne!(id, draw(0).call_id(2));
        assert_ne!(id, draw(1).call_id(1));
        assert_eq!(id, draw(0).call_id(1));
    }

    #[test]
    fn hex_is_lower_case_and_whole() {
        assert_eq!(hex(&[0, 0xAB, 0xFF]), "00abff");
        assert_eq!(draw(0).hex(Purpose::RequestId, 16).len(), 32);
    }

    #[test]
    fn worlds_and_seeds_differ() {
        let other = Key::of_seed(7).purpose("world", "other");
        let same = Draw::new(&other, Fingerprint([3; 32]), Moment::default());
        assert_ne!(same.number(Purpose::Nonce), draw(0).number(Purpose::Nonce));
        assert_ne!(Key::of_seed(7).bytes(), Key::of_seed(8).bytes());
    }
}
