"""openai-python on the chat wire of another provider: a tool loop, then a question, the right way or a wrong one."""

from __future__ import annotations

import sys
from typing import Any

from openai import BadRequestError, OpenAI

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "lookup",
            "parameters": {"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]},
        },
    }
]

Message = dict[str, Any]


def whole(client: OpenAI, model: str, messages: list[Message], tools: list[Message]) -> Message:
    """One answer in one piece, with every member that came."""
    answer = client.chat.completions.create(model=model, messages=messages, tools=tools)
    return answer.choices[0].message.model_dump(exclude_unset=True)


def streamed(client: OpenAI, model: str, messages: list[Message], tools: list[Message]) -> Message:
    """The same from its chunks; the SDK hands over members that it does not know as they came."""
    message: Message = {"role": "assistant", "content": "", "reasoning_content": ""}
    calls: dict[int, Message] = {}
    for chunk in client.chat.completions.create(model=model, messages=messages, tools=tools, stream=True):
        if not chunk.choices:
            continue
        delta = chunk.choices[0].delta
        message["content"] += delta.content or ""
        message["reasoning_content"] += (delta.model_extra or {}).get("reasoning_content") or ""
        for piece in delta.tool_calls or []:
            call = calls.setdefault(piece.index, {"type": "function", "function": {"name": "", "arguments": ""}})
            call["id"] = piece.id or call.get("id")
            call["function"]["name"] += piece.function.name or ""
            call["function"]["arguments"] += piece.function.arguments or ""
    if calls:
        message["tool_calls"] = list(calls.values())
    return message


def kept(message: Message, way: str) -> Message:
    """What the program puts into its history."""
    if way in ("right", "stream"):
        return message
    if way == "stripped":
        return {name: value for name, value in message.items() if name != "reasoning_content"}
    if way == "falsy":
        # A clean-up that means well: what is empty is left out, and what is long is shortened.
        return {name: value for name, value in message.items() if value} | {"reasoning_content": "(shortened)"}
    raise SystemExit(f"no such way: {way}")


def main(way: str, model: str) -> None:
    """Two questions with a tool between them."""
    client = OpenAI()
    ask = streamed if way == "stream" else whole
    messages: list[Message] = [{"role": "user", "content": "Please lookup the key."}]
    try:
        message = ask(client, model, messages, TOOLS)
        messages.append(kept(message, way))
        messages += [
            {"role": "tool", "tool_call_id": call["id"], "content": "42"} for call in message.get("tool_calls") or []
        ]
        messages.append(kept(ask(client, model, messages, TOOLS), way))
        messages.append({"role": "user", "content": "holdover:recall"})
        print(ask(client, model, messages, TOOLS)["content"])
    except BadRequestError as error:
        print(f"refused: {error.status_code} {error.body}")


if __name__ == "__main__":
    main(*sys.argv[1:])
