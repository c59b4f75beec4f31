"""What two clients in the shape of chat completions have in common: messages in a list, each as it came."""

from __future__ import annotations

import json
from typing import Any

from contract import Driver


class Messages(Driver):
    """The message of an answer is appended as it came. A client says how it asks, and how it writes a message."""

    has = ("schema",)

    def begin(self) -> None:
        self.history: list[Any] = []
        if self.settings.instructions:
            self.history.append({"role": "system", "content": self.settings.instructions})

    def declared(self) -> dict[str, Any]:
        """Tools and the schema of the answer, as every request has them."""
        declared: dict[str, Any] = {}
        if self.settings.tools:
            declared["tools"] = [{"type": "function", "function": tool} for tool in self.settings.tools]
        if self.settings.output_schema:
            schema = {"name": "answer", "schema": self.settings.output_schema, "strict": True}
            declared["response_format"] = {"type": "json_schema", "json_schema": schema}
        return declared

    def answered(self) -> Any:
        """One request with the history, and its whole answer."""
        raise NotImplementedError

    def written(self, message: Any) -> dict[str, Any]:
        """A message of the client as JSON."""
        raise NotImplementedError

    def ask(self) -> Any:
        """One request, and the message that it leaves behind."""
        message = self.answered().choices[0].message
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
        messages = [item if isinstance(item, dict) else self.written(item) for item in self.history]
        with open(file, "w", encoding="utf-8") as out:
            json.dump(messages, out)

    def load(self, file: str) -> None:
        with open(file, encoding="utf-8") as saved:
            self.history = json.load(saved)
