"""anthropic by hand: the content of an answer goes back as it came."""

from __future__ import annotations

import json
from typing import Any

from anthropic import Anthropic

from contract import Driver, serve

# What an answer may take; the client asks for a limit.
TOKENS_MAX = 4096


class Plain(Driver):
    """The history is a list of messages."""

    client = "anthropic"
    package = "anthropic"
    wire = "anthropic-messages"
    has = ("schema",)

    def begin(self) -> None:
        self.anthropic = Anthropic(
            base_url=self.settings.root_url, api_key=self.settings.api_key, max_retries=0
        )
        self.history: list[Any] = []

    def request(self) -> dict[str, Any]:
        """What every request has beside its messages."""
        settings = self.settings
        config: dict[str, Any] = {"effort": settings.effort}
        if settings.output_schema:
            config["format"] = {"type": "json_schema", "schema": settings.output_schema}
        request: dict[str, Any] = {
            "model": settings.model,
            "max_tokens": TOKENS_MAX,
            "thinking": {"type": "adaptive"},
            "output_config": config,
        }
        if settings.instructions is not None:
            request["system"] = settings.instructions
        if settings.tools:
            request["tools"] = [
                {"name": tool["name"], "description": tool["description"], "input_schema": tool["parameters"]}
                for tool in settings.tools
            ]
        return request

    def ask(self, content: Any) -> Any:
        """One request, and what it leaves behind."""
        self.history.append({"role": "user", "content": content})
        if self.settings.stream:
            with self.anthropic.messages.stream(messages=self.history, **self.request()) as stream:
                message = stream.get_final_message()
        else:
            message = self.anthropic.messages.create(messages=self.history, **self.request())
        self.history.append({"role": "assistant", "content": message.content})
        return message

    def user(self, text: str) -> str:
        message = self.ask(text)
        while calls := [block for block in message.content if block.type == "tool_use"]:
            message = self.ask(
                [
                    {"type": "tool_result", "tool_use_id": call.id, "content": self.tool(call.name)}
                    for call in calls
                ]
            )
        return "".join(block.text for block in message.content if block.type == "text")

    def save(self, file: str) -> None:
        with open(file, "w", encoding="utf-8") as out:
            json.dump([{**message, "content": plain(message["content"])} for message in self.history], out)

    def load(self, file: str) -> None:
        with open(file, encoding="utf-8") as saved:
            self.history = json.load(saved)


def plain(content: Any) -> Any:
    """A content as JSON."""
    if isinstance(content, str):
        return content
    return [block if isinstance(block, dict) else block.to_dict() for block in content]


if __name__ == "__main__":
    serve(Plain)
