//! Chat completions of other providers: exact bodies, streams, and a provider that is data alone
//! (`tests/facts/providers.md` sections 2 to 9 and 15.1).

mod common;

use common::{body as refused, bytes, ok, thinks_and_calls};
use holdover_fake::{Answer, FakeConfig, Session};
use holdover_profile::Profile;
use holdover_profile::provider::{Book, Day};
use holdover_wire::Call;
use serde_json::{Value, json};

const PATH: &str = "/v1/chat/completions";

fn post(session: &mut Session, body: Value) -> Answer {
    session.handle(&Call::post(PATH, body))
}

/// A history of three messages whose last one, at index 2, is a call without its reasoning.
fn stripped(model: &str) -> Value {
    json!({"model": model, "tools": [{"type": "function", "function": {"name": "lookup"}}], "messages": [
        {"role": "system", "content": "s"}, {"role": "user", "content": "u"},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "c", "type": "function", "function": {"name": "lookup", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c", "content": "42"}]})
}

/// The body of section 2.2, whole.
#[test]
fn deepseek_refuses_with_its_own_document() {
    let answer = post(
        &mut Session::new(FakeConfig::default()),
        stripped("deepseek-v4-pro"),
    );
    assert_eq!(answer.plan.status, 400);
    assert_eq!(
        refused(&answer),
        json!({"error": {"message": "The `reasoning_content` in the thinking mode must be passed back to the API.",
            "type": "invalid_request_error", "param": null, "code": "invalid_request_error"}})
    );
    let header = |name| answer.plan.header(name);
    assert_eq!(header("content-type"), Some("application/octet-stream"));
    assert_eq!(
        header("x-holdover-refusal"),
        Some("deepseek-v4/tool-loop-omitted")
    );
    assert_eq!(header("x-holdover-evidence"), Some("reported"));
}

/// Text G of section 5: no param, no code, the place in `messages` from 0.
#[test]
fn kimi_names_the_place_of_the_message() {
    let answer = post(&mut Session::new(FakeConfig::default()), stripped("kimi-k2.5"));
    let text =
        "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2";
    assert_eq!(
        refused(&answer),
        json!({"error": {"message": text, "type": "invalid_request_error"}})
    );
}

/// Section 9: one entry for each bad message.
#[test]
fn mistral_lists_every_message() {
    let message = |text: &str| json!({"role": "assistant", "content": "x", "reasoning_content": text});
    let body = json!({"model": "mistral-medium-3.5", "messages": [
        {"role": "user", "content": "u"}, message("one"), {"role": "user", "content": "v"}, message("two"),
        {"role": "user", "content": "w"}]});
    let answer = post(&mut Session::new(FakeConfig::default()), body);
    let entry = |index: usize, text: &str| {
        json!({"type": "extra_forbidden", "loc": ["body", "messages", index, "assistant", "reasoning_content"],
            "msg": "Extra inputs are not permitted", "input": text})
    };
    assert_eq!(answer.plan.status, 422);
    assert_eq!(
        refused(&answer),
        json!({"detail": [entry(1, "one"), entry(3, "two")]})
    );
}

/// Section 4: the error of the upstream, as text, inside the wrapper.
#[test]
fn openrouter_wraps_the_error_of_the_upstream() {
    let mut session = Session::new(FakeConfig::default());
    let call = Call::post("/api/v1/chat/completions", stripped("moonshotai/kimi-k2.5"));
    let answer = session.handle(&call);
    let body = refused(&answer);
    assert_eq!(body["error"]["message"], "Provider returned error");
    assert_eq!(body["error"]["code"], 400);
    assert_eq!(body["error"]["metadata"]["provider_name"], "Moonshot AI");
    let raw: Value =
        serde_json::from_str(body["error"]["metadata"]["raw"].as_str().expect("raw")).expect("json");
    assert_eq!(raw["error"]["type"], "invalid_request_error");
}

/// The order of section 15.1: role first, reasoning, the call, its arguments, the reason, then `[DONE]`.
#[test]
fn a_stream_has_the_chunks_of_the_facts() {
    let mut session = Session::new(FakeConfig::default());
    session.script(vec![thinks_and_calls()]);
    let body =
        json!({"model": "deepseek-v4-pro", "stream": true, "messages": [{"role": "user", "content": "Hi"}]});
    let text = String::from_utf8(bytes(&post(&mut session, body))).expect("text");
    let lines: Vec<&str> = text.split("\n\n").filter(|line| !line.is_empty()).collect();
    assert_eq!(lines.last(), Some(&"data: [DONE]"));
    let chunks: Vec<Value> = lines[..lines.len() - 1]
        .iter()
        .map(|line| serde_json::from_str(line.strip_prefix("data: ").expect("data")).expect("json"))
        .collect();
    let delta = |chunk: &Value| chunk["choices"][0]["delta"].clone();
    assert_eq!(
        delta(&chunks[0]),
        json!({"role": "assistant", "content": null, "reasoning_content": ""})
    );
    let thought: String = chunks
        .iter()
        .filter_map(|chunk| delta(chunk)["reasoning_content"].as_str().map(str::to_owned))
        .collect();
    assert!(thought.contains("My mark is nonce-"), "{thought}");
    let calls: Vec<Value> = chunks
        .iter()
        .map(delta)
        .filter(|delta| !delta["tool_calls"].is_null())
        .collect();
    assert_eq!(
        calls[0]["tool_calls"][0]["function"],
        json!({"name": "lookup", "arguments": ""})
    );
    assert_eq!(calls[0]["tool_calls"][0]["index"], 0);
    assert_eq!(
        calls[1],
        json!({"tool_calls": [{"index": 0, "function": {"arguments": "{\"key\":\"a\"}"}}]})
    );
    let last = chunks.last().expect("a chunk");
    assert_eq!(last["choices"][0]["finish_reason"], "tool_calls");
    let usage = &last["usage"];
    assert_eq!(usage["prompt_cache_miss_tokens"], usage["prompt_tokens"]);
}

/// Law 1: a document and a stream have the same ids and say the same.
#[test]
fn both_transports_say_the_same() {
    let ask = |stream: bool| {
        let mut session = Session::new(FakeConfig::default());
        let body =
            json!({"model": "glm-4.7", "stream": stream, "messages": [{"role": "user", "content": "Hi"}]});
        post(&mut session, body)
    };
    let whole = ok(&ask(false));
    let text = String::from_utf8(bytes(&ask(true))).expect("text");
    assert!(text.contains(whole["id"].as_str().expect("an id")), "{text}");
}

/// Each endpoint puts its reasoning where it puts it.
#[test]
fn reasoning_stands_where_the_provider_puts_it() {
    for (path, model, pointer) in [
        (PATH, "deepseek-v4-pro", "/reasoning_content"),
        (
            "/api/v1/chat/completions",
            "anthropic/claude-opus-4.5",
            "/reasoning_details/0/signature",
        ),
        (
            "/api/v1/chat/completions",
            "google/gemini-3-pro",
            "/reasoning_details/0/data",
        ),
        (PATH, "magistral-medium-latest", "/content/0/thinking/0/text"),
        (
            "/v1beta/openai/chat/completions",
            "gemini-3-pro",
            "/tool_calls/0/extra_content/google/thought_signature",
        ),
    ] {
        let mut session = Session::new(FakeConfig::default());
        session.script(vec![thinks_and_calls()]);
        let body = json!({"model": model, "messages": [{"role": "user", "content": "Hi"}]});
        let answer = ok(&session.handle(&Call::post(path, body)));
        let message = &answer["choices"][0]["message"];
        assert!(
            message.pointer(pointer).is_some_and(Value::is_string),
            "{model}: {message}"
        );
    }
    let mut session = Session::new(FakeConfig::default());
    let body = json!({"model": "MiniMax-M2.5", "messages": [{"role": "user", "content": "Hi"}]});
    let answer = ok(&post(&mut session, body));
    let content = answer["choices"][0]["message"]["content"].as_str().expect("text");
    assert!(content.starts_with("<think>\n"), "{content}");
    assert!(content.ends_with("answered \"Hi\"."), "{content}");
}

/// The same request on another day (section 2.2).
#[test]
fn the_day_decides() {
    let plain = json!({"model": "deepseek-reasoner", "messages": [{"role": "user", "content": "u"},
        {"role": "assistant", "content": "a", "reasoning_content": "t"}, {"role": "user", "content": "v"}]});
    for (day, status) in [("2025-06-01", 400), ("2026-01-15", 200), ("2026-09-01", 200)] {
        let profile = Profile {
            day: Some(Day::parse(day).expect("a day")),
            ..Profile::openai()
        };
        let mut session = Session::new(FakeConfig {
            profile,
            ..FakeConfig::default()
        });
        assert_eq!(post(&mut session, plain.clone()).plan.status, status, "{day}");
    }
}

/// A provider that speaks a wire that there is needs a file, and no code.
#[test]
fn a_provider_is_added_with_a_data_file_alone() {
    let file = r#"
        provider = "acme"
        [[endpoint]]
        name = "acme-chat"
        about = "a provider that nobody knows yet"
        wire = "chat-completions"
        models = ["acme-*"]
        as-of = "2026-11-30"
        [endpoint.speech]
        reads = ["reasoning"]
        writes = "reasoning"
        id = "acme-{hex}"
        call-id = "acme_call_{index}"
        [endpoint.refusal]
        body = '{"oops":{"why":"{message}","at":"{index}","number":"{code}"}}'
        code = "77"
        [[endpoint.rule]]
        name = "kept"
        mode = "tool_loop"
        field = "reasoning"
        replay = "required"
        breach = "missing"
        scope = "open-calls"
        violation = { status = 418, message = "where is the reasoning of {call}" }
        confidence = "high"
    "#;
    let mut book = Book::builtin().clone();
    book.add("acme.toml", file).expect("a data file");
    let mut session = Session::new(FakeConfig {
        book,
        ..FakeConfig::default()
    });
    session.script(vec![thinks_and_calls()]);
    let user = json!({"role": "user", "content": "holdover:recall"});
    let first = ok(&post(
        &mut session,
        json!({"model": "acme-1", "messages": [user]}),
    ));
    let message = first["choices"][0]["message"].clone();
    assert_eq!(message["tool_calls"][0]["id"], "acme_call_0");
    let output = json!({"role": "tool", "tool_call_id": "acme_call_0", "content": "42"});
    let kept = post(
        &mut session,
        json!({"model": "acme-1", "messages": [user, message, output]}),
    );
    let text = ok(&kept)["choices"][0]["message"]["content"].clone();
    let nonce = text.as_str().expect("a nonce");
    assert!(message["reasoning"].as_str().expect("reasoning").contains(nonce));
    let mut bare = message;
    bare.as_object_mut().expect("a message").remove("reasoning");
    let gone = post(
        &mut session,
        json!({"model": "acme-1", "messages": [user, bare, output]}),
    );
    assert_eq!(gone.plan.status, 418);
    assert_eq!(
        refused(&gone),
        json!({"oops": {"why": "where is the reasoning of lookup", "at": 1, "number": "77"}})
    );
}

/// A signature belongs to an account: that of another one is not what was issued.
#[test]
fn a_signature_of_another_account_is_refused() {
    let account = |organisation: &str| {
        let mut config = FakeConfig::default();
        config.account.organisation = organisation.to_owned();
        Session::new(config)
    };
    let path = "/api/v1/chat/completions";
    let user = json!({"role": "user", "content": "holdover:recall"});
    let ask = |messages: Value| {
        Call::post(
            path,
            json!({"model": "anthropic/claude-opus-4.5", "messages": messages}),
        )
    };
    let mut first = account("org-a");
    first.script(vec![thinks_and_calls()]);
    let message = ok(&first.handle(&ask(json!([user]))))["choices"][0]["message"].clone();
    let output = json!({"role": "tool", "tool_call_id": message["tool_calls"][0]["id"], "content": "42"});
    let history = json!([user, message, output]);
    assert_eq!(first.handle(&ask(history.clone())).plan.status, 200);
    assert_eq!(account("org-b").handle(&ask(history)).plan.status, 400);
}
