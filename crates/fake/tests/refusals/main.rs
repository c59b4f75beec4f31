//! The error suite: each row of `tests/facts/errors.md` sections 1 to 7 with its whole body and its grade. What a
//! WebSocket alone says (E36) is the server's.

mod carried;
#[path = "../common/mod.rs"]
mod common;
mod requests;

use common::{body, create, ok, session};
use holdover_fake::{Answer, FakeConfig, Session};
use holdover_profile::Org;
use serde_json::{Value, json};

/// One way to a refusal, and its whole answer.
struct Row {
    entry: &'static str,
    answer: Answer,
    status: u16,
    grade: &'static str,
    error: Value,
}

fn row(entry: &'static str, grade: &'static str, answer: Answer, status: u16, error: Value) -> Row {
    Row {
        entry,
        answer,
        status,
        grade,
        error,
    }
}

/// The four members of a refusal of the usual type.
fn error(message: impl Into<String>, param: Option<&str>, code: Option<&str>) -> Value {
    json!({"message": message.into(), "type": "invalid_request_error", "param": param, "code": code})
}

/// The usual pairing error.
fn at_input(message: impl Into<String>) -> Value {
    error(message, Some("input"), None)
}

/// A fresh session asked once.
fn asked(request: &Value) -> Answer {
    create(&mut session(), request)
}

fn input(items: &[&Value]) -> Value {
    json!({"model": "gpt-5.6", "input": items})
}

fn id(item: &Value) -> &str {
    item["id"].as_str().expect("an id")
}

/// A stored first turn of these parts, and its items.
fn first_turn(script: holdover_wire::Reply) -> (Session, Vec<Value>, Value) {
    let mut session = session();
    session.script(vec![script]);
    let response = ok(&create(&mut session, &json!({"model": "gpt-5.6", "input": "x"})));
    let items = response["output"].as_array().expect("output").clone();
    (session, items, response)
}

fn org(org: Org) -> Session {
    Session::new(FakeConfig {
        org,
        ..FakeConfig::default()
    })
}

fn rows() -> Vec<Row> {
    let groups = [
        carried::pairing(),
        carried::identity(),
        carried::tools(),
        carried::encrypted(),
        carried::encrypted_elsewhere(),
        carried::includes(),
        requests::state(),
        requests::kept(),
        requests::conversation_items(),
        requests::codex(),
        requests::shapes(),
        requests::parameters(),
        requests::limits(),
    ];
    groups.into_iter().flatten().collect()
}

#[test]
fn each_row_has_its_whole_body_and_its_grade() {
    for row in rows() {
        let expected = json!({"error": row.error});
        assert_eq!(
            (row.answer.plan.status, body(&row.answer)),
            (row.status, expected),
            "{}",
            row.entry
        );
        assert_eq!(
            row.answer.plan.header("x-holdover-refusal"),
            Some(row.entry),
            "{}",
            row.error
        );
        assert_eq!(
            row.answer.plan.header("x-holdover-evidence"),
            Some(row.grade),
            "{}",
            row.error
        );
    }
}

#[test]
fn no_entry_of_the_facts_is_left_out() {
    let there: Vec<&str> = rows().iter().map(|row| row.entry).collect();
    // E30 lists the whole union and has a test beside its check; E35 is no refusal; E36 is the server's.
    let elsewhere = ["E30", "E35", "E36"];
    for number in 1..=36 {
        let entry = format!("E{number:02}");
        assert!(
            there.contains(&entry.as_str()) || elsewhere.contains(&entry.as_str()),
            "{entry}"
        );
    }
}
