//! Stage `build`: an input becomes a request body.

use holdover_wire::{Item, Object};
use serde_json::{Value, json};

use crate::config::{AgentConfig, Include, Preset, Streaming};
use crate::slip::Slip;
use crate::slips;
use crate::state::State;

use super::send::Anchor;

/// Members in the order in which the Agents SDK 0.23.1 with openai 3.57.0 was seen to write them.
const SDK_ORDER: [&str; 10] = [
    "model",
    "stream",
    "conversation",
    "include",
    "input",
    "instructions",
    "previous_response_id",
    "reasoning",
    "store",
    "tools",
];

/// Members in the order of the documents' examples.
const PLAIN_ORDER: [&str; 10] = [
    "model",
    "instructions",
    "previous_response_id",
    "conversation",
    "store",
    "include",
    "reasoning",
    "tools",
    "stream",
    "input",
];

/// The body of one create request. Instructions go with every one of them (M6).
pub(crate) fn body(
    config: &AgentConfig,
    state: &State,
    anchor: &Anchor,
    effort: Option<&str>,
    input: Vec<Item>,
) -> Object {
    let order = match config.preset {
        Preset::Plain | Preset::Meai => PLAIN_ORDER,
        Preset::AgentsSdk => SDK_ORDER,
    };
    let mut input = Some(Value::Array(input.into_iter().map(Item::into_value).collect()));
    let mut body = Object::new();
    for name in order {
        let value = match name {
            "input" => input.take(),
            "model" => Some(Value::from(config.model.clone())),
            "instructions" => instructions(config, state).map(Value::from),
            "previous_response_id" => previous_response_id(anchor).map(Value::from),
            "conversation" => conversation(anchor).map(Value::from),
            "store" => config.store.map(Value::from),
            "include" => include(config),
            "reasoning" => reasoning(config, effort),
            "tools" => tools(config),
            _ => (config.stream == Streaming::Sse).then_some(Value::Bool(true)),
        };
        if let Some(value) = value {
            body.insert(name.to_owned(), value);
        }
    }
    if config.has(Slip::IdAsCacheKey) {
        slips::id_as_cache_key::apply(&mut body, state);
    }
    body
}

/// The instructions of one request.
pub(crate) fn instructions(config: &AgentConfig, state: &State) -> Option<String> {
    if config.has(Slip::InstructionsOnce) {
        return slips::instructions_once::apply(config.instructions.clone(), state.instructed);
    }
    config.instructions.clone()
}

fn previous_response_id(anchor: &Anchor) -> Option<String> {
    match anchor {
        Anchor::Chain(id) => id.clone(),
        Anchor::DoubleSend(id) => Some(id.clone()),
        Anchor::Replay | Anchor::Conversation(_) => None,
    }
}

fn conversation(anchor: &Anchor) -> Option<String> {
    match anchor {
        Anchor::Conversation(id) => Some(id.clone()),
        Anchor::Replay | Anchor::Chain(_) | Anchor::DoubleSend(_) => None,
    }
}

/// The Agents SDK always sends the list, even an empty one.
fn include(config: &AgentConfig) -> Option<Value> {
    let asked = if config.has(Slip::IncludeForgotten) {
        slips::include_forgotten::apply()
    } else {
        config.include_encrypted
    };
    match (asked, config.preset) {
        (Include::Encrypted, _) => Some(json!(["reasoning.encrypted_content"])),
        (Include::Nothing, Preset::AgentsSdk) => Some(json!([])),
        (Include::Nothing, Preset::Plain | Preset::Meai) => None,
    }
}

fn reasoning(config: &AgentConfig, effort: Option<&str>) -> Option<Value> {
    let mut reasoning = Object::new();
    if let Some(effort) = effort.or(config.effort.as_deref()) {
        reasoning.insert("effort".to_owned(), effort.into());
    }
    if let Some(summary) = &config.summary {
        reasoning.insert("summary".to_owned(), summary.clone().into());
    }
    (!reasoning.is_empty()).then_some(Value::Object(reasoning))
}

/// The Agents SDK always sends the list, even an empty one.
fn tools(config: &AgentConfig) -> Option<Value> {
    let is_sent = !config.tools.is_empty() || config.preset == Preset::AgentsSdk;
    is_sent.then(|| Value::Array(config.tools.clone()))
}

#[cfg(test)]
mod tests {
    use holdover_wire::audit::IdPolicy;

    use crate::stages::send::anchor;
    use crate::testing::example_json;

    use super::*;

    #[test]
    fn the_replay_example_member_for_member() {
        let example = example_json("03b_replay_request.json");
        let config = AgentConfig {
            model: "gpt-5.6-sol".to_owned(),
            store: Some(false),
            effort: Some("high".to_owned()),
            summary: Some("auto".to_owned()),
            stream: Streaming::Sse,
            ..AgentConfig::default()
        };
        let input = example["input"]
            .as_array()
            .expect("input")
            .iter()
            .filter_map(Item::from_value)
            .collect();
        let state = State::new(IdPolicy::None);
        let body = body(&config, &state, &anchor(&config, &state), None, input);
        assert_eq!(Value::Object(body.clone()).to_string(), example.to_string());
    }

    #[test]
    fn the_sdk_sends_empty_lists() {
        let config = AgentConfig {
            preset: Preset::AgentsSdk,
            include_encrypted: Include::Nothing,
            ..AgentConfig::default()
        };
        let state = State::new(IdPolicy::None);
        let body = body(
            &config,
            &state,
            &Anchor::Chain(Some("resp_1".to_owned())),
            None,
            Vec::new(),
        );
        let expected =
            r#"{"model":"gpt-5.6","include":[],"input":[],"previous_response_id":"resp_1","tools":[]}"#;
        assert_eq!(Value::Object(body).to_string(), expected);
    }
}
