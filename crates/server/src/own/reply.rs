//! Replies in the body of `PUT sessions/NAME`, in the shape that a scenario file gives them: a list of parts, each a
//! word (`"reasoning"`, `"message"`) or an object with one member.

use holdover_wire::{Item, Reply, ReplyPart};
use serde_json::{Map, Value};

const PARTS: &str = "\"reasoning\", \"message\", {\"reasoning\": {\"summary\": […]}}, {\"message\": \"text\" or {text, phase}}, \
                     {\"call\": {name, id, arguments}}, {\"refusal\": \"text\"}, {\"item\": {…}}";

/// Reads the list of replies; the error is a whole sentence.
pub(super) fn read_all(value: &Value) -> Result<Vec<Reply>, String> {
    let list = value
        .as_array()
        .ok_or("`replies` is a list of replies, each a list of parts")?;
    list.iter()
        .enumerate()
        .map(|(index, reply)| read(reply).map_err(|reason| format!("reply {}: {reason}", index + 1)))
        .collect()
}

fn read(value: &Value) -> Result<Reply, String> {
    let parts = value.as_array().ok_or("a reply is a list of parts")?;
    let parts = parts.iter().map(part).collect::<Result<_, _>>()?;
    Ok(Reply { parts })
}

fn part(value: &Value) -> Result<ReplyPart, String> {
    let unknown = || format!("`{value}` is no part of a reply; the parts are {PARTS}");
    let object = match value {
        Value::String(word) => return word_part(word).ok_or_else(unknown),
        Value::Object(object) if object.len() == 1 => object,
        _ => return Err(unknown()),
    };
    let (name, value) = object.iter().next().ok_or_else(unknown)?;
    match name.as_str() {
        "reasoning" => reasoning(value),
        "message" => message(value),
        "call" => call(value),
        "refusal" => Ok(ReplyPart::Refusal(text("refusal", value)?)),
        "item" => Item::from_value(value)
            .map(ReplyPart::Item)
            .ok_or_else(|| "`item` is an object".to_owned()),
        _ => Err(unknown()),
    }
}

fn word_part(word: &str) -> Option<ReplyPart> {
    match word {
        "reasoning" => Some(ReplyPart::Reasoning { summary: None }),
        "message" => Some(ReplyPart::Message {
            text: None,
            phase: None,
        }),
        _ => None,
    }
}

fn reasoning(value: &Value) -> Result<ReplyPart, String> {
    let object = members("reasoning", value, &["summary"])?;
    let summary = match object.get("summary") {
        None => None,
        Some(Value::Array(texts)) => Some(
            texts
                .iter()
                .map(|value| text("summary", value))
                .collect::<Result<_, _>>()?,
        ),
        Some(_) => return Err("`summary` is a list of strings".to_owned()),
    };
    Ok(ReplyPart::Reasoning { summary })
}

fn message(value: &Value) -> Result<ReplyPart, String> {
    if let Value::String(text) = value {
        return Ok(ReplyPart::Message {
            text: Some(text.clone()),
            phase: None,
        });
    }
    let object = members("message", value, &["text", "phase"])?;
    Ok(ReplyPart::Message {
        text: optional_text(object, "text")?,
        phase: optional_text(object, "phase")?,
    })
}

fn call(value: &Value) -> Result<ReplyPart, String> {
    let object = members("call", value, &["name", "id", "arguments"])?;
    let arguments = object.get("arguments").map(|value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    });
    Ok(ReplyPart::Call {
        id: optional_text(object, "id")?,
        name: optional_text(object, "name")?.ok_or("`call` needs a `name`")?,
        arguments,
    })
}

fn members<'a>(part: &str, value: &'a Value, known: &[&str]) -> Result<&'a Map<String, Value>, String> {
    let object = value
        .as_object()
        .ok_or_else(|| format!("`{part}` is an object"))?;
    match object.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(format!(
            "`{part}` has no member `{key}`; it may have `{}`",
            known.join("`, `")
        )),
        None => Ok(object),
    }
}

fn text(name: &str, value: &Value) -> Result<String, String> {
    value
        .as_str()
        .map(str::to_owned)
        .ok_or_else(|| format!("`{name}` holds `{value}` where a string belongs"))
}

fn optional_text(object: &Map<String, Value>, name: &str) -> Result<Option<String>, String> {
    object.get(name).map(|value| text(name, value)).transpose()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_part_of_a_scenario_file_is_read() {
        let replies = json!([
            ["reasoning", "message"],
            [{"reasoning": {"summary": ["a", "b"]}}, {"message": "Done."}],
            [{"message": {"text": "x", "phase": "commentary"}}],
            [{"call": {"name": "lookup", "id": "call_1", "arguments": {"key": "a"}}}],
            [{"refusal": "no"}, {"item": {"type": "brand_new"}}],
        ]);
        let replies = read_all(&replies).expect("replies");
        let parts: Vec<_> = replies.into_iter().flat_map(|reply| reply.parts).collect();
        let expected = vec![
            ReplyPart::Reasoning { summary: None },
            ReplyPart::Message {
                text: None,
                phase: None,
            },
            ReplyPart::Reasoning {
                summary: Some(vec!["a".to_owned(), "b".to_owned()]),
            },
            ReplyPart::Message {
                text: Some("Done.".to_owned()),
                phase: None,
            },
            ReplyPart::Message {
                text: Some("x".to_owned()),
                phase: Some("commentary".to_owned()),
            },
            ReplyPart::Call {
                id: Some("call_1".to_owned()),
                name: "lookup".to_owned(),
                arguments: Some("{\"key\":\"a\"}".to_owned()),
            },
            ReplyPart::Refusal("no".to_owned()),
            ReplyPart::Item(Item::from_value(&json!({"type": "brand_new"})).expect("an object")),
        ];
        assert_eq!(parts, expected);
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (replies, said) in [
            (json!({}), "a list of replies"),
            (json!(["reasoning"]), "reply 1: a reply is a list"),
            (json!([[], ["thinking"]]), "reply 2: `\"thinking\"` is no part"),
            (json!([[{"message": "a", "call": {}}]]), "is no part"),
            (
                json!([[{"message": {"body": "x"}}]]),
                "no member `body`; it may have `text`, `phase`",
            ),
            (json!([[{"call": {"id": "call_1"}}]]), "needs a `name`"),
            (json!([[{"refusal": 1}]]), "`refusal` holds `1`"),
        ] {
            let error = read_all(&replies).expect_err("refused");
            assert!(error.contains(said), "{error}");
        }
    }
}
