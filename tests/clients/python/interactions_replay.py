"""google-genai from PyPI on Interactions: a tool loop with state or without, the right way or a wrong one."""

from __future__ import annotations

import sys
from typing import Any

from google import genai

MODEL = "gemini-3-pro-preview"
TOOL = {
    "type": "function",
    "name": "lookup",
    "parameters": {"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]},
}


def ask(client: genai.Client, way: str, **request: Any) -> tuple[str, list[dict[str, Any]]]:
    """Id and steps of one answer, whole or put together from its events."""
    if way != "stream":
        answer = client.interactions.create(model=MODEL, tools=[TOOL], **request)
        return answer.id, [step.model_dump(exclude_none=True) for step in answer.steps]
    found = ""
    steps: list[dict[str, Any]] = []
    for event in client.interactions.create(model=MODEL, tools=[TOOL], stream=True, **request):
        if event.event_type == "interaction.created":
            found = event.interaction.id
        elif event.event_type == "step.start":
            steps.append(event.step.model_dump(exclude_none=True))
        elif event.event_type == "step.delta":
            add(steps[event.index], event.delta.model_dump(exclude_none=True))
    return found, steps


def add(step: dict[str, Any], delta: dict[str, Any]) -> None:
    """Takes one piece of a step."""
    if delta["type"] == "text":
        content = step.setdefault("content", [{"type": "text", "text": ""}])
        content[0]["text"] += delta["text"]
    elif delta["type"] == "thought_signature":
        step["signature"] = delta["signature"]


def main(way: str) -> None:
    """A question with a tool behind it."""
    client = genai.Client()
    asked = {"type": "user_input", "content": [{"type": "text", "text": "Please lookup the key. holdover:recall"}]}
    try:
        stateful = way in ("named", "stream")
        found, steps = ask(client, way, input=[asked], store=stateful)
        results = [
            {"type": "function_result", "call_id": step["id"], "name": step["name"], "result": "42"}
            for step in steps
            if step["type"] == "function_call"
        ]
        if stateful:
            _, steps = ask(client, way, input=results, previous_interaction_id=found)
        else:
            kept = [step for step in steps if way == "right" or step["type"] != "thought"]
            _, steps = ask(client, way, input=[asked, *kept, *results], store=False)
        texts = [step["content"] for step in steps if step["type"] == "model_output"]
        print("".join(part["text"] for content in texts for part in content))
    except Exception as error:  # the SDK has a class for each status; any of them is printed as it is
        print(f"refused: {type(error).__name__} {error}")


if __name__ == "__main__":
    main(*sys.argv[1:])
