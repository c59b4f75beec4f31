//! A recording to a script: names for what was issued, in the order in which a run will issue it again.

use std::collections::BTreeMap;

use holdover_scenario::PastedMethod;
use holdover_wire::item::{self, ItemKind, ItemView};
use holdover_wire::recording::{End, Exchange, ResponseRecord};
use holdover_wire::{Item, Object, Recording, ReplyPart};
use serde_json::{Value, json};

use super::text::Known;
use super::{Script, ScriptFault, ScriptTurn};

/// The script of a session, and how many turns stand before its first exchange.
///
/// A capture that begins in the middle gets a turn in front, in which the server issues what the first request carries.
pub fn script_of(
    recording: &Recording,
    name: &str,
    is_known_model: &dyn Fn(&str) -> bool,
) -> (Script, usize) {
    let mut making = Making::default();
    let mut script = Script {
        name: name.to_owned(),
        about: "imported from a capture".to_owned(),
        ..Script::default()
    };
    let calls: Vec<&Exchange> = recording
        .exchanges
        .iter()
        .filter(|exchange| exchange.request.body.is_object() || exchange.request.method != "POST")
        .collect();
    if let Some(first) = calls.iter().find(|exchange| exchange.request.method == "POST") {
        script.turns.extend(making.prologue(first));
    }
    let before = script.turns.len();
    for exchange in calls {
        let number = script.turns.len() + 1;
        script.turns.push(making.turn(exchange));
        script.faults.extend(fault_of(exchange, number));
    }
    script.server = making.server(&script, is_known_model);
    (script, before)
}

#[derive(Default)]
struct Making {
    known: Known,
    counts: BTreeMap<&'static str, u64>,
    calls: u64,
    items: BTreeMap<String, Object>,
    token_chars: usize,
}

impl Making {
    fn turn(&mut self, exchange: &Exchange) -> ScriptTurn {
        let request = &exchange.request;
        let method = match request.method.as_str() {
            "DELETE" => PastedMethod::Delete,
            "GET" if !request.body.is_object() => PastedMethod::Get,
            _ => PastedMethod::Post,
        };
        let mut body = self.value(&request.body);
        if let Some(body) = body.as_object_mut() {
            // A frame of a socket names its own kind.
            body.shift_remove("type");
        }
        let path = self.known.text(&normal(request.path_only()));
        let reply = exchange
            .response
            .as_ref()
            .filter(|response| response.status < 400)
            .and_then(|response| self.learn(response));
        ScriptTurn {
            method,
            path,
            body,
            reply,
            refusal: None,
            findings: Vec::new(),
        }
    }

    /// Takes what a response issued, and gives the parts that say it again.
    fn learn(&mut self, response: &ResponseRecord) -> Option<Vec<ReplyPart>> {
        let terminal: Vec<Object> = response
            .terminal()
            .map(|terminal| terminal.output().map(|(_, item)| item.object().clone()).collect())
            .unwrap_or_default();
        let (mut finished, begun_only) = streamed(response);
        if finished.is_empty() && begun_only.is_empty() {
            finished = (0..).zip(terminal.iter().cloned()).collect();
        }
        // Names are counted over what was finished first; what the model says stands in the order of the output.
        let parts: BTreeMap<u64, ReplyPart> = finished
            .iter()
            .chain(&begun_only)
            .map(|(place, item)| (*place, self.issue(item)))
            .collect();
        let parts: Vec<ReplyPart> = parts.into_values().collect();
        let items: Vec<Object> = finished.into_values().collect();
        // A token is sealed again in the terminal object: it is the same item's.
        for (item, again) in items.iter().zip(&terminal) {
            let name = item
                .get("id")
                .and_then(Value::as_str)
                .and_then(|id| self.name_of(id));
            if let (Some(name), Some(token)) = (name, again.get("encrypted_content").and_then(Value::as_str))
            {
                self.known.token(token, &name);
            }
        }
        let whole = response.body.as_deref().and_then(Value::as_object);
        let begun = response
            .events
            .iter()
            .flatten()
            .find_map(|event| event.object().get("response")?.as_object());
        let id = whole.or(begun).and_then(|object| object.get("id")?.as_str());
        if let Some(id) = id.filter(|id| !self.known.has(id)) {
            let prefix = if id.starts_with("conv") { "conv" } else { "resp" };
            let name = self.next(prefix);
            self.known.id(id, format!("{{{{{name}}}}}"));
        }
        (!parts.is_empty()).then_some(parts)
    }

    fn name_of(&self, id: &str) -> Option<String> {
        let stands = self.known.text(id);
        stands.strip_prefix("{{")?.strip_suffix("}}").map(str::to_owned)
    }

    fn next(&mut self, prefix: &'static str) -> String {
        let count = self.counts.entry(prefix).or_insert(0);
        *count += 1;
        format!("{prefix}_{count}")
    }

    fn issue(&mut self, item: &Object) -> ReplyPart {
        let view = ItemView::new(item);
        let prefix = item::id_prefix(view.type_name().unwrap_or("message")).unwrap_or("item");
        // A server that numbers its calls gives an id again: from then on it is that of the newest call.
        let is_new = view.id().is_none_or(|id| !self.known.has(id));
        if let Some(call) = view.call_id().filter(|call| is_new || !self.known.has(call)) {
            self.calls += 1;
            let stands = format!("call_{}", self.calls);
            self.known.id(call, stands);
        }
        if let Some(id) = view.id().filter(|id| !self.known.has(id)) {
            let name = self.next(prefix);
            self.known.id(id, format!("{{{{{name}}}}}"));
            if let Some(token) = view.encrypted_content() {
                self.token_chars = self.token_chars.max(token.len());
                self.known.token(token, &name);
            }
            self.items.insert(name, item.clone());
        }
        self.part(view)
    }

    fn part(&self, view: ItemView<'_>) -> ReplyPart {
        let text = |name: &str| view.object().get(name).and_then(Value::as_str).map(str::to_owned);
        let call_id = view.call_id().map(|call| self.known.text(call));
        match view.kind() {
            ItemKind::Reasoning => ReplyPart::Reasoning {
                summary: summary(view.object()),
            },
            ItemKind::Message if is_plain_message(view.object()) => ReplyPart::Message {
                text: Some(self.known.text(&view.text())),
                phase: text("phase").filter(|phase| matches!(phase.as_str(), "commentary" | "final_answer")),
            },
            ItemKind::FunctionCall => ReplyPart::Call {
                id: call_id,
                name: text("name").unwrap_or_default(),
                arguments: text("arguments"),
            },
            _ => {
                let mut item = view.object().clone();
                for gone in ["id", "encrypted_content", "fingerprint"] {
                    item.shift_remove(gone);
                }
                let named = self.value(&Value::Object(item));
                ReplyPart::Item(Item::from_value(&named).unwrap_or_else(|| Item::user("")))
            }
        }
    }

    fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.known.text(text)),
            Value::Array(values) => values.iter().map(|value| self.value(value)).collect(),
            Value::Object(object) => {
                if let Some(whole) = self.whole(object) {
                    return whole;
                }
                Value::Object(
                    object
                        .iter()
                        .map(|(name, value)| (name.clone(), self.value(value)))
                        .collect(),
                )
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    /// An item that came back as it was issued.
    fn whole(&self, object: &Object) -> Option<Value> {
        let name = self.name_of(object.get("id")?.as_str()?)?;
        let issued = self.items.get(&name)?;
        (issued == object).then(|| Value::String(format!("{{{{{name}.item}}}}")))
    }

    /// The turn in front of a capture that begins in the middle.
    fn prologue(&mut self, first: &Exchange) -> Option<ScriptTurn> {
        let input = first.request.body.get("input")?.as_array()?;
        let is_issued = |item: &&Object| {
            let view = ItemView::new(item);
            let is_models = view.kind().is_protected()
                || view.kind().is_client_call()
                || view.role() == Some("assistant");
            is_models
                && (view.id().is_some_and(|id| id.len() > 24)
                    || view.encrypted_content().is_some_and(|token| token.len() > 24))
        };
        let earlier: Vec<Object> = input
            .iter()
            .filter_map(Value::as_object)
            .filter(is_issued)
            .cloned()
            .collect();
        let accepted = first
            .response
            .as_ref()
            .is_some_and(|response| response.status < 400);
        if earlier.is_empty() || !accepted {
            return None;
        }
        let reply: Vec<ReplyPart> = earlier.iter().map(|item| self.issue(item)).collect();
        let resp = self.next("resp");
        if let Some(previous) = first
            .request
            .body
            .get("previous_response_id")
            .and_then(Value::as_str)
        {
            self.known.id(previous, format!("{{{{{resp}}}}}"));
        }
        let mut body = Object::new();
        for name in ["model", "store", "include", "instructions", "tools", "reasoning"] {
            if let Some(value) = first.request.body.get(name) {
                body.insert(name.to_owned(), value.clone());
            }
        }
        let user = input
            .iter()
            .find(|item| item.get("role").and_then(Value::as_str) == Some("user"));
        body.insert(
            "input".to_owned(),
            json!([user
                .cloned()
                .unwrap_or_else(|| json!({"role": "user", "content": "Before the capture."}))]),
        );
        Some(ScriptTurn {
            method: PastedMethod::Post,
            path: "/v1/responses".to_owned(),
            body: self.value(&Value::Object(body)),
            reply: Some(reply),
            refusal: None,
            findings: Vec::new(),
        })
    }

    fn server(&self, script: &Script, is_known_model: &dyn Fn(&str) -> bool) -> Vec<(String, Value)> {
        let mut server = Vec::new();
        if self.token_chars > 0 {
            server.push((
                "token-size".to_owned(),
                self.token_chars.clamp(64, 1_000_000).into(),
            ));
        }
        let models = script
            .turns
            .iter()
            .filter_map(|turn| turn.body.get("model")?.as_str());
        let unknown: Object = models
            .filter(|model| !is_known_model(model))
            .map(|model| (model.to_owned(), "reasoning".into()))
            .collect();
        if !unknown.is_empty() {
            server.push(("models".to_owned(), Value::Object(unknown)));
        }
        server
    }
}

/// The items of a stream by their place in the output: those that were finished, and those that were only begun, with
/// the text that came of them.
fn streamed(response: &ResponseRecord) -> (BTreeMap<u64, Object>, BTreeMap<u64, Object>) {
    let (mut finished, mut begun) = (BTreeMap::new(), BTreeMap::new());
    let mut texts: BTreeMap<u64, String> = BTreeMap::new();
    for event in response.events.iter().flatten() {
        let place = event.object().get("output_index").and_then(Value::as_u64);
        let place = place.unwrap_or(finished.len() as u64);
        match (event.name(), event.item(), event.delta()) {
            ("response.output_item.done", Some(item), _) => {
                finished.insert(place, item.object().clone());
            }
            ("response.output_item.added", Some(item), _) => {
                begun.insert(place, item.object().clone());
            }
            ("response.output_text.delta", _, Some(delta)) => {
                texts.entry(place).or_default().push_str(delta);
            }
            _ => {}
        }
    }
    begun.retain(|place, _| !finished.contains_key(place));
    for (place, item) in &mut begun {
        // The token of an item that was only begun is a short one, and no client has the whole one.
        item.shift_remove("encrypted_content");
        if let Some(text) = texts.remove(place) {
            let content = json!([{"type": "output_text", "text": text, "annotations": []}]);
            item.insert("content".to_owned(), content);
        }
    }
    (finished, begun)
}

/// The summary of a reasoning item as a script writes it; the default where it has none.
fn summary(item: &Object) -> Option<Vec<String>> {
    let parts = item.get("summary")?.as_array()?;
    let texts: Vec<String> = parts
        .iter()
        .filter_map(|part| part.get("text")?.as_str())
        .map(str::to_owned)
        .collect();
    (!texts.is_empty()).then_some(texts)
}

fn is_plain_message(item: &Object) -> bool {
    let content = item.get("content").and_then(Value::as_array);
    content.is_some_and(|parts| matches!(parts.as_slice(), [part] if part.get("type").and_then(Value::as_str) == Some("output_text")))
}

/// The path below any base URL.
fn normal(path: &str) -> String {
    let start = path.find("/responses").or_else(|| path.find("/conversations"));
    start.map_or_else(|| path.to_owned(), |start| format!("/v1{}", &path[start..]))
}

/// How an answer went wrong on the way, as a fault of its turn.
fn fault_of(exchange: &Exchange, turn: usize) -> Option<ScriptFault> {
    let response = exchange.response.as_ref()?;
    let last = response.events.as_ref().and_then(|events| events.last());
    let name = match (response.end, last.map(holdover_wire::Event::name)) {
        (End::Cut | End::ClientGone, Some(_)) => "cut",
        (End::Reset, Some(_)) => "reset",
        (End::HalfClose, Some(_)) => "half-close",
        (End::Cut | End::Reset | End::ClientGone | End::Timeout, None) if response.body.is_none() => {
            "close-before-headers"
        }
        (_, Some("response.failed")) => "failed",
        (_, Some("response.incomplete")) => "incomplete",
        (_, Some("error")) => "error-flat",
        _ => return None,
    };
    let mut on = vec![("turn".to_owned(), turn.into())];
    if let (true, Some(last)) = (["cut", "reset", "half-close"].contains(&name), last) {
        let alike = |event: &&holdover_wire::Event| event.name() == last.name();
        let count = response.events.iter().flatten().filter(alike).count();
        on.push(("event".to_owned(), last.name().into()));
        on.push(("index".to_owned(), count.into()));
    }
    Some(ScriptFault {
        on,
        name: name.to_owned(),
        options: Vec::new(),
    })
}

/// A refusal as it was captured, as a fault of its turn: for a fake that would not refuse by itself.
pub fn refusal_fault(response: &ResponseRecord, turn: usize) -> ScriptFault {
    let error = response.error();
    let text = |name: &str| {
        error
            .and_then(|error| error.get(name))
            .filter(|value| value.is_string())
            .cloned()
    };
    let mut options = vec![("status".to_owned(), response.status.into())];
    for name in ["message", "type", "code", "param"] {
        options.extend(text(name).map(|value| (name.to_owned(), value)));
    }
    ScriptFault {
        on: vec![("turn".to_owned(), turn.into())],
        name: "refuse".to_owned(),
        options,
    }
}
