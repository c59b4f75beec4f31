"""openai-python on chat completions of another provider: the message of an answer is appended as it came."""

from __future__ import annotations

import json
from typing import Any

from openai import OpenAI

from contract import Driver, serve


class Chat(Driver):
    """Messages in a list."""

    client = "openai-python on chat completions"
    package = "openai"
    wire = "chat-completions"
    has = ("schema",)

    def begin(self) -> None:
        self.openai = OpenAI(base_url=self.settings.base_url, api_key=self.settings.api_key, max_retries=0)
        self.history: list[Any] = []
        if self.settings.instructions:
            self.history.append({"role": "system", "content": self.settings.instructions})

    def request(self) -> dict[str, Any]:
        """What every request has beside its messages."""
        settings = self.settings
        request: dict[str, Any] = {"model": settings.model, "reasoning_effort": settings.effort}
        if settings.tools:
            request["tools"] = [{"type": "function", "function": tool} for tool in settings.tools]
        if settings.output_schema:
            schema = {"name": "answer", "schema": settings.output_schema, "strict": True}
            request["response_format"] = {"type": "json_schema", "json_schema": schema}
        return request

    def ask(self) -> Any:
        """One request, and the message that it leaves behind."""
        if self.settings.stream:
            with self.openai.chat.completions.stream(messages=self.history, **self.request()) as stream:
                answer: Any = stream.get_final_completion()
        else:
            answer = self.openai.chat.completions.create(messages=self.history, **self.request())
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
        messages = [item if isinstance(item, dict) else item.to_dict() for item in self.history]
        with open(file, "w", encoding="utf-8") as out:
            json.dump(messages, out)

    def load(self, file: str) -> None:
        with open(file, encoding="utf-8") as saved:
            self.history = json.load(saved)


if __name__ == "__main__":
    serve(Chat)
