//! The verdict as a whole: its JSON, what is pending, what is counted.

use serde_json::{Value, json};

use crate::testkit::{Talk, easy, msg, rs, user};

fn names(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .expect("an object")
        .keys()
        .map(String::as_str)
        .collect()
}

#[test]
fn the_json_is_that_of_the_architecture() {
    let mut talk = Talk::stateless();
    talk.turn(&[user("plan")], &[rs(1), msg(1, "a plan")]);
    talk.turn(&[user("plan"), easy("a plan"), user("go on")], &[msg(2, "done")]);
    let verdict = serde_json::to_value(talk.verdict()).expect("JSON");
    assert_eq!(
        names(&verdict),
        ["verdict", "coverage", "findings", "inconclusive"]
    );
    assert_eq!(verdict["verdict"], "findings");
    let finding = &verdict["findings"][0];
    let members = names(finding);
    let first = [
        "rule", "severity", "class", "exchange", "lineage", "item", "pointer", "message", "help", "also",
    ];
    assert_eq!(members[..10], first);
    assert_eq!(finding["severity"], "error");
    assert_eq!(finding["class"], "carry");
    assert_eq!(finding["lineage"], 1);
    assert_eq!(finding["also"], json!([]));
}

#[test]
fn a_finding_is_pending_until_the_next_request_of_its_conversation() {
    let second = [user("plan"), easy("a plan"), user("go on")];
    let mut talk = Talk::stateless();
    talk.turn(&[user("plan")], &[rs(1), msg(1, "a plan")]);
    talk.turn(&second, &[rs(2), msg(2, "done")]);
    assert_eq!(talk.live(), Vec::<String>::new());
    talk.turn(&[user("another conversation")], &[msg(5, "yes")]);
    assert_eq!(talk.live(), Vec::<String>::new());
    talk.turn(
        &[&second[..], &[rs(2), msg(2, "done"), user("more")]].concat(),
        &[msg(3, "ok")],
    );
    assert_eq!(talk.live(), ["text-only-rebuild:error"]);
}

#[test]
fn words_alone_are_withdrawn_when_another_branch_carries_the_group_whole() {
    let mut talk = Talk::stateless();
    talk.turn(&[user("plan")], &[rs(1), msg(1, "a plan")]);
    talk.turn(
        &[user("plan"), easy("a plan"), user("name this chat")],
        &[msg(9, "Plans")],
    );
    talk.turn(
        &[user("plan"), rs(1), msg(1, "a plan"), user("go on")],
        &[msg(2, "done")],
    );
    assert_eq!(talk.found(), Vec::<String>::new());
}

#[test]
fn the_fix_is_for_the_client_that_was_seen() {
    let mut talk = Talk::stateless();
    talk.header("user-agent", "Agents/Python 0.23.1");
    talk.turn(&[user("plan")], &[rs(1), msg(1, "a plan")]);
    talk.turn(&[user("plan"), easy("a plan"), user("go on")], &[msg(2, "done")]);
    assert!(talk.verdict().findings[0].help.contains("to_input_list"));
}

#[test]
fn coverage_counts_what_was_there_to_judge() {
    let mut talk = Talk::stateless();
    talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
    talk.turn(
        &[user("a"), rs(1), msg(1, "one"), user("b")],
        &[rs(2), msg(2, "two")],
    );
    talk.export("app.log", "nothing");
    talk.audit(json!({"reasoning_item_id_policy": "none", "ids_present": true}));
    talk.audit(json!({"session": "another", "run_id": "r"}));
    let coverage = serde_json::to_value(talk.verdict().coverage).expect("JSON");
    let expected = json!({"conversations": 1, "turns": 2, "reasoning_issued": 2, "reasoning_carried": 1, "judged": 1,
        "exports_scanned": 1, "audit_records": 1, "reasoning_off": "no"});
    assert_eq!(coverage, expected);
}

#[test]
fn effort_none_is_named() {
    let mut talk = Talk::stateless();
    talk.set("reasoning", json!({"effort": "none"}));
    talk.turn(&[user("a")], &[msg(1, "one")]);
    assert_eq!(
        serde_json::to_value(talk.verdict().coverage).expect("JSON")["reasoning_off"],
        "always"
    );
}

/// A conversation of two turns, as many times as a recording holds it.
fn recorded(times: usize, mut talk: Talk) -> Value {
    let first = json!({"model": "gpt-5.6", "store": false, "input": [user("a")]});
    let second =
        json!({"model": "gpt-5.6", "store": false, "input": [user("a"), rs(1), msg(1, "one"), user("b")]});
    for _ in 0..times {
        for (id, body, output) in [
            ("resp_1", &first, [rs(1), msg(1, "one")]),
            ("resp_2", &second, [rs(2), msg(2, "two")]),
        ] {
            let answer = json!({"id": id, "status": "completed", "output": output});
            talk.exchange(json!({"request": {"body": body}, "response": {"body": answer}}));
        }
    }
    serde_json::to_value(talk.verdict()).expect("JSON")
}

#[test]
fn a_recording_that_holds_an_exchange_twice_is_judged_once_and_says_so() {
    let once = recorded(1, Talk::stateless());
    let twice = recorded(2, Talk::stateless());
    assert_eq!(once["verdict"], "clean");
    assert_eq!(twice["verdict"], "inconclusive");
    assert_eq!(twice["findings"], json!([]));
    assert_eq!(twice["coverage"], once["coverage"]);
    let gaps = twice["inconclusive"].as_array().expect("a list");
    assert_eq!(gaps.len(), 1);
    assert_eq!(gaps[0]["what"], "the recording holds an exchange twice");
    assert_eq!(gaps[0]["exchange"], 3);
}

#[test]
fn a_retry_under_one_idempotency_key_is_no_gap() {
    let mut talk = Talk::stateless();
    talk.header("idempotency-key", "k1");
    assert_eq!(recorded(2, talk)["verdict"], "clean");
}
