//! Redaction on the wires of other providers: whole examples in the shapes of `tests/facts/providers.md`. What is secret
//! goes, and what the judge looks at stays: names of members, the carriers of reasoning, and what equals what.

use std::collections::BTreeSet;

use holdover_capture::{Captured, Redacting, Sink as _, Text};
use holdover_wire::neutral::{AssistantTurn, Carrier, History, Part, answered};
use holdover_wire::{Exchange, Wire};
use serde_json::{Value, json};

/// A signature that is long enough to be told by its form, and one that is not.
const SIGNATURES: [&str; 2] = ["EqoBCkgIARABGAIiQL7cW0secretSecretSECRET9dXk2", "c2lnLTE="];
const USER: &str = "Weather for Annamaria";
const THOUGHT: &str = "Annamaria wants the weather of tomorrow";

fn exchange(path: &str, request: &Value, response: &Value) -> Exchange {
    let line = json!({"request": {"method": "POST", "path": path, "headers": {}, "body": request},
        "response": {"status": 200, "headers": {}, "body": response}});
    serde_json::from_value(line).expect("an exchange")
}

fn redacted(exchange: &Exchange, text: Text) -> Exchange {
    let mut captured = Captured::default();
    let mut redacting = Redacting::new(&mut captured, text);
    redacting.exchange("default", exchange.clone());
    captured.sessions[0].recording.exchanges[0].clone()
}

/// The places of a document, by the names of its members; what a tool was called with, or gave, has names of its own.
fn places(value: &Value, at: &str, found: &mut BTreeSet<String>) {
    found.insert(at.to_owned());
    let is_given = [
        "/args",
        "/arguments",
        "/toolUse/input",
        "/functionResponse/response",
    ]
    .iter()
    .any(|end| at.ends_with(end));
    match value {
        Value::Object(_) if is_given => {}
        Value::Object(object) => object
            .iter()
            .for_each(|(name, value)| places(value, &format!("{at}/{name}"), found)),
        Value::Array(list) => list
            .iter()
            .enumerate()
            .for_each(|(index, value)| places(value, &format!("{at}/{index}"), found)),
        _ => {}
    }
}

fn shape(exchange: &Exchange) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    places(&exchange.request.body, "request", &mut found);
    let response = exchange
        .response
        .as_ref()
        .and_then(|response| response.body.as_ref());
    places(response.expect("a body"), "response", &mut found);
    found
}

/// Reasoning of the request, then that of the answer: carrier, text and signature.
fn reasoning(exchange: &Exchange) -> Vec<(Option<Carrier>, String, Option<String>)> {
    let path = exchange.request.path_only();
    let wire = Wire::of_path(path).expect("a wire");
    let body = exchange.request.body.as_object().expect("an object");
    let history = History::read(wire, path, body).expect("a history");
    let answer = exchange
        .response
        .as_ref()
        .and_then(|response| answered(wire, response));
    let brought = history.assistant();
    let turns = brought.iter().map(|(_, turn, _)| *turn).chain(answer.as_ref());
    let parts = turns.flat_map(|turn| &turn.parts);
    let is_reasoning = |part: &&Part| part.carrier().is_some() || part.signature.is_some();
    parts
        .filter(is_reasoning)
        .map(|part| (part.carrier(), part.text.clone(), part.signature.clone()))
        .collect()
}

/// Redacts an example whose request brings what its answer says again.
fn check(make: impl Fn(&str) -> Exchange, carriers: &[Carrier]) {
    for signature in SIGNATURES {
        let exchange = make(signature);
        let before = reasoning(&exchange);
        let met: Vec<Carrier> = before.iter().filter_map(|(carrier, ..)| *carrier).collect();
        assert_eq!(met, [carriers, carriers].concat());
        for text in [Text::Replaced, Text::Kept] {
            let redacted = redacted(&exchange, text);
            let line = serde_json::to_string(&redacted).expect("a line");
            assert!(!line.contains(signature), "{signature} survives in {line}");
            assert_eq!(line.contains("Annamaria"), text == Text::Kept, "{line}");
            let raw = serde_json::to_string(&exchange).expect("a line");
            for given in [r#""city""#, r#""Bern""#, r#""Rain.""#] {
                let stays = text == Text::Kept && raw.contains(given);
                assert_eq!(line.contains(given), stays, "{given} in {line}");
            }
            assert_eq!(shape(&redacted), shape(&exchange));
            let after = reasoning(&redacted);
            assert_eq!(after.len(), before.len(), "{line}");
            for (old, new) in before.iter().zip(&after) {
                assert_eq!(old.0, new.0);
                assert_eq!(old.2.is_some(), new.2.is_some());
            }
            // What came back is what was issued, before and after.
            let half = after.len() / 2;
            assert_eq!(before[..half], before[half..]);
            assert_eq!(after[..half], after[half..]);
        }
    }
}

/// Section 11: `reasoningContent` is `reasoningText` with its signature, or `redactedContent`.
#[test]
fn converse() {
    let path = "/model/us.anthropic.claude-opus-4-5-20251101-v1:0/converse";
    let make = |signature: &str| {
        let content = json!([
            {"reasoningContent": {"reasoningText": {"text": THOUGHT, "signature": signature}}},
            {"reasoningContent": {"redactedContent": signature}},
            {"text": "Looking it up."},
            {"toolUse": {"toolUseId": "tooluse_1", "name": "weather", "input": {"city": "Bern"}}}]);
        let request = json!({
            "system": [{"text": "Be brief."}],
            "inferenceConfig": {"maxTokens": 2048},
            "additionalModelRequestFields": {"thinking": {"type": "enabled", "budget_tokens": 1024}},
            "toolConfig": {"tools": [{"toolSpec": {"name": "weather", "inputSchema": {"json": {"type": "object"}}}}],
                "toolChoice": {"auto": {}}},
            "messages": [
                {"role": "user", "content": [{"text": USER}]},
                {"role": "assistant", "content": content},
                {"role": "user", "content": [{"toolResult": {"toolUseId": "tooluse_1", "content": [{"text": "Rain."}]}}]}]});
        let response = json!({"output": {"message": {"role": "assistant", "content": content}}, "stopReason": "tool_use",
            "usage": {"inputTokens": 9, "outputTokens": 8, "totalTokens": 17, "cacheReadInputTokens": 0,
                "cacheWriteInputTokens": 0}, "metrics": {"latencyMs": 12}});
        exchange(path, &request, &response)
    };
    check(make, &[Carrier::ReasoningBlock, Carrier::RedactedThinking]);
    let redacted = redacted(&make(SIGNATURES[0]), Text::Replaced);
    // The model says which endpoint is meant; where it runs is the user's.
    assert_eq!(
        redacted.request.path,
        "/model/anthropic.claude-opus-4-5-20251101-v1/converse"
    );
}

/// Section 3.1: a signature stands beside the part that it is of.
#[test]
fn generate_content() {
    let make = |signature: &str| {
        let parts = json!([
            {"text": THOUGHT, "thought": true},
            {"functionCall": {"name": "weather", "args": {"city": "Bern"}, "id": "call_1"}, "thoughtSignature": signature}]);
        let request = json!({
            "systemInstruction": {"parts": [{"text": "Be brief."}]},
            "generationConfig": {"thinkingConfig": {"includeThoughts": true, "thinkingBudget": 1024}},
            "tools": [{"functionDeclarations": [{"name": "weather", "parametersJsonSchema": {"type": "object"}}]}],
            "contents": [
                {"role": "user", "parts": [{"text": USER}]},
                {"role": "model", "parts": parts},
                {"role": "user", "parts": [{"functionResponse": {"name": "weather", "id": "call_1", "response": {"output": "Rain."}}}]}]});
        let response = json!({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
            "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 8, "thoughtsTokenCount": 7,
                "toolUsePromptTokenCount": 0, "cachedContentTokenCount": 0, "totalTokenCount": 24},
            "modelVersion": "gemini-3-pro", "responseId": "r-1"});
        exchange("/v1beta/models/gemini-3-pro:generateContent", &request, &response)
    };
    check(make, &[Carrier::ThoughtText]);
}

/// Section 3.2: the same over chat completions.
#[test]
fn a_signature_of_gemini_in_chat_completions() {
    let make = |signature: &str| {
        let message = json!({"role": "assistant", "content": null, "tool_calls": [{"id": "call_1", "type": "function",
            "function": {"name": "weather", "arguments": "{}"},
            "extra_content": {"google": {"thought_signature": signature}}}]});
        let request = json!({"model": "gemini-3-pro", "messages": [{"role": "user", "content": USER}, message,
            {"role": "tool", "tool_call_id": "call_1", "content": "Rain."}]});
        let response = json!({"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]});
        exchange("/v1beta/openai/chat/completions", &request, &response)
    };
    check(make, &[]);
}

/// Section 3.3: steps of type `thought`, each with its signature.
#[test]
fn interactions() {
    let make = |signature: &str| {
        let steps = json!([
            {"type": "thought", "signature": signature, "summary": [{"type": "text", "text": THOUGHT}]},
            {"type": "function_call", "id": "call_1", "name": "weather", "arguments": {"city": "Bern"}}]);
        let mut input = vec![json!({"type": "user_input", "content": [{"type": "text", "text": USER}]})];
        input.extend(steps.as_array().into_iter().flatten().cloned());
        input.push(
            json!({"type": "function_result", "call_id": "call_1", "name": "weather", "result": "Rain."}),
        );
        let request = json!({"model": "gemini-3-pro", "store": false, "input": input,
            "generation_config": {"thinking_level": "high", "thinking_summaries": "auto"}});
        let response = json!({"id": "v1_1", "object": "interaction", "model": "gemini-3-pro", "status": "requires_action",
            "steps": steps, "usage": {"total_input_tokens": 9, "total_thought_tokens": 7}});
        exchange("/v1beta/interactions", &request, &response)
    };
    check(make, &[Carrier::ThoughtStep]);
}

/// Section 1.1: `thinking` with its signature, and `redacted_thinking`.
#[test]
fn messages() {
    let make = |signature: &str| {
        let content = json!([
            {"type": "thinking", "thinking": THOUGHT, "signature": signature},
            {"type": "redacted_thinking", "data": signature},
            {"type": "text", "text": "Looking it up."}]);
        let request = json!({"model": "claude-opus-4-5-20251101", "max_tokens": 2048,
            "thinking": {"type": "enabled", "budget_tokens": 1024},
            "messages": [{"role": "user", "content": USER}, {"role": "assistant", "content": content},
                {"role": "user", "content": "And then?"}]});
        let response = json!({"id": "msg_1", "type": "message", "role": "assistant", "content": content,
            "stop_reason": "end_turn", "usage": {"input_tokens": 9, "output_tokens": 8}});
        exchange("/v1/messages", &request, &response)
    };
    check(make, &[Carrier::ThinkingBlock, Carrier::RedactedThinking]);
}

/// An output names its call by the id that the call has, also where texts are kept.
#[test]
fn ids_of_calls_and_outputs_stay_the_same() {
    for (path, call, output, request) in [
        (
            "/v1/chat/completions",
            "/messages/0/tool_calls/0/id",
            "/messages/1/tool_call_id",
            json!({"messages": [{"role": "assistant", "tool_calls": [{"id": "call_7k2m9q4x"}]}, {"role": "tool", "tool_call_id": "call_7k2m9q4x"}]}),
        ),
        (
            "/v1/messages",
            "/messages/0/content/0/id",
            "/messages/1/content/0/tool_use_id",
            json!({"messages": [{"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_7k2m9q4x"}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_7k2m9q4x"}]}]}),
        ),
        (
            "/model/m/converse",
            "/messages/0/content/0/toolUse/toolUseId",
            "/messages/1/content/0/toolResult/toolUseId",
            json!({"messages": [{"role": "assistant", "content": [{"toolUse": {"toolUseId": "tooluse_7k2m9q4x"}}]},
                {"role": "user", "content": [{"toolResult": {"toolUseId": "tooluse_7k2m9q4x"}}]}]}),
        ),
    ] {
        for text in [Text::Replaced, Text::Kept] {
            let redacted = redacted(&exchange(path, &request, &json!({})), text).request.body;
            assert_ne!(redacted.pointer(call), request.pointer(call), "{path}");
            assert!(redacted.pointer(call).is_some(), "{path}");
            assert_eq!(
                redacted.pointer(call),
                redacted.pointer(output),
                "{path} {text:?}"
            );
        }
    }
}

/// A name of a user's says nothing of what stands under it: `code` is a word of the API's elsewhere.
#[test]
fn what_a_tool_was_called_with_goes_with_its_names() {
    let given = json!({"swordname": "Acme", "code": "swordfish", "reason": ["pregnant"], "pin": 471_147,
        "deep": {"status": "divorced", "type": "error", "message": "invalid", "list": [{"mode": "bankrupt", "orders": 20_482_048}]}});
    let secrets = [
        "swordname",
        "Acme",
        "code\"",
        "swordfish",
        "reason",
        "pregnant",
        "471147",
        "pin",
        "deep",
        "divorced",
        "invalid",
        "bankrupt",
        "orders",
        "20482048",
    ];
    for (path, request) in [
        (
            "/v1/responses",
            json!({"input": [{"type": "tool_search_call", "call_id": "c", "arguments": given}]}),
        ),
        (
            "/v1/messages",
            json!({"messages": [{"role": "assistant", "content": [
                {"type": "tool_use", "id": "toolu_1", "name": "f", "input": given},
                {"type": "server_tool_use", "id": "srvtoolu_1", "name": "f", "input": given}]}]}),
        ),
        (
            "/model/m/converse",
            json!({"messages": [
                {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t", "name": "f", "input": given}}]},
                {"role": "user", "content": [{"toolResult": {"toolUseId": "t", "content": [{"json": given}]}}]}]}),
        ),
        (
            "/v1beta/models/gemini-3-pro:generateContent",
            json!({"contents": [
                {"role": "model", "parts": [{"functionCall": {"name": "f", "args": given}}]},
                {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": given}}]}]}),
        ),
        (
            "/v1beta/interactions",
            json!({"input": [{"type": "function_call", "id": "c", "name": "f", "arguments": given},
                {"type": "function_result", "call_id": "c", "name": "f", "result": given}]}),
        ),
        ("/v1/responses", json!({"metadata": {"all": given}})),
    ] {
        let whole = exchange(path, &request, &json!({"output": request}));
        let line = serde_json::to_string(&redacted(&whole, Text::Replaced)).expect("a line");
        for secret in secrets {
            assert!(!line.contains(secret), "{secret} survives in {line}");
        }
    }
}

#[test]
fn values_of_variables_go_whatever_their_names_are() {
    let variables = json!({"customer": "Acme", "code": "swordfish", "reason": "pregnant", "mode": ["bankrupt"],
        "role": {"type": "input_text", "text": "divorced"}});
    let request = json!({"prompt": {"id": "pmpt_1", "variables": variables}, "input": [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]}]});
    let whole = exchange("/v1/responses", &request, &json!({}));
    let body = redacted(&whole, Text::Replaced).request.body;
    let line = body.to_string();
    for secret in [
        "customer",
        "Acme",
        "code",
        "swordfish",
        "reason",
        "pregnant",
        "bankrupt",
        "divorced",
    ] {
        assert!(!line.contains(secret), "{secret} survives in {line}");
    }
    let metadata = json!({"headers": "Acme", "code": "swordfish", "deep": {"annamaria": {"headers": {"reason": "pregnant"}}}});
    let request =
        json!({"metadata": metadata, "tools": [{"type": "mcp", "headers": {"reason": "pregnant"}}]});
    let whole = exchange("/v1/responses", &request, &json!({}));
    for text in [Text::Replaced, Text::Kept] {
        let line = redacted(&whole, text).request.body.to_string();
        for secret in ["Acme", "code", "swordfish", "annamaria", "reason", "pregnant"] {
            assert!(!line.contains(secret), "{secret} survives in {line}");
        }
    }
    // What the API names stays: below a variable as in the items of `input`.
    assert_eq!(line.matches(r#""type":"input_text""#).count(), 2, "{line}");
    assert_eq!(body["input"][0]["role"], "user");
}

/// Arguments that a stream tells as a text are those that the next request brings as an object.
#[test]
fn arguments_have_one_stand_in_in_pieces_and_in_a_replay() {
    const PIECES: [&str; 3] = [
        r#"{"city": "Be"#,
        r#"rn\nWest", "code": "sword"#,
        r#"fish", "days": [12, 2.5, null]}"#,
    ];
    let given: Value = serde_json::from_str(&PIECES.concat()).expect("json");
    let block = |piece: &str| json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": piece}});
    let converse = |piece: &str| json!({"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"toolUse": {"input": piece}}}});
    let step = |piece: &str| json!({"type": "step.delta", "event_type": "step.delta", "index": 0, "delta": {"type": "arguments_delta", "arguments": piece}});
    let told = |start: [Value; 2], delta: &dyn Fn(&str) -> Value| {
        let mut events = start.to_vec();
        events.extend(PIECES.map(delta));
        Value::from(events)
    };
    for (path, events, request) in [
        (
            "/v1/messages",
            told(
                [
                    json!({"type": "message_start", "message": {"type": "message", "role": "assistant", "content": []}}),
                    json!({"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}}),
                ],
                &block,
            ),
            json!({"model": "claude-opus-4-5", "messages": [{"role": "assistant", "content": [
                {"type": "tool_use", "id": "toolu_1", "name": "f", "input": given}]}]}),
        ),
        (
            "/model/m/converse-stream",
            told(
                [
                    json!({"messageStart": {"role": "assistant"}}),
                    json!({"contentBlockStart": {"contentBlockIndex": 0, "start": {"toolUse": {"toolUseId": "t", "name": "f"}}}}),
                ],
                &converse,
            ),
            json!({"messages": [{"role": "assistant", "content": [{"toolUse": {"toolUseId": "t", "name": "f", "input": given}}]}]}),
        ),
        (
            "/v1beta/interactions",
            told(
                [
                    json!({"type": "interaction.created", "event_type": "interaction.created", "interaction": {"id": "v1_1"}}),
                    json!({"type": "step.start", "event_type": "step.start", "index": 0, "step": {"type": "function_call", "id": "c", "name": "f", "arguments": {}}}),
                ],
                &step,
            ),
            json!({"model": "gemini-3-pro", "input": [{"type": "function_call", "id": "c", "name": "f", "arguments": given}]}),
        ),
    ] {
        let exchange = stream(path, &request, &events);
        for text in [Text::Replaced, Text::Kept] {
            let redacted = redacted(&exchange, text);
            let (answer, brought) = turns(&redacted);
            let arguments = |turn: &AssistantTurn| {
                let call = turn.parts.iter().find_map(Part::call).expect("a call");
                serde_json::from_str::<Value>(&call.arguments).expect("json")
            };
            assert_eq!(arguments(&answer), arguments(&brought), "{path} {text:?}");
            assert_eq!(
                arguments(&brought) == given,
                text == Text::Kept,
                "{path} {text:?}"
            );
        }
    }
}

fn stream(path: &str, request: &Value, events: &Value) -> Exchange {
    let line = json!({"transport": "sse", "request": {"method": "POST", "path": path, "headers": {}, "body": request},
        "response": {"status": 200, "headers": {}, "events": events}});
    serde_json::from_value(line).expect("an exchange")
}

/// What the answer says, and what the request brings of the model's.
fn turns(exchange: &Exchange) -> (AssistantTurn, AssistantTurn) {
    let path = exchange.request.path_only();
    let wire = Wire::of_path(path).expect("a wire");
    let response = exchange.response.as_ref().expect("a response");
    let answer = answered(wire, response).expect("an answer");
    let body = exchange.request.body.as_object().expect("an object");
    let history = History::read(wire, path, body).expect("a history");
    (answer, history.assistant()[0].1.clone())
}

/// What the pieces of a stream make together is what the next request brings, before and after.
fn streamed(path: &str, request: &Value, events: &Value) {
    let exchange = stream(path, request, events);
    let said = |exchange: &Exchange| {
        let (answer, brought) = turns(exchange);
        let texts = |parts: &[Part]| parts.iter().map(|part| part.text.clone()).collect::<Vec<_>>();
        let brought = texts(&brought.parts);
        assert_eq!(texts(&answer.parts), brought, "{path}");
        brought
    };
    let before = said(&exchange);
    assert_eq!(said(&redacted(&exchange, Text::Kept)), before);
    let after = said(&redacted(&exchange, Text::Replaced));
    assert!(
        before
            .iter()
            .zip(&after)
            .all(|(old, new)| old != new && old.len() == new.len()),
        "{after:?}"
    );
}

/// Section 15.2.
#[test]
fn a_stream_of_messages() {
    let start = |index: u64, block: Value| json!({"type": "content_block_start", "index": index, "content_block": block});
    let delta =
        |index: u64, delta: Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
    let events = json!([
        {"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant", "content": []}},
        start(0, json!({"type": "thinking", "thinking": "", "signature": ""})),
        delta(0, json!({"type": "thinking_delta", "thinking": "Annamaria wants the wea"})),
        delta(0, json!({"type": "thinking_delta", "thinking": "ther of tomorrow"})),
        delta(0, json!({"type": "signature_delta", "signature": SIGNATURES[0]})),
        {"type": "content_block_stop", "index": 0},
        start(1, json!({"type": "text", "text": ""})),
        delta(1, json!({"type": "text_delta", "text": "Looking i"})),
        delta(1, json!({"type": "text_delta", "text": "t up."})),
        {"type": "content_block_stop", "index": 1},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
        {"type": "message_stop"}]);
    let request = json!({"model": "claude-opus-4-5", "messages": [
        {"role": "user", "content": USER},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": THOUGHT, "signature": SIGNATURES[0]},
            {"type": "text", "text": "Looking it up."}]},
        {"role": "user", "content": "And then?"}]});
    streamed("/v1/messages", &request, &events);
}

/// Section 11.
#[test]
fn a_stream_of_converse() {
    let delta =
        |index: u64, delta: Value| json!({"contentBlockDelta": {"contentBlockIndex": index, "delta": delta}});
    let events = json!([
        {"messageStart": {"role": "assistant"}},
        delta(0, json!({"reasoningContent": {"text": "Annamaria wants the wea"}})),
        delta(0, json!({"reasoningContent": {"text": "ther of tomorrow"}})),
        delta(0, json!({"reasoningContent": {"signature": SIGNATURES[0]}})),
        {"contentBlockStop": {"contentBlockIndex": 0}},
        delta(1, json!({"text": "Looking i"})),
        delta(1, json!({"text": "t up."})),
        {"contentBlockStop": {"contentBlockIndex": 1}},
        {"messageStop": {"stopReason": "end_turn"}}]);
    let request = json!({"messages": [
        {"role": "user", "content": [{"text": USER}]},
        {"role": "assistant", "content": [
            {"reasoningContent": {"reasoningText": {"text": THOUGHT, "signature": SIGNATURES[0]}}},
            {"text": "Looking it up."}]},
        {"role": "user", "content": [{"text": "And then?"}]}]});
    streamed(
        "/model/anthropic.claude-opus-4-5-20251101-v1/converse-stream",
        &request,
        &events,
    );
}

/// Section 15.1, with an entry of `reasoning_details` as section 4 has it.
#[test]
fn a_stream_of_chat_completions() {
    let delta = |delta: Value| json!({"choices": [{"index": 0, "delta": delta}]});
    let detail =
        |text: &str| json!({"reasoning_details": [{"type": "reasoning.text", "text": text, "index": 0}]});
    let events = json!([
        delta(json!({"role": "assistant", "content": ""})),
        delta(detail("Annamaria wants the wea")),
        delta(detail("ther of tomorrow")),
        delta(json!({"content": "Looking i"})),
        delta(json!({"content": "t up."})),
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}]);
    let request = json!({"model": "anthropic/claude-opus-4.5", "messages": [
        {"role": "user", "content": USER},
        {"role": "assistant", "content": "Looking it up.", "reasoning_details": [
            {"type": "reasoning.text", "text": THOUGHT, "index": 0}]},
        {"role": "user", "content": "And then?"}]});
    streamed("/api/v1/chat/completions", &request, &events);
}

/// Section 15.4.
#[test]
fn a_stream_of_interactions() {
    let delta = |index: u64, delta: Value| json!({"type": "step.delta", "event_type": "step.delta", "index": index, "delta": delta});
    let start = |index: u64, step: Value| json!({"type": "step.start", "event_type": "step.start", "index": index, "step": step});
    let summary = |text: &str| json!({"type": "thought_summary", "content": {"type": "text", "text": text}});
    let events = json!([
        {"type": "interaction.created", "event_type": "interaction.created", "interaction": {"id": "v1_1"}},
        start(0, json!({"type": "thought"})),
        delta(0, summary("Annamaria wants the wea")),
        delta(0, summary("ther of tomorrow")),
        delta(
            0,
            json!({"type": "thought_signature", "signature": SIGNATURES[0]})
        ),
        start(1, json!({"type": "model_output"})),
        delta(1, json!({"type": "text", "text": "Looking i"})),
        delta(1, json!({"type": "text", "text": "t up."}))
    ]);
    let request = json!({"model": "gemini-3-pro", "store": false, "input": [
        {"type": "user_input", "content": [{"type": "text", "text": USER}]},
        {"type": "thought", "signature": SIGNATURES[0], "summary": [{"type": "text", "text": THOUGHT}]},
        {"type": "model_output", "content": [{"type": "text", "text": "Looking it up."}]},
        {"type": "user_input", "content": [{"type": "text", "text": "And then?"}]}]});
    streamed("/v1beta/interactions", &request, &events);
}

/// Words of a request by which an endpoint is told, and whether its model thinks (sections 1.1, 3.3, 5 and 10).
#[test]
fn words_that_tell_an_endpoint_stay() {
    let request = json!({"messages": [], "reasoning_effort": "none", "generation_config": {"thinking_level": "high",
        "thinking_summaries": "none"}, "thinking": {"type": "between_tools", "display": "summarized", "keep": "all",
        "block_binding": {"prefix_mismatch_behavior": "drop_block"}},
        "additionalModelRequestFields": {"thinking": {"type": "disabled"}}});
    let exchange = exchange("/v1/chat/completions", &request, &json!({}));
    let redacted = redacted(&exchange, Text::Replaced);
    assert_eq!(redacted.request.body, request);
}

/// Of a query only words that the API asks for stay: a key or a user may stand under any other name.
#[test]
fn a_query_loses_what_is_no_word_of_the_api() {
    for (query, stays) in [
        ("api_key=swordfishkey", "api_key="),
        ("user=annamaria", "user="),
        ("code=swordfish", "code="),
        ("alt=sse&key=swordfish", "alt=sse&key="),
        (
            "include[]=reasoning.encrypted_content&after=annamaria",
            "include[]=reasoning.encrypted_content&after=",
        ),
        ("stream=true&order=asc&annamaria", "stream=true&order=asc&"),
    ] {
        let exchange = exchange(&format!("/v1/responses?{query}"), &json!({}), &json!({}));
        for text in [Text::Replaced, Text::Kept] {
            let redacted = redacted(&exchange, text).request.path;
            assert!(
                redacted.starts_with(&format!("/v1/responses?{stays}")),
                "{redacted}"
            );
            assert!(
                !redacted.contains("swordfish") && !redacted.contains("annamaria"),
                "{redacted}"
            );
            assert_eq!(redacted.len(), exchange.request.path.len(), "{redacted}");
        }
    }
}

/// A number of a header stays where the header counts or measures: twelve digits may be an account.
#[test]
fn a_header_keeps_the_numbers_that_count() {
    let headers = json!({"x-amzn-account": "471147114711", "x-user-id": "815", "x-list": [471_147], "x-number": 471_147,
        "x-stainless-retry-count": "2", "content-length": "1234", "x-stainless-package-version": "2.41.0"});
    let limits = json!({"x-ratelimit-remaining-tokens": "149984", "openai-processing-ms": "815", "retry-after": "20",
        "x-holdover-prior-protected": "1", "x-tenant": "471147114711"});
    let mut whole = exchange("/v1/responses", &json!({}), &json!({}));
    whole.request.headers = headers.as_object().expect("an object").clone();
    let response = whole.response.as_mut().expect("a response");
    response.headers = limits.as_object().expect("an object").clone();
    let redacted = redacted(&whole, Text::Kept);
    let response = redacted.response.expect("a response");
    for (before, after) in [
        (&whole.request.headers, &redacted.request.headers),
        (&whole.response.expect("a response").headers, &response.headers),
    ] {
        assert_eq!(before.len(), after.len());
        for (name, value) in before {
            let is_a_user =
                ["x-amzn-account", "x-user-id", "x-list", "x-number", "x-tenant"].contains(&name.as_str());
            assert_eq!(after[name] != *value, is_a_user, "{name}: {}", after[name]);
        }
    }
}
