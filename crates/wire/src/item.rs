//! One element of `input` or `output`: the JSON object itself, behind typed accessors.

use crate::Members as _;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Object;

/// What an item is, by its `type` (or by its members where the API lets `type` be absent).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ItemKind {
    /// `message`, also the easy form that has `role` and `content` only.
    Message,
    /// `reasoning`.
    Reasoning,
    /// `function_call`.
    FunctionCall,
    /// `function_call_output`.
    FunctionCallOutput,
    /// `custom_tool_call`.
    CustomToolCall,
    /// `custom_tool_call_output`.
    CustomToolCallOutput,
    /// `compaction`, and `compaction_summary` as some builds of one backend spell it.
    Compaction,
    /// `compaction_trigger`.
    CompactionTrigger,
    /// `item_reference`, also an object that holds an `id` only.
    ItemReference,
    /// Any other call of the model that a client or the server answers: `shell_call`, `web_search_call`, ….
    OtherCall,
    /// The output item of an [`ItemKind::OtherCall`].
    OtherOutput,
    /// A type this version does not know.
    Unknown,
}

impl ItemKind {
    /// A call that waits for an output item with its `call_id` from the client.
    pub fn is_client_call(self) -> bool {
        matches!(self, Self::FunctionCall | Self::CustomToolCall)
    }

    /// An output item that answers such a call.
    pub fn is_client_output(self) -> bool {
        matches!(self, Self::FunctionCallOutput | Self::CustomToolCallOutput)
    }

    /// An item that holds an opaque token: reasoning or compaction.
    pub fn is_protected(self) -> bool {
        matches!(self, Self::Reasoning | Self::Compaction)
    }
}

/// One item. Unknown members and types are kept; nothing is reordered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Item(Object);

impl Item {
    /// Wraps an object that stands where an item stands.
    pub fn new(object: Object) -> Self {
        Self(object)
    }

    /// The object of `value`; `None` when it is no object.
    pub fn from_value(value: &Value) -> Option<Self> {
        value.as_object().cloned().map(Self)
    }

    /// A user message in the easy form.
    pub fn user(text: &str) -> Self {
        let mut object = Object::new();
        object.insert("role".to_owned(), "user".into());
        object.insert("content".to_owned(), text.into());
        Self(object)
    }

    /// The output of a function call.
    pub fn function_call_output(call_id: &str, output: &str) -> Self {
        let mut object = Object::new();
        object.insert("type".to_owned(), "function_call_output".into());
        object.insert("call_id".to_owned(), call_id.into());
        object.insert("output".to_owned(), output.into());
        Self(object)
    }

    /// The members in wire order.
    pub fn object(&self) -> &Object {
        &self.0
    }

    /// The members, to change.
    pub fn object_mut(&mut self) -> &mut Object {
        &mut self.0
    }

    /// The item as a JSON value.
    pub fn into_value(self) -> Value {
        Value::Object(self.0)
    }

    /// A copy of the item as a JSON value.
    pub fn to_value(&self) -> Value {
        Value::Object(self.0.clone())
    }

    /// A borrowed view that needs no copy of a whole item.
    pub fn view(&self) -> ItemView<'_> {
        ItemView(&self.0)
    }

    /// See [`ItemView::kind`].
    pub fn kind(&self) -> ItemKind {
        self.view().kind()
    }

    /// See [`ItemView::id`].
    pub fn id(&self) -> Option<&str> {
        self.view().id()
    }

    /// See [`ItemView::call_id`].
    pub fn call_id(&self) -> Option<&str> {
        self.view().call_id()
    }

    /// See [`ItemView::role`].
    pub fn role(&self) -> Option<&str> {
        self.view().role()
    }

    /// See [`ItemView::encrypted_content`].
    pub fn encrypted_content(&self) -> Option<&str> {
        self.view().encrypted_content()
    }

    /// See [`ItemView::text`].
    pub fn text(&self) -> String {
        self.view().text()
    }
}

/// An item inside a body, borrowed: the same accessors as [`Item`] without a copy.
#[derive(Clone, Copy, Debug)]
pub struct ItemView<'a>(&'a Object);

impl<'a> ItemView<'a> {
    /// The view of an object that stands where an item stands.
    pub fn new(object: &'a Object) -> Self {
        Self(object)
    }

    /// The members in wire order.
    pub fn object(self) -> &'a Object {
        self.0
    }

    /// An owned copy.
    pub fn to_item(self) -> Item {
        Item(self.0.clone())
    }

    fn text_member(self, name: &str) -> Option<&'a str> {
        self.0.member(name).and_then(Value::as_str)
    }

    /// `type` as it stands on the wire; absent in the easy message and the short reference.
    pub fn type_name(self) -> Option<&'a str> {
        self.text_member("type")
    }

    /// What the item is. A missing `type` with `role` is a message, with only `id` a reference
    /// (`tests/facts/items.md`, last section).
    pub fn kind(self) -> ItemKind {
        match self.type_name() {
            Some(name) => kind_of(name),
            None if self.0.member("role").is_some() => ItemKind::Message,
            None if self.0.member("id").is_some()
                && self.0.keys().all(|key| key == "id" || key == "type") =>
            {
                ItemKind::ItemReference
            }
            None => ItemKind::Unknown,
        }
    }

    /// `id`, when it is a string.
    pub fn id(self) -> Option<&'a str> {
        self.text_member("id")
    }

    /// `call_id`, when it is a string.
    pub fn call_id(self) -> Option<&'a str> {
        self.text_member("call_id")
    }

    /// `name` of a call.
    pub fn name(self) -> Option<&'a str> {
        self.text_member("name")
    }

    /// `role` of a message.
    pub fn role(self) -> Option<&'a str> {
        self.text_member("role")
    }

    /// `phase` of an assistant message: `commentary` or `final_answer`.
    pub fn phase(self) -> Option<&'a str> {
        self.text_member("phase")
    }

    /// The opaque token, when it is a string that is not empty.
    pub fn encrypted_content(self) -> Option<&'a str> {
        self.text_member("encrypted_content")
            .filter(|token| !token.is_empty())
    }

    /// The texts of the parts of `summary`, in order.
    pub fn summary_texts(self) -> impl Iterator<Item = &'a str> {
        parts(self.0.member("summary")).filter_map(|part| part.member("text").and_then(Value::as_str))
    }

    /// Visible text of a message: the `text` and `refusal` members of its parts, or `content` itself when it is a
    /// string; parts are joined without a separator.
    pub fn text(self) -> String {
        match self.0.member("content") {
            Some(Value::String(text)) => text.clone(),
            content => parts(content)
                .filter_map(|part| part.member("text").or_else(|| part.member("refusal")))
                .filter_map(Value::as_str)
                .collect(),
        }
    }

    /// A message of a user.
    pub fn is_user_message(self) -> bool {
        self.kind() == ItemKind::Message && self.role() == Some("user")
    }

    /// A message of the assistant.
    pub fn is_assistant_message(self) -> bool {
        self.kind() == ItemKind::Message && self.role() == Some("assistant")
    }
}

fn parts(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    value.and_then(Value::as_array).into_iter().flatten()
}

fn kind_of(name: &str) -> ItemKind {
    match name {
        "message" => ItemKind::Message,
        "reasoning" => ItemKind::Reasoning,
        "function_call" => ItemKind::FunctionCall,
        "function_call_output" => ItemKind::FunctionCallOutput,
        "custom_tool_call" => ItemKind::CustomToolCall,
        "custom_tool_call_output" => ItemKind::CustomToolCallOutput,
        "compaction" | "compaction_summary" => ItemKind::Compaction,
        "compaction_trigger" => ItemKind::CompactionTrigger,
        "item_reference" => ItemKind::ItemReference,
        "web_search_call"
        | "file_search_call"
        | "code_interpreter_call"
        | "image_generation_call"
        | "mcp_call"
        | "mcp_list_tools"
        | "mcp_approval_request"
        | "shell_call"
        | "local_shell_call"
        | "apply_patch_call"
        | "computer_call"
        | "tool_search_call"
        | "program" => ItemKind::OtherCall,
        "mcp_approval_response"
        | "shell_call_output"
        | "local_shell_call_output"
        | "apply_patch_call_output"
        | "computer_call_output"
        | "tool_search_output"
        | "program_output" => ItemKind::OtherOutput,
        _ => ItemKind::Unknown,
    }
}

/// The prefix that an id of this item type begins with (`tests/facts/items.md`, Ids); `None` where the facts name
/// none or are unsure.
pub fn id_prefix(type_name: &str) -> Option<&'static str> {
    Some(match type_name {
        "message" => "msg",
        "reasoning" => "rs",
        "function_call" => "fc",
        "custom_tool_call" => "ctc",
        "compaction" | "compaction_summary" => "cmp",
        "web_search_call" => "ws",
        "file_search_call" => "fs",
        "code_interpreter_call" => "ci",
        "image_generation_call" => "ig",
        "mcp_list_tools" => "mcpl",
        "mcp_call" => "mcp",
        "mcp_approval_request" => "mcpr",
        "shell_call" => "sh",
        "shell_call_output" => "sho",
        "local_shell_call" => "lsh",
        "apply_patch_call" => "apc",
        "computer_call" => "cu",
        "tool_search_call" => "tsc",
        "tool_search_output" => "tso",
        "program" => "cm",
        "program_output" => "cmo",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[expect(
        clippy::needless_pass_by_value,
        reason = "`json!` values read better without a borrow"
    )]
    fn item(value: Value) -> Item {
        Item::from_value(&value).expect("an object")
    }

    #[test]
    fn a_missing_type_is_read_from_the_members() {
        assert_eq!(
            item(json!({"role": "user", "content": "x"})).kind(),
            ItemKind::Message
        );
        assert_eq!(item(json!({"id": "msg_1"})).kind(), ItemKind::ItemReference);
        assert_eq!(
            item(json!({"id": "msg_1", "type": null})).kind(),
            ItemKind::ItemReference
        );
        assert_eq!(item(json!({"id": "x", "foo": 1})).kind(), ItemKind::Unknown);
        assert_eq!(item(json!({"type": "brand_new"})).kind(), ItemKind::Unknown);
    }

    #[test]
    fn members_this_version_does_not_know_survive_in_order() {
        let text = r#"{"zeta":1,"type":"reasoning","alpha":{"y":[1.0,null]},"summary":[]}"#;
        let parsed: Item = serde_json::from_str(text).expect("JSON");
        assert_eq!(serde_json::to_string(&parsed).expect("JSON"), text);
    }

    #[test]
    fn numbers_survive_to_their_last_digit() {
        // Each is the shortest text of its double; a reader that rounds while it reads gives a neighbour.
        let text = "[0.1,0.30000000000000004,1.7976931348623157e+308,5e-324,2.2250738585072014e-308,9007199254740993,123456789.12345679]";
        let parsed: Value = serde_json::from_str(text).expect("JSON");
        assert_eq!(serde_json::to_string(&parsed).expect("JSON"), text);
        for number in [
            "9.109383632044565e-31",
            "31.245270191439438",
            "121.48791951161945",
        ] {
            let parsed: Value = serde_json::from_str(number).expect("JSON");
            assert_eq!(parsed.to_string(), number);
        }
    }

    #[test]
    fn text_is_read_from_both_forms() {
        assert_eq!(item(json!({"role": "user", "content": "a"})).text(), "a");
        let parts = json!({"type": "message", "content": [{"type": "output_text", "text": "a"}, {"type": "refusal", "refusal": "b"}]});
        assert_eq!(item(parts).text(), "ab");
        assert_eq!(item(json!({"type": "message", "content": null})).text(), "");
    }

    #[test]
    fn an_empty_token_is_no_token() {
        assert_eq!(
            item(json!({"type": "reasoning", "encrypted_content": ""})).encrypted_content(),
            None
        );
        assert_eq!(
            item(json!({"type": "reasoning", "encrypted_content": null})).encrypted_content(),
            None
        );
    }
}
