//! E15 to E34: what a request continues, the shape of its items, limits.

use holdover_fake::Answer;
use holdover_profile::Org;
use holdover_wire::{Call, ReplyEnd, ReplyPart};
use serde_json::{Value, json};

use crate::common::golden::reply;
use crate::common::{create, delete, ok, post, session, session_of, user};
use crate::{Row, asked, error, id, org, row};

pub(crate) fn state() -> Vec<Row> {
    let chained = json!({"model": "gpt-5.6", "previous_response_id": "resp_A", "input": "x"});
    let both =
        json!({"model": "gpt-5.6", "previous_response_id": "resp_A", "conversation": "conv_A", "input": "x"});
    let conversation = json!({"model": "gpt-5.6", "conversation": "conv_A", "input": "x"});
    let prompt = json!({"model": "gpt-5.6", "prompt": {"id": "pmpt_A"}, "input": "x"});
    let empty = json!({"model": "gpt-5.6", "conversation": {}, "input": "x"});
    let interpreter = json!({"model": "gpt-5.6", "store": false, "input": "x", "tools": [{"type": "code_interpreter", "container": {"type": "auto"}}]});
    vec![
        row(
            "E15",
            "measured",
            asked(&chained),
            400,
            error(
                "Previous response with id 'resp_A' not found.",
                Some("previous_response_id"),
                Some("previous_response_not_found"),
            ),
        ),
        row(
            "E16",
            "reported",
            create(&mut org(Org::Zdr), &chained),
            400,
            error(
                "Previous response cannot be used for this organization due to Zero Data Retention.",
                Some("previous_response_id"),
                Some("unsupported_parameter"),
            ),
        ),
        row(
            "E16",
            "inferred",
            create(&mut org(Org::Zdr), &interpreter),
            400,
            error(
                "Code interpreter tool cannot be used for this organization due to Zero Data Retention",
                Some("tools"),
                Some("unsupported_parameter"),
            ),
        ),
        row(
            "E17",
            "measured",
            asked(&both),
            400,
            error(
                "Mutually exclusive parameters: ''. Ensure you are only providing one of: 'pre..._id' or 'conversation'.",
                None,
                Some("mutually_exclusive_parameters"),
            ),
        ),
        row(
            "E18",
            "measured",
            asked(&conversation),
            404,
            error("Conversation with id 'conv_A' not found.", None, None),
        ),
        row(
            "E18",
            "measured",
            asked(&prompt),
            404,
            error("Prompt with id 'pmpt_A' not found.", None, None),
        ),
        row(
            "E18",
            "reported",
            asked(&empty),
            400,
            error(
                "Missing required parameter: 'conversation.id'.",
                Some("conversation.id"),
                Some("missing_required_parameter"),
            ),
        )
        .told_as("endpoints"),
        locked(),
    ]
}

/// What is read, kept, or not there at all.
pub(crate) fn kept() -> Vec<Row> {
    let background = json!({"model": "gpt-5.6", "background": true, "store": false, "input": "x"});
    vec![
        row(
            "E21",
            "inferred",
            session().handle(&Call::get("/v1/responses/resp_A")),
            404,
            error("Response with id 'resp_A' not found.", None, None),
        ),
        row(
            "E21",
            "inferred",
            session().handle(&Call::get("/v1/responses/resp_A/input_items")),
            404,
            error("Response with id 'resp_A' not found.", None, None),
        ),
        row(
            "E21",
            "inferred",
            delete(&mut session(), "/v1/responses/resp_A"),
            404,
            error("Response with id 'resp_A' not found.", None, None),
        ),
        row(
            "E09",
            "reported",
            asked(&json!({"model": "gpt-5.6", "conversation": "x", "input": "x"})),
            400,
            error(
                "Invalid 'conversation': 'x'. Expected an ID that begins with 'conv_'.",
                Some("conversation"),
                Some("invalid_id_prefix"),
            ),
        ),
        row(
            "E22",
            "fixture",
            asked(&background),
            400,
            error(
                "Background mode requires 'store' to be true.",
                Some("background"),
                Some("background_requires_store"),
            ),
        ),
        row(
            "E24",
            "measured",
            asked(&json!({"model": "gpt-5.6", "input": []})),
            400,
            error(
                "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation' must be provided.",
                None,
                Some("missing_required_parameter"),
            ),
        ),
    ]
}

fn locked() -> Row {
    let mut session = session();
    let conversation = ok(&post(&mut session, "/v1/conversations", json!({})));
    let body = json!({"model": "gpt-5.6", "conversation": conversation["id"], "input": "x"});
    let call = Call::post("/v1/responses", body.clone());
    let running = session.begin(&call);
    let expected = error(
        "Another process is currently operating on this conversation. Please retry in a few seconds.",
        Some("conversation"),
        Some("conversation_locked"),
    );
    let answer = create(&mut session, &body);
    drop(running);
    row("E19", "reported", answer, 400, expected)
}

pub(crate) fn conversation_items() -> Vec<Row> {
    let mut session = session();
    let conversation = ok(&post(&mut session, "/v1/conversations", json!({})));
    let path = format!("/v1/conversations/{}/items", id(&conversation));
    let mut add = |item: Value| post(&mut session, &path, json!({"items": [item]}));
    vec![
        row(
            "E20.1",
            "reported",
            add(json!({"type": "reasoning", "summary": []})),
            400,
            error("Invalid item", Some("item"), Some("invalid_item")),
        ),
        row(
            "E20.2",
            "reported",
            add(json!({"type": "web_search_call", "status": "completed"})),
            400,
            error(
                "Missing required parameter: 'items[0].id'.",
                Some("items[0].id"),
                Some("missing_required_parameter"),
            ),
        ),
        row(
            "E20.3",
            "reported",
            add(json!({"type": "reasoning", "id": "__fake_id__", "summary": []})),
            400,
            error(
                "Invalid 'items[0].id': '__fake_id__'. Expected an ID that begins with 'rs'.",
                Some("items[0].id"),
                Some("invalid_id_prefix"),
            ),
        )
        .told_as("E09"),
    ]
}

pub(crate) fn codex() -> Vec<Row> {
    let ask = |body: Value| create(&mut session_of("codex-backend"), &body);
    let chained = json!({"model": "gpt-5.6", "input": "x", "store": false, "instructions": "i", "previous_response_id": "resp_A"});
    vec![
        row(
            "E23",
            "reported",
            ask(json!({"model": "gpt-5.6", "input": "x", "instructions": "i"})),
            400,
            error("Store must be set to false", None, None),
        ),
        row(
            "E23",
            "reported",
            ask(chained),
            400,
            error("Unsupported parameter: previous_response_id", None, None),
        ),
        row(
            "E23",
            "inferred",
            ask(json!({"model": "gpt-5.6", "input": "x", "store": false})),
            400,
            error("Instructions are required", None, None),
        ),
    ]
}

pub(crate) fn shapes() -> Vec<Row> {
    let of = |items: Value| asked(&json!({"model": "gpt-5.6", "input": items}));
    let missing = error(
        "Missing required parameter: 'input[2].summary'.",
        Some("input[2].summary"),
        Some("missing_required_parameter"),
    );
    let unknown = |path: &str| {
        error(
            format!("Unknown parameter: '{path}'."),
            Some(path),
            Some("unknown_parameter"),
        )
    };
    let plain = json!([{"type": "reasoning", "id": "rs_A", "summary": [], "content": [{"type": "reasoning_text", "text": "t"}]}]);
    let tag = json!([user("x"), {"role": "assistant", "content": [{"type": "input_text", "text": "y"}]}]);
    vec![
        row(
            "E25",
            "reported",
            of(json!([user("x"), user("y"), {"type": "reasoning", "id": "rs_A"}])),
            400,
            missing,
        ),
        row(
            "E26",
            "reported",
            of(json!([user("x"), {"type": "reasoning", "id": "rs_A", "summary": [], "status": null}])),
            400,
            unknown("input[1].status"),
        ),
        row(
            "E26",
            "reported",
            of(json!([{"role": "user", "content": "x", "phase": "final_answer"}])),
            400,
            unknown("input[0].phase"),
        ),
        row(
            "E27",
            "reported",
            of(plain),
            400,
            error(
                "Invalid 'input[0].content': array too long. Expected an array with maximum length 0, but got an array with length 1 instead.",
                Some("input[0].content"),
                Some("array_above_max_length"),
            ),
        ),
        row(
            "E28",
            "reported",
            of(tag),
            400,
            error(
                "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
                Some("input[1].content[0]"),
                Some("invalid_value"),
            ),
        ),
        row(
            "E29",
            "reported",
            of(json!([{"role": "tool", "content": "x"}])),
            400,
            error(
                "Invalid value: 'tool'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
                Some("input[0].role"),
                Some("invalid_value"),
            ),
        ),
    ]
}

/// Parameters that a model does not take.
pub(crate) fn parameters() -> Vec<Row> {
    vec![
        row(
            "E31",
            "measured",
            asked(&json!({"model": "gpt-5.6", "input": "x", "temperature": 0.5})),
            400,
            error(
                "Unsupported parameter: 'temperature' is not supported with this model.",
                Some("temperature"),
                None,
            ),
        ),
        row(
            "E31",
            "measured",
            asked(&json!({"model": "gpt-5.6", "messages": [user("x")]})),
            400,
            error(
                "Unsupported parameter: 'messages'. In the Responses API, this parameter has moved to 'input'. Try again with the new parameter. See the API documentation for more information: https://platform.openai.com/docs/api-reference/responses/create.",
                None,
                Some("unsupported_parameter"),
            ),
        ),
        row(
            "E31",
            "measured",
            asked(&json!({"model": "gpt-5.1", "input": "x", "reasoning": {"effort": "minimal"}})),
            400,
            error(
                "Unsupported value: 'minimal' is not supported with the 'gpt-5.1' model. Supported values are: 'none', 'low', 'medium', and 'high'.",
                Some("reasoning.effort"),
                Some("unsupported_value"),
            ),
        ),
    ]
}

/// A turn that fails with this code.
fn failing(code: &str) -> Answer {
    let mut session = session();
    session.script(vec![reply([ReplyPart::End(ReplyEnd::Failed {
        code: code.to_owned(),
        message: None,
    })])]);
    create(&mut session, &json!({"model": "gpt-5.6-sol", "input": "x"}))
}

/// It names the request; the middle of the sentence is elided in the facts.
fn server_error() -> Row {
    let answer = failing("server_error");
    let request = answer
        .plan
        .header("x-request-id")
        .expect("a request id")
        .to_owned();
    let message = format!(
        "An error occurred while processing your request. You can retry your request, or contact us through our help center if the error persists. Please include the request ID {request} in your message."
    );
    let expected = json!({"message": message, "type": "server_error", "param": null, "code": "server_error"});
    row("E34", "fixture", answer, 500, expected)
}

pub(crate) fn limits() -> Vec<Row> {
    let rate = "Rate limit reached for gpt-5.6-sol in organization org-holdover on tokens per min (TPM): Limit 30000, Used 22999, Requested 12528. Please try again in 11.054s. Visit https://platform.openai.com/account/rate-limits to learn more.";
    let long = json!({"model": "gpt-4o-mini", "input": " word".repeat(130_000)});
    vec![
        row(
            "E32",
            "fixture",
            asked(&long),
            400,
            error(
                "Your input exceeds the context window of this model. Please adjust your input and try again.",
                Some("input"),
                Some("context_length_exceeded"),
            ),
        ),
        row(
            "E33",
            "fixture",
            failing("rate_limit_exceeded"),
            429,
            json!({"message": rate, "type": "tokens", "param": null, "code": "rate_limit_exceeded"}),
        ),
        server_error(),
        row(
            "E34",
            "fixture",
            failing("server_is_overloaded"),
            503,
            json!({"message": "Our servers are currently overloaded. Please try again later.", "type": "server_error", "param": null, "code": "server_is_overloaded"}),
        ),
    ]
}
