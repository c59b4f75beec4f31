//! The stores of `serve --state`.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Holdover, Serving};

const CLIENTS: usize = 8;
/// Answers that clients must have before the server is killed.
const ANSWERS: usize = 60;

/// The ids that one client was told, in order, and how the last call ended.
fn chain(base_url: &str, number: usize, answered: &AtomicUsize) -> Vec<String> {
    let config = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .proxy(None);
    let agent: ureq::Agent = config
        .timeout_global(Some(Duration::from_secs(30)))
        .build()
        .into();
    let mut ids: Vec<String> = Vec::new();
    loop {
        let body = json!({"model": "gpt-5.6", "input": format!("{number}: {}", ids.len()), "previous_response_id": ids.last()});
        let sent = agent
            .post(format!("{base_url}/responses"))
            .header("authorization", format!("Bearer sk-holdover-kill-{}", number % 2))
            .send_json(&body);
        // A call that the kill hits was not acknowledged.
        let Ok(mut answer) = sent else { return ids };
        let Ok(body) = answer.body_mut().read_json::<Value>() else {
            return ids;
        };
        assert_eq!(answer.status(), 200, "{body}");
        ids.push(body["id"].as_str().expect("an id").to_owned());
        answered.fetch_add(1, Ordering::SeqCst);
    }
}

fn start(file: &Path) -> Serving {
    Serving::start(&["--state", &format!("sqlite:{}", file.display())])
}

#[test]
fn a_server_killed_under_load_loses_no_acknowledged_response() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state.db");
    let server = start(&file);
    let answered = Arc::new(AtomicUsize::new(0));
    let begin = Arc::new(Barrier::new(CLIENTS));
    let clients: Vec<_> = (0..CLIENTS)
        .map(|number| {
            let (base_url, answered, begin) = (server.base_url().to_owned(), answered.clone(), begin.clone());
            std::thread::spawn(move || {
                begin.wait();
                chain(&base_url, number, &answered)
            })
        })
        .collect();
    let until = Instant::now() + Duration::from_secs(60);
    while answered.load(Ordering::SeqCst) < ANSWERS && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
    // The signal that no process can catch, while all clients are in the middle of a call.
    drop(server);
    let chains: Vec<Vec<String>> = clients.into_iter().map(|client| client.join().unwrap()).collect();
    let total: usize = chains.iter().map(Vec::len).sum();
    assert!(total >= ANSWERS, "only {total} answers came");
    let server = start(&file);
    for (number, ids) in chains.iter().enumerate() {
        let key = format!("Bearer sk-holdover-kill-{}", number % 2);
        for id in ids {
            let found = server.get(&format!("/responses/{id}"), &key);
            assert_eq!(
                (found.status, &found.body["id"]),
                (200, &json!(id)),
                "{}",
                found.body
            );
        }
        let last = json!({"model": "gpt-5.6", "input": "go on", "previous_response_id": ids.last()});
        let next = server.post_as("/responses", &key, &last);
        assert_eq!(next.prior_protected, Some(ids.len().to_string()), "{}", next.body);
    }
}

#[test]
fn a_store_that_is_none_is_exit_2_and_one_that_is_not_there_exit_3() {
    let ended = Holdover::new(&["serve", "--state", "postgres://x"]).run();
    ended.assert_code(2);
    ended.assert_stderr_has("`sqlite:FILE`");
    let ended = Holdover::new(&[
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--state",
        "redis://127.0.0.1:1/",
    ])
    .run();
    ended.assert_code(3);
    ended.assert_stderr_has("redis://127.0.0.1:1/");
}

#[test]
fn the_clock_of_the_wall_is_in_created_at() {
    let server = Serving::start(&["--clock", "wall"]);
    let before = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
    let body = server
        .post("/responses", &json!({"model": "gpt-5.6", "input": "hi"}))
        .body;
    let created = body["created_at"].as_u64().unwrap();
    // A clock before the epoch of virtual time counts as that.
    let epoch = 1_795_000_000;
    let expected = before.max(epoch);
    assert!(
        (expected..expected + 30).contains(&created),
        "{created} for {before}"
    );
}
