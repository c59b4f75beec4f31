//! What a client sends: a call to any endpoint, and the body of `POST /v1/responses`.

use crate::Members as _;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Object;
use crate::item::{Item, ItemView};

/// Method of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Method {
    /// `GET`
    Get,
    /// `POST`
    Post,
    /// `DELETE`
    Delete,
    /// `PUT`; no endpoint takes it, nor any that follows.
    Put,
    /// `PATCH`
    Patch,
    /// `HEAD`
    Head,
    /// `OPTIONS`
    Options,
    /// Anything else.
    Other,
}

impl Method {
    /// The method of its name on the wire.
    pub fn parse(text: &str) -> Self {
        match text {
            "GET" => Self::Get,
            "POST" => Self::Post,
            "DELETE" => Self::Delete,
            "PUT" => Self::Put,
            "PATCH" => Self::Patch,
            "HEAD" => Self::Head,
            "OPTIONS" => Self::Options,
            _ => Self::Other,
        }
    }

    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Delete => "DELETE",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Head => "HEAD",
            Self::Options => "OPTIONS",
            Self::Other => "OTHER",
        }
    }
}

/// Body of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum CallBody {
    /// No byte was sent.
    Empty,
    /// Parsed JSON of any shape.
    Json(Value),
    /// Bytes that are no JSON (kept as text, lossy, for the recording).
    Invalid(String),
}

impl CallBody {
    /// Parses the bytes of a body once; what cannot be parsed is kept.
    pub fn parse(bytes: &[u8]) -> Self {
        if bytes.is_empty() {
            return Self::Empty;
        }
        match serde_json::from_slice(bytes) {
            Ok(value) => Self::Json(value),
            Err(_) => Self::Invalid(String::from_utf8_lossy(bytes).into_owned()),
        }
    }

    /// The object, when the body is one.
    pub fn object(&self) -> Option<&Object> {
        match self {
            Self::Json(Value::Object(object)) => Some(object),
            _ => None,
        }
    }
}

/// One call to the API, free of the transport it came by. Header names are lower-case.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Method.
    pub method: Method,
    /// Path under the base URL with its leading `/v1` (`/v1/responses`), percent-decoded, without query.
    pub path: String,
    /// Query pairs in order, percent-decoded.
    pub query: Vec<(String, String)>,
    /// Request headers in order, names in lower case. Credentials are among them: a recording drops them.
    pub headers: Vec<(String, String)>,
    /// Body.
    pub body: CallBody,
}

impl Call {
    /// A `POST` with a JSON body and a bearer key, as a client in the same process makes it.
    pub fn post(path: &str, body: Value) -> Self {
        Self {
            method: Method::Post,
            path: path.to_owned(),
            query: Vec::new(),
            headers: vec![(
                "authorization".to_owned(),
                "Bearer sk-holdover-default".to_owned(),
            )],
            body: CallBody::Json(body),
        }
    }

    /// A `GET` with a bearer key.
    pub fn get(path: &str) -> Self {
        Self {
            method: Method::Get,
            body: CallBody::Empty,
            ..Self::post(path, Value::Null)
        }
    }

    /// The first header of this (lower-case) name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// The first query value of this name.
    pub fn query(&self, name: &str) -> Option<&str> {
        self.query
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }
}

/// The body of `POST /v1/responses`, borrowed; `null` reads as absent (`tests/facts/endpoints.md`, parameters).
#[derive(Clone, Copy, Debug)]
pub struct CreateRequest<'a>(&'a Object);

impl<'a> CreateRequest<'a> {
    /// A view of the body.
    pub fn new(body: &'a Object) -> Self {
        Self(body)
    }

    /// The body.
    pub fn object(self) -> &'a Object {
        self.0
    }

    /// A member that is there and not `null`.
    pub fn member(self, name: &str) -> Option<&'a Value> {
        self.0.member(name).filter(|value| !value.is_null())
    }

    fn text(self, name: &str) -> Option<&'a str> {
        self.member(name).and_then(Value::as_str)
    }

    fn flag(self, name: &str) -> Option<bool> {
        self.member(name).and_then(Value::as_bool)
    }

    /// `model`
    pub fn model(self) -> Option<&'a str> {
        self.text("model")
    }

    /// `store`; absent means true.
    pub fn store(self) -> bool {
        self.flag("store").unwrap_or(true)
    }

    /// `stream`; absent means false.
    pub fn stream(self) -> bool {
        self.flag("stream").unwrap_or(false)
    }

    /// `instructions` when they are a string.
    pub fn instructions(self) -> Option<&'a str> {
        self.text("instructions")
    }

    /// `previous_response_id`
    pub fn previous_response_id(self) -> Option<&'a str> {
        self.text("previous_response_id")
    }

    /// `conversation`, as a string or as `{"id": …}`.
    pub fn conversation(self) -> Option<&'a str> {
        match self.member("conversation")? {
            Value::String(id) => Some(id),
            value => value.member("id").and_then(Value::as_str),
        }
    }

    /// Whether `include` lists this value.
    pub fn includes(self, value: &str) -> bool {
        let listed = self.member("include").and_then(Value::as_array);
        listed.is_some_and(|list| list.iter().any(|entry| entry == value))
    }

    /// `reasoning.effort`
    pub fn effort(self) -> Option<&'a str> {
        self.member("reasoning")?.member("effort").and_then(Value::as_str)
    }

    /// `reasoning.summary`, or the deprecated `reasoning.generate_summary`.
    pub fn summary(self) -> Option<&'a str> {
        let reasoning = self.member("reasoning")?;
        let asked = reasoning.member("summary").filter(|value| !value.is_null());
        asked
            .or_else(|| reasoning.member("generate_summary"))
            .and_then(Value::as_str)
    }

    /// `reasoning.context`
    pub fn context(self) -> Option<&'a str> {
        self.member("reasoning")?
            .member("context")
            .and_then(Value::as_str)
    }

    /// `tools`, each an object.
    pub fn tools(self) -> impl Iterator<Item = &'a Object> {
        self.member("tools")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_object)
    }

    /// The items of `input` with their index in it; empty when `input` is a string or absent.
    pub fn items(self) -> impl Iterator<Item = (usize, ItemView<'a>)> {
        let list = self.member("input").and_then(Value::as_array);
        list.into_iter()
            .flatten()
            .enumerate()
            .filter_map(|(index, value)| Some((index, ItemView::new(value.as_object()?))))
    }

    /// `input` when it is a string: one user message.
    pub fn input_text(self) -> Option<&'a str> {
        self.text("input")
    }

    /// Owned copies of the items, a string input as one user message.
    pub fn owned_items(self) -> Vec<Item> {
        match self.input_text() {
            Some(text) => vec![Item::user(text)],
            None => self.items().map(|(_, item)| item.to_item()).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn null_reads_as_absent() {
        let body =
            json!({"store": null, "instructions": null, "conversation": {"id": "conv_1"}, "input": "hi"});
        let request = CreateRequest::new(body.as_object().expect("object"));
        assert!(request.store());
        assert_eq!(request.instructions(), None);
        assert_eq!(request.conversation(), Some("conv_1"));
        assert_eq!(request.owned_items(), vec![Item::user("hi")]);
    }

    #[test]
    fn a_body_that_is_no_json_is_kept() {
        assert_eq!(CallBody::parse(b""), CallBody::Empty);
        assert_eq!(CallBody::parse(b"{x"), CallBody::Invalid("{x".to_owned()));
        assert_eq!(CallBody::parse(b"[1]"), CallBody::Json(json!([1])));
    }
}
