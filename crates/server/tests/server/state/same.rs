//! The same requests get the same bytes in each store.

use serde_json::{Value, json};

use super::Place;
use crate::support::{Client, Running};

/// One walk through everything that is kept: chains with a fork, a conversation that is changed and deleted from,
/// background runs, item types that were issued, the prompt cache, the script, input items, compaction.
async fn walk(place: &Place) -> Vec<(u16, Value)> {
    let server = Running::start(place.config()).await;
    let mut client = server.client().await;
    let setup = json!({"world": "w", "replies": [
        ["reasoning", {"message": "one"}],
        [{"item": {"type": "future_call", "name": "x"}}, {"message": "two"}],
        ["reasoning", {"message": "three"}],
    ]});
    let path = "/_holdover/sessions/s";
    let opened = client.send("PUT", path, &[], setup.to_string().as_bytes()).await;
    assert_eq!(opened.status, 201, "{}", opened.text());
    let mut walk = Walk {
        client,
        seen: Vec::new(),
    };
    walk.chain().await;
    walk.conversation().await;
    walk.background().await;
    server.stop().await;
    walk.seen
}

struct Walk {
    client: Client,
    seen: Vec<(u16, Value)>,
}

impl Walk {
    async fn call(&mut self, method: &str, path: &str, body: Value) -> Value {
        let bytes = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let path = format!("/s/s/v1/{path}");
        let answer = self
            .client
            .send(method, &path, &crate::support::KEY, bytes.as_bytes())
            .await;
        let value = answer.json();
        self.seen.push((answer.status, value.clone()));
        value
    }

    async fn create(&mut self, more: Value) -> Value {
        let mut body = json!({"model": "gpt-5.6", "instructions": "Be brief. ".repeat(800)});
        for (name, value) in more.as_object().expect("members") {
            body[name] = value.clone();
        }
        self.call("POST", "responses", body).await
    }

    async fn chain(&mut self) {
        let first = self.create(json!({"input": "a"})).await;
        let refused = self
            .create(json!({"input": "b", "previous_response_id": "resp_0"}))
            .await;
        assert!(refused["error"].is_object());
        let second = self
            .create(json!({"input": "b", "previous_response_id": first["id"]}))
            .await;
        let issued = second["output"][0].clone();
        assert_eq!(issued["type"], "future_call", "{second}");
        self.create(json!({"input": [{"role": "user", "content": "c"}, issued]}))
            .await;
        // A fork, and the same once more: other ids.
        for _ in 0..2 {
            self.create(json!({"input": "holdover:recall", "previous_response_id": first["id"]}))
                .await;
        }
        let path = format!("responses/{}", second["id"].as_str().expect("an id"));
        self.call(
            "GET",
            &format!("{path}?include[]=reasoning.encrypted_content"),
            Value::Null,
        )
        .await;
        self.call("GET", &format!("{path}/input_items"), Value::Null)
            .await;
        let compact = json!({"model": "gpt-5.6", "previous_response_id": second["id"]});
        self.call("POST", "responses/compact", compact).await;
        self.call("DELETE", &path, Value::Null).await;
        self.call("GET", &path, Value::Null).await;
    }

    async fn conversation(&mut self) {
        let made = self
            .call("POST", "conversations", json!({"metadata": {"a": "1"}}))
            .await;
        let path = format!("conversations/{}", made["id"].as_str().expect("an id"));
        self.create(json!({"conversation": made["id"], "input": "hello"}))
            .await;
        self.create(json!({"conversation": made["id"], "input": "holdover:recall"}))
            .await;
        self.call("POST", &path, json!({"metadata": {"b": "2"}})).await;
        let list = self
            .call("GET", &format!("{path}/items?order=asc"), Value::Null)
            .await;
        let newest = list["data"]
            .as_array()
            .and_then(|data| data.last())
            .expect("an item");
        let item = format!("{path}/items/{}", newest["id"].as_str().expect("an id"));
        self.call("DELETE", &item, Value::Null).await;
        self.call("GET", &item, Value::Null).await;
        let items = json!({"items": [{"type": "message", "role": "user", "content": "more"}]});
        self.call("POST", &format!("{path}/items"), items).await;
        self.call("GET", &format!("{path}/items?order=asc"), Value::Null)
            .await;
        self.call("DELETE", &path, Value::Null).await;
        self.call("GET", &path, Value::Null).await;
    }

    async fn background(&mut self) {
        let queued = self.create(json!({"background": true, "input": "long"})).await;
        let path = format!("responses/{}", queued["id"].as_str().expect("an id"));
        for _ in 0..2 {
            self.call("GET", &path, Value::Null).await;
        }
        let queued = self.create(json!({"background": true, "input": "longer"})).await;
        let path = format!("responses/{}", queued["id"].as_str().expect("an id"));
        self.call("POST", &format!("{path}/cancel"), Value::Null).await;
        self.call("GET", &path, Value::Null).await;
    }
}

async fn same(place: Place) {
    let memory = walk(&Place::Memory).await;
    let there = walk(&place).await;
    assert_eq!(there.len(), memory.len());
    for (step, (there, memory)) in there.iter().zip(&memory).enumerate() {
        assert_eq!(there, memory, "step {step}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_answers_as_memory_does() {
    same(Place::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redis_answers_as_memory_does() {
    same(Place::redis()).await;
}
