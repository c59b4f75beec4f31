"""litellm's `completion()` over its bridge to the Responses API: the answer's message is appended as it came."""

from __future__ import annotations

import json
import os
from typing import Any

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm  # noqa: E402

from contract import Driver, serve  # noqa: E402


class LiteLlmCompletion(Driver):
    """Messages in a list, in the shape of chat completions."""

    client = "litellm completion()"
    package = "litellm"
    has = ("schema",)

    def begin(self) -> None:
        self.history: list[Any] = []
        if self.settings.instructions:
            self.history.append({"role": "system", "content": self.settings.instructions})

    def request(self) -> dict[str, Any]:
        """What every request has beside its messages."""
        settings = self.settings
        request: dict[str, Any] = {
            "model": f"openai/responses/{settings.model}",
            "api_base": settings.base_url,
            "api_key": settings.api_key,
            "stream": settings.stream,
            "reasoning_effort": settings.reasoning if settings.summary else settings.effort,
        }
        if settings.store is not None:
            request["store"] = settings.store
        if settings.include is not None:
            request["include"] = settings.include
        if settings.tools:
            request["tools"] = [{"type": "function", "function": tool} for tool in settings.tools]
        if settings.output_schema:
            schema = {"name": "answer", "schema": settings.output_schema, "strict": True}
            request["response_format"] = {"type": "json_schema", "json_schema": schema}
        return request

    def ask(self) -> Any:
        """One request, and the message that it leaves behind."""
        answer = litellm.completion(messages=self.history, **self.request())
        if self.settings.stream:
            answer = litellm.stream_chunk_builder(list(answer), messages=self.history)
        message = answer.choices[0].message
        self.history.append(message)
        return message

    def user(self, text: str) -> str:
        self.history.append({"role": "user", "content": text})
        message = self.ask()
        while message.tool_calls:
            for call in message.tool_calls:
                output = self.tool(call.function.name)
                self.history.append({"role": "tool", "tool_call_id": call.id, "content": output})
            message = self.ask()
        return message.content or ""

    def save(self, file: str) -> None:
        messages = [item if isinstance(item, dict) else item.model_dump() for item in self.history]
        with open(file, "w", encoding="utf-8") as out:
            json.dump(messages, out)

    def load(self, file: str) -> None:
        with open(file, encoding="utf-8") as saved:
            self.history = json.load(saved)


if __name__ == "__main__":
    serve(LiteLlmCompletion)
