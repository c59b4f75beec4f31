//! The columns of `state_modes.csv`: how a client keeps state, read off its exchanges (M1, M2, M6-M8, M11).

use std::collections::BTreeSet;

use holdover_wire::item::{ItemKind, ItemView};
use holdover_wire::recording::{Exchange, Recording};
use holdover_wire::request::CreateRequest;
use holdover_wire::response::ResponseView;

use super::context::{Context, StateKey, of_last, state_key};
use super::exchange::{
    create, creates, is_compact, is_retrieve, last_create, settled, terminal, transport_word,
};

/// The user's words that make the fake answer with the nonce of the latest rendered reasoning.
const RECALL: &str = "holdover:recall";
/// A marker is a word that begins so, in any case, in the first user message: `MARKER-7Q2`.
const MARKER: &str = "marker-";

/// One row's columns, without case, result and note.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StateColumns {
    /// `server-chain`, `conversation`, `client-replay`, or `mixed`.
    pub(crate) mode: Option<&'static str>,
    /// `store` of the last response, as the server echoed it; else as the request asked.
    pub(crate) store: Option<bool>,
    /// The transports that were used, joined by `+`.
    pub(crate) transport: String,
    /// Whether the marker of the first user message was before the last turn's model.
    pub(crate) marker_recalled: Option<bool>,
    /// Whether the last `holdover:recall` was answered with a nonce.
    pub(crate) nonce_recalled: Option<bool>,
    /// `kept`, `open` or `lost`: what the last turn's model was given of the calls issued before; `None` where a
    /// compaction may hold them.
    pub(crate) tool_state: Option<&'static str>,
    /// Whether the last turn's model was given instructions, where any turn was.
    pub(crate) instructions_seen: Option<bool>,
    /// Status of the last `GET /v1/responses/{id}`.
    pub(crate) retrieve_status: Option<u16>,
    /// Whether a compaction took part.
    pub(crate) compacted: Option<bool>,
}

/// Reads the columns off a recording.
pub(crate) fn columns(recording: &Recording) -> StateColumns {
    let context = of_last(recording);
    StateColumns {
        mode: mode(recording),
        store: store(recording),
        transport: transports(recording),
        marker_recalled: marker_recalled(recording, &context),
        nonce_recalled: nonce_recalled(recording),
        tool_state: tool_state(recording, &context),
        instructions_seen: instructions_seen(recording, &context),
        retrieve_status: retrieve_status(recording),
        compacted: last_create(recording).map(|_| recording.exchanges.iter().any(compacts)),
    }
}

/// The state mode of one request's own members; `None` for a first turn, which names no state.
pub(crate) fn mode_of(request: CreateRequest<'_>) -> Option<&'static str> {
    match state_key(request)? {
        StateKey::Previous(_) => Some("server-chain"),
        StateKey::Conversation(_) => Some("conversation"),
    }
}

fn mode(recording: &Recording) -> Option<&'static str> {
    let named: BTreeSet<_> = creates(recording)
        .filter_map(|(_, request)| mode_of(request))
        .collect();
    let turns = creates(recording).count();
    let replays = creates(recording).any(|(_, request)| !request.store()) || turns > 1;
    match named.len() {
        0 => replays.then_some("client-replay"),
        1 => named.into_iter().next(),
        _ => Some("mixed"),
    }
}

fn store(recording: &Recording) -> Option<bool> {
    let (exchange, request) = last_create(recording)?;
    let echoed = terminal(exchange).and_then(ResponseView::store);
    Some(echoed.unwrap_or_else(|| request.store()))
}

fn transports(recording: &Recording) -> String {
    let words: BTreeSet<_> = creates(recording)
        .map(|(exchange, _)| transport_word(exchange.transport))
        .collect();
    words.into_iter().collect::<Vec<_>>().join("+")
}

fn marker_recalled(recording: &Recording, context: &Context<'_>) -> Option<bool> {
    let mut turns = creates(recording);
    let (_, first) = turns.next()?;
    turns.next()?;
    let marker = user_texts(first).find_map(|text| marker_in(&text))?;
    let reached = context.says(&marker);
    (reached || !hides(context)).then_some(reached)
}

/// Whether a compaction item may hold what is missing, where nobody can look.
fn hides(context: &Context<'_>) -> bool {
    let mut items = context.items.iter();
    items.any(|item| item.kind() == ItemKind::Compaction)
}

fn marker_in(text: &str) -> Option<String> {
    let breaks = |character: char| !(character.is_alphanumeric() || matches!(character, '-' | '_'));
    let mut words = text.split(breaks).map(str::to_lowercase);
    words.find(|word| word.starts_with(MARKER) && word.len() > MARKER.len())
}

fn nonce_recalled(recording: &Recording) -> Option<bool> {
    let asked = creates(recording).filter(|(_, request)| {
        user_texts(*request)
            .last()
            .is_some_and(|text| text.contains(RECALL))
    });
    let answers = asked.filter_map(|(exchange, _)| settled(recording, exchange));
    let answer = answers.map(ResponseView::output_text).last()?;
    Some(!answer.trim().is_empty() && answer.trim() != "unknown")
}

/// The texts of the user in a request, in order.
fn user_texts(request: CreateRequest<'_>) -> impl Iterator<Item = String> {
    let texts: Vec<String> = match request.input_text() {
        Some(text) => vec![text.to_owned()],
        None => request
            .items()
            .filter(|(_, item)| item.is_user_message())
            .map(|(_, item)| item.text())
            .collect(),
    };
    texts.into_iter()
}

fn tool_state(recording: &Recording, context: &Context<'_>) -> Option<&'static str> {
    let (last, _) = last_create(recording)?;
    let issued: BTreeSet<&str> = creates(recording)
        .filter(|(exchange, _)| exchange.exchange != last.exchange)
        .filter_map(|(exchange, _)| settled(recording, exchange))
        .flat_map(ResponseView::output)
        .filter(|(_, item)| item.kind().is_client_call())
        .filter_map(|(_, item)| item.call_id())
        .collect();
    if issued.is_empty() {
        return None;
    }
    let calls = call_ids(context, ItemKind::is_client_call);
    let outputs = call_ids(context, ItemKind::is_client_output);
    let gone = issued.iter().any(|call| !calls.contains(call));
    let open = issued.iter().any(|call| !outputs.contains(call));
    match (gone, open) {
        (true, _) => (!hides(context)).then_some("lost"),
        (false, true) => Some("open"),
        (false, false) => Some("kept"),
    }
}

fn call_ids<'a>(context: &Context<'a>, wanted: fn(ItemKind) -> bool) -> BTreeSet<&'a str> {
    let items = context.items.iter().filter(|item| wanted(item.kind()));
    items.filter_map(|item| item.call_id()).collect()
}

fn instructions_seen(recording: &Recording, context: &Context<'_>) -> Option<bool> {
    let (_, last) = last_create(recording)?;
    if last.instructions().is_some() || context.items.iter().copied().any(instructs) {
        return Some(true);
    }
    let ever = creates(recording).any(|(_, request)| {
        request.instructions().is_some() || request.items().any(|(_, item)| instructs(item))
    });
    ever.then_some(false)
}

fn instructs(item: ItemView<'_>) -> bool {
    item.kind() == ItemKind::Message && matches!(item.role(), Some("system" | "developer"))
}

fn retrieve_status(recording: &Recording) -> Option<u16> {
    let retrieves = recording
        .exchanges
        .iter()
        .filter(|exchange| is_retrieve(&exchange.request));
    retrieves
        .filter_map(|exchange| Some(exchange.response.as_ref()?.status))
        .next_back()
}

fn compacts(exchange: &Exchange) -> bool {
    let asked = is_compact(&exchange.request)
        && exchange
            .response
            .as_ref()
            .is_some_and(|response| response.status == 200);
    let carried = create(exchange).is_some_and(|request| {
        request
            .items()
            .any(|(_, item)| item.kind() == ItemKind::Compaction)
    });
    let made = terminal(exchange).is_some_and(|response| {
        response
            .output()
            .any(|(_, item)| item.kind() == ItemKind::Compaction)
    });
    asked || carried || made
}
