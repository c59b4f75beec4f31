//! Responses servers of other providers whose reasoning travels as text (`tests/facts/providers.md` section 13).

mod common;

use common::{body, items};
use holdover_fake::{Answer, FakeConfig, Session};
use holdover_profile::Profile;
use holdover_wire::Call;
use holdover_wire::plan::{PlanBody, Step};
use serde_json::{Value, json};

fn session(profile: &str) -> Session {
    Session::new(FakeConfig {
        profile: Profile::builtin(profile).expect("a profile"),
        ..FakeConfig::default()
    })
}

fn create(session: &mut Session, request: &Value) -> Answer {
    session.handle(&Call::post("/v1/responses", request.clone()))
}

/// The text of the first reasoning item.
fn reasoning(answer: &Answer) -> String {
    let mut items = items(answer).into_iter();
    let item = items.find(|item| item["type"] == "reasoning").expect("reasoning");
    assert_eq!(item["content"][0]["type"], "reasoning_text");
    assert_eq!(item.get("encrypted_content"), None);
    item["content"][0]["text"].as_str().expect("a text").to_owned()
}

#[test]
fn the_text_comes_back_and_is_read() {
    for profile in ["vllm-responses", "sglang-responses", "llama-cpp-responses"] {
        let mut session = session(profile);
        let asked = json!({"role": "user", "content": "Hello"});
        let request = json!({"model": "gpt-5.6", "store": false, "include": ["reasoning.encrypted_content"], "input": [asked]});
        let first = create(&mut session, &request);
        let text = reasoning(&first);
        let (_, nonce) = text.split_once("My mark is ").expect("a mark");
        let mut input = vec![asked];
        input.extend(items(&first));
        input.push(json!({"role": "user", "content": "holdover:recall"}));
        let request = json!({"model": "gpt-5.6", "store": false, "input": input});
        let second = create(&mut session, &request);
        assert_eq!(second.carried.prior_protected, 1, "{profile}");
        let mut said = items(&second).into_iter();
        let said = said.find(|item| item["type"] == "message").expect("a message");
        let text = said["content"][0]["text"].as_str().expect("a text");
        assert_eq!(text, nonce.trim_end_matches('.'), "{profile}");
    }
}

#[test]
fn a_stream_has_the_same_text_in_pieces() {
    let request = json!({"model": "gpt-5.6", "store": false, "input": "Hello"});
    let whole = create(&mut session("vllm-responses"), &request);
    let streamed = json!({"model": "gpt-5.6", "store": false, "stream": true, "input": "Hello"});
    let answer = create(&mut session("vllm-responses"), &streamed);
    let PlanBody::Stream(steps) = &answer.plan.body else {
        panic!("no stream: {:?}", answer.plan.body);
    };
    let events = steps.iter().filter_map(Step::event);
    let events: Vec<Value> = events
        .map(|event| serde_json::to_value(event).expect("json"))
        .collect();
    let pieces = events
        .iter()
        .filter(|event| event["type"] == "response.reasoning_text.delta");
    let text: String = pieces.filter_map(|event| event["delta"].as_str()).collect();
    assert_eq!(text, reasoning(&whole));
    let done = events
        .iter()
        .find(|event| event["type"] == "response.reasoning_text.done");
    assert_eq!(done.expect("its end")["text"], text.as_str());
}

#[test]
fn a_token_is_refused_by_one_and_dropped_by_the_other() {
    let item = json!({"type": "reasoning", "summary": [], "encrypted_content": "gAAA", "content": [{"type": "reasoning_text", "text": "x"}]});
    let request = json!({"model": "gpt-5.6", "store": false, "input": [
        {"role": "user", "content": "Hello"}, item, {"role": "assistant", "content": "Hi"}, {"role": "user", "content": "And?"}]});
    let refused = create(&mut session("vllm-responses"), &request);
    assert_eq!(refused.plan.status, 400);
    assert_eq!(
        body(&refused)["error"]["message"],
        "Encrypted content is not supported."
    );
    let taken = create(&mut session("sglang-responses"), &request);
    assert_eq!((taken.plan.status, taken.carried.prior_protected), (200, 0));
}

/// Section 13.1: what is stored goes on without its reasoning, whichever way the request names it.
#[test]
fn what_is_stored_has_lost_its_reasoning_in_a_conversation_too() {
    for (profile, recalled) in [("vllm-responses", 0), ("sglang-responses", 1)] {
        let mut session = session(profile);
        let opened = session.handle(&Call::post("/v1/conversations", json!({})));
        let conversation = body(&opened)["id"].clone();
        let first = create(
            &mut session,
            &json!({"model": "gpt-5.6", "conversation": conversation, "input": "Hello"}),
        );
        let request = json!({"model": "gpt-5.6", "conversation": conversation, "input": "holdover:recall"});
        let second = create(&mut session, &request);
        assert_eq!(second.carried.prior_protected, recalled, "{profile}");
        let previous = body(&first)["id"].clone();
        let request =
            json!({"model": "gpt-5.6", "previous_response_id": previous, "input": "holdover:recall"});
        assert_eq!(
            create(&mut session, &request).carried.prior_protected,
            recalled,
            "{profile}"
        );
    }
}
