//! `{places}` of the data files: in a text, and in the strings of a JSON document.

use holdover_seal::{Key, hex, push_base62};
use serde_json::Value;

/// Values for places by name.
pub type Places<'a> = [(&'a str, String)];

/// A text with its places filled in; what is no place stays.
pub fn text(template: &str, places: &Places<'_>) -> String {
    let mut filled = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(at) = rest.find('{') {
        let (before, after) = rest.split_at(at);
        filled.push_str(before);
        let place = places
            .iter()
            .find_map(|(name, value)| Some((value, after[1..].strip_prefix(*name)?.strip_prefix('}')?)));
        if let Some((value, after)) = place {
            filled.push_str(value);
            rest = after;
        } else {
            filled.push('{');
            rest = &after[1..];
        }
    }
    filled.push_str(rest);
    filled
}

/// A document with the places of its strings filled in. A string that is one place and whose value is a number becomes
/// that number, where `numbers` names it; an empty `{code}` becomes `null`.
pub fn document(template: &Value, places: &Places<'_>, numbers: &[&str]) -> Value {
    match template {
        Value::String(string) => {
            let name = string.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
            let value = name.and_then(|name| places.iter().find(|(place, _)| *place == name));
            match value {
                Some((name, value)) if numbers.contains(name) => value
                    .parse::<u64>()
                    .map_or_else(|_| value.clone().into(), Value::from),
                Some(("code", value)) if value.is_empty() => Value::Null,
                _ => Value::String(text(string, places)),
            }
        }
        Value::Array(list) => {
            let list = list.iter();
            list.map(|value| document(value, places, numbers)).collect()
        }
        Value::Object(object) => {
            let members = object.iter();
            let filled = members.map(|(name, value)| (name.clone(), document(value, places, numbers)));
            Value::Object(filled.collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => template.clone(),
    }
}

/// An id: `{hex}` is 32 digits, `{base62}` 24 and `{base62:9}` nine, `{uuid}` a UUID of version 4; `places` has the
/// rest.
pub fn id(template: &str, key: &Key, label: &str, places: &Places<'_>) -> String {
    let bytes = key.hash(label.as_bytes());
    let digits = |count: usize| {
        let mut text = String::with_capacity(count);
        push_base62(&mut key.stream(label.as_bytes()), count, &mut text);
        text
    };
    let mut drawn = vec![
        ("hex", hex(&bytes[..16])),
        ("base62", digits(24)),
        ("base62:9", digits(9)),
        ("uuid", uuid(&bytes)),
    ];
    drawn.extend(places.iter().cloned());
    text(template, &drawn)
}

fn uuid(bytes: &[u8; 32]) -> String {
    let mut bytes = bytes[..16].to_vec();
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let text = hex(&bytes);
    [
        &text[..8],
        &text[8..12],
        &text[12..16],
        &text[16..20],
        &text[20..],
    ]
    .join("-")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn places_are_filled_and_braces_of_others_stay() {
        let places = [("index", "2".to_owned()), ("call", "f".to_owned())];
        assert_eq!(text("at {index}, {call} {other} {", &places), "at 2, f {other} {");
    }

    #[test]
    fn a_document_keeps_its_shape() {
        let places = [("index", "2".to_owned()), ("code", String::new())];
        let template =
            json!({"loc": ["messages", "{index}"], "msg": "at {index}", "code": "{code}", "n": null});
        let filled = document(&template, &places, &["index"]);
        let expected = json!({"loc": ["messages", 2], "msg": "at 2", "code": null, "n": null});
        assert_eq!(filled, expected);
    }

    #[test]
    fn ids_have_the_shape_that_is_asked_for() {
        let key = Key::of_seed(7);
        let made = |template| {
            id(
                template,
                &key,
                "x",
                &[("name", "f".to_owned()), ("index", "0".to_owned())],
            )
        };
        assert_eq!(made("functions.{name}:{index}"), "functions.f:0");
        assert_eq!(made("chatcmpl-{hex}").len(), 9 + 32);
        assert_eq!(made("{base62:9}").len(), 9);
        assert_eq!(made("{uuid}").len(), 36);
        assert_eq!(&made("{uuid}")[14..15], "4");
    }
}
