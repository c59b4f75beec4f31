//! Microsoft.Extensions.AI: raw items, contents, streams.

use serde_json::json as value;

use crate::config::{SessionStore, Streaming};
use crate::testing::{
    call, drive, example, input, message, play, reasoning, sse, stateless, talk_turns, token, tool_turns,
};

use super::super::*;
use super::output;

#[test]
fn meai_sends_raw_items_from_memory_and_contents_from_json() {
    let second = |store: SessionStore| {
        let mut agent = stateless(|config| {
            config.preset = Preset::Meai;
            config.session_store = store;
        });
        input(&play(&mut agent, &tool_turns()).0[2])
    };
    let question = |text: &str| value!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]});
    let memory = [
        question("Plan the migration."),
        reasoning("rs_1"),
        call("fc_1", "call_1"),
        output("call_1", "42"),
        reasoning("rs_2"),
        message("msg_2", "Done."),
        question("And then?"),
    ];
    assert_eq!(second(SessionStore::Memory), memory);
    let bare = |id: &str| value!({"type": "reasoning", "id": id, "encrypted_content": token(id), "summary": reasoning(id)["summary"]});
    let rebuilt = [
        question("Plan the migration."),
        bare("rs_1"),
        value!({"type": "function_call", "call_id": "call_1", "name": "lookup", "arguments": "{\"key\":\"a\"}"}),
        output("call_1", "42"),
        bare("rs_2"),
        value!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done.", "annotations": []}]}),
        question("And then?"),
    ];
    assert_eq!(second(SessionStore::Sqlite), rebuilt);
    assert_eq!(second(SessionStore::Json), rebuilt);
}

/// Example 03 in the order of the .NET sample: the reasoning item is done after the message.
fn reasoning_done_last() -> String {
    let text = example("03_reasoning_summary_encrypted_stream.sse");
    let frames: Vec<&str> = text
        .split("\n\n")
        .filter(|frame| !frame.trim().is_empty())
        .collect();
    let is_done =
        |frame: &&str| frame.contains("output_item.done") && frame.contains("\"type\":\"reasoning\"");
    let done = frames.iter().copied().find(|frame| is_done(frame)).expect("done");
    let mut moved: Vec<&str> = frames.iter().copied().filter(|frame| !is_done(frame)).collect();
    moved.insert(moved.len() - 1, done);
    moved.join("\n\n") + "\n\n"
}

#[test]
fn meai_counts_two_parts_of_a_stream_and_sends_one_item() {
    let mut agent = stateless(|config| {
        config.preset = Preset::Meai;
        config.stream = Streaming::Sse;
    });
    let stream = sse(&reasoning_done_last());
    let (_, result) = drive(&mut agent, TurnInput::user("a"), std::slice::from_ref(&stream));
    assert_eq!(
        (result.reasoning_parts, result.has_protected_in_history),
        (2, true)
    );
    let (calls, _) = drive(&mut agent, TurnInput::user("b"), &[stream]);
    let sent = input(calls[0].body.object().expect("body"));
    let types: Vec<_> = sent.iter().map(|item| item["type"].clone()).collect();
    assert_eq!(types, ["message", "reasoning", "message", "message"]);
    assert!(sent[1]["encrypted_content"].is_string());
    assert_eq!(
        sent[1]["summary"][0]["text"],
        "**Checking the sum**\n\nI add 17 and 25.**Answer**\n\nThe total is 42."
    );
}

#[test]
fn meai_puts_a_late_token_without_summary_before_its_message() {
    let stream: String = reasoning_done_last()
        .split_inclusive("\n\n")
        .filter(|frame| !frame.contains("reasoning_summary"))
        .collect();
    let mut agent = stateless(|config| {
        config.preset = Preset::Meai;
        config.stream = Streaming::Sse;
    });
    let turns = [
        (TurnInput::user("a"), sse(&stream)),
        (TurnInput::user("b"), sse(&stream)),
    ];
    let (bodies, result) = play(&mut agent, &turns);
    let types: Vec<_> = input(&bodies[1])
        .iter()
        .map(|item| item["type"].clone())
        .collect();
    assert_eq!(types, ["message", "reasoning", "message", "message"]);
    assert_eq!(result.reasoning_parts, 2);
}

#[test]
fn two_turns_of_meai_hold_two_reasoning_parts() {
    let mut agent = stateless(|config| config.preset = Preset::Meai);
    let [(first, one), (second, two)]: [_; 2] = talk_turns().try_into().expect("two turns");
    let turns = [(first.with_effort("low"), one), (second.with_effort("high"), two)];
    let (bodies, result) = play(&mut agent, &turns);
    assert_eq!(bodies[0]["reasoning"], value!({"effort": "low"}));
    assert_eq!(bodies[1]["reasoning"], value!({"effort": "high"}));
    assert_eq!(
        (result.reasoning_parts, result.has_protected_in_response),
        (2, true)
    );
}
