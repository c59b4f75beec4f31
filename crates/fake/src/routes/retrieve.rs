//! Stored responses: how a GET shows them, DELETE, their input.

use holdover_wire::Members as _;
use std::sync::Arc;

use holdover_profile::{Encrypted, LifeCycle};
use holdover_wire::item::ItemView;
use holdover_wire::{ApiError, Object};
use serde_json::{Value, json};

use crate::fake::{Answer, Job};
use crate::refusal;
use crate::render::item::{reasoning_payload, with_token};
use crate::render::{hosted, object};
use crate::routes::list;
use crate::seal::{Payload, Stage};
use crate::store::{Change, Run, StoredResponse, Writes};

pub(crate) fn stored<'a>(job: &Job<'a>, id: &str) -> Result<&'a Arc<StoredResponse>, ApiError> {
    let found = job.loaded.responses.get(id);
    found.ok_or_else(|| refusal::response_not_found(id))
}

/// A stored response that is over, as a GET shows it.
pub(crate) fn finished(job: &Job<'_>, stored: &StoredResponse) -> Object {
    let shown = stored
        .output
        .iter()
        .map(|item| shown(job, Some(&stored.family), item));
    let items = shown.map(Value::Object);
    let mut response = without_output(stored);
    object::bill(&mut response);
    object::put_output(&mut response, items.collect());
    response
}

/// Its terminal object with an empty output.
pub(crate) fn without_output(stored: &StoredResponse) -> Object {
    // The text is our own, so it parses.
    serde_json::from_str(&stored.text).unwrap_or_default()
}

/// A stored item as a GET shows it: `include` seals its token again and shows what is hidden else. `family` is that of
/// the model that made it.
pub(crate) fn shown(job: &Job<'_>, family: Option<&str>, item: &Object) -> Object {
    let always = job.fake.config.profile.switches.encrypted == Encrypted::Always;
    let seals = always || includes(job, "reasoning.encrypted_content");
    let sealed = family
        .filter(|_| seals)
        .and_then(|family| sealed_again(job, family, item));
    let mut shown = sealed.unwrap_or_else(|| item.clone());
    hosted::hide(|value| includes(job, value), &mut shown);
    shown
}

/// `include` of the query, in both spellings.
fn includes(job: &Job<'_>, value: &str) -> bool {
    let mut asked = job.call.query.iter();
    asked.any(|(name, asked)| matches!(name.as_str(), "include" | "include[]") && asked == value)
}

/// A GET seals again; the salt tells apart two of them.
fn sealed_again(job: &Job<'_>, family: &str, item: &Object) -> Option<Object> {
    let view = ItemView::new(item);
    let issued = job.fake.ids.read(view.id()?)?;
    if view.type_name() != Some("reasoning") || view.encrypted_content().is_some() {
        return None;
    }
    let payload = Payload {
        stage: Stage::Get,
        ..reasoning_payload(job, family, view.id()?, &issued.stem, issued.output_index()?)
    };
    let second = issued.stem.second() + u64::from(issued.output_index()?);
    Some(with_token(
        item,
        job.fake.sealer.seal(&payload, second, job.moment.occurrence),
    ))
}

/// `DELETE /responses/{id}`
pub(crate) fn delete(job: &Job<'_>, id: &str) -> Result<Answer, ApiError> {
    let stored = stored(job, id)?;
    let is_running = matches!(stored.run, Run::Queued | Run::InProgress);
    if is_running && job.fake.config.profile.switches.life_cycle == LifeCycle::Strict {
        return Err(refusal::cannot_delete_running());
    }
    let answer = job.plain(json!({"id": id, "object": "response", "deleted": true}));
    let changes = vec![Change::DeleteResponse(id.to_owned())];
    Ok(Answer {
        writes: Writes {
            changes,
            ..Writes::default()
        },
        ..answer
    })
}

/// `GET /responses/{id}/input_items`: the whole input as the model saw it, which includes the history that state
/// resolved (unsure, `tests/facts/endpoints.md`, List object).
pub(crate) fn input_items(job: &Job<'_>, id: &str) -> Result<Answer, ApiError> {
    let Some((newest, older)) = job.loaded.history.split_last() else {
        return Err(refusal::response_not_found(id));
    };
    let mut items = Vec::new();
    for response in older {
        items.extend(response.input.iter().cloned());
        items.extend(response.output.iter().cloned());
    }
    items.extend(newest.input.iter().cloned());
    let id = |item: &'_ Object| item.member("id").and_then(Value::as_str).map(ToOwned::to_owned);
    let ids: Vec<Option<String>> = items.iter().map(id).collect();
    let rows: Vec<(Option<String>, Object)> = ids.into_iter().zip(items).collect();
    let page = list::page(
        job.call,
        &rows,
        |row| row.0.as_deref(),
        |row| shown(job, None, &row.1),
    )?;
    Ok(job.plain(page))
}
