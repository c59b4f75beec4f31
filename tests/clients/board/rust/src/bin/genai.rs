//! genai with its adapter for the Responses API: the content of an answer goes back as an assistant's message.

use board_adapters::{Adapter, Failed, Start, Tools, serve};
use futures::StreamExt as _;
use genai::adapter::AdapterKind;
use genai::chat::{
    ChatMessage, ChatOptions, ChatRequest, ChatResponseFormat, ChatStreamEvent, JsonSpec, MessageContent,
    ReasoningEffort, Tool, ToolResponse,
};
use genai::resolver::{AuthData, Endpoint, ServiceTargetResolver};
use genai::{Client, ModelIden, ServiceTarget};

/// The client between two steps.
struct GenAi {
    client: Client,
    history: ChatRequest,
    options: ChatOptions,
}

/// An answer: what goes back, and the id of its response.
struct Answer {
    content: MessageContent,
    response: Option<String>,
}

impl GenAi {
    async fn ask(&mut self, start: &Start) -> Result<MessageContent, Failed> {
        let (model, request) = (start.text("model"), self.history.clone());
        let answer = if start.is("stream") {
            let streamed = self
                .client
                .exec_chat_stream(&model, request, Some(&self.options))
                .await?;
            let mut stream = streamed.stream;
            let mut end = None;
            while let Some(event) = stream.next().await {
                if let ChatStreamEvent::End(last) = event? {
                    end = Some(last);
                }
            }
            let end = end.ok_or("the stream had no end")?;
            Answer {
                content: end.captured_content.ok_or("the stream captured nothing")?,
                response: end.captured_response_id,
            }
        } else {
            let response = self
                .client
                .exec_chat(&model, request, Some(&self.options))
                .await?;
            Answer {
                content: response.content,
                response: response.response_id,
            }
        };
        if start.is_chained() {
            self.history.messages.clear();
            self.history.previous_response_id = answer.response;
        } else {
            self.history
                .messages
                .push(ChatMessage::assistant(answer.content.clone()));
        }
        Ok(answer.content)
    }
}

impl Adapter for GenAi {
    const CLIENT: &'static str = "genai";
    const VERSION: &'static str = "0.7.2";
    const STATES: &'static [&'static str] = &["server-chain"];

    fn new(start: &Start) -> Result<Self, Failed> {
        let (url, key) = (start.text("base_url"), start.text("api_key"));
        let resolver = ServiceTargetResolver::from_resolver_fn(
            move |target: ServiceTarget| -> Result<ServiceTarget, genai::resolver::Error> {
                Ok(ServiceTarget {
                    endpoint: Endpoint::from_owned(format!("{url}/")),
                    auth: AuthData::from_single(key.clone()),
                    model: ModelIden::new(AdapterKind::OpenAIResp, target.model.model_name),
                })
            },
        );
        let mut history = ChatRequest::default().with_system(start.text("instructions"));
        // It stores nothing unless it is told to, and warns that a chain needs it.
        history.store = start
            .get("store")
            .as_bool()
            .or(start.is_chained().then_some(true));
        let tools: Vec<Tool> = start
            .tools()
            .map(|tool| {
                Tool::new(tool["name"].as_str().unwrap_or_default())
                    .with_description(tool["description"].as_str().unwrap_or_default())
                    .with_schema(tool["parameters"].clone())
                    .with_strict(true)
            })
            .collect();
        if !tools.is_empty() {
            history = history.with_tools(tools);
        }
        // Its one setting asks for a summary and for encrypted content.
        let mut options = ChatOptions::default()
            .with_capture_content(true)
            .with_capture_tool_calls(true)
            .with_capture_reasoning_content(!start.get("include").is_null());
        if let Some(effort) = ReasoningEffort::from_keyword(&start.text("effort")) {
            options = options.with_reasoning_effort(effort);
        }
        let schema = start.get("output_schema");
        if !schema.is_null() {
            options = options.with_response_format(ChatResponseFormat::JsonSpec(JsonSpec::new(
                "answer",
                schema.clone(),
            )));
        }
        Ok(Self {
            client: Client::builder().with_service_target_resolver(resolver).build()?,
            history,
            options,
        })
    }

    async fn user(&mut self, start: &Start, tools: &Tools, text: &str) -> Result<String, Failed> {
        self.history.messages.push(ChatMessage::user(text));
        loop {
            let content = self.ask(start).await?;
            let calls = content.tool_calls();
            if calls.is_empty() {
                return Ok(content.into_joined_texts().unwrap_or_default());
            }
            let outputs: Vec<ToolResponse> = calls
                .into_iter()
                .map(|call| ToolResponse::from_tool_call(call, tools.output(&call.fn_name)))
                .collect();
            self.history.messages.push(ChatMessage::from(outputs));
        }
    }

    fn save(&self) -> Result<String, Failed> {
        Ok(serde_json::to_string(&self.history.messages)?)
    }

    fn load(&mut self, saved: &str) -> Result<(), Failed> {
        self.history.messages = serde_json::from_str(saved)?;
        Ok(())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failed> {
    serve::<GenAi>().await
}
