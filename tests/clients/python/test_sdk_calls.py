"""openai-python as a program uses it: its streams, its parser, its polling, its conversations, its socket."""

from __future__ import annotations

import time
from typing import Any

import openai
import pytest
from openai import OpenAI
from openai.lib.streaming.responses import ResponseStreamEvent
from pydantic import BaseModel

from conftest import binary
from serving import Served, serve

MODEL = "gpt-5.6"
# Background runs go on with each poll, so a run is over after a few.
POLLS_MAX = 10


class Step(BaseModel):
    """One step of a plan."""

    title: str
    days: int


class Plan(BaseModel):
    """What the model is asked for."""

    steps: list[Step]
    risk: float


class Lookup(BaseModel):
    """Arguments of a tool."""

    key: str


@pytest.fixture(scope="module")
def served():
    """One server for this file."""
    with serve(binary()) as server:
        yield server


def client(served: Served, name: str, **setup: Any) -> OpenAI:
    """A client of a session of its own."""
    return OpenAI(base_url=served.session(name, **setup), api_key="sk-test", max_retries=0)


def test_stream_accumulates_what_create_returns(served):
    sdk = client(served, "stream")
    with sdk.responses.stream(model=MODEL, input="Plan.", reasoning={"effort": "low", "summary": "auto"}) as stream:
        seen: list[ResponseStreamEvent] = list(stream)
        final = stream.get_final_response()
    text = "".join(event.delta for event in seen if event.type == "response.output_text.delta")
    assert text == final.output_text != ""
    assert [item.type for item in final.output] == ["reasoning", "message"]
    assert final.output[0].summary
    stored = sdk.responses.retrieve(final.id)
    assert stored.output_text == final.output_text


def test_stream_parses_arguments_and_text(served):
    replies = [["reasoning", {"call": {"name": "Lookup"}}], ["reasoning", "message"]]
    sdk = client(served, "stream-parse", replies=replies)
    tools = [openai.pydantic_function_tool(Lookup)]
    flat = [{"type": "function", **tool["function"]} for tool in tools]
    with sdk.responses.stream(model=MODEL, input="Plan.", tools=flat, text_format=Plan) as stream:
        first = stream.get_final_response()
    call = first.output[1]
    assert call.type == "function_call"
    Lookup.model_validate_json(call.arguments)
    output = {"type": "function_call_output", "call_id": call.call_id, "output": "42"}
    with sdk.responses.stream(
        model=MODEL, input=[output], previous_response_id=first.id, tools=flat, text_format=Plan
    ) as stream:
        second = stream.get_final_response()
    assert isinstance(second.output_parsed, Plan)


def test_parse_gives_what_was_asked_for(served):
    parsed = client(served, "parse").responses.parse(model=MODEL, input="Plan.", text_format=Plan)
    assert isinstance(parsed.output_parsed, Plan)


def test_an_incomplete_stream_has_no_final_response(served):
    """tests/facts/streaming.md section 10: the accumulator wants `response.completed`."""
    sdk = client(served, "incomplete", replies=[[{"message": "Long"}, {"end": {"incomplete": "max_output_tokens"}}]])
    with sdk.responses.stream(model=MODEL, input="Plan.") as stream, pytest.raises(RuntimeError, match="completed"):
        stream.get_final_response()


def test_a_failure_in_a_stream_is_raised(served):
    sdk = client(served, "failed", replies=[[{"message": "Part"}, {"end": {"failed": "server_error"}}]])
    with pytest.raises(openai.APIError):
        list(sdk.responses.create(model=MODEL, input="Plan.", stream=True))


def test_a_background_run_is_polled_to_its_end(served):
    sdk = client(served, "background")
    response = sdk.responses.create(model=MODEL, input="Plan.", background=True)
    seen = [response.status]
    for _ in range(POLLS_MAX):
        if response.status not in ("queued", "in_progress"):
            break
        time.sleep(0.01)
        response = sdk.responses.retrieve(response.id)
        seen.append(response.status)
    assert seen == ["queued", "in_progress", "completed"]
    assert response.output_text


def test_a_background_stream_is_resumed(served):
    sdk = client(served, "resumed")
    whole = []
    with sdk.responses.create(model=MODEL, input="Plan.", background=True, stream=True) as stream:
        for event in stream:
            whole.append(event)
    response_id = whole[0].response.id
    rest = list(sdk.responses.retrieve(response_id, stream=True, starting_after=3))
    assert [event.sequence_number for event in rest] == [event.sequence_number for event in whole[4:]]
    assert rest[-1].response.output_text == whole[-1].response.output_text


def test_conversations_are_made_read_changed_and_deleted(served):
    sdk = client(served, "conversations")
    made = sdk.conversations.create(items=[{"type": "message", "role": "user", "content": "Hello."}])
    response = sdk.responses.create(model=MODEL, input="Plan.", conversation=made.id)
    assert response.conversation.id == made.id
    listed = list(sdk.conversations.items.list(made.id, order="asc", limit=2))
    assert [item.type for item in listed] == ["message", "message", "reasoning", "message"]
    one = sdk.conversations.items.retrieve(listed[0].id, conversation_id=made.id)
    assert one.content[0].text == "Hello."
    added = sdk.conversations.items.create(made.id, items=[{"role": "user", "content": "More."}])
    assert len(added.data) == 1
    assert sdk.conversations.update(made.id, metadata={"a": "b"}).metadata == {"a": "b"}
    sdk.conversations.items.delete(listed[0].id, conversation_id=made.id)
    assert sdk.conversations.delete(made.id).deleted
    with pytest.raises(openai.NotFoundError):
        sdk.conversations.retrieve(made.id)


def test_refusals_have_the_class_of_their_status(served):
    sdk = client(served, "refusals")
    with pytest.raises(openai.BadRequestError) as refused:
        sdk.responses.create(model=MODEL, input="x", previous_response_id="resp_none")
    assert refused.value.code == "previous_response_not_found"
    assert refused.value.param == "previous_response_id"
    with pytest.raises(openai.NotFoundError):
        sdk.responses.retrieve("resp_none")


def test_the_sdks_own_socket_continues_what_is_not_stored(served):
    sdk = client(served, "socket")
    with sdk.responses.connect() as connection:
        ids = []
        for question in ("Plan.", "And then?"):
            more = {"previous_response_id": ids[-1]} if ids else {}
            connection.response.create(model=MODEL, store=False, input=question, **more)
            for event in connection:
                if event.type == "response.completed":
                    ids.append(event.response.id)
                    break
                assert event.type != "error", event
    assert len(set(ids)) == 2
    exchanges = served.recording("socket")
    assert [exchange["transport"] for exchange in exchanges] == ["ws", "ws"]
    assert served.finish("socket")["findings"] == []
