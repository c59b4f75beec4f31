//! Key order, event order and framing against `tests/facts/examples`.

mod common;

use common::{body, create, events, example_events, example_json, keys, session};
use holdover_wire::{Item, Reply, ReplyPart};
use serde_json::{Value, json};

#[test]
fn a_response_has_the_members_of_example_01_in_their_order() {
    let expected = &example_json("01_text.json")["response"]["body"];
    let answer = create(
        &mut session(),
        &json!({"model": "gpt-5.6-sol", "input": "How many days are in a week? One word."}),
    );
    let response = body(&answer);
    assert_eq!(keys(&response), keys(expected));
    for name in ["reasoning", "usage", "text", "tool_usage", "billing"] {
        assert_eq!(keys(&response[name]), keys(&expected[name]), "{name}");
    }
    let message = &response["output"][1];
    assert_eq!(keys(message), keys(&expected["output"][0]));
    assert_eq!(
        keys(&message["content"][0]),
        keys(&expected["output"][0]["content"][0])
    );
    let same = [
        "object",
        "status",
        "background",
        "billing",
        "error",
        "frequency_penalty",
        "incomplete_details",
        "instructions",
        "model",
        "moderation",
        "parallel_tool_calls",
        "presence_penalty",
        "prompt_cache_key",
        "prompt_cache_retention",
        "reasoning",
        "service_tier",
        "store",
        "temperature",
        "text",
        "tool_choice",
        "tool_usage",
        "tools",
        "top_logprobs",
        "top_p",
        "truncation",
        "user",
        "metadata",
        "created_at",
    ];
    for name in same {
        assert_eq!(response[name].to_string(), expected[name].to_string(), "{name}");
    }
}

/// Names of events with runs of deltas folded into one.
fn shape(events: &[Value]) -> Vec<String> {
    let mut names: Vec<String> = events
        .iter()
        .map(|event| event["type"].as_str().expect("type").to_owned())
        .collect();
    names.dedup();
    names
}

/// Every event that both streams have: keys of the event and of what it holds, in order.
fn same_keys(actual: &[Value], expected: &[Value]) {
    let first = |events: &[Value], name: &str| events.iter().find(|event| event["type"] == name).cloned();
    for name in shape(expected) {
        let (ours, theirs) = (first(actual, &name), first(expected, &name));
        let (ours, theirs) = (ours.expect("our event"), theirs.expect("an event"));
        assert_eq!(keys(&ours), keys(&theirs), "{name}");
        for inner in ["item", "part", "response"] {
            assert_eq!(keys(&ours[inner]), keys(&theirs[inner]), "{name} {inner}");
        }
    }
    for (index, event) in actual.iter().enumerate() {
        assert_eq!(event["sequence_number"], index);
    }
}

/// A stream that says `parts` to `request`.
fn said(parts: Vec<ReplyPart>, request: &Value) -> Vec<Value> {
    let mut session = session();
    session.script(vec![Reply { parts }]);
    let mut request = request.clone();
    request["stream"] = json!(true);
    events(&create(&mut session, &request))
}

/// The deltas join to the same text, and each is filled up to a multiple of 16 characters. (The examples are invented:
/// their pieces are not those of the tokenizer.)
fn same_deltas(actual: &[Value], expected: &[Value]) {
    let text = |events: &[Value]| -> String {
        events
            .iter()
            .filter_map(|event| event["delta"].as_str())
            .collect()
    };
    assert_eq!(text(actual), text(expected));
    for event in actual.iter().filter(|event| event.get("delta").is_some()) {
        let length = |name: &str| event[name].as_str().expect("text").chars().count();
        assert_eq!((length("delta") + length("obfuscation")) % 16, 0, "{event}");
        assert!(length("obfuscation") < 16);
    }
}

fn message(text: &str) -> ReplyPart {
    ReplyPart::Message {
        text: Some(text.to_owned()),
        phase: None,
    }
}

#[test]
fn a_text_stream_is_that_of_example_02() {
    let expected = example_events("02_text_stream.sse");
    let actual = said(
        vec![message("Tea steeps best at 80 °C.")],
        &json!({"model": "gpt-5.6-sol", "input": "x"}),
    );
    assert_eq!(shape(&actual), shape(&expected));
    same_keys(&actual, &expected);
    same_deltas(&actual, &expected);
}

#[test]
fn a_function_call_stream_is_that_of_example_04() {
    let expected = example_events("04_function_call_stream.sse");
    let parts = vec![
        ReplyPart::Reasoning { summary: None },
        ReplyPart::Call {
            id: Some("call_SU9Jxpa383nr0ESnM5cSIQYm".to_owned()),
            name: "get_weather".to_owned(),
            arguments: Some(r#"{"city":"Oslo"}"#.to_owned()),
        },
    ];
    let mut request = example_json("04b_function_output_turn.json")["request_body"].clone();
    request["input"] = json!("Weather in Oslo?");
    request
        .as_object_mut()
        .expect("object")
        .shift_remove("previous_response_id");
    let actual = said(parts, &request);
    assert_eq!(shape(&actual), shape(&expected));
    same_keys(&actual, &expected);
    same_deltas(&actual, &expected);
    let tools = |events: &[Value]| events[0]["response"]["tools"].to_string();
    assert_eq!(tools(&actual), tools(&expected));
}

#[test]
fn refusals_custom_calls_and_structured_text_are_those_of_the_examples() {
    let request = json!({"model": "gpt-5.6-sol", "input": "x"});
    let refusal = vec![ReplyPart::Refusal(
        "I'm sorry, but I can't help with that.".to_owned(),
    )];
    let expected = example_events("07_refusal_stream.sse");
    let actual = said(refusal, &request);
    assert_eq!(shape(&actual), shape(&expected));
    same_keys(&actual, &expected);
    same_deltas(&actual, &expected);

    let expected = example_events("06_custom_tool_stream.sse");
    let done = expected
        .iter()
        .find(|event| event["type"] == "response.output_item.done")
        .expect("an item");
    let pasted = Item::from_value(&done["item"]).expect("an item");
    let actual = said(vec![ReplyPart::Item(pasted)], &request);
    assert_eq!(shape(&actual), shape(&expected));
    same_keys(&actual, &expected);

    let expected = example_events("08_structured_output_stream.sse");
    let text = expected
        .iter()
        .find(|event| event["type"] == "response.output_text.done")
        .expect("a text");
    let mut request = request.clone();
    request["text"] = expected[0]["response"]["text"].clone();
    let actual = said(vec![message(text["text"].as_str().expect("text"))], &request);
    same_keys(&actual, &expected);
    assert_eq!(
        actual[0]["response"]["text"].to_string(),
        expected[0]["response"]["text"].to_string()
    );
}

#[test]
fn obfuscation_can_be_switched_off() {
    let request =
        json!({"model": "gpt-5.6-sol", "input": "x", "stream_options": {"include_obfuscation": false}});
    let actual = said(vec![message("Tea steeps best at 80 °C.")], &request);
    assert!(actual.iter().all(|event| event.get("obfuscation").is_none()));
}

#[test]
fn a_structured_answer_is_valid_for_its_schema() {
    let format = example_events("08_structured_output_stream.sse")[0]["response"]["text"].clone();
    let answer = create(
        &mut session(),
        &json!({"model": "gpt-5.6-sol", "input": "x", "text": format}),
    );
    let text: Value = serde_json::from_str(&common::text(&answer)).expect("JSON");
    assert_eq!(keys(&text), ["city", "founded"]);
    assert!(text["founded"].is_i64());
}

#[test]
fn a_reasoning_stream_has_the_order_and_keys_of_example_03() {
    let expected = example_events("03_reasoning_summary_encrypted_stream.sse");
    let mut session = session();
    session.script(vec![Reply {
        parts: vec![
            ReplyPart::Reasoning {
                summary: Some(vec![
                    "**Checking the sum**\n\nI add 17 and 25.".to_owned(),
                    "**Answer**\n\nThe total is 42.".to_owned(),
                ]),
            },
            ReplyPart::Message {
                text: Some("42".to_owned()),
                phase: None,
            },
        ],
    }]);
    let request = json!({"model": "gpt-5.6-sol", "input": "What is 17 + 25?", "stream": true, "store": false,
        "include": ["reasoning.encrypted_content"], "reasoning": {"effort": "high", "summary": "auto"}});
    let actual = events(&create(&mut session, &request));
    assert_eq!(shape(&actual), shape(&expected));
    same_keys(&actual, &expected);
    same_deltas(&actual, &expected);
    let (ours, theirs) = (
        actual.last().expect("terminal"),
        expected.last().expect("terminal"),
    );
    assert_eq!(ours["response"]["reasoning"], theirs["response"]["reasoning"]);
}
