//! async-openai as a program uses it. Its types are strict: a body or an event that does not fit them is an error.
//!
//! `HOLDOVER_BIN` is the server under test. Each test starts its own.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use async_openai::Client;
use async_openai::config::OpenAIConfig;
use async_openai::error::OpenAIError;
use async_openai::types::responses::{CreateResponse, OutputItem, Response, ResponseStreamEvent, Status};
use futures_util::StreamExt as _;
use serde_json::{Value, json};

/// A server that is killed when its test is over.
struct Served {
    process: Child,
    address: String,
}

impl Served {
    fn start() -> Self {
        let binary = std::env::var("HOLDOVER_BIN").expect("set HOLDOVER_BIN to the binary");
        let mut process = Command::new(binary)
            .args(["serve", "--listen", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary");
        let mut line = String::new();
        let printed = process.stdout.take().expect("piped");
        BufReader::new(printed).read_line(&mut line).expect("a line");
        let (_, url) = line.split_once("http://").expect("a base URL");
        let (address, _) = url.split_once("/v1").expect("a base URL");
        Self {
            process,
            address: address.to_owned(),
        }
    }

    fn client(&self) -> Client<OpenAIConfig> {
        let config = OpenAIConfig::new()
            .with_api_base(format!("http://{}/v1", self.address))
            .with_api_key("sk-test");
        Client::with_config(config)
    }

    /// What one of Holdover's own routes says.
    fn own(&self, method: &str, path: &str) -> Value {
        let mut stream = TcpStream::connect(&self.address).expect("a server");
        let request = format!("{method} /_holdover/{path} HTTP/1.0\r\nhost: x\r\ncontent-length: 0\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("a connection");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let (_, body) = answer.split_once("\r\n\r\n").expect("a body");
        serde_json::from_str(body).expect("JSON")
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn request(members: Value) -> CreateResponse {
    let mut request = json!({"model": "gpt-5.6"});
    for (name, value) in members.as_object().expect("members") {
        request[name] = value.clone();
    }
    serde_json::from_value(request).expect("a request")
}

fn is_reasoning(item: &OutputItem) -> bool {
    matches!(item, OutputItem::Reasoning(_))
}

#[tokio::test]
async fn a_history_of_items_is_clean() {
    let served = Served::start();
    let client = served.client();
    let mut history = vec![json!({"role": "user", "content": "Plan."})];
    for question in ["And then?", "And the way back?", "Thanks."] {
        let asked = json!({"store": false, "include": ["reasoning.encrypted_content"], "input": history});
        let response = client.responses().create(request(asked)).await.expect("a response");
        assert!(response.output.iter().any(is_reasoning));
        assert!(response.output_text().is_some_and(|text| !text.is_empty()));
        for item in &response.output {
            history.push(serde_json::to_value(item).expect("an item"));
        }
        history.push(json!({"role": "user", "content": question}));
    }
    let verdict = served.own("POST", "sessions/default/finish");
    assert_eq!(verdict["coverage"]["turns"], 3, "{verdict}");
    assert_eq!(verdict["findings"], json!([]));
}

#[tokio::test]
async fn every_event_of_a_stream_is_read() {
    let served = Served::start();
    let client = served.client();
    let asked = json!({
        "input": "Plan.",
        "stream": true,
        "reasoning": {"effort": "low", "summary": "auto"},
        "tool_choice": {"type": "function", "name": "lookup"},
        "tools": [{
            "type": "function",
            "name": "lookup",
            "strict": true,
            "parameters": {
                "type": "object",
                "properties": {"key": {"type": "string"}},
                "required": ["key"],
                "additionalProperties": false,
            },
        }],
    });
    let mut stream = client.responses().create_stream(request(asked)).await.expect("a stream");
    let mut completed: Option<Response> = None;
    let mut count = 0;
    while let Some(event) = stream.next().await {
        count += 1;
        if let ResponseStreamEvent::ResponseCompleted(event) = event.expect("an event of a known type") {
            completed = Some(event.response);
        }
    }
    let completed = completed.expect("a terminal event");
    assert!(count > 10);
    assert!(completed.output.iter().any(is_reasoning));
    assert!(completed.output.iter().any(|item| matches!(item, OutputItem::FunctionCall(_))));
}

#[tokio::test]
async fn what_is_stored_is_read_continued_polled_and_deleted() {
    let served = Served::start();
    let client = served.client();
    let first = client.responses().create(request(json!({"input": "Plan."}))).await.expect("a response");
    let again = client.responses().retrieve(&first.id).await.expect("stored");
    assert_eq!(again.output_text(), first.output_text());
    let next = json!({"input": "And then?", "previous_response_id": first.id});
    client.responses().create(request(next)).await.expect("a continuation");
    let items = client.responses().list_input_items(&first.id).await.expect("a list");
    assert_eq!(items.data.len(), 1);
    let background = request(json!({"input": "Plan.", "background": true}));
    let mut run = client.responses().create(background).await.expect("a run");
    let mut seen = vec![run.status.clone()];
    while !matches!(run.status, Status::Completed) && seen.len() < 10 {
        run = client.responses().retrieve(&run.id).await.expect("a run");
        seen.push(run.status.clone());
    }
    assert_eq!(seen, [Status::Queued, Status::InProgress, Status::Completed]);
    assert!(client.responses().delete(&first.id).await.expect("deleted").deleted);
    let gone = client.responses().retrieve(&first.id).await;
    assert!(matches!(gone, Err(OpenAIError::ApiError(_))), "{gone:?}");
}

#[tokio::test]
async fn conversations_are_made_read_and_deleted() {
    let served = Served::start();
    let client = served.client();
    let items = json!({"items": [{"type": "message", "role": "user", "content": "Hello."}]});
    let made = serde_json::from_value(items).expect("a request");
    let made = client.conversations().create(made).await.expect("a conversation");
    let asked = json!({"input": "Plan.", "conversation": made.id});
    client.responses().create(request(asked)).await.expect("a response");
    let listed = client.conversations().items(&made.id).list().await.expect("a list");
    assert_eq!(listed.data.len(), 4);
    assert!(client.conversations().delete(&made.id).await.expect("deleted").deleted);
}
