//! The blocks of an answer.

use holdover_profile::provider::{AccountScope, Display};
use serde_json::{Value, json};

use crate::ask::Ask;
use crate::fill;
use crate::said::{Said, SaidPart, mark};
use crate::wires::{Pen, Thought};

/// A user message that holds this gets its reasoning in blocks that nobody can read.
const REDACT: &str = "holdover:redact";

/// The blocks, and what they cost.
pub(crate) struct Content {
    /// Blocks, in order.
    pub(crate) blocks: Vec<Value>,
    /// Tokens of reasoning, whether its text is shown or not.
    pub(crate) thinking_tokens: u64,
    /// Tokens of everything.
    pub(crate) tokens: u64,
}

impl Content {
    pub(crate) fn new(ask: &Ask, said: &Said, pen: &Pen<'_>, id: &str) -> Self {
        let mut content = Self {
            blocks: Vec::new(),
            thinking_tokens: 0,
            tokens: 0,
        };
        let mut previous = ask.bound.latest(pen.signer);
        let mut order = 0;
        for (index, part) in said.parts.iter().enumerate() {
            let block = match part {
                SaidPart::Reasoning { text, recall } => {
                    let text = format!("{text} My mark is {}.", mark(*recall));
                    let tokens = (pen.count)(&text);
                    content.thinking_tokens += tokens;
                    content.tokens += tokens;
                    let thought = Thought {
                        recall: *recall,
                        tokens,
                        text: &text,
                        order,
                        previous,
                    };
                    let signature = signature(ask, pen, &thought, id);
                    previous = pen.signer.hash(signature.as_bytes());
                    order += 1;
                    thinking(ask, &text, &signature)
                }
                SaidPart::Text(text) => {
                    content.tokens += (pen.count)(text);
                    json!({"type": "text", "text": text})
                }
                SaidPart::Call { id, name, arguments } => {
                    content.tokens += (pen.count)(name) + (pen.count)(arguments);
                    let id = id.clone().unwrap_or_else(|| call_id(ask, pen, name, index));
                    let input: Value = serde_json::from_str(arguments).unwrap_or_else(|_| json!({}));
                    json!({"type": "tool_use", "id": id, "name": name, "input": input})
                }
            };
            content.blocks.push(block);
        }
        content
    }

    /// A summary of what was asked, with the latest reasoning sealed into its signature.
    pub(crate) fn summary(ask: &Ask, pen: &Pen<'_>) -> Self {
        let messages = ask.history.messages.len();
        let text = format!(
            "{messages} messages so far; the user asked last: \"{}\".",
            ask.history.asked()
        );
        let tokens = (pen.count)(&text);
        let thought = Thought {
            recall: ask.recall.unwrap_or(0),
            tokens,
            text: &text,
            order: 0,
            previous: ask.bound.latest(pen.signer),
        };
        let signature = pen.sign(ask, &thought);
        Self {
            blocks: vec![json!({"type": "compaction", "content": text, "signature": signature})],
            thinking_tokens: 0,
            tokens,
        }
    }
}

/// Sealed where the endpoint verifies it, else what its data say.
fn signature(ask: &Ask, pen: &Pen<'_>, thought: &Thought<'_>, id: &str) -> String {
    if ask.endpoint.account_scope == AccountScope::None {
        let template = &ask.endpoint.speech.signature;
        return fill::id(template, pen.key, "signature", &[("id", id.to_owned())]);
    }
    pen.sign(ask, thought)
}

fn thinking(ask: &Ask, text: &str, signature: &str) -> Value {
    let signs = ask.endpoint.account_scope != AccountScope::None;
    if signs && ask.history.asked().contains(REDACT) {
        return json!({"type": "redacted_thinking", "data": signature});
    }
    let shown = match ask.notes.display {
        Display::Summarized => text,
        Display::Omitted => "",
    };
    json!({"type": "thinking", "thinking": shown, "signature": signature})
}

fn call_id(ask: &Ask, pen: &Pen<'_>, name: &str, index: usize) -> String {
    let places = [("name", name.to_owned()), ("index", index.to_string())];
    fill::id(
        &ask.endpoint.speech.call_id,
        pen.key,
        &format!("call {index}"),
        &places,
    )
}
