//! The client of chat completions that is measured: it keeps what came, and treats reasoning as its cell says.

use std::sync::Arc;
use std::time::Duration;

use holdover_profile::policy::apply::without_reasoning;
use holdover_profile::provider::{Book, Endpoint};
use holdover_wire::neutral::{AssistantTurn, answered, chat};
use holdover_wire::recording::{End, ResponseRecord};
use holdover_wire::{Object, Wire};
use serde_json::{Value, json};

use crate::experiment::cell::{Cell, Thinking, Transport, Treatment};
use crate::experiment::server::{Evidence, Live, Server};
use crate::experiment::task::{self, Line, Outcome, Says, Step};
use crate::experiment::words::{self, Heard};

/// Whose turn comes first where providers are switched: our own fake plays it.
const ELSEWHERE: [&str; 2] = ["glm-4.7", "deepseek-v4"];

/// Calls that a model may make although the task does not want them, before it is given up.
const EXTRA_CALLS_MAX: usize = 3;

/// What one conversation showed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    /// Status of the last answer; 0 where none came.
    pub status: u16,
    /// Whether the last answer shows that the model read what it had thought; `None` where nothing tells.
    pub recalls: Option<bool>,
    /// Whether the model made the calls that the task wants.
    pub called: bool,
    /// Whether the last answer gives a tool what another one said; `None` where nothing tells.
    pub confuses: Option<bool>,
    /// Input tokens of the last answer.
    pub input_tokens: Option<u64>,
    /// Cached tokens of the last answer.
    pub cached_tokens: Option<u64>,
    /// How long all answers took together; nothing where time is virtual.
    pub latency: Option<Duration>,
    /// The entry that refused, and the entries of which nobody is sure.
    pub notes: Vec<String>,
    /// Who answered.
    pub evidence: Evidence,
}

/// A conversation.
pub struct Client<'a> {
    cell: &'a Cell,
    /// The model that is asked, where a real one is.
    model: Option<String>,
    here: Server,
    elsewhere: Server,
    other: Arc<Endpoint>,
    /// Whether the other provider is asked.
    away: bool,
    messages: Vec<Value>,
    heard: Heard,
    seen: Seen,
}

impl<'a> Client<'a> {
    /// A client of a cell: of a live endpoint, or of our own fake under this seed.
    pub fn new(cell: &'a Cell, live: Option<&Live>, seed: u64) -> Self {
        let others = ELSEWHERE.iter().filter_map(|name| Book::builtin().find(name));
        let other = others
            .into_iter()
            .find(|other| other.provider != cell.endpoint.provider);
        let other = Arc::clone(other.unwrap_or(&cell.endpoint));
        Self {
            cell,
            model: live.map(|live| live.model.clone()),
            here: live.map_or_else(
                || Server::fake(&cell.endpoint, seed),
                |live| Server::Live(Box::new(live.clone())),
            ),
            elsewhere: Server::fake(&other, seed),
            other,
            away: false,
            messages: Vec::new(),
            heard: Heard::default(),
            seen: Seen {
                called: true,
                ..Seen::default()
            },
        }
    }

    /// Does the task, up to its end or to the first refusal.
    pub fn work(mut self) -> Seen {
        for step in self.cell.task.steps() {
            match step {
                Step::User(line) => self.say(*line),
                Step::Outputs(outcome) => self.outputs(*outcome),
                Step::Compact => self.compact(),
                Step::Elsewhere => self.away = true,
                Step::Here => self.away = false,
                Step::Model(says) => {
                    if !self.answered(says) {
                        break;
                    }
                }
            }
        }
        self.seen
    }

    fn say(&mut self, line: Line) {
        let text = match &self.model {
            None => words::for_fake(line).to_owned(),
            Some(_) => words::for_model(self.cell.task, line, self.messages.is_empty()),
        };
        self.messages.push(json!({"role": "user", "content": text}));
    }

    /// Whether there is an answer that the task can go on with.
    fn answered(&mut self, says: &[Says]) -> bool {
        for _ in 0..=EXTRA_CALLS_MAX {
            let Some(turn) = self.ask(says) else {
                return false;
            };
            self.messages.push(Value::Object(turn.value()));
            let called: Vec<String> = turn.calls().map(|call| call.name.clone()).collect();
            self.hear(turn);
            let mut wanted = says.iter().filter_map(|says| match says {
                Says::Call(name) => Some(*name),
                Says::Text => None,
            });
            if let Some(missing) = wanted.clone().find(|name| !called.iter().any(|own| own == name)) {
                self.seen.called = false;
                self.seen.notes.push(format!("no call of `{missing}`"));
                return false;
            }
            // A real model may call more often than it was asked to.
            if wanted.next().is_some() || called.is_empty() {
                return true;
            }
            self.outputs(Outcome::Works);
        }
        self.seen.notes.push("the model goes on calling".to_owned());
        self.seen.called = false;
        false
    }

    fn hear(&mut self, turn: AssistantTurn) {
        if self.model.is_none() {
            self.seen.recalls = Some(turn.text().contains("nonce-"));
            return;
        }
        self.heard.hear(turn);
        self.seen.recalls = self.heard.recalls();
        self.seen.confuses = self.heard.confuses();
    }

    fn outputs(&mut self, outcome: Outcome) {
        let calls = self.messages.last().and_then(|last| last.get("tool_calls"));
        let calls = calls.and_then(Value::as_array).cloned().unwrap_or_default();
        self.messages.extend(calls.iter().map(|call| {
            let text = match outcome {
                Outcome::Works => words::output(call["function"]["name"].as_str().unwrap_or_default()),
                Outcome::Fails => "error: the tool timed out",
            };
            json!({"role": "tool", "tool_call_id": call["id"], "content": text})
        }));
    }

    /// The last question and its answer stay as they are.
    fn compact(&mut self) {
        let keep = self.messages.len().saturating_sub(2);
        let summary =
            json!({"role": "user", "content": "Summary of what was said before: a line was written."});
        self.messages.splice(..keep, [summary]);
    }

    /// Sends the history and gives the answer; `None` where it is refused.
    fn ask(&mut self, says: &[Says]) -> Option<AssistantTurn> {
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
        let server = if self.away {
            &mut self.elsewhere
        } else {
            &mut self.here
        };
        let answer = server.ask(path, body, task::reply(says));
        for note in answer.notes {
            self.note(note);
        }
        self.seen.status = answer.response.status;
        if !self.away {
            self.seen.evidence = answer.evidence;
            self.seen.latency = answer
                .latency
                .map(|latency| latency + self.seen.latency.unwrap_or_default());
        }
        if answer.response.status != 200 {
            return None;
        }
        let turn = match completed(&answer.response) {
            Ok(turn) => turn,
            Err(why) => {
                self.seen.status = 0;
                self.note(format!("no answer: {why}"));
                return None;
            }
        };
        let usage = usage(&answer.response);
        let number = |pointer: &str| usage.as_ref()?.pointer(pointer)?.as_u64();
        self.seen.input_tokens = number("/prompt_tokens");
        self.seen.cached_tokens = number("/prompt_tokens_details/cached_tokens");
        Some(turn)
    }

    fn note(&mut self, note: String) {
        if !self.seen.notes.contains(&note) {
            self.seen.notes.push(note);
        }
    }

    fn body(&self, endpoint: &Endpoint) -> Value {
        let mut body = Object::new();
        let model = self.model.clone().filter(|_| !self.away);
        body.insert(
            "model".to_owned(),
            model.unwrap_or_else(|| endpoint.example_model()).into(),
        );
        let messages: Vec<Value> = self
            .messages
            .iter()
            .map(|message| self.treated(message))
            .collect();
        body.insert("messages".to_owned(), messages.into());
        if self.cell.task.has_tools() {
            let tool = |name: &str| {
                json!({"type": "function", "function": {"name": name, "description": "Says a number.",
                       "parameters": {"type": "object", "properties": {}}}})
            };
            body.insert("tools".to_owned(), words::TOOLS.map(tool).to_vec().into());
        }
        body.insert(
            "stream".to_owned(),
            (self.cell.transport == Transport::Sse).into(),
        );
        let mut extra = endpoint.when.members().unwrap_or_default();
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

/// What the model said, where a 200 holds a whole chat completion; else what it lacks.
fn completed(response: &ResponseRecord) -> Result<AssistantTurn, &'static str> {
    let events = response.events.iter().flatten();
    let documents = response.body.iter().map(|body| body.get("error"));
    let mut errors = documents.chain(events.map(|event| event.object().get("error")));
    if errors.any(|error| error.is_some_and(|error| !error.is_null())) {
        return Err("a 200 that holds an error");
    }
    let turn = answered(Wire::ChatCompletions, response).ok_or("a 200 that is no chat completion")?;
    match response.end {
        End::Complete => Ok(turn),
        End::Cut | End::HalfClose | End::Reset | End::Timeout | End::ClientGone => {
            Err("a stream without an end")
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::server::record;

    const CHUNK: &str = r#"data: {"choices":[{"index":0,"delta":{"content":"Grey"},"finish_reason":null}]}"#;
    const FINISHED: &str = r#"data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;

    fn said(text: &str) -> Result<String, &'static str> {
        completed(&record(200, text)).map(|turn| turn.text())
    }

    #[test]
    fn a_whole_completion_is_an_answer() {
        let whole = r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"Grey"}}]}"#;
        assert_eq!(said(whole), Ok("Grey".to_owned()));
        let done = format!("{CHUNK}\n\ndata: [DONE]\n\n");
        assert_eq!(said(&done), Ok("Grey".to_owned()));
        // The last line may lack its end.
        assert_eq!(said(&format!("{CHUNK}\n\n{FINISHED}")), Ok("Grey".to_owned()));
    }

    #[test]
    fn a_200_with_anything_else_is_none() {
        let none = Err("a 200 that is no chat completion");
        for text in [
            "",
            "<html></html>",
            "[]",
            r#"{"ok":true}"#,
            r#"{"choices":[]}"#,
            "data: [DONE]\n\n",
        ] {
            assert_eq!(said(text), none, "{text}");
        }
        assert_eq!(said(&format!("{CHUNK}\n\n")), Err("a stream without an end"));
        let error = r#"{"error":{"message":"overloaded"}}"#;
        for text in [error, &format!("{CHUNK}\n\ndata: {error}\n\ndata: [DONE]\n\n")] {
            assert_eq!(said(text), Err("a 200 that holds an error"), "{text}");
        }
    }
}
