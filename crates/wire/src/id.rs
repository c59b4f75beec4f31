//! Newtypes for the ids of the API, and the grammar of ids that the server makes.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Unix second of tick 0: all time stamps of the fake are virtual and count from here.
pub const EPOCH: u64 = 1_795_000_000;

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Takes the text as it is; nothing is checked, because a client may send anything.
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// The id as it stands on the wire.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }

        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
    };
}

text_id! {
    /// Id of an item: `rs_…`, `msg_…`, `fc_…` (`tests/facts/items.md`, Ids).
    ItemId
}
text_id! {
    /// Id that pairs a tool call with its output: `call_…`, made on the model's side.
    CallId
}
text_id! {
    /// Id of a response: `resp_…`.
    ResponseId
}
text_id! {
    /// Id of a conversation: `conv_…`.
    ConversationId
}

/// Name of a Holdover session; grammar `[A-Za-z0-9_.-]{1,64}`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SessionName(String);

impl SessionName {
    /// The name if it keeps the grammar.
    pub fn parse(text: &str) -> Option<Self> {
        let legal = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
        let fits = (1..=64).contains(&text.len()) && text.bytes().all(legal);
        fits.then(|| Self(text.to_owned()))
    }

    /// The session of everyone who names none.
    pub fn default_session() -> Self {
        Self("default".to_owned())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SessionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether the server keeps an object: the two hex digits after the partition key (`tests/facts/items.md`, Ids).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Persistence {
    /// `00`: persisted, also background responses.
    Persisted,
    /// `01`: foreground `store:false`, and everything from `/responses/compact`.
    NotPersisted,
}

impl Persistence {
    /// `00` or `01`.
    pub fn flag(self) -> &'static str {
        match self {
            Self::Persisted => "00",
            Self::NotPersisted => "01",
        }
    }
}

/// An id of the present server grammar, taken apart:
/// `<prefix>_` + 16 hex partition + 2 hex flag + 8 hex seconds + 24 hex tail (`tests/facts/items.md`, Ids).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerId {
    /// What stands before the underscore: `rs`, `msg`, `resp`. Tenant-shaped ids have a longer one.
    pub prefix: String,
    /// Shared by a response, its items, and every response that continues them.
    pub partition: u64,
    /// Whether the server keeps the object.
    pub persistence: Persistence,
    /// Unix second in which the object came to be.
    pub second: u32,
    /// The last 24 hex digits.
    pub tail: [u8; 12],
}

impl ServerId {
    /// Takes an id apart; `None` when it is not of the 50-digit grammar.
    pub fn parse(text: &str) -> Option<Self> {
        let (prefix, hex) = text.rsplit_once('_')?;
        let digits: &[u8; 50] = hex.as_bytes().try_into().ok()?;
        let mut bytes = [0_u8; 25];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        let (partition, rest) = bytes.split_first_chunk()?;
        let (flag, rest) = rest.split_first()?;
        let (second, tail) = rest.split_first_chunk()?;
        Some(Self {
            prefix: prefix.to_owned(),
            partition: u64::from_be_bytes(*partition),
            persistence: match flag {
                0 => Persistence::Persisted,
                1 => Persistence::NotPersisted,
                _ => return None,
            },
            second: u32::from_be_bytes(*second),
            tail: tail.try_into().ok()?,
        })
    }

    /// Virtual tick of the second, when it lies at or after [`EPOCH`].
    pub fn tick(&self) -> Option<u64> {
        u64::from(self.second).checked_sub(EPOCH)
    }
}

/// The value of a hex digit of an id; ids have lower-case ones.
fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    }
}

impl fmt::Display for ServerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}_{:016x}{}{:08x}",
            self.prefix,
            self.partition,
            self.persistence.flag(),
            self.second
        )?;
        self.tail.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The 24-hex tail of an id, by which it can be found again in text that lost its head.
pub fn tail(id: &str) -> Option<&str> {
    let start = id.len().checked_sub(24)?;
    let tail = id.get(start..)?;
    tail.bytes().all(|b| b.is_ascii_hexdigit()).then_some(tail)
}

#[cfg(test)]
mod tests {
    use super::*;

    // `tests/facts/examples/03_reasoning_summary_encrypted_stream.sse`, the reasoning item.
    const REASONING: &str = "rs_74bf20f876ffc474016afd86c1cbd7a085a368932ff2b2d409";

    #[test]
    fn an_id_of_the_examples_comes_apart_and_together() {
        let id = ServerId::parse(REASONING).expect("server grammar");
        assert_eq!(id.prefix, "rs");
        assert_eq!(id.partition, 0x74bf_20f8_76ff_c474);
        assert_eq!(id.persistence, Persistence::NotPersisted);
        assert_eq!(id.tick(), Some(1));
        assert_eq!(id.to_string(), REASONING);
    }

    #[test]
    fn a_tenant_shaped_id_keeps_its_prefix() {
        let text = REASONING.replace("rs_", "rs_tenantA_trace_");
        let id = ServerId::parse(&text).expect("server grammar");
        assert_eq!(id.prefix, "rs_tenantA_trace");
        assert_eq!(id.to_string(), text);
    }

    #[test]
    fn other_shapes_are_no_server_ids() {
        for text in [
            "",
            "rs_",
            "rs_abc",
            "msg_8f14e45f-ceea-467f-a1d6",
            &REASONING[..52],
            &REASONING.to_uppercase(),
        ] {
            assert_eq!(ServerId::parse(text), None, "{text}");
        }
    }

    #[test]
    fn session_names_keep_their_grammar() {
        assert!(SessionName::parse("tests.test_a-1_b").is_some());
        for text in ["", "a b", "a/b", &"x".repeat(65)] {
            assert_eq!(SessionName::parse(text), None, "{text}");
        }
    }
}
