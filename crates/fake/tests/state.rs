//! State modes: E06, E07, E10, E11, E15 to E18, E21, E24; recall; determinism; other endpoints.

mod common;

use common::{
    body, bytes, calls, create, delete, events, get, items, ok, output, post, refused, session, session_of,
    text, thought, user,
};
use holdover_fake::{FakeConfig, Session};
use holdover_profile::Org;
use holdover_wire::ServerId;
use holdover_wire::id::Persistence;
use serde_json::{Value, json};

fn zdr() -> Session {
    Session::new(FakeConfig {
        org: Org::Zdr,
        ..FakeConfig::default()
    })
}

fn next(previous: &Value, input: &Value) -> Value {
    json!({"model": "gpt-5.6", "previous_response_id": previous["id"], "input": input})
}

#[test]
fn a_chain_on_the_server_carries_its_reasoning() {
    let mut session = session();
    let first = ok(&create(
        &mut session,
        &json!({"model": "gpt-5.6", "input": "One."}),
    ));
    let answer = create(&mut session, &next(&first, &json!("Two.")));
    assert_eq!(
        text(&answer),
        "Offline (Medium, stored, priorProtected=1): answered \"Two.\"."
    );
    let second = ok(&answer);
    let answer = create(&mut session, &next(&second, &json!("Three.")));
    assert_eq!((answer.carried.prior_protected, answer.carried.rendered), (2, 2));
    assert_eq!(answer.plan.header("x-holdover-prior-protected"), Some("2"));
    assert_eq!(ok(&answer)["previous_response_id"], second["id"]);
    let usage = |response: &Value| response["usage"]["input_tokens"].as_u64().expect("a number");
    // The whole logical context is counted each turn (`tests/facts/state.md`).
    assert!(usage(&ok(&answer)) > usage(&second));
}

#[test]
fn ids_of_a_chain_share_their_partition_and_carry_flag_and_time() {
    let mut session = session();
    let first = ok(&create(
        &mut session,
        &json!({"model": "gpt-5.6", "input": "One."}),
    ));
    let second = ok(&create(&mut session, &next(&first, &json!("Two."))));
    let id = |value: &Value| ServerId::parse(value["id"].as_str().expect("an id")).expect("server grammar");
    for response in [&first, &second] {
        assert_eq!(id(response).partition, id(&first).partition);
        for item in response["output"].as_array().expect("output") {
            assert_eq!(id(item).partition, id(&first).partition);
            assert_eq!(id(item).persistence, Persistence::Persisted);
        }
        assert_eq!(
            u64::from(id(response).second),
            response["created_at"].as_u64().expect("a number")
        );
    }
    assert_eq!(first["created_at"], 1_795_000_000_u64);
    // Reasoning at tick 0, message at tick 1: one more is 2.
    assert_eq!(second["created_at"], 1_795_000_002_u64);
    let other = ok(&create(
        &mut session,
        &json!({"model": "gpt-5.6", "input": "Other.", "store": false}),
    ));
    assert_ne!(id(&other).partition, id(&first).partition);
    assert_eq!(id(&other).persistence, Persistence::NotPersisted);
}

#[test]
fn e15_previous_responses_that_are_not_there() {
    let mut session = session();
    let unstored = ok(&create(
        &mut session,
        &json!({"model": "gpt-5.6", "input": "x", "store": false}),
    ));
    for id in [unstored["id"].as_str().expect("an id"), "resp_A"] {
        let answer = create(
            &mut session,
            &json!({"model": "gpt-5.6", "previous_response_id": id, "input": "y"}),
        );
        let message = format!("Previous response with id '{id}' not found.");
        refused(
            &answer,
            400,
            &message,
            Some("previous_response_id"),
            Some("previous_response_not_found"),
        );
    }
    let stored = ok(&create(&mut session, &json!({"model": "gpt-5.6", "input": "x"})));
    ok(&create(&mut session, &next(&stored, &json!("y"))));
    let path = format!("/v1/responses/{}", stored["id"].as_str().expect("an id"));
    let gone = ok(&delete(&mut session, &path));
    assert_eq!(
        gone,
        json!({"id": stored["id"], "object": "response", "deleted": true})
    );
    assert_eq!(create(&mut session, &next(&stored, &json!("y"))).plan.status, 400);
}

#[test]
fn e16_zdr_forces_store_and_refuses_chaining() {
    let mut session = zdr();
    let first = ok(&create(
        &mut session,
        &json!({"model": "gpt-5.6", "input": "x", "store": true}),
    ));
    assert_eq!(first["store"], false);
    let message = "Previous response cannot be used for this organization due to Zero Data Retention.";
    refused(
        &create(&mut session, &next(&first, &json!("y"))),
        400,
        message,
        Some("previous_response_id"),
        Some("unsupported_parameter"),
    );
}

#[test]
fn e17_is_checked_before_look_ups() {
    let body =
        json!({"model": "gpt-5.6", "previous_response_id": "resp_A", "conversation": "conv_A", "input": "x"});
    let message = "Mutually exclusive parameters: ''. Ensure you are only providing one of: 'pre..._id' or 'conversation'.";
    refused(
        &create(&mut session(), &body),
        400,
        message,
        None,
        Some("mutually_exclusive_parameters"),
    );
    // A schema fault hides it.
    let mut body = body;
    body["store"] = json!("yes");
    assert_eq!(
        common::body(&create(&mut session(), &body))["error"]["param"],
        "store"
    );
}

#[test]
fn e06_and_e07_items_that_are_only_named() {
    let named = |store: bool| json!({"model": "gpt-5.6", "store": store, "input": [{"type": "reasoning", "id": "rs_A", "summary": []}, {"role": "assistant", "content": "x"}, user("y")]});
    let e06 = "Item with id 'rs_A' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.";
    refused(
        &create(&mut session(), &named(false)),
        404,
        e06,
        Some("input"),
        None,
    );
    refused(
        &create(&mut session_of("azure"), &named(false)),
        400,
        e06,
        Some("input"),
        None,
    );
    refused(
        &create(&mut session(), &named(true)),
        404,
        "Item with id 'rs_A' not found.",
        Some("input"),
        None,
    );
    let e07b =
        "Item with id 'rs_A' not found. Items are not persisted for Zero Data Retention organizations.";
    refused(&create(&mut zdr(), &named(true)), 404, e07b, Some("input"), None);
}

#[test]
fn stored_items_may_be_named_and_unstored_ones_may_not() {
    for (store, status) in [(true, 200), (false, 404)] {
        let mut session = session();
        let out = items(&create(
            &mut session,
            &json!({"model": "gpt-5.6", "input": "x", "store": store}),
        ));
        let input = json!([user("x"), out[0], out[1], user("y")]);
        let answer = create(
            &mut session,
            &json!({"model": "gpt-5.6", "store": store, "input": input}),
        );
        assert_eq!(answer.plan.status, status, "{}", body(&answer));
        assert_eq!(answer.carried.prior_protected, u32::from(store));
    }
}

#[test]
fn e10_and_e11_calls_and_outputs() {
    let mut session = session();
    session.script(vec![calls(&["call_1", "call_2"])]);
    let first = ok(&create(&mut session, &json!({"model": "gpt-5.6", "input": "x"})));
    let refuse = |session: &mut Session, input: Value, message: &str| {
        refused(
            &create(session, &next(&first, &input)),
            400,
            message,
            Some("input"),
            None,
        );
    };
    refuse(
        &mut session,
        json!([user("y")]),
        "No tool output found for function call call_1.",
    );
    refuse(
        &mut session,
        json!([output("call_1")]),
        "No tool output found for function call call_2.",
    );
    let stray = json!([output("call_1"), output("call_2"), output("call_3")]);
    refuse(
        &mut session,
        stray,
        "No tool call found for function call output with call_id call_3.",
    );
    let custom = json!([{"type": "custom_tool_call_output", "call_id": "call_1", "output": "x"}]);
    refuse(
        &mut session,
        custom,
        "No tool call found for custom tool call output with call_id call_1.",
    );
    ok(&create(
        &mut session,
        &next(&first, &json!([output("call_2"), output("call_1")])),
    ));
    let lone = json!({"model": "gpt-5.6", "input": [user("x"), output("call_1")]});
    refused(
        &create(&mut session, &lone),
        400,
        "No tool call found for function call output with call_id call_1.",
        Some("input"),
        None,
    );
}

#[test]
fn e24_nothing_to_continue() {
    let message =
        "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation' must be provided.";
    for input in [json!([]), json!("")] {
        let answer = create(&mut session(), &json!({"model": "gpt-5.6", "input": input}));
        refused(&answer, 400, message, None, Some("missing_required_parameter"));
    }
    let mut session = session();
    let first = ok(&create(&mut session, &json!({"model": "gpt-5.6", "input": "x"})));
    ok(&create(&mut session, &next(&first, &json!([]))));
}

#[test]
fn recall_follows_what_is_rendered() {
    let mut session = session();
    // gpt-5.5 shows the current turn only, gpt-5.6 all turns (`tests/facts/state.md`).
    for (model, context, known) in [
        ("gpt-5.6", None, true),
        ("gpt-5.6", Some("current_turn"), false),
        ("gpt-5.5", None, false),
        ("gpt-5.5", Some("all_turns"), true),
    ] {
        let first = ok(&create(&mut session, &json!({"model": model, "input": "Think."})));
        let mut body = next(&first, &json!("holdover:recall"));
        body["model"] = json!(model);
        body["reasoning"] = json!({"context": context});
        let answer = create(&mut session, &body);
        assert_eq!(text(&answer).starts_with("nonce-"), known, "{model} {context:?}");
        assert_eq!(
            (answer.carried.prior_protected, answer.carried.rendered),
            (1, u32::from(known))
        );
    }
}

#[test]
fn recall_is_the_same_by_chain_by_token_and_after_compaction() {
    let mut session = session();
    let include = json!(["reasoning.encrypted_content"]);
    let first = ok(&create(
        &mut session,
        &json!({"model": "gpt-5.6", "input": "Think.", "include": include}),
    ));
    let by_chain = text(&create(&mut session, &next(&first, &json!("holdover:recall"))));
    assert!(by_chain.starts_with("nonce-"));
    let (rs, msg) = (&first["output"][0], &first["output"][1]);
    let replayed = json!([user("Think."), rs, msg, user("holdover:recall")]);
    let by_token = create(
        &mut session,
        &json!({"model": "gpt-5.6", "store": false, "input": replayed}),
    );
    assert_eq!(text(&by_token), by_chain);
    let compacted = ok(&post(
        &mut session,
        "/v1/responses/compact",
        json!({"model": "gpt-5.6", "input": [user("Think."), rs, msg]}),
    ));
    let mut input = compacted["output"].as_array().expect("output").clone();
    input.push(user("holdover:recall"));
    let after = create(
        &mut session,
        &json!({"model": "gpt-5.6", "store": false, "input": input}),
    );
    assert_eq!(text(&after), by_chain);
    assert_eq!(after.carried.prior_protected, 1);
    let lost = json!([user("Think."), {"role": "assistant", "content": "x"}, user("holdover:recall")]);
    let lost = create(
        &mut session,
        &json!({"model": "gpt-5.6", "store": false, "input": lost}),
    );
    assert_eq!(text(&lost), "unknown");
}

#[test]
fn the_same_calls_give_the_same_bytes() {
    let run = || {
        let mut session = session();
        session.script(vec![calls(&["call_1"]), thought("Done.")]);
        let mut all = Vec::new();
        let first = create(&mut session, &json!({"model": "gpt-5.6", "input": "x"}));
        let second = create(&mut session, &next(&ok(&first), &json!([output("call_1")])));
        let third = create(
            &mut session,
            &json!({"model": "gpt-5.6", "input": "x", "stream": true}),
        );
        let list = get(&mut session, "/v1/models");
        for answer in [first, second, third, list] {
            all.push((bytes(&answer), answer.plan.headers));
        }
        all
    };
    assert_eq!(run(), run());
}

#[test]
fn worlds_share_bytes_and_repeats_differ() {
    let answer = |world: &str, body: &Value| {
        let mut session = Session::new(FakeConfig {
            world: world.to_owned(),
            ..FakeConfig::default()
        });
        ok(&create(&mut session, body))
    };
    let body = json!({"model": "gpt-5.6", "input": "x"});
    assert_eq!(answer("a", &body), answer("a", &body));
    assert_ne!(answer("a", &body)["id"], answer("b", &body)["id"]);
    let mut session = session();
    let (first, second) = (ok(&create(&mut session, &body)), ok(&create(&mut session, &body)));
    assert_ne!(first["id"], second["id"]);
    // What only labels a request changes no id; both transports have the same ids.
    let labelled = json!({"model": "gpt-5.6", "input": "x", "metadata": {"run": "1"}, "user": "u", "prompt_cache_key": "k"});
    assert_eq!(answer("a", &labelled)["id"], answer("a", &body)["id"]);
    let mut streaming = common::session();
    let stream = events(&create(
        &mut streaming,
        &json!({"model": "gpt-5.6", "input": "x", "stream": true}),
    ));
    assert_eq!(stream[0]["response"]["id"], first["id"]);
}

#[test]
fn a_token_carries_the_time_also_without_its_id() {
    let mut session = session();
    let body =
        json!({"model": "gpt-5.6", "store": false, "include": ["reasoning.encrypted_content"], "input": "x"});
    let first = ok(&create(&mut session, &body));
    let reasoning = common::without(&first["output"][0], "id");
    let message = common::without(&first["output"][1], "id");
    let input = json!([user("x"), reasoning, message, user("y")]);
    let second = ok(&create(
        &mut session,
        &json!({"model": "gpt-5.6", "store": false, "input": input}),
    ));
    // The reasoning item is of tick 0; nothing else carries a time.
    assert_eq!(second["created_at"], 1_795_000_001_u64);
}

#[test]
fn items_of_a_conversation_may_be_replayed_by_a_client() {
    // What the Conversations session of the Agents SDK does (`tests/facts/clients/agents_sdk.md`).
    let mut session = session();
    let first = ok(&create(&mut session, &json!({"model": "gpt-5.6", "input": "x"})));
    let conversation = ok(&post(&mut session, "/v1/conversations", json!({})));
    let path = format!(
        "/v1/conversations/{}/items",
        conversation["id"].as_str().expect("an id")
    );
    let posted = json!({"items": [user("x"), first["output"][0], first["output"][1]]});
    ok(&post(&mut session, &path, posted));
    let list = ok(&get(&mut session, &format!("{path}?order=asc")));
    let mut input = list["data"].as_array().expect("data").clone();
    assert_eq!(input[1], first["output"][0]);
    input.push(user("y"));
    let answer = create(&mut session, &json!({"model": "gpt-5.6", "input": input}));
    ok(&answer);
    assert_eq!(answer.carried.prior_protected, 1);
}
