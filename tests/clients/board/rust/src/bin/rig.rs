//! rig with its Responses model: the message of an answer goes back as it came.

use board_adapters::{Adapter, Failed, Start, Tools, serve};
use rig_core::Model;
use rig_core::completion::{CompletionRequest, CompletionResponse, ToolDefinition};
use rig_core::message::{Message, ToolName, ToolResultContent};
use rig_core::providers::openai::OpenAIConfig;
use rig_core::providers::openai::responses_api::wire::Responses;
use serde_json::{Value, json};

/// The client between two steps.
struct Rig {
    model: Model<Responses>,
    history: Vec<Message>,
    previous: Option<String>,
}

impl Rig {
    fn request(&self, start: &Start) -> Result<CompletionRequest, Failed> {
        let (last, before) = self.history.split_last().ok_or("there is nothing to say")?;
        let mut reasoning = json!({"effort": start.get("effort")});
        if !start.get("summary").is_null() {
            reasoning["summary"] = start.get("summary").clone();
        }
        let mut more = json!({"reasoning": reasoning});
        for name in ["store", "include"] {
            if !start.get(name).is_null() {
                more[name] = start.get(name).clone();
            }
        }
        if let Some(previous) = &self.previous {
            more["previous_response_id"] = json!(previous);
        }
        let mut request = CompletionRequest::new(last.clone())
            .messages(before.iter().cloned())
            .preamble(start.text("instructions"))
            .tools(start.tools().map(tool).collect::<Result<_, Failed>>()?)
            .additional_params(more);
        let schema = start.get("output_schema");
        if !schema.is_null() {
            request = request.output_schema(rig_core::schemars::Schema::try_from(schema.clone())?);
        }
        Ok(request)
    }

    async fn ask(&mut self, start: &Start) -> Result<CompletionResponse, Failed> {
        let request = self.request(start)?;
        let response = if start.is("stream") {
            self.model.stream(request)?.finish().await?
        } else {
            self.model.call(request).await?
        };
        if start.is_chained() {
            self.history.clear();
            self.previous = response.response_id().map(str::to_owned);
        } else {
            self.history.extend(response.message());
        }
        Ok(response)
    }
}

impl Adapter for Rig {
    const CLIENT: &'static str = "rig";
    const VERSION: &'static str = "0.44.0";
    const STATES: &'static [&'static str] = &["server-chain"];

    fn new(start: &Start) -> Result<Self, Failed> {
        let config = OpenAIConfig::new(start.text("api_key")).with_base_url(start.text("base_url"));
        Ok(Self {
            model: config.client().responses(start.text("model")),
            history: Vec::new(),
            previous: None,
        })
    }

    async fn user(&mut self, start: &Start, tools: &Tools, text: &str) -> Result<String, Failed> {
        self.history.push(Message::user(text));
        loop {
            let response = self.ask(start).await?;
            let results: Vec<_> = response
                .tool_calls()
                .map(|call| {
                    call.result(vec![ToolResultContent::text(
                        tools.output(call.function.name.as_str()),
                    )])
                })
                .collect();
            if results.is_empty() {
                return Ok(response.text());
            }
            self.history.push(Message::tool_results(results));
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

fn tool(tool: &Value) -> Result<ToolDefinition, Failed> {
    let text = |name: &str| tool[name].as_str().unwrap_or_default().to_owned();
    Ok(ToolDefinition::new(
        ToolName::new(text("name"))?,
        text("description"),
        tool["parameters"].clone(),
    ))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failed> {
    serve::<Rig>().await
}
