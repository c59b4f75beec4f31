"""google-genai: a chat of the SDK, which keeps the history and calls the tools by itself."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from typing import Any

from google import genai
from google.genai import types

from contract import Driver, serve


class Chat(Driver):
    """A chat, and the history that it keeps."""

    client = "google-genai"
    package = "google-genai"
    wire = "gemini-generate"
    has = ("schema",)

    def begin(self) -> None:
        options = types.HttpOptions(base_url=self.settings.root_url)
        self.genai = genai.Client(api_key=self.settings.api_key, http_options=options)
        self.open([])

    def open(self, history: list[types.Content]) -> None:
        """A chat that goes on from a history."""
        settings = self.settings
        schema: dict[str, Any] = {}
        if settings.output_schema:
            schema = {"response_mime_type": "application/json", "response_json_schema": settings.output_schema}
        config = types.GenerateContentConfig(
            system_instruction=settings.instructions,
            tools=[self.function(tool) for tool in settings.tools] or None,
            thinking_config=types.ThinkingConfig(thinking_level=types.ThinkingLevel[(settings.effort or "").upper()]),
            **schema,
        )
        self.chat = self.genai.chats.create(model=settings.model, config=config, history=history)

    def function(self, tool: dict[str, Any]) -> Callable[..., str]:
        """A function that the SDK declares from its signature and calls."""

        def answer(**_arguments: str) -> str:
            return self.tool(tool["name"])

        names = list(tool["parameters"]["properties"])
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters = [inspect.Parameter(name, kind, annotation=str) for name in names]
        answer.__signature__ = inspect.Signature(parameters, return_annotation=str)  # type: ignore[attr-defined]
        answer.__annotations__ = {**dict.fromkeys(names, str), "return": str}
        answer.__name__ = tool["name"]
        answer.__doc__ = tool["description"]
        return answer

    def user(self, text: str) -> str:
        if self.settings.stream:
            return "".join(chunk.text or "" for chunk in self.chat.send_message_stream(text))
        return self.chat.send_message(text).text or ""

    def save(self, file: str) -> None:
        with open(file, "w", encoding="utf-8") as out:
            json.dump([content.model_dump_json(exclude_none=True) for content in self.chat.get_history()], out)

    def load(self, file: str) -> None:
        with open(file, encoding="utf-8") as saved:
            self.open([types.Content.model_validate_json(content) for content in json.load(saved)])


if __name__ == "__main__":
    serve(Chat)
