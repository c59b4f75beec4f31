//! `POST /v1/responses`.

use std::sync::Arc;

use holdover_profile::StreamDone;
use holdover_wire::id::Persistence;
use holdover_wire::item::ItemView;
use holdover_wire::plan::{PlanBody, Step};
use holdover_wire::{ApiError, CallBody, ItemKind, Object, Plan};
use serde_json::Value;

use crate::chain::{ChainState, ToolFamily};
use crate::derive::Purpose;
use crate::fake::{Answer, Job};
use crate::ids::Place;
use crate::refusal;
use crate::render::events::{Obfuscation, Stream};
use crate::render::headers;
use crate::render::item::{self, Output};
use crate::render::object;
use crate::render::usage::{self, Usage};
use crate::routes::{conversations, input};
use crate::seal::Stage;
use crate::speech;
use crate::store::{Change, StoredResponse, Writes};
use crate::turn::{Reasons, Turn};
use crate::validate::{self, input as schema};

/// Answers a create call.
pub(crate) fn answer(job: &Job<'_>) -> Result<Answer, ApiError> {
    let empty = Object::new();
    let body = match &job.call.body {
        CallBody::Json(Value::Object(body)) => body,
        CallBody::Empty => &empty,
        CallBody::Json(_) | CallBody::Invalid(_) => return Err(refusal::malformed_json()),
    };
    let checked = validate::check(job, body)?;
    let turn = Turn::new(job, checked);
    let parts = speech::parts(job, &turn);
    let outputs = item::outputs(job, &turn, parts);
    let finished = Finished {
        usage: usage_of(job, &turn, &outputs),
        second: turn.stem.second() + outputs.len().max(1) as u64,
        outputs,
    };
    let carried = turn.carried();
    let mut response = object::running(job, &turn);
    if turn.request.stream() {
        let events = opened(job, &turn, &finished, &response);
        finished.complete(&mut response);
        let writes = writes(job, &turn, &finished, &response);
        let plan = stream_plan(job, &turn, &finished, events, response);
        return Ok(Answer {
            plan,
            writes,
            carried,
        });
    }
    finished.complete(&mut response);
    let writes = writes(job, &turn, &finished, &response);
    object::bill(&mut response);
    object::put_output(&mut response, finished.terminal(job));
    let headers = with_notes(&turn, headers::json(job));
    let plan = Plan::json(200, headers, Value::Object(response));
    Ok(Answer {
        plan,
        writes,
        carried,
    })
}

/// What the model wrote, and when it was done.
struct Finished {
    outputs: Vec<Output>,
    usage: Usage,
    /// Second after the last item: the response that continues this one is created in it.
    second: u64,
}

impl Finished {
    fn terminal(&self, job: &Job<'_>) -> Vec<Value> {
        let items = self.outputs.iter();
        items
            .map(|output| Value::Object(output.at(job, Stage::Terminal, self.second)))
            .collect()
    }

    /// Everything of the terminal object but its output.
    fn complete(&self, response: &mut Object) {
        object::complete(response, self.second, self.usage);
    }
}

/// The stream up to its terminal event.
fn opened<'a, 'b>(
    job: &'b Job<'a>,
    turn: &Turn<'_>,
    finished: &Finished,
    running: &Object,
) -> Stream<'a, 'b> {
    let mut stream = Stream::new(job, obfuscation(turn));
    stream.life_cycle("response.created", running.clone());
    stream.life_cycle("response.in_progress", running.clone());
    stream.outputs(&finished.outputs);
    stream
}

fn stream_plan(
    job: &Job<'_>,
    turn: &Turn<'_>,
    finished: &Finished,
    mut stream: Stream<'_, '_>,
    mut response: Object,
) -> Plan {
    object::put_output(&mut response, finished.terminal(job));
    stream.life_cycle("response.completed", response);
    let headers = with_notes(turn, headers::stream(job));
    let mut plan = Plan::stream(headers, stream.finish());
    let done = job.fake.config.profile.switches.stream_done;
    if let (StreamDone::Sent, PlanBody::Stream(steps)) = (done, &mut plan.body) {
        steps.push(Step::Raw(b"data: [DONE]\n\n".to_vec()));
    }
    plan
}

/// Headers with the two numbers, and with what was accepted although profiles differ about it.
fn with_notes(turn: &Turn<'_>, mut headers: Vec<(String, String)>) -> Vec<(String, String)> {
    headers::carried(turn.carried(), &mut headers);
    if turn.takes_foreign_family() {
        headers::note("cross-model-token", &mut headers);
    }
    headers
}

fn obfuscation(turn: &Turn<'_>) -> Obfuscation {
    let options = turn.request.member("stream_options");
    let asked = options.and_then(|options| options.get("include_obfuscation"));
    match asked.and_then(Value::as_bool) {
        Some(false) => Obfuscation::Off,
        Some(true) | None => Obfuscation::On,
    }
}

fn usage_of(job: &Job<'_>, turn: &Turn<'_>, outputs: &[Output]) -> Usage {
    let request = turn.request;
    let instructions = request.instructions().map_or(0, usage::message_tokens);
    let tools = usage::tools_tokens(request.member("tools"));
    let visible: u64 = outputs.iter().map(|output| output.tokens).sum();
    let reasoning = reasoning_tokens(job, turn, outputs);
    Usage {
        input: turn.chain.tokens + instructions + tools + usage::REQUEST_TOKENS,
        cached: usage::cached(turn.prefix_tokens),
        output: visible + reasoning,
        reasoning,
    }
}

/// Reasoning has no text here; its size follows the effort.
fn reasoning_tokens(job: &Job<'_>, turn: &Turn<'_>, outputs: &[Output]) -> u64 {
    let items = outputs.iter().filter(|output| is_reasoning(output)).count() as u64;
    if items == 0 || turn.reasons == Reasons::No {
        return 0;
    }
    let base: u64 = match turn.effort {
        Some("minimal" | "low") => 64,
        Some("high") => 512,
        Some("xhigh" | "max") => 1_024,
        _ => 192,
    };
    match turn.model.shape {
        holdover_profile::Shape::Newest => items * base + job.draw.number(Purpose::Effort) % 64,
        // Older models count in multiples of 64 (`tests/facts/state.md`).
        holdover_profile::Shape::Older => items * base,
    }
}

fn is_reasoning(output: &Output) -> bool {
    ItemView::new(&output.bare).kind() == ItemKind::Reasoning
}

/// `response` is the terminal object without its output.
fn writes(job: &Job<'_>, turn: &Turn<'_>, finished: &Finished, response: &Object) -> Writes {
    let mut writes = Writes {
        changes: issued_types(&finished.outputs).collect(),
        ..Writes::default()
    };
    let conversation = turn.request.conversation();
    let is_stored = turn.persistence == Persistence::Persisted;
    if !is_stored && conversation.is_none() {
        return writes;
    }
    let chain = after(job, turn, finished);
    let input = input::listed(job, &turn.stem, turn.request, &turn.entries);
    if let Some(id) = conversation {
        let output = finished.outputs.iter().map(|output| output.bare.clone());
        let family = &turn.model.family;
        let change = conversations::append(id, input.clone(), output, family, chain.clone());
        writes.changes.push(change);
    }
    if is_stored {
        let stored = StoredResponse {
            id: job.fake.ids.id("resp", &turn.stem, Place::Response),
            text: serde_json::to_string(response).unwrap_or_default(),
            output: finished
                .outputs
                .iter()
                .map(|output| output.bare.clone())
                .collect(),
            input,
            parent: turn.request.previous_response_id().map(ToOwned::to_owned),
            family: turn.model.family.clone(),
            chain,
        };
        writes.changes.push(Change::PutResponse(Arc::new(stored)));
    }
    writes
}

/// Types that the API does not list: from now on the session takes them back.
fn issued_types(outputs: &[Output]) -> impl Iterator<Item = Change> {
    let names = outputs
        .iter()
        .filter_map(|output| ItemView::new(&output.bare).type_name());
    let unlisted = names.filter(|name| !schema::is_listed(name));
    unlisted.map(|name| Change::IssueType(name.to_owned()))
}

/// The context after the output.
fn after(job: &Job<'_>, turn: &Turn<'_>, finished: &Finished) -> ChainState {
    let mut chain = turn.chain.clone();
    chain.partition = Some(turn.stem.partition);
    for (index, output) in (0_u16..).zip(&finished.outputs) {
        let item = ItemView::new(&output.bare);
        chain.see_tick(turn.stem.tick + u32::from(index));
        chain.tokens += output.tokens;
        match (item.kind(), item.call_id()) {
            (ItemKind::Reasoning, _) => {
                let recall = job.fake.ids.recall(turn.stem.nonce, index);
                chain.reasoning(Some(&output.id), Some((&turn.model.family, recall)));
            }
            (ItemKind::Compaction, _) => {
                chain.compaction(output.seal.as_ref().and_then(|payload| payload.recall));
            }
            (ItemKind::FunctionCall, Some(call_id)) => chain.call(call_id, ToolFamily::Function),
            (ItemKind::CustomToolCall, Some(call_id)) => chain.call(call_id, ToolFamily::Custom),
            _ => chain.other(),
        }
    }
    chain
}
