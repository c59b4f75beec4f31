//! The server by hand: two turns with plain HTTP, right and wrong.

use serde_json::{Value, json};

use crate::support::{Answer, Holdover, Serving};

/// The words of a default answer (`docs/architecture.md`, "Encrypted content and ids").
fn text_of(answer: &Answer) -> String {
    let items = answer.body["output"].as_array().unwrap();
    let message = items.iter().find(|item| item["type"] == "message").unwrap();
    message["content"][0]["text"].as_str().unwrap().to_owned()
}

fn request(input: &[Value]) -> Value {
    json!({
        "model": "gpt-5.6",
        "store": false,
        "include": ["reasoning.encrypted_content"],
        "reasoning": { "effort": "medium" },
        "input": input,
    })
}

fn user(text: &str) -> Value {
    json!({ "role": "user", "content": text })
}

/// Turn one; then turn two with what `carry` makes of the first answer.
fn two_turns(server: &Serving, carry: fn(&Answer) -> Vec<Value>) -> Answer {
    let first = server.post("/responses", &request(&[user("Question")]));
    assert_eq!(
        (first.status, first.prior_protected.as_deref()),
        (200, Some("0")),
        "{:?}",
        first.body
    );
    let mut input = vec![user("Question")];
    input.extend(carry(&first));
    input.push(user("Follow-up"));
    server.post("/responses", &request(&input))
}

fn whole_output(answer: &Answer) -> Vec<Value> {
    answer.body["output"].as_array().unwrap().clone()
}

fn text_only(answer: &Answer) -> Vec<Value> {
    vec![json!({ "role": "assistant", "content": text_of(answer) })]
}

#[test]
fn a_client_that_carries_everything_is_told_so_and_is_clean() {
    let server = Serving::start(&[]);
    let second = two_turns(&server, whole_output);
    assert_eq!(
        (second.status, second.prior_protected.as_deref()),
        (200, Some("1"))
    );
    assert_eq!(
        text_of(&second),
        r#"Offline (Medium, stateless, priorProtected=1): answered "Follow-up"."#
    );
    let finished = server.own("sessions/e2e/finish");
    assert_eq!(finished.body["verdict"], "clean", "{:#}", finished.body);
}

#[test]
fn a_client_that_keeps_only_the_text_gets_200_and_a_finding() {
    let server = Serving::start(&[]);
    let second = two_turns(&server, text_only);
    assert_eq!(
        (second.status, second.prior_protected.as_deref()),
        (200, Some("0"))
    );
    assert_eq!(
        text_of(&second),
        r#"Offline (Medium, stateless, priorProtected=0): answered "Follow-up"."#
    );
    let finished = server.own("sessions/e2e/finish");
    assert_eq!(finished.body["verdict"], "findings", "{:#}", finished.body);
    let rules: Vec<_> = finished.body["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| found["rule"].clone())
        .collect();
    assert_eq!(rules, ["text-only-rebuild"]);
}

#[test]
fn two_servers_answer_the_same_bytes() {
    let [one, other] = [(), ()].map(|()| two_turns(&Serving::start(&[]), whole_output).body.to_string());
    assert_eq!(one, other);
}

#[test]
fn another_seed_gives_other_ids() {
    let [seven, eight] =
        ["7", "8"].map(|seed| two_turns(&Serving::start(&["--seed", seed]), whole_output).body["id"].clone());
    assert_ne!(seven, eight);
}

#[test]
fn a_recording_is_judged_as_the_live_session_was() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("run.jsonl");
    let server = Serving::start(&["--record", base.to_str().unwrap()]);
    two_turns(&server, text_only);
    server.own("sessions/e2e/finish");
    drop(server);
    let ended = Holdover::new(&["judge", "--format", "json"])
        .path(&folder.path().join("run.e2e.jsonl"))
        .run();
    ended.assert_code(4);
    let verdict: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(verdict["findings"][0]["rule"], "text-only-rebuild", "{verdict:#}");
}

#[test]
fn a_port_that_is_taken_is_exit_3_and_is_named() {
    let server = Serving::start(&[]);
    let ended = Holdover::new(&["serve", "--listen", server.address()]).run();
    ended.assert_code(3).assert_stderr_has(server.address());
    let ended = Holdover::new(&["test", "--listen", server.address(), "--", "true"]).run();
    ended
        .assert_code(3)
        .assert_stderr_has(server.address())
        .assert_stderr_has("picks a free port");
}
