//! Other wires: the replay policy where a request is built, and a session that moves.

use std::sync::Arc;

use holdover_profile::policy::Policy;
use holdover_wire::CallBody;
use serde_json::{Value, json};

use crate::config::Moves;
use crate::peer::Peer;
use crate::testing::{call, drive, json as answer, message, reasoning, response, stateless};
use crate::turn::{Received, TurnInput, TurnStatus};
use crate::{Agent, AgentConfig};

fn claude(content: &Value) -> Received {
    answer(
        &json!({"id": "msg_1", "type": "message", "role": "assistant", "stop_reason": "end_turn", "content": content}),
    )
}

fn thinking() -> Value {
    json!({"type": "thinking", "thinking": "Hm.", "signature": "signature-of-a-thought"})
}

/// A client of Claude under a policy, after one turn of talk.
fn talked(policy: &str) -> Agent {
    let mut agent = Agent::new(AgentConfig {
        session: "s".to_owned(),
        peer: Peer::named("claude-5"),
        replay_policy: Policy::builtin(policy).map(Arc::new),
        ..AgentConfig::default()
    });
    let first = claude(&json!([thinking(), {"type": "text", "text": "Hello."}]));
    let (calls, result) = drive(&mut agent, TurnInput::user("a"), &[first]);
    assert_eq!(calls[0].path, "/v1/messages");
    assert_eq!(result.text, "Hello.");
    assert!(result.has_protected_in_response && result.has_protected_in_history);
    agent
}

fn sent(agent: &mut Agent) -> (Value, crate::TurnResult) {
    let next = claude(&json!([{"type": "text", "text": "Yes."}]));
    let (calls, result) = drive(agent, TurnInput::user("b"), &[next]);
    match &calls[0].body {
        CallBody::Json(body) => (body["messages"][1].clone(), result),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_policy_acts_when_sending_and_leaves_the_history_alone() {
    let text = json!({"type": "text", "text": "Hello."});
    for (policy, content) in [
        ("replay-all", json!([thinking(), text])),
        ("drop-all", json!([text])),
    ] {
        let mut agent = talked(policy);
        let (message, result) = sent(&mut agent);
        assert_eq!(
            message,
            json!({"role": "assistant", "content": content}),
            "{policy}"
        );
        assert!(result.has_protected_in_history, "{policy}");
        let record = agent.take_audit().remove(1).other["replay_policy"].clone();
        assert_eq!(record["policy_id"], policy);
        let left_out = u64::from(policy == "drop-all");
        assert_eq!(record["actions"][0]["left_out"], left_out);
        assert!(!record.to_string().contains("Hm."), "{record}");
    }
}

#[test]
fn stop_and_probe_sends_nothing_and_says_so() {
    let mut agent = talked("replay-all");
    let text = "policy_id = 'p'\nfallback_on_unknown = 'stop_and_probe'";
    agent.config.replay_policy = Policy::parse(text).ok().map(Arc::new);
    let (calls, result) = drive(&mut agent, TurnInput::user("b"), &[]);
    assert_eq!(calls, []);
    assert_eq!(result.status, TurnStatus::Stopped);
    let record = agent.take_audit().remove(1).other["replay_policy"].clone();
    assert_eq!(record["actions"][0]["action"], "stop_and_probe");
}

#[test]
fn a_move_leaves_foreign_reasoning_behind_and_records_it() {
    let mut agent = stateless(|config| config.moves = Moves::Moves);
    let output = json!([reasoning("rs_1"), call("fc_1", "call_1")]);
    drive(
        &mut agent,
        TurnInput::user("a"),
        &[answer(&response("resp_1", &output))],
    );
    let output = json!([reasoning("rs_2"), message("msg_2", "Done.")]);
    let turn = TurnInput::tool_output("lookup", "42");
    drive(&mut agent, turn, &[answer(&response("resp_2", &output))]);
    let moved = TurnInput {
        profile: Some("gemini-3".to_owned()),
        ..TurnInput::user("b")
    };
    let gemini = answer(
        &json!({"responseId": "r", "candidates": [{"finishReason": "STOP", "content": {"role": "model",
            "parts": [{"text": "Yes.", "thoughtSignature": "sig"}]}}]}),
    );
    let (calls, _) = drive(&mut agent, moved, &[gemini]);
    let body = calls[0].body.object().expect("a body");
    let expected = json!([
        {"role": "user", "parts": [{"text": "a"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "lookup", "args": {"key": "a"}, "id": "call_1"}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "lookup", "id": "call_1", "response": {"output": "42"}}}]},
        {"role": "model", "parts": [{"text": "Done."}]},
        {"role": "user", "parts": [{"text": "b"}]},
    ]);
    assert_eq!(body["contents"], expected);
    let reset = agent.take_audit().remove(2).other["reset"].clone();
    assert_eq!(
        (&reset["from"], &reset["to"], &reset["left_behind"]),
        (&json!(["openai"]), &json!("gemini-3"), &json!(2))
    );
    // And back: what Google signed stays behind, what OpenAI sealed is there again.
    let back = TurnInput {
        profile: Some("openai".to_owned()),
        ..TurnInput::user("c")
    };
    let output = json!([message("msg_3", "Rest.")]);
    let (calls, _) = drive(&mut agent, back, &[answer(&response("resp_3", &output))]);
    let body = calls[0].body.object().expect("a body");
    let input = body["input"].as_array().expect("input");
    let kinds: Vec<&str> = input
        .iter()
        .map(|item| item["type"].as_str().unwrap_or("message"))
        .collect();
    assert_eq!(
        kinds,
        [
            "message",
            "reasoning",
            "function_call",
            "function_call_output",
            "reasoning",
            "message",
            "message",
            "message",
            "message"
        ]
    );
    assert!(
        !Value::Array(input.clone())
            .to_string()
            .contains("holdover_origin")
    );
    assert_eq!(input[7], json!({"role": "assistant", "content": "Yes."}));
}

#[test]
fn a_stream_without_its_end_is_no_answer() {
    let mut agent = Agent::new(AgentConfig {
        peer: Peer::named("claude-5"),
        recovery: crate::Recovery::Stops,
        ..AgentConfig::default()
    });
    let cut = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"role\":\"assistant\",\"content\":[]}}\n\n";
    let (_, result) = drive(&mut agent, TurnInput::user("a"), &[crate::testing::sse(cut)]);
    assert_eq!(result.status, TurnStatus::Broken);
}

/// From Claude to Gemini and back: the third one is told of two issuers, and not of three.
#[test]
fn a_reset_names_each_issuer_once() {
    let mut agent = Agent::new(AgentConfig {
        session: "s".to_owned(),
        moves: Moves::Moves,
        ..AgentConfig::default()
    });
    let anthropic = || claude(&json!([thinking(), {"type": "text", "text": "Hello."}]));
    let gemini = answer(
        &json!({"responseId": "r", "candidates": [{"finishReason": "STOP", "content": {"role": "model",
            "parts": [{"text": "Yes.", "thoughtSignature": "sig"}]}}]}),
    );
    let output = json!([message("msg_1", "Done.")]);
    for (profile, received) in [
        ("claude-5", anthropic()),
        ("gemini-3", gemini),
        ("claude-5", anthropic()),
        ("openai", answer(&response("resp_1", &output))),
    ] {
        let turn = TurnInput {
            profile: Some(profile.to_owned()),
            ..TurnInput::user("a")
        };
        drive(&mut agent, turn, &[received]);
    }
    let reset = agent.take_audit().remove(3).other["reset"].clone();
    assert_eq!(reset["from"], json!(["claude-5", "gemini-3"]));
    // Two thoughts, and a text that bears a signature.
    assert_eq!(reset["left_behind"], 3);
}
