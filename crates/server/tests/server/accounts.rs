//! Several accounts of one session over the socket: each refuses what belongs to the others (`tests/facts/errors.md` E12,
//! E10, E18), keys of one account see the same.

use serde_json::{Value, json};

use crate::support::{Answer, Client, Running};

const ORGANISATION: &str = "Encrypted content organization_id did not match the target organization.";
const REGION: &str = "Encrypted content could not be decrypted or parsed.";

/// A server with a session of three accounts; `a` has two keys, `c` is in another region.
async fn server() -> (Running, Client) {
    let server = Running::with_defaults().await;
    let mut client = server.client().await;
    let setup = json!({"accounts": [
        {"name": "a", "keys": ["sk-a1", "sk-a2"]},
        {"name": "b", "keys": ["sk-b"]},
        {"name": "c", "region": "eu", "keys": ["sk-c"]},
    ]});
    let path = "/_holdover/sessions/s";
    let opened = client.send("PUT", path, &[], setup.to_string().as_bytes()).await;
    assert_eq!(opened.status, 201, "{}", opened.text());
    (server, client)
}

async fn ask(client: &mut Client, key: &str, method: &str, path: &str, body: &Value) -> Answer {
    let bearer = format!("Bearer {key}");
    let headers = [("authorization", bearer.as_str())];
    let bytes = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    let path = format!("/s/s/v1/{path}");
    client.send(method, &path, &headers, bytes.as_bytes()).await
}

async fn create(client: &mut Client, key: &str, body: &Value) -> Answer {
    ask(client, key, "POST", "responses", body).await
}

#[tokio::test]
async fn responses_belong_to_one_account() {
    let (server, mut client) = server().await;
    let first = create(&mut client, "sk-a1", &json!({"model": "gpt-5.6", "input": "x"})).await;
    let id = first.json()["id"].as_str().expect("an id").to_owned();
    let next = json!({"model": "gpt-5.6", "previous_response_id": id, "input": "y"});
    let path = format!("responses/{id}");
    for key in ["sk-b", "sk-c"] {
        let answer = create(&mut client, key, &next).await;
        assert_eq!(answer.status, 400);
        assert_eq!(
            answer.message(),
            format!("Previous response with id '{id}' not found.")
        );
        for (method, path) in [
            ("GET", path.clone()),
            ("DELETE", path.clone()),
            ("GET", format!("{path}/input_items")),
        ] {
            let answer = ask(&mut client, key, method, &path, &Value::Null).await;
            assert_eq!(answer.status, 404, "{method} {path}");
            assert_eq!(answer.message(), format!("Response with id '{id}' not found."));
        }
    }
    for key in ["sk-a1", "sk-a2"] {
        assert_eq!(create(&mut client, key, &next).await.status, 200);
        assert_eq!(
            ask(&mut client, key, "GET", &path, &Value::Null).await.status,
            200
        );
    }
    server.stop().await;
}

#[tokio::test]
async fn tokens_and_items_belong_to_one_account() {
    let (server, mut client) = server().await;
    let first = json!({"model": "gpt-5.6", "include": ["reasoning.encrypted_content"], "input": "x"});
    let first = create(&mut client, "sk-b", &first).await.json();
    let (reasoning, message) = (&first["output"][0], &first["output"][1]);
    let user = |text: &str| json!({"role": "user", "content": text});
    let replay =
        json!({"model": "gpt-5.6", "store": false, "input": [user("x"), reasoning, message, user("y")]});
    for (key, reason) in [("sk-a1", ORGANISATION), ("sk-c", REGION)] {
        let answer = create(&mut client, key, &replay).await;
        assert_eq!(answer.status, 400);
        assert!(answer.message().ends_with(reason), "{key}: {}", answer.message());
    }
    let answer = create(&mut client, "sk-b", &replay).await;
    assert_eq!(answer.header("x-holdover-prior-protected"), Some("1"));
    let named = |item: &Value| json!({"type": "item_reference", "id": item["id"]});
    let by_name = json!({"model": "gpt-5.6", "input": [named(reasoning), named(message), user("y")]});
    for (key, status) in [("sk-a1", 404), ("sk-a2", 404), ("sk-c", 404), ("sk-b", 200)] {
        assert_eq!(create(&mut client, key, &by_name).await.status, status, "{key}");
    }
    server.stop().await;
}

#[tokio::test]
async fn conversations_and_their_items_belong_to_one_account() {
    let (server, mut client) = server().await;
    let items = json!({"items": [{"type": "message", "role": "user", "content": "hi"}]});
    let made = ask(&mut client, "sk-a1", "POST", "conversations", &items)
        .await
        .json();
    let path = format!("conversations/{}", made["id"].as_str().expect("an id"));
    let turn = json!({"model": "gpt-5.6", "conversation": made["id"], "input": "y"});
    assert_eq!(create(&mut client, "sk-b", &turn).await.status, 404);
    assert_eq!(create(&mut client, "sk-a2", &turn).await.status, 200);
    let list = ask(
        &mut client,
        "sk-a2",
        "GET",
        &format!("{path}/items"),
        &Value::Null,
    )
    .await
    .json();
    let item = format!("{path}/items/{}", list["data"][0]["id"].as_str().expect("an id"));
    for path in [path.clone(), format!("{path}/items"), item] {
        for (key, status) in [("sk-b", 404), ("sk-c", 404), ("sk-a1", 200), ("sk-a2", 200)] {
            let answer = ask(&mut client, key, "GET", &path, &Value::Null).await;
            assert_eq!(answer.status, status, "{key} {path}");
        }
    }
    server.stop().await;
}
