//! `/v1/embeddings` and `/v1/moderations`: deterministic answers that mean nothing, so that a client under test runs.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use holdover_wire::Members as _;
use holdover_wire::{ApiError, Object};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::{Value, json};

use crate::derive::Purpose;
use crate::fake::{Answer, Job};
use crate::refusal;
use crate::tokens::count;

const DIMENSIONS_DEFAULT: usize = 1_536;
const DIMENSIONS_LARGE: usize = 3_072;
const DIMENSIONS_MAX: usize = 8_192;

fn body<'a>(job: &Job<'a>) -> Result<&'a Object, ApiError> {
    job.call
        .body
        .object()
        .ok_or_else(|| refusal::missing_parameter("input"))
}

fn texts(input: &Value) -> Vec<String> {
    match input {
        Value::String(text) => vec![text.clone()],
        Value::Array(list) if list.iter().all(Value::is_string) => list
            .iter()
            .filter_map(Value::as_str)
            .map(ToOwned::to_owned)
            .collect(),
        // One list of tokens, or a list of such lists.
        Value::Array(list) if list.iter().any(Value::is_array) => list.iter().map(Value::to_string).collect(),
        other => vec![other.to_string()],
    }
}

/// `POST /embeddings`
pub(crate) fn embeddings(job: &Job<'_>) -> Result<Answer, ApiError> {
    let body = body(job)?;
    let model = body.member("model").and_then(Value::as_str);
    let model = model.ok_or_else(|| refusal::missing_parameter("model"))?;
    let input = body
        .member("input")
        .ok_or_else(|| refusal::missing_parameter("input"))?;
    let texts = texts(input);
    let encoded = body.member("encoding_format").and_then(Value::as_str) == Some("base64");
    let data: Vec<Value> = (0_usize..)
        .zip(&texts)
        .map(|(index, text)| {
            let vector = vector(job, text, dimensions(body, model));
            let embedding = if encoded {
                base64_of(&vector)
            } else {
                json!(vector)
            };
            json!({"object": "embedding", "index": index, "embedding": embedding})
        })
        .collect();
    let tokens: u32 = texts.iter().map(|text| count(text)).sum();
    let usage = json!({"prompt_tokens": tokens, "total_tokens": tokens});
    Ok(job.plain(json!({"object": "list", "data": data, "model": model, "usage": usage})))
}

fn dimensions(body: &Object, model: &str) -> usize {
    let asked = body.member("dimensions").and_then(Value::as_u64);
    let asked = asked.and_then(|asked| usize::try_from(asked).ok());
    let default = if model.contains("large") {
        DIMENSIONS_LARGE
    } else {
        DIMENSIONS_DEFAULT
    };
    asked.unwrap_or(default).clamp(1, DIMENSIONS_MAX)
}

/// A vector of length one; equal texts have equal vectors.
fn vector(job: &Job<'_>, text: &str, dimensions: usize) -> Vec<f32> {
    let key = job.fake.world.purpose("embedding", text);
    let mut stream = ChaCha8Rng::from_seed(*key.bytes());
    let raw = (0..dimensions).map(|_| {
        // 24 bits fit a float exactly.
        let bits = stream.next_u32() >> 8;
        f64::from(bits) / f64::from(1 << 23) - 1.0
    });
    let raw: Vec<f64> = raw.collect();
    let norm = raw
        .iter()
        .map(|value| value * value)
        .sum::<f64>()
        .sqrt()
        .max(f64::MIN_POSITIVE);
    #[expect(
        clippy::cast_possible_truncation,
        reason = "embeddings are single floats on the wire"
    )]
    raw.iter().map(|value| (value / norm) as f32).collect()
}

fn base64_of(vector: &[f32]) -> Value {
    let bytes: Vec<u8> = vector.iter().flat_map(|value| value.to_le_bytes()).collect();
    STANDARD.encode(bytes).into()
}

const CATEGORIES: [&str; 13] = [
    "harassment",
    "harassment/threatening",
    "hate",
    "hate/threatening",
    "illicit",
    "illicit/violent",
    "self-harm",
    "self-harm/instructions",
    "self-harm/intent",
    "sexual",
    "sexual/minors",
    "violence",
    "violence/graphic",
];

/// `POST /moderations`: nothing is ever flagged.
pub(crate) fn moderations(job: &Job<'_>) -> Result<Answer, ApiError> {
    let body = body(job)?;
    let input = body
        .member("input")
        .ok_or_else(|| refusal::missing_parameter("input"))?;
    let model = body
        .member("model")
        .and_then(Value::as_str)
        .unwrap_or("omni-moderation-latest");
    let each = |value: Value| -> Object {
        let pairs = CATEGORIES.iter().map(|name| ((*name).to_owned(), value.clone()));
        pairs.collect()
    };
    let result = json!({
        "flagged": false,
        "categories": each(json!(false)),
        "category_scores": each(json!(0.0)),
        "category_applied_input_types": each(json!(["text"])),
    });
    let results: Vec<Value> = texts(input).iter().map(|_| result.clone()).collect();
    let id = format!("modr-{}", job.draw.hex(Purpose::Conversation, 12));
    Ok(job.plain(json!({"id": id, "model": model, "results": results})))
}
