"""anthropic from PyPI: a tool loop, then a question, the right way or a wrong one."""

from __future__ import annotations

import sys
from typing import Any

from anthropic import Anthropic, BadRequestError

TOOLS = [
    {
        "name": "lookup",
        "input_schema": {"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]},
    }
]

Block = Any


def ask(client: Anthropic, way: str, model: str, messages: list[Any]) -> Any:
    """One answer as the SDK gives it, whole or put together from its events."""
    adaptive = {"type": "adaptive"}
    manual = {"type": "enabled", "budget_tokens": 1024}
    request: dict[str, Any] = {
        "model": model,
        "max_tokens": 4096,
        "messages": messages,
        "tools": TOOLS,
        "thinking": manual if "4-5" in model else adaptive,
    }
    if way == "stream":
        with client.messages.stream(**request) as stream:
            return stream.get_final_message()
    return client.messages.create(**request)


def kept(content: list[Block], way: str) -> list[Block]:
    """What the program puts into its history."""
    if way in ("right", "stream"):
        return content
    if way == "stripped":
        return [block for block in content if block.type != "thinking"]
    if way == "falsy":
        # A clean-up that means well: blocks without text are left out.
        return [block for block in content if block.type != "thinking" or block.thinking]
    if way == "trimmed":
        return [
            block if block.type != "thinking" else block.model_copy(update={"signature": block.signature[:-4]})
            for block in content
        ]
    raise SystemExit(f"no such way: {way}")


def main(way: str, model: str) -> None:
    """Two questions with a tool between them."""
    client = Anthropic(max_retries=0)
    messages: list[Any] = [{"role": "user", "content": "Please lookup the key."}]
    try:
        answer = ask(client, way, model, messages)
        messages.append({"role": "assistant", "content": kept(answer.content, way)})
        results = [
            {"type": "tool_result", "tool_use_id": block.id, "content": "42"}
            for block in answer.content
            if block.type == "tool_use"
        ]
        messages.append({"role": "user", "content": results})
        answer = ask(client, way, model, messages)
        messages.append({"role": "assistant", "content": kept(answer.content, way)})
        messages.append({"role": "user", "content": "holdover:recall"})
        answer = ask(client, way, model, messages)
        print("".join(block.text for block in answer.content if block.type == "text"))
    except BadRequestError as error:
        print(f"refused: {error.status_code} {error.body}")


if __name__ == "__main__":
    main(*sys.argv[1:])
