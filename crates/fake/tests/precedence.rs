//! Which of two faults is told first (`tests/facts/errors.md` section 0): every pair whose order is known.

mod common;

use common::{body, create, session};
use serde_json::{Map, Value, json};

/// The schema walk in its measured order.
const WALK: [&str; 31] = [
    "input",
    "previous_response_id",
    "prompt",
    "moderation",
    "include",
    "tools",
    "tool_choice",
    "metadata",
    "text",
    "temperature",
    "top_p",
    "presence_penalty",
    "frequency_penalty",
    "parallel_tool_calls",
    "stream",
    "stream_options",
    "background",
    "max_output_tokens",
    "max_tool_calls",
    "reasoning",
    "user",
    "safety_identifier",
    "prompt_cache_options",
    "prompt_cache_key",
    "prompt_cache_retention",
    "truncation",
    "instructions",
    "store",
    "service_tier",
    "top_logprobs",
    "context_management",
];

/// A value of a type that a member never has.
fn wrong(name: &str) -> Value {
    match name {
        "parallel_tool_calls" | "stream" | "background" | "store" => json!("yes"),
        _ => json!(true),
    }
}

/// The parameter and the code of a refusal.
fn refusal(request: &Value) -> (Value, Value) {
    let answer = create(&mut session(), request);
    assert!(answer.plan.status >= 400, "{request}");
    let error = body(&answer)["error"].clone();
    (error["param"].clone(), error["code"].clone())
}

fn param(request: &Value) -> Value {
    refusal(request).0
}

fn message(request: &Value) -> String {
    let error = body(&create(&mut session(), request))["error"]["message"].clone();
    error.as_str().expect("a message").to_owned()
}

#[test]
fn of_any_two_schema_faults_the_one_that_is_walked_first_is_told() {
    for (place, first) in WALK.iter().enumerate() {
        for second in &WALK[place + 1..] {
            // The body has them the other way round: its order does not count.
            let mut request = Map::new();
            request.insert((*second).to_owned(), wrong(second));
            request.insert((*first).to_owned(), wrong(first));
            request.insert("model".to_owned(), json!("gpt-5.6"));
            request.entry("input").or_insert_with(|| json!("x"));
            assert_eq!(param(&Value::Object(request)), *first, "{first} and {second}");
        }
    }
}

#[test]
fn model_then_input_then_unknown_members_then_the_walk() {
    let faults = [
        ("model", json!({"nope": 1, "store": "yes"})),
        ("model", json!({"model": 1, "nope": 1})),
        (
            "nope",
            json!({"model": "gpt-5.6", "store": "yes", "input": 1, "nope": 1, "nope2": 1}),
        ),
        ("input", json!({"model": "gpt-5.6", "store": "yes", "input": 1})),
    ];
    for (expected, request) in faults {
        assert_eq!(param(&request), expected, "{request}");
    }
    let absent = json!({"model": "gpt-5.6", "nope": 1});
    assert_eq!(
        refusal(&absent),
        (Value::Null, json!("missing_required_parameter"))
    );
}

#[test]
fn a_hint_names_a_near_member_that_is_not_there_already() {
    let near = json!({"model": "gpt-5.6", "input": "x", "temprature": 1});
    assert_eq!(
        message(&near),
        "Unknown parameter: 'temprature'. Did you mean 'temperature'?"
    );
    let there = json!({"model": "gpt-5.6", "input": "x", "temperature": 1, "temprature": 1});
    assert_eq!(message(&there), "Unknown parameter: 'temprature'.");
}

#[test]
fn a_schema_fault_hides_a_state_fault_which_hides_emptiness_which_hides_capability() {
    let capability = json!({"model": "gpt-5.6", "input": "x", "temperature": 0.5});
    assert_eq!(param(&capability), "temperature");
    let empty = json!({"model": "gpt-5.6", "input": [], "temperature": 0.5});
    assert_eq!(
        refusal(&empty),
        (Value::Null, json!("missing_required_parameter"))
    );
    let state =
        json!({"model": "gpt-5.6", "input": [], "previous_response_id": "resp_A", "temperature": 0.5});
    assert_eq!(param(&state), "previous_response_id");
    let mut schema = state;
    schema["store"] = json!("yes");
    assert_eq!(param(&schema), "store");
}

#[test]
fn two_modes_then_conversation_then_prompt_then_previous_response() {
    let mut request = json!({"model": "gpt-5.6", "input": "x", "previous_response_id": "resp_A", "prompt": {"id": "pmpt_A"}, "conversation": "conv_A"});
    assert_eq!(refusal(&request).1, "mutually_exclusive_parameters");
    let members = request.as_object_mut().expect("object");
    members.shift_remove("previous_response_id");
    assert_eq!(message(&request), "Conversation with id 'conv_A' not found.");
    let members = request.as_object_mut().expect("object");
    members.shift_remove("conversation");
    members.insert("previous_response_id".to_owned(), json!("resp_A"));
    assert_eq!(message(&request), "Prompt with id 'pmpt_A' not found.");
    request.as_object_mut().expect("object").shift_remove("prompt");
    assert_eq!(message(&request), "Previous response with id 'resp_A' not found.");
}

#[test]
fn temperature_then_top_p_then_logprobs() {
    let include = json!(["message.output_text.logprobs"]);
    let mut request = json!({"model": "gpt-5.6", "input": "x", "top_logprobs": 2, "include": include, "top_p": 0.5, "temperature": 0.5});
    for expected in ["temperature", "top_p", "include", "top_logprobs"] {
        assert_eq!(param(&request), expected);
        request.as_object_mut().expect("object").shift_remove(expected);
    }
    assert_eq!(create(&mut session(), &request).plan.status, 200);
}

#[test]
fn null_means_omitted_for_all_but_model_and_input() {
    for name in WALK.iter().filter(|name| **name != "input") {
        let mut request = json!({"model": "gpt-5.6", "input": "x"});
        request[*name] = Value::Null;
        assert_eq!(create(&mut session(), &request).plan.status, 200, "{name}");
    }
    assert_eq!(param(&json!({"model": null, "input": "x"})), "model");
    assert_eq!(param(&json!({"model": "gpt-5.6", "input": null})), "input");
}
