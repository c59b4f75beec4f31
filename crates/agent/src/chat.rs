//! Messages and contents as Microsoft.Extensions.AI keeps them (`tests/facts/clients/dotnet_meai.md`).

use std::collections::BTreeMap;

use holdover_wire::Item;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// Key of the item id in `AdditionalProperties`: a content has no id member of its own.
pub(crate) const ITEM_ID_KEY: &str = "reasoningItemId";

/// One message: a role and its contents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ChatMessage {
    /// `user`, `assistant` or `tool`.
    pub(crate) role: String,
    /// Contents in order.
    pub(crate) contents: Vec<Content>,
}

/// One content with the item it came from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Content {
    /// What it is.
    #[serde(flatten)]
    pub(crate) kind: ContentKind,
    /// `RawRepresentation`: alive in memory, never serialised.
    #[serde(skip)]
    pub(crate) raw: Option<Item>,
}

/// The kinds of content that a turn of this agent can hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "$type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(crate) enum ContentKind {
    /// `TextContent`
    Text {
        /// Visible text.
        text: String,
    },
    /// `TextReasoningContent`
    Reasoning {
        /// Summary, its parts run together.
        text: String,
        /// `ProtectedData`: the token.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        protected_data: Option<String>,
        /// `AdditionalProperties`
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        additional_properties: BTreeMap<String, Property>,
    },
    /// `FunctionCallContent`
    FunctionCall {
        /// `call_id`
        call_id: String,
        /// Name of the function.
        name: String,
        /// Parsed arguments.
        arguments: Value,
    },
    /// `FunctionResultContent`
    FunctionResult {
        /// `call_id`
        call_id: String,
        /// The output.
        result: String,
    },
    /// Bare `AIContent`: an item of another type, known by its `RawRepresentation` only.
    Other {},
}

/// A value in `AdditionalProperties`. It goes into JSON as a string and comes back as a `JsonElement`: same text,
/// another type (D4).
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Property {
    /// A string, as the response reader put it in.
    Text(String),
    /// A JSON element, as the JSON reader put it in.
    Element(Value),
}

impl Property {
    /// The defensive read of D4: a string, a JSON string element, else the element's text.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Text(text) | Self::Element(Value::String(text)) => text.clone(),
            Self::Element(value) => value.to_string(),
        }
    }
}

impl Serialize for Property {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Element(value) => value.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Property {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Self::Element)
    }
}

impl ChatMessage {
    /// A message of the user.
    pub(crate) fn user(text: &str) -> Self {
        Self {
            role: "user".to_owned(),
            contents: vec![Content::bare(ContentKind::Text {
                text: text.to_owned(),
            })],
        }
    }

    /// A message that hands in a tool's output.
    pub(crate) fn tool(call_id: &str, output: &str) -> Self {
        let kind = ContentKind::FunctionResult {
            call_id: call_id.to_owned(),
            result: output.to_owned(),
        };
        Self {
            role: "tool".to_owned(),
            contents: vec![Content::bare(kind)],
        }
    }
}

impl Content {
    /// A content without its item.
    pub(crate) fn bare(kind: ContentKind) -> Self {
        Self { kind, raw: None }
    }

    /// A reasoning content.
    pub(crate) fn reasoning(text: &str, protected_data: Option<&str>, id: Option<&str>) -> Self {
        let id = id.map(|id| (ITEM_ID_KEY.to_owned(), Property::Text(id.to_owned())));
        Self::bare(ContentKind::Reasoning {
            text: text.to_owned(),
            protected_data: protected_data.map(str::to_owned),
            additional_properties: id.into_iter().collect(),
        })
    }

    /// Whether it is reasoning whose id and token are meant.
    pub(crate) fn reasoning_is(&self, meant: impl FnOnce(Option<&str>, Option<&str>) -> bool) -> bool {
        let ContentKind::Reasoning {
            protected_data,
            additional_properties,
            ..
        } = &self.kind
        else {
            return false;
        };
        let id = additional_properties.get(ITEM_ID_KEY).map(Property::text);
        meant(id.as_deref(), protected_data.as_deref())
    }

    /// Whether it holds a token.
    pub(crate) fn is_protected(&self) -> bool {
        match &self.kind {
            ContentKind::Reasoning { protected_data, .. } => protected_data.is_some(),
            ContentKind::Text { .. }
            | ContentKind::FunctionCall { .. }
            | ContentKind::FunctionResult { .. }
            | ContentKind::Other {} => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_json_round_trip_keeps_the_id_and_changes_its_type() {
        let content = Content::reasoning("why", Some("gAAAAAB"), Some("rs_1"));
        let text = serde_json::to_value(&content).expect("JSON");
        let expected = json!({
            "$type": "reasoning", "text": "why", "protectedData": "gAAAAAB",
            "additionalProperties": {"reasoningItemId": "rs_1"},
        });
        assert_eq!(text, expected);
        let again: Content = serde_json::from_value(text).expect("content");
        let ContentKind::Reasoning {
            additional_properties,
            ..
        } = &again.kind
        else {
            panic!("{again:?}");
        };
        assert_eq!(
            additional_properties[ITEM_ID_KEY],
            Property::Element(json!("rs_1"))
        );
        assert_eq!(additional_properties[ITEM_ID_KEY].text(), "rs_1");
    }
}
