//! async-openai by hand: the items of `response.output` go back as its types hold them.

use std::io::{BufRead as _, Write as _};

use async_openai::Client;
use async_openai::config::OpenAIConfig;
use async_openai::types::responses::{
    CreateResponse, InputItem, Item, MessageItem, OutputItem, Response, ResponseStreamEvent,
};
use futures::StreamExt as _;
use serde_json::{Map, Value, json};

type Failed = Box<dyn std::error::Error>;

/// Version in `Cargo.toml`.
const VERSION: &str = "0.43.0";

/// The client between two steps.
struct Adapter {
    start: Value,
    client: Client<OpenAIConfig>,
    history: Vec<InputItem>,
    previous: Option<String>,
    outputs: Map<String, Value>,
}

impl Adapter {
    fn new(start: Value) -> Self {
        let text = |name: &str| start[name].as_str().unwrap_or_default().to_owned();
        let config = OpenAIConfig::new()
            .with_api_base(text("base_url"))
            .with_api_key(text("api_key"));
        Self {
            client: Client::with_config(config),
            start,
            history: Vec::new(),
            previous: None,
            outputs: Map::new(),
        }
    }

    fn is_chained(&self) -> bool {
        self.start["state"] == "server-chain"
    }

    fn request(&self, items: &[InputItem]) -> Result<CreateResponse, Failed> {
        let start = &self.start;
        let mut body = json!({"model": start["model"], "input": items});
        let mut reasoning = json!({"effort": start["effort"]});
        if !start["summary"].is_null() {
            reasoning["summary"] = start["summary"].clone();
        }
        body["reasoning"] = reasoning;
        for name in ["instructions", "store", "include"] {
            if !start[name].is_null() {
                body[name] = start[name].clone();
            }
        }
        let tools: Vec<Value> = start["tools"].as_array().into_iter().flatten().map(tool).collect();
        if !tools.is_empty() {
            body["tools"] = json!(tools);
        }
        if let Some(previous) = &self.previous {
            body["previous_response_id"] = json!(previous);
        }
        if !start["output_schema"].is_null() {
            let format = json!({"type": "json_schema", "name": "answer", "strict": true, "schema": start["output_schema"]});
            body["text"] = json!({"format": format});
        }
        Ok(serde_json::from_value(body)?)
    }

    async fn ask(&mut self, items: Vec<InputItem>) -> Result<Response, Failed> {
        self.history.extend(items.clone());
        let request = self.request(if self.is_chained() { &items } else { &self.history })?;
        let response = if self.start["stream"] == true {
            self.streamed(request).await?
        } else {
            self.client.responses().create(request).await?
        };
        self.history.extend(response.output.iter().filter_map(replayed));
        if self.is_chained() {
            self.previous = Some(response.id.clone());
        }
        Ok(response)
    }

    async fn streamed(&self, request: CreateResponse) -> Result<Response, Failed> {
        let mut stream = self.client.responses().create_stream(request).await?;
        let mut last = None;
        while let Some(event) = stream.next().await {
            if let ResponseStreamEvent::ResponseCompleted(done) = event? {
                last = Some(done.response);
            }
        }
        last.ok_or_else(|| "the stream had no end".into())
    }

    async fn user(&mut self, text: &str) -> Result<Value, Failed> {
        let message = serde_json::from_value(json!({"role": "user", "content": text}))?;
        let mut response = self.ask(vec![message]).await?;
        loop {
            let calls = response.output.iter().filter_map(|item| match item {
                OutputItem::FunctionCall(call) => Some(call),
                _ => None,
            });
            let outputs: Vec<InputItem> = calls
                .map(|call| {
                    let output = json!({"type": "function_call_output", "call_id": call.call_id, "output": self.outputs[&call.name]});
                    Ok(serde_json::from_value(output)?)
                })
                .collect::<Result<_, Failed>>()?;
            if outputs.is_empty() {
                return Ok(json!({"text": response.output_text().unwrap_or_default()}));
            }
            response = self.ask(outputs).await?;
        }
    }

    async fn step(&mut self, step: &Value) -> Result<Value, Failed> {
        let text = |name: &str| step[name].as_str().unwrap_or_default().to_owned();
        match step["step"].as_str().unwrap_or_default() {
            "user" => return self.user(&text("text")).await,
            "tool-output" => drop(self.outputs.insert(text("tool"), step["output"].clone())),
            "save" => std::fs::write(text("file"), serde_json::to_string(&self.history)?)?,
            "load" => self.history = serde_json::from_str(&std::fs::read_to_string(text("file"))?)?,
            "reset" => *self = Self::new(self.start.clone()),
            other => return Err(format!("unknown step {other}").into()),
        }
        Ok(json!({}))
    }
}

fn tool(tool: &Value) -> Value {
    json!({"type": "function", "strict": true, "name": tool["name"], "description": tool["description"], "parameters": tool["parameters"]})
}

/// An item of an answer as an item of the next input.
fn replayed(item: &OutputItem) -> Option<InputItem> {
    let item = match item.clone() {
        OutputItem::Message(message) => Item::Message(MessageItem::Output(message)),
        OutputItem::Reasoning(reasoning) => Item::Reasoning(reasoning),
        OutputItem::FunctionCall(call) => Item::FunctionCall(call),
        _ => return None,
    };
    Some(InputItem::Item(item))
}

/// What the client has no setting for.
fn declined(start: &Value) -> Option<&'static str> {
    let absent = [
        (start["state"] == "conversation", "the driver keeps no conversation"),
        (!start["history_limit"].is_null(), "the client has no setting of this kind: limit"),
        (!start["reasoning_item_id_policy"].is_null(), "the client has no setting of this kind: omit"),
        (!start["handoff"].is_null(), "the client has no setting of this kind: handoff"),
        (!start["log"].is_null(), "the client has no setting of this kind: log"),
    ];
    absent.into_iter().find(|(is_asked, _)| *is_asked).map(|(_, why)| why)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failed> {
    let mut running: Option<Adapter> = None;
    for line in std::io::stdin().lock().lines() {
        let step: Value = serde_json::from_str(&line?)?;
        let answer = if step["step"] == "start" {
            match declined(&step) {
                Some(why) => json!({"not_applicable": why}),
                None => {
                    running = Some(Adapter::new(step));
                    json!({"client": "async-openai", "version": VERSION, "again": true})
                }
            }
        } else {
            let adapter = running.as_mut().ok_or("the first step is the start")?;
            let answer = adapter.step(&step).await;
            answer.unwrap_or_else(|error| json!({"error": error.to_string()}))
        };
        println!("{answer}");
        std::io::stdout().flush()?;
    }
    Ok(())
}
