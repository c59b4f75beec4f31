//! Signatures: sealed as the tokens of the Responses API are, and bound to what their provider binds them to.

use holdover_profile::provider::{AccountScope, Endpoint};
use holdover_seal::{Fernet, Key};

use crate::past::{Keeper, Past};

/// What a signature holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Recall nonce of its reasoning.
    pub recall: u64,
    /// Which answer it came with.
    pub origin: u64,
    /// Its place among the reasoning of that answer.
    pub order: u16,
    /// Tokens of its reasoning, which a client that gets no text cannot count.
    pub tokens: u32,
    /// Hash of the visible text that it goes with.
    pub text: [u8; 8],
    /// Hash of everything before it but reasoning; zeros where nothing is bound to it.
    pub prefix: [u8; 8],
    /// Hash of the signature before it; zeros where there was none.
    pub previous: [u8; 8],
    /// The model.
    pub model: String,
    /// To whom it is bound: account, backend or resource.
    pub bound: String,
}

/// Signs and verifies under one seed, for one account.
#[derive(Clone)]
pub struct Signer {
    fernet: Fernet,
    hash: Key,
    account: String,
    region: String,
    keeper: Keeper,
}

impl Signer {
    /// The signer of an account in a region.
    pub fn new(seed: &Key, account: &str, region: &str) -> Self {
        let key = seed.purpose("signatures", "");
        Self {
            fernet: Fernet::new(&key),
            hash: key.purpose("hash", ""),
            account: account.to_owned(),
            region: region.to_owned(),
            keeper: Keeper::new(seed, account),
        }
    }

    /// The id of an interaction, in which its state is sealed; `salt` tells apart two that are alike.
    pub fn past_id(&self, past: &Past, salt: &[u8], second: u64) -> String {
        self.keeper.id(past, salt, second)
    }

    /// The state in the id of an interaction of this account.
    pub fn past_of(&self, id: &str) -> Option<Past> {
        self.keeper.open(id)
    }

    /// To whom signatures of an endpoint are bound.
    pub fn bound(&self, endpoint: &Endpoint) -> String {
        match endpoint.account_scope {
            AccountScope::None => String::new(),
            AccountScope::Account => self.account.clone(),
            AccountScope::Backend => endpoint.backend.as_ref().unwrap_or(&endpoint.name).clone(),
            AccountScope::Resource => self.region.clone(),
        }
    }

    /// A hash, for the texts of a stamp.
    pub fn hash(&self, bytes: &[u8]) -> [u8; 8] {
        let mut short = [0; 8];
        short.copy_from_slice(&self.hash.hash(bytes)[..8]);
        short
    }

    /// Signs.
    pub fn sign(&self, stamp: &Stamp, second: u64) -> String {
        let plain = encode(stamp);
        let label = plain.clone();
        self.fernet.seal(plain, &label, BLOCKS, second)
    }

    /// What a signature holds; `None` for one that was not made here, or not quite.
    pub fn open(&self, signature: &str) -> Option<Stamp> {
        decode(&self.fernet.open(signature).ok()?)
    }
}

/// Blocks of a signature: some 500 characters, the middle of what is seen.
const BLOCKS: usize = 20;

fn encode(stamp: &Stamp) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(96);
    bytes.extend_from_slice(&stamp.recall.to_le_bytes());
    bytes.extend_from_slice(&stamp.origin.to_le_bytes());
    bytes.extend_from_slice(&stamp.order.to_le_bytes());
    bytes.extend_from_slice(&stamp.tokens.to_le_bytes());
    bytes.extend_from_slice(&stamp.text);
    bytes.extend_from_slice(&stamp.prefix);
    bytes.extend_from_slice(&stamp.previous);
    for text in [&stamp.model, &stamp.bound] {
        let length = u8::try_from(text.len()).unwrap_or(u8::MAX);
        bytes.push(length);
        bytes.extend_from_slice(&text.as_bytes()[..usize::from(length)]);
    }
    bytes
}

fn decode(bytes: &[u8]) -> Option<Stamp> {
    let (recall, rest) = bytes.split_first_chunk::<8>()?;
    let (origin, rest) = rest.split_first_chunk::<8>()?;
    let (order, rest) = rest.split_first_chunk::<2>()?;
    let (tokens, rest) = rest.split_first_chunk::<4>()?;
    let (text, rest) = rest.split_first_chunk::<8>()?;
    let (prefix, rest) = rest.split_first_chunk::<8>()?;
    let (previous, mut rest) = rest.split_first_chunk::<8>()?;
    let mut word = || {
        let (length, after) = rest.split_first()?;
        let (word, after) = after.split_at_checked(usize::from(*length))?;
        rest = after;
        String::from_utf8(word.to_vec()).ok()
    };
    Some(Stamp {
        recall: u64::from_le_bytes(*recall),
        origin: u64::from_le_bytes(*origin),
        order: u16::from_le_bytes(*order),
        tokens: u32::from_le_bytes(*tokens),
        text: *text,
        prefix: *prefix,
        previous: *previous,
        model: word()?,
        bound: word()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_says_what_was_signed_and_nothing_else_opens() {
        let signer = Signer::new(&Key::of_seed(7), "org", "us");
        let stamp = Stamp {
            recall: 1,
            origin: 2,
            order: 1,
            tokens: 40,
            text: signer.hash(b"text"),
            prefix: signer.hash(b""),
            previous: signer.hash(b"before"),
            model: "claude-opus-5".to_owned(),
            bound: "org".to_owned(),
        };
        let signature = signer.sign(&stamp, 1_795_000_000);
        assert_eq!(signer.open(&signature), Some(stamp));
        let mut flipped = signature.clone();
        let letter = if flipped.remove(40) == 'A' { 'B' } else { 'A' };
        flipped.insert(40, letter);
        assert_eq!(signer.open(&flipped), None);
        assert_eq!(signer.open(""), None);
        let other = Signer::new(&Key::of_seed(8), "org", "us");
        assert_eq!(other.open(&signature), None);
    }
}
