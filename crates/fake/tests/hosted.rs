//! Hosted tools and those of a form of their own: orders and forms of `tests/facts/streaming.md` section 7.

mod common;

use common::golden::{message, names, numbers_from, pasted, reply, request, same_stream};
use common::{create, events, example_events, session};
use holdover_wire::ReplyPart;
use serde_json::{Value, json};

fn said(parts: impl Into<Vec<ReplyPart>>, body: &Value) -> Vec<Value> {
    let mut session = session();
    session.script(vec![reply(parts)]);
    let stream = events(&create(&mut session, body));
    numbers_from(&stream, 0);
    stream
}

fn with(name: &str, value: Value) -> Value {
    let mut body = request();
    body[name] = value;
    body
}

/// The events between `in_progress` and the terminal one.
fn middle(stream: &[Value]) -> Vec<String> {
    let names = names(stream);
    names[2..names.len() - 1].to_vec()
}

fn form<'a>(stream: &'a [Value], event: &str) -> &'a Value {
    let found = stream.iter().find(|found| found["type"] == event);
    &found.expect("an event")["item"]
}

fn added(stream: &[Value]) -> &Value {
    form(stream, "response.output_item.added")
}

fn done(stream: &[Value]) -> &Value {
    form(stream, "response.output_item.done")
}

fn without(item: &Value, names: &[&str]) -> Value {
    let mut item = item.clone();
    for name in names {
        item.as_object_mut().expect("object").shift_remove(*name);
    }
    item
}

#[test]
fn a_web_search_is_that_of_example_17() {
    let expected = example_events("17_web_search_stream.sse");
    let output = expected.last().expect("a terminal event")["response"]["output"].clone();
    let parts = [
        ReplyPart::Reasoning { summary: None },
        pasted(&without(&output[1], &["id", "status"])),
        pasted(&without(&output[2], &["id"])),
    ];
    let tools = json!([{"type": "web_search"}]);
    let actual = said(parts, &with("tools", tools));
    same_stream(&actual, &expected);
    // The citation is one delta, and its annotation comes right after it.
    let deltas = |stream: &[Value]| -> Vec<Value> {
        let place = |event: &&Value| event["type"] == "response.output_text.annotation.added";
        let at = stream
            .iter()
            .position(|event| place(&event))
            .expect("an annotation");
        vec![stream[at - 1]["delta"].clone(), stream[at + 1]["delta"].clone()]
    };
    assert_eq!(deltas(&actual), deltas(&expected));
    let terminal = &actual.last().expect("a terminal event")["response"];
    assert_eq!(terminal["tool_usage"]["web_search"]["num_requests"], 1);
    let item = &terminal["output"][1];
    assert_eq!(without(item, &["id"]), without(&output[1], &["id"]));
}

/// `tests/facts/endpoints.md`, `max_tool_calls`.
#[test]
fn built_in_calls_beyond_the_limit_are_ignored() {
    let search = json!({"type": "web_search_call", "action": {"type": "search", "query": "q"}});
    let files = json!({"type": "file_search_call", "queries": ["q"], "results": null});
    let own = json!({"type": "function_call", "name": "t", "arguments": "{}", "call_id": "call_1"});
    let parts = || {
        [
            pasted(&search),
            pasted(&files),
            pasted(&search),
            pasted(&own),
            message("x"),
        ]
    };
    let kinds = |stream: &[Value]| -> Vec<String> {
        let output = &stream.last().expect("a terminal event")["response"]["output"];
        let items = output.as_array().expect("items").iter();
        items
            .map(|item| item["type"].as_str().unwrap_or("?").to_owned())
            .collect()
    };
    let all = kinds(&said(parts(), &request()));
    assert_eq!(all.len(), 5);
    let limited = kinds(&said(parts(), &with("max_tool_calls", json!(2))));
    assert_eq!(
        limited,
        ["web_search_call", "file_search_call", "function_call", "message"]
    );
}

#[test]
fn sources_and_results_are_shown_when_they_are_included() {
    let search = json!({"type": "web_search_call", "action": {"type": "search", "query": "q", "sources": [{"type": "url", "url": "https://example.org"}]}});
    let files = json!({"type": "file_search_call", "queries": ["q"], "results": [{"file_id": "file-1", "filename": "a", "score": 0.5, "attributes": {}, "text": "t"}]});
    for (item, include) in [
        (&search, "web_search_call.action.sources"),
        (&files, "file_search_call.results"),
    ] {
        let hidden = said([pasted(item)], &request());
        let shown = said([pasted(item)], &with("include", json!([include])));
        assert_ne!(done(&hidden), done(&shown), "{include}");
        assert_eq!(without(done(&shown), &["id", "status"]), *item, "{include}");
    }
}

#[test]
fn a_file_search_begins_without_queries() {
    let item = json!({"type": "file_search_call", "queries": ["q"], "results": null});
    let stream = said([pasted(&item)], &request());
    assert_eq!(
        middle(&stream),
        [
            "output_item.added",
            "file_search_call.in_progress",
            "file_search_call.searching",
            "file_search_call.completed",
            "output_item.done"
        ]
    );
    assert_eq!(added(&stream)["queries"], json!([]));
    assert_eq!(done(&stream)["queries"], json!(["q"]));
    assert_eq!(done(&stream)["status"], "completed");
}

#[test]
fn a_code_interpreter_writes_its_code_before_it_interprets() {
    let item = json!({"type": "code_interpreter_call", "code": "print(1)", "container_id": "cntr_1", "outputs": [{"type": "logs", "logs": "1"}]});
    let stream = said(
        [pasted(&item)],
        &with("include", json!(["code_interpreter_call.outputs"])),
    );
    assert_eq!(
        middle(&stream),
        [
            "output_item.added",
            "code_interpreter_call.in_progress",
            "code_interpreter_call_code.delta",
            "code_interpreter_call_code.done",
            "code_interpreter_call.interpreting",
            "code_interpreter_call.completed",
            "output_item.done"
        ]
    );
    assert_eq!(
        (&added(&stream)["code"], &added(&stream)["outputs"]),
        (&json!(""), &json!([]))
    );
    let stream = said([pasted(&item)], &request());
    assert_eq!(
        (&added(&stream)["outputs"], &done(&stream)["outputs"]),
        (&Value::Null, &Value::Null)
    );
}

#[test]
fn mcp_lists_calls_and_asks() {
    let list = json!({"type": "mcp_list_tools", "server_label": "s", "tools": [{"name": "t"}]});
    let call = json!({"type": "mcp_call", "arguments": "{\"a\":1}", "name": "t", "server_label": "s", "output": "ok"});
    let ask = json!({"type": "mcp_approval_request", "arguments": "{}", "name": "t", "server_label": "s"});
    let stream = said([pasted(&list)], &request());
    assert_eq!(
        middle(&stream),
        [
            "output_item.added",
            "mcp_list_tools.in_progress",
            "mcp_list_tools.completed",
            "output_item.done"
        ]
    );
    assert_eq!(
        (&added(&stream)["tools"], added(&stream).get("status")),
        (&json!([]), None)
    );
    let stream = said([pasted(&call)], &request());
    assert_eq!(
        middle(&stream),
        [
            "output_item.added",
            "mcp_call.in_progress",
            "mcp_call_arguments.delta",
            "mcp_call_arguments.done",
            "mcp_call.completed",
            "output_item.done"
        ]
    );
    let delta = stream
        .iter()
        .find(|event| event["type"] == "response.mcp_call_arguments.delta")
        .expect("a delta");
    assert_eq!(
        (&delta["delta"], &delta["obfuscation"]),
        (&json!("{\"a\":1}"), &json!(""))
    );
    assert_eq!(
        (&added(&stream)["output"], &added(&stream)["error"]),
        (&Value::Null, &Value::Null)
    );
    let mut failed = call.clone();
    failed["error"] = json!({"type": "http_error", "code": 500, "message": "no"});
    let stream = said([pasted(&failed)], &request());
    assert!(middle(&stream).contains(&"mcp_call.failed".to_owned()));
    assert_eq!(done(&stream)["status"], "failed");
    let stream = said([pasted(&ask)], &request());
    assert_eq!(middle(&stream), ["output_item.added", "output_item.done"]);
    assert_eq!(added(&stream), done(&stream));
}

#[test]
fn an_image_comes_in_parts_where_they_are_asked_for() {
    let item = json!({"type": "image_generation_call", "result": "aGk=", "revised_prompt": "p", "size": "1024x1024", "quality": "low", "background": "opaque", "output_format": "png"});
    let tools = json!([{"type": "image_generation", "partial_images": 2}]);
    let stream = said([pasted(&item)], &with("tools", tools));
    assert_eq!(
        middle(&stream),
        [
            "output_item.added",
            "image_generation_call.in_progress",
            "image_generation_call.generating",
            "image_generation_call.partial_image",
            "image_generation_call.completed",
            "output_item.done"
        ]
    );
    let parts: Vec<&Value> = stream
        .iter()
        .filter(|event| event["type"] == "response.image_generation_call.partial_image")
        .collect();
    let numbers: Vec<&Value> = parts.iter().map(|part| &part["partial_image_index"]).collect();
    assert_eq!(numbers, [0, 1]);
    assert_eq!(common::keys(added(&stream)), ["id", "type", "status"]);
    assert_eq!(done(&stream)["result"], "aGk=");
}

#[test]
fn a_hosted_shell_runs_commands_and_gives_output() {
    let call = json!({"type": "shell_call", "action": {"commands": ["ls", "pwd"], "max_output_length": null, "timeout_ms": null}});
    let output = json!({"type": "shell_call_output", "call_id": "call_1", "output": [{"stdout": "a", "stderr": "b", "outcome": {"type": "exit", "exit_code": 0}}], "max_output_length": null});
    let stream = said([pasted(&call), pasted(&output)], &request());
    let command = [
        "shell_call_command.added",
        "shell_call_command.delta",
        "shell_call_command.done",
    ];
    let mut expected = vec!["output_item.added"];
    expected.extend(command);
    expected.extend(command);
    expected.extend(["output_item.done", "output_item.added"]);
    expected.extend([
        "shell_call_output_content.delta",
        "shell_call_output_content.done",
    ]);
    expected.push("output_item.done");
    assert_eq!(middle(&stream), expected);
    assert_eq!(added(&stream)["action"]["commands"], json!([]));
    let begun = stream
        .iter()
        .find(|event| event["type"] == "response.shell_call_command.added")
        .expect("a command");
    assert_eq!(
        common::keys(begun),
        [
            "type",
            "command",
            "command_index",
            "output_index",
            "sequence_number"
        ]
    );
    let second = stream
        .iter()
        .rfind(|event| event["type"] == "response.output_item.added")
        .expect("an item");
    assert_eq!(
        (&second["item"]["status"], &second["item"]["output"]),
        (&json!("completed"), &json!([]))
    );
}

#[test]
fn a_patch_streams_its_diff_and_a_deletion_has_none() {
    let update = json!({"type": "apply_patch_call", "call_id": "call_1", "operation": {"type": "update_file", "path": "a", "diff": "@@ -1 +1 @@"}});
    let stream = said([pasted(&update)], &request());
    assert_eq!(
        middle(&stream),
        [
            "output_item.added",
            "apply_patch_call_operation_diff.delta",
            "apply_patch_call_operation_diff.done",
            "output_item.done"
        ]
    );
    assert_eq!(added(&stream)["operation"]["diff"], "");
    let delete = json!({"type": "apply_patch_call", "call_id": "call_1", "operation": {"type": "delete_file", "path": "a"}});
    let stream = said([pasted(&delete)], &request());
    assert_eq!(middle(&stream), ["output_item.added", "output_item.done"]);
}

#[test]
fn tool_search_programs_and_the_local_shell_have_two_events() {
    for (item, begins) in [
        (
            json!({"type": "local_shell_call", "action": {"type": "exec", "command": ["ls"], "env": {}}}),
            None,
        ),
        (
            json!({"type": "tool_search_call", "arguments": {"query": "q"}, "call_id": null, "execution": "server"}),
            Some(("arguments", json!({}))),
        ),
        (
            json!({"type": "tool_search_output", "call_id": null, "execution": "server", "tools": [{"type": "function"}]}),
            Some(("tools", json!([{"type": "function"}]))),
        ),
        (
            json!({"type": "program_output", "call_id": "call_1", "result": "42"}),
            Some(("result", json!(""))),
        ),
    ] {
        let stream = said([pasted(&item)], &request());
        assert_eq!(
            middle(&stream),
            ["output_item.added", "output_item.done"],
            "{item}"
        );
        if let Some((name, value)) = begins {
            assert_eq!(added(&stream)[name], value, "{item}");
        }
        assert_eq!(done(&stream)["status"], "completed", "{item}");
    }
}

#[test]
fn a_program_calls_tools_and_its_fingerprint_is_sealed_again() {
    let program = json!({"type": "program", "code": "await t()"});
    let nested = json!({"type": "function_call", "name": "t", "arguments": "{\"a\":1}", "call_id": "call_2", "caller": {"type": "program", "caller_id": "call_1"}});
    let stream = said([pasted(&program), pasted(&nested), message("x")], &request());
    let prints: Vec<&Value> = stream
        .iter()
        .filter(|event| event["item"]["type"] == "program")
        .map(|event| &event["item"]["fingerprint"])
        .collect();
    let terminal = &stream.last().expect("a terminal event")["response"]["output"];
    assert_ne!(prints[0], prints[1]);
    assert_ne!(prints[1], &terminal[0]["fingerprint"]);
    assert_eq!(done(&stream).get("status"), None);
    // A nested call is one delta, and is still open when it is done.
    let deltas = stream
        .iter()
        .filter(|event| event["type"] == "response.function_call_arguments.delta");
    assert_eq!(deltas.count(), 1);
    assert_eq!(terminal[1]["status"], "in_progress");
}

#[test]
fn a_get_shows_what_it_asks_to_include() {
    let files = json!({"type": "file_search_call", "queries": ["q"], "results": [{"file_id": "file-1"}]});
    let mut session = session();
    session.script(vec![reply([pasted(&files), message("x")])]);
    let created = common::ok(&create(&mut session, &json!({"model": "gpt-5.6", "input": "x"})));
    assert_eq!(created["output"][0]["results"], Value::Null);
    let path = format!("/v1/responses/{}", created["id"].as_str().expect("an id"));
    assert_eq!(common::ok(&common::get(&mut session, &path)), created);
    let asked = format!("{path}?include[]=file_search_call.results");
    let shown = common::ok(&common::get(&mut session, &asked));
    assert_eq!(shown["output"][0]["results"], files["results"]);
}
