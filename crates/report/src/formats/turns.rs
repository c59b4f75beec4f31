//! `turns.jsonl`: one line an exchange, with the fields of M10 and nothing that could not stand in a log: no key, no
//! payload, no text of anybody; what could be one is a count or a hash.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use holdover_wire::item::ItemKind;
use holdover_wire::recording::{Exchange, line};
use holdover_wire::request::CreateRequest;
use holdover_wire::response::ResponseView;
use serde::Serialize;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::case::CaseReport;
use crate::clean::{one_line, shortened};
use crate::reading::exchange::{
    create, is_compact, prior_protected, response_header, terminal, transport_word, type_counts,
};
use crate::reading::pairing::Ledger;
use crate::reading::state::mode_of;
use crate::run::Run;

/// Longest id or name that is copied; what is longer is no id of the API.
const NAME_CHARACTERS_MAX: usize = 128;

/// The file.
pub(crate) fn write(run: &Run) -> Vec<u8> {
    // Taken apart by member: a new one has to be decided about here.
    let Run {
        started: _,
        cases,
        notes: _,
    } = run;
    cases.iter().map(lines).collect::<String>().into_bytes()
}

/// One line. Members that do not apply are `null`.
#[derive(Serialize)]
struct Turn {
    case: String,
    exchange: u64,
    method: String,
    path: String,
    status: Option<u16>,
    request_id: Option<String>,
    response_id: Option<String>,
    mode: Option<&'static str>,
    store: Option<bool>,
    store_echoed: Option<bool>,
    organisation_retention: Option<&'static str>,
    transport: &'static str,
    model: Option<String>,
    instructions_version: Option<usize>,
    instructions_sha256: Option<String>,
    input_items: Option<BTreeMap<String, usize>>,
    output_items: Option<BTreeMap<String, usize>>,
    pairing: Option<&'static str>,
    encrypted_in_input: Option<usize>,
    encrypted_in_output: Option<usize>,
    prior_protected: Option<u64>,
    compaction: Option<&'static str>,
    usage: Option<Value>,
}

fn lines(case: &CaseReport) -> String {
    let mut session = Session::default();
    let name = case.name().to_string();
    case.recording
        .exchanges
        .iter()
        .map(|exchange| line(&session.turn(&name, exchange)))
        .collect()
}

/// What later exchanges of a session are compared with.
#[derive(Default)]
struct Session {
    ledger: Ledger,
    instructions: Vec<String>,
}

impl Session {
    fn turn(&mut self, case: &str, exchange: &Exchange) -> Turn {
        let request = create(exchange);
        let response = terminal(exchange);
        let hash = request.and_then(CreateRequest::instructions).map(sha256);
        Turn {
            case: case.to_owned(),
            exchange: exchange.exchange,
            method: short(&exchange.request.method),
            path: short(exchange.request.path_only()),
            status: exchange.response.as_ref().map(|response| response.status),
            request_id: response_header(exchange, "x-request-id").as_deref().map(short),
            response_id: response.and_then(ResponseView::id).map(short),
            mode: request.map(|request| mode_of(request).unwrap_or("client-replay")),
            store: request.map(CreateRequest::store),
            store_echoed: response.and_then(ResponseView::store),
            organisation_retention: request.and_then(|request| retention(exchange, request)),
            transport: transport_word(exchange.transport),
            model: request.and_then(CreateRequest::model).map(short),
            instructions_version: hash.as_ref().map(|hash| self.version(hash)),
            instructions_sha256: hash,
            input_items: request.map(input_counts),
            output_items: response.map(|response| type_counts(response.output().map(|(_, item)| item))),
            pairing: request.map(|request| self.ledger.take(exchange, request).as_str()),
            encrypted_in_input: request.map(|request| {
                request
                    .items()
                    .filter(|(_, item)| item.encrypted_content().is_some())
                    .count()
            }),
            encrypted_in_output: response.map(|response| {
                response
                    .output()
                    .filter(|(_, item)| item.encrypted_content().is_some())
                    .count()
            }),
            prior_protected: prior_protected(exchange),
            compaction: compaction(exchange, request),
            usage: response
                .and_then(|response| response.object().get("usage"))
                .and_then(numbers),
        }
    }

    /// The first instructions of a session are version 1, the next others 2, and so on.
    fn version(&mut self, hash: &str) -> usize {
        let known = self.instructions.iter().position(|other| other == hash);
        known.map_or_else(
            || {
                self.instructions.push(hash.to_owned());
                self.instructions.len()
            },
            |place| place + 1,
        )
    }
}

fn short(text: &str) -> String {
    shortened(&one_line(text), NAME_CHARACTERS_MAX)
}

fn sha256(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().fold(String::new(), |mut text, byte| {
        // Writing to a `String` cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// `zdr` where the server would not store what it was asked to, `default` where it did; else it does not show.
fn retention(exchange: &Exchange, request: CreateRequest<'_>) -> Option<&'static str> {
    let error = exchange.response.as_ref().and_then(|response| response.error());
    let message = error
        .and_then(|error| error.get("message")?.as_str())
        .unwrap_or("");
    if message.contains("Zero Data Retention") {
        return Some("zdr");
    }
    match (request.store(), terminal(exchange).and_then(ResponseView::store)?) {
        (true, false) => Some("zdr"),
        (true, true) => Some("default"),
        (false, _) => None,
    }
}

fn input_counts(request: CreateRequest<'_>) -> BTreeMap<String, usize> {
    match request.input_text() {
        Some(_) => BTreeMap::from([("message".to_owned(), 1)]),
        None => type_counts(request.items().map(|(_, item)| item)),
    }
}

/// `made` in this response, `carried` by this request, both, or `none`.
fn compaction(exchange: &Exchange, request: Option<CreateRequest<'_>>) -> Option<&'static str> {
    let made = terminal(exchange).is_some_and(|response| {
        response
            .output()
            .any(|(_, item)| item.kind() == ItemKind::Compaction)
    });
    let carried = request.is_some_and(|request| {
        request
            .items()
            .any(|(_, item)| item.kind() == ItemKind::Compaction)
    });
    match (made, carried) {
        (true, true) => Some("carried+made"),
        (true, false) => Some("made"),
        (false, true) => Some("carried"),
        (false, false) if request.is_some() || is_compact(&exchange.request) => Some("none"),
        (false, false) => None,
    }
}

/// The numbers of a usage object and nothing else: no text can come along.
fn numbers(value: &Value) -> Option<Value> {
    match value {
        Value::Number(_) => Some(value.clone()),
        Value::Object(members) => {
            let kept = members
                .iter()
                .filter_map(|(name, member)| Some((short(name), numbers(member)?)));
            Some(Value::Object(kept.collect::<Map<_, _>>()))
        }
        Value::Null | Value::Bool(_) | Value::String(_) | Value::Array(_) => None,
    }
}
