//! Ids of the server, and what can be told from an id alone (`docs/architecture.md`, "Encrypted content and ids").
//!
//! The 24-hex tail is a keyed permutation of 96 bits: response nonce (64), index (16), index of the group's head (16).
//! The low 16 bits of a nonce are a check, so an id that another server made is told apart; they differ by the number of
//! the account that made it.

use aes::Aes128;
use aes::cipher::{Array, BlockCipherEncrypt, KeyInit};
use holdover_wire::ServerId;
use holdover_wire::id::{EPOCH, Persistence};

use crate::config::{AccountPlace, IdShape};
use crate::derive::{Key, push_hex};

const ROUNDS: u8 = 6;
const NO_HEAD: u16 = u16::MAX;
const RESPONSE_INDEX: u16 = u16::MAX;
const INPUT_BIT: u16 = 0x8000;
const TENANT_PREFIX: &str = "rs_tenantA_trace";

/// What distinguishes one response from every other: 48 bits that are drawn and 16 that check them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Nonce(u64);

/// Where in a response an object stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// The response itself.
    Response,
    /// An item of the input that the server named: a message of a stored response or conversation.
    Input(u32),
    /// An item of the output.
    Output {
        /// Index in `output`.
        index: u16,
        /// Index of the reasoning item that heads its group; its own index for that item.
        head: Option<u16>,
    },
}

impl Place {
    fn numbers(self) -> (u16, u16) {
        match self {
            Self::Response => (RESPONSE_INDEX, NO_HEAD),
            Self::Input(index) => {
                // An input may hold more items than 15 bits count: the field of the head has the rest.
                let [.., high, low] = index.to_be_bytes();
                let rest = u16::try_from(index >> 15).unwrap_or(NO_HEAD - 1);
                (INPUT_BIT | u16::from_be_bytes([high, low]), rest)
            }
            Self::Output { index, head } => (index & !INPUT_BIT, head.unwrap_or(NO_HEAD)),
        }
    }

    fn of_numbers(index: u16, head: u16) -> Option<Self> {
        match (index, head) {
            (RESPONSE_INDEX, NO_HEAD) => Some(Self::Response),
            (index, NO_HEAD) if index & INPUT_BIT != 0 => None,
            (index, rest) if index & INPUT_BIT != 0 => Some(Self::Input(
                (u32::from(rest) << 15) | u32::from(index & !INPUT_BIT),
            )),
            (index, NO_HEAD) => Some(Self::Output { index, head: None }),
            (index, head) if head <= index => Some(Self::Output {
                index,
                head: Some(head),
            }),
            _ => None,
        }
    }

    /// Seconds after the response's own.
    fn seconds_after_response(self) -> u32 {
        match self {
            Self::Response | Self::Input(_) => 0,
            Self::Output { index, .. } => u32::from(index),
        }
    }
}

/// What all ids of one response share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stem {
    /// Shared along a chain.
    pub(crate) partition: u64,
    /// Whether the server keeps the objects.
    pub(crate) persistence: Persistence,
    /// Virtual tick of the response.
    pub(crate) tick: u32,
    /// Of the response.
    pub(crate) nonce: Nonce,
}

impl Stem {
    /// Unix second of the response.
    pub(crate) fn second(&self) -> u64 {
        EPOCH + u64::from(self.tick)
    }
}

/// An id that this fake, or another one of its seed, made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Issued {
    /// What stands before the digits.
    pub(crate) prefix: String,
    /// What it shares with its response.
    pub(crate) stem: Stem,
    /// Where in the response it stands.
    pub(crate) place: Place,
    /// The account that it was made for.
    pub(crate) account: AccountPlace,
}

impl Issued {
    /// Virtual tick of the object itself.
    pub(crate) fn tick(&self) -> u32 {
        self.stem.tick + self.place.seconds_after_response()
    }

    /// Index of the reasoning item that an item of the output needs before it; `None` for the head itself.
    pub(crate) fn head(&self) -> Option<u16> {
        match self.place {
            Place::Output { index, head } => head.filter(|head| *head != index),
            Place::Response | Place::Input(_) => None,
        }
    }

    /// Index in `output`.
    pub(crate) fn output_index(&self) -> Option<u16> {
        match self.place {
            Place::Output { index, .. } => Some(index),
            Place::Response | Place::Input(_) => None,
        }
    }

    /// Whether both are items of one output.
    pub(crate) fn shares_response(&self, other: &Self) -> bool {
        self.stem.nonce == other.stem.nonce
    }
}

/// Makes ids and reads them.
#[derive(Clone)]
pub(crate) struct Ids {
    cipher: Aes128,
    check: Key,
    shape: IdShape,
    /// The account whose ids are made.
    account: u16,
    /// How many accounts there are.
    accounts: u16,
}

impl Ids {
    /// Ids of a seed.
    pub(crate) fn new(seed: &Key, shape: IdShape) -> Self {
        let key = seed.purpose("ids", "");
        let mut half = [0; 16];
        half.copy_from_slice(&key.bytes()[..16]);
        Self {
            cipher: Aes128::new(&Array::from(half)),
            check: key,
            shape,
            account: 0,
            accounts: 1,
        }
    }

    /// The ids of one of several accounts: each tells the ids of the others from those of another server.
    pub(crate) fn of_account(self, place: AccountPlace, accounts: usize) -> Self {
        Self {
            account: u16::try_from(place.0).unwrap_or(0),
            accounts: u16::try_from(accounts).unwrap_or(1),
            ..self
        }
    }

    /// The nonce of drawn bits.
    pub(crate) fn nonce(&self, drawn: u64) -> Nonce {
        let head = drawn & !0xFFFF;
        Nonce(head | u64::from(self.check_of(head) ^ self.account))
    }

    fn check_of(&self, head: u64) -> u16 {
        let [.., high, low] = self.encrypt(ROUNDS, head >> 16).to_be_bytes();
        u16::from_be_bytes([high, low])
    }

    /// The id of an object, in the grammar of [`ServerId`] (written here without its formatter, which costs more than
    /// the permutation).
    pub(crate) fn id(&self, prefix: &str, stem: &Stem, place: Place) -> String {
        let mut id = String::with_capacity(prefix.len() + 51);
        id.push_str(prefix);
        id.push('_');
        push_hex(&stem.partition.to_be_bytes(), &mut id);
        id.push_str(stem.persistence.flag());
        push_hex(&second(stem, place).to_be_bytes(), &mut id);
        push_hex(&self.permute(stem.nonce, place), &mut id);
        id
    }

    /// The prefix of reasoning items.
    pub(crate) fn reasoning_prefix(&self) -> &'static str {
        match self.shape {
            IdShape::Standard => "rs",
            IdShape::Tenant => TENANT_PREFIX,
        }
    }

    /// The id taken apart; `None` when no fake of this seed made it.
    pub(crate) fn read(&self, text: &str) -> Option<Issued> {
        let id = ServerId::parse(text)?;
        let (nonce, place, account) = self.restore(id.tail)?;
        let tick = u32::try_from(id.tick()?)
            .ok()?
            .checked_sub(place.seconds_after_response())?;
        let stem = Stem {
            partition: id.partition,
            persistence: id.persistence,
            tick,
            nonce,
        };
        Some(Issued {
            prefix: id.prefix,
            stem,
            place,
            account,
        })
    }

    /// Id of the response to which an id belongs.
    pub(crate) fn response_of(&self, id: &Issued) -> String {
        self.id("resp", &id.stem, Place::Response)
    }

    /// Id of the reasoning item that heads the group of an output item.
    pub(crate) fn head_of(&self, id: &Issued) -> Option<String> {
        let head = id.head()?;
        let place = Place::Output {
            index: head,
            head: Some(head),
        };
        Some(self.id(self.reasoning_prefix(), &id.stem, place))
    }

    fn permute(&self, nonce: Nonce, place: Place) -> [u8; 12] {
        let (index, head) = place.numbers();
        let mut tail = [0; 12];
        tail[..8].copy_from_slice(&nonce.0.to_be_bytes());
        tail[8..10].copy_from_slice(&index.to_be_bytes());
        tail[10..].copy_from_slice(&head.to_be_bytes());
        let (mut left, mut right) = halves(&tail);
        for round in 0..ROUNDS {
            (left, right) = (right, left ^ self.encrypt(round, right));
        }
        joined(left, right)
    }

    fn restore(&self, tail: [u8; 12]) -> Option<(Nonce, Place, AccountPlace)> {
        let (mut left, mut right) = halves(&tail);
        for round in (0..ROUNDS).rev() {
            (left, right) = (right ^ self.encrypt(round, left), left);
        }
        let tail = joined(left, right);
        let (nonce, rest) = tail.split_first_chunk::<8>()?;
        let (index, head) = rest.split_first_chunk::<2>()?;
        let head = head.first_chunk::<2>()?;
        let nonce = u64::from_be_bytes(*nonce);
        let [.., high, low] = nonce.to_be_bytes();
        let account = self.check_of(nonce & !0xFFFF) ^ u16::from_be_bytes([high, low]);
        let place = Place::of_numbers(u16::from_be_bytes(*index), u16::from_be_bytes(*head))?;
        let is_ours = account < self.accounts;
        is_ours.then(|| (Nonce(nonce), place, AccountPlace(usize::from(account))))
    }

    /// 48 bits of a block: the round function.
    fn encrypt(&self, round: u8, half: u64) -> u64 {
        let mut block = [0; 16];
        block[0] = round;
        block[8..].copy_from_slice(&half.to_be_bytes());
        let mut block = Array::from(block);
        self.cipher.encrypt_block(&mut block);
        let mut word = [0; 8];
        word[2..].copy_from_slice(&block[..6]);
        u64::from_be_bytes(word)
    }

    /// What only the server can tell of a reasoning item: the answer to `holdover:recall`.
    pub(crate) fn recall(&self, nonce: Nonce, index: u16) -> Recall {
        let mut bytes = [0; 10];
        bytes[..8].copy_from_slice(&nonce.0.to_le_bytes());
        bytes[8..].copy_from_slice(&index.to_le_bytes());
        let hash = self.check.hash(&bytes);
        let mut word = [0; 8];
        word.copy_from_slice(&hash[..8]);
        Recall(u64::from_le_bytes(word))
    }
}

/// Unix second of an object.
fn second(stem: &Stem, place: Place) -> u32 {
    let second = stem.second() + u64::from(place.seconds_after_response());
    u32::try_from(second).unwrap_or(u32::MAX)
}

/// 96 bits as two halves of 48.
fn halves(tail: &[u8; 12]) -> (u64, u64) {
    let half = |bytes: &[u8]| bytes.iter().fold(0, |half, byte| half << 8 | u64::from(*byte));
    (half(&tail[..6]), half(&tail[6..]))
}

/// The inverse of [`halves`].
fn joined(left: u64, right: u64) -> [u8; 12] {
    let mut tail = [0; 12];
    tail[..6].copy_from_slice(&left.to_be_bytes()[2..]);
    tail[6..].copy_from_slice(&right.to_be_bytes()[2..]);
    tail
}

/// The recall nonce of a reasoning item. It is in its token and in the store, and nowhere else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Recall(pub(crate) u64);

impl std::fmt::Display for Recall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "nonce-{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(shape: IdShape) -> Ids {
        Ids::new(&Key::of_seed(7), shape)
    }

    fn stem(ids: &Ids) -> Stem {
        Stem {
            partition: 0x74bf_20f8_76ff_c474,
            persistence: Persistence::NotPersisted,
            tick: 5,
            nonce: ids.nonce(0x0123_4567_89ab_cdef),
        }
    }

    const FOLLOWER: Place = Place::Output {
        index: 2,
        head: Some(1),
    };

    #[test]
    fn an_id_says_for_which_account_it_was_made() {
        let of = |place| ids(IdShape::Standard).of_account(AccountPlace(place), 3);
        for place in 0..3 {
            let made = of(place).id("rs", &stem(&of(place)), FOLLOWER);
            for reader in 0..3 {
                let read = of(reader).read(&made).expect("an id of this seed");
                assert_eq!(read.account, AccountPlace(place));
            }
            let alone = ids(IdShape::Standard).read(&made);
            assert_eq!(alone.is_some(), place == 0, "there is one account only");
        }
    }

    #[test]
    fn an_id_keeps_the_grammar_and_comes_apart() {
        let ids = ids(IdShape::Standard);
        let stem = stem(&ids);
        for place in [Place::Response, Place::Input(3), Place::Input(100_000), FOLLOWER] {
            let text = ids.id("msg", &stem, place);
            // `tests/facts/items.md`: 16 hex partition, 2 hex flag, 8 hex seconds, 24 hex.
            assert!(text.starts_with("msg_74bf20f876ffc47401"), "{text}");
            assert_eq!(text.len(), 4 + 50);
            let read = ids.read(&text).expect("own id");
            assert_eq!((read.stem, read.place), (stem, place));
        }
    }

    #[test]
    fn the_second_is_that_of_the_response_plus_the_index() {
        let ids = ids(IdShape::Standard);
        let text = ids.id("msg", &stem(&ids), FOLLOWER);
        // EPOCH + 5 + 2
        assert_eq!(ServerId::parse(&text).map(|id| id.second), Some(1_795_000_007));
    }

    #[test]
    fn a_follower_alone_names_its_partner_and_its_response() {
        for (shape, prefix) in [(IdShape::Standard, "rs_"), (IdShape::Tenant, "rs_tenantA_trace_")] {
            let ids = ids(shape);
            let stem = stem(&ids);
            let head = Place::Output {
                index: 1,
                head: Some(1),
            };
            let partner = ids.id(ids.reasoning_prefix(), &stem, head);
            assert!(partner.starts_with(prefix), "{partner}");
            let follower = ids.read(&ids.id("fc", &stem, FOLLOWER)).expect("own id");
            assert_eq!(ids.head_of(&follower), Some(partner.clone()));
            assert_eq!(ids.response_of(&follower), ids.id("resp", &stem, Place::Response));
            let head = ids.read(&partner).expect("own id");
            assert_eq!(ids.head_of(&head), None);
        }
    }

    #[test]
    fn foreign_ids_are_told_apart() {
        let own = ids(IdShape::Standard);
        let other = Ids::new(&Key::of_seed(8), IdShape::Standard);
        let text = other.id("msg", &stem(&other), FOLLOWER);
        assert_eq!(own.read(&text), None);
        // `tests/facts/examples/03_reasoning_summary_encrypted_stream.sse`
        let example = "rs_74bf20f876ffc474016afd86c1cbd7a085a368932ff2b2d409";
        assert_eq!(own.read(example), None);
    }

    proptest::proptest! {
        #[test]
        fn any_place_of_any_response_comes_apart(drawn: u64, partition: u64, index in 0..0x7FFF_u16, back in 0..9_u16, tick in 0..1_000_000_u32) {
            let ids = ids(IdShape::Standard);
            let stem = Stem { partition, persistence: Persistence::Persisted, tick, nonce: ids.nonce(drawn) };
            for head in [None, Some(index.saturating_sub(back))] {
                let place = Place::Output { index, head };
                let read = ids.read(&ids.id("msg", &stem, place)).expect("own id");
                proptest::prop_assert_eq!((read.stem, read.place), (stem, place));
            }
        }
    }
}
