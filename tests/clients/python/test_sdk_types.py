"""Every body and event that Holdover sends, held against the types of openai-python."""

from __future__ import annotations

from typing import Any

import pytest
from openai.types import Model
from openai.types.conversations import Conversation, ConversationDeletedResource, ConversationItem, ConversationItemList
from openai.types.responses import CompactedResponse, InputTokenCountResponse, Response, ResponseItemList

import sdk_types
from conftest import binary
from sdk_types import body, check, create, events, unknown_members
from serving import Served, serve

MODEL = "gpt-5.6"
FUNCTION = {
    "type": "function",
    "name": "lookup",
    "strict": True,
    "parameters": {
        "type": "object",
        "properties": {"key": {"type": "string"}},
        "required": ["key"],
        "additionalProperties": False,
    },
}
SCHEMA = {
    "format": {
        "type": "json_schema",
        "name": "plan",
        "strict": True,
        "schema": {
            "type": "object",
            "properties": {"steps": {"type": "array", "items": {"type": "string"}}, "days": {"type": "integer"}},
            "required": ["steps", "days"],
            "additionalProperties": False,
        },
    }
}
CITED = {
    "type": "message",
    "role": "assistant",
    "content": [
        {
            "type": "output_text",
            "text": "It is 133 m tall (example.org).",
            "logprobs": [],
            "annotations": [
                {"type": "url_citation", "start_index": 18, "end_index": 29, "title": "T", "url": "https://example.org"}
            ],
        }
    ],
}

# What the model says, and what its request holds beside the question. Hosted items have the forms of
# tests/facts/streaming.md section 7 with the members that the SDK's types require.
REPLIES: dict[str, tuple[list[Any], dict[str, Any]]] = {
    "text": (["message"], {}),
    "reasoning": (["reasoning", "message"], {"include": ["reasoning.encrypted_content"], "store": False}),
    "summary": (
        [{"reasoning": {"summary": ["First.", "Second."]}}, "message"],
        {"reasoning": {"effort": "low", "summary": "auto"}},
    ),
    "two reasoning items": (["reasoning", {"call": {"name": "lookup"}}, "reasoning", "message"], {"tools": [FUNCTION]}),
    "phases": ([{"message": {"text": "Wait.", "phase": "commentary"}}, "message"], {}),
    "function calls": ([{"call": {"name": "lookup"}}, {"call": {"name": "lookup"}}], {"tools": [FUNCTION]}),
    "custom call": (
        [{"custom-call": {"name": "apply", "input": "*** Begin"}}],
        {"tools": [{"type": "custom", "name": "apply"}]},
    ),
    "refusal": ([{"refusal": "I will not."}], {}),
    "structured output": (["message"], {"text": SCHEMA}),
    "log probabilities": (
        ["message"],
        {"include": ["message.output_text.logprobs"], "top_logprobs": 2, "model": "gpt-4.1"},
    ),
    "incomplete text": ([{"message": "A long story"}, {"end": {"incomplete": "max_output_tokens"}}], {}),
    "incomplete reasoning": (["reasoning", {"end": {"incomplete": "max_output_tokens"}}], {}),
    "filtered": ([{"message": "A story"}, {"end": {"incomplete": "content_filter"}}], {}),
    "web search": (
        [
            "reasoning",
            {"item": {"type": "web_search_call", "action": {"type": "search", "query": "q", "queries": ["q"]}}},
            {"item": CITED},
        ],
        {"tools": [{"type": "web_search"}]},
    ),
    "file search": ([{"item": {"type": "file_search_call", "queries": ["q"], "results": None}}, "message"], {}),
    "code interpreter": (
        [
            {
                "item": {
                    "type": "code_interpreter_call",
                    "code": "print(1)",
                    "container_id": "cntr_1",
                    "outputs": [{"type": "logs", "logs": "1"}],
                }
            },
            "message",
        ],
        {"include": ["code_interpreter_call.outputs"]},
    ),
    "mcp": (
        [
            {"item": {"type": "mcp_list_tools", "server_label": "s", "tools": [{"name": "t", "input_schema": {}}]}},
            {"item": {"type": "mcp_call", "arguments": '{"a":1}', "name": "t", "server_label": "s", "output": "ok"}},
            "message",
        ],
        {},
    ),
    "mcp approval": (
        [{"item": {"type": "mcp_approval_request", "arguments": "{}", "name": "t", "server_label": "s"}}],
        {},
    ),
    "image": (
        [{"item": {"type": "image_generation_call", "result": "aGk=", "quality": "low", "size": "1024x1024"}}],
        {"tools": [{"type": "image_generation", "partial_images": 2}]},
    ),
    "shell": (
        [
            {
                "item": {
                    "type": "shell_call",
                    "call_id": "call_1",
                    "environment": None,
                    "action": {"commands": ["ls"], "max_output_length": None, "timeout_ms": None},
                }
            }
        ],
        {},
    ),
    "local shell": (
        [{"item": {"type": "local_shell_call", "call_id": "call_1", "action": {"type": "exec", "command": ["ls"], "env": {}}}}],
        {},
    ),
    "patch": (
        [
            {
                "item": {
                    "type": "apply_patch_call",
                    "call_id": "call_1",
                    "operation": {"type": "update_file", "path": "a", "diff": "@@ -1 +1 @@"},
                }
            }
        ],
        {},
    ),
    "tool search": (
        [
            {"item": {"type": "tool_search_call", "arguments": {"query": "q"}, "call_id": None, "execution": "server"}},
            {"item": {"type": "tool_search_output", "call_id": None, "execution": "server", "tools": [FUNCTION]}},
            "message",
        ],
        {},
    ),
}


@pytest.fixture(scope="module")
def served():
    """One server for this file."""
    with serve(binary()) as server:
        yield server


def asked(served: Served, name: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """One reply of the table, plain and streamed, with every type checked."""
    reply, members = REPLIES[name]
    session = name.replace(" ", "-")
    base_url = served.session(session, replies=[reply, reply])
    return create(base_url, {"model": MODEL, "input": "Plan the migration.", **members})


def split(output: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Messages of the user, and everything else."""
    users = [item for item in output if item.get("role") == "user"]
    return users, [item for item in output if item not in users]


@pytest.mark.parametrize("name", REPLIES)
def test_every_reply_has_the_sdks_types(served, name):
    plain, streamed = asked(served, name)
    terminal = streamed[-1]["response"]
    assert [item["type"] for item in plain["output"]] == [item["type"] for item in terminal["output"]]
    assert plain["status"] == terminal["status"]


@pytest.mark.parametrize("name", REPLIES)
def test_every_frame_has_the_sdks_types(served, name):
    """The same over a WebSocket, where the events are the frames."""
    reply, members = REPLIES[name]
    base_url = served.session(f"ws-{name.replace(' ', '-')}", replies=[reply])
    [found] = sdk_types.frames(base_url, [{"model": MODEL, "input": "Plan the migration.", **members}])
    assert found[-1]["response"]["output"], found[-1]
    assert [frame["sequence_number"] for frame in found] == list(range(len(found)))


def test_every_other_frame_has_the_sdks_types(served):
    """A continuation, a warm-up, a failure, and refusals."""
    failed = ["reasoning", {"message": "Part"}, {"end": {"failed": "server_error"}}]
    base_url = served.session("ws-others", replies=[["reasoning", "message"], failed])
    turn = {"model": MODEL, "input": "x", "store": False}
    warm, first, fails, gone, nonsense = sdk_types.frames(
        base_url,
        [
            {**turn, "generate": False},
            turn,
            turn,
            {**turn, "previous_response_id": "resp_none"},
            {**turn, "nonsense": 1},
        ],
    )
    assert [warm[-1]["type"], first[-1]["type"]] == ["response.completed"] * 2
    assert fails[-1]["type"] in ("response.failed", "error")
    assert gone[-1]["error"]["code"] == "previous_response_not_found"
    assert nonsense[-1]["error"]["code"] == "unknown_parameter"


# Members that Holdover sends and the types of this version do not name; each was seen in traffic of the real API.
NEWER = {
    # tests/facts/streaming.md section 4: every delta of 2026 has it, also where the types do not say so.
    "obfuscation",
    # tests/facts/endpoints.md, "The `response` object", and every example of one.
    "store",
    "frequency_penalty",
    "presence_penalty",
}


@pytest.mark.parametrize("name", ["text", "summary", "function calls", "web search"])
def test_members_that_the_types_do_not_name_are_listed(served, name):
    _, streamed = asked(served, name)
    unknown = set()
    for event in streamed:
        unknown.update(unknown_members(check(sdk_types.EVENT, event, event["type"])))
    assert {path.rsplit(".", 1)[-1] for path in unknown} <= NEWER


@pytest.mark.parametrize("shape", ["flat", "nested"])
def test_a_failure_is_an_error_and_a_failed_response(served, shape):
    """The types are flat, captured traffic is nested (tests/facts/streaming.md section 8): the default is nested."""
    reply = ["reasoning", {"message": "Part"}, {"end": {"failed": "server_error"}}]
    base_url = served.session(f"failed-{shape}", replies=[reply], switches={"error-event": shape})
    content = {"model": MODEL, "input": "x", "stream": True}
    found = sdk_types.unchecked(base_url, "/responses", content)
    error, failed = found[-2:]
    if shape == "nested":
        error = {**error.pop("error"), **error, "type": "error"}
    check(sdk_types.EVENT, error, "error")
    check(sdk_types.EVENT, failed, "response.failed")
    assert (error["type"], failed["type"]) == ("error", "response.failed")


def test_a_value_of_a_wrong_type_is_noticed():
    """The check itself: without it the tests above would prove nothing."""
    event = {"type": "response.output_text.delta", "delta": 7, "item_id": "msg_1", "output_index": 0}
    with pytest.raises(sdk_types.Mismatch):
        check(sdk_types.EVENT, event, "a delta")


def test_stored_responses_have_the_sdks_types(served):
    base_url = served.session("stored")
    first = body(base_url, "POST", "/responses", Response, {"model": MODEL, "input": "Plan."})
    path = f"/responses/{first['id']}"
    body(base_url, "GET", f"{path}?include[]=reasoning.encrypted_content", Response)
    body(base_url, "GET", f"{path}/input_items", ResponseItemList)
    body(base_url, "POST", "/responses/input_tokens", InputTokenCountResponse, {"model": MODEL, "input": "Plan."})
    compact = {"model": MODEL, "previous_response_id": first["id"]}
    compacted = body(base_url, "POST", "/responses/compact", dict, compact)
    # The real API sends the user's messages too (tests/facts/state.md, Compaction A), which the types do not know there.
    users, rest = split(compacted["output"])
    assert [item["content"][0]["text"] for item in users] == ["Plan."]
    check(CompactedResponse, {**compacted, "output": rest}, "a compaction")
    background = body(
        base_url, "POST", "/responses", Response, {"model": MODEL, "input": "x", "background": True}
    )
    assert background["status"] == "queued"
    cancelled = body(base_url, "POST", f"/responses/{background['id']}/cancel", Response)
    assert cancelled["status"] == "cancelled"
    body(base_url, "GET", f"/models/{MODEL}", Model)


def test_a_background_stream_is_resumed_where_it_was_left(served):
    base_url = served.session("resumed")
    content = {"model": MODEL, "input": "x", "background": True, "stream": True}
    found = events(base_url, "/responses", content)
    assert [event["type"] for event in found[:3]] == ["response.created", "response.queued", "response.in_progress"]
    path = f"/responses/{found[0]['response']['id']}"
    rest = events(base_url, f"{path}?stream=true&starting_after=4")
    assert rest == found[5:]


def test_conversations_have_the_sdks_types(served):
    base_url = served.session("conversations")
    item = {"type": "message", "role": "user", "content": "Hello."}
    made = body(base_url, "POST", "/conversations", Conversation, {"items": [item], "metadata": {"a": "b"}})
    path = f"/conversations/{made['id']}"
    turn = {"model": MODEL, "input": "Plan.", "conversation": made["id"]}
    body(base_url, "POST", "/responses", Response, turn)
    body(base_url, "GET", path, Conversation)
    body(base_url, "POST", path, Conversation, {"metadata": {"a": "c"}})
    listed = body(base_url, "GET", f"{path}/items?order=asc", ConversationItemList)
    kinds = [entry["type"] for entry in listed["data"]]
    assert kinds == ["message", "message", "reasoning", "message"]
    body(base_url, "POST", f"{path}/items", ConversationItemList, {"items": [item]})
    body(base_url, "GET", f"{path}/items/{listed['data'][0]['id']}", ConversationItem)
    body(base_url, "DELETE", f"{path}/items/{listed['data'][0]['id']}", Conversation)
    body(base_url, "DELETE", path, ConversationDeletedResource)
