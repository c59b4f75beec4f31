//! The list "what is not a finding" of `docs/architecture.md`: at least one test for each of its bullets, in order.

use serde_json::{Value, json};

use crate::testkit::{Talk, easy, fc, fo, id, kept_rs, msg, rs, token, user, with, without};
use crate::{JudgeConfig, Outcome, Source};

const NONE: [&str; 0] = [];

fn compaction() -> Value {
    json!({"id": id("cmp", "01", 7), "type": "compaction", "encrypted_content": token(7, "done")})
}

#[test]
fn reasoning_older_than_the_last_user_message_is_a_note_under_current_turn_and_an_error_in_a_loop() {
    let mut older = Talk::stateless();
    older.set("reasoning", json!({"context": "current_turn"}));
    older.turn(&[user("a")], &[rs(1), msg(1, "one")]);
    older.turn(&[user("a"), msg(1, "one"), user("b")], &[msg(2, "two")]);
    assert_eq!(older.found(), ["reasoning-dropped:note"]);
    let mut inside = Talk::stateless();
    inside.set("reasoning", json!({"context": "current_turn"}));
    inside.turn(&[user("a")], &[rs(1), fc(1, "call_1")]);
    inside.turn(&[user("a"), fc(1, "call_1"), fo("call_1", "x")], &[msg(2, "two")]);
    assert_eq!(inside.found(), ["reasoning-dropped:error"]);
}

#[test]
fn the_context_that_the_response_echoes_counts() {
    let mut talk = Talk::stateless();
    talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
    let body = json!({"model": "gpt-5.6", "store": false, "input": [user("a"), msg(1, "one"), user("b")]});
    let answer = json!({"id": "resp_2", "status": "completed", "reasoning": {"context": "current_turn"}, "output": []});
    talk.exchange(json!({"request": {"body": body}, "response": {"body": answer}}));
    assert_eq!(talk.found(), ["reasoning-dropped:note"]);
}

#[test]
fn whole_groups_gone_from_the_front_are_a_note() {
    let mut talk = Talk::stateless();
    talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
    talk.turn(
        &[user("a"), rs(1), msg(1, "one"), user("b")],
        &[rs(2), msg(2, "two")],
    );
    talk.turn(&[user("b"), rs(2), msg(2, "two"), user("c")], &[msg(3, "three")]);
    assert_eq!(talk.found(), ["history-absent:note"]);
}

#[test]
fn whole_groups_replaced_by_a_summary_are_a_note() {
    let mut talk = Talk::stateless();
    talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
    talk.turn(
        &[user("a"), rs(1), msg(1, "one"), user("b")],
        &[rs(2), msg(2, "two")],
    );
    let summary = json!({"role": "developer", "content": "So far: a was asked, and one was the answer."});
    talk.turn(
        &[summary, user("b"), rs(2), msg(2, "two"), user("c")],
        &[msg(3, "three")],
    );
    assert_eq!(talk.found(), ["history-absent:note"]);
}

#[test]
fn groups_before_the_newest_compaction_item_are_not_missed() {
    let mut talk = Talk::stateless();
    talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
    talk.turn(
        &[user("a"), rs(1), msg(1, "one"), user("b")],
        &[rs(2), msg(2, "two"), compaction()],
    );
    talk.turn(&[compaction(), user("c")], &[rs(3), msg(3, "three")]);
    talk.turn(
        &[compaction(), user("c"), rs(3), msg(3, "three"), user("d")],
        &[msg(4, "four")],
    );
    assert_eq!(talk.found(), NONE);
}

#[test]
fn the_output_of_compact_starts_a_new_chain() {
    let mut talk = Talk::stateless();
    talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
    let kept = json!({"id": id("msg", "01", 8), "type": "message", "role": "user", "status": "completed",
        "content": [{"type": "input_text", "text": "a"}]});
    let body = json!({"model": "gpt-5.6", "input": [user("a"), rs(1), msg(1, "one")]});
    let answer =
        json!({"id": id("resp", "01", 50), "object": "response.compaction", "output": [kept, compaction()]});
    talk.exchange(
        json!({"request": {"path": "/v1/responses/compact", "body": body}, "response": {"body": answer}}),
    );
    talk.turn(&[kept, compaction(), user("b")], &[rs(2), msg(2, "two")]);
    let verdict = talk.verdict();
    assert_eq!(verdict.findings, []);
    assert_eq!((verdict.coverage.conversations, verdict.coverage.turns), (1, 2));
}

#[test]
fn a_follower_that_is_kept_without_its_reasoning_is_a_finding_all_the_same() {
    let mut talk = Talk::stateless();
    talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
    talk.turn(
        &[user("a"), rs(1), msg(1, "one"), user("b")],
        &[rs(2), msg(2, "two")],
    );
    talk.turn(
        &[msg(1, "one"), user("b"), rs(2), msg(2, "two"), user("c")],
        &[msg(3, "three")],
    );
    assert_eq!(talk.found(), ["orphan-follower:error"]);
}

#[test]
fn a_new_conversation_is_one() {
    let mut talk = Talk::stateless();
    talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
    talk.turn(&[user("something else")], &[rs(2), msg(2, "two")]);
    let verdict = talk.verdict();
    assert_eq!(verdict.findings, []);
    assert_eq!(verdict.coverage.conversations, 2);
}

#[test]
fn a_reset_record_explains_a_history_that_is_gone() {
    let mut talk = Talk::stateless();
    talk.set("metadata", json!({"thread_id": "t1"}));
    talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
    talk.turn(&[user("b")], &[msg(2, "two")]);
    talk.audit(json!({"reasoning_item_id_policy": "none", "ids_present": true, "reset": {"old_session": "t1", "reason": "provider"}}));
    assert_eq!(talk.found(), NONE);
}

#[test]
fn a_title_with_issued_text_in_a_user_message_is_a_side_call() {
    let mut talk = Talk::stateless();
    talk.set("instructions", "You plan migrations and answer briefly.");
    talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
    talk.set("instructions", "Write a title.");
    talk.turn(&[user("user: a\nassistant: one")], &[msg(9, "A and one")]);
    talk.set("instructions", "You plan migrations and answer briefly.");
    talk.turn(&[user("a"), rs(1), msg(1, "one"), user("b")], &[msg(2, "two")]);
    assert_eq!(talk.found(), NONE);
}

#[test]
fn a_grader_with_issued_text_in_an_assistant_message_is_a_side_call_while_nobody_goes_on_from_it() {
    let grade = [user("a"), easy("one"), user("Was that right?")];
    let mut aside = Talk::stateless();
    aside.set("instructions", "You plan migrations and answer briefly.");
    aside.turn(&[user("a")], &[rs(1), msg(1, "one")]);
    aside.set("instructions", "Grade the answer.");
    aside.turn(&grade, &[msg(9, "yes")]);
    assert_eq!(aside.found(), NONE);
    let mut continued = Talk::stateless();
    continued.set("instructions", "You plan migrations and answer briefly.");
    continued.set("tools", json!([{"type": "function", "name": "lookup"}]));
    continued.turn(&[user("a")], &[rs(1), msg(1, "one")]);
    continued.set("instructions", "Grade the answer.");
    continued.turn(&grade, &[rs(9), msg(9, "yes")]);
    let next = [&grade[..], &[rs(9), msg(9, "yes"), user("Why?")]].concat();
    continued.turn(&next, &[msg(10, "because")]);
    assert_eq!(continued.found(), ["text-only-rebuild:error"]);
}

#[test]
fn a_handoff_under_new_instructions_is_a_note() {
    let mut talk = Talk::stateless();
    talk.set("instructions", "You take orders.");
    talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
    talk.set("instructions", "Refund customers, and be polite to them.");
    talk.turn(&[user("a"), msg(1, "one"), user("b")], &[msg(2, "two")]);
    assert_eq!(talk.found(), ["reasoning-dropped:note"]);
}

#[test]
fn forks_are_clean() {
    let first = [user("a"), rs(1), msg(1, "one")];
    let mut talk = Talk::stateless();
    talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
    // Best of two, a regenerated answer, and an edited message.
    talk.turn(&[&first[..], &[user("b")]].concat(), &[rs(2), msg(2, "two")]);
    talk.turn(&[&first[..], &[user("b")]].concat(), &[rs(3), msg(3, "three")]);
    talk.turn(
        &[&first[..], &[user("b, but better")]].concat(),
        &[rs(4), msg(4, "four")],
    );
    talk.turn(
        &[&first[..], &[user("b"), rs(3), msg(3, "three"), user("c")]].concat(),
        &[msg(5, "five")],
    );
    let verdict = talk.verdict();
    assert_eq!(verdict.findings, []);
    assert_eq!(verdict.coverage.conversations, 1);
}

#[test]
fn health_checks_and_model_lists_are_not_looked_at() {
    let mut talk = Talk::stateless();
    talk.exchange(
        json!({"request": {"method": "GET", "path": "/v1/models"}, "response": {"body": {"data": []}}}),
    );
    talk.exchange(json!({"request": {"method": "GET", "path": "/health"}}));
    let verdict = talk.verdict();
    assert_eq!(verdict.outcome, Outcome::Clean);
    assert_eq!(verdict.coverage.turns, 0);
}

#[test]
fn an_exchange_and_its_retries_are_one() {
    let next = [user("a"), msg(1, "one"), user("b")];
    let mut talk = Talk::stateless();
    talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
    talk.refused(&next, 503, "overloaded", None);
    talk.header("x-stainless-retry-count", "1");
    talk.turn(&next, &[msg(2, "two")]);
    let verdict = talk.verdict();
    assert_eq!(verdict.findings.len(), 1);
    assert_eq!(verdict.coverage.turns, 2);
}

#[test]
fn one_resend_of_a_refused_body_is_not_yet_poison() {
    let mut talk = Talk::stateless();
    talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
    for _ in 0..2 {
        talk.refused(&[user("a"), rs(1), msg(1, "one"), user("b")], 400, "no", None);
    }
    assert_eq!(talk.found(), NONE);
}

#[test]
fn one_drop_after_a_refused_token_or_a_model_switch_is_a_note() {
    let mut refused = Talk::stateless();
    refused.turn(&[user("a")], &[rs(1), msg(1, "one")]);
    let message = "The encrypted content gAAA...abcd could not be verified.";
    refused.refused(
        &[user("a"), rs(1), msg(1, "one"), user("b")],
        400,
        message,
        Some("invalid_encrypted_content"),
    );
    refused.turn(&[user("a"), msg(1, "one"), user("b")], &[rs(2), msg(2, "two")]);
    refused.turn(
        &[
            user("a"),
            msg(1, "one"),
            user("b"),
            rs(2),
            msg(2, "two"),
            user("c"),
        ],
        &[msg(3, "three")],
    );
    assert_eq!(refused.found(), ["reasoning-dropped:note"]);
    let mut switched = Talk::stateless();
    switched.turn(&[user("a")], &[rs(1), msg(1, "one")]);
    switched.set("model", "gpt-4.1");
    switched.turn(&[user("a"), easy("one"), user("b")], &[msg(2, "two")]);
    assert_eq!(switched.found(), ["text-only-rebuild:note"]);
}

#[test]
fn anchors_carry_on_the_server() {
    let mut chain = Talk::stored();
    chain.turn(&[user("a")], &[kept_rs(1), msg(1, "one")]);
    let anchor = chain.response_id(1);
    chain.set("previous_response_id", anchor);
    chain.turn(&[user("b")], &[kept_rs(2), msg(2, "two")]);
    let verdict = chain.verdict();
    assert_eq!(verdict.findings, []);
    assert_eq!(
        (verdict.coverage.judged, verdict.coverage.reasoning_carried),
        (1, 1)
    );
    let mut conversation = Talk::stored();
    conversation.set("conversation", "conv_1");
    conversation.turn(&[user("a")], &[kept_rs(1), msg(1, "one")]);
    conversation.turn(&[user("b")], &[kept_rs(2), msg(2, "two")]);
    assert_eq!(conversation.found(), NONE);
}

#[test]
fn changed_instructions_are_fine_and_absent_ones_are_not() {
    let history = [user("a"), rs(1), msg(1, "one"), user("b")];
    let mut changed = Talk::stateless();
    changed.set("instructions", "Today is Monday. Be kind.");
    changed.turn(&[user("a")], &[rs(1), msg(1, "one")]);
    changed.set("instructions", "Today is Tuesday. Be kind.");
    changed.turn(&history, &[msg(2, "two")]);
    assert_eq!(changed.found(), NONE);
    let mut absent = Talk::stateless();
    absent.set("instructions", "Be kind.");
    absent.turn(&[user("a")], &[rs(1), msg(1, "one")]);
    absent.unset("instructions");
    absent.turn(&history, &[msg(2, "two")]);
    assert_eq!(absent.found(), ["instructions-not-resent:error"]);
}

#[test]
fn response_ids_short_summaries_and_the_apis_own_words_may_be_logged() {
    let summary = "I compare the ways to move the data and take the one that can be undone.";
    let mut talk = Talk::stateless();
    let summed = with(
        &rs(1),
        "summary",
        json!([{"type": "summary_text", "text": summary}]),
    );
    talk.turn(&[user("a")], &[summed, msg(1, "one")]);
    talk.export(
        "app.log",
        &format!("{} effort=low summary={summary}", talk.response_id(1)),
    );
    assert_eq!(talk.found(), NONE);
    let mut error = Talk::stateless();
    error.turn(&[user("a")], &[rs(1), msg(1, "one")]);
    error.export(
        "app.log",
        &format!(
            "Duplicate item found with id {}. Remove duplicate items",
            id("rs", "01", 1)
        ),
    );
    assert_eq!(error.found(), ["id-in-export:note"]);
}

#[test]
fn lossy_sources_prove_nothing_by_absence() {
    let mut talk = Talk::stateless().judged_by(JudgeConfig {
        source: Source::Lossy,
        ..JudgeConfig::default()
    });
    talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
    talk.turn(&[user("a"), msg(1, "one"), user("b")], &[msg(2, "two")]);
    assert_eq!(talk.verdict().outcome, Outcome::Inconclusive);
}

#[test]
fn a_capture_that_starts_in_the_middle_is_inconclusive() {
    let mut talk = Talk::stateless();
    talk.turn(&[user("a"), rs(1), msg(1, "one"), user("b")], &[msg(2, "two")]);
    let verdict = talk.verdict();
    assert_eq!(verdict.outcome, Outcome::Inconclusive);
    assert_eq!(verdict.inconclusive[0].missing, "the exchanges that issued them");
}

#[test]
fn a_response_that_the_capture_lost_is_inconclusive() {
    let mut talk = Talk::stateless();
    talk.exchange(json!({"request": {"body": {"model": "gpt-5.6", "input": "a"}}}));
    let verdict = talk.verdict();
    assert_eq!(verdict.outcome, Outcome::Inconclusive);
    assert_eq!(verdict.inconclusive[0].missing, "its response");
}

#[test]
fn new_members_that_newer_sdks_document_are_a_note() {
    let mut talk = Talk::stateless();
    talk.turn(&[user("a")], &[rs(1), fc(1, "call_1")]);
    let call = with(&fc(1, "call_1"), "caller", json!({"type": "direct"}));
    talk.turn(&[user("a"), rs(1), call, fo("call_1", "x")], &[msg(2, "two")]);
    assert_eq!(talk.found(), ["unknown-field-sent:note"]);
}

#[test]
fn an_id_on_one_half_only_is_a_note_under_store_false() {
    let mut omit = Talk::stateless();
    omit.turn(&[user("a")], &[rs(1), msg(1, "one")]);
    omit.turn(
        &[user("a"), without(&rs(1), "id"), msg(1, "one"), user("b")],
        &[msg(2, "two")],
    );
    omit.audit(json!({"reasoning_item_id_policy": "omit", "ids_present": false}));
    let verdict = omit.verdict();
    assert_eq!(verdict.outcome, Outcome::Clean);
    assert_eq!(verdict.findings[0].rule, "half-stripped-group");
    let mut json_store = Talk::stateless();
    json_store.turn(&[user("a")], &[rs(1), msg(1, "one")]);
    json_store.turn(
        &[user("a"), rs(1), without(&msg(1, "one"), "id"), user("b")],
        &[msg(2, "two")],
    );
    assert_eq!(json_store.verdict().outcome, Outcome::Clean);
}
