//! How each wire writes an answer.
//!
//! | module | wire |
//! |---|---|
//! | [`bedrock`] | Converse of Amazon Bedrock |
//! | [`chat`] | chat completions, in all their dialects |
//! | [`gemini`] | `generateContent` of Gemini |
//! | [`interactions`] | Interactions of Gemini |
//! | [`messages`] | Anthropic Messages |
//! | `pieces` | a text in the pieces in which all of them stream it |

use holdover_seal::Key;
use holdover_wire::{Plan, Wire};

use crate::ask::{self, Ask};
use crate::said::Said;
use crate::sign::{Signer, Stamp};

pub mod bedrock;
pub mod chat;
pub mod gemini;
pub mod interactions;
pub mod messages;
mod pieces;

/// With what an answer is written: everything in it that the request does not say.
#[derive(Clone, Copy)]
pub struct Pen<'a> {
    /// What ids derive from: seed, world, fingerprint and occurrence.
    pub key: &'a Key,
    /// Second of the answer.
    pub second: u64,
    /// Who signs.
    pub signer: &'a Signer,
    /// Counts the tokens of a text.
    pub count: &'a dyn Fn(&str) -> u64,
}

impl Pen<'_> {
    /// The signature of the only reasoning in an answer.
    pub fn signature(&self, ask: &Ask, recall: u64, tokens: u64, text: &str) -> String {
        let thought = Thought {
            recall,
            tokens,
            text,
            order: 0,
            previous: [0; 8],
        };
        self.sign(ask, &thought)
    }

    /// The signature of one piece of reasoning.
    pub(crate) fn sign(&self, ask: &Ask, thought: &Thought<'_>) -> String {
        let mut origin = [0; 8];
        origin.copy_from_slice(&self.key.hash(b"origin")[..8]);
        let stamp = Stamp {
            recall: thought.recall,
            origin: u64::from_le_bytes(origin),
            order: thought.order,
            tokens: u32::try_from(thought.tokens).unwrap_or(u32::MAX),
            text: self.signer.hash(thought.text.as_bytes()),
            prefix: ask.bound.prefix(),
            previous: thought.previous,
            model: ask.history.model.clone(),
            bound: self.signer.bound(&ask.endpoint),
        };
        self.signer.sign(&stamp, self.second)
    }
}

/// What a signature is about.
pub(crate) struct Thought<'a> {
    /// Its recall nonce.
    pub(crate) recall: u64,
    /// Its tokens.
    pub(crate) tokens: u64,
    /// Its text.
    pub(crate) text: &'a str,
    /// Its place among the reasoning of the answer.
    pub(crate) order: u16,
    /// Hash of the signature before it.
    pub(crate) previous: [u8; 8],
}

/// Whether a wire is written yet.
pub fn serves(wire: Wire) -> bool {
    wire != Wire::Responses
}

/// The answer to a call, in the words of its wire. A wire that is not served is never asked.
pub fn answer(ask: &Ask, said: &Said, pen: &Pen<'_>) -> Plan {
    let mut plan = match ask.history.wire {
        Wire::AnthropicMessages => messages::answer(ask, said, pen),
        Wire::BedrockConverse => bedrock::answer(ask, said, pen),
        Wire::GeminiGenerate => gemini::answer(ask, said, pen),
        Wire::GeminiInteractions => interactions::answer(ask, said, pen),
        _ => chat::answer(ask, said, pen),
    };
    let numbers = [
        ("x-holdover-profile", ask.endpoint.name.clone()),
        ("x-holdover-prior-protected", ask.carried.to_string()),
        ("x-holdover-rendered", ask.shown.to_string()),
    ];
    let headers = numbers.map(|(name, value)| (name.to_owned(), value));
    plan.headers.extend(headers);
    ask::note_probes(&ask.probes, &mut plan);
    plan
}
