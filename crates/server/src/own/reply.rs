//! Replies in the body of `PUT sessions/NAME`, in the shape that a scenario file gives them: a list of parts, each a
//! word (`"reasoning"`, `"message"`) or an object with one member.

use holdover_wire::{Item, Reply, ReplyEnd, ReplyPart};
use serde_json::{Map, Value};

const PARTS: &str = "\"reasoning\", \"message\", {\"reasoning\": {\"summary\": […]}}, {\"message\": \"text\" or {text, phase}}, \
                     {\"call\": {name, id, arguments}}, {\"custom-call\": {name, id, input}}, {\"refusal\": \"text\"}, \
                     {\"item\": {…}}, {\"end\": {\"incomplete\": reason} or {\"failed\": code, message}}";

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
    let parts: Vec<ReplyPart> = parts.iter().map(part).collect::<Result<_, _>>()?;
    let end = parts.iter().position(|part| matches!(part, ReplyPart::End(_)));
    if end.is_some_and(|place| place + 1 < parts.len()) {
        return Err("`end` is the last part of a reply".to_owned());
    }
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
        "custom-call" => custom_call(value),
        "end" => end(value),
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

fn custom_call(value: &Value) -> Result<ReplyPart, String> {
    let object = members("custom-call", value, &["name", "id", "input"])?;
    Ok(ReplyPart::CustomCall {
        id: optional_text(object, "id")?,
        name: optional_text(object, "name")?.ok_or("`custom-call` needs a `name`")?,
        input: optional_text(object, "input")?,
    })
}

fn end(value: &Value) -> Result<ReplyPart, String> {
    let object = members("end", value, &["incomplete", "failed", "message"])?;
    let text = |name| optional_text(object, name);
    match (text("incomplete")?, text("failed")?, text("message")?) {
        (Some(reason), None, None) => Ok(ReplyPart::End(ReplyEnd::Incomplete { reason })),
        (None, Some(code), message) => Ok(ReplyPart::End(ReplyEnd::Failed { code, message })),
        _ => Err(
            "`end` is {\"incomplete\": reason}, or {\"failed\": code} with or without `message`".to_owned(),
        ),
    }
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
            [{"custom-call": {"name": "apply", "input": "x"}}, {"end": {"incomplete": "content_filter"}}],
            [{"end": {"failed": "server_error", "message": "Sorry."}}],
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
            ReplyPart::CustomCall {
                id: None,
                name: "apply".to_owned(),
                input: Some("x".to_owned()),
            },
            ReplyPart::End(ReplyEnd::Incomplete {
                reason: "content_filter".to_owned(),
            }),
            ReplyPart::End(ReplyEnd::Failed {
                code: "server_error".to_owned(),
                message: Some("Sorry.".to_owned()),
            }),
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
            (
                json!([[{"custom-call": {"input": "x"}}]]),
                "`custom-call` needs a `name`",
            ),
            (json!([[{"end": {"message": "x"}}]]), "`end` is {\"incomplete\""),
            (
                json!([[{"end": {"failed": "x"}}, "message"]]),
                "`end` is the last part",
            ),
        ] {
            let error = read_all(&replies).expect_err("refused");
            assert!(error.contains(said), "{error}");
        }
    }
}
