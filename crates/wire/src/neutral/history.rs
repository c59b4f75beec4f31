//! A whole request in neutral form.

use serde_json::Value;

use crate::Object;
use crate::neutral::turn::AssistantTurn;
use crate::wires::Wire;

/// Who wrote a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The developer.
    System,
    /// The user, with ordinary content: a new turn begins.
    User,
    /// A tool: outputs and nothing else.
    Tool,
    /// The model.
    Assistant,
}

/// One message.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Who wrote it.
    pub role: Role,
    /// Its place in the list of the wire, from 0.
    pub at: usize,
    /// Its visible text.
    pub text: String,
    /// Ids of the calls that it answers.
    pub answers: Vec<String>,
    /// Its parts, where the assistant wrote it.
    pub turn: Option<AssistantTurn>,
}

impl Message {
    /// A message that answers no call and was not the assistant's.
    pub(crate) fn text(role: Role, at: usize, text: impl Into<String>) -> Self {
        Self {
            role,
            at,
            text: text.into(),
            answers: Vec::new(),
            turn: None,
        }
    }
}

/// A tool that the request declares.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// JSON Schema of its arguments.
    pub parameters: Option<Value>,
}

/// Whether the model has to call a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// It may.
    #[default]
    Auto,
    /// It may not.
    None,
    /// It has to.
    Required,
    /// It has to call this one.
    Named(String),
}

/// How the answer travels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Delivery {
    /// One JSON document.
    #[default]
    Whole,
    /// Events.
    Stream,
}

/// A whole request.
#[derive(Clone, Debug, PartialEq)]
pub struct History {
    /// Its wire.
    pub wire: Wire,
    /// The model that is asked; empty where none is named.
    pub model: String,
    /// How the answer travels.
    pub delivery: Delivery,
    /// Its messages.
    pub messages: Vec<Message>,
    /// Tools that it declares.
    pub tools: Vec<Tool>,
    /// Whether one of them has to be called.
    pub choice: Choice,
}

/// Where a message of the assistant stands.
#[expect(
    clippy::struct_excessive_bools,
    reason = "five independent facts, each read by name"
)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Whether no message of the user comes after it: its turn is open.
    pub open: bool,
    /// Whether some message of its turn calls a tool.
    pub turn_calls: bool,
    /// Whether it calls a tool itself.
    pub calls: bool,
    /// Whether it is the last one of the assistant.
    pub last: bool,
    /// Whether the message before it is one of the assistant too.
    pub after_assistant: bool,
}

impl History {
    /// The request of a wire; `None` where it is not in the form of that wire, or the wire is not read yet.
    pub fn read(wire: Wire, path: &str, body: &Object) -> Option<Self> {
        match wire {
            Wire::ChatCompletions => super::chat::read(body),
            Wire::AnthropicMessages => super::anthropic::read(body),
            Wire::Responses => super::responses::read(body),
            Wire::GeminiGenerate => super::gemini::read(path, body),
            Wire::BedrockConverse => super::bedrock::read(path, body),
            Wire::GeminiInteractions => super::interactions::read(body),
        }
    }

    /// The model that a request names: in its path on the wires of Gemini and Bedrock, else in its body.
    pub fn model<'a>(wire: Wire, path: &'a str, body: &'a Object) -> &'a str {
        match wire {
            Wire::GeminiGenerate => super::gemini::model(path),
            Wire::BedrockConverse => super::bedrock::model(path),
            _ => body.get("model").and_then(Value::as_str).unwrap_or(""),
        }
    }

    /// Puts what the user asked last, in what a request continues, before its own messages.
    pub fn follow(&mut self, asked: &str) {
        if asked.is_empty() {
            return;
        }
        let first = self
            .messages
            .iter()
            .position(|message| message.role != Role::System);
        let before = Message::text(Role::User, 0, asked);
        self.messages.insert(first.unwrap_or(self.messages.len()), before);
    }

    /// The messages of the assistant with their places, in order.
    pub fn assistant(&self) -> Vec<(&Message, &AssistantTurn, Place)> {
        let last = self.messages.iter().rposition(|message| message.turn.is_some());
        let mut found = Vec::new();
        let mut turns = self.turns().into_iter().peekable();
        for (index, message) in self.messages.iter().enumerate() {
            let Some(turn) = &message.turn else { continue };
            while turns.next_if(|of| of.end <= index).is_some() {}
            let of = turns.peek();
            let place = Place {
                open: of.is_none_or(|of| of.end == self.messages.len()),
                turn_calls: of.is_some_and(|of| of.calls),
                calls: turn.calls().next().is_some(),
                last: last == Some(index),
                after_assistant: index
                    .checked_sub(1)
                    .is_some_and(|before| self.messages[before].turn.is_some()),
            };
            found.push((message, turn, place));
        }
        found
    }

    /// Where each turn ends, and whether it called a tool. A message of the user begins one.
    fn turns(&self) -> Vec<TurnSpan> {
        let mut spans = Vec::new();
        let mut calls = false;
        for (index, message) in self.messages.iter().enumerate() {
            if message.role == Role::User && index > 0 {
                spans.push(TurnSpan { end: index, calls });
                calls = false;
            }
            let turn = message.turn.as_ref();
            calls |= turn.is_some_and(|turn| turn.calls().next().is_some());
        }
        spans.push(TurnSpan {
            end: self.messages.len(),
            calls,
        });
        spans
    }

    /// The last message of the user.
    pub fn asked(&self) -> &str {
        let asked = self.messages.iter().rfind(|message| message.role == Role::User);
        asked.map_or("", |message| message.text.as_str())
    }

    /// Whether a tool has answered since the last message of the user.
    pub fn is_answered(&self) -> bool {
        let since = self.messages.iter().rev();
        let mut since = since.take_while(|message| message.role != Role::User);
        since.any(|message| message.role == Role::Tool)
    }
}

struct TurnSpan {
    end: usize,
    calls: bool,
}
