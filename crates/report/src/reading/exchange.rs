//! One exchange: is it a create, its ids, headers and item types.

use std::collections::BTreeMap;

use holdover_wire::item::ItemView;
use holdover_wire::recording::{Exchange, Recording, RequestRecord, ResponseRecord, Transport};
use holdover_wire::request::CreateRequest;
use holdover_wire::response::ResponseView;
use serde_json::Value;

/// The request of `POST /v1/responses`; `None` for every other exchange.
pub(crate) fn create(exchange: &Exchange) -> Option<CreateRequest<'_>> {
    let request = &exchange.request;
    let asks = request.method == "POST" || exchange.transport == Transport::Ws;
    let here = request.path_only().trim_end_matches('/').ends_with("/responses");
    (asks && here).then(|| request.create()).flatten()
}

/// Whether it is `POST /v1/responses/compact`.
pub(crate) fn is_compact(request: &RequestRecord) -> bool {
    request.method == "POST" && request.path_only().ends_with("/responses/compact")
}

/// Whether it is `GET /v1/responses/{id}` and nothing below it.
pub(crate) fn is_retrieve(request: &RequestRecord) -> bool {
    let id = request
        .path_only()
        .rsplit_once("/responses/")
        .map_or("", |(_, id)| id);
    request.method == "GET" && !id.is_empty() && !id.contains('/')
}

/// The creates of a recording, in order.
pub(crate) fn creates(recording: &Recording) -> impl Iterator<Item = (&Exchange, CreateRequest<'_>)> {
    let exchanges = recording.exchanges.iter();
    exchanges.filter_map(|exchange| Some((exchange, create(exchange)?)))
}

/// The last create of a recording: what `ids_present` and `frag_hash` are read off.
pub(crate) fn last_create(recording: &Recording) -> Option<(&Exchange, CreateRequest<'_>)> {
    creates(recording).last()
}

/// The final response object of an exchange.
pub(crate) fn terminal(exchange: &Exchange) -> Option<ResponseView<'_>> {
    exchange.response.as_ref().and_then(ResponseRecord::terminal)
}

/// The final response object of a create, also where it came later: a run in the background is polled, and a stream
/// that broke off is resumed.
pub(crate) fn settled<'a>(recording: &'a Recording, exchange: &'a Exchange) -> Option<ResponseView<'a>> {
    let own = terminal(exchange);
    if own.is_some_and(is_over) {
        return own;
    }
    let id = own.or_else(|| begun(exchange)).and_then(ResponseView::id)?;
    let later = recording.exchanges.iter().rev();
    let read = later
        .filter(|later| later.exchange > exchange.exchange && is_retrieve(&later.request))
        .filter_map(terminal)
        .find(|response| response.id() == Some(id));
    read.or(own)
}

/// Whether nothing more comes of a response.
fn is_over(response: ResponseView<'_>) -> bool {
    !matches!(response.status(), Some("queued" | "in_progress"))
}

/// The response that a stream began with.
fn begun(exchange: &Exchange) -> Option<ResponseView<'_>> {
    let events = exchange.response.as_ref()?.events.as_ref()?;
    events.iter().find_map(holdover_wire::Event::response)
}

/// A response header of this (lower-case) name as text; recordings hold numbers too.
pub(crate) fn response_header(exchange: &Exchange, name: &str) -> Option<String> {
    match exchange.response.as_ref()?.headers.get(name)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// `x-holdover-prior-protected`: how many protected items the request carried, or state resolved, that verified.
pub(crate) fn prior_protected(exchange: &Exchange) -> Option<u64> {
    response_header(exchange, "x-holdover-prior-protected")?
        .parse()
        .ok()
}

/// The name of an item's type, fit for a table: what is no plain protocol word counts as `other`, since a client may
/// write anything there.
pub(crate) fn type_label(item: ItemView<'_>) -> String {
    let legal = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    match item.type_name() {
        Some(name) if (1..=48).contains(&name.len()) && name.bytes().all(legal) => name.to_owned(),
        Some(_) => "other".to_owned(),
        None if item.role().is_some() => "message".to_owned(),
        None => "item_reference".to_owned(),
    }
}

/// How many items of each type there are, by name.
pub(crate) fn type_counts<'a>(items: impl Iterator<Item = ItemView<'a>>) -> BTreeMap<String, usize> {
    items.fold(BTreeMap::new(), |mut counts, item| {
        *counts.entry(type_label(item)).or_default() += 1;
        counts
    })
}

/// The word of a transport in tables.
pub(crate) fn transport_word(transport: Transport) -> &'static str {
    match transport {
        Transport::Json => "json",
        Transport::Sse => "sse",
        Transport::Ws => "ws",
    }
}
