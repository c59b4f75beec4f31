//! E04: followers of every other type.

use holdover_wire::ReplyPart;
use serde_json::{Value, json};

use crate::common::golden::{pasted, reply};
use crate::common::{create, user};
use crate::{Row, at_input, first_turn, id, input, row};

/// Each type that the facts name, with the output of what a client has to answer.
pub(crate) fn typed_followers() -> Vec<Row> {
    let shot = json!({"type": "computer_screenshot", "image_url": "data:image/png;base64,aGk="});
    let table = [
        (
            json!({"type": "custom_tool_call", "call_id": "call_1", "name": "apply", "input": "x"}),
            Some(json!({"type": "custom_tool_call_output", "call_id": "call_1", "output": "42"})),
        ),
        (
            json!({"type": "web_search_call", "action": {"type": "search", "query": "q"}}),
            None,
        ),
        (
            json!({"type": "computer_call", "call_id": "call_1", "pending_safety_checks": [], "action": {"type": "screenshot"}}),
            Some(json!({"type": "computer_call_output", "call_id": "call_1", "output": shot})),
        ),
        (
            json!({"type": "code_interpreter_call", "code": "print(1)", "container_id": "cntr_1", "outputs": []}),
            None,
        ),
    ];
    table.into_iter().map(typed_follower).collect()
}

fn typed_follower((call, done): (Value, Option<Value>)) -> Row {
    let kind = call["type"].as_str().expect("a type").to_owned();
    let parts = [ReplyPart::Reasoning { summary: None }, pasted(&call)];
    let (mut session, out, _) = first_turn(reply(parts));
    let replayed = [Some(user("x")), Some(out[1].clone()), done, Some(user("z"))];
    let replayed: Vec<&Value> = replayed.iter().flatten().collect();
    let answer = create(&mut session, &input(&replayed));
    let expected = at_input(format!(
        "Item '{}' of type '{kind}' was provided without its required 'reasoning' item: '{}'.",
        id(&out[1]),
        id(&out[0])
    ));
    row("E04", "inferred", answer, 400, expected)
}
