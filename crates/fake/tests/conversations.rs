//! Conversations: everything of `tests/facts/examples/16_conversation_and_input_items.json`, pagination, deletion, and
//! one writer at a time (E19).

mod common;

use common::golden::{message, reply, same_shape};
use common::{create, delete, example_json, get, ok, post, refused, session, text, thought, user};
use holdover_fake::Session;
use holdover_wire::Call;
use serde_json::{Value, json};

fn open(session: &mut Session, body: Value) -> String {
    let conversation = ok(&post(session, "/v1/conversations", body));
    conversation["id"].as_str().expect("an id").to_owned()
}

/// The body that an example has for a call of which this is the end.
fn example(end: &str) -> Value {
    let all = example_json("16_conversation_and_input_items.json");
    let entries = all.as_object().expect("object");
    let found = entries.iter().find(|(name, _)| name.ends_with(end));
    found.expect("an entry").1["response_body"].clone()
}

#[test]
fn a_conversation_lives_as_in_example_16() {
    let mut session = session();
    let created = ok(&post(
        &mut session,
        "/v1/conversations",
        json!({"metadata": {"topic": "pets"}}),
    ));
    same_shape(&created, &example("POST /v1/conversations"));
    let id = created["id"].as_str().expect("an id");
    session.script(vec![reply([message("Noted.")])]);
    let body = json!({"model": "gpt-5.6-sol", "conversation": id, "input": "My dog is called Rex."});
    let response = ok(&create(&mut session, &body));
    same_shape(&response, &example("POST /v1/responses"));
    let response_path = format!("/v1/responses/{}", response["id"].as_str().expect("an id"));
    let items = format!("/v1/conversations/{id}/items");

    same_shape(
        &ok(&get(&mut session, &format!("{response_path}/input_items"))),
        &example("/input_items"),
    );
    let first = ok(&get(&mut session, &format!("{items}?order=asc&limit=1")));
    same_shape(&first, &example("?order=asc&limit=1"));
    let user_message = first["last_id"].as_str().expect("an id");
    let rest = ok(&get(
        &mut session,
        &format!("{items}?order=asc&after={user_message}"),
    ));
    let all = example_json("16_conversation_and_input_items.json");
    let after = all.as_object().expect("object").iter();
    let after = after
        .filter(|(name, _)| name.contains("&after="))
        .map(|(_, entry)| entry);
    same_shape(&rest, &{ after }.next_back().expect("an entry")["response_body"]);
    let one = ok(&get(&mut session, &format!("{items}/{user_message}")));
    assert_eq!(one, first["data"][0]);

    assert_eq!(
        ok(&delete(&mut session, &format!("{items}/{user_message}"))),
        created
    );
    let gone = get(&mut session, &format!("{items}/{user_message}"));
    assert_eq!(gone.plan.status, 404);
    let path = format!("/v1/conversations/{id}");
    assert_eq!(
        ok(&delete(&mut session, &path)),
        json!({"id": id, "object": "conversation.deleted", "deleted": true})
    );
    let message = format!("Conversation with id '{id}' not found.");
    refused(&get(&mut session, &path), 404, &message, None, None);
    assert_eq!(
        ok(&delete(&mut session, &response_path)),
        json!({"id": response["id"], "object": "response", "deleted": true})
    );
    let counted = json!({"model": "gpt-5.6-sol", "input": "My dog is called Rex."});
    same_shape(
        &ok(&post(&mut session, "/v1/responses/input_tokens", counted)),
        &example("POST /v1/responses/input_tokens"),
    );
    same_shape(
        &ok(&get(&mut session, "/v1/models/gpt-5.6-sol")),
        &example("GET /v1/models/gpt-5.6-sol"),
    );
}

#[test]
fn metadata_is_replaced_and_needed() {
    let mut session = session();
    let id = open(&mut session, json!({"metadata": {"a": "1"}}));
    let path = format!("/v1/conversations/{id}");
    let updated = ok(&post(&mut session, &path, json!({"metadata": {"b": "2"}})));
    assert_eq!(updated["metadata"], json!({"b": "2"}));
    assert_eq!(ok(&get(&mut session, &path)), updated);
    assert_eq!(
        ok(&post(&mut session, &path, json!({"metadata": null})))["metadata"],
        json!({})
    );
    refused(
        &post(&mut session, &path, json!({})),
        400,
        "Missing required parameter: 'metadata'.",
        Some("metadata"),
        Some("missing_required_parameter"),
    );
}

#[test]
fn pages_join_to_the_whole_list_in_both_orders() {
    let mut session = session();
    let texts: Vec<Value> = (0..20).map(|number| user(&format!("m{number}"))).collect();
    let id = open(&mut session, json!({"items": texts}));
    let items = format!("/v1/conversations/{id}/items");
    ok(&post(&mut session, &items, json!({"items": [user("m20")]})));
    for (order, first) in [("asc", "m0"), ("desc", "m20")] {
        let mut seen = Vec::new();
        let mut after = String::new();
        loop {
            let page = ok(&get(
                &mut session,
                &format!("{items}?order={order}&limit=8{after}"),
            ));
            seen.extend(page["data"].as_array().expect("data").clone());
            after = format!("&after={}", page["last_id"].as_str().expect("an id"));
            if page["has_more"] == false {
                break;
            }
        }
        assert_eq!(seen.len(), 21);
        assert_eq!(seen[0]["content"][0]["text"], first);
    }
    assert_eq!(
        ok(&get(&mut session, &items))["data"].as_array().map(Vec::len),
        Some(20)
    );
    for limit in ["0", "101", "x"] {
        let answer = get(&mut session, &format!("{items}?limit={limit}"));
        assert_eq!(answer.plan.status, 400, "{limit}");
    }
    let answer = get(&mut session, &format!("{items}?order=up"));
    refused(
        &answer,
        400,
        "Invalid value: 'up'. Supported values are: 'asc' and 'desc'.",
        Some("order"),
        Some("invalid_value"),
    );
}

#[test]
fn too_many_items_are_refused() {
    let many: Vec<Value> = (0..21).map(|number| user(&number.to_string())).collect();
    refused(
        &post(&mut session(), "/v1/conversations", json!({"items": many})),
        400,
        "Invalid 'items': array too long. Expected an array with maximum length 20, but got an array with length 21 instead.",
        Some("items"),
        Some("array_above_max_length"),
    );
}

#[test]
fn e19_a_conversation_has_one_writer_at_a_time() {
    let mut session = session();
    let id = open(&mut session, json!({}));
    let body = |input: &str| json!({"model": "gpt-5.6", "conversation": id, "input": input, "stream": true});
    let call = Call::post("/v1/responses", body("one"));
    let prepared = session.begin(&call);
    let answer = prepared.answer(&call);
    assert_eq!(answer.plan.status, 200);
    let second = create(&mut session, &body("two"));
    let expected = &example_json("15_errors.json")["conversation_locked"]["body"];
    assert_eq!((second.plan.status, &common::body(&second)), (400, expected));
    // Another conversation is free, and reading is.
    let other = open(&mut session, json!({}));
    let elsewhere = json!({"model": "gpt-5.6", "conversation": other, "input": "x"});
    ok(&create(&mut session, &elsewhere));
    ok(&get(&mut session, &format!("/v1/conversations/{id}/items")));
    drop(prepared);
    session.commit(answer.writes);
    assert_eq!(create(&mut session, &body("two")).plan.status, 200);
}

#[test]
fn an_answer_that_nobody_finishes_frees_its_conversation() {
    let mut session = session();
    let id = open(&mut session, json!({}));
    let body = json!({"model": "gpt-5.6", "conversation": id, "input": "x"});
    let call = Call::post("/v1/responses", body.clone());
    let answer = session.begin(&call).answer(&call);
    drop(answer);
    ok(&create(&mut session, &body));
}

#[test]
fn items_that_are_deleted_are_no_longer_carried() {
    let mut session = session();
    let id = open(&mut session, json!({}));
    session.script(vec![thought("Noted.")]);
    let body = |input: &str| json!({"model": "gpt-5.6", "conversation": id, "input": input});
    let first = ok(&create(&mut session, &body("Think.")));
    for item in first["output"].as_array().expect("output") {
        let item = item["id"].as_str().expect("an id");
        ok(&delete(
            &mut session,
            &format!("/v1/conversations/{id}/items/{item}"),
        ));
    }
    let answer = create(&mut session, &body("holdover:recall"));
    assert_eq!(text(&answer), "unknown");
    assert_eq!(answer.carried.prior_protected, 0);
}

#[test]
fn a_failed_turn_leaves_its_conversation_as_it_was() {
    let mut session = session();
    let id = open(&mut session, json!({}));
    let end = holdover_wire::ReplyPart::End(holdover_wire::ReplyEnd::Failed {
        code: "server_error".to_owned(),
        message: None,
    });
    session.script(vec![reply([end])]);
    create(
        &mut session,
        &json!({"model": "gpt-5.6", "conversation": id, "input": "x", "stream": true}),
    );
    let list = ok(&get(&mut session, &format!("/v1/conversations/{id}/items")));
    assert_eq!(list["data"], json!([]));
}
