//! Whole turns: replay, tool loops, refusals, slips together.

use holdover_wire::audit::IdPolicy;
use serde_json::{Value, json as value};

use crate::config::Streaming;
use crate::testing::{
    call, drive, example, example_json, input, message, play, reasoning, sse, stateless, talk_turns,
    tool_turns,
};

use super::super::*;
use super::{answered, output, refused, user};

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
        let attempts = [sse(cut), sse(cut), sse(cut)];
        let (calls, result) = drive(&mut agent, TurnInput::user("a"), &attempts);
        assert_eq!(
            (result.status, result.reasoning_parts),
            (TurnStatus::Broken, 0),
            "{preset:?}"
        );
        let bodies: Vec<_> = calls.iter().map(|call| &call.body).collect();
        assert_eq!(bodies, [&calls[0].body; 3], "{preset:?}");
    }
}

#[test]
fn after_a_broken_stream_the_history_is_that_of_the_second_attempt() {
    let text = example("03_reasoning_summary_encrypted_stream.sse");
    let cut = text.split("event: response.completed").next().expect("head");
    for preset in Preset::ALL {
        let next = |attempts: &[Received]| {
            let mut agent = stateless(|config| config.preset = *preset);
            drive(&mut agent, TurnInput::user("a"), attempts);
            let (calls, _) = drive(&mut agent, TurnInput::user("b"), &[sse(&text)]);
            calls[0].body.clone()
        };
        assert_eq!(next(&[sse(cut), sse(&text)]), next(&[sse(&text)]), "{preset:?}");
    }
}

#[test]
fn an_incomplete_answer_keeps_its_message() {
    let mut agent = stateless(|_| {});
    let stream = sse(&example("09_incomplete_max_output_tokens.sse"));
    let (_, result) = drive(&mut agent, TurnInput::user("a"), &[stream]);
    assert_eq!(result.status, TurnStatus::Incomplete);
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
