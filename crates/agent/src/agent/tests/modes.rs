//! State modes, transports, processes: same history, same bytes.

use holdover_wire::Event;
use serde_json::json as value;

use crate::config::{ExportKind, Streaming};
use crate::testing::{
    call, drive, example, input, json, message, play, reasoning, sse, stateless, terminal, tool_turns,
};

use super::super::*;
use super::{answered, output, refused, user};

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
            (TurnInput::user("b"), refused(413, "No.")),
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
                config.exports = ExportKind::ALL.to_vec();
            });
            let bodies = play(&mut agent, &tool_turns()).0;
            (bodies, agent.take_exports(), agent.take_audit())
        };
        assert_eq!(run(), run());
    }
}
