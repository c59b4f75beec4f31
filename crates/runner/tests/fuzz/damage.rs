//! What may happen to a capture: to its bytes, to its words, and to its values.

use serde_json::{Value, json};

use super::Input;
use super::chance::Chance;

/// Words that readers look for, numbers at the edge of their types, and pieces of broken text.
const WORDS: [&str; 48] = [
    "null",
    "true",
    "-1",
    "0",
    "1e999",
    "-1e-999",
    "18446744073709551616",
    "9223372036854775807",
    "4294967296",
    "65536",
    "99999999999999999999999999",
    "0.5",
    "NaN",
    "{",
    "}",
    "[",
    "]",
    "\"",
    "\\",
    "\\u0000",
    "\\ud800",
    "\\uD83D\\uDE00",
    ",",
    ":",
    ";",
    "\n",
    "\r\n",
    "\n\n",
    "\r",
    "\0",
    "data: ",
    "data: [DONE]\n\n",
    "event: response.completed\n",
    "id: ",
    "retry: ",
    ": ",
    "'",
    "b'",
    "b\"\\xff\"",
    "None",
    "True",
    "undefined",
    "[Object]",
    "<Buffer 7b 7d>",
    "0:~",
    "12:",
    "\u{feff}",
    "… 3 more items",
];

/// One to six ways of damage, one upon the other.
pub(crate) fn damage(input: &mut Input, other: &Input, chance: &mut Chance) {
    for _ in 0..=chance.below(6) {
        let at = chance.below(input.len());
        let beside = &other[chance.below(other.len())].1;
        match chance.below(12) {
            0..=4 => values(&mut input[at].1, chance),
            5 if input.len() > 1 => files(input, at, chance),
            _ => bytes(&mut input[at].1, beside, chance),
        }
    }
}

/// A folder loses a file, gets one twice, or one has another name.
fn files(input: &mut Input, at: usize, chance: &mut Chance) {
    const NAMES: [&str; 6] = [
        "request.json",
        "response.json",
        "a.sse",
        "0.har",
        "..",
        "\u{1f600}.json",
    ];
    match chance.below(3) {
        0 => drop(input.remove(at)),
        1 => {
            let again = (format!("again-{}", input[at].0), input[at].1.clone());
            input.push(again);
        }
        _ => chance.pick(&NAMES).clone_into(&mut input[at].0),
    }
}

fn bytes(bytes: &mut Vec<u8>, other: &[u8], chance: &mut Chance) {
    let at = chance.below(bytes.len() + 1);
    let length = 1 << chance.below(10);
    let end = (at + chance.below(length)).min(bytes.len());
    match chance.below(10) {
        0 => bytes.truncate(at),
        1 => drop(bytes.drain(at..end)),
        2 => {
            let piece = bytes[at..end].to_vec();
            insert(bytes, at, &piece);
        }
        3 => {
            let from = chance.below(other.len());
            let piece = &other[from..(from + length).min(other.len())];
            insert(bytes, at, piece);
        }
        4 => {
            bytes.truncate(at);
            bytes.extend_from_slice(&other[chance.below(other.len())..]);
        }
        5 => {
            let random = u8::try_from(chance.next() & 0xff).unwrap_or(0);
            if let Some(byte) = bytes.get_mut(at) {
                *byte = random;
            }
        }
        6 => numbers(bytes, at, chance),
        7 => {
            // Deep nesting, which a parser on the stack does not survive.
            let sign = chance.pick(&["[", "{\"a\":", "(", "1:"]);
            insert(bytes, at, sign.repeat(chance.below(4000)).as_bytes());
        }
        _ => insert(bytes, at, chance.pick(&WORDS).as_bytes()),
    }
}

fn insert(bytes: &mut Vec<u8>, at: usize, piece: &[u8]) {
    bytes.splice(at..at, piece.iter().copied());
}

/// The next number of the text is another one: lengths and counts stand there.
fn numbers(bytes: &mut Vec<u8>, at: usize, chance: &mut Chance) {
    let Some(start) = bytes[at..]
        .iter()
        .position(u8::is_ascii_digit)
        .map(|ahead| at + ahead)
    else {
        return;
    };
    let length = bytes[start..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let number: u64 = std::str::from_utf8(&bytes[start..start + length])
        .ok()
        .and_then(|digits| digits.parse().ok())
        .unwrap_or(0);
    let number = match chance.below(6) {
        0 => number.wrapping_add(1),
        1 => number.wrapping_sub(1),
        2 => u64::MAX,
        3 => 0,
        4 => 1 << chance.below(63),
        _ => chance.next(),
    };
    bytes.splice(start..start + length, number.to_string().into_bytes());
}

/// One line, or the whole text, is JSON: one of its values becomes another.
fn values(bytes: &mut Vec<u8>, chance: &mut Chance) {
    if let Some(whole) = changed(bytes, chance) {
        *bytes = whole;
        return;
    }
    let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    let chosen = chance.below(lines.len());
    let (before, line) = match lines[chosen].iter().position(|byte| *byte == b'{') {
        Some(start) => lines[chosen].split_at(start),
        None => return,
    };
    let Some(line) = changed(line, chance) else { return };
    let line = [before, &line].concat();
    let lines: Vec<&[u8]> = lines
        .iter()
        .enumerate()
        .map(|(at, old)| if at == chosen { line.as_slice() } else { old })
        .collect();
    *bytes = lines.join(&b'\n');
}

fn changed(text: &[u8], chance: &mut Chance) -> Option<Vec<u8>> {
    let mut value: Value = serde_json::from_slice(text).ok()?;
    if !(value.is_object() || value.is_array()) {
        return None;
    }
    change(&mut value, chance);
    serde_json::to_vec(&value).ok()
}

/// Walks down by chance, also into texts that are JSON, and changes what it comes to.
fn change(value: &mut Value, chance: &mut Chance) {
    match value {
        Value::Array(values) if !values.is_empty() && chance.below(8) > 0 => {
            let at = chance.below(values.len());
            match chance.below(8) {
                0 => drop(values.remove(at)),
                1 => values.insert(at, values[at].clone()),
                2 => {
                    let with = chance.below(values.len());
                    values.swap(at, with);
                }
                _ => change(&mut values[at], chance),
            }
        }
        Value::Object(object) if !object.is_empty() && chance.below(8) > 0 => {
            let keys: Vec<String> = object.keys().cloned().collect();
            let key = &keys[chance.below(keys.len())];
            match chance.below(8) {
                0 => drop(object.shift_remove(key)),
                1 => {
                    let other = &keys[chance.below(keys.len())];
                    let value = object[key].clone();
                    object.insert(other.clone(), value);
                }
                _ => change(&mut object[key], chance),
            }
        }
        Value::String(text) if text.starts_with(['{', '[']) && chance.below(8) > 0 => {
            if let Some(inner) = changed(text.as_bytes(), chance) {
                *text = String::from_utf8_lossy(&inner).into_owned();
            }
        }
        Value::String(text) if chance.below(2) > 0 => {
            let mut inner = std::mem::take(text).into_bytes();
            bytes(&mut inner, b"response.output_item.done", chance);
            *text = String::from_utf8_lossy(&inner).into_owned();
        }
        value => *value = other(chance),
    }
}

fn other(chance: &mut Chance) -> Value {
    match chance.below(12) {
        0 => Value::Null,
        1 => json!(u64::MAX),
        2 => json!(i64::MIN),
        3 => json!(-0.5),
        4 => json!([]),
        5 => json!({}),
        6 => json!(""),
        7 => json!([[[{"type": "reasoning"}]]]),
        8 => json!({"type": "message", "content": [{"type": "output_text", "text": null}]}),
        9 => json!("gAAAAAB\u{00e9}\u{1f600}"),
        10 => json!(true),
        _ => json!(chance.pick(&WORDS)),
    }
}
