//! E01 to E14: items that a request brings back, and their tokens.

use holdover_fake::{Account, FakeConfig, Session};
use holdover_profile::{Org, Profile, Switch};
use holdover_wire::ReplyPart;
use serde_json::{Value, json};

use crate::common::golden::reply;
use crate::common::{calls, create, items, output, session_of, thought, user, without};
use crate::{Row, asked, at_input, error, first_turn, id, input, org, row};

pub(crate) fn pairing() -> Vec<Row> {
    let (mut session, out, _) = first_turn(thought("y"));
    let (rs, msg) = (&out[0], &out[1]);
    let orphan = at_input(format!(
        "Item '{}' of type 'reasoning' was provided without its required following item.",
        id(rs)
    ));
    let needs = |item: &Value, kind: &str, rs: &Value| {
        at_input(format!(
            "Item '{}' of type '{kind}' was provided without its required 'reasoning' item: '{}'.",
            id(item),
            id(rs)
        ))
    };
    let (u, next) = (user("x"), user("z"));
    let rebuilt = without(msg, "id");
    let mut rows = Vec::new();
    let replays = [
        ("E01a", vec![&u, rs, &next]),
        ("E01b", vec![&u, rs]),
        ("E01c", vec![&u, rs, &rebuilt, &next]),
    ];
    for (shape, replayed) in replays {
        let answer = create(&mut session, &input(&replayed));
        rows.push(row(shape, "reported", answer, 400, orphan.clone()));
    }
    let reference = json!({"type": "item_reference", "id": msg["id"]});
    for alone in [msg, &reference] {
        let answer = create(&mut session, &input(&[&u, alone, &next]));
        rows.push(row("E03", "reported", answer, 400, needs(msg, "message", rs)));
    }
    let (mut session, out, _) = first_turn(calls(&["call_1"]));
    let done = output("call_1");
    let answer = create(&mut session, &input(&[&u, &out[1], &done]));
    rows.push(row(
        "E02",
        "reported",
        answer,
        400,
        needs(&out[1], "function_call", &out[0]),
    ));
    let stripped = without(&out[0], "id");
    let answer = create(&mut session, &input(&[&u, &stripped, &out[1], &done]));
    rows.push(row(
        "E02",
        "reported",
        answer,
        400,
        needs(&out[1], "function_call", &out[0]),
    ));
    rows.push(plain_model());
    rows.push(reasoning_upon_reasoning());
    rows.push(stored_output_that_ends_in_reasoning());
    rows
}

fn reasoning_upon_reasoning() -> Row {
    let (mut session, thought, _) = first_turn(thought("y"));
    session.script(vec![calls(&["call_1"])]);
    let called = items(&create(&mut session, &json!({"model": "gpt-5.6", "input": "z"})));
    let done = output("call_1");
    let replayed = [&user("x"), &thought[0], &called[0], &called[1], &done];
    let expected = at_input(format!(
        "Item '{}' of type 'reasoning' was provided without its required following item.",
        id(&thought[0])
    ));
    let answer = create(&mut session, &input(&replayed));
    row("E01d", "reported", answer, 400, expected)
}

fn stored_output_that_ends_in_reasoning() -> Row {
    let (mut session, out, response) = first_turn(reply([ReplyPart::Reasoning { summary: None }]));
    let body = json!({"model": "gpt-5.6", "previous_response_id": response["id"], "input": "z"});
    let expected = at_input(format!(
        "Item '{}' of type 'reasoning' was provided without its required following item.",
        id(&out[0])
    ));
    row("E01e", "reported", create(&mut session, &body), 400, expected)
}

fn plain_model() -> Row {
    let (mut session, _, response) = first_turn(thought("y"));
    let body = json!({"model": "gpt-4.1", "previous_response_id": response["id"], "input": "z"});
    let expected = "Reasoning input items can only be provided to a reasoning or computer use model. Remove reasoning items from your input and try again.";
    row(
        "E05",
        "reported",
        create(&mut session, &body),
        400,
        at_input(expected),
    )
}

pub(crate) fn identity() -> Vec<Row> {
    let named = json!({"type": "reasoning", "id": "rs_A", "summary": []});
    let ask = |store: bool| {
        let input = json!([named, {"role": "assistant", "content": "x"}, user("y")]);
        json!({"model": "gpt-5.6", "store": store, "input": input})
    };
    let e06 = at_input(
        "Item with id 'rs_A' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.",
    );
    let zdr = at_input(
        "Item with id 'rs_A' not found. Items are not persisted for Zero Data Retention organizations.",
    );
    let (mut stored, out, _) = first_turn(thought("y"));
    let twice = input(&[&user("x"), &out[0], &out[1], &out[0], &out[1], &user("z")]);
    let duplicate = at_input(format!(
        "Duplicate item found with id {}. Remove duplicate items from your input and try again.",
        id(&out[0])
    ));
    vec![
        row("E06", "reported", asked(&ask(false)), 404, e06.clone()),
        row(
            "E06",
            "reported",
            create(&mut session_of("azure"), &ask(false)),
            400,
            e06,
        ),
        row(
            "E07a",
            "reported",
            asked(&ask(true)),
            404,
            at_input("Item with id 'rs_A' not found."),
        ),
        row(
            "E07b",
            "reported",
            create(&mut org(Org::Zdr), &ask(true)),
            404,
            zdr,
        ),
        row(
            "E07c",
            "reported",
            create(&mut session_of("compat"), &ask(true)),
            400,
            at_input("Referenced reasoning item 'rs_A' was not found or has expired."),
        ),
        idless_token(),
        row("E08", "reported", create(&mut stored, &twice), 400, duplicate),
    ]
}

/// What an id may look like.
pub(crate) fn ids() -> Vec<Row> {
    let prefix = json!({"model": "gpt-5.6", "input": [user("x"), {"type": "message", "id": "rs_A", "role": "assistant", "content": []}]});
    let long = json!({"model": "gpt-5.6", "input": [{"type": "function_call_output", "call_id": "c".repeat(86), "output": ""}]});
    let long_id =
        json!({"model": "gpt-5.6", "input": [{"type": "reasoning", "id": "x".repeat(380), "summary": []}]});
    let empty =
        json!({"model": "gpt-5.6", "input": [user("x"), {"type": "reasoning", "id": "", "summary": []}]});
    vec![
        row(
            "E09.1",
            "reported",
            asked(&prefix),
            400,
            error(
                "Invalid 'input[1].id': 'rs_A'. Expected an ID that begins with 'msg'.",
                Some("input[1].id"),
                Some("invalid_id_prefix"),
            ),
        ),
        row(
            "E09.2",
            "reported",
            asked(&long),
            400,
            error(
                "Invalid 'input[0].call_id': string too long. Expected a string with maximum length 64, but got a string with length 86 instead.",
                Some("input[0].call_id"),
                Some("string_above_max_length"),
            ),
        ),
        row(
            "E09.2",
            "reported",
            asked(&long_id),
            400,
            error(
                "Invalid 'input[0].id': string too long. Expected a string with maximum length 64, but got a string with length 380 instead.",
                Some("input[0].id"),
                Some("string_above_max_length"),
            ),
        ),
        row(
            "E09.3",
            "reported",
            asked(&empty),
            400,
            error(
                "Invalid 'input[1].id': ''. Expected an ID that begins with 'rs'.",
                Some("input[1].id"),
                Some("invalid_id_prefix"),
            ),
        ),
        row(
            "E09.1",
            "reported",
            create(&mut session_of("codex-backend"), &{
                let mut body = prefix;
                body["store"] = json!(false);
                body["instructions"] = json!("Be brief.");
                body
            }),
            400,
            error(
                "[ApiIdParam] [input[1].id] [invalid_id_prefix] Invalid 'input[1].id': 'rs_A'. Expected an ID that begins with 'msg'.",
                Some("input[1].id"),
                Some("invalid_request_error"),
            ),
        ),
    ]
}

/// E07 d: the code is reported, the sentence is ours.
fn idless_token() -> Row {
    let mut session = session_of("foundry-project");
    let request =
        json!({"model": "gpt-5.6", "store": false, "include": ["reasoning.encrypted_content"], "input": "x"});
    let out = items(&create(&mut session, &request));
    let replayed = input(&[
        &user("x"),
        &without(&out[0], "id"),
        &without(&out[1], "id"),
        &user("y"),
    ]);
    let expected = error(
        "Invalid payload: a reasoning item needs its id.",
        Some("input"),
        Some("invalid_payload"),
    );
    row("E07d", "inferred", create(&mut session, &replayed), 400, expected)
}

/// E10: one of two parallel outputs is missing.
fn one_of_two_outputs() -> Row {
    let (mut session, _, response) = first_turn(calls(&["call_1", "call_2"]));
    let body =
        json!({"model": "gpt-5.6", "previous_response_id": response["id"], "input": [output("call_1")]});
    let expected = at_input("No tool output found for function call call_2.");
    row("E10", "reported", create(&mut session, &body), 400, expected)
}

pub(crate) fn tools() -> Vec<Row> {
    let (mut session, _, response) = first_turn(calls(&["call_1"]));
    let next =
        |input: Value| json!({"model": "gpt-5.6", "previous_response_id": response["id"], "input": input});
    let open = create(&mut session, &next(json!([user("y")])));
    let stray = asked(&input(&[&user("x"), &output("call_1")]));
    let mixed = json!([{"type": "custom_tool_call_output", "call_id": "call_1", "output": "x"}]);
    let mixed = create(&mut session, &next(mixed));
    vec![
        row(
            "E10",
            "reported",
            open,
            400,
            at_input("No tool output found for function call call_1."),
        ),
        one_of_two_outputs(),
        row(
            "E11",
            "reported",
            stray,
            400,
            at_input("No tool call found for function call output with call_id call_1."),
        ),
        row(
            "E11",
            "reported",
            mixed,
            400,
            at_input("No tool call found for custom tool call output with call_id call_1."),
        ),
    ]
}

pub(crate) fn encrypted() -> Vec<Row> {
    let ask = |rs: &Value, msg: &Value| json!({"model": "gpt-5.6", "store": false, "include": ["reasoning.encrypted_content"], "input": [user("x"), rs, msg, user("y")]});
    let issue = |config: FakeConfig| {
        let request = json!({"model": "gpt-5.6", "store": false, "include": ["reasoning.encrypted_content"], "input": "x"});
        items(&create(&mut Session::new(config), &request))
    };
    let own = issue(FakeConfig::default());
    let foreign = issue(FakeConfig {
        account: Account {
            organisation: "org-other".to_owned(),
            ..Account::default()
        },
        ..FakeConfig::default()
    });
    let not_verified = |what: &str, reason: &str| {
        let message = format!("The encrypted content {what} could not be verified. Reason: {reason}");
        error(message, None, Some("invalid_encrypted_content"))
    };
    let unreadable = "Encrypted content could not be decrypted or parsed.";
    let mut cut = own[0].clone();
    let token = cut["encrypted_content"].as_str().expect("a token").to_owned();
    cut["encrypted_content"] = json!(token[..token.len() / 2]);
    let mut other_id = own[0].clone();
    other_id["id"] = json!("rs_A");
    let idless = json!({"type": "reasoning", "summary": [], "encrypted_content": "gAAAxyz="});
    let mut typed = own[0].clone();
    typed["encrypted_content"] = json!({});
    let of = |item: &Value| format!("for item {}", id(item));
    let organisation = "Encrypted content organization_id did not match the target organization.";
    vec![
        row(
            "E12.1",
            "reported",
            asked(&ask(&cut, &own[1])),
            400,
            not_verified(&of(&own[0]), unreadable),
        ),
        row(
            "E12.2",
            "reported",
            asked(&ask(&foreign[0], &foreign[1])),
            400,
            not_verified(&of(&foreign[0]), organisation),
        ),
        row(
            "E12.3",
            "reported",
            asked(&ask(&other_id, &without(&own[1], "id"))),
            400,
            not_verified(
                "for item rs_A",
                "Encrypted content item_id did not match the target item id.",
            ),
        ),
        row(
            "E12.1",
            "reported",
            asked(&ask(&idless, &without(&own[1], "id"))),
            400,
            not_verified("gAAA...xyz=", unreadable),
        ),
        row(
            "E13",
            "reported",
            asked(&ask(&typed, &own[1])),
            400,
            error(
                "Invalid type for 'input[1].encrypted_content': expected a string, but got an object instead.",
                Some("input[1].encrypted_content"),
                Some("invalid_type"),
            ),
        ),
    ]
}

/// A server that says E12 in its older form.
fn older_words() -> Session {
    let mut profile = Profile::openai();
    Switch::parse("token-refusal=short")
        .expect("a switch")
        .apply(&mut profile);
    Session::new(FakeConfig {
        profile,
        ..FakeConfig::default()
    })
}

/// The spellings of one fault on another route, and of a compaction.
pub(crate) fn encrypted_elsewhere() -> Vec<Row> {
    let compaction = json!({"type": "compaction", "id": "cmp_A", "encrypted_content": "gAAAxyz="});
    let typed = json!({"type": "reasoning", "id": "rs_A", "summary": [], "encrypted_content": {}});
    let foreign = json!({"type": "reasoning", "id": "rs_A", "summary": [], "encrypted_content": "gAAAAxyz="});
    let tagged =
        json!({"model": "gpt-5.6", "store": false, "instructions": "i", "input": [user("x"), typed]});
    vec![
        row(
            "E12",
            "reported",
            create(&mut older_words(), &input(&[&foreign, &user("y")])),
            400,
            error(
                "The encrypted content gAAA...xyz= could not be verified.",
                None,
                Some("invalid_encrypted_content"),
            ),
        ),
        row(
            "E12.4",
            "reported",
            asked(&input(&[&compaction, &user("y")])),
            400,
            error(
                "The encrypted content for item cmp_A could not be verified. Reason: Encrypted content could not be decrypted or parsed.",
                None,
                Some("invalid_encrypted_content"),
            ),
        ),
        row(
            "E13",
            "reported",
            create(&mut session_of("codex-backend"), &tagged),
            400,
            error(
                "[LargeStringParam] [input[1].encrypted_content] [invalid_type] Invalid type for 'input[1].encrypted_content': expected a string, but got an object instead.",
                Some("input[1].encrypted_content"),
                Some("invalid_request_error"),
            ),
        ),
    ]
}

/// What `include` may ask for.
pub(crate) fn includes() -> Vec<Row> {
    vec![
        row(
            "E14",
            "reported",
            asked(&json!({"model": "gpt-4o", "input": "x", "include": ["reasoning.encrypted_content"]})),
            400,
            error(
                "Encrypted content is not supported with this model.",
                Some("include"),
                None,
            ),
        ),
        row(
            "E14",
            "measured",
            asked(&json!({"model": "gpt-5.6", "input": "x", "include": ["message.output_text.logprobs"]})),
            400,
            error(
                "logprobs are not supported with reasoning models.",
                Some("include"),
                Some("unsupported_parameter"),
            ),
        ),
        row(
            "E14",
            "measured",
            asked(&json!({"model": "gpt-5.6", "input": "x", "include": ["nope"]})),
            400,
            error(
                "Invalid value: 'nope'. Supported values are: 'file_search_call.results', 'web_search_call.results', 'web_search_call.action.sources', 'message.input_image.image_url', 'computer_call_output.output.image_url', 'code_interpreter_call.outputs', 'reasoning.encrypted_content', and 'message.output_text.logprobs'.",
                Some("include[0]"),
                Some("invalid_value"),
            ),
        ),
    ]
}
