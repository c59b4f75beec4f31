//! `/v1/conversations`: a minimal store of items, which a create call may continue.

use holdover_wire::Members as _;
use std::sync::Arc;

use holdover_wire::id::Persistence;
use holdover_wire::item::ItemView;
use holdover_wire::{ApiError, CallBody, ItemKind, Object};
use serde_json::{Value, json};

use crate::chain::ChainState;
use crate::derive::Purpose;
use crate::fake::{Answer, Job};
use crate::ids::Stem;
use crate::refusal;
use crate::routes::{input, list, retrieve};
use crate::seal::Payload;
use crate::store::{Change, Conversation, Listed, Writes};
use crate::validate::entries::{self, Entry, Lookup};
use crate::validate::{context, input as schema, members};

/// Items of one call (`tests/facts/endpoints.md`).
const ITEMS_MAX: usize = 20;

const NO_ITEMS: &[Value] = &[];

fn loaded<'a>(job: &Job<'a>, id: &str) -> Result<&'a Conversation, ApiError> {
    let found = job.loaded.conversation.as_deref();
    found.ok_or_else(|| refusal::conversation_not_found(id))
}

fn writing(answer: Answer, changes: Vec<Change>) -> Answer {
    Answer {
        writes: Writes {
            changes,
            ..Writes::default()
        },
        ..answer
    }
}

fn object(conversation: &Conversation) -> Value {
    described(conversation, &conversation.metadata)
}

fn described(conversation: &Conversation, metadata: &Object) -> Value {
    json!({
        "id": conversation.id,
        "object": "conversation",
        "created_at": conversation.created_at,
        "metadata": metadata,
    })
}

fn body<'a>(job: &Job<'a>) -> Result<Option<&'a Object>, ApiError> {
    match &job.call.body {
        CallBody::Empty => Ok(None),
        CallBody::Json(Value::Object(body)) => Ok(Some(body)),
        CallBody::Json(_) | CallBody::Invalid(_) => Err(refusal::malformed_json()),
    }
}

/// `POST /conversations`
pub(crate) fn create(job: &Job<'_>) -> Result<Answer, ApiError> {
    let body = body(job)?;
    let member = |name: &str| {
        body.and_then(|body| body.member(name))
            .filter(|value| !value.is_null())
    };
    let metadata = metadata_of(member("metadata"))?;
    let items = items_of(member("items"))?;
    let added = Added::new(job, items, ChainState::default())?;
    let conversation = Conversation {
        id: format!("conv_{}", job.draw.hex(Purpose::Conversation, 24)),
        created_at: added.stem.second(),
        metadata,
        ids: added
            .items
            .iter()
            .filter_map(|item| item.id())
            .map(ToOwned::to_owned)
            .collect(),
        items: added.items,
        chain: added.chain,
    };
    let answer = job.plain(object(&conversation));
    Ok(writing(
        answer,
        vec![Change::PutConversation(Arc::new(conversation))],
    ))
}

/// Checked as that of a response; none is an empty object.
fn metadata_of(metadata: Option<&Value>) -> Result<Object, ApiError> {
    let Some(metadata) = metadata else {
        return Ok(Object::new());
    };
    members::metadata("metadata", metadata)?;
    Ok(metadata.as_object().cloned().unwrap_or_default())
}

/// `GET /conversations/{id}`
pub(crate) fn one(job: &Job<'_>, id: &str) -> Result<Answer, ApiError> {
    Ok(job.plain(object(loaded(job, id)?)))
}

/// `POST /conversations/{id}`
pub(crate) fn update(job: &Job<'_>, id: &str) -> Result<Answer, ApiError> {
    let conversation = loaded(job, id)?;
    let metadata = body(job)?.and_then(|body| body.member("metadata"));
    let metadata = metadata.ok_or_else(|| refusal::missing_parameter("metadata"))?;
    let metadata = metadata_of(Some(metadata).filter(|value| !value.is_null()))?;
    let answer = job.plain(described(conversation, &metadata));
    let change = Change::SetMetadata {
        conversation: id.to_owned(),
        metadata,
    };
    Ok(writing(answer, vec![change]))
}

/// `DELETE /conversations/{id}`
pub(crate) fn delete(job: &Job<'_>, id: &str) -> Result<Answer, ApiError> {
    loaded(job, id)?;
    let answer = job.plain(json!({"id": id, "object": "conversation.deleted", "deleted": true}));
    Ok(writing(answer, vec![Change::DeleteConversation(id.to_owned())]))
}

/// `GET /conversations/{id}/items`
pub(crate) fn items(job: &Job<'_>, id: &str) -> Result<Answer, ApiError> {
    let conversation = loaded(job, id)?;
    let page = list::page(
        job.call,
        &conversation.items,
        |item| item.id(),
        |item| shown(job, item),
    )?;
    Ok(job.plain(page))
}

fn shown(job: &Job<'_>, item: &Listed) -> Object {
    retrieve::shown(job, item.family.as_deref(), &item.object)
}

/// `POST /conversations/{id}/items`
pub(crate) fn add(job: &Job<'_>, id: &str) -> Result<Answer, ApiError> {
    let conversation = loaded(job, id)?;
    let items = body(job)?.and_then(|body| body.member("items"));
    let items = items.ok_or_else(|| refusal::missing_parameter("items"))?;
    let added = Added::new(job, items_of(Some(items))?, conversation.chain.clone())?;
    let known = added.items.iter().filter_map(|item| item.id());
    if let Some(id) = known.into_iter().find(|id| conversation.ids.contains(*id)) {
        return Err(refusal::duplicate_item(id));
    }
    let data: Vec<Value> = added
        .items
        .iter()
        .map(|item| Value::Object(shown(job, item)))
        .collect();
    let answer = job.plain(list::object(&data, false));
    let change = Change::Append {
        conversation: id.to_owned(),
        items: added.items,
        chain: Box::new(added.chain),
    };
    Ok(writing(answer, vec![change]))
}

/// `GET /conversations/{id}/items/{item_id}`
pub(crate) fn item(job: &Job<'_>, id: &str, item: &str) -> Result<Answer, ApiError> {
    let conversation = loaded(job, id)?;
    let found = conversation.items.iter().find(|listed| listed.id() == Some(item));
    let found = found.ok_or_else(|| refusal::conversation_item_not_found(item, id))?;
    Ok(job.plain(Value::Object(shown(job, found))))
}

/// `DELETE /conversations/{id}/items/{item_id}` answers with the conversation.
pub(crate) fn delete_item(job: &Job<'_>, id: &str, item: &str) -> Result<Answer, ApiError> {
    let conversation = loaded(job, id)?;
    if !conversation.ids.contains(item) {
        return Err(refusal::conversation_item_not_found(item, id));
    }
    let kept = conversation
        .items
        .iter()
        .filter(|listed| listed.id() != Some(item));
    let change = Change::DeleteItem {
        conversation: id.to_owned(),
        item: item.to_owned(),
        chain: Box::new(context_of(job, kept)),
    };
    Ok(writing(job.plain(object(conversation)), vec![change]))
}

/// The context of listed items. Only a deletion needs it: all else goes on from the context that is kept.
fn context_of<'a>(job: &Job<'_>, items: impl Iterator<Item = &'a Arc<Listed>> + Clone) -> ChainState {
    let open = |listed: &Arc<Listed>| {
        let token = ItemView::new(&listed.object).encrypted_content()?;
        job.fake.sealer.open(token).ok()
    };
    let tokens: Vec<Option<Payload>> = items.clone().map(open).collect();
    let entries: Vec<Entry<'_>> = items
        .zip(&tokens)
        .enumerate()
        .map(|(index, (listed, token))| Entry::of_listed(job, index, listed, token.as_ref()))
        .collect();
    let mut chain = ChainState::default();
    context::extend_leniently(&mut chain, &entries);
    chain
}

/// The posted items: at most twenty, each of a legal shape (E20).
fn items_of(items: Option<&Value>) -> Result<&[Value], ApiError> {
    let Some(items) = items else { return Ok(NO_ITEMS) };
    let Value::Array(list) = items else {
        return Err(refusal::invalid_type(
            "items",
            "an array of objects",
            "something else",
        ));
    };
    if list.len() > ITEMS_MAX {
        return Err(refusal::array_too_long("items", ITEMS_MAX, list.len()));
    }
    for (index, item) in list.iter().enumerate() {
        if let Some(item) = item.as_object() {
            storable(index, ItemView::new(item))?;
        }
    }
    schema::check("items", items)?;
    Ok(list)
}

/// What a conversation takes differs from what a request takes (E20).
fn storable(index: usize, item: ItemView<'_>) -> Result<(), ApiError> {
    match item.kind() {
        ItemKind::Reasoning if item.id().is_none() && item.encrypted_content().is_none() => {
            Err(refusal::invalid_conversation_item())
        }
        ItemKind::OtherCall if item.id().is_none() => {
            let error = refusal::missing_parameter(&format!("items[{index}].id"));
            Err(ApiError {
                source: "E20",
                ..error
            })
        }
        _ => Ok(()),
    }
}

/// Items that come to a conversation.
struct Added {
    items: Vec<Arc<Listed>>,
    chain: ChainState,
    stem: Stem,
}

impl Added {
    fn new(job: &Job<'_>, items: &[Value], mut chain: ChainState) -> Result<Self, ApiError> {
        let views = items.iter().enumerate();
        let views = views.filter_map(|(index, item)| Some((index, ItemView::new(item.as_object()?))));
        let views: Vec<_> = views.collect();
        let entries = Self::entries(job, &views)?;
        let before = chain.clone();
        context::extend_leniently(&mut chain, &entries);
        let stem = stem(job, &chain);
        if before != chain {
            chain.see_tick(stem.tick);
            chain.partition = Some(stem.partition);
        }
        let objects = input::listed_entries(job, &stem, &entries).into_iter();
        let listed = objects.zip(&entries).map(|(object, entry)| {
            let family = entry
                .verified
                .filter(|_| entry.item.encrypted_content().is_none());
            Arc::new(Listed {
                object,
                family: family.map(|seen| seen.family.to_owned()),
            })
        });
        Ok(Self {
            items: listed.collect(),
            chain,
            stem,
        })
    }

    fn entries<'a>(job: &Job<'a>, views: &[(usize, ItemView<'a>)]) -> Result<Vec<Entry<'a>>, ApiError> {
        let mut entries = entries::of_items(job, views.iter().copied(), Lookup::Lenient)?;
        entries::verify_leniently(job, &mut entries);
        Ok(entries)
    }
}

fn stem(job: &Job<'_>, chain: &ChainState) -> Stem {
    Stem {
        partition: chain
            .partition
            .unwrap_or_else(|| job.draw.number(Purpose::Partition)),
        persistence: Persistence::Persisted,
        tick: job.moment.time.tick(chain.tick),
        nonce: job.fake.ids.nonce(job.draw.number(Purpose::Nonce)),
    }
}

/// What a create call adds to its conversation.
pub(crate) fn append(
    conversation: &str,
    input: Vec<Object>,
    output: impl Iterator<Item = Object>,
    family: &str,
    chain: ChainState,
) -> Change {
    let input = input.into_iter().map(|object| Listed { object, family: None });
    let output = output.map(|object| Listed {
        object,
        family: Some(family.to_owned()),
    });
    Change::Append {
        conversation: conversation.to_owned(),
        items: input.chain(output).map(Arc::new).collect(),
        chain: Box::new(chain),
    }
}
