//! A whole request on another wire.

use holdover_wire::neutral::Delivery;
use holdover_wire::{Call, Item, Object, Wire};
use serde_json::{Value, json};

use super::talk::{Foreign, talk};
use super::{chat, gemini, messages};
use crate::config::{AgentConfig, Streaming};
use crate::peer::{Peer, merge};

/// What a request is made of.
pub(crate) struct Asked<'a> {
    /// Who is asked.
    pub(crate) peer: &'a Peer,
    /// The client.
    pub(crate) config: &'a AgentConfig,
    /// Instructions of this request.
    pub(crate) instructions: Option<String>,
    /// Effort of this request, where somebody named one.
    pub(crate) effort: Option<&'a str>,
    /// What goes back of reasoning that another provider issued.
    pub(crate) foreign: Foreign,
}

impl Asked<'_> {
    /// How the answer travels.
    pub(crate) fn delivery(&self) -> Delivery {
        match self.config.stream {
            Streaming::Json => Delivery::Whole,
            Streaming::Sse => Delivery::Stream,
        }
    }

    /// The body over these items.
    pub(crate) fn body(&self, items: &[Item]) -> Object {
        let said = talk(items, self.peer);
        let body = match self.peer.wire() {
            Wire::AnthropicMessages => self.anthropic(&messages::messages(&said, self.foreign)),
            Wire::GeminiGenerate => self.gemini(&gemini::contents(&said, items, self.foreign)),
            _ => self.chat(chat::messages(&said, self.peer.endpoint(), self.foreign)),
        };
        let Value::Object(mut body) = body else {
            return Object::new();
        };
        merge(&mut body, self.peer.members().clone());
        body.retain(|_, value| !value.is_null());
        body
    }

    fn chat(&self, history: Vec<Value>) -> Value {
        let system = self.instructions.as_deref().map(chat::system);
        let history: Vec<Value> = system.into_iter().chain(history).collect();
        json!({
            "model": self.peer.model(),
            "messages": history,
            "tools": chat::declared(&self.config.tools),
            "reasoning_effort": self.effort,
            "stream": self.streams(),
        })
    }

    fn anthropic(&self, history: &[Value]) -> Value {
        json!({
            "model": self.peer.model(),
            "max_tokens": messages::TOKENS_MAX,
            "system": self.instructions,
            "messages": history,
            "tools": messages::declared(&self.config.tools),
            "output_config": self.effort.map(|effort| json!({"effort": effort})),
            "stream": self.streams(),
        })
    }

    /// The path says whether an answer is streamed.
    fn gemini(&self, history: &[Value]) -> Value {
        let level = self.effort.map(str::to_uppercase);
        json!({
            "systemInstruction": self.instructions.as_deref().map(gemini::system),
            "contents": history,
            "tools": gemini::declared(&self.config.tools),
            "generationConfig": level.map(|level| json!({"thinkingConfig": {"thinkingLevel": level}})),
        })
    }

    fn streams(&self) -> Option<bool> {
        (self.delivery() == Delivery::Stream).then_some(STREAMS)
    }
}

const STREAMS: bool = true;

/// A call to a peer, with the headers of its wire. The key names the session.
pub(crate) fn call(peer: &Peer, delivery: Delivery, session: &str, body: Object) -> Call {
    let mut call = Call::post(&peer.path(delivery), Value::Object(body));
    let key = format!("sk-holdover-{session}");
    let credential: &[(&str, &str)] = match peer.wire() {
        Wire::AnthropicMessages => &[("x-api-key", &key), ("anthropic-version", "2023-06-01")],
        Wire::GeminiGenerate => &[("x-goog-api-key", &key)],
        _ => &[("authorization", &format!("Bearer {key}"))],
    };
    let common = [
        ("content-type", "application/json"),
        ("accept", "application/json"),
        ("user-agent", "Holdover-Agent/1"),
    ];
    let headers = credential.iter().chain(&common);
    call.headers = headers
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    if peer.wire() == Wire::GeminiGenerate && delivery == Delivery::Stream {
        call.query = vec![("alt".to_owned(), "sse".to_owned())];
    }
    call
}
