//! What a session keeps is bounded by bytes, and a refusal says what was let go.
//!
//! The first test measures the resident memory of its process: run by nextest, each test has one of its own.

mod common;

use common::{body, create, get, ok, post};
use holdover_wire::Call;
use serde_json::{Value, json};

const LIMIT_BYTES: usize = 16 << 20;
const RESPONSES: usize = 100_000;
/// So many answers ago something was let go that the store still remembers to have had.
const LATELY: usize = 20_000;
/// Counts of requests, hashes of evicted ids, token counts: all bounded by number.
const CACHES_BYTES: usize = 24 << 20;

/// Resident bytes of this process.
fn resident() -> usize {
    #[expect(clippy::disallowed_methods, reason = "a test measures its own process")]
    let numbers = std::fs::read_to_string("/proc/self/statm").expect("Linux");
    let pages = numbers.split(' ').nth(1).expect("a second number");
    pages.parse::<usize>().expect("a number of pages") * 4096
}

/// The whole path of an answer: read, checked, planned, kept. Half of the requests are equal, half are not, and every
/// tenth goes on from the one before.
#[test]
fn a_hundred_thousand_answers_stay_within_the_bound() {
    let mut session = common::session();
    session.limit(LIMIT_BYTES);
    let mut ask = |number: usize, previous: Option<&str>| {
        let input = if number.is_multiple_of(2) { 0 } else { number };
        let input = format!("Plan the migration of database {input}.");
        let body = json!({"model": "gpt-5.6", "input": input, "previous_response_id": previous});
        let answer = ok(&session.handle(&Call::post("/v1/responses", body)));
        (id(&answer), session.stored())
    };
    // What is made once for all answers (tables of the tokenizer, caches) is not theirs.
    let (first, _) = ask(0, None);
    let before = resident();
    let (mut last, mut size) = ask(1, Some(&first));
    let mut lately_let_go = String::new();
    for number in 2..RESPONSES {
        if number == RESPONSES - LATELY {
            lately_let_go.clone_from(&last);
        }
        let previous = number.is_multiple_of(10).then_some(last.as_str());
        (last, size) = ask(number, previous);
        assert!(size.bytes <= LIMIT_BYTES);
    }
    assert!((1_000..LATELY).contains(&size.responses), "{size:?}");
    assert_eq!(size.evicted, (RESPONSES - size.responses) as u64);
    // The bytes are an estimate that must not be too small: the process may not have grown by more than the bound, and
    // what an allocator and the bounded caches of an answer need beside that.
    let grown = resident().saturating_sub(before);
    assert!(grown < LIMIT_BYTES + CACHES_BYTES, "{grown} bytes for {size:?}");
    let gone = get(&mut session, &format!("/v1/responses/{lately_let_go}"));
    assert_eq!(
        (gone.plan.status, gone.plan.header("x-holdover-evicted")),
        (404, Some(lately_let_go.as_str()))
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
