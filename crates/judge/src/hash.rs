//! Content hashes for indexes; no promise to anybody.

use serde::Serialize;

/// A content hash: 128 bits of BLAKE3.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Hash(u128);

impl Hash {
    /// The hash of bytes.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self::take(&blake3::hash(bytes))
    }

    /// The hash of a value's compact JSON.
    pub(crate) fn of_json(value: &impl Serialize) -> Self {
        let mut hasher = blake3::Hasher::new();
        // Values here are parsed JSON; writing them into memory cannot fail.
        let _ = serde_json::to_writer(&mut hasher, value);
        Self::take(&hasher.finalize())
    }

    /// The hash of this one followed by another: links of a chain.
    pub(crate) fn then(self, next: Self) -> Self {
        let mut bytes = [0_u8; 32];
        bytes[..16].copy_from_slice(&self.0.to_le_bytes());
        bytes[16..].copy_from_slice(&next.0.to_le_bytes());
        Self::of(&bytes)
    }

    fn take(hash: &blake3::Hash) -> Self {
        let mut bytes = [0_u8; 16];
        bytes.copy_from_slice(&hash.as_bytes()[..16]);
        Self(u128::from_le_bytes(bytes))
    }
}
