//! The client of a scenario with pasted requests: it sends what stands there, with what the server issued put in.

use std::collections::BTreeMap;

use holdover_wire::recording::ResponseRecord;
use holdover_wire::{Call, CallBody, Exchange, Method, Object};
use serde_json::Value;

use holdover_scenario::{PastedMethod, PastedRequest};

/// What the server issued so far, by the names that a scenario gives it: `rs_1` is the first id that begins with `rs_`.
#[derive(Debug, Default)]
pub struct Issued {
    items: BTreeMap<String, Object>,
    names: BTreeMap<String, String>,
    counts: BTreeMap<String, u64>,
}

impl Issued {
    /// Takes what an exchange issued. A finished item of a stream counts before that of its terminal event.
    pub fn learn(&mut self, exchange: &Exchange) {
        let Some(response) = &exchange.response else {
            return;
        };
        for event in response.events.iter().flatten() {
            if event.name() == "response.output_item.done"
                && let Some(item) = event.item()
            {
                self.take(item.object());
            }
        }
        for object in objects(response) {
            let lists = ["output", "data"]
                .into_iter()
                .filter_map(|key| object.get(key)?.as_array());
            for item in lists.flatten().filter_map(Value::as_object) {
                self.take(item);
            }
            self.take(object);
        }
        // What was begun and never finished has an id all the same.
        for event in response.events.iter().flatten() {
            if event.name() == "response.output_item.added"
                && let Some(item) = event.item()
            {
                self.take(item.object());
            }
        }
    }

    fn take(&mut self, object: &Object) {
        let Some(id) = object.get("id").and_then(Value::as_str) else {
            return;
        };
        if self.names.contains_key(id) {
            return;
        }
        let prefix = id.split('_').next().unwrap_or(id);
        let count = self.counts.entry(prefix.to_owned()).or_insert(0);
        *count += 1;
        let name = format!("{prefix}_{count}");
        self.names.insert(id.to_owned(), name.clone());
        self.items.insert(name, object.clone());
    }

    /// The name of an id.
    pub fn name_of(&self, id: &str) -> Option<&str> {
        self.names.get(id).map(String::as_str)
    }

    /// The call that a pasted request makes.
    pub fn call(&self, request: &PastedRequest) -> Call {
        let target = self.text(&request.path);
        let (path, query) = target.split_once('?').unwrap_or((&target, ""));
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        let call = Call {
            query: pairs
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            ..Call::post(path, self.value(&request.body))
        };
        match request.method {
            PastedMethod::Post => call,
            PastedMethod::Get => Call {
                method: Method::Get,
                body: CallBody::Empty,
                ..call
            },
            PastedMethod::Delete => Call {
                method: Method::Delete,
                body: CallBody::Empty,
                ..call
            },
        }
    }

    fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.whole(text).unwrap_or_else(|| Value::String(self.text(text))),
            Value::Array(values) => values.iter().map(|value| self.value(value)).collect(),
            Value::Object(object) => {
                let members = object
                    .iter()
                    .map(|(name, value)| (name.clone(), self.value(value)));
                Value::Object(members.collect())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    /// `{{rs_1.item}}` alone is the item itself.
    fn whole(&self, text: &str) -> Option<Value> {
        let name = text.strip_prefix("{{")?.strip_suffix(".item}}")?;
        self.items.get(name).cloned().map(Value::Object)
    }

    /// Puts what was issued into a text; a name that nothing has stays as it is.
    fn text(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find("{{") {
            let Some(length) = rest[start..].find("}}") else {
                break;
            };
            let end = start + length + 2;
            out.push_str(&rest[..start]);
            match self.named(&rest[start + 2..end - 2]) {
                Some(value) => out.push_str(&value),
                None => out.push_str(&rest[start..end]),
            }
            rest = &rest[end..];
        }
        out.push_str(rest);
        out
    }

    /// `rs_1`, `rs_1.token`, `rs_1.token.altered`, `rs_1.token[..255]`.
    fn named(&self, expression: &str) -> Option<String> {
        let (expression, slice) = match expression
            .strip_suffix(']')
            .and_then(|inner| inner.split_once('['))
        {
            Some((expression, slice)) => (expression, Some(slice)),
            None => (expression, None),
        };
        let mut parts = expression.split('.');
        let item = self.items.get(parts.next()?)?;
        let mut text = member(item, "id")?;
        for part in parts {
            text = match part {
                "token" => member(item, "encrypted_content").or_else(|| member(item, "fingerprint"))?,
                "altered" => altered(&text),
                "standard" => text
                    .replace('-', "+")
                    .replace('_', "/")
                    .trim_end_matches('=')
                    .to_owned(),
                "text" => holdover_wire::item::ItemView::new(item).text(),
                _ => return None,
            };
        }
        match slice {
            Some(slice) => cut(&text, slice),
            None => Some(text),
        }
    }
}

fn objects(response: &ResponseRecord) -> Vec<&Object> {
    let body = response.body.as_deref().and_then(Value::as_object);
    let mut of_events = response
        .events
        .iter()
        .flatten()
        .filter_map(|event| event.object().get("response")?.as_object());
    body.into_iter().chain(of_events.next_back()).collect()
}

fn member(item: &Object, name: &str) -> Option<String> {
    item.get(name).and_then(Value::as_str).map(str::to_owned)
}

/// Another letter in the middle.
fn altered(text: &str) -> String {
    let middle = text.len() / 2;
    let other = |(at, c): (usize, char)| match c {
        _ if at != middle => c,
        'A' => 'B',
        _ => 'A',
    };
    text.chars().enumerate().map(other).collect()
}

/// `..255`, `10..`, `10..50`; a text that is shorter gives what it has.
fn cut(text: &str, slice: &str) -> Option<String> {
    let (from, to) = slice.split_once("..")?;
    let bound = |bound: &str, default: usize| {
        if bound.is_empty() {
            Some(default)
        } else {
            bound.parse().ok()
        }
    };
    let to = bound(to, text.len())?.min(text.len());
    let from = bound(from, 0)?.min(to);
    text.get(from..to).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn issued() -> Issued {
        let line = json!({"request": {"body": {}}, "response": {"body": {"id": "resp_a", "output": [
            {"type": "reasoning", "id": "rs_x", "encrypted_content": "abc-def_gh"},
            {"type": "message", "id": "msg_y", "content": []},
        ]}}});
        let exchange: Exchange = serde_json::from_value(line).expect("an exchange");
        let mut issued = Issued::default();
        issued.learn(&exchange);
        issued
    }

    #[test]
    fn what_follows_a_question_mark_is_the_query() {
        let request = PastedRequest {
            method: PastedMethod::Get,
            path: "/v1/responses/{{resp_1}}?stream=true&starting_after=4".to_owned(),
            body: Value::Null,
        };
        let call = issued().call(&request);
        assert_eq!(call.path, "/v1/responses/resp_a");
        assert_eq!(
            (call.query("stream"), call.query("starting_after")),
            (Some("true"), Some("4"))
        );
    }

    #[test]
    fn names_stand_for_what_was_issued() {
        let issued = issued();
        let body = json!({
            "previous_response_id": "{{resp_1}}",
            "input": ["{{msg_1.item}}", {"id": "{{rs_1}}", "enc": "{{rs_1.token[..3]}}", "note": "see {{rs_1.token[4..6]}} and {{rs_9}}"}],
            "other": "{{rs_1.token.standard}} {{rs_1.token.altered}}",
        });
        let expected = json!({
            "previous_response_id": "resp_a",
            "input": [{"type": "message", "id": "msg_y", "content": []}, {"id": "rs_x", "enc": "abc", "note": "see de and {{rs_9}}"}],
            "other": "abc+def/gh abc-dAf_gh",
        });
        assert_eq!(issued.value(&body), expected);
    }
}
