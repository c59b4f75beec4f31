//! What the tokens of items hold, and how long they are; the sealing itself is `holdover-seal`.

pub(crate) use holdover_seal::Unreadable;
use holdover_seal::{Fernet, fernet};

use crate::config::TokenShape;
use crate::derive::Key;
use crate::ids::Recall;

const ENC_PREFIX: &str = "enc_";
const NO_RECALL: u64 = 0;

/// When in the life of its item a token was sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// In `output_item.added`: short, of an unfinished item.
    Partial,
    /// In `output_item.done`.
    Done,
    /// In the terminal object.
    Terminal,
    /// Again for a GET.
    Get,
}

impl Stage {
    fn byte(self) -> u8 {
        match self {
            Self::Partial => b'p',
            Self::Done => b'd',
            Self::Terminal => b't',
            Self::Get => b'g',
        }
    }

    fn of_byte(byte: u8) -> Option<Self> {
        [Self::Partial, Self::Done, Self::Terminal, Self::Get]
            .into_iter()
            .find(|stage| stage.byte() == byte)
    }
}

/// What a token holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Payload {
    /// Id of the item.
    pub(crate) item_id: String,
    /// Organisation to which it belongs.
    pub(crate) organisation: String,
    /// Family of the model that reasoned.
    pub(crate) family: String,
    /// What `holdover:recall` asks for; `None` in a compaction item before which there was no reasoning.
    pub(crate) recall: Option<Recall>,
    /// When it was sealed.
    pub(crate) stage: Stage,
}

/// Seals and opens the tokens of one region.
#[derive(Clone)]
pub(crate) struct Sealer {
    fernet: Fernet,
    shape: TokenShape,
    blocks_full: usize,
}

impl Sealer {
    /// The sealer of a region. `chars` is the size of a full token.
    pub(crate) fn new(seed: &Key, region: &str, shape: TokenShape, chars: usize) -> Self {
        Self {
            fernet: Fernet::new(&seed.purpose("tokens", region)),
            shape,
            // The smallest token that was seen has 329 bytes, which are 17 blocks.
            blocks_full: fernet::blocks_of_chars(chars).max(17),
        }
    }

    /// Seals a payload at a virtual second. `salt` tells apart tokens of one item and stage, such as those of two GETs.
    pub(crate) fn seal(&self, payload: &Payload, second: u64, salt: u64) -> String {
        let blocks = match payload.stage {
            Stage::Partial => self.blocks_full * 3 / 4,
            Stage::Done | Stage::Terminal | Stage::Get => self.blocks_full,
        };
        let mut label = Vec::with_capacity(payload.item_id.len() + 9);
        label.extend_from_slice(payload.item_id.as_bytes());
        label.push(payload.stage.byte());
        label.extend_from_slice(&salt.to_le_bytes());
        let token = self.fernet.seal(encode(payload), &label, blocks, second);
        match self.shape {
            TokenShape::Fernet => token,
            TokenShape::Enc => format!("{ENC_PREFIX}{token}"),
        }
    }

    /// Opens a token of either shape.
    pub(crate) fn open(&self, text: &str) -> Result<Payload, Unreadable> {
        let plain = self.fernet.open(text.strip_prefix(ENC_PREFIX).unwrap_or(text))?;
        decode(&plain).ok_or(Unreadable)
    }
}

fn encode(payload: &Payload) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(192);
    bytes.push(payload.stage.byte());
    let recall = payload.recall.map_or(NO_RECALL, |recall| recall.0);
    bytes.extend_from_slice(&recall.to_le_bytes());
    for text in [&payload.item_id, &payload.organisation, &payload.family] {
        let length = u16::try_from(text.len()).unwrap_or(u16::MAX);
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(&text.as_bytes()[..usize::from(length)]);
    }
    bytes
}

fn decode(bytes: &[u8]) -> Option<Payload> {
    let (stage, rest) = bytes.split_first()?;
    let (recall, mut rest) = rest.split_first_chunk::<8>()?;
    let recall = u64::from_le_bytes(*recall);
    let mut text = || {
        let (length, after) = rest.split_first_chunk::<2>()?;
        let length = usize::from(u16::from_le_bytes(*length));
        let (text, after) = after.split_at_checked(length)?;
        rest = after;
        String::from_utf8(text.to_vec()).ok()
    };
    Some(Payload {
        item_id: text()?,
        organisation: text()?,
        family: text()?,
        recall: (recall != NO_RECALL).then_some(Recall(recall)),
        stage: Stage::of_byte(*stage)?,
    })
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE;

    use super::*;

    fn sealer(region: &str, chars: usize) -> Sealer {
        Sealer::new(&Key::of_seed(7), region, TokenShape::Fernet, chars)
    }

    fn payload(stage: Stage) -> Payload {
        Payload {
            item_id: "rs_74bf20f876ffc474016afd86c1cbd7a085a368932ff2b2d409".to_owned(),
            organisation: "org-holdover".to_owned(),
            family: "gpt-5.6".to_owned(),
            recall: Some(Recall(42)),
            stage,
        }
    }

    #[test]
    fn tokens_have_the_captured_shape() {
        for chars in [329, 440, 856, 2_616, 42_360] {
            for stage in [Stage::Partial, Stage::Done, Stage::Terminal, Stage::Get] {
                let token = sealer("us", chars).seal(&payload(stage), 1_795_000_001, 0);
                // The virtual second 1795000001 begins like the examples.
                assert!(token.starts_with("gAAAAABq_YbB"), "{token}");
                let bytes = URL_SAFE.decode(&token).expect("base64url with padding");
                assert_eq!((bytes.len() - 57) % 16, 0);
                assert_eq!(bytes[0], 0x80);
            }
        }
    }

    #[test]
    fn the_size_is_the_one_asked_for_and_the_partial_token_is_shorter() {
        let seal = |stage| sealer("us", 856).seal(&payload(stage), 0, 0).len();
        // 57 + 16·36 = 633 bytes are 844 characters; one block more would be 868.
        assert_eq!(seal(Stage::Done), 844);
        assert_eq!(seal(Stage::Terminal), 844);
        assert!(seal(Stage::Partial) < 844);
    }

    #[test]
    fn one_item_has_three_tokens_that_open_to_the_same_content() {
        let sealer = sealer("us", 856);
        let done = sealer.seal(&payload(Stage::Done), 1, 0);
        let terminal = sealer.seal(&payload(Stage::Terminal), 2, 0);
        assert_ne!(done, terminal);
        assert_ne!(
            sealer.seal(&payload(Stage::Get), 2, 0),
            sealer.seal(&payload(Stage::Get), 2, 1)
        );
        assert_eq!(sealer.open(&done), Ok(payload(Stage::Done)));
        assert_eq!(sealer.open(&terminal), Ok(payload(Stage::Terminal)));
    }

    #[test]
    fn a_changed_token_does_not_open() {
        let sealer = sealer("us", 856);
        let token = sealer.seal(&payload(Stage::Done), 1, 0);
        let changed = [
            token[..token.len() - 4].to_owned(),
            token.replace('A', "B"),
            format!("{token}AAAA"),
            token.to_lowercase(),
            String::new(),
            "plain text".to_owned(),
        ];
        for text in changed {
            assert_eq!(sealer.open(&text), Err(Unreadable), "{text}");
        }
    }

    #[test]
    fn another_region_or_seed_cannot_open_it() {
        let token = sealer("us", 856).seal(&payload(Stage::Done), 1, 0);
        assert_eq!(sealer("eu", 856).open(&token), Err(Unreadable));
        let other = Sealer::new(&Key::of_seed(8), "us", TokenShape::Fernet, 856);
        assert_eq!(other.open(&token), Err(Unreadable));
    }

    #[test]
    fn the_enc_shape_is_the_same_token() {
        let sealer = Sealer::new(&Key::of_seed(7), "us", TokenShape::Enc, 856);
        let token = sealer.seal(&payload(Stage::Done), 1_795_000_001, 0);
        assert!(token.starts_with("enc_gAAAAAB"));
        assert_eq!(sealer.open(&token), Ok(payload(Stage::Done)));
    }

    proptest::proptest! {
        #[test]
        fn no_text_breaks_the_opener(text: String, cut in 0..900_usize) {
            let sealer = sealer("us", 856);
            let _ = sealer.open(&text);
            let token = sealer.seal(&payload(Stage::Done), 1, 0);
            let cut = cut.min(token.len() - 1);
            proptest::prop_assert_eq!(sealer.open(&token[..cut]), Err(Unreadable));
        }
    }
}
