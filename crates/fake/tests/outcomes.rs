//! How responses end: budgets, content filter, failures; several calls and items; phases (`tests/facts/streaming.md`
//! section 7).

mod common;

use common::golden::{message, names, numbers_from, pasted, reply, request, same_stream};
use common::{create, events, example_events, items, ok, refused, session, session_of, user};
use holdover_fake::Session;
use holdover_wire::{Reply, ReplyEnd, ReplyPart};
use serde_json::{Value, json};

fn said(script: Reply, body: &Value) -> Vec<Value> {
    let mut session = session();
    session.script(vec![script]);
    events(&create(&mut session, body))
}

fn with(body: Value, name: &str, value: Value) -> Value {
    let mut body = body;
    body[name] = value;
    body
}

fn fails(code: &str) -> ReplyPart {
    ReplyPart::End(ReplyEnd::Failed {
        code: code.to_owned(),
        message: None,
    })
}

fn call(name: &str, arguments: &str) -> ReplyPart {
    ReplyPart::Call {
        id: None,
        name: name.to_owned(),
        arguments: Some(arguments.to_owned()),
    }
}

fn last(events: &[Value]) -> &Value {
    &events.last().expect("a terminal event")["response"]
}

#[test]
fn parallel_calls_are_those_of_example_05() {
    let expected = example_events("05_parallel_function_calls.sse");
    let cities = ["Oslo", "Rome", "Lima"];
    let parts: Vec<ReplyPart> = cities
        .iter()
        .map(|city| call("get_weather", &format!("{{\"city\":\"{city}\"}}")))
        .collect();
    let tools = expected[0]["response"]["tools"].clone();
    let actual = said(reply(parts), &with(request(), "tools", tools));
    same_stream(&actual, &expected);
    numbers_from(&actual, 0);
}

#[test]
fn a_text_that_the_budget_ends_is_that_of_example_09() {
    let expected = example_events("09_incomplete_max_output_tokens.sse");
    // Twenty tokens: one a word.
    let text = " one two three four five six seven eight nine ten".repeat(2);
    let actual = said(
        reply([message(&text)]),
        &with(request(), "max_output_tokens", json!(16)),
    );
    same_stream(&actual, &expected);
    let response = last(&actual);
    assert_eq!(response["usage"]["output_tokens"], 16);
    let kept = " one two three four five six seven eight nine ten one two three four five six";
    assert_eq!(response["output"][0]["content"][0]["text"], kept);
}

#[test]
fn a_budget_that_ends_in_reasoning_leaves_only_the_reasoning() {
    let mut session = session();
    let body = json!({"model": "gpt-5.6", "input": "x", "max_output_tokens": 16});
    let response = ok(&create(&mut session, &body));
    assert_eq!(response["status"], "incomplete");
    assert_eq!(
        response["incomplete_details"],
        json!({"reason": "max_output_tokens"})
    );
    assert_eq!(response["completed_at"], Value::Null);
    assert_eq!(response["output"].as_array().map(Vec::len), Some(1));
    assert_eq!(response["output"][0]["type"], "reasoning");
    assert_eq!(response["usage"]["output_tokens"], 16);
    assert_eq!(response["usage"]["output_tokens_details"]["reasoning_tokens"], 16);
    // The next turn has reasoning without its follower (`tests/facts/errors.md` E35, then E01e).
    let next = json!({"model": "gpt-5.6", "previous_response_id": response["id"], "input": "y"});
    let id = response["output"][0]["id"].as_str().expect("an id");
    let message =
        format!("Item '{id}' of type 'reasoning' was provided without its required following item.");
    refused(&create(&mut session, &next), 400, &message, Some("input"), None);
}

#[test]
fn a_summary_that_the_budget_ends_is_marked() {
    let thought = ReplyPart::Reasoning {
        summary: Some(vec![" one two three".repeat(20)]),
    };
    let body = with(request(), "max_output_tokens", json!(16));
    let actual = said(reply([thought, message("x")]), &body);
    let done = actual
        .iter()
        .find(|event| event["type"] == "response.reasoning_summary_part.done");
    let done = done.expect("a summary part");
    assert_eq!(done["status"], "incomplete");
    assert_eq!(
        done["part"]["text"].as_str().map(|text| text.split(' ').count()),
        Some(17)
    );
    assert_eq!(names(&actual).last().map(String::as_str), Some("incomplete"));
}

#[test]
fn a_call_that_the_budget_ends_is_no_json() {
    let arguments = json!({"text": " one two three".repeat(20)}).to_string();
    let body = with(request(), "max_output_tokens", json!(16));
    let actual = said(reply([call("write", &arguments)]), &body);
    let item = &last(&actual)["output"][0];
    assert_eq!(item["status"], "incomplete");
    let cut = item["arguments"].as_str().expect("text");
    assert!(arguments.starts_with(cut) && cut.len() < arguments.len());
    assert!(serde_json::from_str::<Value>(cut).is_err());
    assert_eq!(last(&actual)["status"], "incomplete");
    assert_eq!(
        names(&actual)[2..],
        [
            "output_item.added",
            "function_call_arguments.delta",
            "function_call_arguments.done",
            "output_item.done",
            "incomplete"
        ]
    );
}

#[test]
fn a_message_of_which_no_token_fits_is_never_begun() {
    // An effort of none: the first message takes the whole budget.
    let body =
        json!({"model": "gpt-5.6", "input": "x", "max_output_tokens": 16, "reasoning": {"effort": "none"}});
    let mut session = session();
    let text = " one two three four five six seven eight nine ten one two three four five six";
    session.script(vec![reply([message(text), message("more")])]);
    let response = ok(&create(&mut session, &body));
    assert_eq!(response["output"].as_array().map(Vec::len), Some(1));
    assert_eq!(response["output"][0]["status"], "completed");
    assert_eq!(response["status"], "incomplete");
}

#[test]
fn a_script_ends_a_response_by_content_filter() {
    let end = ReplyPart::End(ReplyEnd::Incomplete {
        reason: "content_filter".to_owned(),
    });
    let actual = said(reply([message("So far"), end]), &request());
    let response = last(&actual);
    assert_eq!(
        response["incomplete_details"],
        json!({"reason": "content_filter"})
    );
    assert_eq!(response["output"][0]["status"], "incomplete");
    assert_eq!(response["output"][0]["content"][0]["text"], "So far");
    assert!(response["usage"].is_object());
}

#[test]
fn a_failure_is_that_of_example_10() {
    let expected = example_events("10_error_then_failed.sse");
    let actual = said(reply([fails("insufficient_quota")]), &request());
    same_stream(&actual, &expected);
    assert_eq!(actual[2], expected[2]);
    assert_eq!(actual[3]["response"]["error"], expected[3]["response"]["error"]);
}

#[test]
fn a_failure_after_items_keeps_them_and_a_profile_may_write_a_flat_error() {
    let mut session = session_of("compat");
    session.script(vec![reply([message("So far"), fails("rate_limit_exceeded")])]);
    let body = with(request(), "store", json!(false));
    let actual = events(&create(&mut session, &body));
    let error = &actual[actual.len() - 2];
    assert_eq!(
        common::keys(error),
        ["type", "sequence_number", "code", "message", "param"]
    );
    assert_eq!(
        error["message"],
        "Rate limit reached for gpt-5.6-sol in organization org-holdover on tokens per min (TPM): Limit 30000, Used 22999, Requested 12528. Please try again in 11.054s. Visit https://platform.openai.com/account/rate-limits to learn more."
    );
    assert_eq!(last(&actual)["output"][0]["content"][0]["text"], "So far");
    assert_eq!(last(&actual)["usage"], Value::Null);
}

#[test]
fn a_failure_of_a_json_answer_is_an_http_error_and_uses_up_its_reply() {
    let mut session = session();
    session.script(vec![reply([fails("server_error")]), reply([message("Fine.")])]);
    let body = json!({"model": "gpt-5.6", "input": "x"});
    let answer = create(&mut session, &body);
    assert_eq!(answer.plan.status, 500);
    assert_eq!(common::body(&answer)["error"]["type"], "server_error");
    assert_eq!(common::text(&create(&mut session, &body)), "Fine.");
}

#[test]
fn a_refused_request_uses_up_no_reply() {
    let mut session = session();
    session.script(vec![reply([message("Fine.")])]);
    assert_eq!(
        create(&mut session, &json!({"model": "none", "input": "x"}))
            .plan
            .status,
        400
    );
    let body = json!({"model": "gpt-5.6", "input": "x"});
    assert_eq!(common::text(&create(&mut session, &body)), "Fine.");
}

#[test]
fn several_reasoning_items_lead_to_what_follows_each() {
    let thought = || ReplyPart::Reasoning { summary: None };
    let parts = [thought(), call("a", "{}"), thought(), message("Done.")];
    let mut session = session();
    session.script(vec![reply(parts)]);
    let out = items(&create(&mut session, &json!({"model": "gpt-5.6", "input": "x"})));
    let partner = |index: usize| {
        let id = out[index]["id"].as_str().expect("an id");
        session.fake().partner_of(id)
    };
    let id = |index: usize| out[index]["id"].as_str().map(ToOwned::to_owned);
    assert_eq!(partner(1), id(0));
    assert_eq!(partner(3), id(2));
}

#[test]
fn a_message_before_a_call_is_commentary() {
    let mut session = session();
    session.script(vec![reply([message("I look it up."), call("a", "{}")])]);
    let out = items(&create(&mut session, &json!({"model": "gpt-5.6", "input": "x"})));
    assert_eq!(out[0]["phase"], "commentary");
}

#[test]
fn custom_calls_are_scripted_and_forced() {
    let custom = ReplyPart::CustomCall {
        id: None,
        name: "run_sql".to_owned(),
        input: Some("SELECT count(*) FROM users;".to_owned()),
    };
    let expected = example_events("06_custom_tool_stream.sse");
    let tools = expected[0]["response"]["tools"].clone();
    same_stream(
        &said(reply([custom]), &with(request(), "tools", tools.clone())),
        &expected,
    );
    let body = json!({"model": "gpt-5.6", "input": "Count the users.", "tools": tools, "tool_choice": {"type": "custom", "name": "run_sql"}});
    let mut session = session();
    let first = ok(&create(&mut session, &body));
    let call = &first["output"][1];
    assert_eq!(
        (&call["type"], &call["name"]),
        (&json!("custom_tool_call"), &json!("run_sql"))
    );
    let output = json!([{"type": "custom_tool_call_output", "call_id": call["call_id"], "output": "3"}]);
    let next = json!({"model": "gpt-5.6", "previous_response_id": first["id"], "input": output});
    ok(&create(&mut session, &next));
}

#[test]
fn server_side_compaction_is_that_of_example_13() {
    let expected = example_events("13_context_management_compaction.sse");
    let body = json!({"model": "gpt-5.6-sol", "stream": true, "store": false, "reasoning": {"effort": "medium"},
        "input": [user(&"word ".repeat(1_200))],
        "context_management": [{"type": "compaction", "compact_threshold": 1_000}]});
    let actual = said(reply([message("Done with chapter nine.")]), &body);
    same_stream(&actual, &expected);
    // The pass that wrote it is billed: more than the six tokens of the message.
    let tokens = last(&actual)["usage"]["output_tokens"].as_u64();
    assert!(tokens.is_some_and(|tokens| tokens > 100), "{tokens:?}");
}

#[test]
fn open_weights_say_their_reasoning() {
    let item = json!({"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "I add."}]});
    let actual = said(reply([pasted(&item), message("42")]), &request());
    assert_eq!(
        names(&actual)[2..6],
        [
            "output_item.added",
            "reasoning_text.delta",
            "reasoning_text.done",
            "output_item.done"
        ]
    );
}

fn failing_session(profile: &str) -> (Session, Value) {
    let mut session = session_of(profile);
    session.script(vec![reply([fails("server_error")])]);
    let stream = events(&create(&mut session, &request()));
    let id = last(&stream)["id"].clone();
    (session, id)
}

#[test]
fn whether_a_failed_parent_may_be_continued_is_a_switch() {
    for (profile, status) in [("openai", 200), ("openai-strict", 400)] {
        let (mut session, id) = failing_session(profile);
        let next = json!({"model": "gpt-5.6", "previous_response_id": id, "input": "y"});
        assert_eq!(create(&mut session, &next).plan.status, status, "{profile}");
    }
}

#[test]
fn a_compatible_server_writes_other_lines_and_other_orders() {
    let mut session = session_of("compat");
    session.script(vec![reply([message("Tea")])]);
    let answer = create(&mut session, &request());
    let text = String::from_utf8(common::bytes(&answer)).expect("text");
    assert!(text.ends_with("data: [DONE]\n\n"));
    assert!(text.contains("\n\n: keep-alive\n\n"));
    let stream = events(&answer);
    let delta = stream
        .iter()
        .find(|event| event["type"] == "response.output_text.delta");
    let keys = common::keys(delta.expect("a delta"));
    assert_eq!(
        keys[..5],
        [
            "type",
            "sequence_number",
            "item_id",
            "output_index",
            "content_index"
        ]
    );
    assert_eq!(common::keys(&stream[0]), ["type", "sequence_number", "response"]);
}
