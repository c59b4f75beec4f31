//! A client over HTTP against a session of its own: right, wrong, and silent.

use holdover_testing::{Holdover, Setup};
use holdover_wire::{Reply, ReplyPart};
use serde_json::{Value, json};

fn create(base_url: &str, input: &Value) -> Value {
    let body = json!({
        "model": "gpt-5.6", "store": false, "include": ["reasoning.encrypted_content"], "input": input,
    });
    let request = ureq::post(format!("{base_url}/responses")).header("authorization", "Bearer sk-any");
    let mut response = request.send_json(body).expect("an answer");
    response.body_mut().read_json().expect("JSON")
}

/// Two turns; `keep` says what of the first answer comes back.
async fn talk(holdover: &Holdover, keep: fn(&Value) -> Vec<Value>) {
    let base_url = holdover.base_url();
    tokio::task::spawn_blocking(move || {
        let mut history = vec![json!({"role": "user", "content": "Plan the migration."})];
        let first = create(&base_url, &json!(history));
        history.extend(keep(&first));
        history.push(json!({"role": "user", "content": "And the rollback?"}));
        create(&base_url, &json!(history));
    })
    .await
    .expect("two turns");
}

fn right(response: &Value) -> Vec<Value> {
    response["output"].as_array().expect("items").clone()
}

fn wrong(response: &Value) -> Vec<Value> {
    let items = response["output"].as_array().expect("items").iter();
    let message = items
        .rev()
        .find(|item| item["type"] == "message")
        .expect("a message");
    vec![json!({"role": "assistant", "content": message["content"][0]["text"]})]
}

#[tokio::test]
async fn a_right_client_carries() {
    let holdover = Holdover::start("right").await;
    talk(&holdover, right).await;
    let verdict = holdover.assert_carried().await;
    assert_eq!(verdict.coverage.turns, 2);
}

/// What an assertion panics with.
async fn panic_of(asserted: impl Future<Output = holdover_judge::Verdict> + Send + 'static) -> String {
    let error = tokio::spawn(asserted).await.expect_err("a panic");
    let panic = error.into_panic();
    panic.downcast_ref::<String>().expect("a message").clone()
}

#[tokio::test]
async fn a_wrong_client_fails_with_place_sent_and_expected() {
    let holdover = Holdover::start("wrong").await;
    talk(&holdover, wrong).await;
    let said = panic_of(holdover.assert_clean()).await;
    for part in [
        "error[text-only-rebuild]",
        "at: exchange 2, /input/1",
        "sent: ",
        "expected: ",
        "help: ",
    ] {
        assert!(said.contains(part), "{said}");
    }
}

#[tokio::test]
async fn silence_is_not_success() {
    let holdover = Holdover::start("silent").await;
    let said = panic_of(holdover.assert_carried()).await;
    assert!(said.contains("no reasoning item was carried (0 turns"), "{said}");
}

#[tokio::test]
async fn replies_and_exports_are_taken() {
    let reply = Reply {
        parts: vec![ReplyPart::Message {
            text: Some("Freeze first.".to_owned()),
            phase: None,
        }],
    };
    let mut holdover = Setup::of("scripted").reply(reply).start().await;
    let base_url = holdover.base_url();
    let answer = tokio::task::spawn_blocking(move || create(&base_url, &json!("Plan.")))
        .await
        .expect("a turn");
    assert_eq!(answer["output"][0]["content"][0]["text"], "Freeze first.");
    holdover.export(
        "app.log",
        "Authorization: Bearer sk-live-0123456789abcdefghijklmnop",
    );
    let verdict = holdover.finish().await;
    assert_eq!(verdict.findings[0].rule, "credential-in-export");
}
