//! The parts of an answer, with the signature where the model puts it.

use holdover_wire::neutral::Delivery;
use serde_json::{Value, json};

use crate::ask::Ask;
use crate::fill;
use crate::said::{Said, SaidPart};
use crate::wires::Pen;
use crate::wires::pieces::pieces;

/// The parts, and what they cost.
pub(super) struct Parts {
    /// Parts, in order.
    pub(super) list: Vec<Value>,
    /// Tokens of reasoning.
    pub(super) thought_tokens: u64,
    /// Tokens of everything else.
    pub(super) tokens: u64,
}

impl Parts {
    pub(super) fn new(ask: &Ask, said: &Said, pen: &Pen<'_>) -> Self {
        let mut parts = Self {
            list: Vec::new(),
            thought_tokens: 0,
            tokens: 0,
        };
        let mut latest = None;
        for (index, part) in said.parts.iter().enumerate() {
            match part {
                SaidPart::Reasoning { text, recall } => {
                    parts.thought_tokens += (pen.count)(text);
                    latest = Some(*recall);
                    if ask.shows_thoughts {
                        parts.list.push(json!({"text": text, "thought": true}));
                    }
                }
                SaidPart::Text(text) => {
                    parts.tokens += (pen.count)(text);
                    parts.list.extend(texts(ask, text));
                }
                SaidPart::Call { id, name, arguments } => {
                    parts.tokens += (pen.count)(name) + (pen.count)(arguments);
                    let id = id.clone().unwrap_or_else(|| call_id(ask, pen, name, index));
                    let args: Value = serde_json::from_str(arguments).unwrap_or_else(|_| json!({}));
                    let call = json!({"functionCall": {"name": name, "args": args, "id": id}});
                    parts.list.push(call);
                }
            }
        }
        if let Some(recall) = latest {
            parts.sign(ask, pen, recall);
        }
        parts
    }

    /// The first call bears the signature; without a call the last text does, which in a stream is an empty one.
    fn sign(&mut self, ask: &Ask, pen: &Pen<'_>, recall: u64) {
        let is_call = |part: &Value| part.get("functionCall").is_some();
        let place = self.list.iter().position(is_call).unwrap_or_else(|| {
            if ask.history.delivery == Delivery::Stream || self.list.last().is_none_or(is_thought) {
                self.list.push(json!({"text": ""}));
            }
            self.list.len() - 1
        });
        let Some(Value::Object(part)) = self.list.get_mut(place) else {
            return;
        };
        let text = part.get("text").and_then(Value::as_str).unwrap_or("").to_owned();
        let signature = pen.signature(ask, recall, self.thought_tokens, &text);
        part.insert("thoughtSignature".to_owned(), signature.into());
    }
}

fn is_thought(part: &Value) -> bool {
    part.get("thought").is_some()
}

/// A text whole, or in the pieces of a stream.
fn texts(ask: &Ask, text: &str) -> Vec<Value> {
    if ask.history.delivery == Delivery::Whole {
        return vec![json!({"text": text})];
    }
    pieces(text).map(|piece| json!({"text": piece})).collect()
}

fn call_id(ask: &Ask, pen: &Pen<'_>, name: &str, index: usize) -> String {
    let places = [("name", name.to_owned()), ("index", index.to_string())];
    let label = format!("call {index}");
    fill::id(&ask.endpoint.speech.call_id, pen.key, &label, &places)
}
