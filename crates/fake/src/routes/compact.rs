//! `POST /v1/responses/compact` and `POST /v1/responses/input_tokens` (`tests/facts/state.md`, Compaction B).

use holdover_profile::{Context, Org};
use holdover_wire::id::Persistence;
use holdover_wire::item::ItemView;
use holdover_wire::{ApiError, CallBody, CreateRequest, Object};
use serde_json::{Value, json};

use crate::chain::{COMPACTED_TOKENS, ChainState};
use crate::derive::Purpose;
use crate::fake::{Answer, Carried, Job};
use crate::ids::{Place, Stem};
use crate::refusal;
use crate::render::item::{compaction_payload, object};
use crate::render::{headers, usage};
use crate::routes::input;
use crate::seal::{Payload, Stage};
use crate::validate::entries::{self, Entry};
use crate::validate::{context, input as schema, state};

fn body<'a>(job: &Job<'a>) -> Result<&'a Object, ApiError> {
    match &job.call.body {
        CallBody::Json(Value::Object(body)) => Ok(body),
        CallBody::Empty => Err(refusal::missing_parameter("model")),
        CallBody::Json(_) | CallBody::Invalid(_) => Err(refusal::malformed_json()),
    }
}

/// The context of a request that no model answers: what it continues, and its input.
struct Gathered<'a> {
    request: CreateRequest<'a>,
    chain: ChainState,
    entries: Vec<Entry<'a>>,
}

/// The object of a compaction: all user messages word for word, then one compaction item.
pub(crate) fn compact(job: &Job<'_>) -> Result<Answer, ApiError> {
    let request = CreateRequest::new(body(job)?);
    let name = request
        .model()
        .ok_or_else(|| refusal::missing_parameter("model"))?;
    let models = &job.fake.config.models;
    let model = models.find(name).ok_or_else(|| refusal::unknown_model(name))?;
    if let Some(input) = request.member("input") {
        schema::check("input", input)?;
    }
    let mut chain = continued(job, request)?;
    let mut entries = entries::of_input(job, request)?;
    entries::verify_tokens(job, model, &mut entries)?;
    fold(&mut chain, request, &entries);
    let gathered = Gathered {
        request,
        chain,
        entries,
    };
    let stem = stem(job, &gathered.chain);
    let mut output = user_messages(job, &stem, &gathered);
    output.push(compaction(
        job,
        &stem,
        &gathered.chain,
        &model.family,
        output.len(),
    ));
    let rendered = gathered.chain.rendered(Context::AllTurns, &model.family);
    let carried = Carried {
        prior_protected: gathered.chain.protected,
        rendered: rendered.count,
    };
    Ok(answer(job, &stem, &gathered.chain, &output, carried))
}

fn answer(job: &Job<'_>, stem: &Stem, chain: &ChainState, output: &[Value], carried: Carried) -> Answer {
    let input = chain.tokens + usage::REQUEST_TOKENS;
    let counts = usage::Usage {
        input,
        output: input.min(COMPACTED_TOKENS),
        ..usage::Usage::default()
    };
    let body = json!({
        "id": job.fake.ids.id("resp", stem, Place::Response),
        "object": "response.compaction",
        "created_at": stem.second(),
        "output": output,
        "usage": counts.object(),
    });
    let mut answer = job.plain(body);
    headers::carried(carried, &mut answer.plan.headers);
    Answer { carried, ..answer }
}

fn fold(chain: &mut ChainState, request: CreateRequest<'_>, entries: &[Entry<'_>]) {
    if let Some(text) = request.input_text() {
        context::message(chain, text);
    }
    context::extend_leniently(chain, entries);
}

/// The newest response of the history that was loaded.
fn continued(job: &Job<'_>, request: CreateRequest<'_>) -> Result<ChainState, ApiError> {
    let Some(id) = request.previous_response_id() else {
        return Ok(ChainState::default());
    };
    if job.fake.config.org == Org::Zdr {
        return Err(refusal::previous_response_under_zdr());
    }
    let newest = job.loaded.history.last();
    let newest = newest.ok_or_else(|| refusal::previous_response_not_found(id))?;
    Ok(newest.chain.clone())
}

/// Everything from here carries flag `01` (`tests/facts/items.md`, Ids).
fn stem(job: &Job<'_>, chain: &ChainState) -> Stem {
    Stem {
        partition: chain
            .partition
            .unwrap_or_else(|| job.draw.number(Purpose::Partition)),
        persistence: Persistence::NotPersisted,
        tick: job.moment.time.tick(chain.tick),
        nonce: job.fake.ids.nonce(job.draw.number(Purpose::Nonce)),
    }
}

/// Stored messages keep their ids; those of this input get new ones.
fn user_messages(job: &Job<'_>, stem: &Stem, gathered: &Gathered<'_>) -> Vec<Value> {
    let stored = job
        .loaded
        .history
        .iter()
        .flat_map(|response| &response.input)
        .cloned();
    let own = input::listed(job, stem, gathered.request, &gathered.entries);
    stored
        .chain(own)
        .filter(|item| ItemView::new(item).is_user_message())
        .map(Value::Object)
        .collect()
}

fn compaction(job: &Job<'_>, stem: &Stem, chain: &ChainState, family: &str, index: usize) -> Value {
    let index = u16::try_from(index).unwrap_or(u16::MAX);
    let id = job.fake.ids.id("cmp", stem, Place::Output { index, head: None });
    let payload = Payload {
        stage: Stage::Terminal,
        ..compaction_payload(job, family, &id, chain.rendered(Context::AllTurns, family).recall)
    };
    let second = stem.second() + u64::from(index);
    let token = job.fake.sealer.seal(&payload, second, job.moment.occurrence);
    Value::Object(object([
        ("id", id.into()),
        ("type", "compaction".into()),
        ("encrypted_content", token.into()),
    ]))
}

/// `POST /responses/input_tokens`
pub(crate) fn input_tokens(job: &Job<'_>) -> Result<Answer, ApiError> {
    let empty = Object::new();
    let request = match &job.call.body {
        CallBody::Empty => CreateRequest::new(&empty),
        _ => CreateRequest::new(body(job)?),
    };
    if let Some(input) = request.member("input") {
        schema::check("input", input)?;
    }
    let mut chain = state::continued(job, request)?;
    let entries = entries::of_input(job, request)?;
    fold(&mut chain, request, &entries);
    let instructions = request.instructions().map_or(0, usage::message_tokens);
    let tools = usage::tools_tokens(request.member("tools"));
    let count = chain.tokens + instructions + tools + usage::REQUEST_TOKENS;
    Ok(job.plain(json!({"object": "response.input_tokens", "input_tokens": count})))
}
