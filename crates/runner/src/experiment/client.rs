//! The client of chat completions that is measured: it keeps what came, and treats reasoning as its cell says.

use std::sync::Arc;

use holdover_fake::{FakeConfig, Session};
use holdover_profile::Profile;
use holdover_profile::policy::apply::without_reasoning;
use holdover_profile::provider::{Book, Endpoint};
use holdover_wire::neutral::{AssistantTurn, answered, chat};
use holdover_wire::recording::{Kept, ResponseRecord};
use holdover_wire::{Call, Object, PlanBody, Reply, Wire};
use serde_json::{Value, json};

use crate::experiment::cell::{Cell, Thinking, Transport, Treatment, members};
use crate::experiment::task::{self, Outcome, Step};

/// Whose turn comes first where providers are switched.
const ELSEWHERE: [&str; 2] = ["glm-4.7", "deepseek-v4"];

/// What one conversation showed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    /// Status of the last answer.
    pub status: u16,
    /// The text of the last answer.
    pub text: String,
    /// Input tokens of the last answer.
    pub input_tokens: Option<u64>,
    /// Cached tokens of the last answer.
    pub cached_tokens: Option<u64>,
    /// The entry that refused, and the entries of which nobody is sure.
    pub notes: Vec<String>,
}

/// A conversation.
pub struct Client<'a> {
    cell: &'a Cell,
    here: Session,
    elsewhere: Session,
    other: Arc<Endpoint>,
    /// Whether the other provider is asked.
    away: bool,
    messages: Vec<Value>,
    seen: Seen,
}

impl<'a> Client<'a> {
    /// A client of a cell, with a server under this seed.
    pub fn new(cell: &'a Cell, seed: u64) -> Self {
        let server = |endpoint: &Arc<Endpoint>| {
            Session::new(FakeConfig {
                seed,
                profile: Profile::of_endpoint(endpoint),
                ..FakeConfig::default()
            })
        };
        let others = ELSEWHERE.iter().filter_map(|name| Book::builtin().find(name));
        let other = others
            .into_iter()
            .find(|other| other.provider != cell.endpoint.provider);
        let other = Arc::clone(other.unwrap_or(&cell.endpoint));
        Self {
            cell,
            here: server(&cell.endpoint),
            elsewhere: server(&other),
            other,
            away: false,
            messages: Vec::new(),
            seen: Seen::default(),
        }
    }

    /// Does the task, up to its end or to the first refusal.
    pub fn work(mut self) -> Seen {
        for step in self.cell.task.steps() {
            match step {
                Step::User(text) => self.messages.push(json!({"role": "user", "content": text})),
                Step::Outputs(outcome) => self.outputs(*outcome),
                Step::Compact => self.compact(),
                Step::Elsewhere => self.away = true,
                Step::Here => self.away = false,
                Step::Model(says) => {
                    let Some(turn) = self.ask(task::reply(says)) else {
                        break;
                    };
                    self.seen.text = turn.text();
                    self.messages.push(Value::Object(turn.value()));
                }
            }
        }
        self.seen
    }

    fn outputs(&mut self, outcome: Outcome) {
        let calls = self.messages.last().and_then(|last| last.get("tool_calls"));
        let calls = calls.and_then(Value::as_array).cloned().unwrap_or_default();
        let text = match outcome {
            Outcome::Works => "42",
            Outcome::Fails => "error: the tool timed out",
        };
        self.messages.extend(
            calls
                .iter()
                .map(|call| json!({"role": "tool", "tool_call_id": call["id"], "content": text})),
        );
    }

    /// The last question and its answer stay as they are.
    fn compact(&mut self) {
        let keep = self.messages.len().saturating_sub(2);
        let summary =
            json!({"role": "user", "content": "Summary of what was said before: a line was written."});
        self.messages.splice(..keep, [summary]);
    }

    /// Sends the history and gives the answer; `None` where it is refused.
    fn ask(&mut self, reply: Reply) -> Option<AssistantTurn> {
        let endpoint = if self.away {
            &self.other
        } else {
            &self.cell.endpoint
        };
        let body = self.body(endpoint);
        let path = endpoint
            .paths
            .first()
            .map_or("/v1/chat/completions", String::as_str);
        let session = if self.away {
            &mut self.elsewhere
        } else {
            &mut self.here
        };
        session.script(vec![reply]);
        let plan = session.handle(&Call::post(path, body)).plan;
        self.seen.status = plan.status;
        for name in ["x-holdover-refusal", "x-holdover-probe"] {
            let note = plan.header(name).map(str::to_owned);
            let new = note.filter(|note| !self.seen.notes.contains(note));
            self.seen.notes.extend(new);
        }
        let kept = match plan.body {
            PlanBody::Json(value) => Kept::document(value),
            PlanBody::Stream(steps) => {
                let left = steps.len();
                Kept::steps(steps, left)
            }
            PlanBody::Nothing => Kept::default(),
        };
        let response = ResponseRecord {
            status: plan.status,
            body: kept.body,
            events: kept.events,
            ..ResponseRecord::default()
        };
        if plan.status != 200 {
            return None;
        }
        let usage = usage(&response);
        let number = |pointer: &str| usage.as_ref()?.pointer(pointer)?.as_u64();
        self.seen.input_tokens = number("/prompt_tokens");
        self.seen.cached_tokens = number("/prompt_tokens_details/cached_tokens");
        answered(Wire::ChatCompletions, &response)
    }

    fn body(&self, endpoint: &Endpoint) -> Value {
        let mut body = Object::new();
        body.insert("model".to_owned(), model(endpoint).into());
        let messages: Vec<Value> = self
            .messages
            .iter()
            .map(|message| self.treated(message))
            .collect();
        body.insert("messages".to_owned(), messages.into());
        if self.cell.task.has_tools() {
            let tool = |name: &str| json!({"type": "function", "function": {"name": name}});
            body.insert("tools".to_owned(), json!([tool("lookup"), tool("fetch")]));
        }
        body.insert(
            "stream".to_owned(),
            (self.cell.transport == Transport::Sse).into(),
        );
        let mut extra = members(&endpoint.when).unwrap_or_default();
        if let (Thinking::Off(off), false) = (&self.cell.thinking, self.away) {
            extra.extend(off.clone());
        }
        for (name, value) in extra {
            match (body.get_mut(&name), value) {
                (Some(Value::Object(held)), Value::Object(more)) => held.extend(more),
                (_, value) => {
                    body.insert(name, value);
                }
            }
        }
        Value::Object(body)
    }

    /// A message as it is sent back; what was kept stays whole (R4).
    fn treated(&self, message: &Value) -> Value {
        let Some(object) = message.as_object().filter(|_| message["role"] == "assistant") else {
            return message.clone();
        };
        let turn = chat::assistant(object);
        match self.cell.treatment {
            Treatment::Replay => message.clone(),
            Treatment::Drop => Value::Object(without_reasoning(&turn)),
            Treatment::Modified => modified(message, &turn),
        }
    }
}

fn usage(response: &ResponseRecord) -> Option<Value> {
    let body = response.body.as_ref();
    if let Some(usage) = body.and_then(|body| body.get("usage")) {
        return Some(usage.clone());
    }
    let mut events = response.events.as_ref()?.iter().rev();
    events.find_map(|event| event.object().get("usage")).cloned()
}

/// A name of a model by which an endpoint is told.
fn model(endpoint: &Endpoint) -> String {
    let pattern = endpoint.models.first().map_or("", String::as_str);
    let name = pattern.replace('*', "");
    if name.ends_with('-') {
        format!("{name}1")
    } else if name.is_empty() {
        "any-model".to_owned()
    } else {
        name
    }
}

/// The message with one letter of each signature changed, or, where nothing is signed, with the nonce spoilt.
fn modified(message: &Value, turn: &AssistantTurn) -> Value {
    let mut text = message.to_string();
    for part in &turn.parts {
        match &part.signature {
            Some(signature) if signature.len() > 41 => {
                let letter = if &signature[40..41] == "A" { "B" } else { "A" };
                let other = format!("{}{letter}{}", &signature[..40], &signature[41..]);
                text = text.replace(signature.as_str(), &other);
            }
            _ if part.carrier().is_some() => text = text.replace("nonce-", "nonce+"),
            _ => {}
        }
    }
    serde_json::from_str(&text).unwrap_or_else(|_| message.clone())
}
