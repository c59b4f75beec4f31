//! What an interaction says about everything before the next one. It is sealed into the id of the interaction, so that
//! nobody has to keep it: a client that names the id continues it on any server of the seed.

use holdover_seal::{Fernet, Key};

/// Bytes of the last message of the user that are kept.
const ASKED_BYTES_MAX: usize = 240;
/// Bytes of the hash of an account.
const ACCOUNT_BYTES: usize = 16;
/// Blocks of a sealed state: room for the longest.
const BLOCKS: usize = 24;

/// The state of a conversation that its server keeps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Past {
    /// Recall nonce of the latest reasoning in it.
    pub recall: Option<u64>,
    /// Pieces of reasoning in it.
    pub thoughts: u32,
    /// Answers in it.
    pub turns: u32,
    /// Tokens of everything in it.
    pub tokens: u64,
    /// The last message of the user, or its head.
    pub asked: String,
}

/// Seals and opens the states of one account.
#[derive(Clone)]
pub(crate) struct Keeper {
    fernet: Fernet,
    /// The account as a hash: its name may have any length, and is nobody's business in an id.
    account: [u8; ACCOUNT_BYTES],
}

impl Keeper {
    pub(crate) fn new(seed: &Key, account: &str) -> Self {
        let hash = seed.purpose("interactions account", "").hash(account.as_bytes());
        let mut account = [0; ACCOUNT_BYTES];
        account.copy_from_slice(&hash[..ACCOUNT_BYTES]);
        Self {
            fernet: Fernet::new(&seed.purpose("interactions", "")),
            account,
        }
    }

    /// The id that holds a state; `salt` tells apart two interactions that are alike.
    pub(crate) fn id(&self, past: &Past, salt: &[u8], second: u64) -> String {
        let bytes = self.encode(past);
        let label = [bytes.as_slice(), salt].concat();
        format!("v1_{}", self.fernet.seal(bytes, &label, BLOCKS, second))
    }

    /// The state in an id; `None` for one that was made elsewhere or for another account.
    pub(crate) fn open(&self, id: &str) -> Option<Past> {
        self.decode(&self.fernet.open(id.strip_prefix("v1_")?).ok()?)
    }

    fn encode(&self, past: &Past) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(320);
        bytes.extend_from_slice(&past.recall.unwrap_or(0).to_le_bytes());
        bytes.extend_from_slice(&past.thoughts.to_le_bytes());
        bytes.extend_from_slice(&past.turns.to_le_bytes());
        bytes.extend_from_slice(&past.tokens.to_le_bytes());
        bytes.extend_from_slice(&self.account);
        let asked = head(&past.asked);
        bytes.push(u8::try_from(asked.len()).unwrap_or(u8::MAX));
        bytes.extend_from_slice(asked.as_bytes());
        bytes
    }

    fn decode(&self, bytes: &[u8]) -> Option<Past> {
        let (recall, rest) = bytes.split_first_chunk::<8>()?;
        let (thoughts, rest) = rest.split_first_chunk::<4>()?;
        let (turns, rest) = rest.split_first_chunk::<4>()?;
        let (tokens, rest) = rest.split_first_chunk::<8>()?;
        let (account, rest) = rest.split_first_chunk::<ACCOUNT_BYTES>()?;
        let (length, rest) = rest.split_first()?;
        let asked = rest.get(..usize::from(*length))?;
        let own = *account == self.account;
        own.then(|| Past {
            recall: Some(u64::from_le_bytes(*recall)).filter(|recall| *recall != 0),
            thoughts: u32::from_le_bytes(*thoughts),
            turns: u32::from_le_bytes(*turns),
            tokens: u64::from_le_bytes(*tokens),
            asked: String::from_utf8_lossy(asked).into_owned(),
        })
    }
}

/// As many whole letters of a text as are kept.
fn head(text: &str) -> &str {
    let ends = text.char_indices().map(|(at, letter)| at + letter.len_utf8());
    let end = ends.take_while(|end| *end <= ASKED_BYTES_MAX).last();
    &text[..end.unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keeper(account: &str) -> Keeper {
        Keeper::new(&Key::of_seed(7), account)
    }

    #[test]
    fn an_account_of_any_name_opens_its_own_ids_and_is_not_named_in_them() {
        let long = "org-".repeat(100);
        let past = Past {
            asked: "a".repeat(ASKED_BYTES_MAX),
            ..Past::default()
        };
        let id = keeper(&long).id(&past, b"1", 0);
        assert_eq!(keeper(&long).open(&id), Some(past.clone()));
        let other = format!("{}x", &long[..long.len() - 1]);
        assert_eq!(keeper(&other).open(&id), None);
        let state = keeper("org-secret").encode(&past);
        assert!(!String::from_utf8_lossy(&state).contains("org-secret"));
        // Whatever the name is, an id is as long as another.
        assert_eq!(id.len(), keeper("").id(&Past::default(), b"1", 0).len());
    }

    #[test]
    fn an_id_says_what_was_before_and_only_to_its_account() {
        let past = Past {
            recall: Some(7),
            thoughts: 2,
            turns: 3,
            tokens: 400,
            asked: "é".repeat(120),
        };
        let id = keeper("org").id(&past, b"1", 1_795_000_000);
        assert_eq!(keeper("org").open(&id), Some(past.clone()));
        assert_eq!(keeper("other").open(&id), None);
        assert_ne!(keeper("org").id(&past, b"2", 1_795_000_000), id);
        let long = Past {
            asked: "é".repeat(500),
            recall: None,
            ..past
        };
        let read = keeper("org")
            .open(&keeper("org").id(&long, b"", 0))
            .expect("a state");
        assert_eq!((read.asked, read.recall), ("é".repeat(120), None));
        for text in ["", "v1_", "v1_gAAA", "resp_1"] {
            assert_eq!(keeper("org").open(text), None, "{text}");
        }
    }
}
