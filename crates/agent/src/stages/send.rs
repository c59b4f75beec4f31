//! Stage `send`: how a request is tied to what came before, and a body as a call of the client that is played.

use holdover_wire::{Call, Object};
use serde_json::Value;

use crate::config::{AgentConfig, Preset, StateMode};
use crate::slip::Slip;
use crate::slips;
use crate::state::{Anchors, State};

/// How a request is tied to what came before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// By the whole history in its input.
    Replay,
    /// By `previous_response_id`; the first request of a chain has none.
    Chain(Option<String>),
    /// By `conversation`.
    Conversation(String),
    /// By the whole history and `previous_response_id` at once.
    DoubleSend(String),
}

/// How the next request is anchored: one mode, every turn (M1).
pub(crate) fn anchor(config: &AgentConfig, state: &State) -> Anchor {
    let right = match (config.state, &state.conversation) {
        _ if state.anchors == Anchors::Refused => Anchor::Replay,
        (StateMode::Conversation, Some(id)) => Anchor::Conversation(id.clone()),
        (StateMode::ServerChain, _) => Anchor::Chain(state.response.clone()),
        // Without a conversation there is nothing to anchor to.
        (StateMode::ClientReplay, _) | (StateMode::Conversation, None) => Anchor::Replay,
    };
    if config.has(Slip::MixedModes) {
        return slips::mixed_modes::apply(right, state);
    }
    right
}

/// A `POST` of this client.
pub(crate) fn post(config: &AgentConfig, path: &str, body: Object) -> Call {
    with_headers(config, Call::post(path, Value::Object(body)))
}

/// A `GET` of this client.
pub(crate) fn get(config: &AgentConfig, path: &str, query: &[(&str, &str)]) -> Call {
    let mut call = with_headers(config, Call::get(path));
    call.query = query
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    call
}

/// The key names the session, as `docs/architecture.md` has it for clients under test.
fn with_headers(config: &AgentConfig, mut call: Call) -> Call {
    let headers = [
        ("authorization", format!("Bearer sk-holdover-{}", config.session)),
        ("content-type", "application/json".to_owned()),
        ("accept", "application/json".to_owned()),
        ("user-agent", user_agent(config.preset, &call.path).to_owned()),
    ];
    call.headers = headers.map(|(name, value)| (name.to_owned(), value)).to_vec();
    call
}

/// The Agents SDK names itself on create requests only; its session classes call the API through the plain client.
fn user_agent(preset: Preset, path: &str) -> &'static str {
    match preset {
        Preset::Plain => "Holdover-Agent/1",
        Preset::AgentsSdk if path == "/v1/responses" => "Agents/Python 0.23.1",
        Preset::AgentsSdk => "AsyncOpenAI/Python 3.57.0",
        Preset::Meai => "MEAI/10.11",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_names_its_session_and_client() {
        let config = AgentConfig {
            session: "case-1".to_owned(),
            preset: Preset::AgentsSdk,
            ..AgentConfig::default()
        };
        let call = post(&config, "/v1/responses", Object::new());
        assert_eq!(call.header("authorization"), Some("Bearer sk-holdover-case-1"));
        assert_eq!(call.header("user-agent"), Some("Agents/Python 0.23.1"));
        let list = get(&config, "/v1/conversations/conv_1/items", &[("order", "asc")]);
        assert_eq!(list.query("order"), Some("asc"));
        assert_eq!(list.header("user-agent"), Some("AsyncOpenAI/Python 3.57.0"));
    }
}
