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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Table;
    use crate::testing::{case, run, text as utf8};

    const SECRET: &str = r#"
{"request":{"headers":{"user-agent":"private"},"body":{"model":"m","store":true,"instructions":"Be brief.","input":"private text"}},"response":{"headers":{"x-request-id":"req_1","x-holdover-prior-protected":0},"body":{"id":"resp_1","store":false,"output":[{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"private"},{"type":"function_call","call_id":"call_1","name":"private","arguments":"{}"}],"usage":{"input_tokens":3,"note":"private","output_tokens_details":{"reasoning_tokens":2}}}}}
{"transport":"sse","request":{"body":{"model":"m","store":false,"instructions":"Be long.","input":[{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"private"},{"type":"function_call","call_id":"call_1"},{"type":"private text"},{"type":"compaction","encrypted_content":"private"}]}},"response":{"status":400,"body":{"error":{"message":"private"}}}}
{"request":{"method":"GET","path":"/v1/responses/resp_1?key=private"}}
"#;

    #[test]
    fn the_whole_file_and_nothing_private() {
        let bytes = write(&run(vec![case("a", Table::CarryOver, SECRET, vec![])]));
        // Hashes: printf 'Be brief.' | sha256sum, printf 'Be long.' | sha256sum
        let expected = [
            r#"{"case":"a","exchange":1,"method":"POST","path":"/v1/responses","status":200,"request_id":"req_1","response_id":"resp_1","mode":"client-replay","store":true,"store_echoed":false,"organisation_retention":"zdr","transport":"json","model":"m","instructions_version":1,"instructions_sha256":"213c22ed7234eb11116e1e88f314c73cb3a019b5c87fe224b6ce5665bd9ec50e","input_items":{"message":1},"output_items":{"function_call":1,"reasoning":1},"pairing":"none","encrypted_in_input":0,"encrypted_in_output":1,"prior_protected":0,"compaction":"none","usage":{"input_tokens":3,"output_tokens_details":{"reasoning_tokens":2}}}"#,
            r#"{"case":"a","exchange":2,"method":"POST","path":"/v1/responses","status":400,"request_id":null,"response_id":null,"mode":"client-replay","store":false,"store_echoed":null,"organisation_retention":null,"transport":"sse","model":"m","instructions_version":2,"instructions_sha256":"fd09b35b60f5f16fdc61f5c78c47da899e765d8599bd34d48bda8a6b994dafbf","input_items":{"compaction":1,"function_call":1,"other":1,"reasoning":1},"output_items":null,"pairing":"open","encrypted_in_input":2,"encrypted_in_output":null,"prior_protected":null,"compaction":"carried","usage":null}"#,
            r#"{"case":"a","exchange":3,"method":"GET","path":"/v1/responses/resp_1","status":null,"request_id":null,"response_id":null,"mode":null,"store":null,"store_echoed":null,"organisation_retention":null,"transport":"json","model":null,"instructions_version":null,"instructions_sha256":null,"input_items":null,"output_items":null,"pairing":null,"encrypted_in_input":null,"encrypted_in_output":null,"prior_protected":null,"compaction":null,"usage":null}"#,
        ];
        assert_eq!(utf8(&bytes), format!("{}\n", expected.join("\n")));
        assert!(!utf8(&bytes).contains("private"));
    }
}
