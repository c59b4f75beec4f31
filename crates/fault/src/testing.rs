//! Small answers, and a short form of plans that expectations are written in by hand.

use std::fmt::Write as _;

use holdover_wire::{Call, Event, Plan, PlanBody, Step};
use serde_json::{Value, json};

use crate::chance::Chance;
use crate::edit::steps::event;
use crate::fault::Fault;
use crate::session::{Faults, Occasion, Played, Said, Ticket};

/// A stream: reasoning with a summary and its three tokens, then a message with a character of more than one byte.
pub(crate) fn stream() -> Plan {
    let reasoning = |token: &str, summary: Value| json!({"id": "rs_1", "type": "reasoning", "summary": summary, "encrypted_content": token});
    let summary = || json!([{"type": "summary_text", "text": "Think."}]);
    let message = |status: &str, content: Value| json!({"id": "msg_1", "type": "message", "status": status, "role": "assistant", "content": content});
    let content = || json!([{"type": "output_text", "text": "Grüße", "annotations": []}]);
    let response = |status: &str, output: Value| json!({"id": "resp_1", "object": "response", "status": status, "error": null, "incomplete_details": null, "model": "gpt-5.6", "output": output, "usage": null});
    let part = |name: &str, text: &str| json!({"type": format!("response.reasoning_summary_part.{name}"), "item_id": "rs_1", "output_index": 0, "part": {"type": "summary_text", "text": text}, "summary_index": 0});
    let members = [
        json!({"type": "response.created", "response": response("in_progress", json!([]))}),
        json!({"type": "response.in_progress", "response": response("in_progress", json!([]))}),
        json!({"type": "response.output_item.added", "item": reasoning("partial", json!([])), "output_index": 0}),
        part("added", ""),
        json!({"type": "response.reasoning_summary_text.delta", "delta": "Think.", "item_id": "rs_1", "output_index": 0, "summary_index": 0}),
        json!({"type": "response.reasoning_summary_text.done", "item_id": "rs_1", "output_index": 0, "summary_index": 0, "text": "Think."}),
        part("done", "Think."),
        json!({"type": "response.output_item.done", "item": reasoning("full", summary()), "output_index": 0}),
        json!({"type": "response.output_item.added", "item": message("in_progress", json!([])), "output_index": 1}),
        json!({"type": "response.content_part.added", "content_index": 0, "item_id": "msg_1", "output_index": 1, "part": {"type": "output_text", "annotations": [], "text": ""}}),
        json!({"type": "response.output_text.delta", "content_index": 0, "delta": "Grü", "item_id": "msg_1", "output_index": 1}),
        json!({"type": "response.output_text.delta", "content_index": 0, "delta": "ße", "item_id": "msg_1", "output_index": 1}),
        json!({"type": "response.output_text.done", "content_index": 0, "item_id": "msg_1", "output_index": 1, "text": "Grüße"}),
        json!({"type": "response.content_part.done", "content_index": 0, "item_id": "msg_1", "output_index": 1, "part": content()[0]}),
        json!({"type": "response.output_item.done", "item": message("completed", content()), "output_index": 1}),
        json!({"type": "response.completed", "response": response("completed", json!([reasoning("last", summary()), message("completed", content())]))}),
    ];
    let events = members.into_iter().enumerate().map(|(number, mut members)| {
        members["sequence_number"] = number.into();
        event(members)
    });
    let headers = vec![(
        "content-type".to_owned(),
        "text/event-stream; charset=utf-8".to_owned(),
    )];
    Plan::stream(headers, events.collect())
}

/// The same answer as a document.
pub(crate) fn document() -> Plan {
    let PlanBody::Stream(steps) = stream().body else {
        return Plan::nothing(holdover_wire::End::Complete);
    };
    let terminal = steps.last().and_then(Step::event).expect("a terminal event");
    let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
    Plan::json(200, headers, terminal.object()["response"].clone())
}

/// One session with faults in their flag form.
pub(crate) struct Scripted {
    pub(crate) faults: Faults,
    exchange: u64,
}

impl Scripted {
    pub(crate) fn new(flags: &[&str]) -> Self {
        Self::seeded(7, flags)
    }

    pub(crate) fn seeded(seed: u64, flags: &[&str]) -> Self {
        let faults = flags.iter().map(|flag| match Fault::parse_flag(flag) {
            Ok(fault) => fault,
            Err(problems) => panic!("{flag}: {problems:?}"),
        });
        Self {
            faults: Faults::new(faults.collect(), Chance::new(seed, "test")),
            exchange: 0,
        }
    }

    /// A create call of this body, answered by `answer` where no fault refuses.
    pub(crate) fn send(&mut self, body: Value, answer: Plan) -> Played {
        self.call(&Call::post("/v1/responses", body), answer)
    }

    pub(crate) fn call(&mut self, call: &Call, answer: Plan) -> Played {
        self.exchange += 1;
        let occasion = Occasion::new(self.exchange, call);
        let before = self.faults.before(&occasion);
        self.faults
            .rewrite(&occasion, before.ticket, before.refusal.unwrap_or(answer))
    }

    /// What a fault refuses of such a create call: status and message. What is let through gets [`stream`].
    pub(crate) fn refused(&mut self, body: Value) -> Option<(u16, String)> {
        self.refusal_of(&Call::post("/v1/responses", body))
    }

    pub(crate) fn refusal_of(&mut self, call: &Call) -> Option<(u16, String)> {
        let plan = self.call(call, stream()).plan;
        let PlanBody::Json(body) = &plan.body else {
            return None;
        };
        Some((plan.status, body["error"]["message"].as_str()?.to_owned()))
    }

    /// What the model says to a plain create call.
    pub(crate) fn reply(&mut self, scripted: Option<&holdover_wire::Reply>) -> (Said, Ticket) {
        self.exchange += 1;
        let call = call();
        let occasion = Occasion::new(self.exchange, &call);
        let mut before = self.faults.before(&occasion);
        let said = self.faults.reply(&occasion, &mut before.ticket, scripted);
        (said, before.ticket)
    }
}

/// A plain create call.
pub(crate) fn call() -> Call {
    Call::post("/v1/responses", body())
}

/// Body of a plain create call.
pub(crate) fn body() -> Value {
    json!({"model": "gpt-5.6", "input": "Hi"})
}

/// A create call that carries the reasoning of [`stream`] with this token, and its message.
pub(crate) fn replay(token: &str) -> Value {
    json!({"model": "gpt-5.6", "input": [
        {"role": "user", "content": "Hi"},
        {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": token},
        {"id": "msg_1", "type": "message", "role": "assistant", "content": []},
        {"role": "user", "content": "And?"},
    ]})
}

/// The plan after these faults, for the first call of a session.
pub(crate) fn play(flags: &[&str], answer: Plan) -> Plan {
    Scripted::new(flags).send(body(), answer).plan
}

/// What faults change of a plan, in the form of [`sketch`]: `- ` for what went, `+ ` for what came, in order.
pub(crate) fn changes(flags: &[&str], answer: Plan) -> Vec<String> {
    let before = sketch(&answer);
    let after = sketch(&play(flags, answer));
    difference(&before, &after)
}

/// A plan in short: its head, a line a step, its end.
pub(crate) fn sketch(plan: &Plan) -> Vec<String> {
    const LEFT_OUT: [&str; 5] = [
        "x-request-id",
        "openai-version",
        "x-holdover-fault",
        "x-holdover-evidence",
        "x-holdover-refusal",
    ];
    let mut head = plan.status.to_string();
    for (name, value) in &plan.headers {
        if !LEFT_OUT.contains(&name.as_str()) {
            write!(head, " {name}={value}").expect("a string takes all");
        }
    }
    let mut lines = Vec::new();
    if !plan.wait.is_zero() {
        lines.push(format!("wait {}ms", plan.wait.as_millis()));
    }
    lines.push(head);
    match &plan.body {
        PlanBody::Json(body) => lines.push(body.to_string()),
        PlanBody::Stream(steps) => lines.extend(steps.iter().map(step_line)),
        PlanBody::Nothing => lines.push("nothing".to_owned()),
    }
    lines.push(format!("{:?}", plan.end).to_lowercase());
    lines
}

fn step_line(step: &Step) -> String {
    match step {
        Step::Event(event) => event_line(event),
        Step::Wait(wait) => format!("wait {}ms", wait.as_millis()),
        Step::Raw(bytes) => format!("raw {}", escaped(bytes)),
        Step::Framed(_, bytes) => format!("framed {}", escaped(bytes)),
        Step::Close(code) => format!("close {code}"),
    }
}

fn escaped(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string().replace("\\\"", "\"")
}

fn event_line(event: &Event) -> String {
    let object = event.object();
    let number = object
        .get("sequence_number")
        .map_or("-".to_owned(), Value::to_string);
    let name = event.name().strip_prefix("response.").unwrap_or(event.name());
    let mut line = format!("{number} {name}");
    if let Some(item) = object.get("item") {
        write!(line, " {}", item_line(item)).expect("a string takes all");
    } else if let Some(id) = event.item_id() {
        write!(line, " {id}").expect("a string takes all");
    }
    for member in ["delta", "text"] {
        if let Some(text) = object.get(member).and_then(Value::as_str) {
            write!(line, " {text}").expect("a string takes all");
        }
    }
    for member in ["error", "code"] {
        if let Some(value) = object.get(member) {
            write!(line, " {member}={value}").expect("a string takes all");
        }
    }
    if let Some(response) = object.get("response") {
        line.push_str(&response_line(response));
    }
    line
}

fn response_line(response: &Value) -> String {
    let mut line = String::new();
    for member in ["error", "incomplete_details"] {
        if !response[member].is_null() {
            write!(line, " {member}={}", response[member]).expect("a string takes all");
        }
    }
    let output = response["output"].as_array();
    let items: Vec<String> = output.into_iter().flatten().map(item_line).collect();
    if !items.is_empty() {
        write!(line, " [{}]", items.join(", ")).expect("a string takes all");
    }
    line
}

/// An item in short: type, id, the texts of its summary, its token.
pub(crate) fn item_line(item: &Value) -> String {
    let mut line = format!(
        "{} {}",
        item["type"].as_str().unwrap_or("-"),
        item["id"].as_str().unwrap_or("-")
    );
    let summary = item["summary"].as_array();
    for part in summary.into_iter().flatten() {
        write!(line, " {}", part["text"]).expect("a string takes all");
    }
    if let Some(token) = item.get("encrypted_content") {
        write!(line, " token={}", token.as_str().unwrap_or("null")).expect("a string takes all");
        if token.as_str() == Some("") {
            line.push_str("\"\"");
        }
    }
    line
}

/// What went and what came, by the longest common subsequence.
fn difference(before: &[String], after: &[String]) -> Vec<String> {
    let mut common = vec![vec![0_usize; after.len() + 1]; before.len() + 1];
    for (old, line) in before.iter().enumerate().rev() {
        for (new, other) in after.iter().enumerate().rev() {
            common[old][new] = if line == other {
                common[old + 1][new + 1] + 1
            } else {
                common[old + 1][new].max(common[old][new + 1])
            };
        }
    }
    let (mut old, mut new, mut lines) = (0, 0, Vec::new());
    while old < before.len() || new < after.len() {
        if old < before.len() && new < after.len() && before[old] == after[new] {
            old += 1;
            new += 1;
        } else if old < before.len() && (new == after.len() || common[old + 1][new] >= common[old][new + 1]) {
            lines.push(format!("- {}", before[old]));
            old += 1;
        } else {
            lines.push(format!("+ {}", after[new]));
            new += 1;
        }
    }
    lines
}
