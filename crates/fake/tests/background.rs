//! Background runs: polling, streams that are resumed, cancelling (`tests/facts/streaming.md` section 9,
//! `tests/facts/endpoints.md`, GET / cancel / delete rules, `tests/facts/errors.md` E22).

mod common;

use common::golden::{message, numbers_from, reply, same_stream};
use common::{create, delete, events, example_events, get, ok, post, refused, session, session_of};
use holdover_fake::{FakeConfig, Session};
use holdover_profile::Org;
use holdover_wire::{Call, ReplyEnd, ReplyPart};
use serde_json::{Value, json};

fn request() -> Value {
    json!({"model": "gpt-5.6-sol", "input": "Report.", "background": true})
}

fn start(session: &mut Session) -> (Value, String) {
    let queued = ok(&create(session, &request()));
    let path = format!("/v1/responses/{}", queued["id"].as_str().expect("an id"));
    (queued, path)
}

#[test]
fn each_poll_finds_a_run_one_step_further() {
    let mut session = session();
    session.script(vec![reply([message("Report: all good.")])]);
    let (queued, path) = start(&mut session);
    let mut seen = vec![queued];
    for _ in 0..3 {
        seen.push(ok(&get(&mut session, &path)));
    }
    let statuses: Vec<&Value> = seen.iter().map(|response| &response["status"]).collect();
    assert_eq!(statuses, ["queued", "in_progress", "completed", "completed"]);
    for response in &seen[..2] {
        assert_eq!(
            (&response["output"], &response["usage"]),
            (&json!([]), &Value::Null)
        );
        assert_eq!(
            (&response["completed_at"], &response["service_tier"]),
            (&Value::Null, &json!("auto"))
        );
        assert_eq!(
            (&response["background"], response.get("billing")),
            (&json!(true), None)
        );
    }
    assert_eq!(seen[2]["output"][0]["content"][0]["text"], "Report: all good.");
    assert_eq!(seen[2]["id"], seen[0]["id"]);
    assert_eq!(seen[2]["service_tier"], "default");
    assert_eq!(seen[2], seen[3]);
}

#[test]
fn a_failed_run_is_polled_as_failed() {
    let mut session = session();
    let end = ReplyPart::End(ReplyEnd::Failed {
        code: "server_error".to_owned(),
        message: Some("No.".to_owned()),
    });
    session.script(vec![reply([end])]);
    let (_, path) = start(&mut session);
    get(&mut session, &path);
    let failed = ok(&get(&mut session, &path));
    assert_eq!(failed["status"], "failed");
    assert_eq!(failed["error"], json!({"code": "server_error", "message": "No."}));
}

/// A background stream, and the path of its response.
fn stream(session: &mut Session) -> (Vec<Value>, String) {
    session.script(vec![reply([message("Report: all good.")])]);
    let mut body = request();
    body["stream"] = json!(true);
    let stream = events(&create(session, &body));
    let id = stream[0]["response"]["id"].as_str().expect("an id");
    let path = format!("/v1/responses/{id}");
    (stream, path)
}

#[test]
fn a_background_stream_and_its_rest_are_those_of_example_11() {
    let mut session = session();
    let (actual, path) = stream(&mut session);
    same_stream(&actual, &example_events("11_background_stream.sse"));
    numbers_from(&actual, 0);
    let rest = events(&get(
        &mut session,
        &format!("{path}?stream=true&starting_after=5"),
    ));
    same_stream(&rest, &example_events("11b_resume_starting_after_5.sse"));
    assert_eq!(rest, actual[6..]);
    let from_one = events(&get(
        &mut session,
        &format!("{path}?stream=true&starting_after=0"),
    ));
    assert_eq!(from_one, actual[1..]);
    assert_eq!(events(&get(&mut session, &format!("{path}?stream=true"))), actual);
    assert_eq!(
        events(&get(
            &mut session,
            &format!("{path}?stream=true&starting_after=99")
        )),
        Vec::<Value>::new()
    );
    assert_eq!(ok(&get(&mut session, &path))["status"], "completed");
}

#[test]
fn a_run_goes_on_when_its_stream_is_dropped() {
    let mut session = session();
    let mut body = request();
    body["stream"] = json!(true);
    let call = Call::post("/v1/responses", body);
    let prepared = session.begin(&call);
    let mut answer = prepared.answer(&call);
    // The client goes away after the first bytes: only what belongs before them is kept.
    session.commit_early(&mut answer.writes);
    let sent = events(&answer);
    let id = sent[0]["response"]["id"].as_str().expect("an id");
    let path = format!("/v1/responses/{id}");
    assert_eq!(ok(&get(&mut session, &path))["status"], "in_progress");
    let rest = events(&get(
        &mut session,
        &format!("{path}?stream=true&starting_after=3"),
    ));
    assert_eq!(rest, sent[4..]);
    assert_eq!(ok(&get(&mut session, &path))["status"], "completed");
}

#[test]
fn what_cannot_be_streamed_says_why() {
    let mut session = session();
    let plain = ok(&create(&mut session, &json!({"model": "gpt-5.6", "input": "x"})));
    let path = format!(
        "/v1/responses/{}?stream=true",
        plain["id"].as_str().expect("an id")
    );
    refused(
        &get(&mut session, &path),
        400,
        "This response cannot be streamed because it was not created with background=true.",
        None,
        None,
    );
    let (_, path) = start(&mut session);
    let answer = get(&mut session, &format!("{path}?stream=true"));
    assert_eq!(answer.plan.status, 400);
    let answer = get(&mut session, "/v1/responses/resp_A?stream=true");
    refused(&answer, 404, "Response with id 'resp_A' not found.", None, None);
}

fn cancel(session: &mut Session, path: &str) -> holdover_fake::Answer {
    let path = format!("{path}/cancel");
    post(session, &path, json!({}))
}

#[test]
fn a_run_is_cancelled_once_and_stays_so() {
    for polls in [0, 1] {
        let mut session = session();
        let (_, path) = start(&mut session);
        for _ in 0..polls {
            get(&mut session, &path);
        }
        let cancelled = ok(&cancel(&mut session, &path));
        assert_eq!(cancelled["status"], "cancelled");
        assert_eq!(
            (&cancelled["usage"], &cancelled["completed_at"]),
            (&Value::Null, &Value::Null)
        );
        assert_eq!(ok(&cancel(&mut session, &path)), cancelled);
        assert_eq!(ok(&get(&mut session, &path)), cancelled);
        // A run that had begun keeps its message, of which no word was written.
        let last = cancelled["output"].as_array().expect("output").last().cloned();
        let message = last.map(|item| {
            (
                item["type"].clone(),
                item["status"].clone(),
                item["content"].clone(),
            )
        });
        let expected = (json!("message"), json!("in_progress"), json!([]));
        assert_eq!(message, (polls == 1).then_some(expected));
    }
}

#[test]
fn the_stream_of_a_cancelled_run_just_ends() {
    let mut session = session();
    let mut body = request();
    body["stream"] = json!(true);
    let call = Call::post("/v1/responses", body);
    let mut answer = session.begin(&call).answer(&call);
    session.commit_early(&mut answer.writes);
    let id = events(&answer)[0]["response"]["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let path = format!("/v1/responses/{id}");
    assert_eq!(ok(&cancel(&mut session, &path))["status"], "cancelled");
    let rest = events(&get(&mut session, &format!("{path}?stream=true")));
    assert_eq!(common::golden::names(&rest), ["created", "queued", "in_progress"]);
}

#[test]
fn what_is_over_or_synchronous_cannot_be_cancelled() {
    let mut session = session();
    let plain = ok(&create(&mut session, &json!({"model": "gpt-5.6", "input": "x"})));
    let path = format!("/v1/responses/{}", plain["id"].as_str().expect("an id"));
    let expected = &common::example_json("15_errors.json")["cancel_foreground"]["body"];
    let answer = cancel(&mut session, &path);
    assert_eq!((answer.plan.status, &common::body(&answer)), (400, expected));
    for (profile, status) in [("openai", 200), ("azure", 400)] {
        let mut session = session_of(profile);
        let (_, path) = start(&mut session);
        get(&mut session, &path);
        get(&mut session, &path);
        assert_eq!(cancel(&mut session, &path).plan.status, status, "{profile}");
        if status == 400 {
            let message = "Cannot cancel a completed response.";
            refused(&cancel(&mut session, &path), 400, message, None, None);
        }
    }
}

#[test]
fn whether_a_run_under_way_can_be_deleted_is_a_switch() {
    let mut session = session();
    let (_, path) = start(&mut session);
    assert_eq!(ok(&delete(&mut session, &path))["deleted"], true);
    let mut session = session_of("azure");
    let (_, path) = start(&mut session);
    let message = "Cannot delete an in-flight response.";
    refused(&delete(&mut session, &path), 400, message, None, None);
}

#[test]
fn e22_a_background_run_must_be_stored() {
    let message = "Background mode requires 'store' to be true.";
    let mut body = request();
    body["store"] = json!(false);
    let code = Some("background_requires_store");
    refused(
        &create(&mut session(), &body),
        400,
        message,
        Some("background"),
        code,
    );
    let mut zdr = Session::new(FakeConfig {
        org: Org::Zdr,
        ..FakeConfig::default()
    });
    refused(
        &create(&mut zdr, &request()),
        400,
        message,
        Some("background"),
        code,
    );
}
