//! What the model says: reasoning, summaries, scripts, tools, the order of events.

mod common;

use common::{body, create, events, get, items, ok, output, session, text, thought, user, without};
use holdover_fake::{AutoTools, FakeConfig, ItemOrder, Session};
use serde_json::{Value, json};

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
