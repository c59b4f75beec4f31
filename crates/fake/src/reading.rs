//! What one look at a call tells: its endpoint, its fingerprint, its tokens, and what it needs from the store.
//!
//! This is the part of the work that needs no state, so a shell does it before it takes its lock.

use holdover_wire::Members as _;
use std::collections::BTreeMap;

use holdover_wire::item::ItemView;
use holdover_wire::{ApiError, Call, CallBody, CreateRequest, ItemKind, Object};
use serde_json::Value;

use crate::cache::{self, ContentHash, PrefixQuery};
use crate::config::AccountPlace;
use crate::derive::Fingerprint;
use crate::ids::Ids;
use crate::routes::{self, Route};
use crate::seal::{Payload, Sealer, Unreadable};
use crate::store::References;
use crate::validate::input;

/// Members of a body that change neither ids nor tokens: how the answer travels, and what only labels the request.
/// Both transports of one request therefore have the same ids.
const VOLATILE: [&str; 8] = [
    "stream",
    "stream_options",
    "metadata",
    "client_metadata",
    "prompt_cache_key",
    "prompt_cache_retention",
    "user",
    "safety_identifier",
];

/// What one look at a call told.
#[derive(Clone, Debug)]
pub struct Reading {
    pub(crate) account: AccountPlace,
    pub(crate) route: Result<Route, ApiError>,
    pub(crate) fingerprint: Fingerprint,
    pub(crate) references: References,
    /// Tokens of the input by the index of their item.
    pub(crate) tokens: BTreeMap<usize, Result<Payload, Unreadable>>,
    /// What each item of the input says.
    pub(crate) contents: Vec<ContentHash>,
}

impl Reading {
    /// See [`Fingerprint`].
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// Which account asks: each has a store of its own.
    pub fn account(&self) -> AccountPlace {
        self.account
    }

    /// What the call needs from the store.
    pub fn references(&self) -> &References {
        &self.references
    }

    /// The conversation that the call must have to itself.
    pub fn leased(&self) -> Option<&str> {
        self.references
            .conversation
            .as_deref()
            .filter(|_| self.is_create())
    }

    /// Whether it is a create call, which takes a scripted reply.
    pub fn is_create(&self) -> bool {
        matches!(self.route, Ok(Route::Create | Route::Provider(_)))
    }
}

/// Looks at a call once.
pub(crate) fn read(call: &Call, account: AccountPlace, ids: &Ids, sealer: &Sealer) -> Reading {
    let mut buffer = Vec::with_capacity(512);
    buffer.extend_from_slice(call.method.as_str().as_bytes());
    buffer.extend_from_slice(call.path.as_bytes());
    for (name, value) in &call.query {
        push_text(&mut buffer, name);
        push_text(&mut buffer, value);
    }
    let mut tokens = BTreeMap::new();
    match &call.body {
        CallBody::Empty => {}
        CallBody::Invalid(text) => push_text(&mut buffer, text),
        CallBody::Json(Value::Object(body)) => tokens = push_body(&mut buffer, body, sealer),
        CallBody::Json(value) => push_json(&mut buffer, value),
    }
    let route = routes::route(call);
    let contents = contents(call.body.object(), &tokens);
    let mut references = match &route {
        Ok(route) => references(route, call.body.object(), ids),
        Err(_) => References::default(),
    };
    if let (Ok(Route::Create), Some(body)) = (&route, call.body.object()) {
        let query = PrefixQuery::new(CreateRequest::new(body), contents.clone());
        references.prefix = Some(query);
    }
    Reading {
        account,
        route,
        fingerprint: Fingerprint(*blake3::hash(&buffer).as_bytes()),
        references,
        tokens,
        contents,
    }
}

/// What each item of a body says; anything that is no object says nothing.
fn contents(body: Option<&Object>, tokens: &Tokens) -> Vec<ContentHash> {
    let list = body.and_then(|body| body.member("input").or_else(|| body.member("items")));
    let items = list.and_then(Value::as_array).into_iter().flatten().enumerate();
    let hash = |(index, item): (usize, &Value)| {
        let sealed = match tokens.get(&index) {
            Some(Ok(payload)) => Some(payload.item_id.as_str()),
            Some(Err(_)) | None => None,
        };
        let view = item.as_object().map(ItemView::new);
        view.map_or_else(ContentHash::default, |view| cache::item_hash(view, sealed))
    };
    items.map(hash).collect()
}

fn push_text(buffer: &mut Vec<u8>, text: &str) {
    buffer.push(0);
    buffer.extend_from_slice(text.as_bytes());
}

fn push_json(buffer: &mut Vec<u8>, value: &Value) {
    // Serializing a JSON value into memory cannot fail.
    let _ = serde_json::to_writer(buffer, value);
}

type Tokens = BTreeMap<usize, Result<Payload, Unreadable>>;

fn push_body(buffer: &mut Vec<u8>, body: &Object, sealer: &Sealer) -> Tokens {
    let mut tokens = BTreeMap::new();
    for (name, value) in body {
        if VOLATILE.contains(&name.as_str()) {
            continue;
        }
        push_text(buffer, name);
        match (name.as_str(), value) {
            ("input" | "items", Value::Array(items)) => tokens = push_items(buffer, items, sealer),
            _ => push_json(buffer, value),
        }
    }
    tokens
}

/// A token that opens is read as its item, so that the token of `output_item.done` and that of the terminal object
/// lead to the same answer.
fn push_items(buffer: &mut Vec<u8>, items: &[Value], sealer: &Sealer) -> Tokens {
    let mut tokens = BTreeMap::new();
    for (index, item) in items.iter().enumerate() {
        let Value::Object(item) = item else {
            push_json(buffer, item);
            continue;
        };
        let token = ItemView::new(item).encrypted_content();
        let opened = token.map(|token| sealer.open(token));
        buffer.push(1);
        for (name, value) in item {
            push_text(buffer, name);
            match &opened {
                Some(Ok(payload)) if name == "encrypted_content" => {
                    push_text(buffer, &payload.item_id);
                    push_text(buffer, &payload.organisation);
                }
                _ => push_json(buffer, value),
            }
        }
        tokens.extend(opened.map(|opened| (index, opened)));
    }
    tokens
}

fn references(route: &Route, body: Option<&Object>, ids: &Ids) -> References {
    let mut references = References::default();
    let request = body.map(CreateRequest::new);
    match route {
        Route::Create | Route::InputTokens => {
            if let Some(request) = request {
                let previous = request.previous_response_id().map(ToOwned::to_owned);
                references.previous.clone_from(&previous);
                references.responses.extend(previous);
                references.conversation = request.conversation().map(ToOwned::to_owned);
                let items = request.items().filter_map(|(_, item)| needed_by(item, ids));
                references.responses.extend(items);
                references.types.extend(unlisted(request));
            }
        }
        Route::Compact => {
            if let Some(request) = request {
                references.history = request.previous_response_id().map(ToOwned::to_owned);
                references.types.extend(unlisted(request));
                let items = request.items().filter_map(|(_, item)| needed_by(item, ids));
                references.responses.extend(items);
            }
        }
        Route::Retrieve(id) | Route::Delete(id) | Route::Cancel(id) => {
            references.responses.insert(id.clone());
        }
        Route::InputItems(id) => references.history = Some(id.clone()),
        Route::Conversation(id)
        | Route::ConversationUpdate(id)
        | Route::ConversationDelete(id)
        | Route::Items(id)
        | Route::Item(id, _)
        | Route::ItemDelete(id, _) => references.conversation = Some(id.clone()),
        Route::ItemsCreate(id) => {
            references.conversation = Some(id.clone());
            references.responses.extend(posted(body, ids));
        }
        Route::ConversationCreate => references.responses.extend(posted(body, ids)),
        Route::Models | Route::Model(_) | Route::Embeddings | Route::Moderations | Route::Provider(_) => {}
    }
    references
}

/// Item types that the API does not list: they pass where the session itself issued them.
fn unlisted(request: CreateRequest<'_>) -> impl Iterator<Item = String> + '_ {
    let names = request.items().filter_map(|(_, item)| item.type_name());
    names
        .filter(|name| !input::is_listed(name))
        .map(ToOwned::to_owned)
}

/// The same for the items that a body posts to a conversation.
fn posted<'a>(body: Option<&'a Object>, ids: &'a Ids) -> impl Iterator<Item = String> + 'a {
    let items = body
        .and_then(|body| body.member("items"))
        .and_then(Value::as_array);
    let objects = items.into_iter().flatten().filter_map(Value::as_object);
    objects.filter_map(|item| needed_by(ItemView::new(item), ids))
}

/// Id of the response that holds what an item only names: a reference, or reasoning without its token.
fn needed_by(item: ItemView<'_>, ids: &Ids) -> Option<String> {
    let names_only = match item.kind() {
        ItemKind::ItemReference => true,
        ItemKind::Reasoning => item.encrypted_content().is_none(),
        _ => false,
    };
    let issued = names_only.then(|| ids.read(item.id()?))??;
    Some(ids.response_of(&issued))
}
