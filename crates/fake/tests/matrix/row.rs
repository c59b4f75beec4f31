//! A row of the table, and how it is broken.

use std::collections::BTreeMap;

use holdover_wire::Wire;
use serde::Deserialize;
use serde_json::Value;

/// A row of `tests/facts/replay_matrix.csv`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Row {
    pub(crate) provider: String,
    pub(crate) model_family: String,
    pub(crate) mode: String,
    pub(crate) field: String,
    pub(crate) replay: String,
    violation_status: String,
    pub(crate) violation_code: String,
    pub(crate) violation_message: String,
    confidence: String,
}

impl Row {
    pub(crate) fn status(&self) -> Option<u16> {
        self.violation_status.parse().ok()
    }

    pub(crate) fn is_unsure(&self) -> bool {
        self.replay == "unknown" || self.confidence == "low"
    }
}

/// How a row is broken.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Case {
    pub(crate) row: usize,
    pub(crate) is: String,
    #[serde(default)]
    pub(crate) profile: String,
    #[serde(default)]
    pub(crate) model: String,
    #[serde(default, rename = "do")]
    pub(crate) how: String,
    #[serde(default = "chat_path")]
    pub(crate) path: String,
    #[serde(default)]
    pub(crate) tools: Option<bool>,
    #[serde(default)]
    pub(crate) all: BTreeMap<String, Value>,
    #[serde(default)]
    pub(crate) broken: BTreeMap<String, Value>,
    #[serde(default)]
    pub(crate) after: BTreeMap<String, Value>,
    #[serde(default)]
    pub(crate) headers: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) key: Option<String>,
    #[serde(default)]
    pub(crate) message_of: Option<usize>,
    #[serde(default)]
    pub(crate) unworded: bool,
    #[serde(default)]
    pub(crate) by_name: bool,
    #[serde(default)]
    pub(crate) pending: Option<String>,
}

impl Case {
    /// Whether the row is about what came back as it was issued.
    pub(crate) fn is_sent(&self) -> bool {
        ["send", "parallel", "alone", "continue"].contains(&self.how.as_str())
    }

    /// Its wire.
    pub(crate) fn wire(&self) -> Wire {
        Wire::of_path(&self.path).expect("a wire")
    }

    /// Whether a request obeys by leaving everything out, or by not asking for it.
    pub(crate) fn obeys_without(&self) -> bool {
        self.how.starts_with("rename-") || self.how == "ask" || self.how == "second"
    }
}

fn chat_path() -> String {
    "/v1/chat/completions".to_owned()
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    pub(crate) pending: BTreeMap<String, usize>,
    pub(crate) case: Vec<Case>,
}

pub(crate) fn file() -> File {
    toml::from_str(include_str!("cases.toml")).expect("the cases")
}

pub(crate) fn rows() -> Vec<Row> {
    let table = include_str!("../../../../tests/facts/replay_matrix.csv");
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    reader.deserialize().map(|row| row.expect("a row")).collect()
}

/// Members of an error that hold a code, in the envelopes of all wires. OpenRouter says its own in `message`, and a list
/// of details has one for each place.
const CODES: [&str; 10] = [
    "/error/code",
    "/error/type",
    "/error/status",
    "/error/details/error_code",
    "/error/message",
    "/code",
    "/type",
    "/0/error/status",
    "/detail/0/type",
    "/error/http_code",
];

/// Whether a refusal has the code of the table as a member or as the type in its header. Where two are reported, either
/// will do; `null` is a code that is there and empty, and no code says nothing.
pub(crate) fn has_code(body: &Value, error_type: &str, code: &str) -> bool {
    let is = |code: &str| {
        let found = CODES.iter().filter_map(|pointer| body.pointer(pointer));
        let mut texts = found.map(|found| found.as_str().map_or_else(|| found.to_string(), str::to_owned));
        error_type == code || texts.any(|text| text == code)
    };
    code.is_empty() || code.split('|').any(is)
}

#[test]
fn a_code_is_a_member_and_no_part_of_a_text() {
    let body =
        serde_json::json!({"error": {"code": null, "type": "invalid_request_error", "message": "is null"}});
    for (code, has) in [
        ("", true),
        ("null", true),
        ("invalid_request_error", true),
        ("invalid_request", false),
        ("missing|invalid_request", false),
        ("missing|invalid_request_error", true),
        ("is", false),
    ] {
        assert_eq!(has_code(&body, "", code), has, "{code}");
    }
    assert!(has_code(&body, "ValidationException", "ValidationException"));
    assert!(!has_code(&body, "ValidationException", "Validation"));
}

/// Whether some text of a document says what the table says; numbers count as places, and what the table leaves out
/// (`{...}`, a remark in brackets) is not looked at.
pub(crate) fn says(body: &Value, text: &str) -> Result<(), String> {
    if text.starts_with('{') {
        return same_document(body, text);
    }
    let end = ["{...}", " (body is", " (form;"]
        .iter()
        .filter_map(|end| text.find(end))
        .min();
    let wanted = places(&text[..end.unwrap_or(text.len())]);
    let mut texts = Vec::new();
    collect(body, &mut texts);
    if texts.iter().any(|text| places(text).contains(&wanted)) {
        Ok(())
    } else {
        Err(format!("`{wanted}` is not said in {body}"))
    }
}

/// The table's document, in which `"..."` is anything.
fn same_document(body: &Value, text: &str) -> Result<(), String> {
    let mut wanted: Value = serde_json::from_str(text).expect("the table's document");
    if let (Some(place), Some(found)) = (
        wanted.pointer_mut("/detail/0/input"),
        body.pointer("/detail/0/input"),
    ) {
        *place = found.clone();
    }
    if *body == wanted {
        Ok(())
    } else {
        Err(format!("{body} is not {wanted}"))
    }
}

fn collect<'a>(value: &'a Value, texts: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(list) => list.iter().for_each(|value| collect(value, texts)),
        Value::Object(object) => object.values().for_each(|value| collect(value, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// A text with `#` for each number, and for the letters that stand for one.
fn places(text: &str) -> String {
    let mut text = text.replace("messages.N.content.M", "messages.0.content.0");
    // The tool of these conversations.
    text = text.replace("`project_search`", "`Bash`");
    // The ends of a token stand for it.
    if let Some(at) = text.find("gAAA...").map(|at| at + "gAAA...".len()) {
        text.replace_range(at..text.len().min(at + 4), "0");
    }
    let mut shown = String::new();
    for letter in text.chars() {
        match letter {
            '0'..='9' if shown.ends_with('#') => {}
            '0'..='9' => shown.push('#'),
            _ => shown.push(letter),
        }
    }
    shown
}
