//! E01 to E04: reasoning and what follows it, each refusal with its control.

mod common;

use common::{calls, create, items, ok, output, refused, session, session_of, text, thought, user, without};
use holdover_fake::{Answer, Session};
use serde_json::{Value, json};

/// One first turn: its session and its output items.
fn first_turn(mut session: Session, store: bool, reply: holdover_wire::Reply) -> (Session, Vec<Value>) {
    session.script(vec![reply]);
    let answer = create(&mut session, &request(store, &[user("Plan it.")]));
    let items = items(&answer);
    (session, items)
}

fn request(store: bool, input: &[Value]) -> Value {
    json!({"model": "gpt-5.6", "store": store, "include": ["reasoning.encrypted_content"], "input": input})
}

fn replay(session: &mut Session, store: bool, input: &[Value]) -> Answer {
    create(session, &request(store, input))
}

fn id(item: &Value) -> &str {
    item["id"].as_str().expect("an id")
}

fn orphan_reasoning(answer: &Answer, item: &Value) {
    let message = format!(
        "Item '{}' of type 'reasoning' was provided without its required following item.",
        id(item)
    );
    refused(answer, 400, &message, Some("input"), None);
}

fn orphan_follower(answer: &Answer, item: &Value, kind: &str, reasoning: &Value) {
    let message = format!(
        "Item '{}' of type '{kind}' was provided without its required 'reasoning' item: '{}'.",
        id(item),
        id(reasoning)
    );
    refused(answer, 400, &message, Some("input"), None);
}

#[test]
fn the_whole_group_passes_in_every_mode() {
    for profile in ["openai", "openai-strict"] {
        for store in [true, false] {
            let (mut session, out) = first_turn(session_of(profile), store, thought("Done."));
            let answer = replay(
                &mut session,
                store,
                &[user("Plan it."), out[0].clone(), out[1].clone(), user("Go on.")],
            );
            assert_eq!(answer.carried.prior_protected, 1);
            let mode = if store { "stored" } else { "stateless" };
            assert_eq!(
                text(&answer),
                format!("Offline (Medium, {mode}, priorProtected=1): answered \"Go on.\".")
            );
        }
    }
}

#[test]
fn e01_reasoning_before_a_user_message_last_or_before_reasoning() {
    for store in [true, false] {
        let (mut session, out) = first_turn(session(), store, thought("Done."));
        let (rs, msg) = (&out[0], &out[1]);
        orphan_reasoning(&replay(&mut session, store, &[rs.clone(), user("Go on.")]), rs);
        orphan_reasoning(&replay(&mut session, store, &[user("Go on."), rs.clone()]), rs);
        let idless = without(rs, "id");
        orphan_reasoning(
            &replay(
                &mut session,
                store,
                &[rs.clone(), idless, msg.clone(), user("Go on.")],
            ),
            rs,
        );
    }
}

#[test]
fn e01_an_idless_reasoning_item_is_plain_context() {
    let (mut session, out) = first_turn(session(), false, thought("Done."));
    let idless = without(&out[0], "id");
    let answer = replay(&mut session, false, &[idless.clone(), user("Go on."), idless]);
    ok(&answer);
    assert_eq!(answer.carried.prior_protected, 2);
}

#[test]
fn e01c_a_rebuilt_follower_is_refused_only_where_ids_are_persisted() {
    let rebuilt = json!({"role": "assistant", "content": "Done."});
    let (mut session, out) = first_turn(session(), true, thought("Done."));
    let answer = replay(
        &mut session,
        true,
        &[out[0].clone(), rebuilt.clone(), user("Go on.")],
    );
    orphan_reasoning(&answer, &out[0]);
    let (mut session, out) = first_turn(common::session(), false, thought("Done."));
    let input = [out[0].clone(), rebuilt.clone(), user("Go on.")];
    ok(&replay(&mut session, false, &input));
    let (mut session, out) = first_turn(session_of("openai-strict"), false, thought("Done."));
    let answer = replay(&mut session, false, &[out[0].clone(), rebuilt, user("Go on.")]);
    orphan_reasoning(&answer, &out[0]);
}

#[test]
fn e01e_a_stored_output_that_ends_in_reasoning() {
    let mut session = session();
    session.script(vec![holdover_wire::Reply {
        parts: vec![holdover_wire::ReplyPart::Reasoning { summary: None }],
    }]);
    let first = ok(&create(&mut session, &json!({"model": "gpt-5.6", "input": "x"})));
    let reasoning = &first["output"][0];
    let next = json!({"model": "gpt-5.6", "previous_response_id": first["id"], "input": "Go on."});
    orphan_reasoning(&create(&mut session, &next), reasoning);
}

#[test]
fn e02_a_call_without_its_reasoning() {
    let (mut session, out) = first_turn(session(), true, calls(&["call_1"]));
    let (rs, fc) = (&out[0], &out[1]);
    let answer = replay(
        &mut session,
        true,
        &[user("Plan it."), fc.clone(), output("call_1")],
    );
    orphan_follower(&answer, fc, "function_call", rs);
    // The policy `omit`: the reasoning is there, its id is not.
    let input = [user("Plan it."), without(rs, "id"), fc.clone(), output("call_1")];
    orphan_follower(&replay(&mut session, true, &input), fc, "function_call", rs);
    // Controls: the pair with ids, and the pair without.
    ok(&replay(
        &mut session,
        true,
        &[user("Plan it."), rs.clone(), fc.clone(), output("call_1")],
    ));
    let bare = [
        user("Plan it."),
        without(rs, "id"),
        without(fc, "id"),
        output("call_1"),
    ];
    ok(&replay(&mut session, true, &bare));
}

#[test]
fn e02_unstored_ids_match_by_position_unless_the_profile_is_strict() {
    let (mut session, out) = first_turn(session(), false, calls(&["call_1"]));
    let input = [
        user("Plan it."),
        without(&out[0], "id"),
        out[1].clone(),
        output("call_1"),
    ];
    ok(&replay(&mut session, false, &input));
    ok(&replay(
        &mut session,
        false,
        &[user("Plan it."), out[1].clone(), output("call_1")],
    ));
    let (mut session, out) = first_turn(session_of("openai-strict"), false, calls(&["call_1"]));
    let input = [
        user("Plan it."),
        without(&out[0], "id"),
        out[1].clone(),
        output("call_1"),
    ];
    orphan_follower(
        &replay(&mut session, false, &input),
        &out[1],
        "function_call",
        &out[0],
    );
}

/// E01c is reported of messages alone; the AI SDK sends calls without an id beside references to stored reasoning.
#[test]
fn e01c_a_call_without_its_id_beside_stored_reasoning_passes() {
    let (mut session, out) = first_turn(session(), true, calls(&["call_1"]));
    let call = without(&out[1], "id");
    let reference = json!({"type": "item_reference", "id": out[0]["id"]});
    for reasoning in [&out[0], &reference] {
        let input = [
            user("Plan it."),
            reasoning.clone(),
            call.clone(),
            output("call_1"),
        ];
        ok(&replay(&mut session, true, &input));
    }
    // Not so the call of another response, which has an id.
    session.script(vec![calls(&["call_1"])]);
    let other = items(&create(
        &mut session,
        &json!({"model": "gpt-5.6", "input": "Again."}),
    ));
    let input = [
        user("Plan it."),
        out[0].clone(),
        other[1].clone(),
        output("call_1"),
    ];
    orphan_reasoning(&replay(&mut session, true, &input), &out[0]);
}

#[test]
fn e03_a_message_without_its_reasoning_or_behind_a_later_call() {
    let (mut session, out) = first_turn(session(), true, thought("Done."));
    let answer = replay(
        &mut session,
        true,
        &[user("Plan it."), out[1].clone(), user("Go on.")],
    );
    orphan_follower(&answer, &out[1], "message", &out[0]);
    let reference = json!({"type": "item_reference", "id": out[1]["id"]});
    let answer = replay(
        &mut session,
        true,
        &[user("Plan it."), reference.clone(), user("Go on.")],
    );
    orphan_follower(&answer, &out[1], "message", &out[0]);
    let head = json!({"id": out[0]["id"]});
    ok(&replay(
        &mut session,
        true,
        &[user("Plan it."), head, reference, user("Go on.")],
    ));
}

#[test]
fn e03_order_of_a_message_and_a_call() {
    let mut reply = thought("I look.");
    reply.parts.extend(calls(&["call_1"]).parts.into_iter().skip(1));
    let (mut session, out) = first_turn(session(), true, reply);
    let (rs, msg, fc) = (&out[0], &out[1], &out[2]);
    let wrong = [rs.clone(), fc.clone(), msg.clone(), output("call_1")];
    let answer = replay(&mut session, true, &wrong);
    // The reasoning led to the message, but the call still belongs to its group.
    orphan_follower(&answer, msg, "message", rs);
    ok(&replay(
        &mut session,
        true,
        &[rs.clone(), msg.clone(), fc.clone(), output("call_1")],
    ));
}

#[test]
fn parallel_calls_belong_to_one_reasoning_item() {
    let (mut session, out) = first_turn(session(), true, calls(&["call_1", "call_2"]));
    let mut input = out.clone();
    input.extend([output("call_1"), output("call_2")]);
    ok(&replay(&mut session, true, &input));
    let input = [out[2].clone(), output("call_2")];
    orphan_follower(
        &replay(&mut session, true, &input),
        &out[2],
        "function_call",
        &out[0],
    );
}

#[test]
fn a_partner_is_named_from_the_id_alone() {
    let (session, out) = first_turn(session(), true, calls(&["call_1", "call_2"]));
    let fake = session.fake();
    for follower in &out[1..] {
        assert_eq!(fake.partner_of(id(follower)).as_deref(), Some(id(&out[0])));
    }
    assert_eq!(fake.partner_of(id(&out[0])), None);
    assert_eq!(fake.partner_of("msg_someone_elses"), None);
}

#[test]
fn e08_one_id_twice() {
    let (mut session, out) = first_turn(session(), false, thought("Done."));
    let twice = [
        out[0].clone(),
        out[1].clone(),
        out[0].clone(),
        out[1].clone(),
        user("Go on."),
    ];
    let message = format!(
        "Duplicate item found with id {}. Remove duplicate items from your input and try again.",
        id(&out[0])
    );
    refused(
        &replay(&mut session, false, &twice),
        400,
        &message,
        Some("input"),
        None,
    );
}
