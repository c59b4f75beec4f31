//! The words by which a refusal is known; ids and values between them do not matter.

use super::pages::{RefusalPage, refusals};

/// Fragments that stand in the text in this order, without regard to case; the first entry that fits wins, so that the
/// more telling one comes first.
const WORDINGS: [(&str, &[&str]); 79] = [
    ("E01", &["was provided without its required following item"]),
    (
        "E02",
        &["of type 'function_call' was provided without its required 'reasoning' item"],
    ),
    (
        "E03",
        &["of type 'message' was provided without its required 'reasoning' item"],
    ),
    ("E03", &["required preceding item of type 'reasoning'"]),
    ("E04", &["was provided without its required 'reasoning' item"]),
    (
        "E05",
        &["reasoning input items can only be provided to a reasoning or computer use model"],
    ),
    ("E06", &["items are not persisted when `store` is set to false"]),
    (
        "E07",
        &["items are not persisted for zero data retention organizations"],
    ),
    (
        "E07",
        &["referenced reasoning item", "was not found or has expired"],
    ),
    ("E07", &["item with id", "not found"]),
    ("E07", &["invalid_payload"]),
    ("E08", &["duplicate item found with id"]),
    ("E13", &["encrypted_content': expected a string, but got"]),
    ("E09", &["expected an id that begins with"]),
    (
        "E09",
        &["string too long. expected a string with maximum length 64"],
    ),
    ("E09", &["invalid 'input[", ".id': ''"]),
    ("E09", &["invalid_id_prefix"]),
    ("E09", &["string_above_max_length"]),
    ("E10", &["no tool output found for function call"]),
    ("E10", &["no tool output found for tool call"]),
    ("E11", &["no tool call found for function call output"]),
    ("E14", &["encrypted content is not supported with this model"]),
    ("E14", &["logprobs are not supported with reasoning models"]),
    ("E12", &["the encrypted content", "could not be verified"]),
    ("E12", &["could not decrypt the provided encrypted_content"]),
    ("E12", &["encrypted content could not be decrypted or parsed"]),
    ("E12", &["encrypted content organization_id did not match"]),
    ("E12", &["encrypted content item_id did not match"]),
    ("E12", &["`encrypted_content` was not issued to this caller"]),
    ("E12", &["could not decode the compaction blob"]),
    ("E12", &["invalid_encrypted_content"]),
    ("E16", &["previous response cannot be used"]),
    (
        "E16",
        &["tool cannot be used for this organization due to zero data retention"],
    ),
    ("E15", &["previous response with id", "not found"]),
    ("E15", &["previous_response_not_found"]),
    ("E17", &["mutually exclusive parameters"]),
    ("E17", &["mutually_exclusive_parameters"]),
    ("E18", &["conversation with id", "not found"]),
    ("E18", &["prompt with id", "not found"]),
    (
        "E19",
        &["another process is currently operating on this conversation"],
    ),
    ("E19", &["conversation_locked"]),
    ("E20", &["missing required parameter: 'items["]),
    ("E20", &["invalid_item"]),
    ("E20", &["\"invalid item\""]),
    ("E21", &["response with id", "not found"]),
    ("E22", &["background mode requires 'store' to be true"]),
    ("E22", &["background_requires_store"]),
    ("E23", &["store must be set to false"]),
    ("E23", &["unsupported parameter: previous_response_id"]),
    (
        "E24",
        &["one of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation' must be provided"],
    ),
    ("E25", &["missing required parameter: 'input[", "].summary'"]),
    ("E25", &["missing required field `summary`"]),
    ("E26", &["unknown parameter: 'input["]),
    (
        "E27",
        &["array too long. expected an array with maximum length 0"],
    ),
    ("E28", &["supported values are: 'output_text' and 'refusal'"]),
    (
        "E29",
        &[
            "invalid value: 'tool'",
            "'assistant', 'system', 'developer', and 'user'",
        ],
    ),
    ("E30", &["[itemparam]", "invalid value"]),
    ("E30", &["invalid value", "item_reference"]),
    (
        "E31",
        &["unsupported parameter:", "is not supported with this model"],
    ),
    ("E31", &["this parameter has moved to 'input'"]),
    ("E31", &["unsupported value:", "is not supported with the"]),
    ("E31", &["unsupported_parameter"]),
    ("E32", &["exceeds the context window of this model"]),
    ("E32", &["context_length_exceeded"]),
    ("E32", &["context_too_large"]),
    ("E33", &["rate limit reached for"]),
    ("E33", &["rate_limit_exceeded"]),
    ("E34", &["an error occurred while processing your request"]),
    ("E34", &["our servers are currently overloaded"]),
    ("E34", &["server_error"]),
    ("E36", &["websocket connection limit reached"]),
    ("E36", &["websocket_connection_limit_reached"]),
    ("E36", &["websocket_stream_limit_reached"]),
    ("E36", &["maximum number of distinct stream ids"]),
    ("E36", &["the 'stream_id' field must be a non-empty string"]),
    ("E35", &["stream closed before response.completed"]),
    ("E35", &["didn't receive a `response.completed` event"]),
    ("E35", &["incomplete response returned, reason"]),
    ("E35", &["idle timeout waiting for sse"]),
];

/// The refusal whose wording stands in this text: a message, a JSON body, or a line of a log.
pub fn refusal(text: &str) -> Option<&'static RefusalPage> {
    let text = text.to_lowercase().replace("\\\"", "\"");
    let (code, _) = WORDINGS
        .iter()
        .find(|(_, fragments)| in_order(&text, fragments))?;
    refusals().iter().find(|page| page.code == *code)
}

fn in_order(text: &str, fragments: &[&str]) -> bool {
    let mut rest = text;
    for fragment in fragments {
        let Some(place) = rest.find(fragment) else {
            return false;
        };
        rest = &rest[place + fragment.len()..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    const FACTS: &str = include_str!("../../../../tests/facts/errors.md");

    fn code(text: &str) -> Option<&'static str> {
        refusal(text).map(|page| page.code)
    }

    /// Sections `### E..` of the facts, each with its number and text.
    fn sections() -> Vec<(String, &'static str)> {
        let parts = FACTS.split("\n### ").skip(1);
        let own = parts.map(|part| part.split("\n## ").next().unwrap_or(part));
        own.map(|part| (part.chars().take(3).collect(), part)).collect()
    }

    /// Every `"message":"…"` of a section.
    fn messages(section: &str) -> Vec<String> {
        let starts = section
            .match_indices("\"message\":\"")
            .map(|(index, found)| index + found.len());
        let bodies = starts.filter_map(|start| {
            let rest = &section[start..];
            let end = rest
                .match_indices('"')
                .map(|(index, _)| index)
                .find(|index| !rest[..*index].ends_with('\\'))?;
            Some(rest[..end].to_owned())
        });
        bodies.filter(|message| message != "…").collect()
    }

    #[test]
    fn every_json_message_of_the_facts_finds_its_entry() {
        let mut seen = 0;
        for (entry, section) in sections() {
            for message in messages(section) {
                // `Invalid item` is too plain a sentence: its body has the code beside it.
                let text = if message == "Invalid item" {
                    format!("{{\"message\":\"{message}\",\"code\":\"invalid_item\"}}")
                } else {
                    message.clone()
                };
                assert_eq!(code(&text), Some(entry.as_str()), "{message}");
                seen += 1;
            }
        }
        assert!(seen >= 17, "{seen} messages");
    }

    const EXACT: &[(&str, &str)] = &[
        (
            "E03",
            "Item 'msg_A' of type 'message' was provided without its required 'reasoning' item: 'rs_A'.",
        ),
        (
            "E04",
            "Item 'ctc_A' of type 'custom_tool_call' was provided without its required 'reasoning' item: 'rs_A'.",
        ),
        ("E07", "Item with id 'rs_A' not found."),
        (
            "E07",
            "Item with id 'fc_A' not found. Items are not persisted for Zero Data Retention organizations.",
        ),
        (
            "E07",
            "Referenced reasoning item 'rs_A' was not found or has expired.",
        ),
        (
            "E09",
            "Invalid 'input[1].id': 'rs_A'. Expected an ID that begins with 'msg'.",
        ),
        (
            "E09",
            "Invalid 'conversation': 'x'. Expected an ID that begins with 'conv_'.",
        ),
        (
            "E09",
            "Invalid 'input[149].call_id': string too long. Expected a string with maximum length 64, but got a string with length 86 instead.",
        ),
        ("E09", "Invalid 'input[7].id': ''"),
        (
            "E09",
            "[ApiIdParam] [input[84].id] [invalid_id_prefix] Invalid 'input[84].id': 'x'.",
        ),
        (
            "E12",
            "The encrypted content for item rs_A could not be verified. Reason: Encrypted content could not be decrypted or parsed.",
        ),
        (
            "E12",
            "Encrypted content organization_id did not match the target organization.",
        ),
        (
            "E12",
            "Encrypted content item_id did not match the target item id.",
        ),
        (
            "E12",
            "Could not decrypt the provided encrypted_content. Ensure the value is the unmodified encrypted_content from a previous response.",
        ),
        (
            "E12",
            "reasoning `encrypted_content` was not issued to this caller",
        ),
        (
            "E12",
            "Could not decode the compaction blob. Ensure it is unmodified from the compact response.",
        ),
        (
            "E13",
            "[LargeStringParam] [input[6].encrypted_content] [invalid_type] Invalid type for 'input[6].encrypted_content': expected a string, but got an object instead.",
        ),
        ("E14", "logprobs are not supported with reasoning models."),
        (
            "E16",
            "Code interpreter tool cannot be used for this organization due to Zero Data Retention",
        ),
        (
            "E17",
            "Mutually exclusive parameters. Ensure you are only providing one of: 'previous_response_id' or 'conversation'.",
        ),
        ("E18", "Prompt with id 'pmpt_A' not found."),
        ("E20", "Missing required parameter: 'items[0].id'."),
        ("E22", "Background mode requires 'store' to be true."),
        ("E23", "Store must be set to false"),
        ("E23", "Unsupported parameter: previous_response_id"),
        (
            "E24",
            "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation' must be provided.",
        ),
        ("E25", "Missing required parameter: 'input[2].summary'."),
        ("E25", "Input[2] missing required field `summary`"),
        ("E26", "Unknown parameter: 'input[1].status'."),
        (
            "E27",
            "Invalid 'input[3].content': array too long. Expected an array with maximum length 0",
        ),
        (
            "E28",
            "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
        ),
        (
            "E29",
            "Invalid value: 'tool'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
        ),
        (
            "E30",
            "Invalid value: 'context_compaction'. Supported values are: 'additional_tools', 'item_reference' and 'message'.",
        ),
        (
            "E31",
            "Unsupported parameter: 'temperature' is not supported with this model.",
        ),
        (
            "E31",
            "Unsupported value: 'minimal' is not supported with the 'gpt-5.6' model. Supported values are: 'low'.",
        ),
        (
            "E32",
            "Your input exceeds the context window of this model. Please adjust your input and try again.",
        ),
        (
            "E33",
            "Rate limit reached for gpt-5.6 in organization org-x on tokens per min (TPM): Limit 30000, Used 22999, Requested 12528. Please try again in 11.054s.",
        ),
        (
            "E34",
            "An error occurred while processing your request. You can retry your request.",
        ),
        (
            "E34",
            "Our servers are currently overloaded. Please try again later.",
        ),
        ("E35", "stream closed before response.completed"),
        (
            "E36",
            "Responses websocket connection limit reached (60 minutes). Create a new websocket connection to continue.",
        ),
        (
            "E36",
            "This WebSocket connection has reached its maximum number of distinct stream IDs (32).",
        ),
    ];

    #[test]
    fn the_other_exact_wordings_of_the_facts_find_their_entries() {
        for (entry, text) in EXACT {
            assert_eq!(code(text), Some(*entry), "{text}");
        }
    }

    #[test]
    fn every_entry_of_the_facts_has_a_wording() {
        for (entry, _) in sections() {
            assert!(WORDINGS.iter().any(|(code, _)| *code == entry), "{entry}");
        }
    }

    #[test]
    fn a_body_and_a_log_line_are_read_as_well_as_a_sentence() {
        let body = r#"openai.BadRequestError: Error code: 400 - {'error': {'message': "Item 'rs_68' of type 'reasoning' was provided without its required following item."}}"#;
        assert_eq!(code(body), Some("E01"));
    }

    #[test]
    fn other_text_is_no_refusal() {
        for text in [
            "",
            "the item was not found in the shop",
            "rate limits are good",
            "a reasoning item is required",
        ] {
            assert_eq!(code(text), None, "{text}");
        }
    }
}
