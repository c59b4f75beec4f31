//! An exchange, member by member.

use std::collections::BTreeMap;

use holdover_wire::{Event, Exchange, Object};
use serde_json::{Number, Value};

use super::{Redactor, plain, words};

/// Members under which the names are a user's.
const FREE: [&str; 12] = [
    "metadata",
    "client_metadata",
    "headers",
    "properties",
    "variables",
    "$defs",
    "definitions",
    "patternProperties",
    "env",
    "environment",
    "files",
    "logit_bias",
];

/// Parts of a path that are the API's.
const PATH: [&str; 32] = [
    "v1",
    "responses",
    "compact",
    "cancel",
    "input_items",
    "input_tokens",
    "conversations",
    "items",
    "openai",
    "s",
    "deployments",
    "api",
    "chat",
    "completions",
    "models",
    "embeddings",
    "moderations",
    "backend-api",
    // Of other providers (`tests/facts/providers.md`).
    "messages",
    "anthropic",
    "coding",
    "paas",
    "v4",
    "compatible-mode",
    "v1beta",
    "v1beta1",
    "publishers",
    "google",
    "interactions",
    "model",
    "converse",
    "converse-stream",
];

/// What follows the name of a model in the last part of a path.
const VERBS: [&str; 3] = ["generateContent", "streamGenerateContent", "countTokens"];

/// What a query asks for in words of the API: any other word in it may be a user's.
const ASKED: [&str; 4] = ["alt", "include", "order", "stream"];

/// Kinds of content.
const CONTENT: [&str; 5] = [
    "application/json",
    "text/event-stream",
    "multipart/form-data",
    "text/html",
    "*/*",
];

/// Where a member stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In an object of the API's: it names the members.
    Api,
    /// In an object whose members a user named.
    Free,
    /// In what a tool was called with, or gave: names and values are a model's or a tool's, all the way down.
    Given,
    /// In an error: the API's own words are kept.
    Error,
}

impl Redactor {
    /// Puts stand-ins into an exchange.
    pub fn exchange(&mut self, exchange: &mut Exchange) {
        let request = &mut exchange.request;
        if !plain::is_method(&request.method) {
            request.method = self.replaced(&request.method);
        }
        request.path = self.path(&request.path);
        self.headers(&mut request.headers);
        self.value("", Place::Api, &mut request.body);
        if let Some(response) = &mut exchange.response {
            self.headers(&mut response.headers);
            if let Some(body) = &mut response.body {
                self.value("", Place::Api, body);
            }
            if let Some(events) = &mut response.events {
                self.events(events);
            }
        }
    }

    fn value(&mut self, key: &str, place: Place, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.string(key, place, text),
            Value::Array(values) => values.iter_mut().for_each(|value| self.value(key, place, value)),
            Value::Object(object) => self.object(key, place, object),
            Value::Number(number) if place == Place::Given => *number = self.number(key, number),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// The number that the stand-in of its text is: arguments come as a text elsewhere.
    fn number(&mut self, key: &str, number: &Number) -> Number {
        let stand_in = self.string(key, Place::Given, &number.to_string());
        serde_json::from_str(&stand_in).unwrap_or_else(|_| Number::from(0))
    }

    fn object(&mut self, key: &str, place: Place, object: &mut Object) {
        let place = match place {
            Place::Given => Place::Given,
            _ if FREE.contains(&key) => Place::Free,
            _ if key == "error" || object.get("type").and_then(Value::as_str) == Some("error") => {
                Place::Error
            }
            _ if plain::is_never_kept(key) => Place::Given,
            _ => Place::Api,
        };
        let kind = object
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or("")
            .to_owned();
        for (name, mut value) in std::mem::take(object) {
            let never = plain::is_never_kept(key) || plain::is_never_kept(&name);
            let is_map = value.is_object() && FREE.contains(&name.as_str());
            let inner = match place {
                Place::Api | Place::Error if name == "headers" && is_map => "headers",
                _ if never => "user",
                // A name of a user's says nothing of the value, but that of a map of names does of those below it.
                Place::Given => "",
                Place::Free if !is_map => "",
                _ => name.as_str(),
            };
            let below = match place {
                Place::Error | Place::Given => place,
                Place::Api if is_given((key, &kind), &name, &value) => Place::Given,
                // What a user names has members of the API's below it: schemas under `properties`.
                Place::Api | Place::Free => Place::Api,
            };
            self.value(inner, below, &mut value);
            let name = match place {
                Place::Api | Place::Error if plain::is_key(&name) => name,
                Place::Given if !plain::is_never_kept(key) => self.text(&name),
                _ => self.replaced(&name),
            };
            object.insert(name, value);
        }
    }

    fn string(&mut self, key: &str, place: Place, text: &str) -> String {
        match key {
            "model" => plain::model(text).unwrap_or_else(|| self.replaced(text)),
            "message" if place == Place::Error => self.error(text),
            key if plain::holds_words(key) && plain::is_word(text) => text.to_owned(),
            key if plain::is_id(key) || plain::is_opaque(key) => self.replaced(text),
            key if plain::is_never_kept(key) => self.replaced(text),
            _ => self.text(text),
        }
    }

    /// A message of the API's: its own words stay, what it quotes does not.
    fn error(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let word = words::run(rest);
            if word.is_empty() {
                out.push(c);
                rest = &rest[c.len_utf8()..];
                continue;
            }
            let joined = super::opaque::run(rest);
            let is_number = word.len() <= 4 && word.bytes().all(|b| b.is_ascii_digit());
            if plain::is_error_word(word) && !joined.contains(|c: char| c.is_ascii_digit())
                || is_number && joined == word
            {
                out.push_str(word);
                rest = &rest[word.len()..];
            } else {
                out.push_str(&self.replaced(joined.trim_end_matches('=')));
                rest = &rest[joined.trim_end_matches('=').len().max(word.len())..];
            }
        }
        out
    }

    fn path(&mut self, path: &str) -> String {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let parts: Vec<&str> = path.split('/').collect();
        let part = |at: usize, redactor: &mut Self| {
            let part = parts[at];
            // Bedrock names the model in a part of its own.
            let is_model = at > 0 && parts[at - 1] == "model";
            if is_model {
                return redactor.string("model", Place::Api, part);
            }
            if part.is_empty() || PATH.contains(&part) {
                return part.to_owned();
            }
            match part.rsplit_once(':') {
                Some((model, verb)) if VERBS.contains(&verb) => {
                    format!("{}:{verb}", redactor.string("model", Place::Api, model))
                }
                _ => redactor.replaced(part),
            }
        };
        let mut out = (0..parts.len())
            .map(|at| part(at, self))
            .collect::<Vec<_>>()
            .join("/");
        for (index, pair) in query.split('&').filter(|pair| !pair.is_empty()).enumerate() {
            out.push(if index == 0 { '?' } else { '&' });
            let Some((name, value)) = pair.split_once('=') else {
                out.push_str(&self.replaced(pair));
                continue;
            };
            let bare = name.trim_end_matches("[]");
            out.push_str(&if plain::is_key(bare) {
                name.to_owned()
            } else {
                self.replaced(name)
            });
            out.push('=');
            out.push_str(&if ASKED.contains(&bare) && plain::is_word(value) {
                value.to_owned()
            } else {
                self.replaced(value)
            });
        }
        out
    }

    fn headers(&mut self, headers: &mut Object) {
        for (name, value) in std::mem::take(headers) {
            let value = self.header_value(&name, value);
            let name = if plain::is_dashed(&name) {
                name
            } else {
                self.replaced(&name)
            };
            headers.insert(name, value);
        }
    }

    fn header_value(&mut self, name: &str, value: Value) -> Value {
        match value {
            Value::String(text) => self.header(name, &text).into(),
            Value::Number(number) => {
                let text = number.to_string();
                let stand_in = self.header(name, &text);
                if stand_in == text {
                    number.into()
                } else {
                    stand_in.into()
                }
            }
            Value::Array(values) => {
                let values = values.into_iter();
                values.map(|value| self.header_value(name, value)).collect()
            }
            mut value => {
                self.value("headers", Place::Free, &mut value);
                value
            }
        }
    }

    fn header(&mut self, name: &str, text: &str) -> String {
        let is_number = text.len() <= 12 && text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        match name {
            "user-agent" => self.user_agent(text),
            "content-type" | "accept" => {
                let kind = text.split(';').next().unwrap_or_default().trim();
                let known = CONTENT.contains(&kind);
                if known {
                    kind.to_owned()
                } else {
                    self.replaced(text)
                }
            }
            "openai-beta" | "x-stainless-lang" | "x-should-retry" if plain::is_word(text) => text.to_owned(),
            "openai-beta" if text.starts_with("responses=") && text.len() < 24 => text.to_owned(),
            _ if is_number && plain::holds_number(name) => text.to_owned(),
            _ => self.replaced(text),
        }
    }

    fn user_agent(&mut self, text: &str) -> String {
        let product = |product: &str, redactor: &mut Self| {
            if plain::is_client(product) {
                product.to_owned()
            } else {
                redactor.replaced(product)
            }
        };
        text.split(' ')
            .map(|one| product(one, self))
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// The pieces of a streamed text are pieces of its stand-in.
    fn events(&mut self, events: &mut [Event]) {
        let mut whole: BTreeMap<String, String> = BTreeMap::new();
        for piece in events.iter().flat_map(pieces) {
            whole.entry(piece.of).or_default().push_str(&piece.text);
        }
        let whole: BTreeMap<String, String> = whole
            .into_iter()
            .map(|(key, text)| (key, self.text(&text)))
            .collect();
        let mut told: BTreeMap<String, usize> = BTreeMap::new();
        for event in events {
            let told = pieces(event).into_iter().filter_map(|piece| {
                let from = told.get(&piece.of).copied().unwrap_or(0);
                let to = from + piece.text.len();
                let text = whole.get(&piece.of)?.get(from..to)?.to_owned();
                told.insert(piece.of, to);
                Some((piece.at, text))
            });
            let told: Vec<(String, String)> = told.collect();
            let mut value = Value::Object(std::mem::take(event.object_mut()));
            self.value("", Place::Api, &mut value);
            for (at, text) in told {
                if let Some(place) = value.pointer_mut(&at) {
                    *place = text.into();
                }
            }
            if let Value::Object(object) = value {
                *event.object_mut() = object;
            }
        }
    }
}

/// Whether a member of an object of the API's is what a tool was called with, or gave, with members of its own
/// (`tests/facts/providers.md`); `key` and `kind` are where the object stands and its type.
fn is_given((key, kind): (&str, &str), name: &str, value: &Value) -> bool {
    match name {
        "args" | "arguments" => value.is_object() || value.is_array(),
        "input" => {
            let is_call = matches!(key, "toolUse" | "tool_use") || kind.ends_with("tool_use");
            (is_call || kind.ends_with("_call")) && (value.is_object() || value.is_array())
        }
        "response" => matches!(key, "functionResponse" | "function_response"),
        "result" => kind == "function_result" && value.is_object(),
        // What a tool of Converse gave; `inputSchema` has such a member as well.
        "json" => key == "content",
        _ => false,
    }
}

/// A piece of a text that a stream tells.
struct Piece {
    /// Which text it is of.
    of: String,
    /// JSON pointer of the piece in its event.
    at: String,
    text: String,
}

/// Members of a delta that hold pieces of a text, on the wires of other providers (`tests/facts/providers.md` sections
/// 11 and 15).
const TOLD: [&str; 8] = [
    "text",
    "thinking",
    "partial_json",
    "content",
    "reasoning_content",
    "reasoning",
    "arguments",
    "input",
];

fn pieces(event: &Event) -> Vec<Piece> {
    if let (Some(of), Some(text)) = (stream_of(event), event.delta()) {
        return vec![Piece {
            of,
            at: "/delta".to_owned(),
            text: text.to_owned(),
        }];
    }
    let mut found = Vec::new();
    deltas(event.object(), ("", ""), &mut found);
    found
}

/// Looks for deltas; `of` is the pointer so far with the numbers that the stream itself gives to its parts.
fn deltas(object: &Object, (of, at): (&str, &str), found: &mut Vec<Piece>) {
    let of = numbered(object, of);
    for (name, value) in object {
        let (of, at) = (format!("{of}/{name}"), format!("{at}/{name}"));
        for (of, at, inner) in objects(value, &of, &at) {
            if name == "delta" {
                leaves(inner, (&of, &at), found);
            } else {
                deltas(inner, (&of, &at), found);
            }
        }
    }
}

/// Takes the texts of a delta.
fn leaves(object: &Object, (of, at): (&str, &str), found: &mut Vec<Piece>) {
    let of = numbered(object, of);
    for (name, value) in object {
        let (of, at) = (format!("{of}/{name}"), format!("{at}/{name}"));
        if let Value::String(text) = value
            && TOLD.contains(&name.as_str())
        {
            found.push(Piece {
                of,
                at,
                text: text.clone(),
            });
            continue;
        }
        for (of, at, inner) in objects(value, &of, &at) {
            leaves(inner, (&of, &at), found);
        }
    }
}

/// An object, or those of a list; one that says its own number stands anywhere in it.
fn objects<'a>(value: &'a Value, of: &str, at: &str) -> Vec<(String, String, &'a Object)> {
    match value {
        Value::Object(object) => vec![(of.to_owned(), at.to_owned(), object)],
        Value::Array(list) => {
            let objects = list.iter().enumerate();
            let objects = objects.filter_map(|(place, value)| Some((place, value.as_object()?)));
            objects
                .map(|(place, object)| {
                    let of = match object.get("index") {
                        Some(_) => of.to_owned(),
                        None => format!("{of}/{place}"),
                    };
                    (of, format!("{at}/{place}"), object)
                })
                .collect()
        }
        _ => Vec::new(),
    }
}

/// The pointer with the number that an object gives itself.
fn numbered(object: &Object, of: &str) -> String {
    let mut numbers = ["index", "contentBlockIndex"]
        .iter()
        .filter_map(|name| object.get(*name)?.as_u64());
    numbers
        .next()
        .map_or_else(|| of.to_owned(), |number| format!("{of} {number}"))
}

/// The text that a delta belongs to.
fn stream_of(event: &Event) -> Option<String> {
    let kind = event.name().strip_suffix(".delta")?;
    let place = |name: &str| event.object().get(name).and_then(Value::as_u64).unwrap_or(0);
    let (output, content, summary) = (
        place("output_index"),
        place("content_index"),
        place("summary_index"),
    );
    Some(format!("{kind} {output} {content} {summary}"))
}
