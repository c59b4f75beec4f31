//! A JSON document: the body of an answer that is no stream.

use std::ops::{Deref, DerefMut};
use std::sync::OnceLock;

use bytes::Bytes;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::members::Members as _;
use crate::outline::Outline;
use crate::response::ResponseView;
use crate::text::{JsonText, Layout};

/// Room for the text of a usual document.
const TEXT_BYTES: usize = 2048;

/// One document, as its value or as its text. A response is written as text, with its [`Outline`] beside it, and is read
/// when somebody asks for more than that.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// The text as it crosses the wire, where nothing was changed since it was written.
    text: Option<Bytes>,
    outline: Option<Box<Outline>>,
    /// The value, where it was read.
    value: OnceLock<Value>,
}

impl Document {
    /// A response that is written in [`Layout::Indented`].
    pub fn response_text(text: Vec<u8>, outline: Outline) -> Self {
        Self {
            // A recording may keep it: without room to spare.
            text: Some(text.into_boxed_slice().into()),
            outline: Some(Box::new(outline)),
            value: OnceLock::new(),
        }
    }

    /// The value.
    pub fn value(&self) -> &Value {
        self.value.get_or_init(|| {
            let text = self.text.as_deref().unwrap_or_default();
            serde_json::from_slice(text).unwrap_or_default()
        })
    }

    /// The value, to change.
    pub fn value_mut(&mut self) -> &mut Value {
        self.value();
        self.text = None;
        self.outline = None;
        // It was read on the lines before.
        self.value.get_mut().expect("the value was read")
    }

    /// The value alone.
    pub fn into_value(mut self) -> Value {
        self.value();
        self.value.take().unwrap_or_default()
    }

    /// The text as it crosses the wire.
    pub fn bytes(&self) -> Bytes {
        if let Some(text) = &self.text {
            return text.clone();
        }
        let mut text = JsonText::new(Layout::Indented, TEXT_BYTES);
        text.value(self.value());
        text.finish().into_boxed_slice().into()
    }

    /// The response that it is: an object with an `output`.
    pub fn response(&self) -> Option<ResponseView<'_>> {
        if let Some(outline) = &self.outline {
            return Some(ResponseView::of_document(outline, self));
        }
        let object = self.value().as_object()?;
        object.member("output").map(|_| ResponseView::new(object))
    }

    /// `id`, of a response and of anything else.
    pub fn id(&self) -> Option<&str> {
        match &self.outline {
            Some(outline) => Some(&outline.id),
            None => self.value().member("id")?.as_str(),
        }
    }
}

impl From<Value> for Document {
    fn from(value: Value) -> Self {
        Self {
            text: None,
            outline: None,
            value: OnceLock::from(value),
        }
    }
}

impl Deref for Document {
    type Target = Value;

    fn deref(&self) -> &Value {
        self.value()
    }
}

impl DerefMut for Document {
    fn deref_mut(&mut self) -> &mut Value {
        self.value_mut()
    }
}

impl PartialEq for Document {
    fn eq(&self, other: &Self) -> bool {
        self.value() == other.value()
    }
}

impl Serialize for Document {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;

    fn written() -> Document {
        let item = json!({"type": "reasoning", "id": "rs_1"});
        let outline = Outline {
            id: "resp_1".to_owned(),
            created_at: 7,
            status: "completed",
            completed_at: Some(9),
            store: false,
            context: Some("current_turn"),
            output: vec![Arc::new(item.as_object().cloned().expect("an object"))],
        };
        Document::response_text(TEXT.as_bytes().to_vec(), outline)
    }

    const TEXT: &str = r#"{"id":"resp_1","object":"response","created_at":7,"status":"completed","completed_at":9,"store":false,"reasoning":{"context":"current_turn"},"output":[{"type":"reasoning","id":"rs_1"}]}"#;

    #[test]
    fn an_outline_says_what_the_text_says() {
        let (outlined, read) = (written(), Document::from(written().into_value()));
        assert_eq!(outlined.id(), read.id());
        let [outlined, read] = [&outlined, &read].map(|document| document.response().expect("a response"));
        assert_eq!(outlined.id(), read.id());
        assert_eq!(outlined.status(), read.status());
        assert_eq!(outlined.store(), read.store());
        assert_eq!(outlined.context(), read.context());
        assert_eq!(outlined.created_at(), read.created_at());
        assert_eq!(outlined.completed_at(), read.completed_at());
        assert_eq!(outlined.object(), read.object());
        let output = |view: ResponseView<'_>| -> Vec<_> {
            let items = view.output();
            items
                .map(|(index, item)| (index, item.object().clone()))
                .collect()
        };
        assert_eq!(output(outlined), output(read));
        assert_eq!(output(outlined).len(), 1);
    }

    #[test]
    fn what_is_changed_is_written_anew() {
        let mut document = written();
        assert_eq!(document.bytes(), TEXT);
        document["id"] = "resp_2".into();
        assert_eq!(document.id(), Some("resp_2"));
        assert_eq!(
            document.bytes(),
            serde_json::to_vec_pretty(document.value()).expect("JSON")
        );
    }

    #[test]
    fn only_an_object_with_an_output_is_a_response() {
        assert!(Document::from(json!({"id": "resp_1"})).response().is_none());
        assert!(Document::from(json!([])).response().is_none());
        assert_eq!(Document::from(json!({"id": "x"})).id(), Some("x"));
    }
}
