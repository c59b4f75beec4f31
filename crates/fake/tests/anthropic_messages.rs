//! Anthropic Messages: exact bodies, streams, and requests that nobody should send (`tests/facts/providers.md` sections 1
//! and 15.2).

mod common;

use common::{body as refused, bytes, ok};
use holdover_fake::{Answer, FakeConfig, Session};
use holdover_profile::Profile;
use holdover_wire::{Call, Reply, ReplyEnd, ReplyPart};
use serde_json::{Value, json};

const BINDING: &str = "thinking-binding-controls-2026-08-01";
const CONTEXT: &str = "context-management-2025-06-27";

fn session() -> Session {
    Session::new(FakeConfig::default())
}

fn send(session: &mut Session, body: Value, beta: &str) -> Answer {
    let mut call = Call::post("/v1/messages", body);
    if !beta.is_empty() {
        call.headers.push(("anthropic-beta".to_owned(), beta.to_owned()));
    }
    session.handle(&call)
}

fn thinks_and_calls() -> Reply {
    let call = ReplyPart::Call {
        id: Some("toolu_1".to_owned()),
        name: "lookup".to_owned(),
        arguments: Some("{\"key\":\"a\"}".to_owned()),
    };
    Reply {
        parts: vec![ReplyPart::Reasoning { summary: None }, call],
    }
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn body(model: &str, messages: &[Value]) -> Value {
    let thinking = if model.contains("4-5") {
        json!({"type": "enabled", "budget_tokens": 1024})
    } else {
        json!({"type": "adaptive"})
    };
    json!({"model": model, "max_tokens": 4096, "thinking": thinking, "messages": messages})
}

/// Answers to one message of the user after the other, each kept as it came.
fn talk(session: &mut Session, model: &str, texts: &[&str]) -> Vec<Value> {
    let mut history = Vec::new();
    for text in texts {
        history.push(user(text));
        let answer = ok(&send(session, body(model, &history), ""));
        history.push(json!({"role": "assistant", "content": answer["content"]}));
    }
    history
}

/// The envelope of section 1.1, the members of section 1.5.
#[test]
fn an_answer_has_the_members_of_the_facts() {
    let mut session = session();
    session.script(vec![thinks_and_calls()]);
    let answer = send(&mut session, body("claude-opus-4-5", &[user("Hi")]), "");
    let document = ok(&answer);
    let keys: Vec<&String> = document.as_object().expect("an object").keys().collect();
    assert_eq!(
        keys,
        [
            "id",
            "type",
            "role",
            "model",
            "content",
            "stop_reason",
            "stop_sequence",
            "usage"
        ]
    );
    assert_eq!(document["stop_reason"], "tool_use");
    let blocks = document["content"].as_array().expect("blocks");
    let thinking: Vec<&String> = blocks[0].as_object().expect("a block").keys().collect();
    assert_eq!(thinking, ["type", "thinking", "signature"]);
    let call = json!({"type": "tool_use", "id": "toolu_1", "name": "lookup", "input": {"key": "a"}});
    assert_eq!(blocks[1], call);
    let tokens = document["usage"]["output_tokens_details"]["thinking_tokens"].as_u64();
    assert!(tokens > Some(0) && tokens <= document["usage"]["output_tokens"].as_u64());
    assert!(
        answer
            .plan
            .header("request-id")
            .is_some_and(|id| id.starts_with("req_"))
    );
}

/// The order of section 15.2: the signature is one delta, the last of its block.
#[test]
fn a_stream_has_the_events_of_the_facts() {
    let events = |model: &str| {
        let mut session = session();
        session.script(vec![thinks_and_calls()]);
        let mut body = body(model, &[user("Hi")]);
        body["stream"] = true.into();
        let text = String::from_utf8(bytes(&send(&mut session, body, BINDING))).expect("text");
        let frames = text.split("\n\n").filter(|frame| !frame.is_empty());
        let events: Vec<Value> = frames
            .map(|frame| {
                let (name, data) = frame.split_once('\n').expect("two lines");
                let data: Value =
                    serde_json::from_str(data.strip_prefix("data: ").expect("data")).expect("json");
                assert_eq!(name.strip_prefix("event: "), data["type"].as_str());
                data
            })
            .collect();
        events
    };
    let order = |events: &[Value]| {
        let mut names: Vec<String> = events
            .iter()
            .map(|event| {
                let inner = event
                    .pointer("/delta/type")
                    .or_else(|| event.pointer("/content_block/type"));
                let inner = inner.and_then(Value::as_str).unwrap_or("");
                format!("{} {inner}", event["type"].as_str().expect("a type"))
            })
            .collect();
        names.dedup();
        names
    };
    let shown = events("claude-opus-4-5");
    let expected = [
        "message_start ",
        "ping ",
        "content_block_start thinking",
        "content_block_delta thinking_delta",
        "content_block_delta signature_delta",
        "content_block_stop ",
        "content_block_start tool_use",
        "content_block_delta input_json_delta",
        "content_block_stop ",
        "message_delta ",
        "message_stop ",
    ];
    assert_eq!(order(&shown), expected);
    assert_eq!(shown[0]["message"]["content"], json!([]));
    assert_eq!(shown[0]["message"]["input_transformations"], json!([]));
    let delta = &shown[shown.len() - 2];
    assert_eq!(
        delta["delta"],
        json!({"stop_reason": "tool_use", "stop_sequence": null})
    );
    // Where the text is omitted, no delta of it is sent at all.
    let omitted = order(&events("claude-sonnet-5"));
    assert!(!omitted.contains(&"content_block_delta thinking_delta".to_owned()));
    assert!(omitted.contains(&"content_block_delta signature_delta".to_owned()));
}

/// The document of section 1.1, whole.
#[test]
fn a_refusal_has_the_envelope_of_the_facts() {
    let mut session = session();
    let mut history = talk(&mut session, "claude-opus-4-5", &["Hi"]);
    history[1]["content"].as_array_mut().expect("blocks")[0]
        .as_object_mut()
        .expect("a block")
        .remove("signature");
    history.push(user("And?"));
    let answer = send(&mut session, body("claude-opus-4-5", &history), "");
    let id = answer.plan.header("request-id").expect("an id").to_owned();
    assert_eq!(answer.plan.status, 400);
    assert_eq!(
        refused(&answer),
        json!({"type": "error", "error": {"type": "invalid_request_error",
            "message": "messages.1.content.0.thinking.signature: Field required"}, "request_id": id})
    );
}

/// Section 1.4: what is allowed, and what breaks the prefix.
#[test]
fn leading_trailing_or_all_thinking_may_go_and_the_middle_may_not() {
    let mut session = session();
    let history = talk(&mut session, "claude-opus-5-5", &["One", "Two", "Three"]);
    let mut without = |gone: &[usize]| {
        let mut history = history.clone();
        for at in gone {
            let blocks = history[*at]["content"].as_array_mut().expect("blocks");
            blocks.retain(|block| block["type"] != "thinking");
        }
        history.push(user("Four"));
        send(&mut session, body("claude-opus-5-5", &history), "")
            .plan
            .status
    };
    for (gone, status) in [
        (vec![], 200),
        (vec![1], 200),
        (vec![5], 200),
        (vec![1, 3], 200),
        (vec![1, 3, 5], 200),
        (vec![3], 400),
    ] {
        assert_eq!(without(&gone), status, "{gone:?}");
    }
}

/// Section 1.4: without the beta the text says which header the setting needs.
#[test]
fn an_edited_prefix_is_refused_in_the_words_of_the_facts() {
    let mut session = session();
    let mut history = talk(&mut session, "claude-fable-5-1", &["One"]);
    history[0]["content"] = "Won".into();
    history.push(user("Two"));
    let text = "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. \
        Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\".";
    let needs = " That setting requires the `thinking-binding-controls-2026-08-01` value in the `anthropic-beta` header.";
    let mut said = |beta| {
        let answer = refused(&send(&mut session, body("claude-fable-5-1", &history), beta));
        answer["error"]["message"].as_str().expect("a text").to_owned()
    };
    assert_eq!(said(""), format!("{text}{needs}"));
    assert_eq!(said(BINDING), text);
}

/// Section 1.4: absent without the beta, empty with it and nothing to report; dropping does not cover tampering.
#[test]
fn transformations_are_told_to_who_asks() {
    let mut session = session();
    let mut history = talk(&mut session, "claude-opus-5-5", &["One"]);
    history.push(user("Two"));
    let mut asked = body("claude-opus-5-5", &history);
    assert_eq!(
        ok(&send(&mut session, asked.clone(), "")).get("input_transformations"),
        None
    );
    asked["thinking"]["block_binding"] = json!({"prefix_mismatch_behavior": "drop_block"});
    let answer = ok(&send(&mut session, asked.clone(), BINDING));
    assert_eq!(answer["input_transformations"], json!([]));
    asked["system"] = "Another one.".into();
    let answer = ok(&send(&mut session, asked.clone(), BINDING));
    assert_eq!(
        answer["input_transformations"],
        json!([{"type": "thinking_dropped", "path": "messages.1.content.0", "reason": "prefix_binding_mismatch"}])
    );
    asked["messages"][1]["content"][0]["signature"] = "tampered".into();
    assert_eq!(send(&mut session, asked, BINDING).plan.status, 400);
}

/// Section 1.2: the turns that stay, and what is said of the others.
#[test]
fn clear_thinking_takes_earlier_turns_away() {
    let mut session = session();
    let history = talk(&mut session, "claude-opus-4-5", &["One", "Two", "Three"]);
    let mut cleared = |keep: Value, beta| {
        let mut history = history.clone();
        history.push(user("holdover:recall"));
        let mut body = body("claude-opus-4-5", &history);
        body["context_management"] = json!({"edits": [{"type": "clear_thinking_20251015", "keep": keep}]});
        ok(&send(&mut session, body, beta))
    };
    let one = cleared(json!({"type": "thinking_turns", "value": 1}), CONTEXT);
    let edit = &one["context_management"]["applied_edits"][0];
    assert_eq!(edit["type"], "clear_thinking_20251015");
    assert_eq!(edit["cleared_thinking_turns"], 2);
    assert!(edit["cleared_input_tokens"].as_u64() > Some(0));
    let all = cleared(json!("all"), CONTEXT);
    assert_eq!(all["context_management"]["applied_edits"], json!([]));
    assert_eq!(
        cleared(json!({"type": "thinking_turns", "value": 1}), "").get("context_management"),
        None
    );
    let input = |answer: &Value| answer["usage"]["input_tokens"].as_u64().expect("a number");
    assert!(input(&one) < input(&all), "what is cleared is not billed");
}

/// A signature is bound to the account.
#[test]
fn the_signature_of_another_account_is_invalid() {
    let mut history = talk(&mut session(), "claude-opus-4-5", &["One"]);
    history.push(user("Two"));
    let mut config = FakeConfig::default();
    config.account.organisation = "another".to_owned();
    let answer = send(&mut Session::new(config), body("claude-opus-4-5", &history), "");
    let text = "messages.1.content.0: Invalid `signature` in `thinking` block";
    assert_eq!(refused(&answer)["error"]["message"], text);
}

#[test]
fn thinking_that_nobody_can_read_goes_back_and_is_recalled() {
    let mut session = session();
    let mut history = talk(&mut session, "claude-opus-4-5", &["Hello holdover:redact"]);
    assert_eq!(history[1]["content"][0]["type"], "redacted_thinking");
    history.push(user("holdover:recall"));
    let answer = ok(&send(&mut session, body("claude-opus-4-5", &history), ""));
    let text = answer["content"][1]["text"].as_str().expect("a text");
    assert!(text.starts_with("nonce-"), "{text}");
}

/// Two answers in one message, or the thinking of one in another order: text B.
#[test]
fn blocks_stay_in_the_message_and_the_order_in_which_they_came() {
    let mut session = session();
    let twice = Reply {
        parts: vec![
            ReplyPart::Reasoning { summary: None },
            ReplyPart::Reasoning { summary: None },
            ReplyPart::Message {
                text: Some("Done.".to_owned()),
                phase: None,
            },
        ],
    };
    session.script(vec![twice]);
    let history = talk(&mut session, "claude-opus-4-5", &["One", "Two"]);
    let mut said = |history: Vec<Value>| {
        let answer = send(&mut session, body("claude-opus-4-5", &history), "");
        (answer.plan.status, answer)
    };
    let then = |mut history: Vec<Value>| {
        history.push(user("Three"));
        history
    };
    assert_eq!(said(then(history.clone())).0, 200);
    let mut swapped = history[..2].to_vec();
    swapped[1]["content"].as_array_mut().expect("blocks").swap(0, 1);
    let mut merged = history[..2].to_vec();
    let second = history[3]["content"].as_array().expect("blocks").clone();
    merged[1]["content"]
        .as_array_mut()
        .expect("blocks")
        .splice(0..0, second);
    for broken in [swapped, merged] {
        let (status, answer) = said(then(broken));
        assert_eq!(status, 400);
        let text = refused(&answer)["error"]["message"]
            .as_str()
            .expect("a text")
            .to_owned();
        assert!(
            text.contains("in the latest assistant message cannot be modified"),
            "{text}"
        );
    }
}

/// No fact says how these are refused: the words are ours, and the answer says so.
#[test]
fn what_is_no_request_is_refused_in_our_words() {
    for body in [
        json!({}),
        json!({"messages": "hi"}),
        json!({"messages": ["hi"]}),
        json!({"messages": [{"role": "user", "content": 5}]}),
        json!({"messages": [{"role": "robot", "content": "hi"}]}),
        json!([1]),
    ] {
        let answer = send(&mut session(), body.clone(), "");
        assert_eq!(answer.plan.status, 400, "{body}");
        assert_eq!(
            answer.plan.header("x-holdover-evidence"),
            Some("inferred"),
            "{body}"
        );
        assert_eq!(refused(&answer)["type"], "error", "{body}");
    }
}

/// Odd members are taken or refused, never a panic.
#[test]
fn odd_members_do_no_harm() {
    let odd = json!([5, null, "x", [], {"type": 7}, true]);
    for member in [
        "thinking",
        "tools",
        "system",
        "context_management",
        "tool_choice",
        "model",
        "stream",
        "anthropic_beta",
    ] {
        for value in odd.as_array().expect("a list") {
            let mut body = body("claude-opus-5-5", &[user("Hi")]);
            body[member] = value.clone();
            let status = send(&mut session(), body, BINDING).plan.status;
            assert!(matches!(status, 200 | 400), "{member} {value}: {status}");
        }
    }
    let blocks = json!([{"type": "thinking"}, {"type": "thinking", "signature": 5, "thinking": []},
        {"type": "redacted_thinking"}, {"type": "tool_use"}, {"type": "text"}, {}]);
    for profile in [
        "claude-5.1",
        "claude-2025",
        "deepseek-anthropic",
        "kimi-anthropic",
    ] {
        let mut session = Session::new(FakeConfig {
            profile: Profile::builtin(profile).expect("a profile"),
            ..FakeConfig::default()
        });
        let messages = [
            user("Hi"),
            json!({"role": "assistant", "content": blocks}),
            user("Two"),
        ];
        let status = send(&mut session, body("m", &messages), "").plan.status;
        assert!(matches!(status, 200 | 400), "{profile}: {status}");
    }
}

/// Sections 2.4 and 5: the same wire, other bodies.
#[test]
fn compatible_endpoints_refuse_in_their_own_documents() {
    let call = json!([{"type": "tool_use", "id": "toolu_1", "name": "lookup", "input": {}}]);
    let result = json!([{"type": "tool_result", "tool_use_id": "toolu_1", "content": "42"}]);
    let messages = [
        user("Hi"),
        json!({"role": "assistant", "content": call}),
        json!({"role": "user", "content": result}),
    ];
    let said = |path: &str, model: &str| {
        let call = Call::post(
            path,
            json!({"model": model, "max_tokens": 9, "messages": messages}),
        );
        refused(&session().handle(&call))
    };
    let deepseek = json!({"error": {"message": "The `content[].thinking` in the thinking mode must be passed back to the API.",
        "type": "invalid_request_error", "param": null, "code": "invalid_request_error"}});
    assert_eq!(said("/anthropic/v1/messages", "deepseek-v4-pro"), deepseek);
    assert_eq!(said("/anthropic/v1/messages", "claude-opus-4-5"), deepseek);
    let text =
        "thinking is enabled but reasoning_content is missing in assistant tool call message at index 1";
    let kimi = json!({"error": {"type": "invalid_request_error", "message": text}, "type": "error"});
    assert_eq!(said("/coding/v1/messages", "kimi-for-coding"), kimi);
}

/// The types of the SDK, section 1.5: a block alone, which stands for what it summarises, whole and streamed.
#[test]
fn a_summary_takes_the_place_of_its_messages() {
    let mut session = session();
    let history = talk(&mut session, "claude-sonnet-5", &["Hi"]);
    let mut request = body("claude-sonnet-5", &history);
    request["compaction"] = json!({"type": "summarize"});
    session.script(vec![thinks_and_calls()]);
    let summary = ok(&send(&mut session, request.clone(), ""));
    assert_eq!(summary["stop_reason"], "compaction");
    assert_eq!(summary["content"].as_array().map(Vec::len), Some(1));
    let block = &summary["content"][0];
    assert_eq!(block["type"], "compaction");
    request["stream"] = true.into();
    let stream = String::from_utf8(bytes(&send(&mut session, request, ""))).expect("text");
    let start = r#""content_block":{"type":"compaction","content":null,"signature":""}"#;
    assert!(stream.contains(start), "{stream}");
    let delta = format!(
        r#""delta":{{"type":"compaction_delta","content":{}}}"#,
        block["content"]
    );
    assert!(stream.contains(&delta), "{stream}");
    let shorter = [json!({"role": "assistant", "content": [block]}), user("And?")];
    // The reply that was scripted is still to be said: a summary is none.
    let next = ok(&send(&mut session, body("claude-sonnet-5", &shorter), ""));
    assert_eq!(next["stop_reason"], "tool_use");
}

/// A failure is a reply of the script, which a summary neither says nor uses up.
#[test]
fn a_failure_that_is_scripted_is_of_the_next_answer_and_not_of_a_summary() {
    let mut session = session();
    let history = talk(&mut session, "claude-sonnet-5", &["Hi"]);
    let end = ReplyEnd::Failed {
        code: "server_error".to_owned(),
        message: None,
    };
    session.script(vec![Reply {
        parts: vec![ReplyPart::End(end)],
    }]);
    let mut request = body("claude-sonnet-5", &history);
    request["compaction"] = json!({"type": "summarize"});
    assert_eq!(ok(&send(&mut session, request, ""))["stop_reason"], "compaction");
    let mut statuses = || {
        send(&mut session, body("claude-sonnet-5", &[user("Hi")]), "")
            .plan
            .status
    };
    assert_eq!([statuses(), statuses()], [500, 200]);
}
