//! The clock that is handed in: everything that bears a time follows it.

mod common;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE;
use common::{body, session, user};
use holdover_fake::{Answer, Session, Time};
use holdover_wire::{Call, ServerId};
use serde_json::{Value, json};

/// 2027-01-15 08:00:00 UTC.
const NOW: u64 = 1_800_000_000;

fn at(session: &mut Session, time: Time, input: &Value) -> Answer {
    let request = json!({"model": "gpt-5.6", "store": false, "include": ["reasoning.encrypted_content"], "input": input});
    let call = Call::post("/v1/responses", request);
    session.begin(&call).at(time).answer(&call)
}

/// Bytes 1 to 8 of a Fernet token: the second of its sealing.
fn sealed_at(token: &Value) -> u64 {
    let bytes = URL_SAFE.decode(token.as_str().expect("a token")).expect("base64");
    u64::from_be_bytes(bytes[1..9].try_into().expect("eight bytes"))
}

fn second_of(id: &Value) -> Option<u64> {
    ServerId::parse(id.as_str()?).map(|id| id.second.into())
}

#[test]
fn response_ids_and_tokens_follow_the_wall_clock() {
    let mut session = session();
    let first = body(&at(&mut session, Time::Wall(NOW), &json!("a")));
    let (reasoning, message) = (&first["output"][0], &first["output"][1]);
    assert_eq!(first["created_at"], NOW);
    assert_eq!(first["completed_at"], NOW + 2);
    assert_eq!(second_of(&first["id"]), Some(NOW));
    assert_eq!(second_of(&reasoning["id"]), Some(NOW));
    // An item's second is its response's plus its index, also here: the partner of an id can be named.
    assert_eq!(second_of(&message["id"]), Some(NOW + 1));
    assert!((NOW..NOW + 3).contains(&sealed_at(&reasoning["encrypted_content"])));
    // A later request in the same second is not pushed into the future.
    let next = json!([user("a"), reasoning, message, user("b")]);
    let answer = at(&mut session, Time::Wall(NOW), &next);
    assert_eq!(answer.carried.prior_protected, 1);
    assert_eq!(body(&answer)["created_at"], NOW);
}

#[test]
fn virtual_time_goes_on_from_what_is_carried() {
    let mut session = session();
    let first = body(&at(&mut session, Time::Virtual, &json!("a")));
    assert_eq!(first["created_at"], 1_795_000_000_u64);
    let next = json!([user("a"), first["output"][0], first["output"][1], user("b")]);
    assert_eq!(
        body(&at(&mut session, Time::Virtual, &next))["created_at"],
        1_795_000_002_u64
    );
}
