//! What a conversation looks like on each wire.

use holdover_wire::{Object, Wire};
use serde_json::{Value, json};

use crate::{anthropic, bedrock, chat, gemini, interactions, responses};

/// A wire as a client sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    Chat,
    Anthropic,
    Responses,
    Gemini,
    Bedrock,
    Interactions,
}

/// Whether a message is one of the assistant.
pub(crate) fn is_answer(message: &Value) -> bool {
    message["role"] == "assistant" || message["role"] == "model"
}

impl Shape {
    pub(crate) fn of(wire: Wire) -> Self {
        match wire {
            Wire::ChatCompletions => Self::Chat,
            Wire::AnthropicMessages => Self::Anthropic,
            Wire::Responses => Self::Responses,
            Wire::GeminiGenerate => Self::Gemini,
            Wire::BedrockConverse => Self::Bedrock,
            Wire::GeminiInteractions => Self::Interactions,
        }
    }

    /// The first messages.
    pub(crate) fn opening(self, first: &str) -> Vec<Value> {
        match self {
            Self::Chat => vec![
                json!({"role": "system", "content": "Be brief."}),
                self.user(first),
            ],
            Self::Anthropic | Self::Responses | Self::Gemini | Self::Bedrock | Self::Interactions => {
                vec![self.user(first)]
            }
        }
    }

    /// A message of the user.
    pub(crate) fn user(self, text: &str) -> Value {
        match self {
            Self::Chat | Self::Anthropic | Self::Responses => json!({"role": "user", "content": text}),
            Self::Gemini => json!({"role": "user", "parts": [{"text": text}]}),
            Self::Bedrock => json!({"role": "user", "content": [{"text": text}]}),
            Self::Interactions => {
                json!({"type": "user_input", "content": [{"type": "text", "text": text}]})
            }
        }
    }

    /// A request with this history.
    pub(crate) fn request(self, model: &str, history: &[Value]) -> Object {
        let body = match self {
            Self::Chat => json!({"model": model, "messages": history}),
            Self::Responses => {
                let (previous, input) = responses::continued(history);
                let input = responses::input(input);
                json!({"model": model, "store": false, "previous_response_id": previous, "input": input})
            }
            Self::Anthropic => {
                json!({"model": model, "max_tokens": 4096, "system": "Be brief.", "messages": history})
            }
            // The path names the model.
            Self::Gemini => json!({"contents": history}),
            Self::Interactions => interactions::request(model, history),
            Self::Bedrock => json!({"system": [{"text": "Be brief."}], "messages": history}),
        };
        body.as_object().expect("an object").clone()
    }

    /// The member that declares tools.
    pub(crate) fn tools_member(self) -> &'static str {
        match self {
            Self::Bedrock => "toolConfig",
            Self::Chat | Self::Anthropic | Self::Responses | Self::Gemini | Self::Interactions => "tools",
        }
    }

    /// The declaration of the only tool.
    pub(crate) fn tools(self) -> Value {
        match self {
            Self::Chat => json!([{"type": "function", "function": {"name": "Bash"}}]),
            Self::Anthropic => json!([{"name": "Bash", "input_schema": {"type": "object"}}]),
            Self::Bedrock => {
                json!({"tools": [{"toolSpec": {"name": "Bash", "inputSchema": {"json": {"type": "object"}}}}]})
            }
            Self::Gemini => json!([{"functionDeclarations": [{"name": "Bash"}]}]),
            Self::Responses | Self::Interactions => {
                json!([{"type": "function", "name": "Bash", "parameters": {"type": "object"}}])
            }
        }
    }

    pub(crate) fn message(self, body: &Value) -> Value {
        match self {
            Self::Chat => chat::message(body),
            Self::Anthropic => anthropic::message(body),
            Self::Gemini => gemini::message(body),
            Self::Bedrock => bedrock::message(body),
            Self::Interactions => interactions::message(body),
            Self::Responses => responses::message(body),
        }
    }

    pub(crate) fn text(self, body: &Value) -> String {
        match self {
            Self::Chat => chat::text(body),
            Self::Anthropic => anthropic::text(body),
            Self::Gemini => gemini::text(body),
            Self::Bedrock => bedrock::text(body),
            Self::Interactions => interactions::text(body),
            Self::Responses => responses::text(body),
        }
    }

    pub(crate) fn outputs(self, message: &Value) -> Vec<Value> {
        match self {
            Self::Chat => chat::outputs(message),
            Self::Anthropic => anthropic::outputs(message),
            Self::Gemini => gemini::outputs(message),
            Self::Bedrock => bedrock::outputs(message),
            Self::Interactions => interactions::outputs(message),
            Self::Responses => responses::outputs(message),
        }
    }

    pub(crate) fn spoil(self, message: &mut Value, how: &str) {
        match self {
            Self::Chat => chat::spoil(message, how),
            Self::Anthropic => anthropic::spoil(message, how),
            Self::Gemini => gemini::spoil(message, how),
            Self::Bedrock => bedrock::spoil(message, how),
            Self::Interactions => interactions::spoil(message, how),
            Self::Responses => responses::spoil(message, how),
        }
    }

    /// Breaks what is about more than one message, and says how each of them is broken then.
    pub(crate) fn fold<'a>(self, history: &mut Vec<Value>, how: &'a str) -> &'a str {
        match (self, how) {
            (Self::Chat, "merge" | "second") => chat::fold(history, how),
            (Self::Chat | Self::Responses | Self::Gemini | Self::Interactions, _) => return how,
            (Self::Bedrock, _) => {
                bedrock::fold(history, how);
                return how;
            }
            (Self::Anthropic, _) => {
                anthropic::fold(history, how);
                return how;
            }
        }
        "send"
    }
}
