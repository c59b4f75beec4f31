//! Background runs: polling, resuming a stream, cancelling (`tests/facts/streaming.md` section 9,
//! `tests/facts/endpoints.md`, GET / cancel / delete rules). See [`Run`] for how time passes.

use holdover_profile::LifeCycle;
use holdover_wire::Members as _;
use holdover_wire::item::ItemView;
use holdover_wire::{ApiError, Event, ItemKind, Object};
use serde_json::{Value, json};

use crate::fake::{Answer, Carried, Job};
use crate::refusal;
use crate::render::{headers, object};
use crate::routes::create::stream_plan;
use crate::routes::retrieve::{finished, stored, without_output};
use crate::store::{Change, Mode, Run, StoredResponse, Writes};

/// Events of a stream before its first item: created, queued, in progress.
const EVENTS_BEFORE_ITEMS: usize = 3;

/// Events as JSON lines.
pub(crate) fn lines(events: &[Event]) -> String {
    let mut text = String::new();
    for event in events {
        // Serializing a JSON object into memory cannot fail.
        text.push_str(&serde_json::to_string(event).unwrap_or_default());
        text.push('\n');
    }
    text
}

/// `GET /responses/{id}`: each GET of a background run finds it one step further.
pub(crate) fn retrieve(job: &Job<'_>, id: &str) -> Result<Answer, ApiError> {
    let stored = stored(job, id)?;
    if job.call.query("stream") == Some("true") {
        return resume(job, stored);
    }
    let run = stored.run.next();
    let answer = job.plain(Value::Object(shown(job, stored, run)));
    Ok(now(answer, stored, run))
}

/// The response as it is at a stage of its run.
fn shown(job: &Job<'_>, stored: &StoredResponse, run: Run) -> Object {
    let (status, output) = match run {
        Run::Finished => return finished(job, stored),
        Run::Queued => ("queued", Vec::new()),
        Run::InProgress => ("in_progress", Vec::new()),
        Run::CancelledQueued => ("cancelled", Vec::new()),
        Run::CancelledInProgress => ("cancelled", begun(stored)),
    };
    let mut response = without_output(stored);
    object::unfinish(&mut response, status);
    object::put_output(&mut response, output);
    response
}

/// What a run had written when it was cancelled: everything before its first message, and that message without a word.
fn begun(stored: &StoredResponse) -> Vec<Value> {
    let mut begun = Vec::new();
    for item in &stored.output {
        let mut item = item.clone();
        if ItemView::new(&item).kind() == ItemKind::Message {
            item.insert("status".to_owned(), "in_progress".into());
            item.insert("content".to_owned(), json!([]));
            begun.push(Value::Object(item));
            break;
        }
        begun.push(Value::Object(item));
    }
    begun
}

/// Writes how far a run is, where that changed.
fn now(mut answer: Answer, stored: &StoredResponse, run: Run) -> Answer {
    if run != stored.run {
        answer.writes.changes.push(Change::SetRun {
            response: stored.id.clone(),
            run,
        });
    }
    answer
}

/// `GET /responses/{id}?stream=true`: the events after `starting_after`, with their numbers.
fn resume(job: &Job<'_>, stored: &StoredResponse) -> Result<Answer, ApiError> {
    let lines = match (stored.mode, &stored.events) {
        (Mode::Foreground, _) => return Err(refusal::cannot_stream("background")),
        (Mode::Background, _) | (Mode::BackgroundStream, None) => {
            return Err(refusal::cannot_stream("stream"));
        }
        (Mode::BackgroundStream, Some(lines)) => lines,
    };
    let skipped = match job.call.query("starting_after") {
        None => 0,
        Some(text) => {
            let after = text.parse::<usize>();
            let after =
                after.map_err(|_| refusal::invalid_type("starting_after", "an integer", "a string"))?;
            after.saturating_add(1)
        }
    };
    // The stream of a cancelled run just ends: there is no event that says so.
    let (sent, run) = match stored.run {
        Run::Queued | Run::InProgress | Run::Finished => (usize::MAX, Run::Finished),
        Run::CancelledQueued | Run::CancelledInProgress => (EVENTS_BEFORE_ITEMS, stored.run),
    };
    let events = lines.lines().take(sent).skip(skipped);
    let events = events
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    let answer = Answer {
        plan: stream_plan(job, headers::stream(job), events),
        writes: Writes::default(),
        carried: Carried::default(),
    };
    Ok(now(answer, stored, run))
}

/// `POST /responses/{id}/cancel`
pub(crate) fn cancel(job: &Job<'_>, id: &str) -> Result<Answer, ApiError> {
    let stored = stored(job, id)?;
    if stored.mode == Mode::Foreground {
        return Err(refusal::cannot_cancel());
    }
    let run = match stored.run {
        Run::Queued => Run::CancelledQueued,
        Run::InProgress => Run::CancelledInProgress,
        Run::CancelledQueued | Run::CancelledInProgress | Run::Finished => stored.run,
    };
    let response = shown(job, stored, run);
    let is_over = run == Run::Finished;
    if is_over && job.fake.config.profile.switches.life_cycle == LifeCycle::Strict {
        let status = response
            .member("status")
            .and_then(Value::as_str)
            .unwrap_or("completed");
        return Err(refusal::cannot_cancel_finished(status));
    }
    Ok(now(job.plain(Value::Object(response)), stored, run))
}
