//! Many sessions at once: nothing is lost, nothing is mixed.

use std::collections::BTreeSet;
use std::net::SocketAddr;

use holdover_server::ServerConfig;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::Place;
use crate::support::{Answer, Client, Running};

const SESSIONS: usize = 200;
const TURNS: usize = 50;

/// How a session keeps its state.
#[derive(Clone, Copy)]
enum Mode {
    Chain,
    Conversation,
    Replay,
}

const MODES: [Mode; 3] = [Mode::Chain, Mode::Conversation, Mode::Replay];

/// What one session saw.
struct Seen {
    ids: Vec<String>,
    nonce: String,
}

/// One session with its state.
struct Talk {
    client: Client,
    path: String,
    mode: Mode,
    /// Response id, conversation id, or nothing.
    anchor: Value,
    /// The history, where the client keeps it.
    history: Vec<Value>,
}

impl Talk {
    async fn begin(address: SocketAddr, number: usize) -> Self {
        let mut client = Client::connect(address).await;
        let path = format!("/s/load-{number}/v1");
        let mode = MODES[number % MODES.len()];
        let anchor = match mode {
            Mode::Chain | Mode::Replay => Value::Null,
            Mode::Conversation => {
                let conversation = client.create(&format!("{path}/conversations"), &json!({})).await;
                conversation.json()["id"].clone()
            }
        };
        Self {
            client,
            path,
            mode,
            anchor,
            history: Vec::new(),
        }
    }

    async fn turn(&mut self, text: &str) -> Answer {
        let user = json!({"role": "user", "content": text});
        let body = match self.mode {
            Mode::Chain => json!({"model": "gpt-5.6", "previous_response_id": self.anchor, "input": text}),
            Mode::Conversation => json!({"model": "gpt-5.6", "conversation": self.anchor, "input": text}),
            Mode::Replay => {
                self.history.push(user);
                json!({"model": "gpt-5.6", "store": false, "include": ["reasoning.encrypted_content"], "input": self.history})
            }
        };
        let answer = self
            .client
            .create(&format!("{}/responses", self.path), &body)
            .await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer
    }

    fn keep(&mut self, body: &Value) {
        match self.mode {
            Mode::Chain => self.anchor = body["id"].clone(),
            Mode::Conversation => {}
            Mode::Replay => self
                .history
                .extend(body["output"].as_array().expect("output").iter().cloned()),
        }
    }
}

fn said(body: &Value) -> &str {
    let output = body["output"].as_array().expect("output");
    let message = output
        .iter()
        .rfind(|item| item["type"] == "message")
        .expect("a message");
    message["content"][0]["text"].as_str().expect("a text")
}

async fn session(address: SocketAddr, number: usize, turns: usize) -> Seen {
    let mut talk = Talk::begin(address, number).await;
    let mut ids = Vec::new();
    for turn in 0..turns {
        let marker = format!("marker {number}/{turn}");
        let answer = talk.turn(&marker).await;
        // Each turn before this one left one reasoning item.
        let carried = answer.header("x-holdover-prior-protected").map(str::to_owned);
        assert_eq!(carried, Some(turn.to_string()), "{marker}");
        let body = answer.json();
        assert!(
            said(&body).contains(&format!("\"{marker}\"")),
            "{marker}: {}",
            said(&body)
        );
        ids.push(body["id"].as_str().expect("an id").to_owned());
        let items = body["output"].as_array().expect("output").iter();
        ids.extend(items.map(|item| item["id"].as_str().expect("an id").to_owned()));
        talk.keep(&body);
    }
    let nonce = said(&talk.turn("holdover:recall").await.json()).to_owned();
    Seen { ids, nonce }
}

async fn load(config: ServerConfig) {
    let server = Running::start(config).await;
    let mut talks = JoinSet::new();
    for number in 0..SESSIONS {
        talks.spawn(session(server.address, number, TURNS));
    }
    let (mut ids, mut nonces) = (BTreeSet::new(), BTreeSet::new());
    for seen in talks.join_all().await {
        assert_eq!(seen.ids.len(), 3 * TURNS);
        for id in seen.ids {
            assert!(ids.insert(id.clone()), "{id} was issued twice");
        }
        assert!(!seen.nonce.contains("unknown"), "{}", seen.nonce);
        assert!(
            nonces.insert(seen.nonce.clone()),
            "{} belongs to two sessions",
            seen.nonce
        );
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_sessions_in_memory() {
    load(Place::Memory.config()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_sessions_in_sqlite() {
    let place = Place::sqlite();
    load(place.config()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_sessions_in_redis() {
    let place = Place::redis();
    load(place.config()).await;
}

/// Two writers on one conversation: the second one comes while the stream of the first is still open.
async fn one_winner(config: ServerConfig, other: Option<ServerConfig>) {
    let server = Running::start(config).await;
    let second = match other {
        Some(config) => Some(Running::start(config).await),
        None => None,
    };
    let mut one = server.client().await;
    let made = one.create("/s/s/v1/conversations", &json!({})).await.json();
    let mut two = match &second {
        Some(second) => second.client().await,
        None => server.client().await,
    };
    for round in 0..5 {
        // The pause keeps the first answer open, whatever the machine does.
        let body = json!({"model": "gpt-5.6:fault=pause:ms=300,event=response.completed", "conversation": made["id"], "stream": true, "input": format!("a {round}")});
        one.begin(
            "POST",
            "/s/s/v1/responses",
            &crate::support::KEY,
            body.to_string().as_bytes(),
        )
        .await;
        one.read_head().await;
        let body = json!({"model": "gpt-5.6", "conversation": made["id"], "input": format!("b {round}")});
        let answer = two.create("/s/s/v1/responses", &body).await;
        assert_eq!(answer.status, 400, "{}", answer.text());
        assert_eq!(answer.json()["error"]["code"], "conversation_locked");
        while !one.read_chunk().await.expect("a whole stream").is_empty() {}
        // Free again as soon as the first has read its end.
        let body = json!({"model": "gpt-5.6", "conversation": made["id"], "input": format!("c {round}")});
        assert_eq!(two.create("/s/s/v1/responses", &body).await.status, 200);
    }
    server.stop().await;
    if let Some(second) = second {
        second.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_conversation_has_one_writer_in_memory() {
    one_winner(Place::Memory.config(), None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_conversation_has_one_writer_in_sqlite() {
    let place = Place::sqlite();
    one_winner(place.config(), None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_conversation_has_one_writer_over_two_replicas() {
    let place = Place::redis();
    one_winner(place.config(), Some(place.config())).await;
}
