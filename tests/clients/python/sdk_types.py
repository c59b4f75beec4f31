"""Holds bodies and events against the SDK's own pydantic types.

The SDK itself never does this: it builds its objects without validation, so that a server which sends nonsense is not
noticed. Here a member of a wrong type, or one that is missing, is an error.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx2
from openai.types.responses import Response, ResponsesServerEvent, ResponseStreamEvent
from pydantic import BaseModel, TypeAdapter, ValidationError
from websockets.sync.client import connect

EVENT: TypeAdapter[Any] = TypeAdapter(ResponseStreamEvent)
# What a server sends over a WebSocket.
FRAME: TypeAdapter[Any] = TypeAdapter(ResponsesServerEvent)
ENDS = ("response.completed", "response.incomplete", "response.failed", "response.steer.failed")
KEY = {"authorization": "Bearer sk-test"}


# Where traffic of the real API, as tests/facts has it, is not what the types of this version say. There the traffic wins.
UNTYPED_EVENTS = {
    # tests/facts/streaming.md section 7, apply_patch.
    "response.apply_patch_call_operation_diff.delta",
    "response.apply_patch_call_operation_diff.done",
}
ABSENT_MEMBERS = {
    # tests/facts/streaming.md section 7, Web search: `added` holds id, type and status.
    "ResponseOutputItemAddedEvent.item.ResponseFunctionWebSearch.action: Field required",
    "ResponseOutputItemWsAdded.item.ResponseFunctionWebSearch.action: Field required",
}


class Mismatch(AssertionError):
    """Something that the SDK's types do not allow."""


def check(kind: Any, value: Any, what: str) -> Any:
    """The value as this type."""
    adapter = kind if isinstance(kind, TypeAdapter) else TypeAdapter(kind)
    try:
        return adapter.validate_python(value)
    except ValidationError as error:
        found = problems(error)
        if what in UNTYPED_EVENTS or (found and ABSENT_MEMBERS.issuperset(found)):
            return value
        raise Mismatch(f"{what}: {found or 'no type is meant for it'}") from None


def problems(error: ValidationError) -> list[str]:
    """What is wrong, without the members of a union that were never meant: those whose `type` is another one."""
    found = [(tuple(map(str, item["loc"])), item["msg"], item["type"]) for item in error.errors()]
    others = {place[:-1] for place, _, kind in found if place[-1] in ("type", "role") and kind == "literal_error"}
    meant = [
        (place, message) for place, message, _ in found if not any(place[: len(other)] == other for other in others)
    ]
    return [f"{'.'.join(place)}: {message}" for place, message in meant]


def unknown_members(model: Any, path: str = "") -> Iterator[str]:
    """Members that the types do not name, anywhere in a checked value."""
    if isinstance(model, BaseModel):
        yield from (f"{path}{name}" for name in model.model_extra or {})
        for name in type(model).model_fields:
            yield from unknown_members(getattr(model, name), f"{path}{name}.")
    elif isinstance(model, list):
        for entry in model:
            yield from unknown_members(entry, path)


def body(base_url: str, method: str, path: str, kind: Any, content: Any = None) -> dict[str, Any]:
    """The body of one answer, checked."""
    answer = httpx2.request(method, f"{base_url}{path}", headers=KEY, json=content, timeout=60)
    assert answer.status_code == 200, f"{method} {path}: {answer.status_code} {answer.text}"
    value = answer.json()
    check(kind, value, f"{method} {path}")
    return value


def events(base_url: str, path: str, content: Any = None) -> list[dict[str, Any]]:
    """The events of one stream, each checked."""
    found = unchecked(base_url, path, content)
    for event in found:
        check(EVENT, event, event["type"])
    return found


def unchecked(base_url: str, path: str, content: Any = None) -> list[dict[str, Any]]:
    """The events of one stream."""
    method = "GET" if content is None else "POST"
    with httpx2.stream(method, f"{base_url}{path}", headers=KEY, json=content, timeout=60) as answer:
        assert answer.status_code == 200, f"{method} {path}: {answer.status_code}"
        return [json.loads(line[6:]) for line in answer.iter_lines() if line.startswith("data: ")]


def frames(base_url: str, contents: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """The frames of each request over one WebSocket, each checked."""
    url = f"{base_url}/responses".replace("http://", "ws://")
    found = []
    with connect(url, additional_headers=KEY, max_size=None, proxy=None) as socket:
        for content in contents:
            socket.send(json.dumps({"type": "response.create", **content}))
            answer: list[dict[str, Any]] = []
            while not answer or not is_end(answer[-1]):
                answer.append(json.loads(socket.recv(timeout=60)))
                check(FRAME, answer[-1], answer[-1]["type"])
            found.append(answer)
    return found


def is_end(frame: dict[str, Any]) -> bool:
    """Whether an answer is over: a refusal is one frame, which has a status."""
    return frame["type"] in ENDS or (frame["type"] == "error" and "status" in frame)


def create(base_url: str, content: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """One request, plain and streamed, both checked: the response and the events."""
    plain = body(base_url, "POST", "/responses", Response, content)
    return plain, events(base_url, "/responses", {**content, "stream": True})
