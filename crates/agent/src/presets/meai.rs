//! Responses to messages and back, as Microsoft.Extensions.AI does it (`tests/facts/clients/dotnet_meai.md`).

use holdover_wire::{Event, Item, ItemKind, Object};
use serde_json::{Value, json};

use crate::chat::{ChatMessage, Content, ContentKind, ITEM_ID_KEY, Property};
use crate::config::AgentConfig;
use crate::slip::Slip;
use crate::slips;
use crate::stages::receive::Answer;

/// The message of an answer: of a document every item with its raw form; of a stream its updates, coalesced.
pub(crate) fn message(answer: &Answer) -> ChatMessage {
    let contents = if answer.updates.is_empty() {
        answer.items.iter().map(content_of_item).collect()
    } else {
        coalesced(in_output_order(&answer.updates))
    };
    ChatMessage {
        role: "assistant".to_owned(),
        contents,
    }
}

fn content_of_item(item: &Item) -> Content {
    let mut content = match item.kind() {
        ItemKind::Message => Content::bare(ContentKind::Text { text: item.text() }),
        ItemKind::Reasoning => {
            let text: String = item.view().summary_texts().collect();
            Content::reasoning(&text, item.encrypted_content(), item.id())
        }
        ItemKind::FunctionCall => Content::bare(function_call(item)),
        _ => Content::bare(ContentKind::Other {}),
    };
    content.raw = Some(item.clone());
    content
}

fn function_call(item: &Item) -> ContentKind {
    let member = |name: &str| item.object().get(name).and_then(Value::as_str).unwrap_or("");
    ContentKind::FunctionCall {
        call_id: member("call_id").to_owned(),
        name: member("name").to_owned(),
        arguments: serde_json::from_str(member("arguments")).unwrap_or(Value::Null),
    }
}

/// The contents of a stream's updates, in the order in which they came. The last update of a reasoning item that had
/// none before (it has no summary) goes where the item stands in the output: behind its message, as the order of the
/// .NET sample brings it, the API would refuse it.
fn in_output_order(updates: &[Event]) -> Vec<Content> {
    let mut contents: Vec<(Option<u64>, Content)> = Vec::new();
    for event in updates {
        let Some(content) = content_of_update(event) else {
            continue;
        };
        let index = event.output_index();
        let has_begun = contents.iter().any(|(other, _)| *other == index);
        let late = contents.iter().position(|(other, _)| *other > index);
        match late {
            Some(place) if content.is_protected() && !has_begun => contents.insert(place, (index, content)),
            _ => contents.push((index, content)),
        }
    }
    contents.into_iter().map(|(_, content)| content).collect()
}

/// One update of a stream. `output_item.added` is ignored, so the unfinished token is never taken; the token comes
/// with an empty text in the item's last update.
fn content_of_update(event: &Event) -> Option<Content> {
    match event.name() {
        "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
            Some(Content::reasoning(event.delta()?, None, event.item_id()))
        }
        "response.output_text.delta" | "response.refusal.delta" => Some(Content::bare(ContentKind::Text {
            text: event.delta()?.to_owned(),
        })),
        "response.output_item.done" => content_of_done_item(&event.item()?.to_item()),
        _ => None,
    }
}

fn content_of_done_item(item: &Item) -> Option<Content> {
    match item.kind() {
        ItemKind::Reasoning => {
            let token = item.encrypted_content()?;
            Some(Content::reasoning("", Some(token), item.id()))
        }
        ItemKind::FunctionCall => Some(Content::bare(function_call(item))),
        // Its text came as deltas.
        ItemKind::Message => None,
        _ => Some(content_of_item(item)),
    }
}

/// `ToChatResponse`: neighbours of one kind become one; reasoning only while the left one has no token yet. Item ids
/// are not compared: the first one's properties stay.
fn coalesced(updates: Vec<Content>) -> Vec<Content> {
    let mut contents: Vec<Content> = Vec::new();
    for update in updates {
        match contents.last_mut() {
            Some(last) if joins(&last.kind, &update.kind) => join(last, update),
            _ => contents.push(update),
        }
    }
    contents
}

fn joins(left: &ContentKind, right: &ContentKind) -> bool {
    match (left, right) {
        (ContentKind::Text { .. }, ContentKind::Text { .. }) => true,
        (ContentKind::Reasoning { protected_data, .. }, ContentKind::Reasoning { .. }) => {
            protected_data.is_none()
        }
        _ => false,
    }
}

fn join(left: &mut Content, right: Content) {
    match (&mut left.kind, right.kind) {
        (ContentKind::Text { text }, ContentKind::Text { text: more }) => text.push_str(&more),
        (
            ContentKind::Reasoning {
                text, protected_data, ..
            },
            ContentKind::Reasoning {
                text: more,
                protected_data: token,
                ..
            },
        ) => {
            text.push_str(&more);
            *protected_data = token;
        }
        _ => {}
    }
}

/// The input items of a message. Contents that still have their item send it verbatim; of the others, parts of one
/// reasoning item are joined first (D3), and message and call ids are lost.
pub(crate) fn items(message: &ChatMessage, config: &AgentConfig) -> Vec<Item> {
    if message.role == "user" {
        return vec![user_item(message)];
    }
    let contents = joined(&message.contents, config);
    contents
        .iter()
        .filter_map(|content| item_of_content(content, config))
        .collect()
}

/// Reads the item id of a content: whatever type it has after a JSON round trip (D4).
fn item_id(
    properties: &std::collections::BTreeMap<String, Property>,
    config: &AgentConfig,
) -> Option<String> {
    let property = properties.get(ITEM_ID_KEY)?;
    if config.has(Slip::IdTypeChanged) {
        return slips::id_type_changed::apply(property);
    }
    Some(property.text())
}

/// Reasoning contents of one item become one, at the place of the first.
fn joined(contents: &[Content], config: &AgentConfig) -> Vec<Content> {
    let mut result: Vec<Content> = Vec::new();
    for content in contents {
        let id = joinable_id(content, config);
        let earlier = result
            .iter_mut()
            .find(|other| id.is_some() && joinable_id(other, config) == id);
        match earlier {
            Some(first) => join_parts(first, content),
            None => result.push(content.clone()),
        }
    }
    result
}

fn joinable_id(content: &Content, config: &AgentConfig) -> Option<String> {
    match (&content.kind, &content.raw) {
        (
            ContentKind::Reasoning {
                additional_properties,
                ..
            },
            None,
        ) => item_id(additional_properties, config),
        _ => None,
    }
}

fn join_parts(first: &mut Content, next: &Content) {
    if let (
        ContentKind::Reasoning {
            text, protected_data, ..
        },
        ContentKind::Reasoning {
            text: more,
            protected_data: token,
            ..
        },
    ) = (&mut first.kind, &next.kind)
    {
        text.push_str(more);
        if token.is_some() {
            protected_data.clone_from(token);
        }
    }
}

fn user_item(message: &ChatMessage) -> Item {
    let parts: Vec<Value> = message
        .contents
        .iter()
        .filter_map(|content| match &content.kind {
            ContentKind::Text { text } => Some(json!({"type": "input_text", "text": text})),
            _ => None,
        })
        .collect();
    object_item(json!({"type": "message", "role": "user", "content": parts}))
}

fn item_of_content(content: &Content, config: &AgentConfig) -> Option<Item> {
    if let Some(raw) = &content.raw {
        return Some(raw.clone());
    }
    Some(match &content.kind {
        ContentKind::Text { text } => object_item(json!({
            "type": "message", "role": "assistant",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        })),
        ContentKind::Reasoning {
            text,
            protected_data,
            additional_properties,
        } => reasoning_item(
            text,
            protected_data.as_deref(),
            item_id(additional_properties, config),
        ),
        ContentKind::FunctionCall {
            call_id,
            name,
            arguments,
        } => object_item(json!({
            "type": "function_call", "call_id": call_id, "name": name, "arguments": arguments.to_string(),
        })),
        ContentKind::FunctionResult { call_id, result } => Item::function_call_output(call_id, result),
        // Without its item nothing is known of it: the library loses it in a JSON round trip.
        ContentKind::Other {} => return None,
    })
}

/// `new ReasoningResponseItem(text)`: the text is one summary part, even an empty one.
fn reasoning_item(text: &str, token: Option<&str>, id: Option<String>) -> Item {
    let mut object = Object::from_iter([("type".to_owned(), Value::from("reasoning"))]);
    if let Some(id) = id {
        object.insert("id".to_owned(), id.into());
    }
    if let Some(token) = token {
        object.insert("encrypted_content".to_owned(), token.into());
    }
    object.insert(
        "summary".to_owned(),
        json!([{"type": "summary_text", "text": text}]),
    );
    Item::new(object)
}

fn object_item(value: Value) -> Item {
    match value {
        Value::Object(object) => Item::new(object),
        _ => Item::new(Object::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(message: &ChatMessage) -> Vec<Value> {
        let items = items(message, &AgentConfig::default());
        items.into_iter().map(Item::into_value).collect()
    }

    fn assistant(contents: Vec<Content>) -> ChatMessage {
        ChatMessage {
            role: "assistant".to_owned(),
            contents,
        }
    }

    fn text(text: &str) -> Content {
        Content::bare(ContentKind::Text {
            text: text.to_owned(),
        })
    }

    #[test]
    fn parts_of_one_item_are_joined_where_the_first_stood() {
        // The order of the .NET sample: summary, text, and the token last (D3).
        let message = assistant(vec![
            Content::reasoning("why", None, Some("rs_1")),
            text("42"),
            Content::reasoning("", Some("gAAAAAB"), Some("rs_1")),
        ]);
        let expected = [
            json!({"type": "reasoning", "id": "rs_1", "encrypted_content": "gAAAAAB",
                   "summary": [{"type": "summary_text", "text": "why"}]}),
            json!({"type": "message", "role": "assistant",
                   "content": [{"type": "output_text", "text": "42", "annotations": []}]}),
        ];
        assert_eq!(values(&message), expected);
    }

    #[test]
    fn reasoning_joins_only_while_the_left_part_has_no_token() {
        let parts = vec![
            Content::reasoning("a", None, Some("rs_1")),
            Content::reasoning("", Some("t1"), Some("rs_1")),
            Content::reasoning("b", None, Some("rs_2")),
            Content::reasoning("", Some("t2"), Some("rs_2")),
        ];
        let expected = vec![
            Content::reasoning("a", Some("t1"), Some("rs_1")),
            Content::reasoning("b", Some("t2"), Some("rs_2")),
        ];
        assert_eq!(coalesced(parts), expected);
        // Ids are not compared: without a token the second item melts into the first.
        let merged = vec![
            Content::reasoning("a", None, Some("rs_1")),
            Content::reasoning("", Some("t2"), Some("rs_2")),
        ];
        assert_eq!(
            coalesced(merged),
            vec![Content::reasoning("a", Some("t2"), Some("rs_1"))]
        );
    }

    #[test]
    fn an_item_in_memory_goes_back_verbatim() {
        let raw = crate::testing::message("msg_1", "a");
        let item = Item::from_value(&raw).expect("item");
        assert_eq!(values(&assistant(vec![content_of_item(&item)])), [raw]);
    }
}
