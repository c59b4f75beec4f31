//! Several accounts in one session: each refuses what belongs to the others; keys of one account see the same.

mod common;

use common::{body, items, ok, user};
use holdover_fake::{Account, Answer, FakeConfig, OtherAccount, Session};
use holdover_wire::Call;
use serde_json::{Value, json};

fn account(name: &str, region: &str, keys: &[&str]) -> OtherAccount {
    OtherAccount {
        account: Account {
            name: name.to_owned(),
            organisation: format!("org-{name}"),
            project: format!("proj_{name}"),
            region: region.to_owned(),
        },
        keys: keys.iter().map(|key| (*key).to_owned()).collect(),
    }
}

fn session() -> Session {
    let others = vec![
        account("b", "us", &["sk-b1", "sk-b2"]),
        account("c", "eu", &["sk-c"]),
    ];
    Session::new(FakeConfig {
        others,
        ..FakeConfig::default()
    })
}

fn by(key: &str, mut call: Call) -> Call {
    call.headers = vec![("authorization".to_owned(), format!("Bearer {key}"))];
    call
}

fn create(session: &mut Session, key: &str, request: &Value) -> Answer {
    session.handle(&by(key, Call::post("/v1/responses", request.clone())))
}

fn message(answer: &Answer) -> String {
    body(answer)["error"]["message"]
        .as_str()
        .expect("a message")
        .to_owned()
}

#[test]
fn responses_and_conversations_belong_to_one_account() {
    let mut session = session();
    let first = ok(&create(
        &mut session,
        "sk-a",
        &json!({"model": "gpt-5.6", "input": "x"}),
    ));
    let id = first["id"].as_str().expect("an id");
    let next = json!({"model": "gpt-5.6", "previous_response_id": id, "input": "y"});
    let answer = create(&mut session, "sk-b1", &next);
    assert_eq!(
        message(&answer),
        format!("Previous response with id '{id}' not found.")
    );
    ok(&create(&mut session, "sk-a", &next));
    let conversation = ok(&session.handle(&by("sk-b1", Call::post("/v1/conversations", json!({})))));
    let inside = json!({"model": "gpt-5.6", "conversation": conversation["id"], "input": "y"});
    assert_eq!(create(&mut session, "sk-c", &inside).plan.status, 404);
    // Another key of the account that owns it.
    ok(&create(&mut session, "sk-b2", &inside));
}

#[test]
fn tokens_and_items_belong_to_one_account() {
    let mut session = session();
    let first = json!({"model": "gpt-5.6", "include": ["reasoning.encrypted_content"], "input": "x"});
    let out = items(&create(&mut session, "sk-b1", &first));
    let replay = json!({"model": "gpt-5.6", "store": false, "input": [user("x"), out[0], out[1], user("y")]});
    let answer = create(&mut session, "sk-b2", &replay);
    ok(&answer);
    assert_eq!(answer.carried.prior_protected, 1);
    for (key, reason) in [
        (
            "sk-a",
            "Encrypted content organization_id did not match the target organization.",
        ),
        ("sk-c", "Encrypted content could not be decrypted or parsed."),
    ] {
        let answer = create(&mut session, key, &replay);
        assert!(message(&answer).ends_with(reason), "{key}: {}", message(&answer));
    }
    let named = json!({"model": "gpt-5.6", "input": [{"type": "item_reference", "id": out[0]["id"]}, {"type": "item_reference", "id": out[1]["id"]}, user("y")]});
    assert_eq!(create(&mut session, "sk-a", &named).plan.status, 404);
    assert_eq!(create(&mut session, "sk-b1", &named).plan.status, 200);
}

#[test]
fn the_organisation_header_chooses_where_no_key_does() {
    let mut session = session();
    let mut call = by(
        "sk-anything",
        Call::post("/v1/responses", json!({"model": "gpt-5.6", "input": "x"})),
    );
    call.headers
        .push(("openai-organization".to_owned(), "org-c".to_owned()));
    let answer = session.handle(&call);
    assert_eq!(answer.plan.header("openai-organization"), Some("org-c"));
    assert_eq!(answer.plan.header("openai-project"), Some("proj_c"));
}

#[test]
fn two_accounts_that_ask_the_same_get_different_ids_in_any_order() {
    let ask = json!({"model": "gpt-5.6", "input": "x"});
    let run = |keys: [&str; 2]| {
        let mut session = session();
        let mut ids: Vec<(String, Value)> = keys
            .iter()
            .map(|key| {
                (
                    (*key).to_owned(),
                    ok(&create(&mut session, key, &ask))["id"].clone(),
                )
            })
            .collect();
        ids.sort_by(|left, right| left.0.cmp(&right.0));
        ids
    };
    let ids = run(["sk-a", "sk-b1"]);
    assert_ne!(ids[0].1, ids[1].1);
    assert_eq!(ids, run(["sk-b1", "sk-a"]));
}
