//! E12 to E14 and the three tokens of an item.

mod common;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE;
use common::{bytes, create, events, items, ok, refused, session, session_of, text, user, without};
use holdover_fake::{Account, Answer, FakeConfig, IdShape, Session, TokenShape};
use holdover_profile::{Models, PartialToken, Profile};
use serde_json::{Value, json};

fn request(input: &[Value]) -> Value {
    json!({"model": "gpt-5.6", "store": false, "include": ["reasoning.encrypted_content"], "input": input})
}

/// The reasoning item as it is in `added`, in `done` and in the terminal object, and the message.
fn three_tokens(session: &mut Session) -> ([Value; 3], Value) {
    let mut body = request(&[user("Think.")]);
    body["stream"] = json!(true);
    let events = events(&create(session, &body));
    let of = |name: &str, index: u64| {
        let found = events
            .iter()
            .find(|event| event["type"] == name && event["output_index"] == index);
        found.expect("an event")["item"].clone()
    };
    let terminal = events.last().expect("a terminal event")["response"]["output"][0].clone();
    let three = [
        of("response.output_item.added", 0),
        of("response.output_item.done", 0),
        terminal,
    ];
    (three, of("response.output_item.done", 1))
}

fn token(item: &Value) -> &str {
    item["encrypted_content"].as_str().expect("a token")
}

fn replay(session: &mut Session, reasoning: &Value, message: &Value) -> Answer {
    create(
        session,
        &request(&[user("Think."), reasoning.clone(), message.clone(), user("Again.")]),
    )
}

fn not_verified(answer: &Answer, id: &Value, reason: &str) {
    let id = id.as_str().expect("an id");
    let message = format!("The encrypted content for item {id} could not be verified. Reason: {reason}");
    refused(answer, 400, &message, None, Some("invalid_encrypted_content"));
}

const UNREADABLE: &str = "Encrypted content could not be decrypted or parsed.";

#[test]
fn an_item_has_three_tokens_and_the_first_is_short() {
    let ([added, done, terminal], _) = three_tokens(&mut session());
    assert!(token(&added).len() < token(&done).len());
    assert_eq!(token(&done).len(), token(&terminal).len());
    assert_ne!(token(&done), token(&terminal));
    for item in [&added, &done, &terminal] {
        let bytes = URL_SAFE.decode(token(item)).expect("base64url");
        assert_eq!((bytes.len() - 57) % 16, 0);
        assert!(token(item).starts_with("gAAAAAB"));
        assert_eq!(item["id"], done["id"]);
    }
    // Apart from the token both items are the same.
    assert_eq!(
        without(&done, "encrypted_content"),
        without(&terminal, "encrypted_content")
    );
}

#[test]
fn the_done_and_the_terminal_token_lead_to_the_same_bytes() {
    let answers = [1, 2].map(|stage| {
        let mut session = session();
        let (three, message) = three_tokens(&mut session);
        let answer = replay(&mut session, &three[stage], &message);
        ok(&answer);
        assert_eq!(answer.carried.prior_protected, 1);
        bytes(&answer)
    });
    assert_eq!(answers[0], answers[1]);
}

#[test]
fn the_partial_token_is_refused_unless_the_profile_takes_it() {
    let mut session = session();
    let ([added, done, _], message) = three_tokens(&mut session);
    let mut half = done.clone();
    half["encrypted_content"] = added["encrypted_content"].clone();
    not_verified(&replay(&mut session, &half, &message), &done["id"], UNREADABLE);
    let mut profile = Profile::openai();
    profile.switches.partial_token = PartialToken::Accept;
    let mut lenient = Session::new(FakeConfig {
        profile,
        ..FakeConfig::default()
    });
    ok(&replay(&mut lenient, &half, &message));
}

#[test]
fn altered_and_invented_tokens_are_refused() {
    let mut session = session();
    let ([_, done, _], message) = three_tokens(&mut session);
    let whole = token(&done).to_owned();
    let altered = [
        whole[..255].to_owned(),
        whole[..whole.len() - 4].to_owned(),
        whole.replace('-', "+").replace('_', "/"),
        format!("\"{whole}\""),
        "a summary in plain text".to_owned(),
    ];
    for token in altered {
        if token == whole {
            continue;
        }
        let mut item = done.clone();
        item["encrypted_content"] = token.into();
        not_verified(&replay(&mut session, &item, &message), &done["id"], UNREADABLE);
    }
    // Without an id the message shows the ends of the token.
    let idless = json!({"type": "reasoning", "summary": [], "encrypted_content": "gAAAAABq_Yb5Q=="});
    let expected = format!("The encrypted content gAAA...5Q== could not be verified. Reason: {UNREADABLE}");
    refused(
        &replay(&mut session, &idless, &message),
        400,
        &expected,
        None,
        Some("invalid_encrypted_content"),
    );
}

#[test]
fn another_account_item_or_region_is_refused_with_its_reason() {
    let mut own = session();
    let ([_, done, _], message) = three_tokens(&mut own);
    let with = |account: Account| {
        Session::new(FakeConfig {
            account,
            ..FakeConfig::default()
        })
    };
    let mut other = with(Account {
        organisation: "org-other".to_owned(),
        ..Account::default()
    });
    let reason = "Encrypted content organization_id did not match the target organization.";
    not_verified(&replay(&mut other, &done, &message), &done["id"], reason);
    let mut far = with(Account {
        region: "eu".to_owned(),
        ..Account::default()
    });
    not_verified(&replay(&mut far, &done, &message), &done["id"], UNREADABLE);
    let mut renamed = done.clone();
    renamed["id"] = json!("rs_another");
    let reason = "Encrypted content item_id did not match the target item id.";
    not_verified(&replay(&mut own, &renamed, &message), &renamed["id"], reason);
    // Another session of the same account, as another process would be, reads it.
    ok(&replay(&mut session(), &done, &message));
}

#[test]
fn another_model_family_is_accepted_but_not_shown_unless_the_profile_refuses() {
    let mut session = session();
    let ([_, done, _], message) = three_tokens(&mut session);
    let mut body = request(&[
        user("Think."),
        done.clone(),
        message.clone(),
        user("holdover:recall"),
    ]);
    body["model"] = json!("gpt-5");
    let answer = create(&mut session, &body);
    assert_eq!(text(&answer), "unknown");
    assert_eq!(answer.plan.header("x-holdover-note"), Some("cross-model-token"));
    assert_eq!((answer.carried.prior_protected, answer.carried.rendered), (1, 0));
    let mut strict = session_of("openai-strict");
    not_verified(&create(&mut strict, &body), &done["id"], UNREADABLE);
}

#[test]
fn foundry_needs_the_id() {
    let mut session = session_of("foundry-project");
    let ([_, done, _], message) = three_tokens(&mut session);
    ok(&replay(&mut session, &done, &message));
    let answer = replay(&mut session, &without(&done, "id"), &message);
    assert_eq!(
        (answer.plan.status, common::body(&answer)["error"]["code"].clone()),
        (400, json!("invalid_payload"))
    );
}

#[test]
fn tokens_appear_as_the_profile_says() {
    let shown = |profile: &str, store: bool, include: &Value| {
        let body = json!({"model": "gpt-5.6", "store": store, "include": include, "input": "x"});
        let answer = create(&mut session_of(profile), &body);
        items(&answer)[0].get("encrypted_content").is_some()
    };
    let asked = json!(["reasoning.encrypted_content"]);
    assert!(shown("openai", true, &asked) && shown("openai", false, &asked));
    assert!(!shown("openai", false, &Value::Null) && !shown("openai", true, &Value::Null));
    assert!(shown("azure", false, &Value::Null) && !shown("azure", true, &Value::Null));
}

#[test]
fn e14_and_e05_a_model_that_does_not_reason() {
    let mut session = session();
    let ([_, done, _], message) = three_tokens(&mut session);
    let body = json!({"model": "gpt-4.1", "include": ["reasoning.encrypted_content"], "input": "x"});
    refused(
        &create(&mut session, &body),
        400,
        "Encrypted content is not supported with this model.",
        Some("include"),
        None,
    );
    let body = json!({"model": "gpt-4.1", "store": false, "input": [user("x"), done, message, user("y")]});
    let e05 = "Reasoning input items can only be provided to a reasoning or computer use model. Remove reasoning items from your input and try again.";
    refused(&create(&mut session, &body), 400, e05, Some("input"), None);
    let first = ok(&create(&mut session, &json!({"model": "gpt-5.6", "input": "x"})));
    let body = json!({"model": "gpt-4.1", "previous_response_id": first["id"], "input": "y"});
    refused(&create(&mut session, &body), 400, e05, Some("input"), None);
    ok(&create(&mut session, &json!({"model": "gpt-4.1", "input": "x"})));
}

#[test]
fn tenant_ids_and_enc_tokens_are_replayed_like_others() {
    let mut session = Session::new(FakeConfig {
        id_shape: IdShape::Tenant,
        token_shape: TokenShape::Enc,
        ..FakeConfig::default()
    });
    let ([_, done, _], message) = three_tokens(&mut session);
    assert!(
        done["id"]
            .as_str()
            .is_some_and(|id| id.starts_with("rs_tenantA_trace_"))
    );
    assert!(token(&done).starts_with("enc_"));
    let answer = replay(&mut session, &done, &message);
    ok(&answer);
    assert_eq!(answer.carried.prior_protected, 1);
}

#[test]
fn unknown_models_and_added_ones() {
    let answer = create(&mut session(), &json!({"model": "gpt-5.2-proo", "input": "x"}));
    refused(
        &answer,
        400,
        "The requested model 'gpt-5.2-proo' does not exist.",
        Some("model"),
        Some("model_not_found"),
    );
    let mut models = Models::builtin();
    models.set("mine", holdover_profile::ModelKind::Reasoning);
    let mut session = Session::new(FakeConfig {
        models,
        ..FakeConfig::default()
    });
    assert_eq!(
        items(&create(&mut session, &json!({"model": "mine", "input": "x"})))[0]["type"],
        "reasoning"
    );
}
