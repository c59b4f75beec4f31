//! The last step of stage `build`: the replay policy, where history becomes a request. What is stored is never touched
//! (R4 of `docs/mission.md`): what is sent is made anew from it each time.

use std::sync::LazyLock;

use holdover_profile::policy::{Applied, Policy, Record, apply};
use holdover_profile::provider::{Condition, Day, Endpoint, Speech};
use holdover_wire::neutral::{Carrier, History};
use holdover_wire::{Object, Wire};
use serde_json::{Value, json};

use crate::peer::Peer;

/// What a policy made of a request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Decided {
    /// This is sent.
    Send(Object, Record),
    /// Nothing is sent before somebody has looked.
    Stop(Record),
}

/// The body under the policy. Without a peer it goes to the Responses API.
pub(crate) fn decided(policy: &Policy, peer: Option<&Peer>, path: &str, mut body: Object) -> Decided {
    let endpoint = peer.map_or(&*RESPONSES, Peer::endpoint);
    let Some(history) = History::read(endpoint.wire, path, &body) else {
        return Decided::Send(body, Record::default());
    };
    match apply(policy, endpoint, &history, &body) {
        Applied::Stop { record } => Decided::Stop(record),
        Applied::Send { messages, record } => {
            let list = match endpoint.wire {
                Wire::Responses | Wire::GeminiInteractions => "input",
                Wire::GeminiGenerate => "contents",
                Wire::ChatCompletions | Wire::AnthropicMessages | Wire::BedrockConverse => "messages",
            };
            if let Some(Value::Array(list)) = body.get_mut(list) {
                // From the end, so that what goes moves nothing that is still to come.
                for (at, message) in messages.into_iter().rev() {
                    match message {
                        Some(message) => list[at] = Value::Object(message),
                        None => drop(list.remove(at)),
                    }
                }
            }
            Decided::Send(body, record)
        }
    }
}

/// What an audit record says of it (R5, R6, R7): structure only.
pub(crate) fn told(record: &Record) -> Value {
    let actions: Vec<Value> = record
        .actions
        .iter()
        .map(|(at, action, left_out)| json!({"message": at, "action": action.as_str(), "left_out": left_out}))
        .collect();
    json!({
        "policy_id": record.policy_id,
        "profile": record.profile,
        "actions": actions,
        "unknown_fields": record.unknown_fields,
        "capability_review": !record.unknown_fields.is_empty(),
        "kept": record.kept,
        "resets": record.resets,
    })
}

/// The Responses API of OpenAI as a policy sees it: what it wants back is a profile's matter, and no entry of a
/// provider.
static RESPONSES: LazyLock<Endpoint> = LazyLock::new(|| Endpoint {
    name: "openai".to_owned(),
    provider: "openai".to_owned(),
    about: "the Responses API of OpenAI".to_owned(),
    wire: Wire::Responses,
    paths: Vec::new(),
    models: Vec::new(),
    model_family: "openai".to_owned(),
    unread: Vec::new(),
    when: Condition::default(),
    account_scope: holdover_profile::provider::AccountScope::Account,
    backend: None,
    from: None,
    until: None,
    as_of: Day::parse("2026-11-17").expect("a day"),
    speech: Speech {
        reads: vec![Carrier::ReasoningItem],
        writes: Some(Carrier::ReasoningItem),
        ..Speech::default()
    },
    refusal: holdover_profile::provider::Refusal::default(),
    rule: Vec::new(),
});

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(name: &str) -> Policy {
        Policy::builtin(name).expect("a policy")
    }

    fn request() -> Object {
        let body = json!({"model": "m", "input": [
            {"role": "user", "content": "u"},
            {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "e"},
            {"type": "message", "role": "assistant", "content": "a"},
            {"role": "user", "content": "v"},
            {"type": "reasoning", "id": "rs_2", "summary": [], "encrypted_content": "e"},
            {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c", "output": "42"}]});
        body.as_object().expect("an object").clone()
    }

    fn ids(name: &str) -> Vec<String> {
        match decided(&policy(name), None, "/v1/responses", request()) {
            Decided::Send(body, _) => {
                let input = body["input"].as_array().expect("input").iter();
                input
                    .filter_map(|item| item["id"].as_str().map(str::to_owned))
                    .collect()
            }
            Decided::Stop(_) => panic!("nothing is sent"),
        }
    }

    #[test]
    fn items_of_reasoning_go_or_stay_by_their_place() {
        assert_eq!(ids("replay-all"), ["rs_1", "rs_2"]);
        assert_eq!(ids("tool-loop-only"), ["rs_2"]);
        assert_eq!(ids("drop-all"), Vec::<String>::new());
    }

    #[test]
    fn the_record_tells_structure_and_no_word_of_reasoning() {
        let Decided::Send(_, record) = decided(&policy("drop-all"), None, "/v1/responses", request()) else {
            panic!("nothing is sent");
        };
        let told = told(&record);
        assert_eq!(
            told["actions"][0],
            json!({"message": 1, "action": "drop_reasoning", "left_out": 1})
        );
        assert_eq!(told["capability_review"], false);
    }
}
