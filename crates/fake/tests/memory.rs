//! What a session keeps is bounded by bytes, and a refusal says what was let go.
//!
//! The first test measures the resident memory of its process: run by nextest, each test has one of its own.

mod common;

use std::sync::Arc;

use common::{body, create, get, post};
use holdover_fake::store::StoredResponse;
use holdover_fake::{Change, FakeConfig, Session, Store};
use holdover_wire::Call;
use serde_json::{Value, json};

const LIMIT_BYTES: usize = 16 << 20;
const RESPONSES: usize = 100_000;

/// Resident bytes of this process.
fn resident() -> usize {
    #[expect(clippy::disallowed_methods, reason = "a test measures its own process")]
    let numbers = std::fs::read_to_string("/proc/self/statm").expect("Linux");
    let pages = numbers.split(' ').nth(1).expect("a second number");
    pages.parse::<usize>().expect("a number of pages") * 4096
}

/// The stored form of a real answer.
fn sample() -> StoredResponse {
    let mut session = Session::new(FakeConfig::default());
    let call = Call::post(
        "/v1/responses",
        json!({"model": "gpt-5.6", "input": "Plan the migration of the database."}),
    );
    let changes = session.begin(&call).answer(&call).writes.changes;
    let stored = changes.into_iter().find_map(|change| match change {
        Change::PutResponse(response) => Some(response),
        _ => None,
    });
    Arc::unwrap_or_clone(stored.expect("a stored response"))
}

#[test]
fn a_hundred_thousand_responses_stay_within_the_bound() {
    let sample = sample();
    let before = resident();
    let mut store = Store::default();
    store.limit(LIMIT_BYTES);
    for number in 0..RESPONSES {
        let response = StoredResponse {
            id: format!("resp_{number:050x}"),
            ..sample.clone()
        };
        store.apply(Change::PutResponse(Arc::new(response)));
        assert!(store.size().bytes <= LIMIT_BYTES);
    }
    let size = store.size();
    assert!(size.responses > 1_000, "{size:?}");
    assert_eq!(size.evicted, (RESPONSES - size.responses) as u64);
    // The bytes are an estimate that must not be too small: the process may not have grown by more than the bound, and
    // what an allocator needs beside that.
    let grown = resident().saturating_sub(before);
    assert!(
        grown < LIMIT_BYTES + LIMIT_BYTES / 2,
        "{grown} bytes for {size:?}"
    );
}

fn id(body: &Value) -> String {
    body["id"].as_str().expect("an id").to_owned()
}

#[test]
fn a_refusal_names_what_was_let_go() {
    let mut session = common::session();
    let mut ask = |input: &str, previous: Option<&str>| {
        let body = json!({"model": "gpt-5.6", "input": input, "previous_response_id": previous});
        create(&mut session, &body)
    };
    let first = id(&body(&ask("a", None)));
    let second = id(&body(&ask("b", Some(&first))));
    session.limit(1);
    let evicted =
        |answer: &holdover_fake::Answer| answer.plan.header("x-holdover-evicted").map(ToOwned::to_owned);
    let gone = get(&mut session, &format!("/v1/responses/{first}"));
    assert_eq!((gone.plan.status, evicted(&gone)), (404, Some(first.clone())));
    let next = json!({"model": "gpt-5.6", "input": "c", "previous_response_id": first});
    let next = create(&mut session, &next);
    assert_eq!((next.plan.status, evicted(&next)), (400, Some(first)));
    // The newest stays, and what never was is not said to be gone.
    assert_eq!(
        get(&mut session, &format!("/v1/responses/{second}")).plan.status,
        200
    );
    let never = get(&mut session, "/v1/responses/resp_0");
    assert_eq!((never.plan.status, evicted(&never)), (404, None));
}

#[test]
fn conversations_count_and_go_too() {
    let mut session = common::session();
    let conversations: Vec<String> = (0..3)
        .map(|number| {
            let metadata = json!({"metadata": {"number": number.to_string()}});
            id(&body(&post(&mut session, "/v1/conversations", metadata)))
        })
        .collect();
    let before = session.stored();
    let turn = json!({"model": "gpt-5.6", "conversation": conversations[0], "store": false, "input": "a"});
    assert_eq!(create(&mut session, &turn).plan.status, 200);
    assert!(session.stored().bytes > before.bytes, "items count");
    session.evict_oldest();
    assert_eq!((session.stored().conversations, session.stored().evicted), (2, 1));
    // The first one was written last.
    for (place, status) in [(0, 200), (1, 404), (2, 200)] {
        let answer = get(
            &mut session,
            &format!("/v1/conversations/{}", conversations[place]),
        );
        assert_eq!(answer.plan.status, status, "{place}");
    }
}
