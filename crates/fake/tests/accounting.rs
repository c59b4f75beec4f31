//! Usage: cached tokens by model generation, P13, windows and truncation (`tests/facts/state.md`, Prompt caching and
//! usage numbers; truncation; `tests/facts/errors.md` E32).

mod common;

use std::collections::BTreeSet;

use common::golden::{message, reply};
use common::{create, events, get, items, ok, post, refused, session, user, without};
use holdover_fake::{Answer, Session};
use serde_json::{Value, json};

/// A text of so many o200k tokens: one a word.
fn words(count: usize) -> String {
    " word".repeat(count)
}

/// `input_tokens`, `cached_tokens`, `cache_write_tokens`.
fn usage(response: &Value) -> (u64, u64, u64) {
    let usage = &response["usage"];
    let number = |value: &Value| value.as_u64().expect("a number");
    (
        number(&usage["input_tokens"]),
        number(&usage["input_tokens_details"]["cached_tokens"]),
        number(&usage["input_tokens_details"]["cache_write_tokens"]),
    )
}

fn asked(session: &mut Session, body: &Value) -> (u64, u64, u64) {
    usage(&ok(&create(session, body)))
}

#[test]
fn the_newest_models_count_exactly_what_they_write_and_read() {
    let mut session = session();
    let body = json!({"model": "gpt-5.6", "input": words(4_000)});
    let (input, cached, written) = asked(&mut session, &body);
    assert_eq!(cached, 0);
    // All but the few tokens that come after the last item.
    assert!((1..16).contains(&(input - written)), "{input} {written}");
    assert_eq!(asked(&mut session, &body), (input, written, 0));
}

#[test]
fn older_models_count_in_steps_from_1024() {
    let mut session = session();
    for (tokens, expected) in [(900, 0), (2_000, 1_920)] {
        let body = json!({"model": "gpt-5.5", "input": words(tokens)});
        assert_eq!(asked(&mut session, &body).1, 0, "first {tokens}");
        let (_, cached, written) = asked(&mut session, &body);
        assert_eq!((cached, written), (expected, 0), "{tokens}");
    }
}

#[test]
fn a_chain_reads_what_its_last_turn_wrote() {
    let mut session = session();
    let first = ok(&create(
        &mut session,
        &json!({"model": "gpt-5.6", "input": words(2_000)}),
    ));
    let next = |previous: &Value, input: &str| json!({"model": "gpt-5.6", "previous_response_id": previous["id"], "input": input});
    let second = ok(&create(&mut session, &next(&first, "Go on.")));
    assert_eq!(usage(&second).1, usage(&first).2);
    let third = ok(&create(&mut session, &next(&second, "And on.")));
    assert_eq!(usage(&third).1, usage(&second).1 + usage(&second).2);
}

#[test]
fn another_key_model_or_instruction_reads_nothing() {
    let body = json!({"model": "gpt-5.6", "input": words(2_000), "instructions": "Be brief.", "prompt_cache_key": "a"});
    for (name, value) in [
        ("prompt_cache_key", json!("b")),
        ("model", json!("gpt-5.6-luna")),
        ("instructions", json!("Be long.")),
        ("tools", json!([{"type": "web_search"}])),
    ] {
        let mut session = session();
        asked(&mut session, &body);
        assert!(asked(&mut session, &body).1 > 0);
        let mut other = body.clone();
        other[name] = value;
        assert_eq!(asked(&mut session, &other).1, 0, "{name}");
    }
}

#[test]
fn explicit_breakpoints_end_what_is_cached() {
    let mut session = session();
    let marked = json!({"role": "user", "content": [{"type": "input_text", "text": words(2_000), "prompt_cache_breakpoint": {"mode": "explicit"}}]});
    let body = |last: &str, mode: &str| json!({"model": "gpt-5.6", "input": [marked, user(last)], "prompt_cache_options": {"mode": mode}});
    let (_, cached, written) = asked(&mut session, &body("one", "explicit"));
    assert_eq!(cached, 0);
    // Another last message shares the marked part.
    assert_eq!(asked(&mut session, &body("two", "explicit")).1, written);
    let unmarked =
        json!({"model": "gpt-5.6", "input": words(2_000), "prompt_cache_options": {"mode": "explicit"}});
    assert_eq!(asked(&mut session, &unmarked).2, 0);
}

/// Plays two turns of a stateless replay; `policy` says how the second one sends the first one's items.
fn replay(policy: impl Fn(&Value) -> Value) -> Vec<(u64, u64, u64)> {
    let mut session = session();
    let request = |input: Value| json!({"model": "gpt-5.6", "store": false, "include": ["reasoning.encrypted_content"], "input": input});
    let mut input = vec![user(&words(2_000))];
    let mut usages = Vec::new();
    for turn in 0..3 {
        session.script(vec![reply([
            holdover_wire::ReplyPart::Reasoning { summary: None },
            message("Noted."),
        ])]);
        let answer = create(&mut session, &request(Value::Array(input.clone())));
        usages.push(usage(&ok(&answer)));
        input.extend(items(&answer).iter().map(&policy));
        input.push(user(&format!("Go on, {turn}.")));
    }
    usages
}

#[test]
fn p13_no_policy_about_ids_changes_usage() {
    let preserve = replay(Clone::clone);
    let omit = replay(|item| {
        if item["type"] == "reasoning" {
            without(item, "id")
        } else {
            item.clone()
        }
    });
    let none = replay(|item| without(item, "id"));
    assert_eq!(preserve, omit);
    assert_eq!(preserve, none);
    // Each turn reads what the one before had cached.
    assert_eq!(preserve[1].1, preserve[0].2);
    assert_eq!(preserve[2].1, preserve[1].1 + preserve[1].2);
}

#[test]
fn a_replay_without_its_reasoning_reads_only_what_stands_before_it() {
    let lost = replay(|item| {
        if item["type"] == "reasoning" {
            json!({"role": "assistant", "content": "(lost)"})
        } else {
            item.clone()
        }
    });
    assert_eq!(lost[1].1, lost[0].2);
}

#[test]
fn e32_what_does_not_fit_is_refused_or_truncated() {
    let body = json!({"model": "gpt-4o-mini", "input": words(130_000)});
    refused(
        &create(&mut session(), &body),
        400,
        "Your input exceeds the context window of this model. Please adjust your input and try again.",
        Some("input"),
        Some("context_length_exceeded"),
    );
    let mut auto = body;
    auto["truncation"] = json!("auto");
    let answer = create(&mut session(), &auto);
    let response = ok(&answer);
    assert_eq!(usage(&response).0, 128_000);
    assert_eq!(response["truncation"], "auto");
    assert_eq!(answer.plan.header("x-holdover-note"), Some("truncated"));
}

#[test]
fn rate_limits_are_told_with_each_answer() {
    let answer = create(&mut session(), &json!({"model": "gpt-5.6", "input": "x"}));
    let header = |answer: &Answer, name: &str| answer.plan.header(name).expect("a header").to_owned();
    assert_eq!(header(&answer, "x-ratelimit-limit-requests"), "10000");
    assert_eq!(header(&answer, "x-ratelimit-remaining-requests"), "9999");
    assert_eq!(header(&answer, "x-ratelimit-reset-requests"), "6ms");
    for name in ["limit-tokens", "remaining-tokens", "reset-tokens"] {
        assert!(
            answer.plan.header(&format!("x-ratelimit-{name}")).is_some(),
            "{name}"
        );
    }
}

/// `tests/facts/endpoints.md`, Headers on every answer.
#[test]
fn every_answer_has_an_id_and_a_processing_time() {
    let mut session = session();
    let body = json!({"model": "gpt-5.6", "input": "x"});
    let mut streamed = body.clone();
    streamed["stream"] = json!(true);
    let answers = [
        create(&mut session, &body),
        create(&mut session, &streamed),
        create(&mut session, &json!({"model": "gpt-5.6", "input": 7})),
        get(&mut session, "/v1/models"),
        get(&mut session, "/v1/responses/resp_0"),
        get(&mut session, "/v1/nothing"),
    ];
    let mut ids = BTreeSet::new();
    for answer in &answers {
        let header = |name: &str| answer.plan.header(name).expect("a header");
        let id = header("x-request-id").strip_prefix("req_").expect("the prefix");
        assert!(
            id.len() == 32 && id.bytes().all(|digit| digit.is_ascii_hexdigit()),
            "{id}"
        );
        ids.insert(id.to_owned());
        header("openai-processing-ms")
            .parse::<u64>()
            .expect("whole milliseconds");
        assert_eq!(header("openai-version"), "2020-10-01");
    }
    // Both transports of one request derive from the same fingerprint; the second one is seen for the second time.
    assert_eq!(ids.len(), answers.len());
}

/// `tests/facts/state.md`, Prompt caching and usage numbers.
#[test]
fn cached_tokens_are_part_of_the_input_and_reasoning_of_the_output() {
    for model in ["gpt-5.5", "gpt-5.6"] {
        let mut session = session();
        let body = json!({"model": model, "input": words(3_000)});
        for _ in 0..2 {
            let response = ok(&create(&mut session, &body));
            let usage = &response["usage"];
            let number = |path: &str| usage.pointer(path).and_then(Value::as_u64).expect("a number");
            let (input, output) = (number("/input_tokens"), number("/output_tokens"));
            assert_eq!(number("/total_tokens"), input + output);
            assert!(number("/input_tokens_details/cached_tokens") <= input);
            let reasoning = number("/output_tokens_details/reasoning_tokens");
            assert!(0 < reasoning && reasoning < output, "{reasoning} of {output}");
        }
    }
}

#[test]
fn a_pinned_prefix_survives_its_transport() {
    let mut session = session();
    let mut body = json!({"model": "gpt-5.6", "input": words(2_000)});
    let (_, _, written) = asked(&mut session, &body);
    body["stream"] = json!(true);
    let stream = events(&create(&mut session, &body));
    let last = &stream.last().expect("a terminal event")["response"];
    assert_eq!(usage(last).1, written);
    let compacted = ok(&post(
        &mut session,
        "/v1/responses/compact",
        json!({"model": "gpt-5.6", "input": words(2_000)}),
    ));
    assert_eq!(usage(&compacted).1, 0);
}

#[test]
fn what_was_compacted_is_not_charged_again() {
    let mut session = session();
    let rule = json!([{"type": "compaction", "compact_threshold": 1_000}]);
    let body = json!({"model": "gpt-5.6", "input": words(1_200), "context_management": rule});
    let first = ok(&create(&mut session, &body));
    let kinds = |response: &Value| -> Vec<Value> {
        let output = response["output"].as_array().expect("output");
        output.iter().map(|item| item["type"].clone()).collect()
    };
    assert_eq!(kinds(&first), ["reasoning", "message", "compaction"]);
    let next = json!({"model": "gpt-5.6", "previous_response_id": first["id"], "input": "Go on.", "context_management": rule});
    let second = ok(&create(&mut session, &next));
    assert_eq!(kinds(&second), ["reasoning", "message"]);
    assert!(usage(&first).0 > 1_200 && usage(&second).0 < 400);
    let low = json!({"model": "gpt-5.6", "input": "x", "context_management": [{"type": "compaction", "compact_threshold": 999}]});
    refused(
        &create(&mut session, &low),
        400,
        "Invalid 'context_management[0].compact_threshold': integer below minimum value. Expected a value >= 1000, but got 999 instead.",
        Some("context_management[0].compact_threshold"),
        Some("integer_below_min_value"),
    );
}
