//! Interactions of Gemini, whole and streamed, with state and without (`tests/facts/providers.md` sections 3.3 and 15.4).

use holdover_fake::{FakeConfig, Session};
use holdover_profile::Profile;
use holdover_wire::neutral::answered;
use holdover_wire::recording::ResponseRecord;
use holdover_wire::{Call, Plan, PlanBody, Reply, ReplyPart, Step, Wire};
use serde_json::{Value, json};

fn send(session: &mut Session, request: Value) -> Plan {
    session.handle(&Call::post("/v1beta/interactions", request)).plan
}

fn document(plan: &Plan) -> Value {
    let PlanBody::Json(body) = &plan.body else {
        panic!("no document");
    };
    body.value().clone()
}

fn calls() -> Reply {
    let call = ReplyPart::Call {
        id: Some("call_1".to_owned()),
        name: "lookup".to_owned(),
        arguments: Some("{\"key\":\"a\"}".to_owned()),
    };
    Reply {
        parts: vec![
            ReplyPart::Reasoning {
                summary: Some(vec!["Let me look.".to_owned()]),
            },
            call,
        ],
    }
}

fn kinds(body: &Value) -> Vec<&str> {
    let steps = body["steps"].as_array().expect("steps").iter();
    steps.filter_map(|step| step["type"].as_str()).collect()
}

#[test]
fn what_is_named_need_not_go_back() {
    let mut session = Session::new(FakeConfig::default());
    session.script(vec![calls()]);
    let first = send(
        &mut session,
        json!({"model": "gemini-3-pro", "input": "holdover:recall"}),
    );
    assert_eq!(first.header("x-holdover-profile"), Some("gemini-interactions"));
    let first = document(&first);
    assert_eq!(kinds(&first), ["thought", "function_call"]);
    assert_eq!(first["status"], "requires_action");
    let result = json!({"type": "function_result", "call_id": "call_1", "name": "lookup", "result": "42"});
    let request = json!({"model": "gemini-3-pro", "previous_interaction_id": first["id"], "input": [result]});
    let second = send(&mut session, request);
    assert_eq!(second.header("x-holdover-rendered"), Some("1"));
    let second = document(&second);
    let text = second["steps"][1]["content"][0]["text"].as_str().expect("a text");
    assert!(text.starts_with("nonce-"), "{text}");
    let used = |body: &Value| body["usage"]["total_tokens"].as_u64().expect("a number");
    assert!(second["usage"]["total_input_tokens"].as_u64() >= Some(used(&first)));
    let third =
        json!({"model": "gemini-3-pro", "previous_interaction_id": second["id"], "input": "holdover:recall"});
    assert_eq!(send(&mut session, third).header("x-holdover-rendered"), Some("2"));
}

#[test]
fn what_was_not_stored_cannot_be_named() {
    let mut session = Session::new(FakeConfig::default());
    let first = document(&send(
        &mut session,
        json!({"model": "gemini-3-pro", "input": "Hi", "store": false}),
    ));
    for id in [first["id"].clone(), "v1_other".into()] {
        let request = json!({"model": "gemini-3-pro", "previous_interaction_id": id, "input": "And?"});
        let plan = send(&mut session, request);
        assert_eq!(
            (plan.status, plan.header("x-holdover-evidence")),
            (400, Some("inferred"))
        );
    }
}

#[test]
fn a_stream_says_the_same_and_is_over_with_done() {
    let request = |stream: bool| json!({"model": "gemini-3-pro", "input": "Look", "stream": stream, "generation_config": {"thinking_summaries": "auto"}});
    let answer_of = |stream| {
        let mut session = Session::new(FakeConfig::default());
        session.script(vec![calls()]);
        send(&mut session, request(stream))
    };
    let whole = document(&answer_of(false));
    assert_eq!(whole["steps"][0]["summary"][0]["text"], "Let me look.");
    let plan = answer_of(true);
    let PlanBody::Stream(steps) = &plan.body else {
        panic!("no stream");
    };
    let events: Vec<_> = steps.iter().filter_map(Step::event).cloned().collect();
    let mut kinds: Vec<String> = events
        .iter()
        .filter_map(|event| Some(event.object().get("event_type")?.as_str()?.to_owned()))
        .collect();
    kinds.dedup();
    let expected = [
        "interaction.created",
        "step.start",
        "step.delta",
        "step.stop",
        "step.start",
        "step.delta",
        "step.stop",
        "interaction.status_update",
        "interaction.completed",
    ];
    assert_eq!(kinds, expected);
    let text = String::from_utf8(plan.body.bytes()).expect("text");
    assert!(text.starts_with("event: interaction.created\ndata: {"), "{text}");
    assert!(text.ends_with("event: done\ndata: [DONE]\n\n"), "{text}");
    let record = ResponseRecord {
        events: Some(events),
        ..ResponseRecord::default()
    };
    let turn = answered(Wire::GeminiInteractions, &record).expect("steps");
    let mut said = turn.value()["steps"].clone();
    let mut expected = whole["steps"].clone();
    for steps in [&mut said, &mut expected] {
        steps[0]["signature"] = "s".into();
    }
    assert_eq!(said, expected);
}

#[test]
fn the_code_of_a_refusal_is_a_choice_of_profile() {
    for (profile, code) in [
        ("gemini-interactions", "missing_thought_signature"),
        ("gemini-interactions-generic", "invalid_request"),
    ] {
        let mut profile = Profile::builtin(profile).expect("a profile");
        profile.switches.probe = holdover_profile::Probe::Refuse;
        let mut session = Session::new(FakeConfig {
            profile,
            ..FakeConfig::default()
        });
        let call = json!({"type": "function_call", "id": "c", "name": "f", "arguments": {}});
        let result = json!({"type": "function_result", "call_id": "c", "result": "42"});
        let input = json!([{"type": "user_input", "content": [{"type": "text", "text": "x"}]}, call, result]);
        let plan = send(
            &mut session,
            json!({"model": "gemini-3-pro", "store": false, "input": input}),
        );
        assert_eq!(plan.status, 400);
        assert_eq!(document(&plan)["error"]["code"], code);
    }
}
