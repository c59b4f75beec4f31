//! Every refusal of the fake, word for word (`tests/facts/errors.md`, `tests/facts/endpoints.md`, Errors), each with the
//! grade of its evidence.

pub(crate) mod failure;
mod state;
pub(crate) mod tagged;

use holdover_profile::TokenRefusal;
use holdover_profile::provider::engine::ends_of;
use holdover_wire::{ApiError, Evidence, Method};

pub(crate) use state::*;

use Evidence::{Fixture, Inferred, Measured, Ours, Reported};

/// Source of the refusals that stand in `tests/facts/endpoints.md`.
const ENDPOINTS: &str = "endpoints";

// Paths, keys, bodies.

pub(crate) fn unknown_path(method: Method, path: &str) -> ApiError {
    let message = format!("Invalid URL ({} {path})", method.as_str());
    ApiError::invalid(ENDPOINTS, Inferred, message).status(404)
}

pub(crate) fn doubled_path(method: Method, path: &str, base: &str) -> ApiError {
    let message = format!(
        "Invalid URL ({} {path}). Holdover: the client adds a part of the path that its base URL already has; the right base URL ends in `{base}`",
        method.as_str()
    );
    ApiError::invalid(ENDPOINTS, Ours, message).status(404)
}

pub(crate) fn wrong_method(method: Method, path: &str) -> ApiError {
    let message = format!(
        "Not allowed to {} on {path}. (HINT: Perhaps you meant to use a different HTTP method?)",
        method.as_str()
    );
    ApiError::invalid(ENDPOINTS, Inferred, message)
        .status(405)
        .code("method_not_supported")
}

pub(crate) fn missing_key() -> ApiError {
    let message = "Missing bearer or basic authentication in header";
    ApiError::invalid(ENDPOINTS, Fixture, message).status(401)
}

pub(crate) fn malformed_json() -> ApiError {
    let message = "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)";
    ApiError::invalid(ENDPOINTS, Inferred, message)
}

// Schema.

pub(crate) fn missing_parameter(path: &str) -> ApiError {
    ApiError::invalid(
        ENDPOINTS,
        Reported,
        format!("Missing required parameter: '{path}'."),
    )
    .at(path)
    .code("missing_required_parameter")
}

pub(crate) fn missing_summary(path: &str) -> ApiError {
    ApiError {
        source: "E25",
        ..missing_parameter(path)
    }
}

/// An unknown member, with the known one it was probably meant to be.
pub(crate) fn unknown_parameter(path: &str, meant: Option<&str>) -> ApiError {
    let hint = meant.map_or_else(String::new, |meant| format!(" Did you mean '{meant}'?"));
    ApiError::invalid(ENDPOINTS, Measured, format!("Unknown parameter: '{path}'.{hint}"))
        .at(path)
        .code("unknown_parameter")
}

/// E26: a member that stands in outputs only.
pub(crate) fn output_only(path: &str) -> ApiError {
    ApiError {
        source: "E26",
        evidence: Reported,
        ..unknown_parameter(path, None)
    }
}

pub(crate) fn messages_moved() -> ApiError {
    let message = "Unsupported parameter: 'messages'. In the Responses API, this parameter has moved to 'input'. Try again with the new parameter. See the API documentation for more information: https://platform.openai.com/docs/api-reference/responses/create.";
    ApiError::invalid("E31", Measured, message).code("unsupported_parameter")
}

pub(crate) fn invalid_type(path: &str, expected: &str, got: &str) -> ApiError {
    let message = format!("Invalid type for '{path}': expected {expected}, but got {got} instead.");
    ApiError::invalid(ENDPOINTS, Inferred, message)
        .at(path)
        .code("invalid_type")
}

/// E13: the type of a token.
pub(crate) fn token_type(path: &str, got: &str) -> ApiError {
    ApiError {
        source: "E13",
        evidence: Reported,
        ..invalid_type(path, "a string", got)
    }
}

pub(crate) fn string_too_long(path: &str, limit: usize, length: usize) -> ApiError {
    let message = format!(
        "Invalid '{path}': string too long. Expected a string with maximum length {limit}, but got a string with length {length} instead."
    );
    ApiError::invalid("E09", Reported, message)
        .at(path)
        .code("string_above_max_length")
}

pub(crate) fn array_too_long(path: &str, limit: usize, length: usize) -> ApiError {
    let message = format!(
        "Invalid '{path}': array too long. Expected an array with maximum length {limit}, but got an array with length {length} instead."
    );
    ApiError::invalid("E27", Reported, message)
        .at(path)
        .code("array_above_max_length")
}

pub(crate) fn too_many_properties(path: &str, limit: usize, count: usize) -> ApiError {
    let message = format!(
        "Invalid '{path}': too many properties. Expected an object with at most {limit} properties, but got an object with {count} properties instead."
    );
    ApiError::invalid(ENDPOINTS, Inferred, message)
        .at(path)
        .code("object_above_max_properties")
}

/// A value that is none of those that are legal there.
pub(crate) fn invalid_value(
    source: &'static str,
    evidence: Evidence,
    path: &str,
    value: &str,
    legal: &[&str],
) -> ApiError {
    let message = format!(
        "Invalid value: '{value}'. Supported values are: {}.",
        list_of(legal)
    );
    ApiError::invalid(source, evidence, message)
        .at(path)
        .code("invalid_value")
}

/// `'a', 'b', and 'c'`; two are joined by `and` alone.
fn list_of(values: &[&str]) -> String {
    let quoted: Vec<String> = values.iter().map(|value| format!("'{value}'")).collect();
    match quoted.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [one, two] => format!("{one} and {two}"),
        [head @ .., last] => format!("{}, and {last}", head.join(", ")),
    }
}

pub(crate) fn below_minimum(path: &str, kind: NumberKind, limit: &str, got: &str) -> ApiError {
    let name = kind.name();
    let message = format!(
        "Invalid '{path}': {name} below minimum value. Expected a value >= {limit}, but got {got} instead."
    );
    ApiError::invalid(ENDPOINTS, kind.evidence(), message)
        .at(path)
        .code(&format!("{name}_below_min_value"))
}

pub(crate) fn above_maximum(path: &str, kind: NumberKind, limit: &str, got: &str) -> ApiError {
    let name = kind.name();
    let message = format!(
        "Invalid '{path}': {name} above maximum value. Expected a value <= {limit}, but got {got} instead."
    );
    ApiError::invalid(ENDPOINTS, kind.evidence(), message)
        .at(path)
        .code(&format!("{name}_above_max_value"))
}

/// Kinds of number that the messages tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberKind {
    /// `temperature`
    Decimal,
    /// `max_output_tokens`
    Integer,
}

impl NumberKind {
    fn name(self) -> &'static str {
        match self {
            Self::Decimal => "decimal",
            Self::Integer => "integer",
        }
    }

    /// The decimal message was captured; the one for integers is read from it.
    fn evidence(self) -> Evidence {
        match self {
            Self::Decimal => Measured,
            Self::Integer => Inferred,
        }
    }
}

// Models and what they can do.

pub(crate) fn unknown_model(name: &str) -> ApiError {
    ApiError::invalid(
        ENDPOINTS,
        Measured,
        format!("The requested model '{name}' does not exist."),
    )
    .at("model")
    .code("model_not_found")
}

pub(crate) fn model_not_listed(name: &str) -> ApiError {
    ApiError::invalid(ENDPOINTS, Inferred, format!("The model '{name}' does not exist"))
        .at("model")
        .code("model_not_found")
        .status(404)
}

pub(crate) fn unsupported_parameter(name: &str) -> ApiError {
    let message = format!("Unsupported parameter: '{name}' is not supported with this model.");
    ApiError::invalid("E31", Measured, message).at(name)
}

pub(crate) fn unsupported_effort(effort: &str, model: &str, legal: &[&str]) -> ApiError {
    let message = format!(
        "Unsupported value: '{effort}' is not supported with the '{model}' model. Supported values are: {}.",
        list_of(legal)
    );
    ApiError::invalid("E31", Measured, message)
        .at("reasoning.effort")
        .code("unsupported_value")
}

pub(crate) fn reasoning_for_plain_model() -> ApiError {
    let message = "Reasoning input items can only be provided to a reasoning or computer use model. Remove reasoning items from your input and try again.";
    ApiError::invalid("E05", Reported, message).at("input")
}

pub(crate) fn encrypted_for_plain_model() -> ApiError {
    let message = "Encrypted content is not supported with this model.";
    ApiError::invalid("E14", Reported, message).at("include")
}

pub(crate) fn logprobs_for_reasoning_model(param: &str, evidence: Evidence) -> ApiError {
    let message = "logprobs are not supported with reasoning models.";
    ApiError::invalid("E14", evidence, message)
        .at(param)
        .code("unsupported_parameter")
}

// Reasoning and what follows it.

pub(crate) fn orphan_reasoning(id: &str) -> ApiError {
    let message =
        format!("Item '{id}' of type 'reasoning' was provided without its required following item.");
    ApiError::invalid("E01", Reported, message).at("input")
}

/// E02 for a function call, E03 for a message, E04 for any other follower.
pub(crate) fn orphan_follower(id: &str, kind: &str, reasoning: &str) -> ApiError {
    let message = format!(
        "Item '{id}' of type '{kind}' was provided without its required 'reasoning' item: '{reasoning}'."
    );
    let (source, evidence) = match kind {
        "function_call" => ("E02", Reported),
        "message" => ("E03", Reported),
        _ => ("E04", Inferred),
    };
    ApiError::invalid(source, evidence, message).at("input")
}

/// Who asks for an item that is not there; the sentence differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asker {
    /// A request with `store:false` (E06).
    Unstored,
    /// A request with `store:true` (E07a).
    Stored,
    /// A Zero Data Retention organisation (E07b).
    Zdr,
}

pub(crate) fn item_not_found(id: &str, asker: Asker, status: u16) -> ApiError {
    let (source, tail) = match asker {
        Asker::Unstored => (
            "E06",
            " Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.",
        ),
        Asker::Stored => ("E07", ""),
        Asker::Zdr => (
            "E07",
            " Items are not persisted for Zero Data Retention organizations.",
        ),
    };
    ApiError::invalid(source, Reported, format!("Item with id '{id}' not found.{tail}"))
        .at("input")
        .status(status)
}

/// E07c: what other servers say of reasoning that they do not have.
pub(crate) fn reasoning_not_found(id: &str, status: u16) -> ApiError {
    let message = format!("Referenced reasoning item '{id}' was not found or has expired.");
    ApiError::invalid("E07", Reported, message)
        .at("input")
        .status(status)
}

pub(crate) fn reasoning_id_required() -> ApiError {
    ApiError::invalid("E07", Inferred, "Invalid payload: a reasoning item needs its id.")
        .at("input")
        .code("invalid_payload")
}

pub(crate) fn duplicate_item(id: &str) -> ApiError {
    let message =
        format!("Duplicate item found with id {id}. Remove duplicate items from your input and try again.");
    ApiError::invalid("E08", Reported, message).at("input")
}

// Ids.

pub(crate) fn id_prefix(path: &str, id: &str, prefix: &str) -> ApiError {
    let message = format!("Invalid '{path}': '{id}'. Expected an ID that begins with '{prefix}'.");
    ApiError::invalid("E09", Reported, message)
        .at(path)
        .code("invalid_id_prefix")
}

pub(crate) fn id_characters(path: &str, id: &str) -> ApiError {
    let message = format!(
        "Invalid '{path}': '{id}'. Expected an ID that contains letters, numbers, underscores, or dashes, but this value contained additional characters."
    );
    ApiError::invalid("E09", Inferred, message)
        .at(path)
        .code("invalid_value")
}

// Calls and outputs.

pub(crate) fn call_without_output(kind: &str, call_id: &str) -> ApiError {
    let message = format!("No tool output found for {kind} call {call_id}.");
    ApiError::invalid("E10", Reported, message).at("input")
}

pub(crate) fn output_without_call(kind: &str, call_id: &str) -> ApiError {
    let message = format!("No tool call found for {kind} call output with call_id {call_id}.");
    ApiError::invalid("E11", Reported, message).at("input")
}

// Tokens.

/// Why a token is refused (E12).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenFault {
    /// No token of this region, or changed on the way.
    Unreadable,
    /// Sealed for another organisation.
    Organisation,
    /// Sealed for another model family.
    Family,
    /// Sealed for another item.
    ItemId,
}

impl TokenFault {
    /// The word in `input_transformations`, where the item may be taken out instead.
    pub(crate) fn withheld(self) -> Option<&'static str> {
        match self {
            Self::Organisation => Some("organization_mismatch"),
            Self::Family => Some("model_mismatch"),
            Self::Unreadable | Self::ItemId => None,
        }
    }

    fn reason(self) -> &'static str {
        match self {
            Self::Unreadable | Self::Family => "Encrypted content could not be decrypted or parsed.",
            Self::Organisation => "Encrypted content organization_id did not match the target organization.",
            Self::ItemId => "Encrypted content item_id did not match the target item id.",
        }
    }
}

/// E12. The newer form names the item; without an id it shows the ends of the token, as the older one always does.
pub(crate) fn token_refused(
    form: TokenRefusal,
    id: Option<&str>,
    token: &str,
    fault: TokenFault,
) -> ApiError {
    let message = match form {
        TokenRefusal::Short => format!("The encrypted content {} could not be verified.", ends_of(token)),
        TokenRefusal::Reasoned => {
            let what = id.map_or_else(|| ends_of(token), |id| format!("for item {id}"));
            let reason = fault.reason();
            format!("The encrypted content {what} could not be verified. Reason: {reason}")
        }
    };
    ApiError::invalid("E12", Reported, message).code("invalid_encrypted_content")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_read_as_in_the_facts() {
        // `tests/facts/endpoints.md`, bad enum; `tests/facts/errors.md` E28.
        assert_eq!(list_of(&["a", "b", "c"]), "'a', 'b', and 'c'");
        assert_eq!(
            list_of(&["output_text", "refusal"]),
            "'output_text' and 'refusal'"
        );
    }

    #[test]
    fn a_token_without_item_shows_its_ends() {
        // `tests/facts/examples/15_errors.json`, bad_encrypted_content
        let error = token_refused(
            TokenRefusal::Reasoned,
            None,
            "gAAAAABq_Yb5Q==",
            TokenFault::Unreadable,
        );
        assert_eq!(
            error.message,
            "The encrypted content gAAA...5Q== could not be verified. Reason: Encrypted content could not be decrypted or parsed."
        );
        assert_eq!(error.param, None);
        assert_eq!(error.code.as_deref(), Some("invalid_encrypted_content"));
    }
}
