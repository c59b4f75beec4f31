//! The two endpoints that show the first leak to a team (D2 of `docs/mission.md`).

use serde_json::{Value, json};

use crate::support::Serving;

/// Two turns of one conversation; the second answer.
fn second_turn(server: &Serving, path: &str) -> Value {
    let turn = |message: &str| {
        server
            .beside(path, &json!({ "message": message, "conversation": "team" }))
            .body
    };
    assert_eq!(turn("Question")["hasProtectedInResponse"], json!(true));
    turn("Follow-up")
}

#[test]
fn the_right_endpoint_keeps_what_the_wrong_one_loses() {
    let server = Serving::start(&[]);
    let right = second_turn(&server, "/api/chat/turn");
    assert_eq!(right["hasProtectedInHistory"], json!(true));
    assert_eq!(right["priorProtected"], json!(1));
    let wrong = second_turn(&server, "/api/chat/turn/wrong");
    assert_eq!(wrong["hasProtectedInHistory"], json!(false));
    assert_eq!(wrong["priorProtected"], json!(0));
    assert_eq!(
        wrong["text"],
        json!("Offline (Medium, stateless, priorProtected=0): answered \"Follow-up\".")
    );
}

#[test]
fn a_body_without_a_message_is_told_what_to_send() {
    let server = Serving::start(&[]);
    let answer = server.beside("/api/chat/turn", &json!({ "text": "hi" }));
    assert_eq!(answer.status, 400);
    assert!(
        answer.body["error"]
            .as_str()
            .is_some_and(|error| error.contains("message"))
    );
}
