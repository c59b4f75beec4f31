"""litellm's `responses()`: `response.output` goes back as it came."""

from __future__ import annotations

import json
import os
from typing import Any

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm  # noqa: E402

from contract import Driver, serve  # noqa: E402


class LiteLlmResponses(Driver):
    """The history is a list of items, or the server's."""

    client = "litellm responses()"
    package = "litellm"
    states = ("client-replay", "server-chain")
    has = ("schema",)

    def begin(self) -> None:
        self.history: list[Any] = []
        self.anchor: dict[str, Any] = {}

    def request(self) -> dict[str, Any]:
        """What every request has beside its input."""
        settings = self.settings
        request: dict[str, Any] = {
            "model": f"openai/{settings.model}",
            "api_base": settings.base_url,
            "api_key": settings.api_key,
            "reasoning": settings.reasoning,
            "instructions": settings.instructions,
            "stream": settings.stream,
        }
        if settings.store is not None:
            request["store"] = settings.store
        if settings.include is not None:
            request["include"] = settings.include
        if settings.tools:
            request["tools"] = [{"type": "function", **tool} for tool in settings.tools]
        if settings.output_schema:
            schema = {"type": "json_schema", "name": "answer", "schema": settings.output_schema, "strict": True}
            request["text"] = {"format": schema}
        return request | self.anchor

    def ask(self, items: list[Any]) -> Any:
        """One request, and what it leaves behind."""
        self.history.extend(items)
        replays = self.settings.state == "client-replay"
        answer = litellm.responses(input=self.history if replays else items, **self.request())
        if self.settings.stream:
            answer = [event for event in answer if event.type == "response.completed"][-1].response
        self.history.extend(answer.output)
        if not replays:
            self.anchor = {"previous_response_id": answer.id}
        return answer

    def user(self, text: str) -> str:
        answer = self.ask([{"role": "user", "content": text}])
        while calls := [item for item in answer.output if kind(item) == "function_call"]:
            outputs = [
                {"type": "function_call_output", "call_id": call.call_id, "output": self.tool(call.name)}
                for call in calls
            ]
            answer = self.ask(outputs)
        return answer.output_text

    def save(self, file: str) -> None:
        items = [item if isinstance(item, dict) else item.model_dump() for item in self.history]
        with open(file, "w", encoding="utf-8") as out:
            json.dump(items, out)

    def load(self, file: str) -> None:
        with open(file, encoding="utf-8") as saved:
            self.history = json.load(saved)


def kind(item: Any) -> str:
    """The type of an item, which may be a dictionary."""
    return item["type"] if isinstance(item, dict) else item.type


if __name__ == "__main__":
    serve(LiteLlmResponses)
