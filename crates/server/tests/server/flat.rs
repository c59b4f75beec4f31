//! Work per request is the size of the request: what a session did before costs its next exchange nothing (law 9 of
//! `docs/architecture.md`).

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::Running;

/// Exchanges whose median time is taken, at the beginning and at the end.
const WINDOW: usize = 400;
/// Exchanges in between.
const BETWEEN: usize = 3_000;
/// A scan of the session would cost the last window many times the first; a noisy machine costs both alike.
const RATIO_MAX: f64 = 2.0;

/// Median times of the first and of the last window of exchanges with these bodies, in one session.
async fn first_and_last(session: &str, body: impl Fn(&Value, usize) -> Value) -> (Duration, Duration) {
    let server = Running::with_defaults().await;
    let mut client = server.client().await;
    let path = format!("/s/{session}/v1/responses");
    let first = json!({"model": "gpt-5.6", "store": true, "include": ["reasoning.encrypted_content"], "input": "Plan."});
    let first = client.create(&path, &first).await.json();
    let mut windows = [Vec::new(), Vec::new()];
    for number in 0..2 * WINDOW + BETWEEN {
        let body = body(&first, number);
        let begun = Instant::now();
        let answer = client.create(&path, &body).await;
        let took = begun.elapsed();
        assert_eq!(answer.status, 200, "{}", answer.text());
        match number {
            _ if number < WINDOW => windows[0].push(took),
            _ if number >= WINDOW + BETWEEN => windows[1].push(took),
            _ => {}
        }
    }
    server.stop().await;
    let [first, last] = windows.map(|mut window| {
        window.sort();
        window[WINDOW / 2]
    });
    (first, last)
}

fn assert_flat((first, last): (Duration, Duration)) {
    let ratio = last.as_secs_f64() / first.as_secs_f64();
    assert!(
        ratio < RATIO_MAX,
        "an exchange took {first:?} at first and {last:?} after {BETWEEN} others"
    );
}

#[tokio::test]
async fn a_replayed_history_costs_the_same_after_thousands_of_exchanges() {
    let times = first_and_last("replay", |first, number| {
        let mut input = vec![json!({"role": "user", "content": "Plan."})];
        input.extend(first["output"].as_array().cloned().expect("output"));
        input.push(json!({"role": "user", "content": format!("Question {number:05}.")}));
        json!({"model": "gpt-5.6", "store": false, "include": ["reasoning.encrypted_content"], "input": input})
    });
    assert_flat(times.await);
}

#[tokio::test]
async fn a_continued_response_costs_the_same_after_thousands_of_exchanges() {
    let times = first_and_last(
        "chain",
        |first, number| json!({"model": "gpt-5.6", "previous_response_id": first["id"], "input": format!("Question {number:05}.")}),
    );
    assert_flat(times.await);
}
