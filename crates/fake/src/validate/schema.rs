//! The schema phase for the top level of a create request (`tests/facts/errors.md` section 0, `tests/facts/endpoints.md`,
//! request parameters).

use holdover_wire::Members as _;
use holdover_wire::{ApiError, CreateRequest, Evidence, Object};
use serde_json::Value;

use crate::refusal::{self, NumberKind};
use crate::validate::{input, members, tools};

/// Longest string of `input` and of a text part, in characters.
pub(crate) const TEXT_CHARS_MAX: usize = 10_485_760;

/// What a member must be.
#[derive(Clone, Copy)]
enum Rule {
    /// A string of at most this many characters.
    Text(usize),
    /// `true` or `false`.
    Flag,
    /// A number in a range.
    Decimal(f64, f64),
    /// A whole number of at least this.
    Integer(i64, i64),
    /// An object.
    Object,
    /// One of these words.
    Word(&'static [&'static str]),
    /// Checked by a function of its own.
    Own(fn(&str, &Value) -> Result<(), ApiError>),
    /// Anything.
    Any,
}

pub(crate) const ANY_LENGTH: usize = usize::MAX;

/// Every known member, in the order in which the API walks them; what follows `context_management` has no measured
/// place.
const MEMBERS: [(&str, Rule); 38] = [
    ("model", Rule::Any),
    ("input", Rule::Own(input::check)),
    ("previous_response_id", Rule::Text(ANY_LENGTH)),
    ("conversation", Rule::Own(members::conversation)),
    ("prompt", Rule::Object),
    ("moderation", Rule::Object),
    ("include", Rule::Own(members::include)),
    ("tools", Rule::Own(tools::check)),
    ("tool_choice", Rule::Own(tools::choice)),
    ("metadata", Rule::Own(members::metadata)),
    ("text", Rule::Own(members::text)),
    ("temperature", Rule::Decimal(0.0, 2.0)),
    ("top_p", Rule::Decimal(0.0, 1.0)),
    ("presence_penalty", Rule::Decimal(-2.0, 2.0)),
    ("frequency_penalty", Rule::Decimal(-2.0, 2.0)),
    ("parallel_tool_calls", Rule::Flag),
    ("stream", Rule::Flag),
    ("stream_options", Rule::Object),
    ("background", Rule::Flag),
    ("max_output_tokens", Rule::Integer(16, i64::MAX)),
    ("max_tool_calls", Rule::Integer(1, i64::MAX)),
    ("reasoning", Rule::Own(members::reasoning)),
    ("user", Rule::Text(ANY_LENGTH)),
    ("safety_identifier", Rule::Text(128)),
    ("prompt_cache_options", Rule::Object),
    ("prompt_cache_key", Rule::Text(ANY_LENGTH)),
    (
        "prompt_cache_retention",
        Rule::Word(&["in_memory", "in-memory", "24h"]),
    ),
    ("truncation", Rule::Word(&["auto", "disabled"])),
    ("instructions", Rule::Text(TEXT_CHARS_MAX)),
    ("store", Rule::Flag),
    (
        "service_tier",
        Rule::Word(&[
            "auto",
            "default",
            "flex",
            "scale",
            "priority",
            "fast",
            "ultrafast",
        ]),
    ),
    ("top_logprobs", Rule::Integer(0, 20)),
    ("context_management", Rule::Own(members::context_management)),
    ("background_options", Rule::Object),
    ("access_programs", Rule::Object),
    ("image", Rule::Object),
    ("client_metadata", Rule::Object),
    ("generate", Rule::Flag),
];

/// Phases 1 to 4: `model`, `input`, unknown members, then the walk.
pub(crate) fn check(body: &Object) -> Result<(), ApiError> {
    model(body)?;
    something_to_do(body)?;
    if let Some(name) = body.keys().find(|name| rule_of(name).is_none()) {
        return Err(unknown(name, body));
    }
    walk(body)
}

/// The fault that stands first in the API's order; a body has few members, so they are looked up in the table and not
/// the other way round.
fn walk(body: &Object) -> Result<(), ApiError> {
    let mut first: Option<(usize, ApiError)> = None;
    for (name, value) in body {
        // `null` means omitted for every member except `model` and `input`.
        let is_omitted = value.is_null() && name != "input";
        let Some((place, rule)) = rule_of(name).filter(|_| !is_omitted) else {
            continue;
        };
        let is_later = first.as_ref().is_some_and(|(found, _)| *found < place);
        if let Err(error) = rule.check(name, value)
            && !is_later
        {
            first = Some((place, error));
        }
    }
    first.map_or(Ok(()), |(_, error)| Err(error))
}

/// Place and rule of a member.
fn rule_of(name: &str) -> Option<(usize, Rule)> {
    let mut members = MEMBERS.iter().enumerate();
    let found = members.find(|(_, (member, _))| *member == name);
    found.map(|(place, (_, rule))| (place, *rule))
}

/// Without a prompt template a request names its model.
fn model(body: &Object) -> Result<(), ApiError> {
    match body.member("model") {
        Some(Value::String(_)) => Ok(()),
        None if body.member("prompt").is_some() => Ok(()),
        None => Err(refusal::missing_parameter("model")),
        Some(value) => Err(refusal::invalid_type("model", "a string", type_of(value))),
    }
}

/// An absent `input` where nothing else could be continued (E24).
fn something_to_do(body: &Object) -> Result<(), ApiError> {
    let request = CreateRequest::new(body);
    let continues = ["previous_response_id", "conversation", "prompt"];
    let may_be_absent = continues.iter().any(|name| request.member(name).is_some());
    // `messages` has a refusal of its own, which says more.
    if body.member("input").is_some() || may_be_absent || body.member("messages").is_some() {
        return Ok(());
    }
    Err(refusal::nothing_to_continue())
}

fn unknown(name: &str, body: &Object) -> ApiError {
    if name == "messages" {
        return refusal::messages_moved();
    }
    let meant = MEMBERS
        .iter()
        .map(|(member, _)| *member)
        .filter(|member| !body.contains_key(*member))
        .find(|member| strsim::levenshtein(member, name) <= HINT_DISTANCE_MAX);
    refusal::unknown_parameter(name, meant)
}

/// Letters that may differ for a "Did you mean" (`tests/facts/errors.md` section 0).
const HINT_DISTANCE_MAX: usize = 2;

impl Rule {
    fn check(self, path: &str, value: &Value) -> Result<(), ApiError> {
        match self {
            Self::Text(limit) => text_of(path, value, limit).map(drop),
            Self::Flag => of_type(path, value, "a boolean", value.is_boolean()),
            Self::Decimal(low, high) => decimal(path, value, low, high),
            Self::Integer(low, high) => integer(path, value, low, high),
            Self::Object => of_type(path, value, "an object", value.is_object()),
            Self::Word(words) => word(path, value, words),
            Self::Own(check) => check(path, value),
            Self::Any => Ok(()),
        }
    }
}

/// Refuses a value of another type.
pub(crate) fn of_type(path: &str, value: &Value, expected: &str, fits: bool) -> Result<(), ApiError> {
    if fits {
        return Ok(());
    }
    Err(refusal::invalid_type(path, expected, type_of(value)))
}

/// The name of a value's type in messages.
pub(crate) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(number) if number.is_f64() => "a decimal",
        Value::Number(_) => "an integer",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// A string that is not too long.
pub(crate) fn text_of<'a>(path: &str, value: &'a Value, limit: usize) -> Result<&'a str, ApiError> {
    let Value::String(text) = value else {
        return Err(refusal::invalid_type(path, "a string", type_of(value)));
    };
    // Characters are counted only where bytes could be too many.
    if text.len() > limit {
        let length = text.chars().count();
        if length > limit {
            return Err(refusal::string_too_long(path, limit, length));
        }
    }
    Ok(text)
}

/// One of a set of words.
pub(crate) fn word(path: &str, value: &Value, words: &[&str]) -> Result<(), ApiError> {
    let text = text_of(path, value, ANY_LENGTH)?;
    if words.contains(&text) {
        return Ok(());
    }
    Err(refusal::invalid_value(
        "endpoints",
        Evidence::Inferred,
        path,
        text,
        words,
    ))
}

fn decimal(path: &str, value: &Value, low: f64, high: f64) -> Result<(), ApiError> {
    let Some(number) = value.as_f64() else {
        return Err(refusal::invalid_type(path, "a decimal", type_of(value)));
    };
    let got = value.to_string();
    if number < low {
        return Err(refusal::below_minimum(
            path,
            NumberKind::Decimal,
            &low.to_string(),
            &got,
        ));
    }
    if number > high {
        return Err(refusal::above_maximum(
            path,
            NumberKind::Decimal,
            &high.to_string(),
            &got,
        ));
    }
    Ok(())
}

/// A whole number in a range.
pub(crate) fn integer(path: &str, value: &Value, low: i64, high: i64) -> Result<(), ApiError> {
    let Some(number) = value.as_i64() else {
        return Err(refusal::invalid_type(path, "an integer", type_of(value)));
    };
    let got = number.to_string();
    if number < low {
        return Err(refusal::below_minimum(
            path,
            NumberKind::Integer,
            &low.to_string(),
            &got,
        ));
    }
    if number > high {
        return Err(refusal::above_maximum(
            path,
            NumberKind::Integer,
            &high.to_string(),
            &got,
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(body: &Value) -> (String, Option<String>, Option<String>) {
        let error = check(body.as_object().expect("object")).expect_err("refused");
        (error.message, error.param, error.code)
    }

    fn with(name: &str, value: Value) -> Value {
        let mut body = json!({"model": "m", "input": "x"});
        body[name] = value;
        body
    }

    #[test]
    fn bodies_of_the_facts() {
        // `tests/facts/examples/15_errors.json`
        let (message, param, code) = refused(&with("temperature", json!(-1)));
        assert_eq!(
            message,
            "Invalid 'temperature': decimal below minimum value. Expected a value >= 0, but got -1 instead."
        );
        assert_eq!(
            (param.as_deref(), code.as_deref()),
            (Some("temperature"), Some("decimal_below_min_value"))
        );
        let (message, param, code) = refused(&with("foo", json!(1)));
        assert_eq!(message, "Unknown parameter: 'foo'.");
        assert_eq!(
            (param.as_deref(), code.as_deref()),
            (Some("foo"), Some("unknown_parameter"))
        );
        // `tests/facts/endpoints.md`, Errors
        let (message, ..) = refused(&json!({"model": "m", "input": 3}));
        assert_eq!(
            message,
            "Invalid type for 'input': expected one of a string or array of objects, but got an integer instead."
        );
        let (message, ..) = refused(&json!({"input": "x"}));
        assert_eq!(message, "Missing required parameter: 'model'.");
    }

    #[test]
    fn a_hint_never_names_what_is_already_there() {
        let (message, ..) = refused(&with("inputs", json!(1)));
        assert_eq!(message, "Unknown parameter: 'inputs'.");
        let (message, ..) = refused(&with("stor", json!(1)));
        assert_eq!(message, "Unknown parameter: 'stor'. Did you mean 'store'?");
    }

    #[test]
    fn the_order_of_phases_is_the_measured_one() {
        // A missing model hides everything, an unknown member hides a type fault, `include` comes before `tools`.
        assert_eq!(
            refused(&json!({"foo": 1, "store": 1})).1.as_deref(),
            Some("model")
        );
        assert_eq!(
            refused(&json!({"model": "m", "input": "x", "store": 1, "foo": 1}))
                .1
                .as_deref(),
            Some("foo")
        );
        let body = json!({"model": "m", "input": "x", "store": 1, "tools": 1, "include": 1});
        assert_eq!(refused(&body).1.as_deref(), Some("include"));
    }

    #[test]
    fn an_include_that_is_none_lists_the_eight() {
        let (message, param, code) = refused(&with("include", json!(["reasoning.encrypted"])));
        assert!(message.starts_with(
            "Invalid value: 'reasoning.encrypted'. Supported values are: 'file_search_call.results', "
        ));
        assert_eq!(
            (param.as_deref(), code.as_deref()),
            (Some("include[0]"), Some("invalid_value"))
        );
    }

    #[test]
    fn null_means_omitted() {
        for name in [
            "store",
            "instructions",
            "reasoning",
            "tools",
            "previous_response_id",
            "text",
        ] {
            let body = with(name, Value::Null);
            assert_eq!(check(body.as_object().expect("object")), Ok(()), "{name}");
        }
    }

    #[test]
    fn strings_have_a_limit() {
        let body = json!({"model": "m", "input": "é".repeat(TEXT_CHARS_MAX)});
        assert_eq!(check(body.as_object().expect("object")), Ok(()));
        let body = json!({"model": "m", "input": "x".repeat(TEXT_CHARS_MAX + 1)});
        let (message, _, code) = refused(&body);
        assert_eq!(
            message,
            "Invalid 'input': string too long. Expected a string with maximum length 10485760, but got a string with length 10485761 instead."
        );
        assert_eq!(code.as_deref(), Some("string_above_max_length"));
    }
}
