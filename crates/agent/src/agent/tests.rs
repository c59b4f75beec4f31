//! Whole turns: what is sent, what is remembered, in every preset and state mode.

use holdover_wire::Event;
use holdover_wire::audit::IdPolicy;
use serde_json::{Value, json as value};

use crate::config::{SessionStore, Streaming};
use crate::testing::{
    call, drive, example, example_json, input, json, message, play, reasoning, response, sse, stateless,
    talk_turns, terminal, token, tool_turns,
};

use super::*;

fn user(text: &str) -> Value {
    value!({"role": "user", "content": text})
}

fn output(call_id: &str, text: &str) -> Value {
    value!({"type": "function_call_output", "call_id": call_id, "output": text})
}

fn refused(status: u16, message: &str) -> Received {
    let mut received =
        json(&value!({"error": {"message": message, "type": "t", "param": null, "code": null}}));
    received.status = status;
    received
}

fn without_id(mut item: Value) -> Value {
    item.as_object_mut().expect("object").shift_remove("id");
    item
}

fn answered(id: &str, items: &[Value]) -> Received {
    json(&response(id, &Value::Array(items.to_vec())))
}

#[test]
fn plain_replays_the_example_byte_for_byte() {
    let replay = example_json("03b_replay_request.json");
    let stream = sse(&example("03_reasoning_summary_encrypted_stream.sse"));
    let mut agent = stateless(|config| {
        config.model = "gpt-5.6-sol".to_owned();
        config.effort = Some("high".to_owned());
        config.summary = Some("auto".to_owned());
        config.stream = Streaming::Sse;
    });
    let turns = [
        (TurnInput::user("What is 17 + 25?"), stream.clone()),
        (TurnInput::user("And doubled?"), stream),
    ];
    let (bodies, result) = play(&mut agent, &turns);
    assert_eq!(Value::Object(bodies[1].clone()).to_string(), replay.to_string());
    assert_eq!(result.text, "42");
}

#[test]
fn a_tool_loop_of_plain_is_the_whole_history() {
    let (bodies, result) = play(&mut stateless(|_| {}), &tool_turns());
    let expected = value!({
        "model": "gpt-5.6",
        "store": false,
        "include": ["reasoning.encrypted_content"],
        "input": [
            user("Plan the migration."), reasoning("rs_1"), call("fc_1", "call_1"), output("call_1", "42"),
            reasoning("rs_2"), message("msg_2", "Done."), user("And then?"),
        ],
    });
    assert_eq!(Value::Object(bodies[2].clone()), expected);
    assert_eq!((result.open_calls, result.reasoning_parts), (vec![], 3));
}

#[test]
fn several_calls_are_answered_by_id_or_by_a_name_that_is_the_only_one() {
    let stream = sse(&example("05_parallel_function_calls.sse"));
    let mut agent = stateless(|_| {});
    let (_, result) = drive(&mut agent, TurnInput::user("Weather?"), &[stream]);
    let ids: Vec<String> = result
        .open_calls
        .iter()
        .map(|call| call.call_id.clone())
        .collect();
    assert!(ids.len() >= 3, "{ids:?}");
    let mut outputs: Vec<_> = ids[1..].iter().map(|id| (id.clone(), "dry".to_owned())).collect();
    // The name fits one open call only once the others are answered.
    outputs.push(("get_weather".to_owned(), "wet".to_owned()));
    let turn = TurnInput {
        tool_outputs: outputs,
        ..TurnInput::default()
    };
    let (calls, result) = drive(
        &mut agent,
        turn,
        &[answered("resp_2", &[message("msg_1", "Mixed.")])],
    );
    let sent = input(calls[0].body.object().expect("body"));
    assert_eq!(sent.last(), Some(&output(&ids[0], "wet")));
    assert_eq!(result.open_calls, vec![]);
}

#[test]
fn a_custom_tool_call_gets_its_own_kind_of_output() {
    let mut agent = stateless(|_| {});
    let (_, result) = drive(
        &mut agent,
        TurnInput::user("Run it."),
        &[sse(&example("06_custom_tool_stream.sse"))],
    );
    let name = result.open_calls[0].name.clone();
    let id = result.open_calls[0].call_id.clone();
    let answer = answered("resp_2", &[message("msg_1", "Ran.")]);
    let (calls, _) = drive(&mut agent, TurnInput::tool_output(&name, "ok"), &[answer]);
    let sent = input(calls[0].body.object().expect("body"));
    let expected = value!({"type": "custom_tool_call_output", "call_id": id, "output": "ok"});
    assert_eq!(sent.last(), Some(&expected));
}

#[test]
fn the_agents_sdk_keeps_ids_unless_the_policy_is_omit() {
    let bodies = |policy: IdPolicy| {
        let mut agent = stateless(|config| {
            config.preset = Preset::AgentsSdk;
            config.reasoning_item_id_policy = policy;
        });
        (play(&mut agent, &tool_turns()).0, agent.take_audit())
    };
    let (none, none_audit) = bodies(IdPolicy::None);
    let (preserve, preserve_audit) = bodies(IdPolicy::Preserve);
    let (omit, omit_audit) = bodies(IdPolicy::Omit);
    assert_eq!(none, preserve);
    let expected = value!({
        "include": ["reasoning.encrypted_content"],
        "input": [
            {"content": "Plan the migration.", "role": "user"}, reasoning("rs_1"), call("fc_1", "call_1"),
            output("call_1", "42"), reasoning("rs_2"), message("msg_2", "Done."),
            {"content": "And then?", "role": "user"},
        ],
        "model": "gpt-5.6", "store": false, "tools": [],
    });
    assert_eq!(Value::Object(none[2].clone()), expected);
    for (right, stripped) in none.iter().zip(&omit) {
        let strip = |item: Value| {
            if item["type"] == "reasoning" {
                without_id(item)
            } else {
                item
            }
        };
        let expected: Vec<Value> = input(right).into_iter().map(strip).collect();
        assert_eq!(input(stripped), expected);
    }
    assert_eq!(none_audit[1].frag_hash, preserve_audit[1].frag_hash);
    assert_ne!(none_audit[1].frag_hash, omit_audit[1].frag_hash);
    assert_eq!(
        (none_audit[1].ids_present, omit_audit[1].ids_present),
        (Some(true), Some(false))
    );
    assert_eq!(omit_audit[0].ids_present, None);
}

#[test]
fn under_omit_the_id_is_lost_from_the_store_and_a_later_preserve_has_none() {
    let mut agent = stateless(|config| {
        config.preset = Preset::AgentsSdk;
        config.reasoning_item_id_policy = IdPolicy::Omit;
        config.session_store = SessionStore::Sqlite;
        config.resume_before = Some(2);
        config.resume_policy = Some(IdPolicy::Preserve);
    });
    let (bodies, _) = play(&mut agent, &talk_turns());
    assert_eq!(input(&bodies[1])[1], without_id(reasoning("rs_1")));
    assert_eq!(
        agent.take_audit()[1].reasoning_item_id_policy,
        Some(IdPolicy::Preserve)
    );
}

#[test]
fn a_limit_of_the_agents_sdk_leaves_a_message_without_its_reasoning() {
    let mut agent = stateless(|config| {
        config.preset = Preset::AgentsSdk;
        config.history_limit = Some(1);
    });
    let (bodies, _) = play(&mut agent, &talk_turns());
    let expected = [
        message("msg_1", "One."),
        value!({"content": "Follow-up", "role": "user"}),
    ];
    assert_eq!(input(&bodies[1]), expected);
}

#[test]
fn a_chain_sends_what_is_new_and_what_was_refused() {
    for preset in Preset::ALL {
        let mut agent = stateless(|config| {
            config.preset = *preset;
            config.store = None;
            config.state = StateMode::ServerChain;
        });
        let turns = [
            (
                TurnInput::user("a"),
                answered("resp_1", &[reasoning("rs_1"), call("fc_1", "call_1")]),
            ),
            (
                TurnInput::tool_output("lookup", "42"),
                answered("resp_2", &[message("msg_2", "Done.")]),
            ),
            (TurnInput::user("b"), refused(500, "No.")),
            (
                TurnInput::user("c"),
                answered("resp_4", &[message("msg_4", "So.")]),
            ),
        ];
        let (bodies, _) = play(&mut agent, &turns);
        let anchors: Vec<_> = bodies
            .iter()
            .map(|body| body.get("previous_response_id"))
            .collect();
        let expected = [
            None,
            Some(&"resp_1".into()),
            Some(&"resp_2".into()),
            Some(&"resp_2".into()),
        ];
        assert_eq!(anchors, expected, "{preset:?}");
        assert_eq!(input(&bodies[1]), [output("call_1", "42")], "{preset:?}");
        let texts: Vec<_> = crate::testing::items(&bodies[3]).iter().map(Item::text).collect();
        assert_eq!(texts, ["b", "c"], "{preset:?}");
    }
}

#[test]
fn a_conversation_is_created_once_and_named_every_turn() {
    let mut agent = stateless(|config| {
        config.store = None;
        config.state = StateMode::Conversation;
    });
    let created = json(&value!({"id": "conv_1", "object": "conversation"}));
    let answer = answered("resp_1", &[reasoning("rs_1"), message("msg_1", "One.")]);
    let (calls, _) = drive(&mut agent, TurnInput::user("First"), &[created, answer.clone()]);
    let paths: Vec<_> = calls.iter().map(|call| call.path.as_str()).collect();
    assert_eq!(paths, [CONVERSATIONS, RESPONSES]);
    let (calls, _) = drive(&mut agent, TurnInput::user("Next"), &[answer]);
    let body = calls[0].body.object().expect("body");
    assert_eq!(
        (body.get("conversation"), input(body)),
        (Some(&"conv_1".into()), vec![user("Next")])
    );
}

/// What the real SDK was seen to do, call by call: read, save the input, create, save what came once no call is open.
#[test]
fn a_conversations_session_is_read_and_saved_through_the_items_api() {
    let mut agent = stateless(|config| {
        config.preset = Preset::AgentsSdk;
        config.session_store = SessionStore::Conversations;
        config.reasoning_item_id_policy = IdPolicy::Omit;
    });
    let saved = json(&value!({"object": "list", "data": []}));
    let created = json(&value!({"id": "conv_1", "object": "conversation"}));
    let page = |data: Value, more: bool| json(&value!({"data": data, "last_id": "rs_1", "has_more": more}));
    let turns = tool_turns();
    let answers = [
        created,
        page(value!([]), false),
        saved.clone(),
        turns[0].1.clone(),
    ];
    let (calls, _) = drive(&mut agent, turns[0].0.clone(), &answers);
    let paths: Vec<_> = calls
        .iter()
        .map(|call| (call.method.as_str(), call.path.as_str()))
        .collect();
    let items_path = "/v1/conversations/conv_1/items";
    let expected = [
        ("POST", CONVERSATIONS),
        ("GET", items_path),
        ("POST", items_path),
        ("POST", RESPONSES),
    ];
    assert_eq!(paths, expected);
    let items = |call: &Call| call.body.object().expect("body")["items"].clone();
    assert_eq!(
        items(&calls[2]),
        value!([{"content": "Plan the migration.", "role": "user"}])
    );

    let answers = [saved.clone(), turns[1].1.clone(), saved.clone()];
    let (calls, _) = drive(&mut agent, turns[1].0.clone(), &answers);
    let expected = value!([
        reasoning("rs_1"),
        without_id(call("fc_1", "call_1")),
        output("call_1", "42")
    ]);
    assert_eq!(items(&calls[0]), expected);
    let stripped = input(calls[1].body.object().expect("body"));
    assert_eq!(stripped[1], without_id(reasoning("rs_1")));
    let expected = value!([reasoning("rs_2"), without_id(message("msg_2", "Done."))]);
    assert_eq!(items(&calls[2]), expected);

    let user_item = value!({"id": "msg_u", "type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}]});
    let pages = [
        page(value!([user_item, reasoning("rs_1")]), true),
        page(value!([message("msg_1", "b")]), false),
    ];
    let answers = [
        pages[0].clone(),
        pages[1].clone(),
        saved.clone(),
        turns[2].1.clone(),
        saved,
    ];
    let (calls, _) = drive(&mut agent, turns[2].0.clone(), &answers);
    assert_eq!(calls[0].query, [("order".to_owned(), "asc".to_owned())]);
    assert_eq!(calls[1].query("after"), Some("rs_1"));
    // Exempt from the policy: the id of the reasoning stays; the assistant's message loses its own on read.
    let sent = input(calls[3].body.object().expect("body"));
    let new = value!({"content": "And then?", "role": "user"});
    assert_eq!(
        sent,
        [
            user_item,
            reasoning("rs_1"),
            without_id(message("msg_1", "b")),
            new
        ]
    );
}

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

#[test]
fn a_refused_turn_keeps_its_input_and_the_next_one_goes_on() {
    for preset in Preset::ALL {
        let mut agent = stateless(|config| config.preset = *preset);
        let turns = [
            (TurnInput::user("a"), refused(400, "No.")),
            (
                TurnInput::user("b"),
                answered("resp_1", &[message("msg_1", "One.")]),
            ),
        ];
        let (_, result) = drive(
            &mut agent,
            turns[0].0.clone(),
            &turns[..1]
                .iter()
                .map(|(_, answer)| answer.clone())
                .collect::<Vec<_>>(),
        );
        let expected = Refusal {
            status: 400,
            message: "No.".to_owned(),
        };
        assert_eq!(
            (result.status, result.refusal),
            (TurnStatus::Refused, Some(expected))
        );
        let (bodies, result) = play(&mut agent, &turns[1..]);
        let texts: Vec<_> = crate::testing::items(&bodies[0]).iter().map(Item::text).collect();
        assert_eq!(texts, ["a", "b"], "{preset:?}");
        assert_eq!(result.status, TurnStatus::Completed);
        assert_eq!(agent.take_audit().len(), 2);
    }
}

#[test]
fn a_tool_that_was_never_called_gives_no_output() {
    let mut agent = stateless(|_| {});
    drive(&mut agent, TurnInput::user("a"), &[refused(400, "No.")]);
    let (calls, result) = drive(&mut agent, TurnInput::tool_output("lookup", "42"), &[]);
    assert_eq!((calls, result.status), (vec![], TurnStatus::Skipped));
    let answer = answered("resp_1", &[message("msg_1", "One.")]);
    let (calls, _) = drive(&mut agent, TurnInput::user("b"), &[answer]);
    assert_eq!(
        input(calls[0].body.object().expect("body")),
        [user("a"), user("b")]
    );
    // A run that sent nothing leaves no record.
    let runs: Vec<_> = agent
        .take_audit()
        .into_iter()
        .filter_map(|record| record.run_id)
        .collect();
    assert_eq!(runs, ["s-run-1", "s-run-3"]);
}

#[test]
fn a_broken_stream_leaves_nothing_in_the_history() {
    let text = example("03_reasoning_summary_encrypted_stream.sse");
    let cut = text.split("event: response.completed").next().expect("head");
    for preset in Preset::ALL {
        let mut agent = stateless(|config| config.preset = *preset);
        let (_, result) = drive(&mut agent, TurnInput::user("a"), &[sse(cut)]);
        assert_eq!(
            (result.status, result.reasoning_parts),
            (TurnStatus::Broken, 0),
            "{preset:?}"
        );
    }
}

#[test]
fn an_incomplete_answer_keeps_its_message() {
    let mut agent = stateless(|_| {});
    let stream = sse(&example("09_incomplete_max_output_tokens.sse"));
    let (_, result) = drive(&mut agent, TurnInput::user("a"), &[stream]);
    assert_eq!(result.status, TurnStatus::Incomplete);
}

fn compaction() -> Received {
    json(
        &value!({"id": "resp_c", "object": "response.compaction", "output": [
            {"id": "msg_u", "type": "message", "role": "user", "content": [{"type": "input_text", "text": "First"}]},
            {"id": "cmp_1", "type": "compaction", "encrypted_content": token("cmp_1")},
        ]}),
    )
}

#[test]
fn a_compaction_replaces_the_history_and_goes_back_unchanged() {
    for preset in Preset::ALL {
        let mut agent = stateless(|config| {
            config.preset = *preset;
            config.compact_before = Some(2);
        });
        let [(first, one), (second, two)]: [_; 2] = talk_turns().try_into().expect("two turns");
        drive(&mut agent, first, &[one]);
        let (calls, result) = drive(&mut agent, second, &[compaction(), two]);
        assert_eq!(
            (calls[0].path.as_str(), calls[1].path.as_str()),
            (COMPACT, RESPONSES)
        );
        assert_eq!(
            input(calls[0].body.object().expect("body")).len(),
            3,
            "{preset:?}"
        );
        let sent = input(calls[1].body.object().expect("body"));
        let output: Value = serde_json::from_slice(&compaction().body).expect("JSON");
        assert_eq!(Value::Array(sent[..2].to_vec()), output["output"], "{preset:?}");
        assert_eq!((sent.len(), result.refusal), (3, None));
        assert_eq!(agent.take_audit()[1].compaction_policy, Some(IdPolicy::None));
    }
}

#[test]
fn a_stored_chain_is_compacted_by_its_last_response_and_begins_anew() {
    let mut agent = stateless(|config| {
        config.store = None;
        config.state = StateMode::ServerChain;
        config.compact_before = Some(2);
    });
    let [(first, one), (second, two)]: [_; 2] = talk_turns().try_into().expect("two turns");
    drive(&mut agent, first, &[one]);
    let (calls, _) = drive(&mut agent, second, &[compaction(), two]);
    let body = calls[0].body.object().expect("body");
    assert_eq!(
        Value::Object(body.clone()),
        value!({"model": "gpt-5.6", "previous_response_id": "resp_1"})
    );
    let body = calls[1].body.object().expect("body");
    assert_eq!((body.get("previous_response_id"), input(body).len()), (None, 3));
}

#[test]
fn a_compaction_waits_for_open_calls_and_is_made_again_under_a_new_policy() {
    let mut agent = stateless(|config| {
        config.preset = Preset::AgentsSdk;
        config.compact_before = Some(2);
        config.resume_before = Some(4);
        config.resume_policy = Some(IdPolicy::Omit);
    });
    let turns = tool_turns();
    let paths = |agent: &mut Agent, index: usize, answers: &[Received]| {
        let (calls, _) = drive(agent, turns[index].0.clone(), answers);
        calls.into_iter().map(|call| call.path).collect::<Vec<_>>()
    };
    assert_eq!(paths(&mut agent, 0, &[turns[0].1.clone()]), [RESPONSES]);
    assert_eq!(paths(&mut agent, 1, &[turns[1].1.clone()]), [RESPONSES]);
    assert_eq!(
        paths(&mut agent, 2, &[compaction(), turns[2].1.clone()]),
        [COMPACT, RESPONSES]
    );
    assert_eq!(
        paths(&mut agent, 2, &[compaction(), turns[2].1.clone()]),
        [COMPACT, RESPONSES]
    );
    let last = agent.take_audit().remove(3);
    assert_eq!(last.compaction_policy, Some(IdPolicy::Omit));
    assert_eq!(last.reasoning_item_id_policy, Some(IdPolicy::Omit));
}

#[test]
fn a_new_process_goes_on_where_the_old_one_stopped() {
    for preset in [Preset::Plain, Preset::AgentsSdk] {
        let bodies = |resume: Option<u64>| {
            let mut agent = stateless(|config| {
                config.preset = preset;
                config.resume_before = resume;
            });
            play(&mut agent, &tool_turns()).0
        };
        let through = bodies(None);
        assert_eq!(bodies(Some(2)), through, "{preset:?}");
        assert_eq!(bodies(Some(3)), through, "{preset:?}");
    }
}

#[test]
fn json_and_sse_transports_give_the_same_history() {
    for preset in [Preset::Plain, Preset::AgentsSdk] {
        let name = "03_reasoning_summary_encrypted_stream.sse";
        let second = |streaming: Streaming, answer: Received| {
            let mut agent = stateless(|config| {
                config.preset = preset;
                config.stream = streaming;
            });
            let turns = [
                (TurnInput::user("a"), answer.clone()),
                (TurnInput::user("b"), answer),
            ];
            input(&play(&mut agent, &turns).0[1])
        };
        let stream = second(Streaming::Sse, sse(&example(name)));
        assert_eq!(
            second(Streaming::Json, json(&terminal(name))),
            stream,
            "{preset:?}"
        );
    }
}

#[test]
fn a_stream_in_any_split_gives_the_same_history() {
    let text = example("05_parallel_function_calls.sse");
    let whole: Vec<Event> = receive::events([text.as_bytes()]);
    for size in 1..200 {
        assert_eq!(
            receive::events(text.as_bytes().chunks(size)),
            whole,
            "chunks of {size}"
        );
    }
    for at in 0..4_000 {
        let (head, rest) = text.as_bytes().split_at(at);
        assert_eq!(receive::events([head, rest]), whole, "split at {at}");
    }
}

#[test]
fn the_same_turns_give_the_same_bytes() {
    for preset in Preset::ALL {
        let run = || {
            let mut agent = stateless(|config| {
                config.preset = *preset;
                config.exports = crate::config::ExportKind::ALL.to_vec();
            });
            let bodies = play(&mut agent, &tool_turns()).0;
            (bodies, agent.take_exports(), agent.take_audit())
        };
        assert_eq!(run(), run());
    }
}

#[test]
fn slips_add_up() {
    let mut agent = stateless(|config| {
        config.instructions = Some("Be short.".to_owned());
        config.slips = vec![
            Slip::TextOnlyAppend,
            Slip::InstructionsOnce,
            Slip::LogInputFragment,
        ];
    });
    let (bodies, _) = play(&mut agent, &talk_turns());
    let text = value!({"role": "assistant", "content": "One."});
    assert_eq!(input(&bodies[1]), [user("First"), text, user("Follow-up")]);
    assert_eq!(bodies[1].get("instructions"), None);
    assert_eq!(agent.take_exports().len(), 2);
}

#[test]
fn a_slip_exists_where_the_client_can_make_it() {
    let exists = |change: fn(&mut AgentConfig)| {
        let mut config = AgentConfig::default();
        change(&mut config);
        let all = Slip::all().iter().filter(|slip| slip.exists_in(&config));
        all.map(|slip| slip.name()).collect::<Vec<_>>()
    };
    let plain = exists(|_| {});
    assert!(plain.contains(&"half-strip") && plain.contains(&"mixed-modes"));
    assert!(!plain.contains(&"dedupe-by-id") && !plain.contains(&"stream-text-only"));
    let omit = exists(|config| {
        config.preset = Preset::AgentsSdk;
        config.reasoning_item_id_policy = IdPolicy::Omit;
        config.store = Some(false);
    });
    assert!(omit.contains(&"dedupe-by-id") && omit.contains(&"policy-as-content-switch"));
    assert!(omit.contains(&"include-forgotten") && !omit.contains(&"half-strip"));
    // Stored responses and omit: the client is wrong without any slip.
    let stored_omit = exists(|config| {
        config.preset = Preset::AgentsSdk;
        config.reasoning_item_id_policy = IdPolicy::Omit;
    });
    assert_eq!(stored_omit, Vec::<&str>::new());
    let stored_stream = exists(|config| {
        config.preset = Preset::Meai;
        config.stream = Streaming::Sse;
    });
    assert_eq!(stored_stream, Vec::<&str>::new());
}
