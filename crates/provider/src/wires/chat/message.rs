//! The message of the assistant, with its reasoning where the endpoint puts it.

use holdover_profile::provider::AccountScope;
use holdover_wire::Object;
use holdover_wire::neutral::Carrier;
use serde_json::{Value, json};

use crate::ask::Ask;
use crate::fill;
use crate::said::{Said, SaidPart, mark};
use crate::wires::Pen;

/// What is said, in the words of chat completions.
pub(super) struct Spoken {
    /// The reasoning as it is shown; empty where there is none.
    pub(super) thought: String,
    /// Its signature, where the endpoint signs.
    pub(super) signature: Option<String>,
    /// The visible text.
    pub(super) text: String,
    /// The calls.
    pub(super) calls: Vec<Value>,
    /// Tokens of the reasoning.
    pub(super) reasoning_tokens: u64,
    /// Tokens of everything.
    pub(super) tokens: u64,
}

impl Spoken {
    pub(super) fn new(ask: &Ask, said: &Said, pen: &Pen<'_>) -> Self {
        let signs = ask.endpoint.account_scope != AccountScope::None;
        let (mut thoughts, mut texts, mut calls) = (Vec::new(), Vec::new(), Vec::new());
        let mut latest = None;
        let mut call_tokens = 0;
        for part in &said.parts {
            match part {
                SaidPart::Reasoning { text, recall } => {
                    latest = Some(*recall);
                    thoughts.push(if signs {
                        text.clone()
                    } else {
                        format!("{text} My mark is {}.", mark(*recall))
                    });
                }
                SaidPart::Text(text) => texts.push(text.as_str()),
                SaidPart::Call { id, name, arguments } => {
                    call_tokens += (pen.count)(name) + (pen.count)(arguments);
                    let id = id.clone().unwrap_or_else(|| call_id(ask, pen, name, calls.len()));
                    calls.push(json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}));
                }
            }
        }
        let thought = thoughts.join("\n");
        let text = texts.join("\n");
        let reasoning_tokens = (pen.count)(&thought);
        let signature = latest.filter(|_| signs);
        let signature =
            signature.map(|recall| pen.signature(ask, recall, reasoning_tokens, &signed(ask, &thought)));
        if let (Some(Carrier::ToolSignature), Some(signature), Some(Value::Object(first))) =
            (ask.endpoint.speech.writes, &signature, calls.first_mut())
        {
            first.insert(
                "extra_content".to_owned(),
                json!({"google": {"thought_signature": signature}}),
            );
        }
        Self {
            tokens: reasoning_tokens + (pen.count)(&text) + call_tokens,
            thought,
            signature,
            text,
            calls,
            reasoning_tokens,
        }
    }

    /// The message.
    pub(super) fn message(&self, ask: &Ask) -> Object {
        let speech = &ask.endpoint.speech;
        let mut message = Object::new();
        message.insert("role".to_owned(), "assistant".into());
        message.insert("content".to_owned(), self.content(ask));
        if !self.thought.is_empty() {
            for carrier in speech.writes.iter().chain(&speech.also_writes) {
                if let Some((name, value)) = self.member(ask, *carrier) {
                    message.insert(name.to_owned(), value);
                }
            }
        }
        if !self.calls.is_empty() {
            let calls = self.calls.iter().enumerate();
            let calls = calls.map(|(index, call)| indexed(ask, call, index)).collect();
            message.insert("tool_calls".to_owned(), calls);
        }
        message
    }

    fn content(&self, ask: &Ask) -> Value {
        match ask.endpoint.speech.writes {
            Some(Carrier::ThinkTags) if !self.thought.is_empty() => {
                format!("{}{}", self.tagged(), self.text).into()
            }
            Some(Carrier::ThinkingChunk) if !self.thought.is_empty() => {
                let mut list = vec![self.chunk(&self.thought)];
                if !self.text.is_empty() {
                    list.push(json!({"type": "text", "text": self.text}));
                }
                Value::Array(list)
            }
            _ if self.text.is_empty() && !self.calls.is_empty() => Value::Null,
            _ => self.text.clone().into(),
        }
    }

    /// The thought inside its tags.
    pub(super) fn tagged(&self) -> String {
        format!("<think>\n{}\n</think>\n\n", self.thought)
    }

    /// A chunk of a content list that holds a thought.
    pub(super) fn chunk(&self, thought: &str) -> Value {
        json!({"type": "thinking", "thinking": [{"type": "text", "text": thought}], "closed": true, "signature": self.signature})
    }

    fn member(&self, ask: &Ask, carrier: Carrier) -> Option<(&'static str, Value)> {
        match carrier {
            Carrier::ReasoningContent => Some(("reasoning_content", self.thought.clone().into())),
            Carrier::Reasoning => Some(("reasoning", self.thought.clone().into())),
            Carrier::ReasoningDetails => Some((
                "reasoning_details",
                json!([detail(ask, &self.thought, self.signature.as_deref())]),
            )),
            Carrier::ThinkTags
            | Carrier::ThinkingChunk
            | Carrier::ToolSignature
            | Carrier::ThinkingBlock
            | Carrier::RedactedThinking
            | Carrier::ThoughtSignature
            | Carrier::ThoughtText
            | Carrier::ThoughtStep
            | Carrier::ReasoningBlock
            | Carrier::CompactionBlock
            | Carrier::ReasoningItem
            | Carrier::ReasoningText => None,
        }
    }
}

/// The type of an entry whose content nobody can read.
pub(super) const ENCRYPTED: &str = "reasoning.encrypted";

/// An entry of `reasoning_details`, or a fragment of one.
pub(super) fn detail(ask: &Ask, thought: &str, signature: Option<&str>) -> Value {
    let speech = &ask.endpoint.speech;
    let encrypted = speech.details_type == ENCRYPTED;
    let mut entry = Object::new();
    entry.insert("type".to_owned(), speech.details_type.clone().into());
    if encrypted {
        entry.insert("data".to_owned(), signature.into());
    } else {
        entry.insert("text".to_owned(), thought.into());
    }
    if let Some(format) = &speech.details_format {
        if !encrypted {
            entry.insert("signature".to_owned(), signature.into());
        }
        entry.insert("id".to_owned(), Value::Null);
        entry.insert("format".to_owned(), format.clone().into());
        entry.insert("index".to_owned(), 0.into());
    }
    Value::Object(entry)
}

/// The text that a signature goes with: none where the text does not go back with it.
fn signed(ask: &Ask, thought: &str) -> String {
    if ask.endpoint.speech.details_type == ENCRYPTED {
        String::new()
    } else {
        thought.to_owned()
    }
}

/// A call with its place, which the compatible endpoint of Gemini leaves out (`tests/facts/providers.md` section 3.2).
pub(super) fn indexed(ask: &Ask, call: &Value, index: usize) -> Value {
    let mut call = call.clone();
    if let (Value::Object(call), false) = (&mut call, signs_calls(ask)) {
        call.insert("index".to_owned(), index.into());
    }
    call
}

pub(super) fn signs_calls(ask: &Ask) -> bool {
    ask.endpoint.speech.writes == Some(Carrier::ToolSignature)
}

fn call_id(ask: &Ask, pen: &Pen<'_>, name: &str, index: usize) -> String {
    let places = [("name", name.to_owned()), ("index", index.to_string())];
    let label = format!("call {index}");
    fill::id(&ask.endpoint.speech.call_id, pen.key, &label, &places)
}
