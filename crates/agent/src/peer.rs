//! Who is asked, where it is not the Responses API of OpenAI: an endpoint as a client addresses it.

use std::sync::Arc;

use holdover_profile::provider::condition::Mind;
use holdover_profile::provider::engine::Seal;
use holdover_profile::provider::{Book, Day, Endpoint, check};
use holdover_wire::neutral::{Delivery, History};
use holdover_wire::{Object, Wire};
use serde_json::{Value, json};

/// Where Vertex serves a model; project and location are the user's.
const VERTEX: &str = "/v1/projects/holdover/locations/global/publishers/google/models";

/// An endpoint, with what a request to it has besides the history.
#[derive(Clone, Debug, PartialEq)]
pub struct Peer {
    endpoint: Arc<Endpoint>,
    model: String,
    members: Object,
}

impl Peer {
    /// The endpoint of a profile; `None` for the Responses API of OpenAI, and for a wire that no agent speaks.
    pub fn named(profile: &str) -> Option<Self> {
        Book::builtin().find(profile).and_then(Self::of)
    }

    /// The same of an endpoint.
    pub fn of(endpoint: &Arc<Endpoint>) -> Option<Self> {
        match endpoint.wire {
            Wire::Responses | Wire::ChatCompletions | Wire::AnthropicMessages | Wire::GeminiGenerate => {}
            Wire::GeminiInteractions | Wire::BedrockConverse => return None,
        }
        Some(Self {
            model: match endpoint.wire {
                // Names of models of the Responses API are those of the fake.
                Wire::Responses => String::new(),
                _ => endpoint.example_model(),
            },
            members: members(endpoint),
            endpoint: Arc::clone(endpoint),
        })
    }

    /// The endpoint.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Its wire.
    pub fn wire(&self) -> Wire {
        self.endpoint.wire
    }

    /// The model that is asked there; empty where the client names its own.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Whether a request says by its path, its model and its members that this endpoint is asked: no other one of its
    /// wire is meant on that day.
    pub fn is_told(&self, day: Option<&Day>) -> bool {
        let (wire, path) = (self.wire(), self.path(Delivery::Whole));
        let told = Book::builtin().choose(wire, &path, &self.model, &self.members, day);
        // The Responses API is that of the profile, whatever its model is.
        wire != Wire::Responses && told.is_some_and(|told| told.name == self.endpoint.name)
    }

    /// Members of a request that make it one of this endpoint, and make the model think.
    pub(crate) fn members(&self) -> &Object {
        &self.members
    }

    /// The path of a request.
    pub(crate) fn path(&self, delivery: Delivery) -> String {
        let own = self.endpoint.paths.first().map(String::as_str);
        match (self.endpoint.wire, own) {
            (Wire::GeminiGenerate, own) => {
                let models = match own {
                    Some(path) if path.contains("/publishers/") => VERTEX,
                    _ => "/v1beta/models",
                };
                let verb = match delivery {
                    Delivery::Whole => "generateContent",
                    Delivery::Stream => "streamGenerateContent",
                };
                format!("{models}/{}:{verb}", self.model)
            }
            (_, Some(path)) if !path.contains('*') => path.to_owned(),
            (Wire::AnthropicMessages, _) => "/v1/messages".to_owned(),
            (Wire::ChatCompletions, _) => "/v1/chat/completions".to_owned(),
            _ => "/v1/responses".to_owned(),
        }
    }

    /// Whether it can use reasoning that another endpoint issued: one wire, one provider, one backend, one family.
    pub(crate) fn reads_from(&self, issuer: &str) -> bool {
        if issuer == self.endpoint.name {
            return READS;
        }
        let Some(other) = Book::builtin().find(issuer) else {
            return !READS;
        };
        other.wire == self.endpoint.wire
            && other.provider == self.endpoint.provider
            && other.model_family == self.endpoint.model_family
            && other.backend == self.endpoint.backend
    }
}

const READS: bool = true;

/// What a request needs besides its history: the members by which the endpoint is told, and the first way of asking for
/// thinking that it takes.
fn members(endpoint: &Endpoint) -> Object {
    let mut told = Object::new();
    merge(&mut told, endpoint.when.members().unwrap_or_default());
    let ways = [
        json!({}),
        json!({"thinking": {"type": "adaptive"}}),
        json!({"thinking": {"type": "enabled", "budget_tokens": 1024}}),
        json!({"thinking": {"type": "enabled"}}),
    ];
    let mut asked = ways.into_iter().filter_map(|way| {
        let Value::Object(way) = way else { return None };
        let mut body = told.clone();
        merge(&mut body, way);
        is_taken(endpoint, &body).then_some(body)
    });
    asked.next().unwrap_or(told)
}

/// Whether the model thinks in such a request, and no entry refuses it as it is.
fn is_taken(endpoint: &Endpoint, body: &Object) -> bool {
    let nothing = History {
        wire: endpoint.wire,
        model: String::new(),
        delivery: Delivery::Whole,
        messages: Vec::new(),
        tools: Vec::new(),
        choice: holdover_wire::neutral::Choice::Auto,
    };
    let unsigned = |_: &_, _: &_| Seal::UNSIGNED;
    let outcome = check(endpoint, &nothing, body, &unsigned);
    endpoint.mind(body) == Mind::Thinks && outcome.breaches.is_empty()
}

/// Members of one object into another; tables of one name become one.
pub(crate) fn merge(body: &mut Object, more: impl IntoIterator<Item = (String, Value)>) {
    for (name, value) in more {
        match (body.get_mut(&name), value) {
            (Some(Value::Object(held)), Value::Object(more)) => held.extend(more),
            (_, value) => {
                body.insert(name, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(name: &str) -> Peer {
        Peer::named(name).expect("an endpoint")
    }

    /// Which mode each model takes: `tests/facts/providers.md` section 1.1; chat endpoints think unasked.
    #[test]
    fn thinking_is_asked_for_as_the_model_takes_it() {
        for (name, expected) in [
            (
                "claude-2025",
                json!({"thinking": {"type": "enabled", "budget_tokens": 1024}}),
            ),
            (
                "claude-opus-4.5",
                json!({"thinking": {"type": "enabled", "budget_tokens": 1024}}),
            ),
            ("claude-4.7", json!({"thinking": {"type": "adaptive"}})),
            ("claude-5", json!({})),
            ("deepseek-v4", json!({})),
            ("kimi-k2.6-keep-all", json!({"thinking": {"keep": "all"}})),
            ("gemini-3", json!({})),
        ] {
            assert_eq!(Value::Object(peer(name).members().clone()), expected, "{name}");
        }
    }

    #[test]
    fn paths_are_those_of_the_wire_or_the_endpoint() {
        for (name, path) in [
            ("deepseek-v4", "/v1/chat/completions"),
            ("openrouter-claude", "/api/v1/chat/completions"),
            ("claude-5", "/v1/messages"),
            ("gemini-3", "/v1beta/models/gemini-3:generateContent"),
            (
                "vertex-gemini-3",
                "/v1/projects/holdover/locations/global/publishers/google/models/gemini-3:generateContent",
            ),
        ] {
            assert_eq!(peer(name).path(Delivery::Whole), path, "{name}");
        }
        assert_eq!(Peer::named("openai"), None);
    }

    #[test]
    fn an_endpoint_without_models_or_of_another_day_is_told_by_its_name_only() {
        let told = |name: &str, day: Option<&str>| {
            let day = day.map(|day| Day::parse(day).expect("a day"));
            peer(name).is_told(day.as_ref())
        };
        for name in [
            "claude-5",
            "gemini-3",
            "vertex-gemini-3",
            "deepseek-v4",
            "openai-chat",
            "kimi-k2.6-keep-all",
        ] {
            assert!(told(name, None), "{name}");
        }
        for name in [
            "claude-5.1-older-account",
            "vllm-chat",
            "xai-responses",
            "azure-responses",
            "deepseek-v3.2",
        ] {
            assert!(!told(name, None), "{name}");
        }
        // `tests/facts/providers.md` section 2.2.
        assert!(told("deepseek-v3.2", Some("2026-01-15")));
        assert!(!told("deepseek-v4", Some("2026-01-15")));
    }

    #[test]
    fn reasoning_is_read_inside_one_family_and_backend_only() {
        assert!(peer("claude-5").reads_from("claude-5"));
        assert!(!peer("claude-5").reads_from("openai"));
        assert!(!peer("deepseek-v4").reads_from("deepseek-anthropic"));
        // `tests/facts/providers.md` section 3.1: signatures of AI Studio and Vertex are not interchangeable.
        assert!(!peer("gemini-3").reads_from("vertex-gemini-3"));
    }
}
