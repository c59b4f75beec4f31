//! `POST /v1/responses`.

use holdover_wire::Members as _;
use std::sync::Arc;

use holdover_profile::{KeepAlive, StreamDone};
use holdover_wire::id::Persistence;
use holdover_wire::item::ItemView;
use holdover_wire::plan::{PlanBody, Step};
use holdover_wire::text::Layout;
use holdover_wire::{ApiError, CallBody, Document, Event, ItemKind, Object, Plan};
use serde_json::Value;

use crate::cache;
use crate::chain::{COMPACTED_TOKENS, ChainState, ToolFamily};
use crate::fake::{Answer, Job};
use crate::ids::Place;
use crate::refusal;
use crate::render::budget::{self, Outcome, Spent};
use crate::render::events::{Obfuscation, Stream};
use crate::render::item::Output;
use crate::render::object::{Billing, Form, Over, Point};
use crate::render::usage::Usage;
use crate::render::{build, headers, hosted};
use crate::routes::{background, conversations, input};
use crate::seal::Stage;
use crate::speech;
use crate::store::{Change, Connection, Mode, ReplyUse, Run, StoredResponse, Writes};
use crate::turn::{Background, Turn};
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
    let said = speech::parts(job, &turn);
    let outputs = build::outputs(job, &turn, said.parts);
    let spent = budget::spend(job, &turn, outputs, said.outcome);
    let finished = Finished::new(job, &turn, spent);
    let mut answer = if turn.request.stream() {
        streamed(job, &turn, &finished)
    } else {
        in_one_piece(job, &turn, &finished)
    };
    // A warm-up says nothing, so the script's reply is still to be said.
    if !turn.is_warm_up() {
        answer.writes.reply = ReplyUse::Used;
    }
    Ok(answer)
}

/// What the model wrote, and when it was done.
pub(crate) struct Finished {
    /// Id of the response.
    id: String,
    outputs: Vec<Output>,
    outcome: Outcome,
    usage: Usage,
    /// Second after the last item: the response that continues this one is created in it.
    second: u64,
}

impl Finished {
    fn new(job: &Job<'_>, turn: &Turn<'_>, spent: Spent) -> Self {
        let items = spent.outputs.len() as u64;
        // A warm-up takes no time (`tests/facts/examples/14_websocket_session.jsonl`).
        let seconds = if turn.is_warm_up() { 0 } else { items.max(1) };
        Self {
            id: job.fake.ids.id("resp", &turn.stem, Place::Response),
            usage: usage_of(turn, &spent),
            second: turn.stem.second() + seconds,
            outputs: spent.outputs,
            outcome: spent.outcome,
        }
    }

    fn terminal(&self, job: &Job<'_>) -> Vec<Arc<Object>> {
        let items = self.outputs.iter();
        items
            .map(|output| output.at(job, Stage::Terminal, self.second))
            .collect()
    }

    /// The response at one point of its run.
    fn form<'a, 'b>(&'b self, turn: &'b Turn<'a>, point: Point<'b>) -> Form<'a, 'b> {
        Form {
            turn,
            id: &self.id,
            point,
            billing: Billing::Absent,
        }
    }

    /// The point at which it is over.
    fn over(&self) -> Point<'_> {
        let types = self.outputs.iter();
        let types = types.filter_map(|output| ItemView::new(&output.bare).type_name());
        Point::Over(Over {
            outcome: &self.outcome,
            second: self.second,
            usage: self.usage,
            searches: types.filter(|name| *name == "web_search_call").count() as u64,
        })
    }

    /// The terminal object as the store keeps it: without its output, which it keeps beside it.
    fn stored_text(&self, turn: &Turn<'_>) -> String {
        let text = self.form(turn, self.over()).text(Layout::Compact, &[]);
        // JSON is UTF-8.
        String::from_utf8(text).unwrap_or_default()
    }
}

/// One JSON document: the finished response, the queued one of a background run, or the HTTP error of a failure.
fn in_one_piece(job: &Job<'_>, turn: &Turn<'_>, finished: &Finished) -> Answer {
    let carried = turn.carried();
    let headers = with_notes(job, turn, finished.usage, headers::json(job));
    if turn.background() == Background::Yes {
        let queued = finished.form(turn, Point::Queued);
        return Answer {
            plan: Plan::json(200, headers, document(&queued, Vec::new())),
            writes: writes(job, turn, finished, None),
            carried,
        };
    }
    if let Outcome::Failed(error) = &finished.outcome {
        let headers = headers::retry_after(error, headers);
        return Answer {
            plan: Plan::refusal(error, headers),
            writes: Writes::default(),
            carried,
        };
    }
    let over = Form {
        billing: Billing::Shown,
        ..finished.form(turn, finished.over())
    };
    Answer {
        plan: Plan::json(200, headers, document(&over, finished.terminal(job))),
        writes: writes(job, turn, finished, None),
        carried,
    }
}

fn document(form: &Form<'_, '_>, output: Vec<Arc<Object>>) -> Document {
    Document::response_text(form.text(Layout::Indented, &output), form.outline(output))
}

/// A stream of events.
fn streamed(job: &Job<'_>, turn: &Turn<'_>, finished: &Finished) -> Answer {
    let mut stream = Stream::new(job, obfuscation(turn), hosted::partial_images(turn.request));
    let begun = |point| finished.form(turn, point).text(Layout::Compact, &[]);
    let in_progress = begun(Point::InProgress);
    if turn.background() == Background::Yes {
        let queued = begun(Point::Queued);
        stream.begun("response.created", &queued);
        stream.begun("response.queued", &queued);
    } else {
        stream.begun("response.created", &in_progress);
    }
    stream.begun("response.in_progress", &in_progress);
    stream.keep_alive();
    stream.outputs(&finished.outputs);
    let name = match &finished.outcome {
        Outcome::Completed => "response.completed",
        Outcome::Incomplete(_) => "response.incomplete",
        Outcome::Failed(error) => {
            stream.error(error);
            "response.failed"
        }
    };
    let (last, output) = (finished.form(turn, finished.over()), finished.terminal(job));
    stream.over(name, &last.text(Layout::Compact, &output), last.outline(output));
    let events = stream.finish();
    Answer {
        writes: writes(job, turn, finished, Some(&events)),
        plan: stream_plan(
            job,
            with_notes(job, turn, finished.usage, headers::stream(job)),
            events,
        ),
        carried: turn.carried(),
    }
}

/// A plan of events, with the lines that are no events and that some endpoints send.
pub(crate) fn stream_plan(job: &Job<'_>, headers: Vec<(String, String)>, events: Vec<Event>) -> Plan {
    let mut plan = Plan::stream(headers, events);
    let switches = &job.fake.config.profile.switches;
    if let (KeepAlive::Comment, PlanBody::Stream(steps)) = (switches.keep_alive, &mut plan.body) {
        let first_item = steps.len().min(2);
        steps.insert(first_item, Step::Raw(b": keep-alive\n\n".to_vec()));
    }
    let done = switches.stream_done;
    if let (StreamDone::Sent, PlanBody::Stream(steps)) = (done, &mut plan.body) {
        steps.push(Step::Raw(b"data: [DONE]\n\n".to_vec()));
    }
    plan
}

/// Headers with the two numbers, and with what was accepted although profiles differ about it.
fn with_notes(
    job: &Job<'_>,
    turn: &Turn<'_>,
    usage: Usage,
    mut headers: Vec<(String, String)>,
) -> Vec<(String, String)> {
    headers::probes(&job.look.probes, &mut headers);
    headers::carried(turn.carried(), &mut headers);
    headers::rate_limits(usage, &mut headers);
    if turn.input_tokens.shown < turn.input_tokens.all {
        headers::note("truncated", &mut headers);
    }
    if turn.takes_foreign_family() {
        headers::note("cross-model-token", &mut headers);
    }
    headers
}

fn obfuscation(turn: &Turn<'_>) -> Obfuscation {
    // Background streams were captured without (`tests/facts/streaming.md` section 9).
    if turn.background() == Background::Yes {
        return Obfuscation::Off;
    }
    let options = turn.request.member("stream_options");
    let asked = options.and_then(|options| options.member("include_obfuscation"));
    match asked.and_then(Value::as_bool) {
        Some(false) => Obfuscation::Off,
        Some(true) | None => Obfuscation::On,
    }
}

fn usage_of(turn: &Turn<'_>, spent: &Spent) -> Usage {
    let input = turn.input_tokens.shown;
    // A compaction pass is billed (`tests/facts/state.md`, Compaction A).
    let is_pass = |output: &&Output| ItemView::new(&output.bare).kind() == ItemKind::Compaction;
    let passes = spent.outputs.iter().filter(is_pass).count() as u64 * input.min(COMPACTED_TOKENS);
    Usage {
        input,
        cached: turn.cached.read.min(input),
        written: turn.cached.written.min(input),
        output: spent.visible + spent.reasoning + passes,
        reasoning: spent.reasoning,
    }
}

/// `events` are those of a stream.
fn writes(job: &Job<'_>, turn: &Turn<'_>, finished: &Finished, events: Option<&[Event]>) -> Writes {
    let mut writes = Writes {
        changes: issued_types(&finished.outputs).collect(),
        ..Writes::default()
    };
    writes.changes.extend(cached_prefixes(job, turn));
    // Items of a failed turn never reach its conversation: they come atomically, after completion.
    let failed = matches!(finished.outcome, Outcome::Failed(_));
    let conversation = turn.request.conversation().filter(|_| !failed);
    let is_stored = turn.persistence == Persistence::Persisted;
    let is_remembered = job.loaded.connection == Connection::Remembers;
    if !is_stored && !is_remembered && conversation.is_none() {
        return writes;
    }
    let chain = after(job, turn, finished);
    let input = input::listed(job, &turn.stem, turn.request, &turn.entries);
    if let Some(id) = conversation {
        let output = finished.outputs.iter().map(Output::stored);
        let family = &turn.model.family;
        let change = conversations::append(id, input.clone(), output, family, chain.clone());
        writes.changes.push(change);
    }
    if is_stored || is_remembered {
        let stored = Arc::new(stored(turn, finished, input, chain, events));
        writes.remembered = is_remembered.then(|| Arc::clone(&stored));
        if is_stored {
            keep(&mut writes, stored);
        }
    }
    writes
}

/// A foreground response is there when it is over; a background one from its start.
fn keep(writes: &mut Writes, stored: Arc<StoredResponse>) {
    match stored.mode {
        Mode::Foreground => writes.changes.push(Change::PutResponse(stored)),
        Mode::Background => writes.early.push(Change::PutResponse(stored)),
        Mode::BackgroundStream => {
            writes.changes.push(Change::SetRun {
                response: stored.id.clone(),
                run: Run::Finished,
            });
            writes.early.push(Change::PutResponse(stored));
        }
    }
}

fn stored(
    turn: &Turn<'_>,
    finished: &Finished,
    input: Vec<Object>,
    chain: ChainState,
    events: Option<&[Event]>,
) -> StoredResponse {
    let (mode, run) = match (turn.background(), events) {
        (Background::No, _) => (Mode::Foreground, Run::Finished),
        (Background::Yes, None) => (Mode::Background, Run::Queued),
        (Background::Yes, Some(_)) => (Mode::BackgroundStream, Run::Queued),
    };
    let outputs = finished.outputs.iter();
    StoredResponse {
        id: finished.id.clone(),
        text: finished.stored_text(turn),
        output: outputs.map(Output::stored).collect(),
        input,
        parent: turn.request.previous_response_id().map(ToOwned::to_owned),
        family: turn.model.family.clone(),
        chain,
        mode,
        run,
        failed: matches!(finished.outcome, Outcome::Failed(_)),
        events: events
            .filter(|_| mode == Mode::BackgroundStream)
            .map(background::lines),
    }
}

/// What the prompt cache keeps of the request.
fn cached_prefixes(job: &Job<'_>, turn: &Turn<'_>) -> Option<Change> {
    let header = job.reading.references.prefix.as_ref()?.header;
    let keys: Vec<_> = turn
        .kept
        .iter()
        .map(|position| header.then(position.prefix))
        .collect();
    (!keys.is_empty()).then_some(Change::Cache(keys))
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
        chain.count(output.tokens, cache::item_hash(item, None));
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
