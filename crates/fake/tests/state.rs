//! State modes: E06, E07, E10, E11, E15 to E18, E21, E24; recall; determinism; other endpoints.

mod common;

use common::{
    body, bytes, calls, create, delete, events, get, items, ok, output, post, refused, session, session_of,
    text, thought, user, without,
};
use holdover_fake::{AutoTools, FakeConfig, ItemOrder, Session};
use holdover_profile::Org;
use holdover_wire::id::Persistence;
use holdover_wire::{Call, ServerId};
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
fn keys_bodies_and_methods() {
    let mut call = Call::post("/v1/responses", json!({"model": "gpt-5.6", "input": "x"}));
    call.headers.clear();
    refused(
        &session().handle(&call),
        401,
        "Missing bearer or basic authentication in header",
        None,
        None,
    );
    call = Call {
        body: holdover_wire::CallBody::parse(b"{\"model\":"),
        ..Call::get("/v1/responses")
    };
    call.method = holdover_wire::Method::Post;
    let answer = session().handle(&call);
    let message = body(&answer)["error"]["message"]
        .as_str()
        .expect("text")
        .to_owned();
    assert!(message.starts_with("We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly."));
    assert_eq!(get(&mut session(), "/v1/responses").plan.status, 405);
    assert_eq!(get(&mut session(), "/v1/foo").plan.status, 404);
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
fn compaction_keeps_user_messages_and_the_shape_of_example_12() {
    let example = common::example_json("12_compact.json");
    let mut session = session();
    let compacted = ok(&post(
        &mut session,
        "/v1/responses/compact",
        example["request"]["body"].clone(),
    ));
    let expected = &example["response"]["body"];
    assert_eq!(common::keys(&compacted), common::keys(expected));
    let (ours, theirs) = (
        compacted["output"].as_array().expect("output"),
        expected["output"].as_array().expect("output"),
    );
    assert_eq!(ours.len(), theirs.len());
    for (ours, theirs) in ours.iter().zip(theirs) {
        assert_eq!(common::keys(ours), common::keys(theirs));
        assert_eq!(ours["content"], theirs["content"]);
        let id = ServerId::parse(ours["id"].as_str().expect("an id")).expect("server grammar");
        assert_eq!(id.persistence, Persistence::NotPersisted);
    }
    // By previous_response_id the messages keep the ids stored earlier.
    let first = ok(&create(
        &mut session,
        &json!({"model": "gpt-5.6", "input": "One."}),
    ));
    let second = ok(&create(&mut session, &next(&first, &json!("Two."))));
    let body = json!({"model": "gpt-5.6", "previous_response_id": second["id"], "input": []});
    let compacted = ok(&post(&mut session, "/v1/responses/compact", body));
    let texts: Vec<&Value> = compacted["output"]
        .as_array()
        .expect("output")
        .iter()
        .filter_map(|item| item["content"][0].get("text"))
        .collect();
    assert_eq!(texts, ["One.", "Two."]);
    let body = json!({"model": "gpt-5.6", "previous_response_id": compacted["id"], "input": "x"});
    assert_eq!(create(&mut session, &body).plan.status, 400);
}

#[test]
fn compaction_triggers_and_thresholds() {
    let mut session = session();
    let body = json!({"model": "gpt-5.6", "store": false, "stream": true, "input": [user("x"), {"type": "compaction_trigger"}]});
    let stream = events(&create(&mut session, &body));
    let names: Vec<&str> = stream.iter().filter_map(|event| event["type"].as_str()).collect();
    assert_eq!(
        names,
        [
            "response.created",
            "response.in_progress",
            "response.output_item.added",
            "response.compaction.compacting",
            "response.output_item.done",
            "response.completed"
        ]
    );
    let body = json!({"model": "gpt-5.6", "input": "word ".repeat(1_500), "context_management": [{"type": "compaction", "compact_threshold": 1_000}]});
    let out = items(&create(&mut session, &body));
    let kinds: Vec<&str> = out.iter().filter_map(|item| item["type"].as_str()).collect();
    assert_eq!(kinds, ["reasoning", "message", "compaction"]);
}

#[test]
fn conversations_prepend_and_append() {
    let mut session = session();
    let conversation = ok(&post(
        &mut session,
        "/v1/conversations",
        json!({"metadata": {"topic": "pets"}}),
    ));
    let expected = &common::example_json("16_conversation_and_input_items.json")["POST /v1/conversations"]["response_body"];
    assert_eq!(common::keys(&conversation), common::keys(expected));
    let id = conversation["id"].as_str().expect("an id").to_owned();
    let turn = |input: &str| json!({"model": "gpt-5.6", "conversation": id, "input": input});
    let first = ok(&create(&mut session, &turn("My dog is called Rex.")));
    assert_eq!(first["conversation"], json!({"id": id}));
    let answer = create(&mut session, &turn("holdover:recall"));
    assert!(text(&answer).starts_with("nonce-"));
    assert_eq!(answer.carried.prior_protected, 1);
    let list = ok(&get(
        &mut session,
        &format!("/v1/conversations/{id}/items?order=asc&limit=3"),
    ));
    let kinds: Vec<&str> = list["data"]
        .as_array()
        .expect("data")
        .iter()
        .filter_map(|item| item["type"].as_str())
        .collect();
    assert_eq!(kinds, ["message", "reasoning", "message"]);
    assert_eq!(list["has_more"], true);
    assert_eq!(list["data"][1], first["output"][0]);
    let newest = ok(&get(
        &mut session,
        &format!("/v1/conversations/{id}/items?limit=1"),
    ));
    assert_eq!(newest["data"][0]["role"], "assistant");
    let twice = json!({"model": "gpt-5.6", "conversation": id, "input": [first["output"][0], first["output"][1], user("x")]});
    let message = format!(
        "Duplicate item found with id {}. Remove duplicate items from your input and try again.",
        first["output"][0]["id"].as_str().expect("an id")
    );
    refused(&create(&mut session, &twice), 400, &message, Some("input"), None);
    let unknown = json!({"model": "gpt-5.6", "conversation": "conv_A", "input": "x"});
    refused(
        &create(&mut session, &unknown),
        404,
        "Conversation with id 'conv_A' not found.",
        None,
        None,
    );
}

#[test]
fn e20_items_that_a_conversation_does_not_take() {
    let mut session = session();
    let conversation = ok(&post(&mut session, "/v1/conversations", json!({})));
    let path = format!(
        "/v1/conversations/{}/items",
        conversation["id"].as_str().expect("an id")
    );
    let bare = json!({"items": [{"type": "reasoning", "summary": []}]});
    refused(
        &post(&mut session, &path, bare),
        400,
        "Invalid item",
        Some("item"),
        Some("invalid_item"),
    );
    let hosted = json!({"items": [{"type": "web_search_call", "status": "completed"}]});
    refused(
        &post(&mut session, &path, hosted),
        400,
        "Missing required parameter: 'items[0].id'.",
        Some("items[0].id"),
        Some("missing_required_parameter"),
    );
    let added = ok(&post(&mut session, &path, json!({"items": [user("Hello.")]})));
    assert_eq!(
        added["data"][0]["content"],
        json!([{"type": "input_text", "text": "Hello."}])
    );
}

#[test]
fn get_seals_again_when_asked() {
    let mut session = session();
    let first = ok(&create(
        &mut session,
        &json!({"model": "gpt-5.6", "input": "x", "include": ["reasoning.encrypted_content"]}),
    ));
    let path = format!("/v1/responses/{}", first["id"].as_str().expect("an id"));
    let plain = ok(&get(&mut session, &path));
    assert_eq!(common::keys(&plain), common::keys(&first));
    assert_eq!(plain["output"][0].get("encrypted_content"), None);
    let sealed = ok(&get(
        &mut session,
        &format!("{path}?include[]=reasoning.encrypted_content"),
    ));
    let again = ok(&get(
        &mut session,
        &format!("{path}?include[]=reasoning.encrypted_content"),
    ));
    let token = |response: &Value| {
        response["output"][0]["encrypted_content"]
            .as_str()
            .expect("a token")
            .to_owned()
    };
    assert_ne!(token(&sealed), token(&first));
    assert_ne!(token(&sealed), token(&again));
    let input = json!([user("x"), sealed["output"][0], sealed["output"][1], user("y")]);
    assert_eq!(
        create(
            &mut session,
            &json!({"model": "gpt-5.6", "store": false, "input": input})
        )
        .carried
        .prior_protected,
        1
    );
    let unstored = ok(&create(
        &mut session,
        &json!({"model": "gpt-5.6", "input": "x", "store": false}),
    ));
    let id = unstored["id"].as_str().expect("an id");
    refused(
        &get(&mut session, &format!("/v1/responses/{id}")),
        404,
        &format!("Response with id '{id}' not found."),
        None,
        None,
    );
}

#[test]
fn input_items_have_ids_and_full_messages() {
    let mut session = session();
    let first = ok(&create(
        &mut session,
        &json!({"model": "gpt-5.6", "input": "My dog is called Rex."}),
    ));
    let list = ok(&get(
        &mut session,
        &format!(
            "/v1/responses/{}/input_items",
            first["id"].as_str().expect("an id")
        ),
    ));
    let expected = &common::example_json("16_conversation_and_input_items.json");
    let expected = expected
        .as_object()
        .expect("object")
        .iter()
        .find(|(name, _)| name.contains("input_items"))
        .expect("an entry")
        .1;
    let (ours, theirs) = (&list["data"][0], &expected["response_body"]["data"][0]);
    assert_eq!(common::keys(&list), common::keys(&expected["response_body"]));
    assert_eq!(common::keys(ours), common::keys(theirs));
    assert_eq!(without(ours, "id"), without(theirs, "id"));
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
fn reasoning_is_emitted_unless_the_effort_is_explicitly_none() {
    let kinds = |reasoning: Value, model: &str| {
        let body = json!({"model": model, "input": "x", "reasoning": reasoning});
        let out = items(&create(&mut session(), &body));
        out.iter()
            .map(|item| item["type"].as_str().unwrap_or("").to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(kinds(Value::Null, "gpt-5.6"), ["reasoning", "message"]);
    assert_eq!(kinds(Value::Null, "gpt-5.4"), ["reasoning", "message"]);
    assert_eq!(kinds(json!({"effort": "none"}), "gpt-5.6"), ["message"]);
    assert_eq!(kinds(Value::Null, "gpt-4.1"), ["message"]);
}

#[test]
fn summaries_come_on_request_and_start_with_a_title() {
    let summary = |reasoning: Value| {
        let body = json!({"model": "gpt-5.6", "input": "x", "reasoning": reasoning});
        items(&create(&mut session(), &body))[0]["summary"].clone()
    };
    assert_eq!(summary(Value::Null), json!([]));
    let part = &summary(json!({"summary": "auto"}))[0];
    assert_eq!(part["type"], "summary_text");
    let text = part["text"].as_str().expect("text");
    assert!(text.starts_with("**") && text.contains("**\n\n"), "{text}");
}

#[test]
fn replies_are_taken_by_successful_creates_only() {
    let mut session = session();
    session.script(vec![thought("One."), thought("Two.")]);
    assert_eq!(
        create(&mut session, &json!({"model": "nope", "input": "x"}))
            .plan
            .status,
        400
    );
    get(&mut session, "/v1/models");
    let body = json!({"model": "gpt-5.6", "input": "x"});
    let said: Vec<String> = (0..3).map(|_| text(&create(&mut session, &body))).collect();
    assert_eq!(said[..2], ["One.", "Two."]);
    assert!(said[2].starts_with("Offline ("));
}

const WEATHER: &str = r#"[{"type":"function","name":"get_weather","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}},{"type":"function","name":"book_flight","parameters":{"type":"object","properties":{}}}]"#;

fn tools() -> Value {
    serde_json::from_str(WEATHER).expect("JSON")
}

#[test]
fn a_forced_call_is_made_once_a_user_turn() {
    let mut session = session();
    let mut body = json!({"model": "gpt-5.6", "input": "x", "tools": tools(), "tool_choice": {"type": "function", "name": "book_flight"}});
    let first = ok(&create(&mut session, &body));
    let call = &first["output"][1];
    assert_eq!(
        (call["type"].as_str(), call["name"].as_str()),
        (Some("function_call"), Some("book_flight"))
    );
    body["previous_response_id"] = first["id"].clone();
    body["input"] = json!([output(call["call_id"].as_str().expect("a call id"))]);
    let answer = create(&mut session, &body);
    assert_eq!(
        text(&answer),
        "Offline (Medium, stored, priorProtected=1): answered \"x\"."
    );
}

#[test]
fn auto_tools_call_what_they_are_told_to() {
    let called = |auto_tools: AutoTools, input: &str| {
        let mut session = Session::new(FakeConfig {
            auto_tools,
            ..FakeConfig::default()
        });
        let out = items(&create(
            &mut session,
            &json!({"model": "gpt-5.6", "input": input, "tools": tools()}),
        ));
        out[1]["name"].as_str().map(ToOwned::to_owned)
    };
    assert_eq!(called(AutoTools::Off, "weather"), None);
    assert_eq!(
        called(AutoTools::Named, "Any flight to Rome?").as_deref(),
        Some("book_flight")
    );
    assert_eq!(called(AutoTools::Named, "Hello"), None);
    assert_eq!(called(AutoTools::Any, "Hello").as_deref(), Some("get_weather"));
    let list = AutoTools::List(vec!["book_flight".to_owned()]);
    assert_eq!(called(list, "Hello").as_deref(), Some("book_flight"));
}

#[test]
fn reasoning_done_last_is_the_order_of_the_sample() {
    let mut session = Session::new(FakeConfig {
        order: ItemOrder::ReasoningDoneLast,
        ..FakeConfig::default()
    });
    let stream = events(&create(
        &mut session,
        &json!({"model": "gpt-5.6", "input": "x", "stream": true}),
    ));
    let items: Vec<(&str, u64)> = stream
        .iter()
        .filter_map(|event| {
            Some((
                event["type"].as_str()?.strip_prefix("response.output_item.")?,
                event["output_index"].as_u64()?,
            ))
        })
        .collect();
    assert_eq!(items, [("added", 0), ("added", 1), ("done", 1), ("done", 0)]);
    for (index, event) in stream.iter().enumerate() {
        assert_eq!(event["sequence_number"], index);
    }
}

#[test]
fn stubs_answer() {
    let mut session = session();
    let models = ok(&get(&mut session, "/v1/models"));
    assert!(
        models["data"]
            .as_array()
            .is_some_and(|models| models.iter().any(|model| model["id"] == "gpt-5.6-luna"))
    );
    assert_eq!(
        ok(&get(&mut session, "/v1/models/gpt-5.6-sol")),
        common::example_json("16_conversation_and_input_items.json")["GET /v1/models/gpt-5.6-sol"]["response_body"]
    );
    let embedded = ok(&post(
        &mut session,
        "/v1/embeddings",
        json!({"model": "text-embedding-3-small", "input": ["a", "b", "a"], "dimensions": 8}),
    ));
    assert_eq!(embedded["data"][0]["embedding"], embedded["data"][2]["embedding"]);
    assert_ne!(embedded["data"][0]["embedding"], embedded["data"][1]["embedding"]);
    assert_eq!(embedded["data"][0]["embedding"].as_array().map(Vec::len), Some(8));
    let moderated = ok(&post(&mut session, "/v1/moderations", json!({"input": "x"})));
    assert_eq!(moderated["results"][0]["flagged"], false);
    let counted = ok(&post(
        &mut session,
        "/v1/responses/input_tokens",
        json!({"model": "gpt-5.6", "input": "My dog is called Rex."}),
    ));
    assert_eq!(counted["object"], "response.input_tokens");
}

#[test]
fn an_unknown_item_type_passes_where_the_session_issued_it() {
    let novelty = json!({"type": "brand_new", "payload": {"z": 1, "a": 2}});
    let mut session = session();
    let mut reply = thought("Done.");
    let pasted = holdover_wire::Item::from_value(&novelty).expect("object");
    reply.parts.insert(1, holdover_wire::ReplyPart::Item(pasted));
    session.script(vec![reply]);
    let out = items(&create(
        &mut session,
        &json!({"model": "gpt-5.6", "input": "x", "store": false}),
    ));
    assert_eq!(without(&out[1], "id"), novelty);
    let input = json!([user("x"), out[1], out[2], user("y")]);
    let replayed = json!({"model": "gpt-5.6", "store": false, "input": input});
    ok(&create(&mut session, &replayed));
    let answer = create(&mut common::session(), &replayed);
    assert_eq!(body(&answer)["error"]["param"], "input[1]");
}
