//! The JSON bodies of the examples: `04b`, and every error of `15_errors.json` that a fake can say.

mod common;

use common::golden::{message, reply, same_shape};
use common::{body, create, example_json, get, ok, session, session_of, user};
use holdover_fake::{Account, Answer, FakeConfig, Session};
use holdover_profile::WithheldReasoning;
use holdover_wire::{Call, ReplyEnd, ReplyPart};
use serde_json::{Value, json};

#[test]
fn a_tool_turn_is_that_of_example_04b() {
    let example = example_json("04b_function_output_turn.json");
    let call = ReplyPart::Call {
        id: Some("call_SU9Jxpa383nr0ESnM5cSIQYm".to_owned()),
        name: "get_weather".to_owned(),
        arguments: Some(r#"{"city":"Oslo"}"#.to_owned()),
    };
    let mut session = session();
    session.script(vec![reply([call]), reply([message("It snows.")])]);
    let mut request = example["request_body"].clone();
    let mut first = request.clone();
    first["input"] = json!("Weather in Oslo?");
    first
        .as_object_mut()
        .expect("object")
        .shift_remove("previous_response_id");
    let first = ok(&create(&mut session, &first));
    request["previous_response_id"] = first["id"].clone();
    same_shape(&ok(&create(&mut session, &request)), &example["response_body"]);
    request["input"] = json!([user("And in Rome?")]);
    let answer = create(&mut session, &request);
    let missing = &example["error_if_output_missing"];
    assert_eq!(
        (
            json!(answer.plan.status),
            body(&answer)["error"]["message"].clone()
        ),
        (
            missing["status"].clone(),
            json!("No tool output found for function call call_SU9Jxpa383nr0ESnM5cSIQYm.")
        )
    );
    same_shape(&body(&answer), &missing["body"]);
}

/// An answer of a fresh session.
fn asked(request: &Value) -> Answer {
    create(&mut session(), request)
}

fn failing(code: &str) -> Answer {
    let mut session = Session::new(FakeConfig {
        account: Account {
            organisation: "org-example".to_owned(),
            ..Account::default()
        },
        ..FakeConfig::default()
    });
    let end = ReplyEnd::Failed {
        code: code.to_owned(),
        message: None,
    };
    session.script(vec![reply([ReplyPart::End(end)])]);
    create(&mut session, &json!({"model": "gpt-5.6-sol", "input": "x"}))
}

fn without_key() -> Answer {
    let mut call = Call::post("/v1/responses", json!({"model": "gpt-5.6", "input": "x"}));
    call.headers.clear();
    session().handle(&call)
}

#[test]
fn errors_are_those_of_example_15() {
    let named = json!([{"type": "reasoning", "id": "rs_abc", "summary": []}, {"role": "assistant", "content": "x"}, user("y")]);
    let bad = json!([user("x"), {"type": "reasoning", "summary": [], "encrypted_content": "gAAAAABq_Yb5Q=="}, {"role": "assistant", "content": "x"}, user("y")]);
    let answers = [
        (
            "unknown_model",
            asked(&json!({"model": "gpt-5.2-proo", "input": "x"})),
        ),
        (
            "below_minimum",
            asked(&json!({"model": "gpt-4.1", "input": "x", "temperature": -1})),
        ),
        (
            "unsupported_parameter",
            asked(&json!({"model": "gpt-5.6", "input": "x", "temperature": 1})),
        ),
        (
            "previous_response_not_found",
            asked(&json!({"model": "gpt-5.6", "input": "x", "previous_response_id": "resp_abc"})),
        ),
        (
            "item_not_persisted",
            asked(&json!({"model": "gpt-5.6", "store": false, "input": named})),
        ),
        (
            "bad_encrypted_content",
            asked(&json!({"model": "gpt-5.6", "store": false, "input": bad})),
        ),
        (
            "get_unknown_response",
            get(&mut session(), "/v1/responses/resp_abc"),
        ),
        (
            "unknown_parameter",
            asked(&json!({"model": "gpt-5.6", "input": "x", "foo": 1})),
        ),
        ("no_key", without_key()),
        ("rate_limit", failing("rate_limit_exceeded")),
        ("quota", failing("insufficient_quota")),
    ];
    let example = example_json("15_errors.json");
    for (name, answer) in answers {
        let expected = &example[name];
        assert_eq!(
            (&json!(answer.plan.status), &body(&answer)),
            (&expected["status"], &expected["body"]),
            "{name}"
        );
    }
}

#[test]
fn a_rate_limit_says_when_to_come_back() {
    let expected = &example_json("15_errors.json")["rate_limit"]["headers"];
    let answer = failing("rate_limit_exceeded");
    for name in ["retry-after", "retry-after-ms"] {
        assert_eq!(answer.plan.header(name), expected[name].as_str(), "{name}");
    }
}

#[test]
fn reasoning_that_may_not_be_used_is_taken_out_where_a_profile_says_so() {
    let ask =
        json!({"model": "gpt-5.6", "store": false, "include": ["reasoning.encrypted_content"], "input": "x"});
    let foreign = common::items(&create(
        &mut Session::new(FakeConfig {
            account: Account {
                organisation: "org-other".to_owned(),
                ..Account::default()
            },
            ..FakeConfig::default()
        }),
        &ask,
    ));
    let mut profile = FakeConfig::default().profile;
    profile.switches.withheld_reasoning = WithheldReasoning::Report;
    let mut session = Session::new(FakeConfig {
        profile,
        ..FakeConfig::default()
    });
    let replay =
        json!({"model": "gpt-5.6", "store": false, "input": [user("x"), foreign[0], foreign[1], user("y")]});
    let answer = create(&mut session, &replay);
    let expected = json!([{"id": foreign[0]["id"], "type": "reasoning", "action": "removed", "reason": "organization_mismatch"}]);
    assert_eq!(ok(&answer)["input_transformations"], expected);
    assert_eq!(answer.carried.prior_protected, 0);
    assert_eq!(create(&mut session_of("openai"), &replay).plan.status, 400);
    assert_eq!(ok(&asked(&ask)).get("input_transformations"), None);
}
