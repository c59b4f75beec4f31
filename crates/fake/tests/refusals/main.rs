//! The error suite: each row of `tests/facts/errors.md` sections 1 to 7 with its whole body and its grade. `facts.rs`
//! walks the file, so that none is missing.

mod carried;
#[path = "../common/mod.rs"]
mod common;
mod facts;
mod followers;
mod requests;

use common::{body, create, ok, session};
use holdover_fake::{Answer, FakeConfig, Session};
use holdover_profile::Org;
use serde_json::{Value, json};

/// One way to a refusal, and its whole answer.
struct Row {
    /// The row of the facts: `E05`, `E01a` with its letter, `E09.2` with the place in its list.
    shape: &'static str,
    /// What the answer says it is.
    entry: &'static str,
    answer: Answer,
    status: u16,
    grade: &'static str,
    error: Value,
}

impl Row {
    /// The facts tell the same refusal in another place.
    fn told_as(self, entry: &'static str) -> Self {
        Self { entry, ..self }
    }
}

fn row(shape: &'static str, grade: &'static str, answer: Answer, status: u16, error: Value) -> Row {
    Row {
        shape,
        entry: &shape[..3],
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
        followers::typed_followers(),
        carried::identity(),
        carried::ids(),
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
            row.shape
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
