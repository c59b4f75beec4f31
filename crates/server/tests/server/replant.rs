//! `PATCH sessions/NAME`: other faults in a session that runs.

use serde_json::{Value, json};

use crate::support::{Answer, Client, Running};

const SESSION: &str = "/_holdover/sessions/s";

async fn patch(client: &mut Client, body: &Value) -> Answer {
    client
        .send("PATCH", SESSION, &[], body.to_string().as_bytes())
        .await
}

async fn turn(client: &mut Client, previous: Option<&str>) -> Answer {
    let body = json!({"model": "gpt-5.6", "input": "x", "previous_response_id": previous});
    client.create("/s/s/v1/responses", &body).await
}

#[tokio::test]
async fn faults_come_and_go_while_the_session_remembers() {
    let server = Running::with_defaults().await;
    let mut client = server.client().await;
    client.send("PUT", SESSION, &[], b"{}").await;
    let first = turn(&mut client, None).await.json();
    let first = first["id"].as_str().expect("an id").to_owned();
    let planted = patch(&mut client, &json!({"faults": ["quota"]})).await;
    assert_eq!(planted.status, 200);
    assert_eq!(
        planted.json()["exchanges"],
        1,
        "the session was not started again"
    );
    assert_eq!(turn(&mut client, Some(&first)).await.status, 429);
    // Others take their place, and turns count from here.
    patch(
        &mut client,
        &json!({"faults": [{"do": "model-gone", "on": {"turn": 2}}]}),
    )
    .await;
    assert_eq!(turn(&mut client, Some(&first)).await.status, 200);
    assert_eq!(turn(&mut client, Some(&first)).await.status, 404);
    patch(&mut client, &json!({"faults": []})).await;
    assert_eq!(turn(&mut client, Some(&first)).await.status, 200);
    server.stop().await;
}

#[tokio::test]
async fn an_answer_ends_under_the_faults_that_it_began_under() {
    let server = Running::with_defaults().await;
    let mut client = server.client().await;
    let slow = json!({"faults": ["first-byte:ms=600"]}).to_string();
    client.send("PUT", SESSION, &[], slow.as_bytes()).await;
    let mut other = server.client().await;
    let began = std::time::Instant::now();
    let change = json!({"faults": []});
    let (answer, changed) = tokio::join!(turn(&mut client, None), async {
        tokio::time::sleep(std::time::Duration::from_millis(150)).await;
        patch(&mut other, &change).await
    });
    assert_eq!((answer.status, changed.status), (200, 200));
    assert!(began.elapsed().as_millis() >= 600);
    server.stop().await;
}

#[tokio::test]
async fn what_is_no_change_is_refused_and_changes_nothing() {
    let server = Running::with_defaults().await;
    let mut client = server.client().await;
    let unknown = patch(&mut client, &json!({"faults": []})).await;
    assert_eq!(unknown.status, 404);
    let setup = json!({"faults": ["quota"]}).to_string();
    client.send("PUT", SESSION, &[], setup.as_bytes()).await;
    for (body, said) in [
        (json!({}), "names the `faults`"),
        (json!([]), "a JSON object with `faults`"),
        (json!({"faults": [], "world": "w"}), "no member `world`"),
        (json!({"faults": ["quoat"]}), "`quota`"),
    ] {
        let refused = patch(&mut client, &body).await;
        assert_eq!(refused.status, 400, "{body}");
        assert!(refused.message().contains(said), "{}", refused.message());
    }
    assert_eq!(turn(&mut client, None).await.status, 429);
    server.stop().await;
}
