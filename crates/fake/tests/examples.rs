//! Key order, event order and framing against `tests/facts/examples`.

mod common;

use common::{body, create, events, example_events, example_json, keys, session};
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

#[test]
fn a_reasoning_stream_has_the_order_and_keys_of_example_03() {
    let expected = example_events("03_reasoning_summary_encrypted_stream.sse");
    let mut session = session();
    session.script(vec![holdover_wire::Reply {
        parts: vec![
            holdover_wire::ReplyPart::Reasoning {
                summary: Some(vec![
                    "**Checking the sum**\n\nI add 17 and 25.".to_owned(),
                    "**Answer**\n\nThe total is 42.".to_owned(),
                ]),
            },
            holdover_wire::ReplyPart::Message {
                text: Some("42".to_owned()),
                phase: None,
            },
        ],
    }]);
    let request = json!({"model": "gpt-5.6-sol", "input": "What is 17 + 25?", "stream": true, "store": false,
        "include": ["reasoning.encrypted_content"], "reasoning": {"effort": "high", "summary": "auto"}});
    let actual = events(&create(&mut session, &request));
    assert_eq!(shape(&actual), shape(&expected));
    let first = |events: &[Value], name: &str| {
        events
            .iter()
            .find(|event| event["type"] == name)
            .cloned()
            .expect("event")
    };
    for name in shape(&expected) {
        let (ours, theirs) = (first(&actual, &name), first(&expected, &name));
        assert_eq!(keys(&ours), keys(&theirs), "{name}");
        for inner in ["item", "part", "response"] {
            assert_eq!(keys(&ours[inner]), keys(&theirs[inner]), "{name} {inner}");
        }
    }
    let (ours, theirs) = (
        actual.last().expect("terminal"),
        expected.last().expect("terminal"),
    );
    assert_eq!(ours["response"]["reasoning"], theirs["response"]["reasoning"]);
    for (index, event) in actual.iter().enumerate() {
        assert_eq!(event["sequence_number"], index);
    }
}
