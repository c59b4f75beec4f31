//! Canned responses for tests, built from `tests/facts/examples`.

use holdover_wire::{Call, Item, Object};
use serde_json::{Value, json as value};

use crate::turn::{Next, Received, TurnInput, TurnResult};
use crate::{Agent, AgentConfig};

/// The text of an example file.
pub(crate) fn example(name: &str) -> String {
    let path = format!("{}/../../tests/facts/examples/{name}", env!("CARGO_MANIFEST_DIR"));
    String::from_utf8(std::fs::read(&path).expect("example")).expect("UTF-8")
}

/// The parsed JSON of an example file.
pub(crate) fn example_json(name: &str) -> Value {
    serde_json::from_str(&example(name)).expect("JSON")
}

/// A stream as a socket gives it.
pub(crate) fn sse(text: &str) -> Received {
    Received {
        status: 200,
        headers: vec![(
            "content-type".to_owned(),
            "text/event-stream; charset=utf-8".to_owned(),
        )],
        body: text.as_bytes().to_vec(),
        ..Received::default()
    }
}

/// A JSON answer as a socket gives it.
pub(crate) fn json(body: &Value) -> Received {
    Received {
        status: 200,
        headers: vec![
            ("content-type".to_owned(), "application/json".to_owned()),
            ("x-request-id".to_owned(), "req_1".to_owned()),
        ],
        body: body.to_string().into_bytes(),
        ..Received::default()
    }
}

/// A refusal as a socket gives it.
pub(crate) fn refusal(status: u16, code: Option<&str>, message: &str) -> Received {
    let error = value!({"message": message, "type": "invalid_request_error", "param": null, "code": code});
    Received {
        status,
        ..json(&value!({"error": error}))
    }
}

/// A response with this output.
pub(crate) fn response(id: &str, output: &Value) -> Value {
    value!({"id": id, "object": "response", "status": "completed", "output": output,
            "usage": {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}})
}

/// The final object of a stream example: what the same request would give as JSON.
pub(crate) fn terminal(name: &str) -> Value {
    let text = example(name);
    let mut data = text.lines().filter_map(|line| line.strip_prefix("data: "));
    let last: Value = serde_json::from_str(data.next_back().expect("event")).expect("JSON");
    last["response"].clone()
}

/// A reasoning item with a token.
pub(crate) fn reasoning(id: &str) -> Value {
    value!({"id": id, "type": "reasoning", "content": [], "encrypted_content": token(id),
            "summary": [{"type": "summary_text", "text": "**Plan**\n\nLook it up first, then answer the question."}]})
}

/// The token of a reasoning item made by [`reasoning`]: the right alphabet and length, nothing sealed.
pub(crate) fn token(id: &str) -> String {
    format!("gAAAAAB{}-_{}==", id.replace('_', "-"), "aB3_-Zx9".repeat(40))
}

/// A message of the assistant.
pub(crate) fn message(id: &str, text: &str) -> Value {
    value!({"id": id, "type": "message", "status": "completed",
            "content": [{"type": "output_text", "annotations": [], "logprobs": [], "text": text}],
            "phase": "final_answer", "role": "assistant"})
}

/// A function call.
pub(crate) fn call(id: &str, call_id: &str) -> Value {
    value!({"id": id, "type": "function_call", "status": "completed", "arguments": "{\"key\":\"a\"}",
            "call_id": call_id, "name": "lookup"})
}

/// A turn's call and its end, driven with canned answers in order.
pub(crate) fn drive(agent: &mut Agent, input: TurnInput, answers: &[Received]) -> (Vec<Call>, TurnResult) {
    let mut calls = Vec::new();
    let mut answers = answers.iter();
    let mut next = agent.start(input);
    loop {
        match next {
            Next::Done(result) => {
                assert_eq!(answers.next(), None, "an answer was left over");
                return (calls, result);
            }
            Next::Send(call) | Next::SendAfter { call, .. } => {
                calls.push(call);
                next = agent.receive(answers.next().expect("a canned answer"));
            }
        }
    }
}

/// Plays turns that need one call each; gives the bodies that were sent and the last result.
pub(crate) fn play(agent: &mut Agent, turns: &[(TurnInput, Received)]) -> (Vec<Object>, TurnResult) {
    let mut bodies = Vec::new();
    let mut last = TurnResult::default();
    for (input, answer) in turns {
        let (calls, result) = drive(agent, input.clone(), std::slice::from_ref(answer));
        bodies.extend(calls.iter().filter_map(|call| call.body.object().cloned()));
        last = result;
    }
    (bodies, last)
}

/// The usual three turns: reasoning and a call, the tool's output, a follow-up.
pub(crate) fn tool_turns() -> Vec<(TurnInput, Received)> {
    vec![
        (
            TurnInput::user("Plan the migration."),
            json(&response(
                "resp_1",
                &value!([reasoning("rs_1"), call("fc_1", "call_1")]),
            )),
        ),
        (
            TurnInput::tool_output("lookup", "42"),
            json(&response(
                "resp_2",
                &value!([reasoning("rs_2"), message("msg_2", "Done.")]),
            )),
        ),
        (
            TurnInput::user("And then?"),
            json(&response(
                "resp_3",
                &value!([reasoning("rs_3"), message("msg_3", "Rest.")]),
            )),
        ),
    ]
}

/// Two turns of talk with reasoning.
pub(crate) fn talk_turns() -> Vec<(TurnInput, Received)> {
    vec![
        (
            TurnInput::user("First"),
            json(&response(
                "resp_1",
                &value!([reasoning("rs_1"), message("msg_1", "One.")]),
            )),
        ),
        (
            TurnInput::user("Follow-up"),
            json(&response(
                "resp_2",
                &value!([reasoning("rs_2"), message("msg_2", "Two.")]),
            )),
        ),
    ]
}

/// An agent that stores nothing on the server.
pub(crate) fn stateless(change: impl FnOnce(&mut AgentConfig)) -> Agent {
    let mut config = AgentConfig {
        session: "s".to_owned(),
        store: Some(false),
        ..AgentConfig::default()
    };
    change(&mut config);
    Agent::new(config)
}

/// The `input` of a body.
pub(crate) fn input(body: &Object) -> Vec<Value> {
    body["input"].as_array().expect("input").clone()
}

/// The items of a body's `input`.
pub(crate) fn items(body: &Object) -> Vec<Item> {
    input(body).iter().filter_map(Item::from_value).collect()
}
