//! async-openai by hand: the items of `response.output` go back as its types hold them.

use async_openai::Client;
use async_openai::config::OpenAIConfig;
use async_openai::types::responses::{
    CreateResponse, InputItem, Item, MessageItem, OutputItem, Response, ResponseStreamEvent,
};
use board_adapters::{Adapter, Failed, Start, Tools, serve};
use futures::StreamExt as _;
use serde_json::{Value, json};

/// The client between two steps.
struct AsyncOpenAi {
    client: Client<OpenAIConfig>,
    history: Vec<InputItem>,
    previous: Option<String>,
}

impl AsyncOpenAi {
    fn request(&self, start: &Start, items: &[InputItem]) -> Result<CreateResponse, Failed> {
        let mut body = json!({"model": start.get("model"), "input": items});
        let mut reasoning = json!({"effort": start.get("effort")});
        if !start.get("summary").is_null() {
            reasoning["summary"] = start.get("summary").clone();
        }
        body["reasoning"] = reasoning;
        for name in ["instructions", "store", "include"] {
            if !start.get(name).is_null() {
                body[name] = start.get(name).clone();
            }
        }
        let tools: Vec<Value> = start.tools().map(tool).collect();
        if !tools.is_empty() {
            body["tools"] = json!(tools);
        }
        if let Some(previous) = &self.previous {
            body["previous_response_id"] = json!(previous);
        }
        let schema = start.get("output_schema");
        if !schema.is_null() {
            let format = json!({"type": "json_schema", "name": "answer", "strict": true, "schema": schema});
            body["text"] = json!({"format": format});
        }
        Ok(serde_json::from_value(body)?)
    }

    async fn ask(&mut self, start: &Start, items: Vec<InputItem>) -> Result<Response, Failed> {
        self.history.extend(items.clone());
        let request = self.request(start, if start.is_chained() { &items } else { &self.history })?;
        let response = if start.is("stream") {
            self.streamed(request).await?
        } else {
            self.client.responses().create(request).await?
        };
        self.history.extend(response.output.iter().filter_map(replayed));
        if start.is_chained() {
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
}

impl Adapter for AsyncOpenAi {
    const CLIENT: &'static str = "async-openai";
    const VERSION: &'static str = "0.43.0";
    const STATES: &'static [&'static str] = &["server-chain"];

    fn new(start: &Start) -> Result<Self, Failed> {
        let config = OpenAIConfig::new()
            .with_api_base(start.text("base_url"))
            .with_api_key(start.text("api_key"));
        Ok(Self {
            client: Client::with_config(config),
            history: Vec::new(),
            previous: None,
        })
    }

    async fn user(&mut self, start: &Start, tools: &Tools, text: &str) -> Result<String, Failed> {
        let message = serde_json::from_value(json!({"role": "user", "content": text}))?;
        let mut response = self.ask(start, vec![message]).await?;
        loop {
            let calls = response.output.iter().filter_map(|item| match item {
                OutputItem::FunctionCall(call) => Some(call),
                _ => None,
            });
            let outputs: Vec<InputItem> = calls
                .map(|call| {
                    let output = tools.output(&call.name);
                    let output =
                        json!({"type": "function_call_output", "call_id": call.call_id, "output": output});
                    Ok(serde_json::from_value(output)?)
                })
                .collect::<Result<_, Failed>>()?;
            if outputs.is_empty() {
                return Ok(response.output_text().unwrap_or_default());
            }
            response = self.ask(start, outputs).await?;
        }
    }

    fn save(&self) -> Result<String, Failed> {
        Ok(serde_json::to_string(&self.history)?)
    }

    fn load(&mut self, saved: &str) -> Result<(), Failed> {
        self.history = serde_json::from_str(saved)?;
        Ok(())
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

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failed> {
    serve::<AsyncOpenAi>().await
}
