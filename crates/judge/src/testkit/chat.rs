//! Conversations over chat completions, in few words.

use holdover_profile::Profile;
use holdover_wire::recording::Exchange;
use serde_json::{Value, json};

use crate::{Export, Judge, JudgeConfig, Verdict};

/// A conversation: messages as the client keeps them, and the exchanges so far.
pub(crate) struct Chat {
    path: String,
    model: String,
    messages: Vec<Value>,
    tools: Value,
    exchanges: Vec<Value>,
    profile: String,
}

/// An answer that thinks.
pub(crate) fn thought(text: &str) -> Value {
    json!({"role": "assistant", "content": format!("About {text}"), "reasoning_content": text})
}

/// The same, with a call of `lookup` in place of its text.
pub(crate) fn call(message: &Value, id: &str) -> Value {
    let mut message = message.clone();
    message["content"] = Value::Null;
    let function = json!({"name": "lookup", "arguments": format!("{{\"id\":\"{id}\"}}")});
    message["tool_calls"] = json!([{"id": id, "type": "function", "function": function}]);
    message
}

/// The output of a call.
pub(crate) fn output(id: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": "42"})
}

impl Chat {
    /// A conversation with a model.
    pub(crate) fn of(model: &str) -> Self {
        Self::at("/v1/chat/completions", model)
    }

    /// The same at a path.
    pub(crate) fn at(path: &str, model: &str) -> Self {
        Self {
            path: path.to_owned(),
            model: model.to_owned(),
            messages: Vec::new(),
            tools: Value::Null,
            exchanges: Vec::new(),
            profile: "openai".to_owned(),
        }
    }

    /// The user says something; the request leaves, and this is its answer.
    pub(crate) fn says(&mut self, text: &str, answer: &Value) -> Value {
        self.asks(text);
        self.answers(answer)
    }

    /// The client keeps a message.
    pub(crate) fn keeps(&mut self, message: &Value) {
        self.messages.push(message.clone());
    }

    /// The user says something.
    pub(crate) fn asks(&mut self, text: &str) {
        self.messages.push(json!({"role": "user", "content": text}));
    }

    /// The requests from here on declare these tools.
    pub(crate) fn declares(&mut self, tools: &Value) {
        self.tools = tools.clone();
    }

    /// From here on another endpoint is asked.
    pub(crate) fn moves(&mut self, path: &str, model: &str) {
        path.clone_into(&mut self.path);
        model.clone_into(&mut self.model);
    }

    /// The client forgets what it kept.
    pub(crate) fn forget(&mut self) {
        self.messages.clear();
    }

    /// The request leaves, and this is its answer.
    pub(crate) fn answers(&mut self, message: &Value) -> Value {
        let body = json!({"choices": [{"index": 0, "message": message}], "usage": {"prompt_tokens": 1000}});
        self.exchange(200, &body);
        message.clone()
    }

    /// A request of `generateContent`, and the parts of its answer.
    pub(crate) fn gemini(&mut self, contents: &[Value], parts: &Value) {
        let answer = json!({"candidates": [{"content": {"role": "model", "parts": parts}}]});
        self.exchanges.push(json!({
            "request": {"path": self.path, "body": {"contents": contents}}, "response": {"status": 200, "body": answer}}));
    }

    /// A request of Anthropic Messages, and the content of its answer.
    pub(crate) fn anthropic(&mut self, content: &Value) {
        let body = json!({"model": self.model, "messages": self.messages});
        let answer = json!({"type": "message", "role": "assistant", "content": content});
        self.exchanges.push(json!({
            "request": {"path": self.path, "body": body}, "response": {"status": 200, "body": answer}}));
    }

    /// A request of the Responses API, and the items of its answer.
    pub(crate) fn responses(&mut self, input: &[Value], output: &[Value]) {
        let body = json!({"model": self.model, "store": false, "include": ["reasoning.encrypted_content"], "input": input});
        let id = format!("resp_{}", self.exchanges.len());
        let answer = json!({"id": id, "status": "completed", "output": output});
        self.exchanges.push(json!({
            "request": {"path": "/v1/responses", "body": body}, "response": {"status": 200, "body": answer}}));
    }

    /// The endpoint is of this profile.
    pub(crate) fn served_by(mut self, profile: &str) -> Self {
        profile.clone_into(&mut self.profile);
        self
    }

    /// The request leaves, and is refused.
    pub(crate) fn refused(&mut self, status: u16) {
        self.exchange(status, &json!({"error": {"message": "no"}}));
    }

    fn exchange(&mut self, status: u16, answer: &Value) {
        let mut body = json!({"model": self.model, "messages": self.messages});
        if !self.tools.is_null() {
            body["tools"] = self.tools.clone();
        }
        self.exchanges.push(json!({
            "request": {"path": self.path, "body": body}, "response": {"status": status, "body": answer}}));
    }

    /// What the judge says.
    pub(crate) fn verdict(&self) -> Verdict {
        self.judge().finish()
    }

    fn judge(&self) -> Judge {
        let config = JudgeConfig {
            profile: Profile::builtin(&self.profile).expect("a profile"),
            ..JudgeConfig::default()
        };
        let mut judge = Judge::new(config).expect("a judge");
        for exchange in &self.exchanges {
            let exchange: Exchange = serde_json::from_value(exchange.clone()).expect("an exchange");
            judge.observe(&exchange);
        }
        judge
    }

    /// Names and severities of the findings.
    pub(crate) fn found(&self) -> Vec<String> {
        named(&self.verdict())
    }

    /// The same of a client whose audit record tells of no handover.
    pub(crate) fn audited(&self) -> Vec<String> {
        let mut judge = self.judge();
        let record = json!({"reasoning_item_id_policy": "preserve", "ids_present": true});
        judge.observe_audit(&serde_json::from_value(record).expect("an audit record"));
        named(&judge.finish())
    }

    /// The same of a client that let this text out.
    pub(crate) fn exports(&self, file: &str, text: &str) -> Vec<String> {
        let mut judge = self.judge();
        judge.observe_export(&Export {
            file: file.to_owned(),
            text: text.to_owned(),
        });
        named(&judge.finish())
    }
}

fn named(verdict: &Verdict) -> Vec<String> {
    let findings = verdict.findings.iter();
    findings
        .map(|finding| format!("{}:{}", finding.rule, finding.severity.as_str()))
        .collect()
}
