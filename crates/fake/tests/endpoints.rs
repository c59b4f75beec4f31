//! The other endpoints: GET, compaction, conversations, models, stubs; keys, bodies and methods.

mod common;

use common::{body, create, events, get, items, ok, post, refused, session, text, user, without};
use holdover_wire::id::Persistence;
use holdover_wire::{Call, ServerId};
use serde_json::{Value, json};

fn next(previous: &Value, input: &Value) -> Value {
    json!({"model": "gpt-5.6", "previous_response_id": previous["id"], "input": input})
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
